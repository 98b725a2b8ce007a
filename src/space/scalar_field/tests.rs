//! Tests of scalar fields: laws that hold for any field.

use super::*;

const DT_S: f64 = 0.1;

fn arena(boundary: Boundary) -> Field {
    Field::new(DVec2::new(6.4, 4.8), boundary).at(DVec2::new(-1.0, 2.0))
}

fn settings(diffusion_m2_per_s: f64, evaporation_per_s: f64) -> FieldSettings {
    FieldSettings { name: "scent".into(), diffusion_m2_per_s, evaporation_per_s, ..FieldSettings::default() }
}

/// A field of an arena of 6.4 m by 4.8 m.
fn field(boundary: Boundary, settings: FieldSettings) -> ScalarFields {
    ScalarFields::new(&[settings], arena(boundary))
}

fn run(fields: &mut ScalarFields, steps: u32, dt_s: f64, added: &[Emission]) {
    (0..steps).for_each(|step| fields.advance((f64::from(step) * dt_s, dt_s), &[], added));
}

/// Centre of mass (m) and variances along both axes (m²).
fn moments(field: &ScalarField) -> (DVec2, DVec2) {
    let grid = field.grid();
    let cells = field.values().into_iter().enumerate();
    let cells: Vec<(DVec2, f64)> =
        cells.map(|(cell, value)| (grid.center(cell % grid.columns, cell / grid.columns), value)).collect();
    let sum: f64 = cells.iter().map(|(_, value)| value).sum();
    let mean = cells.iter().map(|(at, value)| *at * *value).sum::<DVec2>() / sum;
    let square = |at: DVec2| (at - mean) * (at - mean);
    (mean, cells.iter().map(|(at, value)| square(*at) * *value).sum::<DVec2>() / sum)
}

fn largest_difference(one: &ScalarField, other: &ScalarField) -> f64 {
    one.values().iter().zip(other.values()).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
}

#[test]
fn cells_fill_the_arena_and_are_at_most_as_large_as_asked() {
    let grid = CellGrid::new(Field::new(DVec2::new(1.0, 0.35), Boundary::Walls), DVec2::splat(0.1));
    assert_eq!((grid.columns, grid.rows), (10, 4));
    assert_eq!(grid.cell_m, DVec2::new(0.1, 0.0875));
}

#[test]
fn a_deposit_keeps_its_amount_and_its_centre_of_mass() {
    for boundary in [Boundary::Walls, Boundary::Open, Boundary::Periodic] {
        let mut fields = field(boundary, settings(0.0, 0.0));
        let at = DVec2::new(1.234, 4.321);
        fields.all_mut()[0].deposit(at, 3.0);
        let (mean, _) = moments(&fields.all()[0]);
        assert!((fields.all()[0].total() - 3.0).abs() < 1e-14 && mean.abs_diff_eq(at, 1e-12), "{mean}");
        // At corners and edges, too.
        let corners = arena(boundary).corners();
        corners.iter().for_each(|corner| fields.all_mut()[0].deposit(*corner, 1.0));
        assert!((fields.all()[0].total() - 7.0).abs() < 1e-13);
        fields.all_mut()[0].deposit(DVec2::new(100.0, f64::NAN), 1.0);
        assert!((fields.all()[0].total() - 7.0).abs() < 1e-13, "it is nowhere");
        fields.all_mut()[0].deposit(at + DVec2::X * 12.8, 1.0);
        let expected = if boundary == Boundary::Periodic { 8.0 } else { 7.0 };
        assert!((fields.all()[0].total() - expected).abs() < 1e-13, "{boundary:?}");
    }
}

