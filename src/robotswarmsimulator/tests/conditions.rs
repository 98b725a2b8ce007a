//! Conditions, metrics that name others, variables, and files that RobotSwarmSimulator saved.

use super::*;

const AGENTS: &str = "\
size: [10, 6]
time_step: 0.05
agents:
  - &a {type: MazeAgent, name: a, position: [4.0, 3.0], agent_radius: 0.1, team: red, sensors: [{type: BinaryFOVSensor, theta: 0.6, distance: 1.5}], controller: {type: BinaryController, a: [0.3, 0.7], b: [0.2, -0.8]}}
  - {<<: *a, name: b, position: [4.5, 3.2], angle: 1.0}
  - {<<: *a, name: c, position: [4.2, 3.6], angle: -2.0, team: blue}
";

fn options(variables: &[(&str, &str)]) -> Options {
    let variables = variables.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect();
    Options { variables, ..Options::default() }
}

/// The step at which a world ends, at most 50.
fn end(rest: &str) -> u64 {
    let mut simulation = simulation(&scene(&world(&format!("{AGENTS}{rest}")))).unwrap();
    while !simulation.is_at_end() && simulation.steps() < 50 {
        simulation.step(1);
    }
    simulation.steps()
}

/// The numbers of steps were recorded with version 1.2.5, with the same limit.
#[test]
fn worlds_end_where_the_original_ends_them() {
    let speed = "metrics: [{type: AverageSpeedBehavior}]";
    let far = "metrics: [{type: StepsUntil, metric: {type: AnyAgent, expression: 'agent.pos[0] > 100'}}]";
    let near = "metrics: [{type: StepsUntil, metric: {type: AnyAgent, expression: 'agent.pos[0] > 4.55'}}]";
    for (rest, expected) in [
        ("stop_at: 5".to_owned(), 6),
        ("stop_at: 5.5".to_owned(), 6),
        ("stop_at: false".to_owned(), 1),
        ("stop_at: -1".to_owned(), 0),
        (format!("stop_at: world.total_steps > 0 and world.metrics[0].value < 0.0125\n{speed}"), 2),
        (format!("stop_at: world.total_steps > 0 and world.metrics[0].value < 1e-3\n{speed}"), 50),
        (format!("stop_at: world.metrics[0].value or world.total_steps >= 12\n{far}"), 12),
        (format!("stop_at: world.metrics[0].value is not none\n{near}"), 9),
        (format!("stop_at: not world.metrics[0].value and world.total_steps > 7\n{far}"), 8),
    ] {
        assert_eq!(end(&rest), expected, "{rest}");
    }
}

