//! Controllers in the language Luau: a file beside the scene decides, and running robots follow it when it changes.

mod compiled;
mod memory;

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::sensor_layout::SensorLayout;
use swarmarium_core::agent::outputs::{Output, Outputs};
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, ControllerView, Senses};
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::events::EventKind;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::radio::Packet;
use swarmarium_core::random::Stream;
use swarmarium_core::text::shared::SharedText;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_script::{Input, Machines, Message, Random, ScriptError};
use swarmarium_space::Ellipse;

use compiled::{Compiled, Loaded};
pub use memory::{ScriptFailure, ScriptMemory};
pub use swarmarium_script::argos;

/// The name of the random stream of scripts.
const STREAM: &str = "script";

/// Width of the ring around a robot whose script has failed, in logical pixels.
const RING_PX: f64 = 3.0;

/// Follows a script in Luau: a file beside the scene.
///
/// The script declares its parameters and the state of a robot, and has a function `step` that turns readings and messages
/// into a command. The reference "Scripts" of the book describes the language.
///
/// While the window is open, it applies changes of the file to running robots. A robot whose script fails stops; the others go
/// on.
#[kind(section = "Programs", words = "lua, luau, code, program, write my own")]
pub struct Script {
    /// The script: a `.luau` file in the folder of the scene or below it.
    ///
    /// The file is read when the scene is opened.
    pub file: String,
    /// Values of parameters that the script declares; the others have the defaults of the script.
    pub parameters: DeclaredValues,
    /// The text of the script. If there is any, the file is not read: a run can be repeated without it.
    pub source: SharedText,
    #[reflect(ignore)]
    loaded: Loaded,
}

impl Script {
    /// A script with a text, for scenes in code. `file` is its name in messages.
    pub fn new(file: &str, source: &str) -> Self {
        let mut script = Self { file: file.to_owned(), source: source.into(), ..Self::default() };
        script.settle();
        script
    }

    /// The script, if it has no errors.
    fn compiled(&self) -> Option<Arc<Compiled>> {
        match self.loaded.of(&self.source) {
            Some(loaded) => loaded.clone().ok(),
            // A value that reflection has made.
            None => compiled::compile(&self.file, &self.source).ok(),
        }
    }

    /// Runs the script for one step; returns the command.
    fn run(&self, compiled: &Compiled, memory: &mut ScriptMemory, senses: Senses) -> Option<Command> {
        let messages: Vec<Message> = senses.heard.packets.iter().map(|packet| message_of(packet, senses)).collect();
        static NOTHING: LazyLock<Arc<SensorLayout>> = LazyLock::new(Arc::default);
        let input = Input {
            layout: senses.sensors.unwrap_or(&NOTHING),
            readings: senses.readings,
            parameters: self.parameters.values(),
            id: senses.owner.index(),
            step: senses.time.step,
            time_s: senses.clock_s,
            dt_s: senses.time.dt_s,
            touched: senses.touched,
            messages: &messages,
            random: Draws(senses.random(STREAM)),
        };
        thread_local! {
            static MACHINES: RefCell<Machines<Draws>> = RefCell::default();
        }
        let mut output = Default::default();
        let result = MACHINES.with_borrow_mut(|machines| {
            machines.step(&compiled.program, input, memory.state.values_mut(), &mut output)
        });
        memory.printed = std::mem::take(&mut output.printed);
        let result = match result {
            Ok(()) if output.message.is_some() && !senses.has_radio => {
                Err(ScriptError { line: None, message: "`send` needs a radio: give the group a `radio`".into() })
            }
            result => result,
        };
        match result {
            Ok(()) => {
                let command = self.command_form().command(&output.command);
                memory.take(output);
                Some(command)
            }
            Err(error) => {
                let text = compiled::in_file(&self.file, &error);
                memory.failure = Some(ScriptFailure { step: senses.time.step, text });
                None
            }
        }
    }
}

