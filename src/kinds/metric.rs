//! Metrics: numbers about the swarm, observed after each step.

use bevy::prelude::*;
use swarmarium_core::metric::AddMetric;

pub mod agents_at_goal;
pub mod aggregation;
pub mod algebraic_connectivity;
pub mod all_of;
pub mod angular_momentum;
pub mod any_agent;
pub mod arrival_time;
pub mod average_speed;
pub mod centroid;
pub mod circle_fit;
pub mod circle_packing;
pub mod circliness;
pub mod collisions;
pub mod color_share;
pub mod convex_hull;
pub mod count;
pub mod coverage;
pub mod dead;
pub mod delaunay_diffusion;
pub mod delivery_ratio;
pub mod distance_size_ratio;
pub mod exploding_dispersion;
pub mod fatness;
pub mod fatness2;
pub mod field_total;
pub mod formation_error;
pub mod formula;
pub mod goal_distance;
pub mod goals;
pub mod gossip_estimates;
pub mod graph;
pub mod group_rotation;
pub mod heading_error;
pub mod interagent_dispersion;
pub mod inverse_convex_hull;
pub mod largest_component;
pub mod milling_order;
pub mod nearest_neighbour;
pub mod object_distance;
pub mod objects_in_region;
pub mod orbit;
pub mod packet_age;
pub mod packets;
pub mod parameter;
pub mod percentage_at_goal;
pub mod persistent_homology;
pub mod phase_order;
pub mod phase_rounds;
pub mod polarisation;
pub mod pushed;
pub mod pushing_work;
pub mod radial_range;
pub mod radial_variance;
pub mod radio_connectivity;
pub mod radio_links;
pub mod radios;
pub mod random_box_aggregation;
pub mod random_box_sampling;
pub mod reading;
pub mod rout_rin;
pub mod scatter;
pub mod sensor_signal;
pub mod step_response;
pub mod steps_until;
pub mod tangentness;
pub mod total_collisions;
pub mod wheel_speeds;

pub(crate) fn plugin(app: &mut App) {
    app.add_metric::<agents_at_goal::AgentsAtGoal>()
        .add_metric::<aggregation::Aggregation>()
        .add_metric::<algebraic_connectivity::AlgebraicConnectivity>()
        .add_metric::<all_of::AllOf>()
        .add_metric::<angular_momentum::AngularMomentum>()
        .add_metric::<any_agent::AnyAgent>()
        .add_metric::<arrival_time::ArrivalTime>()
        .add_metric::<average_speed::AverageSpeed>()
        .add_metric::<centroid::Centroid>()
        .add_metric::<circle_fit::CircleFit>()
        .add_metric::<circle_packing::CirclePacking>()
        .add_metric::<circliness::Circliness>()
        .add_metric::<convex_hull::ConvexHull>()
        .add_metric::<count::Count>()
        .add_metric::<coverage::Coverage>()
        .add_metric::<dead::Dead>()
        .add_metric::<delaunay_diffusion::DelaunayDiffusion>()
        .add_metric::<delivery_ratio::DeliveryRatio>()
        .add_metric::<distance_size_ratio::DistanceSizeRatio>()
        .add_metric::<exploding_dispersion::ExplodingDispersion>()
        .add_metric::<fatness::Fatness>()
        .add_metric::<fatness2::Fatness2>()
        .add_metric::<field_total::FieldTotal>()
        .add_metric::<formation_error::FormationError>()
        .add_metric::<formula::Formula>()
        .add_metric::<goal_distance::GoalDistance>()
        .add_metric::<gossip_estimates::GossipEstimates>()
        .add_metric::<group_rotation::GroupRotation>()
        .add_metric::<heading_error::HeadingError>()
        .add_metric::<interagent_dispersion::InteragentDispersion>()
        .add_metric::<inverse_convex_hull::InverseConvexHull>()
        .add_metric::<largest_component::LargestComponent>()
        .add_metric::<milling_order::MillingOrder>()
        .add_metric::<nearest_neighbour::NearestNeighbour>()
        .add_metric::<object_distance::ObjectDistance>()
        .add_metric::<objects_in_region::ObjectsInRegion>()
        .add_metric::<orbit::Orbit>()
        .add_metric::<packet_age::PacketAge>()
        .add_metric::<packets::Packets>()
        .add_metric::<parameter::Parameter>()
        .add_metric::<percentage_at_goal::PercentageAtGoal>()
        .add_metric::<persistent_homology::PersistentHomology>()
        .add_metric::<polarisation::Polarisation>()
        .add_metric::<pushing_work::PushingWork>()
        .add_metric::<radial_variance::RadialVariance>()
        .add_metric::<radio_connectivity::RadioConnectivity>()
        .add_metric::<radio_links::RadioLinks>()
        .add_metric::<random_box_aggregation::RandomBoxAggregation>()
        .add_metric::<random_box_sampling::RandomBoxSampling>()
        .add_metric::<reading::Reading>()
        .add_metric::<rout_rin::RoutRin>()
        .add_metric::<scatter::Scatter>()
        .add_metric::<sensor_signal::SensorSignal>()
        .add_metric::<step_response::StepResponse>()
        .add_metric::<steps_until::StepsUntil>()
        .add_metric::<tangentness::Tangentness>()
        .add_metric::<total_collisions::TotalCollisions>()
        .add_metric::<wheel_speeds::WheelSpeeds>()
        .add_metric::<collisions::Collisions>()
        .add_metric::<color_share::ColorShare>()
        .add_metric::<phase_order::PhaseOrder>()
        .add_metric::<phase_rounds::PhaseRounds>()
        .add_metric::<radial_range::RadialRange>();
}

#[cfg(test)]
pub(crate) mod tests;
