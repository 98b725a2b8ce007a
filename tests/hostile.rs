//! Files that mean harm, or none at all: whatever is in them, they are read or refused, soon, and nothing panics.

use std::fs;
use std::path::Path;

use swarmarium::Simulation;

#[path = "fuzz/probe.rs"]
mod probe;

use probe::probe;

fn replay(folder: &str, name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5);
    for file in files {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        for scene in probe(name, &text) {
            Simulation::new(&scene).unwrap_or_else(|problems| panic!("{}: {problems}", file.display())).step(3);
        }
    }
}

#[test]
fn what_fuzzing_found_in_worlds_stays_mended() {
    replay("world_xml", "w.xml");
}

#[test]
fn what_fuzzing_found_in_drawings_stays_mended() {
    replay("drawing", "w.svg");
}

const ROBOT: &str =
    "<robot type='Khepera3'><supervisor type='K3DefaultSupervisor'/><pose x='0' y='0' theta='0'/></robot>";

#[test]
fn bombs_are_refused_or_small() {
    let laughs: String = (1..20).map(|k| format!("<!ENTITY a{k} '&a{};&a{};'>", k - 1, k - 1)).collect();
    let deep = |tag: &str| format!("<{tag}>").repeat(200_000);
    let worlds = [
        format!("<!DOCTYPE a [<!ENTITY a0 'ha'>{laughs}]><simulation>&a19;</simulation>"),
        "<!DOCTYPE a [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><simulation>&a;</simulation>".into(),
        deep("robot"),
        format!("<simulation>{}</simulation>", "<robot/>".repeat(100_000)),
        format!("<simulation>{}</simulation>", ROBOT.repeat(2_000).replace("Khepera3", "X")),
        format!("<simulation a='{}'/>", "x".repeat(1_000_000)),
        format!("<{}/>", "x".repeat(1_000_000)),
        format!("<simulation {}/>", (0..5000).map(|k| format!("a{k}='' ")).collect::<String>()),
        format!("<simulation>{}</simulation>", "\n".repeat(1_000_000)),
        format!("<simulation>{ROBOT}<obstacle color='#{}'/></simulation>", "f".repeat(1_000_000)),
        "<simulation>\0</simulation>".into(),
        "\u{feff}\u{feff}".into(),
    ];
    for world in worlds {
        assert!(probe("w.xml", &world).iter().all(|scene| scene.groups.is_empty()));
    }
    let drawings = [
        deep("g"),
        format!("<svg><g><path d='M0 0{}'/></g></svg>", "A1e9 1e9 0 1 1 1 1".repeat(3000)),
        format!("<svg><g><path d='{}'/></g></svg>", "M0 0h9v9z".repeat(3000)),
        format!("<svg><style>{}</style><g>{}</g></svg>", ".a{fill:red}".repeat(5000), "<rect class='a'/>".repeat(2000)),
        format!("<svg><g transform='{}'><rect width='1' height='1'/></g></svg>", "scale(9)".repeat(2000)),
        "<svg><g><image href='file:///etc/passwd'/></g></svg>".into(),
        "<svg viewBox='0 0 1e-300 1e300' width='1e300'><g><rect width='1' height='1'/></g></svg>".into(),
    ];
    drawings.iter().for_each(|drawing| drop(probe("w.svg", drawing)));
}

#[test]
fn a_swarm_of_a_world_opens_soon() {
    let world = format!("<simulation>{}</simulation>", ROBOT.repeat(2_000));
    let scenes = probe("w.xml", &world);
    assert_eq!(scenes[0].groups.iter().map(|group| group.at.len()).sum::<usize>(), 2_000);
}
