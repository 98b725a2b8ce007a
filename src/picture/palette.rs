//! Colours: shapes have a role, and the theme gives each role a colour.
//!
//! Groups have the Okabe–Ito palette, whose colours are distinguishable with any colour vision
//! (Okabe, Ito: "Color universal design", 2008).

use serde::{Deserialize, Serialize};

use super::blend;

/// The meaning of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The ground around the arena.
    Ground,
    /// The floor of the arena.
    Arena,
    /// Grid lines.
    Grid,
    /// Walls and the rim of the arena.
    Wall,
    /// Obstacles.
    Obstacle,
    /// Texts.
    Text,
    /// Less important texts and marks.
    Dim,
    /// Active or selected items.
    Accent,
    /// Texts and outlines of warnings.
    Warning,
    /// A group of agents, by its place in the scene.
    Group(u32),
    /// A region with a robot in it, or a goal that a robot has reached.
    Occupied,
    /// The goal of a group of robots, such as the ellipse of a formation.
    Goal,
    /// A problem: a radio connection without recent packets, or a robot whose path is blocked.
    Stale,
    /// A light.
    Light,
    /// A colour of the scene: red, green and blue, sRGB.
    Own([u8; 3]),
    /// A sensor that detects something.
    Detecting,
    /// A sensor that detects nothing.
    Clear,
}

/// A role with an opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// The role of the shape.
    pub role: Role,
    /// The opacity, from 0 (invisible) to 1 (opaque).
    pub opacity: f32,
    /// Whether the colour gets closer to that of texts where it could hardly be told from the floor.
    pub legible: bool,
}

impl Paint {
    /// The paint of a thin line or mark, whose colour has enough contrast to the floor in both themes.
    #[must_use]
    pub const fn legible(self) -> Self {
        Self { legible: true, ..self }
    }
}

impl Role {
    /// The role as a translucent paint.
    pub const fn faint(self, opacity: f32) -> Paint {
        Paint { role: self, opacity, legible: false }
    }
}

/// The name of a random colour.
pub const RANDOM: &str = "random";

/// The colour of a text such as `#56b4e9`.
fn rgb_of(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some([red, green, blue])
}

/// A colour as a text such as `#56b4e9`, as scenes and SVG files have it.
pub fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The names of the colours of groups, in their order.
const NAMES: [&str; 7] = ["sky blue", "orange", "green", "purple", "blue", "vermilion", "yellow"];

/// Names of colours that the palette lacks, for messages.
const COMMON: [(&str, &str); 8] = [
    ("red", "#ff0000"),
    ("black", "#000000"),
    ("white", "#ffffff"),
    ("grey", "#808080"),
    ("gray", "#808080"),
    ("cyan", "#00ffff"),
    ("magenta", "#ff00ff"),
    ("brown", "#8b4513"),
];

impl Role {
    /// The role for a text in a scene: a colour such as `#56b4e9`, one of the palette such as `orange`, or a role.
    pub fn named(text: &str) -> Option<Self> {
        let role = match text {
            "accent" => Self::Accent,
            "dim" => Self::Dim,
            "text" => Self::Text,
            _ => match NAMES.iter().position(|name| *name == text) {
                Some(place) => Self::Group(place as u32),
                None => Self::Own(rgb_of(text)?),
            },
        };
        Some(role)
    }

    /// The colour of a role for sensors, independent of the theme: that of the dark theme. Red, green and blue, sRGB.
    pub const fn seen(self) -> [u8; 3] {
        Theme::Dark.color(GroupColors::OkabeIto, self)
    }

    /// The problem of the colour of an agent or object. `None` for a colour, a random colour and an empty text.
    pub fn problem(text: &str) -> Option<String> {
        let is_fine = text.is_empty() || text == RANDOM || Self::named(text).is_some();
        (!is_fine).then(|| Self::no_color(text))
    }

    /// The message for a text that names no colour.
    pub fn no_color(text: &str) -> String {
        let names = NAMES.join(", ");
        let known = COMMON.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        if let Some((_, hex)) = known {
            return format!(
                "`{text}` is not a colour of the palette: write `{hex}`, or one of {names}, text, dim and accent"
            );
        }
        format!(
            "`{text}` is not a colour: expected `#rrggbb`, such as `#56b4e9`, or a name: {names}, text, dim or accent"
        )
    }

    /// A colour of the palette of groups, by any number.
    pub const fn any_of_palette(number: u64) -> Self {
        Self::Group((number % NAMES.len() as u64) as u32)
    }
}

impl From<Role> for Paint {
    fn from(role: Role) -> Self {
        role.faint(1.0)
    }
}

/// Dark or light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Theme {
    /// For the screen.
    #[default]
    Dark,
    /// For print.
    Light,
}

/// The palettes of groups, in the order of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupColors {
    /// The palette of Okabe and Ito, as in the window.
    #[default]
    OkabeIto,
    /// The bright palette of Paul Tol ("Colour schemes", SRON, 2021), also for any colour vision.
    Tol,
    /// Greys, for print.
    Grey,
}

