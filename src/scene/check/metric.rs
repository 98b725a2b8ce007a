//! Checks of metrics and of the expression that ends a run.

use std::sync::Arc;

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::expression::{self, Expression, ExpressionError};
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::{self, Asked, Metric, Stated, columns_of, names_of};
use swarmarium_core::text::wording::suggestion;

use crate::scene::Scene;

/// A check of one metric, which returns the field and its problem.
type Check = dyn Fn(&dyn Reflect, &Kinds, &Scene) -> Option<(&'static str, String)> + Send + Sync;

/// The checks that kinds of metrics add.
#[derive(Resource, Clone, Default)]
struct OwnChecks(Vec<Arc<Check>>);

impl OwnChecks {
    /// The problems of a metric, by its index in the scene.
    fn of(&self, kinds: &Kinds, scene: &Scene, index: usize) -> impl Iterator<Item = (&'static str, String)> {
        let metric = scene.metrics.get(index);
        self.0.iter().filter_map(move |check| check(metric?.value(), kinds, scene))
    }
}

/// Adds checks of metrics against their scene.
pub trait CheckMetric {
    /// Adds a check of a kind of metrics, which returns the field and its problem, if there is one.
    fn check_metric<K: Metric>(&mut self, check: fn(&K, &Kinds, &Scene) -> Option<(&'static str, String)>)
    -> &mut Self;
}

impl CheckMetric for App {
    fn check_metric<K: Metric>(
        &mut self,
        check: fn(&K, &Kinds, &Scene) -> Option<(&'static str, String)>,
    ) -> &mut Self {
        let check =
            move |metric: &dyn Reflect, kinds: &Kinds, scene: &Scene| check(metric.downcast_ref()?, kinds, scene);
        self.world_mut().get_resource_or_init::<OwnChecks>().0.push(Arc::new(check));
        self
    }
}

/// The problems of the metrics of a scene and of the expression that ends its run.
pub(super) fn problems(world: &World, scene: &Scene) -> Vec<Problem> {
    let (registry, kinds) = (world.resource::<metric::Registry>(), world.resource::<Kinds>());
    let asked: Vec<Asked> = scene.metrics.iter().filter_map(|metric| registry.ask(metric)).collect();
    let own = world.get_resource::<OwnChecks>();
    let names = names_of(&asked);
    let mut problems = Vec::new();
    let mut known: Vec<String> = expression::ALWAYS.map(str::to_owned).into();
    let columns = names.iter().zip(&asked).flat_map(|(name, asked)| columns_of(name, asked.parts));
    let previous: Vec<String> = columns.map(|column| format!("{}{column}", expression::PREVIOUS)).collect();
    let mut add = |path: String, message: String| problems.push(Problem { place: None, path, message });
    for (index, (asked, name)) in asked.iter().zip(&names).enumerate() {
        let path = |field: &str| format!("metrics[{index}].{field}");
        if !expression::is_name(asked.label) {
            let message = format!(
                "`{}` is not a valid name: use letters, digits and `_`, but no keyword of expressions",
                asked.label
            );
            add(path("label"), message);
        }
        if let Some(message) = unknown_of(scene, asked.of) {
            add(path("of"), message);
        }
        for (field, message) in own.iter().flat_map(|own| own.of(kinds, scene, index)) {
            add(path(field), message);
        }
        for Stated { field, text, more } in &asked.expressions {
            let more = more.iter().copied().chain(previous.iter().map(String::as_str));
            if let Some(message) = expression_problem(world, text, &known, more, &names) {
                add(path(field), message);
            }
        }
        known.extend(columns_of(name, asked.parts));
    }
    if !scene.stop.when.is_empty()
        && let Some(message) = expression_problem(world, &scene.stop.when, &known, std::iter::empty(), &[])
    {
        add("stop.when".into(), message);
    }
    problems
}

fn expression_problem<'a>(
    world: &World,
    text: &str,
    known: &'a [String],
    more: impl Iterator<Item = &'a str>,
    names: &[String],
) -> Option<String> {
    let known: Vec<&str> = more.chain(known.iter().map(String::as_str)).collect();
    let error = Expression::check(text, &known).err()?;
    let is_later = |name: &&String| match &error {
        ExpressionError::UnknownName { name: unknown, .. } => {
            !known.contains(&name.as_str()) && unknown.starts_with(name.as_str())
        }
        _ => false,
    };
    if let Some(name) = names.iter().find(is_later) {
        return Some(format!("`{name}` is observed later: an expression can name the metrics above it"));
    }
    Some(error.with_hint(|name| metric::missing_metric(world, name)))
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
