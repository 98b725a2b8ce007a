//! The yardstick: the work of A8, A and B (with line of sight) in plain loops of `f32`, without entities, kinds, state
//! or determinism across machines. The extra time of a simulator is the price of all that.
//!
//! `cargo bench --bench yardstick -- [WORKLOAD [N [THREADS]]]` writes one JSON object a line, over the same steps as
//! `swarmarium bench` and from the same poses.
//!
//! Each step sorts the robots by cell (a counting sort), and moves them from one array, which all may read, to another,
//! of which each thread writes a part. The bodies near a point are a few runs of neighbours in the first one.

use std::array;
use std::f32::consts::{PI, TAU};
use std::time::Instant;

use bevy::math::DVec2;
use bevy::tasks::{TaskPool, TaskPoolBuilder};
use swarmarium::bench::{Window, mean, mean_nearest_m};

mod start;

/// Radius (m) of a foot-bot.
const RADIUS: f32 = 0.085_036_758;
/// How far (m) its rays reach beyond it.
const RANGE: f32 = 0.1;
/// Length (m) of its axle.
const AXLE: f32 = 0.14;
/// The time of a step (s).
const DT: f32 = 0.1;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let word = |place: usize| words.get(place).map(String::as_str);
    let parse = |word: &str| word.parse().unwrap_or_else(|_| panic!("expected WORKLOAD N THREADS, found `{word}`"));
    let number = |place: usize| word(place).map(parse);
    let is_wanted = |workload: &Workload| word(0).is_none_or(|name| name.eq_ignore_ascii_case(workload.name()));
    let mut workloads = vec![Workload::Rays(8), Workload::Rays(24), Workload::Flock];
    workloads.retain(is_wanted);
    assert!(!workloads.is_empty(), "there are the workloads A8, A and B");
    let sizes = number(1).map_or_else(|| vec![10, 100, 1_000, 10_000, 100_000], |robots: usize| vec![robots.max(1)]);
    for workload in workloads {
        for &robots in &sizes {
            measure(workload, robots, number(2).unwrap_or(1).max(1));
        }
    }
}

#[derive(Clone, Copy)]
enum Workload {
    /// Diffusion with so many rays.
    Rays(u8),
    /// Flocking by messages from robots in line of sight.
    Flock,
}

impl Workload {
    fn name(self) -> &'static str {
        match self {
            Self::Rays(24) => "A",
            Self::Rays(_) => "A8",
            Self::Flock => "B",
        }
    }

    fn fan(self) -> Vec<(f32, f32)> {
        let Self::Rays(rays) = self else { return Vec::new() };
        let bearing = |ray: u8| (f32::from(ray) + 0.5) * TAU / f32::from(rays);
        (0..rays).map(|ray| bearing(ray).sin_cos()).collect()
    }

    /// The width of cells (m) that is fastest; no robot looks further.
    fn cell(self) -> f32 {
        match self {
            Self::Rays(_) => 0.5,
            Self::Flock => 1.0,
        }
    }
}

/// Measures a workload, each repetition from the start, and prints what came of the best one.
fn measure(workload: Workload, count: usize, threads: usize) {
    let window @ Window { warm_up, steps, .. } = Window::for_robots(count);
    let start: Vec<Robot> = start::simulation("m", count).agents().zip(0..).map(robot).collect();
    let pool = TaskPoolBuilder::new().num_threads(threads - 1).build();
    let (mut windows_s, mut yard) = (Vec::new(), Yard::new(&start, workload));
    while !window.is_enough(&windows_s) {
        yard = Yard::new(&start, workload);
        (0..warm_up).for_each(|_| yard.step(&pool, threads));
        let now = Instant::now();
        (0..steps).for_each(|_| yard.step(&pool, threads));
        windows_s.push(now.elapsed().as_secs_f64());
    }
    let best_s = windows_s.into_iter().fold(f64::INFINITY, f64::min);
    let moved = |robot: &Robot| place(robot).distance(place(&start[robot.id as usize]));
    let end: Vec<DVec2> = yard.moved.iter().map(place).collect();
    let line = serde_json::json!({
        "workload": format!("yardstick {}", workload.name()), "n": count, "threads": threads, "steps": steps,
        "ns_per_robot_step": best_s * 1e9 / (count as u64 * steps) as f64,
        "mean_displacement_m": mean(yard.moved.iter().map(moved)),
        "mean_nearest_m": mean_nearest_m(&end),
    });
    println!("{line}");
}

#[derive(Clone, Copy, Default)]
struct Robot {
    x: f32,
    y: f32,
    heading: f32,
    cos: f32,
    sin: f32,
    id: u32,
}

fn robot((agent, id): (swarmarium_scene::agent_view::AgentView, u32)) -> Robot {
    let (position, heading) = (agent.pose.position_m.as_vec2(), agent.pose.heading_rad as f32);
    let (sin, cos) = heading.sin_cos();
    Robot { x: position.x, y: position.y, heading, cos, sin, id }
}

