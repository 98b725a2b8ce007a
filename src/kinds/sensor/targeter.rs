//! Follows one target.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{angle_of, wrap_angle};
use swarmarium_core::sensor::{Mark, Sensor, Viewpoint};
use swarmarium_picture::Picture;
use swarmarium_space::{Space, Target};

use super::{Sight, SightFilter};

/// Chooses a target among the things that count and reads where it is (RobotSwarmSimulator `Targeter`).
///
/// Without a target, all numbers are `NaN`, except that of `Found`, which is 0. Walls cannot be targets.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Targeter {
    /// Range, from the centre of the robot to that of the target; 0: unlimited.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub range_m: f64,
    /// Rule by which the target is chosen.
    pub choice: Choice,
    /// How long the target is kept.
    pub hold: Hold,
    /// Quantities of the reading, one number each.
    pub reads: Vec<Quantity>,
    /// Things that count, and whether they can be hidden.
    pub sight: Sight,
}

impl Default for Targeter {
    fn default() -> Self {
        let (choice, hold, sight) = Default::default();
        Self { range_m: 0.0, choice, hold, reads: vec![Quantity::Distance, Quantity::Bearing], sight }
    }
}

/// The rule by which a target is chosen.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Choice {
    /// The nearest.
    #[default]
    Nearest,
    /// The farthest.
    Farthest,
    /// The first: robots by their number, then objects by their place in the scene.
    First,
}

/// How long a target is kept.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Hold {
    /// Until it is lost: out of range, or hidden.
    #[default]
    RetargetOnLoss,
    /// The target is chosen anew at every reading.
    AlwaysRetarget,
    /// Until it is lost and another target is available.
    HoldLost,
    /// The first target is kept for ever.
    HoldFirst,
}

/// A quantity of a target.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Quantity {
    /// 1 while there is a target, else 0.
    Found,
    /// The distance between the centres, in metres.
    #[default]
    Distance,
    /// Direction of the target, anticlockwise from the heading, from −π to π.
    Bearing,
    /// Its position along x, in metres.
    X,
    /// Its position along y, in metres.
    Y,
    /// Its heading in radians; 0 for an object.
    Heading,
    /// The number of a robot, as in its stable id; for an object, −1 minus its place in the scene.
    Number,
}

/// The target of a sensor, by an identity that never changes.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// None.
    #[default]
    Nobody,
    /// The agent with this number.
    Agent(u32),
    /// The object at this place of the scene.
    Thing(u32),
}

impl Aim {
    fn at(target: Target, space: &Space) -> Self {
        match target {
            Target::Body(row) => Self::Agent(space.bodies.owners()[row].number),
            Target::Thing(place) => Self::Thing(place as u32),
            Target::Solid(_) | Target::Wall => Self::Nobody,
        }
    }

    /// The present target, if it still exists.
    fn target(self, space: &Space) -> Option<Target> {
        match self {
            Self::Nobody => None,
            Self::Agent(number) => space.bodies.row_of(number).map(Target::Body),
            Self::Thing(place) => Some(place as usize).filter(|place| *place < space.things.len()).map(Target::Thing),
        }
    }
}

/// The centre of a possible target, in metres.
fn position(space: &Space, target: Target) -> DVec2 {
    match target {
        Target::Body(row) => space.bodies.positions()[row],
        Target::Thing(place) => space.things[place].position,
        Target::Solid(_) | Target::Wall => DVec2::NAN,
    }
}

fn offset(space: &Space, row: usize, target: Target) -> DVec2 {
    space.arena.offset(space.bodies.positions()[row], position(space, target))
}

impl Targeter {
    /// Whether a target counts, is in range and in view.
    fn senses(&self, wanted: &SightFilter, space: &Space, row: usize, target: Target) -> bool {
        let offset = offset(space, row, target);
        wanted.takes(space, row, target)
            && (self.range_m == 0.0 || offset.length_squared() <= self.range_m * self.range_m)
            && wanted.shows(space, row, offset, target)
    }

