//! The panel, driven by labels.

use std::cell::RefCell;
use std::rc::Rc;

use bevy::prelude::{App, Component, Reflect, *};
use bevy_egui::egui::{Event, Key, OutputCommand, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{By, NodeT as _, Queryable as _};
use swarmarium_draw::Overlay;
use swarmarium_formats::standard::Standard as _;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_testing::{lab_of, lab_with, type_into, window};
use swarmarium_scene::scene::path;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::agents;
use swarmarium_simulation::prelude::*;

const SCENE: &str = "(groups: [(name: \"g\", count: 3, sensors: [BinaryFov(range_m: 2.0)], controller: Binary())])";

const RANGE: &str = "groups.g.sensors.0.range_m";

/// A window that is tall enough for all rows.
fn tall(lab: Lab) -> (Harness<'static>, Rc<RefCell<Lab>>) {
    let (mut window, lab) = window(lab);
    window.set_size(Vec2::new(1280.0, 4800.0));
    window.run_steps(3);
    (window, lab)
}

fn ahead(lab: &RefCell<Lab>, path: &str) -> String {
    let lab = lab.borrow();
    let simulation = lab.run.host.simulation();
    let value = path::get(simulation.kinds(), simulation.scene_ahead(), path).unwrap();
    write(simulation.kinds(), value, Style::Full)
}

fn waiting(lab: &RefCell<Lab>) -> usize {
    lab.borrow().run.host.simulation().waiting_edits().len()
}

fn step(lab: &RefCell<Lab>) {
    lab.borrow_mut().run.host.clock_mut().step_once(1);
    lab.borrow_mut().advance(0.0, || true);
}

fn click(window: &mut Harness, label: &str) {
    // The tree uses the same labels; it comes before the parameters.
    let last = window.get_all_by_label(label).last();
    last.unwrap_or_else(|| panic!("there is no {label}")).click();
    window.run_steps(4);
}

/// Drags a slider from its centre to a fraction of its width.
fn drag(window: &mut Harness, label: &str, to: f32) {
    let rect = window.get_by_label(label).rect();
    window.drag_at(rect.center());
    window.run_steps(2);
    let target = rect.left_center() + Vec2::new(rect.width() * to, 0.0);
    window.hover_at(target);
    window.run_steps(2);
    window.drop_at(target);
    window.run_steps(2);
}

#[test]
fn moving_a_slider_is_an_edit() {
    let (mut window, lab) = tall(lab_of(SCENE));
    drag(&mut window, &format!("Slide {RANGE}"), 0.75);
    let range: f64 = ahead(&lab, RANGE).parse().unwrap();
    assert!(range > 5.0 && range < 7.0, "{range}");
    assert_eq!(waiting(&lab), 1, "a drag while time stands still is one edit");
    step(&lab);
    assert!(lab.borrow().run.host.simulation().edits().len() == 1);
}

#[test]
fn numbers_are_typed_exactly() {
    let (mut window, lab) = tall(lab_of(SCENE));
    type_into(&mut window, RANGE, "1.2345678901234567", Key::Enter);
    assert_eq!(ahead(&lab, RANGE), "1.2345678901234567");
    type_into(&mut window, "groups.g.spawn.position_m.x", "3", Key::Tab);
    assert_eq!(ahead(&lab, "groups.g.spawn.position_m.x"), "3.0");
    type_into(&mut window, RANGE, "9", Key::Escape);
    assert_eq!(ahead(&lab, RANGE), "1.2345678901234567", "Esc takes it back");
    lab.borrow_mut().select(Some(Item::Agent(0)));
    type_into(&mut window, RANGE, "9", Key::Escape);
    assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(0)), "and does nothing else");
}

#[test]
fn bad_parameter_numbers_are_refused_in_place_until_corrected() {
    let (mut window, lab) = tall(lab_of(SCENE));
    type_into(&mut window, RANGE, "-1", Key::Enter);
    assert_eq!(waiting(&lab), 0);
    window.get_by_label_contains("expected a number > 0");
    assert_eq!(window.get_by_label(RANGE).value().as_deref(), Some("-1"), "the draft stays");
    assert!(lab.borrow().notices.iter().next().is_none(), "the error is shown in place only");
    type_into(&mut window, RANGE, "1.5", Key::Enter);
    assert_eq!(ahead(&lab, RANGE), "1.5");
    assert!(window.query_by_label_contains("expected a number").is_none());

    type_into(&mut window, RANGE, "x", Key::Enter);
    click(&mut window, &format!("Discard the input of {RANGE}"));
    assert!(window.query_by_label_contains("expected a number").is_none());
    assert_eq!(window.get_by_label(RANGE).value().as_deref(), Some("1.5"));
}

