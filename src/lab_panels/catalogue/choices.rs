//! The entries of the catalogue: what can be added at a path, or chosen in place of the value there.

use std::any::TypeId;

use bevy::math::DVec2;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::field::Emitter;
use swarmarium_core::gripper::Gripper;
use swarmarium_core::kind::{Family as _, Kind, Kinds};
use swarmarium_core::leds::Leds;
use swarmarium_core::metric::MetricFamily;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::radio::Radio;
use swarmarium_core::spawner::SpawnerFamily;
use swarmarium_core::text::values::integer_range;
use swarmarium_core::text::wording::{capital, with_article, words};
use swarmarium_lab_state::action::{Action, PartAction, PlotAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::{kind_label, member_word, plain_docs, plain_text};
use swarmarium_lab_state::edit::parts::{self, PLOTS, PlaceKind, first_value, free_name};
use swarmarium_scene::scene::describe;
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::presets::{self, ROBOTS};
use swarmarium_scene::scene::{Scene, path};

use crate::catalogue::ready::READY;
use crate::parameters::{making_control, new_controls};

/// The optional parts of a group with their words.
const OPTIONAL: [(&str, &str, &[&str]); 4] = [
    ("radio", "Radio", &["communication", "messages", "wireless", "talk", "packets"]),
    ("gripper", "Gripper", &["grab", "hold", "carry", "claw", "pick up"]),
    ("emitter", "Emitter", &["pheromone", "deposit", "chemical", "mark", "drop"]),
    ("leds", "LEDs", &["led", "lamp", "light", "colour", "signal"]),
];

/// Part of the shorter side of the arena that a new object takes as its radius.
const OBJECT_PART: f64 = 0.05;

/// The section of groups with simple behaviours.
pub const SIMPLE: &str = "Simple robots";

/// Number of robots or objects in a new group.
const NEW_MEMBERS: u32 = 10;

/// Fields of controllers that stand still by default: a robot that stands still shows nothing.
const MOVING: [(&str, &str); 5] = [
    ("Constant", "v_m_per_s: 0.2"),
    ("Velocity", "x_m_per_s: 0.2"),
    ("Binary", "detected: (v_m_per_s: 0.2, turn_rad_per_s: 0.5), clear: (v_m_per_s: 0.2, turn_rad_per_s: -0.5)"),
    ("Bits", "otherwise: (v_m_per_s: 0.2)"),
    ("Table", "otherwise: (v_m_per_s: 0.2)"),
];

/// An entry of the catalogue.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The name in words.
    pub name: String,
    /// The name in scene files; empty if it has none.
    pub ident: String,
    /// The description.
    pub about: String,
    /// The section.
    pub section: String,
    /// The name of the picture: of a family, or of a kind.
    pub icon: &'static str,
    /// Everyday words, in lower case.
    pub synonyms: Vec<&'static str>,
    /// The effect of choosing the entry.
    pub effect: Effect,
}

/// The effect of choosing an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Adds a part, or puts it in place of a value.
    Add {
        /// The path of the list or value.
        path: String,
        /// The part in the notation of a scene file.
        value: String,
    },
    /// Makes a control of the parameter at a path.
    Control(String),
    /// Plots a number of a robot.
    Pin(String),
}

impl Effect {
    /// Returns the action.
    pub fn action(&self, lab: &Lab) -> Action {
        match self.clone() {
            Self::Add { path, value } => Action::Part(PartAction::Add { path, value }),
            Self::Control(path) => Action::Edits(making_control(lab, &path)),
            Self::Pin(path) => Action::Plot(PlotAction::Pin(path)),
        }
    }

    /// Returns the reason why the entry does not fit the present scene; `None` if it fits.
    pub fn refusal(&self, lab: &Lab) -> Option<String> {
        let simulation = lab.run.host.simulation();
        let reason = match self {
            Self::Add { path, value } => parts::fitting(simulation, path, value).err().map(|problem| problem.message),
            Self::Control(path) => {
                let edits = making_control(lab, path);
                edits.iter().find_map(|edit| simulation.check(edit).err()).map(|problem| problem.message)
            }
            Self::Pin(path) => lab.plots.history.pin(simulation, path).err().map(|error| error.to_string()),
        };
        reason.map(|reason| plain_text(&reason))
    }
}

