//! The files of a world: its own file and those that it includes.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use swarmarium_base::problem::{self, Problem, Problems};
use swarmarium_scene::scene::reader::read_text;

use crate::Options;
use crate::language::template::{self, Rendered, Variables};

/// The most values of all files, including those that aliases repeat.
const MAX_NODES: usize = 1_000_000;
/// The most bytes of all files.
const MAX_BYTES: usize = 64 << 20;
/// The most files.
const MAX_FILES: usize = 1000;
/// The most files that include one another.
const MAX_NESTED: usize = 16;

/// A place in one of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the file.
    file: usize,
    /// The line and the column in the file.
    pub within: problem::Place,
}

/// Why a file cannot be included, or a value cannot be added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SourceError {
    /// Files include one another too deeply.
    #[error("more than {} files include one another", MAX_NESTED)]
    TooDeep,
    /// The world includes too many files.
    #[error("more than {} files are included", MAX_FILES)]
    TooManyFiles,
    /// The files are too large together.
    #[error("all files together are larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    /// The world has too many values.
    #[error("more than {} values, counting what aliases repeat", MAX_NODES)]
    TooManyValues,
    /// A file cannot be read.
    #[error("{}", unreadable(.name, .problems))]
    Unreadable {
        /// The name of the file as it was included.
        name: String,
        /// The reasons.
        problems: Problems,
    },
    /// A file includes itself.
    #[error("{}`{name}` again", inclusions(.chain))]
    Cycle {
        /// The name of the file as it was included.
        name: String,
        /// The files from the first inclusion of the file to the current file.
        chain: Vec<String>,
    },
    /// A file does not exist.
    #[error("there is no file `{name}`")]
    Missing {
        /// The name of the file as it was included.
        name: String,
    },
    /// A file is in a folder that the user did not allow.
    #[error("`{name}` is outside the folder of the world: allow it with `--allow-outside`")]
    Outside {
        /// The name of the file as it was included.
        name: String,
    },
}

/// The reasons why a file cannot be read, in one text.
fn unreadable(name: &str, problems: &Problems) -> String {
    problems.problems.iter().map(|problem| format!("`{name}` {}", problem.message)).collect()
}

/// The text for a chain of inclusions.
fn inclusions(chain: &[String]) -> String {
    chain.iter().map(|name| format!("`{name}` includes ")).collect()
}

/// The content of an included file, by its extension.
pub enum Content {
    /// `.yaml`, `.yml`: the output of its template.
    Yaml(String),
    /// `.json`.
    Json(String),
    /// Anything else, such as a drawing.
    Text(String),
}

/// One file.
struct Source {
    /// Its name as it was included.
    name: String,
    /// Its path without links; empty for the world itself, which can be anywhere.
    path: PathBuf,
    /// The folder that names in it are relative to.
    folder: PathBuf,
    /// The place of its inclusion; `None` for the world.
    included_at: Option<Place>,
    /// The line of the file for each line of the output of its template; empty when they are the same.
    lines: Vec<usize>,
    /// The variables given to its template, and those that the template set.
    variables: Variables,
}

/// All files that were read, with the problems and warnings about them.
pub struct Sources<'o> {
    options: &'o Options,
    files: Vec<Source>,
    /// The files that are being read, the innermost last.
    open: Vec<usize>,
    nodes: usize,
    bytes: usize,
    /// Faults that keep the world from being imported.
    pub problems: Vec<Problem>,
    /// Differences that the user should know.
    pub warnings: Vec<Problem>,
    /// Those of the warnings that name variables without a value, which can be the cause of problems.
    pub missing_variables: Vec<Problem>,
}

impl<'o> Sources<'o> {
    /// Sources without files.
    pub fn new(options: &'o Options) -> Self {
        let (files, open, problems, warnings, missing_variables) = Default::default();
        Self { options, files, open, nodes: 0, bytes: 0, problems, warnings, missing_variables }
    }

    /// The files that were included, without links, each once.
    pub fn included(&self) -> Vec<PathBuf> {
        let included: BTreeSet<&PathBuf> = self.files.iter().skip(1).map(|file| &file.path).collect();
        included.into_iter().cloned().collect()
    }

    /// Begins with the text of the world. Gives the output of its template.
    pub fn world(&mut self, name: &str, text: &str) -> Option<String> {
        let folder = Path::new(name).parent().unwrap_or(Path::new("")).to_path_buf();
        let mut variables = Variables::new();
        for (name, value) in &self.options.variables {
            match template::value_of(value) {
                Ok(value) => drop(variables.insert(name.clone(), value)),
                Err(error) => self.problems.push(Problem::of_file(format!("`--var {name}={value}`: {error}"))),
            }
        }
        self.begin(Source {
            name: name.to_string(),
            path: Path::new(name).canonicalize().unwrap_or_default(),
            folder,
            included_at: None,
            lines: Vec::new(),
            variables,
        });
        self.render(text)
    }

