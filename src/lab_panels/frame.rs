//! The panels of the window and their places.

use bevy::prelude::Resource;
use bevy_egui::egui::{self, Ui};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::app::key_file::Follower;
use swarmarium_lab_state::app::watcher::Watcher;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::shell::docked::Content;
use swarmarium_picture::Picture;
use swarmarium_picture::palette::Theme;

use crate::compare::panel::Chooser;
use crate::dispatch;
use crate::plots::{self, empty};
use crate::sweep::panel::SweepPanel;
use crate::timeline::find::FindPanel;
use crate::timeline::strip::Strip;
use crate::tour::Landmark;
use crate::{
    catalogue, changes, clients, dialogs, dock, driving, drop, events, figure_export, gallery, help, inspector, keys,
    messages, notes, palette, parameters, recording, resolved, script, status, timing, tour, transport, tree, unsaved,
    view, world,
};

/// The share of the inspector in the height of its column while it shows a robot.
const INSPECTOR_SHARE: f32 = 0.62;

/// The panels. Each is a struct whose `ui` draws it and returns the requested actions.
#[derive(Resource, Default)]
pub struct Panels {
    transport: transport::Transport,
    gallery: gallery::Gallery,
    tree: tree::Tree,
    inspector: inspector::Inspector,
    parameters: parameters::Parameters,
    plots: plots::Plots,
    figure: figure_export::FigurePanel,
    events: events::Events,
    console: events::Console,
    script: script::ScriptPanel,
    changes: changes::Changes,
    notes: notes::Notes,
    clients: clients::Panel,
    compare: Chooser,
    status: status::Status,
    strip: Strip,
    sweep: SweepPanel,
    find: FindPanel,
    world: world::WorldView,
    tour: tour::Bubble,
    resolved: resolved::Resolved,
    unsaved: unsaved::UnsavedWork,
    palette: palette::Palette,
    catalogue: catalogue::Catalogue,
    dialogs: dialogs::Dialogs,
    watcher: Watcher,
    keys: Follower,
    help: help::Help,
    /// The theme given to egui, and the pixels per point at that time.
    theme: Option<(Theme, f32)>,
    /// Whether the glyphs have been loaded since then.
    is_warm: bool,
    transactions: Transactions,
}

/// Groups edits into transactions: all edits while a mouse button is held, or those of one frame.
#[derive(Default)]
struct Transactions {
    last: u64,
    /// Whether the button has been held since the last edit.
    goes_on: bool,
}

impl Transactions {
    /// Sets the transaction of this frame, if it has edits.
    fn begin(&mut self, ctx: &egui::Context, lab: &mut Lab, asks: bool) {
        let (is_held, is_pressed) = ctx.input(|input| {
            let pointer = &input.pointer;
            (pointer.primary_down() || pointer.secondary_down(), pointer.any_pressed())
        });
        self.goes_on &= !is_pressed;
        if asks && !self.goes_on {
            self.last = lab.run.host.new_transaction();
        }
        lab.edits.transaction = if asks { self.last } else { 0 };
        self.goes_on = (self.goes_on || asks) && is_held;
    }
}

