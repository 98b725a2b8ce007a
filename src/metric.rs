//! Metrics: numbers about the swarm, observed after each step.

use bevy::ecs::component::ComponentId;
use bevy::ecs::world::EntityWorldMut;
use bevy::prelude::*;

use crate::agent::Team;
use crate::id::StableId;
use crate::kind::{Family, KindType, Kinds, Open, entities_with};
use crate::names::Names;
use crate::picture::Picture;
use crate::problem::Problem;
use crate::random::{Seed, Stream};
use crate::scene::description::Scene;
use crate::scene::reader::suggestion;
use crate::scene::spawn::Description;
use crate::space::Space;
use crate::state::{Memory, RegisterState as _};
use crate::step::{CurrentSpace, SimStep, Step};
use crate::time::SimTime;

pub mod expression;
pub mod fields;
pub mod geometry;
pub mod goals;
pub mod graph;
pub mod radios;
pub mod swarm;

pub mod agents_at_goal;
pub mod aggregation;
pub mod algebraic_connectivity;
pub mod all_of;
pub mod angular_momentum;
pub mod any_agent;
pub mod arrival_time;
pub mod average_speed;
pub mod centroid;
pub mod circle_fit;
pub mod circle_packing;
pub mod circliness;
pub mod collisions;
pub mod convex_hull;
pub mod count;
pub mod coverage;
pub mod dead;
pub mod delaunay_diffusion;
pub mod delivery_ratio;
pub mod distance_size_ratio;
pub mod exploding_dispersion;
pub mod fatness;
pub mod fatness2;
pub mod formation_error;
pub mod formula;
pub mod gossip_estimates;
pub mod group_rotation;
pub mod interagent_dispersion;
pub mod inverse_convex_hull;
pub mod largest_component;
pub mod milling_order;
pub mod nearest_neighbour;
pub mod orbit;
pub mod packet_age;
pub mod packets;
pub mod parameter;
pub mod percentage_at_goal;
pub mod persistent_homology;
pub mod polarisation;
pub mod radial_variance;
pub mod radio_connectivity;
pub mod radio_links;
pub mod random_box_aggregation;
pub mod random_box_sampling;
pub mod reading;
pub mod rout_rin;
pub mod scatter;
pub mod sensor_signal;
pub mod steps_until;
pub mod tangentness;
pub mod total_collisions;

pub use crate::variant::Variant;
pub use expression::Scope;
pub use fields::Observing;
pub use swarm::{Census, Swarm};

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Observed>("observed")
        .register_state::<Observing>("metric/common")
        .init_resource::<Registry>()
        .init_resource::<Board>();
    app.add_systems(SimStep, observe.in_set(Step::Metrics));
    app.add_metric::<agents_at_goal::AgentsAtGoal>()
        .add_metric::<aggregation::Aggregation>()
        .add_metric::<algebraic_connectivity::AlgebraicConnectivity>()
        .add_metric::<all_of::AllOf>()
        .add_metric::<angular_momentum::AngularMomentum>()
        .add_metric::<any_agent::AnyAgent>()
        .add_metric::<arrival_time::ArrivalTime>()
        .add_metric::<average_speed::AverageSpeed>()
        .add_metric::<centroid::Centroid>()
        .add_metric::<circle_fit::CircleFit>()
        .add_metric::<circle_packing::CirclePacking>()
        .add_metric::<circliness::Circliness>()
        .add_metric::<convex_hull::ConvexHull>()
        .add_metric::<count::Count>()
        .add_metric::<coverage::Coverage>()
        .add_metric::<dead::Dead>()
        .add_metric::<delaunay_diffusion::DelaunayDiffusion>()
        .add_metric::<delivery_ratio::DeliveryRatio>()
        .add_metric::<distance_size_ratio::DistanceSizeRatio>()
        .add_metric::<exploding_dispersion::ExplodingDispersion>()
        .add_metric::<fatness::Fatness>()
        .add_metric::<fatness2::Fatness2>()
        .add_metric::<formation_error::FormationError>()
        .add_metric::<formula::Formula>()
        .add_metric::<gossip_estimates::GossipEstimates>()
        .add_metric::<group_rotation::GroupRotation>()
        .add_metric::<interagent_dispersion::InteragentDispersion>()
        .add_metric::<inverse_convex_hull::InverseConvexHull>()
        .add_metric::<largest_component::LargestComponent>()
        .add_metric::<milling_order::MillingOrder>()
        .add_metric::<nearest_neighbour::NearestNeighbour>()
        .add_metric::<orbit::Orbit>()
        .add_metric::<packet_age::PacketAge>()
        .add_metric::<packets::Packets>()
        .add_metric::<parameter::Parameter>()
        .add_metric::<percentage_at_goal::PercentageAtGoal>()
        .add_metric::<persistent_homology::PersistentHomology>()
        .add_metric::<polarisation::Polarisation>()
        .add_metric::<radial_variance::RadialVariance>()
        .add_metric::<radio_connectivity::RadioConnectivity>()
        .add_metric::<radio_links::RadioLinks>()
        .add_metric::<random_box_aggregation::RandomBoxAggregation>()
        .add_metric::<random_box_sampling::RandomBoxSampling>()
        .add_metric::<reading::Reading>()
        .add_metric::<rout_rin::RoutRin>()
        .add_metric::<scatter::Scatter>()
        .add_metric::<sensor_signal::SensorSignal>()
        .add_metric::<steps_until::StepsUntil>()
        .add_metric::<tangentness::Tangentness>()
        .add_metric::<total_collisions::TotalCollisions>()
        .add_metric::<collisions::Collisions>();
}

