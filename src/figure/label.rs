//! Labels of series, and the legend of a caption.

use std::fmt;

/// The label of a series in a key: the values of quantities, and a name beside them.
///
/// ```
/// use swarmarium_figure::Label;
///
/// let label = Label { values: vec![("Range".into(), "2 m".into())], name: "expected".into() };
/// assert_eq!(label.to_string(), "Range = 2 m, expected");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// Quantities, each with the text of its value and unit.
    pub values: Vec<(String, String)>,
    /// The name; empty if the values tell the series.
    pub name: String,
}

impl Label {
    /// The quantities.
    pub(crate) fn quantities(&self) -> Vec<&str> {
        self.values.iter().map(|(quantity, _)| quantity.as_str()).collect()
    }

    /// The label without its quantities: `2 m, expected`.
    pub(crate) fn without_quantities(&self) -> String {
        let values = self.values.iter().map(|(_, value)| value.as_str());
        values.chain(Some(self.name.as_str()).filter(|name| !name.is_empty())).collect::<Vec<_>>().join(", ")
    }
}

impl From<String> for Label {
    fn from(name: String) -> Self {
        Self { values: Vec::new(), name }
    }
}

impl From<&str> for Label {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.iter().map(|(quantity, value)| format!("{quantity} = {value}"));
        let name = Some(self.name.clone()).filter(|name| !name.is_empty());
        f.write_str(&values.chain(name).collect::<Vec<_>>().join(", "))
    }
}

/// The part of a caption about lines and intervals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Legend {
    /// The meaning of a value, such as `mean`. Without one, the caption has no such part.
    pub value: String,
    /// The meaning of an interval, such as `95 % t interval of the mean`; empty if there are no intervals.
    pub interval: String,
    /// Sentences after it, such as one on other marks.
    pub more: String,
}

impl Legend {
    /// The legend in sentences, with words for the mark and for the form of the intervals: `Line: mean; bar: 95 % t interval.`
    pub(crate) fn text(&self, [mark, form]: [&str; 2]) -> Option<String> {
        let Self { value, interval, more } = self;
        let interval = if interval.is_empty() { String::new() } else { format!("; {form}: {interval}") };
        let first = if value.is_empty() { String::new() } else { format!("{mark}: {value}{interval}.") };
        Some(format!("{first} {}", more.trim()).trim().to_owned()).filter(|text| !text.is_empty())
    }
}
