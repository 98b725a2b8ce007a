//! All importers alike: their samples are read, and whatever else is in a file is read or refused, soon and without a panic.
//!
//! The samples are in `tests/data/importers/EXTENSION/`. `RANDOM_FILES=5000 cargo test --release importers` damages more of
//! them; `RANDOM_IMPORTER=xml` chooses one extension.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use swarmarium_formats::import::extensions;

use crate::hostile::probe::read_back;
use crate::support::choices::{Choices, damaged, mixed, pieces, rounds, try_rounds};
use crate::support::files::copy_folder;
use crate::support::path;

/// The longest time in which a damaged sample is read or refused.
const LIMIT: Duration = Duration::from_secs(10);
/// The longest time in which a large file is read or refused.
const LIMIT_OF_LARGE: Duration = Duration::from_secs(60);
/// The memory that the program may use for a file, in KiB.
const MEMORY_KIB: u32 = 6_000_000;

/// The samples of an extension.
fn samples(extension: &str) -> Vec<PathBuf> {
    let folder = path("tests/data/importers").join(extension);
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let files = files.map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files
}

/// The extensions with samples, or the one that is asked for.
fn chosen() -> Vec<&'static str> {
    let asked = std::env::var("RANDOM_IMPORTER").ok();
    let is_chosen = |extension: &&str| asked.as_deref().is_none_or(|asked| asked == *extension);
    extensions().into_iter().filter(is_chosen).filter(|extension| !samples(extension).is_empty()).collect()
}

#[test]
fn every_importer_has_samples_that_it_reads() {
    let without: Vec<_> = extensions().into_iter().filter(|extension| samples(extension).is_empty()).collect();
    // The other extension of RobotSwarmSimulator worlds.
    assert!(without.iter().all(|extension| *extension == "yml"), "no sample in tests/data/importers: {without:?}");
    for extension in extensions() {
        // Parts of a world are not worlds.
        let read =
            samples(extension).iter().filter(|sample| read_back(&name(sample), &fs::read(sample).unwrap())).count();
        assert!(read > 0 || extension == "yml", "no sample of `.{extension}` is read");
    }
}

fn name(file: &Path) -> String {
    file.to_str().unwrap().to_owned()
}

/// Each round damages one sample of each importer.
#[test]
fn damaged_samples_are_read_or_refused() {
    for extension in chosen() {
        let files = samples(extension);
        let texts: Vec<Vec<String>> =
            files.iter().map(|file| pieces(&String::from_utf8_lossy(&fs::read(file).unwrap()))).collect();
        try_rounds(rounds("RANDOM_FILES", 300), |round| {
            let mut choices = Choices::new(round as u64);
            let place = round % files.len();
            let bytes = match choices.below(4) {
                0 => damaged(&mut choices, &fs::read(&files[place]).unwrap()),
                _ => {
                    let other = choices.below(texts.len());
                    mixed(&mut choices, &texts[place], &texts[other]).into_bytes()
                }
            };
            let start = Instant::now();
            let read = catch_unwind(AssertUnwindSafe(|| read_back(&name(&files[place]), &bytes)));
            let fault = match (read, start.elapsed()) {
                (Ok(_), time) if time < LIMIT => return None,
                (Ok(_), time) => format!("took {time:?}"),
                (Err(_), _) => "panicked".to_owned(),
            };
            Some(format!("{fault}: {}\n{}", name(&files[place]), String::from_utf8_lossy(&bytes)))
        });
    }
}

/// `check` of a file, with a limit on its memory.
fn checked(folder: &Path, file: &str) -> (Output, Duration) {
    let start = Instant::now();
    let mut command = Command::new("sh");
    command.args([
        "-c",
        &format!("ulimit -v {MEMORY_KIB}; exec \"$0\" check \"$1\""),
        env!("CARGO_BIN_EXE_swarmarium"),
        file,
    ]);
    command.current_dir(folder).stdin(Stdio::null()).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    (command.output().unwrap(), start.elapsed())
}

