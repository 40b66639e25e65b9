use grove_tree::Concept;

use super::WriteOptions;
use super::svg;
use super::xml::escape;
use crate::{Entry, Hierarchy};

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2127;--soft:#5f6b76;--rule:#d5dbe1;--paper:#fff;--doubt:#c62828}\
@media(prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#9aa6b1;--rule:#333b44;--paper:#15191e;--doubt:#ff7b72}}\
body{margin:0 auto;max-width:75rem;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);\
background:var(--paper)}\
h1{margin:0;line-height:1.2}h2{margin:2rem 0 .5rem}\
p.facts{margin:.25rem 0 1.5rem;color:var(--soft)}\
.drawing{overflow:auto;border:1px solid var(--rule);border-radius:.5rem}.drawing svg{display:block}\
.scroll{overflow-x:auto}\
table{border-collapse:collapse;width:100%}\
th,td{padding:.3rem .75rem .3rem 0;text-align:start;vertical-align:top;border-bottom:1px solid var(--rule)}\
td.number,th.number{text-align:end;font-variant-numeric:tabular-nums}\
.doubt{color:var(--doubt);font-weight:600}.soft{color:var(--soft)}\
@media print{.drawing{overflow:visible;border:0}}";

/// A page that needs nothing else: the drawing, what is doubtful, and a table of everything. No script runs in it,
/// and all names are text, whatever is written in them.
pub(crate) fn write(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let heading = hierarchy.heading();
    let doubtful = doubtful(hierarchy, options);
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1 dir=\"auto\">{title}</h1>\n\
         <p class=\"facts\">{facts}</p>\n<div class=\"drawing\">\n{drawing}</div>\n{doubts}{table}</body>\n</html>\n",
        language = escape(&heading.language),
        title = escape(&heading.title),
        facts = facts(hierarchy, doubtful.len(), options),
        drawing = svg::element(hierarchy, options),
        doubts = doubts(hierarchy, &doubtful),
        table = table(hierarchy, options),
    )
}

/// The concepts below the red line, the least certain first.
fn doubtful<'a>(hierarchy: &'a Hierarchy, options: &WriteOptions) -> Vec<(Concept, &'a Entry)> {
    let below = |(_, entry): &(Concept, &Entry)| options.is_doubtful(entry.certainty);
    let mut doubtful: Vec<_> = hierarchy.concepts().filter(below).collect();
    let certainty = |entry: &Entry| entry.certainty.unwrap_or(1.0);
    doubtful.sort_by(|(_, one), (_, other)| certainty(one).total_cmp(&certainty(other)));
    doubtful
}

fn facts(hierarchy: &Hierarchy, doubtful: usize, options: &WriteOptions) -> String {
    let concepts = hierarchy.len();
    let relation = escape(&hierarchy.heading().relation.to_string());
    let red_line = options.doubtful_below;
    format!("{concepts} concepts, relation: {relation}; {doubtful} less certain than {red_line}")
}

fn doubts(hierarchy: &Hierarchy, doubtful: &[(Concept, &Entry)]) -> String {
    if doubtful.is_empty() {
        return String::new();
    }
    let item = |&(concept, entry): &(Concept, &Entry)| {
        let mut places = vec![(hierarchy.parent_name(concept), entry.certainty.unwrap_or_default())];
        places.extend(
            entry.alternatives.iter().map(|&(parent, certainty)| (hierarchy.name(parent), certainty)),
        );
        let place = |(parent, certainty): &(&str, f64)| format!("{} {certainty:.2}", name(parent));
        let places = places.iter().map(place).collect::<Vec<_>>().join(", or ");
        format!("<li>{}: under {places}</li>\n", name(&entry.name))
    };
    let items: String = doubtful.iter().map(item).collect();
    format!("<h2>Doubtful</h2>\n<ul>\n{items}</ul>\n")
}

fn table(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let rows: String = hierarchy
        .outline()
        .order()
        .iter()
        .filter_map(|&concept| Some(row(hierarchy, concept, hierarchy.entry(concept)?, options)))
        .collect();
    let column = |name: &str, class: &str| format!("<th scope=\"col\"{class}>{name}</th>");
    let number = " class=\"number\"";
    let columns = [
        ("Concept", ""),
        ("Under", ""),
        ("Certainty", number),
        ("Yes", number),
        ("No", number),
        ("Or under", ""),
    ];
    let head: String = columns.iter().map(|(name, class)| column(name, class)).collect();
    format!(
        "<h2>All concepts</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr>{head}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

fn row(hierarchy: &Hierarchy, concept: Concept, entry: &Entry, options: &WriteOptions) -> String {
    let certainty = entry.certainty.map_or_else(String::new, |certainty| format!("{certainty:.2}"));
    let doubt = if options.is_doubtful(entry.certainty) { " doubt" } else { "" };
    let other =
        |&(parent, certainty): &(Concept, f64)| format!("{} {certainty:.2}", name(hierarchy.name(parent)));
    let others = entry.alternatives.iter().map(other).collect::<Vec<_>>().join(", ");
    let mut more = entry.synonyms.join(", ");
    if let Some(definition) = &entry.definition {
        more = if more.is_empty() { definition.clone() } else { format!("{more}: {definition}") };
    }
    let more = match more.is_empty() {
        true => String::new(),
        false => format!("<br><span class=\"soft\" dir=\"auto\">{}</span>", escape(&more)),
    };
    format!(
        "<tr><td>{}{more}</td><td>{}</td><td class=\"number{doubt}\">{certainty}</td><td class=\"number\">{}</td>\
         <td class=\"number\">{}</td><td>{others}</td></tr>\n",
        name(&entry.name),
        name(hierarchy.parent_name(concept)),
        entry.yes,
        entry.no,
    )
}

/// A name as text of its own direction.
fn name(name: &str) -> String {
    format!("<bdi>{}</bdi>", escape(name))
}
