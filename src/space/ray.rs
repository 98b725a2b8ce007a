//! Rays: what they hit first.

use bevy::math::DVec2;

use super::Space;
use super::bodies::Contact;
use super::field::{Border, Field};
use super::index::Neighbour;
use super::polygon::{self, closest_on_segment, is_inside, segments_meet};
use super::sector::Sector;
use super::solid::{Outline, Part, Solids};
use super::thing::Form;

/// Length (m) that stands for infinity, which makes no number of a direction along an axis.
const ENDLESS: f64 = 1e100;

/// What a ray hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The body in a row.
    Body(usize),
    /// A solid by its number.
    Solid(usize),
    /// A wall of the arena.
    Wall,
    /// An object by its place in the scene; rays never hit one, but for its solids.
    Thing(usize),
}

/// Where a ray ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance (m) from the start of the ray; 0 where it starts inside the target.
    pub distance: f64,
    /// What is there.
    pub target: Target,
}

/// Everything that blocks rays near a point, gathered once for many rays from there.
///
/// Keep one and fill it again and again with [`Space::look_around`]: its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    discs: Vec<Disc>,
    edges: Vec<Edge>,
    /// Position in the arena, where walls are in reach.
    walled: Option<(Field, DVec2)>,
    /// What has the polygon that holds the point.
    inside: Option<Target>,
}

/// A disc as seen from the point.
#[derive(Clone, Copy, Debug)]
struct Disc {
    offset: DVec2,
    /// Squared length of a tangent from the point: below 0 inside.
    tangent: f64,
    target: Target,
}

/// An edge of a polygon as seen from the point.
#[derive(Clone, Copy, Debug)]
struct Edge {
    start: DVec2,
    along: DVec2,
    target: Target,
}

impl Surroundings {
    /// Whether there is nothing to hit.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.discs.is_empty() && self.edges.is_empty() && self.inside.is_none() && self.walled.is_none()
    }

    /// What the ray along the unit vector `direction` hits first, `skip` to `skip + length` (m) from the point.
    ///
    /// Give the radius of a body as `skip` for a ray that starts at its edge. The distance counts from there, and
    /// what is nearer is hit at 0.
    #[inline]
    #[must_use]
    pub fn cast(&self, direction: DVec2, skip: f64, length: f64) -> Option<Hit> {
        let mut nearest = Nearest::within(skip + length);
        if let Some(target) = self.inside {
            nearest.offer(0.0, target);
        }
        for disc in &self.discs {
            nearest.offer(disc.distance(direction), disc.target);
        }
        for edge in &self.edges {
            nearest.offer(edge.distance(direction), edge.target);
        }
        if let Some((field, position)) = &self.walled {
            nearest.offer(field.wall_distance(*position, direction), Target::Wall);
        }
        nearest.hit(skip)
    }

    /// Whether nothing but the body in row `except` blocks the straight line from the point to `offset` (m) from it.
    #[inline]
    #[must_use]
    pub fn shows(&self, offset: DVec2, except: Option<usize>) -> bool {
        let except = except.map(Target::Body);
        let hides = |target: Target| Some(target) != except;
        !self.inside.is_some_and(hides)
            && !self.discs.iter().any(|disc| hides(disc.target) && disc.blocks(offset))
            && !self.edges.iter().any(|edge| {
                hides(edge.target) && segments_meet((DVec2::ZERO, offset), (edge.start, edge.start + edge.along))
            })
    }

    /// Offers all solids that a disc of radius `half_width` (m) would meet on its way from the point.
    fn meet(&self, direction: DVec2, half_width: f64, mut offer: impl FnMut(f64, Target)) {
        if let Some(target) = self.inside {
            offer(0.0, target);
        }
        for Disc { offset, tangent, target } in &self.discs {
            let radius = (offset.length_squared() - tangent).max(0.0).sqrt() + half_width;
            offer(Disc::new(*offset, radius, *target).distance(direction), *target);
        }
        for &Edge { start, along, target } in &self.edges {
            if half_width == 0.0 {
                offer(Edge { start, along, target }.distance(direction), target);
                continue;
            }
            // All points as near as that to the edge: between two lines beside it and two discs at its ends.
            let aside = along.perp().normalize_or_zero() * half_width;
            for start in [start + aside, start - aside] {
                offer(Edge { start, along, target }.distance(direction), target);
            }
            for end in [start, start + along] {
                offer(Disc::new(end, half_width, target).distance(direction), target);
            }
            if closest_on_segment(start, start + along, DVec2::ZERO).length() < half_width {
                offer(0.0, target);
            }
        }
    }

    fn clear(&mut self) {
        self.discs.clear();
        self.edges.clear();
        self.walled = None;
        self.inside = None;
    }

    /// Adds the solids that meet the box from `low` to `high` about `center`, but for those in `except` and of bodies in it.
    fn add_solids(
        &mut self,
        (solids, field): (&Solids, &Field),
        center: DVec2,
        (low, high): (DVec2, DVec2),
        except: &[Target],
    ) {
        solids.near_box(field, center + low, center + high, |solid, shift| {
            let Part { sensed, owner, is_body, .. } = solids.part(solid);
            let is_of = |target: &Target| *target == Target::Solid(solid) || owner.map(Target::Body) == Some(*target);
            if !sensed || except.iter().any(is_of) {
                return;
            }
            let target = owner.filter(|_| is_body).map_or(Target::Solid(solid), Target::Body);
            match solids.outline(solid) {
                Outline::Disc { center: middle, radius } => {
                    self.discs.push(Disc::new(middle + shift - center, radius, target));
                }
                Outline::Polygon(corners) => {
                    let edges = polygon::edges(corners).map(|(a, b)| (a + shift - center, b + shift - center));
                    if is_inside(edges.clone(), DVec2::ZERO) {
                        self.inside = Some(target);
                    }
                    let near = edges.filter(|(a, b)| a.min(*b).cmple(high).all() && low.cmple(a.max(*b)).all());
                    self.edges.extend(near.map(|(a, b)| Edge { start: a, along: b - a, target }));
                }
            }
        });
    }
}

