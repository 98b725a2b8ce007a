//! `share --html`: a run as a page.

use super::Place;

#[test]
fn a_page_of_a_scene_is_the_same_every_time() {
    let place = Place::new();
    let said = place.expect(0, "share milling --seed 7 --duration 5 --html a.html");
    assert!(said.stderr.contains("6 robots, 5 s in 51 frames"), "{}", said.stderr);
    place.expect(0, "share milling --seed 7 --duration 5 --html b.html --threads 3 -q");
    assert_eq!(place.read("a.html"), place.read("b.html"));
    place.expect(0, "share milling --seed 8 --duration 5 --html c.html -q");
    assert_ne!(place.read("a.html"), place.read("c.html"));
    let page = place.read("a.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("swarmarium open milling.ron"));
    place.expect(0, "share milling --duration 5 --rate 2 --html d.html -q");
    assert!(place.read("d.html").len() < page.len());
}

#[test]
fn a_page_of_a_run_folder_has_its_edits_and_its_length() {
    let place = Place::new();
    place.write("edits.ron", "[(step: 40, edit: Move(agent: 0, x_m: 2, y_m: 2, heading_rad: 0))]");
    place.expect(0, "run milling --seed 5 --steps 120 --edits edits.ron -o run -q");
    let said = place.expect(0, "share run --html run.html");
    assert!(said.stderr.contains("6 robots, 3 s in 31 frames"), "{}", said.stderr);
    assert!(place.read("run.html").contains("swarmarium open milling.swarm"));
}

#[test]
fn a_page_and_a_shared_scene_can_be_written_together() {
    let place = Place::new();
    place.expect(0, "share milling --duration 1 -o m.swarm --html m.html -q");
    assert!(place.has("m.swarm") && place.has("m.html"));
    let again = place.expect(2, "share milling --duration 1 --html m.html").stderr;
    assert!(again.contains("m.html: exists already; --overwrite replaces it"), "{again}");
    place.expect(0, "share milling --duration 1 --html m.html --overwrite -q");
    let page = place.expect(2, "share milling -o n.html").stderr;
    assert!(page.contains("n.html: cannot be written: expected a file `.swarm`; --html writes a page"), "{page}");
    // Nothing is written if the options of the page are wrong.
    let wrong = place.expect(2, "share milling --duration 1 -o n.swarm --html n.html --rate 0").stderr;
    assert!(
        wrong.contains("--rate: expected a number from 0.01 to 1000") && !place.has("n.swarm") && !place.has("n.html"),
        "{wrong}"
    );
}

#[test]
fn pages_with_bad_flags_are_refused_before_the_run() {
    let place = Place::new();
    let refused = |flags: &str| place.expect(2, &format!("share milling {flags}")).stderr;
    assert!(refused("").contains("--html"));
    assert!(refused("--html m.txt").contains("m.txt: cannot be written: expected a file `.html`"));
    assert!(refused("--html m.html --rate 0").contains("--rate: expected a number from 0.01 to 1000, found 0"));
    assert!(refused("--html m.html --color-by speed").contains("expected group or state"));
    assert!(refused("-o m.swarm --rate 5").contains("--html"));
    assert!(place.names("").is_empty(), "{:?}", place.names(""));
}
