//! Commands for actuators: on streams, on the stream of all data, and in tokens.

use std::fmt::Display;

use swarmarium_core::service::Value;
use swarmarium_host::clock::Host;
use swarmarium_simulation::edit::Edit;

use super::error::CommandError;
use super::server::Permit;
use super::sync::{self, TokenError};
use super::{Remote, json};

impl Remote {
    /// Processes a line on the stream of an actuator.
    pub(crate) fn process_stream_line(&mut self, client: u64, name: &str, line: &[u8], host: &Host) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if let Err(error) = read_fields(line).and_then(|fields| self.feed(client, name, &fields, host)) {
            self.report_error(client, format_args!("the stream of {name}: {error}"));
        }
    }

    /// Processes a line on the stream of all data: commands for any number of actuators.
    pub(crate) fn process_line_for_all(&mut self, client: u64, line: &[u8], host: &Host) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if let Err(error) = read_fields(line).and_then(|fields| self.feed_all(client, &fields, host)) {
            self.report_error(client, format_args!("the stream of all data: {error}"));
        }
    }

    /// Processes a line with a token.
    pub(crate) fn process_token_line(&mut self, client: u64, line: &[u8], permit: Permit, host: &Host) {
        match sync::read(line) {
            Ok(Some((steps, commands))) => {
                // A token with a wrong command for one actuator is refused as a whole.
                let commands = commands.unwrap_or_default();
                let check = |(name, fields): &(String, Value)| self.feed_edit(name, fields, host, true).map(drop);
                match commands.iter().try_for_each(check) {
                    Ok(()) => self.tokens.add_counted(client, steps, commands, permit),
                    Err(error) => self.refuse_token(client, &error.into(), permit),
                }
            }
            Ok(None) => {}
            Err(error) => self.refuse_token(client, &error, permit),
        }
    }

    /// Answers a token that is refused.
    pub(crate) fn refuse_token(&self, client: u64, error: &TokenError, permit: Permit) {
        if let Some(client) = self.clients.get(&client) {
            let reason = json::to_text(&Value::Text(error.to_string()));
            client.outbox.send(format!("failed {reason}\n").into_bytes(), permit);
        }
    }

    /// The edit that gives an actuator its commands. The error names similar components only if it `will_be_shown`.
    fn feed_edit(&self, name: &str, fields: &Value, host: &Host, will_be_shown: bool) -> Result<Edit, CommandError> {
        let Value::Map(fields) = fields else { return Err(CommandError::ExpectedFields) };
        let component = self.directory.find(name).ok_or_else(|| CommandError::UnknownComponent {
            name: name.into(),
            hint: if will_be_shown { self.directory.hint(name) } else { String::new() },
        })?;
        Ok(host.simulation().feed(component.id, fields)?)
    }

    /// Queues commands for an actuator.
    pub(crate) fn feed(&mut self, client: u64, name: &str, fields: &Value, host: &Host) -> Result<(), CommandError> {
        let will_be_shown = self.clients.get(&client).is_some_and(|client| !client.has_erred);
        let edit = self.feed_edit(name, fields, host, will_be_shown)?;
        // Of the commands that one client sends to one actuator before a step, the last of each field counts.
        let last = self.edits.last_of(client, name);
        if let (Edit::Feed { fields: new, .. }, Some(Edit::Feed { fields, .. })) = (&edit, last) {
            for (name, value) in new {
                match fields.iter_mut().find(|(known, _)| known == name) {
                    Some((_, known)) => known.clone_from(value),
                    None => fields.push((name.clone(), value.clone())),
                }
            }
        } else if self.edits.has_capacity(client, Some(name)) {
            self.queue_edit(client, edit, None);
        } else {
            return Err(CommandError::QueueFull);
        }
        Ok(())
    }

    fn feed_all(&mut self, client: u64, all: &Value, host: &Host) -> Result<(), CommandError> {
        let Value::Map(all) = all else { return Err(CommandError::ExpectedComponents) };
        // A wrong command for one actuator does not affect the others; the first error is reported.
        for (name, fields) in all {
            if let Err(error) = self.feed(client, name, fields, host) {
                self.report_error(client, format_args!("the stream of all data: {name}: {error}"));
            }
        }
        Ok(())
    }

    /// Reports the first error of a client to the user.
    pub(crate) fn report_error(&mut self, client: u64, error: impl Display) {
        if let Some(client) = self.clients.get_mut(&client)
            && !std::mem::replace(&mut client.has_erred, true)
        {
            self.server.notes.add(format!("{error} (further errors of this client are not shown)"));
        }
    }
}

/// Reads a line of a stream.
fn read_fields(line: &[u8]) -> Result<Value, CommandError> {
    let text = str::from_utf8(line).map_err(|_| CommandError::NotUtf8)?;
    Ok(json::read(text.trim())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_streams_are_read() {
        assert!(read_fields(b" {\"v\": 1.0}\r").is_ok_and(|value| matches!(value, Value::Map(_))));
        assert!(read_fields(b"\xff").is_err() && read_fields(b"{\"v\": 1.0,}").is_err());
    }
}
