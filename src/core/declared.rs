//! Values with names and types that a file outside the program declares, such as the parameters and the state of a script.
//!
//! [`DeclaredValues`] is a struct to reflection, and its description comes from the file: paths, panels, sweeps, hashes
//! and exports handle its fields as those of any other struct.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::*;
use bevy::reflect::attributes::CustomAttributes;
use bevy::reflect::structs::{FieldIter, Struct, StructInfo, struct_partial_cmp, struct_partial_eq};
use bevy::reflect::utility::NonGenericTypeInfoCell;
use bevy::reflect::{
    ApplyError, FromType, GetTypeRegistration, NamedField, OpaqueInfo, ReflectFromPtr, ReflectFromReflect, TypeInfo,
    TypePath, TypeRegistration, Typed,
};
use swarmarium_base::limits::Limits;
use swarmarium_base::plain::PlainValue;
use swarmarium_base::problem::did_you_mean;

use crate::kind::Unit;
use crate::reflected::reflect_by_hand;

/// A declared field.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredField {
    /// Its name.
    pub name: String,
    /// Its value where a scene gives no other one; it determines the type.
    pub default: PlainValue,
    /// The allowed range of a number.
    pub limits: Option<Limits>,
    /// The unit of a number; empty for none.
    pub unit: String,
    /// Its description.
    pub about: String,
}

/// Declared fields, in order.
pub struct Declaration {
    fields: Vec<DeclaredField>,
    info: &'static TypeInfo,
}

/// The descriptions of all declarations so far. Reflection holds descriptions for ever: equal declarations share one.
static DESCRIPTIONS: Mutex<BTreeMap<String, &'static TypeInfo>> = Mutex::new(BTreeMap::new());

impl Declaration {
    /// Declares fields, which have different names.
    pub fn new(fields: Vec<DeclaredField>) -> Self {
        let mut descriptions = DESCRIPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
        // Defaults are not part of a description, but their types are.
        let key = |field: &DeclaredField| {
            let DeclaredField { name, default, limits, unit, about } = field;
            format!("{name:?} {} {limits:?} {unit:?} {about:?}", default.kind())
        };
        let key = fields.iter().map(key).collect::<Vec<_>>().join("\n");
        let info = descriptions.entry(key).or_insert_with(|| {
            let described: Vec<NamedField> = fields.iter().map(DeclaredField::described).collect();
            Box::leak(Box::new(TypeInfo::Struct(StructInfo::new::<DeclaredValues>(&described))))
        });
        Self { info, fields }
    }

    /// The fields.
    pub fn fields(&self) -> &[DeclaredField] {
        &self.fields
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || std::ptr::eq(self.info, other.info) && self.fields == other.fields
    }
}

impl DeclaredField {
    /// A field without limits, unit and description.
    pub fn plain(name: impl Into<String>, default: PlainValue) -> Self {
        Self { name: name.into(), default, limits: None, unit: String::new(), about: String::new() }
    }

    fn described(&self) -> NamedField {
        let name: &'static str = self.name.clone().leak();
        let field = match self.default {
            PlainValue::Number(_) => NamedField::new::<f64>(name),
            PlainValue::Flag(_) => NamedField::new::<bool>(name),
            PlainValue::Text(_) => NamedField::new::<String>(name),
            PlainValue::Numbers(_) => NamedField::new::<Vec<f64>>(name),
        };
        let mut attributes = CustomAttributes::default();
        if let Some(limits) = self.limits {
            attributes = attributes.with_attribute(limits);
        }
        if !self.unit.is_empty() {
            attributes = attributes.with_attribute(Unit(self.unit.clone().leak()));
        }
        let docs = (!self.about.is_empty()).then(|| &*self.about.clone().leak());
        field.with_custom_attributes(attributes).with_docs(docs)
    }
}

/// Values with the names and types of a declaration.
///
/// Before a file has been read, the names and types are those that a scene writes: [`declare`](Self::declare) brings them
/// in line with the file.
#[derive(TypePath, Clone)]
pub struct DeclaredValues {
    declaration: Arc<Declaration>,
    values: Vec<PlainValue>,
    is_declared: bool,
}

