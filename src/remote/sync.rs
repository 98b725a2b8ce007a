//! Tokens: the permission of clients for the next steps.

use std::collections::{BTreeMap, VecDeque};

use swarmarium_core::service::{Fields, Value};
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::description::Pacing;
use swarmarium_simulation::simulation::Simulation;

use super::error::CommandError;
use super::json::{self, JsonError};
use super::server::Permit;

/// The largest number of steps for a client that shut down its side for writing: the client may not read any more.
pub const MAX_LAST_STEPS: u64 = 10_000;

/// Commands for actuators, by the names of their components.
pub type Commands = Fields;

/// The reason why a token is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TokenError {
    /// The line is not UTF-8.
    #[error("a line is not UTF-8")]
    NotUtf8,
    /// The line is not a token.
    #[error("expected step, step N or step N {{\"robot.actuator\": {{…}}}}")]
    ExpectedStep,
    /// The number of steps is not a whole number from 1 to 2⁶⁴ − 1.
    #[error("expected a whole number of steps ≥ 1, such as step 20, found `{}`", shown(.0))]
    ExpectedCount(String),
    /// The commands are not JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// A command is refused.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The simulation was restarted before the steps were done.
    #[error("the simulation began again")]
    Restarted,
    /// The client shut down its side for writing and counted too many steps.
    #[error("a client that shut down its side for writing gets at most {} steps", MAX_LAST_STEPS)]
    HalfClosed,
}

/// The source of the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The clock of the host.
    Clock,
    /// The clients, and all of them sent a token.
    Step,
    /// The clients, and a token is missing.
    Wait,
}

/// The tokens of all clients.
pub struct Tokens {
    clients: BTreeMap<u64, VecDeque<Token>>,
    /// The number of clients that must be connected before the first step.
    min_clients: usize,
    has_begun: bool,
}

/// The permission of a client for some steps.
struct Token {
    steps: u64,
    /// Commands for the first of the steps.
    commands: Commands,
    /// Whether the client gets an answer when the steps are done.
    is_counted: bool,
    permit: Permit,
}

impl Tokens {
    /// No client is connected yet.
    pub fn new(pacing: Pacing) -> Self {
        let min_clients = match pacing {
            Pacing::External { min_clients, .. } => min_clients as usize,
            Pacing::Internal => 0,
        };
        Self { clients: BTreeMap::new(), min_clients, has_begun: false }
    }

    /// Removes all tokens, and returns the clients and permits of the counted ones. The clients stay.
    pub fn restart(&mut self, pacing: Pacing) -> Vec<(u64, Permit)> {
        let mut clients = std::mem::take(&mut self.clients);
        let void = clients.iter_mut().flat_map(|(client, tokens)| tokens.drain(..).map(|token| (*client, token)));
        let void = void.filter(|(_, token)| token.is_counted).map(|(client, token)| (client, token.permit)).collect();
        *self = Self {
            clients: clients.into_keys().map(|client| (client, VecDeque::new())).collect(),
            ..Self::new(pacing)
        };
        void
    }

    /// Whether a client has a token whose steps are not done.
    pub fn has_any(&self, client: u64) -> bool {
        self.clients.get(&client).is_some_and(|tokens| !tokens.is_empty())
    }

    /// Adds a client.
    pub fn join(&mut self, client: u64) {
        self.clients.insert(client, VecDeque::new());
    }

    /// Cancels the tokens of a half-closed client, from the first one beyond [`MAX_LAST_STEPS`] on. Returns the permits of
    /// the counted ones.
    pub fn cancel_excess(&mut self, client: u64) -> Vec<Permit> {
        let Some(tokens) = self.clients.get_mut(&client) else { return Vec::new() };
        let mut steps = 0_u64;
        let fits = |token: &Token| {
            steps = steps.saturating_add(token.steps);
            steps <= MAX_LAST_STEPS
        };
        let kept = tokens.iter().map(fits).take_while(|fits| *fits).count();
        tokens.drain(kept..).filter(|token| token.is_counted).map(|token| token.permit).collect()
    }

    /// Removes a client. Steps no longer wait for its tokens.
    pub fn leave(&mut self, client: u64) {
        self.clients.remove(&client);
    }

    /// Adds a token for one step, as in MORSE.
    pub fn add_bare(&mut self, client: u64) {
        let Some(tokens) = self.clients.get_mut(&client) else { return };
        match tokens.back_mut() {
            Some(last) if !last.is_counted => last.steps = last.steps.saturating_add(1),
            _ => tokens.push_back(Token { steps: 1, commands: Vec::new(), is_counted: false, permit: None }),
        }
    }

    /// Adds a token for a number of steps.
    pub fn add_counted(&mut self, client: u64, steps: u64, commands: Commands, permit: Permit) {
        if let Some(tokens) = self.clients.get_mut(&client) {
            tokens.push_back(Token { steps, commands, is_counted: true, permit });
        }
    }

    /// The source of the next step.
    pub fn pace(&self) -> Pace {
        let is_complete = self.has_begun || self.clients.len() >= self.min_clients;
        if !is_complete {
            Pace::Wait
        } else if self.clients.is_empty() {
            Pace::Clock
        } else if self.clients.values().all(|tokens| !tokens.is_empty()) {
            Pace::Step
        } else {
            Pace::Wait
        }
    }

    /// Takes the commands for the step that begins, by client.
    pub fn begin_step(&mut self) -> Vec<(u64, Commands)> {
        self.has_begun = true;
        let front = |(client, tokens): (&u64, &mut VecDeque<Token>)| {
            let commands = std::mem::take(&mut tokens.front_mut()?.commands);
            (!commands.is_empty()).then_some((*client, commands))
        };
        self.clients.iter_mut().filter_map(front).collect()
    }

