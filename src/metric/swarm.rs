//! The swarm as metrics see it.

use bevy::math::DVec2;

use super::Scope;
use crate::agent::Team;
use crate::space::Space;

/// All agents, or those of one group or team, in the order of their stable ids.
#[derive(Clone, Copy)]
pub struct Swarm<'a> {
    /// Where they are, and what else is in the arena.
    pub space: &'a Space,
    /// Their numbers, as in their stable ids.
    pub numbers: &'a [u32],
    /// Whether each of them did not survive a collision.
    pub dead: &'a [bool],
    /// Simulated time of a step, in seconds.
    pub dt_s: f64,
    /// What expressions can name.
    pub scope: Scope<'a>,
}

impl<'a> Swarm<'a> {
    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.space.bodies.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.space.bodies.is_empty()
    }

    /// Their positions, in metres.
    pub fn positions(&self) -> &'a [DVec2] {
        &self.space.bodies.positions()[..self.len()]
    }

    /// Where they look, as unit vectors.
    pub fn facings(&self) -> &'a [DVec2] {
        &self.space.bodies.facings()[..self.len()]
    }

    /// How far they moved in the last step, pushes included, in metres.
    pub fn displacements(&self) -> &'a [DVec2] {
        &self.space.bodies.displacements()[..self.len()]
    }

    /// Their radii, in metres.
    pub fn radii(&self) -> &'a [f64] {
        &self.space.bodies.radii()[..self.len()]
    }

    /// Half the diagonal of the arena, in metres.
    pub fn half_diagonal_m(&self) -> f64 {
        (self.space.arena.size / 2.0).length()
    }

    /// The mean of something over the agents; `NaN` when there is none.
    pub fn mean(&self, of: impl Iterator<Item = f64>) -> f64 {
        of.sum::<f64>() / self.len() as f64
    }

    /// The mean of the positions, in metres; not a number when there is no agent.
    pub fn centroid_m(&self) -> DVec2 {
        self.positions().iter().sum::<DVec2>() / self.len() as f64
    }

    /// From the centroid to each agent, in metres.
    pub fn outwards(&self) -> impl Iterator<Item = DVec2> + Clone + 'a {
        let (centroid, positions) = (self.centroid_m(), self.positions());
        positions.iter().map(move |position| position - centroid)
    }

    /// The smallest and the largest distance from the centroid, in metres; `None` when there is no agent.
    pub fn radial_range_m(&self) -> Option<(f64, f64)> {
        let squares = self.outwards().map(DVec2::length_squared);
        let (near, far) =
            squares.fold((f64::INFINITY, 0.0_f64), |(near, far), square| (near.min(square), far.max(square)));
        (!self.is_empty()).then(|| (near.sqrt(), far.sqrt()))
    }
}

/// Who is who, by row.
#[derive(bevy::prelude::Resource, Clone, Debug, Default)]
pub struct Roster {
    /// Numbers of the agents, as in their stable ids.
    pub numbers: Vec<u32>,
    /// Places of their groups in the scene.
    pub groups: Vec<u32>,
    /// Whether they did not survive a collision.
    pub dead: Vec<bool>,
}

/// The agents of one group or team, copied out of all.
#[derive(Default)]
pub(super) struct Subset {
    space: Option<Space>,
    numbers: Vec<u32>,
    dead: Vec<bool>,
}

impl Subset {
    /// The space, the numbers and the deaths of the agents wanted: those of the group at this place, or of the team.
    pub(super) fn pick<'a>(
        &'a mut self,
        all: &Space,
        roster: &Roster,
        group: Option<u32>,
        team: Team,
    ) -> (&'a Space, &'a [u32], &'a [bool]) {
        let Self { space, numbers, dead } = self;
        let space = space.get_or_insert_with(|| Space::new(all.arena));
        space.arena = all.arena;
        space.things.clone_from(&all.things);
        let teams = all.bodies.groups();
        let wanted =
            |row: &usize| roster.groups.get(*row).copied() == group && group.is_some() || teams[*row] == team.0;
        let rows: Vec<usize> = (0..all.bodies.len()).filter(wanted).collect();
        space.bodies.resize(rows.len());
        numbers.clear();
        dead.clear();
        for (row, from) in rows.into_iter().enumerate() {
            space.bodies.copy_row(row, &all.bodies, from);
            numbers.push(roster.numbers.get(from).copied().unwrap_or_default());
            dead.push(roster.dead.get(from).copied().unwrap_or_default());
        }
        space.update();
        (space, numbers, dead)
    }
}
