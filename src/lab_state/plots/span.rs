//! The time span that all plots show.

/// Minimum time span, in seconds.
const SHORTEST_S: f64 = 1e-3;

/// The time span that all plots show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Span {
    /// The whole run, while it grows.
    #[default]
    Whole,
    /// The last seconds, moving with the run.
    Last(f64),
    /// From one time to another, in seconds.
    Fixed(f64, f64),
}

impl Span {
    /// Returns both ends, in seconds, at a present time.
    pub fn range_s(self, now_s: f64) -> [f64; 2] {
        let end_s = now_s.max(1.0);
        match self {
            Self::Whole => [0.0, end_s],
            Self::Last(length_s) => [(end_s - length_s).max(0.0), end_s],
            Self::Fixed(from_s, to_s) => [from_s, to_s],
        }
    }

    /// Moves the span by a duration.
    pub fn pan(&mut self, by_s: f64, now_s: f64) {
        let [from_s, to_s] = self.range_s(now_s);
        let by_s = by_s.clamp(-from_s, (now_s.max(1.0) - to_s).max(0.0));
        self.set(from_s + by_s, to_s + by_s, now_s);
    }

    /// Zooms in by a factor above 1, or out, around a time that stays in place.
    pub fn zoom(&mut self, at_s: f64, factor: f64, now_s: f64) {
        if !(factor > 0.0 && factor.is_finite()) {
            return;
        }
        let [from_s, to_s] = self.range_s(now_s);
        let length_s = ((to_s - from_s) / factor).clamp(SHORTEST_S, now_s.max(1.0));
        let part = ((at_s - from_s) / (to_s - from_s)).clamp(0.0, 1.0);
        let from_s = (at_s - part * length_s).clamp(0.0, now_s.max(1.0) - length_s);
        self.set(from_s, from_s + length_s, now_s);
    }

    /// Selects the span between two times in any order.
    pub fn select(&mut self, [one_s, other_s]: [f64; 2], now_s: f64) {
        let from_s = one_s.min(other_s).max(0.0);
        let to_s = one_s.max(other_s).min(now_s.max(1.0));
        if to_s - from_s >= SHORTEST_S {
            self.set(from_s, to_s, now_s);
        }
    }

    /// A span that reaches the end moves with it.
    fn set(&mut self, from_s: f64, to_s: f64, now_s: f64) {
        let (end_s, length_s) = (now_s.max(1.0), to_s - from_s);
        let ends = to_s >= end_s - 1e-3 * length_s;
        *self = match ends {
            _ if !(from_s.is_finite() && length_s > 0.0 && length_s.is_finite()) => Self::Whole,
            true if length_s >= end_s * 0.999 => Self::Whole,
            true => Self::Last(length_s),
            false => Self::Fixed(from_s, to_s),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_a_plot_keeps_the_time_under_the_cursor_up_to_the_whole_run() {
        let mut span = Span::Whole;
        span.zoom(25.0, 2.0, 100.0);
        assert_eq!(span, Span::Fixed(12.5, 62.5));
        span.zoom(25.0, 0.01, 100.0);
        assert_eq!(span, Span::Whole);
        span.zoom(100.0, 10.0, 100.0);
        assert_eq!(span, Span::Last(10.0));
        assert_eq!(span.range_s(110.0), [100.0, 110.0]);
    }

    #[test]
    fn a_plot_span_between_two_times_can_be_selected() {
        let mut span = Span::Whole;
        span.select([30.0, 20.0], 100.0);
        assert_eq!(span, Span::Fixed(20.0, 30.0));
        span.select([25.0, 25.0], 100.0);
        assert_eq!(span, Span::Fixed(20.0, 30.0), "no time is nothing to look at");
        span.select([-5.0, 900.0], 100.0);
        assert_eq!(span, Span::Whole);
    }

    #[test]
    fn panning_a_plot_stops_at_the_ends() {
        let mut span = Span::Fixed(20.0, 30.0);
        span.pan(-50.0, 100.0);
        assert_eq!(span, Span::Fixed(0.0, 10.0));
        span.pan(1000.0, 100.0);
        assert_eq!(span, Span::Last(10.0));
    }

    #[test]
    fn any_plot_span_stays_valid() {
        for now_s in [0.0, 1e-9, 50.0, 1e300] {
            for factor in [0.0, -1.0, 1e-300, 1e300, f64::INFINITY, f64::NAN] {
                let mut span = Span::Whole;
                span.zoom(now_s / 3.0, factor, now_s);
                span.pan(factor, now_s);
                let [from_s, to_s] = span.range_s(now_s);
                assert!(from_s < to_s && from_s >= 0.0, "{now_s} {factor} {span:?}");
            }
        }
    }
}
