//! MCAP: logs of runs as messages of ROS 2, for Foxglove, Rerun and `ros2 bag`.
//!
//! A [`RunLog`] observes a simulation after its steps. It copies the state on the thread of the steps; another thread makes
//! messages, compresses them and writes the file. The same run gives the same bytes, for any number of threads. Times are
//! simulated: 0 is the start of the run.

use std::io::BufWriter;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use anyhow::{Context as _, anyhow, bail, ensure};
use swarmarium_base::files::{Draft, cannot_write, partial, shown};
use swarmarium_core::text::wording::count;
use swarmarium_simulation::simulation::Simulation;

mod batch;
mod cdr;
mod definitions;
mod file;
mod grids;
mod lz4;
mod markers;
mod observer;
mod scans;
mod shapes;
#[cfg(test)]
mod tests;
mod topics;
mod transforms;

use batch::Batch;
pub use file::FileCounts;
use file::FileWriter;
use observer::Observer;
pub use topics::{LogOptions, LogRate, TopicError, TopicKind, TopicList};
use transforms::Transforms;

/// The number of batches of messages that go to the thread that writes them together: waking it for each of them would cost
/// the thread of the steps more than copying its state.
const BATCHES_PER_SEND: usize = 8;

/// The largest number of such groups that wait for that thread: the memory of a log is bounded.
const MAX_QUEUED_SENDS: usize = 2;

/// A log of a run that is being written. A log that is dropped removes its file.
#[derive(Debug)]
pub struct RunLog {
    path: PathBuf,
    observer: Observer,
    /// The batches that are not sent yet.
    gathered: Vec<Batch>,
    /// The thread that writes; `None` after its error.
    writer: Option<Writer>,
    last_step: u64,
}

/// The thread that writes a log.
#[derive(Debug)]
struct Writer {
    batches: SyncSender<Vec<Batch>>,
    /// Memory for poses that is free again.
    free: Receiver<Vec<[f64; 3]>>,
    thread: JoinHandle<anyhow::Result<Draft>>,
    counts: Receiver<FileCounts>,
}

/// Checks that a log may have this path: it ends with `.mcap`, it is that of no other file, and its folder exists. `replaces` is how users allow to
/// replace a file; `None` if they did.
///
/// # Errors
/// When the path is refused.
pub fn check_path(path: &Path, replaces: Option<&str>) -> anyhow::Result<()> {
    let name = shown(path);
    ensure!(!path.is_dir(), "{name}: is a folder: expected a file such as {name}/run.mcap");
    if let Some(flag) = replaces.filter(|_| path.symlink_metadata().is_ok()) {
        bail!("{name}: exists already; {flag} replaces it");
    }
    let is_mcap = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mcap"));
    ensure!(is_mcap, "{name}: expected a file `.mcap`");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "{}: there is no folder {}", cannot_write(path), shown(folder));
    Ok(())
}

