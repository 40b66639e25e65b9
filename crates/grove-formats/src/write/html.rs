use grove_tree::Concept;
use grove_vocabulary::Reason;

use super::{WriteOptions, svg};
use crate::escape::xml as escape;
use crate::{Entry, Hierarchy};

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2127;--soft:#5f6b76;--rule:#d5dbe1;--paper:#fff;--certain:#17653d;--differ:#8a4b00}\
@media(prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#9aa6b1;--rule:#333b44;--paper:#15191e;--certain:#7fd0a3;--differ:#f2bd5b}}\
body{margin:0 auto;max-width:75rem;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);\
background:var(--paper)}\
h1{margin:0;line-height:1.2}h2{margin:2rem 0 .5rem}\
p.facts{margin:.25rem 0 1.5rem;color:var(--soft)}\
.drawing{overflow:auto;border:1px solid var(--rule);border-radius:.5rem}.drawing svg{display:block}\
.scroll{overflow-x:auto}\
table{border-collapse:collapse;width:100%}\
th,td{padding:.3rem .75rem .3rem 0;text-align:start;vertical-align:top;border-bottom:1px solid var(--rule)}\
td.number,th.number{text-align:end;font-variant-numeric:tabular-nums}\
.doubt{color:var(--certain);font-weight:600}.differ{color:var(--differ);font-weight:600}\
.unasked{color:var(--soft);font-style:italic}.soft{color:var(--soft)}\
@media print{.drawing{overflow:visible;border:0}}";

/// Writes a self-contained page: the drawing, the concepts that people place differently, the doubtful ones, and a table of all concepts. It runs no script, and
/// all names are escaped.
pub(crate) fn write(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let heading = hierarchy.heading();
    let doubtful = doubtful(hierarchy, options);
    let differing = hierarchy.concepts().filter(|(_, entry)| entry.reasons.contains(&Reason::Differ));
    let differing: Vec<_> = differing.collect();
    let differ = match differing.len() {
        0 => String::new(),
        count => format!("; people differ on {count}"),
    };
    let below = hierarchy.entries().iter().filter(|entry| options.is_doubtful(entry.certainty)).count();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1 dir=\"auto\">{title}</h1>\n\
         <p class=\"facts\">{facts}</p>\n<div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"Hierarchy\">\n{drawing}</div>\n{differences}{doubts}{table}</main>\n</body>\n</html>\n",
        language = escape(&heading.language),
        title = escape(&heading.title),
        facts = format_args!(
            "{} concepts, relation: {}; {below} less certain than {}{differ}",
            hierarchy.len(),
            escape(&heading.relation.to_string()),
            options.doubtful_below
        ),
        drawing = svg::element(hierarchy, options),
        differences = differences(hierarchy, &differing),
        doubts = doubts(hierarchy, &doubtful),
        table = table(hierarchy, options),
    )
}

/// The doubtful concepts, the least certain first: those that votes would make more certain, or that are below the threshold for no
/// reason that is known.
fn doubtful<'a>(hierarchy: &'a Hierarchy, options: &WriteOptions) -> Vec<(Concept, &'a Entry)> {
    let is_doubtful = |(_, entry): &(Concept, &Entry)| {
        let has = |reason| entry.reasons.contains(&reason);
        let below = options.is_doubtful(entry.certainty) && !has(Reason::Differ);
        below || has(Reason::Open) || has(Reason::Unasked)
    };
    let mut doubtful: Vec<_> = hierarchy.concepts().filter(is_doubtful).collect();
    let certainty = |entry: &Entry| entry.certainty.unwrap_or(1.0);
    doubtful.sort_by(|(_, one), (_, other)| certainty(one).total_cmp(&certainty(other)));
    doubtful
}

