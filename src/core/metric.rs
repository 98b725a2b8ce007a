//! Metrics: numbers about the swarm, observed after each step.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::names::Names;
use swarmarium_base::problem::{MissingKind, Problem};
use swarmarium_picture::Picture;
use swarmarium_space::Space;

use crate::agent::groups::Groups;
use crate::expression::{self, ExpressionError};
use crate::kind::{Family, FamilyTable, KindRow, KindType, KindValue, Kinds, Slot, entities_with};
use crate::random::Draws;
use crate::state::{Memory, RegisterState as _};
use crate::step::plan::{Act, AddAct as _, Place, Work};
use crate::step::{Arena, HasArena as _, Step};
use crate::time::SimTime;

pub mod fields;
pub mod geometry;
mod label;
pub mod swarm;

use swarm::Subset;

pub use crate::expression::{Expressions, Scope};
pub use fields::Observing;
pub use label::{MetricLabel, Quantity};
pub use swarm::{Census, Swarm};
pub use swarmarium_base::variant::Variant;

/// Adds the metrics of a step, and their state.
pub fn plugin(app: &mut App) {
    app.register_state::<Observed>("observed")
        .register_parameters::<Observing>("metric/common")
        .init_resource::<MetricKinds>()
        .init_resource::<MetricColumns>();
    let observed = app.world_mut().register_component::<Observed>();
    let act = Act::new("metrics", Place::Step(Step::Metrics), Work::World(|world, _| observe(world)));
    app.add_act(act.with(observed).naming(names));
}

/// The kinds of metrics, which measure after each step.
#[derive(TypePath)]
pub struct MetricFamily;

impl Family for MetricFamily {
    const NAME: &'static str = "metric";
    type Common = Observing;
    type Entry = MetricKind;
}

/// A metric. One file contains parameters, memory if it has any, [`observe`](Metric::observe), drawing and tests.
///
/// Metrics observe in the order of the scene, so that an expression can name those above it.
///
/// The guide "Write a metric" of the book has a complete program.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// /// Measures the largest x coordinate.
/// #[kind]
/// struct Front {}
///
/// impl Metric for Front {
///     type Memory = NoHistory;
///
///     fn label(&self) -> MetricLabel {
///         MetricLabel::new("front_m", "Largest x coordinate")
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

    /// The components if the value is a vector, such as `x_m` and `y_m`: one column each.
    const PARTS: &'static [MetricLabel] = &[];

    /// Whether conditions that are evaluated before the first step see the value of the initial state. The metric then
    /// depends on the present moment only.
    const READS_START: bool = false;

    /// The name of the column, with the unit, and the quantity in words: `average_speed_m_per_s`, "Average speed". Of a
    /// vector, it is the name with which its columns begin, and the words for all of them together.
    fn label(&self) -> MetricLabel;

    /// The expressions among the parameters, each with the name of its field and additional names that it may use.
    fn expressions(&self) -> Vec<NamedExpression<'_>> {
        Vec::new()
    }

    /// Gathers numbers that it needs in addition to the poses of the agents, such as readings, for [`Swarm::gathered`].
    fn gather(&self, _census: Census, _gathered: &mut Vec<f64>) {}

    /// Observes the swarm: one value, or one for each component. A value that the swarm does not have is `NaN`, which each
    /// value is before.
    fn observe(&self, memory: &mut Self::Memory, swarm: &Swarm, values: &mut [f64]);

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Problem of a parameter in a scene, such as the name of a goal that the scene does not have: the field, and a message
    /// for authors of scenes. The scene is a `swarmarium_scene::scene::Scene`.
    ///
    /// It is not asked again when a real number of a robot or an object changes alone.
    fn problem_in(&self, _kinds: &Kinds, _scene: &dyn Reflect) -> Option<(&'static str, String)> {
        None
    }

    /// Draws the observation, if it has a shape in the world. It cannot change anything.
    fn draw(&self, _memory: &Self::Memory, _swarm: &Swarm, _values: &[f64], _picture: &mut Picture) {}
}

/// An expression in a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedExpression<'a> {
    /// The path of the parameter within the metric.
    pub field: String,
    /// The expression.
    pub text: &'a str,
    /// The names that it can use in addition to the metrics.
    pub more: &'static [&'static str],
}

