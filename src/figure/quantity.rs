//! Quantities of metrics in words, for titles and for the labels of axes.

use swarmarium_core::text::wording::{lower, words};

use super::axis::axis_text;

/// A quantity: its name in words, and its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The name, with a capital.
    pub name: String,
    /// The unit, or an empty text.
    pub unit: &'static str,
}

impl Quantity {
    /// The quantity in a column of the metrics: its name in the list of names, or the words of the column.
    ///
    /// ```
    /// let radius = swarmarium_figure::Quantity::of_column("circle_fit.radius_m");
    /// assert_eq!(radius.label(), "Radius of the fitted circle (m)");
    /// ```
    pub fn of_column(column: &str) -> Self {
        known(column, "").or_else(|| numbered(column)).unwrap_or_else(|| Self::of_words(column))
    }

    /// The columns that have a name in the table.
    pub fn named_columns() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(column, ..)| *column)
    }

    /// The label of an axis: `Radius of the fitted circle (m)`.
    pub fn label(&self) -> String {
        axis_text(&self.name, self.unit)
    }

    /// The words of a column that is not in the table: `Speed of red` for `speed_of_red_m_per_s`, `Ring radius` for
    /// `ring.radius_m`.
    fn of_words(column: &str) -> Self {
        let (metric, part) = column.split_once('.').unwrap_or((column, ""));
        let ((name, unit), (part_name, part_unit)) = (words(metric), words(part));
        // Parts with a hyphen are names of robots, groups or objects.
        let is_name = part.contains('-') || !part.starts_with(char::is_lowercase);
        let part_name = if is_name { part.to_owned() } else { lower(&part_name) };
        let name = format!("{name} {part_name}").trim_end().to_owned();
        Self { name, unit: if part_unit.is_empty() { unit } else { part_unit } }
    }
}

/// The quantity of a column of the table, with an addition to its name.
fn known(column: &str, more: &str) -> Option<Quantity> {
    let (_, name, unit) = NAMES.iter().find(|(known, ..)| *known == column)?;
    Some(Quantity { name: format!("{name}{more}"), unit })
}

/// A column of a metric that occurs several times in a scene: `circle_fit_2.radius_m`.
fn numbered(column: &str) -> Option<Quantity> {
    let (metric, part) = column.split_once('.').unwrap_or((column, ""));
    let (metric, number) = metric.rsplit_once('_').filter(|(_, number)| number.parse::<u32>().is_ok())?;
    let column = if part.is_empty() { metric.to_owned() } else { format!("{metric}.{part}") };
    known(&column, &format!(" ({number})"))
}

