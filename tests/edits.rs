//! Changes from outside.

use swarmarium_core::agent::CommandForm;
use swarmarium_formats::standard::FromScene as _;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, path};
use swarmarium_simulation::Simulation;
use swarmarium_simulation::edit::{Edit, LoggedEdit, TakesEffect, agents, log};

use crate::support::edits::{command, set};
use crate::support::{hashes, scene, scene_of, shipped_scenes, simulation_of};

#[test]
fn a_live_parameter_changes_every_agent_of_the_group() {
    let mut simulation = simulation_of("(time: (dt_s: 1.0), groups: [(name: \"g\", count: 2, spawn: UniformBox())])");
    simulation.step(1);
    let before: Vec<_> = simulation.agents().map(|agent| agent.pose).collect();
    simulation.apply(set("groups.g.controller.turn_rad_per_s", "0.5")).unwrap();
    simulation.step(1);
    for (agent, before) in simulation.agents().zip(before) {
        assert_eq!(agent.pose.heading_rad, before.heading_rad + 0.5);
    }
    assert_eq!(simulation.edits(), [LoggedEdit::new(2, set("groups.g.controller.turn_rad_per_s", "0.5"))]);
}

#[test]
fn programs_command_robots_until_their_next_command() {
    let text = "(time: (dt_s: 1.0), arena: (size_m: (50.0, 50.0)), groups: [
                  (name: \"led\", at: [(5.0, 5.0, 0.0), (5.0, 9.0, 0.0)], controller: External()),
                  (name: \"free\", at: [(5.0, 13.0, 0.0)], motion: DoubleIntegrator(), controller: External())])";
    let mut simulation = simulation_of(text);
    simulation.apply(command(CommandForm::Drive, &[1], &[0.5, 0.0])).unwrap();
    simulation.apply(command(CommandForm::Course, &[2], &[0.0, 0.5, 0.0])).unwrap();
    simulation.step(2);
    let positions: Vec<_> = simulation.agents().map(|agent| agent.pose.position_m.to_array()).collect();
    assert_eq!(positions[..2], [[5.0, 5.0], [6.0, 9.0]]);
    assert!(positions[2][1] > 13.0);
    // Commands with the same effect, without a log.
    let mut quiet = simulation_of(text);
    quiet.command(CommandForm::Drive, &[1], &[0.5, 0.0]).unwrap();
    quiet.command(CommandForm::Course, &[2], &[0.0, 0.5, 0.0]).unwrap();
    quiet.step(2);
    assert_eq!(quiet.hash(), simulation.hash());
    assert_eq!(quiet.edits(), &[][..]);
    let refused = |edit: Edit| simulation.check(&edit).unwrap_err().message;
    assert_eq!(refused(command(CommandForm::Drive, &[9], &[0.0, 0.0])), "there is no agent 9");
    let message = refused(command(CommandForm::Drive, &[0, 1], &[0.0, 0.0]));
    assert_eq!(message, "a command of the form Drive has 2 numbers: expected 2 for each of 2 agents, found 2");
    let message = refused(command(CommandForm::Drive, &[0], &[0.0, f64::NAN]));
    assert_eq!(message, "agent 0 cannot be commanded NaN: expected -1000 to 1000");
    let message = refused(command(CommandForm::Wheels, &[2], &[0.0, 0.0]));
    assert!(message.contains("DoubleIntegrator") && message.contains("not Wheels"), "{message}");
}

#[test]
fn commands_apply_after_a_controller_edit_of_the_same_step() {
    let scene = scene("scenes/milling.ron");
    let edits = [set("groups.millers.controller", "External()"), command(CommandForm::Drive, &[0], &[0.1, 0.2])];
    let mut simulation = Simulation::new(&scene).unwrap();
    assert!(simulation.apply(edits[1].clone()).unwrap_err().message.contains("the controller Binary commands agent 0"));
    edits.iter().for_each(|edit| simulation.apply(edit.clone()).unwrap());
    let run = hashes(&mut simulation, 20);
    let mut replay = log::Replay::new(log::read("edits.ron", &log::write(simulation.edits())).unwrap());
    let mut again = Simulation::new(&scene).unwrap();
    replay.due(1).for_each(|logged| again.replay(logged).unwrap());
    assert_eq!(hashes(&mut again, 20), run);
}

#[test]
fn an_edit_of_a_constant_is_one_of_its_first_field_and_the_others_follow() {
    let text = "(constants: [(name: \"SPEED\", value: 0.1)],
                 groups: [(name: \"a\", controller: Constant(v_m_per_s: SPEED)),
                          (name: \"b\", controller: Constant(v_m_per_s: SPEED, turn_rad_per_s: SPEED))])";
    let mut simulation = simulation_of(text);
    simulation.step(3);
    simulation.apply(set("SPEED", "0.3")).unwrap();
    simulation.step(3);
    let commands: Vec<_> = simulation.agents().map(|agent| format!("{:?}", agent.command())).collect();
    assert!(commands.iter().all(|command| command.contains("v_m_per_s: 0.3")), "{commands:?}");
    assert_eq!(simulation.edits(), [LoggedEdit::new(4, set("groups.a.controller.v_m_per_s", "0.3"))]);
    let mut again = simulation_of(text);
    again.step(3);
    again.apply(simulation.edits()[0].edit.clone()).unwrap();
    again.step(3);
    assert_eq!(again.hash(), simulation.hash());
    let refused = simulation.apply(set("SPED", "1")).unwrap_err();
    assert_eq!(refused.to_string(), "SPED: `Scene` has no `SPED`; did you mean `SPEED`?");
}

#[test]
fn a_constant_that_is_set_twice_before_a_step_has_the_last_value_everywhere() {
    let text = "(constants: [(name: \"SPEED\", value: 0.1)],
                 groups: [(name: \"a\", controller: Constant(v_m_per_s: SPEED)),
                          (name: \"b\", controller: Constant(v_m_per_s: SPEED))])";
    let mut simulation = simulation_of(text);
    for (transaction, value) in [(1, "0.3"), (2, "0.1")] {
        simulation.apply_in(set("SPEED", value), transaction).unwrap();
    }
    simulation.step(1);
    let commands: Vec<_> = simulation.agents().map(|agent| format!("{:?}", agent.command())).collect();
    assert!(commands.iter().all(|command| command.contains("v_m_per_s: 0.1")), "{commands:?}");
}

#[test]
fn derived_changes_of_an_edit_are_undone_with_it() {
    let text = "(constants: [(name: \"SPEED\", value: 0.1)],
                 groups: [(name: \"a\", controller: Constant(v_m_per_s: SPEED)),
                          (name: \"b\", controller: Constant(v_m_per_s: SPEED))])";
    let mut simulation = simulation_of(text);
    simulation.apply(set("SPEED", "0.3")).unwrap();
    simulation.apply(set("groups.a.controller", "Human()")).unwrap();
    assert_eq!(simulation.waiting_edits().len(), 1);
    let ahead = simulation.scene_ahead().clone();
    simulation.step(1);
    let resolved = |scene: &Scene| write(simulation.kinds(), scene, Style::Full);
    assert_eq!(resolved(simulation.scene()), resolved(&ahead));
}

#[test]
fn a_parameter_of_a_sensor_metric_or_object_is_live_too() {
    let mut simulation = simulation_of(
        "(groups: [(name: \"g\", at: [(1.0, 1.0, 0.0), (2.0, 1.0, 0.0)], sensors: [BinaryFov(range_m: 0.1)])],
          objects: [Disc(center_m: (9.0, 9.0), radius_m: 0.5)], metrics: [RoutRin(), ExplodingDispersion()])",
    );
    let sees = |simulation: &Simulation| simulation.agents().next().unwrap().readings().flatten().sum::<f64>();
    simulation.step(1);
    assert_eq!(sees(&simulation), 0.0);
    simulation.apply(set("groups.g.sensors.0.range_m", "1.5")).unwrap();
    simulation.apply(set("groups[0].sensors[0].sight.occlusion", "true")).unwrap();
    simulation.apply(set("metrics.1.scale", "2")).unwrap();
    simulation.step(1);
    assert_eq!(sees(&simulation), 1.0);
    assert_eq!(simulation.metrics(), [0.0, 1.0]);
    // Parameters that set the unit of a column are fixed in a run.
    assert_eq!(TakesEffect::of_path("metrics.0.scale"), TakesEffect::Live);
    assert_eq!(TakesEffect::of_path("metrics.0.variant"), TakesEffect::AtReset);
    // An obstacle in between hides the other robot.
    simulation.apply(set("objects.0.center_m", "(1.5, 1.0)")).unwrap();
    simulation.apply(set("objects.0.radius_m", "0.2")).unwrap();
    simulation.step(1);
    assert_eq!(sees(&simulation), 0.0);
}

#[test]
fn a_controller_can_be_replaced_while_it_runs() {
    let mut simulation = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    simulation.step(3);
    simulation.apply(set("groups.millers.controller", "Constant(v_m_per_s: 1.0)")).unwrap();
    simulation.step(1);
    let before: Vec<_> = simulation.agents().map(|agent| agent.pose).collect();
    simulation.step(1);
    for (agent, before) in simulation.agents().zip(before) {
        assert_eq!(agent.pose.heading_rad, before.heading_rad);
    }
    assert_eq!(simulation.scene().groups[0].controller.value().reflect_short_type_path(), "Constant");
}

#[test]
fn invalid_edits_are_refused_and_change_nothing() {
    let mut simulation = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    let message = |simulation: &mut Simulation, edit: Edit| simulation.apply(edit).unwrap_err().message;
    insta::assert_snapshot!(
        message(&mut simulation, set("groups.milers.controller.detected.turn_rad_per_s", "1.0")),
        @"`groups` has no `milers`; did you mean `millers`?"
    );
    insta::assert_snapshot!(
        message(&mut simulation, set("groups.millers.sensors.0.range_m", "inf")),
        @"expected a finite number, found `inf`"
    );
    insta::assert_snapshot!(
        message(&mut simulation, set("groups.millers.controller", "Diffusion()")),
        @"Diffusion commands the speeds of two wheels, but the motion model Unicycle takes a speed and a turn rate or a velocity over the ground"
    );
    insta::assert_snapshot!(
        message(&mut simulation, set("groups.millers.controller.sensor", "1")),
        @"the controller listens to sensor 1, but there is only sensor 0"
    );
    insta::assert_snapshot!(
        message(&mut simulation, Edit::Move { agent: 6, x_m: 0.0, y_m: 0.0, heading_rad: 0.0 }),
        @"there is no agent 6"
    );
    insta::assert_snapshot!(
        message(&mut simulation, Edit::Move { agent: 0, x_m: f64::NAN, y_m: 0.0, heading_rad: 0.0 }),
        @"an agent can only be moved to finite numbers, at most 1000000 m away"
    );
    insta::assert_snapshot!(
        message(&mut simulation, Edit::TimeScale { scale: 0.0 }),
        @"the time scale must be a number > 0, found 0"
    );
    simulation.step(10);
    assert_eq!(simulation.edits(), []);
    let mut untouched = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    untouched.step(10);
    assert_eq!(simulation.hash(), untouched.hash());
}

#[test]
fn a_log_of_edits_gives_the_same_run_again() {
    let mut first = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    first.step(10);
    first.apply(set("groups.millers.controller.detected.turn_rad_per_s", "0.8")).unwrap();
    first.apply(Edit::Move { agent: 2, x_m: 4.0, y_m: 4.5, heading_rad: 1.0 }).unwrap();
    first.step(20);
    first.apply(Edit::TimeScale { scale: 50.0 }).unwrap();
    first.step(20);

    let mut log = log::Replay::new(log::read("edits.ron", &log::write(first.edits())).unwrap());
    let mut again = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    for step in 1..=50 {
        log.due(step).for_each(|logged| again.replay(logged).unwrap());
        again.step(1);
    }
    assert_eq!(again.hash(), first.hash());
    assert_eq!(again.edits(), first.edits());
}

#[test]
fn the_time_scale_is_logged_and_changes_no_result() {
    let mut scaled = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    scaled.apply(Edit::TimeScale { scale: 50.0 }).unwrap();
    let mut plain = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    assert_eq!(hashes(&mut scaled, 10), hashes(&mut plain, 10));
    assert_eq!(scaled.time_scale(), 50.0);
    assert_eq!(scaled.edits().len(), 1);
}

#[test]
fn edits_report_whether_they_are_live_or_wait_for_a_reset() {
    let of = TakesEffect::of_path;
    for live in ["groups.millers.controller.clear.v_m_per_s", "groups[0].body.radius_m", "objects.0.radius_m"] {
        assert_eq!(of(live), TakesEffect::Live, "{live}");
    }
    for at_reset in ["groups.millers.count", "groups.millers.spawn.radius_m", "seed", "arena.size_m", "time.dt_s"] {
        assert_eq!(of(at_reset), TakesEffect::AtReset, "{at_reset}");
    }
}

#[test]
fn an_edit_is_checked_after_the_waiting_ones() {
    let mut simulation = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    simulation.apply(set("groups.millers.controller", "Constant()")).unwrap();
    simulation.apply(set("groups.millers.controller.v_m_per_s", "1.0")).unwrap();
    assert!(simulation.apply(set("groups.millers.controller.clear.v_m_per_s", "1.0")).is_err());
    simulation.step(1);
    assert_eq!(simulation.edits().len(), 2);
    let Some(path) = simulation.agents().next().map(|agent| agent.pose.position_m) else { panic!("no agent") };
    simulation.step(1);
    let moved = simulation.agents().next().unwrap().pose.position_m.distance(path);
    assert!((moved - 0.025).abs() < 1e-12, "moved {moved} m");
}

#[test]
fn edits_that_wait_for_a_reset_change_nothing_before_it() {
    let mut simulation = Simulation::new(&scene("scenes/template.ron")).unwrap();
    let names: Vec<_> = simulation.agents().map(|agent| agent.name()).collect();
    let mut plain = Simulation::new(&scene("scenes/template.ron")).unwrap();
    for edit in [set("arena.size_m", "(2.0, 2.0)"), set("groups.circler.count", "9"), set("metrics.0", "Scatter()")] {
        simulation.apply(edit).unwrap();
    }
    simulation.step(20);
    plain.step(20);
    let poses = |simulation: &Simulation| simulation.agents().map(|agent| agent.pose).collect::<Vec<_>>();
    assert_eq!(poses(&simulation), poses(&plain));
    assert_eq!(simulation.metric_columns(), plain.metric_columns());
    assert_eq!(simulation.agents().map(|agent| agent.name()).collect::<Vec<_>>(), names);
    let reset = Simulation::new(simulation.scene()).unwrap();
    assert_eq!(reset.agents().count(), names.len() + 8);
}

#[test]
fn a_number_in_a_path_is_a_place_also_where_a_group_has_it_for_a_name() {
    let mut simulation =
        simulation_of("(groups: [(name: \"1\", at: [(1.0, 1.0, 0.0)]), (name: \"b\", at: [(2.0, 1.0, 0.0)])])");
    simulation.apply(set("groups.1.controller.turn_rad_per_s", "1.0")).unwrap();
    simulation.step(1);
    let headings: Vec<f64> = simulation.agents().map(|agent| agent.pose.heading_rad).collect();
    assert_eq!(headings, [0.0, 0.025]);
}

#[test]
fn a_snapshot_keeps_the_log_of_the_edits_that_made_it() {
    let mut simulation = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    simulation.apply(set("groups.millers.controller.clear.v_m_per_s", "0.1")).unwrap();
    simulation.step(1);
    let snapshot = simulation.snapshot();
    simulation.apply(Edit::TimeScale { scale: 9.0 }).unwrap();
    simulation.step(1);
    simulation.apply(Edit::TimeScale { scale: 99.0 }).unwrap();
    simulation.restore(&snapshot).unwrap();
    assert_eq!(simulation.edits().len(), 1);
    simulation.step(1);
    assert_eq!(simulation.edits().len(), 1, "nothing that waited is left");
    let mut elsewhere = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    elsewhere.restore(&snapshot).unwrap();
    assert_eq!(elsewhere.edits().len(), 1);
    assert_eq!(elsewhere.time_scale(), 4.0);
}

#[test]
fn one_agent_can_be_changed_alone_until_a_reset() {
    let text = "(groups: [(name: \"g\", count: 3, spawn: UniformBox(), sensors: [BinaryFov()])])";
    let mut simulation = simulation_of(text);
    let headings =
        |simulation: &Simulation| simulation.agents().map(|agent| agent.pose.heading_rad).collect::<Vec<f64>>();
    let before = headings(&simulation);
    simulation.apply(set("agents.1.controller.turn_rad_per_s", "1.0")).unwrap();
    simulation.apply(set("agents[2].sensors[0].range_m", "9.0")).unwrap();
    simulation.apply(set("agents.2.body.radius_m", "0.05")).unwrap();
    assert_eq!(simulation.waiting_edits().len(), 3);
    simulation.step(1);
    let turned: Vec<f64> = headings(&simulation).iter().zip(before).map(|(now, before)| now - before).collect();
    assert_eq!(turned[0], 0.0);
    assert_eq!(turned[2], 0.0);
    assert!((turned[1] - 0.025).abs() < 1e-12);
    let agent = simulation.agent(2).unwrap().description();
    assert_eq!(agent.body.radius_m(), 0.05);
    assert!(format!("{:?}", agent.sensors[0].value()).contains("range_m: 9.0"));
    // The scene says what all of them are made from; it has not changed.
    assert_eq!(simulation.scene().groups[0].body.radius_m(), 0.1);

    // An edit of the group changes what it names, and leaves the rest of each agent as it was.
    simulation.apply(set("groups.g.controller.v_m_per_s", "0.5")).unwrap();
    simulation.step(1);
    let agent = simulation.agent(1).unwrap();
    assert_eq!(format!("{:?}", agent.command()), "Drive { v_m_per_s: 0.5, turn_rad_per_s: 1.0 }");

    let mut log = log::Replay::new(simulation.edits().to_vec());
    let mut again = simulation_of(text);
    for step in 1..=2 {
        log.due(step).for_each(|logged| again.replay(logged).unwrap());
        again.step(1);
    }
    assert_eq!(again.hash(), simulation.hash());
}

#[test]
fn invalid_edits_of_one_agent_are_refused() {
    let simulation = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    let message = |path: &str, value: &str| simulation.check(&set(path, value)).unwrap_err().to_string();
    insta::assert_snapshot!(message("agents.x.body", "3"), @"agents.x.body: agents are named by their number, such as agents.0; found `x`");
    insta::assert_snapshot!(message("agents.9.body.radius_m", "3"), @"there is no agent 9");
    insta::assert_snapshot!(message("agents.1.bodi.radius_m", "3"), @"agents.1.bodi.radius_m: `bodi` is not a part of an agent; did you mean `body`?");
    insta::assert_snapshot!(message("agents.1.sensors", "[]"), @"agents.1.sensors: name one parameter, such as agents.0.body.radius_m");
    insta::assert_snapshot!(message("agents.1.controller", "Constant()"), @"agents.1.controller: kinds are changed for a whole group");
    insta::assert_snapshot!(message("agents.1.sensors.0.range_m", "-1"), @"agents.1.sensors.0.range_m: expected a number > 0 and ≤ 1000000, found -1");
    insta::assert_snapshot!(message("agents.1.sensors.3.range_m", "1"), @"agents.1.sensors.3.range_m: `sensors` has no `3`, only 0");
}

#[test]
fn the_last_of_several_waiting_edits_of_one_field_counts() {
    let mut simulation = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    for value in 1..=100 {
        simulation.apply(set("groups.millers.sensors.0.range_m", &value.to_string())).unwrap();
    }
    simulation.apply(set("groups.millers.count", "7")).unwrap();
    simulation.apply(set("groups.millers.sensors.0.range_m", "3")).unwrap();
    simulation.step(1);
    assert_eq!(simulation.edits().len(), 3);
}

/// A kind that goes takes with it what it needed, but not what others need.
#[test]
fn another_controller_leaves_the_motion_as_it_was() {
    let mut simulation = simulation_of(
        "(arena: (boundary: Walls), groups: [(name: \"g\", at: [(9.0, 5.0, 0.0)], motion: Unicycle(stop_on_collision: true,
            delay_steps: 3), controller: Levy())])",
    );
    simulation.step(3);
    simulation.apply(set("groups.g.controller", "Constant(v_m_per_s: 0.5)")).unwrap();
    simulation.step(150);
    let snapshot = simulation.snapshot();
    let ahead = hashes(&mut simulation, 20);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut simulation, 20), ahead);
    let moved = |simulation: &mut Simulation| {
        simulation.step(1);
        simulation.agent(0).unwrap().displacement_m().length() > 0.0
    };
    let moves: Vec<bool> = (0..6).map(|_| moved(&mut simulation)).collect();
    assert!(moves.contains(&false), "it still stops where it touched the wall: {moves:?}");
}

#[test]
fn delays_that_fill_the_memory_are_refused() {
    let scene = scene_of("(time: (dt_s: 1e-6), objects: [Disc(motion: Unicycle(delay_s: 3600.0))])");
    assert!(Simulation::new(&scene).err().unwrap().to_string().contains("commands can be delayed"));
    let simulation = simulation_of("(time: (dt_s: 1e-6), groups: [(name: \"g\", at: [(1.0, 1.0, 0.0)])])");
    assert!(simulation.check(&set("agents.0.motion.delay_s", "3600")).is_err());
}

/// Numbers of a scene that are live, each with another allowed value; a few of them, spread over the scene.
fn other_numbers(simulation: &Simulation) -> Vec<Edit> {
    let of_scene = path::leaves(simulation.kinds(), simulation.scene());
    let other = |leaf: &path::Leaf| {
        let value = *leaf.value.downcast_ref::<f64>()? * 1.05 + 0.01;
        let is_live = TakesEffect::of_path(&leaf.path) == TakesEffect::Live;
        let edit = set(&leaf.path, &value.to_string());
        (is_live && simulation.check(&edit).is_ok()).then_some(edit)
    };
    let all: Vec<Edit> = of_scene.iter().filter_map(other).collect();
    let stride = all.len().div_ceil(12).max(1);
    all.into_iter().step_by(stride).collect()
}

/// A number rebuilds only the caches that depend on it. A snapshot that is restored rebuilds all of them.
#[test]
fn numbers_set_in_shipped_scenes_leave_no_stale_cache() {
    for file in shipped_scenes() {
        let mut simulation = Simulation::new(&scene(&file)).unwrap();
        simulation.step(2);
        let mut rebuilt = Simulation::new(&scene(&file)).unwrap();
        rebuilt.step(2);
        for edit in other_numbers(&simulation) {
            simulation.apply(edit.clone()).unwrap();
            rebuilt.apply(edit.clone()).unwrap();
            let ahead = write(simulation.kinds(), simulation.scene_ahead(), Style::Full);
            simulation.flush_edits();
            rebuilt.flush_edits();
            assert_eq!(write(simulation.kinds(), simulation.scene(), Style::Full), ahead, "{file}: {edit:?}");
            let snapshot = rebuilt.snapshot();
            rebuilt.restore(&snapshot).unwrap();
            assert_eq!(hashes(&mut simulation, 2), hashes(&mut rebuilt, 2), "{file}: {edit:?}");
        }
    }
}

#[test]
fn numbers_that_wait_together_give_the_scene_ahead_and_the_same_run_again() {
    for file in shipped_scenes() {
        let mut simulation = Simulation::new(&scene(&file)).unwrap();
        simulation.step(1);
        for edit in other_numbers(&simulation) {
            // Some values are valid alone, but not after others.
            _ = simulation.apply(edit);
        }
        let ahead = write(simulation.kinds(), simulation.scene_ahead(), Style::Full);
        let run = hashes(&mut simulation, 3);
        assert_eq!(write(simulation.kinds(), simulation.scene(), Style::Full), ahead, "{file}");
        let mut again = Simulation::new(&scene(&file)).unwrap();
        again.step(1);
        for logged in simulation.edits() {
            again.replay(logged.clone()).unwrap();
        }
        assert_eq!(hashes(&mut again, 3), run, "{file}");
    }
}

#[test]
fn numbers_are_checked_after_an_edit_of_the_whole_kind_that_waits() {
    let mut simulation =
        simulation_of("(groups: [(name: \"g\", radio: (situated: true), controller: Flocking(a: 1.0, b: 5.0))])");
    let mut queue = |path: &str, value: &str, transaction: u64| simulation.apply_in(set(path, value), transaction);
    queue("groups.g.controller.a", "4", 1).unwrap();
    queue("groups.g.controller", "Flocking(a: 1, b: 2)", 2).unwrap();
    queue("groups.g.controller.b", "3", 3).unwrap();
    let refused = queue("groups.g.controller.b", "0.5", 4).unwrap_err();
    assert!(refused.message.contains("`b` must be at least `a`, which is 1, found 0.5"), "{refused}");
}

#[test]
fn numbers_that_give_too_many_readings_are_refused() {
    let text = "(groups: [(name: \"g\", count: 10000, spawn: UniformBox(), sensors: [LaserScanner()])])";
    let simulation = simulation_of(text);
    let refused = simulation.check(&set("groups.g.sensors.0.resolution_deg", "0.03")).unwrap_err();
    assert!(refused.message.starts_with("at most 50000000 readings fit in a scene"), "{refused}");
}

#[test]
fn numbers_reach_agents_of_another_kind_by_name() {
    let text = "(groups: [(name: \"g\", at: [(1.0, 1.0, 0.0)], sensors: [BinaryFov(range_m: 1.0)])])";
    let mut simulation = simulation_of(text);
    simulation.step(1);
    simulation.apply_in(set("groups.g.sensors", "[LaserScanner()]"), 1).unwrap();
    simulation.apply_in(set("groups.g.sensors.0.range_m", "50"), 2).unwrap();
    simulation.apply_in(set("agents.0.sensors.0.range_m", "9"), 3).unwrap();
    let ahead = agents::description_ahead(&simulation.agent(0).unwrap()).sensors;
    let range_m = |sensor: &dyn bevy::reflect::Reflect| {
        *path::get(simulation.kinds(), sensor, "range_m").unwrap().downcast_ref::<f64>().unwrap()
    };
    assert_eq!(range_m(&ahead[0]), 9.0);
}

#[test]
fn a_constant_that_keeps_its_value_leaves_edits_of_single_agents() {
    let text = "(constants: [(name: \"SPEED\", value: 0.1)],
                 groups: [(name: \"a\", controller: Constant(v_m_per_s: SPEED)),
                          (name: \"b\", controller: Constant(v_m_per_s: SPEED))])";
    let mut simulation = simulation_of(text);
    simulation.apply(set("agents.1.controller.v_m_per_s", "0.5")).unwrap();
    simulation.step(1);
    simulation.apply(set("SPEED", "0.1")).unwrap();
    simulation.step(1);
    let command = format!("{:?}", simulation.agent(1).unwrap().command());
    assert!(command.contains("v_m_per_s: 0.5"), "{command}");
}
