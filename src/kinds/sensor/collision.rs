//! Detects contact.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::agent::Team;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields, Property, Value};
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_space::{Outline, Space, Target};

use super::Mount;

/// Reads 1 while its body, or a disc around the sensor, touches a robot, an obstacle or a wall, else 0. Clients receive
/// the names of all touched objects, and no data without contact (MORSE `Collision`).
///
/// A body that is stopped in a step touches the obstacle that stopped it, however long the step. With a radius, only
/// contacts of the disc count.
#[kind(section = "Distance", words = "bumper, touch, contact, bump, hit")]
pub struct Collision {
    /// Radius of the disc. 0: the body with a small margin, a polygon as it is and a disc around the position of the
    /// sensor.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub radius_m: f64,
    /// Name or team of the objects, or group or team of the robots, that count. Empty: everything counts.
    pub only: String,
    /// Position and orientation on the robot.
    pub mount: Mount,
}

/// Margin around the body, which never quite touches what it runs into.
const SKIN_M: f64 = 0.01;

/// The present contacts.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// The numbers of the robots.
    robots: Vec<u32>,
    /// The names of the objects.
    objects: Vec<String>,
}

impl Collision {
    /// The outline that senses contact, and the margin (m) around it.
    fn skin<'a>(&self, space: &'a Space, row: usize) -> (Outline<'a>, f64) {
        let disc = |radius| Outline::Disc { center: self.mount.eye(space, row).0, radius };
        match space.bodies.outline(row) {
            _ if self.radius_m > 0.0 => (disc(self.radius_m), 0.0),
            Some(solid) => (space.solids.outline(solid), SKIN_M),
            None => (disc(space.bodies.radii()[row] + SKIN_M), 0.0),
        }
    }

    /// Visits everything that counts and is touched; an item can be visited more than once.
    fn touch(&self, only: Option<u32>, space: &Space, row: usize, mut visit: impl FnMut(Target)) {
        let (outline, gap_m) = self.skin(space, row);
        let (low, high) = outline.bounds();
        let (center, radius_m) = match outline {
            Outline::Disc { center, radius } => (center, radius),
            Outline::Polygon(_) => (low.midpoint(high), 0.5 * low.distance(high) + gap_m),
        };
        let is_robot_wanted = |other: usize| {
            let of = [space.bodies.groups()[other], space.bodies.owners()[other].name];
            only.is_none_or(|only| of.contains(&only))
        };
        let is_object_wanted = |solid: usize| {
            let thing = || space.owner_of(solid).and_then(|place| space.things.get(place));
            only.is_none_or(|only| thing().is_some_and(|thing| only == thing.team || thing.name == self.only))
        };
        // The obstacle that stopped the body can be as far away as the length of the step.
        for bump in space.bumps().iter().filter(|_| self.radius_m == 0.0) {
            match bump.into {
                Target::Body(other) if bump.row == row && is_robot_wanted(other) => visit(Target::Body(other)),
                Target::Body(other) if other == row && is_robot_wanted(bump.row) => visit(Target::Body(bump.row)),
                Target::Solid(solid) if bump.row == row && is_object_wanted(solid) => visit(bump.into),
                Target::Wall if bump.row == row && only.is_none() => visit(Target::Wall),
                _ => {}
            }
        }
        space.index().within_range(center, radius_m, Some(row), |other| {
            let disc = Outline::Disc { center: center + other.offset, radius: space.bodies.radii()[other.row] };
            let is_disc = space.bodies.outline(other.row).is_none();
            if is_disc && is_robot_wanted(other.row) && outline.is_within(&disc, DVec2::ZERO, gap_m) {
                visit(Target::Body(other.row));
            }
        });
        space.near_solids(low - gap_m, high + gap_m, |solid, shift| {
            let part = space.solids.properties(solid);
            let is_own = part.owner == Some(row);
            if is_own || !part.blocks || !outline.is_within(&space.solids.outline(solid), shift, gap_m) {
                return;
            }
            match part.owner.filter(|_| part.is_body) {
                Some(other) if is_robot_wanted(other) => visit(Target::Body(other)),
                None if is_object_wanted(solid) => visit(Target::Solid(solid)),
                _ => {}
            }
        });
        if only.is_none() && [low, high].into_iter().any(|corner| space.arena.has_wall_near(corner, gap_m)) {
            visit(Target::Wall);
        }
    }
}

/// The name of an object in messages; a wall of the arena is `wall`.
fn name_of(space: &Space, target: Target) -> String {
    let Target::Solid(solid) = target else { return "wall".into() };
    let place = space.owner_of(solid).unwrap_or(space.things.len());
    match space.things.get(place) {
        Some(thing) if !thing.name.is_empty() => thing.name.clone(),
        _ => format!("object_{place}"),
    }
}

