use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use grove_tree::Concept;
use grove_vocabulary::Reason;
use indexmap::IndexMap;
use oxrdf::vocab::rdfs;
use oxrdf::{Literal, NamedNodeRef, NamedOrBlankNode, Term};
use oxrdfio::RdfFormat;

use super::assemble::spare_root;
use super::rdf::{BASE, Graph, Node, read_graph};
use crate::hierarchy::{is_explanation, is_id};
use crate::name::{name_key, read_name, tidy};
use crate::vocabulary::{dct, grove, skos};
use crate::{
    Article, ConceptList, Entry, ErrorKind, Fact, FactValue, Heading, Hierarchy, ListedConcept, Origin,
    Relation, Result, Source, WriteOptions,
};

/// How deep statements about nodes without an IRI are followed: a note has an author, who has a name.
const NODE_DEPTH: usize = 4;

/// Reads the concepts of a SKOS file, and their hierarchy if `broader` and `narrower` form a tree.
///
/// The names are the preferred labels in the most frequent language; whatever else the file says about a concept is
/// kept as its [`Origin`]. Certainties, votes and reasons that Grove wrote are read too.
pub(crate) fn read(source: &Source, format: RdfFormat) -> Result<ConceptList> {
    let graph = read_graph(source, format)?;
    let thesaurus = Thesaurus::new(&graph);
    let entries = thesaurus.entries(source)?;
    if entries.is_empty() {
        return Err(source.error(ErrorKind::Empty("skos:Concept")));
    }
    let list = ConceptList::new(entries.iter().map(ListedConcept::from).collect(), &source.place())?;
    let list = list.with_heading(thesaurus.heading(&entries));
    if !thesaurus.has_relations() {
        return Ok(list);
    }
    Ok(list.with_hierarchy(thesaurus.hierarchy(entries, source)))
}

type Subject<'a> = (&'a NamedOrBlankNode, &'a Node);

struct Thesaurus<'a> {
    graph: &'a Graph,
    /// The concepts by subject, concept `j` at `j - 1`.
    concepts: IndexMap<&'a NamedOrBlankNode, &'a Node>,
    scheme: Option<Subject<'a>>,
    language: Option<&'a str>,
}

impl<'a> Thesaurus<'a> {
    fn new(graph: &'a Graph) -> Self {
        let is_scheme = |node: &Node| node.has_type(skos::CONCEPT_SCHEME);
        let is_concept = |node: &Node| {
            node.has_type(skos::CONCEPT)
                || node.literals(skos::PREF_LABEL).next().is_some() && !is_scheme(node)
        };
        let concepts: IndexMap<_, _> = graph.iter().filter(|(_, node)| is_concept(node)).collect();
        let scheme = graph.iter().find(|(_, node)| is_scheme(node));
        let labels = concepts.values().flat_map(|node| node.literals(skos::PREF_LABEL));
        let language = most_frequent_language(labels);
        Self { graph, concepts, scheme, language }
    }

    fn number(&self, subject: &NamedOrBlankNode) -> Option<Concept> {
        self.concepts.get_index_of(subject).map(|at| Concept::new(at + 1))
    }

    /// The concepts with names and texts, all still at the top.
    fn entries(&self, source: &Source) -> Result<Vec<Entry>> {
        let entry = |((subject, node), id): ((&&'a NamedOrBlankNode, &&'a Node), Option<String>)| {
            let label = self.pick(node, skos::PREF_LABEL).or_else(|| self.pick(node, rdfs::LABEL));
            let label = label.ok_or_else(|| {
                let (expected, found) = ("a skos:prefLabel for every concept", format!("none for {subject}"));
                source.error(ErrorKind::not_expected(expected, found))
            })?;
            let in_language =
                |literal: &&Literal| literal.language().is_none_or(|tag| Some(tag) == self.language);
            let synonyms: Vec<&Literal> = node.literals(skos::ALT_LABEL).filter(in_language).collect();
            let definition = self.pick(node, skos::DEFINITION);
            let own: Vec<&Literal> = synonyms.iter().copied().chain([label]).chain(definition).collect();
            Ok(Entry {
                name: read_name(label.value(), &source.place(), "skos:prefLabel")?,
                origin: self.origin(subject, node, &own, id.as_deref()).map(Arc::new),
                id,
                definition: definition.map(|literal| literal.value().to_owned()),
                synonyms: synonyms.iter().map(|literal| literal.value().to_owned()).collect(),
                article: node
                    .literals(grove::ARTICLE)
                    .next()
                    .map_or(Ok(Article::ByRule), |literal| Article::read(literal.value(), &source.place()))?,
                reasons: node
                    .literals(grove::REASON)
                    .filter_map(|literal| Reason::parse(literal.value()))
                    .collect(),
                ..Entry::default()
            })
        };
        self.concepts.iter().zip(self.ids()).map(entry).collect()
    }

