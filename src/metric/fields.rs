//! The fields that all metrics have in common.

use bevy::prelude::*;

/// What all metrics have besides their own parameters.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Observing {
    /// Name of the group or team that it looks at alone; empty for all agents.
    pub of: String,
    /// Name of its column, made of letters, digits and `_`; empty for that of the kind.
    pub label: String,
}

/// Describes a kind of metric: a component with the given fields and their defaults.
macro_rules! metric_kind {
    ($(#[$about:meta])* $kind:ident { $($(#[$field_about:meta])* $field:ident: $type:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Component, Reflect, Clone, Debug, PartialEq)]
        #[reflect(Default, Clone)]
        pub struct $kind {
            $($(#[$field_about])* pub $field: $type,)*
        }

        impl Default for $kind {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}
pub(super) use metric_kind;
