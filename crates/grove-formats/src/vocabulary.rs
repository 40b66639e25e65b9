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

    pub(crate) const NAMESPACE: &str = "http://www.w3.org/2004/02/skos/core#";
    terms! { "http://www.w3.org/2004/02/skos/core#":
        CONCEPT = "Concept", CONCEPT_SCHEME = "ConceptScheme", PREF_LABEL = "prefLabel", ALT_LABEL = "altLabel",
        DEFINITION = "definition", BROADER = "broader", NARROWER = "narrower", IN_SCHEME = "inScheme",
        TOP_CONCEPT_OF = "topConceptOf", HAS_TOP_CONCEPT = "hasTopConcept",
    }
}

pub(crate) mod dct {
    use super::NamedNodeRef;

    pub(crate) const NAMESPACE: &str = "http://purl.org/dc/terms/";
    terms! { "http://purl.org/dc/terms/": TITLE = "title", LICENSE = "license" }
}

pub(crate) mod owl {
    use super::NamedNodeRef;

    pub(crate) const NAMESPACE: &str = "http://www.w3.org/2002/07/owl#";
    terms! { "http://www.w3.org/2002/07/owl#":
        ONTOLOGY = "Ontology", CLASS = "Class", RESTRICTION = "Restriction", ON_PROPERTY = "onProperty",
        SOME_VALUES_FROM = "someValuesFrom", OBJECT_PROPERTY = "ObjectProperty",
        ANNOTATION_PROPERTY = "AnnotationProperty", AXIOM = "Axiom", ANNOTATED_SOURCE = "annotatedSource",
        ANNOTATED_PROPERTY = "annotatedProperty", ANNOTATED_TARGET = "annotatedTarget",
    }
}

pub(crate) mod obo {
    use super::NamedNodeRef;

    terms! { "http://purl.obolibrary.org/obo/": PART_OF = "BFO_0000050" }
}

/// What the others lack: a statement "child is under parent" with its certainty and votes.
pub(crate) mod grove {
    use super::NamedNodeRef;

    pub(crate) const NAMESPACE: &str = "urn:grove:terms#";
    terms! { "urn:grove:terms#":
        STATEMENT = "Statement", CHILD = "child", PARENT = "parent", CERTAINTY = "certainty", YES = "yes", NO = "no",
        ROOT = "root", RELATION = "relation", UNDER = "under",
    }
}
