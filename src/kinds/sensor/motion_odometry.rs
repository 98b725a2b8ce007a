//! Odometry from the motion of the robot, however it moves.

use bevy::math::DVec3;
use bevy::prelude::*;
use swarmarium_base::math::{Frame, wrap_angle};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{RESET_NOISE, Sensor, Viewpoint};
use swarmarium_core::service::{About, ServiceError, Value};
use swarmarium_space::Field;

use super::past::Movement;
use super::{Mount, Past};

/// Reads the exact motion of the sensor; noise such as `OdometryNoise` gives the reading the errors of real odometry
/// (MORSE `Odometry`).
///
/// A relocation of the robot does not count as motion; only poses in the frame `World` show it.
///
/// Any robot can have this sensor; `Odometry` uses the turns of wheels instead.
#[kind(Copy, section = "Own state", words = "motion, dead reckoning, distance travelled")]
pub struct MotionOdometry {
    /// The quantities of the reading.
    pub level: Level,
    /// Frame of the poses of the level `Integrated`.
    pub frame: Seen,
    /// Position and orientation on the robot.
    pub mount: Mount,
}

/// The quantities that odometry reads.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Level {
    /// `dS`: the distance since the last reading, in metres.
    Raw,
    /// `dx`, `dy`, `dz`, `dyaw`, `dpitch`, `droll`: the change of the pose since the last reading, in the frame of the
    /// first reading.
    Differential,
    /// `x`, `y`, `z`, `yaw`, `pitch`, `roll`: the pose; `vx`, `vy`, `vz`, `wz`, `wy`, `wx`: velocity and turn rates
    /// since the last reading, in its own axes, in m/s and rad/s.
    #[default]
    Integrated,
}

/// The frame of a pose.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Seen {
    /// The pose of the sensor at its first reading, as in the documentation and tests of MORSE.
    #[default]
    Start,
    /// The origin of the world, as in the last version of MORSE. A relocation changes the pose. In a periodic arena,
    /// the pose continues beyond the boundary.
    World,
}

/// The memory of odometry.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Travel {
    past: Past,
    /// Position, then yaw, pitch and roll, at the first reading; `None` before.
    start: Option<[[f64; 3]; 2]>,
    /// The displacement since then, not wrapped in a periodic arena.
    way_m: [f64; 3],
    /// Yaw, pitch and roll at the last reading, in the frame of the first one.
    angles_rad: [f64; 3],
    /// The position at the last reading, in the frame of the world; `None` before the first.
    world_m: Option<[f64; 3]>,
}

impl Travel {
    /// The position in the world: the last position, the displacement since then, and the rest after a relocation.
    fn in_world(&mut self, arena: Field, moved: &Movement) -> DVec3 {
        let now = moved.now.at;
        let expected = self.world_m.map_or(now, |last| DVec3::from(last) + moved.way);
        let left = arena.offset(expected.truncate(), now.truncate());
        let world = (expected.truncate() + left).extend(now.z);
        self.world_m = Some(world.to_array());
        world
    }
}

impl Sensor for MotionOdometry {
    type Prepared = ();
    type Memory = Travel;
    const KNOWS_OWN: bool = true;
    const ABOUT: About = About { class: "Odometry", services: &[RESET_NOISE], properties: &[] };

    fn prepare(&self) {}

