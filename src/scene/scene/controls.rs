//! Controls: the main parameters of a scene. A window shows them first; they do not affect results.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::problem::Problem;
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::kind::{Kinds, Required, Unit};
use swarmarium_core::text::values::number;
use swarmarium_core::text::wording::{shown, shown_path};

use super::path::{self, Leaf};
use super::{Scene, describe};

/// The largest number of controls of a scene, so that all are visible at a glance.
pub const MOST: usize = 6;

/// A main parameter of the scene, which a window shows first.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Control {
    /// Path of the parameter, or name of a constant.
    #[reflect(@Required)]
    pub of: String,
    /// Label; empty for the name of the parameter.
    pub label: String,
    /// Lower end of its slider, in the unit of the parameter. Other values can be typed.
    pub min: Option<f64>,
    /// Upper end of its slider, in the unit of the parameter.
    pub max: Option<f64>,
}

impl Control {
    /// The parameter, with its path, value, limits and docs.
    ///
    /// # Errors
    /// If there is no such parameter.
    pub fn leaf<'s>(&self, kinds: &Kinds, scene: &'s Scene) -> Result<Leaf<'s>, Problem> {
        let constant = scene.constants.iter().find(|constant| constant.name == self.of);
        let path = constant.and_then(|constant| constant.of.first()).unwrap_or(&self.of);
        path::get(kinds, scene, path)?;
        // Of the fields with a constant, one that tells a unit says most.
        let others = constant.iter().flat_map(|constant| constant.of.iter().skip(1));
        let mut leaves = std::iter::once(path).chain(others).filter_map(|path| path::leaf(kinds, scene, path));
        let has_unit = |leaf: &Leaf| {
            leaf.field.is_some_and(|field| {
                field.get_attribute::<Unit>().is_some()
                    || describe::unit_of(field.name()).is_some_and(|unit| !unit.is_empty())
            })
        };
        let with_unit = leaves.find(has_unit);
        let no_parameter = || Problem::of_field(shown_path(path), "it is not a parameter");
        with_unit.or_else(|| path::leaf(kinds, scene, path)).ok_or_else(no_parameter)
    }
}

/// Removes controls whose parameters a change removed, such as those of a controller that another kind replaced.
pub fn forget_gone(kinds: &Kinds, scene: &mut Scene) {
    if !scene.controls.is_empty() {
        let mut controls = std::mem::take(&mut scene.controls);
        controls.retain(|control| control.leaf(kinds, scene).is_ok());
        scene.controls = controls;
    }
}

/// The problems of the controls of a scene after reading. If a program removes their parameters later, the controls are
/// not shown.
pub fn problems(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    let mut problems = misfits(kinds, scene);
    for (index, control) in scene.controls.iter().enumerate() {
        if let Err(Problem { message, .. }) = control.leaf(kinds, scene)
            && !is_undeclared(kinds, scene, &control.of)
        {
            problems.push(Problem::of_field(format!("controls[{index}].of"), message));
        }
    }
    problems
}

/// Whether a path leads into values that the script of a controller should declare and does not: its error is reported
/// instead.
fn is_undeclared(kinds: &Kinds, scene: &Scene, path: &str) -> bool {
    let values = path.rsplit_once('.').and_then(|(above, _)| path::get(kinds, scene, above).ok());
    values.and_then(|values| values.downcast_ref::<DeclaredValues>()).is_some_and(|values| !values.is_declared())
}

/// The problems of the controls whose parameters exist: their number, and the ends of their sliders.
pub fn misfits(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut refuse = |path: String, message: String| problems.push(Problem::of_field(path, message));
    if scene.controls.len() > MOST {
        refuse(
            format!("controls[{MOST}]"),
            format!("expected at most {MOST} controls, found {}", scene.controls.len()),
        );
    }
    for (index, control) in scene.controls.iter().enumerate() {
        let Ok(leaf) = control.leaf(kinds, scene) else { continue };
        let is_number = number(path::inside(leaf.value)).is_some();
        let limits = leaf.limits.unwrap_or(Limits::FINITE);
        for (field, end) in [("min", control.min), ("max", control.max)] {
            let Some(end) = end else { continue };
            if !is_number {
                refuse(format!("controls[{index}].{field}"), format!("`{}` is not a number", shown(&control.of)));
            } else if !limits.allow(end) {
                refuse(format!("controls[{index}].{field}"), format!("expected {}, found {end}", limits.expected()));
            }
        }
        if let (Some(min), Some(max)) = (control.min, control.max)
            && min >= max
        {
            refuse(format!("controls[{index}].max"), format!("expected more than `min`, which is {min}, found {max}"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::constants::set;
    use crate::scene::reader::read;
    use crate::scene::reader::tests::kinds;
    use crate::scene::writer::{Style, write};

    const GROUP: &str = "constants: [(name: \"N\", value: 6)], groups: [(name: \"g\", count: N, sensors: [Fov()])]";

    fn scene(controls: &str) -> Scene {
        read(&kinds(), "s.ron", &format!("(controls: [{controls}], {GROUP})")).unwrap()
    }

    fn refused(controls: &str) -> Vec<String> {
        problems(&kinds(), &scene(controls)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_control_is_read_and_written_and_stands_for_its_parameter() {
        let scene = scene("(of: \"groups.g.sensors.0.range_m\", label: \"Sight\", min: 0.5, max: 4.0), (of: \"N\")");
        assert!(problems(&kinds(), &scene).is_empty());
        let paths: Vec<_> = scene.controls.iter().map(|control| control.leaf(&kinds(), &scene).unwrap().path).collect();
        assert_eq!(paths, ["groups.g.sensors.0.range_m", "groups.g.count"]);
        let again: Scene = read(&kinds(), "s.ron", &write(&kinds(), &scene, Style::Short)).unwrap();
        assert_eq!(again.controls, scene.controls);
    }

    #[test]
    fn bad_controls_are_refused_with_their_place() {
        let told = refused("(of: \"groups.g.sensors.0.rang_m\")");
        assert!(told[0].contains("controls[0].of") && told[0].contains("range_m"), "{told:?}");
        let told = refused("(of: \"N\", min: 5.0, max: 2.0)");
        assert!(told[0].contains("controls[0].max") && told[0].contains("more than `min`"), "{told:?}");
        let told = refused("(of: \"groups.g.sensors.0.range_m\", min: -1.0)");
        assert!(told[0].contains("controls[0].min"), "{told:?}");
        let told = refused("(of: \"groups.g.name\", min: 1.0)");
        assert!(told[0].contains("is not a number"), "{told:?}");
        assert!(refused(&"(of: \"N\"), ".repeat(7))[0].contains("at most 6 controls"));
    }

    #[test]
    fn a_control_goes_with_its_parameter_and_changes_no_result() {
        let mut scene = scene("(of: \"groups.g.sensors.0.range_m\"), (of: \"N\")");
        let without = Scene { controls: Vec::new(), ..scene.clone() };
        let digest = |scene: &Scene| crate::scene::current::digest(&kinds(), scene);
        assert_eq!(digest(&scene), digest(&without));
        set(&kinds(), &mut scene, "groups.g.sensors", "[]").unwrap();
        assert_eq!(scene.controls.iter().map(|control| control.of.as_str()).collect::<Vec<_>>(), ["N"]);
    }
}
