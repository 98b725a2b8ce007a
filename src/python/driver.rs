//! Controllers in Python that drive the runs of a sweep.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use swarmarium::prelude::*;
use swarmarium_host::clock::Host;
use swarmarium_scene::scene::{Scene, current};
use swarmarium_simulation::simulation::{Recipe, Simulation};
use swarmarium_sweep::controllers::ControllerValue;
use swarmarium_sweep::driver::{DrivenRun, Driver};
use swarmarium_sweep::{Controllers, Run as RunNumber};

use crate::run::Run;
use crate::simulation::Simulation as Native;

/// A function in Python that begins runs: `prepare(simulation, values)` returns a function that makes a step. The values are
/// those of parameters of controllers: group, name, and value in the notation of scenes.
pub struct SweepDriver {
    pub prepare: Py<PyAny>,
    /// The names of the controllers by groups.
    pub controllers: BTreeMap<String, String>,
}

/// A run with its simulation.
struct OwnRun {
    native: Py<Native>,
    step: Py<PyAny>,
}

/// The value of a parameter as Python gets it.
pub fn triple(ControllerValue { group, name, value }: &ControllerValue) -> (String, String, String) {
    (group.clone(), name.clone(), value.clone())
}

fn words(failure: &PyErr) -> String {
    failure.to_string()
}

impl Driver for SweepDriver {
    fn controllers(&self) -> Controllers {
        Controllers(self.controllers.clone())
    }

    fn begin(&self, _: RunNumber, scene: &Scene, values: &[ControllerValue]) -> Result<Box<dyn DrivenRun>, String> {
        let recipe = Recipe::standard();
        let host = Host::new(scene, &recipe, 1).map_err(|problems| problems.to_string())?;
        let start = current::digest(recipe.kinds(), scene);
        let native = Native::of_run(Run::new(host, start, scene.name.clone()), 1);
        let begun = Python::attach(|py| {
            let native = Py::new(py, native)?;
            let values: Vec<_> = values.iter().map(triple).collect();
            let step = self.prepare.call1(py, (native.clone_ref(py), values))?;
            PyResult::Ok(OwnRun { native, step })
        });
        begun.map(|run| Box::new(run) as Box<dyn DrivenRun>).map_err(|failure| words(&failure))
    }
}

impl DrivenRun for OwnRun {
    fn step(&mut self) -> Result<(), String> {
        Python::attach(|py| self.step.call0(py).map(drop)).map_err(|failure| words(&failure))
    }

    fn read(&self, act: &mut dyn FnMut(&Simulation)) -> Result<(), String> {
        self.native.get().read(|run| act(run.simulation())).map_err(|failure| words(&failure))
    }
}