impl<'a> NamedExpression<'a> {
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

/// What a metric says about itself.
pub struct MetricInfo<'a> {
    /// Its name in the scene, or that of its kind.
    pub label: &'a str,
    /// The label of its kind.
    pub of_kind: MetricLabel,
    /// Its components; empty if it has one value.
    pub parts: &'static [MetricLabel],
    /// The group, team or expression that it observes.
    pub of: &'a str,
    /// The expressions among its parameters.
    pub expressions: Vec<NamedExpression<'a>>,
}

fn info<'a, K: Metric>(metric: &'a K, Observing { of, label }: &'a Observing) -> MetricInfo<'a> {
    let of_kind = metric.label();
    let label = if label.is_empty() { of_kind.name } else { label };
    MetricInfo { label, of_kind, parts: K::PARTS, of, expressions: metric.expressions() }
}

/// The entry of a kind of metrics in the table of its family.
#[derive(Clone, Copy)]
pub struct MetricKind {
    info: for<'v> fn(&'v dyn Reflect, &'v Observing) -> Option<MetricInfo<'v>>,
    /// As [`Metric::problem_in`].
    pub problem_in: fn(&dyn Reflect, &Kinds, &dyn Reflect) -> Option<(&'static str, String)>,
    /// The memory of a metric.
    memory: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn Reflect>,
    draw: fn(&dyn Reflect, &dyn Reflect, &Swarm, &[f64], &mut Picture),
}

/// On every metric: the functions that observe with its kind. A cache.
#[derive(Component, Clone, Copy)]
struct Observer {
    observe: fn(&mut World, Entity, Turn),
    observe_start: Option<fn(&World, Entity, Turn)>,
}

/// The inputs of one observation, and the place for its values.
struct Turn<'a> {
    /// The agents of the group or team that the metric observes; `None` for all agents.
    subset: Option<&'a Space>,
    gathered: &'a mut Vec<f64>,
    draws: Draws,
    dt_s: f64,
    scope: Scope<'a>,
    values: &'a mut [f64],
}

/// The kinds of metrics.
pub type MetricKinds = FamilyTable<MetricFamily>;

impl MetricKinds {
    /// What a metric says about itself; `None` if its kind is unknown.
    pub fn info<'v>(&self, metric: &'v Slot<MetricFamily>) -> Option<MetricInfo<'v>> {
        (self.of_value(metric.value())?.info)(metric.value(), metric.common())
    }

    /// The columns of the metrics of a scene, in its order, with their quantities. Metrics of unknown kinds have none.
    pub fn columns(&self, metrics: &[Slot<MetricFamily>]) -> Vec<(String, Quantity)> {
        let all: Vec<MetricInfo> = metrics.iter().filter_map(|metric| self.info(metric)).collect();
        let names = names_of(&all);
        let of_metric = |(info, name): (&MetricInfo, &String)| {
            columns_of(name, info.parts).into_iter().zip(Quantity::of_metric(name, &info.of_kind, info.parts))
        };
        all.iter().zip(&names).flat_map(of_metric).collect()
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
        world.register_required_components::<K, K::Memory>();
        world.register_required_components::<K, Observed>();
        world.register_required_components_with::<K, Observer>(|| Observer {
            observe: observe_one::<K>,
            observe_start: if K::READS_START { Some(observe_start::<K>) } else { None },
        });
        let entry = MetricKind {
            info: |metric, common| metric.downcast_ref::<K>().map(|metric| info(metric, common)),
            problem_in: |metric, kinds, scene| metric.downcast_ref::<K>()?.problem_in(kinds, scene),
            memory: |metric| metric.get::<K::Memory>().map(|memory| memory as _),
            draw: |metric, memory, swarm, values, picture| {
                if let (Some(metric), Some(memory)) = (metric.downcast_ref::<K>(), memory.downcast_ref()) {
                    metric.draw(memory, swarm, values, picture);
                }
            },
        };
        MetricKinds::add::<K>(world, |metric| metric.downcast_ref::<K>().and_then(Metric::problem), entry);
        self.register_kind::<MetricFamily, K>().register_memory::<K::Memory>()
    }
}

/// The metrics of a run with their columns, which never change, and memory that is reused in each step.
#[derive(Resource, Default)]
struct MetricColumns {
    /// The name of each metric, in the order of the scene.
    names: Vec<String>,
    /// The components of each metric, in the order of the scene.
    parts: Vec<&'static [MetricLabel]>,
    /// The quantities in all columns.
    quantities: Vec<Quantity>,
    /// The names of all columns, and the expressions over them.
    expressions: Expressions,
    /// The metrics, in the order of the scene. A cache.
    metrics: Vec<Listed>,
    /// The groups and teams that metrics observe, each once. A cache.
    subsets: Vec<Subset>,
    /// Whether an expression uses the values of the step before.
    names_previous: bool,
    gathered: Vec<f64>,
}

