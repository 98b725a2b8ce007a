//! Pinned values: the number at a path, observed after every step.

use bevy::reflect::{PartialReflect, Reflect, ReflectRef};
use swarmarium_core::agent::Command;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::{capital, suggestion, words};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::path::{self, steps};
use swarmarium_simulation::edit::agents::PARTS;
use swarmarium_simulation::simulation::Simulation;

use crate::common::selection;
use crate::common::text::unit_of_field;
use crate::plots::error::PinError;
use crate::plots::formula::{Formula, looks_like_one};
use crate::plots::nearest;

/// The tooltip of the field for paths.
pub const HELP: &str = "Path of a number: a parameter, such as groups.0.controller.v_m_per_s or arena.size_m.x, or a \
     number of a robot, such as agents.0.x_m, agents.0.speed_m_per_s, agents.0.command.v_m_per_s, agents.0.body.radius_m, \
     agents.0.memory.…, agents.0.packets.2.age_s (the packet of robot 2), agents.0.readings.0 (sensor slot 0) or \
     agents.0.readings.0.3 (its channel 3). Use selected in place of agents.0 for the selected robot, and \
     mean(agents.0,agents.3) for the mean of several. A formula can contain paths, metrics, step and t_s, such as \
     selected.speed_m_per_s / max(circliness, 0.1) (Enter pins the value)";

/// The numbers of a robot that can be read at any time.
const NUMBERS: [(&str, fn(&AgentView, f64) -> f64); 8] = [
    ("x_m", |agent, _| agent.pose.position_m.x),
    ("y_m", |agent, _| agent.pose.position_m.y),
    ("heading_rad", |agent, _| agent.pose.heading_rad),
    ("speed_m_per_s", |agent, dt_s| agent.displacement_m().length() / dt_s),
    ("z_m", |agent, _| agent.component::<Attitude>().map_or(0.0, |attitude| attitude.z_m)),
    ("pitch_rad", |agent, _| agent.component::<Attitude>().map_or(0.0, |attitude| attitude.pitch_rad)),
    ("roll_rad", |agent, _| agent.component::<Attitude>().map_or(0.0, |attitude| attitude.roll_rad)),
    ("collisions", |agent, _| agent.bumps().map_or(0.0, |bumps| f64::from(bumps.count))),
];

/// The turn rate, which needs the headings of two steps.
const TURN: &str = "turn_rad_per_s";

/// The context in which pins are evaluated.
#[derive(Clone, Copy)]
pub struct Watched<'a> {
    /// The simulation.
    pub simulation: &'a Simulation,
    /// The number of the selected robot.
    pub selected: Option<u32>,
}

/// A pinned value.
#[derive(Clone, Debug)]
pub struct Pin {
    path: String,
    /// The name in words, and the unit.
    title: (String, &'static str),
    source: PinSource,
    /// The cached value, for values that are expensive to look up.
    value: f64,
    /// The last observed heading, for the turn rate.
    heading: Option<HeadingSample>,
}

/// An observed heading.
#[derive(Clone, Copy, Debug)]
struct HeadingSample {
    step: u64,
    agent: u32,
    heading_rad: f64,
}

/// The source of a value.
#[derive(Clone, Debug)]
enum PinSource {
    /// A parameter of the scene, at the path.
    Scene,
    /// A value of a robot.
    Agent(AgentRef, AgentValue),
    /// A formula over other values.
    Formula(Formula),
    /// The mean over the robots that exist.
    Mean(Vec<Pin>),
}

/// A reference to a robot.
#[derive(Clone, Copy, Debug)]
enum AgentRef {
    Number(u32),
    Selected,
}

/// A value of a robot.
#[derive(Clone, Debug)]
enum AgentValue {
    Number(fn(&AgentView, f64) -> f64),
    Turn,
    /// A field of the command.
    Command(String),
    Reading {
        slot: usize,
        /// `None` is allowed if there is one channel.
        channel: Option<usize>,
    },
    /// A path in the description of the robot.
    Parameter(String),
    /// A path in the memory of the controller.
    Memory(String),
    /// The age of the packet from a sender, in seconds.
    PacketAge(u32),
}

impl Pin {
    /// Finds the value at a path.
    ///
    /// # Errors
    /// When there is no such value; the error suggests others.
    pub fn new(watched: Watched, text: &str) -> Result<Self, PinError> {
        if let Some((agents, rest)) = mean(text) {
            let pin = Self::mean(watched, &agents, rest)?;
            return Ok(Self { title: title(&pin.path, watched), ..pin });
        }
        let pin = Self::at_path(watched, text).or_else(|why| match Formula::new(text, watched) {
            Ok(formula) => Ok(Self::of(text.trim().to_owned(), PinSource::Formula(formula))),
            Err(wrong) => Err(if looks_like_one(text.trim()) { wrong } else { why }),
        });
        let mut pin = pin?;
        pin.title = title(&pin.path, watched);
        pin.observe(watched, false);
        Ok(pin)
    }

