//! The layout of panels: a tree of rows, columns and tabs around the world, with sizes in points.
//!
//! It does not depend on egui, so that it can be saved, repaired and tested. The world occurs exactly once, never in
//! tabs. Every panel occurs exactly once, too, and keeps its place while it is closed.

pub mod room;

pub use room::Arrangement;

use std::collections::{BTreeMap, BTreeSet};

use ron::error::SpannedError;
use serde::{Deserialize, Serialize};

/// A panel beside the world.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::EnumIter, strum::EnumCount,
)]
pub enum Pane {
    /// Shipped scenes and recent files.
    Gallery,
    /// The tree of groups, spawners, objects and metrics.
    Tree,
    /// The selected item.
    Inspector,
    /// All parameters of the scene.
    Parameters,
    /// Metrics and pinned numbers over time.
    Plots,
    /// Collisions and state changes of robots.
    Events,
    /// Changes of this run.
    Changes,
    /// Description and tasks of the scene.
    Notes,
    /// Sockets of the scene and their clients.
    Clients,
    /// Overlays, colours and camera.
    View,
    /// The setup and the results of a sweep.
    Sweep,
    /// The editor of scripts.
    Script,
    /// Texts and errors of scripts.
    Console,
    /// All messages since the window opened.
    Messages,
}

/// Texts about a panel.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The heading.
    pub title: &'static str,
    /// The content, in one sentence.
    pub hint: &'static str,
    /// The name of the button that closes it.
    pub close: &'static str,
}

impl Pane {
    /// Returns the texts about the panel.
    pub const fn about(self) -> About {
        let (title, hint, close) = match self {
            Self::Gallery => ("Gallery", "Scenes to open and recent files", "Close the gallery"),
            Self::Tree => ("World", "Tree of robots, objects and metrics, to select them", "Close the world tree"),
            Self::Inspector => ("Inspector", "Live state of the selected robot or object", "Close the inspector"),
            Self::Parameters => {
                ("Parameters", "Parameters of the scene, to change them while it runs", "Close the parameters")
            }
            Self::Plots => ("Plots", "Metrics and pinned numbers over time", "Close the plots"),
            Self::Events => ("Events", "Contacts, arrivals and state changes of robots", "Close the events"),
            Self::Changes => ("Changes", "Changes of this run, to undo or redo them", "Close the changes"),
            Self::Notes => ("Notes", "Description of the scene, its tasks and its source", "Close the notes"),
            Self::Clients => ("Clients", "Sockets of the scene and the programs that use them", "Close the clients"),
            Self::Sweep => {
                ("Sweep", "Many runs with other values and seeds, and their figure", "Close the sweep panel")
            }
            Self::Script => ("Script", "Editor of the scripts that control robots", "Close the script"),
            Self::Console => ("Console", "Texts that scripts print, and their errors", "Close the console"),
            Self::Messages => {
                ("Messages", "Notes and errors of this window, also those that have disappeared", "Close the messages")
            }
            Self::View => ("View", "Overlays, colours of robots, and camera", "Close the view panel"),
        };
        About { title, hint, close }
    }
}

/// The direction in which parts stand beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// From left to right.
    Row,
    /// From top to bottom.
    Column,
}

impl Direction {
    /// Returns the index of the dimension along which parts are laid out: 0 for width, 1 for height.
    pub const fn axis(self) -> usize {
        match self {
            Self::Row => 0,
            Self::Column => 1,
        }
    }

    /// Returns the default size of a part, in points.
    pub const fn usual_px(self) -> f32 {
        match self {
            Self::Row => 300.0,
            Self::Column => 200.0,
        }
    }
}

/// A node of the layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// The world.
    World,
    /// Panels in one place, one of them in front.
    Tabs {
        /// The panels from left to right, including closed ones.
        panes: Vec<Pane>,
        /// The panel in front, if it is open.
        front: Pane,
    },
    /// Parts beside each other.
    Split(Direction, Vec<SplitPart>),
}

