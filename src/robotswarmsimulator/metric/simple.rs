//! Metrics that are read field by field, without expressions of their own.

use swarmarium_core::metric::{Observing, Variant};
use swarmarium_kinds::metric::*;

use super::Metrics;
use super::column::Column;
use super::keys::{GENOME, circle_fit_method};
use crate::fields::{FINITE, Fields, Reader, Spot, as_whole, limits};
use crate::term::TermError;
use crate::yaml::Value;

impl Metrics<'_> {
    /// Reads a metric whose fields are numbers and switches.
    pub(super) fn read_simple(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        name: &str,
        common: Observing,
    ) -> Option<String> {
        let spot = &fields.spot;
        let scale = reader.number_or(fields, "scale", 1.0, FINITE);
        let regularized = reader.is_on_or(fields, "regularize", true);
        let max = limits::<circliness::Circliness>("window_steps").max as i128;
        let window = fields.get("avg_history_max").map_or(100, |spot| reader.whole(&spot, 1, max));
        let window_steps = u32::try_from(window).unwrap_or(100);
        // Thresholds of the file keep their meaning with the formulas of RobotSwarmSimulator.
        let variant = Variant::Classic;
        macro_rules! add {
            ($kind:expr) => {
                self.add(reader, spot, $kind, common)
            };
        }
        match name {
            "AverageSpeedBehavior" => add!(average_speed::AverageSpeed { variant }),
            "AngularMomentumBehavior" => add!(angular_momentum::AngularMomentum { variant }),
            "GroupRotationBehavior" => add!(group_rotation::GroupRotation { variant }),
            "ScatterBehavior" => add!(scatter::Scatter { regularized }),
            "RadialVarianceMetric" => add!(radial_variance::RadialVariance { regularized, variant }),
            "Circliness" => add!(circliness::Circliness { window_steps, variant }),
            "Orbit" => add!(orbit::Orbit { window_steps }),
            "TotalCollisionsBehavior" => add!(total_collisions::TotalCollisions {}),
            "Fatness" => add!(fatness::Fatness { scale, variant }),
            "Fatness2" => add!(fatness2::Fatness2 { scale, variant }),
            "Tangentness" => add!(tangentness::Tangentness { scale, variant }),
            "RoutRin" => add!(rout_rin::RoutRin { scale }),
            "Aggregation" => add!(aggregation::Aggregation { variant, ..Default::default() }),
            "DistanceSizeRatio" => add!(distance_size_ratio::DistanceSizeRatio { regularized, variant }),
            "DelaunayDiffusion" => add!(delaunay_diffusion::DelaunayDiffusion {}),
            "InteragentDispersion" => add!(interagent_dispersion::InteragentDispersion { scale }),
            "ExplodingDispersion" => add!(exploding_dispersion::ExplodingDispersion { scale }),
            "ConvexHull" => add!(convex_hull::ConvexHull {}),
            "InverseConvexHull" => add!(inverse_convex_hull::InverseConvexHull {}),
            "Centroid" => add!(centroid::Centroid {}),
            "CirclePacking" => add!(circle_packing::CirclePacking {}),
            "PersistentHomology" => add!(persistent_homology::PersistentHomology::default()),
            "RandomBoxAggregation" => {
                // RobotSwarmSimulator draws another box at every step.
                add!(random_box_aggregation::RandomBoxAggregation { interval_steps: 1, ..Default::default() })
            }
            "RandomBoxSampling" => add!(random_box_sampling::RandomBoxSampling::default()),
            "AgentsAtGoal" => add!(agents_at_goal::AgentsAtGoal::default()),
            "PercentageAtGoal" => add!(percentage_at_goal::PercentageAtGoal::default()),
            "SensorSignalBehavior" => {
                let slot = self.sensor_slot(reader, fields);
                add!(sensor_signal::SensorSignal { slot })
            }
            "AlgebraicConn" => {
                let limits = limits::<algebraic_connectivity::AlgebraicConnectivity>("range_m");
                let range_m = reader.number_or(fields, "r_disk_size", 10.0, limits);
                add!(algebraic_connectivity::AlgebraicConnectivity { range_m })
            }
            _ => {
                let method = circle_fit_method(name)?;
                add!(circle_fit::CircleFit { method, variant })
            }
        }
    }

    /// Reads an angle of the first agent, as a fraction of a turn: the bearing of a sensor, or the difference of two elements
    /// of its controller's list of numbers.
    pub(super) fn read_angle(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        name: &str,
        common: Observing,
    ) -> Option<String> {
        let paths = if name == "SensorRotation" {
            vec![format!("sensors.{}.bearing_rad", self.sensor_slot(reader, fields))]
        } else {
            let mut element = |name, default| {
                let place = fields.get(name).map_or(default, |spot| reader.index(&spot, GENOME.len()));
                format!("controller.{}", GENOME[place as usize])
            };
            vec![element("genome_a_index", 0), element("genome_b_index", 1)]
        };
        let add = |path| self.add(reader, &fields.spot, parameter::Parameter { agent: 0, path }, Observing::default());
        let names: Vec<String> = paths.into_iter().filter_map(add).collect();
        let angle = match names.as_slice() {
            [first, second] => format!("abs({first} - {second})"),
            [bearing] => bearing.clone(),
            _ => return None,
        };
        let value = format!("{angle} / {:?}", std::f64::consts::TAU);
        self.add(reader, &fields.spot, formula::Formula { value }, common)
    }

    /// Reads a metric of one group, given by name. In RobotSwarmSimulator, all agents have group 0 unless a program sets
    /// another.
    pub(super) fn read_subgroup(&mut self, reader: &mut Reader, fields: &Fields) -> Option<String> {
        let is_metric = |spot: &Spot| matches!(spot.node.value, Value::Map(_));
        let either = |names: [&str; 3]| names.map(|name| fields.get(name)).into_iter().flatten();
        let inner = either(["wrapped_behavior", "metric", "subgroup"]).find(is_metric);
        let group = either(["group", "subgroup", "metric"]).find(|spot| !is_metric(spot));
        let Some(inner) = inner else {
            reader.problem(
                &fields.spot,
                "the metric is missing: expected `metric: {type: …}` and `group`, its name or 0",
            );
            return None;
        };
        let name = self.read_metric(reader, &inner, false)?.name?;
        let of = match group.as_ref().map(|spot| (as_whole(spot.node), spot.node.text())) {
            None | Some((Some(0), _)) => String::new(),
            Some((None, Some(of))) => of.to_owned(),
            Some(_) => {
                let spot = group.as_ref().unwrap_or(&fields.spot);
                reader.problem(spot, "all agents of a world file are of group 0: expected that, or the name of one");
                return None;
            }
        };
        let metric = self.slots.pop()?;
        let common = Observing { of, ..metric.common().clone() };
        self.slots.push(metric.with(common));
        Some(name)
    }

    /// Reads the number of elements of a named list.
    pub(super) fn read_entity_len(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        common: Observing,
    ) -> Option<String> {
        let spot = &fields.spot;
        let [target, attribute] = ["target_name", "attribute"].map(|key| fields.text(key));
        let target = target.unwrap_or_else(|| "population".into());
        let named = (self.groups_named)(&target).into_iter().next();
        let inside = match (target.as_str(), attribute.as_deref(), named) {
            (_, Some("collided"), Some(group)) => self.first_agent(group),
            (region, Some("collided"), None) => region.to_owned(),
            ("population", None, None) => String::new(),
            ("metrics", None, None) => {
                let value = self.listed.len().to_string();
                return self.add(reader, spot, formula::Formula { value }, common);
            }
            _ => {
                let message = "left out: only the length of the `population`, of the `metrics`, or of the `collided` of \
                               an agent or a region can be imported";
                reader.warning(spot, message);
                return None;
            }
        };
        self.add(reader, spot, count::Count { inside }, common)
    }

    /// The slot of the sensor that `sensor_index` gives. It can count from the last sensor of the first agent.
    fn sensor_slot(&self, reader: &mut Reader, fields: &Fields) -> u32 {
        let Some(spot) = fields.get("sensor_index") else { return 0 };
        if as_whole(spot.node).is_some_and(|index| index < 0) {
            return reader.index(&spot, self.groups.first().map_or(0, |group| group.sensors.len()));
        }
        let last = limits::<sensor_signal::SensorSignal>("slot").max as i128;
        u32::try_from(reader.whole(&spot, 0, last)).unwrap_or_default()
    }

    /// The first agent of a group.
    fn first_agent(&self, group: String) -> String {
        let has_several = self.groups.iter().any(|known| known.name == group && known.agents() > 1);
        if has_several { format!("{group}-0") } else { group }
    }

    /// Reads an `AndMetrics`, whose inner metrics have been read.
    pub(super) fn read_and_metrics(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        inner: &[Column],
        common: Observing,
    ) -> Option<String> {
        if let Some(spot) = fields.get("and_fn").filter(|spot| !matches!(spot.node.text(), Some("python" | "numpy"))) {
            reader.problem(&spot, "expected `python` or `numpy`: the metric has no value with anything else");
            return None;
        }
        let conditions: Result<_, TermError> = inner.iter().map(|column| Ok(column.term(false)?.holds())).collect();
        match conditions {
            Ok(conditions) => self.add(reader, &fields.spot, all_of::AllOf { conditions }, common),
            Err(error) => {
                reader.warning(&fields.spot, format!("left out: {error}"));
                None
            }
        }
    }
}
