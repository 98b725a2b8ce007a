//! Edits of one agent: `agents.17.controller.clear.v_m_per_s`.
//!
//! They hold until a reset, which creates all agents of a group from the same description again.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_base::problem::{Problem, did_you_mean};
use swarmarium_core::agent::Member;
use swarmarium_core::controller::commanded;
use swarmarium_core::kind::Kinds;
use swarmarium_core::radio::Radio;
use swarmarium_core::step::{find_agent, unknown_agent};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::check;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::current::Description;
use swarmarium_scene::scene::description::{Group, Scene};
use swarmarium_scene::scene::path::{self, Assignment};
use swarmarium_space::FieldSettings;

use super::live::{self, Target};
use super::{Edit, EditEffect, EditQueue, scene_ahead};

/// The parts of an agent that an edit may change.
pub const PARTS: [&str; 4] = ["body", "motion", "sensors", "controller"];

/// The agent and the part of it at a path.
pub struct Address {
    number: u32,
    /// The path within the description of the agent.
    rest: String,
}

impl Address {
    /// Parses a path; `None` if it leads into the scene and not to an agent.
    ///
    /// # Errors
    /// If it leads to agents, but to nothing that can be changed.
    pub fn of(path: &str) -> Result<Option<Self>, Problem> {
        let steps: Vec<&str> = path::steps(path).unwrap_or_default().into_iter().map(|(_, step)| step).collect();
        let refuse = |message: String| Err(Problem::of_field(path, message));
        match steps.as_slice() {
            ["agents", number, rest @ ..] => match (number.parse(), rest) {
                (Err(_), _) => refuse(format!("agents are named by their number, such as agents.0; found `{number}`")),
                (_, [part, ..]) if !PARTS.contains(part) => {
                    let hint = did_you_mean(part, PARTS);
                    let hint = if hint.is_empty() { format!("; known: {}", PARTS.join(", ")) } else { hint };
                    refuse(format!("`{part}` is not a part of an agent{hint}"))
                }
                (_, [] | ["sensors"]) => refuse("name one parameter, such as agents.0.body.radius_m".into()),
                // All agents of a group have the same kinds, so that a value that fits the group fits each of them.
                (_, [_] | ["sensors", _]) if *rest != ["body"] => refuse("kinds are changed for a whole group".into()),
                (Ok(number), rest) => Ok(Some(Self { number, rest: rest.join(".") })),
            },
            _ => Ok(None),
        }
    }
}

/// The effects of pending edits on agents, so that each of many edits is checked without going through the others.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingAgents {
    /// The parts of agents with edits of their own, by number.
    own: BTreeMap<u32, Group>,
    /// The new values that edits of the scene bring for all agents of a group, by its index.
    of_groups: Vec<(usize, Assignment)>,
}

/// The number of steps of a trail that lead to a group.
const TO_GROUP: usize = 2;

impl PendingAgents {
    /// Creates the effects of the first pending edits on agents.
    pub fn by<'e>(world: &World, edits: impl IntoIterator<Item = &'e Edit>) -> Self {
        let mut agents_ahead = Self::default();
        let mut scene = world.resource::<Description>().scene().clone();
        let kinds = world.resource::<Kinds>();
        for edit in edits {
            let Edit::Set { path, value } = edit else { continue };
            match Address::of(path) {
                Ok(Some(address)) => agents_ahead.set_own(world, &address, value),
                _ => agents_ahead.add(world, &constants::set(kinds, &mut scene, path, value).unwrap_or_default()),
            }
        }
        agents_ahead
    }

    /// Adds a valid edit of one agent, the next one.
    fn set_own(&mut self, world: &World, address: &Address, value: &str) {
        let kinds = world.resource::<Kinds>();
        let agent = find_agent(world, address.number).and_then(|agent| AgentView::of(world, agent));
        if let Some(mut parts) = agent.map(|agent| self.parts(kinds, &agent)) {
            _ = path::set(kinds, &mut parts, &address.rest, value);
            self.set_parts(address.number, parts);
        }
    }

    /// Adds the new values that a valid edit of the scene brings, the next one.
    pub fn add(&mut self, world: &World, assignments: &[Assignment]) {
        let kinds = world.resource::<Kinds>();
        for new in assignments {
            let Some((Target::Group { .. }, _)) = live::target(&new.path) else { continue };
            let Some((_, place)) = new.trail().get(TO_GROUP - 1).copied() else { continue };
            for (number, parts) in &mut self.own {
                let agent = find_agent(world, *number);
                if agent.and_then(|agent| world.get::<Member>(agent)).is_some_and(|own| own.group as usize == place) {
                    // The change is valid for the group; this agent may have become another kind.
                    new.put_below(kinds, TO_GROUP, parts);
                }
            }
            // A slider that is dragged sends many values of one parameter.
            self.of_groups.retain(|(_, known)| !known.trail().starts_with(new.trail()));
            self.of_groups.push((place, new.clone()));
        }
    }

    /// Sets the parts of an agent after an edit of its own.
    pub fn set_parts(&mut self, number: u32, parts: Group) {
        self.own.insert(number, parts);
    }

    /// The parts of an agent.
    fn parts(&self, kinds: &Kinds, agent: &AgentView) -> Group {
        if let Some(parts) = self.own.get(&agent.id.index()) {
            return parts.clone();
        }
        let mut parts = agent.parts();
        for (_, new) in self.of_groups.iter().filter(|(place, _)| *place == agent.member.group as usize) {
            // The change is valid for the group; this agent may have become another kind.
            new.put_below(kinds, TO_GROUP, &mut parts);
        }
        parts
    }
}