impl Disc {
    #[inline]
    fn new(offset: DVec2, radius: f64, target: Target) -> Self {
        Self { offset, tangent: offset.length_squared() - radius * radius, target }
    }

    #[inline]
    fn of_body(body: &Neighbour) -> Self {
        Self::new(body.offset, body.radius, Target::Body(body.row))
    }

    /// Distance (m) to the disc along `direction`: infinite beside it, 0 inside.
    #[inline]
    fn distance(&self, direction: DVec2) -> f64 {
        if self.tangent < 0.0 {
            return 0.0;
        }
        let along = self.offset.dot(direction);
        let half_chord_squared = along * along - self.tangent;
        if along > 0.0 && half_chord_squared >= 0.0 { along - half_chord_squared.sqrt() } else { f64::INFINITY }
    }

    /// Whether the disc covers a point of the segment from the origin to `end`.
    #[inline]
    fn blocks(&self, end: DVec2) -> bool {
        let (along, length_squared) = (self.offset.dot(end), end.length_squared());
        if self.tangent < 0.0 {
            return true;
        }
        if along >= length_squared {
            // Nearest to the far end: |offset - end|² < radius².
            return length_squared - 2.0 * along + self.tangent < 0.0;
        }
        along > 0.0 && along * along > self.tangent * length_squared
    }
}

impl Edge {
    /// Distance (m) to the edge along `direction`: infinite where the ray passes it.
    #[inline]
    fn distance(&self, direction: DVec2) -> f64 {
        let across = direction.perp_dot(self.along);
        // Parallel rays divide by 0, and fail the comparisons: the corners belong to other edges too.
        let distance = self.start.perp_dot(self.along) / across;
        let place = self.start.perp_dot(direction) / across;
        if distance >= 0.0 && (0.0..=1.0).contains(&place) { distance } else { f64::INFINITY }
    }
}