/// A value that does not fit its declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UndeclaredValue {
    /// The file declares no field with this name.
    #[error("there is no `{name}`{hint}")]
    Name {
        /// The name.
        name: String,
        /// The nearest declared name, as an addition to the message, or all of them.
        hint: String,
    },
    /// The value has another type.
    #[error("`{name}`: expected {expected}, found {found}")]
    Type {
        /// The name of the field.
        name: String,
        /// The declared type.
        expected: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// The number is out of its range.
    #[error("`{name}`: expected {expected}, found {found}")]
    Range {
        /// The name of the field.
        name: String,
        /// The range.
        expected: String,
        /// The number.
        found: String,
    },
}

impl Default for DeclaredValues {
    fn default() -> Self {
        static NOTHING: Mutex<Option<Arc<Declaration>>> = Mutex::new(None);
        let mut nothing = NOTHING.lock().unwrap_or_else(PoisonError::into_inner);
        let declaration = nothing.get_or_insert_with(|| Arc::new(Declaration::new(Vec::new()))).clone();
        Self { declaration, values: Vec::new(), is_declared: false }
    }
}

impl DeclaredValues {
    /// All values at their defaults.
    pub fn new(declaration: Arc<Declaration>) -> Self {
        let values = declaration.fields.iter().map(|field| field.default.clone()).collect();
        Self { declaration, values, is_declared: true }
    }

    /// Values as a scene writes them, before their file is known.
    pub fn undeclared(values: impl IntoIterator<Item = (String, PlainValue)>) -> Self {
        let fields = values.into_iter().map(|(name, value)| DeclaredField::plain(name, value)).collect();
        Self { is_declared: false, ..Self::new(Arc::new(Declaration::new(fields))) }
    }

    /// Forgets the file, but not the values that differ from its defaults: the next file must declare them.
    pub fn undeclare(&mut self) {
        let fields = self.declaration.fields.iter().zip(&self.values);
        let others = fields.filter(|(field, value)| !self.is_declared || field.default != **value);
        let values = others.map(|(field, value)| (field.name.clone(), value.clone())).collect::<Vec<_>>();
        *self = Self::undeclared(values);
    }

    /// Whether the values have the names and types of a file.
    pub fn is_declared(&self) -> bool {
        self.is_declared
    }

    /// The declaration.
    pub fn declaration(&self) -> &Arc<Declaration> {
        &self.declaration
    }

    /// The values, in the order of the declaration.
    pub fn values(&self) -> &[PlainValue] {
        &self.values
    }

    /// The values, mutable. Their types must not change.
    pub fn values_mut(&mut self) -> &mut [PlainValue] {
        &mut self.values
    }

    /// The same fields at their defaults.
    #[must_use]
    pub fn at_defaults(&self) -> Self {
        Self { is_declared: self.is_declared, ..Self::new(self.declaration.clone()) }
    }

    /// Whether all values are declared and at their defaults.
    pub fn are_defaults(&self) -> bool {
        let fields = self.declaration.fields.iter().zip(&self.values);
        self.values.is_empty() || self.is_declared && fields.into_iter().all(|(field, value)| field.default == *value)
    }

    /// Takes over another declaration: values with a known name and type stay, except those at an old default; all others
    /// are at their new defaults. Returns the values that a scene has written and that the declaration does not have.
    pub fn declare(&mut self, declaration: &Arc<Declaration>) -> Vec<UndeclaredValue> {
        if self.is_declared && self.declaration.is_same(declaration) {
            return Vec::new();
        }
        let before = std::mem::replace(self, Self::new(declaration.clone()));
        let mut problems = Vec::new();
        for (field, value) in before.declaration.fields.iter().zip(before.values) {
            if before.is_declared && value == field.default {
                continue;
            }
            match self.take(&field.name, value) {
                Err(problem) if !before.is_declared => problems.push(problem),
                _ => {}
            }
        }
        problems
    }

    fn take(&mut self, name: &str, value: PlainValue) -> Result<(), UndeclaredValue> {
        let Some(place) = self.declaration.place(name) else {
            let known = || self.declaration.fields.iter().map(|field| field.name.as_str());
            let hint = match did_you_mean(name, known()) {
                hint if !hint.is_empty() => hint,
                _ if self.values.is_empty() => ": the file declares none".into(),
                _ => format!(": expected one of {}", known().collect::<Vec<_>>().join(", ")),
            };
            return Err(UndeclaredValue::Name { name: name.to_owned(), hint });
        };
        let field = &self.declaration.fields[place];
        if !field.default.is_like(&value) {
            let (expected, found) = (field.default.type_name(), value.type_name());
            return Err(UndeclaredValue::Type { name: name.to_owned(), expected, found });
        }
        if let (PlainValue::Number(number), Some(limits)) = (&value, field.limits)
            && !limits.allow(*number)
        {
            let (expected, found) = (limits.expected(), number.to_string());
            return Err(UndeclaredValue::Range { name: name.to_owned(), expected, found });
        }
        self.values[place] = value;
        Ok(())
    }

