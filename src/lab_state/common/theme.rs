//! The style of the panels: egui in the palette of the world.

use bevy_egui::egui::style::WidgetVisuals;
use bevy_egui::egui::{
    self, Color32, CornerRadius, FontId, Margin, RichText, Shadow, Stroke, Style, TextStyle, ThemePreference, Vec2,
    Visuals,
};
use swarmarium_picture::palette::{GroupColors, Paint, Role, Theme};

/// Margin of panels, outside and inside, in points.
pub const PAD: f32 = 12.0;

/// Gap between related widgets, in points.
pub const GAP: f32 = 8.0;

/// Gap between the parts of one widget, in points.
pub const SMALL_GAP: f32 = 6.0;

/// Gap between a shape and its outline, in points.
pub const TINY_GAP: f32 = 4.0;

/// Width of lines that tools draw over the world, in points.
pub const LINE_PX: f32 = 2.0;

/// Lengths of dashes and gaps of such lines, in points.
pub const DASH_PX: [f32; 2] = [6.0, 4.0];

/// Width of frames and of lines of icons, in points.
pub const ICON_LINE_PX: f32 = 1.5;

/// Side of a tool button, in points.
pub const TOOL_PX: f32 = 28.0;

/// Distance of widgets over the world from its edges, in points.
pub const EDGE_GAP: f32 = 16.0;

/// Opacity of the background of controls over the world.
pub const DENSE_VEIL: f32 = 0.92;

/// Inner margin of a panel: left and right, top and bottom, in points.
pub const PANEL_MARGIN: Vec2 = Vec2::new(PAD, SMALL_GAP);

/// Height of the headings of panels, in points.
pub const HEADING_BAR_PX: f32 = 26.0;

/// Corner radius of controls, in points.
pub const CORNER_PX: u8 = 4;

/// Corner radius of windows over the world, in points.
pub const LARGE_CORNER_PX: u8 = 6;

/// Opacity of the background of texts over the world.
pub const VEIL: f32 = 0.8;

/// Below this height of the window, in points, bars are smaller.
const LOW_PX: f32 = 420.0;

/// Height of a row of a list, in points.
pub const ROW_PX: f32 = 22.0;

/// Size of titles over the world, in points.
pub const TITLE_PX: f32 = 22.0;

/// Size of the name of the subject of a panel or the window, in points.
pub const NAME_PX: f32 = 15.0;

/// Size of the names of sections and cards, in points.
pub const SECTION_PX: f32 = 14.0;

/// Size of normal text, in points.
pub const TEXT_PX: f32 = 13.0;

/// Size of numbers and notes, in points.
pub const NUMBER_PX: f32 = 12.0;

/// Size of units and similar details, in points.
pub const SMALL_PX: f32 = 11.0;

/// Size of badges, in points.
pub const BADGE_PX: f32 = 10.0;

/// All text sizes.
const SIZES_PX: [f32; 7] = [TITLE_PX, NAME_PX, SECTION_PX, TEXT_PX, NUMBER_PX, SMALL_PX, BADGE_PX];

/// The glyphs outside of ASCII in texts of the window.
const GLYPHS: &str = "×–—²°−π·…⚠▶⏸⏺⏹⏵⏷✖✔↺µ•≤≥ηωσαβΣ";

/// Returns the colour of a role.
pub fn color(theme: Theme, role: Role) -> Color32 {
    let [red, green, blue] = theme.rgb(role);
    Color32::from_rgb(red, green, blue)
}

/// Returns the colour of a paint.
pub fn paint(theme: Theme, paint: Paint) -> Color32 {
    let [red, green, blue] = theme.rgb_of(paint, GroupColors::OkabeIto);
    Color32::from_rgb(red, green, blue).gamma_multiply(theme.opacity_of(paint))
}

/// A part of a script with a colour of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumIter)]
pub enum CodePart {
    /// A comment.
    Comment,
    /// A text in quotes.
    String,
    /// A number.
    Number,
    /// A reserved word.
    Keyword,
    /// A name of the library.
    Library,
    /// A parameter or a field of the state.
    Declared,
    /// Any other name.
    Name,
}

