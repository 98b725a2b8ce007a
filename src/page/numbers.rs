//! Numbers as bytes: series of whole numbers, compressed, as text.

/// Steps of a heading per turn.
pub const TURN: i64 = 1024;
/// Steps of a position along each side of the bounding box of all positions.
pub const SIDE: i64 = 65_535;

/// Appends a number in as few bytes as it needs, seven bits each (LEB128), with the sign in the lowest bit.
pub fn push(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = (number << 1 ^ number >> 63) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Appends positions as differences from a constant velocity: those of a robot that drives straight ahead are 0.
pub fn push_positions(bytes: &mut Vec<u8>, positions: impl Iterator<Item = i64>) {
    let (mut before, mut last) = (0, 0);
    for position in positions {
        push(bytes, position - (2 * last - before));
        (before, last) = (last, position);
    }
}

/// Appends headings as the shorter turn from each to the next.
pub fn push_headings(bytes: &mut Vec<u8>, headings: impl Iterator<Item = i64>) {
    let mut last = 0;
    for heading in headings {
        push(bytes, (heading - last + TURN / 2).rem_euclid(TURN) - TURN / 2);
        last = heading;
    }
}

/// Appends states as differences.
pub fn push_states(bytes: &mut Vec<u8>, states: impl Iterator<Item = i64>) {
    let mut last = 0;
    for state in states {
        push(bytes, state - last);
        last = state;
    }
}

/// Compresses bytes (DEFLATE, RFC 1951).
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(bytes, 9)
}

/// Bytes as text (base64, RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |place: usize| u32::from(chunk.get(place).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
pub mod reading {
    //! The reader of these bytes, as the page has it in JavaScript.

    use super::TURN;

    /// Reads numbers from bytes.
    pub struct Reader<'b>(pub &'b [u8]);

    impl Reader<'_> {
        /// The next number.
        pub fn number(&mut self) -> i64 {
            let (mut found, mut shift) = (0_u64, 0);
            loop {
                let (first, rest) = self.0.split_first().expect("a number");
                self.0 = rest;
                found |= u64::from(first & 0x7f) << shift;
                shift += 7;
                if first & 0x80 == 0 {
                    return (found >> 1) as i64 ^ -((found & 1) as i64);
                }
            }
        }

        pub fn positions(&mut self, count: usize) -> Vec<i64> {
            let (mut before, mut last) = (0, 0);
            let mut next = || {
                let position = self.number() + 2 * last - before;
                (before, last) = (last, position);
                position
            };
            (0..count).map(|_| next()).collect()
        }

        pub fn headings(&mut self, count: usize) -> Vec<i64> {
            let mut last = 0;
            let mut next = || {
                last = (last + self.number()).rem_euclid(TURN);
                last
            };
            (0..count).map(|_| next()).collect()
        }

        pub fn states(&mut self, count: usize) -> Vec<i64> {
            let mut last = 0;
            let mut next = || {
                last += self.number();
                last
            };
            (0..count).map(|_| next()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::reading::Reader;
    use super::*;

    #[test]
    fn base64_has_the_texts_of_its_standard() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(
            positions in proptest::collection::vec(0..=SIDE, 0..50),
            headings in proptest::collection::vec(0..TURN, 0..50),
            states in proptest::collection::vec(0..1_i64 << 40, 0..50),
        ) {
            let mut bytes = Vec::new();
            push_positions(&mut bytes, positions.iter().copied());
            push_headings(&mut bytes, headings.iter().copied());
            push_states(&mut bytes, states.iter().copied());
            let unpacked = miniz_oxide::inflate::decompress_to_vec(&deflate(&bytes)).unwrap();
            prop_assert_eq!(&unpacked, &bytes);
            let mut reader = Reader(&unpacked);
            prop_assert_eq!(reader.positions(positions.len()), positions);
            prop_assert_eq!(reader.headings(headings.len()), headings);
            prop_assert_eq!(reader.states(states.len()), states);
            prop_assert!(reader.0.is_empty());
        }
    }
}
