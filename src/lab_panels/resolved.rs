//! The scene as text, with the origin of each value.

use std::collections::BTreeMap;

use bevy_egui::egui::text::LayoutJob;
use bevy_egui::egui::{self, Align2, Color32, Label, RichText, ScrollArea, TextFormat, TextStyle, Ui};
use swarmarium_lab_state::action::{Action, PanelAction, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::{Role, Theme};
use swarmarium_scene::scene::origins::Origin;
use swarmarium_scene::scene::writer::{Line, write_with_origins};
use swarmarium_simulation::edit::{Edit, LoggedEdit};

use crate::sheet;

/// The window with the scene as text.
#[derive(Default)]
pub struct Resolved {
    /// Whether lines with default values are hidden.
    hides_defaults: bool,
    page: Option<Page>,
}

/// The text, valid until the scene changes.
struct Page {
    key: Key,
    lines: Vec<Line>,
    /// The lines without those that contain only defaults.
    notable: Vec<usize>,
    /// The number of lines by origin.
    counts: BTreeMap<Origin, usize>,
}

/// The inputs of a text.
#[derive(PartialEq)]
struct Key {
    restarts: u64,
    fingerprint: u64,
    edits: usize,
    last: Option<LoggedEdit>,
    waiting: Vec<Edit>,
}

impl Key {
    fn of(lab: &Lab) -> Self {
        let simulation = lab.run.host.simulation();
        Self {
            restarts: lab.run.restarts,
            fingerprint: lab.run.opened.fingerprint,
            edits: simulation.edits().len(),
            last: simulation.edits().last().cloned(),
            waiting: simulation.waiting_edits().cloned().collect(),
        }
    }
}

impl Page {
    fn of(lab: &Lab, key: Key) -> Self {
        let simulation = lab.run.host.simulation();
        let (scene, opened) = (simulation.scene_ahead(), &lab.run.opened);
        let lines = write_with_origins(simulation.kinds(), scene, &opened.scene, &opened.origins);
        let mut counts = BTreeMap::new();
        lines
            .iter()
            .filter_map(|line| line.mark.as_ref())
            .for_each(|mark| *counts.entry(mark.origin).or_default() += 1);
        Self { key, notable: notable(&lines), counts, lines }
    }
}

/// Returns the lines with more than defaults, and the brackets around them.
fn notable(lines: &[Line]) -> Vec<usize> {
    let mut is_notable = vec![false; lines.len()];
    let mut open = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        match &line.mark {
            Some(mark) => is_notable[index] = mark.origin != Origin::Default,
            None if line.text.ends_with(['(', '[']) => open.push(index),
            None => is_notable[index] = open.pop().is_some_and(|opening: usize| is_notable[opening]),
        }
        if is_notable[index] {
            open.iter().for_each(|opening| is_notable[*opening] = true);
        }
    }
    (0..lines.len()).filter(|index| is_notable[*index]).collect()
}

/// The free height around the window at first, and its smallest height, in points.
const AROUND: f32 = 280.0;

const LOWEST: f32 = 320.0;

impl Resolved {
    /// Draws the window. Returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let mut wanted = Vec::new();
        let mut is_open = true;
        let window = egui::Window::new("Scene as text").id(egui::Id::new("resolved")).open(&mut is_open);
        let window = window.pivot(Align2::CENTER_CENTER).default_pos(ctx.content_rect().center());
        let most_px = sheet::most_px(ctx);
        let height = (ctx.content_rect().height() - AROUND).max(LOWEST).min(most_px.y);
        window.default_size([most_px.x.min(860.0), height]).max_size(most_px).collapsible(false).fade_in(false).show(
            ctx,
            |ui| {
                let key = Key::of(lab);
                let page = match self.page.take().filter(|page| page.key == key) {
                    Some(page) => page,
                    None => Page::of(lab, key),
                };
                self.header(ui, lab, &page, &mut wanted);
                ui.separator();
                rows(ui, lab.shell.settings.theme, &page, self.hides_defaults);
                self.page = Some(page);
            },
        );
        if !is_open {
            wanted.push(Action::Panel(PanelAction::Resolved));
        }
        wanted
    }

    fn header(&mut self, ui: &mut Ui, lab: &Lab, page: &Page, wanted: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            let everything = ui.selectable_label(!self.hides_defaults, "Everything");
            if everything.on_hover_text("Shows every value of the scene").clicked() {
                self.hides_defaults = false;
            }
            let notable = ui.selectable_label(self.hides_defaults, "Without default values");
            if notable.on_hover_text("Hides values that the file does not state and that are unchanged").clicked() {
                self.hides_defaults = true;
            }
            let copy = ui.button("Copy").on_hover_text("Copies every value, as a scene file with these comments");
            if copy.clicked() {
                wanted.push(Action::Window(WindowAction::Copy(Line::join(&page.lines))));
            }
        });
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 20.0;
            for (origin, count) in &page.counts {
                let (name, hint) = words(*origin);
                let text = RichText::new(format!("{name} ({count})")).color(color(lab.shell.settings.theme, *origin));
                ui.label(text).on_hover_text(hint);
            }
        });
    }
}

