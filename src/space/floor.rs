//! The colour of the floor, and the lists of objects with colours.

use std::ops::Range;

use bevy::math::DVec2;

use super::Space;
use super::color::{Rgb, WHITE, place_in};
use super::field::{Boundary, Field};
use super::polygon;
use super::thing::{Form, Thing, ThingKind};

/// The places of the objects with colours, in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct Catalogue {
    /// Objects that colour the floor.
    floors: Vec<u32>,
    /// Lights.
    lights: Vec<u32>,
    /// Coloured objects that stand on the floor and can be seen.
    standing: Vec<u32>,
}

impl Thing {
    /// The colour with which it covers a point of the floor; `None` where it does not.
    #[inline]
    fn covers(&self, field: &Field, point: DVec2) -> Option<Rgb> {
        let Some(grid) = &self.floor else { return self.color.filter(|_| self.overlaps(field, point, 0.0)) };
        let Some(Form::Polygon(corners)) = self.forms.first() else { return None };
        let at = |point: DVec2| place_in(corners, point).and_then(|place| grid.at(place));
        match field.boundary {
            Boundary::Periodic => {
                field.images(polygon::bounds(corners), (point, point)).find_map(|shift| at(point - shift))
            }
            Boundary::Open | Boundary::Walls => at(point),
        }
    }
}

impl Space {
    /// Lists the objects with colours, after a change of `things` or `solids` other than a movement.
    pub fn list_colored(&mut self) {
        let Self { things, solids, catalogue, .. } = self;
        catalogue.floors.clear();
        catalogue.lights.clear();
        catalogue.standing.clear();
        for (place, thing) in (0..).zip(things.iter()) {
            let Range { start, end } = thing.solids;
            match thing.what {
                ThingKind::Light { .. } => catalogue.lights.push(place),
                ThingKind::Floor => catalogue.floors.push(place),
                ThingKind::Region | ThingKind::Goal if thing.color.is_some() => catalogue.floors.push(place),
                ThingKind::Thing if thing.color.is_some() && start == end => catalogue.floors.push(place),
                ThingKind::Thing if thing.color.is_some() && solids.properties(start).sensed => {
                    catalogue.standing.push(place);
                }
                ThingKind::Thing | ThingKind::Region | ThingKind::Goal | ThingKind::Nothing => {}
            }
        }
    }

    /// The places of all lights, in ascending order.
    #[inline]
    #[must_use]
    pub fn lights(&self) -> &[u32] {
        &self.catalogue.lights
    }

    /// The places of the coloured objects that stand on the floor and can be seen, in ascending order.
    #[inline]
    #[must_use]
    pub fn colored_objects(&self) -> &[u32] {
        &self.catalogue.standing
    }

    /// The colour of the floor at a point (m): that of the last object of the scene that covers it, or else white.
    #[inline]
    #[must_use]
    pub fn floor_color(&self, point: DVec2) -> Rgb {
        let covering = self.catalogue.floors.iter().rev();
        let mut colors = covering.filter_map(|place| self.things[*place as usize].covers(&self.arena, point));
        colors.next().unwrap_or(WHITE)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::color::FloorGrid;
    use super::*;

    const BLACK: Rgb = [0; 3];
    const RED: Rgb = [255, 0, 0];

    fn square(low: f64, high: f64) -> Form {
        Form::Polygon([(low, low), (high, low), (high, high), (low, high)].map(DVec2::from).to_vec())
    }

    fn space(boundary: Boundary) -> Space {
        let mut space = Space::new(Field::new(DVec2::splat(4.0), boundary));
        let cells = [BLACK, WHITE, RED, WHITE, BLACK, WHITE].into();
        let grid = FloorGrid { key: 0, columns: 3, cells };
        let floor = Some(Arc::new(grid));
        space.things.push(Thing { what: ThingKind::Floor, floor, forms: vec![square(0.0, 3.0)], ..Thing::default() });
        space.list_colored();
        space
    }

    #[test]
    fn cells_lie_line_by_line_from_the_first_corner() {
        let space = space(Boundary::Open);
        let at = |x: f64, y: f64| space.floor_color(DVec2::new(x, y));
        assert_eq!([at(0.5, 0.7), at(1.5, 0.7), at(2.5, 0.7)], [BLACK, WHITE, RED]);
        assert_eq!([at(0.5, 2.7), at(1.5, 2.7), at(2.5, 2.7)], [WHITE, BLACK, WHITE]);
        // The rim belongs to the last cells, and everything else is ground.
        assert_eq!([at(3.0, 0.0), at(0.0, 0.0), at(3.01, 0.0), at(-0.01, 1.0)], [RED, BLACK, WHITE, WHITE]);
    }

    #[test]
    fn a_turned_grid_turns_its_cells() {
        let mut space = space(Boundary::Open);
        let thing = &mut space.things[0];
        // A quarter turn about the origin.
        thing.forms = vec![thing.forms[0].placed(DVec2::ZERO, DVec2::Y)];
        let at = |x: f64, y: f64| space.floor_color(DVec2::new(x, y));
        assert_eq!([at(-0.7, 0.5), at(-0.7, 1.5), at(-0.7, 2.5), at(-2.0, 1.5)], [BLACK, WHITE, RED, BLACK]);
    }

    #[test]
    fn later_objects_lie_above_earlier_ones_and_white_ground_below_all() {
        let mut space = space(Boundary::Open);
        let disc = |x: f64, color| Thing {
            what: ThingKind::Region,
            color,
            forms: vec![Form::Disc { center: DVec2::new(x, 0.5), radius: 0.4 }],
            ..Thing::default()
        };
        space.things.extend([disc(0.5, Some(RED)), disc(2.5, None)]);
        space.list_colored();
        let at = |x: f64| space.floor_color(DVec2::new(x, 0.5));
        assert_eq!([at(0.5), at(0.05), at(2.5), at(3.5)], [RED, BLACK, RED, WHITE]);
        space.things.swap(0, 1);
        space.list_colored();
        assert_eq!(space.floor_color(DVec2::splat(0.5)), BLACK);
    }

    #[test]
    fn floors_reach_across_a_periodic_boundary() {
        let mut space = space(Boundary::Periodic);
        space.things[0].forms = vec![square(3.0, 6.0)];
        // The first column lies from 3 to 4, the second one from 4 to 5: at 0 to 1 again.
        let at = |x: f64, y: f64| space.floor_color(DVec2::new(x, y));
        assert_eq!([at(3.5, 3.5), at(0.5, 3.5), at(0.5, 1.5), at(2.5, 3.5)], [BLACK, WHITE, BLACK, WHITE]);
        assert_eq!(at(1.5, 0.3), RED);
    }
}
