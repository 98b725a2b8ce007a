//! The bodies of all agents, in flat arrays.

use std::ops::Range;

use bevy::ecs::component::Component;
use bevy::math::DVec2;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use swarmarium_base::math;

use super::color::Rgb;
use super::polygon;

/// Role of a body in collisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contact {
    /// The body pushes others and is pushed.
    #[default]
    Mobile,
    /// The body pushes others and stays where it is.
    Fixed,
    /// The body neither pushes nor is pushed: others pass through it.
    Ghost,
    /// Its outline, a solid, pushes in its place; the body stays where it is.
    Outlined,
}

/// How an agent interacts with other agents that it overlaps. Objects and walls stop it in every case.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Collides {
    /// Two agents with `Push` push each other apart (RobotSwarmSimulator `DetectAndCorrect`).
    #[default]
    Push,
    /// The agent passes through other agents; regions and `Overlap` sensors detect it.
    Detect,
    /// As `Detect`, but regions and `Overlap` sensors do not detect it (RobotSwarmSimulator `Disabled`).
    Off,
}

/// Input of [`Bodies::set`] for one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Body {
    /// Centre (m).
    pub position: DVec2,
    /// Heading (rad), counter-clockwise from the x axis.
    pub heading: f64,
    /// Radius (m), 0 or more.
    pub radius: f64,
    /// Displacement (m) in this step.
    pub displacement: DVec2,
    /// Any number that queries return with the body, such as its team.
    pub group: u32,
    /// Its role in collisions.
    pub contact: Contact,
    /// How it interacts with other bodies that it overlaps.
    pub collides: Collides,
}

/// The agent that a body belongs to. Constant until an agent is added, removed or dies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyOwner {
    /// Number of the agent, as in its stable id.
    pub number: u32,
    /// Index of its group in the scene.
    pub group: u32,
    /// Hash of the name of its group.
    pub name: u32,
    /// Serial number within the group, counted from 0.
    pub serial: u32,
    /// Whether the agent is dead.
    pub dead: bool,
}

/// The bodies of all agents, one row each; the row is the rank of an agent by stable id.
///
/// Rows of active objects follow: their sensors read from there, and no query returns them.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    count: usize,
    positions: Vec<DVec2>,
    headings: Vec<f64>,
    facings: Vec<DVec2>,
    radii: Vec<f64>,
    displacements: Vec<DVec2>,
    groups: Vec<u32>,
    contacts: Vec<Contact>,
    collides: Vec<Collides>,
    pushed: Vec<bool>,
    collided: Vec<u32>,
    owners: Vec<BodyOwner>,
    /// Colours of LEDs; empty unless a body has some.
    leds: Vec<Option<Rgb>>,
    /// Outlines of bodies that are not discs, by row.
    outlines: Vec<Drawn>,
    /// Inner radius (m) of each outline: a disc of this radius around the centre lies within it.
    inner: Vec<f64>,
    /// Whether rows, radii or groups were set since the index was updated.
    reshaped: bool,
}

/// The outline of a body that is not a disc.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The row of the body.
    pub row: usize,
    /// Its solid.
    pub solid: usize,
    /// Its corners (m) in the frame of the body.
    pub corners: Vec<DVec2>,
}

impl Drawn {
    /// Radius (m) of the largest disc around the centre within the outline, at least a small fraction of its size.
    fn inner_radius(&self) -> f64 {
        let reach = self.corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        let nearest = polygon::closest_boundary_point(&self.corners, DVec2::ZERO);
        let covered = nearest.filter(|_| polygon::contains(&self.corners, DVec2::ZERO));
        covered.map_or(0.0, |(point, _)| point.length()).max(reach / 32.0)
    }
}

impl Bodies {
    /// Number of bodies.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no body.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Sets the number of bodies; new rows are points at the origin.
    pub fn resize(&mut self, bodies: usize) {
        self.resize_with_objects(bodies, 0);
    }

    /// As [`Bodies::resize`], with rows for `objects` objects after the bodies.
    pub fn resize_with_objects(&mut self, bodies: usize, objects: usize) {
        let rows = bodies + objects;
        self.count = bodies;
        self.reshaped = true;
        self.positions.resize(rows, DVec2::ZERO);
        self.headings.resize(rows, 0.0);
        self.facings.resize(rows, DVec2::X);
        self.radii.resize(rows, 0.0);
        self.displacements.resize(rows, DVec2::ZERO);
        self.groups.resize(rows, 0);
        self.contacts.resize(rows, Contact::Mobile);
        self.collides.resize(rows, Collides::Push);
        self.pushed.resize(rows, false);
        self.collided.resize(rows, 0);
        // Rows of objects have no owner, even if they had one before.
        self.owners.truncate(bodies);
        self.owners.resize(rows, BodyOwner::default());
        self.leds.clear();
        self.outlines.retain(|drawn| drawn.row < rows);
        self.inner.truncate(self.outlines.len());
    }

