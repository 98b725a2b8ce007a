//! From a scene to a world: entities for agents, sensors, objects, spawners and metrics.

use bevy::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::check;
use super::description::{Collisions, Draws, Group, Scene};
use super::writer::{self, Style};
use crate::agent::attitude::Attitude;
use crate::agent::trail::Trails;
use crate::agent::{Command, Displacement, Member, Pose, Row, Team, fault};
use crate::edit::TimeScale;
use crate::id::StableId;
use crate::kind::{Family, Kinds, Open};
use crate::limits::MIN_RADIUS_M;
use crate::noise::Kept;
use crate::problem::Problem;
use crate::random::pcg::Pcg64;
use crate::random::{Chain, Seed, SeedChain};
use crate::sensor::{Mounted, SensorFamily, SensorOf};
use crate::space::Collides;
use crate::spawner::{self, Pending};
use crate::state::RegisterState as _;
use crate::step::caches;
use crate::time::SimTime;
use crate::time::robot::RobotClock;
use crate::{metric, object};

/// The scene as it is now, edits included.
#[derive(Resource, Reflect, Clone, Default)]
pub struct Description {
    /// Stands for the scene in the hash of the state.
    digest: u64,
    #[reflect(ignore)]
    scene: Scene,
}

impl Description {
    pub(crate) fn new(kinds: &Kinds, scene: Scene) -> Self {
        Self { digest: digest(kinds, &scene), scene }
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene, between several edits of it; a [new](Self::new) one is to follow, for the digest is that of before.
    pub(crate) fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}

/// A hash of a resolved scene: of its text with every field written, but for when steps happen, and for notes.
pub fn digest(kinds: &Kinds, scene: &Scene) -> u64 {
    let scene = Scene { time: scene.time.of_results(), metadata: Vec::new(), ..scene.clone() };
    xxh3_64(writer::write(kinds, &scene, Style::Full).as_bytes())
}

pub(crate) fn plugin(app: &mut App) {
    app.register_state_resource::<Description>("scene")
        .register_state_resource::<Seed>("seed")
        .register_state_resource::<Population>("population")
        .register_record::<Placed>("placed")
        .register_state::<StableId>("id");
}

/// What time the start of the run is for clients, in seconds. Not state: no result depends on it.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StartTime(pub f64);

/// How many agents were ever made; the next one takes this number.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq, Eq)]
struct Population {
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

/// Which agent each written pose of a group has become, by its number within the group; by group, as the scene lists them.
///
/// It follows from the scene and the edits so far, and says which pose goes with an agent.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Placed(Vec<Vec<u32>>);

impl Placed {
    /// An agent that is not there: that of a pose which was written later.
    const NOBODY: u32 = u32::MAX;

    /// The agents of the poses of a group.
    pub fn of(&mut self, group: usize, description: &Group) -> &mut Vec<u32> {
        if self.0.len() <= group {
            self.0.resize_with(group + 1, Vec::new);
        }
        let (poses, agents) = (description.placements().count(), &mut self.0[group]);
        if agents.len() != poses {
            // Somebody wrote other poses, for the next start.
            *agents = vec![Self::NOBODY; poses];
        }
        agents
    }

