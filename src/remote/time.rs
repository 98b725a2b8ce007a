//! The services of `time`.

use swarmarium_core::service::{Fields, Parameter, Service, Value};
use swarmarium_core::time::Strategy;
use swarmarium_host::clock::Statistics;

use super::error::RequestError;
use super::jobs::Work;
use super::request_handler::{Reply, RequestHandler, SupervisorService, number};

const fn service(name: &'static str, parameters: &'static [Parameter], is_task: bool) -> Service {
    Service { name, parameters, sets: None, is_task }
}

/// The services of `time`.
pub const SERVICES: &[SupervisorService] = &[
    SupervisorService { service: service("now", &[], false), call: |handler, _| Reply::from_value(now_s(handler)) },
    SupervisorService { service: service("mode", &[], false), call: |handler, _| Reply::from_value(mode(handler)) },
    SupervisorService {
        service: service("statistics", &[], false),
        call: |handler, _| Ok(Reply::Now(statistics(handler))),
    },
    SupervisorService {
        service: service("set_time_scale", &[Parameter { name: "value", default: None }], false),
        call: set_time_scale,
    },
    SupervisorService { service: service("sleep", &[Parameter { name: "delay", default: None }], true), call: sleep },
];

/// The time for clients, in seconds.
fn now_s(handler: &RequestHandler) -> f64 {
    handler.simulation().epoch_s() + handler.simulation().time().now_s()
}

fn mode(handler: &RequestHandler) -> &'static str {
    match handler.host.clock().strategy {
        Strategy::BestEffort => "Best Effort",
        Strategy::FixedStep => "Fixed Simulation Step",
    }
}

/// The fields of MORSE, and more. With best effort, the mean is that of the simulated time of a step, which is constant here;
/// with fixed steps, it is that of the real time between steps.
fn statistics(handler: &RequestHandler) -> Value {
    let dt_s = handler.simulation().time().dt_s;
    let known = handler.host.clock().statistics();
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
            ("diff_real_time".into(), handler.remote.ahead_s(handler.simulation()).into()),
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

fn set_time_scale(handler: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    let scale = number("value", &arguments[0])?;
    if scale <= 0.0 {
        return Err(RequestError::TimeScale);
    }
    handler.host.set_scale(scale).map_err(RequestError::Invalid)?;
    Reply::from_value(true)
}

fn sleep(handler: &mut RequestHandler, arguments: &[Value]) -> Result<Reply, RequestError> {
    let until_s = handler.simulation().time().now_s() + number("delay", &arguments[0])?;
    Ok(Reply::Later(Work::Sleep { until_s }))
}
