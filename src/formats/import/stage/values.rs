//! Values of properties: numbers, lengths, angles, poses, texts.

use std::f64::consts::PI;

use bevy::math::DVec2;
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_base::math::{direction, wrap_angle};
use swarmarium_core::text::wording::shown;

use super::source::Sources;
use super::token::Token;
use super::world::{Property, World};

/// A pose in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Position.
    pub at_m: DVec2,
    /// Heading, anticlockwise from x.
    pub heading_rad: f64,
}

impl Pose {
    /// The pose of a part that has a pose relative to this one.
    pub fn of_part(self, part: Self) -> Self {
        let heading_rad = wrap_angle(self.heading_rad + part.heading_rad);
        Self { at_m: self.point(part.at_m), heading_rad }
    }

    /// A point that is given relative to this pose.
    pub fn point(self, point_m: DVec2) -> DVec2 {
        self.at_m + direction(self.heading_rad).rotate(point_m)
    }
}

/// The units of a world.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// Metres per unit of length.
    length_m: f64,
    /// Radians per unit of angle.
    angle_rad: f64,
}

/// Properties that only affect the window of Stage.
const OF_WINDOW: [&str; 22] = [
    "gui_nose",
    "gui_grid",
    "gui_outline",
    "gui_move",
    "gui_interval",
    "gui_disable",
    "gui_menu_interval",
    "paused",
    "show_clock",
    "show_clock_interval",
    "threads",
    "threadpool",
    "interval_real",
    "trail_length",
    "trail_interval",
    "say",
    "map_resolution",
    "alwayson",
    "event_queue",
    "debug",
    "stack_children",
    "fill",
];

/// The longest number with which a text begins, of at most [`MAX_LENGTH_M`].
fn begin_of_number(text: &str) -> Option<(String, f64)> {
    let is_part = |c: &char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.');
    let begin: String = text.chars().take_while(is_part).take(40).collect();
    let number = |end: usize| Some((begin[..end].to_owned(), begin[..end].parse().ok()?));
    (1..=begin.len()).rev().find_map(number).filter(|(_, number): &(_, f64)| number.abs() <= MAX_LENGTH_M)
}

/// Reads the properties of the models of a world.
pub struct Reader<'a, 's> {
    /// The models.
    pub world: &'a World,
    /// The files, with the problems and warnings.
    pub sources: &'a mut Sources<'s>,
    /// The units.
    units: Units,
    /// Properties of the window of Stage, each once, with the place of the first.
    of_window: Vec<String>,
    first_of_window: Option<Token>,
}

impl<'a, 's> Reader<'a, 's> {
    /// A reader of a world, with its units.
    pub fn new(world: &'a World, sources: &'a mut Sources<'s>) -> Self {
        let units = Units { length_m: 1.0, angle_rad: PI / 180.0 };
        let mut reader = Self { world, sources, units, of_window: Vec::new(), first_of_window: None };
        reader.units.length_m = reader.unit("unit_length", &[("m", 1.0), ("cm", 0.01), ("mm", 0.001)]);
        reader.units.angle_rad = reader.unit("unit_angle", &[("degrees", PI / 180.0), ("radians", 1.0)]);
        reader
    }

    fn unit(&mut self, name: &str, known: &[(&str, f64)]) -> f64 {
        let Some((token, text)) = self.text(0, name) else { return known[0].1 };
        match known.iter().find(|(unit, _)| *unit == text) {
            Some((_, unit)) => *unit,
            None => {
                let all = known.iter().map(|(unit, _)| format!("`{unit}`")).collect::<Vec<_>>().join(", ");
                let text = shown(&text);
                self.sources.warning(token, name, format!("expected {all}, found `{text}`: `{}` is used", known[0].0));
                known[0].1
            }
        }
    }

    /// The name by which the world makes a model.
    pub fn name_of(&self, model: usize) -> &str {
        self.sources.text(self.world.models[model].name)
    }

    /// The type of a model.
    pub fn kind_of(&self, model: usize) -> &str {
        self.sources.text(self.world.models[model].kind)
    }

    /// The token with the name of a model, for messages.
    pub fn token_of(&self, model: usize) -> Token {
        self.world.models[model].name
    }

    /// The last property of a model with a name.
    pub fn property(&self, model: usize, name: &str) -> Option<Property> {
        self.world.property_of(model, name)
    }

    /// Notes a warning about a model.
    pub fn warn(&mut self, model: usize, message: impl Into<String>) {
        let (token, path) = (self.token_of(model), self.name_of(model).to_owned());
        self.sources.warning(token, &path, message.into());
    }

    /// Notes a warning about a property.
    pub fn warn_of(&mut self, model: usize, name: &str, message: impl Into<String>) {
        let token = self.property(model, name).map_or_else(|| self.token_of(model), |property| property.name);
        let path = format!("{}.{name}", self.name_of(model));
        self.sources.warning(token, path.trim_start_matches('.'), message.into());
    }

    /// The number of a token; `None` with a warning if it is none. Text after a number is dropped, as in Stage.
    fn number_at(&mut self, token: Token, name: &str) -> Option<f64> {
        let text = self.sources.text(token);
        if let (Err(_), Some((begin, number))) = (text.parse::<f64>(), begin_of_number(text)) {
            let message = format!("`{}` is not a number: `{begin}` is used, as in Stage", shown(text));
            self.sources.warning(token, name, message);
            return Some(number);
        }
        let number = text.parse::<f64>().ok().filter(|number| number.abs() <= MAX_LENGTH_M);
        if number.is_none() {
            let message = format!("expected a number of at most {MAX_LENGTH_M}, found `{}`: ignored", shown(text));
            self.sources.warning(token, name, message);
        }
        number
    }

