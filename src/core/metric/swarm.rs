//! The swarm as metrics see it.

use bevy::math::DVec2;
use bevy::prelude::{Entity, World};
use swarmarium_space::Space;

use super::Scope;
use crate::agent::Team;
use crate::random::Stream;
use crate::step::Agents;

/// All agents, or those of one group or team, in the order of their stable ids.
#[derive(Clone, Copy)]
pub struct Swarm<'a> {
    /// Where they are, and what else is in the arena.
    pub space: &'a Space,
    /// What the metric [gathered](super::Metric::gather).
    pub gathered: &'a [f64],
    /// Random numbers of the metric's own, from the first one at every step.
    pub stream: Stream,
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

    /// The shortest distance between two points, in metres, across a periodic boundary where necessary.
    pub fn distance_m(&self, from: DVec2, to: DVec2) -> f64 {
        self.space.arena.offset(from, to).length()
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

/// What a metric can gather numbers from: the world, and the agents that it looks at.
#[derive(Clone, Copy)]
pub struct Census<'a> {
    world: &'a World,
    all: &'a Space,
    seen: &'a Space,
}

impl<'a> Census<'a> {
    /// The agents among all that are seen.
    pub(super) fn new(world: &'a World, all: &'a Space, seen: &'a Space) -> Self {
        Self { world, all, seen }
    }

    /// The world.
    pub fn world(&self) -> &'a World {
        self.world
    }

    /// All agents, also those that the metric does not look at.
    pub fn all(&self) -> &'a Space {
        self.all
    }

    /// The agent with this number, if it is among those that the metric looks at.
    pub fn agent(&self, number: u32) -> Option<Entity> {
        self.seen.bodies.row_of(number)?;
        let row = self.all.bodies.row_of(number)?;
        self.world.resource::<Agents>().0.get(row).copied()
    }

    /// The numbers of the agents that the metric looks at, in the order of their stable ids.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        self.seen.bodies.owners().iter().map(|owner| owner.number)
    }

    /// The agents that the metric looks at, in the order of their stable ids.
    pub fn agents(self) -> impl Iterator<Item = Entity> {
        self.numbers().filter_map(move |number| self.agent(number))
    }
}

/// The agents of one group or team, copied out of all.
#[derive(Default)]
pub(super) struct Subset {
    space: Option<Space>,
}

impl Subset {
    /// The agents wanted: those of the group at this place, or of the team.
    pub(super) fn pick(&mut self, all: &Space, group: Option<u32>, team: Team) -> &Space {
        let space = self.space.get_or_insert_with(|| Space::new(all.arena));
        space.arena = all.arena;
        space.things.clone_from(&all.things);
        let (teams, owners) = (all.bodies.groups(), all.bodies.owners());
        let wanted = |row: &usize| Some(owners[*row].group) == group || teams[*row] == team.0;
        let rows: Vec<usize> = (0..all.bodies.len()).filter(wanted).collect();
        space.bodies.resize(rows.len());
        for (row, from) in rows.into_iter().enumerate() {
            space.bodies.copy_row(row, &all.bodies, from);
        }
        space.update();
        space
    }
}