    /// Opens an included file; [`close`](Self::close) it when it has been read.
    ///
    /// # Errors
    /// When the file does not exist, is not allowed, includes itself, or exceeds a limit.
    pub fn open(&mut self, name: &str, place: Place) -> Result<Content, SourceError> {
        if self.open.len() > MAX_NESTED {
            return Err(SourceError::TooDeep);
        }
        if self.files.len() > MAX_FILES {
            return Err(SourceError::TooManyFiles);
        }
        let path = self.find(name)?;
        let (size, variables) =
            (path.metadata().map_or(0, |data| data.len() as usize), self.current().variables.clone());
        if self.bytes + size > MAX_BYTES {
            return Err(SourceError::TooLarge);
        }
        let text = read_text(&path).map_err(|problems| SourceError::Unreadable { name: name.to_string(), problems })?;
        self.bytes += text.len();
        if let Some(at) = self.open.iter().position(|file| self.files[*file].path == path) {
            let chain = self.open[at..].iter().map(|file| self.files[*file].name.clone()).collect();
            return Err(SourceError::Cycle { name: name.to_string(), chain });
        }
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let folder = path.parent().unwrap_or(&path).to_path_buf();
        let (name, included_at, lines) = (name.to_string(), Some(place), Vec::new());
        self.begin(Source { name, path, folder, included_at, lines, variables });
        if extension == "yaml" || extension == "yml" {
            // A problem of the template has been noted; nothing is left to read.
            return Ok(Content::Yaml(self.render(text.trim_start_matches('\u{feff}')).unwrap_or_default()));
        }
        Ok(if extension == "json" { Content::Json(text) } else { Content::Text(text) })
    }

    /// Goes back to the file that included the one being read.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// A line and a column of the file being read.
    pub fn here(&self, line: usize, column: usize) -> Place {
        Place { file: self.open.last().copied().unwrap_or(0), within: problem::Place { line, column } }
    }

    /// The absolute path of a name in the file being read.
    pub fn absolute(&self, name: &str) -> String {
        let path = self.find(name).unwrap_or_else(|_| self.current().folder.join(name));
        std::path::absolute(&path).unwrap_or(path).display().to_string()
    }

    /// Counts values.
    ///
    /// # Errors
    /// When the world has too many values.
    pub fn count_nodes(&mut self, nodes: usize) -> Result<(), SourceError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(SourceError::TooManyValues);
        }
        Ok(())
    }

    /// The number of values that can still be added.
    pub fn remaining_nodes(&self) -> usize {
        MAX_NODES.saturating_sub(self.nodes)
    }

    /// Notes a problem.
    pub fn problem(&mut self, place: Place, path: &str, message: impl Into<String>) {
        let problem = self.problem_at(place, path, message.into());
        self.problems.push(problem);
    }

    /// Notes a warning.
    pub fn warning(&mut self, place: Place, path: &str, message: impl Into<String>) {
        let warning = self.problem_at(place, path, message.into());
        self.warnings.push(warning);
    }

    /// A problem at a place. The message of a problem in an included file names the file, and the place is that of the
    /// inclusion.
    fn problem_at(&self, mut place: Place, path: &str, mut message: String) -> Problem {
        while let Some(file) = self.files.get(place.file) {
            let line = file.lines.get(place.within.line.saturating_sub(1)).copied();
            let line = line.or(file.lines.last().copied()).unwrap_or(place.within.line);
            place.within.line = line;
            let Some(included_at) = file.included_at else { break };
            message = format!("{}:{line}:{}: {message}", file.name, place.within.column);
            place = included_at;
        }
        Problem { place: Some(place.within), ..Problem::of_field(path, message) }
    }

    fn begin(&mut self, source: Source) {
        self.open.push(self.files.len());
        self.files.push(source);
    }

    fn current(&self) -> &Source {
        &self.files[self.open.last().copied().unwrap_or(0)]
    }

    /// The output of the template of the file being read.
    fn render(&mut self, text: &str) -> Option<String> {
        if !template::is_template(text) {
            return Some(text.to_string());
        }
        let file = self.open.last().copied().unwrap_or(0);
        match template::render(text, &self.files[file].variables) {
            Ok(Rendered { text, lines, variables, missing }) => {
                for missing in missing {
                    let place = self.here(missing.line, missing.column);
                    let message = format!("{missing}; it is written as nothing, as in RobotSwarmSimulator");
                    let warning = self.problem_at(place, "", message);
                    self.missing_variables.push(warning.clone());
                    self.warnings.push(warning);
                }
                self.bytes += text.len();
                self.files[file].lines = lines;
                self.files[file].variables = variables;
                Some(text)
            }
            Err(error) => {
                let place = self.here(error.line, error.column);
                self.problem(place, "", error.to_string());
                None
            }
        }
    }

    /// Looks for a file: relative to the file being read, then to the current folder. Only files in the folder of the world
    /// and its subfolders are allowed, unless the user allows more.
    ///
    /// # Errors
    /// When the file does not exist, or is not allowed.
    pub fn find(&self, name: &str) -> Result<PathBuf, SourceError> {
        let home = || env::var_os("HOME").map(PathBuf::from);
        let file = match name.strip_prefix("~/").zip(home()) {
            Some((rest, home)) => home.join(rest),
            None => PathBuf::from(name),
        };
        let folder_of_world = &self.files[0].folder;
        let folder_of_world =
            if folder_of_world.as_os_str().is_empty() { Path::new(".") } else { folder_of_world.as_path() };
        let allowed = |path: &PathBuf| {
            let root = folder_of_world.canonicalize();
            self.options.allow_outside || root.is_ok_and(|root| path.starts_with(root))
        };
        let candidates = [self.current().folder.join(&file), file];
        let found: Vec<PathBuf> = candidates.iter().filter_map(|path| path.canonicalize().ok()).collect();
        match (found.iter().find(|path| allowed(path)), found.is_empty()) {
            (Some(path), _) => Ok(path.clone()),
            (None, true) => Err(SourceError::Missing { name: name.to_string() }),
            (None, false) => Err(SourceError::Outside { name: name.to_string() }),
        }
    }
}
