//! Changes that are undone and redone, and those made while time stands still.

use std::collections::BTreeMap;

use swarmarium_core::agent::failure::Failure;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_host::clock::Host;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::log::{self, Replay};
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::choices::Dice;
use crate::support::edits::{moved, set};
use crate::support::hosts::{finish, tracking_host};
use crate::support::scene_of;

const ORDERS: [&str; 2] = ["Simultaneous", "Sequential"];

/// Radios, sensors, a spawner over time, an object that moves, metrics.
fn world(order: &str) -> Scene {
    let text = r#"(
        order: ORDER,
        arena: (size_m: (12.0, 12.0), boundary: Walls),
        groups: [
            (name: "fleet", at: [(2.0, 2.0, 0.0), (3.0, 2.0, 1.0), (4.0, 2.0, 2.0)], motion: Holonomic(),
                controller: Formation(), radio: (loss: Disc(range_m: 5.0), schedule: Periodic(period_s: 0.1))),
            (name: "late", count: 6, spawn: UniformBox(interval_steps: 7), sensors: [BinaryFov(rate_hz: 10.0), Proximity()],
                controller: Constant(v_m_per_s: 0.4, turn_rad_per_s: 0.2)),
        ],
        objects: [
            Disc(center_m: (6.0, 6.0), radius_m: 0.4, motion: Unicycle(), sensors: [Proximity()],
                controller: Constant(v_m_per_s: 0.3)),
            Disc(center_m: (9.0, 3.0), radius_m: 0.5),
            Goal(area: Disc(center_m: (3.0, 9.0), radius_m: 1.0)),
        ],
        metrics: [Collisions(), Scatter()],
    )"#;
    scene_of(&text.replace("ORDER", order))
}

/// How many kinds of edits there are in a session.
const KINDS: u64 = 16;

/// An edit of a kind, by its number, that might make sense.
fn edit_of(kind: u64, simulation: &Simulation, dice: &mut Dice) -> Edit {
    let any = |dice: &mut Dice, group: &str| {
        let agents = simulation.agents().filter(|agent| agent.name().starts_with(group));
        let agents: Vec<u32> = agents.map(|agent| agent.id.index()).collect();
        agents.get(dice.below(agents.len().max(1) as u64) as usize).copied().unwrap_or(u32::MAX)
    };
    let (x_m, y_m) = (dice.meters(), dice.meters());
    let spawn = |group: &str| Edit::Spawn { group: group.into(), x_m, y_m, heading_rad: 0.0 };
    let add = |list: &str, value: String| Edit::Add { list: list.into(), value };
    let (groups, objects) = (simulation.scene().groups.len(), simulation.scene().objects.len());
    let fault =
        |agent: u32, failure: Failure, dice: &mut Dice| Edit::Fault { agent, failure, is_active: dice.below(3) > 0 };
    match kind % KINDS {
        0 => set("groups.late.controller.v_m_per_s", &format!("0.{}", 1 + dice.below(9))),
        1 => spawn("late"),
        2 => set(&format!("agents.{}.controller.v_m_per_s", any(dice, "late")), &format!("0.{}", 1 + dice.below(9))),
        3 => set("objects.1.center_m", &format!("({x_m:?}, {y_m:?})")),
        4 => moved(any(dice, ""), x_m, y_m),
        5 => Edit::MoveObject { object: 0, x_m, y_m, heading_rad: 1.0 },
        6 => spawn("fleet"),
        7 => add("groups", format!("(name: \"g{groups}\", at: [({x_m:?}, {y_m:?}, 0.0)])")),
        8 => add("objects", format!("Disc(center_m: ({x_m:?}, {y_m:?}), radius_m: 0.2, motion: Unicycle())")),
        9 => Edit::Remove { path: format!("agents.{}", any(dice, "")) },
        // The first three are needed.
        10 => Edit::Remove { path: format!("objects.{}", if objects > 3 { objects - 1 } else { 99 }) },
        11 => fault(any(dice, ""), Failure::Total, dice),
        12 => fault(any(dice, ""), Failure::Motors, dice),
        13 => fault(any(dice, "fleet"), Failure::Receiver, dice),
        14 => fault(any(dice, "late"), Failure::Sensors, dice),
        _ => Edit::TimeScale { scale: 1.0 + dice.below(9) as f64 },
    }
}

/// Any edit that might make sense.
fn any_edit(simulation: &Simulation, dice: &mut Dice) -> Edit {
    let kind = dice.below(KINDS);
    edit_of(kind, simulation, dice)
}

