//! The lane of moments: collisions, arrivals, changes of state and so on, each kind with its own shape and colour.
//! Marks that would overlap are folded into one with their number.

use std::ops::RangeInclusive;

use bevy_egui::egui::{Color32, Label, Painter, Pos2, Sense, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};
use strum::IntoEnumIterator as _;
use swarmarium_core::text::wording::capital;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::moments::{MomentKind, Occurrence};
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::plots::extremes;
use swarmarium_picture::palette::{Role, Theme};

use crate::timeline::icons;
use crate::timeline::strip::track::Scale;

/// Height of the lane, in points.
pub(super) const LANE_PX: f32 = 18.0;

/// Minimum distance between two marks, in points: a mark and the number beside it.
const FOLD_PX: f32 = 28.0;

/// Radius of a mark, in points.
const MARK_PX: f32 = 4.5;

/// Maximum distance of the pointer from a mark, in points.
const NEAR_PX: f32 = 8.0;

/// The largest number of moments that a tooltip lists; the others are counted.
const MOST_LINES: usize = 6;

/// Size of a sign in the key, in points.
const SAMPLE_PX: Vec2 = Vec2::new(18.0, 16.0);

/// Moments at one place of the lane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LaneMark {
    /// The horizontal positions of the first and of the last moment, in points.
    pub x: f32,
    pub last_x: f32,
    /// The steps from the first to the last moment.
    pub steps: RangeInclusive<u64>,
    /// The kinds, each once, in the order of their table.
    pub kinds: Vec<MomentKind>,
    /// The number of moments. Of very many, only the steps are kept, and a step counts once for each kind.
    pub count: usize,
    /// Whether the first or the last collision of the run is among them.
    pub is_end: bool,
}

/// Returns the marks in the visible range from left to right, each at least [`FOLD_PX`] from the next.
pub(super) fn marks(lab: &Lab, scale: Scale) -> Vec<LaneMark> {
    let [from, to] = scale.range;
    let moments = lab.plots.history.moments();
    let fold_steps = f64::from(FOLD_PX) * scale.steps_per_px();
    let collisions = moments.steps(MomentKind::Collision);
    let ends = [collisions.first(), collisions.last()];
    let of_plots = extremes::moments(&lab.plots.history);
    let mut found: Vec<LaneMark> = Vec::new();
    for kind in MomentKind::iter() {
        let plotted: Vec<u64> = of_plots.iter().filter(|known| known.kind == kind).map(|known| known.step).collect();
        let steps = if plotted.is_empty() { moments.steps(kind) } else { &plotted };
        // Several moments of a kind may share a step.
        let shares = plotted.is_empty() && moments.count(kind) > steps.len() as u64;
        let known: Vec<u64> = moments.of_kind(kind).filter(|_| shares).map(|known| known.step).collect();
        let known_in = |steps: &RangeInclusive<u64>| {
            let [first, last] = [*steps.start(), *steps.end() + 1];
            known.partition_point(|step| *step < last) - known.partition_point(|step| *step < first)
        };
        let mut rest = &steps[steps.partition_point(|step| (*step as f64) < from)..];
        while let Some(first) = rest.first().filter(|step| **step as f64 <= to) {
            let count = rest.partition_point(|step| (*step as f64) < *first as f64 + fold_steps).max(1);
            let (these, others) = rest.split_at(count);
            let steps = *first..=these.last().copied().unwrap_or(*first);
            let is_end = kind == MomentKind::Collision && ends.iter().flatten().any(|end| steps.contains(end));
            let count = count.max(known_in(&steps));
            let [x, last_x] = [*steps.start(), *steps.end()].map(|step| scale.x(step as f64));
            found.push(LaneMark { x, last_x, steps, kinds: vec![kind], count, is_end });
            rest = others;
        }
    }
    found.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut folded: Vec<LaneMark> = Vec::new();
    for mark in found {
        match folded.last_mut().filter(|last| mark.x - last.x < FOLD_PX) {
            Some(last) => {
                last.steps = *last.steps.start()..=*last.steps.end().max(mark.steps.end());
                last.last_x = last.last_x.max(mark.last_x);
                last.kinds.extend(mark.kinds);
                last.kinds.sort_unstable();
                last.kinds.dedup();
                last.count += mark.count;
                last.is_end |= mark.is_end;
            }
            None => folded.push(mark),
        }
    }
    folded
}

