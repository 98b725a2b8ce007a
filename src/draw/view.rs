//! Where the camera stands and what it shows.

use std::f64::consts::FRAC_PI_2;
use std::str::FromStr;

use bevy::math::DVec2;

use crate::arena::Arena;
use crate::id::StableId;
use crate::math;
use crate::problem::did_you_mean;
use crate::scene::description::{Scene, YAxis};

/// What to show of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where to look from.
    pub camera: Camera,
    /// What to draw on top.
    pub overlays: Overlays,
    /// The agent that is shown with its sensors.
    pub selected: Option<StableId>,
    /// What the colours of robots tell.
    pub color_by: ColorBy,
    /// How far back the trails go that the host of the simulation keeps.
    pub trail: TrailLength,
}

impl View {
    /// A view of the whole arena of a scene on a screen of this size, in logical pixels.
    pub fn fit(scene: &Scene, screen_px: DVec2) -> Self {
        let camera = Camera { y_axis: scene.view.y_axis, ..Camera::fit(&scene.arena, screen_px) };
        let overlays = Overlays { connections: scene.view.connections, ..Overlays::default() };
        Self { camera, overlays, selected: None, color_by: ColorBy::default(), trail: TrailLength::default() }
    }

    /// Whether everybody's sensors are shown, where there are so many agents.
    pub fn shows_all_sensors(&self, agents: usize) -> bool {
        match self.overlays.sensors {
            ShowSensors::Auto => self.selected.is_none() && agents <= CROWD,
            ShowSensors::All => true,
            ShowSensors::Selected => false,
        }
    }

    /// Shows everybody's sensors, or only those of the selected agent.
    pub fn toggle_sensors(&mut self, agents: usize) {
        self.overlays.sensors = if self.shows_all_sensors(agents) { ShowSensors::Selected } else { ShowSensors::All };
    }
}

/// From more agents than this on, nobody could tell their sensors apart, and painting them takes longer than all else.
pub const CROWD: usize = 500;

/// Whose sensors are shown. Those of the selected agent always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShowSensors {
    /// Everybody's, until an agent is selected; only that one's where there are more than [`CROWD`].
    #[default]
    Auto,
    /// Everybody's.
    All,
    /// Those of the selected agent only.
    Selected,
}

/// What can be switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlays {
    /// The floor of the arena; without it, what is behind shows through.
    pub floor: bool,
    /// Grid lines.
    pub grid: bool,
    /// Whose sensors are shown.
    pub sensors: ShowSensors,
    /// What metrics observe and can show in the world, such as a hull.
    pub metrics: bool,
    /// Where robots have been, of groups that have trails.
    pub trails: bool,
    /// Where all other robots have been, too, as far as the host of the simulation remembers.
    pub all_trails: bool,
    /// The bar that tells the scale.
    pub scale_bar: bool,
    /// Lines from each agent to the one that its sensors have in sight.
    pub links: bool,
    /// Lines between robots whose radios hear each other. Those of the selected agent always are.
    pub connections: bool,
    /// What each robot believes, such as the ellipse that it takes its formation for. That of the selected agent always is.
    pub estimates: bool,
    /// What the supervisor of each robot goes by: arrows, the points that it measured, its state. That of the selected
    /// agent always is.
    pub plans: bool,
    /// The number of each agent.
    pub ids: bool,
    /// The name of each agent, in the place of its number.
    pub names: bool,
    /// How fast agents are, as arrows to where they would be in a second.
    pub velocities: bool,
    /// What controllers want, as arrows to where that would lead in a second.
    pub commands: bool,
    /// How many robots there are to a square metre.
    pub density: bool,
    /// How long robots have been where, as far as the host of the simulation remembers.
    pub occupancy: bool,
    /// The Voronoi diagram of the robots: the borders of what is nearest to each.
    pub voronoi: bool,
    /// The Delaunay triangulation of the robots.
    pub delaunay: bool,
    /// Where the grid lines are, in metres.
    pub grid_labels: bool,
    /// The name of the scene.
    pub title: bool,
    /// The simulated time.
    pub clock: bool,
    /// The seed of the run.
    pub seed: bool,
    /// What metrics observe, as numbers.
    pub values: bool,
}

impl Overlays {
    /// Nothing on top of what there is.
    pub const NONE: Self = Self {
        floor: true,
        grid: false,
        sensors: ShowSensors::Selected,
        metrics: false,
        trails: false,
        all_trails: false,
        scale_bar: false,
        links: false,
        connections: false,
        estimates: false,
        plans: false,
        ids: false,
        names: false,
        velocities: false,
        commands: false,
        density: false,
        occupancy: false,
        voronoi: false,
        delaunay: false,
        grid_labels: false,
        title: false,
        clock: false,
        seed: false,
        values: false,
    };
}

