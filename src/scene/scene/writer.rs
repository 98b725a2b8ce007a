//! Writes a reflected value as text that the reader reads back to the same value.

use std::any::TypeId;
use std::collections::HashMap;
use std::path::Path;

use bevy::prelude::*;
use bevy::reflect::enums::{Enum, VariantType};
use bevy::reflect::structs::{Struct, StructInfo};
use bevy::reflect::{ReflectRef, ReflectSerialize};
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::kind::{Kind, Kinds, Optional, ReflectSlot, Required, SkipIfEmpty, Slot, is_none};
use swarmarium_core::text::values::{is_option, is_positional, type_ident};

use super::constants::{self, Constant, VALUE};
use super::description::Group;
use super::origins::{Mark, Origins};
use super::presets::{PresetLibrary, ROBOTS, SUPERVISORS};
use super::reader::{default_of, read};
use super::{Scene, path, scripts};

mod block;
mod trace;

use block::{Block, Page};
use trace::Before;

/// The amount of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without fields that equal their defaults: for readability.
    Short,
    /// With every field: for the record.
    Full,
}

/// Writes a value, without a line break at the end.
///
/// Type names are written only at the root and for kinds and enum variants.
pub fn write(kinds: &Kinds, value: &dyn Reflect, style: Style) -> String {
    let mut page = Page::default();
    blocks(kinds, value, style).render(0, 0, &mut page);
    page.text
}

/// As [`write`](fn@write) in the short style, but groups name the robot and the supervisor that match them, if any, and
/// optional values have no `Some`.
///
/// As in the reader, robots and supervisors in `folder` take precedence over those of the program.
pub fn write_named(kinds: &Kinds, value: &dyn Reflect, folder: Option<&Path>) -> String {
    write_with(kinds, value, &Presets::load(kinds, folder))
}

/// As [`write`](fn@write) in the short style, but without the texts of scripts that files in `folder` contain, and without
/// `Some`.
pub fn write_beside(kinds: &Kinds, value: &dyn Reflect, folder: &Path) -> String {
    write_with(kinds, value, &Presets { folder: Some(folder), robots: Vec::new(), supervisors: Vec::new() })
}

fn write_with(kinds: &Kinds, value: &dyn Reflect, presets: &Presets) -> String {
    let names = value.downcast_ref().map(|scene| Names::new(kinds, scene)).unwrap_or_default();
    let writer = Writer { presets: Some(presets), ..Writer::new(kinds, Style::Short, &names) };
    let mut page = Page::default();
    writer.root(value).render(0, 0, &mut page);
    page.text
}

/// A line of a text, and the origin of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text, without a line break.
    pub text: String,
    /// `None` for a line that only opens or closes brackets.
    pub mark: Option<Mark>,
}

impl Line {
    /// The column of comments.
    pub const COMMENT_AT: usize = 60;

    /// The comment about the origin of the value.
    pub fn comment(&self) -> Option<String> {
        Some(format!("// {}", self.mark.as_ref()?.comment()?))
    }

    /// All lines with their comments, as a text that can be read back.
    pub fn join(lines: &[Self]) -> String {
        let mut text = String::new();
        for line in lines {
            match line.comment() {
                Some(comment) => text += &format!("{:<1$}  {comment}\n", line.text, Self::COMMENT_AT),
                None => text += &format!("{}\n", line.text),
            }
        }
        text
    }
}

/// Writes a value in full, line by line, with the origin of each value; no line contains values of several origins.
///
/// `opened` is the value that the origins belong to: differences from it were changed since.
pub fn write_with_origins(kinds: &Kinds, value: &dyn Reflect, opened: &dyn Reflect, origins: &Origins) -> Vec<Line> {
    let mut block = blocks(kinds, value, Style::Full);
    block.trace(Before::Same(&blocks(kinds, opened, Style::Full)), origins.root());
    let mut page = Page::default();
    block.render(0, 0, &mut page);
    page.lines()
}

