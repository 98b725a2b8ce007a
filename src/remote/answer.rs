//! Answers requests: finds the service that is asked for, checks the request and replies.

use swarmarium_base::problem::did_you_mean;
use swarmarium_core::component::property::common_services;
use swarmarium_core::service::{MANAGER, Value};

use super::desk::{Reply, RequestHandler, Supervisory, has_services, services_of};
use super::jobs::Work;
use super::line::Request;
use super::{communication, supervision, time};

/// The services of the simulator itself: names that requests address and that are no components.
const SUPERVISORS: [(&str, &[Supervisory]); 3] =
    [("simulation", supervision::SERVICES), ("time", time::SERVICES), ("communication", communication::SERVICES)];

impl RequestHandler<'_> {
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

fn unknown<'a>(service: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    format!("The request {service} has not been registered in {MANAGER}{}", did_you_mean(service, known))
}
