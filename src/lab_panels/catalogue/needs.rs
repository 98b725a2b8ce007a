//! The needs of entries that do not fit alone: another motion model, a radio or a field, which one change adds as well.

use swarmarium_core::kind::Family as _;
use swarmarium_core::motion::MotionFamily;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::kind_label;
use swarmarium_lab_state::edit::parts::{self, OPTIONAL_PARTS};
use swarmarium_scene::check;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::{Edit, parts as scene_parts};
use swarmarium_simulation::simulation::Simulation;

use crate::catalogue::choices::{Effect, group_of};

/// Motion models in the order in which they are offered, each with the need that it meets, in words.
const MOTIONS: [(&str, &str); 4] = [
    ("DifferentialDrive", "wheels"),
    ("Unicycle", "a speed and a turn rate"),
    ("Holonomic", "motion in any direction"),
    ("Ackermann", "steered wheels"),
];

/// The field of a scene that has none.
const FIELD: &str = "(name: \"pheromone\", evaporation_per_s: 0.05, diffusion_m2_per_s: 0.001)";

/// The need of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// The need in words: `wheels`.
    pub what: String,
    /// The part that meets it: `Differential drive`.
    pub with: String,
    /// The edits that add the part, and then the entry.
    pub edits: Vec<Edit>,
}

impl Need {
    /// Returns the line of the entry: `Needs wheels: use with Differential drive`.
    pub fn text(&self) -> String {
        format!("Needs {}: use with {}", self.what, self.with)
    }

    /// Finds the part with which an entry fits that does not fit alone; `None` if no single part suffices.
    pub fn of(lab: &Lab, effect: &Effect) -> Option<Self> {
        let Effect::Add { path, value } = effect else { return None };
        let simulation = lab.run.host.simulation();
        let place = group_of(path)?;
        let fits = |part: &Edit| {
            let entry = parts::adding(simulation, path, value);
            (simulation.check(part).is_ok() && fit_together(simulation, [part, &entry])).then_some(entry)
        };
        candidates(simulation, place).find_map(|(what, with, part)| {
            let entry = fits(&part)?;
            Some(Self { what, with, edits: vec![part, entry] })
        })
    }
}

/// Whether two edits, one after the other, give a scene that can be simulated.
fn fit_together(simulation: &Simulation, edits: [&Edit; 2]) -> bool {
    let mut scene: Scene = simulation.scene_ahead().clone();
    edits.iter().all(|edit| scene_parts::change(simulation.kinds(), &mut scene, edit).is_ok())
        && check::fit(simulation.world(), &scene).is_empty()
}

/// Returns parts that a group can get, each with the need that it meets in words, its name and the edit.
fn candidates(simulation: &Simulation, place: usize) -> impl Iterator<Item = (String, String, Edit)> {
    let scene = simulation.scene_ahead();
    let known = MOTIONS.iter().map(|(name, _)| *name);
    let all = simulation.kinds().family(MotionFamily::NAME).map(|kind| kind.name);
    let others = all.filter(|name| MOTIONS.iter().all(|(known, _)| known != name));
    let motions = known.chain(others).map(move |name| {
        let with = kind_label(name);
        let what = MOTIONS.iter().find(|(known, _)| *known == name).map(|(_, what)| (*what).to_owned());
        let what = what.unwrap_or_else(|| format!("the motion model {with}"));
        (what, with, Edit::Set { path: format!("groups.{place}.motion"), value: format!("{name}()") })
    });
    let group = scene.groups.get(place);
    let set = move |part: &str, value: &str| Edit::Set { path: format!("groups.{place}.{part}"), value: value.into() };
    let situated = match group.map(|group| group.radio.is_some()) {
        Some(true) => set("radio.situated", "true"),
        _ => set("radio", "Some((situated: true))"),
    };
    let situated = ("the positions of senders".to_owned(), "a radio that measures them".to_owned(), situated);
    let lacks = move |part: &str| match part {
        "radio" => group.is_some_and(|group| group.radio.is_none()),
        "gripper" => group.is_some_and(|group| group.gripper.is_none()),
        _ => false,
    };
    let optional = OPTIONAL_PARTS.iter().filter(move |(part, _)| lacks(part));
    let optional = optional.map(move |(part, value)| (format!("a {part}"), format!("a {part}"), set(part, value)));
    let field = scene.fields.is_empty().then(|| {
        let edit = Edit::Add { list: "fields".into(), value: FIELD.into() };
        ("a field".to_owned(), "a pheromone field".to_owned(), edit)
    });
    optional.chain([situated]).chain(field).chain(motions)
}
