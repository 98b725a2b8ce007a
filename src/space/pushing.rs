//! Objects that bodies push: quasi-static, without momentum.
//!
//! An object slides on the floor as its [limit surface](Friction) says, moves only while something pushes it, and stops at
//! walls, fixed solids and robots that stand in its way. Contacts have no friction of their own. In each step the bodies
//! have moved already; objects make way for them where the forces suffice, and collisions then move the bodies out of the
//! objects that have not made way.

use bevy::math::DVec2;
use swarmarium_base::math;

use super::bodies::Contact as Role;
use super::field::Boundary;
use super::halt::BodyPose;
use super::overlap::depth_in_walls;
use super::polygon;
use super::solid::Outline;
use super::thing::Form;
use super::{Space, TOLERANCE};

mod friction;
mod solve;
mod touch;

pub use friction::{Friction, GRAVITY_M_PER_S2, area, centroid};
use solve::{Contact, NO_OBJECT, Sliding, Twist, UNLIMITED_N};
use touch::{Shape, Touch};

/// An object that bodies push.
#[derive(Clone, Debug, PartialEq)]
pub struct Movable {
    /// The index of its thing.
    place: usize,
    /// Its row, after those of the bodies.
    row: usize,
    /// Its areas (m) as drawn, and the point (m) about which it is placed there.
    forms: Vec<Form>,
    center: DVec2,
    /// Its heading (rad) as drawn.
    heading: f64,
    /// The centroid (m) of the areas as drawn.
    centroid: DVec2,
    friction: Friction,
    /// Radii (m) of discs around the centre: one that contains the object, and one that it contains.
    reach: f64,
    inner: f64,
}

impl Movable {
    /// An object with its areas (m) as drawn, the centre (m) about which it is placed, and the heading (rad) of the drawing.
    #[must_use]
    pub fn new(
        (place, row): (usize, usize),
        (forms, center, heading): (Vec<Form>, DVec2, f64),
        friction: Friction,
    ) -> Self {
        let centroid = centroid(&forms);
        let far = |form: &Form| match form {
            Form::Disc { center: middle, radius } => middle.distance(center) + radius,
            Form::Polygon(corners) => corners.iter().map(|corner| corner.distance(center)).fold(0.0, f64::max),
        };
        let near = |form: &Form| match form {
            Form::Disc { center, radius } => radius - center.distance(centroid),
            Form::Polygon(corners) if polygon::contains(corners, centroid) => {
                polygon::closest_boundary_point(corners, centroid).map_or(0.0, |(point, _)| point.distance(centroid))
            }
            Form::Polygon(_) => 0.0,
        };
        let reach = forms.iter().map(far).fold(0.0, f64::max);
        let inner = forms.iter().map(near).fold(reach / 32.0, f64::max);
        Self { place, row, forms, center, heading, centroid, friction, reach, inner }
    }

    /// Its row, after those of the bodies.
    #[must_use]
    pub fn row(&self) -> usize {
        self.row
    }

    /// Its friction on the floor.
    #[must_use]
    pub fn friction(&self) -> Friction {
        self.friction
    }

    /// The shift (m) and the rotation of its drawing at a pose.
    fn placed(&self, pose: BodyPose) -> (DVec2, DVec2) {
        let facing = math::direction(pose.heading - self.heading);
        (pose.position - facing.rotate(self.center), facing)
    }

    /// Its centroid (m) at a pose.
    fn centroid_at(&self, pose: BodyPose) -> DVec2 {
        if self.centroid == self.center {
            return pose.position;
        }
        let (to, facing) = self.placed(pose);
        to + facing.rotate(self.centroid)
    }

    /// Its pose after a twist.
    fn after(&self, pose: BodyPose, twist: Twist) -> BodyPose {
        let heading = pose.heading + twist.turn;
        if self.centroid == self.center {
            return BodyPose { position: pose.position + twist.shift, heading };
        }
        let arm = math::direction(heading - self.heading).rotate(self.center - self.centroid);
        BodyPose { position: self.centroid_at(pose) + twist.shift + arm, heading }
    }
}

/// A body that has moved, and may push.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pusher {
    /// Its pose before the step.
    pub before: BodyPose,
    /// Its pose now.
    pub after: BodyPose,
    /// The largest force (N) with which it pushes; infinite for no limit.
    pub force_n: f64,
}

