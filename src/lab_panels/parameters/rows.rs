//! Rows for any reflected value: headings, lists that fold, and one row per parameter.

use std::collections::HashSet;
use std::ops::Range;

use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use bevy_egui::egui::{self, Ui};
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::kind::{Kinds, ReflectSlot};
use swarmarium_core::text::shared::SharedText;
use swarmarium_core::text::values::{integer_range, is_option, is_optional_part, is_positional, number};
use swarmarium_core::text::wording::words;
use swarmarium_lab_state::action::{Action, PartAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::quantity::Display;
use swarmarium_lab_state::common::text::{grouped, label, plain_docs, unit_of_field};
use swarmarium_scene::scene::constants::{self, Constant};
use swarmarium_scene::scene::controls::Control;
use swarmarium_scene::scene::describe;
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::path::{self, Leaf};
use swarmarium_scene::scene::reader::default_of;
use swarmarium_simulation::edit::TakesEffect;

use crate::parameters::drafts::RowContext;
use crate::parameters::many::Spread;
use crate::parameters::{Drafts, Many, cells, find, fold, menu, row};

/// Maximum number of displayed members of a list.
const MOST: usize = 100;

/// Lists of at most this many numbers are one row of text.
const SHORT: usize = 32;

/// Values of at most this many numbers with names are one row of fields.
const MOST_OF_TUPLE: usize = 3;

/// The commonly used parts of a group, in order of use. The others are folded.
const BY_USE: [&str; 10] = ["controller", "sensors", "motion", "count", "spawn", "at", "body", "radio", "look", "name"];

/// The rows of a reflected value: the parameters of a scene, a group or a robot.
///
/// Changes are returned as edits of the paths below `prefix`.
pub struct Rows<'a> {
    /// The displayed value.
    pub root: &'a dyn Reflect,
    /// The same value in the scene, or in the scene as opened; reset buttons restore it.
    pub before: Option<&'a dyn Reflect>,
    /// The path of the value, such as `groups.millers` or `agents.17`; empty for a scene.
    pub prefix: &'a str,
    /// The filter of its parts, by the last step of their paths.
    pub shows: &'a dyn Fn(&str) -> bool,
    /// The index of the part to scroll to.
    pub jump: Option<usize>,
    /// The paths of the rows that match the search; `None` for all.
    pub find: Option<&'a HashSet<String>>,
    /// The robots that are shown and changed together with the root.
    pub many: Option<&'a Many>,
}

impl Rows<'_> {
    /// Whether any row matches the search.
    pub(super) fn has_found(&self, kinds: &Kinds) -> bool {
        let Some(found) = self.find else { return true };
        let parts = path::parts(kinds, &Leaf { path: self.prefix.into(), ..Leaf::root(self.root) });
        parts
            .map(|part| part.path)
            .any(|path| found.contains(&path) && (self.shows)(path.rsplit('.').next().unwrap_or_default()))
    }

    /// Draws the rows and returns the requested actions.
    pub fn ui(&self, ui: &mut Ui, lab: &Lab, drafts: &mut Drafts) -> Vec<Action> {
        let root = Node::root(self.root, self.before, self.prefix);
        drafts.follow(lab);
        let mut context = RowContext { lab, drafts, actions: Vec::new(), find: self.find, many: self.many };
        ui.scope(|ui| {
            cells::style(ui);
            parts(ui, &mut context, &root, self.shows, self.jump);
        });
        context.actions
    }
}

/// Draws a row for each of some values, such as constants, and returns the requested actions.
pub(super) fn single(ui: &mut Ui, lab: &Lab, drafts: &mut Drafts, nodes: &[Node]) -> Vec<Action> {
    drafts.follow(lab);
    let mut context = RowContext { lab, drafts, actions: Vec::new(), find: None, many: None };
    ui.scope(|ui| {
        cells::style(ui);
        for node in nodes {
            row::row(ui, &mut context, node, &EditorKind::of(lab.run.host.simulation().kinds(), node.leaf.value));
        }
    });
    context.actions
}

/// Returns the constants of the scene, each with its first field.
pub(super) fn constant_nodes(lab: &Lab) -> impl Iterator<Item = Node<'_>> {
    let (kinds, scene) = (lab.run.host.simulation().kinds(), lab.run.host.simulation().scene_ahead());
    scene.constants.iter().filter_map(move |constant| {
        let leaf = constants::leaf(kinds, scene, constant)?;
        let before = path::get(kinds, &lab.run.opened.scene, &leaf.path).ok();
        Some(Node { before, constant: Some(constant), ..Node::at(leaf) })
    })
}

