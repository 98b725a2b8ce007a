//! Fields of structs and of variants.

use bevy::prelude::*;
use bevy::reflect::NamedField;
use bevy::reflect::structs::{DynamicStruct, StructInfo};
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::Required;
use swarmarium_core::text::outline::{Body, Field, Node, is_after_decimal_comma};
use swarmarium_core::text::values::{is_positional, type_ident};
use swarmarium_core::text::wording::{DECIMAL_POINT, field_in_unit, found, nearest, shown};

use super::super::presets::{ROBOTS, SUPERVISORS};
use super::unknown::{field_of_other_part, unknown_field};
use super::{Expected, Reader, Step, pushed, put};

/// The largest number of fields that a message names one by one.
const MOST_SHOWN: usize = 10;

/// The expected fields of a struct or a variant.
pub(super) struct Shape {
    pub name: &'static str,
    pub fields: Vec<&'static NamedField>,
    pub positional: bool,
}

impl Shape {
    pub fn of_struct(info: &'static StructInfo) -> Self {
        let name = type_ident(info.type_path_table());
        Self { name, fields: info.iter().collect(), positional: is_positional(info) }
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.fields.iter().map(|field| field.name()).collect()
    }

    /// The notation: `(x, y)` or `(size_m: …, boundary: …)`. Of many fields, it has the first ones.
    pub fn pattern(&self) -> String {
        let names = self.names();
        let shown = if names.len() > MOST_SHOWN { 3 } else { names.len() };
        let fields = names.iter().take(shown);
        let fields = fields.map(|name| if self.positional { (*name).to_owned() } else { format!("{name}: …") });
        let rest = (shown < names.len()).then(|| "…".to_owned());
        format!("({})", fields.chain(rest).collect::<Vec<_>>().join(", "))
    }
}