impl Pusher {
    /// A body that stays at a pose.
    #[must_use]
    pub fn at(pose: BodyPose, force_n: f64) -> Self {
        Self { before: pose, after: pose, force_n }
    }

    fn way(&self) -> f64 {
        self.before.position.distance(self.after.position)
    }

    /// Its pose after a part of the step.
    fn pose(&self, part: f64) -> BodyPose {
        if part >= 1.0 {
            return self.after;
        }
        let turn = math::wrap_angle(self.after.heading - self.before.heading);
        BodyPose {
            position: self.before.position.lerp(self.after.position, part),
            heading: self.before.heading + turn * part,
        }
    }
}

/// An object that was pushed in this step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pushed {
    /// Its row.
    pub row: usize,
    /// Its new pose.
    pub pose: BodyPose,
    /// Its displacement (m).
    pub displacement: DVec2,
    /// The work (J) against friction.
    pub work_j: f64,
}

/// Friction of an object that a robot has lifted, as a part of its friction on the floor: small enough to count as none.
const LIFTED: f64 = 1e-3;
/// Largest number of parts of a step.
const MOST_PARTS: f64 = 32.0;
/// Part of the smaller inner radius by which a body moves in a part of a step.
const STRIDE: f64 = 0.5;
/// Rounds in which contacts are found again, at the new poses.
const ROUNDS: u32 = 5;
/// Overlaps, in inner radii of the smaller object, above which an object takes its motion back: with walls and fixed
/// solids, and with other objects.
const FIRM: f64 = 1e-3;
const SOFT: f64 = 1e-2;
/// The pusher that is not a body.
const OTHER: u32 = u32::MAX;

/// Buffers that [`Space::push`] reuses.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Objects and the pushers near them, in order.
    near: Vec<(u32, u32)>,
    /// Held objects and their grasps, in order.
    held: Vec<(u32, u32)>,
    /// Poses at the start of the step, by object, and work so far.
    starts: Vec<BodyPose>,
    work: Vec<f64>,
    /// The objects that were moved together with others in this part of the step.
    done: Vec<bool>,
    /// Objects that touch each other, with their poses and work before the part of the step.
    island: Vec<u32>,
    before: Vec<BodyPose>,
    spent: Vec<f64>,
    /// Index of each object in the island.
    local: Vec<u32>,
    contacts: Vec<Contact>,
    /// Contacts of the island with fixed things.
    fixed: Vec<Contact>,
    sliding: Vec<Sliding>,
    around: Vec<(usize, DVec2)>,
    corners: Vec<DVec2>,
    pushed: Vec<Pushed>,
}

impl Space {
    /// Whether a body of a row could push an object on its way, so that [`Space::push`] is worth calling.
    #[must_use]
    pub fn may_push(&self, row: usize, pusher: &Pusher) -> bool {
        let radius = DVec2::splat(self.bodies.radii()[row]);
        let (from, to) = (pusher.before.position, pusher.after.position);
        self.may_touch(from.min(to) - radius, from.max(to) + radius)
    }

    /// Whether the object at an index among the things, which has moved from a pose to its own, could push another one.
    #[must_use]
    pub fn object_may_push(&self, place: usize, pusher: &Pusher) -> bool {
        let Some(thing) = self.things.get(place).filter(|thing| !thing.solids.is_empty()) else { return false };
        let reach = DVec2::splat(thing.reach());
        let (from, to) = (pusher.before.position, pusher.after.position);
        self.may_touch(from.min(to) - reach, from.max(to) + reach)
    }

    fn may_touch(&self, low: DVec2, high: DVec2) -> bool {
        let mut may = false;
        self.solids.near_box(&self.arena, low, high, |solid, _| {
            may |= self.movable_of(solid).is_some();
        });
        may
    }

