//! Hits of rays, and targets of rays and contacts.

/// The target of a ray or of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The body in a row.
    Body(usize),
    /// A solid by its number.
    Solid(usize),
    /// A wall of the arena.
    Wall,
    /// An object by its place in the scene; rays hit only its solids.
    Thing(usize),
}

/// Where a ray ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance (m) from the start of the ray; 0 where it starts inside the target.
    pub distance: f64,
    /// The target that it hits.
    pub target: Target,
}
