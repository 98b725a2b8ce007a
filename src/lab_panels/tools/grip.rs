//! Items that are moved and rotated together.

use bevy::math::DVec2;
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_core::agent::Pose;
use swarmarium_core::kind::{Family as _, Slot};
use swarmarium_core::object::{self, ObjectFamily, Presence};
use swarmarium_core::step::HasArena as _;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

/// Robots and objects in the state in which a drag began.
#[derive(Clone, Debug)]
pub struct Grip {
    /// The held items.
    pub held: Vec<Held>,
    /// The point at which the drag began, in metres.
    pub from_m: DVec2,
}

/// A held robot or object.
#[derive(Clone, Debug)]
pub struct Held {
    /// The item.
    pub item: Item,
    /// The pose at the start of the drag.
    pub pose: Pose,
    /// The radius of the body, in metres; 0 for an object.
    radius_m: f64,
    /// The description, for an object that does not move by itself.
    still: Option<Slot<ObjectFamily>>,
}

impl Grip {
    /// Grips those items that can be moved.
    pub fn of(lab: &Lab, items: &[Item], from_m: DVec2) -> Self {
        let simulation = lab.run.host.simulation();
        Self { held: items.iter().filter_map(|item| Held::of(simulation, *item)).collect(), from_m }
    }

    /// Returns the centre of an item at the start of the drag, in metres.
    pub fn position_m(&self, item: Item) -> Option<DVec2> {
        self.held.iter().find(|held| held.item == item).map(|held| held.pose.position_m)
    }

    /// Returns the mean of the centres, in metres.
    pub fn center_m(&self) -> DVec2 {
        self.held.iter().map(|held| held.pose.position_m).sum::<DVec2>() / self.held.len().max(1) as f64
    }

    /// Returns the edits that move each item to another pose.
    pub fn moved(&self, lab: &Lab, to: impl Fn(&Held) -> Pose) -> Vec<Edit> {
        let simulation = lab.run.host.simulation();
        // Items can be removed during the drag.
        let there = self.held.iter().filter(|held| held.item.exists(simulation));
        there.filter_map(|held| held.edit(simulation, to(held))).collect()
    }

    /// Returns the edits that restore the poses from the start of the drag.
    pub fn back(&self, lab: &Lab) -> Vec<Edit> {
        self.moved(lab, |held| held.pose)
    }
}

impl Held {
    fn of(simulation: &Simulation, item: Item) -> Option<Self> {
        let (position_m, radius_m) = selection::extent(simulation, item)?;
        let pose = |position_m, heading_rad| Pose { position_m, heading_rad };
        match item {
            Item::Agent(number) => Some(Self { item, pose: simulation.agent(number)?.pose, radius_m, still: None }),
            Item::Object(place) => {
                let space = &simulation.world().arena().space;
                let object = simulation.scene_ahead().objects.get(place)?;
                if let Some(row) = space.things.get(place)?.row {
                    let heading_rad = *space.bodies.headings().get(row)?;
                    return Some(Self { item, pose: pose(position_m, heading_rad), radius_m: 0.0, still: None });
                }
                let figure = object::figure_of(simulation.world(), object)?;
                let pose = pose(figure.center_m, object.common().heading_rad);
                Some(Self { item, pose, radius_m: 0.0, still: Some(object.clone()) })
            }
            _ => None,
        }
    }

    /// Whether the item is an object that does not move by itself. It has no visible heading and is rotated by the
    /// angle that the mouse moves around it.
    pub fn lies_still(&self) -> bool {
        self.still.is_some()
    }

    /// Returns the edit that moves the item to a pose.
    pub fn edit(&self, simulation: &Simulation, to: Pose) -> Option<Edit> {
        let most = DVec2::splat(MAX_LENGTH_M);
        let confined_m = || selection::confined_m(simulation, to.position_m, self.radius_m);
        match (self.item, &self.still) {
            (Item::Agent(agent), _) => {
                let DVec2 { x, y } = confined_m();
                Some(Edit::Move { agent, x_m: x, y_m: y, heading_rad: to.heading_rad })
            }
            (Item::Object(place), Some(object)) => {
                let shift_m = to.position_m.clamp(-most, most) - self.pose.position_m;
                let turn_rad = to.heading_rad - self.pose.heading_rad;
                let object = as_it_is(simulation, place, object)?;
                let moved = object::moved_by(simulation.world(), &object, shift_m, turn_rad)?;
                let value = write(simulation.kinds(), &moved, Style::Short);
                Some(Edit::Set { path: format!("objects.{place}"), value })
            }
            (Item::Object(place), None) => {
                let DVec2 { x, y } = confined_m();
                Some(Edit::MoveObject { object: place as u32, x_m: x, y_m: y, heading_rad: to.heading_rad })
            }
            _ => None,
        }
    }
}

/// Returns an object with its geometry from the start of the drag and its present name, colour and other properties;
/// `None` if an object of another kind has replaced it.
fn as_it_is(simulation: &Simulation, place: usize, held: &Slot<ObjectFamily>) -> Option<Slot<ObjectFamily>> {
    let now = simulation.scene_ahead().objects.get(place)?;
    let kind = |object: &Slot<ObjectFamily>| {
        simulation.kinds().of_value(ObjectFamily::NAME, object.value()).map(|kind| kind.name)
    };
    let presence = Presence { heading_rad: held.common().heading_rad, ..now.common().clone() };
    (kind(now) == kind(held)).then(|| held.clone().with(presence))
}
