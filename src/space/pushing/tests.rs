//! Objects in a space that bodies push.

use proptest::prelude::*;

use super::super::fixture::{SIZE, disc, with};
use super::super::{Body, SolidProperties, Thing};
use super::*;

const FRICTION: f64 = 4.0;

/// Adds an object that bodies can push, with the friction of 4 N.
fn add(space: &mut Space, form: Form) -> usize {
    let bodies = space.bodies.len();
    let mut movables = space.movables().to_vec();
    let (place, row) = (space.things.len(), bodies + movables.len());
    let center = centroid(std::slice::from_ref(&form));
    let solid = space.solids.add(form.outline()).unwrap();
    space.solids.set_properties(solid, SolidProperties { owner: Some(row), ..SolidProperties::default() });
    let thing = Thing {
        position: center,
        forms: vec![form.clone()],
        solids: solid..solid + 1,
        row: Some(row),
        ..Thing::default()
    };
    space.things.push(thing);
    let friction = Friction::of(std::slice::from_ref(&form), FRICTION / GRAVITY_M_PER_S2, 1.0);
    space.bodies.resize_with_objects(bodies, movables.len() + 1);
    space.bodies.set(row, Body { position: center, contact: Role::Ghost, ..Body::default() });
    movables.push(Movable::new((place, row), (vec![form], center, 0.0), friction));
    space.set_movables(movables);
    space.solids.sort();
    space.update();
    place
}

fn ball(x: f64, y: f64, radius: f64) -> Form {
    Form::Disc { center: DVec2::new(x, y), radius }
}

/// A box of this width and height around a point.
fn block(x: f64, y: f64, width: f64, height: f64) -> Form {
    let corner = |(a, b): (f64, f64)| DVec2::new(x + a * width / 2.0, y + b * height / 2.0);
    Form::Polygon([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner).to_vec())
}

/// Moves bodies by displacements (m), lets them push with forces (N), and separates them from everything.
fn go(space: &mut Space, ways: &[DVec2], force_n: f64) -> Vec<Pushed> {
    let pusher = |row: usize| {
        let before = space.stand(row);
        Pusher { before, after: BodyPose { position: before.position + ways[row], ..before }, force_n }
    };
    let pushers: Vec<Pusher> = (0..space.bodies.len()).map(pusher).collect();
    let pushed = space.push(&pushers, None).to_vec();
    for (row, pusher) in pushers.iter().enumerate() {
        space.bodies.set_pose(row, pusher.after.position, pusher.after.heading, ways[row]);
    }
    space.update();
    space.resolve(4, None);
    pushed
}

fn pose(space: &Space, place: usize) -> BodyPose {
    space.stand(space.things[place].row.unwrap())
}

#[test]
fn two_robots_move_a_box_at_their_speed_and_do_not_turn_it() {
    let mut space = with(Boundary::Walls, &[disc(0.5, 1.3, 0.1), disc(0.5, 1.7, 0.1)]);
    let block = add(&mut space, block(0.9, 1.5, 0.5, 0.8));
    let start = pose(&space, block).position;
    for step in 1..=200 {
        go(&mut space, &[DVec2::X * 0.01; 2], f64::INFINITY);
        let pose = pose(&space, block);
        assert!(pose.heading.abs() < 1e-9, "{step}: {pose:?}");
        // The robots touch it after 5 steps.
        let way = 0.01 * f64::from(step) - 0.05;
        assert!(
            (pose.position.x - start.x - way.max(0.0)).abs() < 1e-9 && pose.position.y == start.y,
            "{step}: {pose:?}"
        );
    }
    assert!(space.bodies.positions()[..2].iter().all(|at| (at.x - 2.5).abs() < 1e-9));
}

#[test]
fn an_object_at_a_wall_stops_the_robots_that_push_it() {
    let mut space = with(Boundary::Walls, &[disc(SIZE.x - 1.0, 1.3, 0.1), disc(SIZE.x - 1.0, 1.7, 0.1)]);
    let block = add(&mut space, block(SIZE.x - 0.6, 1.5, 0.5, 0.8));
    for _ in 0..100 {
        go(&mut space, &[DVec2::X * 0.01; 2], f64::INFINITY);
    }
    assert!((pose(&space, block).position.x - (SIZE.x - 0.25)).abs() < 1e-6, "{:?}", pose(&space, block));
    assert!(space.bodies.positions()[..2].iter().all(|at| (at.x - (SIZE.x - 0.6)).abs() < 1e-6));
}

