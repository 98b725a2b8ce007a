//! A file that grows and is whole after every addition.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::files::{cannot_write, partial};

/// A file that is written beside and gets its name at the end. Its tail, which ends every whole file of its format,
/// follows whatever was added last.
pub(super) struct Growing {
    file: File,
    path: PathBuf,
    /// Where the next addition goes.
    end: u64,
    tail: &'static [u8],
}

impl Growing {
    /// A file with nothing but a head and its tail.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, head: &[u8], tail: &'static [u8]) -> anyhow::Result<Self> {
        let open = || File::options().read(true).write(true).create(true).truncate(true).open(partial(path));
        let file = open().with_context(|| cannot_write(path))?;
        let mut growing = Self { file, path: path.into(), end: 0, tail };
        growing.append(&[head])?;
        Ok(growing)
    }

    /// Where the file will be.
    pub fn path(&self) -> &Path {
        &self.path
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
            let _ = self.file.set_len(self.end + tail.len() as u64).and_then(|()| self.write_at(self.end, &[tail]));
        }
        self.end += added.with_context(|| cannot_write(&self.path))?;
        Ok(())
    }

    fn try_append(&mut self, parts: &[&[u8]]) -> io::Result<u64> {
        self.write_at(self.end, parts)?;
        self.file.write_all(self.tail)?;
        Ok(parts.iter().map(|part| part.len() as u64).sum())
    }

    /// Replaces what stands at a place.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_at(at, &[bytes]).with_context(|| cannot_write(&self.path))
    }

    fn write_at(&mut self, at: u64, parts: &[&[u8]]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        parts.iter().try_for_each(|part| self.file.write_all(part))
    }

    /// Copies a part of the file.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn copy(&mut self, at: u64, length: u64, to: &mut impl io::Write) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        let copied = io::copy(&mut (&self.file).take(length), to)?;
        if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn finish(self) -> anyhow::Result<()> {
        fs::rename(partial(&self.path), &self.path).with_context(|| cannot_write(&self.path))
    }

    /// Removes the file.
    pub fn discard(self) {
        // It is not needed any more: there is nobody to tell.
        let _ = fs::remove_file(partial(&self.path));
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error_and_no_panic() {
        let full = Path::new("/dev/full");
        let file = File::options().read(true).write(true).open(full).unwrap();
        let mut growing = Growing { file, path: full.into(), end: 0, tail: b"tail" };
        assert!(format!("{:#}", growing.append(&[b"x"]).unwrap_err()).contains("/dev/full: cannot be written"));
        assert_eq!(growing.end(), 0);
    }
}
