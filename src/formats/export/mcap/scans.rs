//! Readings of range sensors: scans of rays, and distances in cones, each sensor with a frame and a topic of its own.
//!
//! A ray or cone in which nothing is in range reads infinity (REP 117).

use std::collections::BTreeSet;

use bevy::prelude::*;
use swarmarium_core::component::ComponentSettings;
use swarmarium_core::sensor::infrared::Infrared;
use swarmarium_core::sensor::range_limits::RangeLimits;
use swarmarium_core::sensor::{Gauge, Reading, Sensor as _, Sensors};
use swarmarium_core::step::HasArena as _;
use swarmarium_kinds::sensor::laser_scanner::LaserScanner;
use swarmarium_kinds::sensor::proximity::{Proximity, Response};
use swarmarium_simulation::simulation::Simulation;

use super::batch::{Batch, Channel, Channels};
use super::cdr::Cdr;
use super::definitions::MessageType;
use super::observer::Robot;
use super::topics::{in_topic, unique};
use super::transforms::add_transform;

/// Infrared light, as `sensor_msgs/Range` numbers kinds of radiation.
const INFRARED: u8 = 1;

/// The range sensors of all robots.
#[derive(Debug, Default)]
pub(super) struct Scans {
    sources: Vec<Source>,
    /// The frames of the sensors: parent, child, and pose.
    frames: Vec<(String, String, ([f64; 3], f64))>,
}

/// A range sensor.
#[derive(Debug)]
struct Source {
    sensor: Entity,
    form: MessageForm,
    /// The topics, and the frames of their messages.
    topics: Vec<(Channel, String)>,
}

/// The messages about the readings of a sensor.
#[derive(Debug)]
enum MessageForm {
    /// A scan: the angles of the first ray and between rays, and the distances.
    Rays { first_rad: f64, apart_rad: f64, measure: Measure },
    /// A range for each eye.
    Cones(Infrared),
}

/// The conversion of readings of rays to distances.
#[derive(Debug)]
struct Measure {
    limits: RangeLimits,
    range_m: f64,
    /// The distance from the centre of the sensor to the start of a ray.
    start_m: f64,
    /// Whether a reading falls from 1 to 0 instead of being the distance.
    is_linear: bool,
}

impl Measure {
    fn distance_m(&self, reading: f64) -> f64 {
        let is_hit = if self.is_linear { reading > 0.0 } else { self.limits.is_hit(reading, self.range_m) };
        let distance_m = if self.is_linear { (1.0 - reading) * self.range_m } else { reading };
        if is_hit { self.start_m + distance_m } else { f64::INFINITY }
    }
}

impl Scans {
    /// Adds the messages of all range sensors; `are_stale` if there can be others than before.
    ///
    /// # Errors
    /// When there are too many topics.
    pub fn add(
        &mut self,
        simulation: &Simulation,
        robots: &[Robot],
        are_stale: bool,
        channels: &mut Channels,
        batch: &mut Batch,
    ) -> anyhow::Result<()> {
        if are_stale {
            self.find(simulation, robots, channels, batch)?;
        }
        let world = simulation.world();
        for source in &self.sources {
            let Some(reading) = world.get::<Reading>(source.sensor) else { continue };
            source.add(reading.values.as_slice(), batch);
        }
        Ok(())
    }

    /// Finds all range sensors, and adds their frames if they have changed.
    fn find(
        &mut self,
        simulation: &Simulation,
        robots: &[Robot],
        channels: &mut Channels,
        batch: &mut Batch,
    ) -> anyhow::Result<()> {
        let world = simulation.world();
        let mut frames = Vec::new();
        self.sources.clear();
        for ((row, agent), robot) in simulation.agents().enumerate().zip(robots) {
            let slots = world.get::<Sensors>(agent.entity()).map_or(&[][..], Sensors::slots);
            let radius_m = world.arena().space.bodies.radii().get(row).copied().unwrap_or_default();
            let (mut names, mut parts) = (BTreeSet::new(), BTreeSet::new());
            for (slot, sensor) in slots.iter().enumerate() {
                let Some((form, kind, eyes)) = form_of(world, *sensor, radius_m) else { continue };
                let named = world.get::<ComponentSettings>(*sensor).map_or("", |settings| &settings.name);
                let name = unique(&mut names, in_topic(if named.is_empty() { kind } else { named }), slot);
                let message =
                    if matches!(form, MessageForm::Rays { .. }) { MessageType::LaserScan } else { MessageType::Range };
                let mut topics = Vec::new();
                for (place, pose) in eyes.iter().enumerate() {
                    let own = if message == MessageType::Range { format!("{name}_{place}") } else { name.clone() };
                    let own = unique(&mut parts, own, slot);
                    let frame = format!("{}/{own}", robot.name);
                    topics.push((channels.get(format!("/{}/{own}", robot.topic), message, batch)?, frame.clone()));
                    frames.push((robot.name.clone(), frame, *pose));
                }
                self.sources.push(Source { sensor: *sensor, form, topics });
            }
        }
        if self.frames != frames {
            let mut message = Cdr::default();
            message.length(frames.len());
            for (parent, child, pose) in &frames {
                add_transform(&mut message, batch.time_ns, parent, child, *pose);
            }
            let channel = channels.get("/tf_static".into(), MessageType::Transforms, batch)?;
            batch.messages.push((channel, message.into_bytes()));
            self.frames = frames;
        }
        Ok(())
    }
}