    /// Counts a step of each client, and returns the answers to the tokens that are used up: client, line and permit.
    pub fn end_step(&mut self, simulation: &Simulation) -> Vec<(u64, String, Permit)> {
        let mut answers = Vec::new();
        for (client, tokens) in &mut self.clients {
            let Some(token) = tokens.front_mut() else { continue };
            token.steps = token.steps.saturating_sub(1);
            if token.steps == 0
                && let Some(token) = tokens.pop_front()
                && token.is_counted
            {
                let mut line = format!("stepped {} ", simulation.steps());
                json::write_number(simulation.time().now_s(), &mut line);
                line.push('\n');
                answers.push((*client, line, token.permit));
            }
        }
        answers
    }
}

/// Reads a line with a token: `step` or `step N`, and commands for the first of the steps, as on the stream of all data.
/// `None` for an empty line.
///
/// # Errors
/// When the line is not a token.
pub fn read(line: &[u8]) -> Result<Option<(u64, Option<Commands>)>, TokenError> {
    let text = str::from_utf8(line).map_err(|_| TokenError::NotUtf8)?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let rest = text.strip_prefix("step").ok_or(TokenError::ExpectedStep)?;
    let is_end = |c: char| c.is_whitespace() || c == '{';
    if !rest.is_empty() && !rest.starts_with(is_end) {
        return Err(TokenError::ExpectedStep);
    }
    let rest = rest.trim_start();
    let (count, commands) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
    let steps = match count {
        "" => 1,
        count => {
            let is_whole = count.bytes().all(|digit| digit.is_ascii_digit());
            let steps = count.parse().ok().filter(|steps| is_whole && *steps > 0);
            steps.ok_or_else(|| TokenError::ExpectedCount(count.to_owned()))?
        }
    };
    match commands.trim_start() {
        "" => Ok(Some((steps, None))),
        commands if commands.starts_with('{') => match json::read(commands)? {
            Value::Map(commands) => Ok(Some((steps, Some(commands)))),
            _ => Err(TokenError::ExpectedStep),
        },
        _ => Err(TokenError::ExpectedStep),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sync_tokens_are_parsed() {
        assert_eq!(read(b"step"), Ok(Some((1, None))));
        assert_eq!(read(b" step 20\r"), Ok(Some((20, None))));
        assert_eq!(read(b"\r"), Ok(None));
        let commands = vec![("a.b".to_owned(), Value::Map(vec![("v".into(), Value::Int(1))]))];
        assert_eq!(read(b"step 2 {\"a.b\": {\"v\": 1}}"), Ok(Some((2, Some(commands.clone())))));
        assert_eq!(read(b"step {\"a.b\": {\"v\": 1}}"), Ok(Some((1, Some(commands)))));
        for bad in ["steps", "step x", "step 0", "step 99999999999999999999", "step 1 [", "step 1 []", "go", "step -1"]
        {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
        for (bad, found) in
            [("step 1e3", "1e3"), ("step 2.5 {}", "2.5"), ("step -1", "-1"), ("step ten{}", "ten"), ("step +1", "+1")]
        {
            let message = format!("expected a whole number of steps ≥ 1, such as step 20, found `{found}`");
            assert_eq!(read(bad.as_bytes()).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn a_step_needs_a_sync_token_of_each_client() {
        let mut tokens = Tokens::new(Pacing::External { port: 0, min_clients: 2 });
        assert_eq!(tokens.pace(), Pace::Wait);
        tokens.join(1);
        tokens.add_bare(1);
        assert_eq!(tokens.pace(), Pace::Wait, "the other client is not connected");
        tokens.join(2);
        assert_eq!(tokens.pace(), Pace::Wait);
        tokens.add_counted(2, 3, Vec::new(), None);
        assert_eq!(tokens.pace(), Pace::Step);
        tokens.begin_step();
        tokens.leave(1);
        assert_eq!(tokens.pace(), Pace::Step, "no step waits for a client that left");
        tokens.leave(2);
        assert_eq!(tokens.pace(), Pace::Clock);
        assert_eq!(Tokens::new(Pacing::Internal).pace(), Pace::Clock);
    }

    #[test]
    fn excess_tokens_of_a_half_closed_client_are_cancelled() {
        let mut tokens = Tokens::new(Pacing::Internal);
        tokens.join(1);
        tokens.add_counted(1, 20, Vec::new(), None);
        assert!(tokens.cancel_excess(1).is_empty() && tokens.has_any(1));
        tokens.add_counted(1, u64::MAX, Vec::new(), None);
        tokens.add_counted(1, 1, Vec::new(), None);
        assert_eq!(tokens.cancel_excess(1).len(), 2);
        assert!(tokens.has_any(1), "the twenty steps are done");
        assert!(tokens.cancel_excess(2).is_empty());
    }

    #[test]
    fn a_restart_refuses_counted_sync_tokens() {
        let mut tokens = Tokens::new(Pacing::Internal);
        tokens.join(1);
        tokens.join(2);
        tokens.add_counted(1, 3, Vec::new(), None);
        tokens.add_counted(1, 1, Vec::new(), None);
        tokens.add_bare(2);
        let refused: Vec<u64> = tokens.restart(Pacing::Internal).into_iter().map(|(client, _)| client).collect();
        assert_eq!(refused, [1, 1], "bare tokens have no answers");
        assert!(!tokens.has_any(1) && !tokens.has_any(2));
        assert_eq!(tokens.pace(), Pace::Wait, "the clients are still connected");
    }
}
