//! The legend of marks: the meaning of the lines, areas and symbols that the world shows now.

use bevy::math::DVec2;
use bevy_egui::egui::{
    Align, Align2, Area, Color32, Id, Label, Layout, Painter, Pos2, Rect, ScrollArea, Sense, Shape, Ui, Vec2,
};
use swarmarium_draw::Overlay;
use swarmarium_lab_state::action::{Action, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::faults;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_lab_state::common::{canvas, theme};
use swarmarium_picture::palette::{Paint, Role};
use swarmarium_picture::{Item, Layer, Picture, Shape as Drawn, Width};
use swarmarium_space::Outline;

use crate::timeline::strip::lane;

use crate::swatch;

/// Width of the legend, in points.
const WIDTH_PX: f32 = 250.0;

/// Size of a sample, in points.
const SAMPLE_PX: Vec2 = Vec2::new(26.0, 14.0);

/// The largest part of the height of the world that the legend covers.
const MOST_HEIGHT: f32 = 0.6;

/// The largest number of colours in the sample of one mark.
const MOST_COLORS: usize = 3;

/// The legend: the place where it opened or where the user has dragged it.
#[derive(Default)]
pub struct MarkLegend {
    /// The opening of the scene and the size of the world for which the corner was chosen, with the corner.
    corner: Option<(u64, Vec2, Align2)>,
    /// The offset from the corner of the world to which the user has dragged it, in points.
    dragged: Option<Vec2>,
    size_px: Vec2,
}

/// A sample of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sample {
    Line,
    Dashes,
    Arrow,
    Ring,
    Area,
    Square,
    Cone,
    Cross,
    Dart,
}

/// A mark: when it is meant, its sample, and its meaning.
struct Mark {
    layer: Layer,
    role: fn(Role) -> bool,
    /// Whether lines of this kind are meant; `None` for areas, too.
    is_dashed: Option<bool>,
    /// The overlay that draws it, if others draw the like.
    overlay: Option<Overlay>,
    /// Whether it can be in the picture, if others draw the like.
    is_there: fn(&Lab) -> bool,
    sample: Sample,
    meaning: &'static str,
}

const fn mark(layer: Layer, role: fn(Role) -> bool, sample: Sample, meaning: &'static str) -> Mark {
    Mark { layer, role, is_dashed: None, overlay: None, is_there: |_| true, sample, meaning }
}

impl Mark {
    const fn dashed(self, is_dashed: bool) -> Self {
        Self { is_dashed: Some(is_dashed), ..self }
    }

    const fn of(self, overlay: Overlay) -> Self {
        Self { overlay: Some(overlay), ..self }
    }

    const fn when(self, is_there: fn(&Lab) -> bool) -> Self {
        Self { is_there, ..self }
    }

    fn fits(&self, item: &Item, lab: &Lab) -> bool {
        let dashed = match &item.shape {
            Drawn::Line { pen, .. } | Drawn::Segment { pen, .. } => Some(pen.dashed),
            _ => None,
        };
        // Of the shapes of robots, LEDs are rings with a width in the world, and the marks of the heading triangles or lines.
        let is_of_sample = match (&item.shape, self.layer, self.sample) {
            (Drawn::Line { pen, .. }, Layer::Agents, Sample::Ring) => {
                matches!(pen.width, Width::Meters(_)) == matches!(item.paint.role, Role::Own(_))
            }
            (Drawn::Triangle(_) | Drawn::Segment { .. }, Layer::Agents, sample) => sample == Sample::Dart,
            (_, Layer::Agents, _) => false,
            _ => true,
        };
        item.layer == self.layer
            && is_of_sample
            && (self.role)(item.paint.role)
            && (self.is_dashed.is_none() || self.is_dashed == dashed)
            && self.overlay.is_none_or(|overlay| lab.view.painted.overlays.shows(overlay))
            && (self.is_there)(lab)
    }
}

fn is_group(role: Role) -> bool {
    matches!(role, Role::Group(_) | Role::Own(_) | Role::Dim)
}

