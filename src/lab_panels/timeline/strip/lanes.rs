//! State lanes below the branches: one for each robot or group, coloured by a state or a number.
//!
//! The lanes are a texture with a column for each point of the width: its cost depends on the size of the window and the
//! number of changes, not on the number of steps.

use bevy_egui::egui::{Color32, ColorImage, Image, Pos2, Rect, TextureHandle, TextureOptions, Ui};
use swarmarium_lab_state::action::{Action, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::lane_source::LaneSource;
use swarmarium_lab_state::common::selection::robot_name;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::plots::lanes::{Lane, StateLanes};
use swarmarium_picture::palette::Theme;

use crate::timeline::strip::track::Scale;

/// Largest height of all lanes together, in points.
const MOST_PX: f32 = 96.0;

/// Largest height of a lane, in points.
const LANE_PX: f32 = 8.0;

/// The largest number of robots whose lanes are read for one texture; of more robots in folded groups, evenly spaced ones
/// count.
const MOST_READ: usize = 512;

/// The texture of the lanes, with the state that it shows.
#[derive(Default)]
pub(super) struct Lanes {
    texture: Option<TextureHandle>,
    key: Option<Key>,
}

/// The facts on which the texture depends: the run, its steps, the visible steps, the size in pixels, whether groups are
/// folded, the source and the theme.
type Key = (u64, Option<[u64; 2]>, [u64; 2], [usize; 2], bool, LaneSource, bool);

/// The lanes of one row: those of a robot, or of the robots of a group.
type Rows<'a> = Vec<Vec<&'a Lane>>;

fn rows(lanes: &StateLanes, by_group: bool) -> Rows<'_> {
    if !by_group {
        return lanes.lanes().iter().map(|lane| vec![lane]).collect();
    }
    let mut groups: Vec<(u32, Vec<&Lane>)> = Vec::new();
    for lane in lanes.lanes() {
        match groups.iter_mut().find(|(group, _)| *group == lane.group) {
            Some((_, lanes)) => lanes.push(lane),
            None => groups.push((lane.group, vec![lane])),
        }
    }
    groups.sort_by_key(|(group, _)| *group);
    groups.into_iter().map(|(_, lanes)| lanes).collect()
}

fn rows_count(lab: &Lab, lanes: &StateLanes) -> usize {
    match lab.plots.lanes_by_group {
        true => rows(lanes, true).len(),
        false => lanes.lanes().len(),
    }
}

/// Returns the height of the lanes, in points; 0 without lanes.
pub(super) fn height_px(lab: &Lab) -> f32 {
    lab.plots.history.lanes().map_or(0.0, |lanes| (rows_count(lab, lanes) as f32 * LANE_PX).clamp(LANE_PX, MOST_PX))
}

/// Returns the pixels of lanes in a size: a line for each row, or one for several robots if there are more rows than lines.
pub fn image(
    lanes: &StateLanes,
    by_group: bool,
    range: [f64; 2],
    [width, height]: [usize; 2],
    theme: Theme,
) -> ColorImage {
    let rows = rows(lanes, by_group);
    let lines = rows.len().min(height).max(1);
    let width = width.max(1);
    let most_of_row = (MOST_READ / lines).max(1);
    let steps_per_column = (range[1] - range[0]) / width as f64;
    let colors: Vec<Color32> = (0..=u8::MAX)
        .map(|value| lanes.role(value).map_or(Color32::TRANSPARENT, |role| theme::color(theme, role)))
        .collect();
    let mut image = ColorImage::filled([width, lines], Color32::TRANSPARENT);
    for (line, pixels) in image.pixels.chunks_mut(width).enumerate() {
        // Among more robots than lines, each line shows one of them.
        let Some(row) = rows.get(line * rows.len() / lines) else { continue };
        let row: Vec<&Lane> = row.iter().step_by(row.len().div_ceil(most_of_row).max(1)).copied().collect();
        let values = lanes.columns(range[0], steps_per_column, width, &row);
        for (column, pixel) in pixels.iter_mut().enumerate() {
            let value = match &row[..] {
                [_] => values[column],
                _ => most_frequent(values.iter().skip(column).step_by(width).copied()),
            };
            *pixel = colors[usize::from(value)];
        }
    }
    image
}

/// Returns the most frequent value, and of equally frequent ones the smallest; 0 does not count.
fn most_frequent(values: impl Iterator<Item = u8>) -> u8 {
    let mut counts = [0_u32; 256];
    values.for_each(|value| counts[usize::from(value)] += 1);
    counts[0] = 0;
    let most = counts.iter().copied().max().unwrap_or_default();
    if most == 0 { 0 } else { counts.iter().position(|count| *count == most).unwrap_or_default() as u8 }
}

