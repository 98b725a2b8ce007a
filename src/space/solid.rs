//! Solids that block bodies and rays: discs and polygons, some of which move.

use std::ops::Range;
use std::sync::Arc;

use bevy::math::DVec2;
use smallvec::SmallVec;
use thiserror::Error;

use super::cells::Cells;
use super::field::{Boundary, Field};
use super::polygon;
use super::ray_grid::RayGrid;
use super::sector::Sector;

/// Reason why a solid cannot be created.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SolidError {
    /// A number is infinite or not a number, or a radius is below 0.
    #[error("a coordinate or radius is not a usable number")]
    NotFinite,
    /// There are fewer than three corners.
    #[error("the outline needs at least 3 corners, found {0}")]
    TooFew(usize),
    /// Edges cross or touch.
    #[error("the outline is not a simple polygon: its edges cross or touch")]
    NotSimple,
}

/// The outline of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline<'a> {
    /// A disc.
    Disc {
        /// Centre (m).
        center: DVec2,
        /// Radius (m).
        radius: f64,
    },
    /// A simple polygon with its corners (m); anticlockwise in [`Solids`].
    Polygon(&'a [DVec2]),
}

impl Outline<'_> {
    /// Whether `point` is inside.
    #[must_use]
    pub fn contains(&self, point: DVec2) -> bool {
        match self {
            Self::Disc { center, radius } => point.distance_squared(*center) < radius * radius,
            Self::Polygon(corners) => polygon::contains(corners, point),
        }
    }

    /// Whether part of the segment from `a` to `b` is inside or on the outline.
    #[must_use]
    pub fn meets_segment(&self, a: DVec2, b: DVec2) -> bool {
        match self {
            Self::Disc { center, radius } => {
                polygon::closest_on_segment(a, b, *center).distance_squared(*center) <= radius * radius
            }
            Self::Polygon(corners) => {
                polygon::contains(corners, a) || polygon::outlines_meet(&[a, b], corners, DVec2::ZERO)
            }
        }
    }

    /// Lower and upper corner of its bounding box.
    #[must_use]
    pub fn bounds(&self) -> (DVec2, DVec2) {
        match self {
            Self::Disc { center, radius } => (*center - *radius, *center + *radius),
            Self::Polygon(corners) => polygon::bounds(corners),
        }
    }

    /// Whether a disc of `radius` (m) at `center` overlaps or touches the outline.
    #[must_use]
    pub fn overlaps(&self, center: DVec2, radius: f64) -> bool {
        match *self {
            // RobotSwarmSimulator: r1 + r2 - d >= 0.
            Self::Disc { center: middle, radius: wide } => radius + wide - center.distance(middle) >= 0.0,
            Self::Polygon(corners) => {
                let near = |(nearest, _): (DVec2, _)| nearest.distance_squared(center) <= radius * radius;
                polygon::contains(corners, center) || polygon::closest_boundary_point(corners, center).is_some_and(near)
            }
        }
    }

    /// The point (m, from the tip) of the outline, shifted by `shift` (m), in `sector` that is nearest to the tip.
    #[must_use]
    pub fn nearest_in(&self, sector: &Sector, shift: DVec2) -> Option<DVec2> {
        match *self {
            Self::Disc { center, radius } => sector.nearest_on_disc(center + shift, radius),
            Self::Polygon(corners) => {
                sector.nearest_on_polygon(polygon::edges(corners).map(|(a, b)| (a + shift, b + shift)))
            }
        }
    }

    /// Whether the outline and another one, shifted by `shift` (m), have a common point.
    #[must_use]
    pub fn meets(&self, other: &Outline, shift: DVec2) -> bool {
        match (self, other) {
            (outline, &Outline::Disc { center, radius }) => outline.overlaps(center + shift, radius),
            (&Outline::Disc { center, radius }, outline) => outline.overlaps(center - shift, radius),
            (Outline::Polygon(one), Outline::Polygon(other)) => {
                let holds = |corners: &[DVec2], other: &[DVec2], shift: DVec2| {
                    other.first().is_some_and(|corner| polygon::contains(corners, *corner + shift))
                };
                polygon::outlines_meet(one, other, shift) || holds(one, other, shift) || holds(other, one, -shift)
            }
        }
    }

    /// Whether the outline and another one, shifted by `shift` (m), meet or are at most `gap` (m) apart.
    #[must_use]
    pub fn is_within(&self, other: &Outline, shift: DVec2, gap: f64) -> bool {
        match (self, other) {
            (outline, &Outline::Disc { center, radius }) => outline.overlaps(center + shift, radius + gap),
            (&Outline::Disc { center, radius }, outline) => outline.overlaps(center - shift, radius + gap),
            // Polygons that do not meet are nearest at a corner of one of them.
            (Outline::Polygon(mine), Outline::Polygon(theirs)) => {
                self.meets(other, shift)
                    || theirs.iter().any(|corner| self.overlaps(*corner + shift, gap))
                    || mine.iter().any(|corner| other.overlaps(*corner - shift, gap))
            }
        }
    }
}

