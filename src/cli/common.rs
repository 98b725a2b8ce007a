//! Flags that every verb has.

use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use anyhow::{bail, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use swarmarium_base::files::shown;
use swarmarium_core::text::wording::join;
use swarmarium_formats::import::{ControllerChoice, FileFormat, MetresPerUnit, Options, StandIn, Strokes, formats};
use swarmarium_formats::load::Override;

use super::environment;
use super::error::ArgumentError;
use super::messages::Color;
use super::sweep::plan::is_plan;

/// The heading of flags for files of other programs.
const IMPORTED: &str = "Files of other programs";

/// Flags that every verb has.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Global options")]
pub struct Common {
    /// Seed of every random stream, instead of that of the scene
    #[arg(long, global = true, value_name = "N", value_parser = any_whole)]
    pub seed: Option<u64>,
    /// Set a parameter of the scene, such as groups.millers.count=50; repeatable
    #[arg(long = "set", global = true, value_name = "PATH=VALUE")]
    pub overrides: Vec<Override>,
    /// Set a template variable of a RobotSwarmSimulator world, in YAML, such as n=12 or g=[0.2,0.5]; repeatable
    #[arg(long = "var", global = true, value_name = "NAME=VALUE", value_parser = variable, help_heading = IMPORTED, hide_short_help = true)]
    pub variables: Vec<(String, String)>,
    /// Accept pySimiam worlds with elements that the first parser of pySimiam ignored
    #[arg(long, global = true, help_heading = IMPORTED, hide_short_help = true)]
    pub lenient: bool,
    /// Import all groups of a drawing, not only the first
    #[arg(long, global = true, help_heading = IMPORTED, hide_short_help = true)]
    pub all_groups: bool,
    /// Length of a unit of a drawing, in metres: 1 for a drawing in metres, 0.001 for one in millimetres [default: 0.01]
    #[arg(long, global = true, value_name = "METRES", help_heading = IMPORTED, hide_short_help = true)]
    pub scale: Option<MetresPerUnit>,
    /// Make walls from the lines of a drawing, with this width in metres, or `drawn` for the width of each stroke
    #[arg(long, global = true, value_name = "WIDTH", help_heading = IMPORTED, hide_short_help = true)]
    pub strokes: Option<Strokes>,
    /// Choose the robot for a class of your own in a pySimiam world, such as UltraBot=quickbot, or for a robot of a plugin in an
    /// ARGoS experiment, such as Thymio=epuck; repeatable
    #[arg(long = "robot", global = true, value_name = "CLASS=ROBOT", value_parser = StandIn::of_robot, help_heading = IMPORTED, hide_short_help = true)]
    pub robots: Vec<StandIn>,
    /// Choose the supervisor for a class of your own in a pySimiam world, such as mine.Weave=quickbot-full; repeatable
    #[arg(long = "supervisor", global = true, value_name = "CLASS=NAME", value_parser = StandIn::of_supervisor, help_heading = IMPORTED, hide_short_help = true)]
    pub supervisors: Vec<StandIn>,
    /// Choose the controller for one of an ARGoS experiment, such as 'fdc=Diffusion(wheel_m_per_s: 0.1)'; repeatable
    #[arg(long = "controller", global = true, value_name = "ID=CONTROLLER", help_heading = IMPORTED, hide_short_help = true)]
    pub controllers: Vec<ControllerChoice>,
    /// Allow a world to include files from outside its folder
    #[arg(long, global = true, help_heading = IMPORTED, hide_short_help = true)]
    pub allow_outside: bool,
    /// Threads per simulation; they affect the speed only
    #[arg(long, global = true, value_name = "N", default_value = "1", value_parser = workers)]
    pub threads: usize,
    /// Report errors only
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Do not report progress
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Use colours in messages and help: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub color: Color,
    /// The command line as typed, for the records
    #[arg(skip)]
    pub command: Vec<String>,
    /// The name of the program, for messages with commands
    #[arg(skip)]
    pub program: String,
}

/// Whether an argument is for files of other programs.
pub(super) fn is_for_imports(argument: &clap::Arg) -> bool {
    argument.get_help_heading() == Some(IMPORTED)
}

/// Whether an argument is for scenes of any kind.
pub(super) fn is_for_scenes(argument: &clap::Arg) -> bool {
    ["seed", "overrides", "threads"].contains(&argument.get_id().as_str())
}

impl Common {
    /// The flags of a command line without any, for a program with this name.
    pub fn for_program(program: impl Into<String>) -> Self {
        Self {
            seed: None,
            overrides: Vec::new(),
            variables: Vec::new(),
            lenient: false,
            all_groups: false,
            scale: None,
            strokes: None,
            robots: Vec::new(),
            supervisors: Vec::new(),
            controllers: Vec::new(),
            allow_outside: false,
            threads: 1,
            quiet: false,
            no_progress: false,
            color: Color::default(),
            command: Vec::new(),
            program: program.into(),
        }
    }

    /// The overrides of `--seed` and `--set`.
    pub fn overrides(&self) -> Vec<Override> {
        let seed = self.seed.map(|seed| Override { path: "seed".into(), value: seed.to_string() });
        seed.into_iter().chain(self.overrides.iter().cloned()).collect()
    }

    /// These flags without `--seed` and `--set`.
    pub fn without_overrides(&self) -> Self {
        Self { seed: None, overrides: Vec::new(), ..self.clone() }
    }

    /// The number of concurrent runs: the given number, that of the environment, or as many as the cores have threads for.
    ///
    /// # Errors
    /// If the variable `SWARMARIUM_JOBS` is not a number.
    pub fn jobs(&self, asked: Option<usize>) -> anyhow::Result<usize> {
        let asked = if asked.is_some() { asked } else { environment::jobs()? };
        Ok(asked.unwrap_or_else(|| (swarmarium_sweep::work::cores() / self.threads).max(1)))
    }

    /// Whether progress is not reported.
    pub fn hides_progress(&self) -> bool {
        self.quiet || self.no_progress || environment::hides_progress()
    }

    /// The options for importers.
    pub fn import_options(&self) -> Options {
        let Self {
            variables,
            allow_outside,
            lenient,
            all_groups,
            scale,
            strokes,
            robots,
            supervisors,
            controllers,
            ..
        } = self;
        Options {
            variables: variables.clone(),
            allow_outside: *allow_outside,
            lenient: *lenient,
            all_groups: *all_groups,
            scale: scale.unwrap_or_default(),
            strokes: *strokes,
            robots: robots.clone(),
            supervisors: supervisors.clone(),
            controllers: controllers.clone(),
        }
    }

    /// Refuses flags of importers that read none of the files, as such a flag cannot have an effect, and empty names of files,
    /// such as those of a variable that a shell does not know.
    ///
    /// # Errors
    /// If the name of a file is empty, or with the first of these flags.
    pub fn check_files<'f>(&self, files: impl IntoIterator<Item = &'f str>) -> anyhow::Result<()> {
        let given = [
            ("--var", !self.variables.is_empty()),
            ("--allow-outside", self.allow_outside),
            ("--lenient", self.lenient),
            ("--all-groups", self.all_groups),
            ("--scale", self.scale.is_some()),
            ("--strokes", self.strokes.is_some()),
            ("--robot", !self.robots.is_empty()),
            ("--supervisor", !self.supervisors.is_empty()),
            ("--controller", !self.controllers.is_empty()),
        ];
        let files: Vec<&str> = files.into_iter().collect();
        ensure!(!files.contains(&""), "the name of a file is empty");
        for (flag, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
            let takers = || formats().iter().filter(|format| format.flags.contains(&flag));
            let is_read = |file: &&str| {
                let extension = Path::new(file).extension().and_then(|found| found.to_str()).unwrap_or_default();
                // The scene of a plan is known when the plan is read.
                takers().any(|format| format.has_extension(extension)) || is_plan(file).unwrap_or_default()
            };
            let names: Vec<String> = takers().map(FileFormat::shown_plural).collect();
            let names = match names.is_empty() {
                true => "formats of other builds of the program".to_owned(),
                false => join(&names.iter().map(String::as_str).collect::<Vec<_>>(), "and"),
            };
            let on = files.first().map_or_else(|| "here".to_owned(), |file| format!("on {}", shown(file)));
            ensure!(files.iter().any(is_read), "{flag}: only {names} use it; it has no effect {on}");
        }
        Ok(())
    }

    /// Refuses all flags that change a scene, for a command that reads none.
    ///
    /// # Errors
    /// With the first of these flags.
    pub fn check_no_scene(&self, verb: &str) -> anyhow::Result<()> {
        for (flag, is_given) in [("--seed", self.seed.is_some()), ("--set", !self.overrides.is_empty())] {
            ensure!(!is_given, "{flag}: has no effect: `{} {verb}` reads no scene", self.program);
        }
        self.check_files([])
    }

    /// Refuses two values of one parameter in `--set`.
    ///
    /// # Errors
    /// With the first parameter that has two.
    pub fn check_each_once(&self) -> anyhow::Result<()> {
        let is_later =
            |(place, one): &(usize, &Override)| self.overrides[..*place].iter().any(|it| it.path == one.path);
        match self.overrides.iter().enumerate().find(is_later) {
            Some((_, one)) => bail!("--set {}: is given twice", shown(&one.path)),
            None => Ok(()),
        }
    }

    /// Refuses two seeds: that of a flag, and that of `--set`.
    ///
    /// # Errors
    /// If there are two.
    pub fn check_one_seed(&self, flag: &str, is_given: bool) -> anyhow::Result<()> {
        let set = self.overrides.iter().find(|one| one.path == "seed").filter(|_| is_given);
        ensure!(set.is_none(), "{flag} and --set seed exclude each other: a run has one seed");
        Ok(())
    }
}

