//! Uniform placement in a rectangle.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{Place, Spawner};

/// Places robots or objects at random in a rectangle, uniformly by area.
#[kind(Copy, section = "Random", words = "random, rectangle, everywhere, anywhere")]
pub struct UniformBox {
    /// One corner of the rectangle.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub min_m: DVec2,
    /// The opposite corner.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::splat(10.0))]
    pub max_m: DVec2,
}

impl Spawner for UniformBox {
    fn center_m(&self) -> DVec2 {
        (self.min_m + self.max_m) / 2.0
    }

    fn area(&self) -> Option<Area> {
        Some(Area::Rectangle { min_m: self.min_m, max_m: self.max_m })
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        move |_, random| {
            let fraction = DVec2::new(random.unit(), random.unit());
            (self.min_m + (self.max_m - self.min_m) * fraction).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spawner::fixture::places;

    #[test]
    fn uniform_box_fills_its_area_evenly() {
        let spawner = UniformBox { min_m: DVec2::new(2.0, -1.0), max_m: DVec2::new(4.0, 1.0) };
        let places = places(&spawner, 4000);
        assert!(places.iter().all(|place| place.cmpge(spawner.min_m).all() && place.cmple(spawner.max_m).all()));
        let quarter = places.iter().filter(|place| place.x < 3.0 && place.y < 0.0).count();
        assert!((900..1100).contains(&quarter), "{quarter} of 4000 in one quarter");
    }
}
