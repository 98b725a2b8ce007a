//! Comparisons, operated in the window.

use egui_kittest::kittest::NodeT as _;
use swarmarium_lab_state::common::layout::Pane;

use super::*;

/// The position of a robot of B in the window.
fn robot_of_b(lab: &RefCell<Lab>, number: u32) -> egui::Pos2 {
    let lab = lab.borrow();
    let other = other(&lab);
    let at_m = other.simulation().agent(number).unwrap().pose.position_m;
    let at = other.camera.screen_from_world(at_m);
    other.rect_px.min + egui::vec2(at.x as f32, at.y as f32)
}

#[test]
fn a_comparison_splits_the_view_and_restores_it() {
    let (mut window, lab) = window(lab_on("milling"));
    let whole = lab.borrow().view.rect_px;
    window.key_press_modifiers(egui::Modifiers::SHIFT, Key::C);
    window.run_steps(3);
    assert!(lab.borrow().compare.is_open);
    begin(&mut lab.borrow_mut(), TURN, "1.2");
    window.run_steps(3);
    window.get_by_label("A: Turn rate, robot seen 0.6 rad/s");
    window.get_by_label("B: Turn rate, robot seen 1.2 rad/s, from the start");
    window.get_by_label("Identical, 0 steps");
    {
        let lab = lab.borrow();
        let (a, b) = (lab.view.rect_px, other(&lab).rect_px);
        assert!((a.width() - b.width()).abs() < 1.0 && a.right() < b.left() && a.bottom() < whole.bottom());
    }
    do_steps(&mut lab.borrow_mut(), 100);
    window.run_steps(2);
    let told = format!("Identical until step {}", first_difference(&lab.borrow(), "1.2") - 1);
    window.get_by_label(&told);
    window.key_press_modifiers(egui::Modifiers::SHIFT, Key::C);
    window.run_steps(3);
    assert!(lab.borrow().compare.other.is_none());
    assert_eq!(lab.borrow().view.rect_px, whole);
}

/// Returns the places of the labels below world B, from left to right.
fn below_b(window: &Harness, lab: &RefCell<Lab>, role: Role, label: &str) -> Vec<egui::Rect> {
    let b = other(&lab.borrow()).rect_px;
    let found = window.query_all(By::new().role(role).label(label)).map(|node| node.rect());
    let mut found: Vec<egui::Rect> =
        found.filter(|rect| rect.top() > b.bottom() && rect.top() < b.bottom() + 180.0).collect();
    found.sort_by(|a, b| a.left().total_cmp(&b.left()));
    found
}

#[test]
fn the_comparison_strip_has_columns_that_do_not_overlap() {
    let (mut window, lab) = window(lab_on("milling"));
    begin(&mut lab.borrow_mut(), TURN, "1.2");
    do_steps(&mut lab.borrow_mut(), 100);
    let until = first_difference(&lab.borrow(), "1.2") - 1;
    for size in [egui::vec2(1280.0, 800.0), egui::vec2(1024.0, 640.0), egui::vec2(560.0, 800.0)] {
        for shows_difference in [false, true] {
            lab.borrow_mut().compare.shows_difference = shows_difference;
            window.set_size(size);
            window.run_steps(4);
            let [in_a, in_b] = ["A", "B"].map(|label| below_b(&window, &lab, Role::Label, label));
            // In the table and over each plot.
            assert!(in_a.len() == in_b.len() && !in_a.is_empty(), "{size:?}: {in_a:?} {in_b:?}");
            assert!(in_a.iter().zip(&in_b).all(|(a, b)| a.left() + 80.0 < b.left()), "{size:?}: {in_a:?} {in_b:?}");
            assert!(in_b.iter().zip(&in_a[1..]).all(|(b, a)| b.left() + 96.0 < a.left()), "{size:?}");
            let told = format!("Identical until step {until}");
            let [told] = below_b(&window, &lab, Role::Label, &told)[..] else { panic!("{told} at {size:?}") };
            let menu = below_b(&window, &lab, Role::Button, "Menu of the comparison");
            let end = below_b(&window, &lab, Role::Button, "End comparison");
            let next = menu.first().or(end.first()).unwrap();
            assert!(told.right() <= next.left(), "{size:?}: {told} {next}");
            assert!(told.width() > 7.0 * 22.0, "the whole number is seen: {told}");
        }
    }
    click(&mut window, "Menu of the comparison");
    click(&mut window, "Linked cameras");
    assert!(!other(&lab.borrow()).is_linked);
}