/// Reads a variable and its value. Blanks are part of the value.
fn variable(text: &str) -> Result<(String, String), ArgumentError> {
    let is_name = |name: &str| {
        !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && is_name(name) => Ok((name.into(), value.into())),
        _ => Err(ArgumentError::Variable),
    }
}

/// Reads one of some names as its value, in any case. Completions and messages know the names. A second name of a value is
/// accepted, but not shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneOf<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> OneOf<T> {
    fn possible(self) -> impl Iterator<Item = PossibleValue> {
        let is_first = move |place: usize| self.0[..place].iter().all(|(_, earlier)| *earlier != self.0[place].1);
        let named = self.0.iter().enumerate();
        named.map(move |(place, (name, _))| PossibleValue::new(*name).hide(!is_first(place)))
    }
}

impl<T: Copy + PartialEq + Send + Sync> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(&self, command: &clap::Command, argument: Option<&clap::Arg>, word: &OsStr) -> Result<T, clap::Error> {
        let typed = word.to_str().unwrap_or_default().trim();
        let found = self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(typed));
        let value = |(_, value): &(&str, T)| *value;
        // The other parser refuses what is none of its names.
        let refused = || PossibleValuesParser::new(self.possible()).parse_ref(command, argument, word);
        found.map_or_else(|| refused().map(|_| value(&self.0[0])), |found| Ok(value(found)))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.possible()))
    }
}

