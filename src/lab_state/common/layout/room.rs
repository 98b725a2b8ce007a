//! Arrangement of panels in the available room: their sizes, and the panels that are hidden in a small window.

use std::collections::BTreeSet;

use strum::IntoEnumIterator as _;

use crate::common::layout::{Direction, Layout, Node, Pane, SplitPart};

/// The smallest width and height of the world, in points, unless that is more than half of the room.
const LEAST_WORLD_PX: [f32; 2] = [280.0, 200.0];

/// Panels shrink until the world has this width and height, in points.
const USUAL_WORLD_PX: [f32; 2] = [400.0, 260.0];

/// The panels that are hidden last in a small window, the most important one first. All others are hidden before them.
const IMPORTANT: [Pane; 7] =
    [Pane::Parameters, Pane::Script, Pane::Plots, Pane::Sweep, Pane::Gallery, Pane::Inspector, Pane::Tree];

impl Pane {
    /// Returns the smallest useful width and height with the heading, in points.
    pub const fn least_px(self) -> [f32; 2] {
        match self {
            // Their tabs stand side by side.
            Self::Gallery | Self::Notes => [190.0, 140.0],
            Self::Tree => [160.0, 100.0],
            Self::Inspector => [324.0, 100.0],
            Self::Parameters => [300.0, 120.0],
            Self::Plots => [280.0, 135.0],
            Self::Sweep => [300.0, 160.0],
            Self::Script => [280.0, 160.0],
            Self::Events | Self::Console | Self::Changes | Self::Clients | Self::View | Self::Messages => {
                [200.0, 100.0]
            }
        }
    }
}

/// A layout in a room: panels that do not fit are hidden, and panels without content are folded to a line.
#[derive(Clone, Debug)]
pub struct Arrangement {
    /// The layout with hidden panels closed.
    shown: Layout,
    hidden: BTreeSet<Pane>,
    folded: BTreeSet<Pane>,
    /// Height of a folded panel, in points.
    line_px: f32,
    /// Gap between two parts, in points.
    between_px: f32,
}

impl Arrangement {
    /// Creates an arrangement without hidden panels. Line height and gap between parts are in points.
    ///
    /// Of the panels to fold, only those with their own place in a column are folded.
    pub fn new(layout: &Layout, folded: &BTreeSet<Pane>, line_px: f32, between_px: f32) -> Self {
        let is_alone = |pane: &Pane| {
            let direction = layout.root.part_with(*pane).map(|(direction, _)| direction);
            layout.is_shown(*pane) && layout.tabs_beside(*pane) == 1 && direction == Some(Direction::Column)
        };
        let folded = folded.iter().copied().filter(is_alone).collect();
        Self { shown: layout.clone(), hidden: BTreeSet::new(), folded, line_px, between_px }
    }

    /// Hides panels until all others and the world have at least their smallest sizes in a room, in points.
    ///
    /// The called panel stays visible.
    #[must_use]
    pub fn fitted(mut self, room_px: [f32; 2], called: Option<Pane>) -> Self {
        let rest = Pane::iter().filter(|pane| !IMPORTANT.contains(pane));
        let open: Vec<Pane> =
            called.into_iter().chain(IMPORTANT).chain(rest).filter(|pane| self.is_open(*pane)).collect();
        self.hidden = open.iter().copied().collect();
        self.shown.closed.extend(&self.hidden);
        for pane in open {
            self.shown.closed.remove(&pane);
            if called == Some(pane) || self.fits(room_px) {
                self.hidden.remove(&pane);
            } else {
                self.shown.closed.insert(pane);
            }
        }
        self
    }

    fn is_open(&self, pane: Pane) -> bool {
        !self.shown.closed.contains(&pane)
    }

    fn fits(&self, room_px: [f32; 2]) -> bool {
        [Direction::Row, Direction::Column]
            .iter()
            .all(|direction| self.least_px(*direction, &self.shown.root) <= room_px[direction.axis()])
    }

    /// Returns the layout with hidden panels closed.
    pub const fn shown(&self) -> &Layout {
        &self.shown
    }

    /// Returns the panels that do not fit.
    pub const fn hidden(&self) -> &BTreeSet<Pane> {
        &self.hidden
    }

    /// Whether a panel is folded to a line.
    pub fn is_folded(&self, pane: Pane) -> bool {
        self.folded.contains(&pane)
    }

