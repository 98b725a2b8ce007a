use std::f64::consts::{FRAC_PI_2, TAU};

use proptest::prelude::*;
use swarmarium_base::math;

use super::super::fixture::{disc, with};
use super::super::surroundings::Surroundings;
use super::super::visibility::Blockers;
use super::super::{Body, Boundary, Space};
use super::*;

/// A map of pixels: their size (m), the angle by which the map is turned, and whether each pixel is dark.
#[derive(Clone, Debug)]
struct Map {
    pixel_m: f64,
    turn_rad: f64,
    columns: usize,
    dark: Vec<bool>,
}

impl Map {
    fn at(&self, x: f64, y: f64) -> DVec2 {
        DVec2::new(-1.0, 0.5) + math::direction(self.turn_rad).rotate(DVec2::new(x, y) * self.pixel_m)
    }

    /// A rectangle for each run of dark pixels in a line.
    fn rectangles(&self) -> Vec<[DVec2; 4]> {
        let mut found = Vec::new();
        for (line, pixels) in self.dark.chunks(self.columns).enumerate() {
            let (mut column, y) = (0, line as f64);
            for run in pixels.chunk_by(|a, b| a == b) {
                let (left, right) = (column as f64, (column + run.len()) as f64);
                column += run.len();
                if run[0] {
                    let corners = [(left, y), (right, y), (right, y + 1.0), (left, y + 1.0)];
                    found.push(corners.map(|(x, y)| self.at(x, y)));
                }
            }
        }
        found
    }
}

fn map() -> impl Strategy<Value = Map> {
    let pixel = || prop_oneof![Just(0.05), Just(0.25), 0.01..3.0];
    let turn = || prop_oneof![2 => Just(0.0), 1 => Just(FRAC_PI_2), 1 => Just(1e-9), 3 => 0.0..TAU];
    (8_usize..40, 8_usize..40, 0.05..0.6).prop_flat_map(move |(columns, lines, share)| {
        let dark = prop::collection::vec(prop::bool::weighted(share), columns * lines);
        (pixel(), turn(), dark).prop_map(move |(pixel_m, turn_rad, dark)| Map { pixel_m, turn_rad, columns, dark })
    })
}

/// Two robots in a map, with a disc that stays and an outline that moves with the second robot: without a grid, and with
/// one if the map has enough pixels.
fn spaces(map: &Map) -> [Space; 2] {
    let robots: [Body; 2] =
        [disc(map.at(3.3, 2.1).x, map.at(3.3, 2.1).y, 0.01), disc(map.at(9.5, 7.5).x, map.at(9.5, 7.5).y, 0.02)];
    let mut space = with(Boundary::Walls, &robots);
    for corners in map.rectangles() {
        space.solids.add_polygon(&corners).unwrap();
    }
    space.solids.add_disc(map.at(5.5, 6.2), 0.7 * map.pixel_m).unwrap();
    let carried = space.solids.add_disc(map.at(8.5, 3.2), 0.4 * map.pixel_m).unwrap();
    let owned = super::super::SolidProperties { owner: Some(1), ..Default::default() };
    space.solids.set_properties(carried, owned);
    let mut with_grid = space.clone();
    with_grid.solids.sort();
    [space, with_grid]
}

/// The grid of some polygons.
fn grid_of(polygons: &[[DVec2; 4]]) -> Option<RayGrid> {
    let polygons = polygons.iter().enumerate().map(|(number, corners)| (number as u32, corners.as_slice()));
    RayGrid::new(polygons, std::iter::empty())
}

/// Rays of all kinds: also along edges, through corners, without a length, and with starts far outside.
fn rays(map: &Map, places: &[(f64, f64)], angles: &[f64]) -> Vec<(DVec2, DVec2)> {
    let along = [0.0, 1.0, 2.0, 3.0].map(|quarter| math::direction(map.turn_rad + quarter * FRAC_PI_2));
    let exact = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y, DVec2::ZERO];
    let mut rays = Vec::new();
    for (k, &(x, y)) in places.iter().enumerate() {
        let starts = [map.at(x, y), map.at(x.round(), y.round()), map.at(x.round(), y), map.at(x * 40.0, y * 40.0)];
        for start in starts {
            let aims = [map.at(7.0, 8.0), map.at(3.0, 12.5)].map(|aim| (aim - start).normalize_or_zero());
            let free = [math::direction(angles[k]), math::direction(angles[k] * 1e-7)];
            rays.extend(along.into_iter().chain(exact).chain(aims).chain(free).map(|direction| (start, direction)));
        }
    }
    rays
}