/// The marks from the most to the least particular one: a shape has the first meaning that fits.
const MARKS: [Mark; 30] = [
    mark(Layer::Links, |role| role == Role::Stale, Sample::Dashes, "Radio: in range, but no packet arrived recently"),
    mark(Layer::Links, |role| role == Role::Text, Sample::Line, "Radio: a packet arrived recently"),
    mark(Layer::Links, |role| role == Role::Accent, Sample::Line, "Link: a sensor detects the other robot"),
    mark(Layer::Sensors, |role| role == Role::Detecting, Sample::Cone, "Orange: a sensor detects something"),
    mark(Layer::Sensors, |role| role == Role::Clear, Sample::Cone, "Grey: a sensor detects nothing"),
    mark(Layer::Sensors, |role| role == Role::Goal, Sample::Arrow, "Way to the goal of a robot"),
    mark(Layer::Sensors, |role| role == Role::Accent, Sample::Line, "Drawing of a metric, such as a hull or a graph"),
    mark(Layer::Sensors, is_group, Sample::Dashes, "Pose that a robot believes to have").dashed(true),
    mark(Layer::Sensors, is_group, Sample::Line, "Ray of a camera, in the colour that it sees"),
    mark(Layer::Sensors, |_| true, Sample::Line, "Drawing of a sensor or an actuator"),
    mark(Layer::Trails, |role| role == Role::Accent, Sample::Line, "Border between Voronoi cells").of(Overlay::Voronoi),
    mark(Layer::Trails, |role| role == Role::Text, Sample::Line, "Delaunay triangulation").of(Overlay::Delaunay),
    mark(Layer::Trails, is_group, Sample::Dashes, "Forecast: the next part of the path of a robot")
        .dashed(true)
        .when(|lab| lab.forecasts.shown().is_some()),
    mark(Layer::Trails, |_| true, Sample::Dashes, "Path that a robot believes to have gone").dashed(true),
    mark(Layer::Trails, |_| true, Sample::Line, "Trail: the last part of the path of a robot"),
    mark(Layer::Objects, |role| matches!(role, Role::Goal | Role::Accent), Sample::Ring, "Goal"),
    mark(Layer::Objects, |role| role == Role::Clear, Sample::Ring, "Region without a robot"),
    mark(Layer::Objects, |role| role == Role::Occupied, Sample::Ring, "Goal that was reached, or region with a robot"),
    mark(Layer::Objects, |role| role == Role::Text, Sample::Ring, "Present spread of the formation"),
    mark(Layer::Objects, |role| matches!(role, Role::Group(_)), Sample::Ring, "Estimate of a robot"),
    mark(Layer::Objects, |role| role == Role::Obstacle, Sample::Area, "Obstacle"),
    mark(Layer::Objects, |role| role == Role::Light, Sample::Area, "Light"),
    mark(Layer::Labels, |role| role == Role::Stale, Sample::Cross, "Robot that collides in this step"),
    mark(Layer::Labels, |role| role == Role::Accent, Sample::Arrow, "Commanded motion of the next second")
        .of(Overlay::Commands),
    mark(Layer::Labels, |role| role == Role::Text, Sample::Arrow, "Velocity: position in one second")
        .of(Overlay::Velocities),
    mark(
        Layer::Labels,
        |role| role == Role::Text,
        Sample::Cross,
        "Robot with a fault: a cross has failed, a square cannot drive, arcs hear nothing, an eye sees nothing",
    )
    // The scale bar is of the same layer and colour.
    .when(|lab| lab.run.host.simulation().agents().any(|agent| faults::all().any(|fault| agent.has(fault.failure)))),
    mark(Layer::Agents, |role| role == Role::Accent, Sample::Ring, "Selected robot"),
    mark(Layer::Agents, |role| matches!(role, Role::Own(_)), Sample::Ring, "LEDs of a robot, in their present colours"),
    mark(Layer::Agents, |_| true, Sample::Dart, "Heading: the tip points to the front of the robot"),
    mark(Layer::Field, |role| matches!(role, Role::Own(_)), Sample::Square, "Floor: colours that ground sensors read"),
];

