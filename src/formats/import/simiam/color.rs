//! Colours of worlds.

use swarmarium_base::problem::did_you_mean;
use swarmarium_core::text::wording::shown;

/// A colour as pySimiam keeps it: `0xAARRGGBB`, where a zero for A is as good as none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u32);

/// What robots without a colour get, by their number.
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
/// What later robots without a colour get.
pub const OF_OTHER_ROBOTS: Color = Color(0xFF_FFFF);
/// What obstacles without a colour get.
pub const OF_OBSTACLES: Color = Color(0xFF_0000);
/// What markers without a colour get.
pub const OF_MARKERS: Color = Color(0x00_FF00);

/// The colours that have names, in any case.
const NAMED: [(&str, Color); 4] =
    [("black", Color(0)), ("red", Color(0xFF_0000)), ("green", Color(0x00_FF00)), ("blue", Color(0x00_00FF))];

impl Color {
    /// Of red, green and blue.
    pub const fn of_rgb([red, green, blue]: [u8; 3]) -> Self {
        Self(u32::from_be_bytes([0, red, green, blue]))
    }

    /// The colour of a robot that has none of its own.
    pub fn of_robot(number: usize) -> Self {
        OF_ROBOTS.get(number).copied().unwrap_or(OF_OTHER_ROBOTS)
    }

    /// Reads a colour; with it, what the user should know.
    ///
    /// # Errors
    /// Says what is allowed.
    pub fn read(text: &str) -> Result<(Self, Option<String>), String> {
        let lower = text.to_lowercase();
        if let Some((_, color)) = NAMED.iter().find(|(name, _)| *name == lower) {
            return Ok((*color, None));
        }
        let refuse = || {
            let near = did_you_mean(text, NAMED.map(|(name, _)| name));
            format!("expected a colour `#rrggbb`, or black, red, green or blue, found `{}`{near}", shown(text))
        };
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
                (
                    Self(number),
                    (!is_opaque).then(|| format!("`{text}` lets what is behind show through, here it does not")),
                )
            }
            _ => (Self(number), Some(format!("`{}` is {}, as pySimiam takes it", shown(text), Self(number).hex()))),
        })
    }

    /// The colour as a text, without what shows through.
    pub fn hex(self) -> String {
        format!("#{:06x}", self.0 & 0xFF_FFFF)
    }
}

/// A number to the base of 16 as Python's `int` reads it, which allows for blanks, a sign and `0x`.
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
    // Whatever it shows of a longer one.
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
            [color("# FF0000"), color("#-FF"), color("#1")].map(|found| found.is_some_and(|(_, told)| told)),
            [true; 3]
        );
        for bad in ["", "#", "yellow", "0xFF0000", "#GG0000", "#+", "#-", "#é", "#ffé", " #ff0000", "#1_0"] {
            assert_eq!(color(bad), None, "{bad}");
        }
        assert!(Color::read("rde").unwrap_err().ends_with("did you mean `red`?"));
        assert_eq!(color(&format!("#{}", "f".repeat(100_000))), Some((u32::MAX, true)));
    }
}
