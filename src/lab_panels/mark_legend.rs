//! The legend of marks: the meaning of the lines, areas and symbols that the world shows now.

use bevy_egui::egui::{
    Align, Align2, Area, Color32, Frame, Id, Label, Layout, Margin, Painter, Pos2, Rect, ScrollArea, Sense, Shape, Ui,
    Vec2,
};
use swarmarium_draw::Overlay;
use swarmarium_lab_state::action::{Action, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_picture::palette::{Paint, Role};
use swarmarium_picture::{Item, Layer, Picture, Shape as Drawn};

use crate::swatch;

/// Width of the legend, in points.
const WIDTH_PX: f32 = 250.0;

/// Size of a sample, in points.
const SAMPLE_PX: Vec2 = Vec2::new(26.0, 14.0);

/// A sample of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sample {
    Line,
    Dashes,
    Arrow,
    Ring,
    Area,
    Cone,
    Cross,
}

/// A mark: when it is meant, its sample, and its meaning.
struct Mark {
    layer: Layer,
    role: fn(Role) -> bool,
    /// Whether lines of this kind are meant; `None` for areas, too.
    is_dashed: Option<bool>,
    /// The overlay that draws it, if others draw the like.
    overlay: Option<Overlay>,
    /// Whether it is drawn only with a forecast.
    is_foreseen: bool,
    sample: Sample,
    meaning: &'static str,
}

const fn mark(layer: Layer, role: fn(Role) -> bool, sample: Sample, meaning: &'static str) -> Mark {
    Mark { layer, role, is_dashed: None, overlay: None, is_foreseen: false, sample, meaning }
}

impl Mark {
    const fn dashed(self, is_dashed: bool) -> Self {
        Self { is_dashed: Some(is_dashed), ..self }
    }

    const fn of(self, overlay: Overlay) -> Self {
        Self { overlay: Some(overlay), ..self }
    }

    /// A dashed line of a forecast.
    const fn foreseen(self) -> Self {
        Self { is_foreseen: true, ..self.dashed(true) }
    }

    fn fits(&self, item: &Item, lab: &Lab) -> bool {
        let dashed = match &item.shape {
            Drawn::Line { pen, .. } | Drawn::Segment { pen, .. } => Some(pen.dashed),
            _ => None,
        };
        item.layer == self.layer
            && (self.role)(item.paint.role)
            && (self.is_dashed.is_none() || self.is_dashed == dashed)
            && (!self.is_foreseen || lab.forecasts.shown().is_some())
            && self.overlay.is_none_or(|overlay| lab.view.painted.overlays.shows(overlay))
    }
}

fn is_group(role: Role) -> bool {
    matches!(role, Role::Group(_) | Role::Own(_) | Role::Dim)
}

/// The marks from the most to the least particular one: a shape has the first meaning that fits.
const MARKS: [Mark; 25] = [
    mark(Layer::Links, |role| role == Role::Stale, Sample::Dashes, "Radio: in range, but no packet arrived recently"),
    mark(Layer::Links, |role| role == Role::Text, Sample::Line, "Radio: a packet arrived recently"),
    mark(Layer::Links, |role| role == Role::Accent, Sample::Line, "Link: a sensor detects the other robot"),
    mark(Layer::Sensors, |role| role == Role::Detecting, Sample::Cone, "Sensor that detects something"),
    mark(Layer::Sensors, |role| role == Role::Clear, Sample::Cone, "Sensor that detects nothing"),
    mark(Layer::Sensors, |role| role == Role::Goal, Sample::Arrow, "Way to the goal of a robot"),
    mark(Layer::Sensors, |role| role == Role::Accent, Sample::Line, "Drawing of a metric, such as a hull or a graph"),
    mark(Layer::Sensors, is_group, Sample::Dashes, "Pose that a robot believes to have").dashed(true),
    mark(Layer::Sensors, is_group, Sample::Line, "Ray of a camera, in the colour that it sees"),
    mark(Layer::Sensors, |_| true, Sample::Line, "Drawing of a sensor or an actuator"),
    mark(Layer::Trails, |role| role == Role::Accent, Sample::Line, "Border between Voronoi cells").of(Overlay::Voronoi),
    mark(Layer::Trails, |role| role == Role::Text, Sample::Line, "Delaunay triangulation").of(Overlay::Delaunay),
    mark(Layer::Trails, is_group, Sample::Dashes, "Forecast: the next part of the path of a robot").foreseen(),
    mark(Layer::Trails, |_| true, Sample::Dashes, "Path that a robot believes to have gone").dashed(true),
    mark(Layer::Trails, |_| true, Sample::Line, "Trail: the last part of the path of a robot"),
    mark(Layer::Objects, |role| role == Role::Goal, Sample::Ring, "Goal"),
    mark(Layer::Objects, |role| role == Role::Occupied, Sample::Ring, "Goal that was reached, or region with a robot"),
    mark(Layer::Objects, |role| role == Role::Text, Sample::Ring, "Present spread of the formation"),
    mark(Layer::Objects, |role| matches!(role, Role::Group(_)), Sample::Ring, "Estimate of a robot"),
    mark(Layer::Objects, |role| role == Role::Obstacle, Sample::Area, "Obstacle"),
    mark(Layer::Objects, |role| role == Role::Light, Sample::Area, "Light"),
    mark(Layer::Labels, |role| role == Role::Stale, Sample::Cross, "Robot that has failed"),
    mark(Layer::Labels, |role| role == Role::Accent, Sample::Arrow, "Commanded motion of the next second")
        .of(Overlay::Commands),
    mark(Layer::Labels, |role| role == Role::Text, Sample::Arrow, "Velocity: position in one second")
        .of(Overlay::Velocities),
    mark(Layer::Agents, |role| role == Role::Accent, Sample::Ring, "Selected robot"),
];

