//! How the panels look: the style of egui, made from the palette that the world is painted with.

use bevy_egui::egui::style::WidgetVisuals;
use bevy_egui::egui::{
    self, Color32, CornerRadius, FontId, Margin, RichText, Shadow, Stroke, Style, TextStyle, ThemePreference, Vec2,
    Visuals,
};
use swarmarium_picture::palette::{GroupColors, Paint, Role, Theme};

/// Outer and inner distance of panels, in points.
pub const PAD: f32 = 12.0;
/// Between things that belong together, in points.
pub const GAP: f32 = 8.0;
/// Between parts of one thing, in points.
pub const SMALL_GAP: f32 = 6.0;
/// Between a thing and what is drawn around it, in points.
pub const TINY_GAP: f32 = 4.0;
/// Width of lines that tools draw over the world, in points.
pub const LINE_PX: f32 = 2.0;
/// Dashes of such lines and the gaps between them, in points.
pub const DASH_PX: [f32; 2] = [6.0, 4.0];
/// Width of frames and of the lines of icons, in points.
pub const ICON_LINE_PX: f32 = 1.5;
/// Side of the button of a tool, in points.
pub const TOOL_PX: f32 = 28.0;
/// Between what lies over the world and its edges, in points.
pub const EDGE_GAP: f32 = 16.0;
/// The veil behind controls that lie over the world covers so much of it.
pub const DENSE_VEIL: f32 = 0.92;
/// What a panel keeps free within its edges: left and right, top and bottom, in points.
pub const PANEL_MARGIN: Vec2 = Vec2::new(PAD, SMALL_GAP);
/// Height of the bar with the headings of panels, in points.
pub const HEADING_BAR_PX: f32 = 26.0;
/// How round corners are: of controls, and of what lies over the world, in points.
pub const CORNER_PX: u8 = 4;
/// See [`CORNER_PX`].
pub const LARGE_CORNER_PX: u8 = 6;
/// The veil that keeps words readable over the world covers so much of it.
pub const VEIL: f32 = 0.8;
/// In a window that is lower than this, bars make themselves small, in points.
const LOW_PX: f32 = 420.0;
/// Height of the row of a list, in points.
pub const ROW_PX: f32 = 22.0;

/// Size of what is written over the world, in points.
pub const TITLE_PX: f32 = 22.0;
/// Size of the name of what a panel or the window is about, in points.
pub const NAME_PX: f32 = 15.0;
/// Size of the name of a section or a card, in points.
pub const SECTION_PX: f32 = 14.0;
/// Size of texts, in points.
pub const TEXT_PX: f32 = 13.0;
/// Size of numbers and notes, in points.
pub const NUMBER_PX: f32 = 12.0;
/// Size of units and what else stands beside, in points.
pub const SMALL_PX: f32 = 11.0;
/// Size of badges, in points.
pub const BADGE_PX: f32 = 10.0;

/// All sizes of words and numbers.
const SIZES_PX: [f32; 7] = [TITLE_PX, NAME_PX, SECTION_PX, TEXT_PX, NUMBER_PX, SMALL_PX, BADGE_PX];
/// The glyphs beyond ASCII in texts of the window.
const GLYPHS: &str = "×–—²°−π·…⚠▶⏸⏺⏹⏵⏷✖✔↺µ•≤≥ηωσαβΣ";

/// The colour of a role.
pub fn color(theme: Theme, role: Role) -> Color32 {
    let [red, green, blue] = theme.rgb(role);
    Color32::from_rgb(red, green, blue)
}

/// The colour of a paint.
pub fn paint(theme: Theme, paint: Paint) -> Color32 {
    let [red, green, blue] = theme.rgb_of(paint, GroupColors::OkabeIto);
    Color32::from_rgb(red, green, blue).gamma_multiply(theme.opacity_of(paint))
}

/// A number: monospaced, so that it keeps its place while it changes. The caller pads it.
pub fn number(text: impl Into<String>) -> RichText {
    RichText::new(text).monospace()
}

/// A detail beside the name of a row: dim, but not on the fill of a selected row, where dim words have too little contrast.
pub fn detail(text: impl Into<String>, is_selected: bool) -> RichText {
    let text = RichText::new(text);
    if is_selected { text } else { text.weak() }
}

/// The font of words in a size in points.
pub fn font(size_px: f32) -> FontId {
    FontId::proportional(size_px)
}

