//! Lines of a plot: reduced to the visible resolution, with gaps where values are missing.

use egui_plot::PlotPoint;

use crate::plots::axis::Scale;
use crate::plots::history::{Extremes, History};

/// Maximum distance between an omitted point and the drawn line, in points of the interface.
const TOLERANCE_PX: f64 = 0.25;

/// Returns the connected parts of a series between two times, for a plot with a width in points.
///
/// Where buckets are denser than the screen, the minimum and the maximum of some neighbours replace them. The groups
/// depend only on steps, so that the line does not flicker while the run continues. The present value ends the line.
pub fn runs(
    history: &History,
    series: usize,
    [from_s, to_s]: [f64; 2],
    width: f32,
    (now_s, latest): (f64, f64),
    scale: Scale,
) -> Vec<Vec<PlotPoint>> {
    let steps = history.steps();
    // One more bucket at each end, so that lines reach the edges.
    let first = steps.partition_point(|step| history.time_s(*step) < from_s).saturating_sub(1);
    let last = steps.partition_point(|step| history.time_s(*step) <= to_s).saturating_add(1).min(steps.len());
    let (steps, extremes) = (&steps[first.min(last)..last], &history.extremes(series)[first.min(last)..last]);
    let together = (steps.len() as f32 / width.max(1.0)).ceil().max(1.0) as u64;
    let bin = history.stride() * together.next_power_of_two();

    let mut runs = Runs::default();
    let mut extremes = extremes;
    for steps in steps.chunk_by(|a, b| a.div_ceil(bin) == b.div_ceil(bin)) {
        let (these, rest) = extremes.split_at(steps.len());
        extremes = rest;
        let placed = these.iter().flat_map(Extremes::both).map(|known| (known.step, scale.place(known.value)));
        let points = placed.filter(|(_, value)| value.is_finite());
        let points = points.map(|(step, value)| PlotPoint::new(history.time_s(step), value));
        runs.extend(self::extremes(points));
    }
    let is_newer = history.steps().last().is_none_or(|last| history.time_s(*last) < now_s);
    if is_newer && now_s <= to_s {
        let latest = scale.place(latest);
        runs.extend(Some(PlotPoint::new(now_s, latest)).filter(|_| latest.is_finite()));
    }
    runs.0.retain(|run| !run.is_empty());
    runs.0
}

/// Returns the minimum and the maximum of some points, in the order of time.
pub fn extremes(points: impl Iterator<Item = PlotPoint> + Clone) -> impl Iterator<Item = PlotPoint> {
    let low = points.clone().min_by(|a, b| a.y.total_cmp(&b.y));
    let high = points.max_by(|a, b| a.y.total_cmp(&b.y)).filter(|high| low.is_none_or(|low| low.x != high.x));
    let swapped = matches!((&low, &high), (Some(low), Some(high)) if high.x < low.x);
    let (first, second) = if swapped { (high, low) } else { (low, high) };
    first.into_iter().chain(second)
}

/// Reduces a line to fewer points. Omitted points are within `TOLERANCE_PX` of it, up or down.
///
/// The scale is in pixels per unit of each axis. Each stretch is as long as the cone of slopes allows in which a
/// straight line passes close enough to all its points (J. Sklansky, V. Gonzalez: "Fast polygonal approximation of
/// digitized curves", 1980).
pub fn simplified(points: &[PlotPoint], px_per_unit: [f64; 2]) -> Vec<PlotPoint> {
    let Some((first, rest)) = points.split_first() else { return Vec::new() };
    let mut kept = vec![*first];
    let (mut from, mut last) = (*first, None);
    let mut slopes = [f64::NEG_INFINITY, f64::INFINITY];
    for point in rest {
        let along = |from: PlotPoint| (point.x - from.x) * px_per_unit[0];
        let up = |from: PlotPoint| (point.y - from.y) * px_per_unit[1];
        let [low, high] = slopes;
        let slope = up(from) / along(from);
        if let Some(corner) = last.filter(|_| !(low <= slope && slope <= high)) {
            kept.push(corner);
            (from, slopes) = (corner, [f64::NEG_INFINITY, f64::INFINITY]);
        }
        let [low, high] = slopes;
        let [lower, upper] = [-TOLERANCE_PX, TOLERANCE_PX].map(|off| (up(from) + off) / along(from));
        slopes = [low.max(lower), high.min(upper)];
        last = Some(*point);
    }
    kept.extend(last);
    kept
}

/// Connected parts of a line.
#[derive(Default)]
struct Runs(Vec<Vec<PlotPoint>>);

