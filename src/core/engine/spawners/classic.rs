//! Placing agents as RobotSwarmSimulator does, draw for draw.
//!
//! 1. The place is drawn.
//! 2. With `avoid_overlap`, the new agent is pushed away from those before it that push: in up to five rounds by 0.4 of
//!    the way, then in up to ten by all of it ([`Disc::push_from`]). Where that does not suffice, it stays in the overlap.
//!    Agents with outlines neither push nor are pushed.
//! 3. The heading is drawn, when it is random or when there is nothing to look at.

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

/// Rounds of pushes, and the part of the way that each push goes.
const ROUNDS: [(u32, f64); 2] = [(5, 0.4), (10, 1.0)];

/// The agents so far that a new one can meet, by age.
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

    /// The pose of a new agent, which joins the crowd; it has a number, and the body of its group.
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