    /// Sets the solids that are outlines of bodies, by row.
    pub fn set_outlines(&mut self, outlines: Vec<Drawn>) {
        self.inner = outlines.iter().map(Drawn::inner_radius).collect();
        self.outlines = outlines;
    }

    /// The solid that is the outline of `row`; `None` for a disc.
    #[inline]
    #[must_use]
    pub fn outline(&self, row: usize) -> Option<usize> {
        self.drawn(row).map(|drawn| drawn.solid)
    }

    /// The outline of `row` with its corners; `None` for a disc.
    #[inline]
    #[must_use]
    pub fn drawn(&self, row: usize) -> Option<&Drawn> {
        self.place_drawn(row).map(|place| &self.outlines[place])
    }

    /// Radius (m) of the largest disc around the centre within a body; for a disc, its own radius.
    #[inline]
    pub(super) fn inner_radius(&self, row: usize) -> f64 {
        self.place_drawn(row).map_or(self.radii[row], |place| self.inner[place])
    }

    #[inline]
    fn place_drawn(&self, row: usize) -> Option<usize> {
        // Mostly all rows have an outline, or none has.
        if self.outlines.get(row).is_some_and(|drawn| drawn.row == row) {
            return Some(row);
        }
        self.outlines.binary_search_by_key(&row, |drawn| drawn.row).ok()
    }

    /// Whether all bodies are discs.
    #[inline]
    #[must_use]
    pub fn are_discs(&self) -> bool {
        self.outlines.is_empty()
    }

    /// Whether rows, radii or groups were set since the index was updated.
    pub(super) fn is_reshaped(&self) -> bool {
        self.reshaped
    }

    /// Records that the index was updated.
    pub(super) fn note_update(&mut self) {
        self.reshaped = false;
    }

    /// Sets the colour of the LEDs of the body in `row`; `None` while they are off.
    #[inline]
    pub fn set_led(&mut self, row: usize, color: Option<Rgb>) {
        if self.leds.is_empty() {
            self.leds.resize(self.positions.len(), None);
        }
        self.leds[row] = color;
    }

    /// The colour of the LEDs of the body in `row`; `None` if it has none, or they are off. Those of a dead agent are.
    #[inline]
    #[must_use]
    pub fn led(&self, row: usize) -> Option<Rgb> {
        let color = self.leds.get(row).copied().flatten();
        color.filter(|_| !self.owners[row].dead)
    }

    /// Whether a body has LEDs.
    #[inline]
    #[must_use]
    pub fn have_leds(&self) -> bool {
        !self.leds.is_empty()
    }

    /// Sets the owner of the body in `row`.
    pub fn identify(&mut self, row: usize, owner: BodyOwner) {
        self.owners[row] = owner;
    }

    /// Stores `body` in `row`.
    // Inlined, because otherwise each body is built in memory first: for every robot at every step.
    #[inline(always)]
    pub fn set(&mut self, row: usize, body: Body) {
        self.reshaped = true;
        self.positions[row] = body.position;
        self.radii[row] = body.radius;
        self.displacements[row] = body.displacement;
        self.groups[row] = body.group;
        self.contacts[row] = body.contact;
        self.collides[row] = body.collides;
        self.pushed[row] = false;
        self.collided[row] = 0;
        self.turn(row, body.heading);
    }

    /// Sets the centre (m), heading (rad) and displacement (m) of the body in `row`. Everything else stays.
    #[inline]
    pub fn set_pose(&mut self, row: usize, position: DVec2, heading: f64, displacement: DVec2) {
        self.moving(row..row + 1).set_pose(0, position, heading, displacement);
    }

