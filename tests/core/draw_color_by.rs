//! Colours that tell something of each robot, and the legend that says what.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium::prelude::*;
use swarmarium_base::math::wrap_angle;
use swarmarium_draw::color_by::*;
use swarmarium_draw::legend::{Key, Legend};
use swarmarium_draw::{ColorBy, View};
use swarmarium_kinds::controller::supervisor::Supervisor;
use swarmarium_picture::palette::{Role, compass, viridis};
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_simulation::simulation::Simulation;

use crate::support::shipped_scene;

fn simulation(name: &str, steps: u64) -> Simulation {
    let scene = shipped_scene(name);
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step(steps);
    simulation
}

fn picture(simulation: &Simulation, color_by: ColorBy) -> Picture {
    simulation.picture(&View { color_by, ..View::fit(simulation.scene(), DVec2::splat(600.0)) })
}

fn words_of(picture: &Picture) -> Vec<&str> {
    picture
        .items
        .iter()
        .filter_map(|item| match &item.shape {
            Shape::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn color_by_group_has_no_legend() {
    let simulation = simulation("milling", 10);
    let plain = simulation.picture(&View::fit(simulation.scene(), DVec2::splat(600.0)));
    assert_eq!(picture(&simulation, ColorBy::Group), plain);
    assert!(Coloring::new(&simulation.now(), ColorBy::Group).is_none());
}

#[test]
fn color_by_scales_from_zero_to_a_round_number() {
    let simulation = simulation("milling", 10);
    let ids = Coloring::new(&simulation.now(), ColorBy::Id).unwrap();
    assert_eq!(ids.legend, Legend::bar("Number of the robot", [0.0, 5.0], viridis));
    assert_eq!([ids.role(0), ids.role(5), ids.role(99)], [viridis(0.0), viridis(1.0), Role::Dim]);
    let bodies = |picture: &Picture| {
        let own =
            |item: &&swarmarium_picture::Item| item.layer == Layer::Agents && matches!(item.paint.role, Role::Own(_));
        picture.items.iter().filter(own).count()
    };
    for color_by in [ColorBy::Speed, ColorBy::Id, ColorBy::Heading, ColorBy::Reading(0)] {
        let picture = picture(&simulation, color_by);
        assert_eq!(bodies(&picture), 6, "{color_by:?}");
    }
    assert!(words_of(&picture(&simulation, ColorBy::Speed)).contains(&"Speed, m/s"));
    assert_eq!(bodies(&picture(&simulation, ColorBy::Reading(99))), 0, "nobody has so many sensors");
}

#[test]
fn color_by_state_labels_supervisor_states_and_numbers_them() {
    let simulation = simulation("simiam-week6", 50);
    let coloring = Coloring::new(&simulation.now(), ColorBy::State).unwrap();
    let agent = simulation.agent(0).unwrap();
    let states = &agent.component::<Supervisor>().unwrap().states;
    let Key::Swatches(swatches) = &coloring.legend.key else { panic!("states have words") };
    assert!(swatches.len() >= states.len());
    for (place, state) in states.iter().enumerate() {
        assert_eq!(swatches[place], (Role::Group(place as u32), format!("{} {}", place + 1, state.name)));
    }
    let number = coloring.number(0).unwrap();
    assert_eq!(coloring.role(0), Role::Group(number as u32 - 1));
    let picture = picture(&simulation, ColorBy::State);
    assert!(words_of(&picture).contains(&number.to_string().as_str()));
}

#[test]
fn color_by_heading_goes_around_the_compass() {
    let simulation = simulation("milling", 10);
    let coloring = Coloring::new(&simulation.now(), ColorBy::Heading).unwrap();
    let heading = simulation.agent(2).unwrap().pose.heading_rad;
    assert_eq!(coloring.role(2), compass((wrap_angle(heading) / TAU).rem_euclid(1.0)));
}
