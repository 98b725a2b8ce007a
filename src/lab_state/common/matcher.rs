//! Matching of names with typed text, for the palette and the searches of panels.
//!
//! A name counts more than its synonyms, and those more than a description. Omitted or mistyped letters are accepted
//! only if nothing matches exactly.

use std::ops::Range;

/// The number of letters of a query that are used.
const MOST_LETTERS: usize = 64;

/// Words that are ignored beside others.
const FILLERS: [&str; 9] = ["a", "an", "the", "to", "of", "how", "do", "i", "my"];

/// The way in which a name matches, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The query equals the name.
    Name,
    /// The query equals a synonym.
    Synonym,
    /// The name starts with the query.
    Start,
    /// Each word of the query is a word of the name, in any order.
    Words,
    /// Each word of the query starts a word of the name.
    Starts,
    /// Each word of the query starts a word of the name or of one synonym.
    SynonymStarts,
    /// Each word of the query is somewhere in the name.
    Parts,
    /// The query omits letters of the name or of a synonym, or each of its words has one typing error.
    Similar,
    /// Each word of the query starts a word of the name or of its description.
    Description,
}

/// A match of a name with a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Match<'a> {
    /// The rank of the match.
    pub rank: Rank,
    /// The typed parts of the name, as ranges of bytes.
    pub typed: Vec<Range<usize>>,
    /// The matching synonym, if the name did not match.
    pub synonym: Option<&'a str>,
}

impl Match<'_> {
    /// Creates a match of the name.
    pub fn new(rank: Rank, typed: Vec<Range<usize>>) -> Self {
        Self { rank, typed, synonym: None }
    }
}

/// Parsed search text.
pub struct Query {
    /// The text in lower case, with one space between words.
    text: String,
    words: Vec<Vec<char>>,
}

impl Query {
    /// Parses typed text.
    pub fn new(typed: &str) -> Self {
        let typed: String = typed.chars().take(MOST_LETTERS).collect();
        let all: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let said: Vec<&String> = all.iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
        let words = if said.is_empty() { all.iter().collect() } else { said };
        Self { text: all.join(" "), words: words.into_iter().map(|word| word.chars().collect()).collect() }
    }

    /// Whether nothing was typed: then everything matches.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Matches a name with its synonyms and description.
    pub fn find<'a>(&self, name: &str, synonyms: &[&'a str], description: &str) -> Option<Match<'a>> {
        let letters = Letters::of(name);
        let in_name = self.in_letters(&letters);
        if let Some(found) = in_name.as_ref().filter(|found| found.rank == Rank::Name) {
            return Some(found.clone());
        }
        let same = synonyms.iter().find(|synonym| **synonym == self.text);
        let synonym = same.map(|synonym| (Rank::Synonym, *synonym)).or_else(|| self.in_synonyms(&letters, synonyms));
        let synonym = synonym.map(|(rank, synonym)| Match { rank, typed: Vec::new(), synonym: Some(synonym) });
        let found = [in_name, synonym].into_iter().flatten().min_by_key(|found| found.rank);
        found.or_else(|| self.similar(&letters, synonyms)).or_else(|| self.in_description(&letters, description))
    }

    /// Matches a name exactly, without synonyms or errors.
    pub fn in_name(&self, name: &str) -> Option<Match<'static>> {
        self.in_letters(&Letters::of(name))
    }

    /// Whether a text contains each word.
    pub fn is_in(&self, text: &str) -> bool {
        let letters = Letters::of(text);
        self.words.iter().all(|word| letters.place_of(word).is_some())
    }

    /// Whether a text contains each word, perhaps with one typing error or with omitted letters.
    pub fn is_nearly_in(&self, text: &str) -> bool {
        let letters = Letters::of(text);
        self.words.iter().all(|word| letters.place_of(word).is_some() || letters.similar_to(word).is_some())
    }

    fn in_letters(&self, letters: &Letters) -> Option<Match<'static>> {
        let places = self.words.iter().map(|word| letters.place_of(word));
        let places: Vec<Range<usize>> = places.collect::<Option<_>>()?;
        let mut rank = Rank::Words;
        for place in &places {
            let starts = letters.is_start(place.start);
            rank = rank.max(match starts && letters.is_end(place.end) {
                true => Rank::Words,
                false if starts => Rank::Starts,
                false => Rank::Parts,
            });
        }
        if letters.small.iter().copied().eq(self.text.chars()) {
            rank = Rank::Name;
        } else if rank <= Rank::Starts && self.text.chars().zip(&letters.small).all(|(typed, own)| typed == *own) {
            rank = Rank::Start;
        }
        Some(Match::new(rank, letters.bytes(places)))
    }

    /// Returns the first synonym that starts with the query; words of the name may complete it.
    fn in_synonyms<'a>(&self, name: &Letters, synonyms: &[&'a str]) -> Option<(Rank, &'a str)> {
        let fits = |synonym: &&&str| {
            let synonym = Letters::of(synonym);
            self.words.iter().all(|word| synonym.has_start(word) || name.has_start(word))
                && self.words.iter().any(|word| synonym.has_start(word))
        };
        synonyms.iter().find(fits).map(|synonym| (Rank::SynonymStarts, *synonym))
    }

    fn similar<'a>(&self, name: &Letters, synonyms: &[&'a str]) -> Option<Match<'a>> {
        let places = self.words.iter().map(|word| name.place_of(word).or_else(|| name.similar_to(word)));
        if let Some(places) = places.collect::<Option<Vec<_>>>() {
            return Some(Match::new(Rank::Similar, name.bytes(places)));
        }
        let typed: Vec<char> = self.words.iter().flatten().copied().collect();
        if let Some(places) = name.starts_of_words(&typed) {
            return Some(Match::new(Rank::Similar, name.bytes(places)));
        }
        let is_similar = |synonym: &&&str| {
            let letters = Letters::of(synonym);
            self.words.iter().all(|word| letters.similar_to(word).is_some())
        };
        let synonym = synonyms.iter().find(is_similar)?;
        Some(Match { rank: Rank::Similar, typed: Vec::new(), synonym: Some(synonym) })
    }

    fn in_description(&self, name: &Letters, description: &str) -> Option<Match<'static>> {
        let description = Letters::of(description);
        let fits = |word: &Vec<char>| description.has_start(word) || name.has_start(word);
        (!self.is_empty() && self.words.iter().all(fits)).then(|| Match::new(Rank::Description, Vec::new()))
    }
}

