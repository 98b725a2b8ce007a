//! Flocking by radio: robots that move together at a distance from each other.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{angle_of, cos, direction, wrap_angle};
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Senses};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_space::{Form, ThingKind};

/// The distance for which the functions below are made; lengths are scaled so that it stands for `distance_m`.
const DISTANCE: f64 = 7.0;
/// The number of transmitted numbers: position and velocity.
const TOLD: usize = 4;

/// Forms a flock: robots keep a distance from their neighbours, match their velocities, and follow a goal if there is
/// one (Olfati-Saber, "Flocking for multi-agent dynamic systems: algorithms and theory", IEEE Trans. Autom. Control
/// 2006, algorithm 2; algorithm 1 without a goal, and algorithm 3 with `avoidance` and `bounded_goal`).
///
/// Robots transmit their position and their desired velocity. The agents of the paper are driven by forces; robots are
/// not. Each robot keeps a velocity, which the acceleration changes at every decision and which it commands.
///
/// # Formula
/// ```math
/// \dot{v} = k_1 \sum_{j} w_j \, \varphi(\lVert z_j \rVert_\sigma - \lVert d \rVert_\sigma) \, n_j
/// + k_2 \sum_{j} w_j (v_j - v) - c_1 (q - q_g) - c_2 (v - v_g)
/// ```
/// $v$ is the velocity of the robot and $q$ its position, $q_g$ and $v_g$ those of the goal, $v_j$ the velocity of another
/// robot and $z_j$ the vector to it. Its weight $w_j$ and the direction $n_j$ are
/// ```math
/// w_j = \rho \left( \frac{\lVert z_j \rVert_\sigma}{\lVert r \rVert_\sigma} \right)
/// \qquad
/// n_j = \frac{z_j}{\sqrt{1 + \varepsilon \lVert z_j \rVert^2}}
/// \qquad
/// \lVert z \rVert_\sigma = \frac{\sqrt{1 + \varepsilon \lVert z \rVert^2} - 1}{\varepsilon}
/// ```
/// where $\rho$ is 1 up to `h` and falls to 0 at 1 along a half period of the cosine. The action is
/// ```math
/// \varphi(x) = \frac{(a + b) \, \sigma_1(x + c) + a - b}{2}
/// \qquad
/// \sigma_1(x) = \frac{x}{\sqrt{1 + x^2}}
/// \qquad
/// c = \frac{|a - b|}{\sqrt{4 a b}}
/// ```
/// Lengths are in units of a seventh of `distance_m`, so that flocks of any size behave as those of the paper: $d$ is 7 and
/// $r$ is 7 `range_ratio`. $a$, $b$, $k_1$, $k_2$, $c_1$, $c_2$ and $\varepsilon$ are fields. `bounded_goal` bounds the
/// pull of the goal. The velocity is in m/s, and limited to `max_speed_m_per_s`. `avoidance` adds for each disc
/// ```math
/// c_1 \, w \left( \sigma_1(\lVert z \rVert_\sigma - \lVert d' \rVert_\sigma) - 1 \right) n + c_2 \, w \, (\hat{p} - v)
/// \qquad
/// w = \rho \left( \frac{\lVert z \rVert_\sigma}{\lVert d' \rVert_\sigma} \right)
/// ```
/// with its own $c_1$, $c_2$ and `h`. $z$ is the vector to the nearest point of the disc, $n$ its direction as above, $d'$
/// is 7 `distance_ratio`, and $\hat{p}$ the velocity of the shadow of the robot on the disc: the part of $v$ along its edge,
/// times the radius of the disc divided by the distance to its centre.
#[kind(Copy, section = "Swarm", words = "flock, birds, olfati-saber")]
pub struct Flocking {
    /// d: distance between neighbours.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(0.5)]
    pub distance_m: f64,
    /// r / d: range of the interaction, in units of `distance_m`.
    #[reflect(@Limits { min: 1.0, max: 100.0, above_min: true })]
    #[default(1.2)]
    pub range_ratio: f64,
    /// ε of the σ-norm.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.1)]
    pub epsilon: f64,
    /// a: strength of the attraction of robots that are too far away.
    #[reflect(@Limits::up_to(1e3))]
    #[default(5.0)]
    pub a: f64,
    /// b: strength of the repulsion of robots that are too near; at least `a`.
    #[reflect(@Limits::up_to(1e3))]
    #[default(5.0)]
    pub b: f64,
    /// h: fraction of the range within which other robots count in full.
    #[reflect(@Limits::between(0.0, 0.99))]
    #[default(0.2)]
    pub h: f64,
    /// k1: gain of the distances, per square second; 1 in the paper, and less, such as 0.3, for robots that must turn before
    /// they move.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(1.0)]
    pub k1: f64,
    /// k2: rate at which a robot adopts the velocity of each neighbour; 1 in the paper.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(1.0)]
    pub k2_per_s: f64,
    /// Goal of the flock (the γ-agent). `Nothing`: no goal, the flock keeps the velocity on which it has agreed.
    /// `Point(at_m)`: a point in the arena. `Line(from_m, velocity_m_per_s)`: a point that moves from `from_m` along a
    /// line. `Circle(center_m, radius_m, turn_rad_per_s)`: a point that moves on a circle, anticlockwise, and starts to
    /// the right of the centre.
    #[default(FlockGoal::Nothing)]
    pub goal: FlockGoal,
    /// c1: gain of the vector to the goal, per square second.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.1)]
    pub c1: f64,
    /// c2: rate at which a robot adopts the velocity of the goal.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.4)]
    pub c2_per_s: f64,
    /// Whether the pull of the goal is bounded: c1 z / √(1 + |z|²) for the vector z to the goal, in units of a seventh
    /// of `distance_m`.
    pub bounded_goal: bool,
    /// Avoidance of discs (the β-agents), in the form `(c1, c2_per_s, distance_ratio, h)`; `None`: they only block.
    /// Walls and polygons do not repel. `c1`: gain of the distances. `c2_per_s`: rate at which a robot adopts the
    /// velocity of its shadow on the disc. `distance_ratio`: distance that robots keep from discs, in units of
    /// `distance_m`. `h`: fraction of this distance within which a disc counts in full, from 0 to 0.99.
    pub avoidance: Option<Avoidance>,
    /// Initial desired speed, along the heading.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.05)]
    pub initial_speed_m_per_s: f64,
    /// Maximum speed; faster velocities are scaled down.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.1)]
    pub max_speed_m_per_s: f64,
    /// Rate at which a robot that turns independently of its motion turns into the direction of motion; 0: not at all.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(4.0)]
    pub steering_per_s: f64,
    /// Whether the positions in packets are extrapolated by their age with the transmitted velocity.
    #[default(true)]
    pub extrapolate: bool,
}

