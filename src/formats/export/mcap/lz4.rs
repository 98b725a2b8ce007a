//! LZ4 frames, with the compressor of `lz4_flex` (LZ4 frame format 1.6).

use lz4_flex::block::{compress_into, get_maximum_output_size};

/// The largest size of a block of a frame.
const BLOCK_BYTES: usize = 4 << 20;
/// The start of a frame: magic number, flags (version 1, independent blocks, no checksums), size of blocks (4 MiB), and the
/// checksum of flags and size, the second byte of their xxHash.
const START: [u8; 7] = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73];
/// The bit of the size of a block that is not compressed.
const PLAIN: u32 = 1 << 31;

/// Compresses bytes into a frame, in place of what is in `frame`.
pub(super) fn compress(bytes: &[u8], frame: &mut Vec<u8>) {
    frame.clear();
    frame.extend_from_slice(&START);
    for block in bytes.chunks(BLOCK_BYTES) {
        let start = frame.len();
        frame.resize(start + 4 + get_maximum_output_size(block.len()), 0);
        let compressed = compress_into(block, &mut frame[start + 4..]).ok().filter(|size| *size < block.len());
        let size = match compressed {
            Some(size) => size as u32,
            None => {
                frame[start + 4..start + 4 + block.len()].copy_from_slice(block);
                block.len() as u32 | PLAIN
            }
        };
        frame[start..start + 4].copy_from_slice(&size.to_le_bytes());
        frame.truncate(start + 4 + (size & !PLAIN) as usize);
    }
    frame.extend_from_slice(&[0; 4]);
}

/// The bytes of a frame that [`compress`] made.
#[cfg(test)]
pub(super) fn decompress(frame: &[u8]) -> Vec<u8> {
    let mut rest = frame.strip_prefix(&START).unwrap();
    let mut bytes = Vec::new();
    loop {
        let (size, after) = rest.split_first_chunk::<4>().unwrap();
        let size = u32::from_le_bytes(*size);
        if size == 0 {
            assert!(after.is_empty());
            return bytes;
        }
        let (block, after) = after.split_at((size & !PLAIN) as usize);
        match size & PLAIN {
            0 => {
                let mut plain = vec![0; BLOCK_BYTES];
                let size = lz4_flex::block::decompress_into(block, &mut plain).unwrap();
                bytes.extend_from_slice(&plain[..size]);
            }
            _ => bytes.extend_from_slice(block),
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_bytes_back() {
        let mut frame = Vec::new();
        let noise: Vec<u8> = (0..5_000_000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for bytes in [&[][..], b"swarm", &[7; 100_000], &noise] {
            compress(bytes, &mut frame);
            assert_eq!(decompress(&frame), bytes);
        }
        compress(&[7; 100_000], &mut frame);
        assert!(frame.len() < 1000);
    }
}
