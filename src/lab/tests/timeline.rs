//! The timeline in use, checked against the hashes of uninterrupted runs.

use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{self, Key, Modifiers, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_draw::Overlay;
use swarmarium_host::clock::host::{Direction, Seek};
use swarmarium_host::timeline::Moment;
use swarmarium_lab_panels::dispatch;
use swarmarium_lab_state::action::{Action, MomentCondition, RangeEnd, TimelineAction, TimelineItem};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::moments::MomentKind;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_state::edit::parts;
use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, settle, window};
use swarmarium_simulation::edit::Edit;

const CRASH: &str = r#"(arena: (boundary: Walls), on_collision: Stop, time: (dt_s: 0.1), groups: [
    (name: "left", at: [(0.5, 2, 3.14159)], controller: Constant(v_m_per_s: 1.0)),
    (name: "right", at: [(8.0, 2, 0)], controller: Constant(v_m_per_s: 1.0)),
], metrics: [Scatter()])"#;

fn moved(agent: u32, x_m: f64) -> Edit {
    Edit::Move { agent, x_m, y_m: 3.0, heading_rad: 0.0 }
}

fn go_to(lab: &mut Lab, step: u64) {
    lab.go_to(Moment { step, ..lab.run.host.moment() });
    settle(lab);
    assert_eq!(lab.run.host.simulation().steps(), step);
}

fn hash(lab: &Lab) -> u64 {
    lab.run.host.simulation().hash().0
}

/// Runs live, and returns the hash after each step.
fn run(lab: &mut Lab, steps: u64) -> Vec<u64> {
    (0..steps)
        .map(|_| {
            do_steps(lab, 1);
            hash(lab)
        })
        .collect()
}

fn act(lab: &mut Lab, action: TimelineAction) {
    dispatch::act(lab, &egui::Context::default(), Action::Timeline(action));
}

#[test]
fn the_search_for_a_moment_opens_at_its_icon() {
    let (mut window, _) = window(lab_on("milling"));
    let icon = window.get_by_label("Find a moment").rect();
    click(&mut window, "Find a moment");
    let dialog = window.get_by_role_and_label(Role::Window, "Find a moment").rect();
    assert!(dialog.bottom() <= icon.top() && icon.top() - dialog.bottom() < 50.0, "{icon} {dialog}");
    assert!(dialog.left() < icon.left() && dialog.right() > icon.right(), "{icon} {dialog}");
}

#[test]
fn plots_keep_the_future_and_go_on_at_the_live_end() {
    let mut lab = lab_on("milling");
    let hashes = run(&mut lab, 200);
    go_to(&mut lab, 60);
    assert_eq!(hash(&lab), hashes[59]);
    assert_eq!(lab.plots.history.last_step(), 200, "the curve of the branch stays whole");
    let steps = lab.plots.history.steps().to_vec();
    do_steps(&mut lab, 5);
    assert_eq!(hash(&lab), hashes[64], "steps seen again are known");
    assert_eq!(lab.plots.history.steps(), &steps[..], "steps seen again are known");
    do_steps(&mut lab, 140);
    let mut untouched = lab_on("milling");
    do_steps(&mut untouched, 205);
    assert_eq!(hash(&lab), hash(&untouched));
    assert_eq!(lab.plots.history.steps(), untouched.plots.history.steps());
    assert_eq!(lab.plots.history.series(0), untouched.plots.history.series(0));
}

#[test]
fn an_edit_of_the_past_begins_a_branch_and_both_have_their_plots() {
    let mut lab = lab_on("milling");
    let hashes = run(&mut lab, 120);
    let main = lab.run.host.moment().branch;
    go_to(&mut lab, 40);
    lab.edit(vec![moved(2, 2.5)]);
    lab.advance(0.0, || true);
    assert_eq!(lab.plots.run, lab.run.host.run_number());
    assert_eq!(lab.plots.history.last_step(), 40);
    do_steps(&mut lab, 30);
    let branch = lab.run.host.moment();
    let of_branch = (hash(&lab), lab.plots.history.series(0).to_vec());
    lab.go_to(Moment { branch: main, step: 120 });
    settle(&mut lab);
    assert_eq!(hash(&lab), hashes[119]);
    assert_eq!(lab.plots.history.last_step(), 120);
    let mut untouched = lab_on("milling");
    do_steps(&mut untouched, 120);
    assert_eq!(lab.plots.history.series(0), untouched.plots.history.series(0));
    lab.go_to(branch);
    settle(&mut lab);
    assert_eq!((hash(&lab), lab.plots.history.series(0).to_vec()), of_branch);
}

