//! Spawners, and metrics.

use crate::standard::FromScene as _;

use super::*;

const SPAWNERS: &str = "\
x-robot: &robot {type: MazeAgent, name: r, position: [1, 2], angle: 0.5, agent_radius: 0.1}
spawners:
  - {type: UniformAgentSpawner, n: 6, facing: away, region: [[4, 3], [4, 5], [6, 5], [6, 3]], agent: *robot}
  - {type: UniformAgentSpawner, facing: [1, 1], region: [6, 5, 4, 3], agent: *robot}
  - {type: UniformCircleAgentSpawner, n: 3, center: [4, 4], radius: 1.5, facing: random, agent: *robot}
  - {type: PointAgentSpawner, n: 5, avoid_overlap: true, agent: {<<: *robot, name: s}}
metrics:
  - {type: AverageSpeedBehavior}
  - {type: GroupRotationBehavior}
  - {type: Circliness, avg_history_max: 450}
  - {type: Aggregation}
  - {type: ScatterBehavior, regularize: no}
";

#[test]
fn carries_spawners_and_metrics_over() {
    let scene = scene(&world(SPAWNERS));
    let groups: Vec<_> = scene.groups.iter().map(|group| (group.name.as_str(), group.count)).collect();
    assert_eq!(groups, [("r", 6), ("r-2", 1), ("r-3", 3), ("s", 5)]);
    assert!(scene.groups.iter().all(|group| group.at.is_empty()));
    let first: UniformBox = one(&scene.groups[0].spawn);
    assert_eq!(first.min_m, DVec2::new(4.0, 3.0));
    assert_eq!(first.max_m, DVec2::new(6.0, 5.0));
    let second: UniformBox = one(&scene.groups[1].spawn);
    assert_eq!(second.min_m, first.min_m);
    assert_eq!(second.max_m, first.max_m);
    let disc: UniformDisc = one(&scene.groups[2].spawn);
    assert_eq!(disc.center_m, DVec2::splat(4.0));
    assert_eq!(disc.radius_m, 1.5);
    let point: Point = one(&scene.groups[3].spawn);
    assert_eq!(point.position_m, DVec2::new(1.0, 2.0));
    let common: Vec<_> =
        scene.groups.iter().map(|group| group.spawn.common()).map(|own| (own.facing, own.avoid_overlap)).collect();
    let towards = Facing::Point { at_m: DVec2::ONE, random_at_m: None };
    let facing = [Facing::Away, towards, Facing::Random, Facing::Heading { rad: 0.5 }];
    assert_eq!(common, facing.map(|facing| (facing, facing == Facing::Heading { rad: 0.5 })));
    let metrics: Vec<_> =
        scene.metrics.iter().map(|metric| metric.value().reflect_short_type_path().to_string()).collect();
    assert_eq!(metrics, ["AverageSpeed", "GroupRotation", "Circliness", "Aggregation", "Scatter"]);
    let (circliness, scatter): (Circliness, Scatter) = (one(&scene.metrics[2]), one(&scene.metrics[4]));
    assert_eq!(circliness.window_steps, 450);
    assert!(!scatter.regularized);
    insta::assert_snapshot!(warnings(&world(SPAWNERS)), @"
    w.yaml:3:1: x-robot: unknown key, ignored
    ");
}

/// All metrics with a counterpart, and composite ones with inner metrics.
#[test]
fn carries_all_metrics_over() {
    let simple =
        "AverageSpeedBehavior AngularMomentumBehavior ScatterBehavior GroupRotationBehavior EntityLen Circliness
        TotalCollisionsBehavior RadialVarianceMetric Fatness Fatness2 Tangentness RoutRin Aggregation
        InstantLSQCircularity InstantHyperLSQCircularity InstantRiemannCircularity InstantLMCircularity
        InstantPrattSVDCircularity InstantTaubinSVDCircularity InstantHyperSVDCircularity InstantKMHCircularity
        DistanceSizeRatio DelaunayDiffusion InteragentDispersion ExplodingDispersion ConvexHull InverseConvexHull
        Centroid Orbit AlgebraicConn CirclePacking";
    let list: String = simple.split_whitespace().map(|name| format!("  - {{type: {name}}}\n")).collect();
    let text = format!(
        "metrics:\n{list}
  - {{type: Fatness, name: my fat, scale: 0.5}}
  - {{type: AndMetrics, metrics: [{{type: EntityLen}}, {{type: Fatness}}]}}
  - {{type: StepsUntil, metric: {{type: EntityLen}}, sentinel: 3}}
  - {{type: StepsUntil, metric: {{type: Circliness}}, until_expression: metric.value > 0.5}}
  - {{type: JinjaMetric, metrics: [{{type: Tangentness}}], expression: '{{{{ metrics[0].value + world.metrics[8].value }}}}'}}
  - {{type: AnyAgent, expression: 'agent.pos[0] > 5 and not agent.collided', value_on_found: 3}}
"
    );
    let scene = scene(&world(&text));
    // An `AnyAgent` outside of `StepsUntil` has a formula that remembers.
    assert_eq!(scene.metrics.len(), simple.split_whitespace().count() + 1 + 3 + 2 + 2 + 2 + 2);
    let fatness: swarmarium_kinds::metric::fatness::Fatness = one(&scene.metrics[31]);
    assert_eq!(fatness.scale, 0.5);
    assert_eq!(scene.metrics[31].common().label.as_str(), "my_fat");
    let all: swarmarium_kinds::metric::all_of::AllOf = one(&scene.metrics[34]);
    assert_eq!(all.conditions, ["agents_2", "fatness_2"]);
    let until: swarmarium_kinds::metric::steps_until::StepsUntil = one(&scene.metrics[36]);
    assert_eq!(until.until, "(agents_3 == 3.0)");
    let formula: swarmarium_kinds::metric::formula::Formula = one(&scene.metrics[40]);
    assert_eq!(formula.value, "(tangentness_2 + fatness)");
    let any: swarmarium_kinds::metric::any_agent::AnyAgent = one(&scene.metrics[41]);
    assert_eq!(any.when.as_str(), "((x_m > 5) and (not collided))");
    assert_eq!(any.value.as_str(), "3.0");
    // The simulation gives the metrics the same names.
    let mut simulation = swarmarium_simulation::Simulation::new(&scene).unwrap();
    simulation.step(2);
    assert!(simulation.metric_names().iter().any(|name| name == "agents_3"));
}

#[test]
fn carries_rings_and_polygons_over() {
    let scene = scene(&world(
        "\
x-robot: &robot {type: MazeAgent}
spawners:
  - {type: DonutAgentSpawner, n: 4, agent: *robot}
  - {type: UniformAgentSpawner, region: [[0, 0], [4, 0], [0, 4]], agent: *robot}
  - {type: UniformAgentSpawner, region: [[0, 0], [4, 4]], holes: [[[1, 1], [2, 1], [1, 2]]], agent: *robot}
  - {type: UniformAgentSpawner, region: [[0, 0], [4, 4]], holes: [[1, 1], [2, 1], [1, 2]], agent: *robot}
",
    ));
    let ring: Annulus = one(&scene.groups[0].spawn);
    assert_eq!(ring.center_m, DVec2::splat(5.0));
    assert_eq!(ring.inner_radius_m, 4.0);
    assert_eq!(ring.outer_radius_m, 6.0);
    assert!(ring.classic && scene.groups[0].count == 4);
    let polygon: Polygon = one(&scene.groups[1].spawn);
    assert_eq!(polygon.corners_m.len(), 3);
    assert_eq!(polygon.holes_m.len(), 0);
    let [one_hole, the_same]: [Polygon; 2] = [one(&scene.groups[2].spawn), one(&scene.groups[3].spawn)];
    assert_eq!(one_hole.corners_m.len(), 4);
    assert_eq!(one_hole.holes_m.len(), 1);
    assert_eq!(one_hole, the_same);
}

#[test]
fn carries_tables_over() {
    let folder = tempfile::tempdir().unwrap();
    let csv = "name,position,angle\na,\"[1, 2 / 4]\",pi / 2\nb,\"(3, 4)\",\nc,\"[5, 6]\",1\n";
    std::fs::write(folder.path().join("poses.csv"), csv).unwrap();
    std::fs::write(folder.path().join("bad.csv"), "position\n\"[1, x]\"\n").unwrap();
    let read = |spawner: &str| {
        let text =
            world(&format!("spawners: [{{type: ExcelSpawner, agent: {{type: MazeAgent, angle: 3}}, {spawner}}}]"));
        let name = folder.path().join("w.yaml");
        import(&kinds(), &name.display().to_string(), &text)
    };
    let scene = read("file_name: poses.csv, n: 2").unwrap().scene;
    let Table { rows, .. } = one(&scene.groups[0].spawn);
    let row = |x_m, y_m, heading_rad| TableRow { x_m, y_m, heading_rad: Some(heading_rad) };
    assert_eq!(rows, [row(1.0, 0.5, std::f64::consts::FRAC_PI_2), row(3.0, 4.0, 3.0)]);
    assert_eq!(scene.groups[0].agents(), 2);
    let problems = read("file_name: bad.csv").unwrap_err().problems;
    assert_eq!(problems[0].message, "`bad.csv`, row 2, `position`: expected a point such as `[1, 2]`, found `[1, x]`");
}
