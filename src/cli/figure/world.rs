//! The world at a moment as a figure.

use std::io::Write as _;

use anyhow::bail;
use bevy::math::DVec2;
use swarmarium_base::files::shown;
use swarmarium_base::math;
use swarmarium_draw::Overlay;
use swarmarium_figure::{PAGE_MM, Paper, Print};
use swarmarium_picture::Camera;
use swarmarium_simulation::simulation::Recipe;
use swarmarium_space::Boundary;
use swarmarium_space::arena::Arena;

use super::super::messages::{tell_problems, tell_warning};
use super::super::moment::MomentArgument;
use super::super::player::{PartArguments, Playback, Player};
use super::super::{Common, Exit, interrupt, load, stdout, tell};
use super::Args;

/// The room around the arena, as a part of the larger side of the view.
const ARENA: f64 = 0.92;

/// The arena with all robots. Robots leave an open one.
fn with_robots(arena: &Arena, robots_m: &[DVec2]) -> Arena {
    let mut ends_m = [arena.corner_m, arena.corner_m + arena.size_m];
    if arena.boundary == Boundary::Open {
        for robot_m in robots_m.iter().filter(|robot_m| robot_m.is_finite()) {
            ends_m = [ends_m[0].min(*robot_m), ends_m[1].max(*robot_m)];
        }
    }
    let [corner_m, corner_after_m] = ends_m;
    Arena { corner_m, size_m: corner_after_m - corner_m, ..arena.clone() }
}

/// Draws the world at a moment of a run or a scene.
pub(super) fn run(args: &Args, at: &MomentArgument, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let files = args.outputs("world")?;
    interrupt::watch();
    let part = PartArguments::at(at.clone(), args.branch.clone());
    let mut player =
        Player::open(&args.folder, &part, common, recipe, |scene| args.view.add_trails(recipe.kinds(), scene))?;
    player.check_reach("--at")?;
    let at_s = player.first_s();
    if args.view.asks_for(Overlay::Occupancy) {
        player.remember();
    }
    match player.advance_to(at_s)? {
        Playback::Reached => {}
        Playback::Ended => bail!("{}: the run ended before {} s", shown(&args.folder), math::decimal_product(at_s)),
        Playback::Interrupted => {
            if !common.quiet {
                tell("interrupted: there is no figure");
            }
            return Ok(Exit::Interrupted);
        }
        Playback::InvalidEdit(problems) => {
            tell_problems(&problems);
            return Ok(Exit::BadInput);
        }
    }
    let simulation = player.simulation();
    let scene = simulation.scene();
    let moment = player.moment(at_s);
    let robots_m = moment.space.bodies.positions().get(..simulation.count()).unwrap_or_default();
    let is_fit = args.view.is_fit(scene);
    let seen = if is_fit { with_robots(&scene.arena, robots_m) } else { scene.arena.clone() };
    let aspect = seen.size_m.y / seen.size_m.x;
    // The room on both sides is that above and below.
    let margin = (1.0 - ARENA) / ARENA * aspect.max(1.0);
    let height_mm = args.width_mm * if aspect > 1.0 { aspect } else { (aspect + margin) / (1.0 + margin) };
    let height_mm = height_mm.round().clamp(*Paper::SIDES_MM.start(), PAGE_MM);
    let size_mm = DVec2::new(args.width_mm, args.height_mm.unwrap_or(height_mm));
    let paper = Paper { size_mm, font_pt: args.font_pt };
    let mut operator = args.view.operator(simulation)?;
    let mut view = args.view.view(scene, paper.size_px());
    view.camera = match is_fit {
        true => Camera { y_axis: view.camera.y_axis, ..Camera::fit(&seen, paper.size_px()) },
        false => operator.camera(&moment, &view.camera),
    };
    let is_in_view = |robot_m: &DVec2| {
        let at = view.camera.screen_from_world(*robot_m);
        at.cmpge(DVec2::ZERO).all() && at.cmple(view.camera.screen_px).all()
    };
    if !robots_m.is_empty() && !robots_m.iter().any(is_in_view) {
        tell_warning("no robot is in view; `--camera fit` shows all robots of an open arena");
    }
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
    Ok(player.conclude())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_arena_is_shown_with_all_robots() {
        let arena = Arena { corner_m: DVec2::ZERO, size_m: DVec2::new(10.0, 5.0), ..Arena::default() };
        let robots_m = [DVec2::new(3.0, 2.0), DVec2::new(25.0, -5.0), DVec2::NAN];
        let shown = with_robots(&Arena { boundary: Boundary::Open, ..arena.clone() }, &robots_m);
        assert_eq!((shown.corner_m, shown.size_m), (DVec2::new(0.0, -5.0), DVec2::new(25.0, 10.0)));
        let walled = with_robots(&Arena { boundary: Boundary::Walls, ..arena }, &robots_m);
        assert_eq!((walled.corner_m, walled.size_m), (DVec2::ZERO, DVec2::new(10.0, 5.0)));
    }
}
