use swarmarium_lab_testing::{do_steps, lab_of, lab_on};

use super::*;

/// Runs a scene for a number of steps, and looks at its moments.
fn observe(text: &str, steps: u64, look: impl FnOnce(&Simulation, Moments)) {
    let (mut lab, mut moments) = (lab_of(text), Moments::default());
    for _ in 0..steps {
        do_steps(&mut lab, 1);
        moments.observe(lab.run.host.simulation(), &lab.run.host.simulation().metric_columns());
    }
    look(lab.run.host.simulation(), moments);
}

/// Two robots that meet in the middle and push each other, with a mode of collisions.
fn duel(mode: &str) -> String {
    format!(
        "(arena: (boundary: Walls), on_collision: {mode}, time: (dt_s: 0.05), groups: [
            (name: \"left\", at: [(4.0, 5, 0)], controller: Constant(v_m_per_s: 0.5)),
            (name: \"right\", at: [(6.0, 5, 3.14159265)], controller: Constant(v_m_per_s: 0.5)),
        ])"
    )
}

#[test]
fn a_lasting_contact_of_two_robots_is_one_moment_in_every_mode() {
    for mode in ["Push", "Stop"] {
        observe(&duel(mode), 200, |simulation, moments| {
            let found: Vec<&Occurrence> = moments.of_kind(MomentKind::Collision).collect();
            assert_eq!(found.len(), 1, "{mode}: {found:?}");
            assert_eq!(found[0].robot, Some(0), "{mode}");
            assert_eq!(found[0].detail, Detail::Obstacle(Obstacle::Robot(1)), "{mode}");
            assert!(found[0].last_step > found[0].step + 20, "{mode}: they push for a while: {found:?}");
            assert!(found[0].is_of(0) && found[0].is_of(1) && !found[0].is_of(2), "{mode}");
            assert_eq!(found[0].text(simulation), "left ran into right", "{mode}");
            assert_eq!(moments.steps(MomentKind::Collision), [found[0].step], "{mode}");
        });
    }
}