/// Reads an integer within limits.
pub(super) fn whole(text: &str, limits: RangeInclusive<u64>) -> Result<u64, ArgumentError> {
    let (text, min, max) = (text.trim(), *limits.start(), *limits.end());
    match text.parse() {
        Ok(number) if limits.contains(&number) => Ok(number),
        Err(_) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Err(ArgumentError::TooLarge { max })
        }
        _ => Err(ArgumentError::Whole { min, max }),
    }
}

/// Reads any integer from 0 on.
pub(super) fn any_whole(text: &str) -> Result<u64, ArgumentError> {
    whole(text, 0..=u64::MAX)
}

/// Reads a number of steps, frames or other things of which there is at least one.
pub(super) fn count(text: &str) -> Result<u64, ArgumentError> {
    whole(text, 1..=u64::MAX)
}

/// Reads a number of threads or of runs at the same time.
pub(super) fn workers(text: &str) -> Result<usize, ArgumentError> {
    whole(text, 1..=256).map(|number| number as usize)
}

/// Reads the length of a run, which is longer than 0.
pub(super) fn length(text: &str) -> Result<Seconds, ArgumentError> {
    match text.parse() {
        Ok(Seconds(seconds)) if seconds > 0.0 => Ok(Seconds(seconds)),
        Err(error @ ArgumentError::TooLong { .. }) => Err(error),
        _ => Err(ArgumentError::Length),
    }
}

/// Reads a width and a height in pixels, such as 1280x720.
pub(super) fn sides(text: &str, limits: RangeInclusive<u32>) -> Result<(u32, u32), ArgumentError> {
    let side = |text: &str| text.parse().ok().filter(|side| limits.contains(side));
    let both = text.split_once(['x', '×']).and_then(|(width, height)| side(width).zip(side(height)));
    both.ok_or(ArgumentError::Size { min: *limits.start(), max: *limits.end() })
}

/// The speed of simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// Simulated seconds per second.
    Times(f64),
    /// As fast as possible.
    Max,
}

