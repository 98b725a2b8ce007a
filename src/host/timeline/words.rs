//! Descriptions of changes.

use std::collections::BTreeSet;

use swarmarium_core::kind::Kinds;
use swarmarium_core::text::values::is_optional_part;
use swarmarium_core::text::wording::{lower, parameter_name, shown, with_article, words};
use swarmarium_scene::scene::path;
use swarmarium_scene::scene::scripts::{FILE, SOURCE};
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::edit::Edit;

use crate::speed::UNLIMITED;

/// The largest number of kinds of edits in a text, which then ends with "and more".
const NAMED: usize = 3;
/// The largest number of characters of a value; longer ones are cut.
const LONGEST: usize = 40;
/// An optional value that is missing.
const OFF: &str = "off";
/// The largest number of paths in a text, one per line.
const MOST_PATHS: usize = 8;

/// The sources of names for descriptions of edits.
pub struct Names<'a> {
    /// The names of robots, by number.
    pub robot: &'a dyn Fn(u32) -> String,
    /// The kinds of the scene.
    pub kinds: &'a Kinds,
    /// The scene.
    pub scene: &'a Scene,
}

impl Names<'_> {
    /// The name of a parameter as in panels, and its unit: the label of its control, the name of its constant, or the
    /// words of its path.
    pub fn parameter(&self, path: &str) -> (String, &'static str) {
        let trail = |path: &str| path::trail(self.kinds, self.scene, path).ok();
        let own = trail(path);
        let is_same = |other: &str| other == path || (own.is_some() && trail(other) == own);
        let constant = self.scene.constants.iter();
        let constant = constant.filter(|constant| constant.name == path || constant.of.iter().any(|of| is_same(of)));
        let constant = constant.map(|constant| constant.name.as_str()).next();
        let field = constant.and_then(|name| constants::named(self.scene, name)?.of.first());
        let unit = words(field.map_or(path, String::as_str).rsplit('.').next().unwrap_or_default()).1;
        let is_of = |of: &str| Some(of) == constant || is_same(of);
        let label = self.scene.controls.iter().find(|control| !control.label.is_empty() && is_of(&control.of));
        let name = label.map(|control| control.label.clone()).or_else(|| constant.map(Into::into));
        (name.unwrap_or_else(|| self.words_of(path)), unit)
    }

    /// The words of a path: `Detected turn`, after the name of a robot or of one of several groups.
    fn words_of(&self, path: &str) -> String {
        let steps: Vec<&str> = path::steps(path).unwrap_or_default().into_iter().map(|(_, step)| step).collect();
        match steps.as_slice() {
            ["agents", number, rest @ ..] => {
                let robot = number.parse().map_or_else(|_| (*number).to_owned(), |number| (self.robot)(number));
                format!("{robot}: {}", lower(&parameter_name(rest)))
            }
            ["groups", group, rest @ ..] if self.scene.groups.len() > 1 => {
                let by_place = group.parse::<usize>().ok().and_then(|place| self.scene.groups.get(place));
                let group = by_place.map_or(*group, |group| &group.name);
                format!("{group}: {}", lower(&parameter_name(rest)))
            }
            ["groups", _, rest @ ..] => parameter_name(rest),
            ["objects", object, rest @ ..] => format!("Object {object}: {}", lower(&parameter_name(rest))),
            steps => parameter_name(steps),
        }
    }

    /// Whether a path leads to a part with parameters of its own that may be absent, such as the radio of a group.
    fn is_optional_part(&self, path: &str) -> bool {
        path::get(self.kinds, self.scene, path).is_ok_and(|value| is_optional_part(value.reflect_type_info()))
    }

    /// A part of the scene by its kind or its name: `AverageSpeed`, `group prey`, `object 4`.
    fn part(&self, path: &str) -> String {
        let (list, place) = path.rsplit_once('.').unwrap_or(("", path));
        let part = path::get(self.kinds, self.scene, path).ok();
        let kind = part.filter(|_| list != "objects").and_then(|part| self.kinds.in_slot(part));
        let what = match (
            kind,
            part.and_then(|part| part.reflect_ref().as_struct().ok()?.field("name")?.try_downcast_ref()),
        ) {
            (Some(kind), _) => kind.name.to_owned(),
            (None, Some(name)) => format!("{} {}", member_of(list), shown(name as &String)),
            (None, None) => format!("{} {place}", member_of(list)),
        };
        format!("{what}{}", self.owner(" of ", list))
    }

    /// The group or the robot that a list or a part belongs to, after a preposition: ` to millers` for
    /// `groups.millers.sensors`.
    fn owner(&self, preposition: &str, list: &str) -> String {
        let steps: Vec<&str> = path::steps(list).unwrap_or_default().into_iter().map(|(_, step)| step).collect();
        let group = match steps.as_slice() {
            ["groups", group, _, ..] => group,
            ["agents", number, _, ..] if let Ok(number) = number.parse() => {
                return format!("{preposition}{}", (self.robot)(number));
            }
            _ => return String::new(),
        };
        let by_place = group.parse::<usize>().ok().and_then(|place| self.scene.groups.get(place));
        format!("{preposition}{}", by_place.map_or(*group, |group| &group.name))
    }

    /// The file of the script whose text is at a path, if there is one.
    fn script(&self, path: &str) -> Option<&str> {
        let controller = path.strip_suffix(SOURCE)?;
        let file: &String = path::get(self.kinds, self.scene, &format!("{controller}{FILE}")).ok()?.downcast_ref()?;
        Some(if file.is_empty() { "the script" } else { file })
    }

    /// A parameter with its value and unit: `Robots = 8`. A script has its file in place of its text.
    fn set(&self, path: &str, value: &str) -> String {
        if let Some(file) = self.script(path) {
            return format!("Edited {file}");
        }
        let (name, unit) = self.parameter(path);
        if self.is_optional_part(path) && (value == "None" || value.starts_with("Some(")) {
            let part = lower(&words(path.rsplit('.').next().unwrap_or_default()).0);
            return match value == "None" {
                true => format!("Removed the {part}{}", self.owner(" of ", path)),
                false => format!("Added {}{}", with_article(&part), self.owner(" to ", path)),
            };
        }
        let (value, unit) = shown_value(value, unit);
        format!("{name} = {value}{unit}")
    }

    /// A parameter with its value before, if it is known, and its present one: `Robots 6 → 8`.
    pub fn from_to(&self, path: &str, before: Option<&str>, value: &str) -> String {
        let (name, unit) = self.parameter(path);
        let (value, unit_after) = shown_value(value, unit);
        let before = before.map(|before| shown_value(before, unit));
        let before = before.map(|(before, unit)| match unit == unit_after {
            true => format!("{before} → "),
            false => format!("{before}{unit} → "),
        });
        format!("{name} {}{value}{unit_after}", before.unwrap_or_default())
    }
}

