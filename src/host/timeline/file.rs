//! A timeline as a file, `timeline.ron`: the branches and bookmarks of a run, beside its scene and its edits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use swarmarium_base::problem::{Place, Problem, Problems};
use swarmarium_simulation::edit::LoggedEdit;

use super::{Branch, BranchId, Moment, Timeline, TimelineError};

/// The name of the file in the folder of a run.
pub const FILE: &str = "timeline.ron";
/// The name of the only branch of a run without such a file.
pub const MAIN: &str = "main";

/// The content of a timeline file: branches with one root, and their bookmarks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedTimeline {
    /// The name of the branch whose edits are in `edits.ron` and whose results are in the tables.
    pub present: String,
    /// The branches; each comes after its parent.
    pub branches: Vec<SavedBranch>,
    /// The bookmarks.
    #[serde(default)]
    pub bookmarks: Vec<SavedBookmark>,
}

/// A branch in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedBranch {
    /// The name.
    pub name: String,
    /// The name of its parent; `None` for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The last step that it shares with its parent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub leaves_at: u64,
    /// The last step.
    pub steps: u64,
    /// The edits after the step at which it leaves its parent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<LoggedEdit>,
}

/// A bookmark in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedBookmark {
    /// The name.
    pub name: String,
    /// The name of the branch.
    pub branch: String,
    /// The step.
    pub step: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(step: &u64) -> bool {
    *step == 0
}

impl SavedTimeline {
    /// Creates the timeline of a run without a file: one branch.
    pub fn of_run(steps: u64, edits: Vec<LoggedEdit>) -> Self {
        let branch = SavedBranch { name: MAIN.into(), steps, edits, ..SavedBranch::default() };
        Self { present: MAIN.into(), branches: vec![branch], bookmarks: Vec::new() }
    }

    /// Creates the content from the branches with the root of the present one, and their bookmarks.
    pub fn from_timeline(timeline: &Timeline) -> Self {
        let places = timeline.places();
        let root = timeline.root_of(timeline.present().id());
        let of_root = |branch: &&Branch| places.get(&branch.id()).is_some_and(|(of, _)| *of == root);
        let name = |id: BranchId| timeline.branch(id).map_or_else(String::new, |branch| branch.name().into());
        let mut branches: Vec<&Branch> = timeline.branches().filter(of_root).collect();
        // A branch can be older than the one that took over its parent.
        branches.sort_by_key(|branch| (places.get(&branch.id()).map(|(_, depth)| *depth), branch.id()));
        let saved = |branch: &&Branch| {
            let leaves_at = branch.parent().map_or(0, |parent| parent.step);
            let edits = branch.edits().into_iter().filter(|logged| logged.step > leaves_at).collect();
            let parent = branch.parent().map(|parent| name(parent.branch));
            SavedBranch { name: branch.name().into(), parent, leaves_at, steps: branch.end(), edits }
        };
        let bookmarks = timeline
            .bookmarks()
            .iter()
            .filter(|bookmark| timeline.branch(bookmark.moment.branch).is_some_and(|branch| of_root(&branch)));
        let bookmark = |bookmark: &super::Bookmark| {
            let Moment { branch, step } = bookmark.moment;
            SavedBookmark { name: bookmark.name.clone(), branch: name(branch), step }
        };
        Self {
            present: timeline.present().name().into(),
            branches: branches.iter().map(saved).collect(),
            bookmarks: bookmarks.map(bookmark).collect(),
        }
    }

    /// Whether it contains one branch only and no bookmarks.
    pub fn is_plain(&self) -> bool {
        self.branches.len() <= 1 && self.bookmarks.is_empty() && self.present == MAIN
    }

    /// The text of the file.
    ///
    /// # Errors
    /// If it cannot be written as RON.
    pub fn text(&self) -> Result<String, ron::Error> {
        let config = ron::ser::PrettyConfig::new().depth_limit(3).struct_names(false);
        ron::ser::to_string_pretty(self, config).map(|text| text + "\n")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If the text is not a timeline, or a branch or bookmark is not valid.
    pub fn read(source_name: &str, text: &str) -> Result<Self, Problems> {
        let saved: Self = ron::from_str(text).map_err(|error| Problems {
            source_name: source_name.into(),
            problems: vec![Problem {
                place: Some(Place { line: error.span.start.line, column: error.span.start.col }),
                ..Problem::of_file(error.code.to_string())
            }],
        })?;
        saved.check().map_err(|message| Problems::of_file(source_name, message))?;
        Ok(saved)
    }

    fn check(&self) -> Result<(), String> {
        // The steps of the branches before this one.
        let mut before: BTreeMap<&str, u64> = BTreeMap::new();
        for (place, branch) in self.branches.iter().enumerate() {
            let SavedBranch { name, parent, leaves_at, steps, .. } = branch;
            if parent.is_none() && place > 0 {
                return Err(format!("branch `{name}` has no parent: only the first one is the root"));
            }
            if let Some(parent) = parent {
                let Some(parent_steps) = before.get(parent.as_str()) else {
                    return Err(format!("branch `{name}` leaves `{parent}`, which is not listed before it"));
                };
                if leaves_at > parent_steps || leaves_at > steps {
                    return Err(format!("branch `{name}` leaves `{parent}` at step {leaves_at}, after its end"));
                }
            }
            if before.insert(name, *steps).is_some() {
                return Err(format!("two branches are called `{name}`"));
            }
        }
        self.branch(&self.present).map_err(|error| error.to_string())?;
        for SavedBookmark { name, branch, step } in &self.bookmarks {
            let Some(&steps) = before.get(branch.as_str()) else {
                let error = self.no_branch(branch);
                return Err(format!("bookmark `{name}`: {error}"));
            };
            if *step > steps {
                return Err(format!("bookmark `{name}` is at step {step} of `{branch}`, which has steps 0 to {steps}"));
            }
        }
        Ok(())
    }

    /// A branch by its name.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn branch(&self, name: &str) -> Result<&SavedBranch, TimelineError> {
        self.branches.iter().find(|branch| branch.name == name).ok_or_else(|| self.no_branch(name))
    }

