//! Archives: zip files with few and small members, written the same byte for byte and read with distrust.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};
use std::path::{Component, Path};

use swarmarium_base::files::{self, FileError};
use thiserror::Error;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// The largest size of an archive, and of all of its members together, in bytes.
pub const MAX_BYTES: u64 = 64 << 20;
/// The largest number of members.
pub const MAX_MEMBERS: usize = 1000;
/// The largest length of the name of a member, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// The members of an archive, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive(pub BTreeMap<String, Vec<u8>>);

/// The reason why an archive can be neither read nor written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArchiveError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not an archive, or its directory is damaged.
    #[error("is not an archive, or a damaged one: {0}")]
    Damaged(String),
    /// The archive has too many members.
    #[error("has more than {MAX_MEMBERS} members")]
    TooManyMembers,
    /// Two members have the same name.
    #[error("two of its members have the same name")]
    RepeatedName,
    /// The members are too large together.
    #[error("its members are larger than {} MiB together", MAX_BYTES >> 20)]
    TooLarge,
    /// A member cannot be used.
    #[error("its member `{name}` {error}")]
    Member {
        /// The name of the member.
        name: String,
        /// The reason.
        error: MemberError,
    },
}

/// The reason why a member of an archive cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MemberError {
    /// The name is absolute, leads out of the archive, or is too long.
    #[error("has a name that is not allowed: expected a relative path without `..`")]
    Name,
    /// The member is a symbolic link.
    #[error("is a symbolic link")]
    Link,
    /// The member cannot be unpacked.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// The member is not text.
    #[error("is not text in UTF-8")]
    NoText,
    /// The member is missing.
    #[error("is missing")]
    Missing,
}

impl MemberError {
    fn in_member(self, name: &str) -> ArchiveError {
        ArchiveError::Member { name: name.escape_debug().to_string(), error: self }
    }
}

/// Whether a name is a relative path in plain parts.
fn is_allowed(name: &str) -> bool {
    let is_plain = |part: Component| matches!(part, Component::Normal(_));
    let has_drive = name.contains(':');
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && !name.contains(['\\', '\0'])
        && !has_drive
        && !name.starts_with('/')
        && Path::new(name).components().all(is_plain)
}

/// A name of a member for the name of a file: characters and parts of a path that no member can have are `_`, and of a name
/// that is too long, the end is left.
pub fn member_name(folder: &str, file: &str) -> String {
    let part = |part: &str| match part {
        "" | "." | ".." => "_".to_owned(),
        part => part.chars().map(|c| if c.is_control() || c == ':' || c == '\\' { '_' } else { c }).collect(),
    };
    let name = file.trim_start_matches("./").split('/').map(part).collect::<Vec<_>>().join("/");
    let most = MAX_NAME_BYTES.saturating_sub(folder.len());
    let too_much = name.len().saturating_sub(most);
    let from = (too_much..name.len()).find(|at| name.is_char_boundary(*at)).unwrap_or_default();
    format!("{folder}{}", name[from..].trim_start_matches('/'))
}

impl Archive {
    /// The archive as a file. Equal members give equal bytes.
    ///
    /// # Errors
    /// When there are too many members, they are too large, or one has a name that is not allowed.
    pub fn write(&self) -> Result<Vec<u8>, ArchiveError> {
        if self.0.len() > MAX_MEMBERS {
            return Err(ArchiveError::TooManyMembers);
        }
        if self.0.values().map(|bytes| bytes.len() as u64).sum::<u64>() > MAX_BYTES {
            return Err(ArchiveError::TooLarge);
        }
        let damaged = |error: ZipError| ArchiveError::Damaged(error.to_string());
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in &self.0 {
            if !is_allowed(name) {
                return Err(MemberError::Name.in_member(name));
            }
            writer.start_file(name.as_str(), options).map_err(damaged)?;
            writer.write_all(bytes).map_err(|error| ArchiveError::Damaged(error.to_string()))?;
        }
        Ok(writer.finish().map_err(damaged)?.into_inner())
    }