/// A value as panels show it, and its unit with the space before it: an angle in degrees, and no unit for a missing value.
fn shown_value(value: &str, unit: &str) -> (String, String) {
    let value = readable(value);
    match value.parse::<f64>() {
        // Panels show angles in degrees.
        Ok(angle_rad) if unit == "rad" => {
            let hundredths = (angle_rad.to_degrees() * 100.0).round() / 100.0;
            (readable(&hundredths.to_string()), "°".into())
        }
        Err(_) if value == OFF => (value, String::new()),
        _ if unit.is_empty() => (value, String::new()),
        _ => (value, format!(" {unit}")),
    }
}

/// A readable value: numbers have at most four decimals, an optional value is written as the value in it, a kind and a
/// variant as their names, and long texts are cut.
fn readable(value: &str) -> String {
    let value = value.strip_prefix("Some(").and_then(|value| value.strip_suffix(')')).unwrap_or(value);
    let name = value.strip_suffix(')').and_then(|value| value.split_once('(')).map(|(name, _)| name);
    let is_name = |name: &&str| name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric);
    let value = if value == "None" { OFF } else { name.filter(is_name).unwrap_or(value) };
    match value.parse::<f64>() {
        Ok(number) if number == 0.0 || (1e-3..1e9).contains(&number.abs()) => {
            format!("{}", (number * 1e4).round() / 1e4)
        }
        _ if value.chars().count() > LONGEST => value.chars().take(LONGEST).chain(['…']).collect(),
        _ => value.into(),
    }
}

/// The parameters that edits set, as path and value, one per line: `groups.millers.count = 8`.
pub fn paths_of(edits: &[&Edit]) -> String {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for edit in edits {
        if let Edit::Set { path, value } = edit {
            lines.retain(|(known, _)| known != path);
            lines.push((path, format!("{path} = {}", readable(value))));
        }
    }
    let more = lines.len().saturating_sub(MOST_PATHS);
    let mut lines: Vec<String> = lines.into_iter().take(MOST_PATHS).map(|(_, line)| line).collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n")
}

