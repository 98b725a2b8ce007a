//! Rays and their first hits.

use bevy::math::DVec2;

use super::Space;
use super::bodies::Contact;
use super::field::{Boundary, Field};
use super::hit::{Hit, Target};
use super::index::Neighbour;
use super::polygon;
use super::ray_grid::RayGrid;
use super::sector::Sector;
use super::solid::SolidProperties;
use super::surroundings::{Disc, Nearest, Surroundings};
use super::thing::Form;

/// Length (m) in place of infinity, which would give NaN for directions along an axis.
const ENDLESS: f64 = 1e100;

impl Space {
    /// Collects in `around` everything that rays from `center` may hit within `reach` (m), except the body in row
    /// `except`.
    ///
    /// Returns whether there is anything. In a periodic arena each body counts once, at its nearest image.
    #[inline]
    pub fn look_around(&self, center: DVec2, reach: f64, except: Option<usize>, around: &mut Surroundings) -> bool {
        around.clear();
        let has_no_neighbour = |row: usize| {
            self.has_no_neighbour(row, reach + self.index.largest_radius()) && center == self.bodies.positions()[row]
        };
        let is_alone = except.is_some_and(has_no_neighbour);
        // Most robots have nothing in reach.
        if is_alone && self.solids.is_empty() && !self.arena.has_wall_near(center, reach) {
            return false;
        }
        self.collect_around(center, reach, (except, is_alone), around);
        !around.is_empty()
    }

    /// Collects what rays may hit, without bodies if none is near.
    #[inline(never)]
    fn collect_around(
        &self,
        center: DVec2,
        reach: f64,
        (except, is_alone): (Option<usize>, bool),
        around: &mut Surroundings,
    ) {
        if !is_alone {
            self.index.within_range(center, reach, except, |body| {
                if self.is_disc(body.row) {
                    around.discs.push(Disc::of_body(&body));
                }
            });
        }
        if !self.solids.is_empty() {
            let reach = DVec2::splat(reach);
            let is_own = |owner: Option<usize>| owner.is_some() && owner == except;
            around.add_solids_for_rays(self, center, (-reach, reach), true, |_, properties| !is_own(properties.owner));
        }
        if self.arena.has_wall_near(center, reach) {
            around.walled = Some((self.arena, center));
        }
    }

    /// The first hit of a single ray of `length` (m) from `origin` along the unit vector `direction`.
    ///
    /// The ray ignores the body in row `except`. In a periodic arena each body counts once, at its image nearest to
    /// `origin`. For many rays from one point use [`Space::look_around`].
    #[must_use]
    pub fn first_hit(&self, origin: DVec2, direction: DVec2, length: f64, except: Option<usize>) -> Option<Hit> {
        let mut nearest = Nearest::within(length);
        let Some(grid) = self.solids.ray_grid(&self.arena) else {
            self.meet(origin, direction, length, 0.0, except, |hit| nearest.offer(hit.distance, hit.target));
            return nearest.hit(0.0);
        };
        let step = direction * length.min(ENDLESS);
        self.meet_bodies((origin, step), direction, 0.0, except, |distance, target| nearest.offer(distance, target));
        self.solids.covering(origin, |solid| nearest.offer(0.0, Target::Solid(solid)));
        grid.cast(origin, direction, &mut nearest);
        let mut others = Surroundings::default();
        let ends = (step.min(DVec2::ZERO), step.max(DVec2::ZERO));
        others.add_beside_ray_grid(self, origin, ends, |_, SolidProperties { owner, .. }| owner != except);
        others.meet(direction, 0.0, |distance, target| nearest.offer(distance, target));
        nearest.offer(self.arena.wall_distance(origin, direction), Target::Wall);
        nearest.hit(0.0)
    }

    /// Offers the discs that a disc of radius `half_width` (m) would meet on its way: the distance and the target.
    #[inline(always)]
    fn meet_bodies(
        &self,
        (origin, step): (DVec2, DVec2),
        direction: DVec2,
        half_width: f64,
        except: Option<usize>,
        mut offer: impl FnMut(f64, Target),
    ) {
        self.index.near_segment(origin, step, self.index.largest_radius() + half_width, |body| {
            if Some(body.row) != except && self.is_disc(body.row) {
                let disc = Disc::new(body.offset, body.radius + half_width, Target::Body(body.row));
                offer(disc.distance(direction), Target::Body(body.row));
            }
        });
    }

