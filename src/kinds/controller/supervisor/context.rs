//! Evaluates conditions, and explains the result.

use std::f64::consts::{FRAC_PI_8, PI, TAU};

use swarmarium_base::math::wrap_angle;
use swarmarium_core::controller::behaviour::{BehaviourKinds, BehaviourOutput, Side, Situation};
use swarmarium_core::metric::{Expressions, Scope};
use swarmarium_core::time::SimTime;

use super::condition::{Angle, Condition, Length, Number, Test};
use super::{Mind, Supervisor};

/// The names that expressions can use besides the step and the time.
pub static NAMES: [&str; 14] = [
    "goal_m",
    "reading_m",
    "ahead_m",
    "left_m",
    "right_m",
    "point_m",
    "bearing_rad",
    "entry_goal_m",
    "best_goal_m",
    "recorded_goal_m",
    "state_s",
    "x_m",
    "y_m",
    "heading_rad",
];

/// The compiled expressions of all supervisors, which use the same names.
static EXPRESSIONS: Expressions = Expressions::new(Vec::new());

/// Evaluates the conditions of a supervisor in one situation.
pub struct ConditionContext<'a, 'm> {
    pub supervisor: &'a Supervisor,
    pub behaviours: &'a BehaviourKinds,
    pub now: Situation<'a>,
    pub mind: &'m mut Mind,
    pub time: SimTime,
}

impl ConditionContext<'_, '_> {
    /// Whether the condition of this name holds. An unknown condition does not hold.
    pub fn holds(&mut self, name: &str) -> bool {
        let supervisor = self.supervisor;
        self.holds_above(supervisor.conditions.len(), name)
    }

    /// As [`holds`](Self::holds), for the conditions above a place only, so that no condition contains itself.
    fn holds_above(&mut self, place: usize, name: &str) -> bool {
        let Some((place, condition)) = find(&self.supervisor.conditions, place, name) else { return false };
        match &condition.test {
            Test::Nearer { of, than_m } => self.length_m(*of) < *than_m,
            Test::Farther { of, than_m } => self.length_m(*of) > *than_m,
            Test::Within { of, from_rad, to_rad } => {
                self.angle_rad(of).is_some_and(|angle| is_between(angle, *from_rad, *to_rad))
            }
            Test::RawOffWall { along, way } => self.raw_off_wall_rad(along, way).is_some_and(|angle| angle > 0.0),
            Test::After { time_s } => self.state_s() > *time_s,
            Test::Above { of, than } => self.number(*of).is_some_and(|value| value > *than),
            Test::Below { of, than } => self.number(*of).is_some_and(|value| value < *than),
            Test::All { of } => of.iter().all(|name| self.holds_above(place, name)),
            Test::Any { of } => of.iter().any(|name| self.holds_above(place, name)),
            Test::Not { of } => !self.holds_above(place, of),
            Test::Expression { holds } => self.expression_holds(holds),
        }
    }

    /// The reason why the condition of this name holds or not, as text for the user.
    pub fn reason(&mut self, name: &str) -> String {
        let supervisor = self.supervisor;
        self.reason_above(supervisor.conditions.len(), name)
    }

    fn reason_above(&mut self, place: usize, name: &str) -> String {
        format!("{name} ({})", self.detail_above(place, name))
    }

