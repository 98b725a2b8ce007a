//! Batches: simulations that take turns in the world of one are the same as simulations alone, step by step.

use std::ops::Range;
use std::sync::Arc;

use bevy::math::DVec2;
use swarmarium::agent::CommandForm;
use swarmarium::batch::{Batch, Start};
use swarmarium::draw::{Overlay, View};
use swarmarium::edit::Edit;
use swarmarium::kinds::Standard as _;
use swarmarium::picture::Picture;
use swarmarium::scene::Scene;
use swarmarium::{Recipe, Simulation};

use crate::support::choices::{Choices, rounds, try_rounds};
use crate::support::{scene, scene_of, shipped_scenes};

/// Steps after which states are compared: each of the first ones, and some later ones.
const COMPARED: [u64; 6] = [1, 2, 3, 5, 10, 30];

/// Simulations of a scene in a batch, and the same ones alone.
struct Both {
    recipe: Recipe,
    batch: Batch,
    alone: Vec<Simulation>,
}

fn start(scene: &Arc<Scene>, seed: u64) -> Start {
    Start { scene: scene.clone(), seed }
}

fn starts(scene: &Arc<Scene>, seeds: Range<u64>) -> Vec<Start> {
    seeds.map(|seed| start(scene, seed)).collect()
}

fn alone(recipe: &Recipe, scene: &Scene, seed: u64) -> Simulation {
    Simulation::with(&Scene { seed, ..scene.clone() }, recipe, 1).unwrap_or_else(|problems| panic!("{problems}"))
}

impl Both {
    fn new(scene: &Arc<Scene>, count: u64, threads: usize) -> Self {
        let recipe = Recipe::standard();
        let batch = Batch::new(&recipe, starts(scene, 0..count), threads)
            .unwrap_or_else(|(place, problems)| panic!("{place}: {problems}"));
        let alone = (0..count).map(|seed| alone(&recipe, scene, seed)).collect();
        Self { recipe, batch, alone }
    }

    fn each(&mut self, act: impl Fn(usize, &mut Simulation) + Sync) {
        let in_batch = |place, simulation: &mut Simulation| {
            act(place, simulation);
            Ok(())
        };
        self.batch.each(&in_batch).unwrap();
        self.alone.iter_mut().enumerate().for_each(|(place, simulation)| act(place, simulation));
    }

    fn step(&mut self, steps: u64) {
        self.each(|_, simulation| simulation.step(steps));
    }

    fn restart(&mut self, starts: Vec<(usize, Start)>) {
        for (place, Start { scene, seed }) in &starts {
            self.alone[*place] = alone(&self.recipe, scene, *seed);
        }
        self.batch.restart(starts).unwrap_or_else(|(place, problems)| panic!("{place}: {problems}"));
    }

    fn edit(&mut self, place: usize, edit: &Edit) {
        let results = [&mut self.alone[place], self.batch.own(place)].map(|simulation| simulation.apply(edit.clone()));
        assert_eq!(results[0], results[1], "{edit:?}");
    }

    /// The first difference; `None` if all simulations are equal.
    fn difference(&mut self) -> Option<String> {
        let Self { batch, alone, .. } = self;
        (0..alone.len()).find_map(|place| {
            let alone = &alone[place];
            batch
                .view(place, |simulation| difference(simulation, alone))
                .map(|found| format!("simulation {place}: {found}"))
        })
    }

    #[track_caller]
    fn check(&mut self, when: &str) {
        assert_eq!(self.difference(), None, "{when}");
    }
}

/// The first difference between two simulations, beginning with their hashes.
fn difference(one: &Simulation, other: &Simulation) -> Option<String> {
    let texts = |simulation: &Simulation| {
        let events: Vec<_> =
            simulation.events().iter().map(|event| (event.step, event.who, event.text.to_string())).collect();
        [
            ("hash", format!("{:?}", simulation.hash())),
            ("steps", simulation.steps().to_string()),
            ("metrics", format!("{:?} {:?}", simulation.metrics(), simulation.observed())),
            ("end", format!("{} {:?}", simulation.is_at_end(), simulation.end_reason())),
            ("events", format!("{events:?}")),
            ("packets", format!("{:?}", simulation.packets())),
            ("edits", format!("{:?}", simulation.edits().len())),
            ("seed", format!("{:?}", simulation.scene().seed)),
        ]
    };
    let different = texts(one).into_iter().zip(texts(other)).find(|(one, other)| one != other)?;
    Some(format!("{different:?}, agent {:?}", one.first_different_agent(other)))
}

