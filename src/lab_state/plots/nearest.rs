//! The error for an unknown name: values with similar names, and examples of paths.

use swarmarium_core::text::wording::{join, nearest};
use swarmarium_simulation::simulation::Simulation;

use crate::plots::error::PinError;

/// Maximum number of suggested names.
const MOST: usize = 3;

/// Returns the error for a name that is not a path. It suggests values whose names contain it or are spelled similarly;
/// `of_robot` lists the numbers of a robot.
pub fn no_such_value(simulation: &Simulation, name: &str, of_robot: &[&str]) -> PinError {
    let metrics = simulation.metric_columns();
    let first = simulation.agents().map(|agent| agent.id.index()).min();
    let of_robot = first.iter().flat_map(|first| of_robot.iter().map(move |known| format!("agents.{first}.{known}")));
    let paths: Vec<String> = metrics.iter().cloned().chain(of_robot).collect();
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_lowercase();
    let has_name = |path: &&String| name.len() > 1 && last(path).contains(&name.to_lowercase());
    let is_similar = |path: &&String| !nearest(name, &[&last(path)]).is_empty();
    let quoted = |paths: Vec<&String>| paths.into_iter().take(MOST).map(|path| format!("`{path}`")).collect();
    let mut near: Vec<String> = quoted(paths.iter().filter(has_name).collect());
    if near.is_empty() {
        near = quoted(paths.iter().filter(is_similar).collect());
    }
    let near: Vec<&str> = near.iter().map(String::as_str).collect();
    let suggestion = if near.is_empty() { ".".into() } else { format!("; did you mean {}?", join(&near, "or")) };
    let metric = metrics.first().map(|metric| format!(" ({metric})")).unwrap_or_default();
    PinError::NoSuchValue { name: name.into(), suggestion, metric }
}

#[cfg(test)]
mod tests {
    use crate::plots::pin::{Pin, Watched};
    use swarmarium_lab_testing::lab_on;

    #[test]
    fn a_name_without_a_path_suggests_numbers_to_pin() {
        let lab = lab_on("milling");
        let watched = Watched { simulation: lab.run.host.simulation(), selected: None };
        let refused = |path: &str| Pin::new(watched, path).unwrap_err().to_string();
        let speed = refused("speed");
        assert!(speed.starts_with("there is no `speed`; did you mean `"), "{speed}");
        assert!(
            speed.contains("`agents.0.speed_m_per_s`? A value is a number of a robot (agents.0.x_m, or"),
            "{speed}"
        );
        assert!(speed.contains("a metric (circliness) or a parameter"), "{speed}");
        assert!(refused("circlines").contains("did you mean `circliness`?"), "{}", refused("circlines"));
        assert!(refused("zzzz").starts_with("there is no `zzzz`. A value is"), "{}", refused("zzzz"));
    }
}
