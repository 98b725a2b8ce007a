//! Writes a reflected value as text that the reader reads back to the same value.

use bevy::prelude::*;
use bevy::reflect::enums::{Enum, VariantType};
use bevy::reflect::structs::{Struct, StructInfo};
use bevy::reflect::{ReflectRef, ReflectSerialize};

use super::reader::{default_of, is_positional, type_ident};
use crate::kind::{Kind, Kinds, ReflectSlot, Required};

/// The widest line that holds a whole struct.
const WIDTH: usize = 100;
/// One level of indentation.
const INDENT: usize = 4;

/// How much is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Fields equal to their default are left out: for people.
    Short,
    /// Every field: for the record.
    Full,
}

/// Writes a value, without a line break at the end.
///
/// Names stand only at the root and for kinds and enum variants.
pub fn write(kinds: &Kinds, value: &dyn Reflect, style: Style) -> String {
    let writer = Writer { kinds, style };
    let mut text = String::new();
    writer.root(value).render(0, 0, &mut text);
    text
}

struct Writer<'a> {
    kinds: &'a Kinds,
    style: Style,
}

impl Writer<'_> {
    fn root(&self, value: &dyn Reflect) -> Block {
        let ReflectRef::Struct(fields) = value.reflect_ref() else { return self.value(value, None) };
        match fields.get_represented_struct_info() {
            Some(info) if !is_positional(info) => {
                let default = default_of(self.kinds, info.type_id());
                self.structure(type_ident(info.type_path_table()), fields, default.as_deref())
            }
            _ => self.value(value, None),
        }
    }

    /// A value; `default` is what the reader fills in for fields that are left out.
    fn value(&self, value: &dyn Reflect, default: Option<&dyn Reflect>) -> Block {
        let type_id = value.as_any().type_id();
        if let Some(slot) = self.kinds.types().get_type_data::<ReflectSlot>(type_id) {
            let inner = (slot.inner)(value).unwrap_or(value);
            return self.kind(self.kinds.of_value(slot.family, inner), inner);
        }
        // The reader starts from the default of the type where there is no better one.
        let asked = self.style == Style::Short && default.is_none();
        let own = asked.then(|| default_of(self.kinds, type_id)).flatten();
        let default = default.or(own.as_deref());
        match value.reflect_ref() {
            ReflectRef::Struct(fields) if fields.get_represented_struct_info().is_some_and(is_positional) => {
                Block::tuple("", fields.iter_fields().map(|(_, item)| self.whole(item)))
            }
            ReflectRef::Struct(fields) => self.structure("", fields, default),
            ReflectRef::Enum(variant) => self.variant(variant, default),
            ReflectRef::List(list) => Block::list(list.iter().map(|item| self.item(item))),
            ReflectRef::Array(array) => Block::list(array.iter().map(|item| self.item(item))),
            ReflectRef::Tuple(tuple) => Block::tuple("", tuple.iter_fields().map(|item| self.whole(item))),
            ReflectRef::TupleStruct(tuple) => Block::tuple("", tuple.iter_fields().map(|item| self.whole(item))),
            _ => Block::Leaf(self.leaf(value)),
        }
    }

    fn item(&self, item: &dyn PartialReflect) -> Block {
        item.try_as_reflect().map_or(Block::Leaf(String::new()), |item| self.value(item, None))
    }

    /// A value that the reader compares with a default that is not at hand here.
    fn whole(&self, item: &dyn PartialReflect) -> Block {
        Writer { kinds: self.kinds, style: Style::Full }.item(item)
    }

    fn kind(&self, kind: Option<&Kind>, value: &dyn Reflect) -> Block {
        let default = kind.map(|kind| (kind.default)());
        let default = default.as_deref().map(|default| default as &dyn Reflect);
        match value.reflect_ref() {
            ReflectRef::Struct(fields) => self.structure(kind.map_or("", |kind| kind.name), fields, default),
            _ => self.value(value, default),
        }
    }

    fn structure(&self, name: &str, fields: &dyn Struct, default: Option<&dyn Reflect>) -> Block {
        let default = default.and_then(|default| default.reflect_ref().as_struct().ok());
        let info = fields.get_represented_struct_info();
        Block::fields(
            name,
            fields.iter_fields().filter_map(|(name, value)| {
                let required =
                    info.and_then(|info: &StructInfo| info.field(name)?.get_attribute::<Required>()).is_some();
                let block = self.field(value, default.and_then(|default| default.field(name)), required)?;
                Some((name.to_owned(), block))
            }),
        )
    }

    /// A field, unless it may be left out.
    fn field(&self, value: &dyn PartialReflect, default: Option<&dyn PartialReflect>, required: bool) -> Option<Block> {
        let value = value.try_as_reflect()?;
        let default = default.and_then(PartialReflect::try_as_reflect);
        let optional = self.style == Style::Short && !required;
        let same = optional && default.is_some_and(|default| self.same(value, default));
        (!same).then(|| self.value(value, default))
    }

    /// Whether two values are written alike. Slots cannot be compared by reflection.
    fn same(&self, a: &dyn Reflect, b: &dyn Reflect) -> bool {
        let full = Writer { kinds: self.kinds, style: Style::Full };
        full.value(a, None) == full.value(b, None)
    }

    fn variant(&self, value: &dyn Enum, default: Option<&dyn Reflect>) -> Block {
        let name = value.variant_name();
        let default = default
            .and_then(|default| default.reflect_ref().as_enum().ok())
            .filter(|default| default.variant_name() == name);
        let fields = value.iter_fields();
        match value.variant_type() {
            VariantType::Unit => Block::Leaf(name.into()),
            VariantType::Tuple => Block::tuple(name, fields.map(|field| self.item(field.value()))),
            VariantType::Struct => Block::fields(
                name,
                fields.filter_map(|field| {
                    let name = field.name()?;
                    let block = self.field(field.value(), default.and_then(|default| default.field(name)), false)?;
                    Some((name.to_owned(), block))
                }),
            ),
        }
    }

    fn leaf(&self, value: &dyn Reflect) -> String {
        // RON writes large numbers with all their zeros, Rust in the shortest form that reads back.
        if let Some(number) = value.downcast_ref::<f64>() {
            return format!("{number:?}");
        }
        if let Some(number) = value.downcast_ref::<f32>() {
            return format!("{number:?}");
        }
        let type_data = self.kinds.types().get_type_data::<ReflectSerialize>(value.as_any().type_id());
        let text = type_data.and_then(|type_data| ron::to_string(&*type_data.get_serializable(value)).ok());
        text.unwrap_or_else(|| format!("{value:?}"))
    }
}

