//! Reading and writing of files.
//!
//! While a file is written, its name is `NAME.partial`. Only regular files are opened: a pipe can block its reader for
//! ever, and a device can have no end. All files of the workspace are opened here; a test looks for others.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail};
use thiserror::Error;

/// Reason why a file cannot be read. The caller adds the name of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// No file has this name.
    #[error("there is no such file")]
    Missing,
    /// The name is that of a folder.
    #[error("is a folder, not a file")]
    Folder,
    /// The name is that of a pipe, a device or a socket.
    #[error("is not a regular file: pipes and devices are neither read nor replaced")]
    Irregular,
    /// The operating system refuses to read the file.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file is larger than the caller allows.
    #[error("is larger than {}", size(*.limit_bytes))]
    TooLarge {
        /// The largest allowed size.
        limit_bytes: u64,
    },
    /// The file is not in UTF-8.
    #[error("is not a text in UTF-8")]
    NotText,
    /// A newer version of the program wrote the file.
    #[error("is of format {found}, and this program reads up to {newest}")]
    NewerFormat {
        /// The version of the format of the file.
        found: u64,
        /// The newest version that this program reads.
        newest: u32,
    },
}

impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        let kind = if error == FileError::Missing { ErrorKind::NotFound } else { ErrorKind::Other };
        Self::new(kind, error)
    }
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Missing,
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

/// Reason why a name does not lead to a file within a folder.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LookupError {
    /// The name leads out of the folder.
    #[error("`{0}` is outside the folder of the scene")]
    Outside(String),
    /// The folder contains no file of this name.
    #[error("there is no file `{0}` in the folder of the scene")]
    Missing(String),
    /// The name is that of a folder, a pipe or a device.
    #[error("`{0}` is not a regular file")]
    Irregular(String),
}

/// Writes a file under its partial name and renames it. If that fails, an existing file is left unchanged.
///
/// # Errors
/// When the file cannot be written, or another process is writing it.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    Draft::begin(path)?.complete(content.as_ref())
}

/// Message for a file that cannot be written.
pub fn cannot_write(path: &Path) -> String {
    format!("{}: cannot be written", shown(path))
}

/// Name of a file while it is written.
pub fn partial(path: &Path) -> PathBuf {
    path.with_added_extension("partial")
}

/// Name of a file for messages: control characters and bytes that are not UTF-8 are escaped.
pub fn shown(name: impl AsRef<OsStr>) -> String {
    let mut shown = String::new();
    for chunk in name.as_ref().as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
        }
        shown += &chunk.invalid().escape_ascii().to_string();
    }
    shown
}

/// A file that is being written under the name [`partial`], locked against other processes.
///
/// A draft that is dropped stays under that name unless it is empty, and so does the draft of a process that was
/// killed. The next process that writes the file replaces such a draft.
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    has_failed: bool,
    /// Whether the partial file was renamed or removed.
    is_gone: bool,
}

impl Draft {
    /// Starts an empty draft of a file.
    ///
    /// # Errors
    /// When the draft cannot be written, another process is writing it, or the name is that of a folder, a pipe or a
    /// device.
    pub fn begin(path: &Path) -> anyhow::Result<Self> {
        Self::open(path).with_context(|| cannot_write(path))
    }

