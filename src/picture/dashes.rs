//! Dashes in pixels, for all painters, so that dashes look the same at any zoom.

use bevy::math::DVec2;

/// Lengths of a dash and of the gap after it, in logical pixels.
const DASH_PX: f64 = 6.0;
const GAP_PX: f64 = 4.0;
/// The margin around the visible box in which dashes are kept, in logical pixels: lines have a width.
const MARGIN_PX: f64 = 50.0;

/// Cuts a line through points into dashes and passes the points of each to `emit`.
///
/// Points are in pixels of a painter, with `scale` pixels per logical pixel. Dashes outside of the box from `low` to `high`
/// are left out, so that the number of dashes of a long line at a large zoom is limited.
pub fn cut(
    points: impl Iterator<Item = DVec2>,
    closed: bool,
    scale: f64,
    [low, high]: [DVec2; 2],
    mut emit: impl FnMut(&[DVec2]),
) {
    let visible = [low - MARGIN_PX * scale, high + MARGIN_PX * scale];
    let (dash, period) = (DASH_PX * scale, (DASH_PX + GAP_PX) * scale);
    let mut points = points.peekable();
    let Some(first) = points.peek().copied() else { return };
    let mut here = points.next().unwrap_or(first);
    // The length of the line so far, and the points of the dash that continues from the previous edge.
    let (mut length, mut open) = (0.0, Vec::new());
    for next in points.chain(closed.then_some(first)) {
        let edge = (next - here).length();
        let Some(along) = (next - here).try_normalize() else { continue };
        let at = |place: f64| here + along * place;
        let part = clip(here, next, visible).map(|part| part.map(|fraction| fraction * edge));
        if let Some([from, to]) = part {
            let pieces = ((to - from) / period).ceil() as u32 + 1;
            let before = ((length + from) / period).floor();
            for piece in 0..=pieces {
                let start = (before + f64::from(piece)) * period - length;
                let (begin, end) = (start.max(from), (start + dash).min(to));
                if begin < end {
                    if open.is_empty() {
                        open.push(at(begin));
                    }
                    open.push(at(end));
                }
                // A dash that reaches the end of the edge continues around the corner.
                if start + dash <= edge {
                    close(&mut open, &mut emit);
                }
            }
        }
        if part.is_none_or(|[_, to]| to < edge) {
            close(&mut open, &mut emit);
        }
        (length, here) = (length + edge, next);
    }
    close(&mut open, &mut emit);
}

fn close(open: &mut Vec<DVec2>, emit: &mut impl FnMut(&[DVec2])) {
    if !open.is_empty() {
        emit(open);
        open.clear();
    }
}

/// The part of a straight line within a box, as fractions of the length of the line.
fn clip(from: DVec2, to: DVec2, [low, high]: [DVec2; 2]) -> Option<[f64; 2]> {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    let axes = [(from.x, to.x - from.x, low.x, high.x), (from.y, to.y - from.y, low.y, high.y)];
    for (at, way, low, high) in axes {
        if way == 0.0 {
            if at < low || at > high {
                return None;
            }
        } else {
            let (enter, leave) = ((low - at) / way, (high - at) / way);
            first = first.max(enter.min(leave));
            last = last.min(enter.max(leave));
        }
    }
    (first < last).then_some([first, last])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCREEN: [DVec2; 2] = [DVec2::ZERO, DVec2::new(1000.0, 800.0)];

    fn dashes(points: &[DVec2], closed: bool, scale: f64) -> Vec<Vec<DVec2>> {
        let mut all = Vec::new();
        cut(points.iter().copied(), closed, scale, SCREEN, |dash| all.push(dash.to_vec()));
        all
    }

    fn length(points: &[DVec2]) -> f64 {
        points.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum()
    }

    #[test]
    fn dashes_and_gaps_alternate() {
        let line = [DVec2::new(100.0, 100.0), DVec2::new(124.0, 100.0)];
        let x = |all: Vec<Vec<DVec2>>| all.iter().map(|dash| (dash[0].x, dash[1].x)).collect::<Vec<_>>();
        assert_eq!(x(dashes(&line, false, 1.0)), [(100.0, 106.0), (110.0, 116.0), (120.0, 124.0)]);
        assert_eq!(x(dashes(&line, false, 2.0)), [(100.0, 112.0), (120.0, 124.0)]);
    }

    #[test]
    fn dashes_continue_around_corners() {
        let corner = [(100.0, 100.0), (103.0, 100.0), (103.0, 109.0)].map(DVec2::from);
        let found = dashes(&corner, false, 1.0);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], [(100.0, 100.0), (103.0, 100.0), (103.0, 103.0)].map(DVec2::from));
        let square = [(100.0, 100.0), (120.0, 100.0), (120.0, 120.0), (100.0, 120.0)].map(DVec2::from);
        assert_eq!(dashes(&square, false, 1.0).len(), 6);
        assert_eq!(dashes(&square, true, 1.0).len(), 8);
    }

    #[test]
    fn only_visible_dashes_are_cut() {
        let far = DVec2::new(1e9, 0.0);
        let line = [DVec2::new(500.0, 400.0) - far, DVec2::new(500.0, 400.0) + far];
        let found = dashes(&line, false, 1.0);
        assert!((100..=112).contains(&found.len()), "{}", found.len());
        assert!(dashes(&[DVec2::NAN, DVec2::ONE, DVec2::INFINITY], true, 1.0).is_empty());
        assert!(dashes(&[DVec2::ONE; 3], true, 1.0).is_empty() && dashes(&[], true, 1.0).is_empty());
    }

    proptest! {
        #[test]
        fn dashes_cover_their_part_of_any_line(
            points in proptest::collection::vec((0.0..1000.0_f64, 0.0..800.0_f64), 2..20),
            closed in any::<bool>(),
        ) {
            let mut points: Vec<DVec2> = points.into_iter().map(DVec2::from).collect();
            let found = dashes(&points, closed, 1.0);
            prop_assert!(found.iter().all(|dash| dash.len() >= 2 && length(dash) <= DASH_PX + 1e-6));
            if closed {
                points.push(points[0]);
            }
            let (whole, covered) = (length(&points), found.iter().map(|dash| length(dash)).sum::<f64>());
            let periods = (whole / (DASH_PX + GAP_PX)).floor();
            let expected = periods * DASH_PX + (whole - periods * (DASH_PX + GAP_PX)).min(DASH_PX);
            prop_assert!((covered - expected).abs() < 1e-6, "{covered} of {whole}, not {expected}");
        }
    }
}
