//! The list of changes: what was changed in this run, to take back and to make again.

use bevy_egui::egui::{Button, RichText, ScrollArea, Ui};

use super::{Action, Lab, theme};
use crate::clock::Host;
use crate::draw::Role;
use crate::edit::Edit;

/// Height of the list in points.
const HEIGHT_PX: f32 = 180.0;

/// A change: all edits of one gesture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The number of the gesture.
    pub gesture: u64,
    /// The step that it was made for.
    pub step: u64,
    /// What was done, in words.
    pub label: String,
    /// How many edits it has.
    pub edits: usize,
    /// Whether it was taken back.
    pub is_undone: bool,
}

/// What a host knows of changes.
pub trait Past {
    /// The changes of this run, those that were taken back last.
    fn changes(&self) -> Vec<Change>;
}

impl Past for Host {
    fn changes(&self) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        for logged in self.simulation().edits().iter().filter(|logged| logged.edit.is_change()) {
            match changes.last_mut() {
                Some(last) if logged.gesture != 0 && last.gesture == logged.gesture => last.edits += 1,
                _ => changes.push(Change {
                    gesture: logged.gesture,
                    step: logged.step,
                    label: label(&logged.edit),
                    edits: 1,
                    is_undone: false,
                }),
            }
        }
        changes
    }
}

fn label(edit: &Edit) -> String {
    match edit {
        Edit::Set { path, value } => format!("{path} = {value}"),
        Edit::Move { agent, .. } => format!("Agent {agent} moved"),
        edit => format!("{edit:?}").split([' ', '{']).next().unwrap_or_default().into(),
    }
}

/// The list of changes.
#[derive(Default)]
pub struct Changes {
    /// How many were listed: the list follows what is added.
    listed: usize,
}

impl Changes {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        ui.strong("Changes");
        let changes = lab.host.changes();
        if changes.is_empty() {
            ui.weak("Nothing was changed in this run");
        }
        let has_more = std::mem::replace(&mut self.listed, changes.len()) < changes.len();
        let present = changes.iter().rposition(|change| !change.is_undone);
        let list = ScrollArea::vertical().id_salt("changes").max_height(HEIGHT_PX).auto_shrink([false, true]);
        list.show(ui, |ui| {
            for (place, change) in changes.iter().enumerate() {
                let row = row(ui, lab, change, present == Some(place));
                if has_more && present == Some(place) {
                    row.scroll_to_me(None);
                }
            }
        });
        ui.add_space(6.0);
        Vec::new()
    }
}

fn row(ui: &mut Ui, lab: &Lab, change: &Change, is_present: bool) -> bevy_egui::egui::Response {
    let time = lab.host.simulation().time();
    // An edit is made when the step before has ended.
    let at_s = change.step.saturating_sub(1) as f64 * time.dt_s;
    let undone = if change.is_undone { "  taken back" } else { "" };
    let text = RichText::new(format!("{at_s:>9.3} s  {}{undone}", change.label)).monospace().size(11.0);
    let text = if change.is_undone { text.strikethrough() } else { text };
    let role = if change.is_undone { Role::Dim } else { Role::Text };
    let text = text.color(theme::color(lab.settings.theme, role));
    let row = ui.add(Button::selectable(is_present, text).truncate());
    row.on_hover_text(format!("{} edits at step {}", change.edits, change.step))
}