    /// Takes over another declaration for values that no scene sets, such as the state of a script: values with a known
    /// name and type stay, all others are at their new defaults.
    pub fn migrate(&mut self, declaration: &Arc<Declaration>) {
        if Arc::ptr_eq(&self.declaration, declaration) {
            return;
        }
        let before = std::mem::replace(self, Self::new(declaration.clone()));
        for (field, value) in before.declaration.fields.iter().zip(before.values) {
            if let Some(place) = self.declaration.place(&field.name)
                && self.values[place].is_like(&value)
            {
                self.values[place] = value;
            }
        }
    }
}

impl fmt::Debug for DeclaredValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.declaration.fields.iter().map(|field| &field.name);
        f.debug_map().entries(names.zip(&self.values)).finish()
    }
}

impl PartialEq for DeclaredValues {
    fn eq(&self, other: &Self) -> bool {
        let have_same_names = || self.iter_fields().map(|(name, _)| name).eq(other.iter_fields().map(|(name, _)| name));
        self.values == other.values && (self.declaration.is_same(&other.declaration) || have_same_names())
    }
}

fn inner(value: &PlainValue) -> &dyn PartialReflect {
    match value {
        PlainValue::Number(number) => number,
        PlainValue::Flag(flag) => flag,
        PlainValue::Text(text) => text,
        PlainValue::Numbers(numbers) => numbers,
    }
}

fn inner_mut(value: &mut PlainValue) -> &mut dyn PartialReflect {
    match value {
        PlainValue::Number(number) => number,
        PlainValue::Flag(flag) => flag,
        PlainValue::Text(text) => text,
        PlainValue::Numbers(numbers) => numbers,
    }
}

impl Struct for DeclaredValues {
    fn field(&self, name: &str) -> Option<&dyn PartialReflect> {
        self.field_at(self.declaration.place(name)?)
    }

    fn field_mut(&mut self, name: &str) -> Option<&mut dyn PartialReflect> {
        self.field_at_mut(self.declaration.place(name)?)
    }

    fn field_at(&self, index: usize) -> Option<&dyn PartialReflect> {
        self.values.get(index).map(inner)
    }

    fn field_at_mut(&mut self, index: usize) -> Option<&mut dyn PartialReflect> {
        self.values.get_mut(index).map(inner_mut)
    }

    fn name_at(&self, index: usize) -> Option<&str> {
        self.declaration.fields.get(index).map(|field| field.name.as_str())
    }

    fn index_of_name(&self, name: &str) -> Option<usize> {
        self.declaration.place(name)
    }

    fn field_len(&self) -> usize {
        self.values.len()
    }

    fn iter_fields(&self) -> FieldIter<'_> {
        FieldIter::new(self)
    }
}

reflect_by_hand!(DeclaredValues, Struct, {
    // The type as such has no fields: each value has those of its declaration.
    fn get_represented_type_info(&self) -> Option<&'static TypeInfo> {
        Some(self.declaration.info)
    }

    fn reflect_partial_eq(&self, value: &dyn PartialReflect) -> Option<bool> {
        match value.try_downcast_ref::<Self>() {
            Some(other) => Some(self == other),
            None => struct_partial_eq(self, value),
        }
    }

    fn reflect_partial_cmp(&self, value: &dyn PartialReflect) -> Option<Ordering> {
        struct_partial_cmp(self, value)
    }

    fn apply(&mut self, value: &dyn PartialReflect) {
        _ = self.try_apply(value);
    }

    fn try_apply(&mut self, value: &dyn PartialReflect) -> Result<(), ApplyError> {
        let fields = value.reflect_ref().as_struct()?;
        for (name, value) in fields.iter_fields() {
            if let Some(field) = self.field_mut(name) {
                field.try_apply(value)?;
            }
        }
        Ok(())
    }
});

impl Typed for DeclaredValues {
    fn type_info() -> &'static TypeInfo {
        static INFO: NonGenericTypeInfoCell = NonGenericTypeInfoCell::new();
        INFO.get_or_set(|| TypeInfo::Opaque(OpaqueInfo::new::<Self>()))
    }
}

