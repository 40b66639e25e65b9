use grove_tree::Concept;
use oxrdf::NamedNode;

use crate::{Entry, Error};

/// What the writers may be told.
#[derive(Clone, PartialEq, Debug)]
pub struct WriteOptions {
    /// The IRI before every identifier, in SKOS, OWL and SSSOM: an address of yours, ending in / or #.
    pub base: String,
    /// The licence of what is written, as an IRI.
    pub license: Option<String>,
    /// A parent less certain than this is marked as doubtful.
    pub doubtful_below: f64,
}

impl Default for WriteOptions {
    /// `urn:grove:`, no licence, and the paper's red line of 0.75.
    fn default() -> Self {
        Self { base: "urn:grove:".to_owned(), license: None, doubtful_below: 0.75 }
    }
}

impl WriteOptions {
    /// The IRI of something under the base.
    pub(crate) fn iri(&self, local: &str) -> Result<NamedNode, Error> {
        iri(&format!("{}{local}", self.base)).map_err(|_| Error::NotAnIri { given: self.base.clone() })
    }

    /// The licence, checked.
    pub(crate) fn license(&self) -> Result<Option<NamedNode>, Error> {
        self.license.as_deref().map(iri).transpose()
    }

    /// The second choice of a concept below the red line: all choices of all concepts would bury the hierarchy.
    pub(crate) fn second_choice(&self, entry: &Entry) -> Option<(Concept, f64)> {
        entry.alternatives.first().copied().filter(|_| self.is_doubtful(entry.certainty))
    }

    /// Whether a certainty is below the red line.
    pub(crate) fn is_doubtful(&self, certainty: Option<f64>) -> bool {
        certainty.is_some_and(|certainty| certainty < self.doubtful_below)
    }
}

fn iri(text: &str) -> Result<NamedNode, Error> {
    NamedNode::new(text).map_err(|_| Error::NotAnIri { given: text.to_owned() })
}
