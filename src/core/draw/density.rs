//! Density: how many robots there are to a square metre, smoothed with a Gaussian kernel.
//!
//! Each robot is one, spread over a few cells; what is outside of the picture counts where its kernel reaches into it.

use bevy::math::DVec2;
use swarmarium_base::math;
use swarmarium_picture::cells::{Cells, round_up};
use swarmarium_picture::palette::{Role, viridis};
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_space::{Boundary, Field};

use super::legend::Legend;
use super::{Moment, View};

/// Length of a cell on the screen at least, in logical pixels.
const CELL_PX: f64 = 7.0;
/// The most cells to a bandwidth: what is smooth needs no finer ones.
const FINEST: f64 = 8.0;
/// How many bandwidths a kernel reaches.
const REACH: f64 = 3.0;
/// The least and the largest bandwidth, as a part of the shorter side of the arena.
const BANDWIDTH: [f64; 2] = [0.02, 0.12];
/// The most cells along a side: a screen is larger than that only by mistake.
const MOST: f64 = 2000.0;

/// A density on a grid.
pub(super) struct Density {
    corner: DVec2,
    cell_m: f64,
    columns: usize,
    /// Robots to a square metre, line by line.
    values: Vec<f64>,
}

/// Draws the density over what is seen; its legend.
pub(super) fn draw(Moment { space, .. }: &Moment, view: &View, picture: &mut Picture) -> Legend {
    let positions = &space.bodies.positions()[..space.bodies.len()];
    let density = Density::of(positions, &space.arena, view);
    let most = round_up(density.values.iter().copied().fold(0.0, f64::max));
    let Density { corner, cell_m, columns, values } = &density;
    let cells = Cells::of(*corner, *cell_m, *columns, values, most);
    picture.add(Layer::Field, Role::Text.faint(0.75), Shape::Cells(cells));
    Legend::bar("Density, robots/m²", [0.0, most], viridis)
}

impl Density {
    /// The density of robots at these places (m), over all that is seen.
    pub fn of(positions: &[DVec2], arena: &Field, view: &View) -> Self {
        let bandwidth_m = bandwidth_m(positions, arena);
        let cell_m = (CELL_PX / view.camera.pixels_per_m).max(bandwidth_m / FINEST);
        let kernel = kernel(bandwidth_m / cell_m);
        let reach = kernel.len() / 2;
        // On whole cells of the world, so that nothing swims while the view moves, and a kernel farther than the screen.
        let [low, high] = view.camera.visible_m().map(|corner| (corner / cell_m).floor());
        let first = low - (reach + 1) as f64;
        let size = (high - first + (reach + 2) as f64).clamp(DVec2::ONE, DVec2::splat(MOST));
        let [columns, lines] = size.to_array().map(|cells| cells as usize);
        let mut values = vec![0.0; columns * lines];
        for position in positions.iter().flat_map(|position| images(*position, arena)) {
            deposit(position / cell_m - first, columns, lines, &mut values);
        }
        let values = smoothed(&values, columns, &kernel);
        let per_m2 = 1.0 / (cell_m * cell_m);
        Self { corner: first * cell_m, cell_m, columns, values: values.iter().map(|value| value * per_m2).collect() }
    }
}

/// Scott's rule for two dimensions, σ n^(−1/6) (Scott: "Multivariate density estimation", 1992), within reason.
fn bandwidth_m(positions: &[DVec2], arena: &Field) -> f64 {
    let known = || positions.iter().filter(|position| position.is_finite());
    let count = known().count().max(1) as f64;
    let center = known().sum::<DVec2>() / count;
    let variance = known().map(|position| position.distance_squared(center)).sum::<f64>() / (2.0 * count);
    let side_m = arena.size.min_element();
    let [least, most] = BANDWIDTH.map(|part| part * side_m);
    let scott = variance.sqrt() * math::exp(-math::ln(count) / 6.0);
    if scott.is_finite() { scott.clamp(least, most) } else { most }
}

