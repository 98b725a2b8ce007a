//! Statistics of runs: intervals, comparisons, survival. Each function names its source.
//!
//! Callers pass finite values only; a NaN or an infinity among them makes the result meaningless. Empty input gives NaN
//! or `None`, as each function says. Everything but sums, products, quotients and square roots comes from [`libm`], so
//! results have the same bits on every machine.

mod bootstrap;
mod compare;
mod describe;
mod interval;
mod normal;
mod rank;
mod student;
mod survival;

pub use bootstrap::{DEFAULT_RESAMPLES, bootstrap_interval, bootstrap_t_interval};
pub use compare::{Pair, PairedDifference, holm, pair_by_seed, paired_difference};
pub use describe::{Summary, mean, quantile, quantile_of_sorted, std_dev};
pub use interval::{Interval, mean_interval, wilson_interval};
pub use normal::{normal_cdf, normal_quantile};
pub use rank::{TestMethod, TestResult, mann_whitney, vargha_delaney, wilcoxon_signed_rank};
pub use student::{beta_regularized, ln_gamma, student_t_cdf, student_t_quantile};
pub use survival::{SurvivalCurve, SurvivalPoint, SurvivalTime};
