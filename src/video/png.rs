//! PNG files, one for each frame, lossless and optionally transparent.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use png::{BitDepth, ColorType, Compression, Filter, PixelDimensions, Unit};
use swarmarium_base::files::{Draft, cannot_write, shown, write_whole};
use swarmarium_base::problem::Problems;
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;

use super::format::{Compress, Format, Spec};
use super::painter::{Frame, Painter, Style};

/// The default number of digits in the numbers of frames.
const DIGITS: usize = 5;

/// Encodes a picture as a PNG file.
///
/// # Errors
/// When the picture has no size.
pub fn encode(width: u32, height: u32, rgba: &[u8], transparent: bool) -> anyhow::Result<Vec<u8>> {
    encode_with(width, height, rgba, transparent, None)
}

/// Encodes an opaque picture as a PNG file that names its resolution, so that it has its size on paper.
///
/// # Errors
/// When the picture has no size.
pub fn encode_for_print(width: u32, height: u32, rgba: &[u8], dots_per_inch: f64) -> anyhow::Result<Vec<u8>> {
    let dots_per_m = (dots_per_inch / 0.0254).round() as u32;
    let dims = PixelDimensions { xppu: dots_per_m, yppu: dots_per_m, unit: Unit::Meter };
    encode_with(width, height, rgba, false, Some(dims))
}

/// Paints a picture as a camera sees it, and encodes it as a PNG file of this width and height in pixels.
///
/// # Errors
/// When the encoder fails.
pub fn of_picture(
    picture: &Picture,
    camera: &Camera,
    [width, height]: [u16; 2],
    style: Style,
) -> Result<Vec<u8>, Problems> {
    let transparent = style.transparent;
    let mut painter = Painter::new(width, height, style);
    let frame = painter.paint(picture, camera);
    Ok(encode(frame.width, frame.height, frame.rgba, transparent)?)
}

fn encode_with(
    width: u32,
    height: u32,
    rgba: &[u8],
    transparent: bool,
    dims: Option<PixelDimensions>,
) -> anyhow::Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_pixel_dims(dims);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    // Flat colours compress best without a filter.
    encoder.set_filter(Filter::NoFilter);
    encoder.set_color(if transparent { ColorType::Rgba } else { ColorType::Rgb });
    let mut writer = encoder.write_header().context("PNG")?;
    match transparent {
        true => writer.write_image_data(rgba),
        false => {
            let rgb: Vec<u8> = rgba.as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect();
            writer.write_image_data(&rgb)
        }
    }
    .context("PNG")?;
    writer.finish().context("PNG")?;
    Ok(file)
}

/// The names of files by number: a pattern such as `%05d` in a name, a folder, or one name for one picture.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Names {
    One(PathBuf),
    Numbered { folder: PathBuf, before: String, digits: usize, after: String },
}

/// Whether a path is a folder that exists, or the name of one.
pub(super) fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

impl Names {
    fn from_path(path: &Path) -> Self {
        let numbered = |folder: &Path, before: &str, digits, after: &str| {
            let (before, after) = (before.to_owned(), after.to_owned());
            Self::Numbered { folder: folder.into(), before, digits, after }
        };
        if path.extension().is_none() || is_folder(path) {
            return numbered(path, "frame_", DIGITS, ".png");
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        let pattern = name.split_once('%').and_then(|(before, rest)| {
            let (digits, after) = rest.split_once('d')?;
            let digits = if digits.is_empty() { 1 } else { digits.trim_start_matches('0').parse().ok()? };
            Some(numbered(folder, before, usize::min(digits, 20), after))
        });
        pattern.unwrap_or_else(|| Self::One(path.into()))
    }

    fn file(&self, number: u64) -> PathBuf {
        match self {
            Self::One(path) => path.clone(),
            Self::Numbered { folder, before, digits, after } => {
                folder.join(format!("{before}{number:0digits$}{after}"))
            }
        }
    }

    /// The existing files with these names, by number.
    fn existing(&self) -> Vec<(u64, PathBuf)> {
        let Self::Numbered { before, after, .. } = self else {
            let path = self.file(0);
            return path.symlink_metadata().map(|_| (0, path)).into_iter().collect();
        };
        let number = |name: &str| name.strip_prefix(before)?.strip_suffix(after)?.parse().ok();
        let files = self.folder().unwrap_or(Path::new(".")).read_dir().into_iter().flatten().flatten();
        let numbers = files.filter_map(|file| number(file.file_name().to_str()?));
        let mut existing: Vec<_> = numbers.map(|number| (number, self.file(number))).collect();
        existing.retain(|(_, path)| path.symlink_metadata().is_ok());
        existing.sort_unstable();
        existing
    }

    /// The file whose draft locks all names while files are written: the only file, or one without a number.
    fn lock_file(&self) -> PathBuf {
        match self {
            Self::One(path) => path.clone(),
            Self::Numbered { folder, before, after, .. } => folder.join(format!("{before}{after}")),
        }
    }

    fn folder(&self) -> Option<&Path> {
        match self {
            Self::One(_) => None,
            Self::Numbered { folder, .. } => {
                Some(folder).filter(|folder| !folder.as_os_str().is_empty()).map(|f| f.as_path())
            }
        }
    }
}

/// The first existing file, if the path selects PNG files.
pub(super) fn existing_file(path: &Path) -> Option<PathBuf> {
    let selects_png = is_folder(path) || path.extension().is_none_or(|extension| extension.eq_ignore_ascii_case("png"));
    let existing = if selects_png { Names::from_path(path).existing() } else { Vec::new() };
    existing.into_iter().next().map(|(_, path)| path)
}

/// The format.
pub struct Sequence {
    names: Names,
    transparent: bool,
    frames: u64,
    /// Keeps other processes from writing files of the same names; empty.
    draft: Option<Draft>,
}

impl Sequence {
    /// Opens a sequence and makes its folder.
    ///
    /// # Errors
    /// When several frames have one name, the folder cannot be written, or another process writes the same files.
    pub fn create(path: &Path, spec: &Spec) -> anyhow::Result<Self> {
        let (names, name) = (Names::from_path(path), shown(path));
        ensure!(
            matches!(names, Names::One(_)) || path.to_str().is_some(),
            "{name}: expected a name in UTF-8 for a sequence of files"
        );
        ensure!(
            spec.frames == Some(1) || !matches!(names, Names::One(_)),
            "{name}: names one picture: add `--frames 1`, or name a folder or {}",
            shown(path.with_file_name(format!("{}-%05d.png", path.file_stem().unwrap_or_default().display())))
        );
        if let Some(folder) = names.folder() {
            std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", shown(folder)))?;
        }
        let draft = Draft::begin(&names.lock_file()).with_context(|| cannot_write(path))?;
        Ok(Self { names, transparent: spec.style.transparent, frames: 0, draft: Some(draft) })
    }
}

impl Format for Sequence {
    fn segment_length(&self) -> usize {
        1
    }

