//! Objects: what is in the arena besides agents.

use bevy::ecs::system::RunSystemOnce as _;
use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::MAX_CORNERS;
use swarmarium_base::math;
use swarmarium_picture::palette::{Paint, Role};
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::{Arrival, Collides, Form, SolidProperties, Solids, Space, Thing, ThingKind};

use crate::agent::groups::Groups;
use crate::agent::look::own_color;
use crate::agent::{Pose, Row, Team};
use crate::controller::ControllerFamily;
use crate::controller::constant::Constant;
use crate::kind::{Family, KindTable, KindType, Kinds, Slot, entities_with};
use crate::motion::MotionFamily;
use crate::motion::stationary::Static;
use crate::sensor::SensorFamily;
use crate::state::RegisterState as _;
use crate::step::CurrentSpace;
use crate::step::roster::Roster;
use crate::time::SimTime;

pub mod disc;
pub mod drawing;
pub mod goal;
pub mod gone;
pub mod light;
pub mod polygon;
pub mod region;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Presence>("object/common").register_state::<Visitors>("visitors").init_resource::<Registry>();
    app.add_object::<disc::Disc>()
        .add_object::<drawing::Drawing>()
        .add_object::<goal::Goal>()
        .add_object::<gone::Gone>()
        .add_object::<light::Light>()
        .add_object::<polygon::Polygon>()
        .add_object::<region::Region>();
}

/// The kinds of objects, which are in the arena besides agents.
#[derive(TypePath)]
pub struct ObjectFamily;

impl Family for ObjectFamily {
    const NAME: &'static str = "object";
    type Common = Presence;
}

/// An object. One file: parameters, what it is, drawing, tests.
pub trait Object: KindType {
    /// Its form, in the world, before it moves.
    fn figure(&self) -> Figure;

    /// The same, shifted by `shift_m` (m) and turned by `turn_rad` (rad) about the middle of its figure.
    #[must_use]
    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self;

    /// Whether it ever notices agents, as regions and goals do.
    const NOTICES: bool = false;

    /// Whom it notices.
    fn notices(&self) -> Option<Notices<'_>> {
        None
    }

    /// What makes the parameters unusable, where their limits do not say so.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Draws it where it is now; what is solid may leave that to [`Look::solid`].
    fn draw(&self, thing: &Thing, look: Look, picture: &mut Picture) {
        look.solid(thing, picture);
    }
}

/// The form of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// What it is to those who look for it.
    pub what: ThingKind,
    /// Its middle in metres, about which it turns.
    pub center_m: DVec2,
    /// What it covers, in metres; none for a point.
    pub forms: Vec<Form>,
    /// Whether it can block, as an obstacle can and a region cannot.
    pub is_solid: bool,
}

/// Whom an object notices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notices<'a> {
    /// Teams that count; all when empty.
    pub teams: &'a [String],
    /// Name of the group that counts; all when empty.
    pub group: &'a str,
    /// Whether the middle of an agent must be in it, and not only its edge.
    pub centers_only: bool,
    /// Whether it keeps in mind who came.
    pub keeps_arrivals: bool,
}

/// What all objects have besides their own parameters.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Presence {
    /// Name by which others find it; several may share one.
    pub name: String,
    /// Team that sensors can single out.
    pub team: String,
    /// Whether it is solid and pushes robots out. Regions, goals and lights never do.
    pub blocks: bool,
    /// Whether rays end at it and it hides what is behind it. Regions, goals and lights never do.
    pub sensed: bool,
    /// Colour, such as `#56b4e9`, or `random`; that of its kind when empty.
    pub color: String,
    /// Whether it is drawn filled, and not as its rim.
    pub filled: bool,
    /// Where it looks at first, anticlockwise from x; it is drawn as it lies then.
    pub heading_rad: f64,
    /// How a command becomes movement. What moves pushes robots, and nothing pushes it.
    pub motion: Slot<MotionFamily>,
    /// Sensors, in the order of their slots. They look from its middle.
    pub sensors: Vec<Slot<SensorFamily>>,
    /// The controller, which moves it after the agents have moved.
    pub controller: Slot<ControllerFamily>,
}

impl Default for Presence {
    fn default() -> Self {
        Self {
            name: String::new(),
            team: String::new(),
            blocks: true,
            sensed: true,
            color: String::new(),
            filled: true,
            heading_rad: 0.0,
            motion: Slot::new(Static {}),
            sensors: Vec::new(),
            controller: Slot::new(Constant::default()),
        }
    }
}

