//! Logs of runs: one line for each finished run, appended at once.
//!
//! A process that is killed loses the runs that it was doing, and nothing else. Each line has a checksum, so a torn or damaged
//! line is a run that is not done.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use swarmarium_base::files::{self, Draft, cannot_write, cut_to_whole_lines, hold_file, shown, use_file};
use xxhash_rust::xxh3::xxh3_64;

use crate::run::{MeasuredValue, Outcome};

/// The ending of the names of logs.
pub const EXTENSION: &str = "log";
/// The mark of a time at which a run ended before the event.
const CENSORED: char = '+';

/// A line of a log. Numbers are texts, which read back to the same number.
#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    error: Option<String>,
    steps: u64,
    hash: String,
    measures: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    series: Vec<String>,
}

/// A log that is open for writing. Threads may share it.
pub struct Log {
    path: PathBuf,
    file: Mutex<File>,
    /// The folder of the logs, which is in use until the log is closed.
    _folder: Option<File>,
}

impl Log {
    /// Opens a log, to append to it. An incomplete last line is removed.
    ///
    /// # Errors
    /// When the file cannot be written, or another process is writing it.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let folder = path.parent().and_then(files::open_folder);
        let open = || {
            folder.as_ref().map_or(Ok(()), use_file)?;
            let file = files::open_with(path, File::options().read(true).append(true).create(true))?;
            hold_file(&file)?;
            cut_to_whole_lines(path)?;
            Ok::<_, std::io::Error>(file)
        };
        let file = open().with_context(|| cannot_write(path))?;
        Ok(Self { path: path.into(), file: Mutex::new(file), _folder: folder })
    }

    /// Appends a run.
    ///
    /// # Errors
    /// When the line cannot be written, and when the log was deleted or replaced; then nothing of the line stays.
    pub fn append(&self, key: u64, outcome: &Outcome) -> anyhow::Result<()> {
        let bytes = line(key, outcome)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        ensure!(
            files::is_at(&file, &self.path),
            "{}: was deleted or replaced during the sweep, and its runs are lost: --resume repeats them",
            shown(&self.path)
        );
        let mut append = || {
            let before = file.metadata()?.len();
            file.write_all(bytes.as_bytes()).inspect_err(|_| _ = file.set_len(before))
        };
        append().with_context(|| cannot_write(&self.path))
    }
}

fn line(key: u64, outcome: &Outcome) -> anyhow::Result<String> {
    let measure = |taken: &MeasuredValue| match taken.is_censored {
        true => format!("{}{CENSORED}", taken.value),
        false => taken.value.to_string(),
    };
    let line = Line {
        key: format!("{key:016x}"),
        error: outcome.error.clone(),
        steps: outcome.steps,
        hash: format!("{:016x}", outcome.hash),
        measures: outcome.measures.iter().map(measure).collect(),
        series: outcome.series.clone(),
    };
    let text = serde_json::to_string(&line)?;
    Ok(format!("{:016x} {text}\n", xxh3_64(text.as_bytes())))
}

/// Reads a line; `None` if it is damaged.
fn parse(line: &str) -> Option<(u64, Outcome)> {
    // A line without its end is cut off when the log is opened again.
    let (checksum, text) = line.strip_suffix('\n')?.split_once(' ')?;
    if u64::from_str_radix(checksum, 16).ok()? != xxh3_64(text.as_bytes()) {
        return None;
    }
    let Line { key, error, steps, hash, measures, series } = serde_json::from_str(text).ok()?;
    let measure = |text: &String| {
        let number = text.strip_suffix(CENSORED);
        Some(MeasuredValue { value: number.unwrap_or(text).parse().ok()?, is_censored: number.is_some() })
    };
    let measures = measures.iter().map(measure).collect::<Option<_>>()?;
    let [key, hash] = [key, hash].map(|text| u64::from_str_radix(&text, 16).ok());
    Some((key?, Outcome { error, steps, hash: hash?, measures, series, without_room: Vec::new() }))
}

/// The place of a line.
#[derive(Clone, Copy, Debug)]
struct Place {
    log: usize,
    offset: u64,
    length: u64,
    has_failed: bool,
}

/// A log that is open for reading.
#[derive(Debug)]
struct ReadLog {
    file: File,
    /// The end of the last complete line that was read, in bytes.
    read_to: u64,
    /// Whether the log goes on with an incomplete line.
    is_torn: bool,
}

/// The finished runs of all logs of a folder, by key. Lines stay in their files until they are asked for.
#[derive(Debug, Default)]
pub struct Index {
    folders: Vec<PathBuf>,
    logs: Vec<ReadLog>,
    paths: Vec<PathBuf>,
    places: BTreeMap<u64, Place>,
    damaged: u64,
}

impl Index {
    /// Reads all logs of some folders. Of a run that was done twice, the first line counts: both are the same.
    ///
    /// # Errors
    /// When a log cannot be read.
    pub fn read(folders: &[&Path]) -> anyhow::Result<Self> {
        let folders = folders.iter().map(|folder| folder.to_path_buf()).collect();
        let mut index = Self { folders, ..Self::default() };
        index.refresh()?;
        Ok(index)
    }

    /// Reads the lines that were appended since, and new logs. Gives the keys of the runs that are new.
    ///
    /// # Errors
    /// When a log cannot be read.
    pub fn refresh(&mut self) -> anyhow::Result<Vec<u64>> {
        let mut found = Vec::new();
        for folder in self.folders.clone() {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
            paths.sort_unstable();
            for path in paths {
                let known = self.paths.iter().position(|known| *known == path);
                self.read_log(path, known, &mut found)?;
            }
        }
        Ok(found)
    }

