//! XML from anybody: read within bounds, without entities, and with nothing outside the text.

use std::borrow::Cow;
use std::ops::Range;

use roxmltree::{Document, ParsingOptions};

use crate::scene::problem::{Place, Problem};

/// The largest text, in bytes.
pub const MAX_BYTES: u64 = 16 << 20;
/// The most elements and texts.
const MAX_NODES: u32 = 1_000_000;
/// The most attributes of an element: the parser compares all of them with one another.
const MAX_ATTRIBUTES: usize = 1000;
/// The most declarations of namespaces: the parser hands all that hold around an element down to it, one by one.
const MAX_NAMESPACES: usize = 50;
/// The deepest nesting of elements.
const MAX_DEPTH: usize = 256;

/// Refuses what the parser should not meet, such as elements within one another without end, before it does.
///
/// A `<!DOCTYPE` that declares nothing is blanked out, and what it refers to is not read; one with declarations is refused.
///
/// # Errors
/// Says what is wrong, and where.
pub fn screened(text: &str) -> Result<Cow<'_, str>, Problem> {
    if text.len() as u64 > MAX_BYTES {
        return Err(Problem::of_file(format!("is larger than {} MiB", MAX_BYTES >> 20)));
    }
    let refuse = |at: usize, message: String| Problem { place: Some(Place::of(text, at)), ..Problem::of_file(message) };
    let (mut at, mut depth, mut namespaces, mut doctype) = (0, 0_usize, 0, None);
    while let Some(next) = text[at..].find('<') {
        at += next;
        let rest = &text[at..];
        let passed_over = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((_, close)) = passed_over.iter().find(|(open, _)| rest.starts_with(open)) {
            at = rest.find(close).map_or(text.len(), |end| at + end + close.len());
            continue;
        }
        let tag = Tag::of(rest);
        if tag.attributes > MAX_ATTRIBUTES {
            return Err(refuse(at, format!("an element has more than {MAX_ATTRIBUTES} attributes")));
        }
        namespaces += tag.namespaces;
        if namespaces > MAX_NAMESPACES {
            return Err(refuse(at, format!("more than {MAX_NAMESPACES} namespaces (`xmlns`) are declared")));
        }
        if rest.starts_with("<!DOCTYPE") && doctype.is_none() && depth == 0 {
            if tag.declares {
                return Err(refuse(at, "has a DTD with declarations (`<!DOCTYPE … [`), which is not read".into()));
            }
            doctype = Some(at..at + tag.length);
        } else if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !rest.starts_with("<!") && !tag.closes_itself {
            depth += 1;
        }
        if depth > MAX_DEPTH {
            return Err(refuse(at, format!("elements are nested deeper than {MAX_DEPTH}")));
        }
        at += tag.length;
    }
    Ok(match doctype {
        Some(range) => blanked(text, range).into(),
        None => text.into(),
    })
}

/// Parses a text that was [`screened`].
///
/// # Errors
/// Says what is wrong, and where.
pub fn parse(screened: &str) -> Result<Document<'_>, Problem> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(screened, options).map_err(|error| {
        let at = error.pos();
        let message = match error {
            roxmltree::Error::DtdDetected => "has a second DTD (`<!DOCTYPE`)".to_owned(),
            roxmltree::Error::NodesLimitReached => format!("has more than {MAX_NODES} elements"),
            // Its place is told beside it.
            error => format!("is no XML: {}", error.to_string().trim_end_matches(&format!(" at {at}"))),
        };
        let place = Place { line: at.row as usize, column: at.col as usize };
        Problem { place: Some(place), ..Problem::of_file(message) }
    })
}

/// What stands between `<` and `>`.
struct Tag {
    length: usize,
    attributes: usize,
    namespaces: usize,
    closes_itself: bool,
    declares: bool,
}

impl Tag {
    fn of(rest: &str) -> Self {
        let mut tag = Self { length: rest.len(), attributes: 0, namespaces: 0, closes_itself: false, declares: false };
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
                (None, b'[') => tag.declares = true,
                _ => {}
            }
            before = byte;
        }
        tag
    }
}

/// The text with blanks in the place of a part, so that everything else stays where it is.
fn blanked(text: &str, part: Range<usize>) -> String {
    let blank = |c: char| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) };
    let blanks: String = text[part.clone()].chars().map(blank).collect();
    [&text[..part.start], &blanks, &text[part.end..]].concat()
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
    fn what_declares_nothing_is_read() {
        assert_eq!(told("<?xml version=\"1.0\"?>\n<!DOCTYPE simulation>\n<simulation/>"), "ok");
        assert_eq!(told("<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://a.org/[x]>.dtd\"><svg/>"), "ok");
        let text = screened("<!DOCTYPE é\nb><a/>").unwrap().into_owned();
        assert_eq!(text, "            \n  <a/>");
        assert_eq!(told(&format!("<a>{}</a>", "<b c=' xmlns=' xmlns='d'/>".repeat(50))), "ok");
        assert_eq!(told("<!-- <!DOCTYPE a [ --><a><![CDATA[<!DOCTYPE b [<b>]]></a>"), "ok");
    }

    #[test]
    fn what_is_unsafe_or_broken_is_refused() {
        let deep = "<a>\n".repeat(300);
        let laughs =
            "<?xml version='1.0'?>\n<!DOCTYPE lolz [<!ENTITY lol 'lol'><!ENTITY lol1 '&lol;&lol;'>]><a>&lol1;</a>";
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
            told(laughs),
            told(&deep),
            told(&format!("<a{}/>", " b='1'".repeat(1001))),
            told(&format!("<a>{}</a>", "<b xmlns:c='d'/>\n".repeat(51))),
        ];
        insta::assert_snapshot!(problems.join("\n"), @r"
    1:1: is no XML: the document does not have a root node
    1:1: is no XML: unknown token
    2:4: is no XML: expected 'b' tag, not 'a'
    1:4: is no XML: unknown entity reference 'lol'
    1:5: is no XML: unknown token
    1:1: has a second DTD (`<!DOCTYPE`)
    1:10: is no XML: attribute 'b' at 1:10 is already defined
    1:4: is no XML: a non-XML character '\u{1}' found
    1:1: is no XML: the document does not have a root node
    1:1: is no XML: unexpected end of stream
    1:6: is no XML: expected '-->'
    1:1: is no XML: the document does not have a root node
    2:1: has a DTD with declarations (`<!DOCTYPE … [`), which is not read
    257:1: elements are nested deeper than 256
    1:1: an element has more than 1000 attributes
    51:1: more than 50 namespaces (`xmlns`) are declared
    ");
    }

    #[test]
    fn deep_nesting_that_is_closed_again_is_fine() {
        assert_eq!(told(&format!("<a>{}</a>", "<b><c/></b>".repeat(1000))), "ok");
        let text = format!("{}{}", "<a>".repeat(200_000), "</a>".repeat(200_000));
        assert_eq!(told(&text), "1:769: elements are nested deeper than 256");
    }
}
