//! Reading a tree field by field, with problems and warnings about the fields.

use std::path::{Path, PathBuf};

use bevy::math::DVec2;
use bevy::reflect::{TypeInfo, Typed};
use swarmarium_base::limits::Limits;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::kind::{Family, KindType, Kinds, Slot};
use swarmarium_core::spawner::{Spawner, SpawnerFamily};
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::description::Time;

use super::scalar::Scalar;
use super::sources::Sources;
use super::yaml::{Node, Value};

mod key;

pub use key::Key;

/// Any finite number.
pub const FINITE: Limits = Limits::FINITE;

/// The limits of a field in the scene, so that they are stated only once.
pub fn limits<T: Typed>(field: &str) -> Limits {
    let field = match T::type_info() {
        TypeInfo::Struct(info) => info.field(field),
        TypeInfo::Enum(info) => info.iter().find_map(|variant| variant.as_struct_variant().ok()?.field(field)),
        _ => None,
    };
    field.and_then(|field| field.get_attribute::<Limits>()).copied().unwrap_or(FINITE)
}

/// A node and the path to it.
#[derive(Clone)]
pub struct Spot<'n> {
    /// The node.
    pub node: &'n Node,
    /// The path, such as `agents[0].sensors[0].theta`.
    pub path: String,
}

/// The entries of a map.
pub struct Fields<'n> {
    /// The map.
    pub spot: Spot<'n>,
    entries: &'n [(Node, Node)],
}

impl<'n> Fields<'n> {
    /// The value of a key. As in RobotSwarmSimulator, null means the same as no value.
    pub fn get(&self, name: &str) -> Option<Spot<'n>> {
        let (_, node) = self.entries.iter().find(|(key, _)| key.text() == Some(name))?;
        (node.scalar() != Scalar::Null).then(|| Spot { node, path: self.path(name) })
    }

    /// The text of a key.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.node.text().map(str::to_owned)
    }

    /// Whether the value of a key is a text in Python, or missing.
    pub fn is_text(&self, name: &str) -> bool {
        self.get(name).is_none_or(|spot| spot.node.scalar() == Scalar::Text)
    }

    fn path(&self, name: &str) -> String {
        let path = &self.spot.path;
        if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
    }
}

/// Classes of RobotSwarmSimulator that do nothing themselves.
const BASES: [&str; 2] = ["AgentSpawner", "World"];

/// The wheels of a `DiffDriveAgent`.
#[derive(Clone, Copy)]
pub struct Wheels {
    /// The radius of a wheel.
    pub wheel_radius_m: f64,
    /// The radius of the agent: half the length of its axle.
    pub radius_m: f64,
}

/// Reads the parts of a world, and collects problems and warnings.
///
/// Methods return a usable value even after a problem, so that all problems are reported at once.
pub struct Reader<'k, 'o> {
    kinds: &'k Kinds,
    /// The time of a step, in seconds.
    pub dt_s: f64,
    /// The wheels of the agent being read, if its commands are speeds of wheels.
    pub wheels: Option<Wheels>,
    /// The files of the world.
    pub sources: Sources<'o>,
    /// The folder of the world.
    pub folder: PathBuf,
}

impl<'k, 'o> Reader<'k, 'o> {
    /// A reader for a world in a folder, which can use these kinds.
    pub fn new(kinds: &'k Kinds, sources: Sources<'o>, folder: &Path) -> Self {
        Self { kinds, dt_s: Time::default().dt_s, wheels: None, sources, folder: folder.into() }
    }

    /// Notes a problem.
    pub fn problem(&mut self, spot: &Spot, message: impl Into<String>) {
        self.sources.problem(spot.node.place, &spot.path, message);
    }

    /// Notes a warning.
    pub fn warning(&mut self, spot: &Spot, message: impl Into<String>) {
        self.sources.warning(spot.node.place, &spot.path, message);
    }

    /// Notes a value of another form as a problem.
    fn expected(&mut self, spot: &Spot, expected: &str) {
        self.problem(spot, format!("expected {expected}, found {}", found(spot.node)));
    }