/// Returns the title of the catalogue at a path: `Add a sensor to millers`.
pub fn title(lab: &Lab, path: &str) -> String {
    let simulation = lab.run.host.simulation();
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    let steps: Vec<&str> = path::steps(path).unwrap_or_default().into_iter().map(|(_, step)| step).collect();
    let group = group_of(path).and_then(|place| scene.groups.get(place)).map_or("", |group| group.name.as_str());
    match steps.as_slice() {
        [PLOTS] => "Add a plot".into(),
        ["groups", _] => format!("Add to {group}"),
        [_] => format!("Add {}", with_article(&member_word(path))),
        ["groups", _, part] => {
            let word = words(part).0.to_lowercase();
            match PlaceKind::at(kinds, scene, path) {
                Some(PlaceKind::List) => format!("Add {} to {group}", with_article(&member_word(path))),
                Some(PlaceKind::Optional) => format!("Add {} to {group}", with_article(&word)),
                _ => format!("Replace the {} of {group}", described(part)),
            }
        }
        _ => match PlaceKind::at(kinds, scene, path) {
            Some(PlaceKind::List) => format!("Add {}", with_article(&member_word(path))),
            _ => format!("Replace the {}", words(steps.last().copied().unwrap_or_default()).0.to_lowercase()),
        },
    }
}

/// Returns the word for a part of a group.
fn described(part: &str) -> String {
    match part {
        "motion" => "motion model".into(),
        "spawn" => "spawner".into(),
        part => words(part).0.to_lowercase(),
    }
}

/// Returns the place of the group that a path leads into.
pub fn group_of(path: &str) -> Option<usize> {
    path.strip_prefix("groups.")?.split('.').next()?.parse().ok()
}

/// Returns the entries for a path.
pub fn at(lab: &Lab, path: &str) -> Vec<Choice> {
    let simulation = lab.run.host.simulation();
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    match path {
        PLOTS => pins(lab).into_iter().chain(of_family(kinds, scene, MetricFamily::NAME, "metrics")).collect(),
        "groups" => groups(kinds, scene),
        "object_groups" => object_groups(kinds, scene),
        "fields" => fields(scene),
        "controls" => controls(lab),
        _ => match group_of(path).filter(|_| path.matches('.').count() == 1) {
            Some(place) => of_group(kinds, scene, place),
            None => at_value(kinds, scene, path),
        },
    }
}

/// Returns the entries for a list or a value: the kinds of its family, or one entry.
fn at_value(kinds: &Kinds, scene: &Scene, path: &str) -> Vec<Choice> {
    if let Some(family) = parts::family_at(kinds, scene, path) {
        return of_family(kinds, scene, family, path);
    }
    let optional = group_of(path).and_then(|place| Some(optional(place, scene.groups.get(place)?)));
    let of_group: Vec<Choice> = optional.unwrap_or_default().into_iter().filter(|choice| choice.is_at(path)).collect();
    if !of_group.is_empty() {
        return of_group;
    }
    let value = match PlaceKind::at(kinds, scene, path) {
        Some(PlaceKind::Optional) => "Some(())",
        Some(PlaceKind::List) => new_member(kinds, scene, path),
        _ => return Vec::new(),
    };
    let name = capital(&member_word(path));
    vec![Choice {
        about: format!("Adds {} with default values", with_article(&member_word(path))),
        name,
        ident: String::new(),
        section: String::new(),
        icon: "part",
        synonyms: Vec::new(),
        effect: Effect::Add { path: path.into(), value: value.into() },
    }]
}

/// Returns a new member of a list that has no kinds.
fn new_member(kinds: &Kinds, scene: &Scene, list: &str) -> &'static str {
    let list = path::get(kinds, scene, list).ok();
    let item = list.and_then(|list| Some(list.reflect_type_info().as_list().ok()?.item_ty().id()));
    match item {
        Some(item) if item == TypeId::of::<String>() => "\"\"",
        Some(item) if item == TypeId::of::<f64>() || integer_range(item).is_some() => "0",
        Some(item) if item == TypeId::of::<DVec2>() => "(0, 0)",
        _ => "()",
    }
}

impl Choice {
    fn is_at(&self, wanted: &str) -> bool {
        matches!(&self.effect, Effect::Add { path, .. } if path == wanted)
    }

    fn new(name: &str, about: &str, section: &str, icon: &'static str, effect: Effect) -> Self {
        Self {
            name: name.into(),
            ident: String::new(),
            about: about.into(),
            section: section.into(),
            icon,
            synonyms: Vec::new(),
            effect,
        }
    }
}

/// Returns the kinds of a family, for a search without a place.
pub fn kinds_of(kinds: &Kinds, scene: &Scene, family: &str) -> Vec<Choice> {
    of_family(kinds, scene, family, "")
}

