//! Builder scripts of MORSE as scenes. Python runs a script against a module of the Python package, which describes the robots
//! and writes the configuration; this module makes the scene.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::Deserialize;
use swarmarium_core::kind::Kinds;
use swarmarium_core::service::note::Note;
use swarmarium_core::service::{Link, Value};
use swarmarium_scene::scene::base;
use swarmarium_scene::scene::description::{Scene, Sockets};
use swarmarium_scene::scene::reader;
use swarmarium_scene::scene::writer::{Style, write};

use super::config::{Config, Offsets, Options};
use super::literal::Literal;
use super::scene::{PORTS, SceneBuilder, kept_notes, uses_sockets};
use super::{literal, notes};
use crate::import::report::Report;

/// A function that runs the builder script of a path and describes it as JSON. It gives a message if that is not possible.
pub type Runner = fn(&str) -> Result<String, String>;

static RUNNER: OnceLock<Runner> = OnceLock::new();

/// Sets the function that runs builder scripts, for the whole process. The first one counts.
pub fn run_scripts_with(runner: Runner) {
    // A second call has the same function: the module of the Python package calls it when it is imported.
    let _ = RUNNER.set(runner);
}

/// The description of a script that has run.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Description {
    /// The configuration that MORSE's builder writes for the script.
    configuration: String,
    /// Fields of the scene in its notation, each with a comma after it.
    scene: String,
    /// Whether the simulator paces itself, although the manager of the sockets waits for clients.
    internal_pacing: bool,
    robots: Vec<Robot>,
    /// Numbers of the environment that are defaults of the arguments of modifiers.
    environment: BTreeMap<String, f64>,
    /// Parts of the script that the scene does not have.
    losses: Vec<Remark>,
    /// Errors of the script.
    errors: Vec<Remark>,
}

/// A robot of a script.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Robot {
    name: String,
    line: usize,
    /// Fields of its group in the notation of scenes, each with a comma after it.
    fields: String,
    components: Vec<Component>,
}

/// A sensor or an actuator of a robot.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Component {
    /// Its name with that of its robot.
    name: String,
    line: usize,
    is_sensor: bool,
    kind: String,
    /// Whether clients reach it. Otherwise its streams and services are kept for exports.
    is_reached: bool,
    /// Fields in the notation of scenes, each with a comma after it.
    fields: String,
}

/// A remark on a line of a script, or of a module beside it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Remark {
    /// The module; empty for the script.
    file: String,
    line: usize,
    message: String,
}

/// The byte offset of a line of a text.
fn offset(text: &str, line: usize) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line.saturating_sub(1)).map(str::len).sum();
    before + lines.next().map_or(0, |line| line.len() - line.trim_start().len())
}

/// Runs a script and makes its scene. Problems go into the report.
pub(super) fn import(script: &Script, report: &mut Report) -> Scene {
    let Some(runner) = RUNNER.get() else {
        report.problem(script.import_at, "", needs_python(script.source_name));
        return Scene::default();
    };
    let read = runner(script.source_name)
        .and_then(|text| serde_json::from_str::<Description>(&text).map_err(|error| error.to_string()));
    match read {
        Ok(description) => scene(script, &description, report),
        Err(message) => {
            report.problem(0, "", message);
            Scene::default()
        }
    }
}

/// A builder script.
pub(super) struct Script<'a> {
    pub(super) kinds: &'a Kinds,
    pub(super) source_name: &'a str,
    /// The name of the scene.
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// The byte offset of its first import of MORSE.
    pub(super) import_at: usize,
}

/// The message about a script for programs without Python.
fn needs_python(source_name: &str) -> String {
    format!(
        "this is a MORSE builder script, a program in Python, which the Python package of Swarmarium runs: install it with \
         `pip install ./src/python` in a copy of the project; then `python -m swarmarium run {source_name}` runs the script, \
         and `python -m swarmarium convert {source_name} -o scene.ron` makes a scene of it"
    )
}