/// A part of a row or a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplitPart {
    /// The width in a row or the height in a column, in points. Beside the world, parts keep it; elsewhere, parts share
    /// the room in proportion to it.
    pub size_px: f32,
    /// The content.
    pub node: Node,
}

/// The supported version of the format.
const VERSION: u32 = 1;

/// The range of sizes of a part, in points.
const SIZES_PX: std::ops::RangeInclusive<f32> = 40.0..=4000.0;

/// The layout of panels, and which of them are open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Layout {
    root: Node,
    closed: BTreeSet<Pane>,
    /// The former sizes of the parts of panels that have more room for a while, in points.
    grown: BTreeMap<Pane, f32>,
    /// The reason why the saved layout is not used; reported once.
    refused: Option<LayoutError>,
}

/// The reason why a saved layout is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum LayoutError {
    /// A syntax error.
    #[error(transparent)]
    Syntax(#[from] SpannedError),
    /// An unsupported version.
    #[error("it has version {0}, but this program supports version {known}", known = VERSION)]
    OtherVersion(u32),
    /// The world is missing.
    #[error("it has no place for the world")]
    NoWorld,
}

/// A layout in the settings file.
#[derive(Serialize, Deserialize)]
struct LayoutFile {
    version: u32,
    root: Node,
    closed: BTreeSet<Pane>,
}

impl Default for Layout {
    fn default() -> Self {
        let part = |size_px, node| SplitPart { size_px, node };
        let alone = |pane| Node::tabs(&[pane]);
        let left = vec![part(310.0, Node::tabs(&[Pane::Gallery, Pane::Notes])), part(230.0, alone(Pane::Tree))];
        let right = vec![part(220.0, Node::tabs(&[Pane::Inspector, Pane::View])), part(320.0, alone(Pane::Parameters))];
        let middle = vec![
            part(220.0, Node::Split(Direction::Column, left)),
            part(700.0, Node::World),
            part(400.0, alone(Pane::Script)),
            part(360.0, Node::Split(Direction::Column, right)),
        ];
        let bottom = Node::tabs(&[
            Pane::Plots,
            Pane::Sweep,
            Pane::Events,
            Pane::Console,
            Pane::Changes,
            Pane::Clients,
            Pane::Messages,
        ]);
        let rows = vec![part(540.0, Node::Split(Direction::Row, middle)), part(186.0, bottom)];
        let closed = [
            Pane::Sweep,
            Pane::Events,
            Pane::Console,
            Pane::Changes,
            Pane::Clients,
            Pane::View,
            Pane::Script,
            Pane::Messages,
        ];
        let closed = closed.into();
        Self { root: Node::Split(Direction::Column, rows), closed, grown: BTreeMap::new(), refused: None }
    }
}

impl From<Layout> for String {
    /// Writes a layout with the former sizes of parts that have more room for a while.
    fn from(mut layout: Layout) -> Self {
        layout.grown.clone().into_keys().for_each(|pane| layout.shrink(pane));
        let Layout { root, closed, .. } = layout;
        // Names and finite numbers can always be written.
        ron::to_string(&LayoutFile { version: VERSION, root, closed }).unwrap_or_default()
    }
}

impl From<String> for Layout {
    /// Reads a saved layout. An invalid one is replaced by the default layout, and the error is reported later.
    fn from(text: String) -> Self {
        Self::read(&text).unwrap_or_else(|reason| Self { refused: Some(reason), ..Self::default() })
    }
}

impl Layout {
    fn read(text: &str) -> Result<Self, LayoutError> {
        let LayoutFile { version, root, closed } = ron::from_str(text)?;
        if version != VERSION {
            return Err(LayoutError::OtherVersion(version));
        }
        Self::of(root, closed).ok_or(LayoutError::NoWorld)
    }

