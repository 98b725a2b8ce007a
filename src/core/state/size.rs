//! The memory size of saved values, for budgets.

use bevy::prelude::*;
use bevy::reflect::enums::VariantInfo;
use bevy::reflect::{ReflectRef, TypeInfo, TypeRegistry};

use crate::kind::ReflectSlot;

/// Whether values of a type can own memory outside themselves: lists, texts, slots, and values that are opaque to
/// reflection.
pub(super) fn has_heap(info: &'static TypeInfo) -> bool {
    let of = |info: Option<&'static TypeInfo>| info.is_none_or(has_heap);
    match info {
        TypeInfo::Struct(info) => info.iter().any(|field| of(field.type_info())),
        TypeInfo::TupleStruct(info) => info.iter().any(|field| of(field.type_info())),
        TypeInfo::Tuple(info) => info.iter().any(|field| of(field.type_info())),
        TypeInfo::Array(info) => of(info.item_info()),
        TypeInfo::Enum(info) => info.iter().any(|variant| match variant {
            VariantInfo::Struct(info) => info.iter().any(|field| of(field.type_info())),
            VariantInfo::Tuple(info) => info.iter().any(|field| of(field.type_info())),
            VariantInfo::Unit(_) => false,
        }),
        TypeInfo::Opaque(info) => {
            macro_rules! is_any {
                ($($leaf:ty),*) => { $(info.is::<$leaf>())||* };
            }
            !is_any!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool)
        }
        _ => true,
    }
}

/// The size of memory that a value points to, in bytes. Lists count by their lengths; maps and sets are not counted.
pub(super) fn heap_bytes(value: &dyn PartialReflect, types: &TypeRegistry) -> usize {
    let of = |value: &dyn PartialReflect| heap_bytes(value, types);
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => fields.iter_fields().map(|(_, field)| of(field)).sum(),
        ReflectRef::TupleStruct(fields) => fields.iter_fields().map(of).sum(),
        ReflectRef::Tuple(fields) => fields.iter_fields().map(of).sum(),
        ReflectRef::Array(items) => items.iter().map(of).sum(),
        ReflectRef::List(items) => {
            let Some(first) = items.get(0) else { return 0 };
            let own = items.len() * size_of_val(first);
            let is_plain = first.get_represented_type_info().is_some_and(|info| !has_heap(info));
            own + if is_plain { 0 } else { items.iter().map(of).sum() }
        }
        ReflectRef::Enum(variant) => variant.iter_fields().map(|field| of(field.value())).sum(),
        _ => of_leaf(value, types),
    }
}

fn of_leaf(value: &dyn PartialReflect, types: &TypeRegistry) -> usize {
    if let Some(text) = value.try_downcast_ref::<String>() {
        return text.len();
    }
    let inner = value.try_as_reflect().and_then(|slot| {
        let data = types.get_type_data::<ReflectSlot>(slot.as_any().type_id())?;
        (data.inner)(slot)
    });
    inner.map_or(0, |[kind, common]| {
        let kind = kind.as_partial_reflect();
        size_of_val(kind) + heap_bytes(kind, types) + heap_bytes(common.as_partial_reflect(), types)
    })
}

#[cfg(test)]
mod tests {
    use bevy::reflect::Typed;

    use super::*;

    #[derive(Reflect)]
    struct Plain {
        number: f64,
        pair: (u32, bool),
    }

    #[derive(Reflect)]
    struct Full {
        list: Vec<Plain>,
        texts: Vec<String>,
    }

    #[test]
    fn state_size_includes_heap_memory() {
        assert!(!has_heap(Plain::type_info()) && has_heap(Full::type_info()));
        let plain = || Plain { number: 1.0, pair: (2, true) };
        let full = Full { list: vec![plain(), plain()], texts: vec!["abc".into(), "de".into()] };
        let expected = 2 * size_of::<Plain>() + 2 * size_of::<String>() + 5;
        assert_eq!(heap_bytes(&full, &TypeRegistry::new()), expected);
        assert_eq!(heap_bytes(&plain(), &TypeRegistry::new()), 0);
    }
}
