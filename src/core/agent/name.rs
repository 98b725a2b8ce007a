//! Names of robots, as scenes and sensors ask for them.

use swarmarium_space::BodyOwner;

use super::Team;

/// A name that robots are asked for: that of a group, or of a group with a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name {
    group: u32,
    /// The group and the number of the one robot that has this name.
    robot: Option<(u32, u32)>,
}

impl Name {
    /// The name that a text is; `None` for an empty one, which names nobody in particular.
    pub fn of(text: &str) -> Option<Self> {
        let robot = text.rsplit_once('-').and_then(|(group, serial)| Some((group, serial.parse().ok()?)));
        let robot = robot.map(|(group, serial)| (Team::named(group).0, serial));
        (!text.is_empty()).then(|| Self { group: Team::named(text).0, robot })
    }

    /// Whether it is this name of a group or of an object.
    pub fn is_of_group(self, name: u32) -> bool {
        self.group == name
    }

    /// Whether it is the name of a robot, or of its group.
    pub fn is_of(self, owner: BodyOwner) -> bool {
        owner.name == self.group || self.robot == Some((owner.name, owner.serial))
    }
}