/// A whole value; in a scene, fields of a constant contain its name.
fn blocks(kinds: &Kinds, value: &dyn Reflect, style: Style) -> Block {
    let names = value.downcast_ref().map(|scene| Names::new(kinds, scene)).unwrap_or_default();
    Writer::new(kinds, style, &names).root(value)
}

/// The constants of the scene.
#[derive(Default)]
struct Names<'a> {
    /// The values, as text.
    values: HashMap<&'a str, String>,
    /// The names in place of fields, by the address of the field. The address of a vector is that of its first number.
    fields: HashMap<(usize, TypeId), &'a str>,
}

impl<'a> Names<'a> {
    fn new(kinds: &Kinds, scene: &'a Scene) -> Self {
        let mut names = Self::default();
        for constant in &scene.constants {
            names.values.extend(constants::value(kinds, scene, constant).map(|value| (constant.name.as_str(), value)));
            let fields = constant.of.iter().filter_map(|path| path::get(kinds, scene, path).ok());
            names.fields.extend(fields.map(|field| (place(field), constant.name.as_str())));
        }
        names
    }
}

/// Whether a value is an option with a value that cannot be taken for an option itself.
fn is_plain_some(value: &dyn Enum) -> bool {
    let is = |value: &dyn Enum| value.get_represented_enum_info().is_some_and(is_option);
    let is_nested = || value.field_at(0).is_some_and(|inner| inner.reflect_ref().as_enum().is_ok_and(is));
    value.variant_name() == "Some" && is(value) && !is_nested()
}

fn are_of_one_type(a: &dyn Reflect, b: &dyn Reflect) -> bool {
    a.as_any().type_id() == b.as_any().type_id()
}

fn place(field: &dyn Reflect) -> (usize, TypeId) {
    (std::ptr::from_ref(field).cast::<()>().addr(), field.as_any().type_id())
}

/// The robots and supervisors that groups may name.
struct Presets<'a> {
    /// The folder of the scene.
    folder: Option<&'a Path>,
    /// A group made from each robot, with the name of the robot.
    robots: Vec<(&'static str, Group)>,
    supervisors: Vec<(&'static str, Slot<ControllerFamily>)>,
}

impl<'a> Presets<'a> {
    fn load(kinds: &Kinds, folder: Option<&'a Path>) -> Self {
        let source = folder.map(|folder| folder.join("scene.ron").display().to_string()).unwrap_or_default();
        let group = |library: &PresetLibrary, name: &str| {
            let text = format!("(name: \"{name}\", {}: {name:?})", library.what);
            read::<Group>(kinds, &source, &text).ok()
        };
        let robots = ROBOTS.all().filter_map(|(name, _)| Some((name, group(&ROBOTS, name)?)));
        let supervisors = SUPERVISORS.all();
        let supervisors = supervisors.filter_map(|(name, _)| Some((name, group(&SUPERVISORS, name)?.controller)));
        Self { folder, robots: robots.collect(), supervisors: supervisors.collect() }
    }
}

#[derive(Clone, Copy)]
struct Writer<'a> {
    kinds: &'a Kinds,
    style: Style,
    names: &'a Names<'a>,
    /// The robots and supervisors that groups may name, if any.
    presets: Option<&'a Presets<'a>>,
    /// The controller of the supervisor that the present group names, if any.
    supervisor: Option<&'a Slot<ControllerFamily>>,
}

impl<'a> Writer<'a> {
    fn new(kinds: &'a Kinds, style: Style, names: &'a Names<'a>) -> Self {
        Self { kinds, style, names, presets: None, supervisor: None }
    }

    fn root(&self, value: &dyn Reflect) -> Block {
        let ReflectRef::Struct(fields) = value.reflect_ref() else { return self.value(value, None) };
        match fields.get_represented_struct_info() {
            Some(info) if !is_positional(info) => {
                let default = default_of(self.kinds, info.type_id());
                self.structure(type_ident(info.type_path_table()), fields, default.as_deref())
            }
            _ => self.value(value, None),
        }
    }

