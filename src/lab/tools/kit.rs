//! What the tools are set to, and the controls for that.

use std::ops::RangeInclusive;

use bevy_egui::egui::{Button, DragValue, Ui};
use swarmarium_core::agent::failure::Failure;

/// What the tools are set to.
#[derive(Clone, Debug, PartialEq)]
pub struct Kit {
    /// Whether positions snap to the grid and headings to 15 degrees.
    pub snaps: bool,
    /// What robots are made of.
    pub brush: Brush,
    /// How thick walls are, in metres.
    pub thickness_m: f64,
    /// The form of obstacles and regions.
    pub form: Form,
    /// The radius of what is made by a click, in metres.
    pub radius_m: f64,
    /// How bright lights are at a distance of one metre.
    pub intensity: f64,
    /// What goes wrong with robots.
    pub harm: Harm,
}

impl Default for Kit {
    fn default() -> Self {
        Self {
            snaps: false,
            brush: Brush::default(),
            thickness_m: 0.1,
            form: Form::Disc,
            radius_m: 0.3,
            intensity: 1.0,
            harm: Harm::Failure(Failure::Dies),
        }
    }
}

/// How robots are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Brush {
    /// What they belong to; the first group of the scene when there is none.
    pub source: Option<Source>,
    /// Where they look.
    pub facing: Facing,
    /// Where they look when that is fixed, in degrees anticlockwise from x.
    pub heading_deg: f64,
    /// Whether a drag paints many.
    pub paints: bool,
    /// How far apart those that are painted stand, in metres.
    pub spacing_m: f64,
}

impl Default for Brush {
    fn default() -> Self {
        Self { source: None, facing: Facing::Drag, heading_deg: 0.0, paints: false, spacing_m: 0.5 }
    }
}

/// What new robots belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A group of the scene, by its name.
    Group(String),
    /// A robot that comes with the program, by its name: a group of that name is made for it.
    Robot(String),
}

impl Source {
    /// The name of the group.
    pub fn name(&self) -> &str {
        let (Self::Group(name) | Self::Robot(name)) = self;
        name
    }
}

/// Where new robots look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// Along the drag that makes them.
    Drag,
    /// Anywhere.
    Random,
    /// All the same way.
    Fixed,
}

/// The form of what is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A disc, from its middle.
    Disc,
    /// A rectangle, from corner to corner.
    Rectangle,
}

/// What a click does to a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// Something goes wrong with it.
    Failure(Failure),
    /// All is right with it again.
    Repair,
}

/// Draws one button for each choice, with its name and what it does.
pub fn choose<T: PartialEq + Copy>(ui: &mut Ui, chosen: &mut T, choices: &[(T, &str, &str)]) {
    for (choice, name, hint) in choices {
        if ui.add(Button::selectable(*chosen == *choice, *name)).on_hover_text(*hint).clicked() {
            *chosen = *choice;
        }
    }
}

/// Draws a field for a number with its unit.
pub fn number(ui: &mut Ui, number: &mut f64, name: &str, unit: &str, range: RangeInclusive<f64>) {
    let (least, most) = (*range.start(), *range.end());
    // Lengths span orders of magnitude, angles do not.
    let speed = if least < 0.0 { 1.0 } else { (number.abs() * 0.01).max(0.002) };
    let field = DragValue::new(number).range(range).speed(speed).max_decimals(3);
    let field = ui.add(field.prefix(format!("{name} ")).suffix(unit));
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(name));
    field.on_hover_text(format!("{name}, from {least} to {most}{unit}"));
}