    fn compressor(&self) -> Box<dyn Compress> {
        Box::new(Whole { transparent: self.transparent })
    }

    fn write(&mut self, packets: Vec<Vec<u8>>) -> anyhow::Result<()> {
        for packet in packets {
            let file = self.names.file(self.frames);
            match (&self.names, self.draft.take()) {
                (Names::One(_), Some(draft)) => draft.complete(&packet)?,
                (_, draft) => {
                    self.draft = draft;
                    write_whole(&file, packet)?;
                }
            }
            self.frames += 1;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> anyhow::Result<()> {
        // The remaining files of a longer sequence would look like the end of this one.
        let stale = self.names.existing().into_iter().filter(|(number, _)| *number >= self.frames && self.frames > 0);
        for (_, path) in stale {
            std::fs::remove_file(&path).with_context(|| format!("{}: cannot be removed", shown(&path)))?;
        }
        Ok(())
    }
}

/// The compressor: each frame as a file.
struct Whole {
    transparent: bool,
}

impl Compress for Whole {
    fn begin(&mut self, _: Option<Frame>) -> anyhow::Result<()> {
        Ok(())
    }

    fn frame(&mut self, _: u64, frame: Frame) -> anyhow::Result<Vec<u8>> {
        encode(frame.width, frame.height, frame.rgba, self.transparent)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::BufReader;

    use super::super::encoder::fixture::{pixels, record, spec};
    use super::*;

    #[test]
    fn png_frames_are_numbered_files_without_loss() {
        let place = tempfile::tempdir().unwrap();
        let spec = spec(65, 33);
        for (name, file) in [("folder", "folder/frame_00002.png"), ("a_%03d.png", "a_002.png")] {
            let path = place.path().join(name);
            record(Box::new(Sequence::create(&path, &spec).unwrap()), &spec, 3);
            let file = BufReader::new(File::open(place.path().join(file)).unwrap());
            let mut reader = png::Decoder::new(file).read_info().unwrap();
            let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut rgb).unwrap();
            assert_eq!((info.width, info.height), (65, 33));
            let expected: Vec<u8> =
                pixels(&spec, 2).as_chunks::<4>().0.iter().flat_map(|pixel| pixel[..3].to_vec()).collect();
            assert!(rgb == expected, "{name}");
        }
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 4);
    }

    #[test]
    fn an_existing_sequence_is_found_and_replaced_as_a_whole() {
        let place = tempfile::tempdir().unwrap();
        let (path, spec) = (place.path().join("a_%02d.png"), spec(16, 16));
        for name in ["a_01.png", "a_7.png", "a_x.png", "b_01.png"] {
            std::fs::write(place.path().join(name), "mine").unwrap();
        }
        assert_eq!(existing_file(&path), Some(place.path().join("a_01.png")));
        assert_eq!(existing_file(&place.path().join("a_%03d.png")), None);
        record(Box::new(Sequence::create(&path, &spec).unwrap()), &spec, 4);
        record(Box::new(Sequence::create(&path, &spec).unwrap()), &spec, 2);
        let names = std::fs::read_dir(place.path()).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["a_00.png", "a_01.png", "a_7.png", "a_x.png", "b_01.png"]);
    }

    #[test]
    fn a_png_sequence_folder_may_have_a_dot_in_its_name() {
        let place = tempfile::tempdir().unwrap();
        let (path, spec) = (place.path().join("run.2026-01-01/"), spec(16, 16));
        record(Box::new(Sequence::create(&path, &spec).unwrap()), &spec, 2);
        assert!(path.join("frame_00001.png").exists());
    }

    #[test]
    fn a_png_name_without_a_pattern_is_for_one_picture() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.png");
        let refused = Sequence::create(&path, &spec(64, 64)).err().unwrap();
        assert!(refused.to_string().contains("%05d"));
        let one = Spec { frames: Some(1), ..spec(64, 64) };
        record(Box::new(Sequence::create(&path, &one).unwrap()), &one, 1);
        assert!(path.exists());
    }
}
