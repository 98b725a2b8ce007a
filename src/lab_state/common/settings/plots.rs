//! The settings of the panel Plots.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// The largest number of plots that each setting remembers.
const MOST: usize = 200;

/// The arrangement of the plots, by the keys of their topics: columns of metrics and paths of pinned values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlotLayout {
    /// Topics that are drawn in the plot of another topic, with that topic.
    pub(crate) guests: BTreeMap<String, String>,
    /// Plots with a logarithmic axis.
    pub(crate) logarithmic: BTreeSet<String>,
    /// Plots whose axis fits the values, and not the range of the quantity.
    pub(crate) fitted: BTreeSet<String>,
    /// Plots with a time span of their own.
    pub(crate) unlinked: BTreeSet<String>,
    /// Hidden lines, by the names of their series.
    hidden: BTreeSet<String>,
    /// Whether the table of values at the cursor is shown.
    pub has_table: bool,
    /// The plots over robots.
    pub of_robots: Vec<RobotPlot>,
}

/// The largest number of plots over robots.
const MOST_OF_ROBOTS: usize = 12;

/// A plot over robots at the shown moment, by paths below a robot such as `speed_m_per_s` or `readings.0`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotPlot {
    /// The distribution of a number.
    Distribution(String),
    /// The second number over the first one, with a point for each robot.
    Scatter(String, String),
}

impl RobotPlot {
    /// Returns the distribution of the speeds.
    pub fn distribution() -> Self {
        Self::Distribution("speed_m_per_s".into())
    }

    /// Returns the plot of positions.
    pub fn scatter() -> Self {
        Self::Scatter("x_m".into(), "y_m".into())
    }

    /// Returns the paths of the numbers, the horizontal one first.
    pub fn paths(&self) -> Vec<&str> {
        match self {
            Self::Distribution(path) => vec![path],
            Self::Scatter(x, y) => vec![x, y],
        }
    }

    /// Returns the plot with another number in place of one by its place in [`paths`](Self::paths).
    pub fn with_path(&self, place: usize, path: &str) -> Self {
        match self {
            Self::Distribution(_) => Self::Distribution(path.into()),
            Self::Scatter(_, y) if place == 0 => Self::Scatter(path.into(), y.clone()),
            Self::Scatter(x, _) => Self::Scatter(x.clone(), path.into()),
        }
    }
}

/// Adds an item to a set, or removes it.
fn toggle(set: &mut BTreeSet<String>, item: &str) {
    if !set.remove(item) {
        set.insert(item.into());
    }
}

impl PlotLayout {
    /// Moves a plot into another one.
    pub fn add(&mut self, guest: &str, host: &str) {
        if guest == host {
            return;
        }
        self.guests.values_mut().filter(|known| *known == guest).for_each(|known| *known = host.to_owned());
        self.guests.remove(host);
        self.guests.insert(guest.into(), host.into());
    }

    /// Gives all topics of a plot their own plots again.
    pub fn split(&mut self, host: &str) {
        self.guests.retain(|_, known| known != host);
    }

    /// Switches the axis of a plot between logarithmic and linear.
    pub fn toggle_scale(&mut self, key: &str) {
        toggle(&mut self.logarithmic, key);
    }

    /// Switches the axis of a plot between the range of the quantity and that of the values.
    pub fn toggle_fit(&mut self, key: &str) {
        toggle(&mut self.fitted, key);
    }

    /// Gives a plot a time span of its own, or the common one again.
    pub fn toggle_link(&mut self, key: &str) {
        toggle(&mut self.unlinked, key);
    }

    /// Hides the line of a series, or shows it again.
    pub fn toggle_line(&mut self, series: &str) {
        toggle(&mut self.hidden, series);
    }

    /// Shows the lines of some series again.
    pub fn show_lines<'a>(&mut self, series: impl IntoIterator<Item = &'a str>) {
        series.into_iter().for_each(|series| _ = self.hidden.remove(series));
    }

    /// Whether the line of a series is shown where a plot has several.
    pub fn shows(&self, series: &str) -> bool {
        !self.hidden.contains(series)
    }

    /// Adds a plot over robots; beyond the largest number, the first one goes.
    pub fn add_of_robots(&mut self, plot: RobotPlot) {
        self.of_robots.push(plot);
        let excess = self.of_robots.len().saturating_sub(MOST_OF_ROBOTS);
        self.of_robots.drain(..excess);
    }

    /// Limits the numbers of remembered plots of the settings file.
    pub fn within_reason(mut self) -> Self {
        self.guests = self.guests.into_iter().take(MOST).collect();
        self.of_robots.truncate(MOST_OF_ROBOTS);
        for set in [&mut self.logarithmic, &mut self.fitted, &mut self.unlinked, &mut self.hidden] {
            *set = std::mem::take(set).into_iter().take(MOST).collect();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plot_settings_have_a_limited_size() {
        let mut layout = PlotLayout::default();
        (0..1000).for_each(|number| {
            layout.toggle_line(&number.to_string());
            layout.add(&number.to_string(), "host");
        });
        (0..99).for_each(|_| layout.add_of_robots(RobotPlot::distribution()));
        assert_eq!(layout.of_robots.len(), MOST_OF_ROBOTS);
        let layout = layout.within_reason();
        assert_eq!((layout.hidden.len(), layout.guests.len()), (MOST, MOST));
    }

    #[test]
    fn the_arrangement_of_plots_is_saved_and_read() {
        let mut layout = PlotLayout { has_table: true, ..PlotLayout::default() };
        layout.add("agents.0.x_m", "agents.1.x_m");
        layout.toggle_scale("circliness");
        layout.add_of_robots(RobotPlot::scatter().with_path(1, "readings.0"));
        let read: PlotLayout = ron::from_str(&ron::to_string(&layout).unwrap()).unwrap();
        assert_eq!(read, layout);
        assert_eq!(read.of_robots, [RobotPlot::Scatter("x_m".into(), "readings.0".into())]);
        assert_eq!(ron::from_str::<PlotLayout>("()").unwrap(), PlotLayout::default(), "an older file");
    }

    #[test]
    fn hidden_lines_are_shown_again() {
        let mut layout = PlotLayout::default();
        layout.toggle_line("circliness");
        assert!(!layout.shows("circliness") && layout.shows("scatter"));
        layout.toggle_line("circliness");
        assert_eq!(layout, PlotLayout::default());
    }
}
