//! Topics of plots: metrics and pinned values, with names and units for display.

use std::collections::BTreeMap;

use swarmarium_core::text::wording::{lower, words};

use crate::plots::history::History;

/// The topic of a plot: a metric, which is a number or several named parts of one unit, or a pinned value.
#[derive(Debug, PartialEq)]
pub struct Topic<'a> {
    /// The unique name in files, or the path.
    pub key: &'a str,
    /// The name in words.
    pub name: String,
    /// The unit, or an empty text.
    pub unit: &'static str,
    /// The name in words and the series of each part.
    pub parts: Vec<(String, usize)>,
    /// Whether the topic is a pinned value.
    pub is_pin: bool,
}

/// A column of the metrics: the metric, its part, and their unit.
struct Column<'a> {
    metric: &'a str,
    /// The name of the part in words; empty for a metric that is one number.
    part: String,
    unit: &'static str,
}

impl<'a> Column<'a> {
    fn of(name: &'a str) -> Self {
        let (metric, part) = name.split_once('.').unwrap_or((name, ""));
        let ((_, unit), (words, unit_of_part)) = (words(metric), words(part));
        // Parts with a hyphen are names of robots, groups or objects and are not changed.
        let is_word = !part.contains('-') && part.chars().next().is_some_and(char::is_lowercase);
        let part = if is_word { lower(&words) } else { part.to_owned() };
        Self { metric, part, unit: if unit_of_part.is_empty() { unit } else { unit_of_part } }
    }
}

impl History {
    /// Returns the topics in order: metrics, then pins. Parts of a metric with the same unit share a topic.
    pub fn topics(&self) -> Vec<Topic<'_>> {
        let columns: Vec<Column> = self.columns.iter().map(|name| Column::of(name)).collect();
        let mut units: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for Column { metric, unit, .. } in &columns {
            let known = units.entry(*metric).or_default();
            if !known.contains(unit) {
                known.push(*unit);
            }
        }
        let mut topics: Vec<Topic> = Vec::new();
        let mut places = BTreeMap::new();
        for (series, (Column { metric, part, unit }, column)) in columns.into_iter().zip(&self.columns).enumerate() {
            let has_several_units = units.get(metric).is_some_and(|units| units.len() > 1);
            let place = *places.entry((metric, unit)).or_insert_with(|| {
                let key = if has_several_units { column.as_str() } else { metric };
                topics.push(Topic { key, name: words(metric).0, unit, parts: Vec::new(), is_pin: false });
                topics.len() - 1
            });
            topics[place].parts.push((part, series));
        }
        // A topic with a single part is named after that part.
        for topic in topics.iter_mut().filter(|topic| topic.key.contains('.')) {
            if let [(part, _)] = &mut topic.parts[..] {
                topic.name = format!("{} {}", topic.name, std::mem::take(part));
            }
        }
        topics.extend(self.pins.iter().enumerate().map(|(place, pin)| {
            let (name, unit) = pin.title();
            let parts = vec![(String::new(), self.columns.len() + place)];
            Topic { key: pin.path(), name: name.to_owned(), unit, parts, is_pin: true }
        }));
        topics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(columns: &[&str]) -> Vec<String> {
        let history = History::new(columns.iter().map(|name| (*name).to_owned()).collect(), 0.025);
        let text = |topic: Topic| {
            let parts: Vec<String> = topic.parts.iter().map(|(part, series)| format!("{part}:{series}")).collect();
            format!("{} = {} [{}] {}", topic.key, topic.name, topic.unit, parts.join(" "))
        };
        history.topics().into_iter().map(text).collect()
    }

    #[test]
    fn components_of_a_vector_share_a_plot() {
        assert_eq!(
            labels(&["speed", "centroid_m.x", "centroid_m.y", "count.prey-1", "count.Alpha"]),
            ["speed = Speed [] :0", "centroid_m = Centroid [m] x:1 y:2", "count = Count [] prey-1:3 Alpha:4"]
        );
    }

    #[test]
    fn parts_of_several_units_have_a_plot_for_each_unit() {
        assert_eq!(
            labels(&["step_response.overshoot_percent", "step_response.settling_time_s"]),
            [
                "step_response.overshoot_percent = Step response overshoot [%] :0",
                "step_response.settling_time_s = Step response settling time [s] :1"
            ]
        );
        assert_eq!(
            labels(&["wheels.left_m_per_s", "wheels.right_m_per_s", "wheels.slip_percent"]),
            ["wheels.left_m_per_s = Wheels [m/s] left:0 right:1", "wheels.slip_percent = Wheels slip [%] :2"]
        );
    }
}
