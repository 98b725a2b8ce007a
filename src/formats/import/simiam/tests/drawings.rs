//! Drawings as worlds.

use super::*;

#[test]
fn svg_drawings_become_the_expected_scenes() {
    let text =
        svg("<g transform='translate(100)'><path d='M10 20' robot='QuickBot' i:robot='Other' i:supervisor='S'/>\
        <path d='M 10,20' style='fill: rgb(255, 0, 0)'/><circle r='10' fill='#00f8'/>\
        <g transform='scale(2)'><rect width='1cm' height='10'/></g></g>");
    let world = world_of("a.svg", &text, &ALL_GROUPS).unwrap();
    let unnamed = (1.1, -0.2, 0.0, "Khepera3", "K3BlendingSupervisor");
    assert_eq!(robots(&world), [(1.1, -0.2, 0.0, "QuickBot", "S"), unnamed]);
    assert_eq!([world.robots[0].color, world.robots[1].color], [None, Some(color::Color(0xFF_0000))]);
    assert!(world.obstacles[0].points.len() > 20);
    assert_eq!(world.obstacles[0].color, Some(color::Color(0xFF)));
    let last = world.obstacles[1].points[2];
    assert!((last - DVec2::new(2.0 * 0.96 / 2.54, -0.2)).length() < 1e-9, "{last}");
}

#[test]
fn a_unit_is_a_centimetre_on_every_page() {
    let size = |page: &str, rect: &str| {
        let text = format!("<svg {page}><g><rect x='10' y='10' {rect}/></g></svg>");
        let (scene, warnings) = scene_of("a.svg", &text, &Options::default());
        let polygon = scene.objects[0].value().downcast_ref::<Polygon>().unwrap();
        let (low, high) = polygon::bounds(&polygon.corners_m);
        assert!((low.x - 0.1).abs() < 1e-9, "{page}: {low}");
        let rounded = ((high - low) * 1e6).round() / 1e6;
        (rounded.x, rounded.y, warnings.contains("stretched"))
    };
    let plain = "width='100' height='50'";
    for page in ["", "width='200' height='300'", "width='200' height='300' viewBox='10 10 100 100'"] {
        assert_eq!(size(page, plain), (1.0, 0.5, false), "{page}");
    }
    let inkscape = "width='210mm' height='297mm' viewBox='0 0 210 297'";
    assert_eq!(size(inkscape, plain), (1.0, 0.5, false));
    assert_eq!(size(inkscape, "width='25.4mm' height='2.54cm'"), (0.96, 0.96, false), "as in SVG");
    let stretched = "width='200' height='300' viewBox='10 10 100 100' preserveAspectRatio='none'";
    assert_eq!(size(stretched, plain), (1.0, 0.75, true));
}

#[test]
fn a_drawing_within_a_drawing_has_a_scale_of_its_own() {
    let text = "<svg viewBox='0 0 400 400'><g><svg x='100' y='20' width='200' height='100' viewBox='5 5 50 50'>\
        <rect x='5' y='5' width='50' height='50'/></svg></g></svg>";
    let world = world_of("a.svg", text, &Options::default()).unwrap();
    // As large as fits, in the middle.
    let corners = world.obstacles[0].corners_m();
    let (low, high) = polygon::bounds(&corners);
    assert!((low - DVec2::new(1.5, -1.2)).length() < 1e-9 && (high - DVec2::new(2.5, -0.2)).length() < 1e-9);
}

#[test]
fn a_drawing_without_a_robot_is_written_with_a_warning() {
    let text = svg("<g><rect width='1' height='1'/></g>");
    let Exported { warnings, .. } = translate("a.svg", &text, &Options::default()).unwrap();
    assert_eq!(lines(&warnings), format!("1:1: {WITHOUT_ROBOT}"));
}

