//! Metrics: numbers about the swarm, observed after each step.

use bevy::ecs::component::Mutable;
use bevy::math::DVec2;
use bevy::prelude::*;

use crate::history::RegisterState as _;
use crate::id::StableId;
use crate::kind::{KindType, Kinds, MetricFamily};
use crate::space::Bodies;
use crate::step::{AddKindSystem as _, CurrentSpace, SimTime, Step};

pub mod aggregation;
pub mod average_speed;
pub mod circliness;
pub mod group_rotation;
pub mod scatter;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Observed>().init_resource::<Labels>();
    app.add_metric::<aggregation::Aggregation>()
        .add_metric::<average_speed::AverageSpeed>()
        .add_metric::<circliness::Circliness>()
        .add_metric::<group_rotation::GroupRotation>()
        .add_metric::<scatter::Scatter>();
}

/// A metric. One file: parameters, memory if it has any, [`observe`](Metric::observe), tests.
pub trait Metric: KindType {
    /// What it remembers from step to step; [`NoHistory`] when it looks at the moment only.
    type Memory: Component<Mutability = Mutable> + Reflect + TypePath + Clone + Default;

    /// The name of its column, with the unit: `average_speed_m_per_s`.
    const LABEL: &'static str;

    /// The names of its parts when it is a vector, such as `x` and `y`.
    const PARTS: &'static [&'static str] = &[];

    /// Observes the swarm: one value, or one for each part. A value that the swarm does not have is `NaN`.
    fn observe(&self, memory: &mut Self::Memory, swarm: &Swarm, values: &mut [f64]);
}

/// The memory of a metric that has none.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoHistory;

/// The swarm as metrics see it, agents in the order of their stable ids.
#[derive(Clone, Copy)]
pub struct Swarm<'a> {
    /// Poses and displacements of the last step.
    pub bodies: &'a Bodies,
    /// Simulated time of a step, in seconds.
    pub dt_s: f64,
    /// Width and height of the arena, in metres.
    pub arena_m: DVec2,
}

impl Swarm<'_> {
    /// The mean of the positions, in metres; `None` when there is no agent.
    pub fn centroid_m(&self) -> Option<DVec2> {
        let positions = self.bodies.positions();
        (!positions.is_empty()).then(|| positions.iter().sum::<DVec2>() / positions.len() as f64)
    }
}

/// What a metric observed after the last step.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// One value, or one for each part; empty before the first step.
    pub values: Vec<f64>,
}

/// Tells a metric's column and parts, when the entity is one of the kind.
type Label = fn(EntityRef) -> Option<(&'static str, &'static [&'static str])>;

/// The labels of the kinds, in the order of registration.
#[derive(Resource, Clone, Default)]
struct Labels(Vec<Label>);

/// Makes metrics known.
pub trait AddMetric {
    /// Adds a metric: its system, its place after those added before, its memory, its column and its name in scenes.
    fn add_metric<K: Metric>(&mut self) -> &mut Self;
}

impl AddMetric for App {
    fn add_metric<K: Metric>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<MetricFamily, K>();
        world.register_required_components::<K, K::Memory>();
        world.register_required_components::<K, Observed>();
        world.get_resource_or_init::<Labels>().0.push(|entity| entity.contains::<K>().then_some((K::LABEL, K::PARTS)));
        self.register_state::<K>().register_state::<K::Memory>();
        self.add_kind_system::<MetricFamily, K, _>(Step::Metrics, observe_all::<K>)
    }
}

fn observe_all<K: Metric>(
    space: Res<CurrentSpace>,
    time: Res<SimTime>,
    mut metrics: Query<(&K, &mut K::Memory, &mut Observed)>,
) {
    let swarm = Swarm { bodies: &space.bodies, dt_s: time.dt_s, arena_m: space.arena.size };
    for (metric, mut memory, mut observed) in &mut metrics {
        observed.values.resize(K::PARTS.len().max(1), 0.0);
        metric.observe(&mut memory, &swarm, &mut observed.values);
    }
}

/// The metrics of a world with their labels, in the order of the scene.
fn metrics(world: &World) -> Vec<(&Observed, &'static str, &'static [&'static str])> {
    let Some(mut query) = world.try_query::<(&StableId, &Observed, EntityRef)>() else { return Vec::new() };
    let labels = &world.resource::<Labels>().0;
    let mut found: Vec<_> = query
        .iter(world)
        .filter_map(|(id, observed, entity)| Some((id, observed, labels.iter().find_map(|label| label(entity))?)))
        .collect();
    found.sort_by_key(|(id, ..)| **id);
    found.into_iter().map(|(_, observed, (label, parts))| (observed, label, parts)).collect()
}

/// The names of all metrics with their parts; a metric that a scene has twice is numbered.
fn named(world: &World) -> Vec<(String, &'static [&'static str])> {
    let mut seen: Vec<&str> = Vec::new();
    let named = metrics(world).into_iter().map(|(_, label, parts)| {
        seen.push(label);
        let name = match seen.iter().filter(|other| **other == label).count() {
            1 => label.to_owned(),
            number => format!("{label}-{number}"),
        };
        (name, parts)
    });
    named.collect()
}

/// The names of all metrics, one each, in the order of the scene.
pub(crate) fn names(world: &World) -> Vec<String> {
    named(world).into_iter().map(|(name, _)| name).collect()
}

/// The columns of all metrics: its name, or one for each of its parts.
pub(crate) fn columns(world: &World) -> Vec<String> {
    let mut columns = Vec::new();
    for (name, parts) in named(world) {
        if parts.is_empty() {
            columns.push(name);
        } else {
            columns.extend(parts.iter().map(|part| format!("{name}.{part}")));
        }
    }
    columns
}

/// The values of all metrics, in the order of their columns.
pub(crate) fn values(world: &World) -> Vec<f64> {
    let mut values = Vec::new();
    for (observed, _, parts) in metrics(world) {
        let wanted = values.len() + parts.len().max(1);
        values.extend(&observed.values);
        values.resize(wanted, f64::NAN);
    }
    values
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::space::Body;

    /// What a metric observes of agents given as (position, heading, displacement), one value per call.
    pub(crate) fn observe<K: Metric>(
        metric: &K,
        memory: &mut K::Memory,
        arena_m: DVec2,
        agents: &[(DVec2, f64, DVec2)],
    ) -> f64 {
        let mut bodies = Bodies::default();
        bodies.resize(agents.len());
        for (row, (position, heading, moved)) in agents.iter().enumerate() {
            bodies.set(row, Body { position: *position, heading: *heading, displacement: *moved, ..Body::default() });
        }
        let mut values = [f64::NAN];
        metric.observe(memory, &Swarm { bodies: &bodies, dt_s: 0.025, arena_m }, &mut values);
        values[0]
    }
}
