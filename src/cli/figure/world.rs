//! The world at a moment as a figure.

use std::io::Write as _;

use anyhow::bail;
use bevy::math::DVec2;
use swarmarium_base::files::shown;
use swarmarium_base::math;
use swarmarium_draw::Overlay;
use swarmarium_figure::{PAGE_MM, Paper, Print};
use swarmarium_simulation::simulation::Recipe;

use super::super::messages::{tell_error, tell_problems};
use super::super::moment::MomentArgument;
use super::super::player::{PartArguments, Playback, Player};
use super::super::{Common, Exit, interrupt, load, stdout};
use super::Args;

/// The room around the arena, as a part of the larger side of the view.
const ARENA: f64 = 0.92;

/// Draws the world at a moment of a run or a scene.
pub(super) fn run(args: &Args, at: &MomentArgument, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let files = args.outputs("world")?;
    interrupt::watch();
    let part = PartArguments::at(at.clone(), args.branch.clone());
    let mut player =
        Player::open(&args.folder, &part, common, recipe, |scene| args.view.add_trails(recipe.kinds(), scene))?;
    let at_s = player.first_s();
    if args.view.asks_for(Overlay::Occupancy) {
        player.remember();
    }
    match player.advance_to(at_s)? {
        Playback::Reached => {}
        Playback::Ended => bail!("{}: the run ended before {} s", shown(&args.folder), math::decimal_product(at_s)),
        Playback::Interrupted => return Ok(Exit::Interrupted),
        Playback::InvalidEdit(problems) => {
            tell_problems(&problems);
            return Ok(Exit::BadInput);
        }
    }
    let simulation = player.simulation();
    let scene = simulation.scene();
    let aspect = scene.arena.size_m.y / scene.arena.size_m.x;
    // The room on both sides is that above and below.
    let margin = (1.0 - ARENA) / ARENA * aspect.max(1.0);
    let height_mm = args.width_mm * if aspect > 1.0 { aspect } else { (aspect + margin) / (1.0 + margin) };
    let height_mm = height_mm.round().clamp(*Paper::SIDES_MM.start(), PAGE_MM);
    let size_mm = DVec2::new(args.width_mm, args.height_mm.unwrap_or(height_mm));
    let paper = Paper { size_mm, font_pt: args.font_pt };
    let mut operator = args.view.operator(simulation)?;
    let mut view = args.view.view(scene, paper.size_px());
    let moment = player.moment(at_s);
    view.camera = operator.camera(&moment, &view.camera);
    let title = if scene.name.is_empty() { shown(load::name_of(&args.folder)) } else { scene.name.clone() };
    let time_s = math::decimal_product(at_s);
    let description = format!("{time_s} s, step {}, seed {}", simulation.steps(), scene.seed);
    let print = Print { title, description, picture: moment.picture(&view), camera: view.camera, paper };
    if !common.quiet {
        let mut out = stdout();
        writeln!(out, "{} at {}.", print.title, print.description)?;
        out.flush()?;
    }
    args.write(&print, &files, common)?;
    match player.difference() {
        Some(difference) => {
            tell_error(difference);
            Ok(Exit::Differs)
        }
        None => Ok(Exit::Fine),
    }
}
