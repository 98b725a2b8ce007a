//! Tests of the tour.

use std::cell::RefCell;
use std::rc::Rc;

use bevy_egui::egui::{Event, Key, Modifiers, MouseWheelUnit, Pos2, Rect, TouchPhase, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::shell::keymap::Keymap;
use swarmarium_lab_testing::{click_at, lab_on, place_of, window};
use swarmarium_simulation::edit::Edit;

use crate::tour::{Landmark, STEPS, Surroundings, begin_step, covers, marked, robot, robots, with_keys};

/// A running window in which the tour was started.
fn touring(scene: &str) -> (Harness<'static>, Rc<RefCell<Lab>>) {
    let (mut window, lab) = window(lab_on(scene));
    lab.borrow_mut().run.host.clock_mut().paused = false;
    crate::tour::take_tour(&mut lab.borrow_mut());
    window.run_steps(3);
    (window, lab)
}

/// Returns the rectangle of the bubble.
fn bubble(window: &Harness) -> Rect {
    window.ctx.memory(|memory| memory.area_rect("tour")).unwrap()
}

#[test]
fn the_tour_does_not_start_in_a_lab_made_by_a_program() {
    let (window, lab) = window(lab_on("milling"));
    assert!(!lab.borrow().shell.tour.is_open() && !lab.borrow().shell.settings.toured);
    assert!(window.query_by_label("Skip").is_none());
}

#[test]
fn the_tour_can_be_stepped_forward_and_back() {
    let (mut window, lab) = touring("milling");
    let mut end = window.get_by_label("End").rect().left() - bubble(&window).left();
    for (place, step) in STEPS.iter().enumerate() {
        window.get_by_label(step.title);
        let now = window.get_by_label("End").rect().left() - bubble(&window).left();
        assert!(place < 2 || (now - end).abs() < 2.0, "the buttons do not change places");
        end = now;
        if place > 0 {
            window.get_by_label("Back").click();
            window.run_steps(3);
            window.get_by_label(STEPS[place - 1].title);
            window.get_by_label("Skip").click();
            window.run_steps(3);
        }
        window.get_by_label(if place + 1 < STEPS.len() { "Skip" } else { "End" }).click();
        window.run_steps(3);
    }
    assert!(!lab.borrow().shell.tour.is_open() && lab.borrow().shell.settings.toured);
}

#[test]
fn the_tour_ends_with_escape_and_a_button() {
    let (mut window, lab) = window(lab_on("milling"));
    for end in [None, Some("End")] {
        crate::tour::take_tour(&mut lab.borrow_mut());
        window.run_steps(3);
        match end {
            Some(label) => window.get_by_label(label).click(),
            None => window.key_press(Key::Escape),
        }
        window.run_steps(3);
        assert!(!lab.borrow().shell.tour.is_open(), "{end:?}");
    }
}

#[test]
fn tour_steps_wait_until_they_are_done() {
    let (mut window, lab) = touring("milling");
    let step = || lab.borrow().shell.tour.step;
    window.run_steps(5);
    assert_eq!(step(), Some(0));
    window.key_press(Key::Space);
    window.run_steps(3);
    assert_eq!(step(), Some(0), "time must run again");
    window.get_by_label_contains("The run is paused");
    window.key_press(Key::Space);
    window.run_steps(3);
    assert_eq!(step(), Some(1));
    assert!(!lab.borrow().run.host.clock().paused);
    let edit = |value: &str| Edit::Set { path: "groups.millers.sensors.0.range_m".into(), value: value.into() };
    lab.borrow_mut().run.host.apply(edit("1.5")).unwrap();
    window.run_steps(3);
    assert_eq!(step(), Some(2));
    let at = robot(&lab.borrow()).unwrap().center();
    click_at(&mut window, at);
    assert_eq!(step(), Some(3));
    window.event(Event::PointerMoved(at));
    window.run_steps(1);
    window.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: vec2(0.0, 60.0),
        phase: TouchPhase::Move,
        modifiers: Modifiers::NONE,
    });
    window.run_steps(20);
    assert_eq!(step(), Some(4));
    window.key_press_modifiers(Modifiers::COMMAND, Key::P);
    window.run_steps(4);
    window.get_by_label_contains("Type ids");
    let palette = marked(&window.ctx, Landmark::Palette).unwrap();
    let bubble = bubble(&window);
    assert!(!covers(bubble, palette), "{bubble:?} {palette:?}");
    window.event(Event::Text("ids".into()));
    window.run_steps(3);
    window.key_press(Key::Enter);
    window.run_steps(4);
    assert_eq!(step(), Some(5));
    assert!(window.query_by_label("Skip").is_none());
    assert!(!lab.borrow().run.host.clock().paused, "time runs on");
}

