//! Kinds: the members of the open families (sensors, controllers, motion models, …).
//!
//! A kind is a component whose fields are its parameters. Its reflection is the only description: scene files, `--set`,
//! panels, `list` and exports all use it.
//!
//! A family has a type that implements [`Family`], a trait with defaults for everything that few kinds need, and an
//! `app.add_…::<K>()`, which adds a kind to the [table](FamilyTable) of the family. The entry of a kind in this table is a
//! struct of constants and plain functions: other code knows kinds by it alone. The functions get the kind as `&dyn Reflect`.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bevy::ecs::component::{ComponentId, Mutable};
use bevy::ecs::world::EntityWorldMut;
use bevy::prelude::*;
use bevy::reflect::structs::StructInfo;
use bevy::reflect::{FromReflect, GetTypeRegistration, TypeInfo, TypeRegistry, Typed};

pub use swarmarium_derive::kind;

/// A family of kinds, such as the sensors.
pub trait Family: TypePath + Send + Sync + 'static {
    /// The name of one kind in messages, in lower case: `sensor`.
    const NAME: &'static str;

    /// The parameters that all kinds of the family have in addition to their own; [`NothingCommon`] if there are none.
    ///
    /// Scenes write them among the fields of the kind, and paths find them there: a kind cannot have fields with these
    /// names.
    type Common: Common;

    /// The entry of each kind in the table of the family: constants, and functions that take the kind as `&dyn Reflect`.
    type Entry: Clone + Send + Sync + 'static;
}

/// Common parameters of the kinds of a family: a struct, and a component of those entities whose parameters are not all
/// at their default.
pub trait Common: KindType + PartialEq {}

impl<T: KindType + PartialEq> Common for T {}

/// The common parameters of a family without common parameters.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct NothingCommon {}

/// The type of a kind: a struct with the attribute [`kind`](macro@kind).
pub trait KindType:
    Component<Mutability = Mutable> + Reflect + FromReflect + GetTypeRegistration + Typed + TypePath + Default + Clone
{
}

impl<T> KindType for T where
    T: Component<Mutability = Mutable>
        + Reflect
        + FromReflect
        + GetTypeRegistration
        + Typed
        + TypePath
        + Default
        + Clone
{
}

/// A reflected value that can be cloned behind a box.
pub trait KindValue: Reflect {
    /// A boxed clone.
    fn clone_value(&self) -> Box<dyn KindValue>;
}

impl<T: Reflect + Clone> KindValue for T {
    fn clone_value(&self) -> Box<dyn KindValue> {
        Box::new(self.clone())
    }
}

/// A slot of a scene that holds any kind of one family: `sensors: Vec<Slot<SensorFamily>>`.
///
/// It is opaque to reflection; [`ReflectSlot`] gives readers, writers and paths access to its content.
#[derive(Reflect)]
#[reflect(opaque, Clone, PartialEq)]
pub struct Slot<F: Family> {
    value: Box<dyn KindValue>,
    #[reflect(ignore)]
    common: F::Common,
}

impl<F: Family> Slot<F> {
    /// Puts a kind into a slot of its family.
    pub fn new(kind: impl KindType) -> Self {
        Self::from_value(Box::new(kind))
    }

    /// Puts an already boxed kind into a slot of its family.
    pub fn from_value(value: Box<dyn KindValue>) -> Self {
        Self { value, common: F::Common::default() }
    }

    /// The same kind with other common parameters.
    #[must_use]
    pub fn with(self, common: F::Common) -> Self {
        Self { common, ..self }
    }

    /// The common parameters of the family.
    pub fn common(&self) -> &F::Common {
        &self.common
    }

    /// The common parameters of the family, mutable.
    pub fn common_mut(&mut self) -> &mut F::Common {
        &mut self.common
    }

    /// The kind in the slot.
    pub fn value(&self) -> &dyn Reflect {
        let value: &dyn KindValue = &*self.value;
        value
    }

    /// The kind in the slot, mutable.
    pub fn value_mut(&mut self) -> &mut dyn Reflect {
        let value: &mut dyn KindValue = &mut *self.value;
        value
    }
}

impl<F: Family> Clone for Slot<F> {
    fn clone(&self) -> Self {
        Self::from_value((*self.value).clone_value()).with(self.common.clone())
    }
}

impl<F: Family> PartialEq for Slot<F> {
    fn eq(&self, other: &Self) -> bool {
        let same = self.value().reflect_partial_eq(other.value().as_partial_reflect());
        same == Some(true) && self.common == other.common
    }
}

