use askama::Template;
use axum::extract::Multipart;
use axum::response::{IntoResponse, Response};
use grove_formats::Format;

use super::campaign::Bar;
use super::shell::{Note, Shell, page};
use super::upload::Upload;
use crate::api::{self, Comparison};
use crate::auth::Owned;
use crate::campaigns::view;
use crate::fault::Fault;

#[derive(Template)]
#[template(path = "campaign/compare.html")]
struct ComparePage {
    shell: Shell,
    bar: Bar,
    found: Option<Comparison>,
}

#[derive(Template)]
#[template(path = "campaign/export.html")]
struct ExportPage {
    shell: Shell,
    bar: Bar,
    formats: Vec<(Format, &'static str)>,
}

/// What a format is good for, by its name.
const PURPOSES: &[(&str, &str)] = &[
    ("skos", "Thesauri and linked data, as Turtle"),
    ("skos-xml", "The same as RDF/XML, for older tools"),
    ("skos-jsonld", "The same as JSON-LD, for the web"),
    ("owl", "Ontology editors such as Protégé"),
    ("owl-turtle", "The same ontology as Turtle"),
    ("obo", "Biomedical ontology tools"),
    ("newick", "Tree viewers, as phylogeneticists use them"),
    ("dot", "Drawings by Graphviz"),
    ("mermaid", "Diagrams in Markdown"),
    ("csv", "Spreadsheets: a row for every concept"),
    ("paths", "Plain text: a line from the root to every concept"),
    ("json", "Everything Grove knows, nested"),
    ("node-link", "Graph libraries: nodes and links"),
    ("sssom", "Mappings between taxonomies"),
    ("svg", "A drawing for papers and slides"),
    ("html", "A page that stands for itself"),
];

fn render(owned: &Owned, note: Option<Note>, found: Option<Comparison>) -> Result<Response, Fault> {
    let bar = Bar::new(owned, "Compare", note);
    page(&ComparePage { shell: bar.shell(owned), bar, found })
}

pub(super) async fn show(owned: Owned) -> Result<Response, Fault> {
    render(&owned, None, None)
}

/// Compares with a file that is read and forgotten.
pub(super) async fn compare(owned: Owned, upload: Multipart) -> Result<Response, Fault> {
    let file = Upload::read(upload).await?.file.ok_or_else(|| Fault::Bad("choose a file".to_owned()));
    let found = file.and_then(|(name, bytes)| api::compare(&view(&owned.campaign), name, &bytes));
    match found {
        Ok(found) => render(&owned, None, Some(found)),
        Err(fault) => Ok((fault.status(), render(&owned, Some(Note::from(&fault)), None)?).into_response()),
    }
}

/// All formats in which the hierarchy can be had.
pub(super) async fn exports(owned: Owned) -> Result<Response, Fault> {
    let bar = Bar::new(&owned, "Export", None);
    let purpose = |format: Format| PURPOSES.iter().find(|(name, _)| *name == format.name());
    let formats = Format::ALL.map(|format| (format, purpose(format).map_or("", |(_, purpose)| purpose)));
    page(&ExportPage { shell: bar.shell(&owned), bar, formats: formats.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_says_what_it_is_good_for() {
        for format in Format::ALL {
            assert!(PURPOSES.iter().any(|(name, _)| *name == format.name()), "{}", format.name());
        }
    }
}
