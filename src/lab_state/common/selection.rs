//! The selection: by a click in the world, in the tree, or with a key.

use bevy::math::DVec2;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_core::kind::Family as _;
use swarmarium_core::metric::{MetricInfo, MetricKinds, names_of};
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::step::HasArena as _;
use swarmarium_host::clock::host::Names;
use swarmarium_scene::scene::description::Group;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::{Space, Thing, ThingKind};

/// The selected items.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The item that was selected last, which the inspector shows.
    pub item: Option<Item>,
    /// All selected items without repetition, in the order of selection; `item` is the last one.
    pub items: Vec<Item>,
    /// The number of changes of the selection.
    pub changes: u64,
}

/// An item that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Item {
    /// An agent, by its number.
    Agent(u32),
    /// A group, by its place in the scene.
    Group(usize),
    /// An object, by its place in the scene.
    Object(usize),
    /// A group of objects that a spawner places, by its place in the scene.
    ObjectGroup(usize),
    /// The spawner of a group, by the place of the group.
    Spawner(usize),
    /// A metric, by its place in the scene.
    Metric(usize),
    /// The parameters of the whole scene, such as arena and clock.
    Scene,
}

impl Item {
    /// Returns the agent, if the item is one.
    pub fn agent(self) -> Option<StableId> {
        match self {
            Self::Agent(number) => Some(StableId::agent(number)),
            _ => None,
        }
    }

    /// Returns the list of an agent or object and its index there, as paths use them.
    pub fn entry(self) -> Option<(&'static str, usize)> {
        match self {
            Self::Agent(number) => Some(("agents", number as usize)),
            Self::Object(place) => Some(("objects", place)),
            Self::Group(_) | Self::ObjectGroup(_) | Self::Spawner(_) | Self::Metric(_) | Self::Scene => None,
        }
    }

    /// Returns the path of an item that belongs to a list of the scene.
    pub fn part_path(self) -> Option<String> {
        Some(match self {
            Self::Group(place) => format!("groups.{place}"),
            Self::Object(place) => format!("objects.{place}"),
            Self::ObjectGroup(place) => format!("object_groups.{place}"),
            Self::Metric(place) => format!("metrics.{place}"),
            Self::Agent(_) | Self::Spawner(_) | Self::Scene => return None,
        })
    }

    /// Whether the item exists, after the waiting edits.
    pub fn exists(self, simulation: &Simulation) -> bool {
        let scene = simulation.scene_ahead();
        match self {
            Self::Agent(number) => simulation.agent(number).is_some(),
            Self::Group(place) | Self::Spawner(place) => place < scene.groups.len(),
            Self::Object(place) => place < scene.objects.len() && !scene.is_gone(place),
            Self::ObjectGroup(place) => place < scene.object_groups.len(),
            Self::Metric(place) => place < scene.metrics.len(),
            Self::Scene => true,
        }
    }
}

/// Distance from the body of a robot within which a click selects it, in points.
const SLACK_PX: f64 = 4.0;

/// Distance from the centre of a light within which a click selects it, in points; a light has no size.
const LIGHT_PX: f64 = 14.0;

/// Returns the nearest agent whose body is at a point of the world, or almost there.
pub fn agent_at(simulation: &Simulation, point_m: DVec2, pixels_per_m: f64) -> Option<Item> {
    let bodies = &space(simulation).bodies;
    let gap = |row: usize| {
        let (radius_m, distance_m) = (bodies.radii()[row], bodies.positions()[row].distance(point_m));
        let reach_m = (radius_m * 1.1).max(radius_m + SLACK_PX / pixels_per_m);
        (distance_m <= reach_m).then_some((distance_m, bodies.owners()[row].number))
    };
    let nearest = (0..bodies.len()).filter_map(gap).min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Item::Agent(nearest.1))
}

/// Returns the obstacle at a point of the world; regions and goals are not obstacles.
pub fn obstacle_at(simulation: &Simulation, point_m: DVec2) -> Option<Item> {
    let space = space(simulation);
    let solid = space.solids.at(&space.arena, point_m, |_| true)?;
    space.owner_of(solid).map(Item::Object)
}

/// Returns the agent, or else the obstacle, at a point of the world.
pub fn standing_at(simulation: &Simulation, point_m: DVec2, pixels_per_m: f64) -> Option<Item> {
    agent_at(simulation, point_m, pixels_per_m).or_else(|| obstacle_at(simulation, point_m))
}

/// Returns the agent or obstacle at a point of the world, or else the light or goal. Regions do not count, because
/// they may lie under everything.
pub fn small_at(simulation: &Simulation, point_m: DVec2, pixels_per_m: f64) -> Option<Item> {
    let lies = || {
        let item = lying_at(simulation, point_m, pixels_per_m)?;
        let what = item.entry().and_then(|(_, place)| Some(space(simulation).things.get(place)?.what));
        matches!(what, Some(ThingKind::Light { .. } | ThingKind::Goal)).then_some(item)
    };
    standing_at(simulation, point_m, pixels_per_m).or_else(lies)
}

/// Returns the item on the ground at a point of the world: a light, or else the smallest region, goal or mark.
pub fn lying_at(simulation: &Simulation, point_m: DVec2, pixels_per_m: f64) -> Option<Item> {
    let space = space(simulation);
    let size = |thing: &Thing| match thing.what {
        ThingKind::Light { .. } => (thing.position.distance(point_m) <= LIGHT_PX / pixels_per_m).then_some(0.0),
        _ => thing.overlaps(&space.arena, point_m, 0.0).then(|| thing.reach()),
    };
    let here = space.things.iter().enumerate().filter_map(|(place, thing)| Some((size(thing)?, place)));
    here.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, place)| Item::Object(place))
}

