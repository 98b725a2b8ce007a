//! The swarms of the shipped scenes do as their files describe.

use swarmarium_core::step::HasArena as _;
use swarmarium_formats::standard::FromScene as _;
use swarmarium_simulation::Simulation;

use crate::support::{after, metric, scene};

#[test]
fn six_robots_mill() {
    let good = (1..=10).filter(|seed| metric(&after("milling", *seed, 100.0), "circliness") > 0.9).count();
    assert!(good >= 9, "only {good} of 10 seeds mill");
}

#[test]
fn robots_gather() {
    let (before, after) = (after("aggregation", 1, 0.05), after("aggregation", 1, 600.0));
    let (before, after) = (metric(&before, "scatter"), metric(&after, "scatter"));
    assert!(after < before / 4.0, "scatter went from {before} to {after}");
}

#[test]
fn robots_disperse_until_few_see_another() {
    for seed in 1..=4 {
        let (start, end) = (after("dispersal", seed, 0.05), after("dispersal", seed, 200.0));
        assert!(metric(&start, "nearest_neighbour.mean_m") < 0.12);
        assert!(metric(&end, "nearest_neighbour.mean_m") > 0.75, "seed {seed}");
        assert!(metric(&end, "average_speed_m_per_s") < 0.01, "seed {seed}: they come to rest");
        let seeing = end.agents().filter(|agent| agent.readings().any(|reading| reading[0] > 0.5)).count();
        assert!(seeing <= 4, "seed {seed}: {seeing} of 40 still see another");
    }
}

#[test]
fn robots_pursue_one_another_around_one_circle() {
    for seed in 1..=4 {
        let end = after("cyclic_pursuit", seed, 150.0);
        assert!(metric(&end, "circliness") > 0.95, "seed {seed}");
        assert!(metric(&end, "group_rotation_m_per_s").abs() > 0.1, "seed {seed}: all the same way round");
        // All on one circle, evenly: every gap is about as long as the shortest.
        let (mean, least) = (metric(&end, "nearest_neighbour.mean_m"), metric(&end, "nearest_neighbour.min_m"));
        assert!(mean < 1.2 * least, "seed {seed}: gaps of {mean} m on average, {least} m at least");
    }
}

#[test]
fn robots_flock_by_radio() {
    for seed in 1..=4 {
        let (start, end) = (after("flocking-radio", seed, 0.05), after("flocking-radio", seed, 60.0));
        assert!(metric(&start, "polarisation") < 0.5, "seed {seed}: out of disorder");
        assert!(metric(&end, "polarisation") > 0.98, "seed {seed}");
        assert!(metric(&end, "nearest_neighbour.min_m") > 0.2, "seed {seed}: nobody is in the way");
        assert!(metric(&end, "nearest_neighbour.mean_m") < 0.36, "seed {seed}: near each other");
        assert_eq!(metric(&end, "radio_connectivity.connected"), 1.0, "seed {seed}");
        assert!((0.4..0.8).contains(&metric(&end, "delivery_ratio")), "seed {seed}: though many packets get lost");
    }
}

#[test]
fn robots_rendezvous_and_stay_connected() {
    let mut simulation = after("rendezvous", 3, 0.05);
    assert!(metric(&simulation, "scatter_m") > 1.7);
    for second in 1..=100 {
        simulation.step(20);
        assert_eq!(metric(&simulation, "largest_component.fraction"), 1.0, "{second} s");
    }
    assert!(metric(&simulation, "scatter_m") < 0.2, "side by side");
}

#[test]
fn robots_follow_walls_and_go_all_the_way_along() {
    const NEAR_M: f64 = 0.35;
    let mut simulation = after("wall_following", 1, 100.0);
    let mut reached = [false; 8];
    for _ in 0..300 {
        simulation.step(20);
        let space = &simulation.world().arena().space;
        for position in space.bodies.positions() {
            let near_wall = space.arena.confine(*position, NEAR_M) != *position;
            assert!(near_wall || space.solids.overlap(&space.arena, *position, NEAR_M), "one strays, at {position}");
            let sector =
                swarmarium_base::math::atan2(position.y - 2.0, position.x - 3.0).rem_euclid(std::f64::consts::TAU);
            reached[(sector / std::f64::consts::TAU * 8.0) as usize % 8] = true;
        }
    }
    assert_eq!(reached, [true; 8], "every side of the arena is patrolled");
}

