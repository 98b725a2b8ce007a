//! The page: a picture in pixels from its top left corner, with the shapes and texts that charts share.

use bevy::math::DVec2;
use swarmarium_picture::fonts::Fonts;
use swarmarium_picture::{Anchor, Camera, Layer, Paint, Picture, Role, Shape, Width, YAxis};

use super::scripts::{Letter, is_mark, letters, runs, with_marks};

/// The size of texts, in pixels.
pub const TEXT_PX: f64 = 13.0;
/// The size of less important texts, in pixels.
pub const SMALL_PX: f64 = 12.0;
/// The size of the title, in pixels.
pub const TITLE_PX: f64 = 16.0;
/// Height of a line of text, as a multiple of its size.
pub const LINE: f64 = 1.35;

/// The least side of the area of the data that alignment leaves, in pixels.
const LEAST_PLOT_PX: f64 = 20.0;

/// A rectangle of the page, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// The right edge.
    pub right: f64,
    /// The lower edge.
    pub bottom: f64,
}

impl Area {
    /// The width.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    /// The height.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The part of the area that lies within another one; `None` if there is none.
    pub fn within(&self, other: Self) -> Option<Self> {
        let [left, top] = [self.left.max(other.left), self.top.max(other.top)];
        let [right, bottom] = [self.right.min(other.right), self.bottom.min(other.bottom)];
        (left < right && top < bottom).then_some(Self { left, top, right, bottom })
    }

    /// The area with its edges on whole pixels.
    pub fn rounded(&self) -> Self {
        let [left, top, right, bottom] = [self.left, self.top, self.right, self.bottom].map(f64::round);
        Self { left, top, right, bottom }
    }

    /// The corners, clockwise from the upper left one.
    pub fn corners(&self) -> [DVec2; 4] {
        let Self { left, top, right, bottom } = *self;
        [DVec2::new(left, top), DVec2::new(right, top), DVec2::new(right, bottom), DVec2::new(left, bottom)]
    }
}

/// The room of a chart on the page.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The area of the chart with its labels.
    pub area: Area,
    /// The area that the data do not leave, so that those of neighbouring charts align.
    pub within: Option<Area>,
    /// Whether the x axis has texts. A chart above another one with the same axis has none.
    pub has_x_texts: bool,
}

impl Placement {
    /// A chart alone in an area.
    pub fn alone(area: Area) -> Self {
        Self { area, within: None, has_x_texts: true }
    }

    /// The area of the data with its left and right edges within that of neighbouring charts, unless too little of it
    /// remains.
    pub fn aligned_sides(&self, plot: Area) -> Area {
        let Some(within) = self.within else { return plot };
        let [left, right] = [plot.left.max(within.left), plot.right.min(within.right)];
        if right - left >= LEAST_PLOT_PX { Area { left, right, ..plot } } else { plot }
    }

    /// The area of the data with its upper and lower edges within that of neighbouring charts, unless too little of it
    /// remains.
    pub fn aligned_ends(&self, plot: Area) -> Area {
        let Some(within) = self.within else { return plot };
        let [top, bottom] = [plot.top.max(within.top), plot.bottom.min(within.bottom)];
        if bottom - top >= LEAST_PLOT_PX { Area { top, bottom, ..plot } } else { plot }
    }
}

/// The shapes of a figure.
#[derive(Clone, Debug, Default)]
pub struct Page {
    picture: Picture,
}

impl Page {
    pub fn new() -> Self {
        Self { picture: Picture { pixels_per_m: 1.0, ..Picture::default() } }
    }

    /// The picture, and the camera for which a metre of the picture is a pixel of the page.
    pub fn into_picture(self, size_px: DVec2) -> (Picture, Camera) {
        let center_m = size_px / 2.0;
        (self.picture, Camera { center_m, pixels_per_m: 1.0, screen_px: size_px, y_axis: YAxis::Down, turn_rad: 0.0 })
    }

    /// Adds a filled rectangle with its edges on whole pixels, so that no gap shows between rectangles that meet.
    pub fn fill(&mut self, layer: Layer, paint: impl Into<Paint>, area: Area) {
        self.picture.add(layer, paint, Shape::Polygon(area.rounded().corners().to_vec()));
    }

    pub fn outline(&mut self, layer: Layer, paint: impl Into<Paint>, area: Area, width_px: f64) {
        let points = area.corners().to_vec();
        self.picture.add(layer, paint, Shape::Line { points, closed: true, pen: Width::Pixels(width_px).into() });
    }

    pub fn polygon(&mut self, layer: Layer, paint: impl Into<Paint>, corners: Vec<DVec2>) {
        self.picture.add(layer, paint, Shape::Polygon(corners));
    }

    pub fn disc(&mut self, layer: Layer, paint: impl Into<Paint>, center: DVec2, radius: f64) {
        self.picture.disc(layer, paint, center, radius);
    }