fn step_to(batch: &mut Batch, step: u64) {
    let act = |_, simulation: &mut Simulation| {
        simulation.step(step - simulation.steps());
        Ok(())
    };
    batch.each(&act).unwrap();
}

/// The number of simulations in each batch, and whether states are compared at every step: `BATCH_ARENAS` in the
/// environment, which `.ci/run --long` raises.
fn size() -> (u64, Vec<u64>) {
    match rounds("BATCH_ARENAS", 3) as u64 {
        count @ 0..=3 => (count, COMPARED.to_vec()),
        count => (count, (1..=30).collect()),
    }
}

/// A simulation as it is seen: its hashes at some steps, and its picture with trails after the last of them.
#[derive(PartialEq)]
struct Seen {
    hashes: Vec<u64>,
    picture: Picture,
}

/// The picture of a simulation, with trails.
fn picture(simulation: &Simulation) -> Picture {
    let mut view = View::fit(simulation.scene(), DVec2::splat(600.0));
    view.overlays.set(Overlay::Trails, true);
    simulation.picture(&view)
}

/// The simulations of a batch as they are seen at some steps, by place.
fn seen_in_batch(recipe: &Recipe, scene: &Arc<Scene>, (count, steps): &(u64, Vec<u64>), threads: usize) -> Vec<Seen> {
    let seeds = scene.seed..scene.seed + count;
    let mut batch =
        Batch::new(recipe, starts(scene, seeds), threads).unwrap_or_else(|(_, problems)| panic!("{problems}"));
    let mut hashes = vec![Vec::new(); *count as usize];
    for step in [0].iter().chain(steps) {
        step_to(&mut batch, *step);
        let now = batch.view_each(&|_, simulation| simulation.hash().0);
        hashes.iter_mut().zip(now).for_each(|(all, now)| all.push(now));
    }
    let pictures = batch.view_each(&|_, simulation| picture(simulation));
    hashes.into_iter().zip(pictures).map(|(hashes, picture)| Seen { hashes, picture }).collect()
}

#[test]
fn shipped_scenes_have_the_same_states_in_a_batch() {
    let (recipe, size) = (Recipe::standard(), size());
    let files = shipped_scenes();
    try_rounds(files.len(), |round| {
        let file = &files[round];
        let scene = Arc::new(scene(file));
        let [one, two] = [1, 2].map(|threads| seen_in_batch(&recipe, &scene, &size, threads));
        let different = one.into_iter().zip(two).zip(scene.seed..).position(|((one, two), seed)| {
            let mut alone = alone(&recipe, &scene, seed);
            let hashes = [0].iter().chain(&size.1).map(|step| {
                alone.step(step - alone.steps());
                alone.hash().0
            });
            let seen = Seen { hashes: hashes.collect(), picture: picture(&alone) };
            one != seen || two != seen
        });
        different.map(|place| format!("{file}: simulation {place}"))
    });
}

/// The shipped scenes whose simulations share no world.
const WITH_OWN_WORLDS: [&str; 2] = ["scenes/formation-faults.ron: faults", "scenes/template.ron: faults"];

#[test]
fn shipped_scenes_share_a_world_but_for_few() {
    let recipe = Recipe::standard();
    let has_own = |file: &String| {
        let scene = Arc::new(scene(file));
        let mut batch = Batch::new(&recipe, starts(&scene, 0..3), 1).unwrap();
        let first = batch.places_with_own_world();
        step_to(&mut batch, 50);
        let then = batch.places_with_own_world();
        let reason = if scene.faults.is_empty() { format!("{first:?} {then:?}") } else { "faults".into() };
        (!then.is_empty()).then(|| format!("{file}: {reason}"))
    };
    let found: Vec<String> = shipped_scenes().iter().filter_map(has_own).collect();
    assert_eq!(found, WITH_OWN_WORLDS);
}

