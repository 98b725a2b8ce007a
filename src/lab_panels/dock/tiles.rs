//! Conversion of a layout to tiles of egui, and back.

use std::collections::BTreeSet;

use bevy_egui::egui::{self, Vec2};
use egui_tiles::{Container, Linear, LinearDir, Tabs, Tile, TileId, Tiles, Tree};
use swarmarium_lab_state::common::layout::{Arrangement, Direction, Layout, Node, Pane, SplitPart};
use swarmarium_lab_state::shell::docked::{BETWEEN_PX, Content};

/// Converts the layout to tiles.
pub fn tree(arrangement: &Arrangement, room_px: Vec2) -> Tree<Content> {
    let mut builder = Builder { arrangement, tiles: Tiles::default(), containers: 0 };
    let root = builder.add(arrangement.shown().root(), room_px);
    Tree::new("dock", root, builder.tiles)
}

struct Builder<'a> {
    arrangement: &'a Arrangement,
    tiles: Tiles<Content>,
    /// The number of containers so far.
    containers: u64,
}

impl Builder<'_> {
    /// Adds a node with a size. Its id stays the same unless it moves, so that it can be dragged.
    fn add(&mut self, node: &Node, size_px: Vec2) -> TileId {
        match node {
            Node::World => self.insert(id_of(Content::World), Tile::Pane(Content::World)),
            Node::Tabs { panes, front } => {
                let id = self.container_id();
                let contents = panes.iter().map(|pane| Content::Panel(*pane));
                let tabs: Vec<TileId> =
                    contents.map(|content| self.insert(id_of(content), Tile::Pane(content))).collect();
                let closed = panes.iter().filter(|pane| self.arrangement.shown().closed().contains(pane));
                closed.for_each(|pane| self.tiles.set_visible(id_of(Content::Panel(*pane)), false));
                let mut tabs = Tabs::new(tabs);
                tabs.active = self.arrangement.shown().front(panes, *front).map(|pane| id_of(Content::Panel(pane)));
                self.insert(id, Tile::Container(Container::Tabs(tabs)))
            }
            Node::Split(direction, parts) => {
                let id = self.container_id();
                let axis = direction.axis();
                let seen = parts.iter().filter(|part| self.arrangement.shown().is_visible(&part.node)).count();
                let room_px = (size_px[axis] - BETWEEN_PX * seen.saturating_sub(1) as f32).max(0.0);
                let lengths_px = self.arrangement.lengths_px(*direction, parts, room_px);
                let mut linear = Linear::new(dir_of(*direction), Vec::new());
                for (part, length_px) in parts.iter().zip(lengths_px) {
                    let mut part_px = size_px;
                    part_px[axis] = length_px;
                    let child = self.add(&part.node, part_px);
                    linear.children.push(child);
                    linear.shares.set_share(child, length_px);
                }
                self.insert(id, Tile::Container(Container::Linear(linear)))
            }
        }
    }

    fn insert(&mut self, id: TileId, tile: Tile<Content>) -> TileId {
        self.tiles.insert(id, tile);
        id
    }

    fn container_id(&mut self) -> TileId {
        self.containers += 1;
        TileId::from_u64(FIRST_CONTAINER + self.containers)
    }
}

/// The first id of containers; smaller ids belong to the world and the panels.
const FIRST_CONTAINER: u64 = 1000;

/// Returns the id of the tile of a content.
pub fn id_of(content: Content) -> TileId {
    TileId::from_u64(match content {
        Content::World => 1,
        Content::Panel(pane) | Content::Line(pane) => 2 + pane as u64,
    })
}

const fn dir_of(direction: Direction) -> LinearDir {
    match direction {
        Direction::Row => LinearDir::Horizontal,
        Direction::Column => LinearDir::Vertical,
    }
}

/// Returns the panels that the mouse drags: one by its tab, or all of a place.
pub fn dragged(tree: &Tree<Content>, arrangement: &Arrangement, ctx: &egui::Context) -> Vec<Pane> {
    let reader = Reader { tiles: &tree.tiles, arrangement, dragged: Vec::new() };
    let node = tree.dragged_id(ctx).and_then(|id| reader.node(id));
    node.map(|node| node.panes()).unwrap_or_default()
}

