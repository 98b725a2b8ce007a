//! Measures overshoot and settling time of a controlled quantity.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NamedExpression, Swarm};

/// Maximum overshoot and settling time of an expression over the metrics above it, on its way from its first value
/// to a target.
///
/// The overshoot is the largest distance beyond the target so far, in percent of the distance from the first value
/// to the target. The settling time is the time since the start after which the value has stayed within a band
/// around the target. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// M = 100 \cdot \max \left( 0, \, \max_{\tau \le t} \frac{y(\tau) - y_T}{y_T - y_0} \right)
/// \qquad
/// t_s = \min \{ \tau : \lvert y(u) - y_T \rvert \le b \, \lvert y_T - y_0 \rvert \text{ for } \tau \le u \le t \}
/// ```
/// $y$ is the value of the expression, $y_0$ its first value, $y_T$ the field `target` and $b$ the field `band`.
/// Steps in which `when` does not hold or the expression has no value are ignored. The settling time is not a number
/// while the value is outside the band. Neither is a number before the first value, or if that equals the target.
///
/// Source: Ogata, "Modern Control Engineering", 5th ed., section 5-3.
///
/// Range: `overshoot_percent`: 0 to ∞, in percent; `settling_time_s`: 0 to the present time, in s.
#[kind(section = "Motion", words = "overshoot, rise time, settling time, control")]
pub struct StepResponse {
    /// The expression, such as `heading_error_rad`.
    #[default("t_s".into())]
    pub value: String,
    /// Condition, an expression over the metrics above, for a step to count, such as `goal_distance_m > 0.1`: the
    /// heading error is meaningless at a goal.
    #[default("true".into())]
    pub when: String,
    /// The value to reach.
    #[reflect(@Limits::between(-1e12, 1e12))]
    pub target: f64,
    /// Half the width of the band around the target, as a fraction of the distance from the first value to the
    /// target; textbooks use 0.02 or 0.05.
    #[reflect(@Limits::between(1e-6, 1.0))]
    #[default(0.05)]
    pub band: f64,
}

/// The response so far.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct ResponseSoFar {
    /// The signed distance from the first value to the target.
    span: Option<f64>,
    /// The largest distance beyond the target, as a fraction of the span.
    overshoot: f64,
    /// The time at which the value entered the band, while it stays there.
    settled_at_s: Option<f64>,
}

impl ResponseSoFar {
    fn observe(&mut self, metric: &StepResponse, value: f64, now_s: f64) -> Option<[f64; 2]> {
        if value.is_finite() {
            let missing = metric.target - value;
            let span = *self.span.get_or_insert(missing);
            if span != 0.0 {
                self.overshoot = self.overshoot.max(-missing / span);
            }
            self.settled_at_s = match missing.abs() <= metric.band * span.abs() {
                true => self.settled_at_s.or(Some(now_s)),
                false => None,
            };
        }
        self.span.filter(|span| *span != 0.0)?;
        Some([100.0 * self.overshoot, self.settled_at_s.unwrap_or(f64::NAN)])
    }
}

impl Metric for StepResponse {
    type Memory = ResponseSoFar;
    const PARTS: &'static [MetricLabel] =
        &[MetricLabel::new("overshoot_percent", "Overshoot"), MetricLabel::new("settling_time_s", "Settling time")];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("step_response", "Step response")
    }

    fn expressions(&self) -> Vec<NamedExpression<'_>> {
        vec![NamedExpression::new("value", &self.value), NamedExpression::new("when", &self.when)]
    }

    fn observe(&self, response: &mut ResponseSoFar, swarm: &Swarm, values: &mut [f64]) {
        let value = if swarm.scope.holds(&self.when) { swarm.scope.value(&self.value) } else { f64::NAN };
        values.copy_from_slice(&response.observe(self, value, swarm.scope.t_s).unwrap_or([f64::NAN; 2]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values after a step response at 0, 1, 2, … seconds.
    fn after(values: &[f64], target: f64, band: f64) -> Option<[f64; 2]> {
        let (metric, mut response) = (StepResponse { target, band, ..Default::default() }, ResponseSoFar::default());
        let seen = values.iter().enumerate().map(|(step, value)| response.observe(&metric, *value, step as f64));
        seen.last().flatten()
    }

    #[test]
    fn step_response_of_a_second_order_system_equals_the_textbook() {
        // 1 − e^(−ζ t) (cos ω t + ζ/ω sin ω t) with ωn = 1 and ζ = 0.5: overshoot e^(−π ζ/√(1 − ζ²)), 16.3 %.
        let (zeta, dt_s) = (0.5_f64, 1e-3);
        let damped = (1.0 - zeta * zeta).sqrt();
        let value = |t_s: f64| {
            1.0 - libm::exp(-zeta * t_s) * (libm::cos(damped * t_s) + zeta / damped * libm::sin(damped * t_s))
        };
        let (metric, mut response) =
            (StepResponse { target: 1.0, band: 0.05, ..Default::default() }, ResponseSoFar::default());
        let times = (0..20_000).map(|step| f64::from(step) * dt_s);
        let [overshoot, settling_s] =
            times.map(|t_s| response.observe(&metric, value(t_s), t_s)).last().flatten().unwrap();
        let expected = 100.0 * libm::exp(-std::f64::consts::PI * zeta / damped);
        assert!((overshoot - expected).abs() < 1e-3, "{overshoot}");
        // The curve enters the band of 5 % for the last time at 5.29 s.
        assert!((settling_s - 5.29).abs() < 0.02, "{settling_s}");
    }

    #[test]
    fn step_response_accepts_falling_steps_and_is_nan_without_a_value() {
        assert_eq!(after(&[1.0, 0.5, -0.25, 0.01, 0.0], 0.0, 0.05), Some([25.0, 3.0]));
        assert_eq!(after(&[-1.0, 0.5, 0.0], 0.0, 0.05), Some([50.0, 2.0]));
        assert!(after(&[1.0, 0.0, 0.5], 0.0, 0.05).is_some_and(|[_, settled]| settled.is_nan()));
        assert_eq!(after(&[f64::NAN, 1.0, 0.0], 0.0, 0.05), Some([0.0, 2.0]));
        assert_eq!(after(&[f64::NAN], 0.0, 0.05), None);
        assert_eq!(after(&[0.0, 1.0], 0.0, 0.05), None);
    }
}
