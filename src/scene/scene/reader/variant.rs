//! Values with variants, including options.

use bevy::prelude::*;
use bevy::reflect::enums::{DynamicEnum, DynamicVariant, EnumInfo, TupleVariantInfo, VariantInfo};
use bevy::reflect::list::DynamicList;
use bevy::reflect::structs::{DynamicStruct, Struct};
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::{PartialReflect, TypeInfo, UnnamedField};
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::Optional;
use swarmarium_core::text::outline::{Body, Node};
use swarmarium_core::text::wording::{found, join, nearest, shown};

use super::fields::{Shape, Values, dynamic_struct};
use super::{Expected, Reader, default_of};

impl<'a> Reader<'a> {
    /// An optional value: `None`, `Some(value)`, or just the value.
    pub(super) fn option(
        &mut self,
        node: &Node<'a>,
        info: &'static EnumInfo,
        expected: Expected,
    ) -> Option<Box<dyn PartialReflect>> {
        let item = match &node.body {
            Body::Leaf("None") => return self.concrete(node, expected.type_id, &DynamicEnum::new("None", ())),
            Body::Tuple { name: Some("Some"), items } if let [item] = items.as_slice() => item,
            _ => node,
        };
        let some = info.variant("Some").and_then(|some| some.as_tuple_variant().ok()?.field_at(0));
        let Some(some) = some else {
            return self.refuse(node.span.start, || "internal error: an option without a value".into());
        };
        let value = self.value(item, Expected { limits: expected.limits, ..Expected::of(some.type_id()) })?;
        let some = DynamicTuple::from_iter([value]);
        self.concrete(node, expected.type_id, &DynamicEnum::new("Some", some))
    }

    pub(super) fn variant(
        &mut self,
        node: &Node<'a>,
        info: &'static EnumInfo,
        expected: Expected,
    ) -> Option<Box<dyn PartialReflect>> {
        let allowed = || join(info.variant_names(), "or");
        let Some(name) = node.name() else {
            let text = &self.text[node.span.clone()];
            let (note, hint) = (self.note_of_constant(node), near_notation(node, text, info));
            let message = || format!("expected {}, found {}{note}{hint}", allowed(), found(node));
            return self.refuse(node.span.start, message);
        };
        let content: DynamicVariant = match info.variant(name) {
            None => {
                let near = || nearest(name, info.variant_names());
                let note = self.note_of_constant(node);
                let message = || format!("expected {}, found {}{}{note}", allowed(), found(node), near());
                return self.refuse(node.span.start, message);
            }
            Some(VariantInfo::Unit(_)) => match &node.body {
                Body::Leaf(_) => ().into(),
                Body::Tuple { items, .. } if items.is_empty() => ().into(),
                _ => return self.refuse(node.span.start, || format!("{name} has no fields")),
            },
            Some(VariantInfo::Struct(variant)) => {
                let shape = Shape { name: variant.name(), fields: variant.iter().collect(), positional: false };
                let default = self.variant_default(name, expected);
                let optional = self.optional_fields(&shape);
                let default = |name: &str| match &default {
                    Some(default) => default.reflect_ref().as_enum().ok()?.field(name),
                    None => Struct::field(&optional, name),
                };
                let values = self.fields(node, &shape, expected.limits, default)?;
                with_defaults(values, &shape, default).into()
            }
            Some(VariantInfo::Tuple(variant)) => {
                if let Some(listed) = missing_list(node, &self.text[node.span.clone()], variant) {
                    let message = || format!("expected `{listed}`: the list has brackets of its own");
                    return self.refuse(node.span.start, message);
                }
                let items = self.items(node, name, &unnamed(variant.iter(), expected.limits))?;
                DynamicTuple::from_iter(items).into()
            }
        };
        self.concrete(node, expected.type_id, &DynamicEnum::new(name, content))
    }

    /// The default for the fields of a variant; only a default of the same variant provides them.
    fn variant_default(&self, name: &str, expected: Expected) -> Option<Box<dyn Reflect>> {
        [self.start(expected), default_of(self.kinds, expected.type_id)]
            .into_iter()
            .flatten()
            .find(|default| default.reflect_ref().as_enum().is_ok_and(|default| default.variant_name() == name))
    }

