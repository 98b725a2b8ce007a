//! Placement of scales, legends and axis labels on the screen: beside the walls of the arena, not over them.

use bevy::math::DVec2;
use swarmarium_picture::camera::Camera;
use swarmarium_space::Field;

/// The smallest distance of a placed box from a wall, another box and the edge of the screen, in logical pixels.
const GAP_PX: f64 = 3.0;
/// Tolerance of comparisons, in logical pixels, so that a box moved to a wall does not count as touching it.
const EXACT_PX: f64 = 1e-6;

/// The thickness of the walls of an arena, in metres. Their inner faces are on its boundary.
pub(super) fn wall_m(arena: &Field, pixels_per_m: f64) -> f64 {
    arena.size.min_element() * 0.005 + 2.0 / pixels_per_m
}

/// An axis-aligned rectangle of the screen, in logical pixels from the top left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScreenBox {
    /// The upper left corner.
    pub low: DVec2,
    /// The lower right corner.
    pub high: DVec2,
}

impl ScreenBox {
    /// The box, shifted.
    pub(super) fn moved(self, by_px: DVec2) -> Self {
        Self { low: self.low + by_px, high: self.high + by_px }
    }

    /// The box, enlarged on each side.
    pub(super) fn grown(self, by_px: f64) -> Self {
        Self { low: self.low - by_px, high: self.high + by_px }
    }

    /// Whether two boxes have more than an edge in common.
    pub(super) fn touches(self, other: Self) -> bool {
        (self.high - other.low).cmpgt(DVec2::splat(EXACT_PX)).all()
            && (other.high - self.low).cmpgt(DVec2::splat(EXACT_PX)).all()
    }

    fn contains(self, other: Self) -> bool {
        (other.low - self.low).cmpge(DVec2::splat(-EXACT_PX)).all()
            && (self.high - other.high).cmpge(DVec2::splat(-EXACT_PX)).all()
    }
}

/// The walls of the arena on the screen, and the part of the screen that is still free.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    /// The bounding box of the arena with its walls.
    outer: ScreenBox,
    /// The floor between the walls; `None` in a turned view, where the floor is not axis-aligned.
    inner: Option<ScreenBox>,
    /// The screen without its edge and without the axis labels.
    free: ScreenBox,
    /// The boxes that were placed before.
    taken: Vec<ScreenBox>,
}

impl Placement {
    /// Creates the placement on the screen of a camera.
    pub(super) fn new(arena: &Field, camera: &Camera) -> Self {
        let bounds = |around_m: f64| {
            let corners = Field::new(arena.size + 2.0 * around_m, arena.boundary).at(arena.low - around_m).corners();
            let corners = corners.map(|corner| camera.screen_from_world(corner));
            let [first, rest @ ..] = corners;
            let low = rest.into_iter().fold(first, DVec2::min);
            ScreenBox { low, high: rest.into_iter().fold(first, DVec2::max) }
        };
        let screen = ScreenBox { low: DVec2::ZERO, high: camera.screen_px };
        Self {
            outer: bounds(wall_m(arena, camera.pixels_per_m)),
            inner: (camera.turn_rad == 0.0).then(|| bounds(0.0)),
            free: screen.grown(-GAP_PX),
            taken: Vec::new(),
        }
    }

    /// The part of the screen that is still free, regardless of placed boxes.
    pub(super) fn free(&self) -> ScreenBox {
        self.free
    }

    /// Marks a box as taken: later boxes do not touch it.
    pub(super) fn take(&mut self, taken: ScreenBox) {
        self.taken.push(taken);
    }

    /// Marks all of the screen to the left of a coordinate as taken, in logical pixels.
    pub(super) fn take_left(&mut self, to_px: f64) {
        self.free.low.x = self.free.low.x.max(to_px + GAP_PX);
    }

    /// Marks all of the screen below a coordinate as taken, in logical pixels.
    pub(super) fn take_below(&mut self, from_px: f64) {
        self.free.high.y = self.free.high.y.min(from_px - GAP_PX);
    }

    /// Whether a box is outside the arena.
    pub(super) fn is_beside(&self, placed: ScreenBox) -> bool {
        !self.outer.touches(placed)
    }

    /// Whether a box touches no wall.
    pub(super) fn is_off_walls(&self, placed: ScreenBox) -> bool {
        self.is_beside(placed) || self.inner.is_some_and(|inner| inner.contains(placed))
    }

    /// The shortest shift to a position outside the arena, of at most `reach_px` in each direction; `None` without
    /// room.
    pub(super) fn shift_beside(&self, wanted: ScreenBox, reach_px: DVec2) -> Option<DVec2> {
        self.shortest_shift(wanted, reach_px, |placed| self.is_beside(placed))
    }

    /// The shortest shift to a position off the walls, of at most `reach_px` in each direction; `None` without room.
    pub(super) fn shift_off_walls(&self, wanted: ScreenBox, reach_px: DVec2) -> Option<DVec2> {
        self.shortest_shift(wanted, reach_px, |placed| self.is_off_walls(placed))
    }

    /// The shift of a box into the free part of the screen; a box that is too large starts at the upper left corner.
    pub(super) fn shift_into_view(&self, wanted: ScreenBox) -> DVec2 {
        let back = (self.free.high - wanted.high).min(DVec2::ZERO);
        back.max(self.free.low - wanted.low)
    }

