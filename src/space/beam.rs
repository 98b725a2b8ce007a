//! Beams: distances measured by the sensors of one robot, each with its own position and cone.

use bevy::math::DVec2;
use bevy::prelude::{Reflect, ReflectDefault};
use swarmarium_base::math::direction;

use super::Space;
use super::hit::Target;
use super::index::Neighbour;
use super::polygon::{bounds, edges, segments_meet};
use super::ray_shapes::Disc;
use super::sector::Aperture;
use super::solid::{Outline, SolidProperties};
use super::surroundings::{Near, NearForm, Surroundings};

/// Model of infrared distances.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum InfraredModel {
    /// Distance to the nearest point of the true shapes in the cone. The distance is 0 if a shape contains the sensor,
    /// or lies between it and the centre of its robot.
    #[default]
    Exact,
    /// As in pySimiam, defects included: distance to the intersections of the edges of the cone, whose far end is a
    /// corner, with the edges of the convex hull, except nearly parallel or short edges. Shapes inside the cone and
    /// shapes that contain the sensor are not found.
    Classic,
}

/// Cross product (m²) of edges below which pySimiam treats them as parallel.
const PARALLEL_M2: f64 = 1e-3;

/// A cone of view with its own position on a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// Position of its tip in the frame of the robot.
    tip: DVec2,
    aperture: Aperture,
    /// Corners of the cone of pySimiam in the frame of the robot.
    corners: [DVec2; 4],
}

impl Beam {
    /// The cone of `range` (m) with its tip at `tip` (m) that opens `half_angle` (rad) to either side of `bearing`
    /// (rad), in the frame of the robot.
    #[must_use]
    pub fn new(tip: DVec2, bearing: f64, half_angle: f64, range: f64) -> Self {
        let rim = [half_angle, 0.0, -half_angle].map(|angle| tip + range * direction(bearing + angle));
        Self { tip, aperture: Aperture::new(half_angle, range, bearing), corners: [tip, rim[0], rim[1], rim[2]] }
    }

    /// Position of its tip (m) in the frame of the robot.
    #[must_use]
    pub fn tip(&self) -> DVec2 {
        self.tip
    }
}

impl Space {
    /// Collects in `around` everything within `reach` (m) of the centre of the robot or object in `row` that beams may
    /// find.
    ///
    /// Returns whether there is anything. In a periodic arena each body counts once, at its nearest image.
    pub fn gather(&self, row: usize, reach: f64, around: &mut Surroundings) -> bool {
        around.clear();
        let center = self.bodies.positions()[row];
        let near = &mut around.near;
        let solid = |number: usize, shift: DVec2, target: Target| {
            let (low, high) = self.solids.bounds(number);
            Near { low: low + shift, high: high + shift, target, form: NearForm::Solid { number, shift } }
        };
        let mut push = |body: Neighbour| {
            let (Neighbour { offset, radius, .. }, target) = (body, Target::Body(body.row));
            near.push(match self.bodies.outline(body.row) {
                Some(number) => solid(number, offset - self.bodies.positions()[body.row], target),
                None => Near {
                    low: offset - radius,
                    high: offset + radius,
                    target,
                    form: NearForm::Disc { offset, radius },
                },
            });
        };
        if !self.has_no_neighbour(row, reach + self.index.largest_radius()) {
            self.index.within_range(center, reach, Some(row), &mut push);
        }
        self.solids.near_box(&self.arena, center - reach, center + reach, |number, shift| {
            let SolidProperties { sensed, owner, .. } = self.solids.properties(number);
            if sensed && owner != Some(row) {
                near.push(solid(number, shift - center, Target::Solid(number)));
            }
        });
        if self.arena.has_wall_near(center, reach) {
            around.walled = Some((self.arena, center));
        }
        !around.is_empty()
    }

    /// Distance (m) from the tip of a beam of the robot in `row` to the nearest of the collected shapes, and its
    /// target.
    #[must_use]
    pub fn nearest_in_beam(&self, row: usize, beam: &Beam, around: &Surroundings) -> Option<(f64, Target)> {
        let mut nearest: Option<(f64, Target)> = None;
        let offer = |distance: f64, target: Target| {
            if nearest.is_none_or(|(before, _)| distance < before) {
                nearest = Some((distance, target));
            }
        };
        match self.infrared_model {
            InfraredModel::Exact => self.meet_truly(row, beam, around, offer),
            InfraredModel::Classic => self.meet_classically(row, beam, around, offer),
        }
        nearest
    }

