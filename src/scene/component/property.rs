//! The services that all components have: their parameters under the names of MORSE.

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use bevy::reflect::enums::VariantType;
use swarmarium_base::math::sin_cos;
use swarmarium_core::kind::Kinds;
use swarmarium_core::service::{
    About, ComponentId, ComponentSlot, Fields, Parameter, Property, PropertyError, Service, ServiceError, Value,
};
use swarmarium_core::text::values::number;

use crate::scene::writer::{Style, write};
use crate::scene::{describe, path};

/// The services that all components have; only sensors have the last one.
pub(crate) const COMMON: [Service; 4] = [
    Service { name: "get_properties", parameters: &[], sets: None, is_task: false },
    Service {
        name: "set_property",
        parameters: &[Parameter { name: "name", default: None }, Parameter { name: "value", default: None }],
        sets: None,
        is_task: false,
    },
    Service { name: "get_configurations", parameters: &[], sets: None, is_task: false },
    Service { name: "get_local_data", parameters: &[], sets: None, is_task: false },
];

/// The services that a component in a slot has in addition to those of its kind.
pub fn common_services(slot: ComponentSlot) -> &'static [Service] {
    match slot {
        ComponentSlot::Sensor(_) => &COMMON,
        ComponentSlot::Actuator(_) => &COMMON[..3],
    }
}

/// The path for edits of a parameter of a component.
pub fn path_of(ComponentId { agent, slot }: ComponentId, field: &str) -> String {
    match slot {
        ComponentSlot::Sensor(slot) => format!("agents.{agent}.sensors.{slot}.{field}"),
        ComponentSlot::Actuator(slot) => format!("agents.{agent}.controller.actuators.{slot}.{field}"),
    }
}

/// The property of a kind with a name.
///
/// # Errors
/// If there is none, with the message of MORSE.
pub fn find(about: &About, component: &str, name: &Value) -> Result<&'static Property, ServiceError> {
    let text = name.text().map_or_else(|| name.to_string(), str::to_owned);
    let found = about.properties.iter().find(|property| property.name == text);
    found.ok_or_else(|| ServiceError::UnknownProperty { property: text, component: component.to_owned() })
}

/// All properties with their types and docs.
pub fn all(kinds: &Kinds, about: &About, slot: &dyn Reflect) -> Value {
    let one = |property: &Property| {
        let leaf = path::leaf(kinds, slot, property.field)?;
        let docs = describe::trim(leaf.field.and_then(|field| field.docs()));
        let value = value_of(kinds, leaf.value, property);
        let row = vec![value, property.type_name.into(), docs.into(), property.attribute.into()];
        Some((property.name.to_owned(), Value::List(row)))
    };
    let properties = about.properties.iter().filter_map(one).collect();
    Value::Map(vec![("properties".into(), Value::Map(properties))])
}

/// All properties, and the mounting of the component on its robot.
pub fn configurations(kinds: &Kinds, about: &About, slot: &dyn Reflect) -> Value {
    let one = |property: &Property| {
        let leaf = path::leaf(kinds, slot, property.field)?;
        Some((property.name.to_owned(), value_of(kinds, leaf.value, property)))
    };
    let mut all: Fields = about.properties.iter().filter_map(one).collect();
    let mounted = |field: &str| {
        let leaf = path::leaf(kinds, slot, &format!("mount.{field}"));
        leaf.and_then(|leaf| number(leaf.value)).unwrap_or_default()
    };
    let translation = ["x_m", "y_m", "z_m"].map(mounted);
    let rotation = rotation(["yaw_rad", "pitch_rad", "roll_rad"].map(mounted));
    let object_to_robot = vec![
        ("rotation".into(), Value::List(rotation.into_iter().map(Value::numbers).collect())),
        ("translation".into(), Value::numbers(translation)),
    ];
    all.push(("object_to_robot".into(), Value::Map(object_to_robot)));
    Value::Map(vec![("configurations".into(), Value::Map(all))])
}

