//! How the panels look: the style of egui, made from the palette that the world is painted with.

use bevy_egui::egui::{
    self, Color32, CornerRadius, FontId, Margin, RichText, Shadow, Stroke, Style, TextStyle, ThemePreference, Visuals,
    style::WidgetVisuals,
};

use crate::draw::{Paint, Role, Theme};

/// Outer and inner distance of panels, in logical pixels.
pub const PAD: f32 = 12.0;

/// The colour of a role.
pub fn color(theme: Theme, role: Role) -> Color32 {
    let [red, green, blue] = theme.rgb(role);
    Color32::from_rgb(red, green, blue)
}

/// The colour of a paint.
pub fn paint(theme: Theme, paint: Paint) -> Color32 {
    color(theme, paint.role).gamma_multiply(paint.opacity)
}

/// A number: monospaced, so that it keeps its place while it changes. The caller pads it.
pub fn number(text: impl Into<String>) -> RichText {
    RichText::new(text).monospace()
}

/// The frame of a panel.
pub fn panel(theme: Theme) -> egui::Frame {
    egui::Frame::new().fill(color(theme, Role::Ground)).inner_margin(Margin::symmetric(PAD as i8, 6))
}

/// Makes egui look like the rest.
pub fn apply(ctx: &egui::Context, theme: Theme) {
    // The lab has keys for that of its own.
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
    ctx.set_theme(match theme {
        Theme::Dark => ThemePreference::Dark,
        Theme::Light => ThemePreference::Light,
    });
    let style = style(theme);
    warm(ctx, &style);
    ctx.set_global_style(style);
}

/// Puts all common glyphs into the font texture at once: each time that it grows, panels miss a frame.
fn warm(ctx: &egui::Context, style: &Style) {
    let glyphs: String = (' '..='~').chain("×–²°".chars()).collect();
    let more =
        [FontId::proportional(14.0), FontId::proportional(15.0), FontId::proportional(22.0), FontId::monospace(15.0)];
    ctx.fonts_mut(|fonts| {
        for font in style.text_styles.values().chain(&more) {
            fonts.layout_no_wrap(glyphs.clone(), font.clone(), Color32::WHITE);
        }
    });
}

fn style(theme: Theme) -> Style {
    let mut style = Style { visuals: visuals(theme), ..Style::default() };
    style.text_styles = [
        (TextStyle::Heading, FontId::proportional(20.0)),
        (TextStyle::Body, FontId::proportional(13.0)),
        (TextStyle::Button, FontId::proportional(13.0)),
        (TextStyle::Small, FontId::proportional(11.0)),
        (TextStyle::Monospace, FontId::monospace(12.0)),
    ]
    .into();
    style.spacing.item_spacing = egui::vec2(8.0, 4.0);
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
    visuals.warn_fg_color = of(Role::Detecting);
    visuals.selection.bg_fill = of(Role::Accent).gamma_multiply(0.4);
    visuals.selection.stroke = Stroke::new(1.0, of(Role::Text));
    visuals.slider_trailing_fill = true;
    let widget = |fill, stroke, text| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, stroke),
        corner_radius: CornerRadius::same(4),
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
