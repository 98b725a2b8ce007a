//! Constants: names in place of values.

use bevy::prelude::*;
use bevy::reflect::structs::StructInfo;
use swarmarium_core::text::outline::{Body, Field, Node};
use swarmarium_core::text::wording::nearest;

use super::{Expected, Reader, Step, found, name_of_member};
use crate::scene::Scene;
use crate::scene::constants::{
    VALUE, VALUES, by_places, follow, is_name, name_problem, named, text_at, unused, without_value,
};
use crate::scene::path;

/// A constant in the text.
pub(super) struct Declared<'a> {
    name: String,
    /// The place of its name.
    at: usize,
    value: Option<Node<'a>>,
    /// The fields that use its name as their value.
    of: Vec<String>,
    /// Whether any field uses it, including one that cannot have the value.
    is_used: bool,
}

impl<'a> Reader<'a> {
    /// A scene: its constants are found first, wherever they are in the text.
    pub(super) fn scene(
        &mut self,
        node: &Node<'a>,
        info: &'static StructInfo,
        expected: Expected,
    ) -> Option<Box<dyn PartialReflect>> {
        self.constants = declared(node);
        let scene = self.structure(node, info, expected);
        let declared = std::mem::take(&mut self.constants);
        for (index, constant) in declared.iter().enumerate().filter(|(_, constant)| !constant.is_used) {
            self.in_constant(index, None, |reader| reader.refuse::<()>(constant.at, || unused(&constant.name)));
        }
        let mut scene = scene?.try_take::<Scene>().ok()?;
        declared.into_iter().enumerate().try_for_each(|(index, constant)| self.bind(&mut scene, index, constant))?;
        Some(Box::new(scene))
    }

    /// A constant: its value is for the fields that use it.
    pub(super) fn constant(
        &mut self,
        node: &Node<'a>,
        info: &'static StructInfo,
        expected: Expected,
    ) -> Option<Box<dyn PartialReflect>> {
        let Body::Struct { fields, .. } = &node.body else { return self.structure(node, info, expected) };
        if let Some((name, span)) = name_of_member(node)
            && let Some(message) = name_problem(&name)
        {
            return self.within(Step::Field("name"), |reader| reader.refuse(span.start, || message));
        }
        let mut values = fields.iter().filter(|field| field.name == VALUE);
        match (values.next(), values.next()) {
            // At a path, there are no fields to assign it to.
            (Some(value), _) if !self.is_in_constants() => {
                let message = || "a constant has the value of its fields: set one of them, or its name".into();
                return self.within(Step::Field(VALUE), |reader| reader.refuse(value.value.span.start, message));
            }
            (None, _) if !lists_fields(fields) => {
                return self.refuse(node.span.start, || format!("Constant needs the field `{VALUE}`"));
            }
            (Some(value), None) if !is_value(&value.value) => {
                return self.within(Step::Field(VALUE), |reader| reader.expected(&value.value, || VALUES.into()));
            }
            (_, Some(again)) => {
                return self.refuse(again.span.start, || format!("the field `{VALUE}` is written twice"));
            }
            _ => {}
        }
        let (own, _) = node.split(|field| field == VALUE);
        self.structure(own.as_ref().unwrap_or(node), info, expected)
    }

    /// The index of the constant that is used as a value.
    pub(super) fn constant_at(&self, node: &Node<'a>) -> Option<usize> {
        let Body::Leaf(name) = node.body else { return None };
        // Constants cannot contain constants.
        if self.is_in_constants() || self.stands_for.is_some() {
            return None;
        }
        self.constants.iter().position(|constant| constant.name == name)
    }

    /// Whether the constants of a scene are being read.
    fn is_in_constants(&self) -> bool {
        matches!(self.path.first(), Some(Step::Field("constants")))
    }

    /// The value of a constant in place of its name.
    pub(super) fn constant_value(
        &mut self,
        node: &Node<'a>,
        index: usize,
        expected: Expected,
    ) -> Option<Box<dyn PartialReflect>> {
        let path = self.path_by_places();
        let constant = self.constants.get_mut(index)?;
        constant.is_used = true;
        let Some(node) = constant.value.clone() else {
            return self.refuse(node.span.start, || format!("{} has no `{VALUE}` to use here", found(node)));
        };
        self.stands_for = Some(index);
        let value = self.value(&node, expected);
        self.stands_for = None;
        self.constants.get_mut(index)?.of.push(path);
        value
    }