#[test]
fn the_tour_bubble_covers_neither_its_target_nor_robots() {
    let screen = Rect::from_min_size(Pos2::ZERO, vec2(1280.0, 720.0));
    let size = vec2(320.0, 150.0);
    let world = Rect::from_min_max(Pos2::new(220.0, 44.0), Pos2::new(920.0, 480.0));
    let robots = Rect::from_min_max(Pos2::new(500.0, 250.0), Pos2::new(800.0, 500.0));
    let targets = [
        Rect::from_min_size(Pos2::new(60.0, 5.0), vec2(80.0, 30.0)),
        Rect::from_min_size(Pos2::new(920.0, 300.0), vec2(360.0, 420.0)),
        Rect::from_min_size(Pos2::new(920.0, 0.0), vec2(360.0, 720.0)),
        Rect::from_min_size(Pos2::new(0.0, 0.0), vec2(220.0, 720.0)),
        Rect::from_min_size(Pos2::new(0.0, 690.0), vec2(1280.0, 30.0)),
        Rect::from_center_size(robots.center(), Vec2::splat(36.0)),
        robots,
    ];
    for target in targets {
        let around = Surroundings { screen, target: Some(target), avoided: vec![robots], sensors: None, world };
        let bubble = around.place(size);
        assert!(around.has_room(bubble), "{target:?} {bubble:?}");
    }
    // If robots are everywhere, at least the target stays free.
    let target = Rect::from_center_size(screen.center(), Vec2::splat(36.0));
    let around = Surroundings { screen, target: Some(target), avoided: vec![screen], sensors: None, world };
    let bubble = around.place(size);
    assert!(screen.contains_rect(bubble) && !covers(bubble, target));
}

#[test]
fn no_tour_step_in_the_window_covers_robots() {
    for scene in ["milling", "playground"] {
        let (mut window, lab) = touring(scene);
        for place in 0..STEPS.len() {
            begin_step(&mut lab.borrow_mut(), Some(place));
            window.run_steps(3);
            let lab = lab.borrow();
            let bubble = bubble(&window);
            let robots = robots(&lab).unwrap();
            assert!(!covers(bubble, robots), "{scene} {place}: {bubble:?} {robots:?}");
        }
    }
}

#[test]
fn the_last_tour_bubble_is_beside_the_menu() {
    let (mut window, lab) = touring("milling");
    begin_step(&mut lab.borrow_mut(), Some(STEPS.len() - 1));
    window.run_steps(4);
    let menu = marked(&window.ctx, Landmark::Menu).unwrap();
    let bubble = bubble(&window);
    let apart = bubble.clamp(menu.center()).distance(menu.clamp(bubble.center()));
    assert!(apart < 120.0, "{bubble:?} {menu:?}");
    let gallery = place_of(&lab.borrow(), Pane::Gallery);
    assert!(!covers(bubble, gallery), "{bubble:?} {gallery:?}");
}

#[test]
fn the_tour_bubble_stays_in_place_while_possible() {
    let (mut window, _) = touring("milling");
    let before = bubble(&window);
    window.run_steps(30);
    assert_eq!(bubble(&window), before);
}

#[test]
fn the_tour_points_at_elements_of_the_window() {
    let (mut window, lab) = window(lab_on("milling"));
    window.run_steps(1);
    let play = marked(&window.ctx, Landmark::Play).unwrap();
    assert!(play.contains(window.get_by_label("Play").rect().center()));
    assert!(marked(&window.ctx, Landmark::Menu).is_some());
    assert!(marked(&window.ctx, Landmark::Parameters).unwrap().left() >= lab.borrow().view.rect_px.right());
    assert!(lab.borrow().view.rect_px.contains_rect(robot(&lab.borrow()).unwrap()));
    lab.borrow_mut().shell.settings.panels = false;
    window.run_steps(3);
    assert_eq!(marked(&window.ctx, Landmark::Play), None);
}

#[test]
fn tour_texts_name_the_keys() {
    let keymap = Keymap::default();
    for step in &STEPS {
        let texts = [step.text, step.halfway.map_or("", |(_, text, _)| text)];
        for text in texts.map(|text| with_keys(text, &keymap)) {
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }
    assert_eq!(with_keys("Press {Undo}.", &keymap), "Press Ctrl+Z.");
    assert!(with_keys("Press {ResetLayout}.", &keymap).contains("\"Reset layout\""));
}