    /// As [`new`](Self::new), without formulas.
    ///
    /// # Errors
    /// If the path has no number.
    pub fn at_path(watched: Watched, path: &str) -> Result<Self, PinError> {
        let path = normal(path).ok_or_else(|| PinError::NotAPath(path.into()))?;
        let source = PinSource::of(&path)?;
        let value = source.look(watched, &path).map_err(|error| match &source {
            PinSource::Scene if matches!(error, PinError::NoValue(_)) && !path.contains('.') => {
                nearest::no_such_value(watched.simulation, &path, &NUMBERS.map(|(name, _)| name))
            }
            _ => error,
        })?;
        Ok(Self { value, ..Self::of(path, source) })
    }

    /// Creates the mean of a number over several robots.
    fn mean(watched: Watched, agents: &[&str], rest: &str) -> Result<Self, PinError> {
        let pins: Result<Vec<Self>, PinError> =
            agents.iter().map(|agent| Self::new(watched, &format!("{agent}.{rest}"))).collect();
        Ok(Self::of(format!("mean({}).{rest}", agents.join(",")), PinSource::Mean(pins?)))
    }

    fn of(path: String, source: PinSource) -> Self {
        Self { path, title: (String::new(), ""), source, value: f64::NAN, heading: None }
    }

    /// Returns the name in words, and the unit.
    pub fn title(&self) -> (&str, &'static str) {
        (&self.title.0, self.title.1)
    }

    /// Returns the path with dots, or the formula.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Updates the value after a step. Parameters change only after an edit.
    pub fn observe(&mut self, watched: Watched, edited: bool) {
        match &mut self.source {
            PinSource::Formula(formula) => formula.observe(watched, edited),
            PinSource::Mean(pins) => pins.iter_mut().for_each(|pin| pin.observe(watched, edited)),
            PinSource::Agent(agent_ref, AgentValue::Turn) => {
                let number = agent_ref.number(watched);
                self.observe_heading(watched.simulation, number);
            }
            PinSource::Scene | PinSource::Agent(_, AgentValue::Parameter(_)) if edited => {
                self.value = self.source.look(watched, &self.path).unwrap_or(f64::NAN);
            }
            _ => {}
        }
    }

    fn observe_heading(&mut self, simulation: &Simulation, number: Option<u32>) {
        let time = simulation.time();
        let agent = number.and_then(|number| simulation.agent(number));
        let now = agent.map(|agent| HeadingSample {
            step: time.step,
            agent: agent.id.index(),
            heading_rad: agent.pose.heading_rad,
        });
        self.value = match (self.heading, now) {
            (Some(before), Some(now)) if before.step == now.step && before.agent == now.agent => return,
            (Some(before), Some(now)) if before.step + 1 == now.step && before.agent == now.agent => {
                (now.heading_rad - before.heading_rad) / time.dt_s
            }
            _ => f64::NAN,
        };
        self.heading = now;
    }

