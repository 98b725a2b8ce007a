//! What goes on for a request until it is answered: sleeping, and tasks of actuators.

use std::collections::HashSet;

use swarmarium_core::service::{Component, ComponentId, Value};
use swarmarium_core::simulation::Simulation;

/// The most requests of one client that go on at one time.
pub const MAX_JOBS: usize = 1000;

/// Something that goes on.
#[derive(Debug)]
pub struct Job {
    /// Which one it is.
    pub serial: u64,
    /// Whose request it is.
    pub client: u64,
    /// By what the client knows it.
    pub id: String,
    /// What it is.
    pub work: Work,
}

/// What goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Waiting for a time.
    Sleep {
        /// Simulated time in seconds.
        until_s: f64,
    },
    /// A task of an actuator.
    Task {
        /// Whose.
        component: ComponentId,
        /// Which of its tasks, counted from 1; `None` before it began.
        number: Option<u32>,
    },
}

/// The end of a job.
pub struct Done {
    /// Who is told.
    pub client: u64,
    /// Of which request.
    pub id: String,
    /// How it ended.
    pub status: &'static str,
    /// What came of it.
    pub value: Value,
}

/// All that goes on, in the order in which it was asked for.
#[derive(Default)]
pub struct Jobs {
    all: Vec<Job>,
    serials: u64,
}

impl Jobs {
    /// Begins a job; its serial.
    ///
    /// # Errors
    /// When too many of this client go on.
    pub fn begin(&mut self, client: u64, id: &str, work: Work) -> Result<u64, String> {
        // The task that an actuator is at makes room for another one.
        let component = |work: Work| match work {
            Work::Task { component, .. } => Some(component),
            Work::Sleep { .. } => None,
        };
        let begins = component(work);
        let is_replaced = |job: &Job| begins.is_some() && component(job.work) == begins;
        let stays = |job: &&Job| job.client == client && !is_replaced(job);
        if self.all.iter().filter(stays).count() >= MAX_JOBS {
            return Err(format!("{MAX_JOBS} requests of this client go on already"));
        }
        self.serials += 1;
        self.all.push(Job { serial: self.serials, client, id: id.into(), work });
        Ok(self.serials)
    }

    /// Takes the job of a request.
    pub fn take(&mut self, client: u64, id: &str) -> Option<Job> {
        self.take_where(|job| job.client == client && job.id == id)
    }

    /// Takes the job with a serial.
    pub fn take_serial(&mut self, serial: u64) -> Option<Job> {
        self.take_where(|job| job.serial == serial)
    }

    /// Takes the task of an actuator but for the one that begins: there is one at a time.
    pub fn take_task(&mut self, of: ComponentId, but: u64) -> Option<Job> {
        let is_of = |work: Work| matches!(work, Work::Task { component, .. } if component == of);
        self.take_where(|job| job.serial != but && is_of(job.work))
    }

    /// Takes the tasks of actuators that there are no more; whose they are.
    pub fn take_gone(&mut self, components: &[Component]) -> Vec<(u64, String)> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let known: HashSet<ComponentId> = components.iter().map(|component| component.id).collect();
        let is_gone = |job: &mut Job| matches!(job.work, Work::Task { component, .. } if !known.contains(&component));
        self.all.extract_if(.., is_gone).map(|job| (job.client, job.id)).collect()
    }

    /// Whether something of a client goes on.
    pub fn has_any(&self, client: u64) -> bool {
        self.all.iter().any(|job| job.client == client)
    }

    /// Takes all; whose they are.
    pub fn take_all(&mut self) -> Vec<(u64, String)> {
        self.all.drain(..).map(|job| (job.client, job.id)).collect()
    }

    fn take_where(&mut self, is_wanted: impl Fn(&Job) -> bool) -> Option<Job> {
        let place = self.all.iter().position(is_wanted)?;
        Some(self.all.remove(place))
    }

    /// Forgets the jobs of a client that left; what their robots were told still holds.
    pub fn forget(&mut self, client: u64) {
        self.all.retain(|job| job.client != client);
    }

    /// Notes that the edit which begins a task is applied at the start of the next step. Nobody else begins one there: of
    /// several that wait, only the last is left.
    pub fn began(&mut self, serial: u64, simulation: &Simulation) {
        if let Some(job) = self.all.iter_mut().find(|job| job.serial == serial)
            && let Work::Task { component, number } = &mut job.work
        {
            *number = Some(simulation.tasks(*component).begun + 1);
        }
    }

    /// Takes all that came to its end with a step.
    pub fn after_step(&mut self, simulation: &Simulation) -> Vec<Done> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let (now_s, dt_s) = (simulation.time().now_s(), simulation.time().dt_s);
        let end = |job: &Job| match job.work {
            // The nearest step, as all that has a time.
            Work::Sleep { until_s } => (now_s > until_s - dt_s / 2.0).then_some(("SUCCESS", Value::Null)),
            Work::Task { component, number } => {
                let (number, tasks) = (number?, simulation.tasks(component));
                if tasks.done >= number {
                    // What a task came to is what its component says that it is now.
                    let status = simulation.ask(component, "get_status", &[], &[]);
                    Some(("SUCCESS", status.map_or(Value::Null, |answer| answer.value)))
                } else {
                    (tasks.begun > number).then_some(("PREEMPTED", Value::Null))
                }
            }
        };
        let mut done = Vec::new();
        self.all.retain_mut(|job| match end(job) {
            Some((status, value)) => {
                done.push(Done { client: job.client, id: std::mem::take(&mut job.id), status, value });
                false
            }
            None => true,
        });
        done
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::service::Part;

    use super::*;

    fn task(agent: u32) -> Work {
        Work::Task { component: ComponentId { agent, part: Part::Actuator(0) }, number: None }
    }

    #[test]
    fn a_task_that_is_refused_leaves_the_one_that_goes_on() {
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
    fn tasks_of_actuators_that_are_gone_are_taken() {
        let mut jobs = Jobs::default();
        jobs.begin(1, "a", task(0)).unwrap();
        jobs.begin(1, "b", Work::Sleep { until_s: 1.0 }).unwrap();
        assert_eq!(jobs.take_gone(&[]), [(1, "a".to_owned())]);
        assert!(jobs.has_any(1), "it sleeps on");
    }
}