    /// Creates a layout from a tree; duplicates, empty nodes and sizes out of range are corrected.
    ///
    /// A missing panel gets its default place and state. Returns `None` if the tree has no world.
    pub fn of(root: Node, mut closed: BTreeSet<Pane>) -> Option<Self> {
        let mut root = Normalizer::default().normalized(root).filter(Node::has_world)?;
        let (known, first) = (root.panes(), Self::default());
        for pane in <Pane as strum::IntoEnumIterator>::iter().filter(|pane| !known.contains(pane)) {
            let beside = first.root.tabs_of(pane).map_or(&[][..], |(panes, _)| panes);
            root.add(pane, beside);
            closed.extend(first.closed.get(&pane));
        }
        Some(Self { root, closed, grown: BTreeMap::new(), refused: None })
    }

    /// Returns the reason why the saved layout is not used, once.
    pub fn take_refused(&mut self) -> Option<String> {
        let reason = self.refused.take()?;
        Some(format!("The saved layout of the panels is invalid; the default layout is used\n{reason}"))
    }

    /// Returns the root of the tree.
    pub const fn root(&self) -> &Node {
        &self.root
    }

    /// Returns the closed panels.
    pub const fn closed(&self) -> &BTreeSet<Pane> {
        &self.closed
    }

    /// Whether a panel is visible: it is open, and no other panel is in front of it.
    pub fn is_shown(&self, pane: Pane) -> bool {
        self.root.tabs_of(pane).and_then(|(panes, front)| self.front(panes, front)) == Some(pane)
    }

    /// Returns how many panels share the place of a panel, itself included.
    pub fn tabs_beside(&self, pane: Pane) -> usize {
        let tabs = self.root.tabs_of(pane).map_or(&[][..], |(panes, _)| panes);
        tabs.iter().filter(|pane| !self.closed.contains(pane)).count()
    }

    /// Opens a panel and brings it to the front of its place.
    pub fn show(&mut self, pane: Pane) {
        self.closed.remove(&pane);
        self.root.bring_to_front(pane);
    }

    /// Brings a panel to the front of its place, unless it is closed.
    pub fn bring_forward(&mut self, pane: Pane) {
        if !self.closed.contains(&pane) {
            self.root.bring_to_front(pane);
        }
    }

    /// Makes the place of a panel at least so high until the panel closes, if it stands above or below others.
    pub fn grow(&mut self, pane: Pane, height_px: f32) {
        let Some((part, _)) = self.root.row_of(pane) else { return };
        if part.size_px < height_px && !self.grown.contains_key(&pane) {
            self.grown.insert(pane, part.size_px);
            part.size_px = height_px;
        }
    }

    /// Gives the place of a panel a share of its column until it shrinks again. A size that the user has set stays.
    pub fn grow_to_share(&mut self, pane: Pane, share: f32) {
        let usual_px = Self::default().root.row_of(pane).map(|(part, _)| part.size_px);
        let closed = self.closed.clone();
        let Some((part, others)) = self.root.row_of(pane) else { return };
        let is_open = |part: &&mut SplitPart| part.node.panes().iter().any(|pane| !closed.contains(pane));
        let others_px: f32 = others.into_iter().filter(is_open).map(|part| part.size_px).sum();
        let height_px = others_px * share / (1.0 - share);
        if Some(part.size_px) == usual_px && part.size_px < height_px && !self.grown.contains_key(&pane) {
            self.grown.insert(pane, part.size_px);
            part.size_px = height_px;
        }
    }

    /// Gives the place of a panel its former height again.
    pub fn shrink(&mut self, pane: Pane) {
        if let Some(size_px) = self.grown.remove(&pane)
            && let Some((part, _)) = self.root.row_of(pane)
        {
            part.size_px = size_px;
        }
    }

