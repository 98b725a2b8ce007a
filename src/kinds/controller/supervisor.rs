//! Supervisor: a state machine that chooses among behaviours.
//!
//! It is defined by data: states with one behaviour each, and named conditions for the transitions between them.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::problem::Problems;
use swarmarium_core::agent::outputs::Outputs;
use swarmarium_core::agent::{Command, CommandForm, Pose};
use swarmarium_core::controller::behaviour::{
    BehaviourFamily, BehaviourOutput, Decision, Gains, Side, Situation, Steering,
};
use swarmarium_core::controller::{Controller, ControllerView, Senses};
use swarmarium_core::events::EventKind;
use swarmarium_core::kind::{Kinds, ObjectName, SearchWords, SensorSlot, SkipIfEmpty, Slot, kind};
use swarmarium_core::random::Draws;
use swarmarium_core::sensor::infrared::Infrared;
use swarmarium_picture::Picture;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::presets::{Preset, PresetError, SUPERVISORS};
use swarmarium_scene::scene::reader;
use swarmarium_space::{Field, InfraredModel, Thing};
use thiserror::Error;

use crate::behaviour::blend::Blend;
use crate::behaviour::go_to_goal::GoToGoal;

pub mod condition;
mod context;
mod problem;
mod show;

use condition::Condition;
use context::ConditionContext;

/// The reason why a shipped supervisor is not available.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShippedError {
    /// No supervisor has the name.
    #[error(transparent)]
    Preset(#[from] PresetError),
    /// The description of the supervisor is broken.
    #[error(transparent)]
    Problems(#[from] Problems),
}

/// The shipped supervisor of this name.
///
/// # Errors
/// No supervisor has the name, or its description is broken.
pub fn shipped(kinds: &Kinds, name: &str) -> Result<Supervisor, ShippedError> {
    let Preset { source_name, text } = SUPERVISORS.find(None, name)?;
    Ok(reader::read(kinds, &source_name, &text)?)
}

/// Controls a robot by a state machine: drives to a goal, or does what its states define (supervisors of pySimiam).
///
/// At each decision, the transitions of the present state are tested in order. The first one whose condition holds is
/// taken, at most one per decision, and the new state acts at once.
#[kind(section = "Plans", words = "state machine, go to goal, avoid obstacles, pysimiam")]
pub struct Supervisor {
    /// Name of the object to drive to, such as a `Goal`; if several objects share the name, the first one. Empty:
    /// `goal_m`.
    #[reflect(@ObjectName)]
    pub goal: String,
    /// Position of the goal if `goal` is empty.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::ONE)]
    pub goal_m: DVec2,
    /// Speed of the robot.
    #[reflect(@Limits::between(-1e3, 1e3))]
    #[default(0.2)]
    pub v_m_per_s: f64,
    /// Gains of the PID controller that steers.
    pub gains: Gains,
    /// Side of the wall, until a state records another one.
    pub side: Side,
    /// Slot of the infrared sensors.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Infrared)]
    pub infrared: u32,
    /// Slot of a sensor that reads the pose as x, y and heading. `None`: the true pose.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Pose)]
    pub odometry: Option<u32>,
    /// Conditions that transitions can name, each with a `name` and a `test`, such as `Nearer(of: Goal, than_m: 0.05)`.
    /// The section "Conditions" of the page about robots lists the tests.
    #[default(vec![Condition::default()])]
    pub conditions: Vec<Condition>,
    /// States; the first one is the initial state.
    #[default(go_to_goal_and_hold())]
    pub states: Vec<State>,
}

/// One state of a supervisor.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct State {
    /// Name of the state.
    pub name: String,
    /// Behaviour in this state.
    pub behaviour: Slot<BehaviourFamily>,
    /// Condition under which the distance to the goal and the side of the nearest obstacle are recorded; empty: never.
    pub record_when: String,
    /// Outputs that the state sets when it is entered, and at each decision.
    #[reflect(@SkipIfEmpty)]
    pub outputs: StateOutputs,
    /// Transitions to other states, in order of priority.
    pub transitions: Vec<Transition>,
}

/// Outputs of a robot in a state. `None` leaves an output as it is.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct StateOutputs {
    /// Colour of the LEDs, such as `#e69f00`, or `off`.
    pub led: Option<String>,
    /// Whether the gripper is closed.
    pub grips: Option<bool>,
    /// Fraction of the rate at which the emitter works.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub emission: Option<f64>,
}

impl StateOutputs {
    /// The value of `led` that switches the LEDs off.
    const OFF: &str = "off";