    /// Mutable columns of some rows that change with movement.
    #[inline]
    pub fn moving(&mut self, rows: Range<usize>) -> MovingBodies<'_> {
        MovingBodies {
            positions: &mut self.positions[rows.clone()],
            headings: &mut self.headings[rows.clone()],
            facings: &mut self.facings[rows.clone()],
            displacements: &mut self.displacements[rows.clone()],
            pushed: &mut self.pushed[rows],
        }
    }

    /// Copies a row from `from`, including pushes and collisions since it was set.
    pub fn copy_row(&mut self, row: usize, from: &Self, from_row: usize) {
        self.reshaped = true;
        self.positions[row] = from.positions[from_row];
        self.headings[row] = from.headings[from_row];
        self.facings[row] = from.facings[from_row];
        self.radii[row] = from.radii[from_row];
        self.displacements[row] = from.displacements[from_row];
        self.groups[row] = from.groups[from_row];
        self.contacts[row] = from.contacts[from_row];
        self.collides[row] = from.collides[from_row];
        self.pushed[row] = from.pushed[from_row];
        self.collided[row] = from.collided[from_row];
        self.owners[row] = from.owners[from_row];
    }

    /// Sets the heading (rad) of `row`.
    #[inline]
    pub fn turn(&mut self, row: usize, heading: f64) {
        self.moving(row..row + 1).turn(0, heading);
    }

    /// Shifts the body in `row` by `step` (m) and adds it to its displacement; the index is not updated.
    #[inline]
    pub fn shift(&mut self, row: usize, step: DVec2) {
        self.positions[row] += step;
        self.displacements[row] += step;
        self.pushed[row] = true;
    }

    /// Moves the body in `row` to `position` (m) without changing its displacement; the index is not updated.
    #[inline]
    pub fn place(&mut self, row: usize, position: DVec2) {
        self.positions[row] = position;
    }

    /// Moves the body in `row` back to `position` (m) after something stopped it; its displacement is zero.
    #[inline]
    pub fn stay(&mut self, row: usize, position: DVec2) {
        self.positions[row] = position;
        self.displacements[row] = DVec2::ZERO;
        self.pushed[row] = true;
    }

    /// Sets the displacement (m) of the body in `row` by its own motion in this step.
    #[inline]
    pub fn set_displacement(&mut self, row: usize, displacement: DVec2) {
        self.displacements[row] = displacement;
        self.pushed[row] = false;
        self.collided[row] = 0;
    }

    /// Records the number of other bodies that `row` collided with in this step. If above 0, the body counts as pushed.
    #[inline]
    pub fn set_collided(&mut self, row: usize, others: u32) {
        self.collided[row] = others;
        self.pushed[row] |= others > 0;
    }

    /// Fixes the body in `row` in its position, as for dead agents; its displacement is zero.
    pub fn stop(&mut self, row: usize) {
        self.displacements[row] = DVec2::ZERO;
        self.collided[row] = 0;
        self.fix(row);
    }

    /// As [`stop`](Self::stop), but its last displacement and collisions stay.
    pub fn fix(&mut self, row: usize) {
        self.owners[row].dead = true;
        if self.contacts[row] == Contact::Mobile {
            self.contacts[row] = Contact::Fixed;
        }
    }

    /// Centres (m) by row; those of objects come last.
    #[inline]
    #[must_use]
    pub fn positions(&self) -> &[DVec2] {
        &self.positions
    }

    /// Headings (rad).
    #[inline]
    #[must_use]
    pub fn headings(&self) -> &[f64] {
        &self.headings
    }

    /// Whether all positions and headings are finite, those of objects included.
    #[must_use]
    pub fn are_finite(&self) -> bool {
        self.positions.iter().all(|position| position.is_finite())
            && self.headings.iter().all(|heading| heading.is_finite())
    }

    /// Cosines and sines of the headings.
    #[inline]
    #[must_use]
    pub fn facings(&self) -> &[DVec2] {
        &self.facings
    }

    /// Radii (m).
    #[inline]
    #[must_use]
    pub fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// Displacements (m) since the bodies were set, pushes included.
    #[inline]
    #[must_use]
    pub fn displacements(&self) -> &[DVec2] {
        &self.displacements
    }

    /// Whether each body was pushed since it was set, by a collision.
    #[inline]
    #[must_use]
    pub fn pushed(&self) -> &[bool] {
        &self.pushed
    }

    /// Number of other bodies that each body collided with, as recorded by [`Bodies::set_collided`].
    #[inline]
    #[must_use]
    pub fn collided(&self) -> &[u32] {
        &self.collided
    }

    /// Groups.
    #[inline]
    #[must_use]
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Owners of the bodies, in order of agent numbers, since rows are in order of stable ids.
    #[inline]
    #[must_use]
    pub fn owners(&self) -> &[BodyOwner] {
        &self.owners[..self.count]
    }

    /// The row of the agent with this number.
    #[must_use]
    pub fn row_of(&self, number: u32) -> Option<usize> {
        self.owners[..self.count].binary_search_by_key(&number, |owner| owner.number).ok()
    }

    /// Roles in collisions.
    #[inline]
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Interaction of each body with other bodies that it overlaps.
    #[inline]
    #[must_use]
    pub fn collides(&self) -> &[Collides] {
        &self.collides
    }

    /// Whether two bodies push each other when they overlap: both have [`Collides::Push`].
    #[inline]
    #[must_use]
    pub fn push(&self, one: usize, other: usize) -> bool {
        [one, other].into_iter().all(|row| self.collides[row] == Collides::Push)
    }
}

