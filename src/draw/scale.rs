//! The scale of a picture: the grid with axis labels, and the scale bar.

use bevy::math::DVec2;
use swarmarium_picture::camera::Camera;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Anchor, Layer, Picture, Shape, Width};

use super::caption::{MARGIN_PX, text_width_px, veil};
use super::placement::{Placement, ScreenBox};
use super::{Overlay, View};

/// The distance of grid lines in metres: a round number, about 80 pixels.
pub fn grid_m(camera: &Camera) -> f64 {
    round_length_m(80.0 / camera.pixels_per_m)
}

/// Draws grid lines at round numbers of metres, and their labels.
pub(super) fn grid(view: &View, placement: &mut Placement, picture: &mut Picture) {
    let spacing = grid_m(&view.camera);
    let [low, high] = view.camera.visible_m();
    let lines = |low: f64, high: f64| {
        let (first, last) = ((low / spacing).ceil() as i64, (high / spacing).floor() as i64);
        (first..=last).map(move |line| line as f64 * spacing)
    };
    if view.overlays.shows(Overlay::GridLabels) && view.camera.turn_rad == 0.0 {
        let labels = |low: f64, high: f64| lines(low, high).map(|at_m| GridLabel::new(at_m, spacing)).collect();
        let across = labels_across(labels(low.x, high.x), view, placement, picture);
        labels_along(labels(low.y, high.y), &across, view, placement, picture);
    }
    if !view.overlays.shows(Overlay::Grid) {
        return;
    }
    for x in lines(low.x, high.x) {
        picture.segment(Layer::Field, Role::Grid, [DVec2::new(x, low.y), DVec2::new(x, high.y)], Width::Pixels(1.0));
    }
    for y in lines(low.y, high.y) {
        picture.segment(Layer::Field, Role::Grid, [DVec2::new(low.x, y), DVec2::new(high.x, y)], Width::Pixels(1.0));
    }
}

/// Height of the axis labels, in logical pixels.
const GRID_LABEL_PX: f64 = 11.0;
/// The largest shift of an axis label off a wall, in logical pixels: it has to stay at its line.
const GRID_LABEL_REACH_PX: DVec2 = DVec2::new(72.0, 24.0);

/// The label of a grid line.
struct GridLabel {
    at_m: f64,
    text: String,
    width_px: f64,
}

impl GridLabel {
    fn new(at_m: f64, spacing_m: f64) -> Self {
        let (mut digits, mut unit) = (0, spacing_m);
        while digits < 9 && unit < 0.999 {
            (digits, unit) = (digits + 1, unit * 10.0);
        }
        // Avoids −0.
        let text = format!("{:.digits$} m", at_m + 0.0);
        Self { at_m, width_px: text_width_px(&text, GRID_LABEL_PX), text }
    }

    /// The box of a text with its anchor at a point of the screen, `width_px` wide.
    fn boxed(at_px: DVec2, anchor: Anchor, width_px: f64) -> ScreenBox {
        let left_px = if anchor == Anchor::Middle { at_px.x - width_px / 2.0 } else { at_px.x };
        let low = DVec2::new(left_px - 1.0, at_px.y - GRID_LABEL_PX);
        ScreenBox { low, high: DVec2::new(left_px + width_px + 1.0, at_px.y + 2.0) }
    }

    /// Draws the label at a point of the screen, on a veil if it is over the arena.
    fn draw(self, (at_px, anchor): (DVec2, Anchor), view: &View, placement: &Placement, picture: &mut Picture) {
        let behind = Self::boxed(at_px, anchor, self.width_px);
        if !placement.is_beside(behind) {
            veil(view, Layer::Labels, behind, picture);
        }
        let at = view.camera.world_from_screen(at_px);
        let text = Shape::Text { at, text: self.text, size_px: GRID_LABEL_PX, anchor };
        picture.add(Layer::Labels, Role::Dim, text);
    }
}

/// The shift of an axis label to a position off the walls.
fn grid_label_shift(wanted: ScreenBox, placement: &Placement) -> DVec2 {
    match placement.is_off_walls(wanted) {
        true => DVec2::ZERO,
        false => placement.shift_off_walls(wanted, GRID_LABEL_REACH_PX).unwrap_or_default(),
    }
}

