//! Edits made up for a scene: agents are moved, live parameters changed, time scales asked for.

use super::{part, random};
use crate::edit::{Edit, LoggedEdit, TakesEffect};
use crate::random::Stream;
use crate::scene::description::Scene;
use crate::scene::path;
use crate::scene::problem::Problems;
use crate::simulation::{Recipe, Simulation};

/// How many edits are made up.
const COUNT: u64 = 12;

/// The given edits and some made up, by step.
///
/// # Errors
/// When the scene cannot be made.
pub fn with_made_up(
    given: &[LoggedEdit],
    scene: &Scene,
    recipe: &Recipe,
    steps: u64,
) -> Result<Vec<LoggedEdit>, Problems> {
    let mut edits = given.to_vec();
    if steps > 0 {
        let mut simulation = Simulation::with(scene, recipe, 1)?;
        let mut random = random(scene, "edits");
        for number in 0..COUNT {
            let edit = match number % 3 {
                0 => a_move(&simulation, scene, &mut random),
                1 => a_change(&mut simulation, scene, recipe, &mut random),
                _ => Some(Edit::TimeScale { scale: random.between(0.5, 8.0) }),
            };
            let step = 1 + part(&mut random, steps - 1);
            edits.extend(edit.map(|edit| LoggedEdit { step, edit }));
        }
    }
    edits.sort_by_key(|logged| logged.step);
    Ok(edits)
}

fn a_move(simulation: &Simulation, scene: &Scene, random: &mut Stream) -> Option<Edit> {
    let agents = simulation.agents().count() as u64;
    let agent = simulation.agents().nth(part(random, agents.checked_sub(1)?) as usize)?;
    let mut across = |length_m: f64| random.between(0.1, 0.9) * length_m;
    let (x_m, y_m) = (across(scene.arena.size_m.x), across(scene.arena.size_m.y));
    Some(Edit::Move { agent: agent.id.index(), x_m, y_m, heading_rad: random.between(-3.0, 3.0) })
}

/// Another value, near the old one, for any number that takes effect at once.
fn a_change(simulation: &mut Simulation, scene: &Scene, recipe: &Recipe, random: &mut Stream) -> Option<Edit> {
    let numbers: Vec<(String, f64)> = path::leaves(recipe.kinds(), scene)
        .into_iter()
        .filter(|leaf| TakesEffect::of_path(&leaf.path) == TakesEffect::Live)
        .filter_map(|leaf| Some((leaf.path.clone(), *leaf.value.downcast_ref::<f64>()?)))
        .collect();
    let (path, value) = numbers.get(part(random, (numbers.len() as u64).checked_sub(1)?) as usize)?;
    let nearby = [value * 1.25, value * 0.8, value + 0.1];
    let edits = nearby.map(|value| Edit::Set { path: path.clone(), value: format!("{value:?}") });
    // The simulation is there to be asked, and is never stepped.
    edits.into_iter().find(|edit| simulation.apply(edit.clone()).is_ok())
}
