//! Settings that all motion models share: delay, motion variation, motion noise and effects of collisions.

use std::collections::VecDeque;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::{Limits, MAX_NUMBER};
use swarmarium_base::math::direction;
use swarmarium_base::variant::Variant;
use swarmarium_space::{Space, ThingKind};

use super::{Draws, MotionModel};
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

impl Now<'_> {
    /// The random numbers of an agent at this step.
    pub(super) fn draws(self, owner: StableId) -> Draws {
        Draws::new(self.seed, owner, self.time.step)
    }
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
    /// Slip, and noise of the motors.
    #[reflect(@SkipIfEmpty)]
    pub motion_noise: MotionNoise,
    /// Largest force with which the robot pushes movable objects. `None`: unlimited.
    #[reflect(@SkipIfEmpty, @Limits::between(0.0, MAX_NUMBER))]
    pub push_force_n: Option<f64>,
}

/// Slip, systematic errors and noise of a movement, in proportion to the distance and the turn of the robot: a robot
/// that stands still has none.
///
/// Variances grow in proportion to the distance and the turn (Chong, Kleeman: "Accurate odometry and error modelling for a
/// mobile robot", ICRA 1997), so that they do not depend on the length of a step. A steady turn per metre is the effect
/// of wheels of unequal diameters (Borenstein, Feng: "Measurement and correction of systematic odometry errors in mobile
/// robots", IEEE Transactions on Robotics and Automation 1996).
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionNoise {
    /// Share of each displacement that is lost to slip.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub slip: f64,
    /// Share of each turn that is lost to slip.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub turn_slip: f64,
    /// Steady turn per metre travelled, anticlockwise: the mean over all robots.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub veer_rad_per_m: f64,
    /// Standard deviation of the steady turn per metre between robots; each robot draws it once.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub veer_std_dev_rad_per_m: f64,
    /// Standard deviation of the distance travelled after one metre; after s metres, it is √s times as large.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub along_std_dev_m: f64,
    /// Standard deviation of the displacement to the side after one metre; it grows as `along_std_dev_m`.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub across_std_dev_m: f64,
    /// Standard deviation of the heading after one metre; it grows as `along_std_dev_m`.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub heading_std_dev_rad: f64,
    /// Standard deviation of the heading after a turn of one radian; after α radians, √α times as large.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub turn_std_dev_rad: f64,
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
    /// Mean of the factor over all robots; 1 leaves commands unchanged on average.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub mean: f64,
    /// Standard deviation of the factor between robots.
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
        (owner, now): (StableId, Now),
    ) -> Pose {
        let Now { time, space, .. } = now;
        let command = motor.delayed(command, self.delay(time.dt_s));
        let is_exact = self.is_exact();
        let (command, stretch) = match is_exact {
            true => (command, DVec2::ONE),
            false => self.motion_variation.bend(command, || motor.deviates(now.seed, owner)),
        };
        if self.stop_at_goal && is_at_goal(space, owner) {
            return *pose;
        }
        let mut after = if K::DRAWS {
            model.integrate_drawing(memory, pose, &command, time.dt_s, now.draws(owner))
        } else {
            model.integrate(memory, pose, &command, time.dt_s)
        };
        let stops = self.stop_on_collision && touched.0;
        if stops {
            after.position_m = pose.position_m;
        }
        if is_exact {
            after
        } else {
            self.deviate(pose, &after, if stops { DVec2::ONE } else { stretch }, now.draws(owner))
        }
    }

    /// Whether robots move as commanded, without variation and noise. It is decided by bits, which is fast; −0 counts as
    /// a deviation, of no effect.
    fn is_exact(&self) -> bool {
        let MotionVariation { speed, turn, .. } = self.motion_variation;
        let one = 1.0_f64.to_bits();
        let zeros = [speed.std_dev, turn.std_dev].into_iter().chain(self.motion_noise.values());
        let off =
            zeros.fold((speed.mean.to_bits() ^ one) | (turn.mean.to_bits() ^ one), |off, zero| off | zero.to_bits());
        off == 0 && self.motion_variation.variant == Variant::default()
    }

    /// The pose after variation and noise of a movement.
    #[cold]
    fn deviate(&self, before: &Pose, after: &Pose, stretch: DVec2, draws: Draws) -> Pose {
        let mut after = *after;
        if stretch != DVec2::ONE {
            after.position_m = before.position_m + (after.position_m - before.position_m) * stretch;
        }
        if self.motion_noise == MotionNoise::default() { after } else { self.motion_noise.apply(before, &after, draws) }
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

impl MotionNoise {
    fn values(&self) -> [f64; 8] {
        let Self { slip, turn_slip, veer_rad_per_m, veer_std_dev_rad_per_m, .. } = *self;
        let Self { along_std_dev_m, across_std_dev_m, heading_std_dev_rad, turn_std_dev_rad, .. } = *self;
        let [a, b, c, d] = [along_std_dev_m, across_std_dev_m, heading_std_dev_rad, turn_std_dev_rad];
        [slip, turn_slip, veer_rad_per_m, veer_std_dev_rad_per_m, a, b, c, d]
    }

    /// The pose after a movement with slip and noise.
    ///
    /// A movement of the way s and the turn α gets the heading error ε with the variance h² s + t² |α|. The way turns by
    /// ε / 2, and the displacement to the side has the further variance c² s + (h² s + t² |α|) s² / 12, so that the
    /// variances of a straight movement are the same in any number of steps: h² s of the heading, h² s³ / 3 + c² s to the
    /// side, for small errors.
    fn apply(&self, before: &Pose, after: &Pose, draws: Draws) -> Pose {
        let commanded_m = after.position_m - before.position_m;
        let turn = after.heading_rad - before.heading_rad;
        let way_m = (1.0 - self.slip) * commanded_m;
        let (length, turned) = (way_m.length(), (1.0 - self.turn_slip) * turn);
        if length == 0.0 && turned == 0.0 {
            return Pose { position_m: before.position_m, heading_rad: before.heading_rad + turned };
        }
        let mut veer = self.veer_rad_per_m;
        if self.veer_std_dev_rad_per_m > 0.0 {
            veer += self.veer_std_dev_rad_per_m * draws.stream_of_life("veer").normal();
        }
        let is_reverse = way_m.dot(direction(before.heading_rad + turn / 2.0)) < 0.0;
        let veered = if is_reverse { -veer * length } else { veer * length };
        let mut stream = draws.stream("motion noise");
        let [of_heading, of_side, of_way] = [stream.normal(), stream.normal(), stream.normal()];
        let variance = self.heading_std_dev_rad.powi(2) * length + self.turn_std_dev_rad.powi(2) * turned.abs();
        let off = turned - turn + veered + variance.sqrt() * of_heading;
        let side = (self.across_std_dev_m.powi(2) * length + variance * length.powi(2) / 12.0).sqrt() * of_side;
        let along = self.along_std_dev_m * length.sqrt() * of_way;
        let ahead = if length > 0.0 { way_m / length } else { DVec2::ZERO };
        let moved_m = direction(off / 2.0).rotate(way_m) + along * ahead + side * ahead.perp();
        Pose { position_m: before.position_m + moved_m, heading_rad: after.heading_rad + off }
    }
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

    /// A robot that drives a way and a turn in a number of steps with motion noise.
    fn noisy(noise: MotionNoise, (way_m, turn_rad): (f64, f64), steps: u64, number: u32) -> Pose {
        (1..=steps).fold(Pose::default(), |pose, step| {
            let (v, turn) = (way_m / steps as f64, turn_rad / steps as f64);
            let after = super::super::along_arc(&pose, v, turn, 1.0);
            noise.apply(&pose, &after, Draws::new(Seed(9), StableId::agent(number), step))
        })
    }

    #[test]
    fn slip_and_veer_are_shares_of_the_way_and_the_turn() {
        let slip = MotionNoise { slip: 0.25, turn_slip: 0.5, ..Default::default() };
        assert_eq!(noisy(slip, (2.0, 0.0), 1, 0), Pose { position_m: DVec2::new(1.5, 0.0), heading_rad: 0.0 });
        assert_eq!(noisy(slip, (0.0, 2.0), 1, 0), Pose { position_m: DVec2::ZERO, heading_rad: 1.0 });
        // A straight way becomes an arc.
        let veer = MotionNoise { veer_rad_per_m: 0.5, ..Default::default() };
        for way_m in [2.0, -2.0] {
            let pose = noisy(veer, (way_m, 0.0), 2000, 0);
            let arc = super::super::along_arc(&Pose::default(), way_m, 0.5 * way_m, 1.0);
            assert!(
                (pose.position_m - arc.position_m).length() < 1e-6 && (pose.heading_rad - 0.5 * way_m).abs() < 1e-9
            );
        }
        let all = MotionNoise { turn_std_dev_rad: 1.0, along_std_dev_m: 1.0, across_std_dev_m: 1.0, ..slip };
        assert_eq!(noisy(all, (0.0, 0.0), 5, 0), Pose::default(), "a robot that stands");
    }

    #[test]
    fn the_variances_of_motion_noise_do_not_depend_on_the_step() {
        let noise = MotionNoise {
            along_std_dev_m: 0.02,
            across_std_dev_m: 0.03,
            heading_std_dev_rad: 0.01,
            turn_std_dev_rad: 0.05,
            ..Default::default()
        };
        let (way_m, robots) = (4.0_f64, 3000);
        let of = |moved, steps, value: &dyn Fn(&Pose) -> f64| {
            let values = (0..robots).map(|number| value(&noisy(noise, moved, steps, number)));
            values.map(|value| value * value).sum::<f64>() / f64::from(robots)
        };
        for steps in [1, 8, 32] {
            let straight = (way_m, 0.0);
            // h² s³ / 3 + c² s to the side.
            let side = 0.01_f64.powi(2) * way_m.powi(3) / 3.0 + 0.03_f64.powi(2) * way_m;
            let found = [
                (of(straight, steps, &|pose| pose.heading_rad), 0.01_f64.powi(2) * way_m),
                (of(straight, steps, &|pose| pose.position_m.y), side),
                (of(straight, steps, &|pose| pose.position_m.x - way_m), 0.02_f64.powi(2) * way_m),
                (of((0.0, 3.0), steps, &|pose| pose.heading_rad - 3.0), 0.05_f64.powi(2) * 3.0),
            ];
            for (variance, expected) in found {
                // Five standard errors of a variance.
                assert!(
                    (variance / expected - 1.0).abs() < 5.0 * (2.0 / 3000.0_f64).sqrt(),
                    "{steps}: {variance} {expected}"
                );
            }
        }
        let veer = MotionNoise { veer_std_dev_rad_per_m: 0.2, ..Default::default() };
        let variance = (0..robots).map(|number| noisy(veer, (1.0, 0.0), 4, number).heading_rad.powi(2)).sum::<f64>();
        assert!((variance / f64::from(robots) / 0.04 - 1.0).abs() < 5.0 * (2.0 / 3000.0_f64).sqrt());
    }

    #[test]
    fn a_robot_without_variation_and_noise_moves_exactly() {
        assert!(Moving { delay_steps: 3, stop_on_collision: true, ..Default::default() }.is_exact());
        let noise = |motion_noise| Moving { motion_noise, ..Default::default() };
        assert!(!noise(MotionNoise { turn_std_dev_rad: 1e-3, ..Default::default() }).is_exact());
        let factor = |mean| Factor { mean, std_dev: 0.0 };
        let variation = |motion_variation| Moving { motion_variation, ..Default::default() };
        assert!(!variation(MotionVariation { turn: factor(0.9), ..Default::default() }).is_exact());
        assert!(!variation(MotionVariation { variant: Variant::Classic, ..Default::default() }).is_exact());
        let slipping = noise(MotionNoise { slip: 0.5, ..Default::default() });
        let pose = step(
            &slipping,
            &mut Motor::default(),
            &Pose::default(),
            Command::Drive { v_m_per_s: 1.0, turn_rad_per_s: 0.0 },
            false,
        );
        assert_eq!(pose.position_m, DVec2::new(0.5 / 40.0, 0.0));
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
