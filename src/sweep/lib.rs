//! Sweeps: many runs of one scene with other parameters and seeds, from a plan to statistics, figures and a report.
//!
//! A [plan](Plan) names a scene, the factors that vary and the measures that are taken. Every combination of values is a
//! point, and a point has repetitions with seeds of their own. The unit of all statistics is a run, never a robot or a step.
//!
//! A plan is [resolved](Sweep::resolve) before anything runs: all its mistakes are found then. [`work`](work::work) makes the
//! runs and appends each to a log in the [folder](Folder) of the sweep; [`conclude`](report::conclude) makes tables, figures
//! and the report from the logs. Their bytes do not depend on the number of threads and processes, on their order, or on
//! interruptions.
//!
//! ```
//! use swarmarium_simulation::prelude::*;
//! use swarmarium_formats::standard::Standard as _;
//! use swarmarium_sweep::work::{Host, cores, work};
//! use swarmarium_sweep::{Folder, PlanText, Shard, Sweep, report, resolved};
//!
//! let text = r#"Plan(
//!     scene: "milling",
//!     factors: [(path: "groups.millers.count", values: List([4, 6]))],
//!     repetitions: 3,
//!     stop: (steps: 100),
//!     measures: [(name: "circliness", take: Mean)],
//! )"#;
//! let (recipe, source) = (Recipe::standard(), PlanText { name: "a.sweep.ron", text });
//! let sweep = Sweep::resolve(&recipe, resolved::read(&recipe, source)?, source, &Default::default())?;
//!
//! let place = tempfile::tempdir()?;
//! let folder = Folder::join(place.path(), &sweep)?;
//! let log = folder.log(Shard::WHOLE)?;
//! work(&sweep, (folder.index()?, &log), Shard::WHOLE, cores(), &Host::default())?;
//! let conclusion = report::conclude(&sweep, &folder, &folder.index()?)?;
//! assert_eq!(conclusion.results.summaries[1][0].n(), 3);
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod address;
pub mod charts;
pub mod controllers;
pub mod driver;
pub mod folder;
pub mod identical;
pub mod log;
pub mod plan;
pub mod report;
pub mod resolved;
pub mod results;
pub mod run;
pub mod sampling;
pub mod slurm;
pub mod source;
pub mod stats;
pub mod summary;
pub mod tables;
pub mod work;

pub use controllers::Controllers;
pub use folder::{Folder, Shard};
pub use plan::Plan;
pub use resolved::{PlanText, Run, Sweep};
pub use run::Outcome;
