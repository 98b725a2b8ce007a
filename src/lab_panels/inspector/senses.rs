//! The readings of a robot's sensors as words, drawings and numbers.

use bevy_egui::egui::{Align, Label, Rect, Sense as Sensitivity, Ui, UiBuilder, vec2};
use swarmarium_core::sensor::Gauge;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_scene::agent_view::Sense;

use crate::inspector::line::{self, Cells, Line, cell, number_text};
use crate::inspector::{MOST_NUMBERS, chart, drawing, listed, theme};
use crate::parameters::Fold;

/// Readings with more numbers are shown as a drawing and a list that folds.
const FEW: usize = 8;

/// Side of the drawing of a field of view, in points.
const CONE_PX: f32 = 2.0 * line::HEIGHT;

/// Side of the drawing of rays, in points.
const RAYS_PX: f32 = 104.0;

/// Width of the bearing of a ray, in points.
const BEARING_PX: f32 = 44.0;

/// Draws the sensors, ordered by slot.
pub fn ui(ui: &mut Ui, lab: &Lab, number: u32, senses: &[Sense], actions: &mut Vec<Action>) {
    if senses.is_empty() {
        ui.weak("No sensors");
    }
    for (slot, sense) in senses.iter().enumerate() {
        let view = SensorView { lab, slot, sense, gauge: sense.gauge(), number };
        if slot > 0 {
            ui.add_space(theme::TINY_GAP);
        }
        ui.push_id(("sensor", slot), |ui| view.ui(ui, actions));
    }
}

/// Whether any sensor detects something; `None` if no sensor can detect.
pub fn detects(senses: &[Sense]) -> Option<bool> {
    let found = senses.iter().filter_map(|sense| is_lit(&sense.gauge(), sense.reading));
    found.reduce(|a, b| a || b)
}

/// Whether a reading is a detection; `None` for readings that only measure.
fn is_lit(gauge: &Gauge, reading: &[f64]) -> Option<bool> {
    match gauge {
        Gauge::Lamps | Gauge::Cone { .. } => Some(reading.iter().any(|number| *number != 0.0)),
        Gauge::Rays { .. } => Some(reading.iter().any(|number| gauge.part(*number).is_some_and(|part| part < 1.0))),
        Gauge::Numbers | Gauge::Bars { .. } => None,
    }
}

/// One sensor.
struct SensorView<'a> {
    lab: &'a Lab,
    slot: usize,
    sense: &'a Sense<'a>,
    gauge: Gauge,
    /// The number of the robot.
    number: u32,
}