impl Overlays {
    /// What is on or off by name. Sensors and metrics are more than that.
    pub const NAMES: [&str; 19] = [
        "grid",
        "grid-labels",
        "scale",
        "title",
        "clock",
        "seed",
        "links",
        "connections",
        "estimates",
        "plans",
        "trails",
        "ids",
        "names",
        "velocities",
        "commands",
        "density",
        "occupancy",
        "voronoi",
        "delaunay",
    ];

    /// The overlay of a name.
    pub fn by_name(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "grid" => &mut self.grid,
            "grid-labels" => &mut self.grid_labels,
            "scale" => &mut self.scale_bar,
            "title" => &mut self.title,
            "clock" => &mut self.clock,
            "seed" => &mut self.seed,
            "links" => &mut self.links,
            "connections" => &mut self.connections,
            "estimates" => &mut self.estimates,
            "plans" => &mut self.plans,
            "trails" => &mut self.trails,
            "ids" => &mut self.ids,
            "names" => &mut self.names,
            "velocities" => &mut self.velocities,
            "commands" => &mut self.commands,
            "density" => &mut self.density,
            "occupancy" => &mut self.occupancy,
            "voronoi" => &mut self.voronoi,
            "delaunay" => &mut self.delaunay,
            _ => return None,
        })
    }

    /// Whether the overlay of a name is on.
    pub fn is_on(mut self, name: &str) -> bool {
        self.by_name(name).is_some_and(|is_on| *is_on)
    }
}

impl Default for Overlays {
    fn default() -> Self {
        Self { grid: true, sensors: ShowSensors::default(), trails: true, scale_bar: true, ..Self::NONE }
    }
}

/// What colours of robots tell. The dead are grey whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// The group, or what its look says.
    #[default]
    Group,
    /// The speed.
    Speed,
    /// The state of the controller.
    State,
    /// The first number that the sensor in a slot read.
    Reading(u32),
    /// The number.
    Id,
    /// The heading.
    Heading,
}

impl ColorBy {
    /// All of them, with what `--color-by` calls them and what a legend does.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Group, "group", "Group"),
        (Self::Speed, "speed", "Speed"),
        (Self::State, "state", "State"),
        (Self::Reading(0), "reading", "Reading"),
        (Self::Id, "id", "Id"),
        (Self::Heading, "heading", "Heading"),
    ];

    /// The next one; after the last, the first.
    #[must_use]
    pub fn next(self) -> Self {
        let place = Self::ALL.iter().position(|(known, ..)| known.is_like(self)).unwrap_or_default();
        Self::ALL[(place + 1) % Self::ALL.len()].0
    }

    /// Whether both are readings, or both are the same.
    pub fn is_like(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

impl FromStr for ColorBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(slot) = text.strip_prefix("reading:").and_then(|slot| slot.parse().ok()) {
            return Ok(Self::Reading(slot));
        }
        let names = || Self::ALL.iter().map(|(_, name, _)| *name);
        let known = Self::ALL.iter().find(|(_, name, _)| *name == text);
        known.map(|(color_by, ..)| *color_by).ok_or_else(|| {
            let names_text = names().collect::<Vec<_>>().join(", ");
            format!("expected {names_text}, or reading:SLOT such as reading:1{}", did_you_mean(text, names()))
        })
    }
}

/// How far back a trail goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrailLength {
    /// Simulated seconds.
    Seconds(f64),
    /// Metres of the way.
    Meters(f64),
}

impl Default for TrailLength {
    fn default() -> Self {
        Self::Seconds(10.0)
    }
}

impl TrailLength {
    /// The shortest and the longest trail, in its unit.
    pub const RANGE: std::ops::RangeInclusive<f64> = 0.1..=3600.0;

    /// Its number, in its unit.
    pub const fn number(self) -> f64 {
        match self {
            Self::Seconds(number) | Self::Meters(number) => number,
        }
    }

    /// As long, in the other unit.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Seconds(number) => Self::Meters(number),
            Self::Meters(number) => Self::Seconds(number),
        }
    }

    /// Within its range; what is no number is as usual.
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

