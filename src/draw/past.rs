//! The past: where robots have been, and for how long, as the host of a simulation remembers it to draw it.
//!
//! A window or a recorder looks at the simulation after each step, so no result can depend on this. The more robots there
//! are, the fewer points a trail has, and they are kept only while they are shown.

use bevy::math::DVec2;

use super::TrailLength;
use super::occupancy::Occupancy;
use crate::agent::trail::{Length, POINTS, Trail};
use crate::simulation::Simulation;
use crate::step::CurrentSpace;

/// The fewest points of a trail, and what all trails together may have before they have so few.
const FEWEST: f64 = 16.0;
const ALL: f64 = 400_000.0;

/// What a host remembers of a run.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// The last step that was seen.
    step: Option<u64>,
    /// The numbers of the robots, and the trail of each.
    numbers: Vec<u32>,
    trails: Vec<Trail>,
    /// Whether trails are not shown now.
    is_hidden: bool,
    pub(super) occupancy: Occupancy,
}

impl Past {
    /// Nothing yet of a simulation.
    pub fn of(simulation: &Simulation) -> Self {
        let CurrentSpace(space) = simulation.world().resource::<CurrentSpace>();
        Self { occupancy: Occupancy::new(&space.arena), ..Self::default() }
    }

    /// The last step that was seen; `None` before the first one.
    pub fn last_step(&self) -> Option<u64> {
        self.step
    }

    /// Says whether trails are shown. They begin when they are: to follow robots takes time in each step.
    pub fn show_trails(&mut self, are_shown: bool) {
        self.is_hidden = !are_shown;
    }

    /// What is left of it when a run goes back to a step: trails until then. How long robots were where is counted anew.
    #[must_use]
    pub fn until(&self, step: u64, dt_s: f64) -> Self {
        let mut past = self.clone();
        if past.step.is_some_and(|last| last > step) {
            past.trails.iter_mut().for_each(|trail| trail.go_back(step));
            past.occupancy.begin(step as f64 * dt_s);
            past.step = Some(step);
        }
        past
    }

    /// Takes note of the step that was just done. When time went back, it starts anew.
    pub fn observe(&mut self, simulation: &Simulation, length: TrailLength) {
        let time = simulation.time();
        if self.step.is_none_or(|step| step > time.step) {
            *self = Self { is_hidden: self.is_hidden, ..Self::of(simulation) };
            self.occupancy.begin(time.step.saturating_sub(1) as f64 * time.dt_s);
        } else if self.step == Some(time.step) {
            return;
        }
        self.step = Some(time.step);
        let bodies = &simulation.world().resource::<CurrentSpace>().0.bodies;
        let positions = &bodies.positions()[..bodies.len()];
        self.occupancy.add(positions, time.dt_s);
        if self.is_hidden {
            (self.numbers, self.trails) = (Vec::new(), Vec::new());
            return;
        }
        if !bodies.who().iter().map(|who| who.number).eq(self.numbers.iter().copied()) {
            self.enlist(bodies.who().iter().map(|who| who.number).collect());
        }
        let length = match length.within_reason() {
            TrailLength::Seconds(time_s) => Length::seconds(time_s, time.dt_s),
            TrailLength::Meters(length_m) => Length::Meters(length_m),
        };
        let points = (ALL / positions.len() as f64).clamp(FEWEST, POINTS);
        for ((trail, position), moved) in self.trails.iter_mut().zip(positions).zip(bodies.displacements()) {
            trail.follow((*position, *moved), time.step, length, points);
        }
    }

    /// Makes room for those who came, and forgets those who went; both by number.
    fn enlist(&mut self, numbers: Vec<u32>) {
        let mut before = std::mem::take(&mut self.numbers).into_iter().zip(std::mem::take(&mut self.trails)).peekable();
        self.trails = numbers
            .iter()
            .map(|number| {
                while before.next_if(|(known, _)| known < number).is_some() {}
                before.next_if(|(known, _)| known == number).map_or_else(Trail::default, |(_, trail)| trail)
            })
            .collect();
        self.numbers = numbers;
    }

