//! Spawners: they choose the poses of new agents and of the objects of a group.

use bevy::prelude::*;
use swarmarium_core::spawner::AddSpawner;

pub mod annulus;
pub mod gaussian;
pub mod grid;
pub mod polygon;
pub mod ring;
pub mod scattered;
pub mod uniform_box;
pub mod uniform_disc;
pub mod uniform_square;

pub(crate) fn plugin(app: &mut App) {
    app.add_spawner::<annulus::Annulus>()
        .add_spawner::<gaussian::Gaussian>()
        .add_spawner::<grid::Grid>()
        .add_spawner::<polygon::Polygon>()
        .add_spawner::<ring::Ring>()
        .add_spawner::<scattered::Scattered>()
        .add_spawner::<uniform_box::UniformBox>()
        .add_spawner::<uniform_disc::UniformDisc>()
        .add_spawner::<uniform_square::UniformSquare>();
}

#[cfg(test)]
pub(crate) mod fixture;
