//! Sampling: from the values of the factors to points.

use swarmarium_base::id::StableId;
use swarmarium_core::random::Seed;

use crate::plan::{MAX_POINTS, Sampling, Value, Values};

mod sobol;

pub use sobol::MAX_DIMENSIONS;

/// The values of a factor, ready to sample from.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// The values.
    pub values: Values,
    /// Whether the parameter is a whole number.
    pub is_whole: bool,
}

/// The reason why factors have no points.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SamplingError {
    /// A factor has no values.
    #[error(
        "the factor has no values: expected values such as `List([1, 2])` or `Range(from: 0.1, to: 1.0, count: 10)`"
    )]
    NoValues(usize),
    /// A range has no number of values, and the sampling has none either.
    #[error("the range needs its number of values for the sampling `{1}`, such as `count: 5`")]
    NoCount(usize, &'static str),
    /// A table gives the values of a factor that has values of its own.
    #[error("the factor has values of its own, and the table has others: write the values in one place")]
    TwiceGiven(usize),
    /// `Zip` has factors with different numbers of values.
    #[error("the factor has {found} values, and the first factor has {expected}: `Zip` needs as many of each")]
    Unequal {
        /// The factor.
        factor: usize,
        /// Its number of values.
        found: usize,
        /// The number of values of the first factor.
        expected: usize,
    },
    /// A row of a table does not have one value for each factor.
    #[error("row {row} has {found} values, and there are {expected} factors")]
    Row {
        /// The place of the row.
        row: usize,
        /// Its number of values.
        found: usize,
        /// The number of factors.
        expected: usize,
    },
    /// The points are too many.
    #[error("{0} points: a sweep has at most {MAX_POINTS}")]
    TooMany(u64),
    /// There are no points.
    #[error("there are no points")]
    NoPoints,
    /// The sequence of Sobol has too many factors.
    #[error("the sequence of Sobol is known for {MAX_DIMENSIONS} factors at most, and there are {0}")]
    Dimensions(usize),
}

impl SamplingError {
    /// The field of the plan that the error is about.
    pub fn path(&self) -> String {
        match self {
            Self::NoValues(factor) | Self::NoCount(factor, _) | Self::TwiceGiven(factor) => {
                format!("factors[{factor}].values")
            }
            Self::Unequal { factor, .. } => format!("factors[{factor}].values"),
            Self::Row { row, .. } => format!("sampling.rows[{row}]"),
            Self::TooMany(_) | Self::NoPoints | Self::Dimensions(_) => "sampling".into(),
        }
    }
}

/// The points of a plan: one value for each factor.
///
/// # Errors
/// When the factors have no points, or too many.
pub fn points(sampling: &Sampling, factors: &[Levels], seed: u64) -> Result<Vec<Vec<Value>>, SamplingError> {
    if let Sampling::Table { rows } = sampling {
        return table(rows, factors);
    }
    if let Some(factor) = factors.iter().position(|levels| levels.is_empty()) {
        return Err(SamplingError::NoValues(factor));
    }
    let sampled = match *sampling {
        Sampling::Grid => return grid(&listed(factors, "Grid")?),
        Sampling::Zip => return zip(&listed(factors, "Zip")?),
        Sampling::LatinHypercube { points } => latin_hypercube(points, factors.len(), seed),
        Sampling::Sobol { points } => sobol(points, factors.len(), seed)?,
        Sampling::Random { points } => random(points, factors.len(), seed),
        Sampling::Table { .. } => Vec::new(),
    };
    let point = |parts: Vec<f64>| factors.iter().zip(parts).map(|(levels, part)| levels.at(part)).collect();
    Ok(sampled.into_iter().map(point).collect())
}

impl Levels {
    fn is_empty(&self) -> bool {
        matches!(&self.values, Values::List(values) if values.is_empty())
    }

    /// The number of values; 0 for a range without one.
    fn count(&self) -> u64 {
        match &self.values {
            Values::List(values) => values.len() as u64,
            Values::Range { count, .. } | Values::LogRange { count, .. } => *count,
        }
    }

    /// The values one by one.
    fn list(&self) -> Vec<Value> {
        if let Values::List(values) = &self.values {
            return values.clone();
        }
        let last = (self.count().max(2) - 1) as f64;
        (0..self.count()).map(|index| self.value_at(index as f64 / last)).collect()
    }

    /// The value at a part of the way from the first to the last, from 0 up to but not including 1, each as likely.
    fn at(&self, part: f64) -> Value {
        match &self.values {
            Values::List(values) => {
                let place = (part * values.len() as f64) as usize;
                values.get(place.min(values.len().saturating_sub(1))).cloned().unwrap_or_default()
            }
            &Values::Range { from, to, .. } if self.is_whole => {
                let width = (to - from).abs() + 1.0;
                ((from.min(to) + (part * width).floor()).round()).into()
            }
            _ => self.value_at(part),
        }
    }

