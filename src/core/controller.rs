//! Controllers, which turn readings and memory into a command.

use std::any::TypeId;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;
use swarmarium_picture::Picture;
use swarmarium_space::Space;

use crate::agent::contact::{Dead, Touched};
use crate::agent::outputs::Outputs;
use crate::agent::{Command, CommandForm, Pose};
use crate::events::EventKind;
use crate::kind::{Family, FamilyTable, KindType, Kinds};
use crate::radio::inbox::Outbox;
use crate::radio::{Heard, Inbox, Turn};
use crate::sensor::infrared::Infrared;
use crate::sensor::names::SensorNames;
use crate::sensor::{Reading, Sensors};
use crate::state::{Memory, RegisterState as _};
use crate::step::columns::{plain, tables};
use crate::step::plan::{AddKernel as _, Duty, StepContext};
use crate::step::{ActsLater, Arena};
use crate::time::rate::MAX_RATE_HZ;
use crate::time::robot::{self, RobotClock};

pub mod behaviour;
pub mod commanded;
pub mod constant;
pub mod external;
pub mod messages;
pub mod outputs;
mod senses;
pub mod view;

pub use behaviour::{AddBehaviour, Behaviour};
pub use senses::Senses;
pub use view::{ControlledAgent, ControllerView};

use behaviour::BehaviourKinds;
use commanded::Commanded;

/// Adds the controllers of the core.
pub fn plugin(app: &mut App) {
    app.register_parameters::<Acting>("controller/common");
    behaviour::plugin(app);
    external::plugin(app);
    messages::plugin(app);
    commanded::plugin(app);
    app.add_controller::<constant::Constant>();
}

/// The kinds of controllers, which turn readings into commands.
#[derive(TypePath)]
pub struct ControllerFamily;

impl Family for ControllerFamily {
    const NAME: &'static str = "controller";
    type Common = Acting;
    type Entry = ControllerKind;
}

/// A controller. One file: parameters, memory if it has any, [`command`](Controller::command), drawing, tests.
///
/// The guide "Write a controller" of the book has a complete program.
///
/// ```
/// # use bevy::prelude::{Component, Reflect};
/// # use swarmarium_simulation::prelude::*;
/// /// Turns faster and faster.
/// #[kind]
/// struct Spin {}
///
/// /// Memory of a `Spin`: the turn rate.
/// #[derive(Component, Reflect, Clone, Default)]
/// struct TurnRate(f64);
///
/// impl Controller for Spin {
///     type Memory = TurnRate;
///     const COMMANDS: CommandForm = CommandForm::Drive;
///
///     fn command(&self, rate: &mut TurnRate, senses: Senses) -> Command {
///         rate.0 += 0.1 * senses.time.dt_s;
///         Command::Drive { v_m_per_s: 0.0, turn_rad_per_s: rate.0 }
///     }
/// }
/// ```
pub trait Controller: KindType {
    /// Memory from step to step; [`NoMemory`](crate::state::NoMemory) for reactive controllers.
    type Memory: Memory;

    /// Form of its commands.
    const COMMANDS: CommandForm;

    /// Form of its commands with these parameters.
    fn command_form(&self) -> CommandForm {
        Self::COMMANDS
    }

    /// Whether it uses contacts: [`Senses::touched`].
    const FEELS_TOUCH: bool = false;

    /// Whether it requires a radio: scenes without one are rejected.
    const NEEDS_RADIO: bool = false;

    /// Whether its radio must measure bearings: scenes in which the radio does not are rejected.
    const NEEDS_BEARINGS: bool = false;

    /// Whether it uses the mounts of infrared sensors: [`Senses::infrared`].
    const KNOWS_INFRARED: bool = false;

    /// Whether it reports [events](Controller::events).
    const LOGS: bool = false;

    /// Whether it sets [outputs](Controller::outputs).
    const SETS_OUTPUTS: bool = false;