fn scene(script: &Script, description: &Description, report: &mut Report) -> Scene {
    let Script { kinds, text, .. } = *script;
    let place = |Remark { file, line, .. }: &Remark| match file.is_empty() {
        true => (offset(text, *line), String::new()),
        false => (0, format!("{file}:{line}")),
    };
    for remark in &description.losses {
        let (at, path) = place(remark);
        report.warning(at, &path, &*remark.message);
    }
    for remark in &description.errors {
        let (at, path) = place(remark);
        report.problem(at, &path, &*remark.message);
    }
    if !report.has_no_problem() {
        return Scene::default();
    }
    let config = match Config::read(&description.configuration, report) {
        Ok((config, _)) => config,
        Err(problem) => {
            report.problem(0, "the configuration of the script", problem.message);
            return Scene::default();
        }
    };
    let components = || description.robots.iter().flat_map(|robot| &robot.components);
    let offsets: Offsets = components().map(|one| (one.name.clone(), offset(text, one.line))).collect();
    let defaults: Options = description
        .environment
        .iter()
        .map(|(name, number)| (name.clone(), Literal::Leaf(Value::Number(*number))))
        .collect();
    let mut builder = SceneBuilder { kinds, offsets: &offsets, report };
    let mut kept_modifiers = config.modifiers.clone();
    let mut groups = String::new();
    for robot in &description.robots {
        let (mut sensors, mut actuators) = (Vec::new(), Vec::new());
        for one in &robot.components {
            let links = if one.is_reached { builder.links(&one.name, &config, one.is_sensor) } else { Vec::new() };
            let given = config.modifiers.get(&one.name).map_or(&[][..], Vec::as_slice);
            let (chain, is_complete) = builder.noise_chain(&one.name, (&one.kind, one.is_sensor), given, &defaults);
            // Exports write the modifiers of components with links from their noise.
            if is_complete && !links.is_empty() {
                kept_modifiers.remove(&one.name);
            }
            let own = one.name.strip_prefix(&format!("{}.", robot.name)).unwrap_or(&one.name);
            let name = write(kinds, &own.to_owned(), Style::Short);
            let noise = if chain.is_empty() {
                String::new()
            } else {
                format!("noise: {}, ", write(kinds, &chain, Style::Short))
            };
            let links = if links.is_empty() { String::new() } else { links_text(kinds, &links) };
            let text = format!("{}(name: {name}, {}{noise}{links})", one.kind, one.fields);
            if one.is_sensor { &mut sensors } else { &mut actuators }.push(text);
        }
        let name = write(kinds, &robot.name, Style::Short);
        groups.push_str(&format!(
            "(name: {name}, {} sensors: [{}], controller: External(actuators: [{}])),\n",
            robot.fields,
            sensors.join(", "),
            actuators.join(", ")
        ));
    }
    let (pacing, kept_managers) = builder.managers(&config.managers);
    let name = write(kinds, &script.name.to_owned(), Style::Short);
    let whole = format!(
        "Scene(name: {name}, about: \"Made from a builder script of MORSE\", {} groups: [{groups}])",
        description.scene
    );
    let mut scene = match reader::read::<Scene>(kinds, script.source_name, &whole) {
        Ok(scene) => scene,
        Err(problems) => {
            for problem in problems.problems {
                report.problem(at_robot(&problem.path, description, text), &problem.path, problem.message);
            }
            return Scene::default();
        }
    };
    if !description.internal_pacing {
        scene.time.pacing = pacing;
    }
    scene.sockets = if uses_sockets(&config) { PORTS } else { Sockets::default() };
    let known: BTreeSet<&String> = components().filter(|one| one.is_reached).map(|one| &one.name).collect();
    // Managers that only pace are expressed by the scene, except where the simulator paces itself.
    let kept_managers = if description.internal_pacing { config.managers.clone() } else { kept_managers };
    scene.metadata = kept_notes(&config, &kept_modifiers, &kept_managers, |name| !known.contains(name));
    if !defaults.is_empty() {
        let text = literal::write(&super::config::options_literal(&defaults));
        scene.metadata.push(Note { name: notes::ENVIRONMENT.into(), text });
    }
    base::resolve(kinds, &mut scene);
    scene
}