/// The avoidance of obstacles: a robot is repelled by the point q̂ of a disc that is nearest to it, and adopts the
/// velocity p̂ of its own shadow there. A robot within a disc is pushed out of it.
///
/// With μ = R / |q − y| for a disc of radius R at y, and P = I − a aᵀ, a = (q − y) / |q − y|, these are q̂ = μ q + (1 −
/// μ) y and p̂ = μ P p. The acceleration is c1 φβ n + c2 b (p̂ − p) with b = ρ(|z|σ / |d'|σ), φβ = b (σ1(|z|σ − |d'|σ)
/// − 1), for the vector z to q̂.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Avoidance {
    /// c1: gain of the distances.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub c1: f64,
    /// c2: rate at which a robot adopts the velocity of its shadow.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub c2_per_s: f64,
    /// d' / d: distance that robots keep from obstacles, in units of `distance_m`.
    #[reflect(@Limits::up_to(1e3))]
    pub distance_ratio: f64,
    /// h: fraction of this distance within which an obstacle counts in full.
    #[reflect(@Limits::between(0.0, 0.99))]
    pub h: f64,
}

impl Default for Avoidance {
    fn default() -> Self {
        Self { c1: 4.5, c2_per_s: 4.24, distance_ratio: 0.6, h: 0.9 }
    }
}

/// The goal of a flock.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum FlockGoal {
    /// No goal: the flock keeps the velocity on which it has agreed.
    #[default]
    Nothing,
    /// A point.
    Point {
        /// Position of the point.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        at_m: DVec2,
    },
    /// A point that moves along a line.
    Line {
        /// Position at the start.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        from_m: DVec2,
        /// Velocity of the point.
        #[reflect(@Limits::between(-1e3, 1e3))]
        velocity_m_per_s: DVec2,
    },
    /// A point on a circle; it starts to the right of the centre.
    Circle {
        /// Centre of the circle.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        center_m: DVec2,
        /// Radius of the circle.
        #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
        radius_m: f64,
        /// Angular speed, anticlockwise.
        #[reflect(@Limits::between(-1e3, 1e3))]
        turn_rad_per_s: f64,
    },
}

