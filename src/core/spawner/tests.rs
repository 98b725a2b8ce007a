use std::f64::consts::{FRAC_PI_2, PI};

use super::*;

#[test]
fn facings_look_where_they_say() {
    let (position, center) = (DVec2::new(3.0, 4.0), DVec2::new(3.0, 1.0));
    let heading = |facing: Facing| facing.heading_rad(position, center, || 0.25);
    assert_eq!(heading(Facing::Random), 0.25);
    assert_eq!(heading(Facing::Towards), -FRAC_PI_2);
    assert_eq!(heading(Facing::Away), FRAC_PI_2);
    assert_eq!(heading(Facing::Heading { rad: 7.0 }), 7.0);
    let towards = |at_m, random_at_m| heading(Facing::Point { at_m, random_at_m });
    assert_eq!(towards(DVec2::new(-1.0, 4.0), None), PI);
    // No direction leads from a position to itself.
    assert_eq!(towards(position, None), 0.25);
    // A place for random headings replaces this rule.
    assert_eq!(towards(DVec2::new(-1.0, 4.0), Some(position + 1e-7)), 0.25);
    assert_eq!(towards(position, Some(center)), 0.0);
    let away = |random_at_m| heading(Facing::AwayFrom { at_m: center, random_at_m });
    assert_eq!([away(None), away(Some(position))], [FRAC_PI_2, 0.25]);
    assert_eq!(Facing::Away.heading_rad(center, center, || 0.25), 0.25);
}

#[test]
fn spawning_is_due_when_it_says() {
    let due =
        |spawning: &Spawning, pending: u32| -> Vec<u32> { (0..10).map(|step| spawning.due(step, pending)).collect() };
    assert_eq!(due(&Spawning::default(), 9), [9; 10], "all at once, whenever that is");
    let mut spawning = Spawning { interval_steps: 3, batch_size: 2, start_step: 2, ..Spawning::default() };
    assert_eq!(due(&spawning, 9), [0, 0, 2, 0, 0, 2, 0, 0, 2, 0]);
    assert_eq!(due(&spawning, 1), [0, 0, 1, 0, 0, 1, 0, 0, 1, 0], "no more than are to come");
    spawning.end_step = 5;
    assert_eq!(due(&spawning, 9), [0, 0, 2, 0, 0, 2, 0, 0, 0, 0]);
}
