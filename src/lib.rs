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
//! | build a scene in code, or read one from a file | [`scene::Scene`](scene::description::Scene), [`scene::reader::read`], [`formats::load`] |
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
//! The [`prelude`] has the types that plugins and scenes in code need most.
//!
//! # Features
//!
//! | feature | adds | default |
//! |---|---|---|
//! | `lab` | the window; implies `video` | yes |
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
//!
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

pub mod bench;
pub mod cli;

pub use swarmarium_base::{encoding, files, id, limits, math, names, problem, variant, xml};
pub use swarmarium_core::{
    agent, driving, events, expression, kind, motion, object, radio, random, service, state, step, text, time,
};
pub use swarmarium_draw as draw;
pub use swarmarium_formats as formats;
pub use swarmarium_host::{aim, clock, timeline};
pub use swarmarium_kinds as kinds;
#[cfg(feature = "lab")]
pub use swarmarium_lab as lab;
pub use swarmarium_picture as picture;
pub use swarmarium_remote as remote;
pub use swarmarium_scene::{agent_view, check, component, scene};
pub use swarmarium_simulation::{Recipe, Simulation, batch, clients, edit, engine, population, simulation};
pub use swarmarium_space::{self as space, arena};
pub use swarmarium_sweep as sweep;
#[cfg(feature = "video")]
pub use swarmarium_video as video;

/// Families of kinds, each with the kinds that come with the program.
macro_rules! families {
    ($($family:ident),*) => {
        $(
            #[doc = concat!("The family of kinds `", stringify!($family), "`.")]
            pub mod $family {
                pub use swarmarium_core::$family::*;
                pub use swarmarium_kinds::$family::*;
            }
        )*
    };
}
families!(actuator, controller, metric, noise, sensor, spawner);

/// The types that plugins and scenes in code need most.
pub mod prelude {
    pub use swarmarium_kinds::{FromScene as _, Standard as _};
    pub use swarmarium_simulation::prelude::*;
}