/// The classes of edits that a session counts.
fn kind_of(edit: &Edit) -> String {
    let first = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
    match edit {
        Edit::Set { path, .. } => format!("set {}", first(path)),
        Edit::Move { .. } => "move".into(),
        Edit::MoveObject { .. } => "move object".into(),
        Edit::Spawn { group, .. } => format!("spawn {group}"),
        Edit::Add { list, .. } => format!("add {list}"),
        Edit::Remove { path } => format!("remove {}", first(path)),
        Edit::Fault { failure, .. } => format!("fault {failure:?}"),
        Edit::TimeScale { .. } => "time scale".into(),
        other => format!("{other:?}"),
    }
}

/// The simulation of a start and a log, without a host.
fn replayed(host: &Host) -> Simulation {
    let mut again = Simulation::new(host.start()).unwrap();
    // As from a file.
    let text = log::write(host.simulation().edits());
    let mut log = Replay::new(log::read("edits.ron", &text).unwrap());
    for step in 1..=host.simulation().steps() + 1 {
        log.due(step).for_each(|logged| again.replay(logged).unwrap());
        if step <= host.simulation().steps() {
            again.step(1);
        }
    }
    again.flush_edits();
    again
}

#[test]
fn a_session_of_all_edits_replays_and_can_be_undone_and_redone() {
    for order in ORDERS {
        let scene = world(order);
        let mut host = tracking_host(&scene);
        let mut dice = Dice(7);
        let (mut kind, mut accepted, mut turns, mut taken_back) = (0, 0, 0, [0, 0]);
        while accepted < 50 {
            turns += 1;
            assert!(turns < 500, "{order}: {accepted} edits were accepted");
            match turns % 10 {
                // One is done again, the other one is forgotten with the change that follows.
                4 | 9 => taken_back[0] += usize::from(host.undo().is_some()),
                5 => taken_back[1] += usize::from(host.redo().is_some()),
                turn => {
                    let transaction = host.new_transaction();
                    for _ in 0..=u64::from(turn % 3 == 0) {
                        let edit = edit_of(kind, host.simulation(), &mut dice);
                        kind += 1;
                        // Invalid edits are refused.
                        accepted += usize::from(host.apply_in(edit, transaction).is_ok());
                    }
                }
            }
            finish(&mut host);
            let end = host.simulation().steps() + dice.below(9);
            match dice.below(3) {
                0 => host.flush_edits(),
                _ => _ = host.advance_to(end, || true, |_| {}),
            }
        }
        host.flush_edits();
        host.go_to(u64::MAX);
        finish(&mut host);
        let hash = host.simulation().hash();
        let mut counts = BTreeMap::<String, usize>::new();
        host.simulation().edits().iter().for_each(|logged| *counts.entry(kind_of(&logged.edit)).or_default() += 1);
        assert_eq!(counts.len() as u64, KINDS, "{order}: each kind is there: {counts:?}");
        assert!(counts.values().sum::<usize>() > 30 && taken_back[0] > 5 && taken_back[1] > 2, "{order}: {counts:?}");
        assert!(host.changes().iter().any(|change| change.edits > 1), "{order}: several edits in one transaction");
        assert_eq!(replayed(&host).hash(), hash, "{order}: again");

        let steps = host.simulation().steps();
        host.go_to(0);
        finish(&mut host);
        let mut untouched = Simulation::new(&scene).unwrap();
        untouched.step(steps);
        assert_eq!(host.simulation().steps(), steps, "{order}: undone");
        assert_eq!(host.simulation().hash(), untouched.hash(), "{order}: undone");
        assert!(host.simulation().edits().is_empty() && host.changes().iter().all(|change| change.is_undone));

        host.go_to(u64::MAX);
        finish(&mut host);
        assert_eq!(host.simulation().hash(), hash, "{order}: redone");
        assert!(host.changes().iter().all(|change| !change.is_undone));
    }
}

#[test]
fn edits_applied_while_paused_equal_edits_at_the_next_step() {
    for order in ORDERS {
        let [mut at_once, mut later] = [(); 2].map(|()| Simulation::new(&world(order)).unwrap());
        let mut dice = Dice(3);
        for transaction in 1..60 {
            let edit = any_edit(&later, &mut dice);
            let done = [at_once.apply_in(edit.clone(), transaction), later.apply_in(edit.clone(), transaction)];
            assert_eq!(done[0], done[1], "{edit:?}");
            at_once.flush_edits();
            if dice.below(3) == 0 {
                at_once.step(1);
                later.step(1);
                assert_eq!(at_once.hash(), later.hash(), "{order}: {edit:?}");
                assert_eq!(at_once.edits(), later.edits());
            }
        }
    }
}

