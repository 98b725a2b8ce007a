//! All agents at one point, or as near to it as there is room.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

use super::area::Area;
use super::{Place, Spawner};
use crate::kind::{SearchWords, kind};
use crate::random::Stream;

/// Places robots or objects at a point, or as near to it as there is room.
#[kind(Copy, section = "Exact", words = "one place, position")]
pub struct Point {
    /// Position of the point.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub position_m: DVec2,
}

impl Spawner for Point {
    fn center_m(&self) -> DVec2 {
        self.position_m
    }

    fn area(&self) -> Option<Area> {
        Some(Area::Arena)
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        move |_, _| self.position_m.into()
    }
}