    /// Returns the present value; NaN if there is none.
    pub fn value(&self, watched: Watched) -> f64 {
        match &self.source {
            PinSource::Scene | PinSource::Agent(_, AgentValue::Turn) => self.value,
            // The robot can be gone.
            PinSource::Agent(AgentRef::Number(number), AgentValue::Parameter(_))
                if watched.simulation.agent(*number).is_some() =>
            {
                self.value
            }
            source => source.look(watched, &self.path).unwrap_or(f64::NAN),
        }
    }
}

/// Parses a text such as `mean(agents.3,agents.5).x_m` into the robots and the path below each.
pub fn mean(text: &str) -> Option<(Vec<&str>, &str)> {
    let (agents, rest) = text.trim().strip_prefix("mean(")?.split_once(").")?;
    let is_path = |text: &str| text.chars().all(|c| c == '_' || c == '.' || c.is_ascii_alphanumeric());
    let agents: Vec<&str> = agents.split(',').map(str::trim).collect();
    (is_path(rest) && agents.iter().all(|agent| is_path(agent))).then_some((agents, rest))
}

/// Returns a path with dots and without brackets; `None` if the text is not a path.
pub fn normal(path: &str) -> Option<String> {
    if let Some((agents, rest)) = mean(path) {
        return Some(format!("mean({}).{rest}", agents.join(",")));
    }
    let steps: Vec<&str> = steps(path.trim())?.into_iter().map(|(_, step)| step).collect();
    Some(steps.join("."))
}

/// The unit of a parameter whose name does not contain it.
fn declared_unit(steps: &[&str], watched: Watched) -> Option<&'static str> {
    let simulation = watched.simulation;
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    let path = match steps {
        ["agents", number, "controller", ..] => {
            let group = simulation.agent(number.parse().ok()?)?.member.group;
            format!("groups.{group}.{}", steps[2..].join("."))
        }
        _ => steps.join("."),
    };
    path::leaf(kinds, scene, &path)?.field.map(unit_of_field)
}

/// Converts a path to words and the unit of its value; a formula is returned unchanged.
pub fn title(path: &str, watched: Watched) -> (String, &'static str) {
    if let Some((agents, rest)) = mean(path) {
        let (name, unit) = title(rest, watched);
        return (format!("Mean {} of {} robots", name.to_lowercase(), agents.len()), unit);
    }
    if looks_like_one(path) {
        return (path.to_owned(), "");
    }
    let is_name = |step: &&str| !matches!(*step, "x" | "y" | "z" | "w") && step.parse::<usize>().is_err();
    let steps: Vec<&str> = path.split('.').collect();
    let last = steps.iter().rposition(is_name).unwrap_or_default();
    let mut unit = "";
    let words = steps.iter().enumerate().filter_map(|(place, step)| match *step {
        // A group with a name needs no prefix.
        "groups" if place == 0 => steps.get(1).filter(|step| !is_name(step)).map(|_| "group".into()),
        "agents" if place == 0 => None,
        number if place == 1 && steps[0] == "agents" => {
            number.parse().map(|number| selection::robot_name(watched.simulation, number)).ok()
        }
        step if place == last && is_name(&step) => {
            let (name, its_unit) = words(step);
            unit = its_unit;
            Some(name.to_lowercase())
        }
        step => Some(step.replace('_', " ")),
    });
    let words = words.collect::<Vec<String>>().join(" ");
    if unit.is_empty() {
        unit = declared_unit(&steps, watched).unwrap_or_default();
    }
    // The name of a robot is written as everywhere else.
    (if steps[0] == "agents" { words } else { capital(&words) }, unit)
}

/// Returns the names of the numbers of a robot that can be read at any time.
pub fn numbers_of_robots() -> impl Iterator<Item = &'static str> {
    NUMBERS.iter().map(|(name, _)| *name)
}

/// A number that robots have, by its path below a robot, such as `speed_m_per_s` or `readings.0`.
#[derive(Clone, Debug)]
pub struct RobotNumber {
    path: String,
    value: AgentValue,
}

impl RobotNumber {
    /// Parses a path below a robot.
    ///
    /// # Errors
    /// When robots cannot have a number at the path.
    pub fn new(path: &str) -> Result<Self, PinError> {
        let path = normal(path).ok_or_else(|| PinError::NotAPath(path.into()))?;
        let steps: Vec<&str> = path.split('.').collect();
        let value = AgentValue::of("selected", &steps)?;
        Ok(Self { path, value })
    }

    /// Returns the value of a robot; NaN if it has none.
    pub fn value(&self, simulation: &Simulation, agent: &AgentView) -> f64 {
        self.value.look(simulation, agent, &self.path).unwrap_or(f64::NAN)
    }
}