/// Returns the mark at a point of the lane.
pub(super) fn mark_at(marks: &[LaneMark], y: f32, at: Pos2) -> Option<&LaneMark> {
    let is_in_lane = (at.y - y).abs() <= 0.5 * LANE_PX;
    let distance_px = |mark: &LaneMark| (at.x - at.x.clamp(mark.x, mark.last_x)).abs();
    let near = marks.iter().filter(|mark| is_in_lane && distance_px(mark) <= NEAR_PX);
    near.min_by(|a, b| distance_px(a).total_cmp(&distance_px(b)))
}

/// Describes the moments of a mark, a line each: time, robots, what happened.
pub(super) fn lines(lab: &Lab, mark: &LaneMark) -> Vec<String> {
    let simulation = lab.run.host.simulation();
    let moments = lab.plots.history.moments();
    let of_plots = extremes::moments(&lab.plots.history);
    let mut found: Vec<&Occurrence> = Vec::new();
    for kind in &mark.kinds {
        let all = moments.of_kind(*kind).chain(of_plots.iter().filter(|known| known.kind == *kind));
        found.extend(all.filter(|known| mark.steps.contains(&known.step)).take(MOST_LINES + 1));
    }
    found.sort_by_key(|known| known.step);
    let dt_s = simulation.time().dt_s;
    let mut lines: Vec<String> = found
        .iter()
        .take(MOST_LINES)
        .map(|known| {
            let lasts = match known.last_step - known.step {
                0 => String::new(),
                steps => format!(" for {:.2} s", steps as f64 * dt_s),
            };
            format!("{:.2} s: {}{lasts}", known.step as f64 * dt_s, known.text(simulation))
        })
        .collect();
    let others = mark.count.max(found.len()).saturating_sub(lines.len());
    if others > 0 {
        lines.push(format!("and {} more", grouped(others as u64)));
    }
    lines
}

/// Draws the marks at a height.
pub(super) fn draw(painter: &Painter, theme: Theme, y: f32, marks: &[LaneMark]) {
    let text = theme::color(theme, Role::Text);
    for (place, mark) in marks.iter().enumerate() {
        let at = pos2(mark.x, y);
        match mark.kinds[..] {
            [kind] => glyph(painter, at, kind, color(theme, kind), mark.is_end || kind != MomentKind::Collision),
            _ => several(painter, at, theme),
        }
        if mark.is_end && mark.kinds.len() == 1 {
            // A bar below the first and the last collision.
            let foot = y + MARK_PX + 1.5;
            painter.hline(mark.x - MARK_PX..=mark.x + MARK_PX, foot, Stroke::new(1.0, text));
        }
        let beside = match &mark.kinds[..] {
            _ if mark.count >= 100 => "99+".into(),
            _ if mark.count > 1 => mark.count.to_string(),
            [kind] => word(*kind).to_owned(),
            _ => String::new(),
        };
        let dim = theme::color(theme, Role::Dim);
        let beside = painter.layout_no_wrap(beside, theme::font(theme::BADGE_PX), dim);
        let room_px = marks.get(place + 1).map_or(f32::INFINITY, |next| next.x - mark.x) - 2.0 * (MARK_PX + 2.0);
        // A word may lack room; a number always has it.
        if mark.count > 1 || beside.size().x <= room_px {
            painter.galley(at + vec2(MARK_PX + 2.0, -beside.size().y / 2.0), beside, dim);
        }
    }
}

/// Returns a short word beside a mark of a plotted number.
fn word(kind: MomentKind) -> &'static str {
    match kind {
        MomentKind::Highest => "max",
        MomentKind::Lowest => "min",
        MomentKind::Steady => "steady",
        _ => "",
    }
}

