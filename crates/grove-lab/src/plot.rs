//! Line and bar plots as SVG, legible in light and dark mode and to the colour-blind.

use askama::Template;

use crate::report::{Figure, render, thousands};
use crate::statistics::{mean, quantile};
use crate::table::Curve;

/// The rectangle of the plot itself; the legend is to its right. The template `plot.svg` has the same numbers.
const LEFT: f64 = 70.0;
const TOP: f64 = 44.0;
const RIGHT: f64 = 520.0;
const BOTTOM: f64 = 362.0;

/// The number of colours: those of Okabe and Ito (2008) without black and yellow, which vanish on one of the backgrounds.
const COLOURS: usize = MARKS.len();

/// Every colour has its own mark.
const MARKS: [&str; 6] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
    "M-4 -4h8v8h-8Z",
    "M0 -5L5 4H-5Z",
    "M0 -5L5 0L0 5L-5 0Z",
    "M0 5L5 -4H-5Z",
    "M-4 -2h2v-2h4v2h2v4h-2v2h-4v-2h-2Z",
];

/// Dashes by number, so that lines differ without their colours too.
const DASHES: [&str; 4] = ["none", "7 4", "2 4", "10 4 2 4"];

/// Characters per line of the legend.
const LEGEND_COLUMNS: usize = 20;

/// A named axis.
#[derive(Clone, Default, Debug)]
pub(crate) struct Axis {
    label: String,
    /// By powers of ten; values must be positive.
    log: bool,
    /// The ends; taken from the data if none.
    range: Option<(f64, f64)>,
}

impl Axis {
    pub(crate) fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), ..Self::default() }
    }

    pub(crate) fn log(label: &str) -> Self {
        Self { log: true, ..Self::linear(label) }
    }

    pub(crate) fn within(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    /// The scale that maps the range, or all values, to these pixels.
    fn scale(&self, values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Scale {
        let ends = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let data = values.filter(|value| value.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        let (mut low, mut high) = self.range.unwrap_or(data);
        if !(low.is_finite() && high.is_finite()) {
            (low, high) = (1.0, 10.0);
        }
        if self.log {
            (low, high) = (low.max(1e-12).log10(), high.max(1e-12).log10());
        }
        if high - low < 1e-12 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        Scale { log: self.log, low, high, pixels }
    }
}

/// A mapping from values to pixels.
struct Scale {
    log: bool,
    /// The exponents of ten on a logarithmic axis.
    low: f64,
    high: f64,
    pixels: (f64, f64),
}

impl Scale {
    /// Values beyond the range are placed at its ends.
    fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.max(1e-12).log10() } else { value };
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.pixels.0 + part * (self.pixels.1 - self.pixels.0)
    }

    /// About five round values, with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        let ticks = if self.log { decades(self.low, self.high) } else { steps(self.low, self.high) };
        ticks.into_iter().map(|tick| (self.at(tick), number(tick))).collect()
    }
}

fn steps(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= rough).unwrap_or(10.0);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

fn decades(low: f64, high: f64) -> Vec<f64> {
    let within = |value: &f64| (low - 1e-9..=high + 1e-9).contains(&value.log10());
    let parts: &[f64] = if high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = low.floor() as i32..=high.ceil() as i32;
    powers.flat_map(|power| parts.iter().map(move |part| part * 10_f64.powi(power))).filter(within).collect()
}

fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 1_000.0 => thousands(value),
        size if size != 0.0 && size < 1e-3 => format!("{value:.0e}"),
        _ => format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

/// A point of a line, or a bar, with the spread around it if there is one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) spread: Option<(f64, f64)>,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self { x, y, spread: None }
    }

    /// The mean of some runs at one x, with the middle 80 % of them as its spread.
    pub(crate) fn mean(x: f64, values: &[f64]) -> Option<Self> {
        let [low, high] = [0.1, 0.9].map(|at| quantile(values.iter().copied(), at));
        let spread = low.zip(high).filter(|_| values.len() > 1);
        Some(Self { x, y: mean(values.iter().copied())?, spread })
    }
}

/// The style of a line, by number: colour and dash wrap around.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct LineStyle {
    pub(crate) colour: usize,
    pub(crate) dash: usize,
    /// Whether every point gets a mark.
    pub(crate) marks: bool,
}

impl LineStyle {
    /// The colour and dash of this number.
    pub(crate) fn numbered(number: usize, marks: bool) -> Self {
        Self { colour: number, dash: number, marks }
    }

    fn colour(&self) -> usize {
        self.colour % COLOURS
    }

