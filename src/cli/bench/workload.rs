//! Workloads, by name and number of robots.

use std::str::FromStr;

use swarmarium_base::limits::MAX_AGENTS;
use swarmarium_base::problem::did_you_mean;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::shipped;

use super::super::error::ArgumentError;
use crate::bench;

/// The default numbers of robots of a workload that can have any number.
const SIZES: [u32; 5] = [10, 100, 1_000, 10_000, 100_000];

/// A workload with all its sizes.
struct Series {
    name: &'static str,
    /// The scene in `bench/` that is scaled to any size; `None` where each size is a scene of its own.
    any_size: Option<&'static str>,
    sizes: &'static [u32],
}

const ALL_SERIES: [Series; 14] = [
    Series { name: "A8", any_size: Some("a8"), sizes: &SIZES },
    Series { name: "A", any_size: Some("a"), sizes: &SIZES },
    Series { name: "B", any_size: Some("b"), sizes: &SIZES },
    Series { name: "M", any_size: Some("m"), sizes: &SIZES },
    // The smaller sizes are scenes with listed poses, as in the comparison with RobotSwarmSimulator.
    Series { name: "milling", any_size: Some("milling_10000"), sizes: &SIZES },
    Series { name: "script", any_size: None, sizes: &[1_000] },
    Series { name: "radio", any_size: None, sizes: &[10_000] },
    Series { name: "fields", any_size: None, sizes: &[1_000] },
    Series { name: "light", any_size: None, sizes: &[1_000] },
    Series { name: "ground", any_size: None, sizes: &[1_000] },
    Series { name: "camera", any_size: None, sizes: &[1_000] },
    Series { name: "push", any_size: None, sizes: &[100] },
    Series { name: "push-fixed", any_size: None, sizes: &[100] },
    Series { name: "khepera3", any_size: None, sizes: &[200, 2_000] },
];

impl Series {
    /// The workload with a number of robots: the scene of that size, or else the scaled one.
    fn with_robots(&self, robots: u32) -> Option<Workload> {
        let Self { name, any_size, .. } = *self;
        let workload = |file: &str, is_scaled| {
            shipped::get(&format!("bench/{file}")).map(|text| Workload { name, robots, text, is_scaled })
        };
        workload(&format!("{name}_{robots}"), false).or_else(|| workload(any_size?, true))
    }

    fn workloads(&self) -> Vec<Workload> {
        self.sizes.iter().filter_map(|robots| self.with_robots(*robots)).collect()
    }

    /// The sizes of the workload, in words.
    fn describe(&self) -> String {
        let sizes = || self.sizes.iter().map(|robots| format!("{}/{robots}", self.name));
        self.any_size.map_or_else(|| sizes().collect::<Vec<_>>().join(", "), |_| format!("{}[/N]", self.name))
    }
}

/// A workload at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) robots: u32,
    pub(super) text: &'static str,
    /// Whether the scene has to be scaled.
    is_scaled: bool,
}

impl Workload {
    /// All workloads in their default sizes.
    pub(super) fn all() -> Vec<Self> {
        ALL_SERIES.iter().flat_map(Series::workloads).collect()
    }

    /// Scales the scene to the number of robots, unless the scene has that size.
    pub(super) fn fit(&self, scene: &mut Scene) {
        if self.is_scaled {
            bench::fit(scene, self.robots);
        }
    }
}

/// The workloads of one item of `--only`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice(Vec<Workload>);

impl FromStr for Choice {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        let (name, robots) = text.split_once('/').map_or((text, None), |(name, robots)| (name, Some(robots)));
        let series = ALL_SERIES.iter().find(|series| series.name.eq_ignore_ascii_case(name));
        let series = series.ok_or_else(|| {
            let hint = did_you_mean(name, ALL_SERIES.iter().map(|series| series.name));
            ArgumentError::Workload { name: name.into(), hint, known: describe_all() }
        })?;
        let Some(robots) = robots else { return Ok(Self(series.workloads())) };
        let robots = robots.parse().ok().filter(|robots| (1..=MAX_AGENTS as u32).contains(robots));
        let robots = robots.ok_or(ArgumentError::RobotCount { max: MAX_AGENTS as u32 })?;
        let workload = series.with_robots(robots);
        let workload = workload.ok_or_else(|| ArgumentError::WorkloadSize { known: series.describe() })?;
        Ok(Self(vec![workload]))
    }
}

