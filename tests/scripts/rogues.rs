//! Scripts that do what scripts must not do.
