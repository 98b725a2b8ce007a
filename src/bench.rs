//! The common parts of all measurements of speed, including those of other programs: numbers and density of robots, steps to
//! measure, and indicators of equal work.

use bevy::math::DVec2;
use bevy::reflect::Reflect;
use swarmarium_base::problem::Problems;
use swarmarium_core::kind::Kinds;
use swarmarium_scene::scene::{Scene, reader, shipped};
use swarmarium_space::{Boundary, Field, Space};

/// A shipped scene with a number of robots, scaled by [`fit`].
///
/// # Errors
/// When the scene or one of its kinds does not exist.
pub fn sized(kinds: &Kinds, name: &str, robots: u32) -> Result<Scene, Problems> {
    let text = shipped::get(name).ok_or_else(|| Problems::of_file(name, "there is no such scene"))?;
    let mut scene = reader::read(kinds, name, text)?;
    fit(&mut scene, robots);
    Ok(scene)
}

/// Sets the number of robots of the first group, and scales the arena and the rectangle of the spawner to the same density.
///
/// The distance of the rectangle from the walls stays the same. The arena for no robot is that for one.
pub fn fit(scene: &mut Scene, robots: u32) {
    let Scene { arena, groups, .. } = scene;
    let Some(group) = groups.first_mut() else { return };
    let growth = (f64::from(robots.max(1)) / f64::from(group.count.max(1))).sqrt();
    let before = [arena.corner_m, arena.corner_m + arena.size_m];
    arena.corner_m *= growth;
    arena.size_m *= growth;
    let after = [arena.corner_m, arena.corner_m + arena.size_m];
    group.count = robots;
    for ((field, before), after) in ["min_m", "max_m"].into_iter().zip(before).zip(after) {
        if let Some(corner_m) = point_mut(group.spawn.value_mut(), field) {
            *corner_m += after - before;
        }
    }
}

fn point_mut<'a>(value: &'a mut dyn Reflect, field: &str) -> Option<&'a mut DVec2> {
    value.reflect_mut().as_struct().ok()?.field_mut(field)?.try_downcast_mut()
}

/// The steps to measure. They are always the same, since the cost of a step grows when a swarm gathers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The number of steps for warming up.
    pub warm_up: u64,
    /// The number of measured steps.
    pub steps: u64,
    /// The smallest number of repetitions.
    pub repetitions: usize,
}

impl Window {
    /// The smallest total time of all repetitions, in seconds.
    const MIN_TOTAL_S: f64 = 1.5;

    /// The window for a number of robots.
    pub const fn for_robots(robots: usize) -> Self {
        let (warm_up, steps, repetitions) = match robots {
            0..1_000 => (50, 3_000, 3),
            1_000..10_000 => (50, 300, 3),
            10_000..1_000_000 => (50, 30, 3),
            _ => (10, 10, 2),
        };
        Self { warm_up, steps, repetitions }
    }

    /// Whether repetitions with these times, in seconds, are enough.
    pub fn is_enough(&self, times_s: &[f64]) -> bool {
        times_s.len() >= self.repetitions && times_s.iter().sum::<f64>() >= Self::MIN_TOTAL_S
    }
}

/// The mean distance of positions (m) to their nearest neighbours, in metres; NaN for a single position.
pub fn mean_nearest_m(positions_m: &[DVec2]) -> f64 {
    let mut space = Space::new(Field::new(DVec2::ONE, Boundary::Open));
    space.bodies.resize(positions_m.len());
    positions_m.iter().enumerate().for_each(|(row, position_m)| space.bodies.place(row, *position_m));
    space.update();
    let nearest = |(row, position_m): (usize, &DVec2)| space.index().nearest(*position_m, Some(row), |_| true);
    mean(positions_m.iter().enumerate().filter_map(nearest).map(|other| other.offset.length()))
}

/// The mean of numbers; NaN for none.
pub fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.fold((0_u32, 0.0), |(count, sum), number| (count + 1, sum + number));
    sum / f64::from(count)
}

#[cfg(test)]
mod tests {
    use swarmarium_formats::standard::Standard as _;
    use swarmarium_simulation::simulation::Recipe;
    use swarmarium_space::Boundary;
    use swarmarium_space::arena::Arena;

    use super::*;

    #[test]
    fn bench_arenas_grow_with_the_robots_and_the_margin_does_not() {
        let recipe = Recipe::standard();
        assert_eq!(sized(recipe.kinds(), "bench/a", 1000).unwrap().arena.center_m(), DVec2::ZERO);
        for robots in [10, 1000, 12_345] {
            let mut scene = sized(recipe.kinds(), "bench/a", robots).unwrap();
            let Arena { corner_m, size_m, boundary, .. } = scene.arena.clone();
            assert!((size_m.element_product() - 2.0 * f64::from(robots)).abs() < 1e-6 && boundary == Boundary::Walls);
            let spawner = scene.groups[0].spawn.value_mut();
            let [low, high] = ["min_m", "max_m"].map(|field| *point_mut(spawner, field).unwrap());
            for margin_m in [low - corner_m, corner_m + size_m - high] {
                assert!((margin_m - 0.15).abs().max_element() < 1e-9, "{robots}: {margin_m}");
            }
            assert!((size_m - size_m.x).abs().max_element() == 0.0);
            assert_eq!(scene.groups[0].count, robots);
        }
    }

    #[test]
    fn bench_without_robots_has_the_arena_of_one() {
        let recipe = Recipe::standard();
        let [none, one] = [0, 1].map(|robots| sized(recipe.kinds(), "bench/m", robots).unwrap());
        assert_eq!(none.groups[0].count, 0);
        assert_eq!(none.arena, one.arena);
        assert!(sized(recipe.kinds(), "bench/none", 1).is_err());
    }

    #[test]
    fn bench_windows_equal_those_of_other_simulators() {
        let ends = [10, 999, 1_000, 9_999, 10_000, 100_000, 1_000_000].map(|robots| {
            let Window { warm_up, steps, .. } = Window::for_robots(robots);
            warm_up + steps
        });
        assert_eq!(ends, [3_050, 3_050, 350, 350, 80, 80, 20]);
    }

    #[test]
    fn bench_measures_a_window_often_and_long_enough() {
        let window = Window::for_robots(10);
        assert!(!window.is_enough(&[9.0, 9.0]) && !window.is_enough(&[0.4, 0.5, 0.5]));
        assert!(window.is_enough(&[0.5, 0.5, 0.5]));
        assert!(Window::for_robots(1_000_000).is_enough(&[9.0, 9.0]));
    }

    #[test]
    fn the_nearest_neighbour_is_another_position() {
        let line = [DVec2::ZERO, DVec2::new(3.0, 4.0), DVec2::new(9.0, 12.0)];
        assert!((mean_nearest_m(&line) - 20.0 / 3.0).abs() < 1e-12);
        assert!(mean_nearest_m(&line[..1]).is_nan(), "a single position has no neighbour");
    }
}
