//! Robots and components by the names that clients know.

use std::collections::{BTreeMap, HashMap};

use swarmarium_base::problem::did_you_mean;
use swarmarium_core::agent::Pose;
use swarmarium_core::service::{Component, Link};
use swarmarium_simulation::simulation::Simulation;

use super::link::is_socket;

/// The directory of robots and components.
pub struct Directory {
    /// All components, robot by robot.
    pub components: Vec<Component>,
    /// All robots, by number.
    pub robots: Vec<Robot>,
    by_name: HashMap<String, usize>,
    /// Components with services under other names.
    overlays: HashMap<(String, String), (usize, String)>,
    /// The first poses of robots.
    starts: BTreeMap<u32, Pose>,
    /// The number of parameters that had been set at the last update: they may be names, links or kinds.
    sets: u64,
}

/// A robot.
pub struct Robot {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
}

impl Directory {
    /// The directory of a simulation at its start.
    pub fn from_simulation(simulation: &Simulation) -> Self {
        let mut directory = Self {
            components: Vec::new(),
            robots: Vec::new(),
            by_name: HashMap::new(),
            overlays: HashMap::new(),
            starts: BTreeMap::new(),
            sets: 0,
        };
        directory.read(simulation);
        directory
    }

    fn read(&mut self, simulation: &Simulation) {
        self.components = simulation.components();
        let name = |(place, component): (usize, &Component)| (component.name.clone(), place);
        self.by_name = self.components.iter().enumerate().map(name).collect();
        self.overlays.clear();
        for (place, component) in self.components.iter().enumerate() {
            for link in &component.links {
                let Link::Overlay { via, name, services, .. } = link else { continue };
                if !is_socket(via) {
                    continue;
                }
                let name = if name.is_empty() { &component.name } else { name };
                for alias in services {
                    self.overlays.insert((name.clone(), alias.name.clone()), (place, alias.calls.clone()));
                }
            }
        }
        self.robots.clear();
        for agent in simulation.agents() {
            let number = agent.id.index();
            self.robots.push(Robot { number, name: simulation.robot_name(number) });
            self.starts.entry(number).or_insert(agent.pose);
        }
        self.sets = simulation.sets();
    }

    /// Reads the simulation again if robots or parameters have changed, and returns whether they have.
    pub fn update(&mut self, simulation: &Simulation) -> bool {
        let count = simulation.count();
        let is_old = self.sets != simulation.sets() || count != self.robots.len();
        if is_old {
            self.read(simulation);
        }
        is_old
    }

    /// The component with a name.
    pub fn find(&self, name: &str) -> Option<&Component> {
        self.by_name.get(name).map(|place| &self.components[*place])
    }

    /// The component that offers a service under another name, and its own name of the service.
    pub fn overlay(&self, component: &str, service: &str) -> Option<(&Component, &str)> {
        if self.overlays.is_empty() {
            return None;
        }
        let (place, calls) = self.overlays.get(&(component.to_owned(), service.to_owned()))?;
        Some((&self.components[*place], calls))
    }

    /// The robot with a name, and the row of the robot in tables.
    pub fn robot(&self, name: &str) -> Option<(usize, &Robot)> {
        self.robots.iter().enumerate().find(|(_, robot)| robot.name == name)
    }

    /// The first pose of a robot.
    pub fn start(&self, number: u32) -> Option<Pose> {
        self.starts.get(&number).copied()
    }

    /// A hint at a component with a similar name, in words; empty if no name is similar.
    pub fn hint(&self, name: &str) -> String {
        did_you_mean(name, self.components.iter().map(|component| component.name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_formats::standard::{FromScene as _, Standard as _};
    use swarmarium_scene::scene::{Scene, reader};
    use swarmarium_simulation::edit::Edit;
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    #[test]
    fn edited_names_are_known_to_clients() {
        let text = r#"(groups: [(name: "a", sensors: [Constant(name: "one", values: [1.0], links: [Stream()])])])"#;
        let mut simulation =
            Simulation::new(&reader::read::<Scene>(Recipe::standard().kinds(), "test", text).unwrap()).unwrap();
        let mut directory = Directory::from_simulation(&simulation);
        assert!(directory.find("a.one").is_some() && !directory.update(&simulation));
        let edit = Edit::Set { path: "agents.0.sensors.0.name".into(), value: "\"two\"".into() };
        simulation.apply(edit).unwrap();
        simulation.step(1);
        assert!(directory.update(&simulation));
        assert_eq!(directory.find("a.two").is_some(), simulation.components()[0].name == "a.two");
        assert!(directory.components.iter().map(|component| &component.name).eq(["a.two"]));
    }
}
