//! Templates for new scenes: an empty arena, robots with sensors, robots with radios. They come with the program, but are not
//! among the shipped scenes.

use swarmarium_scene::scene::shipped::TEMPLATES;

/// The name of the template without any robots.
pub const EMPTY: &str = "empty";

/// The templates: name, title, and one sentence about the content.
pub const ALL: [(&str, &str, &str); 3] = [
    (EMPTY, "Empty arena", "Opens an arena without robots, to be filled with the tools"),
    (
        "sensors",
        "Robots with a range sensor",
        "Opens a walled arena with robots that see a little ahead, and two obstacles",
    ),
    ("radio", "Robots with radios", "Opens a swarm that meets by what its robots tell each other"),
];

/// The text of a template as that of a scene with a name.
pub fn named(template: &str, name: &str) -> Option<String> {
    let text = get(template)?.replacen("Scene(\n", &format!("Scene(\n    name: {name:?},\n"), 1);
    let line = |line: &str| match line.contains("text: \"template") {
        true => None,
        false => Some(format!("{line}\n")),
    };
    Some(text.lines().filter_map(line).collect())
}

/// The text of a plan for the scene of a template in a file; `None` for a template without robots.
pub fn plan(template: &str, file: &str) -> Option<String> {
    let plan = TEMPLATES.get_file(format!("plans/{template}.sweep.ron"))?.contents_utf8()?;
    Some(plan.replacen("\"SCENE\"", &format!("{file:?}"), 1))
}

/// The text of a template.
pub fn get(name: &str) -> Option<&'static str> {
    TEMPLATES.get_file(format!("{name}.ron"))?.contents_utf8()
}

#[cfg(test)]
mod tests {
    use crate::standard::Standard as _;
    use swarmarium_simulation::simulation::{Recipe, Simulation};

    use super::*;
    use crate::load::template;

    #[test]
    fn every_scene_template_runs_and_has_no_name() {
        let recipe = Recipe::standard();
        assert_eq!(TEMPLATES.files().count(), ALL.len());
        for (name, ..) in ALL {
            let loaded = template(recipe.kinds(), name).unwrap();
            assert_eq!(loaded.scene.name, "");
            let mut simulation = Simulation::with(&loaded.scene, &recipe, 1).unwrap();
            simulation.step(20);
            assert_eq!(simulation.agents().next().is_none(), name == EMPTY);
        }
        assert!(template(recipe.kinds(), "none").is_err());
    }
}
