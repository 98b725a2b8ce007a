//! The numbers of a figure as a table.

use super::{Axis, Bars, BoxPlots, Chart, Curves, Figure, HeatMap, Levels, Scatter};

/// A number of a table; empty for no number.
fn cell(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

/// A text of a table, in quotes where it needs some.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

impl Figure {
    /// The numbers of the chart as the text of a CSV file, with the labels of the axes as names of columns.
    pub fn csv(&self) -> String {
        let rows: Vec<Vec<String>> = match &self.chart {
            Chart::Curves(chart) => curves(chart),
            Chart::HeatMap(chart) => heat_map(chart),
            Chart::BoxPlots(chart) => box_plots(chart),
            Chart::Bars(chart) => bars(chart),
            Chart::Scatter(chart) => scatter(chart),
        };
        let line = |row: Vec<String>| row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
        rows.into_iter().map(line).collect()
    }
}

fn name_of(names: Option<&[String]>, x: f64) -> String {
    names.and_then(|names| names.get(x as usize)).cloned().unwrap_or_else(|| cell(x))
}

fn curves(chart: &Curves) -> Vec<Vec<String>> {
    let head = ["series", &chart.x.label, &chart.y.label, "low", "high", "runs"].map(String::from);
    let rows = chart.series.iter().flat_map(|series| {
        series.points.iter().map(|point| {
            let x = name_of(chart.x.names(), point.x);
            let values = [point.value, point.low, point.high].map(cell);
            [series.label.to_string(), x].into_iter().chain(values).chain([point.n.to_string()]).collect()
        })
    });
    std::iter::once(head.into()).chain(rows).collect()
}

fn heat_map(chart: &HeatMap) -> Vec<Vec<String>> {
    let head = [&chart.x.label, &chart.y.label, &chart.value.label].map(String::clone);
    let columns = chart.x.names.len();
    let level = |levels: &Levels, place: usize| match levels.numbers.get(place) {
        Some(number) => cell(*number),
        None => levels.names[place].clone(),
    };
    let rows = (0..chart.y.names.len()).flat_map(|row| {
        (0..columns).map(move |column| {
            let value = chart.cells.get(row * columns + column).copied().unwrap_or(f64::NAN);
            vec![level(&chart.x, column), level(&chart.y, row), cell(value)]
        })
    });
    std::iter::once(head.into()).chain(rows).collect()
}

fn box_plots(chart: &BoxPlots) -> Vec<Vec<String>> {
    let head = ["series", &chart.x.label, &chart.y.label].map(String::from);
    let rows = chart.groups.iter().flat_map(|group| {
        group.samples.iter().flat_map(move |sample| {
            let x = name_of(chart.x.names(), sample.x);
            let label = group.label.to_string();
            sample.values.iter().map(move |value| vec![label.clone(), x.clone(), cell(*value)])
        })
    });
    std::iter::once(head.into()).chain(rows).collect()
}

fn bars(chart: &Bars) -> Vec<Vec<String>> {
    let Axis { label, .. } = &chart.x;
    let head = [format!("{label} from"), format!("{label} to"), chart.y.label.clone()];
    let rows = chart.bars().map(|([from, to], count)| vec![cell(from), cell(to), count.to_string()]);
    std::iter::once(head.into()).chain(rows).collect()
}

fn scatter(chart: &Scatter) -> Vec<Vec<String>> {
    let head = [&chart.x.label, &chart.y.label].map(String::clone);
    let rows = chart.points.iter().map(|point| point.to_array().map(cell).into());
    std::iter::once(head.into()).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Group, Levels, Point, Sample, Series};

    use super::*;

    fn text(chart: Chart) -> String {
        Figure { title: String::new(), caption: String::new(), chart }.csv()
    }

    #[test]
    fn every_chart_is_a_table() {
        let point = Point { x: 1.0, value: 2.5, low: 2.0, high: f64::NAN, n: 3 };
        let series = vec![Series { label: "a, b".into(), points: vec![point] }];
        let (x, y) = (Axis::linear("Range (m)"), Axis::linear("Speed"));
        let curves = Curves { x: x.clone(), y: y.clone(), series, ..Curves::default() };
        assert_eq!(text(Chart::Curves(curves)), "series,Range (m),Speed,low,high,runs\n\"a, b\",1,2.5,2,,3\n");
        let one = Levels::numbers("x", &[1.0, -2.5e-7]);
        let other = Levels { label: "y".into(), names: vec!["p".into()], ..Levels::default() };
        let map = HeatMap {
            x: one,
            y: other,
            value: Axis::linear("v"),
            cells: vec![0.5],
            show_values: true,
            lines: Vec::new(),
        };
        assert_eq!(text(Chart::HeatMap(map)), "x,y,v\n1,p,0.5\n-0.00000025,p,\n");
        let samples = vec![Sample { x: 0.0, values: vec![1.0, 2.0] }];
        let names = Axis::categories("Kind", vec!["disc".into()]);
        let plots =
            BoxPlots { x: names, y, groups: vec![Group { samples, ..Group::default() }], ..BoxPlots::default() };
        assert_eq!(text(Chart::BoxPlots(plots)), "series,Kind,Speed\n,disc,1\n,disc,2\n");
    }
}
