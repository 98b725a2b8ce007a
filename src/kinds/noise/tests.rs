//! Helpers of the tests of noise.

use swarmarium_base::id::StableId;
use swarmarium_core::noise::{Noise, POSITION};
use swarmarium_core::random::Seed;

/// A position after the conversion from a sensor, and after the conversion back for an actuator.
pub fn out_and_in(noise: &impl Noise, position: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let (mut stream, mut kept) = (Seed(7).stream(StableId::agent(0), "noise"), Vec::new());
    let mut out = position;
    noise.apply_to(&POSITION, &mut out, &mut kept, &mut stream);
    let mut back = out;
    noise.undo(&POSITION, &mut back, &mut kept, &mut stream);
    (out, back)
}

/// Whether numbers differ by less than a tolerance.
pub fn near(found: &[f64], expected: &[f64], tolerance: f64) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance)
}

/// Applies one kind of noise to readings of one number, each at its own step.
pub fn through(noise: &impl Noise, readings: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut kept = Vec::new();
    let mut steps = 0;
    let one = |value| {
        steps += 1;
        let mut reading = [value];
        noise.apply(&mut reading, &mut kept, &mut Seed(7).stream(StableId::agent(0), "noise").at_step(steps));
        reading[0]
    };
    readings.into_iter().map(one).collect()
}