/// All solids, numbered in order of addition.
#[derive(Clone, Debug, Default)]
pub struct Solids {
    solids: Vec<Solid>,
    /// Corners of all polygons.
    corners: Vec<DVec2>,
    /// Solids that are tested individually, by number: all except bodies and those that are sorted.
    listed: Vec<u32>,
    /// Solids in grids, if there are many.
    sorted: Option<Box<Sorted>>,
    /// The outlines of sensed solids that stay, for rays, if there are many edges.
    ray_grid: Option<Arc<RayGrid>>,
}

/// Solids in grids.
#[derive(Clone, Debug, Default)]
struct Sorted {
    /// Those that stay.
    staying: Cells,
    /// The numbers of those that move, if there are many; else they are listed.
    movers: Vec<u32>,
    /// Those that move, with room around each.
    moving: Cells,
    /// The box (m) of each solid that moves, with the room around it, by number.
    rooms: Vec<(DVec2, DVec2)>,
    /// Those that have left their room.
    strayed: Vec<u32>,
}

/// The room around a solid that moves, as a part of its size.
const ROOM: f64 = 0.5;
/// Number of solids outside their rooms from which the grid is made again.
const MOST_STRAYED: usize = 4;

/// Number of solids from which a grid pays.
const MANY: usize = 16;

/// The effect of a solid on bodies and rays, and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolidProperties {
    /// Whether it pushes bodies out.
    pub blocks: bool,
    /// Whether it blocks rays.
    pub sensed: bool,
    /// The row that it moves with, whose own rays pass through it.
    pub owner: Option<usize>,
    /// Whether it is the body of its owner; rays then hit a body, not a solid.
    pub is_body: bool,
}

impl Default for SolidProperties {
    /// Blocks everything and has no owner.
    fn default() -> Self {
        Self { blocks: true, sensed: true, owner: None, is_body: false }
    }
}

impl SolidProperties {
    /// The outline of the body in `row`.
    pub const fn body(row: usize) -> Self {
        Self { blocks: true, sensed: true, owner: Some(row), is_body: true }
    }
}

#[derive(Clone, Debug)]
struct Solid {
    low: DVec2,
    high: DVec2,
    shape: Shape,
    /// Indices of the corners of the convex hull of a polygon; empty for a convex one.
    hull: Vec<u32>,
    properties: SolidProperties,
}

#[derive(Clone, Debug)]
enum Shape {
    Disc { center: DVec2, radius: f64 },
    Polygon(Range<usize>),
}

impl Sorted {
    /// Notes that a solid, which is in a box (m) now, has left its room.
    fn leave_room(&mut self, solid: usize, (low, high): (DVec2, DVec2)) {
        let Some((room_low, room_high)) = self.rooms.get(solid) else { return };
        let is_inside = room_low.cmple(low).all() && high.cmple(*room_high).all();
        if !is_inside && !self.strayed.contains(&(solid as u32)) {
            self.strayed.push(solid as u32);
        }
    }
}

