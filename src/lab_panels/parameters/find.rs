//! The search for parameters, and the list of changed parameters.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use bevy::prelude::*;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::words;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::matcher::Query;
use swarmarium_lab_state::common::text::label;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::path::{self, Leaf};
use swarmarium_simulation::edit::agents::PARTS;
use swarmarium_simulation::edit::{Edit, TakesEffect};

use crate::parameters::Marks;
use crate::parameters::menu::option;
use crate::parameters::row::{is_other, text_of};
use crate::parameters::rows::{EditorKind, Node, constant_nodes, walk};

/// Lists from this length on are searched only for words or changed members.
const LONG: usize = 100;

/// The search in the parameters of a scene.
#[derive(Default)]
pub struct Finder {
    /// The words that a row has to contain.
    pub query: String,
    /// Whether only changed rows are shown.
    pub only_changed: bool,
    /// The inputs of the cached result.
    state: Option<State>,
    found: ParameterMatches,
}

/// The inputs of a search. A scene can be long, so it is not searched in each frame.
type State = (String, bool, Marks);

/// The result of a search.
#[derive(Default)]
pub struct ParameterMatches {
    /// The paths of matching rows and of the values around them; `None` for all.
    pub shown: Option<Arc<HashSet<String>>>,
    /// The number of matching rows.
    pub count: usize,
    /// The matching numbers that can be randomised.
    pub numbers: Vec<String>,
    /// All rows that were changed since the scene was opened, visible or not.
    pub changes: Vec<Change>,
    /// The number of other changes in effect: parts that were added, moved or removed, and parameters of added parts. A drag
    /// is one change.
    pub others: usize,
}

/// A changed row.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    path: String,
    before: String,
    now: String,
}

impl Finder {
    /// Returns the present result.
    pub fn find(&mut self, lab: &Lab) -> &ParameterMatches {
        let state = (self.query.clone(), self.only_changed, Marks::of(lab));
        if self.state.as_ref() != Some(&state) {
            self.found = ParameterMatches::of(lab, &self.query, self.only_changed);
            self.state = Some(state);
        }
        &self.found
    }

    /// Returns the paths of the last result; `None` for all.
    pub fn shown(&self) -> Option<Arc<HashSet<String>>> {
        self.found.shown.clone()
    }
}

impl ParameterMatches {
    /// Finds the rows that contain all words of a query in their path, their docs or the names of their kinds. Without
    /// an exact match, it finds rows that nearly match.
    pub fn of(lab: &Lab, query: &str, only_changed: bool) -> Self {
        let query = Query::new(query);
        let others = others(lab);
        let found = Self::with(lab, &query, only_changed, |text| query.is_in(text));
        if found.count > 0 || query.is_empty() {
            return Self { others, ..found };
        }
        Self { others, ..Self::with(lab, &query, only_changed, |text| query.is_nearly_in(text)) }
    }

    /// Returns the number of changes since the scene was opened: changed rows, and other changes.
    pub fn changed(&self) -> usize {
        self.changes.len() + self.others
    }