    /// The literal in the thesaurus's language, else one without a language, else any.
    fn pick(&self, node: &'a Node, predicate: NamedNodeRef<'_>) -> Option<&'a Literal> {
        let rank = |literal: &&Literal| match literal.language() {
            tag if tag == self.language => 0,
            None => 1,
            Some(_) => 2,
        };
        node.literals(predicate).min_by_key(rank)
    }

    /// What the file says about a concept beyond what an entry holds; `own` are the literals that the entry was read from.
    fn origin(
        &self,
        subject: &NamedOrBlankNode,
        node: &Node,
        own: &[&Literal],
        id: Option<&str>,
    ) -> Option<Origin> {
        let ours = id.map(|id| format!("concept/{id}"));
        let iri = iri_of(subject).filter(|iri| Some(iri) != ours.as_ref());
        // Grove's own note about a place is not kept: it is generated again when writing.
        let has_reason = node.literals(grove::REASON).next().is_some();
        let facts = node.facts().filter(|(term, object)| {
            let is_note = term.as_ref() == skos::EDITORIAL_NOTE;
            let is_ours = matches!(object, Term::Literal(text) if has_reason && is_note && is_explanation(text.value()));
            !is_ours && !self.is_structure(term.as_ref(), object)
        });
        let facts = facts.filter_map(|(term, object)| self.fact(term.as_ref(), object, own, NODE_DEPTH));
        Some(Origin { iri, facts: facts.collect() }).filter(|origin| !origin.is_empty())
    }

    /// Whether a statement is one that Grove derives from the hierarchy.
    fn is_structure(&self, term: NamedNodeRef<'_>, object: &Term) -> bool {
        let is_scheme = || {
            let named = NamedOrBlankNode::try_from(object.clone()).ok();
            self.scheme.is_some_and(|(scheme, _)| named.as_ref() == Some(scheme))
        };
        let relations = [
            skos::BROADER,
            skos::NARROWER,
            skos::BROADER_TRANSITIVE,
            skos::NARROWER_TRANSITIVE,
            skos::HAS_TOP_CONCEPT,
        ];
        relations.contains(&term)
            || term.as_str().starts_with(grove::NAMESPACE)
            || [skos::IN_SCHEME, skos::TOP_CONCEPT_OF].contains(&term) && is_scheme()
            || term == oxrdf::vocab::rdf::TYPE
                && [skos::CONCEPT, skos::CONCEPT_SCHEME].iter().any(|class| *object == Term::from(*class))
    }

    /// A statement to keep; none if it would be written just so anyway, or says nothing.
    fn fact(&self, term: NamedNodeRef<'_>, object: &Term, own: &[&Literal], depth: usize) -> Option<Fact> {
        let value = match object {
            Term::Literal(literal)
                if literal.language().is_some() || literal.datatype() == oxrdf::vocab::xsd::STRING =>
            {
                let is_own = own.iter().any(|one| std::ptr::eq(*one, literal));
                let text = literal.value();
                let is_repeated = is_own
                    && term != rdfs::LABEL
                    && literal.language() == self.language
                    && tidy(text) == text;
                if is_repeated {
                    return None;
                }
                let value = FactValue::Text {
                    text: text.to_owned(),
                    language: literal.language().map(str::to_owned),
                };
                return Some(Fact { term: relative(term.as_str()), value, own: is_own });
            }
            Term::Literal(literal) => FactValue::Typed {
                text: literal.value().to_owned(),
                datatype: literal.datatype().as_str().to_owned(),
            },
            Term::NamedNode(node) => FactValue::Resource { iri: relative(node.as_str()) },
            Term::BlankNode(node) => {
                let node =
                    self.graph.get(&NamedOrBlankNode::BlankNode(node.clone())).filter(|_| depth > 0)?;
                let facts = node
                    .facts()
                    .filter_map(|(term, object)| self.fact(term.as_ref(), object, &[], depth - 1));
                FactValue::Node { facts: facts.collect() }
            }
            #[expect(
                unreachable_patterns,
                reason = "RDF 1.2 has quoted triples, if a dependency turns them on"
            )]
            _ => return None,
        };
        Some(Fact { term: relative(term.as_str()), value, own: false })
    }

    /// The last parts of the IRIs, if they are valid identifiers and all different.
    fn ids(&self) -> Vec<Option<String>> {
        let last_part = |subject: &&NamedOrBlankNode| match subject {
            NamedOrBlankNode::NamedNode(node) => {
                node.as_str().rsplit(['/', '#', ':']).next().map(str::to_owned)
            }
            NamedOrBlankNode::BlankNode(_) => None,
        };
        let ids: Vec<Option<String>> =
            self.concepts.keys().map(|subject| last_part(subject).filter(|id| is_id(id))).collect();
        let mut seen = HashSet::new();
        let all_differ = ids.iter().flatten().all(|id| seen.insert(id.to_lowercase()));
        if all_differ { ids } else { vec![None; ids.len()] }
    }

    /// Whether the file relates any concepts.
    fn has_relations(&self) -> bool {
        let terms = [skos::BROADER, skos::NARROWER, skos::TOP_CONCEPT_OF, skos::HAS_TOP_CONCEPT];
        let has_one = |node: &Node| terms.into_iter().any(|term| node.objects(term).next().is_some());
        self.concepts.values().copied().chain(self.scheme.map(|(_, node)| node)).any(has_one)
    }

    fn hierarchy(&self, mut entries: Vec<Entry>, source: &Source) -> Result<Hierarchy> {
        let find = |subject: &NamedOrBlankNode| {
            let unknown = || ErrorKind::UnknownConcept { name: subject.to_string(), nearest: None };
            self.number(subject).ok_or_else(|| source.error(unknown()))
        };
        let mut parents: Vec<Vec<Concept>> = vec![Vec::new(); entries.len()];
        let mut relate = |parent: Concept, child: Concept| {
            let known = &mut parents[child.index() - 1];
            if !known.contains(&parent) {
                known.push(parent);
            }
        };
        for (number, node) in (1..).map(Concept::new).zip(self.concepts.values()) {
            for parent in node.nodes(skos::BROADER) {
                relate(find(&parent)?, number);
            }
            for child in node.nodes(skos::NARROWER) {
                relate(number, find(&child)?);
            }
        }
        for (at, parents) in parents.into_iter().enumerate() {
            if let [first, second, ..] = parents[..] {
                let parents = [first, second].map(|parent| entries[parent.index() - 1].name.clone());
                return Err(source.error(ErrorKind::TwoParents { child: entries[at].name.clone(), parents }));
            }
            entries[at].parent = parents.first().copied().unwrap_or(Concept::ROOT);
        }
        self.read_statements(&mut entries);
        let places = vec![source.place(); entries.len()];
        Hierarchy::with_places(self.heading(&entries), entries, &places, &source.place())
    }

    /// Reads certainties, votes and shares of people as Grove writes them, and skips statements about anything else.
    fn read_statements(&self, entries: &mut [Entry]) {
        let number = |subject: NamedOrBlankNode| match self.scheme {
            Some((scheme, _)) if subject == *scheme => Some(Concept::ROOT),
            _ => self.number(&subject),
        };
        for node in self.graph.values().filter(|node| node.has_type(grove::STATEMENT)) {
            let [child, parent] =
                [grove::CHILD, grove::PARENT].map(|term| node.nodes(term).next().and_then(number));
            let (Some(child), Some(parent)) = (child, parent) else { continue };
            let Some(entry) = child.index().checked_sub(1).map(|at| &mut entries[at]) else { continue };
            let value = |term| node.literals(term).next().map(Literal::value);
            let decimal = |term| value(term).and_then(|value| value.parse::<f64>().ok());
            let certainty = decimal(grove::CERTAINTY);
            let count = |term| value(term).and_then(|value| value.parse().ok()).unwrap_or(0);
            if parent == entry.parent {
                (entry.certainty, entry.yes, entry.no) = (certainty, count(grove::YES), count(grove::NO));
            } else if let Some(certainty) = certainty {
                entry.alternatives.push((parent, certainty));
            }
            let shares = (decimal(grove::SHARE), decimal(grove::LOW), decimal(grove::HIGH));
            if let (Some(share), Some(low), Some(high)) = shares {
                entry.places.push(grove_vocabulary::Place { parent, share, low, high });
            }
        }
    }

    /// The scheme is the root. If a concept has its name, the root gets another.
    fn heading(&self, entries: &[Entry]) -> Heading {
        let literal = |term| self.scheme.and_then(|(_, node)| self.pick(node, term));
        let text = |term| literal(term).map(|literal| literal.value().to_owned());
        let titles = [dct::TITLE, rdfs::LABEL, skos::PREF_LABEL].map(literal);
        let title = titles.iter().flatten().next().map(|literal| literal.value().to_owned());
        let names = || entries.iter().map(|entry| entry.name.as_str());
        let root = text(grove::ROOT).or_else(|| title.clone());
        let taken: HashSet<String> = names().map(name_key).collect();
        let root = root.filter(|root| !taken.contains(&name_key(root)));
        let root = root.unwrap_or_else(|| spare_root(names()));
        Heading {
            title: title.unwrap_or_else(|| root.clone()),
            language: self.language.unwrap_or("und").to_owned(),
            relation: text(grove::RELATION).map_or(Relation::IsA, |text| Relation::from_text(&text)),
            root,
            origin: self.scheme_origin(&titles),
        }
    }

    /// What the file says about its scheme beyond what a heading holds.
    fn scheme_origin(&self, titles: &[Option<&Literal>; 3]) -> Option<Box<Origin>> {
        let (subject, node) = self.scheme?;
        let title = titles.iter().flatten().next();
        let own: Vec<&Literal> = titles
            .iter()
            .flatten()
            .copied()
            .filter(|one| title.is_some_and(|title| title.value() == one.value()))
            .collect();
        let mut origin = self.origin(subject, node, &own, None).unwrap_or_default();
        origin.iri = origin.iri.filter(|iri| iri != "scheme");
        // Titles are written both ways.
        let is_repeated = |fact: &Fact| {
            let FactValue::Text { text, language } = &fact.value else { return false };
            fact.own
                && fact.term == rdfs::LABEL.as_str()
                && language.as_deref() == self.language
                && tidy(text) == *text
        };
        origin.facts.retain(|fact| !is_repeated(fact));
        Some(Box::new(origin)).filter(|origin| !origin.is_empty())
    }
}

/// The IRI of a subject, relative if it was so in the file or has Grove's own base; none for a blank node.
fn iri_of(subject: &NamedOrBlankNode) -> Option<String> {
    match subject {
        NamedOrBlankNode::NamedNode(node) => Some(relative(node.as_str())),
        NamedOrBlankNode::BlankNode(_) => None,
    }
}

/// An IRI without the base that stands for the file's own address, or that Grove writes where it is given none.
fn relative(iri: &str) -> String {
    let base = WriteOptions::default().base;
    let stripped = iri.strip_prefix(BASE).or_else(|| iri.strip_prefix(base.as_str()));
    stripped.unwrap_or(iri).to_owned()
}

/// The most frequent language tag; of equals, the first in the alphabet.
fn most_frequent_language<'a>(labels: impl Iterator<Item = &'a Literal>) -> Option<&'a str> {
    let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for label in labels {
        *counts.entry(label.language()).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|&(_, count)| count).and_then(|(tag, _)| tag)
}
