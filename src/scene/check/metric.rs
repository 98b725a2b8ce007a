//! Checks of metrics and of the expression that ends a run.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::expression::{self, Expression, ExpressionError};
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::{self, MetricInfo, MetricKinds, NamedExpression, columns_of, names_of};
use swarmarium_core::text::wording::suggestion;

use crate::scene::Scene;

/// The problems of the metrics of a scene and of the expression that ends its run.
pub(super) fn problems(world: &World, scene: &Scene) -> Vec<Problem> {
    let (table, kinds) = (world.resource::<MetricKinds>(), world.resource::<Kinds>());
    let all: Vec<MetricInfo> = scene.metrics.iter().filter_map(|metric| table.info(metric)).collect();
    let names = names_of(&all);
    let mut problems = Vec::new();
    let mut known: Vec<String> = expression::ALWAYS.map(str::to_owned).into();
    let columns = names.iter().zip(&all).flat_map(|(name, info)| columns_of(name, info.parts));
    let previous: Vec<String> = columns.map(|column| format!("{}{column}", expression::PREVIOUS)).collect();
    let mut add = |path: String, problem: Problem| problems.push(Problem { path, ..problem });
    for (index, ((info, name), metric)) in all.iter().zip(&names).zip(&scene.metrics).enumerate() {
        let path = |field: &str| format!("metrics[{index}].{field}");
        if !expression::is_name(info.label) {
            let message = format!(
                "`{}` is not a valid name: use letters, digits and `_`, but no keyword of expressions",
                info.label
            );
            add(path("label"), Problem::of_file(message));
        }
        if let Some(message) = unknown_of(scene, info.of) {
            add(path("of"), Problem::of_file(message));
        }
        if let Some(message) = kinds.problem(metric) {
            add(format!("metrics[{index}]"), Problem::of_file(message));
        }
        let kind = table.of_value(metric.value());
        if let Some((field, message)) = kind.and_then(|kind| (kind.problem_in)(metric.value(), kinds, scene)) {
            add(path(field), Problem::of_file(message));
        }
        for NamedExpression { field, text, more } in &info.expressions {
            let more = more.iter().copied().chain(previous.iter().map(String::as_str));
            if let Some(problem) = expression_problem(world, text, &known, more, &names) {
                add(path(field), problem);
            }
        }
        known.extend(columns_of(name, info.parts));
    }
    if !scene.stop.when.is_empty()
        && let Some(problem) = expression_problem(world, &scene.stop.when, &known, std::iter::empty(), &[])
    {
        add("stop.when".into(), problem);
    }
    problems
}

fn expression_problem<'a>(
    world: &World,
    text: &str,
    known: &'a [String],
    more: impl Iterator<Item = &'a str>,
    names: &[String],
) -> Option<Problem> {
    let known: Vec<&str> = more.chain(known.iter().map(String::as_str)).collect();
    let error = Expression::check(text, &known).err()?;
    let is_later = |name: &&String| match &error {
        ExpressionError::UnknownName { name: unknown, .. } => {
            !known.contains(&name.as_str()) && unknown.starts_with(name.as_str())
        }
        _ => false,
    };
    if let Some(name) = names.iter().find(is_later) {
        let message = format!("`{name}` is observed later: an expression can name the metrics above it");
        return Some(Problem::of_file(message));
    }
    Some(metric::expression_problem(world, &error))
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
