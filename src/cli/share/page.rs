//! A run as one HTML file.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use swarmarium_base::files::{shown, write_whole};
use swarmarium_base::math::decimal_product;
use swarmarium_core::text::wording::count;
use swarmarium_formats::share::file_of_run;
use swarmarium_page::{About, Options, PageError, PageRecorder, RATES_HZ};
use swarmarium_simulation::simulation::Recipe;

use super::super::messages::tell_problems;
use super::super::player::{PartArguments, Playback, Player};
use super::super::progress::Progress;
use super::super::{Common, Exit, interrupt, tell};
use super::Args;

/// The default duration of a page, in simulated seconds.
const DEFAULT_S: f64 = 60.0;

/// The options of the page.
pub(super) fn options(args: &Args) -> Options {
    Options {
        rate_hz: args.rate,
        trail_s: args.trail.map(|trail| trail.0),
        color_by: args.color_by,
        ..Options::default()
    }
}

/// The failure of a page, with the flag that causes it.
pub(super) fn of_flag(error: &PageError) -> anyhow::Error {
    match error {
        PageError::Rate(rate) => {
            anyhow!("--rate: expected a number from {} to {}, found {rate}", RATES_HZ.start(), RATES_HZ.end())
        }
        PageError::ColorBy(_) => anyhow!("--color-by: {error}"),
        _ => anyhow!("--html: {error}"),
    }
}

/// Simulates the run and writes its page.
pub(super) fn write(args: &Args, html: &Path, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    interrupt::watch();
    let clock = Instant::now();
    let mut player = Player::open(&args.scene, &PartArguments::default(), common, recipe, |_| {})?;
    let start = player.simulation().scene().clone();
    let dt_s = start.time.dt_s;
    let of_scene = start.stop.last_step(dt_s).map(|step| step as f64 * dt_s);
    let asked_s = args.duration.map(|duration| duration.0);
    let without_end = player.last_s().or(of_scene).unwrap_or(DEFAULT_S);
    let steps = ((asked_s.unwrap_or(without_end) / dt_s).round() as u64).max(1);
    let mut recorder = PageRecorder::new(player.simulation(), options(args)).map_err(|error| of_flag(&error))?;
    let _hold = interrupt::Hold::new();
    let progress = Progress::new("steps", steps, common.hides_progress());
    let mut exit = Exit::Fine;
    for step in 1..=steps {
        let playback = player.advance_to(step as f64 * dt_s)?;
        if player.simulation().steps() == step {
            recorder.observe(player.simulation()).with_context(|| shown(html))?;
            progress.at(step);
        }
        match playback {
            Playback::Reached => {}
            Playback::Ended => break,
            Playback::Interrupted => {
                exit = Exit::Interrupted;
                break;
            }
            Playback::InvalidEdit(problems) => {
                tell_problems(&problems);
                return Ok(Exit::BadInput);
            }
        }
    }
    progress.finish();
    let simulation = player.simulation();
    let title = if start.name.is_empty() { args.scene.as_str() } else { start.name.as_str() };
    let file = file_of_run(recipe.kinds(), title, &start, simulation.edits().to_vec())?;
    let about = About::of_file(title.to_owned(), file, player.bookmarks(), dt_s);
    let page = recorder.write(simulation, &about).with_context(|| shown(html))?;
    let megabytes = page.html.len() as f64 / 1e6;
    write_whole(html, page.html)?;
    if !common.quiet {
        let shown_s = decimal_product(simulation.time().now_s());
        let (robots, frames) = (count(page.robots, "robot"), count(page.frames, "frame"));
        let took_s = clock.elapsed().as_secs_f64();
        tell(format_args!(
            "{}: {robots}, {shown_s} s in {frames}, {megabytes:.2} MB, written in {took_s:.2} s",
            shown(html)
        ));
    }
    if exit == Exit::Interrupted && !common.quiet {
        tell(format_args!("interrupted: the page ends with step {}", simulation.steps()));
    }
    Ok(if exit == Exit::Fine { player.conclude() } else { exit })
}
