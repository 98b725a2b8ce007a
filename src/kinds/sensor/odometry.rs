//! Odometry from the turns of the wheels.

use std::f64::consts::{PI, TAU};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{cos, sin, wrap_angle};
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::belief::Belief;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};

use super::encoders::Counts;

/// Estimates the pose of its robot from the ticks of its wheels: x and y in metres, and the heading from −π to π.
///
/// The estimate starts at the true pose. It knows nothing of slip, pushes and relocations. If the wheels have rolled
/// `dl` and `dr` since the last reading, the heading changes by `(dr − dl) / axle`, and the robot moves by `(dl + dr) /
/// 2` in the direction half-way between the old and the new heading (pySimiam).
#[kind(Copy, section = "Own state", words = "wheels, dead reckoning, position")]
pub struct Odometry {
    /// Assumed radius of the wheels.
    #[reflect(@Limits::up_to(1e6))]
    #[default(0.029_112_741)]
    pub wheel_radius_m: f64,
    /// Assumed distance between the wheels.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(0.14)]
    pub axle_m: f64,
    /// Number of ticks per turn of a wheel.
    #[reflect(@Limits::up_to(1e9))]
    #[default(1000.0)]
    pub ticks_per_turn: f64,
    /// How incomplete ticks are rounded.
    pub counts: Counts,
}

/// The memory of odometry.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// How far both wheels had turned at the last reading; `None` before the first.
    turns: Option<[f64; 2]>,
    /// The estimated pose.
    pose: Pose,
    /// The previous estimates of the position, for display; oldest first.
    path_m: Vec<DVec2>,
    /// The distance between points of the path.
    spacing_m: f64,
}

/// The maximum number of points of a path; beyond it, every other point is dropped.
const MOST: usize = 256;
/// The initial distance between points of a path, in metres.
const SPACING_M: f64 = 0.01;

impl Odometry {
    /// The pose after the wheels have turned by the given numbers of ticks.
    fn after(&self, Pose { position_m, heading_rad }: Pose, ticks: [f64; 2]) -> Pose {
        let [left, right] = ticks.map(|ticks| ticks * TAU * self.wheel_radius_m / self.ticks_per_turn);
        let (way, turn) = ((left + right) / 2.0, (right - left) / self.axle_m);
        let halfway = heading_rad + turn / 2.0;
        let position_m = position_m + way * DVec2::new(cos(halfway), sin(halfway));
        Pose { position_m, heading_rad: wrapped(heading_rad + turn) }
    }
}

/// An angle in [−π, π).
fn wrapped(angle: f64) -> f64 {
    let angle = wrap_angle(angle);
    if angle == PI { -PI } else { angle }
}

impl Track {
    /// Records a new pose.
    fn follow(&mut self, pose: Pose) {
        self.pose = pose;
        let is_far = |last: &DVec2| last.distance(pose.position_m) >= self.spacing_m;
        if self.path_m.last().is_none_or(is_far) {
            if self.path_m.len() == MOST {
                let mut is_kept = false;
                self.path_m.retain(|_| {
                    is_kept = !is_kept;
                    is_kept
                });
                self.spacing_m *= 2.0;
            }
            self.path_m.push(pose.position_m);
        }
    }
}