#[test]
fn the_turn_rate_of_the_last_step_is_known_after_a_jump() {
    let mut lab = lab_on("milling");
    lab.select(Some(Item::Agent(1)));
    let turn = |lab: &Lab| lab.plots.turn_rad_per_s(&lab.run.host);
    let known: Vec<f64> = (0..120)
        .map(|_| {
            do_steps(&mut lab, 1);
            turn(&lab)
        })
        .collect();
    for step in [119, 60, 61, 3, 2, 64, 90, 120] {
        go_to(&mut lab, step);
        assert_eq!(turn(&lab), known[step as usize - 1], "after step {step}");
    }
    go_to(&mut lab, 0);
    assert!(turn(&lab).is_nan(), "there is no last step");
}

#[test]
fn a_drag_of_the_playhead_ends_where_it_was_let_go() {
    let mut lab = lab_on("milling");
    let hashes = run(&mut lab, 100);
    lab.run.host.clock_mut().paused = false;
    for step in [90, 70, 50, 33] {
        act(&mut lab, TimelineAction::Scrub(step));
        lab.advance(1.0, || false);
    }
    for _ in 0..200 {
        lab.advance(1.0, || true);
    }
    assert_eq!(lab.run.host.simulation().steps(), 33, "time stands still while it is held");
    assert_eq!(hash(&lab), hashes[32], "time stands still while it is held");
    lab.timeline.is_held = false;
    lab.advance(0.05, || true);
    assert!(lab.run.host.simulation().steps() > 33, "then it plays on");
}

#[test]
fn keys_step_back_and_go_to_both_ends() {
    let (mut window, lab) = window(lab_on("milling"));
    let hashes = run(&mut lab.borrow_mut(), 60);
    let mut press = |modifiers: Modifiers, key: Key| {
        window.key_press_modifiers(modifiers, key);
        window.run_steps(2);
        settle(&mut lab.borrow_mut());
        lab.borrow().run.host.simulation().steps()
    };
    assert_eq!(press(Modifiers::NONE, Key::ArrowLeft), 59);
    assert_eq!(hash(&lab.borrow()), hashes[58]);
    assert_eq!(press(Modifiers::SHIFT, Key::ArrowLeft), 49);
    assert_eq!(press(Modifiers::NONE, Key::Home), 0);
    assert_eq!(press(Modifiers::NONE, Key::End), 60);
    assert_eq!(press(Modifiers::NONE, Key::ArrowLeft), 59);
    assert_eq!(press(Modifiers::NONE, Key::ArrowRight), 60);
    assert_eq!(hash(&lab.borrow()), hashes[59]);
}

#[test]
fn marks_are_of_events_edits_and_bookmarks_and_keys_lead_to_them() {
    let mut lab = lab_of(CRASH);
    do_steps(&mut lab, 10);
    lab.edit(vec![moved(0, 5.0)]);
    do_steps(&mut lab, 40);
    let collisions = lab.plots.history.moments().steps(MomentKind::Collision).to_vec();
    assert!(!collisions.is_empty());
    go_to(&mut lab, 30);
    act(&mut lab, TimelineAction::AddBookmark);
    lab.timeline.naming = None;
    let mut wanted: Vec<u64> = collisions.iter().copied().chain([10, 30]).collect();
    wanted.sort_unstable();
    wanted.dedup();
    go_to(&mut lab, 0);
    let mut found = Vec::new();
    for _ in 0..wanted.len() {
        act(&mut lab, TimelineAction::GoToMark(Direction::Forward));
        settle(&mut lab);
        found.push(lab.run.host.simulation().steps());
    }
    assert_eq!(found, wanted);
    act(&mut lab, TimelineAction::GoToMark(Direction::Back));
    settle(&mut lab);
    assert_eq!(lab.run.host.simulation().steps(), wanted[wanted.len() - 2]);
}

