//! The file dialogs.

use std::path::{Path, PathBuf};

use bevy_egui::egui::layers::ShapeIdx;
use bevy_egui::egui::{self, Button, Event, Id, Key, LayerId, Memory, Modal, Order, Shape, TextEdit, Vec2};
use egui_file_dialog::{DialogState, FileDialog, FileDialogLabels, OpeningMode};
use swarmarium_formats::{import, share};
use swarmarium_lab_state::action::{Action, FileRequest, PanelAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::places::file_stem;
use swarmarium_lab_state::common::settings::FigureContent;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::select_all;
use swarmarium_lab_state::run::{folder, output_folder, stem};
use swarmarium_picture::palette::Role;

/// The size of a dialog, in points, if the window has room for it.
const SIZE_PX: Vec2 = Vec2::new(760.0, 460.0);

/// The smallest size of a dialog, in points.
const LEAST_PX: Vec2 = Vec2::new(360.0, 240.0);

/// Free space around a dialog, in points.
const AROUND_PX: f32 = 80.0;

/// The dialogs. One is open while the lab waits for a file.
#[derive(Default)]
pub struct Dialogs {
    open: Option<(FileRequest, Stage)>,
}

/// The stage of a dialog.
enum Stage {
    /// The user chooses a file. The events are the typed input of the last frame, for a field that it opened.
    Choose(Box<FileDialog>, Vec<Event>),
    /// The user confirms that an existing file is replaced. Its name became known when the extension was added.
    Replace(PathBuf),
}

/// The result of a dialog in a frame.
enum Answer {
    /// The dialog stays open.
    None,
    /// The user closed the dialog.
    Cancelled,
    /// The user picked this file.
    Picked(PathBuf),
}

impl Dialogs {
    /// Draws the open dialog. Returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        if self.open.as_ref().map(|(ask, _)| *ask) != lab.files.request {
            self.open = lab.files.request.map(|ask| (ask, Stage::Choose(Box::new(dialog(ask, ctx, lab)), Vec::new())));
        }
        let Some((ask, stage)) = &mut self.open else { return Vec::new() };
        // The dialog of the crate needs a second press while a text field has the focus.
        let escaped = ctx.input(|input| input.key_pressed(Key::Escape));
        let answer = match stage {
            _ if escaped => Answer::Cancelled,
            Stage::Choose(dialog, typed) => chosen(*ask, dialog, typed, ctx),
            Stage::Replace(path) => replace_ui(ctx, path),
        };
        let action = match answer {
            Answer::None => return Vec::new(),
            Answer::Cancelled => None,
            Answer::Picked(path) => {
                let whole = ask.with_extension(&path);
                if whole != path && whole.exists() {
                    *stage = Stage::Replace(whole);
                    return Vec::new();
                }
                Some(ask.action(whole))
            }
        };
        self.open = None;
        [Action::Panel(PanelAction::Close)].into_iter().chain(action).collect()
    }
}

fn chosen(ask: FileRequest, dialog: &mut FileDialog, typed: &mut Vec<Event>, ctx: &egui::Context) -> Answer {
    ctx.input_mut(|input| drop(input.events.splice(..0, typed.drain(..))));
    let before = ctx.memory(Memory::focused);
    dialog.update(ctx);
    color_search(ctx, ask);
    if let Some(field) = ctx.memory(Memory::focused).filter(|field| before != Some(*field)) {
        *typed = enter(ctx, field);
    }
    match dialog.state() {
        DialogState::Open => Answer::None,
        // A blank name is not a file name.
        DialogState::Picked(path) if ask.is_named(path) => Answer::Picked(path.clone()),
        _ => Answer::Cancelled,
    }
}

/// Gives the search field of a dialog the colour of other fields; the crate draws it nearly black in every theme.
fn color_search(ctx: &egui::Context, ask: FileRequest) {
    let fill = ctx.global_style().visuals.extreme_bg_color;
    let id = id(ask);
    ctx.graphics_mut(|graphics| {
        for order in [Order::Middle, Order::Foreground] {
            let Some(shapes) = graphics.get_mut(LayerId::new(order, id)) else { continue };
            for place in 0..shapes.next_idx().0 {
                shapes.mutate_shape(ShapeIdx(place), |shape| match &mut shape.shape {
                    Shape::Rect(rect) if rect.fill == theme::DARK_CANVAS => rect.fill = fill,
                    _ => {}
                });
            }
        }
    });
}