#[test]
fn the_comparison_strip_repeats_no_curves_of_the_plots() {
    let (mut window, lab) = window(lab_on("milling"));
    begin(&mut lab.borrow_mut(), TURN, "1.2");
    do_steps(&mut lab.borrow_mut(), 100);
    let count = |window: &mut Harness| {
        window.run_steps(4);
        below_b(window, &lab, Role::Label, "A").len()
    };
    assert!(lab.borrow().shell.shows_panel(Pane::Plots));
    assert_eq!(count(&mut window), 1, "a table");
    lab.borrow_mut().toggle_panel(Pane::Plots);
    assert!(!lab.borrow().shell.shows_panel(Pane::Plots));
    assert!(count(&mut window) > 1, "each metric has its plot");
    lab.borrow_mut().toggle_panel(Pane::Plots);
    assert_eq!(count(&mut window), 1);
}

#[test]
fn another_value_of_a_row_is_typed_at_once_and_compared_from_this_moment() {
    let (mut window, lab) = window(lab_on("milling"));
    do_steps(&mut lab.borrow_mut(), 30);
    compare(&mut lab.borrow_mut(), CompareAction::ChooseOf(TURN.into()));
    window.run_steps(3);
    window.get_by_role_and_label(Role::Window, "Compare: Turn rate, robot seen");
    window.get_by_label("at this moment, step 30 (0.75 s)").click();
    window.run_steps(2);
    compare(&mut lab.borrow_mut(), CompareAction::Choose);
    window.run_steps(3);
    assert!(!lab.borrow().compare.is_open);
    compare(&mut lab.borrow_mut(), CompareAction::ChooseOf(TURN.into()));
    window.run_steps(4);
    assert!(window.get_by_label("Turn rate, robot seen in B").accesskit_node().is_focused());
    // A change of the value of A.
    window.event(egui::Event::Text("*2".into()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert_eq!(other(&lab.borrow()).differences.changed, [changed(TURN, "1.2")]);
    lab.borrow_mut().advance(0.0, || true);
    window.run_steps(2);
    window.get_by_label("B: Turn rate, robot seen 1.2 rad/s, from step 30 (0.75 s)");
}

#[test]
fn the_head_of_a_comparison_has_one_tooltip() {
    let (mut window, lab) = window(lab_on("milling"));
    begin(&mut lab.borrow_mut(), TURN, "1.2");
    window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
    // In a narrow window, the title is cut.
    window.set_size(egui::vec2(1024.0, 640.0));
    window.run_steps(4);
    let title = "B: Turn rate, robot seen 1.2 rad/s, from the start";
    let head = window.get_by_label(title).rect();
    window.hover_at(head.left_center() + egui::vec2(3.0, 0.0));
    window.run_steps(6);
    let found: Vec<_> = window.query_all_by_label_contains(title).map(|node| node.rect()).collect();
    assert_eq!(found.len(), 2, "the title and its tooltip: {found:?}");
}

#[test]
fn branches_that_have_grown_are_searched_again() {
    let mut lab = lab_on("milling");
    compare_with_fork(&mut lab, 100, 40);
    let search = |lab: &mut Lab| {
        (0..100).for_each(|_| _ = lab.advance(0.0, || true));
        assert!(!lab.compare.is_comparing_branches());
        (other(lab).differs_at(), other(lab).compared_steps())
    };
    assert_eq!(search(&mut lab), (None, 40));
    do_steps(&mut lab, 30);
    assert_eq!(search(&mut lab), (None, 70));
    edit(&mut lab, moved(2, 2.5));
    do_steps(&mut lab, 5);
    assert_eq!(search(&mut lab), (Some(71), 75));
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(search(&mut lab), (None, 75), "the change is gone");
}

#[test]
fn compared_cameras_can_be_unlinked_and_a_click_selects_in_both() {
    let (mut window, lab) = window(lab_on("milling"));
    begin(&mut lab.borrow_mut(), TURN, "1.2");
    do_steps(&mut lab.borrow_mut(), 100);
    window.run_steps(3);
    let cameras = |lab: &RefCell<Lab>| {
        let lab = lab.borrow();
        [lab.view.current.camera, other(&lab).camera]
    };
    let drag = |window: &mut Harness, from: egui::Pos2| {
        window.drag_at(from);
        window.run_steps(1);
        window.hover_at(from + egui::vec2(40.0, 25.0));
        window.run_steps(1);
        window.drop_at(from + egui::vec2(40.0, 25.0));
        window.run_steps(2);
    };
    let at = robot_of_b(&lab, 3);
    click_at(&mut window, at);
    assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(3)));
    let [before, _] = cameras(&lab);
    let ground = lab.borrow().compare.other.as_ref().unwrap().rect_px.left_top() + egui::vec2(30.0, 40.0);
    drag(&mut window, ground);
    let [a, b] = cameras(&lab);
    assert!(a != before && a == b, "both move");
    window.get_by_label("Linked cameras").click();
    window.run_steps(3);
    drag(&mut window, ground);
    assert_eq!(cameras(&lab)[0], a);
    assert!(cameras(&lab)[1].center_m != b.center_m, "B moves alone");
}

