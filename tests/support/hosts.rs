//! Hosts of simulations.

use swarmarium::Recipe;
use swarmarium::clock::Host;
use swarmarium::scene::Scene;
use swarmarium_formats::standard::Standard as _;

/// A host that keeps a timeline of its run.
pub fn tracking_host(scene: &Scene) -> Host {
    let mut host = Host::new(scene, &Recipe::standard(), 1).unwrap();
    host.keep_track();
    host
}

/// Resimulates until nothing is left to resimulate.
pub fn finish(host: &mut Host) {
    while host.resimulate().is_some() {
        host.continue_resimulation(|| true, |_| {});
    }
}