#[test]
fn a_drag_while_paused_logs_its_end_only() {
    let mut dragged = Simulation::new(&world("Simultaneous")).unwrap();
    let mut put = Simulation::new(&world("Simultaneous")).unwrap();
    for simulation in [&mut dragged, &mut put] {
        simulation.step(5);
    }
    let speed = |value: &str| set("groups.late.controller.v_m_per_s", value);
    for part in 1..=10 {
        let x_m = 5.0 + f64::from(part) / 3.0;
        for agent in [0, 1] {
            dragged.apply_in(moved(agent, x_m, 7.0 + f64::from(agent)), 1).unwrap();
        }
        dragged.flush_edits();
    }
    for value in ["0.1", "0.2", "0.7"] {
        dragged.apply_in(speed(value), 2).unwrap();
        dragged.flush_edits();
    }
    for agent in [0, 1] {
        put.apply_in(moved(agent, 5.0 + 10.0 / 3.0, 7.0 + f64::from(agent)), 1).unwrap();
    }
    put.apply_in(speed("0.7"), 2).unwrap();
    dragged.step(1);
    put.step(1);
    assert_eq!(dragged.edits(), put.edits());
    assert_eq!(dragged.hash(), put.hash());
}

#[test]
fn a_drag_of_static_objects_while_paused_logs_its_end_only() {
    let [mut dragged, mut put] = [(); 2].map(|()| Simulation::new(&world("Simultaneous")).unwrap());
    dragged.step(5);
    put.step(5);
    let at = |x_m: f64| {
        let disc = format!("Disc(center_m: ({x_m:?}, 3.0), radius_m: 0.5)");
        let goal = format!("Goal(area: Disc(center_m: ({x_m:?}, 9.0), radius_m: 1.0))");
        [set("objects.1", &disc), set("objects.2", &goal)]
    };
    let point = |x_m: f64| set("objects.1.center_m", &format!("({x_m:?}, 4.0)"));
    for part in 0..5 {
        let x_m = 4.0 + f64::from(part);
        for edit in at(x_m) {
            dragged.apply_in(edit, 1).unwrap();
        }
        dragged.flush_edits();
    }
    for x_m in [5.0, 6.0, 7.0] {
        dragged.apply_in(point(x_m), 2).unwrap();
        dragged.flush_edits();
    }
    for edit in at(8.0) {
        put.apply_in(edit, 1).unwrap();
    }
    put.apply_in(point(7.0), 2).unwrap();
    dragged.step(1);
    put.step(1);
    assert_eq!(dragged.edits(), put.edits());
    dragged.step(20);
    put.step(20);
    assert_eq!(dragged.hash(), put.hash());
}

#[test]
fn one_undo_takes_back_a_whole_transaction() {
    let mut host = tracking_host(&world("Simultaneous"));
    host.advance_to(40, || true, |_| {});
    let transaction = host.new_transaction();
    for step in 0..10 {
        host.apply_in(moved(0, 5.0 + f64::from(step) / 10.0, 5.0), transaction).unwrap();
        host.advance_to(41 + step as u64, || true, |_| {});
    }
    host.apply(set("groups.late.controller.v_m_per_s", "0.9")).unwrap();
    host.advance_to(60, || true, |_| {});
    let labels: Vec<_> = host.changes().into_iter().map(|change| (change.label, change.edits)).collect();
    assert_eq!(labels, [("Moved fleet-0".to_owned(), 10), ("late: v = 0.9 m/s".to_owned(), 1)]);
    assert_eq!(host.undo().as_deref(), Some("late: v = 0.9 m/s"));
    // Another one while the first is still on its way.
    assert_eq!(host.undo().as_deref(), Some("Moved fleet-0"));
    assert!(host.resimulate().is_some_and(|progress| progress.steps >= 20));
    finish(&mut host);
    let mut untouched = Simulation::new(host.start()).unwrap();
    untouched.step(60);
    assert_eq!(host.simulation().hash(), untouched.hash());
    assert_eq!(host.redo().as_deref(), Some("Moved fleet-0"));
    finish(&mut host);
    assert_eq!(host.simulation().edits().len(), 10);
    // A new change forgets what could be redone.
    host.apply(Edit::TimeScale { scale: 3.0 }).unwrap();
    assert_eq!(host.redo(), None);
    assert_eq!(host.changes().len(), 2);
    host.advance(0.05, || true, |_| {});
    assert_eq!(host.clock().scale(), 3.0);
    assert_eq!(host.undo().as_deref(), Some("Speed 3×"));
    assert!(host.resimulate().is_none(), "no result depends on it");
    assert_eq!(host.clock().scale(), 1.0);
}