/// The number of the agent that an edit changes.
pub(super) fn agent_of(edit: &Edit) -> Option<u32> {
    match edit {
        Edit::Move { agent, .. } | Edit::Fault { agent, .. } => Some(*agent),
        Edit::Remove { path } => path.strip_prefix("agents.").and_then(|number| number.parse().ok()),
        _ => None,
    }
}

/// The description of the edits of one change.
pub fn in_words(edits: &[&Edit], names: &Names) -> String {
    let mut kinds: Vec<Vec<&Edit>> = Vec::new();
    for edit in edits {
        match kinds.iter_mut().find(|kind| kind.first().is_some_and(|first| are_alike(first, edit))) {
            Some(kind) => kind.push(edit),
            None => kinds.push(vec![edit]),
        }
    }
    let more = kinds.len().saturating_sub(NAMED);
    let mut texts: Vec<String> = kinds.iter().take(NAMED).map(|kind| of_kind(kind, names)).collect();
    if more > 0 {
        texts.push("and more".into());
    }
    texts.iter_mut().skip(1).for_each(|text| *text = lower(text));
    texts.join(", ")
}

/// Whether two edits are described together.
fn are_alike(one: &Edit, other: &Edit) -> bool {
    match (one, other) {
        (Edit::Fault { failure, is_active, .. }, Edit::Fault { failure: other, is_active: is_other, .. }) => {
            (failure, is_active) == (other, is_other)
        }
        (Edit::Spawn { group, .. }, Edit::Spawn { group: other, .. }) => group == other,
        (Edit::Add { list, .. }, Edit::Add { list: other, .. }) => list == other,
        (Edit::Remove { path }, Edit::Remove { path: another }) => {
            let list = |path: &str| path.rsplit_once('.').map(|(list, _)| list.to_owned());
            agent_of(one).is_some() == agent_of(other).is_some() && list(path) == list(another)
        }
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

fn of_kind(edits: &[&Edit], names: &Names) -> String {
    let Some(last) = edits.last() else { return String::new() };
    let name = names.robot;
    match last {
        Edit::Set { path, value } => {
            match distinct(edits, |edit| if let Edit::Set { path, .. } = edit { path } else { "" }) {
                1 => names.set(path, value),
                _ if distinct(edits, |edit| script_of(edit, names)) == 1 && script_of(last, names).is_some() => {
                    names.set(path, value)
                }
                count => format!("{count} parameters changed"),
            }
        }
        Edit::Move { .. } => format!("Moved {}", robots(edits, name)),
        Edit::MoveObject { object, .. } => {
            match distinct(edits, |edit| if let Edit::MoveObject { object, .. } = edit { *object } else { 0 }) {
                1 => format!("Moved object {object}"),
                count => format!("Moved {count} objects"),
            }
        }
        Edit::Spawn { group, .. } => format!("Added {} to {group}", counted(edits.len(), "robot")),
        Edit::Add { list, value } => match (edits.len(), value.split('(').next().map(str::trim)) {
            (1, _) if let Some(name) = written_name(value) => {
                format!("Added {} {name}{}", member_of(list), names.owner(" to ", list))
            }
            (1, Some(kind)) if !kind.is_empty() => format!("Added {kind}{}", names.owner(" to ", list)),
            (count, _) => format!("Added {}{}", counted(count, &member_of(list)), names.owner(" to ", list)),
        },
        Edit::Remove { path } if agent_of(last).is_none() && edits.len() == 1 => {
            format!("Removed {}", names.part(path))
        }
        Edit::Remove { path } if agent_of(last).is_none() => {
            format!("Removed {}", counted(edits.len(), &member_of(path.rsplit_once('.').map_or("", |(list, _)| list))))
        }
        Edit::Remove { .. } => format!("Removed {}", robots(edits, name)),
        Edit::Fault { failure, is_active, .. } => format!("{} {}", failure.verb(*is_active), robots(edits, name)),
        Edit::TimeScale { scale } if *scale >= UNLIMITED => "Unlimited speed".into(),
        Edit::TimeScale { scale } => format!("Speed {}×", (scale * 1000.0).round() / 1000.0),
        Edit::Call { component, service, .. } => format!("Called {component}.{service}"),
        Edit::Feed { component, .. } => format!("Commanded {component}"),
        Edit::Output { output, agents, .. } => match agents[..] {
            [agent] => format!("Set the {} of {}", output.name(), name(agent)),
            _ => format!("Set the {} of {}", output.name(), counted(agents.len(), "robot")),
        },
        Edit::Message { agents, .. } => match agents[..] {
            [agent] => format!("Sent a message from {}", name(agent)),
            _ => format!("Sent messages from {}", counted(agents.len(), "robot")),
        },
        Edit::Command { agents, .. } => match agents[..] {
            [agent] => format!("Commanded {}", name(agent)),
            _ => format!("Commanded {}", counted(agents.len(), "robot")),
        },
        Edit::Suspend { is_suspended: true } => "Suspended motion".into(),
        Edit::Suspend { is_suspended: false } => "Resumed motion".into(),
    }
}

/// The name at the start of a part without a kind: `prey` for `(name: "prey", count: 3)`.
fn written_name(value: &str) -> Option<&str> {
    let name = value.trim_start().strip_prefix("(name:")?.trim_start().strip_prefix('"')?;
    name.split('"').next().filter(|name| !name.is_empty() && !name.contains('\\'))
}

/// The word for a member of a list: `object group` for `object_groups`.
fn member_of(list: &str) -> String {
    let list = words(list.rsplit('.').next().unwrap_or_default()).0.to_lowercase();
    list.strip_suffix('s').map(Into::into).unwrap_or(list)
}

/// The file of the script that an edit changes, if it changes one.
fn script_of<'n>(edit: &Edit, names: &'n Names) -> Option<&'n str> {
    if let Edit::Set { path, .. } = edit { names.script(path) } else { None }
}

