//! Formation: robots that form an ellipse together, each of which knows only its position and the messages that it
//! receives.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::sin_cos;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::agent::{Command, CommandForm, Pose};
use swarmarium_core::controller::{Controller, ControllerView, Senses};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::radio::consensus::{Consensus, Estimator, Opinion};
use swarmarium_core::step::plan::StepContext;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::Ellipse;

/// The number of moments: x, y, xx, xy, yy.
const MOMENTS: usize = 5;
/// Radius of the mark of an estimated centre, in logical pixels.
const MIDDLE_PX: f64 = 2.5;

/// Controls the first and second moments of the positions of all robots to those of a goal, by radio (Yang, Freeman,
/// Lynch, "Multi-agent coordination by decentralized estimation and control", TAC 2008; the Swarm Robot Project
/// Simulator).
///
/// 1. At each turn of its radio, a robot updates its estimate of the means of x, y, xx, xy and yy over all robots.
/// 2. It then moves down the gradient of the distance between the estimate and the goal.
///
/// Holonomic robots follow this velocity at once, others turn towards it, and a `DoubleIntegrator` approaches it
/// gradually, as the agents of the paper do: with a damping B, the gains are those of the paper divided by B.
///
/// # Formula
/// ```math
/// u_0 = - D\phi(p)^T \, \Gamma \, (m - f)
/// \qquad
/// \phi(p) = (x, y, x^2, x y, y^2)
/// \qquad
/// \Gamma = \operatorname{diag}(k_1, k_1, k_2, k_2, k_2)
/// ```
/// $p = (x, y)$ is the position of the robot, relative to the centre of the goal if `centered`, $D\phi$ the Jacobian matrix
/// of $\phi$, $m$ the estimate of the mean of $\phi$ over all robots, and $f$ the goal. $k_1$ is `k1_per_s` and $k_2$ is `k2`.
/// The robot moves with the velocity $u$ that solves $(1 + \Lambda \, D\phi^T D\phi) \, u = u_0$ for the `damping`
/// $\Lambda$, limited to `max_speed_m_per_s`.
#[kind(Copy, section = "Radio", words = "formation, shape, ellipse, moments")]
pub struct Formation {
    /// Goal of the formation. `Ellipse(center_m, std_dev_m, angle_rad)`: the moments of robots spread evenly in an
    /// ellipse with this centre, whose semi-axes are twice the standard deviations `std_dev_m`; its first axis points
    /// in the direction `angle_rad`, anticlockwise from x. `Moments(mean_m, xx_m2, xy_m2, yy_m2)`: the means of x and y
    /// (m) and of xx, xy and yy (m²) about the origin of the arena.
    pub goal: Goal,
    /// Whether moments are relative to the centre of the goal instead of the origin of the arena. Moments about a
    /// distant origin converge slowly.
    #[default(true)]
    pub centered: bool,
    /// k1: rate at which the centre of the robots approaches that of the goal.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.5)]
    pub k1_per_s: f64,
    /// k2: gain of the second moments, per second and square metre. `None`: k1 divided by twice the sum of the
    /// variances of the goal, which makes all moments converge about equally fast.
    #[reflect(@Limits::between(0.0, 1e12))]
    pub k2: Option<f64>,
    /// Maximum speed; faster velocities are scaled down.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.1)]
    pub max_speed_m_per_s: f64,
    /// Λ: damping, per square metre, of motions that change the second moments strongly, far from the centre; 0: none.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub damping: f64,
    /// Consensus on the moments.
    pub consensus: Consensus,
    /// Estimate of a robot before its first turn. `Position`: its own x and y, and 0 for all second moments.
    /// `OwnMoments`: all moments of its own position. `Moments(mean_m, xx_m2, xy_m2, yy_m2)`: the same numbers for all
    /// robots, the means of x and y (m) and of xx, xy and yy (m²). A high-pass estimator always begins with the moments
    /// of the robot.
    pub first: FirstEstimate,
}

