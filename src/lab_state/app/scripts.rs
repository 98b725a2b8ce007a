//! Scripts: new texts from their files and from the editor, and new scripts.

use swarmarium_base::problem::Problem;
use swarmarium_core::text::shared::SharedText;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::scripts::read_source;
use swarmarium_simulation::edit::Edit;

use crate::action::{Action, ScriptAction};
use crate::app::Lab;
use crate::common::layout::Pane;
use crate::common::new_script;
use crate::common::scripts::{self, Script};
use crate::common::selection::Item;
use crate::files::save;
use crate::files::scripts::RefusedText;
use crate::notice::Notice;

impl Lab {
    /// Does a requested action.
    pub fn do_script(&mut self, action: ScriptAction) {
        match action {
            ScriptAction::Show(name) => self.show_script(&name),
            ScriptAction::Apply(name, text) => self.apply_script(&name, &text),
            ScriptAction::New(group) => self.make_script(group),
        }
    }

    /// Returns the group of the selected robot, or the selected group, by its place.
    pub fn selected_group(&self) -> Option<usize> {
        match self.view.selection.item? {
            Item::Agent(number) => Some(self.run.host.simulation().agent(number)?.member.group as usize),
            Item::Group(place) | Item::Spawner(place) => Some(place),
            _ => None,
        }
    }

    /// Returns the group from whose controller a new script can be made: that of the selection, or the only one; `None` if
    /// its controller is a script.
    pub fn group_for_new_script(&self) -> Option<usize> {
        let simulation = self.run.host.simulation();
        let groups = &simulation.scene_ahead().groups;
        let place = self.selected_group().or_else(|| (groups.len() == 1).then_some(0))?;
        (new_script::kind_of(simulation.kinds(), groups.get(place)?) != new_script::KIND).then_some(place)
    }

    /// Shows a script in the editor. It is given by its name, by the path of its text, or by the name and a line, such as
    /// `orbit.luau:7`; without a line, the line of its error is shown.
    pub fn show_script(&mut self, name: &str) {
        let simulation = self.run.host.simulation();
        let scene = simulation.scene_ahead();
        let of_agent = || {
            let (number, rest) = name.strip_prefix("agents.")?.split_once('.')?;
            let group = simulation.agent(number.parse().ok()?)?.member.group;
            Some((scripts::find(scene, &format!("groups[{group}].{rest}"))?, None))
        };
        let of_line = || {
            let (name, line) = name.rsplit_once(':')?;
            Some((scripts::find(scene, name)?, line.parse().ok()))
        };
        let found = scripts::find(scene, name).map(|script| (script, None)).or_else(of_line).or_else(of_agent);
        let (name, line) = found.map_or_else(|| (name.to_owned(), None), |(script, line)| (script.name, line));
        let line = line.or_else(|| self.files.scripts.refused.get(&name).and_then(|refused| refused.line));
        self.files.scripts.show(&name, line);
        self.show_panel(Pane::Script);
    }

    /// Handles a changed file of a script: its text becomes that of the script, as an edit. If it cannot run, the robots
    /// continue with the text before.
    pub(crate) fn script_file_changed(&mut self, file: &str) {
        let Some(folder) = self.run.script_folder() else { return };
        let Some(script) = scripts::find(self.run.host.simulation().scene_ahead(), file) else { return };
        match read_source(Some(&folder), file) {
            Ok(text) => match self.set_script(&script, &text) {
                Ok(()) => self.accept(&script),
                Err(problem) => self.refuse(&script, text, &problem),
            },
            Err(error) => {
                let text = format!("{error}: the script continues as last read");
                self.notices.add(Notice::of_script(&script.name, &text));
            }
        }
    }

    /// Handles a missing file of a script.
    pub(crate) fn script_file_missing(&mut self, file: &str) {
        let text = format!("{file} is missing: the script continues as last read");
        self.notices.add(Notice::of_script(file, &text));
    }