    pub fn segment(&mut self, layer: Layer, paint: impl Into<Paint>, ends: [DVec2; 2], width_px: f64) {
        self.picture.segment(layer, paint, ends, Width::Pixels(width_px));
    }

    pub fn line(&mut self, layer: Layer, paint: impl Into<Paint>, points: Vec<DVec2>, width_px: f64, dashed: bool) {
        let width = Width::Pixels(width_px);
        let pen = if dashed { width.dashed() } else { width.into() };
        self.picture.add(layer, paint, Shape::Line { points, closed: false, pen });
    }

    /// Adds a text with the lower edge of its letters at a point.
    pub fn text(&mut self, paint: impl Into<Paint>, at: DVec2, text: &str, size_px: f64, anchor: Anchor) {
        let Some(runs) = runs(text) else {
            self.picture.add(Layer::Labels, paint, Shape::Text { at, text: text.to_owned(), size_px, anchor });
            return;
        };
        // Lowered and raised letters are texts of their own, at the places that the widths of the letters give.
        let (paint, fonts) = (paint.into(), Fonts::default());
        let widths: Vec<f64> = runs
            .iter()
            .map(|run| {
                let advances = run.text.chars().filter_map(|letter| fonts.glyph(letter)).map(|glyph| glyph.advance);
                advances.sum::<f64>() * run.scale * size_px
            })
            .collect();
        let width: f64 = widths.iter().sum();
        let mut left = match anchor {
            Anchor::Left => at.x,
            Anchor::Middle => at.x - width / 2.0,
            Anchor::Right => at.x - width,
        };
        for (run, width) in runs.into_iter().zip(widths) {
            let below = fonts.descent() * (run.scale - 1.0) - run.rise;
            let at = DVec2::new(left, at.y + below * size_px);
            let text = run.text.to_owned();
            let shape = Shape::Text { at, text, size_px: size_px * run.scale, anchor: Anchor::Left };
            self.picture.add(Layer::Labels, paint, shape);
            left += width;
        }
    }

    /// Adds lines of text, with the lower edge of the last one at a point.
    pub fn lines_above(&mut self, at: DVec2, lines: &[String], size_px: f64, anchor: Anchor) {
        for (below, line) in lines.iter().rev().enumerate() {
            self.text(Role::Text, at - DVec2::new(0.0, below as f64 * LINE * size_px), line, size_px, anchor);
        }
    }

    /// Adds lines of text from a point at the upper edge of the first one. Returns the lower edge of the last one.
    pub fn lines(&mut self, role: Role, [x, top]: [f64; 2], lines: &[String], size_px: f64, anchor: Anchor) -> f64 {
        let mut bottom = top;
        for line in lines {
            bottom += LINE * size_px;
            self.text(role, DVec2::new(x, bottom), line, size_px, anchor);
        }
        bottom
    }
}

/// The width of a text, in pixels. The fonts of viewers differ, so this is an estimate, and rather too wide.
pub fn text_width(text: &str, size_px: f64) -> f64 {
    let em = |character: char| match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.92,
        'A'..='Z' => 0.68,
        other if other.is_ascii() => 0.62,
        mark if is_mark(mark) => 0.0,
        // Letters of scripts with square characters.
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{FFEF}' | '\u{1F000}'.. => 1.0,
        _ => 0.64,
    };
    text.chars().map(em).sum::<f64>() * size_px
}

/// A text that is not wider than a number of pixels: the center of a longer one becomes an ellipsis, since texts of a list
/// often differ at their ends.
pub fn shortened(text: &str, width_px: f64, size_px: f64) -> String {
    if text_width(text, size_px) <= width_px {
        return text.to_owned();
    }
    let letters: Vec<Letter> = letters(text);
    let kept = |count: usize| {
        let (before, after) = (count.div_ceil(2), count / 2);
        let (before, after) = (&letters[..before], &letters[letters.len() - after..]);
        with_marks(&[before, &[Letter::from('…')], after].concat())
    };
    // Below the count where it first fails, every count fits well enough: widths grow with counts.
    let mut count = 0;
    while count + 1 < letters.len() && text_width(&kept(count + 1), size_px) <= width_px {
        count += 1;
    }
    kept(count)
}

/// Names without the words that all of them begin with, which become an ellipsis.
pub fn without_common_start(names: &[String]) -> Vec<String> {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else {
        return names.to_vec();
    };
    let ends = |end: &usize| others.iter().all(|other| other.starts_with(&first[..*end]));
    // Words end as lines do in `wrapped`.
    let words = first.char_indices().filter(|(_, letter)| is_break(*letter)).map(|(at, letter)| at + letter.len_utf8());
    let start = words.take_while(ends).last().unwrap_or(0);
    let is_shorter = start > 1 && names.iter().all(|name| name.len() > start);
    names.iter().map(|name| if is_shorter { format!("…{}", &name[start..]) } else { name.clone() }).collect()
}

/// Whether a line can end after a letter.
fn is_break(letter: char) -> bool {
    letter.is_whitespace() || "_,=".contains(letter)
}

