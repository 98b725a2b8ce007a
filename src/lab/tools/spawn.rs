//! Making robots.

use bevy::math::DVec2;
use bevy_egui::egui::{Button, ComboBox, Modifiers, PointerButton, Ui};
use swarmarium_base::math;
use swarmarium_core::agent::body::Body;
use swarmarium_core::edit::{Edit, live};
use swarmarium_core::scene::description::Group;
use swarmarium_core::scene::presets::{self, ROBOTS};
use swarmarium_core::step::CurrentSpace;
use swarmarium_picture::palette::Role;
use swarmarium_space::Boundary;
use xxhash_rust::xxh3::xxh3_64;

use super::{Act, Mouse, Sketch, ToolHandler, snapped, snapped_rad, undone};
use crate::toolbox::{Brush, Facing, SpawnSource, ToolOptions};
use crate::widgets::{choose, number};
use crate::{Action, Lab};

/// What the mouse does.
pub const MOUSE: &[(&str, &str)] = &[
    ("Click", "Make a robot"),
    ("Drag", "Make a robot that looks along the drag"),
    ("Ctrl+drag", "Paint robots, at their spacing and not upon others; Esc takes them back"),
    ("Alt held", "Snap, or not where it is on"),
];

/// The most robots that one frame paints.
const MOST: usize = 256;

/// Makes robots.
#[derive(Default)]
pub struct Spawn {
    doing: Doing,
}

#[derive(Default)]
enum Doing {
    #[default]
    Nothing,
    /// A robot is to stand at a point (m) and to look to another one.
    Aim { at_m: DVec2, to_m: DVec2 },
    /// Robots are painted: from this point (m) on, at these places (m) so far.
    Paint { last_m: DVec2, places_m: Vec<DVec2> },
}

impl ToolHandler for Spawn {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        if mouse.button != PointerButton::Primary {
            return Vec::new();
        }
        match mouse.act {
            // Two in one place would be one too many.
            Act::DoubleClick => Vec::new(),
            Act::Click => {
                let at_m = snapped(lab, mouse.at_m, mouse.modifiers);
                spawned(lab, &[(at_m, heading_rad(lab, at_m, None))])
            }
            Act::Grasp if lab.toolbox.options.brush.paints || mouse.modifiers.command => {
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
            (Facing::Drag, "Along the drag", "New robots look along the drag that makes them"),
            (Facing::Random, "Random", "New robots look anywhere"),
            (Facing::Fixed, "Fixed", "New robots all look the same way"),
        ];
        choose(ui, &mut options.brush.facing, &facings);
        if options.brush.facing == Facing::Fixed {
            number(ui, &mut options.brush.heading_deg, "Heading", "°", -180.0..=180.0);
        }
        let paint = Button::selectable(options.brush.paints, "Paint");
        if ui.add(paint).on_hover_text("A drag makes many robots, as it does with Ctrl held").clicked() {
            options.brush.paints ^= true;
        }
        number(ui, &mut options.brush.spacing_m, "Spacing", " m", 0.01..=100.0);
    }
}

