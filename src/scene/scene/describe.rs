//! Descriptions of kinds for `list`, tooltips and panels.

mod types;

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::{NamedField, TypeInfo, TypeRegistration};
use serde::{Serialize, Serializer};
use swarmarium_base::limits::Limits;
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::kind::{Kind, Kinds, ReflectSlot, Required};
use swarmarium_core::text::shared::SharedText;
use swarmarium_core::text::values::{integer_range, is_option, type_ident};
use swarmarium_core::text::wording::{UNITS, join};

use crate::scene::writer::{Style, write};

pub use types::{TypeDescription, VariantDescription, scene_types};

/// One parameter of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldDescription {
    /// The name, with dots for nested parts: `clear.v_m_per_s`.
    pub name: String,
    /// The type in plain words: `number`, `text`, `list of sensors`.
    pub type_name: String,
    /// The unit, from the suffix of the name.
    pub unit: Option<&'static str>,
    /// The allowed range.
    #[serde(serialize_with = "write_limits")]
    pub limits: Option<Limits>,
    /// Whether a scene must state it.
    pub required: bool,
    /// The default, in the notation of a scene.
    pub default: String,
    /// The doc comment.
    pub about: String,
    /// Whether it is a common parameter of the family.
    pub common: bool,
}

/// Limits for JSON, which has no infinity.
#[derive(Serialize)]
struct Range {
    min: Option<f64>,
    max: Option<f64>,
    above_min: bool,
}

fn write_limits<S: Serializer>(limits: &Option<Limits>, serializer: S) -> Result<S::Ok, S::Error> {
    let finite = |bound: f64| bound.is_finite().then_some(bound);
    let range = limits.map(|Limits { min, max, above_min }| Range { min: finite(min), max: finite(max), above_min });
    range.serialize(serializer)
}

/// The doc comment of a kind.
pub fn about(kind: &Kind) -> String {
    trim(kind.info.docs())
}

/// All parameters of a kind, in the order of its fields.
pub fn fields_of(kinds: &Kinds, kind: &Kind) -> Vec<FieldDescription> {
    let mut described = Vec::new();
    let default = (kind.default)();
    describe(kinds, "", &*default, None, &mut described);
    if let Some(common) = kinds.common_default(kind.family) {
        let own = described.len();
        describe(kinds, "", &*common, None, &mut described);
        described[own..].iter_mut().for_each(|field| field.common = true);
    }
    described
}

/// The unit that the suffix of a field name stands for.
pub fn unit_of(field_name: &str) -> Option<&'static str> {
    UNITS.iter().find(|(ending, _)| field_name.ends_with(ending)).map(|(_, unit)| *unit)
}

/// The plain name of the members of a list: `numbers`, `points`, `sensors`.
pub fn members_name(kinds: &Kinds, list: &TypeInfo) -> String {
    list.as_list().map_or_else(|_| "values".into(), |list| plural(&type_name(kinds, list.item_ty().id())))
}

