//! Test that window and recorder paint the same picture, without a GPU.
//!
//! The test paints the figures of the window as the shader does, sample by sample and in linear light.

use bevy::math::{DVec2, Vec2};
use swarmarium_draw::{Overlay, Overlays, View};
use swarmarium_formats::standard::Standard as _;
use swarmarium_picture::palette::{GroupColors, Role, Theme};
use swarmarium_picture::{Layer, Shape};
use swarmarium_scene::scene::{reader, shipped};
use swarmarium_simulation::simulation::{Recipe, Simulation};
use swarmarium_video::{Painter, Style};

use crate::window::tessellate::{Figure, FigureKind, Tessellator};

const SIZE: [usize; 2] = [960, 720];

/// Samples along each side of a pixel.
const SAMPLES: usize = 2;

/// Converts a byte of sRGB to linear light (IEC 61966-2-1).
fn light(byte: u8) -> f32 {
    let value = f32::from(byte) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn as_a_gpu_does(figures: &[Figure], up: f32, theme: Theme) -> Vec<u8> {
    let [width, height] = SIZE.map(|side| side * SAMPLES);
    let mut samples = vec![theme.rgb(Role::Ground).map(light); width * height];
    // From the centre to the top left corner, with y down.
    let place =
        |at: Vec2| Vec2::new(at.x + SIZE[0] as f32 / 2.0, SIZE[1] as f32 / 2.0 - at.y * up) * SAMPLES as f32 - 0.5;
    for figure in figures {
        let [a, b, c, d] = figure.corners().map(|corner| place(corner.at));
        let over = figure.rgb.map(light);
        for [a, mut b, mut c] in [[a, b, c], [c, b, d]] {
            if (b - a).perp_dot(c - a) < 0.0 {
                (b, c) = (c, b);
            }
            let (low, high) = (a.min(b).min(c).max(Vec2::ZERO), a.max(b).max(c));
            for y in low.y.ceil() as usize..=(high.y.floor().max(-1.0) as usize).min(height - 1) {
                for x in low.x.ceil() as usize..=(high.x.floor().max(-1.0) as usize).min(width - 1) {
                    let at = Vec2::new(x as f32, y as f32);
                    // A sample on an edge belongs to one side only.
                    let is_left = |from: Vec2, to: Vec2| {
                        let (edge, side) = (to - from, (to - from).perp_dot(at - from));
                        side > 0.0 || (side == 0.0 && (edge.y > 0.0 || (edge.y == 0.0 && edge.x > 0.0)))
                    };
                    if is_left(a, b) && is_left(b, c) && is_left(c, a) {
                        let covers = match figure.form {
                            FigureKind::Disc => {
                                let distance = at.distance(place(figure.points[0])) / SAMPLES as f32;
                                (figure.points[1].x - distance + 0.5).clamp(0.0, 1.0)
                            }
                            FigureKind::Segment => {
                                let [from, to] = [figure.points[0], figure.points[1]].map(place);
                                let across = (to - from).normalize_or_zero().perp_dot(at - from).abs() / SAMPLES as f32;
                                (figure.points[2].x / 2.0 - across + 0.5).clamp(0.0, 1.0)
                            }
                            FigureKind::Triangle => 1.0,
                        };
                        let opacity = f32::from(figure.rgba()[3]) / 255.0 * covers;
                        let under = &mut samples[y * width + x];
                        *under =
                            std::array::from_fn(|channel| over[channel] * opacity + under[channel] * (1.0 - opacity));
                    }
                }
            }
        }
    }
    let mean = |x: usize, y: usize, channel: usize| {
        let inner =
            (0..SAMPLES * SAMPLES).map(|sample| (x * SAMPLES + sample % SAMPLES, y * SAMPLES + sample / SAMPLES));
        inner.map(|(x, y)| samples[y * width + x][channel]).sum::<f32>() / (SAMPLES * SAMPLES) as f32
    };
    let pixels = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y)));
    pixels.flat_map(|(x, y)| [0, 1, 2].map(|channel| byte(mean(x, y, channel)))).collect()
}

/// Converts linear light to a byte of sRGB (IEC 61966-2-1).
fn byte(light: f32) -> u8 {
    let value = if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0).round() as u8
}

fn pixels<const N: usize>(bytes: &[[u8; N]]) -> Vec<[u8; 3]> {
    bytes.iter().map(|pixel| std::array::from_fn(|channel| pixel[channel])).collect()
}