/// Selects the whole text of a field that got the focus by a key or a button, so that typing replaces it.
///
/// The crate puts the cursor at the end of the path and drops the `/` that opened the field; the `/` is restored.
fn enter(ctx: &egui::Context, field: Id) -> Vec<Event> {
    let Some(state) = TextEdit::load_state(ctx, field) else { return Vec::new() };
    let is_text = |event: &&Event| matches!(event, Event::Text(_));
    let typed: Vec<Event> = ctx.input(|input| input.events.iter().filter(is_text).cloned().collect());
    let opens_path = matches!(typed.first(), Some(Event::Text(text)) if text.starts_with('/'));
    let is_clicked = ctx.read_response(field).is_some_and(|field| field.is_pointer_button_down_on());
    // Names are selected without their extension.
    let has_selection = state.cursor.char_range().is_some_and(|range| !range.is_empty());
    // The search field already has the typed text.
    if is_clicked || has_selection || !(typed.is_empty() || opens_path) {
        return Vec::new();
    }
    select_all(ctx, field);
    typed
}

fn replace_ui(ctx: &egui::Context, path: &Path) -> Answer {
    let mut answer = Answer::None;
    Modal::new(Id::new("replace")).show(ctx, |ui| {
        ui.set_max_width(360.0);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ui.label(format!("{name} already exists")).on_hover_text(path.display().to_string());
        ui.add_space(theme::GAP);
        ui.horizontal(|ui| {
            if ui.add(Button::new("Replace")).on_hover_text("Replaces the existing file").clicked() {
                answer = Answer::Picked(path.into());
            }
            if ui.add(Button::new("Cancel")).on_hover_text("Keeps the existing file and saves nothing (Esc)").clicked()
            {
                answer = Answer::Cancelled;
            }
        });
    });
    answer
}

/// Returns the id of the dialog.
fn id(request: FileRequest) -> Id {
    Id::new(("file dialog", request.title()))
}

/// Returns the suggested file name.
fn file_name(request: FileRequest, lab: &Lab) -> String {
    let stem = stem(&lab.run);
    match request {
        FileRequest::Open | FileRequest::RecordingFolder | FileRequest::OpenSweep | FileRequest::LoadController(_) => {
            String::new()
        }
        FileRequest::SavePlan => format!("{stem}.sweep.ron"),
        FileRequest::SaveSweep => format!("{stem}-sweep"),
        FileRequest::ExportSweep(format) => format!("{stem}-sweep.{}", format.extension()),
        FileRequest::SaveController(group) => {
            let name = lab.run.host.scene().groups.get(group).map_or("", |group| &group.name);
            format!("{}-controller.ron", file_stem(name))
        }
        FileRequest::SaveScene => format!("{stem}.ron"),
        FileRequest::SaveStanding => format!("{stem}-standing.ron"),
        FileRequest::SaveRun => format!("{stem}-{}", lab.run.host.start().seed),
        FileRequest::Share => format!("{stem}.{}", share::EXTENSION),
        FileRequest::SharePage => format!("{stem}-{}.html", lab.run.host.start().seed),
        FileRequest::ExportMcap => format!("{stem}-{}.mcap", lab.run.host.start().seed),
        FileRequest::ExportCsv => format!("{stem}-plots.csv"),
        FileRequest::ExportFigure(content, format) => {
            let what = if content == FigureContent::Plots { "plots" } else { "view" };
            format!("{stem}-{what}.{}", format.extension())
        }
    }
}

/// Returns the folder in which the dialog begins.
fn first_folder(request: FileRequest, lab: &Lab) -> PathBuf {
    let places = &lab.files.places;
    match request {
        FileRequest::RecordingFolder => existing(output_folder(&lab.run, &lab.shell.settings, places)),
        FileRequest::OpenSweep => {
            let sweeps = places.sweeps.clone().filter(|sweeps| sweeps.is_dir());
            sweeps.unwrap_or_else(|| existing(folder(&lab.run, places)))
        }
        FileRequest::Open | FileRequest::LoadController(_) => existing(folder(&lab.run, places)),
        _ => {
            let folder = folder(&lab.run, places);
            // Saved files and recordings go to the same folder, which the first of them makes. If that fails, the user
            // chooses another one.
            drop(places.make_output(&folder));
            existing(folder)
        }
    }
}

