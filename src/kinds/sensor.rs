//! Sensors: they turn the state of the world into readings.

use bevy::prelude::*;
use swarmarium_core::sensor::AddSensor;
use swarmarium_core::step::plan::{AddKernel as _, Duty};

pub mod accelerometer;
pub mod attitude;
pub mod battery;
pub mod binary_fov;
pub mod clock;
pub mod collision;
pub mod color_camera;
pub mod compass;
pub mod constant;
pub mod encoders;
pub mod external;
pub mod field_sensor;
pub mod gps;
pub mod grip_sensor;
pub mod ground_sensor;
pub mod gyroscope;
pub mod imu;
pub mod in_region;
pub mod laser_scanner;
pub mod light_sensor;
pub mod line_of_sight;
pub mod motion_odometry;
pub mod mount;
pub mod neighbours;
pub mod odometry;
pub mod overlap;
pub mod past;
pub mod point_probe;
pub mod pose;
pub mod proximity;
pub mod range_and_bearing;
pub mod sight;
pub mod targeter;
pub mod thermometer;
pub mod velocity;
pub mod zone;

pub use mount::Mount;
pub use past::{Movement, Past};
pub use sight::{Sight, SightFilter};

/// The bearings of receptors that divide a fan into equal parts, each in the centre of its part; anticlockwise from the
/// heading, in radians.
pub(crate) fn fan_rad(count: u32, from_rad: f64, span_rad: f64) -> impl Iterator<Item = f64> {
    (0..count).map(move |place| from_rad + (f64::from(place) + 0.5) * span_rad / f64::from(count))
}

pub(crate) fn plugin(app: &mut App) {
    app.add_sensor::<binary_fov::BinaryFov>()
        .add_sensor::<proximity::Proximity>()
        .add_sensor::<encoders::Encoders>()
        .add_sensor::<odometry::Odometry>()
        .add_sensor::<line_of_sight::LineOfSight>()
        .add_sensor::<point_probe::PointProbe>()
        .add_sensor::<grip_sensor::GripSensor>()
        .add_sensor::<in_region::InRegion>()
        .add_sensor::<field_sensor::FieldSensor>()
        .add_sensor::<targeter::Targeter>()
        .add_sensor::<constant::Constant>()
        .add_sensor::<pose::Pose>()
        .add_sensor::<motion_odometry::MotionOdometry>()
        .add_sensor::<velocity::Velocity>()
        .add_sensor::<neighbours::Neighbours>()
        .add_sensor::<laser_scanner::LaserScanner>()
        .add_sensor::<collision::Collision>()
        .add_sensor::<gps::Gps>()
        .add_sensor::<gyroscope::Gyroscope>()
        .add_sensor::<accelerometer::Accelerometer>()
        .add_sensor::<imu::Imu>()
        .add_sensor::<compass::Compass>()
        .add_sensor::<battery::Battery>()
        .add_sensor::<clock::Clock>()
        .add_sensor::<thermometer::Thermometer>()
        .add_sensor::<attitude::Attitude>()
        .add_sensor::<overlap::Overlap>()
        .add_sensor::<external::External>()
        .add_radio_sensor::<range_and_bearing::RangeAndBearing>()
        .add_sensor::<light_sensor::LightSensor>()
        .add_sensor::<ground_sensor::GroundSensor>()
        .add_sensor::<color_camera::ColorCamera>()
        .add_sensor::<zone::Zone>();
    let targeter = app.world_mut().register_component::<targeter::Targeter>();
    app.add_kernel(Duty::Follow, targeter, targeter::follow);
}

#[cfg(test)]
pub(crate) mod tests;
