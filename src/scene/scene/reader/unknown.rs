//! Messages about names of kinds and fields that do not exist.

use bevy::reflect::enums::VariantInfo;
use bevy::reflect::structs::StructInfo;
use bevy::reflect::{NamedField, TypeInfo, Typed};
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::{join, nearest, shown, suggestion, with_article, words};

use crate::scene::description::{Group, Scene};

/// The message about a kind that a family does not have: the nearest name, the kinds that everyday words describe so, the
/// family that has this kind, or all kinds.
pub(super) fn unknown_kind(kinds: &Kinds, family: &str, name: &str) -> String {
    let known: Vec<&str> = kinds.family(family).map(|kind| kind.name).collect();
    let plain = name.to_lowercase();
    let is_described =
        |known: &&str| kinds.get(family, known).is_some_and(|kind| kind.words().any(|word| word == plain));
    let near = match nearest(name, &known) {
        near if !near.is_empty() => near,
        _ if known.iter().any(is_described) => {
            let described: Vec<String> =
                known.iter().copied().filter(is_described).map(|name| format!("`{name}`")).collect();
            let described: Vec<&str> = described.iter().map(String::as_str).collect();
            format!("; did you mean {}?", join(&described, "or"))
        }
        _ => match kinds.family_names().iter().find(|other| kinds.get(other, name).is_some()) {
            Some(other) => format!(", which is {}{}", with_article(other), suggestion(name, &known)),
            None => suggestion(name, &known),
        },
    };
    format!("unknown {family} `{}`{near}", shown(name))
}

/// The part of a scene that has a field which was written in the scene or in a group, as an addition to a message: ``; it is a
/// field of `time`: write `time: (dt_s: …)` ``.
pub(super) fn field_of_other_part(part: &str, name: &str) -> Option<String> {
    let info = |info: &'static TypeInfo| info.as_struct().ok();
    let (scene, group) = (info(Scene::type_info())?, info(Group::type_info())?);
    match part {
        "Scene" => holder(scene, name)
            .or_else(|| group.field(name).map(|_| "; it is a field of a group: write it in `groups: [(…)]`".into())),
        "Group" => holder(group, name)
            .or_else(|| scene.field(name).map(|_| "; it is a field of the scene, outside of `groups`".into())),
        _ => None,
    }
}

/// The field of a struct with a value that has a field.
fn holder(info: &StructInfo, name: &str) -> Option<String> {
    let holds = |field: &NamedField| match field.type_info()? {
        TypeInfo::Struct(inner) => inner.field(name).map(|_| String::new()),
        TypeInfo::Enum(inner) => inner.iter().find_map(|variant| match variant {
            VariantInfo::Struct(variant) => variant.field(name).map(|_| variant.name().to_owned()),
            _ => None,
        }),
        _ => None,
    };
    info.iter().find_map(|field| {
        let (at, variant) = (field.name(), holds(field)?);
        Some(format!("; it is a field of `{at}`: write `{at}: {variant}({name}: …)`"))
    })
}

/// The nearest known field, the one that is named so without its unit, the only one with the same unit, or all fields, as an
/// addition to a message.
pub(super) fn unknown_field(name: &str, known: &[&str]) -> String {
    let (plain, unit) = words(name);
    if let Some(known) = known.iter().find(|known| unit.is_empty() && words(known).0 == plain) {
        return format!("; did you mean `{known}`?");
    }
    let mut of_unit = known.iter().filter(|known| !unit.is_empty() && words(known).1 == unit);
    match (nearest(name, known), of_unit.next(), of_unit.next()) {
        (near, Some(only), None) if near.is_empty() => format!("; did you mean `{only}`?"),
        _ => suggestion(name, known),
    }
}