/// The kinds of metrics, which measure after each step.
#[derive(TypePath)]
pub struct MetricFamily;

impl Family for MetricFamily {
    const NAME: &'static str = "metric";
    type Common = Observing;
}

/// A metric. One file: parameters, memory if it has any, [`observe`](Metric::observe), drawing, tests.
///
/// Metrics observe in the order of the scene, so that an expression can name those above it.
pub trait Metric: KindType {
    /// What it remembers from step to step; [`NoHistory`] when it looks at the moment only.
    type Memory: Memory;

    /// The names of its parts when it is a vector, such as `x_m` and `y_m`.
    const PARTS: &'static [&'static str] = &[];

    /// The name of its column, with the unit: `average_speed_m_per_s`.
    fn label(&self) -> &'static str;

    /// The expressions among its parameters, each with the name of its field and more names that it may use.
    fn expressions(&self) -> Vec<Stated<'_>> {
        Vec::new()
    }

    /// What in its parameters does not fit the scene: the field, and what is wrong.
    fn problem(&self, _kinds: &Kinds, _scene: &Scene) -> Option<(&'static str, String)> {
        None
    }

    /// Gathers what it needs besides where the agents are, such as readings, for [`Swarm::gathered`].
    fn gather(&self, _census: Census, _gathered: &mut Vec<f64>) {}

    /// Observes the swarm: one value, or one for each part. A value that the swarm does not have is `NaN`.
    fn observe(&self, memory: &mut Self::Memory, swarm: &Swarm, values: &mut [f64]);

    /// Draws what it observed, if it can be seen in the world. It cannot change anything.
    fn draw(&self, _memory: &Self::Memory, _swarm: &Swarm, _values: &[f64], _picture: &mut Picture) {}
}

/// An expression that a parameter states.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated<'a> {
    /// The path of the parameter within the metric.
    pub field: String,
    /// The expression.
    pub text: &'a str,
    /// What it can name besides the metrics.
    pub more: &'static [&'static str],
}

impl<'a> Stated<'a> {
    /// An expression over the metrics above.
    pub fn new(field: &str, text: &'a str) -> Self {
        Self { field: field.into(), text, more: &[] }
    }
}

/// The memory of a metric that has none.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoHistory;

/// What a metric observed after the last step.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// One value, or one for each part; empty before the first step.
    pub values: Vec<f64>,
}

/// What can be asked of any metric.
struct Asked<'a> {
    label: &'a str,
    parts: &'static [&'static str],
    of: &'a str,
    expressions: Vec<Stated<'a>>,
}

fn asked<'a, K: Metric>(metric: &'a K, Observing { of, label }: &'a Observing) -> Asked<'a> {
    let label = if label.is_empty() { metric.label() } else { label };
    Asked { label, parts: K::PARTS, of, expressions: metric.expressions() }
}

/// What is known of one kind.
#[derive(Clone, Copy)]
struct Entry {
    asked: for<'v> fn(&'v Open<MetricFamily>) -> Option<Asked<'v>>,
    problem: fn(&Open<MetricFamily>, &Kinds, &Scene) -> Option<(&'static str, String)>,
    kind: ComponentId,
    draw: fn(EntityRef, &Swarm, &[f64], &mut Picture),
}

