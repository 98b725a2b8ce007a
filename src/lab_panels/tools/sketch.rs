//! Drawing of tools over the world, in world coordinates.

use bevy::math::DVec2;
use bevy_egui::egui::{Align2, Color32, Modifiers, Painter, Pos2, Rect, Shape, Stroke, Vec2};
use swarmarium_core::step::HasArena as _;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::{canvas, theme};
use swarmarium_picture::palette::Role;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::Form;

/// Minimum radius of a ring, in points.
const LEAST_PX: f32 = 12.0;

/// Draws over the world with the painter of the interface.
pub struct Sketch<'a> {
    /// The lab, for its camera and colours.
    pub lab: &'a Lab,
    /// The painter of the panel.
    pub painter: Painter,
    /// The rectangle of the panel in the window, in points.
    pub rect: Rect,
    /// The point of the world under the cursor, in metres.
    pub cursor_m: Option<DVec2>,
    /// The held modifier keys.
    pub modifiers: Modifiers,
}

impl Sketch<'_> {
    /// Converts a point of the world (m) to the window, in points.
    pub fn at(&self, point_m: DVec2) -> Pos2 {
        canvas::on_screen(&self.lab.view.painted.camera, self.rect, point_m)
    }

    /// Converts a length in the world (m) to points.
    pub fn px(&self, length_m: f64) -> f32 {
        (length_m * self.lab.view.painted.camera.pixels_per_m) as f32
    }

    /// Returns the colour of a role.
    pub fn color(&self, role: Role) -> Color32 {
        theme::color(self.lab.shell.settings.theme, role)
    }

    fn stroke(&self, role: Role) -> Stroke {
        Stroke::new(theme::LINE_PX, self.color(role))
    }

    fn fill(&self, role: Role) -> Color32 {
        theme::paint(self.lab.shell.settings.theme, role.faint(0.2))
    }

    /// Draws a straight line between two points of the world.
    pub fn line(&self, ends_m: [DVec2; 2], role: Role) {
        self.painter.line_segment(ends_m.map(|end| self.at(end)), self.stroke(role));
    }

    /// Draws a dashed line through points of the world.
    pub fn dashed(&self, points_m: &[DVec2], role: Role) {
        let points: Vec<Pos2> = points_m.iter().map(|point| self.at(*point)).collect();
        let [dash_px, gap_px] = theme::DASH_PX;
        self.painter.extend(Shape::dashed_line(&points, self.stroke(role), dash_px, gap_px));
    }

    /// Draws a disc with a faint fill and its rim.
    pub fn disc(&self, center_m: DVec2, radius_m: f64, role: Role) {
        self.painter.circle(self.at(center_m), self.px(radius_m), self.fill(role), self.stroke(role));
    }

    /// Draws a convex polygon with a faint fill and its edges.
    pub fn polygon(&self, corners_m: &[DVec2], role: Role) {
        let points = corners_m.iter().map(|corner| self.at(*corner)).collect();
        self.painter.add(Shape::convex_polygon(points, self.fill(role), self.stroke(role)));
    }

    /// Draws a robot with a heading.
    pub fn robot(&self, center_m: DVec2, radius_m: f64, heading_rad: f64, role: Role) {
        self.disc(center_m, radius_m, role);
        self.line([center_m, center_m + swarmarium_base::math::direction(heading_rad) * radius_m * 1.6], role);
    }

    /// Draws a text beside a point of the world, readable on any background.
    pub fn words(&self, point_m: DVec2, text: &str) {
        let at = self.at(point_m) + Vec2::new(theme::PAD, -theme::GAP);
        let color = self.color(Role::Text);
        let galley = self.painter.layout_no_wrap(text.into(), theme::number_font(), color);
        let words = Align2::LEFT_BOTTOM.anchor_size(at, galley.size());
        let inside = self.rect.shrink(theme::SMALL_GAP);
        let shift = Vec2::new((inside.right() - words.right()).min(0.0), (inside.top() - words.top()).max(0.0));
        let words = words.translate(shift);
        let veil = theme::paint(self.lab.shell.settings.theme, Role::Ground.faint(theme::VEIL));
        self.painter.rect_filled(words.expand(theme::TINY_GAP), theme::CORNER_PX, veil);
        self.painter.galley(words.min, galley, color);
    }

    /// Draws a ring around a robot or an object.
    pub fn ring(&self, simulation: &Simulation, item: Item) {
        let Some((center_m, reach_m)) = selection::extent(simulation, item) else { return };
        if !self.shows(center_m, reach_m) {
            return;
        }
        let forms = match item {
            Item::Object(place) => simulation.world().arena().space.things.get(place),
            _ => None,
        };
        let forms = forms.map_or(&[][..], |thing| thing.forms.as_slice());
        self.forms(center_m, reach_m, forms);
    }

    /// Draws the outline of a robot or of a moving object with a heading.
    pub fn outline(&self, center_m: DVec2, radius_m: f64, heading_rad: f64) {
        if self.shows(center_m, radius_m) {
            self.painter.circle_stroke(self.at(center_m), self.px(radius_m), self.stroke(Role::Accent));
            self.line([center_m, center_m + swarmarium_base::math::direction(heading_rad) * radius_m], Role::Accent);
        }
    }

    /// Whether a disc is visible.
    fn shows(&self, center_m: DVec2, reach_m: f64) -> bool {
        self.rect.expand(self.px(reach_m) + theme::TINY_GAP).contains(self.at(center_m))
    }

    /// Draws lines around the forms of an object, or a ring if it has none.
    pub fn forms(&self, center_m: DVec2, reach_m: f64, forms: &[Form]) {
        let stroke = self.stroke(Role::Accent);
        if forms.is_empty() {
            let radius_px = (self.px(reach_m) + theme::TINY_GAP).max(LEAST_PX);
            self.painter.circle_stroke(self.at(center_m), radius_px, stroke);
        }
        for form in forms {
            match form {
                Form::Disc { center, radius } => {
                    self.painter.circle_stroke(self.at(*center), self.px(*radius) + theme::TINY_GAP, stroke);
                }
                Form::Polygon(corners) => {
                    let points = corners.iter().map(|corner| self.at(*corner)).collect();
                    self.painter.add(Shape::closed_line(points, stroke));
                }
            }
        }
    }
}
