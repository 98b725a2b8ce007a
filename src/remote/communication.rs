//! The services of `communication`.

use bevy::math::DVec2;
use swarmarium_base::math;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::service::{Parameter, Service, Value};
use swarmarium_space::Target;

use super::error::RequestError;
use super::request_handler::{Reply, RequestHandler, SupervisorService, text};

/// The services of `communication`.
pub const SERVICES: &[SupervisorService] = &[SupervisorService {
    service: Service {
        name: "distance_and_view",
        parameters: &[Parameter { name: "robot1", default: None }, Parameter { name: "robot2", default: None }],
        sets: None,
        is_task: false,
    },
    call: distance_and_view,
}];

/// The distance of two robots, and whether the first sees the second: objects and robots between them block the view.
fn distance_and_view(handler: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    let names = [text("robot1", &arguments[0])?, text("robot2", &arguments[1])?];
    let [(from, here_m, here_z_m), (to, there_m, there_z_m)] =
        [position(handler, names[0])?, position(handler, names[1])?];
    let space = handler.simulation().space();
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

/// The row of a robot and its position in space: x and y, and z (m).
fn position(handler: &RequestHandler, name: &str) -> Result<(usize, DVec2, f64), RequestError> {
    let unknown = || RequestError::UnknownRobot(name.into());
    let (row, robot) = handler.remote.directory.robot(name).ok_or_else(unknown)?;
    let agent = handler.simulation().agent(robot.number).ok_or_else(unknown)?;
    let z_m = agent.component::<Attitude>().map_or(0.0, |attitude| attitude.z_m);
    Ok((row, agent.pose.position_m, z_m))
}
