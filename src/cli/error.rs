//! The errors of arguments.

/// The reason why the value of an argument is rejected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArgumentError {
    /// The value of `--var` is not a variable.
    #[error("expected name=value, such as n=12")]
    Variable,
    /// A size is not a width and a height within limits.
    #[error("expected width and height from {min} to {max}, such as 1280x800")]
    Size {
        /// The smallest side, in pixels.
        min: u32,
        /// The largest side, in pixels.
        max: u32,
    },
    /// A speed is neither a positive number nor `max`.
    #[error("expected a number > 0, or max")]
    Speed,
    /// A number is not an integer within limits.
    #[error("expected an integer {}", if *max == u64::MAX { format!("≥ {min}") } else { format!("from {min} to {max}") })]
    Whole {
        /// The smallest number.
        min: u64,
        /// The largest number.
        max: u64,
    },
    /// An integer is larger than any that the program takes.
    #[error("expected at most {max}")]
    TooLarge {
        /// The largest number.
        max: u64,
    },
    /// The length of a run is not a positive number of seconds.
    #[error("expected seconds > 0, such as 60, 90s or 2m")]
    Length,
    /// A duration is longer than any run.
    #[error("expected at most {most} seconds")]
    TooLong {
        /// The longest duration, in seconds.
        most: f64,
    },
    /// A duration is neither a number of seconds nor a number with a unit.
    #[error("expected seconds ≥ 0, such as 60, 90s or 2m")]
    Duration,
    /// A moment is neither a number, a time, nor a name.
    #[error(
        "expected seconds, or a step of a run folder, such as 1400; a time, such as 35s or 2m; or the name of a bookmark"
    )]
    Moment,
    /// A text is not an address to listen on.
    #[error("expected an address of this machine, such as 127.0.0.1 or 0.0.0.0")]
    Address,
    /// A token is too short or too long, or has characters that are not allowed.
    #[error("expected 8 to 256 letters, digits and marks without blanks")]
    Token,
    /// The speed of a video is not a positive number.
    #[error("expected a number > 0, such as 10 or 0.1")]
    VideoSpeed,
    /// A length, a size or a resolution is out of range.
    #[error("expected {unit} from {min} to {max}")]
    Quantity {
        /// The unit, in words.
        unit: &'static str,
        /// The smallest number.
        min: f64,
        /// The largest number.
        max: f64,
    },
    /// A text is not a range of numbers.
    #[error("expected two numbers, the larger one last, such as 0..1")]
    Range,
    /// The name of an overlay is unknown.
    #[error("expected some of {known}, or none{hint}")]
    Overlay {
        /// All names, with commas between them.
        known: String,
        /// A similar name, in words.
        hint: String,
    },
    /// The value of `--seeds` is not a range.
    #[error("expected seeds, such as 3,17,99 or 1..11 or 1..=10{hint}")]
    SeedRange {
        /// The range that was perhaps meant.
        hint: String,
    },
    /// A seed occurs twice in a list.
    #[error("the seed {0} occurs twice: two runs with one seed are one run")]
    SameSeed(u64),
    /// A list has too many seeds.
    #[error("expected at most {most} seeds")]
    TooManySeeds {
        /// The largest number of seeds.
        most: u64,
    },
    /// A factor of the command line is not a path with values.
    #[error("expected path=1,2,3 or path=0.1..2.0/8 or path=log 0.01..10/7")]
    Factor,
    /// The values of a factor are a range without a valid number of values.
    #[error("expected a whole number of values after `/`, such as {example}")]
    RangeCount {
        /// The range with a number of values.
        example: String,
    },
    /// A range of integers has other ends.
    #[error("`..=` expects two integers, the smaller one first, such as 4..=8; a range of other numbers is 0.1..2.0/8")]
    IntegerRange,
    /// A range is written with colons or a hyphen.
    #[error("`{mark}` makes no range: {first}..={last} has the integers, and {first}..{last}/5 has 5 values")]
    RangeMark {
        /// The colon or the hyphen.
        mark: char,
        /// The first value.
        first: f64,
        /// The last value.
        last: f64,
    },
    /// A range has too many integers.
    #[error("expected at most {most} integers in a range")]
    ManyIntegers {
        /// The largest number.
        most: u64,
    },
    /// The ends of a logarithmic range are not positive.
    #[error("a logarithmic range has ends > 0, such as log 0.01..10/7")]
    LogRange,
    /// The name of a sampling is unknown.
    #[error("expected grid, zip, latin-hypercube:N, sobol:N or random:N")]
    Sampling,
    /// A shard is not a number out of a number of shards.
    #[error("expected K/N, such as 2/8, with K from 1 to the number of shards")]
    Shard,
    /// An end of a range of seeds is not a seed.
    #[error("`{0}` is not a seed")]
    Seed(String),
    /// A range of seeds is empty.
    #[error("there is no seed in this range")]
    NoSeed,
    /// The name of a workload is unknown.
    #[error("there is no workload `{name}`{hint} (there are {known})")]
    Workload {
        /// The name.
        name: String,
        /// A similar name, in words.
        hint: String,
        /// All workloads, with commas between them.
        known: String,
    },
    /// The number of robots of a workload is out of range.
    #[error("expected a number of robots from 1 to {max}")]
    RobotCount {
        /// The largest number of robots.
        max: u32,
    },
    /// The workload does not have this number of robots.
    #[error("there is {known}")]
    WorkloadSize {
        /// The sizes of the workload, with commas between them.
        known: String,
    },
}
