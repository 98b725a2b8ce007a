//! The view: the robots that it follows, its width in metres, and trails.

use std::collections::BTreeSet;

use bevy::math::DVec2;
use bevy_egui::egui::Rect;
use swarmarium_base::math::{angle_of, direction};
use swarmarium_core::agent::Pose;
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::draw::{Overlay, Past, View};
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;

use super::Lab;
use super::selection::Item;

/// How the view follows a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// The robot stays in the centre.
    Place,
    /// The view also turns with the heading.
    Heading,
}

/// The view of the world and its place in the window.
pub struct Viewport {
    /// The requested view.
    pub view: View,
    /// The view of the painted frame; texts and triangles of one frame must agree.
    pub painted: View,
    /// The number of the opening, and whether the scene shows connections: the view follows a change of either.
    pub connections: (u64, bool),
    /// The rectangle of the world in the window, in points.
    pub rect_px: Rect,
    /// Whether the view shows the whole arena until the user moves it.
    pub is_fitted: bool,
    pub follows: Option<Follows>,
    /// The point of the world under the cursor, in metres.
    pub cursor_m: Option<DVec2>,
    /// The past positions of robots, for trails and occupancy.
    pub past: Past,
}

impl Viewport {
    /// Creates the view of the first scene in a rectangle of the window.
    pub fn new(view: View, rect_px: Rect, past: Past) -> Self {
        let connections = (1, view.overlays.shows(Overlay::Connections));
        Self { view, painted: view, connections, rect_px, is_fitted: true, follows: None, cursor_m: None, past }
    }
}

impl Lab {
    /// Returns the picture of a view, with the past of the run.
    pub(crate) fn picture(&self, view: &View) -> Picture {
        self.host.simulation().now().remembering(&self.viewport.past).picture(view)
    }

    /// Returns the selected robots and those of selected groups, which the view follows.
    pub(crate) fn led(&self) -> Vec<AgentView<'_>> {
        let simulation = self.host.simulation();
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
    pub(crate) fn led_name(&self) -> Option<String> {
        match (&self.selection.items[..], &self.led()[..]) {
            (_, []) => None,
            ([Item::Group(place)], _) => self.host.scene().groups.get(*place).map(|group| group.name.clone()),
            (_, [one]) => Some(one.name()),
            (_, many) => Some(format!("{} robots", many.len())),
        }
    }

