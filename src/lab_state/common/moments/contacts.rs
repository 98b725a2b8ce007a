//! The contacts of the last step: robots that were pushed or stopped, with what they ran into.
//!
//! The space knows which bodies were pushed. The obstacles are found here, by their distance, so that a simulation
//! without a window does not look for them.

use bevy::math::DVec2;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::{Boundary, Outline, Space, Target};

use crate::common::selection::{self, Item, robot_name};

/// Gaps between bodies in contact after they were pushed apart, in radii of the robot. A larger gap counts only if nothing is
/// within a smaller one: in a crowd, the obstacle may have been pushed away itself.
const GAPS: [f64; 6] = [0.05, 0.1, 0.2, 0.4, 0.7, 1.0];

/// The obstacle of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// The robot with a number.
    Robot(u32),
    /// The object at a place in the scene.
    Object(u32),
    /// A wall of the arena.
    Wall,
    /// An obstacle that is no longer near, because it moved away in the same step.
    Unknown,
}

impl Obstacle {
    /// Returns its name.
    pub fn name(self, simulation: &Simulation) -> String {
        match self {
            Self::Robot(number) => robot_name(simulation, number),
            Self::Object(place) => selection::name(simulation, Item::Object(place as usize))
                .map_or_else(|| "an object".into(), |name| format!("the object {name}")),
            Self::Wall => "a wall".into(),
            Self::Unknown => "something".into(),
        }
    }
}

/// A contact: a robot and its obstacle. Of two robots, the one with the smaller number is the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contact {
    /// The number of the robot.
    pub robot: u32,
    /// The obstacle.
    pub obstacle: Obstacle,
}

/// Replaces a list by the contacts of the last step, in order and each once.
pub fn find(space: &Space, contacts: &mut Vec<Contact>) {
    contacts.clear();
    let bodies = &space.bodies;
    let owners = bodies.owners();
    for bump in space.bumps() {
        if bump.row < owners.len() {
            add(space, bump.row, bump.into, contacts);
        }
    }
    let mut stopped: Vec<usize> = space.bumps().iter().map(|bump| bump.row).collect();
    stopped.sort_unstable();
    for (row, _) in bodies.pushed().iter().take(owners.len()).enumerate().filter(|(_, is_pushed)| **is_pushed) {
        let number = owners[row].number;
        // The obstacle of a robot that stopped is known.
        if stopped.binary_search(&row).is_ok() {
            continue;
        }
        let before = contacts.len();
        let mut gaps = GAPS.iter().map(|gap| gap * bodies.radii()[row]);
        let is_found = gaps.any(|gap_m| {
            touching(space, row, gap_m, contacts);
            contacts.len() > before
        });
        if !is_found {
            contacts.push(Contact { robot: number, obstacle: Obstacle::Unknown });
        }
    }
    contacts.sort_unstable();
    contacts.dedup();
}

/// Adds the contact of the body in a row.
fn add(space: &Space, row: usize, into: Target, contacts: &mut Vec<Contact>) {
    let owners = space.bodies.owners();
    let robot = owners[row].number;
    let (robot, obstacle) = match into {
        Target::Body(other) => match owners.get(other).map(|owner| owner.number) {
            Some(other) => (robot.min(other), Obstacle::Robot(robot.max(other))),
            None => (robot, Obstacle::Unknown),
        },
        Target::Wall => (robot, Obstacle::Wall),
        Target::Solid(solid) => {
            (robot, space.owner_of(solid).map_or(Obstacle::Unknown, |place| Obstacle::Object(place as u32)))
        }
        Target::Thing(place) => (robot, Obstacle::Object(place as u32)),
    };
    contacts.push(Contact { robot, obstacle });
}

/// Adds what is within a gap of the body in a row.
fn touching(space: &Space, row: usize, gap: f64, contacts: &mut Vec<Contact>) {
    let (bodies, arena) = (&space.bodies, &space.arena);
    let (center, radius) = (bodies.positions()[row], bodies.radii()[row]);
    let outline_of = |row: usize| match bodies.outline(row) {
        Some(solid) => space.solids.outline(solid),
        None => Outline::Disc { center: bodies.positions()[row], radius: bodies.radii()[row] },
    };
    let mine = outline_of(row);
    space.index().within_range(center, radius + gap, Some(row), |other| {
        let shift = center + other.offset - bodies.positions()[other.row];
        if bodies.push(row, other.row) && (bodies.are_discs() || mine.is_within(&outline_of(other.row), shift, gap)) {
            add(space, row, Target::Body(other.row), contacts);
        }
    });
    let (low, high) = mine.bounds();
    space.near_solids(low - gap, high + gap, |solid, shift| {
        let part = space.solids.properties(solid);
        if part.blocks
            && !part.is_body
            && part.owner != Some(row)
            && mine.is_within(&space.solids.outline(solid), shift, gap)
        {
            add(space, row, Target::Solid(solid), contacts);
        }
    });
    let room: DVec2 = (low - arena.low).min(arena.high() - high);
    if arena.boundary == Boundary::Walls && room.min_element() <= gap {
        add(space, row, Target::Wall, contacts);
    }
}
