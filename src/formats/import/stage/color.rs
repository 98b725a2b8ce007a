//! Colours by the names of X11, which Stage uses.

use swarmarium_picture::palette::{RANDOM, hex};

/// Colours whose names mean others in CSS, or nothing.
const OTHER_THAN_CSS: [(&str, [u8; 3]); 8] = [
    ("gray", [190, 190, 190]),
    ("grey", [190, 190, 190]),
    ("green", [0, 255, 0]),
    ("maroon", [176, 48, 96]),
    ("purple", [160, 32, 240]),
    ("navyblue", [0, 0, 128]),
    ("violetred", [208, 32, 144]),
    ("lightgoldenrod", [238, 221, 130]),
];
/// The brightness of the variants 1 to 4 of a colour, such as `red3`.
const VARIANTS: [f64; 4] = [1.0, 0.932, 0.804, 0.548];

/// The colour of a scene for a name in a worldfile; `None` for an unknown name.
pub fn named(name: &str) -> Option<String> {
    let lower: String = name.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    if lower == RANDOM {
        return Some(RANDOM.to_owned());
    }
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = lower[stem.len()..].parse::<u32>().ok();
    if let (true, Some(percent @ 0..=100)) = (matches!(stem, "gray" | "grey"), number) {
        return Some(hex([(f64::from(percent) * 2.55).round() as u8; 3]));
    }
    let plain = |name: &str| {
        let own = OTHER_THAN_CSS.iter().find(|(known, _)| *known == name).map(|(_, color)| *color);
        own.or_else(|| swarmarium_svg::color(name))
    };
    match number {
        None => plain(&lower).map(hex),
        Some(variant @ 1..=4) => {
            let brightness = VARIANTS[variant as usize - 1];
            Some(hex(plain(stem)?.map(|part| (f64::from(part) * brightness).round() as u8)))
        }
        Some(_) => None,
    }
}

/// The colour of a scene for red, green and blue from 0 to 1.
pub fn of_parts([red, green, blue]: [f64; 3]) -> String {
    hex([red, green, blue].map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_x11_are_colors() {
        let colors = ["gray30", "NavyBlue", "red", "Red3", "green", "light blue", "random", "gray", "nocolor", "red9"];
        let expected = [
            Some("#4d4d4d"),
            Some("#000080"),
            Some("#ff0000"),
            Some("#cd0000"),
            Some("#00ff00"),
            Some("#add8e6"),
            Some("random"),
            Some("#bebebe"),
            None,
            None,
        ];
        let found: Vec<Option<String>> = colors.iter().map(|name| named(name)).collect();
        let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, expected);
        assert_eq!(of_parts([0.0, 1.0, 2.0]), "#00ffff");
    }
}
