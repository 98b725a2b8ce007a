//! Errors of drawings and of their elements.

use roxmltree::Node;
use swarmarium_base::encoding::EncodingError;
use swarmarium_base::limits::MAX_CORNERS;
use swarmarium_base::problem::{Place, Problem};
use swarmarium_base::xml;
use thiserror::Error;

use super::Omission;

/// Largest number of elements in copies (`use`).
pub(super) const MAX_COPIED: usize = 100_000;
/// Largest size (bytes) of elements in copies (`use`). Nested elements count once for each level.
pub(super) const MAX_COPIED_BYTES: usize = 64 << 20;
/// Largest number of broken elements in the message of a refused drawing.
const MAX_MESSAGES: usize = 10;

/// Reason why a drawing is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DrawingError {
    /// The file is compressed (`.svgz`).
    #[error("is a compressed drawing: unpack it first")]
    Compressed,
    /// The file is not a text.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// A problem with the drawing as a whole.
    #[error("{}", with_line(.0))]
    Whole(Problem),
    /// Elements of the drawing are broken.
    #[error("{}", listed(.0))]
    Broken(Vec<Omission>),
    /// The drawing has this many outlines instead of one.
    #[error("expected a drawing of one outline, found {0}")]
    OutlineCount(usize),
    /// An outline has more corners than a polygon may have.
    #[error("line {line}: the outline has more than {} corners", MAX_CORNERS)]
    TooManyCorners {
        /// Line of its element.
        line: u32,
    },
    /// An outline is not a simple polygon.
    #[error("line {line}: the outline of `<{element}>` crosses or touches itself")]
    Crossing {
        /// Line of its element.
        line: u32,
        /// Name of its element.
        element: String,
    },
}

fn with_line(Problem { place, message, .. }: &Problem) -> String {
    match place {
        Some(Place { line, .. }) => format!("line {line}: {message}"),
        None => message.clone(),
    }
}

fn listed(broken: &[Omission]) -> String {
    let shown = broken.iter().take(MAX_MESSAGES).map(|broken| format!("line {}: {}", broken.line, broken.message));
    let more = broken.len().saturating_sub(MAX_MESSAGES);
    let more = (more > 0).then(|| format!("and {more} more"));
    shown.chain(more).collect::<Vec<_>>().join("; ")
}

/// Reason why an element is omitted or, with [`at`](Self::at), the whole drawing is refused.
#[derive(Debug, Error)]
pub(super) enum ElementError {
    #[error("expected an SVG drawing, found `<{0}>`")]
    NotSvg(String),
    #[error("{0}: the page has no size")]
    Page(Box<Self>),
    #[error("the drawing has too many points")]
    TooManyPoints,
    #[error("copies (`use`) show more than {} elements", MAX_COPIED)]
    TooManyCopied,
    #[error("copies (`use`) show more than {} MiB", MAX_COPIED_BYTES >> 20)]
    TooManyCopiedBytes,
    #[error("copies (`use`) are nested deeper than {}", xml::MAX_DEPTH)]
    CopyDepth,
    #[error("`<use>` refers to no element")]
    NoReference,
    #[error("`<use>` refers to another file, which is not read")]
    OtherFile,
    #[error("there is no element with the id `{0}`")]
    UnknownId(String),
    #[error("`<use>` refers to an element that contains it")]
    ContainsItself,
    #[error("`{name}` is not a length: `{text}`{reason}")]
    Length { name: String, text: String, reason: &'static str },
    #[error("`{0}` is below 0")]
    Negative(String),
    #[error("`viewBox` is not a rectangle: `{0}`")]
    ViewBox(String),
    #[error("`transform` cannot be read: {error}: `{text}`")]
    Transform { error: String, text: String },
    #[error("`points` cannot be read: {0}")]
    Points(String),
    #[error("`points` has an odd number of coordinates")]
    OddCoordinates,
    #[error("the path cannot be read: {0}")]
    Path(String),
    #[error("a coordinate is not a usable number")]
    Coordinate,
}

impl ElementError {
    /// The problem of the whole drawing, at the position of an element. Computing the position is slow, but rarely
    /// needed.
    pub fn at(&self, node: Node) -> Problem {
        let at = node.document().text_pos_at(node.range().start);
        let place = Place { line: at.row as usize, column: at.col as usize };
        Problem { place: Some(place), ..Problem::of_file(self.to_string()) }
    }
}
