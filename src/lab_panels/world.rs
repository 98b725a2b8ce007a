//! The world: texts of the picture, windows over the world, and the tool bar below it. Mouse input goes to the present
//! tool.
//!
//! The GPU paints the shapes behind this transparent panel.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy_egui::egui::text::LayoutJob;
use bevy_egui::egui::{Align, Galley, Label, Layout, Painter, Pos2, Rect, RichText, Sense, Ui, UiBuilder, Vec2, pos2};
use swarmarium_lab_state::action::{Action, SweepAction, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::canvas::{on_screen, texts, world_m};
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::{progress, theme};
use swarmarium_picture::Picture;
use swarmarium_picture::palette::{Role, Theme};

use crate::compare::half;
use crate::mark_legend::MarkLegend;
use crate::notices::NoticesPanel;
use crate::tools::{self, Tools};

/// Height of the bar above a run of a sweep, in points.
const RUN_BAR_PX: f32 = 30.0;

/// Length of the arrow towards robots outside of the view, in points.
const ARROW_PX: f32 = 24.0;

/// The panel of the world.
pub struct WorldView {
    rect: Rect,
    cursor_m: Option<DVec2>,
    progress: progress::Bar,
    notices: NoticesPanel,
    legend: MarkLegend,
    tools: Tools,
    /// The tools in the second world.
    tools_in_b: Tools,
    /// World B in this frame.
    world_b: Option<half::WorldB>,
    /// Height of the tool bar in the last frame, in points.
    bar_px: f32,
}

impl Default for WorldView {
    fn default() -> Self {
        Self {
            rect: Rect::ZERO,
            cursor_m: None,
            progress: progress::Bar::default(),
            notices: NoticesPanel::default(),
            legend: MarkLegend::default(),
            tools: Tools::default(),
            tools_in_b: Tools::default(),
            world_b: None,
            bar_px: theme::TOOL_PX + 2.0 * theme::TINY_GAP,
        }
    }
}

impl WorldView {
    /// Returns the rectangle in the window.
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// Returns the rectangle of world B in the window, while there is one.
    pub fn rect_of_b(&self) -> Option<Rect> {
        self.world_b.as_ref().map(|world_b| world_b.response.rect)
    }

    /// Returns the point of the world under the cursor, in metres.
    pub fn cursor_m(&self) -> Option<DVec2> {
        self.cursor_m
    }

    /// Draws the world in the remaining space. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab, picture: &Picture) -> Vec<Action> {
        let whole = ui.available_rect_before_wrap();
        let (rect, bar) = match lab.shell.settings.panels {
            true => whole.split_top_bottom_at_y(whole.bottom() - self.bar_px.min(whole.height() / 2.0)),
            false => (whole, Rect::NOTHING),
        };
        let mut actions = if bar.is_positive() { self.tool_bar(ui, lab, bar) } else { Vec::new() };
        let rect = run_bar(ui, lab, rect, &mut actions);
        let halves = lab.compare.other.as_ref().map(|other| half::Halves::of(rect, lab, other));
        self.rect = halves.as_ref().map_or(rect, |halves| halves.a);
        let both = halves.as_ref().map_or(rect, |halves| halves.a.union(halves.b));
        let response = ui.allocate_rect(self.rect, Sense::click_and_drag());
        self.cursor_m = response.hover_pos().map(|at| world_m(&lab.view.painted.camera, self.rect, at));
        texts(&ui.painter_at(self.rect), self.rect, &lab.view.painted.camera, lab.shell.settings.theme, picture);
        outside(&ui.painter_at(self.rect), self.rect, lab);
        if let Some(text) = lab.forecasts.text() {
            forecast(&ui.painter_at(self.rect), self.rect, lab.shell.settings.theme, text);
        }
        if lab.shell.settings.panels {
            actions.extend(self.legend.ui(ui, lab, self.rect, picture));
        }
        actions.extend(self.tools.ui(ui, lab, &response));
        if lab.shell.settings.panels {
            actions.extend(self.tools.options(ui, lab, both));
        }
        self.world_b = None;
        if let (Some(halves), Some(other)) = (halves, &lab.compare.other) {
            let world_b = half::ui(ui, &halves, lab, other, &mut actions);
            self.cursor_m = self.cursor_m.or(world_b.cursor_m);
            self.world_b = Some(world_b);
        }
        // Esc closes many things. A recording may have taken minutes, so only its button ends it.
        let (progress, cancel) = match lab.progress() {
            Some(progress) => (Some((progress, "steps")), "Cancels and keeps the present state (Esc)"),
            None => (lab.files.recordings.progress(), "Ends the work without a file"),
        };
        let shown = progress.as_ref().map(|(progress, unit)| (progress, *unit));
        if self.progress.ui(ui.ctx(), rect, lab.shell.settings.theme, shown, cancel) {
            actions.push(Action::Window(WindowAction::CancelProgress));
        }
        let places = [both, arena_px(lab, self.rect)];
        actions.extend(self.notices.ui(ui.ctx(), places, lab.shell.settings.theme, &lab.shell.keymap, &lab.notices));
        actions
    }

    /// Handles the tools in world B, which are the same as in A, and returns the requested actions. The lab has B as its
    /// simulation.
    pub fn tools_in_b(&mut self, ui: &Ui, lab: &Lab) -> Vec<Action> {
        let Some(world_b) = &self.world_b else { return Vec::new() };
        let wanted = self.tools_in_b.ui(ui, lab, &world_b.response);
        wanted.into_iter().map(|action| world_b.action_in_b(action)).collect()
    }

    /// Draws the tool bar below the world.
    fn tool_bar(&mut self, ui: &mut Ui, lab: &Lab, bar: Rect) -> Vec<Action> {
        ui.painter().hline(bar.x_range(), bar.top(), (1.0, theme::color(lab.shell.settings.theme, Role::Grid)));
        let margin = Vec2::new(theme::PAD, theme::TINY_GAP);
        let mut inner = ui.new_child(UiBuilder::new().id_salt("tools").max_rect(bar.shrink2(margin)));
        inner.shrink_clip_rect(bar);
        let actions = tools::bar::ui(&mut inner, lab);
        // The number of rows is known only after drawing.
        let needed_px = inner.min_rect().height() + 2.0 * margin.y;
        if needed_px != self.bar_px {
            self.bar_px = needed_px;
            ui.ctx().request_repaint();
        }
        actions
    }
}