    fn with(lab: &Lab, query: &Query, only_changed: bool, has_words: impl Fn(&str) -> bool) -> Self {
        let is_all = query.is_empty() && !only_changed;
        let kinds = lab.run.host.simulation().kinds();
        let mut found = Self::default();
        let mut shown = HashSet::new();
        let mut names = KindNames::default();
        // A change of a constant counts once, not once per field.
        let scene = lab.run.host.simulation().scene_ahead();
        let trail = |path: &str| path::trail(kinds, scene, path).ok();
        let constants: Vec<Node> = constant_nodes(lab).collect();
        let of_constants: HashSet<_> =
            constants.iter().filter_map(|node| node.constant).flat_map(|it| &it.of).map(|of| trail(of)).collect();
        walk(kinds, &root(lab), &mut |node, editor| {
            let path = &node.leaf.path;
            if path == "constants" {
                return false;
            }
            let change = node.before.filter(|before| is_other(kinds, node.leaf.value, *before, editor));
            let is_row = !matches!(editor, EditorKind::Heading | EditorKind::List(_));
            if query.is_empty() && is_left_out(kinds, editor, change) {
                return false;
            }
            names.enter(kinds, path, node, editor);
            if let Some(before) = change.filter(|_| is_row && !of_constants.contains(&trail(path))) {
                let texts = [before, node.leaf.value].map(|value| text_of(kinds, value));
                let [before, now] = texts;
                found.changes.push(Change { path: path.clone(), before, now });
            }
            let is_wanted = is_row && (!only_changed || change.is_some());
            if is_wanted && (query.is_empty() || has_words(&haystack(node, &names))) {
                found.count += 1;
                found.numbers.extend(matches!(editor, EditorKind::Number { .. }).then(|| path.clone()));
                if !is_all {
                    add_with_all_around(path, &mut shown);
                }
            }
            true
        });
        for node in &constants {
            let editor = EditorKind::of(kinds, node.leaf.value);
            let before = node.before.filter(|before| is_other(kinds, node.leaf.value, *before, &editor));
            let is_changed = before.is_some();
            if let Some(before) = before {
                let [before, now] = [before, node.leaf.value].map(|value| text_of(kinds, value));
                found.changes.push(Change { path: node.option().to_owned(), before, now });
            }
            let text = format!("{} {}", node.label(), node.about());
            if (!only_changed || is_changed) && has_words(&text) {
                found.count += 1;
                shown.insert(node.label());
            }
        }
        if query.is_empty() {
            // Without words: the numbers that take effect at once; not the seed or the number of robots.
            found.numbers.retain(|path| path.starts_with("groups.") && TakesEffect::of_path(path) == TakesEffect::Live);
        }
        found.shown = (!is_all).then(|| Arc::new(shown));
        found
    }

    /// Returns the edits that restore all changed rows.
    pub fn put_back(&self) -> Vec<Edit> {
        let edit = |Change { path, before, .. }: &Change| Edit::Set { path: path.clone(), value: before.clone() };
        // A restored kind also restores its parts.
        let mut outer: BTreeSet<&str> = BTreeSet::new();
        let is_within = |path: &str, outer: &BTreeSet<&str>| {
            path.char_indices().any(|(at, c)| c == '.' && outer.contains(&path[..at]))
        };
        let mut edits = Vec::new();
        for change in &self.changes {
            if !is_within(&change.path, &outer) {
                outer.insert(&change.path);
                edits.push(edit(change));
            }
        }
        edits
    }

    /// Formats all changes as command-line options, quoted for a POSIX shell.
    pub fn options(&self) -> String {
        let options: Vec<String> = self.changes.iter().map(|change| option(&change.path, &change.now)).collect();
        options.join(" ")
    }
}

/// Returns the number of changes in effect that are not rows which differ from the scene as opened.
fn others(lab: &Lab) -> usize {
    let simulation = lab.run.host.simulation();
    let is_in_opened = |path: &str| path::get(simulation.kinds(), &lab.run.opened.scene, path).is_ok();
    let is_constant = |path: &str| constants::named(simulation.scene_ahead(), path).is_some();
    let is_other = |edit: &Edit| match edit {
        Edit::Set { path, .. } => !is_constant(path) && !is_in_opened(path),
        _ => true,
    };
    lab.run.changes().iter().filter(|edit| is_other(edit)).count()
}

/// Whether a list is too long to be searched for changes. If members were added or removed, nothing is found, since the
/// other members have no counterpart.
fn is_left_out(kinds: &Kinds, editor: &EditorKind, change: Option<&dyn Reflect>) -> bool {
    let EditorKind::List(len @ LONG..) = *editor else { return false };
    !change.is_some_and(|before| matches!(EditorKind::of(kinds, before), EditorKind::List(before) if before == len))
}

/// Returns the parameters of a robot that differ from those of its group, as paths within the robot and values, except
/// the parameter by which a user drives it.
pub fn own_of_agent(kinds: &Kinds, agent: &Group, group: &Group) -> Vec<(String, String)> {
    let mut own = Vec::new();
    walk(kinds, &Node::root(agent, Some(group), ""), &mut |node, editor| {
        let path = node.leaf.path.trim_start_matches('.');
        let is_part = PARTS.contains(&path.split(['.', '[']).next().unwrap_or_default());
        let is_row = !matches!(editor, EditorKind::Heading | EditorKind::List(_));
        let is_own = node.before.is_some_and(|before| is_other(kinds, node.leaf.value, before, editor));
        if !is_part || path.ends_with(".held") {
            return false;
        }
        if is_row && is_own {
            own.push((path.to_owned(), text_of(kinds, node.leaf.value)));
        }
        !(is_row && is_own)
    });
    own
}

