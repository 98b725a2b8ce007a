//! Flocking by a Lennard-Jones potential, with range and bearing of neighbours measured by radio.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Senses};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::radio::Packet;
use swarmarium_core::state::NoMemory;

/// Keeps a distance from its neighbours and aligns its heading with theirs: a Lennard-Jones potential as in the ARGoS
/// example `footbot_flocking`, with alignment in place of the light source.
///
/// Robots transmit their heading, and measure the distance and the bearing of the senders: the radio must be `situated`.
/// The speed of the left wheel is the forward part of the desired velocity minus its part to the left, that of the right
/// wheel their sum.
///
/// # Formula
/// ```math
/// v = v_0 \, e + \frac{1}{N} \sum_{j} \left( a \, h_j - \frac{g}{r_j} (u_j^2 - u_j) \, b_j \right)
/// \qquad
/// u_j = \left( \frac{d}{r_j} \right)^2
/// ```
/// $v$ is the desired velocity, limited to `max_speed_m_per_s`, and $e$ the heading of the robot as a unit vector. $r_j$ is
/// the distance to robot $j$, $b_j$ the unit vector towards it, $h_j$ its heading as a unit vector, and $N$ the number of
/// robots that are heard. $v_0$ is `forward_m_per_s`, $a$ `alignment_m_per_s`, $g$ `gain_m2_per_s` and $d$ `distance_m`.
#[kind(Copy, section = "Swarm", words = "flock, distance keeping, pattern, crystal, argos")]
pub struct LennardJones {
    /// d: distance between neighbours.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(0.5)]
    pub distance_m: f64,
    /// Strength of repulsion and attraction.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(0.1)]
    pub gain_m2_per_s: f64,
    /// Speed of the robot without neighbours.
    #[reflect(@Limits::between(-1e3, 1e3))]
    #[default(0.025)]
    pub forward_m_per_s: f64,
    /// Speed along the mean heading of the neighbours if they are all aligned.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.05)]
    pub alignment_m_per_s: f64,
    /// Maximum speed of the robot and of each wheel.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.1)]
    pub max_speed_m_per_s: f64,
    /// Number of headings that can be transmitted; the nearest one is sent. 0: unlimited.
    #[reflect(@Limits::between(0.0, 1e9))]
    #[default(65_536)]
    pub heading_levels: u32,
}

impl LennardJones {
    /// The contribution of another robot to the velocity (m/s) of a robot with the given heading, if it transmits a
    /// heading.
    #[inline]
    fn pull(&self, heading_rad: f64, packet: &Packet) -> Option<DVec2> {
        let (&[their_heading_rad], way) = (packet.numbers.as_slice(), packet.from_m) else { return None };
        let inverse = 1.0 / way.length_squared();
        let u = self.distance_m * self.distance_m * inverse;
        let force = -self.gain_m2_per_s * (u * u - u) * inverse * way;
        let pull = force + self.alignment_m_per_s * direction(their_heading_rad - heading_rad);
        // A robot at the same place has no bearing.
        pull.is_finite().then_some(pull)
    }

    /// The desired velocity (m/s), in the frame of the body.
    fn velocity(&self, heading_rad: f64, packets: &[Packet]) -> DVec2 {
        let (mut sum, mut count) = (DVec2::ZERO, 0);
        for pull in packets.iter().filter_map(|packet| self.pull(heading_rad, packet)) {
            sum += pull;
            count += 1;
        }
        let mean = if count > 0 { sum / f64::from(count) } else { DVec2::ZERO };
        (DVec2::X * self.forward_m_per_s + mean).clamp_length_max(self.max_speed_m_per_s)
    }
}

impl Controller for LennardJones {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Wheels;
    const NEEDS_RADIO: bool = true;
    const NEEDS_BEARINGS: bool = true;

    fn command(&self, _: &mut NoMemory, senses: Senses) -> Command {
        let DVec2 { x, y } = self.velocity(senses.pose.heading_rad, senses.heard.packets);
        let wheel = |speed: f64| speed.clamp(-self.max_speed_m_per_s, self.max_speed_m_per_s);
        Command::Wheels { left_m_per_s: wheel(x - y), right_m_per_s: wheel(x + y) }
    }

