//! Objects that robots push.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::{Limits, MAX_NUMBER};
use swarmarium_base::math;
use swarmarium_space::{Form, Friction, Movable as Pushed, Thing, area};

use super::{Figure, ObjectFamily, Presence, figure, figure_of};
use crate::agent::{Pose, Row};
use crate::kind::Slot;
use crate::motion::stationary::Static;

/// What it takes to push an object: its mass and its friction on the floor.
///
/// Robots push it, also several together, and it pushes other such objects. It has no momentum: it moves only while
/// something pushes it. Walls and all other solid objects stop it.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Movable {
    /// Mass of the whole object.
    #[reflect(@Limits::between(1e-6, MAX_NUMBER))]
    pub mass_kg: f64,
    /// Mass per area, which replaces `mass_kg`: the mass is then this times the area of the object.
    #[reflect(@Limits::between(1e-6, MAX_NUMBER))]
    pub density_kg_per_m2: Option<f64>,
    /// Coefficient of its friction on the floor.
    #[reflect(@Limits::between(1e-6, 1e3))]
    pub friction: f64,
}

impl Default for Movable {
    fn default() -> Self {
        Self { mass_kg: 1.0, density_kg_per_m2: None, friction: 0.5 }
    }
}

impl Movable {
    /// The mass of an object with these areas, in kilograms.
    pub fn mass_kg(&self, forms: &[Form]) -> f64 {
        self.density_kg_per_m2.map_or(self.mass_kg, |density| density * area(forms))
    }
}

/// The work of all pushes of an object against its friction so far, in joules.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionWork(pub f64);

/// The problem with an object that is to be pushed, if nothing can push it.
pub fn problem(world: &World, object: &Slot<ObjectFamily>) -> Option<String> {
    let Presence { movable, blocks, motion, .. } = object.common();
    movable.as_ref()?;
    let Figure { forms, is_solid, .. } = figure_of(world, object)?;
    if !is_solid || forms.is_empty() {
        return Some("only a solid object can be pushed, such as a Disc or a Polygon: set this to None".into());
    }
    if !blocks {
        return Some("robots pass through an object with `blocks: false`, and cannot push it: set this to None".into());
    }
    (!motion.value().is::<Static>())
        .then(|| "an object with a motion model moves by itself, and nothing pushes it: set this to None".into())
}

/// The objects that robots push, from their things and solids.
pub fn all(world: &World, things: &[Thing]) -> Vec<Pushed> {
    let Some(mut objects) = world.try_query_filtered::<(&StableId, &Presence, &Row, EntityRef), With<Pose>>() else {
        return Vec::new();
    };
    let of = |(id, presence, row, object): (&StableId, &Presence, &Row, EntityRef)| {
        let movable = presence.movable?;
        let place = id.index() as usize;
        let Figure { forms, center_m, .. } = figure(world, object)?;
        // A live edit can take away what blocks.
        let solids = things.get(place).map_or(0, |thing| thing.solids.len());
        (presence.blocks && !forms.is_empty() && solids == forms.len()).then(|| {
            let friction = Friction::of(&forms, movable.mass_kg(&forms), movable.friction);
            Pushed::new((place, row.0 as usize), (forms, center_m, presence.heading_rad), friction)
        })
    };
    objects.iter(world).filter_map(of).collect()
}

/// The direction in which an object is drawn, if it can be pushed: that of the x axis before it turns.
pub(super) fn facing(presence: Option<&Presence>, heading_rad: f64) -> Option<DVec2> {
    presence?.movable.map(|_| math::direction(heading_rad))
}
