//! Reflection of types that implement it by hand.

/// Implements reflection for a type that can be cloned, as a list or a struct. The conversions are the same for all
/// types; the functions of `PartialReflect` that differ are given.
macro_rules! reflect_by_hand {
    ($type:ty, $kind:ident, { $($own:tt)* }) => {
        impl ::bevy::prelude::PartialReflect for $type {
            fn into_partial_reflect(self: Box<Self>) -> Box<dyn ::bevy::prelude::PartialReflect> {
                self
            }

            fn as_partial_reflect(&self) -> &dyn ::bevy::prelude::PartialReflect {
                self
            }

            fn as_partial_reflect_mut(&mut self) -> &mut dyn ::bevy::prelude::PartialReflect {
                self
            }

            fn try_into_reflect(
                self: Box<Self>,
            ) -> Result<Box<dyn ::bevy::prelude::Reflect>, Box<dyn ::bevy::prelude::PartialReflect>> {
                Ok(self)
            }

            fn try_as_reflect(&self) -> Option<&dyn ::bevy::prelude::Reflect> {
                Some(self)
            }

            fn try_as_reflect_mut(&mut self) -> Option<&mut dyn ::bevy::prelude::Reflect> {
                Some(self)
            }

            fn reflect_kind(&self) -> ::bevy::reflect::ReflectKind {
                ::bevy::reflect::ReflectKind::$kind
            }

            fn reflect_ref(&self) -> ::bevy::reflect::ReflectRef<'_> {
                ::bevy::reflect::ReflectRef::$kind(self)
            }

            fn reflect_mut(&mut self) -> ::bevy::reflect::ReflectMut<'_> {
                ::bevy::reflect::ReflectMut::$kind(self)
            }

            fn reflect_owned(self: Box<Self>) -> ::bevy::reflect::ReflectOwned {
                ::bevy::reflect::ReflectOwned::$kind(self)
            }

            fn reflect_clone(
                &self,
            ) -> Result<Box<dyn ::bevy::prelude::Reflect>, ::bevy::reflect::ReflectCloneError> {
                Ok(Box::new(self.clone()))
            }

            $($own)*
        }

        impl ::bevy::prelude::Reflect for $type {
            fn into_any(self: Box<Self>) -> Box<dyn ::std::any::Any> {
                self
            }

            fn as_any(&self) -> &dyn ::std::any::Any {
                self
            }

            fn as_any_mut(&mut self) -> &mut dyn ::std::any::Any {
                self
            }

            fn into_reflect(self: Box<Self>) -> Box<dyn ::bevy::prelude::Reflect> {
                self
            }

            fn as_reflect(&self) -> &dyn ::bevy::prelude::Reflect {
                self
            }

            fn as_reflect_mut(&mut self) -> &mut dyn ::bevy::prelude::Reflect {
                self
            }

            fn set(
                &mut self,
                value: Box<dyn ::bevy::prelude::Reflect>,
            ) -> Result<(), Box<dyn ::bevy::prelude::Reflect>> {
                *self = <dyn ::bevy::prelude::Reflect>::take(value)?;
                Ok(())
            }
        }
    };
}

pub(crate) use reflect_by_hand;
