//! Maps of ROS: `map.yaml` with the name of an image, its resolution, its place and its thresholds.

use std::path::{Path, PathBuf};

use swarmarium_base::files::{self, LookupError};
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::object::drawing::Drawing;
use swarmarium_core::text::wording::shown;
use thiserror::Error;

/// The most problems, and the most warnings, of a map that are reported one by one.
const MAX_NOTES: usize = 20;
/// The keys of a map.
const KEYS: [&str; 7] = ["image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh", "mode"];
/// The modes in which map servers read images.
const MODES: [&str; 3] = ["trinary", "scale", "raw"];
/// The thresholds of a map that states none: those of ROS 2.
pub const THRESHOLDS: [f64; 2] = [0.65, 0.25];

/// A key at the beginning of a line with its value, which can take several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'t> {
    /// The key.
    pub key: &'t str,
    /// The parts of the value: the rest of the line, and the lines below that begin with a blank or a dash.
    parts: Vec<&'t str>,
    /// The byte offset of the key.
    pub at: usize,
}

/// The entries of a text on the highest level. Anything else, such as a list, has none.
pub fn entries(text: &str) -> Vec<Entry<'_>> {
    let (mut entries, mut at): (Vec<Entry>, usize) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = without_comment(line);
        let is_mark = content.starts_with('%') || matches!(content.trim(), "---" | "...");
        if content.trim().is_empty() || is_mark {
            continue;
        }
        let is_below = content.starts_with([' ', '\t', '-', ']', '[', '{', '}']);
        match (is_below, content.split_once(':')) {
            (false, Some((key, value))) => {
                let key = key.trim().trim_matches(['"', '\'']);
                entries.push(Entry { key, parts: vec![value.trim()], at: start });
            }
            _ => {
                if let Some(last) = entries.last_mut() {
                    last.parts.push(content.trim());
                }
            }
        }
    }
    entries
}

/// A line without its comment, which begins with `#` after a blank or at the beginning, outside of quotation marks.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in line.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if c == '#' && before.is_whitespace() => return &line[..at],
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(_) | None => {}
        }
        before = c;
    }
    line
}

/// Whether entries are those of a map.
pub fn is_map(entries: &[Entry]) -> bool {
    let has = |key: &str| entries.iter().any(|entry| entry.key == key);
    let is_world = ["type", "agents", "spawners"].into_iter().any(has);
    !is_world && (has("image") || (has("resolution") && (has("origin") || has("occupied_thresh"))))
}

