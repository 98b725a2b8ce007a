//! Metrics over time: all values, or the least and the most of equal spans of a long run.

/// The largest number of points of a curve.
const MOST: usize = 2000;

/// The values of a metric. Of a long run, only the least and the most value of equal spans are kept.
#[derive(Clone, Debug)]
pub struct Series {
    /// The number of steps of a span.
    span: u64,
    count: u64,
    spans: Vec<Extremes>,
}

/// The least and the most value of a span, with their steps; without any, both are NaN.
#[derive(Clone, Copy, Debug)]
struct Extremes {
    least: (f64, u64),
    most: (f64, u64),
}

/// The points of a curve, at equal distances in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// The number of steps from one point to the next. The first point lies at the first step.
    pub spacing: f64,
    /// The values; NaN where there is none.
    pub values: Vec<f32>,
    /// The number of steps of a span, if the points are pairs of the least and the most value of one; 0 otherwise.
    pub span: u64,
}

impl Extremes {
    fn with(self, other: Self) -> Self {
        let pick = |one: (f64, u64), other: (f64, u64), is_better: bool| match () {
            () if one.0.is_nan() => other,
            () if is_better => other,
            () => one,
        };
        Self {
            least: pick(self.least, other.least, other.least.0 < self.least.0),
            most: pick(self.most, other.most, other.most.0 > self.most.0),
        }
    }

    /// The least and the most value in the order in which they occur.
    fn pair(self) -> [f32; 2] {
        let [first, second] =
            if self.least.1 <= self.most.1 { [self.least, self.most] } else { [self.most, self.least] };
        [first.0 as f32, second.0 as f32]
    }
}

impl Default for Series {
    fn default() -> Self {
        Self { span: 1, count: 0, spans: Vec::new() }
    }
}

impl Series {
    /// Adds the value of the next step.
    pub fn push(&mut self, value: f64) {
        let value = if value.is_finite() { value } else { f64::NAN };
        let own = Extremes { least: (value, self.count), most: (value, self.count) };
        match self.spans.last_mut().filter(|_| !self.count.is_multiple_of(self.span)) {
            Some(last) => *last = last.with(own),
            None => {
                // A pair has two points.
                while self.spans.len() >= if self.span == 1 { MOST } else { MOST / 2 } {
                    self.merge();
                }
                self.spans.push(own);
            }
        }
        self.count += 1;
    }

    /// Joins each two spans into one.
    fn merge(&mut self) {
        self.spans = self.spans.chunks(2).filter_map(|pair| pair.iter().copied().reduce(Extremes::with)).collect();
        self.span *= 2;
    }

    /// The points of the curve: the values of all steps, or of a long run pairs of the least and the most value of equal
    /// spans, in the order in which they occur. No peak is lost, and a point lies at most a span from its step.
    pub fn points(&self) -> Points {
        if self.span == 1 {
            let values = self.spans.iter().map(|known| known.least.0 as f32).collect();
            return Points { spacing: 1.0, values, span: 0 };
        }
        let values = self.spans.iter().flat_map(|known| known.pair()).collect();
        Points { spacing: self.span as f64 / 2.0, values, span: self.span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f64]) -> Points {
        let mut series = Series::default();
        values.iter().for_each(|value| series.push(*value));
        assert!(series.spans.len() <= MOST);
        series.points()
    }

    #[test]
    fn short_series_keep_all_values_and_long_ones_their_peaks() {
        let few = points(&[1.0, f64::NAN, 3.0]);
        assert!(few.spacing == 1.0 && few.values.len() == 3 && few.values[1].is_nan());
        let most = points(&vec![0.5; MOST]);
        assert!(most.values.len() == MOST && most.span == 0);
        for count in [MOST + 1, 3 * MOST, 12_347, 100_000] {
            let mut many = vec![0.0; count];
            let (high, low) = (count / 8, count - count / 3);
            (many[high], many[low]) = (9.0, -4.0);
            let points = points(&many);
            assert!(points.values.len() <= MOST && points.values.len() > MOST / 3, "{}", points.values.len());
            let place = |wanted: f32| points.values.iter().position(|value| *value == wanted).unwrap() as f64;
            assert!((place(9.0) * points.spacing - high as f64).abs() <= 2.0 * points.spacing);
            assert!((place(-4.0) * points.spacing - low as f64).abs() <= 2.0 * points.spacing);
        }
        let missing = points(&vec![f64::NAN; 5000]);
        assert!(missing.values.iter().all(|value| value.is_nan()));
    }
}