    fn choose(&self, wanted: &SightFilter, space: &Space, row: usize) -> Option<Target> {
        let eye = space.bodies.positions()[row];
        let things = (0..space.things.len()).map(Target::Thing);
        let senses = |target: &Target| self.senses(wanted, space, row, *target);
        let distance = |target: &Target| offset(space, row, *target).length_squared();
        let nearer = |a: &Target, b: &Target| distance(a).total_cmp(&distance(b));
        // The first of several that are equally far.
        let farther = |a: &Target, b: &Target| nearer(a, b).then(std::cmp::Ordering::Greater);
        let agents = (0..space.bodies.len()).map(Target::Body);
        match self.choice {
            Choice::Nearest => {
                let accept = |row: usize| senses(&Target::Body(row));
                let agent =
                    if wanted.agents { space.index().nearest(eye, Some(row), |other| accept(other.row)) } else { None };
                agent.map(|agent| Target::Body(agent.row)).into_iter().chain(things.filter(senses)).min_by(nearer)
            }
            Choice::Farthest => agents.chain(things).filter(senses).max_by(farther),
            Choice::First => agents.chain(things).find(senses),
        }
    }

    /// The target after this reading.
    fn aim(&self, wanted: &SightFilter, before: Aim, space: &Space, row: usize) -> Aim {
        let kept = before.target(space);
        let is_sensed = kept.is_some_and(|target| self.senses(wanted, space, row, target));
        let stays = match self.hold {
            Hold::AlwaysRetarget => false,
            Hold::RetargetOnLoss | Hold::HoldLost => is_sensed,
            Hold::HoldFirst => before != Aim::Nobody,
        };
        if stays {
            return before;
        }
        match (self.choose(wanted, space, row), self.hold) {
            (Some(target), _) => Aim::at(target, space),
            (None, Hold::HoldLost) if kept.is_some() => before,
            (None, _) => Aim::Nobody,
        }
    }
}

impl Quantity {
    /// The value without a target. A zero could be a position.
    fn of_none(self) -> f64 {
        if self == Self::Found { 0.0 } else { f64::NAN }
    }

    fn of(self, target: Option<Target>, space: &Space, row: usize) -> f64 {
        let Some(target) = target else { return self.of_none() };
        let offset = offset(space, row, target);
        match self {
            Self::Found => 1.0,
            Self::Distance => offset.length(),
            Self::Bearing => wrap_angle(angle_of(offset) - space.bodies.headings()[row]),
            Self::X => position(space, target).x,
            Self::Y => position(space, target).y,
            Self::Heading => match target {
                Target::Body(row) => space.bodies.headings()[row],
                _ => 0.0,
            },
            Self::Number => match target {
                Target::Body(row) => f64::from(space.bodies.owners()[row].number),
                Target::Thing(place) => -1.0 - place as f64,
                Target::Solid(_) | Target::Wall => f64::NAN,
            },
        }
    }
}

impl Sensor for Targeter {
    type Prepared = SightFilter;
    type Memory = Aim;

    fn prepare(&self) -> SightFilter {
        self.sight.prepare()
    }

    fn channels(&self) -> usize {
        self.reads.len()
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        let quantity = self.reads.get(channel).copied().unwrap_or_default();
        let unit = match quantity {
            Quantity::Distance | Quantity::X | Quantity::Y => "m",
            Quantity::Bearing | Quantity::Heading => "rad",
            Quantity::Found | Quantity::Number => "",
        };
        (format!("{quantity:?}"), unit)
    }

    fn blank(&self, reading: &mut [f64]) {
        reading.iter_mut().zip(&self.reads).for_each(|(value, quantity)| *value = quantity.of_none());
    }