#[test]
fn diffusion_keeps_the_amount_and_spreads_it_to_the_variance_2dt() {
    for (diffusion, steps) in [(1e-3, 400), (0.05, 40), (0.5, 4)] {
        let mut fields = field(Boundary::Walls, settings(diffusion, 0.0));
        let at = fields.all()[0].grid().center(32, 24);
        fields.all_mut()[0].deposit(at, 2.0);
        let (_, before) = moments(&fields.all()[0]);
        run(&mut fields, steps, DT_S, &[]);
        let (mean, variance) = moments(&fields.all()[0]);
        let expected = 2.0 * diffusion * f64::from(steps) * DT_S;
        assert!((fields.all()[0].total() / 2.0 - 1.0).abs() < 1e-12);
        // Walls hold back what would be beyond them: four standard deviations away, less than a part in a thousand.
        let grown = (variance - before) / expected;
        let tolerance = if diffusion < 0.01 { 1e-10 } else { 1e-2 };
        assert!(mean.abs_diff_eq(at, tolerance), "{mean}");
        assert!((grown - 1.0).abs().max_element() < tolerance, "{diffusion}: {grown}");
        assert!(fields.all()[0].values().iter().all(|value| *value >= 0.0));
    }
}

#[test]
fn evaporation_has_its_half_life_whatever_the_step() {
    for dt_s in [0.01, 0.1, 2.0] {
        let half_life_s = 4.0;
        let mut fields = field(Boundary::Periodic, settings(0.02, std::f64::consts::LN_2 / half_life_s));
        fields.all_mut()[0].deposit(DVec2::new(0.1, 3.0), 8.0);
        run(&mut fields, (3.0 * half_life_s / dt_s).round() as u32, dt_s, &[]);
        assert!((fields.all()[0].total() - 1.0).abs() < 1e-12, "{}", fields.all()[0].total());
    }
}

#[test]
fn diffusion_does_not_depend_on_the_step() {
    let after = |dt_s: f64| {
        let mut fields = field(Boundary::Walls, settings(0.05, 0.2));
        fields.all_mut()[0].deposit(DVec2::new(-0.93, 2.3), 1.0);
        run(&mut fields, (2.0 / dt_s).round() as u32, dt_s, &[]);
        fields
    };
    let [coarse, fine] = [0.5, 0.05].map(after);
    let largest = fine.all()[0].largest();
    assert!(largest_difference(&coarse.all()[0], &fine.all()[0]) < 1e-8 * largest);
}

#[test]
fn the_amount_of_emitters_and_sources_is_exact() {
    let rate = 3.0;
    for (evaporation, dt_s) in [(0.0, 0.1), (1e-6, 0.1), (0.3, 0.1), (0.3, 1.0), (50.0, 0.5)] {
        let sources = vec![
            FieldSource { rate_per_s: rate, center_m: DVec2::new(2.0, 4.0), ..FieldSource::default() },
            FieldSource { rate_per_s: rate, center_m: DVec2::new(0.0, 4.0), radius_m: 0.35, ..FieldSource::default() },
        ];
        let mut fields = field(Boundary::Walls, FieldSettings { sources, ..settings(0.01, evaporation) });
        let at = DVec2::new(1.0, 3.0);
        let moving = Emission { field: 0, from: at, to: at + DVec2::new(0.04, 0.01), rate_per_s: rate };
        run(&mut fields, (2.0 / dt_s) as u32, dt_s, &[moving]);
        let expected = match evaporation {
            // The difference would lose digits.
            small if small < 1e-3 => 2.0 - 2.0 * small,
            _ => (1.0 - math::exp(-2.0 * evaporation)) / evaporation,
        };
        let total = fields.all()[0].total() / (3.0 * rate);
        assert!((total / expected - 1.0).abs() < 2e-12, "{evaporation}, {dt_s}: {total} for {expected}");
    }
}

