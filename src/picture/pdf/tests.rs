use std::fmt::Write as _;

use super::*;
use crate::YAxis;

fn camera() -> Camera {
    let (center_m, screen_px) = (DVec2::ZERO, DVec2::splat(100.0));
    Camera { center_m, pixels_per_m: 10.0, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 }
}

/// The text of a file; bytes that are not text become marks.
fn written(picture: &Picture) -> String {
    let pdf = Pdf { title: "Speed".into(), ..Pdf::default() };
    String::from_utf8_lossy(&pdf.write(picture, &camera())).into_owned()
}

/// The lines of the page that end with an operator.
fn count(file: &str, operator: &str) -> usize {
    let page = file.split("endstream").last_page();
    page.lines().filter(|line| line.split_whitespace().next_back() == Some(operator)).count()
}

trait LastPage<'a> {
    fn last_page(self) -> &'a str;
}

impl<'a, I: Iterator<Item = &'a str>> LastPage<'a> for I {
    /// The stream with the commands of the page: the only one that begins with a transformation.
    fn last_page(mut self) -> &'a str {
        let is_page = |stream: &&str| stream.lines().any(|line| line.ends_with(" cm"));
        self.find(is_page).and_then(|stream| stream.split("stream\n").last()).unwrap_or_default()
    }
}

fn shapes() -> Picture {
    let at = DVec2::new;
    let mut picture = Picture::default();
    picture.disc(Layer::Agents, Role::Group(1), at(1.0, 2.0), 0.5);
    picture.add(Layer::Agents, Role::Wall, Shape::Triangle([at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0)]));
    let sector = Shape::Sector { center: DVec2::ZERO, radius_m: 1.0, from_rad: 0.0, to_rad: 1.0 };
    picture.add(Layer::Sensors, Role::Detecting.faint(0.3), sector);
    picture.segment(Layer::Links, Role::Dim, [at(-1.0, 0.0), at(1.0, 2.0)], Width::Pixels(1.0).dashed());
    let cells = Cells { corner: at(0.0, 0.0), cell_m: DVec2::ONE, columns: 2, levels: vec![255, 0, 9, 9] };
    picture.add(Layer::Field, Role::Wall.faint(0.5), Shape::Cells(cells));
    let text = Shape::Text { at: DVec2::ZERO, text: "5 m/s² ▶".into(), size_px: 10.0, anchor: Anchor::Middle };
    picture.add(Layer::Labels, Role::Text, text);
    picture
}

#[test]
fn a_pdf_has_a_header_a_page_and_a_cross_reference_table() {
    let pdf = Pdf { title: "Speed".into(), ..Pdf::default() };
    let bytes = pdf.write(&shapes(), &camera());
    assert_eq!(bytes, pdf.write(&shapes(), &camera()), "the same bytes every time");
    let file = String::from_utf8_lossy(&bytes).into_owned();
    assert!(file.starts_with("%PDF-1.") && file.trim_end().ends_with("%%EOF"));
    assert!(file.contains("/MediaBox [0 0 75 75]") && file.contains("/Title (Speed)"));
    // Places in the table are those of the objects.
    let find = |text: &[u8]| bytes.windows(text.len()).rposition(|window| window == text);
    let table = String::from_utf8_lossy(&bytes[find(b"\nxref\n").unwrap()..]).into_owned();
    let places = table.lines().filter(|line| line.ends_with(" n")).enumerate();
    let mut objects = 0;
    for (number, line) in places {
        let at: usize = line.split_whitespace().next().unwrap().parse().unwrap();
        let mut head = String::new();
        write!(head, "{} 0 obj", number + 1).unwrap();
        assert!(bytes[at..].starts_with(head.as_bytes()), "{line}");
        objects += 1;
    }
    assert!(objects > 10, "{objects}");
}

#[test]
fn shapes_become_pdf_paths() {
    let file = written(&shapes());
    // The ground, the disc, the triangle and the sector; the link; the cells; the text in two fonts.
    assert_eq!(count(&file, "f"), 4);
    assert_eq!(count(&file, "S"), 1);
    assert_eq!(count(&file, "Do"), 1);
    assert_eq!(count(&file, "Tj"), 2);
    assert_eq!(count(&file, "Tf"), 2);
    assert_eq!(count(&file, "BT"), 1);
    assert_eq!(count(&file, "h"), 3);
    assert_eq!(count(&file, "c"), 5);
    assert_eq!(count(&file, "d"), 2);
    for name in ["Ubuntu-Light", "Hack-Regular", "/ToUnicode", "/SMask", "/ca ", "beginbfchar"] {
        assert!(file.contains(name), "{name}");
    }
}

#[test]
fn pdf_leaves_out_shapes_that_are_not_finite_or_far_away() {
    let far = DVec2::new(1e30, f64::NAN);
    let pen = || Width::Pixels(1.0).into();
    let odd = [
        Shape::Disc { center: far, radius_m: 1.0 },
        Shape::Disc { center: DVec2::ZERO, radius_m: f64::INFINITY },
        Shape::Triangle([DVec2::ZERO, far, DVec2::X]),
        Shape::Polygon(Vec::new()),
        Shape::Sector { center: DVec2::ZERO, radius_m: 1.0, from_rad: f64::NAN, to_rad: 1.0 },
        Shape::Segment { ends: [far, DVec2::ZERO], pen: pen() },
        Shape::Segment { ends: [DVec2::ZERO, DVec2::X], pen: Width::Pixels(f64::NAN).into() },
        Shape::Line { points: vec![DVec2::ZERO], closed: true, pen: pen() },
        Shape::Cells(Cells { corner: far, cell_m: DVec2::ONE, columns: 1, levels: vec![1] }),
        Shape::Cells(Cells { corner: DVec2::ZERO, cell_m: DVec2::ONE, columns: 0, levels: Vec::new() }),
        Shape::Text { at: far, text: "far".into(), size_px: 12.0, anchor: Anchor::Left },
        Shape::Text { at: DVec2::ZERO, text: "odd".into(), size_px: f64::NAN, anchor: Anchor::Left },
    ];
    for shape in odd {
        let mut picture = Picture::default();
        picture.add(Layer::Agents, Role::Wall, shape);
        assert_eq!(written(&picture), written(&Picture::default()));
    }
    assert!(!written(&shapes()).contains("NaN") && !written(&shapes()).contains("inf"));
}
