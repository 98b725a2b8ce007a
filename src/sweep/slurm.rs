//! Job arrays of Slurm that run the shards of a sweep.