    fn open(path: &Path) -> io::Result<Self> {
        if path.as_os_str().to_string_lossy().ends_with(std::path::is_separator) {
            return Err(io::Error::other("is the name of a folder"));
        }
        if let Ok(there) = path.metadata() {
            check_regular(&there).map_err(io::Error::other)?;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder
            && matches!(folder.try_exists(), Ok(false))
        {
            return Err(io::Error::other(format!("there is no folder {}", shown(folder))));
        }
        let beside = partial(path);
        loop {
            // A pipe of that name would block the process, and a link would lead to another file.
            if beside.symlink_metadata().is_ok_and(|there| !there.is_file()) {
                return Err(io::Error::other(format!("{} is in the way", shown(&beside))));
            }
            let file = File::options().read(true).write(true).create(true).truncate(false).open(&beside)?;
            hold_file(&file)?;
            // The process that held the lock may have renamed the file in the meantime.
            if is_at(&file, &beside) {
                file.set_len(0)?;
                return Ok(Self { file, path: path.into(), has_failed: false, is_gone: false });
            }
        }
    }

    /// Final name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, for writers that repair it after a failure.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Fills this many bytes with blanks, so that a later [`replace`](Self::replace) needs no more space on the disk.
    ///
    /// # Errors
    /// When the disk does not have the space.
    pub fn reserve(&mut self, bytes: usize) -> io::Result<()> {
        self.replace(&vec![b' '; bytes])
    }

    /// Replaces the whole content.
    ///
    /// # Errors
    /// When the content cannot be written.
    pub fn replace(&mut self, content: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(content)?;
        self.file.set_len(content.len() as u64)
    }

    /// Writes the whole file and gives it its final name.
    ///
    /// # Errors
    /// When the file cannot be written; the draft is then removed.
    pub fn complete(mut self, content: &[u8]) -> anyhow::Result<()> {
        match self.replace(content) {
            Ok(()) => self.finish(),
            Err(error) => {
                let told = cannot_write(&self.path);
                self.discard();
                Err(error).context(told)
            }
        }
    }

    /// Gives the file its final name.
    ///
    /// # Errors
    /// When the file cannot be renamed; the draft then stays as it is.
    pub fn finish(self) -> anyhow::Result<()> {
        let path = self.path.clone();
        self.finish_as(&path)
    }

    /// Gives the file another name than the one given to [`begin`](Self::begin).
    ///
    /// # Errors
    /// When the file cannot be renamed; the draft then stays as it is.
    pub fn finish_as(mut self, path: &Path) -> anyhow::Result<()> {
        fs::rename(partial(&self.path), path).with_context(|| cannot_write(path))?;
        self.is_gone = true;
        Ok(())
    }

    /// Removes the draft.
    pub fn discard(mut self) {
        // A draft that cannot be removed does no harm.
        let _ = fs::remove_file(partial(&self.path));
        self.is_gone = true;
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_gone && self.file.metadata().is_ok_and(|file| file.len() == 0) {
            let _ = fs::remove_file(partial(&self.path));
        }
    }
}

/// After a failure nothing more is written: the buffered bytes would be written twice, or after a gap.
impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_failed {
            return Err(io::Error::other("an earlier part could not be written"));
        }
        let written = self.file.write(bytes);
        self.has_failed = written.as_ref().is_err_and(|error| error.kind() != ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Locks an open file or folder against other processes until it is closed. Does nothing on systems without locks.
///
/// # Errors
/// When another process holds the lock.
pub fn hold_file(file: &File) -> io::Result<()> {
    lock(|| file.try_lock())
}

/// Marks an open file or folder as in use until it is closed: no other process can then [lock](hold_file) it. Does
/// nothing on systems without locks.
///
/// # Errors
/// When another process holds the lock.
pub fn use_file(file: &File) -> io::Result<()> {
    lock(|| file.try_lock_shared())
}

/// Tries to lock a file for a tenth of a second: programs that another thread starts have the locks of this one until they
/// run.
fn lock(try_lock: impl Fn() -> Result<(), TryLockError>) -> io::Result<()> {
    for attempt in 0.. {
        match try_lock() {
            Err(TryLockError::WouldBlock) if attempt < 10 => thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::WouldBlock) => break,
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err(io::Error::new(ErrorKind::ResourceBusy, "another process is writing it"))
}

/// Locks a folder against other processes until the result is dropped. `None` where folders cannot be locked.
///
/// # Errors
/// When another process holds the lock.
pub fn hold_folder(path: &Path) -> anyhow::Result<Option<File>> {
    let folder = open_folder(path);
    if let Some(folder) = &folder {
        hold_file(folder).with_context(|| cannot_write(path))?;
    }
    Ok(folder)
}

/// Opens a folder, to lock it. `None` if there is no such folder, or where folders cannot be opened.
pub fn open_folder(path: &Path) -> Option<File> {
    if path.is_dir() { File::open(path).ok() } else { None }
}

/// Whether a path leads to this open file, which can have been deleted or replaced.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), path.metadata()), (Ok(a), Ok(b)) if same(&a, &b))
}

/// Whether a path leads to this open file. On this system an open file cannot be renamed.
#[cfg(not(unix))]
pub fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

fn check_regular(metadata: &fs::Metadata) -> Result<(), FileError> {
    match metadata {
        file if file.is_file() => Ok(()),
        folder if folder.is_dir() => Err(FileError::Folder),
        _ => Err(FileError::Irregular),
    }
}

/// Opens a file for reading.
///
/// # Errors
/// When there is no such file, or it is not a regular file.
pub fn open(path: &Path) -> Result<File, FileError> {
    open_with(path, File::options().read(true))
}

/// Opens a file with options, such as those that append to it. They can create it.
///
/// # Errors
/// When the file cannot be opened in this way, or it is not a regular file.
pub fn open_with(path: &Path, options: &OpenOptions) -> Result<File, FileError> {
    match path.metadata() {
        Ok(there) => check_regular(&there)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    Ok(options.open(path)?)
}

/// A size that is a whole number of MiB or KiB, in words.
fn size(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

/// The text of a file that is not larger than `limit_bytes`.
///
/// # Errors
/// As for [`read_at_most`], and when the file is not in UTF-8.
pub fn read_text_at_most(path: &Path, limit_bytes: u64) -> Result<String, FileError> {
    String::from_utf8(read_at_most(path, limit_bytes)?).map_err(|_| FileError::NotText)
}

/// Refuses the format of a newer version of the program.
///
/// # Errors
/// When the format is newer than the newest one that this program reads.
pub fn check_format(found: u64, newest: u32) -> Result<(), FileError> {
    if found > u64::from(newest) { Err(FileError::NewerFormat { found, newest }) } else { Ok(()) }
}

/// The bytes of a file that is not larger than `limit_bytes`.
///
/// # Errors
/// As for [`open`], and when the file is larger.
pub fn read_at_most(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, FileError> {
    let file = open(path)?;
    let too_large = FileError::TooLarge { limit_bytes };
    if file.metadata()?.len() > limit_bytes {
        return Err(too_large);
    }
    let mut bytes = Vec::new();
    // Some system files, such as those in `/proc`, report a length of 0.
    file.take(limit_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit_bytes { Err(too_large) } else { Ok(bytes) }
}

/// Reserves an unused name: the wanted one, or the same name with a number. A file is reserved by its partial file; a
/// folder is created at once.
///
/// # Errors
/// When the location is not writable.
pub fn claim(wanted: &Path, is_folder: bool) -> anyhow::Result<PathBuf> {
    for number in 1_u64.. {
        let path = if number == 1 { wanted.into() } else { numbered(wanted, number) };
        if [&path, &partial(&path)].iter().any(|path| path.symlink_metadata().is_ok()) {
            continue;
        }
        let taken = if is_folder { fs::create_dir(&path) } else { File::create_new(partial(&path)).map(drop) };
        match taken {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            taken => return taken.map(|()| path).with_context(|| cannot_write(wanted)),
        }
    }
    bail!("{}: all names are taken", cannot_write(wanted))
}

/// The same name with a number: `a-2.png`.
fn numbered(path: &Path, number: u64) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Path of a file that is named relative to a folder, and lies in it or in a subfolder.
///
/// # Errors
/// When there is no such file, or it lies elsewhere: a scene from another author opens only files beside it.
pub fn within(folder: &Path, name: &str) -> Result<PathBuf, LookupError> {
    let outside = || LookupError::Outside(name.to_owned());
    if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let missing = |_| LookupError::Missing(name.to_owned());
    let (folder, path) = (folder.canonicalize().map_err(missing)?, folder.join(name).canonicalize().map_err(missing)?);
    // A link may lead elsewhere.
    if !path.starts_with(&folder) {
        return Err(outside());
    }
    if path.is_file() { Ok(path) } else { Err(LookupError::Irregular(name.to_owned())) }
}

/// Removes an incomplete last line, such as a full disk leaves.
///
/// # Errors
/// When the file cannot be read or cut.
pub fn cut_to_whole_lines(path: &Path) -> io::Result<()> {
    const BLOCK: u64 = 4096;
    let mut file = open_with(path, File::options().read(true).write(true))?;
    let mut end = file.metadata()?.len();
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        block.clear();
        file.seek(SeekFrom::Start(start))?;
        (&file).take(end - start).read_to_end(&mut block)?;
        if let Some(newline) = block.iter().rposition(|byte| *byte == b'\n') {
            return file.set_len(start + newline as u64 + 1);
        }
        end = start;
    }
    file.set_len(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_last_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        let long = "y".repeat(10_000);
        for (text, kept) in
            [("a\nb\nc", "a\nb\n"), ("a\n", "a\n"), ("abc", ""), ("", ""), (&format!("a\n{long}"), "a\n")]
        {
            fs::write(&path, text).unwrap();
            cut_to_whole_lines(&path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), kept);
        }
    }

    #[test]
    fn claimed_names_are_numbered() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.b.png");
        let name = |is_folder| claim(&path, is_folder).unwrap().file_name().unwrap().to_owned();
        assert_eq!([name(false), name(false)], ["a.b.png", "a.b-2.png"]);
        write_whole(&path, "text").unwrap();
        assert_eq!([name(false), name(true), name(true)], ["a.b-3.png", "a.b-4.png", "a.b-5.png"]);
        assert!(claim(&place.path().join("none/a.png"), false).is_err());
    }

    #[test]
    fn a_failed_write_leaves_no_draft() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("folder");
        fs::create_dir(&path).unwrap();
        assert!(write_whole(&path, "text").is_err());
        assert!(path.is_dir() && !partial(&path).exists());
    }

    #[test]
    fn a_draft_has_one_writer() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.csv");
        fs::write(partial(&path), "left by a process that was killed").unwrap();
        let mut draft = Draft::begin(&path).unwrap();
        draft.write_all(b"one\n").unwrap();
        for refused in [Draft::begin(&path).map(drop), write_whole(&path, "two\n")] {
            let told = format!("{:#}", refused.unwrap_err());
            assert!(told.ends_with("a.csv: cannot be written: another process is writing it"), "{told}");
        }
        assert_eq!(fs::read_to_string(partial(&path)).unwrap(), "one\n");
        draft.finish().unwrap();
        write_whole(&path, "three\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three\n");
        assert!(!partial(&path).exists());
    }

    #[test]
    fn a_draft_stays_unless_it_is_empty() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.csv");
        drop(Draft::begin(&path).unwrap());
        assert!(!partial(&path).exists());
        Draft::begin(&path).unwrap().write_all(b"half").unwrap();
        assert_eq!(fs::read_to_string(partial(&path)).unwrap(), "half");
        Draft::begin(&path).unwrap().discard();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_is_locked_once() {
        let place = tempfile::tempdir().unwrap();
        let held = hold_folder(place.path()).unwrap();
        assert_eq!(hold_folder(place.path()).is_err(), held.is_some());
        drop(held);
        assert!(hold_folder(place.path()).is_ok());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn after_a_failed_write_a_file_stays_unchanged() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let mut draft = Draft { file, path: "/dev/full".into(), has_failed: false, is_gone: true };
        assert_eq!(draft.write(b"x").unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(draft.write(b"x").unwrap_err().to_string().contains("an earlier part"));
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read_and_replaced() {
        let place = tempfile::tempdir().unwrap();
        let [pipe, other] = ["a.ron", "b.ron.partial"].map(|name| place.path().join(name));
        for path in [&pipe, &other] {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        }
        for path in [pipe.as_path(), Path::new("/dev/null"), Path::new("/dev/zero"), place.path()] {
            assert!(open(path).unwrap_err().to_string().contains("is "), "{}", path.display());
            assert!(read_at_most(path, 1).is_err() && write_whole(path, "text").is_err(), "{}", path.display());
        }
        let told = format!("{:#}", write_whole(&place.path().join("b.ron"), "text").unwrap_err());
        assert!(told.ends_with("b.ron.partial is in the way"), "{told}");
        assert!(write_whole(&place.path().join("c.csv/"), "text").is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn names_are_shown_escaped() {
        use std::os::unix::ffi::OsStrExt as _;

        assert_eq!(shown(OsStr::from_bytes(b"runs/\xff\xc3\xa9\n.ron")), "runs/\\xffé\\n.ron");
    }
}