/// Texts that would exhaust the stack, the memory or the time of a careless reader of any format.
fn bombs() -> Vec<(&'static str, String)> {
    let many = 200_000;
    let laughs: String = (1..20).map(|k| format!("<!ENTITY a{k} '&a{};&a{};'>", k - 1, k - 1)).collect();
    let aliases: String = (1..30).map(|k| format!("a{k}: &a{k} [*a{0}, *a{0}, *a{0}, *a{0}]\n", k - 1)).collect();
    vec![
        ("nested [", format!("a = {}", "[".repeat(many))),
        ("nested {", format!("a: {}", "{a: ".repeat(many))),
        ("nested (", format!("a = {}", "(".repeat(many))),
        ("nested -", "- ".repeat(many)),
        ("nested by indents", (0..3000).map(|k| format!("{:k$}a:\n", "")).collect()),
        ("nested elements", "<a>".repeat(many)),
        ("nested braces of Stage", "define a b ( ".repeat(many)),
        ("nested operators", format!("type: RectangularWorld\nsize: !np {}1", "-".repeat(many))),
        ("nested parentheses in an expression", format!("size: !np {}1", "(".repeat(many))),
        ("entities", format!("<!DOCTYPE a [<!ENTITY a0 'ha'>{laughs}]><simulation>&a19;</simulation>")),
        ("aliases", format!("a0: &a0 x\n{aliases}type: RectangularWorld\n")),
        ("a loop of a template", "<% for a in range(1000000000) %>x<% endfor %>".into()),
        ("a number", format!("a = 1{}", "0".repeat(1_000_000))),
        ("an exponent", "a = 1e999999999999\nb = -1e-999999999999".into()),
        ("one line", "x".repeat(15_000_000)),
        ("many lines", "\n".repeat(15_000_000)),
        ("comments", "# x\n<!-- x -->\n".repeat(500_000)),
        ("quotes", "'\"".repeat(1_000_000)),
        ("zero bytes", "\0".repeat(1_000_000)),
        ("marks of UTF-8", "\u{feff}".repeat(100_000)),
        ("entries", format!("component_datastream = {{{}}}", "'a.b': [], ".repeat(300_000))),
        ("agents", format!("type: RectangularWorld\nagents:\n{}", "- {type: Own}\n".repeat(200_000))),
        ("a count", "type: RectangularWorld\nspawners:\n- {type: Own, n: 1000000, agent: {type: MazeAgent}}".into()),
        ("robots", format!("<simulation><app/>{}</simulation>", "<robot type='a'/>".repeat(100_000))),
        (
            "unknown objects",
            format!(
                "<simulation><app/>{}</simulation>",
                "<wall><pose x='0' y='0' theta='0'/><geometry><point x='0' y='0'/><point x='1' y='0'/>\
                 <point x='1' y='1'/></geometry></wall>"
                    .repeat(20_000)
            ),
        ),
        ("keys", format!("image: a.pgm\n{}", "key: 1\n".repeat(many))),
        ("a list", format!("a [{}]", "1 ".repeat(many))),
        (
            "robots of ARGoS",
            format!(
                "<argos-configuration><framework/><arena size='9,9,1'>{}</arena></argos-configuration>",
                "<distribute><position method='uniform' min='0,0,0' max='1,1,0'/><orientation method='constant' \
                 values='0,0,0'/><entity quantity='4000000000'><foot-bot id='f'><controller config='c'/></foot-bot>\
                 </entity></distribute>"
                    .repeat(11_000)
            ),
        ),
        ("a huge image", "P5\n1000000 1000000\n255\nx".into()),
        ("the file itself", "type: RectangularWorld\nagents: [!include F]\n".into()),
        ("the file itself in Stage", "include \"F\"\n".into()),
    ]
}

#[test]
fn bombs_are_refused_soon_by_every_importer() {
    let folder = tempfile::tempdir().unwrap();
    let (chosen, bombs) = (chosen(), bombs());
    try_rounds(chosen.len() * bombs.len(), |round| {
        let (extension, (about, text)) = (chosen[round / bombs.len()], &bombs[round % bombs.len()]);
        let file = format!("{round}.{extension}");
        let text = if about.starts_with("the file itself") { text.replace('F', &file) } else { text.clone() };
        fs::write(folder.path().join(&file), text).unwrap();
        let (output, time) = checked(folder.path(), &file);
        let told = String::from_utf8_lossy(&output.stderr);
        let is_fine =
            matches!(output.status.code(), Some(0 | 2)) && !told.contains("panicked") && time < LIMIT_OF_LARGE;
        let begin: String = told.chars().take(500).collect();
        (!is_fine).then(|| format!("{about} in `.{extension}`: {} after {time:?}: {begin}", output.status))
    });
}

/// Samples of one importer under the extension of another.
#[test]
fn samples_under_other_extensions_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for extension in extensions() {
        for other in chosen() {
            copy_folder(&path("tests/data/importers").join(other), folder.path());
            for sample in samples(other) {
                let file = folder.path().join(sample.file_name().unwrap()).with_extension(extension);
                read_back(&name(&file), &fs::read(sample).unwrap());
            }
        }
    }
}
