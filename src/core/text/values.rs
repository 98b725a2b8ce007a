//! Reflected types and values in the notation of scene files and messages.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::enums::EnumInfo;
use bevy::reflect::structs::StructInfo;
use bevy::reflect::{TypeInfo, TypePathTable};

use crate::kind::Positional;

/// Whether a struct may be written as a tuple: types with this attribute, and the vectors of the maths library.
pub fn is_positional(info: &StructInfo) -> bool {
    info.has_attribute::<Positional>() || info.type_path().starts_with("glam::")
}

/// Whether an enum is an [`Option`].
pub fn is_option(info: &EnumInfo) -> bool {
    info.type_path_table().module_path() == Some("core::option")
}

/// The names of the values of a type: of a Boolean, or of an enum whose variants have no fields. `None` for other types.
pub fn choices(info: &TypeInfo) -> Option<Vec<&'static str>> {
    match info.as_enum() {
        _ if info.is::<bool>() => Some(vec!["false", "true"]),
        Ok(info) if !is_option(info) && info.iter().all(|variant| variant.as_unit_variant().is_ok()) => {
            Some(info.variant_names().to_vec())
        }
        _ => None,
    }
}

/// Whether a type is an optional part with parameters of its own, such as the radio of a group, and not an optional value.
pub fn is_optional_part(info: &TypeInfo) -> bool {
    let some = info.as_enum().ok().filter(|info| is_option(info)).and_then(|info| info.variant("Some"));
    let inner = some.and_then(|some| some.as_tuple_variant().ok()?.field_at(0)?.type_info()?.as_struct().ok());
    inner.is_some_and(|inner| !is_positional(inner))
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

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use bevy::reflect::Typed as _;

    use super::*;
    use crate::gripper::Gripper;

    #[test]
    fn parts_have_parameters_of_their_own() {
        assert!(is_optional_part(<Option<Gripper>>::type_info()));
        assert!(!is_optional_part(Gripper::type_info()), "not optional");
        assert!(!is_optional_part(<Option<f64>>::type_info()), "a number");
        assert!(!is_optional_part(<Option<DVec2>>::type_info()), "a point");
    }
}
