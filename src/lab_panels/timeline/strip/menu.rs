//! The menus of the strip: of the timeline, of moments, of branches and of bookmarks.

use bevy_egui::egui::{Button, Popup, Pos2, Response, RichText, Ui};
use swarmarium_host::timeline::{BranchId, Moment};
use swarmarium_lab_state::action::{Action, RangeEnd, TimelineAction, TimelineItem};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;

use crate::command_actions;
use crate::timeline::strip::lanes;
use crate::timeline::strip::track::Track;

/// Draws a menu entry for a command.
fn entry(ui: &mut Ui, lab: &Lab, id: CommandId, actions: &mut Vec<Action>) {
    let command = id.command();
    let is_on = command_actions::is_on(command, lab).unwrap_or_default();
    let keys = command.keys_text(&lab.shell.keymap);
    let button = Button::selectable(is_on, command_actions::name(command, lab)).shortcut_text(keys);
    let action = command_actions::action(id, lab);
    let hint = command.tooltip(&lab.shell.keymap);
    let button = ui.add_enabled(action.is_some(), button).on_hover_text(&hint).on_disabled_hover_text(hint);
    if button.clicked() {
        actions.extend(action);
        ui.close();
    }
}

/// Draws the menu of the timeline, at the right end of the strip.
pub(super) fn of_timeline(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    ui.set_min_width(240.0);
    for id in [
        CommandId::FindAMoment,
        CommandId::PreviousMoment,
        CommandId::NextMoment,
        CommandId::PreviousMark,
        CommandId::NextMark,
    ] {
        entry(ui, lab, id, actions);
    }
    ui.separator();
    for id in [
        CommandId::BeginTheRangeHere,
        CommandId::EndTheRangeHere,
        CommandId::LoopTheRange,
        CommandId::ForgetTheRange,
        CommandId::ExportTheClip,
    ] {
        entry(ui, lab, id, actions);
    }
    ui.separator();
    for id in [CommandId::BeginABranchHere, CommandId::AddABookmark, CommandId::CopyALinkToThisMoment] {
        entry(ui, lab, id, actions);
    }
    let menu = ui.menu_button("State lanes", |ui| theme::entries(ui, |ui| lanes::menu(ui, lab, actions)));
    menu.response.on_hover_text("Chooses the number of robots that the lanes below the track show over time");
    let timeline = lab.run.host.timeline();
    let menu = ui.menu_button("Branches", |ui| {
        theme::entries(ui, |ui| {
            let present = timeline.present().id();
            for branch in timeline.branches() {
                let end = branch.end() as f64 * lab.run.host.simulation().time().dt_s;
                let text = format!("{} (to {end:.2} s)", branch.name());
                let text = if branch.id() == present { RichText::new(text).strong() } else { RichText::new(text) };
                let menu = ui.menu_button(text, |ui| branch_menu(ui, lab, branch.id(), actions));
                menu.response.on_hover_text("Shows, compares, renames or deletes this branch");
            }
        });
    });
    menu.response.on_hover_text("Lists the branches of the run with their ends in simulated seconds");
    if !timeline.bookmarks().is_empty() {
        let menu = ui.menu_button("Bookmarks", |ui| {
            theme::entries(ui, |ui| {
                for bookmark in timeline.bookmarks() {
                    let (name, step) = (&bookmark.name, grouped(bookmark.moment.step));
                    let menu = ui.menu_button(format!("{name} (step {step})"), |ui| {
                        bookmark_menu(ui, name, bookmark.moment, actions);
                    });
                    menu.response.on_hover_text("Shows, renames or deletes this bookmark");
                }
            });
        });
        menu.response.on_hover_text("Lists the bookmarks of the run with their steps");
    }
}

fn choice(ui: &mut Ui, name: &str, hint: &str, action: TimelineAction, actions: &mut Vec<Action>) {
    if ui.button(name).on_hover_text(hint).clicked() {
        actions.push(action.into());
        ui.close();
    }
}

/// Draws the submenu of a branch.
fn branch_menu(ui: &mut Ui, lab: &Lab, branch: BranchId, actions: &mut Vec<Action>) {
    let timeline = lab.run.host.timeline();
    let Some(of) = timeline.branch(branch) else { return };
    if branch != timeline.present().id() {
        // The present step, limited to the length of the branch.
        let step = lab.run.host.moment().step.min(of.end());
        choice(ui, "Switch to it", "Shows this branch", TimelineAction::GoTo(Moment { branch, step }), actions);
        let hint = "Shows this branch beside the present one, at the same step";
        choice(ui, "Compare with it", hint, TimelineAction::Compare(branch), actions);
        let item = TimelineItem::Branch(branch);
        choice(ui, "Delete", "Removes the branch with its bookmarks", TimelineAction::Remove(item), actions);
    }
    let item = TimelineItem::Branch(branch);
    choice(ui, "Rename…", "Gives the branch another name", TimelineAction::AskName(item), actions);
}

fn bookmark_menu(ui: &mut Ui, name: &str, moment: Moment, actions: &mut Vec<Action>) {
    let item = || TimelineItem::Bookmark(name.into());
    choice(ui, "Go to it", "Shows this moment", TimelineAction::GoTo(moment), actions);
    choice(ui, "Rename…", "Gives the bookmark another name", TimelineAction::AskName(item()), actions);
    choice(ui, "Delete", "Removes the bookmark; the moment stays", TimelineAction::Remove(item()), actions);
}

/// Draws the context menu of the track, which refers to the moment under the cursor.
pub(super) fn of_place(response: &Response, track: &Track, actions: &mut Vec<Action>) {
    let id = response.id.with("place");
    if response.secondary_clicked() {
        let at = response.interact_pointer_pos();
        response.ctx.data_mut(|data| data.insert_temp(id, at));
    }
    Popup::context_menu(response).show(|ui| {
        let at: Option<Pos2> = ui.ctx().data(|data| data.get_temp(id)).flatten();
        let Some(at) = at else { return };
        let present = track.lab.run.host.timeline().present();
        let branch = track.row_at(at).map_or(present.id(), |row| row.branch);
        if branch != present.id() {
            branch_menu(ui, track.lab, branch, actions);
            ui.separator();
        }
        let step = track.scale.step(at.x).round().clamp(0.0, present.end() as f64) as u64;
        let moment = Moment { branch: present.id(), step };
        choice(ui, "Go to this moment", "Shows the moment under the cursor", TimelineAction::GoTo(moment), actions);
        let ends = [("Begin the range at this moment", RangeEnd::From), ("End the range at this moment", RangeEnd::To)];
        for (name, end) in ends {
            let hint = "Moves an end of the range to the moment under the cursor";
            choice(ui, name, hint, TimelineAction::SetRange(end, step), actions);
        }
        for id in [CommandId::LoopTheRange, CommandId::ForgetTheRange, CommandId::ExportTheClip] {
            entry(ui, track.lab, id, actions);
        }
    });
}
