//! The panel Notes: description, tasks, tags and source of the scene.

use std::collections::BTreeSet;

use bevy_egui::egui::{Label, RichText, ScrollArea, Ui};
use swarmarium_core::text::wording::capital;
use swarmarium_formats::load::Source;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::plain_text;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::description::TAGS;

/// The panel Notes.
#[derive(Default)]
pub struct Notes {
    /// The opening of the scene to which the check marks belong.
    opening: u64,
    /// The indices of completed tasks; only the window stores them.
    done: BTreeSet<usize>,
}

impl Notes {
    /// Draws the panel. It requests no actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        if std::mem::replace(&mut self.opening, lab.run.openings) != lab.run.openings {
            self.done.clear();
        }
        let scene = lab.run.host.scene();
        ScrollArea::vertical().id_salt("notes").auto_shrink(false).show(ui, |ui| {
            text(ui, RichText::new(lab.run.title()).heading().strong());
            let tags: Vec<&str> = scene.tags().collect();
            if !tags.is_empty() {
                text(ui, RichText::new(tags.join(" · ")).small().weak());
            }
            ui.add_space(theme::TINY_GAP);
            match scene.about.as_str() {
                "" => drop(ui.weak("This scene has no description")),
                about => text(ui, RichText::new(plain_text(about))),
            }
            self.tasks(ui, lab, scene);
            further(ui, scene);
            section(ui, "Source");
            source(ui, lab);
        });
        Vec::new()
    }

    fn tasks(&mut self, ui: &mut Ui, lab: &Lab, scene: &Scene) {
        if scene.tasks.is_empty() {
            return;
        }
        let count = (0..scene.tasks.len()).filter(|task| self.done.contains(task)).count();
        section(ui, &format!("Tasks, {count} of {} done", scene.tasks.len()));
        for (place, task) in scene.tasks.iter().enumerate() {
            ui.add_space(theme::TINY_GAP);
            let mut is_done = self.done.contains(&place);
            let role = if is_done { Role::Dim } else { Role::Text };
            let label = RichText::new(plain_text(task)).color(theme::color(lab.shell.settings.theme, role));
            let hint = "Marks the task as done, in this window only";
            if ui.checkbox(&mut is_done, label).on_hover_text(hint).changed() {
                match is_done {
                    true => drop(self.done.insert(place)),
                    false => drop(self.done.remove(&place)),
                }
            }
        }
    }
}

/// Draws a text that wraps and can be selected and copied.
pub fn text(ui: &mut Ui, text: RichText) {
    ui.add(Label::new(text).wrap().selectable(true));
}

fn section(ui: &mut Ui, title: &str) {
    ui.add_space(theme::GAP);
    ui.label(RichText::new(title).size(theme::SECTION_PX).strong());
}

/// Draws the other notes, such as the author.
fn further(ui: &mut Ui, scene: &Scene) {
    let notes: Vec<_> = scene.metadata.iter().filter(|note| note.name != TAGS).collect();
    if !notes.is_empty() {
        section(ui, "Notes");
        notes.iter().for_each(|note| text(ui, RichText::new(format!("{}: {}", note.name, note.text)).small()));
    }
}

/// Draws the source of the scene.
fn source(ui: &mut Ui, lab: &Lab) {
    let mut origin = lab.run.origin();
    if !matches!(lab.run.opened.source, Source::File(_)) {
        origin = capital(&origin);
    }
    text(ui, RichText::new(origin).small());
    if let Some(format) = lab.run.opened.format {
        let warnings = match lab.run.opened.warnings.len() {
            0 => String::new(),
            1 => ", with 1 warning".into(),
            many => format!(", with {many} warnings"),
        };
        text(ui, RichText::new(format!("Imported from {}{warnings}", format.description)).small());
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{click, lab_of, lab_on, window};

    #[test]
    fn tasks_of_scene_notes_are_checked_in_the_window_only() {
        let mut lab =
            lab_of(r#"(name: "One", about: "A text.", tasks: ["Watch it", "Change it"], groups: [(name: "a")])"#);
        let hash = lab.run.host.simulation().hash();
        lab.shell.settings.layout.show(Pane::Notes);
        let (mut window, lab) = window(lab);
        window.get_by_label("A text.");
        window.get_by_label("Tasks, 0 of 2 done");
        click(&mut window, "Change it");
        window.get_by_label("Tasks, 1 of 2 done");
        assert_eq!(lab.borrow().run.host.simulation().hash(), hash);
        assert!(!lab.borrow().files.autosave.is_unsaved());
        lab.borrow_mut().open_source("simiam-week3");
        window.run_steps(3);
        assert!(window.query_by_label("Change it").is_none());
        window.get_by_label("Shipped scene simiam-week3");
        window.get_by_label_contains("Tasks, 0 of ");
    }

    #[test]
    fn an_imported_scene_says_so() {
        let mut lab = lab_on("docs/examples/own_classes.yaml");
        lab.shell.settings.layout.show(Pane::Notes);
        let (window, _) = window(lab);
        window.get_by_label_contains("Imported from a RobotSwarmSimulator");
    }
}
