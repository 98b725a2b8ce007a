//! Services: who is asked, what is wrong with how, and what is answered.

use super::jobs::Work;
use super::line::Request;
use super::streams::is_socket;
use super::{Remote, communication, supervision, time};
use crate::clock::Host;
use crate::component::property::common_services;
use crate::edit::Edit;
use crate::problem::did_you_mean;
use crate::service::{Component, Link, MANAGER, Service, Value};
use crate::simulation::Simulation;

/// A service that is no component's.
pub struct Supervisory {
    /// What it takes.
    pub service: Service,
    /// Does it; `arguments` are as many as it takes.
    pub does: fn(&mut Desk, arguments: &[Value]) -> Result<Reply, String>,
}

/// What becomes of a request.
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

    /// Nothing to tell.
    pub fn done() -> Result<Self, String> {
        Ok(Self::Now(Value::Null))
    }
}

/// Those who are asked for by name and are no components.
const SUPERVISORS: [(&str, &[Supervisory]); 3] =
    [("simulation", supervision::SERVICES), ("time", time::SERVICES), ("communication", communication::SERVICES)];

/// Where a client is served.
pub struct Desk<'a> {
    /// The sockets.
    pub remote: &'a mut Remote,
    /// Whose simulation it is about.
    pub host: &'a mut Host,
    /// Who asks.
    pub client: u64,
}

impl Desk<'_> {
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

    fn has_room(&self, component: Option<&str>) -> Result<(), String> {
        match self.remote.waiting.has_room(self.client, component) {
            true => Ok(()),
            false => Err(format!("{MANAGER}: too many changes of this client wait for the next step")),
        }
    }

    /// Answers a request; `None` when that is done later, or when what would go on was cancelled before.
    ///
    /// # Errors
    /// Says why it cannot be done, in the words of MORSE.
    pub fn answer(&mut self, request: &Request, was_cancelled: bool) -> Result<Option<Value>, String> {
        let Request { id, component, service, arguments } = request;
        if let Some((_, services)) = SUPERVISORS.iter().find(|(name, _)| name == component) {
            let known = services.iter().find(|known| known.service.name == service);
            let known = known.ok_or_else(|| unknown(service, services.iter().map(|known| known.service.name)))?;
            known.service.check_count(arguments.len())?;
            return match (known.does)(self, arguments)? {
                Reply::Now(value) => Ok(Some(value)),
                Reply::Later(_) if was_cancelled => Ok(None),
                Reply::Later(work) => self.remote.jobs.begin(self.client, id, work).map(|_| None),
            };
        }
        self.ask_component(request, was_cancelled)
    }

    fn ask_component(&mut self, request: &Request, was_cancelled: bool) -> Result<Option<Value>, String> {
        let Request { id, component, service, arguments } = request;
        let board = &self.remote.board;
        let own = || board.find(component).filter(|known| has_services(known)).map(|known| (known, service.as_str()));
        let Some((known, service)) = board.overlay(component, service).or_else(own) else {
            return Err(format!("{}{}", unknown(service, []), board.near(component)));
        };
        let of_kind = known.about.services.iter().find(|known| known.name == service);
        let of_all = || common_services(known.id.part).iter().find(|known| known.name == service);
        let described = of_kind.or_else(of_all).ok_or_else(|| unknown(service, services_of(known)))?;
        described.check_count(arguments.len())?;
        let (of, name, is_task) = (known.id, known.name.clone(), described.is_task);
        if is_task && was_cancelled {
            return Ok(None);
        }
        let answer = self.simulation().ask(of, service, arguments, &self.remote.waiting.of(&name))?;
        if let Some(edit) = &answer.edit {
            self.has_room(Some(&name))?;
            self.simulation().check(edit).map_err(|problem| problem.to_string())?;
        }
        // What is done already needs no step.
        let is_task = is_task && answer.edit.is_some();
        let mut job = None;
        if is_task {
            let serial = self.remote.jobs.begin(self.client, id, Work::Task { component: of, number: None })?;
            job = Some(serial);
            if let Some(old) = self.remote.jobs.take_task(of, serial) {
                self.remote.waiting.withdraw(old.serial);
                self.remote.reply(old.client, &old.id, "PREEMPTED", &Value::Null, None);
            }
        }
        if let Some(edit) = answer.edit {
            self.remote.order(self.client, edit, job);
        }
        Ok((!is_task).then_some(answer.value))
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

fn unknown<'a>(service: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    format!("The request {service} has not been registered in {MANAGER}{}", did_you_mean(service, known))
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
