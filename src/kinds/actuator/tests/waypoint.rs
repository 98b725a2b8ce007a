//! The paths of `Waypoint`, and how they end.

use super::*;

#[test]
fn a_waypoint_is_reached_within_its_tolerance_by_stream() {
    let mut simulation = led(&format!("Waypoint({SERVICES})"));
    pass(&mut simulation, 0.5);
    assert_at(&simulation, [0.0; 3], 0.0);
    let goal = [("x", 4.0), ("y", 2.0), ("z", 0.0), ("tolerance", 0.5), ("speed", 1.0)];
    feed(&mut simulation, 0, &goal);
    pass(&mut simulation, 10.0);
    let [x, y, _] = pose(&simulation);
    assert!((x - 4.0).abs() <= 0.5 && (y - 2.0).abs() <= 0.5, "{x} {y}");
    feed(&mut simulation, 0, &[("x", 0.0), ("y", 0.0), ("tolerance", 1.0)]);
    pass(&mut simulation, 12.0);
    let [x, y, _] = pose(&simulation);
    let distance = DVec2::new(x, y).length();
    assert!(0.5 < distance && distance <= 1.0, "{distance}");
}

/// `waypoint_testing.py`, the half about services.
#[test]
fn a_waypoint_can_be_cancelled_stopped_and_resumed() {
    let mut simulation = led(&format!("Waypoint({SERVICES})"));
    let is_busy = |simulation: &Simulation| {
        let tasks = simulation.tasks(actuator(0));
        tasks.begun > tasks.done
    };
    let goto = |simulation: &mut Simulation, x: f64| {
        call(simulation, 0, "goto", &[x, 0.0, 0.0, 0.1, 1.0]);
        simulation.step(1);
        assert!(is_busy(simulation));
    };
    goto(&mut simulation, 2.0);
    pass(&mut simulation, 2.0);
    assert_at(&simulation, [2.0, 0.0, 0.0], 0.1 + 1e-9);
    assert!(!is_busy(&simulation));
    assert_eq!(call(&mut simulation, 0, "get_status", &[]), "Arrived".into());

    goto(&mut simulation, 4.0);
    pass(&mut simulation, 1.0);
    assert_at(&simulation, [3.0, 0.0, 0.0], 0.15);
    let before = simulation.tasks(actuator(0));
    call(&mut simulation, 0, INTERRUPT, &[]);
    pass(&mut simulation, 0.5);
    assert_at(&simulation, [3.0, 0.0, 0.0], 0.15);
    assert_eq!(simulation.tasks(actuator(0)), before, "it did not come to its end");

    goto(&mut simulation, 4.0);
    pass(&mut simulation, 2.0);
    assert!(!is_busy(&simulation));

    goto(&mut simulation, 6.0);
    pass(&mut simulation, 1.2);
    assert_eq!(call(&mut simulation, 0, "get_status", &[]), "Transit".into());
    assert_eq!(call(&mut simulation, 0, "stop", &[]), "Stop".into());
    simulation.step(1);
    assert_eq!(call(&mut simulation, 0, "get_status", &[]), "Stop".into());
    assert_at(&simulation, [5.2, 0.0, 0.0], 0.2);
    let stopped = pose(&simulation);
    pass(&mut simulation, 0.5);
    assert_at(&simulation, stopped, 1e-12);
    assert!(is_busy(&simulation));
    assert_eq!(call(&mut simulation, 0, "stop", &[]), "Stop".into(), "twice does not lose the speed");

    assert_eq!(call(&mut simulation, 0, "resume", &[]), "Transit".into());
    pass(&mut simulation, 0.5);
    assert_at(&simulation, [5.7, 0.0, 0.0], 0.2);
    assert_eq!(call(&mut simulation, 0, "get_status", &[]), "Transit".into());
    pass(&mut simulation, 1.5);
    assert!(!is_busy(&simulation));
    assert_at(&simulation, [6.0, 0.0, 0.0], 0.15);
    assert_eq!(call(&mut simulation, 0, "get_status", &[]), "Arrived".into());
}

