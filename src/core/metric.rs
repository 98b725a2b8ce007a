//! Metrics: numbers about the swarm, observed after each step.

use bevy::ecs::world::EntityWorldMut;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::names::Names;
use swarmarium_picture::Picture;
use swarmarium_space::Space;

use crate::agent::Team;
use crate::agent::groups::Groups;
use crate::expression;
use crate::kind::{Family, KindTable, KindType, KindValue, Kinds, Slot, entities_with};
use crate::random::{Seed, Stream};
use crate::state::{Memory, RegisterState as _};
use crate::step::{CurrentSpace, SimStep, Step};
use crate::time::SimTime;

pub mod fields;
pub mod geometry;
pub mod swarm;

pub use crate::expression::Scope;
pub use fields::Observing;
pub use swarm::{Census, Swarm};
pub use swarmarium_base::variant::Variant;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Observed>("observed")
        .register_state::<Observing>("metric/common")
        .init_resource::<Registry>()
        .init_resource::<Board>();
    app.add_systems(SimStep, observe.in_set(Step::Metrics));
}

/// The kinds of metrics, which measure after each step.
#[derive(TypePath)]
pub struct MetricFamily;

impl Family for MetricFamily {
    const NAME: &'static str = "metric";
    type Common = Observing;
}

/// A metric. One file contains parameters, memory if it has any, [`observe`](Metric::observe), drawing and tests.
///
/// Metrics observe in the order of the scene, so that an expression can name those above it.
///
/// The guide "Write a metric" of the book has a complete program.
///
/// ```
/// # use bevy::prelude::{Component, Reflect, ReflectDefault};
/// # use swarmarium_core::prelude::*;
/// /// Measures the largest x coordinate.
/// #[derive(Component, Reflect, Clone, Default)]
/// #[reflect(Default, Clone)]
/// struct Front {}
///
/// impl Metric for Front {
///     type Memory = NoHistory;
///
///     fn label(&self) -> &'static str {
///         "front_m"
///     }
///
///     fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
///         values[0] = swarm.positions().iter().map(|position| position.x).fold(f64::NAN, f64::max);
///     }
/// }
/// ```
pub trait Metric: KindType {
    /// The memory from step to step; [`NoHistory`] if the metric depends on the present moment only.
    type Memory: Memory;

    /// The names of the components if the value is a vector, such as `x_m` and `y_m`.
    const PARTS: &'static [&'static str] = &[];

    /// Whether conditions that are evaluated before the first step see the value of the initial state. The metric then
    /// depends on the present moment only.
    const READS_START: bool = false;

    /// The name of the column, with the unit: `average_speed_m_per_s`.
    fn label(&self) -> &'static str;

    /// The expressions among the parameters, each with the name of its field and additional names that it may use.
    fn expressions(&self) -> Vec<Stated<'_>> {
        Vec::new()
    }

    /// Gathers numbers that it needs in addition to the poses of the agents, such as readings, for [`Swarm::gathered`].
    fn gather(&self, _census: Census, _gathered: &mut Vec<f64>) {}

    /// Observes the swarm: one value, or one for each component. A value that the swarm does not have is `NaN`.
    fn observe(&self, memory: &mut Self::Memory, swarm: &Swarm, values: &mut [f64]);

    /// Draws the observation, if it has a shape in the world. It cannot change anything.
    fn draw(&self, _memory: &Self::Memory, _swarm: &Swarm, _values: &[f64], _picture: &mut Picture) {}
}

/// An expression in a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated<'a> {
    /// The path of the parameter within the metric.
    pub field: String,
    /// The expression.
    pub text: &'a str,
    /// The names that it can use in addition to the metrics.
    pub more: &'static [&'static str],
}

impl<'a> Stated<'a> {
    /// An expression over the metrics above.
    pub fn new(field: &str, text: &'a str) -> Self {
        Self { field: field.into(), text, more: &[] }
    }
}

/// The memory of a metric without memory.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoHistory;

/// The values of a metric after the last step.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// One value, or one for each component; empty before the first step.
    pub values: Vec<f64>,
}

/// The queries that every metric answers.
pub(crate) struct Asked<'a> {
    pub label: &'a str,
    pub parts: &'static [&'static str],
    pub of: &'a str,
    pub expressions: Vec<Stated<'a>>,
}

fn asked<'a, K: Metric>(metric: &'a K, Observing { of, label }: &'a Observing) -> Asked<'a> {
    let label = if label.is_empty() { metric.label() } else { label };
    Asked { label, parts: K::PARTS, of, expressions: metric.expressions() }
}

