//! Labels of metrics: the names of their columns, and the measured quantities in words.

use crate::text::wording::{lower, words};

/// The label of a metric or of one of its components: the name in tables, and the quantity in words, for titles and axes.
///
/// ```
/// use swarmarium_core::metric::MetricLabel;
///
/// let radius = MetricLabel::new("radius_m", "Radius of the fitted circle");
/// assert_eq!((radius.name, radius.unit()), ("radius_m", "m"));
/// let share = MetricLabel::new("now", "Robots at the goal").in_unit("%");
/// assert_eq!(share.unit(), "%");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricLabel {
    /// The name, which ends with the unit: `radius_m`.
    pub name: &'static str,
    /// The quantity in words, with a capital and without the unit: `Radius of the fitted circle`.
    pub words: &'static str,
    /// The unit, if the name does not end with it.
    unit: Option<&'static str>,
}

impl MetricLabel {
    /// A label whose unit is that at the end of its name; without one, the quantity has no unit.
    pub const fn new(name: &'static str, words: &'static str) -> Self {
        Self { name, words, unit: None }
    }

    /// The label with a unit with which its name does not end.
    #[must_use]
    pub const fn in_unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// The unit; empty if there is none.
    pub fn unit(&self) -> &'static str {
        self.unit.unwrap_or_else(|| words(self.name).1)
    }
}

/// The quantity in a column of the metrics of a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quantity {
    /// The name in words, with a capital.
    pub name: String,
    /// The unit, or an empty text.
    pub unit: &'static str,
    /// The metric in words, for a plot with several of its columns.
    pub metric: String,
}

impl Quantity {
    /// A quantity that is not a column of a metric.
    pub fn new(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), unit, metric: String::new() }
    }

    /// The words of a column whose metric is unknown, or named by the user: `Speed of red` for `speed_of_red_m_per_s`,
    /// `Ring radius` for `ring.radius_m`.
    ///
    /// ```
    /// use swarmarium_core::metric::Quantity;
    ///
    /// assert_eq!(Quantity::of_words("ring.radius_m").label(), "Ring radius (m)");
    /// ```
    pub fn of_words(column: &str) -> Self {
        let (metric, part) = column.split_once('.').unwrap_or((column, ""));
        let ((metric, unit), (part_name, part_unit)) = (numbered_words(metric), words(part));
        // Parts with a hyphen are names of robots, groups or objects.
        let is_name = part.contains('-') || !part.starts_with(char::is_lowercase);
        let part_name = if is_name { part.to_owned() } else { lower(&part_name) };
        let name = format!("{metric} {part_name}").trim_end().to_owned();
        Self { name, unit: if part_unit.is_empty() { unit } else { part_unit }, metric }
    }

    /// The label of an axis: `Radius of the fitted circle (m)`.
    pub fn label(&self) -> String {
        let Self { name, unit, .. } = self;
        if unit.is_empty() || name.is_empty() { name.clone() } else { format!("{name} ({unit})") }
    }

    /// The quantities of a metric with a name in its scene: those of its label or of its components.
    ///
    /// A metric that occurs several times in a scene is numbered, as its name is. A name of the user replaces the words.
    pub(super) fn of_metric(name: &str, label: &MetricLabel, parts: &[MetricLabel]) -> Vec<Self> {
        let number = match name.strip_prefix(label.name) {
            Some("") => Some(String::new()),
            Some(rest) => rest.strip_prefix('_').filter(|rest| rest.parse::<u32>().is_ok()).map(|n| format!(" ({n})")),
            None => None,
        };
        let own = if parts.is_empty() { std::slice::from_ref(label) } else { parts };
        let quantity = |one: &MetricLabel| match &number {
            Some(number) => Self {
                name: format!("{}{number}", one.words),
                unit: one.unit(),
                metric: format!("{}{number}", label.words),
            },
            None => {
                let column = if parts.is_empty() { name.to_owned() } else { format!("{name}.{}", one.name) };
                let of_words = Self::of_words(&column);
                Self { unit: if of_words.unit.is_empty() { one.unit() } else { of_words.unit }, ..of_words }
            }
        };
        own.iter().map(quantity).collect()
    }
}

/// The words and the unit of a name, which may have a number after its unit: `Speed (2)` and m/s for `speed_m_per_s_2`.
fn numbered_words(name: &str) -> (String, &'static str) {
    let numbered = name.rsplit_once('_').filter(|(_, number)| number.parse::<u32>().is_ok());
    match numbered.map(|(stem, number)| (words(stem), number)) {
        Some(((stem, unit), number)) if !unit.is_empty() => (format!("{stem} ({number})"), unit),
        _ => words(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIT: MetricLabel = MetricLabel::new("circle_fit", "Circle fit");
    const PARTS: &[MetricLabel] =
        &[MetricLabel::new("residual", "Residual of the fitted circle"), MetricLabel::new("radius_m", "Radius of it")];

    fn labels(name: &str, label: &MetricLabel, parts: &[MetricLabel]) -> Vec<String> {
        Quantity::of_metric(name, label, parts).iter().map(Quantity::label).collect()
    }

    #[test]
    fn columns_have_the_words_of_their_metrics() {
        assert_eq!(labels("circle_fit", &FIT, PARTS), ["Residual of the fitted circle", "Radius of it (m)"]);
        assert_eq!(labels("circle_fit_2", &FIT, PARTS)[1], "Radius of it (2) (m)");
        assert_eq!(Quantity::of_metric("circle_fit_2", &FIT, PARTS)[0].metric, "Circle fit (2)");
        let share = MetricLabel::new("at_goal", "Robots at the goal").in_unit("%");
        assert_eq!(labels("at_goal", &share, &[]), ["Robots at the goal (%)"]);
    }

    #[test]
    fn names_of_users_replace_the_words_and_keep_the_unit() {
        assert_eq!(labels("ring", &FIT, PARTS), ["Ring residual", "Ring radius (m)"]);
        let speed = MetricLabel::new("average_speed_m_per_s", "Average speed");
        assert_eq!(labels("speed_of_red", &speed, &[]), ["Speed of red (m/s)"]);
        assert_eq!(labels("speed_of_red_m_per_s", &speed, &[]), ["Speed of red (m/s)"]);
        assert_eq!(labels("speed_of_red_m_per_s_2", &speed, &[]), ["Speed of red (2) (m/s)"]);
        assert_eq!(labels("red_2", &speed, &[]), ["Red 2 (m/s)"]);
    }

    #[test]
    fn unknown_columns_have_the_words_of_their_names() {
        let label = |column: &str| Quantity::of_words(column).label();
        assert_eq!(label("average_speed_m_per_s"), "Average speed (m/s)");
        assert_eq!(label("ring.radius_m"), "Ring radius (m)");
        assert_eq!(label("count.prey-1"), "Count prey-1");
        assert_eq!(label("circliness"), "Circliness");
        assert_eq!(label(""), "");
    }
}
