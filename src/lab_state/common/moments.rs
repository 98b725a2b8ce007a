//! Moments of a branch: contacts, arrivals, faults and so on, found while the branch is simulated.
//!
//! The window observes the state after each step; a simulation without a window pays nothing, and no result depends on
//! moments. Memory is bounded: of each kind, the first and the latest moments are kept with all that is known, and the
//! steps of many more.

pub mod cohesion;
pub mod contacts;
pub mod kept;
pub mod steps;

use std::collections::BTreeMap;
use std::sync::Arc;

use swarmarium_core::events::EventKind;
use swarmarium_core::text::wording::{capital, lower};
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::ThingKind;

use crate::common::moments::cohesion::{Change, Cohesion};
use crate::common::moments::contacts::{Contact, Obstacle};
use crate::common::moments::kept::Kept;
use crate::common::moments::steps::{LossMeter, MarkSteps};
use crate::common::selection::{self, Item, robot_name};
use crate::common::text::grouped;

/// Contacts of the same pair that are at most this far apart are one contact, in simulated seconds: bodies that push each
/// other are often apart for a step.
const SAME_CONTACT_S: f64 = 0.1;

/// The end of the name of the column with the number of connected parts of the swarm, of the metric `LargestComponent`.
pub const COMPONENTS: &str = ".components";

/// The kind of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::EnumIter)]
pub enum MomentKind {
    /// A robot ran into something.
    Collision,
    /// A robot arrived at a goal.
    Arrival,
    /// A fault of the scene struck a robot.
    Fault,
    /// A supervisor, or another controller with states, changed its state.
    Switch,
    /// A gripper grasped or released an object.
    Grip,
    /// The script of a robot failed.
    Script,
    /// More packets were lost than received.
    Loss,
    /// The swarm came apart: the number of its connected parts rose, or too few robots are in the largest part.
    Split,
    /// The swarm came together: the number of its connected parts fell, or almost all robots are in one part.
    Merge,
    /// A plotted number had its maximum.
    Highest,
    /// A plotted number had its minimum.
    Lowest,
    /// A plotted number became steady.
    Steady,
}

/// The number of kinds that are logged; the others follow from the plots.
const LOGGED: usize = MomentKind::Merge as usize + 1;

impl MomentKind {
    /// Whether plotted numbers have such moments, which no step tells.
    pub fn is_of_plots(self) -> bool {
        matches!(self, Self::Highest | Self::Lowest | Self::Steady)
    }

    /// Returns the name of one such moment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Collision => "collision",
            Self::Arrival => "arrival",
            Self::Fault => "fault",
            Self::Switch => "change of state",
            Self::Grip => "grasp or release",
            Self::Script => "error of a script",
            Self::Loss => "packet loss above 50 %",
            Self::Split => "split of the swarm",
            Self::Merge => "merge of the swarm",
            Self::Highest => "maximum",
            Self::Lowest => "minimum",
            Self::Steady => "steady state",
        }
    }

    /// Returns the name of several such moments.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Collision => "collisions",
            Self::Arrival => "arrivals",
            Self::Fault => "faults",
            Self::Switch => "changes of state",
            Self::Grip => "grasps and releases",
            Self::Script => "errors of scripts",
            Self::Loss => "times of packet loss above 50 %",
            Self::Split => "splits of the swarm",
            Self::Merge => "merges of the swarm",
            Self::Highest => "maxima",
            Self::Lowest => "minima",
            Self::Steady => "steady states",
        }
    }

    /// Whether robots are known for moments of this kind.
    pub fn has_robots(self) -> bool {
        matches!(self, Self::Collision | Self::Arrival | Self::Fault | Self::Switch | Self::Grip | Self::Script)
    }

    /// Returns the kind for an event of the log. Collisions have more precise sources; for robots without room, there are
    /// notices.
    fn of(event: EventKind) -> Option<Self> {
        match event {
            EventKind::Fault => Some(Self::Fault),
            EventKind::Switch => Some(Self::Switch),
            EventKind::Grip => Some(Self::Grip),
            EventKind::Script => Some(Self::Script),
            EventKind::Collision | EventKind::NoRoom | EventKind::Print => None,
        }
    }
}

/// The details of a moment besides its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// Nothing more.
    None,
    /// The obstacle of a collision.
    Obstacle(Obstacle),
    /// The goal of an arrival, by its place in the scene.
    Goal(u32),
    /// The text of an event.
    Text(Arc<str>),
    /// The number of connected parts before and after.
    Components(u64, u64),
    /// The number of robots in the largest connected part, and the number of all robots.
    LargestPart(u64, u64),
    /// A value of a plotted number.
    Value {
        /// The name of the number.
        name: Arc<str>,
        /// The value.
        value: f64,
        /// Its unit, or an empty text.
        unit: &'static str,
    },
}

