//! Flattens SVG paths: curves and arcs become polylines.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use svgtypes::{PathParser, PathSegment, PointsParser};
use swarmarium_base::math;

use super::Contour;
use super::error::ElementError;

/// Largest number of segments of a curve.
const MAX_LINES: f64 = 1000.0;

/// A curve is straight if its control points are within this fraction of the tolerance from its chord, and exceed the
/// ends by at most this fraction of its length.
const STRAIGHT: f64 = 0.01;

/// Draws lines and flattens curves.
pub(super) struct Flattener {
    /// Largest distance (user units) of a polyline from its curve.
    tolerance: f64,
    contours: Vec<Contour>,
    at: DVec2,
    start: DVec2,
    /// Whether the next segment starts a new contour at `at`.
    is_lifted: bool,
    points_left: usize,
    is_full: bool,
}

impl Flattener {
    /// For polylines with at most this `tolerance` and number of points.
    pub fn new(tolerance: f64, points_left: usize) -> Self {
        let (contours, at, start) = Default::default();
        Self { tolerance, contours, at, start, is_lifted: true, points_left, is_full: false }
    }

    /// The drawn contours.
    pub fn finish(mut self) -> Result<Vec<Contour>, ElementError> {
        if self.is_full {
            return Err(ElementError::TooManyPoints);
        }
        for contour in &mut self.contours {
            // A contour that ends at its start is closed, without repeating the start.
            if contour.points.len() > 1 && contour.points.first() == contour.points.last() {
                contour.points.pop();
                contour.is_closed = true;
            }
        }
        Ok(self.contours)
    }

    pub fn move_to(&mut self, to: DVec2) {
        (self.at, self.start, self.is_lifted) = (to, to, true);
    }

    pub fn line_to(&mut self, to: DVec2) {
        if std::mem::take(&mut self.is_lifted) {
            self.contours.push(Contour::default());
            self.push(self.at);
        }
        self.push(to);
        self.at = to;
    }

    fn push(&mut self, point: DVec2) {
        self.is_full |= self.points_left == 0;
        self.points_left = self.points_left.saturating_sub(1);
        if let Some(contour) = self.contours.last_mut().filter(|_| !self.is_full) {
            contour.points.push(point);
        }
    }

    fn close(&mut self) {
        // A path that is closed before anything was drawn is a point.
        if self.is_lifted {
            self.contours.extend((!self.is_full).then(|| Contour { points: Vec::new(), is_closed: true }));
            self.push(self.at);
        } else if let Some(contour) = self.contours.last_mut() {
            contour.is_closed = true;
        }
        (self.at, self.is_lifted) = (self.start, true);
    }

    /// A rectangle with elliptical corners.
    pub fn rectangle(&mut self, low: DVec2, size: DVec2, round: DVec2) {
        let at = |x: f64, y: f64| low + DVec2::new(x, y);
        if round.min_element() <= 0.0 {
            self.move_to(low);
            [at(size.x, 0.0), at(size.x, size.y), at(0.0, size.y)].into_iter().for_each(|to| self.line_to(to));
            return self.close();
        }
        let (far, quarter) = (size - round, TAU / 4.0);
        self.move_to(at(round.x, 0.0));
        for (k, center) in
            [at(far.x, round.y), at(far.x, far.y), at(round.x, far.y), at(round.x, round.y)].into_iter().enumerate()
        {
            let from = (k as f64 - 1.0) * quarter;
            self.line_to(center + round * math::direction(from));
            self.sweep(center, round, (from, quarter), DVec2::X);
        }
        self.close();
    }

    /// A whole ellipse.
    pub fn ellipse(&mut self, center: DVec2, radii: DVec2) {
        self.move_to(center + DVec2::new(radii.x, 0.0));
        self.sweep(center, radii, (0.0, TAU), DVec2::X);
        self.close();
        if let Some(contour) = self.contours.last_mut() {
            // Except for rounding, the last point equals the first.
            contour.points.pop();
        }
    }

