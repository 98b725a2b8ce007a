//! Measures the shape of the swarm at all scales: its pieces and its holes.

use bevy::math::DVec2;
use bevy::prelude::*;
use spade::Triangulation as _;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::geometry::{delaunay, delaunay_edges};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};

use super::graph::Sets;

/// Number of pieces and holes of the swarm that persist over a range of scales. Discs grow around all robots at
/// once; the scale is their diameter, so that two robots join at their distance. Pieces of the covered area join,
/// and holes in it appear and fill. The metric returns the number of pieces and holes that last longer than
/// `persistence_m`, and the scales at which the last of these pieces joins and the last of these holes fills. It
/// uses the alpha complex; the Rips complex of RobotSwarmSimulator has the same pieces and fills holes slightly
/// earlier. The tree by which pieces join is drawn. In a periodic arena, coordinates are used as they are: a swarm
/// that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// n_0 = 1 + \lvert \{ k : l_k \gt \delta \} \rvert
/// \qquad
/// s_0 = \max_{k : l_k \gt \delta} l_k
/// \qquad
/// n_1 = \lvert \{ k : d_k - b_k \gt \delta \} \rvert
/// \qquad
/// s_1 = \max_{k : d_k - b_k \gt \delta} d_k
/// ```
/// $l_k$ are the lengths of the edges of the minimum spanning tree of the positions, $b_k$ and $d_k$ the scales at
/// which hole $k$ appears and fills, and $\delta$ is `persistence_m`. The columns are `pieces` ($n_0$), `joined_m`
/// ($s_0$), `holes` ($n_1$) and `filled_m` ($s_1$); a maximum over nothing is 0. All are 0 without robots. Pieces
/// and holes whose life is shorter than 10⁻⁹ times the scale at its end never count; they are rounding errors.
///
/// Source: Edelsbrunner, Letscher and Zomorodian, 2002; RobotSwarmSimulator `PersistentHomology`.
///
/// Range: `pieces`: 0 to N; `holes`: 0 to ∞; `joined_m` and `filled_m`: 0 to ∞, in m.
#[kind(section = "Shape", words = "holes, pieces, topology")]
pub struct PersistentHomology {
    /// Range of scales for which a piece or hole must last to count.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub persistence_m: f64,
}

/// Lives shorter than this part of the scale at their end are caused by rounding, for example of four agents on a
/// circle.
const ROUNDING: f64 = 1e-9;

/// A piece or hole: the scales at which it appears and disappears, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Life {
    birth_m: f64,
    death_m: f64,
}

impl PersistentHomology {
    fn counts(&self, Life { birth_m, death_m }: &Life) -> bool {
        death_m - birth_m > self.persistence_m.max(ROUNDING * death_m)
    }
}

impl Metric for PersistentHomology {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("pieces", "Number of persistent pieces"),
        MetricLabel::new("joined_m", "Scale at which all pieces have joined"),
        MetricLabel::new("holes", "Number of persistent holes"),
        MetricLabel::new("filled_m", "Scale at which all holes are filled"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("persistent_homology", "Persistent homology")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let last = |lives: &[Life]| lives.iter().map(|life| life.death_m).fold(0.0, f64::max);
        let joins = joins(swarm.positions());
        let pieces = joins.iter().map(|(_, distance_m)| Life { birth_m: 0.0, death_m: *distance_m });
        let pieces: Vec<Life> = pieces.filter(|life| self.counts(life)).collect();
        let mut holes = holes(swarm.positions());
        holes.retain(|life| self.counts(life));
        // One piece remains at all scales.
        values[0] = if swarm.is_empty() { 0.0 } else { 1.0 + pieces.len() as f64 };
        values[1] = last(&pieces);
        values[2] = holes.len() as f64;
        values[3] = last(&holes);
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        for (ends, _) in joins(swarm.positions()) {
            picture.segment(Layer::Sensors, Role::Accent.faint(0.5), ends, Width::Pixels(1.0));
        }
    }
}

/// The pairs of agents at which pieces join, with their distances: the minimum spanning tree, a part of the Delaunay
/// triangulation (Kruskal 1956).
fn joins(points: &[DVec2]) -> Vec<([DVec2; 2], f64)> {
    let Some(triangulation) = delaunay(points) else { return Vec::new() };
    let mut edges: Vec<_> = delaunay_edges(&triangulation)
        .zip(triangulation.undirected_edges().map(|edge| edge.vertices().map(|end| end.index())))
        .map(|(ends, vertices)| (ends, vertices, ends[0].distance(ends[1])))
        .collect();
    edges.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut sets = Sets::of(triangulation.num_vertices());
    edges.retain(|(_, [a, b], _)| sets.join(*a, *b));
    edges.into_iter().map(|(ends, _, distance_m)| (ends, distance_m)).collect()
}