/// Columns of metrics whose words would be hard to understand, with the names and the units of their quantities.
const NAMES: &[(&str, &str, &str)] = &[
    ("agents", "Number of robots", ""),
    ("agents_at_goal.now", "Robots at the goal", ""),
    ("agents_at_goal.arrived", "Robots that have reached the goal", ""),
    ("algebraic_connectivity.value", "Algebraic connectivity", ""),
    ("algebraic_connectivity.connected", "Connected (1) or not (0)", ""),
    ("angular_momentum_m_per_step", "Angular momentum", "m/step"),
    ("arrival_time.first_s", "Arrival time of the first robot", "s"),
    ("arrival_time.mean_s", "Mean arrival time", "s"),
    ("arrival_time.last_s", "Arrival time of the last robot", "s"),
    ("average_speed_m_per_step", "Average speed", "m/step"),
    ("centroid.x_m", "Centroid, x", "m"),
    ("centroid.y_m", "Centroid, y", "m"),
    ("circle_fit.residual", "Residual of the fitted circle", ""),
    ("circle_fit.radius_m", "Radius of the fitted circle", "m"),
    ("circle_fit.x_m", "Centre of the fitted circle, x", "m"),
    ("circle_fit.y_m", "Centre of the fitted circle, y", "m"),
    ("circle_packing_m", "Smallest distance to a neighbour or a wall", "m"),
    ("color_share", "Share of robots with the colour", ""),
    ("convex_hull_m2", "Area of the convex hull", "m²"),
    ("coverage.now", "Covered share of the arena", ""),
    ("coverage.ever", "Share of the arena covered so far", ""),
    ("dead", "Number of dead robots", ""),
    ("exploding_dispersion_m", "Mean distance from the centroid", "m"),
    ("field_mean_per_m2", "Mean of the field", "1/m²"),
    ("field_largest_per_m2", "Largest value of the field", "1/m²"),
    ("field_total", "Total of the field", ""),
    ("goal_distance_m", "Distance to the goal", "m"),
    ("gossip_estimates.truth", "True mean of the measurements", ""),
    ("gossip_estimates.min", "Smallest estimate", ""),
    ("gossip_estimates.max", "Largest estimate", ""),
    ("gossip_estimates.error", "Largest error of an estimate", ""),
    ("group_rotation_m_per_step", "Group rotation", "m/step"),
    ("interagent_dispersion_m", "Mean distance between robots", "m"),
    ("inverse_convex_hull_m2", "Area of the inverse convex hull", "m²"),
    ("largest_component.agents", "Robots in the largest component", ""),
    ("largest_component.fraction", "Share of robots in the largest component", ""),
    ("largest_component.components", "Number of components", ""),
    ("nearest_neighbour.mean_m", "Mean distance to the nearest neighbour", "m"),
    ("nearest_neighbour.min_m", "Smallest distance between two robots", "m"),
    ("objects_in_region", "Number of objects in the region", ""),
    ("packet_age.mean_s", "Mean age of packets", "s"),
    ("packet_age.max_s", "Largest age of packets", "s"),
    ("packets.sent", "Packets sent", ""),
    ("packets.withheld", "Packets withheld", ""),
    ("packets.delivered", "Packets delivered", ""),
    ("packets.lost", "Packets lost", ""),
    ("percentage_at_goal.now", "Robots at the goal", "%"),
    ("percentage_at_goal.arrived", "Robots that have reached the goal", "%"),
    ("persistent_homology.pieces", "Number of persistent pieces", ""),
    ("persistent_homology.joined_m", "Scale at which all pieces have joined", "m"),
    ("persistent_homology.holes", "Number of persistent holes", ""),
    ("persistent_homology.filled_m", "Scale at which all holes are filled", "m"),
    ("phase.order", "Order of the phases", ""),
    ("phase.s_plus", "Correlation of phase and bearing, S₊", ""),
    ("phase.s_minus", "Correlation of phase and bearing, S₋", ""),
    ("pushing_work_j", "Work of pushing", "J"),
    ("radial_range.min_m", "Smallest distance from the centroid", "m"),
    ("radial_range.max_m", "Largest distance from the centroid", "m"),
    ("radial_variance_m2", "Radial variance", "m²"),
    ("radio_connectivity.value", "Algebraic connectivity of the radio links", ""),
    ("radio_connectivity.connected", "Connected by radio (1) or not (0)", ""),
    ("radio_connectivity.heard", "Share of pairs with a packet", ""),
    ("radio_links.fresh", "Share of fresh radio links", ""),
    ("radio_links.stale", "Share of stale radio links", ""),
    ("radio_links.none", "Share of absent radio links", ""),
    ("random_box_sampling.occupied", "Boxes with robots", ""),
    ("random_box_sampling.single", "Boxes with one robot", ""),
    ("rounds.bearing", "Share of robots that have gone round in bearing", ""),
    ("rounds.phase", "Share of robots that have gone round in phase", ""),
    ("rounds.both", "Share of robots that have gone round in both", ""),
    ("rout_rin_m", "Thickness of the ring", "m"),
    ("scatter_m", "Mean distance from the centroid", "m"),
    ("sensor_signal.now", "Share of sensors that detect something", ""),
    ("sensor_signal.mean", "Mean share of sensors that detect something", ""),
    ("step_response.overshoot_percent", "Overshoot", "%"),
    ("step_response.settling_time_s", "Settling time", "s"),
    ("wheel_speeds.left_rad_per_s", "Speed of the left wheel", "rad/s"),
    ("wheel_speeds.right_rad_per_s", "Speed of the right wheel", "rad/s"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn label(column: &str) -> String {
        Quantity::of_column(column).label()
    }

    #[test]
    fn columns_have_labels_in_words() {
        assert_eq!(label("circle_fit.radius_m"), "Radius of the fitted circle (m)");
        assert_eq!(label("circle_fit_2.radius_m"), "Radius of the fitted circle (2) (m)");
        assert_eq!(label("average_speed_m_per_s"), "Average speed (m/s)");
        assert_eq!(label("speed_of_red_m_per_s"), "Speed of red (m/s)");
        assert_eq!(label("ring.radius_m"), "Ring radius (m)");
        assert_eq!(label("count.prey-1"), "Count prey-1");
        assert_eq!(label("circliness"), "Circliness");
        assert_eq!(label(""), "");
    }

    #[test]
    fn names_are_short() {
        for (column, name, _) in NAMES {
            assert!(name.chars().count() <= 48 && name.starts_with(char::is_uppercase), "{column}: {name}");
            assert!(NAMES.iter().filter(|(known, ..)| known == column).count() == 1, "{column}");
        }
    }
}
