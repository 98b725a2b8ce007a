//! The boxes of an MP4 file with one video track (ISO/IEC 14496-12 and -15).

use super::super::format::Spec;

/// The smallest number of ticks of a second: some players count in ticks.
const FINE: u32 = 1000;
/// The flags of a sample that can be decoded without others, and of one that cannot.
const KEY: u32 = 0x0200_0000;
const NOT_KEY: u32 = 0x0101_0000;

/// The description of the only track of a file.
pub(super) struct Track {
    width: u16,
    height: u16,
    /// Ticks of a second, and of a frame.
    timescale: u32,
    ticks: u32,
    sequence: Vec<u8>,
    picture: Vec<u8>,
}

/// A frame in a fragment.
pub(super) struct Sample {
    pub size: u32,
    pub is_key: bool,
}

/// A box: its size, its kind and its content.
fn boxed(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let size = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut out = Vec::with_capacity(size);
    out.extend((size as u32).to_be_bytes());
    out.extend(kind);
    parts.iter().for_each(|part| out.extend(*part));
    out
}

/// A box with a version and flags.
fn full(kind: &[u8; 4], version: u8, flags: u32, parts: &[&[u8]]) -> Vec<u8> {
    let head = (u32::from(version) << 24 | flags).to_be_bytes();
    boxed(kind, &[&[&head[..]], parts].concat())
}

/// Numbers of 32 bits, one after the other.
fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// The identity as the transformation matrix of a track.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

impl Track {
    /// A track of frames with a spec, with the parameters of its encoder.
    pub fn new(spec: &Spec, sequence: Vec<u8>, picture: Vec<u8>) -> Self {
        let finer = FINE.div_ceil(spec.rate.frames());
        Self {
            width: spec.width as u16,
            height: spec.height as u16,
            timescale: spec.rate.frames() * finer,
            ticks: spec.rate.seconds() * finer,
            sequence,
            picture,
        }
    }

    fn file_type() -> Vec<u8> {
        boxed(b"ftyp", &[b"isom", &words(&[0x200]), b"isomiso6avc1mp41"])
    }

    /// The head of a file with fragments.
    pub fn head_of_fragments(&self) -> Vec<u8> {
        let defaults = full(b"trex", 0, 0, &[&words(&[1, 1, self.ticks, 0, NOT_KEY])]);
        let empty = [
            full(b"stts", 0, 0, &[&words(&[0])]),
            full(b"stsc", 0, 0, &[&words(&[0])]),
            full(b"stsz", 0, 0, &[&words(&[0, 0])]),
            full(b"stco", 0, 0, &[&words(&[0])]),
        ];
        let movie = self.movie(0, &empty.concat(), &boxed(b"mvex", &[&defaults]));
        [Self::file_type(), movie].concat()
    }

    /// The head of a fragment, before its samples.
    pub fn head_of_fragment(&self, number: u32, first: u64, samples: &[Sample]) -> Vec<u8> {
        let of = |data_at: u32| {
            let entries = samples.iter().flat_map(|sample| [sample.size, if sample.is_key { KEY } else { NOT_KEY }]);
            let entries: Vec<u32> = entries.collect();
            let head = full(b"tfhd", 0, 0x02_0000, &[&words(&[1])]);
            let time = full(b"tfdt", 1, 0, &[&(first * u64::from(self.ticks)).to_be_bytes()]);
            // The position of the data, and the size and flags of each sample.
            let run = full(b"trun", 0, 0x601, &[&words(&[samples.len() as u32, data_at]), &words(&entries)]);
            let counter = full(b"mfhd", 0, 0, &[&words(&[number])]);
            boxed(b"moof", &[&counter, &boxed(b"traf", &[&head, &time, &run])])
        };
        let data: u32 = samples.iter().map(|sample| sample.size).sum();
        let fragment = of(of(0).len() as u32 + 8);
        [fragment, words(&[data + 8]), b"mdat".to_vec()].concat()
    }

    /// The head of a file without fragments, before its samples. `chunks` and `bytes` are the numbers of samples and bytes of
    /// each chunk; a chunk begins with a keyframe.
    pub fn head(&self, sizes: &[u32], chunks: &[u32], bytes: &[u64], full_chunk: u32) -> Vec<u8> {
        let data: u64 = bytes.iter().sum();
        let is_large = data > u64::from(u32::MAX) - (1 << 28);
        let data_head = match is_large {
            true => [words(&[1]), b"mdat".to_vec(), (data + 16).to_be_bytes().to_vec()].concat(),
            false => [words(&[data as u32 + 8]), b"mdat".to_vec()].concat(),
        };
        let front = |base: u64| {
            let offsets = bytes.iter().scan(base, |at, length| {
                let here = *at;
                *at += length;
                Some(here)
            });
            let offsets: Vec<u8> = match is_large {
                true => offsets.flat_map(u64::to_be_bytes).collect(),
                false => offsets.flat_map(|offset| (offset as u32).to_be_bytes()).collect(),
            };
            let kind = if is_large { b"co64" } else { b"stco" };
            let offsets = full(kind, 0, 0, &[&words(&[chunks.len() as u32]), &offsets]);
            let tables = [self.tables(sizes, chunks, full_chunk), offsets].concat();
            [Self::file_type(), self.movie(sizes.len() as u64, &tables, &[])].concat()
        };
        // All offsets have the same length, so that the length of the front does not depend on them.
        let base = (front(0).len() + data_head.len()) as u64;
        [front(base), data_head].concat()
    }