/// Robots that a program commands; those with `catastrophic_collisions` die.
fn commanded(settings: &str, motion: &str) -> Arc<Scene> {
    Arc::new(scene_of(&format!(
        r#"(
            arena: (size_m: (4.0, 4.0), boundary: Walls),
            {settings}
            groups: [
                (name: "led", count: 3, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (3.5, 3.5)), body: Disc(radius_m: 0.1),
                    motion: {motion}, sensors: [Proximity(rays: 4), BinaryFov(noise: [Flip(false_positive: 0.1)])],
                    controller: External()),
                (name: "own", count: 2, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (3.5, 3.5)), body: Disc(radius_m: 0.1),
                    motion: Unicycle(motion_variation: (speed: (std_dev: 0.2))), sensors: [BinaryFov()],
                    controller: Levy(), radio: Some((loss: Bernoulli(probability: 0.3)))),
            ],
            objects: [
                Disc(name: "post", center_m: (2.0, 2.0), radius_m: 0.2),
                Region(name: "goal", area: Polygon(corners_m: [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)])),
            ],
            metrics: [Scatter(), TotalCollisions(), Formula(value: "previous.scatter - scatter", label: "change")],
        )"#
    )))
}

const SCENES: [(&str, &str); 8] = [
    ("", "Unicycle()"),
    ("", "Unicycle(catastrophic_collisions: true)"),
    ("", "DifferentialDrive()"),
    ("on_collision: Stop,", "Unicycle()"),
    ("on_collision: Pause,", "Unicycle()"),
    ("order: Sequential,", "Unicycle(catastrophic_collisions: true)"),
    ("order: Sequential, random_source: Classic, overlap_resolution: Classic,", "Unicycle()"),
    ("delivery: SameStep, spawn_before_first_step: true,", "Unicycle()"),
];

/// Does something random with one or all simulations of both.
fn act(both: &mut Both, choices: &mut Choices, scene: &Arc<Scene>) -> String {
    let count = both.alone.len();
    let place = choices.below(count);
    match choices.below(10) {
        0..=3 => {
            let steps = 1 + choices.below(12) as u64;
            both.step(steps);
            format!("{steps} steps")
        }
        4..=5 => {
            let values: Vec<f64> = (0..6 * count).map(|_| choices.below(100) as f64 / 50.0 - 1.0).collect();
            both.each(|place, simulation| {
                // Robots that edits have removed take no commands.
                let _ = simulation.command(CommandForm::Drive, &[0, 1, 2], &values[6 * place..][..6]);
                simulation.step(1);
            });
            "commands".into()
        }
        6 => {
            let edits = [
                Edit::Move { agent: 0, x_m: 1.0, y_m: 1.5, heading_rad: 1.0 },
                Edit::Set { path: "groups.led.sensors[0].range_m".into(), value: "0.7".into() },
                Edit::Spawn { group: "own".into(), x_m: 3.0, y_m: 3.0, heading_rad: 0.0 },
                Edit::Remove { path: "agents.1".into() },
                Edit::Suspend { is_suspended: true },
                Edit::Set { path: "seed".into(), value: "77".into() },
            ];
            let edit = choices.one(&edits);
            both.edit(place, edit);
            format!("edit of {place}: {edit:?}")
        }
        7..=8 => {
            let mut begun = Vec::new();
            for _ in 0..=choices.below(count) {
                let place = choices.below(count);
                if begun.iter().all(|(known, _)| *known != place) {
                    let seed =
                        if choices.below(2) == 0 { both.batch.start(place).seed } else { choices.below(1000) as u64 };
                    begun.push((place, start(scene, seed)));
                }
            }
            let told =
                format!("restarts {:?}", begun.iter().map(|(place, start)| (place, start.seed)).collect::<Vec<_>>());
            both.restart(begun);
            told
        }
        _ => {
            let failed = both.batch.each(&|at, simulation| {
                assert!(at != place, "this one fails");
                simulation.step(1);
                Ok(())
            });
            let (at, message) = failed.unwrap_err();
            assert!(at == place && message.contains("this one fails"), "{at}: {message}");
            let others = both.alone.iter_mut().enumerate().filter(|(at, _)| *at != place);
            others.for_each(|(_, simulation)| simulation.step(1));
            format!("panic of {place}")
        }
    }
}