#[test]
fn the_moment_of_a_collision_and_of_a_condition_is_found() {
    let mut lab = lab_of(CRASH);
    do_steps(&mut lab, 60);
    let first = lab.plots.history.moments().steps(MomentKind::Collision)[0];
    let find = |lab: &mut Lab, condition: MomentCondition, seek| {
        act(lab, TimelineAction::Find(condition, seek));
        settle(lab);
        lab.run.host.simulation().steps()
    };
    assert_eq!(find(&mut lab, MomentCondition::Kind(MomentKind::Collision, Some(0)), Seek::Previous), first);
    go_to(&mut lab, 60);
    let condition = || MomentCondition::Expression("t_s > 2.05".into());
    assert_eq!(find(&mut lab, condition(), Seek::Previous), 21);
    assert_eq!(find(&mut lab, condition(), Seek::Previous), 21, "there is none before");
    assert!(lab.notices.iter().any(|notice| notice.lines[0].starts_with("No moment at which t_s > 2.05")));
    go_to(&mut lab, 3);
    assert_eq!(find(&mut lab, condition(), Seek::Next), 21);
    let refused = find(&mut lab, MomentCondition::Expression("nonsense > 2".into()), Seek::Previous);
    assert!(refused == 21 && lab.notices.iter().any(|notice| notice.is_error));
}

/// Opens the palette, types words and presses Enter.
fn palette(window: &mut Harness, words: &str) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::P);
    window.run_steps(3);
    window.event(egui::Event::Text(words.into()));
    window.run_steps(3);
    window.key_press(Key::Enter);
    window.run_steps(3);
}

#[test]
fn from_the_first_collision_three_seconds_back_into_another_branch() {
    // Robots push each other by default.
    let (mut window, lab) = window(lab_on("aggregation"));
    let hashes = run(&mut lab.borrow_mut(), 600);
    let steps = lab.borrow().plots.history.moments().steps(MomentKind::Collision).to_vec();
    let (first, last) = (steps[0], steps[steps.len() - 1]);
    palette(&mut window, "first collision");
    settle(&mut lab.borrow_mut());
    assert_eq!(lab.borrow().run.host.simulation().steps(), first);
    assert!(
        lab.borrow().notices.iter().any(|notice| notice.lines[0].contains(" ran into ")),
        "{:?}",
        lab.borrow().notices
    );
    palette(&mut window, "last collision");
    settle(&mut lab.borrow_mut());
    assert_eq!(lab.borrow().run.host.simulation().steps(), last);
    palette(&mut window, "first collision");
    settle(&mut lab.borrow_mut());
    // The search is repeated with keys.
    window.key_press_modifiers(Modifiers::SHIFT, Key::PageDown);
    window.run_steps(2);
    settle(&mut lab.borrow_mut());
    assert_eq!(lab.borrow().run.host.simulation().steps(), steps[1]);
    window.key_press_modifiers(Modifiers::SHIFT, Key::PageUp);
    window.run_steps(2);
    settle(&mut lab.borrow_mut());
    assert_eq!(lab.borrow().run.host.simulation().steps(), first);
    let dt_s = lab.borrow().run.host.simulation().time().dt_s;
    let before = first.saturating_sub((3.0 / dt_s).round() as u64);
    palette(&mut window, &format!("step {before}"));
    settle(&mut lab.borrow_mut());
    let lab = &mut *lab.borrow_mut();
    assert_eq!(lab.run.host.simulation().steps(), before);
    let main = lab.run.host.moment().branch;
    lab.fork();
    lab.timeline.naming = None;
    assert_eq!(lab.plots.history.moments().count(MomentKind::Collision), 0, "the new branch has not come so far");
    do_steps(lab, first - before);
    assert_ne!(lab.run.host.moment().branch, main);
    assert_eq!(lab.plots.history.moments().steps(MomentKind::Collision), [first]);
    assert_eq!(hash(lab), hashes[first as usize - 1], "observing moments changes nothing");
}

