//! The attribute that makes a struct a kind.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{quote, quote_spanned};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{
    Data, DataStruct, DeriveInput, Error, Expr, ExprLit, Field, Fields, Lit, LitStr, Meta, MetaNameValue, Token,
    parse_macro_input,
};

/// Makes a struct with named fields a kind: a component that reflection describes.
///
/// It derives `Component`, `Reflect`, `Clone`, `Debug`, `PartialEq` and `Default`, with the type data of `Default` and `Clone`.
/// Its arguments are further traits to derive: `#[kind(Copy)]`. A field with another default than that of its type has the
/// attribute `#[default(…)]`.
///
/// `#[kind(section = "Robots", words = "see, camera, eye")]` gives the kind a section in catalogues and everyday words, in
/// lower case and separated by commas, by which searches find it. The type `SearchWords` must be in scope then; the prelude
/// of Swarmarium has it.
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
    expand(further.into(), parse_macro_input!(item)).unwrap_or_else(Error::into_compile_error).into()
}

/// The arguments of the attribute.
#[derive(Default)]
struct Arguments {
    /// The further traits to derive.
    further: Punctuated<Meta, Token![,]>,
    section: Option<LitStr>,
    words: Option<LitStr>,
}

impl Arguments {
    fn read(tokens: Tokens) -> Result<Self, Error> {
        let mut read = Self::default();
        for argument in Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens)? {
            match argument {
                Meta::NameValue(MetaNameValue {
                    path, value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), ..
                }) if path.is_ident("section") => {
                    read.section = Some(text);
                }
                Meta::NameValue(MetaNameValue {
                    path, value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), ..
                }) if path.is_ident("words") => {
                    read.words = Some(text);
                }
                Meta::Path(_) => read.further.push(argument),
                other => {
                    let message = "name a trait to derive, `section = \"…\"` or `words = \"…\"`";
                    return Err(Error::new_spanned(other, message));
                }
            }
        }
        Ok(read)
    }

    /// The attribute with the section and the words; empty if neither is given.
    fn search_words(&self) -> Result<Tokens, Error> {
        let (section, words) = match (&self.section, &self.words) {
            (None, None) => return Ok(Tokens::new()),
            (Some(section), Some(words)) => (section, words),
            (Some(one), None) | (None, Some(one)) => {
                return Err(Error::new_spanned(one, "`section` and `words` go together"));
            }
        };
        let text = words.value();
        if text.split(", ").any(|word| word.is_empty() || word.contains(',') || word != word.trim().to_lowercase()) {
            return Err(Error::new_spanned(words, "write words in lower case, separated by a comma and a space"));
        }
        Ok(quote_spanned!(words.span()=> #[reflect(@SearchWords { section: #section, words: #words })]))
    }
}

fn expand(arguments: Tokens, mut item: DeriveInput) -> Result<Tokens, Error> {
    let arguments = Arguments::read(arguments)?;
    let (further, search_words) = (&arguments.further, arguments.search_words()?);
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
    let (name, (generics, parameters, bounds)) = (&item.ident, item.generics.split_for_impl());
    let (derived, written) = if has_defaults {
        let written = quote! {
            impl #generics Default for #name #parameters #bounds {
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
        #search_words
        #item
        #written
    })
}