    fn detail_above(&mut self, place: usize, name: &str) -> String {
        let Some((place, condition)) = find(&self.supervisor.conditions, place, name) else {
            return "there is no such condition".into();
        };
        let compared = |value: f64, limit: f64| {
            if value < limit {
                '<'
            } else if value > limit {
                '>'
            } else {
                '='
            }
        };
        let length = |context: &Self, of: Length, limit: f64| {
            if matches!(of, Length::Gained) && context.mind.recorded_goal_m == f64::MAX {
                return "no goal distance recorded yet".into();
            }
            let value = context.length_m(of);
            format!("{} {value:.3} m {} {limit:.3} m", of.words(), compared(value, limit))
        };
        match &condition.test {
            Test::Nearer { of, than_m } | Test::Farther { of, than_m } => length(self, *of, *than_m),
            Test::Within { of, from_rad, to_rad } => match self.angle_rad(of) {
                Some(angle) => {
                    let is = if is_between(angle, *from_rad, *to_rad) { "is" } else { "is not" };
                    let [angle, from, to] = [angle, *from_rad, *to_rad].map(f64::to_degrees);
                    format!("{} {angle:.1}° {is} from {from:.1}° to {to:.1}°", of.words())
                }
                None => format!("there is no {}", of.words()),
            },
            Test::RawOffWall { along, way } => match self.raw_off_wall_rad(along, way) {
                Some(angle) => {
                    let angle = angle.to_degrees();
                    format!("raw way off the wall {angle:.1}° {} 0.0°", compared(angle, 0.0))
                }
                None => "there is no way off the wall".into(),
            },
            Test::After { time_s } => {
                let state_s = self.state_s();
                format!("{state_s:.2} s {} {time_s:.2} s in the state", compared(state_s, *time_s))
            }
            Test::Above { of, than } | Test::Below { of, than } => {
                let name = format!("sensor {}, number {}", of.sensor, of.channel);
                match self.number(*of) {
                    Some(value) => format!("{name} is {value:.3} {} {than:.3}", compared(value, *than)),
                    None => format!("there is no {name}"),
                }
            }
            Test::All { of } => {
                let reasons: Vec<_> = of.iter().map(|name| self.reason_above(place, name)).collect();
                reasons.join(", ")
            }
            Test::Any { of } => {
                let first = of.iter().find(|name| self.holds_above(place, name)).or(of.first());
                first.map_or_else(String::new, |name| self.reason_above(place, name))
            }
            Test::Not { of } => self.detail_above(place, of),
            Test::Expression { holds } => holds.clone(),
        }
    }

    /// Records the distance to the goal and the side of the nearest obstacle. An obstacle straight ahead or behind is
    /// on neither side.
    pub fn note(&mut self) {
        self.mind.recorded_goal_m = self.now.goal_distance_m();
        let aside = self.now.nearest().map_or(0.0, |eye| eye.bearing_rad());
        let side = if aside > 0.0 { Some(Side::Left) } else { (aside < 0.0).then_some(Side::Right) };
        if let Some(side) = side {
            self.mind.side = Some(side);
            self.now.side = side;
        }
    }

    fn number(&self, of: Number) -> Option<f64> {
        self.now.number(of.sensor, of.channel)
    }

    fn length_m(&self, of: Length) -> f64 {
        let now = &self.now;
        let least = |all: &mut dyn Iterator<Item = f64>| all.fold(f64::INFINITY, f64::min);
        match of {
            Length::Goal => now.goal_distance_m(),
            Length::BestGoal => self.mind.best_goal_m,
            Length::Reading => now.nearest_m(),
            Length::ReadingBetween { from_rad, to_rad } => {
                let seen = now.eyes().filter(|eye| is_between(eye.at.heading_rad, from_rad, to_rad));
                least(&mut seen.map(|eye| eye.distance_m))
            }
            Length::Point { within_rad } => {
                let seen = now.eyes().filter(|eye| eye.bearing_rad().abs() < within_rad);
                least(&mut seen.map(|eye| eye.point_m().length()))
            }
            Length::Gained => self.mind.recorded_goal_m - now.goal_distance_m(),
            Length::GainedInState => self.mind.entry_goal_m - now.goal_distance_m(),
            Length::GainedOnBest => self.mind.best_goal_m - now.goal_distance_m(),
        }
    }

    fn angle_rad(&mut self, of: &Angle) -> Option<f64> {
        match of {
            Angle::Goal => Some(self.now.goal_angle_rad()),
            Angle::NearestBearing => self.now.nearest().map(|eye| eye.bearing_rad()),
            Angle::Way { state } => self.way_rad(state),
            Angle::OffWall { along, way } => self.raw_off_wall_rad(along, way).map(wrap_angle),
            Angle::OffLastWay { way } => {
                let way_rad = self.way_rad(way)?;
                Some(wrap_angle(self.off_wall_rad(self.mind.steering.last_rad(), way_rad)))
            }
        }
    }

