//! The base frequency: the number of steps in a simulated second.
//!
//! A scene sets it as `time.dt_s`, or derives it from its components with `time.base: Fastest`. In that case it follows
//! from their rates before anything else reads the scene, and is written to `dt_s`.

use swarmarium_core::kind::Kinds;

use crate::scene::description::{Base, Scene};
use crate::scene::path;

/// The lowest derived base frequency, in hertz: the default of MORSE.
pub const LEAST_HZ: f64 = 60.0;

/// The name of the rate of every component.
const RATE: &str = "rate_hz";

/// Writes the derived base frequency to `dt_s`; returns `None` if the scene sets `dt_s` itself.
///
/// As with MORSE's `auto_tune_time`, it is the frequency of the fastest component, and at least 60 Hz. It depends on
/// the rates only, so it is the same when a resolved scene is read again.
pub fn resolve(kinds: &Kinds, scene: &mut Scene) -> Option<Fastest> {
    let fastest = fastest(kinds, scene)?;
    scene.time.dt_s = fastest.dt_s();
    Some(fastest)
}

/// The base frequency that a scene derives from its components; `None` if it sets `dt_s` itself.
pub fn fastest(kinds: &Kinds, scene: &Scene) -> Option<Fastest> {
    if scene.time.base == Base::Step {
        return None;
    }
    let mut fastest = Fastest { base_hz: LEAST_HZ, path: String::new() };
    let mut look = |prefix: String, value: &dyn bevy::reflect::Reflect| {
        for leaf in path::leaves(kinds, value) {
            let rate_hz = leaf.value.downcast_ref::<f64>().filter(|_| is_rate(&leaf.path));
            if let Some(rate_hz) = rate_hz.filter(|rate_hz| rate_hz.is_finite() && **rate_hz > fastest.base_hz) {
                fastest = Fastest { base_hz: *rate_hz, path: format!("{prefix}.{}", leaf.path) };
            }
        }
    };
    for (index, group) in scene.groups.iter().enumerate() {
        look(format!("groups.{index}.sensors"), &group.sensors);
        look(format!("groups.{index}.controller"), &group.controller);
    }
    for (index, object) in scene.objects.iter().enumerate() {
        look(format!("objects.{index}.sensors"), &object.common().sensors);
        look(format!("objects.{index}.controller"), &object.common().controller);
    }
    for (index, group) in scene.object_groups.iter().enumerate() {
        look(format!("object_groups.{index}.object.sensors"), &group.object.common().sensors);
        look(format!("object_groups.{index}.object.controller"), &group.object.common().controller);
    }
    Some(fastest)
}

fn is_rate(path: &str) -> bool {
    path.rsplit('.').next() == Some(RATE)
}

/// The base frequency that follows from the rates of components.
#[derive(Clone, Debug, PartialEq)]
pub struct Fastest {
    /// Number of steps in a simulated second.
    pub base_hz: f64,
    /// The path of the rate that determines it; empty if no rate is above [`LEAST_HZ`].
    pub path: String,
}

impl Fastest {
    /// Simulated time of a step, in seconds.
    pub fn dt_s(&self) -> f64 {
        1.0 / self.base_hz
    }

    /// The message about it for the user.
    pub fn message(&self) -> String {
        let Self { base_hz, path } = self;
        let dt_s = self.dt_s();
        match path.as_str() {
            "" => format!("base frequency {base_hz} Hz (a step takes {dt_s} s): no component is faster"),
            path => format!("base frequency {base_hz} Hz (a step takes {dt_s} s), that of {path}"),
        }
    }
}
