//! Space: where bodies, solids and walls are, and who is near, in sight or in the way.
//!
//! Plain algorithms on flat arrays that know nothing of the ECS, which fills [`Bodies`] each step. Lengths are in
//! metres and angles in radians. Results are the same bits on every machine, for any number of threads, and for a
//! fresh [`Space`] and one that has been used before.
//!
//! ```
//! use bevy::math::DVec2;
//! use swarmarium_space::{Body, Boundary, Field, Space};
//!
//! let mut space = Space::new(Field::new(DVec2::splat(10.0), Boundary::Walls));
//! space.bodies.resize(2);
//! space.bodies.set(0, Body { position: DVec2::new(2.0, 5.0), radius: 0.25, ..Body::default() });
//! space.bodies.set(1, Body { position: DVec2::new(3.0, 5.0), radius: 0.25, ..Body::default() });
//! space.update();
//!
//! let hit = space.first_hit(DVec2::new(2.0, 5.0), DVec2::X, 2.0, Some(0));
//! assert_eq!(hit.map(|hit| hit.distance), Some(0.75));
//! ```

pub mod arena;
mod beam;
mod bodies;
mod cells;
pub mod classic;
mod collide;
pub mod drawing;
mod ellipse;
mod field;
#[cfg(test)]
mod fixture;
mod grid;
mod halt;
mod helpers;
mod hit;
mod index;
mod overlap;
pub mod polygon;
mod proximity_cache;
mod ray;
mod sector;
mod solid;
mod surroundings;
mod sweep;
mod thing;

use bevy::math::DVec2;

pub use beam::{Beam, InfraredModel};
pub use bodies::MovingBodies;
pub use bodies::{Bodies, Body, BodyOwner, Collides, Contact, Drawn};
pub use collide::TOLERANCE;
pub use ellipse::Ellipse;
pub use field::{Boundary, Field};
pub use halt::{Bump, Halting, Stand};
pub use helpers::Helpers;
pub use hit::{Hit, Target};
pub use index::{Answer, Index, Neighbour};
pub use sector::{Aperture, Sector};
pub use solid::{Outline, SolidError, SolidProperties, Solids};
pub use surroundings::Surroundings;
pub use thing::{Arrival, Form, Thing, ThingKind};

/// An arena with all that is in it.
#[derive(Clone, Debug)]
pub struct Space {
    /// The arena.
    pub arena: Field,
    /// The bodies. Call [`Space::update`] after a change, before any query.
    pub bodies: Bodies,
    /// The solid things in the way of bodies and rays.
    pub solids: Solids,
    /// The objects by their place in the scene, those that are not solid included.
    pub things: Vec<Thing>,
    /// What beams find.
    pub infrared_model: InfraredModel,
    /// The centres (m) of the boxes of the broad phase of classic collisions, by row; empty with standard ones.
    pub boxes: Vec<DVec2>,
    index: Index,
    scratch: collide::Scratch,
    proximity: proximity_cache::ProximityCache,
    halts: halt::Scratch,
}

impl Space {
    /// An empty space.
    #[must_use]
    pub fn new(arena: Field) -> Self {
        let (bodies, solids, things, infrared_model, boxes, index, scratch, proximity, halts) = Default::default();
        Self { arena, bodies, solids, things, infrared_model, boxes, index, scratch, proximity, halts }
    }

    /// The bodies by place, for queries.
    #[inline]
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Brings the index up to date with the bodies.
    pub fn update(&mut self) {
        self.proximity.forget();
        self.index.update(&self.arena, &self.bodies);
    }

    /// Brings the index up to date after [`Space::place_body`], [`Space::resolve_one`] and [`Space::halt_one`].
    pub fn refresh(&mut self) {
        self.index.refresh(&self.arena, &self.bodies);
    }

    /// Calls `visit` with each solid, those of bodies included, whose bounding box meets the box from `low` to `high`, and
    /// with the shift (m) from where it is to the image that does.
    pub fn near_solids(&self, low: DVec2, high: DVec2, mut visit: impl FnMut(usize, DVec2)) {
        self.solids.near_box(&self.arena, low, high, &mut visit);
        if self.bodies.are_discs() {
            return;
        }
        // The index gives each body once, where it is nearest: large ones may be met in several images.
        let reach = (high - low) / 2.0 + self.index.largest_radius();
        self.index.near_box(low.midpoint(high), (-reach, reach), |body| {
            if let Some(solid) = self.bodies.outline(body.row) {
                self.solids.images(&self.arena, solid, (low, high)).for_each(|shift| visit(solid, shift));
            }
        });
    }

