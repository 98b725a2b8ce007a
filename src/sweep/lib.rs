//! Sweeps: many runs of one scene with other parameters and seeds, from a plan to statistics, figures and a report.
//!
//! A plan names a scene, the factors that vary and the measures that are taken. Every combination of values is a point, and
//! a point has repetitions with seeds of their own. The unit of all statistics is a run, never a robot or a step.

pub mod charts;
pub mod figure;
pub mod folder;
pub mod log;
pub mod plan;
pub mod report;
pub mod resolved;
pub mod run;
pub mod sampling;
pub mod slurm;
pub mod stats;
pub mod summary;
pub mod tables;
pub mod work;

pub use folder::{Folder, Shard};
pub use plan::Plan;
pub use resolved::{PlanText, Run, Sweep};
pub use run::Outcome;
