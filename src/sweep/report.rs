//! The report of a sweep: its figures as files, and one HTML file that shows everything.
//!
//! The HTML file needs no network, no script and no other file. Its bytes depend on the plan, the runs and the program: neither
//! the time nor the place of the folder is in it, so its commands run in the folder of the report.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};
use swarmarium_base::files::{cannot_write, read_at_most, shown, write_whole};
use swarmarium_base::problem::Problems;

use crate::charts;
use crate::charts::text;
use crate::folder::{FIGURES, Folder, REPORT};
use crate::identical;
use crate::log::Index;
use crate::plan::{MAX_POINTS, Seeds};
use crate::resolved::{Run, Sweep};
use crate::results::Results;
use crate::stats::DEFAULT_RESAMPLES;
use crate::summary::{self, Checked};
use crate::tables;
use swarmarium_figure::{Figure, FileOptions, Format};

mod section;

const TEMPLATE: &str = include_str!("report/report.html");

/// The formats of the figures in the folder.
const FORMATS: &[Format] = if cfg!(feature = "video") { &[Format::Svg, Format::Png] } else { &[Format::Svg] };

/// The results of a sweep.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Conclusion {
    /// The statistics.
    pub results: Results,
    /// The expectations of the plan, compared with the runs.
    pub checked: Vec<Checked>,
    /// The number of damaged lines of the logs, which were left out.
    pub damaged: u64,
    /// The number of finished runs in the logs that belong to no point of the plan.
    pub unplanned: u64,
}

/// Writes tables, figures and the report of the runs that are done.
///
/// # Errors
/// When a file cannot be written, or a log cannot be read.
pub fn conclude(sweep: &Sweep, folder: &Folder, index: &Index) -> Result<Conclusion, Problems> {
    let results = tables::write(sweep, folder, index)?;
    let checked = summary::check(sweep, &results.summaries);
    tables::write_expectations(sweep, folder, &checked)?;
    let figures = charts::charts(sweep, &results, index);
    write(sweep, folder, &results, &figures, &checked)?;
    let known: BTreeSet<u64> = sweep.runs().map(|run| sweep.key(run)).collect();
    let unplanned = index.keys().filter(|key| !known.contains(key)).count() as u64;
    Ok(Conclusion { results, checked, damaged: index.damaged(), unplanned })
}

/// Writes the figures and the report. Figures of an earlier plan of the same folder are deleted.
///
/// # Errors
/// When a file cannot be written, or a log cannot be read.
pub fn write(
    sweep: &Sweep,
    folder: &Folder,
    results: &Results,
    figures: &[(String, Figure)],
    checked: &[Checked],
) -> anyhow::Result<()> {
    let pictures = folder.path().join(FIGURES);
    fs::create_dir_all(&pictures).with_context(|| format!("{}: cannot be made", shown(&pictures)))?;
    for (name, figure) in figures {
        let print = figure.print();
        for format in FORMATS {
            let file = print.file(*format, &FileOptions::default())?;
            write_whole(&pictures.join(format!("{name}.{}", format.extension())), file)?;
        }
    }
    remove_old(sweep, &pictures, figures)?;
    // The caption is text of the page, which wraps and is easier to read than that of the picture.
    let inline = figures.iter().map(|(name, figure)| {
        let print = figure.print_without_caption();
        // Texts of the page are those of its fonts, which readers can search and copy.
        let svg = print.svg(&FileOptions { has_editable_text: true, ..FileOptions::default() });
        context! { name => name.as_str(), caption => clean(&figure.full_caption()), svg => Value::from_safe_string(svg) }
    });
    let html = html(sweep, folder, results, inline.collect(), checked)?;
    write_whole(&folder.path().join(REPORT), html)
}

/// Deletes figures of an earlier plan. Files with other names stay.
fn remove_old(sweep: &Sweep, pictures: &Path, figures: &[(String, Figure)]) -> anyhow::Result<()> {
    let entries = fs::read_dir(pictures).with_context(|| format!("{}: cannot be read", shown(pictures)))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_picture = path.extension().is_some_and(|ending| ending == "svg" || ending == "png");
        let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| is_picture) else { continue };
        if charts::is_name(sweep, name) && !figures.iter().any(|(current, _)| current == name) {
            fs::remove_file(&path).with_context(|| cannot_write(&path))?;
        }
    }
    Ok(())
}

