//! The menu of a row.

use bevy_egui::egui::Ui;
use swarmarium_core::text::wording::with_article;
use swarmarium_lab_state::action::{
    Action, CompareAction, FileAction, FileRequest, ParameterAction, PartAction, PlotAction, ScriptAction, SweepAction,
    WindowAction,
};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::new_script;
use swarmarium_lab_state::common::sweep_setup::FactorSetup;
use swarmarium_lab_state::common::text::{member_word, shell_word};
use swarmarium_lab_state::common::widgets::dots;
use swarmarium_scene::scene::controls::MOST;
use swarmarium_scene::scene::{constants, path};

use crate::parameters::cells::{HEIGHT, SIGN};
use crate::parameters::controls::{control_of, making_control};
use crate::parameters::drafts::RowContext;
use crate::parameters::row::text_of;
use crate::parameters::rows::{EditorKind, Node};

/// Change of a single randomised number, as a fraction of its range.
const NEAR: f64 = 0.25;

/// Draws the menu of a row.
pub(super) fn menu(ui: &mut Ui, context: &mut RowContext, node: &Node, editor: &EditorKind) {
    let (theme, name) = (context.lab.shell.settings.theme, format!("Menu of {}", node.label()));
    let hint = "Opens the menu of this value";
    dots(ui, theme, (SIGN, HEIGHT), &name, hint, |ui| entries(ui, context, node, editor));
}

/// Draws the entries for the value of a row.
pub(super) fn entries(ui: &mut Ui, context: &mut RowContext, node: &Node, editor: &EditorKind) {
    let kinds = context.lab.run.host.simulation().kinds();
    let path = node.leaf.path.as_str();
    let entry = |ui: &mut Ui, text: &str, hint: &str| ui.button(text).on_hover_text(hint).clicked();
    if entry(ui, "Copy path", "Copies the path of this value") {
        context.actions.push(Action::Window(WindowAction::Copy(node.option().into())));
    }
    if is_of_scene(path) && entry(ui, "Copy as --set", "Copies this value as a command-line option") {
        context
            .actions
            .push(Action::Window(WindowAction::Copy(option(node.option(), &text_of(kinds, node.leaf.value)))));
    }
    part_entries(ui, context, node, editor);
    let can_set = is_of_scene(path) || !matches!(editor, EditorKind::Kind(_));
    if !can_set {
        return;
    }
    if let Some(before) =
        node.before.filter(|_| entry(ui, "Reset to the scene's value", "Resets to the value when the scene was opened"))
    {
        context.set(path, &text_of(kinds, before));
    }
    if let Some(default) =
        node.default.filter(|_| entry(ui, "Set to default", "Sets the default of scenes that set no value"))
    {
        context.set(path, &text_of(kinds, default));
    }
    if matches!(editor, EditorKind::Number { .. })
        && is_of_scene(path)
        && entry(ui, "Randomise", "Randomises this number near its value (more under \"More\" above the parameters)")
    {
        context
            .actions
            .push(Action::Parameter(ParameterAction::Randomise { paths: vec![path.to_owned()], part: NEAR }));
    }
    if is_of_scene(path) {
        let paths = match editor {
            EditorKind::Point => vec![("Sweep x…", format!("{path}.x")), ("Sweep y…", format!("{path}.y"))],
            _ => vec![("Sweep…", node.option().to_owned())],
        };
        paths.into_iter().for_each(|(text, path)| sweep_entries(ui, context, text, &path));
    }
    let scene = context.lab.run.host.simulation().scene_ahead();
    if constants::text_at(kinds, scene, path).is_some()
        && entry(
            ui,
            "Compare with another value…",
            "Shows a second world beside this one, with another value of this parameter",
        )
    {
        context.actions.push(Action::Compare(CompareAction::ChooseOf(path.into())));
    }
    if let Some(group) = group_of_controller(context.lab, path) {
        if entry(ui, "Save controller to file…", "Saves this controller with all its parameters") {
            context.actions.push(Action::File(FileAction::Ask(FileRequest::SaveController(group))));
        }
        let scene = context.lab.run.host.simulation().scene_ahead();
        let kind = scene.groups.get(group).map_or("", |group| new_script::kind_of(kinds, group));
        if kind != new_script::KIND
            && entry(
                ui,
                "New script from this controller",
                "Makes a script of this controller, for all robots of the group",
            )
        {
            context.actions.push(ScriptAction::New(group).into());
        }
        if entry(ui, "Load controller from file…", "Loads a saved controller") {
            context.actions.push(Action::File(FileAction::Ask(FileRequest::LoadController(group))));
        }
    }
    let numbers = match editor {
        EditorKind::Number { .. } => vec![("Pin to plots", path.to_owned())],
        EditorKind::Point => vec![("Pin x to plots", format!("{path}.x")), ("Pin y to plots", format!("{path}.y"))],
        _ => Vec::new(),
    };
    for (text, path) in numbers {
        if entry(ui, text, "Plots this number over time, or removes it from the plots") {
            context.actions.push(Action::Plot(PlotAction::Pin(path)));
        }
    }
}