impl<F: Family> fmt::Debug for Slot<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", F::NAME, self.value().reflect_short_type_path())
    }
}

/// Type data of every [`Slot`]: its family, and functions to wrap and access its content.
#[derive(Clone)]
pub struct ReflectSlot {
    /// The name of the family.
    pub family: &'static str,
    /// The type of the common parameters.
    pub common_info: &'static StructInfo,
    /// Boxes a kind with common parameters as a slot; `None` if they are not of the common type.
    pub wrap: fn(Box<dyn KindValue>, Box<dyn Reflect>) -> Option<Box<dyn Reflect>>,
    /// The kind inside a slot, and the common parameters.
    pub inner: fn(&dyn Reflect) -> Option<[&dyn Reflect; 2]>,
    /// The kind inside a slot, and the common parameters, mutable.
    pub inner_mut: fn(&mut dyn Reflect) -> Option<[&mut dyn Reflect; 2]>,
}

impl ReflectSlot {
    fn of<F: Family>() -> Option<Self> {
        Some(Self {
            family: F::NAME,
            common_info: F::Common::type_info().as_struct().ok()?,
            wrap: |value, common| {
                let common = common.downcast::<F::Common>().ok()?;
                Some(Box::new(Slot::<F>::from_value(value).with(*common)))
            },
            inner: |slot| slot.downcast_ref::<Slot<F>>().map(|open| [open.value(), &open.common as &dyn Reflect]),
            inner_mut: |slot| {
                let Slot { value, common } = slot.downcast_mut::<Slot<F>>()?;
                let value: &mut dyn KindValue = &mut **value;
                Some([value, common])
            },
        })
    }
}

/// Field attribute: the number is the slot of a sensor of the same agent. The agent must have a sensor in this slot,
/// and the sensor must meet the requirement.
#[derive(Reflect, Clone, Copy, Debug)]
pub enum SensorSlot {
    /// Any sensor.
    Any,
    /// A sensor whose reading tells whether it detects something: one whose first number is a quantity such as a position has
    /// a warning.
    Detection,
    /// Rays evenly spaced all round, the first one half a space to the left of the heading, that read 0 without a hit; or
    /// infrared sensors.
    Ring,
    /// Infrared sensors; slot 0 counts as no sensor if the agent has no infrared sensors at all.
    Infrared,
    /// A sensor that reads three numbers: a position and a heading.
    Pose,
    /// A sensor that reads the number of robots in a zone, and sums over them.
    Zone,
}

/// Field attribute of a controller: the field names an object of the scene, or is empty for none; scenes without an
/// object of that name are rejected.
///
/// ```
/// # use bevy::prelude::{Component, Reflect};
/// # use swarmarium_core::kind::ObjectName;
/// #[derive(Component, Reflect, Clone, Default)]
/// struct DriveTo {
///     /// The name of a goal.
///     #[reflect(@ObjectName)]
///     goal: String,
/// }
/// ```
#[derive(Reflect, Clone, Copy, Debug)]
pub struct ObjectName;

/// Field attribute: the field is the name of a scalar field of the scene. Scenes without a field with this name are
/// rejected.
#[derive(Reflect, Clone, Copy, Debug)]
pub struct FieldName;

/// Field attribute: the unit of a number, for fields whose names do not end with it.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(pub &'static str);

/// Field attribute: the field has no default and must be written in a scene file.
#[derive(Reflect, Clone, Copy, Debug)]
pub struct Required;

/// Field attribute of a variant that is not the default one: the field may be left out, and then has the default of its
/// type.
#[derive(Reflect, Clone, Copy, Debug)]
pub struct Optional;

/// Field attribute: the field is left out if it is an empty list or the default of its type, even where every other
/// field is written.
#[derive(Reflect, Clone, Copy, Debug)]
pub struct SkipIfEmpty;

/// Whether a value is `None`, which is the default of every `Option`: reflection does not know that.
pub fn is_none(value: &dyn PartialReflect) -> bool {
    let is_option = value.reflect_module_path().is_some_and(|module| module == "core::option");
    is_option && value.reflect_ref().as_enum().is_ok_and(|value| value.variant_name() == "None")
}

/// Type attribute: a scene file may write the fields in order and without names, as in `(1.0, 2.0)`.
#[derive(Reflect, Clone, Copy, Debug)]
pub struct Positional;

