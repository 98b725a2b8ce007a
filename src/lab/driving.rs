//! Robots driven with keys or a gamepad.
//!
//! Only robots with the controller `Human` or the actuator `Keyboard` can be driven. Held keys become edits, so the
//! log contains the drive.

use bevy_egui::egui::{self, Event, Key, Modifiers};
use swarmarium_core::controller::external::External;
use swarmarium_core::driving::{Driven, Held, Keys};
use swarmarium_core::edit::Edit;
use swarmarium_core::simulation::Simulation;

use super::gamepad::Gamepads;
use super::selection::Item;
use super::{Action, Lab, focus};

/// The robots that are driven with keys or a gamepad.
#[derive(Default)]
pub struct Driving {
    pub drivers: Vec<Driver>,
    gamepads: Gamepads,
}

/// The input that drives a robot: keys, a gamepad or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driver {
    agent: u32,
    keys: Keys,
    gamepad: u32,
    /// The slot of the driven actuator; `None` for the controller.
    slot: Option<usize>,
    /// The last command to the robot.
    held: Held,
}

/// The keys for ahead, left, back and right.
const fn keys_of(keys: Keys) -> Option<[Key; 4]> {
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
struct Drivable {
    keys: Keys,
    gamepad: u32,
    slot: Option<usize>,
}

/// Whether a robot can be driven.
pub fn can_drive(simulation: &Simulation, agent: u32) -> bool {
    drivable_of(simulation, agent).is_some()
}

fn drivable_of(simulation: &Simulation, agent: u32) -> Option<Drivable> {
    let entity = simulation.agent(agent)?.entity();
    let drivable = |slot| move |Driven { keys, gamepad }| Drivable { keys, gamepad, slot };
    if let Some(External { actuators }) = simulation.world().get(entity) {
        let mut actuators = actuators.iter().enumerate();
        return actuators.find_map(|(slot, actuator)| Driven::of(actuator.value()).map(drivable(Some(slot))));
    }
    Driven::of(simulation.agent(agent)?.controller()?).map(drivable(None))
}

impl Driver {
    const fn new(agent: u32, Drivable { keys, gamepad, slot }: Drivable) -> Self {
        Self { agent, keys, gamepad, slot, held: Held { ahead: 0.0, left: 0.0 } }
    }

    /// Whether the input still matches the settings of the controller or actuator.
    fn is_of(&self, drivable: &Drivable) -> bool {
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

    fn tells(&mut self, held: Held) -> Option<Action> {
        let actuator = self.slot.map(|slot| format!("actuators.{slot}.")).unwrap_or_default();
        let path = format!("agents.{}.controller.{actuator}held", self.agent);
        let value = format!("(ahead: {:?}, left: {:?})", held.ahead, held.left);
        let is_news = std::mem::replace(&mut self.held, held) != held;
        is_news.then_some(Action::Edit(Edit::Set { path, value }))
    }
}

/// Whether a key press drives a robot instead of running a command.
pub fn owns(lab: &Lab, key: Key, modifiers: Modifiers) -> bool {
    let is_plain = !modifiers.any();
    is_plain && lab.driving.drivers.iter().filter_map(|driver| keys_of(driver.keys)).any(|keys| keys.contains(&key))
}

/// Returns the edits for the held keys.
pub fn actions(ctx: &egui::Context, lab: &mut Lab) -> Vec<Action> {
    let simulation = lab.host.simulation();
    let is_there =
        |driver: &Driver| drivable_of(simulation, driver.agent).is_some_and(|drivable| driver.is_of(&drivable));
    lab.driving.drivers.retain(is_there);
    let hands_off = focus::is_typing(ctx) || lab.file_request.is_some() || lab.popups.palette.is_some();
    if lab.driving.drivers.iter().any(|driver| driver.gamepad > 0) {
        // An error of gamepads was shown when driving began.
        _ = lab.driving.gamepads.update();
    }
    let pressed = |keys: [Key; 4]| {
        let [ahead, left, back, right] =
            keys.map(|key| ctx.input(|input| f64::from(!hands_off && !input.modifiers.command && input.key_down(key))));
        Held { ahead: ahead - back, left: left - right }
    };
    let Driving { drivers, gamepads } = &mut lab.driving;
    let tell = |driver: &mut Driver| {
        let keys = keys_of(driver.keys).map(pressed).unwrap_or_default();
        let stick = gamepads.held(driver.gamepad);
        let both = |one: f64, other: f64| (one + other).clamp(-1.0, 1.0);
        driver.tells(Held { ahead: both(keys.ahead, stick.ahead), left: both(keys.left, stick.left) })
    };
    drivers.iter_mut().filter_map(tell).collect()
}

/// Whether any key of this frame drives a robot.
pub fn is_steering(ctx: &egui::Context, lab: &Lab) -> bool {
    let is_own = |event: &Event| matches!(event, Event::Key { key, modifiers, .. } if owns(lab, *key, *modifiers));
    !lab.driving.drivers.is_empty() && ctx.input(|input| input.events.iter().any(is_own))
}

impl Lab {
    /// Returns the names of the driven robots, each with its input.
    pub(crate) fn driven(&self) -> Vec<(String, String)> {
        let name = |driver: &Driver| Some((self.host.simulation().agent(driver.agent)?.name(), driver.words()));
        self.driving.drivers.iter().filter_map(name).collect()
    }

    /// Whether the selected robot is driven.
    pub(crate) fn drives_selected(&self) -> bool {
        matches!(self.selection.item, Some(Item::Agent(number)) if self.driving.drivers.iter().any(|driver| driver.agent == number))
    }

    /// Starts or stops driving the selected robot.
    ///
    /// A robot with the same keys or gamepad is then driven no more.
    pub(crate) fn drive(&mut self) {
        let Some(Item::Agent(agent)) = self.selection.item else {
            return self.tell_error("Select a robot to drive it");
        };
        if self.drives_selected() {
            return self.let_go(|driver| driver.agent == agent);
        }
        match drivable_of(self.host.simulation(), agent) {
            None => self.tell_error("Only robots with the controller Human or a Keyboard can be driven"),
            Some(Drivable { keys: Keys::Off, gamepad: 0, .. }) => {
                self.tell_error("This robot has no keys and no gamepad: assign keys or a gamepad to its controller");
            }
            Some(drivable) => {
                let mut mine = Driver::new(agent, drivable);
                if mine.gamepad > 0
                    && let Err(trouble) = self.driving.gamepads.update()
                {
                    self.tell_error(trouble);
                    if mine.keys == Keys::Off {
                        return;
                    }
                    mine.gamepad = 0;
                }
                self.let_go(|driver| driver.clashes_with(&mine));
                self.driving.drivers.push(mine);
            }
        }
    }

    /// Stops driving some of the robots; they stop.
    pub(crate) fn let_go(&mut self, of: impl Fn(&Driver) -> bool) {
        let (gone, kept) = self.driving.drivers.iter().copied().partition(of);
        self.driving.drivers = kept;
        let gone: Vec<Driver> = gone;
        for mut driver in gone {
            if let Some(Action::Edit(edit)) = driver.tells(Held::default()) {
                let done = self.host.apply(edit);
                self.tell(done);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::testing::{do_steps, lab_of, window};

    const TWO: &str = r#"(groups: [
        (name: "left", at: [(2.0, 5.0, 0.0)], controller: Human()),
        (name: "right", at: [(7.0, 5.0, 0.0)], controller: Human(keys: Arrows)),
        (name: "other", at: [(5.0, 8.0, 0.0)]),
    ])"#;

    fn press(window: &mut Harness, key: Key) {
        window.key_press(key);
        window.run_steps(2);
    }

    fn speed(lab: &Lab, agent: u32) -> f64 {
        lab.host.simulation().agent(agent).unwrap().displacement_m().length()
    }

    #[test]
    fn held_keys_drive_and_are_no_commands() {
        let (mut window, lab) = window(lab_of(TWO));
        lab.borrow_mut().select(Some(Item::Agent(0)));
        window.run_steps(2);
        press(&mut window, Key::X);
        assert_eq!(lab.borrow().driven(), [("left".to_owned(), "W, A, S and D".to_owned())]);
        window.get_by_label_contains("W, A, S and D");
        let shows = |lab: &Lab| lab.viewport.view.shows_all_sensors(lab.host.simulation().count());
        let before = shows(&lab.borrow());
        window.key_down(Key::W);
        window.key_down(Key::D);
        window.run_steps(2);
        assert_eq!(shows(&lab.borrow()), before, "D does not show sensors now");
        do_steps(&mut lab.borrow_mut(), 20);
        assert!(speed(&lab.borrow(), 0) > 0.0);
        assert!(lab.borrow().host.simulation().agent(0).unwrap().pose.heading_rad < 0.0, "to the right");
        window.key_up(Key::W);
        window.key_up(Key::D);
        window.run_steps(2);
        do_steps(&mut lab.borrow_mut(), 60);
        assert_eq!(speed(&lab.borrow(), 0), 0.0);
        let edits = lab.borrow().host.simulation().edits().len();
        window.run_steps(5);
        assert_eq!((edits, lab.borrow().host.simulation().waiting_edits().len()), (4, 0), "an edit for each change");
    }

    #[test]
    fn two_robots_with_other_keys_are_driven_at_once_and_escape_lets_go() {
        let (mut window, lab) = window(lab_of(TWO));
        for agent in [0, 1] {
            lab.borrow_mut().select(Some(Item::Agent(agent)));
            window.run_steps(2);
            press(&mut window, Key::X);
        }
        assert_eq!(lab.borrow().driven().len(), 2);
        window.key_down(Key::W);
        window.key_down(Key::ArrowUp);
        window.run_steps(2);
        do_steps(&mut lab.borrow_mut(), 20);
        assert!(speed(&lab.borrow(), 0) > 0.0 && speed(&lab.borrow(), 1) > 0.0);
        press(&mut window, Key::Escape);
        assert!(lab.borrow().driven().is_empty() && lab.borrow().selection.item.is_some());
        do_steps(&mut lab.borrow_mut(), 60);
        assert_eq!(speed(&lab.borrow(), 0) + speed(&lab.borrow(), 1), 0.0, "released robots stop");
    }

    #[test]
    fn a_gamepad_drives_beside_keys_or_the_lab_says_why_not() {
        let text = TWO.replace("Human()", "Human(gamepad: 1)");
        let (mut window, lab) = window(lab_of(&text));
        lab.borrow_mut().select(Some(Item::Agent(0)));
        window.run_steps(2);
        press(&mut window, Key::X);
        if cfg!(feature = "gamepad") {
            assert_eq!(lab.borrow().driven()[0].1, "W, A, S and D and gamepad 1");
        } else {
            assert_eq!(lab.borrow().driven()[0].1, "W, A, S and D");
            window.get_by_label_contains("built without support for gamepads");
        }
    }

    #[test]
    fn a_keyboard_drives_beside_other_actuators() {
        let text = TWO.replace("Human()", "External(actuators: [Waypoint(), Keyboard(keys: Wasd)])");
        let (mut window, lab) = window(lab_of(&text));
        lab.borrow_mut().select(Some(Item::Agent(0)));
        window.run_steps(2);
        press(&mut window, Key::X);
        window.key_down(Key::W);
        window.run_steps(2);
        do_steps(&mut lab.borrow_mut(), 5);
        assert!(speed(&lab.borrow(), 0) > 0.0);
    }

    #[test]
    fn only_humans_can_be_driven() {
        let (mut window, lab) = window(lab_of(TWO));
        lab.borrow_mut().select(Some(Item::Agent(2)));
        window.run_steps(2);
        press(&mut window, Key::X);
        assert!(lab.borrow().driven().is_empty());
        window.get_by_label_contains("Only robots with the controller Human");
    }
}
