//! Measures and colours that all plots share.

pub(super) const WIDTH: f64 = 720.0;
pub(super) const HEIGHT: f64 = 420.0;

/// The plot's own rectangle: left, top, right, bottom. The legend stands to the right of it.
pub(super) const LEFT: f64 = 70.0;
pub(super) const TOP: f64 = 44.0;
pub(super) const RIGHT: f64 = 520.0;
pub(super) const BOTTOM: f64 = 362.0;

/// Dashes by number, so that lines differ without their colours too.
pub(super) const DASHES: [&str; 4] = ["none", "7 4", "2 4", "10 4 2 4"];

/// How many colours there are: Okabe and Ito's (2008) without black and yellow, which vanish on one ground or the other.
pub(super) const COLOURS: usize = 6;

const STYLE: &str = "\
svg{--ink:#1c2127;--soft:#5f6b76;--grid:#dde2e7;--paper:#fff;\
--c0:#0072B2;--c1:#D55E00;--c2:#009E73;--c3:#CC79A7;--c4:#E69F00;--c5:#56B4E9;font:13px system-ui,sans-serif}\
@media(prefers-color-scheme:dark){svg{--ink:#e8ebee;--soft:#a7b2bd;--grid:#303841;--paper:#15191e;\
--c0:#4da3dc;--c1:#f08a3c;--c2:#2fc79b;--c3:#e3a3c7;--c4:#f0b733;--c5:#8fd0f5}}\
.paper{fill:var(--paper)}text{fill:var(--ink)}.tick{fill:var(--soft);font-size:12px}.title{font-size:15px;font-weight:600}\
.grid{stroke:var(--grid)}.axis{stroke:var(--soft);fill:none}.guide{stroke:var(--soft);stroke-dasharray:4 4}\
.line{fill:none;stroke-width:2}.band{opacity:.16;stroke:none}.error{stroke:var(--ink);fill:none}";

/// A whole file around a drawing.
pub(super) fn page(title: &str, body: &str) -> String {
    let colours: String =
        (0..COLOURS).map(|at| format!(".l{at}{{stroke:var(--c{at})}}.f{at}{{fill:var(--c{at})}}")).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n<title>{title}</title>\n<style>{STYLE}{colours}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n{}\n{body}</svg>\n",
        text("title", LEFT, 24.0, "start", title),
        title = escape(title),
    )
}

/// A text at a place: `anchor` is start, middle or end.
pub(super) fn text(class: &str, x: f64, y: f64, anchor: &str, words: &str) -> String {
    format!(
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
        escape(words)
    )
}

/// How many characters of a legend stand beside each other, and how far its lines and entries are apart.
const LEGEND_COLUMNS: usize = 20;
const LEGEND_LINE: f64 = 15.0;
const LEGEND_ENTRY: f64 = 22.0;

/// A legend to the right of the plot: for every name a sign, drawn from (number, left, middle), and words.
pub(super) fn legend<'a>(
    below_guide: bool,
    names: impl Iterator<Item = &'a str>,
    sign: impl Fn(usize, f64, f64) -> String,
) -> String {
    let (left, mut y) = (RIGHT + 14.0, TOP + if below_guide { 34.0 } else { 10.0 });
    let mut out = String::new();
    for (number, name) in names.enumerate() {
        out.push_str(&sign(number, left, y));
        let lines = wrapped(name);
        for (at, line) in lines.iter().enumerate() {
            out.push_str(&text("", left + 37.0, y + 4.0 + LEGEND_LINE * at as f64, "start", line));
        }
        y += LEGEND_ENTRY + LEGEND_LINE * (lines.len() - 1) as f64;
    }
    out
}

/// Words in lines that are not too long, unless a word is.
fn wrapped(words: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let last = lines.last_mut().expect("there is a first line");
        match last.chars().count() + word.chars().count() < LEGEND_COLUMNS || last.is_empty() {
            true if last.is_empty() => last.push_str(word),
            true => last.push_str(&format!(" {word}")),
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

pub(super) fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_legends_are_wrapped() {
        assert_eq!(wrapped("exact, gain"), ["exact, gain"]);
        assert_eq!(wrapped("ensemble, single live votes"), ["ensemble, single", "live votes"]);
    }
}
