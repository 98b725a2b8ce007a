//! The view of a picture: its camera and overlays.

use std::fmt;
use std::str::FromStr;

use bevy::math::DVec2;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::did_you_mean;
use swarmarium_picture::camera::Camera;

use swarmarium_scene::scene::description::Scene;

/// The part and the features of a simulation to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The camera.
    pub camera: Camera,
    /// The overlays.
    pub overlays: Overlays,
    /// The agent that is drawn with its sensors.
    pub selected: Option<StableId>,
    /// The property that the colours of robots show.
    pub color_by: ColorBy,
    /// The length of the trails that the host of the simulation records.
    pub trail: TrailLength,
}

impl View {
    /// Creates a view of the whole arena of a scene on a screen of this size, in logical pixels.
    pub fn fit(scene: &Scene, screen_px: DVec2) -> Self {
        let camera = Camera { y_axis: scene.view.y_axis, ..Camera::fit(&scene.arena, screen_px) };
        let mut overlays = Overlays::default();
        overlays.set(Overlay::Connections, scene.view.connections);
        Self { camera, overlays, selected: None, color_by: ColorBy::default(), trail: TrailLength::default() }
    }

    /// Whether the sensors of all agents are shown, if there are this many agents.
    pub fn shows_all_sensors(&self, agents: usize) -> bool {
        match self.overlays.sensors {
            ShowSensors::Auto => self.selected.is_none() && agents <= CROWD,
            ShowSensors::All => true,
            ShowSensors::Selected => false,
        }
    }

    /// Switches between the sensors of all agents and those of the selected agent only.
    pub fn toggle_sensors(&mut self, agents: usize) {
        self.overlays.sensors = if self.shows_all_sensors(agents) { ShowSensors::Selected } else { ShowSensors::All };
    }
}

/// The largest number of agents with visible sensors in automatic mode: in a larger crowd, sensors cannot be
/// distinguished and take longer to draw than everything else.
pub const CROWD: usize = 500;

/// The agents whose sensors are shown. Those of the selected agent always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShowSensors {
    /// All agents until one is selected; only the selected one if there are more than [`CROWD`].
    #[default]
    Auto,
    /// All agents.
    All,
    /// The selected agent only.
    Selected,
}

/// A layer of additional drawing that can be switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// The floor of the arena; without it, the background is visible.
    Floor,
    /// Grid lines.
    Grid,
    /// Shapes that metrics draw in the world, such as a hull.
    Metrics,
    /// Trails of groups that have trails.
    Trails,
    /// Trails of all other robots, as far as the host of the simulation records them.
    AllTrails,
    /// The scale bar.
    ScaleBar,
    /// Lines from each agent to the agent in sight of its sensors.
    Links,
    /// Lines between robots in radio range. Those of the selected agent are always shown.
    Connections,
    /// The estimates of each robot, such as the ellipse of its formation. That of the selected agent is always shown.
    Estimates,
    /// The inputs and the state of the supervisor of each robot: arrows, measured points and state. Those of the
    /// selected agent are always shown.
    Plans,
    /// The number of each agent.
    Ids,
    /// The name of each agent, instead of its number.
    Names,
    /// The velocities of agents, as arrows to their positions in one second.
    Velocities,
    /// The commands of controllers, as arrows along the path of the next second.
    Commands,
    /// The number of robots per square metre.
    Density,
    /// The time that robots spent in each cell, as far as the host of the simulation records it.
    Occupancy,
    /// The Voronoi diagram of the robots: the boundaries between the areas nearest to each.
    Voronoi,
    /// The Delaunay triangulation of the robots.
    Delaunay,
    /// The labels of the grid lines, in metres.
    GridLabels,
    /// The name of the scene.
    Title,
    /// The simulated time.
    Clock,
    /// The seed of the run.
    Seed,
    /// The values of metrics, as numbers.
    Values,
    /// The scalar fields of the scene, as heat maps.
    Fields,
}

