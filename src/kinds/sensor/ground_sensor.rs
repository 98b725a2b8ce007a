//! Reads the colour of the floor below a robot.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::Space;
use swarmarium_space::color::grey;

/// Reads the brightness or the colour of the floor below one or several points of the robot (ARGoS `footbot_motor_ground`).
///
/// The floor has the colour of the last object of the scene that covers the point: a `Floor`, a `FloorPicture`, a region
/// or goal with a colour, or a mark: another coloured object that neither blocks nor is sensed. Elsewhere it is white.
#[kind(section = "Ground and field", words = "floor, line, colour of the ground, brightness")]
pub struct GroundSensor {
    /// The points, relative to the centre of the robot: ahead, and to the left. There are numbers for each of them.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(vec![DVec2::ZERO])]
    pub points_m: Vec<DVec2>,
    /// Numbers of the reading for each point.
    pub reads: GroundReading,
}

/// The numbers of a ground sensor for a point.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum GroundReading {
    /// Brightness from 0 (black) to 1 (white): 0.299 red + 0.587 green + 0.114 blue.
    #[default]
    Grey,
    /// Red, green and blue, each from 0 to 1 (sRGB).
    Rgb,
}

impl GroundReading {
    /// Number of numbers for a point.
    const fn width(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::Rgb => 3,
        }
    }
}

impl Sensor for GroundSensor {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        self.points_m.len() * self.reads.width()
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        let (point, part) = (channel / self.reads.width(), channel % self.reads.width());
        let what = match self.reads {
            GroundReading::Grey => "Grey",
            GroundReading::Rgb => ["Red", "Green", "Blue"][part],
        };
        let name = if self.points_m.len() == 1 { what.into() } else { format!("{what} {point}") };
        (name, "")
    }

    fn gauge(&self) -> Gauge {
        Gauge::Bars { empty: 0.0, full: 1.0 }
    }

    fn noise_bounds(&self, _: usize) -> NoiseBounds {
        NoiseBounds::Within { low: 0.0, high: 1.0, nothing: None }
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, .. } = from;
        let (center, facing) = (space.bodies.positions()[row], space.bodies.facings()[row]);
        for (point, values) in self.points_m.iter().zip(reading.chunks_exact_mut(self.reads.width())) {
            let color = space.floor_color(center + facing.rotate(*point));
            match values {
                [value] => *value = grey(color),
                values => values.copy_from_slice(&color.map(|part| f64::from(part) / 255.0)),
            }
        }
    }

    fn problem(&self) -> Option<String> {
        self.points_m.is_empty().then(|| "`points_m` is empty: expected at least one point".into())
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let (center, facing) = (space.bodies.positions()[row], space.bodies.facings()[row]);
        for (point, values) in self.points_m.iter().zip(reading.chunks_exact(self.reads.width())) {
            let mark = Mark { detects: values.iter().any(|value| *value < 1.0) };
            mark.circle(center + facing.rotate(*point), 4.0 / picture.pixels_per_m, picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;
    use std::sync::Arc;

    use swarmarium_space::{Boundary, FloorGrid, Form, Thing, ThingKind};

    use super::*;
    use crate::sensor::tests::{put, read, space_with};

    /// Cells of 1 m: red, black, and 51 of 255 grey, from (4, 4.5).
    fn space() -> Space {
        let mut space = space_with(Boundary::Open, &[(DVec2::new(4.5, 5.0), 0.2)]);
        let cells = [[255, 0, 0], [0; 3], [51; 3]].into();
        let corners = [(4.0, 4.5), (7.0, 4.5), (7.0, 5.5), (4.0, 5.5)].map(DVec2::from).to_vec();
        space.things.push(Thing {
            what: ThingKind::Floor,
            forms: vec![Form::Polygon(corners)],
            floor: Some(Arc::new(FloorGrid { key: 0, columns: 3, cells })),
            ..Thing::default()
        });
        space.list_colored();
        space
    }

    #[test]
    fn points_read_the_cells_below_them() {
        let points_m = vec![DVec2::ZERO, DVec2::X, 2.0 * DVec2::X, DVec2::Y];
        let sensor = GroundSensor { points_m, ..Default::default() };
        let mut space = space();
        assert_eq!(read(&sensor, &space), [0.299, 0.0, 0.2, 1.0]);
        put(&mut space, DVec2::new(5.5, 5.0), FRAC_PI_2);
        assert_eq!(read(&sensor, &space), [0.0, 1.0, 1.0, 0.299], "ahead is up, left is to the left");
        let colors = GroundSensor { reads: GroundReading::Rgb, points_m: vec![DVec2::ZERO, DVec2::Y] };
        assert_eq!(read(&colors, &space), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(colors.channel(4), ("Green 1".into(), ""));
    }
}
