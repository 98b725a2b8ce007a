use swarmarium_space::polygon;

use super::reader::{INKSCAPE, SVG};
use super::*;

fn read(inner: &str) -> Drawing {
    let text = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 50\">\n{inner}\n</svg>");
    Drawing::read(&text, 0.01).unwrap_or_else(|problem| panic!("{problem}"))
}

fn refused(text: &str) -> String {
    Drawing::read(text, 0.01).unwrap_err().to_string()
}

fn points(drawing: &Drawing) -> Vec<Vec<(f64, f64)>> {
    let contours = drawing.shapes.iter().flat_map(|shape| &shape.contours);
    let round = |x: f64| (x * 1e6).round() / 1e6 + 0.0;
    contours.map(|contour| contour.points.iter().map(|p| (round(p.x), round(p.y))).collect()).collect()
}

#[test]
fn svg_shapes_have_their_points() {
    let drawing = read(
        "<rect x='1' y='2' width='3' height='4'/><polygon points='0,0 1 0,1,1'/><polyline points='0 0 5 5'/>\
         <line x1='1' y1='2' x2='3' y2='4'/><path d='M1 1h2v2H1z m5 5 l1 0'/><path d='M 7 8'/>",
    );
    assert_eq!(
        points(&drawing),
        [
            vec![(1.0, 2.0), (4.0, 2.0), (4.0, 6.0), (1.0, 6.0)],
            vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)],
            vec![(0.0, 0.0), (5.0, 5.0)],
            vec![(1.0, 2.0), (3.0, 4.0)],
            vec![(1.0, 1.0), (3.0, 1.0), (3.0, 3.0), (1.0, 3.0)],
            vec![(6.0, 6.0), (7.0, 6.0)],
            vec![(7.0, 8.0)],
        ]
    );
    assert_eq!(drawing.page, Some((DVec2::ZERO, DVec2::new(100.0, 50.0))));
    assert_eq!(drawing.shapes[4].line, 2);
}

#[test]
fn curves_stay_within_the_tolerance() {
    let drawing = read(
        "<circle cx='10' cy='20' r='5'/><ellipse cx='10' cy='20' rx='5' ry='5'/>\
         <path d='M15 20 A5 5 0 0 1 5 20 a 5,5 0 1 1 10 0z'/><rect x='5' y='15' width='10' height='10' rx='5'/>",
    );
    assert_eq!(drawing.shapes[0].disc, Some((DVec2::new(10.0, 20.0), 5.0)));
    for (shape, outline) in drawing.outlines() {
        assert!(outline.len() > 20, "{} has {} points", shape.element, outline.len());
        for (a, b) in polygon::edges(outline) {
            let middle = (a + b) / 2.0;
            for (point, off) in [(a, 1e-9), (middle, 0.01)] {
                let distance = (point - DVec2::new(10.0, 20.0)).length();
                assert!((distance - 5.0).abs() <= off, "{} is {} off", shape.element, distance - 5.0);
            }
        }
        assert!((polygon::signed_area(outline) - 25.0 * std::f64::consts::PI).abs() < 0.4);
    }
    let curves = read("<path d='M0 0 C 0 10 10 10 10 0 S 20 -10 20 0 Q 25 10 30 0 T 40 0'/>");
    let line = &curves.shapes[0].contours[0].points;
    assert_eq!(line.last(), Some(&DVec2::new(40.0, 0.0)));
    let highest = line.iter().map(|point| point.y).fold(0.0, f64::max);
    assert!((highest - 7.5).abs() < 0.01, "{highest}");
}

#[test]
fn transforms_of_groups_and_shapes_add_up() {
    let drawing = read(
        "<g transform='translate(10 0)'><g transform='scale(2)'><rect width='1' height='1' \
         transform='rotate(90)'/><circle r='1'/></g><circle r='1' transform='scale(1 2)'/></g>",
    );
    assert_eq!(points(&drawing)[0], [(10.0, 0.0), (10.0, 2.0), (8.0, 2.0), (8.0, 0.0)]);
    assert_eq!(drawing.shapes[1].disc, Some((DVec2::new(10.0, 0.0), 2.0)));
    assert_eq!(drawing.shapes[2].disc, None);
}