    /// Opens a map, and warns of every key in it that is not carried over.
    pub fn fields<'n>(&mut self, spot: &Spot<'n>, keys: &[&[Key]]) -> Option<Fields<'n>> {
        let fields = self.open(spot)?;
        for (key, value) in fields.entries {
            let name = key.text().unwrap_or("?");
            let warning = match keys.iter().copied().flatten().find(|known| known.name() == name) {
                Some(known) => known.warning(value).map(str::to_string),
                None => {
                    let useful = keys.iter().copied().flatten().filter(|key| !key.is_ignored());
                    Some(format!("unknown key, ignored{}", did_you_mean(name, useful.map(|key| key.name()))))
                }
            };
            if let Some(warning) = warning {
                self.warning(&Spot { node: key, path: fields.path(name) }, warning);
            }
        }
        Some(fields)
    }

    /// The `type` of a map, if it is one of those that are carried over. The inner `None` is a user's own class, with a warning
    /// that ends with the sentence `instead`. The outer `None` is a problem.
    pub fn type_or_own<'n>(
        &mut self,
        spot: &Spot<'n>,
        what: &str,
        carried: &[&str],
        instead: &str,
    ) -> Option<Option<&'n str>> {
        let (name, spot) = self.any_type(spot, what, carried)?;
        if carried.contains(&name) {
            return Some(Some(name));
        }
        if BASES.contains(&name) {
            self.warning(&spot, format!("the {what} `{name}` is only a base for others. {instead}"));
            return Some(None);
        }
        let near = did_you_mean(name, carried.iter().copied());
        let end = if near.is_empty() { "." } else { "" };
        self.warning(&spot, format!("RobotSwarmSimulator has no {what} `{name}`{near}{end} {instead}"));
        Some(None)
    }

    fn any_type<'n>(&mut self, spot: &Spot<'n>, what: &str, carried: &[&str]) -> Option<(&'n str, Spot<'n>)> {
        let Value::Map(entries) = &spot.node.value else {
            self.expected(spot, "a map");
            return None;
        };
        let entry = entries.iter().find(|(key, _)| key.text() == Some("type"));
        let Some((name, (_, node))) = entry.and_then(|entry| Some((entry.1.text()?, entry))) else {
            self.problem(spot, format!("the `type` of the {what} is missing: can be {}", list(carried)));
            return None;
        };
        Some((name, Spot { node, path: spot.path.clone() }))
    }

    /// Opens a map without checking its keys.
    pub fn open<'n>(&mut self, spot: &Spot<'n>) -> Option<Fields<'n>> {
        let Value::Map(entries) = &spot.node.value else {
            self.expected(spot, "a map");
            return None;
        };
        Some(Fields { spot: spot.clone(), entries })
    }

    /// The items of a list; none without a list.
    pub fn items<'n>(&mut self, spot: Option<Spot<'n>>) -> Vec<Spot<'n>> {
        let Some(spot) = spot else { return Vec::new() };
        let Value::List(items) = &spot.node.value else {
            self.expected(&spot, "a list");
            return Vec::new();
        };
        let item = |(index, node)| Spot { node, path: format!("{}[{index}]", spot.path) };
        items.iter().enumerate().map(item).collect()
    }

    /// A number within limits.
    pub fn number(&mut self, spot: &Spot, limits: Limits) -> f64 {
        let number = as_number(spot.node).filter(|number| limits.allow(*number));
        if number.is_none() {
            self.expected(spot, &limits.expected());
        }
        number.unwrap_or_default()
    }

    /// The number of a key within limits, or the default of RobotSwarmSimulator.
    pub fn number_or(&mut self, fields: &Fields, name: &str, default: f64, limits: Limits) -> f64 {
        let Some(spot) = fields.get(name) else {
            if !limits.allow(default) {
                let message = format!("`{name}` is {default} unless given: expected {}", limits.expected());
                self.problem(&fields.spot, message);
            }
            return default;
        };
        self.number(&spot, limits)
    }

    /// A number within limits, or a text with one such as `1e0`, where RobotSwarmSimulator makes an array of floats.
    pub fn converted(&mut self, spot: &Spot, limits: Limits) -> f64 {
        let text = spot.node.text().filter(|_| as_number(spot.node).is_none());
        match text.and_then(|text| text.trim().replace('_', "").parse().ok()).filter(|number| limits.allow(*number)) {
            Some(number) => number,
            None => self.number(spot, limits),
        }
    }

    /// A list of numbers within limits.
    pub fn numbers(&mut self, spot: &Spot, limits: Limits) -> Vec<f64> {
        let items = self.items(Some(spot.clone()));
        items.iter().map(|item| self.number(item, limits)).collect()
    }

    /// The items of a list of exactly `N`, which a problem calls `expected`.
    pub fn exactly<'n, const N: usize>(&mut self, spot: &Spot<'n>, expected: &str) -> Option<[Spot<'n>; N]> {
        if !matches!(&spot.node.value, Value::List(items) if items.len() == N) {
            self.expected(spot, expected);
            return None;
        }
        self.items(Some(spot.clone())).try_into().ok()
    }

    /// Two numbers within limits.
    pub fn pair(&mut self, spot: &Spot, limits: Limits) -> DVec2 {
        let items = self.exactly(spot, "a list of two numbers");
        items.map_or(DVec2::ZERO, |[x, y]| DVec2::new(self.number(&x, limits), self.number(&y, limits)))
    }

    /// Two numbers within limits, as [`converted`](Self::converted) reads them.
    pub fn converted_pair(&mut self, spot: &Spot, limits: Limits) -> DVec2 {
        let items = self.exactly(spot, "a list of two numbers");
        items.map_or(DVec2::ZERO, |[x, y]| DVec2::new(self.converted(&x, limits), self.converted(&y, limits)))
    }

    /// An index of a list with a length, which can count from the end as in Python; zero and a problem for another value.
    pub fn index(&mut self, spot: &Spot, length: usize) -> u32 {
        let length = length as i128;
        let index = self.whole(spot, -length, (length - 1).max(0));
        u32::try_from(if index < 0 { index + length } else { index }).unwrap_or_default()
    }

    /// A whole number within limits, or zero and a problem.
    pub fn whole(&mut self, spot: &Spot, min: i128, max: i128) -> i128 {
        let number = as_whole(spot.node).filter(|number| (min..=max).contains(number));
        if number.is_none() {
            self.expected(spot, &format!("a whole number from {min} to {max}"));
        }
        number.unwrap_or_default()
    }

    /// Whether a switch is on, or the default of RobotSwarmSimulator.
    pub fn is_on_or(&mut self, fields: &Fields, name: &str, default: bool) -> bool {
        let Some(spot) = fields.get(name) else { return default };
        match spot.node.scalar() {
            Scalar::Bool(on) => on,
            Scalar::Int(number) => number != 0,
            _ => {
                self.expected(&spot, "`true` or `false`");
                default
            }
        }
    }

    /// A colour, or `Random`; empty without a colour.
    pub fn color(&mut self, fields: &Fields, name: &str) -> String {
        match fields.get(name) {
            Some(spot) if spot.node.text().is_some_and(|text| text.eq_ignore_ascii_case("random")) => "random".into(),
            found => self.rgb(found, "`[red, green, blue]` or `Random`"),
        }
    }

    /// Red, green and blue from 0 to 255, which a problem calls `expected`, as a colour of scenes; empty without a colour.
    pub fn rgb(&mut self, spot: Option<Spot>, expected: &str) -> String {
        let Some(parts) = spot.and_then(|spot| self.exactly::<3>(&spot, expected)) else { return String::new() };
        hex(parts.map(|part| u8::try_from(self.whole(&part, 0, 255)).unwrap_or_default()))
    }

    /// The entries of a map whose keys are bits: a number, or a text with a number, which Python reads in base ten.
    pub fn entries_by_bits<'n>(&mut self, spot: &Spot<'n>) -> Vec<(u32, Spot<'n>)> {
        let Value::Map(entries) = &spot.node.value else {
            self.problem(spot, "expected a map such as `{0: [v, w], 1: [v, w]}`, or a list");
            return Vec::new();
        };
        let mut numbered = Vec::new();
        for (key, node) in entries {
            let text = key.text().unwrap_or_default();
            let bits = match as_whole(key) {
                Some(bits) => u32::try_from(bits).ok(),
                None => text.trim().parse().ok(),
            };
            if as_whole(key).is_none() && text.trim().len() > 1 && bits.is_some_and(|bits| bits > 1) {
                let about = format!("`\"{text}\"` is the number {text}, as there: write `0b{text}` for bits");
                self.warning(&Spot { node: key, path: spot.path.clone() }, about);
            }
            match bits {
                Some(bits) => numbered.push((bits, Spot { node, path: format!("{}.{text}", spot.path) })),
                None => {
                    self.problem(spot, format!("expected bits as keys, such as 2 or 0b10, found `{}`", shown(text)));
                }
            }
        }
        numbered
    }

    /// Puts a kind into a slot. A kind that the program lacks is a problem.
    pub fn slot<F: Family, K: KindType>(&mut self, spot: &Spot, kind: K) -> Option<Slot<F>> {
        let name = K::type_ident().unwrap_or_else(K::short_type_path);
        if self.kinds.get(F::NAME, name).is_none() {
            self.problem(spot, format!("this program was built without the {} `{name}`", F::NAME));
            return None;
        }
        Some(Slot::new(kind))
    }

    /// Puts a spawner into a slot. Parameters that contradict each other are a problem.
    pub fn spawner_slot<K: Spawner>(&mut self, spot: &Spot, spawner: K) -> Option<Slot<SpawnerFamily>> {
        if let Some(problem) = spawner.problem() {
            self.problem(spot, problem);
            return None;
        }
        self.slot(spot, spawner)
    }
}

