//! Measures how many robots show a colour.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::palette::Role;

/// Share of the living robots whose LEDs have a colour, as opinions in collective decisions. A periodic boundary makes
/// no difference.
///
/// # Formula
/// ```math
/// y = \frac{1}{N}\sum_{i=1}^{N} l_i
/// ```
/// $l_i$ is 1 if the LEDs of robot $i$ have the colour, and 0 otherwise; $N$ is the number of robots that are not dead.
/// No number without such robots.
///
/// Source: Valentini, Hamann, Dorigo: "Self-organized collective decision making: the weighted voter model", AAMAS 2014.
///
/// Range: 0 to 1.
#[kind(section = "Numbers", words = "opinion, vote, decision, leds")]
pub struct ColorShare {
    /// The colour, such as `#ff0000` or `orange`; empty for any colour: LEDs that are on.
    pub color: String,
    /// Largest difference to the colour that counts, in red, green and blue each, from 0 to 1.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub tolerance: f64,
}

impl Metric for ColorShare {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("color_share", "Share of robots with the colour")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let (bodies, wanted) = (&census.all().bodies, Role::named(&self.color).map(Role::seen));
        let most = (self.tolerance * 255.0).round() as u8;
        let alive = census.numbers().filter_map(|number| bodies.row_of(number));
        let alive = alive.filter(|row| !bodies.owners()[*row].dead);
        let shows = |row: usize| {
            let led = bodies.led(row)?;
            let Some(wanted) = wanted else { return Some(()) };
            (0..3).all(|part| led[part].abs_diff(wanted[part]) <= most).then_some(())
        };
        let [count, shown] =
            alive.fold([0.0; 2], |[count, shown], row| [count + 1.0, shown + f64::from(shows(row).is_some())]);
        gathered.extend([count, shown]);
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        if let &[count, shown] = swarm.gathered
            && count > 0.0
        {
            values[0] = shown / count;
        }
    }

    fn problem(&self) -> Option<String> {
        let is_fine = self.color.is_empty() || Role::named(&self.color).is_some();
        (!is_fine).then(|| format!("`color`: {}", Role::no_color(&self.color)))
    }
}