const OKABE_ITO: [u32; 7] = [0x56_B4E9, 0xE6_9F00, 0x00_9E73, 0xCC_79A7, 0x00_72B2, 0xD5_5E00, 0xF0_E442];
const TOL: [u32; 7] = [0x44_77AA, 0xEE_6677, 0x22_8833, 0xCC_BB44, 0x66_CCEE, 0xAA_3377, 0xBB_BBBB];
const GREY: [u32; 7] = [0x8C_8C8C, 0xBF_BFBF, 0x66_6666, 0xA6_A6A6, 0x4D_4D4D, 0xD9_D9D9, 0x7A_7A7A];

impl GroupColors {
    /// The colour of a group, by its place in the scene: red, green and blue, sRGB.
    pub const fn rgb(self, group: u32) -> [u8; 3] {
        let colors = match self {
            Self::OkabeIto => OKABE_ITO,
            Self::Tol => TOL,
            Self::Grey => GREY,
        };
        let [_, red, green, blue] = colors[group as usize % colors.len()].to_be_bytes();
        [red, green, blue]
    }
}

/// Sixteen colours of viridis, evenly spaced
/// (van der Walt, Smith: "A better default colormap for Matplotlib", SciPy 2015; `viridis(16)` of R).
const VIRIDIS: [u32; 16] = [
    0x44_0154, 0x48_1A6C, 0x47_2F7D, 0x41_4487, 0x39_568C, 0x31_688E, 0x2A_788E, 0x23_888E, 0x1F_988B, 0x22_A884,
    0x35_B779, 0x54_C568, 0x7A_D151, 0xA5_DB36, 0xD2_E21B, 0xFD_E725,
];
/// East, north, west and south: four colours of Okabe and Ito that are distinguishable in any order.
const COMPASS: [u32; 5] = [0x56_B4E9, 0x00_9E73, 0xE6_9F00, 0xCC_79A7, 0x56_B4E9];

/// The colour of a position in a range, from 0 to 1, for fields and numbers.
pub fn viridis(part: f64) -> Role {
    between(&VIRIDIS, part)
}

/// The colour of a direction, in turns from 0 to 1. Both ends have the same colour.
pub fn compass(part: f64) -> Role {
    between(&COMPASS, part)
}

/// The colour at a part of the way along evenly spaced ones.
fn between(colors: &[u32], part: f64) -> Role {
    let part = if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) };
    let along = part * (colors.len() - 1) as f64;
    let place = (along as usize).min(colors.len() - 2);
    let [[_, from @ ..], [_, to @ ..]] = [colors[place], colors[place + 1]].map(u32::to_be_bytes);
    let mix = |channel: usize| {
        let [from, to] = [from[channel], to[channel]].map(f64::from);
        (from + (to - from) * (along - place as f64)).round() as u8
    };
    Role::Own([mix(0), mix(1), mix(2)])
}

/// The least contrast of a line or mark to what is behind it (WCAG 2.2, success criterion 1.4.11).
pub const MARK_CONTRAST: f64 = 3.0;

/// The factor of the opacity of sensors that detect nothing, in the light theme.
const LIGHT_CLEAR: f32 = 1.6;

/// The luminance of a colour of sRGB (WCAG 2.2, "relative luminance"), from 0 to 1.
fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = |channel: u8| blend::linear(f64::from(channel) / 255.0);
    let [red, green, blue] = rgb.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The contrast of two colours of sRGB (WCAG 2.2, "contrast ratio"), from 1 to 21.
pub fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

impl Theme {
    /// The colour of a role with a palette of groups: red, green and blue, sRGB.
    pub const fn color(self, groups: GroupColors, role: Role) -> [u8; 3] {
        match role {
            Role::Group(group) => groups.rgb(group),
            other => self.rgb(other),
        }
    }

    /// The colour of a paint without its opacity: red, green and blue, sRGB.
    pub fn rgb_of(self, paint: Paint, groups: GroupColors) -> [u8; 3] {
        let rgb = self.color(groups, paint.role);
        if paint.legible { self.legible(rgb) } else { rgb }
    }

    /// The opacity of a paint, from 0 to 1.
    ///
    /// Painters blend light, so that a faint dark line on a light floor has less contrast than a faint light line on a dark
    /// floor. Sensors that detect nothing would vanish in the light theme.
    pub fn opacity_of(self, paint: Paint) -> f32 {
        let factor = if self == Self::Light && paint.role == Role::Clear { LIGHT_CLEAR } else { 1.0 };
        (paint.opacity * factor).clamp(0.0, 1.0)
    }

    /// A colour, mixed with that of texts until it has enough contrast to the floor of the arena.
    pub fn legible(self, rgb: [u8; 3]) -> [u8; 3] {
        let (floor, text) = (self.rgb(Role::Arena), self.rgb(Role::Text));
        let mix = |part: u16| {
            let channel = |at: usize| (u16::from(rgb[at]) * (16 - part) + u16::from(text[at]) * part + 8) / 16;
            [0, 1, 2].map(|at| channel(at).min(255) as u8)
        };
        (0..=16).map(mix).find(|color| contrast(*color, floor) >= MARK_CONTRAST).unwrap_or(text)
    }

