//! The services of `time`.

use swarmarium_core::clock::Statistics;
use swarmarium_core::service::{Fields, Parameter, Service, Value};
use swarmarium_core::time::Strategy;

use super::desk::{Reply, RequestHandler, Supervisory, number};
use super::jobs::Work;

const fn service(name: &'static str, parameters: &'static [Parameter], is_task: bool) -> Service {
    Service { name, parameters, sets: None, is_task }
}

/// The services of `time`.
pub const SERVICES: &[Supervisory] = &[
    Supervisory { service: service("now", &[], false), does: |desk, _| Reply::of(now_s(desk)) },
    Supervisory { service: service("mode", &[], false), does: |desk, _| Reply::of(mode(desk)) },
    Supervisory { service: service("statistics", &[], false), does: |desk, _| Ok(Reply::Now(statistics(desk))) },
    Supervisory {
        service: service("set_time_scale", &[Parameter { name: "value", default: None }], false),
        does: set_time_scale,
    },
    Supervisory { service: service("sleep", &[Parameter { name: "delay", default: None }], true), does: sleep },
];

/// What time it is for clients.
fn now_s(desk: &RequestHandler) -> f64 {
    desk.simulation().epoch_s() + desk.simulation().time().now_s()
}

fn mode(desk: &RequestHandler) -> &'static str {
    match desk.host.clock().strategy {
        Strategy::BestEffort => "Best Effort",
        Strategy::FixedStep => "Fixed Simulation Step",
    }
}

/// The fields of MORSE, and more. The mean of best effort is that of the simulated time of a step, which is constant here;
/// that of fixed steps is that of the real time between steps.
fn statistics(desk: &RequestHandler) -> Value {
    let dt_s = desk.simulation().time().dt_s;
    let known = desk.host.clock().statistics();
    let Statistics { dropped_s, stretched_steps, requested_scale, achieved_scale, mean_step_s, .. } = known;
    let mut fields: Fields = match known.strategy {
        Strategy::BestEffort => vec![
            ("mean_time".into(), dt_s.into()),
            ("variance_time".into(), 0.0.into()),
            ("mean_frame_by_sec".into(), (1.0 / dt_s).into()),
            ("variance_frame_by_sec".into(), 0.0.into()),
        ],
        Strategy::FixedStep => vec![
            ("mean_time".into(), known.mean_tick_s.into()),
            ("variance_time".into(), known.variance_tick_s.into()),
            ("diff_real_time".into(), desk.remote.ahead_s(desk.simulation()).into()),
        ],
    };
    let more = [
        ("dropped_time", dropped_s),
        ("requested_scale", requested_scale),
        ("achieved_scale", achieved_scale),
        ("mean_step_time", mean_step_s),
        ("variance_step_time", known.variance_step_s),
        ("step_time_p50", known.p50_s),
        ("step_time_p95", known.p95_s),
        ("step_time_p99", known.p99_s),
    ];
    fields.extend(more.map(|(name, number)| (name.to_owned(), number.into())));
    let counts = [("steps", known.steps), ("stretched_steps", stretched_steps)];
    fields.extend(counts.map(|(name, count)| (name.to_owned(), Value::Int(count.try_into().unwrap_or(i64::MAX)))));
    Value::Map(fields)
}

fn set_time_scale(desk: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, String> {
    let scale = number("value", &arguments[0])?;
    if scale <= 0.0 {
        return Err("time scale must be > 0".into());
    }
    desk.host.set_scale(scale).map_err(|problem| problem.to_string())?;
    Reply::of(true)
}

fn sleep(desk: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, String> {
    let until_s = desk.simulation().time().now_s() + number("delay", &arguments[0])?;
    Ok(Reply::Later(Work::Sleep { until_s }))
}