    /// The trail of a robot that is at `pose_m` and shown at `shown_m`, in pieces without jumps: points with their age,
    /// from 1 to 0.
    pub fn pieces_of(&self, number: u32, pose_m: DVec2, shown_m: DVec2) -> Vec<Vec<(DVec2, f64)>> {
        let trail = self.numbers.binary_search(&number).ok().map(|place| &self.trails[place]);
        trail.map_or_else(Vec::new, |trail| trail.pieces(pose_m, shown_m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Overlays, View};
    use crate::edit::Edit;
    use crate::picture::{Layer, Picture, Shape};
    use crate::scene::{reader, shipped};
    use crate::simulation::Recipe;

    fn milling() -> Simulation {
        let scene = reader::read(Recipe::standard().kinds(), "milling", shipped::get("milling").unwrap()).unwrap();
        Simulation::new(&scene).unwrap()
    }

    fn run(simulation: &mut Simulation, past: &mut Past, steps: u64, length: TrailLength) {
        for _ in 0..steps {
            simulation.step(1);
            past.observe(simulation, length);
        }
    }

    fn picture(simulation: &Simulation, past: &Past, overlays: Overlays) -> Picture {
        let view = View { overlays, ..View::fit(simulation.scene(), DVec2::splat(600.0)) };
        simulation.now().remembering(past).picture(&view)
    }

    #[test]
    fn trails_are_as_long_as_they_should_be_in_seconds_and_in_metres() {
        let mut simulation = milling();
        let mut past = Past::of(&simulation);
        let dt_s = simulation.time().dt_s;
        run(&mut simulation, &mut past, 400, TrailLength::Seconds(2.0));
        let trail = &past.trails[0];
        let span_s = (trail.head.step - trail.marks[0].step) as f64 * dt_s;
        assert!((span_s - 2.0).abs() < 2.0 * dt_s, "{span_s}");
        run(&mut simulation, &mut past, 400, TrailLength::Meters(0.5));
        let trail = &past.trails[0];
        let way_m = trail.head.way_m - trail.marks[0].way_m;
        assert!(way_m <= 0.5 + 1e-9 && way_m > 0.3, "{way_m}");
        assert!(past.trails.iter().all(|trail| trail.marks.len() <= 2 * POINTS as usize));
        let pieces = past.pieces_of(0, trail.head.at_m, trail.head.at_m);
        assert_eq!(pieces.len(), 1);
        let ages: Vec<f64> = pieces[0].iter().map(|(_, age)| *age).collect();
        assert!(ages.is_sorted_by(|a, b| a >= b) && ages.last() == Some(&0.0), "{ages:?}");
        assert!(past.pieces_of(77, DVec2::ZERO, DVec2::ZERO).is_empty());
    }

    #[test]
    fn whoever_is_put_elsewhere_starts_a_new_piece() {
        let mut simulation = milling();
        let mut past = Past::of(&simulation);
        run(&mut simulation, &mut past, 20, TrailLength::default());
        simulation.apply(Edit::Move { agent: 1, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }).unwrap();
        run(&mut simulation, &mut past, 20, TrailLength::default());
        let head = |past: &Past, place: usize| past.trails[place].head.at_m;
        let pieces = |place: usize| past.pieces_of(place as u32, head(&past, place), head(&past, place)).len();
        assert_eq!([pieces(0), pieces(1)], [1, 2]);
    }

    #[test]
    fn occupancy_is_the_time_of_all_robots_and_starts_anew_when_time_goes_back() {
        let mut simulation = milling();
        let mut past = Past::of(&simulation);
        let dt_s = simulation.time().dt_s;
        run(&mut simulation, &mut past, 100, TrailLength::default());
        past.observe(&simulation, TrailLength::default());
        assert!((past.occupancy.total_s() - 6.0 * 100.0 * dt_s).abs() < 1e-9);
        let mut again = milling();
        let shown = Overlays { trails: true, all_trails: true, occupancy: true, ..Overlays::NONE };
        let plain = Overlays { occupancy: false, all_trails: false, ..shown };
        assert_eq!(picture(&again, &past, shown), picture(&again, &past, plain), "what is yet to come is not shown");
        run(&mut again, &mut past, 1, TrailLength::default());
        assert!((past.occupancy.total_s() - 6.0 * dt_s).abs() < 1e-9);
        assert!(past.trails.iter().all(|trail| trail.marks.len() == 1));
    }

    #[test]
    fn whoever_goes_back_keeps_the_trails_until_then_and_counts_anew() {
        let mut simulation = milling();
        let mut past = Past::of(&simulation);
        let dt_s = simulation.time().dt_s;
        run(&mut simulation, &mut past, 100, TrailLength::default());
        let same = past.until(100, dt_s);
        assert_eq!((same.step, same.occupancy.total_s()), (past.step, past.occupancy.total_s()));
        let ends =
            |past: &Past| past.trails.iter().map(|trail| trail.marks.back().map(|mark| mark.step)).collect::<Vec<_>>();
        for step in [60, 61] {
            let mut back = past.until(step, dt_s);
            assert_eq!((back.last_step(), back.occupancy.total_s()), (Some(step), 0.0));
            assert_eq!(ends(&back), vec![Some(60); 6], "every second step");
            // The same steps again.
            let mut again = milling();
            again.step(step);
            run(&mut again, &mut back, 100 - step, TrailLength::default());
            assert!((back.occupancy.total_s() - 6.0 * (100 - step) as f64 * dt_s).abs() < 1e-9);
            assert_eq!(ends(&back), ends(&past));
            let starts = |trail: &Trail| trail.marks.iter().filter(|mark| mark.is_start).count();
            assert!(back.trails.iter().all(|trail| starts(trail) == 1), "they go on where they were");
            assert_eq!(back.trails[0].marks[0].at_m, past.trails[0].marks[0].at_m);
        }
    }

    #[test]
    fn those_who_come_and_go_leave_the_trails_of_the_others() {
        let mut past = Past { numbers: vec![1, 2, 4], trails: vec![Trail::default(); 3], ..Past::default() };
        for (place, trail) in past.trails.iter_mut().enumerate() {
            trail.head.way_m = place as f64;
        }
        past.enlist(vec![0, 2, 3, 4, 7]);
        let ways: Vec<f64> = past.trails.iter().map(|trail| trail.head.way_m).collect();
        assert_eq!(ways, [0.0, 1.0, 0.0, 2.0, 0.0]);
    }

    #[test]
    fn without_the_overlay_nothing_of_the_past_is_drawn() {
        let mut simulation = milling();
        let mut past = Past::of(&simulation);
        run(&mut simulation, &mut past, 40, TrailLength::default());
        let hash = simulation.hash();
        let plain = picture(&simulation, &past, Overlays::NONE);
        let view = View { overlays: Overlays::NONE, ..View::fit(simulation.scene(), DVec2::splat(600.0)) };
        assert_eq!(plain, simulation.picture(&view));
        let shown = Overlays { trails: true, all_trails: true, occupancy: true, ..Overlays::NONE };
        let items = picture(&simulation, &past, shown).items;
        assert!(items.iter().filter(|item| item.layer == Layer::Trails).count() >= 6);
        assert_eq!(items.iter().filter(|item| matches!(item.shape, Shape::Cells(_))).count(), 1);
        assert_eq!(simulation.hash(), hash);
    }
}
