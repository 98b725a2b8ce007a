//! Settings that all motion models share: delay, motion variation and effects of collisions.

use std::collections::VecDeque;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::{Limits, MAX_NUMBER};
use swarmarium_base::variant::Variant;
use swarmarium_space::{Space, ThingKind};

use super::MotionModel;
use crate::agent::contact::Touched;
use crate::agent::{Command, Pose};
use crate::kind::SkipIfEmpty;
use crate::random::Seed;
use crate::time::SimTime;
use crate::time::rate::steps;

/// Inputs of a step that are the same for all agents.
#[derive(Clone, Copy)]
pub(super) struct Now<'a> {
    pub seed: Seed,
    pub time: &'a SimTime,
    pub space: &'a Space,
}

/// Settings that all motion models share.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
#[component(on_remove = Motor::forget)]
#[require(Motor, Touched)]
pub struct Moving {
    /// Delay from a command to its effect in steps, in addition to `delay_s`. Until the first command is due, the robot
    /// already follows it (RobotSwarmSimulator `delay`).
    #[reflect(@Limits::between(0.0, 100_000.0))]
    pub delay_steps: u32,
    /// Delay from a command to its effect, rounded to steps.
    #[reflect(@Limits::between(0.0, 3600.0))]
    pub delay_s: f64,
    /// Whether the robot stops for one step after each step with a collision. It can still turn.
    pub stop_on_collision: bool,
    /// Whether a collision kills the robot and the agent that it hits. Dead agents neither move nor sense, and remain
    /// as obstacles.
    pub catastrophic_collisions: bool,
    /// Whether the robot stands still while it is at a goal of its own.
    pub stop_at_goal: bool,
    /// Deviation of this robot from others of its model.
    pub motion_variation: MotionVariation,
    /// The largest force with which the robot pushes movable objects. Empty: as large as it takes.
    #[reflect(@SkipIfEmpty)]
    #[reflect(@Limits::up_to(MAX_NUMBER))]
    pub push_force_n: Option<f64>,
}

/// Factors that each robot draws once from normal distributions.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct MotionVariation {
    /// Meaning of the factors. `Corrected`: they scale the speed and the turn rate. `Classic`, as in
    /// RobotSwarmSimulator: the first factor scales displacement along x; the second scales displacement along y, the
    /// turn rate, and the speed on arcs.
    pub variant: Variant,
    /// Factor of the speed.
    pub speed: Factor,
    /// Factor of the turn rate.
    pub turn: Factor,
}

/// A normal distribution.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Factor {
    /// The mean.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub mean: f64,
    /// The standard deviation.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub std_dev: f64,
}

impl Default for Factor {
    fn default() -> Self {
        Self { mean: 1.0, std_dev: 0.0 }
    }
}

/// Memory of the motor of a robot.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Motor {
    /// Commands that are not yet in effect, oldest first.
    waiting: VecDeque<Command>,
    /// Deviates drawn for its motion variation, from the standard normal distribution; `None` until first used.
    deviates: Option<[f64; 2]>,
}

impl Moving {
    /// The pose after a step with a command.
    pub(super) fn integrate<K: MotionModel>(
        &self,
        (model, memory, pose, command): (&K, &mut K::Memory, &Pose, Command),
        (motor, touched): (&mut Motor, Touched),
        (owner, Now { seed, time, space }): (StableId, Now),
    ) -> Pose {
        let command = motor.delayed(command, self.delay(time.dt_s));
        let (command, stretch) = self.motion_variation.bend(command, || motor.deviates(seed, owner));
        if self.stop_at_goal && is_at_goal(space, owner) {
            return *pose;
        }
        let mut after = model.integrate(memory, pose, &command, time.dt_s);
        if self.stop_on_collision && touched.0 {
            after.position_m = pose.position_m;
        } else if stretch != DVec2::ONE {
            after.position_m = pose.position_m + (after.position_m - pose.position_m) * stretch;
        }
        after
    }

    /// The largest force (N) with which a robot with these settings, or none, pushes; infinite for no limit.
    pub fn force_n(settings: Option<&Self>) -> f64 {
        settings.and_then(|settings| settings.push_force_n).unwrap_or(f64::INFINITY)
    }

    /// Delay from a command to its effect, in steps.
    pub fn delay(&self, dt_s: f64) -> usize {
        self.delay_steps as usize + steps(self.delay_s, dt_s) as usize
    }
}

/// Whether an agent was at one of its own goals at the end of the last step.
fn is_at_goal(space: &Space, owner: StableId) -> bool {
    let mut goals = space.things.iter().filter(|thing| thing.what == ThingKind::Goal);
    StableId::agent(owner.index()) == owner && goals.any(|goal| goal.inside.binary_search(&owner.index()).is_ok())
}

impl MotionVariation {
    /// The varied command, and the factors of the displacement along each axis.
    fn bend(&self, command: Command, deviates: impl FnOnce() -> [f64; 2]) -> (Command, DVec2) {
        if *self == Self::default() {
            return (command, DVec2::ONE);
        }
        let drawn = deviates();
        let [first, last] = [(self.speed, drawn[0]), (self.turn, drawn[1])]
            .map(|(Factor { mean, std_dev }, deviate)| mean + std_dev * deviate);
        match self.variant {
            Variant::Corrected => (command.scaled(first, last), DVec2::ONE),
            Variant::Classic => {
                let speed = if command.turns() { last } else { 1.0 };
                (command.scaled(speed, last), DVec2::new(first, last))
            }
        }
    }
}

