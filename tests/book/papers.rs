//! The tables of reproduced results: from the plans in `scenes/papers/` and the results that `docs/papers.sh` keeps.
//!
//! `UPDATE_BOOK=1 cargo test --release book` writes them; without it, a page that differs fails.

use std::fmt::Write as _;

use swarmarium_formats::standard::Standard as _;
use swarmarium_scene::scene::{reader, shipped};
use swarmarium_simulation::Recipe;
use swarmarium_sweep::plan::{Expectation, Plan, Seeds, Status, Value, kinds_with_plans};

use super::reference::{NOTE, check_page};
use crate::support::text;

/// A plan with its results.
struct Reproduction {
    /// The name of the plan, such as `papers/vicsek-limits`.
    name: &'static str,
    title: String,
    /// The number of runs at each point, their length and the measures, in words.
    runs: String,
    checks: Vec<Check>,
}

/// An expected result.
struct Check {
    /// The values of the factors, as assignments.
    at: String,
    measure: String,
    statistic: String,
    status: Status,
    found: f64,
    expected: f64,
    tolerance: f64,
    is_met: bool,
    source: String,
}

impl Check {
    fn status(&self) -> String {
        match (self.status, self.is_met) {
            (Status::Disputed, false) => "disputed: **not met**".into(),
            (status, true) => format!("{status:?}").to_lowercase(),
            (status, false) => format!("{status:?}: **not met**").to_lowercase(),
        }
    }
}

/// A number with four significant digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size < 1e-3 => format!("{value:.1e}"),
        size => {
            let decimals = (3 - size.log10().floor() as i64).max(0) as usize;
            let text = format!("{value:.decimals$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
        }
    }
}

/// All shipped plans that expect results, by name.
fn reproductions() -> Vec<Reproduction> {
    let kinds = kinds_with_plans(Recipe::standard().kinds());
    let read = |(name, plan): (&'static str, &str)| {
        let plan: Plan = reader::read(&kinds, name, plan).unwrap_or_else(|problems| panic!("{problems}"));
        let has_checks = !plan.expect.is_empty();
        has_checks.then(|| {
            let (title, runs) = (plan.name.clone(), runs(&plan));
            Reproduction { name, title, runs, checks: checks(name, &plan) }
        })
    };
    shipped::plans().filter_map(read).collect()
}

/// The number of runs at each point of a plan, their length and the measures, in words.
fn runs(plan: &Plan) -> String {
    let count = match &plan.seeds {
        Seeds::List(seeds) => seeds.len() as u64,
        _ => plan.repetitions,
    };
    let length = match (plan.stop.steps, plan.stop.time_s) {
        (0, 0.0) => "the length of the scene".to_owned(),
        (0, time_s) => format!("{time_s} s"),
        (steps, _) => format!("{steps} steps"),
    };
    let most = if plan.stop.when.is_empty() { "" } else { "at most " };
    let measures: Vec<String> = plan.measures.iter().map(|measure| format!("`{}` ({measure})", measure.name)).collect();
    let measures = match &measures[..] {
        [] => "the last values of the metrics".to_owned(),
        measures => measures.join(", "),
    };
    let runs = if count == 1 { "run" } else { "runs" };
    format!("{count} {runs} of {most}{length} for each point. Measures: {measures}.")
}

/// The results of a plan, which must be those of its present expectations.
fn checks(name: &str, plan: &Plan) -> Vec<Check> {
    let short = name.strip_prefix("papers/").unwrap_or(name);
    let file = format!("docs/papers/results/{short}.csv");
    let text = text(&file);
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let head: Vec<String> = table.headers().unwrap().iter().map(Into::into).collect();
    let column = |name: &str| head.iter().position(|column| column == name).unwrap();
    let factors = 1..column("measure");
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let stale = format!("{file} is not that of its plan: `docs/papers.sh {short}` makes it again");
    let mut checks = Vec::new();
    for row in &rows {
        let cell = |name: &str| row[column(name)].to_owned();
        let number = |name: &str| row[column(name)].parse().unwrap_or(f64::NAN);
        let is_at = |at: &[Value]| {
            let same = |(value, column): (&Value, usize)| {
                value.shown() == &row[column] || value.number().is_some_and(|number| row[column].parse() == Ok(number))
            };
            at.is_empty() || at.iter().zip(factors.clone()).all(same)
        };
        let is_same = |expected: &&Expectation| {
            is_at(&expected.at)
                && expected.measure == cell("measure")
                && format!("{:?}", expected.statistic) == cell("statistic")
                && expected.value == number("expected")
                && expected.tolerance == number("tolerance")
                && format!("{:?}", expected.status) == cell("status")
                && expected.source == cell("source")
        };
        let expected = plan.expect.iter().find(is_same).unwrap_or_else(|| panic!("{stale}"));
        let at: Vec<String> = factors.clone().map(|column| format!("{} = {}", head[column], &row[column])).collect();
        checks.push(Check {
            at: at.join(", "),
            measure: expected.measure.clone(),
            statistic: cell("statistic"),
            status: expected.status,
            found: number("found"),
            expected: expected.value,
            tolerance: expected.tolerance,
            is_met: cell("met") == "true",
            source: expected.source.clone(),
        });
    }
    assert!(checks.len() >= plan.expect.len(), "{stale}");
    checks
}