/// Reads the layout from dragged tiles.
pub fn read(
    tree: &Tree<Content>,
    arrangement: &Arrangement,
    dragged: Vec<Pane>,
    closed: &BTreeSet<Pane>,
) -> Option<Layout> {
    let root = Reader { tiles: &tree.tiles, arrangement, dragged }.node(tree.root()?)?;
    Layout::of(root, closed.clone())
}

/// Reads a layout from tiles.
pub struct Reader<'a> {
    /// The tiles.
    pub tiles: &'a Tiles<Content>,
    /// The arrangement from which the tiles were made.
    pub arrangement: &'a Arrangement,
    /// The dragged panels.
    pub dragged: Vec<Pane>,
}

impl Reader<'_> {
    /// Reads the node of a tile; `None` for tiles without panels.
    pub fn node(&self, id: TileId) -> Option<Node> {
        match self.tiles.get(id)? {
            Tile::Pane(Content::World) => Some(Node::World),
            Tile::Pane(Content::Panel(pane)) => Some(Node::Tabs { panes: vec![*pane], front: *pane }),
            Tile::Container(Container::Tabs(tabs)) => self.tabs(tabs),
            Tile::Container(Container::Linear(linear)) => Some(self.split(linear)),
            // These tiles are never created.
            Tile::Pane(Content::Line(_)) | Tile::Container(Container::Grid(_)) => None,
        }
    }

    fn split(&self, linear: &Linear) -> Node {
        let direction = match linear.dir {
            LinearDir::Horizontal => Direction::Row,
            LinearDir::Vertical => Direction::Column,
        };
        let share_of = |child| linear.shares.iter().find(|(id, _)| **id == child).map(|(_, share)| *share);
        let part = |child: &TileId| {
            let node = self.node(*child)?;
            // A dropped part has no size yet.
            let now_px = || share_of(*child).unwrap_or(direction.usual_px());
            let size_px = self.arrangement.unfolded_px(&node).unwrap_or_else(now_px);
            Some(SplitPart { size_px, node })
        };
        Node::Split(direction, linear.children.iter().filter_map(part).collect())
    }

    /// Returns the panels in one place, with those that were dropped on them.
    ///
    /// egui splits the tab of the panel beside which another one was dropped. Instead, this splits the whole place, so
    /// that its other tabs stay with that panel.
    fn tabs(&self, tabs: &Tabs) -> Option<Node> {
        let (mut panes, mut front, mut has_world, mut around) = (Vec::new(), None, false, None);
        for child in &tabs.children {
            let inner = match self.node(*child)? {
                Node::World => {
                    has_world = true;
                    continue;
                }
                Node::Tabs { panes: inner, front: foremost } => {
                    panes.extend(inner);
                    foremost
                }
                Node::Split(direction, parts) => {
                    let stays = parts.iter().position(|part| !self.was_dragged(&part.node)).unwrap_or_default();
                    let inner = parts.get(stays)?.node.panes();
                    around = Some((direction, parts, stays));
                    panes.extend(&inner);
                    *inner.first()?
                }
            };
            if tabs.active == Some(*child) {
                front = Some(inner);
            }
        }
        let place = panes.first().map(|first| Node::Tabs { front: front.unwrap_or(*first), panes: panes.clone() });
        match (around, has_world, place) {
            (Some((direction, mut parts, stays)), _, Some(place)) => {
                parts.get_mut(stays)?.node = place;
                Some(Node::Split(direction, parts))
            }
            // The world has no tabs: a panel dropped onto it goes below.
            (_, true, place) => {
                let nodes = [Some(Node::World), place].into_iter().flatten();
                let part = |node| SplitPart { size_px: Direction::Column.usual_px(), node };
                Some(Node::Split(Direction::Column, nodes.map(part).collect()))
            }
            (_, false, place) => place,
        }
    }

    fn was_dragged(&self, node: &Node) -> bool {
        node.panes().iter().any(|pane| self.dragged.contains(pane))
    }
}