impl Motor {
    /// Clears the commands of a robot that loses its delay: a later delay starts from scratch.
    fn forget(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
        if let Some(mut motor) = world.get_mut::<Self>(entity) {
            motor.waiting.clear();
        }
    }

    /// Queues a command and returns the one of `delay` steps before.
    fn delayed(&mut self, command: Command, delay: usize) -> Command {
        let Self { waiting, .. } = self;
        if delay == 0 {
            waiting.clear();
            return command;
        }
        waiting.push_back(command);
        // At the start, and after the delay has grown, the oldest command is repeated.
        let oldest = waiting.front().copied().unwrap_or(command);
        while waiting.len() <= delay {
            waiting.push_front(oldest);
        }
        waiting.drain(..waiting.len() - delay - 1);
        waiting.pop_front().unwrap_or(command)
    }

    fn deviates(&mut self, seed: Seed, owner: StableId) -> [f64; 2] {
        *self.deviates.get_or_insert_with(|| {
            // Results depend on the name of the stream, so it keeps the former name of the field.
            let mut random = seed.stream(owner, "idiosyncrasy");
            [random.normal(), random.normal()]
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use swarmarium_space::{Boundary, Field};

    use super::super::unicycle::Unicycle;
    use super::*;
    use crate::state::NoMemory;

    fn drive(v_m_per_s: f64) -> Command {
        Command::Drive { v_m_per_s, turn_rad_per_s: 0.3 }
    }

    fn step(moving: &Moving, motor: &mut Motor, pose: &Pose, command: Command, touched: bool) -> Pose {
        let time = SimTime { step: 1, dt_s: 1.0 / 40.0 };
        let space = Space::new(Field::new(DVec2::ONE, Boundary::Open));
        let now = Now { seed: Seed(1), time: &time, space: &space };
        moving.integrate(
            (&Unicycle {}, &mut NoMemory, pose, command),
            (motor, Touched(touched)),
            (StableId::agent(0), now),
        )
    }

    /// One step of stock RobotSwarmSimulator 1.2.5.
    #[test]
    fn classic_factors_stretch_the_axes_of_the_world() {
        let factor = |mean| Factor { mean, std_dev: 0.0 };
        let variant = Variant::Classic;
        let motion_variation = MotionVariation { variant, speed: factor(0.9), turn: factor(0.8) };
        let moving = Moving { motion_variation, ..Default::default() };
        let start = Pose { position_m: DVec2::splat(5.0), heading_rad: 0.5 };
        let pose = step(&moving, &mut Motor::default(), &start, drive(1.0), false);
        assert!((pose.position_m - DVec2::new(5.015_770_5, 5.007_712_89)).length() < 1e-8, "{pose:?}");
        assert!((pose.heading_rad - 0.506).abs() < 1e-15);
    }

    #[test]
    fn factors_are_of_speed_and_turn_and_each_robot_has_its_own() {
        let factor = |mean, std_dev| Factor { mean, std_dev };
        let motion_variation =
            MotionVariation { speed: factor(0.5, 0.0), turn: factor(2.0, 0.0), ..Default::default() };
        let moving = Moving { motion_variation, ..Default::default() };
        let pose = step(&moving, &mut Motor::default(), &Pose::default(), drive(1.0), false);
        let expected = Command::Drive { v_m_per_s: 0.5, turn_rad_per_s: 0.6 };
        assert_eq!(pose, Unicycle {}.integrate(&mut NoMemory, &Pose::default(), &expected, 1.0 / 40.0));
        let drawn: Vec<f64> =
            (0..4000).flat_map(|index| Motor::default().deviates(Seed(3), StableId::agent(index))).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let variance = drawn.iter().map(|drawn| (drawn - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
        assert!(mean.abs() < 0.04 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
    }

    #[test]
    fn after_a_collision_it_only_turns() {
        let moving = Moving { stop_on_collision: true, ..Default::default() };
        let mut motor = Motor::default();
        let stopped = step(&moving, &mut motor, &Pose::default(), drive(1.0), true);
        assert_eq!(stopped.position_m, DVec2::ZERO);
        assert!(stopped.heading_rad > 0.0);
        assert!(step(&moving, &mut motor, &Pose::default(), drive(1.0), false).position_m.x > 0.0);
    }

    #[test]
    fn a_delay_that_changes_holds_the_oldest_command_or_drops_it() {
        let mut motor = Motor::default();
        let mut late = |v, delay| motor.delayed(drive(v), delay);
        assert_eq!([late(1.0, 1), late(2.0, 1), late(3.0, 1)], [drive(1.0), drive(1.0), drive(2.0)]);
        assert_eq!([late(4.0, 3), late(5.0, 3), late(6.0, 3)], [drive(3.0), drive(3.0), drive(3.0)]);
        assert_eq!([late(7.0, 3), late(8.0, 1), late(9.0, 0)], [drive(4.0), drive(7.0), drive(9.0)]);
    }

    proptest! {
        #[test]
        fn a_delay_is_a_shift(delay in 0_usize..20, commands in proptest::collection::vec(-1.0..1.0_f64, 1..60)) {
            let mut motor = Motor::default();
            for (step, v) in commands.iter().enumerate() {
                let expected = commands[step.saturating_sub(delay)];
                prop_assert_eq!(motor.delayed(drive(*v), delay), drive(expected));
            }
        }
    }
}
