//! Tests of `lab_panels::figure_export`.

use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use bevy_egui::egui::{Context, OutputCommand};
use egui_kittest::kittest::Queryable as _;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_panels::dispatch;
use swarmarium_lab_state::action::{Action, FigureAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::app::files::FigureError;
use swarmarium_lab_state::common::settings::{FigureContent, FigureFormat, FigureOptions, FigureTime, RobotPlot};
use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, window};

/// A lab with plotted values.
fn plotted() -> Lab {
    let mut lab = lab_on("milling");
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.0.x_m");
    do_steps(&mut lab, 200);
    lab
}

fn exported(lab: &mut Lab, content: FigureContent, format: FigureFormat, path: &Path) -> Vec<u8> {
    let action = FigureAction::Export(content, format, path.into());
    dispatch::act(lab, &Context::default(), action.into());
    while lab.files.recordings.works() {
        thread::sleep(Duration::from_millis(1));
        lab.record_frames(0.0);
    }
    fs::read(path).unwrap_or_default()
}

#[test]
fn plots_have_axes_with_units_and_the_lines_of_the_panel() {
    let lab = plotted();
    let svg = lab.figure(FigureContent::Plots).unwrap().svg(&FigureOptions::default().file());
    let plots = lab.plots.titles(lab.run.host.simulation()).len();
    assert_eq!(svg.matches("Time (s)").count(), plots);
    assert!(svg.contains("x (m)") && svg.contains(">Circliness<"), "{svg}");
    assert!(svg.matches("<polyline").count() >= 2 * plots && svg.contains("width=\"170mm\" height=\"90mm\""));
    assert!(svg.contains("Milling") && svg.contains("seed 7"));
}

#[test]
fn plots_that_are_left_out_are_not_in_the_figure() {
    let mut lab = plotted();
    let keys: Vec<String> = lab.plots.titles(lab.run.host.simulation()).into_iter().map(|(key, _)| key).collect();
    lab.shell.settings.figure.left_out = vec!["circliness".into()];
    assert!(!lab.figure(FigureContent::Plots).unwrap().svg(&FigureOptions::default().file()).contains(">Circliness<"));
    lab.shell.settings.figure.left_out = keys;
    assert_eq!(lab.figure(FigureContent::Plots).unwrap_err(), FigureError::AllLeftOut);
    let empty = lab_of("(groups: [(name: \"g\", controller: Constant())])");
    assert_eq!(empty.figure(FigureContent::Plots).unwrap_err(), FigureError::NoPlots);
    assert!(empty.figure(FigureContent::World).is_ok());
}

#[test]
fn figures_have_the_time_span_of_the_panel_or_another_one() {
    let mut lab = plotted();
    lab.run.host.clock_mut().paused = true;
    let branch = lab.run.host.moment().branch;
    lab.go_to(Moment { branch, step: 40 });
    while lab.run.host.resimulate().is_some() {
        lab.advance(0.0, || true);
    }
    let svg = |lab: &Lab| lab.figure(FigureContent::Plots).unwrap().svg(&FigureOptions::default().file());
    let visible = svg(&lab);
    lab.shell.settings.figure.time = FigureTime::All;
    assert_eq!(svg(&lab), visible, "the panel shows the whole run");
    lab.shell.settings.figure.time = FigureTime::ToPlayhead;
    assert_ne!(svg(&lab), visible, "the run has 5 s, and 1 s is shown");
    let range_s = |time: FigureTime| time.range_s([2.0, 3.0], 1.0, 5.0);
    let all = [FigureTime::All, FigureTime::Visible, FigureTime::ToPlayhead].map(range_s);
    assert_eq!(all, [[0.0, 5.0], [2.0, 3.0], [0.0, 1.0]]);
}

#[test]
fn the_menu_of_a_plot_exports_that_plot() {
    let (mut window, lab) = window(plotted());
    window.run_steps(3);
    click(&mut window, "Menu of plot circliness");
    click(&mut window, "Export figure…");
    let lab = lab.borrow();
    assert!(lab.shell.popups.figure);
    let left_out = &lab.shell.settings.figure.left_out;
    assert!(
        left_out.len() + 1 == lab.plots.titles(lab.run.host.simulation()).len()
            && !left_out.contains(&"circliness".into()),
        "{left_out:?}"
    );
}