/// Whether a ray runs along an edge but for errors of rounding: then the distance to this edge has no meaning.
fn is_along_an_edge(map: &Map, start: DVec2, direction: DVec2) -> bool {
    map.rectangles().iter().flat_map(|corners| polygon::edges(corners).collect::<Vec<_>>()).any(|(a, b)| {
        let (sine, aside) =
            (direction.perp_dot((b - a).normalize_or_zero()).abs(), direction.perp_dot(a - start).abs());
        (sine != 0.0 || map.turn_rad != 0.0) && sine < 1e-7 && aside < 1e-6
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rays_are_the_same_to_the_bit_with_and_without_a_grid(
        map in map(),
        places in prop::collection::vec((-5.0..45.0, -5.0..45.0), 4),
        angles in prop::collection::vec(0.0..TAU, 4),
        length in prop_oneof![Just(f64::INFINITY), Just(1e9), 0.0..30.0],
        except in prop_oneof![Just(None), Just(Some(1))],
    ) {
        let [plain, fast] = spaces(&map);
        let (mut far, mut near) = (Surroundings::default(), Surroundings::default());
        let except: Option<usize> = except;
        for (start, direction) in rays(&map, &places, &angles) {
            if is_along_an_edge(&map, start, direction) {
                continue;
            }
            let one = plain.first_hit(start, direction, length, except);
            let other = fast.first_hit(start, direction, length, except);
            prop_assert_eq!(one.map(|hit| hit.distance), other.map(|hit| hit.distance), "{} {}", start, direction);
            let reach = length.min(1e9);
            plain.look_around(start, reach, except, &mut far);
            fast.look_around(start, reach, except, &mut near);
            let (one, other) = (far.cast(direction, 0.0, reach), near.cast(direction, 0.0, reach));
            prop_assert_eq!(one.map(|hit| hit.distance), other.map(|hit| hit.distance), "{} {}", start, direction);
            let end = direction * length.min(4.0);
            prop_assert_eq!(far.shows(end, Some(0)), near.shows(end, Some(0)), "{} {}", start, direction);
            prop_assert_eq!(plain.shows(start, end, &[]), fast.shows(start, end, &[]), "{} {}", start, direction);
            let hidden = [Target::Solid(7), Target::Solid(0), Target::Body(1)];
            prop_assert_eq!(plain.shows(start, end, &hidden), fast.shows(start, end, &hidden));
        }
        for (x, y) in places {
            for blockers in [(true, true), (false, true), (true, false)] {
                let blockers = Blockers { bodies: blockers.0, solids: blockers.1 };
                let target = (map.at(x, y) - plain.bodies.positions()[0], Target::Thing(usize::MAX));
                let one = plain.is_lit(0, target, blockers, &mut far);
                prop_assert_eq!(one, fast.is_lit(0, target, blockers, &mut near));
            }
        }
    }

    #[test]
    fn gaps_are_distances_from_the_nearest_cell_with_items(map in map()) {
        let Some(grid) = grid_of(&map.rectangles()) else { return Ok(()) };
        let columns = grid.columns as usize;
        let full: Vec<usize> = (0..grid.gaps.len()).filter(|cell| grid.starts[*cell] < grid.starts[cell + 1]).collect();
        for (cell, gap) in grid.gaps.iter().enumerate() {
            let from = |other: &usize| (other % columns).abs_diff(cell % columns).max((other / columns).abs_diff(cell / columns));
            prop_assert_eq!(full.iter().map(from).min(), Some(usize::from(*gap)));
        }
        for ends in grid.starts.windows(2) {
            prop_assert!(grid.items[ends[0] as usize..ends[1] as usize].is_sorted());
        }
    }
}

#[test]
fn few_outlines_have_no_grid() {
    let square = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    assert!(grid_of(&[square; 63]).is_none() && grid_of(&[square; 64]).is_some());
}

#[test]
fn shapes_in_a_row_or_at_one_point_have_a_grid() {
    let at = |x: f64| [(x, 0.0), (x + 1e-3, 0.0), (x + 1e-3, 1e-9), (x, 1e-9)].map(DVec2::from);
    let row: Vec<_> = (0..200).map(|k| at(f64::from(k))).collect();
    let same = vec![at(0.0); 200];
    for shapes in [row, same] {
        let grid = grid_of(&shapes).unwrap();
        let mut nearest = Nearest::within(10.0);
        grid.cast(DVec2::new(-1.0, 5e-10), DVec2::X, &mut nearest);
        assert!((nearest.distance() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn rays_without_a_direction_or_with_nan_end() {
    let map = Map { pixel_m: 1.0, turn_rad: 0.0, columns: 20, dark: (0..400).map(|k| k % 3 == 0).collect() };
    let [_, fast] = spaces(&map);
    for direction in [DVec2::ZERO, DVec2::NAN, DVec2::new(f64::NAN, 1.0), DVec2::INFINITY] {
        for start in [map.at(1.5, 0.5), DVec2::NAN, DVec2::INFINITY] {
            let _ = fast.first_hit(start, direction, 5.0, None);
            let _ = fast.shows(start, direction, &[]);
        }
    }
}