    fn tables(&self, sizes: &[u32], chunks: &[u32], full_chunk: u32) -> Vec<u8> {
        let count = sizes.len() as u32;
        let keys: Vec<u32> = chunks
            .iter()
            .scan(1, |next, samples| {
                let here = *next;
                *next += samples;
                Some(here)
            })
            .collect();
        // All chunks are full, with the possible exception of the last one.
        let last = chunks.last().copied().unwrap_or(full_chunk);
        let mut runs = vec![[1, full_chunk, 1]];
        match chunks.len() as u32 {
            1 => runs = vec![[1, last, 1]],
            number if last != full_chunk => runs.push([number, last, 1]),
            _ => {}
        }
        [
            full(b"stts", 0, 0, &[&words(&[1, count, self.ticks])]),
            full(b"stss", 0, 0, &[&words(&[keys.len() as u32]), &words(&keys)]),
            full(b"stsc", 0, 0, &[&words(&[runs.len() as u32]), &words(runs.as_flattened())]),
            full(b"stsz", 0, 0, &[&words(&[0, count]), &words(sizes)]),
        ]
        .concat()
    }

    fn movie(&self, frames: u64, tables: &[u8], extends: &[u8]) -> Vec<u8> {
        let duration = frames * u64::from(self.ticks);
        // Dates are zero, so that the same video has the same bytes.
        let when = [0; 16];
        let long = duration.to_be_bytes();
        let movie = full(
            b"mvhd",
            1,
            0,
            &[
                &when,
                &words(&[self.timescale]),
                &long,
                &words(&[0x1_0000, 0x0100_0000, 0, 0]),
                &words(&MATRIX),
                &[0; 24],
                &words(&[2]),
            ],
        );
        let track = full(
            b"tkhd",
            1,
            3,
            &[
                &when,
                &words(&[1, 0]),
                &long,
                &[0; 16],
                &words(&MATRIX),
                &words(&[u32::from(self.width) << 16, u32::from(self.height) << 16]),
            ],
        );
        // The language is undetermined: `und`.
        let media = full(b"mdhd", 1, 0, &[&when, &words(&[self.timescale]), &long, &words(&[0x55C4_0000])]);
        let handler = full(b"hdlr", 0, 0, &[&words(&[0]), b"vide", &[0; 12], b"VideoHandler\0"]);
        let here = full(b"dref", 0, 0, &[&words(&[1]), &full(b"url ", 0, 1, &[])]);
        let samples = boxed(b"stbl", &[&full(b"stsd", 0, 0, &[&words(&[1]), &self.coding()]), tables]);
        let information = boxed(b"minf", &[&full(b"vmhd", 0, 1, &[&[0; 8]]), &boxed(b"dinf", &[&here]), &samples]);
        let media = boxed(b"mdia", &[&media, &handler, &information]);
        boxed(b"moov", &[&movie, &boxed(b"trak", &[&track, &media]), extends])
    }

    /// The description of the coding of samples.
    fn coding(&self) -> Vec<u8> {
        let Self { sequence, picture, .. } = self;
        let profile = sequence.get(1..4).unwrap_or(&[66, 0, 30]);
        let lengths = [sequence.len() as u16, picture.len() as u16].map(u16::to_be_bytes);
        let parameters = boxed(
            b"avcC",
            &[
                &[1],
                profile, // Sizes of units have four bytes; one unit of each kind follows.
                &[0xff, 0xe1],
                &lengths[0],
                sequence,
                &[1],
                &lengths[1],
                picture,
            ],
        );
        // BT.709 with limited range, as the stream says too.
        let colors = boxed(b"colr", &[b"nclx", &[0, 1, 0, 1, 0, 1, 0]]);
        let square = boxed(b"pasp", &[&words(&[1, 1])]);
        let size = [self.width.to_be_bytes(), self.height.to_be_bytes()].concat();
        boxed(
            b"avc1",
            &[
                &[0, 0, 0, 0, 0, 0, 0, 1],
                &[0; 16],
                &size,
                // 72 dots per inch, one frame in a sample, no name, 24 bits.
                &words(&[0x48_0000, 0x48_0000, 0]),
                &[0, 1],
                &[0; 32],
                &[0, 0x18, 0xff, 0xff],
                &parameters,
                &colors,
                &square,
            ],
        )
    }
}
