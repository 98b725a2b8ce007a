//! Motion models, which turn commands into movement.

use crate::agent::contact::Anchored;
use std::any::TypeId;

use bevy::ecs::query::QueryItem;
use bevy::math::DVec2;
use bevy::prelude::*;

pub use self::differential_drive::Wheels;
pub use self::moving::Moving;
use swarmarium_base::id::StableId;
use swarmarium_base::math::{angle_of, cos, sin, sin_cos, wrap_angle};
use swarmarium_space::Space;

use crate::agent::contact::{Dead, Touched};
use crate::agent::failure::Frozen;
use crate::agent::{Command, CommandForm, Displacement, Pose, Row, STRAIGHT};
use crate::kind::{Family, FamilyTable, KindType};
use crate::random::{Seed, Stream};

use self::moving::{Motor, Now};
pub use crate::state::NoMemory;
use crate::state::{Memory, RegisterState as _};
use crate::step::ActsLater;
use crate::step::columns::{plain, tables};
use crate::step::plan::{AddKernel as _, Duty, StepContext};

pub mod differential_drive;
pub mod double_integrator;
pub mod holonomic;
pub mod moving;
pub mod stationary;
pub mod unicycle;

/// The kinds of motion models, which turn commands into movement.
#[derive(TypePath)]
pub struct MotionFamily;

impl Family for MotionFamily {
    const NAME: &'static str = "motion";
    type Common = Moving;
    type Entry = MotionKind;
}

/// A motion model. One file: parameters, [`integrate`](MotionModel::integrate), tests.
///
/// The guide "Write a motion model" of the book has a complete program.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// /// Moves along its heading and never turns.
/// #[kind]
/// struct Train {}
///
/// impl MotionModel for Train {
///     type Memory = NoMemory;
///     const ACCEPTS: &'static [CommandForm] = &[CommandForm::Drive];
///
///     fn integrate(&self, _: &mut NoMemory, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
///         let Command::Drive { v_m_per_s, .. } = *command else { return *pose };
///         swarmarium_core::motion::along_arc(pose, v_m_per_s, 0.0, dt_s)
///     }
/// }
/// ```
pub trait MotionModel: KindType {
    /// Memory from step to step, such as a velocity; [`NoMemory`] for models without inertia.
    type Memory: Memory;

    /// The command forms that it accepts; the first one is its native form.
    const ACCEPTS: &'static [CommandForm];

    /// Whether other bodies push the robot aside. A robot that is not pushed still pushes others.
    const IS_PUSHED: bool = true;

    /// The pose after following a command for `dt_s` seconds.
    fn integrate(&self, memory: &mut Self::Memory, pose: &Pose, command: &Command, dt_s: f64) -> Pose;

    /// As [`integrate`](Self::integrate), for a robot in a space, which knows where it faces: a model along
    /// [arcs](along_arc_in) is faster with this one.
    #[inline]
    fn integrate_in(
        &self,
        memory: &mut Self::Memory,
        (pose, _place): (&Pose, Place),
        command: &Command,
        dt_s: f64,
    ) -> Pose {
        self.integrate(memory, pose, command, dt_s)
    }

    /// Whether it draws random numbers: then [`integrate_drawing`](Self::integrate_drawing) moves its robots.
    const DRAWS: bool = false;

    /// As [`integrate`](Self::integrate), for a model with [`DRAWS`](Self::DRAWS).
    fn integrate_drawing(
        &self,
        memory: &mut Self::Memory,
        pose: &Pose,
        command: &Command,
        dt_s: f64,
        _draws: Draws,
    ) -> Pose {
        self.integrate(memory, pose, command, dt_s)
    }

    /// Receives the displacement in the last step, with collisions, before the next step.
    fn after_step(&self, _memory: &mut Self::Memory, _displacement_m: DVec2) {}

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }
}

