//! Objects: everything in the arena other than agents.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::MAX_CORNERS;
use swarmarium_base::math;
use swarmarium_picture::palette::{Paint, Role};
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::{Arrival, Collides, FloorGrid, Form, SolidProperties, Solids, Space, Thing, ThingKind};

use self::movable::{FrictionWork, Movable};
use crate::agent::groups::Groups;
use crate::agent::look::own_color;
use crate::agent::{Pose, Row, Team};
use crate::controller::ControllerFamily;
use crate::controller::constant::Constant;
use crate::kind::{Family, FamilyTable, KindRow, KindType, Kinds, SkipIfEmpty, Slot, entities_with};
use crate::motion::MotionFamily;
use crate::motion::stationary::Static;
use crate::random::Stream;
use crate::sensor::SensorFamily;
use crate::state::RegisterState as _;
use crate::step::plan::{AddKernel as _, Duty, Plan, StepContext};
use crate::step::{Arena, HasArena as _};

pub mod disc;
pub mod drawing;
pub mod floor;
pub mod goal;
pub mod gone;
pub mod light;
pub mod movable;
pub mod polygon;
pub mod region;

/// Adds the objects and their state.
pub fn plugin(app: &mut App) {
    app.register_parameters::<Presence>("object/common").register_state::<Visitors>("visitors");
    app.register_state::<FrictionWork>("friction_work");
    app.add_object::<disc::Disc>()
        .add_object::<drawing::Drawing>()
        .add_object::<floor::Floor>()
        .add_object::<floor::FloorPicture>()
        .add_object::<goal::Goal>()
        .add_object::<gone::Gone>()
        .add_object::<light::Light>()
        .add_object::<polygon::Polygon>()
        .add_object::<region::Region>();
}

/// The kinds of objects: everything in the arena other than agents.
#[derive(TypePath)]
pub struct ObjectFamily;

impl Family for ObjectFamily {
    const NAME: &'static str = "object";
    type Common = Presence;
    type Entry = ObjectKind;
}

/// An object. One file contains parameters, shape, drawing and tests.
///
/// The guide "Write an object" of the book has a complete program.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// /// A round pillar of 1 m radius.
/// #[kind]
/// struct Pillar { center_m: DVec2 }
///
/// impl Object for Pillar {
///     fn figure(&self) -> Figure {
///         let form = Form::Disc { center: self.center_m, radius: 1.0 };
///         Figure { what: ThingKind::Thing, center_m: self.center_m, forms: vec![form], is_solid: true }
///     }
///
///     fn moved(&self, shift_m: DVec2, _: f64) -> Self {
///         Self { center_m: self.center_m + shift_m }
///     }
/// }
/// ```
pub trait Object: KindType {
    /// The shape in the world, before the object moves.
    fn figure(&self) -> Figure;

    /// The same object, shifted by `shift_m` (m) and turned by `turn_rad` (rad) about the centre of its figure.
    #[must_use]
    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self;

    /// Whether the object can notice agents, as regions and goals do.
    const NOTICES: bool = false;

    /// The agents that the object notices.
    fn notices(&self) -> Option<Notices<'_>> {
        None
    }

    /// Whether the object covers the floor with coloured [cells](Object::floor).
    const COVERS_FLOOR: bool = false;

    /// A number that differs whenever the cells of the floor do; `draws` is the random stream of the object.
    fn floor_key(&self, _draws: Stream) -> u64 {
        0
    }

    /// The cells with which the object covers the floor under its first form, which has four corners; `draws` is the
    /// random stream of the object.
    fn floor(&self, _draws: Stream) -> Option<FloorGrid> {
        None
    }

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Draws the object at its present pose; solid objects can leave this to [`Look::solid`].
    fn draw(&self, thing: &Thing, look: Look, picture: &mut Picture) {
        look.solid(thing, picture);
    }
}

/// The shape of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The type of the object for sensors.
    pub what: ThingKind,
    /// The centre in metres, about which the object turns.
    pub center_m: DVec2,
    /// The area, in metres; empty for a point.
    pub forms: Vec<Form>,
    /// Whether the object can block, as an obstacle can and a region cannot.
    pub is_solid: bool,
}