/// The font of numbers that are drawn over the world.
pub fn number_font() -> FontId {
    FontId::monospace(NUMBER_PX)
}

/// The frame of a panel over others.
pub fn panel(theme: Theme) -> egui::Frame {
    let Vec2 { x, y } = PANEL_MARGIN;
    egui::Frame::new().fill(color(theme, Role::Ground)).inner_margin(Margin::symmetric(x as i8, y as i8))
}

/// The frame of a bar at an edge. Its ground is that of the window: to fill it would take time only.
pub fn bar(vertical: i8) -> egui::Frame {
    egui::Frame::new().inner_margin(Margin::symmetric(PAD as i8, vertical))
}

/// Whether the window is so low that bars make themselves small.
pub fn is_low(ctx: &egui::Context) -> bool {
    ctx.content_rect().height() < LOW_PX
}

/// Makes egui look like the rest.
pub fn apply(ctx: &egui::Context, theme: Theme) {
    // The lab has keys for that of its own.
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
    ctx.set_theme(match theme {
        Theme::Dark => ThemePreference::Dark,
        Theme::Light => ThemePreference::Light,
    });
    ctx.set_global_style(style(theme));
}

/// Puts all glyphs of the window into the font texture at once, in all sizes: each time that the texture grows, texts miss
/// glyphs for a frame. In the frame after [`apply`], with which another texture begins.
pub fn warm(ctx: &egui::Context) {
    let glyphs: String = (' '..='~').chain(GLYPHS.chars()).collect();
    ctx.fonts_mut(|fonts| {
        for font in SIZES_PX.into_iter().flat_map(|size_px| [font(size_px), FontId::monospace(size_px)]) {
            fonts.layout_no_wrap(glyphs.clone(), font, Color32::WHITE);
        }
    });
}

/// Draws the entries of a menu; they scroll where the window is too low for them.
pub fn entries(ui: &mut egui::Ui, content: impl FnOnce(&mut egui::Ui)) {
    let most_px = ui.ctx().content_rect().height() - 2.0 * EDGE_GAP;
    egui::ScrollArea::vertical().max_height(most_px).min_scrolled_height(most_px).show(ui, content);
}

/// The fill of the dark canvas of egui, which is the same in every theme.
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
    // The fade of egui darkens the light theme; the bar says as well that there is more.
    style.spacing.scroll.fade.strength = 0.0;
    style.interaction.tooltip_delay = 0.4;
    // Dragging over a label must not select it: the world is dragged.
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
    visuals.selection.bg_fill = of(Role::Accent).gamma_multiply(0.25);
    visuals.selection.stroke = Stroke::new(1.0, of(Role::Text));
    visuals.slider_trailing_fill = true;
    // Else each glyph has four pictures, and a text misses one for a frame whenever another of them is seen first: see `warm`.
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

    use swarmarium_core::scene::describe::{about, fields_of, unit_of};
    use swarmarium_core::simulation::Recipe;
    use swarmarium_kinds::Standard as _;
    use swarmarium_picture::palette::{MARK_CONTRAST, contrast};

    use super::*;
    use crate::testing::{lab_on, window};

    #[test]
    fn words_can_be_read_on_panels() {
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
    fn words_can_be_read_on_what_is_selected() {
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = visuals(theme);
            // Details beside names have the colour of texts, too: see `detail`.
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

    /// The sources below a folder.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
        entries.flat_map(below).filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
    }

    #[test]
    fn colours_and_fonts_of_the_window_are_made_here_alone() {
        let lab = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let found = sources(&lab);
        assert!(found.len() > 30, "{}", found.len());
        let named = ["WHITE", "BLACK", "GRAY", "RED", "GREEN", "BLUE", "YELLOW", "ORANGE"];
        let made = named.iter().map(|name| format!("Color32::{name}"));
        let made = made.chain(["Color32::from_".into(), "FontId::proportional".into()]);
        let made: Vec<String> = made.chain((0..=9).map(|digit| format!("FontId::monospace({digit}"))).collect();
        for path in found.into_iter().filter(|path| !path.ends_with("lab/theme.rs")) {
            let text = std::fs::read_to_string(&path).unwrap();
            for (number, line) in text.lines().enumerate() {
                let is_made = made.iter().any(|made| line.contains(made.as_str()));
                assert!(!is_made, "{}:{}: {line}", path.display(), number + 1);
            }
        }
    }
}
