//! What a concept's source file says about it that Grove does not use, kept so that it can be written back unchanged.

use serde::{Deserialize, Serialize};

use crate::hierarchy::is_id;

/// The identity of a concept or of a concept scheme in its SKOS file, and what else the file says about it: labels in
/// other languages, notes, notations, matches. Writing SKOS includes all of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The IRI; one without a scheme is relative to the base of whatever is written. None for a blank node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iri: Option<String>,
    /// What else the file says, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// One statement about a concept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fact {
    /// The IRI of the property, such as that of `skos:scopeNote`.
    pub term: String,
    /// What the property says.
    #[serde(flatten)]
    pub value: FactValue,
    /// Whether the name, a synonym or the definition of the concept was read from it. It is then written only as long as the concept still has
    /// that text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
}

/// The object of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FactValue {
    /// A text of a type of its own, such as a notation.
    Typed {
        /// The text.
        text: String,
        /// The IRI of the type.
        datatype: String,
    },
    /// A text, in a language if that is known.
    Text {
        /// The text.
        text: String,
        /// The language tag.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<String>,
    },
    /// A resource.
    Resource {
        /// Its IRI.
        iri: String,
    },
    /// A resource without an IRI: what is said about it, as in a note with an author.
    Node {
        /// The statements.
        facts: Vec<Fact>,
    },
}

impl Fact {
    /// The text, if it has one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            FactValue::Text { text, .. } | FactValue::Typed { text, .. } => Some(text),
            _ => None,
        }
    }
}

impl Origin {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iri.is_none() && self.facts.is_empty()
    }

    /// The last part of the IRI, if it can be an identifier.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.iri.as_deref()?.rsplit(['/', '#', ':']).next().filter(|id| is_id(id))
    }
}