/// Returns a folder, or the first existing one above it.
fn existing(folder: PathBuf) -> PathBuf {
    folder.ancestors().find(|folder| folder.is_dir()).map(Path::to_path_buf).unwrap_or(folder)
}

fn dialog(request: FileRequest, ctx: &egui::Context, lab: &Lab) -> FileDialog {
    let window = ctx.content_rect();
    let size = SIZE_PX.min(window.size() - Vec2::splat(AROUND_PX)).max(LEAST_PX);
    let veil = theme::paint(lab.shell.settings.theme, Role::Ground.faint(0.7));
    let mut dialog = FileDialog::new()
        .title(request.title())
        .labels(labels())
        .id(id(request))
        .initial_directory(first_folder(request, lab))
        .opening_mode(OpeningMode::AlwaysInitialDir)
        .default_file_name(&file_name(request, lab))
        .default_size(size)
        .min_size(LEAST_PX)
        .default_pos(window.center() - size / 2.0)
        .modal_overlay_color(veil);
    match request {
        FileRequest::Open => {
            let own = vec!["ron", share::EXTENSION];
            let others = import::extensions();
            let all = [own.as_slice(), &others].concat();
            let name = |title: &str, extensions: &[&str]| format!("{title} ({})", extensions.join(", "));
            let all_scenes = name("All scenes", &all);
            dialog = dialog
                .default_file_filter(&all_scenes)
                .add_file_filter_extensions(&all_scenes, all)
                .add_file_filter_extensions(&name("Scenes", &own), own)
                .add_file_filter_extensions(&name("Other programs", &others), others);
            dialog.pick_file();
        }
        FileRequest::LoadController(_) => {
            let files = "Controllers (ron)";
            dialog = dialog.add_file_filter_extensions(files, vec!["ron"]).default_file_filter(files);
            dialog.pick_file();
        }
        FileRequest::RecordingFolder | FileRequest::OpenSweep => dialog.pick_directory(),
        FileRequest::SaveController(_)
        | FileRequest::SaveScene
        | FileRequest::SaveStanding
        | FileRequest::SaveRun
        | FileRequest::Share
        | FileRequest::SharePage
        | FileRequest::ExportMcap
        | FileRequest::ExportCsv
        | FileRequest::SavePlan
        | FileRequest::SaveSweep
        | FileRequest::ExportSweep(_)
        | FileRequest::ExportFigure(..) => {
            dialog.save_file();
        }
    }
    dialog
}

