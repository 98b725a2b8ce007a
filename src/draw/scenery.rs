//! The base of every picture: the arena with its grid and walls, and the agents.

use std::f64::consts::{FRAC_PI_2, PI};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::Member;
use swarmarium_core::agent::contact::{Bumps, Dead, Touched};
use swarmarium_core::agent::failure::{Blind, Deaf, Failure, Frozen};
use swarmarium_core::agent::look::{Look, own_color};
use swarmarium_core::motion::Moving;
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::camera::Camera;
use swarmarium_picture::palette::{Paint, RANDOM, Role};
use swarmarium_picture::{Anchor, Layer, Picture, Shape, Width};
use swarmarium_scene::scene::current::Description;
use swarmarium_scene::scene::description::Group;
use swarmarium_space::{Boundary, Field, Outline, Space};

use super::color_by::Coloring;
use super::placement::{Placement, wall_m};
use super::scale::grid;
use super::view::{CROWD, reaches_into};
use super::{Moment, Overlay, View};

/// Draws the floor of the arena.
pub(super) fn floor(Moment { world, space, .. }: &Moment, picture: &mut Picture) {
    let background = &world.resource::<Description>().scene().arena.background;
    let floor = Role::named(background).unwrap_or(Role::Arena);
    picture.add(Layer::Field, floor, Shape::Polygon(space.arena.corners().to_vec()));
}

/// Draws the grid of the arena and its walls.
pub(super) fn field(Moment { space, .. }: &Moment, view: &View, placement: &mut Placement, picture: &mut Picture) {
    let corners = space.arena.corners().to_vec();
    if view.overlays.shows(Overlay::Grid) || view.overlays.shows(Overlay::GridLabels) {
        grid(view, placement, picture);
    }
    match space.arena.boundary {
        Boundary::Walls => wall(&space.arena, picture),
        // An open or periodic arena has a visible rim that does not block.
        Boundary::Open => rim(corners, Role::Wall.faint(0.35), 1.0, picture),
        Boundary::Periodic => rim(corners, Role::Accent.faint(0.5), 1.5, picture),
    }
}

fn rim(corners: Vec<DVec2>, paint: Paint, width_px: f64, picture: &mut Picture) {
    picture.add(
        Layer::Field,
        paint,
        Shape::Line { points: corners, closed: true, pen: Width::Pixels(width_px).into() },
    );
}

fn wall(arena: &Field, picture: &mut Picture) {
    let thick = wall_m(arena, picture.pixels_per_m);
    let points = Field::new(arena.size + thick, arena.boundary).at(arena.low - thick / 2.0).corners().to_vec();
    picture.add(Layer::Field, Role::Wall, Shape::Line { points, closed: true, pen: Width::Meters(thick).into() });
}

/// Draws robots: discs in the colour of their group or of `color_by`, with a wedge that shows the heading.
pub(super) fn agents(moment: &Moment, view: &View, coloring: Option<&Coloring>, picture: &mut Picture) {
    let Some(artist) = RobotArtist::new(moment, coloring) else { return };
    let seen_m = view.camera.visible_m();
    let bodies = &moment.space.bodies;
    for row in 0..artist.agents.len() {
        if reaches_into(seen_m, [bodies.positions()[row]; 2], bodies.radii()[row] * 2.0) {
            artist.draw(row, view, picture);
        }
    }
}

/// Draws robots of a moment one by one.
pub struct RobotArtist<'m> {
    moment: &'m Moment<'m>,
    coloring: Option<&'m Coloring>,
    agents: &'m [Entity],
    groups: &'m [Group],
    /// The colours of groups by name: a name is looked up once for a group, not for each agent.
    named: Vec<Option<Role>>,
    query: QueryState<Shown>,
}

impl<'m> RobotArtist<'m> {
    /// Creates an artist for a moment; `None` before the first robot.
    pub fn new(moment: &'m Moment<'m>, coloring: Option<&'m Coloring>) -> Option<Self> {
        let query = moment.world.try_query::<Shown>()?;
        let groups = &moment.world.resource::<Description>().scene().groups;
        let named = groups.iter().map(|group| Role::named(&group.look.color)).collect();
        let agents = &moment.world.arena().agents;
        Some(Self { moment, coloring, agents, groups, named, query })
    }