/// A metric, with everything that is the same in each step.
#[derive(Clone, Copy)]
struct Listed {
    id: StableId,
    metric: Entity,
    observer: Observer,
    /// The index of the group or team that it observes; `None` for all agents.
    subset: Option<usize>,
    /// The number of its columns.
    columns: usize,
}

/// Names the columns, once per simulation.
pub fn lay_out(world: &mut World, metrics: &[Slot<MetricFamily>]) {
    let kinds = world.resource::<MetricKinds>();
    let all: Vec<MetricInfo> = metrics.iter().filter_map(|metric| kinds.info(metric)).collect();
    let names = names_of(&all);
    let parts: Vec<_> = all.iter().map(|info| info.parts).collect();
    let (columns, quantities) = kinds.columns(metrics).into_iter().unzip();
    let expressions = Expressions::new(columns);
    let mut own = all.iter().flat_map(|info| &info.expressions);
    let names_previous = own.any(|expression| expression.text.contains(expression::PREVIOUS));
    world.insert_resource(MetricColumns {
        names,
        parts,
        quantities,
        expressions,
        names_previous,
        ..MetricColumns::default()
    });
    // A simulation that starts again has not observed yet.
    let arena = world.arena_mut();
    arena.observed.clear();
    arena.observed_before.clear();
}

/// The names of metrics; a name that occurs twice in a scene is numbered.
pub fn names_of(metrics: &[MetricInfo]) -> Vec<String> {
    let mut names = Names::default();
    metrics.iter().map(|MetricInfo { label, .. }| names.unique(label, '_')).collect()
}

/// The names of the columns of a metric: one for each component.
pub fn columns_of(name: &str, parts: &[MetricLabel]) -> Vec<String> {
    match parts {
        [] => vec![name.to_owned()],
        parts => parts.iter().map(|part| format!("{name}.{}", part.name)).collect(),
    }
}

/// The kind of metrics that has a column by default, for messages about columns that a scene lacks.
fn kind_with_column(world: &World, column: &str) -> Option<&'static str> {
    let (table, kinds) = (world.resource::<MetricKinds>(), world.resource::<Kinds>());
    let has_column = |value: Box<dyn KindValue>| {
        let slot = Slot::from_value(value);
        table.info(&slot).is_some_and(|info| columns_of(info.label, info.parts).iter().any(|own| own == column))
    };
    kinds.family(MetricFamily::NAME).find(|kind| has_column((kind.default)())).map(|kind| kind.name)
}

/// The kind of metrics that a scene needs for a column; `None` if no kind has such a column.
pub fn missing_metric(world: &World, column: &str) -> Option<MissingKind> {
    let name = kind_with_column(world, column.strip_prefix(expression::PREVIOUS).unwrap_or(column))?;
    Some(MissingKind { family: MetricFamily::NAME, name })
}

/// The advice to add a missing kind of metrics, as an addition to a message; empty without one.
pub fn advice(missing: Option<MissingKind>) -> String {
    let advice =
        |kind: MissingKind| format!(", a column of the metric `{}`: add it to `metrics` of the scene", kind.name);
    missing.map(advice).unwrap_or_default()
}

/// The problem with an expression over metrics. If an unknown name is the column of a metric, it advises to add the metric.
pub fn expression_problem(world: &World, error: &ExpressionError) -> Problem {
    let lacks = match error {
        ExpressionError::UnknownName { name, .. } => missing_metric(world, name),
        _ => None,
    };
    Problem { lacks, ..Problem::of_file(error.with_hint(|_| advice(lacks))) }
}

