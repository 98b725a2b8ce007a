//! A 64-bit hash of registered state.
//!
//! Every component of every entity is hashed by itself, together with its type and its owner's stable id,
//! and the results are added up, so the hash does not depend on the order of storage.

use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use bevy::reflect::enums::VariantType;
use xxhash_rust::xxh3::xxh3_64;

use crate::id::StableId;
use crate::kind;
use crate::random::name_hash;

/// The hash of a state: equal states have equal hashes, on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateHash(pub u64);

/// Adds up the hashes of single components.
#[derive(Default)]
pub struct StateHasher {
    sum: u64,
    bytes: Vec<u8>,
}

impl StateHasher {
    /// Adds one component or resource.
    pub fn add(&mut self, type_tag: u64, owner: Option<StableId>, value: &dyn PartialReflect) {
        self.bytes.clear();
        self.bytes.extend(type_tag.to_le_bytes());
        self.bytes.extend(owner.map_or(u64::MAX, StableId::bits).to_le_bytes());
        write_value(value, &mut self.bytes);
        self.sum = self.sum.wrapping_add(xxh3_64(&self.bytes));
    }

    /// The hash of everything added.
    pub fn finish(self) -> StateHash {
        StateHash(self.sum)
    }
}

/// The number that stands for a type: a hash of its name, so that it does not change from build to build.
pub fn type_tag<T: TypePath>() -> u64 {
    name_hash(T::type_path())
}

/// Appends a value as bytes: fields in order, lengths before lists, floats by their bits.
fn write_value(value: &dyn PartialReflect, bytes: &mut Vec<u8>) {
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => fields.iter_fields().for_each(|(_, field)| write_value(field, bytes)),
        ReflectRef::TupleStruct(fields) => fields.iter_fields().for_each(|field| write_value(field, bytes)),
        ReflectRef::Tuple(fields) => fields.iter_fields().for_each(|field| write_value(field, bytes)),
        ReflectRef::List(items) => {
            bytes.extend((items.len() as u64).to_le_bytes());
            items.iter().for_each(|item| write_value(item, bytes));
        }
        ReflectRef::Array(items) => items.iter().for_each(|item| write_value(item, bytes)),
        ReflectRef::Enum(variant) => {
            bytes.extend((variant.variant_index() as u64).to_le_bytes());
            if variant.variant_type() != VariantType::Unit {
                variant.iter_fields().for_each(|field| write_value(field.value(), bytes));
            }
        }
        _ => write_leaf(value, bytes),
    }
}

fn write_leaf(value: &dyn PartialReflect, bytes: &mut Vec<u8>) {
    macro_rules! try_numbers {
        ($($number:ty),*) => {
            $(if let Some(number) = value.try_downcast_ref::<$number>() {
                bytes.extend(number.to_le_bytes());
                return;
            })*
        };
    }
    if let Some(number) = value.try_downcast_ref::<f64>() {
        // Machines differ in the bits of what is not a number.
        let number = if number.is_nan() { f64::NAN } else { *number };
        bytes.extend(number.to_le_bytes());
        return;
    }
    try_numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
    if let Some([kind, common]) = kind::inside(value) {
        bytes.extend(name_hash(kind.reflect_type_path()).to_le_bytes());
        write_value(kind, bytes);
        write_value(common, bytes);
    } else if let Some(flag) = value.try_downcast_ref::<bool>() {
        bytes.push(u8::from(*flag));
    } else if let Some(text) = value.try_downcast_ref::<String>() {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    } else {
        // Nothing may be left out of the hash in silence.
        panic!("state has a field of type {} that cannot be hashed", value.reflect_type_path());
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
        let mut hasher = StateHasher::default();
        hasher.add(1, Some(StableId::agent(owner)), &Sample { number, list: list.to_vec() });
        hasher.finish()
    }

    #[test]
    fn every_part_of_a_value_counts() {
        let base = hash_of(0, 1.0, &[1, 2]);
        assert_eq!(base, hash_of(0, 1.0, &[1, 2]));
        assert_ne!(base, hash_of(1, 1.0, &[1, 2]));
        assert_ne!(base, hash_of(0, 1.0 + f64::EPSILON, &[1, 2]));
        assert_ne!(base, hash_of(0, 1.0, &[2, 1]));
        assert_ne!(base, hash_of(0, 1.0, &[1]));
    }

    #[test]
    fn what_is_not_a_number_has_one_hash() {
        assert_eq!(hash_of(0, f64::NAN, &[]), hash_of(0, -f64::NAN, &[]));
    }

    #[test]
    fn the_order_of_adding_does_not_count() {
        let both = |first: u32, second: u32| {
            let mut hasher = StateHasher::default();
            for owner in [first, second] {
                hasher.add(1, Some(StableId::agent(owner)), &Sample { number: f64::from(owner), list: Vec::new() });
            }
            hasher.finish()
        };
        assert_eq!(both(0, 1), both(1, 0));
    }
}
