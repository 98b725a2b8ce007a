//! Helpers of the tests of metrics, and properties that hold for all of them.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use proptest::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::math::direction;
use swarmarium_core::kind::{Family as _, Slot};
use swarmarium_core::metric::*;
use swarmarium_core::random::{Draws, Seed};
use swarmarium_space::{Body, BodyOwner, Boundary, Field, Space};

use crate::metric::{
    aggregation, algebraic_connectivity, angular_momentum, average_speed, centroid, circle_fit, circle_packing,
    circliness, convex_hull, count, coverage, delaunay_diffusion, distance_size_ratio, exploding_dispersion, fatness,
    fatness2, group_rotation, interagent_dispersion, inverse_convex_hull, largest_component, milling_order,
    nearest_neighbour, orbit, persistent_homology, polarisation, radial_variance, random_box_aggregation,
    random_box_sampling, rout_rin, scatter, tangentness, total_collisions,
};

/// An agent: position in metres, heading in radians, displacement in metres.
pub(crate) type Agent = (DVec2, f64, DVec2);

/// The value of a metric for agents in an arena of 6 m by 8 m, with bodies of radius 0.1 m and steps of 0.025 s.
pub(crate) fn observe<K: Metric, const N: usize>(metric: &K, agents: &[Agent]) -> [f64; N] {
    observe_again(metric, &mut K::Memory::default(), agents)
}

/// As [`observe`], with the memory of the steps before.
pub(crate) fn observe_again<K: Metric, const N: usize>(
    metric: &K,
    memory: &mut K::Memory,
    agents: &[Agent],
) -> [f64; N] {
    observe_within(Boundary::Open, metric, memory, agents)
}

/// As [`observe_again`], in an arena with the given boundary.
pub(crate) fn observe_within<K: Metric, const N: usize>(
    boundary: Boundary,
    metric: &K,
    memory: &mut K::Memory,
    agents: &[Agent],
) -> [f64; N] {
    let mut space = Space::new(Field::new(DVec2::new(6.0, 8.0), boundary));
    space.bodies.resize(agents.len());
    for (row, (position, heading, displacement)) in agents.iter().copied().enumerate() {
        space.bodies.set(row, Body { position, heading, displacement, radius: 0.1, ..Body::default() });
        space.bodies.identify(row, BodyOwner { number: row as u32, ..BodyOwner::default() });
    }
    space.update();
    let mut values = [f64::NAN; N];
    let draws = Draws { seed: Seed(1), owner: StableId::metric(0), step: 0 };
    let swarm = Swarm { space: &space, gathered: &[], draws, dt_s: 0.025, scope: Scope::default() };
    metric.observe(memory, &swarm, &mut values);
    values
}

/// Agents at rest.
pub(crate) fn at(positions: &[(f64, f64)]) -> Vec<Agent> {
    positions.iter().map(|(x, y)| (DVec2::new(*x, *y), 0.0, DVec2::ZERO)).collect()
}

/// Six agents on a ring of 2 m around the centre of the arena, with headings by their bearing.
pub(crate) fn ring(heading: impl Fn(f64) -> f64) -> Vec<Agent> {
    let agent = |agent: u32| {
        let bearing = TAU * f64::from(agent) / 6.0;
        (DVec2::new(3.0, 4.0) + 2.0 * direction(bearing), heading(bearing), DVec2::ZERO)
    };
    (0..6).map(agent).collect()
}

/// The metrics whose value does not depend on position, orientation and numbering; the number is that of the parts for
/// which this holds.
macro_rules! with_invariant {
    ($run:ident) => {
        $run!(
            aggregation::Aggregation = 1,
            algebraic_connectivity::AlgebraicConnectivity = 2,
            angular_momentum::AngularMomentum = 1,
            average_speed::AverageSpeed = 1,
            circle_fit::CircleFit = 2,
            circliness::Circliness = 1,
            convex_hull::ConvexHull = 1,
            count::Count = 1,
            distance_size_ratio::DistanceSizeRatio = 1,
            exploding_dispersion::ExplodingDispersion = 1,
            fatness::Fatness = 1,
            fatness2::Fatness2 = 1,
            group_rotation::GroupRotation = 1,
            interagent_dispersion::InteragentDispersion = 1,
            inverse_convex_hull::InverseConvexHull = 1,
            largest_component::LargestComponent = 3,
            milling_order::MillingOrder = 1,
            nearest_neighbour::NearestNeighbour = 2,
            persistent_homology::PersistentHomology = 4,
            polarisation::Polarisation = 1,
            radial_variance::RadialVariance = 1,
            rout_rin::RoutRin = 1,
            scatter::Scatter = 1,
            tangentness::Tangentness = 1,
            total_collisions::TotalCollisions = 1
        )
    };
}

fn assert_same<K: Metric>(agents: &[Agent], others: &[Agent], parts: usize) {
    let (before, after): ([f64; 4], [f64; 4]) = match K::PARTS.len() {
        0 | 1 => (padded::<K, 1>(agents), padded::<K, 1>(others)),
        2 => (padded::<K, 2>(agents), padded::<K, 2>(others)),
        3 => (padded::<K, 3>(agents), padded::<K, 3>(others)),
        _ => (padded::<K, 4>(agents), padded::<K, 4>(others)),
    };
    for (before, after) in before.into_iter().zip(after).take(parts) {
        let same = before == after || before.is_nan() && after.is_nan();
        let off = (before - after).abs() / (1.0 + before.abs());
        assert!(same || off < 1e-6, "{}: {before} and {after}", K::default().label().name);
    }
}

