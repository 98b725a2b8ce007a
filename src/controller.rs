//! Controllers: what turns readings and memory into a command.

use bevy::ecs::component::Mutable;
use bevy::prelude::*;

use crate::agent::{Command, CommandForm};
use crate::clock::rate::{self, MAX_RATE_HZ};
use crate::history::RegisterState as _;
use crate::kind::{ControllerFamily, KindType, Kinds, Limits};
use crate::sensor::{Reading, Sensors};
use crate::step::{ActsLater, AddKindSystem as _, Phase, SimTime, Workers};

pub mod binary;
pub mod bits;
pub mod constant;
pub mod diffusion;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Acting>();
    app.add_controller::<constant::Constant>()
        .add_controller::<binary::Binary>()
        .add_controller::<bits::Bits>()
        .add_controller::<diffusion::Diffusion>();
}

/// A controller. One file: parameters, memory if it has any, [`command`](Controller::command), tests.
pub trait Controller: KindType {
    /// What it remembers from step to step; [`NoMemory`] when it only reacts.
    type Memory: Component<Mutability = Mutable> + Reflect + TypePath + Clone + Default;

    /// The form of its commands.
    const COMMANDS: CommandForm;

    /// Decides what to do until the next step.
    fn command(&self, memory: &mut Self::Memory, senses: Senses) -> Command;
}

/// The memory of a controller or sensor that has none.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoMemory;

/// What all controllers have besides their own parameters.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Acting {
    /// How often it decides, in simulated time: at the step nearest to each time that is due. 0 is at every step.
    #[reflect(@Limits::between(0.0, MAX_RATE_HZ))]
    pub rate_hz: f64,
    /// When it decides for the first time after the start; until then the robot stands still.
    #[reflect(@Limits::between(0.0, 1e9))]
    pub phase_s: f64,
}

impl Acting {
    /// Whether a controller decides at this step; one without settings of its own always does.
    fn is_due(settings: Option<&Self>, time: &SimTime) -> bool {
        settings.is_none_or(|Self { rate_hz, phase_s }| rate::is_due(time, *rate_hz, *phase_s))
    }
}

/// The readings of one agent's sensors at the end of the last step, by slot.
#[derive(Clone, Copy, Debug)]
pub struct Senses<'a>(pub &'a [&'a [f64]]);

impl<'a> Senses<'a> {
    /// The reading of the sensor in a slot; empty when the agent has no such sensor.
    ///
    /// A parameter that names a slot has the attribute [`SensorSlot`](crate::kind::SensorSlot), so that scenes are checked.
    pub fn slot(self, slot: u32) -> &'a [f64] {
        self.0.get(slot as usize).copied().unwrap_or(&[])
    }

    /// Whether the sensor in a slot detects something: one of its numbers is above one half.
    pub fn detects(self, slot: u32) -> bool {
        self.slot(slot).iter().any(|value| *value > 0.5)
    }
}

/// How to drive and turn: the parameters that many controllers have.
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
    fn from(Drive { v_m_per_s, turn_rad_per_s }: Drive) -> Self {
        Self::Drive { v_m_per_s, turn_rad_per_s }
    }
}

/// Makes controllers known.
pub trait AddController {
    /// Adds a controller: its system, its place after those added before, its memory and its name in scenes.
    fn add_controller<K: Controller>(&mut self) -> &mut Self;
}

/// The form of each controller's commands, to check scenes with.
#[derive(Resource, Clone, Default)]
pub(crate) struct GivenCommands(pub Vec<(std::any::TypeId, CommandForm)>);

impl AddController for App {
    fn add_controller<K: Controller>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<ControllerFamily, K>();
        world.get_resource_or_init::<GivenCommands>().0.push((std::any::TypeId::of::<K>(), K::COMMANDS));
        world.register_required_components::<K, K::Memory>();
        self.register_state::<K>().register_state::<K::Memory>();
        self.add_agent_kind::<ControllerFamily, K, _>(Phase::Control, control_all::<K>, control_one::<K>)
    }
}

/// Most robots have few sensors; more than this many spill to the heap.
const FEW: usize = 8;

fn control_all<K: Controller>(
    time: Res<SimTime>,
    workers: Res<Workers>,
    readings: Query<&Reading>,
    mut agents: Query<(&K, &mut K::Memory, Option<&Sensors>, &mut Command, Option<&Acting>), Without<ActsLater>>,
) {
    let reading = |sensor| readings.get(sensor).map_or(&[][..], |reading| &reading.values);
    if !workers.help_with(agents.iter().len()) {
        for (controller, mut memory, sensors, mut command, settings) in &mut agents {
            if Acting::is_due(settings, &time) {
                *command = decide(controller, &mut memory, sensors, reading);
            }
        }
        return;
    }
    let due = agents.iter_mut().filter(|(.., settings)| Acting::is_due(*settings, &time));
    let mut items: Vec<_> = due.collect();
    workers.for_each(
        &mut items,
        || (),
        |(), (controller, memory, sensors, command, _)| {
            **command = decide(*controller, memory, *sensors, reading);
        },
    );
}

fn control_one<K: Controller>(world: &mut World, agent: Entity) {
    if !Acting::is_due(world.get::<Acting>(agent), world.resource::<SimTime>()) {
        return;
    }
    let (Some(controller), Some(mut memory)) = (world.get::<K>(agent).cloned(), world.get::<K::Memory>(agent).cloned())
    else {
        return;
    };
    let reading = |sensor| world.get::<Reading>(sensor).map_or(&[][..], |reading| &reading.values);
    let decided = decide(&controller, &mut memory, world.get::<Sensors>(agent), reading);
    if let Ok((mut command, mut kept)) = world.entity_mut(agent).get_components_mut::<(&mut Command, &mut K::Memory)>()
    {
        *command = decided;
        *kept = memory;
    }
}

fn decide<'w, K: Controller>(
    controller: &K,
    memory: &mut K::Memory,
    sensors: Option<&Sensors>,
    reading: impl Fn(Entity) -> &'w [f64],
) -> Command {
    let mut few: [&[f64]; FEW] = [&[]; FEW];
    let sensors = sensors.map_or(&[][..], Sensors::slots);
    if sensors.len() <= FEW {
        for (slot, &sensor) in few.iter_mut().zip(sensors) {
            *slot = reading(sensor);
        }
        controller.command(memory, Senses(&few[..sensors.len()]))
    } else {
        let many: Vec<&[f64]> = sensors.iter().map(|&sensor| reading(sensor)).collect();
        controller.command(memory, Senses(&many))
    }
}