    /// A value; `default` is the value that the reader uses for fields that are left out.
    fn value(&self, value: &dyn Reflect, default: Option<&dyn Reflect>) -> Block {
        if let Some(name) = self.names.fields.get(&place(value)) {
            return Block::leaf(*name);
        }
        if let Some(constant) = value.downcast_ref()
            && let Some(block) = self.constant(constant)
        {
            return block;
        }
        if let Some(presets) = self.presets.filter(|_| self.style == Style::Short)
            && let Some(group) = value.downcast_ref()
        {
            return self.group(group, presets);
        }
        let type_id = value.as_any().type_id();
        if let Some(slot) = self.kinds.types().get_type_data::<ReflectSlot>(type_id) {
            let [inner, common] = (slot.inner)(value).unwrap_or([value, value]);
            return self.kind(self.kinds.of_value(slot.family, inner), inner, common);
        }
        if let Some(values) = value.downcast_ref::<DeclaredValues>() {
            let defaults = values.at_defaults();
            let known = values.is_declared() && self.style == Style::Short;
            return self.structure("", values, known.then_some(&defaults as &dyn Reflect));
        }
        // The reader starts from the default of the type if there is no better one.
        let asked = self.style == Style::Short && default.is_none();
        let own = asked.then(|| default_of(self.kinds, type_id)).flatten();
        let default = default.or(own.as_deref());
        match value.reflect_ref() {
            ReflectRef::Struct(fields) if fields.get_represented_struct_info().is_some_and(is_positional) => {
                Block::tuple("", fields.iter_fields().map(|(_, item)| self.whole(item)))
            }
            ReflectRef::Struct(fields) => self.structure("", fields, default),
            ReflectRef::Enum(variant) => self.variant(variant, default),
            ReflectRef::List(list) => Block::list(list.iter().map(|item| self.item(item))),
            ReflectRef::Array(array) => Block::list(array.iter().map(|item| self.item(item))),
            ReflectRef::Tuple(tuple) => Block::tuple("", tuple.iter_fields().map(|item| self.whole(item))),
            ReflectRef::TupleStruct(tuple) => Block::tuple("", tuple.iter_fields().map(|item| self.whole(item))),
            _ => Block::leaf(self.leaf(value)),
        }
    }

    /// A constant of the scene: with its value, and without the fields that contain its name.
    fn constant(&self, constant: &Constant) -> Option<Block> {
        let value = self.names.values.get(constant.name.as_str())?;
        let mut fields = vec![("name".to_owned(), self.value(&constant.name, None))];
        fields.push((VALUE.to_owned(), Block::leaf(value.as_str())));
        if !constant.about.is_empty() || self.style == Style::Full {
            fields.push(("about".to_owned(), self.value(&constant.about, None)));
        }
        Some(Block::fields("", fields.into_iter()))
    }

    fn item(&self, item: &dyn PartialReflect) -> Block {
        item.try_as_reflect().map_or(Block::leaf(""), |item| self.value(item, None))
    }

    /// A value that the reader compares with a default that is not available here.
    fn whole(&self, item: &dyn PartialReflect) -> Block {
        Writer { style: Style::Full, ..*self }.item(item)
    }

    /// A kind in its slot, with the common parameters among its own.
    fn kind(&self, kind: Option<&Kind>, value: &dyn Reflect, common: &dyn Reflect) -> Block {
        let default = kind.map(|kind| (kind.default)());
        let supervisor = self.supervisor.map(Slot::value).filter(|named| are_of_one_type(*named, value));
        let default = supervisor.or(default.as_deref().map(|default| default as &dyn Reflect));
        match (value.reflect_ref(), common.reflect_ref()) {
            (ReflectRef::Struct(own), ReflectRef::Struct(shared)) => {
                let default_shared = default_of(self.kinds, common.as_any().type_id());
                let shared = self.fields(shared, default_shared.as_deref());
                let fields = self.fields(own, default).into_iter().chain(shared);
                Block::fields(kind.map_or("", |kind| kind.name), fields)
            }
            _ => self.value(value, default),
        }
    }

