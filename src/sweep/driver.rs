//! Programs that drive the runs of a sweep, such as controllers in Python.

use swarmarium_base::problem::Problems;
use swarmarium_core::text::wording::{shown, suggestion};
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::simulation::Simulation;

use crate::controllers::{ControllerValue, Controllers, parameter};
use crate::resolved::{Run, Sweep};

/// A program that drives the simulations of runs from outside, such as controllers in Python.
pub trait Driver: Send + Sync {
    /// The names of its controllers, by the groups that they drive.
    fn controllers(&self) -> Controllers;
    /// Begins a run of a scene, with values of parameters of its controllers.
    ///
    /// # Errors
    /// If the run cannot begin, with the reason.
    fn begin(&self, run: Run, scene: &Scene, values: &[ControllerValue]) -> Result<Box<dyn DrivenRun>, String>;
}

/// A run that a [`Driver`] began, with a simulation of its own.
pub trait DrivenRun {
    /// Makes a step.
    ///
    /// # Errors
    /// If the program fails, with its message: the run ends.
    fn step(&mut self) -> Result<(), String>;
    /// Reads the simulation.
    ///
    /// # Errors
    /// If it panicked, with its message.
    fn read(&self, act: &mut dyn FnMut(&Simulation)) -> Result<(), String>;
}

/// Checks that the runs of a sweep can be made. A program drives them from the start of the scene, without other edits.
/// Its controllers are for groups of the scene, and include those of all groups whose controllers have factors. Without a
/// program, there must be no such factors.
///
/// # Errors
/// With the factor or the moment that the program cannot handle.
pub fn check_driver(sweep: &Sweep, driver: Option<&dyn Driver>) -> Result<(), Problems> {
    let refuse = |message: String| Err(Problems::of_file(&sweep.source_name, message));
    let controllers = driver.map(Driver::controllers).unwrap_or_default();
    let groups: Vec<&str> = sweep.scene.groups.iter().map(|group| group.name.as_str()).collect();
    if let Some(group) = controllers.0.keys().find(|group| !groups.contains(&group.as_str())) {
        let message = format!("there is no group `{}`{}", shown(group), suggestion(group, &groups));
        return Err(Problems::of_file("controllers", message));
    }
    for path in sweep.paths() {
        if let Some((group, _)) = parameter(path)
            && !controllers.0.contains_key(group)
        {
            let (path, group) = (shown(path), shown(group));
            return refuse(format!(
                "`{path}` is a parameter of a controller in Python, and the group `{group}` has none: \
                 `swarmarium.sweep(…, controllers={{\"{group}\": …}})` makes the runs of this plan"
            ));
        }
    }
    match driver {
        Some(_) if sweep.begins_later() => {
            refuse("controllers in Python drive runs from their start, and this plan begins later (`begin`)".into())
        }
        Some(_) if !sweep.log.is_empty() => refuse(
            "controllers in Python cannot drive runs that have edits already, such as those of a shared scene".into(),
        ),
        _ => Ok(()),
    }
}