/// Returns the marks of a picture with their paints, in the order of the list; each meaning occurs once.
fn shown(lab: &Lab, picture: &Picture) -> Vec<(&'static Mark, Vec<Paint>)> {
    let mut found: Vec<Vec<Paint>> = vec![Vec::new(); MARKS.len()];
    for item in picture.items.iter().filter(|item| !matches!(item.shape, Drawn::Text { .. } | Drawn::Cells(_))) {
        if let Some(place) = MARKS.iter().position(|mark| mark.fits(item, lab)) {
            // Lines are stronger than the areas of the same mark.
            let is_own = matches!(item.paint.role, Role::Own(_));
            let known = &mut found[place];
            let has_room = known.len() < MOST_COLORS;
            match known.iter_mut().find(|known| !is_own || known.role == item.paint.role) {
                Some(known) if known.opacity < item.paint.opacity => *known = item.paint,
                None if has_room => known.push(item.paint),
                Some(_) | None => {}
            }
        }
    }
    MARKS.iter().zip(found).filter(|(_, paints)| !paints.is_empty()).collect()
}

/// A group of robots in the legend.
struct Group {
    text: String,
    paint: Paint,
    /// The outline of its first robot with the front up, in parts of its largest size; empty for a disc.
    outline: Vec<Vec2>,
}

/// Returns the groups whose robots have one colour, with that paint.
fn groups(lab: &Lab) -> Vec<Group> {
    let simulation = lab.run.host.simulation();
    let space = simulation.space();
    let scene = lab.run.host.scene().groups.iter().enumerate();
    let of_scene = scene.filter_map(|(place, group)| {
        let role = swatch::of_group(lab, place)?;
        let owners = space.bodies.owners();
        let count = owners.iter().filter(|owner| owner.group as usize == place).count() as u64;
        let first = owners.iter().position(|owner| owner.group as usize == place);
        let text = match (group.name.contains("robot"), count) {
            (true, _) => format!("{} ({})", group.name, grouped(count)),
            (false, 1) => format!("{} (1 robot)", group.name),
            (false, _) => format!("{} ({} robots)", group.name, grouped(count)),
        };
        let outline = first.and_then(|row| {
            let Outline::Polygon(corners) = space.solids.outline(space.bodies.outline(row)?) else { return None };
            Some(upright(corners, space.bodies.positions()[row], space.bodies.facings()[row]))
        });
        Some(Group { text, paint: role.into(), outline: outline.unwrap_or_default() })
    });
    of_scene.collect()
}

/// Returns the corners of a body with its front up, in parts of its largest size.
fn upright(corners: &[DVec2], center: DVec2, facing: DVec2) -> Vec<Vec2> {
    let turned: Vec<DVec2> = corners
        .iter()
        .map(|corner| DVec2::new(-(*corner - center).dot(facing.perp()), -(*corner - center).dot(facing)))
        .collect();
    let low = turned.iter().copied().reduce(DVec2::min).unwrap_or_default();
    let high = turned.iter().copied().reduce(DVec2::max).unwrap_or_default();
    let (middle, size) = ((low + high) / 2.0, (high - low).max_element().max(f64::MIN_POSITIVE));
    let part = |corner: DVec2| (corner - middle) / size;
    turned.into_iter().map(part).map(|corner| Vec2::new(corner.x as f32, corner.y as f32)).collect()
}

/// Returns the corner of the world where a rectangle of a size covers the fewest robots, sensors and objects.
fn emptiest(lab: &Lab, world: Rect, size_px: Vec2, picture: &Picture) -> Align2 {
    // The last corner has the scale bar, so that it is chosen only if it is really emptier.
    let corners = [Align2::LEFT_TOP, Align2::RIGHT_TOP, Align2::RIGHT_BOTTOM, Align2::LEFT_BOTTOM];
    let places = corners.map(|corner| corner.align_size_within_rect(size_px, world));
    let mut covered = [0_u64; 4];
    let drawn =
        picture.items.iter().filter(|item| matches!(item.layer, Layer::Objects | Layer::Sensors | Layer::Agents));
    for item in drawn {
        let at = match &item.shape {
            Drawn::Disc { center, .. } | Drawn::Sector { center, .. } => *center,
            Drawn::Triangle([at, ..]) | Drawn::Segment { ends: [_, at], .. } => *at,
            Drawn::Polygon(points) | Drawn::Line { points, .. } => match points.first() {
                Some(at) => *at,
                None => continue,
            },
            Drawn::Cells(_) | Drawn::Text { .. } => continue,
        };
        let at = canvas::on_screen(&lab.view.painted.camera, world, at);
        for (count, place) in covered.iter_mut().zip(&places) {
            *count += u64::from(place.contains(at));
        }
    }
    let best = corners.into_iter().zip(covered).min_by_key(|(_, count)| *count);
    best.map_or(Align2::LEFT_TOP, |(corner, _)| corner)
}