/// Type attribute of a kind, which [`kind`](macro@kind) writes: its section in a catalogue, and everyday words by which a
/// search finds it.
///
/// ```
/// use bevy::prelude::*;
/// use swarmarium_core::kind::{SearchWords, kind};
///
/// /// Sees robots.
/// #[kind(section = "Robots", words = "see, camera")]
/// struct Eye {}
/// ```
#[derive(Reflect, Clone, Copy, Debug)]
pub struct SearchWords {
    /// The section of its family, such as `Robots` for the sensors that see robots.
    pub section: &'static str,
    /// The words in lower case, separated by commas.
    pub words: &'static str,
}

/// The entities with a component, such as that of a kind, in no particular order.
///
/// One iteration serves all types: queries would be compiled for each.
pub fn entities_with(world: &World, component: ComponentId) -> impl Iterator<Item = EntityRef<'_>> {
    let archetypes = world.archetypes().iter().filter(move |archetype| archetype.contains(component));
    archetypes.flat_map(|archetype| archetype.entities()).map(|entity| world.entity(entity.id()))
}

/// The name of a type without its path: the name of a kind in scene files.
pub(crate) fn ident<T: TypePath>() -> &'static str {
    T::type_ident().unwrap_or_else(T::short_type_path)
}

/// A function that returns the problem of the parameters of a kind in combination, as a message for authors of scenes.
pub type ParameterCheck = fn(&dyn Reflect) -> Option<String>;

/// The description of a kind, and functions to create it and to attach it to an entity.
#[derive(Clone)]
pub struct Kind {
    /// The name of its family.
    pub family: &'static str,
    /// The name in scene files: the name of the type.
    pub name: &'static str,
    /// The type of its component.
    pub type_id: TypeId,
    /// Its fields, with docs and attributes.
    pub info: &'static TypeInfo,
    /// The problem of its parameters in combination, as a message for authors of scenes.
    pub problem: ParameterCheck,
    /// Brings parameters that depend on others in line with them, after any of them has changed; `None` if none depend.
    pub settle: Option<fn(&mut dyn Reflect)>,
    /// Creates it with every parameter at its default.
    pub default: fn() -> Box<dyn KindValue>,
    /// Creates it from a dynamic value that has every field.
    pub from_reflect: fn(&dyn PartialReflect) -> Option<Box<dyn KindValue>>,
    /// Attaches a copy of a value to an entity, together with the components that it requires.
    pub attach: fn(&mut EntityWorldMut, &dyn Reflect),
    /// Removes the component and those that it required from an entity.
    pub detach: fn(&mut EntityWorldMut),
    /// The component on an entity.
    pub component: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn KindValue>,
    /// The component on an entity, mutable.
    pub component_mut: for<'w> fn(&'w mut EntityWorldMut) -> Option<Mut<'w, dyn Reflect>>,
}

impl Kind {
    fn search_words(&self) -> Option<&'static SearchWords> {
        self.info.as_struct().ok()?.get_attribute()
    }

    /// Its section in a catalogue, if it names one.
    pub fn section(&self) -> Option<&'static str> {
        self.search_words().map(|words| words.section)
    }

    /// The everyday words by which a search finds it, in lower case.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        self.search_words().into_iter().flat_map(|known| known.words.split(", "))
    }
}

/// The kinds of a family, in the order of registration, each with its [entry](Family::Entry).
///
/// A resource. As a [`Local`] of a kernel, it is a copy of this resource.
#[derive(Resource)]
pub struct FamilyTable<F: Family>(Vec<KindRow<F>>);

/// A kind in the table of its family.
pub struct KindRow<F: Family> {
    type_id: TypeId,
    /// Its component.
    pub component: ComponentId,
    /// The kind on an entity; `None` if the entity has another one.
    pub on_entity: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn KindValue>,
    /// Its entry.
    pub entry: F::Entry,
}

impl<F: Family> Clone for KindRow<F> {
    fn clone(&self) -> Self {
        Self { entry: self.entry.clone(), ..*self }
    }
}

impl<F: Family> Clone for FamilyTable<F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<F: Family> FromWorld for FamilyTable<F> {
    fn from_world(world: &mut World) -> Self {
        world.get_resource().cloned().unwrap_or(Self::EMPTY)
    }
}

impl<F: Family> fmt::Debug for FamilyTable<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} kinds of {}", self.0.len(), F::NAME)
    }
}

impl<F: Family> FamilyTable<F> {
    /// The table of a family without kinds.
    pub const EMPTY: Self = Self(Vec::new());

