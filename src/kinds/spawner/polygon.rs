//! Uniform placement in a polygon.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{Place, Spawner, center_of};
use swarmarium_space::polygon::{edges, is_simple, outlines_meet};

/// The maximum number of corners of the outline and the holes: the preparation time is proportional to its square.
const MAX_CORNERS: usize = 2048;

/// Places robots or objects at random in a polygon, uniformly by area. The polygon can be concave and have holes.
#[kind(section = "Random", words = "random, area, shape")]
pub struct Polygon {
    /// Corners, in order. The edges must not cross.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(vec![DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y])]
    pub corners_m: Vec<DVec2>,
    /// Corners of each hole, in order. Their edges must neither cross one another nor those of the outline.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub holes_m: Vec<Vec<DVec2>>,
}

impl Spawner for Polygon {
    /// The centre of its bounding box.
    fn center_m(&self) -> DVec2 {
        center_of(&self.corners_m)
    }

    fn area(&self) -> Option<Area> {
        Some(Area::Polygon { corners_m: self.corners_m.clone(), holes_m: self.holes_m.clone() })
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        let region = Region::new(self);
        move |_, random| region.point([random.unit(), random.unit(), random.unit()]).into()
    }

    fn problem(&self) -> Option<String> {
        let corners = self.outlines().map(<[_]>::len).sum::<usize>();
        if corners > MAX_CORNERS {
            return Some(format!("at most {MAX_CORNERS} corners fit in a polygon with its holes, found {corners}"));
        }
        let name = |number: usize| match number.checked_sub(1) {
            None => "`corners_m`".to_string(),
            Some(hole) => format!("`holes_m[{hole}]`"),
        };
        let outlines: Vec<_> = self.outlines().collect();
        for (number, outline) in outlines.iter().enumerate() {
            if !is_simple(outline) {
                return Some(format!(
                    "{} is not a simple polygon: it needs at least three corners, and edges must not meet",
                    name(number)
                ));
            }
            if let Some(other) = outlines[..number].iter().position(|other| outlines_meet(other, outline, DVec2::ZERO))
            {
                return Some(format!("{} meets {}: edges must not touch", name(number), name(other)));
            }
        }
        Region::new(self).slices.is_empty().then(|| "its holes leave no room".to_string())
    }
}

impl Polygon {
    /// The outline, then the outlines of the holes.
    fn outlines(&self) -> impl Iterator<Item = &[DVec2]> {
        [&self.corners_m].into_iter().chain(&self.holes_m).map(Vec::as_slice)
    }
}

/// A polygon cut along x at the height of every corner: no edge begins or ends between two cuts, so the interior
/// between them is a row of trapezoids.
struct Region {
    slices: Vec<Slice>,
    /// Area of the slices up to and including each.
    areas: Vec<f64>,
}

/// A trapezoid with two sides along x.
#[derive(Clone, Copy)]
struct Slice {
    low: f64,
    high: f64,
    /// The left and right ends of the low side and of the high side.
    spans: [[f64; 2]; 2],
}

impl Region {
    fn new(polygon: &Polygon) -> Self {
        let mut heights: Vec<f64> = polygon.outlines().flatten().map(|corner| corner.y).collect();
        heights.sort_by(f64::total_cmp);
        heights.dedup();
        let all: Vec<_> = polygon
            .outlines()
            .enumerate()
            .flat_map(|(outline, corners)| edges(corners).map(move |edge| (outline, edge)))
            .collect();
        let mut slices = Vec::new();
        for band in heights.windows(2) {
            slices.extend(slices_of([band[0], band[1]], &all, polygon.holes_m.len()));
        }
        let mut sum = 0.0;
        let areas = slices.iter().map(|slice| {
            sum += slice.area();
            sum
        });
        Self { areas: areas.collect(), slices }
    }

