//! Poses of robots as transforms of their frames: all robots of a step in one message.
//!
//! The message of a step differs from that of the step before in a few bytes of each robot: these are replaced.

use swarmarium_base::math::direction;

use super::cdr::{Cdr, stamp};

/// The frame of the arena.
pub(super) const WORLD: &str = "world";

/// The message about the poses of all robots.
#[derive(Default)]
pub(super) struct Transforms {
    message: Vec<u8>,
    /// The places of the time and of the numbers of each robot in the message.
    places: Vec<(usize, usize)>,
}

/// Sine and cosine of half an angle: the third and the fourth part of a quaternion about the vertical axis.
///
/// They are rounded to single precision: that is 0.1 µrad, and saves an eighth of the size of a log.
pub(super) fn half_turn(angle_rad: f64) -> [f64; 2] {
    let half = direction(0.5 * angle_rad);
    [half.y, half.x].map(|part| f64::from(part as f32))
}

/// Adds a transform from a parent to a child: position (m) and rotation about the vertical axis (rad).
pub(super) fn add_transform(
    message: &mut Cdr,
    time_ns: u64,
    parent: &str,
    child: &str,
    pose: ([f64; 3], f64),
) -> (usize, usize) {
    let time = message.align(4);
    message.header(time_ns, parent);
    message.text(child);
    let numbers = message.align(8);
    let ([x, y, z], turn_rad) = pose;
    let [sine, cosine] = half_turn(turn_rad);
    message.f64s(&[x, y, z, 0.0, 0.0, sine, cosine]);
    (time, numbers)
}

impl Transforms {
    /// Sets the names of the robots.
    pub fn set_robots(&mut self, names: &[String]) {
        let mut message = Cdr::default();
        message.length(names.len());
        let add = |name: &String| add_transform(&mut message, 0, WORLD, name, ([0.0; 3], 0.0));
        self.places = names.iter().map(add).collect();
        self.message = message.into_bytes();
    }

    /// The message about the poses at a time.
    pub fn message(&mut self, time_ns: u64, poses: &[[f64; 3]]) -> &[u8] {
        let time = stamp(time_ns);
        for ((at, numbers), [x, y, heading_rad]) in self.places.iter().zip(poses) {
            let [sine, cosine] = half_turn(*heading_rad);
            self.message[*at..*at + 8].copy_from_slice(&time);
            for (place, number) in [(0, *x), (8, *y), (40, sine), (48, cosine)] {
                let start = numbers + place;
                self.message[start..start + 8].copy_from_slice(&number.to_le_bytes());
            }
        }
        &self.message
    }
}
