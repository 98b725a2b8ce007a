//! Robots driven with keys or a gamepad.
//!
//! Only robots with the controller `Human` or the actuator `Keyboard` can be driven. Held keys become edits, so the
//! log contains the drive.

use bevy_egui::egui::Key;
use swarmarium_core::controller::external::External;
use swarmarium_core::driving::{Driven, Held, Keys};
use swarmarium_host::clock::Host;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use crate::action::Action;
use crate::common::gamepad::Gamepads;
use crate::common::selection::{Item, Selection};
use crate::notice::Notices;

/// The robots that are driven with keys or a gamepad.
#[derive(Default)]
pub struct Driving {
    /// The driven robots, each with its input.
    pub drivers: Vec<Driver>,
    /// The gamepads.
    pub gamepads: Gamepads,
}

/// The input that drives a robot: keys, a gamepad or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driver {
    /// The number of the robot.
    pub agent: u32,
    /// The keys.
    pub keys: Keys,
    /// The number of the gamepad; 0 for none.
    pub gamepad: u32,
    /// The slot of the driven actuator; `None` for the controller.
    slot: Option<usize>,
    /// The last command to the robot.
    held: Held,
}

/// The keys for ahead, left, back and right.
pub const fn keys_of(keys: Keys) -> Option<[Key; 4]> {
    match keys {
        Keys::Off => None,
        Keys::Wasd => Some([Key::W, Key::A, Key::S, Key::D]),
        Keys::Arrows => Some([Key::ArrowUp, Key::ArrowLeft, Key::ArrowDown, Key::ArrowRight]),
        Keys::Ijkl => Some([Key::I, Key::J, Key::K, Key::L]),
    }
}

/// The names of the keys, for texts.
const fn words(keys: Keys) -> &'static str {
    match keys {
        Keys::Off => "no keys",
        Keys::Wasd => "W, A, S and D",
        Keys::Arrows => "the arrows",
        Keys::Ijkl => "I, J, K and L",
    }
}

/// A part of a robot that can be driven: its controller, or one of its actuators.
#[derive(Clone, Copy)]
pub struct Drivable {
    /// The keys of the scene.
    pub keys: Keys,
    /// The number of the gamepad; 0 for none.
    pub gamepad: u32,
    /// The slot of the actuator; `None` for the controller.
    pub slot: Option<usize>,
}

/// Whether a robot can be driven.
pub fn can_drive(simulation: &Simulation, agent: u32) -> bool {
    drivable_of(simulation, agent).is_some()
}

/// Returns the part of a robot that can be driven.
pub fn drivable_of(simulation: &Simulation, agent: u32) -> Option<Drivable> {
    let entity = simulation.agent(agent)?.entity();
    let drivable = |slot| move |Driven { keys, gamepad }| Drivable { keys, gamepad, slot };
    if let Some(External { actuators }) = simulation.world().get(entity) {
        let mut actuators = actuators.iter().enumerate();
        return actuators.find_map(|(slot, actuator)| Driven::of(actuator.value()).map(drivable(Some(slot))));
    }
    Driven::of(simulation.agent(agent)?.controller()?).map(drivable(None))
}

impl Driver {
    /// Creates the input for a robot.
    pub const fn new(agent: u32, Drivable { keys, gamepad, slot }: Drivable) -> Self {
        Self { agent, keys, gamepad, slot, held: Held { ahead: 0.0, left: 0.0 } }
    }

    /// Whether the input still matches the settings of the controller or actuator.
    pub fn is_of(&self, drivable: &Drivable) -> bool {
        self.keys == drivable.keys
            && self.slot == drivable.slot
            && (self.gamepad == drivable.gamepad || self.gamepad == 0)
    }

    /// Whether both use the same keys or the same gamepad.
    fn clashes_with(&self, other: &Self) -> bool {
        (self.keys == other.keys && self.keys != Keys::Off) || (self.gamepad == other.gamepad && self.gamepad > 0)
    }

    /// Returns the input in words.
    pub(super) fn words(&self) -> String {
        match (self.keys, self.gamepad) {
            (keys, 0) => words(keys).into(),
            (Keys::Off, number) => format!("gamepad {number}"),
            (keys, number) => format!("{} and gamepad {number}", words(keys)),
        }
    }

    /// Forgets the last command, so that the next one is sent in any case.
    pub fn forget(&mut self) {
        self.held = Held::default();
    }

    /// Returns the action that sends a command, if it differs from the last one.
    pub fn tells(&mut self, held: Held) -> Option<Action> {
        let actuator = self.slot.map(|slot| format!("actuators.{slot}.")).unwrap_or_default();
        let path = format!("agents.{}.controller.{actuator}held", self.agent);
        let value = format!("(ahead: {:?}, left: {:?})", held.ahead, held.left);
        let is_news = std::mem::replace(&mut self.held, held) != held;
        is_news.then_some(Action::Edit(Edit::Set { path, value }))
    }
}

impl Driving {
    /// Returns the names of the driven robots, each with its input.
    pub fn driven(&self, host: &Host) -> Vec<(String, String)> {
        let name = |driver: &Driver| Some((host.simulation().agent(driver.agent)?.name(), driver.words()));
        self.drivers.iter().filter_map(name).collect()
    }

    /// Whether the selected robot is driven.
    pub fn drives_selected(&self, selection: &Selection) -> bool {
        matches!(selection.item, Some(Item::Agent(number)) if self.drivers.iter().any(|driver| driver.agent == number))
    }

    /// Starts or stops driving the selected robot.
    ///
    /// A robot with the same keys or gamepad is then driven no more.
    pub fn drive(&mut self, host: &mut Host, selection: &Selection, notices: &mut Notices) {
        let Some(Item::Agent(agent)) = selection.item else {
            return notices.say("Select a robot to drive it");
        };
        if self.drives_selected(selection) {
            return self.release(host, notices, |driver| driver.agent == agent);
        }
        match drivable_of(host.simulation(), agent) {
            None => notices.say("Only robots with the controller Human or a Keyboard can be driven"),
            Some(Drivable { keys: Keys::Off, gamepad: 0, .. }) => {
                notices.say("This robot has no keys and no gamepad: assign keys or a gamepad to its controller");
            }
            Some(drivable) => {
                let mut mine = Driver::new(agent, drivable);
                if mine.gamepad > 0
                    && let Err(trouble) = self.gamepads.update()
                {
                    notices.tell_error(trouble);
                    if mine.keys == Keys::Off {
                        return;
                    }
                    mine.gamepad = 0;
                }
                self.release(host, notices, |driver| driver.clashes_with(&mine));
                self.drivers.push(mine);
            }
        }
    }

    /// Stops driving some of the robots; they stop.
    pub(crate) fn release(&mut self, host: &mut Host, notices: &mut Notices, of: impl Fn(&Driver) -> bool) {
        let (gone, kept) = self.drivers.iter().copied().partition(of);
        self.drivers = kept;
        let gone: Vec<Driver> = gone;
        for mut driver in gone {
            if let Some(Action::Edit(edit)) = driver.tells(Held::default()) {
                let done = host.apply(edit);
                notices.tell(done);
            }
        }
    }
}