    /// Draws the robot in a row as in a view: its body on [`Layer::Agents`], which turns with it, and its marks on [`Layer::Labels`],
    /// which stay upright.
    pub fn draw(&self, row: usize, view: &View, picture: &mut Picture) {
        let Self { moment: Moment { world, space, .. }, coloring, .. } = self;
        let Space { bodies, solids, .. } = &**space;
        let (center, radius_m) = (bodies.positions()[row], bodies.radii()[row]);
        let Some(entity) = self.agents.get(row) else { return };
        let Ok((id, member, failed, moving, touched, bumps)) = self.query.get_manual(world, *entity) else { return };
        let look = self.groups.get(member.group as usize).map(|group| &group.look);
        let role = match (coloring, look) {
            _ if failed.0 => Role::Dim,
            (Some(coloring), _) => coloring.role(row),
            (None, Some(look)) if look.color == RANDOM => {
                own_color(world.arena().seed, Some(id), RANDOM).unwrap_or(Role::Group(member.group))
            }
            _ => self.named.get(member.group as usize).copied().flatten().unwrap_or(Role::Group(member.group)),
        };
        // Pale while it is blocked.
        let is_stopped =
            moving.is_some_and(|moving| moving.stop_on_collision) && touched.is_some_and(|touched| touched.0);
        let paint = role.faint(if is_stopped { 0.5 } else { 1.0 });
        let body = Body { paint, filled: look.is_none_or(|look| look.filled) };
        match bodies.outline(row).map(|solid| solids.outline(solid)) {
            Some(Outline::Polygon(corners)) => outlined(center, bodies.facings()[row], corners, body, picture),
            _ => robot(center, bodies.facings()[row], radius_m, body, picture),
        }
        if let Some(color) = bodies.led(row) {
            led(center, radius_m, Role::Own(color), picture);
        }
        let number = coloring.and_then(|coloring| coloring.number(row));
        if let Some(number) = number.filter(|_| has_room_for_words(radius_m, self.agents.len(), view)) {
            state(number, center, radius_m, view, picture);
        }
        if bumps.is_some_and(|bumps| bumps.count > 0 && bumps.last_step == world.arena().time.step) {
            bump(center, radius_m, picture);
        }
        if failed != (false, false, false, false) {
            faults(world.entity(*entity), center, radius_m, &view.camera, picture);
        }
        if view.selected == Some(*id) {
            ring(center, radius_m, picture);
        }
    }
}

/// The components of an agent that its picture shows, other than its pose.
type Shown = (
    &'static StableId,
    &'static Member,
    (Has<Dead>, Has<Frozen>, Has<Deaf>, Has<Blind>),
    Option<&'static Moving>,
    Option<&'static Touched>,
    Option<&'static Bumps>,
);

/// The paint of the body of an agent.
#[derive(Clone, Copy)]
struct Body {
    paint: Paint,
    filled: bool,
}

fn look_of<'w>(world: &'w World, agent: EntityRef) -> Option<&'w Look> {
    let group = agent.get::<Member>()?.group as usize;
    Some(&world.resource::<Description>().scene().groups.get(group)?.look)
}

/// The colour of an agent: grey when it is dead.
pub fn role_of(world: &World, agent: EntityRef) -> Option<Role> {
    let member = agent.get::<Member>()?;
    if agent.contains::<Dead>() {
        return Some(Role::Dim);
    }
    let color = look_of(world, agent).map_or("", |look| &look.color);
    Some(own_color(world.arena().seed, agent.get(), color).unwrap_or(Role::Group(member.group)))
}

/// The smallest radius in pixels at which a robot of a crowd has room for text beside it.
const WORDS_PX: f64 = 4.0;

/// Whether text beside a robot is readable: for a crowd of points, the texts would overlap.
pub(super) fn has_room_for_words(radius_m: f64, agents: usize, view: &View) -> bool {
    agents <= CROWD || radius_m * view.camera.pixels_per_m >= WORDS_PX
}

/// Below this radius in pixels, a robot is a point without heading.
pub const POINT_PX: f64 = 1.5;
/// Below this radius in pixels, a notch would hide the disc: a nose shows the heading.
pub const NOSE_PX: f64 = 5.0;
/// Below this length in pixels, a robot with an outline has a nose instead of a dart.
const DART_PX: f64 = 8.0;

fn robot(center: DVec2, facing: DVec2, radius_m: f64, Body { paint, filled }: Body, picture: &mut Picture) {
    let radius_px = radius_m * picture.pixels_per_m;
    if radius_px < POINT_PX {
        return picture.disc(Layer::Agents, paint, center, POINT_PX / picture.pixels_per_m);
    }
    if filled {
        picture.disc(Layer::Agents, paint, center, radius_m);
    } else {
        circle(Layer::Agents, paint, center, radius_m, picture);
    }
    if radius_px < NOSE_PX {
        let nose = [center, center + facing * (radius_m + 4.0 / picture.pixels_per_m)];
        return picture.segment(Layer::Agents, paint, nose, Width::Pixels(1.5));
    }
    // A dart with its tip at the rim: longer than wide and notched behind, so that no wing looks like the tip.
    let at = |ahead: f64, aside: f64| center + (facing * ahead + facing.perp() * aside) * radius_m;
    let (tip, notch) = (at(0.95, 0.0), at(-0.25, 0.0));
    for wing in [at(-0.6, 0.5), at(-0.6, -0.5)] {
        let paint = if filled { Role::Ground.into() } else { paint };
        picture.add(Layer::Agents, paint, Shape::Triangle([tip, wing, notch]));
    }
}

