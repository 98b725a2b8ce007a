//! Jobs: requests that are answered later, for sleeping and for tasks of actuators.

use std::collections::HashSet;

use swarmarium_core::service::{Component, ComponentId, Value};
use swarmarium_simulation::simulation::Simulation;

use super::error::RequestError;

/// The largest number of running jobs of one client.
pub const MAX_JOBS: usize = 1000;

/// A running request.
#[derive(Debug)]
pub struct Job {
    /// The number of the job.
    pub serial: u64,
    /// The client of the request.
    pub client: u64,
    /// The id of the request.
    pub id: String,
    /// The work of the job.
    pub work: Work,
}

/// The work of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Waiting for a time.
    Sleep {
        /// Simulated time in seconds.
        until_s: f64,
    },
    /// A task of an actuator.
    Task {
        /// The actuator.
        component: ComponentId,
        /// The number of the task among those of the actuator, counted from 1; `None` before it begins.
        number: Option<u32>,
    },
}

/// A job that ended.
pub struct FinishedJob {
    /// The client of the request.
    pub client: u64,
    /// The id of the request.
    pub id: String,
    /// The status of the reply.
    pub status: &'static str,
    /// The value of the reply.
    pub value: Value,
}

/// All running jobs, in the order of their requests.
#[derive(Default)]
pub struct Jobs {
    all: Vec<Job>,
    serials: u64,
}

impl Jobs {
    /// Adds a job, and returns its serial number.
    ///
    /// # Errors
    /// When too many jobs of the client are running.
    pub fn begin(&mut self, client: u64, id: &str, work: Work) -> Result<u64, RequestError> {
        // A new task of an actuator replaces the running one.
        let component = |work: Work| match work {
            Work::Task { component, .. } => Some(component),
            Work::Sleep { .. } => None,
        };
        let begins = component(work);
        let is_replaced = |job: &Job| begins.is_some() && component(job.work) == begins;
        let stays = |job: &&Job| job.client == client && !is_replaced(job);
        if self.all.iter().filter(stays).count() >= MAX_JOBS {
            return Err(RequestError::TooManyJobs { max: MAX_JOBS });
        }
        self.serials += 1;
        self.all.push(Job { serial: self.serials, client, id: id.into(), work });
        Ok(self.serials)
    }

    /// Takes the job of a request.
    pub fn take(&mut self, client: u64, id: &str) -> Option<Job> {
        self.take_where(|job| job.client == client && job.id == id)
    }

    /// Takes the job with a serial number.
    pub fn take_serial(&mut self, serial: u64) -> Option<Job> {
        self.take_where(|job| job.serial == serial)
    }

    /// Takes the task of an actuator, except the job `new`: an actuator has one task at a time.
    pub fn take_task(&mut self, of: ComponentId, new: u64) -> Option<Job> {
        let is_of = |work: Work| matches!(work, Work::Task { component, .. } if component == of);
        self.take_where(|job| job.serial != new && is_of(job.work))
    }

    /// Takes the tasks of actuators that no longer exist, and returns their clients and ids.
    pub fn take_orphaned(&mut self, components: &[Component]) -> Vec<(u64, String)> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let known: HashSet<ComponentId> = components.iter().map(|component| component.id).collect();
        let is_orphaned =
            |job: &mut Job| matches!(job.work, Work::Task { component, .. } if !known.contains(&component));
        self.all.extract_if(.., is_orphaned).map(|job| (job.client, job.id)).collect()
    }

    /// Whether a client has a running job.
    pub fn has_any(&self, client: u64) -> bool {
        self.all.iter().any(|job| job.client == client)
    }

    /// Takes all jobs, and returns their clients and ids.
    pub fn take_all(&mut self) -> Vec<(u64, String)> {
        self.all.drain(..).map(|job| (job.client, job.id)).collect()
    }

    fn take_where(&mut self, matches: impl Fn(&Job) -> bool) -> Option<Job> {
        let place = self.all.iter().position(matches)?;
        Some(self.all.remove(place))
    }

    /// Removes the jobs of a client that disconnected. The tasks of its robots go on.
    pub fn forget(&mut self, client: u64) {
        self.all.retain(|job| job.client != client);
    }

    /// Notes that the edit that begins a task is applied at the start of the next step. No other edit begins a task of the
    /// same actuator there: of several queued ones, only the last is left.
    pub fn note_begin(&mut self, serial: u64, simulation: &Simulation) {
        if let Some(job) = self.all.iter_mut().find(|job| job.serial == serial)
            && let Work::Task { component, number } = &mut job.work
        {
            *number = Some(simulation.tasks(*component).begun + 1);
        }
    }

    /// Takes all jobs that ended with a step.
    pub fn end_step(&mut self, simulation: &Simulation) -> Vec<FinishedJob> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let (now_s, dt_s) = (simulation.time().now_s(), simulation.time().dt_s);
        let end = |job: &Job| match job.work {
            // The nearest step, as for all events with a time.
            Work::Sleep { until_s } => (now_s > until_s - dt_s / 2.0).then_some(("SUCCESS", Value::Null)),
            Work::Task { component, number } => {
                let (number, tasks) = (number?, simulation.tasks(component));
                if tasks.done >= number {
                    // The result of a task is the present status of its component.
                    let status = simulation.ask(component, "get_status", &[], &[]);
                    Some(("SUCCESS", status.map_or(Value::Null, |answer| answer.value)))
                } else {
                    (tasks.begun > number).then_some(("PREEMPTED", Value::Null))
                }
            }
        };
        let mut finished = Vec::new();
        self.all.retain_mut(|job| match end(job) {
            Some((status, value)) => {
                finished.push(FinishedJob { client: job.client, id: std::mem::take(&mut job.id), status, value });
                false
            }
            None => true,
        });
        finished
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::service::ComponentSlot;

    use super::*;

    fn task(agent: u32) -> Work {
        Work::Task { component: ComponentId { agent, slot: ComponentSlot::Actuator(0) }, number: None }
    }

    #[test]
    fn a_refused_task_does_not_end_the_running_one() {
        let mut jobs = Jobs::default();
        let first = jobs.begin(1, "a", task(0)).unwrap();
        for id in 1..MAX_JOBS {
            jobs.begin(2, &id.to_string(), Work::Sleep { until_s: 1.0 }).unwrap();
        }
        jobs.begin(2, "last", Work::Sleep { until_s: 1.0 }).unwrap();
        assert!(jobs.begin(2, "more", task(0)).is_err());
        assert!(jobs.has_any(1));
        let second = jobs.begin(1, "b", task(0)).unwrap();
        let Work::Task { component, .. } = task(0) else { unreachable!() };
        assert_eq!(jobs.take_task(component, second).map(|job| job.serial), Some(first));
        assert!(jobs.take_task(component, second).is_none());
    }

    #[test]
    fn tasks_of_removed_actuators_are_taken() {
        let mut jobs = Jobs::default();
        jobs.begin(1, "a", task(0)).unwrap();
        jobs.begin(1, "b", Work::Sleep { until_s: 1.0 }).unwrap();
        assert_eq!(jobs.take_orphaned(&[]), [(1, "a".to_owned())]);
        assert!(jobs.has_any(1), "sleeping needs no actuator");
    }
}