/// The prose of a doc comment, up to its first heading, as one line of text.
pub fn trim(docs: Option<&str>) -> String {
    let prose = docs.unwrap_or_default().lines();
    // Headings and examples are for other pages.
    let prose = prose.take_while(|line| !is_heading(line) && !line.trim_start().starts_with("```"));
    prose.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The sections of the doc comment of a kind, from its first heading on, as Markdown; empty without headings.
///
/// Metrics, and some controllers, have a section with their formula.
pub fn sections(kind: &Kind) -> String {
    let lines = kind.info.docs().unwrap_or_default().lines();
    let lines = lines.skip_while(|line| !is_heading(line)).map(|line| line.strip_prefix(' ').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn is_heading(line: &str) -> bool {
    line.trim_start().starts_with("# ")
}

/// Describes the fields of a struct, including those of nested structs.
fn describe(kinds: &Kinds, prefix: &str, value: &dyn Reflect, limits: Option<Limits>, all: &mut Vec<FieldDescription>) {
    let Ok(fields) = value.reflect_ref().as_struct() else { return };
    let Some(info) = fields.get_represented_struct_info() else { return };
    for field in info.iter() {
        let Some(default) = fields.field(field.name()).and_then(PartialReflect::try_as_reflect) else { continue };
        let name = format!("{prefix}{}", field.name());
        let limits = field.get_attribute::<Limits>().copied().or(limits);
        if is_nested(default) {
            describe(kinds, &format!("{name}."), default, limits, all);
        } else {
            all.push(describe_field(kinds, name, field, default, limits));
        }
    }
}

fn describe_field(
    kinds: &Kinds,
    name: String,
    field: &NamedField,
    default: &dyn Reflect,
    limits: Option<Limits>,
) -> FieldDescription {
    FieldDescription {
        type_name: type_name(kinds, field.type_id()),
        unit: unit_of(&name),
        limits,
        required: field.has_attribute::<Required>(),
        default: write(kinds, default, Style::Full),
        about: trim(field.docs()),
        common: false,
        name,
    }
}

/// Whether a value is a struct with parameters of its own, rather than one parameter such as a point.
fn is_nested(value: &dyn Reflect) -> bool {
    let info = value.reflect_type_info().as_struct();
    info.is_ok_and(|info| info.field_len() > 0 && !info.type_path().starts_with("glam::"))
}

/// The plain name of a type.
fn type_name(kinds: &Kinds, type_id: TypeId) -> String {
    let Some(registration) = kinds.types().get(type_id) else { return "value".into() };
    if let Some(slot) = registration.data::<ReflectSlot>() {
        return slot.family.into();
    }
    let info = registration.type_info();
    let ident = type_ident(info.type_path_table());
    match info {
        TypeInfo::Struct(info) if info.type_path().starts_with("glam::") => "point".into(),
        TypeInfo::Enum(info) if is_option(info) => match info.generics().first() {
            Some(value) => format!("{} or None", type_name(kinds, value.type_id())),
            None => ident.into(),
        },
        TypeInfo::Enum(info) => join(info.variant_names(), "or"),
        TypeInfo::List(list) => format!("list of {}", plural(&item_name(kinds, list.item_ty().id()))),
        TypeInfo::Array(array) => format!("{} {}", array.capacity(), plural(&type_name(kinds, array.item_ty().id()))),
        TypeInfo::Tuple(tuple) => {
            let parts: Vec<_> = tuple.iter().map(|part| type_name(kinds, part.type_id())).collect();
            format!("({})", parts.join(", "))
        }
        _ if integer_range(type_id).is_some() => "integer".into(),
        _ if type_id == TypeId::of::<f64>() || type_id == TypeId::of::<f32>() => "number".into(),
        _ if type_id == TypeId::of::<bool>() => "true or false".into(),
        _ if [TypeId::of::<String>(), TypeId::of::<SharedText>()].contains(&type_id) => "text".into(),
        _ if type_id == TypeId::of::<DeclaredValues>() => "values by name".into(),
        _ => ident.into(),
    }
}

/// The plain name of the type of an item of a list: a struct is its fields, `(bits, drive)`.
fn item_name(kinds: &Kinds, type_id: TypeId) -> String {
    let registration = kinds.types().get(type_id).filter(|registration| registration.data::<ReflectSlot>().is_none());
    match registration.map(TypeRegistration::type_info) {
        Some(TypeInfo::Struct(info)) if !info.type_path().starts_with("glam::") => {
            format!("({})", info.field_names().join(", "))
        }
        _ => type_name(kinds, type_id),
    }
}

fn plural(noun: &str) -> String {
    if noun.starts_with('(') {
        noun.to_owned()
    } else if noun.contains(|c: char| !c.is_alphanumeric()) {
        format!("({noun})")
    } else if noun.ends_with('s') {
        noun.to_string()
    } else if let Some(stem) = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        format!("{stem}ies")
    } else {
        format!("{noun}s")
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::text::wording::capital;
    use swarmarium_core::text::wording::words;

    use super::*;
    use crate::scene::reader::tests::kinds;

    fn rows(family: &str, name: &str) -> Vec<FieldDescription> {
        let kinds = kinds();
        fields_of(&kinds, kinds.get(family, name).unwrap())
    }

    #[test]
    fn fields_are_described_in_plain_words() {
        let rows = rows("sensor", "Fov");
        let words: Vec<_> = rows.iter().map(|row| (row.type_name.as_str(), row.default.as_str())).collect();
        let expected = [
            ("number", "2.0"),
            ("point", "(0.0, 0.0)"),
            ("integer or None", "None"),
            ("list of numbers", "[1.0, 2.0]"),
            ("(number, integer)", "(1.5, 2)"),
            ("3 numbers", "[1.0, 1.0, 1.0]"),
            ("list of (Metres, 2 integers)", "[]"),
            // Common parameters of sensors.
            ("text", "\"\""),
            ("true or false", "true"),
            ("number", "0.0"),
            ("number", "0.0"),
            ("list of noises", "[]"),
            ("list of (Stream, Services or Overlay)", "[]"),
        ];
        assert_eq!(words, expected);
        assert_eq!(rows[0].unit, Some("m"));
        assert_eq!(rows[0].about.as_str(), "How far.");
        assert_eq!(rows[0].limits, Some(Limits::POSITIVE));
    }

    #[test]
    fn flattens_structs_and_names_families() {
        let two = rows("controller", "Two");
        let names: Vec<_> = two.iter().map(|row| (row.name.as_str(), row.unit, row.default.as_str())).collect();
        assert_eq!(names[1], ("clear.turn_rad_per_s", Some("rad/s"), "-0.6"));
        assert_eq!(two[4].type_name, "Idle, Ramp or Pick");
        let switch = rows("controller", "Switch");
        assert_eq!(switch[0].type_name, "controller");
        assert_eq!(switch[1].type_name, "list of controllers");
    }

    #[test]
    fn names_are_split_into_words_and_units() {
        assert_eq!(words("average_speed_m_per_s"), ("Average speed".into(), "m/s"));
        assert_eq!(words("circliness"), ("Circliness".into(), ""));
        assert_eq!(words("scatter_m-2"), ("Scatter 2".into(), "m"));
        assert_eq!(words(""), (String::new(), ""));
        assert_eq!(capital("a number from -6.28 to 1e-9"), "A number from -6.28 to 1e-9");
    }

    #[test]
    fn json_has_no_infinity() {
        let json = serde_json::to_value(&rows("sensor", "Fov")[0]).unwrap();
        assert_eq!(json["limits"], serde_json::json!({"min": 0.0, "max": null, "above_min": true}));
    }

    #[test]
    fn kinds_are_described_by_their_docs() {
        let kinds = kinds();
        assert_eq!(about(kinds.get("sensor", "Fov").unwrap()), "Sees.");
    }
}