fn place(robot: &Robot) -> DVec2 {
    DVec2::new(robot.x.into(), robot.y.into())
}

/// A walled square around the origin, in cells.
struct Yard {
    workload: Workload,
    /// Sine and cosine of the bearings of the rays.
    fan: Vec<(f32, f32)>,
    /// Half the length of a side (m).
    half: f32,
    cells_per_m: f32,
    /// Cells along a side.
    side: usize,
    /// Where each cell begins in `sorted`, and the end.
    starts: Vec<u32>,
    /// The robots at the beginning of a step, by cell.
    sorted: Vec<Robot>,
    /// The same ones at its end.
    moved: Vec<Robot>,
}

impl Yard {
    fn new(robots: &[Robot], workload: Workload) -> Self {
        let half = (robots.len() as f32 / 0.5).sqrt() / 2.0;
        let side = ((2.0 * half / workload.cell()) as usize).max(1);
        let cells_per_m = side as f32 / (2.0 * half);
        let [sorted, moved] = array::from_fn(|_| robots.to_vec());
        let starts = vec![0; side * side + 1];
        Self { workload, fan: workload.fan(), half, cells_per_m, side, starts, sorted, moved }
    }

    fn step(&mut self, pool: &TaskPool, threads: usize) {
        self.sort();
        let mut moved = std::mem::take(&mut self.moved);
        let part = self.sorted.len().div_ceil(threads);
        let yard = &*self;
        let parts = yard.sorted.chunks(part).zip(moved.chunks_mut(part));
        if threads == 1 {
            parts.for_each(|(robots, moved)| yard.act(robots, moved));
        } else {
            pool.scope(|scope| {
                parts.for_each(|(robots, moved)| {
                    scope.spawn(async move { yard.act(robots, moved) });
                });
            });
        }
        self.moved = moved;
    }

    fn along(&self, place: f32) -> usize {
        (((place + self.half) * self.cells_per_m) as usize).min(self.side - 1)
    }

    fn cell(&self, robot: &Robot) -> usize {
        self.along(robot.y) * self.side + self.along(robot.x)
    }

