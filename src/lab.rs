//! The lab: the window in which a scene is watched and handled.
//!
//! It hosts one simulation and uses only its face; nothing in a simulation knows that there is a window.
//! A panel is a struct whose `ui` draws it and returns [`Action`]s; one system does them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, anyhow};
use bevy::app::AppExit;
use bevy::log::{Level, LogPlugin};
use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::settings::WgpuSettings;
use bevy::window::{ExitCondition, PresentMode, WindowResolution};
use bevy::winit::WinitSettings;
use bevy_egui::{EguiContexts, EguiPlugin, EguiPrimaryContextPass, egui};

use crate::clock::Host;
use crate::draw::{Picture, Theme, View};
use crate::scene::description::Scene;
use crate::simulation::Recipe;

pub mod action;
mod display;
mod frame;
mod help;
mod keys;
mod painter;
mod plots;
mod shot;
mod status;
mod tessellate;
mod theme;
mod transport;
mod world_view;

pub use action::Action;
pub use display::display_available;

use frame::Frames;
use plots::History;

/// How the lab opens.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the scene came from, such as the path of its file; its title when the scene has no name.
    pub source: String,
    /// Threads that the simulation may use.
    pub threads: usize,
    /// Simulated seconds per second to start with; what the scene asks for when there is none.
    pub speed: Option<f64>,
    /// Whether time stands still at first.
    pub paused: bool,
    /// Saves the window as PNG at a simulated time in seconds, and closes it.
    pub screenshot: Option<(PathBuf, f64)>,
    /// Size of the window in logical pixels.
    pub size_px: (u32, u32),
    /// Dark or light.
    pub theme: Theme,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            source: String::new(),
            threads: 1,
            speed: None,
            paused: false,
            screenshot: None,
            size_px: (1280, 800),
            theme: Theme::default(),
        }
    }
}

/// How the lab ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The window was closed.
    Closed,
    /// The screenshot was saved.
    Saved(PathBuf),
    /// The terminal interrupted it.
    Interrupted,
}

/// Opens the window on a scene and runs until it is closed.
///
/// It starts with what [`display_available`] checks.
///
/// # Errors
/// When the simulation cannot be made, no window can be opened, or the screenshot cannot be saved.
pub fn open(scene: &Scene, recipe: &Recipe, options: Options) -> anyhow::Result<Outcome> {
    let lab = Lab::new(scene, recipe, &options)?;
    if let Some((path, _)) = &options.screenshot {
        shot::check(path)?;
    }
    display_available().map_err(anyhow::Error::msg)?;
    let report: shot::Report = Arc::new(Mutex::new(None));
    let built = display::quietly(|| app(lab, &options, report.clone()));
    let exit = built.map_err(|message| anyhow!("cannot open a window: {message}"))?.run();
    let saved = report.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (saved, exit) {
        (Some(saved), _) => saved.map(Outcome::Saved),
        (None, AppExit::Success) => Ok(Outcome::Closed),
        (None, AppExit::Error(code)) if code.get() == 130 => Ok(Outcome::Interrupted),
        (None, AppExit::Error(_)) => Err(anyhow!("the window failed")),
    }
}

fn app(lab: Lab, options: &Options, report: shot::Report) -> App {
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin {
                primary_window: Some(window(&lab, options)),
                exit_condition: ExitCondition::OnAllClosed,
                ..default()
            })
            // Errors only: notes on drivers and displays would hide what the program itself has to say.
            .set(LogPlugin { level: Level::ERROR, filter: "error".into(), ..default() })
            // A picture that is taken once must not miss shapes whose pipeline still compiles.
            .set(RenderPlugin {
                synchronous_pipeline_compilation: options.screenshot.is_some(),
                render_creation: WgpuSettings { backends: display::backends(), ..default() }.into(),
                ..default()
            }),
    )
    .add_plugins(EguiPlugin::default())
    .insert_resource(WinitSettings::continuous())
    .insert_non_send(lab)
    .init_resource::<action::Actions>()
    .init_resource::<Panels>()
    .add_systems(Update, advance)
    .add_systems(EguiPrimaryContextPass, (show, action::apply).chain())
    .add_systems(Last, end_frame)
    .add_plugins(painter::plugin);
    if let Some((path, _)) = options.screenshot.clone() {
        shot::plugin(&mut app, path, report);
    }
    app
}

fn window(lab: &Lab, options: &Options) -> Window {
    let (width, height) = options.size_px;
    Window {
        title: format!("{} — Swarmarium", lab.title()),
        name: Some("swarmarium".into()),
        resolution: WindowResolution::new(width, height),
        present_mode: PresentMode::AutoNoVsync,
        ..default()
    }
}

