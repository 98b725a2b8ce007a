//! Measures the distance of a formation from its goal.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_scene::agent_view::AgentView;

use crate::controller::formation::Formation;

/// Error of a formation: the norm of the differences between the first and second moments of the robots and those
/// of the goal. Moments are relative to the centre of the goal and in units of its size. Living robots with the
/// controller `Formation` count; the goal is that of the first of them. In a periodic arena, coordinates are used
/// as they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// E = \sqrt{\frac{\mu_x^2 + \mu_y^2}{\ell^2}
/// + \frac{(\mu_{xx} - \sigma_{xx})^2 + (\mu_{xy} - \sigma_{xy})^2 + (\mu_{yy} - \sigma_{yy})^2}{\ell^4}}
/// \qquad
/// \ell^2 = \frac{\sigma_{xx} + \sigma_{yy}}{2}
/// ```
/// $\mu_x$, $\mu_y$, $\mu_{xx}$, $\mu_{xy}$ and $\mu_{yy}$ are the means of $x$, $y$, $x^2$, $x y$ and $y^2$ over
/// the robots, whose coordinates $x$ and $y$ are relative to the centre of the goal. $\sigma_{xx}$, $\sigma_{xy}$
/// and $\sigma_{yy}$ are the variances and the covariance of the goal. No number without such robots.
///
/// Source: Swarm Robot Project.
///
/// Range: 0 to ∞.
#[kind(section = "Shape", words = "formation, error, moments")]
pub struct FormationError {}

impl Metric for FormationError {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("formation_error", "Formation error")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let formations = AgentView::all_seen(census).filter(|agent| !agent.is_dead()).filter_map(|agent| {
            let formation: &Formation = agent.component()?;
            Some((agent.pose.position_m, formation.goal.moments()))
        });
        let mut goal = None;
        for (position, (center, spread)) in formations {
            let center = goal.get_or_insert_with(|| {
                gathered.extend(spread);
                center
            });
            gathered.extend((position - *center).to_array());
        }
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let Some((spread, places)) = swarm.gathered.split_first_chunk::<3>() else {
            values[0] = f64::NAN;
            return;
        };
        values[0] = error(*spread, places.chunks_exact(2).map(|place| DVec2::new(place[0], place[1])));
    }
}

/// The error of places relative to the centre of a goal, from the variances of the goal along x, of x with y, and along
/// y.
fn error([xx, xy, yy]: [f64; 3], places: impl Iterator<Item = DVec2> + Clone) -> f64 {
    let (count, size2) = (places.clone().count() as f64, (xx + yy) / 2.0);
    let mean = |of: fn(DVec2) -> f64| places.clone().map(of).sum::<f64>() / count;
    let first = [mean(|p| p.x), mean(|p| p.y)].map(|off| off * off / size2);
    let second = [mean(|p| p.x * p.x) - xx, mean(|p| p.x * p.y) - xy, mean(|p| p.y * p.y) - yy];
    let second = second.map(|off| (off / size2) * (off / size2));
    first.into_iter().chain(second).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formation_error_scales_with_the_size_of_the_goal() {
        let at = |x: f64, y: f64| DVec2::new(x, y);
        // Four points with the variances of the goal.
        let there = [at(2.0, 0.0), at(-2.0, 0.0), at(0.0, 1.0), at(0.0, -1.0)];
        assert_eq!(error([2.0, 0.0, 0.5], there.into_iter()), 0.0);
        // All on one point a metre away: means 1 over l, squares 1 over l² off by the variances.
        let l2: f64 = 1.25;
        let expected = (1.0 / l2 + ((1.0 - 2.0) / l2).powi(2) + (0.5 / l2).powi(2)).sqrt();
        assert!((error([2.0, 0.0, 0.5], [at(1.0, 0.0); 3].into_iter()) - expected).abs() < 1e-15);
    }
}