    fn dashes(&self) -> &'static str {
        DASHES[self.dash % DASHES.len()]
    }

    fn mark(&self) -> &'static str {
        MARKS[self.colour()]
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) style: LineStyle,
    pub(crate) points: Vec<Point>,
}

impl Line {
    pub(crate) fn new(name: &str, style: LineStyle, points: Vec<Point>) -> Self {
        Self { name: name.to_owned(), style, points }
    }

    /// The mean over runs at every x that all of them have, with the middle 80 % of runs as its spread.
    pub(crate) fn mean<'a>(name: &str, style: LineStyle, curves: impl Iterator<Item = &'a Curve>) -> Self {
        let curves: Vec<&Curve> = curves.collect();
        let at = |&(x, _): &(f64, f64)| {
            let values: Option<Vec<f64>> = curves.iter().map(|curve| curve.at(x)).collect();
            values.and_then(|values| Point::mean(x, &values))
        };
        let points = curves.first().map_or_else(Vec::new, |first| first.0.iter().filter_map(at).collect());
        Self::new(name, style, points)
    }
}

/// Lines over two axes, or bars in groups.
#[derive(Clone, Default, Debug)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
    /// The names of the groups of bars.
    pub(crate) groups: Vec<String>,
    /// A name, and for every group a bar or none.
    pub(crate) series: Vec<(String, Vec<Option<Point>>)>,
    /// Values of y to mark across the whole plot, with a label each.
    pub(crate) guides: Vec<(f64, String)>,
    /// Whether to draw the line on which x and y are equal.
    pub(crate) diagonal: bool,
}

impl Plot {
    pub(crate) fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self { title: title.to_owned(), x, y, ..Self::default() }
    }

    pub(crate) fn figure(&self, file: impl Into<String>, caption: impl Into<String>) -> Figure {
        Figure { file: file.into(), caption: caption.into(), svg: self.svg() }
    }

    fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let bars = self.series.iter().flat_map(|(_, bars)| bars).flatten();
        let tops = bars.flat_map(|bar| [0.0, bar.spread.map_or(bar.y, |(_, high)| high.max(bar.y))]);
        let spreads = points().flat_map(|point| point.spread).flat_map(|(low, high)| [low, high]);
        let ys = points().map(|point| point.y).chain(spreads).chain(tops);
        let x = self.x.scale(points().map(|point| point.x), (LEFT, RIGHT));
        let y = self.y.scale(ys.chain(self.guides.iter().map(|guide| guide.0)), (BOTTOM, TOP));
        render(&Svg { plot: self, x, y }) + "\n"
    }
}

#[derive(Template)]
#[template(path = "plot.svg", escape = "none")]
struct Svg<'a> {
    plot: &'a Plot,
    x: Scale,
    y: Scale,
}

/// An entry of the legend.
struct Entry {
    number: usize,
    /// None for bars.
    style: Option<LineStyle>,
    y: f64,
    text: Vec<(f64, String)>,
}

impl Svg<'_> {
    fn corner(&self, x: f64, y: f64) -> String {
        format!("{:.1} {:.1}", self.x.at(x), self.y.at(y))
    }

    fn corners(&self, line: &Line) -> Vec<String> {
        line.points.iter().map(|point| self.corner(point.x, point.y)).collect()
    }

    fn guides(&self) -> impl Iterator<Item = (f64, &String)> {
        self.plot.guides.iter().map(|(value, words)| (self.y.at(*value), words))
    }

    /// The corners of the band around a line: the upper edge, and the lower one backwards.
    fn band(&self, line: &Line) -> Option<String> {
        let spread = || line.points.iter().filter_map(|point| point.spread.map(|spread| (point.x, spread)));
        let upper = spread().map(|(x, (_, high))| self.corner(x, high));
        let mut corners: Vec<String> = upper.collect();
        let lower: Vec<String> = spread().map(|(x, (low, _))| self.corner(x, low)).collect();
        corners.extend(lower.into_iter().rev());
        (corners.len() > 2).then(|| corners.join("L"))
    }

    fn group_width(&self) -> f64 {
        (RIGHT - LEFT) / self.plot.groups.len().max(1) as f64
    }

    fn bar_width(&self) -> f64 {
        0.8 * self.group_width() / self.plot.series.len().max(1) as f64
    }

    fn groups(&self) -> impl Iterator<Item = (f64, &String)> {
        let middle = |at: usize| LEFT + self.group_width() * (at as f64 + 0.5);
        self.plot.groups.iter().enumerate().map(move |(at, name)| (middle(at), name))
    }

    /// Every bar: colour, place (left, top, height), and error bar (x, low, high).
    fn bars(&self) -> Vec<(usize, [f64; 3], Option<[f64; 3]>)> {
        let mut all = Vec::new();
        for (number, (_, bars)) in self.plot.series.iter().enumerate() {
            for (at, bar) in bars.iter().enumerate() {
                let Some(bar) = bar else { continue };
                let left = LEFT + self.group_width() * (at as f64 + 0.1) + self.bar_width() * number as f64;
                let (middle, top) = (left + self.bar_width() * 0.46, self.y.at(bar.y));
                let error = |(low, high)| [middle, self.y.at(low), self.y.at(high)];
                let height = (BOTTOM - top).max(0.0);
                all.push((number % COLOURS, [left, top, height], bar.spread.map(error)));
            }
        }
        all
    }

    fn legend(&self) -> Vec<Entry> {
        let lines = self.plot.lines.iter().map(|line| (&line.name, Some(line.style)));
        let bars = self.plot.series.iter().map(|(name, _)| (name, None));
        let mut y = TOP + if self.plot.guides.is_empty() { 10.0 } else { 34.0 };
        let mut entries = Vec::new();
        for (number, (name, style)) in lines.chain(bars).enumerate() {
            let lines = wrapped(name);
            let rows = lines.len();
            let place = |(at, line)| (y + 4.0 + 15.0 * at as f64, line);
            let text = lines.into_iter().enumerate().map(place).collect();
            entries.push(Entry { number: number % COLOURS, style, y, text });
            y += 22.0 + 15.0 * (rows - 1) as f64;
        }
        entries
    }
}

