//! Frames in which a step keeps the lab longer than expected: they show the panels of the last frame and a sign, and
//! keep the input for the next frame with the lab.
//!
//! In such a frame, egui runs no pass: a pass without widgets would end drags and take the focus from fields.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy_egui::egui::epaint::{ClippedShape, RectShape};
use bevy_egui::egui::{self, Align2, Event, FullOutput, Id, Pos2, Rect, Shape, StrokeKind, Vec2};
use bevy_egui::{EguiContext, EguiContextSettings, EguiFullOutput, EguiInput, EguiPostUpdateSet, EguiPreUpdateSet};
use swarmarium_lab_state::common::frame::Frames;
use swarmarium_lab_state::common::theme;

use crate::window::engine::{Engine, Work};
use crate::window::painter;

/// Distance of the sign from the upper edge of the window, in points.
const TOP_PX: f32 = 72.0;

/// Waits that are shorter get no sign.
const SHORT: Duration = Duration::from_millis(100);

/// The last frame with the lab.
#[derive(Resource, Default)]
pub struct LastFrame {
    shapes: Vec<ClippedShape>,
    /// Whether the present pass has no panels, because a step has taken the lab after the pass began.
    is_missed: bool,
    /// The input of such a pass.
    events: Vec<Event>,
    /// The field with the focus before such a pass, which takes it away.
    focus: Option<Id>,
    /// The first frame without the lab since the last one with it.
    since: Option<Instant>,
}

/// Adds the systems that take the place of panels in frames without the lab.
pub(super) fn plugin(app: &mut App) {
    app.init_resource::<LastFrame>()
        .add_systems(First, hold.after(painter::paint))
        .add_systems(PreUpdate, return_input.after(EguiPreUpdateSet::ProcessInput).before(EguiPreUpdateSet::BeginPass))
        .add_systems(PostUpdate, show.after(EguiPostUpdateSet::EndPass).before(EguiPostUpdateSet::ProcessOutput));
}

impl LastFrame {
    /// Takes the input of a pass that has to do without the lab.
    pub fn miss(&mut self, ctx: &egui::Context) {
        self.is_missed = true;
        self.focus = ctx.memory(egui::Memory::focused).or(self.focus);
        self.events.extend(ctx.input(|input| input.raw.events.clone()));
    }

    /// Adds the input of missed passes to that of a pass, in its order.
    fn give_input(&mut self, events: &mut Vec<Event>) {
        self.events.append(events);
        if self.focus.is_none() {
            std::mem::swap(&mut self.events, events);
        }
    }

    /// Returns the focus that a missed pass has taken away; call it before panels are drawn.
    pub fn return_focus(&mut self, ctx: &egui::Context) {
        if let Some(focus) = self.focus.take() {
            ctx.memory_mut(|memory| memory.request_focus(focus));
        }
    }
}

/// Lets egui run no pass in a frame without the lab.
fn hold(canvas: Res<painter::Canvas>, mut contexts: Query<&mut EguiContextSettings>, mut frames: ResMut<Frames>) {
    for mut settings in &mut contexts {
        settings.run_manually = canvas.waits;
    }
    if canvas.waits {
        frames.change();
    }
}

/// Gives egui the input of missed passes again. The pass that returns the focus takes none: without a focused field, egui
/// lets the arrow keys and Tab move the focus.
fn return_input(canvas: Res<painter::Canvas>, mut last: ResMut<LastFrame>, mut inputs: Query<&mut EguiInput>) {
    if canvas.waits {
        return;
    }
    for mut input in &mut inputs {
        last.give_input(&mut input.events);
    }
}

/// Keeps the shapes of a frame with the lab, or shows them again.
fn show(
    mut last: ResMut<LastFrame>,
    canvas: Res<painter::Canvas>,
    engine: Res<Engine>,
    mut frames: ResMut<Frames>,
    mut contexts: Query<(&mut EguiContext, &mut EguiFullOutput)>,
) {
    let waits = canvas.waits || std::mem::take(&mut last.is_missed);
    for (mut context, mut output) in &mut contexts {
        if !waits {
            if let Some(output) = &output.0 {
                last.shapes.clone_from(&output.shapes);
            }
            last.since = None;
            continue;
        }
        frames.change();
        let since = *last.since.get_or_insert_with(Instant::now);
        let ctx = context.get_mut();
        let mut shapes = last.shapes.clone();
        if since.elapsed() > SHORT {
            shapes.extend(sign(ctx, &text(engine.work())));
        }
        // A missed pass may have changes of textures.
        let missed = output.0.take().unwrap_or_default();
        let mut platform_output = missed.platform_output;
        platform_output.cursor_icon = egui::CursorIcon::Progress;
        let pixels_per_point = ctx.pixels_per_point();
        output.0 = Some(FullOutput { platform_output, shapes, pixels_per_point, ..missed });
    }
}