    /// The fields of a variant that may always be left out.
    fn optional_fields(&self, shape: &Shape) -> DynamicStruct {
        let mut fields = DynamicStruct::default();
        for field in shape.fields.iter().filter(|field| field.has_attribute::<Optional>()) {
            match default_of(self.kinds, field.type_id()) {
                Some(default) => fields.insert_boxed(field.name(), default.into_partial_reflect()),
                // An optional value.
                None if matches!(field.type_info(), Some(TypeInfo::Enum(_))) => {
                    fields.insert_boxed(field.name(), Box::new(DynamicEnum::new("None", ())));
                }
                None => fields.insert_boxed(field.name(), Box::new(DynamicList::default())),
            }
        }
        fields
    }
}

/// The notation of a variant with a list, such as `List([4, 8])`, for one whose items stand in it without their brackets.
fn missing_list(node: &Node, text: &str, variant: &TupleVariantInfo) -> Option<String> {
    let Body::Tuple { items, .. } = &node.body else { return None };
    let is_value = matches!(&items[..], [only] if matches!(only.body, Body::List(_)) || only.name().is_some());
    (has_list(variant) && !items.is_empty() && !is_value).then(|| with_list(variant, text))
}

/// Whether a list is all that a variant has.
fn has_list(variant: &TupleVariantInfo) -> bool {
    let first = variant.field_at(0).and_then(UnnamedField::type_info);
    variant.field_len() == 1 && matches!(first, Some(TypeInfo::List(_)))
}

/// A variant with the items of a text in round or square brackets as its list.
fn with_list(variant: &TupleVariantInfo, text: &str) -> String {
    let items = text.split_once(['(', '[']).map_or(text, |(_, items)| items);
    let items = items.strip_suffix([')', ']']).unwrap_or(items);
    format!("{}([{}])", variant.name(), shown(items))
}

/// The notation with the name of a variant for a value that is written without it, as an addition to a message: a list
/// for `List([4, 6])`, fields in brackets for `Range(from: 1, …)`, a quoted name.
fn near_notation(node: &Node, text: &str, info: &'static EnumInfo) -> String {
    let is_value_of = |info: &'static TypeInfo| match &node.body {
        Body::List(_) => matches!(info, TypeInfo::List(_)),
        Body::Tuple { name: None, items } => matches!(info, TypeInfo::List(_)) && !items.is_empty(),
        Body::Leaf(text) => text.parse::<f64>().is_ok() && matches!(info, TypeInfo::Opaque(_)),
        Body::Struct { .. } | Body::Tuple { .. } => false,
    };
    let fits = |variant: &&VariantInfo| match (variant, &node.body) {
        (VariantInfo::Unit(variant), Body::Leaf(text)) => text.trim_matches('"') == variant.name(),
        (VariantInfo::Tuple(variant), _) => match variant.field_at(0).and_then(UnnamedField::type_info) {
            Some(info) if variant.field_len() == 1 => is_value_of(info),
            _ => false,
        },
        (VariantInfo::Struct(variant), Body::Struct { fields, .. }) => {
            fields.iter().all(|field| variant.field(field.name).is_some())
        }
        _ => false,
    };
    match info.iter().find(fits) {
        Some(VariantInfo::Unit(variant)) => format!(": write `{}`", variant.name()),
        Some(VariantInfo::Tuple(variant)) if has_list(variant) => format!(": write `{}`", with_list(variant, text)),
        Some(VariantInfo::Tuple(variant)) => format!(": write `{}({})`", variant.name(), shown(text)),
        Some(VariantInfo::Struct(variant)) => format!(": write `{}{}`", variant.name(), shown(text)),
        None => String::new(),
    }
}

/// All fields of a variant: the written ones, and the others from the default.
fn with_defaults<'d>(
    values: Values,
    shape: &Shape,
    default: impl Fn(&str) -> Option<&'d dyn PartialReflect>,
) -> DynamicStruct {
    let mut dynamic = dynamic_struct(values);
    for name in shape.names() {
        let missing = default(name).filter(|_| Struct::field(&dynamic, name).is_none());
        if let Some(value) = missing {
            dynamic.insert_boxed(name, value.to_dynamic());
        }
    }
    dynamic
}

/// The types of fields without names.
pub(super) fn unnamed(
    fields: impl Iterator<Item = &'static UnnamedField>,
    limits: Option<Limits>,
) -> Vec<Expected<'static>> {
    fields
        .map(|field| {
            let limits = field.get_attribute::<Limits>().copied().or(limits);
            Expected { limits, ..Expected::of(field.type_id()) }
        })
        .collect()
}
