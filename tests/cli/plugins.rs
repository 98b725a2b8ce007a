//! The command line in a program with kinds of its own.

use bevy::prelude::App;
use swarmarium::cli::list::{self, Listing};
use swarmarium::cli::{self, Exit};
use swarmarium::prelude::*;

use super::Place;

/// Reads the same number whatever there is.
#[kind]
struct Same {
    /// The reading.
    alone_m: f64,
}

impl Sensor for Same {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn read(&self, (): &(), _: &mut NoMemory, _: Viewpoint, reading: &mut [f64]) {
        reading[0] = self.alone_m;
    }
}

fn recipe() -> Recipe {
    Recipe::standard().with(|app: &mut App| {
        app.add_sensor::<Same>();
    })
}

#[test]
fn a_kind_from_outside_can_be_checked_run_and_set() {
    let (place, recipe) = (Place::new(), recipe());
    place.write("same.ron", "(groups: [(name: \"g\", at: [(1.0, 1.0, 0.0)], sensors: [Same()])])");
    let (file, out) = (place.path("same.ron"), place.path("out"));
    let program = |arguments: &str| {
        let arguments = arguments.replace("FILE", file.to_str().unwrap()).replace("OUT", out.to_str().unwrap());
        cli::run_args(&recipe, arguments.split_whitespace().map(str::to_owned))
    };
    assert_eq!(program("mine check FILE"), Exit::Fine);
    assert_eq!(
        cli::run_args(&Recipe::standard(), ["mine".as_ref(), "check".as_ref(), file.as_os_str()]),
        Exit::BadInput
    );
    let set = "--set groups.g.sensors.0.alone_m=7";
    assert_eq!(program(&format!("mine run FILE --steps 2 --trace --quiet -o OUT {set}")), Exit::Fine);
    assert!(place.read("out/trace.csv").lines().skip(1).all(|row| row.ends_with(",7,")));
    let manifest = place.json("out/manifest.json");
    assert_eq!((&manifest["command"][0], &manifest["program"]), (&"mine".into(), &"mine".into()));
    assert_eq!(manifest["swarmarium"], env!("CARGO_PKG_VERSION"));
    assert_eq!(program(&format!("mine verify FILE --steps 5 --quiet {set}")), Exit::Fine);
    assert_eq!(program("mine fly"), Exit::BadInput);
}

#[test]
fn a_named_program_has_its_name_and_version_in_manifests() {
    let place = Place::new();
    let named = recipe().named("near", "3.2.1");
    let program = |arguments: &str| {
        let arguments = arguments.replace("OUT", place.path("out").to_str().unwrap());
        cli::run_args(&named, arguments.split_whitespace().map(str::to_owned))
    };
    assert_eq!(program("mine run milling --steps 2 --quiet -o OUT/run"), Exit::Fine);
    assert_eq!(program("mine sweep milling --repeat 2 --steps 2 --quiet -o OUT/sweep"), Exit::Fine);
    for folder in ["run", "sweep"] {
        let manifest = place.json(&format!("out/{folder}/manifest.json"));
        assert_eq!((&manifest["program"], &manifest["version"]), (&"near".into(), &"3.2.1".into()));
    }
}

#[test]
fn the_manual_of_a_named_program_has_its_name() {
    let place = Place::new();
    let folder = place.path("man");
    let words = ["mine", "man", "--output", folder.to_str().unwrap()];
    assert_eq!(cli::run_args(&recipe().named("near", "3.2.1"), words), Exit::Fine);
    let (whole, run) = (place.read("man/near.1"), place.read("man/near-run.1"));
    assert!(run.contains("near 3.2.1") && run.contains("| near run \\-") && run.contains("$(near run"), "{run}");
    for page in [whole, run, place.read("man/near-completions.1")] {
        assert!(!page.contains("swarmarium"), "{page}");
    }
}

#[test]
fn a_kind_from_outside_is_listed() {
    for json in [false, true] {
        let mut text = Vec::new();
        list::write(&mut text, &recipe(), Listing::Sensors, json, None).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("Reads the same number whatever there is.") && text.contains("alone_m"), "{text}");
    }
}