impl MarkLegend {
    /// Draws the legend over the world while it is shown. Returns the requested actions.
    pub fn ui(&mut self, ui: &Ui, lab: &Lab, world: Rect, picture: &Picture) -> Vec<Action> {
        let mut actions = Vec::new();
        if !lab.shell.settings.mark_legend {
            self.corner = None;
            return actions;
        }
        let theme = lab.shell.settings.theme;
        let inner = world.shrink(theme::GAP);
        let width = WIDTH_PX.min(inner.width() - 2.0 * theme::PAD).max(0.0);
        let most_px = MOST_HEIGHT * world.height();
        let about_px = if self.size_px == Vec2::ZERO { Vec2::new(width, most_px) } else { self.size_px };
        let key = (lab.run.openings, world.size());
        let corner = match self.corner {
            Some((opening, size_px, corner)) if (opening, size_px) == key => corner,
            _ => emptiest(lab, inner, about_px, picture),
        };
        self.corner = Some((key.0, key.1, corner));
        // A place to which the user has dragged it stays within the world.
        let room = Rect::from_min_max(inner.min, (inner.max - about_px).max(inner.min));
        let at = match self.dragged {
            Some(by) => room.clamp(world.min + by),
            None => corner.align_size_within_rect(about_px, inner).min,
        };
        let frame = theme::panel(theme).corner_radius(theme::LARGE_CORNER_PX);
        let frame = frame.stroke((1.0, theme::color(theme, Role::Grid)));
        let area = Area::new(Id::new("mark legend")).current_pos(at).pivot(Align2::LEFT_TOP).fade_in(false);
        let shown = area.constrain(false).sense(Sense::click_and_drag()).show(ui.ctx(), |ui| {
            frame.show(ui, |ui| {
                ui.set_width(width);
                ui.horizontal(|ui| {
                    ui.strong("Legend").on_hover_text("Meaning of the marks in view; drag it to move it");
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        let close = ui.small_button("✖");
                        named(&close, "Close the legend of marks");
                        if close.on_hover_text("Hides the legend; the button below the world shows it again").clicked()
                        {
                            actions.push(Action::View(ViewAction::MarkLegend));
                        }
                    });
                });
                theme::solid_scroll_bars(ui);
                let list_px = (most_px - 3.0 * theme::ROW_PX).max(theme::ROW_PX);
                let scroll = ScrollArea::vertical().max_height(list_px).min_scrolled_height(list_px);
                scroll.show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 2.0;
                    ui.spacing_mut().interact_size.y = SAMPLE_PX.y;
                    for group in groups(lab) {
                        group.row(ui, lab);
                    }
                    for (mark, paints) in shown(lab, picture) {
                        row(ui, lab, mark.sample, &paints, mark.meaning);
                    }
                    ui.add_space(theme::TINY_GAP);
                    ui.weak("Signs of the timeline");
                    lane::key(ui, lab);
                });
            });
        });
        self.size_px = shown.response.rect.size();
        if shown.response.dragged() {
            self.dragged = Some(at + shown.response.drag_delta() - world.min);
        }
        actions
    }
}

impl Group {
    fn row(&self, ui: &mut Ui, lab: &Lab) {
        if self.outline.is_empty() {
            return row(ui, lab, Sample::Area, &[self.paint], &self.text);
        }
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(SAMPLE_PX, Sense::hover());
            let corners = self.outline.iter().map(|corner| rect.center() + *corner * rect.height());
            let color = theme::paint(lab.shell.settings.theme, self.paint);
            ui.painter().add(Shape::convex_polygon(corners.collect(), color, (0.0, color)));
            ui.add(Label::new(&self.text).wrap());
        });
    }
}

