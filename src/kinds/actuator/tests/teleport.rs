//! Robots that `Teleport` places and holds.

use swarmarium_base::id::StableId;
use swarmarium_core::random::Seed;

use super::*;

/// `teleport_testing.py`, and moves relative to where the robot is.
#[test]
fn a_teleport_holds_its_robot_where_it_put_it() {
    let mut simulation = led(&format!("Teleport({SERVICES}), MotionVw({SERVICES})"));
    let mut random = Seed(3).stream(StableId::agent(0), "test");
    for _ in 0..15 {
        let to = [random.between(-30.0, 30.0), random.between(-30.0, 30.0), random.between(-3.0, 3.0)];
        let z = random.between(0.0, 5.0);
        feed(&mut simulation, 0, &[("x", to[0]), ("y", to[1]), ("z", z), ("yaw", to[2])]);
        pass(&mut simulation, 0.2);
        assert_at(&simulation, to, 1e-12);
        assert_eq!(attitude(&simulation).z_m, z);
    }
    feed(&mut simulation, 0, &[("x", 1.0), ("y", 2.0), ("yaw", 0.0)]);
    call(&mut simulation, 0, "translate", &[0.5]);
    call(&mut simulation, 0, "rotate", &[0.0, 0.1, FRAC_PI_2]);
    call(&mut simulation, 1, "set_speed", &[1.0, 0.0]);
    pass(&mut simulation, 1.0);
    assert_at(&simulation, [1.5, 2.0, FRAC_PI_2], 1e-12);
    assert!((attitude(&simulation).pitch_rad - 0.1).abs() < 1e-12);
    // After deactivation, it follows its command.
    set_active(&mut simulation, 0, false);
    pass(&mut simulation, 1.0);
    assert_at(&simulation, [1.5, 3.0, FRAC_PI_2], 1e-9);
    set_active(&mut simulation, 0, true);
    pass(&mut simulation, 1.0);
    assert_at(&simulation, [1.5, 4.0, FRAC_PI_2], 1e-9);
}

#[test]
fn the_last_commanded_teleport_holds_until_an_edit() {
    let mut simulation = led(&format!("Teleport({SERVICES}), Teleport({SERVICES}), MotionVw({SERVICES})"));
    call(&mut simulation, 2, "set_speed", &[1.0, 0.0]);
    for (slot, x) in [(0, 3.0), (1, 5.0), (0, 7.0)] {
        feed(&mut simulation, slot, &[("x", x)]);
        pass(&mut simulation, 1.0);
        assert_at(&simulation, [x, 0.0, 0.0], 1e-12);
    }
    simulation.apply(Edit::Move { agent: 0, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }).unwrap();
    pass(&mut simulation, 1.0);
    assert_at(&simulation, [2.0, 1.0, 0.0], 1e-9);
}

#[test]
fn a_teleported_robot_is_not_pushed_away() {
    let mut simulation = led(&format!("Teleport({SERVICES}), MotionVw({SERVICES})"));
    feed(&mut simulation, 0, &[("x", 2.0), ("pitch", 2.5)]);
    pass(&mut simulation, 0.5);
    let value = "(name: \"pusher\", at: [(2.5, 0.0, 3.14)], controller: Constant(v_m_per_s: 0.6))".into();
    simulation.apply(Edit::Add { list: "groups".into(), value }).unwrap();
    pass(&mut simulation, 3.0);
    // Where it is held, up to the last push.
    assert_at(&simulation, [2.0, 0.0, 0.0], 0.011);
    assert_eq!(attitude(&simulation).pitch_rad, 2.5);
}
