//! Icons of the strip that fonts lack.

use bevy_egui::egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};
use swarmarium_lab_state::common::theme;

/// An icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Go to the start.
    Start,
    /// Step back.
    Back,
    /// Step forward.
    Forward,
    /// Go to the live end.
    LiveEnd,
    /// A bookmark.
    Bookmark,
    /// A link.
    Link,
    /// A search back in time.
    Find,
}

impl Icon {
    /// Paints the icon in a square of 12 points at the centre of a rectangle.
    pub fn paint(self, painter: &Painter, rect: Rect, color: Color32) {
        let at = |x: f32, y: f32| rect.center() + vec2(x, y);
        let triangle = |tip: f32, base: f32| {
            let points = vec![at(tip, 0.0), at(base, -5.0), at(base, 5.0)];
            painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
        };
        let bar = |x: f32| {
            painter.rect_filled(Rect::from_center_size(at(x, 0.0), vec2(2.0, 10.0)), 0.0, color);
        };
        let line = |points: Vec<Pos2>| {
            painter.add(Shape::line(points, Stroke::new(theme::ICON_LINE_PX, color)));
        };
        match self {
            Self::Start => {
                bar(-5.0);
                triangle(-3.0, 5.0);
            }
            Self::Back => {
                triangle(-5.0, 2.0);
                bar(4.5);
            }
            Self::Forward => {
                bar(-4.5);
                triangle(5.0, -2.0);
            }
            Self::LiveEnd => {
                triangle(3.0, -5.0);
                bar(5.0);
            }
            Self::Bookmark => {
                line(vec![at(-4.0, -6.0), at(-4.0, 6.0), at(0.0, 2.5), at(4.0, 6.0), at(4.0, -6.0), at(-4.0, -6.0)]);
            }
            Self::Link => {
                for side in [-1.0, 1.0] {
                    let ring = Rect::from_center_size(at(3.0 * side, 0.0), Vec2::new(8.0, 6.0));
                    painter.rect_stroke(
                        ring,
                        3.0,
                        Stroke::new(theme::ICON_LINE_PX, color),
                        bevy_egui::egui::StrokeKind::Middle,
                    );
                }
            }
            Self::Find => {
                painter.circle_stroke(at(1.5, -1.5), 4.0, Stroke::new(theme::ICON_LINE_PX, color));
                line(vec![at(-1.5, 1.5), at(-5.5, 5.5)]);
            }
        }
    }
}

/// Paints a diamond, the mark of an edit.
pub fn diamond(painter: &Painter, at: Pos2, radius: f32, color: Color32) {
    let points = vec![
        pos2(at.x, at.y - radius),
        pos2(at.x + radius, at.y),
        pos2(at.x, at.y + radius),
        pos2(at.x - radius, at.y),
    ];
    painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
}

/// Paints a triangle that points up or down.
pub fn triangle(painter: &Painter, at: Pos2, radius: f32, points_up: bool, color: Color32) {
    let tip = if points_up { -radius } else { radius };
    let points = vec![pos2(at.x, at.y + tip), pos2(at.x - radius, at.y - tip), pos2(at.x + radius, at.y - tip)];
    painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
}

/// Paints a cross.
pub fn cross(painter: &Painter, at: Pos2, radius: f32, color: Color32) {
    let stroke = Stroke::new(theme::ICON_LINE_PX, color);
    for side in [-1.0, 1.0] {
        let arm = vec2(radius, radius * side);
        painter.line_segment([at - arm, at + arm], stroke);
    }
}
