//! Legends of colours, in the lower left corner above the scale bar, beside the arena if there is room.

use bevy::math::DVec2;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Anchor, Layer, Picture, Shape};

use super::View;
use super::caption::{MARGIN_PX, number, text_at, text_width_px, veil};
use super::placement::{Placement, ScreenBox};

/// Height of the letters, and of a line of text, in logical pixels.
const LETTERS_PX: f64 = 12.0;
const LINE_PX: f64 = 16.0;
/// Width and height of a bar, in logical pixels, and the number of its colours.
const BAR_PX: DVec2 = DVec2::new(160.0, 8.0);
const BAR_COLORS: u32 = 80;
/// Distance of the lowest legend from the lower edge, with room for the scale bar.
const ABOVE_PX: f64 = 52.0;
/// Distance between legends.
const GAP_PX: f64 = 10.0;
/// Distance from the edge of a veil to its legend.
const PAD_PX: f64 = 6.0;
/// Width of a legend if there is little room beside the arena: its title breaks into lines.
const NARROW_PX: f64 = 110.0;
/// The largest number of swatches in a list.
const MOST: usize = 12;

/// The legend of the colours of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// The quantity or property, with its unit.
    pub title: String,
    /// The colours.
    pub key: Key,
}

/// The colours of a legend and their explanation.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// A bar of colours between two values.
    Bar {
        /// The values at both ends, as text.
        ends: [String; 2],
        /// The colours, from the lower to the upper end.
        colors: Vec<Role>,
    },
    /// A word for each colour.
    Swatches(Vec<(Role, String)>),
}

impl Legend {
    /// Creates a bar between two numbers.
    pub fn bar(title: impl Into<String>, [from, to]: [f64; 2], color: fn(f64) -> Role) -> Self {
        let short = |end: f64| if end == end.round() && end.abs() < 1e6 { format!("{end}") } else { number(end) };
        let colors = (0..BAR_COLORS).map(|place| color((f64::from(place) + 0.5) / f64::from(BAR_COLORS))).collect();
        Self { title: title.into(), key: Key::Bar { ends: [short(from), short(to)], colors } }
    }

    /// The layout in a width and height, in logical pixels. Long words and names of swatches may be wider.
    fn layout(&self, room_px: DVec2) -> Layout<'_> {
        let title = broken(&self.title, room_px.x);
        let title_px = title.iter().map(|line| text_width_px(line, LETTERS_PX)).fold(0.0, f64::max);
        let below_px = LINE_PX * title.len() as f64;
        let bar_px = BAR_PX.x.min(room_px.x);
        let (listed, key_px) = match &self.key {
            Key::Bar { .. } => (0, DVec2::new(bar_px, BAR_PX.y + LINE_PX)),
            Key::Swatches(swatches) => {
                // An additional line gives the number of the others.
                let most = ((room_px.y - below_px) / LINE_PX - 1.0).clamp(1.0, MOST as f64) as usize;
                let lines = swatches.len().min(most + 1);
                let widths = swatches.iter().map(|(_, name)| LINE_PX + text_width_px(name, LETTERS_PX));
                (swatches.len().min(most), DVec2::new(widths.fold(0.0, f64::max), LINE_PX * lines as f64))
            }
        };
        let size_px = DVec2::new(key_px.x.max(title_px), below_px + key_px.y);
        Layout { legend: self, title, bar_px, listed, size_px }
    }
}

/// A text broken into lines of at most a width in logical pixels; only long words may be wider.
fn broken(text: &str, width_px: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width_px(&format!("{line} {word}"), LETTERS_PX) <= width_px => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A legend with its lines and sizes.
struct Layout<'l> {
    legend: &'l Legend,
    /// The lines of the title.
    title: Vec<String>,
    /// The width of a bar, in logical pixels.
    bar_px: f64,
    /// The number of listed swatches.
    listed: usize,
    /// Width and height, in logical pixels.
    size_px: DVec2,
}

