//! The last reading of a sensor.

use std::cmp::Ordering;
use std::ops::{Deref, DerefMut};

use bevy::prelude::*;
use bevy::reflect::list::{
    List, ListInfo, ListIter, list_apply, list_hash, list_partial_cmp, list_partial_eq, list_try_apply,
};
use bevy::reflect::utility::NonGenericTypeInfoCell;
use bevy::reflect::{
    ApplyError, FromType, GetTypeRegistration, ReflectFromPtr, TypeInfo, TypePath, TypeRegistration, TypeRegistry,
    Typed,
};

use crate::reflected::reflect_by_hand;

/// Readings with at least this many numbers take no memory of their own while all numbers are zero, as those of most
/// proximity sensors are.
const LONG: usize = 8;

/// The numbers of all readings without memory of their own.
static ZEROS: [f64; 256] = [0.0; 256];

/// The last reading of a sensor.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The numbers, one per channel of the sensor.
    pub values: ReadingValues,
}

/// The numbers of a reading, as a slice. A mutable slice gives them memory of their own.
#[derive(TypePath, Clone, Debug, Default)]
pub struct ReadingValues {
    /// The numbers; empty if all of them are zero.
    own: Box<[f64]>,
    /// How many zeros they are if `own` is empty.
    zeros: u32,
}

impl ReadingValues {
    /// The numbers as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[f64] {
        if self.own.is_empty() { &ZEROS[..self.zeros as usize] } else { &self.own }
    }

    /// The numbers, of which there are `length`, for a change that [`settle`](Self::settle) completes: in place, or in
    /// `zeros`, a buffer of zeros, if they have no memory of their own.
    #[inline]
    pub(super) fn edit<'a>(&'a mut self, length: usize, zeros: &'a mut Vec<f64>) -> &'a mut [f64] {
        if self.own.len() == length && length > 0 {
            return &mut self.own;
        }
        if length == 0 {
            self.own = Box::default();
        }
        if self.own.is_empty() && (length == 0 || (LONG..=ZEROS.len()).contains(&length)) {
            if zeros.len() != length {
                zeros.resize(length, 0.0);
            }
            return zeros;
        }
        self.resize(length)
    }

    /// Completes a change by [`edit`](Self::edit) with the same buffer, which contains zeros again.
    #[inline]
    pub(super) fn settle(&mut self, buffer: &mut [f64]) {
        if !self.own.is_empty() {
            self.compact();
        } else if are_zeros(buffer) {
            self.zeros = buffer.len() as u32;
        } else {
            self.own = (&*buffer).into();
            buffer.fill(0.0);
        }
    }

    /// Changes their number, in memory of their own.
    #[cold]
    fn resize(&mut self, length: usize) -> &mut [f64] {
        let mut values = self.as_slice().to_vec();
        values.resize(length, 0.0);
        self.own = values.into();
        self.zeros = 0;
        &mut self.own
    }

    /// Frees the memory of zeros.
    #[inline]
    fn compact(&mut self) {
        if (LONG..=ZEROS.len()).contains(&self.own.len()) && are_zeros(&self.own) {
            *self = Self { zeros: self.own.len() as u32, own: Box::default() };
        }
    }

    /// Changes the numbers as a list.
    fn change<T>(&mut self, change: impl FnOnce(&mut Vec<f64>) -> T) -> T {
        let mut values = self.as_slice().to_vec();
        let result = change(&mut values);
        *self = values.into();
        result
    }
}

/// Whether all numbers are zeros without a sign.
#[inline]
fn are_zeros(values: &[f64]) -> bool {
    values.iter().fold(0, |bits, value| bits | value.to_bits()) == 0
}

impl From<Vec<f64>> for ReadingValues {
    fn from(values: Vec<f64>) -> Self {
        let mut values = Self { own: values.into(), zeros: 0 };
        values.compact();
        values
    }
}

impl Deref for ReadingValues {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        self.as_slice()
    }
}

impl DerefMut for ReadingValues {
    fn deref_mut(&mut self) -> &mut [f64] {
        if self.own.is_empty() { self.resize(self.zeros as usize) } else { &mut self.own }
    }
}

impl PartialEq for ReadingValues {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

// Reflected as a list of numbers, whether they have memory of their own or not: as `Vec<f64>`.
impl List for ReadingValues {
    fn get(&self, index: usize) -> Option<&dyn PartialReflect> {
        self.as_slice().get(index).map(|value| value as _)
    }

