//! The recorder: it observes a simulation step by step and takes its frames.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use bevy::math::DVec2;
use swarmarium_core::agent::Pose;
use swarmarium_core::events::Event;
use swarmarium_core::metric::{self, Quantity};
use swarmarium_draw::color_by::Coloring;
use swarmarium_draw::legend::Key;
use swarmarium_draw::scenery::RobotArtist;
use swarmarium_draw::{ColorBy, Overlay, Overlays, View};
use swarmarium_picture::Role;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::Field;
use thiserror::Error;

use crate::items::Surroundings;
use crate::series::Series;
use crate::shapes::{Bodies, Robot};

/// The numbers of frames per simulated second that a page may have.
pub const RATES_HZ: RangeInclusive<f64> = 0.01..=1000.0;

/// The largest number of bytes that a recorder keeps.
const MOST_BYTES: usize = 1_000_000_000;
/// The largest number of events that a recorder keeps, and a page shows.
pub(crate) const MOST_EVENTS: usize = 2000;
/// The largest number of appearances of robots. A page describes each with all its shapes.
pub(crate) const MOST_BODIES: usize = 10_000;
/// The size of a pose of a robot with its state.
const POSE_BYTES: usize = size_of::<([f32; 3], u32)>();
/// The size of the screen for which the surroundings are drawn, in logical pixels.
const SCREEN_PX: DVec2 = DVec2::new(1280.0, 720.0);
/// The shortest time between two states of a field, in simulated seconds.
const FIELD_S: f64 = 1.0;

/// The content of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The number of frames per simulated second; the page interpolates between them.
    pub rate_hz: f64,
    /// The length of all trails in simulated seconds; `None` for those of the scene.
    pub trail_s: Option<f64>,
    /// The property that the colours of robots show: the group or the state.
    pub color_by: ColorBy,
    /// The largest size of a page in bytes.
    pub max_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { rate_hz: 10.0, trail_s: None, color_by: ColorBy::Group, max_bytes: 25_000_000 }
    }
}

/// The reason why a run has no page.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PageError {
    /// The page would be too large.
    #[error(
        "the page has {} MB: expected at most {} MB; {}a shorter part of the run makes it smaller",
        megabytes(*bytes), megabytes(*max_bytes), advice(*from_hz, *rate_hz)
    )]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The largest size.
        max_bytes: usize,
        /// The rate.
        from_hz: f64,
        /// A rate that makes it small enough; `None` if the parts without poses are too large already.
        rate_hz: Option<f64>,
    },
    /// The frames need more memory than a recorder takes.
    #[error(
        "the frames up to {time_s} s need more than {} MB of memory: expected less; a rate below {rate_hz} frames per \
         simulated second or a shorter part of the run needs less",
        megabytes(MOST_BYTES)
    )]
    TooMuchMemory {
        /// The time of the last frame.
        time_s: f64,
        /// The present rate.
        rate_hz: f64,
    },
    /// Robots have more appearances than a page describes.
    #[error(
        "robots have more than {MOST_BODIES} appearances by {time_s} s: expected fewer; LEDs that fade have one for each \
         frame, so a rate below {rate_hz} frames per simulated second or a shorter part of the run has fewer"
    )]
    TooManyBodies {
        /// The time of the last frame.
        time_s: f64,
        /// The present rate.
        rate_hz: f64,
    },
    /// The colours show a property that changes at every step.
    #[error("colours by `{0}` change at every step: expected group or state")]
    ColorBy(&'static str),
    /// The rate is out of range.
    #[error("rate {0} Hz: expected {least} to {most}", least = RATES_HZ.start(), most = RATES_HZ.end())]
    Rate(f64),
    /// The data cannot be written.
    #[error("the data of the page cannot be written: {0}")]
    Data(String),
}

/// Bytes as megabytes with one decimal, rounded up.
fn megabytes(bytes: usize) -> f64 {
    bytes.div_ceil(100_000) as f64 / 10.0
}

/// Advice for a lower rate, if one makes a page small enough.
fn advice(from_hz: f64, rate_hz: Option<f64>) -> String {
    let advice = |rate_hz| format!("a rate of {rate_hz} frames per simulated second, instead of {from_hz}, or ");
    rate_hz.map(advice).unwrap_or_default()
}