    /// Adds a kind to its family, in a world: to its table and to [`Kinds`]. Returns the component of the kind. A kind that is
    /// added again keeps its first entry.
    ///
    /// `problem` returns the problem of its parameters in combination.
    ///
    /// # Panics
    /// As [`Kinds::add`].
    pub fn add<K: KindType>(world: &mut World, problem: ParameterCheck, entry: F::Entry) -> ComponentId {
        let Kind { type_id, component: on_entity, .. } = world.get_resource_or_init::<Kinds>().add::<F, K>(problem);
        let component = world.register_component::<K>();
        let mut table = world.get_resource_or_init::<Self>();
        // Two plugins may add the same kind.
        if table.0.iter().all(|row| row.type_id != type_id) {
            table.0.push(KindRow { type_id, component, on_entity, entry });
        }
        component
    }

    /// The entry for the kind of a value.
    #[inline]
    pub fn of_value(&self, value: &dyn Reflect) -> Option<&F::Entry> {
        let type_id = value.as_any().type_id();
        self.0.iter().find(|row| row.type_id == type_id).map(|row| &row.entry)
    }

    /// The kind that an entity has, with its entry. An entity has at most one kind of a family.
    pub fn of_entity<'w>(&self, entity: EntityRef<'w>) -> Option<(&F::Entry, &'w dyn Reflect)> {
        let row = self.0.iter().find(|row| entity.contains_id(row.component))?;
        Some((&row.entry, (row.on_entity)(entity)?))
    }

    /// All kinds.
    pub fn iter(&self) -> impl Iterator<Item = &KindRow<F>> {
        self.0.iter()
    }
}

/// All kinds by family and name, with the type registry that describes them. Copies share all of it until one of them adds
/// a kind.
#[derive(Resource, Clone, Default)]
pub struct Kinds {
    /// The names of the families, in the order of registration.
    order: Arc<Vec<&'static str>>,
    families: Arc<BTreeMap<&'static str, BTreeMap<&'static str, Kind>>>,
    types: Arc<Types>,
}

/// A type registry that can be cloned, so that all holders of [`Kinds`] share one until one of them adds a type.
#[derive(Default)]
struct Types(TypeRegistry);

impl Clone for Types {
    fn clone(&self) -> Self {
        let mut copy = TypeRegistry::empty();
        for registration in self.0.iter() {
            copy.add_registration(registration.clone());
        }
        Self(copy)
    }
}

impl Kinds {
    /// Registers a kind and returns its description.
    ///
    /// # Panics
    /// If the family already has another type with this name: names in scene files would be ambiguous.
    pub fn add<F: Family, K: KindType>(&mut self, problem: ParameterCheck) -> Kind {
        let name = ident::<K>();
        let kind = Kind {
            family: F::NAME,
            name,
            type_id: TypeId::of::<K>(),
            info: K::type_info(),
            problem,
            settle: None,
            default: || Box::new(K::default()),
            from_reflect: |value| K::from_reflect(value).map(|kind| Box::new(kind) as Box<dyn KindValue>),
            attach: |entity, value| {
                if let Some(value) = value.downcast_ref::<K>() {
                    entity.insert(value.clone());
                }
            },
            detach: |entity| {
                entity.remove_with_requires::<K>();
            },
            component: |entity| entity.get::<K>().map(|component| component as &dyn KindValue),
            component_mut: |entity| {
                entity.get_mut::<K>().map(|component| component.map_unchanged(|k| k as &mut dyn Reflect))
            },
        };
        let before = Arc::make_mut(&mut self.families).entry(F::NAME).or_default().insert(name, kind.clone());
        assert!(
            before.is_none_or(|before| before.type_id == TypeId::of::<K>()),
            "two kinds of {} are called `{name}`: rename one",
            F::NAME
        );
        if let (Ok(own), Ok(shared)) = (K::type_info().as_struct(), F::Common::type_info().as_struct()) {
            let twice = own.iter().map(|field| field.name()).find(|field| shared.field(field).is_some());
            assert!(
                twice.is_none(),
                "{name}: `{}` is a parameter of each {}: rename it",
                twice.unwrap_or_default(),
                F::NAME
            );
        }
        self.add_type::<K>();
        self.add_slot::<F>();
        kind
    }

    /// Sets the function that [settles](Kind::settle) the parameters of a kind.
    pub fn settle_with(&mut self, family: &str, type_id: TypeId, settle: fn(&mut dyn Reflect)) {
        let kinds = Arc::make_mut(&mut self.families).get_mut(family);
        if let Some(kind) = kinds.and_then(|kinds| kinds.values_mut().find(|kind| kind.type_id == type_id)) {
            kind.settle = Some(settle);
        }
    }

