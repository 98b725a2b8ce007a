//! What is measured: workloads by name and number of robots.

use std::str::FromStr;

use swarmarium_base::limits::MAX_AGENTS;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::scene::shipped;

use crate::bench;

/// The numbers of robots that a workload has which can have any.
const SIZES: [u32; 5] = [10, 100, 1_000, 10_000, 100_000];

/// A workload at all its sizes.
struct Family {
    name: &'static str,
    /// The scene in `bench/` that is made smaller and larger; `None` where each size is a scene of its own.
    any_size: Option<&'static str>,
    sizes: &'static [u32],
}

const FAMILIES: [Family; 7] = [
    Family { name: "A8", any_size: Some("a8"), sizes: &SIZES },
    Family { name: "A", any_size: Some("a"), sizes: &SIZES },
    Family { name: "B", any_size: Some("b"), sizes: &SIZES },
    Family { name: "M", any_size: Some("m"), sizes: &SIZES },
    // The smaller ones are listed, as the comparison with RobotSwarmSimulator has them.
    Family { name: "milling", any_size: Some("milling_10000"), sizes: &SIZES },
    Family { name: "radio", any_size: None, sizes: &[10_000] },
    Family { name: "khepera3", any_size: None, sizes: &[200, 2_000] },
];

impl Family {
    /// The workload with so many robots: the scene of that size, or else the one that is made so.
    fn with_robots(&self, robots: u32) -> Option<Workload> {
        let Self { name, any_size, .. } = *self;
        let workload = |file: &str, sized| {
            shipped::get(&format!("bench/{file}")).map(|text| Workload { name, robots, text, sized })
        };
        workload(&format!("{name}_{robots}"), false).or_else(|| workload(any_size?, true))
    }

    fn workloads(&self) -> Vec<Workload> {
        self.sizes.iter().filter_map(|robots| self.with_robots(*robots)).collect()
    }

    /// What there is of it, in words.
    fn about(&self) -> String {
        let sizes = || self.sizes.iter().map(|robots| format!("{}/{robots}", self.name));
        self.any_size.map_or_else(|| sizes().collect::<Vec<_>>().join(", "), |_| format!("{}[/N]", self.name))
    }
}

/// A workload at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Workload {
    pub(super) name: &'static str,
    robots: u32,
    pub(super) text: &'static str,
    /// Whether the scene has to be made smaller or larger.
    sized: bool,
}

impl Workload {
    /// All that are measured when nothing is said.
    pub(super) fn all() -> Vec<Self> {
        FAMILIES.iter().flat_map(Family::workloads).collect()
    }

    /// Gives the scene its number of robots, if it is not the scene of that very number.
    pub(super) fn fit(&self, scene: &mut Scene) {
        if self.sized {
            bench::fit(scene, self.robots);
        }
    }
}

/// The workloads that one word of `--only` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice(Vec<Workload>);

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, robots) = text.split_once('/').map_or((text, None), |(name, robots)| (name, Some(robots)));
        let family = FAMILIES.iter().find(|family| family.name.eq_ignore_ascii_case(name));
        let family = family.ok_or_else(|| {
            let near = did_you_mean(name, FAMILIES.iter().map(|family| family.name));
            format!("there is no workload `{name}`{near} (there are {})", about_all())
        })?;
        let Some(robots) = robots else { return Ok(Self(family.workloads())) };
        let robots = robots.parse().ok().filter(|robots| (1..=MAX_AGENTS as u32).contains(robots));
        let robots = robots.ok_or_else(|| format!("expected a number of robots from 1 to {MAX_AGENTS}"))?;
        let workload = family.with_robots(robots);
        workload.map(|workload| Self(vec![workload])).ok_or_else(|| format!("there is {}", family.about()))
    }
}

fn about_all() -> String {
    FAMILIES.iter().map(Family::about).collect::<Vec<_>>().join(", ")
}

/// The workloads of all choices, each once, in the order in which they are named.
pub(super) fn chosen(choices: &[Choice]) -> Vec<Workload> {
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
    use swarmarium_core::scene::reader;
    use swarmarium_core::simulation::{Recipe, Simulation};
    use swarmarium_kinds::Standard as _;

    use super::*;

    fn wanted(choices: &[&str]) -> Vec<(&'static str, u32)> {
        let choices: Vec<Choice> = choices.iter().map(|choice| choice.parse().unwrap()).collect();
        chosen(&choices).into_iter().map(|workload| (workload.name, workload.robots)).collect()
    }

    fn scene(workload: &Workload, recipe: &Recipe) -> Scene {
        let mut scene = reader::read(recipe.kinds(), workload.name, workload.text).unwrap();
        workload.fit(&mut scene);
        scene
    }

    #[test]
    fn choices_name_workloads_and_sizes() {
        assert_eq!(wanted(&["A/1000"]), [("A", 1000)]);
        assert_eq!(wanted(&["a/7"]), [("A", 7)], "any number, in any case");
        let milling = SIZES.map(|robots| ("milling", robots));
        assert_eq!(wanted(&["Milling"]), milling);
        assert_eq!(wanted(&["khepera3"]), [("khepera3", 200), ("khepera3", 2000)]);
        let several = wanted(&["m/10", "milling", "MILLING/100", "m/10"]);
        assert_eq!(several, [&[("M", 10)], milling.as_slice()].concat(), "each once");
    }

    #[test]
    fn choices_that_are_none_say_what_there_is() {
        let refused =
            ["milings", "A/0", "A/2000000", "A/x", "radio/7", ""].map(|bad| bad.parse::<Choice>().unwrap_err());
        insta::assert_snapshot!(refused.join("\n"), @r"
        there is no workload `milings`, did you mean `milling`? (there are A8[/N], A[/N], B[/N], M[/N], milling[/N], radio/10000, khepera3/200, khepera3/2000)
        expected a number of robots from 1 to 1000000
        expected a number of robots from 1 to 1000000
        expected a number of robots from 1 to 1000000
        there is radio/10000
        there is no workload `` (there are A8[/N], A[/N], B[/N], M[/N], milling[/N], radio/10000, khepera3/200, khepera3/2000)
        ");
    }

    #[test]
    fn every_scene_for_measuring_speed_is_measured() {
        let all = Workload::all();
        for (name, text) in shipped::bench() {
            assert!(all.iter().any(|workload| workload.text == text), "{name}");
        }
    }

    #[test]
    fn every_workload_steps_with_ten_robots_at_its_density() {
        let recipe = Recipe::standard();
        for family in FAMILIES.iter().filter(|family| family.any_size.is_some()) {
            let Some(workload) = family.with_robots(10) else { continue };
            let scene = scene(&workload, &recipe);
            let area_m2 = scene.arena.size_m.element_product();
            let expected_m2 = if family.name == "milling" { 10.0 } else { 20.0 };
            assert!((area_m2 - expected_m2).abs() < 1e-9, "{}: {area_m2} m²", family.name);
            let mut simulation = Simulation::with(&scene, &recipe, 1).unwrap();
            simulation.step(3);
            assert_eq!(simulation.count(), 10, "{}", family.name);
            assert!(simulation.agents().all(|agent| agent.pose.position_m.is_finite()), "{}", family.name);
        }
    }

    #[test]
    fn milling_of_the_comparison_has_listed_poses() {
        let recipe = Recipe::standard();
        let poses = |robots| scene(&FAMILIES[4].with_robots(robots).unwrap(), &recipe).groups[0].at.len();
        assert_eq!([10, 100, 1000, 10_000, 20].map(poses), [10, 100, 1000, 0, 0]);
    }
}
