//! Tokens: clients that say when a step is done.

use std::collections::{BTreeMap, VecDeque};

use swarmarium_core::scene::description::Pacing;
use swarmarium_core::service::Value;
use swarmarium_core::simulation::Simulation;

use super::server::Permit;
use super::{Commands, json};

/// The most steps that are still done for a client that shut down its side for writing: it may be gone.
pub const MOST_LAST_STEPS: u64 = 10_000;

/// Who says when the next step is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The clock of the host.
    Clock,
    /// Clients, and they said so.
    Step,
    /// Clients, and they have not said so yet.
    Wait,
}

/// What clients said about steps.
pub struct Tokens {
    clients: BTreeMap<u64, VecDeque<Token>>,
    /// How many clients must be there before the first step.
    wait_for: usize,
    has_begun: bool,
}

/// Steps that a client allows.
struct Token {
    steps: u64,
    /// What it orders for the first of them.
    commands: Commands,
    /// Whether it is told when they are done.
    is_counted: bool,
    room: Permit,
}

impl Tokens {
    /// Nobody said anything yet.
    pub fn of(pacing: Pacing) -> Self {
        let wait_for = match pacing {
            Pacing::External { wait_for, .. } => wait_for as usize,
            Pacing::Internal => 0,
        };
        Self { clients: BTreeMap::new(), wait_for, has_begun: false }
    }

    /// Starts again: clients stay, and what they said before is void; whose tokens that they counted are.
    pub fn restarted(&mut self, pacing: Pacing) -> Vec<(u64, Permit)> {
        let mut clients = std::mem::take(&mut self.clients);
        let void = clients.iter_mut().flat_map(|(client, tokens)| tokens.drain(..).map(|token| (*client, token)));
        let void = void.filter(|(_, token)| token.is_counted).map(|(client, token)| (client, token.room)).collect();
        *self =
            Self { clients: clients.into_keys().map(|client| (client, VecDeque::new())).collect(), ..Self::of(pacing) };
        void
    }

    /// Whether a client has said something that is not done.
    pub fn has_any(&self, client: u64) -> bool {
        self.clients.get(&client).is_some_and(|tokens| !tokens.is_empty())
    }

    /// A client came.
    pub fn join(&mut self, client: u64) {
        self.clients.insert(client, VecDeque::new());
    }

    /// Cancels the tokens of a client that shut down its side for writing, from the first one beyond
    /// [`MOST_LAST_STEPS`] on. Returns the rooms of the cancelled tokens that it counted.
    pub fn cut(&mut self, client: u64) -> Vec<Permit> {
        let Some(tokens) = self.clients.get_mut(&client) else { return Vec::new() };
        let mut steps = 0_u64;
        let fits = |token: &Token| {
            steps = steps.saturating_add(token.steps);
            steps <= MOST_LAST_STEPS
        };
        let kept = tokens.iter().map(fits).take_while(|fits| *fits).count();
        tokens.drain(kept..).filter(|token| token.is_counted).map(|token| token.room).collect()
    }

    /// A client left; nobody waits for it any more.
    pub fn leave(&mut self, client: u64) {
        self.clients.remove(&client);
    }

    /// A client sent something, which is one step in MORSE.
    pub fn bare(&mut self, client: u64) {
        let Some(tokens) = self.clients.get_mut(&client) else { return };
        match tokens.back_mut() {
            Some(last) if !last.is_counted => last.steps = last.steps.saturating_add(1),
            _ => tokens.push_back(Token { steps: 1, commands: Vec::new(), is_counted: false, room: None }),
        }
    }

    /// A client counted steps.
    pub fn counted(&mut self, client: u64, steps: u64, commands: Commands, room: Permit) {
        if let Some(tokens) = self.clients.get_mut(&client) {
            tokens.push_back(Token { steps, commands, is_counted: true, room });
        }
    }

    /// Who says when the next step is done.
    pub fn pace(&self) -> Pace {
        let are_there = self.has_begun || self.clients.len() >= self.wait_for;
        if !are_there {
            Pace::Wait
        } else if self.clients.is_empty() {
            Pace::Clock
        } else if self.clients.values().all(|tokens| !tokens.is_empty()) {
            Pace::Step
        } else {
            Pace::Wait
        }
    }