impl Entry<'_> {
    /// The value as one text, without quotation marks.
    fn text(&self) -> String {
        let text = self.parts.join(" ");
        let text = text.trim();
        let quoted = ['"', '\''].into_iter().find_map(|mark| text.strip_prefix(mark)?.strip_suffix(mark));
        quoted.unwrap_or(text).to_owned()
    }

    /// The numbers of a list, `[a, b]` or one in each line.
    fn numbers(&self) -> Option<Vec<f64>> {
        let joined = self.parts.join(" ");
        let inner = joined.trim().strip_prefix('[').and_then(|rest| rest.trim_end().strip_suffix(']'));
        let lines = self.parts.iter().skip(1).map(|part| part.strip_prefix('-').map(str::trim));
        match inner {
            Some(inner) => inner.split(',').map(str::trim).filter(|part| !part.is_empty()).map(number).collect(),
            None => lines.map(|part| number(part?)).collect(),
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A problem with a map, or a warning about one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{message}", if .key.is_empty() { String::new() } else { format!("`{}`: ", .key) })]
pub struct MapNote {
    /// The key; empty for the map as a whole.
    pub key: String,
    /// The byte offset of the key.
    pub at: usize,
    /// The reason.
    pub message: String,
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
pub struct RosMap {
    /// The name of its image, relative to the folder of the map.
    pub image: String,
    /// Size of a pixel.
    pub resolution_m: f64,
    /// Position of the lower left corner of the image, and its turn.
    pub origin: [f64; 3],
    /// Whether light pixels are occupied.
    pub negates: bool,
    /// The probabilities above which a cell is occupied, and below which it is free.
    pub thresholds: [f64; 2],
    /// Differences that the user should know.
    pub warnings: Vec<MapNote>,
}

impl RosMap {
    /// A map of an image that no file describes.
    pub fn of_image(image: &str) -> Self {
        let (image, warnings) = (image.to_owned(), Vec::new());
        Self { image, resolution_m: 0.05, origin: [0.0; 3], negates: false, thresholds: THRESHOLDS, warnings }
    }

    /// Reads a map.
    ///
    /// # Errors
    /// Lists all problems: values that are missing or have another form.
    pub fn read(text: &str) -> Result<Self, Vec<MapNote>> {
        let entries = entries(text);
        let (mut map, mut problems) = (Self::of_image(""), Vec::new());
        for key in ["image", "resolution", "origin"] {
            if !entries.iter().any(|entry| entry.key == key) {
                let expected = match key {
                    "image" => "the name of an image, such as `image: map.pgm`",
                    "resolution" => "the size of a pixel in metres, such as `resolution: 0.05`",
                    _ => "the pose of the lower left corner, such as `origin: [0.0, 0.0, 0.0]`",
                };
                problems.push(MapNote {
                    key: key.to_owned(),
                    at: 0,
                    message: format!("is missing: expected {expected}"),
                });
            }
        }
        for entry in &entries {
            let (at, value) = (entry.at, entry.text());
            let note = |message: String| MapNote { key: entry.key.to_owned(), at, message };
            let number_between = |low: f64, high: f64| number(&value).filter(|number| (low..=high).contains(number));
            let found = shown(&value);
            let mut refuse = |expected: &str| problems.push(note(format!("expected {expected}, found `{found}`")));
            match entry.key {
                // Among others, a map as its own image would be read without end.
                "image" if !is_image(&value) => refuse("the name of a `.pgm`, `.pnm` or `.png` image"),
                "image" => map.image = value,
                "resolution" => match number(&value).filter(|number| *number > 0.0 && *number <= 1e3) {
                    Some(resolution_m) => map.resolution_m = resolution_m,
                    None => refuse("metres above 0, at most 1000"),
                },
                "origin" => match entry.numbers().as_deref() {
                    Some([x, y, rest @ ..])
                        if rest.len() <= 1 && x.abs() <= MAX_LENGTH_M && y.abs() <= MAX_LENGTH_M =>
                    {
                        map.origin = [*x, *y, rest.first().copied().unwrap_or_default()];
                    }
                    _ => refuse("three numbers, `[x, y, yaw]`"),
                },
                "negate" => match value.to_lowercase().as_str() {
                    "0" | "false" | "no" => map.negates = false,
                    "1" | "true" | "yes" => map.negates = true,
                    _ => refuse("0 or 1"),
                },
                "occupied_thresh" => match number_between(0.0, 1.0) {
                    Some(number) => map.thresholds[0] = number,
                    None => refuse("a number from 0 to 1"),
                },
                "free_thresh" => match number_between(0.0, 1.0) {
                    Some(number) => map.thresholds[1] = number,
                    None => refuse("a number from 0 to 1"),
                },
                "mode" if value.eq_ignore_ascii_case("trinary") => {}
                "mode" if MODES.contains(&value.to_lowercase().as_str()) => map.warnings.push(note(format!(
                    "`{found}` is read as `trinary`: cells above `occupied_thresh` are obstacles, and all others are not"
                ))),
                "mode" => refuse("`trinary`, `scale` or `raw`"),
                key => {
                    let near = did_you_mean(key, KEYS);
                    map.warnings.push(note(format!("is not a key of a map{near}: ignored")));
                }
            }
        }
        cut(&mut map.warnings);
        cut(&mut problems);
        if problems.is_empty() { Ok(map) } else { Err(problems) }
    }

    /// Sets the file, the scale, the place and the thresholds of a drawing; its own position shifts the map.
    pub fn apply(&self, drawing: &mut Drawing) {
        let [x, y, yaw] = self.origin;
        drawing.m_per_unit = self.resolution_m;
        drawing.position_m += bevy::math::DVec2::new(x, y);
        drawing.turn_rad += yaw;
        drawing.dark_below = 1.0 - self.thresholds[0];
        drawing.light_blocks = self.negates;
    }
}

/// Replaces the notes beyond the first ones by their number.
fn cut(notes: &mut Vec<MapNote>) {
    let more = notes.len().saturating_sub(MAX_NOTES);
    notes.truncate(MAX_NOTES);
    if let (Some(last), true) = (notes.last(), more > 0) {
        notes.push(MapNote { key: String::new(), at: last.at, message: format!("and {more} more") });
    }
}

/// The largest size of a map without its image (bytes).
pub const MAX_BYTES: u64 = 1 << 20;

/// Whether a file has an ending of maps.
pub fn has_ending(file: &str) -> bool {
    let ending = Path::new(file).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("yaml") || ending.eq_ignore_ascii_case("yml"))
}

/// Whether a file has an ending of images.
fn is_image(file: &str) -> bool {
    let ending = Path::new(file).extension();
    ending.is_some_and(|ending| ["pgm", "pnm", "png"].iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// All problems in one text.
pub fn joined(notes: &[MapNote]) -> String {
    notes.iter().map(MapNote::to_string).collect::<Vec<_>>().join("; ")
}

/// The image of the map in a file; `None` if the file is not a map, or names no image.
pub fn image_of(path: &Path) -> Option<PathBuf> {
    let text = files::read_text_at_most(path, MAX_BYTES).ok()?;
    let map = RosMap::read(&text).ok()?;
    image_path(path.parent()?, &map.image).ok()
}

/// The path of the image of a map in a folder: a name below this folder, or the file of the same name in it.
///
/// # Errors
/// When there is no such file.
pub fn image_path(folder: &Path, image: &str) -> Result<PathBuf, LookupError> {
    files::within(folder, image).or_else(|error| {
        // Maps are moved with their images, but name the folder in which they were made.
        let name = image.rsplit(['/', '\\']).next().unwrap_or_default();
        files::within(folder, name).map_err(|_| error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_in_the_forms_of_yaml() {
        let text = "# a map\nimage: \"a b.pgm\" # here\nresolution: 0.10\norigin:\n  - -1.5\n  - 2\n  - 0.5\nnegate: 1\n\
                    occupied_thresh: 0.7\nfree_thresh: 0.2\nmode: scale\n";
        let map = RosMap::read(text).unwrap();
        assert_eq!((map.image.as_str(), map.resolution_m, map.origin), ("a b.pgm", 0.1, [-1.5, 2.0, 0.5]));
        assert_eq!((map.negates, map.thresholds, map.warnings.len()), (true, [0.7, 0.2], 1));
        let flow = RosMap::read("image: m.png\nresolution: 5.0e-2\norigin: [1, 2,\n   3]\n").unwrap();
        assert_eq!((flow.origin, flow.resolution_m, flow.thresholds), ([1.0, 2.0, 3.0], 0.05, THRESHOLDS));
    }

    #[test]
    fn problems_name_the_key_and_what_is_expected() {
        let problems = RosMap::read("image: m.pgm\nresolution: -1\norigin: [1]\nnegate: maybe\nmode: x\n").unwrap_err();
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(told.join("\n"), @"
        `resolution`: expected metres above 0, at most 1000, found `-1`
        `origin`: expected three numbers, `[x, y, yaw]`, found `[1]`
        `negate`: expected 0 or 1, found `maybe`
        `mode`: expected `trinary`, `scale` or `raw`, found `x`
        ");
        let missing = RosMap::read("image: m.pgm\n").unwrap_err();
        assert_eq!(missing.len(), 2);
        assert!(missing[0].to_string().starts_with("`resolution`: is missing"), "{}", missing[0]);
    }

    #[test]
    fn maps_are_told_from_other_files() {
        for (text, expected) in [
            ("image: a.pgm\nresolution: 1\n", true),
            ("resolution: 1\norigin: [0, 0, 0]\n", true),
            ("type: RectangularWorld\nimage: a\n", false),
            ("amcl:\n  ros__parameters:\n    image: x\n", false),
            ("- image: a\n", false),
        ] {
            assert_eq!(is_map(&entries(text)), expected, "{text}");
        }
    }
}
