//! Follows one target.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{angle_of, wrap_angle};
use swarmarium_base::variant::Variant;
use swarmarium_core::agent::Row;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::agent::failure::Blind;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::{Mark, Reading, Sensor, Viewpoint};
use swarmarium_core::step::plan::StepContext;
use swarmarium_picture::Picture;
use swarmarium_space::{Space, Target};

use super::{Sight, SightFilter};

/// Chooses a target among the things that count and reads where it is (RobotSwarmSimulator `Targeter`).
///
/// Without a target, all numbers are `NaN`, except that of `Found`, which is 0. Walls cannot be targets. Noise that
/// leaves no number, such as `Dropout` with `instead: Nothing`, makes it miss its target.
#[kind(section = "Robots", words = "target, tracker, aim, find")]
pub struct Targeter {
    /// Range, from the centre of the robot to that of the target; 0: unlimited.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub range_m: f64,
    /// Rule by which the target is chosen.
    pub choice: Choice,
    /// How long the target is kept.
    pub hold: Hold,
    /// Quantities of the reading, one number each.
    #[default(vec![Quantity::Distance, Quantity::Bearing])]
    pub reads: Vec<Quantity>,
    /// Things that count, and whether they can be hidden.
    pub sight: Sight,
    /// Names of the objects, groups or single robots that count, if there are several; the name in `sight` is then
    /// ignored.
    pub names: Vec<String>,
    /// `Classic`: the position in the reading is that of the target at any moment, in sequential order, and stays when
    /// the sensor misses its target. `HoldFirst` keeps robots only.
    pub variant: Variant,
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
    /// A new target is chosen at every reading.
    AlwaysRetarget,
    /// Until it is lost and another target is available.
    HoldLost,
    /// The first target is kept forever.
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
    /// The number of a robot (column `agent` of `trace.csv`); for an object, −1 minus its place in the scene.
    Number,
}

/// The memory of a [`Targeter`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pursuit {
    /// The present target.
    target: Aim,
    /// The last target that was not missed.
    shown: Aim,
}