impl PinSource {
    fn of(path: &str) -> Result<Self, PinError> {
        let steps: Vec<&str> = path.split('.').collect();
        if let ["selected", rest @ ..] = steps.as_slice() {
            return Ok(Self::Agent(AgentRef::Selected, AgentValue::of("selected", rest)?));
        }
        let ["agents", rest @ ..] = steps.as_slice() else { return Ok(Self::Scene) };
        let [number, rest @ ..] = rest else {
            return Err(incomplete("a robot and one of its numbers", "agents.0.x_m"));
        };
        let agent_ref = AgentRef::Number(number.parse().map_err(|_| PinError::NotAnAgent((*number).into()))?);
        Ok(Self::Agent(agent_ref, AgentValue::of(&format!("agents.{number}"), rest)?))
    }

    fn look(&self, watched: Watched, path: &str) -> Result<f64, PinError> {
        let simulation = watched.simulation;
        match self {
            Self::Scene => parameter(simulation.kinds(), simulation.scene(), path, path),
            Self::Agent(agent_ref, what) => {
                // The selection can come later.
                let Some(number) = agent_ref.number(watched) else { return Ok(f64::NAN) };
                let agent = simulation.agent(number).ok_or_else(|| no_agent(simulation, number))?;
                what.look(simulation, &agent, path)
            }
            Self::Formula(formula) => Ok(formula.value(watched)),
            Self::Mean(pins) => {
                let there = pins.iter().map(|pin| pin.value(watched)).filter(|value| !value.is_nan());
                let (count, sum) = there.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
                Ok(sum / f64::from(count))
            }
        }
    }
}

impl AgentRef {
    fn number(self, watched: Watched) -> Option<u32> {
        match self {
            Self::Number(number) => Some(number),
            Self::Selected => watched.selected,
        }
    }
}

fn no_agent(simulation: &Simulation, number: u32) -> PinError {
    match simulation.agents().map(|agent| agent.id.index()).max() {
        Some(last) => PinError::NoSuchAgent { number, last },
        None => PinError::NoAgents,
    }
}

fn incomplete(what: &'static str, example: impl Into<String>) -> PinError {
    PinError::Incomplete { what, example: example.into() }
}

fn not_an_index(what: &'static str, example: u32, found: &str) -> PinError {
    PinError::NotAnIndex { what, example, found: found.into() }
}

fn no_such_part(owner: impl Into<String>, name: &str, known: &[&str]) -> PinError {
    PinError::NoSuchPart { owner: owner.into(), name: name.into(), suggestion: suggestion(name, known) }
}

impl AgentValue {
    fn of(root: &str, steps: &[&str]) -> Result<Self, PinError> {
        let index = |step: &str| step.parse().map_err(|_| not_an_index("readings", 0, step));
        match steps {
            [name] if let Some((_, read)) = NUMBERS.iter().find(|(known, _)| known == name) => Ok(Self::Number(*read)),
            [TURN] => Ok(Self::Turn),
            ["command"] => Err(incomplete("a part of the command", "command.v_m_per_s")),
            ["command", field] => Ok(Self::Command((*field).into())),
            ["readings"] => Err(incomplete("a slot", "readings.0")),
            ["readings", slot] => Ok(Self::Reading { slot: index(slot)?, channel: None }),
            ["readings", slot, channel] => Ok(Self::Reading { slot: index(slot)?, channel: Some(index(channel)?) }),
            [part, ..] if PARTS.contains(part) => Ok(Self::Parameter(steps.join("."))),
            ["memory", rest @ ..] if !rest.is_empty() => Ok(Self::Memory(rest.join("."))),
            ["packets", sender, "age_s"] => match sender.parse() {
                Ok(sender) => Ok(Self::PacketAge(sender)),
                Err(_) => Err(not_an_index("senders", 2, sender)),
            },
            ["memory"] => Err(incomplete("a value in the memory of its controller", "memory.goal_m.x")),
            ["packets", ..] => Err(incomplete("a sender and a number", "packets.2.age_s")),
            [] => Err(incomplete("one of the numbers of the robot", format!("{root}.x_m"))),
            [name, ..] if Self::names().contains(name) => Err(PinError::NothingBelow((*name).into())),
            [name, ..] => Err(no_such_part(format!("`{root}`"), name, &Self::names())),
        }
    }

