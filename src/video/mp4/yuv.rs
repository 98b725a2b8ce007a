//! From red, green and blue to the luma and the halved chroma of video (ITU-R BT.709, limited range).

use openh264::formats::YUVSource;

/// A frame in the format of the encoder.
pub(super) struct Yuv {
    width: usize,
    height: usize,
    luma: Vec<u8>,
    blue: Vec<u8>,
    red: Vec<u8>,
}

/// Weights of red, green and blue in 65,536ths.
const LUMA: [i32; 3] = [11_966, 40_254, 4_064];
const BLUE: [i32; 3] = [-6_596, -22_189, 28_785];
const RED: [i32; 3] = [28_785, -26_145, -2_640];
const HALF: i32 = 1 << 15;

impl Yuv {
    /// A black frame with even sides.
    pub fn new(width: u32, height: u32) -> Self {
        let (width, height) = (width as usize, height as usize);
        let quarter = width * height / 4;
        Self { width, height, luma: vec![16; width * height], blue: vec![128; quarter], red: vec![128; quarter] }
    }

    /// Reads the pixels of a frame.
    pub fn read(&mut self, rgba: &[u8]) {
        let pixels = rgba.as_chunks::<4>().0;
        for (pixel, luma) in pixels.iter().zip(&mut self.luma) {
            *luma = weighted([pixel[0], pixel[1], pixel[2]].map(i32::from), LUMA, 16);
        }
        let rows = pixels.chunks_exact(self.width * 2).map(|two| two.split_at(self.width));
        let half = self.width / 2;
        for ((upper, lower), (blue, red)) in
            rows.zip(self.blue.chunks_exact_mut(half).zip(self.red.chunks_exact_mut(half)))
        {
            let pairs = upper.as_chunks::<2>().0.iter().zip(lower.as_chunks::<2>().0);
            for (([a, b], [c, d]), (blue, red)) in pairs.zip(blue.iter_mut().zip(red)) {
                let mean = std::array::from_fn(|channel| {
                    let sum = [a, b, c, d].into_iter().map(|pixel| i32::from(pixel[channel])).sum::<i32>();
                    (sum + 2) / 4
                });
                *blue = weighted(mean, BLUE, 128);
                *red = weighted(mean, RED, 128);
            }
        }
    }
}

/// A weighted sum above a base; it fits into a byte.
fn weighted([red, green, blue]: [i32; 3], weights: [i32; 3], base: i32) -> u8 {
    (((weights[0] * red + weights[1] * green + weights[2] * blue + HALF) >> 16) + base).clamp(0, 255) as u8
}

impl YUVSource for Yuv {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }

    fn y(&self) -> &[u8] {
        &self.luma
    }

    fn u(&self) -> &[u8] {
        &self.blue
    }

    fn v(&self) -> &[u8] {
        &self.red
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yuv_colours_are_those_of_bt709() {
        // Luma, blue and red of the 100 % colour bars.
        let bars = [
            ([255, 255, 255], [235, 128, 128]),
            ([0, 0, 0], [16, 128, 128]),
            ([255, 0, 0], [63, 102, 240]),
            ([0, 255, 0], [173, 42, 26]),
            ([0, 0, 255], [32, 240, 118]),
        ];
        for ([r, g, b], expected) in bars {
            let mut yuv = Yuv::new(2, 2);
            yuv.read(&[r, g, b, 255].repeat(4));
            assert_eq!([yuv.luma[3], yuv.blue[0], yuv.red[0]], expected, "{r} {g} {b}");
        }
    }

    #[test]
    fn yuv_chroma_is_the_mean_of_four_pixels() {
        let mut yuv = Yuv::new(4, 2);
        let (black, blue) = ([0, 0, 0, 255], [0, 0, 255, 255]);
        yuv.read(&[black, blue, black, black, black, blue, black, black].concat());
        assert_eq!(yuv.blue.as_slice(), &[184, 128][..]);
        assert_eq!(yuv.luma[1], 32);
    }
}