#[test]
fn robots_with_too_little_force_stop() {
    for (force, moves) in [(1.9, false), (2.1, true)] {
        let mut space = with(Boundary::Walls, &[disc(0.5, 1.3, 0.1), disc(0.5, 1.7, 0.1)]);
        let block = add(&mut space, block(0.9, 1.5, 0.5, 0.8));
        let mut work = 0.0;
        for _ in 0..45 {
            work += go(&mut space, &[DVec2::X * 0.01; 2], force).iter().map(|pushed| pushed.work_j).sum::<f64>();
        }
        let way = if moves { 0.4 } else { 0.0 };
        assert!((pose(&space, block).position.x - 0.9 - way).abs() < 1e-9, "{force}: {:?}", pose(&space, block));
        assert!(space.bodies.positions()[..2].iter().all(|at| (at.x - 0.55 - way).abs() < 1e-9));
        assert!((work - FRICTION * way).abs() < 1e-9, "{work}");
    }
}

#[test]
fn a_push_beside_the_centre_turns_an_object_as_its_limit_surface_says() {
    let mut space = with(Boundary::Walls, &[disc(0.55, 1.7, 0.1)]);
    let block = add(&mut space, block(0.9, 1.5, 0.5, 0.8));
    let friction = space.movables()[0].friction();
    go(&mut space, &[DVec2::X * 1e-5], f64::INFINITY);
    // Force along x at a lever of 0.2 m: shift = p / f², turn = -0.2 p / m², and the contact moves by 1e-5 m.
    let radius = friction.moment_n_m / friction.force_n;
    let shift = 1e-5 / (1.0 + 0.2 * 0.2 / (radius * radius));
    let pose = pose(&space, block);
    assert!((pose.position.x - 0.9 - shift).abs() < 1e-10, "{pose:?}");
    assert!((pose.heading + 0.2 * shift / (radius * radius)).abs() < 1e-10, "{pose:?}");
}

#[test]
fn a_chain_of_objects_moves_together_across_a_periodic_boundary() {
    let mut space = with(Boundary::Periodic, &[disc(3.0, 1.5, 0.1)]);
    let balls = [3.3, 3.7, 4.1].map(|x| add(&mut space, ball(x % SIZE.x, 1.5, 0.2)));
    for _ in 0..50 {
        go(&mut space, &[DVec2::X * 0.01], f64::INFINITY);
    }
    for (ball, x) in balls.into_iter().zip([3.8, 4.2, 4.6]) {
        let at = pose(&space, ball).position;
        assert!((at.x - x % SIZE.x).abs() < 1e-8 && (at.y - 1.5).abs() < 1e-12, "{at}");
        assert_eq!(space.things[ball].position, at);
    }
}

#[test]
fn objects_at_rest_do_not_move() {
    let mut space = with(Boundary::Walls, &[disc(0.5, 0.5, 0.1)]);
    for k in 0..9 {
        add(&mut space, block(1.0 + 0.29 * f64::from(k % 3), 1.0 + 0.29 * f64::from(k / 3), 0.3, 0.3));
    }
    let before = space.things.clone();
    for _ in 0..100 {
        assert!(go(&mut space, &[DVec2::ZERO], f64::INFINITY).is_empty());
    }
    assert_eq!(space.things, before);
}