/// Returns the name of an origin in the legend, and its tooltip.
fn words(origin: Origin) -> (&'static str, &'static str) {
    match origin {
        Origin::Default => ("Default", "Lines of values that the file does not state"),
        Origin::Imported => ("From the imported file", "Lines of values that come from the file of another program"),
        Origin::Robot => ("From a robot", "Lines of values of the robot or supervisor that a group names"),
        Origin::Program => ("Made by a program", "Lines of values of a scene that has no file"),
        Origin::Written => ("Written in the file", "Lines of values that the file states; they have no comment"),
        Origin::Overridden => ("Overridden", "Lines of values that --set or --seed gave when the scene was opened"),
        Origin::Changed => ("Changed in the window", "Lines of values that are not as when the scene was opened"),
    }
}

fn color(theme: Theme, origin: Origin) -> Color32 {
    theme::color(
        theme,
        match origin {
            Origin::Default => Role::Dim,
            Origin::Imported | Origin::Robot | Origin::Program | Origin::Written => Role::Text,
            Origin::Overridden => Role::Accent,
            Origin::Changed => Role::Warning,
        },
    )
}

/// Draws the lines; only visible ones are laid out.
fn rows(ui: &mut Ui, theme: Theme, page: &Page, hides_defaults: bool) {
    let count = if hides_defaults { page.notable.len() } else { page.lines.len() };
    ui.spacing_mut().item_spacing.y = 2.0;
    let height = ui.text_style_height(&TextStyle::Monospace);
    ScrollArea::both().auto_shrink(false).show_rows(ui, height, count, |ui, range| {
        for row in range {
            let index = if hides_defaults { page.notable.get(row).copied() } else { Some(row) };
            let Some(line) = index.and_then(|index| page.lines.get(index)) else { continue };
            ui.add(Label::new(job(ui, theme, line)).selectable(true).extend());
        }
    });
}

fn job(ui: &Ui, theme: Theme, line: &Line) -> LayoutJob {
    let origin = line.mark.as_ref().map_or(Origin::Written, |mark| mark.origin);
    let color = color(theme, origin);
    let format = |color| TextFormat::simple(TextStyle::Monospace.resolve(ui.style()), color);
    let mut job = LayoutJob::default();
    match line.comment() {
        Some(comment) => {
            job.append(&format!("{:<1$}  ", line.text, Line::COMMENT_AT), 0.0, format(color));
            job.append(&comment, 0.0, format(color.gamma_multiply(0.8)));
        }
        None => job.append(&line.text, 0.0, format(color)),
    }
    job
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::OutputCommand;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_formats::standard::Standard as _;
    use swarmarium_lab_testing::{lab_on, window};
    use swarmarium_scene::scene::{Scene, reader};
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    fn copied(window: &Harness) -> Option<String> {
        window.output().platform_output.commands.iter().find_map(|command| match command {
            OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    }

    #[test]
    fn values_are_shown_with_where_they_come_from() {
        let (mut window, lab) = window(lab_on("milling"));
        window.set_size(egui::vec2(1280.0, 1400.0));
        lab.borrow_mut().shell.popups.resolved = true;
        window.run_steps(3);
        let comments = |window: &Harness| window.query_all_by_label_contains("// default").count();
        assert!(comments(&window) > 1);
        let edit = Edit::Set { path: "groups.millers.body.radius_m".into(), value: "0.2".into() };
        lab.borrow_mut().run.host.apply(edit).unwrap();
        window.run_steps(2);
        window.get_by_label_contains("Changed in the window (1)");
        window.get_by_label("Without default values").click();
        window.run_steps(2);
        window.get_by_label_contains("body: Disc(radius_m: 0.2)");
        window.get_by_label_contains("// changed in the window, before 0.1");
        assert_eq!(comments(&window), 0);
        window.get_by_label("Copy").click();
        window.step();
        let text = copied(&window).or_else(|| {
            window.step();
            copied(&window)
        });
        let scene: Scene = reader::read(Recipe::standard().kinds(), "copied", &text.unwrap()).unwrap();
        assert_eq!(scene.groups[0].body.radius_m(), 0.2);
        lab.borrow_mut().reset(None);
        window.run_steps(2);
        window.get_by_label_contains("Changed in the window (1)");
        lab.borrow_mut().revert();
        window.run_steps(2);
        assert!(window.query_by_label_contains("Changed in the window").is_none());
    }

    #[test]
    fn brackets_around_hidden_values_are_hidden() {
        let line = |text: &str, origin: Option<Origin>| Line {
            text: text.into(),
            mark: origin.map(|origin| swarmarium_scene::scene::origins::Mark { origin, before: None }),
        };
        let (default, written) = (Some(Origin::Default), Some(Origin::Written));
        let lines = [
            line("Scene(", None),
            line("a: (", None),
            line("b: 1,", default),
            line("),", None),
            line("c: [(", None),
            line("d: 1,", default),
            line("e: 1,", written),
            line(")],", None),
            line(")", None),
        ];
        assert_eq!(notable(&lines), [0, 4, 6, 7, 8]);
    }
}
