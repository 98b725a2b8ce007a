//! The engine: lays out the plan of a step, creates a world from a scene, and keeps the tables of a step.

use bevy::prelude::*;
use swarmarium_core::agent::Member;
use swarmarium_core::field;
use swarmarium_core::object::movable::FrictionWork;
use swarmarium_core::radio::Radio;
use swarmarium_core::state::RegisterState as _;
use swarmarium_core::step::order::{Delivery, Order};
use swarmarium_core::step::plan::{Act, AddAct as _, AddKernel as _, Duty, Place, Work};
use swarmarium_core::step::tables::BoxCenter;
use swarmarium_core::step::{AgentOrder, Arena, Phase, Pushes, Step};

use crate::engine::pose_overrides::PoseOverrides;

pub(crate) mod caches;
pub mod contact;
pub mod fault;
pub mod objects;
pub mod pose_overrides;
pub(crate) mod pushing;
pub mod sequential;
pub mod spawn;
pub mod spawners;
pub mod trail;

/// Adds the acts of a step up to the objects, in order.
pub(crate) fn plugin(app: &mut App) {
    app.register_state::<BoxCenter>("box_center").add_plugins((contact::plugin, fault::plugin, trail::plugin));
    let order = app.world().get_resource::<AgentOrder>().map_or(Order::default(), |order| order.0);
    let member = app.world_mut().register_component::<Member>();
    // Objects make way before the agents collide with them.
    let pushes = app.world_mut().register_component::<Pushes>();
    app.add_kernel(Duty::Collide, pushes, pushing::push);
    app.add_kernel(Duty::CollideInTurn, pushes, pushing::push);
    app.add_kernel(Duty::Collide, member, caches::collide);
    app.add_kernel(Duty::CollideInTurn, member, caches::collide_in_turn);
    let world = app.world_mut();
    let (radio, overrides) = (world.register_component::<Radio>(), world.register_component::<PoseOverrides>());
    let fields = field::act(world);
    let work = world.register_component::<FrictionWork>();
    let mut add = |act: Act| _ = app.add_act(act);
    let rest =
        Act::new("movable objects at rest", Place::Step(Step::Edits), Work::World(|world, _| pushing::rest(world)));
    add(rest.with(work));
    let spawn = Act::new("spawners", Place::Step(Step::Spawners), Work::World(|world, _| spawners::act(world)));
    add(spawn.when(|_, arena| arena.has_spawners).naming(spawners::groups));
    let phase = Place::Phase;
    if order.takes_turns() {
        let turns = Work::World(sequential::take_turns);
        let act = Act::new("agents, one after the other", Place::Step(Step::Agents), turns);
        add(act.in_turn(if order == Order::RandomSequential { sequential::RANDOM_TURN } else { sequential::TURN }));
    } else {
        add(Act::of(Duty::Wake, phase(Phase::Control)));
        let at_once: fn(&World, &Arena) -> bool = |_, arena| arena.delivery == Delivery::NextStep;
        add(Act::of(Duty::Tell, phase(Phase::Control)).with(radio).when(at_once));
        add(Act::of(Duty::Send, phase(Phase::Control)).with(radio).when(at_once));
        add(Act::of(Duty::Control, phase(Phase::Control)).when(at_once));
        let decide = Work::World(sequential::decide_in_turn);
        add(Act::new("controllers, one after the other", phase(Phase::Control), decide)
            .when(|_, arena| arena.delivery == Delivery::SameStep)
            .in_turn(&[Duty::Tell, Duty::Send, Duty::Control]));
        add(Act::of(Duty::Move, phase(Phase::Move)));
        add(Act::of(Duty::Collide, phase(Phase::Collide)));
        let bumps = Work::World(|world, _| contact::count_bumps(world));
        let log = Act::new("log of collisions", phase(Phase::Collide), bumps);
        add(log.in_steps_with("collisions", |_, arena| !arena.bumped.is_empty()));
        let deaths = Work::World(|world, _| contact::kill_pending(world));
        let remove = Act::new("deaths", phase(Phase::Collide), deaths);
        add(remove.in_steps_with("deaths", |_, arena| !arena.deaths.is_empty()));
        add(Act::of(Duty::Sense, phase(Phase::Sense)));
    }
    // Before the systems that plugins add to the set. Objects notice agents at the positions to which moving objects
    // have pushed them.
    let put = Work::World(|world, _| pose_overrides::apply_pose_overrides(world));
    add(Act::new("poses from outside", Place::AfterAgents, put).with(overrides));
    let act = Act::new("active objects", Place::AfterAgents, Work::World(objects::act));
    add(act.when(|_, arena| !arena.actors.is_empty()).in_turn(&[Duty::Control, Duty::Move, Duty::Sense]));
    add(fields);
    add(Act::of(Duty::Log, Place::AfterAgents));
    add(Act::of(Duty::Notice, Place::AfterAgents));
}