    /// The point for three numbers from 0 to 1: equal volumes of them correspond to equal areas.
    fn point(&self, [which, up, across]: [f64; 3]) -> DVec2 {
        let (Some(all), Some(last)) = (self.areas.last(), self.slices.last()) else { return DVec2::ZERO };
        let place = self.areas.partition_point(|area| *area <= which * all);
        self.slices.get(place).unwrap_or(last).point(up, across)
    }
}

/// The slices between two heights, from left to right.
fn slices_of(band: [f64; 2], edges: &[(usize, (DVec2, DVec2))], holes: usize) -> Vec<Slice> {
    let [low, high] = band;
    let midpoint = low + (high - low) / 2.0;
    let passes = |(a, b): &(DVec2, DVec2)| a.y.min(b.y) <= low && a.y.max(b.y) >= high;
    let mut crossings: Vec<_> = edges
        .iter()
        .filter(|(_, edge)| passes(edge))
        .map(|(outline, edge)| (x_at(*edge, midpoint), [x_at(*edge, low), x_at(*edge, high)], *outline))
        .collect();
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The outlines that contain the place between two crossings.
    let mut within = vec![false; 1 + holes];
    let mut slices = Vec::new();
    for pair in crossings.windows(2) {
        let ((_, left, outline), (_, right, _)) = (pair[0], pair[1]);
        within[outline] ^= true;
        let slice = Slice { low, high, spans: [[left[0], right[0]], [left[1], right[1]]] };
        if within[0] && !within[1..].contains(&true) && slice.area() > 0.0 {
            slices.push(slice);
        }
    }
    slices
}

/// The x coordinate of an edge that is not along x at a height.
fn x_at((a, b): (DVec2, DVec2), y: f64) -> f64 {
    let part = (y - a.y) / (b.y - a.y);
    a.x + (b.x - a.x) * part
}

impl Slice {
    /// The widths at the low and the high side.
    fn widths(&self) -> [f64; 2] {
        self.spans.map(|[left, right]| (right - left).max(0.0))
    }

    fn area(&self) -> f64 {
        let [low, high] = self.widths();
        (low + high) / 2.0 * (self.high - self.low)
    }

