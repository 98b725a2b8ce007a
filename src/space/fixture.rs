//! Random spaces for unit tests.

use bevy::math::DVec2;
use proptest::prelude::*;

use super::{Body, Boundary, Field, Neighbour, Space};

/// Size of the arena of the random spaces.
pub const SIZE: DVec2 = DVec2::new(4.0, 3.0);

/// A space without solids, with bodies anywhere, also outside the arena and often coincident.
pub fn space() -> impl Strategy<Value = Space> {
    let coordinate = || prop_oneof![6 => -1.0..5.0, 1 => Just(1.5), 1 => Just(0.0)];
    let body =
        (coordinate(), coordinate(), prop_oneof![0.0..0.4, Just(0.0)], 0..3u32).prop_map(|(x, y, radius, group)| {
            Body { position: DVec2::new(x, y), heading: x, radius, group, ..Body::default() }
        });
    let boundary = prop_oneof![Just(Boundary::Open), Just(Boundary::Walls), Just(Boundary::Periodic)];
    (boundary, prop::collection::vec(body, 0..60)).prop_map(|(boundary, bodies)| with(boundary, &bodies))
}

/// A space with `bodies` in it.
pub fn with(boundary: Boundary, bodies: &[Body]) -> Space {
    let mut space = Space::new(Field::new(SIZE, boundary));
    space.bodies.resize(bodies.len());
    for (row, &body) in bodies.iter().enumerate() {
        space.bodies.set(row, body);
    }
    space.update();
    space
}

/// A disc at (`x`, `y`).
pub fn disc(x: f64, y: f64, radius: f64) -> Body {
    Body { position: DVec2::new(x, y), radius, ..Body::default() }
}

/// A point in or near the arena.
pub fn point() -> impl Strategy<Value = DVec2> {
    (-2.0..6.0, -2.0..6.0).prop_map(DVec2::from)
}

/// All bodies by row, relative to `center`.
pub fn all(space: &Space, center: DVec2) -> Vec<Neighbour> {
    let bodies = &space.bodies;
    let see = |row| Neighbour {
        row,
        offset: space.arena.offset(center, bodies.positions()[row]),
        radius: bodies.radii()[row],
        group: bodies.groups()[row],
    };
    (0..bodies.len()).map(see).collect()
}
