//! The IRIs of SKOS, OWL and a few terms of our own.

/// Declares a module with the terms of one namespace.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $module:ident $namespace:literal: $($name:ident = $local:literal),+ $(,)?) => {
        $(#[$doc])*
        pub(crate) mod $module {
            use oxrdf::NamedNodeRef;

            pub(crate) const NAMESPACE: &str = $namespace;
            $(pub(crate) const $name: NamedNodeRef<'static> =
                NamedNodeRef::new_unchecked(concat!($namespace, $local));)+
        }
    };
}

vocabulary! { skos "http://www.w3.org/2004/02/skos/core#":
    CONCEPT = "Concept", CONCEPT_SCHEME = "ConceptScheme", PREF_LABEL = "prefLabel", ALT_LABEL = "altLabel",
    DEFINITION = "definition", BROADER = "broader", NARROWER = "narrower", IN_SCHEME = "inScheme",
    TOP_CONCEPT_OF = "topConceptOf", HAS_TOP_CONCEPT = "hasTopConcept", EDITORIAL_NOTE = "editorialNote",
    BROADER_TRANSITIVE = "broaderTransitive", NARROWER_TRANSITIVE = "narrowerTransitive",
}

vocabulary! { dct "http://purl.org/dc/terms/": TITLE = "title", LICENSE = "license" }

vocabulary! { owl "http://www.w3.org/2002/07/owl#":
    ONTOLOGY = "Ontology", CLASS = "Class", RESTRICTION = "Restriction", ON_PROPERTY = "onProperty",
    SOME_VALUES_FROM = "someValuesFrom", OBJECT_PROPERTY = "ObjectProperty",
    ANNOTATION_PROPERTY = "AnnotationProperty", AXIOM = "Axiom", ANNOTATED_SOURCE = "annotatedSource",
    ANNOTATED_PROPERTY = "annotatedProperty", ANNOTATED_TARGET = "annotatedTarget",
}

vocabulary! {
    /// What the others lack: a statement "child is under parent" with its certainty, its votes, and the share of people who say so where
    /// they differ; and why a concept's place is as certain as it is.
    grove "urn:grove:terms#":
    STATEMENT = "Statement", CHILD = "child", PARENT = "parent", CERTAINTY = "certainty", YES = "yes", NO = "no",
    ROOT = "root", RELATION = "relation", UNDER = "under", REASON = "reason", SHARE = "share", LOW = "low",
    HIGH = "high", ARTICLE = "article",
}
