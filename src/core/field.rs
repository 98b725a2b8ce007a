//! Scalar fields: emitters of robots, the act of a step, and state.
//!
//! In a step, fields change after agents and objects have moved, before the metrics: readings of a step are of the fields at the
//! end of the step before. [`ScalarField`] has the calculation.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M, MAX_NUMBER};
use swarmarium_space::scalar_field::FieldDigest;
use swarmarium_space::{Emission, FieldSettings, ScalarField, ScalarFields};
use xxhash_rust::xxh3::xxh3_64;

use crate::agent::Row;
use crate::agent::contact::Dead;
use crate::agent::outputs::Outputs;
use crate::kind::FieldName;
use crate::state::{Part, RegisterState as _, ResourcePart, SharedPart};
use crate::step::plan::{Act, Place, Plan, Work};
use crate::step::{Arena, CurrentArena, HasArena as _};

/// Adds emitters, and the state of fields.
pub fn plugin(app: &mut App) {
    app.register_parameters::<Emitter>("emitter").register_shared_part::<ScalarFields>("fields");
}

/// The emitter of a robot, which adds an amount to a scalar field while its controller says so.
///
/// A dead robot emits nothing.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
#[require(Outputs)]
pub struct Emitter {
    /// Name of the field; empty: the first field of the scene.
    #[reflect(@FieldName)]
    pub field: String,
    /// Amount per second at full emission: the controller sets the part of it, from 0 to 1.
    #[reflect(@Limits::between(0.0, MAX_NUMBER))]
    pub rate_per_s: f64,
    /// Place on the robot, from its centre, for the heading 0.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub at_m: DVec2,
    /// Whether it always works at full rate, whatever the controller sets.
    pub always: bool,
}

impl Default for Emitter {
    fn default() -> Self {
        Self { field: String::new(), rate_per_s: 1.0, at_m: DVec2::ZERO, always: false }
    }
}

impl ResourcePart for ScalarFields {
    type Whole = CurrentArena;

    fn get(arena: &CurrentArena) -> Option<&Self> {
        Some(&arena.space.fields).filter(|fields| !fields.is_empty())
    }

    fn put(arena: &mut CurrentArena, value: Option<Self>) {
        arena.space.fields = value.unwrap_or_default();
    }
}

impl SharedPart for ScalarFields {
    type Digest = FieldDigest;

    fn digest(&self) -> &FieldDigest {
        self.digest_with(|fields| fields.iter().fold(0, |sum: u64, field| sum.rotate_left(1) ^ hash_of(field)))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.all().len() == other.all().len()
            && self.all().iter().zip(other.all()).all(|(one, other)| one.is_same(other))
    }

    fn shared(&self) -> Vec<Part> {
        let blocks = self.all().iter().flat_map(ScalarField::blocks);
        blocks.map(|(address, bytes)| Part { address, bytes }).collect()
    }
}

/// The hash of the values of a field, block by block. Blocks of zeros have the same hash, with or without memory.
fn hash_of(field: &ScalarField) -> u64 {
    let mut bytes = Vec::new();
    let hash_of_run = |run: Result<&[f64], usize>| match run {
        Ok(values) if values.iter().any(|value| *value != 0.0) => {
            bytes.clear();
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            xxh3_64(&bytes)
        }
        _ => 0,
    };
    field.runs().map(hash_of_run).fold(1, |sum: u64, hash| sum.rotate_left(5).wrapping_mul(31) ^ hash)
}

/// The emitters of a world with fields. In other worlds, the resource does not exist, and fields take no time.
#[derive(Resource, Default)]
struct Emitters(Option<Box<Found>>);

