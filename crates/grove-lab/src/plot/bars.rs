use super::axis::{Axis, draw_y, label_x};
use super::style::{BOTTOM, COLOURS, LEFT, RIGHT, TOP, legend, page, text};

/// The height of a bar, with the spread around it where there is one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bar {
    pub(crate) y: f64,
    pub(crate) spread: Option<(f64, f64)>,
}

/// Bars side by side in groups.
#[derive(Clone, Debug)]
pub(crate) struct Bars {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: Axis,
    pub(crate) groups: Vec<String>,
    /// A name, and a bar for every group or none.
    pub(crate) series: Vec<(String, Vec<Option<Bar>>)>,
    /// Values of y to mark across the whole chart, with a word each.
    pub(crate) guides: Vec<(f64, String)>,
}

impl Bars {
    /// The drawing as an SVG file.
    pub(crate) fn svg(&self) -> String {
        let bars = || self.series.iter().flat_map(|(_, bars)| bars).flatten();
        let tops = bars().map(|bar| bar.spread.map_or(bar.y, |(_, high)| high.max(bar.y)));
        let ys: Vec<f64> = tops.chain(self.guides.iter().map(|guide| guide.0)).chain([0.0]).collect();
        let y = self.y.lay(&ys, (BOTTOM, TOP));
        let group = (RIGHT - LEFT) / self.groups.len().max(1) as f64;
        let width = 0.8 * group / self.series.len().max(1) as f64;
        let mut body = draw_y(&self.y, &y) + &label_x(&self.x);
        for (at, name) in self.groups.iter().enumerate() {
            body.push_str(&text("tick", LEFT + group * (at as f64 + 0.5), BOTTOM + 18.0, "middle", name));
        }
        for (number, (_, bars)) in self.series.iter().enumerate() {
            let left = |at: usize| LEFT + group * (at as f64 + 0.1) + width * number as f64;
            for (at, bar) in bars.iter().enumerate() {
                if let Some(bar) = bar {
                    body.push_str(&draw(bar, left(at), width, number, &|value| y.at(value)));
                }
            }
        }
        let names = self.series.iter().map(|(name, _)| name.as_str());
        body.push_str(&legend(!self.guides.is_empty(), names, sign));
        for (value, words) in &self.guides {
            let at = y.at(*value);
            body.push_str(&format!(
                "<line class=\"guide\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\n"
            ));
            body.push_str(&text("tick", RIGHT + 6.0, at + 4.0, "start", words));
        }
        page(&self.title, &body)
    }
}

/// A square, for the legend.
fn sign(number: usize, left: f64, y: f64) -> String {
    let (x, top) = (left + 8.0, y - 7.0);
    format!("<rect class=\"f{}\" x=\"{x}\" y=\"{top}\" width=\"14\" height=\"14\"/>\n", number % COLOURS)
}

fn draw(bar: &Bar, left: f64, width: f64, number: usize, at: &dyn Fn(f64) -> f64) -> String {
    let top = at(bar.y);
    let mut out = format!(
        "<rect class=\"f{}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\n",
        number % COLOURS,
        width * 0.92,
        (BOTTOM - top).max(0.0)
    );
    if let Some((low, high)) = bar.spread {
        let middle = left + width * 0.46;
        out.push_str(&format!("<path class=\"error\" d=\"M{middle:.1} {:.1}V{:.1}\"/>\n", at(low), at(high)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_on_the_axis() {
        let bar = |y| Some(Bar { y, spread: Some((y / 2.0, y)) });
        let bars = Bars {
            title: "t".into(),
            x: "noise".into(),
            y: Axis::linear("votes"),
            groups: vec!["a".into(), "b".into()],
            series: vec![("one".into(), vec![bar(10.0), None]), ("two".into(), vec![bar(5.0), bar(2.0)])],
            guides: vec![(4.0, "four".into())],
        };
        let svg = bars.svg();
        assert_eq!(svg.matches("class=\"f0\"").count(), 2);
        assert_eq!(svg.matches("class=\"f1\"").count(), 3);
        assert!(svg.contains("y=\"44.0\"") && svg.contains(">four<") && !svg.contains("NaN"));
    }
}
