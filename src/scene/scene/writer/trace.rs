//! The origins of the parts of a written value.

use std::collections::BTreeMap;

use super::block::{Block, BlockBody};
use crate::scene::origins::{At, Mark, Origin, is_short};

/// The origin of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Marked {
    /// Not requested.
    #[default]
    Unasked,
    /// One origin for the whole block.
    As(Mark),
    /// Several origins of its parts.
    Mixed,
}

/// The earlier version of a block.
#[derive(Clone, Copy)]
pub(super) enum Before<'a> {
    /// The same block, or one of the same kind.
    Same(&'a Block),
    /// Something else, or nothing: the whole block is new.
    Other,
}

impl Block {
    /// Determines the origins of the block and its parts.
    pub fn trace(&mut self, before: Before, at: At) {
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
                    // `Some` needs no step.
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

    /// The own name of a member of a list.
    fn own_name(&self) -> Option<&str> {
        let BlockBody::Items { items, .. } = &self.body else { return None };
        let (_, name) = items.iter().find(|(name, _)| name.as_deref() == Some("name"))?;
        match &name.body {
            BlockBody::Leaf(text) => Some(text),
            BlockBody::Items { .. } => None,
        }
    }
}

fn changed(before: Before) -> Mark {
    let before = match before {
        Before::Same(block) => Some(block.line()).filter(|text| is_short(text)),
        Before::Other => None,
    };
    Mark { origin: Origin::Changed, before }
}

/// Whether the items are the numbers of a vector or a list, or empty.
fn are_leaves(items: &[(Option<String>, Block)]) -> bool {
    items.iter().all(|(name, item)| name.is_none() && matches!(item.body, BlockBody::Leaf(_)))
}

/// The combined origin of several parts.
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

/// The earlier version of each item: the one of the same name, otherwise the one of the same index.
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