    /// Returns the unfolded size of a folded panel, in points.
    pub fn unfolded_px(&self, node: &Node) -> Option<f32> {
        let pane = self.folded_in(node)?;
        self.shown.root.part_with(pane).map(|(_, part)| part.size_px)
    }

    /// Returns the folded panel that is the only visible one of a node.
    fn folded_in(&self, node: &Node) -> Option<Pane> {
        let Node::Tabs { panes, front } = node else { return None };
        self.shown.front(panes, *front).filter(|pane| self.is_folded(*pane))
    }

    /// Returns the sizes of the parts of a row or a column in a room without gaps, in points.
    ///
    /// Parts beside the world keep their sizes as long as the world has its usual size, and then shrink to their
    /// smallest. Without the world, all parts share the room. Hidden parts keep their sizes and take no room.
    pub fn lengths_px(&self, direction: Direction, parts: &[SplitPart], room_px: f32) -> Vec<f32> {
        let axis = direction.axis();
        let is_seen = |part: &SplitPart| self.shown.is_visible(&part.node);
        let is_line = |part: &SplitPart| direction == Direction::Column && self.folded_in(&part.node).is_some();
        let is_flexible = |part: &SplitPart| is_seen(part) && !part.node.has_world() && !is_line(part);
        let least = |part: &SplitPart| self.least_px(direction, &part.node);
        let wanted = |part: &SplitPart| part.size_px.max(least(part));
        let sum = |of: &dyn Fn(&SplitPart) -> f32| parts.iter().filter(|part| is_flexible(part)).map(of).sum::<f32>();
        let (least_px, wanted_px) = (sum(&least), sum(&wanted));
        let lines_px = parts.iter().filter(|part| is_seen(part) && is_line(part)).map(|_| self.line_px).sum::<f32>();
        let has_world = parts.iter().any(|part| part.node.has_world());
        let free_px = room_px - lines_px;
        let given_px = match has_world {
            true if wanted_px <= free_px - USUAL_WORLD_PX[axis] => wanted_px,
            true => (free_px - USUAL_WORLD_PX[axis])
                .max(least_px)
                .min(free_px - LEAST_WORLD_PX[axis].min(free_px / 2.0))
                .max(0.0),
            false => free_px.max(0.0),
        };
        let flexible = |part: &SplitPart| match given_px {
            _ if given_px >= wanted_px => wanted(part) * given_px / wanted_px.max(1.0),
            _ if given_px > least_px => {
                least(part) + (wanted(part) - least(part)) * (given_px - least_px) / (wanted_px - least_px)
            }
            _ => least(part) * given_px / least_px.max(1.0),
        };
        let length = |part: &SplitPart| match part {
            _ if !is_seen(part) => part.size_px,
            _ if part.node.has_world() => free_px - given_px,
            _ if is_line(part) => self.line_px,
            _ => flexible(part),
        };
        parts.iter().map(length).collect()
    }

