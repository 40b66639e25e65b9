use std::collections::{BTreeMap, HashMap};

use grove_tree::Concept;
use oxrdf::{Literal, NamedNodeRef, NamedOrBlankNode};
use serde_json::Value;

use super::assemble::spare_root;
use super::rdf::{Graph, Node};
use crate::name::{name_key, read_name};
use crate::slug::is_id;
use crate::vocabulary::{dct, grove, skos};
use crate::{ConceptList, Entry, Error, Heading, Hierarchy, ListedConcept, Relation, Source};

/// How RDF is written down.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Turtle, and N-Triples, which is a part of it.
    Turtle,
    RdfXml,
    JsonLd,
}

impl Syntax {
    /// The syntax that a file's ending tells.
    pub(crate) fn of(source: &Source) -> Option<Self> {
        match source.extension().as_str() {
            "ttl" | "turtle" | "nt" => Some(Self::Turtle),
            "rdf" | "xml" | "owl" | "skos" => Some(Self::RdfXml),
            "jsonld" => Some(Self::JsonLd),
            _ => None,
        }
    }
}

/// Whether a JSON value is JSON-LD.
pub(crate) fn is_json_ld(value: &Value) -> bool {
    ["@context", "@graph", "@id"].iter().any(|keyword| value.get(keyword).is_some())
}

/// Reads the concepts of a SKOS file, and their hierarchy where `broader` and `narrower` make a tree.
///
/// Names are the preferred labels in the language that most of them have. A certainty that Grove wrote is read too.
pub(crate) fn read(source: &Source, syntax: Syntax) -> Result<ConceptList, Error> {
    let thesaurus = Thesaurus::new(Graph::read(source, syntax)?);
    if thesaurus.concepts.is_empty() {
        return Err(Error::Empty { at: source.place(), expected: "skos:Concept" });
    }
    let entries = thesaurus.entries(source)?;
    let listed = entries.iter().map(|entry| ListedConcept {
        name: entry.name.clone(),
        definition: entry.definition.clone(),
        synonyms: entry.synonyms.clone(),
        line: None,
    });
    let list = ConceptList::new(listed.collect(), &source.place())?;
    match thesaurus.relates() {
        true => Ok(list.with_hierarchy(thesaurus.hierarchy(entries, source))),
        false => Ok(list),
    }
}

struct Thesaurus {
    graph: Graph,
    /// Where the concepts stand among the graph's subjects.
    concepts: Vec<usize>,
    number: HashMap<NamedOrBlankNode, Concept>,
    scheme: Option<usize>,
    language: Option<String>,
}

impl Thesaurus {
    fn new(graph: Graph) -> Self {
        let is_scheme = |node: &Node| node.has_type(skos::CONCEPT_SCHEME);
        let is_concept = |node: &Node| {
            node.has_type(skos::CONCEPT)
                || node.literals(skos::PREF_LABEL).next().is_some() && !is_scheme(node)
        };
        let subjects = || graph.subjects.iter().enumerate();
        let concepts: Vec<usize> =
            subjects().filter(|(_, (_, node))| is_concept(node)).map(|(at, _)| at).collect();
        let scheme = subjects().find(|(_, (_, node))| is_scheme(node)).map(|(at, _)| at);
        let numbers = concepts.iter().zip(1..);
        let number =
            numbers.map(|(&at, number)| (graph.subjects[at].0.clone(), Concept::new(number))).collect();
        let labels = concepts.iter().flat_map(|&at| graph.subjects[at].1.literals(skos::PREF_LABEL));
        let language = most_frequent_language(labels);
        Self { graph, concepts, number, scheme, language }
    }

    fn nodes(&self) -> impl Iterator<Item = (&NamedOrBlankNode, &Node)> {
        self.concepts.iter().map(|&at| (&self.graph.subjects[at].0, &self.graph.subjects[at].1))
    }

    fn scheme(&self) -> Option<(&NamedOrBlankNode, &Node)> {
        self.scheme.map(|at| (&self.graph.subjects[at].0, &self.graph.subjects[at].1))
    }

    /// The concepts with names and texts, all still at the top.
    fn entries(&self, source: &Source) -> Result<Vec<Entry>, Error> {
        let ids = self.ids();
        let entry = |((subject, node), id): ((&NamedOrBlankNode, &Node), Option<String>)| {
            let label =
                self.pick(node, skos::PREF_LABEL).or_else(|| self.pick(node, oxrdf::vocab::rdfs::LABEL));
            let label = label.ok_or_else(|| Error::Shape {
                at: source.place(),
                expected: "a skos:prefLabel for every concept",
                found: format!("none for {subject}"),
            })?;
            let in_language = |literal: &&Literal| {
                literal.language().is_none_or(|tag| Some(tag) == self.language.as_deref())
            };
            let synonyms = node.literals(skos::ALT_LABEL).filter(in_language);
            Ok(Entry {
                name: read_name(label, &source.place(), "skos:prefLabel")?,
                id,
                definition: self.pick(node, skos::DEFINITION).map(str::to_owned),
                synonyms: synonyms.map(|literal| literal.value().to_owned()).collect(),
                ..Entry::default()
            })
        };
        self.nodes().zip(ids).map(entry).collect()
    }

    /// The literal in our language, else one without, else any.
    fn pick<'a>(&self, node: &'a Node, predicate: NamedNodeRef<'_>) -> Option<&'a str> {
        let rank = |literal: &&Literal| match literal.language() {
            tag if tag == self.language.as_deref() => 0,
            None => 1,
            Some(_) => 2,
        };
        node.literals(predicate).min_by_key(rank).map(Literal::value)
    }