    fn fields(&self) -> &'static [&'static str] {
        match self.level {
            Level::Raw => &["dS"],
            Level::Differential => &["dx", "dy", "dz", "dyaw", "dpitch", "droll"],
            Level::Integrated => &["x", "y", "z", "yaw", "pitch", "roll", "vx", "vy", "vz", "wz", "wy", "wx"],
        }
    }

    fn units(&self) -> &'static [&'static str] {
        &["m", "m", "m", "rad", "rad", "rad", "m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"]
    }

    fn channels(&self) -> usize {
        self.fields().len()
    }

    fn read(&self, (): &(), travel: &mut Travel, from: Viewpoint, reading: &mut [f64]) {
        let moved = travel.past.movement(&self.mount, &from);
        let first = [moved.travelled.at.to_array(), moved.travelled.angles()];
        let [at, angles] = *travel.start.get_or_insert(first);
        let start = Frame::new(at.into(), angles);
        travel.way_m = (DVec3::from(travel.way_m) + moved.travelled_way).to_array();
        let mut unwrapped = moved.travelled;
        unwrapped.at = start.at + DVec3::from(travel.way_m);
        let seen = start.sees(&unwrapped);
        let before = travel.angles_rad;
        travel.angles_rad = seen.angles_like(before);
        let mut numbers = [0.0; 12];
        match self.level {
            Level::Raw => numbers[0] = moved.way.length(),
            Level::Differential => {
                numbers[..3].copy_from_slice(&start.sees_direction(moved.travelled_way).to_array());
                for ((number, now), before) in numbers[3..6].iter_mut().zip(travel.angles_rad).zip(before) {
                    // Pitch can be −0; the sum with 0 has no sign.
                    *number = wrap_angle(now - before) + 0.0;
                }
            }
            Level::Integrated => {
                let (at, angles) = match self.frame {
                    Seen::Start => (seen.at, travel.angles_rad),
                    Seen::World => (travel.in_world(from.space.arena, &moved), self.mount.angles(&moved.now, &from)),
                };
                let velocity = moved.halfway.sees_direction(moved.velocity);
                let spin = moved.halfway.sees_direction(moved.spin);
                numbers[..3].copy_from_slice(&at.to_array());
                numbers[3..6].copy_from_slice(&angles);
                numbers[6..9].copy_from_slice(&velocity.to_array());
                numbers[9..].copy_from_slice(&[spin.z, spin.y, spin.x]);
            }
        }
        reading.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }

    fn call(&self, _: &mut Travel, service: &str, _: &[Value]) -> Result<Value, ServiceError> {
        match service {
            // The memory to reset is that of its noise.
            _ if service == RESET_NOISE.name => Ok(Value::Null),
            _ => Err(ServiceError::UnknownToSensor(service.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use bevy::math::DVec2;
    use swarmarium_base::id::StableId;
    use swarmarium_base::math::direction;
    use swarmarium_core::noise::Noise as _;
    use swarmarium_core::random::Seed;
    use swarmarium_space::{Boundary, Space};

    use super::*;
    use crate::noise::odometry_noise::OdometryNoise;
    use crate::noise::tests::near;
    use crate::sensor::tests::{Looks, put, space_with};

    /// The start of MORSE's `odometry_testing.py`: at (5, 2), looking along y.
    fn start() -> Space {
        let mut space = space_with(Boundary::Open, &[(DVec2::new(5.0, 2.0), 0.3)]);
        put(&mut space, DVec2::new(5.0, 2.0), FRAC_PI_2);
        space
    }

    #[test]
    fn motion_odometry_poses_are_relative_to_the_start_or_the_world() {
        let mut space = start();
        let (from_start, world) =
            (MotionOdometry::default(), MotionOdometry { frame: Seen::World, ..MotionOdometry::default() });
        let (mut own, mut other) = (Looks::of(&from_start), Looks::of(&world));
        assert_eq!(own.read(&space), [0.0; 12], "the first reading is right, too");
        other.read(&space);
        // Two metres ahead in 2 s.
        put(&mut space, DVec2::new(5.0, 4.0), FRAC_PI_2);
        let found = own.read_after(20, &space);
        assert!(near(&found, &[2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-12), "{found:?}");
        let found = other.read_after(20, &space);
        assert!(near(&found[..4], &[5.0, 4.0, 0.0, FRAC_PI_2], 1e-12), "{found:?}");
    }

    #[test]
    fn motion_odometry_of_arcs_has_speed_and_turn_rate() {
        let mut space = start();
        let odometry = MotionOdometry::default();
        let mut looks = Looks::of(&odometry);
        looks.read(&space);
        // 0.1 s of 1 m/s and −π/4 rad/s, then the rest of 2 s: (4/π, −4/π, −π/2).
        let at = |time_s: f64| {
            let (radius, turn) = (4.0 / PI, -PI / 4.0 * time_s);
            let ahead = DVec2::new(swarmarium_base::math::sin(-turn), swarmarium_base::math::cos(turn) - 1.0) * radius;
            (DVec2::new(5.0, 2.0) + DVec2::Y.rotate(ahead), FRAC_PI_2 + turn)
        };
        for step in 1..=20 {
            let (position, heading) = at(0.1 * f64::from(step));
            put(&mut space, position, heading);
            let found = looks.read_after(1, &space);
            assert!(near(&found[6..10], &[1.0, 0.0, 0.0, -PI / 4.0], 1e-3), "{found:?}");
        }
        let found = looks.read(&space);
        assert!(near(&found[..4], &[4.0 / PI, -4.0 / PI, 0.0, -FRAC_PI_2], 1e-9), "{found:?}");
    }

    #[test]
    fn motion_odometry_changes_add_up_to_the_pose() {
        let mut space = start();
        let (differential, raw) = (
            MotionOdometry { level: Level::Differential, ..MotionOdometry::default() },
            MotionOdometry { level: Level::Raw, ..MotionOdometry::default() },
        );
        let (mut changes, mut ways) = (Looks::of(&differential), Looks::of(&raw));
        changes.read(&space);
        ways.read(&space);
        let (mut sum, mut way) = ([0.0; 6], 0.0);
        for step in 1..=100 {
            let turn = 0.1 * f64::from(step);
            put(&mut space, DVec2::new(5.0, 2.0) + direction(turn), FRAC_PI_2 + turn);
            let found = changes.read_after(1, &space);
            assert!(found.iter().all(|change| (-PI..=PI).contains(change)));
            sum.iter_mut().zip(&found).for_each(|(sum, change)| *sum += change);
            way += ways.read_after(1, &space)[0];
        }
        let expected = direction(10.0);
        // Ahead at the start was y.
        assert!(near(&sum[..4], &[expected.y, -expected.x, 0.0, 10.0], 1e-9), "{sum:?}");
        assert!((way - 1.0 - 9.9).abs() < 0.7, "{way}");
    }

    #[test]
    fn motion_odometry_continues_across_a_wrapping_border() {
        let mut space = space_with(Boundary::Periodic, &[(DVec2::new(1.0, 5.0), 0.3)]);
        let odometry = MotionOdometry::default();
        let mut looks = Looks::of(&odometry);
        looks.read(&space);
        for step in 1..=8 {
            put(&mut space, DVec2::new((1.0 + 3.0 * f64::from(step)) % 10.0, 5.0), 0.0);
            assert!((looks.read_after(1, &space)[0] - 3.0 * f64::from(step)).abs() < 1e-9);
        }
    }

    #[test]
    fn motion_odometry_with_noise_ignores_a_wrap_of_the_border() {
        let mut space = space_with(Boundary::Periodic, &[(DVec2::new(1.0, 5.0), 0.3)]);
        let odometry = MotionOdometry { frame: Seen::World, ..MotionOdometry::default() };
        let noise = OdometryNoise { factor: 1.1, ..OdometryNoise::default() };
        let (mut looks, mut kept) = (Looks::of(&odometry), Vec::new());
        for step in 0..=8_u32 {
            let way = 3.0 * f64::from(step);
            put(&mut space, DVec2::new((1.0 + way) % 10.0, 5.0), 0.0);
            let mut found = looks.read_after(1, &space);
            let mut stream = Seed(7).stream(StableId::agent(0), "noise").at_step(step.into());
            noise.apply_to(odometry.fields(), &mut found, &mut kept, &mut stream);
            assert!(near(&found[..2], &[1.0 + 1.1 * way, 5.0], 1e-9), "{step}: {found:?}");
        }
    }
}
