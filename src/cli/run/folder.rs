//! The folder of a run, and the files in it.
//!
//! Files are called `NAME.partial` until they are complete. One process at a time writes into a folder.
//! Only files of runs are deleted.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::iter;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};
use swarmarium_base::files::{hold_folder, partial, shown, write_whole};
use swarmarium_formats::run_folder::{FolderKind, MANIFEST};

/// All files that a run may write.
const FILES: &[&str] =
    &[MANIFEST, "scene.ron", "edits.ron", "timeline.ron", "metrics.csv", "trace.csv", "hash.csv", "events.csv"];

/// The folder of a run.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The lock on the folder, which is released on drop.
    _lock: Option<File>,
}

/// The endings of files that users can expect in place of a folder.
const FILE_ENDINGS: [&str; 8] = ["csv", "json", "txt", "ron", "html", "mp4", "gif", "zip"];

/// Refuses a new folder with the ending of a file: results are several files.
///
/// # Errors
/// With the name of a folder in its place.
pub fn check_is_folder_name(path: &Path) -> anyhow::Result<()> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    ensure!(
        path.exists() || !FILE_ENDINGS.contains(&ending.as_str()),
        "{}: results are a folder with several files; name one without `.{ending}`, such as {}",
        shown(path),
        shown(path.with_extension(""))
    );
    Ok(())
}

impl Folder {
    /// Creates a folder for a run or a batch, or opens an existing one, which must be empty or have files to replace.
    ///
    /// # Errors
    /// When the folder exists and must not be replaced, cannot be created, or another process writes into it.
    pub fn open(path: &Path, kind: FolderKind, overwrite: bool) -> anyhow::Result<Self> {
        let name = shown(path);
        ensure!(name != "-", "--output -: the results are a folder; `--json` prints the last values");
        check_is_folder_name(path)?;
        let made = match path.parent() {
            // If two processes create the same folder, one of them gets an error.
            Some(parent) if !path.exists() => fs::create_dir_all(parent).and_then(|()| fs::create_dir(path)),
            _ => Err(ErrorKind::AlreadyExists.into()),
        };
        match made {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && !path.is_dir() => {
                bail!("{name}: is not a folder");
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                // Nothing is advised that would then be refused.
                check_replaceable(path, kind)?;
                let resume = if kind == FolderKind::Batch { "--resume continues it, and " } else { "" };
                ensure!(
                    overwrite || is_empty(path),
                    "{name}: exists already; {resume}--overwrite replaces what a run wrote into it"
                );
            }
            made => made.with_context(|| format!("{name}: cannot be created"))?,
        }
        Self::lock(path.into())
    }

    fn lock(path: PathBuf) -> anyhow::Result<Self> {
        let lock = hold_folder(&path)?;
        Ok(Self { path, _lock: lock })
    }

    /// Creates a folder of this name, with a number if the name is taken.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn numbered(parent: &Path, name: &str) -> anyhow::Result<Self> {
        let cannot = |path: &Path, error: io::Error| {
            anyhow!("{}: cannot be created: {error}; --output names another folder", shown(path))
        };
        fs::create_dir_all(parent).map_err(|error| cannot(parent, error))?;
        let mut path = parent.join(name);
        for number in 2_u32.. {
            match fs::create_dir(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    path = parent.join(format!("{name}-{number}"));
                }
                made => {
                    made.map_err(|error| cannot(&path, error))?;
                    break;
                }
            }
        }
        Self::lock(path)
    }

    /// The latest folder that [`numbered`](Self::numbered) made of this name.
    pub fn latest(parent: &Path, name: &str) -> Option<PathBuf> {
        let numbered = (2_u32..).map(|number| parent.join(format!("{name}-{number}")));
        let all = iter::once(parent.join(name)).chain(numbered);
        all.take_while(|path| path.exists()).last()
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the files of an earlier run, so that the folder never contains files of two runs.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn clear(&self) -> anyhow::Result<()> {
        for name in FILES {
            for path in [self.path.join(name), partial(&self.path.join(name))] {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(error).with_context(|| format!("{}: cannot be replaced", shown(&path)));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Writes a complete file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        write_whole(&self.path.join(name), text)
    }
}

/// Whether a folder has parts of files, as a run that was killed leaves them.
pub(super) fn was_killed(path: &Path) -> bool {
    FILES.iter().any(|file| partial(&path.join(file)).exists())
}

/// Whether a folder has no files.
fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Refuses a folder of another kind, and one with files that have the names of those of a run, but are of no run.
fn check_replaceable(path: &Path, kind: FolderKind) -> anyhow::Result<()> {
    if let Some(other) = FolderKind::from_path(path).filter(|other| *other != kind) {
        bail!("{}: is a {} folder: choose another folder", shown(path), other.name());
    }
    let foreign = FILES.iter().find(|file| path.join(file).exists());
    let is_run = path.join(MANIFEST).exists() || was_killed(path);
    match foreign.filter(|_| !is_run) {
        Some(file) => bail!("{}: is not a run folder, but contains `{file}`: choose another folder", shown(path)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_numbered_and_foreign_files_stay() {
        let parent = tempfile::tempdir().unwrap();
        let names: Vec<_> = (0..3)
            .map(|_| Folder::numbered(parent.path(), "a-1").unwrap().path().file_name().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["a-1", "a-1-2", "a-1-3"]);
        let folder = parent.path().join("a-1");
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        fs::write(folder.join("trace.csv"), "old").unwrap();
        assert!(Folder::open(&folder, FolderKind::Run, false).is_err());
        let error = Folder::open(&folder, FolderKind::Run, true).unwrap_err().to_string();
        assert!(error.contains("is not a run folder, but contains `trace.csv`"), "{error}");
        fs::write(folder.join(MANIFEST), "{}").unwrap();
        Folder::open(&folder, FolderKind::Run, true).unwrap().clear().unwrap();
        assert!(folder.join("notes.txt").exists() && !folder.join("trace.csv").exists());
    }

    #[test]
    fn one_process_writes_into_a_run_folder() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let first = Folder::open(&path, FolderKind::Run, false).unwrap();
        if first._lock.is_some() {
            let error = format!("{:#}", Folder::open(&path, FolderKind::Run, true).unwrap_err());
            assert!(error.ends_with("b: cannot be written: another process is writing it"), "{error}");
        }
        drop(first);
        assert!(Folder::open(&path, FolderKind::Run, true).is_ok());
        let sweep = parent.path().join("sweep");
        fs::create_dir(&sweep).unwrap();
        assert!(Folder::open(&sweep, FolderKind::Run, false).is_ok(), "an empty folder");
        fs::write(sweep.join("plan.ron"), "").unwrap();
        fs::write(sweep.join(MANIFEST), "").unwrap();
        let error = Folder::open(&sweep, FolderKind::Run, true).unwrap_err().to_string();
        assert!(error.ends_with("is a sweep folder: choose another folder"), "{error}");
    }
}
