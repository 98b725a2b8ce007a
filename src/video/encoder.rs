//! Encoders: the choice of a format by the name of a file.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use swarmarium_base::files::{cannot_write, shown};
use swarmarium_base::problem::{Problems, did_you_mean};

use super::format::{Format, Spec};
use super::{SIDES_PX, apng, ffmpeg, gif, mp4, png};

/// The program that encodes a video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoder {
    /// This program.
    #[default]
    Own,
    /// The program `ffmpeg`, which has to be installed.
    Ffmpeg,
}

/// The format that the name of a file selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mp4,
    Gif,
    Apng,
    Png,
    Ffmpeg,
}

impl Kind {
    fn from_path(path: &Path, encoder: Encoder) -> anyhow::Result<Self> {
        let name = shown(path);
        let is_folder = png::is_folder(path);
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match (encoder, extension.as_deref()) {
            (Encoder::Ffmpeg, Some(extension)) if !is_folder => {
                // ffmpeg would write several files with numbered names, which this program could not list.
                ensure!(
                    extension != "png" && !name.contains('%'),
                    "{name}: one file is expected from ffmpeg; without `--encoder ffmpeg` there can be PNG files"
                );
                Ok(Self::Ffmpeg)
            }
            (Encoder::Ffmpeg, _) => bail!("{name}: ffmpeg tells formats by the ending of the name: it has none"),
            _ if is_folder => Ok(Self::Png),
            (Encoder::Own, None) => bail!(
                "{name}: expected a name that ends in .mp4, .gif, .apng or .png, or in / for a folder of PNG files"
            ),
            (Encoder::Own, Some("mp4" | "m4v")) => Ok(Self::Mp4),
            (Encoder::Own, Some("gif")) => Ok(Self::Gif),
            (Encoder::Own, Some("apng")) => Ok(Self::Apng),
            (Encoder::Own, Some("png")) => Ok(Self::Png),
            (Encoder::Own, Some(other)) => {
                let hint = did_you_mean(other, ["mp4", "gif", "apng", "png"]);
                bail!("{name}: cannot write .{other}{hint}: expected .mp4, .gif, .apng or .png, or --encoder ffmpeg")
            }
        }
    }
}

/// A spec that the format of a file supports: H.264 has even sizes only, so that odd ones grow by a pixel.
#[must_use]
pub fn fitted(path: &Path, encoder: Encoder, spec: Spec) -> Spec {
    let even = |side: u32| side.next_multiple_of(2);
    match Kind::from_path(path, encoder) {
        Ok(Kind::Mp4 | Kind::Ffmpeg) => Spec { width: even(spec.width), height: even(spec.height), ..spec },
        _ => spec,
    }
}

/// Opens a video in the format that the name of its file selects.
///
/// # Errors
/// When the format does not support the spec, or the file cannot be written, as far as this is known before the first frame.
pub fn create(path: &Path, encoder: Encoder, spec: &Spec) -> Result<Box<dyn Format>, Problems> {
    Ok(open(path, encoder, spec)?)
}

fn open(path: &Path, encoder: Encoder, spec: &Spec) -> anyhow::Result<Box<dyn Format>> {
    let kind = Kind::from_path(path, encoder)?;
    let name = shown(path);
    let sides = [spec.width, spec.height];
    let [least, most] = [SIDES_PX.start(), SIDES_PX.end()];
    ensure!(
        sides.iter().all(|side| SIDES_PX.contains(side)),
        "{name}: {}x{} pixels: expected {least} to {most} for both sides",
        spec.width,
        spec.height
    );
    ensure!(
        !spec.style.transparent || matches!(kind, Kind::Apng | Kind::Png),
        "{name}: only .apng and .png can be transparent"
    );
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    ensure!(folder.is_dir() || kind == Kind::Png, "{}: there is no folder {}", cannot_write(path), shown(folder));
    Ok(match kind {
        Kind::Mp4 => Box::new(mp4::Mp4::create(path, spec)?),
        Kind::Gif => Box::new(gif::Gif::create(path, spec)?),
        Kind::Apng => Box::new(apng::Apng::create(path, spec)?),
        Kind::Png => Box::new(png::Sequence::create(path, spec)?),
        Kind::Ffmpeg => Box::new(ffmpeg::Ffmpeg::create(path, spec)?),
    })
}