    /// All numbers of a property; empty with a warning if one is none.
    pub fn numbers(&mut self, model: usize, name: &str) -> Option<Vec<f64>> {
        let property = self.property(model, name)?;
        let tokens = property.values(self.sources).to_vec();
        let numbers: Option<Vec<f64>> = tokens.into_iter().map(|token| self.number_at(token, name)).collect();
        numbers.filter(|numbers| !numbers.is_empty())
    }

    /// The first number of a property.
    pub fn number(&mut self, model: usize, name: &str) -> Option<f64> {
        self.numbers(model, name)?.first().copied()
    }

    /// A length, in metres.
    pub fn length_m(&mut self, model: usize, name: &str) -> Option<f64> {
        self.number(model, name).map(|number| number * self.units.length_m)
    }

    /// An angle, in radians.
    pub fn angle_rad(&mut self, model: usize, name: &str) -> Option<f64> {
        self.number(model, name).map(|number| number * self.units.angle_rad)
    }

    /// All numbers of a property as lengths, in metres.
    pub fn lengths_m(&mut self, model: usize, name: &str) -> Option<Vec<f64>> {
        let unit = self.units.length_m;
        Some(self.numbers(model, name)?.into_iter().map(|number| number * unit).collect())
    }

    /// Whether a number is not 0.
    pub fn flag(&mut self, model: usize, name: &str, otherwise: bool) -> bool {
        self.number(model, name).map_or(otherwise, |number| number.trunc() != 0.0)
    }

    /// The first text of a property.
    pub fn text(&self, model: usize, name: &str) -> Option<(Token, String)> {
        let property = self.property(model, name)?;
        let token = property.values(self.sources).first().copied()?;
        Some((token, self.sources.text(token).to_owned()))
    }

    /// All texts of a property.
    pub fn texts(&self, model: usize, name: &str) -> Vec<String> {
        let values = self.property(model, name).map(|property| property.values(self.sources)).unwrap_or_default();
        values.iter().map(|token| self.sources.text(*token).to_owned()).collect()
    }

    /// A pose `[x y z heading]`, or `[x y heading]` as in early versions.
    pub fn pose(&mut self, model: usize, name: &str) -> Option<Pose> {
        let numbers = self.numbers(model, name)?;
        let Units { length_m, angle_rad } = self.units;
        let (x, y, heading) = match numbers[..] {
            [x, y, _, heading, ..] => (x, y, heading),
            [x, y, heading] => {
                self.warn_of(model, name, "three numbers are x, y and heading, as in early versions of Stage");
                (x, y, heading)
            }
            [x, y] => (x, y, 0.0),
            _ => {
                self.warn_of(model, name, "expected a pose `[x y z heading]`: ignored");
                return None;
            }
        };
        Some(Pose { at_m: DVec2::new(x, y) * length_m, heading_rad: wrap_angle(heading * angle_rad) })
    }

    /// A size `[x y z]` or `[x y]` in the plane.
    pub fn size_m(&mut self, model: usize) -> Option<DVec2> {
        let numbers = self.lengths_m(model, "size")?;
        match numbers[..] {
            [x, y, ..] if x >= 0.0 && y >= 0.0 => Some(DVec2::new(x, y)),
            _ => {
                self.warn_of(model, "size", "expected a size `[x y z]`, of at least 0: ignored");
                None
            }
        }
    }

    /// A range `[min max]` of lengths.
    pub fn range_m(&mut self, model: usize, name: &str) -> Option<(f64, f64)> {
        let numbers = self.lengths_m(model, name)?;
        match numbers[..] {
            [min, max, ..] if min >= 0.0 && max > 0.0 => Some((min, max)),
            _ => {
                self.warn_of(model, name, "expected `[min max]`, of at least 0: ignored");
                None
            }
        }
    }

    /// Notes all properties of a model that have no equivalent. `known` are the names of the others, without indices.
    pub fn note_lost(&mut self, model: usize, known: &[&str]) {
        let world = self.world;
        for property in &world.models[model].properties {
            let name = self.sources.text(property.name).to_owned();
            let plain = name.split('[').next().unwrap_or_default();
            if known.contains(&plain) || known.contains(&name.as_str()) {
                continue;
            }
            if OF_WINDOW.contains(&plain) {
                self.first_of_window = self.first_of_window.or(Some(property.name));
                if !self.of_window.contains(&name) {
                    self.of_window.push(name);
                }
            } else {
                let of = if model == 0 { "the world".to_owned() } else { format!("`{}`", shown(self.name_of(model))) };
                let message = format!("`{}` of {of} has no equivalent, and is left out", shown(&name));
                self.sources.warning(property.name, "", message);
            }
        }
    }

    /// Notes the properties of the window of Stage, all in one.
    pub fn note_window(&mut self) {
        if let Some(token) = self.first_of_window {
            let all = self.of_window.iter().map(|name| format!("`{}`", shown(name))).collect::<Vec<_>>().join(", ");
            self.sources.warning(token, "", format!("{all}: of the window or the speed of Stage, left out"));
        }
    }
}