    fn read_log(&mut self, path: PathBuf, known: Option<usize>, found: &mut Vec<u64>) -> anyhow::Result<()> {
        let cannot = || format!("{}: cannot be read", shown(&path));
        let place = match known {
            Some(place) => place,
            None => {
                self.logs.push(ReadLog { file: files::open(&path).with_context(cannot)?, read_to: 0, is_torn: false });
                self.paths.push(path.clone());
                self.logs.len() - 1
            }
        };
        let log = &mut self.logs[place];
        let mut lines = BufReader::new(&log.file);
        lines.seek(SeekFrom::Start(log.read_to)).with_context(cannot)?;
        let mut text = Vec::new();
        log.is_torn = false;
        loop {
            text.clear();
            let length = lines.read_until(b'\n', &mut text).with_context(cannot)? as u64;
            if length == 0 {
                break;
            }
            // The rest of the line may follow.
            if text.last() != Some(&b'\n') {
                log.is_torn = true;
                break;
            }
            match std::str::from_utf8(&text).ok().and_then(parse) {
                Some((key, outcome)) => {
                    let has_failed = outcome.error.is_some();
                    let line = Place { log: place, offset: log.read_to, length, has_failed };
                    // A run that failed on one machine may be done on another.
                    let known = self.places.entry(key).or_insert(line);
                    if known.has_failed && !has_failed {
                        *known = line;
                    }
                    found.push(key);
                }
                None => self.damaged += 1,
            }
            log.read_to += length;
        }
        Ok(())
    }

    /// The number of damaged lines.
    pub fn damaged(&self) -> u64 {
        self.damaged + self.logs.iter().filter(|log| log.is_torn).count() as u64
    }

    /// The keys of all finished runs.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.places.keys().copied()
    }

    /// Whether a run failed.
    pub fn has_failed(&self, key: u64) -> bool {
        self.places.get(&key).is_some_and(|place| place.has_failed)
    }

    /// Whether a run is done.
    pub fn has(&self, key: u64) -> bool {
        self.places.contains_key(&key)
    }

    /// The outcome of a run; `None` if it is not done.
    pub fn get(&self, key: u64) -> Option<Outcome> {
        let mut text = String::new();
        self.copy_line(key, &mut text)?;
        parse(&text).map(|(_, outcome)| outcome)
    }

    fn copy_line(&self, key: u64, text: &mut String) -> Option<()> {
        let Place { log, offset, length, .. } = *self.places.get(&key)?;
        let mut file = &self.logs.get(log)?.file;
        file.seek(SeekFrom::Start(offset)).ok()?;
        file.take(length).read_to_string(text).ok()?;
        Some(())
    }

    /// Writes the runs with these keys into one log, in this order.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_to(&self, path: &Path, keys: impl Iterator<Item = u64>) -> anyhow::Result<()> {
        let mut draft = std::io::BufWriter::new(Draft::begin(path)?);
        let mut text = String::new();
        for key in keys {
            text.clear();
            if self.copy_line(key, &mut text).is_some() {
                draft.write_all(text.as_bytes()).with_context(|| cannot_write(path))?;
            }
        }
        let draft = draft.into_inner().map_err(std::io::IntoInnerError::into_error);
        draft.with_context(|| cannot_write(path))?.finish()
    }

    /// The files of the logs.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(value: f64) -> Outcome {
        let measures =
            vec![MeasuredValue { value, is_censored: false }, MeasuredValue { value: 0.1 + 0.2, is_censored: true }];
        let series = vec!["1,0.5,2".into()];
        Outcome { steps: 3, hash: u64::MAX, measures, series, ..Outcome::default() }
    }

    #[test]
    fn logged_runs_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let log = Log::open(&path).unwrap();
        let failed = Outcome { error: Some("two\nlines \"quoted\"".into()), ..Outcome::default() };
        log.append(7, &outcome(1.0 / 3.0)).unwrap();
        log.append(8, &failed).unwrap();
        let index = Index::read(&[folder.path()]).unwrap();
        assert_eq!(index.get(7), Some(outcome(1.0 / 3.0)));
        assert_eq!(index.get(8), Some(failed));
        assert_eq!(index.get(9), None);
    }

    #[test]
    fn incomplete_and_damaged_log_lines_count_as_missing_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let log = Log::open(&path).unwrap();
        (0..3).for_each(|key| log.append(key, &outcome(key as f64)).unwrap());
        drop(log);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            Log::open(&path).unwrap().append(9, &outcome(9.0)).unwrap();
            let index = Index::read(&[folder.path()]).unwrap();
            let lines = whole[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
            assert_eq!(index.damaged(), 0, "{length}");
            assert_eq!(index.places.len() as u64, lines + 1, "{length}");
            assert_eq!(index.get(9), Some(outcome(9.0)));
        }
        let mut damaged = whole.clone();
        damaged[40] ^= 1;
        fs::write(&path, &damaged).unwrap();
        let index = Index::read(&[folder.path()]).unwrap();
        assert_eq!(index.damaged(), 1);
        assert!(!index.has(0));
        assert!(index.has(1));
    }

    #[cfg(unix)]
    #[test]
    fn a_log_that_is_deleted_or_replaced_takes_no_more_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let log = Log::open(&path).unwrap();
        log.append(1, &outcome(1.0)).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(log.append(2, &outcome(2.0)).unwrap_err().to_string().contains("was deleted or replaced"));
        fs::write(&path, "").unwrap();
        assert!(log.append(2, &outcome(2.0)).is_err());
    }

    #[test]
    fn a_sweep_log_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let _first = Log::open(&path).unwrap();
        let error = format!("{:#}", Log::open(&path).err().unwrap());
        assert!(error.ends_with("another process is writing it"), "{error}");
    }
}
