//! Batches: simulations that take turns in the world of one are the same as simulations alone, step by step.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use bevy::math::DVec2;
use swarmarium_core::agent::CommandForm;
use swarmarium_core::step::HasArena as _;
use swarmarium_draw::{Overlay, View};
use swarmarium_formats::standard::Standard as _;
use swarmarium_picture::Picture;
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::batch::{Batch, CommandColumn, Start};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::choices::{Choices, rounds, try_rounds};
use crate::support::edits::{remove, set};
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
const WITH_OWN_WORLDS: [&str; 6] = [
    "scenes/foraging.ron: object groups",
    "scenes/formation-faults.ron: faults",
    "scenes/random_obstacle_course.ron: object groups",
    "scenes/script-foraging.ron: object groups",
    "scenes/template.ron: faults",
    "scenes/papers/kilobots.ron: object groups",
];

#[test]
fn most_shipped_scenes_share_a_world_in_a_batch() {
    let recipe = Recipe::standard();
    let has_own = |file: &String| {
        let scene = Arc::new(scene(file));
        let mut batch = Batch::new(&recipe, starts(&scene, 0..3), 1).unwrap();
        let first = batch.places_with_own_world();
        step_to(&mut batch, 50);
        let then = batch.places_with_own_world();
        let reason = match (scene.faults.is_empty(), scene.object_groups.is_empty()) {
            (false, _) => "faults".into(),
            (true, false) => "object groups".into(),
            (true, true) => format!("{first:?} {then:?}"),
        };
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

const SCENES: [(&str, &str); 9] = [
    ("", "Unicycle()"),
    ("", "Unicycle(catastrophic_collisions: true)"),
    ("", "DifferentialDrive()"),
    ("on_collision: Stop,", "Unicycle()"),
    ("on_collision: Pause,", "Unicycle()"),
    ("order: Sequential,", "Unicycle(catastrophic_collisions: true)"),
    ("order: RandomSequential,", "Unicycle()"),
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
                set("groups.led.sensors[0].range_m", "0.7"),
                Edit::Spawn { group: "own".into(), x_m: 3.0, y_m: 3.0, heading_rad: 0.0 },
                remove("agents.1"),
                Edit::Suspend { is_suspended: true },
                set("seed", "77"),
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
fn commands_edits_deaths_and_restarts_reach_one_simulation_of_a_batch_only() {
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
fn commands_and_restarts_keep_simulations_in_the_shared_world() {
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
fn edits_that_a_shared_world_cannot_keep_are_refused() {
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
fn a_simulation_of_another_scene_has_its_own_world_until_the_next_start() {
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

/// The scene of [`commanded`] with other parameters of its kinds, by a number.
fn varied(number: usize) -> Arc<Scene> {
    let mut scene = (*commanded("", "Unicycle()")).clone();
    let recipe = Recipe::standard();
    let range_m = 0.3 + 0.1 * (number % 5) as f64;
    let changes = [
        ("groups.led.sensors[0].range_m", range_m),
        ("groups.own.sensors[0].range_m", 2.0 * range_m),
        ("groups.own.controller.v_m_per_s", 0.1 * range_m),
    ];
    for (path, value) in &changes[..number % 4] {
        constants::set(recipe.kinds(), &mut scene, path, &value.to_string())
            .unwrap_or_else(|problem| panic!("{problem}"));
    }
    Arc::new(scene)
}

#[test]
fn scenes_with_other_parameters_of_kinds_share_a_world() {
    let scenes: Vec<Arc<Scene>> = (0..8).map(varied).collect();
    let recipe = Recipe::standard();
    for threads in [1, 2] {
        // The first scene has no parameters of its own, and neither has the fourth.
        let starts: Vec<Start> = scenes.iter().zip(20..).map(|(scene, seed)| start(scene, seed)).collect();
        let alone = starts.iter().map(|Start { scene, seed }| alone(&recipe, scene, *seed)).collect();
        let batch = Batch::new(&recipe, starts, threads).unwrap();
        let mut both = Both { recipe: Recipe::standard(), batch, alone };
        both.check("at the start");
        let command = |place: usize, simulation: &mut Simulation| {
            let values = [0.3, place as f64 / 10.0].repeat(3);
            simulation.command(CommandForm::Drive, &[0, 1, 2], &values).unwrap();
        };
        both.each(command);
        for _ in 0..3 {
            both.step(7);
            both.check("with parameters of their own");
        }
        // Others begin, with their own parameters or without.
        both.restart(vec![(1, start(&scenes[6], 1)), (7, start(&scenes[0], 2)), (0, start(&varied(3), 3))]);
        both.step(7);
        both.check("after restarts with other parameters");
        assert_eq!(both.batch.places_with_own_world(), [0_usize; 0]);
        both.edit(3, &set("groups.led.sensors[0].range_m", "0.9"));
        both.edit(4, &Edit::Move { agent: 0, x_m: 1.0, y_m: 1.5, heading_rad: 1.0 });
        both.step(7);
        both.check("after edits");
        assert_eq!(both.batch.places_with_own_world(), [3, 4]);
        let failed = both.batch.each(&|place, _| if place == 5 { panic!("no") } else { Ok(()) });
        assert_eq!(failed.unwrap_err().0, 5);
        both.restart(vec![(5, start(&scenes[2], 9)), (3, start(&scenes[3], 9))]);
        both.step(7);
        both.check("after a panic");
        assert_eq!(both.batch.places_with_own_world(), [4]);
    }
}

#[test]
fn scenes_that_differ_in_more_than_parameters_share_no_world() {
    let scene = commanded("", "Unicycle()");
    let with = |path: &str, value: &str| {
        let mut scene = (*scene).clone();
        constants::set(Recipe::standard().kinds(), &mut scene, path, value)
            .unwrap_or_else(|problem| panic!("{problem}"));
        Arc::new(scene)
    };
    let others = [
        with("groups.led.body", "Disc(radius_m: 0.05)"),
        with("groups.led.motion", "DifferentialDrive()"),
        with("groups.own.controller", "Constant(v_m_per_s: 0.1)"),
        with("groups.led.sensors", "[Proximity(rays: 4)]"),
        with("time.dt_s", "0.05"),
        with("stop.steps", "4"),
        with("groups.own.count", "3"),
    ];
    let starts: Vec<Start> = [&scene].into_iter().chain(&others).map(|scene| start(scene, 7)).collect();
    let recipe = Recipe::standard();
    let alone = starts.iter().map(|Start { scene, seed }| alone(&recipe, scene, *seed)).collect();
    let batch = Batch::new(&recipe, starts, 1).unwrap();
    let mut both = Both { recipe, batch, alone };
    both.step(6);
    both.check("with different scenes");
    assert_eq!(both.batch.places_with_own_world(), [1, 2, 3, 4, 5, 6, 7]);
}

/// The columns of a batch in Python.
#[test]
fn batch_commands_find_their_rows_once() {
    let scene = commanded("", "Unicycle()");
    let mut both = Both::new(&scene, 3, 1);
    let columns: Mutex<Option<CommandColumn>> = Mutex::new(None);
    for step in 0..3 {
        let values: Vec<f64> = (0..6).map(|value| f64::from(value * step) / 20.0).collect();
        let act = |_, simulation: &mut Simulation| {
            let mut columns = columns.lock().unwrap();
            let agents = simulation.world().arena().agents[..3].to_vec();
            let column = columns.get_or_insert_with(|| CommandColumn::new(simulation, agents));
            assert!(column.write(simulation, CommandForm::Drive, &values));
            simulation.step(2);
            Ok(())
        };
        both.batch.each(&act).unwrap();
        for simulation in &mut both.alone {
            simulation.command(CommandForm::Drive, &[0, 1, 2], &values).unwrap();
            simulation.step(2);
        }
        both.check("commands by rows");
    }
}

#[test]
fn a_restart_that_fails_changes_no_other_simulation_of_a_batch() {
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
fn a_restarted_simulation_of_a_batch_has_observed_no_metrics() {
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
