//! Sweeps whose runs a program drove, and runs that differ from their rows.

use super::*;

const MISSING: &str = "out: the group `millers` had a controller in Python (`mill.act`); ";

#[test]
fn runs_of_controllers_in_python_are_not_repeated_without_them() {
    let place = Place::new();
    let sweep = "sweep milling --vary groups.millers.count=4,6 --repeat 1 --steps 20 -q";
    place.expect(0, &format!("{sweep} -o out"));
    place.expect(0, &format!("{sweep} -o other"));
    place.write("out/controllers.json", "{\"millers\": \"mill.act\"}");
    let repeats = format!("{MISSING}`swarmarium.open_sweep(\"out\", controllers=…)` repeats its runs");
    for command in
        ["run out/runs/2-1 -o again", "record out/runs/2-1 -o a.apng --frames 1", "figure out/runs/2-1 --at 5 -o a.svg"]
    {
        let said = place.expect(2, command);
        assert!(said.stderr.contains(&repeats), "{command}: {}", said.stderr);
        assert!(!place.has("again") && !place.has("a.apng") && !place.has("a.svg"), "{command}");
    }
    let said = place.expect(2, "sweep ./out --repeat 2 --resume");
    let adds = format!("{MISSING}`swarmarium.sweep(\"./out\", resume=True, controllers=…)` adds runs");
    assert!(said.stderr.contains(&adds.replacen("out", "./out", 1)), "{}", said.stderr);
    // The runs of both are not put together in either order.
    let differ = "the folders have different controllers in Python: the group `millers` had";
    for (command, message) in [
        ("sweep merge out other", format!("other: {differ} no controller here, and `mill.act` in out")),
        ("sweep merge other out", format!("out: {differ} `mill.act` here, and no controller in other")),
    ] {
        let said = place.expect(2, command);
        assert!(said.stderr.contains(&message), "{command}: {}", said.stderr);
    }
    place.expect(0, "sweep merge out -o whole -q");
    assert_eq!(place.read("whole/controllers.json"), "{\n  \"millers\": \"mill.act\"\n}\n");
    assert!(place.expect(2, "run whole/runs/1-1").stderr.contains("had a controller in Python"));
    // A new sweep in the folder has none.
    place.expect(0, &format!("{sweep} -o out --overwrite"));
    assert!(!place.has("out/controllers.json"));
    place.expect(0, "run out/runs/2-1 -o again -q");
}

#[test]
fn a_repeated_run_that_differs_from_its_row_has_an_exit_status() {
    let place = Place::new();
    place.expect(0, "sweep milling --repeat 2 --steps 20 -q -o out");
    place.expect(0, "run out/runs/1-1 -o same -q");
    let scene = place.read("out/scene.ron");
    let slower = scene.replace("v_m_per_s: 0.27", "v_m_per_s: 0.26");
    assert_ne!(scene, slower);
    place.write("out/scene.ron", slower);
    let said = place.expect(4, "run out/runs/1-1 -o other");
    assert!(said.stderr.contains("out/runs/1-1: the hash of the state after step 20 is "), "{}", said.stderr);
    assert!(said.stderr.contains(&format!("runs.csv has the hash {}", hashes(&place, "out")[0].1)), "{}", said.stderr);
    // Before the end of the row, and with another value, there is nothing to compare with.
    place.expect(0, "run out/runs/1-1 --steps 10 -o short -q");
    place.expect(0, "run out/runs/1-1 --set groups.millers.count=5 -o set -q");
    place.expect(4, "record out/runs/1-1 -o a.apng --duration 1 -q --size 160x120");
    place.expect(0, "record out/runs/1-1 -o b.apng --frames 2 -q --size 160x120");
}