    fn point(&self, up: f64, across: f64) -> DVec2 {
        let [low, high] = self.widths();
        // The height below which the fraction `up` of the area lies: t with low·t + (high - low)·t²/2 = up·(low +
        // high)/2.
        let part = up * (low + high) / (low + (low * low + up * (high - low) * (high + low)).max(0.0).sqrt());
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        let [[low_left, low_right], [high_left, high_right]] = self.spans;
        let left = low_left + (high_left - low_left) * part;
        let right = low_right + (high_right - low_right) * part;
        DVec2::new(left + (right - left) * across, self.low + (self.high - self.low) * part)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use proptest::prelude::*;
    use swarmarium_base::math::direction;
    use swarmarium_space::polygon::{closest_boundary_point, contains};

    use super::*;
    use crate::spawner::fixture::{is_even, places};

    fn square(low: f64, high: f64) -> Vec<DVec2> {
        vec![DVec2::splat(low), DVec2::new(high, low), DVec2::splat(high), DVec2::new(low, high)]
    }

    #[test]
    fn polygon_spawns_equally_in_equal_areas_and_never_in_holes() {
        let spawner = Polygon { corners_m: square(0.0, 4.0), holes_m: vec![square(1.0, 2.0), square(2.5, 3.0)] };
        let mut counts = [0; 16];
        for place in places(&spawner, 16_000) {
            counts[place.x as usize + 4 * place.y as usize] += 1;
        }
        assert_eq!(counts[5], 0, "cell 5 is the first hole");
        // Cell 10 holds the second hole, a quarter of its area.
        let whole: Vec<_> = (0..16).filter(|cell| ![5, 10].contains(cell)).map(|cell| counts[cell]).collect();
        assert!(is_even(&whole), "{counts:?}");
        let expected = 16_000.0 * 0.75 / 14.75;
        assert!((f64::from(counts[10]) - expected).abs() < 4.0 * expected.sqrt(), "{} of {expected}", counts[10]);
    }

    #[test]
    fn polygon_spawner_fills_a_triangle_evenly() {
        let spawner = Polygon { corners_m: vec![DVec2::ZERO, DVec2::new(2.0, 1.0), DVec2::new(1.0, 4.0)], ..default() };
        let [a, b, c] = [0, 1, 2].map(|corner| spawner.corners_m[corner]);
        // Halving its sides cuts a triangle into four of equal area.
        let mut counts = [0; 4];
        for place in places(&spawner, 8000) {
            let weight = |p: DVec2, q: DVec2| (q - p).perp_dot(place - p) / (b - a).perp_dot(c - a);
            let weights = [weight(b, c), weight(c, a), weight(a, b)];
            counts[weights.iter().position(|weight| *weight > 0.5).unwrap_or(3)] += 1;
        }
        assert!(is_even(&counts), "{counts:?}");
    }

    #[test]
    fn polygon_spawner_refuses_bad_outlines() {
        let bow_tie = vec![DVec2::ZERO, DVec2::ONE, DVec2::X, DVec2::Y];
        let of = |corners_m, holes_m| Polygon { corners_m, holes_m }.problem().unwrap_or_default();
        let problems = [
            of(vec![DVec2::ZERO, DVec2::ONE], vec![]),
            of(bow_tie.clone(), vec![]),
            of(square(0.0, 4.0), vec![square(1.0, 2.0), bow_tie]),
            of(square(0.0, 4.0), vec![square(3.0, 5.0)]),
            of(square(1.0, 2.0), vec![square(0.0, 3.0)]),
            of(vec![DVec2::ZERO; 3000], vec![]),
        ];
        insta::assert_snapshot!(problems.join("\n"), @r"
        `corners_m` is not a simple polygon: it needs at least three corners, and edges must not meet
        `corners_m` is not a simple polygon: it needs at least three corners, and edges must not meet
        `holes_m[1]` is not a simple polygon: it needs at least three corners, and edges must not meet
        `holes_m[0]` meets `corners_m`: edges must not touch
        its holes leave no room
        at most 2048 corners fit in a polygon with its holes, found 3000
        ");
    }

    /// A polygon around the origin that every ray from there crosses once.
    fn star() -> impl Strategy<Value = Vec<DVec2>> {
        prop::collection::vec((0.2..1.0, 0.5..2.0), 3..20).prop_filter_map("too wide a gap", |corners| {
            let whole: f64 = corners.iter().map(|(gap, _)| gap).sum();
            let mut turn = 0.0;
            let star = corners.iter().map(|(gap, distance)| {
                turn += gap / whole;
                direction(TAU * turn) * *distance
            });
            corners.iter().all(|(gap, _)| gap / whole < 0.45).then(|| star.collect())
        })
    }

    proptest! {
        #[test]
        fn polygon_spawner_positions_are_inside_and_outside_holes(outline in star(), part in 0.1..0.9, turn in 0.0..TAU) {
            let turned = |corner: &DVec2| direction(turn).rotate(*corner);
            let corners_m: Vec<DVec2> = outline.iter().map(turned).collect();
            let hole: Vec<DVec2> = corners_m.iter().map(|corner| *corner * part).collect();
            let spawner = Polygon { corners_m, holes_m: vec![hole.clone()] };
            prop_assert_eq!(spawner.problem(), None);
            for place in places(&spawner, 200) {
                let near = |corners: &[DVec2]| {
                    closest_boundary_point(corners, place).is_some_and(|(point, _)| point.distance(place) < 1e-9)
                };
                prop_assert!(contains(&spawner.corners_m, place) || near(&spawner.corners_m), "{} is outside", place);
                prop_assert!(!contains(&hole, place) || near(&hole), "{} is in the hole", place);
            }
            let areas = [&spawner.corners_m, &hole].map(|corners| swarmarium_space::polygon::signed_area(corners).abs());
            let area = Region::new(&spawner).areas.last().copied().unwrap_or_default();
            prop_assert!((area - (areas[0] - areas[1])).abs() < 1e-9 * areas[0]);
        }
    }
}
