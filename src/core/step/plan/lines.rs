//! The printed plan: what acts in a scene, in order.

use std::fmt;

use bevy::ecs::archetype::Archetype;
use bevy::ecs::component::ComponentId;
use bevy::prelude::*;

use super::{Act, Duty, Kernel, Place, Plan, Position, Work};
use crate::kind::Kinds;
use crate::step::order::Delivery;
use crate::step::{ActsLater, Arena, HasArena as _, Step};

/// A line of a printed plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanLine {
    /// The place in the step, such as `Agents / Control`.
    pub place: String,
    /// The act, or the system of a plugin.
    pub act: String,
    /// The kinds, metrics or groups with spawners that act, in order.
    pub names: Vec<String>,
    /// The events without which it does nothing in a step; empty if it acts in every step.
    pub occasion: &'static str,
}

/// The act, with the names and the occasion.
impl fmt::Display for PlanLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.act)?;
        if !self.names.is_empty() {
            write!(f, ": {}", self.names.join(", "))?;
        }
        if !self.occasion.is_empty() {
            write!(f, " (in steps with {})", self.occasion)?;
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(step) => write!(f, "{step:?}"),
            Self::Phase(phase) => write!(f, "{:?} / {phase:?}", Step::Agents),
            Self::AfterAgents => write!(f, "{:?}", Step::Objects),
        }
    }
}

/// The entities for which a kernel acts.
#[derive(Clone, Copy)]
enum Scope {
    Agents,
    Objects,
    All,
}

impl Plan {
    /// What acts in the world as it is, from a position up to another one.
    pub(crate) fn lines(&self, world: &World, from: Position, to: Position) -> Vec<PlanLine> {
        let mut lines = Vec::new();
        for (place, act) in self.acts.iter().enumerate() {
            let first = if place == from.0 { from.1 } else { 0 };
            let end = if place == to.0 { to.1 } else { usize::MAX };
            if (from.0..=to.0).contains(&place) && first < end && act.acts_in(world) {
                self.add_lines(world, act, (first, end), &mut lines);
            }
        }
        lines
    }

    fn add_lines(&self, world: &World, act: &Act, range: (usize, usize), lines: &mut Vec<PlanLine>) {
        let Act { name, place, occasion, .. } = *act;
        let line = |place: String, act: &str, names| PlanLine { place, act: act.to_owned(), names, occasion };
        match act.work {
            Work::Kernels(duty) => {
                let scope = if place == Place::AfterAgents { Scope::All } else { Scope::Agents };
                lines.extend(self.kinds(world, duty, scope, range).map(|kinds| line(place.to_string(), name, kinds)));
            }
            Work::World(_) | Work::Arena(_) if act.in_turn.is_empty() => {
                lines.push(line(place.to_string(), name, act.names.map(|names| names(world)).unwrap_or_default()));
            }
            Work::World(_) | Work::Arena(_) => {
                let scope = if place == Place::AfterAgents { Scope::Objects } else { Scope::Agents };
                for duty in act.in_turn {
                    let turn = if duty.is_for_all(world.arena()) { "" } else { " / in turn" };
                    let kinds = self.kinds(world, *duty, scope, range);
                    lines.extend(kinds.map(|kinds| line(format!("{place}{turn}"), duty.name(), kinds)));
                }
            }
        }
    }

    /// The names of the kinds with a duty; `None` if no kernel acts.
    fn kinds(&self, world: &World, duty: Duty, scope: Scope, (first, end): (usize, usize)) -> Option<Vec<String>> {
        // Controllers write messages for their radios.
        let needs = (duty == Duty::Tell).then(|| self.kernels[Duty::Send as usize].all.first()).flatten();
        let acts_later = world.component_id::<ActsLater>();
        let is_meant = |archetype: &Archetype| {
            let is_object = acts_later.is_some_and(|acts_later| archetype.contains(acts_later));
            let is_in_scope = match scope {
                Scope::Agents => !is_object,
                Scope::Objects => is_object,
                Scope::All => true,
            };
            is_in_scope && needs.is_none_or(|Kernel { kind, .. }| archetype.contains(*kind))
        };
        let all = self.kernels[duty as usize].all.iter().enumerate();
        let own = all.filter(|(place, _)| (first..end).contains(place)).map(|(_, Kernel { kind, .. })| *kind);
        let acting: Vec<ComponentId> = own.filter(|kind| some_have(world, *kind, is_meant)).collect();
        if acting.is_empty() {
            return None;
        }
        let mut names: Vec<String> = acting.into_iter().filter_map(|kind| name_of(world, kind)).collect();
        names.dedup();
        Some(names)
    }
}

impl Act {
    /// Whether it has something to do in the world as it is, at least in some steps.
    fn acts_in(&self, world: &World) -> bool {
        let is_due = || !self.occasion.is_empty() || self.when.is_none_or(|when| when(world, world.arena()));
        self.needs.is_none_or(|component| some_have(world, component, |_| true)) && is_due()
    }
}

impl Duty {
    /// Its name in the printed plan.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Wake => "radios begin",
            Self::Tell => "messages",
            Self::Send => "radios send",
            Self::Follow => "readings that follow",
            Self::Control => "controllers",
            Self::Move => "motion models",
            Self::CollideInTurn | Self::Collide => "collisions",
            Self::Sense => "sensors",
            Self::Log => "log of controllers",
            Self::Notice => "objects notice agents",
        }
    }

    /// Whether all agents do it at once although they act in turn.
    fn is_for_all(self, arena: &Arena) -> bool {
        match self {
            Self::Wake => true,
            Self::Tell | Self::Send => arena.delivery == Delivery::NextStep,
            _ => false,
        }
    }
}

/// Whether some entities of certain archetypes have a component.
fn some_have(world: &World, component: ComponentId, is_meant: impl Fn(&Archetype) -> bool) -> bool {
    let has = |archetype: &Archetype| !archetype.is_empty() && archetype.contains(component) && is_meant(archetype);
    world.archetypes().iter().any(has)
}

/// The name of a kind; `None` for other components.
fn name_of(world: &World, kind: ComponentId) -> Option<String> {
    let name = world.components().get_name(kind)?.shortname().to_string();
    let kinds = world.resource::<Kinds>();
    kinds.family_names().iter().any(|family| kinds.get(family, &name).is_some()).then_some(name)
}
