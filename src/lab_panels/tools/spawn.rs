//! The tool that adds robots.

use bevy::math::DVec2;
use bevy_egui::egui::{Button, ComboBox, Modifiers, PointerButton, Ui};
use swarmarium_base::math;
use swarmarium_core::agent::body::Body;
use swarmarium_core::step::HasArena as _;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::toolbox::{Facing, PlacementTemplate, SpawnSource, ToolOptions};
use swarmarium_lab_state::common::widgets::{choose, number};
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::presets::{self, ROBOTS};
use swarmarium_simulation::edit::{Edit, live};
use swarmarium_space::Boundary;
use xxhash_rust::xxh3::xxh3_64;

use crate::tools::{Act, Mouse, Sketch, ToolHandler, snapped, snapped_rad, undone};

/// The mouse gestures of the tool.
pub const MOUSE: &[(&str, &str)] = &[
    ("Click", "Add a robot"),
    ("Drag", "Add a robot that faces along the drag"),
    ("Ctrl+drag", "Paint robots at the set spacing, without overlap; Esc removes them"),
    ("Alt held", "Invert snapping"),
];

/// Maximum number of robots painted per frame.
const MOST: usize = 256;

/// Adds robots.
#[derive(Default)]
pub struct Spawn {
    doing: Doing,
}

#[derive(Default)]
enum Doing {
    #[default]
    Nothing,
    /// A robot will be added at a point (m), facing another point.
    Aim { at_m: DVec2, to_m: DVec2 },
    /// Robots are painted: the last point of the mouse (m), and the places (m) so far.
    Paint { last_m: DVec2, places_m: Vec<DVec2> },
}

impl ToolHandler for Spawn {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        if mouse.button != PointerButton::Primary {
            return Vec::new();
        }
        match mouse.act {
            // A double click adds only one robot.
            Act::DoubleClick => Vec::new(),
            Act::Click => {
                let at_m = snapped(lab, mouse.at_m, mouse.modifiers);
                spawned(lab, &[(at_m, heading_rad(lab, at_m, None))])
            }
            Act::Grasp if lab.edits.toolbox.options.brush.paints || mouse.modifiers.command => {
                let at_m = snapped(lab, mouse.at_m, mouse.modifiers);
                self.doing = Doing::Paint { last_m: at_m, places_m: Vec::new() };
                self.paint(lab, mouse)
            }
            Act::Grasp => {
                let at_m = snapped(lab, mouse.at_m, mouse.modifiers);
                self.doing = Doing::Aim { at_m, to_m: at_m };
                Vec::new()
            }
            Act::Drag => {
                if let Doing::Aim { to_m, .. } = &mut self.doing {
                    *to_m = mouse.at_m;
                }
                self.paint(lab, mouse)
            }
            Act::Drop => match std::mem::take(&mut self.doing) {
                Doing::Aim { at_m, .. } => spawned(lab, &[(at_m, aimed_rad(lab, at_m, mouse.at_m, mouse.modifiers))]),
                Doing::Nothing | Doing::Paint { .. } => Vec::new(),
            },
        }
    }

    fn is_busy(&self) -> bool {
        !matches!(self.doing, Doing::Nothing)
    }

    fn cancel(&self, lab: &Lab) -> Vec<Action> {
        match &self.doing {
            Doing::Paint { places_m, .. } if !places_m.is_empty() => undone(lab).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        let radius_m = radius_m(lab);
        match (&self.doing, sketch.cursor_m) {
            (Doing::Aim { at_m, to_m }, _) => {
                let heading_rad = aimed_rad(lab, *at_m, *to_m, sketch.modifiers);
                sketch.robot(*at_m, radius_m, heading_rad, Role::Accent);
            }
            (Doing::Nothing | Doing::Paint { .. }, Some(at_m)) => {
                let at_m = snapped(lab, at_m, sketch.modifiers);
                sketch.robot(at_m, radius_m, heading_rad(lab, at_m, None), Role::Accent);
            }
            _ => {}
        }
    }

    fn has_options(&self) -> bool {
        true
    }

    fn options(&self, ui: &mut Ui, lab: &Lab, options: &mut ToolOptions) {
        sources(ui, lab, &mut options.brush);
        let facings = [
            (Facing::Drag, "Along the drag", "New robots face along the drag"),
            (Facing::Random, "Random", "New robots have random headings"),
            (Facing::Fixed, "Fixed", "New robots all have the same heading"),
        ];
        ui.weak("Heading");
        choose(ui, &mut options.brush.facing, &facings);
        if options.brush.facing == Facing::Fixed {
            number(ui, &mut options.brush.heading_deg, "Angle", "°", -180.0..=180.0);
        }
        // The headings are one choice; painting is another one.
        ui.separator();
        let paint = Button::selectable(options.brush.paints, "Paint");
        if ui.add(paint).on_hover_text("A drag adds many robots, as with Ctrl held").clicked() {
            options.brush.paints ^= true;
        }
        number(ui, &mut options.brush.spacing_m, "Spacing", " m", 0.01..=100.0);
    }
}

