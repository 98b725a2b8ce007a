//! The files of a world: its own text and the files that it includes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use swarmarium_base::files;
use swarmarium_core::text::wording::shown;

use super::image::{ENDINGS, Image};
use super::token::{self, Token, TokenKind};
use crate::import::report::Report;
use crate::import::{Options, text_of};

/// The most bytes of all texts.
const MAX_BYTES: usize = 4 << 20;
/// The most rectangles of the images of all models together.
const MAX_RECTANGLES: usize = 1_000_000;
/// The most files that a world includes.
const MAX_FILES: usize = 100;
/// The most files that include one another.
const MAX_NESTED: usize = 16;
/// The endings of files that a world can include.
const INCLUDED: [&str; 3] = ["inc", "world", "defs"];

/// The number of the file with the definitions of the program.
pub const PRESETS: u32 = 1;

/// A text.
struct Source {
    /// Its name as it was included.
    name: String,
    /// Its path without links; empty for the world.
    path: PathBuf,
    /// The text, without bytes that are not UTF-8: old files have names of authors in other encodings.
    text: String,
    /// The byte of the world at which it is included.
    at: usize,
    /// The bytes of its line breaks.
    breaks: Vec<u32>,
}

impl Source {
    fn new(name: &str, path: PathBuf, text: String, at: usize) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at as u32).collect();
        Self { name: name.to_owned(), path, text, at, breaks }
    }
}

/// The files of a world and their tokens, with the problems and warnings about them.
pub struct Sources<'a> {
    options: &'a Options,
    /// The folder of the world.
    folder: PathBuf,
    files: Vec<Source>,
    /// The tokens of all files in the order in which Stage reads them. Includes have been carried out.
    pub tokens: Vec<Token>,
    /// The number of tokens of the definitions of the program, which come first.
    pub presets: usize,
    report: Report,
    /// The images of models, which many models can share.
    images: BTreeMap<PathBuf, Result<Rc<Image>, String>>,
    /// The rectangles that the images of models can still have.
    rectangles_left: usize,
}

impl<'a> Sources<'a> {
    /// Reads the definitions of the program, a world, and the files that it includes. The report has a problem if one of them
    /// cannot be read.
    pub fn read(presets: &str, name: &str, bytes: &[u8], options: &'a Options) -> Self {
        let source = |name: &str, text: String| Source::new(name, PathBuf::new(), text, 0);
        let world = source(name, text_of(bytes));
        let folder = Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default();
        let mut sources = Self {
            options,
            folder,
            files: vec![world, source("definitions of the program", presets.to_owned())],
            tokens: Vec::new(),
            presets: 0,
            report: Report::default(),
            images: BTreeMap::new(),
            rectangles_left: MAX_RECTANGLES,
        };
        sources.read_tokens(PRESETS as usize, &mut Vec::new());
        sources.presets = sources.tokens.len();
        sources.read_tokens(0, &mut Vec::new());
        sources
    }

    /// The text of a token.
    pub fn text(&self, token: Token) -> &str {
        &self.files[token.file as usize].text[token.start as usize..token.end as usize]
    }

    /// Reads the tokens of a file; `open` has the files that include it.
    fn read_tokens(&mut self, file: usize, open: &mut Vec<usize>) {
        open.push(file);
        let mut at = 0;
        loop {
            let (kind, range) = match token::next(&self.files[file].text, at) {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(error) => {
                    let token = Token {
                        kind: TokenKind::Word,
                        file: file as u32,
                        start: error.at as u32,
                        end: error.at as u32,
                    };
                    self.problem(token, "", error.message);
                    break;
                }
            };
            at = range.end + usize::from(kind == TokenKind::Text);
            let token = Token { kind, file: file as u32, start: range.start as u32, end: range.end as u32 };
            if kind == TokenKind::Word && self.text(token) == "include" {
                match token::next(&self.files[file].text, at) {
                    Ok(Some((TokenKind::Text, range))) => {
                        at = range.end + 1;
                        let name = self.files[file].text[range].to_owned();
                        self.include(token, &name, open);
                    }
                    _ => {
                        self.problem(token, "", "`include` needs the name of a file in quotation marks".to_owned());
                        break;
                    }
                }
            } else {
                self.tokens.push(token);
            }
        }
        open.pop();
    }

    /// Reads a file that another one includes. A missing file is a warning: the program has definitions of its own.
    fn include(&mut self, token: Token, name: &str, open: &mut Vec<usize>) {
        let path = match self.find(name, &INCLUDED, token.file as usize) {
            Ok(path) => path,
            Err(message) => {
                let own = "definitions of this program stand in for those of Stage's own files";
                return self.warning(token, "include", format!("{message}: {own}"));
            }
        };
        if open.iter().any(|file| self.files[*file].path == path) {
            return self.problem(token, "include", format!("`{}` includes itself", shown(name)));
        }
        // As in Stage, a file that is included twice is read twice: its definitions are the same.
        let left = MAX_BYTES.saturating_sub(self.files.iter().map(|file| file.text.len()).sum());
        let too_many = self.files.len() > MAX_FILES || open.len() > MAX_NESTED;
        let content = match files::read_at_most(&path, left as u64) {
            _ if too_many => Err(format!("more than {MAX_FILES} files, or {MAX_NESTED} in one another, are included")),
            Ok(bytes) => Ok(text_of(&bytes)),
            Err(error) => Err(format!("`{}` {error}", shown(name))),
        };
        let text = match content {
            Ok(text) if text.len() <= left => text,
            Ok(_) => {
                let message = format!("all files together are larger than {} MiB", MAX_BYTES >> 20);
                return self.problem(token, "include", message);
            }
            Err(message) => return self.problem(token, "include", message),
        };
        let at = self.place(token).0;
        self.files.push(Source::new(name, path, text, at));
        self.read_tokens(self.files.len() - 1, open);
    }

