//! Hits: what a ray ends at.

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