/// A camera that looks straight down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point of the world in the middle of the screen, in metres.
    pub center_m: DVec2,
    /// Zoom: logical pixels to a metre.
    pub pixels_per_m: f64,
    /// Size of the screen in logical pixels.
    pub screen_px: DVec2,
    /// Where the y axis of the world points on the screen.
    pub y_axis: YAxis,
    /// How far the world is turned on the screen, anticlockwise.
    pub turn_rad: f64,
}

impl Camera {
    /// The closest and the farthest zoom, in logical pixels to a metre.
    pub const ZOOM: [f64; 2] = [1e-3, 1e5];

    /// Shows the whole arena with a margin.
    pub fn fit(arena: &Arena, screen_px: DVec2) -> Self {
        let screen_px = screen_px.max(DVec2::ONE);
        let pixels_per_m = (screen_px / arena.size_m).min_element() * 0.92;
        let [min, max] = Self::ZOOM;
        let pixels_per_m = pixels_per_m.clamp(min, max);
        Self { center_m: arena.middle_m(), pixels_per_m, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 }
    }

    /// The point on the screen, in logical pixels from its top left corner, where a point of the world is seen.
    pub fn screen_from_world(&self, point_m: DVec2) -> DVec2 {
        let right_and_up = self.turn().rotate((point_m - self.center_m) * DVec2::new(1.0, self.y_axis.up()));
        self.screen_px / 2.0 + right_and_up * DVec2::new(1.0, -1.0) * self.pixels_per_m
    }

    /// The point of the world that is seen at a point of the screen.
    pub fn world_from_screen(&self, point_px: DVec2) -> DVec2 {
        self.center_m + self.across_m(point_px - self.screen_px / 2.0)
    }

    /// The way in the world, in metres, that is as far on the screen, in logical pixels to the right and down.
    pub fn across_m(&self, by_px: DVec2) -> DVec2 {
        let back = self.turn() * DVec2::new(1.0, -1.0);
        back.rotate(by_px * DVec2::new(1.0, -1.0)) * DVec2::new(1.0, self.y_axis.up()) / self.pixels_per_m
    }

    /// The direction of x on the screen, to the right and up.
    fn turn(&self) -> DVec2 {
        math::direction(self.turn_rad)
    }

    /// Turns the world so that a direction in it points up on the screen.
    pub fn turn_up(&mut self, bearing_rad: f64) {
        self.turn_rad = FRAC_PI_2 - bearing_rad * self.y_axis.up();
    }

    /// Zooms by a factor; the point of the world under a point of the screen stays there.
    pub fn zoom_at(&mut self, point_px: DVec2, factor: f64) {
        let fixed = self.world_from_screen(point_px);
        let [min, max] = Self::ZOOM;
        self.pixels_per_m = (self.pixels_per_m * factor).clamp(min, max);
        self.center_m += fixed - self.world_from_screen(point_px);
    }

    /// Moves the world by a distance on the screen.
    pub fn pan(&mut self, by_px: DVec2) {
        self.center_m -= self.across_m(by_px);
    }

    /// The corners of a box around what is seen, lower left and upper right, in metres.
    pub fn visible_m(&self) -> [DVec2; 2] {
        let half = self.reach_px() / self.pixels_per_m;
        [self.center_m - half, self.center_m + half]
    }

    /// Half the width and height of a box along the axes of the world, around its middle, that holds the screen, in
    /// logical pixels.
    pub fn reach_px(&self) -> DVec2 {
        let (half, across) = (self.screen_px / 2.0, self.turn().abs());
        DVec2::new(across.dot(half), across.dot(DVec2::new(half.y, half.x)))
    }
}

