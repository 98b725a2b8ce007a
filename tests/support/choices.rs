//! Seeded choices and changes of texts, for tests that draw their inputs.

use std::env;
use std::sync::Mutex;
use std::thread;

/// The number of rounds of a random test: `name` in the environment, which `.ci/run --long` raises, or the usual number.
pub fn rounds(name: &str, usual: usize) -> usize {
    env::var(name).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}

/// Does a number of rounds with two threads, and fails with the faults that were found in them.
#[track_caller]
pub fn try_rounds(rounds: usize, fault: impl Fn(usize) -> Option<String> + Sync) {
    let (next, faults) = (Mutex::new(0..rounds), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(round) = next.lock().unwrap().next() else { return };
                    if let Some(fault) = fault(round) {
                        faults.lock().unwrap().push(format!("round {round}: {fault}"));
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} of {rounds}\n{}", faults.len(), faults.join("\n"));
}

/// Lehmer's generator: the same choices each time.
pub struct Choices(u64);

impl Choices {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1))
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0xDA94_2042_E4DD_58B5).wrapping_add(1);
        (self.0 >> 33) as usize % bound.max(1)
    }

    /// One of several.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A linear congruential generator: the same numbers each time.
pub struct Dice(pub u64);

impl Dice {
    /// A number below a bound.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// A coordinate from 1 m to 11 m.
    pub fn meters(&mut self) -> f64 {
        1.0 + self.below(1000) as f64 / 100.0
    }
}

/// The pieces of a text: words, numbers and single marks.
pub fn pieces(text: &str) -> Vec<String> {
    let is_mark = |c: char| "<>/=\"' ,;:()[]{}\n".contains(c);
    let mut pieces = vec![String::new()];
    for c in text.chars() {
        let starts = is_mark(c) || pieces.last().and_then(|piece| piece.chars().last()).is_none_or(is_mark);
        if starts {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(c);
    }
    pieces
}

const ODD: [&str; 20] = [
    "1e308",
    "-0",
    "nan",
    "9999999",
    "",
    "\u{1}",
    "&#0;",
    "<![CDATA[",
    "-->",
    "é",
    "0x1p3",
    "1e-320",
    "%",
    "inf",
    "-1",
    "1e9",
    "18446744073709551616",
    "0.0",
    "\"",
    "(((((((",
];

const NUMBERS: [&str; 10] = ["0", "1", "2", "-1", "0.5", "1e-9", "200", "-3.7", "1e5", "6"];

/// A text with one to four pieces that are dropped, doubled, or taken from another text, or numbers that change.
pub fn mixed(choices: &mut Choices, text: &[String], other: &[String]) -> String {
    let mut text = text.to_vec();
    for _ in 0..=choices.below(4) {
        let at = choices.below(text.len());
        match choices.below(7) {
            0 if text.len() > 1 => drop(text.remove(at)),
            1 => text.insert(at, text[at].clone()),
            2 => text[at].clone_from(choices.one(other)),
            3 => text[at] = (*choices.one(&ODD)).to_owned(),
            4 => text.insert(at, choices.one(other).clone()),
            _ => {
                let is_number = |piece: &String| piece.parse::<f64>().is_ok();
                let numbers: Vec<usize> = (0..text.len()).filter(|at| is_number(&text[*at])).collect();
                if !numbers.is_empty() {
                    text[*choices.one(&numbers)] = (*choices.one(&NUMBERS)).to_owned();
                }
            }
        }
    }
    text.concat()
}

/// The bytes of a file with some of them changed, cut off, doubled or moved.
pub fn damaged(choices: &mut Choices, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = choices.below(bytes.len());
    match choices.below(4) {
        0 => bytes.truncate(at),
        1 => {
            let end = bytes.len().min(at + 1 + choices.below(200));
            let part = bytes[at..end].to_vec();
            let place = choices.below(bytes.len());
            bytes.splice(place..place, part);
        }
        2 => {
            let end = bytes.len().min(at + 1 + choices.below(200));
            bytes.drain(at..end);
        }
        _ => {
            for _ in 0..=choices.below(8) {
                let at = choices.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = choices.below(256) as u8;
                }
            }
        }
    }
    bytes
}
