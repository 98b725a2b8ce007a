//! A row of the table of files of other programs.

use swarmarium_base::problem::Problems;
use swarmarium_core::kind::Kinds;

use super::{Imported, Options};

/// A function that reads a file with a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Importer {
    /// It reads the text of the file.
    Text(fn(&Kinds, &str, &str, &Options) -> Result<Imported, Problems>),
    /// It reads the bytes of the file.
    Bytes(fn(&Kinds, &str, &[u8], &Options) -> Result<Imported, Problems>),
}

/// A format of files of another program. `swarmarium list importers`, messages and the tables of the book are made of it.
#[derive(Clone, Copy, Debug)]
pub struct FileFormat {
    /// The program that has such files.
    pub program: &'static str,
    /// One file, with an article, such as "a pySimiam world".
    pub description: &'static str,
    /// Several files, such as "drawings".
    pub plural: &'static str,
    /// The extensions of such files, without a dot. The first one is the usual one.
    pub extensions: &'static [&'static str],
    /// The flags of the command line that apply to such files, such as `--lenient`.
    pub flags: &'static [&'static str],
    /// The guide in the book, below `docs/`.
    pub guide: &'static str,
    /// The reference in the book, below `docs/`.
    pub reference: &'static str,
    /// Whether `convert` writes such files.
    pub is_written: bool,
    /// Whether a file is of this format, by its content. Of several formats with an extension, the first whose function
    /// returns true reads the file, and the last reads all others.
    pub(super) recognizes: fn(&[u8]) -> bool,
    /// The function that reads such a file.
    pub(super) importer: Importer,
}

impl FileFormat {
    /// The value of [`Self::recognizes`] of a format that is alone with its extensions.
    pub(super) const ANY: fn(&[u8]) -> bool = |_| true;

    /// Whether files of this format can have an extension.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
    }

    /// The usual extension, for messages: `` `.xml` ``.
    pub(super) fn shown_extension(&self) -> String {
        format!("`.{}`", self.extensions.first().copied().unwrap_or_default())
    }

    /// Several files with their usual extension, for messages: ``drawings `.svg` ``.
    pub fn shown_plural(&self) -> String {
        format!("{} {}", self.plural, self.shown_extension())
    }
}
