//! The key: colours, dashes and marks of series, and the lines that name them.

use bevy::math::DVec2;
use swarmarium_picture::{Anchor, Layer, Paint, Role};

use super::page::{Page, SMALL_PX, TEXT_PX, shortened, text_width};

/// Colours of the palette of Okabe and Ito, those with much contrast on white first; yellow has too little.
const COLORS: [Role; 7] = [
    Role::Group(4),
    Role::Group(5),
    Role::Group(2),
    Role::Group(1),
    Role::Group(3),
    Role::Group(0),
    // Black is a colour of the palette, too.
    Role::Text,
];
/// The height of a row of the key, in pixels.
pub const ROW_PX: f64 = 20.0;
/// Rows of the key; the last one tells the number of the other series.
const MOST_ROWS: usize = 20;
/// The length of the piece of a line before a name, in pixels.
const SWATCH_PX: f64 = 26.0;
/// The gap between two names, in pixels.
const GAP_PX: f64 = 16.0;
/// The widest name, in pixels.
const NAME_PX: f64 = 300.0;

/// The form of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Disc,
    Square,
    Triangle,
    Diamond,
}

/// The style of a series. Colour, form and dashes together differ for 28 series, so that a reader needs no colour to know
/// most of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    pub color: Role,
    pub dashed: bool,
    form: Form,
}

impl Style {
    /// The style of a series by its place.
    pub fn for_series(place: usize) -> Self {
        let forms = [Form::Disc, Form::Square, Form::Triangle, Form::Diamond];
        let dashed = (place / COLORS.len()) % 2 == 1;
        Self { color: COLORS[place % COLORS.len()], dashed, form: forms[place % forms.len()] }
    }

    /// Draws a mark; a hollow one has the colour of the ground inside.
    pub fn mark(&self, page: &mut Page, at: DVec2, radius: f64, hollow: bool) {
        self.filled(page, self.color.into(), at, radius);
        if hollow {
            self.filled(page, Role::Ground.into(), at, radius * 0.58);
        }
    }

    fn filled(&self, page: &mut Page, paint: Paint, at: DVec2, radius: f64) {
        let corners: &[(f64, f64)] = match self.form {
            Form::Disc => return page.disc(Layer::Agents, paint, at, radius),
            Form::Square => &[(-0.88, -0.88), (0.88, -0.87), (0.88, 0.88), (-0.88, 0.87)],
            Form::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Form::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
        };
        page.polygon(Layer::Agents, paint, corners.iter().map(|corner| at + radius * DVec2::from(*corner)).collect());
    }
}

/// The swatch before a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swatch {
    /// A line.
    Line,
    /// A line with a mark.
    Marked,
    /// A mark alone.
    Mark,
    /// A box.
    Box,
}

/// The key of a chart: names in rows, in the order of the series.
#[derive(Clone, Debug)]
pub struct Key {
    swatch: Swatch,
    /// The quantity whose values the names are, before the first of them; empty if the names are of several kinds.
    head: String,
    /// The names by row, each with the place of its series and its distance from the left edge.
    rows: Vec<Vec<(usize, f64, String)>>,
    /// The number of series without a place.
    hidden: usize,
}

/// The quantity of names such as `Range = 1 m`, and the values without it; `None` unless all are of one quantity.
fn common_quantity<'a>(names: &[&'a str]) -> Option<(&'a str, Vec<&'a str>)> {
    let split = |name: &&'a str| name.split_once(" = ").filter(|(_, value)| !value.contains([',', '=']));
    let (first, _) = split(names.first()?)?;
    let values =
        names.iter().map(|name| split(name).filter(|(quantity, _)| *quantity == first).map(|(_, value)| value));
    Some((first, values.collect::<Option<Vec<_>>>()?))
}

