//! Files that are whole or not there: written beside, as `NAME.partial`, and renamed.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};

/// Writes a file beside and renames it. When that fails, what was there before stays.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let beside = partial(path);
    let written = fs::write(&beside, content).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first thing that went wrong is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written.with_context(|| cannot_write(path))
}

/// What messages say when a file cannot be written.
pub fn cannot_write(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}

/// The name of a file while it is written.
pub fn partial(path: &Path) -> PathBuf {
    path.with_added_extension("partial")
}

/// The bytes of a file, when there are not too many of them.
///
/// # Errors
/// Says what is wrong; the name of the file is for the caller to say.
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let unreadable = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    let too_large = || format!("is larger than {} MiB", most >> 20);
    let metadata = path.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err("is a folder, not a file".into());
    }
    if metadata.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // Devices and pipes do not tell their length beforehand.
    File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Takes a name that nobody has: the wanted one, or the same with a number. Until a file has it, the partial one is there,
/// and a folder is made at once.
///
/// # Errors
/// When there is no way to write there.
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
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

/// The path of a file that is named relative to a folder, and is in it or further down.
///
/// # Errors
/// When there is no such file, or it is elsewhere: a scene from somebody else opens no file but those beside it.
pub fn within(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let outside = || format!("`{name}` is outside the folder of the scene");
    if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let missing = |_| format!("there is no file `{name}` in the folder of the scene");
    let (folder, path) = (folder.canonicalize().map_err(missing)?, folder.join(name).canonicalize().map_err(missing)?);
    // A link may lead elsewhere.
    if !path.starts_with(&folder) {
        return Err(outside());
    }
    // A pipe would keep whoever reads it waiting.
    if path.is_file() { Ok(path) } else { Err(format!("`{name}` is no file")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_once() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.b.png");
        let name = |is_folder| claim(&path, is_folder).unwrap().file_name().unwrap().to_owned();
        assert_eq!([name(false), name(false)], ["a.b.png", "a.b-2.png"]);
        write_whole(&path, "text").unwrap();
        assert_eq!([name(false), name(true), name(true)], ["a.b-3.png", "a.b-4.png", "a.b-5.png"]);
        assert!(claim(&place.path().join("none/a.png"), false).is_err());
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_nothing_beside() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("folder");
        fs::create_dir(&path).unwrap();
        assert!(write_whole(&path, "text").is_err());
        assert!(path.is_dir() && !partial(&path).exists());
    }
}
