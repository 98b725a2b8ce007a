//! GIF with one palette: the colours of the theme and their blends, so that no colour flickers.
//!
//! Each frame is the rectangle that has changed, with transparent pixels where nothing changed.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, ensure};
use gif::{DisposalMethod, Encoder, Repeat};
use swarmarium_base::files::shown;
use swarmarium_picture::palette::Role;

use super::changed::Area;
use super::format::{Compress, Format, Spec};
use super::growing::GrowingFile;
use super::painter::{Frame, Style};
use super::rate::Rate;

/// The shortest duration of a frame, in hundredths of a second. Viewers show shorter frames for a tenth of a second.
const SHORTEST: u32 = 2;
/// The end of a file.
const TRAILER: &[u8] = b"\x3B";
/// The index in the palette that stands for no change.
const UNCHANGED: u8 = 0;

/// The format.
pub struct Gif {
    file: GrowingFile,
    width: u16,
    height: u16,
    rate: Rate,
    palette: Palette,
    frames: u64,
}

impl Gif {
    /// Opens a file.
    ///
    /// # Errors
    /// When GIF does not support the spec, or the file cannot be written.
    pub fn create(path: &Path, spec: &Spec) -> anyhow::Result<Self> {
        let name = shown(path);
        let is_slow_enough = spec.rate.frames() * SHORTEST <= 100 * spec.rate.seconds();
        ensure!(is_slow_enough, "{name}: {} frames per second: GIF has at most 50 frames per second", spec.rate);
        let (width, height) = (spec.width as u16, spec.height as u16);
        let palette = Palette::from_style(&spec.style);
        let mut encoder = Encoder::new(Vec::new(), width, height, palette.colors.as_flattened())?;
        encoder.set_repeat(Repeat::Infinite)?;
        let head = without_trailer(encoder)?;
        Ok(Self {
            file: GrowingFile::create(path, &head, TRAILER)?,
            width,
            height,
            rate: spec.rate,
            palette,
            frames: 0,
        })
    }
}

fn without_trailer(encoder: Encoder<Vec<u8>>) -> anyhow::Result<Vec<u8>> {
    let mut bytes = encoder.into_inner()?;
    ensure!(bytes.pop() == TRAILER.first().copied(), "a GIF without its end");
    Ok(bytes)
}

impl Format for Gif {
    fn segment_length(&self) -> usize {
        15
    }

    fn compressor(&self) -> Box<dyn Compress> {
        let Self { width, height, rate, .. } = *self;
        let (palette, before, now) = (self.palette.clone(), None, Vec::new());
        Box::new(Indexed { width, height, rate, palette, before, now })
    }