/// The first file that a video would replace.
pub fn existing_file(path: &Path) -> Option<PathBuf> {
    let exists = !png::is_folder(path) && path.symlink_metadata().is_ok();
    if exists { Some(path.to_path_buf()) } else { png::existing_file(path) }
}

/// A fixture for the tests of formats: a moving square, painted without a painter.
#[cfg(test)]
pub(super) mod fixture {
    use super::super::painter::{Frame, Style};
    use super::super::rate::Rate;
    use swarmarium_picture::palette::{GroupColors, Role, Theme};

    use super::*;

    pub fn spec(width: u32, height: u32) -> Spec {
        let (theme, groups) = (Theme::Dark, GroupColors::OkabeIto);
        let style = Style { theme, groups, transparent: false, scale: 1.0 };
        Spec { width, height, rate: Rate::new(30, 1).unwrap(), style, frames: None }
    }

    /// A square that goes right by three pixels a frame.
    pub fn pixels(spec: &Spec, number: u64) -> Vec<u8> {
        let Spec { width, height, style, .. } = *spec;
        let place = |index: u32| (index % width, index / width);
        let is_square =
            |(x, y): (u32, u32)| x >= 3 * number as u32 && x < 3 * number as u32 + 10 && (5..15).contains(&y);
        let pixel = |index| {
            let role = if is_square(place(index)) { Role::Group(0) } else { Role::Arena };
            let [red, green, blue] = style.theme.rgb(role);
            [red, green, blue, 255]
        };
        (0..width * height).flat_map(pixel).collect()
    }

    /// Compresses and writes frames, segment by segment, each with a compressor of its own.
    pub fn record(mut format: Box<dyn Format>, spec: &Spec, frames: u64) {
        fn frame<'a>(spec: &Spec, rgba: &'a [u8]) -> Frame<'a> {
            Frame { width: spec.width, height: spec.height, rgba }
        }
        let numbers: Vec<u64> = (0..frames).collect();
        for segment in numbers.chunks(format.segment_length()) {
            let mut compressor = format.compressor();
            let before = segment[0].checked_sub(1).map(|number| pixels(spec, number));
            compressor.begin(before.as_deref().map(|rgba| frame(spec, rgba))).unwrap();
            let mut packet = |number: &u64| compressor.frame(*number, frame(spec, &pixels(spec, *number))).unwrap();
            format.write(segment.iter().map(&mut packet).collect()).unwrap();
        }
        format.finish().unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::super::painter::Style;
    use super::super::rate::Rate;
    use super::*;

    fn refused(name: &str, spec: Spec) -> String {
        let place = tempfile::tempdir().unwrap();
        let refused = create(&place.path().join(name), Encoder::Own, &spec).err();
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "{name} left something behind");
        refused.map(|error| format!("{error:#}")).unwrap_or_default()
    }

    #[test]
    fn unsupported_specs_are_refused_at_once() {
        let spec = fixture::spec(64, 48);
        assert!(refused("a.mpp4", spec).contains("did you mean `mp4`"));
        assert!(refused("a", spec).contains("expected a name that ends in"));
        assert!(refused("none/a.mp4", spec).contains("there is no folder"));
        assert!(refused("a.mp4", Spec { width: 100_000, ..spec }).contains("expected 16 to 8192"));
        assert!(refused("a.gif", Spec { height: 0, ..spec }).contains("64x0 pixels"));
        assert!(refused("a.mp4", Spec { width: 4096, height: 4096, ..spec }).contains("3840x2160"));
        assert!(refused("a.gif", Spec { rate: Rate::new(60, 1).unwrap(), ..spec }).contains("50 frames per second"));
        let transparent = Spec { style: Style { transparent: true, ..spec.style }, ..spec };
        assert!(refused("a.mp4", transparent).contains("transparent"));
    }

    #[test]
    fn encoder_makes_odd_sizes_even_where_needed() {
        let spec = fixture::spec(641, 359);
        let size = |name: &str| {
            let Spec { width, height, .. } = fitted(Path::new(name), Encoder::Own, spec);
            (width, height)
        };
        assert_eq!(size("a.mp4"), (642, 360));
        assert_eq!(size("a.gif"), (641, 359));
    }
}
