//! Models of a worldfile with their properties, after macros.

use std::collections::BTreeMap;

use swarmarium_core::text::wording::shown;

use super::source::{PRESETS, Sources};
use super::token::{Token, TokenKind};

/// The most models, blocks and sensors of a world.
const MAX_MODELS: usize = 100_000;
/// The most properties of a world.
const MAX_PROPERTIES: usize = 1_000_000;
/// The most values of a property.
const MAX_VALUES: usize = 1000;
/// The deepest nesting of models and macros.
const MAX_DEPTH: usize = 60;

/// A property: its name and the range of the tokens of its values.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// The token of its name.
    pub name: Token,
    /// The number of the first token of its values.
    first: usize,
    /// The number of the token after its values.
    end: usize,
}

/// A model, block or sensor.
#[derive(Clone, Debug)]
pub struct Model {
    /// The token with the name by which the world makes it: that of a macro or of a type.
    pub name: Token,
    /// The token of its type, which macros end in.
    pub kind: Token,
    /// Its properties in the order of the files. The last one with a name counts.
    pub properties: Vec<Property>,
    /// The numbers of the properties that count, by name.
    by_name: BTreeMap<String, usize>,
    /// The models, blocks and sensors in it.
    pub children: Vec<usize>,
}

/// A definition of a macro.
#[derive(Clone, Copy, Debug)]
struct Macro {
    /// The number of the token with the name of what it extends; its body follows.
    base: usize,
}

/// The models of a world.
pub struct World {
    /// All models. The first one is the world.
    pub models: Vec<Model>,
    macros: BTreeMap<String, Macro>,
    properties: usize,
}

/// The tokens are not a world: the rest cannot be read.
struct Stop;

impl World {
    /// Reads the models of a world.
    pub fn read(sources: &mut Sources) -> Self {
        let blank = Token { kind: TokenKind::Word, file: 0, start: 0, end: 0 };
        let root = Model::new(blank);
        let mut world = Self { models: vec![root], macros: BTreeMap::new(), properties: 0 };
        // A problem has been noted; nothing is left to do.
        let _ = world.read_all(sources);
        world
    }

    fn read_all(&mut self, sources: &mut Sources) -> Result<(), Stop> {
        let mut at = 0;
        while let Some(token) = sources.tokens.get(at).copied() {
            match token.kind {
                TokenKind::Word if sources.text(token) == "define" => self.define(sources, &mut at)?,
                TokenKind::Word => self.part(sources, &mut at, 0, 0)?,
                TokenKind::Close => return Err(stop(sources, token, "this `)` closes nothing")),
                _ => return Err(stop(sources, token, "expected the name of a model or a property")),
            }
        }
        Ok(())
    }

    /// Reads `define NAME BASE ( … )`; `at` is the number of `define` and afterwards that of the token after it.
    fn define(&mut self, sources: &mut Sources, at: &mut usize) -> Result<(), Stop> {
        let start = *at;
        let token = |number: usize| sources.tokens.get(start + number).copied();
        let (first, name, base, open) = (sources.tokens[start], token(1), token(2), token(3));
        let is = |token: Option<Token>, kind: TokenKind| token.is_some_and(|token| token.kind == kind);
        let (Some(name), true) =
            (name, is(name, TokenKind::Word) && is(base, TokenKind::Word) && is(open, TokenKind::Open))
        else {
            let form =
                "expected `define NAME BASE ( … )`, with the names of the macro and of the model that it extends";
            return Err(stop(sources, first, form));
        };
        let Some(end) = closing(&sources.tokens, start + 3) else {
            return Err(stop(sources, first, "the `)` of this definition is missing"));
        };
        *at = end + 1;
        let (text, base) = (sources.text(name).to_owned(), start + 2);
        match self.macros.get(&text) {
            Some(known) if sources.tokens[known.base].file != PRESETS => {
                if !same_tokens(sources, known.base, base, end) {
                    let message =
                        format!("`{}` is defined again: the first definition counts, as in Stage", shown(&text));
                    sources.warning(name, "define", message);
                }
            }
            _ => drop(self.macros.insert(text, Macro { base })),
        }
        Ok(())
    }

