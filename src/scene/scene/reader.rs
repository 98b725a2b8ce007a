//! Reads a scene, or any other reflected value, from text.
//!
//! The reader walks through the outline of the text and the type description together and collects every problem. It
//! starts from the default and replaces the fields one by one with values of exactly their types, so nothing gets a
//! default silently, and a value is returned only if the whole text is valid.

mod constants;
mod fields;
mod group;
mod list;
mod unknown;
mod variant;

use std::any::{TypeId, type_name};
use std::ops::Range;
use std::path::Path;

use bevy::prelude::*;
use bevy::reflect::array::DynamicArray;
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::tuple_struct::DynamicTupleStruct;
use bevy::reflect::{ReflectDeserialize, ReflectFromReflect, ReflectMut, ReflectOwned, TypeInfo, Typed};
use swarmarium_base::limits::Limits;
use swarmarium_base::plain::PlainValue;
use swarmarium_base::problem::{Place, Problem, Problems};
use swarmarium_base::{encoding, files};
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::kind::{Family as _, KindValue, Kinds, ReflectSlot};
use swarmarium_core::text::outline::{Body, Node, outline};
use swarmarium_core::text::values::{is_option, number, type_ident};
use swarmarium_core::text::wording::{count, degrees_hint, expected_leaf, found, shown, unit_message, with_article};

use super::Scene;
use super::constants::Constant;
use super::description::Group;
use super::scripts::{self, ScriptFileError};
use super::shipped;

use constants::Declared;
use unknown::unknown_kind;
use variant::unnamed;

/// The largest number of problems that are reported one by one.
const MAX_PROBLEMS: usize = 50;
/// The largest size of a file, in bytes.
pub const MAX_BYTES: u64 = 64 << 20;

/// Reads a whole text, such as a scene file.
///
/// The type and all types in it must be registered in `kinds`.
///
/// ```
/// use swarmarium_simulation::prelude::*;
/// use swarmarium_scene::scene::reader;
///
/// let recipe = Recipe::bare();
/// let scene: Scene = reader::read(recipe.kinds(), "my.ron", "(seed: 3)")?;
/// assert_eq!(scene.seed, 3);
/// let problems = reader::read::<Scene>(recipe.kinds(), "my.ron", "(sead: 3)").unwrap_err();
/// assert!(problems.to_string().contains("seed"));
/// # Ok::<(), swarmarium_base::problem::Problems>(())
/// ```
pub fn read<T: Reflect + Typed>(kinds: &Kinds, source_name: &str, text: &str) -> Result<T, Problems> {
    let folder = Path::new(source_name).parent();
    // Its text is that of the program itself, not one of a file with the same name.
    let is_shipped = shipped::get(source_name).is_some_and(|shipped| std::ptr::eq(shipped, text));
    let value = Source { folder, is_shipped, ..Source::default() }.read(kinds, text, Expected::of(TypeId::of::<T>()));
    let refuse = |problems| Problems { source_name: source_name.into(), problems };
    let value = value.map_err(refuse)?.try_take::<T>();
    value.map_err(|_| refuse(vec![Problem::of_file(format!("internal error: not a {}", type_name::<T>()))]))
}

/// The expected value.
#[derive(Clone, Copy)]
pub struct Expected<'d> {
    /// The type.
    pub type_id: TypeId,
    /// The range of the number, or of all numbers in the value.
    pub limits: Option<Limits>,
    /// The source of fields that are not written; `None` for the default of the type.
    pub default: Option<&'d dyn Reflect>,
}

impl Expected<'_> {
    /// Any value of a type.
    pub fn of(type_id: TypeId) -> Self {
        Self { type_id, limits: None, default: None }
    }
}

/// Reads one value of any registered type. The name of its field, which may be empty, gives the unit for messages.
///
/// The paths of the problems begin at this value; their places are those in the text. Tuples and arrays are returned as
/// dynamic values, since reflection cannot create them: [`put`] assigns any value.
pub fn read_value(
    kinds: &Kinds,
    (field, text): (&str, &str),
    expected: Expected,
) -> Result<Box<dyn PartialReflect>, Vec<Problem>> {
    Source { field, ..Source::default() }.read(kinds, text, expected)
}

