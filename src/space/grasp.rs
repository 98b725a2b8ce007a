//! Objects that robots hold.

use bevy::math::DVec2;
use swarmarium_base::math;

use super::halt::BodyPose;
use super::sector::Sector;
use super::solid::SolidProperties;
use super::{Space, Thing};

/// A robot that holds an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grasp {
    /// The row of the robot.
    pub row: usize,
    /// The index of the object in the scene.
    pub thing: usize,
    /// The point (m) of the grasp in the frame of the robot, whose x axis is ahead.
    pub on_robot: DVec2,
    /// The point (m) of the grasp relative to the centre of the object, in the frame of the object.
    pub on_thing: DVec2,
    /// The heading (rad) of the robot minus that of the object at the time of the grasp.
    pub turn: f64,
    /// The largest force (N) of the gripper.
    pub force_n: f64,
    /// Whether the robot lifts the object, which then has no friction on the floor.
    pub lifts: bool,
}

impl Grasp {
    /// The point (m) of the grasp on the robot at a pose.
    #[must_use]
    pub fn point_on_robot(&self, robot: BodyPose) -> DVec2 {
        robot.position + math::direction(robot.heading).rotate(self.on_robot)
    }

    /// The point (m) of the grasp on the object at a pose.
    #[must_use]
    pub fn point_on_thing(&self, thing: BodyPose) -> DVec2 {
        thing.position + math::direction(thing.heading).rotate(self.on_thing)
    }
}

impl Space {
    /// The object with a point in `sector`, with its tip at `center`, that is nearest to the tip, among those that
    /// `accept` accepts; and that point (m) relative to the tip. Of several, the first one.
    pub fn nearest_thing_in(
        &self,
        center: DVec2,
        sector: &Sector,
        accept: impl Fn(usize, &Thing) -> bool,
    ) -> Option<(usize, DVec2)> {
        let mut nearest: Option<(usize, DVec2)> = None;
        self.solids.near_box(&self.arena, center - sector.range, center + sector.range, |solid, shift| {
            let Some(place) = self.owner_of(solid) else { return };
            if !accept(place, &self.things[place]) {
                return;
            }
            let Some(point) = self.solids.outline(solid).nearest_in(sector, shift - center) else { return };
            let key = |(place, point): (usize, DVec2)| (point.length_squared(), place);
            if nearest.is_none_or(|before| key((place, point)) < key(before)) {
                nearest = Some((place, point));
            }
        });
        nearest
    }

    /// The name of an object in texts, by its index in the scene.
    #[must_use]
    pub fn name_of_thing(&self, place: usize) -> String {
        match self.things.get(place) {
            Some(thing) if !thing.name.is_empty() => thing.name.clone(),
            _ => format!("object {place}"),
        }
    }

    /// Whether a solid is part of the object that the robot in a row holds: it does not stop that robot.
    pub(super) fn is_held_by(&self, row: usize, part: &SolidProperties) -> bool {
        !self.grasps.is_empty()
            && part.owner.is_some()
            && self
                .held_by(row)
                .is_some_and(|place| self.things.get(place).is_some_and(|thing| thing.row == part.owner))
    }

    /// The object that the robot in a row holds, as its index in the scene.
    #[must_use]
    pub fn held_by(&self, row: usize) -> Option<usize> {
        let place = self.grasps.binary_search_by_key(&row, |grasp| grasp.row).ok()?;
        Some(self.grasps[place].thing)
    }
}
