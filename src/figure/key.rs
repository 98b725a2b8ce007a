//! The key: colours, dashes and marks of series, and the lines that name them.

use bevy::math::DVec2;
use swarmarium_picture::{Anchor, Layer, Paint, Role};

use super::label::Label;
use super::page::{Page, SMALL_PX, TEXT_PX, shortened, text_width};
use super::scripts::marked;

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
/// The most of the height of a figure that the key takes.
const MOST_HEIGHT: f64 = 0.3;
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
        self.mark_on(page, Layer::Agents, at, radius, hollow);
    }

    /// Draws a mark on a layer.
    pub fn mark_on(&self, page: &mut Page, layer: Layer, at: DVec2, radius: f64, hollow: bool) {
        self.filled(page, layer, self.color.into(), at, radius);
        if hollow {
            self.filled(page, layer, Role::Ground.into(), at, radius * 0.58);
        }
    }

    fn filled(&self, page: &mut Page, layer: Layer, paint: Paint, at: DVec2, radius: f64) {
        let corners: &[(f64, f64)] = match self.form {
            Form::Disc => return page.disc(layer, paint, at, radius),
            Form::Square => &[(-0.88, -0.88), (0.88, -0.87), (0.88, 0.88), (-0.88, 0.87)],
            Form::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Form::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
        };
        page.polygon(layer, paint, corners.iter().map(|corner| at + radius * DVec2::from(*corner)).collect());
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
    /// A hollow mark alone.
    Hollow,
    /// A box.
    Box,
}

/// A series in a key.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The place of the series, which gives its style.
    pub series: usize,
    pub label: &'a Label,
    pub swatch: Swatch,
}

/// A name in a row of a key.
#[derive(Clone, Debug)]
struct Name {
    series: usize,
    swatch: Swatch,
    /// The distance from the left edge, in pixels.
    from: f64,
    text: String,
}

/// The key of a chart: names in rows, in the order of the series.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// The quantities whose values the names are, before the first of them; empty unless all labels have the same ones.
    head: String,
    /// Whether the head has a row of its own.
    has_head_row: bool,
    rows: Vec<Vec<Name>>,
    /// The number of series without a place.
    hidden: usize,
}

impl Key {
    /// The key of some series in a part of a figure with a width and a height.
    pub fn new(entries: &[Entry], [width_px, height_px]: [f64; 2]) -> Self {
        let mut key = Self::default();
        let most = NAME_PX.min(width_px - SWATCH_PX);
        let quantities = entries.first().map(|entry| entry.label.quantities()).unwrap_or_default();
        let have_all = |entry: &Entry| entry.label.quantities() == quantities;
        let has_head = entries.len() > 1 && !quantities.is_empty() && entries.iter().all(have_all);
        let head = if has_head { format!("{}:", marked(&quantities.join(", "))) } else { String::new() };
        let name = |Entry { label, .. }: &Entry| {
            let name = if has_head { label.without_quantities() } else { label.to_string() };
            shortened(&marked(&name), most, TEXT_PX)
        };
        let names: Vec<String> = entries.iter().map(name).collect();
        key.has_head_row = text_width(&head, TEXT_PX) > width_px * 0.45;
        key.head = shortened(&head, width_px, TEXT_PX);
        let first = if head.is_empty() || key.has_head_row { 0.0 } else { text_width(&head, TEXT_PX) + GAP_PX };
        let others = usize::from(key.has_head_row) + 1;
        let most_rows = ((height_px * MOST_HEIGHT / ROW_PX) as usize).saturating_sub(others).clamp(1, MOST_ROWS);
        let widths: Vec<f64> = names.iter().map(|name| SWATCH_PX + 6.0 + text_width(name, TEXT_PX)).collect();
        let one_row = first + widths.iter().map(|width| width + GAP_PX).sum::<f64>() - GAP_PX;
        // Names in more than one row stand in columns.
        let column = if one_row > width_px { widths.iter().copied().fold(0.0, f64::max) } else { 0.0 };
        let count = names.len();
        let mut end = f64::INFINITY;
        for (place, (text, width)) in names.into_iter().zip(widths).enumerate() {
            let width = width.max(column);
            if end + width > width_px {
                if key.rows.len() == most_rows {
                    key.hidden = count - place;
                    break;
                }
                key.rows.push(Vec::new());
                // Rows begin below the first name.
                end = if first + width > width_px { 0.0 } else { first };
            }
            if let Some(row) = key.rows.last_mut() {
                let Entry { series, swatch, .. } = entries[place];
                row.push(Name { series, swatch, from: end, text });
            }
            end += width + GAP_PX;
        }
        key
    }

    /// The names.
    #[cfg(test)]
    pub fn names(&self) -> Vec<&str> {
        self.rows.iter().flatten().map(|name| name.text.as_str()).collect()
    }

