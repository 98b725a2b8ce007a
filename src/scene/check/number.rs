//! The check of numbers that change alone, as those of sliders do.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::controller::external::External;
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::sensor::SensorFamily;

use super::{channels, group_problems, group_problems_within, object_problems, object_problems_within, reference};
use crate::scene::description::{Group, Scene};
use crate::scene::origins::Step;
use crate::scene::path::{self, Assignment};

/// The group or object that numbers with new values belong to: a copy with these values, so that it is checked without the
/// rest of the scene.
pub enum NumberOwner {
    /// A group, by its index.
    Group(usize, Box<Group>),
    /// An object, by its index.
    Object(usize, Box<Slot<ObjectFamily>>),
}

impl NumberOwner {
    /// The group or object at the start of a trail, if no problem of another one or of the whole scene can depend on
    /// numbers at this trail.
    pub fn of(kinds: &Kinds, scene: &Scene, trail: &[Step]) -> Option<Self> {
        let [(Some(list), _), (_, index), (name, part), rest @ ..] = trail else { return None };
        match *list {
            "groups" => {
                let group = scene.groups.get(*index)?;
                let is_own = match (*name)? {
                    "body" | "sensors" => true,
                    // Actuators are checked with the components of the scene.
                    "controller" => !group.controller.value().is::<External>(),
                    // The delays of all groups have one limit.
                    "motion" => rest.first().is_some_and(|(_, part)| *part < path::kind_parts(kinds, &group.motion)),
                    _ => false,
                };
                is_own.then(|| Self::Group(*index, Box::new(group.clone())))
            }
            "objects" => {
                let object = scene.objects.get(*index)?;
                (*part < path::kind_parts(kinds, object)).then(|| Self::Object(*index, Box::new(object.clone())))
            }
            _ => None,
        }
    }

    /// Whether a trail leads into this group or object.
    pub fn contains(&self, trail: &[Step]) -> bool {
        match (self, trail) {
            (Self::Group(own, _), [(Some("groups"), _), (_, index), ..])
            | (Self::Object(own, _), [(Some("objects"), _), (_, index), ..]) => own == index,
            _ => false,
        }
    }

    /// The order of checks: groups, then objects.
    pub fn order(&self) -> (bool, usize) {
        match self {
            Self::Group(index, _) => (false, *index),
            Self::Object(index, _) => (true, *index),
        }
    }

    /// Whether the new values leave the number of readings as it is, of which all groups and objects have one limit.
    pub fn keeps_readings(&self, world: &World, scene: &Scene) -> bool {
        let of = |sensors: &[Slot<SensorFamily>]| channels(world, sensors);
        match self {
            Self::Group(index, group) => {
                scene.groups.get(*index).is_some_and(|old| of(&old.sensors) == of(&group.sensors))
            }
            // Sensors are among the common parameters.
            Self::Object(..) => true,
        }
    }

    /// Puts a new value of the group or object in place.
    pub fn put(&mut self, kinds: &Kinds, assignment: &Assignment) {
        match self {
            Self::Group(_, group) => assignment.put_below(kinds, 2, &mut **group),
            Self::Object(_, object) => assignment.put_below(kinds, 2, &mut **object),
        };
    }

    /// The problems of the group or object within its scene.
    pub fn problems(&self, world: &World, scene: &Scene) -> Vec<Problem> {
        let kinds = world.resource::<Kinds>();
        let mut problems = Vec::new();
        let add = |path: String, message: String| problems.push(Problem::of_field(path, message));
        let (owner, controller, sensors) = match self {
            Self::Group(index, group) => {
                group_problems(world, *index, group, add);
                (format!("groups[{index}]"), &group.controller, &group.sensors)
            }
            Self::Object(index, object) => {
                object_problems(world, *index, object, add);
                (format!("objects[{index}]"), &object.common().controller, &object.common().sensors)
            }
        };
        problems.extend(reference::problems_of(world, scene, &owner, (controller, sensors)));
        problems.extend(match self {
            Self::Group(index, group) => group_problems_within(kinds, *index, group),
            Self::Object(index, object) => object_problems_within(kinds, *index, object),
        });
        problems
    }
}