/// The target of a sensor, by an identity that never changes.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    fn senses(&self, filters: &Filters, space: &Space, row: usize, target: Target) -> bool {
        let offset = offset(space, row, target);
        filters.iter().any(|filter| filter.takes(space, row, target))
            && (self.range_m == 0.0 || offset.length_squared() <= self.range_m * self.range_m)
            && filters.iter().all(|filter| filter.shows(space, row, offset, target))
    }

    fn choose(&self, filters: &Filters, space: &Space, row: usize) -> Option<Target> {
        let eye = space.bodies.positions()[row];
        let things = (0..space.things.len()).map(Target::Thing);
        let senses = |target: &Target| self.senses(filters, space, row, *target);
        let distance = |target: &Target| offset(space, row, *target).length_squared();
        let nearer = |a: &Target, b: &Target| distance(a).total_cmp(&distance(b));
        // The first of several that are equally far.
        let farther = |a: &Target, b: &Target| nearer(a, b).then(std::cmp::Ordering::Greater);
        let agents = (0..space.bodies.len()).map(Target::Body);
        match self.choice {
            Choice::Nearest => {
                let accept = |row: usize| senses(&Target::Body(row));
                let agent = if self.sight.agents {
                    space.index().nearest(eye, Some(row), |other| accept(other.row))
                } else {
                    None
                };
                agent.map(|agent| Target::Body(agent.row)).into_iter().chain(things.filter(senses)).min_by(nearer)
            }
            Choice::Farthest => agents.chain(things).filter(senses).max_by(farther),
            Choice::First => agents.chain(things).find(senses),
        }
    }

    /// The target after this reading.
    fn aim(&self, filters: &Filters, before: Aim, space: &Space, row: usize) -> Aim {
        let kept = before.target(space);
        let is_sensed = kept.is_some_and(|target| self.senses(filters, space, row, target));
        let stays = match self.hold {
            Hold::AlwaysRetarget => false,
            Hold::RetargetOnLoss | Hold::HoldLost => is_sensed,
            Hold::HoldFirst => match before {
                Aim::Nobody => false,
                Aim::Agent(_) => true,
                Aim::Thing(_) => self.variant == Variant::Corrected,
            },
        };
        if stays {
            return before;
        }
        match (self.choose(filters, space, row), self.hold) {
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

/// The targets that count: one filter for each name.
type Filters = Vec<SightFilter>;

impl Sensor for Targeter {
    type Prepared = Filters;
    type Memory = Pursuit;

    fn prepare(&self) -> Filters {
        if self.names.is_empty() {
            return vec![self.sight.prepare()];
        }
        let named = |name: &String| Sight { name: name.clone(), ..self.sight.clone() }.prepare();
        self.names.iter().map(named).collect()
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

    fn noise_bounds(&self, channel: usize) -> NoiseBounds {
        let high = if self.range_m > 0.0 { self.range_m } else { f64::INFINITY };
        match self.reads.get(channel) {
            Some(Quantity::Number) => NoiseBounds::Exempt,
            Some(Quantity::Distance) => NoiseBounds::Within { low: 0.0, high, nothing: None },
            _ => NoiseBounds::Free,
        }
    }

    fn blank(&self, reading: &mut [f64]) {
        reading.iter_mut().zip(&self.reads).for_each(|(value, quantity)| *value = quantity.of_none());
    }

    fn read(&self, filters: &Filters, pursuit: &mut Pursuit, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, .. } = from;
        pursuit.target = self.aim(filters, pursuit.target, space, row);
        let target = pursuit.target.target(space);
        for (value, quantity) in reading.iter_mut().zip(&self.reads) {
            *value = quantity.of(target, space, row);
        }
    }

    fn finish(&self, pursuit: &mut Pursuit, reading: &mut [f64]) {
        let is_missed = !reading.is_empty() && reading.iter().all(|value| value.is_nan());
        if is_missed {
            self.blank(reading);
        }
        if pursuit.target == Aim::Nobody {
            return;
        }
        match self.hold {
            _ if !is_missed => pursuit.shown = pursuit.target,
            Hold::HoldFirst => {}
            Hold::HoldLost => pursuit.target = pursuit.shown,
            Hold::RetargetOnLoss | Hold::AlwaysRetarget => pursuit.target = Aim::Nobody,
        }
    }

    fn sees(&self, _: &Filters, pursuit: &Pursuit, from: Viewpoint) -> Option<Target> {
        pursuit.target.target(from.space)
    }

    fn draw(&self, pursuit: &Pursuit, space: &Space, row: usize, _: &[f64], picture: &mut Picture) {
        let eye = space.bodies.positions()[row];
        let target = pursuit.target.target(space);
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

/// Updates the positions in the readings of one or all classic targeters: they are those of the targets at this moment.
pub(super) fn follow(
    InMut(StepContext { arena, turn, .. }): InMut<StepContext>,
    mut sensors: Query<(&Targeter, &Pursuit, &mut Reading, &Row), (Without<Dead>, Without<Blind>)>,
) {
    let space = &arena.space;
    let update = |(targeter, pursuit, mut reading, row): (&Targeter, &Pursuit, Mut<Reading>, &Row)| {
        let Some(target) = pursuit.shown.target(space).filter(|_| targeter.variant == Variant::Classic) else {
            return;
        };
        for (value, quantity) in reading.values.iter_mut().zip(&targeter.reads) {
            if matches!(quantity, Quantity::X | Quantity::Y) {
                *value = quantity.of(Some(target), space, row.0 as usize);
            }
        }
    };
    match *turn {
        Some(sensor) => drop(sensors.get_mut(sensor).map(update)),
        None => sensors.iter_mut().for_each(update),
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use swarmarium_space::{BodyOwner, Boundary, Form, Thing};

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
    fn targeter_reads_the_position_of_its_target() {
        let reads = vec![Quantity::Found, Quantity::Distance, Quantity::Bearing, Quantity::X, Quantity::Y];
        let targeter = Targeter { reads, ..Default::default() };
        let reading = Looks::of(&targeter).read(&space(&[3.0, 2.0]));
        assert_eq!(reading, [1.0, 2.0, FRAC_PI_2, 5.0, 7.0]);
        let nothing = Looks::of(&targeter).read(&space(&[]));
        assert!(nothing[0] == 0.0 && nothing[1..].iter().all(|value| value.is_nan()));
    }

    #[test]
    fn each_targeter_choice_selects_another_target() {
        let choose = |choice| numbers(&targeter(choice, Hold::default()), &[&[3.0, 2.0, 9.0, 3.5]])[0];
        assert_eq!([Choice::Nearest, Choice::Farthest, Choice::First].map(choose), [2.0, 4.0, 1.0]);
        assert_eq!(numbers(&targeter(Choice::Nearest, Hold::default()), &[&[4.1]]), [-1.0]);
    }

    #[test]
    fn each_targeter_hold_keeps_its_target_differently() {
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
    fn targeter_selects_the_first_of_equally_distant_targets_and_several_names() {
        let mut space = space(&[2.0, -2.0, 1.0]);
        let team = |name: &str| swarmarium_core::agent::Team::named(name).0;
        for (row, name) in ["me", "a", "b", "c"].into_iter().enumerate() {
            space.bodies.identify(row, BodyOwner { number: row as u32, name: team(name), ..BodyOwner::default() });
        }
        let number = |names: &[&str], choice| {
            let names = names.iter().map(ToString::to_string).collect();
            let reads = vec![Quantity::Number];
            Looks::of(&Targeter { names, choice, reads, ..Default::default() }).read(&space)[0]
        };
        assert_eq!(number(&["b", "a"], Choice::Nearest), 1.0);
        assert_eq!(number(&["b", "a"], Choice::Farthest), 1.0);
        assert_eq!(number(&["c", "b"], Choice::First), 2.0);
        assert!(number(&["d"], Choice::First).is_nan());
    }

    #[test]
    fn targeter_selects_again_after_a_lost_target_unless_held() {
        let near = |hold| {
            let targeter =
                Targeter { reads: vec![Quantity::Found, Quantity::Number], ..targeter(Choice::Nearest, hold) };
            let mut looks = Looks::of(&targeter);
            looks.read(&space(&[2.0, 3.0]));
            // Noise leaves no number.
            let mut missed = [f64::NAN; 2];
            targeter.finish(&mut looks.memory, &mut missed);
            assert!(missed[0] == 0.0 && missed[1].is_nan());
            looks.read(&space(&[2.0, 1.0]))[1]
        };
        use Hold::{AlwaysRetarget, HoldFirst, HoldLost, RetargetOnLoss};
        assert_eq!([RetargetOnLoss, AlwaysRetarget, HoldLost, HoldFirst].map(near), [2.0, 2.0, 1.0, 1.0]);
    }

    #[test]
    fn targeter_can_select_obstacles_and_respect_occlusion() {
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
