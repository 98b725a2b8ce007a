//! Videos by the program `ffmpeg`, for formats and settings that this program does not have.
//!
//! The program is started with a list of arguments, never by a shell, and reads frames from a pipe.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use swarmarium_base::files::{Draft, cannot_write, partial};

use super::format::{Compress, Format, Spec};
use super::painter::Frame;

/// The format.
pub struct Ffmpeg {
    path: PathBuf,
    temporary: Arc<TemporaryFolder>,
    child: Child,
    pipe: Option<ChildStdin>,
    frames: u64,
}

/// A temporary folder for the file while it is written. The file keeps its extension, from which `ffmpeg` takes the format.
struct TemporaryFolder {
    folder: PathBuf,
    file: PathBuf,
    /// The lock against other processes that write the same file; empty.
    lock: Option<Draft>,
}

impl TemporaryFolder {
    fn for_video(path: &Path) -> anyhow::Result<Self> {
        let folder = partial(path);
        std::fs::create_dir_all(&folder).with_context(|| cannot_write(path))?;
        let lock = Draft::begin(&folder.join("lock")).with_context(|| cannot_write(path))?;
        Ok(Self { file: folder.join(path.file_name().unwrap_or_default()), folder, lock: Some(lock) })
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A file that still exists is incomplete.
        let _ = std::fs::remove_file(&self.file);
        drop(self.lock.take());
        let _ = std::fs::remove_dir(&self.folder);
    }
}

impl Ffmpeg {
    /// Starts `ffmpeg`.
    ///
    /// # Errors
    /// When `ffmpeg` is not installed, or fails in a trial with one frame.
    pub fn create(path: &Path, spec: &Spec) -> anyhow::Result<Self> {
        let temporary = Arc::new(TemporaryFolder::for_video(path)?);
        let mut trial = Self::start(path, &temporary, spec)?;
        trial.write(vec![vec![0; (spec.width * spec.height * 4) as usize]])?;
        trial.end()?;
        Self::start(path, &temporary, spec)
    }

    fn start(path: &Path, temporary: &Arc<TemporaryFolder>, spec: &Spec) -> anyhow::Result<Self> {
        let mut command = Command::new("ffmpeg");
        command.args(["-y", "-hide_banner", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba"]);
        command.args(["-video_size", &format!("{}x{}", spec.width, spec.height)]);
        command.args(["-framerate", &spec.rate.to_string(), "-i", "pipe:0"]);
        // The file has neither a date nor a version.
        command.args(["-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1", "-threads", "1"]);
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("mp4" | "m4v" | "mov" | "mkv") => {
                command.args(["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p"]);
                command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
                command.args(["-movflags", "+faststart"]);
            }
            // Uncompressed, as the Swarm Robot Project wrote it.
            Some("avi") => drop(command.args(["-c:v", "rawvideo", "-pix_fmt", "bgr24"])),
            _ => {}
        }
        command.arg("--").arg(absolute(&temporary.file));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Ctrl-C is for this program, which ends the other one properly.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let started = command.spawn();
        let missing =
            "ffmpeg cannot be started: install it (on Debian, `apt install ffmpeg`) or leave out `--encoder ffmpeg`";
        let mut child = started.context(missing)?;
        let pipe = child.stdin.take();
        Ok(Self { path: path.into(), temporary: temporary.clone(), child, pipe, frames: 0 })
    }

    /// Waits for the end of `ffmpeg`.
    fn end(&mut self) -> anyhow::Result<()> {
        drop(self.pipe.take());
        let mut output = String::new();
        if let Some(stderr) = &mut self.child.stderr {
            // The output is used as far as it is UTF-8.
            let _ = stderr.read_to_string(&mut output);
        }
        let status = self.child.wait()?;
        let first = output.lines().next().unwrap_or("it said nothing");
        ensure!(status.success(), "{}: ffmpeg failed: {first}", cannot_write(&self.path));
        Ok(())
    }
}

/// A name that cannot be taken for an option or a protocol.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

impl Format for Ffmpeg {
    fn segment_length(&self) -> usize {
        1
    }

    fn compressor(&self) -> Box<dyn Compress> {
        Box::new(Raw)
    }

    fn write(&mut self, packets: Vec<Vec<u8>>) -> anyhow::Result<()> {
        for packet in packets {
            let Some(pipe) = &mut self.pipe else { bail!("{}: ffmpeg has ended", cannot_write(&self.path)) };
            if pipe.write_all(&packet).is_err() {
                // `ffmpeg` ended early; its output has the reason.
                self.end()?;
                bail!("{}: ffmpeg ended early", cannot_write(&self.path));
            }
            self.frames += 1;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        let ended = if self.pipe.is_some() { self.end() } else { Ok(()) };
        if self.frames == 0 {
            return ended;
        }
        let renamed = std::fs::rename(&self.temporary.file, &self.path).with_context(|| cannot_write(&self.path));
        ended.and(renamed)
    }
}

/// The compressor: frames without compression.
struct Raw;

impl Compress for Raw {
    fn begin(&mut self, _: Option<Frame>) -> anyhow::Result<()> {
        Ok(())
    }

    fn frame(&mut self, _: u64, frame: Frame) -> anyhow::Result<Vec<u8>> {
        Ok(frame.rgba.to_vec())
    }
}
