//! Topics of plots: metrics and pinned values, with names and units for display.

pub use swarmarium_figure::Topic;

use crate::plots::history::History;

impl History {
    /// Returns the topics in order: metrics, then pins. Parts of a metric with the same unit share a topic.
    pub fn topics(&self) -> Vec<Topic<'_>> {
        let mut topics = Topic::of_columns(&self.columns, &self.quantities);
        topics.extend(self.pins.iter().enumerate().map(|(place, pin)| {
            let (name, unit) = pin.title();
            let parts = vec![(String::new(), self.columns.len() + place)];
            Topic { key: pin.path(), name: name.to_owned(), unit, parts, is_pin: true }
        }));
        topics
    }
}
