//! Type-erased sensors.

use std::any::Any;

use bevy::prelude::*;
use swarmarium_picture::Picture;
use swarmarium_space::{Space, Surroundings, Target};

use super::{Gauge, Own, Sensor, Viewpoint};
use crate::agent::belief::Belief;
use crate::service::{About, Fields};

/// A sensor of any kind: [`Sensor`] without its types. A memory must be that of its kind.
pub trait AnySensor {
    /// As [`Sensor::COUNTS_TURNS`].
    fn counts_turns(&self) -> bool;
    /// As [`Sensor::ABOUT`].
    fn about(&self) -> About;
    /// As [`Sensor::channels`].
    fn channels(&self) -> usize;
    /// As [`Sensor::channel`].
    fn channel(&self, channel: usize) -> (String, &'static str);
    /// As [`Sensor::gauge`].
    fn gauge(&self) -> Gauge;
    /// As [`Sensor::fields`].
    fn fields(&self) -> &'static [&'static str];
    /// As [`Sensor::problem`].
    fn problem(&self) -> Option<String>;
    /// As [`Sensor::blank`].
    fn blank(&self, reading: &mut [f64]);
    /// As [`Sensor::belief`].
    fn belief<'m>(&self, memory: &'m dyn Any) -> Option<Belief<'m>>;
    /// As [`Sensor::draw`].
    fn draw(&self, memory: &dyn Any, space: &Space, row: usize, reading: &[f64], picture: &mut Picture);
    /// As [`Sensor::message`].
    fn message(&self, memory: &dyn Any, reading: &[f64], who: &dyn Fn(u32) -> String, message: &mut Fields) -> bool;
    /// As [`Sensor::sees`], for the agent in a row.
    fn sees(&self, memory: &dyn Any, space: &Space, row: usize) -> Option<Target>;
}

impl<K: Sensor> AnySensor for K {
    fn counts_turns(&self) -> bool {
        K::COUNTS_TURNS
    }

    fn about(&self) -> About {
        K::ABOUT
    }

    fn channels(&self) -> usize {
        Sensor::channels(self)
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        Sensor::channel(self, channel)
    }

    fn gauge(&self) -> Gauge {
        Sensor::gauge(self)
    }

    fn fields(&self) -> &'static [&'static str] {
        Sensor::fields(self)
    }

    fn problem(&self) -> Option<String> {
        Sensor::problem(self)
    }

    fn blank(&self, reading: &mut [f64]) {
        Sensor::blank(self, reading);
    }

    fn belief<'m>(&self, memory: &'m dyn Any) -> Option<Belief<'m>> {
        Sensor::belief(self, memory.downcast_ref()?)
    }

    fn draw(&self, memory: &dyn Any, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        if let Some(memory) = memory.downcast_ref() {
            Sensor::draw(self, memory, space, row, reading, picture);
        }
    }

    fn message(&self, memory: &dyn Any, reading: &[f64], who: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        memory.downcast_ref().is_some_and(|memory| Sensor::message(self, memory, reading, who, message))
    }

    fn sees(&self, memory: &dyn Any, space: &Space, row: usize) -> Option<Target> {
        let (mut around, own) = (Surroundings::default(), Own::default());
        let from = Viewpoint { space, row, around: &mut around, hint: None, wheels: None, own: &own };
        Sensor::sees(self, &self.prepare(), memory.downcast_ref()?, from)
    }
}
