//! Sharing: the scene with its run as one file, or the run as a page for any browser.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::Context as _;
use swarmarium_base::files::write_whole;
use swarmarium_core::step::Workers;
use swarmarium_draw::ColorBy;
use swarmarium_formats::load::Source;
use swarmarium_formats::share::{Shared, file_of_run, is_shared};
use swarmarium_host::clock::host::TwinPlan;
use swarmarium_host::timeline;
use swarmarium_page::{About, Options, Page, PageError, PageRecorder};
use swarmarium_picture::palette::Theme;
use swarmarium_simulation::edit::LoggedEdit;

use crate::edit::shared_edits::SharedEdits;
use crate::files::recording::rerecording::{JobKind, Rerecording, Signals};
use crate::files::recording::{RecordingError, RecordingResult, view_png};
use crate::run::RunState;
use crate::view::ViewState;

/// Saves the scene at its start, the changes of the run, the original files and a picture of the view as one file.
/// Returns a note about original files that are renamed in it.
///
/// # Errors
/// Returns an error if the file cannot be written, or is too large.
pub fn save(
    run: &RunState,
    view: &ViewState,
    shared_edits: &SharedEdits,
    theme: Theme,
    path: &Path,
) -> anyhow::Result<Option<String>> {
    let (simulation, start) = (run.host.simulation(), run.host.start());
    let waiting = simulation.waiting_edits().map(|edit| LoggedEdit::new(simulation.steps() + 1, edit.clone()));
    let to_come = shared_edits.to_come().cloned();
    let edits = simulation.edits().iter().cloned().chain(waiting).chain(to_come).collect();
    let mut shared = Shared::new(simulation.kinds(), &run.title(), start, edits);
    shared.manifest.steps = simulation.steps();
    shared.manifest.final_state_hash = format!("{:016x}", simulation.hash_of_step().0);
    match &run.opened.source {
        // The file may not exist any more; the scene does not need it.
        Source::File(from) if from.exists() => match is_shared(from) {
            true => shared.source = Shared::open(from)?.source,
            false => shared.add_source(from, &run.opened.scene, &run.opened.included)?,
        },
        _ => {}
    }
    shared.picture = Some(picture(run, view, theme)?);
    let bytes = shared.write().with_context(|| path.display().to_string())?;
    write_whole(path, bytes)?;
    Ok(shared.renaming_note())
}

/// Starts a thread that simulates the run so far again and writes it as a page.
///
/// # Errors
/// Returns an error if the run has no steps, or cannot be simulated again.
pub fn start_page(run: &RunState, view: &ViewState, path: PathBuf) -> anyhow::Result<Rerecording> {
    let (host, now) = (&run.host, run.host.moment());
    let last = host.simulation().steps();
    anyhow::ensure!(last > 0, "There is nothing to share as a page: the run has no step yet");
    let plan = host.plan_twin(timeline::Moment { step: 0, ..now })?;
    let bookmarks = host.timeline().bookmarks().iter().filter(|mark| mark.moment.branch == now.branch);
    let job = PageJob {
        title: run.title(),
        captions: bookmarks.map(|mark| (mark.moment.step, mark.name.clone())).collect(),
        threads: run.threads,
        options: Options {
            color_by: if view.current.color_by == ColorBy::State { ColorBy::State } else { ColorBy::Group },
            ..Options::default()
        },
        last,
    };
    let file = path.clone();
    let work = move |signals: Signals| job.write(plan, &file, &signals);
    Ok(Rerecording::spawn(JobKind::Page, last, path, work)?)
}

/// The most times that a page is made, each time at a lower rate.
const MOST_TRIES: u32 = 3;

/// A page that a thread writes.
struct PageJob {
    title: String,
    /// Captions with their steps.
    captions: Vec<(u64, String)>,
    threads: usize,
    /// The options of the first try.
    options: Options,
    /// The last step of the page.
    last: u64,
}

