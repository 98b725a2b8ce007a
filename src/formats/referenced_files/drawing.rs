//! Reads the drawings of objects and bodies: outlines of SVG drawings, and the pixels of images that block.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::files::{self, FileError, LookupError};
use swarmarium_core::agent::body::Body;
use swarmarium_core::object::drawing::{Drawing, TOLERANCE_M};
use swarmarium_space::polygon;
use swarmarium_svg::{DrawingError, only_outline, svg_text, usable};
use thiserror::Error;

use super::bitmap::{self, Bitmap, BitmapError, Shade};
use super::pgm;
use super::ros_map::{self, RosMap};

/// The reason why the drawing of an object or of a body cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DrawingFileError {
    /// The path leads to no file in the folder of the scene.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The file has no usable outlines.
    #[error("`{file}`: {error}")]
    Content {
        /// The name of the file.
        file: String,
        /// The reason.
        error: Box<OutlinesError>,
    },
}

/// The reason why a file has no usable outlines.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OutlinesError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The image cannot be used.
    #[error(transparent)]
    Bitmap(#[from] BitmapError),
    /// The drawing cannot be used.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// The ROS map cannot be used.
    #[error("{0}")]
    Map(String),
    /// No pixel of the image blocks.
    #[error("no pixel of the image blocks")]
    NothingDark,
    /// The drawing has no areas.
    #[error("the drawing has no outline: a filled shape or a closed line")]
    NoOutline,
}

/// The signature of PNG images.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Reads the file of an object, if it names one and was not read yet; the path of the file is relative to `folder`.
///
/// # Errors
/// If the file is not usable, with the reason and the place.
pub fn read_object(object: &mut Drawing, folder: &Path) -> Result<(), DrawingFileError> {
    read_object_by(object, folder, Shade::Brightness)
}

/// Reads the file of an object as [`read_object`] does, with a choice of the part of a pixel that decides.
///
/// # Errors
/// If the file is not usable, with the reason and the place.
pub fn read_object_by(object: &mut Drawing, folder: &Path, shade: Shade) -> Result<(), DrawingFileError> {
    if !object.is_read() && ros_map::has_ending(&object.file) {
        return read_map(object, folder);
    }
    if !object.is_read() {
        let path = files::within(folder, &object.file)?;
        let read = read_file(object, &path, shade);
        read.map_err(|error| DrawingFileError::Content { file: object.file.clone(), error: error.into() })?;
    }
    Ok(())
}

/// Reads a ROS map with its image. The map sets scale, place and thresholds; the position of the drawing shifts the map.
fn read_map(object: &mut Drawing, folder: &Path) -> Result<(), DrawingFileError> {
    let (path, file) = (files::within(folder, &object.file)?, object.file.clone());
    let content = |error: OutlinesError| DrawingFileError::Content { file: file.clone(), error: error.into() };
    let text = files::read_text_at_most(&path, ros_map::MAX_BYTES).map_err(|error| content(error.into()))?;
    let map = RosMap::read(&text).map_err(|notes| content(OutlinesError::Map(ros_map::joined(&notes))))?;
    let image = ros_map::image_path(path.parent().unwrap_or(folder), &map.image)?;
    map.apply(object);
    object.file = image.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let read = read_object(object, image.parent().unwrap_or(folder));
    object.file.clone_from(&file);
    // The message names the map, as the scene does.
    read.map_err(|error| match error {
        DrawingFileError::Content { error, .. } => content(*error),
        error => error,
    })
}

/// Reads the file of a body, if it names one and has no corners yet; the path of the file is relative to `folder`.
///
/// # Errors
/// If the file is not usable, with the reason and the place.
pub fn read_body(body: &mut Body, folder: &Path) -> Result<(), DrawingFileError> {
    let Body::Polygon { corners_m, file, .. } = body else { return Ok(()) };
    if !corners_m.is_empty() || file.is_empty() {
        return Ok(());
    }
    let outline = read_outline(&files::within(folder, file)?);
    let outline = outline.map_err(|error| DrawingFileError::Content { file: file.clone(), error: error.into() })?;
    // In drawings, y points down.
    *corners_m = outline.into_iter().map(|corner| DVec2::new(corner.x, -corner.y)).collect();
    Ok(())
}