    /// Visits every body that touches `sector`, whose tip is at `center`: discs as [`Index::within_sector`] does, and
    /// outlines where some of what is drawn is in it.
    #[inline]
    pub fn within_sector<A: Answer>(
        &self,
        center: DVec2,
        sector: &Sector,
        except: Option<usize>,
        mut visit: impl FnMut(Neighbour) -> A,
    ) -> bool {
        if self.bodies.are_discs() {
            return self.index.within_sector(center, sector, except, visit);
        }
        self.index.within_sector(center, sector, except, |body| self.is_drawn_in(sector, &body) && visit(body).stops())
    }

    /// Whether the body in `row` touches `sector`, whose tip is at `center`, as one that [`Space::within_sector`] visits.
    #[inline]
    #[must_use]
    pub fn in_sector(&self, row: usize, center: DVec2, sector: &Sector) -> Option<Neighbour> {
        let touches = |body: &Neighbour| sector.touches(body.offset, body.radius) && self.is_drawn_in(sector, body);
        self.index.neighbour(row, center).filter(touches)
    }

    /// Whether some of what is drawn of a body is in a sector that its disc touches.
    #[inline]
    fn is_drawn_in(&self, sector: &Sector, body: &Neighbour) -> bool {
        let shift = body.offset - self.bodies.positions()[body.row];
        let is_in = |solid| self.solids.outline(solid).nearest_in(sector, shift).is_some();
        self.bodies.are_discs() || self.bodies.outline(body.row).is_none_or(is_in)
    }

    /// Visits the detectable bodies that overlap or touch the body in `row`; none if that body has [`Collides::Off`].
    ///
    /// With classic collisions, only discs whose boxes touch are visited.
    pub fn visit_overlapping(&self, row: usize, mut visit: impl FnMut(usize)) {
        let (position, radius) = (self.bodies.positions()[row], self.bodies.radii()[row]);
        if self.bodies.collides()[row] == Collides::Off {
            return;
        }
        if row < self.boxes.len() {
            let is_disc = self.bodies.contacts()[row] != Contact::Outlined;
            self.near_box_of(row).filter(|other| is_disc && self.meets_classic(row, *other)).for_each(visit);
            return;
        }
        self.index.within_range(position, radius, Some(row), |other| {
            if self.bodies.collides()[other.row] != Collides::Off && self.overlap(row, &other) {
                visit(other.row);
            }
        });
    }

    /// Whether the body in `row` and one whose disc overlaps its own push each other: both push, and overlap as drawn.
    pub fn touch(&self, row: usize, other: &Neighbour) -> bool {
        self.bodies.push(row, other.row) && self.overlap(row, other)
    }

    /// Whether the body in `row` overlaps a body whose disc overlaps its own: as drawn, where they are no discs.
    fn overlap(&self, row: usize, other: &Neighbour) -> bool {
        if self.bodies.contacts()[other.row] == Contact::Ghost {
            return false;
        }
        let outline = |row: usize| self.bodies.outline(row).map(|solid| self.solids.outline(solid));
        // Below this overlap, collisions leave bodies where they are.
        let disc = |row: usize| {
            let (center, radius) = (self.bodies.positions()[row], self.bodies.radii()[row]);
            Outline::Disc { center, radius: (radius - TOLERANCE).max(0.0) }
        };
        let shift = self.bodies.positions()[row] + other.offset - self.bodies.positions()[other.row];
        match (outline(row), outline(other.row)) {
            (None, None) => true,
            (mine, theirs) => {
                let (mine, theirs) = (mine.unwrap_or_else(|| disc(row)), theirs.unwrap_or_else(|| disc(other.row)));
                mine.meets(&theirs, shift)
            }
        }
    }

    /// Moves the outline of the body in `row` to where the body is.
    ///
    /// Nothing happens where the body is a disc.
    pub fn place_outline(&mut self, row: usize) {
        if let Some(Drawn { solid, corners, .. }) = self.bodies.drawn(row) {
            let (position, facing) = (self.bodies.positions()[row], self.bodies.facings()[row]);
            self.solids.place(*solid, Outline::Polygon(corners), position, facing);
        }
    }

    /// Puts the body in `row` at `position`, to which it came by `displacement` (m), and turns it to `heading` (rad), in
    /// the index too.
    ///
    /// For agents that move one after another and see those before them where they have come to.
    pub fn place_body(&mut self, row: usize, position: DVec2, heading: f64, displacement: DVec2) {
        self.proximity.forget();
        self.bodies.place(row, position);
        self.bodies.set_displacement(row, displacement);
        self.bodies.turn(row, heading);
        self.index.move_body(row, self.bodies.positions()[row]);
    }
}
