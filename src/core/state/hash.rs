//! A 64-bit hash of registered state.
//!
//! Every component of every entity is hashed separately, together with the name of its type and the stable id of its
//! owner, and the results are added, so the hash does not depend on the order of storage.

use bevy::prelude::*;
use bevy::reflect::enums::{VariantInfo, VariantType};
use bevy::reflect::structs::Struct;
use bevy::reflect::{ReflectRef, TypeInfo, TypeRegistry};
use swarmarium_base::id::{StableId, name_hash};
use xxhash_rust::xxh3::xxh3_64;

use crate::declared::DeclaredValues;
use crate::kind::{ReflectSlot, SkipIfEmpty, is_none};
use crate::text::shared::SharedText;

/// The hash of a state: equal states have equal hashes, on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateHash(pub u64);

/// A sum of the hashes of single components.
pub struct StateHasher<'a> {
    types: &'a TypeRegistry,
    sum: u64,
    bytes: Vec<u8>,
}

impl<'a> StateHasher<'a> {
    /// Creates a hasher for values whose types, and those of their fields, are in the registry.
    pub fn new(types: &'a TypeRegistry) -> Self {
        Self { types, sum: 0, bytes: Vec::new() }
    }

    /// Adds one component or resource under the hash of the name of its type. `skips` tells whether its type may have
    /// fields that are left out.
    pub fn add(&mut self, name_hash: u64, owner: Option<StableId>, value: &dyn PartialReflect, skips: bool) {
        self.bytes.clear();
        self.bytes.extend(name_hash.to_le_bytes());
        self.bytes.extend(owner.map_or(u64::MAX, StableId::bits).to_le_bytes());
        write_value(value, (self.types, skips), &mut self.bytes);
        self.sum = self.sum.wrapping_add(xxh3_64(&self.bytes));
    }

    /// The hash of everything added.
    pub fn finish(self) -> StateHash {
        StateHash(self.sum)
    }
}

/// The known types, and whether fields can be left out.
type Rules<'a> = (&'a TypeRegistry, bool);

/// Appends a value as bytes: fields in order, lengths before lists, variants of enums by name, floats by their bits.
fn write_value(value: &dyn PartialReflect, rules: Rules, bytes: &mut Vec<u8>) {
    let mut write = |value: &dyn PartialReflect| write_value(value, rules, bytes);
    match value.reflect_ref() {
        ReflectRef::Struct(fields) if rules.1 => write_fields(fields, rules, bytes),
        ReflectRef::Struct(fields) => fields.iter_fields().for_each(|(_, field)| write(field)),
        ReflectRef::TupleStruct(fields) => fields.iter_fields().for_each(write),
        ReflectRef::Tuple(fields) => fields.iter_fields().for_each(write),
        ReflectRef::Array(items) => items.iter().for_each(write),
        ReflectRef::List(items) => {
            bytes.extend((items.len() as u64).to_le_bytes());
            items.iter().for_each(|item| write_value(item, rules, bytes));
        }
        ReflectRef::Enum(variant) => {
            bytes.extend(name_hash(variant.variant_name()).to_le_bytes());
            if variant.variant_type() != VariantType::Unit {
                variant.iter_fields().for_each(|field| write_value(field.value(), rules, bytes));
            }
        }
        _ => write_leaf(value, rules, bytes),
    }
}

/// Appends the fields of a struct. A field with [`SkipIfEmpty`] counts only if it is not the default of its type, and then
/// with its name: a new field leaves old hashes as they are.
fn write_fields(fields: &dyn Struct, rules: Rules, bytes: &mut Vec<u8>) {
    let info = fields.get_represented_struct_info();
    for (index, (name, field)) in fields.iter_fields().enumerate() {
        let info = info.and_then(|info| info.field_at(index));
        if info.is_some_and(|info| info.has_attribute::<SkipIfEmpty>()) {
            if is_usual(field, rules.0) {
                continue;
            }
            bytes.extend(name_hash(name).to_le_bytes());
        }
        write_value(field, rules, bytes);
    }
}

/// Whether a value is an empty list, `None`, or the default of its type.
fn is_usual(value: &dyn PartialReflect, types: &TypeRegistry) -> bool {
    match value.reflect_ref() {
        ReflectRef::List(list) => return list.is_empty(),
        ReflectRef::Enum(variant) if variant.variant_name() == "None" => return true,
        _ => {}
    }
    if is_none(value) {
        return true;
    }
    let Some(known) = value.try_as_reflect() else { return false };
    let default = types.get_type_data::<ReflectDefault>(known.as_any().type_id()).map(ReflectDefault::default);
    default.is_some_and(|default| value.reflect_partial_eq(default.as_partial_reflect()) == Some(true))
}

