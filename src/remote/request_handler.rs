//! The handler of requests of a client, and the checks of their arguments.

use swarmarium_core::service::{Component, Link, Service, Value};
use swarmarium_host::clock::Host;
use swarmarium_scene::component::property::common_services;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use super::Remote;
use super::error::RequestError;
use super::jobs::Work;
use super::link::is_socket;

/// A service of the simulator itself, not of a component.
pub struct SupervisorService {
    /// Its name and parameters.
    pub service: Service,
    /// Performs it. The number of `arguments` has been checked.
    pub call: fn(&mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError>,
}

/// The reply to a request.
pub enum Reply {
    /// The value of the answer.
    Now(Value),
    /// The work that has to be done before the answer.
    Later(Work),
}

impl Reply {
    /// An answer with a value.
    pub fn from_value(value: impl Into<Value>) -> Result<Self, RequestError> {
        Ok(Self::Now(value.into()))
    }

    /// An answer without a value.
    pub fn done() -> Result<Self, RequestError> {
        Ok(Self::Now(Value::Null))
    }
}

/// The handler of the requests of one client.
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

    /// Queues an edit for the next step.
    ///
    /// # Errors
    /// When the edit is invalid, or too many edits of the client are queued.
    pub fn queue_edit(&mut self, edit: Edit) -> Result<(), RequestError> {
        self.simulation().check(&edit).map_err(RequestError::Invalid)?;
        self.check_capacity(None)?;
        self.remote.queue_edit(self.client, edit, None);
        Ok(())
    }

    /// Checks that another edit can be queued, which concerns a component or none.
    ///
    /// # Errors
    /// When too many edits of the client, or for the component, are queued.
    pub fn check_capacity(&self, component: Option<&str>) -> Result<(), RequestError> {
        match self.remote.edits.has_capacity(self.client, component) {
            true => Ok(()),
            false => Err(RequestError::QueueFull),
        }
    }
}

/// Whether a component has services on a socket under its own name.
pub fn has_services(component: &Component) -> bool {
    component.links.iter().any(|link| matches!(link, Link::Services { via } if is_socket(via)))
}

/// The names of the services of a component, including those that all components have.
pub fn services_of(component: &Component) -> impl Iterator<Item = &'static str> {
    let all = component.about.services.iter().chain(common_services(component.id.slot));
    all.map(|service| service.name)
}

/// The text of an argument.
///
/// # Errors
/// When the argument is not text.
pub fn text<'v>(name: &str, value: &'v Value) -> Result<&'v str, RequestError> {
    value.text().ok_or_else(|| wrong_type(name, "a text"))
}

/// The number of an argument.
///
/// # Errors
/// When the argument is not a finite number.
pub fn number(name: &str, value: &Value) -> Result<f64, RequestError> {
    value.number().filter(|number| number.is_finite()).ok_or_else(|| wrong_type(name, "a number"))
}

/// The three numbers of an argument.
///
/// # Errors
/// When the argument is not a list of three finite numbers.
pub fn three_numbers(name: &str, value: &Value) -> Result<[f64; 3], RequestError> {
    match value {
        Value::List(list) if list.len() == 3 => {
            Ok([number(name, &list[0])?, number(name, &list[1])?, number(name, &list[2])?])
        }
        _ => Err(wrong_type(name, "a list of three numbers")),
    }
}

fn wrong_type(parameter: &str, expected: &'static str) -> RequestError {
    RequestError::WrongType { parameter: parameter.into(), expected }
}