    /// Returns the smallest size of a node, in points.
    fn least_px(&self, direction: Direction, node: &Node) -> f32 {
        let axis = direction.axis();
        let least = |pane: &Pane| match direction {
            Direction::Column if self.is_folded(*pane) => self.line_px,
            _ => pane.least_px()[axis],
        };
        match node {
            Node::World => LEAST_WORLD_PX[axis],
            Node::Tabs { panes, .. } => panes.iter().filter(|pane| self.is_open(**pane)).map(least).fold(0.0, f32::max),
            Node::Split(along, parts) => {
                let seen = parts.iter().filter(|part| self.shown.is_visible(&part.node));
                let all: Vec<f32> = seen.map(|part| self.least_px(direction, &part.node)).collect();
                match *along == direction {
                    true => all.iter().sum::<f32>() + self.between_px * all.len().saturating_sub(1) as f32,
                    false => all.into_iter().fold(0.0, f32::max),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE_PX: f32 = 26.0;

    fn arrangement(layout: &Layout, folded: &[Pane]) -> Arrangement {
        Arrangement::new(layout, &folded.iter().copied().collect(), LINE_PX, 1.0)
    }

    fn part(size_px: f32, pane: Pane) -> SplitPart {
        SplitPart { size_px, node: Node::tabs(&[pane]) }
    }

    /// Returns the rows of the default layout, and the parts of the upper row.
    fn rows(layout: &Layout) -> (&[SplitPart], &[SplitPart]) {
        let Node::Split(Direction::Column, rows) = layout.root() else { panic!("{layout:?}") };
        let Node::Split(Direction::Row, parts) = &rows[0].node else { panic!("{layout:?}") };
        (rows, parts)
    }

    #[test]
    fn panels_beside_the_world_keep_their_width_and_the_world_its_least() {
        let layout = Layout::default();
        let all = arrangement(&layout, &[]);
        let widths = |room_px| {
            let mut widths = all.lengths_px(Direction::Row, rows(&layout).1, room_px);
            // The panel Script is closed.
            widths.remove(2);
            widths
        };
        assert_eq!(widths(1280.0), [220.0, 700.0, 360.0]);
        assert!(widths(1280.0)[1] >= 640.0, "the world has half of a usual window");
        assert_eq!(widths(2560.0), [220.0, 1980.0, 360.0]);
        assert_eq!(widths(1024.0), [220.0, 444.0, 360.0]);
        assert_eq!(widths(914.0), [190.0, 400.0, 324.0], "panels become narrower first");
        assert_eq!(widths(820.0), [190.0, 306.0, 324.0], "to their least");
        for room_px in [0.0, 1.0, 100.0, 300.0, 500.0, 700.0, 900.0] {
            let widths = widths(room_px);
            assert!((widths.iter().sum::<f32>() - room_px).abs() < 0.01, "{room_px}: {widths:?}");
            assert!(widths[1] >= LEAST_WORLD_PX[0].min(room_px / 2.0) - 0.01, "{room_px}: {widths:?}");
        }
    }

    #[test]
    fn panels_without_the_world_share_the_room() {
        let mut layout = Layout::default();
        let parts = [part(300.0, Pane::Gallery), part(100.0, Pane::Tree)];
        let lengths =
            |layout: &Layout, room_px| arrangement(layout, &[]).lengths_px(Direction::Column, &parts, room_px);
        assert_eq!(lengths(&layout, 800.0), [600.0, 200.0]);
        assert_eq!(lengths(&layout, 320.0), [220.0, 100.0], "none gets less than its least");
        layout.close(Pane::Gallery);
        assert_eq!(lengths(&layout, 800.0), [300.0, 800.0], "a closed one takes no room");
    }

    #[test]
    fn a_folded_panel_is_a_line_and_its_size_is_kept() {
        let layout = Layout::default();
        let folded = arrangement(&layout, &[Pane::Plots]);
        let (all, _) = rows(&layout);
        assert_eq!(folded.lengths_px(Direction::Column, all, 730.0), [704.0, LINE_PX]);
        assert_eq!(folded.unfolded_px(&all[1].node), Some(186.0));
        let mut tabs = layout.clone();
        tabs.show(Pane::Events);
        tabs.show(Pane::Plots);
        assert!(!arrangement(&tabs, &[Pane::Plots]).is_folded(Pane::Plots), "another panel needs the place");
        let parts = [part(300.0, Pane::Gallery), part(100.0, Pane::Plots)];
        assert_eq!(folded.lengths_px(Direction::Column, &parts, 500.0), [474.0, LINE_PX]);
    }

    #[test]
    fn a_small_window_hides_the_least_important_panels_first() {
        let layout = Layout::default();
        let hidden = |room_px, called| arrangement(&layout, &[]).fitted(room_px, called).hidden().clone();
        assert_eq!(hidden([1280.0, 730.0], None), [].into());
        assert_eq!(hidden([819.0, 442.0], None), [].into());
        assert_eq!(hidden([683.0, 357.0], None), [Pane::Gallery, Pane::Tree, Pane::Notes].into());
        let most = [Pane::Tree, Pane::Inspector, Pane::Parameters, Pane::Plots];
        assert_eq!(hidden([512.0, 226.0], None), most.into());
        let called = hidden([512.0, 226.0], Some(Pane::Inspector));
        assert_eq!(called, [Pane::Gallery, Pane::Tree, Pane::Notes, Pane::Parameters, Pane::Plots].into());
        assert!(!hidden([100.0, 100.0], Some(Pane::Events)).contains(&Pane::Events), "closed ones are not hidden");
    }
}
