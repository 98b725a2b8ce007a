//! Uniform placement in a square, whose centre can be random.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{Place, Spawner};
use swarmarium_space::arena::Arena;

/// Places robots or objects at random in a square, uniformly by area, as the Swarm Robot Project Simulator does.
#[kind(Copy, section = "Random", words = "random, rectangle")]
pub struct UniformSquare {
    /// Centre of the square. `None`: random, drawn once from the seed, so that the square is within the arena.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub center_m: Option<DVec2>,
    /// Length of a side.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(1.0)]
    pub side_m: f64,
}

impl Spawner for UniformSquare {
    fn settle(&mut self, arena: &Arena, random: &mut Stream) {
        let fraction = DVec2::new(random.unit(), random.unit());
        // A square that does not fit is centred.
        let room_m = (arena.size_m - self.side_m).max(DVec2::ZERO);
        self.center_m.get_or_insert(arena.center_m() + room_m * (fraction - 0.5));
    }

    fn center_m(&self) -> DVec2 {
        self.center_m.unwrap_or_default()
    }

    fn area(&self) -> Option<Area> {
        Some(Area::Rectangle { min_m: self.center_m() - self.side_m / 2.0, max_m: self.center_m() + self.side_m / 2.0 })
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        move |_, random| {
            let fraction = DVec2::new(random.unit(), random.unit());
            (self.center_m() + self.side_m * (fraction - 0.5)).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;

    use super::*;
    use crate::spawner::fixture::{is_even, places};

    fn settled(seed: u64, arena_m: DVec2) -> DVec2 {
        let mut spawner = UniformSquare { side_m: 2.0, ..default() };
        let arena = Arena { size_m: arena_m, ..default() };
        spawner.settle(&arena, &mut Seed(seed).stream(StableId::spawner(0), "settle"));
        spawner.center_m()
    }

    #[test]
    fn uniform_square_fills_its_area_evenly() {
        let spawner = UniformSquare { center_m: Some(DVec2::new(3.0, -1.0)), side_m: 2.0 };
        let places = places(&spawner, 8000);
        assert!(places.iter().all(|place| (*place - spawner.center_m()).abs().max_element() <= 1.0));
        let mut counts = [0; 16];
        for place in places {
            let cell = ((place - DVec2::new(2.0, -2.0)) * 2.0).floor();
            counts[cell.x as usize + 4 * cell.y as usize] += 1;
        }
        assert!(is_even(&counts), "{counts:?}");
    }

    #[test]
    fn uniform_square_draws_a_center_within_the_arena() {
        let arena_m = DVec2::new(5.0, 1.0);
        let centers: Vec<DVec2> = (0..400).map(|seed| settled(seed, arena_m)).collect();
        assert!(centers.iter().all(|center| (1.0..=4.0).contains(&center.x) && center.y == 0.5), "no room along y");
        let mut counts = [0; 4];
        centers.iter().for_each(|center| counts[((center.x - 1.0) / 0.75) as usize] += 1);
        assert!(is_even(&counts), "{counts:?}");
        assert_eq!(settled(7, arena_m), settled(7, arena_m));
    }

    #[test]
    fn uniform_square_keeps_a_given_center() {
        let mut spawner = UniformSquare { center_m: Some(DVec2::ONE), ..default() };
        spawner.settle(&Arena::default(), &mut Seed(1).stream(StableId::spawner(0), "settle"));
        assert_eq!(spawner.center_m, Some(DVec2::ONE));
    }
}
