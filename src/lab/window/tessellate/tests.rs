//! Tests.

use swarmarium_picture::camera::YAxis;
use swarmarium_picture::palette::Role;

use super::*;

fn camera() -> Camera {
    let (center_m, screen_px) = (DVec2::ZERO, DVec2::new(1000.0, 800.0));
    Camera { center_m, pixels_per_m: 10.0, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 }
}

fn figures_at(camera: &Camera, shapes: Vec<Shape>) -> Vec<Figure> {
    let mut picture = Picture::default();
    shapes.into_iter().for_each(|shape| picture.add(Layer::Agents, Role::Wall, shape));
    Tessellator::default().picture(&picture, camera, Theme::Dark).to_vec()
}

fn figures(shape: Shape) -> Vec<Figure> {
    figures_at(&camera(), vec![shape])
}

fn area(figures: &[Figure]) -> f32 {
    let one = |Figure { form, points: [a, b, c], .. }: &Figure| match form {
        FigureKind::Triangle => (b - a).perp_dot(c - a).abs() / 2.0,
        FigureKind::Segment => a.distance(*b) * c.x,
        FigureKind::Disc => std::f32::consts::PI * b.x * b.x,
    };
    figures.iter().map(one).sum()
}

fn close(actual: f32, expected: f32) -> bool {
    (actual - expected).abs() <= expected * 0.01
}

#[test]
fn a_tessellated_disc_has_nearly_its_area() {
    let disc = figures(Shape::Disc { center: DVec2::ONE, radius_m: 5.0 });
    assert!(close(area(&disc), std::f32::consts::PI * 50.0 * 50.0));
}

#[test]
fn small_sectors_have_few_corners_and_large_ones_many() {
    let pieces = |radius_m| {
        let (from_rad, to_rad) = (0.0, std::f64::consts::TAU);
        figures(Shape::Sector { center: DVec2::ZERO, radius_m, from_rad, to_rad }).len()
    };
    assert_eq!([pieces(0.1), pieces(1.0), pieces(2.0), pieces(20.0)], [8, 16, 32, 64]);
}

#[test]
fn a_figure_has_the_corners_of_two_triangles() {
    let of = |form, points| Figure { form, points, rgb: [7, 8, 9], opacity: 0.5 };
    let points = [Vec2::ZERO, Vec2::new(4.0, 0.0), Vec2::new(2.0, 0.0)];
    let segment = of(FigureKind::Segment, points);
    assert_eq!(segment.rgba(), [7, 8, 9, 128]);
    let ats = [(0.0, 2.0), (0.0, -2.0), (4.0, 2.0), (4.0, -2.0)].map(Vec2::from);
    assert_eq!(segment.corners().map(|corner| corner.at), ats);
    let across = segment.corners().map(|corner| corner.from_middle);
    assert_eq!(across, [2.0, -2.0, 2.0, -2.0].map(|across| Vec2::new(across, 0.0)), "with room for the edge");
    let disc = |radius| of(FigureKind::Disc, [Vec2::ONE, Vec2::new(radius, 0.0), Vec2::ZERO]).corners();
    assert!(disc(9.0).iter().all(|corner| corner.from_middle.abs() == Vec2::splat(10.0)), "with room for the edge");
    let [a, b, c, d] = disc(3.0).map(|corner| corner.from_middle);
    assert_eq!(c, d, "one triangle is enough");
    for (from, to) in [(a, b), (b, c), (c, a)] {
        assert!((from.length() - 8.0).abs() < 1e-5, "{from}");
        assert!(from.x.abs() != from.y.abs() && from.y != 0.0, "{from} is not a corner of a square or segment");
        assert!((from.midpoint(to).length() - 4.0).abs() < 1e-5, "its sides touch the circle");
    }
    for radius in [3.0, 9.0] {
        assert!(disc(radius).iter().all(|corner| (corner.at - corner.from_middle).distance(Vec2::ONE) < 1e-5));
    }
}

#[test]
fn a_sector_has_its_part_of_the_disc() {
    let sector =
        |from_rad, to_rad| area(&figures(Shape::Sector { center: DVec2::ZERO, radius_m: 5.0, from_rad, to_rad }));
    let disc = std::f32::consts::PI * 50.0 * 50.0;
    assert!(close(sector(3.0, 3.0 + std::f64::consts::FRAC_PI_2), disc / 4.0));
    assert!(close(sector(-1.0, -1.0 + std::f64::consts::TAU), disc));
}