/// A value during the descent through a description, with its value before and its default.
pub struct Node<'n> {
    /// The value and its path.
    pub leaf: Leaf<'n>,
    /// The value when the scene was opened.
    pub before: Option<&'n dyn Reflect>,
    /// The default value.
    pub default: Option<&'n dyn Reflect>,
    /// The index, if the value is a member of a list.
    pub place: Option<usize>,
    /// The number of parts around the value.
    pub depth: usize,
    /// The constant that the value represents, if it is not a field.
    pub constant: Option<&'n Constant>,
    /// The control of the scene that shows the value.
    pub control: Option<&'n Control>,
}

/// The editor of a value.
pub enum EditorKind<'k> {
    /// A kind of a family, with its parameters below.
    Kind(&'k ReflectSlot),
    /// A heading above parts.
    Heading,
    /// A list that folds.
    List(usize),
    /// A variant with parts: a choice of variants, with the parts below.
    Variant,
    /// A value that can be missing: a switch, and the editor of the value, or its parts below.
    Optional {
        /// Whether the value has parts with rows of their own.
        has_parts: bool,
    },
    /// A number, with a slider if it has a range.
    Number {
        /// Whether it is an integer.
        is_whole: bool,
    },
    /// A check box.
    Bool,
    /// A choice of names.
    Choice,
    /// A point in the plane.
    Point,
    /// A few numbers with names, such as a pose.
    Tuple,
    /// A short list of numbers.
    Numbers,
    /// A plain text.
    Words,
    /// The text of a script, which the panel Script shows.
    Source,
    /// Any other value, as its text in a scene file.
    Text,
}

impl<'k> EditorKind<'k> {
    /// Returns the editor of a value.
    pub fn of(kinds: &'k Kinds, value: &dyn Reflect) -> Self {
        let type_id = value.as_any().type_id();
        if let Some(slot) = kinds.types().get_type_data::<ReflectSlot>(type_id) {
            return Self::Kind(slot);
        }
        if number(value).is_some() {
            return Self::Number { is_whole: integer_range(type_id).is_some() };
        }
        match value.reflect_ref() {
            _ if value.is::<bool>() => Self::Bool,
            _ if value.is::<String>() => Self::Words,
            _ if value.is::<SharedText>() => Self::Source,
            _ if value.is::<bevy::math::DVec2>() => Self::Point,
            ReflectRef::Struct(fields) if fields.get_represented_struct_info().is_some_and(is_positional) => {
                let mut parts = fields.iter_fields();
                let are_numbers = parts.all(|(_, part)| part.try_as_reflect().and_then(number).is_some());
                if are_numbers && fields.field_len() <= MOST_OF_TUPLE { Self::Tuple } else { Self::Text }
            }
            ReflectRef::Struct(_) => Self::Heading,
            ReflectRef::List(list) => {
                let are_numbers = list.iter().all(|item| item.try_as_reflect().and_then(number).is_some());
                let is_short = list.len() <= SHORT && !list.is_empty() && are_numbers;
                if is_short { Self::Numbers } else { Self::List(list.len()) }
            }
            ReflectRef::Enum(variant) => match variant.get_represented_enum_info() {
                Some(info) if is_option(info) => {
                    let inner = variant.field_at(0).and_then(PartialReflect::try_as_reflect);
                    let inner = inner.map(|inner| Self::of(kinds, inner));
                    Self::Optional { has_parts: inner.is_some_and(|inner| inner.has_parts()) }
                }
                Some(info) if info.iter().all(|variant| variant.as_unit_variant().is_ok()) => Self::Choice,
                Some(info) if info.variant_len() == 1 => Self::Heading,
                _ => Self::Variant,
            },
            _ => Self::Text,
        }
    }

    /// Whether the parts of the value have rows of their own.
    pub fn has_parts(&self) -> bool {
        matches!(
            self,
            Self::Heading | Self::List(_) | Self::Kind(_) | Self::Variant | Self::Optional { has_parts: true }
        )
    }
}

impl<'n> Node<'n> {
    /// Creates the root of paths, or a value at the path `prefix`.
    pub fn root(value: &'n dyn Reflect, before: Option<&'n dyn Reflect>, prefix: &str) -> Self {
        Self { before, ..Self::at(Leaf { path: prefix.into(), ..Leaf::root(value) }) }
    }

