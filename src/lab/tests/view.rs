//! Tests of `lab_state::view`.

use bevy::math::DVec2;
use bevy_egui::egui;
use swarmarium_draw::Overlay;
use swarmarium_lab_panels::dispatch;
use swarmarium_lab_state::action::{Action, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_state::view::Follows;
use swarmarium_lab_testing::{do_steps, lab_of, lab_on};

fn act(lab: &mut Lab, action: Action) {
    dispatch::act(lab, &egui::Context::default(), action);
}

#[test]
fn the_view_follows_a_group_or_several_robots() {
    let mut lab = lab_on("milling");
    let place = |lab: &Lab, number: u32| lab.run.host.simulation().agent(number).unwrap().pose.position_m;
    lab.choose(vec![Item::Agent(1), Item::Agent(4)]);
    act(&mut lab, Action::View(ViewAction::Follow));
    do_steps(&mut lab, 20);
    lab.view.keep_up(&lab.run.host);
    let middle = place(&lab, 1).midpoint(place(&lab, 4));
    assert!(lab.view.current.camera.center_m.distance(middle) < 1e-12);
    assert_eq!(lab.view.led_name(&lab.run.host).as_deref(), Some("2 robots"));
    lab.select(Some(Item::Group(0)));
    lab.view.keep_up(&lab.run.host);
    let sum: DVec2 = (0..6).map(|number| place(&lab, number)).sum();
    assert!(lab.view.current.camera.center_m.distance(sum / 6.0) < 1e-12);
    assert_eq!(lab.view.led_name(&lab.run.host).as_deref(), Some("millers"));
    assert_eq!(lab.view.follows, Some(Follows::Place));
    lab.select(Some(Item::Metric(0)));
    lab.view.keep_up(&lab.run.host);
    assert_eq!(lab.view.follows, None, "nobody is left to follow");
}

#[test]
fn the_followed_mean_heading_is_circular() {
    let text = "(groups: [(name: \"a\", at: [(1.0, 1.0, 3.0), (2.0, 1.0, -3.0)], controller: Constant())])";
    let mut lab = lab_of(text);
    lab.select(Some(Item::Group(0)));
    let heading = lab.view.led_pose(&lab.run.host).unwrap().heading_rad;
    assert!((heading.abs() - std::f64::consts::PI).abs() < 1e-9, "{heading}");
}

#[test]
fn a_view_span_has_its_width() {
    let mut lab = lab_on("milling");
    act(&mut lab, Action::View(ViewAction::Span(2.5)));
    let [low, high] = lab.view.current.camera.visible_m();
    assert!((high.x - low.x - 2.5).abs() < 1e-9);
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        act(&mut lab, Action::View(ViewAction::Span(wrong)));
    }
    assert!((lab.view.current.camera.screen_px.x / lab.view.current.camera.pixels_per_m - 2.5).abs() < 1e-9);
}

#[test]
fn one_key_shows_and_hides_trails() {
    let shown = |lab: &Lab| {
        (lab.view.current.overlays.shows(Overlay::Trails), lab.view.current.overlays.shows(Overlay::AllTrails))
    };
    let group = |name: &str, look: &str| format!("(name: \"{name}\", controller: Constant(), look: ({look}))");
    let mut lab = lab_of(&format!("(groups: [{}])", group("a", "")));
    assert!(!lab.view.shows_trails(&lab.run.host), "there are none");
    let mut states = Vec::new();
    for _ in 0..3 {
        act(&mut lab, Action::View(ViewAction::Trails));
        states.push((shown(&lab), lab.view.shows_trails(&lab.run.host)));
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
fn the_view_forgets_trails_of_an_earlier_run() {
    let mut lab = lab_of("(groups: [(name: \"a\", controller: Constant(v_m_per_s: 1.0))])");
    act(&mut lab, Action::View(ViewAction::Trails));
    let trails = |lab: &Lab| {
        let picture = lab.view.picture(&lab.run.host, &lab.view.current);
        picture.items.iter().filter(|item| item.layer == swarmarium_picture::Layer::Trails).count()
    };
    do_steps(&mut lab, 40);
    assert!(trails(&lab) > 0);
    lab.reset(None);
    assert_eq!(trails(&lab), 0);
}
