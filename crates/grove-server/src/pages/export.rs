use askama::Template;
use axum::response::Response;
use grove_formats::Format;

use super::campaign::CampaignHeader;
use super::layout::{Layout, render};
use crate::auth::CampaignAccess;
use crate::http_error::Result;

/// A format with a name for people and what it is used for.
struct Offered {
    format: Format,
    title: &'static str,
    purpose: &'static str,
}

struct Group {
    title: &'static str,
    formats: Vec<Offered>,
}

#[derive(Template)]
#[template(path = "campaign/export.html")]
struct ExportPage {
    layout: Layout,
    header: CampaignHeader,
    groups: Vec<Group>,
}

/// A format by its name in the API, its name for people, and what it is used for.
type Entry = (&'static str, &'static str, &'static str);

/// The formats by who uses them.
const GROUPS: [(&str, &[Entry]); 4] = [
    (
        "To read and to show",
        &[
            ("html", "Web page", "Self-contained, with the drawing and a table"),
            ("svg", "Drawing", "For papers and slides"),
            ("mermaid", "Mermaid diagram", "For Markdown documents"),
            ("dot", "Graphviz", "To draw it your own way"),
        ],
    ),
    (
        "Spreadsheets and text",
        &[
            ("csv", "Spreadsheet", "A row per concept, with its parent and certainty"),
            ("paths", "Plain text", "A line from the root to each concept"),
        ],
    ),
    (
        "Thesauri and ontologies",
        &[
            ("skos", "SKOS", "Thesauri and linked data, as Turtle"),
            ("skos-xml", "SKOS as RDF/XML", "For older tools"),
            ("skos-jsonld", "SKOS as JSON-LD", "For the web"),
            ("owl", "OWL", "Ontology editors such as Protégé"),
            ("owl-turtle", "OWL as Turtle", "The same ontology, easier to read"),
            ("obo", "OBO", "Biomedical ontology tools"),
            ("sssom", "SSSOM", "Mappings between taxonomies"),
        ],
    ),
    (
        "Programs and analysis",
        &[
            ("json", "JSON", "Everything Grove knows, nested"),
            ("node-link", "Nodes and links", "For graph libraries"),
            ("newick", "Newick", "Viewers of phylogenetic trees"),
        ],
    ),
];

fn groups() -> Vec<Group> {
    let offered = |(name, title, purpose): &Entry| {
        let format = Format::ALL.into_iter().find(|format| format.name() == *name)?;
        Some(Offered { format, title, purpose })
    };
    let group = |(title, entries): (&'static str, &[Entry])| Group {
        title,
        formats: entries.iter().filter_map(offered).collect(),
    };
    GROUPS.map(group).into()
}

/// Lists all export formats.
pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    let reader = campaign.reader();
    let header = CampaignHeader::new(&reader, "Export", None).await?;
    render(&ExportPage { layout: header.layout(&reader), header, groups: groups() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_offered_once() {
        let offered: Vec<&str> =
            groups().iter().flat_map(|group| group.formats.iter().map(|one| one.format.name())).collect();
        assert_eq!(offered.len(), Format::ALL.len());
        for format in Format::ALL {
            assert!(offered.contains(&format.name()), "{}", format.name());
        }
    }
}
