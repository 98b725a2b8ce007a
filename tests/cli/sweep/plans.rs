//! Plans: their values, and their mistakes.

use super::*;

#[test]
fn plans_with_mistakes_are_refused_with_places_and_nothing_is_written() {
    let place = Place::new();
    let mistakes = [
        (
            "factors: [(path: \"groups.miler.count\", values: List([4]))]",
            "bad.sweep.ron:3:22: factors[0].path: groups.miler.count: `groups` has no `miler`; did you mean `millers`?",
        ),
        (
            "factors: [(path: \"groups.millers.count\", values: List([]))]",
            "factors[0].values: the factor has no values",
        ),
        (
            "factors: [(path: \"groups.millers.count\", values: List([4, -3]))]",
            "bad.sweep.ron:3:63: factors[0].values[0][1]: -3: groups.millers.count: expected an integer from 0 to 1000000",
        ),
        (
            "factors: [(path: \"groups.millers.body.radius_m\", values: Range(from: 1.0, to: 1.0, count: 5))]",
            "factors[0].values: the range from 1 to 1 is empty",
        ),
        (
            "factors: [(path: \"groups.millers.count\", values: List([4])), (path: \"groups[0].count\", values: List([5]))]",
            "factors[1].path: `groups[0].count` is varied by `groups.millers.count`, too",
        ),
        (
            "factors: [(path: \"seed\", values: Range(from: 1, to: 1000, count: 1000)), \
             (path: \"groups.millers.count\", values: Range(from: 1, to: 1000, count: 1000))]",
            "sampling: 1000000 points: a sweep has at most 100000",
        ),
        ("measures: [(name: \"x\", of: \"circlines\")]", "did you mean `circliness`"),
        (
            "measures: [(name: \"x\", of: \"circliness\", take: Reached())]",
            "expected a condition such as `circliness > 0.9`",
        ),
        ("measures: [(name: \"x\", of: \"circliness >\")]", "measures[0].of: not an expression"),
        (
            "factors: [(path: \"groups.millers.body.radius_m\", values: List([0.1, 0.10]))]",
            "points 1 and 2 have the same values",
        ),
        (
            "factors: [(path: \"metrics[0]\", values: List([Circliness(), Centroid()]))]",
            "the metrics differ from those of the first point",
        ),
        (
            "factors: [(path: \"groups.millers.controller.sensor\", values: List([0, 5]))]",
            "factors[0].values[0][1]: 5: groups[0].controller.sensor: the controller listens to sensor 5",
        ),
        (
            "factors: [(path: \"groups.millers.count\", values: List([4, 5]), linked: [(path: \"seed\")])]",
            "factors[0].linked[0].path: the seed is a factor by the name `seed` alone",
        ),
        ("measures: [(name: \"seed\", of: \"circliness\")]", "the tables have another column `seed`"),
        (
            "stop: (steps: 10), measures: [(name: \"circliness\", take: Mean, over: Between(5.0, 9.0))]",
            "the window begins at 5 s, and runs end at 0.25 s",
        ),
        (
            "measures: [(name: \"t\", of: \"circliness > 0.5\", take: TimeUntil())], expect: [(measure: \"t\", value: 3.0)]",
            "expect[0].statistic: Mean is not a statistic of a time until",
        ),
        ("repetitons: 3", "Plan has no field `repetitons`; did you mean `repetitions`?"),
        ("repetitions: 0", "repetitions: expected a"),
        ("seeds: List([1, 1])", "seeds: a seed stands twice"),
        ("sampling: Sobol(points: 0)", "sampling.points: expected"),
        (
            "expect: [(measure: \"circlines\", value: 1.0)]",
            "there is no measure `circlines`; did you mean `circliness`?",
        ),
        (
            "stop: (when: \"circlines > 1\")",
            "bad.sweep.ron:3:18: stop.when: unknown name `circlines`; did you mean `circliness`?",
        ),
        (
            "factors: [(path: \"groups.millers.count\", values: List([4, 5, 6, 7]), linked: [(path: \
             \"groups.millers.body.radius_m\", value: \"-x\")])]",
            "factors[0].linked[0].value: with 4 for `groups.millers.count`: groups.millers.body.radius_m: expected a number",
        ),
        ("set: [(path: \"groups.millers.colour\", value: 1)]", "set[0].path: "),
    ];
    for (field, message) in mistakes {
        place.write("bad.sweep.ron", format!("Plan(\n    scene: \"milling\",\n    {field},\n)\n"));
        let said = place.expect(2, "sweep bad.sweep.ron -o out");
        eprintln!("{}", said.stderr);
        assert!(said.stderr.contains(message), "{field}\n{}", said.stderr);
        // A linked parameter has one problem for all values.
        assert!(!said.stderr.contains("with 5 for"), "{}", said.stderr);
        assert!(!place.has("out") && !place.has("sweeps"), "{field}");
    }
}