#[test]
fn a_resimulation_can_be_cancelled_and_edits_wait_for_its_end() {
    let mut host = tracking_host(&world("Simultaneous"));
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    host.advance_to(100, || true, |_| {});
    let hash = host.simulation().hash();
    host.undo().unwrap();
    host.continue_resimulation(|| false, |_| {});
    host.cancel_resimulation();
    assert_eq!(host.simulation().hash(), hash);
    assert_eq!(host.simulation().edits().len(), 1);
    assert!(host.changes().iter().all(|change| !change.is_undone));
    host.undo().unwrap();
    host.apply(moved(1, 6.0, 9.0)).unwrap();
    assert_eq!(host.simulation().edits().len(), 1, "the run is still as it was");
    finish(&mut host);
    host.flush_edits();
    let edits: Vec<_> = host.simulation().edits().iter().map(|logged| (logged.step, logged.edit.clone())).collect();
    assert_eq!(edits, [(101, moved(1, 6.0, 9.0))]);
}

#[test]
fn an_undo_during_a_resimulation_takes_back_waiting_edits() {
    let mut host = tracking_host(&world("Simultaneous"));
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    host.advance_to(60, || true, |_| {});
    let hash = host.simulation().hash();
    assert_eq!(host.undo().as_deref(), Some("Moved fleet-0"));
    host.continue_resimulation(|| false, |_| {});
    host.apply(moved(2, 8.0, 9.0)).unwrap();
    let transaction = host.new_transaction();
    host.apply_in(moved(1, 6.0, 9.0), transaction).unwrap();
    host.apply_in(moved(1, 7.0, 9.0), transaction).unwrap();
    assert_eq!(host.undo().as_deref(), Some("Moved fleet-1"));
    assert!(host.resimulate().is_some_and(|progress| progress.done > 0), "the resimulation goes on");
    assert_eq!(host.undo().as_deref(), Some("Moved fleet-2"));
    assert!(host.can_undo_and_redo() == [false, true]);
    finish(&mut host);
    let mut untouched = Simulation::new(host.start()).unwrap();
    untouched.step(60);
    assert_eq!(host.simulation().hash(), untouched.hash());
    assert_eq!(host.redo().as_deref(), Some("Moved fleet-0"));
    finish(&mut host);
    assert_eq!(host.simulation().hash(), hash);
}

#[test]
fn edits_during_a_cancelled_resimulation_are_applied() {
    let mut host = tracking_host(&world("Simultaneous"));
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    host.advance_to(60, || true, |_| {});
    host.undo().unwrap();
    host.continue_resimulation(|| false, |_| {});
    host.apply(moved(1, 6.0, 9.0)).unwrap();
    host.redo().unwrap();
    assert!(host.resimulate().is_none(), "the run is as it was");
    host.flush_edits();
    let edits: Vec<_> = host.simulation().edits().iter().map(|logged| (logged.step, logged.edit.clone())).collect();
    assert_eq!(edits, [(1, moved(0, 6.0, 9.0)), (61, moved(1, 6.0, 9.0))]);
    assert!(host.take_notes().is_empty());
}

#[test]
fn waiting_edits_that_are_dropped_are_reported() {
    let mut host = tracking_host(&world("Simultaneous"));
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    host.advance_to(60, || true, |_| {});
    host.undo().unwrap();
    host.apply(moved(1, 6.0, 9.0)).unwrap();
    host.go_to(0);
    assert_eq!(host.take_notes(), ["1 pending edit is left out"]);
    finish(&mut host);
    assert!(host.simulation().edits().is_empty());
}

#[test]
fn a_reused_agent_number_has_the_name_of_the_newer_robot() {
    let mut host = tracking_host(&world("Simultaneous"));
    let mut frozen = |group: &str| {
        let spawn = Edit::Spawn { group: group.into(), x_m: 8.0, y_m: 8.0, heading_rad: 0.0 };
        host.apply(spawn).unwrap();
        let agent = host.simulation().agents().last().unwrap().id.index();
        host.apply(Edit::Fault { agent, failure: Failure::Motors, is_active: true }).unwrap();
        host.flush_edits();
        let label = host.changes().last().unwrap().label.clone();
        host.go_to(0);
        finish(&mut host);
        (agent, label)
    };
    let [(first, fleet), (second, late)] = [frozen("fleet"), frozen("late")];
    assert_eq!(first, second);
    assert!(fleet.starts_with("Froze fleet-") && late.starts_with("Froze late-"), "{fleet}, {late}");
}

