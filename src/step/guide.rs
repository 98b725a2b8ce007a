//! Agents that are put where somebody else had them: another simulation, of which there is a trace, or the world, where
//! cameras tracked real robots.

use bevy::prelude::*;

use super::{Agents, CurrentSpace, caches};
use crate::agent::{Displacement, Pose};
use crate::id::StableId;
use crate::sensor::{Reading, Sensors};

/// Where an agent was, and what its sensors read there.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The number of the agent, as in its stable id.
    pub agent: u32,
    /// Where it was.
    pub pose: Pose,
    /// The numbers that its sensors read, by slot.
    pub readings: Vec<f64>,
}

/// Where agents are put in a step, after they have acted.
#[derive(Resource)]
pub(crate) struct Guide {
    placed: Vec<Placed>,
    /// Whether they were: no when one of them, with this number, is not there.
    pub obeyed: Result<(), u32>,
}

impl Guide {
    pub fn new(placed: Vec<Placed>) -> Self {
        Self { placed, obeyed: Ok(()) }
    }
}

/// Puts agents where the guide says.
pub(super) fn obey(world: &mut World) {
    let placed = std::mem::take(&mut world.resource_mut::<Guide>().placed);
    world.resource_mut::<Guide>().obeyed = place(world, &placed);
}

/// Puts agents somewhere; those who are there already are left alone.
pub(crate) fn place(world: &mut World, all: &[Placed]) -> Result<(), u32> {
    let entities = all.iter().map(|placed| find(world, placed.agent).ok_or(placed.agent));
    let entities = entities.collect::<Result<Vec<Entity>, u32>>()?;
    let mut has_moved = false;
    for (agent, Placed { pose, readings, .. }) in entities.into_iter().zip(all) {
        overwrite_readings(world, agent, readings);
        let arena = world.resource::<CurrentSpace>().arena;
        let mut agent = world.entity_mut(agent);
        if let Ok((mut at, mut moved)) = agent.get_components_mut::<(&mut Pose, &mut Displacement)>()
            && *at != *pose
        {
            let before = at.position_m - moved.0;
            // The short way, so that whoever left on one side and entered on the other is not seen in between.
            moved.0 = arena.offset(before, pose.position_m);
            *at = *pose;
            has_moved = true;
        }
    }
    if has_moved {
        caches::rebuild(world);
    }
    Ok(())
}

fn find(world: &World, number: u32) -> Option<Entity> {
    let id = |agent: &Entity| world.get::<StableId>(*agent).copied();
    let agents = &world.resource::<Agents>().0;
    let row = agents.binary_search_by_key(&Some(StableId::agent(number)), id).ok()?;
    Some(agents[row])
}

/// Gives an agent's sensors what they read, as far as numbers go.
fn overwrite_readings(world: &mut World, agent: Entity, readings: &[f64]) {
    let sensors = world.get::<Sensors>(agent).map(|sensors| sensors.slots().to_vec()).unwrap_or_default();
    let mut rest = readings.iter();
    for sensor in sensors {
        if let Some(mut reading) = world.get_mut::<Reading>(sensor) {
            reading.values.iter_mut().zip(&mut rest).for_each(|(value, read)| *value = *read);
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::draw::View;
    use crate::picture::{Layer, Shape};
    use crate::scene::reader;
    use crate::simulation::{Recipe, Simulation};

    fn tracked(step: u64) -> Vec<Placed> {
        let pose = Pose { position_m: DVec2::new(1.0 + 0.1 * step as f64, 2.0), heading_rad: 0.0 };
        vec![Placed { agent: 0, pose, readings: Vec::new() }]
    }

    #[test]
    fn trails_and_metrics_see_agents_where_they_were_put() {
        let text = r#"(time: (dt_s: 0.1), metrics: [AverageSpeed()], groups: [
            (name: "one", at: [(1.0, 2.0, 0.0)], look: (trail_s: 2.0)),
        ])"#;
        let scene = reader::read(Recipe::standard().kinds(), "test", text).unwrap();
        let mut simulation = Simulation::new(&scene).unwrap();
        for step in 1..=20 {
            simulation.step_along(tracked(step)).unwrap();
        }
        assert!((simulation.metrics()[0] - 1.0).abs() < 1e-9);
        let mut view = View::fit(&scene, DVec2::splat(500.0));
        view.overlays.trails = true;
        let picture = simulation.picture(&view);
        let trail = picture.items.iter().filter(|item| item.layer == Layer::Trails);
        let points = trail.map(|item| if let Shape::Line { points, .. } = &item.shape { points.len() } else { 0 });
        assert!(points.sum::<usize>() >= 20);
        assert_eq!(simulation.step_along(vec![Placed { agent: 7, ..tracked(1).remove(0) }]), Err(7));
    }
}