impl Panels {
    /// Draws all panels over a picture of the world, and executes the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &mut Lab, picture: &Picture) {
        let ctx = ui.ctx().clone();
        let theme = Some((lab.shell.settings.theme, ctx.pixels_per_point()));
        if self.theme != theme {
            theme::apply(&ctx, lab.shell.settings.theme);
            (self.theme, self.is_warm) = (theme, false);
        } else if !self.is_warm {
            theme::warm(&ctx);
            self.is_warm = true;
        }
        ctx.set_zoom_factor(lab.shell.settings.interface_scale);
        let now_s = ctx.input(|input| input.time);
        self.watcher.follow(lab, now_s);
        self.keys.follow(lab, now_s);
        lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, now_s);
        let mut wanted = keys::actions(&ctx, lab);
        wanted.extend(driving::actions(&ctx, lab));
        // Figures and videos show the plots also while the panel is closed.
        lab.plots.arrangement = self.plots.arrangement(&lab.shell.settings.plots);
        if lab.shell.settings.panels {
            wanted.extend(self.transport.ui(ui, lab));
            wanted.extend(self.status.ui(ui, lab));
            wanted.extend(self.strip.ui(ui, lab));
            self.dock(ui, lab, picture, &mut wanted);
        } else {
            wanted.extend(world(&mut self.world, ui, lab, picture));
        }
        lab.view.arrange(&lab.run.host, self.world.rect());
        lab.compare.arrange(self.world.rect_of_b());
        lab.view.cursor_m = self.world.cursor_m();
        wanted.extend(self.catalogue.ui(&ctx, lab));
        if lab.shell.popups.help {
            wanted.extend(self.help.ui(&ctx, lab));
        }
        if lab.shell.popups.resolved {
            wanted.extend(self.resolved.ui(&ctx, lab));
        }
        if lab.shell.popups.recording {
            wanted.extend(recording::ui(&ctx, lab));
        }
        wanted.extend(self.figure.ui(&ctx, lab));
        wanted.extend(self.unsaved.ui(&ctx, lab));
        if lab.shell.popups.time {
            wanted.extend(timing::ui(&ctx, lab));
        }
        wanted.extend(self.find.ui(&ctx, lab, self.strip.corner_px()));
        wanted.extend(self.compare.ui(&ctx, lab));
        tour::follow(lab, ctx.input(|input| input.pointer.any_down()));
        wanted.extend(self.tour.ui(&ctx, lab));
        wanted.extend(self.palette.ui(&ctx, lab));
        wanted.extend(self.dialogs.ui(&ctx, lab));
        wanted.extend(drop::ui(&ctx, lab));
        // A click outside a field first applies the field's value.
        wanted.sort_by_key(|action| !matches!(action, Action::Edit(_) | Action::Edits(_)));
        self.transactions.begin(&ctx, lab, wanted.iter().any(Action::is_edit));
        for wanted in wanted {
            dispatch::act(lab, &ctx, wanted);
        }
        lab.edits.transaction = 0;
        lab.follow_forecasts();
        // Holding ends with the button, even if the timeline is hidden.
        lab.timeline.is_held &= ctx.input(|input| input.pointer.any_down());
    }

    /// Draws the world and the panels around it.
    fn dock(&mut self, ui: &mut Ui, lab: &mut Lab, picture: &Picture, wanted: &mut Vec<Action>) {
        let has_subject = lab.view.selection.item.is_some_and(|item| item.agent().is_some());
        match has_subject && lab.shell.settings.layout.is_shown(Pane::Inspector) {
            true => lab.shell.settings.layout.grow_to_share(Pane::Inspector, INSPECTOR_SHARE),
            false => lab.shell.settings.layout.shrink(Pane::Inspector),
        }
        let (layout, theme) = (lab.shell.settings.layout.clone(), lab.shell.settings.theme);
        // While it is drawn, no other part uses it.
        let mut docked = std::mem::take(&mut lab.shell.docked);
        docked.folded = (lab.plots.is_empty() && lab.shell.settings.plots.of_robots.is_empty())
            .then_some(Pane::Plots)
            .into_iter()
            .collect();
        let mut show = |ui: &mut Ui, content| match content {
            Content::World => wanted.extend(world(&mut self.world, ui, lab, picture)),
            Content::Panel(pane) => wanted.extend(self.panel(ui, lab, pane)),
            Content::Line(Pane::Plots) => wanted.extend(empty::line(ui, lab)),
            Content::Line(_) => {}
        };
        let changed = dock::ui(ui, &mut docked, &layout, theme, &mut show);
        lab.shell.docked = docked;
        if let Some(changed) = changed {
            lab.shell.settings.layout = changed;
        }
    }

    /// Draws a panel in its place.
    fn panel(&mut self, ui: &mut Ui, lab: &Lab, pane: Pane) -> Vec<Action> {
        let rect = ui.max_rect();
        // The panel needs no fill: the window has the same ground, and no world is painted here.
        let inner = rect.shrink2(theme::PANEL_MARGIN);
        let inner = egui::Rect::from_min_max(inner.min, inner.max.max(inner.min));
        // Its id does not depend on its place, so scrolled and opened parts stay when it is dragged.
        let builder = egui::UiBuilder::new().id(egui::Id::new(("panel", pane.about().title))).max_rect(inner);
        if pane == Pane::Parameters {
            tour::mark(ui.ctx(), Landmark::Parameters, rect);
        }
        ui.scope_builder(builder, |ui| self.content(ui, lab, pane)).inner
    }

    fn content(&mut self, ui: &mut Ui, lab: &Lab, pane: Pane) -> Vec<Action> {
        match pane {
            Pane::Gallery => self.gallery.ui(ui, lab),
            Pane::Tree => self.tree.ui(ui, lab),
            Pane::Inspector => self.inspector.ui(ui, lab),
            Pane::Parameters => self.parameters.ui(ui, lab),
            Pane::Plots => self.plots.ui(ui, lab),
            Pane::Events => self.events.ui(ui, lab),
            Pane::Changes => self.changes.ui(ui, lab),
            Pane::Notes => self.notes.ui(ui, lab),
            Pane::Clients => self.clients.ui(ui, lab),
            Pane::View => view::ui(ui, lab),
            Pane::Sweep => self.sweep.ui(ui, lab),
            Pane::Script => self.script.ui(ui, lab),
            Pane::Console => self.console.ui(ui, lab),
            Pane::Messages => messages::ui(ui, lab),
        }
    }
}

