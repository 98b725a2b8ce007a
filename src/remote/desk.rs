//! The handler of requests of a client, and the arguments of requests.

use swarmarium_core::clock::Host;
use swarmarium_core::component::property::common_services;
use swarmarium_core::edit::Edit;
use swarmarium_core::service::{Component, Link, MANAGER, Service, Value};
use swarmarium_core::simulation::Simulation;

use super::Remote;
use super::jobs::Work;
use super::link::is_socket;

/// A service of the simulator itself, not of a component.
pub struct Supervisory {
    /// Its name and parameters.
    pub service: Service,
    /// Performs it; the number of `arguments` has been checked.
    pub does: fn(&mut RequestHandler, arguments: &[Value]) -> Result<Reply, String>,
}

/// The reply to a request.
pub enum Reply {
    /// It is answered.
    Now(Value),
    /// It is answered later.
    Later(Work),
}

impl Reply {
    /// An answer.
    pub fn of(value: impl Into<Value>) -> Result<Self, String> {
        Ok(Self::Now(value.into()))
    }

    /// An answer without a value.
    pub fn done() -> Result<Self, String> {
        Ok(Self::Now(Value::Null))
    }
}

/// Handles the requests of one client.
pub struct RequestHandler<'a> {
    /// The sockets.
    pub remote: &'a mut Remote,
    /// The host of the simulation.
    pub host: &'a mut Host,
    /// The number of the client.
    pub client: u64,
}

impl RequestHandler<'_> {
    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        self.host.simulation()
    }

    /// Lets an edit wait for the next step.
    ///
    /// # Errors
    /// When it makes no sense, or too many wait.
    pub fn order(&mut self, edit: Edit) -> Result<(), String> {
        self.simulation().check(&edit).map_err(|problem| problem.to_string())?;
        self.has_room(None)?;
        self.remote.order(self.client, edit, None);
        Ok(())
    }

    pub(super) fn has_room(&self, component: Option<&str>) -> Result<(), String> {
        match self.remote.waiting.has_room(self.client, component) {
            true => Ok(()),
            false => Err(format!("{MANAGER}: too many changes of this client wait for the next step")),
        }
    }
}

/// Whether a component has services on a socket under its own name.
pub fn has_services(component: &Component) -> bool {
    component.links.iter().any(|link| matches!(link, Link::Services { via } if is_socket(via)))
}

/// The names of the services of a component, those that all have included.
pub fn services_of(component: &Component) -> impl Iterator<Item = &'static str> {
    let all = component.about.services.iter().chain(common_services(component.id.part));
    all.map(|service| service.name)
}

/// The text that an argument must be.
///
/// # Errors
/// Says that it is none.
pub fn text<'v>(name: &str, value: &'v Value) -> Result<&'v str, String> {
    value.text().ok_or_else(|| wrong_type(name, "a text"))
}

/// The number that an argument must be.
///
/// # Errors
/// Says that it is none.
pub fn number(name: &str, value: &Value) -> Result<f64, String> {
    value.number().filter(|number| number.is_finite()).ok_or_else(|| wrong_type(name, "a number"))
}

/// The three numbers that an argument must be.
///
/// # Errors
/// Says that they are not.
pub fn three(name: &str, value: &Value) -> Result<[f64; 3], String> {
    match value {
        Value::List(list) if list.len() == 3 => {
            Ok([number(name, &list[0])?, number(name, &list[1])?, number(name, &list[2])?])
        }
        _ => Err(wrong_type(name, "a list of three numbers")),
    }
}

fn wrong_type(name: &str, expected: &str) -> String {
    format!("{MANAGER}: wrong parameter type. `{name}`: expected {expected}")
}
