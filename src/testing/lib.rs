//! Help for the tests of several crates: recorded facts, files of the project, small images.
#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected fails")]

use std::path::{Path, PathBuf};

/// The path of a file, from the root of the project.
pub fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A JSON file of recorded facts, by its path in `tests/data`.
pub fn facts(path: &str) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(file("tests/data").join(path)).unwrap()).unwrap()
}

/// A PNG image of grey pixels.
pub fn image(width: u32, gray: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, gray.len() as u32 / width);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(gray).unwrap();
    bytes
}
