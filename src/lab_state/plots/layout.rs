//! The arrangement of plots: shared plots, scales and axes.

use crate::common::settings::PlotLayout;
use crate::plots::axis::Scale;
use crate::plots::topic::Topic;

/// One plot with its topics in the order of their lines. The first topic owns the plot.
#[derive(Debug)]
pub struct Card<'a> {
    /// The topics; they have one or two units.
    pub topics: Vec<Topic<'a>>,
    /// The scale of the value axes.
    pub scale: Scale,
    /// Whether the axes fit the values, and not the range of the quantity.
    pub is_fitted: bool,
    /// Whether the plot shows the common time span.
    pub is_linked: bool,
}

/// A line of a plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardLine {
    /// The name in the legend; empty for the only line of a plot.
    pub name: String,
    /// The place of the series in the history.
    pub series: usize,
    /// Whether its values are on the right axis.
    pub is_right: bool,
}

impl PlotLayout {
    /// Returns the plots of some topics, in order. A topic gets its own plot again if its host is gone, or has two other
    /// units.
    pub fn cards<'a>(&self, topics: Vec<Topic<'a>>) -> Vec<Card<'a>> {
        let exists = |host: &&String| topics.iter().any(|topic| topic.key == **host);
        let hosts: Vec<Option<&String>> =
            topics.iter().map(|topic| self.guests.get(topic.key).filter(exists)).collect();
        let (guests, own): (Vec<_>, Vec<_>) = topics.into_iter().zip(hosts).partition(|(_, host)| host.is_some());
        let mut cards: Vec<Card> = own.into_iter().map(|(topic, _)| self.card(topic)).collect();
        for (guest, host) in guests {
            let card = cards.iter_mut().find(|card| Some(card.key()) == host.map(String::as_str));
            match card.filter(|card| card.has_axis_for(guest.unit)) {
                Some(card) => card.topics.push(guest),
                None => cards.push(self.card(guest)),
            }
        }
        cards
    }

    /// Returns the plot of one topic.
    fn card<'a>(&self, topic: Topic<'a>) -> Card<'a> {
        let scale = if self.logarithmic.contains(topic.key) { Scale::Logarithmic } else { Scale::Linear };
        let (is_fitted, is_linked) = (self.fitted.contains(topic.key), !self.unlinked.contains(topic.key));
        Card { topics: vec![topic], scale, is_fitted, is_linked }
    }
}

impl<'a> Card<'a> {
    /// Returns the key of the topic that owns the plot.
    pub fn key(&self) -> &'a str {
        self.topics.first().map_or("", |topic| topic.key)
    }

    /// Returns the unit of the left axis.
    pub fn unit(&self) -> &'static str {
        self.topics.first().map_or("", |topic| topic.unit)
    }

    /// Returns the unit of the right axis, if there is one.
    pub fn right_unit(&self) -> Option<&'static str> {
        self.topics.iter().map(|topic| topic.unit).find(|unit| *unit != self.unit())
    }

    /// Whether a value with a unit has an axis in this plot, or finds place for one.
    fn has_axis_for(&self, unit: &str) -> bool {
        unit == self.unit() || self.right_unit().is_none_or(|right| right == unit)
    }

    /// Explains why the lines of this plot cannot be drawn in another one; `None` if they can.
    pub fn refusal(&self, host: &Self) -> Option<String> {
        let mut units = vec![host.unit()];
        for unit in host.topics.iter().chain(&self.topics).map(|topic| topic.unit) {
            if !units.contains(&unit) {
                units.push(unit);
            }
        }
        let named = |unit: &str| if unit.is_empty() { "no unit".to_owned() } else { unit.to_owned() };
        let names: Vec<String> = units.into_iter().map(named).collect();
        (names.len() > 2)
            .then(|| format!("A plot has two value axes at most; this one would need {}", names.join(", ")))
    }

    /// Returns the title.
    pub fn title(&self) -> String {
        self.topics.iter().map(|topic| topic.name.as_str()).collect::<Vec<_>>().join(" + ")
    }

    /// Returns the lines.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = CardLine> {
        let is_shared = self.topics.len() > 1;
        self.topics.iter().flat_map(move |topic| {
            topic.parts.iter().map(move |(part, series)| CardLine {
                name: match is_shared {
                    true => format!("{} {part}", topic.name).trim_end().to_owned(),
                    false => part.clone(),
                },
                series: *series,
                is_right: topic.unit != self.unit(),
            })
        })
    }
}

impl Card<'_> {
    /// Whether the plot shows the line of a series. The only line of a plot has no legend that could show it again, so it
    /// is always shown.
    pub fn shows(&self, layout: &PlotLayout, series: &str) -> bool {
        layout.shows(series) || self.lines().nth(1).is_none()
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

    fn keys(layout: &PlotLayout) -> Vec<String> {
        let cards = layout.cards(topics());
        let keys = |card: &Card| card.topics.iter().map(|topic| topic.key).collect::<Vec<_>>().join("");
        cards.iter().map(keys).collect()
    }

    #[test]
    fn the_only_line_of_a_plot_is_never_hidden() {
        let mut layout = PlotLayout::default();
        layout.add("a", "c");
        layout.toggle_line("a");
        let shown = |layout: &PlotLayout| -> Vec<bool> {
            layout.cards(topics()).iter().map(|card| card.shows(layout, "a")).collect()
        };
        assert_eq!(shown(&layout), [true, false, true]);
        layout.split("c");
        assert_eq!(shown(&layout), [true; 4]);
        layout.add("a", "c");
        layout.show_lines(["a"]);
        assert_eq!(shown(&layout), [true; 3]);
    }

    #[test]
    fn plots_are_merged_and_split() {
        let mut layout = PlotLayout::default();
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
    fn a_second_unit_has_the_right_axis_and_a_third_its_own_plot() {
        let mut layout = PlotLayout::default();
        layout.add("b", "a");
        layout.add("c", "gone");
        assert_eq!(keys(&layout), ["ab", "c", "d"]);
        let cards = layout.cards(topics());
        assert_eq!((cards[0].unit(), cards[0].right_unit()), ("m", Some("s")));
        assert_eq!(cards[0].lines().map(|line| line.is_right).collect::<Vec<_>>(), [false, true]);
        let other =
            Card { topics: vec![Topic { unit: "rad", ..topics().remove(0) }], ..layout.card(topics().remove(0)) };
        let refusal = "A plot has two value axes at most; this one would need m, s, rad";
        assert_eq!(other.refusal(&cards[0]).as_deref(), Some(refusal));
        assert_eq!(cards[1].refusal(&cards[0]), None);
        assert!(!cards[0].has_axis_for("rad") && cards[0].has_axis_for("s") && cards[1].has_axis_for("rad"));
    }

    #[test]
    fn curves_that_share_a_plot_have_different_styles() {
        let mut layout = PlotLayout::default();
        layout.toggle_scale("a");
        layout.add("c", "a");
        let cards = layout.cards(topics());
        assert_eq!(cards[0].title().as_str(), "Name a + Name c");
        assert_eq!(cards[0].scale, Scale::Logarithmic);
        let lines = |card: &Card| card.lines().map(|line| (line.name, line.series)).collect::<Vec<_>>();
        assert_eq!(lines(&cards[0]), [("Name a".to_owned(), 0), ("Name c".to_owned(), 2)]);
        assert_eq!(lines(&cards[1]), [(String::new(), 1)]);
        layout.toggle_scale("a");
        assert_eq!(layout.cards(topics())[0].scale, Scale::Linear);
    }
}