impl Solids {
    /// Removes all solids.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Sorts the solids into grids after the last one was added: with many solids, queries are then fast.
    pub fn sort(&mut self) {
        self.sort_boxes();
        let staying = |(number, solid): (usize, &Solid)| {
            let SolidProperties { sensed, owner, .. } = solid.properties;
            (sensed && owner.is_none()).then(|| (number as u32, solid.shape.clone()))
        };
        let staying = self.solids.iter().enumerate().filter_map(staying);
        let polygons = staying.clone().filter_map(|(number, shape)| match shape {
            Shape::Polygon(range) => Some((number, &self.corners[range])),
            Shape::Disc { .. } => None,
        });
        let discs = staying.filter_map(|(number, shape)| match shape {
            Shape::Disc { center, radius } => Some((number, center, radius)),
            Shape::Polygon(_) => None,
        });
        self.ray_grid = RayGrid::new(polygons, discs).map(Arc::new);
    }

    fn sort_boxes(&mut self) {
        let all = 0..self.solids.len() as u32;
        let properties = |number: &u32| self.solids[*number as usize].properties;
        let (movers, staying): (Vec<u32>, Vec<u32>) =
            all.filter(|number| !properties(number).is_body).partition(|number| properties(number).owner.is_some());
        if staying.len().max(movers.len()) < MANY {
            (self.listed, self.sorted) = ([staying, movers].concat(), None);
            return;
        }
        let (mut sorted, mut listed) = (Sorted::default(), Vec::new());
        if staying.len() < MANY {
            listed = staying;
        } else {
            let in_box = |number: u32| (number, self.solids[number as usize].low, self.solids[number as usize].high);
            let boxes: Vec<_> = staying.into_iter().map(in_box).collect();
            sorted.staying = Cells::from_boxes(&boxes);
        }
        if movers.len() < MANY {
            listed.extend(movers);
        } else {
            sorted.movers = movers;
        }
        (self.listed, self.sorted) = (listed, Some(Box::new(sorted)));
        self.sort_movers();
    }

    /// Sorts the solids that move again, after some have moved far. Queries are slower before; they find the same.
    pub fn sort_movers(&mut self) {
        let Self { sorted: Some(sorted), solids, .. } = self else { return };
        let Sorted { movers, moving, rooms, strayed, .. } = &mut **sorted;
        if movers.is_empty() || (!rooms.is_empty() && strayed.len() < MOST_STRAYED) {
            return;
        }
        // Others may go anywhere.
        rooms.clear();
        rooms.resize(solids.len(), (DVec2::NEG_INFINITY, DVec2::INFINITY));
        strayed.clear();
        let in_room = |number: &u32| {
            let Solid { low, high, .. } = solids[*number as usize];
            let room = DVec2::splat(ROOM * (high - low).max_element());
            (*number, low - room, high + room)
        };
        let boxes: Vec<_> = movers.iter().map(in_room).collect();
        boxes.iter().for_each(|(number, low, high)| rooms[*number as usize] = (*low, *high));
        *moving = Cells::from_boxes(&boxes);
    }

