//! The sockets of a scene: MORSE's services and data streams, one stream for all data, and tokens for steps.
//!
//! A host owns a [`Remote`] beside its [`Host`] and gives both their time. One thread listens; what clients ask for is
//! answered here, between steps, and what they change waits for the start of the next step: as edits, in the order of
//! clients and of what each of them said. So nothing depends on which of two clients was a little faster.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use swarmarium_core::actuator::INTERRUPT;
use swarmarium_core::clock::Host;
use swarmarium_core::edit::Edit;
use swarmarium_core::service::{Fields, Part, Value};
use swarmarium_core::simulation::Simulation;

mod answer;
mod board;
mod communication;
mod desk;
mod ids;
mod jobs;
pub mod json;
pub mod line;
mod link;
mod scenery;
mod server;
mod streams;
mod supervision;
mod sync;
mod time;
mod token;
mod waiting;

use board::Board;
use desk::RequestHandler;
use jobs::Jobs;
use server::{Endpoint, Event, Out, Permit, Server, What};
use streams::Ports;
use sync::{Pace, Tokens};
use waiting::{Queue, Waiting};

/// The port of services when nothing else is said, as in MORSE.
pub const SERVICES_PORT: u16 = 4000;
/// The first port of streams when nothing else is said, as in MORSE.
pub const STREAMS_PORT: u16 = 60_000;
/// The most that is dealt with before the next step may be done, and for how long: what is left comes after it.
const MAX_EVENTS: usize = 4096;
const MAX_SERVING: Duration = Duration::from_millis(5);
/// The most clients that still read data after they shut down their side for writing.
const MAX_SILENT_READERS: usize = 256;

/// How sockets are opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address that is listened at; clients of any but this machine must say a token.
    pub listen: IpAddr,
    /// What every client must say first: `token` and this word; a random one where there must be one.
    pub token: Option<String>,
    /// The port of services in place of that of the scene; 0 for any free ports, for all that the scene asks for.
    pub port: Option<u16>,
    /// Whether services and streams are opened when the scene asks for none.
    pub always: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { listen: Ipv4Addr::LOCALHOST.into(), token: None, port: None, always: false }
    }
}

/// The sockets of a scene, and all who are connected with them.
pub struct Remote {
    clients: BTreeMap<u64, Client>,
    board: Board,
    ports: Ports,
    tokens: Tokens,
    jobs: Jobs,
    /// Edits for the next step, by client and by the order in which it asked for them.
    waiting: Queue,
    /// Clients that say no more, and are still told what they asked for before.
    leaving: BTreeSet<u64>,
    has_quit: bool,
    /// Real and simulated seconds since the sockets were opened, or the simulation was made anew.
    real_s: f64,
    begin_s: f64,
    token: Option<String>,
    server: Server,
}

/// A client, for the host.
struct Client {
    door: Endpoint,
    out: Out,
    /// How many edits it asked for.
    orders: u64,
    /// What it said while it did not read what it was told: that is dealt with when it did.
    put_off: VecDeque<(What, Permit)>,
    /// Which requests came, and which were cancelled before they came.
    ids: ids::Ids,
    /// What it was already told about, so that it is told once.
    has_erred: bool,
    has_lost: bool,
}

impl Client {
    /// Whether too much waits to be read by it for another answer. Other doors than that of services answer little.
    fn is_behind(&self) -> bool {
        self.door == Endpoint::Services && self.out.is_full()
    }
}