/// Returns the text of the sign: `Busy: step 123 (2.3 s)`.
fn text(work: Option<Work>) -> String {
    work.map_or_else(
        || "Busy".into(),
        |Work { label, since }| format!("Busy: {label} ({:.1} s)", since.elapsed().as_secs_f64()),
    )
}

/// Returns the shapes of the sign.
fn sign(ctx: &egui::Context, text: &str) -> [ClippedShape; 3] {
    let (visuals, window) = (ctx.global_style().visuals.clone(), ctx.viewport_rect());
    let lines = [(text, theme::TEXT_PX), ("Keys and clicks take effect after it", theme::SMALL_PX)];
    let galleys = ctx.fonts_mut(|fonts| {
        lines.map(|(line, size_px)| fonts.layout_no_wrap(line.into(), theme::font(size_px), visuals.text_color()))
    });
    let [first, second] = &galleys;
    let size = Vec2::new(first.size().x.max(second.size().x), first.size().y + theme::TINY_GAP + second.size().y);
    let inner = Align2::CENTER_TOP.anchor_size(Pos2::new(window.center().x, TOP_PX), size);
    let frame = RectShape::new(
        inner.expand(theme::PAD),
        theme::LARGE_CORNER_PX,
        visuals.window_fill,
        visuals.window_stroke,
        StrokeKind::Inside,
    );
    let below = inner.min + Vec2::new(0.0, first.size().y + theme::TINY_GAP);
    let [first, second] = galleys;
    let at = |at, galley| Shape::galley(at, galley, visuals.text_color());
    [frame.into(), at(inner.min, first), at(below, second)]
        .map(|shape| ClippedShape { clip_rect: Rect::EVERYTHING, shape })
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Key, Modifiers};
    use egui_kittest::Harness;

    use super::*;

    #[test]
    fn the_sign_says_which_step_takes_how_long() {
        assert_eq!(text(None), "Busy");
        let since = Instant::now().checked_sub(Duration::from_millis(2310)).unwrap();
        let shown = text(Some(Work { label: "step 1,234".into(), since }));
        assert_eq!(shown, "Busy: step 1,234 (2.3 s)");
        let window = Harness::new_ui(|_| {});
        let shapes = sign(&window.ctx, &shown);
        let bounds = shapes.iter().map(|shape| shape.shape.visual_bounding_rect()).reduce(Rect::union).unwrap();
        assert!(window.ctx.viewport_rect().contains_rect(bounds), "{bounds:?}");
        let texts = shapes.iter().filter_map(|shape| match &shape.shape {
            Shape::Text(text) => Some(text.galley.text().to_owned()),
            _ => None,
        });
        assert_eq!(texts.collect::<Vec<_>>(), [shown.as_str(), "Keys and clicks take effect after it"]);
    }

    #[test]
    fn a_missed_pass_loses_neither_keys_nor_the_focus() {
        let ctx = egui::Context::default();
        let field = Id::new("field");
        let mut text = String::new();
        let mut last = LastFrame::default();
        let mut pass = |mut events: Vec<Event>, last: &mut LastFrame, misses: bool| {
            last.give_input(&mut events);
            let input = egui::RawInput { events, focused: true, ..Default::default() };
            let _ = ctx.run_ui(input, |ui| {
                if misses {
                    return last.miss(&ctx);
                }
                last.return_focus(&ctx);
                ui.add(egui::TextEdit::singleline(&mut text).id(field));
            });
            text.clone()
        };
        ctx.memory_mut(|memory| memory.request_focus(field));
        pass(Vec::new(), &mut last, false);
        assert_eq!(pass(vec![Event::Text("a".into())], &mut last, false), "a");
        let enter = Event::Key {
            key: Key::ArrowLeft,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        pass(vec![enter], &mut last, true);
        pass(vec![Event::Text("b".into())], &mut last, true);
        assert_eq!(last.events.len(), 2);
        assert_eq!(pass(vec![Event::Text("c".into())], &mut last, false), "a", "this pass returns the focus");
        assert_eq!(pass(Vec::new(), &mut last, false), "bca");
    }
}
