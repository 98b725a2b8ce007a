//! The services of `communication`.

use bevy::math::DVec2;
use swarmarium_base::math;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::radio::Packet;
use swarmarium_core::service::{Parameter, Service, Value};
use swarmarium_simulation::edit::Edit;
use swarmarium_space::Target;

use super::error::RequestError;
use super::request_handler::{Reply, RequestHandler, SupervisorService, number, text};

/// The services of `communication`.
pub const SERVICES: &[SupervisorService] = &[
    SupervisorService {
        service: Service {
            name: "distance_and_view",
            parameters: &[Parameter { name: "robot1", default: None }, Parameter { name: "robot2", default: None }],
            sets: None,
            is_task: false,
        },
        call: distance_and_view,
    },
    SupervisorService {
        service: Service {
            name: "send_message",
            parameters: &[Parameter { name: "robot", default: None }, Parameter { name: "numbers", default: None }],
            sets: None,
            is_task: false,
        },
        call: send_message,
    },
    SupervisorService {
        service: Service {
            name: "get_messages",
            parameters: &[Parameter { name: "robot", default: None }],
            sets: None,
            is_task: false,
        },
        call: get_messages,
    },
];

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

/// Sends numbers by the radio of a robot, at its next turn.
fn send_message(handler: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    let agent = robot(handler, text("robot", &arguments[0])?)?.1;
    let Value::List(values) = &arguments[1] else {
        return Err(RequestError::WrongType { parameter: "numbers".into(), expected: "a list of numbers" });
    };
    let values = values.iter().map(|value| number("numbers", value)).collect::<Result<_, _>>()?;
    handler.queue_edit(Edit::Message { agents: vec![agent], values })?;
    Reply::done()
}

/// The messages that the radio of a robot keeps: sender, age, numbers, and range and bearing if the radio measures them.
fn get_messages(handler: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    let agent = robot(handler, text("robot", &arguments[0])?)?.1;
    let simulation = handler.simulation();
    let (time, has_positions) = (simulation.time(), simulation.hears_positions(agent));
    let message = |packet: &Packet| {
        let age_s = packet.age_steps(time.step) as f64 * time.dt_s;
        let mut fields = vec![
            ("sender".into(), simulation.robot_name(packet.sender).into()),
            ("age".into(), age_s.into()),
            ("data".into(), Value::numbers(packet.numbers.iter().copied())),
        ];
        if has_positions {
            fields.push(("range".into(), packet.range_m().into()));
            fields.push(("bearing".into(), packet.bearing_rad().into()));
        }
        Value::Map(fields)
    };
    Ok(Reply::Now(Value::List(simulation.heard(agent).iter().map(message).collect())))
}

/// The row and the number of a robot.
fn robot(handler: &RequestHandler, name: &str) -> Result<(usize, u32), RequestError> {
    let found = handler.remote.directory.robot(name).ok_or_else(|| RequestError::UnknownRobot(name.into()));
    found.map(|(row, robot)| (row, robot.number))
}

/// The row of a robot and its position in space: x and y, and z (m).
fn position(handler: &RequestHandler, name: &str) -> Result<(usize, DVec2, f64), RequestError> {
    let (row, number) = robot(handler, name)?;
    let agent = handler.simulation().agent(number).ok_or_else(|| RequestError::UnknownRobot(name.into()))?;
    let z_m = agent.component::<Attitude>().map_or(0.0, |attitude| attitude.z_m);
    Ok((row, agent.pose.position_m, z_m))
}
