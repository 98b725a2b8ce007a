//! The arena: a rectangle and the behaviour of its boundary.

use bevy::math::DVec2;
use bevy::prelude::*;

/// The boundary of the arena: its effect on bodies and rays.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Boundary {
    /// No effect: agents can leave the arena.
    #[default]
    Open,
    /// Solid walls stop agents and rays.
    Walls,
    /// Agents that leave on one side enter on the opposite side; sensors see across.
    Periodic,
}

/// The arena: the rectangle from `low` to `low + size`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Lower left corner (m).
    pub low: DVec2,
    /// Width and height (m), both above 0.
    pub size: DVec2,
    /// Effect of the boundary.
    pub boundary: Boundary,
}

impl Field {
    /// The arena from the origin to `size` (m).
    #[must_use]
    pub const fn new(size: DVec2, boundary: Boundary) -> Self {
        Self { low: DVec2::ZERO, size, boundary }
    }

    /// The same arena with its lower left corner at `low` (m).
    #[must_use]
    pub const fn at(self, low: DVec2) -> Self {
        Self { low, ..self }
    }

    /// Upper right corner (m).
    #[inline]
    #[must_use]
    pub fn high(&self) -> DVec2 {
        self.low + self.size
    }

    /// The corners (m), anticlockwise from the lower left one.
    #[must_use]
    pub fn corners(&self) -> [DVec2; 4] {
        let (low, high) = (self.low, self.high());
        [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
    }

    /// Whether walls of the arena are within `reach` (m) of `center`, or `center` is outside.
    #[inline]
    #[must_use]
    pub fn has_wall_near(&self, center: DVec2, reach: f64) -> bool {
        self.boundary == Boundary::Walls && (center - self.low).min(self.high() - center).min_element() < reach
    }

    /// Whether a ray from `origin` along the unit vector `direction` may meet a wall within `reach` (m): false only if
    /// [`wall_distance`](Self::wall_distance) is at least `reach`. It needs no division.
    #[inline]
    pub(super) fn has_wall_ahead(&self, origin: DVec2, direction: DVec2, reach: f64) -> bool {
        let inside = origin - self.low;
        let ahead = DVec2::select(direction.cmpgt(DVec2::ZERO), self.size - inside, inside);
        !ahead.cmpgt(direction.abs() * (reach * WALL_ROUNDING)).all()
    }

    /// Vector (m) from `from` to `to`; across a periodic boundary where that is shorter.
    #[inline]
    #[must_use]
    pub fn offset(&self, from: DVec2, to: DVec2) -> DVec2 {
        match self.boundary {
            Boundary::Periodic => nearest_image(self.wrap(to) - self.wrap(from), self.size),
            _ => to - from,
        }
    }

    /// The shifts (m) by multiples of the arena, at most eight, for which the box `of` (lower and upper corner) meets
    /// the box `with`. Without a periodic boundary, the shift is zero.
    pub(super) fn images(&self, of: (DVec2, DVec2), with: (DVec2, DVec2)) -> impl Iterator<Item = DVec2> + use<> {
        let period = self.size;
        let (first, last) = match self.boundary {
            // Boxes that just touch count, independently of rounding.
            Boundary::Periodic => {
                (((with.0 - of.1) / period - TOUCH).ceil(), ((with.1 - of.0) / period + TOUCH).floor())
            }
            _ => (DVec2::ZERO, DVec2::ZERO),
        };
        let most = DVec2::splat(MOST_ARENAS);
        let (first, last) = (first.max(-most), last.min(most));
        let steps = |first: f64, last: f64| first as i64..=last as i64;
        steps(first.x, last.x)
            .flat_map(move |x| steps(first.y, last.y).map(move |y| period * DVec2::new(x as f64, y as f64)))
    }

    /// Tolerance (m) for touching boxes in a periodic arena.
    pub(super) fn touch(&self) -> DVec2 {
        self.size * TOUCH
    }

    /// `position` wrapped into the arena by whole periods.
    #[inline]
    #[must_use]
    pub fn wrap(&self, position: DVec2) -> DVec2 {
        let high = self.high();
        DVec2::new(wrap(position.x, self.low.x, high.x, self.size.x), wrap(position.y, self.low.y, high.y, self.size.y))
    }

    /// The allowed position of a disc of `radius` (m) at `position`.
    ///
    /// Walls clamp the disc into the arena (to the centre if it does not fit); a periodic boundary wraps its centre.
    #[inline]
    #[must_use]
    pub fn confine(&self, position: DVec2, radius: f64) -> DVec2 {
        match self.boundary {
            Boundary::Open => position,
            Boundary::Walls => {
                let rim = DVec2::splat(radius).min(self.size / 2.0);
                position.max(self.low + rim).min(self.high() - rim)
            }
            Boundary::Periodic => self.wrap(position),
        }
    }

    /// Distance (m) from `origin` along the unit vector `direction` to the walls; 0 for a ray that starts outside and
    /// leads away.
    ///
    /// Infinite in an arena without walls.
    #[inline]
    #[must_use]
    pub fn wall_distance(&self, origin: DVec2, direction: DVec2) -> f64 {
        if self.boundary != Boundary::Walls {
            return f64::INFINITY;
        }
        let along = |position: f64, size: f64, speed: f64| match speed {
            speed if speed > 0.0 => (size - position) / speed,
            speed if speed < 0.0 => -position / speed,
            _ => f64::INFINITY,
        };
        let inside = origin - self.low;
        let x = along(inside.x, self.size.x, direction.x);
        let y = along(inside.y, self.size.y, direction.y);
        x.min(y).max(0.0)
    }
}

/// Factor of a distance, more than the rounding of a wall distance.
const WALL_ROUNDING: f64 = 1.0 + 1e-9;
/// Largest number of arenas in a shift to a periodic image.
const MOST_ARENAS: f64 = 8.0;
/// Tolerance for touching boxes, as a fraction of the arena.
const TOUCH: f64 = 1e-9;

/// `offset` between two points of [0, `period`)², to the nearest image of the second.
#[inline]
pub(super) fn nearest_image(offset: DVec2, period: DVec2) -> DVec2 {
    let nearest = |offset: f64, period: f64| {
        if offset > period / 2.0 {
            offset - period
        } else if offset < -period / 2.0 {
            offset + period
        } else {
            offset
        }
    };
    DVec2::new(nearest(offset.x, period.x), nearest(offset.y, period.y))
}

#[inline]
fn wrap(x: f64, low: f64, high: f64, period: f64) -> f64 {
    // Coordinates inside stay unchanged to the bit.
    if x >= low && x < high {
        return x;
    }
    let inside = x - low;
    let wrapped = low + (inside - period * (inside / period).floor());
    // A coordinate just below rounds up to the other side.
    if wrapped >= low && wrapped < high { wrapped } else { low }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: DVec2 = DVec2::new(4.0, 2.0);

    #[test]
    fn a_wrapping_field_measures_the_shortest_distance() {
        let field = Field::new(SIZE, Boundary::Periodic);
        assert_eq!(field.offset(DVec2::new(0.5, 1.0), DVec2::new(3.5, 1.5)), DVec2::new(-1.0, 0.5));
        assert_eq!(field.wrap(DVec2::new(-0.5, 2.5)), DVec2::new(3.5, 0.5));
        assert_eq!(field.wrap(DVec2::new(-1e-30, 2.0)), DVec2::ZERO);
    }

    #[test]
    fn a_field_may_have_any_origin() {
        let low = DVec2::new(-3.0, -1.0);
        let field = |boundary| Field::new(SIZE, boundary).at(low);
        assert_eq!(field(Boundary::Periodic).wrap(DVec2::new(-3.5, 1.5)), DVec2::new(0.5, -0.5));
        assert_eq!(
            field(Boundary::Periodic).offset(DVec2::new(-2.5, 0.0), DVec2::new(0.5, 0.5)),
            DVec2::new(-1.0, 0.5)
        );
        assert_eq!(field(Boundary::Walls).confine(DVec2::new(-9.0, 0.9), 0.5), DVec2::new(-2.5, 0.5));
        assert_eq!(field(Boundary::Walls).wall_distance(DVec2::ZERO, DVec2::X), 1.0);
        assert_eq!(field(Boundary::Walls).wall_distance(DVec2::ZERO, DVec2::NEG_X), 3.0);
        assert_eq!(field(Boundary::Open).corners()[2], DVec2::ONE);
    }

    proptest! {
        #[test]
        fn wrapping_a_position_twice_changes_nothing(x in -9.0..9.0, y in -9.0..9.0, low in -3.0..3.0, size in 0.1..5.0) {
            let field = Field::new(DVec2::splat(size), Boundary::Periodic).at(DVec2::splat(low));
            let wrapped = field.wrap(DVec2::new(x, y));
            prop_assert!(wrapped.cmpge(field.low).all() && wrapped.cmplt(field.high()).all());
            prop_assert_eq!(field.wrap(wrapped), wrapped);
            let turns = (DVec2::new(x, y) - wrapped) / size;
            prop_assert!((turns - turns.round()).abs().max_element() < 1e-9);
        }
    }

    proptest! {
        #[test]
        fn has_wall_ahead_is_true_within_the_wall_distance(
            (x, y) in (-1.0..5.0, -1.0..3.0),
            heading in prop_oneof![-3.2..3.2, Just(0.0), Just(std::f64::consts::PI)],
            reach in 0.0..6.0,
        ) {
            let field = Field::new(SIZE, Boundary::Walls);
            let (origin, direction) = (DVec2::new(x, y), swarmarium_base::math::direction(heading));
            let distance = field.wall_distance(origin, direction);
            for reach in [reach, distance, distance * (1.0 + f64::EPSILON), distance * (1.0 - f64::EPSILON)] {
                prop_assert!(distance >= reach || field.has_wall_ahead(origin, direction, reach));
            }
        }
    }

    #[test]
    fn images_across_a_wrapping_border_are_those_that_overlap() {
        let unit = |x: f64, y: f64| (DVec2::new(x, y), DVec2::new(x + 1.0, y + 1.0));
        let shifts = |boundary, of, with| Field::new(SIZE, boundary).images(of, with).collect::<Vec<_>>();
        assert_eq!(shifts(Boundary::Open, unit(0.0, 0.0), unit(9.0, 9.0)), [DVec2::ZERO]);
        assert_eq!(shifts(Boundary::Periodic, unit(0.0, 0.5), unit(3.5, 0.5)), [DVec2::new(4.0, 0.0)]);
        assert_eq!(shifts(Boundary::Periodic, unit(0.0, 0.0), unit(1.5, 0.0)), []);
        let all = (DVec2::splat(f64::NEG_INFINITY), DVec2::splat(f64::INFINITY));
        assert_eq!(shifts(Boundary::Periodic, unit(0.0, 0.0), all).len(), 17 * 17);
    }

    #[test]
    fn walls_confine_discs_and_stop_rays() {
        let field = Field::new(SIZE, Boundary::Walls);
        assert_eq!(field.confine(DVec2::new(-1.0, 5.0), 0.5), DVec2::new(0.5, 1.5));
        assert_eq!(field.confine(DVec2::new(-1.0, 5.0), 1.5), DVec2::new(1.5, 1.0));
        assert_eq!(field.wall_distance(DVec2::new(1.0, 1.0), DVec2::X), 3.0);
        assert_eq!(field.wall_distance(DVec2::new(0.0, 1.0), DVec2::Y), 1.0);
        assert_eq!(field.wall_distance(DVec2::new(-1.0, 1.0), DVec2::NEG_X), 0.0);
    }
}