    fn get_mut(&mut self, index: usize) -> Option<&mut dyn PartialReflect> {
        self.deref_mut().get_mut(index).map(|value| value as _)
    }

    fn insert(&mut self, index: usize, value: Box<dyn PartialReflect>) {
        self.change(|values| List::insert(values, index, value));
    }

    fn remove(&mut self, index: usize) -> Box<dyn PartialReflect> {
        self.change(|values| List::remove(values, index))
    }

    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn iter(&self) -> ListIter<'_> {
        ListIter::new(self)
    }

    fn drain(&mut self) -> Vec<Box<dyn PartialReflect>> {
        self.change(List::drain)
    }
}

reflect_by_hand!(ReadingValues, List, {
    fn get_represented_type_info(&self) -> Option<&'static TypeInfo> {
        Some(Self::type_info())
    }

    fn reflect_hash(&self) -> Option<u64> {
        list_hash(self)
    }

    fn reflect_partial_eq(&self, value: &dyn PartialReflect) -> Option<bool> {
        list_partial_eq(self, value)
    }

    fn reflect_partial_cmp(&self, value: &dyn PartialReflect) -> Option<Ordering> {
        list_partial_cmp(self, value)
    }

    fn apply(&mut self, value: &dyn PartialReflect) {
        list_apply(self, value);
    }

    fn try_apply(&mut self, value: &dyn PartialReflect) -> Result<(), ApplyError> {
        list_try_apply(self, value)
    }
});

impl Typed for ReadingValues {
    fn type_info() -> &'static TypeInfo {
        static INFO: NonGenericTypeInfoCell = NonGenericTypeInfoCell::new();
        INFO.get_or_set(|| TypeInfo::List(ListInfo::new::<Self, f64>()))
    }
}

impl GetTypeRegistration for ReadingValues {
    fn get_type_registration() -> TypeRegistration {
        let mut registration = TypeRegistration::of::<Self>();
        registration.insert::<ReflectFromPtr>(FromType::<Self>::from_type());
        registration.insert::<ReflectFromReflect>(FromType::<Self>::from_type());
        registration
    }

    fn register_type_dependencies(registry: &mut TypeRegistry) {
        registry.register::<f64>();
    }
}

impl FromReflect for ReadingValues {
    fn from_reflect(value: &dyn PartialReflect) -> Option<Self> {
        <Vec<f64>>::from_reflect(value).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reading after a sensor has written `new` into it.
    fn read(values: &mut ReadingValues, new: &[f64]) -> bool {
        let mut buffer = vec![0.0; 3];
        values.edit(new.len(), &mut buffer).copy_from_slice(new);
        values.settle(&mut buffer);
        assert!(are_zeros(&buffer));
        assert_eq!(values.as_slice(), new);
        !values.own.is_empty()
    }

    #[test]
    fn long_readings_of_zeros_take_no_memory() {
        let mut values = ReadingValues::default();
        let (zeros, mut some) = ([0.0; 24], [0.0; 24]);
        some[5] = 1.0;
        assert!(!read(&mut values, &zeros) && !read(&mut values, &[]) && !read(&mut values, &zeros[..9]));
        assert!(read(&mut values, &some) && read(&mut values, &some[..20]) && !read(&mut values, &[]));
        assert!(read(&mut values, &some) && !read(&mut values, &zeros));
        some[5] = -0.0;
        assert!(read(&mut values, &some), "the sign is part of the state");
        let mut values = ReadingValues::default();
        assert!(read(&mut values, &zeros[..1]) && read(&mut values, &[0.0; 1000]));
    }

    #[test]
    fn numbers_stay_until_they_are_written() {
        let (mut values, mut buffer) = (ReadingValues::from(vec![1.0, 2.0]), Vec::new());
        assert_eq!(values.edit(4, &mut buffer), [1.0, 2.0, 0.0, 0.0]);
        let mut values = ReadingValues::from(vec![0.0; 9]);
        values[3] = 5.0;
        assert_eq!(values.as_slice(), [0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn they_are_reflected_as_a_list() {
        for numbers in [vec![0.0; 9], vec![1.0, 2.0], vec![]] {
            let values = ReadingValues::from(numbers.clone());
            assert_eq!(values.reflect_partial_eq(&numbers), Some(true));
            assert_eq!(ReadingValues::from_reflect(&numbers), Some(values.clone()));
            let mut applied = ReadingValues::from(vec![3.0]);
            applied.apply(&numbers);
            assert_eq!(applied[..numbers.len()], numbers);
        }
    }
}