#[test]
fn plots_over_robots_are_in_the_figure_until_they_are_left_out() {
    let mut lab = plotted();
    lab.plots.arrangement.layout.add_of_robots(RobotPlot::distribution());
    lab.plots.arrangement.layout.add_of_robots(RobotPlot::scatter());
    let svg = lab.figure(FigureContent::Plots).unwrap().svg(&FigureOptions::default().file());
    for text in [">Speed (m/s)<", ">Robots<", ">X (m)<", ">Y (m)<", "6 robots at 5 s"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    let titles = lab.plots.titles(lab.run.host.simulation());
    let [.., (speed, distribution), (position, scatter)] = &titles[..] else { panic!("{titles:?}") };
    assert_eq!([distribution.as_str(), scatter.as_str()], ["Distribution of speed", "Y over x"]);
    lab.shell.settings.figure.left_out = vec![speed.clone(), position.clone()];
    let svg = lab.figure(FigureContent::Plots).unwrap().svg(&FigureOptions::default().file());
    assert!(!svg.contains(">Robots<") && svg.contains(">Circliness<"));
    // Without metrics and pinned numbers, they are a figure of their own.
    let mut bare = lab_of("(groups: [(name: \"g\", count: 3, controller: Constant())])");
    bare.plots.arrangement.layout.add_of_robots(RobotPlot::scatter());
    assert!(
        bare.figure(FigureContent::Plots).unwrap().svg(&FigureOptions::default().file()).matches("<circle").count()
            >= 3
    );
}

#[test]
fn the_view_is_exported_on_white() {
    let lab = plotted();
    let print = lab.figure(FigureContent::World).unwrap();
    let shown_m = lab.view.current.camera.visible_m();
    let printed_m = print.camera.visible_m();
    assert!(printed_m[0].cmple(shown_m[0] + 1e-9).all() && printed_m[1].cmpge(shown_m[1] - 1e-9).all());
    let svg = print.svg(&FigureOptions::default().file());
    assert!(svg.contains("fill=\"#ffffff\"") && svg.matches("<circle").count() >= 6);
}

#[test]
fn each_figure_format_is_written() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = plotted();
    lab.shell.settings.figure.dots_per_inch = 72.0;
    for (format, head) in
        [(FigureFormat::Svg, b"<svg".as_slice()), (FigureFormat::Pdf, b"%PDF-1."), (FigureFormat::Png, b"\x89PNG\r\n")]
    {
        for content in [FigureContent::Plots, FigureContent::World] {
            let path = place.path().join(format!("{content:?}.{}", format.extension()));
            assert!(exported(&mut lab, content, format, &path).starts_with(head), "{content:?} {format:?}");
        }
    }
    let lost = place.path().join("none/figure.svg");
    assert!(exported(&mut lab, FigureContent::World, FigureFormat::Svg, &lost).is_empty());
    assert!(lab.notices.iter().any(|notice| notice.is_error));
}

#[test]
fn the_panel_keeps_its_settings_and_copies_an_image() {
    let mut lab = plotted();
    lab.shell.popups.figure = true;
    lab.shell.settings.figure.dots_per_inch = 72.0;
    let (mut window, lab) = window(lab);
    window.run_steps(3);
    window.get_by_label("Preview of the figure");
    click(&mut window, "One column");
    click(&mut window, "SVG");
    let options = lab.borrow().shell.settings.figure.clone();
    assert_eq!(options.width_mm, 84.0);
    assert_eq!(options.height_mm, 60.0);
    assert_eq!(options.format, FigureFormat::Svg);
    window.get_by_label("Copy figure").click();
    let mut copied = None;
    for _ in 0..4 {
        window.step();
        let commands = window.output().platform_output.commands.iter();
        copied = copied.or_else(|| {
            commands.cloned().find_map(|command| match command {
                OutputCommand::CopyImage(image) => Some(image.size),
                _ => None,
            })
        });
    }
    assert_eq!(copied, Some([238, 170]));
    click(&mut window, "Save…");
    let request = lab.borrow().files.request;
    let expected =
        swarmarium_lab_state::action::file::FileRequest::ExportFigure(FigureContent::Plots, FigureFormat::Svg);
    assert_eq!(request, Some(expected));
    assert!(matches!(expected.action("a".into()), Action::Figure(FigureAction::Export(..))));
}