    /// Moves objects out of the way of `bodies`, by row, and of an object that moves by itself, given by its index among the
    /// things. Returns the objects that have moved, by row.
    ///
    /// The index has all bodies at the poses `before`; it is not changed. Objects are at their new poses afterwards: rows,
    /// things and solids. If a body moves farther than a part of its size, objects make way in up to 32 parts of its path.
    pub fn push(&mut self, bodies: &[Pusher], other: Option<(usize, Pusher)>) -> &[Pushed] {
        let mut scratch = std::mem::take(&mut self.pushing);
        let movables = std::mem::take(&mut self.movables);
        scratch.pushed.clear();
        self.solids.sort_movers();
        self.find_near(&movables, bodies, other, &mut scratch);
        self.find_held(&movables, &mut scratch);
        if !scratch.near.is_empty() || !scratch.held.is_empty() {
            let near = std::mem::take(&mut scratch.near);
            let held = std::mem::take(&mut scratch.held);
            let parts = self.parts(&movables, bodies, other, &near);
            scratch.starts.clear();
            scratch.starts.extend(movables.iter().map(|movable| self.stand(movable.row)));
            scratch.work.clear();
            scratch.work.resize(movables.len(), 0.0);
            let mut step =
                Step { space: self, movables: &movables, bodies, other, near: &near, held: &held, part: 1.0 };
            for part in 1..=parts {
                step.part = f64::from(part) / f64::from(parts);
                step.run(&mut scratch);
            }
            (scratch.near, scratch.held) = (near, held);
            self.finish(&movables, &mut scratch);
        }
        self.movables = movables;
        self.pushing = scratch;
        &self.pushing.pushed
    }

    /// The objects that can be pushed, by row.
    #[must_use]
    pub fn movables(&self) -> &[Movable] {
        &self.movables
    }

    /// Sets the objects that can be pushed, whose rows and solids exist.
    pub fn set_movables(&mut self, mut movables: Vec<Movable>) {
        movables.sort_by_key(|movable| movable.row);
        self.movables = movables;
    }

    fn movable_of(&self, solid: usize) -> Option<usize> {
        let row = self.solids.properties(solid).owner?;
        self.movables.binary_search_by_key(&row, |movable| movable.row).ok()
    }

    /// Lists the pushers that could touch each object in this step.
    fn find_near(
        &self,
        movables: &[Movable],
        bodies: &[Pusher],
        other: Option<(usize, Pusher)>,
        Scratch { near, .. }: &mut Scratch,
    ) {
        near.clear();
        let farthest = bodies.iter().map(Pusher::way).fold(0.0, f64::max);
        for (place, movable) in movables.iter().enumerate() {
            let (first, at) = (near.len(), self.stand(movable.row).position);
            // Objects can be pushed on by as much as bodies move.
            self.index.within_range(at, movable.reach + 2.0 * farthest + TOLERANCE, None, |body| {
                if self.bodies.contacts()[body.row] != Role::Ghost {
                    near.push((place as u32, body.row as u32));
                }
            });
            near[first..].sort_unstable();
            if let Some((thing, pusher)) = other {
                let reach = self.things.get(thing).map_or(0.0, |thing| thing.reach());
                let offset = self.arena.offset(at, pusher.after.position);
                if thing != movable.place && offset.length() < movable.reach + reach + 2.0 * pusher.way() {
                    near.push((place as u32, OTHER));
                }
            }
        }
    }

    /// Lists the grasps of each object.
    fn find_held(&self, movables: &[Movable], Scratch { held, .. }: &mut Scratch) {
        held.clear();
        for (number, grasp) in self.grasps.iter().enumerate() {
            if let Ok(place) = movables.binary_search_by_key(&grasp.thing, |movable| movable.place) {
                held.push((place as u32, number as u32));
            }
        }
        held.sort_unstable();
    }

    /// The pose of a robot that holds an object at the point of the grasp, if it has another pose.
    ///
    /// A robot that holds an object alone also keeps its angle to the object.
    #[must_use]
    pub fn pose_at_grasp(&self, number: usize, pose: BodyPose) -> Option<BodyPose> {
        let grasp = self.grasps.get(number)?;
        let place = self.movables.binary_search_by_key(&grasp.thing, |movable| movable.place).ok()?;
        let object = self.stand(self.movables[place].row);
        let is_alone = self.grasps.iter().filter(|other| other.thing == grasp.thing).count() == 1;
        let turn = if is_alone { math::wrap_angle(object.heading + grasp.turn - pose.heading) } else { 0.0 };
        let heading = pose.heading + turn;
        let (from, to) = (grasp.point_on_robot(BodyPose { heading, ..pose }), grasp.point_on_thing(object));
        let position = self.arena.confine(pose.position + self.arena.offset(from, to), 0.0);
        let is_there = position.distance_squared(pose.position) <= TOLERANCE * TOLERANCE && turn == 0.0;
        (!is_there).then_some(BodyPose { position, heading })
    }

