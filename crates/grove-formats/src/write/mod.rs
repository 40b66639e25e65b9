//! Writers. Each turns a [`Hierarchy`] into text; none opens a file.

mod diagrams;
mod format;
mod html;
mod newick;
mod obo;
mod owl;
mod rdf;
mod skos;
mod svg;
mod tables;
mod votes;

pub use format::Format;
pub use newick::{SampleFormat, write_samples};
pub use tables::write_concepts;
pub use votes::{NamedVote, VoteFormat, write_votes};

use grove_tree::Concept;
use grove_vocabulary::{DOUBTFUL_BELOW, Reason};
use oxrdf::NamedNode;
use oxrdfio::RdfFormat;

use crate::read::JSON_LD;
use crate::{Entry, ErrorKind, Hierarchy, Result, nested, paths};

/// Writes a hierarchy in a format.
///
/// ```
/// use grove_formats::{Format, Source, WriteOptions, read_hierarchy, write};
/// let food = read_hierarchy(&Source::new("food.tsv", b"fruit\tfood\napple\tfruit\n")?)?;
/// assert_eq!(write(&food, Format::Newick, &WriteOptions::default())?, "[&R] ((apple)fruit)food;\n");
/// assert_eq!(write(&food, Format::Paths, &WriteOptions::default())?, "food > fruit\nfood > fruit > apple\n");
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::NotAnIri`] for an invalid base or licence, [`ErrorKind::TooDeep`] for nested JSON beyond 60 levels.
pub fn write(hierarchy: &Hierarchy, format: Format, options: &WriteOptions) -> Result<String> {
    match format {
        Format::Skos => skos::write(hierarchy, options, RdfFormat::Turtle),
        Format::SkosXml => skos::write(hierarchy, options, RdfFormat::RdfXml),
        Format::SkosJsonLd => skos::write(hierarchy, options, JSON_LD),
        Format::Owl => owl::write(hierarchy, options, RdfFormat::RdfXml),
        Format::OwlTurtle => owl::write(hierarchy, options, RdfFormat::Turtle),
        Format::Obo => Ok(obo::write(hierarchy)),
        Format::Newick => Ok(newick::write(hierarchy)),
        Format::Dot => Ok(diagrams::dot(hierarchy, options)),
        Format::Mermaid => Ok(diagrams::mermaid(hierarchy, options)),
        Format::Csv => Ok(tables::csv(hierarchy)),
        Format::Paths => Ok(paths::write(hierarchy)),
        Format::Json => nested::write(hierarchy),
        Format::NodeLink => Ok(nested::write_node_link(hierarchy)),
        Format::Sssom => tables::sssom(hierarchy, options),
        Format::Svg => Ok(svg::write(hierarchy, options)),
        Format::Html => Ok(html::write(hierarchy, options)),
    }
}

/// Options of the writers.
#[derive(Clone, PartialEq, Debug)]
pub struct WriteOptions {
    /// The IRI before every identifier in SKOS, OWL and SSSOM: an address of yours that ends in / or #.
    pub base: String,
    /// The licence of the output, as an IRI.
    pub license: Option<String>,
    /// A parent less certain than this is marked as doubtful.
    pub doubtful_below: f64,
}

impl Default for WriteOptions {
    /// `urn:grove:`, no licence, and the paper's threshold of 0.75.
    fn default() -> Self {
        Self { base: "urn:grove:".to_owned(), license: None, doubtful_below: DOUBTFUL_BELOW }
    }
}

impl WriteOptions {
    /// An IRI under the base.
    fn iri(&self, local: &str) -> Result<NamedNode> {
        NamedNode::new(format!("{}{local}", self.base))
            .map_err(|_| ErrorKind::NotAnIri(self.base.clone()).into())
    }

    /// An IRI as it is if it is absolute, otherwise under the base.
    fn resolve(&self, iri: &str) -> Result<NamedNode> {
        NamedNode::new(iri).or_else(|_| self.iri(iri))
    }

    /// The licence, checked.
    fn license(&self) -> Result<Option<NamedNode>> {
        let iri = |text: &String| NamedNode::new(text).map_err(|_| ErrorKind::NotAnIri(text.clone()).into());
        self.license.as_ref().map(iri).transpose()
    }

    /// The other places that a diagram draws: those of a concept that people place differently, and the second choice of a doubtful one.
    /// Drawing all choices of all concepts would hide the hierarchy.
    fn other_places(&self, entry: &Entry) -> Vec<(Concept, f64)> {
        let others = entry.other_places();
        if !others.is_empty() {
            return others;
        }
        let is_certain = self.reason(entry) == Reason::Settled;
        entry.alternatives.first().copied().filter(|_| !is_certain).into_iter().collect()
    }

    /// The reason that a drawing shows.
    fn reason(&self, entry: &Entry) -> Reason {
        entry.shown_reason(self.doubtful_below)
    }

    /// Whether a certainty is below the threshold.
    fn is_doubtful(&self, certainty: Option<f64>) -> bool {
        certainty.is_some_and(|certainty| certainty < self.doubtful_below)
    }
}