impl Overlay {
    /// The overlays that `--overlay` names. Sensors and metrics are more than one overlay there.
    pub const NAMED: [(Self, &'static str); 20] = [
        (Self::Grid, "grid"),
        (Self::GridLabels, "grid-labels"),
        (Self::ScaleBar, "scale"),
        (Self::Title, "title"),
        (Self::Clock, "clock"),
        (Self::Seed, "seed"),
        (Self::Links, "links"),
        (Self::Connections, "connections"),
        (Self::Estimates, "estimates"),
        (Self::Plans, "plans"),
        (Self::Trails, "trails"),
        (Self::Ids, "ids"),
        (Self::Names, "names"),
        (Self::Velocities, "velocities"),
        (Self::Commands, "commands"),
        (Self::Density, "density"),
        (Self::Occupancy, "occupancy"),
        (Self::Voronoi, "voronoi"),
        (Self::Delaunay, "delaunay"),
        (Self::Fields, "fields"),
    ];

    /// The overlay with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find_map(|(overlay, known)| (known == name).then_some(overlay))
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The active overlays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlays {
    /// The agents whose sensors are shown.
    pub sensors: ShowSensors,
    /// A bit for each overlay.
    shown: u32,
}

impl Overlays {
    /// Only the floor of the arena, without other overlays.
    pub const NONE: Self = Self { sensors: ShowSensors::Selected, shown: Overlay::Floor.bit() };

    /// Whether an overlay is shown.
    pub const fn shows(self, overlay: Overlay) -> bool {
        self.shown & overlay.bit() != 0
    }

    /// Shows or hides an overlay.
    pub const fn set(&mut self, overlay: Overlay, is_shown: bool) {
        if self.shows(overlay) != is_shown {
            self.toggle(overlay);
        }
    }

    /// Shows a hidden overlay, or hides a shown one.
    pub const fn toggle(&mut self, overlay: Overlay) {
        self.shown ^= overlay.bit();
    }

    /// The same overlays with another one.
    #[must_use]
    pub const fn with(mut self, overlay: Overlay) -> Self {
        self.set(overlay, true);
        self
    }

    /// The same overlays without one.
    #[must_use]
    pub const fn without(mut self, overlay: Overlay) -> Self {
        self.set(overlay, false);
        self
    }
}

impl Default for Overlays {
    fn default() -> Self {
        let overlays = Self::NONE.with(Overlay::Grid).with(Overlay::Trails).with(Overlay::ScaleBar);
        let overlays = overlays.with(Overlay::Fields);
        Self { sensors: ShowSensors::default(), ..overlays }
    }
}

/// The property that the colours of robots show. Dead robots are always grey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// The group, or the colour of its look.
    #[default]
    Group,
    /// The speed.
    Speed,
    /// The state of the controller.
    State,
    /// The first number that the sensor in a slot read.
    Reading(u32),
    /// The number of the robot.
    Id,
    /// The heading.
    Heading,
}

impl ColorBy {
    /// All values, each with its name for `--color-by` and its title in a legend.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Group, "group", "Group"),
        (Self::Speed, "speed", "Speed"),
        (Self::State, "state", "State"),
        (Self::Reading(0), "reading", "Reading"),
        (Self::Id, "id", "Id"),
        (Self::Heading, "heading", "Heading"),
    ];

    /// The next value; after the last, the first.
    #[must_use]
    pub fn next(self) -> Self {
        let place = Self::ALL.iter().position(|(known, ..)| known.is_like(self)).unwrap_or_default();
        Self::ALL[(place + 1) % Self::ALL.len()].0
    }

    /// Whether both are readings, or both are equal.
    pub fn is_like(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// The error of a text that names no [`ColorBy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownColorBy(String);

impl fmt::Display for UnknownColorBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ColorBy::ALL.map(|(_, name, _)| name);
        let near = did_you_mean(&self.0, names);
        write!(f, "expected {}, or reading:SLOT such as reading:1{near}", names.join(", "))
    }
}

impl std::error::Error for UnknownColorBy {}

impl FromStr for ColorBy {
    type Err = UnknownColorBy;

