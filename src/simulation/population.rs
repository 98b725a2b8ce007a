//! The population: creates agents and sensors, and counts them.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::Collides;

use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::agent::contact::{Bumps, LastCollisions, OnCollision};
use swarmarium_core::agent::{Command, Displacement, Member, Pose, Row, Team};
use swarmarium_core::kind::{Family, Kinds, Slot};
use swarmarium_core::noise::Kept;
use swarmarium_core::random::Chain;
use swarmarium_core::random::pcg::Pcg64;
use swarmarium_core::sensor::{Mounted, SensorFamily, SensorOf};
use swarmarium_core::state::{Record, RegisterState as _};
use swarmarium_core::step::HasArena as _;
use swarmarium_core::step::tables::BoxCenter;
use swarmarium_core::time::robot::RobotClock;
use swarmarium_scene::scene::current::{Description, Digest};
use swarmarium_scene::scene::description::{Group, OverlapResolution};

pub(crate) fn plugin(app: &mut App) {
    app.register_state_resource_as::<Description, Digest>("scene", digest_of)
        .register_state_resource::<Population>("population")
        .register_record::<PoseOwners>("placed")
        .register_parameters::<StableId>("id");
}

/// The part of the hash that stands for the scene.
fn digest_of(world: &World) -> Option<&dyn PartialReflect> {
    Some(world.get_resource::<Description>()?.digest(world.get_resource()?))
}

/// Start time of the run as sent to clients (s). Not state: no result depends on it.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StartTime(pub f64);

/// Number of agents created so far, which is the number of the next agent.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Population {
    all: u32,
    by_group: Vec<u32>,
}

impl Population {
    fn next(&mut self, group: u32, alone: bool) -> (StableId, Member) {
        let place = group as usize;
        if self.by_group.len() <= place {
            self.by_group.resize(place + 1, 0);
        }
        let next = (StableId::agent(self.all), Member { group, serial: self.by_group[place], alone });
        self.all += 1;
        self.by_group[place] += 1;
        next
    }
}

/// Serial number of the agent of each listed pose, by group.
///
/// It follows from the scene and the edits so far, and maps agents to their listed poses.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct PoseOwners(Vec<Vec<u32>>);

impl Record for PoseOwners {
    fn heap_bytes(&self) -> usize {
        self.0.iter().map(|agents| size_of_val(agents) + size_of_val(&agents[..])).sum()
    }
}

impl PoseOwners {
    /// No agent: the pose was added after the start.
    const NOBODY: u32 = u32::MAX;

    /// The agents of the listed poses of a group.
    pub fn of(&mut self, group: usize, description: &Group) -> &mut Vec<u32> {
        if self.0.len() <= group {
            self.0.resize_with(group + 1, Vec::new);
        }
        let (poses, agents) = (description.placements().count(), &mut self.0[group]);
        if agents.len() != poses {
            // The poses were edited for the next start.
            *agents = vec![Self::NOBODY; poses];
        }
        agents
    }

    /// Index of the listed pose of an agent within its group.
    pub fn place_of(&self, member: Member, description: &Group) -> Option<usize> {
        let agents = self.0.get(member.group as usize)?;
        let place = agents.iter().position(|serial| *serial == member.serial)?;
        (agents.len() == description.placements().count()).then_some(place)
    }
}

/// Gives the next owner of a chain of draws its chain, with `random_source: Classic`.
pub(crate) fn give_chain(world: &mut World, owner: Entity) {
    if let Some(seeds) = &mut world.arena_mut().seed_chain {
        let chain = seeds.next_chain();
        world.entity_mut(owner).insert(chain);
    }
}

/// Creates agents of a group with their sensors, and returns their entities.
pub(crate) fn agents(world: &mut World, group_index: u32, poses: impl Iterator<Item = Pose>) -> Vec<Entity> {
    let kinds = world.resource::<Kinds>().clone();
    let Some(group) = world.resource::<Description>().scene.groups.get(group_index as usize) else {
        return Vec::new();
    };
    let Group { motion, controller, sensors, body, radio, gripper, emitter, leds, .. } = group;
    let (motion, controller, sensors, body) = (motion.clone(), controller.clone(), sensors.clone(), body.clone());
    let (radio, gripper, emitter, leds) = (radio.clone(), gripper.clone(), emitter.clone(), leds.clone());
    let (attitude, clock, collides) = (group.attitude, group.clock, group.collides);
    let scene = &world.resource::<Description>().scene;
    let is_boxed = scene.overlap_resolution == OverlapResolution::Classic;
    let can_die = is_boxed && scene.groups.iter().any(|group| group.motion.common().catastrophic_collisions);
    let may_bump = scene.on_collision != OnCollision::Push || body.corners_m().is_some();
    let (team, alone) = (Team::named(&group.team), group.agents() == 1);
    let make = |pose: Pose| {
        let (id, member) = world.resource_mut::<Population>().next(group_index, alone);
        let rest = (Displacement::default(), Command::default(), Row::default());
        let mut agent = world.spawn((id, member, team, pose, body.clone(), rest));
        attach(&kinds, &mut agent, &motion);
        attach(&kinds, &mut agent, &controller);
        if let Some(radio) = &radio {
            agent.insert(radio.clone());
        }
        if let Some(gripper) = &gripper {
            agent.insert(gripper.clone());
        }
        if let Some(emitter) = &emitter {
            agent.insert(emitter.clone());
        }
        if let Some(leds) = &leds {
            agent.insert((leds.outputs(), leds.clone()));
        }
        if attitude != Attitude::default() {
            agent.insert(attitude);
        }
        if collides != Collides::default() {
            agent.insert(collides);
        }
        if clock != RobotClock::default() {
            agent.insert(clock);
        }
        if is_boxed {
            agent.insert(BoxCenter(pose.position_m));
        }
        if may_bump {
            agent.insert(Bumps::default());
        }
        if can_die {
            agent.insert(LastCollisions::default());
        }
        let agent = agent.id();
        give_chain(world, agent);
        self::sensors(world, &kinds, (id, agent), &sensors);
        agent
    };
    poses.map(make).collect()
}

/// Creates the sensors of an agent or an object.
pub(crate) fn sensors(
    world: &mut World,
    kinds: &Kinds,
    (id, owner): (StableId, Entity),
    sensors: &[Slot<SensorFamily>],
) {
    for (slot, sensor) in sensors.iter().enumerate() {
        let slot = slot as u16;
        let seed = world.get_mut::<Chain>(owner).map(|mut chain| chain.0.next_seed());
        let mut entity = world.spawn((id.sensor(slot), Mounted { owner: id, slot }, SensorOf(owner)));
        attach(kinds, &mut entity, sensor);
        if let (Some(seed), Some(mut kept)) = (seed, entity.get_mut::<Kept>()) {
            kept.draw_from(Chain(Pcg64::new(seed)));
        }
    }
}

/// Inserts a kind and its common parameters into an entity.
pub fn attach<F: Family>(kinds: &Kinds, entity: &mut EntityWorldMut, slot: &Slot<F>) {
    if let Some(kind) = kinds.of_value(F::NAME, slot.value()) {
        (kind.attach)(entity, slot.value());
        attach_common(entity, slot);
    }
}

/// Inserts common parameters into an entity, unless they are the default: most entities do not need the component.
pub(crate) fn attach_common<F: Family>(entity: &mut EntityWorldMut, slot: &Slot<F>) {
    if *slot.common() == F::Common::default() {
        entity.remove::<F::Common>();
    } else {
        entity.insert(slot.common().clone());
    }
}