    /// The angle by which the direction of one state leads off the wall that another state follows, in (−2π, 2π).
    fn raw_off_wall_rad(&mut self, along: &str, way: &str) -> Option<f64> {
        let (along_rad, way_rad) = (self.way_rad(along)?, self.way_rad(way)?);
        Some(self.off_wall_rad(along_rad, way_rad))
    }

    /// The angle from the direction along the wall to another direction, positive away from the wall.
    fn off_wall_rad(&self, along_rad: f64, way_rad: f64) -> f64 {
        (along_rad - way_rad) * self.now.side.sign()
    }

    /// The direction in which a state would drive. For the present state, its behaviour continues with its memory.
    fn way_rad(&mut self, name: &str) -> Option<f64> {
        let state = self.supervisor.state(name)?;
        let (mut none, is_present) = (Vec::new(), name == self.mind.state);
        let kept = if is_present { &mut self.mind.kept } else { &mut none };
        match self.behaviours.act(&state.behaviour, &self.now, kept) {
            BehaviourOutput::Steer { angle_rad, .. } => Some(angle_rad),
            BehaviourOutput::Drive(_) => None,
        }
    }

    fn state_s(&self) -> f64 {
        self.time.step.saturating_sub(self.mind.entered_at) as f64 * self.time.dt_s
    }

    fn expression_holds(&self, text: &str) -> bool {
        let reading = |from_rad, to_rad| self.length_m(Length::ReadingBetween { from_rad, to_rad });
        let Mind { entry_goal_m, best_goal_m, recorded_goal_m, .. } = *self.mind;
        let pose = &self.now.pose;
        let more: [f64; NAMES.len()] = [
            self.length_m(Length::Goal),
            self.length_m(Length::Reading),
            reading(-FRAC_PI_8, FRAC_PI_8),
            reading(FRAC_PI_8, PI - FRAC_PI_8),
            reading(FRAC_PI_8 - PI, -FRAC_PI_8),
            self.length_m(Length::Point { within_rad: PI }),
            self.now.nearest().map_or(f64::NAN, |eye| eye.bearing_rad()),
            entry_goal_m,
            best_goal_m,
            recorded_goal_m,
            self.state_s(),
            pose.position_m.x,
            pose.position_m.y,
            pose.heading_rad,
        ];
        let (step, t_s) = (self.time.step, self.time.now_s());
        let (expressions, more_names) = (Some(&EXPRESSIONS), &NAMES);
        Scope { step, t_s, count: 1, more_names, more: &more, expressions, ..Scope::default() }.holds(text)
    }
}

/// The condition with a name, above a place.
fn find<'a>(conditions: &'a [Condition], place: usize, name: &str) -> Option<(usize, &'a Condition)> {
    conditions.iter().take(place).enumerate().find(|(_, condition)| condition.name == name)
}

/// Whether an angle lies in a range that goes anticlockwise from one angle to another.
fn is_between(angle: f64, from: f64, to: f64) -> bool {
    if to - from >= TAU {
        return true;
    }
    // Rounding must not exclude an angle at an end.
    let turn = |angle: f64| if angle < 0.0 { angle + TAU } else { angle };
    let width = turn(wrap_angle(to - from));
    let beyond = turn(wrap_angle(angle - from));
    beyond <= width + 1e-12 || beyond >= TAU - 1e-12
}

impl Length {
    /// The name in texts for the user.
    fn words(self) -> &'static str {
        match self {
            Self::Goal => "goal distance",
            Self::BestGoal => "best goal distance",
            Self::Reading => "nearest reading",
            Self::ReadingBetween { .. } => "nearest reading there",
            Self::Point { .. } => "nearest point",
            Self::Gained => "gain on the recorded goal distance",
            Self::GainedInState => "gain since the state began",
            Self::GainedOnBest => "gain on the best goal distance",
        }
    }
}

impl Angle {
    /// The name in texts for the user.
    fn words(&self) -> &'static str {
        match self {
            Self::Goal => "way to the goal",
            Self::NearestBearing => "nearest bearing",
            Self::Way { .. } => "way of the state",
            Self::OffWall { .. } => "way off the wall",
            Self::OffLastWay { .. } => "way off the wall before",
        }
    }
}