#[test]
fn periodic_sources_add_their_amount_at_any_step() {
    let source = FieldSource { period_s: 0.7, duty: 0.3, phase: 0.9, rate_per_s: 2.0, ..FieldSource::default() };
    // From 0.63 s to 0.84 s, from 1.33 s to 1.54 s, and so on: seven times in 5.6 s, and the end of one before.
    let whole = source.amount((0.0, 5.6), 0.0);
    assert!((whole - 2.0 * 0.21 * 8.0).abs() < 1e-12, "{whole}");
    let parts: f64 = (0..56).map(|step| source.amount((f64::from(step) * 0.1, 0.1), 0.0)).sum();
    assert!((parts - whole).abs() < 1e-12);
    let k = 0.4;
    let left: f64 = (0..56)
        .map(|step| source.amount((f64::from(step) * 0.1, 0.1), k) * math::exp(-k * f64::from(55 - step) * 0.1))
        .sum();
    assert!((left - source.amount((0.0, 5.6), k)).abs() < 1e-12);
    assert!(source.is_on(0.7) && !source.is_on(0.6) && source.is_on(0.1) && !source.is_on(0.2));
}

#[test]
fn spreading_of_sources_and_emitters_is_of_second_order() {
    let after = |dt_s: f64| {
        let source = FieldSource { center_m: DVec2::new(2.0, 4.0), radius_m: 0.3, ..FieldSource::default() };
        let mut fields = field(Boundary::Walls, FieldSettings { sources: vec![source], ..settings(0.05, 0.8) });
        let steps = (2.0 / dt_s).round() as u32;
        for step in 0..steps {
            let at = |step: u32| DVec2::new(1.0 + 0.5 * f64::from(step) * dt_s, 3.03);
            let moving = Emission { field: 0, from: at(step), to: at(step + 1), rate_per_s: 1.0 };
            fields.advance((f64::from(step) * dt_s, dt_s), &[], &[moving]);
        }
        fields
    };
    let [exact, coarse, half] = [1.0 / 512.0, 0.125, 0.0625].map(after);
    let error = |fields: &ScalarFields| largest_difference(&fields.all()[0], &exact.all()[0]);
    let ratio = error(&coarse) / error(&half);
    assert!((3.0..5.5).contains(&ratio), "{ratio}: {} and {}", error(&coarse), error(&half));
}

#[test]
fn fixed_sources_hold_their_value_while_they_are_on() {
    let center_m = DVec2::new(2.0, 4.0);
    let source = FieldSource { center_m, radius_m: 0.3, fixed_per_m2: Some(5.0), ..FieldSource::default() };
    let mut fields = field(Boundary::Walls, FieldSettings { sources: vec![source], ..settings(0.05, 0.1) });
    run(&mut fields, 20, DT_S, &[]);
    assert_eq!(fields.all()[0].value(center_m), 5.0);
    assert_eq!(fields.all()[0].largest(), 5.0);
    let beside = fields.all()[0].value(center_m + DVec2::X * 0.5);
    assert!(beside > 0.5 && beside < 5.0);
}

#[test]
fn a_source_follows_its_object() {
    let source = FieldSource { object: "lamp".into(), center_m: DVec2::new(0.5, 0.0), ..FieldSource::default() };
    let mut fields = field(Boundary::Walls, FieldSettings { sources: vec![source], ..settings(0.0, 0.0) });
    let lamp = |x: f64| Thing { name: "lamp".into(), position: DVec2::new(x, 4.0), ..Thing::default() };
    fields.advance((0.0, 1.0), &[], &[]);
    assert_eq!(fields.all()[0].total(), 0.0, "the object does not exist");
    fields.advance((1.0, 1.0), &[Thing::default(), lamp(1.0)], &[]);
    fields.advance((2.0, 1.0), &[lamp(2.0)], &[]);
    let (mean, _) = moments(&fields.all()[0]);
    assert!((fields.all()[0].total() - 2.0).abs() < 1e-12 && mean.abs_diff_eq(DVec2::new(2.0, 4.0), 1e-12), "{mean}");
}