    /// The height of the key, in pixels.
    pub fn height(&self) -> f64 {
        let rows = self.rows.len() + usize::from(self.hidden > 0) + usize::from(self.has_head_row);
        if rows == 0 { 0.0 } else { rows as f64 * ROW_PX + 6.0 }
    }

    /// Draws the key from its top left corner.
    pub fn draw(&self, page: &mut Page, [left, top]: [f64; 2]) {
        let bottom = |row: usize| top + (row + 1) as f64 * ROW_PX - 2.0;
        if !self.head.is_empty() {
            page.text(Role::Text, DVec2::new(left, bottom(0)), &self.head, TEXT_PX, Anchor::Left);
        }
        let bottom = |row: usize| bottom(row + usize::from(self.has_head_row));
        for (row, names) in self.rows.iter().enumerate() {
            for Name { series, swatch, from, text } in names {
                let style = Style::for_series(*series);
                let at = DVec2::new(left + from, bottom(row) - TEXT_PX * 0.52);
                let [center, end] = [SWATCH_PX / 2.0, SWATCH_PX].map(|along| at + DVec2::new(along, 0.0));
                if matches!(swatch, Swatch::Line | Swatch::Marked) {
                    page.line(Layer::Links, style.color, vec![at, end], 2.0, style.dashed);
                }
                match swatch {
                    Swatch::Line => {}
                    Swatch::Marked | Swatch::Mark => style.mark(page, center, 3.8, false),
                    Swatch::Hollow => style.mark(page, center, 3.8, true),
                    Swatch::Box => style.mark(page, center, 5.0, false),
                }
                page.text(Role::Text, DVec2::new(end.x + 6.0, bottom(row)), text, TEXT_PX, Anchor::Left);
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

    /// The key of series of lines in a figure of a size, in pixels.
    fn key(names: &[&str], size_px: [f64; 2]) -> Key {
        of_labels(&names.iter().map(|name| Label::from(*name)).collect::<Vec<_>>(), size_px)
    }

    fn of_labels(labels: &[Label], size_px: [f64; 2]) -> Key {
        let entries = labels.iter().enumerate().map(|(series, label)| Entry { series, label, swatch: Swatch::Line });
        Key::new(&entries.collect::<Vec<_>>(), size_px)
    }

    fn label(values: &[(&str, &str)], name: &str) -> Label {
        let values = values.iter().map(|(quantity, value)| ((*quantity).to_owned(), (*value).to_owned()));
        Label { values: values.collect(), name: name.into() }
    }

    #[test]
    fn values_of_one_quantity_have_its_name_once() {
        let of_one = of_labels(&["1 m", "2 m"].map(|value| label(&[("Range", value)], "")), [688.0, 900.0]);
        assert_eq!(of_one.head, "Range:");
        assert_eq!((of_one.names(), of_one.rows.len()), (vec!["1 m", "2 m"], 1));
        assert!(of_one.rows[0][0].from > 40.0 && !of_one.has_head_row);
        let expected = of_labels(&["found", "expected"].map(|name| label(&[("a, b = c", "1")], name)), [688.0, 900.0]);
        assert_eq!((expected.head.as_str(), expected.names()), ("a, b = c:", vec!["1, found", "1, expected"]));
        let mixed = of_labels(&["Range", "Angle"].map(|quantity| label(&[(quantity, "1")], "")), [688.0, 900.0]);
        assert_eq!((mixed.head.as_str(), mixed.names()), ("", vec!["Range = 1", "Angle = 1"]));
        assert_eq!(key(&["Range = 1 m", "Range = 2 m"], [688.0, 900.0]).head, "");
    }

    #[test]
    fn the_values_of_several_quantities_have_their_names_once() {
        let points = ["1 m", "2 m", "5 m"]
            .map(|range| ["4", "6"].map(|count| label(&[("Range of sight", range), ("Number of robots", count)], "")));
        let points = points.concat();
        let wide = of_labels(&points, [688.0, 900.0]);
        assert_eq!(wide.head, "Range of sight, Number of robots:");
        assert_eq!(wide.names()[..2], ["1 m, 4", "1 m, 6"]);
        // A column of a journal has the names of the quantities in a row of their own.
        let narrow = of_labels(&points, [380.0, 280.0]);
        assert!(narrow.has_head_row && narrow.hidden == 0 && narrow.height() < 0.3 * 280.0, "{narrow:?}");
    }

    #[test]
    fn a_key_takes_at_most_a_part_of_the_height() {
        let many: Vec<String> = (0..40).map(|name| format!("a long name of series {name}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for height_px in [200.0, 400.0, 800.0] {
            let key = key(&many, [380.0, height_px]);
            assert!(key.height() <= 0.3 * height_px + 6.0 && key.hidden > 0, "{height_px}: {}", key.height());
        }
    }

    #[test]
    fn a_key_names_many_series_in_rows() {
        let names: Vec<String> = (0..1000).map(|name| format!("series {name}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let key = |count: usize| key(&names[..count], [688.0, 2000.0]);
        assert_eq!(key(0).height(), 0.0);
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