/// The source of a text.
#[derive(Clone, Copy, Default)]
struct Source<'d> {
    /// The field that has the text as its value; empty for a text that is no value of a field.
    field: &'d str,
    /// The folder with its own robots.
    folder: Option<&'d Path>,
    /// Whether it is a scene of the program.
    is_shipped: bool,
    /// Whether it is a robot, that is, a group of which only some fields are written, or a supervisor.
    is_robot: bool,
}

impl Source<'_> {
    /// Reads the file of a script that has no text yet. A value without a file of its own, such as that of an edit, has no
    /// folder to read from.
    fn read_script(&self, controller: &mut dyn Reflect) -> Result<(), ScriptFileError> {
        match self.folder {
            _ if self.is_shipped => scripts::read_into(controller, None),
            None => Ok(()),
            folder => scripts::read_into(controller, folder),
        }
    }

    fn read(self, kinds: &Kinds, text: &str, expected: Expected) -> Result<Box<dyn PartialReflect>, Vec<Problem>> {
        let node = outline(text).map_err(|problem| vec![problem])?;
        let (path, problems, shared, constants) = Default::default();
        let (more, stands_for, controller, described) = Default::default();
        let mut reader = Reader {
            kinds,
            text,
            source: self,
            path,
            problems,
            more,
            shared,
            constants,
            stands_for,
            controller,
            described,
        };
        let value = reader.value(&node, expected);
        let problems = reader.finish();
        match value {
            Some(value) if problems.is_empty() => Ok(value),
            _ if problems.is_empty() => Err(vec![Problem::of_file("internal error: no value and no reason")]),
            _ => Err(problems),
        }
    }
}

/// Whether a name is that of a part of a vector, whose unit is in the name of its field.
pub(super) fn is_part_of_vector(name: &str) -> bool {
    ["x", "y", "z"].contains(&name)
}

/// Replaces a value with one that was read for its type; returns whether the types match.
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

/// Reads a text file; every importer uses it.
pub fn read_text(path: &Path) -> Result<String, Problems> {
    let source_name = files::shown(path);
    let bytes =
        files::read_at_most(path, MAX_BYTES).map_err(|error| Problems::of_file(&source_name, error.to_string()))?;
    encoding::decode(bytes).map_err(|error| {
        let place = error.before().map(|before| Place::of(before, before.len()));
        Problems { source_name, problems: vec![Problem { place, ..Problem::of_file(error.to_string()) }] }
    })
}

/// The default of a type.
pub fn default_of(kinds: &Kinds, type_id: TypeId) -> Option<Box<dyn Reflect>> {
    kinds.types().get_type_data::<ReflectDefault>(type_id).map(ReflectDefault::default)
}

/// One step on the way from the root to the value that is being read.
enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

