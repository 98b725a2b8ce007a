//! The interface of the library: the names of `src/api.rs` with their signatures, as `docs/reference/public-api.txt` has
//! them. `UPDATE_BOOK=1` writes the file again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The largest number of names: those that programs need, besides one for each kind that scenes in code set.
const MOST_NAMES: usize = 450;

/// A name of the interface, and the item behind it.
struct Export {
    /// The path for users, without the name of the library: `sensor::BinaryFov`.
    path: String,
    /// The path of the item in its crate: `swarmarium_kinds::sensor::binary_fov::BinaryFov`.
    item: String,
}

/// The declaration of an item, as the format of the code has it: one line for each part.
struct Item {
    /// The crate of the item, and its file.
    crate_name: String,
    file: PathBuf,
    /// The comments above it.
    docs: String,
    /// The declaration with its public fields or its variants, or the methods of a trait.
    declaration: Vec<String>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The paths of a `use` declaration, each with the name that it gets.
fn used(declaration: &str) -> Vec<(String, String)> {
    let (base, names) = match declaration.split_once('{') {
        Some((base, names)) => (base, names.trim_end_matches('}')),
        None => declaration.rsplit_once("::").map(|(base, name)| (&declaration[..base.len() + 2], name)).unwrap(),
    };
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "*");
    names
        .map(|name| {
            let (name, given) = name.split_once(" as ").unwrap_or((name, name));
            // A trait without a name is known by that of its item.
            let given = if given == "_" { name } else { given };
            let item = if name == "self" { base.trim_end_matches("::").to_owned() } else { format!("{base}{name}") };
            (item, given.to_owned())
        })
        .collect()
}

/// The lines of a text, with those of a declaration that goes on over several lines joined, up to its end.
fn whole(lines: &[&str], is_end: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for line in lines {
        let line = line.trim();
        if !text.is_empty() && !text.ends_with(['(', '<']) && !line.starts_with([')', '>', '.']) {
            text.push(' ');
        }
        text.push_str(line);
        if is_end(line) {
            break;
        }
    }
    text.replace(",)", ")").replace(", )", ")")
}

/// The names that a file with modules exports, below a path.
fn exports(text: &str) -> Vec<Export> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut modules, mut all): (Vec<&str>, Vec<Export>) = (Vec::new(), Vec::new());
    for (place, line) in lines.iter().enumerate() {
        let line = line.trim();
        if let Some(module) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(" {")) {
            modules.push(module);
        } else if line == "}" {
            modules.pop();
        } else if let Some(first) = line.strip_prefix("pub use ") {
            let rest: Vec<&str> = std::iter::once(first).chain(lines[place + 1..].iter().copied()).collect();
            let declaration = whole(&rest, |line| line.ends_with(';'));
            for (item, name) in used(declaration.trim_end_matches(';')) {
                let path = modules.iter().copied().chain([name.as_str()]).collect::<Vec<_>>().join("::");
                all.push(Export { path, item });
            }
        }
    }
    all
}

/// The file of a module, by the segments of its path.
fn file_of(segments: &[&str]) -> Option<PathBuf> {
    if *segments == ["swarmarium", "cli"] {
        return Some(root().join(COMMAND_LINE));
    }
    let folder = root().join("src").join(segments.first()?.strip_prefix("swarmarium_")?);
    let path = match &segments[1..] {
        [] => folder.join("lib.rs"),
        modules => folder.join(modules.join("/")).with_extension("rs"),
    };
    path.exists().then_some(path)
}

const KEYWORDS: [&str; 7] = ["struct", "enum", "trait", "fn", "const", "static", "type"];

/// Whether a line declares a public item with a name.
fn declares(line: &str, name: &str) -> bool {
    let Some(rest) = line.strip_prefix("pub ") else { return false };
    let rest = rest.strip_prefix("const fn ").map(|rest| format!("fn {rest}")).unwrap_or_else(|| rest.to_owned());
    let Some((keyword, rest)) = rest.split_once(' ') else { return false };
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    KEYWORDS.contains(&keyword) && &rest[..end] == name
}

