//! Checks whether a window can be opened, and explains the reason instead of a panic.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, OnceLock, PoisonError};

use bevy::render::renderer::{RenderAdapterInfo, initialize_renderer};
use bevy::render::settings::{Backends, RenderCreation, RenderResources, WgpuSettings};

/// The reason why no window can be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DisplayError {
    /// No environment variable names a display.
    #[error(
        "there is no display: neither WAYLAND_DISPLAY nor DISPLAY names one; \
         install xvfb and use xvfb-run for a virtual display"
    )]
    NoDisplay,
    /// The display that the environment names does not answer.
    #[error(
        "the display {0} does not answer; set DISPLAY to one that does, \
         or install xvfb and use xvfb-run for a virtual display"
    )]
    Unreachable(String),
    /// No GPU driver was found.
    #[error("no GPU driver was found; install the driver of your GPU, or mesa-vulkan-drivers for a software renderer")]
    NoGpu,
    /// A library of the window system panicked with this message.
    #[error("{0}")]
    Panicked(String),
}

/// Checks that there is a display and a GPU.
///
/// # Errors
/// Returns an error if a display or a GPU is missing; the message says what to install.
pub fn display_available() -> Result<(), DisplayError> {
    #[cfg(target_os = "linux")]
    linux::display()?;
    gpu()
}

/// Runs a function of a library that may panic, without printing the panic. The message of the panic is the error.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, DisplayError> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(hook);
    done.map_err(|payload| DisplayError::Panicked(message(&*payload)))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("the window system failed");
    text.lines().next().unwrap_or(text).to_owned()
}

/// The graphics backends and device.
struct Renderer {
    /// The native backends, or all backends if the native ones have no adapter.
    backends: Backends,
    /// The device of the check, if the window can use it. A software renderer works for any window.
    device: Mutex<Option<RenderResources>>,
}

/// Returns the renderer; `None` without an adapter.
///
/// Bevy panics without an adapter, so the check creates a device as Bevy would.
fn found() -> Option<&'static Renderer> {
    static FOUND: OnceLock<Option<Renderer>> = OnceLock::new();
    let find = || {
        let settings = WgpuSettings::default();
        let wanted = settings.backends.unwrap_or(Backends::all());
        // OpenGL goes last: probing it writes to stderr.
        [wanted & Backends::PRIMARY, wanted].into_iter().filter(|backends| !backends.is_empty()).find_map(|backends| {
            let device = || bevy::tasks::block_on(initialize_renderer(backends, None, &settings));
            let device = quietly(device).ok()?;
            // With several GPUs, the window decides which one is used. OpenGL needs the window for its device.
            let can_serve = is_software(&device.2) && !backends.contains(Backends::GL);
            Some(Renderer { backends, device: Mutex::new(can_serve.then_some(device)) })
        })
    };
    FOUND.get_or_init(find).as_ref()
}

/// Returns Bevy's configuration of the renderer. Creating a device takes 0.1 s, so the device of the check is reused.
pub(super) fn renderer() -> RenderCreation {
    let Some(found) = found() else { return WgpuSettings { backends: None, ..Default::default() }.into() };
    let device = found.device.lock().unwrap_or_else(PoisonError::into_inner).take();
    device.map_or_else(
        || WgpuSettings { backends: Some(found.backends), ..Default::default() }.into(),
        RenderCreation::Manual,
    )
}

/// Whether an adapter is a software renderer.
pub(super) fn is_software(adapter: &RenderAdapterInfo) -> bool {
    // Bevy does not export the type of the device, so this compares its name.
    format!("{:?}", adapter.device_type) == "Cpu"
}

fn gpu() -> Result<(), DisplayError> {
    found().map(drop).ok_or(DisplayError::NoGpu)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::net::TcpStream;
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixStream};
    use std::path::{Path, PathBuf};

    use super::DisplayError;

    /// Checks for a Wayland or X server that answers.
    pub fn display() -> Result<(), DisplayError> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if set("WAYLAND_SOCKET").is_some() || set("WAYLAND_DISPLAY").is_some_and(|name| wayland_answers(&name)) {
            return Ok(());
        }
        match set("DISPLAY") {
            None => Err(DisplayError::NoDisplay),
            Some(name) if x_answers(&name) => Ok(()),
            Some(name) => Err(DisplayError::Unreachable(name)),
        }
    }

    fn wayland_answers(name: &str) -> bool {
        let folder = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
        // An absolute name replaces the folder.
        UnixStream::connect(folder.join(name)).is_ok()
    }

    fn x_answers(display: &str) -> bool {
        let Some((host, number)) = parse(display) else { return false };
        if !host.is_empty() && host != "unix" {
            return TcpStream::connect((host, 6000 + number)).is_ok();
        }
        let path = format!("/tmp/.X11-unix/X{number}");
        UnixStream::connect(Path::new(&path)).is_ok()
            || SocketAddr::from_abstract_name(&path).is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
    }

    /// Parses the host and the number of a display such as `:0`, `localhost:10.0` or `unix:1`.
    fn parse(display: &str) -> Option<(&str, u16)> {
        let (host, rest) = display.rsplit_once(':')?;
        let number = rest.split('.').next()?.parse().ok()?;
        (number < u16::MAX - 6000).then_some((host, number))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn displays_have_a_host_and_a_number() {
            assert_eq!(parse(":0"), Some(("", 0)));
            assert_eq!(parse("localhost:10.0"), Some(("localhost", 10)));
            assert_eq!(parse("unix:77"), Some(("unix", 77)));
            assert_eq!([":", "0", ":x", ":65000"].map(parse), [None; 4]);
        }

        #[test]
        fn a_missing_display_does_not_answer() {
            assert!(!x_answers(":54321"));
            assert!(!wayland_answers("wayland-that-is-not-there"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(quietly(|| 3), Ok(3));
        let failed: Result<(), DisplayError> = quietly(|| panic!("no event loop\nand a long story"));
        assert_eq!(failed, Err(DisplayError::Panicked("no event loop".into())));
    }
}