#[test]
fn resume_without_a_stop_reports_transit_as_in_morse() {
    let mut simulation = led(&format!("Waypoint({SERVICES})"));
    call(&mut simulation, 0, "goto", &[2.0, 0.0, 0.0, 0.1, 1.0]);
    assert_eq!(call(&mut simulation, 0, "resume", &[]), "Transit".into());
    pass(&mut simulation, 3.0);
    assert_eq!(call(&mut simulation, 0, "get_status", &[]), "Arrived".into());
    assert_eq!(call(&mut simulation, 0, "resume", &[]), "Transit".into());
    pass(&mut simulation, 1.0);
    assert_eq!(call(&mut simulation, 0, "get_status", &[]), "Arrived".into());
    assert_at(&simulation, [1.9, 0.0, 0.0], 0.02);
}

#[test]
fn setdest_says_whether_there_is_anywhere_to_go() {
    let mut simulation = led(&format!("Waypoint({SERVICES})"));
    assert_eq!(call(&mut simulation, 0, "setdest", &[0.3, 0.0, 0.0]), false.into());
    assert!(simulation.waiting_edits().len() == 0, "nothing is to be done");
    assert_eq!(call(&mut simulation, 0, "setdest", &[3.0, 0.0, 0.0]), true.into());
    pass(&mut simulation, 4.0);
    assert_at(&simulation, [2.5, 0.0, 0.0], 0.05);
}

#[test]
fn waypoint_avoids_obstacles_unless_they_are_ignored() {
    let run = |waypoint: &str| {
        let wall = "objects: [Polygon(name: \"hedge\", corners_m: [(3.0, -0.5), (4.0, -0.5), (4.0, 0.5), (3.0, 0.5)])]";
        let mut simulation = led_by(&format!("Waypoint({waypoint}{SERVICES})"), "motion: Unicycle()", wall);
        call(&mut simulation, 0, "goto", &[10.0, 0.0, 0.0]);
        pass(&mut simulation, 40.0);
        simulation.tasks(actuator(0)).done == 1
    };
    assert!(run(""));
    assert!(!run("obstacle_avoidance: false, "));
    assert!(!run("ignore: [\"hedge\"], "));
}

#[test]
fn waypoint_with_remain_at_destination_returns_after_a_push() {
    let run = |remains: bool| {
        let mut simulation = led(&format!("Waypoint(remain_at_destination: {remains}, {SERVICES})"));
        pass(&mut simulation, 0.1);
        put(&mut simulation, [3.0, 0.0, PI]);
        pass(&mut simulation, 5.0);
        pose(&simulation)[0]
    };
    assert!(run(true) <= 0.5);
    assert_eq!(run(false), 3.0);
}

#[test]
fn a_slow_waypoint_stands_still_at_once_when_it_is_interrupted() {
    let mut simulation = led(&format!("Waypoint(rate_hz: 0.5, {SERVICES})"));
    call(&mut simulation, 0, "goto", &[10.0, 0.0, 0.0]);
    pass(&mut simulation, 2.5);
    let before = pose(&simulation);
    call(&mut simulation, 0, INTERRUPT, &[]);
    pass(&mut simulation, 5.0);
    assert!(before[0] > 0.1);
    assert_at(&simulation, before, 1e-12);
}

#[test]
fn a_waypoint_that_was_stopped_goes_on_with_its_speed_when_it_is_told_a_point() {
    let mut simulation = led(&format!("Waypoint({SERVICES})"));
    feed(&mut simulation, 0, &[("x", 9.0), ("speed", 2.0)]);
    pass(&mut simulation, 1.0);
    call(&mut simulation, 0, "stop", &[]);
    pass(&mut simulation, 1.0);
    assert_at(&simulation, [2.0, 0.0, 0.0], 0.05);
    feed(&mut simulation, 0, &[("x", 8.0)]);
    pass(&mut simulation, 1.0);
    assert_at(&simulation, [4.0, 0.0, 0.0], 0.1);
}