impl GetTypeRegistration for DeclaredValues {
    fn get_type_registration() -> TypeRegistration {
        let mut registration = TypeRegistration::of::<Self>();
        registration.insert::<ReflectFromPtr>(FromType::<Self>::from_type());
        registration.insert::<ReflectFromReflect>(FromType::<Self>::from_type());
        registration.insert::<ReflectDefault>(FromType::<Self>::from_type());
        registration
    }
}

impl FromReflect for DeclaredValues {
    fn from_reflect(value: &dyn PartialReflect) -> Option<Self> {
        value.try_downcast_ref::<Self>().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declaration(fields: &[(&str, PlainValue)]) -> Arc<Declaration> {
        let fields = fields.iter().map(|(name, default)| DeclaredField {
            limits: Some(Limits::between(-2.0, 2.0)),
            unit: "rad/s".into(),
            about: "Turn rate.".into(),
            ..DeclaredField::plain(*name, default.clone())
        });
        Arc::new(Declaration::new(fields.collect()))
    }

    #[test]
    fn declared_values_are_a_struct_with_the_fields_of_their_declaration() {
        let mut values = DeclaredValues::new(declaration(&[
            ("turn", PlainValue::Number(0.5)),
            ("mode", PlainValue::Text("search".into())),
        ]));
        let info = values.get_represented_struct_info().unwrap();
        let field = info.field("turn").unwrap();
        assert_eq!(field.get_attribute::<Limits>(), Some(&Limits::between(-2.0, 2.0)));
        assert_eq!(field.get_attribute::<Unit>().map(|unit| unit.0), Some("rad/s"));
        assert_eq!(field.docs(), Some("Turn rate."));
        assert!(values.are_defaults());
        *values.field_mut("turn").unwrap().try_downcast_mut::<f64>().unwrap() = 1.5;
        assert_eq!(values.values()[0], PlainValue::Number(1.5));
        assert!(!values.are_defaults() && values.at_defaults().are_defaults());
        let names: Vec<_> = values.iter_fields().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names, ["turn", "mode"]);
    }

    #[test]
    fn values_of_a_scene_are_checked_against_the_declaration() {
        let known = declaration(&[("turn", PlainValue::Number(0.5)), ("on", PlainValue::Flag(true))]);
        let with = |name: &str, value| {
            let mut values = DeclaredValues::undeclared([(name.to_owned(), value)]);
            let problems = values.declare(&known);
            (values, problems.into_iter().map(|problem| problem.to_string()).collect::<Vec<_>>())
        };
        let (values, problems) = with("turn", PlainValue::Number(1.0));
        assert_eq!((values.values(), problems.len()), (&[PlainValue::Number(1.0), PlainValue::Flag(true)][..], 0));
        assert_eq!(with("turm", PlainValue::Number(1.0)).1, ["there is no `turm`; did you mean `turn`?"]);
        assert_eq!(with("speed", PlainValue::Number(1.0)).1, ["there is no `speed`: expected one of turn, on"]);
        assert_eq!(with("on", PlainValue::Number(1.0)).1, ["`on`: expected true or false, found a number"]);
        assert_eq!(with("turn", PlainValue::Number(3.0)).1, ["`turn`: expected a number from -2 to 2, found 3"]);
    }

    #[test]
    fn a_new_declaration_keeps_what_has_the_same_name_and_type() {
        let number = PlainValue::Number;
        let before = declaration(&[("a", number(1.0)), ("b", number(1.0)), ("c", number(1.0))]);
        let after = declaration(&[("c", PlainValue::Flag(true)), ("b", number(2.0)), ("a", number(2.0))]);
        let mut values = DeclaredValues::new(before);
        values.values_mut()[0] = number(1.5);
        let mut state = values.clone();
        assert_eq!(values.declare(&after), []);
        assert_eq!(values.values(), [PlainValue::Flag(true), number(2.0), number(1.5)], "b was at its default");
        state.migrate(&after);
        assert_eq!(state.values(), [PlainValue::Flag(true), number(1.0), number(1.5)]);
    }

    #[test]
    fn equal_declarations_share_one_description() {
        let one = || DeclaredValues::new(declaration(&[("a", PlainValue::Numbers(vec![1.0]))]));
        assert!(std::ptr::eq(one().get_represented_type_info().unwrap(), one().get_represented_type_info().unwrap()));
        assert_eq!(one(), one());
    }
}