/// A moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// Its kind.
    pub kind: MomentKind,
    /// The step at whose end it began.
    pub step: u64,
    /// The last step of a contact; else the step itself.
    pub last_step: u64,
    /// The number of the robot.
    pub robot: Option<u32>,
    /// Its details.
    pub detail: Detail,
}

impl Occurrence {
    /// Creates a moment that is over after its step.
    pub fn new(kind: MomentKind, step: u64, robot: Option<u32>, detail: Detail) -> Self {
        Self { kind, step, last_step: step, robot, detail }
    }

    /// Whether a robot takes part in it.
    pub fn is_of(&self, robot: u32) -> bool {
        self.robot == Some(robot) || self.detail == Detail::Obstacle(Obstacle::Robot(robot))
    }

    /// Describes it in a sentence without a full stop: `millers-2 ran into millers-5`.
    pub fn text(&self, simulation: &Simulation) -> String {
        let robot = self.robot.map_or_else(|| "a robot".into(), |robot| robot_name(simulation, robot));
        let text = self.text_of_robot(simulation);
        match &self.detail {
            Detail::Text(_) if self.robot.is_some() => format!("{robot}: {text}"),
            Detail::Obstacle(_) | Detail::Goal(_) => format!("{robot} {}", lower(&text)),
            _ => text,
        }
    }

    /// As [`text`](Self::text), beside the name of the robot: `Ran into millers-5`.
    pub fn text_of_robot(&self, simulation: &Simulation) -> String {
        match &self.detail {
            Detail::Obstacle(obstacle) => format!("Ran into {}", obstacle.name(simulation)),
            Detail::Goal(place) => {
                let name = selection::name(simulation, Item::Object(*place as usize));
                format!("Arrived at {}", name.unwrap_or_else(|| "a goal".into()))
            }
            Detail::Text(text) => text.to_string(),
            Detail::Components(before, after) => {
                let did = if after > before { "split" } else { "merged" };
                format!("The swarm {did}: from {} to {} connected parts", grouped(*before), grouped(*after))
            }
            Detail::LargestPart(largest, all) => {
                let (largest, all) = (grouped(*largest), grouped(*all));
                match self.kind {
                    MomentKind::Split => format!("The swarm split: its largest part has {largest} of {all} robots"),
                    _ => format!("The swarm merged: {largest} of {all} robots are connected"),
                }
            }
            Detail::Value { name, value, unit } => {
                let what = match self.kind {
                    MomentKind::Steady => "steady from here at",
                    _ => self.kind.name(),
                };
                format!("{name}: {what} {} {unit}", rounded(*value)).trim_end().to_owned()
            }
            Detail::None => capital(self.kind.name()),
        }
    }
}

/// Rounds a number to four significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// A contact that may go on.
#[derive(Clone, Copy, Debug)]
struct OpenContact {
    /// Its number in the log.
    number: u64,
    /// The last step with the contact.
    last_step: u64,
}

/// The moments of a branch.
#[derive(Clone, Debug, Default)]
pub struct Moments {
    steps: [MarkSteps; LOGGED],
    kept: [Kept; LOGGED],
    /// The contacts of the last steps, by robot and obstacle.
    open: BTreeMap<(u32, Obstacle), OpenContact>,
    /// The number of arrivals so far at each object.
    arrivals: Vec<usize>,
    /// The number of connected parts of the swarm, if a metric observes it.
    components: Option<u64>,
    /// The cohesion of the swarm, in a scene without this metric.
    cohesion: Cohesion,
    loss: LossMeter,
    /// The contacts of the last step; kept for its memory.
    contacts: Vec<Contact>,
    /// A counter of changes, by which others detect new moments.
    changes: u64,
}

impl Moments {
    /// Observes the last step.
    pub fn observe(&mut self, simulation: &Simulation, columns: &[String]) {
        let step = simulation.steps();
        self.observe_contacts(simulation, step);
        for event in simulation.events().since(step) {
            if let Some(kind) = MomentKind::of(event.kind) {
                let detail = Detail::Text(event.text.clone());
                self.add(Occurrence::new(kind, step, Some(event.who.index()), detail));
            }
        }
        self.observe_arrivals(simulation, step);
        if self.loss.rises(simulation.packets(), simulation.time().dt_s) {
            self.add(Occurrence::new(MomentKind::Loss, step, None, Detail::None));
        }
        let column = columns.iter().position(|column| column.ends_with(COMPONENTS));
        if column.is_none()
            && let Some(Change { is_whole, largest, all }) = self.cohesion.observe(simulation)
        {
            let kind = if is_whole { MomentKind::Merge } else { MomentKind::Split };
            self.add(Occurrence::new(kind, step, None, Detail::LargestPart(largest, all)));
        }
        let now = column.and_then(|column| simulation.observed().get(column)).filter(|count| count.is_finite());
        let now = now.map(|count| *count as u64);
        if let Some((before, after)) = self.components.zip(now).filter(|(before, after)| before != after) {
            let kind = if after > before { MomentKind::Split } else { MomentKind::Merge };
            self.add(Occurrence::new(kind, step, None, Detail::Components(before, after)));
        }
        self.components = now;
    }

