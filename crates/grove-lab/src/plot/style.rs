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

pub(super) fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
