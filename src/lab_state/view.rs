//! The view: its camera and layers, the robots that it follows, and the selection.

use std::collections::BTreeSet;

use bevy::math::DVec2;
use bevy_egui::egui::Rect;
use swarmarium_base::math::{angle_of, direction};
use swarmarium_core::agent::Pose;
use swarmarium_draw::{Moment, Overlay, Past, View};
use swarmarium_host::clock::Host;
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_space::Boundary;
use swarmarium_video::Shot;

use crate::common::selection::{Item, Selection, extent};
use crate::notice::Notices;

/// How the view follows a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// The robot stays in the centre.
    Place,
    /// The view also turns with the heading.
    Heading,
}

/// The view of the world, its place in the window, and the selection.
pub struct ViewState {
    /// The requested view.
    pub current: View,
    /// The view of the painted frame; texts and triangles of one frame must agree.
    pub painted: View,
    /// The number of the opening, and whether the scene shows connections: the view follows a change of either.
    pub connections: (u64, bool),
    /// The rectangle of the world in the window, in points.
    pub rect_px: Rect,
    /// Whether the view shows the whole arena until the user moves it.
    pub is_fitted: bool,
    /// The robots that the view follows.
    pub follows: Option<Follows>,
    /// The point of the world under the cursor, in metres.
    pub cursor_m: Option<DVec2>,
    /// The past positions of robots, for trails and occupancy.
    pub past: Past,
    /// The selection.
    pub selection: Selection,
}

impl ViewState {
    /// Creates the view of the first scene in a rectangle of the window.
    pub fn new(view: View, rect_px: Rect, past: Past) -> Self {
        let connections = (1, view.overlays.shows(Overlay::Connections));
        Self {
            current: view,
            painted: view,
            connections,
            rect_px,
            is_fitted: true,
            follows: None,
            cursor_m: None,
            past,
            selection: Selection::default(),
        }
    }
}

impl ViewState {
    /// Returns the picture of a view, with the past of the run.
    pub fn picture(&self, host: &Host, view: &View) -> Picture {
        self.moment(host).picture(view)
    }

    /// Returns the present moment with its collected past.
    pub(crate) fn moment<'a>(&'a self, host: &'a Host) -> Moment<'a> {
        host.simulation().now().remembering(&self.past)
    }