/// Gives a robot with a script the state that it declares, before the first step.
pub(super) fn begin_memory(mut world: DeferredWorld, context: HookContext) {
    let compiled = world.get::<Script>(context.entity).and_then(Script::compiled);
    if let Some((compiled, mut memory)) = compiled.zip(world.get_mut::<ScriptMemory>(context.entity)) {
        memory.state.migrate(&compiled.state);
    }
}

/// The random numbers of a robot.
#[derive(Clone, Copy)]
struct Draws(Stream);

impl Random for Draws {
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }
}

fn message_of<'a>(packet: &'a Packet, senses: Senses) -> Message<'a> {
    Message {
        sender: packet.sender,
        age_s: senses.behind_steps(packet) as f64 * senses.time.dt_s,
        // Radios that do not measure it leave it at zero.
        from: (packet.from_m != DVec2::ZERO).then(|| (packet.range_m(), packet.bearing_rad())),
        numbers: &packet.numbers,
    }
}

impl Controller for Script {
    type Memory = ScriptMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;
    const FEELS_TOUCH: bool = true;
    const KNOWS_SENSORS: bool = true;
    const RESERVED_NAMES: &'static [&'static str] = &swarmarium_script::SENSES;
    const SETTLES: bool = true;
    const LOGS: bool = true;
    const SETS_OUTPUTS: bool = true;

    fn command_form(&self) -> CommandForm {
        self.loaded.commands(&self.source).unwrap_or(Self::COMMANDS)
    }

    fn command(&self, memory: &mut ScriptMemory, senses: Senses) -> Command {
        let stop = self.command_form().command(&[]);
        let Some(compiled) = self.compiled() else { return stop };
        memory.begin(self.source.hash(), &compiled.state, senses.time.step);
        if memory.failure.is_some() {
            return stop;
        }
        self.run(&compiled, memory, senses).unwrap_or(stop)
    }

    fn message(&self, memory: &mut ScriptMemory, _: Senses, message: &mut Vec<f64>) {
        message.append(&mut memory.message);
    }

    fn outputs(&self, memory: &ScriptMemory, _: Senses, outputs: &mut Outputs) {
        if let Some(led) = &memory.led {
            outputs.set(Output::Led, led);
        }
        if let Some(grips) = memory.grips {
            outputs.set(Output::Grip, &[f64::from(grips)]);
        }
        if let Some(emission) = memory.emission {
            outputs.set(Output::Emission, &[emission]);
        }
    }

    fn events(&self, memory: &ScriptMemory, step: u64, log: &mut dyn FnMut(EventKind, String)) {
        if memory.ran_at == step && !memory.printed.is_empty() {
            memory.printed.lines().for_each(|line| log(EventKind::Print, line.to_owned()));
        }
        if let Some(failure) = memory.failure.as_ref().filter(|failure| failure.step == step) {
            log(EventKind::Script, failure.text.clone());
        }
    }

    fn settle(&mut self) {
        if self.loaded.of(&self.source).is_none() {
            self.loaded = Loaded::new(&self.file, &self.source);
        }
        self.loaded.declare(&mut self.parameters);
    }

    fn problem(&self) -> Option<String> {
        if self.source.as_str().is_empty() {
            return Some(match self.file.as_str() {
                "" => "a script needs a `file`, such as \"orbit.luau\"".into(),
                file => format!("the script `{file}` has not been read, or is empty"),
            });
        }
        match self.loaded.problem(&self.file, &self.source) {
            Some(problem) => Some(problem),
            None => compiled::compile(&self.file, &self.source).err(),
        }
    }

    fn draw(robots: &ControllerView<Self>, picture: &mut Picture) {
        for robot in robots.members().into_iter().filter(|robot| robot.memory.failure.is_some()) {
            let radius_m = robot.radius_m + RING_PX / picture.pixels_per_m;
            let ring = Ellipse { center: robot.position_m, semi_axes: DVec2::splat(radius_m), angle: 0.0 };
            let width = Width::Pixels(RING_PX);
            picture.ellipse(Layer::Labels, Role::Warning, &ring, Some(width.into()));
        }
    }
}