/// The estimate of the moments with which a robot in a [`Formation`] begins.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum FirstEstimate {
    /// Its own x and y, and 0 for all second moments, as in the Swarm Robot Project Simulator.
    #[default]
    Position,
    /// All moments of its own position.
    OwnMoments,
    /// The same numbers for all robots. Like all estimates, they are moments about the centre of the goal in a
    /// `centered` formation, and about the origin in any other.
    Moments {
        /// Mean of x and y.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        mean_m: DVec2,
        /// Mean of xx.
        #[reflect(@Limits::between(-1e12, 1e12))]
        xx_m2: f64,
        /// Mean of xy.
        #[reflect(@Limits::between(-1e12, 1e12))]
        xy_m2: f64,
        /// Mean of yy.
        #[reflect(@Limits::between(-1e12, 1e12))]
        yy_m2: f64,
    },
}

/// The moments of the goal of a formation.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Goal {
    /// The moments of robots spread evenly in an ellipse whose semi-axes are twice the standard deviations.
    Ellipse {
        /// Centre of the ellipse.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        center_m: DVec2,
        /// Standard deviations along the axes of the ellipse.
        #[reflect(@Limits::up_to(MAX_LENGTH_M))]
        std_dev_m: DVec2,
        /// Direction of the first axis, anticlockwise from x.
        #[reflect(@Limits::between(-1e3, 1e3))]
        angle_rad: f64,
    },
    /// The means of x, y, xx, xy and yy about the origin of the arena.
    Moments {
        /// Mean of x and y.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        mean_m: DVec2,
        /// Mean of xx.
        #[reflect(@Limits::between(0.0, 1e12))]
        xx_m2: f64,
        /// Mean of xy.
        #[reflect(@Limits::between(-1e12, 1e12))]
        xy_m2: f64,
        /// Mean of yy.
        #[reflect(@Limits::between(0.0, 1e12))]
        yy_m2: f64,
    },
}

impl Default for Goal {
    /// The ellipse of the Swarm Robot Project, at the centre of the default arena.
    fn default() -> Self {
        let angle_rad = std::f64::consts::FRAC_PI_6;
        Self::Ellipse { center_m: DVec2::splat(5.0), std_dev_m: DVec2::new(0.35, 0.2), angle_rad }
    }
}

/// The memory of a robot in a [`Formation`].
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct InFormation {
    /// The estimated means of x, y, xx, xy and yy, about the centre of the goal or, without `centered`, about the
    /// origin.
    pub opinion: Opinion,
    /// The velocity until the next turn, in m/s.
    velocity: DVec2,
}

impl Goal {
    /// The centre, and the variances along x, of x with y, and along y.
    pub fn moments(&self) -> (DVec2, [f64; 3]) {
        match *self {
            Self::Ellipse { center_m, std_dev_m, angle_rad } => {
                let (sin, cos) = sin_cos(angle_rad);
                let (a, b) = (std_dev_m.x * std_dev_m.x, std_dev_m.y * std_dev_m.y);
                (center_m, [a * cos * cos + b * sin * sin, (a - b) * sin * cos, a * sin * sin + b * cos * cos])
            }
            Self::Moments { mean_m, xx_m2, xy_m2, yy_m2 } => {
                let DVec2 { x, y } = mean_m;
                (mean_m, [xx_m2 - x * x, xy_m2 - x * y, yy_m2 - y * y])
            }
        }
    }

    /// The ellipse that robots fill evenly when they have reached the goal.
    pub fn ellipse(&self) -> Option<Ellipse> {
        let (center, variances) = self.moments();
        Ellipse::of_moments(center, variances)
    }

    /// The reason why the moments are not those of an ellipse, if so.
    fn problem(&self) -> Option<String> {
        let is_ellipse = self.ellipse().is_some_and(|ellipse| !ellipse.is_flat());
        (!is_ellipse).then(|| "no ellipse has these moments: the smaller variance must be above 0".into())
    }
}

impl Formation {
    /// The point to which moments are relative.
    fn origin(&self) -> DVec2 {
        if self.centered { self.goal.moments().0 } else { DVec2::ZERO }
    }