#[test]
fn a_parameter_row_reverts_to_the_opened_value() {
    let (mut window, lab) = tall(lab_of(SCENE));
    let reset = format!("Reset {RANGE}");
    assert!(window.query_by_label(&reset).is_none());
    type_into(&mut window, RANGE, "1", Key::Enter);
    click(&mut window, &reset);
    assert_eq!(ahead(&lab, RANGE), "2.0");
    assert!(window.query_by_label(&reset).is_none());
}

#[test]
fn robots_at_written_poses_show_no_spawner() {
    let group = |rest: &str| format!("(groups: [(name: \"g\", controller: Constant(), {rest})])");
    let shown = |rest: &str| {
        let (window, _) = tall(lab_of(&group(rest)));
        ["groups.g.count", "groups.g.spawn.position_m.x"].map(|path| window.query_by_label(path).is_some())
    };
    assert_eq!(shown("at: [(1.0, 2.0, 0.0)]"), [false, false]);
    assert_eq!(shown("count: 0"), [true, true], "a count of 0 can be raised");
    assert_eq!(shown("also_at: [(1.0, 2.0, 0.0)]"), [true, true]);
}

#[test]
fn badges_show_when_a_parameter_takes_effect() {
    let (window, _) = tall(lab_of(SCENE));
    let badge = |path: &str| {
        let row = window.get_by_label(path).rect().y_range();
        let on_row = |label: &&str| {
            let mut badges = window.query_all_by_label(label);
            badges.any(|badge| row.contains(badge.rect().center().y))
        };
        ["live", "restarts"].into_iter().filter(on_row).collect::<Vec<_>>()
    };
    assert_eq!(badge("groups.g.count"), ["restarts"]);
    assert_eq!(badge(RANGE), ["live"]);
    assert_eq!(badge("Control groups.0.count"), ["restarts"]);
    assert_eq!(badge("Control groups.0.sensors.0.range_m"), ["live"]);
}

#[test]
fn a_combo_box_changes_the_kind() {
    let (mut window, lab) = tall(lab_of(SCENE));
    click(&mut window, "groups.g.controller");
    click(&mut window, "Constant");
    assert!(ahead(&lab, "groups.g.controller").starts_with("Constant("));
    window.get_by_label("groups.g.controller.turn_rad_per_s");
    click(&mut window, "Reset groups.g.controller");
    assert!(ahead(&lab, "groups.g.controller").starts_with("Binary("));
}

#[test]
fn a_kind_that_does_not_fit_cannot_be_chosen_and_says_why() {
    let (mut window, lab) = tall(lab_of("(groups: [(name: \"g\", motion: Unicycle(), controller: Binary())])"));
    window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
    click(&mut window, "groups.g.controller");
    let is_disabled = |name: &str| window.get_all_by_label(name).last().unwrap().accesskit_node().is_disabled();
    assert_eq!(["Binary", "Constant", "Diffusion"].map(is_disabled), [false, false, true]);
    let option = window.get_all_by_label("Diffusion").last().unwrap().rect().center();
    window.hover_at(option);
    window.run_steps(3);
    window.get_by_label_contains("the speeds of two wheels");
    assert_eq!(waiting(&lab), 0);
}

#[test]
fn a_refused_kind_can_be_reverted() {
    let (mut window, lab) = tall(lab_of(
        "(groups: [(name: \"g\", motion: DifferentialDrive(), controller: Diffusion(), sensors: [Proximity()])])",
    ));
    click(&mut window, "Menu of groups.g.motion");
    click(&mut window, "Set to default");
    assert_eq!(waiting(&lab), 0);
    window.get_by_label_contains("the speeds of two wheels");
    click(&mut window, "Discard the input of groups.g.motion");
    assert!(window.query_by_label("Discard the input of groups.g.motion").is_none());
}