impl Lanes {
    /// Draws the lanes in a rectangle.
    pub fn draw(&mut self, ui: &Ui, lab: &Lab, (rect, scale): (Rect, Scale)) {
        let Some(lanes) = lab.plots.history.lanes().filter(|_| rect.height() > 0.0) else {
            *self = Self::default();
            return;
        };
        let (by_group, theme) = (lab.plots.lanes_by_group, lab.shell.settings.theme);
        // A line for each pixel of the screen is enough.
        let height = (rect.height() * ui.ctx().pixels_per_point()).ceil() as usize;
        let size = [rect.width().round().max(1.0) as usize, height];
        let range = scale.range.map(f64::to_bits);
        let key =
            (lab.run.host.run_number(), lanes.steps(), range, size, by_group, lanes.source(), theme == Theme::Dark);
        if self.key != Some(key) {
            let image = image(lanes, by_group, scale.range, size, theme);
            match &mut self.texture {
                Some(texture) => texture.set(image, TextureOptions::NEAREST),
                None => self.texture = Some(ui.ctx().load_texture("state lanes", image, TextureOptions::NEAREST)),
            }
            self.key = Some(key);
        }
        if let Some(texture) = &self.texture {
            Image::from_texture((texture.id(), rect.size())).paint_at(ui, rect);
        }
    }
}

/// Describes the lane at a point: robot or group, value, and from when to when.
pub(super) fn lines_at(lab: &Lab, rect: Rect, at: Pos2, step: u64) -> Vec<String> {
    let Some(lanes) = lab.plots.history.lanes().filter(|_| rect.contains(at)) else { return Vec::new() };
    let rows = rows(lanes, lab.plots.lanes_by_group);
    let place = ((at.y - rect.top()) / rect.height() * rows.len() as f32) as usize;
    let Some(row) = rows.get(place.min(rows.len().saturating_sub(1))) else { return Vec::new() };
    let simulation = lab.run.host.simulation();
    let dt_s = simulation.time().dt_s;
    let name = lanes.source().name();
    let [_, last] = lanes.steps().unwrap_or_default();
    match &row[..] {
        [lane] if !lab.plots.lanes_by_group => {
            let Some((value, from, next)) = lane.runs.at(step).filter(|_| step <= last) else { return Vec::new() };
            let to = next.unwrap_or(last);
            let times = format!("{:.2} s to {:.2} s", from as f64 * dt_s, to as f64 * dt_s);
            vec![format!("{}: {name} {}, {times}", robot_name(simulation, lane.robot), lanes.text(value))]
        }
        row => {
            let mut counts: Vec<(u8, usize)> = Vec::new();
            let values = row.iter().filter_map(|lane| lane.runs.at(step)).map(|(value, ..)| value);
            for value in values.filter(|value| *value > 0 && step <= last) {
                match counts.iter_mut().find(|(known, _)| *known == value) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((value, 1)),
                }
            }
            counts.sort_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
            let group = row.first().and_then(|lane| simulation.scene().groups.get(lane.group as usize));
            let group = group.map_or("robots", |group| &*group.name);
            counts
                .iter()
                .take(4)
                .map(|(value, count)| format!("{group}: {count} in {name} {}", lanes.text(*value)))
                .collect()
        }
    }
}

