#![doc = include_str!("../docs/library.md")]
#![forbid(unsafe_code)]

pub mod bench;
pub mod cli;

pub use swarmarium_base::{encoding, files, id, limits, math, names, problem, variant, xml};
pub use swarmarium_core::{
    Recipe, Simulation, agent, agent_view, aim, check, clients, clock, component, draw, driving, edit, engine, events,
    expression, kind, motion, object, population, radio, random, scene, service, simulation, state, step, text, time,
    timeline,
};
pub use swarmarium_formats as formats;
pub use swarmarium_kinds as kinds;
#[cfg(feature = "lab")]
pub use swarmarium_lab as lab;
pub use swarmarium_picture as picture;
pub use swarmarium_remote as remote;
pub use swarmarium_space::{self as space, arena, drawing};
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
    pub use swarmarium_core::prelude::*;
    pub use swarmarium_kinds::{FromScene as _, Standard as _};
}