/// The agents that an object has noticed.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Visitors {
    /// The numbers of those that were in it at the end of the last step, in rising order.
    pub inside: Vec<u32>,
    /// Those that came so far, by number.
    pub arrivals: Vec<Arrival>,
}

/// How an object is painted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The colour that the scene asks for.
    pub color: Option<Role>,
    /// Whether it is filled.
    pub filled: bool,
    /// Whether it blocks robots.
    pub blocks: bool,
}

impl Look {
    fn of(world: &World, id: StableId, presence: Option<&Presence>) -> Self {
        presence.map_or(Self { color: None, filled: true, blocks: true }, |presence| Self {
            color: own_color(world, Some(&id), &presence.color),
            filled: presence.filled,
            blocks: presence.blocks,
        })
    }

    /// The colour that the scene asks for, or else this one.
    #[must_use]
    pub fn role(&self, otherwise: Role) -> Role {
        self.color.unwrap_or(otherwise)
    }

    /// Draws the forms of an obstacle; robots pass through what is faint.
    pub fn solid(&self, thing: &Thing, picture: &mut Picture) {
        let paint = self.role(Role::Obstacle).faint(if self.blocks { 1.0 } else { 0.5 });
        self.forms(thing, paint, picture);
    }

    /// Draws all forms, filled or as rims.
    pub fn forms(&self, thing: &Thing, paint: Paint, picture: &mut Picture) {
        let rim = (!self.filled).then_some(Width::Pixels(2.0));
        thing.forms.iter().for_each(|form| picture.form(Layer::Objects, paint, form, rim));
    }
}

/// An object of any kind: [`Object`] without its type.
trait AnyObject {
    /// As [`Object::figure`].
    fn figure(&self) -> Figure;
    /// As [`Object::moved`].
    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Slot<ObjectFamily>;
    /// As [`Object::problem`].
    fn problem(&self) -> Option<String>;
    /// As [`Object::draw`].
    fn draw(&self, thing: &Thing, look: Look, picture: &mut Picture);
}

impl<K: Object> AnyObject for K {
    fn figure(&self) -> Figure {
        Object::figure(self)
    }

    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Slot<ObjectFamily> {
        Slot::new(Object::moved(self, shift_m, turn_rad))
    }

    fn problem(&self) -> Option<String> {
        Object::problem(self)
    }

    fn draw(&self, thing: &Thing, look: Look, picture: &mut Picture) {
        Object::draw(self, thing, look, picture);
    }
}

/// How to reach an object of one kind where the kind is not known.
#[derive(Clone, Copy)]
struct ObjectKind {
    of_value: fn(&dyn Reflect) -> Option<&dyn AnyObject>,
    on_entity: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn AnyObject>,
    notice: Option<fn(&mut World)>,
}

/// The kinds of objects, in the order of registration.
type Registry = KindTable<ObjectKind>;

/// A described object.
fn described<'v>(world: &World, object: &'v Slot<ObjectFamily>) -> Option<&'v dyn AnyObject> {
    (world.resource::<Registry>().of_value(object.value())?.of_value)(object.value())
}

/// The object on an entity.
fn placed<'w>(world: &World, object: EntityRef<'w>) -> Option<&'w dyn AnyObject> {
    (world.resource::<Registry>().of_entity(object)?.on_entity)(object)
}

/// Makes objects known.
pub trait AddObject {
    /// Adds an object: its form, its drawing and its name in scenes.
    fn add_object<K: Object>(&mut self) -> &mut Self;
}

impl AddObject for App {
    fn add_object<K: Object>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<ObjectFamily, K>();
        let notice_once = |world: &mut World| {
            // It has no output, and nothing that could be missing.
            _ = world.run_system_once(notice::<K>);
        };
        let entry = ObjectKind {
            of_value: |object| object.downcast_ref::<K>().map(|object| object as _),
            on_entity: |entity| entity.get::<K>().map(|object| object as _),
            notice: K::NOTICES.then_some(notice_once),
        };
        let kind = Registry::add::<K>(world, entry);
        self.register_kind::<ObjectFamily, K>();
        if K::NOTICES {
            self.world_mut().register_required_components::<K, Visitors>();
            let world = self.world_mut();
            world.get_resource_or_init::<Roster>().notice.add(kind, notice::<K>);
        }
        self
    }
}