/// Returns the kinds of a family for a path, by section.
fn of_family(kinds: &Kinds, scene: &Scene, family: &str, path: &str) -> Vec<Choice> {
    // The placeholder of removed objects is not a choice.
    let all = kinds.family(family).filter(|kind| (kind.family, kind.name) != (ObjectFamily::NAME, "Gone"));
    let mut choices: Vec<Choice> = all.map(|kind| of_kind(kinds, scene, kind, path)).collect();
    choices.sort_by(|a, b| a.section.cmp(&b.section));
    choices
}

fn of_kind(kinds: &Kinds, scene: &Scene, kind: &Kind, path: &str) -> Choice {
    Choice {
        name: kind_label(kind.name),
        ident: kind.name.into(),
        about: plain_docs(&describe::about(kind)),
        section: kind.section().unwrap_or("Others").into(),
        icon: if kind.family == ObjectFamily::NAME { kind.name } else { kind.family },
        synonyms: kind.words().collect(),
        effect: Effect::Add { path: path.into(), value: value_of(kinds, scene, kind) },
    }
}

/// Returns a kind in the notation of a scene file, with places in the arena and sizes that suit it.
fn value_of(kinds: &Kinds, scene: &Scene, kind: &Kind) -> String {
    let has_place = [ObjectFamily::NAME, SpawnerFamily::NAME].contains(&kind.family);
    let own = has_place.then(|| describe::fields_of(kinds, kind)).into_iter().flatten().filter(|field| !field.common);
    let fields: Vec<String> = own.filter_map(|field| placed(scene, kind, &field.name)).collect();
    let moving = MOVING.iter().find(|(name, _)| kind.family == ControllerFamily::NAME && *name == kind.name);
    let fields: Vec<String> = fields.into_iter().chain(moving.map(|(_, fields)| (*fields).to_owned())).collect();
    format!("{}({})", kind.name, fields.join(", "))
}

/// Returns a field of an object or spawner with a value that suits the arena; `None` for other fields.
fn placed(scene: &Scene, kind: &Kind, field: &str) -> Option<String> {
    let (low, size) = (scene.arena.corner_m, scene.arena.size_m);
    let (center, side) = (low + size / 2.0, size.min_element());
    let is_object = kind.family == ObjectFamily::NAME;
    let radius = side * if is_object { OBJECT_PART } else { 0.3 };
    let half = if is_object { DVec2::splat(radius) } else { size * 0.4 };
    let corners = [DVec2::new(-1.0, -1.0), DVec2::new(1.0, -1.0), DVec2::ONE, DVec2::new(-1.0, 1.0)];
    let value = match field {
        "center_m" if kind.name == "UniformSquare" => format!("Some({})", point(center)),
        "center_m" | "position_m" => point(center),
        "min_m" | "max_m" if kind.name == "Gaussian" => return None,
        "min_m" => point(center - half),
        "max_m" => point(center + half),
        "sd_m" => point(size * 0.1),
        "spacing_m" if kind.name == "Grid" => point(DVec2::splat(side * 0.1)),
        "side_m" => number(side * 0.5),
        "inner_radius_m" => number(side * 0.2),
        "outer_radius_m" => number(side * 0.4),
        "radius_m" => number(radius),
        "corners_m" => format!("[{}]", corners.map(|corner| point(center + corner * half)).join(", ")),
        "area" => format!("Disc(center_m: {}, radius_m: {})", point(center), number(2.0 * radius)),
        _ => return None,
    };
    Some(format!("{field}: {value}"))
}

/// Formats a length in metres, to at most three decimals.
fn number(value: f64) -> String {
    let rounded = (value * 1e3).round() / 1e3;
    // A tiny arena needs all digits.
    format!("{:?}", if rounded == 0.0 { value } else { rounded })
}

fn point(at_m: DVec2) -> String {
    format!("({}, {})", number(at_m.x), number(at_m.y))
}

/// Returns the spawner of a new group: at random in the arena, away from its edges.
fn spawn(scene: &Scene) -> String {
    let (low, size) = (scene.arena.corner_m, scene.arena.size_m);
    format!("UniformBox(min_m: {}, max_m: {})", point(low + size * 0.1), point(low + size * 0.9))
}