/// The random numbers of one robot at one step.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    seed: Seed,
    owner: StableId,
    step: u64,
}

impl Draws {
    /// The random numbers of a robot at a step.
    pub const fn new(seed: Seed, owner: StableId, step: u64) -> Self {
        Self { seed, owner, step }
    }

    /// The stream for a purpose at this step.
    pub fn stream(self, purpose: &str) -> Stream {
        self.seed.stream(self.owner, purpose).at_step(self.step)
    }

    /// The stream for a purpose of the whole life of the robot: the same numbers at each step.
    pub fn stream_of_life(self, purpose: &str) -> Stream {
        self.seed.stream(self.owner, purpose)
    }
}

/// The place of a robot in the space: its row there.
#[derive(Clone, Copy)]
pub struct Place<'a>(Option<(&'a Space, usize)>);

impl Place<'_> {
    /// No place, of a robot that is in no space.
    pub const NONE: Self = Self(None);

    /// Cosine and sine of the direction `course_rad`, if the robot faces there.
    #[inline]
    fn facing(self, course_rad: f64) -> Option<DVec2> {
        let (space, row) = self.0?;
        let is_ahead = space.bodies.headings().get(row)?.to_bits() == course_rad.to_bits();
        is_ahead.then(|| space.bodies.facings()[row])
    }
}

/// Registers motion models.
pub trait AddMotionModel {
    /// Adds a motion model: its system, in order of registration, and its name in scenes.
    fn add_motion_model<K: MotionModel>(&mut self) -> &mut Self;
}

/// The entry of a motion model in the table of its family.
#[derive(Clone, Copy)]
pub struct MotionKind {
    /// Its name in scenes.
    pub name: &'static str,
    /// The command forms that it accepts.
    pub accepts: &'static [CommandForm],
    /// Whether it has wheels with turn counters.
    pub has_wheels: bool,
}

/// The motion models.
pub type MotionKinds = FamilyTable<MotionFamily>;

impl AddMotionModel for App {
    fn add_motion_model<K: MotionModel>(&mut self) -> &mut Self {
        let world = self.world_mut();
        let entry = MotionKind {
            name: K::short_type_path(),
            accepts: K::ACCEPTS,
            has_wheels: TypeId::of::<K::Memory>() == TypeId::of::<Wheels>(),
        };
        let kind =
            MotionKinds::add::<K>(world, |model| model.downcast_ref::<K>().and_then(MotionModel::problem), entry);
        if !K::IS_PUSHED {
            world.register_required_components::<K, Anchored>();
        }
        world.register_required_components::<K, K::Memory>();
        self.register_kind::<MotionFamily, K>().register_memory::<K::Memory>();
        if K::DRAWS {
            self.add_kernel(Duty::Move, kind, move_drawing_agents::<K>)
        } else {
            self.add_kernel(Duty::Move, kind, move_agents::<K>)
        }
    }
}

/// Components that movement reads and writes.
type Moved<'a, K> = (
    &'a Row,
    &'a K,
    &'a mut <K as MotionModel>::Memory,
    &'a Command,
    &'a mut Pose,
    &'a mut Displacement,
    Option<(&'a Moving, &'a StableId, &'a mut Motor, &'a Touched)>,
    Has<Frozen>,
);

/// Components of one agent.
type MovedItem<'w, 's, K> = QueryItem<'w, 's, Moved<'static, K>>;

/// Agents with motion models of one kind, as columns.
type MovedColumns<'a, K> = (
    &'a [Row],
    &'a [K],
    &'a mut [<K as MotionModel>::Memory],
    &'a [Command],
    &'a mut [Pose],
    &'a mut [Displacement],
    Option<(&'a [Moving], &'a [StableId], &'a mut [Motor], &'a [Touched])>,
);