/// Returns the scene with its pending edits, beside the scene as opened.
pub(super) fn root(lab: &Lab) -> Node<'_> {
    Node::root(lab.run.host.simulation().scene_ahead(), Some(&lab.run.opened.scene), "")
}

/// Returns the id of a fold. Folds have another state during a search.
pub(super) fn fold_id(find: Option<&HashSet<String>>, id: &str) -> String {
    if find.is_some() { format!("found {id}") } else { id.to_owned() }
}

/// The kinds around a row, by path.
#[derive(Default)]
struct KindNames(Vec<(String, &'static str)>);

impl KindNames {
    /// Enters a row and leaves the kinds that do not contain it.
    fn enter(&mut self, kinds: &Kinds, path: &str, node: &Node, editor: &EditorKind) {
        let is_around = |outer: &str| path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
        self.0.retain(|(outer, _)| is_around(outer));
        if let EditorKind::Kind(slot) = editor
            && let Some(kind) = kinds.of_value(slot.family, kinds.see_through(node.leaf.value))
        {
            self.0.push((path.to_owned(), kind.name));
        }
    }
}

/// Returns the searched text of a row.
fn haystack(node: &Node, names: &KindNames) -> String {
    let Leaf { path, .. } = &node.leaf;
    let mut text = format!("{path} {} {} {}", words(node.step()).0, label(node.step()), node.about());
    for (_, name) in &names.0 {
        text.push(' ');
        text.push_str(name);
    }
    text
}

fn add_with_all_around(path: &str, shown: &mut HashSet<String>) {
    shown.extend(path.char_indices().filter(|(_, c)| *c == '.').map(|(at, _)| path[..at].to_owned()));
    shown.insert(path.to_owned());
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_testing::{do_steps, lab_of};

    use super::*;

    const SCENE: &str = "(groups: [(name: \"g\", count: 3, sensors: [BinaryFov(range_m: 2.0)], controller: Binary())])";

    fn set(lab: &mut Lab, path: &str, value: &str) {
        lab.run.host.apply(Edit::Set { path: path.into(), value: value.into() }).unwrap();
    }

    #[test]
    fn parameter_search_covers_paths_docs_and_kinds() {
        let lab = lab_of(SCENE);
        let shown = |query: &str| ParameterMatches::of(&lab, query, false).shown.unwrap();
        let range = "groups.g.sensors.0.range_m";
        for query in ["range", "RANGE sensors", "binaryfov range"] {
            let shown = shown(query);
            for path in ["groups", "groups.g", "groups.g.sensors", "groups.g.sensors.0", range] {
                assert!(shown.contains(path), "{query}: {path}");
            }
            assert!(!shown.contains("groups.g.count"), "{query}");
        }
        assert!(shown("snesors").contains(range), "one error is forgiven");
        assert!(!shown("binary").contains("seed"));
        assert_eq!(ParameterMatches::of(&lab, "zeppelin", false).count, 0);
        assert!(ParameterMatches::of(&lab, "", false).shown.is_none(), "all are shown");
    }

    #[test]
    fn changed_parameters_are_listed_reverted_and_written_for_a_shell() {
        let mut lab = lab_of(SCENE);
        assert_eq!(ParameterMatches::of(&lab, "", false).put_back(), []);
        set(&mut lab, "groups.g.sensors.0.range_m", "3.5");
        set(&mut lab, "groups.g.count", "5");
        let found = ParameterMatches::of(&lab, "", true);
        assert_eq!(found.count, 2);
        assert_eq!(found.changes.len(), 2);
        assert_eq!(found.options(), "--set groups.g.count=5 --set groups.g.sensors.0.range_m=3.5");
        for edit in found.put_back() {
            lab.run.host.apply(edit).unwrap();
        }
        do_steps(&mut lab, 1);
        assert_eq!(ParameterMatches::of(&lab, "", true).count, 0);
    }

    #[test]
    fn added_and_moved_parts_and_their_parameters_count_as_changes() {
        let mut lab = lab_of("(objects: [Disc(name: \"rock\")])");
        let changed = |lab: &Lab| ParameterMatches::of(lab, "", false).changed();
        let value = "(name: \"h\", count: 2, controller: Constant())".to_owned();
        lab.edit(vec![Edit::Add { list: "groups".into(), value }]);
        do_steps(&mut lab, 1);
        assert_eq!(changed(&lab), 1, "an added group");
        for speed in ["0.1", "0.2", "0.3"] {
            set(&mut lab, "groups.h.controller.v_m_per_s", speed);
        }
        do_steps(&mut lab, 1);
        assert_eq!(changed(&lab), 2, "a drag in an added group");
        set(&mut lab, "objects.rock.center_m", "(1.0, 2.0)");
        do_steps(&mut lab, 1);
        assert_eq!(changed(&lab), 3, "a moved object");
        lab.run.host.apply(Edit::Move { agent: 0, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }).unwrap();
        do_steps(&mut lab, 1);
        assert_eq!(changed(&lab), 4, "a moved robot");
    }

    #[test]
    fn changed_parameters_follow_a_drag_while_paused() {
        let mut lab = lab_of(SCENE);
        let mut finder = Finder::default();
        let transaction = lab.edits.present_transaction(&mut lab.run.host);
        for range_m in ["3.0", "3.5"] {
            let path = "groups.g.sensors.0.range_m".to_owned();
            lab.compare.apply_in(&mut lab.run.host, Edit::Set { path, value: range_m.into() }, transaction).unwrap();
            lab.run.host.flush_edits();
            assert_eq!(finder.find(&lab).options(), format!("--set groups.g.sensors.0.range_m={range_m}"));
        }
    }

    #[test]
    fn an_added_group_keeps_the_changed_parameters_of_the_others() {
        let mut lab = lab_of(SCENE);
        set(&mut lab, "groups.g.sensors.0.range_m", "3.5");
        let value = "(name: \"h\", controller: Constant())".into();
        lab.run.host.apply(Edit::Add { list: "groups".into(), value }).unwrap();
        assert_eq!(ParameterMatches::of(&lab, "", false).options(), "--set groups.g.sensors.0.range_m=3.5");
    }

    #[test]
    fn parameter_search_covers_long_lists_and_their_changed_members() {
        let poses = |count: u32| {
            let pose = |place: u32| format!("({:?}, 2.5, 0.0)", 1.0 + f64::from(place) / 64.0);
            format!("[{}]", (0..count).map(pose).collect::<Vec<_>>().join(", "))
        };
        let scene = format!("(groups: [(name: \"g\", at: {}, controller: Constant())])", poses(150));
        let mut lab = lab_of(&scene);
        assert!(ParameterMatches::of(&lab, "groups.g.at.149", false).count > 0);
        set(&mut lab, "groups.g.at", &poses(151));
        assert!(
            ParameterMatches::of(&lab, "", false).changes.iter().all(|change| !change.path.starts_with("groups.g.at"))
        );
        set(&mut lab, "groups.g.at", &poses(150).replace("(1.125, 2.5", "(1.125, 3.5"));
        let changes = ParameterMatches::of(&lab, "", false).changes;
        assert!(changes.iter().any(|change| change.path.starts_with("groups.g.at.8")), "{changes:?}");
    }

    #[test]
    fn reverting_a_kind_reverts_its_parameters() {
        let mut lab = lab_of(SCENE);
        set(&mut lab, "groups.g.controller", "Constant(v_m_per_s: 0.7)");
        let edits = ParameterMatches::of(&lab, "", false).put_back();
        let [Edit::Set { path, value }] = &edits[..] else { panic!("{edits:?}") };
        assert_eq!(path, "groups.g.controller");
        assert!(value.starts_with("Binary("), "{value}");
    }

    #[test]
    fn randomise_changes_only_live_parameters_unless_asked() {
        let lab = lab_of(SCENE);
        let all = ParameterMatches::of(&lab, "", false).numbers;
        assert!(all.iter().any(|path| path == "groups.g.sensors.0.range_m"));
        assert!(!all.iter().any(|path| path == "seed" || path == "groups.g.count"));
        assert!(
            ParameterMatches::of(&lab, "groups.g.count", false).numbers.iter().any(|path| path == "groups.g.count")
        );
    }
}
