//! Names of robots, as scenes and sensors refer to them.

use swarmarium_space::BodyOwner;

use super::Team;

/// A name that refers to robots: the name of a group, or of a group with a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name {
    group: u32,
    /// The group and the number of the one robot with this name.
    robot: Option<(u32, u32)>,
}

impl Name {
    /// Parses a name; `None` for an empty text, which refers to no robot in particular.
    pub fn of(text: &str) -> Option<Self> {
        let robot = text.rsplit_once('-').and_then(|(group, serial)| Some((group, serial.parse().ok()?)));
        let robot = robot.map(|(group, serial)| (Team::named(group).0, serial));
        (!text.is_empty()).then(|| Self { group: Team::named(text).0, robot })
    }

    /// Whether this is the name of a group or of an object.
    pub fn is_of_group(self, name: u32) -> bool {
        self.group == name
    }

    /// Whether this is the name of a robot or of its group.
    pub fn is_of(self, owner: BodyOwner) -> bool {
        owner.name == self.group || self.robot == Some((owner.name, owner.serial))
    }
}
