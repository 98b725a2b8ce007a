//! Untrusted XML, read within limits and without access to other files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use roxmltree::{Document, ParsingOptions};
use thiserror::Error;

use crate::problem::{Place, Problem};

/// Largest size (bytes) of a text with its entities expanded.
pub const MAX_BYTES: u64 = 16 << 20;
/// Largest number of elements and texts.
const MAX_NODES: u32 = 1_000_000;
/// Largest number of attributes of an element: the parser compares each with all others.
const MAX_ATTRIBUTES: usize = 1000;
/// Largest number of namespace declarations: the parser copies all declarations in scope to each element.
const MAX_NAMESPACES: usize = 50;
/// Deepest nesting of elements.
pub const MAX_DEPTH: usize = 256;
/// Largest number of entities: the parser searches all of them for each reference.
const MAX_ENTITIES: usize = 256;
/// Deepest nesting of entities.
const MAX_ENTITY_DEPTH: usize = 10;

/// Reason why a text is refused before it is parsed.
#[derive(Debug, Error)]
enum Refusal {
    #[error("is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    #[error("is larger than {} MiB with its entities expanded", MAX_BYTES >> 20)]
    TooLargeExpanded,
    #[error("has a second DTD (`<!DOCTYPE`)")]
    SecondDoctype,
    #[error("an element has more than {MAX_ATTRIBUTES} attributes")]
    Attributes,
    #[error("more than {MAX_NAMESPACES} namespaces (`xmlns`) are declared")]
    Namespaces,
    #[error("elements are nested deeper than {MAX_DEPTH}")]
    Depth,
    #[error("the DTD declares more than {MAX_ENTITIES} entities")]
    Entities,
    #[error("the entity `{0}` contains elements, which are not read")]
    EntityWithElements(String),
    #[error("entities are nested deeper than {MAX_ENTITY_DEPTH}")]
    EntityDepth,
}

impl Refusal {
    /// The problem at a byte offset of the text.
    fn at(&self, text: &str, at: usize) -> Problem {
        Problem { place: Some(Place::of(text, at)), ..Problem::of_file(self.to_string()) }
    }
}

/// Rejects texts that would cost the parser too much time or memory, such as deeply nested elements.
///
/// Of a `<!DOCTYPE`, only entities with a value remain; the parser expands them within limits. The rest is replaced by
/// blanks. Other files that it refers to are never read.
///
/// # Errors
/// Names the problem and its position.
pub fn screened(text: &str) -> Result<Cow<'_, str>, Problem> {
    if text.len() as u64 > MAX_BYTES {
        return Err(Problem::of_file(Refusal::TooLarge.to_string()));
    }
    let (mut at, mut depth, mut namespaces, mut doctype) = (0, 0_usize, 0, None);
    while let Some(next) = text[at..].find('<') {
        at += next;
        let rest = &text[at..];
        if let Some(length) = passed_over(rest) {
            at += length;
            continue;
        }
        if rest.starts_with("<!DOCTYPE") && depth == 0 {
            if doctype.is_some() {
                return Err(Refusal::SecondDoctype.at(text, at));
            }
            let found = Doctype::of(text, at);
            at = found.range.end;
            doctype = Some(found);
            continue;
        }
        let tag = Tag::of(rest);
        if tag.attributes > MAX_ATTRIBUTES {
            return Err(Refusal::Attributes.at(text, at));
        }
        namespaces += tag.namespaces;
        if namespaces > MAX_NAMESPACES {
            return Err(Refusal::Namespaces.at(text, at));
        }
        if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !rest.starts_with("<!") && !tag.closes_itself {
            depth += 1;
        }
        if depth > MAX_DEPTH {
            return Err(Refusal::Depth.at(text, at));
        }
        at += tag.length;
    }
    match doctype {
        None => Ok(text.into()),
        Some(Doctype { range, entities, .. }) if entities.is_empty() => Ok(blanked(text, &[range]).into()),
        Some(doctype) => {
            doctype.check(text).map_err(|refusal| refusal.at(text, doctype.range.start))?;
            Ok(blanked(text, &doctype.others).into())
        }
    }
}

