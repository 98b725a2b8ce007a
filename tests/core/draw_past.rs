//! The past: where robots have been, and for how long, as the host of a simulation remembers it to draw it.

use bevy::math::DVec2;
use swarmarium::prelude::*;
use swarmarium_core::agent::trail::POINTS;
use swarmarium_draw::past::*;
use swarmarium_draw::{Overlay, Overlays, TrailLength, View};
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use crate::support::shipped_scene;

fn milling() -> Simulation {
    Simulation::new(&shipped_scene("milling")).unwrap()
}

fn run(simulation: &mut Simulation, past: &mut Past, steps: u64, length: TrailLength) {
    for _ in 0..steps {
        simulation.step(1);
        past.observe(simulation.world(), length);
    }
}

fn picture(simulation: &Simulation, past: &Past, overlays: Overlays) -> Picture {
    let view = View { overlays, ..View::fit(simulation.scene(), DVec2::splat(600.0)) };
    simulation.now().remembering(past).picture(&view)
}

#[test]
fn trail_length_is_kept_in_seconds_and_in_metres() {
    let mut simulation = milling();
    let mut past = Past::for_world(simulation.world());
    let dt_s = simulation.time().dt_s;
    run(&mut simulation, &mut past, 400, TrailLength::Seconds(2.0));
    let trail = &past.trails[0];
    let span_s = (trail.head.step - trail.marks[0].step) as f64 * dt_s;
    assert!((span_s - 2.0).abs() < 2.0 * dt_s, "{span_s}");
    run(&mut simulation, &mut past, 400, TrailLength::Meters(0.5));
    let trail = &past.trails[0];
    let way_m = trail.head.way_m - trail.marks[0].way_m;
    assert!(way_m <= 0.5 + 1e-9 && way_m > 0.3, "{way_m}");
    assert!(past.trails.iter().all(|trail| trail.marks.len() <= 2 * POINTS as usize));
    let pieces = past.pieces_of(0, trail.head.at_m, trail.head.at_m);
    assert_eq!(pieces.len(), 1);
    let ages: Vec<f64> = pieces[0].iter().map(|(_, age)| *age).collect();
    assert!(ages.is_sorted_by(|a, b| a >= b) && ages.last() == Some(&0.0), "{ages:?}");
    assert!(past.pieces_of(77, DVec2::ZERO, DVec2::ZERO).is_empty());
}

#[test]
fn a_moved_robot_starts_a_new_piece_of_its_trail() {
    let mut simulation = milling();
    let mut past = Past::for_world(simulation.world());
    run(&mut simulation, &mut past, 20, TrailLength::default());
    simulation.apply(Edit::Move { agent: 1, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }).unwrap();
    run(&mut simulation, &mut past, 20, TrailLength::default());
    let head = |past: &Past, place: usize| past.trails[place].head.at_m;
    let pieces = |place: usize| past.pieces_of(place as u32, head(&past, place), head(&past, place)).len();
    assert_eq!([pieces(0), pieces(1)], [1, 2]);
}

#[test]
fn occupancy_is_the_time_of_all_robots_and_starts_again_when_time_goes_back() {
    let mut simulation = milling();
    let mut past = Past::for_world(simulation.world());
    let dt_s = simulation.time().dt_s;
    run(&mut simulation, &mut past, 100, TrailLength::default());
    past.observe(simulation.world(), TrailLength::default());
    assert!((past.occupancy.total_s() - 6.0 * 100.0 * dt_s).abs() < 1e-9);
    let mut again = milling();
    let shown = Overlays::NONE.with(Overlay::Trails).with(Overlay::AllTrails).with(Overlay::Occupancy);
    let plain = shown.without(Overlay::Occupancy).without(Overlay::AllTrails);
    assert_eq!(picture(&again, &past, shown), picture(&again, &past, plain), "what is yet to come is not shown");
    run(&mut again, &mut past, 1, TrailLength::default());
    assert!((past.occupancy.total_s() - 6.0 * dt_s).abs() < 1e-9);
    assert!(past.trails.iter().all(|trail| trail.marks.len() == 1));
}

#[test]
fn a_past_that_begins_later_has_the_same_trails_and_continues_occupancy() {
    let length = TrailLength::Seconds(0.5);
    let (mut simulation, mut whole) = (milling(), Past::default());
    let dt_s = simulation.time().dt_s;
    run(&mut simulation, &mut whole, 60, length);
    let occupancy = whole.whole_occupancy().cloned();
    run(&mut simulation, &mut whole, 40, length);
    let mut again = milling();
    again.step(60);
    let mut counted = Past::after(again.world(), 60, occupancy);
    let mut anew = Past::after(again.world(), 60, None);
    assert_eq!(counted.last_step(), Some(60));
    assert_eq!(counted.trails_from(), 60);
    for _ in 0..40 {
        again.step(1);
        counted.observe(again.world(), length);
        anew.observe(again.world(), length);
    }
    assert!((counted.occupancy.total_s() - whole.occupancy.total_s()).abs() < 1e-9);
    assert!(counted.whole_occupancy().is_some() && anew.whole_occupancy().is_none());
    assert!((anew.occupancy.total_s() - 6.0 * 40.0 * dt_s).abs() < 1e-9);
    let marks = |past: &Past| {
        past.trails.iter().map(|trail| trail.marks.iter().map(|mark| mark.at_m).collect()).collect::<Vec<Vec<_>>>()
    };
    assert_eq!(marks(&counted), marks(&whole), "trails of half a second");
}

#[test]
fn trails_and_occupancy_are_drawn_only_with_their_overlays() {
    let mut simulation = milling();
    let mut past = Past::for_world(simulation.world());
    run(&mut simulation, &mut past, 40, TrailLength::default());
    let hash = simulation.hash();
    let plain = picture(&simulation, &past, Overlays::NONE);
    let view = View { overlays: Overlays::NONE, ..View::fit(simulation.scene(), DVec2::splat(600.0)) };
    assert_eq!(plain, simulation.picture(&view));
    let shown = Overlays::NONE.with(Overlay::Trails).with(Overlay::AllTrails).with(Overlay::Occupancy);
    let items = picture(&simulation, &past, shown).items;
    assert!(items.iter().filter(|item| item.layer == Layer::Trails).count() >= 6);
    assert_eq!(items.iter().filter(|item| matches!(item.shape, Shape::Cells(_))).count(), 1);
    assert_eq!(simulation.hash(), hash);
}