impl FromStr for Speed {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        if text == "max" {
            return Ok(Self::Max);
        }
        match text.trim_end_matches(['x', '×']).parse() {
            Ok(times) if f64::is_finite(times) && times > 0.0 => Ok(Self::Times(times)),
            _ => Err(ArgumentError::Speed),
        }
    }
}

/// The longest duration in seconds, which no run reaches.
const MAX_S: f64 = 1e9;

/// A duration in simulated time: a number of seconds, or a number with a unit such as `90s` or `2m`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(pub f64);

impl FromStr for Seconds {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        let text = text.trim();
        let seconds = text.parse().or_else(|_| humantime::parse_duration(text).map(|duration| duration.as_secs_f64()));
        match seconds {
            Ok(seconds) if seconds > MAX_S => Err(ArgumentError::TooLong { most: MAX_S }),
            Ok(seconds) if f64::is_finite(seconds) && seconds >= 0.0 => Ok(Self(seconds)),
            _ => Err(ArgumentError::Duration),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_split_at_the_first_equals_sign() {
        let expected = Override { path: "a.b[0].c".into(), value: "\"x=y\"".into() };
        assert_eq!("a.b[0].c = \"x=y\"".parse(), Ok(expected));
        assert_eq!("a=".parse(), Ok(Override { path: "a".into(), value: String::new() }));
        for bad in ["", "a.b", "=1", " =1"] {
            assert!(bad.parse::<Override>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn flags_of_a_program_have_the_defaults_of_the_command_line() {
        #[derive(clap::Parser)]
        struct Program {
            #[command(flatten)]
            common: Common,
        }

        let parsed = <Program as clap::Parser>::parse_from(["program"]).common;
        assert_eq!(format!("{:?}", Common::for_program("")), format!("{parsed:?}"));
    }

    #[test]
    fn names_of_values_are_read_in_any_case() {
        let command = clap::Command::new("s");
        let read = |word: &str| OneOf(&[("grey", 1), ("gray", 1), ("tol", 2)]).parse_ref(&command, None, word.as_ref());
        assert_eq!((read("grey").unwrap(), read("Gray").unwrap(), read(" tol").unwrap()), (1, 1, 2));
        let error = read("to").unwrap_err().to_string();
        assert!(error.contains("grey, tol"), "the second name is not shown: {error}");
    }

    #[test]
    fn variables_have_a_name_and_a_value() {
        assert_eq!(variable("n=12"), Ok(("n".into(), "12".into())));
        assert_eq!(variable("a_b==x="), Ok(("a_b".into(), "=x=".into())));
        for bad in ["", "n", "=1", "1n=2", "a.b=1", "n =1"] {
            assert!(variable(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn speeds_are_positive_numbers_or_max() {
        assert_eq!("max".parse(), Ok(Speed::Max));
        assert_eq!("2.5".parse(), Ok(Speed::Times(2.5)));
        assert_eq!("4x".parse(), Ok(Speed::Times(4.0)));
        for bad in ["0", "-1", "NaN", "inf", "fast", ""] {
            assert!(bad.parse::<Speed>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn whole_numbers_are_within_limits() {
        assert_eq!(any_whole("0"), Ok(0));
        assert_eq!(count(" 12 "), Ok(12));
        assert_eq!(workers("256"), Ok(256));
        for bad in ["1e3", "-1", "abc", "", "99999999999999999999", "1.5", "0x10"] {
            assert!(any_whole(bad).is_err(), "{bad:?}");
        }
        assert_eq!(count("99999999999999999999"), Err(ArgumentError::TooLarge { max: u64::MAX }));
        assert!(count("0").is_err() && workers("257").is_err());
        let told = workers("0").unwrap_err().to_string();
        assert_eq!(told, "expected an integer from 1 to 256");
        assert!(["0", "0s", "-3", "x"].iter().all(|bad| length(bad) == Err(ArgumentError::Length)));
    }

    #[test]
    fn durations_are_seconds_or_have_a_unit() {
        assert_eq!("60".parse(), Ok(Seconds(60.0)));
        assert_eq!("0.5".parse(), Ok(Seconds(0.5)));
        assert_eq!("2m".parse(), Ok(Seconds(120.0)));
        for bad in ["-1", "inf", "NaN", "soon", "", "1e300"] {
            assert!(bad.parse::<Seconds>().is_err(), "{bad:?}");
        }
    }
}
