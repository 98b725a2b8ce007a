use swarmarium_core::events::EventKind;
use swarmarium_lab_testing::{do_steps, lab_on};

use super::*;

/// Returns the lanes of a scene from one step to another.
fn observed(name: &str, source: LaneSource, from: u64, to: u64) -> StateLanes {
    let (mut lab, mut lanes) = (lab_on(name), StateLanes::new(source));
    do_steps(&mut lab, from);
    lanes.observe(lab.run.host.simulation());
    for _ in from..to {
        do_steps(&mut lab, 1);
        lanes.observe(lab.run.host.simulation());
    }
    lanes
}

/// Returns the values after each step of all robots.
fn values(lanes: &StateLanes, from: u64, to: u64) -> Vec<(u32, Vec<Option<String>>)> {
    let value = |lane: &Lane, step| lane.runs.at(step).map(|(value, ..)| lanes.text(value));
    lanes.lanes().iter().map(|lane| (lane.robot, (from..=to).map(|step| value(lane, step)).collect())).collect()
}

#[test]
fn each_change_of_state_of_a_supervisor_begins_a_run() {
    let (mut lab, mut lanes) = (lab_on("simiam-week5"), StateLanes::new(LaneSource::State));
    let mut switches = 0;
    for _ in 0..600 {
        do_steps(&mut lab, 1);
        let simulation = lab.run.host.simulation();
        lanes.observe(simulation);
        let step = simulation.steps();
        for event in simulation.events().since(step).filter(|event| event.kind == EventKind::Switch) {
            let lane = lanes.lanes().iter().find(|lane| lane.robot == event.who.index()).unwrap();
            let (value, from, _) = lane.runs.at(step).unwrap();
            assert!(step == 1 || from == step, "{event:?} {from}");
            assert!(event.text.contains(&lanes.text(value)), "{event:?} {}", lanes.text(value));
            switches += 1;
        }
    }
    assert!(switches > 0);
    assert!(lanes.legend().len() > 1, "{:?}", lanes.legend());
}

#[test]
fn lanes_that_begin_late_get_their_earlier_steps() {
    for source in [LaneSource::State, LaneSource::Speed, LaneSource::Reading(0)] {
        let whole = observed("milling", source, 0, 200);
        let mut late = observed("milling", source, 100, 200);
        late.prepend(observed("milling", source, 0, 150));
        assert_eq!(late.steps(), Some([0, 200]), "{source:?}");
        if source == LaneSource::State {
            assert_eq!(values(&late, 0, 200), values(&whole, 0, 200), "{source:?}");
        }
        assert_eq!(late.scale, whole.scale, "{source:?}");
        for (one, other) in late.lanes().iter().zip(whole.lanes()) {
            for step in 0..=200 {
                let level = |lane: &Lane| lane.runs.at(step).map_or(0, |(value, ..)| value);
                // A level that a wider scale shifts is rounded again.
                let is_near = level(one).abs_diff(level(other)) <= u8::from(source != LaneSource::State);
                assert!(is_near, "{source:?}, {} at {step}: {} {}", one.robot, level(one), level(other));
            }
        }
        let mut older = observed("milling", source, 100, 120);
        older.prepend(observed("milling", source, 0, 150));
        assert_eq!(older.steps(), Some([0, 150]), "{source:?}");
        late.go_back(50);
        assert_eq!(late.steps(), Some([0, 50]), "{source:?}");
    }
}

#[test]
fn a_step_that_was_left_out_begins_the_lanes_again() {
    let (mut lab, mut lanes) = (lab_on("milling"), StateLanes::new(LaneSource::Speed));
    lanes.observe(lab.run.host.simulation());
    do_steps(&mut lab, 5);
    lanes.observe(lab.run.host.simulation());
    assert_eq!(lanes.steps(), Some([5, 5]));
}

#[test]
fn a_state_has_the_same_colour_in_the_world_and_in_the_lanes() {
    let lanes = observed("simiam-week5", LaneSource::State, 0, 300);
    let mut lab = lab_on("simiam-week5");
    do_steps(&mut lab, 300);
    // The order in which a run has seen its states can be any.
    let seen: Vec<String> = lanes.states().iter().rev().cloned().collect();
    let moment = lab.run.host.simulation().now().with_states(&seen);
    let coloring = Coloring::new(&moment, ColorBy::State).unwrap();
    let Key::Swatches(swatches) = &coloring.legend.key else { panic!("states have swatches") };
    let names: Vec<&str> = swatches.iter().map(|(_, text)| text.split_once(' ').unwrap().1).collect();
    assert_eq!(names, seen);
    assert!(seen.len() > 1 && swatches.iter().enumerate().all(|(place, (role, _))| *role == Role::Group(place as u32)));
}