/// The rotation by roll about x, then pitch about y, then yaw about z; by rows.
fn rotation([yaw, pitch, roll]: [f64; 3]) -> [[f64; 3]; 3] {
    let [(sy, cy), (sp, cp), (sr, cr)] = [yaw, pitch, roll].map(sin_cos);
    [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        // `0 − x` avoids −0.
        [0.0 - sp, cp * sr, cp * cr],
    ]
}

/// The value of a parameter for clients.
fn value_of(kinds: &Kinds, value: &dyn Reflect, property: &Property) -> Value {
    if let Some(flag) = value.downcast_ref::<bool>() {
        return (*flag).into();
    }
    if let Some(text) = value.downcast_ref::<String>() {
        return text.clone().into();
    }
    if let Some(optional) = value.downcast_ref::<Option<f64>>() {
        // A missing limit is infinite.
        return optional.map_or(f64::INFINITY, |number| number / property.unit).into();
    }
    if let Some(texts) = value.downcast_ref::<Vec<String>>() {
        return Value::List(texts.iter().map(|text| text.clone().into()).collect());
    }
    if let Some(DVec2 { x, y }) = value.downcast_ref::<DVec2>() {
        return Value::numbers([x / property.unit, y / property.unit]);
    }
    match number(value) {
        Some(whole) if property.type_name == "int" => Value::Int(whole as i64),
        Some(number) => (number / property.unit).into(),
        None => write(kinds, value, Style::Full).into(),
    }
}

/// The value that a client sends for a parameter, in the notation of scenes.
///
/// # Errors
/// If the value has another type.
pub fn written(current: &dyn Reflect, value: &Value, unit: f64) -> Result<String, PropertyError> {
    let refuse = |expected| Err(PropertyError::Type { expected, found: value.clone() });
    if current.is::<bool>() {
        return match value {
            Value::Bool(flag) => Ok(flag.to_string()),
            Value::Int(flag @ (0 | 1)) => Ok((*flag == 1).to_string()),
            _ => refuse("true or false"),
        };
    }
    if current.is::<String>() {
        return match value {
            Value::Text(text) => quoted(text),
            _ => refuse("a text"),
        };
    }
    if current.is::<Vec<String>>() {
        let Value::List(items) = value else { return refuse("a list of texts") };
        if items.len() > PropertyError::MAX_TEXTS {
            return Err(PropertyError::TooManyTexts(items.len()));
        }
        let text = |item: &Value| item.text().map_or_else(|| refuse("a list of texts"), quoted);
        let texts = items.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        return Ok(format!("[{}]", texts.join(", ")));
    }
    if let ReflectRef::Enum(variant) = current.reflect_ref()
        && variant.variant_type() == VariantType::Unit
        && !current.is::<Option<f64>>()
    {
        let is_name = |text: &&str| !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric());
        return value.text().filter(is_name).map_or_else(|| refuse("a name"), |name| Ok(name.to_owned()));
    }
    let is_whole = current.is::<u32>() || current.is::<u64>();
    match (value.number(), value) {
        (Some(number), _) if number == f64::INFINITY && current.is::<Option<f64>>() => Ok("None".into()),
        (Some(number), _) if !number.is_finite() => refuse("a finite number"),
        (Some(number), _) if is_whole && number.fract() == 0.0 && number >= 0.0 => Ok(format!("{number:.0}")),
        (Some(number), _) if current.is::<f64>() || current.is::<Option<f64>>() || is_whole => {
            Ok(format!("{:?}", number * unit))
        }
        (None, Value::List(items)) if current.is::<DVec2>() => {
            let numbers: Option<Vec<f64>> = items.iter().map(Value::number).collect();
            let Some([x, y]) = numbers.as_deref() else { return refuse("two numbers") };
            Ok(format!("({:?}, {:?})", x * unit, y * unit))
        }
        _ => refuse("a number"),
    }
}

fn quoted(text: &str) -> Result<String, PropertyError> {
    let length = text.chars().count();
    if length > PropertyError::MAX_TEXT {
        return Err(PropertyError::TooLong(length));
    }
    ron::to_string(text).map_err(|error| PropertyError::Unwritable(error.to_string()))
}