    fn value_at(&self, part: f64) -> Value {
        let number = match self.values {
            Values::List(_) => f64::NAN,
            // Both ends are exact: π rounded up could be beyond the limit of an angle.
            Values::Range { from, .. } | Values::LogRange { from, .. } if part == 0.0 => from,
            Values::Range { to, .. } | Values::LogRange { to, .. } if part == 1.0 => to,
            Values::Range { from, to, .. } => short(from + (to - from) * part),
            Values::LogRange { from, to, .. } => short(from * libm::exp(libm::log(to / from) * part)),
        };
        match self.is_whole {
            true => number.round().into(),
            false => number.into(),
        }
    }
}

/// A number with at most twelve digits, so that 0.1 + 0.2 is 0.3 in tables and commands.
pub fn short(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

fn listed(factors: &[Levels], sampling: &'static str) -> Result<Vec<Vec<Value>>, SamplingError> {
    let listed = factors.iter().enumerate().map(|(factor, levels)| match levels.count() {
        0 if !matches!(levels.values, Values::List(_)) => Err(SamplingError::NoCount(factor, sampling)),
        count if count > MAX_POINTS => Err(SamplingError::TooMany(count)),
        _ => Ok(levels.list()),
    });
    listed.collect()
}

fn grid(factors: &[Vec<Value>]) -> Result<Vec<Vec<Value>>, SamplingError> {
    let count = factors.iter().fold(1_u64, |count, values| count.saturating_mul(values.len() as u64));
    if count > MAX_POINTS {
        return Err(SamplingError::TooMany(count));
    }
    let mut points = vec![Vec::new()];
    for values in factors {
        let extended = points
            .iter()
            .flat_map(|point| values.iter().map(move |value| point.iter().chain([value]).cloned().collect()));
        points = extended.collect();
    }
    Ok(points)
}

fn zip(factors: &[Vec<Value>]) -> Result<Vec<Vec<Value>>, SamplingError> {
    let expected = factors.first().map_or(1, Vec::len);
    if let Some(factor) = factors.iter().position(|values| values.len() != expected) {
        return Err(SamplingError::Unequal { factor, found: factors[factor].len(), expected });
    }
    if expected as u64 > MAX_POINTS {
        return Err(SamplingError::TooMany(expected as u64));
    }
    Ok((0..expected).map(|row| factors.iter().map(|values| values[row].clone()).collect()).collect())
}

fn table(rows: &[Vec<Value>], factors: &[Levels]) -> Result<Vec<Vec<Value>>, SamplingError> {
    if let Some(factor) = factors.iter().position(|levels| !levels.is_empty()) {
        return Err(SamplingError::TwiceGiven(factor));
    }
    if let Some(row) = rows.iter().position(|row| row.len() != factors.len()) {
        return Err(SamplingError::Row { row, found: rows[row].len(), expected: factors.len() });
    }
    match rows.len() as u64 {
        0 => Err(SamplingError::NoPoints),
        count if count > MAX_POINTS => Err(SamplingError::TooMany(count)),
        _ => Ok(rows.to_vec()),
    }
}

/// Each dimension is cut into as many intervals as there are points; each interval has one point, at a random place.
fn latin_hypercube(count: u64, dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut points = vec![Vec::with_capacity(dimensions); count as usize];
    for dimension in 0..dimensions {
        let mut stream = Seed(seed).stream(StableId::metric(dimension as u32), "sampling/latin_hypercube");
        let mut intervals: Vec<u64> = (0..count).collect();
        // Fisher and Yates, as Durstenfeld (1964) has it.
        for last in (1..intervals.len()).rev() {
            intervals.swap(last, (stream.unit() * (last + 1) as f64) as usize);
        }
        for (point, interval) in points.iter_mut().zip(intervals) {
            point.push((interval as f64 + stream.unit()) / count as f64);
        }
    }
    points
}

fn sobol(count: u64, dimensions: usize, seed: u64) -> Result<Vec<Vec<f64>>, SamplingError> {
    if dimensions > MAX_DIMENSIONS {
        return Err(SamplingError::Dimensions(dimensions));
    }
    let shift = |dimension: usize| {
        let mut stream = Seed(seed).stream(StableId::metric(dimension as u32), "sampling/sobol");
        (stream.unit() * 2_f64.powi(32)) as u32
    };
    let shifts: Vec<u32> = (0..dimensions).map(shift).collect();
    let unit = |bits: u32| f64::from(bits) / 2_f64.powi(32);
    let points = sobol::Sequence::new(dimensions).take(count as usize);
    Ok(points.map(|point| point.iter().zip(&shifts).map(|(bits, shift)| unit(bits ^ shift)).collect()).collect())
}

fn random(count: u64, dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut stream = Seed(seed).stream(StableId::metric(0), "sampling/random");
    (0..count).map(|_| (0..dimensions).map(|_| stream.unit()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: f64, to: f64, count: u64) -> Levels {
        Levels { values: Values::Range { from, to, count }, is_whole: false }
    }

    fn list(values: &[&str]) -> Levels {
        Levels { values: Values::List(values.iter().map(|text| Value::new(*text)).collect()), is_whole: false }
    }

    fn texts(points: &[Vec<Value>]) -> Vec<String> {
        points.iter().map(|point| point.iter().map(Value::text).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn a_grid_has_every_combination() {
        let grid = points(&Sampling::Grid, &[range(0.1, 0.5, 3), list(&["a", "b"])], 1).unwrap();
        assert_eq!(texts(&grid), ["0.1 a", "0.1 b", "0.3 a", "0.3 b", "0.5 a", "0.5 b"]);
        assert_eq!(points(&Sampling::Grid, &[], 1).unwrap(), [Vec::new()]);
        let large = [range(0.0, 1.0, 1000), range(0.0, 1.0, 1000)];
        assert_eq!(points(&Sampling::Grid, &large, 1), Err(SamplingError::TooMany(1_000_000)));
    }

    #[test]
    fn zipped_factors_go_together() {
        let zipped = points(&Sampling::Zip, &[range(1.0, 3.0, 3), list(&["a", "b", "c"])], 1).unwrap();
        assert_eq!(texts(&zipped), ["1 a", "2 b", "3 c"]);
        let error = points(&Sampling::Zip, &[range(1.0, 3.0, 3), list(&["a"])], 1).unwrap_err();
        assert_eq!(error, SamplingError::Unequal { factor: 1, found: 1, expected: 3 });
    }

    #[test]
    fn logarithmic_ranges_have_the_same_ratio() {
        let levels = Levels { values: Values::LogRange { from: 0.01, to: 100.0, count: 5 }, is_whole: false };
        assert_eq!(texts(&points(&Sampling::Grid, &[levels], 1).unwrap()), ["0.01", "0.1", "1", "10", "100"]);
    }

    #[test]
    fn sampling_gives_whole_numbers_to_whole_parameters() {
        let levels = Levels { is_whole: true, ..range(2.0, 9.0, 3) };
        assert_eq!(texts(&points(&Sampling::Grid, std::slice::from_ref(&levels), 1).unwrap()), ["2", "6", "9"]);
        let drawn = points(&Sampling::LatinHypercube { points: 8 }, &[levels], 1).unwrap();
        let mut drawn: Vec<f64> = drawn.iter().map(|point| point[0].number().unwrap()).collect();
        drawn.sort_by(f64::total_cmp);
        assert_eq!(drawn, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    }

    #[test]
    fn a_latin_hypercube_has_one_point_in_each_interval() {
        let drawn = points(&Sampling::LatinHypercube { points: 50 }, &[range(0.0, 50.0, 0), range(0.0, 50.0, 0)], 3);
        let drawn = drawn.unwrap();
        for factor in 0..2 {
            let mut intervals: Vec<u64> = drawn.iter().map(|point| point[factor].number().unwrap() as u64).collect();
            intervals.sort_unstable();
            assert_eq!(intervals, (0..50).collect::<Vec<_>>());
        }
        assert_ne!(
            drawn,
            points(&Sampling::LatinHypercube { points: 50 }, &[range(0.0, 50.0, 0), range(0.0, 50.0, 0)], 4).unwrap()
        );
    }

    #[test]
    fn sobol_points_fill_every_dyadic_interval() {
        let factors = vec![range(0.0, 64.0, 0); MAX_DIMENSIONS];
        let drawn = points(&Sampling::Sobol { points: 64 }, &factors, 9).unwrap();
        for factor in 0..MAX_DIMENSIONS {
            let mut intervals: Vec<u64> = drawn.iter().map(|point| point[factor].number().unwrap() as u64).collect();
            intervals.sort_unstable();
            assert_eq!(intervals, (0..64).collect::<Vec<_>>(), "{factor}");
        }
    }

    #[test]
    fn sampling_tables_are_used_unchanged() {
        let rows = vec![vec![Value::new("1"), Value::new("\"a\"")], vec![Value::new("2"), Value::new("\"b\"")]];
        let sampling = Sampling::Table { rows: rows.clone() };
        assert_eq!(points(&sampling, &[list(&[]), list(&[])], 1), Ok(rows));
        assert_eq!(points(&sampling, &[list(&[]), list(&["1"])], 1), Err(SamplingError::TwiceGiven(1)));
        let error = SamplingError::Row { row: 0, found: 2, expected: 1 };
        assert_eq!(points(&sampling, &[list(&[])], 1), Err(error));
    }

    #[test]
    fn factors_without_values_are_refused() {
        assert_eq!(points(&Sampling::Grid, &[list(&[])], 1), Err(SamplingError::NoValues(0)));
        assert_eq!(points(&Sampling::Grid, &[range(0.0, 1.0, 0)], 1), Err(SamplingError::NoCount(0, "Grid")));
    }
}