    /// Reads a model or a property of a model; `at` is the number of its name and afterwards that of the token after it.
    fn part(&mut self, sources: &mut Sources, at: &mut usize, model: usize, depth: usize) -> Result<(), Stop> {
        let name = sources.tokens[*at];
        let next = sources.tokens.get(*at + 1).map(|token| token.kind);
        match next {
            Some(TokenKind::Open) => self.model(sources, at, model, depth).map(drop),
            Some(TokenKind::Number | TokenKind::Text) => {
                self.property(sources, model, Property { name, first: *at + 1, end: *at + 2 })?;
                *at += 2;
                Ok(())
            }
            Some(TokenKind::OpenTuple) => {
                let first = *at + 2;
                let is_value = |token: &&Token| matches!(token.kind, TokenKind::Number | TokenKind::Text);
                let count = sources.tokens[first..].iter().take_while(is_value).count();
                match sources.tokens.get(first + count).copied() {
                    _ if count > MAX_VALUES => {
                        Err(stop(sources, name, &format!("a list has at most {MAX_VALUES} values, found {count}")))
                    }
                    Some(Token { kind: TokenKind::CloseTuple, .. }) => {
                        self.property(sources, model, Property { name, first, end: first + count })?;
                        *at = first + count + 1;
                        Ok(())
                    }
                    found => {
                        let token = found.unwrap_or(name);
                        Err(stop(sources, token, "expected a number, a text in quotation marks or the `]` of the list"))
                    }
                }
            }
            _ => {
                let word = shown(sources.text(name));
                let form = match (word.as_str(), next) {
                    ("define", _) => "a macro is defined outside of models".to_owned(),
                    (_, Some(TokenKind::Word)) => {
                        format!("`{word}` has no value: texts stand in quotation marks, and models have `( … )`")
                    }
                    _ => format!("`{word}` has neither a value nor `( … )`"),
                };
                Err(stop(sources, name, &form))
            }
        }
    }

    fn property(&mut self, sources: &mut Sources, model: usize, property: Property) -> Result<(), Stop> {
        self.properties += 1;
        if self.properties > MAX_PROPERTIES {
            return Err(stop(sources, property.name, &format!("the world has more than {MAX_PROPERTIES} properties")));
        }
        let model = &mut self.models[model];
        model.by_name.insert(sources.text(property.name).to_owned(), model.properties.len());
        model.properties.push(property);
        Ok(())
    }

    /// Reads a model with its body; `at` is the number of its name and afterwards that of the token after its `)`. Gives the
    /// number of the model.
    fn model(&mut self, sources: &mut Sources, at: &mut usize, parent: usize, depth: usize) -> Result<usize, Stop> {
        let name = sources.tokens[*at];
        if depth > MAX_DEPTH {
            let form =
                format!("more than {MAX_DEPTH} models and macros are in one another, or a macro contains itself");
            return Err(stop(sources, name, &form));
        }
        let model = match self.macros.get(sources.text(name)).copied() {
            Some(Macro { base }) => {
                if sources.tokens[base].file == PRESETS && name.file != PRESETS {
                    let text = shown(sources.text(name));
                    let message = format!("no file defines `{text}`: the definition of this program stands in for it");
                    sources.warning(name, &text, message);
                }
                let mut base = base;
                let model = self.model(sources, &mut base, parent, depth + 1)?;
                self.models[model].name = name;
                model
            }
            None if self.models.len() > MAX_MODELS => {
                return Err(stop(sources, name, &format!("the world has more than {MAX_MODELS} models")));
            }
            None => {
                self.models.push(Model::new(name));
                let model = self.models.len() - 1;
                self.models[parent].children.push(model);
                model
            }
        };
        *at += 2;
        loop {
            let Some(token) = sources.tokens.get(*at).copied() else {
                return Err(stop(sources, name, &format!("the `)` of `{}` is missing", shown(sources.text(name)))));
            };
            match token.kind {
                TokenKind::Close => {
                    *at += 1;
                    return Ok(model);
                }
                TokenKind::Word => self.part(sources, at, model, depth + 1)?,
                _ => return Err(stop(sources, token, "expected the name of a model or a property, or `)`")),
            }
        }
    }

    /// The last property with a name.
    pub fn property_of(&self, model: usize, name: &str) -> Option<Property> {
        let model = &self.models[model];
        model.by_name.get(name).map(|number| model.properties[*number])
    }
}

impl Model {
    /// A model without properties.
    fn new(name: Token) -> Self {
        let (properties, by_name, children) = Default::default();
        Self { name, kind: name, properties, by_name, children }
    }
}

impl Property {
    /// Its values.
    pub fn values<'s>(&self, sources: &'s Sources) -> &'s [Token] {
        &sources.tokens[self.first..self.end]
    }
}

/// The number of the `)` that closes the `(` with a number.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let at = tokens.get(open..)?.iter().position(|token| {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some(open + at)
}

/// Whether two definitions are the same; the second one ends at a token.
fn same_tokens(sources: &Sources, one: usize, other: usize, end: usize) -> bool {
    (other..=end).zip(one..).all(|(other, one)| {
        let same = |one: Token, other: Token| one.kind == other.kind && sources.text(one) == sources.text(other);
        sources.tokens.get(one).is_some_and(|one| same(*one, sources.tokens[other]))
    })
}

/// Notes a problem after which the rest cannot be read.
fn stop(sources: &mut Sources, token: Token, message: &str) -> Stop {
    sources.problem(token, "", message.to_owned());
    Stop
}
