//! Figures of every kind, with usual and with odd data.

use proptest::prelude::*;
use swarmarium_base::xml;
use swarmarium_picture::Shape;

use super::*;

/// A number from 0 to 1 that looks random, from the place in a series.
fn noise(seed: u64) -> f64 {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn point(x: f64, value: f64, half: f64) -> Point {
    Point { x, value, low: value - half, high: value + half, n: 10 }
}

fn figure(title: &str, chart: Chart) -> Figure {
    let caption = "n = 10 runs per point, band: 95 % bootstrap interval of the mean";
    Figure { title: title.into(), caption: caption.into(), chart }
}

fn curves(x: Axis, y: Axis, series: Vec<(&str, Vec<Point>)>) -> Chart {
    let series = series.into_iter().map(|(label, points)| Series { label: label.into(), points }).collect();
    Chart::Curves(Curves { x, y, series, ..Curves::default() })
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn runs(count: u64, seed: u64, center: f64, spread: f64) -> Vec<f64> {
    let run = |run: u64| center + spread * (noise(seed * 1000 + run) + noise(seed * 7919 + run * 13) - 1.0);
    (0..count).map(run).collect()
}

/// Figures by the names of their files.
fn gallery() -> Vec<(&'static str, Figure)> {
    let xs = [0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2];
    let falling = |rate: f64| {
        let value = move |x: f64| 0.95 / (1.0 + rate * x * x);
        xs.iter().map(|x| point(*x, value(*x), 0.03 + 0.05 * x)).collect::<Vec<_>>()
    };
    let mut hollow = falling(1.5);
    hollow[3].n = 7;
    hollow[5].value = f64::NAN;
    let angle = || Axis::linear(axis_label("half_angle_rad"));
    let three = vec![("Milling", falling(0.3)), ("Aggregation", hollow), ("Random walk", falling(6.0))];
    let over_log = |scale: f64| {
        let xs = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
        xs.map(|x| Point { x, value: scale * x * x, low: scale * x, high: scale * x * x * 3.0, n: 10 }).to_vec()
    };
    let wave = |series: u64| {
        let at = |step: u64| {
            let x = step as f64 * 0.1;
            let value = swarmarium_base::math::sin(x * 0.2 + series as f64) + 0.2 * noise(step * 10 + series);
            point(x, value, 0.15 + x * 0.004)
        };
        (0..1000).map(at).collect::<Vec<_>>()
    };
    let by_name = |center: f64| {
        (0..4_u32).map(|at| point(f64::from(at), center + 0.4 * noise(u64::from(at)), 0.2)).collect::<Vec<_>>()
    };
    let controllers = names(&["bang_bang", "proportional", "potential field", "potential_field_with_memory"]);
    let map = |columns: u32, rows: u32, show_values: bool| {
        let levels = |count: u32, step: f64| (0..count).map(|at| f64::from(at) * step).collect::<Vec<_>>();
        let cells = (0..columns * rows).map(|cell| {
            let (x, y) = (f64::from(cell % columns) / f64::from(columns), f64::from(cell / columns) / f64::from(rows));
            let value = swarmarium_base::math::exp(-6.0 * ((x - 0.6) * (x - 0.6) + (y - 0.4) * (y - 0.4)));
            if cell % 17 == 5 || cell % 29 == 6 { f64::NAN } else { value }
        });
        Chart::HeatMap(HeatMap {
            x: Levels::numbers(axis_label("range_m"), &levels(columns, 0.5)),
            y: Levels::numbers(axis_label("turn_rad_per_s"), &levels(rows, 0.1)),
            value: Axis::linear("Circliness"),
            cells: cells.collect(),
            show_values,
            lines: Vec::new(),
        })
    };
    let boxes = |label: &str, counts: &[u64], shift: f64| {
        let sample = |(at, count): (usize, &u64)| {
            let mut values = runs(*count, at as u64 + 3, 0.5 + shift + 0.08 * at as f64, 0.4);
            if *count > 8 {
                values[0] += 0.7;
            }
            Sample { x: at as f64, values }
        };
        Group { label: label.into(), samples: counts.iter().enumerate().map(sample).collect() }
    };
    let box_chart = |x: Axis, groups: Vec<Group>| {
        Chart::BoxPlots(BoxPlots { x, y: Axis::linear("Speed (m/s)"), groups, ..BoxPlots::default() })
    };
    let many = |count: usize| {
        let series = (0..count).map(|series| {
            let points =
                (0..8).map(|x| point(f64::from(x), series as f64 * 0.1 + noise(series as u64 * 8 + x as u64), 0.1));
            Series { label: format!("robots={series}").into(), points: points.collect() }
        });
        Chart::Curves(Curves {
            x: Axis::linear("Range (m)"),
            y: Axis::linear("Score"),
            series: series.collect(),
            ..Curves::default()
        })
    };
    let long_name = |at: u32| format!("controller=aggressive_number_{at}, range_m={}", f64::from(at) * 0.5);
    let long_names = {
        let points = |shift: f64| (0..9_u32).map(|at| point(f64::from(at), shift + noise(at.into()), 0.2)).collect();
        let series = (0..5_u32)
            .map(|series| Series { label: long_name(series).repeat(2).into(), points: points(series.into()) });
        let x = Axis::categories("Controller", (0..9).map(long_name).collect());
        Chart::Curves(Curves { x, y: Axis::linear("Score"), series: series.collect(), ..Curves::default() })
    };
    let long_map = Chart::HeatMap(HeatMap {
        x: Levels { label: "Controller".into(), names: (0..4).map(long_name).collect(), ..Levels::default() },
        y: Levels {
            label: "Environment, in the order of their difficulty".into(),
            names: (0..5).map(long_name).collect(),
            ..Levels::default()
        },
        value: Axis::log("A measure with a label that is very long (1/s)"),
        cells: (0..20).map(|cell| swarmarium_base::math::exp(f64::from(cell) / 2.0)).collect(),
        show_values: true,
        lines: Vec::new(),
    });
    let long = "A long title that tells everything about the experiment, its robots and its arena, and that needs more than \
                one line of the page";
    let score = || Axis::linear("Circliness");
    let big_wave = wave(3).into_iter().map(|wave| point(wave.x, wave.value * 1e5, 2e4)).collect::<Vec<_>>();
    let open = vec![
        Point { high: f64::INFINITY, ..point(1.0, 30.0, 8.0) },
        point(2.0, 21.0, 5.0),
        Point { low: f64::NAN, ..point(4.0, 12.0, 3.0) },
        Point { value: f64::NAN, high: f64::INFINITY, ..point(8.0, 20.0, 3.0) },
    ];
    vec![
        ("curves", figure("Circliness over the half angle of the sensor", curves(angle(), score(), three))),
        (
            "log",
            figure(
                "Messages by number of robots",
                curves(
                    Axis::log(axis_label("robot_count")),
                    Axis::log("Messages (1/s)"),
                    vec![("Broadcast", over_log(1.0)), ("Gossip", over_log(0.02))],
                ),
            ),
        ),
        (
            "time",
            figure(
                "Order over time",
                curves(Axis::linear(axis_label("time_s")), Axis::linear("Order"), vec![("a", wave(0)), ("b", wave(2))]),
            ),
        ),
        (
            "names",
            figure(
                "Score by controller",
                curves(
                    Axis::categories("Controller", controllers.clone()),
                    Axis::linear("Score"),
                    vec![("Open arena", by_name(0.5)), ("Labyrinth", by_name(-0.2)), ("Corridor", by_name(0.2))],
                ),
            ),
        ),
        ("map", figure("Circliness by range and turn rate", map(8, 6, true))),
        ("map_fine", figure("Circliness by range and turn rate", map(40, 30, true))),
        (
            "boxes",
            figure(
                "Speed by controller",
                box_chart(Axis::categories("Controller", controllers), vec![boxes("", &[10, 30, 100, 4], 0.0)]),
            ),
        ),
        (
            "boxes_two",
            figure(
                "Speed by number of robots",
                box_chart(
                    Axis::linear("Count"),
                    vec![boxes("Open arena", &[20; 6], 0.0), boxes("Labyrinth", &[60; 6], 0.3)],
                ),
            ),
        ),
        ("names_long", figure("Long names", long_names)),
        ("map_names", figure("Long names", long_map)),
        ("many", figure("Many series", many(12))),
        ("hundred", figure(long, many(100))),
        ("one", figure("One point", curves(angle(), score(), vec![("a", vec![point(0.5, 2.0e6, 1.0e5)])]))),
        (
            "equal",
            figure("Equal values", curves(angle(), score(), vec![("a", xs.map(|x| point(x, -3.0, 0.0)).to_vec())])),
        ),
        (
            "huge",
            figure(
                "Huge and small numbers",
                curves(
                    Axis::linear(
                        "Value with a very long label that is wider than the whole page of the figure, for whatever reason there is (m)",
                    ),
                    Axis::linear("Value"),
                    vec![("a", vec![point(1e-9, 1e-9, 0.0), point(3e-9, -2.5e12, 1e11), point(5e-9, 1e12, 1e11)])],
                ),
            ),
        ),
        ("empty", figure("Nothing", curves(angle(), score(), Vec::new()))),
        (
            "hollow",
            figure(
                "Another order over time",
                curves(Axis::linear("Time (s)"), Axis::linear("Speed (km/s)"), vec![("a", big_wave)]),
            ),
        ),
        (
            "open",
            figure("Time until mill", curves(Axis::linear("Range (m)"), Axis::linear("Time (s)"), vec![("a", open)])),
        ),
    ]
}

/// Writes the figures to the folder that `FIGURES` names, for a person to look at.
#[test]
fn figures_are_written_for_inspection() {
    let Some(folder) = std::env::var_os("FIGURES").map(std::path::PathBuf::from) else { return };
    for (name, figure) in gallery() {
        for format in Format::ALL {
            let file = figure.print().file(*format, &FileOptions::default()).unwrap();
            std::fs::write(folder.join(format!("{name}.{}", format.extension())), file).unwrap();
        }
    }
    let stacks = [("stack", vec!["time", "hollow", "open"]), ("pairs", vec!["curves", "boxes_two", "map", "names"])];
    for (name, panels) in stacks {
        let figures: Vec<Figure> =
            gallery().into_iter().filter(|(name, _)| panels.contains(name)).map(|(_, figure)| figure).collect();
        for width_mm in [85.0, 180.0] {
            let print = Layout { width_mm, ..Layout::default() }.print(&figures);
            std::fs::write(folder.join(format!("{name}_{width_mm}.pdf")), print.pdf(Look::default())).unwrap();
        }
    }
}

/// The text of an SVG file of a figure with its title and caption, with texts that are not outlines.
fn svg(figure: &Figure) -> String {
    figure.print().svg(&FileOptions { has_editable_text: true, ..FileOptions::default() })
}

/// Checks that a figure is a well-formed file, and that all its shapes are on its page.
fn check(figure: &Figure) -> Result<(), TestCaseError> {
    let Print { picture, camera, .. } = figure.print();
    let page = camera.screen_px;
    let is_on_page = |at: &DVec2| at.cmpge(DVec2::splat(-0.5)).all() && at.cmple(page + 0.5).all();
    for item in &picture.items {
        let points = match &item.shape {
            Shape::Disc { center, radius_m } => vec![*center - *radius_m, *center + *radius_m],
            Shape::Polygon(points) | Shape::Line { points, .. } => points.clone(),
            Shape::Segment { ends, .. } => ends.to_vec(),
            Shape::Text { at, .. } => vec![*at],
            other => panic!("no figure has this shape: {other:?}"),
        };
        prop_assert!(points.iter().all(is_on_page), "{item:?}");
    }
    let file = svg(figure);
    let screened = xml::screened(&file).unwrap();
    let document = xml::parse(&screened).unwrap();
    prop_assert_eq!(document.root_element().tag_name().name(), "svg");
    prop_assert!(!file.contains("NaN") && !file.contains("inf"), "{}", file);
    Ok(())
}

#[test]
fn figures_are_well_formed_and_stay_on_their_page() {
    for (name, figure) in gallery() {
        assert!(check(&figure).is_ok(), "{name}: {:?}", check(&figure));
        assert_eq!(svg(&figure), svg(&figure));
    }
}

#[test]
fn charts_fill_a_sheet_evenly() {
    let columns_of = |count: usize, size: [f64; 2]| layout::columns(count, size.into());
    let in_columns = |size: [f64; 2]| [1, 2, 3, 4, 5, 6, 7, 8].map(|count| columns_of(count, size));
    assert_eq!(in_columns([170.0, 90.0]), [1, 2, 2, 2, 3, 3, 4, 4]);
    assert_eq!(in_columns([84.0, 60.0]), [1, 1, 2, 2, 3, 2, 3, 3]);
    assert_eq!(in_columns([1000.0, 20.0]), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(in_columns([20.0, 1000.0]), [1; 8]);
    assert_eq!(columns_of(0, [1.0; 2]), 1);
}

#[test]
fn the_last_row_of_a_sheet_fills_its_width() {
    let one = || {
        let points = vec![point(0.0, 1.0, 0.1), point(1.0, 2.0, 0.1)];
        figure("", curves(Axis::linear("x"), Axis::linear("y"), vec![("a", points)]))
    };
    let paper = Paper { size_mm: DVec2::new(170.0, 90.0), font_pt: 9.0 };
    let size_px = paper.size_px();
    for count in 1..=5 {
        let print = sheet(&vec![one(); count], paper, "", "");
        let ends = print.picture.items.iter().flat_map(|item| match &item.shape {
            Shape::Polygon(points) | Shape::Line { points, .. } => points.clone(),
            Shape::Segment { ends, .. } => ends.to_vec(),
            _ => Vec::new(),
        });
        let lowest = ends.filter(|at| at.y > size_px.y * 0.75);
        let right = lowest.map(|at| at.x).fold(0.0, f64::max);
        assert!(right > size_px.x * 0.9, "{count} figures end at {right} of {}", size_px.x);
    }
}

#[test]
fn a_figure_without_data_says_so() {
    let empty =
        [Chart::Curves(Curves::default()), Chart::HeatMap(HeatMap::default()), Chart::BoxPlots(BoxPlots::default())];
    for chart in empty {
        assert!(svg(&figure("Nothing", chart)).contains(">No data</text>"));
    }
    let series = vec![("a", vec![point(0.0, f64::NAN, 1.0), point(f64::INFINITY, 1.0, 1.0)])];
    let missing = figure("Nothing", curves(Axis::linear("x"), Axis::log("y"), series));
    assert!(svg(&missing).contains("No data") && missing.full_caption() == missing.caption);
}

#[test]
fn the_caption_ends_with_remarks() {
    let points = vec![point(0.0, 1.0, 0.1), point(1.0, f64::NAN, 0.1)];
    let mut figure = figure("Speed", curves(Axis::linear("x"), Axis::linear("y"), vec![("a", points)]));
    figure.caption = "Mean of 10 runs".into();
    assert_eq!(figure.full_caption(), "Mean of 10 runs. 1 point has no value.");
    figure.caption.clear();
    assert_eq!(figure.full_caption(), "1 point has no value.");
}

#[test]
fn texts_of_figures_are_escaped() {
    let mut figure =
        figure("a < b & c", curves(Axis::linear("x"), Axis::linear("y"), vec![("a", vec![point(0.0, 1.0, 0.1)])]));
    figure.caption = "\u{1}\"quoted\"".into();
    let file = svg(&figure);
    assert!(file.contains("<title>a &lt; b &amp; c</title>") && file.contains("\u{FFFD}&quot;quoted&quot;"), "{file}");
    assert!(check(&figure).is_ok());
}

#[test]
fn panels_have_letters() {
    assert_eq!([letter(0, 1), letter(0, 2), letter(25, 26), letter(26, 27)], ["", "(a)", "(z)", ""]);
}

/// The corners of the data of each panel, from the lines of the axes: left, top, right, bottom.
fn plots(print: &Print) -> Vec<[f64; 4]> {
    let corners = print.picture.items.iter().filter_map(|item| match &item.shape {
        Shape::Line { points, closed: false, .. } if item.layer == Layer::Objects && points.len() == 3 => {
            Some([points[0].x, points[0].y, points[2].x, points[2].y])
        }
        _ => None,
    });
    corners.collect()
}

/// The texts of a picture, with the distance of each from the left edge of the page.
fn texts(print: &Print) -> Vec<(String, f64)> {
    let texts = print.picture.items.iter().filter_map(|item| match &item.shape {
        Shape::Text { at, text, .. } => Some((text.clone(), at.x)),
        _ => None,
    });
    texts.collect()
}

#[test]
fn axes_of_stacked_panels_align_and_share_their_texts() {
    let of_scale = |scale: f64| {
        let points = (0..=4).map(|x| point(f64::from(x), scale * f64::from(x), 0.0)).collect();
        figure("", curves(Axis::linear("Time (s)"), Axis::linear("Value"), vec![("a", points)]))
    };
    let stacked = Layout::default().print(&[of_scale(1.0), of_scale(1e6), of_scale(1e-3)]);
    let [one, two, three] = plots(&stacked)[..] else { panic!("{:?}", plots(&stacked)) };
    assert!(one[0] == two[0] && two[0] == three[0] && one[2] == two[2] && two[2] == three[2], "{one:?} {two:?}");
    let heights = [one, two, three].map(|[_, top, _, bottom]| bottom - top);
    assert!(heights.iter().all(|height| (height - heights[0]).abs() < 1.0), "{heights:?}");
    assert_eq!(texts(&stacked).iter().filter(|(text, _)| text == "Time (s)").count(), 1);
    // Panels side by side have axes of their own, at one height.
    let wide = Layout { width_mm: 180.0, ..Layout::default() }.print(&[of_scale(1.0), of_scale(1e6)]);
    let [one, two] = plots(&wide)[..] else { panic!("{:?}", plots(&wide)) };
    assert!(one[1] == two[1] && one[3] == two[3] && one[2] < two[0], "{one:?} {two:?}");
    assert_eq!(texts(&wide).iter().filter(|(text, _)| text == "Time (s)").count(), 2);
    // Captions stand between panels, so that each has its axis.
    let whole =
        Layout { has_titles: true, has_captions: true, ..Layout::default() }.print(&[of_scale(1.0), of_scale(1e6)]);
    assert_eq!(texts(&whole).iter().filter(|(text, _)| text == "Time (s)").count(), 2);
}

#[test]
fn ticks_of_box_plots_stand_at_the_values_of_the_factor() {
    let levels = [10.0, 25.0, 50.0, 100.0];
    let samples = levels.map(|x| Sample { x, values: runs(10, x as u64, x, 1.0) }).to_vec();
    let groups = vec![Group { samples, ..Group::default() }];
    let x = Axis::whole("Number of robots").with_levels(levels.to_vec());
    let boxes =
        figure("", Chart::BoxPlots(BoxPlots { x, y: Axis::linear("Speed (m/s)"), groups, ..BoxPlots::default() }));
    let print = Layout::default().print(&[boxes]);
    let [[_, _, _, bottom]] = plots(&print)[..] else { panic!("{:?}", plots(&print)) };
    let below = print.picture.items.iter().filter_map(|item| match &item.shape {
        Shape::Text { at, text, .. } if at.y > bottom + 10.0 && !text.starts_with('N') => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(below.collect::<Vec<_>>(), ["10", "25", "50", "100"]);
}

#[test]
fn intervals_without_an_end_have_an_arrow_and_a_remark() {
    let points = |low: f64, high: f64| {
        vec![point(1.0, 2.0, 0.5), Point { x: 2.0, value: 3.0, low, high, n: 10 }, point(3.0, 2.5, 0.5)]
    };
    let chart = |low: f64, high: f64, y: Axis| figure("", curves(Axis::linear("x"), y, vec![("a", points(low, high))]));
    let arrows = |figure: &Figure| {
        let items = figure.print().picture.items;
        let is_arrow = |item: &&swarmarium_picture::Item| {
            item.layer == Layer::Links && matches!(&item.shape, Shape::Polygon(corners) if corners.len() == 3)
        };
        items.iter().filter(is_arrow).count()
    };
    let open = chart(2.5, f64::INFINITY, Axis::linear("y"));
    assert_eq!((arrows(&open), open.chart.notes()), (1, vec!["Arrow: the interval has no upper end.".to_owned()]));
    let below = chart(-1.0, 4.0, Axis::log("y"));
    assert_eq!((arrows(&below), below.chart.notes()), (1, vec!["Arrow: the interval goes on below the axis.".into()]));
    let half = chart(f64::NAN, 4.0, Axis::linear("y"));
    assert_eq!(half.chart.notes(), ["Half a bar: the other end of the interval is unknown."]);
    let [whole, of_half] = [chart(2.5, 4.0, Axis::linear("y")), half].map(|figure| (arrows(&figure), svg(&figure)));
    assert!(whole.0 == 0 && of_half.0 == 0 && whole.1 != of_half.1);
    // A median that is missing can have a lower end, which shows where the runs ended.
    let mut missing = chart(2.5, f64::INFINITY, Axis::linear("y"));
    if let Chart::Curves(curves) = &mut missing.chart {
        curves.series[0].points.iter_mut().for_each(|point| (point.value, point.high) = (f64::NAN, f64::INFINITY));
    }
    assert_eq!(arrows(&missing), 3);
    for figure in [open, below, missing] {
        assert!(check(&figure).is_ok(), "{:?}", check(&figure));
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -10.0..10.0_f64, 2 => (-300..300_i32).prop_map(|power| swarmarium_base::math::pow(10.0, power.into())), 1 => any::<f64>()]
}

fn axis() -> impl Strategy<Value = Axis> {
    let scale = prop_oneof![
        Just(Scale::Linear),
        Just(Scale::Log),
        proptest::collection::vec(".{0,30}", 0..40).prop_map(Scale::Categories),
    ];
    let range = proptest::option::of([number(), number()]);
    let levels = proptest::collection::vec(number(), 0..20);
    let fixed = proptest::option::of([number(), number()]);
    (".{0,150}", scale, range, fixed, levels).prop_map(|(label, scale, at_least, fixed, levels)| {
        let mut axis = Axis::linear(label);
        (axis.scale, axis.at_least, axis.levels) = (scale, at_least, levels);
        // A range that the axis cannot have is refused.
        let _ = fixed.map(|range| axis.fix(range));
        axis
    })
}

proptest! {
    // A case has hundreds of shapes.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_curves_are_drawn_on_their_page(
        x in axis(),
        y in axis(),
        series in proptest::collection::vec(
            (".{0,60}", proptest::collection::vec((number(), number(), number(), number(), 0..20_usize), 0..60)),
            0..30,
        ),
        title in ".{0,300}",
    ) {
        let point = |(x, value, low, high, n)| Point { x, value, low, high, n };
        let series = series.into_iter().map(|(label, points)| {
            Series { label: Label::from(label), points: points.into_iter().map(point).collect() }
        });
        let series = series.collect();
        check(&figure(&title, Chart::Curves(Curves { x, y, series, ..Curves::default() })))?;
    }

    #[test]
    fn any_box_plots_are_drawn_on_their_page(
        x in axis(),
        y in axis(),
        groups in proptest::collection::vec(
            (".{0,60}", proptest::collection::vec((number(), proptest::collection::vec(number(), 0..60)), 0..12)),
            0..8,
        ),
    ) {
        let sample = |(x, values)| Sample { x, values };
        let groups = groups.into_iter().map(|(label, samples)| {
            Group { label: Label::from(label), samples: samples.into_iter().map(sample).collect() }
        });
        let groups = groups.collect();
        check(&figure("Boxes", Chart::BoxPlots(BoxPlots { x, y, groups, ..BoxPlots::default() })))?;
    }

    #[test]
    fn any_heat_map_is_drawn_on_its_page(
        columns in proptest::collection::vec(".{0,30}", 0..60),
        rows in proptest::collection::vec(".{0,30}", 0..60),
        value in axis(),
        cells in proptest::collection::vec(number(), 0..400),
        label in ".{0,200}",
    ) {
        let x = Levels { label: label.clone(), names: columns, ..Levels::default() };
        let y = Levels { label, names: rows, ..Levels::default() };
        check(&figure("Map", Chart::HeatMap(HeatMap { x, y, value, cells, show_values: true, lines: Vec::new() })))?;
    }
}
