//! Colours of worlds.

use swarmarium_base::problem::did_you_mean;
use swarmarium_core::text::wording::shown;

/// A text in a world is not a colour.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a colour `#rrggbb`, or black, red, green or blue, found `{}`{}",
    shown(.text),
    did_you_mean(.text, NAMED.map(|(name, _)| name))
)]
pub struct ColorError {
    /// The text.
    pub text: String,
}

/// A colour as pySimiam stores it: `0xAARRGGBB`. A zero for A means the same as no A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u32);

/// The colours of robots without one of their own, by their number.
pub const OF_ROBOTS: [Color; 8] = [
    Color(0x55_AAEE),
    Color(0x66_BB22),
    Color(0xFF_BB22),
    Color(0xCC_66AA),
    Color(0x77_CCAA),
    Color(0xFF_7711),
    Color(0xFF_5555),
    Color(0x55_CC88),
];
/// The colour of all further robots without one of their own.
pub const OF_OTHER_ROBOTS: Color = Color(0xFF_FFFF);
/// The colour of obstacles without one of their own.
pub const OF_OBSTACLES: Color = Color(0xFF_0000);
/// The colour of markers without one of their own.
pub const OF_MARKERS: Color = Color(0x00_FF00);

/// The colours that have names, in any case.
const NAMED: [(&str, Color); 4] =
    [("black", Color(0)), ("red", Color(0xFF_0000)), ("green", Color(0x00_FF00)), ("blue", Color(0x00_00FF))];

impl Color {
    /// The colour of red, green and blue.
    pub const fn of_rgb([red, green, blue]: [u8; 3]) -> Self {
        Self(u32::from_be_bytes([0, red, green, blue]))
    }

    /// The colour of a robot that has none of its own.
    pub fn of_robot(number: usize) -> Self {
        OF_ROBOTS.get(number).copied().unwrap_or(OF_OTHER_ROBOTS)
    }

    /// Reads a colour. Gives with it a warning if pySimiam reads the text as another colour.
    ///
    /// # Errors
    /// When the text is not a colour. The message lists the allowed forms.
    pub fn read(text: &str) -> Result<(Self, Option<String>), ColorError> {
        let lower = text.to_lowercase();
        if let Some((_, color)) = NAMED.iter().find(|(name, _)| *name == lower) {
            return Ok((*color, None));
        }
        let refuse = || ColorError { text: text.to_owned() };
        let digits = text.strip_prefix('#').ok_or_else(refuse)?;
        let number = number(digits).ok_or_else(refuse)?;
        let is_plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        Ok(match digits.len() {
            // Each digit twice, as in CSS.
            3 if is_plain => {
                let [_, _, high, low] = number.to_be_bytes();
                let color = Self::of_rgb([high, low >> 4, low & 0xF].map(|digit| digit * 0x11));
                let note =
                    format!("`{text}` is {}, as in CSS; pySimiam takes it for {}", color.hex(), Self(number).hex());
                (color, Some(note))
            }
            6 if is_plain => (Self(number), None),
            8 if is_plain => {
                let is_opaque = matches!(number >> 24, 0 | 0xFF);
                (Self(number), (!is_opaque).then(|| format!("`{text}` is translucent; here it is opaque")))
            }
            _ => (Self(number), Some(format!("`{}` is {}, as pySimiam takes it", shown(text), Self(number).hex()))),
        })
    }

    /// The colour as a text, without A.
    pub fn hex(self) -> String {
        format!("#{:06x}", self.0 & 0xFF_FFFF)
    }
}

/// A hexadecimal number as Python's `int` reads it, which allows blanks, a sign and `0x`.
fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    // Of a longer number, the last digits count.
    let number = u32::from_str_radix(&digits[digits.len().saturating_sub(8)..], 16).ok()?;
    Some(if is_negative { number.wrapping_neg() } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_read_as_documented() {
        let color = |text: &str| Color::read(text).map(|(color, note)| (color.0, note.is_some())).ok();
        assert_eq!(color("#8474FF"), Some((0x84_74FF, false)));
        assert_eq!(color("#80ffaacc"), Some((0x80FF_AACC, true)));
        assert_eq!([color("#00ffaacc"), color("#ffffaacc")], [Some((0xFF_AACC, false)), Some((0xFFFF_AACC, false))]);
        assert_eq!([color("BLACK"), color("Green")], [Some((0, false)), Some((0xFF00, false))]);
        assert_eq!(color("#FAC"), Some((0xFF_AACC, true)));
        assert_eq!(
            [color("# FF0000"), color("#-FF"), color("#1")].map(|found| found.is_some_and(|(_, has_note)| has_note)),
            [true; 3]
        );
        for bad in ["", "#", "yellow", "0xFF0000", "#GG0000", "#+", "#-", "#é", "#ffé", " #ff0000", "#1_0"] {
            assert_eq!(color(bad), None, "{bad}");
        }
        assert!(Color::read("rde").unwrap_err().to_string().ends_with("did you mean `red`?"));
        assert_eq!(color(&format!("#{}", "f".repeat(100_000))), Some((u32::MAX, true)));
    }
}