/// Returns the marks of a picture with their paints, in the order of the list; each meaning occurs once.
fn shown(lab: &Lab, picture: &Picture) -> Vec<(&'static Mark, Paint)> {
    let mut found: Vec<Option<Paint>> = vec![None; MARKS.len()];
    for item in picture.items.iter().filter(|item| !matches!(item.shape, Drawn::Text { .. } | Drawn::Cells(_))) {
        if let Some(place) = MARKS.iter().position(|mark| mark.fits(item, lab)) {
            // Lines are stronger than the areas of the same mark.
            let known = &mut found[place];
            if known.is_none_or(|known| known.opacity < item.paint.opacity) {
                *known = Some(item.paint);
            }
        }
    }
    MARKS.iter().zip(found).filter_map(|(mark, paint)| Some((mark, paint?))).collect()
}

/// Returns the names of the groups whose robots have one colour, with that paint.
fn groups(lab: &Lab) -> Vec<(String, Paint)> {
    let groups = lab.run.host.scene().groups.iter().enumerate();
    groups.filter_map(|(place, group)| Some((group.name.clone(), swatch::of_group(lab, place)?.into()))).collect()
}

/// Draws the legend in the upper left corner of the world while it is shown. Returns the requested actions.
pub fn ui(ui: &Ui, lab: &Lab, world: Rect, picture: &Picture) -> Vec<Action> {
    let mut actions = Vec::new();
    if !lab.shell.settings.mark_legend {
        return actions;
    }
    let theme = lab.shell.settings.theme;
    let frame = Frame::new().fill(theme::paint(theme, Role::Ground.faint(theme::DENSE_VEIL)));
    let frame = frame.corner_radius(theme::LARGE_CORNER_PX).stroke((1.0, theme::color(theme, Role::Grid)));
    let frame = frame.inner_margin(Margin::symmetric(theme::GAP as i8, theme::SMALL_GAP as i8));
    let width = WIDTH_PX.min(world.width() - 4.0 * theme::GAP);
    let most_px = (world.height() - 6.0 * theme::GAP).max(0.0);
    let area = Area::new(Id::new("mark legend")).fixed_pos(world.left_top() + Vec2::splat(theme::GAP));
    let area = area.pivot(Align2::LEFT_TOP).movable(false).fade_in(false).constrain(false);
    area.sense(Sense::click_and_drag()).show(ui.ctx(), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(width);
            ui.horizontal(|ui| {
                ui.strong("Legend");
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let close = ui.small_button("✖");
                    named(&close, "Close the legend of marks");
                    if close.on_hover_text("Hides the legend; the button below the world shows it again").clicked() {
                        actions.push(Action::View(ViewAction::MarkLegend));
                    }
                });
            });
            ScrollArea::vertical().max_height(most_px).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                for (name, paint) in groups(lab) {
                    row(ui, lab, Sample::Area, paint, &format!("Robot of {name}"));
                }
                for (mark, paint) in shown(lab, picture) {
                    row(ui, lab, mark.sample, paint, mark.meaning);
                }
            });
        });
    });
    actions
}