/// The item at a path; re-exports are followed.
fn find(path: &str) -> Item {
    let segments: Vec<&str> = path.split("::").collect();
    let (name, module) = segments.split_last().unwrap();
    let file = file_of(module).unwrap_or_else(|| panic!("there is no module for {path}"));
    let text = read(&file);
    let lines: Vec<&str> = text.lines().collect();
    let kind = format!("    {name} {{");
    let is_kind = |line: &str| line.strip_prefix(&kind).is_some_and(|rest| rest.is_empty() || rest == "}");
    for (place, line) in lines.iter().enumerate() {
        let is_attribute = place > 0 && lines[place - 1] == "#[proc_macro_attribute]" && declares(line, name);
        if is_attribute {
            let declaration = vec![format!("attribute #[{name}]")];
            return Item { file, declaration, ..item_at(&lines, place, segments[0], false) };
        }
        let is_metric = is_kind(line) && lines[..place].iter().rev().any(|line| *line == "metric_kind! {");
        if declares(line, name) || is_metric {
            return Item { file, ..item_at(&lines, place, segments[0], is_metric) };
        }
    }
    for (place, line) in lines.iter().enumerate() {
        let Some(first) = line.strip_prefix("pub use ") else { continue };
        let rest: Vec<&str> = std::iter::once(first).chain(lines[place + 1..].iter().copied()).collect();
        let declaration = whole(&rest, |line| line.ends_with(';'));
        let found = used(declaration.trim_end_matches(';')).into_iter().find(|(_, given)| given == name);
        let Some((item, _)) = found else { continue };
        let item = item.strip_prefix("self::").unwrap_or(&item).to_owned();
        return match item.strip_prefix("crate::") {
            Some(rest) => find(&format!("{}::{rest}", segments[0])),
            None if item.starts_with("swarmarium_") => find(&item),
            None => find(&format!("{}::{item}", module.join("::"))),
        };
    }
    panic!("there is no item at {path}");
}

/// Whether the item below these lines is hidden.
fn is_hidden(above: &[&str]) -> bool {
    let mut attributes = above.iter().rev().map(|line| line.trim()).take_while(|line| line.starts_with(['#', '/']));
    attributes.any(|line| line == "#[doc(hidden)]")
}

/// The declaration of a function without its body, or that of a field or constant without its value.
fn without_body(text: &str) -> &str {
    let text = if text.contains("fn ") { text } else { text.split(" = ").next().unwrap() };
    text.trim_end_matches("{}").trim_end_matches([' ', ',', ';', '{'])
}

/// The item whose declaration begins at a line.
fn item_at(lines: &[&str], place: usize, crate_name: &str, is_metric: bool) -> Item {
    let above = lines[..place].iter().rev().map(|line| line.trim());
    let above = above.take_while(|line| line.starts_with("///") || line.starts_with("#[") || line.ends_with(")]"));
    let docs: Vec<&str> = above.collect();
    let docs = docs.into_iter().rev().collect::<Vec<_>>().join("\n");
    let indent = if is_metric { "    " } else { "" };
    let mut declaration = Vec::new();
    let attributes = docs.lines().filter(|line| *line == "#[non_exhaustive]").map(str::to_owned);
    declaration.extend(attributes);
    let head = whole(&lines[place..], |line| line.ends_with(['{', ';', '}']));
    let head = if is_metric { format!("pub struct {head}") } else { head };
    let is_struct = head.starts_with("pub struct");
    let is_block = head.ends_with('{') && !head.contains("fn ");
    let is_value = head.starts_with("pub static") || head.starts_with("pub const ") && !head.contains("fn ");
    let head = if is_value { head.split(" = ").next().unwrap().to_owned() } else { head };
    declaration.push(head.trim_end_matches([' ', '{', ';']).to_owned());
    if is_block {
        let end = format!("{indent}}}");
        let body: Vec<&str> = lines[place + 1..].iter().take_while(|line| **line != end).copied().collect();
        let inner = format!("{indent}    ");
        for (place, line) in body.iter().enumerate() {
            let Some(part) = line.strip_prefix(&inner).filter(|part| !part.starts_with([' ', '}', ')', '/', '#']))
            else {
                continue;
            };
            if is_hidden(&body[..place])
                || is_struct && !is_metric && !part.starts_with("pub ")
                || part.starts_with("pub(")
            {
                continue;
            }
            let is_variant = !is_struct && part.ends_with('{') && !part.contains("fn ");
            let text = if is_variant {
                let fields: Vec<&str> =
                    body[place + 1..].iter().map(|line| line.trim()).take_while(|line| *line != "},").collect();
                let fields =
                    fields.into_iter().filter(|line| !line.starts_with(['/', '#'])).collect::<Vec<_>>().join(" ");
                format!("{part} {} }}", fields.trim_end_matches(','))
            } else {
                let is_function = part.contains("fn ");
                whole(&body[place..], |line| line.ends_with([';', '{', '}']) || !is_function && line.ends_with(','))
            };
            let text = without_body(&text);
            declaration.push(format!("    {text}"));
        }
    }
    Item { crate_name: crate_name.to_owned(), file: PathBuf::new(), docs, declaration }
}

/// The methods of the types of a crate.
#[derive(Default)]
struct Methods {
    /// By the name of the type: each method with its file.
    of_types: BTreeMap<String, BTreeSet<(String, PathBuf)>>,
    /// The files that declare a type with a name.
    files: BTreeMap<String, BTreeSet<PathBuf>>,
}