/// A robot over time.
#[derive(Debug)]
pub struct RobotTrack {
    /// The place of its group.
    pub group: u32,
    /// Its name.
    pub name: String,
    /// The first frame.
    pub from: usize,
    /// In each frame, twice the number of its body, from 1, or 0 where it is absent; and 1 more after a jump.
    pub states: Vec<u32>,
    /// In each frame, the position relative to the corner of the arena in metres, and the heading in turns.
    pub poses: Vec<[f32; 3]>,
    /// The position in the last frame, and the displacement since then, jumps left out.
    last_m: DVec2,
    moved_m: DVec2,
}

/// Observes a simulation and takes frames at a constant rate.
#[derive(Debug)]
pub struct PageRecorder {
    pub(crate) options: Options,
    /// The number of steps between two frames.
    pub(crate) stride: u64,
    pub(crate) dt_s: f64,
    /// The first step and the last one so far.
    pub(crate) steps: [u64; 2],
    pub(crate) frames: usize,
    /// The step of the last frame.
    frame_step: u64,
    pub(crate) view: View,
    /// The arena at the start.
    pub(crate) arena: Field,
    pub(crate) robots: BTreeMap<u32, RobotTrack>,
    pub(crate) bodies: Bodies,
    pub(crate) surroundings: Surroundings,
    /// The values of each column of the metrics.
    pub(crate) metrics: Vec<(String, Series)>,
    /// The quantities in these columns.
    pub(crate) quantities: Vec<Quantity>,
    /// The first events.
    pub(crate) events: Vec<Event>,
    /// The number of events beyond these, those included that the log of the simulation had dropped before they were seen.
    pub(crate) left_out: u64,
    seen_events: u64,
    /// The colours of states with their names.
    pub(crate) legend: Vec<(Role, String)>,
    poses: usize,
    field_frame: usize,
}

impl Options {
    /// Checks that all options are in range.
    ///
    /// # Errors
    /// If one is not.
    pub fn check(&self) -> Result<(), PageError> {
        if !matches!(self.color_by, ColorBy::Group | ColorBy::State) {
            let name = ColorBy::ALL.iter().find(|(known, ..)| known.is_like(self.color_by));
            return Err(PageError::ColorBy(name.map_or("", |(_, name, _)| name)));
        }
        if !RATES_HZ.contains(&self.rate_hz) {
            return Err(PageError::Rate(self.rate_hz));
        }
        Ok(())
    }
}

