//! The arena, objects, bodies of robots, and links between robots, as shapes.
//!
//! Bodies are in the frames of their robots: they are written once, and again when they change. Objects are written when they
//! move.

use std::collections::BTreeMap;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::agent::Row;
use swarmarium_core::agent::look::own_color;
use swarmarium_core::radio::Connections;
use swarmarium_core::sensor::{self, Mounted};
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::palette::{GroupColors, Role, Theme};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::{Form, Rgb, Space, Thing, ThingKind};

use super::batch::{Batch, Channels};
use super::definitions::MessageType;
use super::observer::Robot;
use super::shapes::{Color, Geometry, List, Shape, message};
use super::transforms::WORLD;

/// The width of lines as a part of the arena's height.
const LINE_WIDTH_PART: f64 = 0.003;

/// The shapes that the log has at present.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    shapes: BTreeMap<(List, u32), Shape>,
    /// The objects at the last message.
    objects: Vec<KnownObject>,
}

/// An object, as far as its shape depends on it.
type KnownObject = (ThingKind, Option<Rgb>, Vec<Form>);

fn is_known(known: &[KnownObject], things: &[Thing]) -> bool {
    let is_same = |(thing, (what, color, forms)): (&Thing, &KnownObject)| {
        thing.what == *what && thing.color == *color && thing.forms == *forms
    };
    known.len() == things.len() && things.iter().zip(known).all(is_same)
}

impl Bodies {
    /// Adds the shapes that have changed; `are_stale` if those of robots can have changed.
    ///
    /// # Errors
    /// When there are too many topics.
    pub fn add(
        &mut self,
        simulation: &Simulation,
        robots: &[Robot],
        are_stale: bool,
        channels: &mut Channels,
        batch: &mut Batch,
    ) -> anyhow::Result<()> {
        let space = &simulation.world().arena().space;
        let mut changed = Vec::new();
        // Most objects stay: comparing them takes no memory.
        if !is_known(&self.objects, &space.things) {
            self.set_all(List::Objects, objects(space), &mut changed);
            self.objects = space.things.iter().map(|thing| (thing.what, thing.color, thing.forms.clone())).collect();
        }
        if are_stale {
            self.set_all(List::Arena, arena(space), &mut changed);
            let bodies = simulation
                .agents()
                .zip(robots)
                .map(|(agent, robot)| (agent.id.index(), body(simulation, &agent, robot)));
            self.set_all(List::Robots, bodies.collect(), &mut changed);
        }
        if changed.is_empty() {
            return Ok(());
        }
        let shapes = changed
            .iter()
            .map(|(list, number, frame)| (*list, *number, frame.as_str(), self.shapes.get(&(*list, *number))));
        let data = message(batch.time_ns, shapes);
        let channel = channels.get("/bodies".into(), MessageType::Markers, batch)?;
        batch.messages.push((channel, data));
        Ok(())
    }

    /// Replaces the shapes of a list, and notes those that changed.
    fn set_all(&mut self, list: List, new: BTreeMap<u32, Shape>, changed: &mut Vec<(List, u32, String)>) {
        let known = self.shapes.range((list, 0)..=(list, u32::MAX));
        let gone: Vec<_> = known.filter(|((_, number), _)| !new.contains_key(number)).map(|(key, _)| *key).collect();
        for key in gone {
            if let Some(shape) = self.shapes.remove(&key) {
                changed.push((list, key.1, shape.frame));
            }
        }
        for (number, shape) in new {
            if self.shapes.get(&(list, number)) != Some(&shape) {
                changed.push((list, number, shape.frame.clone()));
                self.shapes.insert((list, number), shape);
            }
        }
    }
}

fn in_world(geometry: Geometry, color: Color) -> Shape {
    Shape { frame: WORLD.to_owned(), geometry, color }
}

fn rgb(role: Role) -> [u8; 3] {
    Theme::Dark.color(GroupColors::OkabeIto, role)
}

fn width_m(space: &Space) -> f64 {
    space.arena.size.y * LINE_WIDTH_PART
}

fn arena(space: &Space) -> BTreeMap<u32, Shape> {
    let outline = Geometry::Outline { corners_m: space.arena.corners().to_vec(), width_m: width_m(space) };
    [(0, in_world(outline, (rgb(Role::Wall), 1.0)))].into()
}