/// Draws the bar above a run of a sweep, which names the run and goes back to the scene that was shown before. Returns the
/// rectangle below it.
fn run_bar(ui: &mut Ui, lab: &Lab, rect: Rect, actions: &mut Vec<Action>) -> Rect {
    let Some(run) = lab.sweep.shown_run(lab.run.openings).filter(|_| lab.shell.settings.panels) else { return rect };
    let (bar, below) = rect.split_top_bottom_at_y(rect.top() + RUN_BAR_PX.min(rect.height()));
    ui.painter().rect_filled(bar, 0.0, theme::color(lab.shell.settings.theme, Role::Ground));
    let place = UiBuilder::new().id_salt("run of a sweep").max_rect(bar.shrink2(Vec2::new(theme::PAD, 2.0)));
    let mut inner = ui.new_child(place.layout(Layout::right_to_left(Align::Center)));
    if let Some(left) = &lab.sweep.left {
        let hint = format!("Shows {} again, with its changes and its run as they were", left.title);
        if inner.button("Back to my scene").on_hover_text(hint).clicked() {
            actions.push(SweepAction::BackToScene.into());
        }
    }
    let text = RichText::new(format!("{}, sweep run: {run}", lab.run.title())).strong();
    inner.with_layout(Layout::left_to_right(Align::Center), |ui| {
        ui.add(Label::new(text).truncate()).on_hover_text("Name of the scene, and the seed and values of this run");
    });
    below
}

/// Returns the rectangle of the arena in the window.
fn arena_px(lab: &Lab, world: Rect) -> Rect {
    let corners = lab.run.host.simulation().space().arena.corners();
    let points: Vec<Pos2> =
        corners.into_iter().map(|corner| on_screen(&lab.view.painted.camera, world, corner)).collect();
    Rect::from_points(&points).intersect(world)
}