    /// The addition to messages if a constant is used as a value, or may be meant.
    pub(super) fn note_of_constant(&self, node: &Node) -> String {
        if let Some(constant) = self.stands_for.and_then(|index| self.constants.get(index)) {
            return format!(", the value of {}", constant.name);
        }
        match node.body {
            Body::Leaf(name) if is_name(name) && !self.constants.is_empty() => {
                let names: Vec<&str> = self.constants.iter().map(|constant| constant.name.as_str()).collect();
                match names.contains(&name) {
                    true => ": a constant is not allowed here".into(),
                    false => format!(": there is no such constant{}", nearest(name, &names)),
                }
            }
            _ => String::new(),
        }
    }

    /// Records the fields that use a constant, and assigns its value to the fields that it lists.
    fn bind(&mut self, scene: &mut Scene, index: usize, declared: Declared<'a>) -> Option<()> {
        let mut constant = named(scene, &declared.name)?.clone();
        let mut of = declared.of;
        for (place, path) in std::mem::take(&mut constant.of).into_iter().enumerate() {
            let text = declared.value.as_ref().map(|value| &self.text[value.span.clone()]);
            let trail = path::trail(self.kinds, scene, &path);
            let set = text.map_or(Ok(()), |text| path::set(self.kinds, scene, &path, text));
            let message = match set.and(trail).map(|trail| by_places(&trail)) {
                Ok(path) if text_at(self.kinds, scene, &path).is_none() => without_value(&path),
                Ok(path) => {
                    if !of.contains(&path) {
                        of.push(path);
                    }
                    continue;
                }
                Err(problem) => format!("{}, for {}", problem.message, problem.path),
            };
            return self.in_constant(index, Some(place), |reader| reader.refuse(declared.at, || message));
        }
        constant.of = of;
        let first = constant.of.first().map_or(Ok(Vec::new()), |first| path::trail(self.kinds, scene, first));
        if let Err(problem) = first.and_then(|first| follow(self.kinds, scene, &constant, &first)) {
            return self.in_constant(index, None, |reader| reader.refuse(declared.at, || problem.to_string()));
        }
        let target = scene.constants.iter_mut().find(|known| known.name == declared.name)?;
        target.of = constant.of;
        Some(())
    }

    /// Runs a function with the path of a constant, or of one of the fields that it lists.
    fn in_constant<T>(
        &mut self,
        index: usize,
        field: Option<usize>,
        act: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let listed = field.into_iter().flat_map(|place| [Step::Field("of"), Step::Index(place)]);
        let steps: Vec<_> = [Step::Field("constants"), Step::Index(index)].into_iter().chain(listed).collect();
        let before = std::mem::replace(&mut self.path, steps);
        let done = act(self);
        self.path = before;
        done
    }

    fn path_by_places(&self) -> String {
        let steps = self.path.iter().map(|step| match step {
            Step::Field(name) => (*name).to_owned(),
            Step::Index(index) => index.to_string(),
        });
        steps.collect::<Vec<_>>().join(".")
    }
}

/// The constants that a scene declares; their problems are reported when they are read.
fn declared<'a>(scene: &Node<'a>) -> Vec<Declared<'a>> {
    let fields_of = |node: &Node<'a>| match &node.body {
        Body::Struct { fields, .. } => fields.clone(),
        _ => Vec::new(),
    };
    let constants = fields_of(scene).into_iter().find(|field| field.name == "constants").map(|field| field.value);
    let Some(Body::List(items)) = constants.map(|constants| constants.body) else { return Vec::new() };
    let of_item = |item: &Node<'a>| {
        let (name, span) = name_of_member(item)?;
        let fields = fields_of(item);
        let value = fields.iter().find(|field| field.name == VALUE).map(|field| field.value.clone());
        let is_used = lists_fields(&fields);
        Some(Declared { name, at: span.start, value: value.filter(is_value), of: Vec::new(), is_used })
    };
    items.iter().filter_map(of_item).collect()
}

/// Whether a constant lists fields that have its value.
fn lists_fields(fields: &[Field]) -> bool {
    fields.iter().any(|field| field.name == "of")
}

/// Whether something can be the value of a constant: a number, a text, or a word that is not a constant itself.
fn is_value(node: &Node) -> bool {
    matches!(node.body, Body::Leaf(text) if !is_name(text))
}