    /// The initial estimate of a robot.
    fn first_opinion(&self, position: DVec2) -> Opinion {
        let own = position - self.origin();
        let guess = match self.first {
            FirstEstimate::Position => [own.x, own.y, 0.0, 0.0, 0.0],
            FirstEstimate::OwnMoments => moments(own),
            FirstEstimate::Moments { mean_m, xx_m2, xy_m2, yy_m2 } => [mean_m.x, mean_m.y, xx_m2, xy_m2, yy_m2],
        };
        self.consensus.first(&moments(own), &guess)
    }

    /// The centre of all robots as a robot estimates it, and the ellipse that they fill, if there is one with these
    /// moments.
    fn believed(&self, estimate: &[f64]) -> Option<(DVec2, Option<Ellipse>)> {
        let &[x, y, xx, xy, yy] = estimate else { return None };
        let center = self.origin() + DVec2::new(x, y);
        Some((center, Ellipse::of_moments(center, [xx - x * x, xy - x * y, yy - y * y])))
    }

    /// Initialises an empty opinion: the first one, and one that diverged.
    fn begin(&self, opinion: &mut Opinion, position: DVec2) {
        if opinion.estimate.is_empty() {
            *opinion = self.first_opinion(position);
        }
    }

    /// The velocity (m/s) of a robot whose estimate of the moments is `estimate`.
    #[must_use]
    pub fn velocity(&self, position: DVec2, estimate: &[f64]) -> DVec2 {
        let (center, [xx, xy, yy]) = self.goal.moments();
        let (own, middle) = (position - self.origin(), center - self.origin());
        let goal = moments(middle);
        let goal = [goal[0], goal[1], goal[2] + xx, goal[3] + xy, goal[4] + yy];
        let k2 = self.k2.unwrap_or(self.k1_per_s / (2.0 * (xx + yy)));
        let gains = [self.k1_per_s, self.k1_per_s, k2, k2, k2];
        let mut off = [0.0; MOMENTS];
        for (place, off) in off.iter_mut().enumerate() {
            *off = gains[place] * (estimate.get(place).copied().unwrap_or_default() - goal[place]);
        }
        let DVec2 { x, y } = own;
        let down = -DVec2::new(off[0] + 2.0 * x * off[2] + y * off[3], off[1] + x * off[3] + 2.0 * y * off[4]);
        let velocity = self.damped(own, down);
        // A diverged estimate gives no velocity.
        if velocity.is_finite() { velocity.clamp_length_max(self.max_speed_m_per_s) } else { DVec2::ZERO }
    }

    /// Solves (1 + Λ Dφ^T Dφ) u = `velocity` for u.
    fn damped(&self, DVec2 { x, y }: DVec2, velocity: DVec2) -> DVec2 {
        if self.damping == 0.0 {
            return velocity;
        }
        let xx = 1.0 + self.damping * (1.0 + 4.0 * x * x + y * y);
        let yy = 1.0 + self.damping * (1.0 + x * x + 4.0 * y * y);
        let xy = self.damping * x * y;
        DVec2::new(yy * velocity.x - xy * velocity.y, xx * velocity.y - xy * velocity.x) / (xx * yy - xy * xy)
    }
}