/// What the window holds: the host with its simulation, the view of it, and what is open.
pub struct Lab {
    pub(crate) host: Host,
    pub(crate) history: History,
    pub(crate) frames: Frames,
    /// The view that is asked for.
    pub(crate) view: View,
    /// The view of the picture below: texts and triangles of one frame must agree.
    pub(crate) painted: View,
    pub(crate) picture: Picture,
    /// Where the world is in the window, in logical pixels.
    pub(crate) world_px: egui::Rect,
    /// Whether the view shows the whole arena until it is moved.
    pub(crate) fitted: bool,
    /// The point of the world under the cursor, in metres.
    pub(crate) cursor_m: Option<DVec2>,
    pub(crate) theme: Theme,
    pub(crate) panels: bool,
    pub(crate) help: bool,
    /// What went wrong last, over the world until it is closed.
    pub(crate) notice: Option<String>,
    /// The step to stop at, while the window runs towards a screenshot.
    pub(crate) target: Option<u64>,
    source: String,
}

impl Lab {
    fn new(scene: &Scene, recipe: &Recipe, options: &Options) -> anyhow::Result<Self> {
        let mut host = Host::new(scene, recipe, options.threads)?;
        if let Some(speed) = options.speed {
            host.set_scale(speed).map_err(|problem| anyhow!("{}", problem.message)).context("--speed")?;
        }
        host.clock_mut().paused = options.paused;
        let (width, height) = options.size_px;
        let view = View::fit(scene.arena.size_m, DVec2::new(f64::from(width), f64::from(height)));
        let dt_s = host.simulation().time().dt_s;
        Ok(Self {
            history: History::of(host.simulation()),
            frames: Frames::default(),
            view,
            painted: view,
            picture: Picture::default(),
            world_px: egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width as f32, height as f32)),
            fitted: true,
            cursor_m: None,
            theme: options.theme,
            panels: true,
            help: false,
            notice: None,
            target: options.screenshot.as_ref().map(|(_, at_s)| (at_s / dt_s).round() as u64),
            source: options.source.clone(),
            host,
        })
    }

    /// The name of the scene, or where it came from.
    pub(crate) fn title(&self) -> &str {
        let name = &self.host.scene().name;
        if name.is_empty() { &self.source } else { name }
    }

    pub(crate) fn reset(&mut self, seed: Option<u64>) {
        let done = match seed {
            Some(seed) => self.host.reset_with_seed(seed),
            None => self.host.reset(),
        };
        self.tell(done.map_err(|problems| problems.to_string()));
        self.history = History::of(self.host.simulation());
    }

    pub(crate) fn tell(&mut self, done: Result<(), String>) {
        if let Err(message) = done {
            self.notice = Some(message);
        }
    }

    /// Shows the whole arena, now and when the window changes its size.
    pub(crate) fn fit(&mut self) {
        self.view.camera = View::fit(self.host.scene().arena.size_m, self.view.camera.screen_px).camera;
        self.fitted = true;
    }

    /// Takes note of where the world is in the window.
    pub(crate) fn arrange(&mut self, world_px: egui::Rect) {
        self.world_px = world_px;
        let size = DVec2::new(f64::from(world_px.width()), f64::from(world_px.height())).max(DVec2::ONE);
        if size != self.view.camera.screen_px {
            self.view.camera.screen_px = size;
            if self.fitted {
                self.fit();
            }
        }
    }

    /// Looks at the simulation again.
    pub(crate) fn refresh_picture(&mut self) {
        self.painted = self.view;
        self.picture = self.host.simulation().picture(&self.painted);
    }
}

/// The panels of the window.
#[derive(Resource, Default)]
struct Panels {
    transport: transport::Transport,
    plots: plots::Plots,
    status: status::Status,
    world: world_view::WorldView,
    theme: Option<Theme>,
}

/// Gives the simulation its time.
fn advance(mut lab: NonSendMut<Lab>) {
    let Lab { host, history, frames, target, .. } = &mut *lab;
    let real_s = frames.begin();
    let budget = frames.budget();
    let on_step = |simulation: &_| history.observe(simulation);
    let steps = match target {
        Some(step) => host.advance_to(*step, budget, on_step),
        None => host.advance(real_s, budget, on_step),
    };
    frames.stepped(steps);
}

/// Draws the panels and collects what they ask for.
fn show(
    mut contexts: EguiContexts,
    mut lab: NonSendMut<Lab>,
    mut panels: ResMut<Panels>,
    mut actions: ResMut<action::Actions>,
) -> Result {
    let ctx = contexts.ctx_mut()?.clone();
    if panels.theme != Some(lab.theme) {
        theme::apply(&ctx, lab.theme);
        panels.theme = Some(lab.theme);
    }
    let wanted = &mut actions.0;
    wanted.extend(keys::actions(&ctx, &lab));
    let layer = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(ctx.viewport_rect());
    let mut ui = egui::Ui::new(ctx.clone(), "lab".into(), layer);
    if lab.panels {
        wanted.extend(panels.transport.ui(&mut ui, &lab));
        wanted.extend(panels.status.ui(&mut ui, &lab));
        wanted.extend(panels.plots.ui(&mut ui, &lab));
    }
    wanted.extend(panels.world.ui(&mut ui, &lab));
    lab.arrange(panels.world.rect());
    lab.cursor_m = panels.world.cursor_m();
    if lab.help {
        wanted.extend(help::ui(&ctx));
    }
    Ok(())
}

fn end_frame(mut lab: NonSendMut<Lab>) {
    lab.frames.end();
}
