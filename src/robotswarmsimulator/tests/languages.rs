//! Expressions, templates, tables and conditions of world files, as strangers write them.

use super::*;

const FOLDER: &str = "../../tests/data/robotswarmsimulator/expressions";

/// The scene of a file, with its warnings.
fn file(name: &str) -> (Scene, String) {
    let path = format!("{FOLDER}/{name}.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let imported = import(&kinds(), &path, &text).unwrap_or_else(|problems| panic!("{problems}"));
    (imported.scene, lines(imported.warnings))
}

fn poses(scene: &Scene) -> Vec<[f64; 3]> {
    let table = scene.groups[0].spawn.value().downcast_ref::<Table>().unwrap();
    table.rows.iter().map(|row| [row.x_m, row.y_m, row.heading_rad.unwrap()]).collect()
}

#[test]
fn tables_open_by_relpath_and_as_they_are_exported() {
    let (scene, _) = file("relpath_table");
    assert_eq!(poses(&scene), [[1.0, 2.0, 0.1], [3.0, 4.5, 1.5], [5.0, 1.0, -2.0]]);
    let table = scene.groups[0].spawn.value().downcast_ref::<Table>().unwrap();
    assert_eq!(table.file, "a.xlsx");
    let text = std::fs::read_to_string(format!("{FOLDER}/relpath_table.yaml")).unwrap();
    for name in
        ["exported.xlsx", "!relpath exported.xlsx", "!relpath ./exported.xlsx", "!relpath exported.xlsx, sheet: -1"]
    {
        let text = text.replace("!relpath a.xlsx", name);
        let imported =
            import(&kinds(), &format!("{FOLDER}/w.yaml"), &text).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(poses(&imported.scene), [[5.0, 5.0, 0.5], [2.5, 1.0, -1.5], [3.0, 4.0, -0.25]], "{name}");
        assert!(lines(imported.warnings).contains("the column `name` is ignored"), "{name}");
    }
    let missing = import(&kinds(), &format!("{FOLDER}/w.yaml"), &text.replace("a.xlsx", "b.xlsx")).unwrap_err();
    assert!(missing.to_string().contains("there is no file"), "{missing}");
}

#[test]
fn expressions_and_templates_make_positions() {
    let (np, _) = file("np_slice");
    assert_eq!(np.groups[0].at, [Placement { x_m: 2.0, y_m: 1.0, heading_rad: std::f64::consts::SQRT_2 }]);
    let (jinja, told) = file("jinja_do");
    assert_eq!(jinja.groups[0].at, [Placement { x_m: 3.0, y_m: 4.0, heading_rad: 0.0 }]);
    assert_eq!(told, "");
    for (position, expected) in [
        ("!np full(2, 3)", [3.0, 3.0]),
        ("!np array([[1, 2], [3, 4]]) @ array([1, 0])", [1.0, 3.0]),
        ("!np np.max([[1, 5], [4, 2]], axis=0)", [4.0, 5.0]),
        ("[true, 2]", [1.0, 2.0]),
        ("!np \"[True, 2]\"", [1.0, 2.0]),
        ("[1e0, '2']", [1.0, 2.0]),
        ("!np array([1, 2, 3])[[True, False, True]]", [1.0, 3.0]),
        ("[<{ '%.1f' % 1.26 }>, <{ '%d'|format(7) }>]", [1.3, 7.0]),
        ("<{ np.linspace(0, 1, 3)[1:].tolist() }>", [0.5, 1.0]),
        ("[<% for i in range(9) %><% if i == 2 %><% break %><% endif %><{ i }>,<% endfor %>]", [0.0, 1.0]),
    ] {
        let scene = scene(&world(&format!("agents:\n- type: MazeAgent\n  position: {position}\n")));
        let at = scene.groups[0].at[0];
        assert_eq!([at.x_m, at.y_m], expected, "{position}");
    }
}

#[test]
fn indices_count_from_the_end() {
    let with = |sensor: &str| {
        let sensors = "sensors: [{type: BinaryFOVSensor}, {type: BinaryFOVSensor}]";
        let controller = format!("{{type: BinaryController, a: [1e0, 0], b: [0.2, 1], {sensor}}}");
        world(&format!("agents:\n- {{type: MazeAgent, {sensors}, controller: {controller}}}\n"))
    };
    for (sensor, expected) in [("sensor_id: -1", 1), ("sensor_id: -2", 0), ("sensor_id: 1", 1), ("sensor_id: true", 1)]
    {
        let binary: Binary = one(&scene(&with(sensor)).groups[0].controller);
        assert_eq!(binary.sensor, expected, "{sensor}");
        assert_eq!(binary.clear.v_m_per_s, 1.0, "{sensor}");
    }
    let refused = problems(&with("sensor_id: -3"));
    assert!(refused.contains("sensor_id: expected a whole number from -2 to 1, found -3"), "{refused}");
}

#[test]
fn a_variable_without_a_value_is_named_before_other_problems() {
    let told =
        problems("type: RectangularWorld\nseed: 1\nagents:\n- {type: MazeAgent, position: [<{ x }>, <{ y }> 1}\n");
    let mut lines = told.lines();
    assert!(lines.next().unwrap().starts_with("w.yaml:4:35: template: the variable `x` has no value"), "{told}");
    assert!(lines.next().unwrap().contains("the variable `y` has no value"), "{told}");
    assert!(lines.next().unwrap().contains("not valid YAML"), "{told}");
    let told = problems(&world("agents:\n- {type: MazeAgent, agent_radius: a<{ radius }>}\n"));
    assert!(told.lines().next().unwrap().contains("the variable `radius` has no value"), "{told}");
}

#[test]
fn unknown_metrics_are_left_out() {
    let agents = "agents: [{type: MazeAgent}]\n";
    let text = world(&format!(
        "{agents}metrics:\n- {{type: Circliness}}\n- {{type: OwnSpacing, clamp: [0, 1]}}\n\
         - {{type: JinjaMetric, expression: 'world.metrics[1].value * 2'}}\n\
         - {{type: StepsUntil, metric: {{type: OwnSpacing}}}}\n\
         - {{type: AndMetrics, metrics: [{{type: Own}}, {{type: Circliness}}]}}\n\
         - {{type: JinjaMetric, expression: 'world.metrics[0].value * 2'}}\n"
    ));
    let scene = scene(&text);
    let columns = simulation(&scene).unwrap().metric_columns();
    assert_eq!(columns.len(), 3, "{columns:?}");
    let told = warnings(&text);
    assert!(told.contains("RobotSwarmSimulator has no metric `OwnSpacing`. It is left out"), "{told}");
    assert!(told.contains("left out: a metric that it names is left out"), "{told}");
    assert!(told.contains("left out: a metric that it is made from is left out"), "{told}");
    let stop = warnings(&world(&format!("{agents}metrics: [{{type: Own}}]\nstop_at: world.metrics[0].value > 1\n")));
    assert!(stop.contains("stop_at: cannot be imported, ignored: a metric that it names is left out"), "{stop}");
    let near = warnings(&world(&format!("{agents}metrics: [{{type: Circlines}}]\n")));
    assert!(near.contains("did you mean `Circliness`?"), "{near}");
}

#[test]
fn unknown_spawners_objects_and_worlds_have_stand_ins() {
    let text = "type: LabWorld
size: [8, 8]
seed: 1
gravity: 9.81
spawners:
- {type: SpiralSpawner, n: 4, turns: 3, agent: {type: MazeAgent, position: [2, 2], agent_radius: 0.1}}
- {type: UniformAgentSpawnr, n: 3, region: [[4, 4], [6, 6]], agent: {type: MazeAgent, agent_radius: 0.1}}
- {type: RingSpawner, n: 2, inner_radius: 1, outer_radius: 2, agent: {type: MazeAgent, agent_radius: 0.1}}
- {type: DiscSpawner, n: 2, center: [1, 1], radius: 0.5, agent: {type: MazeAgent, agent_radius: 0.1}}
- {type: AgentSpawner, agent: {type: MazeAgent, position: [7, 7]}}
- {type: EmptySpawner, n: 5}
objects:
- {type: Rock, position: [1, 5], agent_radius: 0.25, mass: 3}
- {type: Weather, wind: 3}
";
    insta::assert_snapshot!(warnings(text), @"
    w.yaml:1:7: RobotSwarmSimulator has no world `LabWorld`. It is read as a `RectangularWorld`: what its class adds is left out
    w.yaml:4:1: gravity: unknown key, ignored
    w.yaml:6:10: spawners[0]: RobotSwarmSimulator has no spawner `SpiralSpawner`. Its agents start around the `position` of their `agent`, without overlap
    w.yaml:7:10: spawners[1]: RobotSwarmSimulator has no spawner `UniformAgentSpawnr`; did you mean `UniformAgentSpawner`? It is read as a `UniformAgentSpawner`, whose fields it has
    w.yaml:8:10: spawners[2]: RobotSwarmSimulator has no spawner `RingSpawner`. It is read as a `DonutAgentSpawner`, whose fields it has
    w.yaml:9:10: spawners[3]: RobotSwarmSimulator has no spawner `DiscSpawner`. It is read as a `UniformCircleAgentSpawner`, whose fields it has
    w.yaml:10:10: spawners[4]: the spawner `AgentSpawner` is only a base for others. Its agents start around the `position` of their `agent`, without overlap
    w.yaml:11:10: spawners[5]: RobotSwarmSimulator has no spawner `EmptySpawner`. It is left out: it has no `agent`
    w.yaml:13:10: objects[0]: RobotSwarmSimulator has no object `Rock`. It is read as a `StaticObject` with the place and the form that its fields give
    w.yaml:14:10: objects[1]: RobotSwarmSimulator has no object `Weather`. It is left out: it has no `position`, `points` or `agent_radius` for a stand-in
    ");
    let scene = scene(text);
    let counts: Vec<u32> = scene.groups.iter().map(|group| group.count).collect();
    assert_eq!(counts, [4, 3, 2, 2, 1]);
    assert_eq!(one::<_, Disc>(&scene.objects[0]), Disc { center_m: DVec2::new(1.0, 5.0), radius_m: 0.25 });
    assert_eq!(scene.objects.len(), 1);
    assert!(simulation(&scene).is_ok());
}
