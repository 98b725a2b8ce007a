//! Read access for hosts: agents, metrics, the end of the run, drawings, geometry, the past.

use bevy::math::DVec2;
use bevy::reflect::TypeRegistry;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::contact::OnCollision;
use swarmarium_core::agent::{Command, Member};
use swarmarium_core::events::Events;
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric;
use swarmarium_core::radio::{Counts, Inbox, Packet, Radio, Tally};
use swarmarium_core::random::Chain;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{Lack, Pending, SpawnerKinds};
use swarmarium_core::step::{HasArena as _, find_agent};
use swarmarium_core::text::wording::count;
use swarmarium_draw::{Moment, Past, Poses, TrailLength, View};
use swarmarium_picture::Picture;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::check::mistake;
use swarmarium_scene::scene::current::Description;
use swarmarium_scene::scene::description::{Group, ObjectGroup, RandomSource, Scene, Stop};
use swarmarium_space::arena::Arena;
use swarmarium_space::{Boundary, Space};

use crate::edit;
use crate::engine::spawners;
use crate::read_view::ReadView;
use crate::recipe::Program;
use crate::simulation::Simulation;

/// A pose as a row of numbers.
fn row_of(position_m: DVec2, heading_rad: f64) -> [f64; 3] {
    [position_m.x, position_m.y, heading_rad]
}

/// An area with a margin for rounded places, such as those on a circle.
fn with_margin(area: &Area) -> Area {
    const MARGIN_M: f64 = 1e-6;
    match *area {
        Area::Rectangle { min_m, max_m } => {
            Area::Rectangle { min_m: min_m.min(max_m) - MARGIN_M, max_m: min_m.max(max_m) + MARGIN_M }
        }
        Area::Ring { center_m, inner_m, outer_m } => {
            Area::Ring { center_m, inner_m: inner_m - MARGIN_M, outer_m: outer_m + MARGIN_M }
        }
        Area::Arena | Area::Polygon { .. } => area.clone(),
    }
}

/// Whether a part of a rectangle is beyond the walls of the arena.
fn is_beyond_walls(arena: &Arena, min_m: DVec2, max_m: DVec2) -> bool {
    let end_m = arena.corner_m + arena.size_m;
    arena.boundary == Boundary::Walls && (min_m.cmplt(arena.corner_m).any() || max_m.cmpgt(end_m).any())
}

/// A point as scene files write it, to the millimetre.
fn point(DVec2 { x, y }: DVec2) -> String {
    let rounded = |number: f64| (number * 1e3).round() / 1e3;
    format!("({}, {})", rounded(x), rounded(y))
}

impl Simulation {
    /// The drawing of the current state, as a list of shapes.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # let scene = Scene { groups: vec![Group { name: "g".into(), ..Group::default() }], ..Scene::default() };
    /// # let simulation = Simulation::with(&scene, &Recipe::bare(), 1).unwrap();
    /// let view = View::fit(simulation.scene(), DVec2::new(640.0, 480.0));
    /// let picture = simulation.picture(&view);
    /// assert!(!picture.items.is_empty());
    /// ```
    pub fn picture(&self, view: &View) -> Picture {
        self.now().picture(view)
    }

