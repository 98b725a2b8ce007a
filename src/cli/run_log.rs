//! The flags of a log of a run, an MCAP file: `--mcap` and its rates and topics.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use swarmarium_base::files::shown;
use swarmarium_formats::export::mcap::{self, LogOptions, LogRate, RunLog, TopicList};
use swarmarium_simulation::simulation::Simulation;

/// The flags of a log.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct LogArguments {
    /// Write poses, scans, metrics and more to an MCAP file of ROS 2 messages, for Foxglove, Rerun and ROS 2
    #[arg(long, value_name = "F.MCAP")]
    mcap: Option<PathBuf>,
    /// Messages on each topic of the MCAP file per simulated second, or step for every step [default: 30, and 1 for fields]
    #[arg(long, value_name = "HZ", requires = "mcap")]
    mcap_rate: Option<LogRate>,
    /// Topics of the MCAP file, separated by commas, some with rates of their own, such as poses,scans=10,metrics=step: poses,
    /// scans, floors, fields, bodies, links, log, metrics [default: all but links]
    #[arg(long, value_name = "LIST", requires = "mcap")]
    mcap_topics: Option<TopicList>,
}

impl LogArguments {
    /// The plan of the log, if there is one; its path must be free, or replaced.
    ///
    /// # Errors
    /// When the path is refused.
    pub fn resolve(self, overwrite: bool) -> anyhow::Result<Option<LogPlan>> {
        let Some(path) = self.mcap else { return Ok(None) };
        let plan = LogPlan {
            path,
            options: LogOptions { rate: self.mcap_rate.unwrap_or(mcap::DEFAULT_RATE), topics: self.mcap_topics },
            overwrite,
        };
        mcap::check_path(&plan.path, plan.replaces())?;
        Ok(Some(plan))
    }
}

/// A log that is to be written.
#[derive(Clone, Debug)]
pub(super) struct LogPlan {
    path: PathBuf,
    options: LogOptions,
    overwrite: bool,
}

impl LogPlan {
    fn replaces(&self) -> Option<&'static str> {
        (!self.overwrite).then_some("--overwrite")
    }

    /// Begins the log.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn begin(&self, simulation: &Simulation) -> anyhow::Result<RunLog> {
        RunLog::begin(&self.path, &self.options, simulation)
    }

    /// The file.
    #[cfg_attr(not(feature = "video"), expect(dead_code, reason = "only the recorder writes two files"))]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The flags that ask for it, each after a space, for a command that continues a run with another file.
    pub fn flags(&self) -> String {
        let mut next = self.path.clone();
        next.set_file_name(format!("{}-rest.mcap", shown(self.path.file_stem().unwrap_or_default())));
        format!(" --mcap {}", shown(&next))
    }
}

/// Completes a log, and says what is in it.
///
/// # Errors
/// When the rest of it cannot be written.
pub(super) fn finish(log: RunLog) -> anyhow::Result<String> {
    let path = shown(log.path());
    Ok(format!("{path}: {}", log.finish()?.summary()))
}

/// A log that one thread fills, and another one completes if a step does not end.
#[cfg_attr(not(feature = "video"), expect(dead_code, reason = "only the recorder shares a log"))]
#[derive(Clone, Default)]
pub(super) struct SharedLog(Arc<Mutex<Option<RunLog>>>);

#[cfg_attr(not(feature = "video"), expect(dead_code, reason = "only the recorder shares a log"))]
impl SharedLog {
    /// Sets the log.
    pub fn set(&self, log: RunLog) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(log);
    }

    /// Takes the log, to complete it.
    pub fn take(&self) -> Option<RunLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// As [`RunLog::after_step`].
    ///
    /// # Errors
    /// As there.
    pub fn after_step(&self, simulation: &Simulation) -> anyhow::Result<()> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.as_mut().map_or(Ok(()), |log| log.after_step(simulation))
    }
}
