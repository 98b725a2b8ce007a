use std::f64::consts::TAU;

use proptest::prelude::*;
use swarmarium_base::math;

use super::super::fixture::{SIZE, all, disc, point, space, with};
use super::super::polygon::closest_on_segment;
use super::super::ray_shapes::Edge;
use super::super::{Aperture, Body, Drawn, Outline};
use super::*;

/// The first hit among all bodies, without solids.
fn brute_force(space: &Space, origin: DVec2, direction: DVec2, length: f64, except: Option<usize>) -> Option<f64> {
    let bodies = all(space, origin).into_iter().filter(|body| Some(body.row) != except);
    let to_body = |body: Neighbour| Disc::of_body(&body).distance(direction);
    let wall = space.arena.wall_distance(origin, direction);
    Some(bodies.map(to_body).fold(wall, f64::min)).filter(|&distance| distance < length)
}

proptest! {
    #[test]
    fn ray_hits_equal_brute_force(
        space in space(), origin in point(), angle in -3.2..3.2, length in 0.0..3.0,
    ) {
        let direction = math::direction(angle);
        let expected = brute_force(&space, origin, direction, length, Some(0));
        let hit = space.first_hit(origin, direction, length, Some(0));
        prop_assert_eq!(hit.map(|hit| hit.distance), expected);
        let mut around = Surroundings::default();
        space.look_around(origin, length, Some(0), &mut around);
        prop_assert_eq!(around.cast(direction, 0.0, length).map(|hit| hit.distance), expected);
        let skip = length / 2.0;
        let beyond = around.cast(direction, skip, length - skip).map(|hit| hit.distance);
        prop_assert_eq!(beyond, expected.map(|distance| (distance - skip).max(0.0)));
    }

    #[test]
    fn rays_meet_outlines_as_drawn(
        mut space in space(),
        stars in prop::collection::vec((point(), prop::collection::vec(0.1..1.0, 3..9)), 1..24),
        origin in point(), angle in -3.2..3.2, length in 0.0..5.0,
    ) {
        prop_assume!(space.arena.boundary != Boundary::Periodic);
        let mut outlined = Vec::new();
        for (middle, spikes) in &stars {
            let bearing = |k: usize| TAU * k as f64 / spikes.len() as f64;
            let corner = |(k, reach): (usize, &f64)| *reach * math::direction(bearing(k));
            let corners: Vec<DVec2> = spikes.iter().enumerate().map(corner).collect();
            let row = outlined.len();
            // Every second one is the outline of a body at its position, with an arbitrary heading.
            if (row + space.solids.len()) % 2 == 0 && row < space.bodies.len() {
                let Ok(solid) = space.solids.add_polygon(&corners) else { continue };
                space.solids.set_properties(solid, SolidProperties::body(row));
                let reach = spikes.iter().copied().fold(0.0, f64::max);
                let (position, contact) = (*middle, Contact::Outlined);
                space.bodies.set(row, Body { position, heading: reach, radius: reach, contact, ..Body::default() });
                outlined.push(Drawn { row, solid, corners });
                space.bodies.set_outlines(outlined.clone());
                space.place_outline(row);
            } else {
                let shifted: Vec<DVec2> = corners.iter().map(|corner| *corner + *middle).collect();
                _ = space.solids.add_polygon(&shifted);
            }
        }
        space.solids.sort();
        space.update();
        let direction = math::direction(angle);
        let discs = all(&space, origin).into_iter();
        let discs = discs.filter(|body| space.bodies.contacts()[body.row] != Contact::Outlined);
        let to_disc = |body: Neighbour| Disc::of_body(&body).distance(direction);
        let mut nearest = discs.map(to_disc).fold(space.arena.wall_distance(origin, direction), f64::min);
        for solid in 0..space.solids.len() {
            let Outline::Polygon(corners) = space.solids.outline(solid) else { continue };
            if polygon::contains(corners, origin) {
                nearest = 0.0;
            }
            for (a, b) in polygon::edges(corners) {
                let edge = Edge::between(a - origin, b - origin, Target::Solid(solid));
                nearest = nearest.min(edge.distance(direction));
            }
        }
        let expected = Some(nearest).filter(|distance| *distance < length);
        let hit = space.first_hit(origin, direction, length, None).map(|hit| hit.distance);
        prop_assert_eq!(hit, expected);
        let mut around = Surroundings::default();
        space.look_around(origin, length, None, &mut around);
        prop_assert_eq!(around.cast(direction, 0.0, length).map(|hit| hit.distance), expected);
    }

    #[test]
    fn line_of_sight_ends_at_the_first_ray_hit(space in space(), origin in point(), target in point()) {
        let step = space.arena.offset(origin, target);
        let around_it = (DVec2::splat(f64::NEG_INFINITY), DVec2::splat(f64::INFINITY));
        let covered = |body: &Neighbour| {
            let images = space.arena.images((body.offset, body.offset), around_it).map(|shift| body.offset + shift);
            let distance = |at: DVec2| closest_on_segment(DVec2::ZERO, step, at).distance(at);
            images.map(distance).fold(f64::INFINITY, f64::min) - body.radius
        };
        let margin = all(&space, origin).iter().filter(|body| body.row != 0).map(covered).fold(1.0, f64::min);
        prop_assume!(margin.abs() > 1e-9);
        prop_assert_eq!(space.line_of_sight(origin, target, &[Target::Body(0)]), margin > 0.0);
        let mut near = Vec::new();
        space.index().within_range(origin, step.length() * (1.0 + 1e-9), Some(0), |body| near.push(body));
        prop_assert_eq!(space.shows_past(&near, origin, step, &[]), margin > 0.0);
        let mut around = Surroundings::default();
        space.look_around(origin, step.length(), None, &mut around);
        // There each body counts once, at its image nearest to the point.
        prop_assume!(space.arena.boundary != Boundary::Periodic);
        let expected = space.line_of_sight(origin, target, &[Target::Body(0)]);
        prop_assert_eq!(around.shows(step, Some(0)), expected);
    }
}

