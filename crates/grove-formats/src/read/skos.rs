use std::collections::{BTreeMap, HashSet};

use grove_tree::Concept;
use grove_vocabulary::Reason;
use indexmap::IndexMap;
use oxrdf::vocab::rdfs;
use oxrdf::{Literal, NamedNodeRef, NamedOrBlankNode};
use oxrdfio::RdfFormat;

use super::assemble::spare_root;
use super::rdf::{Graph, Node, read_graph};
use crate::hierarchy::is_id;
use crate::name::{name_key, read_name};
use crate::vocabulary::{dct, grove, skos};
use crate::{ConceptList, Entry, ErrorKind, Heading, Hierarchy, ListedConcept, Relation, Result, Source};

/// Reads the concepts of a SKOS file, and their hierarchy if `broader` and `narrower` form a tree.
///
/// The names are the preferred labels in the most frequent language. Certainties, votes and reasons that Grove wrote are read too.
pub(crate) fn read(source: &Source, format: RdfFormat) -> Result<ConceptList> {
    let graph = read_graph(source, format)?;
    let thesaurus = Thesaurus::new(&graph);
    let entries = thesaurus.entries(source)?;
    if entries.is_empty() {
        return Err(source.error(ErrorKind::Empty("skos:Concept")));
    }
    let list = ConceptList::new(entries.iter().map(ListedConcept::from).collect(), &source.place())?;
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
        let entry = |((subject, node), id): ((_, &&'a Node), Option<String>)| {
            let label = self.pick(node, skos::PREF_LABEL).or_else(|| self.pick(node, rdfs::LABEL));
            let label = label.ok_or_else(|| {
                let (expected, found) = ("a skos:prefLabel for every concept", format!("none for {subject}"));
                source.error(ErrorKind::not_expected(expected, found))
            })?;
            let in_language =
                |literal: &&Literal| literal.language().is_none_or(|tag| Some(tag) == self.language);
            let synonyms = node.literals(skos::ALT_LABEL).filter(in_language);
            Ok(Entry {
                name: read_name(label, &source.place(), "skos:prefLabel")?,
                id,
                definition: self.pick(node, skos::DEFINITION).map(str::to_owned),
                synonyms: synonyms.map(|literal| literal.value().to_owned()).collect(),
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
    fn pick(&self, node: &'a Node, predicate: NamedNodeRef<'_>) -> Option<&'a str> {
        let rank = |literal: &&Literal| match literal.language() {
            tag if tag == self.language => 0,
            None => 1,
            Some(_) => 2,
        };
        node.literals(predicate).min_by_key(rank).map(Literal::value)
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
        let text = |term| self.scheme.and_then(|(_, node)| self.pick(node, term)).map(str::to_owned);
        let title = text(dct::TITLE).or_else(|| text(rdfs::LABEL)).or_else(|| text(skos::PREF_LABEL));
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
        }
    }
}

/// The most frequent language tag; of equals, the first in the alphabet.
fn most_frequent_language<'a>(labels: impl Iterator<Item = &'a Literal>) -> Option<&'a str> {
    let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for label in labels {
        *counts.entry(label.language()).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|&(_, count)| count).and_then(|(tag, _)| tag)
}