impl Methods {
    /// The methods of a type. Where several types of the crate have its name, those in its file and in files of modules
    /// below it that declare no type with this name.
    fn of(&self, name: &str, file: &Path) -> impl Iterator<Item = &String> {
        let files = self.files.get(name).filter(|files| files.len() > 1);
        let below = file.with_extension("");
        let is_its_own = move |place: &PathBuf| {
            files.is_none_or(|files| place == file || place.starts_with(&below) && !files.contains(place))
        };
        let all = self.of_types.get(name).into_iter().flatten();
        all.filter(move |(_, place)| is_its_own(place)).map(|(method, _)| method)
    }
}

/// The public methods and constants of the types of a crate.
fn methods(crate_name: &str) -> Methods {
    let mut all = Methods::default();
    // The facade has only the items of the command line, in one file.
    let start = match crate_name.strip_prefix("swarmarium_") {
        Some(folder) => root().join("src").join(folder),
        None => return all,
    };
    let mut folders = vec![start];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let text = read(&path);
            let lines: Vec<&str> = text.lines().collect();
            let mut of: Option<String> = None;
            for (place, line) in lines.iter().enumerate() {
                for keyword in [
                    "pub struct ",
                    "pub enum ",
                    "pub(crate) struct ",
                    "pub(crate) enum ",
                    "pub(super) struct ",
                    "pub(super) enum ",
                    "struct ",
                    "enum ",
                ] {
                    let Some(rest) = line.strip_prefix(keyword) else { continue };
                    let name = words(rest).next().unwrap_or_default().to_owned();
                    all.files.entry(name).or_default().insert(path.clone());
                }
                if line.starts_with("impl") {
                    let head = whole(&lines[place..], |line| line.ends_with('{') || line.ends_with("{}"));
                    of = if head.contains(" for ") { None } else { type_of(&head) };
                } else if *line == "}" {
                    of = None;
                }
                let (Some(of), Some(part)) = (&of, line.strip_prefix("    pub ")) else { continue };
                if is_hidden(&lines[..place]) || !(part.starts_with("fn ") || part.starts_with("const ")) {
                    continue;
                }
                let text = whole(&lines[place..], |line| line.ends_with(['{', ';', '}']));
                let text = without_body(&text);
                all.of_types.entry(of.clone()).or_default().insert((format!("    {text}"), path.clone()));
            }
        }
    }
    all
}

/// The name of the type of `impl<'a> Type<'a> {`.
fn type_of(head: &str) -> Option<String> {
    let mut rest = head.strip_prefix("impl")?;
    if rest.starts_with('<') {
        let mut depth = 0;
        let end = rest.char_indices().find(|(place, letter)| {
            depth += match letter {
                '<' => 1,
                '>' if !rest[..*place].ends_with('-') => -1,
                _ => 0,
            };
            depth == 0
        })?;
        rest = &rest[end.0 + 1..];
    }
    let name: String =
        rest.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    Some(name)
}

/// The file of the command line, a public module beside those of `src/api.rs`.
const COMMAND_LINE: &str = "src/cli.rs";

/// The public items of the command line, without hidden ones.
fn of_command_line() -> Vec<Export> {
    let text = read(&root().join(COMMAND_LINE));
    let lines: Vec<&str> = text.lines().collect();
    let names = lines.iter().enumerate().filter_map(|(place, line)| {
        let (keyword, rest) = line.strip_prefix("pub ")?.split_once(' ')?;
        let is_item = KEYWORDS.contains(&keyword) && !is_hidden(&lines[..place]);
        words(rest).next().filter(|_| is_item)
    });
    names.map(|name| Export { path: format!("cli::{name}"), item: format!("swarmarium::cli::{name}") }).collect()
}

fn all_exports() -> Vec<Export> {
    let facade = read(&root().join("src/api.rs"));
    let mut all = exports(&facade);
    all.extend(of_command_line());
    all.sort_by(|one, other| one.path.cmp(&other.path));
    all
}

#[test]
fn public_api_is_the_recorded_one() {
    let mut text = String::from(
        "The interface of the library: every name with its declaration, public fields and methods. `UPDATE_BOOK=1 cargo\n\
         test --release public_api` writes this file again. Traits that types implement are in the documentation.\n",
    );
    let mut known: BTreeMap<String, Methods> = BTreeMap::new();
    for Export { path, item } in all_exports() {
        write!(text, "\nswarmarium::{path}\n").unwrap();
        let Item { crate_name, file, declaration, .. } = find(&item);
        let name = item.rsplit("::").next().unwrap();
        let is_type =
            ["pub struct", "pub enum"].iter().any(|start| declaration.iter().any(|line| line.starts_with(start)));
        let of_crate = known.entry(crate_name.clone()).or_insert_with(|| methods(&crate_name));
        for line in declaration.iter().chain(of_crate.of(name, &file).filter(|_| is_type)) {
            writeln!(text, "  {}", line.strip_prefix("pub ").unwrap_or(line).replace("    pub ", "    ")).unwrap();
        }
    }
    let file = root().join("docs/reference/public-api.txt");
    if env::var_os("UPDATE_BOOK").is_some() {
        fs::write(&file, &text).unwrap();
    }
    let recorded = fs::read_to_string(&file).unwrap_or_default();
    let line = recorded.lines().zip(text.lines()).position(|(old, new)| old != new).unwrap_or(0);
    assert!(
        recorded == text,
        "the interface differs from docs/reference/public-api.txt from line {} on: write it again with UPDATE_BOOK=1, and \
         say in CHANGELOG.md what users must change",
        line + 1
    );
}

