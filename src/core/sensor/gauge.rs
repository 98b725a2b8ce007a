//! Displays of readings.

/// The display that suits the numbers of a reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Gauge {
    /// The numbers alone.
    #[default]
    Numbers,
    /// A lamp for each number, lit unless the number is 0.
    Lamps,
    /// A field of view, lit unless the number is 0.
    Cone {
        /// Direction of its centre line, anticlockwise from the heading.
        bearing_rad: f64,
        /// Half of the opening angle.
        half_angle_rad: f64,
    },
    /// A bar for each number.
    Bars {
        /// Number that corresponds to an empty bar.
        empty: f64,
        /// Number that corresponds to a full bar.
        full: f64,
    },
    /// A ray for each number, as long as the free distance.
    Rays {
        /// Directions of the rays, anticlockwise from the heading.
        bearings_rad: Vec<f64>,
        /// Number of a ray that is blocked at its start.
        blocked: f64,
        /// Number of a free ray.
        free: f64,
    },
}

impl Gauge {
    /// The fraction of a bar or ray for a number, from 0 to 1; `None` for NaN, and for other displays.
    pub fn part(&self, number: f64) -> Option<f64> {
        let (from, to) = match self {
            Self::Bars { empty, full } => (*empty, *full),
            Self::Rays { blocked, free, .. } => (*blocked, *free),
            Self::Numbers | Self::Lamps | Self::Cone { .. } => return None,
        };
        let part = (number - from) / (to - from);
        (!part.is_nan()).then(|| part.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_bars_and_rays_in_part() {
        let bars = Gauge::Bars { empty: 0.0, full: 100.0 };
        assert_eq!([25.0, 120.0, -1.0].map(|number| bars.part(number)), [Some(0.25), Some(1.0), Some(0.0)]);
        // Rays whose number is larger for nearer things.
        let rays = Gauge::Rays { bearings_rad: vec![0.0], blocked: 1.0, free: 0.0 };
        assert_eq!([1.0, 0.75, f64::NAN].map(|number| rays.part(number)), [Some(0.0), Some(0.25), None]);
        assert_eq!(Gauge::Lamps.part(1.0), None);
        assert_eq!(Gauge::Bars { empty: 1.0, full: 1.0 }.part(1.0), None, "it has no length");
    }
}
