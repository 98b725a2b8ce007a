use bevy::tasks::TaskPoolBuilder;
use proptest::prelude::*;
use swarmarium_base::math;

use super::super::fixture::{all, disc, point, space, with};
use super::super::{Aperture, Space};
use super::*;

/// Compares the bodies visited by `query`, by row, with all bodies that `accept` accepts.
fn compare(
    space: &Space,
    center: DVec2,
    query: impl FnOnce(&Index, &mut Vec<Neighbour>),
    accept: impl Fn(&Neighbour) -> bool,
) -> Result<(), TestCaseError> {
    let mut found = Vec::new();
    query(space.index(), &mut found);
    found.sort_by_key(|body| body.row);
    let expected: Vec<_> = all(space, center).into_iter().filter(accept).collect();
    prop_assert_eq!(found, expected);
    Ok(())
}

/// Compares all queries with brute force.
fn check(space: &Space, center: DVec2, range: f64, half_angle: f64) -> Result<(), TestCaseError> {
    let except = Some(1);
    let others = |body: &Neighbour| body.row != 1;
    compare(
        space,
        center,
        |index, found| _ = index.within_range(center, range, except, |body| found.push(body)),
        |body| others(body) && body.offset.length_squared() < (range + body.radius).powi(2),
    )?;
    compare(
        space,
        center,
        |index, found| _ = index.centers_within_range(center, range, except, |body| found.push(body)),
        |body| others(body) && body.offset.length_squared() < range * range,
    )?;
    let sector = Aperture::new(half_angle, range, 0.2).toward(math::direction(center.x));
    compare(
        space,
        center,
        |index, found| _ = index.within_sector(center, &sector, except, |body| found.push(body)),
        |body| others(body) && sector.touches(body.offset, body.radius),
    )?;
    compare(
        space,
        center,
        |index, found| _ = index.centers_within_sector(center, &sector, except, |body| found.push(body)),
        |body| others(body) && sector.holds(body.offset),
    )?;
    let nearest = space.index().nearest(center, except, |body| body.group != 2);
    let by_distance = |a: &Neighbour, b: &Neighbour| a.offset.length_squared().total_cmp(&b.offset.length_squared());
    let expected = all(space, center).into_iter().filter(|body| others(body) && body.group != 2).min_by(by_distance);
    prop_assert_eq!(nearest, expected);
    Ok(())
}

proptest! {
    #[test]
    fn index_queries_equal_brute_force(
        space in space(), center in point(), range in 0.0..3.0, half_angle in 0.0..3.3,
    ) {
        check(&space, center, range, half_angle)?;
    }

    #[test]
    fn index_queries_follow_moved_bodies(
        mut space in space(),
        moves in prop::collection::vec((any::<prop::sample::Index>(), point()), 0..9),
        center in point(),
        range in 0.0..3.0,
    ) {
        for (row, step) in moves {
            if !space.bodies.is_empty() {
                let row = row.index(space.bodies.len());
                let position = space.bodies.positions()[row] + step - 2.0;
                space.place_body(row, position, 0.0, step - 2.0);
            }
        }
        check(&space, center, range, 1.0)?;
        space.refresh();
        let mut fresh = Index::default();
        fresh.update(&space.arena, &space.bodies, true, None);
        prop_assert_eq!(&space.index.slots, &fresh.slots);
        prop_assert_eq!(&space.index.starts, &fresh.starts);
        prop_assert_eq!(&space.index.cells, &fresh.cells);
    }
}

proptest! {
    #[test]
    fn moved_bodies_have_the_order_of_a_new_index(
        mut space in space(),
        rounds in prop::collection::vec(prop::collection::vec((any::<prop::sample::Index>(), point()), 0..9), 1..4),
        reshaped: bool,
        threads in 0_usize..3,
    ) {
        let pool = TaskPoolBuilder::new().num_threads(threads).build();
        let helpers = (threads > 0).then_some(Helpers { pool: &pool, is_eager: true });
        for moves in rounds {
            let count = space.bodies.len();
            for (row, step) in moves.into_iter().filter(|_| count > 0) {
                let row = row.index(count);
                if reshaped {
                    space.bodies.set(row, disc(step.x, step.y, 0.2));
                } else {
                    let position = space.bodies.positions()[row] + (step - 2.0) / 10.0;
                    space.bodies.set_pose(row, position, 0.0, DVec2::ZERO);
                }
            }
            space.update_with(helpers);
            let mut fresh = Index::default();
            fresh.update(&space.arena, &space.bodies, true, None);
            prop_assert_eq!(&space.index.slots, &fresh.slots);
            prop_assert_eq!(&space.index.starts, &fresh.starts);
            prop_assert_eq!(&space.index.cells, &fresh.cells);
            prop_assert_eq!((space.index.largest, space.index.is_heap()), (fresh.largest, fresh.is_heap()));
        }
    }
}

#[test]
fn index_queries_work_with_no_body_one_body_and_all_at_one_position() {
    for boundary in [Boundary::Open, Boundary::Walls, Boundary::Periodic] {
        for count in [0, 1, 500] {
            let space = with(boundary, &vec![disc(1.0, 1.0, 0.1); count]);
            let mut found = 0;
            space.index().within_range(DVec2::ONE, 1.0, None, |_| found += 1);
            assert_eq!(found, count);
            assert_eq!(space.index().nearest(DVec2::X, None, |_| true).map(|body| body.row), (count > 0).then_some(0));
        }
    }
}

#[test]
fn a_visitor_can_stop_an_index_query() {
    let space = with(Boundary::Open, &[disc(0.0, 0.0, 0.1), disc(0.1, 0.0, 0.1)]);
    let mut seen = 0;
    let mut visit = |_| {
        seen += 1;
        true
    };
    assert!(space.index().within_range(DVec2::ZERO, 1.0, None, &mut visit));
    assert_eq!(seen, 1);
}

#[test]
fn the_index_grid_stays_small_for_distant_bodies() {
    let mut bodies = vec![disc(0.0, 0.0, 0.01); 100];
    bodies.push(disc(1e9, 0.0, 0.01));
    for far in [DVec2::new(1e9, 0.0), DVec2::new(1e9, 1e9), DVec2::new(1e300, 1.0), DVec2::INFINITY, DVec2::NAN] {
        bodies[100].position = far;
        let space = with(Boundary::Open, &bodies);
        assert!(space.index().starts.len() <= 4 * 101 + 64);
    }
}
