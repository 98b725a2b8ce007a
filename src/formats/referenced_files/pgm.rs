//! Reads PGM images: `P2` and `P5` of Netpbm, with 8 or 16 bits for each pixel.
//!
//! Maps of ROS are such images. Format: <https://netpbm.sourceforge.net/doc/pgm.html>.

/// A header, and the place where the pixels begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Width, in pixels.
    pub width: u32,
    /// Height, in pixels.
    pub height: u32,
    /// Whether the pixels are decimal numbers.
    is_plain: bool,
    /// The value of white.
    max: u32,
    /// Place of the first byte after the header.
    start: usize,
}

/// Whether bytes begin as a PGM image does.
pub fn is_pgm(bytes: &[u8]) -> bool {
    matches!(bytes, [b'P', b'2' | b'5', space, ..] if space.is_ascii_whitespace() || *space == b'#')
}

/// Reads the header.
///
/// # Errors
/// With the reason.
pub fn header(bytes: &[u8]) -> Result<Header, String> {
    let mut numbers = Numbers { bytes, at: 2 };
    let mut number = |name: &str, most: u32| {
        let found = numbers.next().ok_or_else(|| format!("the header has no {name}"))??;
        let is_fine = (1..=most).contains(&found);
        is_fine.then_some(found).ok_or_else(|| format!("the {name} is {found}: expected 1 to {most}"))
    };
    let (width, height) = (number("width", 1 << 30)?, number("height", 1 << 30)?);
    let max = number("value of white", u32::from(u16::MAX))?;
    let (start, is_plain) = (numbers.at, bytes.get(1) == Some(&b'2'));
    let ends = bytes.get(start).is_some_and(u8::is_ascii_whitespace);
    if !ends {
        return Err("the header has no end".into());
    }
    Ok(Header { width, height, is_plain, max, start: start + 1 })
}

/// Reads the pixels after a header, as bytes from black (0) to white (255), line by line from the top.
///
/// # Errors
/// With the reason.
pub fn pixels(bytes: &[u8], header: &Header) -> Result<Vec<u8>, String> {
    let count = header.width as usize * header.height as usize;
    let byte = |value: u32| ((value.min(header.max) * 255 + header.max / 2) / header.max) as u8;
    let cut = |found: usize| format!("the image ends after {found} of {count} pixels");
    let rest = &bytes[header.start.min(bytes.len())..];
    if header.is_plain {
        let mut numbers = Numbers { bytes: rest, at: 0 };
        let mut pixels = Vec::with_capacity(count.min(rest.len()));
        while pixels.len() < count {
            let value = numbers.next().ok_or_else(|| cut(pixels.len()))??;
            if value > header.max {
                return Err(format!("pixel {} is {value}: expected 0 to {}", pixels.len() + 1, header.max));
            }
            pixels.push(byte(value));
        }
        return Ok(pixels);
    }
    let size = if header.max > 255 { 2 } else { 1 };
    let found = rest.len() / size;
    if found < count {
        return Err(cut(found));
    }
    Ok(match size {
        1 if header.max == 255 => rest[..count].to_vec(),
        1 => rest[..count].iter().map(|value| byte(u32::from(*value))).collect(),
        // The first byte is the higher one.
        _ => rest.as_chunks::<2>().0[..count].iter().map(|pair| byte(u32::from(u16::from_be_bytes(*pair)))).collect(),
    })
}

/// Decimal numbers between white space and comments, which run from `#` to the end of their line.
struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Numbers<'_> {
    type Item = Result<u32, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut in_comment = false;
        loop {
            match self.bytes.get(self.at)? {
                b'\n' | b'\r' => in_comment = false,
                _ if in_comment => {}
                b'#' => in_comment = true,
                byte if byte.is_ascii_whitespace() => {}
                _ => break,
            }
            self.at += 1;
        }
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = &self.bytes[self.at..self.at + digits];
        if digits == 0 {
            let found = char::from(self.bytes[self.at]).escape_default().to_string();
            return Some(Err(format!("expected a number at byte {}, found `{found}`", self.at)));
        }
        self.at += digits;
        let number =
            text.iter().try_fold(0_u32, |number, digit| number.checked_mul(10)?.checked_add(u32::from(digit - b'0')));
        Some(number.ok_or_else(|| format!("the number at byte {} is too large", self.at - digits)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Result<(u32, u32, Vec<u8>), String> {
        let header = header(bytes)?;
        Ok((header.width, header.height, pixels(bytes, &header)?))
    }

    #[test]
    fn all_forms_are_read() {
        let expected = Ok((3, 2, vec![0, 255, 51, 102, 153, 204]));
        assert_eq!(read(b"P2 3 2 255 0 255 51 102 153 204"), expected);
        assert_eq!(read(b"P2\n# by hand\n3 2\n# five shades\n5\n0 5 1\n# the second line\n2 3 4\n"), expected);
        assert_eq!(read(b"P5\n3 2\n255\n\x00\xff\x33\x66\x99\xcc"), expected);
        assert_eq!(read(b"P5 # CREATOR: map_saver\n3 2\n255\n\x00\xff\x33\x66\x99\xcc rest"), expected);
        assert_eq!(read(b"P5 3 2 5 \x00\x05\x01\x02\x03\x04"), expected);
        let deep = [0_u16, 65535, 13107, 26214, 39321, 52428].map(u16::to_be_bytes).concat();
        assert_eq!(read(&[b"P5 3 2 65535\n".as_slice(), &deep].concat()), expected);
        assert_eq!(read(b"P2 1 2 65535 0 65535"), Ok((1, 2, vec![0, 255])));
        assert!(is_pgm(b"P5\n3") && is_pgm(b"P2#") && !is_pgm(b"P6 3") && !is_pgm(b"P5"));
    }

    #[test]
    fn broken_images_are_refused_with_the_reason() {
        let broken: [&[u8]; 9] = [
            b"P2",
            b"P2 3",
            b"P2 0 2 255",
            b"P2 3 2 70000",
            b"P2 x 2 255",
            b"P5 3 2 255",
            b"P5 3 2 255\n\x00\x00",
            b"P2 2 1 9 1 12",
            b"P2 99999999999 1 1 ",
        ];
        insta::assert_snapshot!(broken.map(|bytes| read(bytes).unwrap_err()).join("\n"), @r"
        the header has no width
        the header has no height
        the width is 0: expected 1 to 1073741824
        the value of white is 70000: expected 1 to 65535
        expected a number at byte 3, found `x`
        the header has no end
        the image ends after 2 of 6 pixels
        pixel 2 is 12: expected 0 to 9
        the number at byte 3 is too large
        ");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            start in prop_oneof![Just("P2 "), Just("P5 3 2 "), Just("P2 2 2 9 ")], rest in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let _ = read(&[start.as_bytes(), &rest].concat());
        }
    }
}
