//! Statistics of runs: intervals, comparisons, survival. Each function names its source.
