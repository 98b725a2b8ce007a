//! Rendezvous by radio: robots that meet at one place.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::smallest_circle;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Senses};
use swarmarium_core::kind::{SearchWords, kind};

/// Meets all other robots with this controller at a place that is not known in advance: robots transmit their
/// positions, and each moves by a rule (Ando, Oasa, Suzuki, Yamashita, "Distributed memoryless point convergence
/// algorithm for mobile robots with limited visibility", IEEE Trans. Robot. Autom. 1999).
///
/// With a `range_m`, a robot moves only so far that the robots that it hears stay within that range: both robots of a
/// pair stay in the circle around the midpoint between them whose diameter is the range, minus the distance that the
/// other one may have moved at the maximum speed since it sent its position. A robot that receives nothing new moves
/// less and less. Robots that follow their commands therefore never lose contact, as long as new packets arrive before
/// the last one is discarded (`max_age_s` of the radio).
///
/// Robots that must turn before they move may be out of range for a moment.
#[kind(Copy, section = "Radio", words = "meet, gather, aggregate, come together")]
pub struct Rendezvous {
    /// Rule of motion. `Circumcenter(gain_per_s)`: towards the centre of the smallest circle around the robot and all
    /// robots that it hears, at a speed of `gain_per_s` times the distance. `Displacements(gain_per_s)`: with the
    /// velocity `gain_per_s` times the sum of the vectors to all robots that it hears.
    pub rule: MeetingRule,
    /// Range within which other robots are kept, between centres, at most that of the radio. `None`: all robots that
    /// are heard count, and the motion is not limited.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    pub range_m: Option<f64>,
    /// Maximum speed; faster velocities are scaled down.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.1)]
    pub max_speed_m_per_s: f64,
}

/// The rule by which a robot meets others.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum MeetingRule {
    /// Towards the centre of the smallest circle around itself and all robots that it hears, with a speed proportional
    /// to the distance (Ando et al. 1999).
    Circumcenter {
        /// Ratio of speed to distance.
        #[reflect(@Limits::up_to(1e3))]
        gain_per_s: f64,
    },
    /// With the sum of the vectors to all robots that it hears, times the gain. Without loss of packets, the robots
    /// meet at the centroid of their initial positions (Olfati-Saber, Murray, "Consensus problems in networks of agents
    /// with switching topology and time-delays", IEEE Trans. Autom. Control 2004).
    Displacements {
        /// Gain of each vector.
        #[reflect(@Limits::up_to(1e3))]
        gain_per_s: f64,
    },
}

impl Default for MeetingRule {
    fn default() -> Self {
        Self::Circumcenter { gain_per_s: 1.0 }
    }
}

/// The memory of a robot that meets others.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    /// The step of the last decision.
    decided_at: u64,
}

/// Another robot, from its last packet.
#[derive(Clone, Copy)]
struct Other {
    position: DVec2,
    age_steps: u64,
}

/// The robots that a robot hears.
fn others(senses: Senses<'_>) -> impl Iterator<Item = Other> + Clone {
    senses.heard.packets.iter().filter_map(move |packet| {
        let &[x, y] = packet.numbers.as_slice() else { return None };
        let position = DVec2::new(x, y);
        position.is_finite().then(|| Other {
            position: senses.pose.position_m + senses.way_to(position),
            age_steps: packet.age_steps(senses.time.step),
        })
    })
}

impl Rendezvous {
    /// The desired velocity (m/s).
    fn velocity(&self, position: DVec2, others: impl Iterator<Item = DVec2> + Clone) -> DVec2 {
        let wanted = match self.rule {
            MeetingRule::Circumcenter { gain_per_s } => {
                let center = smallest_circle(std::iter::once(position).chain(others));
                center.map_or(DVec2::ZERO, |(center, _)| gain_per_s * (center - position))
            }
            MeetingRule::Displacements { gain_per_s } => {
                gain_per_s * others.map(|other| other - position).sum::<DVec2>()
            }
        };
        wanted.clamp_length_max(self.max_speed_m_per_s)
    }
}

/// The distance (m) that a robot may move in a direction of length 1 to stay in the circle around the midpoint between
/// it and another one; 0 if it is outside the circle and does not approach it.
fn room_m(position: DVec2, direction: DVec2, other: DVec2, diameter_m: f64) -> f64 {
    let half = (other - position) / 2.0;
    let (along, across, radius) = (half.dot(direction), half.perp_dot(direction), diameter_m.max(0.0) / 2.0);
    let chord = radius * radius - across * across;
    if chord < 0.0 { 0.0 } else { (along + chord.sqrt()).max(0.0) }
}

impl Controller for Rendezvous {
    type Memory = Meeting;
    const COMMANDS: CommandForm = CommandForm::Course;
    const NEEDS_RADIO: bool = true;

    fn command(&self, memory: &mut Meeting, senses: Senses) -> Command {
        let (position, dt_s) = (senses.pose.position_m, senses.time.dt_s);
        let until_next_s = senses.since_s(&mut memory.decided_at);
        let range_m = self.range_m.unwrap_or(f64::INFINITY);
        let others = others(senses).filter(|other| other.position.distance(position) <= range_m);
        let mut velocity = self.velocity(position, others.clone().map(|other| other.position));
        if let (Some(range_m), Some(direction)) = (self.range_m, velocity.try_normalize()) {
            let most_m = |other: Other| {
                let moved_m = self.max_speed_m_per_s * other.age_steps as f64 * dt_s;
                room_m(position, direction, other.position, range_m - moved_m)
            };
            let room_m = others.map(most_m).fold(f64::INFINITY, f64::min);
            velocity = velocity.clamp_length_max(room_m / until_next_s);
        }
        Command::Course { x_m_per_s: velocity.x, y_m_per_s: velocity.y, turn_rad_per_s: 0.0 }
    }