impl Spawn {
    /// The robots that are new on the way of the mouse.
    fn paint(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        let Doing::Paint { last_m, places_m } = &mut self.doing else { return Vec::new() };
        let (from_m, radius_m) = (*last_m, radius_m(lab));
        let spacing_m = lab.toolbox.options.brush.spacing_m.max(1e-3);
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

/// Whether no robot, no wall and nothing else that blocks is in the way of a body of a radius (m) at a point (m).
fn has_room(lab: &Lab, at_m: DVec2, radius_m: f64) -> bool {
    let space = &lab.host.simulation().world().resource::<CurrentSpace>().0;
    let is_inside = space.arena.boundary == Boundary::Open || space.arena.confine(at_m, radius_m) == at_m;
    let mut others = space.bodies.owners().iter().zip(space.bodies.positions().iter().zip(space.bodies.radii()));
    is_inside
        && others.all(|(_, (other_m, other_radius_m))| other_m.distance(at_m) >= radius_m + other_radius_m)
        && !space.solids.overlap(&space.arena, at_m, radius_m)
}

/// Where a robot at a point (m) looks that is aimed at another one, in radians.
fn aimed_rad(lab: &Lab, at_m: DVec2, to_m: DVec2, modifiers: Modifiers) -> f64 {
    let ahead_rad = (to_m != at_m).then(|| snapped_rad(lab, math::angle_of(to_m - at_m), modifiers));
    heading_rad(lab, at_m, ahead_rad)
}

/// Where a new robot at a point (m) looks, in radians; `ahead_rad` is the way of the drag.
fn heading_rad(lab: &Lab, at_m: DVec2, ahead_rad: Option<f64>) -> f64 {
    let Brush { facing, heading_deg, .. } = lab.toolbox.options.brush;
    match facing {
        Facing::Drag => ahead_rad.unwrap_or(0.0),
        Facing::Fixed => heading_deg.to_radians(),
        // The same for the same point, so that what is shown is what is made.
        Facing::Random => {
            let bits = [at_m.x.to_bits().to_le_bytes(), at_m.y.to_bits().to_le_bytes()].concat();
            math::wrap_angle((xxh3_64(&bits) % 3600) as f64 / 10.0 * std::f64::consts::PI / 180.0)
        }
    }
}

/// The edits that make robots at points (m), with headings (rad); walls hold them inside.
pub fn spawned(lab: &Lab, places: &[(DVec2, f64)]) -> Vec<Action> {
    let Some(source) = source(lab).filter(|_| !places.is_empty()) else { return Vec::new() };
    let (name, radius_m) = (source.name(), radius_m(lab));
    let arena = lab.host.simulation().world().resource::<CurrentSpace>().0.arena;
    let value = format!("(name: \"{name}\", robot: \"{name}\", count: 0)");
    let first = matches!(source, SpawnSource::Robot(_)).then(|| Edit::Add { list: "groups".into(), value });
    let group = path_name(lab, name);
    let spawn = |(at_m, heading_rad): &(DVec2, f64)| {
        let DVec2 { x, y } = arena.confine(*at_m, radius_m);
        Edit::Spawn { group: group.clone(), x_m: x, y_m: y, heading_rad: *heading_rad }
    };
    vec![Action::Edits(first.into_iter().chain(places.iter().map(spawn)).collect())]
}

/// What an edit calls a group by: its name or, where that would lead to another one, its place.
pub fn path_name(lab: &Lab, name: &str) -> String {
    let scene = lab.host.simulation().scene_ahead();
    let place = scene.groups.iter().position(|group| group.name == name);
    match place.filter(|_| live::place_of(scene, name) != place) {
        Some(place) => place.to_string(),
        None => name.into(),
    }
}

fn group<'a>(lab: &'a Lab, name: &str) -> Option<&'a Group> {
    lab.host.simulation().scene_ahead().groups.iter().find(|group| group.name == name)
}

/// The robot that is spawned where there is no group: one that fits into small arenas and drives.
const USUAL: &str = "khepera3";

/// What new robots belong to: what was chosen, as far as it is there; otherwise the first group, or [`USUAL`].
fn source(lab: &Lab) -> Option<SpawnSource> {
    let groups = &lab.host.simulation().scene_ahead().groups;
    let chosen = lab.toolbox.options.brush.source.clone().and_then(|source| match group(lab, source.name()) {
        // Once its group is there, a robot is of that group.
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

/// The radius of a new robot, in metres.
fn radius_m(lab: &Lab) -> f64 {
    let source = source(lab);
    let group = source.as_ref().and_then(|source| group(lab, source.name()));
    group.map_or_else(|| Body::default().radius_m(), |group| group.body.radius_m())
}

/// Draws the choice of what new robots belong to.
fn sources(ui: &mut Ui, lab: &Lab, brush: &mut Brush) {
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
        for group in &lab.host.simulation().scene_ahead().groups {
            option(ui, SpawnSource::Group(group.name.clone()), "New robots belong to this group of the scene".into());
        }
        ui.separator();
        for (name, text) in ROBOTS.all().filter(|(name, _)| group(lab, name).is_none()) {
            option(ui, SpawnSource::Robot(name.into()), format!("{} A group is made for it", presets::about(text)));
        }
    });
    combo.response.ctx.accesskit_node_builder(combo.response.id, |node| node.set_label("Group of new robots"));
    combo.response.on_hover_text("What new robots belong to: a group of the scene, or a robot that makes a new group");
}