/// The nearest of the hits that were offered; of equally near ones the first.
struct Nearest {
    distance: f64,
    target: Option<Target>,
}

impl Nearest {
    #[inline]
    fn within(distance: f64) -> Self {
        Self { distance, target: None }
    }

    #[inline]
    fn offer(&mut self, distance: f64, target: Target) {
        if distance < self.distance {
            *self = Self { distance, target: Some(target) };
        }
    }

    #[inline]
    fn hit(&self, skip: f64) -> Option<Hit> {
        self.target.map(|target| Hit { distance: (self.distance - skip).max(0.0), target })
    }
}

impl Space {
    /// Gathers into `around` all that rays from `center` may hit within `reach` (m), but for the body in row `except`.
    ///
    /// Returns whether there is anything. In a wrapping arena each body counts once, where it is nearest.
    #[inline]
    pub fn look_around(&self, center: DVec2, reach: f64, except: Option<usize>, around: &mut Surroundings) -> bool {
        around.clear();
        self.index.within_range(center, reach, except, |body| {
            if self.is_disc(body.row) {
                around.discs.push(Disc::of_body(&body));
            }
        });
        if !self.solids.is_empty() {
            let reach = DVec2::splat(reach);
            let except = except.map(Target::Body);
            around.add_solids((&self.solids, &self.arena), center, (-reach, reach), except.as_slice());
        }
        if self.arena.border == Border::Walled && center.min(self.arena.size - center).min_element() < reach {
            around.walled = Some((self.arena, center));
        }
        !around.is_empty()
    }

    /// What a single ray of `length` (m) from `origin` along the unit vector `direction` hits first.
    ///
    /// It passes through the body in row `except`. In a wrapping arena each body counts once, where it is nearest to
    /// `origin`. For many rays from one point see [`Space::look_around`].
    #[must_use]
    pub fn first_hit(&self, origin: DVec2, direction: DVec2, length: f64, except: Option<usize>) -> Option<Hit> {
        let mut nearest = Nearest::within(length);
        self.meet(origin, direction, length, 0.0, except, |hit| nearest.offer(hit.distance, hit.target));
        nearest.hit(0.0)
    }