    /// The colour of the LEDs for a text; `None` if they are off, or for a text without meaning.
    fn led(text: &str) -> Option<[u8; 3]> {
        Role::named(text).map(Role::seen).filter(|color| *color != [0; 3])
    }

    /// The first problem, with its field.
    fn problem(&self) -> Option<(&'static str, String)> {
        let text = self.led.as_deref().filter(|text| *text != Self::OFF && Role::named(text).is_none())?;
        Some(("led", format!("{}, or `off`", Role::no_color(text))))
    }

    fn apply(&self, outputs: &mut Outputs) {
        if let Some(text) = &self.led {
            outputs.led = Self::led(text);
        }
        outputs.grips = self.grips.unwrap_or(outputs.grips);
        outputs.emission = self.emission.unwrap_or(outputs.emission);
    }
}

/// A transition to another state.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Transition {
    /// Name of the next state.
    pub to: String,
    /// Name of the condition.
    pub when: String,
}

/// The memory of a supervisor.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
pub struct Mind {
    /// The present state.
    state: String,
    /// The step in which it entered the state.
    entered_at: u64,
    /// The previous state.
    before: String,
    /// The reason of the last transition.
    why: String,
    /// The number of transitions so far.
    switches: u64,
    /// The step of the last decision; 0 before the first.
    decided_at: u64,
    /// The distance to the goal on entry to the state.
    entry_goal_m: f64,
    /// The smallest distance to the goal since then, up to the previous decision.
    best_goal_m: f64,
    /// The recorded distance to the goal.
    recorded_goal_m: f64,
    /// The recorded side.
    side: Option<Side>,
    /// The memory of the PID controller.
    steering: Steering,
    /// The kind of the last behaviour.
    acted: String,
    /// The memory of that behaviour.
    kept: Vec<f64>,
}

impl Default for Mind {
    fn default() -> Self {
        Self {
            state: String::new(),
            entered_at: 0,
            before: String::new(),
            why: String::new(),
            switches: 0,
            decided_at: 0,
            // Nothing is recorded yet: any distance is progress.
            entry_goal_m: f64::MAX,
            best_goal_m: f64::MAX,
            recorded_goal_m: f64::MAX,
            side: None,
            steering: Steering::default(),
            acted: String::new(),
            kept: Vec::new(),
        }
    }
}

impl Mind {
    /// The present state; empty before the first decision.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The number of transitions so far.
    pub fn switches(&self) -> u64 {
        self.switches
    }

    /// Changes to another state.
    fn switch(&mut self, state: &State, why: String, step: u64, goal_m: f64) {
        self.before.clone_from(&self.state);
        self.why = why;
        self.switches += 1;
        self.enter(state, step, goal_m);
    }

    /// Clears the memory of the behaviour if it belongs to another kind: the state was edited.
    fn acts(&mut self, state: &State) {
        let kind = state.behaviour.value().reflect_short_type_path();
        if self.acted != kind {
            kind.clone_into(&mut self.acted);
            self.kept.clear();
        }
    }

    fn enter(&mut self, state: &State, step: u64, goal_m: f64) {
        self.state.clone_from(&state.name);
        self.entered_at = step;
        (self.entry_goal_m, self.best_goal_m) = (goal_m, goal_m);
        self.steering = Steering::default();
        self.kept.clear();
    }
}

impl Default for State {
    fn default() -> Self {
        let behaviour = Slot::new(crate::behaviour::hold::Hold {});
        Self {
            name: String::new(),
            behaviour,
            record_when: String::new(),
            outputs: StateOutputs::default(),
            transitions: Vec::new(),
        }
    }
}

/// The default states: it drives to the goal and stays there.
fn go_to_goal_and_hold() -> Vec<State> {
    let exit = |to: &str, when: &str| Transition { to: to.into(), when: when.into() };
    let go = State {
        name: "go to goal".into(),
        behaviour: Slot::new(GoToGoal {}),
        transitions: vec![exit("hold", "at goal")],
        ..State::default()
    };
    vec![go, State { name: "hold".into(), ..State::default() }]
}

