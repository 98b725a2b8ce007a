//! Who there is: robots and components by the names that clients know.

use std::collections::{BTreeMap, HashMap};

use swarmarium_base::problem::did_you_mean;
use swarmarium_core::agent::Pose;
use swarmarium_core::service::{Component, Link};
use swarmarium_core::simulation::Simulation;
use swarmarium_core::step::Agents;

use super::link::is_socket;

/// Robots and components by name.
pub struct Board {
    /// All components, robot by robot.
    pub components: Vec<Component>,
    /// All robots, by number.
    pub robots: Vec<Robot>,
    by_name: HashMap<String, usize>,
    /// Components with services under other names.
    overlays: HashMap<(String, String), (usize, String)>,
    /// Where robots stood at first.
    starts: BTreeMap<u32, Pose>,
    /// How many parameters had been set when this was read: names, links and kinds are some.
    sets: u64,
}

/// A robot.
pub struct Robot {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
}

impl Board {
    /// The board of a simulation at its start.
    pub fn of(simulation: &Simulation) -> Self {
        let mut board = Self {
            components: Vec::new(),
            robots: Vec::new(),
            by_name: HashMap::new(),
            overlays: HashMap::new(),
            starts: BTreeMap::new(),
            sets: 0,
        };
        board.read(simulation);
        board
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

    /// Takes in who came or went; whether anything may be other than before.
    pub fn keep_up(&mut self, simulation: &Simulation) -> bool {
        let count = simulation.world().resource::<Agents>().0.len();
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

    /// The component that has a service under this name, and the name that the component itself has for it.
    pub fn overlay(&self, component: &str, service: &str) -> Option<(&Component, &str)> {
        if self.overlays.is_empty() {
            return None;
        }
        let (place, calls) = self.overlays.get(&(component.to_owned(), service.to_owned()))?;
        Some((&self.components[*place], calls))
    }

    /// The robot with a name, and its row.
    pub fn robot(&self, name: &str) -> Option<(usize, &Robot)> {
        self.robots.iter().enumerate().find(|(_, robot)| robot.name == name)
    }

    /// Where a robot stood at first.
    pub fn start(&self, number: u32) -> Option<Pose> {
        self.starts.get(&number).copied()
    }

    /// The name of a component that is near this one.
    pub fn near(&self, name: &str) -> String {
        did_you_mean(name, self.components.iter().map(|component| component.name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::edit::Edit;
    use swarmarium_core::scene::{Scene, reader};
    use swarmarium_core::simulation::Recipe;
    use swarmarium_kinds::{FromScene as _, Standard as _};

    use super::*;

    #[test]
    fn what_is_set_in_the_window_is_known_to_clients() {
        let text = r#"(groups: [(name: "a", sensors: [Constant(name: "one", values: [1.0], links: [Stream()])])])"#;
        let mut simulation =
            Simulation::new(&reader::read::<Scene>(Recipe::standard().kinds(), "test", text).unwrap()).unwrap();
        let mut board = Board::of(&simulation);
        assert!(board.find("a.one").is_some() && !board.keep_up(&simulation));
        let edit = Edit::Set { path: "agents.0.sensors.0.name".into(), value: "\"two\"".into() };
        simulation.apply(edit).unwrap();
        simulation.step(1);
        assert!(board.keep_up(&simulation));
        assert_eq!(board.find("a.two").is_some(), simulation.components()[0].name == "a.two");
        assert!(board.components.iter().map(|known| &known.name).eq(["a.two"]));
    }
}
