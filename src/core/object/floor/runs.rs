//! Pictures as text: runs of equal pixels in Base64.

use swarmarium_space::Rgb;

/// The digits of Base64 (RFC 4648, section 4).
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Pixels as text: four bytes for each run, in Base64 without padding.
pub fn encode(pixels: impl Iterator<Item = Rgb>) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    let mut last = None;
    for pixel in pixels {
        match bytes.len().checked_sub(4).and_then(|run| bytes.get_mut(run)) {
            Some(length) if last == Some(pixel) && *length < u8::MAX => *length += 1,
            _ => bytes.extend([0, pixel[0], pixel[1], pixel[2]]),
        }
        last = Some(pixel);
    }
    to_text(&bytes)
}

/// Bytes as text, in Base64 without padding.
pub(in crate::object) fn to_text(bytes: &[u8]) -> String {
    let digits = bytes.chunks(3).flat_map(|bytes| {
        let word = (0..3).fold(0, |word, place| word << 8 | u32::from(bytes.get(place).copied().unwrap_or_default()));
        (0..=bytes.len()).map(move |place| DIGITS[(word >> (18 - 6 * place) & 63) as usize])
    });
    digits.map(char::from).collect()
}

/// The pixels of a text, at most this many; `None` if it is not such a text.
pub fn decode(text: &str, most: usize) -> Option<Vec<Rgb>> {
    let bytes = from_text(text)?;
    let (mut pixels, runs) = (Vec::new(), bytes.chunks_exact(4));
    if !runs.remainder().is_empty() {
        return None;
    }
    for run in runs {
        let &[length, red, green, blue] = run else { return None };
        if pixels.len() + usize::from(length) + 1 > most {
            return None;
        }
        pixels.extend(std::iter::repeat_n([red, green, blue], usize::from(length) + 1));
    }
    Some(pixels)
}

/// The bytes of a text in Base64 without padding; `None` if it is not such a text.
pub(in crate::object) fn from_text(text: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for digits in text.as_bytes().chunks(4) {
        let mut word = 0;
        for place in 0..4 {
            word = word << 6 | u32::from(digits.get(place).map_or(Some(0), |digit| value(*digit))?);
        }
        bytes.extend_from_slice(word.to_be_bytes().get(1..digits.len())?);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pixels_come_back_from_their_text(pixels in prop::collection::vec((0_u8..3, any::<u8>()), 0..600)) {
            let pixels: Vec<Rgb> = pixels.iter().map(|(a, b)| [*a, *b / 200, 7]).collect();
            let text = encode(pixels.iter().copied());
            prop_assert_eq!(decode(&text, pixels.len()), Some(pixels.clone()));
            prop_assert!(pixels.is_empty() || decode(&text, pixels.len() - 1).is_none());
        }

        #[test]
        fn any_text_is_decoded_or_refused(text: String) {
            let _ = decode(&text, 1000);
        }
    }

    #[test]
    fn runs_are_base64() {
        // 00 ff 00 00 | 01 00 00 00, by the table of RFC 4648.
        assert_eq!(encode([[255, 0, 0], [0; 3], [0; 3]].into_iter()), "AP8AAAEAAAA");
        let long = encode(std::iter::repeat_n([9; 3], 300));
        assert_eq!(decode(&long, 300), Some(vec![[9; 3]; 300]));
        assert_eq!([decode("AP8A", 9), decode("AP8AA", 9), decode("AP8AA-EAAAA", 9)], [None, None, None]);
    }
}
