//! A crew: the robots whose controllers are of one kind, to draw what they are about.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::Controller;
use crate::agent::Row;
use crate::agent::contact::Dead;
use crate::draw::scenery::role_of;
use crate::draw::{Picture, Role};
use crate::id::StableId;
use crate::space::Space;

/// The robots that live and have a controller of one kind.
pub struct Crew<'a, K> {
    world: &'a World,
    space: &'a Space,
    estimated: &'a dyn Fn(StableId) -> bool,
    kind: std::marker::PhantomData<K>,
}

/// One robot of a [`Crew`].
pub struct CrewMember<'a, K: Controller> {
    /// Its controller.
    pub controller: &'a K,
    /// What that remembers.
    pub memory: &'a K::Memory,
    /// Where it is, in metres.
    pub position_m: DVec2,
    /// The colour that it is drawn in.
    pub role: Role,
    /// Whether what it believes is to be drawn.
    pub shows_estimate: bool,
}

impl<'a, K: Controller> Crew<'a, K> {
    /// All of them, by age. They are looked for only when somebody asks.
    pub fn members(&self) -> Vec<CrewMember<'a, K>> {
        let Some(mut query) = self.world.try_query_filtered::<(EntityRef, &K, &K::Memory, &Row), Without<Dead>>()
        else {
            return Vec::new();
        };
        let mut all: Vec<_> = query.iter(self.world).collect();
        all.sort_unstable_by_key(|(.., row)| row.0);
        let member = |(agent, controller, memory, row): (EntityRef, _, _, &Row)| CrewMember {
            controller,
            memory,
            position_m: self.space.bodies.positions()[row.0 as usize],
            role: role_of(self.world, agent).unwrap_or(Role::Dim),
            shows_estimate: agent.get::<StableId>().is_some_and(|id| (self.estimated)(*id)),
        };
        all.into_iter().map(member).collect()
    }
}

/// Draws what the controllers of one kind are about.
pub(super) fn draw_all<K: Controller>(
    world: &World,
    space: &Space,
    estimated: &dyn Fn(StableId) -> bool,
    picture: &mut Picture,
) {
    K::draw(&Crew { world, space, estimated, kind: std::marker::PhantomData }, picture);
}