    /// A group in the shortest notation: with the names of a matching robot and supervisor, or without.
    fn group(&self, group: &Group, presets: &Presets) -> Block {
        let is_it = |(_, robot): &&(&str, Group)| robot.body == group.body && self.same(&robot.sensors, &group.sensors);
        let decides_alike =
            |(_, known): &&(&str, Slot<_>)| self.have_same_lists(group.controller.value(), known.value());
        let robots = presets.robots.iter().filter(is_it).map(Some).chain([None]);
        let supervisors: Vec<_> = presets.supervisors.iter().filter(decides_alike).map(Some).chain([None]).collect();
        let ways = robots.flat_map(|robot| supervisors.iter().map(move |supervisor| (robot, *supervisor)));
        let block = |(robot, supervisor): (Option<&(&str, Group)>, Option<&(&str, Slot<_>)>)| {
            let mut default = robot.map(|(_, robot)| robot.clone()).unwrap_or_default();
            if let Some((_, supervisor)) = supervisor {
                default.controller = supervisor.clone();
            }
            let writer = Writer { supervisor: supervisor.map(|(_, supervisor)| supervisor), ..*self };
            let mut fields = writer.fields(group, Some(&default));
            let named =
                [(ROBOTS.what, robot.map(|(name, _)| *name)), (SUPERVISORS.what, supervisor.map(|(name, _)| *name))];
            let named = named
                .into_iter()
                .filter_map(|(what, name)| Some((what.to_owned(), self.value(&name?.to_owned(), None))));
            // After the name of the group.
            fields.splice(1.min(fields.len())..1.min(fields.len()), named.collect::<Vec<_>>());
            Block::fields("", fields.into_iter())
        };
        ways.map(block).min_by_key(Block::width).unwrap_or_else(|| self.structure("", group, None))
    }

    /// Whether two values are of one type and have equal lists, such as the states of a supervisor.
    fn have_same_lists(&self, a: &dyn Reflect, b: &dyn Reflect) -> bool {
        let (ReflectRef::Struct(own), ReflectRef::Struct(other)) = (a.reflect_ref(), b.reflect_ref()) else {
            return false;
        };
        let are_same =
            |(a, b): (&dyn PartialReflect, &dyn PartialReflect)| match a.try_as_reflect().zip(b.try_as_reflect()) {
                Some((a, b)) if a.reflect_ref().as_list().is_ok() => self.same(a, b),
                _ => true,
            };
        let mut together = own.iter_fields().zip(other.iter_fields()).map(|((_, own), (_, other))| (own, other));
        are_of_one_type(a, b) && together.all(are_same)
    }

    fn structure(&self, name: &str, fields: &dyn Struct, default: Option<&dyn Reflect>) -> Block {
        Block::fields(name, self.fields(fields, default).into_iter())
    }

    fn fields(&self, fields: &dyn Struct, default: Option<&dyn Reflect>) -> Vec<(String, Block)> {
        let default = default.and_then(|default| default.reflect_ref().as_struct().ok());
        let info = fields.get_represented_struct_info();
        let block = |(name, value): (&str, &dyn PartialReflect)| {
            let field = info.and_then(|info: &StructInfo| info.field(name));
            let default = default.and_then(|default| default.field(name));
            // A robot that the group names may have another value, which the default replaces.
            let is_usual = || self.is_usual(value) && default.is_none_or(|default| self.is_usual(default));
            if field.is_some_and(|field| field.has_attribute::<SkipIfEmpty>()) && is_usual() {
                return None;
            }
            if name == scripts::SOURCE && self.is_in_file(fields) {
                return None;
            }
            let required = field.is_some_and(|field| field.has_attribute::<Required>());
            let block = self.field(value, default, required)?;
            Some((name.to_owned(), block))
        };
        fields.iter_fields().filter_map(block).collect()
    }

    /// Whether the text of a script is that of the file beside the scene that is written.
    fn is_in_file(&self, script: &dyn Struct) -> bool {
        let folder = self.presets.and_then(|presets| presets.folder);
        let parts = script.try_as_reflect().and_then(scripts::parts).filter(|_| self.style == Style::Short);
        folder.zip(parts).is_some_and(|(folder, (file, source))| {
            scripts::read_source(Some(folder), file).is_ok_and(|in_file| in_file == *source)
        })
    }

