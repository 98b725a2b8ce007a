//! Style sheets of drawings: rules for elements, classes and ids.

use std::sync::Arc;

use roxmltree::Node;

/// Largest number of rules: each is matched against each element.
const MAX_RULES: usize = 1000;
/// Largest number of classes of a selector and of an element to match.
const MAX_CLASSES: usize = 16;

/// The rules of all `<style>` elements, in order of increasing specificity.
#[derive(Default)]
pub(super) struct Sheet {
    rules: Vec<Rule>,
    /// Number of rules ignored because of their selectors.
    pub ignored: u32,
}

struct Rule {
    selector: Selector,
    /// Shared by all selectors of a list.
    style: Arc<Style<String>>,
}

/// A style property that the reader uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Display,
    Visibility,
    Fill,
    Stroke,
    StrokeWidth,
    ClipPath,
    Mask,
    Transform,
}

impl Property {
    const ALL: [Self; 8] = [
        Self::Display,
        Self::Visibility,
        Self::Fill,
        Self::Stroke,
        Self::StrokeWidth,
        Self::ClipPath,
        Self::Mask,
        Self::Transform,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Display => "display",
            Self::Visibility => "visibility",
            Self::Fill => "fill",
            Self::Stroke => "stroke",
            Self::StrokeWidth => "stroke-width",
            Self::ClipPath => "clip-path",
            Self::Mask => "mask",
            Self::Transform => "transform",
        }
    }
}

/// The values of the properties, indexed by property.
#[derive(Default)]
pub(super) struct Style<Text>([Option<Text>; Property::ALL.len()]);

/// A selector, such as `rect.wall`, `#a` or `*`.
#[derive(Default)]
struct Selector {
    element: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

/// Properties of an element that selectors match.
struct Selected<'a> {
    element: &'a str,
    id: Option<&'a str>,
    classes: Vec<&'a str>,
}

impl<Text> Style<Text> {
    /// The value of a property, if the style sets one.
    pub fn get(&self, property: Property) -> Option<&Text> {
        self.0[property as usize].as_ref()
    }
}

impl<'a, Text: From<&'a str>> Style<Text> {
    /// Applies declarations; the last value of a property counts.
    fn take(&mut self, text: &'a str) {
        for (name, value) in text.split(';').filter_map(|stated| stated.split_once(':')) {
            let Some(property) = Property::ALL.into_iter().find(|property| property.name() == name.trim()) else {
                continue;
            };
            let value = value.split("!important").next().unwrap_or_default().trim();
            self.0[property as usize] = Some(value.into());
        }
    }
}

impl Sheet {
    /// Adds the rules of a text.
    pub fn read(&mut self, text: &str) {
        let text = without_comments(text);
        let before = self.rules.len();
        for rule in text.split('}') {
            let Some((selectors, declarations)) = rule.rsplit_once('{') else { continue };
            let mut style = Style::default();
            style.take(declarations);
            if style.0.iter().all(Option::is_none) {
                continue;
            }
            let style = Arc::new(style);
            for selector in selectors.split(',') {
                match Selector::parse(selector.trim()).filter(|_| self.rules.len() < MAX_RULES) {
                    Some(selector) => self.rules.push(Rule { selector, style: style.clone() }),
                    None => self.ignored += 1,
                }
            }
        }
        // Order in the text decides between rules of equal specificity.
        if self.rules.len() > before {
            self.rules.sort_by_key(|rule| rule.selector.weight());
        }
    }

    /// The properties of an element: from its `style`, a rule, or its own attributes. A `transform` is only that of the
    /// style or a rule, because the attribute has another syntax.
    pub fn style<'a>(&'a self, node: Node<'a, '_>) -> Style<&'a str> {
        let attribute = |property: Property| {
            node.attribute(property.name()).filter(|_| property != Property::Transform).map(str::trim)
        };
        let mut own = Style(Property::ALL.map(attribute));
        if !self.rules.is_empty() {
            let selected = Selected::from_node(node);
            for Rule { style, .. } in self.rules.iter().filter(|rule| rule.selector.selects(&selected)) {
                for (own, stated) in own.0.iter_mut().zip(&style.0) {
                    *own = stated.as_deref().or(*own);
                }
            }
        }
        own.take(node.attribute("style").unwrap_or_default());
        own
    }
}

impl<'a> Selected<'a> {
    fn from_node(node: Node<'a, '_>) -> Self {
        let classes = node.attribute("class").unwrap_or_default().split_ascii_whitespace();
        let (element, id) = (node.tag_name().name(), node.attribute("id"));
        Self { element, id, classes: classes.take(MAX_CLASSES).collect() }
    }
}

impl Selector {
    /// `None` for a selector that also depends on the context of an element.
    fn parse(text: &str) -> Option<Self> {
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
                '.' if selector.classes.len() == MAX_CLASSES => return None,
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

    fn selects(&self, node: &Selected) -> bool {
        self.element.as_ref().is_none_or(|element| node.element == element)
            && self.id.as_ref().is_none_or(|id| node.id == Some(id))
            && self.classes.iter().all(|class| node.classes.contains(&class.as_str()))
    }
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once("*/").map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use crate::Drawing;

    #[test]
    fn css_rules_apply_by_specificity() {
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
    fn css_selectors_that_take_long_are_skipped() {
        let many = |text: &str, count: usize| text.repeat(count);
        let selectors = format!("{}.b", many(".a,", 2000));
        let sheet = format!("{selectors}{{{}}} .b{}{{fill:red}}", many("fill:blue;", 30_000), many(".b", 16));
        let words = (0..20).map(|k| format!("c{k} ")).collect::<String>();
        let text = format!(
            "<svg><style>{sheet}</style><rect class='a' width='1' height='1'/>\
            <rect class='{words} a' fill='red' width='1' height='1'/></svg>"
        );
        let drawing = Drawing::read(&text, 0.1).unwrap();
        let fills: Vec<_> = drawing.shapes.iter().map(|shape| shape.fill.unwrap()).collect();
        assert_eq!(fills, [[0, 0, 255], [255, 0, 0]]);
        // The rules beyond the first thousand, and the one with too many parts.
        assert_eq!(drawing.ignored["style rule"], 1002);
    }

    #[test]
    fn css_transforms_are_counted_as_ignored() {
        let text = "<svg><style>.a{transform:scale(2)}</style><rect class='a' width='1' height='1'/>\
            <rect class='a' style='transform: none' width='1' height='1'/><g style='transform:rotate(3deg)'/></svg>";
        assert_eq!(Drawing::read(text, 0.1).unwrap().ignored["style transform"], 2);
    }

    #[test]
    fn broken_style_sheets_are_ignored() {
        for sheet in ["", "{", "}", "}{", "a{b", ".{fill:red}", "/*", "#{}", "a{fill}", "@media x{rect{fill:red}}"] {
            let text = format!("<svg><style>{sheet}</style><rect width='1' height='1'/></svg>");
            assert_eq!(Drawing::read(&text, 0.1).unwrap().shapes.len(), 1, "{sheet}");
        }
    }
}