    fn read(&self, wanted: &SightFilter, aim: &mut Aim, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, .. } = from;
        *aim = self.aim(wanted, *aim, space, row);
        let target = aim.target(space);
        for (value, quantity) in reading.iter_mut().zip(&self.reads) {
            *value = quantity.of(target, space, row);
        }
    }

    fn sees(&self, _: &SightFilter, aim: &Aim, from: Viewpoint) -> Option<Target> {
        aim.target(from.space)
    }

    fn draw(&self, aim: &Aim, space: &Space, row: usize, _: &[f64], picture: &mut Picture) {
        let eye = space.bodies.positions()[row];
        let target = aim.target(space);
        if self.range_m > 0.0 {
            Mark { detects: false }.circle(eye, self.range_m, picture);
        }
        if let Some(target) = target {
            let mark = Mark { detects: true };
            let end = eye + offset(space, row, target);
            mark.segment([eye, end], picture);
            let radius_m = match target {
                Target::Body(row) => space.bodies.radii()[row],
                _ => 0.0,
            };
            mark.circle(end, radius_m + 3.0 / picture.pixels_per_m, picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use swarmarium_space::{Boundary, Form, Thing};

    use super::*;
    use crate::sensor::tests::{Looks, space_with};

    /// A robot at the origin of (5, 5), and others along y at these distances.
    fn space(distances_m: &[f64]) -> Space {
        let eye = DVec2::splat(5.0);
        let others = distances_m.iter().map(|distance| (eye + *distance * DVec2::Y, 0.1));
        space_with(Boundary::Open, &std::iter::once((eye, 0.1)).chain(others).collect::<Vec<_>>())
    }

    fn targeter(choice: Choice, hold: Hold) -> Targeter {
        Targeter { choice, hold, range_m: 4.0, ..Default::default() }
    }

    fn numbers(targeter: &Targeter, spaces: &[&[f64]]) -> Vec<f64> {
        let targeter = Targeter { reads: vec![Quantity::Number], ..targeter.clone() };
        let mut looks = Looks::of(&targeter);
        let seen = spaces.iter().map(|distances_m| looks.read(&space(distances_m))[0]);
        seen.map(|number| if number.is_nan() { -1.0 } else { number }).collect()
    }

    #[test]
    fn reads_where_its_target_is() {
        let reads = vec![Quantity::Found, Quantity::Distance, Quantity::Bearing, Quantity::X, Quantity::Y];
        let targeter = Targeter { reads, ..Default::default() };
        let reading = Looks::of(&targeter).read(&space(&[3.0, 2.0]));
        assert_eq!(reading, [1.0, 2.0, FRAC_PI_2, 5.0, 7.0]);
        let nothing = Looks::of(&targeter).read(&space(&[]));
        assert!(nothing[0] == 0.0 && nothing[1..].iter().all(|value| value.is_nan()));
    }

    #[test]
    fn each_choice_takes_another_one_in_range() {
        let choose = |choice| numbers(&targeter(choice, Hold::default()), &[&[3.0, 2.0, 9.0, 3.5]])[0];
        assert_eq!([Choice::Nearest, Choice::Farthest, Choice::First].map(choose), [2.0, 4.0, 1.0]);
        assert_eq!(numbers(&targeter(Choice::Nearest, Hold::default()), &[&[4.1]]), [-1.0]);
    }

    #[test]
    fn each_hold_keeps_its_target_otherwise() {
        // The second comes nearer; the first goes out of range; both do; both are back, the second nearer.
        let spaces: [&[f64]; 5] = [&[2.0, 3.0], &[2.0, 1.0], &[9.0, 1.0], &[9.0, 9.0], &[2.0, 1.0]];
        for (hold, expected) in [
            (Hold::AlwaysRetarget, [1.0, 2.0, 2.0, -1.0, 2.0]),
            (Hold::RetargetOnLoss, [1.0, 1.0, 2.0, -1.0, 2.0]),
            (Hold::HoldLost, [1.0, 1.0, 2.0, 2.0, 2.0]),
            (Hold::HoldFirst, [1.0; 5]),
        ] {
            assert_eq!(numbers(&targeter(Choice::Nearest, hold), &spaces), expected, "{hold:?}");
        }
    }

    #[test]
    fn obstacles_are_targets_when_they_count_and_hide_when_they_occlude() {
        let mut space = space(&[3.0]);
        let (center, radius) = (DVec2::new(5.0, 6.0), 0.3);
        let solid = space.solids.add_disc(center, radius).unwrap();
        let (forms, solids) = (vec![Form::Disc { center, radius }], solid..solid + 1);
        space.things.push(Thing { position: center, forms, solids, name: "post".into(), ..Thing::default() });
        let mut targeter = Targeter { reads: vec![Quantity::Number], ..Default::default() };
        assert_eq!(Looks::of(&targeter).read(&space), [1.0]);
        targeter.sight.occlusion = true;
        assert!(Looks::of(&targeter).read(&space)[0].is_nan());
        targeter.sight.obstacles = true;
        assert_eq!(Looks::of(&targeter).read(&space), [-1.0]);
        targeter.sight = Sight { name: "post".into(), obstacles: true, ..Default::default() };
        assert_eq!(Looks::of(&targeter).read(&space), [-1.0]);
        targeter.sight.obstacles = false;
        assert!(Looks::of(&targeter).read(&space)[0].is_nan());
    }
}