    fn meet_truly(&self, row: usize, beam: &Beam, around: &Surroundings, mut offer: impl FnMut(f64, Target)) {
        let facing = self.bodies.facings()[row];
        let (tip, sector) = (facing.rotate(beam.tip), beam.aperture.toward(facing));
        let (low, high) = sector.bounds(0.0);
        let (cone, mount) = ((low + tip, high + tip), (tip.min(DVec2::ZERO), tip.max(DVec2::ZERO)));
        for near in &around.near {
            if near.meets(cone)
                && let (outline, shift) = self.outline_of(near)
                && let Some(point) = outline.nearest_in(&sector, shift - tip)
            {
                offer(point.length(), near.target);
            }
            if near.meets(mount) && self.is_before(near, tip) {
                offer(0.0, near.target);
            }
        }
        if let Some((field, center)) = &around.walled {
            let corners = field.corners().map(|corner| corner - center - tip);
            let is_inside = corners[0].cmple(DVec2::ZERO).all() && corners[2].cmpge(DVec2::ZERO).all();
            let point = if is_inside { sector.nearest_on_edges(edges(&corners)) } else { Some(DVec2::ZERO) };
            if let Some(point) = point {
                offer(point.length(), Target::Wall);
            }
        }
    }

    /// The outline of a shape, and the shift (m) that moves it into the frame centred on the robot.
    fn outline_of(&self, near: &Near) -> (Outline<'_>, DVec2) {
        match near.form {
            NearForm::Disc { offset, radius } => (Outline::Disc { center: offset, radius }, DVec2::ZERO),
            NearForm::Solid { number, shift } => (self.solids.outline(number), shift),
        }
    }

    /// Whether a shape covers or crosses the line from the centre of the robot to the tip of its beam.
    fn is_before(&self, near: &Near, tip: DVec2) -> bool {
        match self.outline_of(near) {
            (Outline::Disc { center, radius }, shift) => Disc::new(center + shift, radius, near.target).blocks(tip),
            (Outline::Polygon(corners), shift) => {
                edges(corners).any(|(a, b)| segments_meet((DVec2::ZERO, tip), (a + shift, b + shift)))
            }
        }
    }

    fn meet_classically(&self, row: usize, beam: &Beam, around: &Surroundings, mut offer: impl FnMut(f64, Target)) {
        let facing = self.bodies.facings()[row];
        let corners = beam.corners.map(|corner| facing.rotate(corner));
        let cone = bounds(&corners);
        let mut offer_at = |point: DVec2, target: Target| {
            let distance = point.distance(corners[0]);
            if distance > 0.0 {
                offer(distance, target);
            }
        };
        let mut cross = |target: Target, edge: (DVec2, DVec2)| {
            edges(&corners).filter_map(|side| crossing(side, edge)).for_each(|point| offer_at(point, target));
        };
        for near in around.near.iter().filter(|near| near.meets(cone)) {
            if let NearForm::Solid { number, shift } = near.form {
                self.solids.hull_edges(number).for_each(|(a, b)| cross(near.target, (a + shift, b + shift)));
            }
        }
        if let Some((field, center)) = &around.walled {
            let walls = field.corners().map(|corner| corner - center);
            edges(&walls).for_each(|wall| cross(Target::Wall, wall));
        }
        // pySimiam has no discs.
        for near in around.near.iter().filter(|near| near.meets(cone)) {
            if let (Outline::Disc { center, radius }, shift) = self.outline_of(near) {
                let points = edges(&corners).flat_map(|side| crossings(side, center + shift, radius));
                points.for_each(|point| offer_at(point, near.target));
            }
        }
    }
}

