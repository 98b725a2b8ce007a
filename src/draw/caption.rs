//! The text over the picture: title, clock, seed and values of metrics.
//!
//! Everything is placed on the screen and described in metres of the world, as all shapes are.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::metric;
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Anchor, Layer, Picture, Shape, Width};
use swarmarium_scene::scene::current::Description;

use super::placement::ScreenBox;
use super::{Overlay, View};

/// Distance of text from the edge of the screen, in logical pixels.
pub(super) const MARGIN_PX: f64 = 20.0;
/// Height of the letters of the title, and of the other text, in logical pixels.
const TITLE_PX: f64 = 20.0;
const SMALL_PX: f64 = 14.0;
/// The transparency of a veil.
const VEIL: f32 = 0.75;

/// Draws the text that a view requests; the clock shows the time of the picture.
pub(super) fn words(world: &World, view: &View, now_s: f64, picture: &mut Picture) {
    let overlays = &view.overlays;
    let title = world.resource::<Description>().scene().name.clone();
    if overlays.shows(Overlay::Title) && !title.is_empty() {
        let at_px = DVec2::new(MARGIN_PX, MARGIN_PX + TITLE_PX);
        line(view, at_px, title, TITLE_PX, Anchor::Left, picture);
    }
    let mut rows = Vec::new();
    rows.extend(overlays.shows(Overlay::Clock).then(|| clock_text(now_s)));
    rows.extend(overlays.shows(Overlay::Seed).then(|| format!("seed {}", world.arena().seed.0)));
    if overlays.shows(Overlay::Values) {
        let names = metric::columns(world).into_iter();
        rows.extend(names.zip(metric::values(world)).map(|(name, value)| format!("{name} {}", number(value))));
    }
    for (row, text) in rows.into_iter().enumerate() {
        let below_px = MARGIN_PX + SMALL_PX + row as f64 * (SMALL_PX + 8.0);
        line(view, DVec2::new(view.camera.screen_px.x - MARGIN_PX, below_px), text, SMALL_PX, Anchor::Right, picture);
    }
}

/// Draws a line of text at the lower edge of the screen, above `below` other lines. A text that is too long is cut.
pub fn banner(text: &str, below: usize, view: &View, picture: &mut Picture) {
    let screen_px = view.camera.screen_px;
    let most = ((screen_px.x - 2.0 * MARGIN_PX) / text_width_px("m", SMALL_PX)).max(1.0) as usize;
    let mut shown: String = text.chars().take(most).collect();
    if text.chars().count() > most {
        shown.pop();
        shown.push('…');
    }
    let y_px = screen_px.y - MARGIN_PX - below as f64 * (SMALL_PX + 8.0);
    line(view, DVec2::new(screen_px.x / 2.0, y_px), shown, SMALL_PX, Anchor::Middle, picture);
}

/// A line of text on a veil that keeps it readable; `at_px` is measured from the top left corner.
fn line(view: &View, at_px: DVec2, text: String, size_px: f64, anchor: Anchor, picture: &mut Picture) {
    let width_px = text_width_px(&text, size_px);
    let left_px = match anchor {
        Anchor::Left => at_px.x,
        Anchor::Middle => at_px.x - width_px / 2.0,
        Anchor::Right => at_px.x - width_px,
    };
    let low = DVec2::new(left_px - 6.0, at_px.y - size_px - 2.0);
    let high = DVec2::new(left_px + width_px + 6.0, at_px.y + 4.0);
    veil(view, Layer::Overlays, ScreenBox { low, high }, picture);
    text_at(view, at_px, text, size_px, anchor, picture);
}

/// An estimate of the width of a text, in logical pixels: letters of the font are about half as wide as high.
pub(super) fn text_width_px(text: &str, size_px: f64) -> f64 {
    text.chars().count() as f64 * size_px * 0.56
}

/// A translucent rectangle of the screen behind text and curves.
pub(super) fn veil(view: &View, layer: Layer, ScreenBox { low, high }: ScreenBox, picture: &mut Picture) {
    // From the lower left corner.
    let corners = [DVec2::new(low.x, high.y), high, DVec2::new(high.x, low.y), low];
    let corners = corners.map(|corner| view.camera.world_from_screen(corner)).to_vec();
    picture.add(layer, Role::Ground.faint(VEIL), Shape::Polygon(corners));
}

/// Text at a point of the screen.
pub(super) fn text_at(view: &View, at_px: DVec2, text: String, size_px: f64, anchor: Anchor, picture: &mut Picture) {
    let at = view.camera.world_from_screen(at_px);
    picture.add(Layer::Overlays, Role::Text, Shape::Text { at, text, size_px, anchor });
}

/// A line between points of the screen.
pub(super) fn line_at(view: &View, points_px: &[DVec2], role: Role, width_px: f64, picture: &mut Picture) {
    let points = points_px.iter().map(|point| view.camera.world_from_screen(*point)).collect();
    picture.add(Layer::Overlays, role, Shape::Line { points, closed: false, pen: Width::Pixels(width_px).into() });
}

/// The time in tenths of seconds, with minutes and hours if it is long enough.
fn clock_text(now_s: f64) -> String {
    let tenths = (now_s * 10.0 + 1e-6).floor().max(0.0) as u64;
    let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}.{} s", tenths % 10),
        (0, _) => format!("{minutes}:{seconds:02}.{}", tenths % 10),
        _ => format!("{hours}:{minutes:02}:{seconds:02}.{}", tenths % 10),
    }
}

/// A number with about four digits, whose width changes little from frame to frame.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        _ if value.is_nan() => "–".into(),
        size if size >= 1e5 || (size > 0.0 && size < 1e-3) => format!("{value:.2e}"),
        size if size >= 100.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_count_minutes_and_hours_once_there_are_any() {
        let texts = [0.0, 9.97, 59.95, 60.0, 3_723.4].map(clock_text);
        assert_eq!(texts, ["0.0 s", "9.9 s", "59.9 s", "1:00.0", "1:02:03.4"]);
        // 0.3 is not a whole number of tenths in binary.
        assert_eq!(clock_text(0.1 + 0.2), "0.3 s");
    }

    #[test]
    fn banners_stack_upwards_and_fit_the_screen() {
        let view = View::fit(&swarmarium_scene::scene::Scene::default(), DVec2::new(200.0, 100.0));
        let mut picture = Picture::default();
        banner("short", 0, &view, &mut picture);
        banner(&"long ".repeat(40), 1, &view, &mut picture);
        let texts = picture.items.iter().filter_map(|item| match &item.shape {
            Shape::Text { at, text, .. } => Some((view.camera.screen_from_world(*at), text.as_str())),
            _ => None,
        });
        let [(low, short), (high, cut)] = texts.collect::<Vec<_>>()[..] else { panic!("two texts") };
        assert_eq!(short, "short");
        assert!(cut.ends_with('…') && text_width_px(cut, SMALL_PX) <= 200.0, "{cut}");
        assert!(low.y - high.y > SMALL_PX && low.y < 100.0, "{low} {high}");
    }

    #[test]
    fn numbers_have_few_digits() {
        assert_eq!(
            [0.0, 0.12345, -12.0, 123.456, 1e-7, 2.5e6].map(number),
            ["0.000", "0.123", "-12.000", "123.5", "1.00e-7", "2.50e6"]
        );
        assert_eq!(number(f64::NAN), "–");
    }
}
