//! Reflected types and values in the notation of scene files and messages.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::TypePathTable;
use bevy::reflect::enums::EnumInfo;
use bevy::reflect::structs::StructInfo;

use crate::kind::Positional;

/// Whether a struct may be written as a tuple: types with this attribute, and the vectors of the maths library.
pub fn is_positional(info: &StructInfo) -> bool {
    info.has_attribute::<Positional>() || info.type_path().starts_with("glam::")
}

/// Whether an enum is an [`Option`].
pub fn is_option(info: &EnumInfo) -> bool {
    info.type_path_table().module_path() == Some("core::option")
}

/// The name of a type in a file.
pub fn type_ident(types: &TypePathTable) -> &'static str {
    types.ident().unwrap_or_else(|| types.short_path())
}

/// Runs a macro on all integer types.
macro_rules! with_integers {
    ($run:ident) => {
        $run!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize)
    };
}

/// A value as a number, if it is one.
pub fn number(value: &dyn Reflect) -> Option<f64> {
    macro_rules! any_of {
        ($($integer:ty),*) => {
            value.downcast_ref::<f64>().copied()
                .or_else(|| value.downcast_ref::<f32>().map(|number| f64::from(*number)))
                $(.or_else(|| value.downcast_ref::<$integer>().map(|number| *number as f64)))*
        };
    }
    with_integers!(any_of)
}

/// The smallest and largest number of an integer type, as text.
pub fn integer_range(type_id: TypeId) -> Option<(String, String)> {
    macro_rules! any_of {
        ($($integer:ty),*) => {
            match type_id {
                $(id if id == TypeId::of::<$integer>() =>
                    Some((<$integer>::MIN.to_string(), <$integer>::MAX.to_string())),)*
                _ => None,
            }
        };
    }
    with_integers!(any_of)
}