/// The numbers of steps of 1.2.5 for more conditions: `steps | keys of the world`. Some hold before the first step.
#[test]
fn conditions_end_worlds_as_recorded() {
    let recorded = include_str!("../../../tests/data/robotswarmsimulator/expressions/ends.txt");
    let mut wrong = Vec::new();
    for line in recorded.lines() {
        let (steps, rest) = line.split_once(" | ").unwrap();
        let rest = rest.replace("\\n", "\n");
        let found = end(&rest).to_string();
        if found != steps {
            wrong.push(format!("{found} steps instead of {steps}: {rest}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn conditions_without_a_counterpart_are_reported() {
    let told = |stop: &str| warnings(&world(&format!("{AGENTS}stop_at: {stop}")));
    for (stop, why) in [
        ("world.metrics[0].value > 1", "there is no `world.metrics[0]`"),
        ("world.objects|length > 1", "only `world.population` has a `length`"),
        ("world.gui", "`world.gui` has no counterpart"),
    ] {
        let told = told(stop);
        assert!(told.contains("stop_at: cannot be imported, ignored") && told.contains(why), "{told}");
    }
    let refused = problems(&world(&format!("{AGENTS}stop_at: world.total_steps >")));
    assert!(refused.contains("stop_at: not an expression of Jinja: unexpected end"), "{refused}");
    for (metric, why) in [
        ("{type: JinjaMetric, expression: '1', default: far}", "the `default` can only be a number"),
        ("{type: StepsUntil, metric: {type: RoutRin}, sentinel: far}", "the `sentinel` can only be"),
        ("{type: AndMetrics, metrics: [], and_fn: any}", "expected `python` or `numpy`"),
    ] {
        let refused = problems(&world(&format!("{AGENTS}metrics: [{metric}]")));
        assert!(refused.contains(why), "{metric}: {refused}");
    }
    // The rest of a world stands without such a metric.
    for (metric, why) in [
        ("{type: AnyAgent, expression: agent.x_pos}", "`agent.x_pos` has no counterpart"),
        ("{type: AnyAgent, expression: agent.name == 'a'}", "of texts, only"),
        ("{type: JinjaMetric, expression: a}", "`a` has no counterpart"),
        ("{type: JinjaMetric, expression: '1', template: '{% for a in b %}{% endfor %}'}", "the statement `for`"),
        ("{type: EntityLen, target_name: spawners}", "only the length of"),
        ("{type: JinjaMetric, expression: 'world.metrics[1].value'}, {type: Centroid}", "the metric has no number"),
    ] {
        let text = world(&format!("{AGENTS}metrics: [{metric}, {{type: Circliness}}]"));
        let told = warnings(&text);
        assert!(told.contains("left out: ") && told.contains(why), "{metric}: {told}");
        assert!(
            simulation(&scene(&text)).unwrap().metric_columns().iter().any(|name| name == "circliness"),
            "{metric}"
        );
    }
}

#[test]
fn variables_are_lists_and_maps() {
    let text = "controller: {type: BinaryController, a: [<{ g[0] }>, <{ g[1] }>], b: [<{ m.v }>, 0]}";
    let text = world(&format!("agents:\n  - {{type: MazeAgent, sensors: [{{type: BinaryFOVSensor}}], {text}}}\n"));
    let given = options(&[("g", "[0.2, -0.5]"), ("m", "{v: 0.25}")]);
    let scene = import_with(&kinds(), "w.yaml", &text, &given).unwrap().scene;
    let binary: Binary = one(&scene.groups[0].controller);
    assert_eq!(binary.clear.v_m_per_s, 0.2);
    assert_eq!(binary.clear.turn_rad_per_s, -0.5);
    assert_eq!(binary.detected.v_m_per_s, 0.25);
    let error =
        |given: &[(&str, &str)]| import_with(&kinds(), "w.yaml", &text, &options(given)).unwrap_err().to_string();
    let missing = error(&[("g", "[1, 2]")]);
    assert!(missing.starts_with("w.yaml:4:"), "{missing}");
    assert!(missing.contains("the variable `m` has no value: give it one with `--var m=…`"), "{missing}");
    assert!(error(&[("g", "[1, 2")]).contains("`--var g=[1, 2`: not valid YAML"));
}

#[test]
fn equal_warnings_are_folded() {
    let agents = "  - {type: MazeAgent, shape: 3}\n".repeat(1000);
    let text = world(&format!("agents:\n{agents}"));
    let imported = import_with(&kinds(), "w.yaml", &text, &Options::default()).unwrap();
    let told = lines(imported.warnings);
    assert_eq!(told, "w.yaml:4:23: agents[0].shape: unknown key, ignored (and 999 more like this)");
}

#[test]
fn messages_identify_files_that_are_not_worlds() {
    let whole = |text: &str| import(&kinds(), "w.yaml", text).unwrap_err().to_string();
    let agent = whole("type: MazeAgent\nagent_radius: 0.1\n");
    assert!(agent.contains("`MazeAgent` is an agent, not a world: a world includes this file"), "{agent}");
    let part = whole("metrics: []\nstop_at: 3\n");
    assert!(
        part.contains("the `type` of the world is missing: a file with `metrics`, `stop_at` can only be"),
        "{part}"
    );
    assert!(whole("- 1\n").contains("not a world: expected a map"));
    let told = warnings(&world("n_agents: 3\n"));
    assert!(told.contains("a world without agents") && told.contains("`n_agents` and `init_type`"), "{told}");
}

/// A world as `save_yaml` writes it, whose agents have no type.
const SAVED: &str = "\
agents:
- agent_radius: 0.1
  angle: 0.5
  body_color: !!python/tuple
  - 255
  - 0
  - 0
  collides: &id001 !!python/object/apply:swarmsim.util.collider.CollisionMode.CollisionMode
  - 3
  controller:
    output: !!python/tuple
    - 0.02
    - -0.5
    type: StaticController
  delay: 0
  idiosyncrasies: false
  name: null
  position: !!python/object/apply:numpy.array
    args: !!python/tuple
    - - 2.0
      - 3.0
    kwargs:
      dtype: float64
- position: !!python/tuple
  - 4
  - 4
  collides: *id001
- !!python/object:swarmsim.agent.StaticAgent.StaticAgentConfig
  associated_type: StaticAgent
  position: [1, 1]
- target_teams: null
  target_name: null
  position: [7, 7]
metadata:
  path: !!python/object/apply:pathlib.PosixPath
    args:
    - /x/y
metrics: []
seed: 3
size: !!python/object/apply:numpy.array
  args: !!python/tuple
  - - 8
    - 6
  kwargs:
    dtype: int64
spawners: []
stop_at: !!python/object/apply:numpy._core.multiarray.scalar
- !!python/object/apply:numpy.dtype
  args:
  - f8
  - false
  - true
  state: !!python/tuple
  - 3
  - <
- !!binary |
  AAAAAAAAJEA=
time_step: 0.025
";

#[test]
fn worlds_that_were_saved_open() {
    let scene = scene(SAVED);
    assert_eq!(scene.arena.size_m, DVec2::new(8.0, 6.0));
    assert_eq!(scene.stop.steps, 11);
    assert_eq!(scene.seed, 3);
    assert_eq!(scene.groups[0].at, [Placement { x_m: 2.0, y_m: 3.0, heading_rad: 0.5 }]);
    let constant: Constant = one(&scene.groups[0].controller);
    assert_eq!(constant.v_m_per_s, 0.02);
    assert_eq!(constant.turn_rad_per_s, -0.5);
    _ = one::<_, Static>(&scene.groups[1].motion);
    assert_eq!(scene.metadata[0].text, "/x/y");
    let told = warnings(SAVED);
    assert!(told.contains("no `type`: read as a saved `RectangularWorld`"), "{told}");
    let unknown = SAVED.replace("  delay: 0\n", "  network: 0\n");
    let refused = problems(&unknown);
    assert!(refused.contains("no class of RobotSwarmSimulator has the field `network`"), "{refused}");
    let kept = SAVED.replace("pathlib.PosixPath", "neuro.Network");
    assert!(
        warnings(&kept).contains("the Python object `neuro.Network` is unknown: its content is read as plain YAML")
    );
}

/// Compares with the values of version 1.2.5: one row per step; a cell is empty where a metric has no value, and `agent`
/// where its value is an agent. A column without a name belongs to the metric at its place.
fn has_recorded_values(world: &str, table: &str) {
    let mut simulation = simulation(&scene(world)).unwrap();
    let (names, columns) = (simulation.metric_names(), simulation.metric_columns());
    let mut rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let place = |(index, name): (usize, &&str)| {
        let name = if name.is_empty() { names[index].as_str() } else { name };
        let is_of = |column: &String| column.split('.').next() == Some(name);
        columns.iter().position(is_of).unwrap_or_else(|| panic!("no column {name} in {columns:?}"))
    };
    let places: Vec<usize> = header.iter().enumerate().map(place).collect();
    let mut wrong = Vec::new();
    for (row, step) in rows.zip(1..) {
        simulation.step(1);
        let values = simulation.metrics();
        for (cell, place) in row.into_iter().zip(&places) {
            let value = values[*place];
            let same = match cell.parse::<f64>() {
                // The iterations of some fits end elsewhere, and the formula multiplies by the number of robots.
                Ok(recorded) => {
                    let tolerance = if columns[*place].starts_with("circle_fit") { 1e-5 } else { 1e-9 };
                    (value - recorded).abs() <= tolerance * recorded.abs().max(1.0)
                }
                Err(_) if cell == "agent" => value >= 0.0,
                Err(_) => value.is_nan(),
            };
            if !same {
                wrong.push(format!("step {step}, {}: {value} instead of `{cell}`", columns[*place]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! recorded {
    ($name:literal) => {
        has_recorded_values(
            include_str!(concat!("../../../tests/data/robotswarmsimulator/", $name, ".yaml")),
            include_str!(concat!("../../../tests/data/robotswarmsimulator/", $name, ".csv")),
        )
    };
}

/// All metrics that a file can name, with all of their parameters.
#[test]
fn metrics_have_the_recorded_values() {
    recorded!("metrics");
}

/// Formulas over metrics above and below them, templates, and conditions.
#[test]
fn formulas_have_the_recorded_values() {
    recorded!("conditions");
}

/// Metrics that look for an agent, and metrics that wait for others.
#[test]
fn agents_are_found_as_recorded() {
    recorded!("finders");
}