/// A text in lines that are not wider than a number of pixels, broken at spaces and after `_`, `,` and `=`. Longer words are
/// shortened, and so is the last line when there are more than `most`.
pub fn wrapped(text: &str, width_px: f64, size_px: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let is_fit = |line: &str| text_width(line.trim(), size_px) <= width_px;
    for word in letters(text).split_inclusive(|letter| is_break(letter.letter)).map(with_marks) {
        match lines.last_mut() {
            Some(line) if is_fit(&format!("{line}{word}")) => line.push_str(&word),
            _ => lines.push(word),
        }
    }
    if lines.len() > most && most > 0 {
        let rest = lines.split_off(most - 1).concat();
        lines.push(rest);
    }
    let lines = lines.iter().map(|line| shortened(&trimmed(line), width_px, size_px));
    lines.filter(|line| !line.is_empty()).collect()
}

/// A text with marks without space at its ends.
fn trimmed(text: &str) -> String {
    let letters = letters(text);
    let is_space = |letter: &Letter| letter.letter.is_whitespace();
    let start = letters.iter().position(|letter| !is_space(letter)).unwrap_or(letters.len());
    let end = letters.iter().rposition(|letter| !is_space(letter)).map_or(start, |last| last + 1);
    with_marks(&letters[start..end])
}

#[cfg(test)]
mod tests {
    use crate::scripts::marked;

    use super::*;

    #[test]
    fn long_texts_keep_both_ends() {
        assert_eq!(shortened("short", 100.0, 13.0), "short");
        let long = shortened("controller=aggressive, range=3.5", 100.0, 13.0);
        assert!(long.starts_with("contr") && long.ends_with("=3.5") && text_width(&long, 13.0) <= 100.0, "{long}");
        assert_eq!(shortened("anything", 0.0, 13.0), "…");
    }

    #[test]
    fn series_names_lose_their_common_prefix() {
        let short = |names: [&str; 2]| without_common_start(&names.map(str::to_owned));
        assert_eq!(short(["range_m=1", "range_m=1.5"]), ["…1", "…1.5"]);
        assert_eq!(short(["random walk", "random turn"]), ["…walk", "…turn"]);
        assert_eq!(short(["range", "rate"]), ["range", "rate"]);
        assert_eq!(short(["a_", "a_b"]), ["a_", "a_b"]);
        assert_eq!(short(["größe_ä", "größe_ö"]), ["…ä", "…ö"]);
        assert_eq!(without_common_start(&["only one".to_owned()]), ["only one"]);
    }

    #[test]
    fn texts_break_at_spaces() {
        let lines = wrapped("one two three four five six", 60.0, 13.0, 9);
        assert!(lines.len() > 2 && lines.join(" ") == "one two three four five six", "{lines:?}");
        let lines = wrapped("one two three four five six", 60.0, 13.0, 2);
        assert!(lines.len() == 2 && lines[1].contains('…'), "{lines:?}");
        assert!(wrapped("", 60.0, 13.0, 2).is_empty());
        assert!(wrapped("incomprehensibilities", 60.0, 13.0, 2)[0].contains('…'));
    }

    #[test]
    fn cut_texts_keep_their_lowered_letters() {
        // The letters of a text, with `_` before those that are lowered.
        let shown = |text: &str| -> String {
            let runs = runs(text).unwrap_or_default();
            let lowered = |rise: f64| if rise < 0.0 { "_" } else { "" };
            runs.iter()
                .map(|run| run.text.chars().map(|c| format!("{}{c}", lowered(run.rise))).collect::<String>())
                .collect()
        };
        let long = marked("v_{max, of all robots of the swarm} of them");
        let cut = shortened(&long, 90.0, 13.0);
        assert!(shown(&cut).contains('…') && !shown(&cut).contains("_…") && shown(&cut).ends_with("them"), "{cut}");
        let both = shortened(&marked("N_{a long index without an end}"), 90.0, 13.0);
        assert!(shown(&both).starts_with("N_a") && shown(&both).ends_with("_e_n_d"), "{}", shown(&both));
        let lines = wrapped(&long, 80.0, 13.0, 9);
        assert!(lines.len() > 2, "{lines:?}");
        let whole: String = lines.iter().map(|line| shown(line)).collect();
        assert!(whole.contains("_m_a_x_,") && whole.contains("_r_o_b_o_t_s"), "{whole}");
        assert_eq!(lines.last().map(String::as_str), Some("them"));
        assert!(lines.iter().all(|line| !shown(line).ends_with([' ', '_'])), "{lines:?}");
    }

    #[test]
    fn a_pixel_of_the_page_is_a_pixel_of_the_screen() {
        let (_, camera) = Page::new().into_picture(DVec2::new(720.0, 480.0));
        for at in [DVec2::ZERO, DVec2::new(100.25, 47.5), DVec2::new(720.0, 480.0)] {
            assert_eq!(camera.screen_from_world(at), at);
        }
    }
}