#[test]
fn prelude_has_only_public_names() {
    let all = all_exports();
    let known: BTreeSet<&str> = all.iter().filter_map(|export| export.path.rsplit("::").next()).collect();
    let preludes = ["src/simulation/lib.rs", "src/lib.rs"].map(|file| exports(&read(&root().join(file))));
    let own = preludes.into_iter().flatten().filter(|export| !export.item.starts_with("bevy::"));
    let names = own.filter_map(|export| export.path.strip_prefix("prelude::").map(str::to_owned));
    let missing: Vec<String> = names.filter(|name| !known.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "the prelude has names that src/api.rs lacks: {missing:?}");
}

#[test]
fn public_api_has_few_names() {
    let names = all_exports().len();
    assert!(names <= MOST_NAMES, "{names} names");
}

/// The blocks of code of a page, or of the comments of a source file.
fn blocks<'t>(lines: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    let (mut is_inside, mut is_code) = (false, false);
    lines.filter(move |line| {
        let Some(language) = line.trim_start().strip_prefix("```") else { return is_code };
        is_inside = !is_inside;
        is_code = is_inside && !["math", "text", "toml"].contains(&language);
        false
    })
}

/// Texts with examples: the programs and scenes of the book and of comments, the scenes that come with the program, and the
/// examples.
fn examples() -> String {
    let mut all: Vec<String> = Vec::new();
    let mut folders = ["docs", "scenes", "src"].map(|folder| root().join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_source = path.starts_with(root().join("src"));
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("md") => all.extend(blocks(read(&path).lines()).map(str::to_owned)),
                Some("rs") if is_source => {
                    let text = read(&path);
                    let comments = text.lines().filter_map(|line| {
                        let line = line.trim_start();
                        line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim_start)
                    });
                    all.extend(blocks(comments).map(str::to_owned));
                }
                Some("rs" | "ron") => all.push(read(&path)),
                _ => {}
            }
        }
    }
    all.join("\n")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

#[test]
fn each_public_name_is_in_an_example() {
    let examples = examples();
    let mut used: BTreeSet<&str> = words(&examples).collect();
    let mut items = Vec::new();
    for Export { path, item } in all_exports() {
        items.push((path, item.rsplit("::").next().unwrap().to_owned(), find(&item)));
    }
    let mut known: BTreeMap<String, Methods> = BTreeMap::new();
    for (_, _, item) in &items {
        known.entry(item.crate_name.clone()).or_insert_with(|| methods(&item.crate_name));
    }
    let called: BTreeSet<&str> = words(&examples).collect();
    let method = |line: &str| line.split("fn ").nth(1).and_then(|rest| words(rest).next().map(str::to_owned));
    let is_called = |line: &str| method(line).is_some_and(|method| called.contains(method.as_str()));
    // A trait of which an example calls a method is used there. So is what an item in an example has or returns.
    let mut is_used: Vec<bool> = (items.iter())
        .map(|(_, name, Item { docs, declaration, .. })| {
            let is_trait = declaration.iter().any(|line| line.starts_with("pub trait"));
            let is_called = is_trait && declaration.iter().any(|line| is_called(line));
            used.contains(name.as_str()) || docs.contains("```") || is_called
        })
        .collect();
    loop {
        let before = is_used.iter().filter(|used| **used).count();
        for ((_, name, item), _) in items.iter().zip(&is_used).filter(|(_, used)| **used) {
            let of_type = known[&item.crate_name].of(name, &item.file);
            let lines = item.declaration.iter().chain(of_type.filter(|line| is_called(line)));
            used.extend(lines.flat_map(|line| words(line)));
        }
        for ((_, name, _), is_used) in items.iter().zip(&mut is_used) {
            *is_used |= used.contains(name.as_str());
        }
        if is_used.iter().filter(|used| **used).count() == before {
            break;
        }
    }
    let without: Vec<&str> =
        items.iter().zip(&is_used).filter(|(_, used)| !**used).map(|((path, ..), _)| path.as_str()).collect();
    assert!(without.is_empty(), "{} of {} names are in no example: {without:?}", without.len(), items.len());
}