    /// Returns this layout, which the user has made of the layout `before` by dragging, with the parts of `before` that
    /// have more room for a while and were not resized. `shown` is `before` with the sizes in the window.
    #[must_use]
    pub fn keep_grown(mut self, before: &Self, shown: &Self) -> Self {
        for (pane, former_px) in &before.grown {
            let height = |layout: &Self| layout.clone().root.row_of(*pane).map(|(part, _)| part.size_px);
            let heights = height(&self).zip(height(shown));
            if heights.is_some_and(|(now_px, shown_px)| (now_px - shown_px).abs() < 0.1)
                && let Some((part, _)) = self.root.row_of(*pane)
            {
                part.size_px = height(before).unwrap_or(part.size_px);
                self.grown.insert(*pane, *former_px);
            }
        }
        self
    }

    /// Closes a panel. It keeps its place, with the height from before the panel grew.
    pub fn close(&mut self, pane: Pane) {
        self.shrink(pane);
        self.closed.insert(pane);
    }

    /// Closes a visible panel, or shows a hidden one.
    pub fn toggle(&mut self, pane: Pane) {
        if self.is_shown(pane) { self.close(pane) } else { self.show(pane) }
    }

    /// Whether a node has a visible part.
    pub fn is_visible(&self, node: &Node) -> bool {
        node.has_world() || node.panes().iter().any(|pane| !self.closed.contains(pane))
    }

    /// Returns the panel in front of a place; `None` if all panels there are closed.
    pub fn front(&self, panes: &[Pane], front: Pane) -> Option<Pane> {
        let is_open = |pane: &Pane| !self.closed.contains(pane);
        Some(front).filter(is_open).or_else(|| panes.iter().copied().find(is_open))
    }
}

impl Node {
    /// Creates a place with these panels, the first one in front. There must be at least one.
    fn tabs(panes: &[Pane]) -> Self {
        Self::Tabs { panes: panes.to_vec(), front: panes[0] }
    }

    fn children(&self) -> impl Iterator<Item = &Self> {
        let parts = if let Self::Split(_, parts) = self { &parts[..] } else { &[] };
        parts.iter().map(|part| &part.node)
    }

    fn children_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let parts = if let Self::Split(_, parts) = self { &mut parts[..] } else { &mut [] };
        parts.iter_mut().map(|part| &mut part.node)
    }

    /// Whether the node contains the world.
    pub fn has_world(&self) -> bool {
        matches!(self, Self::World) || self.children().any(Self::has_world)
    }

    /// Returns the panels in the node, including closed ones.
    pub fn panes(&self) -> Vec<Pane> {
        match self {
            Self::Tabs { panes, .. } => panes.clone(),
            _ => self.children().flat_map(Self::panes).collect(),
        }
    }

    /// Returns the panels in the place of a panel, and the one in front.
    fn tabs_of(&self, pane: Pane) -> Option<(&[Pane], Pane)> {
        match self {
            Self::Tabs { panes, front } if panes.contains(&pane) => Some((panes, *front)),
            _ => self.children().find_map(|child| child.tabs_of(pane)),
        }
    }

    /// Returns the innermost part that contains a panel.
    fn part_with(&self, pane: Pane) -> Option<(Direction, &SplitPart)> {
        let Self::Split(direction, parts) = self else { return None };
        let part = parts.iter().find(|part| part.node.tabs_of(pane).is_some())?;
        part.node.part_with(pane).or(Some((*direction, part)))
    }

    /// Returns the part of a column that has only the place of a panel, and the other parts of that column.
    fn row_of(&mut self, pane: Pane) -> Option<(&mut SplitPart, Vec<&mut SplitPart>)> {
        let Self::Split(direction, parts) = self else { return None };
        let place = parts.iter().position(|part| part.node.tabs_of(pane).is_some())?;
        if !matches!(parts[place].node, Self::Tabs { .. }) {
            return parts[place].node.row_of(pane);
        }
        if *direction != Direction::Column {
            return None;
        }
        let (before, rest) = parts.split_at_mut(place);
        let (part, after) = rest.split_first_mut()?;
        Some((part, before.iter_mut().chain(after).collect()))
    }

    fn bring_to_front(&mut self, pane: Pane) {
        match self {
            Self::Tabs { panes, front } if panes.contains(&pane) => *front = pane,
            _ => self.children_mut().for_each(|child| child.bring_to_front(pane)),
        }
    }

    /// Adds a missing panel beside one of some others; if none of them has a place, into the last tabs or, without any
    /// tabs, below everything.
    fn add(&mut self, pane: Pane, beside: &[Pane]) {
        let place = match self.panes().iter().any(|known| beside.contains(known)) {
            true => self.tabs_with(beside),
            false => self.last_tabs(),
        };
        if let Some(panes) = place {
            return panes.push(pane);
        }
        let whole = std::mem::replace(self, Self::World);
        let part = |node| SplitPart { size_px: Direction::Column.usual_px(), node };
        *self = Self::Split(Direction::Column, vec![part(whole), part(Self::tabs(&[pane]))]);
    }

    fn tabs_with(&mut self, any_of: &[Pane]) -> Option<&mut Vec<Pane>> {
        match self {
            Self::Tabs { panes, .. } => panes.iter().any(|pane| any_of.contains(pane)).then_some(panes),
            _ => self.children_mut().find_map(|child| child.tabs_with(any_of)),
        }
    }

    fn last_tabs(&mut self) -> Option<&mut Vec<Pane>> {
        match self {
            Self::Tabs { panes, .. } => Some(panes),
            _ => self.children_mut().filter_map(Self::last_tabs).last(),
        }
    }
}

