//! Edits: every change from outside, applied at the start of a step and logged.

use bevy::prelude::*;

use crate::support::edits::set;
use crate::support::simulation_of;

#[test]
fn several_scene_edits_are_checked_one_after_the_other() {
    let text = "(groups: [(name: \"a\", sensors: [BinaryFov()], controller: Binary())])";
    let simulation = simulation_of(text);
    let edits = [
        set("groups.a.controller", "Constant()"),
        set("groups.a.sensors.0.range_m", "-1.0"),
        set("groups.a.controller.v_m_per_s", "0.5"),
        set("agents.99.body.radius_m", "0.1"),
    ];
    let found: Vec<bool> = simulation.check_all(&edits).iter().map(Result::is_ok).collect();
    assert_eq!(found, [true, false, true, false], "what makes no sense leaves the others as they are");
    assert!(simulation.check(&edits[2]).is_err(), "it needs the first one");
    assert_eq!(simulation.waiting_edits().len(), 0);
}
