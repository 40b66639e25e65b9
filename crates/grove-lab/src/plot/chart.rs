use super::axis::{Axis, draw_x, draw_y};
use super::style::{BOTTOM, COLOURS, DASHES, LEFT, RIGHT, TOP, legend, page, text};

/// A point of a line, with the spread around it where there is one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) spread: Option<(f64, f64)>,
}

/// How a line looks, by number: colour and dash wrap around.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Look {
    pub(crate) colour: usize,
    pub(crate) dash: usize,
    /// Whether every point gets a mark.
    pub(crate) marks: bool,
}

/// A line over x.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) look: Look,
    pub(crate) points: Vec<Point>,
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
    /// Values of y to mark across the whole chart, with a word each.
    pub(crate) guides: Vec<(f64, String)>,
    /// Whether to draw the line on which x and y are equal.
    pub(crate) diagonal: bool,
}

impl Chart {
    pub(crate) fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self { title: title.to_owned(), x, y, lines: Vec::new(), guides: Vec::new(), diagonal: false }
    }

    /// The drawing as an SVG file.
    pub(crate) fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let xs: Vec<f64> = points().map(|point| point.x).collect();
        let of = |point: &Point| match point.spread {
            Some((low, high)) => vec![point.y, low, high],
            None => vec![point.y],
        };
        let ys: Vec<f64> = points().flat_map(of).chain(self.guides.iter().map(|guide| guide.0)).collect();
        let (x, y) = (self.x.lay(&xs, (LEFT, RIGHT)), self.y.lay(&ys, (BOTTOM, TOP)));
        let place = |at: f64, value: f64| format!("{:.1} {:.1}", x.at(at), y.at(value));
        let mut body = draw_y(&self.y, &y) + &draw_x(&self.x, &x);
        for (value, words) in &self.guides {
            let at = y.at(*value);
            body.push_str(&format!(
                "<line class=\"guide\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\n"
            ));
            body.push_str(&text("tick", RIGHT + 6.0, at + 4.0, "start", words));
        }
        if self.diagonal {
            body.push_str(&format!(
                "<path class=\"guide\" d=\"M{}L{}\"/>\n",
                place(0.0, 0.0),
                place(1.0, 1.0)
            ));
        }
        // Bands first, so that no line is hidden by another's.
        for line in &self.lines {
            body.push_str(&band(line, &place));
        }
        for line in &self.lines {
            body.push_str(&path(line, &place));
        }
        let names = self.lines.iter().map(|line| line.name.as_str());
        let sign = |number: usize, left, y| sign(self.lines[number].look, left, y);
        body.push_str(&legend(!self.guides.is_empty(), names, sign));
        page(&self.title, &body)
    }
}

fn band(line: &Line, place: &impl Fn(f64, f64) -> String) -> String {
    let spread: Vec<(f64, f64, f64)> =
        line.points.iter().filter_map(|point| point.spread.map(|(low, high)| (point.x, low, high))).collect();
    if spread.len() < 2 {
        return String::new();
    }
    let upper = spread.iter().map(|&(x, _, high)| place(x, high));
    let lower = spread.iter().rev().map(|&(x, low, _)| place(x, low));
    let corners: Vec<String> = upper.chain(lower).collect();
    format!("<path class=\"band f{}\" d=\"M{}Z\"/>\n", line.look.colour % COLOURS, corners.join("L"))
}

fn path(line: &Line, place: &impl Fn(f64, f64) -> String) -> String {
    let corners: Vec<String> = line.points.iter().map(|point| place(point.x, point.y)).collect();
    if corners.is_empty() {
        return String::new();
    }
    let (colour, dash) = (line.look.colour % COLOURS, DASHES[line.look.dash % DASHES.len()]);
    let mut out = format!(
        "<path class=\"line l{colour}\" stroke-dasharray=\"{dash}\" d=\"M{}\"/>\n",
        corners.join("L")
    );
    if line.look.marks {
        for corner in &corners {
            let (x, y) = corner.split_once(' ').unwrap_or((corner, "0"));
            out.push_str(&mark(line.look.colour, x, y));
        }
    }
    out
}

/// A mark of its own for every colour.
fn mark(colour: usize, x: &str, y: &str) -> String {
    let shape = match colour % COLOURS {
        0 => "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
        1 => "M-4 -4h8v8h-8Z",
        2 => "M0 -5L5 4H-5Z",
        3 => "M0 -5L5 0L0 5L-5 0Z",
        4 => "M0 5L5 -4H-5Z",
        _ => "M-4 -2h2v-2h4v2h2v4h-2v2h-4v-2h-2Z",
    };
    format!("<path class=\"f{}\" transform=\"translate({x} {y})\" d=\"{shape}\"/>\n", colour % COLOURS)
}

/// A piece of a line, for the legend.
fn sign(look: Look, left: f64, y: f64) -> String {
    let (colour, dash) = (look.colour % COLOURS, DASHES[look.dash % DASHES.len()]);
    let mut out = format!(
        "<line class=\"line l{colour}\" stroke-dasharray=\"{dash}\" x1=\"{left}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\"/>\n",
        left + 30.0
    );
    if look.marks {
        out.push_str(&mark(look.colour, &format!("{}", left + 15.0), &format!("{y}")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_its_words_its_lines_and_its_bands() {
        let mut chart = Chart::new("a < b", Axis::linear("votes"), Axis::linear("AUC").within(0.5, 1.0));
        let point = |x: f64, y: f64| Point { x, y, spread: Some((y - 0.1, y + 0.1)) };
        let points = vec![point(0.0, 0.6), point(10.0, 0.9)];
        chart.lines.push(Line {
            name: "exact".into(),
            look: Look { marks: true, ..Look::default() },
            points,
        });
        let svg = chart.svg();
        for part in ["a &lt; b", ">votes<", ">AUC<", ">exact<", "class=\"band f0\"", "prefers-color-scheme"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(!svg.contains("NaN"));
        // The line goes from the left end at 0.6 to the right end at 0.9 of an axis from 0.5 to 1.
        assert!(svg.contains("d=\"M70.0 298.4L520.0 107.6\""), "{svg}");
    }
}