#[test]
fn two_teams_make_two_mills_that_turn_against_each_other() {
    let good = (1..=8).filter(|seed| {
        let end = after("mixed_teams", *seed, 200.0);
        assert!(metric(&end, "outer_mill") > 0.85 && metric(&end, "outer_rotation") < -0.25, "seed {seed}");
        metric(&end, "inner_mill") > 0.75 && metric(&end, "inner_rotation") > 0.25
    });
    // Robots that start side by side may keep seeing one another and never open their circle.
    let good = good.count();
    assert!(good >= 5, "only {good} of 8 seeds");
}

#[test]
fn predators_catch_some_evaders_and_the_others_come_home() {
    for seed in 1..=4 {
        let end = after("predators_and_evaders", seed, 90.0);
        let (home, dead) = (metric(&end, "agents_at_goal.arrived"), metric(&end, "dead"));
        assert!((2.0..=6.0).contains(&dead), "seed {seed}: {dead} were caught or caught one");
        assert!((6.0..12.0).contains(&home), "seed {seed}: {home} came home");
        let speed_m_per_s = metric(&end, "average_speed_m_per_s");
        assert!(
            speed_m_per_s < 1e-3,
            "seed {seed}: it is over, but for robots that lean on each other: {speed_m_per_s}"
        );
    }
}

#[test]
fn searchers_find_most_sites_by_chance() {
    for seed in 1..=4 {
        let end = after("levy_search", seed, 600.0);
        let sites = ["south_west", "south_east", "north_east", "north_west", "south"];
        let found =
            sites.map(|site| metric(&end, &format!("{site}.arrived"))).iter().filter(|came| **came > 0.0).count();
        assert!(found >= 3, "seed {seed}: {found} of 5 sites were found");
        assert!(metric(&end, "agents_at_goal.arrived") >= 6.0, "seed {seed}: most of the 8 found one");
    }
}

#[test]
fn followers_are_led_to_all_sites() {
    for seed in 1..=4 {
        let end = after("site_traversal", seed, 400.0);
        for site in ["south_east", "north_east", "north_west", "south_west"] {
            assert!(metric(&end, &format!("{site}.arrived")) >= 8.0, "seed {seed}: {site}");
        }
    }
}

#[test]
fn the_share_of_orange_robots_estimates_that_of_black_cells() {
    let mut simulation = after("collective_perception", 3, 20.0);
    let shares: Vec<f64> = (0..100)
        .map(|_| {
            simulation.step(40);
            metric(&simulation, "share_on_black")
        })
        .collect();
    let mean = shares.iter().sum::<f64>() / 100.0;
    assert!((mean - 0.45).abs() < 0.08, "{mean}");
    assert!(shares.iter().any(|share| *share < mean - 0.05) && shares.iter().any(|share| *share > mean + 0.05));
}

#[test]
fn robots_follow_the_lamp() {
    let mut near = 0;
    for seed in 1..=3 {
        let end = after("phototaxis", seed, 60.0);
        let lamp = end.world().arena().space.things[0].position;
        near += crate::support::positions(&end).iter().filter(|at| at.distance(lamp) < 1.0).count();
    }
    // A disc of this radius is a fifth of the arena: seven of 36 robots would be in it by chance.
    assert!(near > 15, "{near} of 36");
}

#[test]
fn every_scene_says_what_to_look_for() {
    for file in crate::support::shipped_scenes() {
        let about = scene(&file).about;
        assert!((1..=2).contains(&about.lines().count()) && about.len() > 20, "{file}: about: {about:?}");
        Simulation::new(&scene(&file)).unwrap();
    }
}