/// Returns the meaning of the sign of a kind.
fn meaning(kind: MomentKind) -> String {
    match kind {
        MomentKind::Collision => "Collision; a bar is below the first and the last one".into(),
        MomentKind::Highest => "Maximum of a plotted number".into(),
        MomentKind::Lowest => "Minimum of a plotted number".into(),
        MomentKind::Steady => "Beginning of a steady state of a plotted number".into(),
        kind => capital(kind.name()),
    }
}

/// Returns the kinds that the run has so far.
fn present(lab: &Lab) -> Vec<MomentKind> {
    let of_plots = extremes::moments(&lab.plots.history);
    let moments = lab.plots.history.moments();
    let is_there = |kind: &MomentKind| {
        !moments.steps(*kind).is_empty() || of_plots.iter().any(|occurrence| occurrence.kind == *kind)
    };
    MomentKind::iter().filter(is_there).collect()
}

/// Draws the key of the signs that the timeline shows: a line for each.
pub fn key(ui: &mut Ui, lab: &Lab) {
    let theme = lab.shell.settings.theme;
    let mut row = |text: &str, draw: &dyn Fn(&Painter, Pos2)| {
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(SAMPLE_PX, Sense::hover());
            draw(ui.painter(), rect.center());
            ui.add(Label::new(text).wrap());
        });
    };
    let kinds = present(lab);
    for kind in &kinds {
        row(&meaning(*kind), &|painter, at| glyph(painter, at, *kind, color(theme, *kind), true));
    }
    if kinds.len() > 1 {
        row("Moments of several kinds, with their number", &|painter, at| several(painter, at, theme));
    }
    if lab.run.host.changes().iter().any(|change| change.edits > 0 && !change.is_undone) {
        row("Change by you", &|painter, at| {
            icons::diamond(painter, at, MARK_PX, theme::color(theme, Role::Text));
        });
    }
    row("Displayed moment; drag it to go through time", &|painter, at| {
        icons::triangle(painter, at, MARK_PX, false, theme::color(theme, Role::Text));
    });
}

/// Draws the sign of moments of several kinds.
fn several(painter: &Painter, at: Pos2, theme: Theme) {
    let fill = theme::color(theme, Role::Dim).gamma_multiply(0.35);
    painter.circle(at, MARK_PX + 0.5, fill, Stroke::new(theme::ICON_LINE_PX, theme::color(theme, Role::Text)));
}

/// Draws the sign of a kind; a filled one stands out.
fn glyph(painter: &Painter, at: Pos2, kind: MomentKind, color: Color32, is_filled: bool) {
    let r = MARK_PX;
    let line = Stroke::new(theme::ICON_LINE_PX, color);
    let path = |points: &[(f32, f32)]| {
        painter.line(points.iter().map(|(x, y)| at + vec2(*x, *y)).collect(), line);
    };
    match kind {
        MomentKind::Collision if is_filled => icons::triangle(painter, at, r + 0.5, true, color),
        MomentKind::Collision => icons::triangle(painter, at, r - 1.0, true, color.gamma_multiply(0.8)),
        MomentKind::Arrival => {
            path(&[(-2.0, r + 1.0), (-2.0, -r - 1.0), (r + 0.5, -r + 1.0), (-2.0, 0.5)]);
        }
        MomentKind::Fault => icons::cross(painter, at, r, color),
        MomentKind::Switch => _ = painter.circle_filled(at, r - 0.5, color),
        MomentKind::Grip => {
            let square = bevy_egui::egui::Rect::from_center_size(at, vec2(2.0 * r - 1.0, 2.0 * r - 1.0));
            painter.rect_stroke(square, 0.0, line, StrokeKind::Middle);
        }
        MomentKind::Script => {
            path(&[(0.0, -r - 1.0), (0.0, 1.0)]);
            painter.circle_filled(at + vec2(0.0, r), 1.2, color);
        }
        MomentKind::Loss => icons::triangle(painter, at, r, false, color),
        MomentKind::Split => {
            path(&[(-1.0, -r), (-r - 1.0, 0.0), (-1.0, r)]);
            path(&[(1.0, -r), (r + 1.0, 0.0), (1.0, r)]);
        }
        MomentKind::Merge => {
            path(&[(-r - 1.0, -r), (-1.0, 0.0), (-r - 1.0, r)]);
            path(&[(r + 1.0, -r), (1.0, 0.0), (r + 1.0, r)]);
        }
        // A curve with a dot at its maximum or minimum, and a curve that becomes level.
        MomentKind::Highest => {
            path(&[(-r - 1.0, r), (-2.5, -0.5), (0.0, -1.5), (2.5, -0.5), (r + 1.0, r)]);
            painter.circle_filled(at - vec2(0.0, 3.5), 2.0, color);
        }
        MomentKind::Lowest => {
            path(&[(-r - 1.0, -r), (-2.5, 0.5), (0.0, 1.5), (2.5, 0.5), (r + 1.0, -r)]);
            painter.circle_filled(at + vec2(0.0, 3.5), 2.0, color);
        }
        MomentKind::Steady => {
            path(&[(-r - 1.0, r), (-3.0, -1.0), (-1.0, -2.0), (r + 1.5, -2.0)]);
            painter.circle_filled(at + vec2(-1.0, -2.0), 2.0, color);
        }
    }
}

