use bevy::tasks::TaskPoolBuilder;
use proptest::prelude::*;

use super::*;
use crate::fixture::{SIZE, all, disc, space, with};
use crate::{Body, Field, Outline, polygon};

/// Depth (m) of the deepest overlap of two bodies.
fn deepest(space: &Space) -> f64 {
    let (positions, radii) = (space.bodies.positions(), space.bodies.radii());
    let depth = |row: usize| {
        let others = all(space, positions[row]).into_iter().filter(move |body| body.row != row);
        others.map(|body| radii[row] + body.radius - body.offset.length()).fold(0.0, f64::max)
    };
    (0..positions.len()).map(depth).fold(0.0, f64::max)
}

/// Many bodies in a heap.
fn heap(count: u32) -> Vec<Body> {
    (0..count).map(|k| disc(f64::from(k % 37) * 0.05, f64::from(k % 101) * 0.02, 0.01)).collect()
}

#[test]
fn two_overlapping_bodies_separate_evenly() {
    let mut space = with(Boundary::Open, &[disc(0.0, 0.0, 0.5), disc(0.6, 0.0, 0.5)]);
    assert!(space.resolve(4, None));
    let moved = space.bodies.displacements();
    assert!((moved[0] + moved[1]).length() < 1e-12);
    assert!((moved[1].x - 0.2).abs() < 1e-12 && moved[1].y == 0.0);
    assert!(!space.resolve(4, None));
}

#[test]
fn bodies_at_one_position_separate() {
    for count in [2, 3, 50] {
        let mut space = with(Boundary::Open, &vec![disc(1.0, 1.0, 0.1); count]);
        let parting = Parting { part: Some(0.5), turned: false, held: &[] };
        let sum: DVec2 = (0..count).map(|row| space.push_on(row, parting).by).sum();
        assert!(sum.length() < 1e-12);
        assert!(space.resolve(1, None) && space.bodies.positions()[0] != DVec2::ONE);
        space.resolve(1000, None);
        assert!(deepest(&space) < 1e-6);
    }
}

#[test]
fn fixed_bodies_stay_and_ghosts_are_not_pushed() {
    let fixed = Body { contact: Contact::Fixed, ..disc(1.0, 1.0, 0.5) };
    let ghost = Body { contact: Contact::Ghost, ..disc(1.2, 1.0, 0.5) };
    let mut space = with(Boundary::Walls, &[fixed, disc(1.5, 1.0, 0.5), ghost]);
    space.resolve(9, None);
    assert_eq!(space.bodies.displacements(), [DVec2::ZERO, DVec2::new(0.5, 0.0), DVec2::ZERO]);
}

#[test]
fn resolve_one_moves_a_single_body() {
    let mut space = with(Boundary::Open, &[disc(0.0, 0.0, 0.5), disc(0.6, 0.0, 0.5)]);
    assert!(space.resolve_one(1));
    space.refresh();
    assert_eq!(space.bodies.positions(), [DVec2::ZERO, DVec2::X]);
    assert!(!space.resolve_one(1));
}

#[test]
fn solids_push_bodies_out() {
    let mut space = with(Boundary::Walls, &[disc(1.0, 1.0, 0.1), disc(3.0, 1.5, 0.1), disc(1.5, 2.0, 0.1)]);
    let corners = [(0.5, 0.5), (2.5, 0.5), (2.5, 1.2), (1.2, 1.2), (1.2, 2.5), (0.5, 2.5)].map(DVec2::from);
    space.solids.add_polygon(&corners).unwrap();
    space.solids.add_disc(DVec2::new(3.0, 1.5), 0.5).unwrap();
    assert!(space.resolve(50, None));
    for &position in space.bodies.positions() {
        let (nearest, _) = polygon::closest_boundary_point(&corners, position).unwrap();
        assert!(!polygon::contains(&corners, position) && position.distance(nearest) > 0.1 - 1e-8);
        assert!(position.distance(DVec2::new(3.0, 1.5)) > 0.6 - 1e-8);
    }
}

/// Moves all bodies by the vectors that `way` returns, and separates them: one after another, or all at once.
fn drive(space: &mut Space, alone: bool, way: impl Fn(DVec2, f64) -> DVec2) {
    for row in 0..space.bodies.len() {
        let position = space.bodies.positions()[row];
        let way = way(position, space.bodies.radii()[row]);
        space.place_body(row, position + way, 0.0, way);
        if alone {
            space.resolve_one(row);
        }
    }
    if alone {
        space.resolve_crowded(4, None);
    } else {
        space.update();
        space.resolve(4, None);
    }
}

