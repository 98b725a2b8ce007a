//! Reads a scene, or any other reflected value, from text.
//!
//! The reader walks the outline of the text and the description of the type together and collects every problem.
//! It starts from the default and replaces one field after the other by a value of the very type of that field,
//! so nothing is defaulted silently, and a value exists only when all of the text was right.

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use bevy::prelude::*;
use bevy::reflect::array::DynamicArray;
use bevy::reflect::enums::{DynamicEnum, DynamicVariant, EnumInfo, VariantInfo};
use bevy::reflect::list::{DynamicList, ListInfo};
use bevy::reflect::structs::{DynamicStruct, StructInfo};
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::tuple_struct::DynamicTupleStruct;
use bevy::reflect::{
    NamedField, ReflectDeserialize, ReflectFromReflect, ReflectMut, ReflectOwned, TypeInfo, TypePathTable, Typed,
    UnnamedField,
};

use super::outline::{Body, Field, Node, outline};
use super::problem::{Place, Problem, Problems, did_you_mean};
use crate::kind::{Kinds, Limits, Positional, ReflectSlot, Required};

/// The most problems that are told one by one.
const MAX_PROBLEMS: usize = 50;
/// The most bytes of a file that is read.
const MAX_BYTES: u64 = 64 << 20;
/// The most characters of a file that a message repeats.
const MAX_SHOWN: usize = 40;
/// The most characters of a name for which a similar one is searched.
const MAX_SUGGESTED: usize = 64;
/// The most names that a message lists.
const MAX_LISTED: usize = 20;

/// Reads a whole text, such as a scene file.
///
/// The type and everything in it must be known to `kinds`.
pub fn read<T: Reflect + Typed>(kinds: &Kinds, source_name: &str, text: &str) -> Result<T, Problems> {
    let value = read_value(kinds, text, Wanted::of(TypeId::of::<T>()));
    let refuse = |problems| Problems { source_name: source_name.into(), problems };
    let value = value.map_err(refuse)?.try_take::<T>();
    value.map_err(|_| refuse(vec![Problem::of_file(format!("internal error: not a {}", type_name::<T>()))]))
}

/// What a text should be read as.
#[derive(Clone, Copy)]
pub struct Wanted<'d> {
    /// The type.
    pub type_id: TypeId,
    /// The range of the number, or of all numbers that the value is made of.
    pub limits: Option<Limits>,
    /// Where fields that are not written come from; without it, from the default of the type.
    pub default: Option<&'d dyn Reflect>,
}

impl Wanted<'_> {
    /// Any value of a type.
    pub fn of(type_id: TypeId) -> Self {
        Self { type_id, limits: None, default: None }
    }
}

/// Reads one value of any known type.
///
/// The paths of the problems begin at this value; their places are those in the text.
/// Tuples and arrays come as dynamic values, as reflection cannot make them: [`put`] puts any value in its place.
pub fn read_value(kinds: &Kinds, text: &str, wanted: Wanted) -> Result<Box<dyn PartialReflect>, Vec<Problem>> {
    let node = outline(text).map_err(|problem| vec![problem])?;
    let mut reader = Reader { kinds, text, path: Vec::new(), problems: Vec::new(), more: 0 };
    let value = reader.value(&node, wanted);
    let problems = reader.finish();
    match value {
        Some(value) if problems.is_empty() => Ok(value),
        _ if problems.is_empty() => Err(vec![Problem::of_file("internal error: no value and no reason")]),
        _ => Err(problems),
    }
}

/// Replaces a value by one that was read for its type; tells whether it was of that type.
pub fn put(target: &mut dyn PartialReflect, value: Box<dyn PartialReflect>) -> bool {
    let value = match value.try_into_reflect() {
        Ok(value) => return target.try_as_reflect_mut().is_some_and(|target| target.set(value).is_ok()),
        Err(dynamic) => dynamic,
    };
    let parts = match value.reflect_owned() {
        ReflectOwned::Tuple(tuple) => tuple.drain(),
        ReflectOwned::Array(array) => array.drain(),
        _ => return false,
    };
    parts.into_iter().enumerate().all(|(index, part)| match target.reflect_mut() {
        ReflectMut::Tuple(tuple) => tuple.field_mut(index).is_some_and(|target| put(target, part)),
        ReflectMut::Array(array) => array.get_mut(index).is_some_and(|target| put(target, part)),
        _ => false,
    })
}

/// Reads a text file; every importer begins here.
pub fn read_text(path: &Path) -> Result<String, Problems> {
    let refuse = |message: String| Problems::of_file(path.display().to_string(), message);
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => refuse("there is no such file".into()),
        _ => refuse(format!("cannot be read: {error}")),
    };
    let too_large = || refuse(format!("is larger than {} MiB", MAX_BYTES >> 20));

    let metadata = path.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(refuse("is a folder, not a file".into()));
    }
    if metadata.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // Devices and pipes do not tell their length beforehand.
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    text_of(bytes).map_err(|(byte, offset)| refuse(format!("is not text: byte {byte:#04x} at offset {offset}")))
}

/// The text that bytes are, or the first byte that belongs to no text and its offset.
fn text_of(bytes: Vec<u8>) -> Result<String, (u8, usize)> {
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return Err((0, offset));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        (error.as_bytes()[offset], offset)
    })
}