/// Lists the metrics, after the metrics of a scene were created, an edit may have changed what they observe, or a snapshot
/// was loaded.
pub fn list(world: &mut World) {
    let Some(mut query) = world.try_query::<(&StableId, Entity, &Observer, Option<&Observing>)>() else { return };
    let mut found: Vec<_> = query.iter(world).collect();
    found.sort_unstable_by_key(|(id, ..)| **id);
    let columns = world.resource::<MetricColumns>();
    let (mut metrics, mut subsets) = (Vec::new(), Vec::<Subset>::new());
    for ((id, metric, observer, common), parts) in found.into_iter().zip(&columns.parts) {
        let of = observed_group(common);
        let subset = (!of.is_empty()).then(|| {
            subsets.iter().position(|subset| subset.of == of).unwrap_or_else(|| {
                subsets.push(Subset::new(of));
                subsets.len() - 1
            })
        });
        let columns = parts.len().max(1);
        metrics.push(Listed { id: *id, metric, observer: *observer, subset, columns });
    }
    let mut columns = world.resource_mut::<MetricColumns>();
    (columns.metrics, columns.subsets) = (metrics, subsets);
}

/// Lets every metric observe, in the order of the scene.
fn observe(world: &mut World) {
    let mut columns = world.resource_mut::<MetricColumns>();
    if columns.metrics.is_empty() {
        return;
    }
    // A `resource_scope` would cost a small swarm more than the observation.
    let mut columns = std::mem::take(&mut *columns);
    columns.observe(world);
    *world.resource_mut::<MetricColumns>() = columns;
}

impl MetricColumns {
    fn observe(&mut self, world: &mut World) {
        let Self { expressions, metrics, subsets, names_previous, gathered, .. } = self;
        let arena = world.arena_mut();
        let [mut values, mut previous] = [&mut arena.observed, &mut arena.observed_before].map(std::mem::take);
        let (count, time, seed) = (arena.space.bodies.len(), arena.time, arena.seed);
        if *names_previous {
            previous.clone_from(&values);
        }
        if !subsets.is_empty() {
            let (all, groups) = (&world.arena().space, world.resource::<Groups>());
            subsets.iter_mut().for_each(|subset| _ = subset.pick(all, groups));
        }
        values.resize(expressions.columns().len(), f64::NAN);
        let mut first = 0;
        for listed in metrics.iter() {
            let (above, rest) = values.split_at_mut(first);
            let own = &mut rest[..listed.columns];
            own.fill(f64::NAN);
            let turn = Turn {
                subset: listed.subset.map(|place| subsets[place].space()),
                gathered,
                draws: Draws { seed, owner: listed.id, step: time.step },
                dt_s: time.dt_s,
                scope: Scope { previous: &previous, ..scope(time, count, Some(expressions), above) },
                values: own,
            };
            (listed.observer.observe)(world, listed.metric, turn);
            if let Some(mut observed) = world.get_mut::<Observed>(listed.metric) {
                observed.values.clear();
                observed.values.extend_from_slice(own);
            }
            first += listed.columns;
        }
        let arena = world.arena_mut();
        (arena.observed, arena.observed_before) = (values, previous);
    }
}

fn observe_one<K: Metric>(world: &mut World, metric: Entity, turn: Turn) {
    if size_of::<K::Memory>() == 0 {
        observe_with::<K>(world, metric, &mut K::Memory::default(), turn);
        return;
    }
    // The memory is taken out: borrowing it together with the world is checked each time, which costs more than most
    // metrics.
    let Some(mut memory) = world.get_mut::<K::Memory>(metric).map(|mut memory| std::mem::take(&mut *memory)) else {
        return;
    };
    observe_with::<K>(world, metric, &mut memory, turn);
    if let Some(mut kept) = world.get_mut::<K::Memory>(metric) {
        *kept = memory;
    }
}

/// Observes the initial state, without a memory of steps before.
fn observe_start<K: Metric>(world: &World, metric: Entity, turn: Turn) {
    observe_with::<K>(world, metric, &mut K::Memory::default(), turn);
}

fn observe_with<K: Metric>(world: &World, metric: Entity, memory: &mut K::Memory, turn: Turn) {
    let Some(metric) = world.get::<K>(metric) else { return };
    let Turn { subset, gathered, draws, dt_s, scope, values } = turn;
    let all = &world.arena().space;
    let space = subset.unwrap_or(all);
    gathered.clear();
    metric.gather(Census::new(world, all, space), gathered);
    metric.observe(memory, &Swarm { space, gathered, draws, dt_s, scope }, values);
}