    /// What clients order for the step that begins.
    pub fn begin(&mut self) -> Vec<(u64, Commands)> {
        self.has_begun = true;
        let front = |(client, tokens): (&u64, &mut VecDeque<Token>)| {
            let commands = std::mem::take(&mut tokens.front_mut()?.commands);
            (!commands.is_empty()).then_some((*client, commands))
        };
        self.clients.iter_mut().filter_map(front).collect()
    }

    /// Takes a step off what each client allows; who is told that all of its steps are done, and how.
    pub fn after_step(&mut self, simulation: &Simulation) -> Vec<(u64, String, Permit)> {
        let mut told = Vec::new();
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
                told.push((*client, line, token.room));
            }
        }
        told
    }
}

/// Reads a line with a token: `step`, `step N`, and what is ordered for the first of the steps, as on the stream of all
/// data. `None` for an empty line.
///
/// # Errors
/// Says what is wrong.
pub fn read(line: &[u8]) -> Result<Option<(u64, Option<Commands>)>, String> {
    let text = str::from_utf8(line).map_err(|_| "a line is not UTF-8")?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let expected = || "expected step, step N or step N {\"robot.actuator\": {…}}".to_owned();
    let rest = text.strip_prefix("step").ok_or_else(expected)?;
    if !rest.is_empty() && !rest.starts_with(|c: char| c.is_whitespace() || c == '{') {
        return Err(expected());
    }
    let rest = rest.trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let steps = match &rest[..digits] {
        "" => 1,
        digits => digits.parse().ok().filter(|steps| *steps > 0).ok_or("expected a number of steps ≥ 1")?,
    };
    match rest[digits..].trim_start() {
        "" => Ok(Some((steps, None))),
        commands => match json::read(commands)? {
            Value::Map(commands) => Ok(Some((steps, Some(commands)))),
            _ => Err(expected()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read() {
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
    }

    #[test]
    fn a_step_needs_a_token_of_each_client() {
        let mut tokens = Tokens::of(Pacing::External { port: 0, wait_for: 2 });
        assert_eq!(tokens.pace(), Pace::Wait);
        tokens.join(1);
        tokens.bare(1);
        assert_eq!(tokens.pace(), Pace::Wait, "the other one is not there");
        tokens.join(2);
        assert_eq!(tokens.pace(), Pace::Wait);
        tokens.counted(2, 3, Vec::new(), None);
        assert_eq!(tokens.pace(), Pace::Step);
        tokens.begin();
        tokens.leave(1);
        assert_eq!(tokens.pace(), Pace::Step, "nobody waits for one that left");
        tokens.leave(2);
        assert_eq!(tokens.pace(), Pace::Clock);
        assert_eq!(Tokens::of(Pacing::Internal).pace(), Pace::Clock);
    }

    #[test]
    fn tokens_that_are_too_large_end_with_their_client() {
        let mut tokens = Tokens::of(Pacing::Internal);
        tokens.join(1);
        tokens.counted(1, 20, Vec::new(), None);
        assert!(tokens.cut(1).is_empty() && tokens.has_any(1));
        tokens.counted(1, u64::MAX, Vec::new(), None);
        tokens.counted(1, 1, Vec::new(), None);
        assert_eq!(tokens.cut(1).len(), 2);
        assert!(tokens.has_any(1), "the twenty steps are done");
        assert!(tokens.cut(2).is_empty());
    }

    #[test]
    fn who_waits_for_steps_is_told_that_all_begins_again() {
        let mut tokens = Tokens::of(Pacing::Internal);
        tokens.join(1);
        tokens.join(2);
        tokens.counted(1, 3, Vec::new(), None);
        tokens.counted(1, 1, Vec::new(), None);
        tokens.bare(2);
        let told: Vec<u64> = tokens.restarted(Pacing::Internal).into_iter().map(|(client, _)| client).collect();
        assert_eq!(told, [1, 1], "bare tokens have no answers");
        assert!(!tokens.has_any(1) && !tokens.has_any(2));
        assert_eq!(tokens.pace(), Pace::Wait, "they are still there");
    }
}