    /// Applies the text of the editor, and saves its file. A text that cannot run is neither applied nor saved.
    fn apply_script(&mut self, name: &str, text: &str) {
        let Some(script) = scripts::find(self.run.host.simulation().scene_ahead(), name) else {
            return self.notices.tell_error(format!("The scene no longer has the script {name}"));
        };
        let text = SharedText::from(text);
        if let Err(problem) = self.check_script(&script, &text) {
            let RefusedText { message, .. } = self.refused(&script, text, &problem);
            return self.notices.say(&format!("Not applied: {message}"));
        }
        if let Some(folder) = self.run.script_folder().filter(|_| !script.file.is_empty())
            && let Err(error) = save::script(&folder, &script.file, text.as_str())
        {
            self.notices.tell_error(error);
        }
        match self.set_script(&script, &text) {
            Ok(()) => self.accept(&script),
            Err(problem) => self.refuse(&script, text, &problem),
        }
    }

    /// Whether a change gives a script of a scene a text, and that script has the text of its file.
    pub(super) fn is_in_file_of_script(&self, scene: &Scene, change: &Edit) -> bool {
        let Edit::Set { path, .. } = change else { return false };
        let (Some(folder), Some(script)) = (self.run.script_folder(), scripts::find(scene, path)) else { return false };
        let is_of_file = || read_source(Some(&folder), &script.file).is_ok_and(|text| script.has(text.as_str()));
        scripts::is_source(change) && !script.file.is_empty() && is_of_file()
    }

    /// Returns why a text cannot be that of a script.
    fn check_script(&self, script: &Script, text: &SharedText) -> Result<(), Problem> {
        self.run.host.simulation().check_all(&script.edits(text.as_str())).into_iter().collect()
    }

    /// Gives a script a text by edits in one transaction, unless it has it.
    fn set_script(&mut self, script: &Script, text: &SharedText) -> Result<(), Problem> {
        if script.has(text.as_str()) {
            return Ok(());
        }
        self.check_script(script, text)?;
        self.edit(script.edits(text.as_str()));
        Ok(())
    }

    /// Handles a text that runs.
    fn accept(&mut self, script: &Script) {
        self.files.scripts.refused.remove(&script.name);
        self.notices.clear_script_errors(&script.name);
    }

    /// Handles a text of a file that cannot run.
    fn refuse(&mut self, script: &Script, text: SharedText, problem: &Problem) {
        let refused = self.refused(script, text, problem);
        let notice = Notice::of_script(&script.name, &refused.message).with_button(
            "Edit",
            "Opens the script at this line",
            Action::Script(ScriptAction::Show(script.name.clone())),
        );
        self.notices.add(notice);
        self.files.scripts.refused.insert(script.name.clone(), refused);
    }

    fn refused(&self, script: &Script, text: SharedText, problem: &Problem) -> RefusedText {
        let line = scripts::line_of(&problem.message, &script.file);
        let message = match problem.message.contains(&script.name) || script.file.is_empty() {
            true => problem.message.clone(),
            false => format!("{}: {}", script.file, problem.message),
        };
        RefusedText { text, message, line }
    }

    /// Makes a script of the controller of a group, and shows it in the editor.
    fn make_script(&mut self, group: usize) {
        let folder = self.run.script_folder();
        let made = match new_script::of_group(self.run.host.simulation(), folder.as_deref(), group) {
            Ok(made) => made,
            Err(error) => return self.notices.tell_error(error),
        };
        if let Err(problem) = self.run.host.simulation().check_all(&made.edits).into_iter().collect::<Result<(), _>>() {
            return self.notices.tell_error(self.run.problem_text(&problem));
        }
        if let Some(folder) = folder
            && let Err(error) = save::script(&folder, &made.file, &made.text)
        {
            return self.notices.tell_error(error);
        }
        self.edit(made.edits);
        let place = if self.run.script_folder().is_some() { "beside the scene" } else { "in the scene" };
        self.notices.say(&format!("{} is a new script {place}; undo brings the old controller back", made.file));
        self.show_script(&made.file);
    }
}
