//! The observer: copies the state that is due from a simulation after a step.

use std::collections::BTreeSet;
use std::mem;

use swarmarium_core::events::EventKind;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::simulation::Simulation;

use super::batch::{Batch, Channel, Channels};
use super::cdr::Cdr;
use super::definitions::MessageType;
use super::grids::{Fields, Floors};
use super::markers::{Bodies, links};
use super::scans::Scans;
use super::topics::{LogOptions, LogRate, RESERVED, TopicKind, in_topic, unique};
use super::transforms::WORLD;

/// A robot in the log.
#[derive(Clone, Debug)]
pub(super) struct Robot {
    /// The name of its frame: its own name, unless another frame has it.
    pub name: String,
    /// Its name in topics.
    pub topic: String,
}

/// Copies the state that is due from a simulation.
#[derive(Debug)]
pub(super) struct Observer {
    rates: [Option<LogRate>; TopicKind::ALL.len()],
    channels: Channels,
    /// The robots and the number of changes of parameters that the parts below are made for.
    roster: u64,
    sets: u64,
    robots: Vec<Robot>,
    /// Whether the names of robots have changed since the last poses.
    has_new_names: bool,
    /// Whether there can be other range sensors, and other bodies, than at the last time that they were due.
    scans_stale: bool,
    bodies_stale: bool,
    scans: Scans,
    floors: Floors,
    fields: Fields,
    bodies: Bodies,
    /// The columns of metrics, and their topics.
    columns: Vec<String>,
    metrics: Vec<Channel>,
    /// The number of events so far.
    events: u64,
}

impl Observer {
    /// An observer that has seen nothing.
    pub fn new(options: &LogOptions) -> Self {
        Self {
            rates: TopicKind::ALL.map(|(kind, _)| options.rate_of(kind)),
            channels: Channels::default(),
            roster: 0,
            sets: u64::MAX,
            robots: Vec::new(),
            has_new_names: true,
            scans_stale: true,
            bodies_stale: true,
            scans: Scans::default(),
            floors: Floors::default(),
            fields: Fields::default(),
            bodies: Bodies::default(),
            columns: Vec::new(),
            metrics: Vec::new(),
            events: 0,
        }
    }

    /// The messages that are due now; all topics if it is the first time. `free` gives memory for poses.
    ///
    /// # Errors
    /// When there are too many topics.
    pub fn observe(
        &mut self,
        simulation: &Simulation,
        is_first: bool,
        free: impl FnOnce() -> Vec<[f64; 3]>,
    ) -> anyhow::Result<Option<Batch>> {
        let last = simulation.last_step();
        let (time, events) = (last.time, last.events);
        let due = self.rates.map(|rate| rate.is_some_and(|rate| is_first || rate.is_due(time.step, time.dt_s)));
        let is_due = |kind: TopicKind| due[kind as usize];
        let has_events = self.rates[TopicKind::Log as usize].is_some() && (events > self.events || is_first);
        if !has_events && TopicKind::ALL.iter().all(|(kind, _)| *kind == TopicKind::Log || !is_due(*kind)) {
            return Ok(None);
        }
        let time_ns = (time.step as f64 * time.dt_s * 1e9).round() as u64;
        let mut batch = Batch { time_ns, ..Batch::default() };
        self.note_changes(simulation);
        if is_due(TopicKind::Scans) {
            let are_stale = mem::take(&mut self.scans_stale);
            self.scans.add(simulation, &self.robots, are_stale, &mut self.channels, &mut batch)?;
        }
        if is_due(TopicKind::Poses) {
            batch.poses_channel = Some(self.channels.get("/tf".into(), MessageType::Transforms, &mut batch)?);
            batch.poses = free();
            if is_first {
                // Edits since the last step may have moved robots.
                let row = |agent: AgentView| [agent.pose.position_m.x, agent.pose.position_m.y, agent.pose.heading_rad];
                batch.poses.clear();
                batch.poses.extend(simulation.agents().map(row));
            } else {
                simulation.poses_after_step(&mut batch.poses);
            }
            if mem::take(&mut self.has_new_names) {
                batch.names = Some(self.robots.iter().map(|robot| robot.name.clone()).collect());
            }
        }
        if is_due(TopicKind::Floors) {
            self.floors.add(simulation, &mut self.channels, &mut batch)?;
        }
        if is_due(TopicKind::Fields) {
            self.fields.add(simulation, &mut self.channels, &mut batch)?;
        }
        if is_due(TopicKind::Bodies) {
            let are_stale = mem::take(&mut self.bodies_stale);
            self.bodies.add(simulation, &self.robots, are_stale, &mut self.channels, &mut batch)?;
        }
        if is_due(TopicKind::Links) {
            let channel = self.channels.get("/links".into(), MessageType::Markers, &mut batch)?;
            batch.messages.push((channel, links(simulation, time_ns)));
        }
        if is_due(TopicKind::Metrics) {
            self.add_metrics(simulation, &mut batch)?;
        }
        if has_events {
            self.add_log(simulation, is_first, &mut batch)?;
        }
        self.events = events;
        Ok(Some(batch).filter(|batch| !batch.is_empty()))
    }