#[test]
fn the_revision_of_changes_differs_when_they_do() {
    let mut host = tracking_host(&world("Simultaneous"));
    let mut known = Vec::new();
    let mut is_new = |host: &Host| {
        let is_new = !known.contains(&host.revision());
        known.push(host.revision());
        is_new
    };
    assert!(is_new(&host));
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    host.advance_to(10, || true, |_| {});
    assert!(is_new(&host));
    host.advance_to(20, || true, |_| {});
    assert!(!is_new(&host), "nothing was changed");
    let transaction = host.new_transaction();
    for x_m in [5.0, 6.0] {
        host.apply_in(moved(0, x_m, 9.0), transaction).unwrap();
        host.flush_edits();
        assert!(is_new(&host), "a drag while time stands still");
    }
    assert_eq!(host.simulation().edits().len(), 2);
    host.undo().unwrap();
    finish(&mut host);
    assert!(is_new(&host));
    host.reset_with_seed(5).unwrap();
    assert!(is_new(&host));
    host.undo().unwrap();
    assert!(is_new(&host));
}

#[test]
fn client_edits_that_depend_on_an_undone_edit_are_left_out_until_redo() {
    let mut host = tracking_host(&world("Simultaneous"));
    // When no spawner makes anybody any more: without the newcomer, the next one would have its number.
    host.advance_to(60, || true, |_| {});
    host.apply(Edit::Spawn { group: "fleet".into(), x_m: 8.0, y_m: 8.0, heading_rad: 0.0 }).unwrap();
    let newcomer = host.simulation().agents().last().unwrap().id.index();
    host.advance_to(70, || true, |_| {});
    // Nobody undoes what has no transaction.
    host.apply_in(moved(newcomer, 2.0, 8.0), 0).unwrap();
    host.advance_to(80, || true, |_| {});
    let hash = host.simulation().hash();
    assert_eq!(host.undo().as_deref(), Some("Added 1 robot to fleet"));
    finish(&mut host);
    assert_eq!(host.take_notes().len(), 1);
    assert_eq!(host.simulation().edits().len(), 0);
    assert_eq!(host.undo(), None);
    assert!(host.redo().is_some());
    finish(&mut host);
    assert_eq!(host.simulation().hash(), hash);
    assert_eq!(host.simulation().edits().len(), 2);
    assert!(host.take_notes().is_empty());
}

#[test]
fn a_reset_can_be_undone() {
    let mut host = tracking_host(&world("Simultaneous"));
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    host.advance_to(20, || true, |_| {});
    let (before, seed) = (host.simulation().hash(), host.start().seed);
    host.reset_with_seed(99).unwrap();
    host.advance_to(5, || true, |_| {});
    host.apply(set("groups.late.controller.v_m_per_s", "0.9")).unwrap();
    host.advance_to(10, || true, |_| {});
    let after = host.simulation().hash();
    let changes = host.changes().len();
    let labels: Vec<String> = host.changes().into_iter().map(|change| change.label).collect();
    assert_eq!(labels, ["Moved fleet-0", "Restarted with another seed", "late: v = 0.9 m/s"]);
    host.undo().unwrap();
    finish(&mut host);
    assert_eq!(host.undo().as_deref(), Some("Restarted with another seed"));
    finish(&mut host);
    assert_eq!(host.simulation().hash(), before);
    assert_eq!(host.start().seed, seed);
    assert_eq!(host.simulation().steps(), 20);
    host.redo().unwrap();
    finish(&mut host);
    assert_eq!(host.start().seed, 99);
    assert_eq!(host.simulation().steps(), 10);
    host.redo().unwrap();
    finish(&mut host);
    assert_eq!(host.simulation().hash(), after);
    host.go_to(0);
    finish(&mut host);
    assert_eq!(host.start().seed, seed);
    assert_eq!(host.simulation().edits().len(), 0);
    host.go_to(u64::MAX);
    finish(&mut host);
    assert_eq!(host.simulation().hash(), after);
    host.reset().unwrap();
    host.reset().unwrap();
    assert_eq!(host.changes().len(), changes + 1, "the second one changes nothing");
    host.open(world("Sequential")).unwrap();
    assert!(host.changes().is_empty() && host.undo().is_none(), "another scene forgets all");
}

#[test]
fn a_host_without_tracking_keeps_no_changes() {
    let mut host = Host::new(&world("Simultaneous"), &Recipe::standard(), 1).unwrap();
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    host.advance_to(20, || true, |_| {});
    assert_eq!(host.undo(), None);
    assert_eq!(host.redo(), None);
    assert_eq!(host.changes().len(), 0);
}