    /// The path of a file that is named in a file. Stage looks beside the world; here, names are also relative to the file
    /// that has them, and a file in a folder that does not exist can stand beside the world.
    fn find(&self, name: &str, endings: &[&str], file: usize) -> Result<PathBuf, String> {
        let named = Path::new(name);
        let is_known = |ending: &std::ffi::OsStr| endings.iter().any(|known| ending.eq_ignore_ascii_case(known));
        if !named.extension().is_some_and(is_known) {
            let expected = endings.iter().map(|ending| format!("`.{ending}`")).collect::<Vec<_>>().join(", ");
            return Err(format!("`{}` is not read: expected a file with one of the endings {expected}", shown(name)));
        }
        let own = self.files[file].path.parent().map(Path::to_path_buf).unwrap_or_else(|| self.folder.clone());
        let beside = named.file_name().map(|name| self.folder.join(name));
        let all = [self.folder.join(named), own.join(named)].into_iter().chain(beside);
        let mut is_outside = false;
        for path in all {
            let Ok(path) = path.canonicalize() else { continue };
            match path.is_file() {
                true if self.is_allowed(&path) => return Ok(path),
                true => is_outside = true,
                false => {}
            }
        }
        let name = shown(name);
        Err(match is_outside {
            true => {
                format!("`{name}` is outside the folder of the world and the one above: `--allow-outside` allows it")
            }
            false => format!("there is no file `{name}`"),
        })
    }

    /// Whether a file can be read: files in the folder of the world or the folder above, where Stage has its own, unless the
    /// folder above is the root of the file system.
    fn is_allowed(&self, path: &Path) -> bool {
        let folder = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let Ok(folder) = folder.canonicalize() else { return false };
        self.options.allow_outside
            || path.starts_with(folder.parent().filter(|above| above.parent().is_some()).unwrap_or(&folder))
    }

    /// Whether there is an image that a token names.
    pub fn has_image(&self, token: Token) -> bool {
        self.find(self.text(token), &ENDINGS, token.file as usize).is_ok()
    }

    /// An image of a model that is named in a file. Each image is read once.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read, or the images of all models have too many parts.
    pub fn image(&mut self, token: Token, name: &str) -> Result<Rc<Image>, String> {
        let path = self.find(name, &ENDINGS, token.file as usize)?;
        let read = self.images.entry(path).or_insert_with_key(|path| Image::read(name, path).map(Rc::new));
        let image = read.clone()?;
        let Some(left) = self.rectangles_left.checked_sub(image.rectangles) else {
            return Err(format!("the images of all models take more than {MAX_RECTANGLES} rectangles"));
        };
        self.rectangles_left = left;
        Ok(image)
    }

    /// The files that the world includes, without links, each once.
    pub fn included(&self) -> Vec<PathBuf> {
        let paths = self.files.iter().map(|file| &file.path).filter(|path| !path.as_os_str().is_empty());
        let all: BTreeSet<&PathBuf> = paths.chain(self.images.keys()).collect();
        all.into_iter().cloned().collect()
    }

    /// The byte of the world for a token, and the words that name its place in an included file.
    fn place(&self, token: Token) -> (usize, String) {
        match self.files.get(token.file as usize) {
            Some(file) if token.file > 0 => {
                let line = file.breaks.partition_point(|at| *at < token.start) + 1;
                (file.at, format!("`{}`, line {line}: ", shown(&file.name)))
            }
            _ => (token.start as usize, String::new()),
        }
    }

    /// Notes a problem, with which the world cannot be read.
    pub fn problem(&mut self, token: Token, path: &str, message: String) {
        let (at, within) = self.place(token);
        self.report.problem(at, path, within + &message);
    }

    /// Notes a warning, once for each place.
    pub fn warning(&mut self, token: Token, path: &str, message: String) {
        // The built-in definitions cause no warnings.
        if token.file == PRESETS {
            return;
        }
        let (at, within) = self.place(token);
        self.report.warning(at, path, within + &message);
    }

    /// Notes a warning about the world as a whole.
    pub fn warning_of_world(&mut self, message: impl Into<String>) {
        self.report.warning(0, "", message);
    }

    /// Whether the world has no problem so far.
    pub fn has_no_problem(&self) -> bool {
        self.report.has_no_problem()
    }

    /// The text of the world and the report.
    pub fn finish(self) -> (String, Report) {
        let text = self.files.into_iter().next().map(|file| file.text).unwrap_or_default();
        (text, self.report)
    }
}