    /// If robots or parameters have changed since the last time, names of robots are made anew, and scans and bodies are stale
    /// until they are due.
    fn note_changes(&mut self, simulation: &Simulation) {
        let (roster, sets) = (simulation.roster_tag(), simulation.sets());
        if (self.roster, self.sets) == (roster, sets) {
            return;
        }
        (self.roster, self.sets) = (roster, sets);
        let mut topics: BTreeSet<String> = RESERVED.map(str::to_owned).into();
        let mut frames = BTreeSet::from([WORLD.to_owned()]);
        let robots = simulation.agents().map(|agent| {
            let (name, number) = (agent.name(), agent.id.index() as usize);
            Robot { topic: unique(&mut topics, in_topic(&name), number), name: unique(&mut frames, name, number) }
        });
        self.robots = robots.collect();
        (self.has_new_names, self.scans_stale, self.bodies_stale) = (true, true, true);
    }

    fn add_metrics(&mut self, simulation: &Simulation, batch: &mut Batch) -> anyhow::Result<()> {
        let (values, step) = (simulation.observed(), simulation.steps());
        // Before the first step, there are no values.
        let columns = if values.is_empty() { Vec::new() } else { simulation.metric_columns() };
        if self.columns != columns {
            self.metrics.clear();
            let mut taken = BTreeSet::new();
            for (place, column) in columns.iter().enumerate() {
                let parts: Vec<String> = column.split('.').map(in_topic).collect();
                let topic = unique(&mut taken, format!("/metrics/{}", parts.join("/")), place);
                self.metrics.push(self.channels.get(topic, MessageType::Metric, batch)?);
            }
            self.columns = columns;
        }
        let messages = self.metrics.iter().zip(values);
        batch.messages.extend(messages.map(|(channel, value)| (*channel, metric(batch.time_ns, step, *value))));
        Ok(())
    }

    fn add_log(&mut self, simulation: &Simulation, is_first: bool, batch: &mut Batch) -> anyhow::Result<()> {
        let mut entries = Vec::new();
        if is_first {
            let warnings = simulation.without_room();
            entries.extend(warnings.iter().map(|problem| (WARN, "scene".to_owned(), problem.to_string())));
        }
        // Events before the log began are not in it.
        let new = if is_first { 0 } else { simulation.events().count().saturating_sub(self.events) };
        let all = simulation.events().iter();
        let known = all.len().saturating_sub(usize::try_from(new).unwrap_or(usize::MAX));
        for event in all.skip(known) {
            let name = simulation.agent(event.who.index()).map_or_else(String::new, |agent| agent.name());
            entries.push((level(event.kind), name, event.text.to_string()));
        }
        for (level, name, text) in entries {
            let channel = self.channels.get("/rosout".into(), MessageType::Log, batch)?;
            let mut message = Cdr::default();
            message.time(batch.time_ns);
            message.u8(level);
            message.text(&name);
            message.text(&text);
            // No file, no function, no line.
            message.text("");
            message.text("");
            message.u32(0);
            batch.messages.push((channel, message.into_bytes()));
        }
        Ok(())
    }
}

const INFO: u8 = 20;
const WARN: u8 = 30;
const ERROR: u8 = 40;

/// The level of an event in the log.
fn level(kind: EventKind) -> u8 {
    match kind {
        EventKind::Collision | EventKind::Fault | EventKind::NoRoom => WARN,
        EventKind::Script => ERROR,
        EventKind::Switch | EventKind::Grip | EventKind::Print => INFO,
    }
}

/// A message about the value of a metric.
pub(super) fn metric(time_ns: u64, step: u64, value: f64) -> Vec<u8> {
    let mut message = Cdr::default();
    message.time(time_ns);
    message.u64(step);
    message.f64s(&[value]);
    message.into_bytes()
}
