//! Swarmarium simulates swarms of robots in two dimensions: as an application with a window and a command line, and as this
//! library.
//!
//! A [`Simulation`] is a value. A program makes one from a scene, steps it, reads it, changes it by edits, hashes it, saves
//! it and drops it. It has no window, no assets and no wall clock, and it can move between threads.
//!
//! ```
//! use swarmarium::prelude::*;
//! use swarmarium::problem::Problems;
//! use swarmarium::scene::reader;
//!
//! fn main() -> Result<(), Problems> {
//!     let text = include_str!("../scenes/milling.ron");
//!     let scene = reader::read(Recipe::standard().kinds(), "milling.ron", text)?;
//!     let mut simulation = Simulation::new(&scene)?;
//!     simulation.step(400);
//!     assert_eq!(simulation.time().now_s(), 10.0);
//!     for agent in simulation.agents() {
//!         println!("{:.2} m, {:.2} m", agent.pose.position_m.x, agent.pose.position_m.y);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Where to start
//!
//! | task | start at |
//! |---|---|
//! | build a scene in code, or read one from a file | [`scene::Scene`], [`scene::reader::read`], [`formats::load::load`] |
//! | step, observe and hash a simulation | [`Simulation`] |
//! | change a running simulation | [`edit::Edit`], [`Simulation::apply`] |
//! | go back in time, branch, and replay | [`timeline`] |
//! | save and restore a state | [`Simulation::snapshot`], [`Simulation::restore`] |
//! | write a kind of sensor, controller, … of your own | [`Recipe::with`], [`sensor::Sensor`], [`controller::Controller`], [`motion::MotionModel`], [`metric::Metric`], [`object::Object`], [`spawner::Spawner`] |
//! | get the whole command line with your kinds | [`cli::run_with`] |
//! | draw a state, or record a video | [`Simulation::picture`], [`video`] |
//! | run a scene over parameters and seeds | [`sweep`] |
//! | serve robots to other programs | [`remote`] |
//!
//! The [`prelude`] has the types that plugins and scenes in code need most. The page "Stability" of the book says what
//! this interface promises; names that are not documented here are not part of it.
//!
//! # Features
//!
//! | feature | adds | default |
//! |---|---|---|
//! | `lab` | the window; implies `video` | yes |
//! | `robotswarmsimulator` | the importer of RobotSwarmSimulator worlds | yes |
//! | `video` | the recorder, which needs no display, driver or other program | yes |
//! | `gamepad` | gamepads in the window; needs a system library on Linux | no |
//!
//! # Determinism
//!
//! The same binary, resolved scene, seed and edits give the same [hash](Simulation::hash) at every step, for any number of
//! threads, any host and any time scale, and whether the simulation is new, reset or restored from a snapshot. A kind keeps
//! this promise if it keeps its memory in a [registered](state::RegisterState) component, such as
//! [`Controller::Memory`](controller::Controller::Memory), and draws random numbers from a
//! [named stream](random::Seed::stream).
#![forbid(unsafe_code)]

/// The programs of the book, which run as tests of the documentation.
#[cfg(doctest)]
mod book {
    macro_rules! pages {
        ($($name:ident: $page:literal,)*) => {
            $(#[doc = include_str!(concat!("../docs/", $page))] struct $name;)*
        };
    }
    pages! {
        Embed: "guides/embed.md",
        ManySmallSimulations: "guides/many-small-simulations.md",
        FirstController: "tutorials/first-controller.md",
        Kind: "guides/write-a-kind.md",
        Sensor: "guides/write-a-kind/sensor.md",
        Controller: "guides/write-a-kind/controller.md",
        Behaviour: "guides/write-a-kind/behaviour.md",
        Actuator: "guides/write-a-kind/actuator.md",
        MotionModel: "guides/write-a-kind/motion-model.md",
        Noise: "guides/write-a-kind/noise.md",
        LossModel: "guides/write-a-kind/loss-model.md",
        Object: "guides/write-a-kind/object.md",
        Spawner: "guides/write-a-kind/spawner.md",
        Metric: "guides/write-a-kind/metric.md",
    }
}

mod api;
#[doc(hidden)]
pub mod bench;
pub mod cli;

#[doc(inline)]
pub use api::simulation::{Recipe, Simulation};
#[doc(inline)]
pub use api::*;

/// The types that plugins and scenes in code need most.
pub mod prelude {
    pub use swarmarium_formats::standard::{FromScene as _, Standard as _};
    pub use swarmarium_simulation::prelude::*;
}