    fn observe_contacts(&mut self, simulation: &Simulation, step: u64) {
        let mut contacts = std::mem::take(&mut self.contacts);
        contacts::find(simulation.space(), &mut contacts);
        let gap = ((SAME_CONTACT_S / simulation.time().dt_s).round() as u64).max(1);
        for Contact { robot, obstacle } in &contacts {
            let known = self.open.get_mut(&(*robot, *obstacle));
            match known.filter(|known| known.last_step + gap >= step) {
                Some(known) => {
                    known.last_step = step;
                    if let Some(contact) = self.kept[MomentKind::Collision as usize].get_mut(known.number) {
                        contact.last_step = step;
                    }
                }
                None => {
                    let detail = Detail::Obstacle(*obstacle);
                    let number = self.add(Occurrence::new(MomentKind::Collision, step, Some(*robot), detail));
                    self.open.insert((*robot, *obstacle), OpenContact { number, last_step: step });
                }
            }
        }
        self.open.retain(|_, contact| contact.last_step + gap >= step);
        self.contacts = contacts;
    }

    fn observe_arrivals(&mut self, simulation: &Simulation, step: u64) {
        let things = &simulation.space().things;
        self.arrivals.resize(things.len(), 0);
        for (place, thing) in things.iter().enumerate().filter(|(_, thing)| thing.what == ThingKind::Goal) {
            if std::mem::replace(&mut self.arrivals[place], thing.arrivals.len()) == thing.arrivals.len() {
                continue;
            }
            for arrival in thing.arrivals.iter().filter(|arrival| arrival.step == step) {
                let detail = Detail::Goal(place as u32);
                self.add(Occurrence::new(MomentKind::Arrival, step, Some(arrival.agent), detail));
            }
        }
    }

    /// Adds a moment. Returns its number among those of its kind.
    fn add(&mut self, occurrence: Occurrence) -> u64 {
        self.changes += 1;
        let kind = occurrence.kind as usize;
        self.steps[kind].push(occurrence.step);
        self.kept[kind].push(occurrence)
    }

    /// Removes the moments after a step.
    pub fn go_back(&mut self, step: u64) {
        self.changes += 1;
        self.steps.iter_mut().for_each(|steps| steps.go_back(step));
        self.kept.iter_mut().zip(&self.steps).for_each(|(kept, steps)| kept.go_back(step, steps.steps()));
        // Contacts of the steps before go on.
        self.open.retain(|_, contact| {
            let first = self.kept[MomentKind::Collision as usize].get_mut(contact.number).map(|known| known.step);
            contact.last_step = contact.last_step.min(step);
            first.is_some_and(|first| first <= step)
        });
        self.arrivals.clear();
        self.components = None;
        let last = |kind: MomentKind| self.kept[kind as usize].iter().next_back().map(|known| known.step);
        let [split, merge] = [MomentKind::Split, MomentKind::Merge].map(last);
        self.cohesion.go_back((split != merge).then_some(merge > split));
        self.loss = LossMeter::default();
    }

    /// Returns the steps with moments of a kind, in order. If there are very many, close ones are merged.
    pub fn steps(&self, kind: MomentKind) -> &[u64] {
        self.steps.get(kind as usize).map_or(&[], |steps| steps.steps())
    }

    /// Returns the first and the latest moments of a kind, in order.
    pub fn of_kind(&self, kind: MomentKind) -> impl DoubleEndedIterator<Item = &Occurrence> {
        self.kept.get(kind as usize).into_iter().flat_map(Kept::iter)
    }

    /// Returns the number of moments of a kind, including those of which only the step is kept.
    pub fn count(&self, kind: MomentKind) -> u64 {
        self.kept.get(kind as usize).map_or(0, Kept::count)
    }

    /// Returns the moments of a kind at a step.
    pub fn at(&self, kind: MomentKind, step: u64) -> impl Iterator<Item = &Occurrence> {
        self.kept.get(kind as usize).into_iter().flat_map(move |kept| kept.at(step))
    }

    /// Returns a number that changes whenever the moments do, except the ends of contacts.
    pub fn changes(&self) -> u64 {
        self.changes
    }
}

#[cfg(test)]
mod tests;