/// Normalizes a tree, and remembers the panels that it has met.
#[derive(Default)]
struct Normalizer {
    world: bool,
    panes: BTreeSet<Pane>,
}

impl Normalizer {
    /// Returns the node without duplicates and nested rows; `None` if nothing is left.
    fn normalized(&mut self, node: Node) -> Option<Node> {
        match node {
            Node::World => (!std::mem::replace(&mut self.world, true)).then_some(Node::World),
            Node::Tabs { mut panes, front } => {
                panes.retain(|pane| self.panes.insert(*pane));
                let first = *panes.first()?;
                Some(Node::Tabs { front: if panes.contains(&front) { front } else { first }, panes })
            }
            Node::Split(direction, parts) => {
                let mut normalized: Vec<SplitPart> =
                    parts.into_iter().flat_map(|part| self.mended_part(direction, part)).collect();
                match normalized.len() {
                    0 | 1 => normalized.pop().map(|part| part.node),
                    _ => Some(Node::Split(direction, normalized)),
                }
            }
        }
    }

    /// Returns the normalized part, or several parts if it is a row in a row.
    fn mended_part(&mut self, direction: Direction, part: SplitPart) -> Vec<SplitPart> {
        let size_px = within_reason(direction, part.size_px);
        match self.normalized(part.node) {
            None => Vec::new(),
            Some(Node::Split(inner, mut parts)) if inner == direction => {
                let all_px: f32 = parts.iter().map(|part| part.size_px).sum();
                // Parts beside the world keep their sizes; others share the size of the nested row.
                if !parts.iter().any(|part| part.node.has_world()) {
                    parts.iter_mut().for_each(|part| part.size_px *= size_px / all_px);
                }
                parts
            }
            Some(node) => vec![SplitPart { size_px, node }],
        }
    }
}

fn within_reason(direction: Direction, size_px: f32) -> f32 {
    match size_px.is_finite() {
        true => size_px.clamp(*SIZES_PX.start(), *SIZES_PX.end()),
        false => direction.usual_px(),
    }
}

impl Layout {
    /// Returns the size of the part with a panel beside the world, in points: width in a row, height in a column.
    pub fn size_px(&self, pane: Pane) -> Option<f32> {
        self.clone().root.part_of(pane).map(|part| part.size_px)
    }

    /// Sets the size of the part with a panel beside the world, in points.
    pub fn resize(&mut self, pane: Pane, size_px: f32) {
        if let Some(part) = self.root.part_of(pane) {
            part.size_px = size_px;
        }
    }
}

