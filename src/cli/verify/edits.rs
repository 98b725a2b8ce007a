//! Random edits of a scene: agents and objects are moved, added and removed, agents fail, live parameters and the time scale
//! change, and actuators get commands.

use swarmarium_core::agent::failure::Failure;
use swarmarium_core::random::Stream;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::path;
use swarmarium_simulation::edit::{Edit, TakesEffect};
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::arena::Arena;

use super::{random, random_step};

/// The number of edits.
const COUNT: usize = 20;

/// A generator of random edits for a running simulation.
pub struct RandomEdits {
    random: Stream,
    /// The step of each edit, in no order.
    steps: Vec<u64>,
}

impl RandomEdits {
    /// Spreads the edits over the steps of a run.
    pub fn new(scene: &Scene, steps: u64) -> Self {
        let mut random = random(scene, "edits");
        let steps = (0..COUNT).map(|_| 1 + random_step(&mut random, steps.saturating_sub(1))).collect();
        Self { random, steps }
    }

    /// Queues the edits of the next step; invalid edits are dropped.
    pub fn queue(&mut self, simulation: &mut Simulation) {
        let (next, random) = (simulation.steps() + 1, &mut self.random);
        for (number, _) in self.steps.iter().enumerate().filter(|(_, step)| **step == next) {
            let choices = match number % 5 {
                0 => Vec::from_iter(random_move(simulation, random)),
                1 => random_changes(simulation, random),
                2 => Vec::from_iter(random_fault(simulation, random)),
                3 => random_additions_and_removals(simulation, random),
                _ => {
                    let scale = random.between(0.5, 8.0);
                    random_command(simulation, random).into_iter().chain([Edit::TimeScale { scale }]).collect()
                }
            };
            // The first valid edit is queued, and the others are not tried.
            choices.into_iter().any(|edit| simulation.apply(edit).is_ok());
        }
    }
}

fn random_move(simulation: &Simulation, random: &mut Stream) -> Option<Edit> {
    let agents = simulation.count() as u64;
    let agent = simulation.agents().nth(random_step(random, agents.checked_sub(1)?) as usize)?;
    let Arena { corner_m, size_m, .. } = simulation.scene().arena;
    let mut across = |from_m: f64, length_m: f64| from_m + random.between(0.1, 0.9) * length_m;
    let (x_m, y_m) = (across(corner_m.x, size_m.x), across(corner_m.y, size_m.y));
    Some(Edit::Move { agent: agent.id.index(), x_m, y_m, heading_rad: random.between(-3.0, 3.0) })
}

/// A fault of an agent, or the end of one.
fn random_fault(simulation: &Simulation, random: &mut Stream) -> Option<Edit> {
    let Edit::Move { agent, .. } = random_move(simulation, random)? else { return None };
    let failure = Failure::ALL[random_step(random, Failure::ALL.len() as u64 - 1) as usize];
    Some(Edit::Fault { agent, failure, is_active: random.unit() < 0.7 })
}

/// Additions, removals and moves of agents and objects, starting with a random one.
fn random_additions_and_removals(simulation: &Simulation, random: &mut Stream) -> Vec<Edit> {
    let Some(Edit::Move { agent, x_m, y_m, heading_rad }) = random_move(simulation, random) else { return Vec::new() };
    let scene = simulation.scene();
    let group = simulation.agent(agent).and_then(|agent| scene.groups.get(agent.member.group as usize));
    let group = group.map(|group| group.name.clone()).unwrap_or_default();
    let object = random_step(random, (scene.objects.len() as u64).saturating_sub(1)) as u32;
    let edits = [
        Edit::Spawn { group, x_m, y_m, heading_rad },
        Edit::Remove { path: format!("agents.{agent}") },
        Edit::MoveObject { object, x_m, y_m, heading_rad },
        Edit::Remove { path: format!("objects.{object}") },
        Edit::Add { list: "objects".into(), value: format!("Disc(center_m: ({x_m:?}, {y_m:?}), radius_m: 0.1)") },
    ];
    let first = random_step(random, edits.len() as u64 - 1) as usize;
    edits.iter().cycle().skip(first).take(edits.len()).cloned().collect()
}

/// A command for an actuator, as from a client.
fn random_command(simulation: &Simulation, random: &mut Stream) -> Option<Edit> {
    let mut actuators = simulation.components();
    actuators.retain(|component| !simulation.takes(component.id).is_empty());
    let last = (actuators.len() as u64).checked_sub(1)?;
    let actuator = actuators.swap_remove(random_step(random, last) as usize);
    let mut number = || random.between(-2.0, 2.0);
    let fields = simulation.takes(actuator.id).iter().map(|field| (field.name.into(), number().into())).collect();
    Some(Edit::Feed { component: actuator.name, fields })
}

/// New values for a random number that takes effect at once, near the old value.
fn random_changes(simulation: &Simulation, random: &mut Stream) -> Vec<Edit> {
    let numbers: Vec<(String, f64)> = path::leaves(simulation.kinds(), simulation.scene())
        .into_iter()
        .filter(|leaf| TakesEffect::of_path(&leaf.path) == TakesEffect::Live)
        .filter_map(|leaf| Some((leaf.path.clone(), *leaf.value.downcast_ref::<f64>()?)))
        .collect();
    let Some(last) = (numbers.len() as u64).checked_sub(1) else { return Vec::new() };
    let (path, value) = &numbers[random_step(random, last) as usize];
    let nearby = [value * 1.25, value * 0.8, value + 0.1];
    nearby.map(|value| Edit::Set { path: path.clone(), value: format!("{value:?}") }).into()
}