    /// Visits everything that a disc of radius `half_width` (m) would meet on a path of `length` (m) from `origin`
    /// along the unit vector `direction`, each with the distance until contact.
    ///
    /// The disc passes through everything; the body in row `except` is not visited. A solid may be visited several
    /// times. In a periodic arena each body counts once, at its image nearest to `origin`.
    pub fn meet(
        &self,
        origin: DVec2,
        direction: DVec2,
        length: f64,
        half_width: f64,
        except: Option<usize>,
        mut visit: impl FnMut(Hit),
    ) {
        let mut offer = |distance: f64, target: Target| {
            if distance < length {
                visit(Hit { distance, target });
            }
        };
        let step = direction * length.min(ENDLESS);
        self.meet_bodies((origin, step), direction, half_width, except, &mut offer);
        if !self.solids.is_empty() {
            let except = except.map(Target::Body);
            self.solids_along(origin, step, half_width, except.as_slice()).meet(direction, half_width, &mut offer);
        }
        // The distance of the disc from the walls equals that of its centre from walls shifted inwards by its radius.
        let inner = Field { low: self.arena.low + half_width, size: self.arena.size - 2.0 * half_width, ..self.arena };
        offer(inner.wall_distance(origin, direction), Target::Wall);
    }

    /// Whether no solid and no body, other than those in `except`, covers a point between `from` and `to`; in a
    /// periodic arena, on the shortest line.
    #[must_use]
    pub fn line_of_sight(&self, from: DVec2, to: DVec2, except: &[Target]) -> bool {
        self.shows(from, self.arena.offset(from, to), except)
    }

    /// Whether no solid and no body, other than those in `except`, covers a point between `eye` and `eye + offset` (m).
    #[must_use]
    pub fn shows(&self, eye: DVec2, offset: DVec2, except: &[Target]) -> bool {
        let pad = self.index.largest_radius();
        !self.index.near_segment(eye, offset, pad, |body| self.hides(&body, offset, except))
            && self.solids_show(eye, offset, except)
    }

    /// As [`Space::shows`], to the bit, for given bodies that may be in between: all bodies that
    /// [`Index::within_range`] returns for the eye and at least the length of `offset`.
    ///
    /// With few bodies, this is faster than a query along each of several lines.
    ///
    /// [`Index::within_range`]: super::Index::within_range
    #[inline]
    #[must_use]
    pub fn shows_past(&self, bodies: &[Neighbour], eye: DVec2, offset: DVec2, except: &[Target]) -> bool {
        !self.discs_hide(bodies, offset, except) && self.solids_show(eye, offset, except)
    }

    /// Whether one of these bodies, relative to the eye, blocks the line to `end` (m); not those in `except`, and not
    /// solids.
    #[inline]
    pub(super) fn discs_hide(&self, bodies: &[Neighbour], end: DVec2, except: &[Target]) -> bool {
        if self.arena.boundary == Boundary::Periodic || !self.bodies.are_discs() {
            bodies.iter().any(|body| self.hides(body, end, except))
        } else {
            // All bodies are tested: an unpredictable early exit would cost more.
            let blocks = |body: &Neighbour| Disc::of_body(body).blocks(end) & !excepts(except, body.row);
            bodies.iter().fold(false, |hidden, body| hidden | blocks(body))
        }
    }

    /// Whether a body, relative to the eye, blocks the line to `end` (m); not those in `except`, and not solids.
    #[inline]
    pub(super) fn hides(&self, body: &Neighbour, end: DVec2, except: &[Target]) -> bool {
        self.body_blocks(body, end) && !excepts(except, body.row) && self.is_disc(body.row)
    }

    #[inline]
    fn solids_show(&self, eye: DVec2, offset: DVec2, except: &[Target]) -> bool {
        if self.solids.is_empty() {
            return true;
        }
        match self.solids.ray_grid(&self.arena) {
            Some(grid) => self.many_solids_show(grid, eye, offset, except),
            None => self.solids_along(eye, offset, 0.0, except).shows(offset, None),
        }
    }

    /// As [`solids_show`](Self::solids_show), with many static solids.
    #[inline(never)]
    fn many_solids_show(&self, grid: &RayGrid, eye: DVec2, offset: DVec2, except: &[Target]) -> bool {
        let hides = |target: Target| !except.contains(&target);
        let mut is_inside = false;
        self.solids.covering(eye, |solid| is_inside |= hides(Target::Solid(solid)));
        let mut others = Surroundings::default();
        let ends = (offset.min(DVec2::ZERO), offset.max(DVec2::ZERO));
        others.add_beside_ray_grid(self, eye, ends, |solid, SolidProperties { owner, .. }| {
            hides(Target::Solid(solid)) && owner.is_none_or(|owner| hides(Target::Body(owner)))
        });
        !is_inside && others.shows(offset, None) && grid.is_clear(eye, offset, hides)
    }

    /// Whether a body, relative to the eye, or one of its images covers a point of the line from the eye to `end` (m).
    #[inline]
    fn body_blocks(&self, body: &Neighbour, end: DVec2) -> bool {
        if self.arena.boundary != Boundary::Periodic {
            return Disc::of_body(body).blocks(end);
        }
        let of = (body.offset - body.radius, body.offset + body.radius);
        let mut shifts = self.arena.images(of, (end.min(DVec2::ZERO), end.max(DVec2::ZERO)));
        shifts.any(|shift| Disc::new(body.offset + shift, body.radius, Target::Body(body.row)).blocks(end))
    }