/// Red, green and blue as a scene writes them.
pub fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The number of a node. As in Python, true is 1, and false is 0. Quoted numbers are texts.
pub fn as_number(node: &Node) -> Option<f64> {
    match node.scalar() {
        Scalar::Bool(truth) => Some(f64::from(truth)),
        Scalar::Int(number) => Some(number as f64),
        Scalar::Float(number) => Some(number),
        _ => None,
    }
}

/// The whole number of a node. Whole floats count, as expressions give floats.
pub fn as_whole(node: &Node) -> Option<i128> {
    match node.scalar() {
        Scalar::Bool(truth) => Some(i128::from(truth)),
        Scalar::Int(number) => Some(number),
        Scalar::Float(number) => (number.is_finite() && number.fract() == 0.0).then_some(number as i128),
        _ => None,
    }
}

/// The description of a value for problems.
fn found(node: &Node) -> String {
    let (text, plain) = match &node.value {
        Value::List(items) => return format!("a list of {}", items.len()),
        Value::Map(_) => return "a map".to_string(),
        Value::Computed(Scalar::Int(number)) => return format!("the value {number}"),
        Value::Computed(Scalar::Float(number)) => return format!("the value {number}"),
        Value::Computed(Scalar::Bool(truth)) => return format!("the value `{truth}`"),
        Value::Computed(Scalar::Null | Scalar::Text) => return "nothing".to_string(),
        Value::Scalar { text, plain } => (text, *plain),
    };
    match (node.scalar(), text.parse::<f64>()) {
        (Scalar::Text, _) if node.is_expression() => format!("the expression `{text}`, which has no value here"),
        (Scalar::Text, Ok(number)) if plain && number.is_finite() => {
            format!("`{text}`, which is a text in YAML 1.1: write `{number}`")
        }
        (Scalar::Text, _) if plain => format!("the text `{text}`"),
        (Scalar::Text, _) => format!("the quoted text `{text}`"),
        (Scalar::Null, _) => "nothing".to_string(),
        _ => text.clone(),
    }
}

/// Names in backquotes, for messages.
fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
