//! The contrast of texts in the built book, computed from the colours of its style sheets.
//!
//! The contrast of two colours is that of the [Web Content Accessibility Guidelines](https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio),
//! which demand 4.5 for texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::tests::BuiltBook;

/// The least contrast of a text.
const LEAST: f64 = 4.5;

/// The themes of the book: the selectors with their variables, a part of the name of the style sheet for their code, and
/// whether the system is dark. The last two are those of a browser without scripts, which does not colour code.
const THEMES: [(&[&str], &str, bool); 7] = [
    (&[".light"], "highlight-", false),
    (&[".rust"], "highlight-", false),
    (&[".navy"], "tomorrow-night-", false),
    (&[".coal"], "tomorrow-night-", false),
    (&[".ayu"], "ayu-highlight-", false),
    (&["html:not(.js)"], "", false),
    (&["html:not(.js)"], "", true),
];

/// Variables with the colours of texts, and those of the grounds below them.
const PAIRS: [(&[&str], &[&str]); 7] = [
    (&["--fg", "--links"], &["--bg", "--quote-bg", "--table-alternate-bg"]),
    (&["--fg"], &["--table-header-bg", "--theme-popup-bg", "--theme-hover", "--table-border-color"]),
    (&["--sidebar-fg", "--sidebar-active", "--sidebar-non-existant"], &["--sidebar-bg"]),
    (&["--icons", "--icons-hover", "--searchresults-header-fg"], &["--bg"]),
    (&["--searchbar-fg"], &["--searchbar-bg"]),
    (&["--fg", "--links"], &["--searchresults-li-bg"]),
    (&["black"], &["--search-mark-bg"]),
];

/// A declaration of a style sheet.
struct Declaration {
    is_for_dark: bool,
    selectors: Vec<String>,
    name: String,
    value: String,
}

#[test]
fn texts_of_the_book_can_be_read_in_each_theme() {
    let book = BuiltBook::shared();
    let sheets = ["css/variables-", "book-"].map(|name| sheet(&book.out, name)).concat();
    let declarations = declarations(&sheets);
    let mut low = String::new();
    for (selectors, code, is_dark) in THEMES {
        let variables: BTreeMap<_, _> = declarations
            .iter()
            .filter(|line| is_dark || !line.is_for_dark)
            .filter(|line| line.name.starts_with("--") && line.selectors.iter().any(|of| selectors.contains(&&**of)))
            .map(|line| (&*line.name, &*line.value))
            .collect();
        let mut pairs = Vec::new();
        for (texts, grounds) in PAIRS {
            for (text, ground) in texts.iter().flat_map(|text| grounds.iter().map(move |ground| (text, ground))) {
                pairs.push((format!("{text} on {ground}"), *text, *ground));
            }
        }
        let code = if code.is_empty() { Vec::new() } else { self::declarations(&sheet(&book.out, code)) };
        let value = |selector: &str, name: &str| {
            let own = format!("{} {selector}", selectors[0]);
            let is_it = |line: &&Declaration, selector: &str| {
                line.name == name && line.selectors.iter().any(|of| of == selector)
            };
            let own = declarations.iter().rfind(|line| is_it(line, &own));
            own.or_else(|| code.iter().rfind(|line| is_it(line, selector))).map(|line| &*line.value)
        };
        if let Some(ground) = value(".hljs", "background") {
            for text in ["--inline-code-color", "--links"] {
                pairs.push((format!("{text} in code"), text, ground));
            }
            let selectors = code.iter().flat_map(|line| &line.selectors);
            for selector in selectors.filter(|of| of.starts_with(".hljs") && !of.contains(' ')) {
                if let Some(text) = value(selector, "color") {
                    pairs.push((selector.clone(), text, value(selector, "background-color").unwrap_or(ground)));
                }
            }
        }
        assert!(pairs.len() >= 20, "{selectors:?}");
        for (name, text, ground) in pairs {
            let colour = |name| colour(variables.get(name).unwrap_or(&name)).unwrap_or_else(|| panic!("{name}"));
            let contrast = contrast(colour(text), colour(ground));
            if contrast < LEAST {
                low += &format!("{selectors:?}, dark {is_dark}: {name} has {contrast:.2}\n");
            }
        }
    }
    assert!(low.is_empty(), "docs/book.css sets the colours of the book; these contrasts are below {LEAST}:\n{low}");
}

