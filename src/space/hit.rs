//! Hits of rays, and targets of rays and contacts.

/// The target of a ray or of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The body in a row.
    Body(usize),
    /// The solid with a number.
    Solid(usize),
    /// A wall of the arena.
    Wall,
    /// The object with this index in the scene; rays hit only its solids.
    Thing(usize),
}

/// The end of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance (m) from the start of the ray; 0 if it starts inside the target.
    pub distance: f64,
    /// The target that the ray hits.
    pub target: Target,
}
