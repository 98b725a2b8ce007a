//! The camera: from the world to the screen and back.

use std::f64::consts::FRAC_PI_2;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::math;
use swarmarium_space::arena::Arena;

/// Where the y axis points on the screen.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum YAxis {
    /// Up, as on paper.
    #[default]
    Up,
    /// Down, as in pictures and in RobotSwarmSimulator: what turns anticlockwise looks clockwise.
    Down,
}

impl YAxis {
    /// Upwards on the screen, along y.
    pub fn up(self) -> f64 {
        match self {
            Self::Up => 1.0,
            Self::Down => -1.0,
        }
    }
}

/// A camera that looks straight down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point of the world at the center of the screen, in metres.
    pub center_m: DVec2,
    /// The zoom, in logical pixels per metre.
    pub pixels_per_m: f64,
    /// Size of the screen in logical pixels.
    pub screen_px: DVec2,
    /// The direction of the y axis of the world on the screen.
    pub y_axis: YAxis,
    /// The rotation of the world on the screen, anticlockwise.
    pub turn_rad: f64,
}

impl Camera {
    /// The limits of the zoom, in logical pixels per metre.
    pub const ZOOM: [f64; 2] = [1e-3, 1e5];

    /// The camera that shows the whole arena with a margin.
    pub fn fit(arena: &Arena, screen_px: DVec2) -> Self {
        let screen_px = screen_px.max(DVec2::ONE);
        let pixels_per_m = (screen_px / arena.size_m).min_element() * 0.92;
        let [min, max] = Self::ZOOM;
        let pixels_per_m = pixels_per_m.clamp(min, max);
        Self { center_m: arena.center_m(), pixels_per_m, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 }
    }

    /// The position of a point of the world on the screen, in logical pixels from the top left corner.
    pub fn screen_from_world(&self, point_m: DVec2) -> DVec2 {
        let right_and_up = self.turn().rotate((point_m - self.center_m) * DVec2::new(1.0, self.y_axis.up()));
        self.screen_px / 2.0 + right_and_up * DVec2::new(1.0, -1.0) * self.pixels_per_m
    }

    /// The point of the world at a position on the screen.
    pub fn world_from_screen(&self, point_px: DVec2) -> DVec2 {
        self.center_m + self.across_m(point_px - self.screen_px / 2.0)
    }

    /// The displacement in the world, in metres, for a displacement on the screen, in logical pixels to the right and down.
    pub fn across_m(&self, by_px: DVec2) -> DVec2 {
        let back = self.turn() * DVec2::new(1.0, -1.0);
        back.rotate(by_px * DVec2::new(1.0, -1.0)) * DVec2::new(1.0, self.y_axis.up()) / self.pixels_per_m
    }

    /// The direction of the x axis on the screen, to the right and up.
    fn turn(&self) -> DVec2 {
        math::direction(self.turn_rad)
    }

    /// Rotates the world so that a direction in the world points up on the screen.
    pub fn turn_up(&mut self, bearing_rad: f64) {
        self.turn_rad = FRAC_PI_2 - bearing_rad * self.y_axis.up();
    }

    /// Zooms by a factor; the point of the world under a point of the screen stays there.
    pub fn zoom_at(&mut self, point_px: DVec2, factor: f64) {
        let fixed = self.world_from_screen(point_px);
        let [min, max] = Self::ZOOM;
        self.pixels_per_m = (self.pixels_per_m * factor).clamp(min, max);
        self.center_m += fixed - self.world_from_screen(point_px);
    }

    /// Moves the world by a distance on the screen.
    pub fn pan(&mut self, by_px: DVec2) {
        self.center_m -= self.across_m(by_px);
    }

    /// The bounding box of the visible part of the world: its lower left and upper right corners, in metres.
    pub fn visible_m(&self) -> [DVec2; 2] {
        let half = self.reach_px() / self.pixels_per_m;
        [self.center_m - half, self.center_m + half]
    }

    /// Half the width and height of the bounding box of the screen along the axes of the world, in logical pixels.
    pub fn reach_px(&self) -> DVec2 {
        let (half, across) = (self.screen_px / 2.0, self.turn().abs());
        DVec2::new(across.dot(half), across.dot(DVec2::new(half.y, half.x)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: DVec2 = DVec2::new(800.0, 600.0);

    #[test]
    fn a_fitted_arena_is_completely_visible() {
        let camera = Camera::fit(&Arena { size_m: DVec2::new(10.0, 2.0), ..Arena::default() }, SCREEN);
        let [low, high] = camera.visible_m();
        assert!(low.cmple(DVec2::ZERO).all() && high.cmpge(DVec2::new(10.0, 2.0)).all());
    }

    #[test]
    fn screen_and_world_are_inverse() {
        let center_m = DVec2::new(3.0, -2.0);
        let camera = Camera { center_m, pixels_per_m: 37.0, screen_px: SCREEN, y_axis: YAxis::Up, turn_rad: 0.0 };
        let point = DVec2::new(1.25, 7.5);
        for y_axis in [YAxis::Up, YAxis::Down] {
            let camera = Camera { y_axis, ..camera };
            assert!((camera.world_from_screen(camera.screen_from_world(point)) - point).length() < 1e-12);
            let above = camera.screen_from_world(point + DVec2::Y).y < camera.screen_from_world(point).y;
            assert_eq!(above, y_axis == YAxis::Up);
        }
    }

    #[test]
    fn a_turned_camera_has_a_direction_up() {
        for y_axis in [YAxis::Up, YAxis::Down] {
            let mut camera = Camera { y_axis, ..Camera::fit(&Arena::default(), SCREEN) };
            camera.turn_up(0.7);
            let ahead = camera.screen_from_world(camera.center_m + math::direction(0.7)) - SCREEN / 2.0;
            assert!((ahead - DVec2::new(0.0, -camera.pixels_per_m)).length() < 1e-9, "{ahead}");
            let point = DVec2::new(1.25, 7.5);
            assert!((camera.world_from_screen(camera.screen_from_world(point)) - point).length() < 1e-12);
            let [low, high] = camera.visible_m();
            for corner in [DVec2::ZERO, SCREEN, DVec2::new(SCREEN.x, 0.0), DVec2::new(0.0, SCREEN.y)] {
                let corner = camera.world_from_screen(corner);
                assert!((corner - low).min_element() > -1e-9 && (high - corner).min_element() > -1e-9);
            }
            let before = camera.world_from_screen(DVec2::new(100.0, 100.0));
            camera.pan(DVec2::new(30.0, -20.0));
            assert!((camera.world_from_screen(DVec2::new(130.0, 80.0)) - before).length() < 1e-12);
        }
    }

    #[test]
    fn zooming_keeps_the_point_under_the_cursor() {
        let mut camera = Camera::fit(&Arena::default(), SCREEN);
        let cursor = DVec2::new(650.0, 120.0);
        let before = camera.world_from_screen(cursor);
        camera.zoom_at(cursor, 3.0);
        assert!((camera.world_from_screen(cursor) - before).length() < 1e-12);
    }

    #[test]
    fn panning_moves_the_world_with_the_cursor() {
        let mut camera = Camera::fit(&Arena::default(), SCREEN);
        let before = camera.world_from_screen(DVec2::new(100.0, 100.0));
        camera.pan(DVec2::new(30.0, -20.0));
        assert!((camera.world_from_screen(DVec2::new(130.0, 80.0)) - before).length() < 1e-12);
    }
}
