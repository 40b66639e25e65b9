use grove_tree::{Concept, Outline};
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{Literal, NamedNode};
use oxrdfio::RdfFormat;

use super::WriteOptions;
use super::rdf::{Graph, decimal};
use crate::vocabulary::{dct, grove, skos};
use crate::{Entry, Hierarchy, Result};

/// Writes SKOS: the root is the concept scheme, and every concept has its broader and narrower ones.
///
/// SKOS has no place for a certainty, so each is a resource of its own, a `grove:Statement` with child, parent and
/// certainty, which SKOS tools ignore. Where a place is not settled, an editorial note says why, in plain words.
pub(crate) fn write(hierarchy: &Hierarchy, options: &WriteOptions, format: RdfFormat) -> Result<String> {
    let mut graph = Graph::new(hierarchy, options)?;
    let origin = hierarchy.heading().origin.as_ref();
    let own = origin.and_then(|origin| origin.iri.as_deref());
    graph.nodes[0] = own.map_or_else(|| options.iri("scheme"), |iri| options.resolve(iri))?;
    let outline = hierarchy.outline();
    add_scheme(&mut graph, &outline)?;
    for (concept, entry) in hierarchy.concepts() {
        add_concept(&mut graph, &outline, concept, entry)?;
    }
    for (concept, entry) in hierarchy.concepts() {
        add_statements(&mut graph, concept, entry)?;
    }
    graph.write(format)
}

fn add_scheme(graph: &mut Graph<'_>, outline: &Outline) -> Result<()> {
    let (scheme, heading) = (graph.node(Concept::ROOT), graph.hierarchy.heading());
    graph.add(scheme.clone(), rdf::TYPE, skos::CONCEPT_SCHEME);
    let origin = heading.origin.as_deref();
    graph.add_own_text(&scheme, dct::TITLE, &heading.title, origin)?;
    graph.add_own_text(&scheme, rdfs::LABEL, &heading.title, origin)?;
    graph.add_text(&scheme, grove::ROOT, &heading.root);
    graph.add(scheme.clone(), grove::RELATION, Literal::new_simple_literal(heading.relation.to_string()));
    let license = graph.options.license()?;
    let mut kept = origin.cloned().unwrap_or_default();
    // A licence that is given replaces that of the file.
    kept.facts.retain(|fact| fact.term != rdfs::LABEL.as_str() || !fact.own);
    kept.facts.retain(|fact| license.is_none() || fact.term != dct::LICENSE.as_str());
    if let Some(license) = license {
        graph.add(scheme.clone(), dct::LICENSE, license);
    }
    graph.add_facts(&scheme, Some(&kept), &heading.title)?;
    for &top in outline.children(Concept::ROOT) {
        graph.add(scheme.clone(), skos::HAS_TOP_CONCEPT, graph.node(top));
    }
    Ok(())
}

fn add_concept(graph: &mut Graph<'_>, outline: &Outline, concept: Concept, entry: &Entry) -> Result<()> {
    let node = graph.node(concept);
    graph.add(node.clone(), rdf::TYPE, skos::CONCEPT);
    graph.add(node.clone(), skos::IN_SCHEME, graph.node(Concept::ROOT));
    let origin = entry.origin.as_deref();
    graph.add_own_text(&node, skos::PREF_LABEL, &entry.name, origin)?;
    graph.add_synonyms_and_definition(&node, entry)?;
    graph.add_facts(&node, origin, &entry.name)?;
    let above = if entry.parent.is_root() { skos::TOP_CONCEPT_OF } else { skos::BROADER };
    graph.add(node.clone(), above, graph.node(entry.parent));
    if !entry.article.is_by_rule() {
        graph.add(node.clone(), grove::ARTICLE, Literal::new_simple_literal(entry.article.to_string()));
    }
    for reason in &entry.reasons {
        graph.add(node.clone(), grove::REASON, Literal::new_simple_literal(reason.as_str()));
    }
    let note = graph.hierarchy.explanation(concept);
    if !note.is_empty() {
        // In English, whatever the language of the names.
        let note = Literal::new_language_tagged_literal(note, "en").expect("en is a language");
        graph.add(node.clone(), skos::EDITORIAL_NOTE, note);
    }
    for &child in outline.children(concept) {
        graph.add(node.clone(), skos::NARROWER, graph.node(child));
    }
    Ok(())
}

/// Adds the certainty of the parent, its votes, the alternatives, and the shares of people where they differ.
fn add_statements(graph: &mut Graph<'_>, concept: Concept, entry: &Entry) -> Result<()> {
    let mut stated = Vec::new();
    if entry.certainty.is_some() || entry.yes > 0 || entry.no > 0 {
        let statement = add_statement(graph, concept, entry.parent, entry.certainty)?;
        graph.add(statement.clone(), grove::YES, Literal::from(entry.yes));
        graph.add(statement.clone(), grove::NO, Literal::from(entry.no));
        stated.push((entry.parent, statement));
    }
    for &(parent, certainty) in &entry.alternatives {
        stated.push((parent, add_statement(graph, concept, parent, Some(certainty))?));
    }
    for place in &entry.places {
        let known = stated.iter().find(|(parent, _)| *parent == place.parent).map(|(_, known)| known.clone());
        let statement = match known {
            Some(known) => known,
            None => add_statement(graph, concept, place.parent, None)?,
        };
        for (term, value) in [(grove::SHARE, place.share), (grove::LOW, place.low), (grove::HIGH, place.high)]
        {
            graph.add(statement.clone(), term, decimal(value));
        }
    }
    Ok(())
}

fn add_statement(
    graph: &mut Graph<'_>,
    child: Concept,
    parent: Concept,
    certainty: Option<f64>,
) -> Result<NamedNode> {
    // The root has an identifier that no concept has, so every pair has its own IRI.
    let [child_id, parent_id] = [child, parent].map(|concept| graph.hierarchy.id(concept));
    let statement = graph.options.iri(&format!("statement/{child_id}/{parent_id}"))?;
    graph.add(statement.clone(), rdf::TYPE, grove::STATEMENT);
    graph.add(statement.clone(), grove::CHILD, graph.node(child));
    graph.add(statement.clone(), grove::PARENT, graph.node(parent));
    if let Some(certainty) = certainty {
        graph.add(statement.clone(), grove::CERTAINTY, decimal(certainty));
    }
    Ok(statement)
}
