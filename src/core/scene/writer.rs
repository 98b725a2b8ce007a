//! Writes a reflected value as text that the reader reads back to the same value.

use std::any::TypeId;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use bevy::prelude::*;
use bevy::reflect::enums::{Enum, VariantType};
use bevy::reflect::structs::{Struct, StructInfo};
use bevy::reflect::{ReflectRef, ReflectSerialize};

use super::constants::{self, Constant, VALUE};
use super::description::Group;
use super::origins::{At, Mark, Origin, Origins, is_short};
use super::presets::{ROBOTS, SUPERVISORS, Shelf};
use super::reader::{default_of, read};
use super::{Scene, path};
use crate::controller::ControllerFamily;
use crate::kind::{Kind, Kinds, Optional, ReflectSlot, Required, SkipIfEmpty, Slot};
use crate::text::values::{is_positional, type_ident};

/// The widest line that holds a whole struct.
const WIDTH: usize = 100;
/// One level of indentation.
const INDENT: usize = 4;

/// How much is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Fields equal to their default are left out: for people.
    Short,
    /// Every field: for the record.
    Full,
}

/// Writes a value, without a line break at the end.
///
/// Names stand only at the root and for kinds and enum variants.
pub fn write(kinds: &Kinds, value: &dyn Reflect, style: Style) -> String {
    let mut page = Page::default();
    blocks(kinds, value, style).render(0, 0, &mut page);
    page.text
}

/// As [`write`](fn@write) in the short style, but groups name the robot and the supervisor that describe them, where these fit.
///
/// As for the reader, robots and supervisors in `folder` come before those of the program.
pub fn write_named(kinds: &Kinds, value: &dyn Reflect, folder: Option<&Path>) -> String {
    let presets = Presets::of(kinds, folder);
    let names = value.downcast_ref().map(|scene| Names::of(kinds, scene)).unwrap_or_default();
    let writer = Writer { presets: Some(&presets), ..Writer::of(kinds, Style::Short, &names) };
    let mut page = Page::default();
    writer.root(value).render(0, 0, &mut page);
    page.text
}

/// A line of a text, and where the value that stands on it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text, without a line break.
    pub text: String,
    /// `None` for a line that only opens or closes brackets.
    pub mark: Option<Mark>,
}

impl Line {
    /// How far comments stand to the right.
    pub const COMMENT_AT: usize = 60;

    /// What is to be said about where the value comes from.
    pub fn comment(&self) -> Option<String> {
        Some(format!("// {}", self.mark.as_ref()?.comment()?))
    }

    /// All lines with their comments: a text that reads back.
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

/// Writes a value in full, line by line, with where each value comes from; no line holds values from several places.
///
/// `opened` is the value that the origins belong to: what differs from it was changed since.
pub fn write_with_origins(kinds: &Kinds, value: &dyn Reflect, opened: &dyn Reflect, origins: &Origins) -> Vec<Line> {
    let mut block = blocks(kinds, value, Style::Full);
    block.trace(Before::Same(&blocks(kinds, opened, Style::Full)), origins.root());
    let mut page = Page::default();
    block.render(0, 0, &mut page);
    page.lines()
}

/// A whole value; in a scene, fields that take a constant have its name.
fn blocks(kinds: &Kinds, value: &dyn Reflect, style: Style) -> Block {
    let names = value.downcast_ref().map(|scene| Names::of(kinds, scene)).unwrap_or_default();
    Writer::of(kinds, style, &names).root(value)
}

/// The constants of the scene that is written.
#[derive(Default)]
struct Names<'a> {
    /// Their values, as text.
    values: HashMap<&'a str, String>,
    /// The names that stand for fields, by where these are. A vector is where its first number is.
    fields: HashMap<(usize, TypeId), &'a str>,
}

impl<'a> Names<'a> {
    fn of(kinds: &Kinds, scene: &'a Scene) -> Self {
        let mut names = Self::default();
        for constant in &scene.constants {
            names.values.extend(constants::value(kinds, scene, constant).map(|value| (constant.name.as_str(), value)));
            let fields = constant.of.iter().filter_map(|path| path::get(kinds, scene, path).ok());
            names.fields.extend(fields.map(|field| (place(field), constant.name.as_str())));
        }
        names
    }
}