    /// Lines along an elliptical arc whose first axis points along `axis`, to the end of the arc.
    fn sweep(&mut self, center: DVec2, radii: DVec2, (from, span): (f64, f64), axis: DVec2) {
        let step = (8.0 * self.tolerance / radii.max_element()).sqrt();
        let lines = (span.abs() / step).ceil().clamp(8.0 * span.abs() / TAU, MAX_LINES).max(1.0) as u32;
        for k in 1..=lines {
            let way = math::direction(from + span * f64::from(k) / f64::from(lines));
            self.line_to(center + axis.rotate(radii * way));
        }
    }

    /// Draws the points of a `points` attribute.
    pub fn points(&mut self, text: &str, closes: bool) -> Result<(), ElementError> {
        let numbers = svgtypes::NumberListParser::from(text).collect::<Result<Vec<_>, _>>();
        let numbers = numbers.map_err(|error| ElementError::Points(error.to_string()))?;
        if numbers.len() % 2 == 1 {
            return Err(ElementError::OddCoordinates);
        }
        let mut points = PointsParser::from(text).map(DVec2::from);
        if let Some(first) = points.next() {
            self.move_to(first);
            points.for_each(|point| self.line_to(point));
            if closes {
                self.close();
            }
        }
        Ok(())
    }

    /// Draws the commands of a path.
    pub fn path(&mut self, text: &str) -> Result<(), ElementError> {
        // The last control point, which smooth curves mirror.
        let (mut cubic, mut quadratic) = (None, None);
        let mut drawn_since_move = true;
        for segment in PathParser::from(text) {
            let segment = segment.map_err(|error| ElementError::Path(error.to_string()))?;
            let base = if segment.is_abs() { DVec2::ZERO } else { self.at };
            let point = |x: f64, y: f64| base + DVec2::new(x, y);
            let at = self.at;
            let mirrored = |control: Option<DVec2>| control.map_or(at, |control| 2.0 * at - control);
            let (mut next_cubic, mut next_quadratic) = (None, None);
            let is_move = matches!(segment, PathSegment::MoveTo { .. });
            if is_move && !drawn_since_move {
                self.lone_point();
            }
            match segment {
                PathSegment::MoveTo { x, y, .. } => self.move_to(point(x, y)),
                PathSegment::LineTo { x, y, .. } => self.line_to(point(x, y)),
                PathSegment::HorizontalLineTo { x, .. } => self.line_to(DVec2::new(base.x + x, self.at.y)),
                PathSegment::VerticalLineTo { y, .. } => self.line_to(DVec2::new(self.at.x, base.y + y)),
                PathSegment::CurveTo { x1, y1, x2, y2, x, y, .. } => {
                    next_cubic = Some(point(x2, y2));
                    self.cubic_to(point(x1, y1), point(x2, y2), point(x, y));
                }
                PathSegment::SmoothCurveTo { x2, y2, x, y, .. } => {
                    next_cubic = Some(point(x2, y2));
                    self.cubic_to(mirrored(cubic), point(x2, y2), point(x, y));
                }
                PathSegment::Quadratic { x1, y1, x, y, .. } => {
                    next_quadratic = Some(point(x1, y1));
                    self.quadratic_to(point(x1, y1), point(x, y));
                }
                PathSegment::SmoothQuadratic { x, y, .. } => {
                    let control = mirrored(quadratic);
                    next_quadratic = Some(control);
                    self.quadratic_to(control, point(x, y));
                }
                PathSegment::EllipticalArc { rx, ry, x_axis_rotation, large_arc, sweep, x, y, .. } => {
                    let axis = math::direction(x_axis_rotation.to_radians());
                    self.arc_to(DVec2::new(rx, ry).abs(), axis, (large_arc, sweep), point(x, y));
                }
                PathSegment::ClosePath { .. } => self.close(),
            }
            (cubic, quadratic) = (next_cubic, next_quadratic);
            drawn_since_move = !is_move;
            if self.is_full {
                break;
            }
        }
        if !drawn_since_move {
            self.lone_point();
        }
        Ok(())
    }