impl RunLog {
    /// Begins a log of a simulation with its present state. Until it is finished, the file is called [`partial`].
    ///
    /// # Errors
    /// When the file cannot be written, or the simulation needs too many topics.
    pub fn begin(path: &Path, options: &LogOptions, simulation: &Simulation) -> anyhow::Result<Self> {
        let draft = Draft::begin(path)?;
        let time = simulation.time();
        let about = [
            ("dt_s", time.dt_s.to_string()),
            ("first_step", time.step.to_string()),
            ("seed", simulation.scene().seed.to_string()),
        ];
        let (batches, received) = sync_channel::<Vec<Batch>>(MAX_QUEUED_SENDS);
        let (freed, free) = channel();
        let (counted, counts) = channel();
        let named = path.to_owned();
        let write = move || {
            let write = || -> std::io::Result<Draft> {
                let out = BufWriter::with_capacity(1 << 16, draft);
                let mut file = FileWriter::begin(out, concat!("swarmarium ", env!("CARGO_PKG_VERSION")))?;
                file.metadata("swarmarium", &about)?;
                let mut transforms = Transforms::default();
                for batch in received.into_iter().flatten() {
                    let poses = batch.write(&mut transforms, &mut file)?;
                    // A batch without poses has no memory to give back, and the log may be gone.
                    if poses.capacity() > 0 {
                        _ = freed.send(poses);
                    }
                }
                let (out, counts) = file.finish()?;
                _ = counted.send(counts);
                out.into_inner().map_err(std::io::IntoInnerError::into_error)
            };
            write().with_context(|| format!("{}; {} is incomplete", cannot_write(&named), shown(partial(&named))))
        };
        let thread = thread::Builder::new().name("log writer".into()).spawn(write).context("no thread for the log")?;
        let mut log = Self {
            path: path.to_owned(),
            observer: Observer::new(options),
            gathered: Vec::with_capacity(BATCHES_PER_SEND),
            writer: Some(Writer { batches, free, thread, counts }),
            last_step: time.step,
        };
        log.add(simulation, true)?;
        Ok(log)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last step that the log has seen.
    pub fn last_step(&self) -> u64 {
        self.last_step
    }

    /// Adds the messages that are due after a step.
    ///
    /// # Errors
    /// When the file cannot be written, when the simulation needs too many topics, or when it has gone back in time.
    pub fn after_step(&mut self, simulation: &Simulation) -> anyhow::Result<()> {
        let step = simulation.steps();
        ensure!(
            step > self.last_step,
            "{}: the run went back to step {step}: a log goes forwards only, from step {} on",
            shown(&self.path),
            self.last_step
        );
        self.last_step = step;
        self.add(simulation, false)
    }

    fn add(&mut self, simulation: &Simulation, is_first: bool) -> anyhow::Result<()> {
        let Some(writer) = &self.writer else { bail!("{}", cannot_write(&self.path)) };
        let free = || writer.free.try_recv().unwrap_or_default();
        let Some(batch) = self.observer.observe(simulation, is_first, free)? else { return Ok(()) };
        self.gathered.push(batch);
        if self.gathered.len() < BATCHES_PER_SEND {
            return Ok(());
        }
        let gathered = mem::replace(&mut self.gathered, Vec::with_capacity(BATCHES_PER_SEND));
        if writer.batches.send(gathered).is_ok() {
            return Ok(());
        }
        // The thread has ended: with an error.
        match self.writer.take().map(|writer| writer.thread.join()) {
            Some(Ok(Err(error))) => Err(error),
            _ => Err(anyhow!("{}", cannot_write(&self.path))),
        }
    }

    /// Ends the log, and removes its file.
    pub fn discard(self) {
        drop(self);
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the rest of it cannot be written.
    pub fn finish(mut self) -> anyhow::Result<FileCounts> {
        let Some(Writer { batches, thread, counts, .. }) = self.writer.take() else {
            bail!("{}", cannot_write(&self.path));
        };
        // If the thread has ended, its own error is the reason.
        _ = batches.send(mem::take(&mut self.gathered));
        drop(batches);
        let Ok(written) = thread.join() else { bail!("{}", cannot_write(&self.path)) };
        written?.finish()?;
        Ok(counts.try_recv().unwrap_or_default())
    }
}

impl Drop for RunLog {
    fn drop(&mut self) {
        let Some(Writer { batches, thread, .. }) = self.writer.take() else { return };
        drop(batches);
        // After an error of the disk, the thread leaves what it has written.
        if let Ok(Ok(draft)) = thread.join() {
            draft.discard();
        }
    }
}

impl FileCounts {
    /// The counts in words: `12 messages on 3 topics, 5 kB`.
    pub fn summary(&self) -> String {
        let messages = count(usize::try_from(self.messages).unwrap_or(usize::MAX), "message");
        format!("{messages} on {}, {} kB", count(self.topics, "topic"), self.bytes.div_ceil(1000))
    }
}