/// The labels of the x axis, at the lower edge of the screen, with their boxes.
fn labels_across(
    labels: Vec<GridLabel>,
    view: &View,
    placement: &mut Placement,
    picture: &mut Picture,
) -> Vec<ScreenBox> {
    let camera = &view.camera;
    let mut drawn = Vec::new();
    for label in labels {
        let on_line = camera.screen_from_world(DVec2::X * label.at_m);
        let at_px = DVec2::new(on_line.x, camera.screen_px.y - 3.0);
        let wanted = GridLabel::boxed(at_px, Anchor::Middle, label.width_px);
        // A part of a number would be read as another one.
        if wanted.low.x < 0.0 || wanted.high.x > camera.screen_px.x {
            continue;
        }
        let shift = grid_label_shift(wanted, placement);
        label.draw((at_px + shift, Anchor::Middle), view, placement, picture);
        drawn.push(wanted.moved(shift));
    }
    placement.take_below(drawn.iter().map(|label| label.low.y).fold(camera.screen_px.y, f64::min));
    drawn
}

/// The labels of the y axis, at the left edge of the screen, except those that would cover others.
fn labels_along(
    labels: Vec<GridLabel>,
    others: &[ScreenBox],
    view: &View,
    placement: &mut Placement,
    picture: &mut Picture,
) {
    // All move as far as the widest one, so that they stay in a column.
    let widest_px = labels.iter().map(|label| label.width_px).fold(0.0, f64::max);
    let mut right_px: f64 = 0.0;
    for label in labels {
        let on_line = view.camera.screen_from_world(DVec2::Y * label.at_m);
        let at_px = DVec2::new(4.0, on_line.y + 4.0);
        let wanted = GridLabel::boxed(at_px, Anchor::Left, widest_px);
        let placed = wanted.moved(grid_label_shift(wanted, placement));
        let is_cut = placed.low.y < 0.0 || placed.high.y > view.camera.screen_px.y;
        if is_cut || others.iter().any(|other| other.touches(placed)) {
            continue;
        }
        right_px = right_px.max(placed.high.x);
        label.draw((at_px + placed.low - wanted.low, Anchor::Left), view, placement, picture);
    }
    placement.take_left(right_px);
}

/// The next round length that is not shorter: 1, 2 or 5 times a power of ten.
fn round_length_m(at_least_m: f64) -> f64 {
    let mut power = 1e-9;
    while power * 10.0 <= at_least_m {
        power *= 10.0;
    }
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|length| *length >= at_least_m).unwrap_or(power)
}

/// The smallest length of the scale bar, in logical pixels: normally, and if there is little room.
const SCALE_BAR_PX: [f64; 2] = [60.0, 30.0];
/// Height of the text over the scale bar, and its distance from the bar, in logical pixels.
const SCALE_LETTERS_PX: f64 = 12.0;
const SCALE_GAP_PX: f64 = 6.0;
/// Half the length of the ticks at the ends of the scale bar, in logical pixels.
const SCALE_TICK_PX: f64 = 4.0;
/// The largest shift of the scale bar from its corner off the walls, in logical pixels.
const SCALE_REACH_PX: DVec2 = DVec2::new(200.0, 60.0);

