//! Edits of one agent: `agents.17.controller.clear.v_m_per_s`.
//!
//! They hold until a reset, which makes all agents of a group from the same description again.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_base::problem::{Problem, did_you_mean};

use super::live::{self, AgentPart, Target};
use super::{Edit, EditEffect, EditQueue, scene_ahead};
use crate::agent::Member;
use crate::agent_view::AgentView;
use crate::check;
use crate::kind::Kinds;
use crate::radio::Radio;
use crate::scene::constants::{self, Change};
use crate::scene::current::Description;
use crate::scene::description::{Group, Scene};
use crate::scene::path;
use crate::step::Agents;

/// The parts of an agent that an edit may change.
pub const PARTS: [&str; 4] = ["body", "motion", "sensors", "controller"];

/// The agent and the part of it that a path leads to.
pub struct Address {
    number: u32,
    /// The path from the description of the agent on.
    rest: String,
}

impl Address {
    /// Reads a path; `None` when it leads to no agent, but into the scene.
    ///
    /// # Errors
    /// When it leads to agents, and to nothing that could be changed.
    pub fn of(path: &str) -> Result<Option<Self>, Problem> {
        let steps: Vec<&str> = path::steps(path).unwrap_or_default().into_iter().map(|(_, step)| step).collect();
        let refuse = |message: String| Err(Problem { place: None, path: path.into(), message });
        match steps.as_slice() {
            ["agents", number, rest @ ..] => match (number.parse(), rest) {
                (Err(_), _) => refuse(format!("agents are named by their number, such as agents.0; found `{number}`")),
                (_, [part, ..]) if !PARTS.contains(part) => {
                    let hint = did_you_mean(part, PARTS);
                    let hint = if hint.is_empty() { format!("; there is {}", PARTS.join(", ")) } else { hint };
                    refuse(format!("`{part}` is no part of an agent{hint}"))
                }
                (_, [] | ["sensors"]) => refuse("name one parameter, such as agents.0.body.radius_m".into()),
                // All agents of a group have the same kinds, so that what fits the group fits each of them.
                (_, [_] | ["sensors", _]) if *rest != ["body"] => refuse("kinds are changed for a whole group".into()),
                (Ok(number), rest) => Ok(Some(Self { number, rest: rest.join(".") })),
            },
            _ => Ok(None),
        }
    }
}

/// What to say when there is no such agent.
pub(super) fn unknown(number: u32) -> Problem {
    Problem::of_file(format!("there is no agent {number}"))
}

/// What edits that wait make of agents, so that each of many is checked without a look at the others.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingScene {
    /// The parts of agents that have edits of their own, by number.
    own: BTreeMap<u32, Group>,
    /// What edits of the scene change for all agents of a group: its place, and the path from its description on.
    of_groups: Vec<(usize, Change)>,
}