    /// Visits all that a disc of radius `half_width` (m) would meet that goes `length` (m) from `origin` along the unit
    /// vector `direction`, each with how far it goes until then.
    ///
    /// It passes through everything, the body in row `except` included, which is not visited. A solid may be visited
    /// several times. In a wrapping arena each body counts once, where it is nearest to `origin`.
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
        self.index.near_segment(origin, step, self.index.largest_radius() + half_width, |body| {
            if Some(body.row) != except && self.is_disc(body.row) {
                let disc = Disc::new(body.offset, body.radius + half_width, Target::Body(body.row));
                offer(disc.distance(direction), disc.target);
            }
        });
        if !self.solids.is_empty() {
            let except = except.map(Target::Body);
            self.solids_along(origin, step, half_width, except.as_slice()).meet(direction, half_width, &mut offer);
        }
        // What is half as wide is as far from the walls as its middle from walls that are nearer.
        let inner = Field { size: self.arena.size - 2.0 * half_width, ..self.arena };
        offer(inner.wall_distance(origin - half_width, direction), Target::Wall);
    }

    /// Whether no solid and no body, but for what is in `except`, covers a point between `from` and `to`.
    #[must_use]
    pub fn line_of_sight(&self, from: DVec2, to: DVec2, except: &[Target]) -> bool {
        let step = self.arena.offset(from, to);
        let hidden = self.index.near_segment(from, step, self.index.largest_radius(), |body| {
            Disc::of_body(&body).blocks(step) && !except.contains(&Target::Body(body.row)) && self.is_disc(body.row)
        });
        !hidden && (self.solids.is_empty() || self.solids_along(from, step, 0.0, except).shows(step, None))
    }

    /// Whether the body in `row` is a disc, and not a solid that is met by itself.
    #[inline]
    fn is_disc(&self, row: usize) -> bool {
        self.bodies.are_discs() || self.bodies.contacts()[row] != Contact::Outlined
    }

    /// Visits each solid and wall that is partly in `sector`, whose tip is at `eye`, with its point (m, from the tip)
    /// there that is nearest to the tip.
    ///
    /// Bodies are none of them, nor what the row `except` moves with.
    pub fn scenery_in_sector(
        &self,
        eye: DVec2,
        sector: &Sector,
        except: Option<usize>,
        mut visit: impl FnMut(DVec2, Target),
    ) {
        let reach = DVec2::splat(sector.range);
        self.solids.near_box(&self.arena, eye - reach, eye + reach, |solid, shift| {
            let Part { sensed, owner, is_body, .. } = self.solids.part(solid);
            if !sensed || is_body || (owner.is_some() && owner == except) {
                return;
            }
            let point = match self.solids.outline(solid) {
                Outline::Disc { center, radius } => sector.nearest_on_disc(center + shift - eye, radius),
                Outline::Polygon(corners) => {
                    let edges = polygon::edges(corners).map(|(a, b)| (a + shift - eye, b + shift - eye));
                    sector.nearest_on_polygon(edges)
                }
            };
            if let Some(point) = point {
                visit(point, Target::Solid(solid));
            }
        });
        if self.arena.border == Border::Walled {
            let size = self.arena.size;
            let corners = [DVec2::ZERO, DVec2::new(size.x, 0.0), size, DVec2::new(0.0, size.y)];
            let walls = polygon::edges(&corners).map(|(a, b)| (a - eye, b - eye));
            if let Some(point) = sector.nearest_on_edges(walls) {
                visit(point, Target::Wall);
            }
        }
    }

    /// Visits each object that is partly in `sector`, whose tip is at `eye`, with its point (m, from the tip) there that
    /// is nearest to the tip, whether rays end at it or not. In a wrapping arena each one counts where it is nearest.
    pub fn things_in_sector(&self, eye: DVec2, sector: &Sector, mut visit: impl FnMut(DVec2, usize)) {
        for (place, thing) in self.things.iter().enumerate() {
            let shift = self.arena.offset(eye, thing.position) - thing.position;
            let nearest = |form: &Form| match form {
                Form::Disc { center, radius } => sector.nearest_on_disc(*center + shift, *radius),
                Form::Polygon(corners) => {
                    sector.nearest_on_polygon(polygon::edges(corners).map(|(a, b)| (a + shift, b + shift)))
                }
            };
            let points = thing.forms.iter().filter_map(nearest);
            if let Some(point) = points.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared())) {
                visit(point, place);
            }
        }
    }

    /// The place in the scene of the object that has a solid.
    #[must_use]
    pub fn owner_of(&self, solid: usize) -> Option<usize> {
        self.things.iter().position(|thing| thing.solids.contains(&solid))
    }

    /// The solids nearer than `pad` (m) to the segment from `origin` to `origin + step`, but for those in `except`.
    fn solids_along(&self, origin: DVec2, step: DVec2, pad: f64, except: &[Target]) -> Surroundings {
        let ends = (step.min(DVec2::ZERO) - pad, step.max(DVec2::ZERO) + pad);
        let mut around = Surroundings::default();
        around.add_solids((&self.solids, &self.arena), origin, ends, except);
        around
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use proptest::prelude::*;

    use super::super::fixture::{SIZE, all, disc, point, space, with};
    use super::super::{Aperture, Body};
    use super::*;
    use crate::math;

    /// The first hit among all bodies, solids left out.
    fn brute_force(space: &Space, origin: DVec2, direction: DVec2, length: f64, except: Option<usize>) -> Option<f64> {
        let bodies = all(space, origin).into_iter().filter(|body| Some(body.row) != except);
        let to_body = |body: Neighbour| Disc::of_body(&body).distance(direction);
        let wall = space.arena.wall_distance(origin, direction);
        Some(bodies.map(to_body).fold(wall, f64::min)).filter(|&distance| distance < length)
    }

    proptest! {
        #[test]
        fn rays_hit_what_brute_force_hits(
            space in space(), origin in point(), angle in -3.2..3.2, length in 0.0..3.0,
        ) {
            let direction = math::direction(angle);
            let expected = brute_force(&space, origin, direction, length, Some(0));
            let hit = space.first_hit(origin, direction, length, Some(0));
            prop_assert_eq!(hit.map(|hit| hit.distance), expected);
            let mut around = Surroundings::default();
            space.look_around(origin, length, Some(0), &mut around);
            prop_assert_eq!(around.cast(direction, 0.0, length).map(|hit| hit.distance), expected);
            let skip = length / 2.0;
            let beyond = around.cast(direction, skip, length - skip).map(|hit| hit.distance);
            prop_assert_eq!(beyond, expected.map(|distance| (distance - skip).max(0.0)));
        }

        #[test]
        fn rays_meet_outlines_as_drawn(
            mut space in space(),
            stars in prop::collection::vec((point(), prop::collection::vec(0.1..1.0, 3..9)), 1..24),
            origin in point(), angle in -3.2..3.2, length in 0.0..5.0,
        ) {
            prop_assume!(space.arena.border != Border::Wrapping);
            let mut outlined = Vec::new();
            for (middle, spikes) in &stars {
                let bearing = |k: usize| TAU * k as f64 / spikes.len() as f64;
                let corner = |(k, reach): (usize, &f64)| *reach * math::direction(bearing(k));
                let corners: Vec<DVec2> = spikes.iter().enumerate().map(corner).collect();
                let row = outlined.len();
                // Every second one is the outline of a body that stands there and looks anywhere.
                if (row + space.solids.len()) % 2 == 0 && row < space.bodies.len() {
                    let Ok(solid) = space.solids.add_polygon(&corners) else { continue };
                    space.solids.set_part(solid, Part::body(row));
                    let reach = spikes.iter().copied().fold(0.0, f64::max);
                    let (position, contact) = (*middle, Contact::Outlined);
                    space.bodies.set(row, Body { position, heading: reach, radius: reach, contact, ..Body::default() });
                    outlined.push((row, solid));
                    space.bodies.set_outlines(outlined.clone());
                    space.place_outline(row, &corners, DVec2::ZERO);
                } else {
                    let shifted: Vec<DVec2> = corners.iter().map(|corner| *corner + *middle).collect();
                    _ = space.solids.add_polygon(&shifted);
                }
            }
            space.solids.sort();
            space.update();
            let direction = math::direction(angle);
            let discs = all(&space, origin).into_iter();
            let discs = discs.filter(|body| space.bodies.contacts()[body.row] != Contact::Outlined);
            let to_disc = |body: Neighbour| Disc::of_body(&body).distance(direction);
            let mut nearest = discs.map(to_disc).fold(space.arena.wall_distance(origin, direction), f64::min);
            for solid in 0..space.solids.len() {
                let Outline::Polygon(corners) = space.solids.outline(solid) else { continue };
                if polygon::contains(corners, origin) {
                    nearest = 0.0;
                }
                for (a, b) in polygon::edges(corners) {
                    let (start, end, target) = (a - origin, b - origin, Target::Solid(solid));
                    nearest = nearest.min(Edge { start, along: end - start, target }.distance(direction));
                }
            }
            let expected = Some(nearest).filter(|distance| *distance < length);
            let hit = space.first_hit(origin, direction, length, None).map(|hit| hit.distance);
            prop_assert_eq!(hit, expected);
            let mut around = Surroundings::default();
            space.look_around(origin, length, None, &mut around);
            prop_assert_eq!(around.cast(direction, 0.0, length).map(|hit| hit.distance), expected);
        }

        #[test]
        fn sight_ends_where_rays_end(space in space(), origin in point(), target in point()) {
            let step = space.arena.offset(origin, target);
            let covered = |body: &Neighbour| {
                closest_on_segment(DVec2::ZERO, step, body.offset).distance(body.offset) - body.radius
            };
            let margin = all(&space, origin).iter().filter(|body| body.row != 0).map(covered).fold(1.0, f64::min);
            prop_assume!(margin.abs() > 1e-9);
            prop_assert_eq!(space.line_of_sight(origin, target, &[Target::Body(0)]), margin > 0.0);
            let mut around = Surroundings::default();
            space.look_around(origin, step.length(), None, &mut around);
            let expected = space.line_of_sight(origin, target, &[Target::Body(0)]);
            prop_assert_eq!(around.shows(step, Some(0)), expected);
        }
    }

    /// Discs, for no corners, and regular polygons.
    fn with_solids(mut space: Space, solids: &[(DVec2, f64, u32)]) -> Space {
        for (at, size, corners) in solids {
            let corner = |k: u32| *at + *size * math::direction(at.x + f64::from(k) * TAU / f64::from(*corners));
            let outline: Vec<DVec2> = (0..*corners).map(corner).collect();
            let added = match corners {
                0 => space.solids.add_disc(*at, *size),
                _ => space.solids.add_polygon(&outline),
            };
            added.unwrap();
        }
        space
    }

    fn solids() -> impl Strategy<Value = Vec<(DVec2, f64, u32)>> {
        prop::collection::vec((point(), 0.05..0.8, prop_oneof![Just(0_u32), Just(3), Just(4), Just(5)]), 0..6)
    }

    /// Whether a disc at a point touches anything solid, by brute force.
    fn touches(space: &Space, at: DVec2, radius: f64) -> bool {
        let walls = space.arena.border == Border::Walled && space.arena.confine(at, radius) != at;
        let covered = |body: &Neighbour| body.row != 0 && body.offset.length() < body.radius + radius;
        walls || all(space, at).iter().any(covered) || space.solids.overlap(&space.arena, at, radius)
    }

    proptest! {
        #[test]
        fn the_way_to_the_first_hit_is_free_and_its_end_is_not(
            space in space(), solids in solids(), origin in point(), angle in -3.2..3.2, length in 0.1..3.0,
            half_width in prop_oneof![Just(0.0), 0.01..0.2],
        ) {
            let space = with_solids(space, &solids);
            // Across the border of a wrapping arena bodies count once, where they are nearest to the eye.
            prop_assume!(space.arena.border != Border::Wrapping);
            let direction = math::direction(angle);
            let (mut nearest, mut any) = (length, false);
            space.meet(origin, direction, length, half_width, Some(0), |hit| {
                nearest = nearest.min(hit.distance);
                any = true;
            });
            if half_width == 0.0 {
                let hit = space.first_hit(origin, direction, length, Some(0));
                prop_assert_eq!(hit.map(|hit| hit.distance), any.then_some(nearest));
            }
            let starts_free = !touches(&space, origin, half_width);
            for step in 0..200 {
                let along = nearest * f64::from(step) / 200.0 - 1e-6;
                let is_free = along < 0.0 || !touches(&space, origin + along * direction, half_width);
                prop_assert!(is_free || !starts_free, "something is met at {along} m, before {nearest} m");
            }
            let end = origin + (nearest + 1e-6) * direction;
            let pad = half_width + 1e-5;
            prop_assert!(!any || nearest == 0.0 || touches(&space, end, pad));
        }

        #[test]
        fn scenery_in_a_sector_is_what_brute_force_finds(
            space in space(), solids in solids(), eye in point(), heading in -3.2..3.2, half_angle in 0.05..3.2,
        ) {
            let space = with_solids(space, &solids);
            prop_assume!(space.arena.border != Border::Wrapping);
            let sector = Aperture::new(half_angle, 2.0, 0.0).toward(math::direction(heading));
            let mut found = Vec::new();
            space.scenery_in_sector(eye, &sector, None, |point, target| {
                found.push(target);
                assert!(point.length() <= 2.0);
            });
            // Points of the sector that something covers.
            let inner = Aperture::new(half_angle, 1.99, 0.0).toward(math::direction(heading));
            for step in 0..600 {
                let (ring, turn) = (f64::from(step / 60) / 10.0 * 1.99, f64::from(step % 60) / 60.0);
                let offset = ring * math::direction(heading + half_angle * (2.0 * turn - 1.0) * 0.999);
                if !inner.holds(offset) {
                    continue;
                }
                for solid in 0..space.solids.len() {
                    let covers = match space.solids.outline(solid) {
                        Outline::Disc { center, radius } => center.distance(eye + offset) < radius,
                        Outline::Polygon(corners) => polygon::contains(corners, eye + offset),
                    };
                    prop_assert!(!covers || found.contains(&Target::Solid(solid)));
                }
                let inside = space.arena.confine(eye, 0.0) == eye;
                let crosses = space.arena.border == Border::Walled
                    && inside
                    && space.arena.confine(eye + offset, 0.0) != eye + offset;
                prop_assert!(!crosses || found.contains(&Target::Wall));
            }
        }
    }

    #[test]
    fn rays_hit_solids_from_outside_and_from_inside() {
        let mut space = with(Border::Open, &[]);
        space.solids.add_disc(DVec2::new(2.0, 0.0), 0.5).unwrap();
        let square = [(3.0, -1.0), (5.0, -1.0), (5.0, 1.0), (3.0, 1.0)].map(DVec2::from);
        space.solids.add_polygon(&square).unwrap();
        let hit = |x: f64, y: f64| space.first_hit(DVec2::new(x, y), DVec2::X, 9.0, None);
        assert_eq!(hit(0.0, 0.0), Some(Hit { distance: 1.5, target: Target::Solid(0) }));
        assert_eq!(hit(0.0, 0.7), Some(Hit { distance: 3.0, target: Target::Solid(1) }));
        assert_eq!(hit(4.0, 0.0), Some(Hit { distance: 0.0, target: Target::Solid(1) }));
        assert_eq!(hit(6.0, 0.0), None);
        let endless = space.first_hit(DVec2::ZERO, DVec2::X, f64::INFINITY, None);
        assert_eq!(endless, Some(Hit { distance: 1.5, target: Target::Solid(0) }));
        assert!(!space.line_of_sight(DVec2::ZERO, DVec2::new(9.0, 0.7), &[]));
        assert!(space.line_of_sight(DVec2::ZERO, DVec2::new(9.0, 9.0), &[]));
        let mut around = Surroundings::default();
        assert!(space.look_around(DVec2::new(2.75, 0.0), 0.3, None, &mut around));
        assert_eq!(around.cast(DVec2::X, 0.1, 0.2), Some(Hit { distance: 0.15, target: Target::Solid(1) }));
        assert_eq!(around.cast(DVec2::NEG_X, 0.3, 0.1), Some(Hit { distance: 0.0, target: Target::Solid(0) }));
    }

    #[test]
    fn rays_and_solids_cross_a_wrapping_border() {
        let mut space = with(Border::Wrapping, &[disc(0.2, 1.0, 0.1)]);
        space.solids.add_disc(DVec2::new(0.2, 2.0), 0.1).unwrap();
        let hit = |y: f64| space.first_hit(DVec2::new(SIZE.x - 0.2, y), DVec2::X, 1.0, None);
        assert!(hit(1.0).is_some_and(|hit| (hit.distance - 0.3).abs() < 1e-12 && hit.target == Target::Body(0)));
        assert_eq!(space.first_hit(DVec2::new(1.0, 0.5), DVec2::X, f64::INFINITY, None), None);
        assert!(hit(2.0).is_some_and(|hit| (hit.distance - 0.3).abs() < 1e-12 && hit.target == Target::Solid(0)));
    }
}