#[test]
fn a_refused_parameter_moves_no_rows_and_escape_restores_its_value() {
    let (mut window, lab) = tall(lab_of(SCENE));
    lab.borrow_mut().select(Some(Item::Agent(0)));
    window.run_steps(3);
    let below = |window: &Harness| window.get_by_label("groups.g.sensors.0.half_angle_rad").rect();
    let before = below(&window);
    type_into(&mut window, RANGE, "-1", Key::Enter);
    window.get_by_label_contains("expected a number > 0");
    assert_eq!(below(&window), before);
    // Enter keeps the focus in the field, so that the value can be corrected at once.
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert_eq!(window.get_by_label(RANGE).value().as_deref(), Some("2.0"));
    for key in [Key::Tab, Key::Enter] {
        type_into(&mut window, RANGE, "-1", key);
        window.ctx.memory_mut(|memory| memory.stop_text_input());
        window.run_steps(3);
        window.get_by_label(&format!("Discard the input of {RANGE}"));
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert_eq!(window.get_by_label(RANGE).value().as_deref(), Some("2.0"), "{key:?}");
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(0)), "{key:?}");
    }
    assert_eq!(waiting(&lab), 0);
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert_eq!(lab.borrow().view.selection.item, None);
}

#[test]
fn a_decimal_comma_is_distinguished_from_a_separator() {
    let (mut window, _) = tall(lab_of(SCENE));
    type_into(&mut window, RANGE, "0,3", Key::Enter);
    window.get_by_label_contains("decimal point: 0.3");
}

#[test]
fn typed_drafts_of_parameters_end_with_their_scene() {
    let (mut window, lab) = tall(lab_of(SCENE));
    type_into(&mut window, RANGE, "-1", Key::Tab);
    lab.borrow_mut().run.opened.scene.name = "another".into();
    lab.borrow_mut().run.openings += 1;
    window.run_steps(3);
    assert_eq!(window.get_by_label(RANGE).value().as_deref(), Some("2.0"));
}

#[test]
fn hiding_a_field_applies_its_input() {
    let (mut window, lab) = tall(lab_of(SCENE));
    window.get_by_label(RANGE).focus();
    window.run_steps(2);
    window.event(Event::Text("1.5".into()));
    window.run_steps(2);
    for _ in 0..2 {
        window.key_press_modifiers(bevy_egui::egui::Modifiers::SHIFT, Key::F11);
        window.run_steps(4);
    }
    assert_eq!(ahead(&lab, RANGE), "1.5");
}

#[test]
fn reverting_a_point_reverts_its_coordinates() {
    let (mut window, _) = tall(lab_of(SCENE));
    let point = "groups.g.spawn.position_m";
    type_into(&mut window, &format!("{point}.x"), "x", Key::Tab);
    type_into(&mut window, &format!("{point}.y"), "y", Key::Tab);
    click(&mut window, &format!("Discard the input of {point}"));
    assert!(window.query_by_label(&format!("Discard the input of {point}")).is_none());
    for part in ["x", "y"] {
        let value = window.get_by_label(&format!("{point}.{part}")).value();
        assert!(value.is_some_and(|value| value.parse::<f64>().is_ok()));
    }
}

#[test]
fn tooltips_keep_their_minus_signs() {
    let (mut window, _) = tall(lab_of(SCENE));
    window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
    let at = window.get_by_label("groups.g.controller.clear.v_m_per_s").rect().center();
    window.hover_at(at);
    window.run_steps(3);
    window.get_by_label_contains("A number from -1000 to 1000, in m/s");
}

#[test]
fn the_range_of_a_slider_stays_while_it_is_used() {
    let (mut window, lab) = tall(lab_of(SCENE));
    let slider = format!("Slide {RANGE}");
    for _ in 0..3 {
        drag(&mut window, &slider, 1.0);
        assert_eq!(ahead(&lab, RANGE), "8.0");
        step(&lab);
        window.run_steps(2);
    }
    drag(&mut window, &slider, 0.0);
    assert_eq!(ahead(&lab, RANGE), "0.2");
    type_into(&mut window, RANGE, "30", Key::Enter);
    drag(&mut window, &slider, 1.0);
    assert_eq!(ahead(&lab, RANGE), "60.0");
}

