//! The token that clients on other machines must send first.

use rand::TryRng as _;
use rand::rngs::SysRng;

/// A random token of 32 hexadecimal digits.
///
/// # Errors
/// When the system has no source of randomness.
pub fn random() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    SysRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

/// Whether two words are equal, in a time that does not depend on their first difference.
pub fn is_equal(word: &[u8], token: &[u8]) -> bool {
    let differs = word.iter().zip(token).fold(0, |differs, (a, b)| differs | (a ^ b));
    std::hint::black_box(differs) == 0 && word.len() == token.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_differ() {
        let (one, other) = (random().unwrap(), random().unwrap());
        assert!(one.len() == 32 && one != other);
    }

    #[test]
    fn tokens_are_compared_as_a_whole() {
        assert!(is_equal(b"abc", b"abc"));
        assert!(
            !is_equal(b"abd", b"abc")
                && !is_equal(b"ab", b"abc")
                && !is_equal(b"abcd", b"abc")
                && !is_equal(b"", b"abc")
        );
    }
}