    /// Number of solids.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.solids.len()
    }

    /// Whether there are no solids.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.solids.is_empty()
    }

    /// Adds a disc and returns its number.
    ///
    /// # Errors
    ///
    /// [`SolidError::NotFinite`] for a centre or `radius` (m) that is not a usable number.
    pub fn add_disc(&mut self, center: DVec2, radius: f64) -> Result<usize, SolidError> {
        if !center.is_finite() || !radius.is_finite() || radius < 0.0 {
            return Err(SolidError::NotFinite);
        }
        Ok(self.push((center - radius, center + radius), Shape::Disc { center, radius }, Vec::new()))
    }

    /// Adds the simple polygon with `corners` (m), in either orientation, and returns its number.
    ///
    /// # Errors
    ///
    /// [`SolidError::NotFinite`] for a corner that is not a usable number, [`SolidError::TooFew`] for fewer than three corners,
    /// [`SolidError::NotSimple`] if edges meet.
    pub fn add_polygon(&mut self, corners: &[DVec2]) -> Result<usize, SolidError> {
        if !corners.iter().all(|corner| corner.is_finite()) {
            return Err(SolidError::NotFinite);
        }
        if corners.len() < 3 {
            return Err(SolidError::TooFew(corners.len()));
        }
        if !polygon::is_simple(corners) {
            return Err(SolidError::NotSimple);
        }
        let first = self.corners.len();
        self.corners.extend(corners);
        if polygon::signed_area(corners) < 0.0 {
            self.corners[first..].reverse();
        }
        let hull = polygon::hull(&self.corners[first..]);
        Ok(self.push(polygon::bounds(corners), Shape::Polygon(first..self.corners.len()), hull))
    }

    /// Adds an outline and returns its number.
    ///
    /// # Errors
    ///
    /// As for [`Solids::add_disc`] and [`Solids::add_polygon`].
    pub fn add(&mut self, outline: Outline) -> Result<usize, SolidError> {
        match outline {
            Outline::Disc { center, radius } => self.add_disc(center, radius),
            Outline::Polygon(corners) => self.add_polygon(corners),
        }
    }

    /// Sets the properties of `solid`; by default it blocks everything.
    pub fn set_properties(&mut self, solid: usize, properties: SolidProperties) {
        self.solids[solid].properties = properties;
        self.ray_grid = None;
        if properties.is_body {
            // It is the last one, or near the end.
            let place = self.listed.iter().rposition(|listed| *listed as usize == solid);
            place.map(|place| self.listed.remove(place));
        }
    }

    /// The properties of `solid`.
    #[inline]
    #[must_use]
    pub fn properties(&self, solid: usize) -> SolidProperties {
        self.solids[solid].properties
    }

    /// Moves `solid` to the pose of `form`, its original outline, rotated to the unit vector `facing` and shifted by
    /// `to` (m).
    ///
    /// Does nothing if `form` has another shape.
    pub fn place(&mut self, solid: usize, form: Outline, to: DVec2, facing: DVec2) {
        let Solid { low, high, shape, .. } = &mut self.solids[solid];
        match (shape, form) {
            (Shape::Disc { center, radius }, Outline::Disc { center: drawn, radius: wide }) => {
                (*center, *radius) = (to + facing.rotate(drawn), wide);
                (*low, *high) = (*center - wide, *center + wide);
            }
            (Shape::Polygon(range), Outline::Polygon(drawn)) if range.len() == drawn.len() => {
                let corners = &mut self.corners[range.clone()];
                let turned = drawn.iter().map(|corner| to + facing.rotate(*corner));
                // As in `add_polygon`: corners are anticlockwise, whatever their orientation in the drawing.
                if polygon::signed_area(drawn) < 0.0 {
                    corners.iter_mut().rev().zip(turned).for_each(|(corner, turned)| *corner = turned);
                } else {
                    corners.iter_mut().zip(turned).for_each(|(corner, turned)| *corner = turned);
                }
                (*low, *high) = polygon::bounds(corners);
            }
            _ => {}
        }
        if let Some(sorted) = &mut self.sorted {
            sorted.leave_room(solid, (self.solids[solid].low, self.solids[solid].high));
        }
    }

    /// The outline of `solid`, a number below [`Solids::len`].
    #[must_use]
    pub fn outline(&self, solid: usize) -> Outline<'_> {
        match &self.solids[solid].shape {
            &Shape::Disc { center, radius } => Outline::Disc { center, radius },
            Shape::Polygon(range) => Outline::Polygon(&self.corners[range.clone()]),
        }
    }

    /// The number of a sensed solid that covers `point`, is not a body, and is accepted by `accept`.
    pub fn at(&self, field: &Field, point: DVec2, mut accept: impl FnMut(usize) -> bool) -> Option<usize> {
        let mut found = None;
        self.near_box(field, point, point, |solid, shift| {
            let SolidProperties { sensed, is_body, .. } = self.properties(solid);
            let covers = || self.outline(solid).contains(point - shift);
            if found.is_none() && sensed && !is_body && covers() && accept(solid) {
                found = Some(solid);
            }
        });
        found
    }

    /// Whether `solid` covers `point`, also across a periodic boundary.
    #[must_use]
    pub fn covers(&self, field: &Field, solid: usize, point: DVec2) -> bool {
        let outline = self.outline(solid);
        field.images(outline.bounds(), (point, point)).any(|shift| outline.contains(point - shift))
    }

    /// Whether a blocking solid overlaps a disc of `radius` (m) at `center`.
    #[must_use]
    pub fn overlap(&self, field: &Field, center: DVec2, radius: f64) -> bool {
        let mut found = false;
        self.near_box(field, center - radius, center + radius, |solid, shift| {
            found |= self.properties(solid).blocks && self.push_out(solid, center - shift, radius, DVec2::X).is_some();
        });
        found
    }

    /// Lower and upper corner (m) of the bounding box of `solid`.
    #[inline]
    pub(super) fn bounds(&self, solid: usize) -> (DVec2, DVec2) {
        let Solid { low, high, .. } = self.solids[solid];
        (low, high)
    }

    /// Whether `solid` is a disc or a convex polygon.
    #[inline]
    pub(super) fn is_convex(&self, solid: usize) -> bool {
        self.solids[solid].hull.is_empty()
    }

    /// The edges of the convex hull of a polygon; none for a disc.
    pub(super) fn hull_edges(&self, solid: usize) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
        let Solid { shape, hull, .. } = &self.solids[solid];
        let corners = match shape {
            Shape::Disc { .. } => &[],
            Shape::Polygon(range) => &self.corners[range.clone()],
        };
        let count = if hull.is_empty() { corners.len() } else { hull.len() };
        let corner = move |place: usize| corners[if hull.is_empty() { place } else { hull[place] as usize }];
        (0..count).map(move |place| (corner(place), corner((place + 1) % count)))
    }

    /// Visits each solid that is not a body and whose bounding box meets the box from `low` to `high`, with the shift
    /// (m) to its image that does.
    #[inline]
    pub(super) fn near_box(&self, field: &Field, low: DVec2, high: DVec2, mut visit: impl FnMut(usize, DVec2)) {
        let sorted = self.sorted.as_deref();
        if field.boundary == Boundary::Periodic {
            let movers = sorted.map_or(&[][..], |sorted| &sorted.movers);
            for number in self.listed.iter().chain(movers).map(|number| *number as usize) {
                self.images(field, number, (low, high)).for_each(|shift| visit(number, shift));
            }
            if let Some(Sorted { staying, .. }) = sorted {
                let slack = field.touch();
                for shift in field.images(staying.bounds(), (low, high)) {
                    let (low, high) = (low - shift - slack, high - shift + slack);
                    staying.near(
                        low,
                        high,
                        |number| self.solids[number].low,
                        |number| {
                            if self.meets_box(number, low, high) {
                                visit(number, shift);
                            }
                        },
                    );
                }
            }
            return;
        }
        let mut visit = |number: usize| {
            if self.meets_box(number, low, high) {
                visit(number, DVec2::ZERO);
            }
        };
        if let Some(sorted) = sorted {
            sorted.staying.near(low, high, |number| self.solids[number].low, &mut visit);
            if !sorted.movers.is_empty() {
                self.listed.iter().for_each(|number| visit(*number as usize));
                return self.near_movers(sorted, (low, high), &mut visit);
            }
        }
        self.listed.iter().for_each(|number| visit(*number as usize));
    }

    /// The grid of sensed solids that stay, for rays; `None` if there are few edges, or in a periodic arena.
    #[inline]
    pub(super) fn ray_grid(&self, field: &Field) -> Option<&Arc<RayGrid>> {
        self.ray_grid.as_ref().filter(|_| field.boundary != Boundary::Periodic)
    }

    /// As [`near_box`](Self::near_box), without the solids of the [ray grid](Self::ray_grid), and without shifts.
    pub(super) fn near_box_beside_ray_grid(&self, low: DVec2, high: DVec2, mut visit: impl FnMut(usize)) {
        let mut visit = |number: usize| {
            if self.solids[number].properties.owner.is_some() && self.meets_box(number, low, high) {
                visit(number);
            }
        };
        self.listed.iter().for_each(|number| visit(*number as usize));
        if let Some(sorted) = self.sorted.as_deref().filter(|sorted| !sorted.movers.is_empty()) {
            self.near_movers(sorted, (low, high), &mut visit);
        }
    }

    /// Visits the polygons of the [ray grid](Self::ray_grid) that cover `point`.
    pub(super) fn covering(&self, point: DVec2, mut visit: impl FnMut(usize)) {
        let mut visit = |number: usize| {
            let Solid { properties: SolidProperties { sensed, owner, .. }, shape, .. } = &self.solids[number];
            let Shape::Polygon(range) = shape else { return };
            if !sensed || owner.is_some() || !self.meets_box(number, point, point) {
                return;
            }
            // As rays do, relative to their start.
            let edges = polygon::edges(&self.corners[range.clone()]).map(|(a, b)| (a - point, b - point));
            if polygon::is_inside(edges, DVec2::ZERO) {
                visit(number);
            }
        };
        if let Some(Sorted { staying, .. }) = self.sorted.as_deref() {
            staying.near(point, point, |number| self.solids[number].low, &mut visit);
        }
        self.listed.iter().for_each(|number| visit(*number as usize));
    }

    /// Visits the solids that move near a box, by number: the order must not depend on where they have been.
    #[inline(never)]
    fn near_movers(&self, sorted: &Sorted, (low, high): (DVec2, DVec2), visit: &mut dyn FnMut(usize)) {
        let mut found = SmallVec::<[u32; 16]>::from_slice(&sorted.strayed);
        sorted.moving.near(low, high, |number| sorted.rooms[number].0, |number| found.push(number as u32));
        found.sort_unstable();
        found.dedup();
        found.iter().for_each(|number| visit(*number as usize));
    }

    /// The shifts (m) from `solid` to its images whose bounding boxes meet a box.
    pub(super) fn images(
        &self,
        field: &Field,
        solid: usize,
        (low, high): (DVec2, DVec2),
    ) -> impl Iterator<Item = DVec2> + use<> {
        let meets = field.boundary == Boundary::Periodic || self.meets_box(solid, low, high);
        field.images(self.bounds(solid), (low, high)).filter(move |_| meets)
    }

    /// Whether the bounding box of `solid` meets the box from `low` to `high`.
    #[inline]
    pub(super) fn meets_box(&self, solid: usize, low: DVec2, high: DVec2) -> bool {
        let solid = &self.solids[solid];
        solid.low.cmple(high).all() && low.cmple(solid.high).all()
    }

    /// The shortest displacement (m) out of `solid` for a disc of `radius` (m) at `center`; `None` if it does not
    /// overlap.
    ///
    /// A disc at the centre of a round solid leaves along the unit vector `exit`.
    pub(super) fn push_out(&self, solid: usize, center: DVec2, radius: f64, exit: DVec2) -> Option<DVec2> {
        match self.outline(solid) {
            Outline::Disc { center: middle, radius: wide } => {
                let away = center - middle;
                let distance = away.length();
                let overlap = radius + wide - distance;
                (overlap > 0.0).then(|| overlap * unit_or(away, distance, exit))
            }
            Outline::Polygon(corners) => {
                let (nearest, (a, b)) = polygon::closest_boundary_point(corners, center)?;
                let away = center - nearest;
                let distance = away.length();
                // With anticlockwise corners, the outside is on the right.
                let outside = unit_or(-(b - a).perp(), (b - a).length(), exit);
                if polygon::contains(corners, center) {
                    Some((distance + radius) * unit_or(-away, distance, outside))
                } else {
                    (distance < radius).then(|| (radius - distance) * unit_or(away, distance, outside))
                }
            }
        }
    }

    fn push(&mut self, (low, high): (DVec2, DVec2), shape: Shape, hull: Vec<u32>) -> usize {
        let number = self.solids.len();
        self.ray_grid = None;
        self.solids.push(Solid { low, high, shape, hull, properties: SolidProperties::default() });
        self.listed.push(number as u32);
        number
    }
}