#[test]
fn names_and_paths_of_plans_are_suggested_by_their_last_parts() {
    let place = Place::new();
    place.write("bad.sweep.ron", "Plan(\n    scene: \"gauci\",\n)\n");
    for (arguments, message) in [
        ("bad.sweep.ron", "bad.sweep.ron:2:12: scene: gauci: there is no such file"),
        ("bad.sweep.ron", "; did you mean `papers/gauci`?"),
        (
            "vicsek",
            "vicsek: there is no such file, and no shipped plan or scene of this name; did you mean `papers/vicsek`?",
        ),
        ("milling --vary count=4,6", "count: `Scene` has no `count`; did you mean `groups.millers.count`?"),
        (
            "milling --vary groups.millers.sensors[0].noise.false_positive=0,0.1",
            "has no `false_positive`: the list is empty; `groups.millers.sensors[0].noise=[Flip()]` fills it",
        ),
    ] {
        let said = place.expect(2, &format!("sweep {arguments}"));
        assert!(said.stderr.contains(message), "{arguments}\n{}", said.stderr);
    }
}

#[test]
fn constants_are_known_in_linked_parameters() {
    let place = Place::new();
    let linked = "linked: [(path: \"groups.millers.sensors[0].half_angle_rad\", value: \"pi / x\")]";
    let factors = format!("factors: [(path: \"groups.millers.count\", values: List([4, 6]), {linked})]");
    place.write("pi.sweep.ron", format!("Plan(scene: \"milling\", {factors}, stop: (steps: 5))"));
    place.expect(0, "sweep pi.sweep.ron -o out -q");
    place.expect(0, "run out/runs/2-1 -o run -q");
    assert!(place.read("run/scene.ron").contains("half_angle_rad: 0.523598"), "{}", place.read("run/scene.ron"));
}

#[test]
fn a_window_that_is_longer_than_a_run_is_named() {
    let place = Place::new();
    let told = |measure: &str| {
        let mut command = place.command("sweep milling --repeat 1 --dry-run --duration 60 --measure");
        String::from_utf8(command.arg(measure).output().unwrap().stderr).unwrap()
    };
    let long = told("mean circliness over last 200");
    assert!(long.contains("warning: --measure: measure `"), "{long}");
    assert!(long.contains("a run lasts 60 s: `over last 200` is the whole run"), "{long}");
    assert!(!told("mean circliness over last 60").contains("whole run"));
}

#[test]
fn letters_that_figures_lack_are_named_before_the_runs() {
    let place = Place::new();
    let factor = "(path: \"groups.millers.count\", values: List([4, 6]), label: \"群れ\")";
    let measure = "(name: \"θ ∥\", of: \"circliness\", take: Mean)";
    place.write("p.sweep.ron", format!("Plan(scene: \"milling\",\n measures: [{measure}],\n factors: [{factor}])"));
    let texts = [
        "measures[0].name: the font of figures has no `∥` of `θ ∥`",
        "factors[0].label: the font of figures has no `群`",
    ];
    for command in ["check p.sweep.ron", "sweep p.sweep.ron --dry-run"] {
        let said = place.expect(0, command).stderr;
        assert!(texts.iter().all(|text| said.contains(text)), "{command}: {said}");
        assert!(said.contains("warning: p.sweep.ron:2:"), "{command}: {said}");
    }
    assert!(place.expect(0, "sweep p.sweep.ron --dry-run -q").stderr.is_empty());
}

#[test]
fn factor_values_are_words_texts_and_kinds() {
    let place = Place::new();
    let mut command = place.command("sweep milling --steps 5 -o out -q --vary arena.boundary=Open,Walls --vary");
    command.arg("name=red robot,\"a, b\"");
    command.arg("--vary=groups.millers.spawn=UniformDisc(radius_m: 1.0),UniformBox(min_m: (4, 4), max_m: (6, 6))");
    let said = command.output().unwrap();
    assert!(said.status.success(), "{said:?}");
    assert_eq!(place.read("out/runs.csv").lines().count(), 1 + 8);
    // The plan reads back.
    place.expect(0, "sweep out --resume -q");
    place.expect(0, "run out/runs/8-1 --steps 1 -o run -q");
}

#[test]
fn plans_and_scenes_are_told_apart() {
    let place = place();
    let said = place.expect(2, "run a.sweep.ron");
    assert!(said.stderr.contains("is a plan: `swarmarium sweep a.sweep.ron` runs it"), "{}", said.stderr);
    let said = place.expect(2, "sweep rendezvous");
    assert!(said.stderr.contains("is a scene: --vary, --repeat or --seeds make a sweep of it"), "{}", said.stderr);
    let said = place.expect(0, "sweep milling --dry-run");
    assert!(said.stdout.contains("400 points"), "the plan of the same name: {}", said.stdout);
    let said = place.expect(2, "sweep miling.sweep");
    assert!(said.stderr.contains("did you mean `milling.sweep`?"), "{}", said.stderr);
    assert!(place.expect(0, "check a.sweep.ron").stdout.contains("a.sweep.ron: ok; 6 points × 4 repetitions"));
    assert!(place.expect(0, "list plans").stdout.contains("milling.sweep"));
}
