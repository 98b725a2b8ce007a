//! The band of plots under the world of a video.

use swarmarium_lab_state::common::settings::RobotPlot;
use swarmarium_lab_state::plots::band::{Band, Filmed};
use swarmarium_lab_state::plots::bounds;
use swarmarium_lab_state::plots::drawn::{Sources, line_paint};
use swarmarium_lab_state::plots::history::History;
use swarmarium_picture::palette::Paint;
use swarmarium_picture::{Layer, Picture, Shape};

use super::*;

const FRAME_PX: DVec2 = DVec2::new(1280.0, 720.0);

/// A line of the picture of a band.
struct Line {
    points: Vec<DVec2>,
    is_dashed: bool,
    paint: Paint,
}

/// Returns the band of the plots of a lab at a moment, with another history as that of B.
fn picture(lab: &Lab, of_b: Option<&History>, now_s: f64, whole_s: [f64; 2]) -> (Band, Picture) {
    let band = Band::of(FRAME_PX, lab.plots.count()).unwrap();
    let (arrangement, simulation) = (&lab.plots.arrangement, lab.run.host.simulation());
    let bounds = bounds::of_metrics(simulation);
    let (layout, history) = (&arrangement.layout, &lab.plots.history);
    let sources = Sources { layout, history, of_b, bounds: &bounds, now: (now_s, &[]) };
    (band, band.picture(&Filmed { arrangement, sources, simulation, now_s, whole_s }).0)
}

/// Returns the curves of a picture, without the swatches of legends.
fn curves(picture: &Picture) -> Vec<Line> {
    let lines = picture.items.iter().filter(|item| item.layer == Layer::Links).filter_map(|item| match &item.shape {
        Shape::Line { points, pen, .. } => {
            Some(Line { points: points.clone(), is_dashed: pen.dashed, paint: item.paint })
        }
        _ => None,
    });
    // A swatch has 16 pixels.
    lines.filter(|line| line.points[line.points.len() - 1].x - line.points[0].x > 20.0).collect()
}

fn texts(picture: &Picture) -> Vec<&str> {
    let texts = picture.items.iter().filter_map(|item| match &item.shape {
        Shape::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Returns the abscissas of the cursors: one for each plot over time.
fn cursors(picture: &Picture) -> Vec<f64> {
    let segments = picture.items.iter().filter(|item| item.layer == Layer::Sensors);
    let segments = segments.filter_map(|item| match item.shape {
        Shape::Segment { ends, .. } => Some(ends[0].x),
        _ => None,
    });
    segments.collect()
}

#[test]
fn curves_end_at_the_filmed_moment_on_a_fixed_axis() {
    let mut lab = lab_on("milling");
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.0.x_m");
    do_steps(&mut lab, 401);
    let whole_s = [0.0, 10.0];
    let (band, early) = picture(&lab, None, 2.5, whole_s);
    assert_eq!(cursors(&early).len(), band.shown);
    let found = curves(&early);
    assert_eq!(found.len(), 4);
    for line in &found {
        let [first, last] = [line.points[0], line.points[line.points.len() - 1]];
        assert!(!line.is_dashed && line.paint == line_paint(0));
        let cursor = cursors(&early).into_iter().min_by(|a, b| (a - last.x).abs().total_cmp(&(b - last.x).abs()));
        assert!((cursor.unwrap() - last.x).abs() < 0.01, "{last} {cursor:?}");
        let inside = |point: &DVec2| point.cmpge(DVec2::ZERO).all() && point.cmple(band.size_px).all();
        assert!(line.points.iter().all(inside) && last.x > first.x);
    }
    let (_, late) = picture(&lab, None, 10.0, whole_s);
    let ends = |lines: &[Line]| lines.iter().map(|line| line.points[line.points.len() - 1].x).collect::<Vec<_>>();
    let (early_x, late_x) = (ends(&curves(&early)), ends(&curves(&late)));
    assert!(early_x.iter().zip(&late_x).all(|(early, late)| late - early > 100.0), "{early_x:?} {late_x:?}");
    // The start of the curves stays where it was.
    for (one, other) in curves(&early).iter().zip(&curves(&late)) {
        assert!((one.points[0] - other.points[0]).length() < 1e-9);
    }
    let texts = texts(&late);
    assert!(["Circliness", "0.0 s", "10.0 s"].iter().all(|text| texts.contains(text)), "{texts:?}");
}

#[test]
fn both_worlds_have_curves_of_one_colour() {
    let (mut lab, mut other) = (lab_on("milling"), lab_on("milling"));
    other.edit(vec![swarmarium_simulation::edit::Edit::Set {
        path: "groups.millers.controller.detected.turn_rad_per_s".into(),
        value: "1.8".into(),
    }]);
    do_steps(&mut lab, 200);
    do_steps(&mut other, 200);
    let (_, both) = picture(&lab, Some(&other.plots.history), 5.0, [0.0, 5.0]);
    let found = curves(&both);
    let [solid, dashed] = [false, true].map(|is_dashed| found.iter().filter(move |line| line.is_dashed == is_dashed));
    assert_eq!(solid.count(), 3);
    assert_eq!(dashed.count(), 3);
    assert!(found.iter().all(|line| line.paint == line_paint(0)));
    assert!(texts(&both)[0].contains("dashed: B"), "{:?}", texts(&both));
}

#[test]
fn a_second_unit_has_the_right_axis_and_hidden_lines_are_left_out() {
    let mut lab = lab_on("milling");
    for path in ["agents.0.x_m", "agents.1.x_m", "agents.0.speed_m_per_s"] {
        lab.plots.pin(&lab.run, &mut lab.notices, path);
    }
    do_steps(&mut lab, 100);
    let layout = &mut lab.plots.arrangement.layout;
    layout.add("agents.1.x_m", "agents.0.x_m");
    layout.add("agents.0.speed_m_per_s", "agents.0.x_m");
    let (band, shared) = picture(&lab, None, 2.5, [0.0, 2.5]);
    assert_eq!(band.shown, 4);
    assert!(texts(&shared).contains(&"m | m/s"), "{:?}", texts(&shared));
    let of =
        |picture: &Picture, place: usize| curves(picture).iter().filter(|line| line.paint == line_paint(place)).count();
    assert_eq!([of(&shared, 1), of(&shared, 2)], [1, 1]);
    lab.plots.arrangement.layout.toggle_line("agents.1.x_m");
    let (_, hidden) = picture(&lab, None, 2.5, [0.0, 2.5]);
    assert_eq!([of(&hidden, 1), of(&hidden, 2)], [0, 1]);
}

#[test]
fn plots_over_robots_are_in_the_band() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 20);
    let layout = &mut lab.plots.arrangement.layout;
    layout.add_of_robots(RobotPlot::distribution());
    layout.add_of_robots(RobotPlot::scatter());
    layout.add_of_robots(RobotPlot::Distribution("readings.9".into()));
    let (band, with_robots) = picture(&lab, None, 0.5, [0.0, 1.0]);
    assert_eq!(band.shown, 6);
    let texts = texts(&with_robots);
    for text in ["Distribution of speed", "Y over x", "6 robots", "No robot has this value"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    let discs = with_robots.items.iter().filter(|item| matches!(item.shape, Shape::Disc { .. })).count();
    assert_eq!(discs, 6);
}