impl FlockGoal {
    /// The position (m) and the velocity (m/s) of the goal.
    pub fn at(&self, time_s: f64) -> Option<(DVec2, DVec2)> {
        match *self {
            Self::Nothing => None,
            Self::Point { at_m } => Some((at_m, DVec2::ZERO)),
            Self::Line { from_m, velocity_m_per_s } => Some((from_m + velocity_m_per_s * time_s, velocity_m_per_s)),
            Self::Circle { center_m, radius_m, turn_rad_per_s } => {
                let arm = radius_m * direction(turn_rad_per_s * time_s);
                Some((center_m + arm, turn_rad_per_s * arm.perp()))
            }
        }
    }
}

/// The memory of a robot in a flock.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct InFlock {
    /// The desired velocity, in m/s; `None` before the first decision.
    pub velocity: Option<DVec2>,
    /// The step of the last decision.
    decided_at: u64,
}

/// ρ: falls smoothly from 1 at `h` to 0 at 1.
fn bump(part: f64, h: f64) -> f64 {
    if part < h {
        1.0
    } else if part < 1.0 {
        0.5 * (1.0 + cos(std::f64::consts::PI * (part - h) / (1.0 - h)))
    } else {
        0.0
    }
}

impl Flocking {
    fn first_velocity(&self, heading_rad: f64) -> DVec2 {
        (self.initial_speed_m_per_s * direction(heading_rad)).clamp_length_max(self.max_speed_m_per_s)
    }

    /// The σ-norm of a vector of the given length.
    fn sigma_norm(&self, length: f64) -> f64 {
        ((1.0 + self.epsilon * length * length).sqrt() - 1.0) / self.epsilon
    }

    /// φ: from -b far below 0, through 0, to a far above.
    fn action(&self, z: f64) -> f64 {
        let Self { a, b, .. } = *self;
        let c = (a - b).abs() / (4.0 * a * b).sqrt();
        let shifted = z + c;
        0.5 * ((a + b) * shifted / (1.0 + shifted * shifted).sqrt() + a - b)
    }

    /// The contribution of another robot to the acceleration (m/s²), from the vector to it (m) and its velocity
    /// relative to that of this robot (m/s).
    fn pull(&self, way: DVec2, velocity: DVec2) -> DVec2 {
        let unit_m = self.unit_m();
        let z = way / unit_m;
        let (norm, range) = (self.sigma_norm(z.length()), self.sigma_norm(DISTANCE * self.range_ratio));
        let near = bump(norm / range, self.h);
        let along = z / (1.0 + self.epsilon * z.length_squared()).sqrt();
        let force = near * self.action(norm - self.sigma_norm(DISTANCE));
        self.k1 * force * along * unit_m + self.k2_per_s * near * velocity
    }

    /// The acceleration (m/s²).
    fn acceleration(&self, velocity: DVec2, senses: Senses) -> DVec2 {
        let mut sum = DVec2::ZERO;
        for packet in senses.heard.packets {
            let &[x, y, vx, vy] = packet.numbers.as_slice() else { continue };
            let (mut other, their_velocity) = (DVec2::new(x, y), DVec2::new(vx, vy));
            if self.extrapolate {
                other += their_velocity * (senses.behind_steps(packet) as f64 * senses.time.dt_s);
            }
            if other.is_finite() && their_velocity.is_finite() {
                sum += self.pull(senses.way_to(other), their_velocity - velocity);
            }
        }
        let time_s = senses.time.step.saturating_sub(1) as f64 * senses.time.dt_s;
        if let Some((goal, goal_velocity)) = self.goal.at(time_s) {
            let way = senses.way_to(goal);
            let pull =
                if self.bounded_goal { way / (1.0 + (way / self.unit_m()).length_squared()).sqrt() } else { way };
            sum += self.c1 * pull - self.c2_per_s * (velocity - goal_velocity);
        }
        if let Some(avoidance) = &self.avoidance {
            let obstacles =
                senses.objects.iter().filter(|thing| thing.what == ThingKind::Thing && !thing.solids.is_empty());
            for form in obstacles.flat_map(|thing| &thing.forms) {
                if let Form::Disc { center, radius } = *form {
                    sum += self.repulsion(avoidance, senses.way_to(center), radius, velocity);
                }
            }
        }
        sum
    }