impl Supervisor {
    /// The situation of a robot with this supervisor.
    fn situation<'a>(
        &self,
        mind: &Mind,
        pose: &Pose,
        (arena, infrared_model, objects): (Field, InfraredModel, &[Thing]),
        infrared: Option<(&'a Infrared, &'a [f64])>,
        (readings, decision): (&'a [&'a [f64]], Decision),
    ) -> Situation<'a> {
        let (goal_m, side) = (self.goal_m(objects), mind.side.unwrap_or(self.side));
        let (pose, v_m_per_s) = (*pose, self.v_m_per_s);
        Situation { pose, goal_m, v_m_per_s, side, arena, infrared_model, infrared, readings, decision }
    }

    /// Whether any state drives to the goal.
    pub fn goes_to_goal(&self) -> bool {
        self.states
            .iter()
            .any(|state| state.behaviour.value().is::<GoToGoal>() || state.behaviour.value().is::<Blend>())
    }

    /// The position of its goal: the centre of the object that it names, or else `goal_m`.
    pub fn goal_m(&self, objects: &[Thing]) -> DVec2 {
        if self.goal.is_empty() {
            return self.goal_m;
        }
        objects.iter().find(|object| object.name == self.goal).map_or(self.goal_m, |object| object.position)
    }

    /// The pose of a robot as it estimates it.
    fn believed(&self, pose: &Pose, reading: impl Fn(u32) -> Option<[f64; 3]>) -> Pose {
        match self.odometry.and_then(reading) {
            Some([x, y, heading_rad]) => Pose { position_m: DVec2::new(x, y), heading_rad },
            None => *pose,
        }
    }

    /// The state of a mind, or the first one.
    fn present(&self, mind: &Mind) -> Option<&State> {
        self.state(&mind.state).or(self.states.first())
    }

    fn state(&self, name: &str) -> Option<&State> {
        self.states.iter().find(|state| state.name == name)
    }
}

impl Controller for Supervisor {
    type Memory = Mind;
    const COMMANDS: CommandForm = CommandForm::Drive;
    const KNOWS_INFRARED: bool = true;
    const LOGS: bool = true;
    const SETS_OUTPUTS: bool = true;

    fn states(&self) -> Vec<String> {
        self.states.iter().map(|state| state.name.clone()).collect()
    }

    fn command(&self, mind: &mut Mind, senses: Senses) -> Command {
        let (step, dt_s) = (senses.time.step, senses.since_s(&mut mind.decided_at));
        let Some(present) = self.present(mind) else { return swarmarium_core::controller::Drive::default().into() };
        let pose = self.believed(senses.pose, |slot| senses.slot(slot).try_into().ok());
        let infrared = senses.infrared(self.infrared);
        let decision = Decision { draws: Draws { owner: senses.owner, seed: senses.seed, step }, since_s: dt_s };
        let surroundings = (senses.arena, senses.infrared_model, senses.objects);
        let now = self.situation(mind, &pose, surroundings, infrared, (senses.readings, decision));
        let goal_m = now.goal_distance_m();
        if mind.entered_at == 0 {
            mind.enter(present, step, goal_m);
        } else if present.name != mind.state {
            let why = format!("the state `{}` no longer exists", mind.state);
            mind.switch(present, why, step, goal_m);
        }
        mind.acts(present);
        // Conditions on directions must not change the memory of the behaviour of the state.
        let kept = mind.kept.clone();
        let mut context =
            ConditionContext { supervisor: self, behaviours: senses.behaviours, now, mind, time: *senses.time };
        if !present.record_when.is_empty() && context.holds(&present.record_when) {
            context.note();
        }
        let exit = present.transitions.iter().find(|exit| context.holds(&exit.when));
        let next = exit.and_then(|exit| {
            let state = self.state(&exit.to)?;
            context.mind.kept = kept;
            Some((state, context.reason(&exit.when)))
        });
        let now = context.now;
        let state = match next {
            Some((state, why)) => {
                mind.switch(state, why, step, goal_m);
                state
            }
            None => present,
        };
        mind.acts(state);
        mind.best_goal_m = mind.best_goal_m.min(goal_m);
        match senses.behaviours.act(&state.behaviour, &now, &mut mind.kept) {
            BehaviourOutput::Drive(drive) => drive.into(),
            BehaviourOutput::Steer { angle_rad, v_m_per_s } => {
                let turn_rad_per_s = mind.steering.turn_rad_per_s(self.gains, angle_rad, dt_s);
                Command::Drive { v_m_per_s, turn_rad_per_s }
            }
        }
    }

    fn outputs(&self, mind: &Mind, _: Senses, outputs: &mut Outputs) {
        if let Some(state) = self.present(mind) {
            state.outputs.apply(outputs);
        }
    }

    fn events(&self, mind: &Mind, step: u64, log: &mut dyn FnMut(EventKind, String)) {
        if mind.switches > 0 && mind.entered_at == step {
            log(EventKind::Switch, format!("{} -> {}: {}", mind.before, mind.state, mind.why));
        }
    }

    fn problem(&self) -> Option<String> {
        problem::of(self)
    }

    fn draw(robots: &ControllerView<Self>, picture: &mut Picture) {
        show::draw(robots, picture);
    }
}

#[cfg(test)]
mod tests;
