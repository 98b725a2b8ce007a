//! Evaluates an expression for the first agent that meets a condition.

use bevy::prelude::*;
use swarmarium_core::agent::Team;
use swarmarium_core::agent::name::Name;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NamedExpression, NoHistory, Scope, Swarm};
use swarmarium_scene::agent_view::AgentView;

/// Value of an expression for the first robot, by number, for which another expression holds.
///
/// Expressions can name these properties of the robot, besides the metrics above: `agent` (its number), `x_m`,
/// `y_m`, `heading_rad`, `speed_m_per_s`, `radius_m`, `collided` (whether it was pushed in this step), `dead`, and
/// `sensor_0` to `sensor_15` (the first number that the sensor in that slot reads). In a periodic arena, `x_m` and
/// `y_m` lie within the arena.
///
/// # Formula
/// ```math
/// y = \begin{cases} e(k) & \text{if a robot exists for which } h \text{ holds} \\
/// y_0 & \text{otherwise} \end{cases}
/// \qquad
/// k = \min \{ i : h(i) \text{ holds} \}
/// ```
/// $h$ is the expression `when`, $e$ the expression `value` and $y_0$ the field `otherwise`. Only robots that the
/// filters admit are considered.
///
/// Source: RobotSwarmSimulator `AnyAgent`.
///
/// Range: any number; no number if `value` has none for that robot.
#[kind(section = "Expressions", words = "condition, any robot, first robot")]
pub struct AnyAgent {
    /// The condition, such as `x_m > 5 and not collided`.
    #[default("true".into())]
    pub when: String,
    /// The expression whose value is returned.
    #[default("agent".into())]
    pub value: String,
    /// The value if no robot meets the condition.
    #[default(-1.0)]
    pub otherwise: f64,
    /// Teams whose robots are considered; `""` stands for robots without a team. Empty list: all robots.
    pub teams: Vec<String>,
    /// Teams whose robots are ignored; `""` stands for robots without a team.
    pub except_teams: Vec<String>,
    /// Groups, or single robots such as `prey-3`, that are ignored.
    pub except: Vec<String>,
}

const OWN: usize = 8;
const SENSORS: usize = 16;
/// The names of the properties of an agent in expressions.
pub static AGENT_NAMES: [&str; OWN + SENSORS] = [
    "agent",
    "x_m",
    "y_m",
    "heading_rad",
    "speed_m_per_s",
    "radius_m",
    "collided",
    "dead",
    "sensor_0",
    "sensor_1",
    "sensor_2",
    "sensor_3",
    "sensor_4",
    "sensor_5",
    "sensor_6",
    "sensor_7",
    "sensor_8",
    "sensor_9",
    "sensor_10",
    "sensor_11",
    "sensor_12",
    "sensor_13",
    "sensor_14",
    "sensor_15",
];

impl AnyAgent {
    fn names_sensors(&self) -> bool {
        [&self.when, &self.value].into_iter().any(|text| text.contains("sensor_"))
    }
}

/// Whether a team is in a list of names.
fn is_of(team: u32, names: &[String]) -> bool {
    names.iter().any(|name| Team::named(name).0 == team)
}

impl Metric for AnyAgent {
    type Memory = NoHistory;

    const READS_START: bool = true;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("any_agent", "Value of the first matching robot")
    }

    fn expressions(&self) -> Vec<NamedExpression<'_>> {
        let stated = |field, text| NamedExpression { more: &AGENT_NAMES, ..NamedExpression::new(field, text) };
        vec![stated("when", &self.when), stated("value", &self.value)]
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        if !self.names_sensors() {
            return;
        }
        for number in census.numbers() {
            let agent = AgentView::seen(census, number);
            let first = |slot| agent.as_ref()?.readings().nth(slot)?.first().copied();
            gathered.extend((0..SENSORS).map(|slot| first(slot).unwrap_or(f64::NAN)));
        }
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let bodies = &swarm.space.bodies;
        let except: Vec<Name> = self.except.iter().filter_map(|name| Name::of(name)).collect();
        let counts = |row: &usize| {
            let team = bodies.groups()[*row];
            (self.teams.is_empty() || is_of(team, &self.teams))
                && !is_of(team, &self.except_teams)
                && !except.iter().any(|name| name.is_of(bodies.owners()[*row]))
        };
        let value = |row: usize| {
            let (at, moved) = (bodies.positions()[row], bodies.displacements()[row]);
            let mut more = [f64::NAN; OWN + SENSORS];
            more[..OWN].copy_from_slice(&[
                f64::from(bodies.owners()[row].number),
                at.x,
                at.y,
                bodies.headings()[row],
                moved.length() / swarm.dt_s,
                bodies.radii()[row],
                f64::from(bodies.pushed()[row]),
                f64::from(bodies.owners()[row].dead),
            ]);
            let readings = swarm.gathered.chunks_exact(SENSORS).nth(row).unwrap_or_default();
            more[OWN..][..readings.len()].copy_from_slice(readings);
            let scope = Scope { more_names: &AGENT_NAMES, more: &more, ..swarm.scope };
            scope.holds(&self.when).then(|| scope.value(&self.value))
        };
        values[0] = (0..swarm.len()).filter(counts).find_map(value).unwrap_or(self.otherwise);
    }
}
