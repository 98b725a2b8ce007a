//! Space: positions of bodies, solids and walls, with queries for neighbours, visibility and obstacles.
//!
//! Plain algorithms on flat arrays without ECS; the simulation fills [`Bodies`] each step. Lengths are in metres and
//! angles in radians. Results are bit-identical on every machine, for any number of threads, and for a new or reused
//! [`Space`].
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
pub mod cell_grid;
mod cells;
pub mod classic;
mod collide;
pub mod color;
pub mod diffusion;
mod ellipse;
mod field;
#[cfg(test)]
mod fixture;
mod floor;
mod grasp;
mod grid;
mod halt;
mod helpers;
mod hit;
mod index;
mod overlap;
pub mod polygon;
mod proximity_cache;
mod pushing;
mod ray;
mod ray_grid;
pub mod scalar_field;
mod sector;
mod solid;
mod surroundings;
mod sweep;
mod thing;
mod visibility;

use bevy::math::DVec2;

pub use beam::{Beam, InfraredModel};
pub use bodies::MovingBodies;
pub use bodies::{Bodies, Body, BodyOwner, Collides, Contact, Drawn};
pub use cell_grid::CellGrid;
pub use collide::TOLERANCE;
pub use color::{FloorGrid, Rgb};
pub use ellipse::Ellipse;
pub use field::{Boundary, Field};
pub use grasp::Grasp;
pub use halt::{BodyPose, Bump, Halting};
pub use helpers::Helpers;
pub use hit::{Hit, Target};
pub use index::{Answer, Index, Neighbour};
pub use pushing::{Friction, GRAVITY_M_PER_S2, Movable, Pushed, Pusher, area, centroid};
pub use scalar_field::{Emission, FieldSettings, FieldSource, ScalarField, ScalarFields};
pub use sector::{Aperture, Sector};
pub use solid::{Outline, SolidError, SolidProperties, Solids};
pub use surroundings::Surroundings;
pub use thing::{Arrival, Form, Thing, ThingKind};
pub use visibility::Blockers;

/// Number of bodies from which their index may not be in the cache.
const MANY: usize = 4000;

/// An arena with its bodies, solids and objects.
#[derive(Clone, Debug)]
pub struct Space {
    /// The arena.
    pub arena: Field,
    /// The bodies. Call [`Space::update`] after a change, before any query.
    pub bodies: Bodies,
    /// The solid things in the way of bodies and rays.
    pub solids: Solids,
    /// The objects by index in the scene, including those that are not solid.
    pub things: Vec<Thing>,
    /// The robots that hold objects, by row. The simulation fills it in each step.
    pub grasps: Vec<Grasp>,
    /// The scalar fields.
    pub fields: ScalarFields,
    /// Model of the distances measured by beams.
    pub infrared_model: InfraredModel,
    boxes: classic::Boxes,
    index: Index,
    scratch: collide::Scratch,
    proximity: proximity_cache::ProximityCache,
    halts: halt::Scratch,
    catalogue: floor::Catalogue,
    movables: Vec<Movable>,
    pushing: pushing::Scratch,
}

impl Default for Space {
    /// An empty space of one square metre.
    fn default() -> Self {
        Self::new(Field::new(DVec2::ONE, Boundary::Open))
    }
}

impl Space {
    /// An empty space.
    #[must_use]
    pub fn new(arena: Field) -> Self {
        Self {
            arena,
            bodies: Bodies::default(),
            solids: Solids::default(),
            things: Vec::new(),
            grasps: Vec::new(),
            fields: ScalarFields::default(),
            infrared_model: InfraredModel::default(),
            boxes: classic::Boxes::default(),
            index: Index::default(),
            scratch: collide::Scratch::default(),
            proximity: proximity_cache::ProximityCache::default(),
            halts: halt::Scratch::default(),
            catalogue: floor::Catalogue::default(),
            movables: Vec::new(),
            pushing: pushing::Scratch::default(),
        }
    }

