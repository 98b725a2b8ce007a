//! Parts of the scene that are added, copied, renamed and removed.

use swarmarium_simulation::edit::{Edit, TakesEffect};

use crate::action::PartAction;
use crate::app::Lab;
use crate::common::selection::Item;
use crate::edit::parts;

/// The lists whose members can be selected.
type Selectable = (&'static str, fn(usize) -> Item);

const SELECTABLE: [Selectable; 4] = [
    ("groups", Item::Group),
    ("objects", Item::Object),
    ("object_groups", Item::ObjectGroup),
    ("metrics", Item::Metric),
];

impl Lab {
    /// Does a requested action on a part of the scene.
    pub fn do_part(&mut self, action: PartAction) {
        let simulation = self.run.host.simulation();
        match action {
            PartAction::Open(path) => self.shell.popups.catalogue = Some(path),
            PartAction::Close => self.shell.popups.catalogue = None,
            PartAction::Add { path, value } => match parts::fitting(simulation, &path, &value) {
                Ok(edit) => self.edit_part(edit),
                // The message of the problem names its place.
                Err(_) => self.edit(vec![parts::adding(simulation, &path, &value)]),
            },
            PartAction::Duplicate(path) => match parts::copying(simulation, &path) {
                Ok(edit) => self.edit_part(edit),
                Err(problem) => self.notices.tell_error(self.run.problem_text(&problem)),
            },
            PartAction::Remove(path) => self.edit_part(parts::removing(simulation, &path)),
            PartAction::Rename { path, name } => {
                self.edit(vec![Edit::Set { path: format!("{path}.name"), value: format!("{name:?}") }]);
            }
        }
    }

    /// Makes an edit of a part, and selects an added part.
    fn edit_part(&mut self, edit: Edit) {
        let list = match &edit {
            Edit::Add { list, .. } => Some(list.clone()),
            Edit::Remove { path } => path.rsplit_once('.').map(|(list, _)| list.to_owned()),
            _ => None,
        };
        let (is_removed, waits) = (matches!(edit, Edit::Remove { .. }), parts::waits_for_reset(&edit));
        let (before, restarts) = (list.as_deref().map(|list| self.members(list)), self.run.restarts);
        self.edit(vec![edit]);
        let (Some(list), Some(before)) = (list, before) else { return };
        let after = self.members(&list);
        if after == before {
            return;
        }
        let of_list = SELECTABLE.iter().find(|(known, _)| **known == list);
        match of_list {
            // The places of others have changed.
            Some(_) if is_removed => self.select(None),
            Some((_, item)) => self.select(Some(item(after - 1))),
            None => {}
        }
        if waits && restarts == self.run.restarts && TakesEffect::of_path(&list) == TakesEffect::AtReset {
            self.notices.say("The change takes effect at the next restart (R)");
        }
    }

    /// Returns the number of members of a list of the scene.
    fn members(&self, list: &str) -> usize {
        let simulation = self.run.host.simulation();
        let list = swarmarium_scene::scene::path::get(simulation.kinds(), simulation.scene_ahead(), list);
        list.ok().and_then(|list| list.reflect_ref().as_list().ok().map(|list| list.len())).unwrap_or_default()
    }
}