/// Returns the colour of a part of a script.
pub fn code(theme: Theme, part: CodePart) -> Color32 {
    let [dark, light] = match part {
        CodePart::Comment => return color(theme, Role::Dim),
        CodePart::Keyword => return color(theme, Role::Accent),
        CodePart::Name => return color(theme, Role::Text),
        CodePart::String => [0x98_C3_79, 0x2E_6B_2E],
        CodePart::Number => [0xE0_A9_6D, 0x8A_4B_00],
        CodePart::Library => [0xC8_A2_E8, 0x6B_3F_A0],
        CodePart::Declared => [0x6F_CF_BE, 0x00_66_5C],
    };
    let [_, red, green, blue] = u32::to_be_bytes(if theme == Theme::Dark { dark } else { light });
    Color32::from_rgb(red, green, blue)
}

/// Formats a number in a monospaced font, so that it does not move when it changes. The caller pads it.
pub fn number(text: impl Into<String>) -> RichText {
    RichText::new(text).monospace()
}

/// Formats a detail beside a name: dim, except in a selected row, where dim text has too little contrast.
pub fn detail(text: impl Into<String>, is_selected: bool) -> RichText {
    let text = RichText::new(text);
    if is_selected { text } else { text.weak() }
}

/// Returns the font of text with a size in points.
pub fn font(size_px: f32) -> FontId {
    FontId::proportional(size_px)
}

/// Returns the font of numbers over the world.
pub fn number_font() -> FontId {
    FontId::monospace(NUMBER_PX)
}

/// Returns the frame of a panel over others.
pub fn panel(theme: Theme) -> egui::Frame {
    let Vec2 { x, y } = PANEL_MARGIN;
    egui::Frame::new().fill(color(theme, Role::Ground)).inner_margin(Margin::symmetric(x as i8, y as i8))
}

/// Returns the frame of a bar at an edge. It needs no fill, because the window has the same ground.
pub fn bar(vertical: i8) -> egui::Frame {
    egui::Frame::new().inner_margin(Margin::symmetric(PAD as i8, vertical))
}

/// Whether the window is so low that bars are smaller.
pub fn is_low(ctx: &egui::Context) -> bool {
    ctx.content_rect().height() < LOW_PX
}

/// Applies the style to egui.
pub fn apply(ctx: &egui::Context, theme: Theme) {
    // The lab has its own keys for zooming.
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
    ctx.set_theme(match theme {
        Theme::Dark => ThemePreference::Dark,
        Theme::Light => ThemePreference::Light,
    });
    ctx.set_global_style(style(theme));
}

/// Loads all glyphs of the window into the font texture at once, in all sizes. Each time the texture grows, texts lack
/// glyphs for a frame. Call it in the frame after [`apply`], which creates another texture.
pub fn warm(ctx: &egui::Context) {
    let glyphs: String = (' '..='~').chain(GLYPHS.chars()).collect();
    ctx.fonts_mut(|fonts| {
        for font in SIZES_PX.into_iter().flat_map(|size_px| [font(size_px), FontId::monospace(size_px)]) {
            fonts.layout_no_wrap(glyphs.clone(), font, Color32::WHITE);
        }
    });
}

/// Gives the scroll bars of a part room of their own: they are always seen, and cover nothing.
pub fn solid_scroll_bars(ui: &mut egui::Ui) {
    let fade = ui.spacing().scroll.fade;
    ui.spacing_mut().scroll = egui::style::ScrollStyle { fade, ..egui::style::ScrollStyle::solid() };
}

/// Draws the entries of a menu; they scroll if the window is too low.
pub fn entries(ui: &mut egui::Ui, content: impl FnOnce(&mut egui::Ui)) {
    let most_px = ui.ctx().content_rect().height() - 2.0 * EDGE_GAP;
    solid_scroll_bars(ui);
    egui::ScrollArea::vertical().max_height(most_px).min_scrolled_height(most_px).show(ui, content);
}

/// The fill of egui's dark canvas, which is the same in every theme.
pub const DARK_CANVAS: Color32 = Color32::from_black_alpha(250);