#[test]
fn a_drawing_that_loses_something_gives_warnings() {
    let text = svg("<rect width='1' height='1'/><g><g><rect width='1' height='1'/></g><g><path d='M0 0'/></g>\
        <text/><rect width='0' height='1' id='empty'/><path d='M0 0H9V9H0zM1 1H2V2H1zM5 5h1'/><path d='M0 0H9V9 L'/></g>\
        <g><rect width='1' height='1'/></g>");
    let (scene, warnings) = scene_of("a.svg", &text, &Options::default());
    assert_eq!(scene.objects.len(), 2);
    insta::assert_snapshot!(warnings, @r"
    1:1: a `text` is ignored
    1:1: 2 nested groups ignored; --all-groups takes them
    1:1: 1 further group ignored; --all-groups takes it
    1:1: 1 shape outside of groups ignored; --all-groups takes it
    1:1: there is no robot
    1:162: empty: `<rect>` has no size, and is ignored
    1:201: path: a part of one or two points is ignored: the other parts are not a robot
    1:201: path: its holes are filled
    1:241: path: the path cannot be read: unexpected end of stream: ignored
    ");
    // Five obstacles, and the goal of the robot.
    assert_eq!(scene_of("a.svg", &text, &ALL_GROUPS).0.objects.len(), 6);
    let without = problems("a.svg", &svg("<rect width='1' height='1'/>"), &Options::default());
    assert_eq!(
        without,
        "a.svg: the drawing has no group (`<g>`) to take shapes from; --all-groups takes those without one"
    );
}

#[test]
fn a_straight_line_is_a_robot_however_it_is_drawn() {
    let (robot, blending) = ("QuickBot", "K3BlendingSupervisor");
    let straight = [
        "<path i:robot='QuickBot' d='M 10,20 C 15,20 25,20 30,20'/>",
        "<path i:robot='QuickBot' d='m 10,20 c 0,0 20,0 20,0'/>",
        "<path robot='QuickBot' d='M 10 20 Q 12 20 30 20'/>",
        "<path i:robot='QuickBot' d='M 10 20 L 20 20 L 30 20'/>",
        "<path i:robot='QuickBot' d='M 10 20 C 0 20 40 20 30 20'/>",
        "<path i:robot='QuickBot' d='M 10 20 L 20 20.05 L 30 20'/>",
        "<polyline i:robot='QuickBot' points='10,20 20,20 30,20'/>",
        "<line i:robot='QuickBot' x1='10' y1='20' x2='30' y2='20'/>",
        "<use href='#arrow' i:robot='QuickBot'/>",
    ];
    let arrow = "<defs><path id='arrow' d='M 10 20 H 30' i:robot='Khepera3'/></defs>";
    for path in straight {
        let (text, mut report) = (svg(&format!("{arrow}<g>{path}</g>")), Report::default());
        let world = drawing::world(&text, &PLAIN, &mut report).unwrap();
        assert_eq!(robots(&world), [(0.1, -0.2, 0.0, robot, blending)], "{path}");
        assert_eq!(world.obstacles.len(), 0, "{path}");
        assert_eq!(report.finish(&text), Ok(Vec::new()), "{path}");
    }
    let world = world_of("a.svg", &svg("<g><path d='M 10,20 C 15,20 25,20 30,20'/></g>"), &PLAIN).unwrap();
    assert_eq!(robots(&world), [(0.1, -0.2, 0.0, "Khepera3", blending)], "one that states nothing");
}

#[test]
fn a_shape_that_is_no_robot_loses_its_class_with_a_warning() {
    let text = svg("<g><path id='a' i:robot='Khepera3' d='M 0 0 H 9 V 9 z'/><rect id='b' i:supervisor='S' width='9' \
        height='9'/><path id='c' i:robot='Khepera3' d='M 0 0 C 9 0 9 0 9 9'/><polygon id='d' points='0,0 5,5'/>\
        <path id='e' i:robot='Khepera3' d='M 0 0 L 9'/></g>");
    let (scene, warnings) = scene_of("a.svg", &text, &PLAIN);
    // Two obstacles, and the goal of the robot.
    assert_eq!(scene.groups.len(), 1);
    assert_eq!(scene.objects.len(), 3);
    insta::assert_snapshot!(warnings, @r"
    1:69: a: `robot` is ignored: a robot is an open line, and this shape is an outline
    1:122: b: `supervisor` is ignored: a robot is an open line, and this shape is an outline
    1:174: c: is a bent line: the robot faces from the first point to the last
    1:231: d: `<polygon>` has fewer than three corners, and is ignored
    1:265: e: the path cannot be read: unexpected end of stream: ignored
    ");
}

#[test]
fn drawings_have_the_scale_that_is_asked_for() {
    let text = "<svg viewBox='0 0 5 5'><g><rect x='1' y='1' width='2.5' height='0.1'/><circle cx='3' cy='3' r='0.5'/>\
        <path d='M 1 2 L 1 1'/></g></svg>";
    let world = world_of("a.svg", text, &Options { scale: MetresPerUnit(1.0), ..PLAIN }).unwrap();
    assert_eq!(robots(&world)[0].0, 1.0);
    let corners = world.obstacles[1].corners_m();
    assert_eq!(corners, [(1.0, -1.0), (3.5, -1.0), (3.5, -1.1), (1.0, -1.1)].map(DVec2::from));
    // A circle of half a metre is off by a millimetre at most.
    assert!(world.obstacles[0].points.len() > 30);
    let small = world_of("a.svg", text, &Options { scale: MetresPerUnit(0.001), ..PLAIN }).unwrap();
    assert_eq!(small.obstacles[1].corners_m()[1], DVec2::new(0.0035, -0.001));
    for bad in ["0", "-1", "nan", "inf", "1e7", "1e-7", "", "1 m"] {
        assert!(bad.parse::<MetresPerUnit>().is_err(), "{bad}");
    }
    assert_eq!(" 0.5".parse(), Ok(MetresPerUnit(0.5)));
}

/// A drawing as Illustrator writes it: entities for namespaces and styles, a `switch`, and data of its own.
fn of_illustrator() -> String {
    let namespaces = [
        ("ns_extend", "http://ns.adobe.com/Extensibility/1.0/"),
        ("ns_ai", "http://ns.adobe.com/AdobeIllustrator/10.0/"),
        ("ns_svg", "http://www.w3.org/2000/svg"),
        ("ns_xlink", "http://www.w3.org/1999/xlink"),
        ("st0", "fill:#ff0000;"),
    ];
    let entities: String = namespaces.map(|(name, value)| format!("\t<!ENTITY {name} \"{value}\">\n")).concat();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- Generator: Adobe Illustrator -->\n\
        <!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\" [\n{entities}]>\n\
        <svg version=\"1.1\" xmlns:x=\"&ns_extend;\" xmlns:i=\"&ns_ai;\" i:viewOrigin=\"0 50\" xmlns=\"&ns_svg;\"\n\
        \txmlns:xlink=\"&ns_xlink;\" width=\"100px\" height=\"50px\" viewBox=\"0 0 100 50\" xml:space=\"preserve\">\n\
        <switch>\n<foreignObject requiredExtensions=\"&ns_ai;\" x=\"0\" y=\"0\" width=\"1\" height=\"1\">\n\
        <i:pgfRef xlink:href=\"#adobe_illustrator_pgf\"></i:pgfRef>\n</foreignObject>\n<g i:extraneous=\"self\">\n\
        <rect id=\"wall\" x=\"10\" y=\"20\" style=\"&st0;\" width=\"30\" height=\"5\"/>\n\
        <g id=\"Layer_1\"><path d=\"M1,2l3,4\"/></g>\n</g>\n</switch>\n\
        <i:pgf id=\"adobe_illustrator_pgf\"><![CDATA[<!DOCTYPE x [ &lt; ]]></i:pgf>\n</svg>\n"
    )
}

#[test]
fn drawings_of_illustrator_are_read() {
    let text = of_illustrator();
    let (scene, warnings) = scene_of("a.svg", &text, &PLAIN);
    assert_eq!(scene.objects.len(), 1);
    assert_eq!(scene.objects[0].common().color.as_str(), "#ff0000");
    assert_eq!(warnings, "1:1: 1 nested group ignored; --all-groups takes it\n1:1: there is no robot");
    let all = world_of("a.svg", &text, &ALL_GROUPS).unwrap();
    assert_eq!(all.robots.len(), 1);
    assert_eq!(all.obstacles.len(), 1);
}

#[test]
fn drawings_become_worlds_with_short_numbers() {
    let text = svg(
        "<g transform='translate(0.1,0.2)'><rect x='57' y='29' width='30' height='10'/><path d='M 0.2 0.1 v 7'/></g>",
    );
    let Exported { text, .. } = translate("a.svg", &text, &PLAIN).unwrap();
    insta::assert_snapshot!(text, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <simulation>
        <robot type="Khepera3">
            <supervisor type="K3BlendingSupervisor"/>
            <pose x="0.003" y="-0.003" theta="-1.5707963267948966"/>
        </robot>
        <obstacle>
            <pose x="0.571" y="-0.292" theta="0"/>
            <geometry>
                <point x="0" y="0"/>
                <point x="0.3" y="0"/>
                <point x="0.3" y="-0.1"/>
                <point x="0" y="-0.1"/>
            </geometry>
        </obstacle>
    </simulation>
    "#);
}