    /// Whether the body in `row` is a disc, and not represented by a solid.
    #[inline]
    pub(super) fn is_disc(&self, row: usize) -> bool {
        self.bodies.are_discs() || self.bodies.contacts()[row] != Contact::Outlined
    }

    /// Visits each solid and wall that is partly in `sector` with its tip at `eye`, with its nearest point (m, from the
    /// tip) in the sector.
    ///
    /// Does not visit bodies, nor solids that move with the row `except`.
    pub fn scenery_in_sector(
        &self,
        eye: DVec2,
        sector: &Sector,
        except: Option<usize>,
        mut visit: impl FnMut(DVec2, Target),
    ) {
        let reach = DVec2::splat(sector.range);
        self.solids.near_box(&self.arena, eye - reach, eye + reach, |solid, shift| {
            let SolidProperties { sensed, owner, is_body, .. } = self.solids.properties(solid);
            if !sensed || is_body || (owner.is_some() && owner == except) {
                return;
            }
            if let Some(point) = self.solids.outline(solid).nearest_in(sector, shift - eye) {
                visit(point, Target::Solid(solid));
            }
        });
        if self.arena.boundary == Boundary::Walls {
            let corners = self.arena.corners();
            let walls = polygon::edges(&corners).map(|(a, b)| (a - eye, b - eye));
            if let Some(point) = sector.nearest_on_edges(walls) {
                visit(point, Target::Wall);
            }
        }
    }

    /// Visits each form of each object that is partly in `sector` with its tip at `eye`, with its nearest point (m,
    /// from the tip) in the sector, whether it blocks rays or not; in a periodic arena, with all its images.
    pub fn things_in_sector(&self, eye: DVec2, sector: &Sector, mut visit: impl FnMut(DVec2, usize)) {
        let (low, high) = sector.bounds(0.0);
        for (place, thing) in self.things.iter().enumerate() {
            for outline in thing.forms.iter().map(Form::outline) {
                for shift in self.arena.images(outline.bounds(), (eye + low, eye + high)) {
                    if let Some(point) = outline.nearest_in(sector, shift - eye) {
                        visit(point, place);
                    }
                }
            }
        }
    }

    /// Visits the objects that a disc of radius `half_width` (m) would meet on a path of `length` (m) from `origin`
    /// along the unit vector `direction`, whether they block rays or not, as [`Space::meet`] does for solids.
    pub fn meet_things(
        &self,
        origin: DVec2,
        direction: DVec2,
        length: f64,
        half_width: f64,
        mut visit: impl FnMut(Hit),
    ) {
        let step = direction * length.min(ENDLESS);
        let ends = (step.min(DVec2::ZERO) - half_width, step.max(DVec2::ZERO) + half_width);
        let mut around = Surroundings::default();
        for (place, thing) in self.things.iter().enumerate() {
            for outline in thing.forms.iter().map(Form::outline) {
                for shift in self.arena.images(outline.bounds(), (origin + ends.0, origin + ends.1)) {
                    around.clear();
                    around.add_outline(outline, shift - origin, Target::Thing(place), ends);
                    around.meet(direction, half_width, |distance, target| {
                        if distance < length {
                            visit(Hit { distance, target });
                        }
                    });
                }
            }
        }
    }

    /// Whether a target belongs to the body or object that senses from `row`.
    #[must_use]
    pub fn is_own(&self, row: usize, target: Target) -> bool {
        match target {
            Target::Body(other) => other == row,
            Target::Solid(solid) => self.solids.properties(solid).owner == Some(row),
            Target::Thing(place) => self.things.get(place).is_some_and(|thing| thing.row == Some(row)),
            Target::Wall => false,
        }
    }

    /// Index in the scene of the object with a solid.
    #[must_use]
    pub fn owner_of(&self, solid: usize) -> Option<usize> {
        // The solids of objects are in the order of the objects.
        let place = self.things.partition_point(|thing| thing.solids.end <= solid);
        self.things.get(place).is_some_and(|thing| thing.solids.contains(&solid)).then_some(place)
    }

    /// The solids closer than `pad` (m) to the segment from `origin` to `origin + step`, other than those in `except`.
    fn solids_along(&self, origin: DVec2, step: DVec2, pad: f64, except: &[Target]) -> Surroundings {
        let ends = (step.min(DVec2::ZERO) - pad, step.max(DVec2::ZERO) + pad);
        let mut around = Surroundings::default();
        around.add_solids(self, origin, ends, except);
        around
    }
}

/// Whether the body in a row is excluded.
#[inline]
fn excepts(except: &[Target], row: usize) -> bool {
    except.iter().fold(false, |found, target| found | (*target == Target::Body(row)))
}

#[cfg(test)]
mod tests;