impl Remote {
    /// Opens the sockets that the scene of a simulation asks for; `None` when it asks for none. `wake` is called when a
    /// client did something.
    ///
    /// # Errors
    /// When a port cannot be opened, nor one of the next ones.
    pub fn open(
        simulation: &Simulation,
        options: &Options,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Option<Self>> {
        let scene = simulation.scene();
        let Some(wanted) = streams::Wanted::of(scene, options) else { return Ok(None) };
        let token = match &options.token {
            None if !options.listen.is_loopback() => Some(token::random()?),
            token => token.clone(),
        };
        let server = Server::start(options.listen, token.clone(), wake)?;
        let board = Board::of(simulation);
        let ports = Ports::open(&server, wanted, &board)?;
        let tokens = Tokens::of(scene.time.pacing);
        Ok(Some(Self {
            clients: BTreeMap::new(),
            board,
            ports,
            tokens,
            jobs: Jobs::default(),
            waiting: Queue::default(),
            leaving: BTreeSet::new(),
            has_quit: false,
            real_s: 0.0,
            begin_s: simulation.time().now_s(),
            token,
            server,
        }))
    }

    /// Whether these sockets are those that a scene asks for, so that they can stay open for it.
    pub fn suits(&self, simulation: &Simulation, options: &Options) -> bool {
        streams::Wanted::of(simulation.scene(), options).is_some_and(|wanted| self.ports.wanted == wanted)
    }

    /// Goes on with another simulation, such as after a reset: clients stay, what went on for them is broken off, and the
    /// streams of components that there are no more are closed.
    pub fn restarted(&mut self, simulation: &Simulation) {
        self.waiting.take();
        (self.real_s, self.begin_s) = (0.0, simulation.time().now_s());
        for (client, id) in self.jobs.take_all() {
            self.reply(client, &id, "PREEMPTED", &Value::Null, None);
        }
        // Else those who wait for an answer would wait forever.
        for (client, room) in self.tokens.restarted(simulation.scene().time.pacing) {
            self.refuse_token(client, "the simulation began again".into(), room);
        }
        self.board = Board::of(simulation);
        self.follow_board();
        self.let_go();
    }

    /// Closes the streams of components that there are no more, and opens those that are asked for by number.
    fn follow_board(&mut self) {
        for name in self.ports.follow_board(&self.server, &self.board) {
            let stream = Endpoint::Stream(name);
            self.clients.retain(|_, client| client.door != stream);
        }
    }

    /// Gives the simulation of a host its time, with `real_s` seconds of real time since the last call: answers clients,
    /// and does a step if the clock, or all clients that send tokens, want one. The steps done.
    pub fn advance(&mut self, host: &mut Host, real_s: f64, mut on_step: impl FnMut(&Simulation)) -> u64 {
        self.real_s += real_s;
        self.serve(host);
        let dt_s = host.simulation().time().dt_s;
        let pace = self.tokens.pace();
        let is_due = match pace {
            Pace::Clock => host.clock().next_step_s(dt_s).is_some_and(|rest_s| rest_s <= real_s),
            Pace::Step => host.clock().next_step_s(dt_s).is_some(),
            Pace::Wait => false,
        };
        if is_due {
            self.begin_step(host);
        }
        let steps = match pace {
            Pace::Clock => host.advance(real_s, || false, &mut on_step),
            Pace::Step | Pace::Wait => host.advance_led(is_due.into(), real_s, &mut on_step),
        };
        if steps > 0 {
            self.end_step(host.simulation());
        }
        steps
    }

    /// Seconds of real time until [`advance`](Self::advance) has something to do; `None` while it waits for clients.
    pub fn next_s(&self, host: &Host) -> Option<f64> {
        match self.tokens.pace() {
            Pace::Clock => host.clock().next_step_s(host.simulation().time().dt_s),
            Pace::Step => host.clock().next_step_s(host.simulation().time().dt_s).map(|_| 0.0),
            Pace::Wait => None,
        }
    }

    /// Waits until a client does something, for so long at most.
    pub fn wait(&mut self, at_most: Duration) {
        self.server.wait(at_most);
    }

    /// Answers what clients asked for.
    pub fn serve(&mut self, host: &mut Host) {
        let begin = Instant::now();
        for _ in 0..MAX_EVENTS {
            let Some(event) = self.server.next() else { break };
            self.deal_with(event, host);
            if begin.elapsed() > MAX_SERVING {
                break;
            }
        }
    }

    /// How far simulated time is before real time, since both were looked at first, in seconds.
    fn ahead_s(&self, simulation: &Simulation) -> f64 {
        simulation.time().now_s() - self.begin_s - self.real_s
    }

    /// Whether a client asked for the end.
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// What there is to tell people about clients since the last call.
    pub fn notes(&self) -> Vec<String> {
        self.server.notes.take()
    }

    /// What must be said first by all clients.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Whether time stands still until clients say that it may go on.
    pub fn waits_for_clients(&self) -> bool {
        self.tokens.pace() == Pace::Wait
    }

    /// How many clients there are.
    pub fn clients(&self) -> usize {
        self.clients.len()
    }

    /// How many components clients can reach.
    pub fn components(&self) -> usize {
        self.board.components.iter().filter(|component| !component.links.is_empty()).count()
    }

    /// The port of services.
    pub fn services_port(&self) -> Option<u16> {
        self.ports.services
    }

    /// The port of the stream of all data.
    pub fn all_port(&self) -> Option<u16> {
        self.ports.all
    }

    /// The port that tokens for steps are sent to.
    pub fn sync_port(&self) -> Option<u16> {
        self.ports.sync
    }

    /// What is open, in words, one thing each.
    pub fn open_ports(&self) -> Vec<String> {
        self.ports.told()
    }

    fn deal_with(&mut self, Event { client, what, room }: Event, host: &mut Host) {
        match what {
            What::Joined(door, out) => self.join(client, door, out),
            What::Gone => self.drop_client(client),
            What::Read => self.go_on(client, host),
            what => self.hear(client, what, room, host),
        }
    }

    /// Takes what a client said, or puts it off while the client does not read what it is told: then it is also read no
    /// further, as the room of its lines is taken.
    fn hear(&mut self, client: u64, what: What, room: Permit, host: &mut Host) {
        match self.clients.get_mut(&client) {
            Some(known) if !known.put_off.is_empty() || known.is_behind() => known.put_off.push_back((what, room)),
            _ => self.take_in(client, what, room, host),
        }
    }

    /// Goes on with what was put off.
    fn go_on(&mut self, client: u64, host: &mut Host) {
        while let Some(known) = self.clients.get_mut(&client).filter(|known| !known.is_behind()) {
            let Some((what, room)) = known.put_off.pop_front() else { break };
            self.take_in(client, what, room, host);
        }
    }

    fn take_in(&mut self, client: u64, what: What, room: Permit, host: &mut Host) {
        match what {
            What::Joined(..) | What::Gone | What::Read => {}
            What::Left => {
                self.leaving.insert(client);
                for room in self.tokens.cut(client) {
                    let most = sync::MOST_LAST_STEPS;
                    let why = format!("a client that shut down its side for writing gets at most {most} steps");
                    self.refuse_token(client, why, room);
                }
                self.let_go();
            }
            What::Token => self.tokens.bare(client),
            What::Line(line) => match self.clients.get(&client).map(|known| known.door.clone()) {
                Some(Endpoint::Services) => self.request(client, &line, room, host),
                Some(Endpoint::Stream(name)) => self.stream_line(client, &name, &line, host),
                Some(Endpoint::All) => self.all_line(client, &line, host),
                Some(Endpoint::Sync) => self.token_line(client, &line, room, host),
                None => {}
            },
        }
    }

    fn join(&mut self, client: u64, door: Endpoint, out: Out) {
        match &door {
            Endpoint::Stream(name) if self.board.find(name).is_none() => return,
            Endpoint::Stream(name) => self.ports.follow(name, client),
            Endpoint::All => self.ports.followers_of_all.push(client),
            Endpoint::Sync => self.tokens.join(client),
            Endpoint::Services => {}
        }
        let (orders, put_off, ids, has_erred, has_lost) = Default::default();
        let new = Client { door, out, orders, put_off, ids, has_erred, has_lost };
        self.clients.insert(client, new);
    }

    /// Drops the clients that shut down their side for writing and whose steps and requests are done. Readers of data
    /// stay until they close the connection, except the oldest beyond [`MAX_SILENT_READERS`]: while no data are sent,
    /// the server does not notice a closed connection.
    fn let_go(&mut self) {
        let leaving = self.leaving.iter().copied();
        let (readers, others): (Vec<u64>, Vec<u64>) = leaving.partition(|client| self.reads_data(*client));
        let is_done = |client: &u64| !self.jobs.has_any(*client) && !self.tokens.has_any(*client);
        let done = others.into_iter().filter(is_done);
        let excess = readers.len().saturating_sub(MAX_SILENT_READERS);
        let gone: Vec<u64> = done.chain(readers.into_iter().take(excess)).collect();
        gone.into_iter().for_each(|client| self.drop_client(client));
    }

    /// Whether a client is sent data.
    fn reads_data(&self, client: u64) -> bool {
        match self.clients.get(&client).map(|known| &known.door) {
            Some(Endpoint::All) => true,
            Some(Endpoint::Stream(name)) => {
                self.board.find(name).is_some_and(|component| matches!(component.id.part, Part::Sensor(_)))
            }
            _ => false,
        }
    }

    fn drop_client(&mut self, client: u64) {
        self.leaving.remove(&client);
        let Some(gone) = self.clients.remove(&client) else { return };
        match &gone.door {
            Endpoint::Stream(name) => self.ports.unfollow(name, client),
            Endpoint::All => self.ports.followers_of_all.retain(|follower| *follower != client),
            Endpoint::Sync => self.tokens.leave(client),
            Endpoint::Services => self.jobs.forget(client),
        }
    }

    /// Answers a line of a client of services.
    fn request(&mut self, client: u64, text: &[u8], room: Permit, host: &mut Host) {
        match line::read(text) {
            line::Line::Empty => {}
            line::Line::Cancel { id } => self.cancel(client, &id, host),
            line::Line::Bad { id, error } => self.reply(client, &id, "FAILED", &Value::Text(error), room),
            line::Line::Request(request) => {
                let known = self.clients.get_mut(&client);
                let was_cancelled = known.is_some_and(|known| known.ids.note_request(&request.id));
                let answer = RequestHandler { remote: self, host, client }.answer(&request, was_cancelled);
                match answer {
                    Ok(Some(value)) => self.reply(client, &request.id, "SUCCESS", &value, room),
                    Ok(None) if was_cancelled => self.reply(client, &request.id, "PREEMPTED", &Value::Null, room),
                    Ok(None) => {}
                    Err(error) => self.reply(client, &request.id, "FAILED", &Value::Text(error), room),
                }
            }
        }
    }

    /// Breaks off what goes on for a request, or will when it comes: clients with several threads may say so too early.
    fn cancel(&mut self, client: u64, id: &str, host: &Host) {
        if let Some(job) = self.jobs.take(client, id) {
            self.interrupt(&job, host);
            return self.reply(client, id, "PREEMPTED", &Value::Null, None);
        }
        if let Some(known) = self.clients.get_mut(&client) {
            known.ids.note_cancel(id);
        }
    }

    /// Lets a component stop what it is at.
    fn interrupt(&mut self, job: &jobs::Job, host: &Host) {
        let jobs::Work::Task { component, .. } = job.work else { return };
        // What did not begin needs no end.
        if self.waiting.withdraw(job.serial) {
            return;
        }
        let name = self.board.components.iter().find(|known| known.id == component).map(|known| known.name.as_str());
        let waiting = self.waiting.of(name.unwrap_or_default());
        let answer = host.simulation().ask(component, INTERRUPT, &[], &waiting);
        if let Some(edit) = answer.ok().and_then(|answer| answer.edit) {
            self.order(job.client, edit, None);
        }
    }

    /// Sends the reply to a request.
    fn reply(&self, client: u64, id: &str, status: &str, value: &Value, room: Permit) {
        if let Some(client) = self.clients.get(&client) {
            client.out.send(reply_line(id, status, value), room);
        }
    }

    /// Sends the reply to a request that waited for a step, once the data of that step were sent.
    fn reply_after_data(&self, client: u64, id: &str, status: &str, value: &Value) {
        let Some(client) = self.clients.get(&client) else { return };
        let line = reply_line(id, status, value);
        match self.ports.has_followers() {
            true => client.out.send_after_data(line, None),
            false => client.out.send(line, None),
        }
    }

    /// Lets an edit of a client wait for the next step.
    fn order(&mut self, client: u64, edit: Edit, job: Option<u64>) {
        // Who has just left has no order any more.
        let order = self.clients.get_mut(&client).map_or(u64::MAX, |client| {
            client.orders += 1;
            client.orders
        });
        self.waiting.insert((client, order), Waiting { edit, job });
    }

    /// Takes what came on the stream of an actuator.
    fn stream_line(&mut self, client: u64, name: &str, line: &[u8], host: &Host) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if let Err(error) = fields_of(line).and_then(|fields| self.feed(client, name, &fields, host)) {
            self.erred(client, &format!("the stream of {name}: {error}"));
        }
    }