    /// The end of the last step, for drawing.
    pub fn now(&self) -> Moment<'_> {
        Moment::now(self.world())
    }

    /// Poses of all agents, to interpolate [`between`](Self::between) this step and the next.
    pub fn poses(&self) -> Poses {
        Poses::from_world(self.world())
    }

    /// Copies x, y (m) and heading (rad) of all agents, by stable id, after a step: for logs of many robots at many steps.
    #[doc(hidden)]
    pub fn poses_after_step(&self, poses: &mut Vec<[f64; 3]>) {
        poses.clear();
        let bodies = &self.world().arena().space.bodies;
        if self.has_plugin_systems() {
            // These may have moved agents after their bodies.
            poses.extend(self.agents().map(|agent| row_of(agent.pose.position_m, agent.pose.heading_rad)));
        } else {
            let rows = bodies.positions().iter().zip(bodies.headings()).take(bodies.len());
            poses.extend(rows.map(|(position_m, heading_rad)| row_of(*position_m, *heading_rad)));
        }
    }

    /// A number that changes when agents are added or removed, or die.
    #[doc(hidden)]
    pub fn roster_tag(&self) -> u64 {
        let owners = self.world().arena().space.bodies.owners().iter();
        self.population_tag().wrapping_add(owners.filter(|owner| owner.dead).count() as u64)
    }

    /// The state at a fraction, from 0 to 1, between the previous step and the last one, for drawing.
    ///
    /// Agents that crossed a periodic boundary or were moved by an edit are not interpolated.
    pub fn between(&self, before: &Poses, part: f64) -> Moment<'_> {
        Moment::between(self.world(), before, part)
    }

    /// The current scene, edits included.
    pub fn scene(&self) -> &Scene {
        self.world().resource::<Description>().scene()
    }

    /// The scene after the waiting edits; a reset starts from it.
    pub fn scene_ahead(&self) -> &Scene {
        edit::scene_ahead(self.world())
    }

    /// The kinds registered in this simulation.
    pub fn kinds(&self) -> &Kinds {
        self.world().resource::<Kinds>()
    }

    /// The program that it belongs to, if it is known.
    #[doc(hidden)]
    pub fn program(&self) -> Option<&Program> {
        self.world().get_resource::<Program>()
    }

    /// The types that describe its kinds.
    pub fn types(&self) -> &TypeRegistry {
        self.kinds().types()
    }

    /// The agents, by stable id.
    pub fn agents(&self) -> impl Iterator<Item = AgentView<'_>> {
        self.world().arena().agents.iter().filter_map(|agent| AgentView::of(self.world(), *agent))
    }

    /// Number of agents.
    pub fn count(&self) -> usize {
        self.world().arena().agents.len()
    }

    /// Number and group of every agent, by stable id; cheap enough for lists of thousands.
    pub fn members(&self) -> Vec<(u32, Member)> {
        let Some(mut query) = self.world().try_query::<(&StableId, &Member)>() else { return Vec::new() };
        let mut members: Vec<_> = query.iter(self.world()).map(|(id, member)| (id.index(), *member)).collect();
        members.sort_unstable_by_key(|(number, _)| *number);
        members
    }

    /// Number of agents that the spawner of the group with this index has yet to create.
    pub fn pending(&self, group: u32) -> u32 {
        let Some(mut query) = self.world().try_query::<&Pending>() else { return 0 };
        query.iter(self.world()).filter(|pending| pending.group == group).map(|pending| pending.count).sum()
    }

    /// The failures of scripts, equal ones once. Their robots have stopped.
    pub fn failed_scripts(&self) -> Vec<Problem> {
        self.events().script_failures().iter().map(|failures| Problem::of_file(failures.to_string())).collect()
    }

    /// The groups of agents and objects that found no free place since the start, although their spawners avoid overlaps:
    /// the path of the spawner, and how many overlap others or are left out for that reason.
    pub fn without_room(&self) -> Vec<Problem> {
        self.world().arena().without_room.iter().map(|lack| self.problem_of(lack)).collect()
    }

    /// The groups with agents outside of the area of their spawner, which places them there when the area is full: the path
    /// of the spawner, and how many agents. At the start of a run, before any of them moves.
    #[doc(hidden)]
    pub fn outside_areas(&self) -> Vec<Problem> {
        let scene = self.scene();
        // Across a periodic boundary, a place has two positions. With `Classic`, robots push each other out of an area.
        if scene.arena.boundary == Boundary::Periodic || scene.random_source == RandomSource::Classic {
            return Vec::new();
        }
        let outside = |(index, group): (usize, &Group)| {
            let spawn = spawners::settled(self.world(), scene, index).filter(|spawn| spawn.common().avoid_overlap)?;
            let kind = self.world().resource::<SpawnerKinds>().of_value(spawn.value())?;
            let area = (kind.placing)(spawn.value())?.area?;
            let wide = with_margin(&area);
            // Robots with written poses come first.
            let agents = self.agents().filter(|agent| agent.member.group as usize == index);
            let placed: Vec<_> = agents.skip(group.placements().count()).collect();
            let outside = placed.iter().filter(|agent| !wide.contains(agent.pose.position_m)).count();
            let of = count(placed.len(), "robot");
            let message = match area.bounds() {
                Some((min_m, max_m)) if is_beyond_walls(&scene.arena, min_m, max_m) => format!(
                    "{outside} of {of} start outside of the area of the spawner, {} to {}, as a part of it is beyond the \
                     walls of the arena, {} to {}",
                    point(min_m),
                    point(max_m),
                    point(scene.arena.corner_m),
                    point(scene.arena.corner_m + scene.arena.size_m)
                ),
                _ => format!(
                    "{outside} of {of} found no room in the area of the spawner, and start outside of it: use fewer or \
                     smaller ones, a larger area, or `if_full` with `Fail`, `Fewer` or `Pack`"
                ),
            };
            (outside > 0).then(|| Problem::of_field(format!("groups[{index}].spawn"), message))
        };
        scene.groups.iter().enumerate().filter_map(outside).collect()
    }

    /// The groups with robots that start beyond the walls of the arena.
    fn beyond_walls(&self) -> Vec<Problem> {
        let scene = self.scene();
        let end_m = scene.arena.corner_m + scene.arena.size_m;
        // The numbers of robots of each group, and of those beyond the walls.
        let mut counts = vec![(0, 0); scene.groups.len()];
        for agent in self.agents() {
            if let Some((all, beyond)) = counts.get_mut(agent.member.group as usize) {
                *all += 1;
                *beyond += usize::from(is_beyond_walls(&scene.arena, agent.pose.position_m, agent.pose.position_m));
            }
        }
        let beyond = |(index, group): (usize, &Group)| {
            let (all, beyond) = counts[index];
            let message = format!(
                "{beyond} of {} start beyond the walls of the arena, {} to {}",
                count(all, "robot"),
                point(scene.arena.corner_m),
                point(end_m)
            );
            let field = if group.at.is_empty() { "spawn" } else { "at" };
            (beyond > 0).then(|| Problem::of_field(format!("groups[{index}].{field}"), message))
        };
        scene.groups.iter().enumerate().filter_map(beyond).collect()
    }

    /// The warnings about the start of a run: values that are mostly mistakes, robots outside of the areas of their spawners
    /// or beyond walls, and metrics without robots. Empty later in a run.
    #[doc(hidden)]
    pub fn start_warnings(&self) -> Vec<Problem> {
        if self.steps() > 0 {
            return Vec::new();
        }
        let scene = self.scene();
        let mut warnings = mistake::mistakes(self.world(), scene);
        warnings.extend(self.outside_areas());
        warnings.extend(self.beyond_walls());
        let is_empty = self.count() == 0 && scene.groups.iter().all(|group| group.spawned() == 0);
        if is_empty && !scene.metrics.is_empty() {
            warnings.push(Problem::of_field("groups", "the scene has no robots: metrics about robots have no values"));
        }
        warnings
    }

    fn problem_of(&self, Lack { of_objects, group, count, left_out }: Lack) -> Problem {
        let scene = self.scene();
        let (all, what, list) = match of_objects {
            true => (scene.object_groups.get(group).map(ObjectGroup::placed), "objects", "object_groups"),
            false => (scene.groups.get(group).map(Group::spawned), "robots", "groups"),
        };
        let of = match all.filter(|all| *all >= count) {
            Some(all) => format!("{count} of {all}"),
            None => count.to_string(),
        };
        let message = if left_out {
            format!("{of} {what} found no room and are left out: use fewer or smaller ones, or a larger area")
        } else {
            format!(
                "{of} {what} found no room and overlap others: `avoid_overlap` needs fewer or smaller {what}, or a larger \
                 arena"
            )
        };
        Problem::of_field(format!("{list}[{group}].spawn"), message)
    }

    /// Centre of the spawner of each group at the next reset; `None` for groups without one.
    pub fn spawn_centers_m(&self) -> impl Iterator<Item = Option<DVec2>> {
        let scene = self.scene_ahead();
        (0..scene.groups.len()).map(move |group| spawners::center_m(self.world(), scene, group))
    }

    /// The agent with this number, as in its stable id.
    pub fn agent(&self, number: u32) -> Option<AgentView<'_>> {
        AgentView::of(self.world(), find_agent(self.world(), number)?)
    }

    /// Packet counts of the last step, over all radios.
    pub fn packets(&self) -> Counts {
        let step = self.steps();
        let tallies = self.world().arena().agents.iter().filter_map(|agent| self.world().get::<Tally>(*agent));
        tallies.fold(Counts::default(), |mut all, tally| {
            all += tally.of(step);
            all
        })
    }

    /// The newest packet of each sender that the radio of an agent keeps, sorted by sender; none without a radio.
    pub fn heard(&self, agent: u32) -> &[Packet] {
        let agent = find_agent(self.world(), agent);
        agent.and_then(|agent| self.world().get::<Inbox>(agent)).map_or(&[], Inbox::packets)
    }

    /// Whether the radio of an agent measures the positions of senders.
    pub fn hears_positions(&self, agent: u32) -> bool {
        let agent = find_agent(self.world(), agent);
        agent.and_then(|agent| self.world().get::<Radio>(agent)).is_some_and(|radio| radio.situated)
    }

    /// Names of the metrics, one each, in the order of the scene.
    pub fn metric_names(&self) -> Vec<String> {
        metric::names(self.world())
    }

    /// Column names of the metrics: one name for a number; `name.x` and so on for a vector.
    pub fn metric_columns(&self) -> Vec<String> {
        metric::columns(self.world())
    }

    /// The metric that the scene needs for a column, as an addition to a message; empty if no kind has such a column.
    pub fn missing_metric(&self, column: &str) -> String {
        metric::advice(metric::missing_metric(self.world(), column))
    }

    /// Values of the metrics after the last step, in the order of their columns. `NaN` before the first step.
    pub fn metrics(&self) -> Vec<f64> {
        metric::values(self.world())
    }

    /// As [`metrics`](Self::metrics), without a copy; empty before the first step.
    pub fn observed(&self) -> &[f64] {
        metric::observed(self.world())
    }

    /// Whether the run has ended, according to the scene's `stop` and `on_collision`.
    pub fn is_at_end(&self) -> bool {
        let time = self.time();
        self.scene().stop.last_step(time.dt_s).is_some_and(|last| time.step >= last) || self.condition_holds()
    }

    /// The field of the scene that ended the run, with its value; `None` while the run continues.
    pub fn end_reason(&self) -> Option<String> {
        let (time, Stop { steps, time_s, when }) = (self.time(), &self.scene().stop);
        let has_passed = |stop: Stop| stop.last_step(time.dt_s).is_some_and(|last| time.step >= last);
        if self.has_crashed() {
            Some("on_collision: Pause".into())
        } else if has_passed(Stop { steps: *steps, ..Stop::default() }) {
            Some(format!("stop.steps: {steps}"))
        } else if has_passed(Stop { time_s: *time_s, ..Stop::default() }) {
            Some(format!("stop.time_s: {time_s}"))
        } else {
            self.condition_holds().then(|| format!("stop.when: {when}"))
        }
    }

    /// Whether the expression of the scene's `stop` holds after the last step, or a robot collided in it with
    /// `on_collision: Pause`. Before the first step, metrics of agents (`AnyAgent`) have the values of the initial state;
    /// expressions with other metrics do not hold then.
    pub fn condition_holds(&self) -> bool {
        let (when, arena) = (&self.scene().stop.when, self.world().arena());
        arena.has_crashed() || (!when.is_empty() && metric::holds(self.world(), arena, when))
    }

    /// Whether [`condition_holds`](Self::condition_holds) can become true without an edit.
    pub fn has_condition(&self) -> bool {
        !self.scene().stop.when.is_empty() || self.world().arena().on_collision == OnCollision::Pause
    }

    /// Whether a robot had a new collision in the last step, with `on_collision: Pause`.
    pub fn has_crashed(&self) -> bool {
        self.world().arena().has_crashed()
    }

    /// The event log.
    pub fn events(&self) -> &Events {
        &self.world().arena().events
    }

    /// The present state, for many reads.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # let scene = Scene { groups: vec![Group { name: "g".into(), count: 2, ..Group::default() }], ..Scene::default() };
    /// # let mut simulation = Simulation::with(&scene, &Recipe::bare(), 1).unwrap();
    /// let view = simulation.read();
    /// assert_eq!(view.agents().count(), 2);
    /// assert_eq!(view.row_of(1), Some(1));
    /// ```
    pub fn read(&self) -> ReadView<'_> {
        ReadView::new(self.world())
    }

    /// The commands in force, each with the number of its agent.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # use swarmarium_core::controller::constant::Constant;
    /// # let group = Group { name: "g".into(), ..Group::default() };
    /// let controller = Slot::new(Constant { v_m_per_s: 0.5, turn_rad_per_s: 0.0 });
    /// let scene = Scene { groups: vec![Group { controller, ..group }], ..Scene::default() };
    /// let mut simulation = Simulation::with(&scene, &Recipe::bare(), 1)?;
    /// simulation.step(1);
    /// let commands: Vec<_> = simulation.commands().collect();
    /// assert_eq!(commands, [(0, Command::Drive { v_m_per_s: 0.5, turn_rad_per_s: 0.0 })]);
    /// # Ok::<(), swarmarium_base::problem::Problems>(())
    /// ```
    pub fn commands(&self) -> impl Iterator<Item = (u32, Command)> {
        self.read().commands()
    }

    /// The last reading of each sensor of an agent, by slot; none if there is no such agent.
    pub fn readings(&self, agent: u32) -> impl Iterator<Item = &[f64]> {
        self.agent(agent).into_iter().flat_map(|agent| agent.readings())
    }

    /// Bodies, objects and walls, with queries about them.
    pub fn space(&self) -> &Space {
        self.read().space()
    }

    /// The state of the random numbers of `random_source: Classic`, as numpy has it (`state`, `inc`, `uinteger` and
    /// `has_uint32`): of an agent, or of the source of seeds. `None` in other scenes.
    pub fn classic_random_state(&self, agent: Option<u32>) -> Option<(u128, u128, u32, bool)> {
        let ReadView { world, arena } = self.read();
        let chain = match agent {
            None => arena.seed_chain.as_ref()?.0.state(),
            Some(number) => world.get::<Chain>(find_agent(world, number)?)?.0.state(),
        };
        Some(chain)
    }

    /// A hash of the identities of all agents: it changes when agents are added or removed.
    pub fn population_tag(&self) -> u64 {
        let agents = &self.read().arena.agents;
        let tag = |sum: u64, bits: u64| sum.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(bits);
        agents.iter().fold(agents.len() as u64, |sum, agent| tag(sum, agent.to_bits()))
    }

    /// A recording of the poses of agents from now on, for overlays that show them.
    pub fn start_past(&self) -> Past {
        Past::for_world(self.world())
    }

    /// Adds the last step to a recording.
    pub fn add_to_past(&self, past: &mut Past, length: TrailLength) {
        past.observe(self.world(), length);
    }
}
