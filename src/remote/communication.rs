//! The services of `communication`.

use bevy::math::DVec2;
use swarmarium_base::math;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::service::{Parameter, Service, Value};
use swarmarium_core::step::CurrentSpace;
use swarmarium_space::Target;

use super::desk::{Reply, RequestHandler, Supervisory, text};

/// The services of `communication`.
pub const SERVICES: &[Supervisory] = &[Supervisory {
    service: Service {
        name: "distance_and_view",
        parameters: &[Parameter { name: "robot1", default: None }, Parameter { name: "robot2", default: None }],
        sets: None,
        is_task: false,
    },
    does: distance_and_view,
}];

/// The distance of two robots, and whether the first sees the second: whatever is in between hides it, robots too.
fn distance_and_view(desk: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, String> {
    let names = [text("robot1", &arguments[0])?, text("robot2", &arguments[1])?];
    let [(from, here_m, here_z_m), (to, there_m, there_z_m)] = [place(desk, names[0])?, place(desk, names[1])?];
    let space = &desk.simulation().world().resource::<CurrentSpace>().0;
    let way_m = space.arena.offset(here_m, there_m);
    let rise_m = there_z_m - here_z_m;
    let distance_m = math::hypot(math::hypot(way_m.x, way_m.y), rise_m);
    let length_m = math::hypot(way_m.x, way_m.y);
    let sees = length_m == 0.0 || {
        let hit = space.first_hit(here_m, way_m / length_m, length_m, Some(from));
        hit.is_none_or(|hit| hit.target == Target::Body(to))
    };
    Ok(Reply::Now(Value::List(vec![distance_m.into(), sees.into()])))
}

/// The row of a robot, and where it is.
fn place(desk: &RequestHandler, name: &str) -> Result<(usize, DVec2, f64), String> {
    let board = &desk.remote.board;
    // Word for word as MORSE says it, with the blank.
    let unknown = || format!("{name} does not exist in the simulation ");
    let (row, robot) = board.robot(name).ok_or_else(unknown)?;
    let agent = desk.simulation().agent(robot.number).ok_or_else(unknown)?;
    let z_m = agent.component::<Attitude>().map_or(0.0, |attitude| attitude.z_m);
    Ok((row, agent.pose.position_m, z_m))
}
