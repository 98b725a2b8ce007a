//! The parts of a value, one level down.

use bevy::prelude::*;
use bevy::reflect::enums::Enum;
use bevy::reflect::{NamedField, ReflectMut, ReflectRef, TypeInfo};
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{Kinds, ReflectSlot};
use swarmarium_core::text::values::is_option;

use crate::scene::origins::Step;

pub(super) fn slot_of<'k>(kinds: &'k Kinds, value: &dyn Reflect) -> Option<&'k ReflectSlot> {
    kinds.types().get_type_data::<ReflectSlot>(value.as_any().type_id())
}

/// The value in a `Some`.
pub(super) fn some(variant: &dyn Enum) -> Option<&dyn Reflect> {
    variant.get_represented_enum_info().filter(|info| is_option(info))?;
    variant.field_at(0)?.try_as_reflect()
}

/// The value inside an optional value, otherwise the value itself.
pub(crate) fn inside(value: &dyn Reflect) -> &dyn Reflect {
    value.reflect_ref().as_enum().ok().and_then(some).unwrap_or(value)
}

/// A part of a value.
pub(super) struct Member<'a> {
    /// The name of the field, or the own name of a member of a list.
    pub name: Option<String>,
    pub value: &'a dyn Reflect,
    /// The field; `None` for a member of a list.
    pub field: Option<&'static NamedField>,
    /// The own name of a kind in a list, such as an object or a sensor. Several may have one name.
    pub slot_name: Option<&'a str>,
}

impl Member<'_> {
    pub fn is_called(&self, step: &str) -> bool {
        self.name.as_deref() == Some(step) || self.slot_name == Some(step)
    }

    pub fn limits(&self) -> Option<Limits> {
        self.field?.get_attribute::<Limits>().copied()
    }
}

/// The parts of a value, in the order of [`member_mut`]: for a slot, those of the kind, then the common ones.
pub(super) fn members<'a>(kinds: &Kinds, value: &'a dyn Reflect) -> Vec<Member<'a>> {
    match slot_of(kinds, value).and_then(|slot| (slot.inner)(value)) {
        Some(owners) => owners.into_iter().flat_map(|owner| own_members(kinds, owner)).collect(),
        None => own_members(kinds, value),
    }
}

/// The number of parts of a slot that are parameters of its kind; the common ones of its family follow them.
pub fn kind_parts(kinds: &Kinds, slot: &dyn Reflect) -> usize {
    let kind = slot_of(kinds, slot).and_then(|data| (data.inner)(slot)).map(|[kind, _]| kind);
    kind.map_or(0, |kind| count(kinds, kind))
}

/// The number of parts of a value that is not a slot.
fn count(kinds: &Kinds, owner: &dyn Reflect) -> usize {
    match owner.reflect_ref() {
        ReflectRef::Struct(fields) => fields.field_len(),
        _ => own_members(kinds, owner).len(),
    }
}

/// The value that contains the part with this index, and the index within it.
pub(super) fn owner_of<'a>(kinds: &Kinds, value: &'a dyn Reflect, index: usize) -> (&'a dyn Reflect, usize) {
    match slot_of(kinds, value).and_then(|slot| (slot.inner)(value)) {
        Some([kind, common]) => match index.checked_sub(count(kinds, kind)) {
            Some(index) => (common, index),
            None => (kind, index),
        },
        None => (value, index),
    }
}

fn own_members<'a>(kinds: &Kinds, owner: &'a dyn Reflect) -> Vec<Member<'a>> {
    let parts: Vec<&dyn PartialReflect> = match owner.reflect_ref() {
        ReflectRef::Struct(fields) => fields.iter_fields().map(|(_, field)| field).collect(),
        ReflectRef::Enum(variant) => match some(variant) {
            Some(inner) => return members(kinds, inner),
            None => variant.iter_fields().map(|field| field.value()).collect(),
        },
        ReflectRef::List(list) => list.iter().collect(),
        ReflectRef::Array(array) => array.iter().collect(),
        ReflectRef::Tuple(tuple) => tuple.iter_fields().collect(),
        ReflectRef::TupleStruct(tuple) => tuple.iter_fields().collect(),
        _ => Vec::new(),
    };
    parts.into_iter().enumerate().filter_map(|(index, part)| member_of(kinds, owner, index, part)).collect()
}

/// The member of a list at an index, without a look at the others; `None` if the value is not a list.
pub(super) fn list_member<'a>(kinds: &Kinds, value: &'a dyn Reflect, index: usize) -> Option<Member<'a>> {
    match value.reflect_ref() {
        ReflectRef::List(list) => member_of(kinds, value, index, list.get(index)?),
        _ => None,
    }
}

fn member_of<'a>(
    kinds: &Kinds,
    owner: &'a dyn Reflect,
    index: usize,
    part: &'a dyn PartialReflect,
) -> Option<Member<'a>> {
    let value = part.try_as_reflect()?;
    let field = field_at(owner, index);
    let name = field.map(|field| field.name()).or_else(|| own_name(value));
    let slot_name = slot_of(kinds, value).filter(|_| field.is_none()).and_then(|slot| (slot.inner)(value));
    let slot_name = slot_name.and_then(|[_, common]| own_name(common)).filter(|name| !name.is_empty());
    Some(Member { name: name.map(Into::into), value, field, slot_name })
}

fn field_at(owner: &dyn Reflect, index: usize) -> Option<&'static NamedField> {
    // Declared values have fields of their own.
    match owner.get_represented_type_info()? {
        TypeInfo::Struct(info) => info.field_at(index),
        TypeInfo::Enum(info) => {
            let variant = owner.reflect_ref().as_enum().ok()?.variant_name();
            info.variant(variant)?.as_struct_variant().ok()?.field_at(index)
        }
        _ => None,
    }
}

/// The own name of a member of a list.
fn own_name(value: &dyn Reflect) -> Option<&str> {
    let name = value.reflect_ref().as_struct().ok()?.field("name")?.try_downcast_ref::<String>()?;
    Some(name)
}

/// The part of a value at a step, with an index from [`members`]; `None` also if the field there has another name.
pub(super) fn member_mut<'a>(kinds: &Kinds, value: &'a mut dyn Reflect, step: Step) -> Option<&'a mut dyn Reflect> {
    let (name, index) = step;
    let (value, index) = match slot_of(kinds, value) {
        Some(slot) => {
            let [kind, common] = (slot.inner_mut)(value)?;
            match index.checked_sub(count(kinds, kind)) {
                Some(index) => (common, index),
                None => (kind, index),
            }
        }
        None => (value, index),
    };
    if value.reflect_ref().as_enum().ok().and_then(some).is_none()
        && field_at(value, index).map(NamedField::name) != name
    {
        return None;
    }
    let part = match value.reflect_mut() {
        ReflectMut::Struct(fields) => fields.field_at_mut(index),
        ReflectMut::Enum(variant) if some(variant).is_some() => {
            return member_mut(kinds, variant.field_at_mut(0)?.try_as_reflect_mut()?, (name, index));
        }
        ReflectMut::Enum(variant) => variant.field_at_mut(index),
        ReflectMut::List(list) => list.get_mut(index),
        ReflectMut::Array(array) => array.get_mut(index),
        ReflectMut::Tuple(tuple) => tuple.field_mut(index),
        ReflectMut::TupleStruct(tuple) => tuple.field_mut(index),
        _ => None,
    };
    part?.try_as_reflect_mut()
}
