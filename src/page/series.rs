//! Metrics over time: all values, or the least and the most of equal spans of a long run.

/// The largest number of points of a curve.
const MOST: usize = 2000;

/// The points of a curve, at equal distances in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// The number of steps from one point to the next. The first point lies at the first step.
    pub spacing: f64,
    /// The values; NaN where there is none.
    pub values: Vec<f32>,
}

impl Points {
    /// The points of the values of all steps.
    ///
    /// A long series becomes pairs of the least and the most value of equal spans, in the order in which they occur: no
    /// peak is lost, and a point lies at most a span from its step.
    pub fn of(values: &[f64]) -> Self {
        let span = values.len().div_ceil(MOST / 2);
        if values.len() <= MOST {
            return Self { spacing: 1.0, values: values.iter().map(|value| *value as f32).collect() };
        }
        let pair = |span: &[f64]| {
            let known = || span.iter().enumerate().filter(|(_, value)| value.is_finite());
            let least = known().min_by(|(_, one), (_, other)| one.total_cmp(other));
            let most = known().max_by(|(_, one), (_, other)| one.total_cmp(other));
            match (least, most) {
                (Some((first, low)), Some((second, high))) if first <= second => [*low as f32, *high as f32],
                (Some((_, low)), Some((_, high))) => [*high as f32, *low as f32],
                _ => [f32::NAN; 2],
            }
        };
        Self { spacing: span as f64 / 2.0, values: values.chunks(span).flat_map(pair).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_series_keep_all_values_and_long_ones_their_peaks() {
        let few = [1.0, f64::NAN, 3.0];
        let points = Points::of(&few);
        assert!(points.spacing == 1.0 && points.values.len() == 3 && points.values[1].is_nan());
        let mut many = vec![0.0; 100_000];
        (many[12_345], many[70_001]) = (9.0, -4.0);
        let points = Points::of(&many);
        assert!(points.values.len() <= MOST, "{}", points.values.len());
        let place = |wanted: f32| points.values.iter().position(|value| *value == wanted).unwrap() as f64;
        assert!((place(9.0) * points.spacing - 12_345.0).abs() <= 2.0 * points.spacing);
        assert!((place(-4.0) * points.spacing - 70_001.0).abs() <= 2.0 * points.spacing);
        let missing = Points::of(&vec![f64::NAN; 5000]);
        assert!(missing.values.iter().all(|value| value.is_nan()));
    }
}