impl Spawn {
    /// Returns the actions that add robots along the path of the mouse.
    fn paint(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        let Doing::Paint { last_m, places_m } = &mut self.doing else { return Vec::new() };
        let (from_m, radius_m) = (*last_m, radius_m(lab));
        let spacing_m = lab.edits.toolbox.options.brush.spacing_m.max(1e-3);
        let parts = ((mouse.at_m.distance(from_m) / spacing_m * 4.0).ceil() as usize).clamp(1, MOST);
        let mut new = Vec::new();
        for part in 0..=parts {
            let at_m = from_m.lerp(mouse.at_m, part as f64 / parts as f64);
            let at_m = snapped(lab, at_m, mouse.modifiers);
            let is_apart = places_m.iter().all(|place| place.distance(at_m) >= spacing_m);
            if is_apart && has_room(lab, at_m, radius_m) {
                places_m.push(at_m);
                let ahead_rad = (mouse.at_m != from_m).then(|| math::angle_of(mouse.at_m - from_m));
                new.push((at_m, heading_rad(lab, at_m, ahead_rad)));
            }
        }
        *last_m = mouse.at_m;
        spawned(lab, &new)
    }
}

/// Whether a body with a radius (m) fits at a point (m) without touching robots, walls and other solid objects.
fn has_room(lab: &Lab, at_m: DVec2, radius_m: f64) -> bool {
    let space = &lab.run.host.simulation().world().arena().space;
    let is_inside = space.arena.boundary == Boundary::Open || space.arena.confine(at_m, radius_m) == at_m;
    let mut others = space.bodies.owners().iter().zip(space.bodies.positions().iter().zip(space.bodies.radii()));
    is_inside
        && others.all(|(_, (other_m, other_radius_m))| other_m.distance(at_m) >= radius_m + other_radius_m)
        && !space.solids.overlap(&space.arena, at_m, radius_m)
}

/// Returns the heading (rad) of a robot at a point (m) that faces another point.
fn aimed_rad(lab: &Lab, at_m: DVec2, to_m: DVec2, modifiers: Modifiers) -> f64 {
    let ahead_rad = (to_m != at_m).then(|| snapped_rad(lab, math::angle_of(to_m - at_m), modifiers));
    heading_rad(lab, at_m, ahead_rad)
}

/// Returns the heading (rad) of a new robot at a point (m); `ahead_rad` is the direction of the drag.
fn heading_rad(lab: &Lab, at_m: DVec2, ahead_rad: Option<f64>) -> f64 {
    let PlacementTemplate { facing, heading_deg, .. } = lab.edits.toolbox.options.brush;
    match facing {
        Facing::Drag => ahead_rad.unwrap_or(0.0),
        Facing::Fixed => heading_deg.to_radians(),
        // The heading depends only on the point, so that the preview shows the robot as it is added.
        Facing::Random => {
            let bits = [at_m.x.to_bits().to_le_bytes(), at_m.y.to_bits().to_le_bytes()].concat();
            math::wrap_angle((xxh3_64(&bits) % 3600) as f64 / 10.0 * std::f64::consts::PI / 180.0)
        }
    }
}