/// A piece of a file for a message: short, and without control characters.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == MAX_SHOWN {
            shown.push('…');
            break;
        }
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
}

/// Adds the nearest known name, or all known names when none is near.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    let near = nearest(name, known);
    let more = known.len().saturating_sub(MAX_LISTED);
    match known {
        _ if !near.is_empty() => near,
        [] => "; there is none".into(),
        known if more == 0 => format!("; there is {}", join(known, "and")),
        known => format!("; there is {} and {more} more", known[..MAX_LISTED].join(", ")),
    }
}

/// Adds the nearest known name. Names of absurd length are not compared.
fn nearest(name: &str, known: &[&str]) -> String {
    match name.chars().nth(MAX_SUGGESTED) {
        None => did_you_mean(name, known.iter().copied()),
        Some(_) => String::new(),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn join(names: &[&str], last: &str) -> String {
    match names {
        [front @ .., end] if !front.is_empty() => format!("{} {last} {end}", front.join(", ")),
        names => names.concat(),
    }
}

/// Whether a struct may be written as a tuple: types that say so, and the vectors of the maths library.
pub(crate) fn is_positional(info: &StructInfo) -> bool {
    info.has_attribute::<Positional>() || info.type_path().starts_with("glam::")
}

/// Whether an enum is an [`Option`].
pub(crate) fn is_option(info: &EnumInfo) -> bool {
    info.type_path_table().module_path() == Some("core::option")
}

/// The name that a type has in a file.
pub(crate) fn type_ident(types: &TypePathTable) -> &'static str {
    types.ident().unwrap_or_else(|| types.short_path())
}

/// The default of a type.
pub(crate) fn default_of(kinds: &Kinds, type_id: TypeId) -> Option<Box<dyn Reflect>> {
    kinds.types().get_type_data::<ReflectDefault>(type_id).map(ReflectDefault::default)
}

/// Runs a macro on all integer types.
macro_rules! with_integers {
    ($run:ident) => {
        $run!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize)
    };
}

/// A value as a number, if it is one.
pub(crate) fn number(value: &dyn Reflect) -> Option<f64> {
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
pub(crate) fn integer_range(type_id: TypeId) -> Option<(String, String)> {
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

/// What a message says that a leaf should be.
fn expected_leaf(info: &TypeInfo, limits: Option<Limits>) -> String {
    let type_id = info.type_id();
    match (integer_range(type_id), limits) {
        (Some(_), Some(limits)) => limits.to_string().replacen("a number", "an integer", 1),
        (Some((min, max)), None) => format!("an integer from {min} to {max}"),
        (None, Some(limits)) => limits.to_string(),
        (None, None) if type_id == TypeId::of::<f64>() || type_id == TypeId::of::<f32>() => "a number".into(),
        (None, None) if type_id == TypeId::of::<bool>() => "true or false".into(),
        (None, None) if type_id == TypeId::of::<String>() => "text in quotes".into(),
        (None, None) => type_ident(info.type_path_table()).into(),
    }
}

/// What a message says that stands there.
fn found(node: &Node) -> String {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | '"' | '\'');
    match &node.body {
        Body::Leaf(text) if text.starts_with(plain) || text.starts_with("r\"") || text.starts_with("r#") => shown(text),
        Body::Leaf(text) => format!("`{}`", shown(text)),
        Body::Struct { name: Some(name), .. } | Body::Tuple { name: Some(name), .. } => format!("`{}(…)`", shown(name)),
        Body::Struct { name: None, .. } => "fields in brackets".into(),
        Body::Tuple { name: None, items } if items.is_empty() => "empty brackets".into(),
        Body::Tuple { name: None, items } => format!("{} in round brackets", count(items.len(), "value")),
        Body::List(_) => "a list".into(),
    }
}

fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// One step on the way from the root to the value that is being read.
enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

/// The fields that a struct or a variant should have.
struct Shape {
    name: &'static str,
    fields: Vec<&'static NamedField>,
    positional: bool,
}

impl Shape {
    fn of_struct(info: &'static StructInfo) -> Self {
        let name = type_ident(info.type_path_table());
        Self { name, fields: info.iter().collect(), positional: is_positional(info) }
    }

    fn names(&self) -> Vec<&'static str> {
        self.fields.iter().map(|field| field.name()).collect()
    }

    /// How it is written: `(x, y)` or `(size_m: …, walls: …)`.
    fn pattern(&self) -> String {
        let fields =
            self.names().into_iter().map(|name| if self.positional { name.into() } else { format!("{name}: …") });
        format!("({})", fields.collect::<Vec<_>>().join(", "))
    }
}