/// The agents that an object notices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notices<'a> {
    /// The teams that count; all if empty.
    pub teams: &'a [String],
    /// The name of the group that counts; all if empty.
    pub group: &'a str,
    /// Whether the centre of an agent must be inside, and not only its edge.
    pub centers_only: bool,
    /// Whether arrivals are recorded.
    pub keeps_arrivals: bool,
}

/// The common parameters of objects.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Presence {
    /// Name by which sensors and controllers refer to it; several objects may share a name.
    pub name: String,
    /// Team, for sensors that look for one team only.
    pub team: String,
    /// Whether it is solid and pushes robots out; regions, goals and lights are never solid.
    pub blocks: bool,
    /// Whether it stops rays and hides objects behind it; regions, goals and lights never do.
    pub sensed: bool,
    /// Colour, such as `#56b4e9`, or `random`; empty for the colour of its kind.
    pub color: String,
    /// Whether it is filled or only its outline is drawn.
    pub filled: bool,
    /// Initial heading, anticlockwise from x. The coordinates of its shape are those at this heading.
    pub heading_rad: f64,
    /// Motion model, which turns commands into movement. A moving object pushes robots and objects that are `movable`, and
    /// nothing pushes it.
    pub motion: Slot<MotionFamily>,
    /// Sensors, in the order of their slots. They are mounted at its centre.
    pub sensors: Vec<Slot<SensorFamily>>,
    /// The controller, which moves it after the agents have moved.
    pub controller: Slot<ControllerFamily>,
    /// Whether an object group has placed it. Such objects are not part of files, and each start places them again.
    #[reflect(@SkipIfEmpty)]
    pub placed: bool,
    /// Mass and friction of an object that robots push. Empty: robots cannot push it.
    #[reflect(@SkipIfEmpty)]
    pub movable: Option<Movable>,
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
            placed: false,
            movable: None,
        }
    }
}

/// The agents that an object has noticed.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Visitors {
    /// The numbers of the agents that were inside at the end of the last step, in ascending order.
    pub inside: Vec<u32>,
    /// The arrivals so far, by number of the agent.
    pub arrivals: Vec<Arrival>,
}

/// The appearance of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The colour that the scene sets.
    pub color: Option<Role>,
    /// Whether it is filled.
    pub filled: bool,
    /// Whether it blocks robots.
    pub blocks: bool,
    /// The direction that it faces, if robots push it.
    pub facing: Option<DVec2>,
}

/// Opacity of the area of an object that robots push.
const MOVABLE: f32 = 0.45;
/// Length of the line in the direction that it faces, in radii of the object.
const MARK: f64 = 0.4;
/// Number of lengths of the mark that are tried, each three quarters of the one before.
const MARKS: i32 = 10;

impl Look {
    fn of(world: &World, id: StableId, presence: Option<&Presence>, facing: Option<DVec2>) -> Self {
        presence.map_or(Self { color: None, filled: true, blocks: true, facing: None }, |presence| Self {
            color: own_color(world.arena().seed, Some(&id), &presence.color),
            filled: presence.filled,
            blocks: presence.blocks,
            facing,
        })
    }

    /// The colour that the scene sets, or else this one.
    #[must_use]
    pub fn role(&self, otherwise: Role) -> Role {
        self.color.unwrap_or(otherwise)
    }

    /// Draws the areas of an obstacle; faint ones do not block robots. One that robots push has a rim, and a line from its
    /// centre in the direction that it faces.
    pub fn solid(&self, thing: &Thing, picture: &mut Picture) {
        if let Some(facing) = self.facing {
            let role = self.role(Role::Obstacle);
            if self.filled {
                self.forms(thing, role.faint(MOVABLE), picture);
            }
            Self { filled: false, ..*self }.forms(thing, role.into(), picture);
            // The mark ends within the object.
            let end = |part: i32| thing.position + facing * (thing.reach() * MARK * 0.75_f64.powi(part));
            let is_inside = |end: &DVec2| thing.forms.iter().any(|form| form.outline().contains(*end));
            if let Some(end) = (0..MARKS).map(end).find(is_inside) {
                picture.segment(Layer::Objects, role, [thing.position, end], Width::Pixels(2.0));
            }
            return;
        }
        let paint = self.role(Role::Obstacle).faint(if self.blocks { 1.0 } else { 0.5 });
        self.forms(thing, paint, picture);
    }