    /// Returns the selected robots and those of selected groups, which the view follows.
    pub(crate) fn led<'a>(&self, host: &'a Host) -> Vec<AgentView<'a>> {
        let simulation = host.simulation();
        if let [Item::Agent(number)] = self.selection.items[..] {
            return simulation.agent(number).into_iter().collect();
        }
        let (mut numbers, mut groups) = (BTreeSet::new(), BTreeSet::new());
        for item in &self.selection.items {
            match *item {
                Item::Agent(number) => drop(numbers.insert(number)),
                Item::Group(place) => drop(groups.insert(place)),
                _ => {}
            }
        }
        if numbers.is_empty() && groups.is_empty() {
            return Vec::new();
        }
        let is_led =
            |agent: &AgentView| numbers.contains(&agent.id.index()) || groups.contains(&(agent.member.group as usize));
        simulation.agents().filter(is_led).collect()
    }

    /// Returns a common name of the robots that the view follows.
    pub fn led_name(&self, host: &Host) -> Option<String> {
        match (&self.selection.items[..], &self.led(host)[..]) {
            (_, []) => None,
            ([Item::Group(place)], _) => host.scene().groups.get(*place).map(|group| group.name.clone()),
            (_, [one]) => Some(one.name()),
            (_, many) => Some(format!("{} robots", many.len())),
        }
    }

    /// Returns the centroid of these robots and the heading of the sum of their directions.
    pub fn led_pose(&self, host: &Host) -> Option<Pose> {
        let led = self.led(host);
        if let [one] = &led[..] {
            return Some(one.pose);
        }
        let sum: DVec2 = led.iter().map(|agent| agent.pose.position_m).sum();
        let facing: DVec2 = led.iter().map(|agent| direction(agent.pose.heading_rad)).sum();
        let position_m = sum / led.len() as f64;
        // Headings that cancel out have no mean: then the view is not turned.
        let heading_rad = if facing.length() > 1e-9 * led.len() as f64 { angle_of(facing) } else { 0.0 };
        position_m.is_finite().then_some(Pose { position_m, heading_rad })
    }

    /// Zooms to a width of the view in metres.
    pub fn show_span(&mut self, span_m: f64) {
        if span_m.is_finite() && span_m > 0.0 {
            let pixels_per_m = self.current.camera.screen_px.x / span_m;
            set_zoom(&mut self.current.camera, pixels_per_m);
            self.is_fitted = false;
        }
    }

    /// Switches from trails of groups whose look has trails to trails of all robots, then to none. Where two of these
    /// look the same, one is left out.
    pub fn toggle_trails(&mut self, host: &Host) {
        let groups = &host.simulation().scene().groups;
        let has_own = groups.iter().any(|group| group.look.trail_s > 0.0);
        let has_others = groups.iter().any(|group| group.look.trail_s <= 0.0);
        let overlays = &mut self.current.overlays;
        let (trails, all_trails) = match (overlays.shows(Overlay::Trails), overlays.shows(Overlay::AllTrails)) {
            (true, false) if has_others => (true, true),
            (true, _) => (false, false),
            (false, _) => (true, !has_own),
        };
        overlays.set(Overlay::Trails, trails);
        overlays.set(Overlay::AllTrails, all_trails);
    }

    /// Whether visible trails are shown.
    pub fn shows_trails(&self, host: &Host) -> bool {
        let overlays = &self.current.overlays;
        let has_own = || host.simulation().scene().groups.iter().any(|group| group.look.trail_s > 0.0);
        overlays.shows(Overlay::Trails) && (overlays.shows(Overlay::AllTrails) || has_own())
    }

    /// Follows the selection; the second time, also turns with it; the third time, stops.
    pub fn follow(&mut self, host: &Host, notices: &mut Notices) {
        match self.follows {
            None if self.led(host).is_empty() => notices.say("Select a robot or a group to follow it"),
            None => self.follows = Some(Follows::Place),
            Some(Follows::Place) => self.follows = Some(Follows::Heading),
            Some(Follows::Heading) => self.stay(),
        }
    }

    /// Stops following.
    pub fn stay(&mut self) {
        if self.follows.take().is_some() {
            self.current.camera.turn_rad = 0.0;
        }
    }

    /// Moves the view to the robots that it follows.
    pub fn keep_up(&mut self, host: &Host) {
        let Some(follows) = self.follows else { return };
        let Some(Pose { position_m, heading_rad }) = self.led_pose(host) else {
            return self.stay();
        };
        self.is_fitted = false;
        self.current.camera.center_m = position_m;
        if follows == Follows::Heading {
            self.current.camera.turn_up(heading_rad);
        }
    }

    /// Shows the whole arena, also after the window changes its size.
    pub fn fit(&mut self, host: &Host) {
        self.follows = None;
        self.current.camera = View::fit(host.scene(), self.current.camera.screen_px).camera;
        self.is_fitted = true;
        let arena = &host.scene().arena;
        if arena.boundary == Boundary::Open {
            self.include_runaways(host, arena.center_m(), arena.size_m / 2.0);
        }
    }

    /// Zooms out until the robots that have left an open arena are visible, too.
    fn include_runaways(&mut self, host: &Host, center_m: DVec2, half_m: DVec2) {
        let arena = (center_m - half_m, center_m + half_m);
        let bounds = host.simulation().agents().fold(arena, |(low, high), agent| {
            let at_m = agent.pose.position_m;
            if at_m.is_finite() { (low.min(at_m), high.max(at_m)) } else { (low, high) }
        });
        if bounds != arena {
            let (low, high) = bounds;
            let camera = &mut self.current.camera;
            camera.center_m = low.midpoint(high);
            set_zoom(camera, MARGIN * (camera.screen_px / (high - low)).min_element());
        }
    }

    /// Records the rectangle of the world in the window.
    pub fn arrange(&mut self, host: &Host, world_px: Rect) {
        self.rect_px = world_px;
        let size = DVec2::new(f64::from(world_px.width()), f64::from(world_px.height())).max(DVec2::ONE);
        if size != self.current.camera.screen_px {
            self.current.camera.screen_px = size;
            if self.is_fitted {
                self.fit(host);
            }
        }
    }
}

fn set_zoom(camera: &mut Camera, pixels_per_m: f64) {
    let [least, most] = Camera::ZOOM;
    camera.pixels_per_m = pixels_per_m.clamp(least, most);
}

impl ViewState {
    /// Returns the view as a picture for another thread.
    pub(crate) fn view_shot(&self, host: &Host) -> Shot {
        Shot::new(self.picture(host, &self.current), self.current.camera)
    }
}

impl ViewState {
    /// Fits the selection and its surroundings into the view.
    pub fn fit_selection(&mut self, host: &Host, notices: &mut Notices) {
        let simulation = host.simulation();
        let boxes = self.selection.items.iter().filter_map(|item| extent(simulation, *item));
        let bounds = boxes.fold(None, |bounds: Option<(DVec2, DVec2)>, (center_m, reach_m)| {
            let (low, high) = bounds.unwrap_or((center_m, center_m));
            // A single robot does not fill the window.
            let reach_m = AROUND * reach_m.max(0.05);
            Some((low.min(center_m - reach_m), high.max(center_m + reach_m)))
        });
        let Some((low, high)) = bounds else {
            return notices.say("Select robots or objects to fit them into the view");
        };
        self.stay();
        let camera = &mut self.current.camera;
        let [least, most] = Camera::ZOOM;
        camera.center_m = low.midpoint(high);
        camera.pixels_per_m = (camera.screen_px / (high - low)).min_element().clamp(least, most);
        self.is_fitted = false;
    }
}

/// The part of the view that the arena and robots outside of it take.
const MARGIN: f64 = 0.9;

/// The size of the shown surroundings relative to an item.
const AROUND: f64 = 4.0;
