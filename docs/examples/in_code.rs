//! A simulation built in code, with a sensor of its own, and the same command line for it as `swarmarium` has.
//!
//! ```sh
//! cargo run --release --example in_code                      # runs the scene below
//! cargo run --release --example in_code -- list sensors      # knows `Bearing`
//! ```

use std::process::ExitCode;

use bevy::prelude::App;
use swarmarium::controller::Constant;
use swarmarium::prelude::*;
use swarmarium::spawner::UniformBox;

/// Reads the heading, from 0 to a turn.
#[kind]
struct Bearing {
    /// Added to the reading.
    offset_rad: f64,
}

impl Sensor for Bearing {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let heading = from.space.bodies.headings()[from.row];
        reading[0] = (heading + self.offset_rad).rem_euclid(std::f64::consts::TAU);
    }
}

fn main() -> ExitCode {
    let recipe = Recipe::standard().with(|app: &mut App| {
        app.add_sensor::<Bearing>();
    });
    if std::env::args().len() > 1 {
        return swarmarium::cli::run_with(&recipe);
    }
    match run(&recipe) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            eprintln!("{problems}");
            ExitCode::FAILURE
        }
    }
}

fn run(recipe: &Recipe) -> Result<(), swarmarium::problem::Problems> {
    let scene = Scene {
        name: "Turning".into(),
        groups: vec![Group {
            name: "turners".into(),
            count: 3,
            spawn: Slot::new(UniformBox::default()),
            sensors: vec![Slot::new(Bearing::default())],
            controller: Slot::new(Constant { v_m_per_s: 0.1, turn_rad_per_s: 1.0 }),
            ..Group::default()
        }],
        ..Scene::default()
    };
    let mut simulation = Simulation::with(&scene, recipe, 1)?;
    for _ in 0..4 {
        simulation.step(40);
        let bearings: Vec<_> = simulation.agents().flat_map(|agent| agent.readings().flatten()).collect();
        println!("{:4.1} s  {bearings:.2?}  {:016x}", simulation.time().now_s(), simulation.hash().0);
    }
    Ok(())
}