#[test]
fn every_published_result_is_met_or_disputed() {
    let all = reproductions();
    let count = all.iter().map(|one| one.checks.len()).sum::<usize>();
    assert!(count >= 40, "{count} checks");
    for one in all {
        for check in &one.checks {
            let may_differ = check.status == Status::Disputed && check.found.is_finite();
            assert!(check.is_met || may_differ, "{}: {}, {}", one.name, check.at, check.measure);
        }
    }
}

#[test]
fn page_of_papers_lists_every_check() {
    let mut page = format!(
        "# Reproduced results\n\n{NOTE}Every row compares a published, recorded, derived or independently computed number with that of a plan. \
         `swarmarium sweep NAME --check` repeats the runs, and exits with status 4 if a number is not met. \
         The results are the same to the last bit each time. To change a plan, copy it: `swarmarium convert papers/gauci.sweep -o my.sweep.ron`.\n\n\
         [Sweep plans](reference/sweep-plans.md#expect) says what the status of a check means. \
         A *disputed* number is a published claim that other work contradicts; it is shown beside ours, and is not a failure. \
         *An independent program*, in the column of sources, is a small program that we wrote separately, with the rules of the publication and without any simulator; it is not distributed.\n"
    );
    let all = reproductions();
    page.push_str("\n| status | compared with | checks | met |\n|---|---|--:|--:|\n");
    for (status, compared) in [
        (Status::Exact, "an exact formula"),
        (Status::Recorded, "a recorded value"),
        (Status::Qualitative, "a state, such as a mill"),
        (Status::Statistical, "a mean, mostly of an independent program"),
        (Status::Disputed, "a published claim that other published work and our runs contradict"),
    ] {
        let checks: Vec<&Check> = all.iter().flat_map(|one| &one.checks).filter(|one| one.status == status).collect();
        let met = checks.iter().filter(|check| check.is_met).count();
        _ = writeln!(page, "| {} | {compared} | {} | {met} |", format!("{status:?}").to_lowercase(), checks.len());
    }
    page.push_str("\n| results | checks | met | disputed, not met |\n|---|--:|--:|--:|\n");
    for Reproduction { title, checks, .. } in &all {
        let met = checks.iter().filter(|check| check.is_met).count();
        _ = writeln!(page, "| {title} | {} | {met} | {} |", checks.len(), checks.len() - met);
    }
    for one in all {
        _ = write!(page, "\n## {}\n\n```sh,no-run\nswarmarium sweep {} --check\n```\n\n", one.title, one.name);
        _ = write!(page, "{}\n\n", one.runs);
        page.push_str("| point | result | status | found | expected | source |\n|---|---|---|--:|--:|---|\n");
        for check in &one.checks {
            let statistic = match check.statistic.as_str() {
                "Mean" => String::new(),
                other => format!(", {}", other.to_lowercase()),
            };
            _ = writeln!(
                page,
                "| {} | {}{statistic} | {} | {} | {} ± {} | {} |",
                check.at,
                check.measure,
                check.status(),
                number(check.found),
                number(check.expected),
                number(check.tolerance),
                check.source
            );
        }
    }
    check_page("docs/papers.md", &page);
}

/// The lines before and after the generated line of the front page.
const GENERATED: [&str; 2] =
    ["<!-- Reproduced results, generated: `UPDATE_BOOK=1 cargo test --release book`. -->", "<!-- End. -->"];

#[test]
fn front_page_counts_the_checks_of_papers() {
    let page = text("docs/README.md");
    let (before, rest) = page.split_once(GENERATED[0]).unwrap();
    let (_, after) = rest.split_once(GENERATED[1]).unwrap();
    let all = reproductions();
    let count: usize = all.iter().map(|one| one.checks.len()).sum();
    let disputed = all.iter().flat_map(|one| &one.checks).filter(|check| !check.is_met).count();
    let line = format!(
        "\n[{} of {count} checks](papers.md) are met. The other {disputed} are published claims that other published work and our runs contradict.\n",
        count - disputed
    );
    check_page("docs/README.md", &format!("{before}{}{line}\n{}{after}", GENERATED[0], GENERATED[1]));
}