    /// Whether a value is an empty list, `None`, or the default of its type.
    fn is_usual(&self, value: &dyn PartialReflect) -> bool {
        match value.reflect_ref() {
            ReflectRef::List(list) => return list.is_empty(),
            ReflectRef::Enum(variant) if variant.variant_name() == "None" => return true,
            _ => {}
        }
        if is_none(value) {
            return true;
        }
        let Some(value) = value.try_as_reflect() else { return false };
        default_of(self.kinds, value.as_any().type_id()).is_some_and(|default| self.same(value, &*default))
    }

    /// A field, unless it may be left out.
    fn field(&self, value: &dyn PartialReflect, default: Option<&dyn PartialReflect>, required: bool) -> Option<Block> {
        let value = value.try_as_reflect()?;
        let default = default.and_then(PartialReflect::try_as_reflect);
        let optional = self.style == Style::Short && !required;
        let declared = value.downcast_ref::<DeclaredValues>();
        if optional && declared.is_some_and(DeclaredValues::are_defaults) {
            return None;
        }
        let same = optional && default.is_some_and(|default| self.same(value, default));
        (!same).then(|| self.value(value, default))
    }

    /// Whether two values are written in the same way. Slots cannot be compared by reflection.
    fn same(&self, a: &dyn Reflect, b: &dyn Reflect) -> bool {
        let full = Writer { style: Style::Full, ..*self };
        full.value(a, None) == full.value(b, None)
    }

    fn variant(&self, value: &dyn Enum, default: Option<&dyn Reflect>) -> Block {
        let name = value.variant_name();
        let info = value.get_represented_enum_info();
        let of_type = info.and_then(|info| default_of(self.kinds, info.type_id()));
        // In the same order as the reader.
        let default = [default, of_type.as_deref()]
            .into_iter()
            .flatten()
            .filter_map(|default| default.reflect_ref().as_enum().ok())
            .find(|default| default.variant_name() == name);
        let shape = info.and_then(|info| info.variant(name)?.as_struct_variant().ok());
        // The type of a field that may always be left out.
        let optional = |name: &str| {
            let field = shape?.field(name).filter(|_| default.is_none())?;
            field.has_attribute::<Optional>().then(|| field.type_id())
        };
        let fields = value.iter_fields();
        match value.variant_type() {
            VariantType::Unit => Block::leaf(name),
            // In files only, where the reader adds `Some`. A single value needs it: `None` is a value, too.
            VariantType::Tuple if self.presets.is_some() && self.style == Style::Short && is_plain_some(value) => {
                value.field_at(0).map_or(Block::leaf(name), |inner| self.item(inner))
            }
            VariantType::Tuple => Block::tuple(name, fields.map(|field| self.item(field.value()))),
            VariantType::Struct => Block::fields(
                name,
                fields.filter_map(|field| {
                    let name = field.name()?;
                    let optional = optional(name);
                    let is_empty = field.value().reflect_ref().as_list().is_ok_and(|list| list.is_empty());
                    if self.style == Style::Short && optional.is_some() && is_empty {
                        return None;
                    }
                    let of_type = optional.and_then(|type_id| default_of(self.kinds, type_id));
                    let known = default.and_then(|default| default.field(name));
                    let known = known.or(of_type.as_deref().map(PartialReflect::as_partial_reflect));
                    let block = self.field(field.value(), known, false)?;
                    Some((name.to_owned(), block))
                }),
            ),
        }
    }

    fn leaf(&self, value: &dyn Reflect) -> String {
        // RON writes large numbers with all their zeros, Rust in the shortest form that reads back.
        if let Some(number) = value.downcast_ref::<f64>() {
            return format!("{number:?}");
        }
        if let Some(number) = value.downcast_ref::<f32>() {
            return format!("{number:?}");
        }
        let type_data = self.kinds.types().get_type_data::<ReflectSerialize>(value.as_any().type_id());
        let text = type_data.and_then(|type_data| ron::to_string(&*type_data.get_serializable(value)).ok());
        text.unwrap_or_else(|| format!("{value:?}"))
    }
}

#[cfg(test)]
mod tests;
