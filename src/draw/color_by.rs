//! Colours that show a property of each robot, and the legend that explains them.
//!
//! Numbers use a part of viridis, headings a part of the compass, states the colours of groups in order. The number of
//! its state is drawn beside each robot: no state is shown by colour alone.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use swarmarium_base::math::wrap_angle;
use swarmarium_core::agent::Member;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::controller::ControllerKinds;
use swarmarium_core::sensor::{Reading, Sensors};
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::cells::round_up;
use swarmarium_picture::palette::{Role, compass, viridis};

use super::legend::{Key, Legend};
use super::{ColorBy, Moment};

/// The colours of all robots, by row.
pub struct Coloring {
    /// `None` for a robot without the property.
    roles: Vec<Option<Role>>,
    /// The number of the state, from 1.
    numbers: Vec<Option<usize>>,
    /// The legend of the colours.
    pub legend: Legend,
}

impl Coloring {
    /// The colours of a moment; `None` if robots are coloured by group.
    pub fn new(moment: &Moment, color_by: ColorBy) -> Option<Self> {
        let Moment { world, space, states, .. } = moment;
        let rows = space.bodies.len();
        let dt_s = world.arena().time.dt_s;
        Some(match color_by {
            ColorBy::Group => return None,
            ColorBy::State => Self::of_states(world, states),
            ColorBy::Heading => {
                let turn = |heading_rad: &f64| Some(wrap_angle(*heading_rad)).filter(|heading| heading.is_finite());
                let headings: Vec<_> = space.bodies.headings()[..rows].iter().map(turn).collect();
                // From half a turn to the right to half a turn to the left; east is in the centre.
                let color = |part: f64| compass((part + 0.5).rem_euclid(1.0));
                let roles = headings.iter().map(|heading| heading.map(|heading| color((heading + PI) / TAU)));
                Self::of_roles(roles.collect(), Legend::bar("Heading, °", [-180.0, 180.0], color))
            }
            ColorBy::Speed => {
                let speed = |moved: &DVec2| Some(moved.length() / dt_s);
                let speeds: Vec<_> = space.bodies.displacements()[..rows].iter().map(speed).collect();
                Self::of_numbers("Speed, m/s", &speeds)
            }
            ColorBy::Id => {
                let ids: Vec<_> = space.bodies.owners().iter().map(|owner| Some(f64::from(owner.number))).collect();
                Self::of_numbers("Number of the robot", &ids)
            }
            ColorBy::Reading(slot) => {
                let readings: Vec<_> = agents(world)
                    .map(|agent| reading(world, agent, slot as usize).filter(|value| value.is_finite()))
                    .collect();
                Self::of_numbers(&format!("Reading of sensor {slot}"), &readings)
            }
        })
    }

    fn of_roles(roles: Vec<Option<Role>>, legend: Legend) -> Self {
        Self { numbers: vec![None; roles.len()], roles, legend }
    }

    /// The scale starts at 0, or at the smallest value if that is negative, and ends at a round number.
    fn of_numbers(title: &str, values: &[Option<f64>]) -> Self {
        let known = || values.iter().flatten().copied().filter(|value| value.is_finite());
        let (least, most) = (known().fold(0.0, f64::min), known().fold(0.0, f64::max));
        let low = if least < 0.0 { -round_up(-least) } else { 0.0 };
        let high = if most > 0.0 || low == 0.0 { round_up(most) } else { 0.0 };
        let role = |value: &Option<f64>| Some(viridis(((*value)? - low) / (high - low)));
        Self::of_roles(values.iter().map(role).collect(), Legend::bar(title, [low, high], viridis))
    }

    /// States that the host has seen have their places in its list; other ones follow.
    fn of_states(world: &World, seen: &[String]) -> Self {
        let mut names = seen.to_vec();
        let mut place = |name: Name| {
            let known = names.iter().position(|known| name.is(known));
            known.unwrap_or_else(|| {
                names.push(name.text());
                names.len() - 1
            })
        };
        let (mut numbers, mut known) = (Vec::new(), BTreeSet::new());
        for agent in agents(world) {
            // All known states come first, so that colours do not change when a state first occurs.
            let group = agent.get::<Member>().map(|member| member.group);
            if known.insert(group) {
                for name in &states(world, agent) {
                    place(Name::Words(name));
                }
            }
            numbers.push(state(world, agent).map(|name| place(name) + 1));
        }
        let color = |number: usize| Role::Group(number as u32 - 1);
        let swatches =
            names.iter().enumerate().map(|(place, name)| (color(place + 1), format!("{} {name}", place + 1)));
        let legend = Legend { title: "State".into(), key: Key::Swatches(swatches.collect()) };
        Self { roles: numbers.iter().map(|number| number.map(color)).collect(), numbers, legend }
    }

