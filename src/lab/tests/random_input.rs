//! Random input to the whole window: keys, clicks, drags, text, sizes, and files that vanish.
//!
//! The input goes to a process of its own in a temporary folder, because it also saves, records and opens files.
//! `RANDOM_INPUT_S` makes each scene last longer, and `RANDOM_INPUT_SEED` selects other input.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use bevy_egui::egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, TouchPhase, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::NodeT as _;
use swarmarium_core::random::pcg::Pcg64;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_testing::{lab_on_file, window};
use swarmarium_testing::file;

/// Number of inputs for each scene, without `RANDOM_INPUT_S`.
const INPUTS: usize = 150;

/// Scenes that together have most of the panels' contents.
const SCENES: [&str; 4] = ["milling", "foraging", "simiam-week7", "formation"];

/// Text that users type or paste, and some that they should not.
const TEXTS: [&str; 16] = [
    "1/3",
    "-1",
    "1e400",
    "90 deg",
    "30 cm",
    "*1.5",
    "nan",
    "20000",
    "circliness > 0.9",
    "collision",
    "12 s",
    "é\u{301}🦀",
    "((((",
    "groups[0].count",
    "\n\t\"",
    "milling",
];

/// How a scene is treated, and the frames that took long.
struct Monkey {
    random: Pcg64,
    slow: Vec<(Duration, String)>,
}

impl Monkey {
    fn below(&mut self, end: usize) -> usize {
        (self.random.next_u64() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn modifiers(&mut self) -> Modifiers {
        match self.below(8) {
            0 => Modifiers::SHIFT,
            1 | 2 => Modifiers::COMMAND,
            3 => Modifiers::COMMAND | Modifiers::SHIFT,
            4 => Modifiers::ALT,
            _ => Modifiers::NONE,
        }
    }

    /// Returns a point of a widget, or any point of the window.
    fn point(&mut self, window: &Harness, size: Vec2) -> Pos2 {
        if self.below(3) > 0 {
            let nodes = window.root().children_recursive();
            let rects = nodes.filter(|node| node.accesskit_node().raw_bounds().is_some()).map(|node| node.rect());
            let rects: Vec<_> = rects.filter(|rect| rect.is_finite() && rect.is_positive()).collect();
            if !rects.is_empty() {
                return self.pick(&rects).center();
            }
        }
        Pos2::new(self.below(size.x as usize) as f32, self.below(size.y as usize) as f32)
    }

    /// Sends one random input, and returns its description.
    fn input(&mut self, window: &mut Harness, size: &mut Vec2, folder: &Path) -> String {
        match self.below(20) {
            0..=5 => {
                let (at, modifiers) = (self.point(window, *size), self.modifiers());
                let button = if self.below(6) == 0 { PointerButton::Secondary } else { PointerButton::Primary };
                press(window, at, button, modifiers, true);
                if self.below(3) == 0 {
                    // A drag.
                    let to = self.point(window, *size);
                    window.event(Event::PointerMoved(at + (to - at) * 0.5));
                    window.step();
                    window.event(Event::PointerMoved(to));
                    window.step();
                    press(window, to, button, modifiers, false);
                    return format!("drag {at:?} to {to:?}");
                }
                press(window, at, button, modifiers, false);
                format!("click {at:?}, {button:?}, {modifiers:?}")
            }
            6 => {
                let at = self.point(window, *size);
                window.event(Event::PointerMoved(at));
                let delta = vec2(0.0, self.below(7) as f32 - 3.0);
                let (unit, phase) = (MouseWheelUnit::Line, TouchPhase::Move);
                window.event(Event::MouseWheel { unit, delta, phase, modifiers: Modifiers::NONE });
                format!("scroll {delta:?} at {at:?}")
            }
            7..=13 => {
                let (key, modifiers) = (*self.pick(Key::ALL), self.modifiers());
                window.key_press_modifiers(modifiers, key);
                format!("press {modifiers:?} {key:?}")
            }
            14..=16 => {
                let text = *self.pick(&TEXTS);
                window.event(if self.below(4) == 0 { Event::Paste(text.into()) } else { Event::Text(text.into()) });
                window.step();
                window.key_press(*self.pick(&[Key::Enter, Key::Tab, Key::Escape]));
                format!("type {text:?}")
            }
            17 => {
                *size =
                    *self.pick(&[vec2(1024.0, 640.0), vec2(1280.0, 800.0), vec2(400.0, 300.0), vec2(1920.0, 1080.0)]);
                window.set_size(*size);
                format!("resize to {size:?}")
            }
            18 => {
                // A file of the folder goes, or is replaced by another program.
                let files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
                if files.is_empty() {
                    return "no file is left".into();
                }
                let file = self.pick(&files).clone();
                if self.below(2) == 0 {
                    let _ = fs::remove_file(&file);
                    format!("remove {}", file.display())
                } else {
                    let _ = fs::write(&file, *self.pick(&TEXTS));
                    format!("overwrite {}", file.display())
                }
            }
            _ => {
                let path = restore(folder, SCENES[self.below(SCENES.len())]);
                format!("restore {}", path.display())
            }
        }
    }
}

/// Copies a shipped scene into a folder.
fn restore(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name).with_extension("ron");
    fs::copy(file("scenes").join(path.file_name().unwrap()), &path).unwrap();
    path
}

fn press(window: &mut Harness, pos: Pos2, button: PointerButton, modifiers: Modifiers, pressed: bool) {
    window.event(Event::PointerMoved(pos));
    window.step();
    window.event(Event::PointerButton { pos, button, pressed, modifiers });
    window.step();
}

#[test]
fn random_input_neither_fails_nor_loses_work() {
    let place = tempfile::tempdir().unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "tests::random_input::in_this_process", "--ignored", "--nocapture"])
        .current_dir(place.path())
        .env("HOME", place.path())
        .envs(["CONFIG", "CACHE", "DATA", "STATE"].map(|kind| (format!("XDG_{kind}_HOME"), place.path().join(".home"))))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    print!("{text}");
}