/// Returns the colour of a kind, from the palette that colour-blind people can tell apart.
fn color(theme: Theme, kind: MomentKind) -> Color32 {
    let group = |place: u32| theme::paint(theme, Role::Group(place).faint(1.0).legible());
    match kind {
        MomentKind::Collision => theme::color(theme, Role::Detecting),
        MomentKind::Fault | MomentKind::Script => theme::color(theme, Role::Warning),
        MomentKind::Arrival => group(2),
        MomentKind::Switch | MomentKind::Grip => group(0),
        MomentKind::Loss => group(3),
        MomentKind::Split | MomentKind::Merge => group(4),
        MomentKind::Highest | MomentKind::Lowest | MomentKind::Steady => theme::color(theme, Role::Accent),
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Rect, vec2};
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, window};

    use super::*;

    #[test]
    fn the_legend_has_the_key_of_the_signs() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 1500);
        let (mut window, lab) = window(lab);
        let kinds = present(&lab.borrow());
        assert!(!kinds.is_empty());
        click(&mut window, "Legend");
        for kind in kinds {
            window.get_by_label(&meaning(kind));
        }
    }

    #[test]
    fn signs_have_large_targets_that_do_not_overlap() {
        let mut lab = lab_on("simiam-week5");
        do_steps(&mut lab, 2000);
        let rect = Rect::from_min_size(Pos2::ZERO, vec2(800.0, 60.0));
        let marks = marks(&lab, Scale { rect, range: [0.0, 2560.0] });
        assert!(marks.windows(2).all(|pair| pair[1].x - pair[0].x >= 2.0 * NEAR_PX), "{marks:?}");
        for mark in &marks {
            for by_px in [-0.9 * NEAR_PX, 0.0, 0.9 * NEAR_PX] {
                assert_eq!(mark_at(&marks, 30.0, pos2(mark.x + by_px, 30.0)), Some(mark));
            }
        }
    }

    #[test]
    fn moments_of_one_step_are_all_counted() {
        let at = (0..50).map(|row| format!("(9.2, {}, 0)", 0.1 + 0.19 * f64::from(row))).collect::<Vec<_>>().join(", ");
        let mut lab = lab_of(&format!(
            "(arena: (boundary: Walls), time: (dt_s: 0.1), groups: [(name: \"a\", at: [{at}], body: Disc(radius_m: 0.05), \
             controller: Constant(v_m_per_s: 1.0))])"
        ));
        do_steps(&mut lab, 20);
        let rect = Rect::from_min_size(Pos2::ZERO, vec2(400.0, 20.0));
        let marks = marks(&lab, Scale { range: [0.0, 20.0], rect });
        let [mark] = &marks[..] else { panic!("{marks:?}") };
        assert_eq!((mark.kinds.clone(), mark.count), (vec![MomentKind::Collision], 50));
        let lines = lines(&lab, mark);
        assert_eq!((lines.len(), lines[MOST_LINES].as_str()), (MOST_LINES + 1, "and 44 more"));
    }
}