    fn sort(&mut self) {
        let mut starts = std::mem::take(&mut self.starts);
        starts.fill(0);
        self.moved.iter().for_each(|robot| starts[self.cell(robot)] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // From the last one on, so that those of a cell stay in their order, and its end comes to be its start.
        for place in (0..self.moved.len()).rev() {
            let start = &mut starts[self.cell(&self.moved[place])];
            *start -= 1;
            self.sorted[*start as usize] = self.moved[place];
        }
        self.starts = starts;
    }

    /// Visits all others nearer than `reach`, with the way there and the square of its length.
    #[inline(always)]
    fn near(&self, robot: &Robot, reach: f32, mut visit: impl FnMut(f32, f32, f32, &Robot)) {
        let (column, line) = (self.along(robot.x), self.along(robot.y));
        let (first, last) = (column.saturating_sub(1), (column + 1).min(self.side - 1));
        for line in line.saturating_sub(1)..=(line + 1).min(self.side - 1) {
            let ends = [line * self.side + first, line * self.side + last + 1].map(|cell| self.starts[cell] as usize);
            for other in &self.sorted[ends[0]..ends[1]] {
                let (x, y) = (other.x - robot.x, other.y - robot.y);
                let square = x * x + y * y;
                if square < reach * reach && other.id != robot.id {
                    visit(x, y, square, other);
                }
            }
        }
    }

    fn act(&self, robots: &[Robot], moved: &mut [Robot]) {
        match self.workload {
            Workload::Rays(_) => self.diffuse(robots, moved),
            Workload::Flock => self.flock(robots, moved),
        }
    }

    fn diffuse(&self, robots: &[Robot], moved: &mut [Robot]) {
        let mut others = [(0.0, 0.0); 32];
        for (robot, moved) in robots.iter().zip(moved) {
            let mut count = 0;
            self.near(robot, 2.0 * RADIUS + RANGE, |x, y, _, _| {
                if count < others.len() {
                    others[count] = (x, y);
                    count += 1;
                }
            });
            let others = &others[..count];
            let (ahead, aside) = self.proximity(robot, others);
            // Straight on while what is near lies within 7.5° of ahead, or is far enough.
            let is_clear = ahead * ahead + aside * aside < 0.01 && aside.abs() <= 0.131_65 * ahead;
            let wheels = if is_clear {
                (0.05, 0.05)
            } else if aside > 0.0 {
                (0.05, 0.0)
            } else {
                (0.0, 0.05)
            };
            let mut push = (0.0, 0.0);
            for (x, y) in others {
                let apart = overlap(x * x + y * y);
                push = (push.0 - x * apart, push.1 - y * apart);
            }
            *moved = self.drive(robot, wheels, push);
        }
    }

    /// The mean of what the rays read, each as a vector in its direction, seen from the robot.
    #[inline(always)]
    fn proximity(&self, robot: &Robot, others: &[(f32, f32)]) -> (f32, f32) {
        let has_wall = robot.x.abs().max(robot.y.abs()) > self.half - RADIUS - RANGE;
        if others.is_empty() && !has_wall {
            return (0.0, 0.0);
        }
        let to_wall =
            |from: f32, way: f32| (if way > 0.0 { self.half - from } else { -self.half - from }) / way - RADIUS;
        let (mut ahead, mut aside) = (0.0, 0.0);
        for &(sin, cos) in &self.fan {
            let (ray_x, ray_y) = (robot.cos * cos - robot.sin * sin, robot.sin * cos + robot.cos * sin);
            let mut free = RANGE;
            for (x, y) in others {
                let along = x * ray_x + y * ray_y;
                let half_chord = RADIUS * RADIUS - (x * x + y * y - along * along);
                if along > 0.0 && half_chord > 0.0 {
                    free = free.min(along - half_chord.sqrt() - RADIUS);
                }
            }
            if has_wall {
                free = free.min(to_wall(robot.x, ray_x)).min(to_wall(robot.y, ray_y));
            }
            if free < RANGE {
                let reading = (0.010_052_7 / (free.max(0.0) + 0.000_163_144)).min(1.0);
                ahead += reading * cos;
                aside += reading * sin;
            }
        }
        (ahead / self.fan.len() as f32, aside / self.fan.len() as f32)
    }

    fn flock(&self, robots: &[Robot], moved: &mut [Robot]) {
        let most = 0.1;
        let mut others = [(0.0, 0.0, 0.0, Robot::default()); 64];
        for (robot, moved) in robots.iter().zip(moved) {
            let mut count = 0;
            self.near(robot, 1.0, |x, y, square, other| {
                if count < others.len() {
                    others[count] = (x, y, square, *other);
                    count += 1;
                }
            });
            let others = &others[..count];
            let (mut heard, mut force, mut way, mut push) = (0.0, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0));
            for &(x, y, square, ref other) in others {
                if others
                    .iter()
                    .any(|&(mid_x, mid_y, _, ref mid)| mid.id != other.id && hides(mid_x, mid_y, x, y, square))
                {
                    continue;
                }
                // Lennard-Jones with a gain of 1000 cm² and a target of 50 cm.
                let u = 0.25 / square;
                let pull = -0.1 * (u * u - u) / square;
                force = (force.0 + pull * x, force.1 + pull * y);
                way = (way.0 + other.cos, way.1 + other.sin);
                heard += 1.0;
                let apart = overlap(square);
                push = (push.0 - x * apart, push.1 - y * apart);
            }
            let (mut ahead, mut aside) = (0.25 * most, 0.0);
            if heard > 0.0 {
                let x = (force.0 + 0.5 * most * way.0) / heard;
                let y = (force.1 + 0.5 * most * way.1) / heard;
                ahead += robot.cos * x + robot.sin * y;
                aside += robot.cos * y - robot.sin * x;
            }
            let slow = (most / (ahead * ahead + aside * aside).sqrt()).min(1.0);
            let wheel = |speed: f32| (slow * speed).clamp(-most, most);
            *moved = self.drive(robot, (wheel(ahead - aside), wheel(ahead + aside)), push);
        }
    }

    /// A robot a step later, whose wheels go so fast and whom others push.
    #[inline(always)]
    fn drive(&self, robot: &Robot, (left, right): (f32, f32), push: (f32, f32)) -> Robot {
        let (end, far) = (self.half - RADIUS, (left + right) / 2.0 * DT);
        let x = (robot.x + far * robot.cos + push.0).clamp(-end, end);
        let y = (robot.y + far * robot.sin + push.1).clamp(-end, end);
        let mut heading = robot.heading + (right - left) / AXLE * DT;
        if heading.abs() > PI {
            heading -= TAU.copysign(heading);
        }
        let (sin, cos) = heading.sin_cos();
        Robot { x, y, heading, cos, sin, id: robot.id }
    }
}

/// The half of the overlap of two robots, as a part of the way between them; `square` is that of its length.
#[inline(always)]
fn overlap(square: f32) -> f32 {
    if square >= 4.0 * RADIUS * RADIUS {
        return 0.0;
    }
    let distance = square.sqrt().max(1e-6);
    0.5 * (2.0 * RADIUS - distance) / distance
}

/// Whether a robot between hides the one at (`x`, `y`), of which `square` is the distance squared.
#[inline(always)]
fn hides(mid_x: f32, mid_y: f32, x: f32, y: f32, square: f32) -> bool {
    let part = (mid_x * x + mid_y * y) / square;
    let (off_x, off_y) = (mid_x - part * x, mid_y - part * y);
    part > 0.0 && part < 1.0 && off_x * off_x + off_y * off_y < RADIUS * RADIUS
}
