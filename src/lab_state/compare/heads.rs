//! The heads of both worlds: what is compared, and from when on.

use swarmarium_scene::scene::constants;
use swarmarium_simulation::simulation::Simulation;

use crate::action::Changed;
use crate::common::selection::parameter_name;
use crate::common::text::grouped;
use crate::compare::Other;
use crate::run::RunState;

/// The content of the head of a world.
#[derive(Clone, Debug)]
pub enum Head {
    /// The letter of a world, and the compared parameters.
    Values(char, Vec<Changed>),
    /// A text.
    Text(String),
}

impl Head {
    /// Returns the text for the present values: `B: Turn, none seen 0.8 rad/s`.
    pub fn text(&self, simulation: &Simulation) -> String {
        match self {
            Self::Values(letter, changed) => format!("{letter}: {}", values(simulation, changed)),
            Self::Text(text) => text.clone(),
        }
    }
}

/// Returns the present values of parameters with their names and units.
fn values(simulation: &Simulation, changed: &[Changed]) -> String {
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    let of = |changed: &Changed| {
        // A parameter of something that is added later has no value yet.
        let value = constants::text_at(kinds, scene, &changed.path).unwrap_or_else(|| "–".into());
        let (name, unit) = parameter_name(simulation, &changed.path);
        format!("{name} {value} {unit}").trim_end().to_owned()
    };
    changed.iter().map(of).collect::<Vec<_>>().join(", ")
}

impl Other {
    /// Returns the heads of A and B.
    pub fn heads(&self, run: &RunState) -> [Head; 2] {
        let Some(branch) = &self.branch else {
            return ['A', 'B'].map(|letter| Head::Values(letter, self.differences.changed.clone()));
        };
        let timeline = run.host.timeline();
        let name = timeline.branch(branch.id).map_or("", |branch| branch.name());
        [('A', timeline.present().name()), ('B', name)].map(|(letter, name)| Head::Text(format!("{letter}: {name}")))
    }

    /// Describes the step from which B differs from A by values: `from step 1,234`.
    pub fn begin_text_short(&self) -> String {
        match self.differences.from {
            Some(step) if step > 0 => format!("from step {}", grouped(step)),
            _ => "from the start".into(),
        }
    }

    /// Describes the moment from which B differs: `from step 1,234 (30.85 s)`.
    pub fn begin_text(&self, run: &RunState) -> String {
        match self.begins_at(&run.host) {
            0 => "from the start".into(),
            step => {
                let time_s = step as f64 * run.host.simulation().time().dt_s;
                format!("from step {} ({time_s:.2} s)", grouped(step))
            }
        }
    }
}