impl SensorView<'_> {
    fn ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let theme = self.lab.shell.settings.theme;
        let reading = self.sense.reading;
        match &self.gauge {
            Gauge::Cone { bearing_rad, half_angle_rad } if reading.len() == 1 => {
                let top = ui.cursor().min;
                let width = ui.available_width();
                let shown = Rect::from_min_size(top, vec2(CONE_PX, CONE_PX));
                let is_lit = reading.iter().any(|number| *number != 0.0);
                drawing::cone(ui.painter(), theme, shown, (*bearing_rad, *half_angle_rad), is_lit);
                let hover = ui.interact(shown, ui.id().with("cone"), Sensitivity::hover());
                hover.on_hover_text("Field of view; forward is up. Filled while the reading is not 0");
                beside(ui, CONE_PX, width, |ui| {
                    self.head(ui);
                    let Some(number) = reading.first() else { return };
                    let line = Line {
                        name: &self.words(),
                        is_reading: true,
                        about: "The reading, and the nearest robot or object now in sight",
                        value: &number_text(*number),
                        unit: self.sense.channel(0).1,
                        pin: Some(self.path(0)),
                    };
                    line.ui(ui, self.lab, actions);
                });
            }
            Gauge::Rays { bearings_rad, .. } => {
                self.head(ui);
                self.say(ui);
                self.rays(ui, bearings_rad, actions);
            }
            Gauge::Lamps => {
                self.head(ui);
                self.numbers(ui, actions);
                if self.sense.sees.is_some() {
                    self.say(ui);
                }
            }
            _ => {
                self.head(ui);
                if reading.len() > FEW {
                    chart::bars(ui, theme, reading);
                    self.all_numbers(ui, actions);
                } else {
                    self.numbers(ui, actions);
                }
                if self.sense.sees.is_some() {
                    self.say(ui);
                }
            }
        }
    }

    /// Returns the path of a channel.
    pub fn path(&self, channel: usize) -> String {
        let path = format!("agents.{}.readings.{}", self.number, self.slot);
        if self.sense.reading.len() == 1 { path } else { format!("{path}.{channel}") }
    }

    /// Draws the kind of the sensor and its slot.
    fn head(&self, ui: &mut Ui) {
        let cells = Cells::next(ui);
        let whole = Rect::from_min_max(cells.name.min, cells.pin.max);
        let about = "Kind and slot of the sensor; controllers and paths refer to sensors by slot";
        cell(ui, whole, Align::Max, |ui| {
            ui.weak(format!("sensor {}", self.slot)).on_hover_text(about);
            let rest = ui.available_rect_before_wrap();
            cell(ui, rest, Align::Min, |ui| {
                ui.add(Label::new(self.sense.kind).truncate()).on_hover_text(about);
            });
        });
    }

    /// Describes the detection in words.
    fn words(&self) -> String {
        let (reading, sees) = (self.sense.reading, &self.sense.sees);
        if reading.is_empty() {
            return "no reading yet".into();
        }
        let is_lit = is_lit(&self.gauge, reading);
        let mut words = match (is_lit, sees) {
            (Some(false), _) => "sees nothing".into(),
            (_, Some(name)) => format!("sees {name}"),
            (Some(true), None) => "sees something".into(),
            (None, None) => String::new(),
        };
        if let (Some(true), Some((part, bearing_rad))) = (is_lit, self.nearest())
            && part < 1.0
        {
            words += &format!(", nearest at {}", bearing_text(bearing_rad));
        }
        words
    }

    /// Returns the shortest ray: its length as a fraction of the range, and its bearing.
    fn nearest(&self) -> Option<(f64, f64)> {
        let Gauge::Rays { bearings_rad, .. } = &self.gauge else { return None };
        let parts = bearings_rad.iter().zip(self.sense.reading);
        let parts = parts.filter_map(|(bearing_rad, number)| Some((self.gauge.part(*number)?, *bearing_rad)));
        parts.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Draws the detection in words on a line of its own.
    fn say(&self, ui: &mut Ui) {
        let cells = Cells::next(ui);
        let whole = Rect::from_min_max(cells.name.min, cells.pin.max);
        cell(ui, whole, Align::Min, |ui| {
            let about = "The reading of the last step in words, with the nearest robot or object now in sight";
            ui.add(Label::new(self.words()).truncate()).on_hover_text(about);
        });
    }

    /// Draws rays around the robot, with their numbers beside or below.
    fn rays(&self, ui: &mut Ui, bearings_rad: &[f64], actions: &mut Vec<Action>) {
        let (top, width) = (ui.cursor().min, ui.available_width());
        let shown = Rect::from_min_size(top, vec2(RAYS_PX, RAYS_PX));
        drawing::rays(ui.painter(), self.lab.shell.settings.theme, shown, &self.gauge, self.sense.reading);
        let hover = ui.interact(shown, ui.id().with("rays"), Sensitivity::hover());
        hover.on_hover_text("Each ray ends where it is blocked; the circle is the range. Forward is up");
        let is_few = self.sense.reading.len() <= FEW;
        beside(ui, RAYS_PX, width, |ui| {
            if is_few {
                for (channel, (bearing_rad, number)) in bearings_rad.iter().zip(self.sense.reading).enumerate() {
                    let (name, unit) = self.sense.channel(channel);
                    let cells = Cells::next(ui);
                    let name_cell =
                        Rect::from_x_y_ranges(cells.name.left()..=cells.name.left() + BEARING_PX, cells.name.y_range());
                    let line = Line {
                        name: &bearing_text(*bearing_rad),
                        about: &format!("{name}: reading of the last step"),
                        value: &number_text(*number),
                        unit,
                        pin: Some(self.path(channel)),
                        ..Line::default()
                    };
                    line.within(ui, self.lab, &Cells { name: name_cell, ..cells }, actions);
                }
            } else {
                ui.weak(format!("{} rays", self.sense.reading.len()));
            }
        });
        if !is_few {
            self.all_numbers(ui, actions);
        }
    }

    /// Draws a list of all numbers that folds.
    fn all_numbers(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let fold = Fold::new("numbers", "All numbers", "");
        if !fold.ui(ui, self.lab.shell.settings.theme, "All numbers of this reading, in order") {
            return;
        }
        if self.sense.reading.len() <= MOST_NUMBERS {
            self.numbers(ui, actions);
        } else {
            ui.label(theme::number(listed(self.sense.reading)));
        }
    }

    /// Draws a line for each number: label, drawing if any, value and unit.
    pub fn numbers(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let theme = self.lab.shell.settings.theme;
        for (channel, number) in self.sense.reading.iter().enumerate() {
            let (name, unit) = self.sense.channel(channel);
            let line = Line {
                name: &name,
                about: &format!("{name}: reading of the last step"),
                value: &number_text(*number),
                unit,
                pin: Some(self.path(channel)),
                ..Line::default()
            };
            line.with_drawing(ui, self.lab, actions, |ui, rect| match &self.gauge {
                Gauge::Lamps => {
                    drawing::lamp(ui.painter(), theme, rect.right_center() - vec2(8.0, 0.0), *number != 0.0);
                }
                gauge => {
                    if let Some(part) = gauge.part(*number) {
                        drawing::bar(ui.painter(), theme, rect, part);
                    }
                }
            });
        }
    }
}

