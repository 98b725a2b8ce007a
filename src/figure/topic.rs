//! Topics of plots: metrics with their names and units, of which several columns share a plot.

use std::collections::BTreeMap;

use swarmarium_core::metric::Quantity;
use swarmarium_core::text::wording::{lower, words};

/// The topic of a plot: a metric, which is a number or several named parts of one unit, or another number of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic<'a> {
    /// The unique name in files, or the path.
    pub key: &'a str,
    /// The name in words.
    pub name: String,
    /// The unit, or an empty text.
    pub unit: &'static str,
    /// The name in words and the column of each part.
    pub parts: Vec<(String, usize)>,
    /// Whether the topic is a pinned value, and not a metric.
    pub is_pin: bool,
}

/// A column of the metrics: the metric, its part, and their unit.
struct Column<'a> {
    metric: &'a str,
    /// The name of the part in words; empty for a metric that is one number.
    part: String,
    quantity: &'a Quantity,
}

impl<'a> Column<'a> {
    fn of(name: &'a str, quantity: &'a Quantity) -> Self {
        let (metric, part) = name.split_once('.').unwrap_or((name, ""));
        // Parts with a hyphen are names of robots, groups or objects and are not changed.
        let is_word = !part.contains('-') && part.chars().next().is_some_and(char::is_lowercase);
        let part = if is_word { lower(&words(part).0) } else { part.to_owned() };
        Self { metric, part, quantity }
    }
}

impl<'a> Topic<'a> {
    /// The topics of the columns of metrics with their quantities, in their order. Parts of a metric with the same unit share
    /// a topic.
    pub fn of_columns(names: &'a [String], quantities: &'a [Quantity]) -> Vec<Self> {
        let columns: Vec<Column> =
            names.iter().zip(quantities).map(|(name, quantity)| Column::of(name, quantity)).collect();
        let mut units: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for Column { metric, quantity, .. } in &columns {
            let known = units.entry(*metric).or_default();
            if !known.contains(&quantity.unit) {
                known.push(quantity.unit);
            }
        }
        let mut topics: Vec<Self> = Vec::new();
        let mut places = BTreeMap::new();
        for (place, (Column { metric, part, quantity }, column)) in columns.into_iter().zip(names).enumerate() {
            let has_several_units = units.get(metric).is_some_and(|units| units.len() > 1);
            let topic = *places.entry((metric, quantity.unit)).or_insert_with(|| {
                let key = if has_several_units { column.as_str() } else { metric };
                let (name, unit) = (quantity.metric.clone(), quantity.unit);
                topics.push(Self { key, name, unit, parts: Vec::new(), is_pin: false });
                topics.len() - 1
            });
            topics[topic].parts.push((part, place));
        }
        // A topic with a single column is named after that column.
        for topic in &mut topics {
            if let [(part, column)] = &mut topic.parts[..] {
                topic.name.clone_from(&quantities[*column].name);
                part.clear();
            }
        }
        topics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(columns: &[&str]) -> Vec<String> {
        let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let text = |topic: Topic| {
            let parts: Vec<String> = topic.parts.iter().map(|(part, column)| format!("{part}:{column}")).collect();
            format!("{} = {} [{}] {}", topic.key, topic.name, topic.unit, parts.join(" "))
        };
        let quantities: Vec<Quantity> = columns.iter().map(|column| Quantity::of_words(column)).collect();
        Topic::of_columns(&columns, &quantities).into_iter().map(text).collect()
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