/// The deepest overlap of two bodies, in units of the diameter of the smaller one.
fn deepest_part(space: &Space) -> f64 {
    let (positions, radii) = (space.bodies.positions(), space.bodies.radii());
    let depth = |row: usize| {
        let others = all(space, positions[row]).into_iter().filter(move |body| body.row != row);
        let part =
            |body: Neighbour| (radii[row] + body.radius - body.offset.length()) / (2.0 * radii[row].min(body.radius));
        others.map(part).fold(0.0, f64::max)
    };
    (0..positions.len()).map(depth).fold(0.0, f64::max)
}

/// Bodies of one or of three sizes around a point, some of them coincident.
fn crowd(boundary: Boundary, count: u32, center: DVec2, (spread, is_mixed): (f64, bool)) -> Space {
    let body = |k: u32| {
        let way = swarmarium_base::math::direction(f64::from(k) * 2.4) * (f64::from(k / 2) / f64::from(count)).sqrt();
        let radius = if is_mixed { [0.03, 0.05, 0.08][k as usize % 3] } else { 0.05 };
        Body { position: center + spread * way, radius, ..Body::default() }
    };
    with(boundary, &(0..count).map(body).collect::<Vec<_>>())
}

#[test]
fn a_crowd_of_bodies_settles_standing_or_driving() {
    let center = SIZE / 2.0;
    let cases = [
        (Boundary::Open, 30, center, center, 0.05),
        (Boundary::Open, 100, center, center, 1.0),
        (Boundary::Walls, 60, DVec2::splat(0.3), DVec2::ZERO, 0.3),
        (Boundary::Periodic, 60, DVec2::ZERO, DVec2::ZERO, 0.4),
    ];
    for (boundary, count, from, to, spread) in cases {
        for (alone, is_mixed) in [(false, false), (true, false), (false, true), (true, true)] {
            for radii_per_step in [0.0, 0.3, 1.0] {
                let mut space = crowd(boundary, count, from, (spread, is_mixed));
                let mut worst = 0.0_f64;
                for step in 0..105 {
                    let arena = space.arena;
                    drive(&mut space, alone, |at, radius| {
                        arena.offset(at, to).clamp_length_max(radii_per_step * radius)
                    });
                    worst = if step < 100 { 0.0 } else { worst.max(deepest_part(&space)) };
                }
                let case = format!("{boundary:?} {count} alone {alone} mixed {is_mixed} {radii_per_step} radii");
                assert!(worst <= 0.05, "{case}: {worst}");
            }
        }
    }
}

#[test]
fn a_row_of_bodies_along_a_wall_buckles() {
    for alone in [false, true] {
        let row = (0..20_u32).map(|k| disc(0.1 + 0.005 * f64::from(k), 0.05, 0.05)).collect::<Vec<_>>();
        let mut space = with(Boundary::Walls, &row);
        for _ in 0..100 {
            drive(&mut space, alone, |_, _| DVec2::ZERO);
        }
        assert!(deepest_part(&space) <= 0.05, "{}", deepest_part(&space));
    }
}