/// Sorts matches by rank, in stable order. Removes merely similar ones if a name or a synonym matches exactly.
pub fn sort<T>(found: &mut Vec<T>, rank: impl Fn(&T) -> Rank) {
    found.sort_by_key(&rank);
    if found.first().is_some_and(|best| rank(best) < Rank::Similar) {
        found.retain(|one| rank(one) != Rank::Similar);
    }
}

/// The letters of a name in lower case, with their positions.
struct Letters {
    small: Vec<char>,
    /// The byte offsets of the letters, and the number of bytes.
    at: Vec<usize>,
}

impl Letters {
    fn of(name: &str) -> Self {
        let small = name.chars().map(|letter| letter.to_lowercase().next().unwrap_or(letter)).collect();
        let at = name.char_indices().map(|(at, _)| at).chain([name.len()]).collect();
        Self { small, at }
    }

    fn is_letter(&self, place: usize) -> bool {
        self.small.get(place).is_some_and(|letter| letter.is_alphanumeric())
    }

    /// Whether a word starts at an index.
    fn is_start(&self, place: usize) -> bool {
        place == 0 || !self.is_letter(place - 1)
    }

    /// Whether a word ends before an index.
    fn is_end(&self, place: usize) -> bool {
        !self.is_letter(place)
    }

    /// Returns all words.
    fn words(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = (0..self.small.len()).filter(|place| self.is_letter(*place) && self.is_start(*place));
        starts.map(|start| {
            let end = (start..self.small.len()).find(|place| self.is_end(*place)).unwrap_or(self.small.len());
            start..end
        })
    }

    /// Finds a part of the name: as a word, else at the start of a word, else anywhere.
    fn place_of(&self, part: &[char]) -> Option<Range<usize>> {
        let places = self.small.windows(part.len().max(1)).enumerate().filter(|(_, letters)| *letters == part);
        let score = |place: &Range<usize>| (!self.is_start(place.start), !self.is_end(place.end));
        places.map(|(start, _)| start..start + part.len()).min_by_key(score)
    }

    fn has_start(&self, part: &[char]) -> bool {
        self.place_of(part).is_some_and(|place| self.is_start(place.start))
    }

    /// Returns a similar word.
    fn similar_to(&self, word: &[char]) -> Option<Range<usize>> {
        self.words().find(|place| is_similar(word, &self.small[place.clone()]))
    }

    /// Returns the letters that start words or follow a matched one: `dacol` in `Dark colours`.
    fn starts_of_words(&self, typed: &[char]) -> Option<Vec<Range<usize>>> {
        if typed.len() < 2 {
            return None;
        }
        let mut places = Vec::new();
        self.go_on(typed, 0, &mut places).then_some(places)
    }