#[test]
fn outlines_push_without_being_stopped() {
    let mut space = with(Boundary::Walls, &[Body { contact: Role::Outlined, ..disc(0.5, 1.5, 0.15) }]);
    let square = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)].map(DVec2::from);
    let solid = space.solids.add_polygon(&square).unwrap();
    space.solids.set_properties(solid, SolidProperties::body(0));
    space.bodies.set_outlines(vec![super::super::Drawn { row: 0, solid, corners: square.to_vec() }]);
    space.place_outline(0);
    let block = add(&mut space, block(0.9, 1.2, 0.5, 0.8));
    for _ in 0..50 {
        let before = space.stand(0);
        let after = BodyPose { position: before.position + DVec2::X * 0.01, ..before };
        space.push(&[Pusher { before, after, force_n: f64::INFINITY }], None);
        space.bodies.set_pose(0, after.position, after.heading, DVec2::X * 0.01);
        space.place_outline(0);
        space.update();
        assert!(space.halt(super::super::Halting::Outlined, &[before]).is_empty());
    }
    assert!((space.stand(0).position.x - 1.0).abs() < 1e-12);
    assert!(pose(&space, block).position.x > 1.0 && pose(&space, block).heading < -0.1, "{:?}", pose(&space, block));
}

#[derive(Clone, Debug)]
struct Arrangement {
    boundary: Boundary,
    /// Whether walls divide the space into two halves.
    divides: bool,
    robots: Vec<(f64, f64, f64)>,
    objects: Vec<(f64, f64, f64, bool)>,
    speed: f64,
    force_n: f64,
}