/// Says how many robots are outside of the view, with an arrow towards them, if all are, or if some have left the arena.
fn outside(painter: &Painter, rect: Rect, lab: &Lab) {
    let camera = &lab.view.painted.camera;
    let screen = Rect::from_min_size(Pos2::ZERO, rect.size());
    let places = lab.run.host.simulation().agents().map(|agent| {
        let at = camera.screen_from_world(agent.pose.position_m);
        pos2(at.x as f32, at.y as f32)
    });
    let (mut all, mut away, mut sum) = (0_u64, 0_u64, Vec2::ZERO);
    for at in places {
        all += 1;
        if !screen.contains(at) {
            away += 1;
            sum += at.to_vec2();
        }
    }
    // A user who zooms in knows that others are outside.
    if away == 0 || !(away == all || lab.view.is_fitted) {
        return;
    }
    let of = if away == all { String::new() } else { format!(" of {}", grouped(all)) };
    let are = if away == 1 && all == 1 { "robot is" } else { "robots are" };
    let keys = lab.shell.keymap.first_of(CommandId::ShowTheWholeArena);
    let shows = if keys.is_empty() { String::new() } else { format!("; {keys} shows all") };
    let text = format!("{}{of} {are} outside of the view{shows}", grouped(away));
    let color = theme::color(lab.shell.settings.theme, Role::Text);
    let galley = painter.layout_no_wrap(text, theme::font(theme::TEXT_PX), color);
    let at = rect.center_top() + Vec2::new(-galley.size().x / 2.0, theme::EDGE_GAP);
    veiled(painter, at, galley, lab.shell.settings.theme);
    // From the centre of the view towards the centre of those outside, as far as the edge.
    let way = (sum / away as f32 - screen.size() / 2.0).normalized();
    let inner = rect.shrink(theme::EDGE_GAP);
    let room = (inner.size() / 2.0 / way.abs().max(Vec2::splat(1e-6))).min_elem();
    let tip = rect.center() + way * room;
    let stroke = (theme::LINE_PX, theme::color(lab.shell.settings.theme, Role::Accent));
    painter.arrow(tip - way * ARROW_PX, way * ARROW_PX, stroke);
}

/// Says which future the dashed paths show, below the number of robots outside.
fn forecast(painter: &Painter, rect: Rect, theme: Theme, text: &str) {
    let text = LayoutJob::simple(
        text.to_owned(),
        theme::font(theme::TEXT_PX),
        theme::color(theme, Role::Text),
        rect.width() - 4.0 * theme::EDGE_GAP,
    );
    let galley = painter.layout_job(text);
    let at = rect.center_top() + Vec2::new(-galley.size().x / 2.0, theme::EDGE_GAP + 2.0 * galley.size().y);
    veiled(painter, at, galley, theme);
}

