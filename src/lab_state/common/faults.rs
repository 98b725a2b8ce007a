//! The failures of robots as the interface names them, and their repair.

use bevy::reflect::Typed as _;
use swarmarium_core::agent::failure::Failure;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::describe;
use swarmarium_simulation::edit::Edit;

/// A failure of a robot.
pub struct Fault {
    /// The failure.
    pub failure: Failure,
    /// The state of a failed robot, as an adjective.
    pub state: &'static str,
    /// The label of the button.
    pub verb: &'static str,
    /// The effect on a robot.
    pub about: String,
}

/// Returns all failures.
pub fn all() -> impl Iterator<Item = Fault> {
    let variants = Failure::type_info().as_enum().map(|info| info.iter()).into_iter().flatten();
    Failure::ALL.into_iter().zip(variants).map(|(failure, variant)| {
        let (state, verb) = match failure {
            Failure::Total => ("Dead", "Kill"),
            Failure::Motors => ("Frozen", "Freeze"),
            Failure::Receiver => ("Deaf", "Deafen"),
            Failure::Sensors => ("Blind", "Blind"),
        };
        Fault { failure, state, verb, about: describe::trim(variant.docs()) }
    })
}

/// The label of the button that repairs a robot.
pub const REPAIR: &str = "Repair";

/// Returns the edits that repair some robots.
pub fn cures<'w>(agents: impl IntoIterator<Item = AgentView<'w>>) -> Vec<Edit> {
    let cures_of = |agent: AgentView<'w>| {
        let wrong = Failure::ALL.into_iter().filter(move |failure| agent.has(*failure));
        wrong.map(move |failure| Edit::Fault { agent: agent.id.index(), failure, is_active: false })
    };
    agents.into_iter().flat_map(cures_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_words_of_its_own() {
        for fault in all() {
            assert!(!fault.about.is_empty(), "{:?}", fault.failure);
            assert_ne!(fault.state, format!("{:?}", fault.failure), "a robot has a state, not a verb");
        }
        assert_eq!(all().next().map(|fault| fault.failure), Some(Failure::Total));
    }
}