/// Moves agents with motion models of one kind: one agent, or all.
fn move_agents<K: MotionModel>(
    InMut(StepContext { arena, workers, turn }): InMut<StepContext>,
    mut agents: Query<(Moved<'static, K>, Has<ActsLater>, Has<Dead>)>,
) {
    let now = Now { seed: arena.seed, time: &arena.time, space: &arena.space };
    let is_suspended = arena.suspended.is_some();
    if let Some(agent) = *turn {
        if let Ok((agent, ..)) = agents.get_mut(agent) {
            move_next::<K>(agent, None, now, is_suspended);
        }
        return;
    }
    for (agents, acts_later, is_dead) in tables(&mut agents) {
        let (rows, models, memories, commands, poses, moved, settings, are_frozen) = agents;
        if acts_later || is_dead {
            continue;
        }
        let moved = plain(moved);
        if are_frozen || is_suspended {
            moved.fill(Displacement(DVec2::ZERO));
            continue;
        }
        let settings = settings.map(|(moving, owners, motors, touched)| (moving, owners, plain(motors), touched));
        let columns: MovedColumns<K> = (rows, models, plain(memories), commands, plain(poses), moved, settings);
        workers
            .in_pieces(columns, models.len(), &mut Vec::new(), |columns, (): &mut ()| move_piece(columns, None, now));
    }
}

/// As [`move_agents`], for a model that draws random numbers: it needs the stable ids.
fn move_drawing_agents<K: MotionModel>(
    InMut(StepContext { arena, workers, turn }): InMut<StepContext>,
    mut agents: Query<(Moved<'static, K>, &'static StableId, Has<ActsLater>, Has<Dead>)>,
) {
    let now = Now { seed: arena.seed, time: &arena.time, space: &arena.space };
    let is_suspended = arena.suspended.is_some();
    if let Some(agent) = *turn {
        if let Ok((agent, owner, ..)) = agents.get_mut(agent) {
            move_next::<K>(agent, Some(*owner), now, is_suspended);
        }
        return;
    }
    for (agents, owners, acts_later, is_dead) in tables(&mut agents) {
        let (rows, models, memories, commands, poses, moved, settings, are_frozen) = agents;
        if acts_later || is_dead {
            continue;
        }
        let moved = plain(moved);
        if are_frozen || is_suspended {
            moved.fill(Displacement(DVec2::ZERO));
            continue;
        }
        let settings = settings.map(|(moving, owners, motors, touched)| (moving, owners, plain(motors), touched));
        let columns: MovedColumns<K> = (rows, models, plain(memories), commands, plain(poses), moved, settings);
        workers.in_pieces((columns, owners), models.len(), &mut Vec::new(), |(columns, owners), (): &mut ()| {
            move_piece(columns, Some(owners), now);
        });
    }
}

/// Moves the agents of a piece; their stable ids are needed only for models that draw random numbers.
fn move_piece<K: MotionModel>(
    (rows, models, memories, commands, poses, moved, mut settings): MovedColumns<K>,
    owners: Option<&[StableId]>,
    now: Now,
) {
    let together = rows.iter().zip(models).zip(memories).zip(commands).zip(poses).zip(moved);
    for (place, (((((row, model), memory), command), pose), moved)) in together.enumerate() {
        let settings = settings.as_mut().map(|(moving, owners, motors, touched)| {
            (&moving[place], &owners[place], &mut motors[place], &touched[place])
        });
        let owner = if K::DRAWS { owners.map(|owners| owners[place]) } else { None };
        move_one((row, model, memory, command, pose, moved, settings), owner, now);
    }
}

/// Moves one agent.
fn move_next<K: MotionModel>(
    (row, model, mut memory, command, mut pose, mut moved, settings, is_frozen): MovedItem<K>,
    owner: Option<StableId>,
    now: Now,
    is_suspended: bool,
) {
    if is_frozen || is_suspended {
        moved.0 = DVec2::ZERO;
        return;
    }
    let settings = settings.map(|(moving, owner, motor, touched)| (moving, owner, motor.into_inner(), touched));
    move_one((row, model, &mut memory, command, &mut pose, &mut moved, settings), owner, now);
}

#[inline(always)]
fn move_one<K: MotionModel>(
    (row, model, memory, command, pose, moved, settings): (
        &Row,
        &K,
        &mut K::Memory,
        &Command,
        &mut Pose,
        &mut Displacement,
        Option<(&Moving, &StableId, &mut Motor, &Touched)>,
    ),
    owner: Option<StableId>,
    now: Now,
) {
    model.after_step(memory, moved.0);
    let after = match settings {
        None if K::DRAWS => {
            let Some(owner) = owner else { return };
            model.integrate_drawing(memory, pose, command, now.time.dt_s, now.draws(owner))
        }
        None => {
            let place = Place(Some((now.space, row.0 as usize)));
            model.integrate_in(memory, (pose, place), command, now.time.dt_s)
        }
        Some((moving, owner, motor, touched)) => {
            moving.integrate((model, memory, pose, *command), (motor, *touched), (*owner, now))
        }
    };
    moved.0 = after.position_m - pose.position_m;
    *pose = after;
}

/// Gain of the turn rate towards a course: rad/s per radian (Swarm Robot Project Simulator).
const STEERING_PER_S: f64 = 4.0;

/// Speed (m/s) and turn rate (rad/s) that steer a robot, which drives along its heading only, onto a course.
#[inline(never)]
pub fn steering(course_m_per_s: DVec2, heading_rad: f64) -> (f64, f64) {
    if course_m_per_s == DVec2::ZERO {
        return (0.0, 0.0);
    }
    // A robot turns right to a course exactly behind it.
    let off = -wrap_angle(heading_rad - angle_of(course_m_per_s));
    (course_m_per_s.length() * cos(off).max(0.0), STEERING_PER_S * off)
}

/// Moves along the arc of constant speed and turn rate; exact (RobotSwarmSimulator `MazeAgent`; Siegwart, Nourbakhsh,
/// Scaramuzza: "Introduction to autonomous mobile robots").
#[inline]
pub fn along_arc(pose: &Pose, v_m_per_s: f64, turn_rad_per_s: f64, dt_s: f64) -> Pose {
    along_arc_in((pose, Place::NONE), v_m_per_s, turn_rad_per_s, dt_s)
}

/// As [`along_arc`], in a space: a robot that drives straight needs no cosine and sine but those of its heading.
#[inline]
pub fn along_arc_in((pose, place): (&Pose, Place), v_m_per_s: f64, turn_rad_per_s: f64, dt_s: f64) -> Pose {
    let turn = turn_rad_per_s * dt_s;
    let half = turn / 2.0;
    let course_rad = pose.heading_rad + half;
    let (sin, cos, chord) = if turn_rad_per_s.abs() > STRAIGHT {
        let (sin_half, (sin, cos)) = (sin(half), sin_cos(course_rad));
        (sin, cos, 2.0 * sin_half * v_m_per_s / turn_rad_per_s)
    } else {
        let (sin, cos) = match place.facing(course_rad) {
            Some(DVec2 { x: cos, y: sin }) => (sin, cos),
            None => sin_cos(course_rad),
        };
        (sin, cos, v_m_per_s * dt_s)
    };
    Pose { position_m: pose.position_m + chord * DVec2::new(cos, sin), heading_rad: pose.heading_rad + turn }
}

/// Adds the motion models and their state.
pub fn plugin(app: &mut App) {
    app.register_parameters::<Moving>("motion/common").register_state::<Motor>("motor");
    app.add_motion_model::<unicycle::Unicycle>()
        .add_motion_model::<differential_drive::DifferentialDrive>()
        .add_motion_model::<double_integrator::DoubleIntegrator>()
        .add_motion_model::<holonomic::Holonomic>()
        .add_motion_model::<stationary::Static>();
}