#[test]
fn svg_fills_layers_and_attributes_are_read() {
    let drawing = read(
        "<g id='outer' fill='#ff0000'><g id='x' data-name='inner'><path d='M0 0L1 0L1 1' robot='K3' \
         style='stroke:none; fill:rgb(0,0,255)'/><rect width='1' height='1' fill='none'/></g></g><rect width='1' \
         height='1'/><g display='none'><rect width='1' height='1'/></g><defs><rect width='1' height='1'/></defs>\
         <text>a</text><text>b</text>",
    );
    let fills: Vec<_> = drawing.shapes.iter().map(|shape| shape.fill).collect();
    assert_eq!(fills, [Some([0, 0, 255]), None, Some([0; 3])]);
    assert_eq!(drawing.shapes[0].layers().collect::<Vec<_>>(), ["inner", "outer"]);
    assert_eq!(drawing.shapes[0].attributes["robot"], "K3");
    assert_eq!(drawing.ignored, BTreeMap::from([("text".to_owned(), 2)]));
}

#[test]
fn unsafe_or_broken_svg_is_refused() {
    let svg = |inner: &str| format!("<svg xmlns:xlink='http://www.w3.org/1999/xlink'>\n{inner}</svg>");
    let deep = format!("{}{}", "<g>".repeat(400), "</g>".repeat(400));
    let problems = [
        refused("<!DOCTYPE svg [<!ENTITY a '<rect/>'>]><svg>&a;</svg>"),
        refused("<svg><g></svg>"),
        refused("<html/>"),
        refused(&svg("<use xlink:href='other.svg#a'/>")),
        refused(&svg("<rect width='a' height='1'/>\n<circle r='-1'/>")),
        refused(&svg("<path d='M0 0L1'/>")),
        refused(&svg("<polygon points='0 0 1'/>")),
        refused(&svg("<g transform='turn(3)'/>")),
        refused(&svg(&deep)),
        refused(&svg("<rect width='1e400' height='1'/>")),
        refused(&svg(&"<circle r='-1'/>\n".repeat(12))),
        svg_text(vec![0x1f, 0x8b, 8]).unwrap_err().to_string(),
        svg_text(vec![0xff]).unwrap_err().to_string(),
        only_outline(&svg("<polygon points='0 0 1 1 1 0 0 1'/>"), 0.1).unwrap_err().to_string(),
        only_outline(&svg(""), 0.1).unwrap_err().to_string(),
    ];
    insta::assert_snapshot!(problems.join("\n"), @r"
    line 1: the entity `a` contains elements, which are not read
    line 1: is not XML: expected 'g' tag, not 'svg'
    line 1: expected an SVG drawing, found `<html>`
    line 2: `<use>` refers to another file, which is not read
    line 2: `width` is not a length: `a`; line 3: `r` is below 0
    line 2: the path cannot be read: unexpected end of stream
    line 2: `points` has an odd number of coordinates
    line 2: `transform` cannot be read: unexpected data at position 1: `turn(3)`
    line 2: elements are nested deeper than 256
    line 2: `width` is not a length: `1e400`
    line 2: `r` is below 0; line 3: `r` is below 0; line 4: `r` is below 0; line 5: `r` is below 0; line 6: `r` is below 0; line 7: `r` is below 0; line 8: `r` is below 0; line 9: `r` is below 0; line 10: `r` is below 0; line 11: `r` is below 0; and 2 more
    is a compressed drawing: unpack it first
    is not text: byte 0xff at offset 0
    line 2: the outline of `<polygon>` crosses or touches itself
    expected a drawing of one outline, found 0
    ");
}

/// The names and messages of omissions.
fn listed(omissions: &[Omission]) -> Vec<(&str, &str)> {
    omissions.iter().map(|omission| (omission.name.as_str(), omission.message.as_str())).collect()
}

fn names(drawing: &Drawing) -> Vec<&str> {
    drawing.shapes.iter().map(|shape| shape.name.as_str()).collect()
}

fn read_lenient(inner: &str) -> Drawing {
    let text = format!(
        "<svg xmlns='{SVG}' xmlns:inkscape='{INKSCAPE}' xmlns:xlink='http://www.w3.org/1999/xlink' \
         viewBox='0 0 100 50'>\n{inner}\n</svg>"
    );
    Drawing::read_lenient(&text, |_| 0.01).unwrap_or_else(|problem| panic!("{problem}"))
}

#[test]
fn only_the_broken_element_of_a_drawing_is_left_out() {
    for broken in [
        "<rect id='a' width='x' height='1'/>",
        "<rect id='a' width='1em' height='1'/>",
        "<rect id='a' width='-1' height='1'/>",
        "<rect id='a' width='1' height='1' transform='turn(3)'/>",
        "<rect id='a' width='1' height='1' transform='matrix(1,0,0,1)'/>",
        "<rect id='a' width='1e308' height='1' transform='scale(1e300)'/>",
        "<circle id='a' r='-1'/>",
        "<ellipse id='a' rx='1' ry='-1'/>",
        "<polygon id='a' points='0,0 1,0 1'/>",
        "<polyline id='a' points='0,0 x'/>",
        "<path id='a' d='M 0 0 L 5 5 L x'/>",
        "<path id='a' d='L 5 5'/>",
        "<path id='a' d='M 0 0 9 0 9 9 A 1 1 0 2 1 3 3'/>",
        "<g id='a' transform='scale(x)'><rect width='1' height='1'/></g>",
        "<svg id='a' viewBox='0 0 x'><rect width='1' height='1'/></svg>",
        "<use id='a' href='#nobody'/>",
        "<use id='a' xlink:href='other.svg#b'/>",
        "<use id='a'/>",
        "<g id='around'><use id='a' href='#around'/></g>",
    ] {
        let drawing = read_lenient(&format!("<rect width='1' height='1'/>{broken}<rect width='1' height='1'/>"));
        assert_eq!(drawing.shapes.len(), 2, "{broken}");
        let names: Vec<&str> = drawing.broken.iter().map(|omission| omission.name.as_str()).collect();
        assert_eq!(names, vec!["a"], "{broken}");
        assert_eq!(drawing.broken[0].line, 2, "{broken}");
    }
    assert_eq!(read_lenient("<rect width='10' height='10' transform='none'/>").shapes.len(), 1);
    let page = Drawing::read_lenient("<svg viewBox='0 0 0 0'><rect width='1' height='1'/></svg>", |_| 0.01).unwrap();
    assert_eq!(page.shapes.len(), 1);
    assert_eq!(page.page, None);
    assert_eq!(page.broken.len(), 1);
    let sheet = Drawing::read_lenient("<?xml-stylesheet href='http://a.org/a.css'?><?b c?><svg/>", |_| 0.01).unwrap();
    assert_eq!(sheet.ignored, BTreeMap::from([("xml-stylesheet".to_owned(), 1)]));
}

#[test]
fn lengths_in_per_cent_are_parts_of_the_view() {
    let drawing = read_lenient("<rect x='10%' y='10%' width='50%' height='50%'/><circle cx='50%' cy='50%' r='10%'/>");
    assert_eq!(points(&drawing)[0], [(10.0, 5.0), (60.0, 5.0), (60.0, 30.0), (10.0, 30.0)]);
    let (center, radius) = drawing.shapes[1].disc.unwrap();
    assert_eq!(center, DVec2::new(50.0, 25.0));
    assert!((radius - 7.905_694_150_420_948).abs() < 1e-9, "{radius}");
    let without_a_size = refused("<svg><rect width='10%' height='1'/></svg>");
    assert_eq!(without_a_size, "line 1: `width` is not a length: `10%` of a page without a size");
}

#[test]
fn hidden_shapes_are_listed() {
    let drawing = read_lenient(
        "<g id='layer1' inkscape:label='Walls' style='display:none'><rect width='1' height='1'/><g><use href='#b'/></g></g>\
         <g visibility='hidden'><rect id='a' width='1' height='1'/><rect id='b' width='1' height='1' visibility='visible'/>\
         </g><rect id='c' width='1' height='1' style='display: none !important'/><style>.d{visibility:collapse}</style>\
         <path class='d' d='M0 0H1'/><g display='none'><text>a</text></g><rect id='e' transform='scale(0)'/>",
    );
    assert_eq!(names(&drawing), ["b"]);
    assert_eq!(
        listed(&drawing.hidden),
        [
            ("Walls", "is hidden, with 2 shapes"),
            ("a", "is hidden"),
            ("c", "is hidden"),
            ("path", "is hidden"),
            ("e", "has no usable size after its transform"),
        ]
    );
}

#[test]
fn svg_use_elements_show_their_originals_in_place() {
    let drawing = read_lenient(
        "<defs><path id='wall' d='M0 0H2V1H0z' robot='A' supervisor='S' fill='red'/><g id='two'><use href='#wall' x='10'/>\
         <circle r='1'/></g></defs><symbol id='box' viewBox='0 0 10 10'><rect id='inner' width='10' height='10'/></symbol>\
         <g transform='translate(0 5)' fill='blue'><use id='one' xlink:href='#wall' x='3' y='1' robot='B'/>\
         <use id='both' href='#two' transform='scale(2)'/><use href='#box' x='50%' width='20' height='20'/></g>\
         <use id='free' href='#inner'/>",
    );
    assert_eq!(
        points(&drawing).into_iter().filter(|points| points.len() == 4).collect::<Vec<_>>(),
        [
            vec![(3.0, 6.0), (5.0, 6.0), (5.0, 7.0), (3.0, 7.0)],
            vec![(20.0, 5.0), (24.0, 5.0), (24.0, 7.0), (20.0, 7.0)],
            vec![(50.0, 5.0), (70.0, 5.0), (70.0, 25.0), (50.0, 25.0)],
            vec![(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)],
        ]
    );
    assert_eq!(names(&drawing), ["one", "both", "both", "use", "free"]);
    let fills: Vec<_> = drawing.shapes.iter().map(|shape| shape.fill.unwrap()).collect();
    assert_eq!(fills, [[255, 0, 0], [255, 0, 0], [0, 0, 255], [0, 0, 255], [0, 0, 0]]);
    let first = &drawing.shapes[0];
    assert_eq!(["robot", "supervisor", "id"].map(|name| first.attributes[name].as_str()), ["B", "S", "wall"]);
    assert_eq!(first.groups, drawing.shapes[3].groups, "a symbol is not a group");
    assert!(drawing.broken.is_empty(), "{:?}", drawing.broken);
}

#[test]
fn recursive_svg_use_elements_end() {
    let more = |k: u32| format!("<g id='g{k}'>{}</g>", format!("<use href='#g{}'/>", k - 1).repeat(10));
    let all: String = (1..=9).map(more).collect();
    let text = format!("<svg><defs><rect id='g0' width='1' height='1'/>{all}</defs><use href='#g9'/></svg>");
    assert_eq!(refused(&text), "line 1: copies (`use`) show more than 100000 elements");
    let turn = read_lenient(
        "<defs><g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g></defs><use id='c' href='#a'/>",
    );
    assert_eq!(listed(&turn.broken), [("c", "`<use>` refers to an element that contains it")]);
    let chain: String = (1..=1000).map(|k| format!("<g id='g{k}'><use href='#g{}'/></g>", k - 1)).collect();
    let chain =
        read_lenient(&format!("<defs><rect id='g0' width='1' height='1'/>{chain}</defs><use id='c' href='#g1000'/>"));
    assert_eq!(listed(&chain.broken), [("c", "copies (`use`) are nested deeper than 256")]);
    let (large, uses) = ("a".repeat(1 << 20), "<use href='#a'/>".repeat(65));
    let text = format!("<svg><defs><rect id='a' width='1' height='1' class='{large}'/></defs>{uses}</svg>");
    assert_eq!(refused(&text), "line 1: copies (`use`) show more than 64 MiB");
}

#[test]
fn an_svg_switch_shows_its_first_supported_child() {
    let rect = |id: &str, more: &str| format!("<rect id='{id}' width='1' height='1' {more}/>");
    let drawing = read_lenient(&format!(
        "<switch><foreignObject requiredExtensions='http://ns.adobe.com/ai'/><g>{}{}</g></switch>\
         <switch>{}{}{}{}</switch><switch><title/>{}</switch>",
        rect("a", ""),
        rect("b", ""),
        rect("c", "requiredExtensions='x'"),
        rect("d", "systemLanguage='de'"),
        rect("e", "systemLanguage='fr, en-GB'"),
        rect("f", ""),
        rect("g", "systemLanguage='de'"),
    ));
    assert_eq!(names(&drawing), ["a", "b", "e"]);
    assert_eq!(drawing.first_group, Some(0), "a switch is not a group");
    assert_eq!(drawing.shapes[0].groups, Some((0, 0)), "a switch is not a group");
}

#[test]
fn a_curve_that_is_straight_is_a_line() {
    for (path, count) in [
        ("M 10,20 C 10,20 30,20 30,20", 2),
        ("m 10,20 c 5,5 10,10 20,20", 2),
        ("M 0,0 Q 1,1 7,7", 2),
        ("M 12.345678,9.876543 C 13.456789,10.987654 14.567901,12.098766 15.679012,13.209877", 2),
        ("M 0,0 C 0,0.1 10,0.1 10,0", 3),
        ("M 0,0 C 5,5 -5,5 0,0", 3),
        ("M 0,0 C -5,0 5,0 10,0", 3),
    ] {
        let points = points(&read(&format!("<path d='{path}'/>"))).concat();
        assert!(if count == 2 { points.len() == 2 } else { points.len() >= 3 }, "{path}: {points:?}");
    }
}

#[test]
fn clips_and_masks_are_listed_as_ignored() {
    let drawing = read_lenient(
        "<g clip-path='url(#a)'><rect width='1' height='1' style='mask:url(#b)'/><rect clip-path='none' width='1' height='1'/>\
         </g><clipPath id='a'><rect width='1' height='1'/></clipPath>",
    );
    assert_eq!(drawing.shapes.len(), 2);
    assert_eq!(drawing.ignored, BTreeMap::from([("clip-path".to_owned(), 1), ("mask".to_owned(), 1)]));
}

#[test]
fn hostile_svg_paths_are_read_quickly() {
    let many = format!("<svg><path d='M0 0{}'/></svg>", " C 0 1e9 1e9 1e9 1e9 0".repeat(2000));
    assert_eq!(Drawing::read(&many, 1e-9).unwrap_err().to_string(), "line 1: the drawing has too many points");
}

#[test]
fn an_arc_of_absurd_radii_is_a_line() {
    for radii in ["1e-160 1e-160", "1e308 1e308"] {
        let drawing = read(&format!("<path d='M0 0 A{radii} 0 0 1 100 100 L100 0Z'/>"));
        assert!(
            drawing.shapes.iter().flat_map(|shape| &shape.contours).all(|contour| contour.points.len() >= 3),
            "{radii}"
        );
    }
}

#[test]
fn elements_with_too_many_attributes_are_refused() {
    let attributes = |count: u32| (0..count).map(|number| format!(" a{number}='<'")).collect::<String>();
    let text = |count| format!("<!-- {} -->\n<svg>\n<rect b='>'{}/></svg>", "a=".repeat(2000), attributes(count));
    let told = |count| refused(&text(count));
    assert_eq!(told(1000), "line 3: an element has more than 1000 attributes");
    assert!(told(999).contains("is not XML"), "`<` may not stand in a value");
}