/// Sets the estimate of robots with a [`Perfect`](Estimator::Perfect) estimator to the truth: the mean over all living
/// robots with the same goal, at their positions at the start of the step.
pub(super) fn record_true_pose(
    _: InMut<StepContext>,
    mut robots: Query<(&StableId, &Formation, &Pose, &mut InFormation), Without<Dead>>,
) {
    let knows = |formation: &Formation| formation.consensus.estimator == Estimator::Perfect;
    if !robots.iter().any(|(_, formation, ..)| knows(formation)) {
        return;
    }
    let mut places: Vec<_> =
        robots.iter().map(|(id, formation, pose, _)| (*id, formation.goal, pose.position_m)).collect();
    // The order of the summands changes the sum.
    places.sort_unstable_by_key(|(id, ..)| *id);
    let mut known: Vec<(Goal, bool, Opinion)> = Vec::new();
    for (_, formation, _, mut memory) in &mut robots {
        if !knows(formation) {
            continue;
        }
        let is_same =
            |(goal, centered, _): &&(Goal, bool, Opinion)| (*goal, *centered) == (formation.goal, formation.centered);
        if let Some((.., truth)) = known.iter().find(is_same) {
            memory.opinion.clone_from(truth);
            continue;
        }
        let mine = places.iter().filter(|(_, goal, _)| *goal == formation.goal);
        let (mut sum, mut count) = ([0.0; MOMENTS], 0.0);
        for (.., place) in mine {
            sum.iter_mut().zip(moments(*place - formation.origin())).for_each(|(sum, moment)| *sum += moment);
            count += 1.0;
        }
        let truth = Opinion::new(&sum.map(|sum| sum / count));
        memory.opinion.clone_from(&truth);
        known.push((formation.goal, formation.centered, truth));
    }
}

/// The moments of one point.
fn moments(DVec2 { x, y }: DVec2) -> [f64; MOMENTS] {
    [x, y, x * x, x * y, y * y]
}

impl Controller for Formation {
    type Memory = InFormation;
    const COMMANDS: CommandForm = CommandForm::Course;
    const NEEDS_RADIO: bool = true;

    fn command(&self, memory: &mut InFormation, senses: Senses) -> Command {
        let position = senses.pose.position_m;
        self.begin(&mut memory.opinion, position);
        if let Some(elapsed) = senses.heard.turn {
            let elapsed_s = elapsed as f64 * senses.time.dt_s;
            let input = moments(position - self.origin());
            self.consensus.update(&mut memory.opinion, &input, senses.heard.packets, elapsed_s);
            self.begin(&mut memory.opinion, position);
            memory.velocity = self.velocity(position, &memory.opinion.estimate);
        }
        Command::Course { x_m_per_s: memory.velocity.x, y_m_per_s: memory.velocity.y, turn_rad_per_s: 0.0 }
    }

    fn message(&self, memory: &mut InFormation, senses: Senses, message: &mut Vec<f64>) {
        if memory.opinion.estimate.is_empty() {
            self.consensus.tell(&self.first_opinion(senses.pose.position_m), message);
        } else {
            self.consensus.tell(&memory.opinion, message);
        }
    }

    fn estimate(memory: &InFormation) -> &[f64] {
        &memory.opinion.estimate
    }

    fn problem(&self) -> Option<String> {
        self.goal.problem()
    }

