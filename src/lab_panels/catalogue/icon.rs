//! Small pictures of kinds, drawn as lines.

use std::f32::consts::TAU;

use bevy_egui::egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, vec2};
use swarmarium_lab_state::common::theme::{self, ICON_LINE_PX};
use swarmarium_picture::palette::{Role, Theme};

/// Draws the picture of a family or of a kind of objects. Pictures of entries that do not fit are dim.
pub fn paint(painter: &Painter, rect: Rect, name: &str, theme: Theme, fits: bool) {
    let [main, accent] = match fits {
        true => [Role::Text, Role::Accent],
        false => [Role::Dim, Role::Dim],
    };
    let pen = Pen { painter, rect, main: theme::color(theme, main), accent: theme::color(theme, accent) };
    match name {
        "group" => pen.group(),
        "sensor" => pen.sensor(),
        "controller" => pen.controller(),
        "metric" | "plot" => pen.metric(),
        "motion" => pen.motion(),
        "spawner" => pen.spawner(),
        "actuator" | "gripper" => pen.gripper(),
        "radio" => pen.radio(),
        "emitter" | "field" => pen.field(),
        "leds" | "Light" => pen.light(),
        "control" => pen.control(),
        "noise" | "loss" => pen.noise(),
        "Disc" | "object" => pen.disc(),
        "Polygon" | "Drawing" => pen.polygon(),
        "Goal" => pen.goal(),
        "Region" => pen.region(),
        "Floor" | "FloorPicture" => pen.floor(),
        _ => pen.part(),
    }
}