/// Parses a text returned by [`screened`].
///
/// # Errors
/// Names the problem and its position.
pub fn parse(screened: &str) -> Result<Document<'_>, Problem> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(screened, options).map_err(|error| {
        let at = error.pos();
        let message = match error {
            roxmltree::Error::NodesLimitReached => format!("has more than {MAX_NODES} elements"),
            // The position is reported separately.
            error => format!("is not XML: {}", error.to_string().trim_end_matches(&format!(" at {at}"))),
        };
        let place = Place { line: at.row as usize, column: at.col as usize };
        Problem { place: Some(place), ..Problem::of_file(message) }
    })
}

/// The length of a comment, a CDATA section or a processing instruction at the start of a text.
fn passed_over(rest: &str) -> Option<usize> {
    let all = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
    let (_, close) = all.iter().find(|(open, _)| rest.starts_with(open))?;
    Some(rest.find(close).map_or(rest.len(), |end| end + close.len()))
}

/// A document type declaration (DTD).
struct Doctype<'t> {
    /// Its range in the text.
    range: Range<usize>,
    /// The values of its entities by name. The first of several declarations of a name counts.
    entities: BTreeMap<&'t str, &'t str>,
    /// Ranges of its other declarations and comments, which are hidden from the parser.
    others: Vec<Range<usize>>,
}

impl<'t> Doctype<'t> {
    /// Parses the declaration that starts at a byte offset of a text.
    fn of(text: &'t str, start: usize) -> Self {
        let mut found = Self { range: start..text.len(), entities: BTreeMap::new(), others: Vec::new() };
        let (mut at, mut has_brackets) = (start + "<!DOCTYPE".len(), false);
        while let Some(next) = text[at..].find(['"', '\'', '[', ']', '>', '<']) {
            at += next;
            let rest = &text[at..];
            let mark = rest.as_bytes()[0];
            at += match mark {
                b'"' | b'\'' => rest[1..].find(char::from(mark)).map_or(rest.len(), |end| end + 2),
                b'<' if has_brackets => {
                    let length = passed_over(rest).unwrap_or_else(|| Tag::of(rest).length);
                    match entity(&rest[..length]) {
                        Some((name, value)) if !found.entities.contains_key(name) => {
                            found.entities.insert(name, value);
                        }
                        // Repeated names too: the parser searches all declarations for each reference.
                        _ => found.others.push(at..at + length),
                    }
                    length
                }
                _ => 1,
            };
            match mark {
                b'[' => has_brackets = true,
                b']' => has_brackets = false,
                b'>' if !has_brackets => {
                    found.range.end = at;
                    break;
                }
                _ => {}
            }
        }
        found
    }

    /// Rejects entities that contain elements or make the text too large.
    fn check(&self, text: &str) -> Result<(), Refusal> {
        if self.entities.len() > MAX_ENTITIES {
            return Err(Refusal::Entities);
        }
        let mut sizes = BTreeMap::new();
        let mut size = text.len() as u64;
        for name in references(&text[self.range.end..]) {
            size = size.saturating_add(self.size(name, 0, &mut sizes)?);
        }
        match size <= MAX_BYTES {
            true => Ok(()),
            false => Err(Refusal::TooLargeExpanded),
        }
    }

    /// Size of an entity with nested entities expanded.
    fn size(&self, name: &'t str, depth: usize, sizes: &mut BTreeMap<&'t str, u64>) -> Result<u64, Refusal> {
        // The parser reports unknown names.
        let Some(value) = self.entities.get(name) else { return Ok(0) };
        if let Some(size) = sizes.get(name) {
            return Ok(*size);
        }
        if value.contains('<') {
            return Err(Refusal::EntityWithElements(name.to_owned()));
        }
        if depth == MAX_ENTITY_DEPTH {
            return Err(Refusal::EntityDepth);
        }
        let mut size = value.len() as u64;
        for inner in references(value) {
            size = size.saturating_add(self.size(inner, depth + 1, sizes)?);
        }
        sizes.insert(name, size);
        Ok(size)
    }
}

