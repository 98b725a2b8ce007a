//! Random scenes of all kinds with random edits: every way of running one gives the same states.
//!
//! A scene begins with a kind, which is put where the reflection of a scene has a place for its family; then some more
//! kinds and parameters change. `RANDOM_SCENES=1000 cargo test --release random_scenes` tries more of them.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use bevy::math::DVec2;
use bevy::reflect::TypeInfo;
use swarmarium::cli::verify::matrix;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{Kinds, ReflectSlot};
use swarmarium_core::step::Workers;
use swarmarium_core::text::values;
use swarmarium_formats::standard::Standard as _;
use swarmarium_scene::scene::path::{self as paths, Leaf};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, reader, shipped};
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::choices::{Choices, rounds, try_rounds};
use crate::support::{hashes, path};

const STEPS: u64 = 40;

/// A scene with a place for every family but the behaviours, which shipped scenes have.
const BASE: &str = r#"(
    arena: (size_m: (6.0, 5.0), boundary: Walls),
    groups: [
        (
            name: "a",
            count: 5,
            spawn: UniformBox(min_m: (0.5, 0.5), max_m: (4.0, 4.0)),
            body: Disc(radius_m: 0.1),
            sensors: [BinaryFov(noise: [Flip(false_positive: 0.1)]), Proximity(rays: 6)],
            controller: Binary(clear: (v_m_per_s: 0.3), detected: (v_m_per_s: 0.2, turn_rad_per_s: 0.5)),
            radio: Some((loss: Bernoulli(probability: 0.1))),
            leds: (color: "orange"),
            emitter: Some((field: "scent", always: true)),
        ),
        (
            name: "b",
            team: "blue",
            at: [(4.5, 1.0, 0.3), (4.5, 2.0, 1.0), (4.5, 3.0, 2.0)],
            motion: DifferentialDrive(),
            controller: External(actuators: [MotionVw()]),
        ),
    ],
    objects: [
        Disc(name: "post", center_m: (5.5, 4.5), radius_m: 0.2),
        Disc(name: "ball", center_m: (2.2, 2.3), radius_m: 0.25, movable: (mass_kg: 2.0)),
        Polygon(corners_m: [(4.7, 0.9), (5.2, 0.9), (5.2, 1.4), (4.7, 1.4)], movable: (density_kg_per_m2: 3.0)),
    ],
    fields: [(
        name: "scent",
        cell_m: 0.25,
        diffusion_m2_per_s: 0.02,
        evaporation_per_s: 0.1,
        sources: [(object: "post")],
    )],
    metrics: [Scatter(), TotalCollisions(), FieldTotal()],
)"#;

/// Parts of a scene that results do not depend on, or that make a run wait for clients.
const LEFT_ALONE: [&str; 8] =
    ["format", "metadata", "view", "sockets", "time.pacing", "time.epoch", "controls", "constants"];

