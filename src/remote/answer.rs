//! Answers to requests: finds the service, checks the arguments and calls the service.

use swarmarium_base::problem::did_you_mean;
use swarmarium_core::service::Value;
use swarmarium_scene::component::property::common_services;

use super::error::RequestError;
use super::jobs::Work;
use super::line::Request;
use super::request_handler::{Reply, RequestHandler, SupervisorService, has_services, services_of};
use super::{communication, supervision, time};

/// The services of the simulator itself, by the names that requests have in place of components.
const SUPERVISORS: [(&str, &[SupervisorService]); 3] =
    [("simulation", supervision::SERVICES), ("time", time::SERVICES), ("communication", communication::SERVICES)];

impl RequestHandler<'_> {
    /// Answers a request; `None` when the answer comes later, or when a job was cancelled before its request arrived.
    ///
    /// # Errors
    /// When the request fails.
    pub fn answer(&mut self, request: &Request, was_cancelled: bool) -> Result<Option<Value>, RequestError> {
        let Request { id, component, service, arguments } = request;
        if let Some((_, services)) = SUPERVISORS.iter().find(|(name, _)| name == component) {
            let known = services.iter().find(|known| known.service.name == service);
            let known = known.ok_or_else(|| unknown(service, services.iter().map(|known| known.service.name)))?;
            known.service.check_count(arguments.len())?;
            return match (known.call)(self, arguments)? {
                Reply::Now(value) => Ok(Some(value)),
                Reply::Later(_) if was_cancelled => Ok(None),
                Reply::Later(work) => self.remote.jobs.begin(self.client, id, work).map(|_| None),
            };
        }
        self.ask_component(request, was_cancelled)
    }

    fn ask_component(&mut self, request: &Request, was_cancelled: bool) -> Result<Option<Value>, RequestError> {
        let Request { id, component, service, arguments } = request;
        let directory = &self.remote.directory;
        let own =
            || directory.find(component).filter(|known| has_services(known)).map(|known| (known, service.as_str()));
        let Some((known, service)) = directory.overlay(component, service).or_else(own) else {
            return Err(RequestError::UnknownService { service: service.clone(), hint: directory.hint(component) });
        };
        let of_kind = known.about.services.iter().find(|known| known.name == service);
        let of_all = || common_services(known.id.slot).iter().find(|known| known.name == service);
        let described = of_kind.or_else(of_all).ok_or_else(|| unknown(service, services_of(known)))?;
        described.check_count(arguments.len())?;
        let (of, name, is_task) = (known.id, known.name.clone(), described.is_task);
        if is_task && was_cancelled {
            return Ok(None);
        }
        let answer = self.simulation().ask(of, service, arguments, &self.remote.edits.for_component(&name))?;
        if let Some(edit) = &answer.edit {
            self.check_capacity(Some(&name))?;
            self.simulation().check(edit).map_err(RequestError::Invalid)?;
        }
        // A task without an edit is done at once.
        let is_task = is_task && answer.edit.is_some();
        let mut job = None;
        if is_task {
            let serial = self.remote.jobs.begin(self.client, id, Work::Task { component: of, number: None })?;
            job = Some(serial);
            if let Some(old) = self.remote.jobs.take_task(of, serial) {
                self.remote.edits.withdraw(old.serial);
                self.remote.reply(old.client, &old.id, "PREEMPTED", &Value::Null, None);
            }
        }
        if let Some(edit) = answer.edit {
            self.remote.queue_edit(self.client, edit, job);
        }
        Ok((!is_task).then_some(answer.value))
    }
}

fn unknown<'a>(service: &str, known: impl IntoIterator<Item = &'a str>) -> RequestError {
    RequestError::UnknownService { service: service.into(), hint: did_you_mean(service, known) }
}
