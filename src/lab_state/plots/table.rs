//! The table of the values of all plots at one moment.

use crate::plots::history::History;
use crate::plots::layout::Card;

/// A moment with the values of all series.
#[derive(Clone, Debug, PartialEq)]
pub struct ValuesAt {
    /// The step.
    pub step: u64,
    /// The simulated time, in seconds.
    pub time_s: f64,
    /// The values, by the places of their series.
    pub values: Vec<f64>,
}

impl ValuesAt {
    /// Returns the values of a history after the last step of a bucket.
    pub fn of(history: &History, bucket: usize) -> Self {
        let step = history.steps().get(bucket).copied().unwrap_or_default();
        let series = 0..history.names().count();
        let value = |series: usize| history.series(series).get(bucket).copied().unwrap_or(f64::NAN);
        Self { step, time_s: history.time_s(step), values: series.map(value).collect() }
    }

    /// Returns a row for each line of some plots, in order.
    pub fn rows(&self, cards: &[Card]) -> Vec<Row> {
        let topics = cards.iter().flat_map(|card| &card.topics);
        let rows = topics.flat_map(|topic| {
            topic.parts.iter().map(|(part, series)| Row {
                name: format!("{} {part}", topic.name).trim_end().to_owned(),
                series: *series,
                value: self.values.get(*series).copied().unwrap_or(f64::NAN),
                unit: topic.unit,
            })
        });
        rows.collect()
    }

    /// Returns the table as text, one row per line with tabs between the columns: names as in exported CSV files, all
    /// digits, and units. A missing value is empty.
    pub fn tsv(&self, cards: &[Card], history: &History) -> String {
        let names: Vec<&str> = history.names().collect();
        let mut text = format!("name\tvalue\tunit\ntime_s\t{}\ts\nstep\t{}\t\n", self.time_s, self.step);
        for row in self.rows(cards) {
            let value = if row.value.is_finite() { row.value.to_string() } else { String::new() };
            text.push_str(&format!("{}\t{value}\t{}\n", names.get(row.series).copied().unwrap_or_default(), row.unit));
        }
        text
    }
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name in words.
    pub name: String,
    /// The place of the series.
    pub series: usize,
    /// The value; not finite if there is none.
    pub value: f64,
    /// The unit.
    pub unit: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::settings::PlotLayout;

    #[test]
    fn the_table_has_all_series_with_time_and_step() {
        let mut history = History::new(vec!["circliness".into(), "centroid_m.x".into(), "centroid_m.y".into()], 0.5);
        (1..=4).for_each(|step| history.push(step, vec![step as f64 / 8.0, f64::NAN, 2.0]));
        let cards = PlotLayout::default().cards(history.topics());
        let moment = ValuesAt::of(&history, 2);
        assert_eq!((moment.step, moment.time_s), (3, 1.5));
        let names: Vec<String> = moment.rows(&cards).into_iter().map(|row| row.name).collect();
        assert_eq!(names, ["Circliness", "Centroid x", "Centroid y"]);
        assert_eq!(
            moment.tsv(&cards, &history),
            "name\tvalue\tunit\ntime_s\t1.5\ts\nstep\t3\t\ncircliness\t0.375\t\ncentroid_m.x\t\tm\n\
             centroid_m.y\t2\tm\n"
        );
        assert!(ValuesAt::of(&history, 99).values.iter().all(|value| value.is_nan()));
    }
}