    /// Brings the dependent parameters of the kind in a slot in line with the others; other values stay as they are.
    pub fn settle(&self, slot: &mut dyn Reflect) {
        let Some(data) = self.types().get_type_data::<ReflectSlot>(slot.as_any().type_id()) else { return };
        let Some([kind, _]) = (data.inner_mut)(slot) else { return };
        if let Some(settle) = self.of_value(data.family, kind).and_then(|kind| kind.settle) {
            settle(kind);
        }
    }

    /// Registers a type that scenes or registered state contain, for readers and writers.
    pub fn add_type<T: GetTypeRegistration>(&mut self) {
        Arc::make_mut(&mut self.types).0.register::<T>();
    }

    /// Registers the slot of a family. Every family needs it, even one without kinds.
    pub fn add_slot<F: Family>(&mut self) {
        let types = &mut Arc::make_mut(&mut self.types).0;
        types.register::<Slot<F>>();
        types.register::<Vec<Slot<F>>>();
        types.register::<F::Common>();
        if let (Some(slot), Some(data)) = (types.get_mut(TypeId::of::<Slot<F>>()), ReflectSlot::of::<F>()) {
            slot.insert(data);
        }
        if !self.order.contains(&F::NAME) {
            Arc::make_mut(&mut self.order).push(F::NAME);
        }
        Arc::make_mut(&mut self.families).entry(F::NAME).or_default();
    }

    /// The names of all families, in the order of registration, which is that of a step.
    pub fn family_names(&self) -> &[&'static str] {
        &self.order
    }

    /// The kind of a family with this name.
    pub fn get(&self, family: &str, name: &str) -> Option<&Kind> {
        self.families.get(family)?.get(name)
    }

    /// The kind of a family for a value.
    pub fn of_value(&self, family: &str, value: &dyn Reflect) -> Option<&Kind> {
        let type_id = value.as_any().type_id();
        self.family(family).find(|kind| kind.type_id == type_id)
    }

    /// The problem of the parameters of a kind in combination, as a message for authors of scenes.
    pub fn problem<F: Family>(&self, slot: &Slot<F>) -> Option<String> {
        (self.of_value(F::NAME, slot.value())?.problem)(slot.value())
    }

    /// The kind in a slot of any family; `None` for other values.
    pub fn in_slot(&self, slot: &dyn Reflect) -> Option<&Kind> {
        let data = self.types().get_type_data::<ReflectSlot>(slot.as_any().type_id())?;
        self.of_value(data.family, self.see_through(slot))
    }

    /// The family of a slot; `None` for other values.
    pub fn family_of_slot(&self, slot: &dyn Reflect) -> Option<&'static str> {
        Some(self.types().get_type_data::<ReflectSlot>(slot.as_any().type_id())?.family)
    }

    /// A clone of the kind of a family that an entity has.
    pub fn on_entity<F: Family>(&self, entity: EntityRef) -> Option<Slot<F>> {
        let value = self.family(F::NAME).find_map(|kind| (kind.component)(entity))?;
        let common = entity.get::<F::Common>().cloned().unwrap_or_default();
        Some(Slot::from_value(value.clone_value()).with(common))
    }

    /// The common parameters of a family, at their defaults.
    pub fn common_default(&self, family: &str) -> Option<Box<dyn Reflect>> {
        let slots = self.types().iter().filter_map(|registration| registration.data::<ReflectSlot>());
        let common = slots.into_iter().find(|slot| slot.family == family)?.common_info;
        Some(self.types().get_type_data::<ReflectDefault>(common.type_id())?.default())
    }

    /// A slot with the same kind and every parameter at its default; `None` for other values.
    pub fn default_of_slot(&self, slot: &dyn Reflect) -> Option<Box<dyn Reflect>> {
        let data = self.types().get_type_data::<ReflectSlot>(slot.as_any().type_id())?;
        let kind = self.of_value(data.family, self.see_through(slot))?;
        let common = self.types().get_type_data::<ReflectDefault>(data.common_info.type_id())?.default();
        (data.wrap)((kind.default)(), common)
    }

    /// The kinds of one family, by name.
    pub fn family(&self, family: &str) -> impl Iterator<Item = &Kind> {
        self.families.get(family).into_iter().flat_map(BTreeMap::values)
    }

    /// The type registry that describes all kinds and everything in a scene.
    pub fn types(&self) -> &TypeRegistry {
        &self.types.0
    }

    /// The kind inside a slot; any other value is returned as it is.
    pub fn see_through<'a>(&self, value: &'a dyn Reflect) -> &'a dyn Reflect {
        let slot = self.types().get_type_data::<ReflectSlot>(value.as_any().type_id());
        slot.and_then(|slot| (slot.inner)(value)).map_or(value, |[kind, _]| kind)
    }
}
