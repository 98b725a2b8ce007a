//! Spawners: they choose the poses of new agents.

use bevy::prelude::*;
use swarmarium_core::spawner::AddSpawner;

pub mod annulus;
pub mod polygon;
pub mod scattered;
pub mod uniform_box;
pub mod uniform_disc;
pub mod uniform_square;

pub(crate) fn plugin(app: &mut App) {
    app.add_spawner::<annulus::Annulus>()
        .add_spawner::<polygon::Polygon>()
        .add_spawner::<scattered::Scattered>()
        .add_spawner::<uniform_box::UniformBox>()
        .add_spawner::<uniform_disc::UniformDisc>()
        .add_spawner::<uniform_square::UniformSquare>();
}

#[cfg(test)]
pub(crate) mod fixture;
