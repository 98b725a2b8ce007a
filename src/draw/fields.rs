//! Scalar fields, as heat maps.

use swarmarium_picture::cells::{Cells, round_up};
use swarmarium_picture::palette::{Role, viridis};
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_space::ScalarField;

use super::Moment;
use super::legend::Legend;

/// Draws the fields that are not hidden, later ones over earlier ones; returns their legends.
///
/// Values below 0.5 % of the last colour are not painted.
pub(super) fn draw(Moment { space, .. }: &Moment, picture: &mut Picture) -> Vec<Legend> {
    let shown = space.fields.all().iter().filter(|field| !field.settings().hidden);
    shown.map(|field| draw_one(field, picture)).collect()
}

fn draw_one(field: &ScalarField, picture: &mut Picture) -> Legend {
    let (settings, grid) = (field.settings(), field.grid());
    let most = match settings.color_max_per_m2 {
        most if most > 0.0 => most,
        _ => round_up(field.largest()),
    };
    let cells = Cells::new(grid.arena.low, grid.cell_m, grid.columns, &field.values(), most);
    picture.add(Layer::Field, Role::Text, Shape::Cells(cells));
    Legend::bar(format!("{}, units/m²", settings.name), [0.0, most], viridis)
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::{Boundary, Field, FieldSettings};

    use super::*;

    #[test]
    fn a_field_is_drawn_with_its_scale_and_transparent_where_it_is_empty() {
        let name = "pheromone".to_owned();
        let arena = Field::new(DVec2::new(4.0, 2.0), Boundary::Walls).at(DVec2::splat(-1.0));
        let mut field = ScalarField::new(FieldSettings { name, cell_m: 1.0, ..FieldSettings::default() }, arena);
        field.deposit(field.grid().center(2, 1), 3.0);
        let mut picture = Picture::default();
        let legend = draw_one(&field, &mut picture);
        assert_eq!(legend, Legend::bar("pheromone, units/m²", [0.0, 5.0], viridis));
        let [item] = &picture.items[..] else { panic!("one shape") };
        let Shape::Cells(cells) = &item.shape else { panic!("a grid") };
        assert_eq!((cells.corner, cells.columns), (DVec2::splat(-1.0), 4));
        assert_eq!(cells.levels, [0, 0, 0, 0, 0, 0, Cells::level(0.6), 0]);
        field.set_live(&FieldSettings { color_max_per_m2: 3.0, ..field.settings().clone() });
        assert_eq!(draw_one(&field, &mut Picture::default()).key, Legend::bar("", [0.0, 3.0], viridis).key);
    }
}
