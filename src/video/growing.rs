//! A file that grows and is whole after every addition.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::Context as _;
use swarmarium_base::files::{Draft, cannot_write};

/// A file that is written beside and gets its name at the end. Its tail, which ends every whole file of its format,
/// follows whatever was added last.
pub(super) struct Growing {
    draft: Draft,
    /// Where the next addition goes.
    end: u64,
    tail: &'static [u8],
}

impl Growing {
    /// A file with nothing but a head and its tail.
    ///
    /// # Errors
    /// When it cannot be written, or another process is writing it.
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

    /// Where the file will be.
    pub fn path(&self) -> &Path {
        self.draft.path()
    }

    /// Where the next addition goes.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Adds parts, one after the other. When that fails, the file is as before.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, parts: &[&[u8]]) -> anyhow::Result<()> {
        let added = self.try_append(parts);
        if added.is_err() {
            // What stood here before had room for the tail.
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

    /// Replaces what stands at a place.
    ///
    /// # Errors
    /// When it cannot be written.
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
    /// When it cannot be read or written.
    pub fn copy(&mut self, at: u64, length: u64, to: &mut impl io::Write) -> io::Result<()> {
        let file = self.draft.file();
        file.seek(SeekFrom::Start(at))?;
        let copied = io::copy(&mut file.take(length), to)?;
        if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When it cannot be renamed.
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
    fn the_file_is_whole_after_every_addition() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.bin");
        let read = || fs::read_to_string(partial(&path)).unwrap();
        let mut file = Growing::create(&path, b"head,", b"tail").unwrap();
        assert_eq!(read(), "head,tail");
        file.append(&[b"one,", b"two,"]).unwrap();
        file.patch(0, b"HEAD").unwrap();
        assert_eq!(read(), "HEAD,one,two,tail");
        let mut copy = Vec::new();
        file.copy(5, 4, &mut copy).unwrap();
        assert_eq!((copy.as_slice(), file.end()), (&b"one,"[..], 13));
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "HEAD,one,two,tail");
        assert!(!partial(&path).exists());
    }
}
