//! The version and the build of the program.

use std::fmt;

use serde::Serialize;
use swarmarium_simulation::simulation::Recipe;

/// The properties that tell builds of the program apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Build {
    /// The version.
    pub version: &'static str,
    /// The commit of the checkout; `None` if it is unknown.
    pub commit: Option<&'static str>,
    /// The date of the commit.
    pub commit_date: Option<&'static str>,
    /// Whether sources differed from those of the commit.
    pub modified: bool,
    /// The optional parts that it has.
    pub features: Vec<&'static str>,
    /// The platform that it is built for.
    pub target: &'static str,
}

impl Build {
    /// This build.
    pub fn this() -> Self {
        let features = [
            ("gamepad", cfg!(feature = "gamepad")),
            ("lab", cfg!(feature = "lab")),
            ("robotswarmsimulator", cfg!(feature = "robotswarmsimulator")),
            ("video", cfg!(feature = "video")),
        ];
        Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("SWARMARIUM_COMMIT").filter(|commit| !commit.is_empty()),
            commit_date: option_env!("SWARMARIUM_COMMIT_DATE"),
            modified: option_env!("SWARMARIUM_MODIFIED").is_some(),
            features: features.into_iter().filter_map(|(name, is_built)| is_built.then_some(name)).collect(),
            target: env!("SWARMARIUM_TARGET"),
        }
    }

    /// The commit, with a note if sources differed from it.
    pub fn commit(&self) -> Option<String> {
        let modified = if self.modified { "-modified" } else { "" };
        Some(format!("{}{modified}", self.commit?))
    }
}

impl fmt::Display for Build {
    /// As in `0.1.0 (commit 317285037a of 2026-11-28)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.version)?;
        let Some(commit) = self.commit else { return Ok(()) };
        write!(f, " (commit {}", commit.get(..10).unwrap_or(commit))?;
        if let Some(date) = self.commit_date {
            write!(f, " of {date}")?;
        }
        f.write_str(if self.modified { ", modified)" } else { ")" })
    }
}

/// The answer to `-V`: the program with its version. A program with kinds of its own names that of Swarmarium, too.
pub(super) fn short(recipe: &Recipe) -> String {
    let (own, build) = (env!("CARGO_PKG_NAME"), Build::this());
    match recipe.program().filter(|program| program.name != own) {
        None => format!("{own} {build}"),
        Some(program) if program.version == build.version => format!("{} with {own} {build}", program.name),
        Some(program) => format!("{} {} with {own} {build}", program.name, program.version),
    }
}

/// The answer to `--version`, which also has the features and the platform.
pub(super) fn long(recipe: &Recipe) -> String {
    let build = Build::this();
    let features = if build.features.is_empty() { "none".to_owned() } else { build.features.join(", ") };
    format!("{}\nfeatures: {features}\ntarget: {}", short(recipe), build.target)
}
