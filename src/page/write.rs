//! The page: the template, filled with the data of a run.

use std::collections::HashMap;
use std::ops::Range;

use bevy::math::DVec2;
use serde_json::{Value, json};
use swarmarium_base::math::decimal_product;
use swarmarium_core::events::EventKind;
use swarmarium_draw::trails;
use swarmarium_host::timeline::{Names, in_words};
use swarmarium_picture::blend::translucent;
use swarmarium_picture::palette::{RANDOM, hex};
use swarmarium_picture::svg::escaped;
use swarmarium_picture::{Anchor, Cells, GroupColors, Layer, Paint, Role, Theme};
use swarmarium_scene::scene::description::Group;
use swarmarium_simulation::edit::{Edit, LoggedEdit};
use swarmarium_simulation::simulation::Simulation;

use crate::items::Thing;
use crate::numbers::{self, SIDE, TURN};
use crate::recorder::{PageError, PageRecorder, RATES_HZ, RobotTrack};
use crate::series::Points;
use crate::shapes::{Body, Scaled};
use crate::sketch::{Form, Sketch, width};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The version of the format of the data.
const FORMAT: u32 = 1;
/// The opacity of the grey of robots' trails is that of the painter; each trail has this many colours.
const SHADES: usize = trails::SHADES;

/// A file that a page offers for download: it opens the run in the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneFile {
    /// The name of the file.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The words of a page around its run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The title; empty for the name of the scene.
    pub title: String,
    /// The command that opens the run in the program.
    pub command: String,
    /// The file that the command opens.
    pub file: SceneFile,
    /// Captions with their simulated times in seconds, beyond those of the changes of the run.
    pub captions: Vec<(f64, String)>,
}

impl About {
    /// The words of a page whose file, given by its name and its bytes, opens the run in the program. Captions are as in
    /// [`captions`](Self::captions), with steps of `dt_s` in place of times.
    pub fn of_file(
        title: String,
        (name, bytes): (String, Vec<u8>),
        captions: impl IntoIterator<Item = (u64, String)>,
        dt_s: f64,
    ) -> Self {
        let at = |(step, text): (u64, String)| (decimal_product(step as f64 * dt_s), text);
        let captions = captions.into_iter().map(at).collect();
        Self { title, command: format!("swarmarium open {name}"), file: SceneFile { name, bytes }, captions }
    }
}

/// A written page.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The HTML file.
    pub html: String,
    /// The number of frames.
    pub frames: usize,
    /// The number of robots.
    pub robots: usize,
}

impl PageRecorder {
    /// Writes the page of the run up to the last observed step, which is the state of the simulation.
    ///
    /// # Errors
    /// If the page would be too large.
    pub fn write(mut self, simulation: &Simulation, about: &About) -> Result<Page, PageError> {
        self.finish(simulation)?;
        let Data { bytes, frames } = self.data(simulation, about)?;
        let scene = simulation.scene();
        let title = match about.title.as_str() {
            "" if scene.name.is_empty() => "Swarmarium run",
            "" => &scene.name,
            title => title,
        };
        let html = fill(TEMPLATE, |marker| match marker {
            "title" => escaped(title),
            "about" => scene.about.trim().lines().map(escaped).collect::<Vec<_>>().join("<br>"),
            "command" => escaped(&about.command),
            "style" => fill(STYLE, |theme| variables(if theme == "dark" { Theme::Dark } else { Theme::Light })),
            "script" => SCRIPT.to_owned(),
            "data" => numbers::base64(&numbers::deflate(&bytes)),
            _ => String::new(),
        });
        let (size, max_bytes, from_hz) = (html.len(), self.options.max_bytes, self.options.rate_hz);
        if size > max_bytes {
            let rate_hz = self.rate_for(size, &bytes, frames);
            return Err(PageError::TooLarge { bytes: size, max_bytes, from_hz, rate_hz });
        }
        Ok(Page { html, frames: self.frames, robots: self.robots.len() })
    }

