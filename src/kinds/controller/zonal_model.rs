//! Self-propelled particles that turn by the robots around them.

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::angle_of;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Senses};
use swarmarium_core::kind::{SearchWords, SensorSlot, kind};

use super::turning::Decided;
use crate::sensor::zone::ZoneSums;

/// Turns away from robots that are too near, and otherwise into the headings of its neighbours and towards those
/// farther away (Couzin et al.: "Collective memory and spatial sorting in animal groups", Journal of Theoretical
/// Biology 218, 2002, in the plane).
///
/// Up to three sensors `Zone` read the positions and headings of the robots. If any robot is in the zone of repulsion,
/// the desired direction is opposite to the sum of the unit vectors towards these robots. Otherwise it is that of the
/// sum of the headings in the zone of orientation, plus the sum of the unit vectors towards the robots in the zone of
/// attraction. A robot without a desired direction keeps its heading. Noise is added to the desired direction, and the
/// robot turns towards it within the time between its decisions, if `max_turn_rad_per_s` allows. Before the second
/// decision, the time of one step counts.
///
/// With a zone of orientation alone that includes the robot itself, uniform noise, and the motion model
/// `SelfPropelledPoint` with `turning: AfterMoving` or `BeforeMoving`, this is the model of Vicsek et al. ("Novel type
/// of phase transition in a system of self-driven particles", Physical Review Letters 75, 1995).
#[kind(Copy, section = "Swarm", words = "couzin, flock, fish, school, attraction, repulsion")]
pub struct ZonalModel {
    /// Speed of the robot.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.1)]
    pub v_m_per_s: f64,
    /// Slot of the `Zone` of repulsion; `None` without one.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Zone)]
    pub repulsion: Option<u32>,
    /// Slot of the `Zone` of orientation; `None` without one.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Zone)]
    pub orientation: Option<u32>,
    /// Slot of the `Zone` of attraction; `None` without one.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Zone)]
    pub attraction: Option<u32>,
    /// Noise that is added to the desired direction, drawn at every decision. `Without`: none. `Uniform(width_rad)`: a
    /// uniform distribution from −`width_rad` / 2 to `width_rad` / 2 (η in the literature is this width).
    /// `Gaussian(std_dev_rad)`: a normal distribution about 0 with this standard deviation.
    #[default(TurnNoise::Without)]
    pub noise: TurnNoise,
    /// Maximum turn rate; `None`: the robot can turn by any angle.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub max_turn_rad_per_s: Option<f64>,
}

/// Noise of a direction, drawn at every decision.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum TurnNoise {
    /// No noise.
    #[default]
    Without,
    /// A uniform distribution about 0.
    Uniform {
        /// Width of the distribution, η: from −η / 2 to η / 2.
        #[reflect(@Limits::between(0.0, 2.0 * PI))]
        width_rad: f64,
    },
    /// A normal distribution about 0.
    Gaussian {
        /// Standard deviation.
        #[reflect(@Limits::between(0.0, 1e3))]
        std_dev_rad: f64,
    },
}

impl ZonalModel {
    /// The desired direction, anticlockwise from the heading (rad).
    fn desired_rad(&self, senses: Senses) -> f64 {
        let too_near = ZoneSums::of(senses, self.repulsion);
        let desired = if too_near.count > 0.0 {
            -too_near.directions
        } else {
            ZoneSums::of(senses, self.orientation).headings + ZoneSums::of(senses, self.attraction).directions
        };
        if desired == DVec2::ZERO { 0.0 } else { angle_of(desired) }
    }

    fn noise_rad(&self, senses: Senses) -> f64 {
        match self.noise {
            TurnNoise::Without => 0.0,
            TurnNoise::Uniform { width_rad } => width_rad * (senses.random("zonal model").unit() - 0.5),
            TurnNoise::Gaussian { std_dev_rad } => std_dev_rad * senses.random("zonal model").normal(),
        }
    }
}

impl Controller for ZonalModel {
    type Memory = Decided;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, memory: &mut Decided, senses: Senses) -> Command {
        let turn_rad = self.desired_rad(senses) + self.noise_rad(senses);
        memory.turn_by(turn_rad, (self.v_m_per_s, self.max_turn_rad_per_s), senses)
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::time::SimTime;

    use super::*;

    const DT_S: f64 = 0.1;

    /// The turn in one step for the readings of three zones.
    fn turn_rad(model: &ZonalModel, readings: [[f64; 7]; 3]) -> f64 {
        let readings: [&[f64]; 3] = [&readings[0], &readings[1], &readings[2]];
        let time = SimTime { step: 1, dt_s: DT_S };
        let senses = Senses { time: &time, ..Senses::of(&readings) };
        let Command::Drive { turn_rad_per_s, .. } = model.command(&mut Decided::default(), senses) else { panic!() };
        turn_rad_per_s * DT_S
    }

    const MODEL: ZonalModel = ZonalModel {
        v_m_per_s: 1.0,
        repulsion: Some(0),
        orientation: Some(1),
        attraction: Some(2),
        noise: TurnNoise::Without,
        max_turn_rad_per_s: None,
    };
    const EMPTY: [f64; 7] = [0.0; 7];

    fn one(direction_rad: f64, heading_rad: f64) -> [f64; 7] {
        let ([to, heading], [x, y]) = ([direction_rad, heading_rad].map(swarmarium_base::math::direction), [0.0; 2]);
        [1.0, to.x, to.y, heading.x, heading.y, x, y]
    }

    #[test]
    fn repulsion_comes_before_the_other_zones() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        near(turn_rad(&MODEL, [EMPTY; 3]), 0.0);
        near(turn_rad(&MODEL, [one(1.0, 0.0), one(0.5, 0.5), EMPTY]), 1.0 - PI);
        near(turn_rad(&MODEL, [EMPTY, one(2.0, 0.5), EMPTY]), 0.5);
        near(turn_rad(&MODEL, [EMPTY, EMPTY, one(-0.7, 2.0)]), -0.7);
        near(turn_rad(&MODEL, [EMPTY, one(2.0, 0.2), one(0.6, 2.0)]), 0.4);
        let slow = ZonalModel { max_turn_rad_per_s: Some(2.0), ..MODEL };
        near(turn_rad(&slow, [EMPTY, one(2.0, 0.5), EMPTY]), 0.2);
        near(turn_rad(&slow, [EMPTY, one(2.0, -0.1), EMPTY]), -0.1);
    }

    #[test]
    fn noise_of_directions_has_its_width() {
        let draws = |noise| {
            let model = ZonalModel { noise, ..MODEL };
            let draw = |step| {
                let time = SimTime { step, dt_s: DT_S };
                model.noise_rad(Senses { time: &time, ..Senses::of(&[]) })
            };
            (1..=4000).map(draw).collect::<Vec<f64>>()
        };
        let uniform = draws(TurnNoise::Uniform { width_rad: 2.0 });
        assert!(uniform.iter().all(|drawn| drawn.abs() <= 1.0));
        let variance = |drawn: &[f64]| drawn.iter().map(|drawn| drawn * drawn).sum::<f64>() / drawn.len() as f64;
        assert!((variance(&uniform) - 1.0 / 3.0).abs() < 0.03, "{}", variance(&uniform));
        let gaussian = draws(TurnNoise::Gaussian { std_dev_rad: 0.5 });
        assert!((variance(&gaussian) - 0.25).abs() < 0.03, "{}", variance(&gaussian));
    }
}