/// Adds discs, for no corners, and regular polygons.
fn with_solids(mut space: Space, solids: &[(DVec2, f64, u32)]) -> Space {
    for (at, size, corners) in solids {
        let corner = |k: u32| *at + *size * math::direction(at.x + f64::from(k) * TAU / f64::from(*corners));
        let outline: Vec<DVec2> = (0..*corners).map(corner).collect();
        let added = match corners {
            0 => space.solids.add_disc(*at, *size),
            _ => space.solids.add_polygon(&outline),
        };
        added.unwrap();
    }
    space
}

fn solids() -> impl Strategy<Value = Vec<(DVec2, f64, u32)>> {
    prop::collection::vec((point(), 0.05..0.8, prop_oneof![Just(0_u32), Just(3), Just(4), Just(5)]), 0..6)
}

/// Whether a disc at a point touches anything solid, by brute force.
fn touches(space: &Space, at: DVec2, radius: f64) -> bool {
    let walls = space.arena.boundary == Boundary::Walls && space.arena.confine(at, radius) != at;
    let covered = |body: &Neighbour| body.row != 0 && body.offset.length() < body.radius + radius;
    walls || all(space, at).iter().any(covered) || space.solids.overlap(&space.arena, at, radius)
}

proptest! {
    #[test]
    fn a_ray_is_free_up_to_its_first_hit(
        space in space(), solids in solids(), origin in point(), angle in -3.2..3.2, length in 0.1..3.0,
        half_width in prop_oneof![Just(0.0), 0.01..0.2],
    ) {
        let space = with_solids(space, &solids);
        // In a periodic arena bodies count once, at their image nearest to the eye.
        prop_assume!(space.arena.boundary != Boundary::Periodic);
        let direction = math::direction(angle);
        let (mut nearest, mut any) = (length, false);
        space.meet(origin, direction, length, half_width, Some(0), |hit| {
            nearest = nearest.min(hit.distance);
            any = true;
        });
        if half_width == 0.0 {
            let hit = space.first_hit(origin, direction, length, Some(0));
            prop_assert_eq!(hit.map(|hit| hit.distance), any.then_some(nearest));
        }
        let starts_free = !touches(&space, origin, half_width);
        for step in 0..200 {
            let along = nearest * f64::from(step) / 200.0 - 1e-6;
            let is_free = along < 0.0 || !touches(&space, origin + along * direction, half_width);
            prop_assert!(is_free || !starts_free, "something is met at {along} m, before {nearest} m");
        }
        let end = origin + (nearest + 1e-6) * direction;
        let pad = half_width + 1e-5;
        prop_assert!(!any || nearest == 0.0 || touches(&space, end, pad));
    }

    #[test]
    fn solids_in_a_sector_equal_brute_force(
        space in space(), solids in solids(), eye in point(), heading in -3.2..3.2, half_angle in 0.05..3.2,
    ) {
        let space = with_solids(space, &solids);
        prop_assume!(space.arena.boundary != Boundary::Periodic);
        let sector = Aperture::new(half_angle, 2.0, 0.0).toward(math::direction(heading));
        let mut found = Vec::new();
        space.scenery_in_sector(eye, &sector, None, |point, target| {
            found.push(target);
            assert!(point.length() <= 2.0);
        });
        // Points of the sector that something covers.
        let inner = Aperture::new(half_angle, 1.99, 0.0).toward(math::direction(heading));
        for step in 0..600 {
            let (ring, turn) = (f64::from(step / 60) / 10.0 * 1.99, f64::from(step % 60) / 60.0);
            let offset = ring * math::direction(heading + half_angle * (2.0 * turn - 1.0) * 0.999);
            if !inner.holds(offset) {
                continue;
            }
            for solid in 0..space.solids.len() {
                let covers = match space.solids.outline(solid) {
                    Outline::Disc { center, radius } => center.distance(eye + offset) < radius,
                    Outline::Polygon(corners) => polygon::contains(corners, eye + offset),
                };
                prop_assert!(!covers || found.contains(&Target::Solid(solid)));
            }
            let inside = space.arena.confine(eye, 0.0) == eye;
            let crosses = space.arena.boundary == Boundary::Walls
                && inside
                && space.arena.confine(eye + offset, 0.0) != eye + offset;
            prop_assert!(!crosses || found.contains(&Target::Wall));
        }
    }
}

