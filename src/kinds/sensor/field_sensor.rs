//! Reads a scalar field, such as pheromone, and its gradient.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{FieldName, SearchWords, kind};
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::Space;

/// Reads the value of a scalar field at one or several places on the robot, such as two antennae, and its gradient.
///
/// Values are interpolated between the centres of the four cells around a place, along both axes in turn, and the gradient is that
/// of the interpolated value. Outside the arena, both are 0. The reading is of the field at the end of the step before, at the
/// present position.
#[kind(section = "Ground and field", words = "pheromone, smell, chemical, gradient, concentration")]
pub struct FieldSensor {
    /// Name of the field; empty: the first field of the scene.
    #[reflect(@FieldName)]
    pub field: String,
    /// Places on the robot, from its centre, for the heading 0.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(vec![DVec2::ZERO])]
    pub at_m: Vec<DVec2>,
    /// Whether the gradient at each place follows its value: ahead and to the left of the robot.
    pub gradient: bool,
}

/// The largest number of places.
const MOST_PLACES: usize = 64;

impl FieldSensor {
    /// The number of numbers of a place.
    fn width(&self) -> usize {
        if self.gradient { 3 } else { 1 }
    }

    /// The places in the world, in metres.
    fn places(&self, space: &Space, row: usize) -> impl Iterator<Item = DVec2> {
        let (position, facing) = (space.bodies.positions()[row], space.bodies.facings()[row]);
        self.at_m.iter().map(move |at| position + facing.rotate(*at))
    }
}

impl Sensor for FieldSensor {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        self.width() * self.at_m.len()
    }

    fn fields(&self) -> &'static [&'static str] {
        match (self.at_m.len(), self.gradient) {
            (1, false) => &["value"],
            (1, true) => &["value", "gradient_ahead", "gradient_left"],
            (2, false) => &["first", "second"],
            _ => &[],
        }
    }

    fn units(&self) -> &'static [&'static str] {
        match (self.at_m.len(), self.gradient) {
            (1, false) => &["units/m²"],
            (1, true) => &["units/m²", "units/m³", "units/m³"],
            (2, false) => &["units/m²"; 2],
            _ => &[],
        }
    }

    fn gauge(&self) -> Gauge {
        Gauge::Numbers
    }

    fn problem(&self) -> Option<String> {
        match self.at_m.len() {
            0 => Some("a FieldSensor needs a place in `at_m`, such as (0, 0)".into()),
            places if places > MOST_PLACES => {
                Some(format!("at most {MOST_PLACES} places fit in `at_m` of a FieldSensor, found {places}"))
            }
            _ => None,
        }
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Some(field) = from.space.fields.named(&self.field) else { return reading.fill(0.0) };
        let facing = from.space.bodies.facings()[from.row];
        let places = self.places(from.space, from.row).zip(reading.chunks_mut(self.width()));
        for (at, numbers) in places {
            numbers[0] = field.value(at);
            if let [_, ahead, left] = numbers {
                let gradient = field.gradient(at);
                (*ahead, *left) = (gradient.dot(facing), gradient.dot(facing.perp()));
            }
        }
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let mark = Mark { detects: reading.iter().step_by(self.width()).any(|value| *value > 0.0) };
        for at in self.places(space, row) {
            mark.circle(at, 3.0 / picture.pixels_per_m, picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use crate::sensor::tests::{read, space_with};
    use swarmarium_space::{Boundary, FieldSettings, ScalarFields};

    #[test]
    fn a_field_sensor_reads_value_and_gradient_in_the_frame_of_the_robot() {
        let mut space = space_with(Boundary::Walls, &[(DVec2::new(4.0, 5.0), 0.1)]);
        let mut sensor = FieldSensor { field: "heat".into(), ..FieldSensor::default() };
        assert_eq!(read(&sensor, &space), [0.0], "there is no such field");
        let heat = FieldSettings { name: "heat".into(), ..FieldSettings::default() };
        space.fields = ScalarFields::new(&[heat], space.arena);
        space.fields.all_mut()[0].fill(|at| 2.0 * at.x + 0.5 * at.y);
        let near = |read: Vec<f64>, expected: &[f64]| {
            assert_eq!(read.len(), expected.len());
            assert!(read.iter().zip(expected).all(|(read, expected)| (read - expected).abs() < 1e-9), "{read:?}");
        };
        near(read(&sensor, &space), &[10.5]);
        space.bodies.turn(0, FRAC_PI_2);
        sensor.gradient = true;
        near(read(&sensor, &space), &[10.5, 0.5, -2.0]);
        // The left antenna of a robot that looks along y is at a smaller x.
        sensor = FieldSensor { at_m: vec![DVec2::new(0.2, 0.1), DVec2::new(0.2, -0.1)], gradient: false, ..sensor };
        near(read(&sensor, &space), &[10.5 + 0.1 - 0.2, 10.5 + 0.1 + 0.2]);
        assert_eq!(sensor.fields(), ["first", "second"]);
        sensor.at_m.clear();
        assert!(sensor.problem().is_some_and(|message| message.contains("at_m")));
    }
}