/// On every metric: how one of its kind observes. A cache.
#[derive(Component, Clone, Copy)]
struct Observer {
    gather: fn(EntityRef, Census, &mut Vec<f64>),
    observe: fn(&mut EntityWorldMut, &Swarm),
}

/// All kinds, in the order of registration.
#[derive(Resource, Clone, Default)]
struct Registry(Vec<Entry>);

impl Registry {
    fn ask<'v>(&self, metric: &'v Open<MetricFamily>) -> Option<Asked<'v>> {
        self.0.iter().find_map(|entry| (entry.asked)(metric))
    }
}

/// Makes metrics known.
pub trait AddMetric {
    /// Adds a metric: its memory, its column, its drawing and its name in scenes.
    fn add_metric<K: Metric>(&mut self) -> &mut Self;
}

impl AddMetric for App {
    fn add_metric<K: Metric>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<MetricFamily, K>();
        world.register_required_components::<K, K::Memory>();
        world.register_required_components::<K, Observed>();
        world.register_required_components_with::<K, Observer>(|| Observer {
            gather: |entity, census, gathered| {
                if let Some(metric) = entity.get::<K>() {
                    metric.gather(census, gathered);
                }
            },
            observe: observe_one::<K>,
        });
        let kind = world.register_component::<K>();
        world.get_resource_or_init::<Registry>().0.push(Entry {
            asked: |open| open.value().downcast_ref::<K>().map(|metric| asked(metric, open.common())),
            problem: |open, kinds, scene| open.value().downcast_ref::<K>()?.problem(kinds, scene),
            kind,
            draw: |entity, swarm, values, picture| {
                if let (Some(metric), Some(memory)) = (entity.get::<K>(), entity.get::<K::Memory>()) {
                    metric.draw(memory, swarm, values, picture);
                }
            },
        });
        self.register_kind::<MetricFamily, K>().register_memory::<K::Memory>()
    }
}

/// The columns of a run, which stay what they are, and memory that is used again each step.
#[derive(Resource, Default)]
struct Board {
    /// The name of each metric, in the order of the scene.
    names: Vec<String>,
    /// The columns of each metric, in the order of the scene.
    parts: Vec<&'static [&'static str]>,
    columns: Vec<String>,
    /// What the metrics of this step observed so far.
    values: Vec<f64>,
    /// Their values of the step before, if an expression names any.
    previous: Vec<f64>,
    names_previous: bool,
    subset: swarm::Subset,
    gathered: Vec<f64>,
}

/// Names the columns, once for a simulation.
pub(crate) fn lay_out(world: &mut World, scene: &Scene) {
    let registry = world.resource::<Registry>();
    let asked: Vec<Asked> = scene.metrics.iter().filter_map(|metric| registry.ask(metric)).collect();
    let names = names_of(&asked);
    let parts: Vec<_> = asked.iter().map(|asked| asked.parts).collect();
    let columns = names.iter().zip(&parts).flat_map(|(name, parts)| columns_of(name, parts)).collect();
    let mut stated = asked.iter().flat_map(|asked| &asked.expressions);
    let names_previous = stated.any(|stated| stated.text.contains(expression::PREVIOUS));
    world.insert_resource(Board { names, parts, columns, names_previous, ..Board::default() });
}

/// The names of metrics; one that a scene has twice is numbered.
fn names_of(metrics: &[Asked]) -> Vec<String> {
    let mut names = Names::default();
    metrics.iter().map(|Asked { label, .. }| names.unique(label, '_')).collect()
}

fn columns_of(name: &str, parts: &[&str]) -> Vec<String> {
    match parts {
        [] => vec![name.to_owned()],
        parts => parts.iter().map(|part| format!("{name}.{part}")).collect(),
    }
}

/// The metrics of a world, in the order of the scene.
fn metrics(world: &World, all: &mut QueryState<(&StableId, Entity), With<Observed>>) -> Vec<Entity> {
    let mut found: Vec<_> = all.iter(world).map(|(id, entity)| (*id, entity)).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, entity)| entity).collect()
}

