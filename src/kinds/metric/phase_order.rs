//! Measures how far oscillators agree.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::math::direction;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_scene::agent_view::AgentView;

use crate::controller::oscillator::Phase;

/// Order of the phases of oscillators, and their correlation with the positions: of the living robots with the
/// controller `Oscillator` or `Swarmalator` that have decided at least once. In a periodic arena, coordinates are used
/// as they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// r = \frac{1}{N} \left\lvert \sum_{i=1}^{N} e^{\mathrm{i} \theta_i} \right\rvert
/// \qquad
/// W_{\pm} = \frac{1}{N} \left\lvert \sum_{i=1}^{N} e^{\mathrm{i} (\varphi_i \pm \theta_i)} \right\rvert
/// \qquad
/// S_{+} = \max(W_{+}, W_{-})
/// \qquad
/// S_{-} = \min(W_{+}, W_{-})
/// ```
/// $\theta_i$ is the phase of robot $i$, $\varphi_i$ its bearing from the centroid of these robots and $N$ their
/// number. The columns are `order` ($r$), `s_plus` and `s_minus`. A robot at the centroid adds 0 to $W_{\pm}$. No
/// numbers without such robots.
///
/// Source: Kuramoto, 1975; O'Keeffe, Hong and Strogatz, 2017.
///
/// Range: 0 to 1.
#[kind(section = "Network", words = "synchronisation, kuramoto, oscillators, sync")]
pub struct PhaseOrder {}

impl Metric for PhaseOrder {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("order", "Order of the phases"),
        MetricLabel::new("s_plus", "Correlation of phase and bearing, S₊"),
        MetricLabel::new("s_minus", "Correlation of phase and bearing, S₋"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("phase", "Phase")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let oscillators: Vec<(DVec2, f64)> =
            oscillators(census).map(|(_, position_m, phase_rad)| (position_m, phase_rad)).collect();
        gathered.extend(orders(&oscillators));
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(swarm.gathered);
    }
}

/// The living agents with a phase: their numbers, positions (m) and phases (rad).
pub(super) fn oscillators(census: Census) -> impl Iterator<Item = (u32, DVec2, f64)> {
    let world = census.world();
    let agents = AgentView::all_seen(census).filter(|agent| world.get::<Dead>(agent.entity()).is_none());
    agents.filter_map(|agent| {
        let phase_rad = world.get::<Phase>(agent.entity())?.phase_rad?;
        Some((agent.id.index(), agent.pose.position_m, phase_rad))
    })
}

/// The order, S₊ and S₋ of positions (m) and phases (rad).
fn orders(oscillators: &[(DVec2, f64)]) -> [f64; 3] {
    let count = oscillators.len() as f64;
    let centroid = oscillators.iter().map(|(at, _)| *at).sum::<DVec2>() / count;
    let mut sums = [DVec2::ZERO; 3];
    for (at, phase_rad) in oscillators {
        let (phase, outward) = (direction(*phase_rad), (*at - centroid).normalize_or_zero());
        let parts = [phase, outward.rotate(phase), outward.rotate(DVec2::new(phase.x, -phase.y))];
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
    }
    let [order, plus, minus] = sums.map(|sum| sum.length() / count);
    [order, plus.max(minus), plus.min(minus)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_around_a_circle_are_a_phase_wave() {
        let at = |angle: f64| DVec2::new(3.0, 4.0) + 2.0 * direction(angle);
        let wave: Vec<_> =
            (0..8).map(|place| f64::from(place) * std::f64::consts::FRAC_PI_4).map(|a| (at(a), a)).collect();
        let [order, plus, minus] = orders(&wave);
        assert!(order < 1e-12 && (plus - 1.0).abs() < 1e-12 && minus < 1e-12, "{order} {plus} {minus}");
        let synchronous: Vec<_> = wave.iter().map(|(at, _)| (*at, 1.0)).collect();
        let [order, plus, minus] = orders(&synchronous);
        assert!((order - 1.0).abs() < 1e-12 && plus < 1e-12 && minus < 1e-12);
        assert!(orders(&[]).iter().all(|order| order.is_nan()));
    }
}
