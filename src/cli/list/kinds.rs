//! The kinds of lists, with all that help and the reference say about them.

use bevy::reflect::Reflect;
use bevy::reflect::enums::DynamicEnum;
use serde::Serialize;
use swarmarium_core::kind::{Family as _, Kind, Slot};
use swarmarium_core::metric::{MetricFamily, Quantity};
use swarmarium_core::sensor::{SensorFamily, SensorKinds};
use swarmarium_core::text::values::choices;
use swarmarium_scene::scene::describe::{self, FieldDescription};
use swarmarium_simulation::simulation::Recipe;

use super::Listing;

/// A kind in a list.
#[derive(Serialize)]
pub struct ListedKind {
    pub family: &'static str,
    pub name: &'static str,
    pub about: String,
    /// Sections of the documentation, such as the formula of a metric, as Markdown.
    pub sections: String,
    pub fields: Vec<FieldDescription>,
    /// The columns of a metric whose fields have their defaults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ListedColumn>,
    /// The numbers of a reading of a sensor whose fields have their defaults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<ListedNumber>,
    /// The readings of a sensor with other choices of one parameter, if they have other names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_readings: Vec<OtherReading>,
    /// A scene with the kind, where the kind is listed by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// A column of a metric in a list.
#[derive(Serialize)]
pub struct ListedColumn {
    pub name: String,
    /// The quantity in words.
    pub quantity: String,
    /// The unit, or an empty text.
    pub unit: &'static str,
}

/// A number of a reading, or several numbers that repeat earlier ones with another index, in a list.
#[derive(Serialize)]
pub struct ListedNumber {
    /// The place in the reading, from 0: `4`, or `1 to 180`.
    pub number: String,
    /// The name, in scripts and traces; empty without one.
    pub name: &'static str,
    /// The quantity in words; for several numbers, `…` and the quantity of the last one.
    pub quantity: String,
    /// The unit, or an empty text.
    pub unit: &'static str,
}

/// A reading of a sensor with another choice of a parameter, in a list.
#[derive(Serialize)]
pub struct OtherReading {
    /// The parameter with its value, as scenes have it: `level: Raw`.
    pub field: String,
    /// The numbers.
    pub numbers: Vec<ListedNumber>,
}

impl OtherReading {
    /// The readings of a sensor for all choices that give its numbers other names.
    fn of_sensor(kinds: &SensorKinds, sensor: &Kind) -> Vec<Self> {
        let default = (sensor.default)();
        let Ok(fields) = sensor.info.as_struct() else { return Vec::new() };
        let mut others = Vec::new();
        for field in fields.iter() {
            for name in field.type_info().and_then(choices).unwrap_or_default() {
                let mut other = (*default).clone_value();
                let value = other.reflect_mut().as_struct().ok().and_then(|other| other.field_mut(field.name()));
                let is_set = value.is_some_and(|value| match name.parse::<bool>() {
                    Ok(flag) => value.try_apply(&flag).is_ok(),
                    Err(_) => value.try_apply(&DynamicEnum::new(name, ())).is_ok(),
                });
                if is_set && kinds.fields(&*other) != kinds.fields(&*default) {
                    let numbers = ListedNumber::of_sensor(kinds, &*other);
                    others.push(Self { field: format!("{}: {name}", field.name()), numbers });
                }
            }
        }
        others
    }
}

/// In longer readings, numbers that repeat earlier ones with another index share a row.
const MOST_NUMBERS: usize = 8;

impl ListedNumber {
    /// The numbers of a reading of a sensor.
    fn of_sensor(kinds: &SensorKinds, sensor: &dyn Reflect) -> Vec<Self> {
        let (names, count) = (kinds.fields(sensor), kinds.channels(sensor).unwrap_or_default());
        let number = |place: usize| {
            let (quantity, unit) = kinds.channel(sensor, place);
            Self { number: place.to_string(), name: names.get(place).copied().unwrap_or_default(), quantity, unit }
        };
        let stem = |place: usize| {
            let (quantity, _) = kinds.channel(sensor, place);
            quantity.split(|letter: char| letter.is_ascii_digit()).next().unwrap_or_default().to_owned()
        };
        let first = (1..count).find(|place| (0..*place).any(|before| stem(before) == stem(*place)));
        match first.filter(|_| names.is_empty() && count > MOST_NUMBERS) {
            Some(first) => {
                let (last, unit) = kinds.channel(sensor, count - 1);
                let is_common = (first..count).all(|place| kinds.channel(sensor, place).1 == unit);
                let rest = Self {
                    number: format!("{first} to {}", count - 1),
                    name: "",
                    quantity: format!("… {last}"),
                    unit: if is_common { unit } else { "" },
                };
                (0..first).map(number).chain([rest]).collect()
            }
            None => (0..count).map(number).collect(),
        }
    }

    /// The quantity with its unit.
    pub fn label(&self) -> String {
        with_unit(&self.quantity, self.unit)
    }
}

impl ListedColumn {
    /// The quantity with its unit.
    pub fn label(&self) -> String {
        with_unit(&self.quantity, self.unit)
    }
}

impl ListedKind {
    /// The kinds of a list.
    pub fn all(recipe: &Recipe, listing: Listing) -> impl Iterator<Item = Self> {
        let kinds = recipe.kinds();
        let families =
            kinds.family_names().iter().filter(move |name| listing.family().is_none_or(|family| family == **name));
        families.flat_map(|family| kinds.family(family)).map(|kind| Self::new(recipe, kind))
    }

    fn new(recipe: &Recipe, kind: &Kind) -> Self {
        let (about, sections) = (describe::about(kind), describe::sections(kind));
        let fields = describe::fields_of(recipe.kinds(), kind);
        let columns = match kind.family {
            MetricFamily::NAME => recipe.metric_kinds().columns(&[Slot::from_value((kind.default)())]),
            _ => Vec::new(),
        };
        let column = |(name, Quantity { name: quantity, unit, .. })| ListedColumn { name, quantity, unit };
        let columns = columns.into_iter().map(column).collect();
        let sensors = recipe.sensor_kinds();
        let (numbers, other_readings) = match kind.family {
            SensorFamily::NAME => {
                (ListedNumber::of_sensor(sensors, &*(kind.default)()), OtherReading::of_sensor(sensors, kind))
            }
            _ => (Vec::new(), Vec::new()),
        };
        let (family, name) = (kind.family, kind.name);
        Self { family, name, about, sections, fields, columns, numbers, other_readings, example: None }
    }
}

/// A quantity with its unit, if it has one.
fn with_unit(quantity: &str, unit: &str) -> String {
    if unit.is_empty() { quantity.to_owned() } else { format!("{quantity}, {unit}") }
}