#[test]
fn the_menu_copies_and_sets_the_default() {
    let (mut window, lab) = tall(lab_of(SCENE));
    click(&mut window, "Menu of groups.g.count");
    window.get_by_label("Copy as --set").click();
    window.step();
    let copied = window.output().platform_output.commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    assert_eq!(copied.as_deref(), Some("--set groups.g.count=3"));
    window.run_steps(3);
    click(&mut window, "Menu of groups.g.count");
    click(&mut window, "Set to default");
    assert_eq!(ahead(&lab, "groups.g.count"), "1");
}

#[test]
fn long_lists_are_one_line_until_they_are_opened() {
    let poses = (0..10_000).map(|index| format!("({index}.0, 0.0, 0.0)")).collect::<Vec<_>>().join(", ");
    let (mut window, lab) = tall(lab_of(&format!("(groups: [(name: \"g\", at: [{poses}])])")));
    assert!(window.query_by_label("groups.g.at.0").is_none());
    click(&mut window, "At");
    window.get_by_label("groups.g.at.9.x_m");
    assert!(window.query_by_label("groups.g.at.100.x_m").is_none());
    window.get_by_label("and 9,900 more");
    window.get_by_label("groups.g.at.1.heading_rad").focus();
    window.run_steps(2);
    assert_eq!(waiting(&lab), 0);
}

#[test]
fn a_selection_opens_its_section_of_parameters() {
    let (mut window, lab) = tall(lab_of("(objects: [Disc(), Disc()])"));
    assert!(window.query_by_label("objects.1.radius_m").is_none());
    lab.borrow_mut().select(Some(Item::Object(1)));
    window.run_steps(3);
    window.get_by_label("objects.1.radius_m");
    click(&mut window, "Objects");
    assert!(window.query_by_label("objects.1.radius_m").is_none(), "it opens once, and can be closed");
}

#[test]
fn a_selection_scrolls_to_its_block_and_back() {
    let scene = "(groups: [(name: \"g\", sensors: [BinaryFov()], controller: Binary())], objects: [Disc(), Disc()])";
    let top = |window: &Harness| window.get_by_label("Controls").rect().top();
    let select = |window: &mut Harness, lab: &RefCell<Lab>, item| {
        lab.borrow_mut().select(item);
        window.run_steps(20);
    };
    let (mut low, lab) = window(lab_of(scene));
    let before = top(&low);
    for item in [Item::Object(1), Item::Object(0)] {
        select(&mut low, &lab, Some(item));
        assert!(top(&low) < before);
    }
    low.get_by_label("objects.0.radius_m");
    select(&mut low, &lab, None);
    assert!((top(&low) - before).abs() < 1.0);
}

/// Reads one number.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
struct Echo {
    /// The measured distance.
    #[reflect(@Limits::between(0.0, 10.0))]
    loudness_db: f64,
    /// The timbre of the sound.
    timbre: Timbre,
}

#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
enum Timbre {
    #[default]
    Clear,
    Hollow,
}

impl Sensor for Echo {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn read(&self, (): &(), _: &mut NoMemory, _: Viewpoint, reading: &mut [f64]) {
        reading[0] = self.loudness_db;
    }
}

#[test]
fn a_plugin_kind_appears_among_the_parameters() {
    let recipe = Recipe::standard().with(|app: &mut App| {
        app.add_sensor::<Echo>();
    });
    let (mut window, lab) = tall(lab_with(&recipe, "(groups: [(name: \"g\", sensors: [Echo(), BinaryFov()])])"));
    let path = "groups.g.sensors.0.loudness_db";
    drag(&mut window, &format!("Slide {path}"), 0.5);
    assert!(ahead(&lab, path).parse::<f64>().unwrap() > 1.0);
    type_into(&mut window, path, "2.5", Key::Enter);
    assert_eq!(ahead(&lab, path), "2.5");
    click(&mut window, "groups.g.sensors.0.timbre");
    click(&mut window, "Hollow");
    assert_eq!(ahead(&lab, "groups.g.sensors.0.timbre"), "Hollow");
    click(&mut window, "groups.g.sensors.1");
    click(&mut window, "Echo");
    assert!(ahead(&lab, "groups.g.sensors.1").starts_with("Echo("));
}