/// One field in the text: its name, the place of the name, and its value.
type Entry<'n, 'a> = (&'a str, usize, &'n Node<'a>);
type Values = Vec<(&'static NamedField, Box<dyn PartialReflect>)>;

struct Reader<'a> {
    kinds: &'a Kinds,
    text: &'a str,
    path: Vec<Step<'a>>,
    problems: Vec<(usize, Problem)>,
    /// How many problems there are beyond those that are told.
    more: usize,
}

impl<'a> Reader<'a> {
    /// The problems in the order of the text.
    fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|(at, _)| *at);
        let mut problems: Vec<_> = self.problems.into_iter().map(|(_, problem)| problem).collect();
        if self.more > 0 {
            problems.push(Problem::of_file(format!("… and {} more", self.more)));
        }
        problems
    }

    /// Notes a problem; the message is made only when it will be told.
    fn refuse<T>(&mut self, at: usize, message: impl FnOnce() -> String) -> Option<T> {
        if self.problems.len() == MAX_PROBLEMS {
            self.more += 1;
        } else {
            let place = Some(Place::of(self.text, at));
            self.problems.push((at, Problem { place, path: self.path_text(), message: message() }));
        }
        None
    }

    fn path_text(&self) -> String {
        self.path.iter().fold(String::new(), |path, step| match step {
            Step::Field(name) if path.is_empty() => shown(name),
            Step::Field(name) => format!("{path}.{}", shown(name)),
            Step::Index(index) => format!("{path}[{index}]"),
        })
    }

    /// Does something one step further along the path.
    fn within<T>(&mut self, step: Step<'a>, act: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.path.push(step);
        let result = act(self);
        self.path.pop();
        result
    }

    fn expected<T>(&mut self, node: &Node<'a>, what: impl FnOnce() -> String) -> Option<T> {
        self.refuse(node.span.start, || format!("expected {}, found {}", what(), found(node)))
    }

    fn value(&mut self, node: &Node<'a>, wanted: Wanted) -> Option<Box<dyn PartialReflect>> {
        let Some(registration) = self.kinds.types().get(wanted.type_id) else {
            return self.refuse(node.span.start, || "internal error: the type of this value is not registered".into());
        };
        if let Some(slot) = registration.data::<ReflectSlot>() {
            return self.slot(node, slot);
        }
        match registration.type_info() {
            TypeInfo::Struct(info) => self.structure(node, info, wanted),
            TypeInfo::Enum(info) if is_option(info) => self.option(node, info, wanted),
            TypeInfo::Enum(info) => self.variant(node, info, wanted),
            TypeInfo::List(info) => self.list(node, info, wanted),
            TypeInfo::Tuple(info) => {
                let items = self.items(node, "", &unnamed(info.iter(), wanted.limits))?;
                Some(Box::new(DynamicTuple::from_iter(items)))
            }
            TypeInfo::TupleStruct(info) => {
                let name = type_ident(info.type_path_table());
                let items = self.items(node, name, &unnamed(info.iter(), wanted.limits))?;
                self.concrete(node, wanted.type_id, &DynamicTupleStruct::from_iter(items))
            }
            TypeInfo::Array(info) => {
                let item = Wanted { limits: wanted.limits, ..Wanted::of(info.item_ty().id()) };
                let items = self.items(node, "", &vec![item; info.capacity()])?;
                Some(Box::new(DynamicArray::from_iter(items)))
            }
            info => self.leaf(node, info, wanted),
        }
    }

    /// A number, a text, `true`: RON reads it, here it is held against its limits.
    fn leaf(&mut self, node: &Node<'a>, info: &TypeInfo, wanted: Wanted) -> Option<Box<dyn PartialReflect>> {
        let Some(type_data) = self.kinds.types().get_type_data::<ReflectDeserialize>(wanted.type_id) else {
            return self.refuse(node.span.start, || format!("internal error: cannot read a {}", info.type_path()));
        };
        let Some(value) = from_ron(type_data, &self.text[node.span.clone()]) else {
            return self.expected(node, || expected_leaf(info, wanted.limits));
        };
        match (number(&*value), wanted.limits) {
            (Some(number), _) if !number.is_finite() => self.expected(node, || "a finite number".into()),
            (Some(number), Some(limits)) if !limits.allow(number) => {
                self.expected(node, || expected_leaf(info, wanted.limits))
            }
            _ => Some(value.into_partial_reflect()),
        }
    }

    /// A kind in a slot: its name decides which struct it is read as.
    fn slot(&mut self, node: &Node<'a>, slot: &ReflectSlot) -> Option<Box<dyn PartialReflect>> {
        let kinds = self.kinds;
        let family = slot.family;
        let names = || kinds.family(family).map(|kind| kind.name).collect::<Vec<_>>();
        let Some(name) = node.name() else {
            let example = names().first().map(|name| format!(" such as `{name}()`")).unwrap_or_default();
            return self.expected(node, || format!("a {family}{example}"));
        };
        let Some(kind) = kinds.get(family, name) else {
            let at = node.span.start;
            return self.refuse(at, || format!("unknown {family} `{}`{}", shown(name), suggestion(name, &names())));
        };
        let mut kept = (kind.default)();
        let default: &dyn Reflect = &*kept;
        let wanted = Wanted { default: Some(default), ..Wanted::of(kind.type_id) };
        let value = self.value(node, wanted)?;
        match put(kept.as_partial_reflect_mut(), value) {
            true => Some((slot.wrap)(kept).into_partial_reflect()),
            false => self.refuse(node.span.start, || format!("internal error: not a {name}")),
        }
    }

    /// The value that fields are written into.
    fn start(&self, wanted: Wanted) -> Option<Box<dyn Reflect>> {
        let default = wanted.default.filter(|default| default.as_any().type_id() == wanted.type_id);
        let clone = default.and_then(|default| default.reflect_clone().ok());
        clone.or_else(|| default_of(self.kinds, wanted.type_id))
    }

    fn structure(
        &mut self,
        node: &Node<'a>,
        info: &'static StructInfo,
        wanted: Wanted,
    ) -> Option<Box<dyn PartialReflect>> {
        let shape = Shape::of_struct(info);
        if node.name().is_some_and(|name| name != shape.name) {
            return self.expected(node, || format!("{} {}", shape.name, shape.pattern()));
        }
        let mut start = self.start(wanted);
        let default = start.as_deref().and_then(|start| start.reflect_ref().as_struct().ok());
        let values = self.fields(node, &shape, wanted.limits, |name| default.and_then(|d| d.field(name)))?;
        let Some(target) = start.as_deref_mut().and_then(|start| start.reflect_mut().as_struct().ok()) else {
            return self.concrete(node, wanted.type_id, &dynamic_struct(values));
        };
        for (field, value) in values {
            if !target.field_mut(field.name()).is_some_and(|target| put(target, value)) {
                return self.refuse(node.span.start, || format!("internal error: cannot set {}", field.name()));
            }
        }
        start.map(<dyn Reflect>::into_partial_reflect)
    }

    /// Reads all fields that are written, and complains about those that should be.
    fn fields<'d>(
        &mut self,
        node: &Node<'a>,
        shape: &Shape,
        limits: Option<Limits>,
        default: impl Fn(&str) -> Option<&'d dyn PartialReflect>,
    ) -> Option<Values> {
        let entries = self.entries(node, shape)?;
        let mut written = vec![false; shape.fields.len()];
        let mut values = Some(Values::new());
        for (name, at, node) in entries {
            let value = self.within(Step::Field(name), |reader| {
                let Some(index) = shape.fields.iter().position(|field| field.name() == name) else {
                    let near = || suggestion(name, &shape.names());
                    return reader.refuse(at, || format!("{} has no field `{}`{}", shape.name, shown(name), near()));
                };
                if std::mem::replace(&mut written[index], true) {
                    return reader.refuse(at, || format!("the field `{name}` is written twice"));
                }
                let field = shape.fields[index];
                let limits = field.get_attribute::<Limits>().copied().or(limits);
                let default = default(name).and_then(PartialReflect::try_as_reflect);
                let value = reader.value(node, Wanted { type_id: field.type_id(), limits, default })?;
                Some((field, value))
            });
            values = values.zip(value).map(pushed);
        }
        for (field, _) in shape.fields.iter().zip(&written).filter(|(_, written)| !**written) {
            if field.has_attribute::<Required>() || default(field.name()).is_none() {
                let at = node.span.start;
                values = self.refuse(at, || format!("{} needs the field `{}`", shape.name, field.name()));
            }
        }
        values
    }

    /// The fields as they stand in the text. Names may be left out where the order is enough.
    fn entries<'n>(&mut self, node: &'n Node<'a>, shape: &Shape) -> Option<Vec<Entry<'n, 'a>>> {
        match &node.body {
            Body::Struct { fields, .. } => {
                let entry = |field: &'n Field<'a>| (field.name, field.span.start, &field.value);
                Some(fields.iter().map(entry).collect())
            }
            Body::Tuple { items, .. } if shape.positional && items.len() == shape.fields.len() => {
                Some(shape.names().into_iter().zip(items).map(|(name, item)| (name, item.span.start, item)).collect())
            }
            Body::Tuple { items, .. } if items.is_empty() && !shape.positional => Some(Vec::new()),
            // Whoever asks has checked that a lone name is the right one.
            Body::Leaf(_) if node.name() == Some(shape.name) => Some(Vec::new()),
            _ => self.expected(node, || shape.pattern()),
        }
    }

    /// An optional value: `None`, `Some(value)`, or just the value.
    fn option(&mut self, node: &Node<'a>, info: &'static EnumInfo, wanted: Wanted) -> Option<Box<dyn PartialReflect>> {
        let item = match &node.body {
            Body::Leaf("None") => return self.concrete(node, wanted.type_id, &DynamicEnum::new("None", ())),
            Body::Tuple { name: Some("Some"), items } if let [item] = items.as_slice() => item,
            _ => node,
        };
        let some = info.variant("Some").and_then(|some| some.as_tuple_variant().ok()?.field_at(0));
        let Some(some) = some else {
            return self.refuse(node.span.start, || "internal error: an option without a value".into());
        };
        let value = self.value(item, Wanted { limits: wanted.limits, ..Wanted::of(some.type_id()) })?;
        let some = DynamicTuple::from_iter([value]);
        self.concrete(node, wanted.type_id, &DynamicEnum::new("Some", some))
    }

    fn variant(&mut self, node: &Node<'a>, info: &'static EnumInfo, wanted: Wanted) -> Option<Box<dyn PartialReflect>> {
        let allowed = || join(info.variant_names(), "or");
        let Some(name) = node.name() else { return self.expected(node, allowed) };
        let content: DynamicVariant = match info.variant(name) {
            None => {
                let near = || nearest(name, info.variant_names());
                let message = || format!("expected {}, found {}{}", allowed(), found(node), near());
                return self.refuse(node.span.start, message);
            }
            Some(VariantInfo::Unit(_)) => match &node.body {
                Body::Leaf(_) => ().into(),
                Body::Tuple { items, .. } if items.is_empty() => ().into(),
                _ => return self.refuse(node.span.start, || format!("{name} has no fields")),
            },
            Some(VariantInfo::Struct(variant)) => {
                let shape = Shape { name: variant.name(), fields: variant.iter().collect(), positional: false };
                let default = self.variant_default(name, wanted);
                let default = |name: &str| default.as_deref()?.reflect_ref().as_enum().ok()?.field(name);
                let values = self.fields(node, &shape, wanted.limits, default)?;
                with_defaults(values, &shape, default).into()
            }
            Some(VariantInfo::Tuple(variant)) => {
                let items = self.items(node, name, &unnamed(variant.iter(), wanted.limits))?;
                DynamicTuple::from_iter(items).into()
            }
        };
        self.concrete(node, wanted.type_id, &DynamicEnum::new(name, content))
    }

    /// The default for the fields of a variant: only a default that is the same variant has them.
    fn variant_default(&self, name: &str, wanted: Wanted) -> Option<Box<dyn Reflect>> {
        [self.start(wanted), default_of(self.kinds, wanted.type_id)]
            .into_iter()
            .flatten()
            .find(|default| default.reflect_ref().as_enum().is_ok_and(|default| default.variant_name() == name))
    }

    /// Reads a fixed number of values without names, as in `(1.0, 2.0)`.
    fn items(&mut self, node: &Node<'a>, name: &str, wanted: &[Wanted]) -> Option<Vec<Box<dyn PartialReflect>>> {
        let items = match &node.body {
            Body::Tuple { items, .. } | Body::List(items) if items.len() == wanted.len() => items,
            _ => return self.expected(node, || count(wanted.len(), "value")),
        };
        if node.name().is_some_and(|found| found != name) {
            return self.expected(node, || count(wanted.len(), "value"));
        }
        let mut values = Some(Vec::new());
        for (index, (item, wanted)) in items.iter().zip(wanted).enumerate() {
            let value = self.within(Step::Index(index), |reader| reader.value(item, *wanted));
            values = values.zip(value).map(pushed);
        }
        values
    }

    fn list(&mut self, node: &Node<'a>, info: &'static ListInfo, wanted: Wanted) -> Option<Box<dyn PartialReflect>> {
        let Body::List(items) = &node.body else { return self.expected(node, || "a list in `[…]`".into()) };
        let item_type = info.item_ty().id();
        self.check_names(items, info.item_info());
        let mut values = Some(Vec::new());
        for (index, item) in items.iter().enumerate() {
            let wanted = Wanted { limits: wanted.limits, ..Wanted::of(item_type) };
            let value = self.within(Step::Index(index), |reader| reader.value(item, wanted));
            values = values.zip(value).map(pushed);
        }
        self.concrete(node, wanted.type_id, &DynamicList::from_iter(values?))
    }

    /// Members of a list that have names must have different ones, for paths to find them.
    fn check_names(&mut self, items: &[Node<'a>], info: Option<&TypeInfo>) {
        let Some(Ok(info)) = info.map(TypeInfo::as_struct) else { return };
        if !info.field("name").is_some_and(|name| name.is::<String>()) {
            return;
        }
        let mut taken = HashMap::new();
        for (index, item) in items.iter().enumerate() {
            let Some((name, span)) = name_of_member(item) else { continue };
            let first = *taken.entry(name.clone()).or_insert(index);
            if first != index {
                let list = self.path_text();
                self.within(Step::Index(index), |reader| {
                    reader.within(Step::Field("name"), |reader| {
                        let message = || format!("the name `{}` is taken by {list}[{first}]", shown(&name));
                        reader.refuse::<()>(span.start, message)
                    })
                });
            }
        }
    }

    /// Makes the real type from parts that are already of the real types.
    fn concrete(
        &mut self,
        node: &Node<'a>,
        type_id: TypeId,
        parts: &dyn PartialReflect,
    ) -> Option<Box<dyn PartialReflect>> {
        let from_reflect = self.kinds.types().get_type_data::<ReflectFromReflect>(type_id);
        match from_reflect.and_then(|from_reflect| from_reflect.from_reflect(parts)) {
            Some(value) => Some(value),
            None => self.refuse(node.span.start, || "internal error: the parts do not make a value".into()),
        }
    }
}