/// Reads a drawing with one outline.
fn read_outline(path: &Path) -> Result<Vec<DVec2>, OutlinesError> {
    let text = svg_text(files::read_at_most(path, swarmarium_svg::MAX_BYTES)?)?;
    Ok(only_outline(&text, TOLERANCE_M)?)
}

/// Reads the pixels of an image for an object.
///
/// # Errors
/// When the image cannot be used.
pub fn read_image(object: &mut Drawing, bytes: &[u8], shade: Shade) -> Result<Bitmap, BitmapError> {
    let bitmap = Bitmap::read(bytes, shade, object.dark_below, object.light_blocks)?;
    object.page = DVec2::new(bitmap.width.into(), bitmap.height.into());
    object.pixels = if bitmap.dark.is_empty() { String::new() } else { bitmap.dark.text() };
    Ok(bitmap)
}

/// Reads the outlines of a drawing, or the pixels of an image.
fn read_file(object: &mut Drawing, path: &Path, shade: Shade) -> Result<(), OutlinesError> {
    let bytes = files::read_at_most(path, bitmap::MAX_BYTES)?;
    if bytes.starts_with(PNG) || pgm::is_pgm(&bytes) {
        return if read_image(object, &bytes, shade)?.dark.is_empty() {
            Err(OutlinesError::NothingDark)
        } else {
            Ok(())
        };
    }
    if bytes.len() as u64 > swarmarium_svg::MAX_BYTES {
        return Err(FileError::TooLarge { limit_bytes: swarmarium_svg::MAX_BYTES }.into());
    }
    let text = svg_text(bytes)?;
    let page_of = |drawing: &swarmarium_svg::Drawing| {
        let all: Vec<DVec2> = drawing.outlines().flat_map(|(_, outline)| outline.iter().copied()).collect();
        let (low, high) = polygon::bounds(&all);
        drawing.page.unwrap_or((low, high - low))
    };
    let mut drawing = swarmarium_svg::Drawing::read(&text, TOLERANCE_M / object.m_per_unit)?;
    let (mut low, mut size) = page_of(&drawing);
    // The size of a unit, and with it the tolerance, is known only now.
    if let Some(size_m) = object.size_m.filter(|_| size.cmpgt(DVec2::ZERO).all()) {
        drawing = swarmarium_svg::Drawing::read(&text, TOLERANCE_M / (size_m / size).max_element())?;
        (low, size) = page_of(&drawing);
    }
    let upright = |corner: &DVec2| DVec2::new(corner.x - low.x, low.y + size.y - corner.y);
    let outlines = drawing.outlines().map(|(shape, outline)| Ok(usable(shape, outline)?.iter().map(upright).collect()));
    let outlines: Vec<Vec<DVec2>> = outlines.collect::<Result<_, DrawingError>>()?;
    if outlines.is_empty() {
        return Err(OutlinesError::NoOutline);
    }
    if object.size_m.is_some() {
        object.page = size;
    }
    object.outlines = outlines;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use swarmarium_core::object::Object as _;
    use swarmarium_space::Form;

    use super::*;

    fn read(name: &str, content: impl AsRef<[u8]>) -> Result<Drawing, DrawingFileError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        let mut drawing = Drawing { file: name.into(), m_per_unit: 0.1, position_m: DVec2::ONE, ..Drawing::default() };
        read_object(&mut drawing, folder.path())?;
        Ok(drawing)
    }

    #[test]
    fn maps_of_ros_set_scale_place_and_thresholds() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("m.pgm"), b"P5\n# made by hand\n2 2\n255\n\x00\xff\xcd\x5a").unwrap();
        let read = |yaml: &str| {
            fs::write(folder.path().join("m.yaml"), yaml).unwrap();
            let mut drawing =
                Drawing { file: "m.yaml".into(), position_m: DVec2::new(10.0, 0.0), ..Drawing::default() };
            read_object(&mut drawing, folder.path()).map(|()| drawing)
        };
        let map = read("image: m.pgm\nresolution: 0.5\norigin: [1, 2, 0]\n").unwrap();
        assert_eq!((map.file.as_str(), map.m_per_unit, map.position_m), ("m.yaml", 0.5, DVec2::new(11.0, 2.0)));
        // Black is occupied; 205 is unknown, and 90 is just light enough.
        assert_eq!(map.figure().forms.len(), 1);
        assert_eq!(map.figure().center_m, DVec2::new(11.25, 2.75));
        let inverse = read("image: /home/x/m.pgm\nresolution: 0.5\norigin: [0, 0, 0]\nnegate: 1\n").unwrap();
        assert_eq!(inverse.figure().forms.len(), 2);
        let refused = read("image: m.pgm\nresolution: 0\norigin: [0, 0, 0]\n").unwrap_err().to_string();
        assert_eq!(refused, "`m.yaml`: `resolution`: expected metres above 0, at most 1000, found `0`");
        let missing = read("image: n.pgm\nresolution: 1\norigin: [0, 0, 0]\n").unwrap_err().to_string();
        assert_eq!(missing, "there is no file `n.pgm` in the folder of the scene");
    }

    #[test]
    fn a_drawing_stands_on_its_lower_left_corner() {
        let svg = "<svg viewBox='0 0 30 20'><rect x='10' y='5' width='10' height='5'/></svg>";
        let drawing = read("map.svg", svg).unwrap();
        let expected = [(10.0, 15.0), (20.0, 15.0), (20.0, 10.0), (10.0, 10.0)].map(DVec2::from).to_vec();
        assert_eq!(drawing.outlines, [expected]);
        assert_eq!(drawing.figure().center_m, DVec2::new(2.5, 2.25));
    }

    #[test]
    fn dark_pixels_are_obstacles() {
        let plain = b"P2 2 2 255 0 255 255 255";
        for drawing in [read("map.png", swarmarium_testing::image(2, &[0, 255, 255, 255])), read("map.pgm", plain)] {
            let figure = drawing.unwrap().figure();
            let expected = [(1.0, 1.1), (1.1, 1.1), (1.1, 1.2), (1.0, 1.2)].map(DVec2::from).to_vec();
            assert_eq!(figure.forms, [Form::Polygon(expected)]);
        }
    }

    #[test]
    fn a_drawing_is_stretched_to_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let svg = "<svg viewBox='0 0 30 20'><rect x='10' y='5' width='10' height='5'/></svg>";
        fs::write(folder.path().join("map.svg"), svg).unwrap();
        let size_m = Some(DVec2::new(3.0, 10.0));
        let mut drawing = Drawing { file: "map.svg".into(), size_m, ..Drawing::default() };
        read_object(&mut drawing, folder.path()).unwrap();
        assert_eq!(drawing.figure().forms[0].outline().bounds(), (DVec2::new(1.0, 5.0), DVec2::new(2.0, 7.5)));
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_file() {
        let read = |name: &str, content: &[u8]| read(name, content).unwrap_err().to_string();
        let mut outside = Drawing { file: "../a.svg".into(), ..Drawing::default() };
        let problems = [
            read("a.svg", b"<svg><path d='M0 0L1 1'/></svg>"),
            read("a.svg", b"<svg>\n<polygon points='0 0 1 1 1 0 0 1'/></svg>"),
            read("a.svg", b"\x1f\x8b"),
            read("a.png", &swarmarium_testing::image(1, &[255])),
            read("a.pgm", b"P5 2 2 255 "),
            read_object(&mut outside, Path::new(".")).unwrap_err().to_string(),
        ];
        insta::assert_snapshot!(problems.join("\n"), @r"
        `a.svg`: the drawing has no outline: a filled shape or a closed line
        `a.svg`: line 2: the outline of `<polygon>` crosses or touches itself
        `a.svg`: is a compressed drawing: unpack it first
        `a.png`: no pixel of the image blocks
        `a.pgm`: cannot be read as a PGM image: the image ends after 0 of 4 pixels
        `../a.svg` is outside the folder of the scene
        ");
    }
}
