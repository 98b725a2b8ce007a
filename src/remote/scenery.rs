//! Robots and objects as MORSE's clients know them: with places in space, by name.

use std::collections::HashSet;

use bevy::math::DVec2;
use swarmarium_base::math::sin_cos;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::edit::Edit;
use swarmarium_core::service::{Fields, Value};
use swarmarium_core::step::CurrentSpace;

use super::desk::{Reply, RequestHandler, text, three};

/// All robots and all objects that have a name: each with what belongs to it (nothing, here), position and orientation.
pub fn all(desk: &RequestHandler) -> Value {
    let simulation = desk.simulation();
    let mut all = Fields::new();
    for robot in &desk.remote.board.robots {
        let Some(agent) = simulation.agent(robot.number) else { continue };
        let z_m = agent.component::<Attitude>().map_or(0.0, |attitude| attitude.z_m);
        all.push((robot.name.clone(), place(agent.pose.position_m, z_m, agent.pose.heading_rad)));
    }
    let mut names: HashSet<String> = all.iter().map(|(name, _)| name.clone()).collect();
    for thing in &simulation.world().resource::<CurrentSpace>().things {
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

/// Whether there is a robot or an object with a name.
fn check(desk: &RequestHandler, name: &str) -> Result<(), String> {
    let things = &desk.simulation().world().resource::<CurrentSpace>().things;
    if desk.remote.board.robot(name).is_some() || things.iter().any(|thing| thing.name == name) {
        return Ok(());
    }
    let robots = desk.remote.board.robots.iter().map(|robot| robot.name.as_str());
    let near = did_you_mean(name, things.iter().map(|thing| thing.name.as_str()).chain(robots));
    Err(format!("Object '{name}' does not appear in the scene.{near}"))
}

/// Answers with what was asked for, as MORSE does; in a plane there is nothing else to do.
pub fn echo(desk: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, String> {
    check(desk, text("object_name", &arguments[0])?)?;
    Ok(Reply::Now(arguments[1].clone()))
}

/// Puts a robot somewhere else.
pub fn put(desk: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, String> {
    let name = text("object_name", &arguments[0])?;
    check(desk, name)?;
    let [x_m, y_m, _] = three("position", &arguments[1])?;
    let Some((_, robot)) = desk.remote.board.robot(name) else {
        return Err(format!("Object '{name}' is no robot, and cannot be moved while time goes on."));
    };
    let agent = robot.number;
    let before = desk.simulation().agent(agent).map_or(0.0, |agent| agent.pose.heading_rad);
    // Roll, pitch, yaw.
    let heading_rad =
        arguments.get(2).map_or(Ok(before), |angles| three("orientation", angles).map(|[_, _, yaw]| yaw))?;
    desk.order(Edit::Move { agent, x_m, y_m, heading_rad })?;
    Reply::done()
}

/// The matrix of a camera that there is not.
pub fn unit_matrix() -> Value {
    let row = |row: usize| Value::numbers((0..4).map(|column| if row == column { 1.0 } else { 0.0 }));
    Value::List((0..4).map(row).collect())
}
