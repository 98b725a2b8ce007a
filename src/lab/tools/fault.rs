//! Letting something go wrong with robots.

use bevy_egui::egui::{PointerButton, Ui};

use super::kit::{Harm, Kit, choose};
use super::{Act, Hand, Mouse, Sketch};
use crate::agent::fault::Failure;
use crate::edit::Edit;
use crate::lab::selection::{self, Item};
use crate::lab::{Action, Lab};

/// What the mouse does.
pub const MOUSE: &[(&str, &str)] = &[("Click", "Let it go wrong with the robot, or set it right")];

impl Harm {
    /// All of them, with their names and what they do.
    const ALL: [(Self, &str, &str); 5] = [
        (Self::Kill, "Kill", "A click lets a robot neither move nor sense nor send any more"),
        (Self::Freeze, "Freeze", "A click lets a robot not move any more"),
        (Self::Deafen, "Deafen", "A click lets a robot hear nothing by radio any more"),
        (Self::Blind, "Blind", "A click lets a robot sense nothing any more"),
        (Self::Repair, "Repair", "A click sets all right that went wrong with a robot"),
    ];

    /// What goes wrong, by its name in scenes; `None` where this program knows none, and for a repair.
    fn failure(self) -> Option<Failure> {
        let name = match self {
            Self::Kill => "Dies",
            Self::Freeze => "Freezes",
            Self::Deafen => "Deafens",
            Self::Blind => "Blinds",
            Self::Repair => return None,
        };
        ron::from_str(name).ok()
    }

    /// What can be chosen.
    fn known() -> Vec<(Self, &'static str, &'static str)> {
        let is_known = |(harm, ..): &(Self, _, _)| *harm == Self::Repair || harm.failure().is_some();
        Self::ALL.into_iter().filter(is_known).collect()
    }

    /// The edits that do it to an agent, by its number.
    pub fn edits(self, agent: u32) -> Vec<Edit> {
        match self.failure() {
            Some(what) => vec![Edit::Fault { agent, what, is_on: true }],
            None if self == Self::Repair => {
                let all = Self::ALL.into_iter().filter_map(|(harm, ..)| harm.failure());
                all.map(|what| Edit::Fault { agent, what, is_on: false }).collect()
            }
            None => Vec::new(),
        }
    }
}

/// Lets something go wrong with robots.
pub struct Breaker;

impl Hand for Breaker {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        let is_click = matches!(mouse.act, Act::Click | Act::DoubleClick);
        let agent = selection::agent_at(lab.host.simulation(), mouse.at_m, lab.painted.camera.pixels_per_m);
        match agent {
            Some(Item::Agent(agent)) if is_click && mouse.button == PointerButton::Primary => {
                vec![Action::Edits(lab.kit.harm.edits(agent))]
            }
            _ => Vec::new(),
        }
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        let Some(at_m) = sketch.cursor_m else { return };
        let simulation = lab.host.simulation();
        let Some(item) = selection::agent_at(simulation, at_m, lab.painted.camera.pixels_per_m) else { return };
        sketch.ring(simulation, item);
        let verb = Harm::ALL.into_iter().find(|(harm, ..)| *harm == lab.kit.harm).map_or("", |(_, name, _)| name);
        let name = selection::name(simulation, item).unwrap_or_default();
        sketch.words(at_m, &format!("{verb} {name}"));
    }

    fn has_options(&self) -> bool {
        true
    }

    fn options(&self, ui: &mut Ui, _: &Lab, kit: &mut Kit) {
        choose(ui, &mut kit.harm, &Harm::known());
    }
}