#[test]
fn a_robot_that_is_dragged_in_b_moves_where_changes_go_to() {
    let (mut window, lab) = window(lab_on("milling"));
    begin(&mut lab.borrow_mut(), TURN, "1.2");
    do_steps(&mut lab.borrow_mut(), 100);
    compare(&mut lab.borrow_mut(), CompareAction::GoTo(GoesTo::B));
    window.run_steps(3);
    let places = |lab: &RefCell<Lab>| {
        let lab = lab.borrow();
        let place = |simulation: &Simulation| simulation.agent(3).unwrap().pose.position_m;
        [place(lab.run.host.simulation()), place(other(&lab).simulation())]
    };
    let [a, b] = places(&lab);
    let at = robot_of_b(&lab, 3);
    click_at(&mut window, at);
    window.drag_at(at);
    window.run_steps(1);
    for by_px in [20.0, 40.0, 60.0] {
        window.hover_at(at + egui::vec2(by_px, 0.0));
        window.run_steps(1);
    }
    window.drop_at(at + egui::vec2(60.0, 0.0));
    window.run_steps(2);
    lab.borrow_mut().advance(0.0, || true);
    lab.borrow_mut().advance(0.0, || true);
    let after = places(&lab);
    assert_eq!(after[0], a);
    assert!(after[1].x > b.x + 0.5, "{b} {}", after[1]);
}

#[test]
fn parameters_are_found_by_words_and_compared_with_enter() {
    let (mut window, lab) = window(lab_on("milling"));
    compare(&mut lab.borrow_mut(), CompareAction::Toggle);
    window.run_steps(3);
    window.get_by_label("Find a parameter to compare").type_text("detected turn");
    window.run_steps(3);
    // The control in the parameters panel has the same label.
    let found: Vec<egui::Rect> = window.query_all_by_label("Turn rate, robot seen").map(|node| node.rect()).collect();
    let world = lab.borrow().view.rect_px;
    let row = found.into_iter().find(|rect| world.contains(rect.center())).unwrap();
    click_at(&mut window, row.center());
    assert_eq!(lab.borrow().compare.chosen, [changed(TURN, "0.6")]);
    lab.borrow_mut().compare.chosen[0].value = "much".into();
    window.run_steps(2);
    window.get_by_label_contains("⚠ Turn rate, robot seen");
    lab.borrow_mut().compare.chosen[0].value = "1.2".into();
    window.run_steps(2);
    window.get_by_label("Compare").click();
    window.run_steps(3);
    assert_eq!(other(&lab.borrow()).differences.changed, [changed(TURN, "1.2")]);
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(lab.borrow().compare.other.is_some(), "Esc deselects, as ever");
    compare(&mut lab.borrow_mut(), CompareAction::Choose);
    window.run_steps(2);
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(!lab.borrow().compare.is_open && lab.borrow().compare.other.is_some(), "in the panel it closes the panel");
    window.key_press_modifiers(egui::Modifiers::SHIFT, Key::C);
    window.run_steps(3);
    assert!(lab.borrow().compare.other.is_none());
}

#[test]
fn a_long_comparison_search_shows_progress_and_can_be_cancelled() {
    let (mut window, lab) = window(lab_of("(groups: [(name: \"a\", count: 2, controller: Constant())])"));
    do_steps(&mut lab.borrow_mut(), 1500);
    begin(&mut lab.borrow_mut(), "groups.a.controller.v_m_per_s", "0.5");
    window.run_steps(2);
    assert!(window.query_by_label_contains("Simulating B").is_none(), "at first it may be short");
    window.run_steps(60);
    window.get_by_label("Simulating B: 0 of 1,500 steps");
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(lab.borrow().compare.other.is_none());
}