/// Returns new groups of robots: ready-made ones, those with simple behaviours, and those of the robot models.
fn groups(kinds: &Kinds, scene: &Scene) -> Vec<Choice> {
    let taken: Vec<String> = scene.groups.iter().map(|group| group.name.clone()).collect();
    let spawn = spawn(scene);
    let group = |name: &str, rest: &str| {
        let name = if taken.contains(&name.to_owned()) { free_name(name, &taken) } else { name.to_owned() };
        Effect::Add {
            path: "groups".into(),
            value: format!("(name: {name:?}, count: {NEW_MEMBERS}, spawn: {spawn}{rest})"),
        }
    };
    let simple: [(&str, &str, &str, &str); 4] = [
        (
            "Wandering robots",
            "Discs that wander at random, without sensors: a start for any behaviour",
            "wanderers",
            ", controller: Levy()",
        ),
        (
            "Robots that drive straight",
            "Discs that drive straight ahead, without sensors",
            "drivers",
            ", controller: Constant(v_m_per_s: 0.2)",
        ),
        (
            "Robots that see each other",
            "Discs with a field of view that turn one way when they see a robot, and the other way when they see none",
            "watchers",
            ", sensors: [BinaryFov()], controller: Binary(detected: (v_m_per_s: 0.2, turn_rad_per_s: 0.5), \
             clear: (v_m_per_s: 0.2, turn_rad_per_s: -0.5))",
        ),
        ("Robots that stand still", "Discs that stand still, without sensors", "robots", ""),
    ];
    let simple = simple.into_iter().map(|(name, about, group_name, rest)| Choice {
        synonyms: vec!["robots", "group", "swarm", "agents", "new robots"],
        ..Choice::new(name, about, SIMPLE, "group", group(group_name, rest))
    });
    let models = ROBOTS.all().map(|(name, text)| Choice {
        ident: name.into(),
        synonyms: vec!["robots", "group", "swarm", "model", "real robot"],
        ..Choice::new(
            &capital(&name.replace('_', " ")),
            &presets::about(text),
            "Robot models",
            "group",
            group(name, &format!(", robot: {name:?}, controller: Levy(v_m_per_s: 0.05)")),
        )
    });
    let ready = READY.iter().filter_map(|ready| {
        let is_taken = taken.iter().any(|name| name == ready.group);
        let name = if is_taken { free_name(ready.group, &taken) } else { ready.group.to_owned() };
        let value = ready.text(kinds, &name, NEW_MEMBERS, &spawn)?;
        let effect = Effect::Add { path: "groups".into(), value };
        let synonyms = ready.synonyms.iter().copied().chain(["robots", "group", "swarm"]).collect();
        Some(Choice { synonyms, ..Choice::new(ready.name, ready.about, "Ready-made", ready.icon, effect) })
    });
    ready.chain(simple).chain(models).collect()
}

/// Returns a group of objects for each kind of objects.
fn object_groups(kinds: &Kinds, scene: &Scene) -> Vec<Choice> {
    let taken: Vec<String> = scene.object_groups.iter().map(|group| group.name.clone()).collect();
    let mut choices = of_family(kinds, scene, ObjectFamily::NAME, "object_groups");
    for choice in &mut choices {
        let Effect::Add { value, .. } = &mut choice.effect else { continue };
        let name = format!("{}s", choice.name.to_lowercase().replace(' ', "-"));
        let name = if taken.contains(&name) { free_name(&name, &taken) } else { name };
        *value = format!("(name: {name:?}, count: {NEW_MEMBERS}, object: {value}, spawn: {})", spawn(scene));
        choice.about = format!("{NEW_MEMBERS} of: {}", choice.about);
    }
    choices
}

/// Returns scalar fields.
fn fields(scene: &Scene) -> Vec<Choice> {
    let taken: Vec<String> = scene.fields.iter().map(|field| field.name.clone()).collect();
    let kinds: [(&str, &str, &str, &str, &[&str]); 3] = [
        (
            "Pheromone",
            "A field that evaporates and spreads slowly: robots with an emitter mark the ground, and a field sensor reads it",
            "pheromone",
            "evaporation_per_s: 0.05, diffusion_m2_per_s: 0.001",
            &["trail", "smell", "chemical", "ants", "stigmergy"],
        ),
        (
            "Lasting marks",
            "A field that neither evaporates nor spreads, such as visited ground",
            "marks",
            "",
            &["memory", "trail", "visited", "paint"],
        ),
        (
            "Spreading substance",
            "A field that spreads and does not evaporate, such as heat or a gas",
            "substance",
            "diffusion_m2_per_s: 0.05",
            &["gas", "heat", "diffusion", "plume", "smoke"],
        ),
    ];
    kinds
        .into_iter()
        .map(|(name, about, field, rest, synonyms)| {
            let field = if taken.contains(&field.to_owned()) { free_name(field, &taken) } else { field.to_owned() };
            let gap = if rest.is_empty() { "" } else { ", " };
            let value = format!("(name: {field:?}{gap}{rest})");
            let effect = Effect::Add { path: "fields".into(), value };
            Choice { synonyms: synonyms.to_vec(), ..Choice::new(name, about, "Scalar fields", "field", effect) }
        })
        .collect()
}

