//! Placement in rows and columns.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_AGENTS, MAX_LENGTH_M};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::{Place, Spawner};

/// Places robots or objects in rows and columns, from left to right and then row by row upwards.
///
/// With neither `columns` nor `rows`, there are as many columns as the square root of the number of robots, rounded up.
/// With one of them, the other follows from the number of robots.
#[kind(Copy, section = "Exact", words = "rows, columns, lattice")]
pub struct Grid {
    /// Centre of the grid.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::splat(5.0))]
    pub center_m: DVec2,
    /// Distance between neighbours along x and y, between centres.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(DVec2::ONE)]
    pub spacing_m: DVec2,
    /// Number of columns; 0 for the number that the robots need.
    #[reflect(@Limits::between(0.0, MAX_AGENTS))]
    pub columns: u32,
    /// Number of rows; 0 for the number that the robots need.
    #[reflect(@Limits::between(0.0, MAX_AGENTS))]
    pub rows: u32,
    /// Largest random shift along x and y, uniform and in both directions.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub jitter_m: f64,
}

impl Grid {
    /// Numbers of columns and rows for so many agents.
    fn shape(&self, count: u32) -> (u32, u32) {
        match (self.columns, self.rows) {
            (0, 0) => {
                let columns = f64::from(count).sqrt().ceil().max(1.0) as u32;
                (columns, count.div_ceil(columns))
            }
            (0, rows) => (count.div_ceil(rows), rows),
            (columns, 0) => (columns, count.div_ceil(columns)),
            both => both,
        }
    }
}

impl Spawner for Grid {
    fn fit(&mut self, count: u32) -> Result<(), String> {
        let (columns, rows) = self.shape(count);
        if u64::from(columns) * u64::from(rows) < u64::from(count) {
            return Err(format!(
                "{columns} columns and {rows} rows have fewer than {count} places: leave one of them 0"
            ));
        }
        (self.columns, self.rows) = (columns.max(1), rows.max(1));
        Ok(())
    }

    fn center_m(&self) -> DVec2 {
        self.center_m
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        let (columns, rows) = (self.columns.max(1), self.rows.max(1));
        let first_m = self.center_m - self.spacing_m * DVec2::new(f64::from(columns - 1), f64::from(rows - 1)) / 2.0;
        move |number, random| {
            let cell = DVec2::new(f64::from(number % columns), f64::from(number / columns));
            let place_m = first_m + self.spacing_m * cell;
            match self.jitter_m {
                0.0 => place_m.into(),
                jitter_m => {
                    (place_m + jitter_m * DVec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0))).into()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spawner::fixture::{is_even, places};

    fn fitted(mut spawner: Grid, count: u32) -> Vec<DVec2> {
        spawner.fit(count).unwrap();
        places(&spawner, count)
    }

    fn grid(columns: u32, rows: u32) -> Grid {
        Grid { center_m: DVec2::ZERO, spacing_m: DVec2::new(1.0, 2.0), columns, rows, ..default() }
    }

    #[test]
    fn grid_goes_row_by_row_from_the_lower_left_and_is_centred() {
        let six = [(-1.0, -1.0), (0.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (0.0, 1.0), (1.0, 1.0)].map(DVec2::from);
        assert_eq!(fitted(grid(3, 0), 6), six);
        assert_eq!(fitted(grid(0, 2), 6), six);
        assert_eq!(fitted(grid(0, 0), 6), six, "three columns, the root of six rounded up");
        assert_eq!(fitted(grid(3, 2), 4), six[..4], "places at the end can stay free");
        assert_eq!(fitted(grid(0, 0), 1), [DVec2::ZERO]);
        assert!(fitted(grid(0, 0), 0).is_empty());
    }

    #[test]
    fn grid_without_enough_places_is_refused() {
        assert_eq!(grid(3, 2).fit(7), Err("3 columns and 2 rows have fewer than 7 places: leave one of them 0".into()));
    }

    #[test]
    fn grid_shifts_evenly_within_its_jitter() {
        let count = 8000;
        let spawner = Grid { jitter_m: 0.25, ..grid(1, 0) };
        let mut counts = [0; 8];
        for (regular, place) in fitted(grid(1, 0), count).into_iter().zip(fitted(spawner, count)) {
            let shift = (place - regular) / 0.25;
            assert!(shift.abs().max_element() <= 1.0 + 1e-9);
            counts[((shift.x + 1.0) * 4.0).clamp(0.0, 7.0) as usize] += 1;
        }
        assert!(is_even(&counts), "{counts:?}");
    }
}
