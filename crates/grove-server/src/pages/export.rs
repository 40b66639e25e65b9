use askama::Template;
use axum::response::Response;
use grove_formats::Format;

use super::campaign::CampaignHeader;
use super::layout::{Layout, render};
use crate::auth::CampaignAccess;
use crate::http_error::Result;

#[derive(Template)]
#[template(path = "campaign/export.html")]
struct ExportPage {
    layout: Layout,
    header: CampaignHeader,
    formats: Vec<(Format, &'static str)>,
}

/// What each format is used for, by its name.
const PURPOSES: &[(&str, &str)] = &[
    ("skos", "Thesauri and linked data, as Turtle"),
    ("skos-xml", "The same as RDF/XML, for older tools"),
    ("skos-jsonld", "The same as JSON-LD, for the web"),
    ("owl", "Ontology editors such as Protégé"),
    ("owl-turtle", "The same ontology as Turtle"),
    ("obo", "Biomedical ontology tools"),
    ("newick", "Viewers of phylogenetic trees"),
    ("dot", "Graphviz drawings"),
    ("mermaid", "Diagrams in Markdown"),
    ("csv", "Spreadsheets: a row per concept"),
    ("paths", "Plain text: a line from the root to each concept"),
    ("json", "Everything Grove knows, nested"),
    ("node-link", "Graph libraries: nodes and links"),
    ("sssom", "Mappings between taxonomies"),
    ("svg", "A drawing for papers and slides"),
    ("html", "A self-contained web page"),
];

fn purpose(format: Format) -> Option<&'static str> {
    PURPOSES.iter().find(|(name, _)| *name == format.name()).map(|(_, purpose)| *purpose)
}

/// Lists all export formats.
pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    let header = CampaignHeader::new(&campaign, "Export", None)?;
    let formats = Format::ALL.map(|format| (format, purpose(format).unwrap_or_default())).to_vec();
    render(&ExportPage { layout: header.layout(&campaign), header, formats })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_purpose() {
        for format in Format::ALL {
            assert!(purpose(format).is_some(), "{}", format.name());
        }
    }
}