    /// Returns the centroid of these robots and the heading of the sum of their directions.
    pub(crate) fn led_pose(&self) -> Option<Pose> {
        let led = self.led();
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
    pub(crate) fn show_span(&mut self, span_m: f64) {
        if span_m.is_finite() && span_m > 0.0 {
            let pixels_per_m = self.viewport.view.camera.screen_px.x / span_m;
            set_zoom(&mut self.viewport.view.camera, pixels_per_m);
            self.viewport.is_fitted = false;
        }
    }

    /// Switches from trails of groups whose look has trails to trails of all robots, then to none. Where two of these
    /// look the same, one is left out.
    pub(crate) fn toggle_trails(&mut self) {
        let groups = &self.host.simulation().scene().groups;
        let has_own = groups.iter().any(|group| group.look.trail_s > 0.0);
        let has_others = groups.iter().any(|group| group.look.trail_s <= 0.0);
        let overlays = &mut self.viewport.view.overlays;
        let (trails, all_trails) = match (overlays.shows(Overlay::Trails), overlays.shows(Overlay::AllTrails)) {
            (true, false) if has_others => (true, true),
            (true, _) => (false, false),
            (false, _) => (true, !has_own),
        };
        overlays.set(Overlay::Trails, trails);
        overlays.set(Overlay::AllTrails, all_trails);
    }

    /// Whether visible trails are shown.
    pub(crate) fn shows_trails(&self) -> bool {
        let overlays = &self.viewport.view.overlays;
        let has_own = || self.host.simulation().scene().groups.iter().any(|group| group.look.trail_s > 0.0);
        overlays.shows(Overlay::Trails) && (overlays.shows(Overlay::AllTrails) || has_own())
    }

    /// Follows the selection; the second time, also turns with it; the third time, stops.
    pub(crate) fn follow(&mut self) {
        match self.viewport.follows {
            None if self.led().is_empty() => self.tell_error("Select a robot or a group to follow it"),
            None => self.viewport.follows = Some(Follows::Place),
            Some(Follows::Place) => self.viewport.follows = Some(Follows::Heading),
            Some(Follows::Heading) => self.stay(),
        }
    }

    /// Stops following.
    pub(crate) fn stay(&mut self) {
        if self.viewport.follows.take().is_some() {
            self.viewport.view.camera.turn_rad = 0.0;
        }
    }

    /// Moves the view to the robots that it follows.
    pub(crate) fn keep_up(&mut self) {
        let Some(follows) = self.viewport.follows else { return };
        let Some(Pose { position_m, heading_rad }) = self.led_pose() else {
            return self.stay();
        };
        self.viewport.is_fitted = false;
        self.viewport.view.camera.center_m = position_m;
        if follows == Follows::Heading {
            self.viewport.view.camera.turn_up(heading_rad);
        }
    }

    /// Shows the whole arena, also after the window changes its size.
    pub(crate) fn fit(&mut self) {
        self.viewport.follows = None;
        self.viewport.view.camera = View::fit(self.host.scene(), self.viewport.view.camera.screen_px).camera;
        self.viewport.is_fitted = true;
    }

    /// Records the rectangle of the world in the window.
    pub(crate) fn arrange(&mut self, world_px: Rect) {
        self.viewport.rect_px = world_px;
        let size = DVec2::new(f64::from(world_px.width()), f64::from(world_px.height())).max(DVec2::ONE);
        if size != self.viewport.view.camera.screen_px {
            self.viewport.view.camera.screen_px = size;
            if self.viewport.is_fitted {
                self.fit();
            }
        }
    }
}

fn set_zoom(camera: &mut Camera, pixels_per_m: f64) {
    let [least, most] = Camera::ZOOM;
    camera.pixels_per_m = pixels_per_m.clamp(least, most);
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui;

    use super::*;
    use crate::action::ViewAction;
    use crate::testing::{do_steps, lab_of, lab_on};
    use crate::{Action, dispatch};

    fn act(lab: &mut Lab, action: Action) {
        dispatch::act(lab, &egui::Context::default(), action);
    }

    #[test]
    fn the_view_goes_with_a_group_or_with_several_robots() {
        let mut lab = lab_on("milling");
        let place = |lab: &Lab, number: u32| lab.host.simulation().agent(number).unwrap().pose.position_m;
        lab.choose(vec![Item::Agent(1), Item::Agent(4)]);
        act(&mut lab, Action::View(ViewAction::Follow));
        do_steps(&mut lab, 20);
        lab.keep_up();
        let middle = place(&lab, 1).midpoint(place(&lab, 4));
        assert!(lab.viewport.view.camera.center_m.distance(middle) < 1e-12);
        assert_eq!(lab.led_name().as_deref(), Some("2 robots"));
        lab.select(Some(Item::Group(0)));
        lab.keep_up();
        let sum: DVec2 = (0..6).map(|number| place(&lab, number)).sum();
        assert!(lab.viewport.view.camera.center_m.distance(sum / 6.0) < 1e-12);
        assert_eq!((lab.led_name().as_deref(), lab.viewport.follows), (Some("millers"), Some(Follows::Place)));
        lab.select(Some(Item::Metric(0)));
        lab.keep_up();
        assert_eq!(lab.viewport.follows, None, "nobody is left to follow");
    }

    #[test]
    fn the_mean_heading_goes_around_the_circle() {
        let text = "(groups: [(name: \"a\", at: [(1.0, 1.0, 3.0), (2.0, 1.0, -3.0)], controller: Constant())])";
        let mut lab = lab_of(text);
        lab.select(Some(Item::Group(0)));
        let heading = lab.led_pose().unwrap().heading_rad;
        assert!((heading.abs() - std::f64::consts::PI).abs() < 1e-9, "{heading}");
    }

    #[test]
    fn a_span_is_as_wide_as_it_says() {
        let mut lab = lab_on("milling");
        act(&mut lab, Action::View(ViewAction::Span(2.5)));
        let [low, high] = lab.viewport.view.camera.visible_m();
        assert!((high.x - low.x - 2.5).abs() < 1e-9);
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            act(&mut lab, Action::View(ViewAction::Span(wrong)));
        }
        assert!((lab.viewport.view.camera.screen_px.x / lab.viewport.view.camera.pixels_per_m - 2.5).abs() < 1e-9);
    }

    #[test]
    fn trails_come_and_go_with_one_key() {
        let shown = |lab: &Lab| {
            (lab.viewport.view.overlays.shows(Overlay::Trails), lab.viewport.view.overlays.shows(Overlay::AllTrails))
        };
        let group = |name: &str, look: &str| format!("(name: \"{name}\", controller: Constant(), look: ({look}))");
        let mut lab = lab_of(&format!("(groups: [{}])", group("a", "")));
        assert!(!lab.shows_trails(), "there are none");
        let mut states = Vec::new();
        for _ in 0..3 {
            act(&mut lab, Action::View(ViewAction::Trails));
            states.push((shown(&lab), lab.shows_trails()));
        }
        let (all, none) = (((true, true), true), ((false, false), false));
        assert_eq!(states, [all, none, all]);
        let both = [group("a", ""), group("b", "trail_s: 2.0")].join(", ");
        let mut lab = lab_of(&format!("(groups: [{both}])"));
        let mut states = vec![shown(&lab)];
        for _ in 0..3 {
            act(&mut lab, Action::View(ViewAction::Trails));
            states.push(shown(&lab));
        }
        assert_eq!(states, [(true, false), (true, true), (false, false), (true, false)]);
    }

    #[test]
    fn what_was_seen_of_a_run_is_forgotten_with_it() {
        let mut lab = lab_of("(groups: [(name: \"a\", controller: Constant(v_m_per_s: 1.0))])");
        act(&mut lab, Action::View(ViewAction::Trails));
        let trails = |lab: &Lab| {
            let picture = lab.picture(&lab.viewport.view);
            picture.items.iter().filter(|item| item.layer == swarmarium_picture::Layer::Trails).count()
        };
        do_steps(&mut lab, 40);
        assert!(trails(&lab) > 0);
        lab.reset(None);
        assert_eq!(trails(&lab), 0);
    }
}