    /// The number of parts of a step in which no pusher passes by or through an object.
    fn parts(
        &self,
        movables: &[Movable],
        bodies: &[Pusher],
        other: Option<(usize, Pusher)>,
        near: &[(u32, u32)],
    ) -> u32 {
        let parts = |&(object, pusher): &(u32, u32)| {
            let (pusher, inner, reach) = match (bodies.get(pusher as usize), other) {
                (Some(body), _) => {
                    let row = pusher as usize;
                    let turns = self.bodies.outline(row).is_some();
                    (*body, self.bodies.inner_radius(row), if turns { self.bodies.radii()[row] } else { 0.0 })
                }
                (None, Some((thing, pusher))) => {
                    let reach = self.things.get(thing).map_or(0.0, |thing| thing.reach());
                    (pusher, reach / 4.0, reach)
                }
                (None, None) => return 1.0,
            };
            let turn = math::wrap_angle(pusher.after.heading - pusher.before.heading).abs() * reach;
            (pusher.way() + turn) / (STRIDE * inner.min(movables[object as usize].inner))
        };
        let most = near.iter().map(parts).fold(1.0, f64::max);
        most.ceil().min(MOST_PARTS) as u32
    }

    /// Wraps the objects that have moved, moves their things, and lists them.
    fn finish(&mut self, movables: &[Movable], Scratch { starts, work, pushed, .. }: &mut Scratch) {
        for (place, movable) in movables.iter().enumerate() {
            let mut pose = self.stand(movable.row);
            if pose == starts[place] {
                continue;
            }
            let displacement = pose.position - starts[place].position;
            let wrapped = self.arena.wrap(pose.position);
            if self.arena.boundary == Boundary::Periodic && wrapped != pose.position {
                pose.position = wrapped;
                place_solids(self, movable, pose);
            }
            let (to, facing) = movable.placed(pose);
            if let Some(thing) = self.things.get_mut(movable.place) {
                thing.position = pose.position;
                for (form, drawn) in thing.forms.iter_mut().zip(&movable.forms) {
                    form.place(drawn, to, facing);
                }
            }
            pushed.push(Pushed { row: movable.row, pose, displacement, work_j: work[place] });
        }
    }
}

/// Moves the row and the solids of an object to a pose.
fn place_solids(space: &mut Space, movable: &Movable, pose: BodyPose) {
    space.bodies.place(movable.row, pose.position);
    space.bodies.turn(movable.row, pose.heading);
    let (to, facing) = movable.placed(pose);
    let solids = space.things.get(movable.place).map_or(0..0, |thing| thing.solids.clone());
    for (solid, form) in solids.zip(&movable.forms) {
        space.solids.place(solid, form.outline(), to, facing);
    }
}

/// A part of a step.
struct Step<'a> {
    space: &'a mut Space,
    movables: &'a [Movable],
    bodies: &'a [Pusher],
    other: Option<(usize, Pusher)>,
    /// Objects and the pushers near them, in order.
    near: &'a [(u32, u32)],
    /// Held objects and their grasps, in order.
    held: &'a [(u32, u32)],
    /// Completed fraction of the step, up to 1.
    part: f64,
}