    fn write(&mut self, packets: Vec<Vec<u8>>) -> anyhow::Result<()> {
        // Either all frames are written or none, so that their number is known.
        self.file.append(&packets.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        self.frames += packets.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> anyhow::Result<()> {
        match self.frames {
            0 => {
                self.file.discard();
                Ok(())
            }
            _ => self.file.finish(),
        }
    }
}

/// The compressor: frames as indices into the palette.
struct Indexed {
    width: u16,
    height: u16,
    rate: Rate,
    palette: Palette,
    before: Option<Vec<u8>>,
    now: Vec<u8>,
}

impl Compress for Indexed {
    fn compares(&self) -> bool {
        true
    }

    fn begin(&mut self, before: Option<Frame>) -> anyhow::Result<()> {
        self.before = before.map(|frame| self.palette.indices(frame.rgba, Vec::new()));
        Ok(())
    }

    fn frame(&mut self, number: u64, frame: Frame) -> anyhow::Result<Vec<u8>> {
        self.now = self.palette.indices(frame.rgba, std::mem::take(&mut self.now));
        let width = usize::from(self.width);
        let (area, buffer) = match &self.before {
            None => (Area::whole(width, usize::from(self.height)), self.now.clone()),
            Some(before) => {
                let area = Area::of_changes(before, &self.now, width);
                let pairs = area.rows(before, width).zip(area.rows(&self.now, width));
                let pixel = |(before, now): (&u8, &u8)| if before == now { UNCHANGED } else { *now };
                (area, pairs.flat_map(|(before, now)| before.iter().zip(now).map(pixel)).collect())
            }
        };
        let delay = self.rate.centiseconds(number + 1) - self.rate.centiseconds(number);
        let image = gif::Frame {
            delay: u16::try_from(delay).unwrap_or(u16::MAX),
            dispose: DisposalMethod::Keep,
            transparent: self.before.is_some().then_some(UNCHANGED),
            left: area.left as u16,
            top: area.top as u16,
            width: area.width as u16,
            height: area.height as u16,
            buffer: buffer.into(),
            ..gif::Frame::default()
        };
        // The output of the encoder begins with the head of a file, which is cut off.
        let colors = self.palette.colors.as_flattened();
        let start = without_trailer(Encoder::new(Vec::new(), self.width, self.height, colors)?)?.len();
        let mut encoder = Encoder::new(Vec::new(), self.width, self.height, colors)?;
        encoder.write_frame(&image).context("GIF")?;
        let packet = without_trailer(encoder)?.split_off(start);
        let spare = self.before.replace(std::mem::take(&mut self.now));
        self.now = spare.unwrap_or_default();
        Ok(packet)
    }
}

/// At most 256 colours.
#[derive(Clone)]
struct Palette {
    colors: Vec<[u8; 3]>,
    /// The nearest index of recent colours.
    known: HashMap<[u8; 3], u8>,
}

impl Palette {
    /// The largest number of remembered colours.
    const MAX_KNOWN: usize = 1 << 16;

    /// The colours of a style and their blends with floor and ground; then evenly spaced colours, for groups and objects
    /// with a colour of their own.
    fn from_style(style: &Style) -> Self {
        // The first index stands for no change.
        let mut colors = vec![[0, 0, 0], style.rgb(Role::Ground), style.rgb(Role::Arena)];
        let mut add = |color| {
            if colors.len() < 256 && !colors[1..].contains(&color) {
                colors.push(color);
            }
        };
        let roles = [
            Role::Grid,
            Role::Wall,
            Role::Obstacle,
            Role::Text,
            Role::Dim,
            Role::Clear,
            Role::Accent,
            Role::Detecting,
            Role::Occupied,
            Role::Light,
        ];
        let roles: Vec<Role> = roles.into_iter().chain((0..7).map(Role::Group)).collect();
        roles.iter().for_each(|role| add(style.rgb(*role)));
        for (under, shades) in [(Role::Arena, 8), (Role::Ground, 3)] {
            for shade in 1..shades {
                roles.iter().for_each(|role| add(blend(style.rgb(under), style.rgb(*role), shade, shades)));
            }
        }
        let levels = |count: u32| (0..count).map(move |level| (level * 255 / (count - 1)) as u8);
        for red in levels(4) {
            for green in levels(5) {
                levels(4).for_each(|blue| add([red, green, blue]));
            }
        }
        Self { colors, known: HashMap::new() }
    }

    /// The index of every pixel, in a buffer.
    fn indices(&mut self, rgba: &[u8], mut indices: Vec<u8>) -> Vec<u8> {
        indices.clear();
        let mut last = ([0; 3], self.index([0; 3]));
        indices.extend(rgba.as_chunks::<4>().0.iter().map(|[red, green, blue, _]| {
            let color = [*red, *green, *blue];
            // Neighbouring pixels mostly share their colour.
            if color != last.0 {
                last = (color, self.index(color));
            }
            last.1
        }));
        indices
    }

    fn index(&mut self, color: [u8; 3]) -> u8 {
        if let Some(index) = self.known.get(&color) {
            return *index;
        }
        let distance = |other: &[u8; 3]| {
            let off = |channel: usize| i32::from(color[channel]) - i32::from(other[channel]);
            (0..3).map(|channel| off(channel) * off(channel)).sum::<i32>()
        };
        let all = self.colors.iter().enumerate().skip(usize::from(UNCHANGED) + 1);
        let index = all.min_by_key(|(_, other)| distance(other)).map_or(0, |(index, _)| index as u8);
        if self.known.len() < Self::MAX_KNOWN {
            self.known.insert(color, index);
        }
        index
    }
}

fn blend(under: [u8; 3], over: [u8; 3], part: u32, of: u32) -> [u8; 3] {
    let mix =
        |channel: usize| (u32::from(under[channel]) * (of - part) + u32::from(over[channel]) * part + of / 2) / of;
    [mix(0) as u8, mix(1) as u8, mix(2) as u8]
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use gif::{ColorOutput, DecodeOptions};
    use swarmarium_picture::palette::Theme;

    use super::super::encoder::fixture::{pixels, record, spec};
    use super::*;

    #[test]
    fn a_gif_has_all_frames_and_the_right_duration() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.gif");
        let spec = spec(161, 63);
        record(Box::new(Gif::create(&path, &spec).unwrap()), &spec, 40);
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::RGBA);
        let mut reader = options.read_info(File::open(&path).unwrap()).unwrap();
        assert_eq!((reader.width(), reader.height()), (161, 63));
        let (mut canvas, mut frames, mut delays) = (vec![0; 161 * 63 * 4], 0, 0);
        while let Some(frame) = reader.read_next_frame().unwrap() {
            for (row, line) in frame.buffer.chunks_exact(usize::from(frame.width) * 4).enumerate() {
                let at = ((row + usize::from(frame.top)) * 161 + usize::from(frame.left)) * 4;
                for (pixel, new) in canvas[at..].as_chunks_mut::<4>().0.iter_mut().zip(line.as_chunks::<4>().0) {
                    if new[3] > 0 {
                        *pixel = *new;
                    }
                }
            }
            // All colours of the square and of the floor are in the palette.
            assert!(canvas == pixels(&spec, frames), "frame {frames}");
            (frames, delays) = (frames + 1, delays + u64::from(frame.delay));
        }
        assert_eq!(frames, 40);
        assert_eq!(delays, 133);
    }

    #[test]
    fn the_gif_palette_is_near_the_painted_colors() {
        for theme in [Theme::Dark, Theme::Light] {
            let mut palette = Palette::from_style(&Style { theme, ..spec(64, 64).style });
            assert!(palette.colors.len() <= 256);
            for role in [Role::Group(0), Role::Group(6), Role::Detecting, Role::Wall] {
                for shade in 0..=20 {
                    let color = blend(theme.rgb(Role::Arena), theme.rgb(role), shade, 20);
                    let index = palette.index(color);
                    let found = palette.colors[usize::from(index)];
                    let off = (0..3).map(|channel| found[channel].abs_diff(color[channel])).max().unwrap();
                    assert!(off <= 16, "{theme:?} {role:?} {color:?} {found:?}");
                }
            }
        }
    }
}