#[test]
fn a_condition_without_its_metric_offers_to_add_it_and_finds_the_moment() {
    let mut lab = lab_on("aggregation");
    do_steps(&mut lab, 600);
    let first = lab.plots.history.moments().steps(MomentKind::Collision)[0];
    let condition = MomentCondition::Expression("collisions > 0".into());
    act(&mut lab, TimelineAction::Find(condition, Seek::Previous));
    let offer = lab.notices.iter().flat_map(|notice| &notice.offers).next().cloned().unwrap();
    assert_eq!(offer.title, "Add the metric Collisions");
    let (mut window, lab) = window(lab);
    click(&mut window, &offer.title);
    settle(&mut lab.borrow_mut());
    let lab = &mut *lab.borrow_mut();
    assert_eq!(lab.run.host.live_end(), 600, "the run was simulated again");
    assert_eq!(lab.run.host.simulation().steps(), first);
    assert!(lab.run.host.simulation().metric_columns().iter().any(|column| column == "collisions"));
    assert!(lab.run.host.clock().paused);
    assert!(!lab.notices.iter().any(|notice| notice.is_error), "{:?}", lab.notices);
}

#[test]
fn a_split_that_is_not_found_offers_the_metric_of_connected_parts() {
    let mut lab = lab_of(
        "(arena: (boundary: Open), time: (dt_s: 0.1), groups: [
            (name: \"stays\", at: [(3, 5, 0)], controller: Constant()),
            (name: \"goes\", at: [(3.3, 5, 0)], controller: Constant(v_m_per_s: 0.1)),
        ])",
    );
    // They are then 1.2 m apart: less than 6.25 body lengths, and more than the range of the metric.
    do_steps(&mut lab, 90);
    let condition = MomentCondition::Kind(MomentKind::Split, None);
    act(&mut lab, TimelineAction::Find(condition, Seek::First));
    settle(&mut lab);
    let notice = lab.notices.iter().last().cloned().unwrap();
    assert!(notice.lines[0].contains("robots within 5 body lengths are connected"), "{notice:?}");
    assert_eq!(notice.offers[0].title, "Add the metric LargestComponent");
    let (mut window, lab) = window(lab);
    click(&mut window, &notice.offers[0].title);
    settle(&mut lab.borrow_mut());
    let lab = &mut *lab.borrow_mut();
    assert!((69..=72).contains(&lab.run.host.simulation().steps()), "{:?}", lab.notices);
    // The metric is there now, so nothing is offered any more.
    act(lab, TimelineAction::Find(MomentCondition::Kind(MomentKind::Merge, None), Seek::First));
    settle(lab);
    assert!(lab.notices.iter().last().is_some_and(|notice| notice.offers.is_empty()));
}