/// Draws a bar of a round length in the lower left corner: beside the arena if there is room, otherwise inside it, on a
/// veil.
pub(super) fn scale_bar(view: &View, placement: &mut Placement, picture: &mut Picture) {
    let camera = &view.camera;
    let free = placement.free();
    let corner_px = DVec2::new(MARGIN_PX, camera.screen_px.y - MARGIN_PX);
    let corner_px = corner_px.max(DVec2::new(free.low.x + 1.0, 0.0));
    let corner_px = corner_px.min(DVec2::new(f64::INFINITY, free.high.y - SCALE_TICK_PX - 1.0));
    let [usual, short] = SCALE_BAR_PX.map(|least_px| {
        let length_m = round_length_m(least_px / camera.pixels_per_m);
        let bar_px = length_m * camera.pixels_per_m;
        // A text that is wider than a short bar extends beyond both its ends.
        let aside_px = (text_width_px(&length_text(length_m), SCALE_LETTERS_PX) - bar_px).max(0.0) / 2.0;
        let low = corner_px - DVec2::new(aside_px + 1.0, SCALE_GAP_PX + SCALE_LETTERS_PX);
        let high = corner_px + DVec2::new(bar_px + aside_px + 1.0, SCALE_TICK_PX + 1.0);
        (length_m, ScreenBox { low, high })
    });
    let beside = |(length_m, wanted)| Some((length_m, wanted, placement.shift_beside(wanted, SCALE_REACH_PX)?));
    let off_walls = |(length_m, wanted)| Some((length_m, wanted, placement.shift_off_walls(wanted, SCALE_REACH_PX)?));
    let stays = |(length_m, wanted)| placement.is_off_walls(wanted).then_some((length_m, wanted, DVec2::ZERO));
    let (length_m, wanted, shift) = stays(usual)
        .or_else(|| beside(usual))
        .or_else(|| beside(short))
        .or_else(|| off_walls(usual))
        .unwrap_or((usual.0, usual.1, DVec2::ZERO));
    let placed = wanted.moved(shift);
    if !placement.is_beside(placed) {
        veil(view, Layer::Labels, placed.grown(3.0), picture);
    }
    placement.take(placed);
    let left = camera.world_from_screen(corner_px + shift);
    let right = left + camera.across_m(DVec2::new(length_m * camera.pixels_per_m, 0.0));
    let tick = camera.across_m(DVec2::new(0.0, -SCALE_TICK_PX));
    for ends in [[left, right], [left - tick, left + tick], [right - tick, right + tick]] {
        picture.segment(Layer::Labels, Role::Text, ends, Width::Pixels(1.5));
    }
    let text = Shape::Text {
        at: (left + right) / 2.0 + camera.across_m(DVec2::new(0.0, -SCALE_GAP_PX)),
        text: length_text(length_m),
        size_px: SCALE_LETTERS_PX,
        anchor: Anchor::Middle,
    };
    picture.add(Layer::Labels, Role::Text, text);
}