fn style(theme: Theme) -> Style {
    let mut style = Style { visuals: visuals(theme), ..Style::default() };
    style.text_styles = [
        (TextStyle::Heading, font(NAME_PX)),
        (TextStyle::Body, font(TEXT_PX)),
        (TextStyle::Button, font(TEXT_PX)),
        (TextStyle::Small, font(SMALL_PX)),
        (TextStyle::Monospace, FontId::monospace(NUMBER_PX)),
    ]
    .into();
    style.spacing.item_spacing = egui::vec2(GAP, 4.0);
    style.spacing.button_padding = egui::vec2(10.0, 4.0);
    style.spacing.interact_size.y = 26.0;
    // egui's fade darkens the light theme; the scroll bar shows well enough that there is more.
    style.spacing.scroll.fade.strength = 0.0;
    style.interaction.tooltip_delay = 0.4;
    // A drag over a label moves the world instead of selecting text.
    style.interaction.selectable_labels = false;
    style
}

fn visuals(theme: Theme) -> Visuals {
    let of = |role| color(theme, role);
    let mut visuals = match theme {
        Theme::Dark => Visuals::dark(),
        Theme::Light => Visuals::light(),
    };
    visuals.override_text_color = None;
    visuals.weak_text_color = Some(of(Role::Dim));
    visuals.panel_fill = of(Role::Ground);
    visuals.window_fill = of(Role::Arena);
    visuals.window_stroke = Stroke::new(1.0, of(Role::Grid));
    visuals.window_shadow = Shadow::NONE;
    visuals.popup_shadow = Shadow::NONE;
    visuals.faint_bg_color = of(Role::Arena);
    visuals.extreme_bg_color = of(Role::Arena);
    visuals.hyperlink_color = of(Role::Accent);
    visuals.warn_fg_color = of(Role::Warning);
    // The window blends light: on a white ground, a faint dark colour would hardly be seen.
    visuals.selection.bg_fill = match theme {
        Theme::Dark => of(Role::Accent).gamma_multiply(0.25),
        Theme::Light => of(Role::Ground).lerp_to_gamma(of(Role::Accent), 0.3),
    };
    visuals.selection.stroke = Stroke::new(1.0, of(Role::Text));
    visuals.slider_trailing_fill = true;
    // Otherwise each glyph has four images, and a text lacks one for a frame when another is used first: see `warm`.
    visuals.text_options.subpixel_binning = false;
    let widget = |fill, stroke, text| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, stroke),
        corner_radius: CornerRadius::same(CORNER_PX),
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    visuals.widgets.noninteractive = widget(of(Role::Ground), of(Role::Grid), of(Role::Text));
    visuals.widgets.inactive = widget(of(Role::Grid), of(Role::Grid), of(Role::Text));
    visuals.widgets.hovered = widget(of(Role::Grid), of(Role::Dim), of(Role::Text));
    visuals.widgets.active = widget(of(Role::Grid), of(Role::Accent), of(Role::Text));
    visuals.widgets.open = visuals.widgets.hovered;
    visuals
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use strum::IntoEnumIterator as _;
    use swarmarium_formats::standard::Standard as _;
    use swarmarium_picture::palette::{MARK_CONTRAST, contrast};
    use swarmarium_scene::scene::describe::{about, fields_of, unit_of};
    use swarmarium_simulation::simulation::Recipe;

    use super::*;
    use swarmarium_lab_testing::{lab_on, window};

    #[test]
    fn text_on_panels_has_enough_contrast() {
        for theme in [Theme::Dark, Theme::Light] {
            let at_least = |least: f64, words: &[Role], grounds: &[Role]| {
                for (word, ground) in words.iter().flat_map(|word| grounds.iter().map(move |ground| (word, ground))) {
                    let found = contrast(theme.rgb(*word), theme.rgb(*ground));
                    assert!(found >= least, "{theme:?}: {word:?} on {ground:?} has {found:.2}");
                }
            };
            let panels = [Role::Ground, Role::Arena];
            at_least(4.5, &[Role::Text, Role::Dim, Role::Accent, Role::Stale, Role::Warning], &panels);
            at_least(4.5, &[Role::Text], &[Role::Grid]);
            let marks =
                [Role::Wall, Role::Clear, Role::Accent, Role::Detecting, Role::Occupied, Role::Goal, Role::Stale];
            at_least(MARK_CONTRAST, &marks, &panels);
            at_least(MARK_CONTRAST, &[Role::Obstacle, Role::Light], &[Role::Arena]);
        }
    }

    #[test]
    fn code_has_enough_contrast() {
        for (theme, part) in
            [Theme::Dark, Theme::Light].into_iter().flat_map(|it| CodePart::iter().map(move |part| (it, part)))
        {
            let color = code(theme, part);
            let found = contrast([color.r(), color.g(), color.b()], theme.rgb(Role::Arena));
            assert!(found >= 4.5, "{theme:?}: {part:?} has {found:.2}");
        }
    }

    #[test]
    fn a_button_that_is_on_differs_from_one_that_is_off_in_the_light_theme() {
        let visuals = visuals(Theme::Light);
        let (on, off) = (visuals.selection.bg_fill, visuals.widgets.inactive.weak_bg_fill);
        let apart = on.to_array().into_iter().zip(off.to_array()).map(|(on, off)| on.abs_diff(off)).max();
        assert!(on.is_opaque() && apart >= Some(40), "{on:?} {off:?}");
    }

    #[test]
    fn text_on_selections_has_enough_contrast() {
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = visuals(theme);
            // Details beside names also occur in the text colour: see `detail`.
            for ground in [Role::Ground, Role::Arena] {
                let [ground, text] = [ground, Role::Text].map(|role| color(theme, role));
                let fill = ground.blend(visuals.selection.bg_fill);
                let rgb = |color: Color32| [color.r(), color.g(), color.b()];
                let found = contrast(rgb(text), rgb(fill));
                assert!(found >= 4.5, "{theme:?}: {found:.2}");
            }
        }
    }

    #[test]
    fn the_fonts_have_all_glyphs_of_the_window() {
        let (window, _) = window(lab_on("milling"));
        let units = ["_m2", "_m_per_s2", "_rad_per_s2", "_deg", "_celsius", "_ut", "_percent"];
        let units: String = units.into_iter().map(|ending| unit_of(ending).unwrap()).collect();
        assert!(units.chars().all(|glyph| glyph.is_ascii() || GLYPHS.contains(glyph)), "{units}");
        let recipe = Recipe::standard();
        let kinds = recipe.kinds().family_names().iter().flat_map(|family| recipe.kinds().family(family));
        let docs = kinds.map(|kind| {
            let fields = fields_of(recipe.kinds(), kind);
            about(kind) + &fields.into_iter().map(|field| field.about).collect::<String>()
        });
        let docs: String = docs.collect();
        let glyphs: BTreeSet<char> = (' '..='~').chain(GLYPHS.chars()).collect();
        let tooltips: BTreeSet<char> = docs.chars().filter(|glyph| !glyph.is_control()).collect();
        for (id, glyphs) in [(font(TEXT_PX), &glyphs | &tooltips), (number_font(), glyphs)] {
            window.ctx.fonts_mut(|fonts| {
                // `has_glyphs` denies all glyphs of the font that has the sign for missing ones.
                let mut family = fonts.fonts.font(&id.family);
                let known = family.characters();
                let missing: String = glyphs.into_iter().filter(|glyph| !known.contains_key(glyph)).collect();
                assert_eq!(missing, "", "{}", id.family);
            });
        }
    }

    /// Returns the source files below a folder.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
        entries.flat_map(below).filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
    }

    #[test]
    fn colours_and_fonts_of_the_window_are_defined_in_the_theme_only() {
        let folders = ["src/lab", "src/lab_panels", "src/lab_state"].map(swarmarium_testing::file);
        let found: Vec<PathBuf> = folders.iter().flat_map(|folder| sources(folder)).collect();
        assert!(found.len() > 30, "{}", found.len());
        let named = ["WHITE", "BLACK", "GRAY", "RED", "GREEN", "BLUE", "YELLOW", "ORANGE"];
        let made = named.iter().map(|name| format!("Color32::{name}"));
        let made = made.chain(["Color32::from_".into(), "FontId::proportional".into()]);
        let made: Vec<String> = made.chain((0..=9).map(|digit| format!("FontId::monospace({digit}"))).collect();
        for path in found.into_iter().filter(|path| !path.ends_with("common/theme.rs")) {
            let text = std::fs::read_to_string(&path).unwrap();
            for (number, line) in text.lines().enumerate() {
                let is_made = made.iter().any(|made| line.contains(made.as_str()));
                assert!(!is_made, "{}:{}: {line}", path.display(), number + 1);
            }
        }
    }
}