/// Lets every metric observe, in the order of the scene.
fn observe(world: &mut World, all: &mut QueryState<(&StableId, Entity), With<Observed>>) {
    // Which metrics there are stays the same; to look for none would cost a small world more than to step.
    if world.resource::<Board>().names.is_empty() {
        return;
    }
    if world.resource::<Board>().names_previous {
        world.resource_mut::<Board>().previous = values(world);
    }
    let metrics = metrics(world, all);
    // A `resource_scope` would cost a small swarm more than to observe it.
    let mut board = std::mem::take(&mut *world.resource_mut::<Board>());
    let space = std::mem::take(&mut *world.resource_mut::<CurrentSpace>());
    board.values.clear();
    for (place, metric) in metrics.into_iter().enumerate() {
        observe_next(world, &mut board, &space, place, metric);
    }
    *world.resource_mut::<Board>() = board;
    *world.resource_mut::<CurrentSpace>() = space;
}

fn observe_next(world: &mut World, board: &mut Board, all: &Space, place: usize, metric: Entity) {
    let Board { parts, columns, values, previous, subset, gathered, .. } = board;
    let Some(&observer) = world.get::<Observer>(metric) else { return };
    let space = seen(world, of_whom(world.get::<Observing>(metric)), all, subset);
    gathered.clear();
    (observer.gather)(world.entity(metric), Census::new(world, all, space), gathered);
    let scope = Scope { previous, ..scope(world, all.bodies.len(), columns, values) };
    let stream = stream(world, metric);
    let swarm = Swarm { space, gathered, stream, dt_s: world.resource::<SimTime>().dt_s, scope };
    let mut entity = world.entity_mut(metric);
    (observer.observe)(&mut entity, &swarm);
    let wanted = values.len() + parts.get(place).map_or(1, |parts| parts.len().max(1));
    values.extend(entity.get::<Observed>().into_iter().flat_map(|observed| &observed.values));
    values.resize(wanted, f64::NAN);
}

/// The random numbers of a metric.
fn stream(world: &World, metric: Entity) -> Stream {
    let id = world.get::<StableId>(metric).copied().unwrap_or(StableId::metric(0));
    world.resource::<Seed>().stream(id, "metric")
}

fn observe_one<K: Metric>(entity: &mut EntityWorldMut, swarm: &Swarm) {
    // Lent one after the other: to borrow all at once is checked anew each time, which is dearer than most metrics.
    let Some(mut memory) = entity.get_mut::<K::Memory>().map(|mut memory| std::mem::take(&mut *memory)) else { return };
    let Some(mut observed) = entity.get_mut::<Observed>().map(|mut observed| std::mem::take(&mut *observed)) else {
        return;
    };
    if let Some(metric) = entity.get::<K>() {
        observed.values.resize(K::PARTS.len().max(1), 0.0);
        metric.observe(&mut memory, swarm, &mut observed.values);
    }
    if let Some(mut kept) = entity.get_mut::<K::Memory>() {
        *kept = memory;
    }
    if let Some(mut shown) = entity.get_mut::<Observed>() {
        *shown = observed;
    }
}

/// The name of whom a metric looks at; empty for all.
fn of_whom(common: Option<&Observing>) -> &str {
    common.map_or("", |common| common.of.as_str())
}

/// The agents that a metric looks at: all, or those of a group or team.
fn seen<'a>(world: &World, of: &str, all: &'a Space, subset: &'a mut swarm::Subset) -> &'a Space {
    if of.is_empty() {
        return all;
    }
    let groups = &world.resource::<Description>().scene().groups;
    let group = groups.iter().position(|group| group.name == of).map(|place| place as u32);
    subset.pick(all, group, Team::named(of))
}

fn scope<'a>(world: &World, count: usize, columns: &'a [String], values: &'a [f64]) -> Scope<'a> {
    let time = world.resource::<SimTime>();
    Scope { step: time.step, t_s: time.now_s(), count, columns, values, previous: &[], more: &[] }
}

/// Whether an expression over the metrics holds after the last step.
pub(crate) fn holds(world: &World, expression: &str) -> bool {
    let values = values(world);
    let board = world.resource::<Board>();
    let count = world.resource::<CurrentSpace>().bodies.len();
    scope(world, count, &board.columns, &values).holds(expression)
}

/// Draws all metrics that have observed, kind by kind, in the order of the scene.
pub(crate) fn draw_all(world: &World, all: &Space, picture: &mut Picture) {
    let dt_s = world.resource::<SimTime>().dt_s;
    for entry in world.get_resource::<Registry>().iter().flat_map(|registry| &registry.0) {
        let metrics = entities_with(world, entry.kind);
        let observed =
            metrics.filter_map(|metric| Some((*metric.get::<StableId>()?, metric, metric.get::<Observed>()?)));
        let mut observed: Vec<_> = observed.filter(|(.., observed)| !observed.values.is_empty()).collect();
        observed.sort_unstable_by_key(|(id, ..)| *id);
        for (id, metric, observed) in observed {
            let mut subset = swarm::Subset::default();
            let space = seen(world, of_whom(metric.get::<Observing>()), all, &mut subset);
            let stream = world.resource::<Seed>().stream(id, "metric");
            let scope = scope(world, all.bodies.len(), &[], &[]);
            (entry.draw)(metric, &Swarm { space, gathered: &[], stream, dt_s, scope }, &observed.values, picture);
        }
    }
}