/// Draws the menu of the lanes.
pub(super) fn menu(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let most = lab.run.host.simulation().agents().map(|agent| agent.readings().count()).take(1000).max().unwrap_or(0);
    let readings = (0..most.min(8) as u32).map(LaneSource::Reading);
    let sources = [LaneSource::State, LaneSource::Speed].into_iter().chain(readings);
    let shown = lab.plots.lane_source;
    let mut choose = |ui: &mut Ui, is_on: bool, name: &str, hint: &str, action: TimelineAction| {
        if ui.selectable_label(is_on, name).on_hover_text(hint).clicked() {
            actions.push(action.into());
            ui.close();
        }
    };
    choose(ui, shown.is_none(), "No lanes", "Hides the lanes", TimelineAction::ShowLanes(None));
    for source in sources {
        let hint = "Shows this quantity of each robot over time, below the branches; a click goes to a moment";
        choose(ui, shown == Some(source), &source.name(), hint, TimelineAction::ShowLanes(Some(source)));
    }
    ui.separator();
    let hint = "Shows one lane for each group, with the most frequent value of its robots";
    choose(ui, lab.plots.lanes_by_group, "One lane per group", hint, TimelineAction::FoldLanes);
    let legend = lab.plots.history.lanes().map(StateLanes::legend).unwrap_or_default();
    if !legend.is_empty() {
        ui.separator();
        for (role, text) in legend {
            ui.horizontal(|ui| {
                let (rect, _) =
                    ui.allocate_exact_size(bevy_egui::egui::vec2(10.0, 10.0), bevy_egui::egui::Sense::hover());
                ui.painter().rect_filled(rect, 2.0, theme::color(lab.shell.settings.theme, role));
                ui.weak(text);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use bevy_egui::egui::{Context, pos2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::plots::lanes::runs::Runs;
    use swarmarium_lab_testing::{do_steps, lab_on, window};

    use super::*;
    use crate::dispatch;
    use crate::timeline::rows::Shown;

    /// Lanes of robots that change their state about every hundred steps.
    fn many(robots: u32, steps: u64) -> StateLanes {
        let lane = |robot: u32| {
            let mut runs = Runs::default();
            let (mut step, mut random) = (0, u64::from(robot) + 1);
            while step < steps {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                runs.push(step, 1 + (random >> 61) as u8);
                step += 50 + (random >> 40) % 100;
            }
            Lane { robot, group: robot % 3, runs }
        };
        let names = (0..8).map(|number| format!("state {number}")).collect();
        StateLanes::from_runs(LaneSource::State, names, (0..robots).map(lane).collect(), steps)
    }

    #[test]
    fn a_thousand_lanes_of_a_hundred_thousand_steps_fill_their_rows() {
        let lanes = many(1000, 100_000);
        for (by_group, range) in [(false, [0.0, 100_000.0]), (true, [0.0, 100_000.0]), (false, [50_000.0, 50_100.0])] {
            let began = Instant::now();
            let image = image(&lanes, by_group, range, [900, 192], Theme::Dark);
            println!("by group: {by_group}, steps {range:?}: {:.2} ms", began.elapsed().as_secs_f64() * 1e3);
            assert_eq!(image.size, [900, if by_group { 3 } else { 192 }]);
            assert!(image.pixels.iter().all(|pixel| *pixel != Color32::TRANSPARENT));
        }
    }

    /// Lets the lab go on, and draws frames, until a condition holds.
    fn advance_until(window: &mut Harness, lab: &RefCell<Lab>, is_so: impl Fn(&Lab) -> bool) {
        for _ in 0..4000 {
            lab.borrow_mut().advance(0.0, || true);
            window.run_steps(1);
            if is_so(&lab.borrow()) {
                return;
            }
            sleep(Duration::from_millis(5));
        }
        panic!("it does not happen: {:?}", lab.borrow().notices);
    }

    #[test]
    fn lanes_are_filled_in_and_a_click_on_them_seeks() {
        let mut lab = lab_on("simiam-week5");
        do_steps(&mut lab, 400);
        let (mut window, lab) = window(lab);
        let before = window.get_by_label("Timeline").rect();
        dispatch::act(
            &mut lab.borrow_mut(),
            &Context::default(),
            TimelineAction::ShowLanes(Some(LaneSource::State)).into(),
        );
        advance_until(&mut window, &lab, |lab| lab.plots.history.lanes().and_then(StateLanes::steps) == Some([0, 400]));
        let track = window.get_by_label("Timeline").rect();
        assert!(track.height() > before.height() + 7.0, "{before} {track}");
        let part = (200.0 / Shown::Whole.range(400)[1]) as f32;
        let at = pos2(track.left() + part * track.width(), track.bottom() - 4.0);
        window.hover_at(at);
        window.run_steps(3);
        assert!(window.query_all_by_label_contains(": State ").count() > 0, "the tooltip");
        let began = Instant::now();
        swarmarium_lab_testing::click_at(&mut window, at);
        let took_ms = began.elapsed().as_secs_f64() * 1e3;
        let began = Instant::now();
        advance_until(&mut window, &lab, |lab| (180..220).contains(&lab.run.host.simulation().steps()));
        let seek_ms = began.elapsed().as_secs_f64() * 1e3;
        println!("a click with its five frames: {took_ms:.1} ms, the seek with a frame: {seek_ms:.1} ms");
        dispatch::act(&mut lab.borrow_mut(), &Context::default(), TimelineAction::FoldLanes.into());
        window.run_steps(3);
        dispatch::act(&mut lab.borrow_mut(), &Context::default(), TimelineAction::ShowLanes(None).into());
        lab.borrow_mut().advance(0.0, || true);
        window.run_steps(3);
        assert!(lab.borrow().plots.history.lanes().is_none());
        assert_eq!(window.get_by_label("Timeline").rect().height(), before.height());
    }
}
