//! The swarm as an input of metrics.

use bevy::math::DVec2;
use bevy::prelude::{Entity, World};
use swarmarium_space::Space;

use super::Scope;
use crate::agent::Team;
use crate::agent::groups::Groups;
use crate::random::{Draws, Stream};
use crate::step::HasArena as _;

/// All agents, or those of one group or team, in the order of their stable ids.
#[derive(Clone, Copy)]
pub struct Swarm<'a> {
    /// The poses of the agents, and the rest of the arena.
    pub space: &'a Space,
    /// The numbers that the metric [gathered](super::Metric::gather).
    pub gathered: &'a [f64],
    /// The source of the random numbers of the metric.
    pub draws: Draws,
    /// Simulated time of a step, in seconds.
    pub dt_s: f64,
    /// The names and values that expressions can use.
    pub scope: Scope<'a>,
}

impl<'a> Swarm<'a> {
    /// The number of agents.
    pub fn len(&self) -> usize {
        self.space.bodies.len()
    }

    /// Random numbers of the metric for one purpose, a constant word such as `"pairs"`; different at every step.
    pub fn random(&self, purpose: &str) -> Stream {
        self.draws.random(purpose)
    }

    /// Whether there are no agents.
    pub fn is_empty(&self) -> bool {
        self.space.bodies.is_empty()
    }

    /// The positions, in metres.
    pub fn positions(&self) -> &'a [DVec2] {
        &self.space.bodies.positions()[..self.len()]
    }

    /// The facing directions, as unit vectors.
    pub fn facings(&self) -> &'a [DVec2] {
        &self.space.bodies.facings()[..self.len()]
    }

    /// The displacements in the last step, pushes included, in metres.
    pub fn displacements(&self) -> &'a [DVec2] {
        &self.space.bodies.displacements()[..self.len()]
    }

    /// The radii, in metres.
    pub fn radii(&self) -> &'a [f64] {
        &self.space.bodies.radii()[..self.len()]
    }

    /// The shortest distance between two points, in metres, across a periodic boundary if that is shorter.
    pub fn distance_m(&self, from: DVec2, to: DVec2) -> f64 {
        self.space.arena.offset(from, to).length()
    }

    /// Half the diagonal of the arena, in metres.
    pub fn half_diagonal_m(&self) -> f64 {
        (self.space.arena.size / 2.0).length()
    }

    /// The mean of a quantity over the agents; `NaN` if there are none.
    pub fn mean(&self, of: impl Iterator<Item = f64>) -> f64 {
        of.sum::<f64>() / self.len() as f64
    }

    /// The mean of the positions, in metres; `NaN` if there are no agents.
    pub fn centroid_m(&self) -> DVec2 {
        self.positions().iter().sum::<DVec2>() / self.len() as f64
    }

    /// The vectors from the centroid to each agent, in metres.
    pub fn outwards(&self) -> impl Iterator<Item = DVec2> + Clone + 'a {
        let (centroid, positions) = (self.centroid_m(), self.positions());
        positions.iter().map(move |position| position - centroid)
    }

    /// The smallest and the largest distance from the centroid, in metres; `None` if there are no agents.
    pub fn radial_range_m(&self) -> Option<(f64, f64)> {
        let squares = self.outwards().map(DVec2::length_squared);
        let (near, far) =
            squares.fold((f64::INFINITY, 0.0_f64), |(near, far), square| (near.min(square), far.max(square)));
        (!self.is_empty()).then(|| (near.sqrt(), far.sqrt()))
    }
}

/// The sources from which a metric can gather numbers: the world, and the agents that it observes.
#[derive(Clone, Copy)]
pub struct Census<'a> {
    world: &'a World,
    all: &'a Space,
    seen: &'a Space,
}

impl<'a> Census<'a> {
    /// Creates a census of the observed agents among all.
    pub(super) fn new(world: &'a World, all: &'a Space, seen: &'a Space) -> Self {
        Self { world, all, seen }
    }

    /// The world.
    pub fn world(&self) -> &'a World {
        self.world
    }

    /// All agents, including those that the metric does not observe.
    pub fn all(&self) -> &'a Space {
        self.all
    }

    /// The agent with this number, if the metric observes it.
    pub fn agent(&self, number: u32) -> Option<Entity> {
        self.seen.bodies.row_of(number)?;
        let row = self.all.bodies.row_of(number)?;
        self.world.arena().agents.get(row).copied()
    }

    /// The numbers of the observed agents, in the order of their stable ids.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        self.seen.bodies.owners().iter().map(|owner| owner.number)
    }

    /// The observed agents, in the order of their stable ids.
    pub fn agents(self) -> impl Iterator<Item = Entity> {
        self.numbers().filter_map(move |number| self.agent(number))
    }
}

/// A copy of the agents of one group or team, whose memory is reused.
pub(super) struct Subset {
    /// The name of the group or team.
    pub of: String,
    space: Space,
    rows: Vec<usize>,
}

impl Subset {
    /// A group or team, without agents before [`pick`](Self::pick).
    pub(super) fn new(of: &str) -> Self {
        Self { of: of.to_owned(), space: Space::default(), rows: Vec::new() }
    }

    /// The agents that were picked last.
    pub(super) fn space(&self) -> &Space {
        &self.space
    }

    /// Copies the agents of the group or team.
    pub(super) fn pick(&mut self, all: &Space, groups: &Groups) -> &Space {
        let Self { of, space, rows } = self;
        space.arena = all.arena;
        // Objects rarely change, and a copy allocates.
        if space.things != all.things {
            space.things.clone_from(&all.things);
        }
        let (group, team) = (groups.place_of(of), Team::named(of).0);
        let (teams, owners) = (all.bodies.groups(), all.bodies.owners());
        rows.clear();
        rows.extend((0..all.bodies.len()).filter(|row| Some(owners[*row].group) == group || teams[*row] == team));
        space.bodies.resize(rows.len());
        for (row, from) in rows.iter().enumerate() {
            space.bodies.copy_row(row, &all.bodies, *from);
        }
        space.update();
        space
    }
}