#[test]
fn walls_reflect_and_periodic_borders_wrap() {
    let spread = |boundary| {
        let mut fields = field(boundary, settings(0.05, 0.0));
        let at = fields.all()[0].grid().center(0, 24);
        fields.all_mut()[0].deposit(at, 1.0);
        run(&mut fields, 50, DT_S, &[]);
        fields
    };
    let [walls, periodic] = [Boundary::Walls, Boundary::Periodic].map(spread);
    let columns = walls.all()[0].grid().columns;
    let [walls, periodic] = [&walls, &periodic].map(|fields| fields.all()[0].values());
    let at = |values: &[f64], column: usize| values[24 * columns + column];
    for column in 1..8 {
        let [one, other] = [column, columns - column].map(|column| at(&periodic, column));
        assert!((one - other).abs() < 1e-13 && one > 0.0, "symmetric across the border");
        // A wall at the left edge of the first cell is a mirror: images are at the places −1, −2 and so on.
        let mirrored = at(&periodic, column) + at(&periodic, column + 1);
        assert!((at(&walls, column) - mirrored).abs() < 1e-9, "{column}");
    }
    // What has reached the other border there is too little to see.
    assert!(at(&walls, columns - 1) < 1e-9);
}

#[test]
fn a_spread_wider_than_the_arena_is_even() {
    for boundary in [Boundary::Walls, Boundary::Periodic] {
        let arena = Field::new(DVec2::new(0.5, 0.3), boundary);
        let mut fields = ScalarFields::new(&[settings(1.0, 0.0)], arena);
        fields.all_mut()[0].deposit(DVec2::splat(0.05), 1.5);
        run(&mut fields, 1, 0.5, &[]);
        for value in fields.all()[0].values() {
            assert!((value - 10.0).abs() < 1e-6, "{value}");
        }
    }
}

#[test]
fn the_gradient_of_a_linear_field_is_exact() {
    let mut fields = field(Boundary::Walls, settings(0.0, 0.0));
    let slope = DVec2::new(3.0, -0.5);
    fields.all_mut()[0].fill(|at| 20.0 + slope.dot(at));
    for point in [DVec2::new(0.3, 3.33), DVec2::new(1.0, 4.0), DVec2::new(5.0, 6.1)] {
        assert!((fields.all()[0].value(point) - 20.0 - slope.dot(point)).abs() < 1e-12);
        assert!(fields.all()[0].gradient(point).abs_diff_eq(slope, 1e-11));
    }
    assert_eq!(fields.all()[0].value(DVec2::ZERO), 0.0, "outside");
    assert_eq!(fields.all()[0].gradient(DVec2::ZERO), DVec2::ZERO);
}

/// A field with a thin wall across it.
fn walled(diffusion: f64) -> (ScalarFields, Solids) {
    let mut solids = Solids::default();
    let wall = [(2.01, 2.0), (2.012, 2.0), (2.012, 6.8), (2.01, 6.8)].map(DVec2::from);
    solids.add_polygon(&wall).unwrap();
    let mut fields = field(Boundary::Walls, FieldSettings { blocked_by_obstacles: true, ..settings(diffusion, 0.0) });
    fields.all_mut()[0].divide(&solids, |_| true);
    (fields, solids)
}

#[test]
fn obstacles_block_diffusion_and_keep_the_amount() {
    let (mut fields, solids) = walled(0.05);
    fields.all_mut()[0].deposit(DVec2::new(1.8, 4.0), 1.0);
    run(&mut fields, 100, DT_S, &[]);
    let field = &fields.all()[0];
    assert!((field.total() - 1.0).abs() < 1e-12);
    assert_eq!(field.value(DVec2::new(2.3, 4.0)), 0.0);
    assert!(field.value(DVec2::new(1.9, 4.0)) > 0.1);
    assert!(field.values().iter().all(|value| *value >= 0.0));
    fields.all_mut()[0].divide(&solids, |_| false);
    run(&mut fields, 10, DT_S, &[]);
    assert!(fields.all()[0].value(DVec2::new(2.3, 4.0)) > 0.01, "the wall is gone");
}

