//! Parameters that several sensors share: the things that they detect, and whether these can be hidden.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::agent::Team;
use swarmarium_core::agent::name::Name;
use swarmarium_space::{Neighbour, Sector, Space, Target, ThingKind};

/// Things that a sensor detects, and whether they must be in plain view.
#[derive(Reflect, Clone, Debug)]
#[reflect(Default, Clone)]
pub struct Sight {
    /// Whether robots count.
    pub agents: bool,
    /// Team of the robots and objects that count; empty: any.
    pub team: String,
    /// Name of the object, the group or the single robot (such as `prey-3`) that counts; empty: any.
    pub name: String,
    /// Whether obstacles count.
    pub obstacles: bool,
    /// Whether goals count.
    pub goals: bool,
    /// Whether regions count.
    pub regions: bool,
    /// Whether the walls of the arena count.
    pub walls: bool,
    /// Whether robots and obstacles hide what is behind them.
    pub occlusion: bool,
}

impl Default for Sight {
    fn default() -> Self {
        let (team, name) = Default::default();
        let [obstacles, goals, regions, walls, occlusion] = [false; 5];
        Self { agents: true, team, name, obstacles, goals, regions, walls, occlusion }
    }
}

impl PartialEq for Sight {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let switches =
            |sight: &Self| [sight.agents, sight.obstacles, sight.goals, sight.regions, sight.walls, sight.occlusion];
        // Every sensor is compared at every step, and the comparison of two empty texts took a quarter of that time
        // (memcmp of nothing).
        let same = |one: &str, other: &str| (one.is_empty() && other.is_empty()) || one == other;
        switches(self) == switches(other) && same(&self.team, &other.team) && same(&self.name, &other.name)
    }
}

/// A [`Sight`] prepared for queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SightFilter {
    /// Whether robots count.
    pub agents: bool,
    /// Whether obstacles count.
    pub obstacles: bool,
    /// Whether goals count.
    pub goals: bool,
    /// Whether regions count.
    pub regions: bool,
    /// Whether walls count.
    pub walls: bool,
    occlusion: bool,
    team: Team,
    name: Option<Name>,
}

impl Sight {
    /// Prepares it for queries.
    pub fn prepare(&self) -> SightFilter {
        let Self { agents, obstacles, goals, regions, walls, occlusion, .. } = *self;
        let (team, name) = (Team::named(&self.team), Name::of(&self.name));
        SightFilter { agents, obstacles, goals, regions, walls, occlusion, team, name }
    }
}

impl SightFilter {
    /// Whether the robot in a row of a space counts, given its team.
    #[inline]
    pub fn takes_agent(&self, space: &Space, row: usize, team: u32) -> bool {
        (self.team.0 == 0 || self.team.0 == team)
            && self.name.is_none_or(|name| space.bodies.owners().get(row).is_some_and(|owner| name.is_of(*owner)))
    }

    /// Whether another robot counts and can be seen by the robot in a row.
    #[inline]
    pub fn sees_agent(&self, space: &Space, row: usize, other: &Neighbour) -> bool {
        self.takes_agent(space, other.row, other.group) && self.shows(space, row, other.offset, Target::Body(other.row))
    }

    /// Whether a target counts for the robot in a row; its own parts never do.
    pub fn takes(&self, space: &Space, row: usize, target: Target) -> bool {
        !space.is_own(row, target) && self.takes_any(space, target)
    }

    fn takes_any(&self, space: &Space, target: Target) -> bool {
        match target {
            Target::Body(row) => self.agents && self.takes_agent(space, row, space.bodies.groups()[row]),
            Target::Solid(solid) => self.obstacles && (self.takes_all() || self.admits(space, space.owner_of(solid))),
            Target::Wall => self.walls,
            Target::Thing(place) => {
                let counts = space.things.get(place).is_some_and(|thing| match thing.what {
                    ThingKind::Thing => self.obstacles,
                    ThingKind::Goal => self.goals,
                    ThingKind::Region => self.regions,
                    ThingKind::Light { .. } | ThingKind::Floor | ThingKind::Nothing => false,
                });
                counts && (self.takes_all() || self.admits(space, Some(place)))
            }
        }
    }

    /// Whether a target is a goal or region that counts for the robot in a row.
    pub fn takes_place(&self, space: &Space, row: usize, target: Target) -> bool {
        let Target::Thing(place) = target else { return false };
        matches!(space.things[place].what, ThingKind::Goal | ThingKind::Region) && self.takes(space, row, target)
    }

    /// Whether any team and any name counts.
    fn takes_all(&self) -> bool {
        self.team.0 == 0 && self.name.is_none()
    }

    /// Whether the object at a place has the team and the name.
    fn admits(&self, space: &Space, place: Option<usize>) -> bool {
        let Some(thing) = place.and_then(|place| space.things.get(place)) else { return false };
        let has_name = |name: Name| !thing.name.is_empty() && name.is_of_group(Team::named(&thing.name).0);
        (self.team.0 == 0 || self.team.0 == thing.team) && self.name.is_none_or(has_name)
    }

    /// Whether the robot in a row sees the target at `offset` (m): nothing hides it, or occlusion is off.
    #[inline]
    pub fn shows(&self, space: &Space, row: usize, offset: DVec2, target: Target) -> bool {
        !self.occlusion || is_in_plain_view(space, row, offset, target)
    }

    /// The nearest goal or region that counts in a sector whose tip is at the centre of the robot in a row, with its
    /// distance in metres.
    pub fn nearest_place(&self, space: &Space, row: usize, sector: &Sector) -> Option<(f64, Target)> {
        if !self.goals && !self.regions {
            return None;
        }
        let mut nearest: Option<(f64, Target)> = None;
        space.things_in_sector(space.bodies.positions()[row], sector, |point, place| {
            let (target, distance) = (Target::Thing(place), point.length());
            let counts = self.takes_place(space, row, target) && nearest.is_none_or(|(before, _)| distance < before);
            if counts && self.shows(space, row, point, target) {
                nearest = Some((distance, target));
            }
        });
        nearest
    }

    /// Whether things hide what is behind them.
    pub fn occludes(&self) -> bool {
        self.occlusion
    }
}

/// Whether nothing hides the target at `offset` (m) from the robot in a row.
#[inline(never)]
fn is_in_plain_view(space: &Space, row: usize, offset: DVec2, target: Target) -> bool {
    let eye = space.bodies.positions()[row];
    match target {
        Target::Thing(place) => {
            let solids = space.things.get(place).map_or(0..0, |thing| thing.solids.clone()).map(Target::Solid);
            let except: Vec<Target> = solids.chain([Target::Body(row)]).collect();
            space.shows(eye, offset, &except)
        }
        _ => space.shows(eye, offset, &[Target::Body(row), target]),
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_space::BodyOwner;

    use super::*;

    #[test]
    fn sight_names_match_groups_and_robots() {
        let who = |group: &str, serial| BodyOwner { name: Team::named(group).0, serial, ..BodyOwner::default() };
        let takes = |name: &str, who| Name::of(name).is_some_and(|name| name.is_of(who));
        assert!(takes("prey", who("prey", 7)) && takes("prey-7", who("prey", 7)));
        assert!(!takes("prey-6", who("prey", 7)) && !takes("hunter", who("prey", 7)));
        assert!(takes("a-1", who("a-1", 0)), "a group may have such a name");
        assert_eq!(Name::of(""), None);
    }
}
