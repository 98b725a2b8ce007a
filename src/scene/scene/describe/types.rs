//! Describes the types of a scene file: the scene itself, its groups, bodies, faults and so on.

use std::any::TypeId;
use std::collections::BTreeSet;

use bevy::prelude::*;
use bevy::reflect::TypeInfo;
use bevy::reflect::enums::{EnumInfo, VariantInfo};
use bevy::reflect::std_traits::ReflectDefault;
use serde::Serialize;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{Kinds, ReflectSlot};
use swarmarium_core::text::values::{is_option, type_ident};

use super::{FieldDescription, describe, is_nested, trim, type_name, unit_of};
use crate::scene::description::Scene;

/// A type of a scene file that is not a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TypeDescription {
    /// The name of the type.
    pub name: String,
    /// The doc comment.
    pub about: String,
    /// The fields of a struct.
    pub fields: Vec<FieldDescription>,
    /// The variants of an enum.
    pub variants: Vec<VariantDescription>,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantDescription {
    /// The name, as it stands in a scene.
    pub name: String,
    /// The doc comment.
    pub about: String,
    /// The fields; those of a tuple are named by their place.
    pub fields: Vec<FieldDescription>,
}

/// The types of a scene file: the scene, then the types of its fields, and so on. Kinds are left out.
pub fn scene_types(kinds: &Kinds) -> Vec<TypeDescription> {
    let mut described = Vec::new();
    let mut found = vec![TypeId::of::<Scene>()];
    let mut seen = BTreeSet::new();
    let mut next = 0;
    while let Some(&type_id) = found.get(next) {
        next += 1;
        let Some(registration) = kinds.types().get(type_id) else { continue };
        let info = registration.type_info();
        if registration.data::<ReflectSlot>().is_some() || !seen.insert(info.type_path()) {
            continue;
        }
        let (mut fields, mut variants) = (Vec::new(), Vec::new());
        match info {
            TypeInfo::Struct(info) if !info.type_path().starts_with("glam::") => {
                let Some(default) = registration.data::<ReflectDefault>() else { continue };
                let default = default.default();
                describe(kinds, "", &*default, None, &mut fields);
                find_types(&*default, &mut found);
            }
            TypeInfo::Enum(info) if !is_option(info) => variants = describe_variants(kinds, info, &mut found),
            info => {
                found.extend(parts(info));
                continue;
            }
        }
        if fields.len() + variants.len() > 0 {
            let name = type_ident(info.type_path_table()).to_owned();
            described.push(TypeDescription { name, about: trim(info.docs()), fields, variants });
        }
    }
    described
}

/// Finds the types of the fields of a struct, and of its fields that are structs themselves.
fn find_types(value: &dyn Reflect, found: &mut Vec<TypeId>) {
    let Ok(fields) = value.reflect_ref().as_struct() else { return };
    for (_, field) in fields.iter_fields() {
        match field.try_as_reflect() {
            Some(value) if is_nested(value) => find_types(value, found),
            Some(value) => found.push(value.reflect_type_info().type_id()),
            None => {}
        }
    }
}

/// The types that a list, an option, an array or a tuple is made of.
fn parts(info: &TypeInfo) -> Vec<TypeId> {
    match info {
        TypeInfo::List(list) => vec![list.item_ty().id()],
        TypeInfo::Array(array) => vec![array.item_ty().id()],
        TypeInfo::Tuple(tuple) => tuple.iter().map(|part| part.type_id()).collect(),
        TypeInfo::Enum(info) if is_option(info) => info.generics().iter().map(|value| value.type_id()).collect(),
        _ => Vec::new(),
    }
}

fn describe_variants(kinds: &Kinds, info: &EnumInfo, found: &mut Vec<TypeId>) -> Vec<VariantDescription> {
    let field = |name: &str, type_id: TypeId, limits: Option<&Limits>, docs: Option<&str>| FieldDescription {
        name: name.into(),
        type_name: type_name(kinds, type_id),
        unit: unit_of(name),
        limits: limits.copied(),
        required: true,
        default: String::new(),
        about: trim(docs),
        common: false,
    };
    let mut variants = Vec::new();
    for variant in info.iter() {
        let fields: Vec<_> = match variant {
            VariantInfo::Struct(variant) => {
                found.extend(variant.iter().map(|part| part.type_id()));
                variant.iter().map(|f| field(f.name(), f.type_id(), f.get_attribute(), f.docs())).collect()
            }
            VariantInfo::Tuple(variant) => {
                found.extend(variant.iter().map(|part| part.type_id()));
                variant
                    .iter()
                    .map(|f| field(&f.index().to_string(), f.type_id(), f.get_attribute(), f.docs()))
                    .collect()
            }
            VariantInfo::Unit(_) => Vec::new(),
        };
        variants.push(VariantDescription { name: variant.name().into(), about: trim(variant.docs()), fields });
    }
    variants
}
