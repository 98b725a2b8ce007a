//! Swarmalators: oscillators that synchronise and swarm.

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{direction, sin_cos};
use swarmarium_core::agent::outputs::Outputs;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Senses};
use swarmarium_core::kind::{SearchWords, kind};

use super::oscillator::{Phase, told};

/// Moves towards others with a similar phase, away from all that are near, and changes its phase by those of others,
/// the more the nearer they are (O'Keeffe, Hong, Strogatz: "Oscillators that sync and swarm", Nature Communications 8,
/// 2017).
///
/// Each robot transmits its phase, and its radio must measure the positions of senders. The colour of an LED goes round
/// with the phase.
///
/// # Formula
/// ```math
/// v = \frac{1}{N} \sum_{j} \left( 1 + J \cos(\theta_j - \theta) - \frac{1}{d_j} \right) u_j
/// \qquad
/// \dot{\theta} = \frac{K}{N} \sum_{j} \frac{\sin(\theta_j - \theta)}{d_j}
/// ```
/// $v$ is the velocity of the robot in m/s, $\theta$ its phase, $\theta_j$ the phase of another robot, $u_j$ the unit vector
/// towards it and $d_j$ the distance in metres. $N$ is the number of robots that it hears plus one. A robot at the same point
/// counts in $N$, and adds nothing to the sums.
#[kind(Copy, section = "Swarm", words = "phase, synchronise, oscillator, pattern")]
pub struct Swarmalator {
    /// J: influence of phases on the attraction.
    #[reflect(@Limits::between(-1e3, 1e3))]
    #[default(1.0)]
    pub attraction: f64,
    /// K: coupling of the phases.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub coupling_rad_per_s: f64,
    /// Initial phase; `None`: random.
    #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
    pub phase_rad: Option<f64>,
}

impl Controller for Swarmalator {
    type Memory = Phase;
    const COMMANDS: CommandForm = CommandForm::Course;
    const NEEDS_RADIO: bool = true;
    const NEEDS_BEARINGS: bool = true;
    const SETS_OUTPUTS: bool = true;

    fn command(&self, memory: &mut Phase, senses: Senses) -> Command {
        let phase_rad = memory.current(self.phase_rad, senses);
        let (mut velocity, mut rate, mut count) = (DVec2::ZERO, 0.0, 1.0);
        for packet in senses.heard.packets {
            count += 1.0;
            let (Some(other), squared) = (told(packet), packet.from_m.length_squared()) else { continue };
            if squared > 0.0 {
                let (sin, cos) = sin_cos(other - phase_rad);
                let nearness = 1.0 / squared.sqrt();
                velocity += packet.from_m * (nearness * (1.0 + self.attraction * cos - nearness));
                rate += sin * nearness;
            }
        }
        let elapsed_s = senses.since_s(&mut memory.decided_at);
        memory.advance(self.coupling_rad_per_s / count * rate, elapsed_s);
        // The radio measures positions in the frame of the body.
        let DVec2 { x: x_m_per_s, y: y_m_per_s } = direction(senses.pose.heading_rad).rotate(velocity / count);
        Command::Course { x_m_per_s, y_m_per_s, turn_rad_per_s: 0.0 }
    }

    fn message(&self, memory: &mut Phase, senses: Senses, message: &mut Vec<f64>) {
        message.push(memory.current(self.phase_rad, senses));
    }

    fn outputs(&self, memory: &Phase, _: Senses, outputs: &mut Outputs) {
        memory.light(outputs);
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::radio::{Heard, Packet};
    use swarmarium_core::time::SimTime;

    use super::*;

    /// The distance of two swarmalators after a time, and the difference of their phases.
    fn pair(swarmalator: Swarmalator, mut distance_m: f64, mut apart_rad: f64, time_s: f64) -> (f64, f64) {
        const DT_S: f64 = 0.001;
        for _ in 0..(time_s / DT_S) as u64 {
            let mut memory = Phase { phase_rad: Some(0.0), ..Phase::default() };
            let packet = Packet { from_m: DVec2::X * distance_m, numbers: vec![apart_rad].into(), ..Packet::default() };
            let (packets, time) = ([packet], SimTime { step: 1, dt_s: DT_S });
            let senses = Senses { time: &time, heard: Heard { packets: &packets, turn: None }, ..Senses::of(&[]) };
            let Command::Course { x_m_per_s, y_m_per_s, .. } = swarmalator.command(&mut memory, senses) else {
                panic!()
            };
            assert_eq!(y_m_per_s, 0.0);
            // The other robot does the opposite.
            distance_m -= 2.0 * x_m_per_s * DT_S;
            apart_rad -= 2.0 * memory.phase_rad.unwrap();
        }
        (distance_m, apart_rad)
    }

    #[test]
    fn two_swarmalators_rest_where_the_formula_says() {
        let of = |coupling_rad_per_s| Swarmalator { attraction: 0.5, coupling_rad_per_s, phase_rad: None };
        let (distance_m, apart_rad) = pair(of(1.0), 0.8, 1.0, 120.0);
        assert!((distance_m - 1.0 / 1.5).abs() < 1e-9 && apart_rad.abs() < 1e-9, "{distance_m} {apart_rad}");
        let (distance_m, apart_rad) = pair(of(-1.0), 0.8, 1.0, 120.0);
        assert!((distance_m - 1.0 / 0.5).abs() < 1e-9 && (apart_rad - PI).abs() < 1e-9, "{distance_m} {apart_rad}");
        let (distance_m, apart_rad) = pair(of(0.0), 0.8, 1.0, 120.0);
        let expected = 1.0 / (1.0 + 0.5 * swarmarium_base::math::cos(1.0));
        assert!((distance_m - expected).abs() < 1e-9 && apart_rad == 1.0, "{distance_m}");
    }
}