fn arrangement() -> impl Strategy<Value = Arrangement> {
    let place = || (0.3..SIZE.x - 0.3, 0.3..SIZE.y - 0.3);
    let robot = (place(), 0.0..std::f64::consts::TAU).prop_map(|((x, y), heading)| (x, y, heading));
    let object = (place(), 0.1..0.3_f64, any::<bool>()).prop_map(|((x, y), size, round)| (x, y, size, round));
    let boundary = prop::sample::select(vec![Boundary::Walls, Boundary::Periodic]);
    let speed = prop::sample::select(vec![0.005, 0.05, 0.5, 2.5]);
    let force_n = prop::sample::select(vec![f64::INFINITY, 3.0]);
    let lists = (prop::collection::vec(robot, 1..6), prop::collection::vec(object, 1..6));
    let walls = (boundary, any::<bool>());
    (walls, lists, speed, force_n).prop_map(|((boundary, divides), (robots, objects), speed, force_n)| Arrangement {
        boundary,
        divides,
        robots,
        objects,
        speed,
        force_n,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    /// Robots that drive anywhere push objects through no wall and into no solid, and slow ones enter no object.
    #[test]
    fn nothing_passes_walls_or_solids(
        Arrangement { boundary, divides, robots, objects, speed, force_n } in arrangement(),
    ) {
        let radius = 0.08;
        let bodies: Vec<Body> = robots.iter().map(|(x, y, _)| disc(*x, *y, radius)).collect();
        let mut space = with(boundary, &bodies);
        // Thin fixed walls: one with ends, round which objects may go in one step, or two without.
        let wall = |x: f64, from: f64, to: f64| [(x, from), (x + 0.02, from), (x + 0.02, to), (x, to)].map(DVec2::from);
        let walls = if divides { vec![wall(2.0, 0.0, SIZE.y), wall(0.0, 0.0, SIZE.y)] } else { vec![wall(2.0, 0.5, 2.5)] };
        let walls: Vec<usize> = walls.iter().map(|wall| space.solids.add_polygon(wall).unwrap()).collect();
        for (x, y, size, round) in objects {
            let form = if round { ball(x, y, size) } else { block(x, y, 2.0 * size, size) };
            let (low, high) = form.outline().bounds();
            let is_free = |solid: usize| !space.solids.outline(solid).meets(&form.outline(), DVec2::ZERO);
            let is_inside = low.cmpge(DVec2::ZERO).all() && high.cmple(SIZE).all();
            let is_off_bodies = bodies.iter().all(|body| !form.outline().overlaps(body.position, radius + 0.01));
            if is_inside && is_off_bodies && (0..space.solids.len()).all(is_free) {
                add(&mut space, form);
            }
        }
        space.update();
        let depth = |space: &Space, one: usize, other: usize| {
            let mut deepest = 0.0_f64;
            let (low, high) = space.solids.bounds(other);
            for shift in space.solids.images(&space.arena, one, (low, high)) {
                deepest = deepest.max(super::super::overlap::depth(&space.solids.outline(other), &space.solids.outline(one), shift));
            }
            deepest
        };
        let mut headings: Vec<f64> = robots.iter().map(|(_, _, heading)| *heading).collect();
        for step in 0..60 {
            let sides: Vec<bool> = space.movables().iter().map(|movable| space.stand(movable.row).position.x > 2.01).collect();
            let ways: Vec<DVec2> = headings.iter().map(|heading| speed * math::direction(*heading)).collect();
            go(&mut space, &ways, force_n);
            headings.iter_mut().enumerate().for_each(|(k, heading)| *heading += 0.1 * (k as f64 - 2.0));
            for (object, movable) in space.movables().iter().enumerate() {
                let at = space.stand(movable.row).position;
                prop_assert!(at.is_finite());
                if boundary == Boundary::Walls {
                    let outline = space.solids.outline(space.things[movable.place].solids.start);
                    prop_assert!(depth_in_walls(&space.arena, &outline) < 2e-3 * movable.inner, "{step}: object {object} in a wall");
                }
                // Slow objects do not go round the end of the wall in one step.
                let is_beside = (0.6..2.4).contains(&at.y) && (1.0..3.0).contains(&at.x);
                let keeps_side = divides || (speed <= radius && is_beside);
                prop_assert!(!keeps_side || sides[object] == (at.x > 2.01), "{step}: object {object} went through the wall");
                let solid = space.things[movable.place].solids.start;
                for wall in &walls {
                    prop_assert!(depth(&space, *wall, solid) < 2e-3 * movable.inner, "{step}: object {object} in a thin wall");
                }
                for other in &space.movables()[..object] {
                    let deep = depth(&space, space.things[other.place].solids.start, solid);
                    prop_assert!(deep < 0.03 * movable.inner.min(other.inner), "{step}: objects overlap by {deep}");
                }
                // No centre of a robot is in an object, unless robots move by more than their radius in a step: a fast robot
                // can arrive between an object and a wall that are too close to each other.
                for at in &space.bodies.positions()[..space.bodies.len()] {
                    prop_assert!(speed > radius || !space.solids.covers(&space.arena, solid, *at), "{step}: a robot at {at} in object {object}");
                }
            }
        }
    }
}

/// Lets the body in a row hold an object at the point of the object's edge (m) that it touches.
fn grasp(space: &mut Space, row: usize, thing: usize, point: DVec2, (force_n, lifts): (f64, bool)) {
    let (robot, object) = (space.stand(row), pose(space, thing));
    let local = |pose: BodyPose| math::direction(-pose.heading).rotate(point - pose.position);
    let (on_robot, on_thing, turn) = (local(robot), local(object), robot.heading - object.heading);
    space.grasps.push(crate::Grasp { row, thing, on_robot, on_thing, turn, force_n, lifts });
}

/// Moves bodies by displacements (m) and turns (rad), moves the objects that they hold or push, and brings them back to
/// these.
fn carry(space: &mut Space, ways: &[(DVec2, f64)]) {
    let pusher = |row: usize| {
        let before = space.stand(row);
        let after = BodyPose { position: before.position + ways[row].0, heading: before.heading + ways[row].1 };
        Pusher { before, after, force_n: f64::INFINITY }
    };
    let mut pushers: Vec<Pusher> = (0..space.bodies.len()).map(pusher).collect();
    _ = space.push(&pushers, None);
    for number in 0..space.grasps.len() {
        let row = space.grasps[number].row;
        if let Some(pose) = space.pose_at_grasp(number, pushers[row].after) {
            pushers[row].after = pose;
        }
    }
    for (row, Pusher { before, after, .. }) in pushers.iter().enumerate() {
        space.bodies.set_pose(row, after.position, after.heading, after.position - before.position);
    }
    space.update();
    space.resolve(4, None);
}

#[test]
fn a_robot_carries_an_object_rigidly() {
    let mut space = with(Boundary::Walls, &[disc(0.5, 1.5, 0.1)]);
    let block = add(&mut space, block(0.75, 1.5, 0.3, 0.2));
    grasp(&mut space, 0, block, DVec2::new(0.6, 1.5), (f64::MAX, true));
    for step in 0..300 {
        let (way, turn) = (0.004, 0.02);
        let heading = space.stand(0).heading + turn / 2.0;
        carry(&mut space, &[(way * math::direction(heading), turn)]);
        let (robot, object) = (space.stand(0), pose(&space, block));
        assert!((robot.heading - object.heading).abs() < 1e-9, "{step}");
        let expected = robot.position + 0.25 * math::direction(robot.heading);
        assert!(object.position.distance(expected) < 1e-9, "{step}: {object:?}, {expected}");
    }
    assert!((space.stand(0).heading - 6.0).abs() < 1e-9, "the object does not hinder it");
}

#[test]
fn a_wall_stops_a_robot_that_carries_an_object() {
    let mut space = with(Boundary::Walls, &[disc(SIZE.x - 1.0, 1.5, 0.1)]);
    let block = add(&mut space, block(SIZE.x - 0.75, 1.5, 0.3, 0.2));
    grasp(&mut space, 0, block, DVec2::new(SIZE.x - 0.9, 1.5), (f64::MAX, true));
    for _ in 0..200 {
        carry(&mut space, &[(DVec2::X * 0.01, 0.0)]);
        assert!(pose(&space, block).position.x <= SIZE.x - 0.15 + 1e-3 * 0.1 + 1e-9);
    }
    let (robot, object) = (space.stand(0), pose(&space, block));
    assert!((object.position.x - (SIZE.x - 0.15)).abs() < 1e-3, "{object:?}");
    assert!((robot.position.x - (SIZE.x - 0.4)).abs() < 1e-3, "{robot:?}");
}

#[test]
fn a_robot_drags_an_object_if_its_force_exceeds_the_friction() {
    for (force_n, moves) in [(0.99 * FRICTION, false), (1.01 * FRICTION, true)] {
        let mut space = with(Boundary::Walls, &[disc(1.5, 1.5, 0.1)]);
        let block = add(&mut space, block(1.75, 1.5, 0.3, 0.2));
        grasp(&mut space, 0, block, DVec2::new(1.6, 1.5), (force_n, false));
        for _ in 0..20 {
            carry(&mut space, &[(DVec2::NEG_X * 0.01, 0.0)]);
        }
        let expected = if moves { -0.2 } else { 0.0 };
        let (robot, object) = (space.stand(0), pose(&space, block));
        assert!((object.position.x - 1.75 - expected).abs() < 1e-6, "{force_n}: {object:?}");
        assert!((robot.position.x - 1.5 - expected).abs() < 1e-6, "{force_n}: {robot:?}");
    }
}

#[test]
fn robots_that_hold_one_object_move_it_together() {
    // Both ahead; then the left one alone, about which the right one turns the object.
    let mut space = with(Boundary::Walls, &[disc(1.0, 1.3, 0.1), disc(1.0, 1.7, 0.1)]);
    let block = add(&mut space, block(1.2, 1.5, 0.2, 0.8));
    for (row, y) in [(0, 1.3), (1, 1.7)] {
        grasp(&mut space, row, block, DVec2::new(1.1, y), (f64::MAX, true));
    }
    for _ in 0..50 {
        carry(&mut space, &[(DVec2::X * 0.01, 0.0); 2]);
    }
    let object = pose(&space, block);
    assert!((object.position.x - 1.7).abs() < 1e-9 && object.heading.abs() < 1e-9, "{object:?}");
    for _ in 0..10 {
        carry(&mut space, &[(DVec2::X * 0.01, 0.0), (DVec2::ZERO, 0.0)]);
    }
    let object = pose(&space, block);
    // The points of the grasps are 0.4 m apart, and one of them has moved by nearly 0.1 m.
    assert!((object.heading - math::atan2(0.1, 0.4)).abs() < 0.01, "{object:?}");
    for grasp in &space.grasps {
        let (robot, object) = (space.stand(grasp.row), pose(&space, block));
        assert!(grasp.point_on_robot(robot).distance(grasp.point_on_thing(object)) < 1e-6);
    }
}