/// Draws in a square whose sides are 1 long, with y downwards.
struct Pen<'a> {
    painter: &'a Painter,
    rect: Rect,
    main: Color32,
    accent: Color32,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> Pos2 {
        self.rect.min + vec2(x, y) * self.rect.size()
    }

    fn px(&self, length: f32) -> f32 {
        length * self.rect.width()
    }

    fn stroke(&self, color: Color32) -> Stroke {
        Stroke::new(ICON_LINE_PX, color)
    }

    fn line(&self, points: &[(f32, f32)], color: Color32) {
        let points = points.iter().map(|(x, y)| self.at(*x, *y)).collect();
        self.painter.add(Shape::line(points, self.stroke(color)));
    }

    fn circle(&self, (x, y): (f32, f32), radius: f32, color: Color32) {
        self.painter.circle_stroke(self.at(x, y), self.px(radius), self.stroke(color));
    }

    fn dot(&self, (x, y): (f32, f32), radius: f32, color: Color32) {
        self.painter.circle_filled(self.at(x, y), self.px(radius), color);
    }

    /// Draws a part of a circle between two angles, clockwise from the right, in turns.
    fn arc(&self, (x, y): (f32, f32), radius: f32, [from, to]: [f32; 2], color: Color32) {
        let points = (0..=16).map(|part| {
            let angle = TAU * (from + (to - from) * part as f32 / 16.0);
            self.at(x, y) + Vec2::angled(angle) * self.px(radius)
        });
        self.painter.add(Shape::line(points.collect(), self.stroke(color)));
    }

    /// Draws a robot that heads to the right.
    fn robot(&self, at: (f32, f32), radius: f32) {
        self.circle(at, radius, self.main);
        self.line(&[at, (at.0 + radius, at.1)], self.main);
    }

    fn group(&self) {
        self.robot((0.3, 0.35), 0.17);
        self.robot((0.72, 0.3), 0.17);
        self.robot((0.52, 0.74), 0.17);
    }

    fn sensor(&self) {
        self.robot((0.24, 0.5), 0.16);
        self.line(&[(0.4, 0.5), (0.84, 0.16)], self.accent);
        self.line(&[(0.4, 0.5), (0.84, 0.84)], self.accent);
        self.arc((0.4, 0.5), 0.55, [-0.105, 0.105], self.accent);
    }

    fn controller(&self) {
        self.line(&[(0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75), (0.25, 0.25)], self.main);
        for at in [0.38, 0.62] {
            self.line(&[(at, 0.08), (at, 0.25)], self.main);
            self.line(&[(at, 0.75), (at, 0.92)], self.main);
            self.line(&[(0.08, at), (0.25, at)], self.main);
            self.line(&[(0.75, at), (0.92, at)], self.main);
        }
        self.dot((0.5, 0.5), 0.09, self.accent);
    }

    fn metric(&self) {
        self.line(&[(0.12, 0.1), (0.12, 0.88), (0.92, 0.88)], self.main);
        self.line(&[(0.18, 0.72), (0.38, 0.5), (0.54, 0.62), (0.72, 0.26), (0.9, 0.32)], self.accent);
    }

    fn motion(&self) {
        self.robot((0.34, 0.5), 0.2);
        self.line(&[(0.62, 0.5), (0.92, 0.5)], self.accent);
        self.line(&[(0.8, 0.38), (0.92, 0.5), (0.8, 0.62)], self.accent);
    }

    fn spawner(&self) {
        self.line(&[(0.12, 0.12), (0.88, 0.12), (0.88, 0.88), (0.12, 0.88), (0.12, 0.12)], self.main);
        for at in [(0.3, 0.34), (0.6, 0.26), (0.74, 0.56), (0.42, 0.6), (0.26, 0.76), (0.62, 0.78)] {
            self.dot(at, 0.055, self.accent);
        }
    }

    fn gripper(&self) {
        self.robot((0.26, 0.5), 0.18);
        self.line(&[(0.44, 0.4), (0.62, 0.24), (0.84, 0.3)], self.accent);
        self.line(&[(0.44, 0.6), (0.62, 0.76), (0.84, 0.7)], self.accent);
    }

    fn radio(&self) {
        self.dot((0.5, 0.62), 0.08, self.main);
        self.line(&[(0.5, 0.62), (0.5, 0.92)], self.main);
        for radius in [0.22, 0.38] {
            self.arc((0.5, 0.62), radius, [-0.1, 0.1], self.accent);
            self.arc((0.5, 0.62), radius, [0.4, 0.6], self.accent);
        }
    }

    fn field(&self) {
        self.dot((0.5, 0.5), 0.09, self.accent);
        self.circle((0.5, 0.5), 0.22, self.accent);
        self.circle((0.5, 0.5), 0.38, self.main);
    }

    fn light(&self) {
        self.dot((0.5, 0.5), 0.15, self.accent);
        for ray in 0..8 {
            let direction = Vec2::angled(TAU * ray as f32 / 8.0);
            let [from, to] = [0.25, 0.4].map(|radius| self.at(0.5, 0.5) + direction * self.px(radius));
            self.painter.line_segment([from, to], self.stroke(self.main));
        }
    }

    fn control(&self) {
        for (y, x) in [(0.3, 0.64), (0.7, 0.34)] {
            self.line(&[(0.1, y), (0.9, y)], self.main);
            self.dot((x, y), 0.1, self.accent);
        }
    }

    fn noise(&self) {
        let points = [
            (0.08, 0.5),
            (0.2, 0.28),
            (0.3, 0.66),
            (0.42, 0.18),
            (0.54, 0.8),
            (0.66, 0.36),
            (0.78, 0.62),
            (0.92, 0.46),
        ];
        self.line(&points, self.accent);
    }

    fn disc(&self) {
        self.circle((0.5, 0.5), 0.32, self.main);
        self.dot((0.5, 0.5), 0.05, self.accent);
    }

    fn polygon(&self) {
        let corners = [(0.16, 0.4), (0.46, 0.12), (0.86, 0.34), (0.74, 0.84), (0.28, 0.8), (0.16, 0.4)];
        self.line(&corners, self.main);
    }

    fn goal(&self) {
        self.line(&[(0.34, 0.92), (0.34, 0.12)], self.main);
        self.line(&[(0.34, 0.14), (0.8, 0.3), (0.34, 0.46)], self.accent);
    }

    fn region(&self) {
        let corners = [(0.14, 0.2), (0.86, 0.2), (0.86, 0.8), (0.14, 0.8), (0.14, 0.2)];
        let points: Vec<Pos2> = corners.iter().map(|(x, y)| self.at(*x, *y)).collect();
        let dashes = Shape::dashed_line(&points, self.stroke(self.accent), 4.0, 3.0);
        self.painter.extend(dashes);
    }

    fn floor(&self) {
        for (column, line) in [(0, 0), (2, 0), (1, 1), (0, 2), (2, 2)] {
            let from = self.at(0.14 + 0.24 * column as f32, 0.14 + 0.24 * line as f32);
            self.painter.rect_filled(Rect::from_min_size(from, Vec2::splat(self.px(0.24))), 0.0, self.accent);
        }
        self.line(&[(0.14, 0.14), (0.86, 0.14), (0.86, 0.86), (0.14, 0.86), (0.14, 0.14)], self.main);
    }

    fn part(&self) {
        self.line(&[(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8), (0.2, 0.2)], self.main);
        self.line(&[(0.5, 0.34), (0.5, 0.66)], self.accent);
        self.line(&[(0.34, 0.5), (0.66, 0.5)], self.accent);
    }
}
