//! The blocks of code of a page.

/// A fenced block of code.
#[derive(Debug, PartialEq)]
pub struct Block {
    /// The line of its first line of code, from 1 on.
    pub line: usize,
    /// The language and other words after the fence, such as `sh,no-run`.
    pub words: Vec<String>,
    /// The name of the file that the page tells its reader to write: `**`NAME`**` stands above the block.
    pub file: Option<String>,
    pub code: String,
}

impl Block {
    pub fn is(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    pub fn language(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }
}

/// The blocks of a page, in order. Blocks in lists are indented.
pub fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut open, mut last) = (Vec::new(), None::<(usize, &str, Block)>, "");
    for (index, line) in page.lines().enumerate() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some((indent, fence, block)) = &mut open {
            if text.trim_end() == *fence {
                blocks.extend(open.take().map(|(_, _, block)| block));
                last = "";
            } else {
                block.code.push_str(line.get(*indent..).unwrap_or(text));
                block.code.push('\n');
            }
            continue;
        }
        let ticks = text.len() - text.trim_start_matches('`').len();
        if ticks >= 3 {
            let (fence, words) = text.split_at(ticks);
            let words = words.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect();
            let file = last.trim().strip_prefix("**`").and_then(|name| name.strip_suffix("`**")).map(str::to_owned);
            open = Some((indent, fence, Block { line: index + 2, words, file, code: String::new() }));
        } else if !text.is_empty() {
            last = line;
        }
    }
    blocks
}

#[test]
fn blocks_are_found_with_their_words_and_files() {
    let page =
        "**`a.ron`**\n\n```ron\n(\n)\n```\n\n1. Do:\n   ```sh,no-run\n   x\n     y\n   ```\n\n````text\n```\n````\n";
    let found = blocks(page);
    assert_eq!(found.iter().map(|block| block.code.as_str()).collect::<Vec<_>>(), ["(\n)\n", "x\n  y\n", "```\n"]);
    assert_eq!(found.iter().map(|block| block.line).collect::<Vec<_>>(), [4, 10, 15]);
    assert_eq!(found[0].file.as_deref(), Some("a.ron"));
    assert!(found[1].file.is_none() && found[1].is("no-run") && found[1].language() == "sh");
}