/// The names of all metrics, one each, in the order of the scene.
pub(crate) fn names(world: &World) -> Vec<String> {
    world.resource::<Board>().names.clone()
}

/// The columns of all metrics: its name, or one for each of its parts.
pub(crate) fn columns(world: &World) -> Vec<String> {
    world.resource::<Board>().columns.clone()
}

/// The values of all metrics, in the order of their columns.
pub(crate) fn values(world: &World) -> Vec<f64> {
    let mut values = Vec::new();
    let Some(mut all) = world.try_query_filtered() else { return values };
    for (metric, parts) in metrics(world, &mut all).into_iter().zip(&world.resource::<Board>().parts) {
        let wanted = values.len() + parts.len().max(1);
        values.extend(world.get::<Observed>(metric).into_iter().flat_map(|observed| &observed.values));
        values.resize(wanted, f64::NAN);
    }
    values
}

/// What is wrong with the metrics of a scene and with the expression that ends it.
pub(crate) fn check(world: &World, scene: &Scene) -> Vec<Problem> {
    let (registry, kinds) = (world.resource::<Registry>(), world.resource::<Kinds>());
    let asked: Vec<Asked> = scene.metrics.iter().filter_map(|metric| registry.ask(metric)).collect();
    let names = names_of(&asked);
    let mut problems = Vec::new();
    let mut known: Vec<String> = expression::ALWAYS.map(str::to_owned).into();
    let columns = names.iter().zip(&asked).flat_map(|(name, asked)| columns_of(name, asked.parts));
    let previous: Vec<String> = columns.map(|column| format!("{}{column}", expression::PREVIOUS)).collect();
    let mut add = |path: String, message: String| problems.push(Problem { place: None, path, message });
    for (index, (asked, name)) in asked.iter().zip(&names).enumerate() {
        let path = |field: &str| format!("metrics[{index}].{field}");
        if !expression::is_name(asked.label) {
            let message = format!("`{}` is no name: letters, digits and `_`, and no word of expressions", asked.label);
            add(path("label"), message);
        }
        if let Some(message) = unknown_of(scene, asked.of) {
            add(path("of"), message);
        }
        let own = registry.0.iter().find_map(|entry| (entry.problem)(&scene.metrics[index], kinds, scene));
        if let Some((field, message)) = own {
            add(path(field), message);
        }
        for Stated { field, text, more } in &asked.expressions {
            let more = more.iter().copied().chain(previous.iter().map(String::as_str));
            if let Err(message) = check_expression(text, &known, more, &names) {
                add(path(field), message);
            }
        }
        known.extend(columns_of(name, asked.parts));
    }
    if !scene.stop.when.is_empty()
        && let Err(message) = check_expression(&scene.stop.when, &known, std::iter::empty(), &[])
    {
        add("stop.when".into(), message);
    }
    problems
}

fn check_expression<'a>(
    text: &str,
    known: &'a [String],
    more: impl Iterator<Item = &'a str>,
    names: &[String],
) -> Result<(), String> {
    let known: Vec<&str> = more.chain(known.iter().map(String::as_str)).collect();
    expression::Expression::check(text, &known).map_err(|message| {
        let below =
            |name: &&String| !known.contains(&name.as_str()) && message.contains(&format!("unknown name `{name}"));
        match names.iter().find(below) {
            Some(name) => format!("`{name}` is observed later: an expression can name the metrics above it"),
            None => message,
        }
    })
}

fn unknown_of(scene: &Scene, of: &str) -> Option<String> {
    let mut known: Vec<&str> =
        scene.groups.iter().flat_map(|group| [group.name.as_str(), group.team.as_str()]).collect();
    known.retain(|name| !name.is_empty());
    known.sort_unstable();
    known.dedup();
    let is_unknown = !of.is_empty() && !known.contains(&of);
    is_unknown.then(|| format!("unknown group or team `{of}`{}", suggestion(of, &known)))
}

#[cfg(test)]
pub(crate) mod tests;