/// Draws the entries of a member of a list, of a value that the catalogue can replace, and of controls.
fn part_entries(ui: &mut Ui, context: &mut RowContext, node: &Node, editor: &EditorKind) {
    let lab = context.lab;
    let path = node.leaf.path.as_str();
    if !is_of_scene(path) || node.constant.is_some() && node.control.is_none() {
        return;
    }
    let entry = |ui: &mut Ui, text: &str, hint: &str| ui.button(text).on_hover_text(hint).clicked();
    if node.place.is_some() {
        if entry(ui, "Duplicate", "Adds a copy at the end of the list") {
            context.actions.push(PartAction::Duplicate(path.into()).into());
        }
        if entry(ui, "Remove", "Removes this member of the list") {
            context.actions.push(PartAction::Remove(path.into()).into());
        }
    } else if matches!(editor, EditorKind::Kind(_))
        && entry(ui, "Replace…", "Opens the catalogue of all kinds, with their descriptions")
    {
        context.actions.push(PartAction::Open(by_places(lab, path)).into());
    }
    if !matches!(editor, EditorKind::Number { .. } | EditorKind::Choice | EditorKind::Bool) {
        return;
    }
    let of = node.control.map_or(path, |control| control.of.as_str());
    let is_listed = |of: &str| lab.run.host.simulation().scene_ahead().controls.iter().position(|it| it.of == of);
    match control_of(lab, path).or_else(|| is_listed(of)) {
        Some(place) => {
            if entry(ui, "Remove from the controls", "Shows this parameter no longer at the top of the panel") {
                context.actions.push(PartAction::Remove(format!("controls.{place}")).into());
            }
        }
        None if lab.run.host.simulation().scene_ahead().controls.len() >= MOST => {}
        None => {
            if entry(ui, "Add to the controls", "Shows this parameter at the top of the panel; the scene keeps that") {
                context.actions.push(Action::Edits(making_control(lab, of)));
            }
        }
    }
}

/// Returns the tooltip of the button that adds to a list; `None` for lists of single robots.
pub(super) fn adds_to(path: &str) -> Option<String> {
    is_of_scene(path).then(|| format!("Adds {}, from a catalogue", with_article(&member_word(path))))
}

/// Returns a path by the places of groups instead of their names.
pub(super) fn by_places(lab: &Lab, path: &str) -> String {
    let simulation = lab.run.host.simulation();
    let trail = path::trail(simulation.kinds(), simulation.scene_ahead(), path);
    trail.map_or_else(|_| path.into(), |trail| constants::by_places(&trail))
}

/// Draws the entries that vary a parameter over many runs; none for values that a sweep cannot choose by itself.
fn sweep_entries(ui: &mut Ui, context: &mut RowContext, text: &str, path: &str) {
    if FactorSetup::around(context.lab.run.host.simulation(), path).is_none() {
        return;
    }
    let setup = &context.lab.sweep.setup;
    let hint = "Makes many runs with other values of this parameter and other seeds, beside the window";
    let mut wanted = None;
    if ui.button(text).on_hover_text(hint).clicked() {
        wanted = Some(false);
    }
    let is_other = |first: &FactorSetup| first.path != path;
    if let Some(first) = setup.factors.first().filter(|first| context.lab.sweep.is_set_up && is_other(first)) {
        let text = format!("Sweep with {}…", first.name);
        let hint = "Makes a grid of this parameter and the one of the setup";
        if ui.button(text).on_hover_text(hint).clicked() {
            wanted = Some(true);
        }
    }
    let path = path.to_owned();
    context.actions.extend(wanted.map(|is_second| Action::Sweep(SweepAction::SetUp { path, is_second })));
}

/// Returns the index of the group whose controller contains a path.
fn group_of_controller(lab: &Lab, path: &str) -> Option<usize> {
    let group = path.strip_prefix("groups.")?.strip_suffix(".controller")?;
    let groups = &lab.run.host.simulation().scene_ahead().groups;
    group.parse().ok().or_else(|| groups.iter().position(|known| known.name == group))
}

/// Whether a path belongs to the scene and not to one robot.
pub(super) fn is_of_scene(path: &str) -> bool {
    !path.starts_with("agents.")
}

/// Formats a `--set` option for a shell, quoted where necessary.
pub(super) fn option(path: &str, value: &str) -> String {
    format!("--set {}", shell_word(&format!("{path}={value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_options_of_parameters_are_quoted_for_a_shell() {
        assert_eq!(option("groups.g.count", "-3.5"), "--set groups.g.count=-3.5");
        assert_eq!(option("arena.size_m", "(1.0, 2.0)"), "--set 'arena.size_m=(1.0, 2.0)'");
        assert_eq!(option("name", "\"it's\""), r#"--set 'name="it'\''s"'"#);
    }
}
