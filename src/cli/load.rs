//! Loading of scenes by name: files, foreign files, shipped scenes, stdin, with `--seed` and `--set`.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::OnceLock;

use swarmarium_base::files::shown;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::expression::{arithmetic, is_name};
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::metric::MetricFamily;
use swarmarium_formats::load::{
    KnownEnd, Loaded, load_text, load_with, locate_problems, locate_problems_in, missing, override_all,
};
use swarmarium_formats::run_folder::{FolderKind, RunFolder};
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::reader;
use swarmarium_simulation::edit::{LoggedEdit, log};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::Controllers;
use swarmarium_sweep::address::{self, RunOfSweep};

use super::Common;
use super::common::Seconds;
use super::messages::{tell_warning, tell_warnings};
use super::sweep::plan;

/// The name of stdin in messages and manifests. On the command line, it is `-`.
pub const STDIN: &str = "<stdin>";

/// Whether a name stands for the text on stdin.
pub fn is_stdin(file: &str) -> bool {
    file == "-" || file == STDIN
}

/// A name for messages.
pub fn name_of(file: &str) -> &str {
    if is_stdin(file) { STDIN } else { file }
}

/// The text on stdin, which is read once.
///
/// # Errors
/// When it cannot be read, is not text, or is too long.
pub fn stdin_text() -> Result<&'static str, Problems> {
    static TEXT: OnceLock<Result<String, String>> = OnceLock::new();
    let read = || {
        let mut bytes = Vec::new();
        let limit = reader::MAX_BYTES;
        let read = io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("cannot be read: {error}"))?;
        if bytes.len() as u64 > limit {
            return Err(format!("is larger than {} MiB", limit >> 20));
        }
        String::from_utf8(bytes).map_err(|_| "is not text (UTF-8)".to_owned())
    };
    let text = TEXT.get_or_init(read).as_deref().map_err(|error| Problems::of_file(STDIN, error.clone()))?;
    if text.trim().is_empty() {
        let message = "standard input is empty: `-` expects the text of a scene there, such as `(name: \"my scene\")`; \
                       `check` and `sweep` take the text of a plan, too";
        return Err(Problems::of_file("", message));
    }
    Ok(text)
}

/// Adds the places in its file, or in the text on stdin, to problems with a scene.
pub fn locate(file: &str, problems: Problems) -> Problems {
    match stdin_text_of(file) {
        Some(Ok(text)) => locate_problems_in((STDIN, text), problems),
        _ => locate_problems(file, problems),
    }
}

fn stdin_text_of(file: &str) -> Option<Result<&'static str, Problems>> {
    is_stdin(file).then(stdin_text)
}

/// Reads a scene: a file, or a shipped scene when there is no such file; then applies `--seed` and `--set`.
///
/// # Errors
/// All problems of the file, or of the overrides.
pub fn scene(file: &str, common: &Common, recipe: &Recipe) -> Result<Loaded, Problems> {
    scene_driven(file, common, recipe, &Controllers::default())
}

/// As [`scene`], for a program with controllers: those of a sweep, if the file is the address of one of its runs.
///
/// # Errors
/// Also when other controllers drove the runs of the sweep.
pub fn scene_driven(
    file: &str,
    common: &Common,
    recipe: &Recipe,
    controllers: &Controllers,
) -> Result<Loaded, Problems> {
    let of_file = || RunOfSweep { file: file.into(), ..RunOfSweep::default() };
    run_of_sweep(RunOfSweep::find(file, recipe, controllers)?.unwrap_or_else(of_file), common, recipe)
}

/// Reads the scene of a run of a sweep, with its values and edits; then applies `--seed` and `--set`.
///
/// # Errors
/// All problems of the file, or of the overrides.
pub(super) fn run_of_sweep(run: RunOfSweep, common: &Common, recipe: &Recipe) -> Result<Loaded, Problems> {
    let RunOfSweep { file, mut overrides, edits, stop, begin, row } = run;
    overrides.extend(common.overrides());
    let loaded = match stdin_text_of(&file) {
        Some(text) => load_text(recipe.kinds(), (STDIN, text?), &overrides),
        None => load_with(recipe.kinds(), &file, &overrides, &common.import_options()),
    };
    let mut loaded = loaded.map_err(|problems| no_scene(&file, &common.program).unwrap_or(problems))?;
    loaded.edits.extend(edits);
    loaded.begin = begin;
    // With other values, it is another run.
    let row = row.filter(|_| common.overrides().is_empty());
    loaded.known_end = row.map(|row| KnownEnd { steps: row.steps, hash: row.hash });
    loaded.scene.stop = stop.unwrap_or(loaded.scene.stop);
    if !common.quiet {
        warn(name_of(&file), loaded.warnings.clone());
    }
    Ok(loaded)
}

/// The problem of a plan, or of a folder that the program wrote, given as a scene.
fn no_scene(file: &str, program: &str) -> Option<Problems> {
    let path = Path::new(file);
    if let Some(kind) = FolderKind::from_path(path) {
        return Some(Problems::of_file(shown(path), kind.refusal(path)));
    }
    let is_plan = plan::is_plan(file).ok()?;
    let word = if is_stdin(file) { "-".to_owned() } else { shown(file) };
    is_plan.then(|| Problems::of_file(name_of(file), format!("is a plan: `{program} sweep {word}` runs it")))
}

