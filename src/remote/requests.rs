//! Requests for services: reading, cancelling and replying.

use swarmarium_core::actuator::INTERRUPT;
use swarmarium_core::service::Value;
use swarmarium_host::clock::Host;
use swarmarium_simulation::edit::Edit;

use super::edit_queue::QueuedEdit;
use super::jobs::{Job, Work};
use super::line::{self, Line};
use super::request_handler::RequestHandler;
use super::server::Permit;
use super::{Remote, json};

impl Remote {
    /// Processes a line of a client of services.
    pub(crate) fn process_request(&mut self, client: u64, text: &[u8], permit: Permit, host: &mut Host) {
        match line::read(text) {
            Line::Empty => {}
            Line::Cancel { id } => self.cancel(client, &id, host),
            Line::Malformed { id, error } => self.reply_failed(client, &id, &error, permit),
            Line::Request(request) => {
                let known = self.clients.get_mut(&client);
                let was_cancelled = known.is_some_and(|known| known.ids.note_request(&request.id));
                let answer = RequestHandler { remote: self, host, client }.answer(&request, was_cancelled);
                match answer {
                    Ok(Some(value)) => self.reply(client, &request.id, "SUCCESS", &value, permit),
                    Ok(None) if was_cancelled => self.reply(client, &request.id, "PREEMPTED", &Value::Null, permit),
                    Ok(None) => {}
                    Err(error) => self.reply_failed(client, &request.id, &error, permit),
                }
            }
        }
    }

    /// Cancels a request that is running, or that arrives later: a client with several threads may send the cancel first.
    fn cancel(&mut self, client: u64, id: &str, host: &Host) {
        if let Some(job) = self.jobs.take(client, id) {
            self.interrupt(&job, host);
            return self.reply(client, id, "PREEMPTED", &Value::Null, None);
        }
        if let Some(known) = self.clients.get_mut(&client) {
            known.ids.note_cancel(id);
        }
    }

    /// Interrupts the task of a component.
    fn interrupt(&mut self, job: &Job, host: &Host) {
        let Work::Task { component, .. } = job.work else { return };
        // A task that has not begun needs no interruption.
        if self.edits.withdraw(job.serial) {
            return;
        }
        let known = self.directory.components.iter().find(|known| known.id == component);
        let queued = self.edits.for_component(known.map_or("", |known| known.name.as_str()));
        let answer = host.simulation().ask(component, INTERRUPT, &[], &queued);
        if let Some(edit) = answer.ok().and_then(|answer| answer.edit) {
            self.queue_edit(job.client, edit, None);
        }
    }

    /// Sends the reply to a request.
    pub(crate) fn reply(&self, client: u64, id: &str, status: &str, value: &Value, permit: Permit) {
        if let Some(client) = self.clients.get(&client) {
            client.outbox.send(reply_line(id, status, value), permit);
        }
    }

    /// Replies that a request failed.
    pub(crate) fn reply_failed(&self, client: u64, id: &str, error: &impl ToString, permit: Permit) {
        self.reply(client, id, "FAILED", &Value::Text(error.to_string()), permit);
    }

    /// Sends the reply to a request that waited for a step, after the data of that step.
    pub(crate) fn reply_after_data(&self, client: u64, id: &str, status: &str, value: &Value) {
        let Some(client) = self.clients.get(&client) else { return };
        let line = reply_line(id, status, value);
        match self.ports.has_subscribers() {
            true => client.outbox.send_after_data(line, None),
            false => client.outbox.send(line, None),
        }
    }

    /// Queues an edit of a client for the next step. `job` is the job that begins with the edit.
    pub(crate) fn queue_edit(&mut self, client: u64, edit: Edit, job: Option<u64>) {
        // The edits of a client that has just disconnected come last.
        let number = self.clients.get_mut(&client).map_or(u64::MAX, |client| {
            client.edit_count += 1;
            client.edit_count
        });
        self.edits.insert((client, number), QueuedEdit { edit, job });
    }
}

/// The line of a reply. Values that are false in Python are left out.
fn reply_line(id: &str, status: &str, value: &Value) -> Vec<u8> {
    let mut text = format!("{id} {status}");
    if value.is_true() {
        text.push(' ');
        json::write(value, &mut text);
    }
    text.push('\n');
    text.into_bytes()
}
