//! Formulas: LaTeX between dollar signs, or in a block of code with the language `math`, becomes MathML.

use anyhow::{Context as _, Result, bail};
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{RenderConfig, Storage, push_mathml};

use crate::edits::{MARKDOWN, for_each_chapter, replace};

/// The preprocessor for formulas.
pub struct Math;

impl Preprocessor for Math {
    fn name(&self) -> &'static str {
        "math"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        for_each_chapter(&mut book, |chapter| {
            chapter.content = typeset(&chapter.content).with_context(|| format!("in {:?}", chapter.source_path))?;
            Ok(())
        })?;
        Ok(book)
    }
}

/// A page with MathML in place of its formulas.
fn typeset(page: &str) -> Result<String> {
    let mut edits = Vec::new();
    let mut block = None;
    for (event, range) in Parser::new_ext(page, MARKDOWN).into_offset_iter() {
        match event {
            Event::InlineMath(latex) => edits.push((range, mathml(&latex, DisplayMode::Inline)?)),
            Event::DisplayMath(latex) => edits.push((range, mathml(&latex, DisplayMode::Block)?)),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "math" => {
                block = Some(range);
            }
            Event::Text(latex) => {
                if let Some(range) = block.take() {
                    edits.push((range, mathml(&latex, DisplayMode::Block)? + "\n"));
                }
            }
            _ => {}
        }
    }
    Ok(replace(page, edits))
}

/// A formula in MathML, on one line: an empty line would end the HTML in a page of Markdown.
///
/// # Errors
/// When the LaTeX is wrong.
fn mathml(latex: &str, display_mode: DisplayMode) -> Result<String> {
    let storage = Storage::new();
    let events: Vec<_> = pulldown_latex::Parser::new(latex, &storage).collect();
    if let Some(Err(error)) = events.iter().find(|event| event.is_err()) {
        bail!("the formula {latex:?} is wrong: {error}");
    }
    let mut mathml = String::new();
    push_mathml(&mut mathml, events.into_iter(), RenderConfig { display_mode, ..RenderConfig::default() })?;
    // The renderer escapes the name of the blank that it writes for a blank in a text.
    let mathml = mathml.replace("&amp;nbsp;", "\u{a0}").replace("&nbsp;", "\u{a0}");
    Ok(mathml.replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml_and_code_stays() {
        let page = typeset("The mean $\\bar x$ of `$HOME`.\n\n```math\n\\frac{1}{N}\n```\n\n```sh\necho $A $B\n```\n")
            .unwrap();
        assert_eq!(page.matches("<math").count(), 2, "{page}");
        assert!(page.contains("<mfrac>") && page.contains("`$HOME`") && page.contains("echo $A $B"), "{page}");
        assert!(typeset("$\\frac{1}$").is_err());
        assert!(!typeset("$j\\ \\text{too near}$").unwrap().contains("nbsp"));
    }
}
