//! Who there is: robots and components by the names that clients know.

use std::collections::{BTreeMap, HashMap};

use super::streams::is_socket;
use crate::agent::Pose;
use crate::component::{Component, Link};
use crate::edit::Edit;
use crate::scene::problem::did_you_mean;
use crate::simulation::Simulation;
use crate::step::Agents;

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
    /// Whether an edit may have changed which components there are.
    pub is_old: bool,
}

/// A robot.
pub struct Robot {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
}

/// Whether an edit may change which components there are, or what they are called.
pub fn changes_components(edit: &Edit) -> bool {
    let Edit::Set { path, .. } = edit else { return false };
    let last = path.rsplit('.').next().unwrap_or_default();
    path.contains(".links") || ["name", "sensors", "actuators", "controller"].contains(&last)
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
            is_old: false,
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
        self.is_old = false;
    }

    /// Takes in who came or went; whether anything may be other than before.
    pub fn keep_up(&mut self, simulation: &Simulation) -> bool {
        let count = simulation.world().resource::<Agents>().0.len();
        let is_old = self.is_old || count != self.robots.len();
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

    /// The name of a robot that is near this one.
    pub fn near_robot(&self, name: &str) -> String {
        did_you_mean(name, self.robots.iter().map(|robot| robot.name.as_str()))
    }
}