#[test]
fn concave_polygons_keep_their_notch() {
    let arrow = [(0.0, 0.0), (2.0, 1.0), (0.0, 2.0), (1.0, 1.0)].map(DVec2::from).to_vec();
    assert!(close(area(&figures(Shape::Polygon(arrow))), 100.0));
}

#[test]
fn convex_quadrilaterals_are_two_triangles() {
    let square = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)].map(DVec2::from);
    for corners in [square.to_vec(), square.into_iter().rev().collect()] {
        let mut found = figures(Shape::Polygon(corners));
        found.retain(|figure| figure.form == FigureKind::Triangle);
        assert_eq!(found.len(), 2);
        assert!(close(area(&found), 200.0));
    }
}

#[test]
fn lines_have_their_width_in_pixels_or_metres() {
    let ends = [DVec2::ZERO, DVec2::new(3.0, 4.0)];
    let segment = |width: Width| area(&figures(Shape::Segment { ends, pen: width.into() }));
    assert!(close(segment(Width::Pixels(2.0)), 100.0));
    assert!(close(segment(Width::Meters(0.5)), 250.0));
    assert!(close(segment(Width::Meters(1e-9)), 50.0 * THINNEST_PX));
    let line = Shape::Line { points: ends.to_vec(), closed: false, pen: Width::Pixels(2.0).into() };
    assert!(close(area(&figures(line)), 100.0));
}

#[test]
fn partly_visible_shapes_are_tessellated() {
    let wide = [DVec2::new(-1e4, 0.0), DVec2::new(1e4, 0.0), DVec2::new(0.0, 1e4)];
    let line = Shape::Line { points: wide.to_vec(), closed: true, pen: Width::Pixels(1.0).into() };
    assert!(!figures(line).is_empty());
    let kinds: Vec<FigureKind> = figures(Shape::Triangle(wide)).iter().map(|figure| figure.form).collect();
    let edges = [FigureKind::Segment; 3];
    assert_eq!(kinds, [&[FigureKind::Triangle], &edges[..]].concat(), "with soft edges");
    // Half of the line is inside the upper edge of the screen.
    let ends = [DVec2::new(-1.0, 40.1), DVec2::new(1.0, 40.1)];
    assert_eq!(figures(Shape::Segment { ends, pen: Width::Pixels(4.0).into() }).len(), 1);
}

#[test]
fn thin_lines_are_one_quad_for_each_visible_piece() {
    let line = |points: &[DVec2]| {
        figures(Shape::Line { points: points.to_vec(), closed: false, pen: Width::Pixels(1.5).into() })
    };
    let long = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::ONE + DVec2::X];
    assert_eq!(line(&long).len(), 3);
    // A hundred points on ten pixels; the last one is kept.
    let fine: Vec<DVec2> = (0..=100).map(|point| DVec2::X * f64::from(point) / 100.0).collect();
    let found = line(&fine);
    assert!(found.len() <= 20 && close(area(&found), 15.0), "{}", found.len());
    assert!(found.last().unwrap().points[1].distance(Vec2::X * 10.0) < 1e-4);
    assert_eq!(line(&[DVec2::ZERO; 3]).len(), 1);
}

#[test]
fn tessellated_closed_lines_are_closed() {
    let square = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)].map(DVec2::from).to_vec();
    let line = |closed| {
        let line = Shape::Line { points: square.clone(), closed, pen: Width::Pixels(1.0).into() };
        area(&figures(line))
    };
    assert!(line(true) - line(false) > 90.0);
}

#[test]
fn dashes_have_the_same_length_on_the_screen_at_any_zoom() {
    let dashed = |pixels_per_m: f64, length_px: f64| {
        let ends = [DVec2::ZERO, DVec2::new(length_px / pixels_per_m, 0.0)];
        let shape = Shape::Segment { ends, pen: Width::Pixels(2.0).dashed() };
        let found = figures_at(&Camera { pixels_per_m, ..camera() }, vec![shape]);
        (found.len(), area(&found))
    };
    for pixels_per_m in [0.5, 10.0, 1e4] {
        let (count, area) = dashed(pixels_per_m, 100.0);
        assert!(count == 10 && close(area, 10.0 * 6.0 * 2.0), "{pixels_per_m}: {count} dashes, {area}");
    }
    let (count, _) = dashed(1e5, 1e9);
    assert!(count < 60, "{count} dashes, of which half a screen is seen");
    let square = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)].map(DVec2::from).to_vec();
    let line = Shape::Line { points: square, closed: true, pen: Width::Pixels(1.0).dashed() };
    assert!(close(area(&figures(line)), 400.0 * 0.6));
}

