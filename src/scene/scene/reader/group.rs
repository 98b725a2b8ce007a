//! Groups, and the robots and supervisors that they name.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::structs::StructInfo;
use swarmarium_base::problem::Problems;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::kind::{Family as _, KindValue, Slot};
use swarmarium_core::text::outline::{Body, Field, Node};
use swarmarium_core::text::wording::join;

use super::{Expected, Reader, Source, Step, put};
use crate::scene::description::Group;
use crate::scene::presets::{PresetLibrary, ROBOT_FIELDS, ROBOTS, SUPERVISORS};

impl<'a> Reader<'a> {
    /// A group; fields that it does not write come from its robot and its supervisor, if it names them.
    pub(super) fn group(
        &mut self,
        node: &Node<'a>,
        info: &'static StructInfo,
        expected: Expected,
    ) -> Option<Box<dyn PartialReflect>> {
        let is_robot = self.source.is_robot;
        if is_robot {
            let (alien, _) = node.split(|field| info.field(field).is_some() && !ROBOT_FIELDS.contains(&field));
            if alien.is_some() || !matches!(node.body, Body::Struct { .. }) {
                let fields = join(&ROBOT_FIELDS, "and");
                return self.refuse(node.span.start, || format!("a robot has the fields {fields}, and no others"));
            }
        }
        let (own, named) = node.split(|field| field == SUPERVISORS.what || (field == ROBOTS.what && !is_robot));
        let Some(Body::Struct { fields, .. }) = named.as_ref().map(|named| &named.body) else {
            return self.structure(node, info, expected);
        };
        let twice = |(place, field): (usize, &Field)| fields[..place].iter().any(|before| before.name == field.name);
        if let Some(place) = fields.iter().enumerate().position(twice) {
            let name = fields[place].name;
            return self.refuse(node.span.start, || format!("the field `{name}` is written twice"));
        }
        let find = |library: &PresetLibrary| fields.iter().find(|field| field.name == library.what);
        // Invalid fields are left out, so that all problems are reported together.
        let mut is_whole = true;
        let mut default = None;
        if let Some(field) = find(&ROBOTS) {
            default = self.preset(&ROBOTS, &field.value, info.type_id());
            is_whole &= default.is_some();
        }
        if let Some(field) = find(&SUPERVISORS) {
            let controller = self.named_controller(&SUPERVISORS, &field.value);
            is_whole &= controller.is_some();
            default = default.or_else(|| self.start(expected));
            if let Some((controller, default)) = controller.zip(default.as_deref_mut()) {
                if let Some(group) = default.downcast_mut::<Group>() {
                    group.controller = Slot::from_value(controller.clone_value());
                }
                self.controller = Some(controller);
            }
        }
        let default = default.as_deref().or(expected.default);
        let group = self.structure(own.as_ref().unwrap_or(node), info, Expected { default, ..expected });
        self.controller = None;
        group.filter(|_| is_whole)
    }

    /// The controller of a description in a library of controllers, which a field of a group names.
    fn named_controller(&mut self, library: &'static PresetLibrary, node: &Node<'a>) -> Option<Box<dyn KindValue>> {
        let (kinds, name) = (self.kinds, library.controller?);
        let Some(kind) = kinds.get(ControllerFamily::NAME, name) else {
            return self.refuse(node.span.start, || format!("a {} needs the controller `{name}`", library.what));
        };
        let value = self.preset(library, node, kind.type_id)?;
        let mut controller = (kind.default)();
        put(controller.as_partial_reflect_mut(), value.into_partial_reflect()).then_some(controller)
    }

    /// The value of a robot or supervisor, which a field of a group names.
    fn preset(
        &mut self,
        library: &'static PresetLibrary,
        node: &Node<'a>,
        type_id: TypeId,
    ) -> Option<Box<dyn Reflect>> {
        self.within(Step::Field(library.what), |reader| {
            let what = library.what;
            let name: Option<String> = match &node.body {
                Body::Leaf(text) => ron::from_str(text).ok(),
                _ => None,
            };
            let Some(name) = name else { return reader.expected(node, || format!("the name of a {what} in quotes")) };
            let preset = match library.find(reader.source.folder, &name) {
                Ok(preset) => preset,
                Err(error) => return reader.refuse(node.span.start, || error.to_string()),
            };
            let source = Source { is_robot: true, ..reader.source };
            match source.read(reader.kinds, &preset.text, Expected::of(type_id)) {
                Ok(value) => value.try_into_reflect().ok(),
                Err(problems) => {
                    let problems = Problems { source_name: preset.source_name, problems };
                    let message = || format!("the {what} cannot be used\n{}", problems.to_string().trim_end());
                    reader.refuse(node.span.start, message)
                }
            }
        })
    }
}