/// The values of all metrics in the initial state, `NaN` for metrics that do not read it.
fn start_values(world: &World) -> Vec<f64> {
    let (columns, all, time) = (world.resource::<MetricColumns>(), &world.arena().space, world.arena().time);
    let mut values = vec![f64::NAN; columns.expressions.columns().len()];
    let mut first = 0;
    for listed in &columns.metrics {
        let (above, rest) = values.split_at_mut(first);
        if let Some(observe) = listed.observer.observe_start {
            let mut subset = listed.subset.map(|place| Subset::new(&columns.subsets[place].of));
            let turn = Turn {
                subset: subset.as_mut().map(|subset| subset.pick(all, world.resource::<Groups>())),
                gathered: &mut Vec::new(),
                draws: Draws { seed: world.arena().seed, owner: listed.id, step: time.step },
                dt_s: time.dt_s,
                scope: scope(time, all.bodies.len(), Some(&columns.expressions), above),
                values: &mut rest[..listed.columns],
            };
            observe(world, listed.metric, turn);
        }
        first += listed.columns;
    }
    values
}

/// The name of the group or team that a metric observes; empty for all agents.
fn observed_group(common: Option<&Observing>) -> &str {
    common.map_or("", |common| common.of.as_str())
}

fn scope<'a>(time: SimTime, count: usize, expressions: Option<&'a Expressions>, values: &'a [f64]) -> Scope<'a> {
    Scope { step: time.step, t_s: time.now_s(), count, values, expressions, ..Scope::default() }
}

/// Whether an expression over the metrics holds after the last step, or in the initial state before the first.
pub fn holds(world: &World, Arena { time, space, observed, .. }: &Arena, expression: &str) -> bool {
    let start = if time.step == 0 { Some(start_values(world)) } else { None };
    let expressions = &world.resource::<MetricColumns>().expressions;
    scope(*time, space.bodies.len(), Some(expressions), start.as_ref().unwrap_or(observed)).holds(expression)
}

/// Draws all metrics that have observed, kind by kind, in the order of the scene.
pub fn draw_all(world: &World, all: &Space, picture: &mut Picture) {
    let time = world.arena().time;
    for KindRow { component, on_entity, entry, .. } in
        world.get_resource::<MetricKinds>().into_iter().flat_map(FamilyTable::iter)
    {
        let metrics = entities_with(world, *component);
        let observed =
            metrics.filter_map(|metric| Some((*metric.get::<StableId>()?, metric, metric.get::<Observed>()?)));
        let mut observed: Vec<_> = observed.filter(|(.., observed)| !observed.values.is_empty()).collect();
        observed.sort_unstable_by_key(|(id, ..)| *id);
        for (id, metric, observed) in observed {
            let of = observed_group(metric.get::<Observing>());
            let mut subset = (!of.is_empty()).then(|| Subset::new(of));
            let space = subset.as_mut().map_or(all, |subset| subset.pick(all, world.resource::<Groups>()));
            let draws = Draws { seed: world.arena().seed, owner: id, step: time.step };
            let scope = scope(time, all.bodies.len(), None, &[]);
            let swarm = Swarm { space, gathered: &[], draws, dt_s: time.dt_s, scope };
            if let (Some(kind), Some(memory)) = (on_entity(metric), (entry.memory)(metric)) {
                (entry.draw)(kind, memory, &swarm, &observed.values, picture);
            }
        }
    }
}

/// The names of all metrics, in the order of the scene.
pub fn names(world: &World) -> Vec<String> {
    world.resource::<MetricColumns>().names.clone()
}

/// The columns of all metrics: the name of the metric, or one for each of its components.
pub fn columns(world: &World) -> Vec<String> {
    world.resource::<MetricColumns>().expressions.columns().to_vec()
}

/// The quantities in the columns of all metrics, in words.
pub fn quantities(world: &World) -> Vec<Quantity> {
    world.resource::<MetricColumns>().quantities.clone()
}

/// The values of all metrics after the last step, in the order of their columns; empty before the first step.
pub fn observed(world: &World) -> &[f64] {
    &world.arena().observed
}

/// Updates the values of all columns from the metrics, after a snapshot was loaded.
pub fn rebuild(world: &mut World) {
    let values = if world.arena().time.step == 0 { Vec::new() } else { values(world) };
    world.arena_mut().observed = values;
}

/// The values of all metrics, in the order of their columns; `NaN` before the first step.
pub fn values(world: &World) -> Vec<f64> {
    let mut values = Vec::new();
    for listed in &world.resource::<MetricColumns>().metrics {
        let wanted = values.len() + listed.columns;
        values.extend(world.get::<Observed>(listed.metric).into_iter().flat_map(|observed| &observed.values));
        values.resize(wanted, f64::NAN);
    }
    values
}
