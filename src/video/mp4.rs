//! MP4 with H.264, by OpenH264 built from source.
//!
//! During the recording, the file is a head and fragments, one for each segment, so that it can always be played up to the
//! last fragment. At the end, the samples are copied into one file with its index in front, so that players can stream it
//! and go to any time. Each segment lasts about a second, begins with a keyframe and has an encoder of its own.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, anyhow, ensure};
use openh264::OpenH264API;
use openh264::encoder::{
    Complexity, Encoder, EncoderConfig, FrameRate, FrameType, QpRange, RateControlMode, UsageType, VuiConfig,
};
use openh264::formats::YUVSource as _;
use swarmarium_base::files::{Draft, partial, shown};

use super::format::{Compress, Format, Spec};
use super::growing::GrowingFile;
use super::painter::Frame;

mod boxes;
mod yuv;

use boxes::{Sample, Track};
use yuv::Yuv;

/// The largest sides that OpenH264 supports, the longer one first.
const LARGEST: [u32; 2] = [3840, 2160];

/// Quality: the quantiser of all frames, from 0 to 51. From 26 on, flat colours have visible spots.
const QUANTISER: u8 = 22;

/// The kinds of NAL units with parameters (ITU-T H.264, table 7-1).
const SEQUENCE_PARAMETERS: u8 = 7;
const PICTURE_PARAMETERS: u8 = 8;

/// The format.
pub struct Mp4 {
    file: GrowingFile,
    track: Track,
    segment_length: usize,
    /// The sizes of all samples so far, segment by segment.
    sizes: Vec<u32>,
    /// The positions and sizes of all fragments so far.
    fragments: Vec<Fragment>,
    spec: Spec,
}

/// The samples of a fragment: their position and size in the file, and their number.
struct Fragment {
    at: u64,
    bytes: u64,
    samples: u32,
}

impl Mp4 {
    /// Opens a file.
    ///
    /// # Errors
    /// When H.264 does not support the spec, or the file cannot be written.
    pub fn create(path: &Path, spec: &Spec) -> anyhow::Result<Self> {
        let (longer, shorter) = (spec.width.max(spec.height), spec.width.min(spec.height));
        ensure!(
            longer <= LARGEST[0] && shorter <= LARGEST[1],
            "{}: {}x{} pixels: H.264 has at most {}x{}; PNG files may be larger",
            shown(path),
            spec.width,
            spec.height,
            LARGEST[0],
            LARGEST[1],
        );
        ensure!(
            spec.width.is_multiple_of(2) && spec.height.is_multiple_of(2),
            "{}: {}x{} pixels: H.264 has even sizes only",
            shown(path),
            spec.width,
            spec.height
        );
        let parameters = Parameters::from_spec(spec)?;
        let track = Track::new(spec, parameters.sequence, parameters.picture);
        let file = GrowingFile::create(path, &track.head_of_fragments(), b"")?;
        let segment_length = spec.rate.per_second().round().clamp(10.0, 60.0) as usize;
        Ok(Self { file, track, segment_length, sizes: Vec::new(), fragments: Vec::new(), spec: *spec })
    }