fn length_text(length_m: f64) -> String {
    match length_m {
        m if m >= 1000.0 => format!("{} km", m / 1000.0),
        m if m >= 0.999 => format!("{} m", m.round()),
        m if m >= 0.00999 => format!("{} cm", (m * 100.0).round()),
        m => format!("{:.3} mm", m * 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::Item;
    use swarmarium_scene::scene::Scene;
    use swarmarium_space::{Boundary, Field};

    use super::*;

    /// The view of an arena of 10 by 10 metres, and its placement on the screen.
    fn walled(screen_px: DVec2) -> (View, Placement) {
        let view = View::fit(&Scene::default(), screen_px);
        let placement = Placement::new(&Field::new(DVec2::splat(10.0), Boundary::Walls), &view.camera);
        (view, placement)
    }

    /// The boxes around the texts of a picture, on the screen.
    fn texts(view: &View, picture: &Picture) -> Vec<(String, ScreenBox)> {
        let boxed = |item: &Item| match &item.shape {
            Shape::Text { at, text, size_px, anchor } => {
                let (at_px, width_px) = (view.camera.screen_from_world(*at), text_width_px(text, *size_px));
                let left_px = if *anchor == Anchor::Middle { at_px.x - width_px / 2.0 } else { at_px.x };
                let low = DVec2::new(left_px, at_px.y - size_px);
                Some((text.clone(), ScreenBox { low, high: DVec2::new(left_px + width_px, at_px.y) }))
            }
            _ => None,
        };
        picture.items.iter().filter_map(boxed).collect()
    }

    #[test]
    fn the_scale_bar_stands_off_the_walls() {
        // Beside the arena; shorter where there is little room; inside.
        let all = [(1280.0, 720.0, "1 m", true), (740.0, 600.0, "1 m", true), (620.0, 600.0, "2 m", false)];
        for (width, height, length, has_room) in all {
            let (view, mut placement) = walled(DVec2::new(width, height));
            let mut picture = Picture::default();
            scale_bar(&view, &mut placement, &mut picture);
            let [(text, place)] = &texts(&view, &picture)[..] else { panic!("one text") };
            assert_eq!(text, length, "{width}x{height}");
            let mut points: Vec<DVec2> = vec![place.low, place.high];
            for item in &picture.items {
                if let Shape::Segment { ends, .. } = &item.shape {
                    points.extend(ends.map(|end| view.camera.screen_from_world(end)));
                }
            }
            let low = points.iter().copied().reduce(DVec2::min).unwrap();
            let drawn = ScreenBox { low, high: points.iter().copied().reduce(DVec2::max).unwrap() };
            assert!(placement.is_off_walls(drawn), "{width}x{height}: {drawn:?}");
            assert_eq!(placement.is_beside(drawn), has_room, "{width}x{height}: {drawn:?}");
            // A veil if the bar is over the arena.
            let has_veil = picture.items.iter().any(|item| item.paint.role == Role::Ground);
            assert_eq!(has_veil, !has_room, "{width}x{height}");
        }
    }

    #[test]
    fn the_scale_bar_keeps_its_corner_where_no_wall_is() {
        let (view, mut placement) = walled(DVec2::new(1280.0, 720.0));
        let mut picture = Picture::default();
        scale_bar(&view, &mut placement, &mut picture);
        let Shape::Segment { ends: [left, _], .. } = &picture.items[0].shape else { panic!("the bar comes first") };
        assert_eq!(*left, view.camera.world_from_screen(DVec2::new(20.0, 700.0)));
    }

    #[test]
    fn the_numbers_of_the_axes_stand_off_the_walls() {
        for (width, height) in [(1280.0, 720.0), (600.0, 600.0), (300.0, 240.0), (420.0, 900.0)] {
            let (mut view, mut placement) = walled(DVec2::new(width, height));
            view.overlays.set(Overlay::GridLabels, true);
            let mut picture = Picture { pixels_per_m: view.camera.pixels_per_m, ..Picture::default() };
            grid(&view, &mut placement, &mut picture);
            let numbers = texts(&view, &picture);
            assert!(numbers.len() >= 4, "{width}x{height}: {numbers:?}");
            for (text, place) in numbers {
                assert!(placement.is_off_walls(place), "{width}x{height}: {text} at {place:?}");
            }
            let mut bar = Picture::default();
            scale_bar(&view, &mut placement, &mut bar);
            assert!(texts(&view, &bar).iter().all(|(_, place)| place.low.x >= placement.free().low.x));
        }
    }

    #[test]
    fn the_numbers_of_the_axes_are_whole_wherever_the_view_is() {
        let (mut view, mut placement) = walled(DVec2::new(640.0, 480.0));
        view.overlays.set(Overlay::GridLabels, true);
        let screen = ScreenBox { low: DVec2::ZERO, high: view.camera.screen_px };
        for part in 0..40 {
            view.camera.center_m = DVec2::splat(5.0 + f64::from(part) * 0.05);
            let mut picture = Picture { pixels_per_m: view.camera.pixels_per_m, ..Picture::default() };
            grid(&view, &mut placement, &mut picture);
            for (text, ScreenBox { low, high }) in texts(&view, &picture) {
                let is_whole = low.cmpge(screen.low).all() && high.cmple(screen.high).all();
                assert!(is_whole, "{text} at {low} to {high}");
            }
        }
    }

    #[test]
    fn round_lengths_are_round() {
        for (at_least, expected) in [(0.013, 0.02), (1.0, 1.0), (1.01, 2.0), (21.0, 50.0), (51.0, 100.0)] {
            assert!((round_length_m(at_least) - expected).abs() < 1e-9 * expected, "{at_least}");
        }
    }

    #[test]
    fn lengths_have_fitting_units() {
        let texts = [2000.0, 5.0, 0.5, 0.02].map(length_text);
        assert_eq!(texts, ["2 km", "5 m", "50 cm", "2 cm"]);
    }
}