/// Whether a box around two points, and so much around that, reaches into another box: what does not can be left out of
/// a picture. All in metres.
pub(super) fn reaches_into([low, high]: [DVec2; 2], [one, other]: [DVec2; 2], around_m: f64) -> bool {
    let (first, last) = (one.min(other) - around_m, one.max(other) + around_m);
    last.cmpge(low).all() && first.cmple(high).all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_across_a_box_reaches_into_it_and_one_beside_it_does_not() {
        let seen = [DVec2::ZERO, DVec2::ONE];
        let across = [DVec2::new(5.0, 0.5), DVec2::new(-5.0, 0.5)];
        let beside = [DVec2::new(1.2, -5.0), DVec2::new(1.2, 5.0)];
        assert!(reaches_into(seen, across, 0.0) && reaches_into(seen, beside, 0.3));
        assert!(!reaches_into(seen, beside, 0.1) && !reaches_into(seen, [DVec2::NAN; 2], 0.1));
    }

    #[test]
    fn every_name_is_an_overlay_of_its_own() {
        for name in Overlays::NAMES {
            let mut overlays = Overlays::NONE;
            *overlays.by_name(name).unwrap() = true;
            let on: Vec<&str> = Overlays::NAMES.into_iter().filter(|name| overlays.is_on(name)).collect();
            assert_eq!(on, [name]);
        }
        assert!(!Overlays::default().is_on("sensors"));
    }

    #[test]
    fn what_colours_tell_has_a_name_and_a_next_one() {
        for (color_by, name, _) in ColorBy::ALL {
            assert_eq!(name.parse(), Ok(color_by));
        }
        assert_eq!("reading:3".parse(), Ok(ColorBy::Reading(3)));
        assert!("sped".parse::<ColorBy>().unwrap_err().contains("did you mean `speed`"));
        assert!("reading:x".parse::<ColorBy>().is_err());
        let all: Vec<ColorBy> =
            std::iter::successors(Some(ColorBy::Group), |color_by| Some(color_by.next())).take(7).collect();
        assert_eq!((all[1], all[5], all[6]), (ColorBy::Speed, ColorBy::Heading, ColorBy::Group));
        assert_eq!(ColorBy::Reading(7).next(), ColorBy::Id);
    }

    const SCREEN: DVec2 = DVec2::new(800.0, 600.0);

    #[test]
    fn a_fitted_arena_is_seen_whole() {
        let camera = Camera::fit(&Arena { size_m: DVec2::new(10.0, 2.0), ..Arena::default() }, SCREEN);
        let [low, high] = camera.visible_m();
        assert!(low.cmple(DVec2::ZERO).all() && high.cmpge(DVec2::new(10.0, 2.0)).all());
    }

    #[test]
    fn screen_and_world_are_inverse() {
        let center_m = DVec2::new(3.0, -2.0);
        let camera = Camera { center_m, pixels_per_m: 37.0, screen_px: SCREEN, y_axis: YAxis::Up, turn_rad: 0.0 };
        let point = DVec2::new(1.25, 7.5);
        for y_axis in [YAxis::Up, YAxis::Down] {
            let camera = Camera { y_axis, ..camera };
            assert!((camera.world_from_screen(camera.screen_from_world(point)) - point).length() < 1e-12);
            let above = camera.screen_from_world(point + DVec2::Y).y < camera.screen_from_world(point).y;
            assert_eq!(above, y_axis == YAxis::Up);
        }
    }

    #[test]
    fn a_turned_camera_has_a_direction_up() {
        for y_axis in [YAxis::Up, YAxis::Down] {
            let mut camera = Camera { y_axis, ..Camera::fit(&Arena::default(), SCREEN) };
            camera.turn_up(0.7);
            let ahead = camera.screen_from_world(camera.center_m + math::direction(0.7)) - SCREEN / 2.0;
            assert!((ahead - DVec2::new(0.0, -camera.pixels_per_m)).length() < 1e-9, "{ahead}");
            let point = DVec2::new(1.25, 7.5);
            assert!((camera.world_from_screen(camera.screen_from_world(point)) - point).length() < 1e-12);
            let [low, high] = camera.visible_m();
            for corner in [DVec2::ZERO, SCREEN, DVec2::new(SCREEN.x, 0.0), DVec2::new(0.0, SCREEN.y)] {
                let corner = camera.world_from_screen(corner);
                assert!((corner - low).min_element() > -1e-9 && (high - corner).min_element() > -1e-9);
            }
            let before = camera.world_from_screen(DVec2::new(100.0, 100.0));
            camera.pan(DVec2::new(30.0, -20.0));
            assert!((camera.world_from_screen(DVec2::new(130.0, 80.0)) - before).length() < 1e-12);
        }
    }

    #[test]
    fn zooming_keeps_the_point_under_the_cursor() {
        let mut camera = Camera::fit(&Arena::default(), SCREEN);
        let cursor = DVec2::new(650.0, 120.0);
        let before = camera.world_from_screen(cursor);
        camera.zoom_at(cursor, 3.0);
        assert!((camera.world_from_screen(cursor) - before).length() < 1e-12);
    }

    #[test]
    fn panning_moves_the_world_with_the_cursor() {
        let mut camera = Camera::fit(&Arena::default(), SCREEN);
        let before = camera.world_from_screen(DVec2::new(100.0, 100.0));
        camera.pan(DVec2::new(30.0, -20.0));
        assert!((camera.world_from_screen(DVec2::new(130.0, 80.0)) - before).length() < 1e-12);
    }
}