    /// The last parts of the IRIs, where they are good as identifiers and all different.
    fn ids(&self) -> Vec<Option<String>> {
        let last = |subject: &NamedOrBlankNode| match subject {
            NamedOrBlankNode::NamedNode(node) => {
                node.as_str().rsplit(['/', '#', ':']).next().map(str::to_owned)
            }
            NamedOrBlankNode::BlankNode(_) => None,
        };
        let ids: Vec<Option<String>> =
            self.nodes().map(|(subject, _)| last(subject).filter(|id| is_id(id))).collect();
        let distinct: std::collections::HashSet<String> =
            ids.iter().flatten().map(|id| id.to_lowercase()).collect();
        match distinct.len() == ids.iter().flatten().count() {
            true => ids,
            false => vec![None; ids.len()],
        }
    }

    /// Whether the file says anything of what is above what.
    fn relates(&self) -> bool {
        let terms = [skos::BROADER, skos::NARROWER, skos::TOP_CONCEPT_OF, skos::HAS_TOP_CONCEPT];
        let says = |node: &Node| terms.into_iter().any(|term| node.objects(term).next().is_some());
        self.nodes().chain(self.scheme()).any(|(_, node)| says(node))
    }

    fn hierarchy(&self, mut entries: Vec<Entry>, source: &Source) -> Result<Hierarchy, Error> {
        let unknown = |subject: &NamedOrBlankNode| Error::UnknownConcept {
            at: source.place(),
            name: subject.to_string(),
            nearest: None,
        };
        let find =
            |subject: &NamedOrBlankNode| self.number.get(subject).copied().ok_or_else(|| unknown(subject));
        let mut parents: Vec<Vec<Concept>> = vec![Vec::new(); entries.len()];
        let mut relate = |parent: Concept, child: Concept| {
            let known = &mut parents[child.index() - 1];
            if !known.contains(&parent) {
                known.push(parent);
            }
        };
        for (number, (_, node)) in (1..).map(Concept::new).zip(self.nodes()) {
            for parent in node.nodes(skos::BROADER) {
                relate(find(&parent)?, number);
            }
            for child in node.nodes(skos::NARROWER) {
                relate(number, find(&child)?);
            }
        }
        for (at, parents) in parents.into_iter().enumerate() {
            if let [first, second, ..] = parents[..] {
                return Err(Error::TwoParents {
                    at: source.place(),
                    child: entries[at].name.clone(),
                    parents: [first, second].map(|parent| entries[parent.index() - 1].name.clone()),
                });
            }
            entries[at].parent = parents.first().copied().unwrap_or(Concept::ROOT);
        }
        self.read_statements(&mut entries);
        let places = vec![source.place(); entries.len()];
        Hierarchy::with_places(self.heading(&entries), entries, &places, &source.place())
    }

    /// Certainties and votes as Grove writes them; statements about anything else are not ours.
    fn read_statements(&self, entries: &mut [Entry]) {
        let scheme = self.scheme().map(|(subject, _)| subject);
        for (_, node) in &self.graph.subjects {
            if !node.has_type(grove::STATEMENT) {
                continue;
            }
            let number = |subject: NamedOrBlankNode| match Some(&subject) == scheme {
                true => Some(Concept::ROOT),
                false => self.number.get(&subject).copied(),
            };
            let [child, parent] =
                [grove::CHILD, grove::PARENT].map(|term| node.nodes(term).next().and_then(number));
            let (Some(child), Some(parent)) = (child, parent) else { continue };
            let Some(entry) = child.index().checked_sub(1).map(|at| &mut entries[at]) else { continue };
            let value = |term| node.literals(term).next().map(Literal::value);
            let certainty = value(grove::CERTAINTY).and_then(|value| value.parse().ok());
            let count = |term| value(term).and_then(|value| value.parse().ok()).unwrap_or(0);
            if parent == entry.parent {
                (entry.certainty, entry.yes, entry.no) = (certainty, count(grove::YES), count(grove::NO));
            } else if let Some(certainty) = certainty {
                entry.alternatives.push((parent, certainty));
            }
        }
    }

    /// The scheme is the root. If a concept has its name, the root takes another.
    fn heading(&self, entries: &[Entry]) -> Heading {
        let named = |term| self.scheme().and_then(|(_, node)| self.pick(node, term)).map(str::to_owned);
        let title = named(dct::TITLE)
            .or_else(|| named(oxrdf::vocab::rdfs::LABEL))
            .or_else(|| named(skos::PREF_LABEL));
        let names = || entries.iter().map(|entry| entry.name.as_str());
        let taken: std::collections::HashSet<String> = names().map(name_key).collect();
        let root =
            named(grove::ROOT).or_else(|| title.clone()).filter(|root| !taken.contains(&name_key(root)));
        let root = root.unwrap_or_else(|| spare_root(names()));
        Heading {
            title: title.unwrap_or_else(|| root.clone()),
            language: self.language.clone().unwrap_or_else(|| "und".to_owned()),
            relation: named(grove::RELATION).map_or(Relation::IsA, |text| Relation::from_text(&text)),
            root,
        }
    }
}

/// The language tag that most literals have; of equals, the first in the alphabet.
fn most_frequent_language<'a>(labels: impl Iterator<Item = &'a Literal>) -> Option<String> {
    let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for label in labels {
        *counts.entry(label.language()).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|&(_, count)| count);
    most.and_then(|(tag, _)| tag.map(str::to_owned))
}
