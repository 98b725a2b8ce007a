//! The graph in which agents near each other are linked, for the metrics that look at it.

use bevy::prelude::*;
use swarmarium_core::metric::Swarm;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};

/// Visits every pair of agents once whose centres are nearer than a range, in metres.
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

/// Sets that are joined one by one (union–find); each is named by its least member.
#[derive(Clone, Debug)]
pub struct Sets(Vec<usize>);

impl Sets {
    /// So many sets of one member each.
    pub fn of(members: usize) -> Self {
        Self((0..members).collect())
    }

    /// The name of the set of a member; the ways to it are shortened on the go.
    pub fn find(&mut self, mut member: usize) -> usize {
        let Self(parents) = self;
        while parents[member] != member {
            parents[member] = parents[parents[member]];
            member = parents[member];
        }
        member
    }

    /// Joins the sets of two members; whether they were two.
    pub fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
        one != other
    }
}
