//! Hierarchies as JSON: nested, which is read and written, and the node-link form of networkx and D3.

use std::sync::Arc;

use grove_tree::{Concept, Outline};
use grove_vocabulary::Reason;
use serde::{Deserialize, Deserializer, Serialize};

use crate::concept_list::CONCEPT_LIMIT;
use crate::read::{Placed, assemble, json};
use crate::{Article, Entry, ErrorKind, Heading, Hierarchy, Origin, Place, Relation, Result, Source};

/// The maximum depth of a hierarchy in nested JSON. Most JSON parsers, ours too, stop at 128 nested brackets, and a level
/// takes two.
pub(crate) const DEPTH_LIMIT: usize = 60;

/// A hierarchy: `{"root": "food", "children": [{"name": "fruit", "children": [...]}]}`.
#[derive(Serialize, Deserialize, Default)]
struct Document {
    title: Option<String>,
    language: Option<String>,
    relation: Option<String>,
    root: Option<String>,
    /// What SKOS input says about the concept scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Box<Origin>>,
    /// Another name for `root`, as the other nodes have it.
    #[serde(skip_serializing)]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<Node>>,
}

/// A concept; what is unknown is left out.
#[derive(Serialize, Deserialize)]
struct Node {
    name: String,
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    synonyms: Vec<String>,
    /// As [`Article`] writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    article: Option<String>,
    /// What SKOS input says about the concept.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certainty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    yes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no: Option<u64>,
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<Alternative>,
    #[serde(
        rename = "reason",
        default,
        deserialize_with = "null_as_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    reasons: Vec<Reason>,
    /// Where people place it; a parent may be null, for the root.
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    places: Vec<grove_vocabulary::Place<Option<String>>>,
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    children: Vec<Self>,
}

#[derive(Serialize, Deserialize)]
struct Alternative {
    parent: Option<String>,
    certainty: f64,
}

fn null_as_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Reads nested JSON.
pub(crate) fn read(source: &Source) -> Result<Hierarchy> {
    let document: Document = json::parse(source, "JSON for a hierarchy")?;
    let at = source.place();
    let Some(children) = document.children else {
        let kind = ErrorKind::not_expected("an object with root and children", "one without children");
        return Err(kind.at(&at));
    };
    let root = document.root.or(document.name).ok_or_else(|| ErrorKind::Missing("root's name").at(&at))?;
    let unknown = Heading::new(&root);
    let heading = Heading {
        title: document.title.unwrap_or(unknown.title),
        language: document.language.unwrap_or(unknown.language),
        relation: document.relation.map_or(unknown.relation, |text| Relation::from_text(&text)),
        root,
        origin: document.origin,
    };
    let mut placed = Vec::new();
    place(children, "", 1, &at, &mut placed)?;
    assemble(Some(heading), placed, &at)
}

/// Lists all nodes with their parents' names.
fn place(nodes: Vec<Node>, parent: &str, depth: usize, at: &Place, placed: &mut Vec<Placed>) -> Result<()> {
    if depth > DEPTH_LIMIT && !nodes.is_empty() {
        return Err(ErrorKind::TooDeep(depth).at(at));
    }
    for node in nodes {
        // More concepts than can be read are counted and not kept.
        if placed.len() > CONCEPT_LIMIT {
            return Ok(());
        }
        let alternatives = node.alternatives.into_iter();
        let entry = Entry {
            name: node.name.clone(),
            id: node.id,
            definition: node.definition,
            synonyms: node.synonyms,
            article: Article::read(node.article.as_deref().unwrap_or_default(), at)?,
            origin: node.origin.map(Arc::new),
            certainty: node.certainty,
            yes: node.yes.unwrap_or_default(),
            no: node.no.unwrap_or_default(),
            reasons: node.reasons,
            ..Entry::default()
        };
        placed.push(Placed {
            entry,
            parent: parent.to_owned(),
            alternatives: alternatives.map(|one| (one.parent.unwrap_or_default(), one.certainty)).collect(),
            places: node.places.into_iter().map(|place| place.map(Option::unwrap_or_default)).collect(),
            at: at.clone(),
        });
        place(node.children, &node.name, depth + 1, at, placed)?;
    }
    Ok(())
}

/// Writes nested JSON: the heading, and under `children` each concept with its own children.
pub(crate) fn write(hierarchy: &Hierarchy) -> Result<String> {
    let outline = hierarchy.outline();
    let depth = outline.order().iter().map(|&concept| outline.depth(concept)).max().unwrap_or(0);
    if depth > DEPTH_LIMIT {
        return Err(ErrorKind::TooDeep(depth).into());
    }
    let children = Some(children(hierarchy, &outline, Concept::ROOT));
    Ok(pretty(&Document { children, ..document(hierarchy) }))
}

/// The heading alone.
fn document(hierarchy: &Hierarchy) -> Document {
    let Heading { title, language, relation, root, origin } = hierarchy.heading().clone();
    let (title, language, relation) = (Some(title), Some(language), Some(relation.to_string()));
    Document { title, language, relation, root: Some(root), origin, ..Document::default() }
}

fn children(hierarchy: &Hierarchy, outline: &Outline, parent: Concept) -> Vec<Node> {
    let with_children = |&child: &Concept| {
        let node = node(hierarchy, child, hierarchy.entry(child)?);
        Some(Node { children: children(hierarchy, outline, child), ..node })
    };
    outline.children(parent).iter().filter_map(with_children).collect()
}

/// A concept without its children.
fn node(hierarchy: &Hierarchy, concept: Concept, entry: &Entry) -> Node {
    let voted = entry.yes > 0 || entry.no > 0;
    let alternative = |&(parent, certainty): &(Concept, f64)| Alternative {
        parent: Some(hierarchy.name(parent).to_owned()),
        certainty,
    };
    Node {
        name: entry.name.clone(),
        id: Some(hierarchy.id(concept).to_owned()),
        definition: entry.definition.clone(),
        synonyms: entry.synonyms.clone(),
        article: Some(entry.article.to_string()).filter(|article| !article.is_empty()),
        origin: entry.origin.as_deref().cloned(),
        certainty: entry.certainty,
        yes: voted.then_some(entry.yes),
        no: voted.then_some(entry.no),
        alternatives: entry.alternatives.iter().map(alternative).collect(),
        reasons: entry.reasons.clone(),
        places: entry
            .places
            .iter()
            .map(|place| place.map(|parent| Some(hierarchy.name(parent).to_owned())))
            .collect(),
        children: Vec::new(),
    }
}

#[derive(Serialize)]
struct NodeLink<'a> {
    directed: bool,
    multigraph: bool,
    graph: Document,
    nodes: Vec<Node>,
    edges: Vec<Edge<'a>>,
}

#[derive(Serialize)]
struct Edge<'a> {
    source: &'a str,
    target: &'a str,
    certainty: Option<f64>,
    yes: u64,
    no: u64,
}

/// Writes nodes by identifier, the root's first, and edges from parent to child.
pub(crate) fn write_node_link(hierarchy: &Hierarchy) -> String {
    let root_id = hierarchy.id(Concept::ROOT).to_owned();
    let root = node(hierarchy, Concept::ROOT, &Entry::new(hierarchy.name(Concept::ROOT), Concept::ROOT));
    let nodes = hierarchy.concepts().map(|(concept, entry)| node(hierarchy, concept, entry));
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
        graph: Document { root: Some(root_id), ..document(hierarchy) },
        nodes: std::iter::once(root).chain(nodes).collect(),
        edges: hierarchy.concepts().map(edge).collect(),
    })
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("texts and finite numbers are JSON") + "\n"
}
