//! Helpers of metrics for objects that robots push.

use swarmarium_core::metric::Census;
use swarmarium_core::object::gone::Gone;
use swarmarium_core::object::movable::FrictionWork;
use swarmarium_core::step::HasArena as _;
use swarmarium_scene::check::unknown;
use swarmarium_scene::scene::Scene;
use swarmarium_space::{Thing, ThingKind};

/// The objects of a name; those that robots push if the name is empty.
pub fn objects<'a>(name: &'a str, census: Census<'a>) -> impl Iterator<Item = &'a Thing> {
    census.all().things.iter().filter(move |thing| {
        thing.what != ThingKind::Nothing && if name.is_empty() { thing.can_be_pushed } else { thing.name == name }
    })
}

/// The work (J) of all pushes of an object so far.
pub fn work_j(census: Census, object: &Thing) -> Option<f64> {
    let arena = census.world().arena();
    let object = arena.actors.get(object.row?.checked_sub(arena.agents.len())?)?;
    census.world().get::<FrictionWork>(*object).map(|work| work.0)
}

/// The problem with the name of an object in a field of a metric, if the scene has no object of that name.
pub fn unknown_object(field: &'static str, name: &str, scene: &Scene) -> Option<(&'static str, String)> {
    unknown("object", name, scene, |object| !object.is::<Gone>()).map(|message| (field, message))
}