    /// Draws all areas, filled or as outlines.
    pub fn forms(&self, thing: &Thing, paint: Paint, picture: &mut Picture) {
        let rim = (!self.filled).then_some(Width::Pixels(2.0));
        thing.forms.iter().for_each(|form| picture.form(Layer::Objects, paint, form, rim));
    }
}

/// The entry of a kind of objects in the table of its family.
#[derive(Clone, Copy)]
pub struct ObjectKind {
    figure: fn(&dyn Reflect) -> Figure,
    moved: fn(&dyn Reflect, DVec2, f64) -> Option<Slot<ObjectFamily>>,
    floor: fn(&dyn Reflect, Stream, Option<&Arc<FloorGrid>>) -> Option<Arc<FloorGrid>>,
    draw: fn(&dyn Reflect, &Thing, Look, &mut Picture),
}

/// The kinds of objects.
pub type ObjectKinds = FamilyTable<ObjectFamily>;

/// Registers objects.
pub trait AddObject {
    /// Adds an object: its shape, its drawing and its name in scenes.
    fn add_object<K: Object>(&mut self) -> &mut Self;
}

impl AddObject for App {
    fn add_object<K: Object>(&mut self) -> &mut Self {
        let world = self.world_mut();
        let entry = ObjectKind {
            figure: |object| object.downcast_ref::<K>().map(Object::figure).unwrap_or_default(),
            moved: |object, shift_m, turn_rad| Some(Slot::new(object.downcast_ref::<K>()?.moved(shift_m, turn_rad))),
            floor: floor_as::<K>,
            draw: |object, thing, look, picture| {
                if let Some(object) = object.downcast_ref::<K>() {
                    object.draw(thing, look, picture);
                }
            },
        };
        let kind = ObjectKinds::add::<K>(world, |object| object.downcast_ref::<K>().and_then(Object::problem), entry);
        self.register_kind::<ObjectFamily, K>();
        if K::NOTICES {
            self.world_mut().register_required_components::<K, Visitors>();
            self.add_kernel(Duty::Notice, kind, notice::<K>);
        }
        self
    }
}

/// The cells of an object of one kind; the known ones, if they are equal.
fn floor_as<K: Object>(object: &dyn Reflect, draws: Stream, known: Option<&Arc<FloorGrid>>) -> Option<Arc<FloorGrid>> {
    let object = object.downcast_ref::<K>().filter(|_| K::COVERS_FLOOR)?;
    let key = object.floor_key(draws);
    let known = known.filter(|known| known.key == key);
    known.cloned().or_else(|| Some(Arc::new(FloorGrid { key, ..object.floor(draws)? })))
}

/// Updates the visitors of the objects of one kind at the end of the step.
fn notice<K: Object>(
    InMut(context): InMut<StepContext>,
    groups: Res<Groups>,
    mut objects: Query<(&K, &StableId, &mut Visitors)>,
    mut inside: Local<Vec<u32>>,
) {
    let Arena { space, time, .. } = &mut *context.arena;
    for (object, id, mut visitors) in &mut objects {
        let place = id.index() as usize;
        let (Some(whom), Some(thing)) = (object.notices(), space.things.get(place)) else { continue };
        find_inside(space, thing, (whom, groups.place_of(whom.group)), &mut inside);
        if *inside != visitors.inside {
            let Visitors { inside: known, arrivals } = &mut *visitors;
            known.clone_from(&inside);
            for agent in inside.iter().filter(|_| whom.keeps_arrivals) {
                if let Err(place) = arrivals.binary_search_by_key(agent, |arrival| arrival.agent) {
                    arrivals.insert(place, Arrival { agent: *agent, step: time.step });
                }
            }
            if let Some(thing) = space.things.get_mut(place) {
                recall(thing, Some(&visitors));
            }
        }
    }
}