    /// Copies all samples into one file with its index in front.
    fn write_whole(&mut self, whole: &mut Draft) -> anyhow::Result<()> {
        let chunks: Vec<u32> = self.fragments.iter().map(|fragment| fragment.samples).collect();
        let bytes = self.fragments.iter().map(|fragment| fragment.bytes);
        let head = self.track.head(&self.sizes, &chunks, &bytes.collect::<Vec<_>>(), self.segment_length as u32);
        let mut out = BufWriter::with_capacity(1 << 20, whole);
        out.write_all(&head)?;
        for Fragment { at, bytes, .. } in &self.fragments {
            self.file.copy(*at, *bytes, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }
}

impl Format for Mp4 {
    fn segment_length(&self) -> usize {
        self.segment_length
    }

    fn compressor(&self) -> Box<dyn Compress> {
        Box::new(H264 { spec: self.spec, encoder: None, yuv: Yuv::new(self.spec.width, self.spec.height) })
    }

    fn write(&mut self, packets: Vec<Vec<u8>>) -> anyhow::Result<()> {
        let sizes: Vec<u32> = packets.iter().map(|packet| packet.len() as u32).collect();
        let samples = sizes.iter().enumerate().map(|(index, size)| Sample { size: *size, is_key: index == 0 });
        let before = (self.fragments.len() as u32, self.sizes.len() as u64);
        let head = self.track.head_of_fragment(before.0 + 1, before.1, &samples.collect::<Vec<_>>());
        let (at, data) = (self.file.end() + head.len() as u64, packets.concat());
        self.file.append(&[&head, &data])?;
        self.fragments.push(Fragment { at, bytes: data.len() as u64, samples: sizes.len() as u32 });
        self.sizes.extend(sizes);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        let path = self.file.path().to_path_buf();
        if self.sizes.is_empty() {
            self.file.discard();
            return Ok(());
        }
        let written = Draft::begin(&partial(&path)).and_then(|mut whole| match self.write_whole(&mut whole) {
            Ok(()) => Ok(whole),
            Err(error) => {
                // The incomplete file would block the name.
                whole.discard();
                Err(error)
            }
        });
        match written {
            Ok(whole) => {
                whole.finish_as(&path)?;
                self.file.discard();
                Ok(())
            }
            Err(error) => {
                // The file with fragments can be played, too.
                self.file.finish()?;
                let state = "cannot be put together (it was left in fragments, which play)";
                Err(error.context(format!("{}: {state}", shown(&path))))
            }
        }
    }
}

/// The parameters of an encoder for the whole video.
struct Parameters {
    sequence: Vec<u8>,
    picture: Vec<u8>,
}

impl Parameters {
    /// Encodes a frame to get the parameters: every encoder of the same spec has the same ones.
    fn from_spec(spec: &Spec) -> anyhow::Result<Self> {
        let yuv = Yuv::new(spec.width, spec.height);
        let mut encoder = encoder(spec)?;
        let units = encode(&mut encoder, &yuv)?;
        let of_kind = |kind| units.iter().find(|unit| kind_of(unit) == kind).cloned();
        let both = of_kind(SEQUENCE_PARAMETERS).zip(of_kind(PICTURE_PARAMETERS));
        let (sequence, picture) = both.context("OpenH264 does not say what it encodes")?;
        Ok(Self { sequence, picture })
    }
}

fn encoder(spec: &Spec) -> anyhow::Result<Encoder> {
    // Every frame has the same quality, and nothing depends on time or on the number of processors. The crate sets the
    // quantiser only with rate control; its range has one value.
    let config = EncoderConfig::new()
        .rate_control_mode(RateControlMode::Bufferbased)
        .qp(QpRange::new(QUANTISER, QUANTISER))
        .skip_frames(false)
        .num_threads(1)
        .usage_type(UsageType::CameraVideoRealTime)
        .complexity(Complexity::Low)
        .scene_change_detect(false)
        .adaptive_quantization(false)
        .background_detection(false)
        .max_frame_rate(FrameRate::from_hz(spec.rate.per_second() as f32))
        .vui(VuiConfig::bt709());
    Encoder::with_api_config(OpenH264API::from_source(), config).map_err(|error| anyhow!("OpenH264: {error}"))
}

/// The NAL units of the next frame, without start codes.
fn encode(encoder: &mut Encoder, yuv: &Yuv) -> anyhow::Result<Vec<Vec<u8>>> {
    let stream = encoder.encode(yuv).map_err(|error| anyhow!("OpenH264: {error}"))?;
    let is_whole = matches!(stream.frame_type(), FrameType::IDR | FrameType::I | FrameType::P);
    ensure!(is_whole, "OpenH264 left out a frame of {:?} pixels", yuv.dimensions());
    let layers = (0..stream.num_layers()).filter_map(|index| stream.layer(index));
    let units = layers.flat_map(|layer| {
        (0..layer.nal_count()).filter_map(|index| layer.nal_unit(index).map(without_start_code)).collect::<Vec<_>>()
    });
    Ok(units.collect())
}

fn without_start_code(unit: &[u8]) -> Vec<u8> {
    let zeros = unit.iter().take_while(|byte| **byte == 0).count();
    unit.get(zeros + 1..).unwrap_or_default().to_vec()
}

fn kind_of(unit: &[u8]) -> u8 {
    unit.first().map_or(0, |header| header & 0x1f)
}

/// The compressor.
struct H264 {
    spec: Spec,
    encoder: Option<Encoder>,
    yuv: Yuv,
}

impl Compress for H264 {
    fn begin(&mut self, _: Option<Frame>) -> anyhow::Result<()> {
        // A new encoder begins with a keyframe and knows nothing of other segments.
        self.encoder = Some(encoder(&self.spec)?);
        Ok(())
    }

    fn frame(&mut self, _: u64, frame: Frame) -> anyhow::Result<Vec<u8>> {
        let encoder = self.encoder.as_mut().context("no segment has begun")?;
        self.yuv.read(frame.rgba);
        let units = encode(encoder, &self.yuv)?;
        // The parameters are in the head of the file.
        let units = units.iter().filter(|unit| ![SEQUENCE_PARAMETERS, PICTURE_PARAMETERS].contains(&kind_of(unit)));
        Ok(units.flat_map(|unit| [&(unit.len() as u32).to_be_bytes(), unit.as_slice()].concat()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use openh264::decoder::Decoder;

    use super::super::encoder::fixture::{pixels, record, spec};
    use super::*;

    /// The boxes within a range of bytes: kind, and where their content is.
    fn boxes_in(bytes: &[u8]) -> Vec<(String, &[u8])> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let size = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
            found.push((String::from_utf8_lossy(&bytes[at + 4..at + 8]).into_owned(), &bytes[at + 8..at + size]));
            at += size;
        }
        found
    }

    fn inner<'a>(mut bytes: &'a [u8], path: &[&str]) -> &'a [u8] {
        for kind in path {
            bytes = boxes_in(bytes).into_iter().find(|(found, _)| found == kind).unwrap().1;
        }
        bytes
    }

    fn kinds(bytes: &[u8]) -> Vec<String> {
        boxes_in(bytes).into_iter().map(|(kind, _)| kind).collect()
    }

    fn number(bytes: &[u8], at: usize) -> u32 {
        u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn an_mp4_has_its_index_in_front_and_all_frames_in_order() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.mp4");
        let spec = spec(160, 64);
        record(Box::new(Mp4::create(&path, &spec).unwrap()), &spec, 40);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
        let bytes = fs::read(&path).unwrap();
        assert_eq!(kinds(&bytes), ["ftyp", "moov", "mdat"]);
        let table = inner(&bytes, &["moov", "trak", "mdia", "minf", "stbl"]);
        let sizes = inner(table, &["stsz"]);
        assert_eq!(number(sizes, 8), 40);
        let keys = inner(table, &["stss"]);
        assert_eq!([number(keys, 4), number(keys, 8), number(keys, 12)], [2, 1, 31]);
        // Both chunks are at their offsets, and every frame decodes to its painted pixels.
        let offsets = inner(table, &["stco"]);
        let mut at = number(offsets, 8) as usize;
        let first: usize = (0..30).map(|sample| number(sizes, 12 + 4 * sample) as usize).sum();
        assert_eq!(number(offsets, 12) as usize, at + first);
        let config = &inner(table, &["stsd"])[8..];
        let config = &boxes_in(config)[0].1[78..];
        let avcc = inner(config, &["avcC"]);
        let sps = &avcc[8..8 + usize::from(avcc[7])];
        let pps = &avcc[8 + sps.len() + 3..];
        let mut decoder = Decoder::new().unwrap();
        for sample in 0..40_u32 {
            let size = number(sizes, 12 + 4 * sample as usize) as usize;
            let mut stream: Vec<u8> = Vec::new();
            [sps, pps].into_iter().for_each(|unit| stream.extend([&[0, 0, 0, 1], unit].concat()));
            let mut unit = &bytes[at..at + size];
            while !unit.is_empty() {
                let length = number(unit, 0) as usize;
                stream.extend([&[0, 0, 0, 1], &unit[4..4 + length]].concat());
                unit = &unit[4 + length..];
            }
            at += size;
            let decoded = decoder.decode(&stream).unwrap().unwrap();
            let mut painted = Yuv::new(160, 64);
            painted.read(&pixels(&spec, u64::from(sample)));
            let (stride, ..) = decoded.strides();
            let off =
                (0..64 * 160).map(|index| decoded.y()[index / 160 * stride + index % 160].abs_diff(painted.y()[index]));
            let mean = off.map(f64::from).sum::<f64>() / f64::from(64 * 160);
            assert!(mean < 2.0, "frame {sample} is off by {mean}");
        }
        assert_eq!(at, bytes.len());
    }

    #[test]
    fn an_mp4_has_fragments_during_the_recording() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.mp4");
        let spec = spec(64, 48);
        let mut format = Mp4::create(&path, &spec).unwrap();
        for number in 0..2 {
            let mut compressor = format.compressor();
            compressor.begin(None).unwrap();
            let rgba = pixels(&spec, number);
            let frame = Frame { width: 64, height: 48, rgba: &rgba };
            format.write(vec![compressor.frame(number, frame).unwrap()]).unwrap();
        }
        let bytes = fs::read(partial(&path)).unwrap();
        assert_eq!(kinds(&bytes), ["ftyp", "moov", "moof", "mdat", "moof", "mdat"]);
        assert!(!path.exists());
        Box::new(format).finish().unwrap();
        assert!(path.exists() && !partial(&path).exists());
    }

    #[test]
    fn a_video_without_frames_leaves_no_file() {
        let place = tempfile::tempdir().unwrap();
        let format = Mp4::create(&place.path().join("a.mp4"), &spec(64, 48)).unwrap();
        Box::new(format).finish().unwrap();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