    /// The contribution of a disc of a radius (m) to the acceleration (m/s²), from the vector to its centre (m) and the
    /// velocity of this robot (m/s).
    fn repulsion(&self, avoidance: &Avoidance, way: DVec2, radius_m: f64, velocity: DVec2) -> DVec2 {
        let distance_m = way.length();
        if distance_m == 0.0 {
            return DVec2::ZERO;
        }
        let (toward, share) = (way / distance_m, radius_m / distance_m);
        let z = (1.0 - share) * way / self.unit_m();
        let (norm, kept) = (self.sigma_norm(z.length()), self.sigma_norm(DISTANCE * avoidance.distance_ratio));
        let near = bump(norm / kept, avoidance.h);
        let excess = norm - kept;
        let force = near * (excess / (1.0 + excess * excess).sqrt() - 1.0);
        // Within the disc, the nearest point lies behind the robot.
        let side = if share > 1.0 { -1.0 } else { 1.0 };
        let along = side * z / (1.0 + self.epsilon * z.length_squared()).sqrt();
        let shadow = share * (velocity - velocity.dot(toward) * toward);
        avoidance.c1 * force * along * self.unit_m() + avoidance.c2_per_s * near * (shadow - velocity)
    }

    /// The length (m) that stands for 1 in the paper.
    fn unit_m(&self) -> f64 {
        self.distance_m / DISTANCE
    }
}

impl Controller for Flocking {
    type Memory = InFlock;
    const COMMANDS: CommandForm = CommandForm::Course;
    const NEEDS_RADIO: bool = true;

    fn command(&self, memory: &mut InFlock, senses: Senses) -> Command {
        let pose = senses.pose;
        let before = memory.velocity.unwrap_or_else(|| self.first_velocity(pose.heading_rad));
        let elapsed_s = senses.since_s(&mut memory.decided_at);
        let wanted = before + self.acceleration(before, senses) * elapsed_s;
        let velocity = if wanted.is_finite() { wanted.clamp_length_max(self.max_speed_m_per_s) } else { before };
        memory.velocity = Some(velocity);
        let off = if velocity == DVec2::ZERO { 0.0 } else { wrap_angle(angle_of(velocity) - pose.heading_rad) };
        let turn_rad_per_s = self.steering_per_s * off;
        Command::Course { x_m_per_s: velocity.x, y_m_per_s: velocity.y, turn_rad_per_s }
    }

    fn message(&self, memory: &mut InFlock, senses: Senses, message: &mut Vec<f64>) {
        let (position, heading_rad) = (senses.pose.position_m, senses.pose.heading_rad);
        let velocity = memory.velocity.unwrap_or_else(|| self.first_velocity(heading_rad));
        let told: [f64; TOLD] = [position.x, position.y, velocity.x, velocity.y];
        message.extend(told);
    }