struct Reader<'a> {
    kinds: &'a Kinds,
    text: &'a str,
    source: Source<'a>,
    path: Vec<Step<'a>>,
    problems: Vec<(usize, Problem)>,
    /// The number of problems beyond the reported ones.
    more: usize,
    /// The common parameters of the kind whose fields are read next; they may be among its fields.
    shared: Vec<&'static str>,
    /// The constants of the scene.
    constants: Vec<Declared<'a>>,
    /// The index of the constant whose value is read in place of its name.
    stands_for: Option<usize>,
    /// The controller that the present group names: the default for the controller fields that it writes itself.
    controller: Option<Box<dyn KindValue>>,
    /// The number of descriptions in all lists so far.
    described: usize,
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

    /// Records a problem; the message is built only if it will be reported.
    fn refuse<T>(&mut self, at: usize, message: impl FnOnce() -> String) -> Option<T> {
        if self.problems.len() == MAX_PROBLEMS {
            self.more += 1;
        } else {
            let place = Some(Place::of(self.text, at));
            self.problems.push((at, Problem { place, ..Problem::of_field(self.path_text(), message()) }));
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

    /// Runs a function one step further along the path.
    fn within<T>(&mut self, step: Step<'a>, act: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.path.push(step);
        let result = act(self);
        self.path.pop();
        result
    }

    fn expected<T>(&mut self, node: &Node<'a>, what: impl FnOnce() -> String) -> Option<T> {
        self.expected_with(node, what, "")
    }

    /// As [`Self::expected`], with a hint at the end.
    fn expected_with<T>(&mut self, node: &Node<'a>, what: impl FnOnce() -> String, hint: &str) -> Option<T> {
        let note = self.note_of_constant(node);
        self.refuse(node.span.start, || format!("expected {}, found {}{note}{hint}", what(), found(node)))
    }

    fn value(&mut self, node: &Node<'a>, expected: Expected) -> Option<Box<dyn PartialReflect>> {
        let Some(registration) = self.kinds.types().get(expected.type_id) else {
            return self.refuse(node.span.start, || "internal error: the type of this value is not registered".into());
        };
        if let Some(slot) = registration.data::<ReflectSlot>() {
            return self.slot(node, slot);
        }
        if let Some(index) = self.constant_at(node) {
            return self.constant_value(node, index, expected);
        }
        match registration.type_info() {
            TypeInfo::Struct(info) if info.is::<Scene>() => self.scene(node, info, expected),
            TypeInfo::Struct(info) if info.is::<Constant>() => self.constant(node, info, expected),
            TypeInfo::Struct(info) if info.is::<Group>() => self.group(node, info, expected),
            TypeInfo::Struct(info) => self.structure(node, info, expected),
            info if info.is::<DeclaredValues>() => self.declared_values(node, expected),
            TypeInfo::Enum(info) if is_option(info) => self.option(node, info, expected),
            TypeInfo::Enum(info) => self.variant(node, info, expected),
            TypeInfo::List(info) => self.list(node, info, expected),
            TypeInfo::Tuple(info) => {
                let items = self.items(node, "", &unnamed(info.iter(), expected.limits))?;
                Some(Box::new(DynamicTuple::from_iter(items)))
            }
            TypeInfo::TupleStruct(info) => {
                let name = type_ident(info.type_path_table());
                let items = self.items(node, name, &unnamed(info.iter(), expected.limits))?;
                self.concrete(node, expected.type_id, &DynamicTupleStruct::from_iter(items))
            }
            TypeInfo::Array(info) => {
                let item = Expected { limits: expected.limits, ..Expected::of(info.item_ty().id()) };
                let items = self.items(node, "", &vec![item; info.capacity()])?;
                Some(Box::new(DynamicArray::from_iter(items)))
            }
            info => self.leaf(node, info, expected),
        }
    }

    /// A number, a text or a truth value: RON parses it, then its limits are checked.
    fn leaf(&mut self, node: &Node<'a>, info: &TypeInfo, expected: Expected) -> Option<Box<dyn PartialReflect>> {
        let Some(type_data) = self.kinds.types().get_type_data::<ReflectDeserialize>(expected.type_id) else {
            return self.refuse(node.span.start, || format!("internal error: cannot read a {}", info.type_path()));
        };
        let Some(value) = from_ron(type_data, &self.text[node.span.clone()]) else {
            return match self.unit_message(node, expected.limits) {
                Some(message) => {
                    let note = self.note_of_constant(node);
                    self.refuse(node.span.start, || message + &note)
                }
                None => {
                    let hint = self.hint_of_spelling(node, type_data);
                    self.expected_with(node, || expected_leaf(info, expected.limits), &hint)
                }
            };
        };
        match (number(&*value), expected.limits) {
            (Some(number), _) if !number.is_finite() => self.expected(node, || "a finite number".into()),
            (Some(number), Some(limits)) if !limits.allow(number) => {
                let hint = degrees_hint(self.field(), number, limits).unwrap_or_default();
                self.expected_with(node, || expected_leaf(info, expected.limits), &hint)
            }
            _ => Some(value.into_partial_reflect()),
        }
    }

    /// A hint for a value with quotes that are too many or missing, for an integer with a decimal point, and for the name of a
    /// sensor.
    fn hint_of_spelling(&self, node: &Node<'a>, type_data: &ReflectDeserialize) -> String {
        let Body::Leaf(text) = node.body else { return String::new() };
        let is_valid = |text: &str| from_ron(type_data, text).is_some();
        let within = |mark: char| text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
        let bare = within('\'').unwrap_or(text);
        match within('"') {
            Some(inner) if is_valid(inner) => format!("; write {}", shown(inner)),
            Some(_) if self.field() == "sensor" => "; sensors have numbers, from 0 in the order of `sensors`".into(),
            None if text.strip_suffix(".0").is_some_and(is_valid) => format!("; write {}", text.trim_end_matches(".0")),
            None if is_valid(&format!("\"{bare}\"")) => format!("; write \"{}\"", shown(bare)),
            _ => String::new(),
        }
    }

    /// The field that has the present value, whose name has the unit.
    fn field(&self) -> &'a str {
        let name = |step: &Step<'a>| if let Step::Field(name) = step { Some(*name) } else { None };
        let name = |step| name(step).filter(|name| !is_part_of_vector(name));
        self.path.iter().rev().find_map(name).unwrap_or(self.source.field)
    }

    /// The message about a number with a unit, if its field has one in its name.
    fn unit_message(&self, node: &Node<'a>, limits: Option<Limits>) -> Option<String> {
        let Body::Leaf(text) = node.body else { return None };
        unit_message(self.field(), text, limits)
    }

    /// Values whose names and types a file declares, which is read later: numbers, truth values, texts and lists of numbers.
    fn declared_values(&mut self, node: &Node<'a>, expected: Expected) -> Option<Box<dyn PartialReflect>> {
        let fields = match &node.body {
            Body::Struct { name: None, fields } => &fields[..],
            Body::Tuple { name: None, items } if items.is_empty() => &[],
            _ => return self.expected(node, || "values with names, such as `(speed: 0.2)`".into()),
        };
        let declared = expected.default.and_then(|default| default.downcast_ref::<DeclaredValues>());
        let declaration = declared.filter(|values| values.is_declared()).map(DeclaredValues::declaration);
        let mut values: Option<Vec<(String, PlainValue)>> = Some(Vec::new());
        for (place, field) in fields.iter().enumerate() {
            let value = self.within(Step::Field(field.name), |reader| {
                if fields[..place].iter().any(|known| known.name == field.name) {
                    let name = field.name;
                    return reader.refuse(field.span.start, || format!("the field `{name}` is written twice"));
                }
                reader.plain_value(&field.value)
            });
            values = values.zip(value.map(|value| (field.name.to_owned(), value))).map(pushed);
        }
        let mut values = DeclaredValues::undeclared(values?);
        if let Some(declaration) = declaration
            && let Some(problem) = values.declare(declaration).first()
        {
            return self.refuse(node.span.start, || problem.to_string());
        }
        Some(Box::new(values))
    }

    fn plain_value(&mut self, node: &Node<'a>) -> Option<PlainValue> {
        if let Some(index) = self.constant_at(node) {
            let value = self.constant_value(node, index, Expected::of(TypeId::of::<f64>()))?;
            return value.try_downcast_ref().copied().map(PlainValue::Number);
        }
        let text = &self.text[node.span.clone()];
        let number = ron::from_str(text).ok().filter(|number: &f64| number.is_finite()).map(PlainValue::Number);
        let flag = || ron::from_str(text).ok().map(PlainValue::Flag);
        let quoted = || ron::from_str(text).ok().map(PlainValue::Text);
        let numbers = || ron::from_str(text).ok().map(PlainValue::Numbers);
        match number.or_else(flag).or_else(quoted).or_else(numbers) {
            Some(value) => Some(value),
            None => self.expected(node, || "a number, true or false, a text in quotes or a list of numbers".into()),
        }
    }

    /// A kind in a slot: its name determines the struct that is read.
    fn slot(&mut self, node: &Node<'a>, slot: &ReflectSlot) -> Option<Box<dyn PartialReflect>> {
        let kinds = self.kinds;
        let family = slot.family;
        let Some(name) = node.name() else {
            let first = kinds.family(family).next();
            let example = first.map(|kind| format!(" such as `{}()`", kind.name)).unwrap_or_default();
            let quoted = match node.body {
                Body::Leaf(text) => text.strip_prefix('"').and_then(|text| text.strip_suffix('"')),
                _ => None,
            };
            let kind = quoted.and_then(|name| kinds.get(family, name));
            let hint = kind.map_or_else(String::new, |kind| format!("; write `{}()`", kind.name));
            return self.expected_with(node, || format!("{}{example}", with_article(family)), &hint);
        };
        let Some(kind) = kinds.get(family, name) else {
            return self.refuse(node.span.start, || unknown_kind(kinds, family, name));
        };
        let named = self
            .controller
            .as_deref()
            .filter(|named| family == ControllerFamily::NAME && Reflect::as_any(*named).type_id() == kind.type_id);
        let mut kept = named.map_or_else(kind.default, KindValue::clone_value);
        let default: &dyn Reflect = &*kept;
        let expected = Expected { default: Some(default), ..Expected::of(kind.type_id) };
        let (own, shared) = node.split(|field| slot.common_info.field(field).is_some());
        self.shared = slot.common_info.field_names().to_vec();
        let read = self.value(own.as_ref().unwrap_or(node), expected);
        self.shared.clear();
        let common = Expected::of(slot.common_info.type_id());
        let common = match shared {
            Some(shared) => self.value(&shared, common).and_then(|value| value.try_into_reflect().ok()),
            None => default_of(kinds, common.type_id),
        };
        let (value, common) = (read?, common?);
        let is_put = put(kept.as_partial_reflect_mut(), value);
        if let Err(error) = self.source.read_script(&mut *kept) {
            return self.within(Step::Field(scripts::FILE), |reader| {
                let at = node.field(scripts::FILE).map_or(node.span.start, |file| file.span.start);
                reader.refuse(at, || error.to_string())
            });
        }
        if let Some(settle) = kind.settle {
            settle(&mut *kept);
        }
        let wrapped = is_put.then(|| (slot.wrap)(kept, common)).flatten();
        match wrapped {
            Some(slot) => Some(slot.into_partial_reflect()),
            None => self.refuse(node.span.start, || format!("internal error: not a {name}")),
        }
    }

    /// The initial value into which fields are written.
    fn start(&self, expected: Expected) -> Option<Box<dyn Reflect>> {
        let default = expected.default.filter(|default| default.as_any().type_id() == expected.type_id);
        let clone = default.and_then(|default| default.reflect_clone().ok());
        clone.or_else(|| default_of(self.kinds, expected.type_id))
    }

    /// Reads a fixed number of values without names, as in `(1.0, 2.0)`.
    fn items(&mut self, node: &Node<'a>, name: &str, expected: &[Expected]) -> Option<Vec<Box<dyn PartialReflect>>> {
        let items = match &node.body {
            Body::Tuple { items, .. } | Body::List(items) if items.len() == expected.len() => items,
            _ => return self.expected(node, || count(expected.len(), "value")),
        };
        if node.name().is_some_and(|found| found != name) {
            return self.expected(node, || count(expected.len(), "value"));
        }
        let mut values = Some(Vec::new());
        for (index, (item, expected)) in items.iter().zip(expected).enumerate() {
            let value = self.within(Step::Index(index), |reader| reader.value(item, *expected));
            values = values.zip(value).map(pushed);
        }
        values
    }

    /// Converts parts of the right types to a value of the right type.
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

fn pushed<T>((mut values, value): (Vec<T>, T)) -> Vec<T> {
    values.push(value);
    values
}

#[cfg(test)]
pub(crate) mod tests;