#[test]
fn contacts_name_walls_and_objects() {
    let text = "(arena: (boundary: Walls), time: (dt_s: 0.05), objects: [
            Disc(center_m: (7, 5), radius_m: 0.5, name: \"pillar\"),
            Polygon(corners_m: [(1, 8), (9, 8), (9, 8.5), (1, 8.5)]),
        ], groups: [
            (name: \"a\", at: [(0.5, 2, 3.14159265)], controller: Constant(v_m_per_s: 0.5)),
            (name: \"b\", at: [(5.5, 5, 0)], controller: Constant(v_m_per_s: 0.5)),
            (name: \"c\", at: [(3, 7.2, 1.5707963)], controller: Constant(v_m_per_s: 0.5)),
        ])";
    for mode in ["Push", "Stop"] {
        let text = text.replacen("time:", &format!("on_collision: {mode}, time:"), 1);
        observe(&text, 60, |simulation, moments| {
            let texts = moments.of_kind(MomentKind::Collision).map(|known| known.text(simulation));
            let mut texts: Vec<String> = texts.collect();
            texts.sort();
            let wanted = ["a ran into a wall", "b ran into the object pillar", "c ran into the object Polygon 1"];
            assert_eq!(texts, wanted, "{mode}");
        });
    }
}

#[test]
fn a_branch_forgets_later_moments_and_goes_on_with_contacts() {
    let mut moments = Moments::default();
    observe(&duel("Push"), 100, |_, found| moments = found);
    let first = moments.steps(MomentKind::Collision)[0];
    moments.go_back(first + 5);
    assert_eq!(moments.of_kind(MomentKind::Collision).next().map(|known| known.last_step), Some(first + 5));
    // The same steps again.
    let mut lab = lab_of(&duel("Push"));
    do_steps(&mut lab, first + 5);
    for _ in 0..10 {
        do_steps(&mut lab, 1);
        moments.observe(lab.run.host.simulation(), &[]);
    }
    assert_eq!(moments.count(MomentKind::Collision), 1, "the contact goes on");
    assert_eq!(moments.of_kind(MomentKind::Collision).next().map(|known| known.last_step), Some(first + 15));
    moments.go_back(first - 1);
    assert_eq!(moments.count(MomentKind::Collision), 0);
}

#[test]
fn splits_merges_and_arrivals_are_moments() {
    let text =
        "(arena: (boundary: Open), time: (dt_s: 0.1), objects: [Goal(area: Disc(center_m: (5, 5), radius_m: 0.3))],
        metrics: [LargestComponent(range_m: 1.0)], groups: [
            (name: \"stays\", at: [(3, 5, 0)], controller: Constant(v_m_per_s: 0.0)),
            (name: \"goes\", at: [(3.5, 5, 0)], controller: Constant(v_m_per_s: 1.0)),
        ])";
    observe(text, 30, |simulation, moments| {
        let split = moments.of_kind(MomentKind::Split).next().unwrap();
        assert!((5..=7).contains(&split.step), "{split:?}");
        assert_eq!(split.text(simulation), "The swarm split: from 1 to 2 connected parts");
        assert_eq!(moments.of_kind(MomentKind::Merge).count(), 0);
        let arrivals: Vec<&Occurrence> = moments.of_kind(MomentKind::Arrival).collect();
        assert_eq!(arrivals.len(), 1, "{arrivals:?}");
        assert_eq!(arrivals[0].text(simulation), "goes arrived at Goal 0");
    });
}

/// Robots of a line, 0.1 m in radius, of which a number drives away to the right for 3 s and then returns.
fn convoy(staying: usize, going: usize) -> String {
    let group = |name: &str, count: usize, from_m: f64, speed: &str| {
        let at: Vec<String> = (0..count).map(|place| format!("({}, 5, 0)", from_m + 0.5 * place as f64)).collect();
        format!("(name: \"{name}\", at: [{}], controller: Constant(v_m_per_s: {speed}))", at.join(", "))
    };
    let stays = group("stays", staying, 2.0, "0.0");
    let goes = match going {
        0 => String::new(),
        going => group("goes", going, 2.0 + 0.5 * staying as f64, "1.0"),
    };
    format!("(arena: (boundary: Open), time: (dt_s: 0.1), groups: [{stays}, {goes}])")
}

/// Returns the splits and merges of a scene after some steps, of which the robots that go turn round in one.
fn splits_and_merges(text: &str, steps: u64, turn: u64) -> Vec<(MomentKind, String)> {
    let (mut lab, mut moments) = (lab_of(text), Moments::default());
    for step in 0..steps {
        if step == turn {
            let edit = swarmarium_simulation::edit::Edit::Set {
                path: "groups.goes.controller.v_m_per_s".into(),
                value: "-1.0".into(),
            };
            lab.edit(vec![edit]);
        }
        do_steps(&mut lab, 1);
        moments.observe(lab.run.host.simulation(), &[]);
    }
    let mut found: Vec<&Occurrence> =
        [MomentKind::Split, MomentKind::Merge].into_iter().flat_map(|kind| moments.of_kind(kind)).collect();
    found.sort_by_key(|occurrence| occurrence.step);
    found.into_iter().map(|known| (known.kind, known.text(lab.run.host.simulation()))).collect()
}

#[test]
fn splits_and_merges_are_found_without_a_metric() {
    let found = splits_and_merges(&convoy(3, 2), 60, 30);
    let wanted = [
        (MomentKind::Split, "The swarm split: its largest part has 3 of 5 robots".to_owned()),
        (MomentKind::Merge, "The swarm merged: 5 of 5 robots are connected".to_owned()),
    ];
    assert_eq!(found, wanted);
    assert!(splits_and_merges(&convoy(9, 1), 60, 30).is_empty(), "one robot of ten is not part");
    assert!(splits_and_merges(&convoy(1, 0), 60, 90).is_empty(), "one robot");
    let many = format!("(groups: [(name: \"many\", count: {}, controller: Constant())])", cohesion::MOST_ROBOTS + 1);
    assert!(splits_and_merges(&many, 4, 90).is_empty());
}

#[test]
fn a_branch_finds_the_same_splits_and_merges_again() {
    let (mut lab, mut moments) = (lab_of(&convoy(3, 2)), Moments::default());
    for _ in 0..25 {
        do_steps(&mut lab, 1);
        moments.observe(lab.run.host.simulation(), &[]);
    }
    let split = moments.steps(MomentKind::Split).to_vec();
    assert_eq!(split.len(), 1);
    for back in [split[0] + 2, split[0] - 2] {
        let mut lab = lab_of(&convoy(3, 2));
        moments.go_back(back);
        do_steps(&mut lab, back);
        for _ in back..25 {
            do_steps(&mut lab, 1);
            moments.observe(lab.run.host.simulation(), &[]);
        }
        assert_eq!(moments.steps(MomentKind::Split), split, "{back}");
        assert_eq!(moments.count(MomentKind::Merge), 0, "{back}");
    }
}

#[test]
fn splits_and_merges_of_shipped_scenes_are_few() {
    for name in
        ["milling", "aggregation", "flocking-radio", "dispersal", "foraging", "predators_and_evaders", "obstacles"]
    {
        let (mut lab, mut moments) = (lab_on(name), Moments::default());
        for _ in 0..1200 {
            do_steps(&mut lab, 1);
            moments.observe(lab.run.host.simulation(), &[]);
        }
        let count = [MomentKind::Split, MomentKind::Merge].map(|kind| moments.count(kind));
        assert!(count.iter().sum::<u64>() <= 6, "{name}: {count:?}");
    }
}

#[test]
fn contacts_of_shipped_scenes_have_their_obstacles() {
    let (mut found, mut without) = (0, 0);
    for name in ["milling", "aggregation", "foraging", "obstacles", "transport", "simiam-swarm"] {
        let (mut lab, mut moments) = (lab_on(name), Moments::default());
        for _ in 0..600 {
            do_steps(&mut lab, 1);
            moments.observe(lab.run.host.simulation(), &[]);
        }
        let contacts: Vec<&Occurrence> = moments.of_kind(MomentKind::Collision).collect();
        let unknown = contacts.iter().filter(|known| known.detail == Detail::Obstacle(Obstacle::Unknown)).count();
        found += contacts.len();
        without += unknown;
    }
    assert!(found > 20 && without * 10 <= found, "{without} of {found}");
}
