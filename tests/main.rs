//! All integration tests, in one binary: linking is what takes time.
#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected fails")]

#[cfg(unix)]
mod acting;
mod batch;
mod behaviours;
#[cfg(all(unix, feature = "lab"))]
mod book;
mod by_radio;
mod cli;
mod collisions;
mod colors;
mod coming_from;
mod conformance;
mod core;
mod desktop;
mod edits;
mod forecasts;
mod formation;
#[cfg(feature = "video")]
mod frames;
mod golden;
mod hostile;
mod importers;
mod imports;
mod kinds;
mod messages;
mod metrics;
mod monte_carlo;
mod morse_sensors;
mod mutations;
mod noise;
mod objects;
mod placing;
mod population;
mod promise;
mod public_api;
mod pushing;
mod radio;
mod random_scenes;
mod random_worlds;
mod remote;
mod robots;
mod scenes;
mod scripts;
mod sensors;
mod simiam;
mod spawners;
mod support;
mod timeline;
mod undo;