    /// Whether it refers to sensors by their names: [`Senses::sensors`].
    const KNOWS_SENSORS: bool = false;

    /// Names that its sensors cannot have, for controllers with [`KNOWS_SENSORS`](Controller::KNOWS_SENSORS).
    const RESERVED_NAMES: &'static [&'static str] = &[];

    /// Whether some of its parameters depend on others: [`settle`](Controller::settle).
    const SETTLES: bool = false;

    /// Whether the command of a host, [`Commanded`], takes the place of its own.
    const OBEYS: bool = false;

    /// Computes the command until the next step.
    fn command(&self, memory: &mut Self::Memory, senses: Senses) -> Command;

    /// Writes its radio message into `message`, which is empty; an empty message is not sent.
    ///
    /// Called at the turns of the radio, possibly before the first decision.
    fn message(&self, _memory: &mut Self::Memory, _senses: Senses, _message: &mut Vec<f64>) {}

    /// Sets the outputs of its robot, after its command. Called only for controllers with
    /// [`SETS_OUTPUTS`](Controller::SETS_OUTPUTS), for robots with parts that have outputs.
    fn outputs(&self, _memory: &Self::Memory, _senses: Senses, _outputs: &mut Outputs) {}

    /// Its estimate of the mean over all robots; empty for controllers without an estimate.
    fn estimate(_memory: &Self::Memory) -> &[f64] {
        &[]
    }

    /// Names of its states, for controllers whose states are parameters.
    fn states(&self) -> Vec<String> {
        Vec::new()
    }

    /// Logs the events of its decision in a step. Called only for controllers with [`LOGS`](Controller::LOGS).
    fn events(&self, _memory: &Self::Memory, _step: u64, _log: &mut dyn FnMut(EventKind, String)) {}

    /// Brings parameters that depend on others in line with them. Called after parameters have changed, and only for
    /// controllers with [`SETTLES`](Controller::SETTLES).
    fn settle(&mut self) {}

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Draws the purpose of all robots with this kind of controller, such as their goal; estimates and plans of single
    /// robots on request. Cannot change anything.
    fn draw(_crew: &ControllerView<Self>, _picture: &mut Picture) {}
}

/// Settings that all controllers share.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Acting {
    /// How often the controller decides, in simulated time or by the clock of its robot: at the step nearest to each
    /// due time. 0 is every step.
    #[reflect(@Limits::between(0.0, MAX_RATE_HZ))]
    pub rate_hz: f64,
    /// Time of the first decision after the start; until then the robot stands still.
    #[reflect(@Limits::between(0.0, 1e9))]
    pub phase_s: f64,
}

impl Acting {
    /// Whether a controller decides at this step. Without own settings it decides at every step; controllers that need
    /// a radio also decide at its turns.
    fn is_due<K: Controller>(settings: Option<&Self>, agent: &AgentItem, now: Now) -> bool {
        let has_turn = || K::NEEDS_RADIO && agent.4.is_some_and(|(_, turn)| turn.now().is_some());
        let Arena { time, seed, .. } = now.arena;
        let clock = agent.5.map(|clock| (clock, *seed, *agent.0));
        settings.is_none_or(|Self { rate_hz, phase_s }| robot::is_due(clock, time, (*rate_hz, *phase_s)) || has_turn())
    }
}

/// Speed and turn rate: parameters that many controllers share.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Drive {
    /// Speed along the heading.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub v_m_per_s: f64,
    /// Turn rate, anticlockwise.
    #[reflect(@Limits::between(-1e3, 1e3))]
    pub turn_rad_per_s: f64,
}

impl From<Drive> for Command {
    #[inline]
    fn from(Drive { v_m_per_s, turn_rad_per_s }: Drive) -> Self {
        Self::Drive { v_m_per_s, turn_rad_per_s }
    }
}