/// A pen of four walls of 1 cm, 1 m by 1 m inside, about `center`.
fn pen(space: &mut Space, center: DVec2) {
    for (low, high) in [((-0.51, -0.51), (0.51, -0.5)), ((-0.51, 0.5), (0.51, 0.51))]
        .into_iter()
        .chain([((-0.51, -0.51), (-0.5, 0.51)), ((0.5, -0.51), (0.51, 0.51))])
    {
        let corners = [low, (high.0, low.1), high, (low.0, high.1)];
        space.solids.add_polygon(&corners.map(|corner| center + DVec2::from(corner))).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_crowd_of_bodies_stays_in_walls_and_out_of_obstacles(
        boundary in prop_oneof![Just(Boundary::Open), Just(Boundary::Walls), Just(Boundary::Periodic)],
        (alone, is_mixed) in (any::<bool>(), any::<bool>()),
        count in 2..60_u32,
        radii_per_step in prop_oneof![0.1..1.0, 1.0..30.0],
        (to_x, to_y) in (-2.0..2.0, -2.0..2.0),
        obstacle in 0..3,
    ) {
        // In a periodic arena, the pen lies across a corner of it.
        let center = if boundary == Boundary::Periodic { DVec2::ZERO } else { SIZE / 2.0 };
        let mut space = crowd(boundary, count, center - 0.2, (0.25, is_mixed));
        pen(&mut space, center);
        let spike = [(0.1, 0.1), (0.5, 0.28), (0.5, 0.3), (0.1, 0.13)].map(|corner| center + DVec2::from(corner));
        let added = match obstacle {
            0 => space.solids.add_disc(center + 0.3, 0.02),
            1 => space.solids.add_polygon(&spike),
            _ => Ok(0),
        };
        prop_assert!(added.is_ok());
        let to = DVec2::new(to_x, to_y);
        for step in 0..60 {
            let before = space.bodies.positions().to_vec();
            let turn = swarmarium_base::math::direction(if step < 30 { 0.0 } else { 3.0 });
            drive(&mut space, alone, |_, radius| turn.rotate(to).normalize_or_zero() * radii_per_step * radius);
            for (row, position) in space.bodies.positions().iter().enumerate() {
                let place = space.arena.offset(center, *position);
                prop_assert!(place.abs().max_element() < 0.5, "body {row} is at {place} in step {step}");
                // Checked independently of the sweep, at many points in between.
                let start = space.arena.offset(center, before[row]);
                let crossed = |part: i32| {
                    let point = center + start.lerp(place, f64::from(part) / 200.0);
                    (4..space.solids.len()).any(|solid| space.solids.outline(solid).contains(point))
                };
                prop_assert!(!(0..=200).any(crossed), "body {row} crosses the obstacle in step {step}");
            }
        }
    }
}

#[test]
fn threads_change_no_collision() {
    let pool = TaskPoolBuilder::new().num_threads(2).build();
    for boundary in [Boundary::Open, Boundary::Walls, Boundary::Periodic] {
        let mut alone = with(boundary, &heap(17_000));
        let mut together = alone.clone();
        alone.resolve(5, None);
        together.resolve(5, Some(Helpers { pool: &pool, is_eager: true }));
        assert_eq!(alone.bodies.positions(), together.bodies.positions());
    }
}

proptest! {
    #[test]
    fn every_collision_round_equals_brute_force(mut space in space()) {
        let mut expected = space.clone();
        expected.wrap();
        let mut scratch = Scratch::default();
        space.list_all(&mut scratch, None);
        space.pass(&mut scratch, (3, 3), None);
        space.refresh();
        let parting = Parting { part: Some(0.5), turned: false, held: &[] };
        for _ in 0..3 {
            let steps: Vec<_> = (0..expected.bodies.len()).map(|row| expected.push_on(row, parting)).collect();
            for push in steps.iter().filter(|push| push.hit) {
                expected.shift_body(push.row as usize, push.by);
            }
        }
        // Only the order of the sums may differ: the index of `expected` is sorted at the same times.
        prop_assert_eq!(space.bodies.positions(), expected.bodies.positions());
        prop_assert_eq!(space.bodies.displacements(), expected.bodies.displacements());
    }

    #[test]
    fn no_centre_is_ever_inside_a_solid_or_beyond_a_wall(
        (arms, stars) in (3..9_usize, 1..4_u32),
        spikes in prop::collection::vec(0.15..1.4, 9),
        headings in prop::collection::vec(-3.2..3.2, 12),
        alone in any::<bool>(),
    ) {
        let discs = (0..12_u32).map(|k| disc(0.2 + 0.3 * f64::from(k), 0.1, 0.04 + 0.008 * f64::from(k)));
        let mut space = with(Boundary::Walls, &discs.collect::<Vec<_>>());
        for k in 0..stars {
            let center = DVec2::new(0.9 + 1.1 * f64::from(k), 1.6);
            let corner = |arm: usize| {
                let bearing = std::f64::consts::TAU * (arm as f64 + 0.3 * f64::from(k)) / (2 * arms) as f64;
                let reach = if arm.is_multiple_of(2) { spikes[arm % 9] } else { 0.1 };
                (center + reach * swarmarium_base::math::direction(bearing)).clamp(DVec2::splat(0.3), SIZE)
            };
            let corners: Vec<DVec2> = (0..2 * arms).map(corner).collect();
            _ = space.solids.add_polygon(&corners);
        }
        let holds = |point: DVec2| (0..space.solids.len()).any(|solid| space.solids.outline(solid).contains(point));
        prop_assume!(!space.bodies.positions().iter().any(|position| holds(*position)));
        for step in 0..120 {
            for (row, heading) in headings.iter().enumerate() {
                let way = swarmarium_base::math::direction(heading + 0.02 * f64::from(step)) * 0.05;
                let position = space.bodies.positions()[row] + way;
                space.place_body(row, position, 0.0, way);
                if alone {
                    space.resolve_one(row);
                }
            }
            space.update();
            if !alone {
                space.resolve(4, None);
            }
            for (row, &position) in space.bodies.positions().iter().enumerate() {
                prop_assert!(position.cmpge(DVec2::ZERO).all() && position.cmple(SIZE).all());
                // A point exactly on the edge, due to rounding, is not inside.
                let depth = |solid: usize| match space.solids.outline(solid) {
                    Outline::Polygon(corners) if polygon::contains(corners, position) => {
                        polygon::closest_boundary_point(corners, position).unwrap().0.distance(position)
                    }
                    _ => 0.0,
                };
                let deepest = (0..space.solids.len()).map(depth).fold(0.0, f64::max);
                prop_assert!(deepest < 1e-9, "body {row} is {deepest} deep at {position} in step {step}");
            }
        }
    }

    #[test]
    fn overlapping_bodies_separate_and_stay_within_walls(mut space in space()) {
        space.resolve(3, None);
        for (&position, &radius) in space.bodies.positions().iter().zip(space.bodies.radii()) {
            prop_assert!(position.is_finite());
            match space.arena.boundary {
                Boundary::Open => {}
                Boundary::Walls => prop_assert!(
                    position.cmpge(DVec2::splat(radius)).all() && position.cmple(SIZE - radius).all()
                ),
                Boundary::Periodic => prop_assert!(position.cmpge(DVec2::ZERO).all() && position.cmplt(SIZE).all()),
            }
        }
        if space.arena.boundary == Boundary::Open {
            space.resolve(3000, None);
            prop_assert!(deepest(&space) < 1e-6);
        }
    }
}

/// More bodies in a small part of the arena than can be compared with each other in time.
fn overfull(boundary: Boundary, count: usize) -> Space {
    let place = |k: usize| 1.0 + (k as f64 * 0.618_034).fract() * 0.6;
    let bodies: Vec<Body> = (0..count).map(|k| disc(place(k), place(k * k % 7919), 0.08)).collect();
    let space = with(boundary, &bodies);
    assert!(space.index().is_heap());
    space
}

#[test]
fn a_heap_of_bodies_beyond_the_pair_limit_still_spreads() {
    for boundary in [Boundary::Open, Boundary::Walls, Boundary::Periodic] {
        let mut space = overfull(boundary, 5000);
        let spread = |space: &Space| {
            let center = space.bodies.positions().iter().sum::<DVec2>() / 5000.0;
            let squares = space.bodies.positions().iter().map(|at| space.arena.offset(center, *at).length_squared());
            (center, (squares.sum::<f64>() / 5000.0).sqrt())
        };
        let (center, before) = spread(&space);
        for _ in 0..6 {
            (0..5000).for_each(|row| space.place_body(row, space.bodies.positions()[row], 0.0, DVec2::ZERO));
            assert!(space.resolve(4, None));
        }
        let (after_center, after) = spread(&space);
        assert!(after > 1.2 * before, "{boundary:?}: {before} {after}");
        if boundary == Boundary::Open {
            assert!(after_center.distance(center) < 0.1 * after, "no direction is preferred");
        }
    }
}

#[test]
fn a_few_bodies_far_away_leave_the_cells_of_the_others_small() {
    for boundary in [Boundary::Open, Boundary::Walls] {
        let place = |k: usize| DVec2::new((k % 100) as f64, (k / 100) as f64) * 0.05;
        let mut space = Space::new(Field::new(DVec2::splat(1e6), boundary));
        space.bodies.resize(5000);
        for row in 0..5000 {
            let position = if row % 1000 == 7 { DVec2::splat(1e5 * (row as f64)) } else { place(row) };
            space.bodies.set(row, Body { position, radius: 0.02, ..Body::default() });
        }
        space.update();
        assert!(!space.index().is_heap(), "{boundary:?}");
        let mut near = Vec::new();
        space.index().within_range(place(2050), 0.06, Some(2050), |body| near.push(body.row));
        near.sort_unstable();
        assert_eq!(near, [1949, 1950, 1951, 2049, 2051, 2149, 2150, 2151], "{boundary:?}");
        let far = space.index().nearest(DVec2::splat(4.9e8), None, |_| true).map(|body| body.row);
        assert_eq!(far, Some(4007));
    }
}
