//! Counts the objects in a region.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::kind::{Kinds, ObjectName, SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::region::Region;
use swarmarium_scene::check::unknown;
use swarmarium_space::{Form, Thing, ThingKind, polygon};

use super::pushed::{objects, unknown_object};

/// Number of objects in a region or goal. In a periodic arena, regions and goals extend across the boundary.
///
/// # Formula
/// ```math
/// n = \sum_{i=1}^{N} a_i
/// ```
/// $a_i$ is 1 if the centre of object $i$ is in a region or goal of the name, or with `wholly` all of the object, and 0
/// otherwise.
///
/// Source: Swarmarium.
///
/// Range: 0 to N, the number of objects.
#[kind(section = "Numbers", words = "collected, foraging, sorted, items at home")]
pub struct ObjectsInRegion {
    /// Name of the objects that count. Empty: all objects that robots push.
    #[reflect(@ObjectName)]
    pub object: String,
    /// Name of the region or goal, or of several. Empty: all regions and goals.
    #[reflect(@ObjectName)]
    pub region: String,
    /// Whether all of an object must be in the region, and not only its centre.
    pub wholly: bool,
}

/// Whether an area, shifted by `shift` (m), is within another one.
fn is_within(form: &Form, shift: DVec2, area: &Form) -> bool {
    match (form, area) {
        (Form::Disc { center, radius }, Form::Disc { center: middle, radius: wide }) => {
            middle.distance(*center + shift) + radius <= *wide
        }
        (Form::Disc { center, radius }, Form::Polygon(corners)) => {
            let center = *center + shift;
            let to_boundary =
                polygon::closest_boundary_point(corners, center).map_or(0.0, |(near, _)| near.distance(center));
            polygon::contains(corners, center) && to_boundary >= *radius
        }
        (Form::Polygon(corners), Form::Disc { center, radius }) => {
            corners.iter().all(|corner| center.distance(*corner + shift) <= *radius)
        }
        (Form::Polygon(one), Form::Polygon(corners)) => {
            let is_inside = one.first().is_some_and(|corner| polygon::contains(corners, *corner + shift));
            is_inside && !polygon::outlines_meet(corners, one, shift)
        }
    }
}

impl ObjectsInRegion {
    fn counts(&self, object: &Thing, region: &Thing, census: Census) -> bool {
        let arena = &census.all().arena;
        if !self.wholly {
            return region.overlaps(arena, object.position, 0.0);
        }
        let shift = region.position + arena.offset(region.position, object.position) - object.position;
        let is_in = |form: &Form| region.forms.iter().any(|area| is_within(form, shift, area));
        !object.forms.is_empty() && object.forms.iter().all(is_in)
    }
}

impl Metric for ObjectsInRegion {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("objects_in_region", "Number of objects in the region")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let is_region = |thing: &&Thing| {
            matches!(thing.what, ThingKind::Region | ThingKind::Goal)
                && (self.region.is_empty() || thing.name == self.region)
        };
        let is_in = |object: &&Thing| {
            census.all().things.iter().filter(is_region).any(|region| self.counts(object, region, census))
        };
        gathered.push(objects(&self.object, census).filter(is_in).count() as f64);
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        let scene = scene.downcast_ref()?;
        let wrong =
            unknown("region or goal", &self.region, scene, |object| object.is::<Goal>() || object.is::<Region>());
        unknown_object("object", &self.object, scene).or_else(|| wrong.map(|message| ("region", message)))
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc(x: f64, y: f64, radius: f64) -> Form {
        Form::Disc { center: DVec2::new(x, y), radius }
    }

    fn square(side: f64) -> Form {
        Form::Polygon([(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)].map(DVec2::from).to_vec())
    }

    #[test]
    fn areas_are_within_others_only_as_a_whole() {
        assert!(is_within(&disc(1.0, 0.0, 0.5), DVec2::ZERO, &disc(0.0, 0.0, 1.5)));
        assert!(!is_within(&disc(1.0, 0.0, 0.51), DVec2::ZERO, &disc(0.0, 0.0, 1.5)));
        assert!(is_within(&disc(0.0, 0.0, 0.5), DVec2::splat(0.5), &square(1.0)));
        assert!(!is_within(&disc(0.0, 0.0, 0.5), DVec2::splat(0.49), &square(1.0)));
        assert!(is_within(&square(1.0), DVec2::splat(-0.5), &disc(0.0, 0.0, 0.708)));
        assert!(!is_within(&square(1.0), DVec2::splat(-0.5), &disc(0.0, 0.0, 0.707)));
        assert!(is_within(&square(1.0), DVec2::splat(0.1), &square(1.2)));
        assert!(!is_within(&square(1.0), DVec2::splat(0.3), &square(1.2)));
        assert!(!is_within(&square(1.0), DVec2::splat(9.0), &square(1.2)));
    }
}
