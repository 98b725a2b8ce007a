//! The files that a world is made of: the world itself and what it includes.

use std::env;
use std::path::{Path, PathBuf};

use swarmarium_base::problem::{self, Problem};
use swarmarium_core::scene::reader::read_text;

use super::template::{self, Rendered, Variables};
use crate::import::Options;

/// The most values of all files, those that aliases repeat included.
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
    /// Where in the file.
    pub within: problem::Place,
}

/// What is in an included file, by its extension.
pub enum Content {
    /// `.yaml`, `.yml`: what its template gave.
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
    /// Where it is, links resolved; empty for the world itself, which may be anywhere.
    path: PathBuf,
    /// The folder that names in it are relative to.
    folder: PathBuf,
    /// Where it was included; the world was nowhere.
    included_at: Option<Place>,
    /// The line of the file for each line of what its template gave; empty when they are the same.
    lines: Vec<usize>,
    /// What its template was given, and what it set.
    variables: Variables,
}

/// All files that were read, and what there is to say about them.
pub struct Sources<'o> {
    options: &'o Options,
    files: Vec<Source>,
    /// The files that are being read, the innermost last.
    open: Vec<usize>,
    nodes: usize,
    bytes: usize,
    /// What keeps the world from being imported.
    pub problems: Vec<Problem>,
    /// What the user should know.
    pub warnings: Vec<Problem>,
}

impl<'o> Sources<'o> {
    /// No file yet.
    pub fn new(options: &'o Options) -> Self {
        let (files, open, problems, warnings) = Default::default();
        Self { options, files, open, nodes: 0, bytes: 0, problems, warnings }
    }

    /// Begins with the world, whose text was read; gives what its template makes of it.
    pub fn world(&mut self, name: &str, text: &str) -> Option<String> {
        let folder = Path::new(name).parent().unwrap_or(Path::new("")).to_path_buf();
        let mut variables = Variables::new();
        for (name, value) in &self.options.variables {
            match template::value_of(value) {
                Ok(value) => drop(variables.insert(name.clone(), value)),
                Err(why) => self.problems.push(Problem::of_file(format!("`--var {name}={value}`: {why}"))),
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
        self.rendered(text)
    }

    /// Opens an included file; [`close`](Self::close) it when it has been read.
    ///
    /// # Errors
    /// When there is none, it is not allowed, or it includes itself.
    pub fn open(&mut self, name: &str, place: Place) -> Result<Content, String> {
        if self.open.len() > MAX_NESTED {
            return Err(format!("more than {MAX_NESTED} files include one another"));
        }
        if self.files.len() > MAX_FILES {
            return Err(format!("more than {MAX_FILES} files are included"));
        }
        let path = self.find(name)?;
        let (size, variables) =
            (path.metadata().map_or(0, |data| data.len() as usize), self.current().variables.clone());
        if self.bytes + size > MAX_BYTES {
            return Err(format!("all files together are larger than {} MiB", MAX_BYTES >> 20));
        }
        let text = read_text(&path).map_err(|problems| {
            problems.problems.into_iter().map(|problem| format!("`{name}` {}", problem.message)).collect::<String>()
        })?;
        self.bytes += text.len();
        if let Some(at) = self.open.iter().position(|file| self.files[*file].path == path) {
            let names = self.open[at..].iter().map(|file| format!("`{}` includes ", self.files[*file].name));
            return Err(format!("{}`{name}` again", names.collect::<String>()));
        }
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let folder = path.parent().unwrap_or(&path).to_path_buf();
        let (name, included_at, lines) = (name.to_string(), Some(place), Vec::new());
        self.begin(Source { name, path, folder, included_at, lines, variables });
        if extension == "yaml" || extension == "yml" {
            // Its problem has been noted; nothing is left to read.
            return Ok(Content::Yaml(self.rendered(text.trim_start_matches('\u{feff}')).unwrap_or_default()));
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
        let path = self.current().folder.join(name);
        std::path::absolute(&path).unwrap_or(path).display().to_string()
    }

    /// Counts values.
    ///
    /// # Errors
    /// When there are too many.
    pub fn spend(&mut self, nodes: usize) -> Result<(), String> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(format!("more than {MAX_NODES} values, counting what aliases repeat"));
        }
        Ok(())
    }

    /// How many values there may still be.
    pub fn left(&self) -> usize {
        MAX_NODES.saturating_sub(self.nodes)
    }

    /// Notes a problem.
    pub fn problem(&mut self, place: Place, path: &str, message: impl Into<String>) {
        let problem = self.at(place, path, message.into());
        self.problems.push(problem);
    }

    /// Notes a warning.
    pub fn warning(&mut self, place: Place, path: &str, message: impl Into<String>) {
        let warning = self.at(place, path, message.into());
        self.warnings.push(warning);
    }

    /// What is said of a place in an included file is said where it was included.
    fn at(&self, mut place: Place, path: &str, mut message: String) -> Problem {
        while let Some(file) = self.files.get(place.file) {
            let line = file.lines.get(place.within.line.saturating_sub(1)).copied();
            let line = line.or(file.lines.last().copied()).unwrap_or(place.within.line);
            place.within.line = line;
            let Some(included_at) = file.included_at else { break };
            message = format!("{}:{line}:{}: {message}", file.name, place.within.column);
            place = included_at;
        }
        Problem { place: Some(place.within), path: path.to_string(), message }
    }

    fn begin(&mut self, source: Source) {
        self.open.push(self.files.len());
        self.files.push(source);
    }

    fn current(&self) -> &Source {
        &self.files[self.open.last().copied().unwrap_or(0)]
    }

    /// What the template of the file being read makes of it.
    fn rendered(&mut self, text: &str) -> Option<String> {
        if !template::is_template(text) {
            return Some(text.to_string());
        }
        let file = self.open.last().copied().unwrap_or(0);
        match template::render(text, &self.files[file].variables) {
            Ok(Rendered { text, lines, variables, missing }) => {
                if let Some(missing) = missing {
                    let place = self.here(missing.line, missing.column);
                    self.warning(
                        place,
                        "",
                        format!("{}; it is written as nothing, as in RobotSwarmSimulator", missing.message),
                    );
                }
                self.bytes += text.len();
                self.files[file].lines = lines;
                self.files[file].variables = variables;
                Some(text)
            }
            Err(trouble) => {
                let place = self.here(trouble.line, trouble.column);
                self.problem(place, "", trouble.message);
                None
            }
        }
    }

    /// Looks for a file: relative to the file being read, then to the current folder. Only what is in the folder of the
    /// world or further down is allowed, unless the user allows more.
    fn find(&self, name: &str) -> Result<PathBuf, String> {
        let home = || env::var_os("HOME").map(PathBuf::from);
        let wanted = match name.strip_prefix("~/").zip(home()) {
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
        let candidates = [self.current().folder.join(&wanted), wanted];
        let found: Vec<PathBuf> = candidates.iter().filter_map(|path| path.canonicalize().ok()).collect();
        match (found.iter().find(|path| allowed(path)), found.is_empty()) {
            (Some(path), _) => Ok(path.clone()),
            (None, true) => Err(format!("there is no file `{name}`")),
            (None, false) => {
                Err(format!("`{name}` is outside the folder of the world: allow it with `--allow-outside`"))
            }
        }
    }
}
