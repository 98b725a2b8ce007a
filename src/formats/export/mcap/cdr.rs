//! Messages as bytes: the Common Data Representation of ROS 2 (CDR, little endian, OMG DDSI-RTPS).

/// A message that is being written. Each number is aligned to its own size, counted from the end of the header.
#[derive(Debug)]
pub(super) struct Cdr {
    bytes: Vec<u8>,
}

/// The bytes before the fields: plain CDR, little endian.
pub(super) const HEADER: [u8; 4] = [0, 1, 0, 0];

impl Default for Cdr {
    fn default() -> Self {
        Self { bytes: HEADER.to_vec() }
    }
}

impl Cdr {
    /// The bytes of the whole message.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds zeros up to a multiple of a size, and returns the place of the next byte.
    pub fn align(&mut self, size: usize) -> usize {
        let fields = self.bytes.len() - HEADER.len();
        self.bytes.resize(HEADER.len() + fields.next_multiple_of(size), 0);
        self.bytes.len()
    }

    /// Adds a byte; truth values are 0 or 1.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Adds an `int32`.
    pub fn i32(&mut self, value: i32) {
        self.align(4);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Adds a `uint32`.
    pub fn u32(&mut self, value: u32) {
        self.align(4);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Adds a `uint64`.
    pub fn u64(&mut self, value: u64) {
        self.align(8);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Adds a `float32`.
    pub fn f32(&mut self, value: f64) {
        self.align(4);
        self.bytes.extend_from_slice(&(value as f32).to_le_bytes());
    }

    /// Adds `float64` numbers.
    pub fn f64s(&mut self, values: &[f64]) {
        self.align(8);
        for value in values {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Adds a text with its length and a zero.
    pub fn text(&mut self, text: &str) {
        self.length(text.len() + 1);
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }

    /// Adds the length of a sequence.
    pub fn length(&mut self, length: usize) {
        self.u32(u32::try_from(length).unwrap_or(u32::MAX));
    }

    /// Adds a sequence of bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a sequence of `float32`.
    pub fn f32s(&mut self, values: impl ExactSizeIterator<Item = f64>) {
        self.length(values.len());
        values.for_each(|value| self.f32(value));
    }

    /// Adds a `builtin_interfaces/Time`.
    pub fn time(&mut self, time_ns: u64) {
        self.align(4);
        self.bytes.extend_from_slice(&stamp(time_ns));
    }

    /// Adds a `std_msgs/Header`.
    pub fn header(&mut self, time_ns: u64, frame: &str) {
        self.time(time_ns);
        self.text(frame);
    }
}

/// The bytes of a `builtin_interfaces/Time`.
pub(super) fn stamp(time_ns: u64) -> [u8; 8] {
    let seconds = i32::try_from(time_ns / 1_000_000_000).unwrap_or(i32::MAX);
    let rest_ns = (time_ns % 1_000_000_000) as u32;
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&seconds.to_le_bytes());
    bytes[4..].copy_from_slice(&rest_ns.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_from_the_end_of_the_header() {
        let mut message = Cdr::default();
        message.u8(7);
        message.f64s(&[1.0]);
        message.u8(8);
        message.f32(0.5);
        message.text("ab");
        message.u64(9);
        let bytes = message.into_bytes();
        assert_eq!(bytes[..5], [0, 1, 0, 0, 7]);
        assert_eq!(bytes[5..12], [0; 7], "eight bytes after the header begins the number");
        assert_eq!(bytes[12..20], 1.0f64.to_le_bytes());
        assert_eq!(bytes[20..28], [8, 0, 0, 0, 0, 0, 0, 0x3f]);
        assert_eq!(bytes[28..35], [3, 0, 0, 0, b'a', b'b', 0]);
        assert_eq!(bytes[35..36], [0]);
        assert_eq!(bytes[36..44], 9u64.to_le_bytes());
        assert_eq!(bytes.len(), 44);
    }

    #[test]
    fn times_have_seconds_and_the_rest() {
        assert_eq!(stamp(3_000_000_007), [3, 0, 0, 0, 7, 0, 0, 0]);
        assert_eq!(stamp(u64::MAX)[..4], i32::MAX.to_le_bytes());
    }
}