fn describe_all() -> String {
    ALL_SERIES.iter().map(Series::describe).collect::<Vec<_>>().join(", ")
}

/// The workloads of all choices without duplicates, in order.
pub(super) fn selected(choices: &[Choice]) -> Vec<Workload> {
    let mut workloads = Vec::new();
    for workload in choices.iter().flat_map(|Choice(named)| named) {
        if !workloads.contains(workload) {
            workloads.push(*workload);
        }
    }
    workloads
}

#[cfg(test)]
mod tests {
    use swarmarium_formats::standard::Standard as _;
    use swarmarium_scene::scene::reader;
    use swarmarium_simulation::simulation::{Recipe, Simulation};

    use super::*;

    fn names(choices: &[&str]) -> Vec<(&'static str, u32)> {
        let choices: Vec<Choice> = choices.iter().map(|choice| choice.parse().unwrap()).collect();
        selected(&choices).into_iter().map(|workload| (workload.name, workload.robots)).collect()
    }

    fn scene(workload: &Workload, recipe: &Recipe) -> Scene {
        let mut scene = reader::read(recipe.kinds(), workload.name, workload.text).unwrap();
        workload.fit(&mut scene);
        scene
    }

    #[test]
    fn workload_choices_have_names_and_sizes() {
        assert_eq!(names(&["A/1000"]), [("A", 1000)]);
        assert_eq!(names(&["a/7"]), [("A", 7)], "any number, in any case");
        let milling = SIZES.map(|robots| ("milling", robots));
        assert_eq!(names(&["Milling"]), milling);
        assert_eq!(names(&["khepera3"]), [("khepera3", 200), ("khepera3", 2000)]);
        let several = names(&["m/10", "milling", "MILLING/100", "m/10"]);
        assert_eq!(several, [&[("M", 10)], milling.as_slice()].concat(), "each once");
    }

    #[test]
    fn invalid_workload_choices_list_the_workloads() {
        let refused = ["milings", "A/0", "A/2000000", "A/x", "radio/7", ""]
            .map(|bad| bad.parse::<Choice>().unwrap_err().to_string());
        insta::assert_snapshot!(refused.join("\n"), @r"
        there is no workload `milings`; did you mean `milling`? (there are A8[/N], A[/N], B[/N], M[/N], milling[/N], script/1000, radio/10000, fields/1000, light/1000, ground/1000, camera/1000, push/100, push-fixed/100, khepera3/200, khepera3/2000)
        expected a number of robots from 1 to 1000000
        expected a number of robots from 1 to 1000000
        expected a number of robots from 1 to 1000000
        there is radio/10000
        there is no workload `` (there are A8[/N], A[/N], B[/N], M[/N], milling[/N], script/1000, radio/10000, fields/1000, light/1000, ground/1000, camera/1000, push/100, push-fixed/100, khepera3/200, khepera3/2000)
        ");
    }

    #[test]
    fn every_scene_for_measuring_speed_is_measured() {
        let all = Workload::all();
        // `small` is the scene of small worlds for `.ci/instructions`.
        for (name, text) in shipped::bench().filter(|(name, _)| *name != "small") {
            assert!(all.iter().any(|workload| workload.text == text), "{name}");
        }
    }

    #[test]
    fn every_workload_steps_with_ten_robots_at_its_density() {
        let recipe = Recipe::standard();
        for series in ALL_SERIES.iter().filter(|series| series.any_size.is_some()) {
            let Some(workload) = series.with_robots(10) else { continue };
            let scene = scene(&workload, &recipe);
            let area_m2 = scene.arena.size_m.element_product();
            let expected_m2 = if series.name == "milling" { 10.0 } else { 20.0 };
            assert!((area_m2 - expected_m2).abs() < 1e-9, "{}: {area_m2} m²", series.name);
            let mut simulation = Simulation::with(&scene, &recipe, 1).unwrap();
            simulation.step(3);
            assert_eq!(simulation.count(), 10, "{}", series.name);
            assert!(simulation.agents().all(|agent| agent.pose.position_m.is_finite()), "{}", series.name);
        }
    }

    #[test]
    fn milling_of_the_comparison_has_listed_poses() {
        let recipe = Recipe::standard();
        let poses = |robots| scene(&ALL_SERIES[4].with_robots(robots).unwrap(), &recipe).groups[0].at.len();
        assert_eq!([10, 100, 1000, 10_000, 20].map(poses), [10, 100, 1000, 0, 0]);
    }
}