impl Node {
    /// Returns the part with a panel beside the world; `None` for a closed panel.
    fn part_of(&mut self, pane: Pane) -> Option<&mut SplitPart> {
        let Self::Split(_, parts) = self else { return None };
        let part = parts.iter_mut().find(|part| part.node.panes().contains(&pane))?;
        if part.node.has_world() { part.node.part_of(pane) } else { Some(part) }
    }
}

#[cfg(test)]
mod tests {
    use strum::{EnumCount as _, IntoEnumIterator as _};

    use super::*;

    fn part(size_px: f32, node: Node) -> SplitPart {
        SplitPart { size_px, node }
    }

    fn kept(layout: &Layout) -> String {
        layout.clone().into()
    }

    #[test]
    fn the_default_layout_has_every_panel_once_and_is_valid() {
        let layout = Layout::default();
        let mut panes = layout.root.panes();
        panes.sort_unstable();
        assert_eq!(panes, Pane::iter().collect::<Vec<_>>());
        assert_eq!(Layout::of(layout.root.clone(), layout.closed.clone()), Some(layout));
    }

    #[test]
    fn a_saved_layout_round_trips() {
        let mut layout = Layout::default();
        layout.show(Pane::Events);
        layout.close(Pane::Gallery);
        layout.resize(Pane::Inspector, 412.5);
        assert_eq!(Layout::from(kept(&layout)), layout);
    }

    #[test]
    fn a_panel_that_grew_has_its_former_height_when_it_closes_and_after_a_restart() {
        let mut layout = Layout::default();
        layout.show(Pane::Sweep);
        let before = layout.clone();
        layout.grow(Pane::Sweep, 330.0);
        assert_eq!(layout.size_px(Pane::Sweep), Some(330.0));
        layout.grow(Pane::Sweep, 330.0);
        assert_eq!(kept(&layout), kept(&before), "it is saved with its former height");
        // Another divider was dragged.
        let mut dragged = Layout::of(layout.root.clone(), layout.closed.clone()).unwrap();
        dragged.resize(Pane::Gallery, 300.0);
        let mut dragged = dragged.keep_grown(&layout, &layout);
        dragged.close(Pane::Sweep);
        assert_eq!(dragged.size_px(Pane::Sweep), Some(186.0));
        assert_eq!(dragged.size_px(Pane::Gallery), Some(300.0));
        // The user has chosen a height.
        let mut chosen = Layout::of(layout.root.clone(), layout.closed.clone()).unwrap();
        chosen.resize(Pane::Sweep, 250.0);
        let mut chosen = chosen.keep_grown(&layout, &layout);
        chosen.close(Pane::Sweep);
        assert_eq!(chosen.size_px(Pane::Sweep), Some(250.0));
        layout.close(Pane::Sweep);
        assert_eq!(layout.size_px(Pane::Sweep), Some(186.0));
    }

    #[test]
    fn a_share_of_a_column_is_for_panels_of_usual_height() {
        let height = |layout: &Layout| layout.clone().root.row_of(Pane::Inspector).map(|(part, _)| part.size_px);
        let mut layout = Layout::default();
        layout.grow_to_share(Pane::Inspector, 0.6);
        assert!((height(&layout).unwrap() - 480.0).abs() < 0.1, "of 320 below it");
        layout.shrink(Pane::Inspector);
        assert_eq!(layout, Layout::default());
        layout.root.row_of(Pane::Inspector).unwrap().0.size_px = 150.0;
        layout.grow_to_share(Pane::Inspector, 0.6);
        assert_eq!(height(&layout), Some(150.0));
    }

    #[test]
    fn a_panel_that_is_closed_keeps_its_place() {
        let before = Layout::default();
        for pane in Pane::iter().filter(|pane| before.is_shown(*pane)) {
            let mut layout = before.clone();
            layout.toggle(pane);
            assert!(!layout.is_shown(pane), "{pane:?}");
            layout.toggle(pane);
            assert_eq!(layout, before, "{pane:?}");
        }
    }

