//! Similar names, for messages.

/// Returns `, did you mean …?` if a known name is similar. Empty and overlong names are similar to none.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    if name.is_empty() || name.len() > 64 {
        return String::new();
    }
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= allowed(candidate.chars().count().min(lower.chars().count())))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| format!(", did you mean `{candidate}`?"))
        .unwrap_or_default()
}

/// Largest edit distance between similar names, by the length of the shorter one: a third of it, at most 3.
fn allowed(length: usize) -> usize {
    ((length + 1) / 3).min(3).min(length.saturating_sub(1))
}
