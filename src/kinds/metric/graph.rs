//! The graph that links nearby agents, shared by several metrics.

use bevy::prelude::*;
use swarmarium_core::metric::Swarm;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};

/// Visits every pair of agents whose centres are nearer than a range (m), once each.
pub fn links(swarm: &Swarm, range_m: f64, mut visit: impl FnMut(usize, usize)) {
    for (row, at) in swarm.positions().iter().enumerate() {
        swarm.space.index().centers_within_range(*at, range_m, Some(row), |other| {
            if other.row > row {
                visit(row, other.row);
            }
        });
    }
}

/// Draws all links.
pub fn draw_links(swarm: &Swarm, range_m: f64, picture: &mut Picture) {
    let positions = swarm.positions();
    links(swarm, range_m, |a, b| {
        let ends = [positions[a], positions[a] + swarm.space.arena.offset(positions[a], positions[b])];
        picture.segment(Layer::Sensors, Role::Accent.faint(0.5), ends, Width::Pixels(1.0));
    });
}

/// Disjoint sets (union–find); each set is named by its smallest member.
#[derive(Clone, Debug)]
pub struct Sets(Vec<usize>);

impl Sets {
    /// The given number of sets with one member each.
    pub fn of(members: usize) -> Self {
        Self((0..members).collect())
    }

    /// The name of the set of a member. Shortens the paths on the way.
    pub fn find(&mut self, mut member: usize) -> usize {
        let Self(parents) = self;
        while parents[member] != member {
            parents[member] = parents[parents[member]];
            member = parents[member];
        }
        member
    }

    /// Joins the sets of two members. Returns whether they were different.
    pub fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
        one != other
    }
}