/// Name and value of an entity declaration.
fn entity(declaration: &str) -> Option<(&str, &str)> {
    let (name, rest) = declaration.strip_prefix("<!ENTITY")?.trim_start().split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(value, _)| (name, value))
}

/// Names of all entities that a text refers to.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split('&').skip(1).filter_map(|part| part.split_once(';').map(|(name, _)| name))
}

/// A tag, from `<` to `>`.
struct Tag {
    length: usize,
    attributes: usize,
    namespaces: usize,
    closes_itself: bool,
}

impl Tag {
    fn of(rest: &str) -> Self {
        let mut tag = Self { length: rest.len(), attributes: 0, namespaces: 0, closes_itself: false };
        let (mut quote, mut before) = (None, b'<');
        for (at, byte) in rest.bytes().enumerate() {
            match (quote, byte) {
                (Some(open), byte) if byte == open => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'>') => {
                    (tag.length, tag.closes_itself) = (at + 1, before == b'/');
                    break;
                }
                (None, b'=') => tag.attributes += 1,
                (None, b'x') if rest[at..].starts_with("xmlns") => tag.namespaces += 1,
                _ => {}
            }
            before = byte;
        }
        tag
    }
}

/// Replaces these parts of a text, given in order, by blanks, so that all other parts keep their positions.
fn blanked(text: &str, parts: &[Range<usize>]) -> String {
    let (mut all, mut at) = (String::with_capacity(text.len()), 0);
    for part in parts {
        all.push_str(&text[at..part.start]);
        for c in text[part.clone()].chars() {
            if c == '\n' { all.push('\n') } else { all.extend(std::iter::repeat_n(' ', c.len_utf8())) }
        }
        at = part.end;
    }
    all + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match screened(text).and_then(|text| parse(&text).map(drop)) {
            Ok(()) => "ok".into(),
            Err(problem) => problem.to_string(),
        }
    }

    #[test]
    fn xml_without_declarations_is_read() {
        assert_eq!(told("<?xml version=\"1.0\"?>\n<!DOCTYPE simulation>\n<simulation/>"), "ok");
        assert_eq!(told("<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://a.org/[x]>.dtd\"><svg/>"), "ok");
        let text = screened("<!DOCTYPE é\nb><a/>").unwrap().into_owned();
        assert_eq!(text, "            \n  <a/>");
        assert_eq!(told(&format!("<a>{}</a>", "<b c=' xmlns=' xmlns='d'/>".repeat(50))), "ok");
        assert_eq!(told("<!-- <!DOCTYPE a [ --><a><![CDATA[<!DOCTYPE b [<b>]]></a>"), "ok");
    }

    #[test]
    fn entities_with_a_value_are_expanded() {
        let text = "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/svg11.dtd\" [\n\
            <!-- ]> --><!ELEMENT svg ANY><!ATTLIST svg a CDATA '>'><!ENTITY ns_svg \"http://www.w3.org/2000/svg\">\n\
            <!ENTITY st0 'fill:#ff0000;'><!ENTITY st1 \"&st0;stroke:none\">\n]>\n\
            <svg xmlns=\"&ns_svg;\"><g style='&st1;'>&st0;</g></svg>";
        let screened = screened(text).unwrap();
        let document = parse(&screened).unwrap();
        let root = document.root_element();
        assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        let group = root.first_element_child().unwrap();
        assert_eq!(group.attribute("style"), Some("fill:#ff0000;stroke:none"));
        assert_eq!(group.text(), Some("fill:#ff0000;"));
        assert_eq!(&text[group.range()][..2], "<g");
        assert_eq!(document.text_pos_at(group.range().start).row, 5);
        assert_eq!(told("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'><!ENTITY % c 'd'>]><a/>"), "ok");
        let many = format!("<!DOCTYPE a [<!ENTITY b 'c'>]><a>{}</a>", "&b;".repeat(100_000));
        assert_eq!(told(&many), "ok");
    }

    #[test]
    fn only_the_first_declaration_of_an_entity_counts() {
        let screened = screened("<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY b 'd'>]><a>&b;</a>").unwrap();
        assert_eq!(screened.matches("<!ENTITY").count(), 1);
        assert_eq!(parse(&screened).unwrap().root_element().text(), Some("c"));
    }

    /// Entities that each contain the previous one ten times.
    fn laughs(count: u32) -> String {
        let more = |k: u32| format!("<!ENTITY l{k} '{}'>", format!("&l{};", k - 1).repeat(10));
        let all: String = (1..=count).map(more).collect();
        format!("<!DOCTYPE a [<!ENTITY l0 'ha'>{all}]>\n<a>&l{count};</a>")
    }

    #[test]
    fn entities_that_would_fill_the_memory_are_refused() {
        let long = format!("<!DOCTYPE a [<!ENTITY b '{}'>]>\n<a>{}</a>", "c".repeat(1 << 20), "&b;".repeat(20));
        let problems = [
            told(&laughs(8)),
            told(&laughs(11)),
            told(&long),
            told("<!DOCTYPE a [<!ENTITY b '&c;'><!ENTITY c '&b;'>]>\n<a>&b;</a>"),
            told("<!DOCTYPE a [<!ENTITY b '<c/>'>]>\n<a>&b;</a>"),
            told("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>\n<a>&b;</a>"),
            told(&format!("<!DOCTYPE a [{}]><a/>", (0..300).map(|k| format!("<!ENTITY e{k} ''>")).collect::<String>())),
        ];
        insta::assert_snapshot!(problems.join("\n"), @r"
    1:1: is larger than 16 MiB with its entities expanded
    1:1: entities are nested deeper than 10
    1:1: is larger than 16 MiB with its entities expanded
    1:1: entities are nested deeper than 10
    1:1: the entity `b` contains elements, which are not read
    2:4: is not XML: unknown entity reference 'b'
    1:1: the DTD declares more than 256 entities
    ");
    }

    #[test]
    fn unsafe_or_broken_xml_is_refused() {
        let deep = "<a>\n".repeat(300);
        let problems = [
            told(""),
            told("this is not XML"),
            told("<a>\n<b></a>"),
            told("<a>&lol;</a>"),
            told("<a/><a/>"),
            told("<!DOCTYPE a><!DOCTYPE a><a/>"),
            told("<a b='1' b='2'/>"),
            told("<a>\u{1}</a>"),
            told("<a"),
            told("<a b='"),
            told("<!-- "),
            told("<!DOCTYPE"),
            told(&deep),
            told(&format!("<a{}/>", " b='1'".repeat(1001))),
            told(&format!("<a>{}</a>", "<b xmlns:c='d'/>\n".repeat(51))),
        ];
        insta::assert_snapshot!(problems.join("\n"), @r"
    1:1: is not XML: the document does not have a root node
    1:1: is not XML: unknown token
    2:4: is not XML: expected 'b' tag, not 'a'
    1:4: is not XML: unknown entity reference 'lol'
    1:5: is not XML: unknown token
    1:13: has a second DTD (`<!DOCTYPE`)
    1:10: is not XML: attribute 'b' at 1:10 is already defined
    1:4: is not XML: a non-XML character '\u{1}' found
    1:1: is not XML: the document does not have a root node
    1:1: is not XML: unexpected end of stream
    1:6: is not XML: expected '-->'
    1:1: is not XML: the document does not have a root node
    257:1: elements are nested deeper than 256
    1:1: an element has more than 1000 attributes
    51:1: more than 50 namespaces (`xmlns`) are declared
    ");
    }

    #[test]
    fn deep_xml_nesting_that_closes_again_is_accepted() {
        assert_eq!(told(&format!("<a>{}</a>", "<b><c/></b>".repeat(1000))), "ok");
        let text = format!("{}{}", "<a>".repeat(200_000), "</a>".repeat(200_000));
        assert_eq!(told(&text), "1:769: elements are nested deeper than 256");
    }
}
