//! Runs that a plan keeps, and their addresses.

use super::*;

#[test]
fn runs_are_kept_where_the_plan_says_so() {
    let place = place();
    place.expect(0, "sweep a.sweep.ron -o out --keep first -q");
    assert_eq!(place.names("out/runs"), ["1-1", "2-1", "3-1", "4-1", "5-1", "6-1"]);
    let hash = place.json("out/runs/2-1/manifest.json")["final_state_hash"].clone();
    let runs = place.read("out/runs.csv");
    assert!(runs.lines().nth(5).unwrap().contains(hash.as_str().unwrap()), "{runs}");
}

#[test]
fn kept_runs_are_those_of_the_table_after_every_change() {
    let place = Place::new();
    let sweep = |more: &str| place.expect(0, &format!("sweep milling --steps 50 -q -o out {more}"));
    sweep("--vary groups.millers.count=4,6 --repeat 2 --keep all");
    assert_addresses_are_rows(&place, "out");
    // The same points in another order, with fewer kept runs, without any, and fewer points.
    for change in ["6,4 --repeat 2 --keep all", "4,6 --repeat 2 --keep first", "6,4 --repeat 1", "6 --repeat 1"] {
        sweep(&format!("--vary groups.millers.count={change} --resume"));
        assert_addresses_are_rows(&place, "out");
    }
    let said = place.expect(2, "run out/runs/2-1");
    assert!(said.stderr.contains("the sweep has 1 points and 1 repetitions"), "{}", said.stderr);
    // A run that the window saved with branches stays, and the address is still that of the row.
    sweep("--vary groups.millers.count=4,6 --repeat 1 --keep all --resume");
    place.write("out/runs/1-1/timeline.ron", "(present: \"main\", branches: [(name: \"main\", steps: 10)])");
    place.write("out/runs/1-1/manifest.json", place.read("out/runs/1-1/manifest.json").replace(": 50", ": 10"));
    let said = sweep("--vary groups.millers.count=4,6 --repeat 1 --keep all --resume");
    assert!(said.stderr.contains("out/runs/1-1 has branches"), "{}", said.stderr);
    place.expect(0, "run out/runs/1-1 -q -o again --overwrite");
    assert_eq!(hash_of(&place, "again"), hashes(&place, "out")[0].1);
}

#[test]
fn a_kept_run_that_is_incomplete_is_run_again() {
    let place = Place::new();
    place.expect(0, "sweep milling --repeat 2 --steps 50 --keep all -q -o out");
    let cut = || {
        for (name, text) in [("manifest.json", None), ("metrics.csv", Some("step,t_s\n"))] {
            let path = format!("out/runs/1-1/{name}");
            fs::remove_file(place.path(&path)).unwrap();
            place.write(&format!("{path}.partial"), text.unwrap_or("   "));
        }
    };
    cut();
    assert_eq!(place.expect(0, "run out/runs/1-1 -q -o again").code, Some(0));
    assert_eq!(hash_of(&place, "again"), hashes(&place, "out")[0].1);
    // The name of the folder alone, and a link to it, are the address, too.
    let mut inside = place.command("run 1-1 -q -o ../../inside");
    assert!(inside.current_dir(place.path("out/runs")).status().unwrap().success());
    assert_eq!(hash_of(&place, "inside"), hash_of(&place, "again"));
    place.expect(0, "sweep ./out --resume -q");
    assert_eq!(place.read("out/runs/1-1/metrics.csv").lines().count(), 1 + 50);
    assert_addresses_are_rows(&place, "out");
}