/// Finds the agents that an object notices, by their number in ascending order. `group` is the index of the group that
/// counts.
fn find_inside(space: &Space, thing: &Thing, (whom, group): (Notices, Option<u32>), inside: &mut Vec<u32>) {
    inside.clear();
    // The bounds count with classic collisions only.
    let bounds = thing.forms.iter().filter(|_| space.is_classic()).map(|form| form.outline().bounds());
    let bounds = bounds.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let admits = |row: usize| {
        let team = space.bodies.groups()[row];
        space.bodies.collides()[row] != Collides::Off
            && bounds.is_none_or(|bounds| space.box_meets(row, bounds))
            && (whom.group.is_empty() || group == Some(space.bodies.owners()[row].group))
            && (whom.teams.is_empty() || whom.teams.iter().any(|name| Team::named(name).0 == team))
    };
    thing.visit_overlapping(space, whom.centers_only, |row| {
        inside.extend(admits(row).then(|| space.bodies.owners()[row].number));
    });
    inside.sort_unstable();
}

fn recall(thing: &mut Thing, visitors: Option<&Visitors>) {
    if let Some(Visitors { inside, arrivals }) = visitors {
        thing.inside.clone_from(inside);
        thing.arrivals.clone_from(arrivals);
    }
}

/// Updates the visitors of all objects before the first step.
pub fn notice_all(world: &mut World) {
    Plan::with(world, |world, plan| plan.act_for_all(world, Duty::Notice));
}

/// An object at its present pose, and whether its kind is solid.
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
    color(world, object, &mut thing);
    Some((thing, is_solid))
}

/// Gives an object its colours for sensors: its own one, and those of its cells.
fn color(world: &World, object: EntityRef, thing: &mut Thing) {
    let (arena, presence) = (world.arena(), object.get::<Presence>());
    let Some(id) = object.get::<StableId>() else { return };
    // Only the rim of an object that is not filled is drawn, and it colours nothing.
    let own = presence.filter(|presence| presence.filled && !presence.color.is_empty());
    thing.color = own.and_then(|presence| own_color(arena.seed, Some(id), &presence.color)).map(Role::seen);
    if let ThingKind::Light { .. } = thing.what {
        thing.color = thing.color.or(Some(Role::Light.seen()));
    }
    if thing.what == ThingKind::Floor
        && let Some((kind, object)) = world.resource::<ObjectKinds>().of_entity(object)
    {
        // Most changes of a world leave its floors as they are.
        let known = arena.space.things.get(id.index() as usize).and_then(|known| known.floor.as_ref());
        thing.floor = (kind.floor)(object, arena.seed.stream(*id, "floor"), known);
    }
}

/// The shift and the rotation of an object whose initial centre is `center_m`.
fn moved(pose: &Pose, center_m: DVec2, presence: Option<&Presence>) -> (DVec2, DVec2) {
    let facing = math::direction(pose.heading_rad - presence.map_or(0.0, |presence| presence.heading_rad));
    (pose.position_m - facing.rotate(center_m), facing)
}

/// Whether an object moves, senses or is controlled.
pub fn acts(presence: &Presence) -> bool {
    !presence.sensors.is_empty() || !presence.motion.value().is::<Static>()
}

/// Moves the thing and the solids of an object to its present pose.
pub fn follow(world: &mut World, object: Entity, row: usize) {
    let Some(object_pose) = world.get::<Pose>(object).and_then(|pose| ObjectPose::of(world, object, *pose)) else {
        return;
    };
    object_pose.take(&mut world.arena_mut().space, row);
}

/// An object in a pose.
pub struct ObjectPose {
    /// The index of the object in the scene.
    place: usize,
    pose: Pose,
    forms: Vec<Form>,
    to: DVec2,
    facing: DVec2,
}

impl ObjectPose {
    /// Creates the pose of a moving object.
    pub fn of(world: &World, object: Entity, pose: Pose) -> Option<Self> {
        let entity = world.get_entity(object).ok()?;
        let (place, figure) = (entity.get::<StableId>()?.index() as usize, figure(world, entity)?);
        let (to, facing) = moved(&pose, figure.center_m, entity.get::<Presence>());
        Some(Self { place, pose, forms: figure.forms, to, facing })
    }

