//! Placement of agents as in RobotSwarmSimulator, draw for draw.
//!
//! 1. The position is drawn.
//! 2. With `avoid_overlap`, the new agent is pushed away from earlier agents that push: in up to five rounds by 0.4 of
//!    the overlap, then in up to ten rounds by all of it ([`Disc::push_from`]). Any remaining overlap is kept. Agents
//!    with outlines neither push nor are pushed.
//! 3. The heading is drawn if it is random or if there is nothing to face.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::Collides;
use swarmarium_space::classic::{Disc, SHAKE_M};

use crate::agent::Pose;
use crate::agent::body::Body;
use crate::random::Stream;
use crate::scene::description::Group;
use crate::spawner::{Placing, Spawning};

/// Rounds of pushes, with the fraction of the overlap for each push.
const ROUNDS: [(u32, f64); 2] = [(5, 0.4), (10, 1.0)];

/// Existing agents that a new agent can overlap, by age.
pub(super) struct Crowd(Vec<(Disc, Collides)>);

impl Crowd {
    pub(super) fn of(world: &mut World) -> Self {
        let mut agents = world.query::<(&StableId, &Pose, &Body, Option<&Collides>)>();
        let mut agents: Vec<_> = agents.iter(world).collect();
        agents.sort_unstable_by_key(|(id, ..)| **id);
        let mut crowd = Self(Vec::new());
        for (_, pose, body, collides) in agents {
            crowd.add(pose.position_m, body, collides.copied().unwrap_or_default());
        }
        crowd
    }

    fn add(&mut self, center_m: DVec2, body: &Body, collides: Collides) {
        if let &Body::Disc { radius_m } = body
            && collides != Collides::Off
        {
            self.0.push((Disc { center_m, radius_m }, collides));
        }
    }

    /// The pose of a new agent with a number and the body of its group; the agent joins the crowd.
    pub fn join(
        &mut self,
        placing: &mut Placing,
        spawning: &Spawning,
        (number, Group { body, collides, .. }): (u32, &Group),
        random: &mut Stream,
    ) -> Pose {
        let place = (placing.place)(number, random);
        let mut me = Disc { center_m: place.position_m, radius_m: body.radius_m() };
        if spawning.avoid_overlap && matches!(body, Body::Disc { .. }) {
            self.make_way(&mut me, random);
        }
        self.add(me.center_m, body, *collides);
        let position_m = me.center_m;
        let heading = || spawning.facing.heading_rad(position_m, placing.center_m, || random.between(0.0, TAU));
        Pose { position_m, heading_rad: place.heading_rad.unwrap_or_else(heading) }
    }

    fn make_way(&self, me: &mut Disc, random: &mut Stream) {
        for (rounds, part) in ROUNDS {
            for _ in 0..rounds {
                let boxed = *me;
                let mut hit = false;
                for (other, collides) in self.0.iter().filter(|(other, _)| other.box_touches(&boxed)) {
                    let shake = || DVec2::new(random.between(-SHAKE_M, SHAKE_M), random.between(-SHAKE_M, SHAKE_M));
                    // An agent with `Detect` does not push, but random numbers are drawn for it as for the others.
                    let push = me.push_from(other, part, shake).filter(|_| *collides == Collides::Push);
                    if let Some(push) = push {
                        me.center_m += push;
                        hit = true;
                    }
                }
                if !hit {
                    break;
                }
            }
        }
    }
}