/// The weights of a kernel with a bandwidth in cells, one in all.
fn kernel(bandwidth: f64) -> Vec<f64> {
    let reach = (REACH * bandwidth).ceil() as i32;
    let weight = |cell: i32| {
        let off = f64::from(cell) / bandwidth;
        math::exp(-0.5 * off * off)
    };
    let weights: Vec<f64> = (-reach..=reach).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Where a robot is seen: across periodic boundaries at all its images around the arena.
fn images(position: DVec2, arena: &Field) -> impl Iterator<Item = DVec2> + use<> {
    let (size, around) = (arena.size, if arena.boundary == Boundary::Periodic { 1 } else { 0 });
    (-around..=around)
        .flat_map(move |x| (-around..=around).map(move |y| position + size * DVec2::new(f64::from(x), f64::from(y))))
}

/// Shares one among the four cells whose middles are around a place, counted in cells.
fn deposit(at: DVec2, columns: usize, lines: usize, values: &mut [f64]) {
    let place = at - 0.5;
    let low = place.floor();
    let inside = low.cmpge(DVec2::ZERO).all() && low.x + 2.0 <= columns as f64 && low.y + 2.0 <= lines as f64;
    if !inside {
        return;
    }
    let (part, first) = (place - low, low.y as usize * columns + low.x as usize);
    values[first] += (1.0 - part.x) * (1.0 - part.y);
    values[first + 1] += part.x * (1.0 - part.y);
    values[first + columns] += (1.0 - part.x) * part.y;
    values[first + columns + 1] += part.x * part.y;
}

/// The values smoothed along lines, and then along columns.
fn smoothed(values: &[f64], columns: usize, kernel: &[f64]) -> Vec<f64> {
    let reach = kernel.len() / 2;
    let mut across = vec![0.0; values.len()];
    for (line, out) in values.chunks(columns).zip(across.chunks_mut(columns)) {
        for (place, value) in line.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            for (step, weight) in kernel.iter().enumerate() {
                if let Some(cell) = (place + step).checked_sub(reach).and_then(|place| out.get_mut(place)) {
                    *cell += value * weight;
                }
            }
        }
    }
    let mut out = vec![0.0; values.len()];
    for (place, line) in across.chunks(columns).enumerate() {
        for (step, weight) in kernel.iter().enumerate() {
            let Some(first) = (place + step).checked_sub(reach).map(|line| line * columns) else { continue };
            let Some(cells) = out.get_mut(first..first + columns) else { continue };
            cells.iter_mut().zip(line).for_each(|(cell, value)| *cell += value * weight);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    fn view() -> View {
        View::fit(&Scene::default(), DVec2::splat(600.0))
    }

    fn count(density: &Density) -> f64 {
        density.values.iter().sum::<f64>() * density.cell_m * density.cell_m
    }

    #[test]
    fn a_density_adds_up_to_the_number_of_robots() {
        let arena = Field::new(DVec2::splat(10.0), Boundary::Walls);
        let many: Vec<DVec2> =
            (0..500).map(|place| DVec2::new(f64::from(place % 25), f64::from(place / 25)) * 0.2 + 2.5).collect();
        for positions in [&many[..], &many[..1], &[DVec2::splat(5.0); 7][..], &[]] {
            let found = count(&Density::of(positions, &arena, &view()));
            assert!((found - positions.len() as f64).abs() < 1e-6, "{found}");
        }
        // However the view is zoomed, what is seen in whole is the same.
        let mut far = view();
        far.camera.pixels_per_m /= 10.0;
        assert!((count(&Density::of(&many, &arena, &far)) - 500.0).abs() < 1e-6);
    }

    #[test]
    fn robots_without_a_place_count_for_nothing() {
        let arena = Field::new(DVec2::splat(10.0), Boundary::Periodic);
        let lost = [DVec2::NAN, DVec2::splat(f64::INFINITY), DVec2::splat(1e300), DVec2::splat(5.0)];
        let density = Density::of(&lost, &arena, &view());
        assert!((count(&density) - 1.0).abs() < 1e-6 && density.values.iter().all(|value| value.is_finite()));
    }

    #[test]
    fn across_a_wrapping_border_robots_are_near() {
        let arena = |boundary| Field::new(DVec2::splat(10.0), boundary);
        let at_border = |boundary| {
            let density = Density::of(&[DVec2::new(9.99, 5.0)], &arena(boundary), &view());
            let at = (DVec2::new(0.05, 5.0) - density.corner) / density.cell_m;
            density.values[at.y as usize * density.columns + at.x as usize]
        };
        assert!(at_border(Boundary::Periodic) > 0.1 && at_border(Boundary::Walls) == 0.0);
    }
}