#[test]
fn rays_hit_solids_from_outside_and_from_inside() {
    let mut space = with(Boundary::Open, &[]);
    space.solids.add_disc(DVec2::new(2.0, 0.0), 0.5).unwrap();
    let square = [(3.0, -1.0), (5.0, -1.0), (5.0, 1.0), (3.0, 1.0)].map(DVec2::from);
    space.solids.add_polygon(&square).unwrap();
    let hit = |x: f64, y: f64| space.first_hit(DVec2::new(x, y), DVec2::X, 9.0, None);
    assert_eq!(hit(0.0, 0.0), Some(Hit { distance: 1.5, target: Target::Solid(0) }));
    assert_eq!(hit(0.0, 0.7), Some(Hit { distance: 3.0, target: Target::Solid(1) }));
    assert_eq!(hit(4.0, 0.0), Some(Hit { distance: 0.0, target: Target::Solid(1) }));
    assert_eq!(hit(6.0, 0.0), None);
    let endless = space.first_hit(DVec2::ZERO, DVec2::X, f64::INFINITY, None);
    assert_eq!(endless, Some(Hit { distance: 1.5, target: Target::Solid(0) }));
    assert!(!space.line_of_sight(DVec2::ZERO, DVec2::new(9.0, 0.7), &[]));
    assert!(space.line_of_sight(DVec2::ZERO, DVec2::new(9.0, 9.0), &[]));
    let mut around = Surroundings::default();
    assert!(space.look_around(DVec2::new(2.75, 0.0), 0.3, None, &mut around));
    assert_eq!(around.cast(DVec2::X, 0.1, 0.2), Some(Hit { distance: 0.15, target: Target::Solid(1) }));
    assert_eq!(around.cast(DVec2::NEG_X, 0.3, 0.1), Some(Hit { distance: 0.0, target: Target::Solid(0) }));
}

#[test]
fn rays_and_solids_cross_a_wrapping_border() {
    let mut space = with(Boundary::Periodic, &[disc(0.2, 1.0, 0.1)]);
    space.solids.add_disc(DVec2::new(0.2, 2.0), 0.1).unwrap();
    let hit = |y: f64| space.first_hit(DVec2::new(SIZE.x - 0.2, y), DVec2::X, 1.0, None);
    assert!(hit(1.0).is_some_and(|hit| (hit.distance - 0.3).abs() < 1e-12 && hit.target == Target::Body(0)));
    assert_eq!(space.first_hit(DVec2::new(1.0, 0.5), DVec2::X, f64::INFINITY, None), None);
    assert!(hit(2.0).is_some_and(|hit| (hit.distance - 0.3).abs() < 1e-12 && hit.target == Target::Solid(0)));
}