#[test]
fn every_metric_that_a_message_proposes_makes_the_condition_valid() {
    let text = "(time: (dt_s: 0.1), groups: [(name: \"g\", count: 3, controller: Constant(v_m_per_s: 0.1))])";
    let kinds: Vec<&'static str> =
        lab_of(text).run.host.simulation().kinds().family("metric").map(|kind| kind.name).collect();
    let mut tried = 0;
    for kind in kinds {
        let mut lab = lab_of(text);
        let edit = parts::adding(lab.run.host.simulation(), "metrics", &format!("{kind}()"));
        if lab.run.host.simulation().check(&edit).is_err() {
            // It needs parameters.
            continue;
        }
        lab.edit(vec![edit]);
        for column in lab.run.host.simulation().metric_columns() {
            let mut lab = lab_of(text);
            do_steps(&mut lab, 5);
            let condition = MomentCondition::Expression(format!("{column} > -1e300"));
            act(&mut lab, TimelineAction::Find(condition, Seek::First));
            let offer = lab.notices.iter().flat_map(|notice| &notice.offers).next().cloned();
            let Some(offer) = offer else { panic!("{kind}: {column}: {:?}", lab.notices) };
            let Action::Timeline(action) = offer.action else { panic!("{offer:?}") };
            lab.notices = Default::default();
            act(&mut lab, action);
            settle(&mut lab);
            assert!(!lab.notices.iter().any(|notice| notice.is_error), "{kind}: {column}: {:?}", lab.notices);
            assert_eq!(lab.run.host.live_end(), 5, "{kind}: {column}");
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried}");
}

#[test]
fn a_click_in_the_lane_of_moments_goes_to_the_moment() {
    let mut lab = lab_of(CRASH);
    do_steps(&mut lab, 60);
    let steps = lab.plots.history.moments().steps(MomentKind::Collision).to_vec();
    assert!(steps.len() >= 2, "{steps:?}");
    let (mut window, lab) = window(lab);
    for step in [steps[0], steps[steps.len() - 1]] {
        let mut at = at_step(&window, &lab.borrow(), step);
        at.y = window.get_by_label("Timeline").rect().top() + 15.0 + 7.0;
        // Two points beside the mark are still on it.
        at.x += 2.0;
        window.hover_at(at);
        window.run_steps(3);
        assert!(window.query_all_by_label_contains("ran into a wall").count() > 0, "the tooltip");
        window.drag_at(at);
        window.run_steps(1);
        window.drop_at(at);
        window.run_steps(2);
        settle(&mut lab.borrow_mut());
        // A sign can stand for several moments; a click goes to the first one.
        let shown = lab.borrow().run.host.simulation().steps();
        assert!((step - 1..=step).contains(&shown), "{shown} {step}");
    }
}

#[test]
fn playback_loops_over_a_selected_range() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 100);
    act(&mut lab, TimelineAction::SetRange(RangeEnd::From, 20));
    act(&mut lab, TimelineAction::SetRange(RangeEnd::To, 30));
    act(&mut lab, TimelineAction::Loop);
    go_to(&mut lab, 25);
    lab.run.host.clock_mut().paused = false;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..300 {
        lab.run.frames.steps = 0;
        lab.advance(0.004, || true);
        seen.insert(lab.run.host.simulation().steps());
    }
    assert!(seen.iter().all(|step| (20..=30).contains(step)) && seen.len() > 8, "{seen:?}");
    assert_eq!(lab.run.host.live_end(), 100);
}

#[test]
fn trails_and_occupancy_follow_a_seek() {
    let shown = |lab: &mut Lab| {
        lab.view.current.overlays.set(Overlay::Trails, true);
        lab.view.current.overlays.set(Overlay::AllTrails, true);
        lab.view.current.overlays.set(Overlay::Occupancy, true);
    };
    let drawn = |lab: &Lab| {
        let at = |number: u32| lab.run.host.simulation().agent(number).unwrap().pose.position_m;
        let trails: Vec<_> = (0..6).map(|number| lab.view.past.pieces_of(number, at(number), at(number))).collect();
        (trails, lab.view.past.occupancy.total_s(), lab.view.past.whole_occupancy().is_some())
    };
    let mut untouched = lab_on("milling");
    shown(&mut untouched);
    do_steps(&mut untouched, 700);
    let mut lab = lab_on("milling");
    shown(&mut lab);
    do_steps(&mut lab, 1500);
    go_to(&mut lab, 700);
    assert_eq!(drawn(&lab).0, drawn(&untouched).0);
    assert!((drawn(&lab).1 - drawn(&untouched).1).abs() < 1e-6 && drawn(&lab).2);
    // The view is switched on late, so the past is replayed for it.
    let mut late = lab_on("milling");
    do_steps(&mut late, 1500);
    go_to(&mut late, 700);
    shown(&mut late);
    settle(&mut late);
    assert_eq!(drawn(&late).0, drawn(&untouched).0);
    assert!((drawn(&late).1 - drawn(&untouched).1).abs() < 1e-6);
}

/// A point of the track at a step.
fn at_step(window: &Harness, lab: &Lab, step: u64) -> Pos2 {
    let track = window.get_by_label("Timeline").rect();
    let [from, to] = swarmarium_lab_panels::timeline::rows::Shown::Whole.range(lab.run.host.live_end());
    let part = (step as f64 - from) / (to - from);
    egui::pos2(track.left() + part as f32 * track.width(), track.center().y)
}