    /// The colour of the living robot in a row.
    pub fn role(&self, row: usize) -> Role {
        self.roles.get(row).copied().flatten().unwrap_or(Role::Dim)
    }

    /// The number of its state, as in the legend.
    pub fn number(&self, row: usize) -> Option<usize> {
        self.numbers.get(row).copied().flatten()
    }
}

fn agents(world: &World) -> impl Iterator<Item = EntityRef<'_>> {
    world.arena().agents.iter().map(|agent| world.entity(*agent))
}

/// The first number of the last reading of the sensor in a slot.
fn reading(world: &World, agent: EntityRef, slot: usize) -> Option<f64> {
    let sensor = agent.get::<Sensors>()?.slots().get(slot)?;
    world.get::<Reading>(*sensor)?.values.first().copied()
}

/// The names of all states that a robot can have, as far as they are known.
fn states(world: &World, agent: EntityRef) -> Vec<String> {
    let known = || {
        let controllers = world.get_resource::<ControllerKinds>()?;
        let states = controllers.states(agent);
        if !states.is_empty() {
            return Some(states);
        }
        let memory = controllers.memory(agent)?;
        let info = told(memory.as_partial_reflect())?.get_represented_type_info()?;
        Some(info.as_enum().ok()?.variant_names().iter().map(|name| words(name)).collect())
    };
    known().unwrap_or_default()
}

/// The name of a state in the memory of a controller. It is borrowed because it is read for each robot in each frame.
#[derive(Clone, Copy)]
enum Name<'w> {
    /// A text that is shown as it is.
    Words(&'w str),
    /// The name of a variant, which is shown as words.
    Variant(&'w str),
}

impl Name<'_> {
    fn is(self, known: &str) -> bool {
        match self {
            Self::Words(words) => words == known,
            Self::Variant(variant) => letters(variant).eq(known.chars()),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Words(words) => words.to_owned(),
            Self::Variant(variant) => words(variant),
        }
    }
}

/// The state of a robot: the first name, choice or truth value in the memory of its controller.
fn state<'w>(world: &'w World, agent: EntityRef<'w>) -> Option<Name<'w>> {
    if agent.contains::<Dead>() {
        return None;
    }
    let memory = world.get_resource::<ControllerKinds>()?.memory(agent)?;
    let told = told(memory.as_partial_reflect())?;
    let name = match told.reflect_ref() {
        ReflectRef::Enum(choice) => return Some(Name::Variant(choice.variant_name())),
        _ => match (told.try_downcast_ref::<String>(), told.try_downcast_ref::<bool>()) {
            (Some(name), _) => name,
            (None, Some(yes)) => {
                if *yes {
                    "yes"
                } else {
                    "no"
                }
            }
            (None, None) => return None,
        },
    };
    Some(Name::Words(name)).filter(|_| !name.is_empty())
}

/// The first value in a memory, or in a part of it, that is a state.
fn told(value: &dyn PartialReflect) -> Option<&dyn PartialReflect> {
    let is_state = value.try_downcast_ref::<String>().is_some() || value.try_downcast_ref::<bool>().is_some();
    match value.reflect_ref() {
        ReflectRef::Enum(_) => Some(value),
        ReflectRef::Struct(fields) => {
            match fields.field("state").filter(|state| state.reflect_ref().as_struct().is_ok()) {
                // Of the memory of a script, only the declared state counts.
                Some(state) => told(state),
                None => fields.iter_fields().find_map(|(_, field)| told(field)),
            }
        }
        _ => is_state.then_some(value),
    }
}

/// The name of a variant as words.
fn words(variant: &str) -> String {
    letters(variant).collect()
}

/// The letters of those words.
fn letters(variant: &str) -> impl Iterator<Item = char> {
    variant.char_indices().flat_map(|(place, letter)| {
        let gap = (place > 0 && letter.is_uppercase()).then_some(' ');
        gap.into_iter().chain(letter.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn color_by_has_a_range_for_negative_numbers_and_for_none() {
        let of = |values: &[Option<f64>]| Coloring::of_numbers("x", values).legend;
        assert_eq!(of(&[Some(-3.0), Some(1.5), None]), Legend::bar("x", [-5.0, 2.0], viridis));
        assert_eq!(of(&[Some(-3.0)]), Legend::bar("x", [-5.0, 0.0], viridis));
        assert_eq!(of(&[None, Some(f64::NAN)]), Legend::bar("x", [0.0, 1.0], viridis));
    }

    #[test]
    fn color_by_shows_variants_as_words() {
        assert_eq!(["Hold", "GoToGoal"].map(words), ["hold", "go to goal"]);
        let name = Name::Variant("GoToGoal");
        assert!(name.is("go to goal") && !name.is("go to") && !name.is("gotogoal"));
        assert!(Name::Words("GoToGoal").is("GoToGoal"));
    }
}