    /// The data: the length of the description, the description as JSON, then numbers in the order in which the script
    /// reads them.
    pub(crate) fn data(&self, simulation: &Simulation, about: &About) -> Result<Data, PageError> {
        let scale = Scale::of(self);
        let mut colors = Colors::default();
        let things = self.things();
        let points: Vec<Points> = self.metrics.iter().map(|(_, series)| series.points()).collect();
        let head = self.head(simulation, about, &scale, &things, &points, &mut colors);
        let head = serde_json::to_vec(&head).map_err(|error| PageError::Data(error.to_string()))?;
        let length = u32::try_from(head.len()).map_err(|error| PageError::Data(error.to_string()))?;
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(head);
        let first = bytes.len();
        self.push_poses(&mut bytes, &scale, 1);
        let frames = first..bytes.len();
        points.iter().flat_map(|points| &points.values).for_each(|value| bytes.extend(value.to_le_bytes()));
        let mut before: &[u8] = &[];
        for thing in &things {
            if let Form::Cells { levels, .. } = &thing.sketch.form {
                let is_same_size = before.len() == levels.len();
                let known = |place: usize| if is_same_size { before[place] } else { 0 };
                bytes.extend(levels.iter().enumerate().map(|(place, level)| level.wrapping_sub(known(place))));
                before = levels;
            }
        }
        bytes.extend(&about.file.bytes);
        Ok(Data { bytes, frames })
    }

    /// The things in the order in which they are drawn.
    fn things(&self) -> Vec<&Thing> {
        let mut things: Vec<&Thing> = self.surroundings.things.iter().collect();
        things.sort_by_key(|thing| (thing.sketch.layer, thing.order));
        things
    }

    /// Appends the states and poses of robots and the poses of things, of one frame in `every`.
    fn push_poses(&self, bytes: &mut Vec<u8>, scale: &Scale, every: usize) {
        let tracks: Vec<&RobotTrack> = self.robots.values().collect();
        for track in &tracks {
            numbers::push_states(bytes, track.states.iter().step_by(every).map(|state| i64::from(*state)));
        }
        for axis in 0..2 {
            for track in &tracks {
                let poses = track.poses.iter().step_by(every);
                numbers::push_positions(bytes, poses.map(|pose| scale.position(f64::from(pose[axis]), axis)));
            }
        }
        for track in &tracks {
            let poses = track.poses.iter().step_by(every);
            numbers::push_headings(bytes, poses.map(|pose| heading(f64::from(pose[2]))));
        }
        for thing in self.things().into_iter().filter(|thing| !thing.poses.is_empty()) {
            let poses = || thing.poses.iter().step_by(every);
            for axis in 0..2 {
                let along = poses().map(|pose| (pose.position_m - scale.low).to_array()[axis]);
                numbers::push_positions(bytes, along.map(|along| scale.position(along, axis)));
            }
            let headings = poses().map(|pose| pose.heading_rad / std::f64::consts::TAU);
            numbers::push_headings(bytes, headings.map(heading));
        }
    }

    /// The highest rate of a round part of the frames that makes a page of a size small enough; `None` if none does.
    ///
    /// Only the poses depend on the rate. Poses that are farther apart take more bytes each, so the pages of lower rates
    /// are measured.
    fn rate_for(&self, size: usize, bytes: &[u8], poses: Range<usize>) -> Option<f64> {
        let packed = |bytes: &[u8]| numbers::base64(&numbers::deflate(bytes)).len();
        let rest = size - packed(bytes).min(size);
        let scale = Scale::of(self);
        let tens = std::iter::successors(Some(1), |tens: &usize| tens.checked_mul(10));
        let parts = tens.flat_map(|tens| [2, 5, 10].map(|part| part * tens));
        let is_possible =
            |every: &usize| *every < self.frames && self.options.rate_hz / *every as f64 >= *RATES_HZ.start();
        let is_small = |every: &usize| {
            let mut fewer = bytes[..poses.start].to_vec();
            self.push_poses(&mut fewer, &scale, *every);
            fewer.extend(&bytes[poses.end..]);
            // The pages differ by more than the poses, such as by the jumps of robots.
            rest + packed(&fewer) + self.options.max_bytes / 50 <= self.options.max_bytes
        };
        let every = parts.take_while(is_possible).find(is_small)?;
        Some(decimal_product(self.options.rate_hz / every as f64))
    }

