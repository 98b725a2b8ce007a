//! Alignment of robots and objects.

use bevy::math::DVec2;
use swarmarium_core::agent::Pose;
use swarmarium_lab_state::action::Alignment;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection;
use swarmarium_picture::camera::YAxis;
use swarmarium_simulation::edit::Edit;

use crate::tools::grip::{Grip, Held};

/// Returns the edits that align the selection, in the axes of an unrotated view.
pub fn edits(lab: &Lab, alignment: Alignment) -> Vec<Edit> {
    let simulation = lab.run.host.simulation();
    let grip = Grip::of(lab, &lab.view.selection.items, DVec2::ZERO);
    let reach_m = |held: &Held| selection::extent(simulation, held.item).map_or(0.0, |(_, reach_m)| reach_m);
    let is_up = lab.view.current.camera.y_axis == YAxis::Up;
    let (axis, side) = match alignment {
        Alignment::Left => (DVec2::X, Some(-1.0)),
        Alignment::Right => (DVec2::X, Some(1.0)),
        Alignment::Top => (DVec2::Y, Some(if is_up { 1.0 } else { -1.0 })),
        Alignment::Bottom => (DVec2::Y, Some(if is_up { -1.0 } else { 1.0 })),
        Alignment::Column | Alignment::DistributeHorizontally => (DVec2::X, None),
        Alignment::Row | Alignment::DistributeVertically => (DVec2::Y, None),
    };
    let along = |held: &Held| held.pose.position_m.dot(axis);
    let to = |held: &Held, along_m: f64| Pose {
        position_m: held.pose.position_m + axis * (along_m - along(held)),
        ..held.pose
    };
    if matches!(alignment, Alignment::DistributeHorizontally | Alignment::DistributeVertically) {
        let mut order: Vec<&Held> = grip.held.iter().collect();
        order.sort_by(|a, b| along(a).total_cmp(&along(b)));
        let [Some(first), Some(last)] = [order.first(), order.last()].map(|held| held.map(|held| along(held))) else {
            return Vec::new();
        };
        let gap_m = (last - first) / (order.len() - 1).max(1) as f64;
        let place = |held: &Held| order.iter().position(|known| known.item == held.item).unwrap_or_default();
        return grip.moved(lab, |held| to(held, first + gap_m * place(held) as f64));
    }
    match side {
        None => grip.moved(lab, |held| to(held, grip.center_m().dot(axis))),
        Some(side) => {
            let edge = |held: &Held| side * along(held) + reach_m(held);
            let most = grip.held.iter().map(edge).fold(f64::NEG_INFINITY, f64::max);
            grip.moved(lab, |held| to(held, side * (most - reach_m(held))))
        }
    }
}