fn links_text(kinds: &Kinds, links: &Vec<Link>) -> String {
    format!("links: {}", write(kinds, links, Style::Short))
}

/// The byte offset of the robot that a path such as `groups[3].at` names.
fn at_robot(path: &str, description: &Description, text: &str) -> usize {
    let number = path.strip_prefix("groups[").and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
    number.and_then(|number| description.robots.get(number)).map_or(0, |robot| offset(text, robot.line))
}

#[cfg(test)]
mod tests {
    use crate::standard::Standard as _;
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    const SCRIPT: &str = "from morse.builder import *\nrobot = ATRV()\n  pose = Pose()\n";

    fn read(json: &str) -> Result<(Scene, Vec<String>), Vec<String>> {
        let recipe = Recipe::standard();
        let script = Script { kinds: recipe.kinds(), source_name: "s.py", name: "s", text: SCRIPT, import_at: 0 };
        let mut report = Report::default();
        let scene = scene(&script, &serde_json::from_str(json).unwrap(), &mut report);
        let texts = |all: Vec<_>| all.iter().map(ToString::to_string).collect();
        report.finish(SCRIPT).map(|warnings| (scene, texts(warnings))).map_err(texts)
    }

    #[test]
    fn a_description_becomes_a_scene_with_links_and_noise() {
        let (scene, warnings) = read(
            r#"{
                "configuration": "component_datastream = {'r.p': [['morse.middleware.socket_datastream.SocketDatastreamManager', 'morse.middleware.socket_datastream.SocketPublisher', 'OUT', {}]], 'lost': [['m', 'c', 'IN', {}]]}\ncomponent_modifier = {'r.p': [['morse.modifiers.utm.CoordinatesToUTM', 'OUT', {}]]}",
                "scene": "arena: (size_m: (4.0, 4.0)), time: (dt_s: 0.01),",
                "robots": [{"name": "r", "line": 2, "fields": "at: [(1.0, 2.0, 0.5)], robot: \"atrv\",", "components": [
                    {"name": "r.p", "line": 3, "is_sensor": true, "is_reached": true, "kind": "Pose", "fields": "rate_hz: 20.0,"}
                ]}],
                "environment": {"x_offset": 7.5},
                "losses": [{"line": 3, "message": "gone"}, {"file": "parts.py", "line": 9, "message": "gone, too"}]
            }"#,
        )
        .unwrap();
        let [group] = scene.groups.as_slice() else { panic!("{scene:?}") };
        let sensor = group.sensors[0].common();
        assert_eq!((group.at.len(), sensor.rate_hz, sensor.links.len(), sensor.noise.len()), (1, 20.0, 1, 1));
        assert_eq!((scene.sockets, scene.time.dt_s), (PORTS, 0.01));
        let notes: Vec<&str> = scene.metadata.iter().map(|note| note.name.as_str()).collect();
        assert_eq!(notes, [notes::STREAMS, notes::MODIFIERS, notes::ENVIRONMENT]);
        assert_eq!(warnings, ["1:1: parts.py:9: gone, too", "3:3: gone"]);
    }

    #[test]
    fn errors_of_a_script_and_of_its_scene_have_the_line_of_the_script() {
        let error = r#"{"errors": [{"line": 2, "message": "NameError: x"}]}"#;
        assert_eq!(read(error).unwrap_err(), ["2:1: NameError: x"]);
        let pose = r#"{"configuration": "overlays = {}", "robots": [{"name": "r", "line": 2, "fields": "at: [(1e9, 0.0, 0.0)],"}]}"#;
        let refused = read(pose).unwrap_err();
        assert!(refused[0].starts_with("2:1: groups[0].at"), "{refused:?}");
    }

    #[test]
    fn a_program_without_python_names_the_way() {
        let message = needs_python("a.py");
        assert!(message.contains("`pip install") && message.contains("`python -m swarmarium run a.py`"), "{message}");
    }
}