/// Length (m) below which a vector has no usable direction.
const TINY: f64 = 1e-12;

/// The direction of `vector`, whose length is `length`; `otherwise` if it has none.
#[inline]
pub(super) fn unit_or(vector: DVec2, length: f64, otherwise: DVec2) -> DVec2 {
    if length > TINY { vector / length } else { otherwise }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const L: [(f64, f64); 6] = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)];

    #[test]
    fn bad_solids_are_refused() {
        let mut solids = Solids::default();
        assert_eq!(solids.add_disc(DVec2::NAN, 1.0), Err(SolidError::NotFinite));
        assert_eq!(solids.add_disc(DVec2::ZERO, -1.0), Err(SolidError::NotFinite));
        assert_eq!(solids.add_polygon(&[DVec2::ZERO, DVec2::X]), Err(SolidError::TooFew(2)));
        assert!(solids.is_empty());
    }

    #[test]
    fn outlines_run_counter_clockwise() {
        let mut solids = Solids::default();
        let clockwise = [DVec2::ZERO, DVec2::Y, DVec2::X];
        assert_eq!(solids.add_polygon(&clockwise), Ok(0));
        assert_eq!(solids.outline(0), Outline::Polygon(&[DVec2::X, DVec2::Y, DVec2::ZERO]));
    }

    #[test]
    fn images_of_a_solid_block_across_a_wrapping_border() {
        let mut solids = Solids::default();
        solids.add_disc(DVec2::new(0.1, 0.5), 0.2).unwrap();
        let overlap = |boundary| solids.overlap(&Field::new(DVec2::ONE, boundary), DVec2::new(0.95, 0.5), 0.01);
        assert!(overlap(Boundary::Periodic) && !overlap(Boundary::Open));
    }

    #[test]
    fn sorted_solids_of_a_wrapping_arena_are_those_of_an_unsorted_one() {
        let field = Field::new(DVec2::new(4.0, 3.0), Boundary::Periodic).at(DVec2::new(-1.0, -0.5));
        let mut solids = Solids::default();
        for k in 0..40_u32 {
            // Some of them lie outside.
            let place = DVec2::new(f64::from(k * 7 % 40) * 0.12 - 1.4, f64::from(k * 11 % 40) * 0.09 - 0.7);
            solids.add_disc(place, 0.05 + f64::from(k % 5) * 0.1).unwrap();
        }
        let mut sorted = solids.clone();
        sorted.sort();
        let found = |solids: &Solids, at: DVec2, reach: f64| {
            let mut found = Vec::new();
            solids.near_box(&field, at - reach, at + reach, |solid, shift| found.push((solid, shift.to_array())));
            found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1[0].total_cmp(&b.1[0])).then(a.1[1].total_cmp(&b.1[1])));
            found
        };
        for k in 0..100_u32 {
            let at = DVec2::new(f64::from(k % 10) * 0.47 - 1.3, f64::from(k / 10) * 0.37 - 0.8);
            for reach in [0.0, 0.213, 2.617] {
                assert_eq!(found(&sorted, at, reach), found(&solids, at, reach), "{at} {reach}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_disc_is_pushed_out_of_a_concave_polygon(x in -0.5..3.5, y in -0.5..3.5, radius in 0.0..0.3) {
            let mut solids = Solids::default();
            solids.add_polygon(&L.map(DVec2::from)).unwrap();
            let mut center = DVec2::new(x, y);
            for _ in 0..20 {
                center += solids.push_out(0, center, radius, DVec2::X).unwrap_or_default();
            }
            let (nearest, _) = polygon::closest_boundary_point(&L.map(DVec2::from), center).unwrap();
            prop_assert!(center.distance(nearest) > radius - 1e-9);
            prop_assert!(radius < 1e-9 || !polygon::contains(&L.map(DVec2::from), center));
        }
    }

    #[test]
    fn a_disc_on_an_edge_or_in_the_center_of_a_solid_leaves_by_a_finite_distance() {
        let mut solids = Solids::default();
        solids.add_polygon(&L.map(DVec2::from)).unwrap();
        solids.add_disc(DVec2::ZERO, 1.0).unwrap();
        assert_eq!(solids.push_out(0, DVec2::new(2.0, 0.0), 0.5, DVec2::X), Some(DVec2::new(0.0, -0.5)));
        assert_eq!(solids.push_out(1, DVec2::ZERO, 0.5, DVec2::X), Some(DVec2::new(1.5, 0.0)));
        assert_eq!(solids.push_out(1, DVec2::X, 0.0, DVec2::X), None);
    }
}