    fn head(
        &self,
        simulation: &Simulation,
        about: &About,
        scale: &Scale,
        things: &[&Thing],
        points: &[Points],
        colors: &mut Colors,
    ) -> Value {
        let scene = simulation.scene();
        let bodies: Vec<Value> = self.bodies.iter().map(|body| scale.body(body, colors)).collect();
        let robots = self.robots.values().map(|track| {
            let count = track.states.len();
            json!({"group": track.group, "name": track.name, "from": track.from, "count": count})
        });
        let group = |(place, group): (usize, &Group)| {
            let mut own = self.robots.values().filter(|track| track.group as usize == place);
            let body = own.clone().find_map(|track| track.states.iter().find(|state| **state > 1));
            let role = Role::named(&group.look.color).unwrap_or(Role::Group(place as u32));
            let role = body.and_then(|state| self.bodies.get(*state as usize / 2 - 1)?.color()).unwrap_or(role);
            // Robots with random colours have none in common.
            let color = (group.look.color != RANDOM).then(|| colors.place(role.into()));
            let trail_s = self.options.trail_s.unwrap_or(group.look.trail_s);
            let count = own.by_ref().count();
            json!({"name": group.name, "color": color, "count": count, "trail_s": trail_s})
        };
        let groups: Vec<Value> = scene.groups.iter().enumerate().map(group).collect();
        let metrics = self.metrics.iter().zip(&self.quantities).zip(points).map(|(((name, _), quantity), points)| {
            json!({
                "name": name, "title": quantity.name, "unit": quantity.unit,
                "spacing_s": points.spacing * self.dt_s, "count": points.values.len(), "span": points.span,
            })
        });
        let legend: Vec<Value> =
            self.legend.iter().map(|(role, name)| json!([colors.place((*role).into()), name])).collect();
        let has_cells = things.iter().any(|thing| matches!(thing.sketch.form, Form::Cells { .. }));
        let levels: Vec<String> = match has_cells {
            true => (1..=255).map(|level| hex(Theme::Dark.rgb(Cells::role(level)))).collect(),
            false => Vec::new(),
        };
        let things: Vec<Value> = things
            .iter()
            .map(|thing| {
                let moves = !thing.poses.is_empty();
                let low = if moves { DVec2::ZERO } else { scale.low };
                let sketch = scale.sketch(&thing.sketch, low, &[], colors);
                json!({"sketch": sketch, "from": thing.frames[0], "to": thing.frames[1], "moves": moves})
            })
            .collect();
        let time_s = |step: u64| decimal_product(step as f64 * self.dt_s);
        let [first, last] = self.steps;
        json!({
            "format": FORMAT,
            "program": format!("Swarmarium {}", env!("CARGO_PKG_VERSION")),
            "seed": simulation.scene().seed.to_string(),
            "hash": format!("{:016x}", simulation.hash_of_step().0),
            "steps": last,
            "time": {
                "first_s": time_s(first), "frame_s": decimal_product(self.frame_s()), "frames": self.frames,
                "last_s": time_s(last),
            },
            "size_m": scale.size.to_array(),
            "up": scene.view.y_axis.up(),
            "origin_m": scale.origin.to_array(),
            "step_m": scale.step.to_array(),
            "turn": TURN,
            "groups": groups,
            "bodies": bodies,
            "robots": robots.collect::<Vec<_>>(),
            "things": things,
            "metrics": metrics.collect::<Vec<_>>(),
            "events": self.events(),
            "events_left_out": self.left_out,
            "captions": self.captions(simulation, about),
            "legend": legend,
            "levels": levels,
            "colors": colors.css(),
            "file": {"name": about.file.name, "bytes": about.file.bytes.len()},
        })
    }

    /// The events as time, text, kind and robot.
    fn events(&self) -> Vec<Value> {
        let shown = self.events.iter().map(|event| {
            let time_s = decimal_product(event.step as f64 * self.dt_s);
            let robot = event.who.agent_number().and_then(|number| self.robots.get(&number));
            let robot = robot.map_or("", |track| track.name.as_str());
            let kind = match event.kind {
                EventKind::Collision => "collision",
                EventKind::Fault => "fault",
                EventKind::Switch => "switch",
                EventKind::NoRoom => "no room",
                EventKind::Grip => "grip",
                EventKind::Script => "script",
                EventKind::Print => "print",
            };
            json!([time_s, event.text.as_ref(), kind, robot])
        });
        shown.collect()
    }

