//! Values in words, for tooltips: without the notation of files.

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use swarmarium_core::kind::{Kinds, ReflectSlot};
use swarmarium_core::text::values::{is_option, is_positional, number};
use swarmarium_lab_state::common::text::{kind_label, word_for_none};

use crate::parameters::row::text_of;
use crate::parameters::rows::Node;

/// Formats a value of the parameter of a node, such as its default, with its unit: `0.25 m/s`, `off`, `Disc`.
pub(super) fn plain_text(kinds: &Kinds, node: &Node, value: &dyn Reflect) -> String {
    let slot = kinds.types().get_type_data::<ReflectSlot>(value.as_any().type_id());
    if let Some(kind) = slot.and_then(|slot| kinds.of_value(slot.family, kinds.see_through(value))) {
        return kind_label(kind.name);
    }
    let digits = |value: f64| node.display().shown(value).to_string();
    let with_unit = |text: String| format!("{text} {}", node.unit()).trim_end().replace(" °", "°");
    if let Some(value) = number(value) {
        return with_unit(digits(value));
    }
    if let Some(is_on) = value.downcast_ref::<bool>() {
        return if *is_on { "on" } else { "off" }.into();
    }
    if let Some(text) = value.downcast_ref::<String>() {
        return if text.is_empty() { "nothing".into() } else { text.clone() };
    }
    if let Some(DVec2 { x, y }) = value.downcast_ref::<DVec2>() {
        return with_unit(format!("{}, {}", digits(*x), digits(*y)));
    }
    let numbers = |parts: &mut dyn Iterator<Item = &dyn PartialReflect>| {
        let numbers: Option<Vec<String>> = parts.map(|part| Some(digits(number(part.try_as_reflect()?)?))).collect();
        numbers.filter(|numbers| !numbers.is_empty()).map(|numbers| numbers.join(", "))
    };
    let plain = match value.reflect_ref() {
        ReflectRef::Enum(variant) if variant.get_represented_enum_info().is_some_and(is_option) => {
            match variant.field_at(0).and_then(PartialReflect::try_as_reflect) {
                Some(inner) => Some(plain_text(kinds, node, inner)),
                None => Some(word_for_none(&node.docs())),
            }
        }
        ReflectRef::Enum(variant) => Some(variant.variant_name().to_owned()),
        ReflectRef::Struct(fields) if fields.get_represented_struct_info().is_some_and(is_positional) => {
            numbers(&mut fields.iter_fields().map(|(_, part)| part))
        }
        ReflectRef::List(list) => numbers(&mut list.iter()).map(with_unit),
        _ => None,
    };
    plain.unwrap_or_else(|| text_of(kinds, value))
}