/// Emitters and their robots, and memory for what they emit.
struct Found {
    emitters: QueryState<(&'static Row, &'static Emitter, &'static Outputs), Without<Dead>>,
    added: Vec<(u32, Emission)>,
    emissions: Vec<Emission>,
}

/// Sets the fields of a scene at its start.
pub fn set_up(world: &mut World, settings: &[FieldSettings]) {
    let space = &mut world.arena_mut().space;
    space.fields = ScalarFields::new(settings, space.arena);
    if !settings.is_empty() {
        world.insert_resource(Emitters::default());
    }
}

/// The act of a step in which robots emit, and fields spread and evaporate.
pub fn act(world: &mut World) -> Act {
    let emitters = world.register_component::<Emitters>();
    let advance = Act::new("scalar fields", Place::AfterAgents, Work::World(advance));
    advance.with(emitters).when(|_, arena| !arena.space.fields.is_empty()).naming(names)
}

fn names(world: &World) -> Vec<String> {
    world.arena().space.fields.all().iter().map(|field| field.settings().name.clone()).collect()
}

fn advance(world: &mut World, plan: &mut Plan) {
    let taken = world.resource_mut::<Emitters>().0.take();
    let mut found = taken.unwrap_or_else(|| {
        Box::new(Found { emitters: world.query_filtered(), added: Vec::new(), emissions: Vec::new() })
    });
    found.gather(world);
    let Arena { space, time, .. } = plan.arena(world);
    let dt_s = time.dt_s;
    space.advance_fields(((time.step as f64 - 1.0) * dt_s, dt_s), &found.emissions);
    plan.return_arena(world);
    world.resource_mut::<Emitters>().0 = Some(found);
}

impl Found {
    /// Finds what robots emit in this step, in the order of the fields and of the rows of the robots.
    fn gather(&mut self, world: &World) {
        let Self { emitters, added, emissions } = self;
        let space = &world.arena().space;
        let mut last: Option<(&str, usize)> = None;
        added.clear();
        for (row, emitter, outputs) in emitters.iter(world) {
            let emission = if emitter.always { 1.0 } else { outputs.emission };
            if emission <= 0.0 || emitter.rate_per_s <= 0.0 {
                continue;
            }
            // Most robots emit into the same field.
            let known = last.filter(|(name, _)| *name == emitter.field).map(|(_, field)| field);
            let Some(field) = known.or_else(|| space.fields.place(&emitter.field)) else { continue };
            last = Some((&emitter.field, field));
            let place = row.0 as usize;
            let (bodies, rate_per_s) = (&space.bodies, emitter.rate_per_s * emission);
            let to = bodies.positions()[place] + bodies.facings()[place].rotate(emitter.at_m);
            let from = to - bodies.displacements()[place];
            added.push((row.0, Emission { field, from, to, rate_per_s }));
        }
        let order = |(row, emission): &(u32, Emission)| (emission.field, *row);
        if !added.is_sorted_by_key(order) {
            added.sort_unstable_by_key(order);
        }
        emissions.clear();
        emissions.extend(added.iter().map(|(_, emission)| *emission));
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_space::{Boundary, Field};

    use super::*;

    #[test]
    fn every_change_of_a_value_changes_the_digest() {
        let arena = Field::new(DVec2::new(10.0, 10.0), Boundary::Walls);
        let settings = FieldSettings { name: "scent".into(), ..FieldSettings::default() };
        let mut fields = ScalarFields::new(&[settings.clone(), settings], arena);
        let mut known = vec![*fields.digest()];
        for (field, at) in [(0, DVec2::ONE), (1, DVec2::ONE), (0, DVec2::splat(9.0)), (0, DVec2::ONE)] {
            fields.all_mut()[field].deposit(at, 1.0);
            let digest = *fields.digest();
            assert!(!known.contains(&digest) && *fields.clone().digest() == digest);
            known.push(digest);
        }
    }

    #[test]
    fn zeros_have_one_digest_with_and_without_memory() {
        let arena = Field::new(DVec2::new(10.0, 10.0), Boundary::Walls);
        let mut fields = ScalarFields::new(&[FieldSettings::default()], arena);
        let empty = *fields.digest();
        fields.all_mut()[0].fill(|_| 0.0);
        assert!(fields.shared().len() > 1 && *fields.digest() == empty);
    }
}
