//! Files that are dropped on the window.

use bevy_egui::egui::{self, Align2, Id, LayerId, Order, Vec2};
use swarmarium_lab_state::action::{Action, FileAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::Role;

/// Shows the effect of a drop while files hover over the window. Returns the action for dropped files.
pub fn ui(ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
    // A file dialog handles drops itself: it opens their folder.
    if lab.files.request.is_some() {
        return Vec::new();
    }
    let (hovering, dropped) = ctx.input(|input| {
        let dropped = input.raw.dropped_files.iter().map(|file| file.path().display().to_string());
        (input.raw.hovered_files.len(), dropped.collect::<Vec<_>>())
    });
    if hovering > 0 {
        let text = if hovering > 1 { "Drop to open the first file" } else { "Drop to open" };
        overlay(ctx, lab, text);
    }
    if dropped.is_empty() { Vec::new() } else { vec![Action::File(FileAction::OpenFirst(dropped))] }
}

fn overlay(ctx: &egui::Context, lab: &Lab, text: &str) {
    let (rect, theme) = (ctx.content_rect(), lab.shell.settings.theme);
    let painter = ctx.layer_painter(LayerId::new(Order::Foreground, Id::new("drop")));
    painter.rect_filled(rect, 0.0, theme::paint(theme, Role::Ground.faint(theme::VEIL)));
    let accent = theme::color(theme, Role::Accent);
    let frame = egui::Rect::from_center_size(rect.center(), Vec2::new(300.0, 120.0));
    painter.rect(
        frame,
        theme::LARGE_CORNER_PX,
        theme::color(theme, Role::Arena),
        (2.0, accent),
        egui::StrokeKind::Inside,
    );
    let font = theme::font(theme::TITLE_PX);
    painter.text(rect.center(), Align2::CENTER_CENTER, text, font, theme::color(theme, Role::Text));
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use swarmarium_lab_testing::{lab_on, window};

    #[derive(Debug)]
    struct Dropped(PathBuf);

    impl bevy_egui::egui::DroppedFile for Dropped {
        fn path(&self) -> &Path {
            &self.0
        }

        fn bytes(&self) -> Result<Vec<u8>, String> {
            Err("is not read".into())
        }
    }

    fn drop_files(names: &[&str]) -> (String, Option<String>) {
        let (mut window, lab) = window(lab_on("milling"));
        let files = names.iter().map(|name| Arc::new(Dropped(name.into())) as _);
        window.input_mut().dropped_files = files.collect();
        window.run_steps(2);
        let lab = lab.borrow();
        (lab.run.title(), lab.notices.iter().last().map(|notice| notice.lines[0].clone()))
    }

    #[test]
    fn a_dropped_file_opens() {
        assert_eq!(drop_files(&["scenes/aggregation.ron"]), ("Aggregation".into(), None));
    }

    #[test]
    fn the_first_of_several_dropped_files_opens() {
        let (title, told) = drop_files(&["scenes/aggregation.ron", "scenes/milling.ron"]);
        assert_eq!(title, "Aggregation");
        assert!(told.is_some_and(|told| told.contains("first of 2 files")));
    }

    #[test]
    fn a_file_that_is_no_scene_leaves_the_scene_as_it_was() {
        let (title, told) = drop_files(&["Cargo.toml"]);
        assert_eq!(title, "Milling");
        assert!(told.is_some());
    }
}