/// Whether values of a type can have fields that the hash leaves out at their default: fields with the attribute
/// [`SkipIfEmpty`], at any depth. Kinds in slots can have some.
pub(super) fn may_skip(info: &'static TypeInfo, types: &TypeRegistry) -> bool {
    let of = |info: Option<&'static TypeInfo>| info.is_some_and(|info| may_skip(info, types));
    match info {
        TypeInfo::Struct(info) => {
            info.iter().any(|field| field.has_attribute::<SkipIfEmpty>() || of(field.type_info()))
        }
        TypeInfo::TupleStruct(info) => info.iter().any(|field| of(field.type_info())),
        TypeInfo::Tuple(info) => info.iter().any(|field| of(field.type_info())),
        TypeInfo::List(info) => of(info.item_info()),
        TypeInfo::Array(info) => of(info.item_info()),
        TypeInfo::Enum(info) => info.iter().any(|variant| match variant {
            VariantInfo::Struct(info) => info.iter().any(|field| of(field.type_info())),
            VariantInfo::Tuple(info) => info.iter().any(|field| of(field.type_info())),
            VariantInfo::Unit(_) => false,
        }),
        info => types.get_type_data::<ReflectSlot>(info.type_id()).is_some(),
    }
}

macro_rules! integers {
    ($macro:ident) => {
        $macro!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize)
    };
}

fn write_leaf(value: &dyn PartialReflect, rules: Rules, bytes: &mut Vec<u8>) {
    macro_rules! try_numbers {
        ($($number:ty),*) => {
            $(if let Some(number) = value.try_downcast_ref::<$number>() {
                bytes.extend(number.to_le_bytes());
                return;
            })*
        };
    }
    if let Some(number) = value.try_downcast_ref::<f64>() {
        // The bits of NaN differ between machines.
        let number = if number.is_nan() { f64::NAN } else { *number };
        bytes.extend(number.to_le_bytes());
        return;
    }
    integers!(try_numbers);
    if let Some(flag) = value.try_downcast_ref::<bool>() {
        bytes.push(u8::from(*flag));
    } else if let Some(text) = value.try_downcast_ref::<String>() {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    } else if let Some(text) = value.try_downcast_ref::<SharedText>() {
        // Many entities share it.
        bytes.extend(text.hash().to_le_bytes());
    } else if let Some(slot) = value.try_as_reflect()
        && let Some(data) = rules.0.get_type_data::<ReflectSlot>(slot.as_any().type_id())
        && let Some([kind, common]) = (data.inner)(slot)
    {
        bytes.extend(name_hash(data.family).to_le_bytes());
        bytes.extend(name_hash(kind.reflect_type_ident().unwrap_or_default()).to_le_bytes());
        write_value(kind, rules, bytes);
        write_value(common, rules, bytes);
    }
}