/// Registers controllers.
pub trait AddController {
    /// Adds a controller: its system, in order of registration, its memory and its name in scenes.
    fn add_controller<K: Controller>(&mut self) -> &mut Self;
}

/// The entry of a kind of controller in the table of its family.
#[derive(Clone, Copy)]
pub struct ControllerKind {
    commands: fn(&dyn Reflect) -> CommandForm,
    /// Whether it requires a radio.
    pub needs_radio: bool,
    /// Whether its radio must measure bearings.
    pub needs_bearings: bool,
    /// As [`Controller::RESERVED_NAMES`]; `None` for controllers that do not refer to sensors by their names.
    pub reserved_names: Option<&'static [&'static str]>,
    /// The memory of an agent's controller.
    memory: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn Reflect>,
    states: fn(&dyn Reflect) -> Vec<String>,
    /// As [`Controller::estimate`], of a memory.
    estimate: for<'m> fn(&'m dyn Reflect) -> &'m [f64],
    draw: fn(&World, &Space, view::Wanted, &mut Picture),
}

/// Draws all controllers, kind by kind, with the details that are enabled for single agents.
pub fn draw_all(world: &World, space: &Space, wanted: view::Wanted, picture: &mut Picture) {
    for kind in world.get_resource::<ControllerKinds>().into_iter().flat_map(FamilyTable::iter) {
        (kind.entry.draw)(world, space, wanted, picture);
    }
}

/// The kinds of controllers.
pub type ControllerKinds = FamilyTable<ControllerFamily>;

impl ControllerKinds {
    /// Memory of an agent's controller.
    pub fn memory<'w>(&self, agent: EntityRef<'w>) -> Option<&'w dyn Reflect> {
        (self.of_entity(agent)?.0.memory)(agent)
    }

    /// Form of the commands of a controller.
    pub fn command_form(&self, controller: &dyn Reflect) -> Option<CommandForm> {
        Some((self.of_value(controller)?.commands)(controller))
    }

    /// Names of the states of an agent's controller, where states are parameters.
    pub fn states(&self, agent: EntityRef) -> Vec<String> {
        self.of_entity(agent).map(|(kind, controller)| (kind.states)(controller)).unwrap_or_default()
    }

    /// Estimate of an agent's controller.
    pub fn estimate<'w>(&self, agent: EntityRef<'w>) -> &'w [f64] {
        let estimate = || {
            let (kind, _) = self.of_entity(agent)?;
            Some((kind.estimate)((kind.memory)(agent)?))
        };
        estimate().unwrap_or_default()
    }
}

impl AddController for App {
    fn add_controller<K: Controller>(&mut self) -> &mut Self {
        let world = self.world_mut();
        let entry = ControllerKind {
            commands: |controller| controller.downcast_ref().map_or(K::COMMANDS, K::command_form),
            needs_radio: K::NEEDS_RADIO,
            needs_bearings: K::NEEDS_BEARINGS,
            reserved_names: K::KNOWS_SENSORS.then_some(K::RESERVED_NAMES),
            memory: |agent| agent.get::<K::Memory>().map(|memory| memory as _),
            states: |controller| controller.downcast_ref::<K>().map(Controller::states).unwrap_or_default(),
            estimate: |memory| memory.downcast_ref::<K::Memory>().map(K::estimate).unwrap_or_default(),
            draw: view::draw_all::<K>,
        };
        let problem = |controller: &dyn Reflect| controller.downcast_ref::<K>().and_then(Controller::problem);
        let kind = ControllerKinds::add::<K>(world, problem, entry);
        world.register_required_components::<K, K::Memory>();
        if K::FEELS_TOUCH {
            world.register_required_components::<K, Touched>();
        }
        if K::KNOWS_SENSORS {
            world.register_required_components::<K, SensorNames>();
        }
        if K::SETTLES {
            let settle = |controller: &mut dyn Reflect| {
                if let Some(controller) = controller.downcast_mut() {
                    K::settle(controller);
                }
            };
            world.resource_mut::<Kinds>().settle_with(ControllerFamily::NAME, TypeId::of::<K>(), settle);
        }
        self.register_kind::<ControllerFamily, K>().register_memory::<K::Memory>();
        self.add_kernel(Duty::Control, kind, control::<K>).add_kernel(Duty::Tell, kind, tell::<K>);
        if K::SETS_OUTPUTS {
            // Present only in scenes with robots that have outputs.
            let outputs = self.world_mut().register_component::<Outputs>();
            self.add_kernel(Duty::Control, outputs, set_outputs::<K>);
        }
        if K::LOGS {
            self.add_kernel(Duty::Log, kind, log_all::<K>);
        }
        self
    }
}