/// The functions of one kind of metrics, for callers that do not know its type.
#[derive(Clone, Copy)]
pub(crate) struct MetricKind {
    asked: for<'v> fn(&'v Slot<MetricFamily>) -> Option<Asked<'v>>,
    draw: fn(EntityRef, &Swarm, &[f64], &mut Picture),
}

/// On every metric: the function that observes with its kind. A cache.
#[derive(Component, Clone, Copy)]
struct Observer {
    gather: fn(EntityRef, Census, &mut Vec<f64>),
    observe: fn(&mut EntityWorldMut, &Swarm),
    observe_start: Option<fn(EntityRef, &Swarm) -> Vec<f64>>,
}

/// The kinds of metrics, in the order of registration.
pub(crate) type Registry = KindTable<MetricKind>;

impl Registry {
    pub(crate) fn ask<'v>(&self, metric: &'v Slot<MetricFamily>) -> Option<Asked<'v>> {
        (self.of_value(metric.value())?.asked)(metric)
    }
}

/// Registers metrics.
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
            observe_start: if K::READS_START { Some(observe_start::<K>) } else { None },
        });
        let entry = MetricKind {
            asked: |open| open.value().downcast_ref::<K>().map(|metric| asked(metric, open.common())),
            draw: |entity, swarm, values, picture| {
                if let (Some(metric), Some(memory)) = (entity.get::<K>(), entity.get::<K::Memory>()) {
                    metric.draw(memory, swarm, values, picture);
                }
            },
        };
        Registry::add::<K>(world, entry);
        self.register_kind::<MetricFamily, K>().register_memory::<K::Memory>()
    }
}

/// The columns of a run, which never change, and memory that is reused in each step.
#[derive(Resource, Default)]
struct Board {
    /// The name of each metric, in the order of the scene.
    names: Vec<String>,
    /// The columns of each metric, in the order of the scene.
    parts: Vec<&'static [&'static str]>,
    columns: Vec<String>,
    /// The values that the metrics have observed in this step so far.
    values: Vec<f64>,
    /// The values of the step before, if an expression uses any.
    previous: Vec<f64>,
    names_previous: bool,
    subset: swarm::Subset,
    gathered: Vec<f64>,
}

/// Names the columns, once per simulation.
pub(crate) fn lay_out(world: &mut World, metrics: &[Slot<MetricFamily>]) {
    let registry = world.resource::<Registry>();
    let asked: Vec<Asked> = metrics.iter().filter_map(|metric| registry.ask(metric)).collect();
    let names = names_of(&asked);
    let parts: Vec<_> = asked.iter().map(|asked| asked.parts).collect();
    let columns = names.iter().zip(&parts).flat_map(|(name, parts)| columns_of(name, parts)).collect();
    let mut stated = asked.iter().flat_map(|asked| &asked.expressions);
    let names_previous = stated.any(|stated| stated.text.contains(expression::PREVIOUS));
    world.insert_resource(Board { names, parts, columns, names_previous, ..Board::default() });
}

/// The names of metrics; a name that occurs twice in a scene is numbered.
pub(crate) fn names_of(metrics: &[Asked]) -> Vec<String> {
    let mut names = Names::default();
    metrics.iter().map(|Asked { label, .. }| names.unique(label, '_')).collect()
}

pub(crate) fn columns_of(name: &str, parts: &[&str]) -> Vec<String> {
    match parts {
        [] => vec![name.to_owned()],
        parts => parts.iter().map(|part| format!("{name}.{part}")).collect(),
    }
}

/// The kind of metrics that has a column by default, for messages about columns that a scene lacks.
fn kind_with_column(world: &World, column: &str) -> Option<&'static str> {
    let (registry, kinds) = (world.resource::<Registry>(), world.resource::<Kinds>());
    let has_column = |value: Box<dyn KindValue>| {
        let slot = Slot::from_value(value);
        registry.ask(&slot).is_some_and(|asked| columns_of(asked.label, asked.parts).iter().any(|own| own == column))
    };
    kinds.family(MetricFamily::NAME).find(|kind| has_column((kind.default)())).map(|kind| kind.name)
}

/// The metric that a scene needs for a column, as an addition to a message; empty if no kind has such a column.
pub(crate) fn missing_metric(world: &World, column: &str) -> String {
    let kind = kind_with_column(world, column.strip_prefix(expression::PREVIOUS).unwrap_or(column));
    kind.map(|kind| format!(", a column of the metric `{kind}`: add it to `metrics` of the scene")).unwrap_or_default()
}

/// The metrics of a world, in the order of the scene.
fn metrics(world: &World, all: &mut QueryState<(&StableId, Entity), With<Observed>>) -> Vec<Entity> {
    let mut found: Vec<_> = all.iter(world).map(|(id, entity)| (*id, entity)).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, entity)| entity).collect()
}