/// The forms of all objects. A form has the number of its object, and the further forms of an object have numbers after those
/// of all objects.
fn objects(space: &Space) -> BTreeMap<u32, Shape> {
    let mut shapes = BTreeMap::new();
    let mut further = space.things.len();
    for (number, thing) in space.things.iter().enumerate() {
        let (role, opacity) = match thing.what {
            // Floors have topics of their own.
            ThingKind::Floor | ThingKind::Nothing => continue,
            ThingKind::Thing => (Role::Obstacle, 1.0),
            ThingKind::Region => (Role::Accent, 0.3),
            ThingKind::Goal => (Role::Goal, 0.5),
            ThingKind::Light { .. } => (Role::Light, 1.0),
        };
        let color = (thing.color.unwrap_or(rgb(role)), opacity);
        for (place, form) in thing.forms.iter().enumerate() {
            let geometry = match form {
                Form::Disc { center, radius } => Geometry::Disc { center_m: *center, radius_m: *radius },
                Form::Polygon(corners) => Geometry::Outline { corners_m: corners.clone(), width_m: width_m(space) },
            };
            let at = if place == 0 { number } else { further };
            further += usize::from(place > 0);
            shapes.insert(at as u32, in_world(geometry, color));
        }
    }
    shapes
}

/// The body of a robot in its frame.
fn body(simulation: &Simulation, agent: &AgentView, robot: &Robot) -> Shape {
    let (world, scene) = (simulation.world(), simulation.scene());
    let color = scene.groups.get(agent.member.group as usize).map_or("", |group| &group.look.color);
    let own = own_color(world.arena().seed, Some(&agent.id), color).unwrap_or(Role::Group(agent.member.group));
    let role = if agent.is_dead() { Role::Dim } else { own };
    let body = agent.body();
    let geometry = match body.corners_m() {
        None => Geometry::Disc { center_m: DVec2::ZERO, radius_m: body.radius_m() },
        Some(corners) => Geometry::Outline {
            corners_m: corners.iter().map(|corner| *corner + body.shift_m()).collect(),
            width_m: 0.1 * body.radius_m(),
        },
    };
    Shape { frame: robot.name.clone(), geometry, color: (rgb(role), 1.0) }
}

/// A message with the lines from robots to those in their sight, and between robots in radio contact.
pub(super) fn links(simulation: &Simulation, time_ns: u64) -> Vec<u8> {
    let world = simulation.world();
    let space = &world.arena().space;
    let positions = space.bodies.positions();
    let line = |one: usize, other: usize| {
        let from = positions[one];
        // Across a periodic boundary, a line leads out of the arena towards the nearest image.
        [from, from + space.arena.offset(from, positions[other])]
    };
    let mut seen = Vec::new();
    if let Some(mut sensors) = world.try_query::<(EntityRef, &Mounted, &Row)>() {
        let mut sensors: Vec<_> = sensors.iter(world).collect();
        sensors.sort_by_key(|(_, mounted, _)| (mounted.owner, mounted.slot));
        for (sensor, _, row) in sensors {
            if let Some(swarmarium_space::Target::Body(other)) = sensor::sees(world, sensor) {
                seen.extend(line(row.0 as usize, other));
            }
        }
    }
    let connections = Connections::of(world, space, simulation.scene().view.fresh_s);
    let heard = connections.all().filter(|connection| connection.is_fresh);
    let heard = heard.flat_map(|connection| line(connection.rows[0], connection.rows[1])).collect::<Vec<_>>();
    let shape = |points_m: Vec<DVec2>, role| {
        let has_lines = !points_m.is_empty();
        let lines = Geometry::Lines { points_m, width_m: 0.5 * width_m(space) };
        has_lines.then(|| in_world(lines, (rgb(role), 0.8)))
    };
    let shapes = [(List::Sight, shape(seen, Role::Accent)), (List::Radio, shape(heard, Role::Text))];
    // Viewers refuse lists without lines.
    let shown = shapes.iter().map(|(list, shape)| (*list, 0, WORLD, shape.as_ref()));
    message(time_ns, shown)
}