    /// The place of the pose of an agent among those of its group.
    pub fn place_of(&self, member: Member, description: &Group) -> Option<usize> {
        let agents = self.0.get(member.group as usize)?;
        let place = agents.iter().position(|serial| *serial == member.serial)?;
        (agents.len() == description.placements().count()).then_some(place)
    }
}

/// Fills an empty world with what a scene describes: groups, objects, metrics; then spawners act once.
pub(crate) fn scene(world: &mut World, scene: &Scene) -> Result<(), Vec<Problem>> {
    let kinds = world.resource::<Kinds>().clone();
    let mut problems = check::limits(&kinds, scene);
    problems.extend(check::fit(world, scene));
    if !problems.is_empty() {
        return Err(problems);
    }
    world.insert_resource(SimTime { step: 0, dt_s: scene.time.dt_s });
    world.insert_resource(Seed(scene.seed));
    world.insert_resource(TimeScale(scene.time.scale));
    world.insert_resource(StartTime(scene.time.epoch.at_s(|| 0.0)));
    world.insert_resource(scene.delivery);
    world.insert_resource(scene.on_collision);
    world.insert_resource(Population::default());
    world.insert_resource(Placed::default());
    world.insert_resource(Description::new(&kinds, scene.clone()));
    caches::lay_out(world, scene);
    Trails::start(world, scene);
    fault::lay_out(world, scene);
    if scene.draws == Draws::Classic {
        world.insert_resource(SeedChain(Pcg64::new(scene.seed)));
    }
    // First, so that spawners know where there is no room.
    for (index, object) in scene.objects.iter().enumerate() {
        object::spawn(world, &kinds, index as u32, object);
    }
    for index in 0..scene.groups.len() {
        place(world, scene, index);
    }
    for index in 0..scene.groups.len() {
        spawner(world, scene, index);
    }
    metric::lay_out(world, scene);
    for (index, metric) in scene.metrics.iter().enumerate() {
        attach(&kinds, &mut world.spawn(StableId::metric(index as u32)), metric);
    }
    if scene.step_spawners {
        spawner::act(world);
    }
    Ok(())
}

/// Makes the agents of a group whose poses are written.
pub(crate) fn place(world: &mut World, scene: &Scene, index: usize) {
    let Some(group) = scene.groups.get(index) else { return };
    agents(world, index as u32, group.placements().map(Pose::from));
    let mut placed = world.resource_mut::<Placed>();
    let numbers = (0..).zip(placed.of(index, group));
    numbers.for_each(|(number, agent)| *agent = number);
}

/// Makes the spawner of a group, if it has agents to make.
pub(crate) fn spawner(world: &mut World, scene: &Scene, index: usize) {
    let Some(group) = scene.groups.get(index).filter(|group| group.spawned() > 0) else { return };
    let kinds = world.resource::<Kinds>().clone();
    let pending = Pending { group: index as u32, count: group.spawned(), made: 0 };
    let settled = spawner::settled(world, scene, index);
    let mut spawner = world.spawn((StableId::spawner(index as u32), pending));
    attach(&kinds, &mut spawner, settled.as_ref().unwrap_or(&group.spawn));
    let spawner = spawner.id();
    give_chain(world, spawner);
}

/// Gives the next owner of a chain of draws its chain, with classic draws.
pub(crate) fn give_chain(world: &mut World, owner: Entity) {
    if let Some(mut seeds) = world.get_resource_mut::<SeedChain>() {
        let chain = seeds.next_chain();
        world.entity_mut(owner).insert(chain);
    }
}

/// Makes agents of a group, with their sensors; gives them.
pub(crate) fn agents(world: &mut World, group_index: u32, poses: impl Iterator<Item = Pose>) -> Vec<Entity> {
    let kinds = world.resource::<Kinds>().clone();
    let Some(group) = world.resource::<Description>().scene.groups.get(group_index as usize) else {
        return Vec::new();
    };
    let Group { motion, controller, sensors, body, radio, .. } = group;
    let (motion, controller, sensors, body) = (motion.clone(), controller.clone(), sensors.clone(), body.clone());
    let (radio, attitude, clock, collides) = (radio.clone(), group.attitude, group.clock, group.collides);
    let is_boxed = world.resource::<Description>().scene.collisions == Collisions::Classic;
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
            agent.insert(caches::BoxCenter(pose.position_m));
        }
        let agent = agent.id();
        give_chain(world, agent);
        self::sensors(world, &kinds, (id, agent), &sensors);
        agent
    };
    poses.map(make).collect()
}

/// Makes the sensors of an agent or an object.
pub(crate) fn sensors(
    world: &mut World,
    kinds: &Kinds,
    (id, owner): (StableId, Entity),
    sensors: &[Open<SensorFamily>],
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

pub(crate) fn attach<F: Family>(kinds: &Kinds, entity: &mut EntityWorldMut, slot: &Open<F>) {
    if let Some(kind) = kinds.of_value(F::NAME, slot.value()) {
        (kind.attach)(entity, slot.value());
        attach_common(entity, slot);
    }
}

/// What is at its default needs no component: most entities have none.
pub(crate) fn attach_common<F: Family>(entity: &mut EntityWorldMut, slot: &Open<F>) {
    if *slot.common() == F::Common::default() {
        entity.remove::<F::Common>();
    } else {
        entity.insert(slot.common().clone());
    }
}

/// A group, by its place in the scene.
pub(crate) fn group(world: &World, group: u32) -> Group {
    world.resource::<Description>().scene.groups.get(group as usize).cloned().unwrap_or_default()
}

/// The radius of the largest agent that the scene can make, in metres.
pub(crate) fn largest_radius_m(world: &World) -> f64 {
    let groups = &world.resource::<Description>().scene.groups;
    groups.iter().map(|group| group.body.radius_m()).fold(MIN_RADIUS_M, f64::max)
}