#[test]
fn far_from_the_origin_shapes_stay_sharp() {
    let far = DVec2::splat(1e9);
    let camera = Camera { center_m: far, pixels_per_m: 1000.0, ..camera() };
    let disc = figures_at(&camera, vec![Shape::Disc { center: far, radius_m: 0.1 }]);
    assert!(close(area(&disc), std::f32::consts::PI * 100.0 * 100.0));
}

#[test]
fn shapes_that_are_not_finite_or_off_the_screen_are_not_tessellated() {
    let nan = DVec2::new(f64::NAN, 0.0);
    let away = DVec2::splat(1e4);
    let line = Shape::Line { points: vec![nan, DVec2::ONE], closed: true, pen: Width::Pixels(1.0).into() };
    let beyond = [away, away + DVec2::X, away + DVec2::Y];
    let none = figures_at(
        &camera(),
        vec![
            Shape::Triangle(beyond),
            Shape::Polygon(beyond.to_vec()),
            Shape::Segment { ends: [away, away + DVec2::X], pen: Width::Pixels(1.0).into() },
            Shape::Line { points: beyond.to_vec(), closed: true, pen: Width::Pixels(1.0).into() },
            Shape::Line { points: vec![DVec2::ONE, nan], closed: false, pen: Width::Pixels(1.0).into() },
            Shape::Disc { center: nan, radius_m: 1.0 },
            Shape::Disc { center: away, radius_m: 1.0 },
            Shape::Sector { center: DVec2::ZERO, radius_m: 1.0, from_rad: f64::NAN, to_rad: 1.0 },
            Shape::Triangle([nan, DVec2::ZERO, DVec2::ONE]),
            Shape::Segment { ends: [nan, DVec2::ONE], pen: Width::Pixels(1.0).into() },
            Shape::Polygon(vec![nan, DVec2::ZERO, DVec2::ONE]),
            Shape::Polygon(vec![DVec2::ZERO, DVec2::ONE]),
            line,
        ],
    );
    assert_eq!(none, []);
}

#[test]
fn all_tessellated_vertices_are_finite() {
    let ends = [DVec2::ONE, DVec2::ONE];
    let line = Shape::Line { points: ends.to_vec(), closed: true, pen: Width::Pixels(1.0).into() };
    let all = figures_at(
        &camera(),
        vec![
            Shape::Disc { center: DVec2::ZERO, radius_m: 0.0 },
            Shape::Segment { ends, pen: Width::Pixels(1.0).into() },
            Shape::Polygon(vec![DVec2::ONE; 4]),
            line,
        ],
    );
    assert!(all.iter().flat_map(|figure| figure.points).all(|point| point.is_finite()));
}

#[test]
fn cells_are_rectangles_in_the_colours_of_the_field() {
    let cells = |corner, levels| Shape::Cells(Cells { corner, cell_m: DVec2::splat(2.0), columns: 2, levels });
    let found = figures(cells(DVec2::ZERO, vec![9, 9, 0, 255]));
    assert!(close(area(&found), 3.0 * 20.0 * 20.0));
    let colors: Vec<[u8; 3]> = found.iter().map(|figure| figure.rgb).collect();
    let [least, most] = [9, 255].map(|level| Theme::Dark.rgb(Cells::role(level)));
    assert_eq!(colors, [least, least, most, most]);
    for away in [DVec2::splat(1e4), DVec2::NAN] {
        assert!(figures(cells(away, vec![9; 4])).is_empty());
    }
}

#[test]
fn layers_are_in_order_for_any_order_of_shapes() {
    let mut picture = Picture::default();
    for layer in [Layer::Agents, Layer::Field, Layer::Agents, Layer::Overlays, Layer::Field] {
        picture.disc(layer, Role::Accent, DVec2::X * picture.items.len() as f64, 1.0);
    }
    let mut tessellator = Tessellator::default();
    for _ in 0..2 {
        let figures = tessellator.picture(&picture, &camera(), Theme::Dark);
        let places: Vec<f32> = figures.iter().map(|figure| figure.points[0].x).collect();
        assert_eq!(places, [10.0, 40.0, 0.0, 20.0, 30.0]);
    }
}
