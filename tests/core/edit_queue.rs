//! The queue of edits: how they wait for the next step, one in the place of another, and how they are applied and logged.

use bevy::prelude::*;
use swarmarium::prelude::*;
use swarmarium_scene::scene::path;
use swarmarium_simulation::edit::{Edit, agents};
use swarmarium_simulation::simulation::Simulation;

use crate::support::edits::set;
use crate::support::simulation_of;

fn simulation(groups: &str) -> Simulation {
    let text = format!("(groups: [{groups}])");
    simulation_of(&text)
}

fn apply_set(simulation: &mut Simulation, path: &str, value: &str) {
    simulation.apply(set(path, value)).unwrap();
}

#[test]
fn description_ahead_is_known_in_any_order_of_agent_and_group_edits() {
    let group = |name: &str| format!("(name: \"{name}\", count: 2, spawn: UniformBox(), sensors: [Proximity()])");
    let mut simulation = simulation(&[group("a"), group("b")].join(", "));
    let ranges = |simulation: &Simulation, ahead: bool| {
        let of = |agent: u32| {
            let agent = simulation.agent(agent).unwrap();
            let description = if ahead { agents::description_ahead(&agent) } else { agent.description() };
            let sensing = description.sensors[0].common();
            let range = path::get(simulation.kinds(), &description.sensors[0], "range_m").unwrap();
            (sensing.active, range.downcast_ref::<f64>().copied())
        };
        [0, 1, 2, 3].map(of)
    };
    apply_set(&mut simulation, "agents.1.sensors.0.range_m", "7.0");
    apply_set(&mut simulation, "groups.a.sensors.0.range_m", "5.0");
    apply_set(&mut simulation, "agents.0.sensors.0.range_m", "3.0");
    apply_set(&mut simulation, "agents.3.sensors.0.active", "false");
    apply_set(&mut simulation, "agents.0.sensors.0.active", "false");
    apply_set(&mut simulation, "groups.b.sensors.0.range_m", "1.0");
    apply_set(&mut simulation, "groups.b.sensors.0.range_m", "2.0");
    assert_eq!(simulation.waiting_edits().len(), 6, "the last one replaced that before it");
    let ahead = ranges(&simulation, true);
    assert_eq!(ahead, [(false, Some(3.0)), (true, Some(5.0)), (true, Some(2.0)), (false, Some(2.0))]);
    simulation.step(1);
    assert_eq!(ranges(&simulation, false), ahead);
    assert_eq!(ranges(&simulation, true), ahead, "nothing waits any more");
}

#[test]
fn spawns_and_removals_in_one_step_equal_those_in_single_steps() {
    let groups = "(name: \"a\", at: [(1, 1, 0), (2, 1, 0), (3, 1, 0)], sensors: [Proximity()]),
        (name: \"b\", count: 3, spawn: UniformBox()), (name: \"c\", count: 0)";
    let [mut at_once, mut one_by_one] = [(); 2].map(|()| simulation(groups));
    let spawn = |group: &str, x_m| Edit::Spawn { group: group.into(), x_m, y_m: 2.0, heading_rad: 0.5 };
    let remove = |path: &str| Edit::Remove { path: path.into() };
    let runs = [
        vec![spawn("a", 2.1), spawn("b", 5.0), spawn("nobody", 1.0), spawn("a", 2.4), spawn("c", 6.0), spawn("c", 7.0)],
        ["agents.7", "agents.1", "agents.1", "agents.99", "agents.4", "groups.0"].map(remove).into(),
        ["agents.6", "agents.2", "agents.0"].map(remove).into(),
    ];
    for (transaction, run) in (1..).zip(runs) {
        let expected: Vec<_> =
            run.iter().map(|edit| one_by_one.apply_in(edit.clone(), transaction).map_err(|e| e.to_string())).collect();
        let found = at_once.apply_run(&run, transaction).into_iter().map(|done| done.map_err(|e| e.to_string()));
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert_eq!(at_once.hash(), one_by_one.hash(), "{run:?}");
        assert_eq!(at_once.edits(), one_by_one.edits(), "{run:?}");
        at_once.step(3);
        one_by_one.step(3);
        assert_eq!(at_once.hash(), one_by_one.hash(), "{run:?}");
    }
    assert_eq!(at_once.edits().len(), 5 + 3 + 3);
    let [mut again, mut known] = [&at_once, &one_by_one].map(|done| Simulation::new(done.scene()).unwrap());
    again.step(1);
    known.step(1);
    assert_eq!(again.hash(), known.hash());
}

#[test]
fn dragged_agents_have_one_waiting_move_each() {
    let mut simulation = simulation("(name: \"a\", count: 3, spawn: UniformBox())");
    let moved = |agent, x_m| Edit::Move { agent, x_m, y_m: 1.0, heading_rad: 0.0 };
    for x_m in [1.0, 2.0, 3.0] {
        (0..3).for_each(|agent| simulation.apply_in(moved(agent, x_m), 1).unwrap());
    }
    assert!(simulation.waiting_edits().eq(&[moved(0, 3.0), moved(1, 3.0), moved(2, 3.0)]));
    simulation.apply_in(moved(1, 4.0), 2).unwrap();
    simulation.apply_in(moved(0, 5.0), 1).unwrap();
    assert_eq!(simulation.waiting_edits().len(), 5, "other transactions are other changes");
    simulation.flush_edits();
    simulation.apply_in(moved(0, 6.0), 1).unwrap();
    simulation.apply_in(moved(2, 6.0), 1).unwrap();
    simulation.apply_in(moved(0, 7.0), 1).unwrap();
    simulation.flush_edits();
    let of_first = simulation.edits().iter().filter(|logged| matches!(logged.edit, Edit::Move { agent: 0, .. }));
    let of_first: Vec<&Edit> = of_first.map(|logged| &logged.edit).collect();
    assert_eq!(of_first, [&moved(0, 3.0), &moved(0, 7.0)], "it replaces what came after the other transaction");
    assert_eq!(simulation.edits().len(), 6);
}

#[test]
fn thousands_of_agents_are_edited_one_by_one_between_two_steps() {
    const COUNT: u32 = 2000;
    let mut simulation =
        simulation(&format!("(name: \"a\", count: {COUNT}, spawn: UniformBox(), sensors: [Proximity()])"));
    for agent in 0..COUNT {
        apply_set(&mut simulation, &format!("agents.{agent}.sensors.0.active"), "false");
        apply_set(&mut simulation, &format!("agents.{agent}.sensors.0.range_m"), "0.5");
    }
    assert_eq!(simulation.waiting_edits().len(), 2 * COUNT as usize);
    let description = agents::description_ahead(&simulation.agent(COUNT - 1).unwrap());
    assert!(!description.sensors[0].common().active);
}