/// The labels of the crate in the style of the window.
fn labels() -> FileDialogLabels {
    FileDialogLabels {
        cancel: "Cancel".into(),
        overwrite: "Replace".into(),
        reload: "Reload".into(),
        working_directory: "Go to the current folder".into(),
        select_all: "Select all".into(),
        show_hidden: "Show hidden files".into(),
        show_system_files: "Show system files".into(),
        heading_removable_devices: "Removable devices".into(),
        home_dir: "Home".into(),
        desktop_dir: "Desktop".into(),
        documents_dir: "Documents".into(),
        downloads_dir: "Downloads".into(),
        audio_dir: "Audio".into(),
        pictures_dir: "Pictures".into(),
        videos_dir: "Videos".into(),
        pin_folder: "Pin".into(),
        unpin_folder: "Unpin".into(),
        rename_pinned_folder: "Rename".into(),
        selected_directory: "Folder".into(),
        selected_file: "File".into(),
        selected_items: "Files".into(),
        file_name: "Name".into(),
        file_filter_all_files: "All files".into(),
        open_button: "Open".into(),
        save_button: "Save".into(),
        cancel_button: "Cancel".into(),
        overwrite_file_modal_text: "already exists".into(),
        err_empty_folder_name: "The folder needs a name".into(),
        err_empty_file_name: "The file needs a name".into(),
        err_directory_exists: "A folder of this name already exists".into(),
        err_file_exists: "A file of this name already exists".into(),
        ..FileDialogLabels::default()
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::action::FileAction;
    use swarmarium_lab_state::common::settings::FigureFormat;
    use swarmarium_lab_testing::{lab_on, window};
    use swarmarium_picture::palette::Theme;

    use super::*;
    use crate::dispatch;

    const FIGURE: FileRequest = FileRequest::ExportFigure(FigureContent::Plots, FigureFormat::Pdf);

    fn ask(window: &mut Harness, lab: &std::cell::RefCell<Lab>, ask: FileRequest) {
        dispatch::act(&mut lab.borrow_mut(), &window.ctx, Action::File(FileAction::Ask(ask)));
        window.run_steps(4);
    }

    #[test]
    fn files_of_shipped_scenes_are_saved_beside_the_recordings() {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().join("Swarmarium");
        let mut lab = lab_on("milling");
        lab.files.places.output = Some(output.clone());
        assert_eq!(first_folder(FileRequest::Open, &lab), place.path(), "nothing is made to open a file");
        assert_eq!(first_folder(FileRequest::SaveScene, &lab), output);
        assert_eq!(first_folder(FileRequest::Open, &lab), output);
    }

    #[test]
    fn every_dialog_opens_and_escape_closes_it() {
        let (mut window, lab) = window(lab_on("milling"));
        let all = [
            FileRequest::Open,
            FileRequest::SaveScene,
            FileRequest::SaveStanding,
            FileRequest::SaveRun,
            FileRequest::ExportCsv,
            FIGURE,
            FileRequest::ExportFigure(FigureContent::World, FigureFormat::Svg),
            FileRequest::RecordingFolder,
            FileRequest::SaveController(0),
            FileRequest::LoadController(0),
        ];
        for wanted in all {
            ask(&mut window, &lab, wanted);
            window.get_by_role_and_label(egui::accesskit::Role::Window, wanted.title());
            window.key_press(Key::Escape);
            window.run_steps(2);
            assert!(window.query_by_label("Cancel").is_none(), "{wanted:?}");
            assert_eq!(lab.borrow().files.request, None);
        }
    }

    #[test]
    fn no_dialog_field_is_black() {
        for theme in [Theme::Dark, Theme::Light] {
            let mut before = lab_on("milling");
            before.shell.settings.theme = theme;
            let (mut window, lab) = window(before);
            ask(&mut window, &lab, FileRequest::Open);
            let ground = theme::color(theme, Role::Arena);
            let fills = window.output().shapes.iter().filter_map(|entry| match &entry.shape {
                Shape::Rect(rect) => Some(rect.fill),
                _ => None,
            });
            let fills: Vec<_> = fills.collect();
            assert!(fills.contains(&ground), "{theme:?}");
            assert!(!fills.iter().any(|fill| fill.r().max(fill.g()).max(fill.b()) == 0 && fill.a() > 200), "{theme:?}");
        }
    }

    #[test]
    fn a_second_dialog_replaces_the_first() {
        let (mut window, lab) = window(lab_on("milling"));
        ask(&mut window, &lab, FileRequest::Open);
        ask(&mut window, &lab, FileRequest::Open);
        ask(&mut window, &lab, FileRequest::SaveScene);
        assert!(window.query_by_label("Open file").is_none());
        window.get_by_label("Cancel").click();
        window.run_steps(2);
        assert_eq!(lab.borrow().files.request, None);
    }

    #[test]
    fn keys_belong_to_an_open_dialog() {
        let (mut window, lab) = window(lab_on("milling"));
        ask(&mut window, &lab, FileRequest::Open);
        for key in [Key::Space, Key::G, Key::F1, Key::Escape] {
            window.key_press(key);
            window.run_steps(2);
        }
        let lab = lab.borrow();
        assert!(lab.run.host.clock().paused && !lab.shell.popups.help && lab.files.request.is_none());
    }

    #[test]
    fn a_typed_path_replaces_the_old_one() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("other.ron");
        std::fs::write(&file, swarmarium_scene::scene::shipped::get("obstacles").unwrap()).unwrap();
        let path = file.display().to_string();
        assert!(path.starts_with('/'), "{path}");
        let (mut window, lab) = window(lab_on("milling"));
        ask(&mut window, &lab, FileRequest::Open);
        window.event(Event::Key {
            key: Key::Slash,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: egui::Modifiers::NONE,
        });
        for letter in path.chars() {
            window.event(Event::Text(letter.into()));
            window.run_steps(1);
        }
        window.run_steps(1);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert_eq!(lab.borrow().run.title(), "Obstacles");
        assert_eq!(lab.borrow().files.request, None);
    }

    #[test]
    fn a_word_typed_in_a_dialog_searches() {
        let (mut window, lab) = window(lab_on("milling"));
        ask(&mut window, &lab, FileRequest::Open);
        for letter in ["m", "i", "l"] {
            window.event(Event::Text(letter.into()));
            window.run_steps(1);
        }
        window.run_steps(2);
        let found = window
            .get_all_by_role(egui::accesskit::Role::TextInput)
            .any(|field| field.value().as_deref() == Some("mil"));
        assert!(found);
    }

    #[test]
    fn the_name_of_a_run_is_replaced_by_what_is_typed() {
        let (mut window, lab) = window(lab_on("milling"));
        ask(&mut window, &lab, FileRequest::SaveRun);
        window.event(Event::Text("mine".into()));
        window.run_steps(2);
        let names = window.get_all_by_role(egui::accesskit::Role::TextInput);
        assert!(names.into_iter().any(|field| field.value().as_deref() == Some("mine")));
    }

    /// Types a name into the dialog and presses Save. Returns the names of the saved files.
    pub fn save(place: &Path, wanted: FileRequest, name: &str, then: &[&str]) -> Vec<String> {
        let scene = place.join("a scene.ron");
        std::fs::write(&scene, swarmarium_scene::scene::shipped::get("milling").unwrap()).unwrap();
        let (mut window, lab) = window(lab_on(scene.to_str().unwrap()));
        ask(&mut window, &lab, wanted);
        window.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
        window.event(Event::Text(name.into()));
        window.run_steps(2);
        for label in ["Save"].iter().chain(then) {
            window.get_by_label(label).click();
            window.run_steps(3);
        }
        let mut names: Vec<_> = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names.into_iter().map(|name| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_missing_extension_is_added() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(save(place.path(), FileRequest::SaveScene, "other", &[]), ["a scene.ron", "other.ron"]);
    }

    #[test]
    fn replacing_a_file_is_asked_first_also_when_the_extension_was_missing() {
        let place = tempfile::tempdir().unwrap();
        let kept = place.path().join("kept.ron");
        for name in ["kept", "kept.ron"] {
            std::fs::write(&kept, "mine").unwrap();
            save(place.path(), FileRequest::SaveScene, name, &["Cancel"]);
            assert_eq!(std::fs::read_to_string(&kept).unwrap(), "mine", "{name}");
            save(place.path(), FileRequest::SaveScene, name, &["Replace"]);
            assert_ne!(std::fs::read_to_string(&kept).unwrap(), "mine", "{name}");
        }
    }

    #[test]
    fn default_names_of_dialogs_say_what_is_saved() {
        let names = |lab: &Lab| {
            [FileRequest::SaveScene, FileRequest::SaveRun, FileRequest::ExportCsv, FIGURE]
                .map(|ask| file_name(ask, lab))
        };
        let expected = ["milling.ron", "milling-7", "milling-plots.csv", "milling-plots.pdf"];
        assert_eq!(names(&lab_on("milling")), expected);
        assert_eq!(names(&lab_on("scenes/milling.ron")), expected);
    }

    #[test]
    fn extensions_are_added_when_they_are_missing() {
        let whole = |ask: FileRequest, path: &str| ask.with_extension(Path::new(path)).display().to_string();
        assert_eq!(whole(FileRequest::SaveScene, "a"), "a.ron");
        assert_eq!(whole(FileRequest::SaveScene, "a.RON"), "a.RON");
        assert_eq!(whole(FileRequest::SaveScene, "run.2"), "run.2.ron");
        assert_eq!(whole(FileRequest::SaveRun, "run.2"), "run.2");
    }
}