impl PageRecorder {
    /// Starts with the present state of a simulation as the first frame.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(simulation: &Simulation, options: Options) -> Result<Self, PageError> {
        options.check()?;
        let time = simulation.time();
        let mut view = View::fit(simulation.scene(), SCREEN_PX);
        view.overlays = Overlays::NONE.with(Overlay::Grid).with(Overlay::Fields);
        view.color_by = options.color_by;
        let columns = simulation.metric_columns().into_iter();
        let arena = simulation.now().space.arena;
        let mut recorder = Self {
            options,
            stride: ((1.0 / (options.rate_hz * time.dt_s)).round() as u64).max(1),
            dt_s: time.dt_s,
            steps: [time.step; 2],
            frames: 0,
            frame_step: time.step,
            view,
            robots: BTreeMap::new(),
            bodies: Bodies::default(),
            surroundings: Surroundings::new(arena.size),
            arena,
            metrics: columns.map(|name| (name, Series::default())).collect(),
            quantities: metric::quantities(simulation.world()),
            events: Vec::new(),
            left_out: 0,
            seen_events: simulation.events().count(),
            legend: Vec::new(),
            poses: 0,
            field_frame: 0,
        };
        recorder.add_metrics(simulation);
        recorder.add_frame(simulation)?;
        Ok(recorder)
    }

    /// The number of steps between two frames.
    pub fn steps_per_frame(&self) -> u64 {
        self.stride
    }

    /// Observes the step that was just done. Every step must be observed.
    ///
    /// # Errors
    /// If the frames need too much memory, or robots have too many appearances.
    pub fn observe(&mut self, simulation: &Simulation) -> Result<(), PageError> {
        let step = simulation.time().step;
        self.steps[1] = step;
        self.add_metrics(simulation);
        self.add_events(simulation);
        let moment = simulation.now();
        let bodies = &moment.space.bodies;
        for (owner, moved) in bodies.owners().iter().zip(bodies.displacements()) {
            if let Some(robot) = self.robots.get_mut(&owner.number) {
                robot.moved_m += *moved;
            }
        }
        if (step - self.steps[0]).is_multiple_of(self.stride) {
            self.add_frame(simulation)?;
        }
        Ok(())
    }

    /// Takes the last step as a frame, which follows the one before it by less than the distance of the others, unless it is
    /// one already.
    pub(crate) fn finish(&mut self, simulation: &Simulation) -> Result<(), PageError> {
        if self.frame_step < self.steps[1] { self.add_frame(simulation) } else { Ok(()) }
    }

    fn add_metrics(&mut self, simulation: &Simulation) {
        let values = simulation.metrics();
        for (place, (_, series)) in self.metrics.iter_mut().enumerate() {
            series.push(values.get(place).copied().unwrap_or(f64::NAN));
        }
    }

    fn add_events(&mut self, simulation: &Simulation) {
        let (log, seen) = (simulation.events(), self.seen_events);
        let new = log.count().saturating_sub(seen);
        let kept = new.min(log.iter().len() as u64);
        let taken = kept.min(MOST_EVENTS.saturating_sub(self.events.len()) as u64);
        self.left_out += new - taken;
        let first = log.iter().len() - kept as usize;
        self.events.extend(log.iter().skip(first).take(taken as usize).cloned());
        self.seen_events = log.count();
    }

    fn add_frame(&mut self, simulation: &Simulation) -> Result<(), PageError> {
        let (frame, moment) = (self.frames, simulation.now());
        self.frame_step = simulation.time().step;
        let is_due = (frame - self.field_frame) as f64 * self.frame_s() >= FIELD_S - 1e-9;
        let refreshes = frame == 0 || is_due;
        if refreshes {
            self.field_frame = frame;
        }
        self.surroundings.add(moment.surroundings(&self.view).items, refreshes);
        let coloring = Coloring::new(&moment, self.options.color_by);
        let members = simulation.members();
        let low = self.arena.low;
        if let Some(artist) = RobotArtist::new(&moment, coloring.as_ref()) {
            let bodies = &moment.space.bodies;
            for (row, owner) in bodies.owners().iter().enumerate() {
                let pose = Pose { position_m: bodies.positions()[row], heading_rad: bodies.headings()[row] };
                if !pose.position_m.is_finite() || !pose.heading_rad.is_finite() {
                    continue;
                }
                let number = owner.number;
                let group = members.get(row).filter(|(known, _)| *known == number).map(|(_, member)| member.group);
                let track = self.robots.entry(number).or_insert_with(|| RobotTrack {
                    group: group.unwrap_or_default(),
                    name: simulation.agent(number).map_or_else(|| format!("robot {number}"), |agent| agent.name()),
                    from: frame,
                    states: Vec::new(),
                    poses: Vec::new(),
                    last_m: pose.position_m,
                    moved_m: DVec2::ZERO,
                });
                let before = track.states.last().and_then(|state| (*state as usize / 2).checked_sub(1));
                let trail = moment.trail_color(row).unwrap_or(Role::Dim);
                let robot = Robot { row, pose, radius_m: bodies.radii()[row], trail };
                let body = self.bodies.place(&artist, &self.view, robot, before);
                // A frame without the robot repeats its pose.
                let gap = frame - track.from - track.states.len();
                let known = track.poses.last().copied().unwrap_or_default();
                track.states.extend(std::iter::repeat_n(0, gap));
                track.poses.extend(std::iter::repeat_n(known, gap));
                let way_m = pose.position_m - track.last_m;
                let has_jumped = (way_m - track.moved_m).length() > 1e-6 * (1.0 + pose.position_m.length());
                track.states.push(2 * (body as u32 + 1) + u32::from(has_jumped));
                let [x, y] = (pose.position_m - low).to_array().map(|length_m| length_m as f32);
                track.poses.push([x, y, (pose.heading_rad / std::f64::consts::TAU).rem_euclid(1.0) as f32]);
                (track.last_m, track.moved_m) = (pose.position_m, DVec2::ZERO);
                self.poses += 1;
            }
        }
        if let Some(Key::Swatches(swatches)) = coloring.map(|coloring| coloring.legend.key) {
            let new = swatches.into_iter().filter(|swatch| !self.legend.contains(swatch)).collect::<Vec<_>>();
            self.legend.extend(new);
        }
        self.frames += 1;
        let time_s = swarmarium_base::math::decimal_product(simulation.time().now_s());
        let rate_hz = self.options.rate_hz;
        match () {
            () if self.bodies.len() > MOST_BODIES => Err(PageError::TooManyBodies { time_s, rate_hz }),
            () if self.poses * POSE_BYTES + self.surroundings.bytes() > MOST_BYTES => {
                Err(PageError::TooMuchMemory { time_s, rate_hz })
            }
            () => Ok(()),
        }
    }

    /// The time between two frames, in seconds.
    pub(crate) fn frame_s(&self) -> f64 {
        self.stride as f64 * self.dt_s
    }
}
