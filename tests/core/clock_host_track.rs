//! Snapshots on the way, to go back to without going all the way from the start.

use swarmarium::clock::host::track::*;
use swarmarium::prelude::*;
use swarmarium::simulation::Simulation;

#[test]
fn snapshots_are_few_and_evenly_spaced() {
    let scene = Scene { groups: vec![Group { name: "a".into(), ..Group::default() }], ..Scene::default() };
    let mut simulation = Simulation::new(&scene).unwrap();
    let mut track = Track::default();
    for _ in 0..5000 {
        simulation.step(1);
        track.note(&mut simulation);
    }
    let steps: Vec<u64> = track.kept.iter().map(|(step, _)| *step).collect();
    assert!(steps.len() <= MOST && steps.len() > MOST / 3, "{steps:?}");
    assert!(steps.windows(2).all(|pair| pair[1] - pair[0] == track.every), "{steps:?}");
    assert_eq!(track.before(track.every).map(|(step, _)| *step), None);
    assert_eq!(track.before(track.every + 1).map(|(step, _)| *step), Some(track.every));
    assert_eq!(track.until(track.every).kept.len(), 1);
}