#[test]
fn contrast_is_that_of_the_guidelines() {
    let contrast = |a, b| contrast(colour(a).unwrap(), colour(b).unwrap());
    assert!((contrast("#fff", "black") - 21.0).abs() < 1e-9);
    assert!((contrast("#777777", "#fff") - 4.48).abs() < 0.01, "{}", contrast("#777777", "#fff"));
    assert!((contrast("hsl(226, 23%, 11%)", "#161923") - 1.0).abs() < 0.02);
    let lines = declarations(
        "/* .a { --x: 1; } */ .a, .b { --x: #fff; } @media (prefers-color-scheme: dark) { .a { --x: #000 } }",
    );
    assert_eq!(lines.len(), 2);
    assert!(lines[0].selectors == [".a", ".b"] && lines[0].value == "#fff" && !lines[0].is_for_dark);
    assert!(lines[1].is_for_dark && lines[1].value == "#000");
}

/// The style sheet of a built book whose path begins with `start`.
fn sheet(out: &Path, start: &str) -> String {
    let folder = out.join(start).parent().unwrap().to_owned();
    let start = start.rsplit('/').next().unwrap();
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_it = |name: &str| name.starts_with(start) && name.ends_with(".css");
    let path = paths.into_iter().find(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_it));
    fs::read_to_string(path.unwrap_or_else(|| panic!("{start}"))).unwrap()
}

/// The declarations of a style sheet, except those for screens of some size, for paper and of animations.
fn declarations(css: &str) -> Vec<Declaration> {
    let mut plain = String::new();
    let mut rest = css;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain += before;
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain += rest;
    let (mut found, mut open, mut start) = (Vec::new(), Vec::<&str>::new(), 0);
    for (at, c) in plain.char_indices().filter(|(_, c)| matches!(c, '{' | '}')) {
        let text = plain[start..at].trim();
        start = at + 1;
        if c == '{' {
            open.push(text);
            continue;
        }
        let selector = open.pop().unwrap_or_default();
        let is_for_dark = open.iter().any(|outer| outer.contains("prefers-color-scheme: dark"));
        if (!open.is_empty() && !is_for_dark) || selector.starts_with('@') {
            continue;
        }
        for (name, value) in text.split(';').filter_map(|line| line.split_once(':')) {
            let selectors = selector.split(',').map(|one| one.trim().into()).collect();
            found.push(Declaration { is_for_dark, selectors, name: name.trim().into(), value: value.trim().into() });
        }
    }
    found
}

/// Red, green and blue of a colour, from 0 to 1.
fn colour(text: &str) -> Option<[f64; 3]> {
    if let Some(hex) = text.strip_prefix('#') {
        let width = hex.len() / 3;
        let part = |place: usize| {
            let digits = hex.get(place * width..(place + 1) * width)?.repeat(3 - width.min(2));
            Some(f64::from(u8::from_str_radix(digits.get(..2)?, 16).ok()?) / 255.0)
        };
        return Some([part(0)?, part(1)?, part(2)?]);
    }
    if let Some(hsl) = text.strip_prefix("hsl(") {
        let parts: Vec<f64> = hsl
            .trim_end_matches(')')
            .split(',')
            .filter_map(|part| part.trim().trim_end_matches('%').parse().ok())
            .collect();
        let &[hue, saturation, lightness] = &*parts else { return None };
        let (saturation, lightness) = (saturation / 100.0, lightness / 100.0);
        let part = |offset: f64| {
            let place = (offset + hue / 30.0) % 12.0;
            let spread = saturation * lightness.min(1.0 - lightness);
            lightness - spread * (place - 3.0).min(9.0 - place).clamp(-1.0, 1.0)
        };
        return Some([part(0.0), part(8.0), part(4.0)]);
    }
    (text == "black").then_some([0.0; 3])
}

/// The contrast of two colours, from 1 to 21.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let luminance = |[red, green, blue]: [f64; 3]| {
        let linear = |part: f64| if part <= 0.04045 { part / 12.92 } else { libm::pow((part + 0.055) / 1.055, 2.4) };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}
