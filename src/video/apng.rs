//! APNG: an animated PNG, lossless and optionally transparent (PNG, third edition).
//!
//! The number of frames at the start of the file is updated after every segment.

use std::path::Path;

use anyhow::Context as _;

use super::changed::Area;
use super::format::{Compress, Format, Spec};
use super::growing::GrowingFile;
use super::painter::Frame;
use super::png;
use super::rate::Rate;

/// The beginning and the end of a file.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1A\n";
const END: &[u8] = b"\0\0\0\0IEND\xAE\x42\x60\x82";
/// The position of the number of frames: after the signature and the size of the picture.
const FRAMES_AT: u64 = 8 + 25;

/// The format.
pub struct Apng {
    file: GrowingFile,
    spec: Spec,
    frames: u32,
}

impl Apng {
    /// Opens a file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &Path, spec: &Spec) -> anyhow::Result<Self> {
        let color = if spec.style.transparent { 6 } else { 2 };
        let size = [spec.width.to_be_bytes(), spec.height.to_be_bytes()].concat();
        let head = [SIGNATURE, &chunk(b"IHDR", &[&size, &[8, color, 0, 0, 0]]), &animation_control(0)].concat();
        Ok(Self { file: GrowingFile::create(path, &head, END)?, spec: *spec, frames: 0 })
    }
}

/// The chunk with the number of frames, which repeat for ever.
fn animation_control(frames: u32) -> Vec<u8> {
    chunk(b"acTL", &[&frames.to_be_bytes(), &[0; 4]])
}

fn chunk(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let mut sum = crc32fast::Hasher::new();
    sum.update(kind);
    sum.update(&content);
    [&(content.len() as u32).to_be_bytes()[..], kind, &content, &sum.finalize().to_be_bytes()].concat()
}

impl Format for Apng {
    fn segment_length(&self) -> usize {
        15
    }

    fn compressor(&self) -> Box<dyn Compress> {
        Box::new(Differences { rate: self.spec.rate, transparent: self.spec.style.transparent, before: None })
    }

    fn write(&mut self, packets: Vec<Vec<u8>>) -> anyhow::Result<()> {
        self.file.append(&packets.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        self.frames += packets.len() as u32;
        self.file.patch(FRAMES_AT, &animation_control(self.frames))
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

/// The compressor: the rectangle that has changed.
struct Differences {
    rate: Rate,
    transparent: bool,
    before: Option<Vec<[u8; 4]>>,
}

impl Compress for Differences {
    fn compares(&self) -> bool {
        true
    }

    fn begin(&mut self, before: Option<Frame>) -> anyhow::Result<()> {
        self.before = before.map(|frame| frame.rgba.as_chunks().0.to_vec());
        Ok(())
    }

    fn frame(&mut self, number: u64, frame: Frame) -> anyhow::Result<Vec<u8>> {
        let (width, height) = (frame.width as usize, frame.height as usize);
        let now: &[[u8; 4]] = frame.rgba.as_chunks().0;
        let area = match &self.before {
            Some(before) => Area::of_changes(before, now, width),
            None => Area::whole(width, height),
        };
        let part: Vec<[u8; 4]> = area.rows(now, width).flatten().copied().collect();
        let part = png::encode(area.width as u32, area.height as u32, part.as_flattened(), self.transparent)?;
        let data = image_data(&part).context("a PNG without pixels")?;
        self.before = Some(now.to_vec());
        // The first frame has one chunk with a sequence number, every other has two.
        let sequence = u32::try_from(number * 2).context("too many frames for an APNG")?.saturating_sub(1);
        let words = [sequence, area.width as u32, area.height as u32, area.left as u32, area.top as u32];
        let words: Vec<u8> = words.into_iter().flat_map(u32::to_be_bytes).collect();
        // A rate fits into 16 bits.
        let delay = [self.rate.seconds() as u16, self.rate.frames() as u16].map(u16::to_be_bytes);
        // Frames stay and replace the pixels below them.
        let control = chunk(b"fcTL", &[&words, delay.as_flattened(), &[0, 0]]);
        let image = match number {
            0 => chunk(b"IDAT", &[&data]),
            _ => chunk(b"fdAT", &[&(sequence + 1).to_be_bytes(), &data]),
        };
        Ok([control, image].concat())
    }
}

/// The compressed pixels of a PNG file.
fn image_data(file: &[u8]) -> Option<Vec<u8>> {
    let (mut data, mut rest) = (Vec::new(), file.get(SIGNATURE.len()..)?);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        if after.starts_with(b"IDAT") {
            data.extend(after.get(4..4 + length)?);
        }
        rest = after.get(length + 8..)?;
    }
    (!data.is_empty()).then_some(data)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::BufReader;

    use swarmarium_base::files::partial;

    use super::super::encoder::fixture::{pixels, record, spec};
    use super::*;

    fn frames_of(path: &Path) -> u32 {
        let reader = ::png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
        reader.info().animation_control().unwrap().num_frames
    }

    #[test]
    fn an_apng_has_all_frames_without_loss() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.apng");
        let spec = spec(161, 63);
        record(Box::new(Apng::create(&path, &spec).unwrap()), &spec, 20);
        assert_eq!(frames_of(&path), 20);
        let mut reader = ::png::Decoder::new(BufReader::new(File::open(&path).unwrap())).read_info().unwrap();
        let mut canvas = vec![0; 161 * 63 * 3];
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        for number in 0..20 {
            let info = reader.next_frame(&mut buffer).unwrap();
            let control = *reader.info().frame_control().unwrap();
            assert_eq!(control.delay_num, 1);
            assert_eq!(control.delay_den, 30);
            let line = info.width as usize * 3;
            for row in 0..info.height as usize {
                let at = ((row + control.y_offset as usize) * 161 + control.x_offset as usize) * 3;
                canvas[at..at + line].copy_from_slice(&buffer[row * line..(row + 1) * line]);
            }
            let expected: Vec<u8> =
                pixels(&spec, number).as_chunks::<4>().0.iter().flat_map(|p| p[..3].to_vec()).collect();
            assert!(canvas == expected, "frame {number}");
        }
    }

    #[test]
    fn an_apng_has_its_number_of_frames_during_the_recording() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.apng");
        let spec = spec(64, 64);
        let mut format = Apng::create(&path, &spec).unwrap();
        let mut compressor = format.compressor();
        compressor.begin(None).unwrap();
        for number in 0..3 {
            let rgba = pixels(&spec, number);
            let packet = compressor.frame(number, Frame { width: 64, height: 64, rgba: &rgba }).unwrap();
            format.write(vec![packet]).unwrap();
            assert_eq!(frames_of(&partial(&path)), number as u32 + 1);
        }
        assert!(fs::read(partial(&path)).unwrap().ends_with(END));
    }
}