fn row(ui: &mut Ui, lab: &Lab, sample: Sample, paints: &[Paint], text: &str) {
    let theme = lab.shell.settings.theme;
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(SAMPLE_PX, Sense::hover());
        for (place, paint) in paints.iter().enumerate() {
            // Several colours stand side by side.
            let part_px = rect.width() / paints.len() as f32;
            let left = rect.left() + place as f32 * part_px;
            let part = Rect::from_x_y_ranges(left..=left + part_px, rect.y_range());
            // The colour of an area is hardly seen in a small sample, and the heading is a hole in the robot.
            let color = match sample {
                Sample::Dart => theme::color(theme, Role::Dim),
                _ => theme::paint(theme, paint.role.faint(paint.opacity.max(0.8))),
            };
            draw(ui.painter(), part, sample, color);
        }
        ui.add(Label::new(text).wrap());
    });
}

/// Draws a sample in a rectangle.
fn draw(painter: &Painter, rect: Rect, sample: Sample, color: Color32) {
    let stroke = (theme::ICON_LINE_PX, color);
    let ends = [rect.left_center(), rect.right_center()];
    let center = rect.center();
    let radius = rect.size().min_elem() / 2.0 - 1.0;
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
        Sample::Square => {
            painter.rect_filled(Rect::from_center_size(center, Vec2::splat(2.0 * radius)), 0.0, color);
        }
        Sample::Dart => {
            let at = |ahead: f32, aside: f32| center + Vec2::new(ahead, aside) * radius;
            for side in [0.7, -0.7] {
                painter.add(Shape::convex_polygon(
                    vec![at(1.2, 0.0), at(-0.9, side), at(-0.4, 0.0)],
                    color,
                    (0.0, color),
                ));
            }
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
        for meaning in ["Radio: a packet arrived recently", "Goal", "Present spread of the formation", "robots (8)"] {
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
        let listed =
            |lab: &Lab| groups(lab).into_iter().map(|group| (group.text, group.paint.role)).collect::<Vec<_>>();
        assert_eq!(
            listed(&lab),
            [("a (1 robot)".to_owned(), Role::Group(0)), ("c (1 robot)".to_owned(), Role::Group(1))]
        );
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

    #[test]
    fn the_legend_covers_at_most_a_part_of_the_world_and_can_be_dragged() {
        let mut lab = lab_on("collective_perception");
        do_steps(&mut lab, 100);
        let (mut window, lab) = window(lab);
        click(&mut window, "Legend");
        for meaning in ["robots (20)", "LEDs of a robot, in their present colours", "Signs of the timeline"] {
            assert!(window.query_all_by_label(meaning).next().is_some(), "{meaning}");
        }
        let area =
            |window: &egui_kittest::Harness| window.ctx.memory(|memory| memory.area_rect("mark legend")).unwrap();
        let (before, world) = (area(&window), lab.borrow().view.rect_px);
        assert!(
            before.height() <= MOST_HEIGHT * world.height() + 1.0 && world.contains_rect(before),
            "{before} {world}"
        );
        let from = before.left_top() + Vec2::new(120.0, 16.0);
        let by = world.center() - before.center();
        window.drag_at(from);
        window.run_steps(2);
        for part in [0.5, 1.0] {
            window.hover_at(from + by * part);
            window.run_steps(2);
        }
        window.drop_at(from + by);
        window.run_steps(3);
        let after = area(&window);
        assert!(after.center().distance(world.center()) < 20.0, "{after} {world}");
        assert!(lab.borrow().view.is_fitted, "the world stays");
    }

    #[test]
    fn cars_have_their_outline_in_the_legend() {
        let lab = lab_on("parking_cars");
        let groups = groups(&lab);
        let red = groups.iter().find(|group| group.text == "red (1 robot)").unwrap();
        let sizes = [|corner: &Vec2| corner.x, |corner: &Vec2| corner.y].map(|of| {
            let low = red.outline.iter().map(of).fold(f32::MAX, f32::min);
            red.outline.iter().map(of).fold(f32::MIN, f32::max) - low
        });
        assert!(sizes[0] < sizes[1] && (sizes[1] - 1.0).abs() < 1e-6, "longer than wide, with the front up: {sizes:?}");
    }
}
