//! The IRIs of SKOS, OWL and our own few terms.

use oxrdf::NamedNodeRef;

/// Declares terms of one namespace.
macro_rules! terms {
    ($namespace:literal: $($name:ident = $local:literal),+ $(,)?) => {
        $(pub(crate) const $name: NamedNodeRef<'static> =
            NamedNodeRef::new_unchecked(concat!($namespace, $local));)+
    };
}

pub(crate) mod skos {
    use super::NamedNodeRef;

    terms! { "http://www.w3.org/2004/02/skos/core#":
        CONCEPT = "Concept", CONCEPT_SCHEME = "ConceptScheme", PREF_LABEL = "prefLabel", ALT_LABEL = "altLabel",
        DEFINITION = "definition", BROADER = "broader", NARROWER = "narrower",
        TOP_CONCEPT_OF = "topConceptOf", HAS_TOP_CONCEPT = "hasTopConcept",
    }
}

pub(crate) mod dct {
    use super::NamedNodeRef;

    terms! { "http://purl.org/dc/terms/": TITLE = "title" }
}

/// What the others lack: a statement "child is under parent" with its certainty and votes.
pub(crate) mod grove {
    use super::NamedNodeRef;

    terms! { "urn:grove:terms#":
        STATEMENT = "Statement", CHILD = "child", PARENT = "parent", CERTAINTY = "certainty", YES = "yes", NO = "no",
        ROOT = "root", RELATION = "relation",
    }
}
