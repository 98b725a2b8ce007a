//! Reads the pictures of floors.

use std::path::Path;

use swarmarium_base::files::{self, FileError, LookupError};
use swarmarium_core::object::floor::{FloorPicture, MAX_CELLS, encode};
use thiserror::Error;

use super::bitmap::{self, BitmapError, Pixels};

/// The reason why the picture of a floor cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PictureError {
    /// The path leads to no file in the folder of the scene.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The file cannot be read.
    #[error("`{file}`: {error}")]
    File {
        /// The name of the file.
        file: String,
        /// The reason.
        error: FileError,
    },
    /// The file is not a usable image.
    #[error("`{file}`: {error}")]
    Bitmap {
        /// The name of the file.
        file: String,
        /// The reason.
        error: BitmapError,
    },
    /// The image has too many pixels.
    #[error("`{file}`: has {pixels} pixels: at most {MAX_CELLS} fit on a floor")]
    TooManyPixels {
        /// The name of the file.
        file: String,
        /// Their number.
        pixels: usize,
    },
}

/// Reads the file of a picture, if it names one and has no pixels yet; the path of the file is relative to `folder`.
///
/// # Errors
/// If the file is not usable, with the reason.
pub fn read(picture: &mut FloorPicture, folder: &Path) -> Result<(), PictureError> {
    if !picture.pixels.is_empty() || picture.file.is_empty() {
        return Ok(());
    }
    let (path, file) = (files::within(folder, &picture.file)?, picture.file.clone());
    let bytes = files::read_at_most(&path, bitmap::MAX_BYTES);
    let bytes = bytes.map_err(|error| PictureError::File { file: file.clone(), error })?;
    let image = Pixels::read(&bytes).map_err(|error| PictureError::Bitmap { file: file.clone(), error })?;
    let pixels = image.width as usize * image.height as usize;
    if pixels > MAX_CELLS {
        return Err(PictureError::TooManyPixels { file, pixels });
    }
    picture.columns = image.width;
    picture.pixels = encode(image.colors());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use swarmarium_core::object::Object as _;
    use swarmarium_core::object::floor::decode;

    use super::*;

    #[test]
    fn pictures_are_read_from_the_lower_left_corner() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("floor.png"), swarmarium_testing::image(2, &[0, 255, 51, 51, 7, 8])).unwrap();
        let mut picture = FloorPicture { file: "floor.png".into(), ..FloorPicture::default() };
        read(&mut picture, folder.path()).unwrap();
        assert_eq!((picture.columns, picture.problem()), (2, None));
        let expected = vec![[7; 3], [8; 3], [51; 3], [51; 3], [0; 3], [255; 3]];
        assert_eq!(decode(&picture.pixels, MAX_CELLS), Some(expected));
    }

    #[test]
    fn problems_name_their_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.png"), "no image").unwrap();
        let problem = |file: &str| {
            let mut picture = FloorPicture { file: file.into(), ..FloorPicture::default() };
            read(&mut picture, folder.path()).unwrap_err().to_string()
        };
        assert!(problem("a.png").starts_with("`a.png`: cannot be read as a PNG image"), "{}", problem("a.png"));
        assert_eq!(problem("../b.png"), "`../b.png` is outside the folder of the scene");
    }
}