    /// Matches the rest of the typed letters from an index on.
    fn go_on(&self, typed: &[char], from: usize, places: &mut Vec<Range<usize>>) -> bool {
        let Some((first, rest)) = typed.split_first() else { return true };
        let follows = |place: usize| from > 0 && place == from;
        for place in from..self.small.len() {
            if self.small[place] == *first && (follows(place) || self.is_start(place)) {
                places.push(place..place + 1);
                if self.go_on(rest, place + 1, places) {
                    return true;
                }
                places.pop();
            }
        }
        false
    }

    /// Converts ranges of letters to ranges of bytes, in order and without overlaps.
    fn bytes(&self, mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
        places.sort_by_key(|place| place.start);
        let mut end = 0;
        let mut ranges = Vec::new();
        for place in places {
            let place = place.start.max(end)..place.end.max(end);
            if let (false, Some(from), Some(to)) = (place.is_empty(), self.at.get(place.start), self.at.get(place.end))
            {
                ranges.push(*from..*to);
            }
            end = place.end;
        }
        ranges
    }
}

/// Whether a typed word has one error, or omits some letters of a word or of its start.
fn is_similar(typed: &[char], word: &[char]) -> bool {
    let starts = typed.len().saturating_sub(1)..=typed.len() + 1;
    let has_one_error = || starts.filter_map(|len| word.get(..len)).any(|start| is_one_error(typed, start));
    let leaves_out = || {
        let mut rest = word.iter();
        typed.first() == word.first()
            && typed.len() * 2 >= word.len()
            && typed.iter().all(|letter| rest.any(|own| own == letter))
    };
    match typed.len() {
        0..3 => false,
        3 => leaves_out(),
        _ => leaves_out() || has_one_error(),
    }
}

/// Whether two words differ by one letter, one extra letter, or one swapped pair.
fn is_one_error(a: &[char], b: &[char]) -> bool {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&a[..a.len() - same], &b[..b.len() - same]) {
        ([] | [_], [] | [_]) => true,
        ([first, second], [other_first, other_second]) => first == other_second && second == other_first,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(query: &str, name: &str) -> Option<Rank> {
        Query::new(query).find(name, &["heatmap", "dark mode"], "Robots to a square metre").map(|found| found.rank)
    }

    #[test]
    fn matches_of_names_precede_synonyms_and_descriptions() {
        let name = "Show or hide the density";
        for (query, expected) in [
            ("show OR hide the density", Rank::Name),
            ("heatmap", Rank::Synonym),
            ("show or", Rank::Start),
            ("density show", Rank::Words),
            ("the density", Rank::Words),
            ("dens", Rank::Starts),
            ("heat", Rank::SynonymStarts),
            ("show heat", Rank::SynonymStarts),
            ("ensity", Rank::Parts),
            ("desnity", Rank::Similar),
            ("dnsty", Rank::Similar),
            ("sohdens", Rank::Similar),
            ("haetmap", Rank::Similar),
            ("square robots", Rank::Description),
            ("how do i show the density", Rank::Words),
        ] {
            assert_eq!(rank(query, name), Some(expected), "{query}");
        }
        for query in ["xyz", "densest of all", "den sity nothing"] {
            assert_eq!(rank(query, name), None, "{query}");
        }
    }

    #[test]
    fn matched_letters_are_byte_ranges() {
        let typed = |query: &str, name: &str| Query::new(query).find(name, &[], "").map(|found| found.typed);
        assert_eq!(typed("col da", "Dark colours"), Some(vec![0..2, 5..8]));
        let only = |typed: Option<Vec<Range<usize>>>| typed.and_then(|typed| typed.first().cloned());
        assert_eq!(only(typed("grösse", "Öl GRÖSSE")), Some(4..11));
        assert_eq!(typed("fs", "Full screen"), Some(vec![0..1, 5..6]));
        assert_eq!(only(typed("o o", "Open")), Some(0..1), "no letter is marked twice");
    }

    #[test]
    fn similar_matches_are_dropped_if_better_ones_exist() {
        let mut found = vec![Rank::Description, Rank::Similar, Rank::Parts];
        sort(&mut found, |rank| *rank);
        assert_eq!(found, [Rank::Parts, Rank::Description]);
        let mut found = vec![Rank::Description, Rank::Similar];
        sort(&mut found, |rank| *rank);
        assert_eq!(found, [Rank::Similar, Rank::Description]);
    }

    #[test]
    fn any_query_can_be_matched() {
        for query in ["", " ", "İ", "ß ß", "a\u{301}", &"e".repeat(500), "= . ,", "the"] {
            let query = Query::new(query);
            for name in ["", "İstanbul", "Show or hide the density", "ß"] {
                let found = query.find(name, &["", "x"], "…");
                assert!(found.iter().flat_map(|found| &found.typed).all(|range| name.get(range.clone()).is_some()));
                assert!(query.is_in(name) <= query.is_nearly_in(name));
            }
        }
    }
}