/// Draws a text on a background that keeps it readable over robots and their sensors.
fn veiled(painter: &Painter, at: Pos2, galley: Arc<Galley>, theme: Theme) {
    let words = Rect::from_min_size(at, galley.size()).expand2(Vec2::new(theme::SMALL_GAP, 2.0));
    painter.rect_filled(words, theme::CORNER_PX, theme::paint(theme, Role::Ground.faint(theme::VEIL)));
    painter.galley(at, galley, theme::color(theme, Role::Text));
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use bevy::math::DVec2;
    use bevy_egui::egui;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_formats::standard::FromScene as _;
    use swarmarium_lab_state::action::{Action, TimeAction, ViewAction};
    use swarmarium_lab_state::app::Lab;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_testing::{click_at, do_steps, lab_of, lab_on, window};
    use swarmarium_scene::scene::description::Click;
    use swarmarium_scene::scene::writer::{Style, write};
    use swarmarium_scene::scene::{Scene, reader};
    use swarmarium_simulation::simulation::Simulation;

    use crate::dispatch;

    const SQUARES: &str = "(arena: (size_m: (10, 10), boundary: Walls), view: (click: Restart),
        groups: [(name: \"a\", count: 5, spawn: UniformSquare(side_m: 1)),
                 (name: \"b\", count: 2, spawn: UniformDisc(center_m: (5, 5), radius_m: 0.5)),
                 (name: \"c\", spawn: Point(position_m: (1, 9)))],
        objects: [Disc(center_m: (8, 2), radius_m: 0.5), Region(area: Disc(center_m: (3, 3), radius_m: 1.0))])";

    /// Clicks at a point of the world.
    fn click(window: &mut Harness, lab: &Rc<RefCell<Lab>>, at_m: DVec2) {
        let at = {
            let lab = lab.borrow();
            let at = lab.view.painted.camera.screen_from_world(at_m);
            lab.view.rect_px.min + egui::vec2(at.x as f32, at.y as f32)
        };
        click_at(window, at);
    }

    fn centers(lab: &RefCell<Lab>) -> Vec<Option<DVec2>> {
        lab.borrow().run.host.simulation().spawn_centers_m().collect()
    }

    fn poses(simulation: &Simulation) -> Vec<DVec2> {
        simulation.agents().map(|agent| agent.pose.position_m).collect()
    }

    #[test]
    fn a_click_on_the_ground_starts_the_swarm_there() {
        let (mut window, lab) = window(lab_of(SQUARES));
        window.get_by_label("Click on the ground to restart the swarm there");
        let [Some(a), Some(b), None] = centers(&lab)[..] else { panic!("{:?}", centers(&lab)) };
        let before = poses(lab.borrow().run.host.simulation());
        do_steps(&mut lab.borrow_mut(), 5);
        click(&mut window, &lab, DVec2::new(3.0, 3.0));
        {
            let lab = lab.borrow();
            assert_eq!(lab.run.host.simulation().steps(), 0);
            assert_eq!(lab.run.restarts, 1);
            assert!(lab.run.host.clock().paused);
            let after = poses(lab.run.host.simulation());
            let moved: Vec<DVec2> = after.iter().zip(&before).map(|(after, before)| *after - *before).collect();
            assert!(moved[..7].iter().all(|by| by.distance(moved[0]) < 1e-9), "they stand as before: {moved:?}");
            assert_eq!(moved[7], DVec2::ZERO, "a point has no centre");
            // A restart begins with the saved scene.
            let scene = lab.run.host.simulation().scene_ahead();
            let text = write(lab.run.host.simulation().kinds(), scene, Style::Short);
            let back: Scene = reader::read(lab.run.host.simulation().kinds(), "saved", &text).unwrap();
            assert_eq!(Simulation::new(&back).unwrap().hash(), lab.run.host.simulation().hash());
        }
        let [Some(a_now), Some(b_now), None] = centers(&lab)[..] else { panic!("{:?}", centers(&lab)) };
        assert!(((a_now + b_now) / 2.0).distance(DVec2::splat(3.0)) < 0.02, "{a_now} {b_now}");
        assert!((b_now - a_now).distance(b - a) < 1e-9);
        lab.borrow_mut().reset(None);
        assert_eq!(centers(&lab)[0], Some(a_now), "a reset keeps it");
        lab.borrow_mut().revert();
        assert_eq!(centers(&lab)[0], Some(a));
    }

    #[test]
    fn a_click_on_a_robot_or_an_obstacle_selects_it() {
        let (mut window, lab) = window(lab_of(SQUARES));
        click(&mut window, &lab, DVec2::new(8.1, 2.0));
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Object(0)));
        let robot = poses(lab.borrow().run.host.simulation())[7];
        click(&mut window, &lab, robot);
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(7)));
        assert_eq!(lab.borrow().run.restarts, 0);
        click(&mut window, &lab, DVec2::new(0.5, 0.5));
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(7)), "it stays selected");
        assert_eq!(lab.borrow().run.restarts, 1);
    }

    #[test]
    fn the_world_says_that_robots_have_left_the_view_and_a_fit_shows_them() {
        let scene = "(arena: (size_m: (4, 4), boundary: Open),
            groups: [(name: \"a\", count: 2, spawn: UniformSquare(side_m: 1), controller: Constant(v_m_per_s: 2))])";
        let (mut window, lab) = window(lab_of(scene));
        let texts = |window: &Harness| -> Vec<String> {
            let shapes = window.output().shapes.iter().filter_map(|entry| match &entry.shape {
                egui::Shape::Text(text) => Some(text.galley.text().to_owned()),
                _ => None,
            });
            shapes.filter(|text| text.contains("outside of the view")).collect()
        };
        window.run_steps(2);
        assert_eq!(texts(&window), [""; 0]);
        do_steps(&mut lab.borrow_mut(), 2000);
        window.run_steps(2);
        assert_eq!(texts(&window), ["2 robots are outside of the view; 0 shows all"]);
        window.key_press(egui::Key::Num0);
        window.run_steps(4);
        assert_eq!(texts(&window), [""; 0]);
    }

    #[test]
    fn a_click_on_the_ground_starts_no_swarm_unless_the_scene_asks() {
        let (mut window, lab) = window(lab_of(&SQUARES.replace("Restart", "Select")));
        assert_eq!(lab.borrow().run.host.scene().view.click, Click::Select);
        lab.borrow_mut().select(Some(Item::Agent(0)));
        click(&mut window, &lab, DVec2::new(0.5, 0.5));
        assert_eq!(lab.borrow().view.selection.item, None);
        assert_eq!(lab.borrow().run.restarts, 0);
    }

    #[test]
    fn the_view_follows_the_selected_robot_until_it_is_dragged() {
        let (mut window, lab) = window(lab_on("milling"));
        let key = |window: &mut Harness| {
            window.key_press(egui::Key::F);
            window.run_steps(2);
            {
                let lab = &mut *lab.borrow_mut();
                lab.view.keep_up(&lab.run.host);
            };
        };
        key(&mut window);
        assert_eq!(lab.borrow().view.follows, None, "there is nobody to follow");
        lab.borrow_mut().select(Some(Item::Agent(2)));
        key(&mut window);
        do_steps(&mut lab.borrow_mut(), 30);
        {
            let lab = &mut *lab.borrow_mut();
            lab.view.keep_up(&lab.run.host);
        };
        let pose = lab.borrow().run.host.simulation().agent(2).unwrap().pose;
        assert_eq!(lab.borrow().view.current.camera.center_m, pose.position_m);
        assert_eq!(lab.borrow().view.current.camera.turn_rad, 0.0);
        key(&mut window);
        let camera = lab.borrow().view.current.camera;
        let ahead = camera.screen_from_world(pose.position_m + swarmarium_base::math::direction(pose.heading_rad));
        assert!((ahead - camera.screen_px / 2.0 + DVec2::new(0.0, camera.pixels_per_m)).length() < 1e-6, "{ahead}");
        window.run_steps(1);
        window.get_by_label_contains("rotating with it");
        dispatch::act(&mut lab.borrow_mut(), &egui::Context::default(), Action::View(ViewAction::Pan(DVec2::X)));
        assert_eq!(lab.borrow().view.follows, None);
        assert_eq!(lab.borrow().view.current.camera.turn_rad, 0.0);
        for _ in 0..3 {
            key(&mut window);
        }
        assert_eq!(lab.borrow().view.follows, None, "the third time it stays");
        key(&mut window);
        lab.borrow_mut().select(None);
        {
            let lab = &mut *lab.borrow_mut();
            lab.view.keep_up(&lab.run.host);
        };
        assert_eq!(lab.borrow().view.follows, None);
    }

    #[test]
    fn no_robot_starts_outside_walls_or_without_a_centre() {
        let lab = RefCell::new(lab_of(SQUARES));
        dispatch::act(
            &mut lab.borrow_mut(),
            &egui::Context::default(),
            Action::Time(TimeAction::RestartAt(DVec2::new(-5.0, 20.0))),
        );
        let [Some(a), Some(b), None] = centers(&lab)[..] else { panic!("{:?}", centers(&lab)) };
        assert!(((a + b) / 2.0).distance(DVec2::new(0.0, 10.0)) < 1e-9);
        let lab = RefCell::new(lab_on("playground"));
        let before = lab.borrow().run.host.simulation().hash();
        lab.borrow_mut().restart_at(DVec2::ONE);
        assert_eq!(lab.borrow().run.host.simulation().hash(), before);
    }

    #[test]
    fn a_click_start_moves_all_groups_or_none() {
        let lab = RefCell::new(lab_of(&SQUARES.replace("(5, 5)", "(500, 5)").replace("Walls", "Open")));
        let far_m = DVec2::new(swarmarium_base::limits::MAX_LENGTH_M, 0.0);
        lab.borrow_mut().restart_at(far_m);
        let lab = lab.borrow();
        assert_eq!(lab.run.restarts, 0);
        assert_eq!(lab.run.host.simulation().waiting_edits().len(), 0);
        assert!(lab.notices.iter().next().is_some(), "the user is told");
    }
}