/// The holes, from large scales to small ones: as the discs shrink, every triangle opens at the diameter of its
/// circumcircle, and two openings become one where the edge between them disappears. The smaller opening is a hole that
/// ends there (Alexander duality with the elder rule).
fn holes(points: &[DVec2]) -> Vec<Life> {
    let Some(triangulation) = delaunay(points) else { return Vec::new() };
    // The outer face, number 0, is open at every scale.
    let mut open_m = vec![f64::INFINITY; triangulation.num_all_faces()];
    for face in triangulation.inner_faces() {
        open_m[face.index()] = 2.0 * face.circumcircle().1.sqrt();
    }
    let mut edges: Vec<(f64, [usize; 2])> = Vec::new();
    for edge in triangulation.undirected_edges() {
        let (one, other) = (edge.as_directed(), edge.as_directed().rev());
        let [a, b] = edge.positions().map(|end| DVec2::new(end.x, end.y));
        let mut beside = [one, other].into_iter().filter_map(|side| side.opposite_position());
        // An edge with an agent inside its diametral circle appears only with the triangle of that agent.
        let is_short = |third: spade::Point2<f64>| {
            let third = DVec2::new(third.x, third.y);
            (a - third).dot(b - third) < 0.0
        };
        let faces = [one.face().index(), other.face().index()];
        let with_triangle = open_m[faces[0]].min(open_m[faces[1]]);
        let gone_m = if beside.any(is_short) { with_triangle } else { a.distance(b) };
        edges.push((gone_m.min(with_triangle), faces));
    }
    edges.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut sets = Sets::of(open_m.len());
    let mut lives = Vec::new();
    for (birth_m, [one, other]) in edges {
        let opened = [one, other].map(|face| open_m[sets.find(face)]);
        if sets.join(one, other) {
            lives.push(Life { birth_m, death_m: opened[0].min(opened[1]) });
            let joined = sets.find(one);
            open_m[joined] = opened[0].max(opened[1]);
        }
    }
    lives
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use swarmarium_base::math::direction;

    use super::*;
    use crate::metric::tests::{at, observe};

    fn values(points: &[DVec2], persistence_m: f64) -> [f64; 4] {
        let points: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.y)).collect();
        observe(&PersistentHomology { persistence_m }, &at(&points))
    }

    fn assert_near(found: [f64; 4], expected: [f64; 4]) {
        let off = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{found:?} instead of {expected:?}");
    }

    fn ring(center: DVec2, radius: f64, agents: u32) -> Vec<DVec2> {
        (0..agents).map(|k| center + radius * direction(TAU * f64::from(k) / f64::from(agents))).collect()
    }

    #[test]
    fn persistent_homology_of_a_ring_is_one_hole_filled_at_its_diameter() {
        let hexagon = ring(DVec2::splat(3.0), 2.0, 6);
        assert_near(values(&hexagon, 0.0), [6.0, 2.0, 1.0, 4.0]);
        assert_near(values(&hexagon, 2.1), [1.0, 0.0, 0.0, 0.0]);
        let side = 2.0 * swarmarium_base::math::sin(TAU / 40.0);
        assert_near(values(&ring(DVec2::ZERO, 1.0, 20), 0.5), [1.0, 0.0, 1.0, 2.0]);
        assert_near(values(&ring(DVec2::ZERO, 1.0, 20), 0.0), [20.0, side, 1.0, 2.0]);
    }

    #[test]
    fn persistent_homology_of_two_rings_is_two_holes() {
        let mut both = ring(DVec2::ZERO, 1.0, 12);
        both.extend(ring(DVec2::new(5.0, 0.0), 0.5, 12));
        // Neighbours on the larger ring are 0.52 m apart, on the smaller one 0.26 m.
        assert_near(values(&both, 0.6), [2.0, 3.5, 2.0, 2.0]);
        assert_near(values(&both, 0.4), [13.0, 3.5, 2.0, 2.0]);
    }

    #[test]
    fn persistent_homology_of_few_agents_and_of_lines_has_no_holes() {
        assert_eq!(values(&[], 0.0), [0.0; 4]);
        assert_eq!(values(&[DVec2::ONE], 0.0), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(values(&[DVec2::ONE; 3], 0.0), [1.0, 0.0, 0.0, 0.0], "at one place");
        let line = [0.0, 1.0, 3.0].map(|x| DVec2::new(x, 2.0));
        assert_eq!(values(&line, 0.0), [3.0, 2.0, 0.0, 0.0]);
        // A triangle with one wide angle is filled as soon as its two short sides are there.
        assert_near(values(&[DVec2::ZERO, DVec2::X, DVec2::new(1.5, 0.5)], 0.0), [3.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn persistent_homology_of_a_triangle_ends_at_its_circumcircle() {
        let triangle = ring(DVec2::ZERO, 1.0, 3);
        assert_near(values(&triangle, 0.0), [3.0, 3.0_f64.sqrt(), 1.0, 2.0]);
    }
}
