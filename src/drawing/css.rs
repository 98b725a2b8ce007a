//! Style sheets of drawings: rules for elements, classes and ids.

use roxmltree::Node;

/// The most rules that are kept: each is held against each element.
const MAX_RULES: usize = 1000;

/// The rules of all `<style>` elements, the weightiest last.
#[derive(Default)]
pub(super) struct Sheet {
    rules: Vec<Rule>,
    /// How many rules were passed over, because of what they select.
    pub ignored: u32,
}

struct Rule {
    selector: Selector,
    declarations: Vec<(String, String)>,
}

/// What elements a rule is for, such as `rect.wall`, `#a` or `*`.
#[derive(Default)]
struct Selector {
    element: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl Sheet {
    /// Adds the rules of a text.
    pub fn read(&mut self, text: &str) {
        let text = without_comments(text);
        for rule in text.split('}') {
            let Some((selectors, declarations)) = rule.rsplit_once('{') else { continue };
            let stated = declarations.split(';').filter_map(|stated| stated.split_once(':'));
            let declarations: Vec<(String, String)> = stated
                .map(|(name, value)| (name.trim().to_owned(), value.replace("!important", "").trim().to_owned()))
                .filter(|(name, _)| matches!(name.as_str(), "fill" | "display"))
                .collect();
            for selector in selectors.split(',').filter(|_| !declarations.is_empty()) {
                match Selector::of(selector.trim()).filter(|_| self.rules.len() < MAX_RULES) {
                    Some(selector) => self.rules.push(Rule { selector, declarations: declarations.clone() }),
                    None => self.ignored += 1,
                }
            }
        }
        // The order of the text among those of the same weight.
        self.rules.sort_by_key(|rule| rule.selector.weight());
    }

    /// A property of an element: in its `style`, by a rule, or an attribute of its own.
    pub fn property<'a>(&'a self, node: Node<'a, '_>, name: &str) -> Option<&'a str> {
        let style = node.attribute("style").unwrap_or_default().split(';');
        let mut stated = style.filter_map(|rule| rule.split_once(':')).filter(|(key, _)| key.trim() == name);
        let by_rule = || {
            let rules = self.rules.iter().rev().filter(|rule| rule.selector.selects(node));
            let mut stated = rules.flat_map(|rule| rule.declarations.iter().rev()).filter(|(key, _)| key == name);
            stated.next().map(|(_, value)| value.as_str())
        };
        stated.next_back().map(|(_, value)| value.trim()).or_else(by_rule).or_else(|| node.attribute(name))
    }
}

impl Selector {
    /// `None` for one that also looks at what is around an element, or at how it is used.
    fn of(text: &str) -> Option<Self> {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if text.is_empty() || !text.chars().all(|c| is_name(c) || matches!(c, '.' | '#' | '*')) {
            return None;
        }
        let mut selector = Self::default();
        let start = text.find(['.', '#']).unwrap_or(text.len());
        selector.element = Some(text[..start].to_owned()).filter(|element| !matches!(element.as_str(), "" | "*"));
        let mut rest = &text[start..];
        while let Some(mark) = rest.chars().next() {
            let end = rest[1..].find(['.', '#']).map_or(rest.len(), |end| end + 1);
            let name = rest[1..end].to_owned();
            match mark {
                '.' => selector.classes.push(name),
                _ => selector.id = Some(name),
            }
            rest = &rest[end..];
        }
        Some(selector)
    }

    fn weight(&self) -> (bool, usize, bool) {
        (self.id.is_some(), self.classes.len(), self.element.is_some())
    }

    fn selects(&self, node: Node) -> bool {
        let Self { element, id, classes } = self;
        let classes_of_node = || node.attribute("class").unwrap_or_default().split_ascii_whitespace();
        element.as_ref().is_none_or(|element| node.tag_name().name() == element)
            && id.as_ref().is_none_or(|id| node.attribute("id") == Some(id))
            && classes.iter().all(|class| classes_of_node().any(|own| own == class))
    }
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once("*/").map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use crate::drawing::Drawing;

    #[test]
    fn rules_are_weighed() {
        let text = "<svg><style>/* { fill: red } */ .a { fill: #010101 } rect { fill: #020202 }\n\
            .a.b { fill: #030303; } #c, #d {fill:#040404 !important} g > rect { fill: red } .e { display: none }\n\
            </style><g><rect class='x' width='1' height='1' fill='red'/><rect class='a' width='1' height='1'/>\
            <rect class='b  a' width='1' height='1'/><rect id='c' class='a b' width='1' height='1'/>\
            <rect id='c' width='1' height='1' style='fill:#050505'/><rect class='e' width='1' height='1'/>\
            <circle r='1' fill='#060606'/></g></svg>";
        let drawing = Drawing::read(text, 0.1).unwrap();
        let fills: Vec<_> = drawing.shapes.iter().map(|shape| shape.fill.unwrap()[0]).collect();
        assert_eq!(fills, [2, 1, 3, 4, 5, 6]);
        assert_eq!(drawing.ignored["style rule"], 1);
    }

    #[test]
    fn broken_sheets_say_nothing() {
        for sheet in ["", "{", "}", "}{", "a{b", ".{fill:red}", "/*", "#{}", "a{fill}", "@media x{rect{fill:red}}"] {
            let text = format!("<svg><style>{sheet}</style><rect width='1' height='1'/></svg>");
            assert_eq!(Drawing::read(&text, 0.1).unwrap().shapes.len(), 1, "{sheet}");
        }
    }
}