/// Checks that every part of a type of state can be hashed, so that no part is silently left out of the hash.
///
/// # Panics
/// If a field, at any depth, has a type that cannot be hashed.
pub(super) fn check_hashable(info: &'static TypeInfo, types: &TypeRegistry, path: &str) {
    let check = |name: &dyn std::fmt::Display, info: Option<&'static TypeInfo>| {
        let path = format!("{path}.{name}");
        let Some(info) = info else { panic!("state `{path}` has a type that reflection does not know") };
        check_hashable(info, types, &path);
    };
    match info {
        TypeInfo::Struct(info) => info.iter().for_each(|field| check(&field.name(), field.type_info())),
        TypeInfo::TupleStruct(info) => info.iter().for_each(|field| check(&field.index(), field.type_info())),
        TypeInfo::Tuple(info) => info.iter().for_each(|field| check(&field.index(), field.type_info())),
        TypeInfo::List(info) => check(&"[]", info.item_info()),
        TypeInfo::Array(info) => check(&"[]", info.item_info()),
        TypeInfo::Enum(info) => info.iter().for_each(|variant| match variant {
            VariantInfo::Struct(info) => info.iter().for_each(|field| check(&field.name(), field.type_info())),
            VariantInfo::Tuple(info) => info.iter().for_each(|field| check(&field.index(), field.type_info())),
            VariantInfo::Unit(_) => {}
        }),
        _ => {
            macro_rules! is_any {
                ($($leaf:ty),*) => { $(info.is::<$leaf>())||* };
            }
            let is_leaf = integers!(is_any) || is_any!(f64, bool, String, SharedText, DeclaredValues);
            assert!(
                is_leaf || types.get_type_data::<ReflectSlot>(info.type_id()).is_some(),
                "state `{path}` has the type {}, which cannot be hashed",
                info.type_path()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Reflect)]
    struct Sample {
        number: f64,
        list: Vec<u32>,
    }

    fn hash_of(owner: u32, number: f64, list: &[u32]) -> StateHash {
        let types = TypeRegistry::new();
        let mut hasher = StateHasher::new(&types);
        hasher.add(1, Some(StableId::agent(owner)), &Sample { number, list: list.to_vec() }, false);
        hasher.finish()
    }

    #[test]
    fn every_field_of_a_value_changes_its_hash() {
        let base = hash_of(0, 1.0, &[1, 2]);
        assert_eq!(base, hash_of(0, 1.0, &[1, 2]));
        assert_ne!(base, hash_of(1, 1.0, &[1, 2]));
        assert_ne!(base, hash_of(0, 1.0 + f64::EPSILON, &[1, 2]));
        assert_ne!(base, hash_of(0, 1.0, &[2, 1]));
        assert_ne!(base, hash_of(0, 1.0, &[1]));
    }

    #[test]
    fn all_nan_values_have_one_hash() {
        assert_eq!(hash_of(0, f64::NAN, &[]), hash_of(0, -f64::NAN, &[]));
    }

    #[test]
    fn the_state_hash_does_not_depend_on_the_order_of_entities() {
        let types = TypeRegistry::new();
        let both = |first: u32, second: u32| {
            let mut hasher = StateHasher::new(&types);
            for owner in [first, second] {
                let sample = Sample { number: f64::from(owner), list: Vec::new() };
                hasher.add(1, Some(StableId::agent(owner)), &sample, false);
            }
            hasher.finish()
        };
        assert_eq!(both(0, 1), both(1, 0));
    }

    #[derive(Reflect)]
    struct Grown {
        number: f64,
        list: Vec<u32>,
        #[reflect(@SkipIfEmpty)]
        first: u32,
        #[reflect(@SkipIfEmpty)]
        second: u32,
        #[reflect(@SkipIfEmpty)]
        more: Vec<u32>,
    }

    #[test]
    fn a_new_field_at_its_default_leaves_the_hash_as_it_is() {
        use bevy::reflect::Typed as _;
        let types = TypeRegistry::new();
        let with = |first, second, more: &[u32]| {
            let mut hasher = StateHasher::new(&types);
            let value = Grown { number: 1.0, list: vec![1, 2], first, second, more: more.to_vec() };
            hasher.add(1, Some(StableId::agent(0)), &value, true);
            hasher.finish()
        };
        assert_eq!(with(0, 0, &[]), hash_of(0, 1.0, &[1, 2]));
        assert_ne!(with(1, 0, &[]), with(0, 0, &[]));
        assert_ne!(with(1, 0, &[]), with(0, 1, &[]), "the name counts");
        assert_ne!(with(1, 0, &[]), with(2, 0, &[]));
        assert_ne!(with(0, 0, &[0]), with(0, 0, &[]));
        assert!(may_skip(Grown::type_info(), &types) && !may_skip(Sample::type_info(), &types));
    }

    #[derive(Reflect)]
    struct Moved {
        direction: Direction,
    }

    #[derive(Reflect)]
    enum Direction {
        Left,
        Right(f32),
    }

    #[test]
    #[should_panic(expected = "state `moved.direction.0` has the type f32, which cannot be hashed")]
    fn a_field_that_cannot_be_hashed_is_refused_with_its_path() {
        check_hashable(<Moved as bevy::reflect::Typed>::type_info(), &TypeRegistry::new(), "moved");
    }

    #[test]
    fn the_hash_of_an_enum_does_not_depend_on_the_order_of_variants() {
        mod other {
            #[derive(bevy::reflect::Reflect)]
            pub enum Direction {
                Right(f64),
                Left,
            }
        }
        let types = TypeRegistry::new();
        let hash_of = |value: &dyn PartialReflect| {
            let mut hasher = StateHasher::new(&types);
            hasher.add(1, None, value, false);
            hasher.finish()
        };
        assert_eq!(hash_of(&Direction::Left), hash_of(&other::Direction::Left));
        assert_ne!(hash_of(&other::Direction::Right(0.0)), hash_of(&other::Direction::Left));
        assert_ne!(
            hash_of(&Moved { direction: Direction::Right(0.0) }),
            hash_of(&Moved { direction: Direction::Left })
        );
    }
}
