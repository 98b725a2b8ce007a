//! Unique names.

use std::collections::HashMap;

/// The names given so far, with the number of requests for each.
#[derive(Debug, Default)]
pub struct Names(HashMap<String, u32>);

impl Names {
    /// The wanted name or, if it is taken, the first free one with a number: `a`, then `a-2`, where `between` is `-`.
    pub fn unique(&mut self, wanted: &str, between: char) -> String {
        let mut unique = wanted.to_owned();
        while self.0.contains_key(&unique) {
            let asked = self.0.entry(wanted.to_owned()).or_insert(1);
            *asked += 1;
            unique = format!("{wanted}{between}{asked}");
        }
        self.0.insert(unique.clone(), 1);
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_where_they_are_taken() {
        let mut names = Names::default();
        let given = ["a", "a", "a_3", "a", "b", "a_3"].map(|wanted| names.unique(wanted, '_'));
        assert_eq!(given, ["a", "a_2", "a_3", "a_4", "b", "a_3_2"]);
    }

    #[test]
    fn many_equal_names_are_numbered_quickly() {
        let mut names = Names::default();
        assert_eq!((0..200_000).map(|_| names.unique("a", '-')).last().unwrap(), "a-200000");
    }
}
