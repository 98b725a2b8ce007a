//! The tool that measures distances.

use bevy::math::DVec2;
use bevy_egui::egui::PointerButton;
use swarmarium_base::math;
use swarmarium_base::math::earth::positive_angle;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_picture::palette::Role;

use crate::tools::{Act, Mouse, Sketch, ToolHandler, snapped};

/// The mouse gestures of the tool.
pub const MOUSE: &[(&str, &str)] = &[
    ("Drag", "Measure a distance; an end near the centre of a robot or object snaps to it"),
    ("Click", "Clear the measurement"),
    ("Alt held", "Invert snapping"),
];

/// Maximum distance from a centre at which an end snaps to it, in points.
const NEAR_PX: f64 = 14.0;

/// Measures distances.
#[derive(Default)]
pub struct Measure {
    ends: Option<[End; 2]>,
    is_dragged: bool,
}

/// An end of the measured line: a point, or the centre of an item, which it follows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    at_m: DVec2,
    item: Option<Item>,
}

impl End {
    fn of(lab: &Lab, mouse: &Mouse) -> Self {
        let near_m = NEAR_PX / lab.view.painted.camera.pixels_per_m;
        let gaps = selection::middles(lab.run.host.simulation())
            .map(|(item, center_m)| (center_m.distance(mouse.at_m), item))
            .filter(|(gap_m, _)| *gap_m <= near_m);
        let item = gaps.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, item)| item);
        Self { at_m: snapped(lab, mouse.at_m, mouse.modifiers), item }
    }

    /// Returns the present position, in metres.
    fn now_m(&self, lab: &Lab) -> DVec2 {
        let middle = self.item.and_then(|item| selection::extent(lab.run.host.simulation(), item));
        middle.map_or(self.at_m, |(center_m, _)| center_m)
    }
}

/// Formats the vector (m) between the ends.
fn words(way_m: DVec2) -> String {
    let bearing_deg = positive_angle(math::angle_of(way_m)).to_degrees();
    format!("{:.3} m   dx {:.3} m   dy {:.3} m   {bearing_deg:.1}°", way_m.length(), way_m.x, way_m.y)
}

impl Measure {
    /// Formats the distance and the names of the items at its ends.
    pub fn text(&self, lab: &Lab) -> Option<String> {
        let ends = self.ends?;
        let [from_m, to_m] = ends.map(|end| end.now_m(lab));
        let names = ends.map(|end| end.item.and_then(|item| selection::name(lab.run.host.simulation(), item)));
        let way = words(to_m - from_m);
        Some(match names {
            [None, None] => way,
            names => {
                let [from, to] = names.map(|name| name.unwrap_or_else(|| "point".into()));
                format!("{way}\nfrom {from} to {to}")
            }
        })
    }
}

impl ToolHandler for Measure {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        if mouse.button != PointerButton::Primary {
            return Vec::new();
        }
        match mouse.act {
            Act::Click | Act::DoubleClick => self.ends = None,
            Act::Grasp => (self.ends, self.is_dragged) = (Some([End::of(lab, mouse); 2]), true),
            Act::Drag | Act::Drop if self.is_dragged => {
                self.ends = self.ends.map(|[from, _]| [from, End::of(lab, mouse)]);
                self.is_dragged = mouse.act == Act::Drag;
            }
            Act::Drag | Act::Drop => {}
        }
        Vec::new()
    }

    fn is_busy(&self) -> bool {
        self.is_dragged
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        let (Some(ends), Some(text)) = (self.ends, self.text(lab)) else { return };
        let [from_m, to_m] = ends.map(|end| end.now_m(lab));
        sketch.line([from_m, to_m], Role::Accent);
        for end in ends {
            match end.item {
                Some(item) => sketch.ring(lab.run.host.simulation(), item),
                None => sketch.disc(end.at_m, 4.0 / lab.view.painted.camera.pixels_per_m, Role::Accent),
            }
        }
        sketch.words(to_m, &text);
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_testing::{do_steps, lab_of};

    use super::*;
    use crate::tools::tests::mouse;

    const PAIR: &str = "(groups: [(name: \"a\", at: [(1, 1, 0)], controller: Constant(v_m_per_s: 1.0)),
        (name: \"b\", at: [(1, 3, 0)], controller: Constant())])";

    #[test]
    fn the_measure_tool_shows_distance_and_bearing() {
        assert_eq!(words(DVec2::new(3.0, 4.0)), "5.000 m   dx 3.000 m   dy 4.000 m   53.1°");
        assert_eq!(words(DVec2::new(0.0, -2.0)), "2.000 m   dx 0.000 m   dy -2.000 m   270.0°");
        assert_eq!(words(DVec2::ZERO), "0.000 m   dx 0.000 m   dy 0.000 m   0.0°");
    }

    #[test]
    fn the_measure_tool_follows_its_robots() {
        let mut lab = lab_of(PAIR);
        let mut measure = Measure::default();
        for (act, at_m) in [(Act::Grasp, (1.02, 1.01)), (Act::Drag, (1.5, 2.0)), (Act::Drop, (0.99, 3.01))] {
            assert_eq!(measure.mouse(&lab, &mouse(act, at_m)), []);
        }
        assert_eq!(measure.text(&lab).unwrap(), "2.000 m   dx 0.000 m   dy 2.000 m   90.0°\nfrom a to b");
        do_steps(&mut lab, 40);
        assert_eq!(measure.text(&lab).unwrap(), "2.236 m   dx -1.000 m   dy 2.000 m   116.6°\nfrom a to b");
        measure.mouse(&lab, &mouse(Act::Click, (5.0, 5.0)));
        assert_eq!(measure.text(&lab), None);
    }

    #[test]
    fn a_measure_end_on_the_ground_stays_there() {
        let lab = lab_of(PAIR);
        let mut measure = Measure::default();
        measure.mouse(&lab, &mouse(Act::Grasp, (5.0, 5.0)));
        measure.mouse(&lab, &mouse(Act::Drop, (1.0, 1.0)));
        let text = measure.text(&lab).unwrap();
        assert!(text.starts_with("5.657 m   dx -4.000 m   dy -4.000 m   225.0°") && text.ends_with("from point to a"));
    }
}