/// Places for kinds: of slots, and of lists of slots, each with the family and the path.
#[derive(Default)]
struct Places {
    slots: Vec<(&'static str, String)>,
    lists: Vec<(&'static str, String)>,
}

impl Places {
    fn of(kinds: &Kinds, scene: &Scene) -> Self {
        let mut places = Self::default();
        places.collect(kinds, &Leaf::root(scene));
        places
    }

    fn collect(&mut self, kinds: &Kinds, leaf: &Leaf) {
        let slot = |type_id| kinds.types().get_type_data::<ReflectSlot>(type_id);
        for part in paths::parts(kinds, leaf).filter(is_changed) {
            if let Some(slot) = slot(part.value.as_any().type_id()) {
                self.slots.push((slot.family, part.path.clone()));
            }
            if let TypeInfo::List(list) = part.value.reflect_type_info()
                && let Some(slot) = slot(list.item_ty().id())
            {
                self.lists.push((slot.family, part.path.clone()));
            }
            self.collect(kinds, &part);
        }
    }
}

fn is_changed(leaf: &Leaf) -> bool {
    !LEFT_ALONE.iter().any(|part| leaf.path.starts_with(part))
}

/// Puts a kind with its default parameters into one of the places for its family, or adds it to a list.
fn put(kinds: &Kinds, choices: &mut Choices, scene: &mut Scene, family: &str, name: &str) -> bool {
    let Places { slots, lists } = Places::of(kinds, scene);
    let of_family = |(found, path): &(&'static str, String)| (*found == family).then(|| path.clone());
    let slots: Vec<String> = slots.iter().filter_map(of_family).collect();
    let lists: Vec<String> = lists.iter().filter_map(of_family).collect();
    let place = choices.below(slots.len() + lists.len());
    let (path, text) = match place.checked_sub(slots.len()) {
        None => (&slots[place], format!("{name}()")),
        Some(place) => {
            let Some(path) = lists.get(place) else { return false };
            let Ok(list) = paths::get(kinds, scene, path) else { return false };
            let members = write(kinds, list, Style::Full);
            let members = members.trim().trim_start_matches('[').trim_end_matches(']');
            (path, format!("[{name}(), {members}]"))
        }
    };
    paths::set(kinds, scene, path, &text).is_ok()
}

/// Changes one parameter.
fn change(kinds: &Kinds, choices: &mut Choices, scene: &mut Scene) -> bool {
    let leaves: Vec<Leaf> = paths::leaves(kinds, scene).into_iter().filter(is_changed).collect();
    let leaf = choices.one(&leaves);
    let Some(value) = another_value(choices, leaf) else { return false };
    let path = leaf.path.clone();
    paths::set(kinds, scene, &path, &value).is_ok()
}

/// Another value of a parameter: moderate, so that a run stays short.
fn another_value(choices: &mut Choices, leaf: &Leaf) -> Option<String> {
    let Limits { min, max, .. } = leaf.limits.unwrap_or(Limits::FINITE);
    if let Some(value) = leaf.value.downcast_ref::<f64>() {
        let near = [value * 2.0, value * 0.5, value + 0.1, value - 0.3, -value, 0.0, 1.0, 0.05, min, max];
        let value = choices.one(&near).clamp(min, max).clamp(-20.0, 20.0);
        return Some(format!("{value:?}"));
    }
    if let Some(value) = leaf.value.downcast_ref::<bool>() {
        return Some((!value).to_string());
    }
    if let Some(value) = leaf.value.downcast_ref::<DVec2>() {
        let moved = *value + DVec2::new(*choices.one(&[-0.5, 0.0, 0.7]), *choices.one(&[-0.5, 0.0, 0.7]));
        return Some(format!("({:?}, {:?})", moved.x, moved.y));
    }
    if values::integer_range(leaf.value.as_any().type_id()).is_some() {
        let value = values::number(leaf.value)?;
        let value = choices.one(&[value + 1.0, value - 1.0, 0.0, 1.0, 2.0, 3.0, 8.0]).clamp(min, max);
        return Some(value.to_string()).filter(|_| (0.0..=200.0).contains(&value));
    }
    if let TypeInfo::Enum(info) = leaf.value.reflect_type_info() {
        let variant = choices.one(info.variant_names());
        return Some(match *variant {
            "Some" => choices.one(&["Some(1.0)", "Some(0.2)", "Some(1)", "Some(())"]).to_string(),
            variant if choices.below(2) == 0 => variant.to_owned(),
            variant => format!("{variant}()"),
        });
    }
    None
}

/// Whether a scene is valid and small enough to run often.
fn is_fine(recipe: &Recipe, scene: &Scene) -> bool {
    let robots: u32 = scene.groups.iter().map(swarmarium::prelude::Group::agents).sum();
    robots <= 60 && Simulation::with(scene, recipe, 1).is_ok()
}

/// The example of a kind, with its file; most metrics have none.
fn example(family: &str, name: &str) -> Option<(String, String)> {
    let plural = if family == "loss" { "losses".into() } else { format!("{family}s") };
    let file = path(&format!("docs/examples/kinds/{plural}/{name}.ron"));
    if !file.exists() {
        return None;
    }
    Some((file.to_str()?.to_owned(), fs::read_to_string(&file).unwrap()))
}

/// A random scene with a kind; `None` if no place for it was found.
fn scene_with(recipe: &Recipe, choices: &mut Choices, family: &str, name: &str) -> Option<Scene> {
    let kinds = recipe.kinds();
    let shipped: Vec<&str> = shipped::all().map(|(_, text)| text).collect();
    for attempt in 0..30 {
        // Some kinds need parameters or company that only their example has.
        let example = (attempt % 3 == 1).then(|| example(family, name)).flatten();
        let has_it = example.is_some();
        let (file, text) = example.unwrap_or_else(|| {
            ("random.ron".into(), if attempt % 3 == 2 { *choices.one(&shipped) } else { BASE }.into())
        });
        let mut scene: Scene = reader::read(kinds, &file, &text).unwrap();
        scene.seed = choices.below(1 << 20) as u64;
        for group in &mut scene.groups {
            group.count = group.count.min(12);
        }
        if !(has_it || put(kinds, choices, &mut scene, family, name)) || !is_fine(recipe, &scene) {
            continue;
        }
        for _ in 0..choices.below(12) {
            let mut changed = scene.clone();
            let is_changed = if choices.below(3) == 0 {
                let family = *choices.one(kinds.family_names());
                let names: Vec<&str> = kinds.family(family).map(|kind| kind.name).collect();
                let name = *choices.one(&names);
                put(kinds, choices, &mut changed, family, name)
            } else {
                change(kinds, choices, &mut changed)
            };
            if is_changed && is_fine(recipe, &changed) {
                scene = changed;
            }
        }
        return Some(scene);
    }
    None
}

/// The first difference between the ways of running a scene; `None` if they agree.
fn difference(recipe: &Recipe, scene: &Scene) -> Option<String> {
    let compared = matrix(scene, recipe, STEPS, &[], &|_| ());
    match compared {
        Ok(matrix) if matrix.is_fine() => {}
        Ok(matrix) => return Some(matrix.to_string()),
        Err(error) => return Some(error.to_string()),
    }
    // So few robots are not shared between threads otherwise.
    let run = |workers| hashes(&mut Simulation::with_workers(scene, recipe, workers).unwrap(), STEPS);
    (run(Workers::new(1)) != run(Workers::eager(3))).then(|| "three eager threads".into())
}

#[test]
fn random_scenes_have_the_same_states_however_they_run() {
    let recipe = Recipe::standard();
    let kinds = recipe.kinds();
    let all: Vec<(&str, &str)> = (kinds.family_names().iter())
        .flat_map(|family| kinds.family(family).map(|kind| (*family, kind.name)))
        .collect();
    let rounds = rounds("RANDOM_SCENES", 8);
    let tried = Mutex::new(BTreeSet::new());
    try_rounds(rounds, |round| {
        // A stride without a common divisor: few rounds meet kinds of all families.
        let (family, name) = all[round * 61 % all.len()];
        let scene = scene_with(&recipe, &mut Choices::new(round as u64), family, name)?;
        tried.lock().unwrap().insert((family, name));
        let found = catch_unwind(AssertUnwindSafe(|| difference(&recipe, &scene)));
        let fault = found.unwrap_or_else(|_| Some("panics".into()))?;
        Some(format!("{name}: {fault}\n{}", write(kinds, &scene, Style::Short)))
    });
    let tried = tried.into_inner().unwrap();
    let missed: Vec<_> = all.iter().filter(|kind| !tried.contains(kind)).collect();
    assert!(rounds < all.len() || missed.is_empty(), "no scene with {missed:?}");
}