impl Sensor for Collision {
    /// The number of the team or group that counts; `None` for everything.
    type Prepared = Option<u32>;
    type Memory = Contacts;
    const NAMES: &'static [&'static str] = &["collision"];
    const ABOUT: About = About {
        class: "Collision",
        services: &[],
        properties: &[Property {
            name: "only_objects_with_property",
            field: "only",
            unit: 1.0,
            type_name: "string",
            attribute: "only_objects_with_property",
        }],
    };

    fn prepare(&self) -> Option<u32> {
        (!self.only.is_empty()).then(|| Team::named(&self.only).0)
    }

    fn gauge(&self) -> Gauge {
        Gauge::Lamps
    }

    fn read(&self, only: &Option<u32>, contacts: &mut Contacts, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, .. } = from;
        let Contacts { robots, objects } = contacts;
        robots.clear();
        objects.clear();
        self.touch(*only, space, row, |target| match target {
            Target::Body(other) => robots.push(space.bodies.owners()[other].number),
            other => objects.push(name_of(space, other)),
        });
        robots.sort_unstable();
        robots.dedup();
        objects.sort_unstable();
        objects.dedup();
        reading[0] = f64::from(!robots.is_empty() || !objects.is_empty());
    }

    fn sees(&self, only: &Option<u32>, _: &Contacts, from: Viewpoint) -> Option<Target> {
        let mut first = None;
        self.touch(*only, from.space, from.row, |target| _ = first.get_or_insert(target));
        first
    }

    fn message(&self, contacts: &Contacts, reading: &[f64], who: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let touches = reading.iter().any(|value| *value > 0.5);
        let robots = contacts.robots.iter().map(|number| who(*number));
        let names: Vec<String> = robots.chain(contacts.objects.iter().cloned()).collect();
        message.extend([("collision".into(), Value::Bool(touches)), ("objects".into(), names.join(",").into())]);
        touches
    }

    fn draw(&self, _: &Contacts, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let mark = Mark { detects: reading.iter().any(|value| *value > 0.5) };
        match self.skin(space, row).0 {
            Outline::Disc { center, radius } => mark.circle(center, radius, picture),
            Outline::Polygon(corners) => {
                let line = Shape::Line { points: corners.to_vec(), closed: true, pen: mark.width().into() };
                picture.add(Layer::Sensors, mark.line(), line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::random::Draws;
    use swarmarium_core::sensor::Own;
    use swarmarium_space::{BodyOwner, Boundary, Halting, Surroundings, Thing};

    use super::*;
    use crate::sensor::tests::{Looks, put, sees, space_with};

    #[test]
    fn collision_sensor_sends_names_only_during_contact() {
        let mut space = space_with(Boundary::Walls, &[(DVec2::splat(5.0), 0.3), (DVec2::new(6.0, 5.0), 0.3)]);
        let square = [(2.0, 4.5), (3.0, 4.5), (3.0, 5.5), (2.0, 5.5)].map(DVec2::from);
        let solid = space.solids.add_polygon(&square).unwrap();
        let thing = Thing { name: "dala".into(), solids: solid..solid + 1, ..Thing::default() };
        space.things.push(thing);
        let sensor = Collision::default();
        let mut looks = Looks::of(&sensor);
        let mut told = |x: f64| {
            put(&mut space, DVec2::new(x, 5.0), 0.0);
            let reading = looks.read(&space);
            assert_eq!(sees(&sensor, &space).is_some(), reading == [1.0]);
            looks.message(&reading).map(|message| message[1].1.text().unwrap_or_default().to_owned())
        };
        assert_eq!(told(5.0), None);
        assert_eq!(told(5.395).as_deref(), Some("r1"));
        assert_eq!(told(3.305).as_deref(), Some("dala"));
        assert_eq!(told(0.305).as_deref(), Some("wall"));
        assert_eq!(told(5.0), None, "it lets go");
    }

    #[test]
    fn collision_sensor_feels_the_body_that_stopped_its_robot() {
        let at = [(DVec2::splat(5.0), 0.3), (DVec2::new(6.0, 5.0), 0.3)];
        let mut space = space_with(Boundary::Open, &at);
        space.bodies.identify(1, BodyOwner { number: 1, name: Team::named("dala").0, ..BodyOwner::default() });
        let before = [0, 1].map(|row| space.stand(row));
        put(&mut space, DVec2::new(5.5, 5.0), 0.0);
        assert_eq!(space.halt(Halting::All, &before).len(), 1);
        for (only, expected) in [("", 1.0), ("dala", 1.0), ("obstacle", 0.0)] {
            let sensor = Collision { only: only.into(), ..Collision::default() };
            assert_eq!(Looks::of(&sensor).read(&space), [expected], "{only}");
            let bumper = Collision { radius_m: 0.3, ..sensor };
            assert_eq!(Looks::of(&bumper).read(&space), [0.0], "a disc of its own reaches nothing");
        }
        // The body that it ran into touches it too.
        let (around, own) = (&mut Surroundings::default(), &Own::default());
        let from = Viewpoint { space: &space, row: 1, around, hint: None, wheels: None, own, draws: Draws::default() };
        let sensor = Collision::default();
        assert_eq!(sensor.sees(&None, &Contacts::default(), from), Some(Target::Body(0)));
    }

    #[test]
    fn collision_sensor_can_exclude_robots_and_be_mounted_ahead() {
        let space = space_with(Boundary::Open, &[(DVec2::splat(5.0), 0.3), (DVec2::new(5.6, 5.0), 0.3)]);
        let read = |sensor: &Collision| Looks::of(sensor).read(&space)[0];
        assert_eq!(read(&Collision::default()), 1.0);
        assert_eq!(read(&Collision { only: "obstacle".into(), ..Collision::default() }), 0.0);
        let bumper =
            |x_m| Collision { radius_m: 0.05, mount: Mount { x_m, ..Mount::default() }, ..Collision::default() };
        assert_eq!([bumper(0.3), bumper(-0.3)].map(|sensor| read(&sensor)), [1.0, 0.0]);
    }
}
