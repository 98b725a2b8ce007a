//! Sweeps that begin at a later moment than the start of the scene.

use swarmarium_base::problem::Problems;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::edit::{LoggedEdit, TakesEffect};
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::check::PlanProblems;
use super::factor::parameters;
use crate::plan::{Begin, Folders, Plan};

/// The scene at the moment at which the runs begin, with all edits until then.
///
/// # Errors
/// When the scene cannot be simulated.
pub(super) fn scene(recipe: &Recipe, start: &Scene, begin: &Begin, log: &[LoggedEdit]) -> Result<Scene, Problems> {
    if log.is_empty() || begin.step == 0 {
        return Ok(start.clone());
    }
    let mut simulation = Simulation::with(start, recipe, 1)?;
    advance(&mut simulation, log, begin.step, &|| false)?;
    log.iter().filter(|logged| logged.step > begin.step).try_for_each(|logged| replay(&mut simulation, logged))?;
    Ok(simulation.scene_ahead().clone())
}

/// Steps a simulation to the end of a step, with the edits of a log. Gives whether it was stopped before.
///
/// # Errors
/// When an edit is refused.
pub(crate) fn advance(
    simulation: &mut Simulation,
    log: &[LoggedEdit],
    step: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<bool, Problems> {
    let mut edits = Replay::new(log.to_vec());
    edits.go_on_from(simulation.steps());
    while simulation.steps() < step {
        if is_stopped() {
            return Ok(true);
        }
        edits.due(simulation.steps() + 1).try_for_each(|logged| replay(simulation, &logged))?;
        simulation.step(1);
    }
    Ok(false)
}

fn replay(simulation: &mut Simulation, logged: &LoggedEdit) -> Result<(), Problems> {
    let done = simulation.replay(logged.clone());
    done.map_err(|problem| Problems { source_name: format!("edit of step {}", logged.step), problems: vec![problem] })
}

/// Refuses factors whose values take effect only at a start, and folders of runs, which have no edits.
pub(super) fn check(kinds: &Kinds, scene: &Scene, plan: &Plan, found: &mut PlanProblems) {
    for (index, factor) in plan.factors.iter().enumerate() {
        let linked = factor.linked.iter().enumerate();
        let linked = linked.map(|(link, to)| (format!("factors[{index}].linked[{link}].path"), to.path.as_str()));
        let own = (format!("factors[{index}].path"), factor.path.as_str());
        for (at, path) in std::iter::once(own).chain(linked).filter(|(_, path)| *path != super::SEED) {
            let all = parameters(kinds, scene, path).unwrap_or_default();
            let is_late = |trail: &Vec<_>| TakesEffect::of_path(&constants::by_places(trail)) == TakesEffect::AtReset;
            if all.iter().any(is_late) {
                let message = format!(
                    "`{}` takes effect only at a start: a sweep of it begins at the start of the scene",
                    shown(path)
                );
                found.add(&at, message);
            }
        }
    }
    if plan.keep.folders != Folders::None {
        let message = "runs that begin at a later moment get no folders of their own: open them with \
                       `swarmarium open FOLDER/runs/1-1`";
        found.add("keep.folders", message.into());
    }
}