    /// The captions in order: those that are given, and the changes of the run in words.
    fn captions(&self, simulation: &Simulation, about: &About) -> Vec<(f64, String)> {
        let name = |number: u32| {
            let known = self.robots.get(&number).map(|track| track.name.clone());
            known.unwrap_or_else(|| format!("robot {number}"))
        };
        let names = Names { robot: &name, kinds: simulation.kinds(), scene: simulation.scene_ahead() };
        let is_shown = |logged: &&LoggedEdit| logged.edit.is_change() && logged.step > self.steps[0];
        let changes: Vec<&LoggedEdit> = simulation.edits().iter().filter(is_shown).collect();
        let is_one =
            |one: &&LoggedEdit, next: &&LoggedEdit| (one.step, one.transaction) == (next.step, next.transaction);
        let in_words = |changes: &[&LoggedEdit]| {
            let edits: Vec<&Edit> = changes.iter().map(|logged| &logged.edit).collect();
            // A change acts in its step, so its effect shows at the end of that step.
            let step = changes.first().map_or(0, |first| first.step);
            (decimal_product(step as f64 * self.dt_s), in_words(&edits, &names))
        };
        let changes = changes.chunk_by(is_one).map(in_words);
        let mut captions: Vec<_> = about.captions.iter().cloned().chain(changes).collect();
        captions.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        captions
    }
}

/// The data of a page.
pub(crate) struct Data {
    pub bytes: Vec<u8>,
    /// The part with the poses of all frames.
    frames: Range<usize>,
}

/// The frame of reference of the page: metres from the lower left corner of the arena, positions in whole steps.
struct Scale {
    low: DVec2,
    size: DVec2,
    /// The lower left corner of the bounding box of all positions, and the length of a step of a position.
    origin: DVec2,
    step: DVec2,
    /// The rounding of lengths in shapes, in metres.
    grain_m: f64,
}

impl Scale {
    fn of(recorder: &PageRecorder) -> Self {
        let arena = &recorder.arena;
        let robots = recorder.robots.values().flat_map(|track| &track.poses);
        let robots = robots.map(|pose| DVec2::new(f64::from(pose[0]), f64::from(pose[1])));
        let things = recorder.surroundings.things.iter().flat_map(|thing| &thing.poses);
        let all = robots.chain(things.map(|pose| pose.position_m - arena.low));
        let (low, high) = all.fold((DVec2::ZERO, arena.size), |(low, high), at| (low.min(at), high.max(at)));
        let mut grain_m = 1e-7;
        while grain_m * 1e6 < arena.size.max_element() {
            grain_m *= 10.0;
        }
        Self { low: arena.low, size: arena.size, origin: low, step: (high - low) / SIDE as f64, grain_m }
    }

    fn position(&self, along_m: f64, axis: usize) -> i64 {
        let (origin, step) = (self.origin.to_array()[axis], self.step.to_array()[axis]);
        (((along_m - origin) / step).round() as i64).clamp(0, SIDE)
    }

    fn body(&self, body: &Body, colors: &mut Colors) -> Value {
        let trail: Vec<usize> = (0..SHADES).map(|shade| colors.place(trails::paint(body.trail, shade))).collect();
        let mut level = |sketches: &Vec<Scaled>| -> Vec<Value> {
            let sketch = |scaled: &Scaled| self.sketch(&scaled.sketch, DVec2::ZERO, &scaled.pixels, colors);
            sketches.iter().map(sketch).collect()
        };
        let levels: Vec<Vec<Value>> = body.levels.iter().map(&mut level).collect();
        json!({"radius_m": self.length(body.radius_m), "trail": trail, "levels": levels})
    }