/// Components of sensors that controllers may use, and the kinds of behaviours.
#[derive(SystemParam)]
struct Sensed<'w, 's> {
    sensors: Query<'w, 's, (&'static Reading, Option<&'static Infrared>)>,
    behaviours: Local<'s, BehaviourKinds>,
}

/// Inputs of a step that are the same for all agents.
#[derive(Clone, Copy)]
struct Now<'a, 'w, 's> {
    arena: &'a Arena,
    sensed: &'a Sensed<'w, 's>,
}

/// Most robots have few sensors; more than this many are stored on the heap.
const FEW: usize = 8;

/// Agents with controllers of one kind, as columns.
type ControllerColumns<'a, K> = (
    &'a [K],
    &'a mut [<K as Controller>::Memory],
    &'a mut [Command],
    Option<&'a [Commanded]>,
    Option<&'a [Acting]>,
    AgentColumns<'a>,
);

/// Runs the controllers of one kind: that of one agent, or all.
fn control<K: Controller>(
    InMut(StepContext { arena, workers, turn }): InMut<StepContext>,
    sensed: Sensed,
    mut agents: Query<(
        &K,
        &mut K::Memory,
        &mut Command,
        Option<&Commanded>,
        Option<&Acting>,
        Agent,
        Has<ActsLater>,
        Has<Dead>,
    )>,
) {
    let now = Now { arena, sensed: &sensed };
    if let Some(agent) = *turn {
        let Ok((controller, mut memory, mut command, given, settings, agent, ..)) = agents.get_mut(agent) else {
            return;
        };
        if Acting::is_due::<K>(settings, &agent, now) {
            *command = given_to::<K>(given).unwrap_or_else(|| decide(controller, &mut memory, agent, now));
        }
        return;
    }
    for (controllers, memories, commands, given, settings, agents, acts_later, is_dead) in tables(&mut agents) {
        if acts_later || is_dead {
            continue;
        }
        let columns: ControllerColumns<K> = (controllers, plain(memories), plain(commands), given, settings, agents);
        workers.in_pieces(columns, controllers.len(), &mut Vec::new(), |columns, (): &mut ()| {
            control_piece(columns, now);
        });
    }
}

fn control_piece<K: Controller>(
    (controllers, memories, commands, given, settings, agents): ControllerColumns<K>,
    now: Now,
) {
    for (place, ((controller, memory), command)) in controllers.iter().zip(memories).zip(commands).enumerate() {
        let agent = agent_in(agents, place);
        if Acting::is_due::<K>(settings.map(|settings| &settings[place]), &agent, now) {
            let given = given_to::<K>(given.map(|given| &given[place]));
            *command = given.unwrap_or_else(|| decide(controller, memory, agent, now));
        }
    }
}

/// The command of a host that takes the place of the controller's own.
#[inline(always)]
fn given_to<K: Controller>(given: Option<&Commanded>) -> Option<Command> {
    if K::OBEYS { given?.0 } else { None }
}