/// Returns the item at a point of the world: an agent or obstacle, or else an item on the ground.
pub fn thing_at(simulation: &Simulation, point_m: DVec2, pixels_per_m: f64) -> Option<Item> {
    standing_at(simulation, point_m, pixels_per_m).or_else(|| lying_at(simulation, point_m, pixels_per_m))
}

/// Returns the centre of an agent or object and its radius around that, both in metres.
pub fn extent(simulation: &Simulation, item: Item) -> Option<(DVec2, f64)> {
    let space = space(simulation);
    match item {
        Item::Agent(number) => {
            let row = space.bodies.row_of(number)?;
            Some((space.bodies.positions()[row], space.bodies.radii()[row]))
        }
        Item::Object(place) => space.things.get(place).map(|thing| (thing.position, thing.reach())),
        Item::Group(_) | Item::ObjectGroup(_) | Item::Spawner(_) | Item::Metric(_) | Item::Scene => None,
    }
}

/// Returns the nearest allowed point (m) for a body with a radius (m): walls keep it inside.
pub fn confined_m(simulation: &Simulation, point_m: DVec2, radius_m: f64) -> DVec2 {
    let most = DVec2::splat(MAX_LENGTH_M);
    space(simulation).arena.confine(point_m, radius_m).clamp(-most, most)
}

/// Returns agents, then objects, with their centres in metres.
pub fn middles(simulation: &Simulation) -> impl Iterator<Item = (Item, DVec2)> {
    let space = space(simulation);
    let agents = space.bodies.owners().iter().zip(space.bodies.positions());
    let agents = agents.map(|(who, position)| (Item::Agent(who.number), *position));
    let objects = space.things.iter().enumerate().map(|(place, thing)| (Item::Object(place), thing.position));
    agents.chain(objects.filter(|(object, _)| object.exists(simulation)))
}

/// Returns the name of a robot as the whole window uses it; if the robot was removed, its number.
pub fn robot_name(simulation: &Simulation, number: u32) -> String {
    simulation.agent(number).map_or_else(|| format!("robot {number}"), |agent| agent.name())
}

/// Returns the names of the metrics of the scene after the waiting edits, in the order of the scene.
pub fn metric_names(simulation: &Simulation) -> Vec<String> {
    let Some(kinds) = simulation.world().get_resource::<MetricKinds>() else { return Vec::new() };
    let infos: Vec<MetricInfo> =
        simulation.scene_ahead().metrics.iter().filter_map(|metric| kinds.info(metric)).collect();
    names_of(&infos)
}

/// Returns the group of the running simulation that a group of the scene after the waiting edits continues, both by their
/// places; `None` for a group that starts with the next run.
///
/// Groups that are removed or added while the run goes on change the places of the others in the next run only.
pub fn running_group(simulation: &Simulation, place: usize) -> Option<usize> {
    let (running, ahead) = (&simulation.scene().groups, &simulation.scene_ahead().groups);
    let name = &ahead.get(place)?.name;
    let at_place = running.get(place);
    if at_place.is_some_and(|group| group.name == *name) {
        return Some(place);
    }
    // While no group is removed or added, a group without its name has another one.
    let is_renamed = || {
        let is_gone = |group: &Group| ahead.iter().all(|other| other.name != group.name);
        running.len() == ahead.len() && at_place.is_some_and(is_gone)
    };
    running.iter().position(|group| group.name == *name).or_else(|| is_renamed().then_some(place))
}

/// Returns the name of a parameter as in panels, and its unit.
pub fn parameter_name(simulation: &Simulation, path: &str) -> (String, &'static str) {
    let robot = |number| robot_name(simulation, number);
    Names { robot: &robot, kinds: simulation.kinds(), scene: simulation.scene_ahead() }.parameter(path)
}

/// Returns the name of an agent or object: its own, or its kind and index.
pub fn name(simulation: &Simulation, item: Item) -> Option<String> {
    match item {
        Item::Agent(number) => simulation.agent(number).map(|agent| agent.name()),
        Item::Object(place) => {
            let object = simulation.scene_ahead().objects.get(place)?;
            let kind = simulation.kinds().of_value(ObjectFamily::NAME, object.value());
            Some(match object.common().name.as_str() {
                "" => format!("{} {place}", kind.map_or("Object", |kind| kind.name)),
                name => name.into(),
            })
        }
        Item::Group(_) | Item::ObjectGroup(_) | Item::Spawner(_) | Item::Metric(_) | Item::Scene => None,
    }
}

/// Returns the edits that remove agents and objects, from the last one to the first.
pub fn removals(items: impl IntoIterator<Item = Item>) -> Vec<Edit> {
    let mut paths: Vec<(&str, usize)> = items.into_iter().filter_map(Item::entry).collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    paths.into_iter().map(|(list, place)| Edit::Remove { path: format!("{list}.{place}") }).collect()
}

fn space(simulation: &Simulation) -> &Space {
    &simulation.world().arena().space
}

/// Returns the agent after or before another one; without one, the first or the last.
pub fn next_agent(simulation: &Simulation, after: Option<u32>, back: bool) -> Option<Item> {
    let numbers: Vec<u32> = simulation.agents().map(|agent| agent.id.index()).collect();
    let place = after.and_then(|number| numbers.iter().position(|known| *known == number));
    let count = numbers.len();
    let next = match (place, back) {
        _ if count == 0 => return None,
        (None, false) => 0,
        (None, true) => count - 1,
        (Some(place), false) => (place + 1) % count,
        (Some(place), true) => (place + count - 1) % count,
    };
    Some(Item::Agent(numbers[next]))
}
