//! Controllers in Lua, which run as scripts where they use names that robots have here.

use std::path::{Path, PathBuf};

use swarmarium_base::files;
use swarmarium_core::text::wording::shown;
use swarmarium_kinds::controller::script::argos::{ArgosRobot, Curve, translate};

use super::controllers::Controller;
use super::devices::Devices;
use super::reader::Reader;
use super::robots::Robot;

/// The largest script (bytes).
const MAX_BYTES: u64 = 256 << 10;
/// The number of folders, from that of the experiment upwards, in which scripts can lie.
const FOLDERS: usize = 4;

/// The robots of a group, for their script.
pub struct Body<'a> {
    /// Their kind.
    pub robot: Robot,
    /// Their devices.
    pub devices: &'a Devices,
    /// The number of bytes of their messages.
    pub data_size: u32,
    /// Their ids in ARGoS.
    pub ids: &'a [String],
    /// The number of the first one.
    pub first: u32,
}

/// The controller of a group, as a text of a scene.
///
/// # Errors
/// Why the script of the controller cannot run here, one reason each.
pub fn script(reader: &mut Reader, controller: &Controller, body: &Body) -> Result<String, Vec<String>> {
    let file = controller.params.and_then(|params| params.attribute("script")).unwrap_or_default();
    if file.is_empty() {
        return Err(vec!["is in Lua and has no `script`".into()]);
    }
    let (path, text) = read(reader, file).map_err(|reason| vec![reason])?;
    let robot = describe(reader, controller, body);
    let source = translate(&text, &robot).map_err(|errors| {
        let what = |error: &dyn std::fmt::Display| format!("does not run here: `{}`, {error}", shown(file));
        errors.iter().map(|error| what(error)).collect::<Vec<_>>()
    })?;
    if !reader.included.contains(&path) {
        reader.included.push(path);
    }
    // The text is a translation: a scene with the name of the file would read the controller itself.
    Ok(format!("Script(source: {})", reader.quoted(&source)))
}

/// The file of a script and its text: as it is written, or by its name in the folder of the experiment.
fn read(reader: &Reader, file: &str) -> Result<(PathBuf, String), String> {
    let is_anywhere = reader.options.allow_outside;
    let folder = if reader.folder.as_os_str().is_empty() { Path::new(".") } else { reader.folder };
    // Only a path without links and dots has the folders above.
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let outside = || {
        // Experiments name their scripts from the folder in which ARGoS is started, which is often above their own.
        let folders = folder.ancestors().take(if is_anywhere { FOLDERS } else { 0 });
        let paths = folders.filter_map(|folder| folder.join(file).canonicalize().ok());
        paths.into_iter().find(|path| path.is_file())
    };
    let inside = |name: &str| files::within(&folder, name).ok();
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(path) = inside(file).or_else(outside).or_else(|| inside(name)) else {
        let hint = if is_anywhere { "" } else { ", and `--allow-outside` looks in the folders above, too" };
        return Err(format!(
            "is in Lua: there is no file `{}` in the folder of the experiment or below it{hint}",
            shown(file)
        ));
    };
    let bytes = files::read_at_most(&path, MAX_BYTES);
    let bytes = bytes.map_err(|error| format!("is in Lua: `{}` cannot be read: {error}", shown(file)))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("is in Lua: `{}` is not text in UTF-8", shown(file)))?;
    Ok((path, text))
}

/// The robot of a controller for the translation.
fn describe(reader: &Reader, controller: &Controller, body: &Body) -> ArgosRobot {
    let Body { robot, devices, data_size, ids, first } = *body;
    let mut fields: Vec<String> = devices.fields.iter().map(|field| (*field).to_owned()).collect();
    let mut add = |is_given: bool, field: &str| {
        if is_given && !fields.iter().any(|known| known == field) {
            fields.push(field.to_owned());
        }
    };
    add(devices.has_radio, "range_and_bearing");
    add(devices.fields.contains(&"steering"), "wheels");
    let attributes = controller.params.into_iter().flat_map(|params| params.attributes());
    ArgosRobot {
        devices: fields,
        plain: devices.plain.iter().map(|field| (*field).to_owned()).collect(),
        axis_cm: 100.0 * robot.axle_m(),
        ring_rad: robot.ring_rad(),
        proximity: match robot {
            _ if devices.plain.contains(&"proximity") => Curve::Plain,
            Robot::FootBot | Robot::Kilobot => Curve::Value,
            Robot::EPuck => Curve::EPuck,
            Robot::KheperaIv => Curve::KheperaIv,
        },
        proximity_m: robot.proximity_m(),
        data_size,
        ids: ids.to_vec(),
        first,
        params: attributes.map(|found| (found.name().to_owned(), found.value().to_owned())).collect(),
        dt_s: reader.scene.time.dt_s,
    }
}