#[test]
fn rows_of_one_agent_are_edits_of_that_agent() {
    use super::{Drafts, Rows};

    let lab = Rc::new(RefCell::new(lab_of(SCENE)));
    let (shared, mut drafts) = (lab.clone(), Drafts::default());
    let mut window = Harness::builder().with_size([400.0, 2000.0]).build_ui(move |ui| {
        let mut lab = shared.borrow_mut();
        let agent = agents::description_ahead(&lab.run.host.simulation().agent(1).unwrap());
        let shows = |part: &str| ["body", "motion", "sensors", "controller"].contains(&part);
        let scene = lab.run.host.simulation().scene_ahead();
        let before = Some(&scene.groups[0] as &dyn Reflect);
        let rows = Rows { root: &agent, before, prefix: "agents.1", shows: &shows, jump: None, find: None, many: None };
        let actions = rows.ui(ui, &lab, &mut drafts);
        let ctx = ui.ctx().clone();
        actions.into_iter().for_each(|action| crate::dispatch::act(&mut lab, &ctx, action));
    });
    window.run_steps(3);
    assert!(window.query_by_label("agents.1.count").is_none());
    type_into(&mut window, "agents.1.body.radius_m", "0.3", Key::Enter);
    let edit = Edit::Set { path: "agents.1.body.radius_m".into(), value: "0.3".into() };
    assert!(lab.borrow().run.host.simulation().waiting_edits().eq([&edit]));
    assert_eq!(window.get_by_label("agents.1.body.radius_m").value().as_deref(), Some("0.3"), "also while it waits");
    step(&lab);
    window.run_steps(2);
    click(&mut window, "Reset agents.1.body.radius_m");
    assert_eq!(waiting(&lab), 1);
}