fn padded<K: Metric, const N: usize>(agents: &[Agent]) -> [f64; 4] {
    let values: [f64; N] = observe(&K::default(), agents);
    std::array::from_fn(|index| values.get(index).copied().unwrap_or(0.0))
}

fn swarms() -> impl Strategy<Value = Vec<Agent>> {
    let agent = (0.0..6.0, 0.0..8.0, -3.0..3.0, -0.01..0.01, -0.01..0.01);
    let agent = agent.prop_map(|(x, y, heading, dx, dy)| (DVec2::new(x, y), heading, DVec2::new(dx, dy)));
    prop::collection::vec(agent, 0..12)
}

proptest! {
    #[test]
    fn metrics_are_invariant_under_rotation_translation_and_order(
        agents in swarms(),
        angle in -3.0..3.0,
        (x, y) in (-5.0..5.0, -5.0..5.0),
        shift in 0_usize..12,
    ) {
        let turned = |(at, heading, moved): &Agent| {
            let turn = direction(angle);
            (turn.rotate(*at) + DVec2::new(x, y), heading + angle, turn.rotate(*moved))
        };
        let mut others: Vec<Agent> = agents.iter().map(turned).collect();
        if !others.is_empty() {
            let shift = shift % others.len();
            others.rotate_left(shift);
        }
        macro_rules! check {
            ($($kind:ty = $parts:literal),*) => { $(assert_same::<$kind>(&agents, &others, $parts);)* };
        }
        with_invariant!(check);
        // Neither of two agents is the central one.
        if agents.len() != 2 {
            assert_same::<orbit::Orbit>(&agents, &others, 1);
        }
    }

    /// These depend on the place of the arena, but not on the numbering of the agents.
    #[test]
    fn metrics_are_invariant_under_the_order_of_agents(agents in swarms(), shift in 0_usize..12) {
        let mut others: Vec<Agent> = agents.iter().rev().copied().collect();
        if !others.is_empty() {
            let shift = shift % others.len();
            others.rotate_left(shift);
        }
        assert_same::<centroid::Centroid>(&agents, &others, 2);
        assert_same::<circle_packing::CirclePacking>(&agents, &others, 1);
        assert_same::<coverage::Coverage>(&agents, &others, 2);
        assert_same::<random_box_aggregation::RandomBoxAggregation>(&agents, &others, 1);
        assert_same::<random_box_sampling::RandomBoxSampling>(&agents, &others, 2);
    }

    /// Its box is parallel to the axes.
    #[test]
    fn delaunay_diffusion_is_invariant_under_quarter_turns(agents in swarms()) {
        let others: Vec<Agent> = agents.iter().rev().map(|(at, heading, moved)| (at.perp(), *heading, *moved)).collect();
        assert_same::<delaunay_diffusion::DelaunayDiffusion>(&agents, &others, 1);
    }

    #[test]
    fn the_centroid_moves_with_the_agents(agents in swarms(), x in -5.0_f64..5.0) {
        let moved: Vec<Agent> = agents.iter().map(|(at, heading, by)| (at + DVec2::X * x, *heading, *by)).collect();
        let x_of = |agents: &[Agent]| -> f64 { observe::<_, 2>(&centroid::Centroid::default(), agents)[0] };
        let (before, after) = (x_of(&agents), x_of(&moved));
        prop_assert!((before + x - after).abs() < 1e-9 || agents.is_empty());
    }
}

/// The values of a metric for two agents that are 0.2 m apart across the boundary of the arena, and 5.8 m within it.
fn across<K: Metric, const N: usize>(boundary: Boundary) -> [f64; N] {
    let agents = at(&[(0.1, 4.0), (5.9, 4.0)]);
    observe_within(boundary, &K::default(), &mut K::Memory::default(), &agents)
}

#[test]
fn metrics_measure_distances_across_a_wrapping_border() {
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value} and not {expected}");
    for (boundary, apart) in [(Boundary::Periodic, 0.2), (Boundary::Walls, 5.8)] {
        near(across::<interagent_dispersion::InteragentDispersion, 1>(boundary)[0], apart);
        near(across::<distance_size_ratio::DistanceSizeRatio, 1>(boundary)[0], apart / 0.2);
        near(across::<aggregation::Aggregation, 1>(boundary)[0], -apart);
        near(across::<nearest_neighbour::NearestNeighbour, 2>(boundary)[1], apart);
        near(across::<largest_component::LargestComponent, 3>(boundary)[2], if apart < 1.0 { 1.0 } else { 2.0 });
        near(across::<algebraic_connectivity::AlgebraicConnectivity, 2>(boundary)[1], f64::from(apart < 1.0));
        near(across::<circle_packing::CirclePacking, 1>(boundary)[0], 0.1);
        // These metrics use coordinates as they are.
        near(across::<scatter::Scatter, 1>(boundary)[0], 2.9 * 2.9 / 25.0);
        near(across::<centroid::Centroid, 2>(boundary)[0], 3.0);
    }
}

#[test]
fn columns_have_short_names_in_words() {
    let recipe = crate::testing::standard();
    let mut named = std::collections::BTreeSet::new();
    for kind in recipe.kinds().family(MetricFamily::NAME) {
        for (column, Quantity { name, unit, .. }) in
            recipe.metric_kinds().columns(&[Slot::from_value((kind.default)())])
        {
            assert!(name.chars().count() <= 48 && name.starts_with(char::is_uppercase), "{column}: {name}");
            assert!(!name.contains(['(', '_']) || name.contains("(1)"), "{column}: {name}, {unit}");
            assert!(named.insert((name.clone(), unit)), "{column}: {name}, twice");
        }
    }
}