impl Sensor for Odometry {
    type Prepared = ();
    type Memory = Track;
    const COUNTS_TURNS: bool = true;
    const NAMES: &'static [&'static str] = &["x", "y", "heading"];

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        3
    }

    fn units(&self) -> &'static [&'static str] {
        &["m", "m", "rad"]
    }

    fn read(&self, (): &(), track: &mut Track, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, wheels, .. } = from;
        let wheels = wheels.unwrap_or_default();
        let turns = [wheels.left_turns, wheels.right_turns];
        let pose = match track.turns {
            Some(last) => {
                // Both with the present settings, so that an edit of the settings keeps the pose.
                let ticks = |turns: f64| self.counts.ticks(turns, self.ticks_per_turn);
                self.after(track.pose, [0, 1].map(|wheel| ticks(turns[wheel]) - ticks(last[wheel])))
            }
            None => {
                track.spacing_m = SPACING_M;
                let heading_rad = wrapped(space.bodies.headings()[row]);
                Pose { position_m: space.bodies.positions()[row], heading_rad }
            }
        };
        track.turns = Some(turns);
        track.follow(pose);
        let numbers = [pose.position_m.x, pose.position_m.y, pose.heading_rad];
        reading.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }

    fn belief<'a>(&self, track: &'a Track) -> Option<Belief<'a>> {
        track.turns.map(|_| Belief { pose: track.pose, path_m: &track.path_m })
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::motion::Wheels;
    use swarmarium_space::{Body, Boundary};

    use super::*;
    use crate::sensor::tests::{Looks, space_with};

    #[test]
    fn odometry_poses_are_those_that_simiam_estimates() {
        let khepera3 =
            Odometry { wheel_radius_m: 0.021, axle_m: 0.0885, ticks_per_turn: 2764.8, ..Odometry::default() };
        let quickbot = Odometry { wheel_radius_m: 0.0325, axle_m: 0.09925, ticks_per_turn: 16.0, ..khepera3 };
        for (odometry, file, name) in
            [(khepera3, "khepera3_master", "khepera3"), (quickbot, "quickbot_coursera", "quickbot")]
        {
            let facts = swarmarium_testing::facts(&format!("simiam/{file}.json"));
            for case in facts[format!("{name}_odometry")].as_array().unwrap() {
                let numbers = |field: &str| -> Vec<f64> {
                    case[field].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
                };
                let (start, ticks, expected) = (numbers("start"), numbers("dticks"), numbers("pose_est"));
                let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.1)]);
                let position = DVec2::new(start[0], start[1]);
                space.bodies.set(0, Body { position, heading: start[2], ..Body::default() });
                let mut looks = Looks::of(&odometry);
                assert_eq!(looks.read(&space), start);
                // Half-way between two ticks, where rounding does not matter.
                let turns = |ticks: f64| (ticks + 0.5_f64.copysign(ticks)) / odometry.ticks_per_turn;
                looks.wheels = Wheels { left_turns: turns(ticks[0]), right_turns: turns(ticks[1]) };
                let found = looks.read(&space);
                let error = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(error < 1e-9, "{found:?} {case}");
                assert_eq!(looks.read(&space), found, "nothing turned");
            }
        }
    }

    #[test]
    fn odometry_keeps_its_pose_when_parameters_are_edited() {
        let space = space_with(Boundary::Open, &[(DVec2::ONE, 0.1)]);
        let (coarse, fine) = (Odometry::default(), Odometry { ticks_per_turn: 5000.0, ..Odometry::default() });
        let mut track = Track::default();
        let mut read = |odometry: &Odometry, turns: f64| {
            let mut looks = Looks::of(odometry);
            looks.wheels = Wheels { left_turns: turns, right_turns: turns };
            std::mem::swap(&mut looks.memory, &mut track);
            let reading = looks.read(&space);
            std::mem::swap(&mut looks.memory, &mut track);
            reading
        };
        read(&coarse, 0.0);
        let before = read(&coarse, 10.0);
        assert_eq!(read(&fine, 10.0), before);
    }

    #[test]
    fn an_odometry_path_has_few_points_at_any_length() {
        let mut track = Track { spacing_m: SPACING_M, ..Track::default() };
        for step in 0..100_000 {
            track.follow(Pose { position_m: DVec2::new(f64::from(step) * 0.004, 0.0), heading_rad: 0.0 });
        }
        let path = &track.path_m;
        assert!((MOST / 2..=MOST).contains(&path.len()), "{}", path.len());
        assert!(path[0] == DVec2::ZERO && path.is_sorted_by(|a, b| a.x < b.x) && path[path.len() - 1].x > 390.0);
    }

    #[test]
    fn odometry_headings_are_below_half_a_turn() {
        assert_eq!(wrapped(PI), -PI);
        assert_eq!(wrapped(-PI), -PI);
        assert_eq!(wrapped(3.0), 3.0);
    }
}