#[test]
fn commands_edits_deaths_and_restarts_happen_to_one_simulation_alone() {
    let rounds = rounds("BATCH_ARENAS", SCENES.len());
    try_rounds(rounds, |round| {
        let mut choices = Choices::new(round as u64);
        let (settings, motion) = SCENES[round % SCENES.len()];
        let scene = commanded(settings, motion);
        let mut both = Both::new(&scene, 4, 1 + round % 2);
        let mut acts = Vec::new();
        (0..20).find_map(|_| {
            acts.push(act(&mut both, &mut choices, &scene));
            both.difference().map(|found| format!("{settings} {motion}: {found}\nafter {acts:#?}"))
        })
    });
}

#[test]
fn commands_and_restarts_do_not_end_the_sharing() {
    for (settings, motion) in SCENES {
        let scene = commanded(settings, motion);
        let mut both = Both::new(&scene, 4, 2);
        assert_eq!(both.batch.places_with_own_world(), [0_usize; 0], "{settings} {motion}");
        both.each(|_, simulation| simulation.command(CommandForm::Drive, &[1], &[0.1, 0.2]).unwrap());
        both.step(3);
        both.restart(vec![(2, start(&scene, 9)), (0, start(&scene, 0))]);
        both.step(3);
        both.check(settings);
        if !motion.contains("catastrophic") {
            assert_eq!(both.batch.places_with_own_world(), [0_usize; 0], "{settings} {motion}");
        }
    }
}

#[test]
fn what_a_shared_world_cannot_keep_is_refused() {
    let scene = commanded("", "Unicycle()");
    let mut both = Both::new(&scene, 3, 1);
    let edit = Edit::Move { agent: 0, x_m: 1.0, y_m: 1.5, heading_rad: 1.0 };
    let done = both.batch.each(&|place, simulation| match place {
        1 => simulation.apply(edit.clone()).map_err(|problem| problem.to_string()),
        _ => Ok(()),
    });
    let (place, message) = done.unwrap_err();
    assert!(place == 1 && message.contains("`Batch::own`"), "{message}");
    both.restart(vec![(1, start(&scene, 5))]);
    both.step(5);
    both.check("after an edit in a shared world");
    assert_eq!(both.batch.places_with_own_world(), [0_usize; 0]);
}

#[test]
fn another_scene_has_a_world_of_its_own_until_the_next_start() {
    let [scene, other] = [("", "Unicycle()"), ("order: Sequential,", "Unicycle()")].map(|(a, b)| commanded(a, b));
    let mut both = Both::new(&scene, 3, 1);
    both.restart(vec![(1, start(&other, 1))]);
    both.step(5);
    both.check("with another scene");
    assert_eq!(both.batch.places_with_own_world(), [1]);
    both.restart(vec![(1, start(&scene, 1))]);
    both.step(5);
    both.check("with the scene of the batch again");
    assert_eq!(both.batch.places_with_own_world(), [0_usize; 0]);
}

#[test]
fn a_restart_that_fails_leaves_the_others_as_they_are() {
    let scene = commanded("", "Unicycle()");
    let mut impossible = (*scene).clone();
    impossible.time.dt_s = -1.0;
    let impossible = Arc::new(impossible);
    let mut both = Both::new(&scene, 3, 2);
    both.step(2);
    let failed = both.batch.restart(vec![(2, start(&impossible, 1))]);
    assert_eq!(failed.unwrap_err().0, 2);
    both.step(2);
    both.check("after a restart that failed");
    let failed = Batch::new(&both.recipe, vec![start(&scene, 1), start(&scene, 2), start(&impossible, 1)], 2);
    assert_eq!(failed.err().unwrap().0, 2);
}

#[test]
fn a_simulation_that_starts_again_has_not_observed() {
    let scene = commanded("", "Unicycle()");
    let mut simulation = alone(&Recipe::standard(), &scene, 3);
    let mut new = alone(&Recipe::standard(), &scene, 4);
    simulation.step(5);
    simulation.restart(&Scene { seed: 4, ..(*scene).clone() }).unwrap();
    assert_eq!(simulation.observed(), [0.0; 0]);
    for _ in 0..3 {
        assert_eq!(difference(&simulation, &new), None);
        simulation.step(1);
        new.step(1);
    }
}
