//! Objects: what is in the arena besides agents.

use bevy::math::DVec2;
use bevy::prelude::*;

use crate::draw::{Drawers, Picture};
use crate::history::RegisterState as _;
use crate::id::StableId;
use crate::kind::{KindType, Kinds, ObjectFamily};
use crate::space::Solids;

pub mod disc;
pub mod polygon;

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Solidifiers>().add_object::<disc::Disc>().add_object::<polygon::Polygon>();
}

/// An object. One file: parameters, [`solid`](Object::solid), drawing, tests.
pub trait Object: KindType {
    /// What of it blocks bodies and rays.
    fn solid(&self) -> Option<Solid>;

    /// Draws it. It cannot change anything.
    fn draw(&self, picture: &mut Picture);
}

/// A form that blocks bodies and rays.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// A disc.
    Disc {
        /// Its middle, in metres.
        center_m: DVec2,
        /// Its radius in metres.
        radius_m: f64,
    },
    /// A polygon whose edges do not cross, by its corners in metres.
    Polygon(Vec<DVec2>),
}

/// Tells the form of an object, when the entity is one of the kind.
type Solidify = fn(EntityRef) -> Option<Solid>;

/// How the kinds tell their form, in the order of registration.
#[derive(Resource, Clone, Default)]
pub(crate) struct Solidifiers(Vec<Solidify>);

/// Makes objects known.
pub trait AddObject {
    /// Adds an object: its form, its drawing and its name in scenes.
    fn add_object<K: Object>(&mut self) -> &mut Self;
}

impl AddObject for App {
    fn add_object<K: Object>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<ObjectFamily, K>();
        world.get_resource_or_init::<Solidifiers>().0.push(|entity| entity.get::<K>().and_then(Object::solid));
        world.get_resource_or_init::<Drawers>().objects.push(draw_all::<K>);
        self.register_state::<K>()
    }
}

/// What of an object blocks.
pub(crate) fn solid_of(world: &World, object: EntityRef) -> Option<Solid> {
    world.resource::<Solidifiers>().0.iter().find_map(|solidify| solidify(object))
}

/// Gathers all that blocks, by stable id.
pub(crate) fn solids(world: &World) -> Solids {
    let mut solids = Solids::default();
    let Some(mut query) = world.try_query::<(&StableId, EntityRef)>() else { return solids };
    let mut objects: Vec<_> =
        query.iter(world).filter_map(|(id, entity)| Some((*id, solid_of(world, entity)?))).collect();
    objects.sort_by_key(|(id, _)| *id);
    for (_, solid) in objects {
        // A form that cannot block was refused with the scene; a live edit may still make one, which then lets through.
        let _refused = match solid {
            Solid::Disc { center_m, radius_m } => solids.add_disc(center_m, radius_m),
            Solid::Polygon(corners) => solids.add_polygon(&corners),
        };
    }
    solids
}

fn draw_all<K: Object>(world: &World, picture: &mut Picture) {
    let Some(mut query) = world.try_query::<(&StableId, &K)>() else { return };
    let mut objects: Vec<_> = query.iter(world).collect();
    objects.sort_by_key(|(id, _)| **id);
    objects.into_iter().for_each(|(_, object)| object.draw(picture));
}