fn from_ron(type_data: &ReflectDeserialize, text: &str) -> Option<Box<dyn Reflect>> {
    let mut deserializer = ron::Deserializer::from_str(text).ok()?;
    let value = type_data.deserialize(&mut deserializer).ok()?;
    deserializer.end().is_ok().then_some(value)
}

fn name_of_member(node: &Node) -> Option<(String, Range<usize>)> {
    let Body::Struct { fields, .. } = &node.body else { return None };
    let field = fields.iter().find(|field| field.name == "name")?;
    let Body::Leaf(text) = field.value.body else { return None };
    Some((ron::from_str(text).ok()?, field.value.span.clone()))
}

fn dynamic_struct(values: Values) -> DynamicStruct {
    let mut dynamic = DynamicStruct::default();
    for (field, value) in values {
        dynamic.insert_boxed(field.name(), value);
    }
    dynamic
}

/// All fields of a variant: those that were written, and the others from the default.
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
fn unnamed(fields: impl Iterator<Item = &'static UnnamedField>, limits: Option<Limits>) -> Vec<Wanted<'static>> {
    fields
        .map(|field| {
            let limits = field.get_attribute::<Limits>().copied().or(limits);
            Wanted { limits, ..Wanted::of(field.type_id()) }
        })
        .collect()
}

fn pushed<T>((mut values, value): (Vec<T>, T)) -> Vec<T> {
    values.push(value);
    values
}

#[cfg(test)]
pub(crate) mod tests {
    use bevy::math::DVec2;

    use super::*;
    use crate::agent::motion::unicycle::Unicycle;
    use crate::controller::constant::Constant;
    use crate::kind::{ControllerFamily, MetricFamily, MotionFamily, ObjectFamily, Open, SensorFamily, SpawnerFamily};
    use crate::scene::description::{Body as Shape, Placement, Scene, Walls};
    use crate::spawner::point::Point;

    /// Sees.
    #[derive(Component, Reflect, Clone, Debug, PartialEq)]
    #[reflect(Component, Default)]
    pub struct Fov {
        /// How far.
        #[reflect(@Limits::POSITIVE)]
        pub range_m: f64,
        /// Where.
        #[reflect(@Limits::between(-1.0, 1.0))]
        pub mount_m: DVec2,
        pub rays: Option<u32>,
        pub gains: Vec<f64>,
        pub pair: (f64, u8),
        pub three: [f32; 3],
        pub pairs: Vec<(Metres, [u8; 2])>,
    }

    #[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
    pub struct Metres(f64);

    impl Default for Fov {
        fn default() -> Self {
            let (mount_m, rays) = (DVec2::ZERO, None);
            Self { range_m: 2.0, mount_m, rays, gains: vec![1.0, 2.0], pair: (1.5, 2), three: [1.0; 3], pairs: vec![] }
        }
    }

    #[derive(Reflect, Clone, Debug, Default, PartialEq)]
    #[reflect(Default)]
    pub struct Drive {
        /// Speed.
        pub v_m_per_s: f64,
        /// Turn.
        pub turn_rad_per_s: f64,
    }

    #[derive(Reflect, Clone, Debug, Default, PartialEq)]
    #[reflect(Default)]
    pub enum Mode {
        #[default]
        Idle,
        Ramp {
            #[reflect(@Limits::POSITIVE)]
            slope: f64,
            offset: f64,
        },
        Pick(u8, String),
    }

    #[derive(Component, Reflect, Clone, Debug, PartialEq)]
    #[reflect(Component, Default)]
    pub struct Two {
        pub clear: Drive,
        pub detected: Drive,
        pub mode: Mode,
    }

    impl Default for Two {
        fn default() -> Self {
            let clear = Drive { v_m_per_s: 0.3, turn_rad_per_s: -0.6 };
            Self { clear, detected: Drive::default(), mode: Mode::Idle }
        }
    }

    /// Switches between controllers.
    #[derive(Component, Reflect, Clone)]
    #[reflect(Component, Default)]
    pub struct Switch {
        pub first: Open<ControllerFamily>,
        pub rest: Vec<Open<ControllerFamily>>,
    }

    impl Default for Switch {
        fn default() -> Self {
            Self { first: Open::new(Two::default()), rest: Vec::new() }
        }
    }

    #[derive(Component, Reflect, Clone, Default)]
    #[reflect(Component, Default)]
    pub struct Circliness;

    pub fn kinds() -> Kinds {
        let mut kinds = Kinds::default();
        kinds.add_type::<Scene>();
        kinds.add::<SensorFamily, Fov>();
        kinds.add::<ControllerFamily, Constant>();
        kinds.add::<ControllerFamily, Two>();
        kinds.add::<ControllerFamily, Switch>();
        kinds.add::<MotionFamily, Unicycle>();
        kinds.add::<SpawnerFamily, Point>();
        kinds.add::<MetricFamily, Circliness>();
        kinds.add_slot::<ObjectFamily>();
        kinds
    }

    pub const MILLING: &str = r#"// Robots.
Scene(
    name: "Milling \"é\"",
    seed: 7,
    arena: (size_m: (10.0, 8), walls: Wrapping),
    groups: [(
        name: "millers",
        count: 6,
        at: [(1.0, 2.0, 0.5), (x_m: 3.0)],
        body: Disc(radius_m: 0.2),
        motion: Unicycle,
        sensors: [Fov(range_m: 2.5, mount_m: (0.5, -0.5), rays: 5), Fov()],
        controller: Two(
            clear: (v_m_per_s: 0.27),
            detected: (v_m_per_s: 0.27, turn_rad_per_s: 0.6),
            mode: Ramp(slope: 2.0, offset: 0.0), /* why not */
        ),
    ), (name: "others", controller: Switch(first: Two(), rest: [Two, Switch(rest: [Two()])]))],
    metrics: [Circliness(), Circliness],
)
"#;

    pub fn milling() -> Scene {
        read(&kinds(), "milling.ron", MILLING).unwrap()
    }

    fn refused(text: &str) -> String {
        read::<Scene>(&kinds(), "s.ron", text).unwrap_err().to_string()
    }

    /// Reads the parameters of a sensor.
    fn fov(text: &str) -> Result<Fov, String> {
        read::<Fov>(&kinds(), "", text).map_err(|problems| problems.problems[0].message.clone())
    }

    #[test]
    fn reads_a_scene() {
        let scene = milling();
        assert_eq!((scene.name.as_str(), scene.seed, scene.format), ("Milling \"é\"", 7, 1));
        assert_eq!((scene.arena.size_m, scene.arena.walls), (DVec2::new(10.0, 8.0), Walls::Wrapping));
        let [millers, others] = scene.groups.as_slice() else { panic!("{:?}", scene.groups) };
        assert_eq!(millers.body, Shape::Disc { radius_m: 0.2 });
        assert_eq!(millers.at[0], Placement { x_m: 1.0, y_m: 2.0, heading_rad: 0.5 });
        assert_eq!(millers.at[1], Placement { x_m: 3.0, ..default() });
        let fov = millers.sensors[0].value().downcast_ref::<Fov>().unwrap();
        let mount_m = DVec2::new(0.5, -0.5);
        assert_eq!(*fov, Fov { range_m: 2.5, mount_m, rays: Some(5), ..default() });
        assert_eq!(millers.sensors[1].value().downcast_ref(), Some(&Fov::default()));
        let two = millers.controller.value().downcast_ref::<Two>().unwrap();
        assert_eq!(
            two.clear,
            Drive { v_m_per_s: 0.27, turn_rad_per_s: -0.6 },
            "the default of the kind, not of `Drive`"
        );
        assert_eq!(two.mode, Mode::Ramp { slope: 2.0, offset: 0.0 });
        let switch = others.controller.value().downcast_ref::<Switch>().unwrap();
        assert!(switch.rest[1].value().is::<Switch>());
        assert_eq!(scene.metrics.len(), 2);
    }

    #[test]
    fn tells_all_problems_with_their_places() {
        let text = "Scene(\n  sed: 3,\n  groups: [(\n    name: \"a\", sensors: [Fov(range_m: -2)],\n    \
                    controller: Two(detected: (turn_rad_per_s: fast)),\n  )],\n  metrics: [Circlines()],\n)";
        let told = "s.ron:2:3: sed: Scene has no field `sed`, did you mean `seed`?\n\
             s.ron:4:39: groups[0].sensors[0].range_m: expected a number > 0, found -2\n\
             s.ron:5:48: groups[0].controller.detected.turn_rad_per_s: expected a number, found `fast`\n\
             s.ron:7:13: metrics[0]: unknown metric `Circlines`, did you mean `Circliness`?";
        assert_eq!(refused(text), told);
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let cases = [
            ("(seed: 1, seed: 2)", "s.ron:1:11: seed: the field `seed` is written twice"),
            ("(seed: -1)", "s.ron:1:8: seed: expected an integer from 0 to 18446744073709551615, found -1"),
            ("(format: 2)", "s.ron:1:10: format: expected an integer from 1 to 1, found 2"),
            ("(name: Milling)", "s.ron:1:8: name: expected text in quotes, found `Milling`"),
            ("(step_spawners: 1)", "s.ron:1:17: step_spawners: expected true or false, found 1"),
            ("(groups: 1)", "s.ron:1:10: groups: expected a list in `[…]`, found 1"),
            ("(groups: [()])", "s.ron:1:11: groups[0]: Group needs the field `name`"),
            ("(time: (dt_s: NaN))", "s.ron:1:15: time.dt_s: expected a finite number, found `NaN`"),
            ("(time: (dt_s: 1e999))", "s.ron:1:15: time.dt_s: expected a finite number, found 1e999"),
            ("(time: (dt_s: [1]))", "s.ron:1:15: time.dt_s: expected a number from 0.000001 to 10, found a list"),
            ("(arena: (size_m: (0, 1)))", "s.ron:1:19: arena.size_m.x: expected a number > 0 and ≤ 1000000, found 0"),
            (
                "(arena: (size_m: (1, 2, 3)))",
                "s.ron:1:18: arena.size_m: expected (x, y), found 3 values in round brackets",
            ),
            ("(arena: (size_m: ()))", "s.ron:1:18: arena.size_m: expected (x, y), found empty brackets"),
            ("(arena: 7)", "s.ron:1:9: arena: expected (size_m: …, walls: …), found 7"),
            ("(arena: Field())", "s.ron:1:9: arena: expected Arena (size_m: …, walls: …), found `Field(…)`"),
            (
                "(arena: (walls: Wraping))",
                "s.ron:1:17: arena.walls: expected Open, Walled or Wrapping, found `Wraping`, did you mean `Wrapping`?",
            ),
            ("(arena: (walls: Open(1)))", "s.ron:1:17: arena.walls: Open has no fields"),
            ("(metrics: [3])", "s.ron:1:12: metrics[0]: expected a metric such as `Circliness()`, found 3"),
            ("(metrics: [Foo])", "s.ron:1:12: metrics[0]: unknown metric `Foo`; there is Circliness"),
            ("(objects: [Foo])", "s.ron:1:12: objects[0]: unknown object `Foo`; there is none"),
            (
                "(groups: [(name: \"a\"), (name: \"b\"), (name: \"\\u{61}\")])",
                "s.ron:1:44: groups[2].name: the name `a` is taken by groups[0]",
            ),
        ];
        for (text, told) in cases {
            assert_eq!(refused(text), told, "{text}");
        }
    }

    #[test]
    fn limits_hold_for_parts() {
        assert_eq!(fov("(mount_m: (0, 2))").unwrap_err(), "expected a number from -1 to 1, found 2");
        assert_eq!(fov("(gains: [1, inf])").unwrap_err(), "expected a finite number, found `inf`");
        assert_eq!(fov("(three: [1, 2, 1e39])").unwrap_err(), "expected a finite number, found 1e39");
        assert_eq!(fov("(pair: (1, 300))").unwrap_err(), "expected an integer from 0 to 255, found 300");
        assert_eq!(fov("(three: (1, 2))").unwrap_err(), "expected 3 values, found 2 values in round brackets");
    }

    #[test]
    fn reads_options_tuples_and_arrays() {
        assert_eq!(fov("Fov"), Ok(Fov::default()));
        assert_eq!(fov("(rays: Some(3))"), Ok(Fov { rays: Some(3), ..default() }));
        assert_eq!(fov("(rays: 3)"), fov("(rays: Some(3))"));
        assert_eq!(fov("(rays: None, gains: [9])"), Ok(Fov { gains: vec![9.0], ..default() }));
        assert_eq!(
            fov("(pair: (2, 3), three: (1, 2, 3))"),
            Ok(Fov { pair: (2.0, 3), three: [1.0, 2.0, 3.0], ..default() })
        );
        assert_eq!(fov("(pairs: [((1), (2, 3)), (Metres(1), [2, 3])])").unwrap().pairs, [(Metres(1.0), [2, 3]); 2]);
        assert_eq!(fov("(pairs: [(Feet(1), [2, 3])])").unwrap_err(), "expected 1 value, found `Feet(…)`");
        assert_eq!(fov("(mount_m: (y: 1))"), Ok(Fov { mount_m: DVec2::Y, ..default() }));
    }

    #[test]
    fn variants_other_than_the_default_have_no_defaults() {
        let two = |text| read::<Two>(&kinds(), "", text).map_err(|problems| problems.to_string());
        assert_eq!(two("(mode: Ramp(slope: 1))").unwrap_err(), ":1:8: mode: Ramp needs the field `offset`");
        assert_eq!(two("(mode: Pick(1))").unwrap_err(), ":1:8: mode: expected 2 values, found `Pick(…)`");
        assert_eq!(two("(mode: Pick(1, \"x\"))").unwrap().mode, Mode::Pick(1, "x".into()));
        assert_eq!(two("(mode: Idle())").unwrap(), Two::default());
    }

    #[test]
    fn many_problems_are_counted_and_long_texts_shortened() {
        let text = format!("({})", "x: 1, ".repeat(100));
        let problems = read::<Scene>(&kinds(), "s", &text).unwrap_err().problems;
        assert_eq!((problems.len(), problems[50].message.as_str()), (51, "… and 50 more"));
        let long = format!("({}: 1)", "x".repeat(5_000_000));
        assert!(refused(&long).len() < 500);
        assert_eq!(shown("a\nb\u{1b}"), "a\\nb\\u{1b}");
        assert_eq!(shown(&"é".repeat(50)).chars().count(), MAX_SHOWN + 1);
    }

    #[test]
    fn kinds_nest_to_the_limit_of_brackets() {
        let nested = |depth: usize| format!("{}Two{}", "Switch(first: ".repeat(depth), ")".repeat(depth));
        assert!(read::<Switch>(&kinds(), "", &nested(64)).is_ok());
        let told = read::<Switch>(&kinds(), "", &nested(65)).err().unwrap().to_string();
        assert!(told.ends_with(": more than 64 brackets within each other"), "{told}");
    }

    #[test]
    fn every_scene_equals_its_default_when_empty() {
        for text in ["Scene()", "()", "Scene", "\u{feff}( /* */ )"] {
            assert_eq!(
                format!("{:?}", read::<Scene>(&kinds(), "", text)),
                format!("{:?}", Ok::<_, ()>(Scene::default()))
            );
        }
    }

    #[test]
    fn mutated_scenes_never_panic() {
        let kinds = kinds();
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..3_000 {
            let mut bytes = MILLING.as_bytes().to_vec();
            for _ in 0..=random(3) {
                let from = random(bytes.len());
                let to = from + random(20.min(bytes.len() - from));
                let piece = bytes[from..to].to_vec();
                let at = random(bytes.len());
                match random(3) {
                    0 => drop(bytes.drain(from..to)),
                    1 => drop(bytes.splice(at..at, piece)),
                    _ => bytes[at] = b"()[]{},:\"'\\/*#-.e0aN\n"[random(21)],
                }
            }
            let _ = read::<Scene>(&kinds, "", &String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn files_that_are_no_text_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.ron");
        let told = |path: &Path| read_text(path).unwrap_err().to_string().replace(&path.display().to_string(), "F");
        assert_eq!(told(&file), "F: there is no such file");
        assert_eq!(told(folder.path()), "F: is a folder, not a file");
        std::fs::write(&file, b"abc\xffd").unwrap();
        assert_eq!(told(&file), "F: is not text: byte 0xff at offset 3");
        std::fs::write(&file, b"a\0").unwrap();
        assert_eq!(told(&file), "F: is not text: byte 0x00 at offset 1");
        std::fs::write(&file, "é").unwrap();
        assert_eq!(read_text(&file).unwrap(), "é");
        File::create(&file).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert_eq!(told(&file), "F: is larger than 64 MiB");
    }
}
