//! The files of a run folder, written from a host.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use swarmarium_base::files::{cannot_write, write_whole};
use swarmarium_base::problem::Problems;
use swarmarium_core::time::SimTime;
use swarmarium_host::clock::Host;
use swarmarium_host::timeline::file::FILE as TIMELINE;
use swarmarium_host::timeline::{Moment, SavedTimeline};
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::{LoggedEdit, log};
use swarmarium_simulation::simulation::Simulation;

use super::{FORMAT, MANIFEST};

/// The program that writes run folders.
const PROGRAM: &str = "swarmarium";

/// The texts of the files of a run.
pub struct RunFiles {
    scene: String,
    edits: String,
    manifest: String,
    /// The timeline; `None` for a run with one branch, no bookmarks and no future.
    timeline: Option<String>,
}

impl RunFiles {
    /// The files of the run of a host, saved at a moment: the present one, or the target of a jump.
    ///
    /// # Errors
    /// If a text cannot be serialized.
    pub fn from_host(host: &Host, title: &str, now: Moment) -> Result<Self, Problems> {
        let simulation = host.simulation();
        let is_there = now == host.moment();
        let branch = host.timeline().branch(now.branch);
        let edits = match branch.filter(|_| !is_there) {
            Some(branch) => branch.edits(),
            None => edits_of(simulation),
        };
        let mut timeline = SavedTimeline::from_timeline(host.timeline());
        if let Some(branch) = branch.filter(|branch| timeline.branch(branch.name()).is_ok()) {
            timeline.present = branch.name().into();
        }
        let has_timeline = !timeline.is_plain() || host.is_in_past() || !is_there;
        Ok(Self {
            timeline: has_timeline.then(|| timeline.text()).transpose().map_err(anyhow::Error::from)?,
            ..Self::at(simulation, host.start(), title, (now.step, is_there), &edits)?
        })
    }

    /// The files of a run of a simulation without a host, from the scene at its start.
    ///
    /// # Errors
    /// If a text cannot be serialized.
    pub fn from_simulation(simulation: &Simulation, start: &Scene, title: &str) -> Result<Self, Problems> {
        Ok(Self::at(simulation, start, title, (simulation.steps(), true), &edits_of(simulation))?)
    }

    /// The files of a run without a timeline, saved at a step, which can be the present one.
    fn at(
        simulation: &Simulation,
        start: &Scene,
        title: &str,
        (step, is_present): (u64, bool),
        edits: &[LoggedEdit],
    ) -> anyhow::Result<Self> {
        // In the past, edits of the next step are already applied.
        let of_next_step = simulation.edits().iter().filter(|logged| logged.step > simulation.steps()).count();
        let program = simulation.program();
        let mut manifest = serde_json::json!({
            "program": program.map_or(PROGRAM, |program| &program.name),
            "version": program.map_or(env!("CARGO_PKG_VERSION"), |program| &program.version),
            "commit": program.and_then(|program| program.commit.as_deref()),
            "format": FORMAT,
            "scene_name": title,
            "seed": start.seed,
            "dt_s": simulation.time().dt_s,
            "epoch_s": simulation.epoch_s(),
            "steps": step,
            "simulated_s": SimTime { step, ..simulation.time() }.shown_s(),
            "edits_waiting": of_next_step + simulation.waiting_edits().len(),
        });
        if is_present {
            manifest["final_state_hash"] = format!("{:016x}", simulation.hash_of_step().0).into();
        }
        Ok(Self {
            scene: write(simulation.kinds(), &start.clone().without_placed(), Style::Full) + "\n",
            edits: log::write(edits),
            manifest: serde_json::to_string_pretty(&manifest)? + "\n",
            timeline: None,
        })
    }

    /// Writes the files into an existing folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Problems> {
        write_whole(&path.join("scene.ron"), &self.scene)?;
        write_whole(&path.join("edits.ron"), &self.edits)?;
        let file = path.join(TIMELINE);
        match &self.timeline {
            Some(timeline) => write_whole(&file, timeline)?,
            // A leftover of an earlier link: there are no other branches any more.
            None if file.exists() => fs::remove_file(&file).with_context(|| cannot_write(&file))?,
            None => {}
        }
        Ok(write_whole(&path.join(MANIFEST), &self.manifest)?)
    }
}

/// The edits of a simulation: those that were applied, and those that wait for the next step.
fn edits_of(simulation: &Simulation) -> Vec<LoggedEdit> {
    let waiting = simulation.waiting_edits().map(|edit| LoggedEdit::new(simulation.steps() + 1, edit.clone()));
    simulation.edits().iter().cloned().chain(waiting).collect()
}