/// The intersection of two segments, unless pySimiam treats them as parallel.
fn crossing((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> Option<DVec2> {
    let (one, other) = (b - a, d - c);
    let across = one.perp_dot(other);
    let (along, along_other) = ((c - a).perp_dot(other) / across, (c - a).perp_dot(one) / across);
    let is_on = |part: f64| (0.0..=1.0).contains(&part);
    (across.abs() > PARALLEL_M2 && is_on(along) && is_on(along_other)).then(|| a + along * one)
}

/// The intersections of a segment with a circle.
fn crossings((a, b): (DVec2, DVec2), center: DVec2, radius: f64) -> impl Iterator<Item = DVec2> {
    let (along, from) = (b - a, a - center);
    let (square, half) = (along.length_squared(), from.dot(along));
    let root = (half * half - square * (from.length_squared() - radius * radius)).sqrt();
    // Without an intersection the root is NaN, and so are these.
    let parts = [(-half - root) / square, (-half + root) / square];
    parts.into_iter().filter(|part| (0.0..=1.0).contains(part)).map(move |part| a + part * along)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::super::{Body, Boundary, Contact, Drawn, Field};
    use super::*;

    /// A space with one disc at (5, 5) that looks along x, in an arena of 10 m by 10 m.
    fn space(infrared_model: InfraredModel, boundary: Boundary) -> Space {
        let mut space = Space::new(Field::new(DVec2::splat(10.0), boundary));
        space.infrared_model = infrared_model;
        space.bodies.resize(1);
        space.bodies.set(0, Body { position: DVec2::splat(5.0), radius: 0.01, ..Body::default() });
        space.update();
        space
    }

    fn look(space: &Space, beam: &Beam) -> Option<f64> {
        let mut around = Surroundings::default();
        space.gather(0, beam.tip.length() + 1.0, &mut around);
        space.nearest_in_beam(0, beam, &around).map(|(distance, _)| distance)
    }

    /// Target and distance of a beam from (5, 5) along x for polygons given relative to that point.
    fn of_polygons(
        infrared_model: InfraredModel,
        (half_angle, range): (f64, f64),
        polygons: &[&[DVec2]],
    ) -> Option<f64> {
        let mut space = space(infrared_model, Boundary::Open);
        for corners in polygons {
            let corners: Vec<DVec2> = corners.iter().map(|corner| *corner + DVec2::splat(5.0)).collect();
            space.solids.add_polygon(&corners).unwrap();
        }
        look(&space, &Beam::new(DVec2::ZERO, 0.0, half_angle, range))
    }

    /// The cone of the Khepera III.
    const KHEPERA3: (f64, f64) = (PI / 18.0, 0.2);

    fn assert_measured(found: Option<f64>, case: &Value) {
        let agrees = match (found, case["measured"].as_f64()) {
            (Some(found), Some(measured)) => (found - measured).abs() < 1e-9,
            (found, measured) => found.is_none() && measured.is_none(),
        };
        assert!(agrees, "{found:?} {case}");
    }

    #[test]
    fn classic_beams_equal_those_of_simiam() {
        let facts = swarmarium_testing::facts("simiam/khepera3_master.json");
        for case in facts["proximity_wall"].as_array().unwrap() {
            let number = |field: &str| case[field].as_f64().unwrap();
            let (near, half, turn) = (number("wall_distance"), number("wall_half_width"), number("wall_angle"));
            // A wall 0.1 m thick.
            let corners = [(near, -half), (near + 0.1, -half), (near + 0.1, half), (near, half)];
            let corners = corners.map(|corner| direction(turn).rotate(corner.into()));
            let cone = (number("phi") / 2.0, number("rmax"));
            assert_measured(of_polygons(InfraredModel::Classic, cone, &[&corners]), case);
        }
        for case in facts["proximity_special"].as_array().unwrap() {
            let corner = |corner: &Value| DVec2::new(corner[0].as_f64().unwrap(), corner[1].as_f64().unwrap());
            let corners: Vec<DVec2> = case["poly"].as_array().unwrap().iter().map(corner).collect();
            assert_measured(of_polygons(InfraredModel::Classic, KHEPERA3, &[&corners]), case);
        }
    }

    fn box_of(low: (f64, f64), high: (f64, f64)) -> [DVec2; 4] {
        [low, (high.0, low.1), high, (low.0, high.1)].map(DVec2::from)
    }

    #[test]
    fn true_beams_find_bodies_that_classic_beams_miss() {
        let truly = |polygons: &[&[DVec2]]| of_polygons(InfraredModel::Exact, KHEPERA3, polygons);
        let near = |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 1e-12);
        assert!(near(truly(&[&box_of((0.1, -1.0), (0.2, 1.0))]), 0.1), "square on");
        assert!(near(truly(&[&box_of((0.1, -0.005), (0.11, 0.005))]), 0.1), "wholly inside");
        assert_eq!(truly(&[&box_of((-1.0, -1.0), (1.0, 1.0))]), Some(0.0), "around the eye");
        // A C whose opening faces the sensor.
        let c =
            [(0.15, -0.5), (0.5, -0.5), (0.5, 0.5), (0.15, 0.5), (0.15, 0.2), (0.19, 0.2), (0.19, -0.2), (0.15, -0.2)];
        assert!(near(truly(&[&c.map(DVec2::from)]), 0.19), "the bottom of the dent");
        assert_eq!(truly(&[&box_of((0.1, 0.05), (0.15, 0.1))]), None, "beside the cone");
        assert_eq!(truly(&[&box_of((0.2, -1.0), (0.3, 1.0))]), None, "out of range");
    }

    #[test]
    fn a_beam_whose_eye_passes_through_a_thin_solid_has_distance_zero() {
        let mut space = space(InfraredModel::Exact, Boundary::Open);
        let eye = Beam::new(DVec2::new(0.07, 0.0), 0.0, 0.2, 0.2);
        assert_eq!(look(&space, &eye), None);
        let thin = box_of((5.03, 4.0), (5.05, 6.0));
        space.solids.add_polygon(&thin).unwrap();
        assert_eq!(look(&space, &eye), Some(0.0));
        assert_eq!(look(&space, &Beam::new(DVec2::new(-0.07, 0.0), PI, 0.2, 0.2)), None, "an eye on the other side");
    }

    #[test]
    fn beams_find_walls_discs_outlines_and_bodies_across_the_border() {
        let beam = Beam::new(DVec2::new(0.05, 0.0), 0.0, 0.2, 0.5);
        let at = |x: f64, others: &[Body], boundary| {
            let mut space = space(InfraredModel::Exact, boundary);
            space.bodies.resize(1 + others.len());
            space.bodies.set(0, Body { position: DVec2::new(x, 5.0), radius: 0.1, ..Body::default() });
            for (row, body) in others.iter().enumerate() {
                space.bodies.set(row + 1, *body);
            }
            space.update();
            space
        };
        let near = |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 1e-12);
        assert!(near(look(&at(9.75, &[], Boundary::Walls), &beam), 0.2));
        assert_eq!(look(&at(9.97, &[], Boundary::Walls), &beam), Some(0.0), "in the wall");
        assert_eq!(look(&at(9.75, &[], Boundary::Open), &beam), None);
        let other = Body { position: DVec2::new(0.1, 5.0), radius: 0.1, ..Body::default() };
        assert!(near(look(&at(9.75, &[other], Boundary::Periodic), &beam), 0.2));
        assert_eq!(look(&at(9.75, &[other], Boundary::Open), &beam), None);

        let square = box_of((-0.1, -0.1), (0.1, 0.1));
        let mut outlined = at(9.75, &[Body { contact: Contact::Outlined, radius: 0.15, ..other }], Boundary::Periodic);
        let solid = outlined.solids.add_polygon(&square).unwrap();
        outlined.solids.set_properties(solid, SolidProperties::body(1));
        outlined.bodies.set_outlines(vec![Drawn { row: 1, solid, corners: square.to_vec() }]);
        outlined.place_outline(1);
        assert!(near(look(&outlined, &beam), 0.2));
        outlined.infrared_model = InfraredModel::Classic;
        let found = look(&outlined, &beam).unwrap();
        assert!((found - 0.2 / swarmarium_base::math::cos(0.2)).abs() < 1e-12, "{found}");
    }

    proptest! {
        /// The cone of pySimiam has a corner in place of the arc, and finds the edges of large convex shapes too far
        /// away.
        #[test]
        fn a_classic_beam_never_finds_nearer_than_a_true_one(x in 0.0..0.4, y in -0.2..0.2, turn in -3.0..3.0, size in 0.3..1.0) {
            let square = box_of((0.0, 0.0), (size, size)).map(|corner| DVec2::new(x, y) + direction(turn).rotate(corner));
            let [truly, classically] =
                [InfraredModel::Exact, InfraredModel::Classic].map(|infrared_model| of_polygons(infrared_model, KHEPERA3, &[&square]));
            prop_assert!(classically.is_none_or(|late| truly.is_some_and(|truly| truly <= late + 1e-9)), "{truly:?} {classically:?}");
        }

        #[test]
        fn a_true_beam_finds_nothing_nearer_than_all_points_of_its_cone(
            x in -0.3..0.4, y in -0.3..0.3, radius in 0.0..0.1, bearing in -3.0..3.0,
        ) {
            let mut space = space(InfraredModel::Exact, Boundary::Open);
            space.solids.add_disc(DVec2::new(5.0 + x, 5.0 + y), radius).unwrap();
            let (tip, half_angle, range) = (DVec2::new(0.05, 0.02), 0.3, 0.2);
            let found = look(&space, &Beam::new(tip, bearing, half_angle, range));
            let points = (0..=40).flat_map(|ring| (-20..=20).map(move |ray| (f64::from(ring) / 40.0, f64::from(ray) / 20.0)));
            let offsets = points.map(|(ring, ray)| range * ring * direction(bearing + half_angle * ray));
            let hits = offsets.filter(|offset| (tip + *offset).distance(DVec2::new(x, y)) <= radius);
            let sampled = hits.map(DVec2::length).fold(f64::INFINITY, f64::min);
            prop_assert!(found.unwrap_or(f64::INFINITY) <= sampled + 1e-9 || sampled >= range - 1e-9, "{found:?} {sampled}");
        }
    }
}