fn html(
    sweep: &Sweep,
    folder: &Folder,
    results: &Results,
    figures: Value,
    checked: &[Checked],
) -> anyhow::Result<String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_template(REPORT, TEMPLATE)?;
    let path = folder.plan();
    let plan = read_at_most(&path, PLAN_BYTES).with_context(|| format!("{}: cannot be read", shown(&path)))?;
    let plan = String::from_utf8_lossy(&plan).into_owned();
    let origin = folder.provenance()?;
    let context = context! {
        title => clean(&title(sweep)),
        about => clean(sweep.plan.about.trim()),
        status => status(sweep, results, checked),
        identical => identical::note(sweep, &results.identical),
        is_complete => results.done >= sweep.run_count(),
        points => text::count(sweep.points.len() as u64, "point"),
        seeds => seeds(sweep),
        resamples => DEFAULT_RESAMPLES.to_string(),
        has_times => sweep.plan.measures.iter().any(|measure| measure.take.is_time()),
        has_shares => sweep.plan.measures.iter().any(|measure| measure.take.is_share()),
        figures,
        sections => section::all(sweep, results, &folder.index()?, checked),
        plan => clean(&plan),
        program => origin.program,
        version => origin.version,
        build => origin.build,
        scene_hash => origin.scene_hash,
    };
    environment.get_template(REPORT)?.render(context).context("the report cannot be rendered")
}

/// The largest plan that the report shows: a table of points can be long.
const PLAN_BYTES: u64 = MAX_POINTS * 10_000;

fn title(sweep: &Sweep) -> String {
    let names = [&sweep.plan.name, &sweep.scene.name].map(|name| name.trim());
    names.into_iter().find(|name| !name.is_empty()).unwrap_or("Sweep").to_owned()
}

/// A text without control characters, which have no place in HTML. Line breaks stay.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// The numbers of points and runs, in sentences.
fn status(sweep: &Sweep, results: &Results, checked: &[Checked]) -> Vec<Value> {
    let runs = sweep.run_count();
    let failed = results.failed.len();
    let mut lines = vec![format!(
        "{} × {} = {}.",
        text::count(sweep.points.len() as u64, "point"),
        text::count(sweep.repetitions, "repetition"),
        text::count(runs, "run")
    )];
    lines.push(match results.done < runs {
        true => format!("Incomplete: {} of {runs} runs are done, {failed} of them failed.", results.done),
        false if failed == 0 => "All runs are done, and no run failed.".into(),
        false => format!("All runs are done, and {failed} of them failed."),
    });
    if !checked.is_empty() {
        let met = checked.iter().filter(|one| one.is_met).count();
        lines.push(format!("{met} of {} are met.", text::count(checked.len() as u64, "expectation")));
    }
    lines.into_iter().map(Value::from).collect()
}

/// The seeds of the runs, in a sentence.
fn seeds(sweep: &Sweep) -> String {
    let seed = |repetition| sweep.seed(Run { point: 0, repetition });
    if sweep.factors.iter().any(|factor| factor.path == "seed") {
        return "The seed is a factor: each point has its own.".into();
    }
    match &sweep.plan.seeds {
        Seeds::Common if sweep.repetitions == 1 => format!("All runs have the seed {}.", seed(0)),
        Seeds::Common => {
            let last = seed(sweep.repetitions.saturating_sub(1));
            format!("All points have the same seeds, {} to {last} (common random numbers).", seed(0))
        }
        Seeds::Independent => format!(
            "Each run has a seed of its own, derived from the master seed {} and the values of its point.",
            sweep.plan.seed.unwrap_or(sweep.scene.seed)
        ),
        Seeds::List(seeds) => {
            const MOST: usize = 20;
            let mut list: Vec<String> = seeds.iter().take(MOST).map(u64::to_string).collect();
            if seeds.len() > MOST {
                list.push(format!("and {} more", seeds.len() - MOST));
            }
            format!("All points have the same seeds (common random numbers): {}.", list.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
