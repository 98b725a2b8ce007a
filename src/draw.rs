//! Drawing: each kind describes itself as shapes, and overlays show more of a simulation.
//!
//! Drawing reads the world and changes nothing.

use bevy::prelude::*;

use crate::agent::belief::Belief;
use crate::id::StableId;
use crate::picture::Picture;
use crate::space::Space;

pub mod aim;
mod beliefs;
mod caption;
pub mod chart;
mod color_by;
mod commands;
mod connections;
mod density;
mod ids;
mod legend;
mod links;
pub mod moment;
mod occupancy;
pub mod past;
pub mod scenery;
mod trails;
mod velocities;
pub mod view;
mod voronoi;

pub use aim::Aim;
pub use chart::Chart;
pub use moment::{Moment, Poses};
pub use past::Past;
pub use view::{ColorBy, Overlays, ShowSensors, TrailLength, View};

/// Of whom more than usual is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// What they believe.
    pub estimates: &'a dyn Fn(StableId) -> bool,
    /// What they go by.
    pub plans: &'a dyn Fn(StableId) -> bool,
}

/// Draws what all controllers of one kind are about, and more of agents of whom that is wanted.
pub(crate) type DrawCrew = fn(&World, &Space, Wanted, &mut Picture);
/// Draws the sensors of one kind of agents that are wanted.
pub(crate) type DrawWanted = fn(&World, &Space, &dyn Fn(StableId) -> bool, &mut Picture);
/// Draws all objects, or all metrics, of one kind.
pub(crate) type DrawAll = fn(&World, &Space, &mut Picture);

/// Hands out where sensors of one kind take their robots to be, of robots that are wanted.
pub(crate) type Beliefs = fn(&World, &dyn Fn(StableId) -> bool, &mut dyn FnMut(Entity, Belief));

/// How each kind draws itself, in the order of registration.
#[derive(Resource, Clone, Default)]
pub(crate) struct Drawers {
    pub sensors: Vec<DrawWanted>,
    pub beliefs: Vec<Beliefs>,
    pub controllers: Vec<DrawCrew>,
    pub objects: Vec<DrawAll>,
    pub metrics: Vec<DrawAll>,
}