    fn problem(&self) -> Option<String> {
        let Self { a, b, .. } = self;
        (a > b).then(|| format!("`b` must be at least `a`, which is {a}, found {b}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use swarmarium_core::radio::{Heard, Packet};
    use swarmarium_core::step::order::Delivery;
    use swarmarium_core::time::SimTime;
    use swarmarium_space::{Boundary, Field};

    use super::*;

    #[test]
    fn flocking_neighbours_at_the_desired_distance_do_not_move() {
        for (a, b) in [(5.0, 5.0), (2.0, 7.0)] {
            let flocking = Flocking { a, b, ..Flocking::default() };
            let pull = |distance: f64| flocking.pull(DVec2::X * distance, DVec2::ZERO).x;
            assert!(pull(0.5).abs() < 1e-12, "{}", pull(0.5));
            assert!(pull(0.3) < 0.0 && pull(0.55) > 0.0 && pull(0.6) == 0.0 && pull(3.0) == 0.0);
        }
    }

    #[test]
    fn flocking_functions_are_those_of_the_paper() {
        let flocking = Flocking::default();
        assert!((flocking.sigma_norm(7.0) - 10.0 * (5.9_f64.sqrt() - 1.0)).abs() < 1e-12);
        assert_eq!([0.0, 0.1, 1.0, 2.0].map(|part| bump(part, flocking.h)), [1.0, 1.0, 0.0, 0.0]);
        assert!((bump(0.6, flocking.h) - 0.5).abs() < 1e-15);
        assert!((flocking.action(1e9) - 5.0).abs() < 1e-9 && (flocking.action(-1e9) + 5.0).abs() < 1e-9);
    }

    /// Without a goal, the kinetic energy about the mean velocity plus the potential of the pairs never rises:
    /// consensus takes energy away, and the forces of pairs follow from a potential.
    #[test]
    fn the_energy_of_a_flock_never_rises() {
        const DT_S: f64 = 1e-3;
        let flocking = Flocking { distance_m: DISTANCE, range_ratio: 1.2, ..Flocking::default() };
        let mut stream = swarmarium_core::random::Seed(5).stream(swarmarium_base::id::StableId::agent(0), "test");
        let mut robots: Vec<(DVec2, DVec2)> = (0..8)
            .map(|place| {
                let at = 5.5 * DVec2::new(f64::from(place % 3), f64::from(place / 3));
                (at, DVec2::new(stream.between(-1.0, 1.0), stream.between(-1.0, 1.0)))
            })
            .collect();
        // The potential of a pair, by Simpson's rule over the σ-norm from that of the distance.
        let potential = |distance: f64| {
            let (from, to) = (flocking.sigma_norm(DISTANCE), flocking.sigma_norm(distance));
            let range = flocking.sigma_norm(DISTANCE * 1.2);
            let force = |norm: f64| bump(norm / range, flocking.h) * flocking.action(norm - from);
            let (steps, mut sum) = (400, 0.0);
            for step in 0..=steps {
                let weight = if step == 0 || step == steps { 1.0 } else { f64::from(2 + 2 * (step % 2)) };
                sum += weight * force(from + (to - from) * f64::from(step) / f64::from(steps));
            }
            sum * (to - from) / f64::from(steps) / 3.0
        };
        let energy = |robots: &[(DVec2, DVec2)]| {
            let mean = robots.iter().map(|(_, velocity)| *velocity).sum::<DVec2>() / robots.len() as f64;
            let kinetic: f64 = robots.iter().map(|(_, velocity)| (*velocity - mean).length_squared() / 2.0).sum();
            let pairs = (0..robots.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
            kinetic + pairs.map(|(one, other)| potential(robots[one].0.distance(robots[other].0))).sum::<f64>()
        };
        let momentum = |robots: &[(DVec2, DVec2)]| robots.iter().map(|(_, velocity)| *velocity).sum::<DVec2>();
        let (first, before) = (momentum(&robots), energy(&robots));
        let mut last = before;
        for step in 0..4000 {
            let accelerations: Vec<DVec2> = (0..robots.len())
                .map(|own| {
                    let others = (0..robots.len()).filter(|other| *other != own);
                    others
                        .map(|other| flocking.pull(robots[other].0 - robots[own].0, robots[other].1 - robots[own].1))
                        .sum()
                })
                .collect();
            for ((at, velocity), acceleration) in robots.iter_mut().zip(accelerations) {
                *velocity += acceleration * DT_S;
                *at += *velocity * DT_S;
            }
            if step % 100 == 99 {
                let now = energy(&robots);
                // The steps of the integration let the energy waver a little.
                assert!(now <= last + 1e-3, "step {step}: {now} {last}");
                last = now;
            }
        }
        assert!(last < before && (momentum(&robots) - first).length() < 1e-9, "{before} {last}");
    }

    #[test]
    fn flocks_avoid_discs() {
        let flocking = Flocking { distance_m: DISTANCE, ..Flocking::default() };
        let avoidance = Avoidance::default();
        let push = |distance: f64, velocity| flocking.repulsion(&avoidance, DVec2::X * distance, 10.0, velocity);
        // Beyond d' = 0.6 d there is no force; nearer, the robot is pushed back and loses its velocity towards the disc.
        assert_eq!(push(14.21, DVec2::X), DVec2::ZERO);
        assert!(push(12.0, DVec2::ZERO).x < 0.0 && push(12.0, DVec2::ZERO).y == 0.0);
        let slowed = push(12.0, DVec2::new(1.0, 0.0)).x - push(12.0, DVec2::ZERO).x;
        let aside = push(12.0, DVec2::new(0.0, 1.0)).y;
        assert!(slowed < aside && aside < 0.0, "{slowed} {aside}");
    }

    #[test]
    fn flocking_goals_move_with_their_velocity() {
        let goals = [
            FlockGoal::Point { at_m: DVec2::ONE },
            FlockGoal::Line { from_m: DVec2::ONE, velocity_m_per_s: DVec2::new(0.3, -0.2) },
            FlockGoal::Circle { center_m: DVec2::ONE, radius_m: 2.0, turn_rad_per_s: 0.4 },
        ];
        for goal in goals {
            let ((before, velocity), (after, _)) = (goal.at(3.0).unwrap(), goal.at(3.0 + 1e-6).unwrap());
            assert!(((after - before) / 1e-6 - velocity).length() < 1e-5, "{goal:?}");
        }
    }

    #[test]
    fn neighbours_across_a_wrapping_border_are_near() {
        let flocking = Flocking::default();
        let pose = swarmarium_core::agent::Pose { position_m: DVec2::new(0.2, 5.0), heading_rad: 0.0 };
        let packets =
            [Packet { sender: 1, sent_step: 10, numbers: vec![9.65, 5.0, 0.0, 0.0].into(), ..Packet::default() }];
        let heard = Heard { packets: &packets, turn: None };
        let senses = |boundary| Senses {
            pose: &pose,
            heard,
            arena: Field::new(DVec2::splat(10.0), boundary),
            ..Senses::of(&[])
        };
        let acceleration = |boundary| flocking.acceleration(DVec2::ZERO, senses(boundary));
        assert_eq!(acceleration(Boundary::Open), DVec2::ZERO);
        assert!(acceleration(Boundary::Periodic).x < -1e-3, "{}", acceleration(Boundary::Periodic));
    }

    #[test]
    fn flocking_packet_delay_depends_on_the_delivery() {
        let time = SimTime { step: 12, dt_s: 0.1 };
        let packet = Packet { sender: 1, sent_step: 10, ..Packet::default() };
        let behind = |delivery| Senses { time: &time, delivery, ..Senses::of(&[]) }.behind_steps(&packet);
        assert_eq!([behind(Delivery::NextStep), behind(Delivery::SameStep)], [1, 2]);
    }

    #[test]
    fn flocking_extrapolates_old_packets() {
        let time = SimTime { step: 11, dt_s: 0.1 };
        let packets =
            [Packet { sender: 1, sent_step: 6, numbers: vec![0.3, 0.0, 0.1, 0.0].into(), ..Packet::default() }];
        let senses = Senses { time: &time, heard: Heard { packets: &packets, turn: None }, ..Senses::of(&[]) };
        let flocking = Flocking { k2_per_s: 0.0, ..Flocking::default() };
        let now = flocking.acceleration(DVec2::ZERO, senses);
        assert!((now - flocking.pull(DVec2::X * 0.34, DVec2::ZERO)).length() < 1e-15, "four steps, to the last one");
        let then = Flocking { extrapolate: false, ..flocking }.acceleration(DVec2::ZERO, senses);
        assert_eq!(then, flocking.pull(DVec2::X * 0.3, DVec2::ZERO));
    }

    proptest! {
        /// Two robots push each other with opposite accelerations, so that a flock without a goal keeps its momentum,
        /// and along the line between them, which is the gradient of a potential.
        #[test]
        fn flocking_forces_are_opposite_and_along_the_line(x in -1.0..1.0_f64, y in -1.0..1.0_f64, vx in -1.0..1.0_f64) {
            let (way, velocity) = (DVec2::new(x, y), DVec2::new(vx, 0.5));
            let flocking = Flocking::default();
            let (one, other) = (flocking.pull(way, velocity), flocking.pull(-way, -velocity));
            prop_assert!((one + other).length() < 1e-12);
            prop_assert!(flocking.pull(way, DVec2::ZERO).perp_dot(way).abs() < 1e-12);
        }

        #[test]
        fn flocking_keeps_its_speed_limit_for_any_packet(numbers in prop::collection::vec(prop::num::f64::ANY, 0..6)) {
            let packets = [Packet { sender: 1, numbers: numbers.into(), ..Packet::default() }];
            let senses = Senses { heard: Heard { packets: &packets, turn: None }, ..Senses::of(&[]) };
            let (flocking, mut memory) = (Flocking::default(), InFlock::default());
            flocking.command(&mut memory, senses);
            prop_assert!(memory.velocity.unwrap().length() <= 0.1 + 1e-12);
        }
    }
}