/// Whether pending edits change agents.
pub(super) fn has_changes_ahead(world: &World) -> bool {
    let PendingAgents { own, of_groups } = &world.resource::<EditQueue>().agents_ahead;
    !own.is_empty() || !of_groups.is_empty()
}

/// The controller and the motion model of an agent after the pending edits.
pub fn command_parts_ahead(world: &World, agent: Entity) -> Option<commanded::Parts> {
    let Group { controller, motion, .. } = parts_ahead(world, &AgentView::of(world, agent)?);
    Some((controller, motion))
}

/// The parts of one agent after the pending edits.
fn parts_ahead(world: &World, agent: &AgentView) -> Group {
    world.resource::<EditQueue>().agents_ahead.parts(world.resource::<Kinds>(), agent)
}

/// The [description](AgentView::description) of an agent after the pending edits.
pub fn description_ahead(agent: &AgentView) -> Group {
    let Group { body, motion, controller, sensors, .. } = parts_ahead(agent.world, agent);
    let group = scene_ahead(agent.world).groups.get(agent.member.group as usize);
    Group { body, motion, controller, sensors, ..group.cloned().unwrap_or_default() }
}

/// The parts of one agent after the pending edits and one more.
///
/// # Errors
/// If there is no such agent, or the change is not valid.
pub(super) fn parts_after(world: &World, address: &Address, value: &str) -> Result<EditEffect, Problem> {
    let kinds = world.resource::<Kinds>();
    let agent = find_agent(world, address.number).and_then(|agent| AgentView::of(world, agent));
    let agent = agent.ok_or_else(|| unknown_agent(address.number))?;
    let mut parts = parts_ahead(world, &agent);
    let new = Assignment::read(kinds, &parts, &address.rest, value)
        .map_err(|problem| Problem { path: format!("agents.{}.{}", address.number, problem.path), ..problem })?;
    new.put(kinds, &mut parts);
    // The radio and the gripper are those of the group; the radio may refer to other groups. The name is not part of the agent.
    let group = scene_ahead(world).groups.get(agent.member.group as usize);
    let radio = group.and_then(|group| group.radio.as_ref());
    parts.radio = radio.map(|radio| Radio { links: Vec::new(), packet_collisions: false, ..radio.clone() });
    parts.gripper = group.and_then(|group| group.gripper.clone());
    let Scene { time, arena, fields, .. } = world.resource::<Description>().scene();
    // Sensors find fields by name; sources refer to objects.
    let fields = fields.iter().map(|field| FieldSettings { sources: Vec::new(), ..field.clone() }).collect();
    let alone = Scene { groups: vec![parts], time: *time, arena: arena.clone(), fields, ..Scene::default() };
    match check::fit(world, &alone).into_iter().next() {
        Some(problem) => Err(problem),
        None => {
            let parts = alone.groups.into_iter().next().unwrap_or_default();
            Ok(EditEffect::Agent(address.number, Box::new(parts), new))
        }
    }
}
