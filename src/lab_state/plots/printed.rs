//! Plots for export: the lines of the panel as charts of a figure.

use std::collections::BTreeMap;

use crate::common::settings::PlotLayout;
use crate::plots::layout::Card;
use crate::plots::span::Span;

/// Number of sample columns of a line, more than a printer resolves on a page.
pub const COLUMNS: f32 = 2000.0;

/// The arrangement of the plots in the panel.
#[derive(Clone, Debug, Default)]
pub struct Arrangement {
    /// Shared plots and scales.
    pub layout: PlotLayout,
    /// The visible time span.
    pub span: Span,
    /// The time spans of plots that have their own, by their keys.
    pub own_spans: BTreeMap<String, Span>,
}

impl Arrangement {
    /// Returns the time span of a plot.
    pub fn span_of(&self, card: &Card) -> Span {
        let own = self.own_spans.get(card.key()).filter(|_| !card.is_linked);
        own.copied().unwrap_or(self.span)
    }
}
