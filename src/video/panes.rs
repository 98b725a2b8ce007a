//! Frames with several pictures side by side.

use std::collections::HashMap;

use bevy::math::DVec2;
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;
use swarmarium_picture::palette::Role;

use super::painter::{Frame, Painter, Style};

/// The largest number of kept painters: more sizes of panes than that are rare.
const MOST_PAINTERS: usize = 4;

/// A part of a frame: a picture and a camera.
#[derive(Clone, Debug)]
pub struct Pane {
    /// The picture.
    pub picture: Picture,
    /// The camera. The size of its screen is that of the pane.
    pub camera: Camera,
    /// The upper left corner of the pane in the frame, in logical pixels.
    pub corner_px: DVec2,
}

/// The content of a frame: one picture, or several side by side.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The panes. Where none of them is, the frame has the colour of grid lines.
    pub panes: Vec<Pane>,
}

impl Shot {
    /// Creates a frame of one picture.
    pub fn new(picture: Picture, camera: Camera) -> Self {
        Self { panes: vec![Pane { picture, camera, corner_px: DVec2::ZERO }] }
    }
}

/// The painter of frames. Each pane is painted by itself, so nothing of it lies over another pane.
pub struct FramePainter {
    size_px: [u16; 2],
    style: Style,
    painters: HashMap<[u16; 2], Painter>,
    /// The last frame of several panes; empty if the last frame has only one.
    composed: Vec<u8>,
}

impl FramePainter {
    /// Creates a painter of frames of this size in pixels.
    pub fn new(width: u16, height: u16, style: Style) -> Self {
        Self { size_px: [width, height], style, painters: HashMap::new(), composed: Vec::new() }
    }

    /// Paints a frame.
    pub fn paint(&mut self, shot: &Shot) -> Frame<'_> {
        self.composed.clear();
        match &shot.panes[..] {
            [pane] if pane.corner_px == DVec2::ZERO => {
                let painter = painter(&mut self.painters, self.size_px, self.style);
                painter.paint(&pane.picture, &pane.camera);
            }
            panes => {
                let [red, green, blue] = self.style.rgb(Role::Grid);
                let pixels: usize = self.size_px.map(usize::from).iter().product();
                self.composed.resize(4 * pixels, 255);
                self.composed.chunks_exact_mut(4).for_each(|pixel| pixel[..3].copy_from_slice(&[red, green, blue]));
                panes.iter().for_each(|pane| self.add(pane));
            }
        }
        self.painted()
    }

    /// Paints a pane into the frame.
    fn add(&mut self, pane: &Pane) {
        let frame_px = self.size_px.map(usize::from);
        let to_px = |at: DVec2| (at * self.style.scale).round().max(DVec2::ZERO).to_array().map(|side| side as usize);
        let [left, top] = to_px(pane.corner_px);
        let [right, bottom] = to_px(pane.corner_px + pane.camera.screen_px);
        let (right, bottom) = (right.min(frame_px[0]), bottom.min(frame_px[1]));
        if right <= left || bottom <= top {
            return;
        }
        let size_px = [right - left, bottom - top];
        // A side of the frame fits into 16 bits.
        let painter = painter(&mut self.painters, size_px.map(|side| side as u16), self.style);
        let painted = painter.paint(&pane.picture, &pane.camera);
        let rows = painted.rgba.chunks_exact(4 * size_px[0]);
        for (row, pixels) in rows.enumerate() {
            let from = 4 * ((top + row) * frame_px[0] + left);
            self.composed[from..from + pixels.len()].copy_from_slice(pixels);
        }
    }

    /// The frame that was painted last.
    pub fn painted(&mut self) -> Frame<'_> {
        if self.composed.is_empty() {
            return painter(&mut self.painters, self.size_px, self.style).painted();
        }
        let [width, height] = self.size_px.map(u32::from);
        Frame { width, height, rgba: &self.composed }
    }
}

/// Returns the painter of pictures of a size.
fn painter(painters: &mut HashMap<[u16; 2], Painter>, size_px: [u16; 2], style: Style) -> &mut Painter {
    if painters.len() >= MOST_PAINTERS && !painters.contains_key(&size_px) {
        painters.clear();
    }
    painters.entry(size_px).or_insert_with(|| Painter::new(size_px[0], size_px[1], style))
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::Layer;
    use swarmarium_picture::camera::YAxis;

    use super::*;

    fn pane(role: Role, corner_px: DVec2, screen_px: DVec2) -> Pane {
        let camera = Camera { center_m: DVec2::ZERO, pixels_per_m: 1.0, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 };
        let mut picture = Picture::default();
        // Much larger than its pane.
        picture.disc(Layer::Agents, role, DVec2::ZERO, 1000.0);
        Pane { picture, camera, corner_px }
    }

    #[test]
    fn panes_lie_side_by_side_and_cover_nothing_of_each_other() {
        let style = Style { scale: 2.0, ..Style::default() };
        let mut painter = FramePainter::new(80, 40, style);
        let half_px = DVec2::new(19.0, 20.0);
        let roles = [Role::Group(0), Role::Group(1)];
        let panes = vec![pane(roles[0], DVec2::ZERO, half_px), pane(roles[1], DVec2::new(21.0, 0.0), half_px)];
        let frame = painter.paint(&Shot { panes });
        assert_eq!((frame.width, frame.height, frame.rgba.len()), (80, 40, 80 * 40 * 4));
        let [a, b] = roles.map(|role| style.rgb(role));
        let gap = style.rgb(Role::Grid);
        for (place, pixel) in frame.rgba.as_chunks::<4>().0.iter().enumerate() {
            let wanted = match place % 80 {
                ..38 => a,
                38..42 => gap,
                _ => b,
            };
            assert_eq!(pixel[..3], wanted, "pixel {place}");
        }
    }

    #[test]
    fn one_pane_is_the_whole_frame_also_after_a_frame_of_two() {
        let size_px = DVec2::new(40.0, 20.0);
        let whole = || Shot { panes: vec![pane(Role::Group(2), DVec2::ZERO, size_px)] };
        let mut painter = FramePainter::new(40, 20, Style::default());
        let first = painter.paint(&whole()).rgba.to_vec();
        painter.paint(&Shot { panes: vec![pane(Role::Group(0), DVec2::new(5.0, 5.0), DVec2::splat(8.0))] });
        assert_eq!(painter.paint(&whole()).rgba, first);
        assert_eq!(painter.painted().rgba, first);
    }

    #[test]
    fn panes_outside_the_frame_are_left_out() {
        let mut painter = FramePainter::new(16, 16, Style::default());
        let panes = vec![
            pane(Role::Group(0), DVec2::new(40.0, 0.0), DVec2::splat(8.0)),
            pane(Role::Group(1), DVec2::new(12.0, 12.0), DVec2::splat(8.0)),
        ];
        let frame = painter.paint(&Shot { panes });
        let last = frame.rgba.len() - 4;
        assert_eq!(frame.rgba[last..last + 3], Style::default().rgb(Role::Group(1)));
    }
}