#[test]
#[ignore = "writes files into the current folder"]
fn in_this_process() {
    let seconds: Option<f64> = env::var("RANDOM_INPUT_S").ok().map(|text| text.parse().unwrap());
    let seed: u64 = env::var("RANDOM_INPUT_SEED").map_or(1, |text| text.parse().unwrap());
    let folder = env::current_dir().unwrap();
    for (seed, name) in (seed..).zip(SCENES) {
        let path = restore(&folder, name);
        let mut monkey = Monkey { random: Pcg64::new(seed), slow: Vec::new() };
        let (mut window, lab) = window(lab_on_file(&path));
        lab.borrow_mut().run.host.clock_mut().paused = false;
        let (start, mut size, mut log) = (Instant::now(), vec2(1280.0, 800.0), Vec::new());
        for input in 0.. {
            if seconds.map_or(input >= INPUTS, |seconds| start.elapsed().as_secs_f64() > seconds) {
                break;
            }
            let began = Instant::now();
            let text = monkey.input(&mut window, &mut size, &folder);
            println!("{name} {input}: {text}");
            log.push(text.clone());
            advance(&mut lab.borrow_mut());
            window.run_steps(1);
            if began.elapsed() > Duration::from_secs(1) {
                monkey.slow.push((began.elapsed(), text));
            }
        }
        nothing_is_lost(&mut lab.borrow_mut(), &folder);
        println!("{name}: {} inputs, {} frames above a second: {:?}", log.len(), monkey.slow.len(), monkey.slow);
    }
}

/// Steps for a 60th of a second, as the stepping thread would.
fn advance(lab: &mut Lab) {
    let began = Instant::now();
    if lab.has_room_for_steps() {
        lab.advance(1.0 / 60.0, || began.elapsed() < Duration::from_millis(4));
    }
}

/// Checks that the present scene can be saved and opened again, and that saving that one gives the same text.
fn nothing_is_lost(lab: &mut Lab, folder: &Path) {
    let (first, second) = (folder.join("first.saved.ron"), folder.join("second.saved.ron"));
    lab.save_scene(&first);
    assert!(first.exists(), "{:?}", lab.notices);
    let mut again = lab_on_file(&first);
    again.save_scene(&second);
    let [first, second] = [first, second].map(|path| fs::read_to_string(path).unwrap());
    assert_eq!(first, second);
}