/// Returns the parameters that can become controls.
fn controls(lab: &Lab) -> Vec<Choice> {
    let new = new_controls(lab);
    new.into_iter()
        .map(|control| Choice {
            ident: control.path.clone(),
            ..Choice::new(&control.label, &control.about, &control.section, "control", Effect::Control(control.path))
        })
        .collect()
}

/// Returns the numbers of robots that can be plotted.
fn pins(lab: &Lab) -> Vec<Choice> {
    let simulation = lab.run.host.simulation();
    let selected = lab.plots.history.selected();
    let Some(number) = selected.or_else(|| simulation.members().first().map(|(number, _)| *number)) else {
        return Vec::new();
    };
    let robot = swarmarium_lab_state::common::selection::robot_name(simulation, number);
    let numbers: [(&str, &str, &[&str]); 4] = [
        ("speed_m_per_s", "Speed", &["how fast", "velocity"]),
        ("x_m", "Position along x", &["where", "coordinate"]),
        ("y_m", "Position along y", &["where", "coordinate"]),
        ("heading_rad", "Heading", &["direction", "angle"]),
    ];
    let pinned: Vec<&str> = lab.plots.history.pins().collect();
    numbers
        .into_iter()
        .map(|(field, name, synonyms)| (format!("agents.{number}.{field}"), name, synonyms))
        .filter(|(path, ..)| !pinned.contains(&path.as_str()))
        .map(|(path, name, synonyms)| Choice {
            synonyms: synonyms.to_vec(),
            ident: path.clone(),
            ..Choice::new(
                &format!("{name} of {robot}"),
                "Plots this number over time, without a restart; select another robot to plot its numbers",
                "Numbers of a robot",
                "plot",
                Effect::Pin(path),
            )
        })
        .collect()
}

/// Returns everything that a group can get.
fn of_group(kinds: &Kinds, scene: &Scene, place: usize) -> Vec<Choice> {
    let Some(group) = scene.groups.get(place) else { return Vec::new() };
    let of = |family: &'static str, part: &str, section: &str| {
        let mut choices = of_family(kinds, scene, family, &format!("groups.{place}.{part}"));
        for choice in &mut choices {
            choice.section = format!("{section}: {}", choice.section.to_lowercase());
        }
        choices
    };
    let mut choices = optional(place, group);
    choices.extend(of("sensor", "sensors", "Sensor"));
    choices.extend(of("controller", "controller", "Controller, replaces"));
    choices.extend(of("motion", "motion", "Motion model, replaces"));
    choices.extend(of("spawner", "spawn", "Spawner, replaces"));
    choices
}

/// Returns the optional parts that a group lacks.
fn optional(place: usize, group: &Group) -> Vec<Choice> {
    let has = [group.radio.is_some(), group.gripper.is_some(), group.emitter.is_some(), group.leds.is_some()];
    let docs = [docs::<Radio>(), docs::<Gripper>(), docs::<Emitter>(), docs::<Leds>()];
    let all = OPTIONAL.into_iter().zip(has).zip(docs).filter(|((_, has), _)| !has);
    all.map(|(((part, name, synonyms), _), about)| {
        let effect = Effect::Add { path: format!("groups.{place}.{part}"), value: first_value(part).into() };
        Choice { synonyms: synonyms.to_vec(), ..Choice::new(name, &about, "Parts", icon_of(part), effect) }
    })
    .collect()
}

fn docs<T: bevy::reflect::Typed>() -> String {
    plain_docs(&describe::trim(T::type_info().docs()))
}

/// Returns the name of the picture of an optional part.
fn icon_of(part: &str) -> &'static str {
    OPTIONAL.iter().map(|(name, ..)| *name).find(|name| *name == part).unwrap_or("part")
}

#[cfg(test)]
mod tests {
    use swarmarium_formats::standard::Standard as _;
    use swarmarium_simulation::simulation::Recipe;

    #[test]
    fn kinds_of_the_catalogue_have_a_section_and_words() {
        let recipe = Recipe::standard();
        let families = ["actuator", "controller", "metric", "motion", "object", "sensor", "spawner"];
        let all = families.iter().flat_map(|family| recipe.kinds().family(family));
        let without: Vec<_> = all.filter(|kind| kind.section().is_none() || kind.words().next().is_none()).collect();
        let names: Vec<&str> = without.iter().map(|kind| kind.name).collect();
        assert_eq!(names, ["Gone"], "the placeholder of removed objects alone is in no catalogue");
    }
}