/// One field in the text: its name, the place of the name, and its value.
type WrittenField<'n, 'a> = (&'a str, usize, &'n Node<'a>);

/// The fields with the values read for them.
pub(super) type Values = Vec<(&'static NamedField, Box<dyn PartialReflect>)>;

impl<'a> Reader<'a> {
    pub(super) fn structure(
        &mut self,
        node: &Node<'a>,
        info: &'static StructInfo,
        expected: Expected,
    ) -> Option<Box<dyn PartialReflect>> {
        let shape = Shape::of_struct(info);
        if let Some(name) = node.name().filter(|name| *name != shape.name) {
            let (note, near) = (self.note_of_constant(node), nearest(name, &[shape.name]));
            let message = || format!("expected {} {}, found {}{note}{near}", shape.name, shape.pattern(), found(node));
            return self.refuse(node.span.start, message);
        }
        let mut start = self.start(expected);
        let default = start.as_deref().and_then(|start| start.reflect_ref().as_struct().ok());
        let values = self.fields(node, &shape, expected.limits, |name| default.and_then(|d| d.field(name)))?;
        let Some(target) = start.as_deref_mut().and_then(|start| start.reflect_mut().as_struct().ok()) else {
            return self.concrete(node, expected.type_id, &dynamic_struct(values));
        };
        for (field, value) in values {
            if !target.field_mut(field.name()).is_some_and(|target| put(target, value)) {
                return self.refuse(node.span.start, || format!("internal error: cannot set {}", field.name()));
            }
        }
        start.map(<dyn Reflect>::into_partial_reflect)
    }

    /// Reads all written fields, and reports missing required ones.
    pub(super) fn fields<'d>(
        &mut self,
        node: &Node<'a>,
        shape: &Shape,
        limits: Option<Limits>,
        default: impl Fn(&str) -> Option<&'d dyn PartialReflect>,
    ) -> Option<Values> {
        // Nested fields have none.
        let shared = std::mem::take(&mut self.shared);
        let presets: &[&str] = if shape.name == "Group" { &[ROBOTS.what, SUPERVISORS.what] } else { &[] };
        let known = || shape.names().into_iter().chain(presets.iter().chain(&shared).copied()).collect::<Vec<_>>();
        let entries = self.entries(node, shape)?;
        let mut written = vec![false; shape.fields.len()];
        let mut values = Some(Values::new());
        for (name, at, node) in entries {
            let value = self.within(Step::Field(name), |reader| {
                let Some(index) = shape.fields.iter().position(|field| field.name() == name) else {
                    let near = || match node.body {
                        Body::Leaf(number) => field_in_unit(name, number, &known()),
                        _ => None,
                    };
                    let near = || near().or_else(|| field_of_other_part(shape.name, name));
                    let near = || near().unwrap_or_else(|| unknown_field(name, &known()));
                    return reader.refuse(at, || format!("{} has no field `{}`{}", shape.name, shown(name), near()));
                };
                if std::mem::replace(&mut written[index], true) {
                    return reader.refuse(at, || format!("the field `{name}` is written twice"));
                }
                let field = shape.fields[index];
                let limits = field.get_attribute::<Limits>().copied().or(limits);
                let default = default(name).and_then(PartialReflect::try_as_reflect);
                let value = reader.value(node, Expected { type_id: field.type_id(), limits, default })?;
                Some((field, value))
            });
            values = values.zip(value).map(pushed);
        }
        for (field, _) in shape.fields.iter().zip(&written).filter(|(_, written)| !**written) {
            let is_required = field.has_attribute::<Required>() && !self.source.is_robot;
            if is_required || default(field.name()).is_none() {
                let at = node.span.start;
                values = self.refuse(at, || format!("{} needs the field `{}`", shape.name, field.name()));
            }
        }
        values
    }

    /// The fields in the text. Names may be left out if the order is sufficient.
    fn entries<'n>(&mut self, node: &'n Node<'a>, shape: &Shape) -> Option<Vec<WrittenField<'n, 'a>>> {
        match &node.body {
            Body::Struct { fields, .. } => {
                let entry = |field: &'n Field<'a>| (field.name, field.span.start, &field.value);
                Some(fields.iter().map(entry).collect())
            }
            Body::Tuple { items, .. } if shape.positional && items.len() == shape.fields.len() => {
                Some(shape.names().into_iter().zip(items).map(|(name, item)| (name, item.span.start, item)).collect())
            }
            Body::Tuple { items, .. } if items.is_empty() && !shape.positional => Some(Vec::new()),
            // The caller has checked that a lone name is the right one.
            Body::Leaf(_) if node.name() == Some(shape.name) => Some(Vec::new()),
            Body::Tuple { items, .. } if shape.positional && self.has_decimal_commas(items, shape.fields.len()) => {
                self.expected_with(node, || shape.pattern(), DECIMAL_POINT)
            }
            Body::List(items) if shape.positional && items.len() == shape.fields.len() => {
                self.expected_with(node, || shape.pattern(), "; write round brackets")
            }
            Body::Tuple { name, items } if !shape.positional && shape.fields.len() == 1 && items.len() == 1 => {
                let (name, field) = (name.unwrap_or_default(), shape.fields[0].name());
                let value = shown(&self.text[items[0].span.clone()]);
                self.expected_with(node, || shape.pattern(), &format!("; write `{name}({field}: {value})`"))
            }
            _ => self.expected(node, || shape.pattern()),
        }
    }

    /// Whether values seem to be fewer numbers with decimal commas, as in `(6,0, 4,0)`.
    fn has_decimal_commas(&self, items: &[Node<'a>], wanted: usize) -> bool {
        let is_fraction = |pair: &[Node<'a>]| is_after_decimal_comma(self.text, pair[1].span.start);
        items.len() == 2 * wanted && items.chunks_exact(2).all(is_fraction)
    }
}

pub(super) fn dynamic_struct(values: Values) -> DynamicStruct {
    let mut dynamic = DynamicStruct::default();
    for (field, value) in values {
        dynamic.insert_boxed(field.name(), value);
    }
    dynamic
}