/// Agents that may send messages, as columns.
type TellerColumns<'a, K> =
    (&'a [K], &'a mut [<K as Controller>::Memory], &'a [Turn], &'a mut [Outbox], AgentColumns<'a>);

/// Lets controllers of one kind write their radio messages: that of one agent, or all.
fn tell<K: Controller>(
    InMut(StepContext { arena, workers, turn }): InMut<StepContext>,
    sensed: Sensed,
    mut agents: Query<(&K, &mut K::Memory, &Turn, &mut Outbox, Agent), Without<Dead>>,
) {
    let now = Now { arena, sensed: &sensed };
    if let Some(agent) = *turn {
        if let Ok((controller, memory, turn, outbox, agent)) = agents.get_mut(agent) {
            tell_one((controller, memory.into_inner(), turn, outbox.into_inner(), agent), now);
        }
        return;
    }
    for (controllers, memories, turns, outboxes, agents) in tables(&mut agents) {
        let columns: TellerColumns<K> = (controllers, plain(memories), turns, plain(outboxes), agents);
        workers.in_pieces(columns, controllers.len(), &mut Vec::new(), |columns, (): &mut ()| {
            let (controllers, memories, turns, outboxes, agents) = columns;
            let together = controllers.iter().zip(memories).zip(turns).zip(outboxes);
            for (place, (((controller, memory), turn), outbox)) in together.enumerate() {
                tell_one((controller, memory, turn, outbox, agent_in(agents, place)), now);
            }
        });
    }
}

fn tell_one<K: Controller>(
    (controller, memory, turn, outbox, agent): (&K, &mut K::Memory, &Turn, &mut Outbox, AgentItem),
    now: Now,
) {
    if turn.sends() {
        let message = &mut outbox.0;
        message.clear();
        with_senses::<K, _>(agent, now, |senses| controller.message(memory, senses, message));
    }
}

/// Lets controllers of one kind set the outputs of their robots: that of one agent, or all.
fn set_outputs<K: Controller>(
    InMut(StepContext { arena, turn, .. }): InMut<StepContext>,
    sensed: Sensed,
    mut agents: Query<(&K, &K::Memory, &mut Outputs, Option<&Acting>, Agent, Has<ActsLater>), Without<Dead>>,
) {
    let now = Now { arena, sensed: &sensed };
    let set =
        |controller: &K, memory: &K::Memory, outputs: Mut<Outputs>, settings: Option<&Acting>, agent: AgentItem| {
            if Acting::is_due::<K>(settings, &agent, now) {
                let outputs = outputs.into_inner();
                with_senses::<K, _>(agent, now, |senses| controller.outputs(memory, senses, outputs));
            }
        };
    if let Some(agent) = *turn {
        if let Ok((controller, memory, outputs, settings, agent, _)) = agents.get_mut(agent) {
            set(controller, memory, outputs, settings, agent);
        }
        return;
    }
    for (controller, memory, outputs, settings, agent, acts_later) in &mut agents {
        if !acts_later {
            set(controller, memory, outputs, settings, agent);
        }
    }
}

/// Logs the events that controllers report for this step, in order of age of the agents.
fn log_all<K: Controller>(
    InMut(context): InMut<StepContext>,
    agents: Query<(&StableId, &K, &K::Memory), Without<Dead>>,
) {
    let Arena { time, events, .. } = &mut *context.arena;
    let step = time.step;
    let mut news = Vec::new();
    for (id, controller, memory) in &agents {
        controller.events(memory, step, &mut |kind, text| news.push((*id, kind, text)));
    }
    // Stable: the events of one robot keep their order.
    news.sort_by_key(|(id, ..)| *id);
    for (id, kind, text) in news {
        events.push(step, id, kind, text);
    }
}

/// Components of an agent that its controller may use.
type Agent = (
    &'static StableId,
    &'static Pose,
    Option<&'static Sensors>,
    Option<&'static Touched>,
    Option<(&'static Inbox, &'static Turn)>,
    Option<&'static RobotClock>,
    Option<&'static SensorNames>,
);

/// Components of one agent.
type AgentItem<'a> = (
    &'a StableId,
    &'a Pose,
    Option<&'a Sensors>,
    Option<&'a Touched>,
    Option<(&'a Inbox, &'a Turn)>,
    Option<&'a RobotClock>,
    Option<&'a SensorNames>,
);