impl Runs {
    /// Continues the present part; an empty iterator ends it.
    fn extend(&mut self, points: impl IntoIterator<Item = PlotPoint>) {
        let mut points = points.into_iter().peekable();
        match self.0.last_mut() {
            Some(run) if points.peek().is_some() => run.extend(points),
            Some(run) if run.is_empty() => {}
            _ => self.0.push(points.collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(values: impl IntoIterator<Item = f64>) -> History {
        let mut history = History::new(vec!["a".into()], 1.0);
        for (step, value) in (1..).zip(values) {
            history.push(step, vec![value]);
        }
        history
    }

    fn points(history: &History, range_s: [f64; 2], width: f32, now: (f64, f64)) -> Vec<Vec<[f64; 2]>> {
        let runs = runs(history, 0, range_s, width, now, Scale::Linear);
        runs.into_iter().map(|run| run.into_iter().map(|point| [point.x, point.y]).collect()).collect()
    }

    #[test]
    fn nan_values_leave_a_gap_in_a_curve() {
        let history = history([1.0, f64::NAN, f64::INFINITY, 4.0, 5.0]);
        let all = points(&history, [0.0, 9.0], 100.0, (6.0, 6.0));
        assert_eq!(all, [vec![[1.0, 1.0]], vec![[4.0, 4.0], [5.0, 5.0], [6.0, 6.0]]]);
        assert_eq!(points(&history, [0.0, 9.0], 100.0, (6.0, f64::NAN))[1].len(), 2);
    }

    #[test]
    fn a_logarithmic_curve_leaves_out_values_without_a_logarithm() {
        let history = history([1.0, 0.0, 100.0, -1.0]);
        let all = runs(&history, 0, [0.0, 9.0], 100.0, (5.0, 10.0), Scale::Logarithmic);
        let found: Vec<Vec<(f64, f64)>> =
            all.into_iter().map(|run| run.into_iter().map(|point| (point.x, point.y)).collect()).collect();
        assert_eq!(found, [vec![(1.0, 0.0)], vec![(3.0, 2.0)], vec![(5.0, 1.0)]]);
    }

    #[test]
    fn curves_continue_to_the_edges_of_the_plot() {
        let history = history((1..=10).map(f64::from));
        let [run] = &points(&history, [3.5, 5.5], 100.0, (10.0, 10.0))[..] else { panic!("one run") };
        assert_eq!(run.first(), Some(&[3.0, 3.0]));
        assert_eq!(run.last(), Some(&[6.0, 6.0]));
        assert_eq!(points(&history, [50.0, 60.0], 100.0, (10.0, 10.0)).concat(), [[10.0, 10.0]]);
    }

    #[test]
    fn simplified_curves_fit_the_width_and_keep_peaks() {
        let mut values = vec![0.0; 4000];
        values[1234] = 7.0;
        let history = history(values);
        let all = points(&history, [0.0, 4000.0], 200.0, (4000.0, 0.0)).concat();
        assert!(all.len() <= 2 * 200, "{}", all.len());
        assert!(all.contains(&[1235.0, 7.0]));
        assert!(all.windows(2).all(|pair| pair[0][0] < pair[1][0]));
    }

    #[test]
    fn curves_keep_peaks_within_buckets() {
        let mut values = vec![0.0; 100_000];
        (values[1_233], values[77_776]) = (-2.0, 1.018);
        let history = history(values);
        assert!(history.stride() > 16);
        for width in [200.0, 5000.0] {
            let all = points(&history, [0.0, 100_000.0], width, (100_000.0, 0.0)).concat();
            assert!(all.contains(&[1_234.0, -2.0]) && all.contains(&[77_777.0, 1.018]), "{width}");
        }
    }

    #[test]
    fn a_simplified_line_passes_near_all_points_and_keeps_its_peaks() {
        let wave = |at: i32| 40.0 * swarmarium_base::math::sin(f64::from(at) / 60.0) + f64::from(at % 7) * 0.01;
        let mut points: Vec<PlotPoint> = (0..400).map(|at| PlotPoint::new(f64::from(at), wave(at))).collect();
        points[123].y = 300.0;
        let fewer = simplified(&points, [1.0, 1.0]);
        assert!(fewer.len() < 80, "{}", fewer.len());
        assert!(fewer.contains(&points[123]) && fewer.first() == points.first() && fewer.last() == points.last());
        for point in &points {
            let after = fewer.partition_point(|known| known.x < point.x).max(1);
            let [a, b] = [fewer[after - 1], fewer[after]];
            let there = a.y + (b.y - a.y) * (point.x - a.x) / (b.x - a.x);
            assert!((there - point.y).abs() <= TOLERANCE_PX + 1e-9, "{point:?}");
        }
        assert_eq!(simplified(&points, [1.0, 1e6]).len(), points.len(), "all can be told apart");
        assert!(simplified(&[], [1.0, 1.0]).is_empty());
        let twice = [PlotPoint::new(1.0, 2.0), PlotPoint::new(1.0, 3.0), PlotPoint::new(2.0, 3.0)];
        assert_eq!(simplified(&twice, [1.0, 10.0]).len(), 3, "at one time");
    }

    #[test]
    fn a_history_without_samples_has_no_lines() {
        assert_eq!(points(&history([]), [0.0, 1.0], 100.0, (0.0, f64::NAN)).len(), 0);
        assert_eq!(points(&history([]), [0.0, 1.0], 100.0, (0.0, 3.0)), [vec![[0.0, 3.0]]]);
    }
}
