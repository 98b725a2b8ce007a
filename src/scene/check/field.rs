//! Checks of scalar fields and of the names that refer to them.

use swarmarium_base::problem::Problem;
use swarmarium_core::kind::{FieldName, Kinds};
use swarmarium_core::text::wording::suggestion;
use swarmarium_space::scalar_field::MAX_CELLS;

use crate::scene::description::Scene;
use crate::scene::path::{self, Leaf};

/// The problems of the fields of a scene, and of names of fields.
pub(super) fn problems(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    let mut problems: Vec<Problem> = names(kinds, scene);
    let mut add = |path: String, message: String| problems.push(Problem::of_field(path, message));
    let fields = &scene.fields;
    for (place, field) in fields.iter().enumerate() {
        if field.name.is_empty() {
            add(format!("fields[{place}].name"), "a field needs a name, by which sensors and emitters find it".into());
        } else if fields[..place].iter().any(|other| other.name == field.name) {
            add(format!("fields[{place}].name"), format!("two fields are called `{}`: rename one", field.name));
        }
        if let Some((path, message)) = field.problem(scene.arena.size_m, scene.time.dt_s) {
            add(format!("fields[{place}].{path}"), message);
        }
        for (source, message) in
            field.sources.iter().map(|source| super::unknown_object(&source.object, scene)).enumerate()
        {
            message.into_iter().for_each(|message| add(format!("fields[{place}].sources[{source}].object"), message));
        }
    }
    let cells: f64 = fields.iter().map(|field| field.cells(scene.arena.size_m)).sum();
    if fields.len() > 1 && cells > MAX_CELLS {
        add("fields".into(), format!("at most {MAX_CELLS} cells fit in all fields of a scene, found {cells}"));
    }
    problems
}

/// The problems of the parameters that are names of fields.
fn names(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    let known: Vec<&str> = scene.fields.iter().map(|field| field.name.as_str()).collect();
    let leaves = path::leaves(kinds, scene);
    let named = leaves.iter().filter(|leaf| leaf.field.is_some_and(|field| field.has_attribute::<FieldName>()));
    let problem = |Leaf { path, value, .. }: &Leaf| {
        let name = path::inside(*value).downcast_ref::<String>()?;
        let message = match name.as_str() {
            "" if !known.is_empty() => return None,
            name if known.contains(&name) => return None,
            "" => "it needs a field".to_owned(),
            name => format!("unknown field `{name}`{}", suggestion(name, &known)),
        };
        let none = if known.is_empty() { ": the scene has no `fields`" } else { "" };
        Some(Problem::of_field(path.clone(), format!("{message}{none}")))
    };
    named.filter_map(problem).collect()
}