/// Draws the world. The tools act in B as in A, on the lab with B as its simulation.
fn world(view: &mut world::WorldView, ui: &mut Ui, lab: &mut Lab, picture: &Picture) -> Vec<Action> {
    let mut actions = view.ui(ui, lab, picture);
    actions.extend(lab.as_seen_in_b(|lab| view.tools_in_b(ui, lab)).unwrap_or_default());
    actions
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::rc::Rc;

    use bevy_egui::egui::accesskit::Role;
    use bevy_egui::egui::{self, Key, Modifiers};
    use egui_kittest::Harness;
    use egui_kittest::kittest::{NodeT as _, Queryable as _};
    use strum::VariantNames as _;
    use swarmarium_formats::standard::{FromScene as _, Standard as _};
    use swarmarium_lab_state::action::{
        Action, Changed, CompareAction, FigureAction, FileAction, ForecastAction, HistoryAction, PanelAction,
        ParameterAction, PartAction, PlotAction, RecordingAction, ScriptAction, SelectionAction, SweepAction,
        TimeAction, TimelineAction, ToolAction, ViewAction, WindowAction,
    };
    use swarmarium_lab_state::app::Lab;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_state::common::settings::RobotPlot;
    use swarmarium_lab_state::files::autosave::Unsaved;
    use swarmarium_lab_state::files::save;
    use swarmarium_lab_state::notice::Notice;
    use swarmarium_lab_testing::{click_at, do_steps, lab_on, window};
    use swarmarium_simulation::edit::Edit;
    use swarmarium_simulation::simulation::{Recipe, Simulation};

    use crate::palette;

    /// Returns the names of an action and of its variant.
    fn names(action: &Action) -> [&'static str; 2] {
        let inner = match action {
            Action::Edit(_) | Action::Edits(_) | Action::Compare(_) => "",
            Action::Time(action) => action.into(),
            Action::Timeline(action) => action.into(),
            Action::File(action) => action.into(),
            Action::Recording(action) => action.into(),
            Action::Figure(action) => action.into(),
            Action::History(action) => action.into(),
            Action::Parameter(action) => action.into(),
            Action::Plot(action) => action.into(),
            Action::Selection(action) => action.into(),
            Action::Tool(action) => action.into(),
            Action::View(action) => action.into(),
            Action::Panel(action) => action.into(),
            Action::Window(action) => action.into(),
            Action::Sweep(action) => action.into(),
            Action::Script(action) => action.into(),
            Action::Part(action) => action.into(),
            Action::Forecast(action) => action.into(),
        };
        [action.into(), inner]
    }

    /// Returns the names of all actions.
    fn all_names() -> impl Iterator<Item = [&'static str; 2]> {
        let inner = |action: &str| match action {
            "Time" => TimeAction::VARIANTS,
            "Timeline" => TimelineAction::VARIANTS,
            "File" => FileAction::VARIANTS,
            "Recording" => RecordingAction::VARIANTS,
            "Figure" => FigureAction::VARIANTS,
            "History" => HistoryAction::VARIANTS,
            "Parameter" => ParameterAction::VARIANTS,
            "Plot" => PlotAction::VARIANTS,
            "Selection" => SelectionAction::VARIANTS,
            "Tool" => ToolAction::VARIANTS,
            "View" => ViewAction::VARIANTS,
            "Panel" => PanelAction::VARIANTS,
            "Window" => WindowAction::VARIANTS,
            "Sweep" => SweepAction::VARIANTS,
            "Script" => ScriptAction::VARIANTS,
            "Part" => PartAction::VARIANTS,
            "Forecast" => ForecastAction::VARIANTS,
            _ => &[""],
        };
        Action::VARIANTS.iter().flat_map(move |action| inner(action).iter().map(move |inner| [*action, *inner]))
    }

    #[test]
    fn buttons_can_be_pressed_by_their_labels() {
        let (mut window, lab) = window(lab_on("milling"));
        assert!(lab.borrow().run.host.clock().paused);
        window.get_by_label("Play").click();
        window.run_steps(2);
        assert!(!lab.borrow().run.host.clock().paused);
    }

    #[test]
    fn the_palette_reaches_every_action() {
        let mut lab = lab_on("milling");
        lab.shell.settings.recent = vec!["x.ron".into()];
        lab.files.autosave.found = vec![Unsaved::default()];
        lab.notices.say("A message");
        do_steps(&mut lab, 3);
        lab.timeline.add_bookmark(&mut lab.run.host, &mut lab.notices);
        lab.fork();
        lab.timeline.set_range(swarmarium_lab_state::action::RangeEnd::To, 2, 3);
        let sweeps = tempfile::tempdir().unwrap();
        lab.files.places.sweeps = Some(sweeps.path().into());
        lab.suggest_sweep();
        lab.start_sweep();
        let mut reached: BTreeSet<[&'static str; 2]> = BTreeSet::new();
        for action in palette::entries(&lab).chain(palette::metrics(&lab)).filter_map(|entry| entry.action) {
            reached.insert(names(&action));
            if let Action::File(FileAction::Ask(request)) = action {
                reached.insert(names(&request.action("x".into())));
            }
        }
        // These actions need typed or picked input.
        let (_, found) = palette::typed(&lab, "groups.millers.count = 7");
        reached.extend(found.iter().map(names));
        let missing: Vec<_> = all_names().filter(|names| !reached.contains(names)).collect();
        assert_eq!(
            missing,
            [
                ["Time", "StartCrowded"],
                ["Timeline", "Scrub"],
                ["Timeline", "CancelRename"],
                ["Timeline", "Rename"],
                ["Timeline", "Find"],
                ["Timeline", "FindAt"],
                ["Timeline", "SetLead"],
                ["Timeline", "AddMetricAndFind"],
                ["File", "OpenFirst"],
                ["Recording", "SetPart"],
                ["Plot", "Arrange"],
                ["Panel", "TourStep"],
                ["Window", "CancelProgress"],
                ["Window", "CloseNotice"],
                ["Sweep", "SetUp"],
                ["Sweep", "SetOptions"],
                ["Sweep", "Refine"],
                ["Sweep", "Choose"],
                ["Sweep", "OpenRun"],
                ["Sweep", "BackToScene"],
                ["Sweep", "CompareRun"],
                ["Sweep", "RecordRun"],
                ["Sweep", "ResumeFolder"],
                ["Script", "Show"],
                ["Script", "Apply"],
                ["Part", "Close"],
                ["Part", "Rename"],
                ["Forecast", "Show"],
                ["Forecast", "PointAt"],
                ["Forecast", "SetDuration"],
            ]
        );
    }

    #[test]
    fn typed_text_is_applied_before_the_click_that_leaves_the_field() {
        for (button, is_kept) in [("Restart", true), ("Aggregation", false)] {
            let (mut window, lab) = window(lab_on("milling"));
            let typed = "groups.millers.sensors.0.range_m";
            lab.borrow_mut().shell.settings.layout.close(Pane::Tree);
            window.set_size(egui::vec2(1280.0, 2000.0));
            window.run_steps(3);
            window.get_by_label(typed).focus();
            window.run_steps(2);
            window.event(egui::Event::Text("3.25".into()));
            window.run_steps(2);
            let at = window.get_by_label(button).rect().center();
            window.drag_at(at);
            window.run_steps(1);
            window.drop_at(at);
            window.run_steps(3);
            let lab = lab.borrow();
            let simulation = lab.run.host.simulation();
            let value = swarmarium_scene::scene::path::get(simulation.kinds(), simulation.scene(), typed).ok();
            assert_eq!(value.and_then(|value| value.downcast_ref::<f64>()) == Some(&3.25), is_kept, "{button}");
            let waits = |edit: &Edit| matches!(edit, Edit::Set { .. });
            assert!(!simulation.waiting_edits().any(waits), "{button}");
            assert_eq!(lab.run.restarts, 1);
        }
    }

    #[test]
    fn the_palette_runs_the_typed_command() {
        let (mut window, lab) = window(lab_on("milling"));
        window.key_press_modifiers(Modifiers::COMMAND, Key::P);
        window.run_steps(3);
        window.get_by_label("Find an action").type_text("real time");
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert_eq!(lab.borrow().run.host.clock().scale(), 1.0);
        assert!(lab.borrow().shell.popups.palette.is_none());
    }

    const RANGE: &str = "groups.millers.sensors.0.range_m";

    fn add_plots(lab: &mut Lab) {
        let plots = &mut lab.shell.settings.plots;
        plots.add_of_robots(RobotPlot::distribution());
        plots.add_of_robots(RobotPlot::scatter());
    }

    fn add_bookmark(lab: &mut Lab) {
        do_steps(lab, 3);
        lab.timeline.add_bookmark(&mut lab.run.host, &mut lab.notices);
    }

    fn list_unsaved(lab: &mut Lab) {
        let mut found = Unsaved::default();
        (found.title, found.path) = ("Milling".into(), "milling.ron".into());
        lab.files.autosave.found = vec![found];
        lab.shell.popups.unsaved = true;
    }

    #[test]
    fn every_control_has_a_tooltip() {
        // One at a time, because they cover each other.
        let panels: [fn(&mut Lab); 13] = [
            add_plots,
            |lab| lab.shell.settings.plots.has_table = true,
            |lab| lab.shell.popups.recording = true,
            |lab| lab.shell.popups.figure = true,
            |lab| lab.shell.popups.time = true,
            |lab| lab.shell.settings.mark_legend = true,
            |lab| {
                // It stays while the test points at the other controls.
                let copy = Action::Window(WindowAction::Copy("x".into()));
                lab.notices.add(Notice::error("Not saved").with_button("Copy path", "Copies the path", copy));
                lab.show_panel(Pane::Messages);
            },
            |lab| lab.show_panel(Pane::View),
            |lab| lab.show_panel(Pane::Script),
            |lab| {
                lab.open_source("script-milling");
                lab.show_panel(Pane::Script);
            },
            |lab| lab.show_panel(Pane::Console),
            |lab| lab.do_compare(CompareAction::ChooseOf(RANGE.into())),
            |lab| {
                let changed = Changed { path: RANGE.into(), value: "1.5".into() };
                lab.do_compare(CompareAction::Begin(vec![changed]));
            },
        ];
        for (number, open) in panels.into_iter().enumerate() {
            let (window, _) = high_window(open);
            let found = controls(&window);
            assert!(found.len() > 30, "{}", found.len());
            assert_eq!(without_tooltip(window, found), Vec::<String>::new(), "panel {number}");
        }
    }

    #[test]
    fn every_control_of_a_menu_or_small_window_has_a_tooltip() {
        // What is opened, then the labels of what is clicked, each in what the one before has opened.
        let opened: [(fn(&mut Lab), &[&str]); 12] = [
            (|lab| lab.shell.popups.catalogue = Some("fields".into()), &[]),
            (|lab| lab.shell.popups.find = true, &[]),
            (list_unsaved, &[]),
            (list_unsaved, &["Discard all…"]),
            (add_bookmark, &["More of the timeline"]),
            (add_bookmark, &["More of the timeline", "State lanes"]),
            (add_bookmark, &["More of the timeline", "Branches", "main ("]),
            (add_bookmark, &["More of the timeline", "Bookmarks", "(step "]),
            (|_| (), &["Menu of plot circliness"]),
            (|_| (), &["Menu of plot circliness", "Plot together with"]),
            (add_plots, &["Menu of Distribution of speed", "Value"]),
            (add_plots, &["Menu of Y over x", "Horizontal value"]),
        ];
        for (open, labels) in opened {
            let (mut window, lab) = high_window(|_| ());
            let mut known = controls(&window);
            open(&mut lab.borrow_mut());
            window.run_steps(5);
            let new = |window: &Harness, known: &[(String, egui::Rect)]| -> Vec<(String, egui::Rect)> {
                controls(window).into_iter().filter(|control| !known.contains(control)).collect()
            };
            for (place, label) in labels.iter().enumerate() {
                let from = if place == 0 { controls(&window) } else { new(&window, &known) };
                known = controls(&window);
                let button = from.iter().find(|(name, _)| name.contains(label));
                let (_, rect) = button.unwrap_or_else(|| panic!("there is no {label} in {from:?}"));
                click_at(&mut window, rect.center());
            }
            let found = new(&window, &known);
            assert!(!found.is_empty(), "{labels:?}");
            assert_eq!(without_tooltip(window, found), Vec::<String>::new(), "{labels:?}");
        }
    }

    /// Creates a window so high that nothing is scrolled away, in which tooltips show at once.
    fn high_window(open: fn(&mut Lab)) -> (Harness<'static>, Rc<RefCell<Lab>>) {
        let mut before = lab_on("milling");
        before.select(Some(swarmarium_lab_state::common::selection::Item::Agent(2)));
        open(&mut before);
        let (mut window, lab) = window(before);
        window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
        window.set_size(egui::vec2(1600.0, 9000.0));
        window.run_steps(5);
        (window, lab)
    }

    /// Returns the names and the rectangles of all controls.
    fn controls(window: &Harness) -> Vec<(String, egui::Rect)> {
        let roles = [Role::Button, Role::Slider, Role::TextInput, Role::CheckBox, Role::ComboBox, Role::SpinButton];
        let nodes = window.root().children_recursive();
        let nodes = nodes.filter(|node| roles.contains(&node.accesskit_node().role()));
        nodes
            .map(|node| {
                let known = node.accesskit_node();
                (format!("{:?} {:?}", known.role(), known.label()), node.rect())
            })
            .collect()
    }

    /// Returns those of some controls that have no tooltip.
    fn without_tooltip(mut window: Harness, controls: Vec<(String, egui::Rect)>) -> Vec<String> {
        let screen = window.ctx.content_rect();
        let mut without = Vec::new();
        for (name, rect) in controls {
            let at = rect.center();
            // The cross of a window belongs to egui. An entry with an arrow opens its menu in place of a tooltip.
            if !screen.contains(at) || name.contains("Close window") || name.contains('⏵') {
                continue;
            }
            window.hover_at(at);
            window.run_steps(3);
            let tooltip = window.ctx.memory(|memory| {
                memory.areas().visible_layer_ids().iter().any(|layer| layer.order == egui::Order::Tooltip)
            });
            if !tooltip {
                without.push(name);
            }
        }
        without
    }

    #[test]
    fn a_session_with_ten_changes_runs_again_to_the_same_hash() {
        let folder = tempfile::tempdir().unwrap();
        let mut lab = lab_on("milling");
        let ctx = egui::Context::default();
        for change in 0..10 {
            do_steps(&mut lab, 20);
            let (path, value) = match change % 3 {
                0 => ("groups.millers.controller.detected.turn_rad_per_s".into(), format!("0.{}", change + 1)),
                1 => (format!("agents.{}.sensors.0.range_m", change % 6), format!("{change}.5")),
                _ => ("groups.millers.sensors.0.half_angle_rad".to_owned(), format!("0.{change}")),
            };
            crate::dispatch::act(&mut lab, &ctx, Action::Edit(Edit::Set { path, value }));
        }
        do_steps(&mut lab, 50);
        let run = folder.path().join("run");
        save::run(&lab.run, &lab.timeline, &run).unwrap();
        let recipe = Recipe::standard();
        let read = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
        let scene = swarmarium_scene::scene::reader::read(recipe.kinds(), "scene.ron", &read("scene.ron")).unwrap();
        let log = swarmarium_simulation::edit::log::read("edits.ron", &read("edits.ron")).unwrap();
        assert_eq!(log.len(), 10);
        let mut log = swarmarium_simulation::edit::log::Replay::new(log);
        let mut again = Simulation::new(&scene).unwrap();
        for step in 1..=lab.run.host.simulation().steps() {
            log.due(step).for_each(|logged| again.replay(logged).unwrap());
            again.step(1);
        }
        assert_eq!(again.hash(), lab.run.host.simulation().hash());
        assert!(read("manifest.json").contains(&format!("{:016x}", again.hash().0)));
        assert!(save::run(&lab.run, &lab.timeline, &run).is_err(), "a run is never written over another");
    }
}
