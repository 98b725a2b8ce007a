//! A file that grows and is valid after every addition.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::Context as _;
use swarmarium_base::files::{Draft, cannot_write};

/// A file that grows under a temporary name and gets its name at the end. The tail, which ends every valid file of the
/// format, follows the last addition.
pub(super) struct GrowingFile {
    draft: Draft,
    /// The position of the next addition, in bytes.
    end: u64,
    tail: &'static [u8],
}

impl GrowingFile {
    /// Creates a file with a head and a tail.
    ///
    /// # Errors
    /// When the file cannot be written, or another process is writing it.
    pub fn create(path: &Path, head: &[u8], tail: &'static [u8]) -> anyhow::Result<Self> {
        let mut growing = Self { draft: Draft::begin(path)?, end: 0, tail };
        match growing.append(&[head]) {
            Ok(()) => Ok(growing),
            Err(error) => {
                growing.discard();
                Err(error)
            }
        }
    }

    /// The final path of the file.
    pub fn path(&self) -> &Path {
        self.draft.path()
    }

    /// The position of the next addition, in bytes.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Adds parts, one after the other. After an error, the file is as it was before.
    ///
    /// # Errors
    /// When the parts cannot be written.
    pub fn append(&mut self, parts: &[&[u8]]) -> anyhow::Result<()> {
        let added = self.try_append(parts);
        if added.is_err() {
            // The file had space for the tail before.
            let tail = self.tail;
            let cut = self.draft.file().set_len(self.end + tail.len() as u64);
            let _ = cut.and_then(|()| self.write_at(self.end, &[tail]));
        }
        self.end += added.with_context(|| cannot_write(self.path()))?;
        Ok(())
    }

    fn try_append(&mut self, parts: &[&[u8]]) -> io::Result<u64> {
        self.write_at(self.end, parts)?;
        self.draft.file().write_all(self.tail)?;
        Ok(parts.iter().map(|part| part.len() as u64).sum())
    }

    /// Replaces the bytes at a position.
    ///
    /// # Errors
    /// When the bytes cannot be written.
    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_at(at, &[bytes]).with_context(|| cannot_write(self.path()))
    }

    fn write_at(&mut self, at: u64, parts: &[&[u8]]) -> io::Result<()> {
        let file = self.draft.file();
        file.seek(SeekFrom::Start(at))?;
        parts.iter().try_for_each(|part| file.write_all(part))
    }

    /// Copies a part of the file.
    ///
    /// # Errors
    /// When the part cannot be read or written.
    pub fn copy(&mut self, at: u64, length: u64, to: &mut impl io::Write) -> io::Result<()> {
        let file = self.draft.file();
        file.seek(SeekFrom::Start(at))?;
        let copied = io::copy(&mut file.take(length), to)?;
        if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the file cannot be renamed.
    pub fn finish(self) -> anyhow::Result<()> {
        self.draft.finish()
    }

    /// Removes the file.
    pub fn discard(self) {
        self.draft.discard();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use swarmarium_base::files::partial;

    use super::*;

    #[test]
    fn a_growing_file_is_valid_after_every_addition() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.bin");
        let read = || fs::read_to_string(partial(&path)).unwrap();
        let mut file = GrowingFile::create(&path, b"head,", b"tail").unwrap();
        assert_eq!(read(), "head,tail");
        file.append(&[b"one,", b"two,"]).unwrap();
        file.patch(0, b"HEAD").unwrap();
        assert_eq!(read(), "HEAD,one,two,tail");
        let mut copy = Vec::new();
        file.copy(5, 4, &mut copy).unwrap();
        assert_eq!(copy.as_slice(), &b"one,"[..]);
        assert_eq!(file.end(), 13);
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "HEAD,one,two,tail");
        assert!(!partial(&path).exists());
    }
}