fn are_of_one_type(a: &dyn Reflect, b: &dyn Reflect) -> bool {
    a.as_any().type_id() == b.as_any().type_id()
}

fn place(field: &dyn Reflect) -> (usize, TypeId) {
    (std::ptr::from_ref(field).cast::<()>().addr(), field.as_any().type_id())
}

/// The robots and supervisors that groups may name.
struct Presets {
    /// Groups of such a robot, by its name.
    robots: Vec<(&'static str, Group)>,
    supervisors: Vec<(&'static str, Slot<ControllerFamily>)>,
}

impl Presets {
    fn of(kinds: &Kinds, folder: Option<&Path>) -> Self {
        let source = folder.map(|folder| folder.join("scene.ron").display().to_string()).unwrap_or_default();
        let group = |shelf: &Shelf, name: &str| {
            let text = format!("(name: \"{name}\", {}: {name:?})", shelf.what);
            read::<Group>(kinds, &source, &text).ok()
        };
        let robots = ROBOTS.all().filter_map(|(name, _)| Some((name, group(&ROBOTS, name)?)));
        let supervisors = SUPERVISORS.all();
        let supervisors = supervisors.filter_map(|(name, _)| Some((name, group(&SUPERVISORS, name)?.controller)));
        Self { robots: robots.collect(), supervisors: supervisors.collect() }
    }
}

#[derive(Clone, Copy)]
struct Writer<'a> {
    kinds: &'a Kinds,
    style: Style,
    names: &'a Names<'a>,
    /// The robots and supervisors that groups may name, if any.
    presets: Option<&'a Presets>,
    /// The controller that the supervisor of the present group describes, if it names one.
    supervisor: Option<&'a Slot<ControllerFamily>>,
}

impl<'a> Writer<'a> {
    fn of(kinds: &'a Kinds, style: Style, names: &'a Names<'a>) -> Self {
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

    /// A value; `default` is what the reader fills in for fields that are left out.
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
        // The reader starts from the default of the type where there is no better one.
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

    /// A constant of the scene that is written: with its value, and without its fields, which say its name.
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

    /// A value that the reader compares with a default that is not at hand here.
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

    /// A group in the shortest way: with the names of a robot and a supervisor that fit, or without.
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
            // Behind the name of the group.
            fields.splice(1.min(fields.len())..1.min(fields.len()), named.collect::<Vec<_>>());
            Block::fields("", fields.into_iter())
        };
        ways.map(block).min_by_key(Block::width).unwrap_or_else(|| self.structure("", group, None))
    }