    /// Takes what came for several actuators at once.
    fn all_line(&mut self, client: u64, line: &[u8], host: &Host) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if let Err(error) = fields_of(line).and_then(|fields| self.feed_all(client, &fields, host)) {
            self.erred(client, &format!("the stream of all data: {error}"));
        }
    }

    /// Takes what came on the socket for tokens.
    fn token_line(&mut self, client: u64, line: &[u8], room: Permit, host: &Host) {
        match sync::read(line) {
            Ok(Some((steps, commands))) => {
                // One client's command for two actuators is wrong if it is for one of them.
                let edits = commands.unwrap_or_default();
                let checked = edits.iter().try_for_each(|(name, fields)| self.fed(name, fields, host, true).map(drop));
                match checked {
                    Ok(()) => self.tokens.counted(client, steps, edits, room),
                    Err(error) => self.refuse_token(client, error, room),
                }
            }
            Ok(None) => {}
            Err(error) => self.refuse_token(client, error, room),
        }
    }

    fn refuse_token(&self, client: u64, error: String, room: Permit) {
        if let Some(client) = self.clients.get(&client) {
            client.out.send(format!("failed {}\n", json::to_text(&Value::Text(error))).into_bytes(), room);
        }
    }

    /// The edit that gives an actuator what was sent for it. Only who is told an error is told near names.
    fn fed(&self, name: &str, fields: &Value, host: &Host, is_told: bool) -> Result<Edit, String> {
        let Value::Map(fields) = fields else { return Err("expected an object with names and values".into()) };
        let near = || if is_told { self.board.near(name) } else { String::new() };
        let unknown = || format!("there is no component `{name}`{}", near());
        let component = self.board.find(name).ok_or_else(unknown)?;
        host.simulation().feed(component.id, fields)
    }

    fn feed(&mut self, client: u64, name: &str, fields: &Value, host: &Host) -> Result<(), String> {
        let is_told = self.clients.get(&client).is_some_and(|client| !client.has_erred);
        let edit = self.fed(name, fields, host, is_told)?;
        // Of what one client sends to one actuator before a step, the last of each field counts.
        let last = self.waiting.last_of(client, name);
        if let (Edit::Feed { fields: new, .. }, Some(Edit::Feed { fields, .. })) = (&edit, last) {
            for (name, value) in new {
                match fields.iter_mut().find(|(known, _)| known == name) {
                    Some((_, known)) => known.clone_from(value),
                    None => fields.push((name.clone(), value.clone())),
                }
            }
        } else if self.waiting.has_room(client, Some(name)) {
            self.order(client, edit, None);
        } else {
            return Err("too many changes wait for the next step".into());
        }
        Ok(())
    }

    fn feed_all(&mut self, client: u64, all: &Value, host: &Host) -> Result<(), String> {
        let Value::Map(all) = all else { return Err("expected an object of components".into()) };
        // Those that are well are led, whatever is wrong with others; the first that is wrong is told.
        for (name, fields) in all {
            if let Err(error) = self.feed(client, name, fields, host) {
                self.erred(client, &format!("the stream of all data: {name}: {error}"));
            }
        }
        Ok(())
    }

    /// Tells once what a client does wrong.
    fn erred(&mut self, client: u64, error: &str) {
        if let Some(client) = self.clients.get_mut(&client)
            && !std::mem::replace(&mut client.has_erred, true)
        {
            self.server.notes.add(format!("{error} (what else is wrong with it is not told)"));
        }
    }

    /// Hands over what clients ordered for the step that is about to begin.
    fn begin_step(&mut self, host: &mut Host) {
        for (client, commands) in self.tokens.begin() {
            for (name, fields) in commands {
                if let Err(error) = self.feed(client, &name, &fields, host) {
                    self.erred(client, &format!("a token with a command for {name}: {error}"));
                }
            }
        }
        for ((client, _), Waiting { edit, job }) in self.waiting.take() {
            match (host.apply(edit), job) {
                (Ok(()), Some(job)) => self.jobs.began(job, host.simulation()),
                (Ok(()), None) => {}
                (Err(problem), Some(job)) => {
                    if let Some(job) = self.jobs.take_serial(job) {
                        self.reply(job.client, &job.id, "FAILED", &Value::Text(problem.to_string()), None);
                    }
                }
                (Err(problem), None) => self.erred(client, &problem.to_string()),
            }
        }
    }

    /// Tells clients of the step that was just done.
    fn end_step(&mut self, simulation: &Simulation) {
        if self.board.keep_up(simulation) {
            self.follow_board();
            for (client, id) in self.jobs.take_gone(&self.board.components) {
                self.reply(client, &id, "PREEMPTED", &Value::Null, None);
            }
        }
        // The data of a step are sent before the answers to requests that waited for it.
        self.publish(simulation);
        for jobs::Done { client, id, status, value } in self.jobs.after_step(simulation) {
            self.reply_after_data(client, &id, status, &value);
        }
        for (client, line, room) in self.tokens.after_step(simulation) {
            if let Some(client) = self.clients.get(&client) {
                client.out.send(line.into_bytes(), room);
            }
        }
        if !self.leaving.is_empty() {
            self.let_go();
        }
    }

    fn publish(&mut self, simulation: &Simulation) {
        let Self { ports, board, clients, server, .. } = self;
        let mut offer = |followers: &[u64], text: String| {
            let bytes: Arc<[u8]> = text.into_bytes().into();
            for follower in followers {
                let Some(client) = clients.get_mut(follower) else { continue };
                if !client.out.offer(&bytes) && !std::mem::replace(&mut client.has_lost, true) {
                    server.notes.add(format!("client {follower} reads too slowly: it misses messages"));
                }
            }
        };
        for (name, followers) in &ports.followers {
            let text = board.find(name).and_then(|component| streams::message(simulation, component.id));
            if let Some(text) = text {
                offer(followers, text + "\n");
            }
        }
        if !ports.followers_of_all.is_empty() {
            offer(&ports.followers_of_all, streams::message_of_all(simulation, board));
        }
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

/// What a line of a stream says.
fn fields_of(line: &[u8]) -> Result<Value, String> {
    let text = str::from_utf8(line).map_err(|_| "a line is not UTF-8".to_owned())?;
    json::read(text.trim())
}

/// Commands for actuators, by name.
type Commands = Fields;

#[cfg(test)]
mod tests;