    fn message(&self, _: &mut Meeting, senses: Senses, message: &mut Vec<f64>) {
        let DVec2 { x, y } = senses.pose.position_m;
        message.extend([x, y]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use swarmarium_core::agent::Pose;
    use swarmarium_core::radio::{Heard, Packet};
    use swarmarium_core::time::SimTime;

    use super::*;

    fn packet(sender: u32, sent_step: u64, position: DVec2) -> Packet {
        Packet { sender, sent_step, numbers: vec![position.x, position.y].into(), ..Packet::default() }
    }

    fn command(rendezvous: &Rendezvous, step: u64, at: DVec2, packets: &[Packet]) -> DVec2 {
        let (pose, time) = (Pose { position_m: at, heading_rad: 0.0 }, SimTime { step, dt_s: 0.1 });
        let heard = Heard { packets, turn: Some(1) };
        let senses = Senses { pose: &pose, time: &time, heard, ..Senses::of(&[]) };
        let mut memory = Meeting { decided_at: step - 1 };
        match rendezvous.command(&mut memory, senses) {
            Command::Course { x_m_per_s, y_m_per_s, .. } => DVec2::new(x_m_per_s, y_m_per_s),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rendezvous_drives_to_the_circumcenter_or_along_the_sum_of_vectors() {
        let packets = [packet(1, 4, DVec2::new(2.0, 0.0)), packet(2, 4, DVec2::new(1.0, 0.5))];
        let circle = Rendezvous { max_speed_m_per_s: 10.0, ..Rendezvous::default() };
        assert_eq!(command(&circle, 5, DVec2::ZERO, &packets), DVec2::X);
        let ways = Rendezvous { rule: MeetingRule::Displacements { gain_per_s: 0.5 }, ..circle };
        assert_eq!(command(&ways, 5, DVec2::ZERO, &packets), DVec2::new(1.5, 0.25));
        let slow = Rendezvous { max_speed_m_per_s: 0.2, ..circle };
        assert_eq!(command(&slow, 5, DVec2::ZERO, &packets), DVec2::X * 0.2);
        assert_eq!(command(&circle, 5, DVec2::ZERO, &[]), DVec2::ZERO);
        let ranged = Rendezvous { range_m: Some(1.5), ..circle };
        let near = command(&ranged, 5, DVec2::ZERO, &packets);
        assert!((near - DVec2::new(0.5, 0.25)).length() < 1e-12, "a robot beyond the range does not count: {near}");
    }

    #[test]
    fn rendezvous_moves_less_with_older_packets() {
        let rendezvous = Rendezvous { range_m: Some(1.0), max_speed_m_per_s: 0.2, ..Rendezvous::default() };
        // The circle is around the robots on the right; the one on the left is far behind.
        let speed = |age: u64| {
            let packets = [packet(1, 99, DVec2::new(0.9, 0.0)), packet(2, 100 - age, DVec2::new(-0.7, 0.0))];
            command(&rendezvous, 100, DVec2::ZERO, &packets).x
        };
        assert!(speed(1) > 0.09 && speed(5) > 0.09, "{} {}", speed(1), speed(5));
        assert!(speed(15) < 1e-9, "{}: after 1.5 s the other may be 0.3 m away", speed(15));
    }

    proptest! {
        /// Robots that all hear each other in range at each step never lose each other.
        #[test]
        fn rendezvous_keeps_pairs_in_range(robots in prop::collection::vec((0.0..2.0_f64, 0.0..2.0_f64), 2..8)) {
            let range_m = 1.0;
            let rendezvous =
                Rendezvous { rule: MeetingRule::Circumcenter { gain_per_s: 5.0 }, range_m: Some(range_m), max_speed_m_per_s: 0.5 };
            let mut robots: Vec<DVec2> = robots.into_iter().map(DVec2::from).collect();
            for step in 2..60 {
                let packets: Vec<_> =
                    robots.iter().enumerate().map(|(robot, at)| packet(robot as u32, step - 1, *at)).collect();
                let hears = |robot: usize, other: usize| robot != other && robots[robot].distance(robots[other]) <= range_m;
                let move_of = |robot: usize| {
                    let heard: Vec<_> =
                        packets.iter().filter(|packet| hears(robot, packet.sender as usize)).cloned().collect();
                    command(&rendezvous, step, robots[robot], &heard)
                };
                let moved: Vec<_> = (0..robots.len()).map(|robot| robots[robot] + 0.1 * move_of(robot)).collect();
                for one in 0..robots.len() {
                    for other in (0..one).filter(|other| hears(one, *other)) {
                        prop_assert!(moved[one].distance(moved[other]) <= range_m + 1e-9);
                    }
                }
                robots = moved;
            }
        }

        #[test]
        fn rendezvous_keeps_its_speed_limit_for_any_packet(numbers in prop::collection::vec(prop::num::f64::ANY, 0..4)) {
            let packets = [Packet { sender: 1, numbers: numbers.into(), ..Packet::default() }];
            let rendezvous = Rendezvous { range_m: Some(1.0), ..Rendezvous::default() };
            let found = command(&rendezvous, 9, DVec2::ZERO, &packets);
            prop_assert!(found.length() <= 0.1 + 1e-12);
        }
    }
}
