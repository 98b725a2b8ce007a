//! Placement with a normal distribution around a point.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{Place, Spawner};
use swarmarium_space::arena::Arena;

/// Places robots or objects at random around a point, with a normal distribution along each axis that ends at the edges
/// of a box: those of the arena, unless `min_m` and `max_m` give others.
///
/// The distribution along an axis is a normal one without the parts beyond the box, not one with more places at its
/// edges.
#[kind(Copy, section = "Random", words = "random, normal distribution, cluster")]
pub struct Gaussian {
    /// Point around which robots or objects are placed, the mean of the distribution without the box.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::splat(5.0))]
    pub center_m: DVec2,
    /// Standard deviation along x and y, without the box.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(DVec2::ONE)]
    pub sd_m: DVec2,
    /// Lower left corner of the box. `None`: that of the arena.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub min_m: Option<DVec2>,
    /// Upper right corner of the box. `None`: that of the arena.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub max_m: Option<DVec2>,
}

/// The number of draws along an axis before the nearest edge of the box is taken: a box far from the centre.
const DRAWS: u32 = 1000;

impl Gaussian {
    fn limits_m(&self) -> (DVec2, DVec2) {
        (self.min_m.unwrap_or(DVec2::NEG_INFINITY), self.max_m.unwrap_or(DVec2::INFINITY))
    }
}

impl Spawner for Gaussian {
    fn settle(&mut self, arena: &Arena, _: &mut Stream) {
        self.min_m.get_or_insert(arena.corner_m);
        self.max_m.get_or_insert(arena.corner_m + arena.size_m);
    }

    fn center_m(&self) -> DVec2 {
        self.center_m
    }

    fn area(&self) -> Option<Area> {
        let ends = self.min_m.zip(self.max_m);
        Some(ends.map_or(Area::Arena, |(min_m, max_m)| Area::Rectangle { min_m, max_m }))
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        let (low, high) = self.limits_m();
        move |_, random| {
            let mut along = |center: f64, sd: f64, low: f64, high: f64| {
                let mut draw = || center + sd * random.normal();
                let mut place = draw();
                for _ in 1..DRAWS {
                    if low <= place && place <= high {
                        break;
                    }
                    place = draw();
                }
                place.max(low).min(high)
            };
            let x = along(self.center_m.x, self.sd_m.x, low.x, high.x);
            let y = along(self.center_m.y, self.sd_m.y, low.y, high.y);
            DVec2::new(x, y).into()
        }
    }

    fn problem(&self) -> Option<String> {
        let (low, high) = self.limits_m();
        (low.cmpgt(high).any()).then(|| format!("`min_m` must not be above `max_m`, found {low} and {high}"))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use swarmarium_base::math::{exp, normal_below};

    use super::*;
    use crate::spawner::fixture::places;

    const COUNT: u32 = 20_000;

    /// Mean and variance of numbers.
    fn moments(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
        let count = f64::from(COUNT);
        let mean = numbers.clone().sum::<f64>() / count;
        (mean, numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / count)
    }

    #[test]
    fn gaussian_has_the_given_mean_and_covariance() {
        let spawner = Gaussian { center_m: DVec2::new(3.0, -1.0), sd_m: DVec2::new(2.0, 0.5), ..default() };
        let places = places(&spawner, COUNT);
        let ((x, xx), (y, yy)) = (moments(places.iter().map(|p| p.x)), moments(places.iter().map(|p| p.y)));
        // Four standard errors: sd / √n of a mean, variance · √(2 / n) of a variance.
        let error = |sd: f64| 4.0 * sd / f64::from(COUNT).sqrt();
        assert!((x - 3.0).abs() < error(2.0) && (y + 1.0).abs() < error(0.5), "{x} {y}");
        let most = 4.0 * (2.0 / f64::from(COUNT)).sqrt();
        assert!((xx / 4.0 - 1.0).abs() < most && (yy / 0.25 - 1.0).abs() < most, "{xx} {yy}");
        let xy = places.iter().map(|p| (p.x - x) * (p.y - y)).sum::<f64>() / f64::from(COUNT);
        assert!(xy.abs() < error(2.0 * 0.5), "{xy}");
    }

    #[test]
    fn gaussian_ends_at_the_arena_without_a_heap_at_its_edge() {
        let mut spawner = Gaussian { center_m: DVec2::ZERO, sd_m: DVec2::ONE, ..default() };
        let arena = Arena { corner_m: DVec2::new(0.0, -1.0), size_m: DVec2::new(9.0, 1.5), ..default() };
        spawner.settle(
            &arena,
            &mut swarmarium_core::random::Seed(1).stream(swarmarium_base::id::StableId::spawner(0), "settle"),
        );
        let places = places(&spawner, COUNT);
        assert!(places.iter().all(|p| p.x > 0.0 && p.y > -1.0 && p.y < 0.5));
        // Half of a normal distribution: mean √(2 / π), variance 1 − 2 / π.
        let (x, xx) = moments(places.iter().map(|p| p.x));
        assert!((x - (2.0 / PI).sqrt()).abs() < 0.02 && (xx - (1.0 - 2.0 / PI)).abs() < 0.02, "{x} {xx}");
        // A truncated normal distribution: mean (φ(a) − φ(b)) / (Φ(b) − Φ(a)).
        let density = |x: f64| exp(-x * x / 2.0) / (2.0 * PI).sqrt();
        let expected = (density(-1.0) - density(0.5)) / (normal_below(0.5) - normal_below(-1.0));
        let (y, _) = moments(places.iter().map(|p| p.y));
        assert!((y - expected).abs() < 0.012, "{y} {expected}");
    }

    #[test]
    fn gaussian_far_from_its_box_stays_in_it() {
        let spawner =
            Gaussian { center_m: DVec2::splat(100.0), min_m: Some(DVec2::ZERO), max_m: Some(DVec2::ONE), ..default() };
        assert_eq!(places(&spawner, 2), [DVec2::ONE; 2]);
        let crossed = Gaussian { min_m: Some(DVec2::ONE), max_m: Some(DVec2::ZERO), ..spawner };
        assert!(crossed.problem().is_some_and(|problem| problem.contains("`min_m` must not be above `max_m`")));
    }
}