impl PendingScene {
    /// What some edits make of agents, the first ones to wait.
    pub fn by<'e>(world: &World, edits: impl IntoIterator<Item = &'e Edit>) -> Self {
        let mut foreseen = Self::default();
        let mut scene = world.resource::<Description>().scene().clone();
        edits.into_iter().for_each(|edit| foreseen.see(world, &mut scene, edit));
        foreseen
    }

    /// Takes in an edit that makes sense, and is the next one; `scene` is as before it, and as after it then.
    pub fn see(&mut self, world: &World, scene: &mut Scene, edit: &Edit) {
        let Edit::Set { path, value } = edit else { return };
        let kinds = world.resource::<Kinds>();
        if let Ok(Some(address)) = Address::of(path) {
            let agent = Agents::find(world, address.number).and_then(|agent| AgentView::of(world, agent));
            if let Some(mut parts) = agent.map(|agent| self.parts(kinds, &agent)) {
                _ = path::set(kinds, &mut parts, &address.rest, value);
                self.see_agent(address.number, parts);
            }
            return;
        }
        for Change { path, value } in constants::set(kinds, scene, path, value).unwrap_or_default() {
            let Some((Target::Group { group, part }, rest)) = live::target(&path) else { continue };
            let Some(place) = live::place_of(scene, group) else { continue };
            let change = Change { path: part.path(&rest), value };
            for (number, parts) in &mut self.own {
                let agent = Agents::find(world, *number);
                if agent.and_then(|agent| world.get::<Member>(agent)).is_some_and(|own| own.group as usize == place) {
                    // It made sense for the group; this agent may have become another kind.
                    _ = path::set(kinds, parts, &change.path, &change.value);
                }
            }
            self.of_groups.push((place, change));
        }
    }

    /// Takes in what an agent has become by an edit of its own.
    pub fn see_agent(&mut self, number: u32, parts: Group) {
        self.own.insert(number, parts);
    }

    /// The parts of an agent.
    fn parts(&self, kinds: &Kinds, agent: &AgentView) -> Group {
        if let Some(parts) = self.own.get(&agent.id.index()) {
            return parts.clone();
        }
        let mut parts = agent.parts();
        for (_, Change { path, value }) in
            self.of_groups.iter().filter(|(place, _)| *place == agent.member.group as usize)
        {
            // It made sense for the group; this agent may have become another kind.
            _ = path::set(kinds, &mut parts, path, value);
        }
        parts
    }
}

/// The parts of one agent after the edits that wait.
fn parts_ahead(world: &World, agent: &AgentView) -> Group {
    world.resource::<EditQueue>().foreseen.parts(world.resource::<Kinds>(), agent)
}

impl AgentView<'_> {
    /// As [`description`](Self::description), when the edits that wait for the next step are applied.
    pub fn description_ahead(&self) -> Group {
        let Group { body, motion, controller, sensors, .. } = parts_ahead(self.world, self);
        let group = scene_ahead(self.world).groups.get(self.member.group as usize);
        Group { body, motion, controller, sensors, ..group.cloned().unwrap_or_default() }
    }
}

/// The parts of one agent after the edits that wait and one more.
///
/// # Errors
/// When there is no such agent, or the change makes no sense.
pub(super) fn parts_after(world: &World, address: &Address, value: &str) -> Result<EditEffect, Problem> {
    let kinds = world.resource::<Kinds>();
    let agent = Agents::find(world, address.number).and_then(|agent| AgentView::of(world, agent));
    let agent = agent.ok_or_else(|| unknown(address.number))?;
    let mut parts = parts_ahead(world, &agent);
    path::set(kinds, &mut parts, &address.rest, value)
        .map_err(|problem| Problem { path: format!("agents.{}.{}", address.number, problem.path), ..problem })?;
    // Its radio is that of its group, and may name other groups. What it is called is no matter of its own.
    let group = scene_ahead(world).groups.get(agent.member.group as usize);
    let radio = group.and_then(|group| group.radio.as_ref());
    parts.radio = radio.map(|radio| Radio { links: Vec::new(), packet_collisions: false, ..radio.clone() });
    let time = world.resource::<Description>().scene().time;
    let alone = Scene { groups: vec![parts], time, ..Scene::default() };
    match check::fit(world, &alone).into_iter().next() {
        Some(problem) => Err(problem),
        None => {
            let parts = alone.groups.into_iter().next().unwrap_or_default();
            Ok(EditEffect::Agent(address.number, Box::new(parts)))
        }
    }
}

impl AgentPart {
    /// The path from the description of a group or an agent to something within this part.
    pub(super) fn path(self, rest: &str) -> String {
        let part = match self {
            Self::Body => "body".into(),
            Self::Collides => "collides".into(),
            Self::Motion => "motion".into(),
            Self::Controller => "controller".into(),
            Self::Radio => "radio".into(),
            Self::Look => "look".into(),
            Self::Sensor(slot) => format!("sensors.{slot}"),
        };
        if rest.is_empty() { part } else { format!("{part}.{rest}") }
    }
}
