//! Files that mean harm, or none at all: whatever is in them, they are read or refused, soon, and nothing panics.

use std::fs;
use std::path::Path;

use swarmarium_formats::standard::FromScene as _;
use swarmarium_simulation::Simulation;

#[path = "fuzz/probe.rs"]
pub mod probe;

use probe::probe;

use crate::support::choices::{Choices, mixed, pieces, rounds};

/// The texts of a corpus.
fn corpus(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5);
    files.iter().map(|file| String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned()).collect()
}

fn replay(folder: &str, name: &str) {
    for text in corpus(folder) {
        for scene in probe(name, &text) {
            Simulation::new(&scene).unwrap_or_else(|problems| panic!("{text}: {problems}")).step(3);
        }
    }
}

/// Reads texts of a corpus with pieces that are dropped, doubled, and taken from one another. `FUZZ_ROUNDS=1000000 cargo test
/// --release mixed` fuzzes for longer, without a nightly toolchain.
fn mix(folder: &str, name: &str) {
    let all: Vec<Vec<String>> = corpus(folder).iter().map(|text| pieces(text)).collect();
    let mut choices = Choices::new(1);
    for round in 0..rounds("FUZZ_ROUNDS", 1500) {
        let other = choices.below(all.len());
        let text = mixed(&mut choices, &all[round % all.len()], &all[other]);
        let read = std::panic::catch_unwind(|| drop(probe(name, &text)));
        assert!(read.is_ok(), "round {round}: {text}");
    }
}

#[test]
fn mutated_worlds_are_read_or_refused() {
    mix("world_xml", "w.xml");
}

#[test]
fn mutated_drawings_are_read_or_refused() {
    mix("drawing", "w.svg");
}

#[test]
fn fuzzing_finds_in_worlds_stay_fixed() {
    replay("world_xml", "w.xml");
}

#[test]
fn fuzzing_finds_in_drawings_stay_fixed() {
    replay("drawing", "w.svg");
}

const ROBOT: &str =
    "<robot type='Khepera3'><supervisor type='K3DefaultSupervisor'/><pose x='0' y='0' theta='0'/></robot>";

const SQUARE: &str = "<rect class='a' width='1' height='1'/>";

#[test]
fn worlds_that_expand_are_refused_or_small() {
    let laughs: String = (1..20).map(|k| format!("<!ENTITY a{k} '&a{};&a{};'>", k - 1, k - 1)).collect();
    let deep = |tag: &str| format!("<{tag}>").repeat(200_000);
    let namespaces: String = (0..990).map(|k| format!(" xmlns:n{k}='n'")).collect();
    let spread = |root: &str| format!("<{root}{namespaces}>{}</{root}>", "<a xmlns:b='c'/>".repeat(1000));
    // How many are read of the strict and the lenient reading; without a robot only the lenient one reads.
    let worlds = [
        (0, format!("<!DOCTYPE a [<!ENTITY a0 'ha'>{laughs}]><simulation>&a19;</simulation>")),
        (0, "<!DOCTYPE a [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><simulation>&a;</simulation>".into()),
        (0, deep("robot")),
        (0, spread("simulation")),
        (0, format!("<simulation>{}</simulation>", "<robot/>".repeat(100_000))),
        (0, format!("<simulation>{}</simulation>", ROBOT.repeat(2_000).replace("Khepera3", ""))),
        (1, format!("<simulation a='{}'/>", "x".repeat(1_000_000))),
        (1, format!("<{}/>", "x".repeat(1_000_000))),
        (0, format!("<simulation {}/>", (0..5000).map(|k| format!("a{k}='' ")).collect::<String>())),
        (1, format!("<simulation>{}</simulation>", "\n".repeat(1_000_000))),
        (0, format!("<simulation>{ROBOT}<obstacle color='#{}'/></simulation>", "f".repeat(1_000_000))),
        (0, "<simulation>\0</simulation>".into()),
        (0, "\u{feff}\u{feff}".into()),
    ];
    for (read, world) in worlds {
        let scenes = probe("w.xml", &world);
        let begin: String = world.chars().take(60).collect();
        assert_eq!(scenes.len(), read, "{begin}");
        assert!(scenes.iter().all(|scene| scene.groups.is_empty() && scene.objects.is_empty()), "{begin}");
    }
    let styled = |style: &str, shapes: &str| format!("<svg><style>{style}</style><g>{shapes}</g></svg>");
    let words: String = (0..1000).map(|k| format!("c{k} ")).collect();
    // How many obstacles are read; `None` where nothing is.
    let drawings = [
        (None, deep("g")),
        (None, spread("svg")),
        // Too far away: the shape is left out.
        (Some(0), format!("<svg><g><path d='M0 0{}'/></g></svg>", "A1e9 1e9 0 1 1 1 1".repeat(3000))),
        (Some(3000), format!("<svg><g><path d='{}'/></g></svg>", "M0 0h9v9z".repeat(3000))),
        // Without a size.
        (Some(0), styled(&".a{fill:red}".repeat(5000), &"<rect class='a'/>".repeat(2000))),
        (Some(1), styled(&format!("{}b{{{}}}", "a,".repeat(1000), "fill:red;".repeat(30_000)), SQUARE)),
        (Some(500), styled(&format!("{}{{fill:red}}", ".a".repeat(300_000)), &SQUARE.repeat(500))),
        (Some(1), styled(&".a{fill:red}".repeat(1000), &SQUARE.replace("class='a'", &format!("class='{words}'")))),
        // Larger than numbers can say.
        (Some(0), format!("<svg><g transform='{}'>{SQUARE}</g></svg>", "scale(9)".repeat(2000))),
        (Some(0), "<svg><g><image href='file:///etc/passwd'/></g></svg>".into()),
        (Some(1), format!("<svg viewBox='0 0 1e-300 1e300' width='1e300'><g>{SQUARE}</g></svg>")),
    ];
    for (read, drawing) in drawings {
        let scenes = probe("w.svg", &drawing);
        let begin: String = drawing.chars().take(60).collect();
        assert_eq!(scenes.len(), if read.is_some() { 2 } else { 0 }, "{begin}");
        assert!(scenes.iter().all(|scene| Some(scene.objects.len()) == read), "{begin}");
    }
}

#[test]
fn a_world_with_thousands_of_robots_opens_quickly() {
    let world = format!("<simulation>{}</simulation>", ROBOT.repeat(2_000));
    let scenes = probe("w.xml", &world);
    assert_eq!(scenes[0].groups.iter().map(|group| group.at.len()).sum::<usize>(), 2_000);
}