/// Draws a robot of any shape: its outline, and a dart of half its length that shows the heading; on a small robot, a nose.
fn outlined(center: DVec2, facing: DVec2, corners: &[DVec2], Body { paint, filled }: Body, picture: &mut Picture) {
    let points = corners.to_vec();
    let width = Width::Pixels(2.0);
    let (shape, mark) = match filled {
        true => (Shape::Polygon(points), Role::Ground.into()),
        false => (Shape::Line { points, closed: true, pen: width.into() }, paint),
    };
    picture.add(Layer::Agents, paint, shape);
    let along = |way: DVec2| {
        let places = corners.iter().map(|corner| (*corner - center).dot(way));
        places.fold((f64::MAX, f64::MIN), |(low, high), place| (low.min(place), high.max(place)))
    };
    let ((back, front), (right, left)) = (along(facing), along(facing.perp()));
    let length_m = front - back;
    let at = |ahead: f64, aside: f64| {
        center + facing * ((back + front) / 2.0 + ahead) + facing.perp() * ((right + left) / 2.0 + aside)
    };
    if length_m * picture.pixels_per_m < DART_PX {
        let nose = [at(0.0, 0.0), at(length_m / 2.0 + 4.0 / picture.pixels_per_m, 0.0)];
        return picture.segment(Layer::Agents, paint, nose, Width::Pixels(1.5));
    }
    let half = 0.25 * length_m;
    let wing = half.min(0.35 * (left - right));
    for side in [wing, -wing] {
        picture.add(Layer::Agents, mark, Shape::Triangle([at(half, 0.0), at(-half, side), at(-0.5 * half, 0.0)]));
    }
}

/// Draws the ring of the selected robot.
fn ring(center: DVec2, radius_m: f64, picture: &mut Picture) {
    circle(Layer::Agents, Role::Accent.into(), center, radius_m + 4.0 / picture.pixels_per_m, picture);
}

/// Draws the LEDs of a robot: a ring just inside its rim, or a dot where there is no room.
fn led(center: DVec2, radius_m: f64, color: Role, picture: &mut Picture) {
    let radius_px = radius_m * picture.pixels_per_m;
    if radius_px < NOSE_PX {
        return picture.disc(Layer::Agents, color, center, radius_m.max(POINT_PX / picture.pixels_per_m));
    }
    let width_m = 0.25 * radius_m;
    let bearing = |corner: u32| f64::from(corner) / 32.0 * std::f64::consts::TAU;
    let reach_m = radius_m - width_m / 2.0;
    let points = (0..32).map(|corner| center + reach_m * swarmarium_base::math::direction(bearing(corner))).collect();
    picture.add(Layer::Agents, color, Shape::Line { points, closed: true, pen: Width::Meters(width_m).into() });
}

/// Draws a cross on a robot that something blocks.
fn bump(center: DVec2, radius_m: f64, picture: &mut Picture) {
    let arm = (radius_m * 0.4).max(2.0 / picture.pixels_per_m);
    for arm in [DVec2::splat(arm), DVec2::new(arm, -arm)] {
        picture.segment(Layer::Labels, Role::Stale, [center - arm, center + arm], Width::Pixels(2.0));
    }
}

/// Writes the number of the state of a robot below its body.
fn state(number: usize, center: DVec2, radius_m: f64, view: &View, picture: &mut Picture) {
    let below_px = radius_m * view.camera.pixels_per_m + 13.0;
    let at = center + view.camera.across_m(DVec2::new(0.0, below_px));
    let text = Shape::Text { at, text: number.to_string(), size_px: 11.0, anchor: Anchor::Middle };
    picture.add(Layer::Labels, Role::Text, text);
}

/// Draws marks on a robot with failures: a cross on a dead one, a square on one that does not drive, crossed-out arcs
/// on one that receives nothing, a closed eye on one that senses nothing.
///
/// The marks are above the robot on the screen, however the view is turned.
fn faults(agent: EntityRef, center: DVec2, radius_m: f64, camera: &Camera, picture: &mut Picture) {
    // Side by side, so that each is visible.
    let marks: [(Failure, fn(&Mark, &mut Picture)); 4] =
        [(Failure::Total, dead), (Failure::Motors, frozen), (Failure::Receiver, deaf), (Failure::Sensors, blind)];
    let has: Vec<_> = marks.into_iter().filter(|(what, _)| what.is_of(agent)).collect();
    let left = -0.5 * has.len().saturating_sub(1) as f64;
    for (place, (_, mark)) in has.into_iter().enumerate() {
        let aside_px = (left + place as f64) * 14.0;
        let above_px = radius_m * camera.pixels_per_m + 10.0;
        mark(&Mark { camera, at: center + camera.across_m(DVec2::new(aside_px, -above_px)) }, picture);
    }
}

