//! Legends: what colours mean, in the lower left corner over the scale bar.

use bevy::math::DVec2;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Anchor, Layer, Picture, Shape};

use super::View;
use super::caption::{MARGIN_PX, number, text_at, veil};

/// Height of the letters, and of a line of them, in logical pixels.
const LETTERS_PX: f64 = 12.0;
const LINE_PX: f64 = 16.0;
/// Width and height of a bar, in logical pixels, and the number of its colours.
const BAR_PX: DVec2 = DVec2::new(160.0, 8.0);
const BAR_COLORS: u32 = 80;
/// Distance of the lowest legend from the lower edge: the scale bar is below it.
const ABOVE_PX: f64 = 52.0;
/// Distance from legend to legend.
const GAP_PX: f64 = 10.0;
/// The most swatches that are listed.
const MOST: usize = 12;

/// What colours mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What is told, with its unit.
    pub title: String,
    /// How.
    pub key: Key,
}

/// What explains the colours.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// The colours of a bar, and what its ends mean.
    Bar {
        /// The values at both ends, as text.
        ends: [String; 2],
        /// The colours, from the lower end to the upper.
        colors: Vec<Role>,
    },
    /// A word for each colour.
    Swatches(Vec<(Role, String)>),
}

impl Legend {
    /// A bar between two numbers.
    pub fn bar(title: impl Into<String>, [from, to]: [f64; 2], color: fn(f64) -> Role) -> Self {
        let short = |end: f64| if end == end.round() && end.abs() < 1e6 { format!("{end}") } else { number(end) };
        let colors = (0..BAR_COLORS).map(|place| color((f64::from(place) + 0.5) / f64::from(BAR_COLORS))).collect();
        Self { title: title.into(), key: Key::Bar { ends: [short(from), short(to)], colors } }
    }

    /// How high it is, in logical pixels.
    fn height_px(&self) -> f64 {
        let key = match &self.key {
            Key::Bar { .. } => BAR_PX.y + LINE_PX,
            Key::Swatches(swatches) => LINE_PX * swatches.len().min(MOST + 1) as f64,
        };
        LINE_PX + key
    }

    /// How wide it is, more or less, in logical pixels.
    fn width_px(&self) -> f64 {
        let letters = |text: &str| text.chars().count() as f64 * LETTERS_PX * 0.56;
        let key = match &self.key {
            Key::Bar { .. } => BAR_PX.x,
            Key::Swatches(swatches) => swatches.iter().map(|(_, name)| LINE_PX + letters(name)).fold(0.0, f64::max),
        };
        key.max(letters(&self.title))
    }

    /// Draws it from its upper left corner down.
    fn draw(&self, corner_px: DVec2, view: &View, picture: &mut Picture) {
        let pad = DVec2::splat(6.0);
        let far_px = corner_px + DVec2::new(self.width_px(), self.height_px());
        veil(view, [corner_px - pad, far_px + pad], picture);
        let mut base_px = corner_px + DVec2::new(0.0, LETTERS_PX);
        let word = |at_px: DVec2, text: &str, anchor: Anchor, picture: &mut Picture| {
            text_at(view, at_px, text.to_owned(), LETTERS_PX, anchor, picture);
        };
        word(base_px, &self.title, Anchor::Left, picture);
        match &self.key {
            Key::Bar { ends: [from, to], colors } => {
                let step_px = BAR_PX.x / colors.len() as f64;
                for (place, color) in colors.iter().enumerate() {
                    let left_px = corner_px + DVec2::new(step_px * place as f64, LINE_PX + 2.0);
                    block(view, left_px, DVec2::new(step_px, BAR_PX.y), *color, picture);
                }
                base_px.y += LINE_PX + BAR_PX.y + 2.0;
                word(base_px, from, Anchor::Left, picture);
                word(base_px + DVec2::new(BAR_PX.x, 0.0), to, Anchor::Right, picture);
            }
            Key::Swatches(swatches) => {
                for (role, name) in swatches.iter().take(MOST) {
                    base_px.y += LINE_PX;
                    block(view, base_px - DVec2::new(0.0, 9.0), DVec2::splat(9.0), *role, picture);
                    word(base_px + DVec2::new(LINE_PX, 0.0), name, Anchor::Left, picture);
                }
                if swatches.len() > MOST {
                    let more = format!("and {} more", swatches.len() - MOST);
                    word(base_px + DVec2::new(LINE_PX, LINE_PX), &more, Anchor::Left, picture);
                }
            }
        }
    }
}

/// Draws legends one over the other.
pub(super) fn draw(legends: &[Legend], view: &View, picture: &mut Picture) {
    let mut low_px = view.camera.screen_px.y - ABOVE_PX;
    for legend in legends {
        let top_px = low_px - legend.height_px();
        legend.draw(DVec2::new(MARGIN_PX, top_px), view, picture);
        low_px = top_px - GAP_PX - 12.0;
    }
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

    use super::*;
    use crate::scene::Scene;

    #[test]
    fn legends_stand_over_each_other_and_say_what_they_are_about() {
        let view = View::fit(&Scene::default(), DVec2::new(1280.0, 720.0));
        let states = (0..20).map(|state| (Role::Group(state), format!("state {state}"))).collect();
        let legends = [
            Legend::bar("Density, robots/m²", [0.0, 0.5], viridis),
            Legend { title: "State".into(), key: Key::Swatches(states) },
        ];
        let mut picture = Picture::default();
        draw(&legends, &view, &mut picture);
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
}
