//! What a sensor looks for, and what can hide it: the parameters that several sensors share.

use bevy::math::DVec2;
use bevy::prelude::*;

use crate::agent::Team;
use crate::space::{Space, Target, Who};

/// What counts for a sensor, and whether it must be in plain view.
#[derive(Reflect, Clone, Debug)]
#[reflect(Default, Clone)]
pub struct Sight {
    /// Whether robots count.
    pub agents: bool,
    /// Team that counts; robots of any team when empty.
    pub team: String,
    /// Name that counts, of a group or of one robot such as `prey-3`; any when empty.
    pub name: String,
    /// Whether obstacles count.
    pub obstacles: bool,
    /// Whether the walls of the arena count.
    pub walls: bool,
    /// Whether robots and obstacles hide what is behind them.
    pub occlusion: bool,
}

impl Default for Sight {
    fn default() -> Self {
        let (team, name) = Default::default();
        Self { agents: true, team, name, obstacles: false, walls: false, occlusion: false }
    }
}

impl PartialEq for Sight {
    fn eq(&self, other: &Self) -> bool {
        let switches = |sight: &Self| [sight.agents, sight.obstacles, sight.walls, sight.occlusion];
        // Every sensor is compared at every step; comparing two empty texts took a quarter of it (memcmp of nothing).
        let same = |one: &str, other: &str| (one.is_empty() && other.is_empty()) || one == other;
        switches(self) == switches(other) && same(&self.team, &other.team) && same(&self.name, &other.name)
    }
}

/// A [`Sight`] made ready to be asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Whether robots count.
    pub agents: bool,
    /// Whether obstacles count.
    pub obstacles: bool,
    /// Whether walls count.
    pub walls: bool,
    occlusion: bool,
    team: Team,
    name: Option<Name>,
}

/// A name that robots are asked for: that of a group, or of a group with a number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Name {
    group: u32,
    /// The group and the number of the one robot that has this name.
    robot: Option<(u32, u32)>,
}

impl Name {
    fn of(text: &str) -> Option<Self> {
        let robot = text.rsplit_once('-').and_then(|(group, serial)| Some((group, serial.parse().ok()?)));
        let robot = robot.map(|(group, serial)| (Team::named(group).0, serial));
        (!text.is_empty()).then(|| Self { group: Team::named(text).0, robot })
    }

    fn is_of(self, who: Who) -> bool {
        who.name == self.group || self.robot == Some((who.name, who.serial))
    }
}

impl Sight {
    /// Makes it ready.
    pub fn prepare(&self) -> Wanted {
        let Self { agents, obstacles, walls, occlusion, .. } = *self;
        Wanted { agents, obstacles, walls, occlusion, team: Team::named(&self.team), name: Name::of(&self.name) }
    }
}

impl Wanted {
    /// Whether the robot in a row of a space counts, whose team is known.
    #[inline]
    pub fn takes_agent(&self, space: &Space, row: usize, team: u32) -> bool {
        (self.team.0 == 0 || self.team.0 == team)
            && self.name.is_none_or(|name| space.bodies.who().get(row).is_some_and(|who| name.is_of(*who)))
    }

    /// Whether something counts.
    pub fn takes(&self, space: &Space, target: Target) -> bool {
        match target {
            Target::Body(row) => self.agents && self.takes_agent(space, row, space.bodies.groups()[row]),
            Target::Solid(_) => self.obstacles,
            Target::Wall => self.walls,
        }
    }

    /// Whether the robot in a row sees something at `offset` (m): nothing hides it, or that does not matter.
    #[inline]
    pub fn shows(&self, space: &Space, row: usize, offset: DVec2, target: Target) -> bool {
        let eye = space.bodies.positions()[row];
        !self.occlusion || space.line_of_sight(eye, eye + offset, &[Target::Body(row), target])
    }

    /// Whether things hide what is behind them.
    pub fn occludes(&self) -> bool {
        self.occlusion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_groups_and_of_robots() {
        let who = |group: &str, serial| Who { name: Team::named(group).0, serial, ..Who::default() };
        let takes = |name: &str, who| Name::of(name).is_some_and(|name| name.is_of(who));
        assert!(takes("prey", who("prey", 7)) && takes("prey-7", who("prey", 7)));
        assert!(!takes("prey-6", who("prey", 7)) && !takes("hunter", who("prey", 7)));
        assert!(takes("a-1", who("a-1", 0)), "a group may have such a name");
        assert_eq!(Name::of(""), None);
    }
}
