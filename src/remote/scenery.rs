//! Robots and objects with positions in space, by name, as clients of MORSE know them.

use std::collections::HashSet;

use bevy::math::DVec2;
use swarmarium_base::math::sin_cos;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::service::{Fields, Value};
use swarmarium_simulation::edit::Edit;

use super::error::RequestError;
use super::request_handler::{Reply, RequestHandler, text, three_numbers};

/// All robots and all named objects: each with its children (none), position and orientation.
pub fn all(handler: &RequestHandler) -> Value {
    let simulation = handler.simulation();
    let mut all = Fields::new();
    for robot in &handler.remote.directory.robots {
        let Some(agent) = simulation.agent(robot.number) else { continue };
        let z_m = agent.component::<Attitude>().map_or(0.0, |attitude| attitude.z_m);
        all.push((robot.name.clone(), place(agent.pose.position_m, z_m, agent.pose.heading_rad)));
    }
    let mut names: HashSet<String> = all.iter().map(|(name, _)| name.clone()).collect();
    for thing in &simulation.space().things {
        if !thing.name.is_empty() && names.insert(thing.name.clone()) {
            all.push((thing.name.clone(), place(thing.position, 0.0, 0.0)));
        }
    }
    Value::Map(all)
}

fn place(at_m: DVec2, z_m: f64, heading_rad: f64) -> Value {
    let (sin, cos) = sin_cos(heading_rad / 2.0);
    let children = Value::Map(Fields::new());
    Value::List(vec![children, Value::numbers([at_m.x, at_m.y, z_m]), Value::numbers([0.0, 0.0, sin, cos])])
}

/// Checks that a robot or an object has a name.
fn check_name(handler: &RequestHandler, name: &str) -> Result<(), RequestError> {
    let things = &handler.simulation().space().things;
    if handler.remote.directory.robot(name).is_some() || things.iter().any(|thing| thing.name == name) {
        return Ok(());
    }
    let robots = handler.remote.directory.robots.iter().map(|robot| robot.name.as_str());
    let hint = did_you_mean(name, things.iter().map(|thing| thing.name.as_str()).chain(robots));
    Err(RequestError::UnknownObject { name: name.into(), hint })
}

/// Answers with the second argument, as MORSE does. The plane has neither visibility nor dynamics of single objects.
pub fn echo(handler: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    check_name(handler, text("object_name", &arguments[0])?)?;
    Ok(Reply::Now(arguments[1].clone()))
}

/// Moves a robot.
pub fn set_position(handler: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    let name = text("object_name", &arguments[0])?;
    check_name(handler, name)?;
    let [x_m, y_m, _] = three_numbers("position", &arguments[1])?;
    let Some((_, robot)) = handler.remote.directory.robot(name) else {
        return Err(RequestError::Immovable(name.into()));
    };
    let agent = robot.number;
    let before = handler.simulation().agent(agent).map_or(0.0, |agent| agent.pose.heading_rad);
    // The order is roll, pitch, yaw.
    let heading_rad =
        arguments.get(2).map_or(Ok(before), |angles| three_numbers("orientation", angles).map(|[_, _, yaw]| yaw))?;
    handler.queue_edit(Edit::Move { agent, x_m, y_m, heading_rad })?;
    Reply::done()
}

/// The matrix of the camera, which does not exist.
pub fn unit_matrix() -> Value {
    let row = |row: usize| Value::numbers((0..4).map(|column| if row == column { 1.0 } else { 0.0 }));
    Value::List((0..4).map(row).collect())
}