    fn no_branch(&self, name: &str) -> TimelineError {
        let names: Vec<&str> = self.branches.iter().map(|branch| branch.name.as_str()).collect();
        TimelineError::no_branch(name, &names)
    }

    /// A bookmark by its name.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn bookmark(&self, name: &str) -> Result<&SavedBookmark, TimelineError> {
        self.bookmarks.iter().find(|bookmark| bookmark.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.bookmarks.iter().map(|bookmark| bookmark.name.as_str()).collect();
            TimelineError::no_bookmark(name, &names)
        })
    }

    /// All edits of a branch since the root.
    ///
    /// # Errors
    /// If there is no such branch.
    pub fn edits_of(&self, name: &str) -> Result<Vec<LoggedEdit>, TimelineError> {
        let branch = self.branch(name)?;
        let known: BTreeMap<&str, &SavedBranch> = match branch.parent {
            Some(_) => self.branches.iter().map(|branch| (branch.name.as_str(), branch)).collect(),
            None => BTreeMap::new(),
        };
        // From the branch down to the root: of each, the edits until the step at which all branches after it have left it.
        let chain = std::iter::successors(Some(branch), |branch| known.get(branch.parent.as_deref()?).copied());
        let mut last = u64::MAX;
        let mut parts: Vec<Vec<LoggedEdit>> = Vec::new();
        for branch in chain {
            parts.push(branch.edits.iter().filter(|logged| logged.step <= last).cloned().collect());
            last = last.min(branch.leaves_at);
        }
        Ok(parts.into_iter().rev().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_simulation::edit::Edit;

    use super::*;

    fn saved() -> SavedTimeline {
        let edit = |step| LoggedEdit::new(step, Edit::TimeScale { scale: step as f64 });
        let main =
            SavedBranch { name: "main".into(), steps: 100, edits: vec![edit(10), edit(50)], ..Default::default() };
        let other = SavedBranch {
            name: "other".into(),
            parent: Some("main".into()),
            leaves_at: 40,
            steps: 60,
            edits: vec![edit(41)],
        };
        let bookmark = SavedBookmark { name: "wall".into(), branch: "other".into(), step: 55 };
        SavedTimeline { present: "other".into(), branches: vec![main, other], bookmarks: vec![bookmark] }
    }

    #[test]
    fn a_timeline_reads_back_as_it_was_written() {
        let text = saved().text().unwrap();
        assert_eq!(SavedTimeline::read(FILE, &text), Ok(saved()));
        assert!(SavedTimeline::of_run(7, Vec::new()).is_plain() && !saved().is_plain());
    }

    #[test]
    fn a_branch_has_the_edits_of_its_parent_up_to_its_start() {
        let steps = |name| saved().edits_of(name).unwrap().iter().map(|logged| logged.step).collect::<Vec<_>>();
        assert_eq!(steps("main"), vec![10, 50]);
        assert_eq!(steps("other"), vec![10, 41]);
    }

    #[test]
    fn long_chains_of_branches_load_quickly_without_recursion() {
        const COUNT: usize = 40_000;
        let edit = |step| LoggedEdit::new(step, Edit::TimeScale { scale: 1.0 });
        let branch = |place: usize| SavedBranch {
            name: format!("b{place}"),
            parent: place.checked_sub(1).map(|parent| format!("b{parent}")),
            leaves_at: u64::from(place > 0),
            steps: 30,
            edits: if place == 0 { vec![edit(1), edit(2)] } else { vec![edit(3)] },
        };
        let last = format!("b{}", COUNT - 1);
        let saved =
            SavedTimeline { present: last.clone(), branches: (0..COUNT).map(branch).collect(), ..Default::default() };
        let read = SavedTimeline::read(FILE, &saved.text().unwrap()).unwrap();
        let steps: Vec<u64> = read.edits_of(&last).unwrap().iter().map(|logged| logged.step).collect();
        assert_eq!(steps, [1, 3]);
        let refused = read.branch("x").unwrap_err().to_string();
        assert!(refused.len() < 300 && refused.ends_with(" more"), "{refused}");
    }

    #[test]
    fn invalid_timeline_files_are_refused() {
        let refused = |change: fn(&mut SavedTimeline)| {
            let mut saved = saved();
            change(&mut saved);
            SavedTimeline::read(FILE, &saved.text().unwrap()).unwrap_err().to_string()
        };
        assert!(refused(|saved| saved.branches[1].leaves_at = 101).contains("after its end"));
        assert!(refused(|saved| saved.branches[1].name = "main".into()).contains("two branches"));
        assert!(refused(|saved| saved.branches[1].parent = Some("x".into())).contains("is not listed before it"));
        assert!(refused(|saved| saved.present = "othr".into()).contains("did you mean `other`"));
        assert!(refused(|saved| saved.bookmarks[0].step = 61).contains("has steps 0 to 60"));
        assert!(SavedTimeline::read(FILE, "(\n present: 3)").unwrap_err().to_string().starts_with("timeline.ron:2:"));
    }
}
