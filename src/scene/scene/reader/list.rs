//! Lists, whose members have different names.

use std::any::TypeId;
use std::collections::HashMap;

use bevy::prelude::*;
use bevy::reflect::TypeInfo;
use bevy::reflect::list::{DynamicList, ListInfo};
use swarmarium_base::limits::MAX_GROUPS;
use swarmarium_core::kind::ReflectSlot;
use swarmarium_core::text::outline::{Body, Node};
use swarmarium_core::text::values::is_positional;
use swarmarium_core::text::wording::shown;

use super::{Expected, Reader, Step, name_of_member, pushed};
use crate::scene::description::Group;

/// The largest number of groups, sensors, objects and other descriptions in the lists of one text.
const MAX_DESCRIBED: usize = 50_000;

/// Whether an item of a list is a description with fields, rather than a number, a text or a vector.
fn is_description(item: Option<&TypeInfo>) -> bool {
    match item {
        Some(TypeInfo::Struct(info)) => !is_positional(info),
        Some(TypeInfo::Enum(_) | TypeInfo::TupleStruct(_)) => true,
        _ => false,
    }
}

impl<'a> Reader<'a> {
    pub(super) fn list(
        &mut self,
        node: &Node<'a>,
        info: &'static ListInfo,
        expected: Expected,
    ) -> Option<Box<dyn PartialReflect>> {
        let Body::List(items) = &node.body else {
            let name = node.name().filter(|name| name.starts_with(char::is_uppercase));
            let hint = name.map_or_else(String::new, |name| format!("; write `[{}(…)]`", shown(name)));
            return self.expected_with(node, || "a list in `[…]`".into(), &hint);
        };
        let item_type = info.item_ty().id();
        let is_slot = self.kinds.types().get_type_data::<ReflectSlot>(item_type).is_some();
        self.described += if is_slot || is_description(info.item_info()) { items.len() } else { 0 };
        if item_type == TypeId::of::<Group>() && items.len() > MAX_GROUPS {
            let message = || format!("expected at most {MAX_GROUPS} groups, found {}", items.len());
            return self.refuse(node.span.start, message);
        }
        if self.described > MAX_DESCRIBED {
            return self.refuse(node.span.start, || {
                format!("more than {MAX_DESCRIBED} groups, sensors, objects and other descriptions in one file")
            });
        }
        self.check_names(items, info.item_info());
        let mut values = Some(Vec::new());
        for (index, item) in items.iter().enumerate() {
            let expected = Expected { limits: expected.limits, ..Expected::of(item_type) };
            let value = self.within(Step::Index(index), |reader| reader.value(item, expected));
            values = values.zip(value).map(pushed);
        }
        self.concrete(node, expected.type_id, &DynamicList::from_iter(values?))
    }

    /// Checks that the names of members of a list differ, so that paths can find them.
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
}