    /// The shortest shift to a free position that `accepts` allows.
    ///
    /// At the end of a shortest shift, the box rests on a wall, another box or the edge of the free part, along each
    /// axis on which it moved, so that only these shifts are tried.
    fn shortest_shift(&self, wanted: ScreenBox, reach_px: DVec2, accepts: impl Fn(ScreenBox) -> bool) -> Option<DVec2> {
        let within = [Some(self.free.grown(GAP_PX)), self.inner].into_iter().flatten();
        let beside = std::iter::once(self.outer).chain(self.taken.iter().copied());
        let within = within.flat_map(|area| [area.low + GAP_PX - wanted.low, area.high - GAP_PX - wanted.high]);
        let beside = beside.flat_map(|area| [area.low - GAP_PX - wanted.high, area.high + GAP_PX - wanted.low]);
        let shifts: Vec<DVec2> = std::iter::once(DVec2::ZERO).chain(within).chain(beside).collect();
        let is_free = |shift: &DVec2| {
            let placed = wanted.moved(*shift);
            self.free.contains(placed) && accepts(placed) && !self.taken.iter().any(|taken| taken.touches(placed))
        };
        let all = shifts.iter().flat_map(|across| shifts.iter().map(|along| DVec2::new(across.x, along.y)));
        let all = all.filter(|shift| shift.abs().cmple(reach_px).all()).filter(is_free);
        all.min_by(|one, other| one.length_squared().total_cmp(&other.length_squared()))
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::camera::YAxis;
    use swarmarium_space::Boundary;

    use super::*;

    const SCREEN: DVec2 = DVec2::new(800.0, 600.0);
    const REACH: DVec2 = DVec2::new(200.0, 60.0);

    /// An arena of 500 by 500 logical pixels in the centre of the screen.
    fn placement() -> Placement {
        let center_m = DVec2::splat(5.0);
        let camera = Camera { center_m, pixels_per_m: 50.0, screen_px: SCREEN, y_axis: YAxis::Up, turn_rad: 0.0 };
        Placement::new(&Field::new(DVec2::splat(10.0), Boundary::Walls), &camera)
    }

    fn boxed(low: (f64, f64), size: (f64, f64)) -> ScreenBox {
        ScreenBox { low: low.into(), high: DVec2::from(low) + DVec2::from(size) }
    }

    #[test]
    fn walls_are_between_their_inner_and_outer_faces() {
        let placement = placement();
        let inner = placement.inner.unwrap();
        assert!((inner.low - DVec2::new(150.0, 50.0)).length() < 1e-9, "{inner:?}");
        // Half a percent of the shorter side, and two pixels.
        assert!((placement.outer.low - DVec2::new(145.5, 45.5)).length() < 1e-9, "{:?}", placement.outer);
        let in_wall = boxed((140.0, 300.0), (20.0, 10.0));
        assert!(!placement.is_off_walls(in_wall) && !placement.is_beside(in_wall));
        let inside = boxed((200.0, 300.0), (20.0, 10.0));
        assert!(placement.is_off_walls(inside) && !placement.is_beside(inside));
    }

    #[test]
    fn labels_move_off_the_walls_by_the_shortest_distance() {
        let placement = placement();
        let (left, free) = (boxed((100.0, 300.0), (50.0, 20.0)), boxed((20.0, 300.0), (50.0, 20.0)));
        assert_eq!(placement.shift_off_walls(free, REACH), Some(DVec2::ZERO));
        let shift = placement.shift_off_walls(left, REACH).unwrap();
        assert!((shift - DVec2::new(-7.5, 0.0)).length() < 1e-9, "{shift}");
        // Too wide for the room beside the arena: inside.
        let wide = boxed((20.0, 300.0), (145.0, 20.0));
        assert_eq!(placement.shift_beside(wide, REACH), None);
        let shift = placement.shift_off_walls(wide, REACH).unwrap();
        assert!((shift - DVec2::new(133.0, 0.0)).length() < 1e-9, "{shift}");
        assert_eq!(placement.shift_off_walls(wide, DVec2::splat(100.0)), None);
    }

    #[test]
    fn labels_do_not_touch_each_other_or_the_numbers_of_the_axes() {
        let mut placement = placement();
        let wanted = boxed((20.0, 560.0), (80.0, 20.0));
        placement.take(wanted);
        let shift = placement.shift_beside(wanted, REACH).unwrap();
        assert!((shift - DVec2::new(0.0, -23.0)).length() < 1e-9, "{shift}");
        placement.take_left(40.0);
        placement.take_below(585.0);
        let shift = placement.shift_beside(wanted, REACH).unwrap();
        assert!((shift - DVec2::new(23.0, -23.0)).length() < 1e-9, "{shift}");
        assert_eq!(placement.free(), ScreenBox { low: DVec2::new(43.0, 3.0), high: DVec2::new(797.0, 582.0) });
    }

    #[test]
    fn labels_are_moved_into_view() {
        let placement = placement();
        assert_eq!(placement.shift_into_view(boxed((0.0, 590.0), (50.0, 20.0))), DVec2::new(3.0, -13.0));
        assert_eq!(placement.shift_into_view(boxed((0.0, 100.0), (900.0, 20.0))), DVec2::new(3.0, 0.0));
    }

    #[test]
    fn a_turned_arena_has_room_beside_its_bounding_box() {
        let mut camera = Camera { turn_rad: 0.5, ..Camera::fit(&Default::default(), SCREEN) };
        camera.pixels_per_m = 20.0;
        let placement = Placement::new(&Field::new(DVec2::splat(10.0), Boundary::Walls), &camera);
        assert!(placement.is_beside(boxed((20.0, 560.0), (80.0, 20.0))));
        assert!(!placement.is_off_walls(boxed((390.0, 290.0), (20.0, 20.0))));
    }
}