/// Lets the objects of one kind notice the agents, as they are at the end of the step.
fn notice<K: Object>(
    time: Res<SimTime>,
    groups: Res<Groups>,
    mut space: ResMut<CurrentSpace>,
    mut objects: Query<(&K, &StableId, &mut Visitors)>,
) {
    for (object, id, mut visitors) in &mut objects {
        let Some(whom) = object.notices() else { continue };
        let group = groups.place_of(whom.group);
        let Some(thing) = space.things.get(id.index() as usize) else { continue };
        let bounds = thing.forms.iter().map(|form| form.outline().bounds());
        let bounds = bounds.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        let admits = |row: usize| {
            let team = space.bodies.groups()[row];
            space.bodies.collides()[row] != Collides::Off
                && bounds.is_none_or(|bounds| space.box_meets(row, bounds))
                && (whom.group.is_empty() || group == Some(space.bodies.owners()[row].group))
                && (whom.teams.is_empty() || whom.teams.iter().any(|name| Team::named(name).0 == team))
        };
        let mut inside = Vec::new();
        thing.visit_overlapping(&space, whom.centers_only, |row| {
            inside.extend(admits(row).then(|| space.bodies.owners()[row].number));
        });
        inside.sort_unstable();
        if inside == visitors.inside {
            continue;
        }
        for agent in inside.iter().filter(|_| whom.keeps_arrivals) {
            if let Err(place) = visitors.arrivals.binary_search_by_key(agent, |arrival| arrival.agent) {
                visitors.arrivals.insert(place, Arrival { agent: *agent, step: time.step });
            }
        }
        visitors.inside = inside;
        if let Some(thing) = space.things.get_mut(id.index() as usize) {
            recall(thing, Some(&visitors));
        }
    }
}

fn recall(thing: &mut Thing, visitors: Option<&Visitors>) {
    if let Some(Visitors { inside, arrivals }) = visitors {
        thing.inside.clone_from(inside);
        thing.arrivals.clone_from(arrivals);
    }
}

/// Lets all objects notice the agents before the first step.
pub(crate) fn notice_all(world: &mut World) {
    for notice in world.resource::<Registry>().iter().filter_map(|(_, entry)| entry.notice).collect::<Vec<_>>() {
        notice(world);
    }
}

/// An object as it is now, and whether it is of a solid kind.
fn thing_of(world: &World, object: EntityRef) -> Option<(Thing, bool)> {
    let figure = figure(world, object)?;
    let presence = object.get::<Presence>();
    let Figure { what, center_m, forms, is_solid } = figure;
    let mut thing = Thing { what, position: center_m, forms, ..Thing::default() };
    if let Some(presence) = presence {
        thing.name.clone_from(&presence.name);
        thing.team = Team::named(&presence.team).0;
    }
    if let Some(pose) = object.get::<Pose>() {
        let (to, facing) = moved(pose, center_m, presence);
        thing.position = pose.position_m;
        thing.forms.iter_mut().for_each(|form| *form = form.placed(to, facing));
    }
    recall(&mut thing, object.get::<Visitors>());
    Some((thing, is_solid))
}

/// How an object that stood about `center_m` has been shifted and turned.
fn moved(pose: &Pose, center_m: DVec2, presence: Option<&Presence>) -> (DVec2, DVec2) {
    let facing = math::direction(pose.heading_rad - presence.map_or(0.0, |presence| presence.heading_rad));
    (pose.position_m - facing.rotate(center_m), facing)
}

/// Whether an object does more than lie where it is.
pub(crate) fn acts(presence: &Presence) -> bool {
    !presence.sensors.is_empty() || !presence.motion.value().is::<Static>()
}

/// Brings the thing and the solids of an object that moved to where it is now.
pub(crate) fn follow(world: &mut World, object: Entity, row: usize) {
    let Some(object_pose) = world.get::<Pose>(object).and_then(|pose| ObjectPose::of(world, object, *pose)) else {
        return;
    };
    object_pose.take(&mut world.resource_mut::<CurrentSpace>(), row);
}

/// An object in a pose.
pub struct ObjectPose {
    /// Its place in the scene.
    place: usize,
    pose: Pose,
    forms: Vec<Form>,
    to: DVec2,
    facing: DVec2,
}

impl ObjectPose {
    /// Of an object that moves.
    pub fn of(world: &World, object: Entity, pose: Pose) -> Option<Self> {
        let entity = world.get_entity(object).ok()?;
        let (place, figure) = (entity.get::<StableId>()?.index() as usize, figure(world, entity)?);
        let (to, facing) = moved(&pose, figure.center_m, entity.get::<Presence>());
        Some(Self { place, pose, forms: figure.forms, to, facing })
    }