    /// The colour of a role: red, green and blue, sRGB.
    pub const fn rgb(self, role: Role) -> [u8; 3] {
        let (dark, light): (u32, u32) = match role {
            Role::Own(rgb) => return rgb,
            Role::Group(group) => return GroupColors::OkabeIto.rgb(group),
            Role::Ground => (0x12_151A, 0xFF_FFFF),
            Role::Arena => (0x19_1D24, 0xF7_F8FA),
            Role::Grid => (0x26_2C36, 0xE3_E7ED),
            Role::Wall => (0x8A_94A6, 0x5B_6472),
            Role::Obstacle => (0x61_6B7C, 0x84_8F9F),
            Role::Text => (0xD7_DCE5, 0x1D_222A),
            Role::Dim => (0x88_92A3, 0x6A_7380),
            Role::Clear => (0x9C_A7BA, 0x3A_4351),
            Role::Accent => (0x56_B4E9, 0x00_72B2),
            Role::Occupied | Role::Goal => (0x00_C48D, 0x00_8A64),
            Role::Stale => (0xFF_5A5F, 0xC8_1E2B),
            Role::Light => (0xF0_E442, 0xA6_8A00),
            Role::Detecting => (0xE6_9F00, 0xD5_5E00),
            // Vermilion is too light for words on white.
            Role::Warning => (0xE6_9F00, 0xB3_4F00),
        };
        let [_, red, green, blue] = match self {
            Self::Dark => dark,
            Self::Light => light,
        }
        .to_be_bytes();
        [red, green, blue]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_and_white_have_the_most_contrast() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
        assert!((contrast([255; 3], [255; 3]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn legible_colours_have_contrast_and_others_stay() {
        for theme in [Theme::Dark, Theme::Light] {
            let floor = theme.rgb(Role::Arena);
            for role in (0..7).map(Role::Group).chain([Role::Dim, Role::Own([255; 3]), Role::Own([0; 3])]) {
                let own = theme.rgb(role);
                let found = theme.rgb_of(role.faint(0.5).legible(), GroupColors::OkabeIto);
                assert!(contrast(found, floor) >= MARK_CONTRAST, "{theme:?}: {role:?} has {found:?}");
                assert!(found == own || contrast(own, floor) < MARK_CONTRAST, "{theme:?}: {role:?}");
                assert_eq!(theme.rgb_of(role.into(), GroupColors::OkabeIto), own);
            }
        }
    }

    #[test]
    fn sensors_that_detect_nothing_can_be_seen_in_both_themes() {
        // The outline of a field of view, and its area.
        let (line, area) = (Role::Clear.faint(0.5), Role::Clear.faint(0.1));
        for theme in [Theme::Dark, Theme::Light] {
            let floor = theme.rgb(Role::Arena);
            let seen = |paint: Paint, covers: f64| {
                let (own, opacity) = (theme.rgb(paint.role), f64::from(theme.opacity_of(paint)) * covers);
                let channel = |at: usize| {
                    let [own, floor] = [own[at], floor[at]].map(|byte| blend::linear(f64::from(byte) / 255.0));
                    (blend::gamma(own * opacity + floor * (1.0 - opacity)) * 255.0).round() as u8
                };
                contrast([0, 1, 2].map(channel), floor)
            };
            assert!(seen(line, 1.0) >= MARK_CONTRAST, "{theme:?}: {}", seen(line, 1.0));
            // A line of one pixel between two columns of pixels covers half of each.
            assert!(seen(line, 0.5) >= 1.5, "{theme:?}: {}", seen(line, 0.5));
            assert!(seen(area, 1.0) >= 1.1, "{theme:?}: {}", seen(area, 1.0));
        }
        // Opaque paints stay opaque, and the dark theme has the opacities of the paints.
        assert_eq!(Theme::Light.opacity_of(Role::Clear.into()), 1.0);
        assert_eq!([Theme::Dark.opacity_of(line), Theme::Light.opacity_of(Role::Dim.faint(0.5))], [0.5; 2]);
    }

    #[test]
    fn viridis_has_its_published_colours() {
        assert_eq!(viridis(0.0), Role::Own([0x44, 0x01, 0x54]));
        assert_eq!(viridis(1.0), Role::Own([0xFD, 0xE7, 0x25]));
        assert_eq!(viridis(7.0 / 15.0), Role::Own([0x23, 0x88, 0x8E]));
        assert_eq!([viridis(-1.0), viridis(9.0)], [viridis(0.0), viridis(1.0)]);
        // No number has the first colour, and nothing panics.
        assert_eq!(viridis(f64::NAN), Role::Own([0x44, 0x01, 0x54]));
    }

    #[test]
    fn compass_colour_repeats_after_a_full_turn() {
        assert_eq!(compass(0.0), compass(1.0));
        assert_eq!(compass(0.25), Role::Own([0x00, 0x9E, 0x73]));
    }
}