    /// Draws the goal of each formation, the ellipse that its robots fill, and the estimates of selected robots.
    fn draw(robots: &ControllerView<Self>, picture: &mut Picture) {
        let members = robots.members();
        // Robots with the same goal are one formation.
        let mut formations: Vec<(Goal, Vec<DVec2>)> = Vec::new();
        for member in &members {
            let goal = member.controller.goal;
            match formations.iter_mut().find(|(known, _)| *known == goal) {
                Some((_, places)) => places.push(member.position_m),
                None => formations.push((goal, vec![member.position_m])),
            }
        }
        for ellipse in formations.iter().filter_map(|(goal, _)| goal.ellipse()) {
            picture.ellipse(Layer::Objects, Role::Goal.faint(0.06), &ellipse, None);
            picture.ellipse(Layer::Objects, Role::Goal, &ellipse, Some(Width::Pixels(3.0).into()));
        }
        for member in members.iter().filter(|member| member.shows_estimate) {
            let paint = member.role.faint(0.6);
            match member.controller.believed(&member.memory.opinion.estimate) {
                Some((_, Some(ellipse))) => {
                    picture.ellipse(Layer::Objects, paint, &ellipse, Some(Width::Pixels(1.0).into()));
                }
                // Moments that no robots can have: the centre alone.
                Some((center, None)) => {
                    picture.disc(Layer::Objects, paint, center, MIDDLE_PX / picture.pixels_per_m);
                }
                None => {}
            }
        }
        for ellipse in formations.iter().filter_map(|(_, places)| Ellipse::of_points(places)) {
            if ellipse.semi_axes.x > 0.0 {
                picture.ellipse(Layer::Objects, Role::Text, &ellipse, Some(Width::Pixels(1.5).into()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use proptest::prelude::*;

    use super::*;

    fn moments_goal(mean_m: DVec2, [xx_m2, xy_m2, yy_m2]: [f64; 3]) -> Goal {
        Goal::Moments { mean_m, xx_m2, xy_m2, yy_m2 }
    }

    #[test]
    fn a_formation_goal_is_an_ellipse() {
        assert_eq!(Goal::default().problem(), None);
        assert_eq!(moments_goal(DVec2::ZERO, [0.09, 0.0, 0.09]).problem(), None);
        assert!(moments_goal(DVec2::ZERO, [0.1, 0.1, 0.1]).problem().is_some(), "a line");
        assert!(moments_goal(DVec2::ZERO, [0.0, 0.0, 0.0]).problem().is_some(), "a point");
        assert!(moments_goal(DVec2::X, [0.5, 0.0, 1.0]).problem().is_some(), "less than the mean alone has");
    }

    #[test]
    fn a_formation_shows_its_goal_once_where_it_is_and_what_is_believed_if_asked() {
        use swarmarium_draw::{Overlay, Overlays, View};
        use swarmarium_picture::Shape;
        let robots = |name: &str, x_m: f64| {
            format!(
                "(name: \"{name}\", count: 4, spawn: UniformBox(min_m: ({x_m:?}, 4.0), max_m: (6.0, 6.0)),
                    motion: Holonomic(frame: World), controller: Formation(), radio: (loss: Perfect()))"
            )
        };
        let text = format!("(groups: [{}, {}])", robots("a", 4.0), robots("b", 5.0));
        let scene = swarmarium_scene::scene::reader::read(testing::standard().kinds(), "test", &text).unwrap();
        let mut simulation = testing::simulation(&scene).unwrap();
        simulation.step(400);
        let lines = |overlays: Overlays, selected| {
            let view = View { overlays, selected, ..View::fit(&scene, DVec2::splat(500.0)) };
            let picture = simulation.picture(&view);
            let is_line = |shape: &Shape| matches!(shape, Shape::Line { points, .. } if points.len() == 96);
            let count = |of: &dyn Fn(Role) -> bool| {
                picture.items.iter().filter(|item| is_line(&item.shape) && of(item.paint.role)).count()
            };
            let roles: [&dyn Fn(Role) -> bool; 3] =
                [&|role| role == Role::Goal, &|role| role == Role::Text, &|role| matches!(role, Role::Group(_))];
            roles.map(count)
        };
        assert_eq!(lines(Overlays::NONE, None), [1, 1, 0]);
        assert_eq!(lines(Overlays::NONE, Some(StableId::agent(5))), [1, 1, 1]);
        assert_eq!(lines(Overlays::NONE.with(Overlay::Estimates), None), [1, 1, 8]);
        let places: Vec<DVec2> = simulation.agents().map(|agent| agent.pose.position_m).collect();
        let near = |a: Ellipse, b: Ellipse| (a.center - b.center).length() + (a.semi_axes - b.semi_axes).length();
        let goal = Goal::default().ellipse().unwrap();
        assert!(near(goal, Ellipse::of_points(&places).unwrap()) < 0.3, "they are on their way");
    }

    #[test]
    fn formation_estimates_are_about_the_origin_of_the_moments() {
        let formation = Formation::default();
        let (center, [xx, xy, yy]) = formation.goal.moments();
        let (found, ellipse) = formation.believed(&[0.0, 0.0, xx, xy, yy]).unwrap();
        assert_eq!(found, center);
        assert_eq!(ellipse, formation.goal.ellipse());
        let (found, ellipse) = formation.believed(&[0.5, 0.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(found, center + DVec2::new(0.5, 0.0));
        assert_eq!(ellipse, None);
        assert_eq!(formation.believed(&[]), None);
    }

    #[test]
    fn the_ellipse_of_the_project_has_its_moments() {
        let (_, found) = Goal::default().moments();
        for (found, expected) in found.into_iter().zip([0.101_875, 0.035_723_547_906_108_08, 0.060_625]) {
            assert!((found - expected).abs() < 1e-15, "{found}");
        }
    }

    #[test]
    fn damped_formation_gains_solve_their_equation() {
        let formation = Formation { damping: 0.3, ..Formation::default() };
        let (at, velocity) = (DVec2::new(0.5, -1.5), DVec2::new(2.0, 1.0));
        let u = formation.damped(at, velocity);
        let (x, y) = (at.x, at.y);
        // Dφ u, then u + Λ Dφ^T of it.
        let d = [u.x, u.y, 2.0 * x * u.x, y * u.x + x * u.y, 2.0 * y * u.y];
        let back = DVec2::new(d[0] + 2.0 * x * d[2] + y * d[3], d[1] + x * d[3] + 2.0 * y * d[4]);
        assert!((u + 0.3 * back - velocity).length() < 1e-12);
    }

    proptest! {
        /// Robots that all know the moments move by one affine map p + dt (-M p - l), however many they are.
        #[test]
        fn a_formation_step_with_perfect_information_is_an_affine_map(
            robots in proptest::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64), 3..30),
            (mean_x, mean_y, centered) in (-1.0..1.0_f64, -1.0..1.0_f64, any::<bool>()),
        ) {
            let goal = Goal::Ellipse { center_m: DVec2::new(mean_x, mean_y), std_dev_m: DVec2::new(0.35, 0.2), angle_rad: 0.5 };
            let formation = Formation { goal, centered, max_speed_m_per_s: 1e3, ..Formation::default() };
            let robots: Vec<DVec2> = robots.into_iter().map(DVec2::from).collect();
            let mut mean = [0.0; MOMENTS];
            for robot in &robots {
                let own = moments(*robot - formation.origin());
                mean.iter_mut().zip(own).for_each(|(mean, own)| *mean += own / robots.len() as f64);
            }
            // The map follows from what three points do.
            let at = |point: DVec2| formation.velocity(point, &mean);
            let (still, along_x, along_y) = (at(DVec2::ZERO), at(DVec2::X), at(DVec2::Y));
            for robot in &robots {
                let affine = still + robot.x * (along_x - still) + robot.y * (along_y - still);
                prop_assert!((at(*robot) - affine).length() < 1e-9 * (1.0 + affine.length()));
            }
        }

        /// With exact moments and small steps the distance from the goal never grows.
        #[test]
        fn a_formation_with_exact_moments_approaches_its_goal(
            robots in proptest::collection::vec((-0.6..0.6_f64, -0.6..0.6_f64), 3..12),
        ) {
            let goal = Goal::Ellipse { center_m: DVec2::ZERO, std_dev_m: DVec2::new(0.35, 0.2), angle_rad: 0.5 };
            let formation = Formation { goal, ..Formation::default() };
            let (_, [xx, xy, yy]) = goal.moments();
            let k2 = formation.k1_per_s / (2.0 * (xx + yy));
            let mut robots: Vec<DVec2> = robots.into_iter().map(DVec2::from).collect();
            let mean = |robots: &[DVec2]| {
                let mut mean = [0.0; MOMENTS];
                for robot in robots {
                    mean.iter_mut().zip(moments(*robot)).for_each(|(mean, own)| *mean += own / robots.len() as f64);
                }
                mean
            };
            let off = |mean: [f64; MOMENTS]| {
                let first = mean[0] * mean[0] + mean[1] * mean[1];
                let second = (mean[2] - xx).powi(2) + (mean[3] - xy).powi(2) + (mean[4] - yy).powi(2);
                formation.k1_per_s * first + k2 * second
            };
            for _ in 0..20 {
                let now = mean(&robots);
                robots.iter_mut().for_each(|robot| *robot += 0.001 * formation.velocity(*robot, &now));
                prop_assert!(off(mean(&robots)) <= off(now) * (1.0 + 1e-12));
            }
        }
    }
}