impl Step<'_> {
    fn run(&mut self, scratch: &mut Scratch) {
        scratch.done.clear();
        scratch.done.resize(self.movables.len(), false);
        scratch.local.clear();
        scratch.local.resize(self.movables.len(), NO_OBJECT);
        for object in 0..self.movables.len() {
            if scratch.done[object] {
                continue;
            }
            // An object is at rest unless a body overlaps it or pulls it.
            let mut deepest = 0.0_f64;
            self.visit_grasps(object, |_, depth, _| deepest = deepest.max(depth.abs()));
            self.visit_pushers(object, 0.0, &mut scratch.corners, |_, touch| {
                deepest = deepest.max(touch.depth);
            });
            if deepest > TOLERANCE {
                self.move_island(object, deepest, scratch);
            }
        }
    }

    /// Moves the object and those that it pushes.
    fn move_island(&mut self, object: usize, deepest: f64, scratch: &mut Scratch) {
        scratch.island.clear();
        scratch.before.clear();
        scratch.spent.clear();
        self.join(object, scratch);
        let margin = 4.0 * deepest + TOLERANCE;
        for round in 0..ROUNDS {
            let deepest = self.find_contacts(margin, scratch);
            if deepest <= TOLERANCE / 2.0 && round > 0 {
                break;
            }
            let Scratch { contacts, sliding, island, work, .. } = &mut *scratch;
            let frictions = island.iter().map(|object| self.friction(*object as usize));
            sliding.clear();
            sliding.extend(frictions.clone().map(Sliding::new));
            let is_held = solve::solve(contacts, sliding, frictions.map(|friction| friction.force_n).sum());
            for (object, sliding) in island.iter().zip(sliding) {
                let movable = &self.movables[*object as usize];
                let twist = bounded(sliding.twist(), movable);
                if !self.is_lifted(*object as usize) {
                    work[*object as usize] += movable.friction.work(twist.shift, twist.turn);
                }
                let pose = movable.after(self.space.stand(movable.row), twist);
                place_solids(self.space, movable, pose);
            }
            if is_held {
                break;
            }
        }
        self.take_back(margin, scratch);
        scratch.island.iter().for_each(|object| scratch.local[*object as usize] = NO_OBJECT);
    }

    /// Adds an object to the island.
    fn join(&self, object: usize, Scratch { island, before, spent, work, local, done, .. }: &mut Scratch) {
        local[object] = island.len() as u32;
        done[object] = true;
        island.push(object as u32);
        before.push(self.space.stand(self.movables[object].row));
        spent.push(work[object]);
    }

    /// Finds all contacts of the island up to a gap of `margin` (m), objects that it reaches included; those with fixed
    /// things come last. Returns the largest overlap (m) with something that moves.
    fn find_contacts(&self, margin: f64, scratch: &mut Scratch) -> f64 {
        scratch.contacts.clear();
        scratch.fixed.clear();
        let mut deepest = 0.0_f64;
        let mut place = 0;
        while let Some(&object) = scratch.island.get(place) {
            let object = object as usize;
            let movable = &self.movables[object];
            let centroid = movable.centroid_at(self.space.stand(movable.row));
            let contact = |touch: &Touch, most_n: f64| Contact {
                object: place as u32,
                other: NO_OBJECT,
                along: Twist::along(touch.normal, touch.point - centroid),
                back: Twist::default(),
                depth: touch.depth,
                least_n: 0.0,
                most_n,
                force_n: 0.0,
            };
            let mut corners = std::mem::take(&mut scratch.corners);
            let mut pushes = std::mem::take(&mut scratch.contacts);
            self.visit_grasps(object, |along, depth, force_n| {
                deepest = deepest.max(depth.abs());
                let (least_n, most_n, other, back) = (-force_n, force_n, NO_OBJECT, Twist::default());
                pushes.push(Contact { object: place as u32, other, along, back, depth, least_n, most_n, force_n: 0.0 });
            });
            let mut stops = std::mem::take(&mut scratch.fixed);
            self.visit_pushers(object, margin, &mut corners, |pusher, touch| {
                if self.is_fixed(pusher) {
                    stops.push(contact(&touch, f64::INFINITY));
                } else {
                    deepest = deepest.max(touch.depth);
                    pushes.push(contact(&touch, self.force_n(pusher)));
                }
            });
            scratch.corners = corners;
            self.list_around(object, margin, &mut scratch.around);
            self.visit_walls(object, margin, |touch| stops.push(contact(&touch, f64::INFINITY)));
            for k in 0..scratch.around.len() {
                let (solid, shift) = scratch.around[k];
                let neighbour = self.find(solid);
                match neighbour {
                    None => self.visit_solid(object, solid, shift, margin, |touch| {
                        stops.push(contact(&touch, f64::INFINITY));
                    }),
                    Some(neighbour) => {
                        let mut touches = false;
                        let known = scratch.local[neighbour];
                        if known != NO_OBJECT && known as usize <= place {
                            // The pair was found from the other side.
                            continue;
                        }
                        self.visit_solid(object, solid, shift, margin, |_| touches = true);
                        if !touches {
                            continue;
                        }
                        if known == NO_OBJECT {
                            self.join(neighbour, scratch);
                        }
                        let other = scratch.local[neighbour];
                        let its = &self.movables[neighbour];
                        let its_centroid = its.centroid_at(self.space.stand(its.row)) + shift;
                        self.visit_solid(object, solid, shift, margin, |touch| {
                            deepest = deepest.max(touch.depth);
                            let back = Twist::along(-touch.normal, touch.point - its_centroid);
                            pushes.push(Contact { other, back, ..contact(&touch, f64::INFINITY) });
                        });
                    }
                }
            }
            (scratch.contacts, scratch.fixed) = (pushes, stops);
            place += 1;
        }
        let Scratch { contacts, fixed, .. } = scratch;
        contacts.append(fixed);
        deepest
    }

    /// Takes back the motion of objects that overlap walls, solids or other objects more than a little, and more than before.
    fn take_back(&mut self, margin: f64, scratch: &mut Scratch) {
        loop {
            let mut any = false;
            for place in 0..scratch.island.len() {
                let object = scratch.island[place] as usize;
                let movable = &self.movables[object];
                let (now, before) = (self.space.stand(movable.row), scratch.before[place]);
                if now == before || !self.is_in_the_way(object, margin, scratch) {
                    continue;
                }
                place_solids(self.space, movable, before);
                scratch.work[object] = scratch.spent[place];
                any = true;
            }
            if !any {
                break;
            }
        }
    }

    /// Whether an object overlaps something deeply, and more deeply than before this part of the step.
    fn is_in_the_way(&mut self, object: usize, margin: f64, scratch: &mut Scratch) -> bool {
        let movable = &self.movables[object];
        let now = self.space.stand(movable.row);
        let before = scratch.before[scratch.local[object] as usize];
        self.list_around(object, margin, &mut scratch.around);
        let firm = FIRM * movable.inner;
        let in_walls = self.depth_in_walls(object);
        let deep: bool = in_walls > firm;
        let mut found = false;
        if deep {
            place_solids(self.space, movable, before);
            found = in_walls > self.depth_in_walls(object) + TOLERANCE;
            place_solids(self.space, movable, now);
        }
        for k in 0..scratch.around.len() {
            if found {
                break;
            }
            let (solid, shift) = scratch.around[k];
            let neighbour = self.find(solid);
            let most = match neighbour {
                None => firm,
                Some(neighbour) => SOFT * movable.inner.min(self.movables[neighbour].inner),
            };
            let depth = self.depth(object, solid, shift);
            if depth <= most {
                continue;
            }
            // Where both were before.
            let its = neighbour.map(|neighbour| {
                let its = &self.movables[neighbour];
                let local = scratch.local[neighbour];
                let now = self.space.stand(its.row);
                (its, now, scratch.before.get(local as usize).copied().unwrap_or(now))
            });
            place_solids(self.space, movable, before);
            if let Some((its, _, before)) = its {
                place_solids(self.space, its, before);
            }
            found = depth > self.depth(object, solid, shift) + TOLERANCE;
            place_solids(self.space, movable, now);
            if let Some((its, now, _)) = its {
                place_solids(self.space, its, now);
            }
        }
        found
    }

    /// The object of a solid, if it can be pushed.
    fn find(&self, solid: usize) -> Option<usize> {
        let row = self.space.solids.properties(solid).owner?;
        self.movables.binary_search_by_key(&row, |movable| movable.row).ok()
    }

    /// The solids of an object.
    fn solids(&self, object: usize) -> std::ops::Range<usize> {
        self.space.things.get(self.movables[object].place).map_or(0..0, |thing| thing.solids.clone())
    }

    /// Lists the blocking solids of others near an object, by number, with the shifts to their images.
    fn list_around(&self, object: usize, margin: f64, around: &mut Vec<(usize, DVec2)>) {
        around.clear();
        let own = self.solids(object);
        for mine in own.clone() {
            let (low, high) = self.space.solids.bounds(mine);
            self.space.solids.near_box(&self.space.arena, low - margin, high + margin, |solid, shift| {
                let is_other = self.other.is_some_and(|(thing, _)| {
                    self.space.things.get(thing).is_some_and(|thing| thing.solids.contains(&solid))
                });
                if !own.contains(&solid) && !is_other && self.space.solids.properties(solid).blocks {
                    around.push((solid, shift));
                }
            });
        }
        around.sort_unstable_by(|one, other| {
            (one.0.cmp(&other.0)).then(one.1.x.total_cmp(&other.1.x)).then(one.1.y.total_cmp(&other.1.y))
        });
        around.dedup();
    }

    fn shape(&self, solid: usize) -> Shape<'_> {
        Shape { outline: self.space.solids.outline(solid), is_convex: self.space.solids.is_convex(solid) }
    }

    /// Visits the contacts of an object with a solid; normals point to the object.
    fn visit_solid(&self, object: usize, solid: usize, shift: DVec2, margin: f64, mut found: impl FnMut(Touch)) {
        for mine in self.solids(object) {
            touch::visit(self.shape(solid), self.shape(mine), -shift, margin, |touch| {
                found(Touch { point: touch.point + shift, ..touch });
            });
        }
    }

    fn depth(&self, object: usize, solid: usize, shift: DVec2) -> f64 {
        let depths = self.solids(object).map(|mine| touch::depth(self.shape(solid), self.shape(mine), -shift));
        depths.fold(0.0, f64::max)
    }

    fn depth_in_walls(&self, object: usize) -> f64 {
        let depths =
            self.solids(object).map(|mine| depth_in_walls(&self.space.arena, &self.space.solids.outline(mine)));
        depths.fold(0.0, f64::max)
    }

    /// Visits the contacts of an object with the walls of the arena.
    fn visit_walls(&self, object: usize, margin: f64, mut found: impl FnMut(Touch)) {
        let arena = &self.space.arena;
        if arena.boundary != Boundary::Walls {
            return;
        }
        let mut at = |point: DVec2, radius: f64| {
            let walls = [
                (DVec2::X, point.x - radius - arena.low.x),
                (DVec2::NEG_X, arena.high().x - point.x - radius),
                (DVec2::Y, point.y - radius - arena.low.y),
                (DVec2::NEG_Y, arena.high().y - point.y - radius),
            ];
            for (normal, gap) in walls.into_iter().filter(|(_, gap)| *gap < margin) {
                found(Touch { point: point - radius * normal, normal, depth: -gap });
            }
        };
        for solid in self.solids(object) {
            match self.space.solids.outline(solid) {
                Outline::Disc { center, radius } => at(center, radius),
                Outline::Polygon(corners) => corners.iter().for_each(|corner| at(*corner, 0.0)),
            }
        }
    }

    /// The friction of an object on the floor; almost none while a robot lifts it.
    fn friction(&self, object: usize) -> Friction {
        let Friction { force_n, moment_n_m } = self.movables[object].friction;
        let part = if self.is_lifted(object) { LIFTED } else { 1.0 };
        Friction { force_n: part * force_n, moment_n_m: part * moment_n_m }
    }

    fn is_lifted(&self, object: usize) -> bool {
        self.grasps_of(object).iter().any(|(_, number)| self.space.grasps[*number as usize].lifts)
    }

    /// The grasps of an object.
    fn grasps_of(&self, object: usize) -> &[(u32, u32)] {
        let from = self.held.partition_point(|(other, _)| (*other as usize) < object);
        let to = self.held.partition_point(|(other, _)| (*other as usize) <= object);
        &self.held[from..to]
    }

    /// Visits the conditions of the grasps of an object: the twists that follow the robots, the displacement (m) that is
    /// left, and the largest force (N). The angle of a single robot counts as the displacement of the farthest point.
    fn visit_grasps(&self, object: usize, mut found: impl FnMut(Twist, f64, f64)) {
        let (movable, grasps) = (&self.movables[object], self.grasps_of(object));
        let pose = self.space.stand(movable.row);
        for (_, number) in grasps {
            let grasp = &self.space.grasps[*number as usize];
            let Some(body) = self.bodies.get(grasp.row) else { continue };
            let robot = body.pose(self.part);
            let point = grasp.point_on_thing(pose);
            let left = self.space.arena.offset(point, grasp.point_on_robot(robot));
            let force_n = grasp.force_n.min(UNLIMITED_N);
            let arm = point - movable.centroid_at(pose);
            found(Twist::along(DVec2::X, arm), left.x, force_n);
            found(Twist::along(DVec2::Y, arm), left.y, force_n);
            if grasps.len() == 1 {
                let turn = math::wrap_angle(robot.heading - grasp.turn - pose.heading);
                found(Twist { shift: DVec2::ZERO, turn: movable.reach }, turn * movable.reach, force_n);
            }
        }
    }

    /// Whether a pusher holds an object.
    fn holds(&self, pusher: u32, object: usize) -> bool {
        self.grasps_of(object).iter().any(|(_, number)| self.space.grasps[*number as usize].row == pusher as usize)
    }

    /// The pushers near an object.
    fn near_of(&self, object: usize) -> &[(u32, u32)] {
        let from = self.near.partition_point(|(other, _)| (*other as usize) < object);
        let to = self.near.partition_point(|(other, _)| (*other as usize) <= object);
        &self.near[from..to]
    }

    fn pusher(&self, pusher: u32) -> Option<&Pusher> {
        match (self.bodies.get(pusher as usize), &self.other) {
            (Some(body), _) => Some(body),
            (None, Some((_, other))) => Some(other),
            (None, None) => None,
        }
    }

    fn force_n(&self, pusher: u32) -> f64 {
        self.pusher(pusher).map_or(0.0, |pusher| pusher.force_n.min(UNLIMITED_N))
    }

    /// Whether nothing moves a pusher that stays where it is, such as a dead robot.
    fn is_fixed(&self, pusher: u32) -> bool {
        let bodies = &self.space.bodies;
        bodies.owners().get(pusher as usize).is_some_and(|owner| owner.dead)
            || bodies.contacts()[..bodies.len()].get(pusher as usize) == Some(&Role::Fixed)
    }

    /// Visits the contacts of an object with the pushers near it; normals point to the object.
    fn visit_pushers(&self, object: usize, margin: f64, corners: &mut Vec<DVec2>, mut found: impl FnMut(u32, Touch)) {
        let at = self.space.stand(self.movables[object].row).position;
        for (_, number) in self.near_of(object) {
            let Some(pusher) = self.pusher(*number).filter(|_| !self.holds(*number, object)) else { continue };
            let pose = pusher.pose(self.part);
            // Its image that is nearest to the object.
            let center = at + self.space.arena.offset(at, pose.position);
            let row = *number as usize;
            if *number == OTHER {
                let forms = self.other.and_then(|(thing, _)| self.space.things.get(thing));
                let turn = math::direction(pose.heading - pusher.after.heading);
                for form in forms.iter().flat_map(|thing| &thing.forms) {
                    let moved = form.placed(center - turn.rotate(pusher.after.position), turn);
                    let is_convex = match &moved {
                        Form::Disc { .. } => true,
                        Form::Polygon(corners) => {
                            polygon::hull(corners).is_empty() && polygon::signed_area(corners) > 0.0
                        }
                    };
                    self.visit_shape(object, Shape { outline: moved.outline(), is_convex }, margin, |touch| {
                        found(*number, touch);
                    });
                }
                continue;
            }
            match self.space.bodies.drawn(row) {
                None => {
                    let outline = Outline::Disc { center, radius: self.space.bodies.radii()[row] };
                    self.visit_shape(object, Shape { outline, is_convex: true }, margin, |touch| found(*number, touch));
                }
                Some(drawn) => {
                    let facing = math::direction(pose.heading);
                    corners.clear();
                    corners.extend(drawn.corners.iter().map(|corner| center + facing.rotate(*corner)));
                    let is_reversed = polygon::signed_area(corners) < 0.0;
                    if is_reversed {
                        corners.reverse();
                    }
                    let is_convex = self.space.solids.is_convex(drawn.solid);
                    let shape = Shape { outline: Outline::Polygon(corners), is_convex };
                    self.visit_shape(object, shape, margin, |touch| found(*number, touch));
                }
            }
        }
    }

    fn visit_shape(&self, object: usize, shape: Shape, margin: f64, mut found: impl FnMut(Touch)) {
        for mine in self.solids(object) {
            touch::visit(shape, self.shape(mine), DVec2::ZERO, margin, &mut found);
        }
    }
}

/// A twist by which no point of an object moves farther than about its inner radius.
fn bounded(twist: Twist, movable: &Movable) -> Twist {
    let way = twist.shift.length() + twist.turn.abs() * movable.reach;
    if !way.is_finite() {
        // An area of almost no size.
        return Twist::default();
    }
    if way <= movable.inner {
        return twist;
    }
    let part = movable.inner / way;
    Twist { shift: part * twist.shift, turn: part * twist.turn }
}

#[cfg(test)]
mod tests;
