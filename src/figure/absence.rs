//! Numbers without a place on the axes: the reasons, and the remarks on them.

/// The reason why an axis has no place for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It is not a number, or one that is too large for any chart.
    NoValue,
    /// It is not above 0, and the axis is logarithmic.
    NotPositive,
    /// It is beyond the range that the axis was given.
    Beyond,
}

/// A remark for each reason that occurs, for the caption: `2 points have no value.`
pub fn remarks(reasons: &[Absence], noun: &str) -> Vec<String> {
    let words = [
        (Absence::NoValue, ["has no value", "have no value"]),
        (Absence::NotPositive, ["has no place on a logarithmic axis", "have no place on a logarithmic axis"]),
        (Absence::Beyond, ["is beyond the axes", "are beyond the axes"]),
    ];
    let remark =
        |(reason, [one, several]): (Absence, [&str; 2])| match reasons.iter().filter(|other| **other == reason).count()
        {
            0 => None,
            1 => Some(format!("1 {noun} {one}.")),
            count => Some(format!("{count} {noun}s {several}.")),
        };
    words.into_iter().filter_map(remark).collect()
}