/// The list of concepts that people place differently, each with its places, the share of people and the interval of that share; nothing if
/// there are none.
fn differences(hierarchy: &Hierarchy, differing: &[(Concept, &Entry)]) -> String {
    if differing.is_empty() {
        return String::new();
    }
    let item = |&(_, entry): &(Concept, &Entry)| {
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let place = |place: &grove_vocabulary::Place<Concept>| {
            let (share, low, high) = (percent(place.share), percent(place.low), percent(place.high));
            format!("{} {share} % ({low} to {high} %)", name(hierarchy.name(place.parent)))
        };
        let places: Vec<String> = entry.places.iter().map(place).collect();
        format!("<li>{}: under {}</li>\n", name(&entry.name), places.join(", or "))
    };
    let items: String = differing.iter().map(item).collect();
    format!("<h2>People differ</h2>\n<ul>\n{items}</ul>\n")
}

/// The list of doubtful concepts with all their possible parents; nothing if there are none.
fn doubts(hierarchy: &Hierarchy, doubtful: &[(Concept, &Entry)]) -> String {
    if doubtful.is_empty() {
        return String::new();
    }
    let item = |&(concept, entry): &(Concept, &Entry)| {
        let first = (hierarchy.tree().parent(concept), entry.certainty.unwrap_or_default());
        let parents = [&[first], &entry.alternatives[..]].concat();
        let words = words(entry, &[Reason::Open, Reason::Unasked]);
        format!("<li>{}: under {}{words}</li>\n", name(&entry.name), list(hierarchy, &parents, ", or "))
    };
    let items: String = doubtful.iter().map(item).collect();
    format!("<h2>Doubtful</h2>\n<ul>\n{items}</ul>\n")
}

/// Those of a concept's reasons that are asked for, in words and in brackets; nothing if it has none of them.
fn words(entry: &Entry, of: &[Reason]) -> String {
    let words: Vec<&str> =
        entry.reasons.iter().filter(|reason| of.contains(reason)).map(|reason| reason.in_words()).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

fn table(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let outline = hierarchy.outline();
    let row = |(concept, entry)| row(hierarchy, concept, entry, options);
    let rows: String = hierarchy.depth_first(&outline).map(row).collect();
    format!(
        "<h2>All concepts</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All concepts\">\n<table>\n<thead><tr>\
         <th scope=\"col\">Concept</th><th scope=\"col\">Under</th>\
         <th scope=\"col\" class=\"number\">Certainty</th><th scope=\"col\" class=\"number\">Yes</th>\
         <th scope=\"col\" class=\"number\">No</th><th scope=\"col\">Or under</th><th scope=\"col\">Why</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

fn row(hierarchy: &Hierarchy, concept: Concept, entry: &Entry, options: &WriteOptions) -> String {
    let certainty = entry.certainty.map_or_else(String::new, |certainty| format!("{certainty:.2}"));
    let class = match options.reason(entry) {
        Reason::Settled => "",
        Reason::Differ => " differ",
        Reason::Open => " doubt",
        Reason::Unasked => " unasked",
    };
    let why = entry.explanation(|parent| name(hierarchy.name(parent)));
    let others = list(hierarchy, &entry.alternatives, ", ");
    let synonyms = Some(entry.synonyms.join(", ")).filter(|synonyms| !synonyms.is_empty());
    let more: Vec<String> = synonyms.into_iter().chain(entry.definition.clone()).collect();
    let more = match more.is_empty() {
        true => String::new(),
        false => format!("<br><span class=\"soft\" dir=\"auto\">{}</span>", escape(&more.join(": "))),
    };
    format!(
        "<tr><td>{}{more}</td><td>{}</td><td class=\"number{class}\">{certainty}</td><td class=\"number\">{}</td>\
         <td class=\"number\">{}</td><td>{others}</td><td>{why}</td></tr>\n",
        name(&entry.name),
        name(hierarchy.parent_name(concept)),
        entry.yes,
        entry.no,
    )
}

/// Parents with their probabilities.
fn list(hierarchy: &Hierarchy, parents: &[(Concept, f64)], separator: &str) -> String {
    let parent =
        |&(parent, certainty): &(Concept, f64)| format!("{} {certainty:.2}", name(hierarchy.name(parent)));
    parents.iter().map(parent).collect::<Vec<_>>().join(separator)
}

/// A name with a text direction of its own.
fn name(name: &str) -> String {
    format!("<bdi>{}</bdi>", escape(name))
}
