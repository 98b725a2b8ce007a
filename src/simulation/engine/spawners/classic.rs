//! Placement of agents as in RobotSwarmSimulator, draw for draw.
//!
//! 1. The position is drawn.
//! 2. With `avoid_overlap`, the new agent is pushed away from earlier agents that push: in up to five rounds by 0.4 of
//!    the overlap, then in up to ten rounds by all of it ([`Disc::push_from`]). Any remaining overlap is kept. Agents
//!    with outlines neither push nor are pushed. The box of the agent is the one at the start of the last round, until
//!    its own first step. With `catastrophic_collisions`, the agent and those that push it die.
//! 3. The heading is drawn if it is random or if there is nothing to face.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::contact::LastCollisions;
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::{Placing, Spawning};
use swarmarium_core::step::tables::BoxCenter;
use swarmarium_scene::scene::description::Group;
use swarmarium_space::Collides;
use swarmarium_space::classic::{Disc, SHAKE_M};

use crate::engine::contact;

/// Rounds of pushes, with the fraction of the overlap for each push.
const ROUNDS: [(u32, f64); 2] = [(5, 0.4), (10, 1.0)];

/// The largest overlap, as a fraction of the smaller diameter, that does not count as a lack of room.
const MAX_OVERLAP: f64 = 0.01;

/// The agents that a new agent can overlap, by age.
pub(super) struct Crowd(Vec<Neighbour>);

/// An agent of a [`Crowd`].
struct Neighbour {
    /// The agent; `None` until it is created.
    agent: Option<Entity>,
    disc: Disc,
    /// Agents with outlines count as `Off`.
    collides: Collides,
    /// Centre (m) of its box until its first step, if it is not that of the agent.
    box_m: Option<DVec2>,
    /// Number of agents that pushed it when it was placed.
    collisions: u32,
    /// Whether it died while an agent was placed.
    dies: bool,
}

impl Crowd {
    pub(super) fn of(world: &mut World) -> Self {
        let mut agents = world.query::<(&StableId, Entity, &Pose, &Body, Option<&Collides>)>();
        let mut agents: Vec<_> = agents.iter(world).collect();
        agents.sort_unstable_by_key(|(id, ..)| **id);
        let of = |(_, agent, pose, body, collides): (&StableId, Entity, &Pose, &Body, Option<&Collides>)| {
            Neighbour::new(Some(agent), pose.position_m, body, collides.copied().unwrap_or_default())
        };
        Self(agents.into_iter().map(of).collect())
    }

    /// Places a new agent with a number and the description of its group; returns its pose and whether it found room, if
    /// its spawner avoids overlaps. The agent joins the crowd.
    pub fn join(
        &mut self,
        placing: &mut Placing,
        spawning: &Spawning,
        (number, Group { body, collides, motion, .. }): (u32, &Group),
        random: &mut Stream,
    ) -> (Pose, bool) {
        let place = (placing.place)(number, random);
        let mut me = Neighbour::new(None, place.position_m, body, *collides);
        let mut is_free = true;
        if spawning.avoid_overlap && matches!(body, Body::Disc { .. }) {
            self.make_way(&mut me, motion.common().catastrophic_collisions, random);
            is_free = self.has_room(&me.disc);
        }
        let position_m = me.disc.center_m;
        self.0.push(me);
        let heading = || spawning.facing.heading_rad(position_m, placing.center_m, || random.between(0.0, TAU));
        (Pose { position_m, heading_rad: place.heading_rad.unwrap_or_else(heading) }, is_free)
    }

    /// Whether a new agent overlaps no agent that pushes by more than a share of the smaller diameter that the pushes
    /// regularly leave.
    fn has_room(&self, me: &Disc) -> bool {
        let overlap_m = |other: &Disc| me.radius_m + other.radius_m - me.center_m.distance(other.center_m);
        let most_m = |other: &Disc| 2.0 * MAX_OVERLAP * me.radius_m.min(other.radius_m);
        let mut pushing = self.0.iter().filter(|other| other.collides == Collides::Push);
        pushing.all(|other| overlap_m(&other.disc) <= most_m(&other.disc))
    }

    /// Assigns the created agents to those that joined since the last call.
    pub fn assign(&mut self, agents: &[Entity]) {
        let waiting = self.0.iter_mut().filter(|neighbour| neighbour.agent.is_none());
        waiting.zip(agents).for_each(|(neighbour, agent)| neighbour.agent = Some(*agent));
    }

    /// Gives the agents their boxes and collisions, and kills the dead ones.
    pub fn finish(self, world: &mut World) {
        for Neighbour { agent, box_m, collisions, dies, .. } in self.0 {
            let Some(agent) = agent else { continue };
            // Only with classic collisions.
            let Some(mut center) = world.get_mut::<BoxCenter>(agent) else { continue };
            if let Some(box_m) = box_m {
                center.0 = box_m;
            }
            if let Some(mut last) = world.get_mut::<LastCollisions>(agent).filter(|_| collisions > 0) {
                last.0 = collisions;
            }
            if dies {
                contact::die_in_place(world, agent);
            }
        }
    }

    fn make_way(&mut self, me: &mut Neighbour, is_fragile: bool, random: &mut Stream) {
        for (rounds, part) in ROUNDS {
            me.collisions = 0;
            for _ in 0..rounds {
                let boxed = me.disc;
                me.box_m = Some(boxed.center_m);
                let mut pushed_by = 0;
                let near = |other: &&mut Neighbour| other.collides != Collides::Off && other.disc.box_touches(&boxed);
                for other in self.0.iter_mut().filter(near) {
                    let shake = || DVec2::new(random.between(-SHAKE_M, SHAKE_M), random.between(-SHAKE_M, SHAKE_M));
                    // An agent with `Detect` does not push, but random numbers are drawn for it as for the others.
                    let push = me.disc.push_from(&other.disc, part, shake);
                    if let Some(push) = push.filter(|_| other.collides == Collides::Push) {
                        me.disc.center_m += push;
                        pushed_by += 1;
                        other.dies |= is_fragile;
                        me.dies |= is_fragile;
                    }
                }
                if pushed_by == 0 {
                    break;
                }
                // As in a step, only the first round counts.
                if me.collisions == 0 {
                    me.collisions = pushed_by;
                }
            }
        }
    }
}

impl Neighbour {
    fn new(agent: Option<Entity>, center_m: DVec2, body: &Body, collides: Collides) -> Self {
        let collides = if matches!(body, Body::Disc { .. }) { collides } else { Collides::Off };
        let disc = Disc { center_m, radius_m: body.radius_m() };
        Self { agent, disc, collides, box_m: None, collisions: 0, dies: false }
    }
}
