//! Edits of one agent: `agents.17.controller.clear.v_m_per_s`.
//!
//! They hold until a reset, which makes all agents of a group from the same description again.

use bevy::prelude::*;

use super::live::{self, Part, Target};
use super::{Edit, waiting};
use crate::id::StableId;
use crate::kind::Kinds;
use crate::radio::Radio;
use crate::scene::constants::{self, Change};
use crate::scene::description::{Group, Scene};
use crate::scene::problem::{Problem, did_you_mean};
use crate::scene::{check, path, spawn};
use crate::simulation::AgentView;
use crate::step::Agents;

/// The parts of an agent that an edit may change.
pub(crate) const PARTS: [&str; 4] = ["body", "motion", "sensors", "controller"];

/// The agent and the part of it that a path leads to.
pub(crate) struct Address {
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

/// The agent with a number, as in its stable id.
pub(crate) fn find(world: &World, number: u32) -> Option<Entity> {
    let id = StableId::agent(number);
    let agents = &world.resource::<Agents>().0;
    let row = agents.binary_search_by_key(&Some(id), |agent| world.get::<StableId>(*agent).copied()).ok()?;
    Some(agents[row])
}

/// What to say when there is no such agent.
pub(super) fn unknown(number: u32) -> Problem {
    Problem::of_file(format!("there is no agent {number}"))
}

/// The description of one agent after the edits that wait.
pub(crate) fn description_ahead(world: &World, agent: &AgentView) -> Group {
    let kinds = world.resource::<Kinds>();
    let mut description = agent.description();
    if waiting(world).is_empty() {
        return description;
    }
    let mut scene = world.resource::<spawn::Description>().scene().clone();
    for edit in waiting(world) {
        let Edit::Set { path, value } = edit else { continue };
        let changes = match Address::of(path) {
            Ok(Some(_)) => vec![Change { path: path.clone(), value: value.clone() }],
            // What waits was found to make sense.
            _ => constants::set(kinds, &mut scene, path, value).unwrap_or_default(),
        };
        for Change { path, value } in changes {
            let concerns = match live::target(&path) {
                Some((Target::Agent { number, part }, rest)) if number == agent.id.index() => Some((part, rest)),
                Some((Target::Group { group, part }, rest)) => {
                    let place = live::place_of(&scene, group);
                    (place == Some(agent.member.group as usize)).then_some((part, rest))
                }
                _ => None,
            };
            if let Some((part, rest)) = concerns {
                // It made sense for the group; this agent may have become another kind.
                let _ = path::set(kinds, &mut description, &part.path(&rest), &value);
            }
        }
    }
    description
}

/// The description of one agent after the edits that wait and one more.
///
/// # Errors
/// When there is no such agent, or the change makes no sense.
pub(super) fn description_after(world: &World, address: &Address, value: &str) -> Result<Group, Problem> {
    let kinds = world.resource::<Kinds>();
    let agent = find(world, address.number).and_then(|agent| AgentView::of(world, agent));
    let agent = agent.ok_or_else(|| unknown(address.number))?;
    let mut description = description_ahead(world, &agent);
    path::set(kinds, &mut description, &address.rest, value)
        .map_err(|problem| Problem { path: format!("agents.{}.{}", address.number, problem.path), ..problem })?;
    let time = world.resource::<spawn::Description>().scene().time;
    // Its radio is that of its group, and may name other groups.
    let radio = description.radio.map(|radio| Radio { links: Vec::new(), collisions: false, ..radio });
    let alone = Scene { groups: vec![Group { radio, ..description }], time, ..Scene::default() };
    if let Some(problem) = check::fit(world, &alone).into_iter().next() {
        return Err(problem);
    }
    alone.groups.into_iter().next().ok_or_else(|| unknown(address.number))
}

impl Part {
    /// The path from the description of a group or an agent to something within this part.
    pub(super) fn path(self, rest: &str) -> String {
        let part = match self {
            Self::Body => "body".into(),
            Self::Motion => "motion".into(),
            Self::Controller => "controller".into(),
            Self::Radio => "radio".into(),
            Self::Look => "look".into(),
            Self::Sensor(slot) => format!("sensors.{slot}"),
        };
        if rest.is_empty() { part } else { format!("{part}.{rest}") }
    }
}