    #[test]
    fn a_panel_that_is_shown_comes_to_the_front() {
        let mut layout = Layout::default();
        layout.toggle(Pane::Events);
        assert!(layout.is_shown(Pane::Events) && !layout.is_shown(Pane::Plots));
        assert_eq!(layout.tabs_beside(Pane::Plots), 2);
        // It is open behind the other one, so toggling brings it to the front.
        layout.toggle(Pane::Plots);
        assert!(layout.is_shown(Pane::Plots) && !layout.is_shown(Pane::Events));
        layout.close(Pane::Plots);
        assert!(layout.is_shown(Pane::Events), "the next one takes its place");
    }

    #[test]
    fn damaged_layouts_fall_back_to_the_default_with_one_message() {
        let good = kept(&Layout::default());
        let damaged = [
            String::new(),
            "(".into(),
            "(version:1)".into(),
            good.replace("version:1", "version:2"),
            good.replace("World", "Moon"),
            good.replace("World", "Tabs(panes:[],front:Plots)"),
            good[..good.len() / 2].into(),
            "(version:1,root:Split(Row,[]),closed:[])".into(),
        ];
        for text in damaged {
            let mut layout = Layout::from(text.clone());
            assert!(layout.take_refused().is_some(), "{text}");
            assert_eq!(layout, Layout::default(), "{text}");
            assert!(layout.take_refused().is_none());
        }
    }

    #[test]
    fn odd_layouts_are_repaired() {
        let gallery = || Node::tabs(&[Pane::Gallery]);
        let root = Node::Split(
            Direction::Row,
            vec![
                part(f32::NAN, gallery()),
                part(-5.0, Node::Tabs { panes: vec![Pane::Tree, Pane::Gallery, Pane::Tree], front: Pane::Plots }),
                part(1e9, Node::Split(Direction::Column, vec![part(10.0, gallery()), part(10.0, Node::World)])),
                part(100.0, Node::World),
            ],
        );
        let layout = Layout::of(root, BTreeSet::new()).unwrap();
        let Node::Split(Direction::Row, parts) = layout.root() else { panic!("{layout:?}") };
        assert_eq!(parts.iter().map(|part| part.size_px).collect::<Vec<_>>(), [300.0, 40.0, 4000.0]);
        assert_eq!(parts[2].node, Node::World);
        assert_eq!(layout.root.panes().len(), Pane::COUNT, "panels without a place are added");
        assert!(layout.is_shown(Pane::Tree));
    }

    #[test]
    fn a_panel_missing_in_an_older_layout_has_its_default_position() {
        let older = kept(&Layout::default()).replace(",View]", "]").replace(",View,", ",");
        assert!(!older.contains("View"), "{older}");
        let layout = Layout::from(older);
        assert_eq!(layout.refused, None);
        assert_eq!(layout.root, Layout::default().root);
        assert!(!layout.is_shown(Pane::View) && layout.is_shown(Pane::Inspector));
    }

    #[test]
    fn nested_rows_of_a_layout_are_merged() {
        let row = |parts| Node::Split(Direction::Row, parts);
        let inner = row(vec![part(100.0, Node::tabs(&[Pane::Gallery])), part(300.0, Node::tabs(&[Pane::Tree]))]);
        let layout = Layout::of(row(vec![part(200.0, inner), part(500.0, Node::World)]), BTreeSet::new()).unwrap();
        let Node::Split(_, parts) = layout.root() else { panic!("{layout:?}") };
        assert_eq!(parts.iter().map(|part| part.size_px).collect::<Vec<_>>(), [50.0, 150.0, 500.0]);
    }

    #[test]
    fn a_layout_of_the_world_only_gets_panels_below_it() {
        let layout = Layout::of(Node::World, BTreeSet::new()).unwrap();
        assert_eq!(layout.root.panes().len(), Pane::COUNT);
        assert!(layout.root.has_world());
    }
}