#[test]
fn the_timeline_strip_seeks_renames_and_switches_branches() {
    let (mut window, lab) = window(lab_on("milling"));
    let hashes = run(&mut lab.borrow_mut(), 100);
    window.run_steps(2);
    let at = at_step(&window, &lab.borrow(), 100);
    window.drag_at(at);
    window.run_steps(2);
    for step in [80, 60, 40] {
        let at = at_step(&window, &lab.borrow(), step);
        window.hover_at(at);
        window.run_steps(2);
        settle(&mut lab.borrow_mut());
    }
    let at = at_step(&window, &lab.borrow(), 40);
    window.drop_at(at);
    window.run_steps(2);
    settle(&mut lab.borrow_mut());
    let step = lab.borrow().run.host.simulation().steps();
    assert!((38..=42).contains(&step), "{step}");
    assert_eq!(hash(&lab.borrow()), hashes[step as usize - 1]);
    assert!(!lab.borrow().timeline.is_held);
    click(&mut window, "Add a bookmark");
    window.event(egui::Event::Text("the turn".into()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert_eq!(lab.borrow().run.host.timeline().bookmarks()[0].name, "the turn");
    let item = TimelineItem::Bookmark("the turn".into());
    act(&mut lab.borrow_mut(), TimelineAction::Remove(item));
    assert!(lab.borrow().run.host.timeline().bookmarks().is_empty());
}

#[test]
fn two_branches_stand_side_by_side_with_their_first_difference() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 100);
    let main = lab.run.host.moment().branch;
    go_to(&mut lab, 40);
    lab.edit(vec![moved(2, 2.5)]);
    do_steps(&mut lab, 30);
    act(&mut lab, TimelineAction::Compare(main));
    settle(&mut lab);
    for _ in 0..100 {
        lab.advance(0.0, || true);
    }
    let other = lab.compare.other.as_ref().unwrap();
    assert_eq!(other.simulation().steps(), 70);
    let difference = other.branch.as_ref().unwrap().difference().unwrap().unwrap();
    assert_eq!(difference.step, 41);
    assert_eq!(difference.agent, Some(2));
    let mut untouched = lab_on("milling");
    do_steps(&mut untouched, 70);
    assert_eq!(other.simulation().hash(), untouched.run.host.simulation().hash());
    // Both worlds go to other moments together.
    go_to(&mut lab, 50);
    lab.advance(0.0, || true);
    let mut untouched = lab_on("milling");
    do_steps(&mut untouched, 50);
    assert_eq!(lab.compare.other.as_ref().unwrap().simulation().hash(), untouched.run.host.simulation().hash());
    do_steps(&mut lab, 3);
    assert_eq!(lab.compare.other.as_ref().unwrap().simulation().steps(), 53);
}

#[test]
fn an_undo_in_the_past_leaves_the_future_as_it_was() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 20);
    lab.edit(vec![moved(2, 2.5)]);
    do_steps(&mut lab, 80);
    let (whole, main) = (hash(&lab), lab.run.host.moment().branch);
    go_to(&mut lab, 60);
    lab.undo();
    settle(&mut lab);
    let mut untouched = lab_on("milling");
    do_steps(&mut untouched, 60);
    assert_eq!(hash(&lab), hash(&untouched));
    assert_eq!(lab.plots.history.series(0), untouched.plots.history.series(0));
    lab.go_to(Moment { branch: main, step: 100 });
    settle(&mut lab);
    assert_eq!(hash(&lab), whole);
}

#[test]
fn a_maximum_is_sought_in_the_plots_alone() {
    let mut lab = lab_on("aggregation");
    do_steps(&mut lab, 3);
    // The plots do not know these steps, as after a run was opened.
    lab.run.host.advance_to(50, || true, |_| {});
    lab.find_moment(&MomentCondition::Kind(MomentKind::Highest, None), Seek::Last);
    assert!(lab.timeline.search.is_none(), "steps tell nothing of plots");
    let found = lab.notices.iter().last().map(|notice| notice.lines[0].clone()).unwrap_or_default();
    assert!(found.starts_with("No maximum") || found.starts_with("Step "), "{found}");
}
