//! Figures as JSON, for `--json`.

use serde::Serialize;

use super::Choice;

/// The results as JSON.
#[derive(Serialize)]
pub struct Results {
    /// The folder with the tables.
    pub folder: String,
    pub figures: Vec<FigureResult>,
}

/// A figure as JSON.
#[derive(Serialize)]
pub struct FigureResult {
    pub name: String,
    pub title: String,
    /// The kind, for a figure of a sweep.
    pub kind: Option<String>,
    /// The caption; `null` if the figure is only listed.
    pub caption: Option<String>,
    /// The files that it is drawn into; none if it is only listed.
    pub files: Vec<String>,
}

impl FigureResult {
    /// A figure that is not drawn.
    pub fn of_choice(choice: &Choice) -> Self {
        let kind = (!choice.kind.is_empty()).then(|| choice.kind.clone());
        Self { name: choice.name.clone(), title: choice.title.clone(), kind, caption: None, files: Vec::new() }
    }
}