/// Returns the actions that add robots at points (m), with headings (rad); walls keep them inside.
pub fn spawned(lab: &Lab, places: &[(DVec2, f64)]) -> Vec<Action> {
    let Some(source) = source(lab).filter(|_| !places.is_empty()) else { return Vec::new() };
    let (name, radius_m) = (source.name(), radius_m(lab));
    let arena = lab.run.host.simulation().world().arena().space.arena;
    let value = format!("(name: \"{name}\", robot: \"{name}\", count: 0)");
    let first = matches!(source, SpawnSource::Robot(_)).then(|| Edit::Add { list: "groups".into(), value });
    let group = path_name(lab, name);
    let spawn = |(at_m, heading_rad): &(DVec2, f64)| {
        let DVec2 { x, y } = arena.confine(*at_m, radius_m);
        Edit::Spawn { group: group.clone(), x_m: x, y_m: y, heading_rad: *heading_rad }
    };
    vec![Action::Edits(first.into_iter().chain(places.iter().map(spawn)).collect())]
}

/// Returns the path name of a group: its name or, if that name leads to another group, its index.
pub fn path_name(lab: &Lab, name: &str) -> String {
    let scene = lab.run.host.simulation().scene_ahead();
    let place = scene.groups.iter().position(|group| group.name == name);
    match place.filter(|_| live::place_of(scene, name) != place) {
        Some(place) => place.to_string(),
        None => name.into(),
    }
}

fn group<'a>(lab: &'a Lab, name: &str) -> Option<&'a Group> {
    lab.run.host.simulation().scene_ahead().groups.iter().find(|group| group.name == name)
}

/// The robot to spawn if there is no group: a mobile one that fits into small arenas.
const USUAL: &str = "khepera3";

/// Returns the source of new robots: the chosen one if it exists, otherwise the first group, or [`USUAL`].
fn source(lab: &Lab) -> Option<SpawnSource> {
    let groups = &lab.run.host.simulation().scene_ahead().groups;
    let chosen = lab.edits.toolbox.options.brush.source.clone().and_then(|source| match group(lab, source.name()) {
        // If a group with its name exists, new robots belong to that group.
        Some(group) => Some(SpawnSource::Group(group.name.clone())),
        None if matches!(source, SpawnSource::Robot(_)) => Some(source),
        None => None,
    });
    let first = || groups.first().map(|group| SpawnSource::Group(group.name.clone()));
    let robot = || {
        let usual = ROBOTS.all().find(|(name, _)| *name == USUAL);
        usual.or_else(|| ROBOTS.all().next()).map(|(name, _)| SpawnSource::Robot(name.into()))
    };
    chosen.or_else(first).or_else(robot)
}

/// Returns the radius of a new robot, in metres.
fn radius_m(lab: &Lab) -> f64 {
    let source = source(lab);
    let group = source.as_ref().and_then(|source| group(lab, source.name()));
    group.map_or_else(|| Body::default().radius_m(), |group| group.body.radius_m())
}

/// Draws the choice of the source of new robots.
fn sources(ui: &mut Ui, lab: &Lab, brush: &mut PlacementTemplate) {
    let now = source(lab);
    let shown = now.as_ref().map_or("No group", SpawnSource::name);
    let combo = ComboBox::from_id_salt("brush").selected_text(shown).width(130.0).truncate();
    let combo = combo.show_ui(ui, |ui| {
        let mut option = |ui: &mut Ui, source: SpawnSource, about: String| {
            let button = Button::selectable(now.as_ref() == Some(&source), source.name());
            if ui.add(button).on_hover_text(about).clicked() {
                brush.source = Some(source);
            }
        };
        for group in &lab.run.host.simulation().scene_ahead().groups {
            option(ui, SpawnSource::Group(group.name.clone()), "New robots belong to this group of the scene".into());
        }
        ui.separator();
        for (name, text) in ROBOTS.all().filter(|(name, _)| group(lab, name).is_none()) {
            option(ui, SpawnSource::Robot(name.into()), format!("{} A group is added for it", presets::about(text)));
        }
    });
    combo.response.ctx.accesskit_node_builder(combo.response.id, |node| node.set_label("Group of new robots"));
    combo.response.on_hover_text("Group of new robots: a group of the scene, or a robot model, which adds a group");
}
