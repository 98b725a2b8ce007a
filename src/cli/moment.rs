//! Moments on the command line: `--at`, `--from` and `--to`.

use std::str::FromStr;

use anyhow::{bail, ensure};
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_formats::load::Override;
use swarmarium_formats::run_folder::{At, AtError};
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::edit::agents::Address;
use swarmarium_simulation::edit::{Edit, LoggedEdit, TakesEffect};

use super::Common;
use super::error::ArgumentError;

/// A moment of a run, or of a scene that is run for it.
#[derive(Clone, Debug, PartialEq)]
pub enum MomentArgument {
    /// A number: a step of a run folder, or seconds of a scene.
    Number(f64),
    /// A time, or a bookmark.
    At(At),
}

impl FromStr for MomentArgument {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(Self::Number(number)),
            Ok(_) => Err(ArgumentError::Moment),
            Err(_) => text.parse().map(Self::At).map_err(|AtError| ArgumentError::Moment),
        }
    }
}

impl MomentArgument {
    /// The start.
    pub const START: Self = Self::Number(0.0);

    /// The moment in a run folder, where a number is a step.
    ///
    /// # Errors
    /// When the number is not whole.
    pub fn of_run(&self, flag: &str) -> anyhow::Result<At> {
        match self {
            Self::Number(number) if number.fract() != 0.0 || *number > 2f64.powi(53) => {
                bail!("{flag} {number}: a run folder has whole steps: {AtError}")
            }
            Self::Number(number) => Ok(At::Step(*number as u64)),
            Self::At(at) => Ok(at.clone()),
        }
    }

    /// The time in a scene in seconds, where a number is one.
    ///
    /// # Errors
    /// When it is a bookmark: scenes have none.
    pub fn seconds(&self, flag: &str) -> anyhow::Result<f64> {
        match self {
            Self::Number(seconds) | Self::At(At::Time(seconds)) => Ok(*seconds),
            Self::At(_) => {
                bail!("{flag}: expected seconds ≥ 0, such as 60, 90s or 2m; only folders of runs have bookmarks")
            }
        }
    }
}

/// The source of the values of `--set` in messages.
const SET: &str = "--set";

/// The log of a run that continues after a step with the values of `--set`: the values are edits of the next step.
///
/// `start` is the scene that the run began with.
///
/// # Errors
/// When a value cannot be an edit, or `--seed` is given: a seed acts from the first step.
pub fn continued(
    common: &Common,
    kinds: &Kinds,
    start: &Scene,
    (step, log): (u64, &[LoggedEdit]),
) -> anyhow::Result<Vec<LoggedEdit>> {
    ensure!(
        common.seed.is_none(),
        "--seed: a run that continues keeps its seed, which acts from the first step; without a moment, the flag makes \
         another run"
    );
    let mut log = log.to_vec();
    let transaction = log.iter().map(|logged| logged.transaction).max().unwrap_or_default() + 1;
    let mut scene = start.clone();
    let until_now = || log.iter().filter(|logged| logged.step <= step.saturating_add(1));
    for logged in until_now() {
        if let Edit::Set { path, value } = &logged.edit {
            // Edits of agents leave the scene as it is; others were valid in the run.
            _ = constants::set(kinds, &mut scene, path, value);
        }
    }
    // Groups and objects that edits add are unknown here: their values are checked when the step comes.
    let is_complete = !until_now().any(|logged| logged.edit.is_of_population());
    let problems: Vec<Problem> =
        common.overrides.iter().filter_map(|one| problem(kinds, &mut scene, one, is_complete)).collect();
    if !problems.is_empty() {
        return Err(Problems { source_name: SET.into(), problems }.into());
    }
    let edit = |Override { path, value }: &Override| LoggedEdit {
        step: step.saturating_add(1),
        edit: Edit::Set { path: path.clone(), value: value.clone() },
        transaction,
    };
    log.extend(common.overrides.iter().map(edit));
    log.sort_by_key(|logged| logged.step);
    Ok(log)
}

/// Drops the edits after the step that follows `step`: a branch that begins there does not have them.
pub fn drop_later_edits(log: &mut Vec<LoggedEdit>, step: u64) {
    log.retain(|logged| logged.step <= step.saturating_add(1));
}

/// The reason why a value of `--set` cannot be an edit.
fn problem(kinds: &Kinds, scene: &mut Scene, one: &Override, is_complete: bool) -> Option<Problem> {
    match Address::of(&one.path) {
        Ok(None) => {}
        Ok(Some(_)) => return None,
        Err(problem) => return Some(problem),
    }
    let path = constants::resolve(kinds, scene, &one.path).unwrap_or_else(|_| one.path.clone());
    match constants::set(kinds, scene, &one.path, &one.value) {
        Err(problem) if is_complete => Some(problem),
        Ok(_) if TakesEffect::of_path(&path) == TakesEffect::AtReset => {
            let message = "takes effect at a start only, and a run that continues has none: leave out the moment";
            Some(Problem::of_field(one.path.clone(), message))
        }
        _ => None,
    }
}

/// The problem of an edit that [`continued`] made, at its step; `None` for edits of a log.
pub fn problem_of_set(sets: &[Override], logged: &LoggedEdit, problem: &Problem) -> Option<Problems> {
    let Edit::Set { path, value } = &logged.edit else { return None };
    let is_set = sets.iter().any(|one| (&one.path, &one.value) == (path, value));
    is_set.then(|| Problems { source_name: SET.into(), problems: vec![problem.clone()] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_step_of_a_run_and_a_time_of_a_scene() {
        let of = |text: &str| text.parse::<MomentArgument>().unwrap();
        assert_eq!(of("20").of_run("--at").unwrap(), At::Step(20));
        assert_eq!(of("20").seconds("--at").unwrap(), 20.0);
        assert_eq!(of("2.5").seconds("--at").unwrap(), 2.5);
        assert_eq!(of("2m").seconds("--at").unwrap(), 120.0);
        assert_eq!(of("2m").of_run("--at").unwrap(), At::Time(120.0));
        assert!(of("2.5").of_run("--at").unwrap_err().to_string().contains("whole steps"));
        assert!(of("the wall").seconds("--from").unwrap_err().to_string().contains("bookmarks"));
        assert!(["", "-1", "nan", "inf"].iter().all(|bad| bad.parse::<MomentArgument>().is_err()));
    }
}