impl PageJob {
    fn write(self, plan: TwinPlan, path: &Path, signals: &Signals) -> RecordingResult {
        let written = self.page(plan, path, signals).with_context(|| path.display().to_string());
        written.map_err(RecordingError::Failed)
    }

    /// Writes the page. A page that is too large is made again at a lower rate, which its error gives.
    fn page(self, plan: TwinPlan, path: &Path, signals: &Signals) -> anyhow::Result<String> {
        let mut options = self.options;
        let mut tries = 1;
        loop {
            match self.page_at(plan.clone(), options, signals) {
                Ok(Some(page)) => {
                    let megabytes = page.html.len() as f64 / 1e6;
                    write_whole(path, page.html)?;
                    let saved = format!("Saved {}: {megabytes:.1} MB for any browser", path.display());
                    let (usual_hz, rate_hz) = (self.options.rate_hz, options.rate_hz);
                    return Ok(match tries {
                        1 => saved,
                        _ => format!("{saved}, with {rate_hz} frames per simulated second instead of {usual_hz}"),
                    });
                }
                Ok(None) => return Ok(format!("Cancelled the page {}", path.display())),
                Err(error) => match error.downcast_ref() {
                    Some(PageError::TooLarge { rate_hz: Some(rate_hz), .. }) if tries < MOST_TRIES => {
                        (options.rate_hz, tries) = (*rate_hz, tries + 1);
                    }
                    _ => return Err(error),
                },
            }
        }
    }

    /// Makes the page; `None` if it is cancelled.
    fn page_at(&self, plan: TwinPlan, options: Options, signals: &Signals) -> anyhow::Result<Option<Page>> {
        let mut twin = plan.make(Workers::new(self.threads)).context("the run cannot be simulated again")?;
        let start = twin.simulation().scene().clone();
        let mut recorder = PageRecorder::new(twin.simulation(), options)?;
        while twin.simulation().steps() < self.last {
            if signals.is_cancelled.load(Ordering::Relaxed) {
                return Ok(None);
            }
            twin.step();
            recorder.observe(twin.simulation())?;
            signals.done.store(twin.simulation().steps(), Ordering::Relaxed);
        }
        let simulation = twin.simulation();
        let file = file_of_run(simulation.kinds(), &self.title, &start, simulation.edits().to_vec())?;
        let about = About::of_file(self.title.clone(), file, self.captions.clone(), simulation.time().dt_s);
        Ok(Some(recorder.write(simulation, &about)?))
    }
}

/// Returns the view as PNG.
pub fn picture(run: &RunState, view: &ViewState, theme: Theme) -> anyhow::Result<Vec<u8>> {
    view_png(&view.view_shot(&run.host), view.current.camera.screen_px, theme, 1.0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use swarmarium_lab_testing::{do_steps, lab_of};

    use super::*;

    #[test]
    fn a_page_that_is_too_large_is_made_again_at_a_lower_rate() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("m.html");
        let mut lab = lab_of("(groups: [(name: \"a\", count: 60, controller: Levy())])");
        do_steps(&mut lab, 2000);
        let job = |max_bytes| PageJob {
            title: "Milling".into(),
            captions: Vec::new(),
            threads: 1,
            options: Options { max_bytes, ..Options::default() },
            last: 2000,
        };
        let plan = lab.run.host.plan_twin(timeline::Moment { step: 0, ..lab.run.host.moment() }).unwrap();
        let signals = Signals::default();
        let told = job(usize::MAX).page(plan.clone(), &file, &signals).unwrap();
        assert!(told.ends_with("MB for any browser"), "{told}");
        let max_bytes = fs::metadata(&file).unwrap().len() as usize - 12_000;
        let told = job(max_bytes).page(plan, &file, &signals).unwrap();
        assert!(told.contains("frames per simulated second instead of 10"), "{told}");
        assert!(fs::metadata(&file).unwrap().len() as usize <= max_bytes);
    }
}