    /// Adds a point after a move without a line.
    fn lone_point(&mut self) {
        self.contours.push(Contour::default());
        self.push(self.at);
    }

    /// Whether a curve from the current point is straight: its control points lie on its chord.
    fn is_straight(&self, controls: &[DVec2], to: DVec2) -> bool {
        let along = to - self.at;
        let length = along.length();
        controls.iter().map(|control| *control - self.at).all(|control| {
            let off = along.perp_dot(control).abs();
            let part = along.dot(control) / (length * length);
            off <= STRAIGHT * self.tolerance * length && (-STRAIGHT..=1.0 + STRAIGHT).contains(&part)
        })
    }

    fn cubic_to(&mut self, b: DVec2, c: DVec2, d: DVec2) {
        if self.is_straight(&[b, c], d) {
            return self.line_to(d);
        }
        let a = self.at;
        let bend = (a - 2.0 * b + c).length().max((b - 2.0 * c + d).length());
        let lines = (0.75 * bend / self.tolerance).sqrt().ceil().clamp(1.0, MAX_LINES) as u32;
        for k in 1..lines {
            let t = f64::from(k) / f64::from(lines);
            let s = 1.0 - t;
            self.line_to(s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d);
        }
        self.line_to(d);
    }

    fn quadratic_to(&mut self, b: DVec2, c: DVec2) {
        if self.is_straight(&[b], c) {
            return self.line_to(c);
        }
        let a = self.at;
        let bend = (a - 2.0 * b + c).length();
        let lines = (0.25 * bend / self.tolerance).sqrt().ceil().clamp(1.0, MAX_LINES) as u32;
        for k in 1..lines {
            let t = f64::from(k) / f64::from(lines);
            let s = 1.0 - t;
            self.line_to(s * s * a + 2.0 * s * t * b + t * t * c);
        }
        self.line_to(c);
    }

    /// An arc given by its end points (SVG 2, appendix B.2.4).
    fn arc_to(&mut self, radii: DVec2, axis: DVec2, (large, sweep): (bool, bool), to: DVec2) {
        if radii.min_element() <= 0.0 || self.at == to {
            return self.line_to(to);
        }
        let back = DVec2::new(axis.x, -axis.y);
        let half = back.rotate((self.at - to) / 2.0);
        // Radii that are too small are enlarged until the arc reaches.
        let lack = (half / radii).length_squared();
        let radii = if lack > 1.0 { radii * lack.sqrt() } else { radii };
        let (square, across) = (radii * radii, radii * DVec2::new(half.y, half.x));
        let across = across.length_squared();
        let rest = (square.x * square.y - across).max(0.0) / across;
        let sign = if large == sweep { -1.0 } else { 1.0 };
        let center = sign * rest.sqrt() * DVec2::new(radii.x * half.y / radii.y, -radii.y * half.x / radii.x);
        let (first, last) = ((half - center) / radii, (-half - center) / radii);
        let from = math::angle_of(first);
        let mut span = math::wrap_angle(math::angle_of(last) - from);
        if sweep && span < 0.0 {
            span += TAU;
        } else if !sweep && span > 0.0 {
            span -= TAU;
        }
        let center = (self.at + to) / 2.0 + axis.rotate(center);
        // Extreme radii do not give an arc.
        if !(span.is_finite() && center.is_finite()) {
            return self.line_to(to);
        }
        self.sweep(center, radii, (from, span), axis);
        // The end is exactly the given point, without rounding errors.
        if let Some(last) = self.contours.last_mut().and_then(|contour| contour.points.last_mut()) {
            *last = to;
        }
        self.at = to;
    }
}