    /// Creates a node for a single value.
    pub fn at(leaf: Leaf<'n>) -> Self {
        Self { leaf, before: None, default: None, place: None, depth: 0, constant: None, control: None }
    }

    /// Returns the last step of the path.
    pub fn step(&self) -> &str {
        self.leaf.path.rsplit('.').next().unwrap_or_default()
    }

    /// Returns the label.
    pub fn name(&self, editor: &EditorKind) -> String {
        match (editor, self.place) {
            _ if let Some(control) = self.control.filter(|control| !control.label.is_empty()) => control.label.clone(),
            _ if let Some(constant) = self.constant => constant.name.clone(),
            (EditorKind::Kind(slot), Some(place)) => format!("{} {place}", words(slot.family).0),
            _ if self.has_position_beside() => format!("{} object", label(self.step())),
            _ => label(self.step()),
        }
    }

    /// Whether the value is the name of an object, and another field is a position in its place.
    fn has_position_beside(&self) -> bool {
        self.leaf.value.as_any().is::<String>() && self.docs().contains(&format!("`{}_m`", self.step()))
    }

    /// Returns the name for `--set`: the path, or the name of the constant.
    pub fn option(&self) -> &str {
        self.constant.map_or(&self.leaf.path, |constant| &constant.name)
    }

    /// Returns the accessible label of the editor, unique in the window.
    pub fn label(&self) -> String {
        match (self.control, self.constant) {
            (Some(control), _) => format!("Control {}", control.of),
            (None, Some(constant)) => format!("Constant {}", constant.name),
            (None, None) => self.leaf.path.clone(),
        }
    }

    /// Returns when a change takes effect; for a constant, in all of its fields.
    pub fn takes_effect(&self) -> TakesEffect {
        let paths = self.constant.map_or(std::slice::from_ref(&self.leaf.path), |constant| &constant.of);
        let is_live = paths.iter().all(|path| TakesEffect::of_path(path) == TakesEffect::Live);
        if is_live { TakesEffect::Live } else { TakesEffect::AtReset }
    }

    /// Returns the unit in which the value is shown, or an empty text.
    pub fn unit(&self) -> &'static str {
        self.display().unit(self.scene_unit())
    }

    /// Returns the unit of the value in the scene, or an empty text.
    pub fn scene_unit(&self) -> &'static str {
        self.leaf.field.map(unit_of_field).unwrap_or_default()
    }

    /// Returns how a number is shown, such as a heading in degrees.
    pub fn display(&self) -> Display {
        self.leaf.field.map(Display::of).unwrap_or_default()
    }

    /// Returns the value in an optional one; `None` if it is missing.
    pub fn inside(&self) -> Option<Self> {
        let value = inside(self.leaf.value)?;
        let leaf = Leaf { path: self.leaf.path.clone(), value, field: self.leaf.field, limits: self.leaf.limits };
        let [before, default] = [self.before, self.default].map(|known| known.and_then(inside));
        Some(Self { leaf, before, default, ..*self })
    }

    /// Whether the value is an optional part with parameters of its own, such as the radio of a group.
    pub fn is_optional_part(&self) -> bool {
        is_optional_part(self.leaf.value.reflect_type_info())
    }

    /// Returns the docs of the field, with the notation of files.
    pub fn docs(&self) -> String {
        describe::trim(self.leaf.field.and_then(|field| field.docs()))
    }

    /// Returns the docs.
    pub fn about(&self) -> String {
        let field = plain_docs(&self.docs());
        let about = self.constant.map(|constant| constant.about.clone()).filter(|about| !about.is_empty());
        about.map_or_else(|| field.clone(), |about| format!("{about}\n{field}"))
    }
}

/// Returns the value in an optional one; `None` if it is missing, or if the value is not optional.
fn inside(value: &dyn Reflect) -> Option<&dyn Reflect> {
    let ReflectRef::Enum(variant) = value.reflect_ref() else { return None };
    variant.get_represented_enum_info().filter(|info| is_option(info))?;
    variant.field_at(0)?.try_as_reflect()
}