impl Key {
    /// The key for series with these names. One series has no key: the title and the labels of the axes tell what it is.
    pub fn new(names: &[&str], swatch: Swatch, width_px: f64) -> Self {
        let mut key = Self { swatch, head: String::new(), rows: Vec::new(), hidden: 0 };
        if names.len() < 2 {
            return key;
        }
        let most = NAME_PX.min(width_px - SWATCH_PX);
        let (head, names) = match common_quantity(names).filter(|(head, _)| text_width(head, TEXT_PX) < width_px / 2.0)
        {
            Some((head, values)) => (format!("{head}:"), values),
            None => (String::new(), names.to_vec()),
        };
        let names: Vec<String> = names.iter().map(|name| shortened(name, most, TEXT_PX)).collect();
        let first = if head.is_empty() { 0.0 } else { text_width(&head, TEXT_PX) + GAP_PX };
        key.head = head;
        let widths: Vec<f64> = names.iter().map(|name| SWATCH_PX + 6.0 + text_width(name, TEXT_PX)).collect();
        let one_row = first + widths.iter().map(|width| width + GAP_PX).sum::<f64>() - GAP_PX;
        // Names in more than one row stand in columns.
        let column = if one_row > width_px { widths.iter().copied().fold(0.0, f64::max) } else { 0.0 };
        let count = names.len();
        let mut end = f64::INFINITY;
        for (place, (name, width)) in names.into_iter().zip(widths).enumerate() {
            let width = width.max(column);
            if end + width > width_px {
                if key.rows.len() == MOST_ROWS {
                    key.hidden = count - place;
                    break;
                }
                key.rows.push(Vec::new());
                // Rows begin below the first name.
                end = if first + width > width_px { 0.0 } else { first };
            }
            if let Some(row) = key.rows.last_mut() {
                row.push((place, end, name));
            }
            end += width + GAP_PX;
        }
        key
    }

    /// The height of the key, in pixels.
    pub fn height(&self) -> f64 {
        let rows = self.rows.len() + usize::from(self.hidden > 0);
        if rows == 0 { 0.0 } else { rows as f64 * ROW_PX + 6.0 }
    }

    /// Draws the key from its top left corner.
    pub fn draw(&self, page: &mut Page, [left, top]: [f64; 2]) {
        let bottom = |row: usize| top + (row + 1) as f64 * ROW_PX - 2.0;
        if !self.head.is_empty() {
            page.text(Role::Text, DVec2::new(left, bottom(0)), &self.head, TEXT_PX, Anchor::Left);
        }
        for (row, names) in self.rows.iter().enumerate() {
            for (place, from, name) in names {
                let style = Style::for_series(*place);
                let at = DVec2::new(left + from, bottom(row) - TEXT_PX * 0.52);
                let [middle, end] = [SWATCH_PX / 2.0, SWATCH_PX].map(|along| at + DVec2::new(along, 0.0));
                if matches!(self.swatch, Swatch::Line | Swatch::Marked) {
                    page.line(Layer::Links, style.color, vec![at, end], 2.0, style.dashed);
                }
                match self.swatch {
                    Swatch::Line => {}
                    Swatch::Marked | Swatch::Mark => style.mark(page, middle, 3.8, false),
                    Swatch::Box => style.mark(page, middle, 5.0, false),
                }
                page.text(Role::Text, DVec2::new(end.x + 6.0, bottom(row)), name, TEXT_PX, Anchor::Left);
            }
        }
        if self.hidden > 0 {
            let text = format!("and {} more", self.hidden);
            page.text(Role::Dim, DVec2::new(left, bottom(self.rows.len())), &text, SMALL_PX, Anchor::Left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_styles_of_many_series_differ() {
        for first in 0..28 {
            assert!((0..first).all(|second| Style::for_series(first) != Style::for_series(second)), "{first}");
        }
        assert_eq!(Style::for_series(100), Style::for_series(100));
    }

    #[test]
    fn values_of_one_quantity_have_its_name_once() {
        let key = Key::new(&["Range = 1 m", "Range = 2 m"], Swatch::Line, 688.0);
        assert_eq!(key.head, "Range:");
        let names: Vec<&str> = key.rows.iter().flatten().map(|(.., name)| name.as_str()).collect();
        assert_eq!((names, key.rows.len()), (vec!["1 m", "2 m"], 1));
        assert!(key.rows[0][0].1 > 40.0);
        for others in [["Range = 1 m", "Angle = 1"], ["Range = 1 m, found", "Range = 1 m, expected"], ["a", "b"]] {
            assert_eq!(Key::new(&others, Swatch::Line, 688.0).head, "", "{others:?}");
        }
    }

    #[test]
    fn a_key_names_many_series_in_rows() {
        let names: Vec<String> = (0..1000).map(|name| format!("series {name}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let key = |count: usize| Key::new(&names[..count], Swatch::Line, 688.0);
        assert_eq!(key(1).height(), 0.0);
        assert_eq!(key(3).rows.len(), 1);
        assert_eq!(key(3).hidden, 0);
        let named: usize = key(100).rows.iter().map(Vec::len).sum();
        assert_eq!(named, 100);
        assert_eq!(key(100).hidden, 0);
        let key = key(1000);
        assert_eq!(key.rows.iter().map(Vec::len).sum::<usize>() + key.hidden, 1000);
        assert!(key.rows.len() == MOST_ROWS && key.hidden > 0);
    }
}