/// The poses of a sensor's frames on its robot.
type Eyes = Vec<([f64; 3], f64)>;

/// The form of the messages of a sensor, the name of its kind, and the poses of its frames; `None` if it measures no
/// distances.
fn form_of(world: &World, sensor: Entity, radius_m: f64) -> Option<(MessageForm, &'static str, Eyes)> {
    if let Some(scanner) = world.get::<LaserScanner>(sensor) {
        let LaserScanner { window_deg, resolution_deg, range_m, mount, limits } = *scanner;
        let measure = Measure { limits, range_m, start_m: 0.0, is_linear: false };
        let first_rad = (-0.5 * window_deg).to_radians();
        let form = MessageForm::Rays { first_rad, apart_rad: resolution_deg.to_radians(), measure };
        return Some((form, "laser_scanner", vec![([mount.x_m, mount.y_m, mount.z_m], mount.yaw_rad)]));
    }
    if let Some(infrared) = world.get::<Infrared>(sensor) {
        let eyes = infrared.mounts.iter().map(|eye| ([eye.x_m, eye.y_m, 0.0], eye.heading_rad)).collect();
        return Some((MessageForm::Cones(infrared.clone()), "infrared", eyes));
    }
    let proximity = world.get::<Proximity>(sensor)?;
    let is_linear = match proximity.response {
        Response::Linear => true,
        Response::Distance => false,
        // Readings without distances.
        Response::Binary | Response::Inverse { .. } => return None,
    };
    let Gauge::Rays { bearings_rad, .. } = proximity.gauge() else { return None };
    let first_rad = *bearings_rad.first()?;
    let apart_rad = bearings_rad.get(1).map_or(0.0, |second| second - first_rad);
    let measure = Measure { limits: proximity.limits, range_m: proximity.range_m, start_m: radius_m, is_linear };
    Some((MessageForm::Rays { first_rad, apart_rad, measure }, "proximity", vec![([0.0; 3], 0.0)]))
}

impl Source {
    fn add(&self, reading: &[f64], batch: &mut Batch) {
        match &self.form {
            MessageForm::Rays { first_rad, apart_rad, measure } => {
                let Some((channel, frame)) = self.topics.first() else { return };
                let mut message = Cdr::default();
                message.header(batch.time_ns, frame);
                let last_rad = first_rad + apart_rad * reading.len().saturating_sub(1) as f64;
                let nearest_m = measure.start_m + measure.limits.min_range_m;
                let farthest_m = measure.start_m + measure.range_m;
                // All rays are cast at once.
                for value in [*first_rad, last_rad, *apart_rad, 0.0, 0.0, nearest_m, farthest_m] {
                    message.f32(value);
                }
                message.f32s(reading.iter().map(|reading| measure.distance_m(*reading)));
                message.length(0);
                batch.messages.push((*channel, message.into_bytes()));
            }
            MessageForm::Cones(infrared) => {
                let Infrared { cone_rad, min_range_m, range_m, .. } = infrared;
                let nothing = infrared.reading(f64::INFINITY);
                for ((channel, frame), reading) in self.topics.iter().zip(reading) {
                    let distance_m = infrared.distance_m(*reading);
                    let mut message = Cdr::default();
                    message.header(batch.time_ns, frame);
                    message.u8(INFRARED);
                    let is_hit = *reading != nothing && distance_m < *range_m;
                    let measured_m = if is_hit { distance_m } else { f64::INFINITY };
                    for value in [*cone_rad, *min_range_m, *range_m, measured_m, 0.0] {
                        message.f32(value);
                    }
                    batch.messages.push((*channel, message.into_bytes()));
                }
            }
        }
    }
}