/// Draws the parts of a value.
fn parts(ui: &mut Ui, context: &mut RowContext, of: &Node, shows: &dyn Fn(&str) -> bool, jump: Option<usize>) {
    let kinds = context.lab.run.host.simulation().kinds();
    let len = of.leaf.value.reflect_ref().as_list().map_or(0, |list| list.len());
    let first = jump.filter(|place| *place >= MOST).unwrap_or_default();
    // A search covers all members.
    let range = if len == 0 || context.find.is_some() { 0..usize::MAX } else { first..first + MOST };
    more(ui, range.start, "before");
    let end = range.end;
    with_parts(kinds, of, range, |parts| {
        let mut shown: Vec<_> = parts.iter().filter(|(_, part)| shows(part.step())).collect();
        let rare = if of.leaf.value.is::<Group>() { take_rare(&mut shown) } else { Vec::new() };
        for (place, part) in shown {
            let top = ui.cursor().min;
            one(ui, context, part);
            if jump == Some(*place) {
                bring_into_view(ui, top);
            }
        }
        folded(ui, context, of, &rare);
    });
    more(ui, len.saturating_sub(end), "more");
}

/// Scrolls as little as possible to show a block that ends here, or as much of it as fits, starting at its heading.
pub(super) fn bring_into_view(ui: &Ui, top: egui::Pos2) {
    let bottom = ui.cursor().top().min(top.y + ui.clip_rect().height());
    let block = egui::Rect::from_min_max(top, egui::pos2(ui.max_rect().right(), bottom));
    ui.scroll_to_rect(block, None);
}

/// Sorts the parts of a group by use, and takes out those that are rarely used.
fn take_rare<'n, 'p>(parts: &mut Vec<&'p (usize, Node<'n>)>) -> Vec<&'p (usize, Node<'n>)> {
    let rank = |(_, part): &(usize, Node)| {
        let place = BY_USE.iter().position(|step| *step == part.step());
        place.unwrap_or(BY_USE.len())
    };
    parts.sort_by_key(|part| rank(part));
    let first_rare = parts.partition_point(|part| rank(part) < BY_USE.len());
    parts.split_off(first_rare)
}

/// Draws the rarely used parts of a group in a fold.
fn folded(ui: &mut Ui, context: &mut RowContext, of: &Node, rare: &[&(usize, Node)]) {
    let shown = || rare.iter().filter(|(_, part)| context.shows(&part.leaf.path));
    let names: Vec<String> = shown().map(|(_, part)| label(part.step()).to_lowercase()).collect();
    if names.is_empty() {
        return;
    }
    let id = find::fold_id(context.find, &format!("{} rare", of.leaf.path));
    let is_open = context.find.is_some();
    let fold = fold::Fold { depth: of.depth + 1, is_open, ..fold::Fold::new(&id, "Advanced", "") };
    if fold.ui(ui, context.lab.shell.settings.theme, &format!("Opens {}", names.join(", "))) {
        rare.iter().for_each(|(_, part)| one(ui, context, part));
    }
}

/// Calls `show` with the parts of a value and their indices; members of a list are limited to a range of indices.
fn with_parts(kinds: &Kinds, of: &Node, range: Range<usize>, show: impl FnOnce(&[(usize, Node)])) {
    let own_default = || default_of(kinds, of.leaf.value.as_any().type_id()).filter(|_| of.default.is_none());
    // The default of a kind lacks the fields that a file declares.
    let declared = of.leaf.value.downcast_ref::<DeclaredValues>();
    let declared = declared.map(|declared| Box::new(declared.at_defaults()) as Box<dyn Reflect>);
    let own_default = declared.or_else(|| kinds.default_of_slot(of.leaf.value)).or_else(own_default);
    let is_list = of.leaf.value.reflect_ref().as_list().is_ok();
    let default = own_default.as_deref().or(of.default).filter(|_| !is_list);
    let parts = path::parts(kinds, &of.leaf).enumerate().skip(range.start).take(range.len());
    let part = |(place, leaf)| {
        let part = Node {
            before: counterpart(kinds, of.leaf.value, of.before, place),
            default: counterpart(kinds, of.leaf.value, default, place),
            place: is_list.then_some(place),
            depth: of.depth + 1,
            ..Node::at(leaf)
        };
        (place, part)
    };
    show(&parts.map(part).collect::<Vec<_>>());
}