/// Returns the largest difference of two colours over their channels.
fn apart(a: &[u8; 3], b: &[u8; 3]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

#[test]
fn the_window_and_the_recorder_paint_the_same_picture() {
    let recipe = Recipe::standard();
    for (name, text) in shipped::all() {
        for theme in [Theme::Dark, Theme::Light] {
            let scene = reader::read(recipe.kinds(), name, text).unwrap();
            let mut simulation = Simulation::with(&scene, &recipe, 1).unwrap();
            simulation.step(200);
            let mut view = View::fit(&scene, DVec2::new(SIZE[0] as f64, SIZE[1] as f64));
            // The two painters use different text libraries.
            view.overlays.set(Overlay::ScaleBar, false);
            view.overlays.set(Overlay::Metrics, true);
            view.overlays.set(Overlay::Links, true);
            view.overlays.set(Overlay::Velocities, true);
            let mut picture = simulation.picture(&view);
            let mut tessellator = Tessellator::default();
            let figures = tessellator.picture(&picture, &view.camera, theme);
            let window = as_a_gpu_does(figures, view.camera.y_axis.up() as f32, theme);
            let style = Style { theme, groups: GroupColors::OkabeIto, transparent: false, scale: 1.0 };
            let mut painter = Painter::new(SIZE[0] as u16, SIZE[1] as u16, style);
            let recorder = pixels(painter.paint(&picture, &view.camera).rgba.as_chunks::<4>().0);
            picture.items.retain(|item| item.layer == Layer::Field);
            let field = pixels(painter.paint(&picture, &view.camera).rgba.as_chunks::<4>().0);
            let window = pixels(window.as_chunks::<3>().0);
            let off: Vec<u8> = window.iter().zip(&recorder).map(|(a, b)| apart(a, b)).collect();
            // A few small robots cover hardly one pixel in a hundred, so pixels on the field are compared separately.
            let is_on_field =
                |place: &usize| [&window, &recorder].iter().any(|p| apart(&p[*place], &field[*place]) > 32);
            let on_field: Vec<usize> = (0..field.len()).filter(is_on_field).collect();
            let same = on_field.iter().filter(|place| off[**place] <= 96).count() as f64 / on_field.len() as f64;
            let channels = window.as_flattened().iter().zip(recorder.as_flattened());
            let mut off: Vec<u8> = channels.map(|(a, b)| a.abs_diff(*b)).collect();
            let mean = off.iter().map(|off| f64::from(*off)).sum::<f64>() / off.len() as f64;
            off.sort_unstable();
            let most = off[off.len() * 99 / 100];
            // The edges of black and white cells have the largest contrast; a hundred robots in a crowd have the most edges.
            let has_floor = simulation.space().things.iter().any(|thing| thing.floor.is_some());
            let (mean_limit, limit) = if has_floor || simulation.count() >= 100 { (8.0, 72) } else { (6.0, 32) };
            assert!(mean <= mean_limit && most <= limit, "{name}, {theme:?}: {mean:.2} on average, {most} for 99 %");
            assert!(same > 0.9, "{name}, {theme:?}: {same:.3} of what is on the field, {} pixels", on_field.len());
        }
    }
}

#[test]
fn the_window_and_the_recorder_paint_the_same_density_field() {
    let recipe = Recipe::standard();
    let scene = reader::read(recipe.kinds(), "milling", shipped::get("milling").unwrap()).unwrap();
    let simulation = Simulation::with(&scene, &recipe, 1).unwrap();
    let mut view = View::fit(&scene, DVec2::new(SIZE[0] as f64, SIZE[1] as f64));
    view.overlays = Overlays::NONE.with(Overlay::Density).with(Overlay::Voronoi);
    let mut picture = simulation.picture(&view);
    picture.items.retain(|item| !matches!(item.shape, Shape::Text { .. }));
    let mut tessellator = Tessellator::default();
    let figures = tessellator.picture(&picture, &view.camera, Theme::Dark);
    let window = as_a_gpu_does(figures, view.camera.y_axis.up() as f32, Theme::Dark);
    let mut painter = Painter::new(SIZE[0] as u16, SIZE[1] as u16, Style::default());
    let recorder = pixels(painter.paint(&picture, &view.camera).rgba.as_chunks::<4>().0);
    let window = pixels(window.as_chunks::<3>().0);
    let off = window.iter().zip(&recorder).map(|(a, b)| f64::from(apart(a, b)));
    let mean = off.sum::<f64>() / recorder.len() as f64;
    assert!(mean <= 4.0, "{mean:.2}");
    let mut colors = recorder;
    colors.sort_unstable();
    colors.dedup();
    assert!(colors.len() > 50, "a field has many colours: {}", colors.len());
}
