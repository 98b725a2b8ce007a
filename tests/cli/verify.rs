//! `verify`: the promise holds, and breaking it is seen.

use std::sync::atomic::{AtomicU64, Ordering};

use bevy::prelude::*;
use swarmarium::cli::verify::matrix;
use swarmarium::prelude::*;

use super::Place;
use crate::support::shipped_scene;

#[test]
fn verify_finds_no_difference_for_milling() {
    let said = Place::new().expect(0, "verify milling --steps 60 --seed 3");
    assert!(said.stdout.starts_with("milling, seed 3, 60 steps\n"), "{}", said.stdout);
    assert_eq!(said.stdout.matches(" ok").count(), 32, "{}", said.stdout);
    assert!(!said.stdout.contains("differs"));
}

#[test]
fn verify_finds_no_difference_with_edits_of_a_file() {
    let place = Place::new();
    place.write("edits.ron", "[(step: 5, edit: Move(agent: 1, x_m: 5.0, y_m: 5.0, heading_rad: 0.0))]");
    place.expect(0, "verify milling --steps 20 --edits edits.ron");
    place.write("edits.ron", "[(step: 5, edit: Move(agent: 99, x_m: 5.0, y_m: 5.0, heading_rad: 0.0))]");
    let said = place.expect(2, "verify milling --steps 20 --edits edits.ron");
    assert_eq!(said.stderr.lines().last(), Some("error: edits.ron:1:2: edit of step 5: there is no agent 99"));
}

#[test]
fn verify_accepts_file_edits_that_invalidate_random_ones() {
    let place = Place::new();
    let log = "[
        (step: 2, edit: Set(path: \"groups.millers.controller\", value: \"Constant(v_m_per_s: 0.1)\")),
        (step: 3, edit: Set(path: \"groups.millers.count\", value: \"4\")),
    ]";
    place.write("edits.ron", log);
    place.expect(0, "verify milling --steps 30 --edits edits.ron");
}

/// Counts the steps of all simulations together, which no simulation may do.
static STEPS: AtomicU64 = AtomicU64::new(0);

fn drift(mut poses: Query<&mut Pose>) {
    let steps = STEPS.fetch_add(1, Ordering::Relaxed);
    for mut pose in &mut poses {
        pose.position_m.x += steps as f64 * 1e-9;
    }
}

fn drifting(app: &mut App) {
    app.add_systems(swarmarium_core::step::SimStep, drift.in_set(swarmarium_core::step::Step::Objects));
}

#[test]
fn verify_finds_a_kind_that_breaks_the_promise() {
    let recipe = Recipe::standard().with(drifting);
    let scene: Scene = shipped_scene("milling");
    let matrix = matrix(&scene, &recipe, 20, &[], &|_| ()).unwrap();
    assert!(!matrix.is_fine());
    assert!(matrix.cases.iter().all(|(_, differs_at)| differs_at.is_some()), "{matrix}");
    assert!(matrix.to_string().contains("lab, reset, 2 threads, edits: differs at step "), "{matrix}");
}