    /// Whether two values are of one type and their lists, such as the states of a supervisor, are the same.
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
            // A robot that the group names may have another value, which the usual one replaces.
            let is_usual = || self.is_usual(value) && default.is_none_or(|default| self.is_usual(default));
            if field.is_some_and(|field| field.has_attribute::<SkipIfEmpty>()) && is_usual() {
                return None;
            }
            let required = field.is_some_and(|field| field.has_attribute::<Required>());
            let block = self.field(value, default, required)?;
            Some((name.to_owned(), block))
        };
        fields.iter_fields().filter_map(block).collect()
    }

    /// Whether a value is an empty list, or the default of its type.
    fn is_usual(&self, value: &dyn PartialReflect) -> bool {
        if let Ok(list) = value.reflect_ref().as_list() {
            return list.is_empty();
        }
        let Some(value) = value.try_as_reflect() else { return false };
        default_of(self.kinds, value.as_any().type_id()).is_some_and(|default| self.same(value, &*default))
    }

    /// A field, unless it may be left out.
    fn field(&self, value: &dyn PartialReflect, default: Option<&dyn PartialReflect>, required: bool) -> Option<Block> {
        let value = value.try_as_reflect()?;
        let default = default.and_then(PartialReflect::try_as_reflect);
        let optional = self.style == Style::Short && !required;
        let same = optional && default.is_some_and(|default| self.same(value, default));
        (!same).then(|| self.value(value, default))
    }

    /// Whether two values are written alike. Slots cannot be compared by reflection.
    fn same(&self, a: &dyn Reflect, b: &dyn Reflect) -> bool {
        let full = Writer { style: Style::Full, ..*self };
        full.value(a, None) == full.value(b, None)
    }

    fn variant(&self, value: &dyn Enum, default: Option<&dyn Reflect>) -> Block {
        let name = value.variant_name();
        let info = value.get_represented_enum_info();
        let of_type = info.and_then(|info| default_of(self.kinds, info.type_id()));
        // As the reader looks for it.
        let default = [default, of_type.as_deref()]
            .into_iter()
            .flatten()
            .filter_map(|default| default.reflect_ref().as_enum().ok())
            .find(|default| default.variant_name() == name);
        let shape = info.and_then(|info| info.variant(name)?.as_struct_variant().ok());
        // The type of a field that may be left out wherever it stands.
        let optional = |name: &str| {
            let field = shape?.field(name).filter(|_| default.is_none())?;
            field.has_attribute::<Optional>().then(|| field.type_id())
        };
        let fields = value.iter_fields();
        match value.variant_type() {
            VariantType::Unit => Block::leaf(name),
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

/// Text that is being written.
#[derive(Default)]
struct Page {
    text: String,
    /// How many lines are finished.
    line: usize,
    /// The marks of lines, by their number.
    marks: BTreeMap<usize, Mark>,
}

impl Page {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn start_line(&mut self, indent: usize) {
        self.line += 1;
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    fn mark(&mut self, mark: &Marked) {
        if let Marked::As(mark) = mark {
            self.marks.insert(self.line, mark.clone());
        }
    }

    fn lines(mut self) -> Vec<Line> {
        let line = |(number, text): (usize, &str)| Line { text: text.to_owned(), mark: self.marks.remove(&number) };
        self.text.split('\n').enumerate().map(line).collect()
    }
}

/// Where a piece of text comes from.
#[derive(Clone, Debug, Default, PartialEq)]
enum Marked {
    /// Nobody asked.
    #[default]
    Unasked,
    /// All of it comes from one place.
    As(Mark),
    /// Its parts come from several places.
    Mixed,
}

/// What a block was before.
#[derive(Clone, Copy)]
enum Before<'a> {
    /// The same, or of the same kind.
    Same(&'a Block),
    /// Something else, if anything: all of it is new.
    Other,
}

/// A piece of text that may be broken into lines.
#[derive(PartialEq)]
struct Block {
    body: BlockBody,
    marked: Marked,
}

#[derive(PartialEq)]
enum BlockBody {
    Leaf(String),
    Items { open: String, items: Vec<(Option<String>, Block)>, close: char, width: usize },
}

impl Block {
    fn leaf(text: impl Into<String>) -> Self {
        Self { body: BlockBody::Leaf(text.into()), marked: Marked::Unasked }
    }

    fn fields(name: &str, fields: impl Iterator<Item = (String, Self)>) -> Self {
        Self::items(format!("{name}("), fields.map(|(name, block)| (Some(name), block)).collect(), ')')
    }

    fn tuple(name: &str, items: impl Iterator<Item = Self>) -> Self {
        Self::items(format!("{name}("), items.map(|item| (None, item)).collect(), ')')
    }

    fn list(items: impl Iterator<Item = Self>) -> Self {
        Self::items("[".into(), items.map(|item| (None, item)).collect(), ']')
    }

    fn items(open: String, items: Vec<(Option<String>, Self)>, close: char) -> Self {
        let separators = 2 * items.len().saturating_sub(1);
        let content: usize = items.iter().map(|(name, block)| label_width(name) + block.width()).sum();
        let width = open.chars().count() + content + separators + 1;
        Self { body: BlockBody::Items { open, items, close, width }, marked: Marked::Unasked }
    }

    /// The characters that it takes on one line.
    fn width(&self) -> usize {
        match &self.body {
            BlockBody::Leaf(text) => text.chars().count(),
            BlockBody::Items { width, .. } => *width,
        }
    }

    /// Its text on one line.
    fn line(&self) -> String {
        let mut page = Page::default();
        self.render_line(&mut page);
        page.text
    }

    /// Finds out where it and its parts come from.
    fn trace(&mut self, before: Before, at: At) {
        let changed = || Marked::As(changed(before));
        self.marked = match (&mut self.body, before) {
            (BlockBody::Leaf(text), Before::Same(Self { body: BlockBody::Leaf(old), .. })) if text == old => {
                Marked::As(at.mark())
            }
            (
                BlockBody::Items { open, items, .. },
                Before::Same(Self { body: BlockBody::Items { open: old, items: old_items, .. }, .. }),
            ) if open == old => {
                let is_as_long = items.len() == old_items.len();
                let partners = partners(items, old_items);
                for (index, ((name, item), partner)) in items.iter_mut().zip(&partners).enumerate() {
                    // `Some` is passed without a step.
                    let at = if open == "Some(" { at } else { at.part(name.as_deref(), partner.unwrap_or(index)) };
                    let old = partner.and_then(|partner| old_items.get(partner));
                    item.trace(old.map_or(Before::Other, |(_, old)| Before::Same(old)), at);
                }
                match are_leaves(items) {
                    true if !is_as_long => changed(),
                    true if items.is_empty() => Marked::As(at.mark()),
                    _ => together(items, before),
                }
            }
            (BlockBody::Items { items, .. }, _) if !items.is_empty() => {
                items.iter_mut().for_each(|(_, item)| item.trace(Before::Other, at));
                changed()
            }
            _ => changed(),
        };
    }

    /// What a member of a list calls itself.
    fn own_name(&self) -> Option<&str> {
        let BlockBody::Items { items, .. } = &self.body else { return None };
        let (_, name) = items.iter().find(|(name, _)| name.as_deref() == Some("name"))?;
        match &name.body {
            BlockBody::Leaf(text) => Some(text),
            BlockBody::Items { .. } => None,
        }
    }

    /// Appends it to a line that is indented by `indent` and already `used` wide.
    fn render(&self, indent: usize, used: usize, page: &mut Page) {
        let BlockBody::Items { open, items, close, .. } = &self.body else { return self.render_line(page) };
        match items.as_slice() {
            // A comma comes after it.
            _ if used + self.width() < WIDTH && self.marked != Marked::Mixed => self.render_line(page),
            // A list of one struct shares its brackets: `[(`.
            [(None, only)] => {
                page.push(open);
                only.render(indent, used + open.len(), page);
                page.text.push(*close);
            }
            _ => {
                page.push(open);
                render_lines(items, indent, page);
                page.text.push(*close);
            }
        }
    }

    /// Appends all of it to the line.
    fn render_line(&self, page: &mut Page) {
        match &self.body {
            BlockBody::Leaf(text) => page.push(text),
            BlockBody::Items { open, items, close, .. } => {
                page.push(open);
                for (index, (name, block)) in items.iter().enumerate() {
                    page.push(if index > 0 { ", " } else { "" });
                    push_label(name, page);
                    block.render_line(page);
                }
                page.text.push(*close);
            }
        }
        page.mark(&self.marked);
    }
}

fn changed(before: Before) -> Mark {
    let before = match before {
        Before::Same(block) => Some(block.line()).filter(|text| is_short(text)),
        Before::Other => None,
    };
    Mark { origin: Origin::Changed, before }
}

/// Whether these are the numbers of a vector or a list, or nothing.
fn are_leaves(items: &[(Option<String>, Block)]) -> bool {
    items.iter().all(|(name, item)| name.is_none() && matches!(item.body, BlockBody::Leaf(_)))
}

/// Where several parts come from, taken together.
fn together(items: &[(Option<String>, Block)], before: Before) -> Marked {
    let marks = || items.iter().map(|(_, item)| &item.marked);
    let Some(first) = marks().next().filter(|first| marks().all(|marked| marked == *first)) else {
        // A vector is one value, whichever of its numbers was changed.
        let strongest = marks().filter_map(|marked| if let Marked::As(mark) = marked { Some(mark) } else { None });
        return match strongest.max_by_key(|mark| mark.origin).filter(|_| are_leaves(items)) {
            Some(Mark { origin: Origin::Changed, .. }) => Marked::As(changed(before)),
            Some(mark) => Marked::As(Mark { before: None, ..mark.clone() }),
            None => Marked::Mixed,
        };
    };
    first.clone()
}

/// Which of the old items each item was: the one of the same name, else the one of the same index.
fn partners(items: &[(Option<String>, Block)], old: &[(Option<String>, Block)]) -> Vec<Option<usize>> {
    let names = |items: &[(Option<String>, Block)]| -> BTreeMap<String, usize> {
        let named = items.iter().enumerate().filter(|(_, (field, _))| field.is_none());
        named.filter_map(|(index, (_, item))| Some((item.own_name()?.to_owned(), index))).collect()
    };
    let (names_now, names_then) = (names(items), names(old));
    let is_free = |index: &usize| {
        let (_, old) = &old[*index];
        !old.own_name().is_some_and(|name| names_now.contains_key(name))
    };
    let partner = |(index, (_, item)): (usize, &(Option<String>, Block))| {
        let by_name = item.own_name().and_then(|name| names_then.get(name)).copied();
        by_name.or_else(|| Some(index).filter(|index| *index < old.len()).filter(is_free))
    };
    items.iter().enumerate().map(partner).collect()
}

fn label_width(name: &Option<String>) -> usize {
    name.as_ref().map_or(0, |name| name.chars().count() + 2)
}

fn push_label(name: &Option<String>, page: &mut Page) {
    if let Some(name) = name {
        page.push(name);
        page.push(": ");
    }
}

fn render_lines(items: &[(Option<String>, Block)], indent: usize, page: &mut Page) {
    let inner = indent + INDENT;
    for (name, block) in items {
        page.start_line(inner);
        push_label(name, page);
        block.render(inner, inner + label_width(name), page);
        page.push(",");
    }
    page.start_line(indent);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scene::reader::read;
    use crate::scene::reader::tests::{Drive, Fov, Mode, Two, kinds, milling};

    #[test]
    fn both_styles_read_back() {
        let (kinds, scene) = (kinds(), milling());
        let full = write(&kinds, &scene, Style::Full);
        for style in [Style::Short, Style::Full] {
            let text = write(&kinds, &scene, style);
            let back: Scene = read(&kinds, "back", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
            assert_eq!(write(&kinds, &back, style), text);
            assert_eq!(write(&kinds, &back, Style::Full), full);
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        }
    }

    #[test]
    fn short_leaves_defaults_out() {
        let text = write(&kinds(), &milling(), Style::Short);
        let expected = r#"Scene(
    name: "Milling \"é\"",
    seed: 7,
    arena: (size_m: (10.0, 8.0), walls: Wrapping),
    groups: [
        (
            name: "millers",
            count: 6,
            at: [(1.0, 2.0, 0.5), (3.0, 0.0, 0.0)],
            body: Disc(radius_m: 0.2),
            sensors: [Fov(range_m: 2.5, mount_m: (0.5, -0.5), rays: Some(5)), Fov()],
            controller: Two(
                clear: (v_m_per_s: 0.27),
                detected: (v_m_per_s: 0.27, turn_rad_per_s: 0.6),
                mode: Ramp(slope: 2.0, offset: 0.0),
            ),
        ),
        (name: "others", controller: Switch(rest: [Two(), Switch(rest: [Two()])])),
    ],
    metrics: [Circliness(), Circliness()],
)"#;
        assert_eq!(text, expected);
        assert_eq!(write(&kinds(), &Scene::default(), Style::Short), "Scene()");
    }

    #[test]
    fn one_broken_member_shares_the_brackets_of_its_list() {
        let mut scene = milling();
        scene.groups.truncate(1);
        assert!(write(&kinds(), &scene, Style::Short).contains("    groups: [(\n        name: \"millers\",\n"));
    }

    #[test]
    fn leaves_stand_alone() {
        for (value, text) in [(1.0, "1.0"), (1e300, "1e300"), (0.1, "0.1"), (-0.0, "-0.0"), (1e16, "1e16")] {
            assert_eq!(write(&kinds(), &value, Style::Full), text);
        }
        assert_eq!(write(&kinds(), &bevy::math::DVec2::ONE, Style::Full), "(1.0, 1.0)");
        assert_eq!(write(&kinds(), &"a\nb".to_owned(), Style::Full), r#""a\nb""#);
    }

    fn marked(scene: &Scene, opened: &Scene, text: &str) -> Vec<String> {
        let lines = write_with_origins(&kinds(), scene, opened, &Origins::of_text(text));
        let comment = |line: &Line| Some(format!("{} // {}", line.text.trim(), line.mark.as_ref()?.comment()?));
        lines.iter().filter_map(comment).collect()
    }

    #[test]
    fn lines_say_where_their_values_come_from() {
        let text = "(seed: 7, arena: (size_m: (3, 4)), groups: [(name: \"a\", body: Disc())])";
        let opened: Scene = read(&kinds(), "test", text).unwrap();
        let mut scene = opened.clone();
        scene.arena.size_m.y = 5.0;
        scene.groups.push(Group { name: "b".into(), ..Default::default() });
        scene.groups.swap(0, 1);
        let marked = marked(&scene, &opened, text);
        for expected in [
            "format: 1, // default",
            "size_m: (3.0, 5.0), // changed in the window, before (3.0, 4.0)",
            "walls: Open, // default",
            "strategy: BestEffort, // default",
            "count: 1, // default",
            "name: \"b\", // changed in the window",
        ] {
            assert!(marked.iter().any(|line| line == expected), "{expected} is not in {marked:#?}");
        }
        assert!(!marked.iter().any(|line| line.starts_with("seed") || line.starts_with("name: \"a\"")), "{marked:#?}");
    }

    #[test]
    fn text_with_origins_reads_back() {
        let (kinds, mut scene) = (kinds(), milling());
        let (text, opened) = (write(&kinds, &scene, Style::Short), milling());
        scene.groups[0].at[1].x_m = 9.0;
        scene.groups[0].name = "// ) \n \"".into();
        scene.groups[1] = Group { name: "new".into(), ..Default::default() };
        let lines = write_with_origins(&kinds, &scene, &opened, &Origins::of_text(&text));
        let back: Scene = read(&kinds, "back", &Line::join(&lines)).unwrap();
        assert_eq!(write(&kinds, &back, Style::Full), write(&kinds, &scene, Style::Full));
    }

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL, Just(0.0), Just(1.5)]
    }

    fn mode() -> impl Strategy<Value = Mode> {
        let ramp = (1e-9..1e9, number()).prop_map(|(slope, offset)| Mode::Ramp { slope, offset });
        prop_oneof![Just(Mode::Idle), ramp, (any::<u8>(), any::<String>()).prop_map(|(a, b)| Mode::Pick(a, b))]
    }

    fn drive() -> impl Strategy<Value = Drive> {
        (number(), number()).prop_map(|(v_m_per_s, turn_rad_per_s)| Drive { v_m_per_s, turn_rad_per_s })
    }

    proptest! {
        #[test]
        fn write_read_write(clear in drive(), detected in drive(), mode in mode()) {
            let (kinds, two) = (kinds(), Two { clear, detected, mode });
            for style in [Style::Short, Style::Full] {
                let text = write(&kinds, &two, style);
                let back: Two = read(&kinds, "back", &text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
                prop_assert_eq!(write(&kinds, &back, style), text);
                prop_assert_eq!(back, two.clone());
            }
        }

        #[test]
        fn write_read_write_lists(
            gains in prop::collection::vec(number(), 0..40),
            rays in any::<Option<u32>>(),
            three in any::<[i16; 3]>(),
        ) {
            let three = three.map(|number| f32::from(number) / 7.0);
            let (kinds, fov) = (kinds(), Fov { gains, rays, three, ..Fov::default() });
            let text = write(&kinds, &fov, Style::Short);
            let back: Fov = read(&kinds, "back", &text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            prop_assert_eq!(back, fov);
        }
    }
}