    /// Puts the object there, its row too.
    pub fn take(&self, space: &mut Space, row: usize) {
        let Self { place, pose, forms, to, facing } = self;
        space.bodies.place(row, pose.position_m);
        space.bodies.turn(row, pose.heading_rad);
        let Some(thing) = space.things.get_mut(*place) else { return };
        thing.position = pose.position_m;
        for (solid, form) in thing.solids.clone().zip(forms) {
            space.solids.place(solid, form.outline(), *to, *facing);
        }
        thing.forms.clear();
        thing.forms.extend(forms.iter().map(|form| form.placed(*to, *facing)));
    }
}

/// The form of a described object of any kind, before it moves; `None` for a kind that the world does not know.
pub fn figure_of(world: &World, object: &Slot<ObjectFamily>) -> Option<Figure> {
    described(world, object).map(AnyObject::figure)
}

/// A described object of any kind, shifted by `shift_m` (m) and turned by `turn_rad` (rad) about its middle; where it
/// looks turns along. `None` for a kind that the world does not know.
pub fn moved_by(
    world: &World,
    object: &Slot<ObjectFamily>,
    shift_m: DVec2,
    turn_rad: f64,
) -> Option<Slot<ObjectFamily>> {
    let moved = described(world, object)?.moved(shift_m, turn_rad);
    let presence = object.common().clone();
    let heading_rad = math::wrap_angle(presence.heading_rad + turn_rad);
    Some(moved.with(if turn_rad == 0.0 { presence } else { Presence { heading_rad, ..presence } }))
}

/// The form of an object of any kind.
pub(crate) fn figure(world: &World, object: EntityRef) -> Option<Figure> {
    placed(world, object).map(AnyObject::figure)
}

/// All objects by their place in the scene, and what of them is solid.
pub(crate) fn survey(world: &World) -> (Vec<Thing>, Solids) {
    let (mut things, mut solids) = (Vec::new(), Solids::default());
    let Some(mut query) = world.try_query::<(&StableId, EntityRef)>() else { return (things, solids) };
    let objects = query.iter(world).filter_map(|(id, entity)| Some((*id, entity, thing_of(world, entity)?)));
    let mut objects: Vec<_> = objects.collect();
    objects.sort_by_key(|(id, ..)| *id);
    for (_, entity, (mut thing, is_solid)) in objects {
        let presence = entity.get::<Presence>();
        let (blocks, sensed) = presence.map_or((true, true), |presence| (presence.blocks, presence.sensed));
        // Its own rays pass through it.
        thing.row = entity.get::<Row>().map(|row| row.0 as usize);
        let properties = SolidProperties { blocks, sensed, owner: thing.row, ..SolidProperties::default() };
        let first = solids.len();
        let forms = thing.forms.iter().filter(|_| is_solid && (blocks || sensed));
        // A form that cannot block was refused with the scene; a live edit may still make one, which lets through, and so
        // do those after it: solids and forms go together by their places.
        for solid in forms.map_while(|form| solids.add(form.outline()).ok()).collect::<Vec<_>>() {
            solids.set_properties(solid, properties);
        }
        thing.solids = first..solids.len();
        things.push(thing);
    }
    (things, solids)
}

/// What makes a described object unusable.
pub(crate) fn problem(world: &World, object: &Slot<ObjectFamily>) -> Option<String> {
    let described = described(world, object)?;
    let of_form = || described.figure().forms.iter().find_map(form_problem);
    described.problem().or_else(|| Role::problem(&object.common().color)).or_else(of_form)
}

/// What makes a form unusable.
pub fn form_problem(form: &Form) -> Option<String> {
    match form {
        Form::Polygon(corners) if corners.len() > MAX_CORNERS => {
            Some(format!("at most {MAX_CORNERS} corners fit in a polygon, found {}", corners.len()))
        }
        form => Solids::default().add(form.outline()).err().map(|error| error.to_string()),
    }
}

/// Draws all objects, kind by kind, in the order of the scene.
pub(crate) fn draw_all(world: &World, space: &Space, picture: &mut Picture) {
    for (kind, entry) in world.get_resource::<Registry>().into_iter().flat_map(KindTable::iter) {
        let objects = entities_with(world, kind);
        let mut objects: Vec<_> = objects.filter_map(|object| Some((*object.get::<StableId>()?, object))).collect();
        objects.sort_unstable_by_key(|(id, _)| *id);
        for (id, object) in objects {
            if let (Some(thing), Some(described)) = (space.things.get(id.index() as usize), (entry.on_entity)(object)) {
                described.draw(thing, Look::of(world, id, object.get::<Presence>()), picture);
            }
        }
    }
}