    fn from_str(text: &str) -> Result<Self, UnknownColorBy> {
        if let Some(slot) = text.strip_prefix("reading:").and_then(|slot| slot.parse().ok()) {
            return Ok(Self::Reading(slot));
        }
        let known = Self::ALL.iter().find(|(_, name, _)| *name == text);
        known.map(|(color_by, ..)| *color_by).ok_or_else(|| UnknownColorBy(text.to_owned()))
    }
}

/// The length of trails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrailLength {
    /// Simulated seconds.
    Seconds(f64),
    /// Metres along the path.
    Meters(f64),
}

impl Default for TrailLength {
    fn default() -> Self {
        Self::Seconds(10.0)
    }
}

impl TrailLength {
    /// The smallest and the largest length, in its unit.
    pub const RANGE: std::ops::RangeInclusive<f64> = 0.1..=3600.0;

    /// The number, in its unit.
    pub const fn number(self) -> f64 {
        match self {
            Self::Seconds(number) | Self::Meters(number) => number,
        }
    }

    /// The same number in the other unit.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Seconds(number) => Self::Meters(number),
            Self::Meters(number) => Self::Seconds(number),
        }
    }

    /// The length limited to its range; a value that is not a number becomes the default.
    #[must_use]
    pub fn within_reason(self) -> Self {
        let within = |number: f64| match number {
            number if number.is_finite() => number.clamp(*Self::RANGE.start(), *Self::RANGE.end()),
            _ => Self::default().number(),
        };
        match self {
            Self::Seconds(number) => Self::Seconds(within(number)),
            Self::Meters(number) => Self::Meters(within(number)),
        }
    }
}

/// Whether a box around two points, enlarged by `around_m`, overlaps another box; otherwise a picture can leave it out.
/// All in metres.
pub fn reaches_into([low, high]: [DVec2; 2], [one, other]: [DVec2; 2], around_m: f64) -> bool {
    let (first, last) = (one.min(other) - around_m, one.max(other) + around_m);
    last.cmpge(low).all() && first.cmple(high).all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_contains_a_line_that_crosses_it() {
        let seen = [DVec2::ZERO, DVec2::ONE];
        let across = [DVec2::new(5.0, 0.5), DVec2::new(-5.0, 0.5)];
        let beside = [DVec2::new(1.2, -5.0), DVec2::new(1.2, 5.0)];
        assert!(reaches_into(seen, across, 0.0) && reaches_into(seen, beside, 0.3));
        assert!(!reaches_into(seen, beside, 0.1) && !reaches_into(seen, [DVec2::NAN; 2], 0.1));
    }

    #[test]
    fn every_name_is_an_overlay_of_its_own() {
        for (overlay, name) in Overlay::NAMED {
            assert_eq!(Overlay::named(name), Some(overlay));
            let overlays = Overlays::NONE.with(overlay);
            let shown = Overlay::NAMED.into_iter().filter(|(overlay, _)| overlays.shows(*overlay));
            assert_eq!(shown.collect::<Vec<_>>(), [(overlay, name)]);
            assert_eq!(overlays.without(overlay), Overlays::NONE);
        }
        assert_eq!(Overlay::named("sensors"), None);
    }

    #[test]
    fn every_color_by_has_a_name_and_a_successor() {
        for (color_by, name, _) in ColorBy::ALL {
            assert_eq!(name.parse(), Ok(color_by));
        }
        assert_eq!("reading:3".parse(), Ok(ColorBy::Reading(3)));
        assert!("sped".parse::<ColorBy>().unwrap_err().to_string().contains("did you mean `speed`"));
        assert!("reading:x".parse::<ColorBy>().is_err());
        let all: Vec<ColorBy> =
            std::iter::successors(Some(ColorBy::Group), |color_by| Some(color_by.next())).take(7).collect();
        assert_eq!(all[1], ColorBy::Speed);
        assert_eq!(all[5], ColorBy::Heading);
        assert_eq!(all[6], ColorBy::Group);
        assert_eq!(ColorBy::Reading(7).next(), ColorBy::Id);
    }
}
