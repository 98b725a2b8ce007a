//! A value of any type, as its text.

use std::fmt;

use bevy::prelude::*;
use bevy::reflect::{ReflectDeserialize, ReflectSerialize};
use ron::value::RawValue;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of any type, as scene files write it: `0.5`, `"orange"`, `Bernoulli(probability: 0.3)`.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(opaque, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Value(String);

impl Value {
    /// A value, as a scene file or `--set` writes it. A text that needs quotes in a file gets them.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        match RawValue::from_ron(&text) {
            Ok(_) => Self(text),
            Err(_) => Self(ron::to_string(&text).unwrap_or(text)),
        }
    }

    /// The value as it is compared with others: numbers as numbers.
    pub fn canonical(&self) -> String {
        self.number().map_or_else(|| self.0.clone(), |number| number.to_string())
    }

    /// The value as a scene file writes it.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The number that the value is.
    pub fn number(&self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// The value without quotes, for tables and figures.
    pub fn shown(&self) -> &str {
        let inner = self.0.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        inner.filter(|inner| !inner.contains(['"', '\\'])).unwrap_or(&self.0)
    }
}

impl From<f64> for Value {
    /// Whole numbers are written without a point, so that they suit whole parameters as well.
    fn from(number: f64) -> Self {
        Self(number.to_string())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_ron(&self.0).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw: Box<RawValue> = Box::deserialize(deserializer)?;
        Ok(Self(raw.trim().get_ron().to_owned()))
    }
}
