//! Steps: their pace, the edits before them, and the data and answers after them.

use std::sync::Arc;

use swarmarium_core::service::Value;
use swarmarium_host::clock::Host;
use swarmarium_simulation::simulation::Simulation;

use super::edit_queue::QueuedEdit;
use super::jobs::FinishedJob;
use super::sync::Pace;
use super::{Remote, streams};

impl Remote {
    /// Gives the simulation of a host its time, with `real_s` seconds of real time since the last call: processes the events
    /// of clients, and does a step if the clock, or all clients that send tokens, require one. Returns the number of steps
    /// done.
    pub fn advance(&mut self, host: &mut Host, real_s: f64, mut on_step: impl FnMut(&Simulation)) -> u64 {
        self.real_s += real_s;
        self.serve(host);
        let dt_s = host.simulation().time().dt_s;
        let pace = self.tokens.pace();
        let is_due = match pace {
            // During a long step, no other one begins.
            Pace::Clock if host.long_step().is_some() => false,
            Pace::Clock => host.clock().next_step_s(dt_s).is_some_and(|rest_s| rest_s <= real_s),
            Pace::Step => host.clock().next_step_s(dt_s).is_some(),
            Pace::Wait => false,
        };
        if is_due {
            self.begin_step(host);
        }
        let steps = match pace {
            Pace::Clock => host.advance(real_s, || false, &mut on_step),
            Pace::Step | Pace::Wait => host.advance_by_clients(is_due.into(), real_s, &mut on_step),
        };
        if steps > 0 {
            self.end_step(host.simulation());
        }
        steps
    }

    /// Seconds of real time until [`advance`](Self::advance) has to be called again; `None` while it waits for clients.
    pub fn next_s(&self, host: &Host) -> Option<f64> {
        match self.tokens.pace() {
            Pace::Clock => host.clock().next_step_s(host.simulation().time().dt_s),
            Pace::Step => host.clock().next_step_s(host.simulation().time().dt_s).map(|_| 0.0),
            Pace::Wait => None,
        }
    }

    /// Seconds by which simulated time is ahead of real time, both counted from the same moment.
    pub(crate) fn ahead_s(&self, simulation: &Simulation) -> f64 {
        simulation.time().now_s() - self.begin_s - self.real_s
    }

    /// Applies the edits of clients for the step that is about to begin.
    fn begin_step(&mut self, host: &mut Host) {
        for (client, commands) in self.tokens.begin_step() {
            for (name, fields) in commands {
                if let Err(error) = self.feed(client, &name, &fields, host) {
                    self.report_error(client, format_args!("a token with a command for {name}: {error}"));
                }
            }
        }
        for ((client, _), QueuedEdit { edit, job }) in self.edits.take() {
            match (host.apply(edit), job) {
                (Ok(()), Some(job)) => self.jobs.note_begin(job, host.simulation()),
                (Ok(()), None) => {}
                (Err(problem), Some(job)) => {
                    if let Some(job) = self.jobs.take_serial(job) {
                        self.reply_failed(job.client, &job.id, &problem, None);
                    }
                }
                (Err(problem), None) => self.report_error(client, problem),
            }
        }
    }

    /// Sends the data and answers of the step that was just done.
    fn end_step(&mut self, simulation: &Simulation) {
        if self.directory.update(simulation) {
            self.update_streams();
            for (client, id) in self.jobs.take_orphaned(&self.directory.components) {
                self.reply(client, &id, "PREEMPTED", &Value::Null, None);
            }
        }
        // The data of a step are sent before the answers to requests that waited for it.
        self.publish(simulation);
        for FinishedJob { client, id, status, value } in self.jobs.end_step(simulation) {
            self.reply_after_data(client, &id, status, &value);
        }
        for (client, line, permit) in self.tokens.end_step(simulation) {
            if let Some(client) = self.clients.get(&client) {
                client.outbox.send(line.into_bytes(), permit);
            }
        }
        if !self.half_closed.is_empty() {
            self.drop_finished_clients();
        }
    }

    /// Sends the data of a step to the subscribers of streams.
    fn publish(&mut self, simulation: &Simulation) {
        let Self { ports, directory, clients, server, .. } = self;
        let mut send = |subscribers: &[u64], text: String| {
            let bytes: Arc<[u8]> = text.into_bytes().into();
            for subscriber in subscribers {
                let Some(client) = clients.get_mut(subscriber) else { continue };
                if !client.outbox.try_send(&bytes) && !std::mem::replace(&mut client.has_lost, true) {
                    server.notes.add(format!("client {subscriber} reads too slowly: it misses messages"));
                }
            }
        };
        for (name, subscribers) in &ports.subscribers {
            let text = directory.find(name).and_then(|component| streams::message(simulation, component.id));
            if let Some(text) = text {
                send(subscribers, text + "\n");
            }
        }
        if !ports.subscribers_to_all.is_empty() {
            send(&ports.subscribers_to_all, streams::message_of_all(simulation, directory));
        }
    }
}
