//! Measures the temperature near fires.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::exp;
use swarmarium_core::agent::Team;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::{About, Property};
use swarmarium_core::state::NoMemory;

use super::Mount;

/// Reads the temperature in degrees Celsius: `base + Σ fire · exp(−alpha · distance)` over all fires (MORSE
/// `Thermometer`). Nothing shields the sensor from a fire.
#[kind(section = "Ground and field", words = "temperature, heat, fire, warm")]
pub struct Thermometer {
    /// Temperature far from all fires.
    #[reflect(@Limits::between(-1e6, 1e6))]
    #[default(15.0)]
    pub base_celsius: f64,
    /// Temperature rise at the centre of a fire.
    #[reflect(@Limits::between(-1e6, 1e6))]
    #[default(200.0)]
    pub fire_celsius: f64,
    /// Rate at which the temperature rise decays with distance.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(0.2)]
    pub alpha_per_m: f64,
    /// Name or team of the objects that are fires.
    #[default("Fire".into())]
    pub fire: String,
    /// Maximum distance of a fire that has an effect.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(MAX_LENGTH_M)]
    pub range_m: f64,
    /// Position and orientation on the robot.
    pub mount: Mount,
}

/// A property of MORSE that is a number here.
const fn number(name: &'static str, field: &'static str, attribute: &'static str) -> Property {
    Property { name, field, unit: 1.0, type_name: "float", attribute }
}

impl Sensor for Thermometer {
    /// The number of the team of the fires.
    type Prepared = u32;
    type Memory = NoMemory;
    const NAMES: &'static [&'static str] = &["temperature"];
    const ABOUT: About = About {
        class: "Thermometer",
        services: &[],
        properties: &[
            number("DefaultTemperature", "base_celsius", "_global_temp"),
            number("FireTemperature", "fire_celsius", "_fire_temp"),
            number("Alpha", "alpha_per_m", "_alpha"),
            Property { name: "FireTag", field: "fire", unit: 1.0, type_name: "string", attribute: "_fire_tag" },
            number("Range", "range_m", "_range"),
        ],
    };

    fn prepare(&self) -> u32 {
        Team::named(&self.fire).0
    }

    fn blank(&self, reading: &mut [f64]) {
        reading.fill(self.base_celsius);
    }

    fn units(&self) -> &'static [&'static str] {
        &["°C"]
    }

    fn read(&self, team: &u32, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let space = from.space;
        let (eye, _) = self.mount.eye(space, from.row);
        let fires = space
            .things
            .iter()
            .filter(|thing| !self.fire.is_empty() && (thing.name == self.fire || thing.team == *team));
        let distances = fires.map(|fire| space.arena.offset(eye, fire.position).length());
        let felt = distances.filter(|distance_m| *distance_m <= self.range_m);
        let warmth: f64 = felt.map(|distance_m| self.fire_celsius * exp(-self.alpha_per_m * distance_m)).sum();
        reading[0] = self.base_celsius + warmth;
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::{Boundary, Thing};

    use super::*;
    use crate::sensor::tests::{read, space_with};

    #[test]
    fn thermometer_adds_fires_that_fade_with_distance() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let thermometer = Thermometer::default();
        assert_eq!(read(&thermometer, &space), [15.0]);
        for (name, x) in [("Fire", 0.0), ("Fire", 5.0), ("tree", 1.0)] {
            space.things.push(Thing { name: name.into(), position: DVec2::new(x, 0.0), ..Thing::default() });
        }
        let expected = 15.0 + 200.0 + 200.0 * exp(-1.0);
        assert!((read(&thermometer, &space)[0] - expected).abs() < 1e-9);
        assert_eq!(read(&Thermometer { range_m: 4.0, ..thermometer }, &space), [215.0]);
    }
}
