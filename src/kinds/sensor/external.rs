//! Reads numbers that an external program writes.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_NUMBER};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::{About, Parameter, Service, ServiceError, Value, ValueError, within_reach};

/// Reads the numbers that an external program writes with the service `write`, such as those of a sensor that exists
/// only in that program. They hold until the next call of the service. Calls are logged, so that the run can be
/// repeated.
#[kind(section = "Test", words = "program, python, client")]
pub struct External {
    /// The reading before the first call. It sets how many numbers a call must write.
    #[reflect(@Limits::between(-MAX_NUMBER, MAX_NUMBER))]
    #[default(vec![0.0])]
    pub values: Vec<f64>,
}

/// The numbers that a program wrote last; `None` before the first call.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Written {
    values: Option<Vec<f64>>,
}

/// The parameter of the service.
const VALUES: &str = "values";
const WRITE: Service =
    Service { name: "write", parameters: &[Parameter { name: VALUES, default: None }], sets: None, is_task: false };

impl External {
    /// The numbers that a client sends.
    fn numbers(&self, value: &Value) -> Result<Vec<f64>, ValueError> {
        let items = match value {
            Value::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        if items.len() != self.values.len() {
            let (expected, found) = (self.values.len(), items.len());
            return Err(ValueError::Count { name: VALUES.into(), expected, found });
        }
        let number = |item: &Value| match item {
            Value::Bool(on) => Ok(f64::from(*on)),
            _ => item.number().ok_or_else(|| ValueError::Type {
                name: VALUES.into(),
                expected: "numbers",
                found: item.clone(),
            }),
        };
        items.iter().map(|item| within_reach(VALUES, number(item)?)).collect()
    }
}

impl Sensor for External {
    type Prepared = ();
    type Memory = Written;
    const ABOUT: About = About { class: "", services: &[WRITE], properties: &[] };

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        self.values.len()
    }

    fn read(&self, (): &(), written: &mut Written, _: Viewpoint, reading: &mut [f64]) {
        let values = written.values.as_ref().filter(|values| values.len() == reading.len()).unwrap_or(&self.values);
        reading.copy_from_slice(values);
    }

    fn call(&self, written: &mut Written, service: &str, arguments: &[Value]) -> Result<Value, ServiceError> {
        match arguments {
            [value] if service == WRITE.name => {
                written.values = Some(self.numbers(value)?);
                Ok(Value::Null)
            }
            _ => Err(ServiceError::UnknownToSensor(service.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_space::Boundary;

    use super::*;
    use crate::sensor::tests::{Looks, space_with};

    #[test]
    fn external_sensor_reads_the_last_written_numbers() {
        let space = space_with(Boundary::Open, &[(bevy::math::DVec2::ZERO, 0.1)]);
        let sensor = External { values: vec![0.5, 0.0] };
        let mut looks = Looks::of(&sensor);
        assert_eq!(looks.read(&space), [0.5, 0.0]);
        let mut write = |value| sensor.call(&mut looks.memory, "write", &[value]);
        assert_eq!(write(Value::List(vec![2.0.into(), true.into()])), Ok(Value::Null));
        assert!(write(Value::numbers([1.0])).unwrap_err().to_string().contains("expected 2 numbers, found 1"));
        assert!(write(Value::List(vec!["x".into(), 1.0.into()])).unwrap_err().to_string().contains("expected numbers"));
        assert_eq!(looks.read(&space), [2.0, 1.0]);
    }
}