const CONSTANTS: &str =
    "(constants: [(name: \"SIDE\", value: 2, about: \"Where they start\"), (name: \"RANGE\", value: 3),
    (name: \"DRAW_CONNECTIONS\", value: false)],
    groups: [(name: \"g\", count: 3, spawn: UniformSquare(side_m: SIDE), sensors: [BinaryFov(range_m: RANGE)]),
             (name: \"h\", sensors: [BinaryFov(range_m: RANGE)])],
    view: (connections: DRAW_CONNECTIONS))";

#[test]
fn constants_have_rows_of_their_own_and_set_all_their_fields() {
    let (mut window, lab) = tall(lab_of(CONSTANTS));
    window.get_by_label("Controls");
    type_into(&mut window, "Constant RANGE", "4.5", Key::Enter);
    for field in ["groups.g.sensors.0.range_m", "groups.h.sensors.0.range_m"] {
        assert_eq!(ahead(&lab, field), "4.5");
    }
    step(&lab);
    let readers = |lab: &Lab| -> Vec<f64> {
        let range = |agent: swarmarium_scene::agent_view::AgentView| {
            let group = agent.description();
            path::get(lab.run.host.simulation().kinds(), &group, "sensors.0.range_m").unwrap().downcast_ref().copied()
        };
        lab.run.host.simulation().agents().filter_map(range).collect()
    };
    assert_eq!(readers(&lab.borrow()), [4.5; 4], "running robots have it");
    let edit = lab.borrow().run.host.simulation().edits().last().map(|logged| logged.edit.clone());
    assert_eq!(edit, Some(Edit::Set { path: "groups.g.sensors.0.range_m".into(), value: "4.5".into() }));
    click(&mut window, "Reset Constant RANGE");
    assert_eq!(ahead(&lab, "groups.h.sensors.0.range_m"), "3.0");
    click(&mut window, "Constant DRAW_CONNECTIONS");
    assert!(!lab.borrow().view.current.overlays.shows(Overlay::Connections));
    lab.borrow_mut().begin_frame(60.0);
    assert!(lab.borrow().view.current.overlays.shows(Overlay::Connections), "at once, though time stands still");
}

#[test]
fn scenes_without_constants_have_no_section_of_them() {
    let (window, _) = tall(lab_of(SCENE));
    assert!(window.query_by_label("Constants").is_none());
}

#[test]
fn fields_calculate_and_convert_units() {
    let (mut window, lab) = tall(lab_of(SCENE));
    for (text, wanted) in
        [("30 cm", 0.3), ("1/4", 0.25), ("*2", 0.5), ("+50%", 0.75), ("+25 cm", 1.0), ("sqrt(4) m", 2.0)]
    {
        type_into(&mut window, RANGE, text, Key::Enter);
        let range_m: f64 = ahead(&lab, RANGE).parse().unwrap();
        assert!((range_m - wanted).abs() < 1e-12, "{text}: {range_m}");
    }
    let angle = "groups.g.sensors.0.half_angle_rad";
    type_into(&mut window, angle, "90 deg", Key::Enter);
    assert_eq!(ahead(&lab, angle), "1.5707963267948966");
    type_into(&mut window, "groups.g.count", "*2", Key::Enter);
    assert_eq!(ahead(&lab, "groups.g.count"), "6");
}

#[test]
fn texts_that_are_no_numbers_are_explained_in_place() {
    let (mut window, lab) = tall(lab_of(SCENE));
    for (text, message) in [
        ("1/x", "\"1/x\" is not a number: unknown name `x`"),
        (" ", "Enter a number"),
        ("3 kg", "\"kg\" does not fit: use m, mm, cm or km"),
    ] {
        type_into(&mut window, RANGE, text, Key::Enter);
        window.get_by_label_contains(message);
        assert_eq!(waiting(&lab), 0, "{text}");
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert_eq!(ahead(&lab, RANGE), "2.0", "{text}");
    }
    type_into(&mut window, "groups.g.count", "1/2", Key::Enter);
    window.get_by_label_contains("enter a whole number");
}

#[test]
fn a_number_has_all_its_digits_with_the_focus_and_is_not_changed_by_it() {
    let long = "1.2345678901234567";
    let (mut window, lab) = tall(lab_of(&SCENE.replace("range_m: 2.0", &format!("range_m: {long}"))));
    let shown = |window: &Harness| window.get_by_label(RANGE).value().unwrap_or_default();
    let near: f64 = shown(&window).parse().unwrap();
    assert!(shown(&window).len() < 9 && (near - 1.2345678901234567).abs() < 1e-3, "{}", shown(&window));
    for key in [Key::Tab, Key::Enter, Key::Escape] {
        window.get_by_label(RANGE).focus();
        window.run_steps(2);
        assert_eq!(shown(&window), long);
        window.key_press(key);
        window.run_steps(3);
        assert_eq!(waiting(&lab), 0);
        assert_eq!(ahead(&lab, RANGE), long);
    }
}

#[test]
fn tab_goes_through_the_fields_and_typing_runs_no_command() {
    let (mut window, lab) = tall(lab_of(SCENE));
    let focused = |window: &Harness, label: &str| window.get_by_label(label).accesskit_node().is_focused();
    let angle = "groups.g.sensors.0.half_angle_rad";
    type_into(&mut window, RANGE, "1.5", Key::Tab);
    assert!(focused(&window, angle), "the next field has the focus, not the button between them");
    assert_eq!(ahead(&lab, RANGE), "1.5");
    for (text, key) in [(".", Key::Period), ("2", Key::Num2)] {
        window.event(Event::Text(text.into()));
        window.key_press(key);
        window.run_steps(2);
    }
    assert_eq!(window.get_by_label(angle).value().as_deref(), Some(".2"));
    window.key_press_modifiers(bevy_egui::egui::Modifiers::SHIFT, Key::Tab);
    window.run_steps(3);
    assert!(focused(&window, RANGE), "Shift+Tab goes back");
    assert_eq!(ahead(&lab, angle), "0.003490658503988659");
    assert_eq!(lab.borrow().view.selection.item, None, "no robot was selected");
    assert_eq!(lab.borrow().run.host.simulation().steps(), 0);
}

#[test]
fn optional_values_have_a_switch_and_keep_their_number() {
    let force = "groups.g.motion.push_force_n";
    let (mut window, lab) = tall(lab_of(SCENE));
    let switch = format!("Switch {force}");
    click(&mut window, &switch);
    assert!(ahead(&lab, force).starts_with("Some("), "{}", ahead(&lab, force));
    type_into(&mut window, force, "0.25", Key::Enter);
    assert_eq!(ahead(&lab, force), "Some(0.25)");
    assert_eq!(window.get_by_label(force).value().as_deref(), Some("0.25"), "no notation of files");
    click(&mut window, &switch);
    assert_eq!(ahead(&lab, force), "None");
    assert!(window.query_by_label(force).is_none());
    click(&mut window, &switch);
    assert_eq!(ahead(&lab, force), "Some(0.25)", "it has its number again");
}

#[test]
fn variants_are_chosen_from_a_list() {
    let (mut window, lab) = tall(lab_of(SCENE));
    let body = "groups.g.body";
    click(&mut window, body);
    click(&mut window, "Polygon");
    assert!(ahead(&lab, body).starts_with("Polygon("), "{}", ahead(&lab, body));
    click(&mut window, body);
    click(&mut window, "Disc");
    assert_eq!(ahead(&lab, &format!("{body}.radius_m")), "0.1");
}

#[test]
fn a_slot_names_a_sensor_of_the_group() {
    let (mut window, lab) = tall(lab_of(&SCENE.replace("sensors: [", "sensors: [Proximity(), ")));
    let slot = "groups.g.controller.sensor";
    click(&mut window, slot);
    click(&mut window, "1: Binary FOV");
    assert_eq!(ahead(&lab, slot), "1");
}

#[test]
fn long_lists_of_choices_have_a_search() {
    let (mut window, lab) = tall(lab_of(SCENE));
    click(&mut window, "groups.g.controller");
    assert!(window.get_by_label("Search the choices").accesskit_node().is_focused());
    window.event(Event::Text("const".into()));
    window.run_steps(3);
    assert_eq!(window.query_all_by_label("Diffusion").count(), 0);
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert!(ahead(&lab, "groups.g.controller").starts_with("Constant("));
}

#[test]
fn angles_are_in_degrees_and_so_are_their_limits() {
    let (mut window, lab) = tall(lab_of(SCENE));
    let angle = "groups.g.sensors.0.half_angle_rad";
    for (text, wanted) in
        [("45", "0.7853981633974483"), ("0.5 rad", "0.5"), ("*2", "1.0"), ("45°", "0.7853981633974483")]
    {
        type_into(&mut window, angle, text, Key::Enter);
        assert_eq!(ahead(&lab, angle), wanted, "{text}");
    }
    assert_eq!(window.get_by_label(angle).value().as_deref(), Some("45"));
    type_into(&mut window, angle, "200", Key::Enter);
    window.get_by_label("expected a number from 0 to 180 in °");
    window.key_press(Key::Escape);
    window.run_steps(3);
}

#[test]
fn headings_are_in_degrees_and_probabilities_in_percent() {
    let radio = "radio: (loss: Bernoulli(probability: 0.3))";
    let scene = format!("(groups: [(name: \"g\", controller: Constant(), {radio})], objects: [Disc()])");
    let mut lab = lab_of(&scene);
    lab.select(Some(Item::Object(0)));
    let (mut window, lab) = tall(lab);
    let heading = "objects.0.heading_rad";
    for (text, wanted) in [("90", "1.5707963267948966"), ("pi rad", "3.141592653589793"), ("+0", "3.141592653589793")] {
        type_into(&mut window, heading, text, Key::Enter);
        assert_eq!(ahead(&lab, heading), wanted, "{text}");
    }
    assert_eq!(window.get_by_label(heading).value().as_deref(), Some("180"));
    let lost = "groups.g.radio.loss.probability";
    assert_eq!(window.get_by_label(lost).value().as_deref(), Some("30"));
    type_into(&mut window, lost, "45", Key::Enter);
    assert_eq!(ahead(&lab, lost), "0.45");
}

#[test]
fn no_row_of_a_shipped_scene_has_the_notation_of_files() {
    use swarmarium_lab_testing::lab_on;

    for name in ["site_traversal", "predators_and_evaders", "transport", "template", "collective_perception"] {
        let (window, _) = tall(lab_on(name));
        let with_notation = |text: &str| text.contains("Some(") || text == "None" || text.contains("_m:");
        let is_of_row = |label: &str| ["groups.", "objects.", "Control "].iter().any(|start| label.starts_with(start));
        let found = By::new().predicate(|node| {
            node.label().is_some_and(|label| is_of_row(&label))
                && node.value().is_some_and(|value| with_notation(&value))
        });
        let found: Vec<String> = window.query_all(found).map(|node| format!("{node:?}")).collect();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}
