//! The services of `simulation`: lists of robots and streams, and changes of the whole simulation.

use std::collections::BTreeSet;

use swarmarium_core::motion::MotionFamily;
use swarmarium_core::service::{
    Alias, Component, ComponentSlot, Fields, Link, Parameter, Service, StreamDirection, Value,
};
use swarmarium_scene::component::property::path_of;
use swarmarium_simulation::edit::Edit;

use super::directory::{Directory, Robot};
use super::error::RequestError;
use super::link::{SERVICES_CLASS, STREAMS_CLASS, is_socket};
use super::request_handler::{Reply, RequestHandler, SupervisorService, has_services, services_of, text};
use super::streams::requested_port;
use super::{Remote, scenery};

/// A service with its parameters; those without a default are required.
macro_rules! service {
    ($name:literal($($parameter:literal $(= $default:literal)?),*), $call:expr) => {
        SupervisorService {
            service: Service {
                name: $name,
                parameters: &[$(Parameter { name: $parameter, default: service!(@default $($default)?) }),*],
                sets: None,
                is_task: false,
            },
            call: $call,
        }
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

/// The services of `simulation`.
pub const SERVICES: &[SupervisorService] = &[
    service!("details"(), |handler, _| Ok(Reply::Now(details(handler)))),
    service!("list_robots"(), |handler, _| Ok(Reply::Now(list_robots(&handler.remote.directory)))),
    service!("list_streams"(), |handler, _| Ok(Reply::Now(list_streams(handler.remote)))),
    service!("get_stream_port"("name"), get_stream_port),
    service!("get_all_stream_ports"(), get_all_stream_ports),
    service!("activate"("component_name"), |handler, arguments| set_active(handler, &arguments[0], true)),
    service!("deactivate"("component_name"), |handler, arguments| set_active(handler, &arguments[0], false)),
    service!("reset_objects"(), reset_objects),
    service!("quit"(), quit),
    service!("terminate"(), quit),
    service!("suspend_dynamics"(), |handler, _| suspend(handler, true)),
    service!("restore_dynamics"(), |handler, _| suspend(handler, false)),
    service!("set_log_level"("component", "level"), set_log_level),
    service!("get_scene_objects"(), |handler, _| Ok(Reply::Now(scenery::all(handler)))),
    service!("set_object_visibility"("object_name", "visible", "do_children"), scenery::echo),
    service!("set_object_dynamics"("object_name", "state"), scenery::echo),
    service!("set_object_position"("object_name", "position", "orientation" = 0.0), scenery::set_position),
    service!("get_camarafp_position"(), |_, _| Ok(Reply::Now(Value::numbers([0.0; 3])))),
    service!("set_camarafp_position"("x", "y", "z"), |_, _| Reply::done()),
    service!("get_camarafp_transform"(), |_, _| Ok(Reply::Now(scenery::unit_matrix()))),
    service!("set_camarafp_transform"("transform"), |_, _| Reply::done()),
    service!("get_camarafp_projection_matrix"(), |_, _| Ok(Reply::Now(scenery::unit_matrix()))),
    service!("set_camarafp_projection_matrix"("matrix"), |_, _| Reply::done()),
    service!("set_camarafp_far_clip"("clip_end"), |_, _| Reply::done()),
];

fn list_robots(directory: &Directory) -> Value {
    Value::List(directory.robots.iter().map(|robot| robot.name.as_str().into()).collect())
}

/// The names of all components that have a stream.
fn streamed(remote: &Remote) -> impl Iterator<Item = &Component> {
    remote.directory.components.iter().filter(|component| requested_port(component).is_some())
}

fn list_streams(remote: &Remote) -> Value {
    Value::List(streamed(remote).map(|component| component.name.as_str().into()).collect())
}

fn port(handler: &mut RequestHandler, name: &str) -> Result<Value, RequestError> {
    let Remote { ports, server, directory, .. } = &mut *handler.remote;
    match ports.port_of(server, directory, name) {
        Ok(Some(port)) => Ok(Value::Int(port.into())),
        Ok(None) => Err(RequestError::NoStream { component: name.into(), hint: directory.hint(name) }),
        Err(error) => Err(RequestError::NoPort { component: name.into(), error }),
    }
}

fn get_stream_port(handler: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    let name = text("name", &arguments[0])?;
    port(handler, name).map(Reply::Now)
}

fn get_all_stream_ports(handler: &mut RequestHandler, _: &[Value]) -> Result<Reply, RequestError> {
    let names: Vec<String> = streamed(handler.remote).map(|component| component.name.clone()).collect();
    // Streams whose port cannot be opened are left out; `get_stream_port` reports the reason.
    let Remote { ports, server, directory, .. } = &mut *handler.remote;
    let opened = names.into_iter().filter_map(|name| Some((ports.port_of(server, directory, &name).ok()??, name)));
    let mut opened: Vec<(u16, String)> = opened.collect();
    opened.sort();
    Ok(Reply::Now(Value::Map(opened.into_iter().map(|(port, name)| (name, Value::Int(port.into()))).collect())))
}

fn details(handler: &RequestHandler) -> Value {
    let simulation = handler.simulation();
    let mut components = handler.remote.directory.components.iter().peekable();
    let robot = |robot: &Robot| {
        let mut own = Fields::new();
        while let Some(component) = components.next_if(|component| component.id.agent == robot.number) {
            if !component.links.is_empty() {
                own.push((component.name.clone(), component_details(component)));
                own.extend(
                    overlays(component)
                        .filter(|(name, _)| !name.is_empty() && *name != component.name)
                        .map(overlay_details),
                );
            }
        }
        own.extend(missing_parents(&own));
        let agent = simulation.agent(robot.number);
        let kind = agent.and_then(|agent| {
            let motion = agent.parts().motion;
            simulation
                .kinds()
                .of_value(<MotionFamily as swarmarium_core::kind::Family>::NAME, motion.value())
                .map(|kind| kind.name)
        });
        Value::Map(vec![
            ("name".into(), robot.name.as_str().into()),
            ("type".into(), kind.unwrap_or_default().into()),
            ("components".into(), Value::Map(own)),
        ])
    };
    let robots = handler.remote.directory.robots.iter().map(robot).collect();
    Value::Map(vec![
        ("robots".into(), Value::List(robots)),
        ("environment".into(), simulation.scene().name.as_str().into()),
    ])
}

/// Entries for the names that contain components and are not components themselves, such as `robot.arm` of
/// `robot.arm.pose`: pymorse looks for them.
fn missing_parents(components: &Fields) -> Fields {
    let mut known: BTreeSet<&str> = components.iter().map(|(name, _)| name.as_str()).collect();
    let mut missing = Fields::new();
    for (name, _) in components {
        for (end, _) in name.match_indices('.').skip(1) {
            if known.insert(&name[..end]) {
                missing.push((name[..end].to_owned(), Value::Map(vec![("type".into(), "".into())])));
            }
        }
    }
    missing
}

/// The overlays of a component: the name of the component in each, empty for its own, and the services.
fn overlays(component: &Component) -> impl Iterator<Item = (&str, &[Alias])> {
    component.links.iter().filter_map(|link| match link {
        Link::Overlay { via, name, services, .. } if is_socket(via) => Some((name.as_str(), services.as_slice())),
        _ => None,
    })
}

/// The entry for the name of an overlay, so that clients find its services.
fn overlay_details((name, aliases): (&str, &[Alias])) -> (String, Value) {
    let mut services: Vec<&str> = aliases.iter().map(|alias| alias.name.as_str()).collect();
    services.sort_unstable();
    let details = vec![
        ("type".into(), "Overlay".into()),
        ("services".into(), Value::List(services.into_iter().map(Value::from).collect())),
        ("service_interfaces".into(), Value::List(vec![SERVICES_CLASS.into()])),
    ];
    (name.to_owned(), Value::Map(details))
}

fn component_details(component: &Component) -> Value {
    let kind = if component.about.class.is_empty() { component.kind } else { component.about.class };
    let mut details: Fields = vec![("type".into(), kind.into())];
    let mut services: BTreeSet<String> = BTreeSet::new();
    if has_services(component) {
        services.extend(services_of(component).map(str::to_owned));
    }
    let own = overlays(component).filter(|(name, _)| name.is_empty() || *name == component.name);
    services.extend(own.flat_map(|(_, aliases)| aliases).map(|alias| alias.name.clone()));
    if !services.is_empty() {
        details.push(("services".into(), Value::List(services.into_iter().map(Value::from).collect())));
    }
    let class = |via: &str, ours: &str| Value::from(if is_socket(via) { ours } else { via });
    let interfaces = component.links.iter().filter_map(|link| match link {
        Link::Services { via } => Some(class(via, SERVICES_CLASS)),
        _ => None,
    });
    let interfaces: Vec<Value> = interfaces.collect();
    if !interfaces.is_empty() {
        details.push(("service_interfaces".into(), Value::List(interfaces)));
    }
    let streams = component.links.iter().filter_map(|link| match link {
        Link::Stream { via, way, .. } => {
            let way = match (way, component.id.slot) {
                (StreamDirection::In, _) | (StreamDirection::Natural, ComponentSlot::Actuator(_)) => "IN",
                (StreamDirection::Out, _) | (StreamDirection::Natural, ComponentSlot::Sensor(_)) => "OUT",
            };
            Some(Value::List(vec![class(via, STREAMS_CLASS), way.into()]))
        }
        _ => None,
    });
    let streams: Vec<Value> = streams.collect();
    if !streams.is_empty() {
        details.push(("stream_interfaces".into(), Value::List(streams)));
    }
    Value::Map(details)
}

fn set_active(handler: &mut RequestHandler, name: &Value, is_active: bool) -> Result<Reply, RequestError> {
    let name = text("component_name", name)?;
    let directory = &handler.remote.directory;
    let unknown = || RequestError::UnknownComponent { name: name.into(), hint: directory.hint(name) };
    let path = path_of(directory.find(name).ok_or_else(unknown)?.id, "active");
    handler.queue_edit(Edit::Set { path, value: is_active.to_string() })?;
    Reply::done()
}

fn reset_objects(handler: &mut RequestHandler, _: &[Value]) -> Result<Reply, RequestError> {
    let start = |robot: &Robot| {
        let pose = handler.remote.directory.start(robot.number)?;
        let (x_m, y_m, heading_rad) = (pose.position_m.x, pose.position_m.y, pose.heading_rad);
        Some(Edit::Move { agent: robot.number, x_m, y_m, heading_rad })
    };
    let moves: Vec<Edit> = handler.remote.directory.robots.iter().filter_map(start).collect();
    // The moves of one request have no limit. Earlier moves have no effect any more.
    handler.remote.edits.withdraw_moves();
    moves.into_iter().for_each(|edit| handler.remote.queue_edit(handler.client, edit, None));
    Reply::from_value("Objects restored to initial position")
}

fn quit(handler: &mut RequestHandler, _: &[Value]) -> Result<Reply, RequestError> {
    handler.remote.has_quit = true;
    Reply::done()
}

fn suspend(handler: &mut RequestHandler, is_suspended: bool) -> Result<Reply, RequestError> {
    handler.queue_edit(Edit::Suspend { is_suspended })?;
    Reply::from_value(if is_suspended { "Physics is suspended" } else { "Physics is resumed" })
}

fn set_log_level(_: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    const LEVELS: [&str; 6] = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "NOTSET"];
    text("component", &arguments[0])?;
    let level = text("level", &arguments[1])?;
    match LEVELS.contains(&level) {
        true => Reply::done(),
        false => Err(RequestError::UnknownLogLevel(level.into())),
    }
}
