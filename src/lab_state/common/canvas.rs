//! The part of the window that shows a world: conversion between window and world, and the texts of a picture.
//!
//! The GPU paints the shapes behind it.

use bevy::math::DVec2;
use bevy_egui::egui::{Align2, Painter, Pos2, Rect, Vec2};
use swarmarium_picture::camera::Camera;
use swarmarium_picture::palette::Theme;
use swarmarium_picture::{Anchor, Picture, Shape};

use crate::common::theme;

/// Draws the texts of a picture.
pub fn texts(painter: &Painter, rect: Rect, camera: &Camera, theme: Theme, picture: &Picture) {
    for item in &picture.items {
        if let Shape::Text { at, text, size_px, anchor } = &item.shape {
            let align = match anchor {
                Anchor::Left => Align2::LEFT_BOTTOM,
                Anchor::Middle => Align2::CENTER_BOTTOM,
                Anchor::Right => Align2::RIGHT_BOTTOM,
            };
            let at = on_screen(camera, rect, *at);
            painter.text(at, align, text, theme::font(*size_px as f32), theme::paint(theme, item.paint));
        }
    }
}

/// Converts a point of the world (m) to points of the window. `rect` is the rectangle of the world in the window.
pub fn on_screen(camera: &Camera, rect: Rect, point_m: DVec2) -> Pos2 {
    let at = camera.screen_from_world(point_m);
    // The camera counts from the centre of the panel and may have the size of the last frame.
    rect.center() + Vec2::new((at.x - camera.screen_px.x / 2.0) as f32, (at.y - camera.screen_px.y / 2.0) as f32)
}

/// Converts points of the window to a point of the world (m). `rect` is the rectangle of the world in the window.
pub fn world_m(camera: &Camera, rect: Rect, at: Pos2) -> DVec2 {
    let from_middle = at - rect.center();
    camera.world_from_screen(camera.screen_px / 2.0 + DVec2::new(f64::from(from_middle.x), f64::from(from_middle.y)))
}