impl Layout<'_> {
    /// Draws the legend downwards from its upper left corner.
    fn draw(&self, corner_px: DVec2, view: &View, picture: &mut Picture) {
        let behind = ScreenBox { low: corner_px, high: corner_px + self.size_px };
        veil(view, Layer::Overlays, behind.grown(PAD_PX), picture);
        let mut base_px = corner_px + DVec2::new(0.0, LETTERS_PX);
        let word = |at_px: DVec2, text: &str, anchor: Anchor, picture: &mut Picture| {
            text_at(view, at_px, text.to_owned(), LETTERS_PX, anchor, picture);
        };
        for (place, line) in self.title.iter().enumerate() {
            word(base_px + DVec2::new(0.0, LINE_PX * place as f64), line, Anchor::Left, picture);
        }
        base_px.y += LINE_PX * self.title.len() as f64;
        match &self.legend.key {
            Key::Bar { ends: [from, to], colors } => {
                // Each colour extends to the end, under the next ones: between adjacent smooth edges, the veil would
                // show through.
                for (place, color) in colors.iter().enumerate() {
                    let from_px = self.bar_px * place as f64 / colors.len() as f64;
                    let left_px = base_px + DVec2::new(from_px, 2.0 - LETTERS_PX);
                    block(view, left_px, DVec2::new(self.bar_px - from_px, BAR_PX.y), *color, picture);
                }
                base_px.y += BAR_PX.y + 2.0;
                word(base_px, from, Anchor::Left, picture);
                word(base_px + DVec2::new(self.bar_px, 0.0), to, Anchor::Right, picture);
            }
            Key::Swatches(swatches) => {
                for (role, name) in swatches.iter().take(self.listed) {
                    block(view, base_px - DVec2::new(0.0, 9.0), DVec2::splat(9.0), *role, picture);
                    word(base_px + DVec2::new(LINE_PX, 0.0), name, Anchor::Left, picture);
                    base_px.y += LINE_PX;
                }
                if swatches.len() > self.listed {
                    let more = format!("and {} more", swatches.len() - self.listed);
                    word(base_px + DVec2::new(LINE_PX, 0.0), &more, Anchor::Left, picture);
                }
            }
        }
    }
}

/// Legends on top of each other, from the lowest one up.
struct Stack<'l>(Vec<Layout<'l>>);

impl<'l> Stack<'l> {
    fn new(legends: &'l [Legend], width_px: f64, view: &View) -> Self {
        let height_px = view.camera.screen_px.y - ABOVE_PX - MARGIN_PX;
        let each_px = height_px / legends.len() as f64 - GAP_PX - 2.0 * PAD_PX;
        Self(legends.iter().map(|legend| legend.layout(DVec2::new(width_px, each_px))).collect())
    }

    /// The box of the stack with its veils in the lower left corner of the screen.
    fn in_corner(&self, view: &View) -> ScreenBox {
        let width_px = self.0.iter().map(|layout| layout.size_px.x).fold(0.0, f64::max);
        let heights_px: f64 = self.0.iter().map(|layout| layout.size_px.y).sum();
        let between_px = (GAP_PX + 2.0 * PAD_PX) * self.0.len().saturating_sub(1) as f64;
        let below_px = view.camera.screen_px.y - ABOVE_PX;
        let low = DVec2::new(MARGIN_PX, below_px - heights_px - between_px);
        ScreenBox { low, high: DVec2::new(MARGIN_PX + width_px, below_px) }.grown(PAD_PX)
    }

    fn draw(&self, placed: ScreenBox, view: &View, picture: &mut Picture) {
        let (left_px, mut below_px) = (placed.low.x + PAD_PX, placed.high.y - PAD_PX);
        for layout in &self.0 {
            let top_px = below_px - layout.size_px.y;
            layout.draw(DVec2::new(left_px, top_px), view, picture);
            below_px = top_px - GAP_PX - 2.0 * PAD_PX;
        }
    }
}

/// Draws legends on top of each other: beside the arena if there is room, otherwise inside it.
pub(super) fn draw(legends: &[Legend], view: &View, placement: &mut Placement, picture: &mut Picture) {
    if legends.is_empty() {
        return;
    }
    let reach_px = view.camera.screen_px / 2.0;
    let widest_px = view.camera.screen_px.x - 2.0 * MARGIN_PX;
    let stacks = [widest_px, NARROW_PX.min(widest_px)].map(|width_px| Stack::new(legends, width_px, view));
    let [wide, narrow] = stacks.each_ref().map(|stack| (stack, stack.in_corner(view)));
    let stays = |(stack, wanted)| Some((stack, wanted, placement.shift_off_walls(wanted, DVec2::ZERO)?));
    let beside = |(stack, wanted)| Some((stack, wanted, placement.shift_beside(wanted, reach_px)?));
    let off_walls = |(stack, wanted)| Some((stack, wanted, placement.shift_off_walls(wanted, reach_px)?));
    let (stack, wanted, shift) = stays(wide)
        .or_else(|| beside(wide))
        .or_else(|| beside(narrow))
        .or_else(|| off_walls(wide))
        .or_else(|| off_walls(narrow))
        .unwrap_or_else(|| (wide.0, wide.1, placement.shift_into_view(wide.1)));
    let placed = wanted.moved(shift);
    placement.take(placed);
    stack.draw(placed, view, picture);
}

