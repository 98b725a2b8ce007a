use std::f64::consts::PI;

use swarmarium_base::problem::Problems;
use swarmarium_core::kind::Slot;
use swarmarium_core::time::SimTime;
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::Boundary;

use super::condition::{Angle, Length, Number, Test};
use super::*;
use crate::behaviour::tests::{all as behaviours, khepera};
use crate::testing;

fn read(text: &str) -> Supervisor {
    reader::read(testing::standard().kinds(), "test.ron", text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The previous state and the reason of the transition; `None` in the first state.
fn last_switch(mind: &Mind) -> Option<(&str, &str)> {
    (mind.switches > 0).then_some((&*mind.before, &*mind.why))
}

/// Makes a supervisor decide at a pose at which all its infrared sensors measure 0.2 m except the given ones.
fn decide(
    supervisor: &Supervisor,
    mind: &mut Mind,
    step: u64,
    pose: (f64, f64, f64),
    near: &[(usize, f64)],
) -> Command {
    let pose = Pose { position_m: DVec2::new(pose.0, pose.1), heading_rad: pose.2 };
    let time = SimTime { step, dt_s: 0.02 };
    let (infrared, mut reading) = (khepera(), [0.2; 9]);
    near.iter().for_each(|(place, distance_m)| reading[*place] = *distance_m);
    let (readings, eyes) = ([reading.as_slice()], [Some(&infrared)]);
    let behaviours = behaviours();
    let senses = Senses { pose: &pose, time: &time, eyes: &eyes, behaviours: &behaviours, ..Senses::of(&readings) };
    supervisor.command(mind, senses)
}

/// Whether a condition holds at the origin, on the way to (1, 0), with the given measurements.
fn holds(test: Test, near: &[(usize, f64)]) -> bool {
    holds_along(test, near, &[(0.0, 0.0, 0.0)]) == [true]
}

/// Whether a condition holds at each of some poses of successive steps on the way to (1, 0).
fn holds_along(test: Test, near: &[(usize, f64)], poses: &[(f64, f64, f64)]) -> Vec<bool> {
    let exit = Transition { to: "b".into(), when: "c".into() };
    let state =
        |name: &str, behaviour, transitions| State { name: name.into(), behaviour, transitions, ..State::default() };
    let go = || Slot::new(GoToGoal {});
    let wall = Slot::new(crate::behaviour::follow_wall::FollowWall::default());
    let supervisor = Supervisor {
        goal_m: DVec2::X,
        conditions: vec![Condition::default(), Condition { name: "c".into(), test }],
        states: vec![state("a", go(), vec![exit]), state("b", go(), Vec::new()), state("wall", wall, Vec::new())],
        ..Supervisor::default()
    };
    let mut mind = Mind::default();
    let holds = |(place, pose): (usize, &(f64, f64, f64))| {
        let before = mind.clone();
        decide(&supervisor, &mut mind, place as u64 + 1, *pose, near);
        let holds = mind.state() == "b";
        if holds {
            // Undoes the transition, so that the robot stays in the state.
            mind = before;
            let mut supervisor = supervisor.clone();
            supervisor.states[0].transitions.clear();
            decide(&supervisor, &mut mind, place as u64 + 1, *pose, near);
        }
        holds
    };
    poses.iter().enumerate().map(holds).collect()
}

/// The event of a step, if there is one.
fn event_of(supervisor: &Supervisor, mind: &Mind, step: u64) -> Option<String> {
    let mut texts = Vec::new();
    supervisor.events(mind, step, &mut |_, text| texts.push(text));
    texts.pop()
}

#[test]
fn supervisor_conditions_compare_angles_by_the_shorter_turn_or_as_numbers() {
    let (along, way) = ("wall".to_owned(), "a".to_owned());
    let shorter =
        Test::Within { of: Angle::OffWall { along: along.clone(), way: way.clone() }, from_rad: 0.0, to_rad: PI };
    let raw = Test::RawOffWall { along, way };
    // Without a wall in sight, the way along it is 0.64 rad to the left. The goal is at 0, −1, 1, 2.9 and −2.9 rad.
    let poses = [0.0, 1.0, -1.0, -2.9, 2.9].map(|heading| (0.0, 0.0, heading));
    assert_eq!(holds_along(shorter, &[], &poses), [true, true, false, false, false]);
    assert_eq!(holds_along(raw, &[], &poses), [true, true, false, false, true]);
}

#[test]
fn supervisor_conditions_use_values_of_the_previous_decision() {
    let of = Angle::OffLastWay { way: "a".into() };
    let poses = [0.5, 0.0, 0.0].map(|heading| (0.0, 0.0, heading));
    // The goal is at −0.5, then at 0; the robot steered by 0, by −0.5, then by 0.
    for (angle, expected) in [(0.5, [true, false, false]), (-0.5, [false, true, false]), (0.0, [false, false, true])] {
        let test = Test::Within { of: of.clone(), from_rad: angle - 0.01, to_rad: angle + 0.01 };
        assert_eq!(holds_along(test, &[], &poses), expected, "{angle}");
    }
    let poses = [0.4, 0.6, 0.4, 0.3].map(|x| (x, 0.0, 0.0));
    let best = Test::Nearer { of: Length::BestGoal, than_m: 0.5 };
    assert_eq!(holds_along(best.clone(), &[], &poses), [false, false, true, true]);
    assert_eq!(holds_along(best, &[], &poses[1..]), [true; 3], "the first decision counts itself");
}

#[test]
fn supervisor_conditions_hold_as_documented() {
    let nearer = |of, than_m| Test::Nearer { of, than_m };
    let farther = |of, than_m| Test::Farther { of, than_m };
    assert!(holds(nearer(Length::Goal, 1.001), &[]) && !holds(nearer(Length::Goal, 1.0), &[]));
    assert!(
        holds(farther(Length::Reading, 0.05), &[(3, 0.051)]) && !holds(farther(Length::Reading, 0.05), &[(3, 0.05)])
    );
    let right = Length::ReadingBetween { from_rad: -PI, to_rad: -0.1 };
    assert!(holds(nearer(right, 0.1), &[(7, 0.05)]) && !holds(nearer(right, 0.1), &[(0, 0.05)]));
    let behind = Length::ReadingBetween { from_rad: 2.0, to_rad: -2.0 };
    for (eye, is_behind) in [(0, true), (8, true), (7, true), (3, false)] {
        assert_eq!(holds(nearer(behind, 0.1), &[(eye, 0.05)]), is_behind, "{eye}");
    }
    let point = Length::Point { within_rad: 2.4 };
    assert!(holds(nearer(point, 0.15), &[(3, 0.05)]) && !holds(nearer(point, 0.15), &[(8, 0.05)]));
    assert!(!holds(farther(Length::GainedInState, 0.0), &[]) && holds(farther(Length::Gained, 0.0), &[]));
    let within = |of, from_rad, to_rad| Test::Within { of, from_rad, to_rad };
    assert!(holds(within(Angle::Goal, -0.1, 0.1), &[]) && !holds(within(Angle::Goal, 0.1, -0.1), &[]));
    assert!(holds(within(Angle::NearestBearing, 0.7, 0.8), &[(2, 0.1)]));
    let way = |state: &str| Angle::Way { state: state.into() };
    assert!(holds(within(way("a"), 0.0, 0.0), &[]) && !holds(within(way("nobody"), -PI, PI), &[]));
    let off_wall = Angle::OffWall { along: "wall".into(), way: "a".into() };
    // There is no wall: it would be looked for on the left.
    assert!(holds(within(off_wall, 0.6, 0.7), &[]));
    assert!(!holds(Test::After { time_s: 0.0 }, &[]));
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    assert!(!holds(Test::All { of: names(&["at goal"]) }, &[]) && !holds(Test::Any { of: names(&["at goal"]) }, &[]));
    assert!(holds(Test::Not { of: "at goal".into() }, &[]) && !holds(Test::All { of: names(&["c"]) }, &[]));
    let expression = |text: &str| Test::Expression { holds: text.into() };
    assert!(holds(expression("goal_m == 1 and left_m < 0.1 and right_m > 0.1 and state_s == 0"), &[(1, 0.05)]));
    assert!(!holds(expression("goal_m > 1 or ahead_m < 0.1"), &[(1, 0.05)]));
}

#[test]
fn a_supervisor_takes_the_first_exit_that_holds_and_acts_at_once() {
    let supervisor = read(
        "(goal_m: (1.0, 0.0), conditions: [(name: \"always\", test: After(time_s: 0.0)),
            (name: \"near\", test: Nearer(of: Reading, than_m: 0.1))],
          states: [(name: \"a\", behaviour: GoToGoal(), transitions: [(to: \"c\", when: \"near\"), (to: \"b\", when: \"always\")]),
                   (name: \"b\", behaviour: Hold(), transitions: [(to: \"c\", when: \"always\")]), (name: \"c\", behaviour: Hold())])",
    );
    assert_eq!(supervisor.problem(), None);
    let mut mind = Mind::default();
    assert_ne!(
        decide(&supervisor, &mut mind, 1, (0.0, 0.0, 0.0), &[]),
        swarmarium_core::controller::Drive::default().into()
    );
    assert_eq!(mind.state(), "a");
    assert_eq!(last_switch(&mind), None);
    assert_eq!(event_of(&supervisor, &mind, 1), None);
    assert_eq!(
        decide(&supervisor, &mut mind, 2, (0.0, 0.0, 0.0), &[]),
        swarmarium_core::controller::Drive::default().into()
    );
    assert_eq!(mind.state(), "b");
    assert_eq!(mind.switches(), 1);
    let event = event_of(&supervisor, &mind, 2).unwrap();
    assert_eq!(event, "a -> b: always (0.02 s > 0.00 s in the state)");
    assert_eq!(event_of(&supervisor, &mind, 3), None);
    let mut mind = Mind::default();
    decide(&supervisor, &mut mind, 1, (0.0, 0.0, 0.0), &[]);
    decide(&supervisor, &mut mind, 2, (0.0, 0.0, 0.0), &[(3, 0.05)]);
    assert_eq!(last_switch(&mind), Some(("a", "near (nearest reading 0.050 m < 0.100 m)")));
}

#[test]
fn a_supervisor_resets_the_memory_of_behaviours_in_every_state() {
    let supervisor = Supervisor { goal_m: DVec2::new(0.0, 1.0), ..Supervisor::default() };
    let drive = |mind: &mut Mind, step| decide(&supervisor, mind, step, (0.0, 0.0, 0.0), &[]);
    let mut mind = Mind::default();
    let first = drive(&mut mind, 1);
    assert_ne!(drive(&mut mind, 2), first, "the integral grows");
    mind.enter(&supervisor.states[0], 3, 1.0);
    assert_eq!(drive(&mut mind, 3), first);
}

#[test]
fn mistakes_in_a_supervisor_have_their_place_and_the_nearest_name() {
    let cases = [
        ("states: []", "states: a supervisor needs at least one state"),
        (
            "states: [(name: \"a\", behaviour: Hold(), transitions: [(to: \"hol\", when: \"at goal\")]), (name: \"hold\", behaviour: Hold())]",
            "states[0].transitions[0].to: there is no state `hol`; did you mean `hold`?",
        ),
        (
            "states: [(name: \"a\", behaviour: Hold(), transitions: [(to: \"a\", when: \"at goal\")])]",
            "states[0].transitions[0].to: a transition must lead to another state",
        ),
        (
            "states: [(name: \"a\", transitions: [(to: \"b\", when: \"at gaol\")]), (name: \"b\")]",
            "states[0].transitions[0].when: there is no condition `at gaol`; did you mean `at goal`?",
        ),
        (
            "states: [(name: \"a\", record_when: \"at goals\")]",
            "states[0].record_when: there is no condition `at goals`; did you mean `at goal`?",
        ),
        ("states: [(name: \"a\"), (name: \"b\")]", "states[1].name: no transition leads to `b`"),
        ("states: [(behaviour: Hold())]", "states[0].name: a state needs a name"),
        (
            "conditions: [(name: \"a\", test: Not(of: \"b\")), (name: \"b\")]",
            "conditions[0].test.of: `b` must stand above the conditions that use it",
        ),
        (
            "conditions: [(name: \"a\", test: RawOffWall(along: \"hold\", way: \"holt\"))]",
            "conditions[0].test.way: there is no state `holt`; did you mean `hold`?",
        ),
        (
            "conditions: [(name: \"a\", test: Within(of: OffLastWay(way: \"holt\"), from_rad: 0.0, to_rad: 1.0))]",
            "conditions[0].test.of.way: there is no state `holt`; did you mean `hold`?",
        ),
        ("conditions: [(name: \"a\", test: All(of: []))]", "conditions[0].test.of: it needs at least one condition"),
        (
            "conditions: [(name: \"a\", test: Within(of: Way(state: \"holt\"), from_rad: 0.0, to_rad: 1.0))]",
            "conditions[0].test.of.state: there is no state `holt`; did you mean `hold`?",
        ),
        (
            "conditions: [(name: \"a\", test: Expression(holds: \"gaol_m < 1\"))]",
            "conditions[0].test.holds: unknown name `gaol_m`; did you mean `goal_m`?",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(&format!("({text})")).problem().as_deref(), Some(expected), "{text}");
    }
    assert_eq!(Supervisor::default().problem(), None);
}

#[test]
fn an_edited_supervisor_continues_its_run() {
    let mut supervisor = Supervisor::default();
    let mut mind = Mind::default();
    decide(&supervisor, &mut mind, 1, (0.0, 0.0, 0.0), &[]);
    supervisor.states[0].name = "renamed".into();
    decide(&supervisor, &mut mind, 2, (0.0, 0.0, 0.0), &[]);
    assert_eq!(mind.state(), "renamed");
    let event = event_of(&supervisor, &mind, 2).unwrap();
    assert_eq!(event, "go to goal -> renamed: the state `go to goal` no longer exists");
    assert_eq!(event_of(&supervisor, &mind, 3), None);
    supervisor.states.clear();
    assert_eq!(
        decide(&supervisor, &mut mind, 3, (0.0, 0.0, 0.0), &[]),
        swarmarium_core::controller::Drive::default().into()
    );
}

#[test]
fn the_memory_of_a_behaviour_is_not_used_by_another_kind() {
    let mut supervisor = Supervisor::default();
    let mut mind = Mind::default();
    decide(&supervisor, &mut mind, 1, (0.0, 0.0, 0.0), &[]);
    mind.kept.push(0.5);
    supervisor.states[0].behaviour = Slot::new(crate::behaviour::hold::Hold {});
    decide(&supervisor, &mut mind, 2, (0.0, 0.0, 0.0), &[]);
    assert!(mind.kept.is_empty());
    assert_eq!(mind.state(), "go to goal");
    assert_eq!(mind.switches(), 0);
}

#[test]
fn supervisor_conditions_with_too_many_tests_are_refused() {
    let conditions = (1..40).map(|place| {
        let below = format!("c{}", place - 1);
        Condition { name: format!("c{place}"), test: Test::All { of: vec![below.clone(), below] } }
    });
    let first = Condition { name: "c0".into(), test: Test::default() };
    let mut supervisor = Supervisor { conditions: std::iter::once(first).chain(conditions).collect(), ..read("()") };
    supervisor.states.truncate(1);
    supervisor.states[0].transitions.clear();
    // They double: 1, 3, 7, … 255, 511.
    let problem = supervisor.problem().unwrap();
    assert!(problem.starts_with("conditions[8].test.of: `c8` is made of 511 tests"), "{problem}");
    supervisor.conditions.truncate(8);
    assert_eq!(supervisor.problem(), None);
}

#[test]
fn goals_across_a_wrapping_border_are_near() {
    let supervisor = Supervisor { goal_m: DVec2::new(9.5, 5.0), ..Supervisor::default() };
    let arena = |boundary| Field::new(DVec2::splat(10.0), boundary);
    let pose = Pose { position_m: DVec2::new(0.5, 5.0), heading_rad: 0.0 };
    let now = |arena| {
        supervisor.situation(
            &Mind::default(),
            &pose,
            (arena, InfraredModel::Exact, &[]),
            None,
            (&[], Decision::default()),
        )
    };
    let [open, wrapping] = [Boundary::Open, Boundary::Periodic].map(|boundary| now(arena(boundary)));
    assert!((open.goal_distance_m() - 9.0).abs() < 1e-12 && open.goal_angle_rad().abs() < 1e-12);
    assert!((wrapping.goal_distance_m() - 1.0).abs() < 1e-12);
    assert!((wrapping.goal_angle_rad().abs() - PI).abs() < 1e-12);
}

#[test]
fn supervisor_events_report_values_not_yet_recorded() {
    let supervisor = read(
        "(goal_m: (1.0, 0.0), conditions: [(name: \"gained\", test: Farther(of: Gained, than_m: 0.0))],
          states: [(name: \"a\", behaviour: GoToGoal(), transitions: [(to: \"b\", when: \"gained\")]), (name: \"b\", behaviour: Hold())])",
    );
    let mut mind = Mind::default();
    decide(&supervisor, &mut mind, 1, (0.0, 0.0, 0.0), &[]);
    assert_eq!(last_switch(&mind), Some(("a", "gained (no goal distance recorded yet)")));
}

/// A robot that drives to an object of this name.
fn on_the_way_to(goal: &str) -> Result<Scene, Problems> {
    let text = format!(
        "(groups: [(name: \"g\", robot: \"quickbot\", supervisor: \"quickbot-default\",
                    controller: Supervisor(goal: \"{goal}\"), at: [(5.0, 5.0, 0.0)])],
          objects: [Goal(name: \"other\"), Goal(name: \"home\", area: Disc(center_m: (5.5, 5.0), radius_m: 0.05)),
                    Goal(name: \"home\")], arena: (size_m: (10.0, 10.0)))"
    );
    reader::read(testing::standard().kinds(), "test.ron", &text)
}

fn distance_m(simulation: &Simulation, x_m: f64, y_m: f64) -> f64 {
    simulation.agent(0).unwrap().pose.position_m.distance(DVec2::new(x_m, y_m))
}

#[test]
fn a_supervisor_drives_to_its_named_goal_after_a_move() {
    let mut simulation = testing::simulation(&on_the_way_to("home").unwrap()).unwrap();
    simulation.step(500);
    assert!(distance_m(&simulation, 5.5, 5.0) < 0.06, "the first one of that name");
    let before = simulation.snapshot();
    let moved = Edit::Set { path: "objects.1.area.center_m".into(), value: "(5.5, 5.6)".into() };
    simulation.apply(moved.clone()).unwrap();
    simulation.step(500);
    assert!(distance_m(&simulation, 5.5, 5.6) < 0.06);
    // The goal is part of the state: a snapshot and a replay have the same hash.
    let (hash, log) = (simulation.hash(), simulation.edits().to_vec());
    simulation.restore(&before).unwrap();
    simulation.apply(moved).unwrap();
    simulation.step(500);
    assert_eq!(simulation.hash(), hash);
    let mut again = testing::simulation(&on_the_way_to("home").unwrap()).unwrap();
    let mut log = Replay::new(log);
    for step in 1..=1000 {
        log.due(step).for_each(|logged| again.replay(logged).unwrap());
        again.step(1);
    }
    assert_eq!(again.hash(), hash);
}

#[test]
fn a_supervisor_with_an_unknown_goal_is_refused() {
    let message = |scene: &Scene| testing::simulation(scene).err().unwrap().problems[0].to_string();
    let scene = on_the_way_to("hone").unwrap();
    assert_eq!(message(&scene), "groups[0].controller.goal: unknown object `hone`; did you mean `home`?");
    let mut simulation = testing::simulation(&on_the_way_to("other").unwrap()).unwrap();
    assert!(simulation.apply(Edit::Remove { path: "objects.0".into() }).is_err(), "a robot goes to it");
    let elsewhere = Edit::Set { path: "groups.0.controller.goal".into(), value: "\"\"".into() };
    simulation.apply(elsewhere).unwrap();
    simulation.step(1);
    assert!(simulation.apply(Edit::Remove { path: "objects.0".into() }).is_ok());
}

#[test]
fn supervisor_conditions_compare_numbers_of_readings() {
    let number = |channel| Number { sensor: 0, channel };
    let near = [(3, 0.1)];
    assert!(holds(Test::Below { of: number(3), than: 0.11 }, &near));
    assert!(!holds(Test::Below { of: number(3), than: 0.1 }, &near), "the limit itself is not below");
    assert!(holds(Test::Above { of: number(4), than: 0.19 }, &near));
    assert!(!holds(Test::Above { of: number(3), than: 0.19 }, &near));
    for test in [Test::Above { of: number(9), than: -1.0 }, Test::Below { of: number(9), than: 1.0 }] {
        assert!(!holds(test.clone(), &near), "{test:?}: there are nine numbers");
    }
}

#[test]
fn supervisor_states_set_their_outputs_and_leave_the_others() {
    let supervisor = read(
        "(conditions: [(name: \"late\", test: After(time_s: 0.03))], states: [
            (name: \"a\", outputs: (led: Some(\"#e69f00\"), grips: Some(true)), transitions: [(to: \"b\", when: \"late\")]),
            (name: \"b\", outputs: (led: Some(\"off\"), emission: Some(0.5)))])",
    );
    assert_eq!(supervisor.problem(), None);
    let (mut mind, mut outputs) = (Mind::default(), Outputs::default());
    let mut after = |step| {
        decide(&supervisor, &mut mind, step, (0.0, 0.0, 0.0), &[]);
        supervisor.outputs(&mind, Senses::of(&[]), &mut outputs);
        outputs
    };
    let first = Outputs { led: Some([0xE6, 0x9F, 0x00]), grips: true, emission: 0.0 };
    assert_eq!(after(1), first);
    assert_eq!(after(9), Outputs { led: None, emission: 0.5, ..first });

    let wrong = read("(conditions: [], states: [(name: \"a\", outputs: (led: Some(\"orang\")))])");
    let problem = wrong.problem().unwrap();
    assert!(problem.starts_with("states[0].outputs.led: ") && problem.ends_with("or `off`"), "{problem}");
}
