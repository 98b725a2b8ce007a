//! The panels of the window, and where each has its place.

use bevy::prelude::Resource;
use bevy_egui::egui::{self, Ui};

use super::tour::Landmark;
use super::{
    Lab, action, changes, dialogs, drop, events, gallery, help, inspector, keymap, keys, palette, parameters, plots,
    recording, reload, resolved, status, theme, timing, tour, transport, tree, wheel, world_view,
};
use crate::draw::{Picture, Theme};

/// The least height of the gallery, and of the tree below it, in points.
const LEAST_PX: f32 = 120.0;

/// The panels. Each is a struct whose `ui` draws it and returns what was asked for.
#[derive(Resource, Default)]
pub struct Panels {
    transport: transport::Transport,
    gallery: gallery::Gallery,
    tree: tree::Tree,
    inspector: inspector::Inspector,
    parameters: parameters::Parameters,
    plots: plots::Plots,
    events: events::Events,
    changes: changes::Changes,
    status: status::Status,
    world: world_view::WorldView,
    resolved: resolved::Resolved,
    palette: palette::Palette,
    dialogs: dialogs::Dialogs,
    watcher: reload::Watcher,
    keys: keymap::Follower,
    help: help::Help,
    /// The theme that egui was given.
    theme: Option<Theme>,
}

impl Panels {
    /// Draws all of them over a picture of the world, and does what they ask for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &mut Lab, picture: &Picture) {
        let ctx = ui.ctx().clone();
        if self.theme != Some(lab.settings.theme) {
            theme::apply(&ctx, lab.settings.theme);
            self.theme = Some(lab.settings.theme);
        }
        ctx.set_zoom_factor(lab.settings.interface_scale);
        let now_s = ctx.input(|input| input.time);
        self.watcher.follow(lab, now_s);
        self.keys.follow(lab, now_s);
        lab.look_after_unsaved(now_s);
        let mut wanted = keys::actions(&ctx, lab);
        wanted.extend(wheel::actions(&ctx, lab));
        if lab.settings.panels {
            wanted.extend(self.transport.ui(ui, lab));
            wanted.extend(self.status.ui(ui, lab));
            let (shown, is_sized) = by_hand(ui, "plots", |ui| self.plots.ui(ui, lab));
            wanted.extend(shown);
            if let Some(rect) = self.plots.rect() {
                lab.plots_px = rect;
                remember(&mut lab.settings.plots_px, rect.height(), is_sized);
            }
            if lab.settings.events {
                self.events(ui, lab, &mut wanted);
            }
            self.left(ui, lab, &mut wanted);
            self.right(ui, lab, &mut wanted);
        }
        wanted.extend(self.world.ui(ui, lab, picture));
        lab.arrange(self.world.rect());
        lab.cursor_m = self.world.cursor_m();
        if lab.help {
            wanted.extend(self.help.ui(&ctx, lab));
        }
        if lab.resolved {
            wanted.extend(self.resolved.ui(&ctx, lab));
        }
        if lab.recording_panel {
            wanted.extend(recording::ui(&ctx, lab));
        }
        if lab.time_panel {
            wanted.extend(timing::ui(&ctx, lab));
        }
        wanted.extend(tour::ui(&ctx, lab));
        wanted.extend(self.palette.ui(&ctx, lab));
        wanted.extend(self.dialogs.ui(&ctx, lab));
        wanted.extend(drop::ui(&ctx, lab));
        // A field is left, and so asks for its value, by the very click that asks for something else.
        wanted.sort_by_key(|action| !matches!(action, super::Action::Edit(_)));
        for wanted in wanted {
            action::act(lab, &ctx, wanted);
        }
    }

    /// What happened.
    fn events(&mut self, ui: &mut Ui, lab: &mut Lab, wanted: &mut Vec<super::Action>) {
        let panel = egui::Panel::bottom("events").resizable(true).default_size(lab.settings.events_px);
        let panel = panel.size_range(60.0..=500.0).frame(theme::panel(lab.settings.theme));
        let (shown, is_sized) = by_hand(ui, "events", |ui| panel.show(ui, |ui| wanted.extend(self.events.ui(ui, lab))));
        remember(&mut lab.settings.events_px, shown.response.rect.height(), is_sized);
    }

    /// Scenes to open, and what is in the world.
    fn left(&mut self, ui: &mut Ui, lab: &mut Lab, wanted: &mut Vec<super::Action>) {
        let panel = egui::Panel::left("left").default_size(lab.settings.left_px).size_range(160.0..=480.0);
        let panel = panel.frame(theme::panel(lab.settings.theme));
        let (shown, is_sized) = by_hand(ui, "left", |ui| {
            panel.show(ui, |ui| {
                self.gallery_over_tree(ui, lab, wanted);
            })
        });
        remember(&mut lab.settings.left_px, shown.response.rect.width(), is_sized);
    }

    /// Both open, each has its own height; one of them open, it has all of it.
    fn gallery_over_tree(&mut self, ui: &mut Ui, lab: &mut Lab, wanted: &mut Vec<super::Action>) {
        let frame = egui::Frame::new();
        match (lab.settings.gallery, lab.settings.tree) {
            (true, true) => {
                let most_px = (ui.available_height() - LEAST_PX).max(LEAST_PX);
                let panel = egui::Panel::top("gallery").resizable(true).frame(frame);
                let panel = panel.default_size(lab.settings.gallery_px).size_range(LEAST_PX..=most_px);
                let (shown, is_sized) =
                    by_hand(ui, "gallery", |ui| panel.show(ui, |ui| wanted.extend(self.gallery.ui(ui, lab))));
                remember(&mut lab.settings.gallery_px, shown.response.rect.height(), is_sized);
                ui.add_space(6.0);
                wanted.extend(self.tree.ui(ui, lab));
            }
            (true, false) => {
                let panel = egui::Panel::bottom("tree").resizable(false).frame(frame);
                panel.show(ui, |ui| wanted.extend(self.tree.ui(ui, lab)));
                wanted.extend(self.gallery.ui(ui, lab));
            }
            (false, _) => {
                wanted.extend(self.gallery.ui(ui, lab));
                wanted.extend(self.tree.ui(ui, lab));
            }
        }
    }

    /// What is selected, and all parameters.
    fn right(&mut self, ui: &mut Ui, lab: &mut Lab, wanted: &mut Vec<super::Action>) {
        let panel = egui::Panel::right("right").default_size(lab.settings.right_px).size_range(280.0..=640.0);
        let panel = panel.frame(theme::panel(lab.settings.theme));
        let (shown, is_sized) = by_hand(ui, "right", |ui| {
            panel.show(ui, |ui| {
                // Whatever it holds, it is as wide as it was made.
                ui.take_available_width();
                if lab.settings.changes {
                    wanted.extend(self.changes.ui(ui, lab));
                }
                wanted.extend(self.inspector.ui(ui, lab));
                tour::mark(ui.ctx(), Landmark::Parameters, ui.available_rect_before_wrap());
                wanted.extend(self.parameters.ui(ui, lab));
            })
        });
        remember(&mut lab.settings.right_px, shown.response.rect.width(), is_sized);
    }
}

