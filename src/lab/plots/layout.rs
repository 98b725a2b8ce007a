//! Which lines share a plot, and how each plot is drawn.

use std::collections::{BTreeMap, BTreeSet};

use super::axis::Scale;
use super::topic::Topic;

/// Which lines share a plot, and how each plot is drawn; by the keys of topics.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The topics that are drawn in the plot of another one, and that one.
    guests: BTreeMap<String, String>,
    /// The plots whose axis is logarithmic.
    logarithmic: BTreeSet<String>,
}

/// One plot: what it shows, in the order of its lines. The first topic is the one whose plot it is.
#[derive(Debug)]
pub struct Card<'a> {
    /// What it shows; all have the same unit.
    pub topics: Vec<Topic<'a>>,
    /// How its values are spread over its height.
    pub scale: Scale,
}

impl Layout {
    /// The plots of some topics, in their order. Who would share a plot with what is gone has its own again.
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

    /// Draws a plot in another one from now on.
    pub fn add(&mut self, guest: &str, host: &str) {
        if guest == host {
            return;
        }
        self.guests.values_mut().filter(|known| *known == guest).for_each(|known| *known = host.to_owned());
        self.guests.remove(host);
        self.guests.insert(guest.into(), host.into());
    }

    /// Gives all that share a plot plots of their own again.
    pub fn split(&mut self, host: &str) {
        self.guests.retain(|_, known| known != host);
    }

    /// Makes the axis of a plot logarithmic, or linear again.
    pub fn toggle_scale(&mut self, key: &str) {
        if !self.logarithmic.remove(key) {
            self.logarithmic.insert(key.into());
        }
    }
}

impl<'a> Card<'a> {
    /// The key of the topic whose plot it is.
    pub fn key(&self) -> &'a str {
        self.topics.first().map_or("", |topic| topic.key)
    }

    /// The unit of all its lines.
    pub fn unit(&self) -> &'static str {
        self.topics.first().map_or("", |topic| topic.unit)
    }

    /// What it is called.
    pub fn title(&self) -> String {
        self.topics.iter().map(|topic| topic.name.as_str()).collect::<Vec<_>>().join(" + ")
    }

    /// Its lines: what each is called, and its series.
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
        assert_eq!(keys(&layout), ["b", "dac"], "whoever was there comes along");
        layout.add("d", "a");
        assert_eq!(keys(&layout), ["acd", "b"], "and back");
        layout.split("a");
        assert_eq!(keys(&layout), ["a", "b", "c", "d"]);
    }

    #[test]
    fn only_what_has_the_same_unit_shares_an_axis() {
        let mut layout = Layout::default();
        layout.add("b", "a");
        layout.add("c", "gone");
        assert_eq!(keys(&layout), ["a", "b", "c", "d"]);
    }

    #[test]
    fn lines_are_told_apart_where_several_share_a_plot() {
        let mut layout = Layout::default();
        layout.toggle_scale("a");
        layout.add("c", "a");
        let cards = layout.cards(topics());
        assert_eq!((cards[0].title().as_str(), cards[0].scale), ("Name a + Name c", Scale::Logarithmic));
        assert_eq!(cards[0].lines().collect::<Vec<_>>(), [("Name a".to_owned(), 0), ("Name c".to_owned(), 2)]);
        assert_eq!(cards[1].lines().collect::<Vec<_>>(), [(String::new(), 1)]);
        layout.toggle_scale("a");
        assert_eq!(layout.cards(topics())[0].scale, Scale::Linear);
    }
}