/// A piece of text that may be broken into lines.
#[derive(PartialEq)]
enum Block {
    Leaf(String),
    Items { open: String, items: Vec<(Option<String>, Self)>, close: char, width: usize },
}

impl Block {
    fn fields(name: &str, fields: impl Iterator<Item = (String, Self)>) -> Self {
        Self::items(format!("{name}("), fields.map(|(name, block)| (Some(name), block)).collect(), ')')
    }

    fn tuple(name: &str, items: impl Iterator<Item = Self>) -> Self {
        Self::items(format!("{name}("), items.map(|item| (None, item)).collect(), ')')
    }

    fn list(items: impl Iterator<Item = Self>) -> Self {
        Self::items("[".into(), items.map(|item| (None, item)).collect(), ']')
    }

    fn items(open: String, items: Vec<(Option<String>, Self)>, close: char) -> Self {
        let separators = 2 * items.len().saturating_sub(1);
        let content: usize = items.iter().map(|(name, block)| label_width(name) + block.width()).sum();
        let width = open.chars().count() + content + separators + 1;
        Self::Items { open, items, close, width }
    }

    /// The characters that it takes on one line.
    fn width(&self) -> usize {
        match self {
            Self::Leaf(text) => text.chars().count(),
            Self::Items { width, .. } => *width,
        }
    }

    /// Appends it to a line that is indented by `indent` and already `used` wide.
    fn render(&self, indent: usize, used: usize, out: &mut String) {
        let (open, items, close) = match self {
            Self::Leaf(text) => return out.push_str(text),
            Self::Items { open, items, close, .. } => (open, items, *close),
        };
        out.push_str(open);
        match items.as_slice() {
            _ if used + self.width() <= WIDTH => render_line(items, out),
            // A list of one struct shares its brackets: `[(`.
            [(None, only)] => only.render(indent, used + open.len(), out),
            _ => render_lines(items, indent, out),
        }
        out.push(close);
    }
}

fn label_width(name: &Option<String>) -> usize {
    name.as_ref().map_or(0, |name| name.chars().count() + 2)
}

fn push_label(name: &Option<String>, out: &mut String) {
    if let Some(name) = name {
        out.push_str(name);
        out.push_str(": ");
    }
}

fn render_line(items: &[(Option<String>, Block)], out: &mut String) {
    for (index, (name, block)) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        push_label(name, out);
        // What contains it fits, so it does.
        block.render(0, 0, out);
    }
}