/// Visits every row and heading below a value without drawing it. `visit` returns whether to visit the parts of its
/// value, too.
pub(super) fn walk(kinds: &Kinds, of: &Node, visit: &mut dyn FnMut(&Node, &EditorKind) -> bool) {
    with_parts(kinds, of, 0..usize::MAX, |parts| {
        for (_, part) in parts {
            let editor = EditorKind::of(kinds, part.leaf.value);
            if visit(part, &editor) && editor.has_parts() {
                walk(kinds, part, visit);
            }
        }
    });
}

/// Returns the part of another value that corresponds to a part of this one, if both have the same parts.
pub(super) fn counterpart<'a>(
    kinds: &Kinds,
    value: &dyn Reflect,
    other: Option<&'a dyn Reflect>,
    place: usize,
) -> Option<&'a dyn Reflect> {
    let (value, other) = (kinds.see_through(value), other.map(|other| kinds.see_through(other))?);
    if let Some(value) = value.downcast_ref::<DeclaredValues>() {
        // Another script may declare them in another order.
        let other: &'a DeclaredValues = other.downcast_ref()?;
        return other.field(value.name_at(place)?)?.try_as_reflect();
    }
    let is_same = match (value.reflect_ref(), other.reflect_ref()) {
        (ReflectRef::Enum(a), ReflectRef::Enum(b)) => a.variant_name() == b.variant_name(),
        // If members were added or removed, indices do not correspond, except in groups, which are only appended.
        (ReflectRef::List(a), ReflectRef::List(b)) => {
            let name =
                |list: &dyn bevy::reflect::list::List| Some(list.get(place)?.try_downcast_ref::<Group>()?.name.clone());
            a.len() == b.len() || name(a).is_some_and(|own| name(b) == Some(own))
        }
        _ => true,
    };
    let same_type = value.as_any().type_id() == other.as_any().type_id();
    if is_same && same_type { path::part(kinds, other, place) } else { None }
}

/// Draws the number of omitted members of a list.
fn more(ui: &mut Ui, count: usize, word: &str) {
    if count > 0 {
        ui.weak(format!("and {} {word}", grouped(count as u64))).on_hover_text("They can be changed in the file");
    }
}

/// Draws a value and everything below it.
fn one(ui: &mut Ui, context: &mut RowContext, node: &Node) {
    if !context.shows(&node.leaf.path) {
        return;
    }
    let lab = context.lab;
    let kinds = lab.run.host.simulation().kinds();
    let editor = EditorKind::of(kinds, node.leaf.value);
    let all = |_: &str| true;
    match editor {
        EditorKind::Heading => {
            row::heading(ui, context, node);
            parts(ui, context, node, &all, None);
        }
        EditorKind::List(0) => row::heading(ui, context, node),
        EditorKind::List(_) if is_of_kinds(kinds, node.leaf.value) => {
            row::heading(ui, context, node);
            parts(ui, context, node, &all, None);
        }
        EditorKind::List(len) => {
            let members = describe::members_name(kinds, node.leaf.value.reflect_type_info()).to_lowercase();
            let note = format!("{} {}", grouped(len as u64), if len == 1 { "member" } else { &members });
            let name = node.name(&editor);
            let id = find::fold_id(context.find, &node.leaf.path);
            let is_open = context.find.is_some();
            let adds = menu::adds_to(&node.leaf.path);
            let fold =
                fold::Fold { depth: node.depth, is_open, adds: adds.as_deref(), ..fold::Fold::new(&id, &name, &note) };
            let (is_open, wants_more) = fold.show(ui, context.lab.shell.settings.theme, &node.about());
            if wants_more {
                context.actions.push(PartAction::Open(menu::by_places(context.lab, &node.leaf.path)).into());
            }
            if is_open {
                parts(ui, context, node, &all, None);
            }
        }
        EditorKind::Kind(_) | EditorKind::Variant | EditorKind::Optional { has_parts: true } => {
            row::row(ui, context, node, &editor);
            // Nothing below different kinds corresponds.
            if matches!(context.spread(&node.leaf.path), None | Some(Spread::Parts)) {
                parts(ui, context, node, &all, None);
            }
        }
        _ => row::row(ui, context, node, &editor),
    }
}

/// Whether the members of a list are kinds.
fn is_of_kinds(kinds: &Kinds, list: &dyn Reflect) -> bool {
    let item = list.reflect_type_info().as_list().ok().map(|list| list.item_ty().id());
    item.is_some_and(|item| kinds.types().get_type_data::<ReflectSlot>(item).is_some())
}
