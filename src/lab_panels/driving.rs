//! Keys and gamepads that drive robots.

use bevy_egui::egui::{self, Event, Key, Modifiers};
use swarmarium_core::driving::Held;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::focus;
use swarmarium_lab_state::edit::driving::{Driver, Driving, drivable_of, keys_of};

/// Whether a key press drives a robot instead of running a command.
pub fn owns(lab: &Lab, key: Key, modifiers: Modifiers) -> bool {
    let is_plain = !modifiers.any();
    is_plain
        && lab.edits.driving.drivers.iter().filter_map(|driver| keys_of(driver.keys)).any(|keys| keys.contains(&key))
}

/// Returns the edits for the held keys.
pub fn actions(ctx: &egui::Context, lab: &mut Lab) -> Vec<Action> {
    let simulation = lab.run.host.simulation();
    let is_there =
        |driver: &Driver| drivable_of(simulation, driver.agent).is_some_and(|drivable| driver.is_of(&drivable));
    lab.edits.driving.drivers.retain(is_there);
    let hands_off = focus::is_typing(ctx) || lab.files.request.is_some() || lab.shell.popups.palette.is_some();
    if lab.edits.driving.drivers.iter().any(|driver| driver.gamepad > 0) {
        // An error of gamepads was shown when driving began.
        _ = lab.edits.driving.gamepads.update();
    }
    let pressed = |keys: [Key; 4]| {
        let [ahead, left, back, right] =
            keys.map(|key| ctx.input(|input| f64::from(!hands_off && !input.modifiers.command && input.key_down(key))));
        Held { ahead: ahead - back, left: left - right }
    };
    let Driving { drivers, gamepads } = &mut lab.edits.driving;
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
    !lab.edits.driving.drivers.is_empty() && ctx.input(|input| input.events.iter().any(is_own))
}