/// Breaks a text into lines of the legend's width; longer words get a line of their own.
fn wrapped(words: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(last) if last.chars().count() + word.chars().count() < LEGEND_COLUMNS => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(steps(0.0, 1.0).len(), 6);
        assert_eq!(steps(0.0, 225.0), [0.0, 50.0, 100.0, 150.0, 200.0]);
        assert_eq!(decades(2.0, 5.0), [100.0, 1_000.0, 10_000.0, 100_000.0]);
        assert_eq!([0.05, 1e-4, 1_600.0, 0.0].map(number), ["0.05", "1e-4", "1,600", "0"]);
    }

    #[test]
    fn places_are_in_proportion() {
        let scale = Axis::log("m").scale([100.0, 10_000.0].into_iter(), (0.0, 200.0));
        assert!((scale.at(1_000.0) - 100.0).abs() < 1e-9);
        assert_eq!((scale.at(1.0), scale.at(1e9)), (0.0, 200.0));
    }

    #[test]
    fn long_legends_are_wrapped() {
        assert_eq!(wrapped("exact, gain"), ["exact, gain"]);
        assert_eq!(wrapped("ensemble, single live votes"), ["ensemble, single", "live votes"]);
    }

    #[test]
    fn lines_have_labels_and_bands() {
        let mut plot = Plot::new("a < b", Axis::linear("votes"), Axis::linear("AUC").within(0.5, 1.0));
        let point = |x: f64, y: f64| Point { x, y, spread: Some((y - 0.1, y + 0.1)) };
        let points = vec![point(0.0, 0.6), point(10.0, 0.9)];
        plot.lines.push(Line::new("exact", LineStyle { marks: true, ..LineStyle::default() }, points));
        let svg = plot.svg();
        for part in ["a &lt; b", ">votes<", ">AUC<", ">exact<", "class=\"band f0\"", "prefers-color-scheme"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(!svg.contains("NaN"));
        // The line goes from the left end at 0.6 to the right end at 0.9 of an axis from 0.5 to 1.
        assert!(svg.contains("d=\"M70.0 298.4L520.0 107.6\""), "{svg}");
    }

    #[test]
    fn bars_stand_on_the_axis() {
        let bar = |y| Some(Point { x: 0.0, y, spread: Some((y / 2.0, y)) });
        let mut plot = Plot::new("t", Axis::linear("noise"), Axis::linear("votes"));
        plot.groups = vec!["a".into(), "b".into()];
        plot.series = vec![("one".into(), vec![bar(10.0), None]), ("two".into(), vec![bar(5.0), bar(2.0)])];
        plot.guides = vec![(4.0, "four".into())];
        let svg = plot.svg();
        assert_eq!(svg.matches("class=\"f0\"").count(), 2);
        assert_eq!(svg.matches("class=\"f1\"").count(), 3);
        assert!(svg.contains("y=\"44.0\"") && svg.contains(">four<") && !svg.contains("NaN"));
    }
}