const MARK: Width = Width::Pixels(2.0);

/// The position of a mark that is upright on the screen.
struct Mark<'c> {
    camera: &'c Camera,
    at: DVec2,
}

impl Mark<'_> {
    /// A point of the mark, in logical pixels to the right of and above its centre.
    fn point(&self, by_px: DVec2) -> DVec2 {
        self.at + self.camera.across_m(by_px * DVec2::new(1.0, -1.0))
    }

    fn segment(&self, ends_px: [DVec2; 2], width: Width, picture: &mut Picture) {
        picture.segment(Layer::Labels, Role::Text, ends_px.map(|end| self.point(end)), width);
    }

    /// Draws an arc of a circle of twelve pieces.
    fn arc(&self, radius_px: f64, from_rad: f64, picture: &mut Picture) {
        let bearing = |corner: u32| from_rad + f64::from(corner) * PI / 12.0;
        let points =
            (0..=12).map(|corner| self.point(radius_px * swarmarium_base::math::direction(bearing(corner)))).collect();
        picture.add(Layer::Labels, Role::Text, Shape::Line { points, closed: false, pen: MARK.into() });
    }
}

fn dead(mark: &Mark, picture: &mut Picture) {
    for arm in [DVec2::splat(4.0), DVec2::new(4.0, -4.0)] {
        mark.segment([-arm, arm], MARK, picture);
    }
}

fn frozen(mark: &Mark, picture: &mut Picture) {
    let corners = [(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)];
    let corners = corners.map(|(x, y)| mark.point(DVec2::new(x, y)));
    picture.add(Layer::Labels, Role::Text, Shape::Polygon(corners.into()));
}

fn deaf(mark: &Mark, picture: &mut Picture) {
    for radius_px in [2.5, 5.0] {
        mark.arc(radius_px, -FRAC_PI_2, picture);
    }
    mark.segment([DVec2::splat(-6.0), DVec2::splat(6.0)], MARK, picture);
}

fn blind(mark: &Mark, picture: &mut Picture) {
    mark.arc(5.0, PI, picture);
    for way in [-0.75, -0.5, -0.25] {
        let lash = swarmarium_base::math::direction(way * PI);
        mark.segment([lash * 5.0, lash * 8.0], Width::Pixels(1.5), picture);
    }
}

fn circle(layer: Layer, paint: Paint, center: DVec2, radius_m: f64, picture: &mut Picture) {
    let point = |corner: u32| {
        center + radius_m * swarmarium_base::math::direction(f64::from(corner) / 32.0 * std::f64::consts::TAU)
    };
    let points = (0..32).map(point).collect();
    picture.add(layer, paint, Shape::Line { points, closed: true, pen: Width::Pixels(2.0).into() });
}

#[cfg(test)]
mod tests {
    use super::*;

    use swarmarium_scene::scene::Scene;

    #[test]
    fn a_car_has_a_dart_of_half_its_length_that_points_ahead() {
        let corners = [(2.0, 0.5), (2.0, 1.5), (0.0, 1.5), (0.0, 0.5)].map(DVec2::from);
        let dart = |pixels_per_m: f64| {
            let mut picture = Picture { pixels_per_m, ..Picture::default() };
            let body = Body { paint: Role::Text.into(), filled: true };
            outlined(DVec2::new(0.5, 1.0), DVec2::X, &corners, body, &mut picture);
            let triangles = picture.items.iter().filter_map(|item| match item.shape {
                Shape::Triangle(points) => Some(points),
                _ => None,
            });
            triangles.flatten().collect::<Vec<_>>()
        };
        let points = dart(10.0);
        let ends = |of: fn(&DVec2) -> f64| {
            let low = points.iter().map(of).fold(f64::MAX, f64::min);
            (low, points.iter().map(of).fold(f64::MIN, f64::max))
        };
        assert_eq!(ends(|point| point.x), (0.5, 1.5), "in the centre of the body, not of the pose");
        assert_eq!(ends(|point| point.y), (0.65, 1.35));
        assert_eq!(points[0], DVec2::new(1.5, 1.0), "the tip is ahead");
        assert!(dart(3.0).is_empty(), "a nose");
    }

    #[test]
    fn crowded_points_have_no_labels() {
        let mut view = View::fit(&Scene::default(), DVec2::splat(600.0));
        view.camera.pixels_per_m = 10.0;
        let has_words = |radius_m: f64, agents: usize| has_room_for_words(radius_m, agents, &view);
        assert!(has_words(0.1, CROWD) && !has_words(0.1, CROWD + 1) && has_words(0.4, CROWD + 1));
    }
}