#[test]
fn diffusion_among_obstacles_is_of_second_order_and_has_the_variance_2dt() {
    let after = |dt_s: f64| {
        let (mut fields, _) = walled(0.01);
        fields.all_mut()[0].deposit(DVec2::new(0.3, 4.0), 1.0);
        let (_, before) = moments(&fields.all()[0]);
        run(&mut fields, (1.0 / dt_s).round() as u32, dt_s, &[]);
        let (_, variance) = moments(&fields.all()[0]);
        assert!(((variance - before) / 0.02 - 1.0).abs().max_element() < 1e-9, "{variance}");
        fields
    };
    let [exact, coarse, half] = [1.0 / 256.0, 0.1, 0.05].map(after);
    let error = |fields: &ScalarFields| largest_difference(&fields.all()[0], &exact.all()[0]);
    let ratio = error(&coarse) / error(&half);
    assert!((3.5..4.6).contains(&ratio), "{ratio}");
    let mut open = field(Boundary::Walls, settings(0.01, 0.0));
    open.all_mut()[0].deposit(DVec2::new(0.3, 4.0), 1.0);
    run(&mut open, 1, 1.0, &[]);
    assert!(largest_difference(&open.all()[0], &exact.all()[0]) < 1e-4 * open.all()[0].largest(), "far from walls");
}

#[test]
fn copies_share_blocks_until_they_change() {
    let mut fields = field(Boundary::Walls, FieldSettings { initial_per_m2: 1.0, ..settings(0.0, 0.0) });
    let copy = fields.clone();
    assert!(fields.all()[0].is_same(&copy.all()[0]));
    run(&mut fields, 3, DT_S, &[]);
    assert!(fields.all()[0].is_same(&copy.all()[0]), "nothing changes it");
    fields.all_mut()[0].deposit(DVec2::new(1.0, 2.1), 1.0);
    assert!(!fields.all()[0].is_same(&copy.all()[0]));
    let shared = fields.all()[0].blocks().filter(|block| copy.all()[0].blocks().any(|known| known == *block));
    assert_eq!((shared.count(), copy.all()[0].blocks().count()), (2, 3));
    assert!((copy.all()[0].total() - 6.4 * 4.8).abs() < 1e-12 && fields.all()[0].total() > 6.4 * 4.8 + 0.9);
    let empty = field(Boundary::Walls, settings(0.1, 0.1));
    assert_eq!(empty.all()[0].blocks().count(), 0, "zeros have no memory");
    assert!(empty.all()[0].total().is_sign_positive());
}

#[test]
fn live_parameters_take_effect_and_others_wait() {
    let mut fields = field(Boundary::Walls, settings(0.0, 0.0));
    fields.all_mut()[0].deposit(DVec2::new(1.0, 4.0), 1.0);
    let new = FieldSettings { name: "other".into(), cell_m: 3.0, ..settings(0.0, std::f64::consts::LN_2) };
    fields.all_mut()[0].set_live(&new);
    run(&mut fields, 1, 1.0, &[]);
    assert!((fields.named("scent").unwrap().total() - 0.5).abs() < 1e-12);
    assert!(fields.named("other").is_none() && fields.all()[0].settings().cell_m == 0.1);
}

#[test]
fn too_many_cells_and_too_wide_steps_are_refused_with_a_way_out() {
    let arena_m = DVec2::new(100.0, 50.0);
    let (path, message) = FieldSettings { cell_m: 0.01, ..settings(0.0, 0.0) }.problem(arena_m, 0.1).unwrap();
    assert_eq!(path, "cell_m");
    assert_eq!(message, "cells of 0.01 m are 50000000 cells, and at most 1000000 are allowed: try 0.071");
    assert_eq!(FieldSettings { cell_m: 0.071, ..settings(0.0, 0.0) }.problem(arena_m, 0.1), None);
    let (path, message) = settings(200.0, 0.0).problem(arena_m, 0.1).unwrap();
    assert!(
        path == "diffusion_m2_per_s" && message.contains("at most 1000") && message.contains("found 2000"),
        "{message}"
    );
    let source = FieldSource { period_s: 1e-4, ..FieldSource::default() };
    let (path, _) = FieldSettings { sources: vec![source], ..settings(0.0, 0.0) }.problem(arena_m, 0.1).unwrap();
    assert_eq!(path, "sources[0].period_s");
}