    /// Moves the object to this pose, its row included.
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

/// The shape of an object of a scene, before it moves; `None` for a kind that the world does not know.
pub fn figure_of(world: &World, object: &Slot<ObjectFamily>) -> Option<Figure> {
    let kind = world.resource::<ObjectKinds>().of_value(object.value())?;
    Some((kind.figure)(object.value()))
}

/// An object of a scene, shifted by `shift_m` (m) and turned by `turn_rad` (rad) about its centre, its heading
/// included. `None` for a kind that the world does not know.
pub fn moved_by(
    world: &World,
    object: &Slot<ObjectFamily>,
    shift_m: DVec2,
    turn_rad: f64,
) -> Option<Slot<ObjectFamily>> {
    let kind = world.resource::<ObjectKinds>().of_value(object.value())?;
    let moved = (kind.moved)(object.value(), shift_m, turn_rad)?;
    let presence = object.common().clone();
    let heading_rad = math::wrap_angle(presence.heading_rad + turn_rad);
    Some(moved.with(if turn_rad == 0.0 { presence } else { Presence { heading_rad, ..presence } }))
}

/// The shape of an object of any kind.
pub fn figure(world: &World, object: EntityRef) -> Option<Figure> {
    let (kind, object) = world.resource::<ObjectKinds>().of_entity(object)?;
    Some((kind.figure)(object))
}

/// All objects by index in the scene, and their solids.
pub fn survey(world: &World) -> (Vec<Thing>, Solids) {
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
        thing.can_be_pushed = presence.is_some_and(|presence| presence.movable.is_some()) && thing.row.is_some();
        let properties = SolidProperties { blocks, sensed, owner: thing.row, ..SolidProperties::default() };
        let first = solids.len();
        let forms = thing.forms.iter().filter(|_| is_solid && (blocks || sensed));
        // Areas that cannot block are rejected with the scene. A live edit may still create one, which then does not
        // block, and neither do those after it: solids and areas correspond by index.
        for solid in forms.map_while(|form| solids.add(form.outline()).ok()).collect::<Vec<_>>() {
            solids.set_properties(solid, properties);
        }
        thing.solids = first..solids.len();
        things.push(thing);
    }
    (things, solids)
}

/// The problem with an object of a scene, if it is not usable.
pub fn problem(world: &World, object: &Slot<ObjectFamily>) -> Option<String> {
    // The figure of an object that its kind refuses may be expensive.
    let of_form = || figure_of(world, object)?.forms.iter().find_map(form_problem);
    world.resource::<Kinds>().problem(object).or_else(|| Role::problem(&object.common().color)).or_else(of_form)
}

/// The problem with an area, if it is not usable.
pub fn form_problem(form: &Form) -> Option<String> {
    match form {
        Form::Polygon(corners) if corners.len() > MAX_CORNERS => {
            Some(format!("at most {MAX_CORNERS} corners fit in a polygon, found {}", corners.len()))
        }
        form => Solids::default().add(form.outline()).err().map(|error| error.to_string()),
    }
}

/// Draws all objects, kind by kind, in the order of the scene.
pub fn draw_all(world: &World, space: &Space, picture: &mut Picture) {
    for KindRow { component, on_entity, entry, .. } in
        world.get_resource::<ObjectKinds>().into_iter().flat_map(FamilyTable::iter)
    {
        let objects = entities_with(world, *component);
        let mut objects: Vec<_> = objects.filter_map(|object| Some((*object.get::<StableId>()?, object))).collect();
        objects.sort_unstable_by_key(|(id, _)| *id);
        for (id, object) in objects {
            if let (Some(thing), Some(kind)) = (space.things.get(id.index() as usize), on_entity(object)) {
                let presence = object.get::<Presence>();
                let heading_rad = thing.row.and_then(|row| space.bodies.headings().get(row)).copied();
                let facing = heading_rad.and_then(|heading_rad| movable::facing(presence, heading_rad));
                (entry.draw)(kind, thing, Look::of(world, id, presence, facing), picture);
            }
        }
    }
}