/// Draws content to the right of a drawing, and continues below both.
fn beside(ui: &mut Ui, side: f32, width: f32, content: impl FnOnce(&mut Ui)) {
    let top = ui.cursor().min;
    let place = Rect::from_min_size(top + vec2(side + theme::GAP, 0.0), vec2(width - side - theme::GAP, side));
    let mut child = ui.new_child(UiBuilder::new().id_salt("beside").max_rect(place));
    child.spacing_mut().item_spacing.y = 0.0;
    content(&mut child);
    let height = child.min_rect().height().max(side);
    ui.allocate_space(vec2(width, height));
}

/// Formats a direction in whole degrees, anticlockwise from forward.
fn bearing_text(bearing_rad: f64) -> String {
    let degrees = swarmarium_base::math::wrap_angle(bearing_rad).to_degrees();
    // No sign for 0.
    format!("{:.0}°", if degrees.abs() < 0.5 { 0.0 } else { degrees })
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_testing::{do_steps, lab_of, window};

    use super::*;

    #[test]
    fn every_number_of_a_reading_can_be_plotted() {
        let mut lab = lab_of("(groups: [(name: \"g\", sensors: [BinaryFov()], controller: Constant())])");
        do_steps(&mut lab, 1);
        lab.select(Some(Item::Agent(0)));
        let channels = lab.run.host.simulation().agent(0).unwrap().senses()[0].reading.len();
        for channel in 0..channels {
            lab.plots.pin(&lab.run, &mut lab.notices, &format!("agents.0.readings.0.{channel}"));
        }
        assert_eq!(lab.plots.history.pins().count(), channels);
        let (window, _) = window(lab);
        window.get_by_label("BinaryFov");
        window.get_by_label("sensor 0");
    }

    #[test]
    fn the_numbers_of_a_reading_have_names_and_units() {
        let group = |name: &str, rest: &str| format!("(name: \"{name}\", {rest}, at: [(1.0, 1.0, 0.0)]),");
        let groups = [
            group("quickbot", "robot: \"quickbot\", controller: Constant()"),
            group("other", "sensors: [Proximity(rays: 2, response: Distance), Pose(), InRegion(regions: [\"home\"])]"),
        ];
        let objects = "objects: [Region(name: \"home\")]";
        let mut lab = lab_of(&format!("(groups: [{}], {objects})", groups.concat()));
        do_steps(&mut lab, 1);
        let told = |agent: u32| {
            let agent = lab.run.host.simulation().agent(agent).unwrap();
            let senses = agent.senses();
            let channels = senses.iter().flat_map(|sense| (0..sense.reading.len()).map(|place| sense.channel(place)));
            channels.map(|(name, unit)| format!("{name} [{unit}]")).collect::<Vec<_>>().join("; ")
        };
        insta::assert_snapshot!(told(0), @"Sensor 0, 90° [m]; Sensor 1, 45° [m]; Sensor 2, 0° [m]; Sensor 3, -45° [m]; Sensor 4, -90° [m]; Left [ticks]; Right [ticks]; X [m]; Y [m]; Heading [rad]");
        insta::assert_snapshot!(told(1), @"Ray 0, 90° [m]; Ray 1, -90° [m]; X [m]; Y [m]; Z [m]; Yaw [rad]; Pitch [rad]; Roll [rad]; In home []");
        lab.select(Some(Item::Agent(0)));
        let (mut window, _) = window(lab);
        window.set_size(vec2(1280.0, 2400.0));
        window.run_steps(3);
        window.get_by_label("-45°");
        window.get_by_label("Pin agents.0.readings.0.2");
        assert!(window.query_by_label("Number 0").is_none());
    }
    #[test]
    fn the_inspector_describes_readings_in_words() {
        let groups = "(name: \"a\", sensors: [BinaryFov(), Proximity(rays: 4, range_m: 1.0)], at: [(1.0, 1.0, 0.0)]),
            (name: \"b\", at: [(1.5, 1.0, 0.0)])";
        let mut lab = lab_of(&format!("(groups: [{groups}])"));
        do_steps(&mut lab, 1);
        let agent = lab.run.host.simulation().agent(0).unwrap();
        let senses = agent.senses();
        assert_eq!(detects(&senses), Some(true));
        let words = |slot: usize| {
            let sense = &senses[slot];
            SensorView { lab: &lab, slot, sense, gauge: sense.gauge(), number: 0 }.words()
        };
        assert_eq!(words(0), "sees b");
        assert!(words(1).starts_with("sees"), "{}", words(1));
        assert_eq!(detects(&lab.run.host.simulation().agent(1).unwrap().senses()), None, "it has no sensors");
        assert_eq!([-0.001, 0.785, -3.0].map(bearing_text), ["0°", "45°", "-172°"]);
    }
}