fn row(ui: &mut Ui, lab: &Lab, sample: Sample, paint: Paint, text: &str) {
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(SAMPLE_PX, Sense::hover());
        // The colour of an area is hardly seen in a small sample.
        let color = theme::paint(lab.shell.settings.theme, paint.role.faint(paint.opacity.max(0.8)));
        draw(ui.painter(), rect, sample, color);
        ui.add(Label::new(text).wrap());
    });
}

/// Draws a sample in a rectangle.
fn draw(painter: &Painter, rect: Rect, sample: Sample, color: Color32) {
    let stroke = (theme::ICON_LINE_PX, color);
    let ends = [rect.left_center(), rect.right_center()];
    let center = rect.center();
    let radius = rect.height() / 2.0 - 1.0;
    match sample {
        Sample::Line => {
            painter.line_segment(ends, stroke);
        }
        Sample::Dashes => painter.extend(Shape::dashed_line(&ends, stroke, theme::DASH_PX[0], theme::DASH_PX[1])),
        Sample::Arrow => painter.arrow(ends[0], ends[1] - ends[0], stroke),
        Sample::Ring => {
            painter.circle_stroke(center, radius, stroke);
        }
        Sample::Area => {
            painter.circle_filled(center, radius, color);
        }
        Sample::Cone => {
            let points: Vec<Pos2> = vec![ends[0], rect.right_top(), rect.right_bottom()];
            painter.add(Shape::convex_polygon(points, color.gamma_multiply(0.3), stroke));
        }
        Sample::Cross => {
            for way in [Vec2::new(1.0, 1.0), Vec2::new(1.0, -1.0)] {
                painter.line_segment([center - way * radius, center + way * radius], stroke);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_draw::ColorBy;
    use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, window};

    use super::*;

    #[test]
    fn the_legend_says_what_the_marks_of_a_formation_mean() {
        let mut lab = lab_on("formation");
        do_steps(&mut lab, 100);
        let (mut window, _) = window(lab);
        click(&mut window, "Legend");
        for meaning in
            ["Radio: a packet arrived recently", "Goal", "Present spread of the formation", "Robot of robots"]
        {
            assert!(window.query_all_by_label(meaning).next().is_some(), "{meaning}");
        }
        assert!(window.query_by_label("Obstacle").is_none(), "only what is drawn is listed");
        click(&mut window, "Close the legend of marks");
        assert!(window.query_by_label("Present spread of the formation").is_none());
    }

    #[test]
    fn groups_are_listed_while_their_robots_have_one_colour() {
        let group = |name: &str, look: &str| format!("(name: \"{name}\", controller: Constant(), look: ({look}))");
        let groups_of = [group("a", ""), group("b", "color: \"random\""), group("c", "color: \"orange\"")];
        let mut lab = lab_of(&format!("(groups: [{}])", groups_of.join(", ")));
        let listed = |lab: &Lab| groups(lab).into_iter().map(|(name, paint)| (name, paint.role)).collect::<Vec<_>>();
        assert_eq!(listed(&lab), [("a".to_owned(), Role::Group(0)), ("c".to_owned(), Role::Group(1))]);
        lab.view.current.color_by = ColorBy::State;
        assert_eq!(listed(&lab), [], "the colours have another legend");
    }

    #[test]
    fn every_line_of_a_scene_has_a_meaning() {
        for scene in
            ["milling", "formation", "flocking-radio", "obstacles", "parking_cars", "simiam-week3", "phototaxis"]
        {
            let mut lab = lab_on(scene);
            do_steps(&mut lab, 20);
            let picture = lab.paint();
            let is_mark = |item: &&Item| {
                let is_line = matches!(item.shape, Drawn::Line { .. } | Drawn::Segment { .. });
                is_line && matches!(item.layer, Layer::Links | Layer::Sensors | Layer::Trails)
            };
            for item in picture.items.iter().filter(is_mark) {
                assert!(MARKS.iter().any(|mark| mark.fits(item, &lab)), "{scene}: {item:?}");
            }
            assert!(!shown(&lab, &picture).is_empty(), "{scene}");
        }
    }
}