    /// Returns the names of the values of a robot.
    fn names() -> Vec<&'static str> {
        let numbers = NUMBERS.iter().map(|(name, _)| *name);
        numbers.chain([TURN, "command", "readings", "memory", "packets"]).chain(PARTS).collect()
    }

    fn look(&self, simulation: &Simulation, agent: &AgentView, path: &str) -> Result<f64, PinError> {
        match self {
            Self::Number(read) => Ok(read(agent, simulation.time().dt_s)),
            // The turn rate needs two observations.
            Self::Turn => Ok(f64::NAN),
            Self::Command(field) => command(agent.command(), field),
            Self::Reading { slot, channel } => reading(agent, *slot, *channel),
            Self::Parameter(rest) => parameter(simulation.kinds(), &agent.description(), rest, path),
            Self::Memory(rest) => {
                let memory = agent.memory().ok_or(PinError::NoMemory)?;
                parameter(simulation.kinds(), memory, rest, path)
            }
            Self::PacketAge(sender) => packet_age_s(simulation, agent, *sender),
        }
    }
}

fn packet_age_s(simulation: &Simulation, agent: &AgentView, sender: u32) -> Result<f64, PinError> {
    let (_, _, inbox) = agent.radio().ok_or(PinError::NoRadio)?;
    let packet = inbox.of(sender).ok_or(PinError::NoPacket(sender))?;
    let time = simulation.time();
    Ok(packet.age_steps(time.step) as f64 * time.dt_s)
}

/// Returns a part of a command, by its field.
pub fn command(command: Command, field: &str) -> Result<f64, PinError> {
    let ReflectRef::Enum(form) = command.reflect_ref() else { return Err(PinError::NoCommandParts) };
    let value = form.field(field).and_then(number);
    value.ok_or_else(|| {
        let names: Vec<&str> = (0..form.field_len()).filter_map(|place| form.name_at(place)).collect();
        no_such_part("the command", field, &names)
    })
}

fn reading(agent: &AgentView, slot: usize, channel: Option<usize>) -> Result<f64, PinError> {
    let Some(values) = agent.readings().nth(slot) else {
        return Err(match agent.readings().count() {
            0 => PinError::NoSensors,
            count => PinError::NoSuchSensor { slot, last: count - 1 },
        });
    };
    match (channel, values) {
        (None, [value]) => Ok(*value),
        (None, values) => Err(PinError::SeveralChannels { slot, count: values.len() }),
        (Some(channel), values) => values.get(channel).copied().ok_or_else(|| match values.len() {
            0 => PinError::NoChannels(slot),
            count => PinError::NoSuchChannel { slot, channel, last: count - 1 },
        }),
    }
}

/// Returns the number at a path below a description; `shown` is the path as it was entered.
fn parameter(kinds: &Kinds, root: &dyn Reflect, path: &str, shown: &str) -> Result<f64, PinError> {
    let value = path::get(kinds, root, path).map_err(PinError::NoValue)?;
    number(value.as_partial_reflect()).ok_or_else(|| match example(kinds, value) {
        Some(part) => PinError::SeveralNumbers { path: shown.into(), part },
        None => PinError::NotANumber(shown.into()),
    })
}

/// Returns the path of a part that is a number.
fn example(kinds: &Kinds, value: &dyn Reflect) -> Option<String> {
    path::leaves(kinds, value).into_iter().find_map(|leaf| {
        let below = match leaf.value.reflect_ref() {
            // A vector is one parameter with several numbers.
            ReflectRef::Struct(vector) => {
                vector.name_at(0).filter(|_| vector.field_at(0).and_then(number).is_some())?
            }
            _ => number(leaf.value.as_partial_reflect()).map(|_| "")?,
        };
        let parts = [leaf.path.as_str(), below].into_iter().filter(|part| !part.is_empty());
        Some(parts.collect::<Vec<_>>().join(".")).filter(|path| !path.is_empty())
    })
}

/// Converts a value to a number, if possible.
pub fn number(value: &dyn PartialReflect) -> Option<f64> {
    macro_rules! of {
        ($($type:ty),*) => {
            None$(.or_else(|| value.try_downcast_ref::<$type>().map(|number| *number as f64)))*
        };
    }
    match value.reflect_ref() {
        ReflectRef::Enum(variant) if variant.variant_name() == "Some" => number(variant.field_at(0)?),
        _ => of!(f64, f32, u64, u32, u16, u8, usize, i64, i32, i16, i8, isize),
    }
}
