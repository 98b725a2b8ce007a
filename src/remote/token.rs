//! The word that clients must say who come from other machines.

use rand::TryRng as _;
use rand::rngs::SysRng;

/// A token that nobody guesses, of 32 digits.
///
/// # Errors
/// When the system has no randomness.
pub fn random() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    SysRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

/// Whether two words are the same, in a time that does not tell where they differ.
pub fn same(said: &[u8], wanted: &[u8]) -> bool {
    let differs = said.iter().zip(wanted).fold(0, |differs, (a, b)| differs | (a ^ b));
    std::hint::black_box(differs) == 0 && said.len() == wanted.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let (one, other) = (random().unwrap(), random().unwrap());
        assert!(one.len() == 32 && one != other);
    }

    #[test]
    fn only_the_whole_word_is_the_same() {
        assert!(same(b"abc", b"abc"));
        assert!(!same(b"abd", b"abc") && !same(b"ab", b"abc") && !same(b"abcd", b"abc") && !same(b"", b"abc"));
    }
}
