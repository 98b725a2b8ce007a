//! The arrangement of plots: shared plots and scales.

use std::collections::{BTreeMap, BTreeSet};

use crate::plots::axis::Scale;
use crate::plots::topic::Topic;

/// Shared plots and scales, by the keys of topics.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Topics that are drawn in the plot of another topic, with that topic.
    guests: BTreeMap<String, String>,
    /// Plots with a logarithmic axis.
    logarithmic: BTreeSet<String>,
}

/// One plot with its topics in the order of their lines. The first topic owns the plot.
#[derive(Debug)]
pub struct Card<'a> {
    /// The topics; all have the same unit.
    pub topics: Vec<Topic<'a>>,
    /// The scale of the value axis.
    pub scale: Scale,
}

impl Layout {
    /// Returns the plots of some topics, in order. A topic whose host is gone gets its own plot again.
    pub fn cards<'a>(&self, topics: Vec<Topic<'a>>) -> Vec<Card<'a>> {
        let units: BTreeMap<String, &str> = topics.iter().map(|topic| (topic.key.to_owned(), topic.unit)).collect();
        let host_of = |topic: &Topic| {
            let host = self.guests.get(topic.key)?;
            (units.get(host) == Some(&topic.unit)).then(|| host.clone())
        };
        let (guests, hosts): (Vec<_>, Vec<_>) =
            topics.into_iter().map(|topic| (host_of(&topic), topic)).partition(|(host, _)| host.is_some());
        let card = |(_, topic): (_, Topic<'a>)| {
            let is_logarithmic = self.logarithmic.contains(topic.key);
            let scale = if is_logarithmic { Scale::Logarithmic } else { Scale::Linear };
            Card { topics: vec![topic], scale }
        };
        let mut cards: Vec<Card> = hosts.into_iter().map(card).collect();
        for (host, guest) in guests {
            if let Some(card) = cards.iter_mut().find(|card| Some(card.key()) == host.as_deref()) {
                card.topics.push(guest);
            }
        }
        cards
    }

    /// Moves a plot into another one.
    pub fn add(&mut self, guest: &str, host: &str) {
        if guest == host {
            return;
        }
        self.guests.values_mut().filter(|known| *known == guest).for_each(|known| *known = host.to_owned());
        self.guests.remove(host);
        self.guests.insert(guest.into(), host.into());
    }

    /// Gives all topics of a plot their own plots again.
    pub fn split(&mut self, host: &str) {
        self.guests.retain(|_, known| known != host);
    }

    /// Switches the axis of a plot between logarithmic and linear.
    pub fn toggle_scale(&mut self, key: &str) {
        if !self.logarithmic.remove(key) {
            self.logarithmic.insert(key.into());
        }
    }
}

impl<'a> Card<'a> {
    /// Returns the key of the topic that owns the plot.
    pub fn key(&self) -> &'a str {
        self.topics.first().map_or("", |topic| topic.key)
    }

    /// Returns the unit of all lines.
    pub fn unit(&self) -> &'static str {
        self.topics.first().map_or("", |topic| topic.unit)
    }

    /// Returns the title.
    pub fn title(&self) -> String {
        self.topics.iter().map(|topic| topic.name.as_str()).collect::<Vec<_>>().join(" + ")
    }

    /// Returns the lines, each with its name and its series.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = (String, usize)> {
        let is_shared = self.topics.len() > 1;
        self.topics.iter().flat_map(move |topic| {
            topic.parts.iter().map(move |(part, series)| match is_shared {
                true => (format!("{} {part}", topic.name).trim_end().to_owned(), *series),
                false => (part.clone(), *series),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topics() -> Vec<Topic<'static>> {
        let units = [("a", "m"), ("b", "s"), ("c", "m"), ("d", "m")];
        let topic = |(series, (key, unit))| Topic {
            key,
            name: format!("Name {key}"),
            unit,
            parts: vec![(String::new(), series)],
            is_pin: false,
        };
        units.into_iter().enumerate().map(topic).collect()
    }

    fn keys(layout: &Layout) -> Vec<String> {
        let cards = layout.cards(topics());
        let keys = |card: &Card| card.topics.iter().map(|topic| topic.key).collect::<Vec<_>>().join("");
        cards.iter().map(keys).collect()
    }

    #[test]
    fn plots_are_merged_and_split() {
        let mut layout = Layout::default();
        assert_eq!(keys(&layout), ["a", "b", "c", "d"]);
        layout.add("a", "c");
        assert_eq!(keys(&layout), ["b", "ca", "d"]);
        layout.add("c", "d");
        assert_eq!(keys(&layout), ["b", "dac"], "its guests move with it");
        layout.add("d", "a");
        assert_eq!(keys(&layout), ["acd", "b"], "and back");
        layout.split("a");
        assert_eq!(keys(&layout), ["a", "b", "c", "d"]);
    }

    #[test]
    fn only_plots_with_the_same_unit_share_an_axis() {
        let mut layout = Layout::default();
        layout.add("b", "a");
        layout.add("c", "gone");
        assert_eq!(keys(&layout), ["a", "b", "c", "d"]);
    }

    #[test]
    fn curves_that_share_a_plot_have_different_styles() {
        let mut layout = Layout::default();
        layout.toggle_scale("a");
        layout.add("c", "a");
        let cards = layout.cards(topics());
        assert_eq!(cards[0].title().as_str(), "Name a + Name c");
        assert_eq!(cards[0].scale, Scale::Logarithmic);
        assert_eq!(cards[0].lines().collect::<Vec<_>>(), [("Name a".to_owned(), 0), ("Name c".to_owned(), 2)]);
        assert_eq!(cards[1].lines().collect::<Vec<_>>(), [(String::new(), 1)]);
        layout.toggle_scale("a");
        assert_eq!(layout.cards(topics())[0].scale, Scale::Linear);
    }
}