    /// Reads an archive. Folders are left out.
    ///
    /// # Errors
    /// When it is damaged or too large, or a member has a name that is not allowed, is there twice, or is a link.
    pub fn read(bytes: &[u8]) -> Result<Self, ArchiveError> {
        let mut archive =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| ArchiveError::Damaged(error.to_string()))?;
        if archive.len() > MAX_MEMBERS {
            return Err(ArchiveError::TooManyMembers);
        }
        if archive.has_duplicate_names() {
            return Err(ArchiveError::RepeatedName);
        }
        let (mut members, mut left) = (BTreeMap::new(), MAX_BYTES);
        for index in 0..archive.len() {
            let name = match archive.name_for_index(index) {
                Some(Ok(name)) => name.into_owned(),
                _ => return Err(MemberError::Name.in_member(&format!("number {}", index + 1))),
            };
            let damaged = |error: String| MemberError::Damaged(error).in_member(&name);
            let member = archive.by_index(index).map_err(|error| damaged(error.to_string()))?;
            if !is_allowed(name.trim_end_matches('/')) {
                return Err(MemberError::Name.in_member(&name));
            }
            if member.is_symlink() {
                return Err(MemberError::Link.in_member(&name));
            }
            if member.is_dir() {
                continue;
            }
            // The sizes in the directory may be wrong.
            let mut content = Vec::new();
            member.take(left + 1).read_to_end(&mut content).map_err(|error| damaged(error.to_string()))?;
            left = left.checked_sub(content.len() as u64).ok_or(ArchiveError::TooLarge)?;
            members.insert(name, content);
        }
        Ok(Self(members))
    }

    /// Reads the archive in a file.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Self::read(&files::read_at_most(path, MAX_BYTES)?)
    }

    /// The text of a member.
    ///
    /// # Errors
    /// When the member is missing, or no text.
    pub fn text(&self, name: &str) -> Result<&str, ArchiveError> {
        let bytes = self.0.get(name).ok_or_else(|| MemberError::Missing.in_member(name))?;
        std::str::from_utf8(bytes).map_err(|_| MemberError::NoText.in_member(name))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn archive() -> Archive {
        let members = [("b/c.txt", "some text, some text, some text"), ("a.txt", "")];
        Archive(members.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into())
    }

    /// An archive with one member that the writer of this program would refuse.
    fn with(write: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) -> Result<Archive, ArchiveError> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        write(&mut writer);
        Archive::read(&writer.finish().unwrap().into_inner())
    }

    #[test]
    fn an_archive_round_trips_byte_for_byte() {
        let bytes = archive().write().unwrap();
        assert_eq!(bytes, archive().write().unwrap());
        assert_eq!(Archive::read(&bytes), Ok(archive()));
        assert_eq!(archive().text("c"), Err(MemberError::Missing.in_member("c")));
    }

    #[test]
    fn archive_names_outside_the_folder_are_refused() {
        for name in ["../x", "/x", "a/../../x", "C:/x", "a\\x", "", "./../x"] {
            let members = Archive([(name.to_owned(), Vec::new())].into());
            assert_eq!(members.write(), Err(MemberError::Name.in_member(name)), "{name}");
        }
        for name in ["../x", "a/../../x", "a\\..\\x"] {
            let read = with(|writer| writer.start_file(name, SimpleFileOptions::default()).unwrap());
            assert!(matches!(read, Err(ArchiveError::Member { error: MemberError::Name, .. })), "{name}: {read:?}");
        }
    }

    #[test]
    fn every_file_name_becomes_an_allowed_archive_name() {
        assert_eq!(member_name("source/", "./a/b.csv"), "source/a/b.csv");
        assert_eq!(member_name("source/", "10:30 \\ x.ron"), "source/10_30 _ x.ron");
        assert_eq!(member_name("source/", "../x"), "source/_/x");
        for name in ["", "/", "C:/x", "a//b", "a\nb", "\\\\host\\x", &"ä/".repeat(200), &"x".repeat(300)] {
            let name = member_name("source/", name);
            assert!(is_allowed(&name), "{name}");
        }
    }

    #[test]
    fn archives_with_links_or_huge_members_are_refused() {
        let link = with(|writer| writer.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap());
        assert_eq!(link, Err(MemberError::Link.in_member("link")));
        let many = with(|writer| {
            for place in 0..=MAX_MEMBERS {
                writer.start_file(place.to_string(), SimpleFileOptions::default()).unwrap();
            }
        });
        assert_eq!(many, Err(ArchiveError::TooManyMembers));
        let large = with(|writer| {
            writer.start_file("zeros", SimpleFileOptions::default()).unwrap();
            let zeros = vec![0; 1 << 20];
            (0..=MAX_BYTES >> 20).for_each(|_| writer.write_all(&zeros).unwrap());
        });
        assert_eq!(large, Err(ArchiveError::TooLarge));
    }

    #[test]
    fn a_damaged_archive_member_is_named() {
        let mut bytes = archive().write().unwrap();
        // In the data of `b/c.txt`, which follow the name of the last local header.
        let at = bytes.windows(7).rposition(|part| part == b"b/c.txt").unwrap();
        let local = bytes.windows(7).position(|part| part == b"b/c.txt").unwrap();
        assert_ne!(at, local);
        bytes[local + 9] ^= 0xff;
        let error = Archive::read(&bytes).unwrap_err();
        assert!(matches!(&error, ArchiveError::Member { name, error: MemberError::Damaged(_) } if name == "b/c.txt"));
    }

    proptest! {
        #[test]
        fn a_damaged_archive_is_an_error_or_reads_the_same(at in 0_usize..400, mask in 1_u8.., cut in 0_usize..400) {
            let mut bytes = archive().write().unwrap();
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= mask;
            }
            let _ = Archive::read(&bytes);
            bytes.truncate(cut);
            let _ = Archive::read(&bytes);
        }
    }
}