/// Refuses a name of a scene, run, plan or sweep that does not exist.
///
/// # Errors
/// With similar names.
pub fn check_exists(file: &str) -> Result<(), Problems> {
    if is_stdin(file) || address::is_address(Path::new(file)) || plan::is_plan(file)? {
        return Ok(());
    }
    missing(file).map_or(Ok(()), Err)
}

/// The run folder that a file names; `None` for other files, and for an address of a sweep whose folder does not hold the
/// run of its row: the plan of the sweep then gives the run.
///
/// # Errors
/// When a file in it cannot be read, or it is the folder of a batch or a sweep.
pub fn run_folder(file: &str, recipe: &Recipe) -> anyhow::Result<Option<RunFolder>> {
    if is_stdin(file) {
        return Ok(None);
    }
    address::run_folder(Path::new(file), recipe)
}

/// Reads a scene from a text and adapts it with `fit`; then applies `--seed` and `--set`.
///
/// # Errors
/// All problems of the text, or of the overrides.
pub fn text(
    (name, text): (&str, &str),
    fit: impl FnOnce(&mut Scene),
    common: &Common,
    kinds: &Kinds,
) -> Result<Scene, Problems> {
    let mut scene = reader::read(kinds, name, text)?;
    fit(&mut scene);
    override_all(kinds, &mut scene, &common.overrides())?;
    Ok(scene)
}

/// A metric of `--metric`; the brackets of one without parameters can be left out.
///
/// # Errors
/// All problems of its text.
pub fn metric(text: &str, kinds: &Kinds) -> Result<Slot<MetricFamily>, Problems> {
    let brackets = if text.contains('(') { "" } else { "()" };
    reader::read(kinds, "--metric", &format!("{text}{brackets}")).map_err(|mut problems| {
        // The text has one line, which the user has in view.
        problems.problems.iter_mut().for_each(|problem| problem.place = None);
        problems
    })
}

/// The field of scenes and plans that `--until` sets.
const UNTIL: &str = "stop.when";

/// Refuses a condition of `--until` without a metric, and warns of a metric alone, which holds at nearly all values.
///
/// # Errors
/// If the condition is empty or a constant.
pub fn check_condition(until: &str, common: &Common) -> Result<(), Problems> {
    let until = until.trim();
    let is_duration = until.parse::<Seconds>().is_ok();
    if until.is_empty() || matches!(until, "true" | "false") || is_duration || arithmetic(until).is_some() {
        let found = if until.is_empty() { "nothing".to_owned() } else { format!("`{until}`") };
        let hint =
            if is_duration { format!("; --duration {until} ends the run after this time") } else { String::new() };
        let message = format!("expected a condition over metrics, such as 'circliness > 0.9', found {found}{hint}");
        return Err(Problems::of_file("--until", message));
    }
    if !common.quiet && until.split('.').all(is_name) {
        tell_warning(format_args!(
            "--until: `{until}` alone holds at every value other than 0; compare it, as in `{until} > 0.9`"
        ));
    }
    Ok(())
}

/// Problems with the values of flags, under the names of the flags. Problems with `--until`, if it is given, hide all others.
/// Problems with metrics that the scene lacks name the flag that adds the metric.
pub fn of_flags(problems: Problems, has_until: bool) -> Problems {
    let is_of_until = |problem: &&Problem| has_until && problem.path == UNTIL;
    let of_until: Vec<Problem> = problems.problems.iter().filter(is_of_until).cloned().collect();
    let mut problems = match of_until.is_empty() {
        true => problems,
        false => {
            let problems = of_until.into_iter().map(|problem| Problem { place: None, path: String::new(), ..problem });
            Problems { source_name: "--until".into(), problems: problems.collect() }
        }
    };
    for Problem { message, lacks, .. } in &mut problems.problems {
        if let Some(kind) = lacks.filter(|kind| kind.family == MetricFamily::NAME) {
            *message =
                message.replace(": add it to `metrics` of the scene", &format!(": `--metric {}` adds it", kind.name));
        }
    }
    problems
}

/// Prints the warnings about a scene: of an importer, of an exporter, or of groups without enough room.
pub fn warn(file: &str, warnings: Vec<Problem>) {
    if !warnings.is_empty() {
        tell_warnings(&Problems { source_name: file.into(), problems: warnings });
    }
}

/// The warnings of a simulation, such as groups with robots that found no room, with their places in the file.
pub fn located(file: &str, warnings: Vec<Problem>) -> Vec<Problem> {
    locate(file, Problems { source_name: String::new(), problems: warnings }).problems
}

/// Prints the warnings of a simulation, with their places in the file.
pub fn warn_of_simulation(file: &str, warnings: Vec<Problem>) {
    warn(name_of(file), located(file, warnings));
}

/// The problem of a log with an edit that is invalid at its step, with the place of the edit in the file.
pub fn invalid_edit(file: &Path, logged: &LoggedEdit, problem: Problem) -> Problems {
    let place = reader::read_text(file).ok().and_then(|text| log::place_of(&text, logged));
    // The place of the problem is within the text of a value, not within the file.
    let message = Problem { place: None, ..problem }.to_string();
    let problem = Problem { place, ..Problem::of_field(format!("edit of step {}", logged.step), message) };
    Problems { source_name: shown(file), problems: vec![problem] }
}
