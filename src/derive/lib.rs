//! The attribute that makes a struct a kind.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DataStruct, DeriveInput, Error, Field, Fields, parse_macro_input};

/// Makes a struct with named fields a kind: a component that reflection describes.
///
/// It derives `Component`, `Reflect`, `Clone`, `Debug`, `PartialEq` and `Default`, with the type data of `Default` and `Clone`.
/// Its arguments are further traits to derive: `#[kind(Copy)]`. A field with another default than that of its type has the
/// attribute `#[default(…)]`.
///
/// The type `ReflectDefault` of Bevy must be in scope; the preludes of Bevy and of Swarmarium have it.
///
/// ```ignore
/// use bevy::prelude::ReflectDefault;
/// use swarmarium_derive::kind;
///
/// /// Sees as far as its range.
/// #[kind(Copy)]
/// struct Eye {
///     /// How far it sees.
///     #[default(2.0)]
///     range_m: f64,
///     /// Whether it sees walls.
///     sees_walls: bool,
/// }
///
/// assert_eq!(Eye::default(), Eye { range_m: 2.0, sees_walls: false });
/// ```
#[proc_macro_attribute]
pub fn kind(further: TokenStream, item: TokenStream) -> TokenStream {
    expand(&further.into(), parse_macro_input!(item)).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(further: &Tokens, mut item: DeriveInput) -> Result<Tokens, Error> {
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &mut item.data else {
        return Err(Error::new_spanned(item.ident, "a kind is a struct with named fields: its parameters"));
    };
    let mut has_defaults = false;
    let mut values = Vec::new();
    for Field { ident, attrs, .. } in &mut fields.named {
        let default = attrs.extract_if(.., |attribute| attribute.path().is_ident("default")).last();
        has_defaults |= default.is_some();
        let value = match default {
            Some(default) => default.parse_args()?,
            None => quote!(Default::default()),
        };
        values.push(quote!(#ident: #value));
    }
    let (name, (generics, arguments, bounds)) = (&item.ident, item.generics.split_for_impl());
    let (derived, written) = if has_defaults {
        let written = quote! {
            impl #generics Default for #name #arguments #bounds {
                fn default() -> Self {
                    Self { #(#values),* }
                }
            }
        };
        (Tokens::new(), written)
    } else {
        (quote!(Default,), Tokens::new())
    };
    Ok(quote! {
        #[derive(::bevy::prelude::Component, ::bevy::prelude::Reflect, Clone, Debug, PartialEq, #derived #further)]
        #[reflect(Default, Clone)]
        #item
        #written
    })
}