/// The robots that edits change: the name of one, or their number.
fn robots(edits: &[&Edit], name: &dyn Fn(u32) -> String) -> String {
    match (distinct(edits, agent_of), edits.iter().find_map(|edit| agent_of(edit))) {
        (1, Some(number)) => name(number),
        (count, _) => counted(count, "robot"),
    }
}

fn distinct<'e, T: Ord>(edits: &[&'e Edit], key: impl Fn(&'e Edit) -> T) -> usize {
    edits.iter().copied().map(key).collect::<BTreeSet<T>>().len()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;
    use swarmarium_core::agent::failure::Failure;
    use swarmarium_core::kind::Kinds;
    use swarmarium_core::sensor::SensorFamily;
    use swarmarium_scene::scene::reader::read;

    use super::*;

    /// A kind of sensors.
    #[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
    #[reflect(Component, Default)]
    struct Fov {
        range_m: f64,
    }

    fn text(edits: &[Edit]) -> String {
        text_in("()", edits)
    }

    fn text_in(scene: &str, edits: &[Edit]) -> String {
        let mut kinds = Kinds::default();
        kinds.add_type::<Scene>();
        kinds.add::<SensorFamily, Fov>(|_| None);
        let scene: Scene = read(&kinds, "s.ron", scene).unwrap();
        let names = Names { robot: &|number| format!("miller-{number}"), kinds: &kinds, scene: &scene };
        in_words(&edits.iter().collect::<Vec<_>>(), &names)
    }

    #[test]
    fn labels_of_edits_use_the_names_of_panels() {
        let set = |path: &str, value: &str| Edit::Set { path: path.into(), value: value.into() };
        let scene = "(constants: [(name: \"N\", value: 6), (name: \"SIDE\", value: 2)],
            controls: [(of: \"N\", label: \"Robots\"), (of: \"groups.g.sensors.0.range_m\", label: \"Range\")],
            groups: [(name: \"g\", count: N, sensors: [Fov()]), (name: \"h\", count: SIDE, sensors: [Fov()])])";
        let text = |path: &str, value: &str| text_in(scene, &[set(path, value)]);
        assert_eq!(text("groups.g.count", "8"), "Robots = 8");
        assert_eq!(text("groups.0.count", "8"), "Robots = 8");
        assert_eq!(text("N", "8"), "Robots = 8");
        assert_eq!(text("groups.0.sensors.0.range_m", "Some(0.3)"), "Range = 0.3 m");
        assert_eq!(text("groups.0.sensors.0.range_m", "None"), "Range = off");
        assert_eq!(text("groups.0.controller", "Constant(v_m_per_s: 0.1)"), "g: controller = Constant");
        assert_eq!(text("objects.0.heading_rad", "1.5707963267948966"), "Object 0: heading = 90°");
        assert_eq!(text("groups.1.count", "3"), "SIDE = 3");
        assert_eq!(text("groups.0.sensors.0.range_m", "0.30000000000000004"), "Range = 0.3 m");
        assert_eq!(text("groups.h.sensors.0.range_m", "2.5"), "h: sensor range = 2.5 m");
        assert_eq!(text("agents.4.sensors.0.range_m", "2.5"), "miller-4: sensor range = 2.5 m");
        assert_eq!(text("arena.size_m", "(1.0, 2.0)"), "Arena size = (1.0, 2.0) m");
        assert_eq!(lower("SIDE = 3"), "SIDE = 3");
        let mut kinds = Kinds::default();
        kinds.add_type::<Scene>();
        let names = Names { robot: &|number| number.to_string(), kinds: &kinds, scene: &Scene::default() };
        let from_to = |path: &str, before, value| names.from_to(path, before, value);
        assert_eq!(from_to("a.range_m", Some("0.5"), "Some(0.3)"), "A range 0.5 → 0.3 m");
        assert_eq!(from_to("a.range_m", Some("Some(0.5)"), "None"), "A range 0.5 m → off");
        assert_eq!(from_to("a.range_m", Some("None"), "Some(0.5)"), "A range off → 0.5 m");
        assert_eq!(from_to("a.heading_rad", Some("0.0"), "1.5707963267948966"), "A heading 0 → 90°");
        assert_eq!(from_to("a.count", None, "3"), "A count 3");
        let edits = [set("groups.g.count", "7"), set("groups.g.count", "8")];
        assert_eq!(paths_of(&edits.iter().collect::<Vec<_>>()), "groups.g.count = 8");
    }

    #[test]
    fn edits_are_described_in_words() {
        let moved = |agent, x_m| Edit::Move { agent, x_m, y_m: 0.0, heading_rad: 0.0 };
        let set = |path: &str, value: &str| Edit::Set { path: path.into(), value: value.into() };
        let fault = |agent, failure, is_active| Edit::Fault { agent, failure, is_active };
        let remove = |path: &str| Edit::Remove { path: path.into() };
        assert_eq!(text(&[moved(3, 1.0), moved(3, 2.0)]), "Moved miller-3");
        assert_eq!(text(&[moved(3, 1.0), moved(4, 2.0)]), "Moved 2 robots");
        assert_eq!(text(&[set("a.b", "0.1"), set("a.b", "0.3")]), "A b = 0.3");
        assert_eq!(text(&[set("a.b", "0.1"), set("a.c", "0.3")]), "2 parameters changed");
        assert_eq!(text(&[fault(2, Failure::Total, true)]), "Killed miller-2");
        assert_eq!(text(&[fault(2, Failure::Total, true), remove("agents.2")]), "Killed miller-2, removed miller-2");
        assert_eq!(text(&[remove("objects.4")]), "Removed object 4");
        assert_eq!(text(&[Edit::TimeScale { scale: 4.0 }]), "Speed 4×");
        assert_eq!(text(&[Edit::TimeScale { scale: UNLIMITED }]), "Unlimited speed");
        let disc = Edit::Add { list: "objects".into(), value: "Disc(radius_m: 1)".into() };
        assert_eq!(text(&[disc]), "Added Disc");
        let scene = "(groups: [(name: \"g\", sensors: [Fov()], radio: ()), (name: \"h\")])";
        let text = |edit: Edit| text_in(scene, &[edit]);
        let add = |list: &str, value: &str| Edit::Add { list: list.into(), value: value.into() };
        assert_eq!(text(add("groups.0.sensors", "Fov()")), "Added Fov to g");
        assert_eq!(text(add("groups", "(name: \"k\")")), "Added group k");
        assert_eq!(text(add("object_groups", "(name: \"k\")")), "Added object group k");
        assert_eq!(text(remove("groups.g.sensors.0")), "Removed Fov of g");
        assert_eq!(text(remove("groups.1")), "Removed group h");
        assert_eq!(text(set("groups.0.radio", "None")), "Removed the radio of g");
        assert_eq!(text(set("groups.h.radio", "Some(())")), "Added a radio to h");
        assert_eq!(text(set("groups.h.emitter", "Some((always: true))")), "Added an emitter to h");
        assert_eq!(text(set("groups.h.leds", "Some(())")), "Added leds to h");
        assert_eq!(lower("Moved"), "moved");
    }
}