/// Mutable columns of adjacent rows that change with movement; indices count from the first of these rows.
pub struct MovingBodies<'a> {
    positions: &'a mut [DVec2],
    headings: &'a mut [f64],
    facings: &'a mut [DVec2],
    displacements: &'a mut [DVec2],
    pushed: &'a mut [bool],
}

impl MovingBodies<'_> {
    /// As [`Bodies::set_pose`].
    #[inline(always)]
    pub fn set_pose(&mut self, place: usize, position: DVec2, heading: f64, displacement: DVec2) {
        self.positions[place] = position;
        self.displacements[place] = displacement;
        self.pushed[place] = false;
        self.turn(place, heading);
    }

    /// As [`Bodies::set_pose`] for all rows, in order.
    #[inline]
    pub fn set_poses(&mut self, poses: impl Iterator<Item = (DVec2, f64, DVec2)>) {
        // Two rows that turn share the computation of their sines and cosines.
        let mut waiting = None;
        for (place, (position, heading, displacement)) in poses.enumerate() {
            self.positions[place] = position;
            self.displacements[place] = displacement;
            self.pushed[place] = false;
            if self.headings[place].to_bits() == heading.to_bits() {
                continue;
            }
            self.headings[place] = heading;
            if let Some((other, its_heading)) = waiting.take() {
                let ([its_sin, sin], [its_cos, cos]) = math::sin_cos_pair([its_heading, heading]);
                self.facings[other] = DVec2::new(its_cos, its_sin);
                self.facings[place] = DVec2::new(cos, sin);
            } else {
                waiting = Some((place, heading));
            }
        }
        if let Some((place, heading)) = waiting {
            self.facings[place] = math::direction(heading);
        }
    }

    #[inline(always)]
    fn turn(&mut self, place: usize, heading: f64) {
        // Most agents drive straight most of the time, and sine and cosine are the most expensive part of storing a
        // body.
        if self.headings[place].to_bits() != heading.to_bits() {
            self.headings[place] = heading;
            self.facings[place] = math::direction(heading);
        }
    }

    /// Splits the columns at an index.
    pub fn split_at(self, place: usize) -> (Self, Self) {
        let (positions, more_positions) = self.positions.split_at_mut(place);
        let (headings, more_headings) = self.headings.split_at_mut(place);
        let (facings, more_facings) = self.facings.split_at_mut(place);
        let (displacements, more_displacements) = self.displacements.split_at_mut(place);
        let (pushed, more_pushed) = self.pushed.split_at_mut(place);
        let rest = Self {
            positions: more_positions,
            headings: more_headings,
            facings: more_facings,
            displacements: more_displacements,
            pushed: more_pushed,
        };
        (Self { positions, headings, facings, displacements, pushed }, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_bodies_keep_their_values() {
        let mut bodies = Bodies::default();
        bodies.resize(2);
        let body = Body { position: DVec2::ONE, heading: 1.0, radius: 0.5, group: 7, ..Body::default() };
        bodies.set(1, Body { contact: Contact::Fixed, ..body });
        bodies.shift(1, DVec2::X);
        assert_eq!(bodies.positions(), [DVec2::ZERO, DVec2::new(2.0, 1.0)]);
        assert_eq!(bodies.facings(), [DVec2::X, math::direction(1.0)]);
        assert_eq!(bodies.displacements(), [DVec2::ZERO, DVec2::X]);
        assert_eq!(bodies.groups()[1], 7);
        assert_eq!(bodies.contacts()[1], Contact::Fixed);
        assert_eq!(bodies.pushed(), [false, true]);
        let mut copy = Bodies::default();
        copy.resize(1);
        copy.copy_row(0, &bodies, 1);
        assert_eq!(copy.positions()[0], DVec2::new(2.0, 1.0));
        assert!(copy.pushed()[0]);
        assert_eq!(copy.radii()[0], 0.5);
    }
}
