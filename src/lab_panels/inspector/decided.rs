//! The steps of the displayed readings and command. A command follows from the readings of the step before.

use swarmarium_core::controller::Acting;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_scene::agent_view::AgentView;

/// The steps of the displayed readings and command, as text.
#[derive(Debug, PartialEq)]
pub struct Decided {
    /// The step of the readings, as a short text.
    pub readings: String,
    /// The step of the command, as a short text.
    pub command: String,
    /// A sentence about both.
    pub about: String,
}

impl Decided {
    /// Describes the readings and the command of a robot after the last step.
    pub fn of(lab: &Lab, agent: &AgentView) -> Self {
        let step = lab.run.host.simulation().steps();
        let rate_hz = agent.component::<Acting>().map_or(0.0, |acting| acting.rate_hz);
        let (now, before) = (grouped(step), grouped(step.saturating_sub(1)));
        let none = |about: &str| Self { readings: String::new(), command: String::new(), about: about.into() };
        if step == 0 {
            return Self { command: "not decided yet".into(), ..none("The controller decides in the first step") };
        }
        if agent.is_dead() {
            return Self { command: "dead: no decisions".into(), ..none("A dead robot neither reads nor decides") };
        }
        // Short, so that the numbers are never cut.
        let readings = format!("step {now}");
        if rate_hz > 0.0 {
            let about = format!(
                "The controller decides {rate_hz} times a second. The command is from its last decision, which used \
                 readings of an earlier step than those shown above"
            );
            return Self { readings, command: "from readings older than Sees".into(), about };
        }
        let about = format!(
            "Decided in step {now}, from the readings of step {before}. Sensors read after the robot has moved, so \
             the readings shown above apply to the next decision"
        );
        Self { readings, command: format!("from step {before}, one before Sees"), about }
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Shape;
    use bevy_egui::egui::epaint::ClippedShape;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_testing::{do_steps, lab_of, lab_on, window};

    use super::*;

    fn decided(lab: &Lab) -> Decided {
        Decided::of(lab, &lab.run.host.simulation().agent(0).unwrap())
    }

    #[test]
    fn the_step_of_a_decision_is_named_with_that_of_its_readings() {
        let mut lab = lab_on("milling");
        assert_eq!(decided(&lab).command, "not decided yet");
        do_steps(&mut lab, 41);
        let Decided { readings, command, about } = decided(&lab);
        assert_eq!([readings.as_str(), &command], ["step 41", "from step 40, one before Sees"]);
        assert!(about.starts_with("Decided in step 41, from the readings of step 40."), "{about}");
        lab.select(Some(Item::Agent(0)));
        let (window, _) = window(lab);
        let painted = |shape: &ClippedShape| match &shape.shape {
            Shape::Text(text) if text.galley.text() == command => Some(text.visual_bounding_rect()),
            _ => None,
        };
        let row = window.output().shapes.iter().find_map(painted).expect("the note of the section Does");
        assert!(window.query_all_by_label_contains(", state ").any(|node| node.rect().top() > row.center().y));
    }

    #[test]
    fn a_controller_with_a_rate_of_its_own_decided_earlier() {
        let group = "(name: \"g\", controller: Constant(v_m_per_s: 0.1, rate_hz: 2.0))";
        let mut lab = lab_of(&format!("(groups: [{group}])"));
        do_steps(&mut lab, 3);
        let Decided { command, about, .. } = decided(&lab);
        assert_eq!(command, "from readings older than Sees");
        assert!(about.starts_with("The controller decides 2 times a second."), "{about}");
    }
}