/// Lets every metric observe, in the order of the scene.
fn observe(world: &mut World, all: &mut QueryState<(&StableId, Entity), With<Observed>>) {
    // The set of metrics never changes; a query for none would cost a small world more than a step.
    if world.resource::<Board>().names.is_empty() {
        return;
    }
    if world.resource::<Board>().names_previous {
        world.resource_mut::<Board>().previous = values(world);
    }
    let metrics = metrics(world, all);
    // A `resource_scope` would cost a small swarm more than the observation.
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
    // Borrowed one after the other: borrowing all at once is checked each time, which costs more than most metrics.
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

/// The values of a metric in the initial state.
fn observe_start<K: Metric>(entity: EntityRef, swarm: &Swarm) -> Vec<f64> {
    let mut values = vec![f64::NAN; K::PARTS.len().max(1)];
    if let Some(metric) = entity.get::<K>() {
        metric.observe(&mut K::Memory::default(), swarm, &mut values);
    }
    values
}

/// The values of all metrics in the initial state, `NaN` for metrics that do not read it.
fn start_values(world: &World) -> Vec<f64> {
    let mut values = Vec::new();
    let Some(mut all) = world.try_query_filtered() else { return values };
    let (board, all_agents) = (world.resource::<Board>(), world.resource::<CurrentSpace>());
    for (metric, parts) in metrics(world, &mut all).into_iter().zip(&board.parts) {
        let wanted = values.len() + parts.len().max(1);
        if let Some(Observer { gather, observe_start: Some(observe), .. }) = world.get::<Observer>(metric) {
            let mut subset = swarm::Subset::default();
            let space = seen(world, of_whom(world.get::<Observing>(metric)), all_agents, &mut subset);
            let mut gathered = Vec::new();
            gather(world.entity(metric), Census::new(world, all_agents, space), &mut gathered);
            let scope = scope(world, all_agents.bodies.len(), &board.columns, &values);
            let (stream, dt_s) = (stream(world, metric), world.resource::<SimTime>().dt_s);
            values.extend(observe(world.entity(metric), &Swarm { space, gathered: &gathered, stream, dt_s, scope }));
        }
        values.resize(wanted, f64::NAN);
    }
    values
}

/// The name of the group or team that a metric observes; empty for all agents.
fn of_whom(common: Option<&Observing>) -> &str {
    common.map_or("", |common| common.of.as_str())
}

/// The agents that a metric observes: all, or those of a group or team.
fn seen<'a>(world: &World, of: &str, all: &'a Space, subset: &'a mut swarm::Subset) -> &'a Space {
    if of.is_empty() {
        return all;
    }
    subset.pick(all, world.resource::<Groups>().place_of(of), Team::named(of))
}

fn scope<'a>(world: &World, count: usize, columns: &'a [String], values: &'a [f64]) -> Scope<'a> {
    let time = world.resource::<SimTime>();
    Scope { step: time.step, t_s: time.now_s(), count, columns, values, previous: &[], more: &[] }
}

/// Whether an expression over the metrics holds after the last step, or in the initial state before the first.
pub(crate) fn holds(world: &World, expression: &str) -> bool {
    let board = world.resource::<Board>();
    let count = world.resource::<CurrentSpace>().bodies.len();
    let start = if world.resource::<SimTime>().step == 0 { Some(start_values(world)) } else { None };
    scope(world, count, &board.columns, start.as_ref().unwrap_or(&board.values)).holds(expression)
}

/// Draws all metrics that have observed, kind by kind, in the order of the scene.
pub(crate) fn draw_all(world: &World, all: &Space, picture: &mut Picture) {
    let dt_s = world.resource::<SimTime>().dt_s;
    for (kind, entry) in world.get_resource::<Registry>().into_iter().flat_map(KindTable::iter) {
        let metrics = entities_with(world, kind);
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

/// The names of all metrics, in the order of the scene.
pub(crate) fn names(world: &World) -> Vec<String> {
    world.resource::<Board>().names.clone()
}

/// The columns of all metrics: the name of the metric, or one for each of its components.
pub(crate) fn columns(world: &World) -> Vec<String> {
    world.resource::<Board>().columns.clone()
}

/// The values of all metrics after the last step, in the order of their columns; empty before the first step.
pub(crate) fn observed(world: &World) -> &[f64] {
    &world.resource::<Board>().values
}

/// Updates the values of the board from the metrics, after a snapshot was loaded.
pub(crate) fn rebuild(world: &mut World) {
    let values = values(world);
    world.resource_mut::<Board>().values = values;
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