    fn message(&self, _: &mut NoMemory, senses: Senses, message: &mut Vec<f64>) {
        let (heading_rad, steps) = (senses.pose.heading_rad, f64::from(self.heading_levels));
        message.push(if steps > 0.0 { (heading_rad / TAU * steps).round() / steps * TAU } else { heading_rad });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use swarmarium_base::math::{angle_of, cos, sin};
    use swarmarium_core::radio::Heard;
    use swarmarium_scene::scene::{Scene, reader};

    use super::*;
    use crate::testing;

    const RADIUS_M: f64 = 0.085_036_758;
    const DT_S: f64 = 0.1;

    fn scene(at: &[(f64, f64, f64)], radio: &str) -> Scene {
        let text = format!(
            "(time: (dt_s: {DT_S}), groups: [(name: \"foot-bots\", at: {at:?}, body: Disc(radius_m: {RADIUS_M}),
                motion: DifferentialDrive(axle_m: 0.14), controller: LennardJones(), radio: ({radio}
                    loss: Disc(range_m: 1.0, line_of_sight: true), schedule: Periodic(period_s: 0.1), max_age_s: 0.1))])"
        );
        reader::read(testing::standard().kinds(), "test", &text).unwrap_or_else(|problems| panic!("{problems}"))
    }

    /// Whether a disc around `center` covers a point of the segment to `end`.
    fn hides(center: DVec2, end: DVec2) -> bool {
        let nearest = end * (center.dot(end) / end.length_squared()).clamp(0.0, 1.0);
        (center - nearest).length() < RADIUS_M
    }

    /// One step of all robots, in centimetres, as the formulas define it; returns how many links were blocked.
    fn step(poses: &mut [(f64, f64, f64)]) -> usize {
        let (before, mut hidden) = (poses.to_vec(), 0);
        for (own, pose) in poses.iter_mut().enumerate() {
            let (x, y, heading) = *pose;
            let way = |other: usize| DVec2::new(before[other].0 - x, before[other].1 - y);
            let (mut attraction, mut alignment, mut heard) = (DVec2::ZERO, DVec2::ZERO, 0.0);
            let others = || (0..before.len()).filter(|other| *other != own);
            for other in others().filter(|other| way(*other).length() <= 1.0) {
                if others().any(|third| third != other && hides(way(third), way(other))) {
                    hidden += 1;
                    continue;
                }
                let (r, bearing) = (100.0 * way(other).length(), angle_of(way(other)) - heading);
                let u = (50.0 / r) * (50.0 / r);
                attraction += -(1000.0 / r) * (u * u - u) * direction(bearing);
                let told = (before[other].2 * 65536.0 / TAU).round() * TAU / 65536.0;
                alignment += direction(told - heading);
                heard += 1.0;
            }
            let mut v = DVec2::new(2.5, 0.0);
            if heard > 0.0 {
                v += attraction / heard + 0.5 * 10.0 * alignment / heard;
            }
            if v.length() > 10.0 {
                v *= 10.0 / v.length();
            }
            let (left, right) = ((v.x - v.y).clamp(-10.0, 10.0) / 100.0, (v.x + v.y).clamp(-10.0, 10.0) / 100.0);
            let (speed, turn) = ((left + right) / 2.0, (right - left) / 0.14);
            let radius = speed / turn;
            let after = heading + turn * DT_S;
            *pose = (x + radius * (sin(after) - sin(heading)), y - radius * (cos(after) - cos(heading)), after);
        }
        hidden
    }

    #[test]
    fn lennard_jones_follows_its_formulas() {
        // The last one is between the first two.
        let mut expected =
            [(4.0, 5.0, 0.3), (4.6, 5.1, 2.0), (5.3, 5.0, -1.0), (4.4, 5.7, 0.1), (4.7, 4.4, 3.0), (4.3, 5.05, 0.7)];
        let mut simulation = testing::simulation(&scene(&expected, "situated: true,")).unwrap();
        let mut hidden = 0;
        for round in 0..10 {
            hidden += step(&mut expected);
            simulation.step(1);
            for (agent, (x, y, heading)) in simulation.agents().zip(expected) {
                let pose = agent.pose;
                assert!(
                    (pose.position_m - DVec2::new(x, y)).length() < 1e-9 && (pose.heading_rad - heading).abs() < 1e-8,
                    "step {round}: {pose:?}, not {x} {y} {heading}"
                );
            }
        }
        assert!(hidden > 0);
    }

    #[test]
    fn lennard_jones_needs_a_situated_radio() {
        let problems = testing::simulation(&scene(&[(4.0, 5.0, 0.0)], "")).err().unwrap().to_string();
        assert!(problems.contains("set `situated: true` in its radio"), "{problems}");
    }

    fn wheels(packets: &[Packet]) -> (f64, f64) {
        let senses = Senses { heard: Heard { packets, turn: Some(1) }, ..Senses::of(&[]) };
        match LennardJones::default().command(&mut NoMemory, senses) {
            Command::Wheels { left_m_per_s, right_m_per_s } => (left_m_per_s, right_m_per_s),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lennard_jones_only_aligns_with_a_neighbour_at_the_distance() {
        let packet = |x, y| Packet { from_m: DVec2::new(x, y), numbers: vec![0.0].into(), ..Packet::default() };
        assert_eq!(wheels(&[]), (0.025, 0.025));
        assert_eq!(wheels(&[packet(0.5, 0.0)]), (0.025 + 0.05, 0.025 + 0.05));
        let (left, right) = wheels(&[packet(0.0, 0.4)]);
        assert!(left > right, "it turns away from a robot that is too near on the left");
        let (left, right) = wheels(&[packet(0.0, 0.7)]);
        assert!(left < right, "it turns to a robot that is too far to the left");
        assert_eq!(wheels(&[packet(0.0, 0.0)]), (0.025, 0.025));
    }

    #[test]
    fn lennard_jones_sends_quantised_headings() {
        let pose = swarmarium_core::agent::Pose { heading_rad: 1.0, ..swarmarium_core::agent::Pose::default() };
        let told = |heading_levels| {
            let mut message = Vec::new();
            let senses = Senses { pose: &pose, ..Senses::of(&[]) };
            LennardJones { heading_levels, ..LennardJones::default() }.message(&mut NoMemory, senses, &mut message);
            message[0]
        };
        assert_eq!([told(4), told(0)], [TAU / 4.0, 1.0]);
        assert!((told(65_536) - 1.0).abs() <= TAU / 131_072.0 && told(65_536) != 1.0);
    }

    proptest! {
        #[test]
        fn lennard_jones_keeps_its_speed_limit_for_any_packet(
            numbers in prop::collection::vec(prop::num::f64::ANY, 0..3),
            (x, y) in (prop::num::f64::ANY, prop::num::f64::ANY),
        ) {
            let packet = Packet { from_m: DVec2::new(x, y), numbers: numbers.into(), ..Packet::default() };
            let (left, right) = wheels(&[packet]);
            prop_assert!(left.abs() <= 0.1 && right.abs() <= 0.1, "{left} {right}");
        }
    }
}