/// Shows the panel with an id in its default size, which is the one that it was given by hand, as far as there is room;
/// whether it is given another one now.
///
/// egui would keep the size that a panel was squeezed to, also when there is room again.
fn by_hand<R>(ui: &mut Ui, id: &str, show: impl FnOnce(&mut Ui) -> R) -> (R, bool) {
    let id = egui::Id::new(id);
    ui.data_mut(|data| data.remove::<egui::PanelState>(id));
    let handle = ui.ctx().read_response(id.with("__resize"));
    (show(ui), handle.is_some_and(|handle| handle.dragged() || handle.drag_stopped()))
}

fn remember(size_px: &mut f32, shown_px: f32, is_sized: bool) {
    if is_sized {
        *size_px = shown_px;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bevy_egui::egui::accesskit::Role;
    use bevy_egui::egui::{self, Key, Modifiers};
    use egui_kittest::kittest::{NodeT as _, Queryable as _};
    use strum::VariantNames as _;

    use crate::edit::Edit;
    use crate::lab::testing::{do_steps, lab_on, window};
    use crate::lab::{Action, Lab, palette, save};
    use crate::simulation::{Recipe, Simulation};

    #[test]
    fn the_palette_reaches_every_action() {
        let mut lab = lab_on("milling");
        lab.settings.recent = vec!["x.ron".into()];
        lab.autosave.found = vec![crate::lab::autosave::Unsaved::default()];
        let mut reached: BTreeSet<&'static str> = BTreeSet::new();
        for action in palette::entries(&lab).filter_map(|entry| entry.action) {
            reached.insert((&action).into());
            if let Action::Ask(ask) = action {
                reached.insert((&ask.action("x".into())).into());
            }
        }
        // These come from what is typed or picked after them.
        let (_, found) = palette::typed(&lab, "groups.millers.count = 7");
        reached.extend(found.iter().map(<&'static str>::from));
        let missing: Vec<_> = Action::VARIANTS.iter().copied().filter(|name| !reached.contains(name)).collect();
        assert_eq!(missing, ["OpenFirst"]);
    }

    #[test]
    fn what_is_typed_counts_before_the_click_that_leaves_the_field() {
        for (button, is_kept) in [("Reset", true), ("Aggregation", false)] {
            let (mut window, lab) = window(lab_on("milling"));
            let typed = "groups.millers.sensors.0.range_m";
            lab.borrow_mut().settings.tree = false;
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
            let simulation = lab.host.simulation();
            let value = crate::scene::path::get(simulation.kinds(), simulation.scene(), typed).ok();
            assert_eq!(value.and_then(|value| value.downcast_ref::<f64>()) == Some(&3.25), is_kept, "{button}");
            let waits = |edit: &Edit| matches!(edit, Edit::Set { .. });
            assert!(!simulation.waiting_edits().iter().any(waits), "{button}");
            assert_eq!(lab.restarts, 1);
        }
    }

    #[test]
    fn the_palette_does_what_is_typed() {
        let (mut window, lab) = window(lab_on("milling"));
        window.key_press_modifiers(Modifiers::COMMAND, Key::P);
        window.run_steps(3);
        window.get_by_label("Find an action").type_text("real time");
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert_eq!(lab.borrow().host.clock().scale(), 1.0);
        assert!(!lab.borrow().palette);
    }

    #[test]
    fn every_control_has_a_tooltip() {
        // One at a time: they lie upon each other.
        let panels: [fn(&mut Lab); 2] = [|lab| lab.recording_panel = true, |lab| lab.time_panel = true];
        for open in panels {
            assert_eq!(controls_without_tooltip(open), Vec::<String>::new());
        }
    }

    fn controls_without_tooltip(open: fn(&mut Lab)) -> Vec<String> {
        let mut before = lab_on("milling");
        before.select(Some(crate::lab::selection::Item::Agent(2)));
        before.settings.gallery_px = 1500.0;
        open(&mut before);
        let (mut window, _) = window(before);
        window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
        let controls = [Role::Button, Role::Slider, Role::TextInput, Role::CheckBox, Role::ComboBox, Role::SpinButton];
        // So high that nothing is scrolled away.
        window.set_size(egui::vec2(1600.0, 4000.0));
        window.run_steps(5);
        let found: Vec<(String, egui::Rect)> = window
            .root()
            .children_recursive()
            .filter(|node| controls.contains(&node.accesskit_node().role()))
            .map(|node| {
                (format!("{:?} {:?}", node.accesskit_node().role(), node.accesskit_node().label()), node.rect())
            })
            .collect();
        assert!(found.len() > 30, "{}", found.len());
        let screen = window.ctx.content_rect();
        let mut without = Vec::new();
        for (name, rect) in found {
            let at = rect.center();
            // The cross of a window is egui's.
            if !screen.contains(at) || name.contains("Close window") {
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
            crate::lab::action::act(&mut lab, &ctx, Action::Edit(Edit::Set { path, value }));
        }
        do_steps(&mut lab, 50);
        let run = folder.path().join("run");
        save::run(&lab, &run).unwrap();
        let recipe = Recipe::standard();
        let read = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
        let scene = crate::scene::reader::read(recipe.kinds(), "scene.ron", &read("scene.ron")).unwrap();
        let log = crate::edit::log::read("edits.ron", &read("edits.ron")).unwrap();
        assert_eq!(log.len(), 10);
        let mut log = crate::edit::log::Replay::new(log);
        let mut again = Simulation::new(&scene).unwrap();
        for step in 1..=lab.host.simulation().steps() {
            log.due(step).for_each(|edit| again.apply(edit).unwrap());
            again.step(1);
        }
        assert_eq!(again.hash(), lab.host.simulation().hash());
        assert!(read("manifest.json").contains(&format!("{:016x}", again.hash().0)));
        assert!(save::run(&lab, &run).is_err(), "a run is never written over another");
    }
}