    /// An estimate of the size of the memory that it points to, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        // 30,000 simulations of 3 robots take about 7 kB each, of which components and the arena itself take 2 kB.
        4_000 + self.bodies.len() * 400
    }

    /// The spatial index of bodies, for queries.
    #[inline]
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Advances the scalar fields by a step from `start_s`, `dt_s` long (s). The emissions are in order of the fields.
    pub fn advance_fields(&mut self, (start_s, dt_s): (f64, f64), emissions: &[Emission]) {
        self.fields.advance((start_s, dt_s), &self.things, emissions);
    }

    /// Finds the cells of scalar fields that obstacles separate. Objects that act, and can move, separate none.
    pub fn divide_fields(&mut self) {
        if !self.fields.is_empty() {
            let solids = &self.solids;
            let is_fixed = |solid| solids.properties(solid).owner.is_none();
            self.fields.all_mut().iter_mut().for_each(|field| field.divide(solids, is_fixed));
        }
    }

    /// Updates the index after changes of bodies.
    pub fn update(&mut self) {
        self.update_with(None);
    }

    /// As [`Space::update`]; the result is the same with and without `helpers`.
    pub fn update_with(&mut self, helpers: Option<Helpers>) {
        self.index.update(&self.arena, &self.bodies, self.bodies.is_reshaped(), helpers);
        self.bodies.note_update();
        self.proximity.follow(self.index.motion());
        self.measure_boxes();
    }

    /// Updates the index after [`Space::place_body`], [`Space::resolve_one`] and [`Space::halt_one`].
    pub fn refresh(&mut self) {
        self.index.refresh(&self.arena, &self.bodies);
        self.measure_boxes();
    }

    /// Loads the surroundings of some rows up to `near` (m) beyond the edge of their bodies into the cache, if there are
    /// so many bodies that they may not be there. It affects only the speed.
    pub fn preload(&self, rows: impl Iterator<Item = usize>, near: f64) {
        if self.bodies.len() >= MANY {
            let reach = near + 2.0 * self.index.largest_radius();
            let rows = rows.filter(|row| !self.has_no_neighbour(*row, reach));
            self.index.preload(rows.map(|row| self.bodies.positions()[row]), reach);
        }
    }

    /// Visits each solid, including those of bodies, whose bounding box meets the box from `low` to `high`, with the
    /// shift (m) to its image that does.
    pub fn near_solids(&self, low: DVec2, high: DVec2, mut visit: impl FnMut(usize, DVec2)) {
        self.solids.near_box(&self.arena, low, high, &mut visit);
        self.near_solids_of_bodies(low, high, visit);
    }

    /// As [`Space::near_solids`], without the solids of the ray grid; not in a periodic arena.
    fn near_solids_beside_ray_grid(&self, low: DVec2, high: DVec2, mut visit: impl FnMut(usize, DVec2)) {
        self.solids.near_box_beside_ray_grid(low, high, |solid| visit(solid, DVec2::ZERO));
        self.near_solids_of_bodies(low, high, visit);
    }

    fn near_solids_of_bodies(&self, low: DVec2, high: DVec2, mut visit: impl FnMut(usize, DVec2)) {
        if self.bodies.are_discs() {
            return;
        }
        // The index returns each body once, at its nearest image; large bodies may meet the box with several images.
        let reach = (high - low) / 2.0 + self.index.largest_radius();
        self.index.near_box(low.midpoint(high), (-reach, reach), |body| {
            if let Some(solid) = self.bodies.outline(body.row) {
                self.solids.images(&self.arena, solid, (low, high)).for_each(|shift| visit(solid, shift));
            }
        });
    }

    /// Visits every body that touches `sector` with its tip at `center`: discs as in [`Index::within_sector`], other
    /// bodies if part of their outline is in the sector.
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
        self.outlines_within_sector(center, sector, except, &mut |body| visit(body).stops())
    }

    /// As [`Space::within_sector`], where some bodies are not discs.
    #[inline(never)]
    fn outlines_within_sector(
        &self,
        center: DVec2,
        sector: &Sector,
        except: Option<usize>,
        visit: &mut dyn FnMut(Neighbour) -> bool,
    ) -> bool {
        self.index.within_sector(center, sector, except, |body| self.is_drawn_in(sector, &body) && visit(body))
    }

    /// The body in `row` if it touches `sector` with its tip at `center`, as in [`Space::within_sector`].
    #[inline]
    #[must_use]
    pub fn in_sector(&self, row: usize, center: DVec2, sector: &Sector) -> Option<Neighbour> {
        let touches = |body: &Neighbour| sector.touches(body.offset, body.radius) && self.is_drawn_in(sector, body);
        self.index.neighbour(row, center).filter(touches)
    }

    /// Whether part of a body's outline is in a sector that its disc touches.
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
        if self.has_box(row) {
            let is_disc = self.bodies.contacts()[row] != Contact::Outlined;
            let near = self.near_box_of(row).into_iter();
            near.filter(|other| is_disc && self.meets_classic(row, *other)).for_each(visit);
            return;
        }
        self.index.within_range(position, radius, Some(row), |other| {
            if self.bodies.collides()[other.row] != Collides::Off && self.overlap(row, &other) {
                visit(other.row);
            }
        });
    }

    /// Whether the body in `row` and a body whose disc overlaps its own push each other: both push, and their outlines
    /// overlap.
    pub fn touch(&self, row: usize, other: &Neighbour) -> bool {
        self.bodies.push(row, other.row) && self.overlap(row, other)
    }

    /// Whether the body in `row` overlaps a body whose disc overlaps its own, by their outlines if they are not discs.
    fn overlap(&self, row: usize, other: &Neighbour) -> bool {
        if self.bodies.contacts()[other.row] == Contact::Ghost {
            return false;
        }
        let outline = |row: usize| self.bodies.outline(row).map(|solid| self.solids.outline(solid));
        // Smaller overlaps are not corrected.
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

    /// Moves the outline of the body in `row` to the pose of the body.
    ///
    /// Does nothing for a disc.
    pub fn place_outline(&mut self, row: usize) {
        if let Some(Drawn { solid, corners, .. }) = self.bodies.drawn(row) {
            let (position, facing) = (self.bodies.positions()[row], self.bodies.facings()[row]);
            self.solids.place(*solid, Outline::Polygon(corners), position, facing);
        }
    }

    /// Sets position, displacement (m) and heading (rad) of the body in `row`, and updates the index.
    ///
    /// For agents that move one after another and see the new positions of those before them.
    pub fn place_body(&mut self, row: usize, position: DVec2, heading: f64, displacement: DVec2) {
        self.proximity.forget();
        self.bodies.place(row, position);
        self.bodies.set_displacement(row, displacement);
        self.bodies.turn(row, heading);
        self.move_in_index(row);
    }

    /// Updates the index after the body in `row` has moved.
    #[inline]
    fn move_in_index(&mut self, row: usize) {
        let position = self.bodies.positions()[row];
        self.index.move_body(row, position);
        self.boxes.note_distance(row, position);
    }
}
