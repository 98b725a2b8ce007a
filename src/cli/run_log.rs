//! The flags of a log of a run, an MCAP file: `--mcap` and its rates and topics.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use swarmarium_base::files::shown;
use swarmarium_formats::export::mcap::{self, LogOptions, LogRate, RunLog, TopicList};
use swarmarium_simulation::simulation::Simulation;

use super::typed::{self, rest_of};

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
        let plan = LogPlan { path, options: LogOptions { rate: self.mcap_rate, topics: self.mcap_topics }, overwrite };
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

    /// The file, for the recorder, which writes several.
    #[cfg(feature = "video")]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The flags that ask for it, each after a space, for a command that continues a run with another file.
    pub fn flags(&self) -> String {
        let mut flags = format!(" --mcap {}", quoted(&rest_of(&self.path)));
        if let Some(rate) = self.options.rate {
            flags += &format!(" --mcap-rate {rate}");
        }
        if let Some(topics) = &self.options.topics {
            flags += &format!(" --mcap-topics {topics}");
        }
        flags
    }
}

/// A path as a word of a command.
pub(super) fn quoted(path: &Path) -> String {
    typed::quoted(&shown(path))
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
#[derive(Clone, Default)]
pub(super) struct SharedLog(Arc<Mutex<Option<RunLog>>>);

impl SharedLog {
    /// Sets the log.
    pub fn set(&self, log: RunLog) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(log);
    }

    /// Takes the log, for the recorder to complete it.
    #[cfg(feature = "video")]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_continues_keeps_rate_and_topics() {
        let flags = |path: &str, rate: Option<&str>, topics: Option<&str>| {
            let options = LogOptions {
                rate: rate.map(|rate| rate.parse().unwrap()),
                topics: topics.map(|topics| topics.parse().unwrap()),
            };
            LogPlan { path: path.into(), options, overwrite: false }.flags()
        };
        assert_eq!(flags("logs/a.mcap", None, None), " --mcap logs/a-rest.mcap");
        assert_eq!(
            flags("my logs/a.mcap", Some("step"), Some("poses, scans=2.5")),
            " --mcap 'my logs/a-rest.mcap' --mcap-rate step --mcap-topics poses,scans=2.5"
        );
    }
}