/// A filled rectangle of the screen, from its upper left corner.
fn block(view: &View, at_px: DVec2, size_px: DVec2, role: Role, picture: &mut Picture) {
    let far_px = at_px + size_px;
    let corners = [at_px, DVec2::new(far_px.x, at_px.y), far_px, DVec2::new(at_px.x, far_px.y)];
    let corners = corners.map(|corner| view.camera.world_from_screen(corner)).to_vec();
    picture.add(Layer::Overlays, role, Shape::Polygon(corners));
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::palette::viridis;
    use swarmarium_scene::scene::Scene;
    use swarmarium_space::{Boundary, Field};

    use super::*;

    /// Draws legends over an arena of 10 by 10 metres in a view of this size; returns the placement of the arena on the
    /// screen.
    fn drawn(legends: &[Legend], screen_px: DVec2) -> (View, Placement, Picture) {
        let view = View::fit(&Scene::default(), screen_px);
        let arena = Field::new(DVec2::splat(10.0), Boundary::Walls);
        let mut picture = Picture::default();
        draw(legends, &view, &mut Placement::new(&arena, &view.camera), &mut picture);
        (view, Placement::new(&arena, &view.camera), picture)
    }

    /// The boxes of the veils on the screen.
    fn veils(view: &View, picture: &Picture) -> Vec<ScreenBox> {
        let polygons = picture.items.iter().filter(|item| item.paint.role == Role::Ground);
        let corners = polygons.filter_map(|item| match &item.shape {
            Shape::Polygon(corners) => Some(corners.iter().map(|corner| view.camera.screen_from_world(*corner))),
            _ => None,
        });
        let bounds = |corners: Vec<DVec2>| ScreenBox {
            low: corners.iter().copied().reduce(DVec2::min).unwrap(),
            high: corners.iter().copied().reduce(DVec2::max).unwrap(),
        };
        corners.map(|corners| bounds(corners.collect())).collect()
    }

    #[test]
    fn legends_are_stacked_and_have_titles() {
        let states = (0..20).map(|state| (Role::Group(state), format!("state {state}"))).collect();
        let legends = [
            Legend::bar("Density, robots/m²", [0.0, 0.5], viridis),
            Legend { title: "State".into(), key: Key::Swatches(states) },
        ];
        let (view, _, picture) = drawn(&legends, DVec2::new(1280.0, 720.0));
        let words: Vec<(&str, DVec2)> = picture
            .items
            .iter()
            .filter_map(|item| match &item.shape {
                Shape::Text { at, text, .. } => Some((text.as_str(), view.camera.screen_from_world(*at))),
                _ => None,
            })
            .collect();
        let at = |word: &str| words.iter().find(|(text, _)| *text == word).map(|(_, at)| *at).unwrap();
        assert!(at("0").x < at("0.500").x && at("Density, robots/m²").y < at("0").y);
        assert!(at("State").y < at("and 8 more").y && at("and 8 more").y < at("Density, robots/m²").y);
        assert!(words.iter().all(|(_, at)| at.cmpge(DVec2::ZERO).all() && at.cmple(view.camera.screen_px).all()));
    }

    #[test]
    fn legends_fit_beside_the_arena_or_inside_it() {
        let legend = Legend::bar("Time of robots in a cell of 0.16 m, s", [0.0, 2.0], viridis);
        let all = [(1280.0, 720.0, true), (900.0, 600.0, true), (700.0, 600.0, false), (320.0, 240.0, false)];
        for (width, height, has_room) in all {
            let screen_px = DVec2::new(width, height);
            let (view, placement, picture) = drawn(std::slice::from_ref(&legend), screen_px);
            let [veil] = veils(&view, &picture)[..] else { panic!("one veil") };
            assert!(veil.low.cmpge(DVec2::ZERO).all() && veil.high.cmple(screen_px).all(), "{screen_px}: {veil:?}");
            let found = (placement.is_beside(veil), placement.is_off_walls(veil));
            assert_eq!(found, (has_room, true), "{screen_px}: {veil:?}");
        }
    }

    #[test]
    fn long_legends_are_cut_in_a_low_view() {
        let states = (0..13).map(|state| (Role::Group(state), format!("state {state}"))).collect();
        let legend = Legend { title: "State".into(), key: Key::Swatches(states) };
        for (height, listed) in [(600.0, 12), (240.0, 7), (90.0, 1)] {
            let (view, _, picture) = drawn(std::slice::from_ref(&legend), DVec2::new(320.0, height));
            let [veil] = veils(&view, &picture)[..] else { panic!("one veil") };
            assert!(veil.low.y >= 0.0, "{veil:?}");
            let swatches = picture.items.iter().filter(|item| matches!(item.paint.role, Role::Group(_))).count();
            assert_eq!(swatches, listed, "{height}");
        }
    }
}