fn render_lines(items: &[(Option<String>, Block)], indent: usize, out: &mut String) {
    let inner = indent + INDENT;
    for (name, block) in items {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', inner));
        push_label(name, out);
        block.render(inner, inner + label_width(name), out);
        out.push(',');
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scene::description::Scene;
    use crate::scene::reader::read;
    use crate::scene::reader::tests::{Drive, Fov, Mode, Two, kinds, milling};

    #[test]
    fn both_styles_read_back() {
        let (kinds, scene) = (kinds(), milling());
        let full = write(&kinds, &scene, Style::Full);
        for style in [Style::Short, Style::Full] {
            let text = write(&kinds, &scene, style);
            let back: Scene = read(&kinds, "back", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
            assert_eq!(write(&kinds, &back, style), text);
            assert_eq!(write(&kinds, &back, Style::Full), full);
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        }
    }

    #[test]
    fn short_leaves_defaults_out() {
        let text = write(&kinds(), &milling(), Style::Short);
        let expected = r#"Scene(
    name: "Milling \"é\"",
    seed: 7,
    arena: (size_m: (10.0, 8.0), walls: Wrapping),
    groups: [
        (
            name: "millers",
            count: 6,
            at: [(1.0, 2.0, 0.5), (3.0, 0.0, 0.0)],
            body: Disc(radius_m: 0.2),
            sensors: [Fov(range_m: 2.5, mount_m: (0.5, -0.5), rays: Some(5)), Fov()],
            controller: Two(
                clear: (v_m_per_s: 0.27),
                detected: (v_m_per_s: 0.27, turn_rad_per_s: 0.6),
                mode: Ramp(slope: 2.0, offset: 0.0),
            ),
        ),
        (name: "others", controller: Switch(rest: [Two(), Switch(rest: [Two()])])),
    ],
    metrics: [Circliness(), Circliness()],
)"#;
        assert_eq!(text, expected);
        assert_eq!(write(&kinds(), &Scene::default(), Style::Short), "Scene()");
    }

    #[test]
    fn one_broken_member_shares_the_brackets_of_its_list() {
        let mut scene = milling();
        scene.groups.truncate(1);
        assert!(write(&kinds(), &scene, Style::Short).contains("    groups: [(\n        name: \"millers\",\n"));
    }

    #[test]
    fn leaves_stand_alone() {
        for (value, text) in [(1.0, "1.0"), (1e300, "1e300"), (0.1, "0.1"), (-0.0, "-0.0"), (1e16, "1e16")] {
            assert_eq!(write(&kinds(), &value, Style::Full), text);
        }
        assert_eq!(write(&kinds(), &bevy::math::DVec2::ONE, Style::Full), "(1.0, 1.0)");
        assert_eq!(write(&kinds(), &"a\nb".to_owned(), Style::Full), r#""a\nb""#);
    }

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL, Just(0.0), Just(1.5)]
    }

    fn mode() -> impl Strategy<Value = Mode> {
        let ramp = (1e-9..1e9, number()).prop_map(|(slope, offset)| Mode::Ramp { slope, offset });
        prop_oneof![Just(Mode::Idle), ramp, (any::<u8>(), any::<String>()).prop_map(|(a, b)| Mode::Pick(a, b))]
    }

    fn drive() -> impl Strategy<Value = Drive> {
        (number(), number()).prop_map(|(v_m_per_s, turn_rad_per_s)| Drive { v_m_per_s, turn_rad_per_s })
    }

    proptest! {
        #[test]
        fn write_read_write(clear in drive(), detected in drive(), mode in mode()) {
            let (kinds, two) = (kinds(), Two { clear, detected, mode });
            for style in [Style::Short, Style::Full] {
                let text = write(&kinds, &two, style);
                let back: Two = read(&kinds, "back", &text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
                prop_assert_eq!(write(&kinds, &back, style), text);
                prop_assert_eq!(back, two.clone());
            }
        }

        #[test]
        fn write_read_write_lists(
            gains in prop::collection::vec(number(), 0..40),
            rays in any::<Option<u32>>(),
            three in any::<[i16; 3]>(),
        ) {
            let three = three.map(|number| f32::from(number) / 7.0);
            let (kinds, fov) = (kinds(), Fov { gains, rays, three, ..Fov::default() });
            let text = write(&kinds, &fov, Style::Short);
            let back: Fov = read(&kinds, "back", &text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            prop_assert_eq!(back, fov);
        }
    }
}