    /// A sketch relative to a point of the world; `pixels` are the parts of its numbers in pixels.
    fn sketch(&self, sketch: &Sketch, low: DVec2, pixels: &[f64], colors: &mut Colors) -> Value {
        let place = |place: usize| match sketch.form {
            Form::Polygon | Form::Line { .. } => low.to_array()[place % 2],
            _ if place < 2 => low.to_array()[place],
            _ => 0.0,
        };
        let numbers = sketch.numbers.iter().enumerate().map(|(at, number)| self.length(number - place(at)));
        let kind = match sketch.form {
            Form::Disc => "disc",
            Form::Ring(_) => "ring",
            Form::Polygon => "polygon",
            Form::Line { .. } => "line",
            Form::Sector => "sector",
            Form::Text { .. } => "text",
            Form::Cells { .. } => "cells",
        };
        let layer = Layer::ALL.iter().position(|layer| *layer == sketch.layer).unwrap_or_default();
        let mut value = json!({
            "layer": layer, "color": colors.place(sketch.paint), "kind": kind, "m": numbers.collect::<Vec<_>>(),
        });
        let pixels: Vec<f64> = pixels.iter().map(|pixels| rounded(*pixels, 1e-3)).collect();
        if pixels.iter().any(|pixels| *pixels != 0.0) {
            value["px"] = json!(pixels);
        }
        if let Some(pen) = sketch.pen() {
            let (length, unit) = width(pen.width);
            value["pen"] = json!([if unit == "m" { self.length(length) } else { length }, unit, pen.dashed]);
        }
        match &sketch.form {
            Form::Line { closed, .. } => value["closed"] = json!(closed),
            Form::Text { text, size_px, anchor } => {
                let anchor = match anchor {
                    Anchor::Left => "left",
                    Anchor::Middle => "center",
                    Anchor::Right => "right",
                };
                (value["text"], value["size_px"], value["anchor"]) = (json!(text), json!(size_px), json!(anchor));
            }
            Form::Cells { columns, levels } => {
                (value["columns"], value["count"]) = (json!(columns), json!(levels.len()));
                value["opacity"] = json!(rounded(f64::from(sketch.paint.opacity), 1e-3));
            }
            Form::Disc | Form::Ring(_) | Form::Polygon | Form::Sector => {}
        }
        value
    }

    fn length(&self, length_m: f64) -> f64 {
        rounded(length_m, self.grain_m)
    }
}

/// A heading in turns as whole steps.
fn heading(turns: f64) -> i64 {
    ((turns * TURN as f64).round() as i64).rem_euclid(TURN)
}

/// A number as a multiple of a power of ten, without −0.
fn rounded(number: f64, grain: f64) -> f64 {
    decimal_product((number / grain).round() * grain) + 0.0
}

/// The paints of a page, in the order in which they were first used.
#[derive(Default)]
struct Colors {
    all: Vec<Paint>,
    places: HashMap<(Role, u32, bool), usize>,
}

impl Colors {
    fn place(&mut self, paint: Paint) -> usize {
        let next = self.all.len();
        let place = *self.places.entry((paint.role, paint.opacity.to_bits(), paint.legible)).or_insert(next);
        if place == next {
            self.all.push(paint);
        }
        place
    }

    /// The colours in the dark and in the light theme.
    fn css(&self) -> Vec<[String; 2]> {
        self.all.iter().map(|paint| [Theme::Dark, Theme::Light].map(|theme| css(theme, *paint))).collect()
    }
}

/// A paint as a colour of CSS, which looks on the floor as in pictures.
fn css(theme: Theme, paint: Paint) -> String {
    let (rgb, opacity) = (theme.rgb_of(paint, GroupColors::OkabeIto), theme.opacity_of(paint));
    if opacity >= 1.0 {
        return hex(rgb);
    }
    let ([red, green, blue], covered) = translucent(rgb, theme.rgb(Role::Arena), f64::from(opacity), 0.01);
    let [red, green, blue] = [red, green, blue].map(|channel| (channel * 255.0).round());
    format!("rgba({red},{green},{blue},{})", rounded(covered, 0.01))
}

/// The colours of the page itself in a theme, as variables of CSS.
fn variables(theme: Theme) -> String {
    let roles = [
        ("ground", Role::Ground),
        ("arena", Role::Arena),
        ("grid", Role::Grid),
        ("text", Role::Text),
        ("dim", Role::Dim),
        ("accent", Role::Accent),
    ];
    roles.map(|(name, role)| format!("--{name}:{};", hex(theme.rgb(role)))).concat()
}

/// A template with its markers, such as `{{title}}`, replaced. Replacements are not searched for markers.
fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (marker, rest) = part.split_once("}}").unwrap_or(("", part));
        filled += &value(marker);
        filled += rest;
    }
    filled
}