/// Components of many agents, as columns.
type AgentColumns<'a> = (
    &'a [StableId],
    &'a [Pose],
    Option<&'a [Sensors]>,
    Option<&'a [Touched]>,
    Option<(&'a [Inbox], &'a [Turn])>,
    Option<&'a [RobotClock]>,
    Option<&'a [SensorNames]>,
);

/// Components of the agent in a row.
// Called for every robot at every step; inlined because the tuple that it returns is large.
#[inline(always)]
fn agent_in((owners, poses, sensors, touched, radios, clocks, names): AgentColumns, place: usize) -> AgentItem {
    (
        &owners[place],
        &poses[place],
        sensors.map(|sensors| &sensors[place]),
        touched.map(|touched| &touched[place]),
        radios.map(|(inboxes, turns)| (&inboxes[place], &turns[place])),
        clocks.map(|clocks| &clocks[place]),
        // A cache: without a check, it costs other controllers nothing.
        names.and_then(|names| names.get(place)),
    )
}

#[inline(always)]
fn decide<K: Controller>(controller: &K, memory: &mut K::Memory, agent: AgentItem, now: Now) -> Command {
    with_senses::<K, _>(agent, now, |senses| controller.command(memory, senses))
}

#[inline(always)]
fn with_senses<K: Controller, T>(
    (owner, pose, sensors, touched, radio, clock, names): AgentItem,
    Now { arena, sensed }: Now,
    act: impl FnOnce(Senses) -> T,
) -> T {
    let look_up = |sensor: &Entity| {
        let found = sensed.sensors.get(*sensor);
        found.map_or((&[][..], None), |(reading, infrared)| (reading.values.as_slice(), infrared))
    };
    let (one, mut few, many): (_, ([&[f64]; FEW], [Option<&Infrared>; FEW]), (Vec<&[f64]>, Vec<_>));
    let (readings, eyes) = match sensors.map_or(&[][..], Sensors::slots) {
        [] => (&[][..], &[][..]),
        [sensor] => {
            let (reading, eyes) = look_up(sensor);
            one = ([reading], [eyes]);
            (&one.0[..], &one.1[..])
        }
        sensors if sensors.len() <= FEW => {
            few = ([&[]; FEW], [None; FEW]);
            let slots = few.0.iter_mut().zip(&mut few.1).zip(sensors);
            slots.for_each(|((reading, eyes), sensor)| (*reading, *eyes) = look_up(sensor));
            (&few.0[..sensors.len()], &few.1[..sensors.len()])
        }
        sensors => {
            many = sensors.iter().map(look_up).unzip();
            (&many.0[..], &many.1[..])
        }
    };
    // Mostly not asked for: then the compiler leaves it out.
    let eyes = if K::KNOWS_INFRARED { eyes } else { &[] };
    let touched = K::FEELS_TOUCH && touched.is_some_and(|touched| touched.0);
    let heard = radio.map_or(Heard::default(), |(inbox, turn)| Heard { packets: inbox.packets(), turn: turn.now() });
    act(Senses {
        readings,
        sensors: names.filter(|_| K::KNOWS_SENSORS).map(|names| &names.0),
        eyes,
        behaviours: &sensed.behaviours,
        infrared_model: arena.space.infrared_model,
        pose,
        time: &arena.time,
        clock_s: clock.map_or_else(|| arena.time.now_s(), |clock| clock.now_s(arena.seed, *owner, &arena.time)),
        touched,
        has_radio: radio.is_some(),
        heard,
        owner: *owner,
        seed: arena.seed,
        arena: arena.space.arena,
        objects: &arena.space.things,
        delivery: arena.delivery,
    })
}
