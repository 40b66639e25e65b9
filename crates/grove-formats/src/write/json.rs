use grove_tree::{Concept, Outline};
use serde::Serialize;

use crate::read::nested::DEPTH_LIMIT;
use crate::{Entry, Error, Hierarchy, Place};

/// The whole hierarchy, nested.
#[derive(Serialize)]
struct Nested<'a> {
    title: &'a str,
    language: &'a str,
    relation: String,
    root: &'a str,
    children: Vec<NestedConcept<'a>>,
}

#[derive(Serialize)]
struct NestedConcept<'a> {
    #[serde(flatten)]
    facts: Facts<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Self>,
}

/// What is known of a concept; what is not known is left out.
#[derive(Serialize)]
struct Facts<'a> {
    name: &'a str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    synonyms: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    certainty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    yes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<Alternative<'a>>,
}

#[derive(Serialize)]
struct Alternative<'a> {
    parent: &'a str,
    certainty: f64,
}

impl<'a> Facts<'a> {
    fn new(hierarchy: &'a Hierarchy, concept: Concept, entry: &'a Entry) -> Self {
        let voted = entry.yes > 0 || entry.no > 0;
        let alternative =
            |&(parent, certainty): &(Concept, f64)| Alternative { parent: hierarchy.name(parent), certainty };
        Self {
            name: &entry.name,
            id: hierarchy.id(concept),
            definition: entry.definition.as_deref(),
            synonyms: &entry.synonyms,
            certainty: entry.certainty,
            yes: voted.then_some(entry.yes),
            no: voted.then_some(entry.no),
            alternatives: entry.alternatives.iter().map(alternative).collect(),
        }
    }
}

/// Nested JSON: the heading, and under `children` each concept with what is known of it and its own children.
pub(crate) fn nested(hierarchy: &Hierarchy) -> Result<String, Error> {
    let outline = hierarchy.outline();
    let found = hierarchy.tree().concepts().map(|concept| outline.depth(concept)).max().unwrap_or(0);
    if found > DEPTH_LIMIT {
        return Err(Error::TooDeep { at: Place::none(), found, limit: DEPTH_LIMIT });
    }
    let heading = hierarchy.heading();
    Ok(pretty(&Nested {
        title: &heading.title,
        language: &heading.language,
        relation: heading.relation.to_string(),
        root: &heading.root,
        children: children(hierarchy, &outline, Concept::ROOT),
    }))
}

fn children<'a>(hierarchy: &'a Hierarchy, outline: &Outline, parent: Concept) -> Vec<NestedConcept<'a>> {
    let with_entry =
        outline.children(parent).iter().filter_map(|&child| Some((child, hierarchy.entry(child)?)));
    with_entry
        .map(|(child, entry)| NestedConcept {
            facts: Facts::new(hierarchy, child, entry),
            children: children(hierarchy, outline, child),
        })
        .collect()
}

/// The node-link form of networkx and D3.
#[derive(Serialize)]
struct NodeLink<'a> {
    directed: bool,
    multigraph: bool,
    graph: GraphFacts<'a>,
    nodes: Vec<Facts<'a>>,
    edges: Vec<Edge<'a>>,
}

#[derive(Serialize)]
struct GraphFacts<'a> {
    title: &'a str,
    language: &'a str,
    relation: String,
    root: &'a str,
}

#[derive(Serialize)]
struct Edge<'a> {
    source: &'a str,
    target: &'a str,
    certainty: Option<f64>,
    yes: u64,
    no: u64,
}

/// Nodes by identifier, the root's first, and edges from parent to child.
pub(crate) fn node_link(hierarchy: &Hierarchy) -> String {
    let heading = hierarchy.heading();
    let root_entry = Entry::new(&heading.root, Concept::ROOT);
    let root = Facts::new(hierarchy, Concept::ROOT, &root_entry);
    let nodes = hierarchy.concepts().map(|(concept, entry)| Facts::new(hierarchy, concept, entry));
    let edge = |(concept, entry): (Concept, &'_ Entry)| Edge {
        source: hierarchy.id(entry.parent),
        target: hierarchy.id(concept),
        certainty: entry.certainty,
        yes: entry.yes,
        no: entry.no,
    };
    pretty(&NodeLink {
        directed: true,
        multigraph: false,
        graph: GraphFacts {
            title: &heading.title,
            language: &heading.language,
            relation: heading.relation.to_string(),
            root: hierarchy.id(Concept::ROOT),
        },
        nodes: std::iter::once(root).chain(nodes).collect(),
        edges: hierarchy.concepts().map(edge).collect(),
    })
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("texts and finite numbers are JSON") + "\n"
}
