//! Small drawings of readings and commands in the frame of the robot: forward is up.

use std::f64::consts::{FRAC_PI_2, PI};

use bevy_egui::egui::{Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};
use swarmarium_base::math::direction;
use swarmarium_core::sensor::Gauge;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::{Role, Theme};

/// Width of an outline with and without a detection, in points, since state is never shown by colour alone.
const LIT_PX: f32 = 2.0;

/// See [`LIT_PX`].
const UNLIT_PX: f32 = 1.0;

/// Radius of a robot, in points.
const ROBOT_PX: f32 = 4.0;

/// Half-angle below which a cone is drawn as a line, in radians.
const NARROW_RAD: f64 = 0.03;

/// Angle between the corners of an arc, in radians.
const ARC_RAD: f64 = 0.15;

/// Returns the screen direction of a bearing, anticlockwise from forward.
fn toward(bearing_rad: f64) -> Vec2 {
    let on_screen = direction(FRAC_PI_2 + bearing_rad);
    vec2(on_screen.x as f32, -on_screen.y as f32)
}

fn mark(theme: Theme, is_lit: bool) -> Stroke {
    let (width, role) = if is_lit { (LIT_PX, Role::Detecting) } else { (UNLIT_PX, Role::Clear) };
    Stroke::new(width, theme::color(theme, role))
}

/// Draws a robot that faces up.
fn robot(painter: &Painter, theme: Theme, at: Pos2) {
    painter.circle_filled(at, ROBOT_PX, theme::color(theme, Role::Dim));
    let notch = Stroke::new(theme::ICON_LINE_PX, theme::color(theme, Role::Text));
    painter.line_segment([at, at - vec2(0.0, ROBOT_PX)], notch);
}

/// Draws a lamp, lit or unlit.
pub fn lamp(painter: &Painter, theme: Theme, at: Pos2, is_lit: bool) {
    if is_lit {
        painter.circle_filled(at, ROBOT_PX, theme::color(theme, Role::Detecting));
    }
    painter.circle_stroke(at, ROBOT_PX, mark(theme, is_lit));
}

/// Draws a field of view around a robot.
pub fn cone(painter: &Painter, theme: Theme, rect: Rect, (bearing_rad, half_angle_rad): (f64, f64), is_lit: bool) {
    let (eye, reach) = (rect.center(), rect.height().min(rect.width()) / 2.0 - LIT_PX);
    let half_rad = half_angle_rad.clamp(NARROW_RAD, PI);
    let stroke = mark(theme, is_lit);
    let corners = (2.0 * half_rad / ARC_RAD).ceil().max(1.0);
    let place = |corner: u32| {
        let part = (f64::from(corner) / corners).min(1.0);
        eye + reach * toward(bearing_rad - half_rad + 2.0 * half_rad * part)
    };
    let arc: Vec<Pos2> = (0..=corners as u32).map(place).collect();
    // Cones wider than half a turn are not convex: they are filled in slices.
    if is_lit {
        let fill = stroke.color.gamma_multiply(0.4);
        let slices = arc.iter().zip(arc.iter().skip(1));
        painter.extend(slices.map(|(a, b)| Shape::convex_polygon(vec![eye, *a, *b], fill, Stroke::NONE)));
    }
    painter.add(Shape::closed_line(std::iter::once(eye).chain(arc).collect(), stroke));
    robot(painter, theme, eye);
}

/// Draws rays around a robot. Rays that hit something are shorter and thicker, and end in a dot.
pub fn rays(painter: &Painter, theme: Theme, rect: Rect, gauge: &Gauge, reading: &[f64]) {
    let Gauge::Rays { bearings_rad, .. } = gauge else { return };
    let (eye, reach) = (rect.center(), rect.height().min(rect.width()) / 2.0 - LIT_PX - 1.0);
    painter.circle_stroke(eye, reach, Stroke::new(1.0, theme::color(theme, Role::Grid)));
    let begin = ROBOT_PX + 1.0;
    for (bearing_rad, number) in bearings_rad.iter().zip(reading) {
        let Some(part) = gauge.part(*number) else { continue };
        let (along, is_lit) = (toward(*bearing_rad), part < 1.0);
        let end = eye + (begin + (reach - begin) * part as f32) * along;
        painter.line_segment([eye + begin * along, end], mark(theme, is_lit));
        if is_lit {
            painter.circle_filled(end, LIT_PX, theme::color(theme, Role::Detecting));
        }
    }
    robot(painter, theme, eye);
}

/// Draws a bar that is filled from the left up to a fraction of its width.
pub fn bar(painter: &Painter, theme: Theme, rect: Rect, part: f64) {
    let rect = rect.shrink2(vec2(0.0, rect.height() * 0.3));
    painter.rect_filled(rect, 1.0, theme::color(theme, Role::Grid));
    let filled = rect.with_max_x(rect.left() + rect.width() * part.clamp(0.0, 1.0) as f32);
    painter.rect_filled(filled, 1.0, theme::color(theme, Role::Accent));
}

/// Draws a bar that is filled from its centre, to the right if the fraction is positive and to the left if negative.
pub fn signed_bar(painter: &Painter, theme: Theme, rect: Rect, part: f64) {
    let rect = rect.shrink2(vec2(0.0, rect.height() * 0.3));
    painter.rect_filled(rect, 1.0, theme::color(theme, Role::Grid));
    let middle = rect.center().x;
    let end = middle + rect.width() / 2.0 * part.clamp(-1.0, 1.0) as f32;
    let filled = Rect::from_two_pos(pos2(middle, rect.top()), pos2(end, rect.bottom()));
    painter.rect_filled(filled, 1.0, theme::color(theme, Role::Accent));
    painter.vline(middle, rect.y_range(), Stroke::new(1.0, theme::color(theme, Role::Dim)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inspector_drawing_has_ahead_up_and_left_left() {
        assert!((toward(0.0) - vec2(0.0, -1.0)).length() < 1e-6);
        assert!((toward(FRAC_PI_2) - vec2(-1.0, 0.0)).length() < 1e-6);
    }
}
