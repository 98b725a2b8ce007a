//! Tests of the tables of `docs/reference/compatibility/robotswarmsimulator.md`: every class exists and has an effect.

use bevy::math::DVec2;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::region::Area;
use swarmarium_formats::import;
use swarmarium_formats::standard::Standard as _;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::edits::set;
use crate::support::text;

const TABLE: &str = "docs/reference/compatibility/robotswarmsimulator.md";
/// One world for each row. Lines that end in `# with` are the row's own; those in `# without` take their place.
const WORLDS: &str = "tests/data/robotswarmsimulator/rows.yaml";

/// Every row builds a world, runs 100 steps, and differs from the same world without it.
#[test]
fn every_row_of_the_migration_table_changes_its_world() {
    let worlds = worlds();
    let worlds_names: Vec<_> = worlds.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(worlds_names, rows(), "{WORLDS} and the tables of {TABLE} name the same, in the same order");
    let troubles: Vec<String> = worlds.iter().filter_map(|(name, world)| trouble(name, world)).collect();
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

/// The problem of a row, if it has one.
fn trouble(name: &str, world: &str) -> Option<String> {
    let seen = |own, other| observe(&without_lines(world, other)).map_err(|problem| format!("{name} {own}: {problem}"));
    match (seen("with", "# without"), seen("without", "# with")) {
        (Err(problem), _) | (_, Err(problem)) => Some(problem),
        (Ok(with), Ok(without)) if with == without => Some(format!("{name} makes no difference")),
        (Ok(with), _) => with.trouble().map(|trouble| format!("{name}: {trouble}")),
    }
}

/// The observable state of a run, step by step.
#[derive(PartialEq)]
struct Seen {
    agents: Vec<Vec<f64>>,
    metrics: Vec<Vec<f64>>,
}

impl Seen {
    /// A metric that is never anything but nought, or no number, shows nothing.
    fn trouble(&self) -> Option<String> {
        let last = self.metrics.last()?;
        let dead = |metric: usize| self.metrics.iter().all(|step| step[metric] == 0.0 || !step[metric].is_finite());
        (!last.is_empty() && (0..last.len()).all(dead)).then(|| format!("its metrics say nothing: {last:?}"))
    }
}

fn observe(world: &str) -> Result<Seen, String> {
    let mut scene = imported(world)?;
    // Files of 1.2.5 know no goals any more.
    let area = Area::Disc { center_m: DVec2::splat(5.0), radius_m: 1.0 };
    scene.objects.push(Slot::new(Goal { area, ..Goal::default() }));
    let recipe = Recipe::standard();
    let mut simulation = Simulation::with(&scene, &recipe, 1).map_err(|problems| problems.to_string())?;
    // Somebody holds a key, where anybody drives.
    let held = set("agents.0.controller.held", "(ahead: 1.0)");
    _ = simulation.apply(held);
    let mut seen = Seen { agents: Vec::new(), metrics: Vec::new() };
    for _ in 0..100 {
        simulation.step(1);
        let agents = simulation.agents().flat_map(|agent| {
            let pose = [agent.pose.position_m.x, agent.pose.position_m.y, agent.pose.heading_rad];
            pose.into_iter().chain(agent.readings().flatten().copied())
        });
        seen.agents.push(agents.collect());
        seen.metrics.push(simulation.metrics());
    }
    Ok(seen)
}

fn imported(world: &str) -> Result<Scene, String> {
    let recipe = Recipe::standard();
    import::import(recipe.kinds(), WORLDS, world)
        .map(|imported| imported.scene)
        .map_err(|problems| problems.to_string())
}

/// The worlds of the rows, by name.
fn worlds() -> Vec<(String, String)> {
    let text = text(WORLDS);
    let worlds = text.split("--- # ").filter_map(|world| world.split_once('\n'));
    worlds.map(|(name, world)| (name.to_owned(), world.to_owned())).collect()
}

fn without_lines(world: &str, mark: &str) -> String {
    world.lines().filter(|line| !line.ends_with(mark)).map(|line| format!("{line}\n")).collect()
}

/// The names in code marks in the first column of the tables.
fn rows() -> Vec<String> {
    let table = text(TABLE);
    let classes = table.split("\n## ").find(|section| section.starts_with("Classes\n")).unwrap();
    let cells = classes.lines().filter(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}
