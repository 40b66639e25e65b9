//! Hierarchies and reports with the names of the campaign.

use grove_belief::{
    Belief, DOUBTFUL_BELOW, Question, Reason, Report, ReportOptions, StopReason, Worker, agreed_tree,
    standing,
};
use grove_formats::{Entry, Heading, Hierarchy, LookAlike, NameIndex, look_alikes, name_key};
use grove_store::{Position, WorkerId};
use grove_tree::{Concept, Tree};
use std::collections::{BTreeMap, HashSet};

use crate::{ConceptState, Error, Follower, State};

/// Parents less probable than this are not listed.
const LEAST_ALTERNATIVE: f64 = 0.01;

impl State {
    /// Finds a present concept by name or synonym, whatever the case; 0 for the root.
    ///
    /// # Errors
    /// [`Error::UnknownConcept`] with the nearest name.
    pub fn find(&self, name: &str) -> Result<u32, Error> {
        let index = self.index();
        index.find(name).map(|concept| self.concepts().number(concept)).ok_or_else(|| Error::UnknownConcept {
            name: name.to_owned(),
            nearest: index.nearest(name).map(str::to_owned),
        })
    }

    /// The new names that are easily taken for that of a present concept, for the root, or for each other.
    pub fn look_alikes<'n>(&'n self, new: impl IntoIterator<Item = &'n str>) -> Vec<LookAlike> {
        let present = self.concepts().present().map(|concept| concept.name.as_str());
        look_alikes(std::iter::once(self.settings().root.as_str()).chain(present), new)
    }

    /// An index of the present concepts by the belief's numbers, as readers of votes want it.
    #[must_use]
    pub fn index(&self) -> NameIndex {
        let concepts =
            self.concepts().present().map(|concept| (concept.name.as_str(), concept.synonyms.as_slice()));
        NameIndex::new(Some(&self.settings().root), concepts)
    }

    /// A tree of the belief with the campaign's names, and with what the belief says about its edges.
    ///
    /// # Errors
    /// [`Error::Formats`] if a name is not valid in a hierarchy.
    pub fn hierarchy(&self, belief: &dyn Belief, tree: &Tree) -> Result<Hierarchy, Error> {
        Ok(believed_hierarchy(
            belief,
            tree,
            self.settings().heading(),
            self.entries(self.concepts().present()),
        )?)
    }

    /// All concepts directly under the root: what there is before anything is believed.
    ///
    /// # Errors
    /// As [`State::hierarchy`].
    pub fn flat_hierarchy(&self) -> Result<Hierarchy, Error> {
        Ok(Hierarchy::new(self.settings().heading(), self.entries(self.concepts().present()))?)
    }

    /// Concepts with their names and definitions, all directly under the root.
    pub(crate) fn entries<'s>(&self, concepts: impl IntoIterator<Item = &'s ConceptState>) -> Vec<Entry> {
        let mut taken = HashSet::from([name_key(&self.settings().root)]);
        let mut taken_ids = HashSet::new();
        let mut entry = |concept: &ConceptState| {
            let id = concept.origin.as_ref().and_then(|origin| origin.id());
            Entry {
                name: own_name(&concept.name, concept.number, &mut taken),
                id: id.filter(|id| taken_ids.insert(id.to_lowercase())).map(str::to_owned),
                definition: Some(concept.definition.clone()),
                synonyms: concept.synonyms.clone(),
                article: concept.article.clone(),
                origin: concept.origin.clone(),
                ..Entry::default()
            }
        };
        concepts.into_iter().map(&mut entry).collect()
    }
}

/// A tree with the names of its concepts, and with what a belief says about every edge: its certainty and why it is not larger, the
/// alternatives, the places between which people differ, and the votes on it.
/// `concepts[j - 1]` holds the name, the definition and the synonyms of concept `j`.
///
/// # Errors
/// As [`Hierarchy::new`].
pub fn believed_hierarchy(
    belief: &dyn Belief,
    tree: &Tree,
    heading: Heading,
    mut concepts: Vec<Entry>,
) -> Result<Hierarchy, grove_formats::Error> {
    for (entry, (parent, child)) in concepts.iter_mut().zip(tree.edges()) {
        let parents = belief.reported_parents(child);
        (entry.reasons, entry.places) = standing(belief, child, tree, &parents, DOUBTFUL_BELOW);
        let (listed, others): (Vec<_>, Vec<_>) = parents.into_iter().partition(|listed| listed.0 == parent);
        entry.parent = parent;
        entry.certainty = Some(listed.first().map_or(0.0, |listed| listed.1));
        entry.alternatives = others.into_iter().filter(|listed| listed.1 >= LEAST_ALTERNATIVE).collect();
        (entry.yes, entry.no) = tally(belief, parent, child);
    }
    Hierarchy::new(heading, concepts)
}

/// Two programs may have added the same name at the same time; then the number distinguishes them.
fn own_name(name: &str, number: u32, taken: &mut HashSet<String>) -> String {
    let mut own = name.to_owned();
    while !taken.insert(name_key(&own)) {
        own = format!("{own} ({number})");
    }
    own
}

/// The votes on a parent and its child, of both kinds of question.
fn tally(belief: &dyn Belief, parent: Concept, child: Concept) -> (u64, u64) {
    let questions = [Question::path(parent, child), Question::edge(parent, child)];
    questions.into_iter().flatten().fold((0, 0), |(yes, no), question| {
        let (more_yes, more_no) = belief.evidence().tally(question);
        (yes + more_yes as u64, no + more_no as u64)
    })
}

/// How many open places a message names.
const MOST_NAMED: usize = 5;

/// Why asking ends, and which places stay open and why.
pub(crate) fn end_message(reason: &StopReason, hierarchy: &Hierarchy) -> String {
    let open = open_places(hierarchy);
    if open.is_empty() { reason.to_string() } else { format!("{reason} {open}") }
}

/// The places that are not settled, in a sentence; empty if there are none.
#[must_use]
pub fn open_places(hierarchy: &Hierarchy) -> String {
    let unsettled: Vec<(&str, Reason)> = hierarchy
        .concepts()
        .map(|(_, entry)| (entry.name.as_str(), entry.shown_reason(DOUBTFUL_BELOW)))
        .filter(|(_, reason)| *reason != Reason::Settled)
        .collect();
    let of = |wanted: Reason| -> Vec<&str> {
        unsettled.iter().filter(|(_, reason)| *reason == wanted).map(|(name, _)| *name).collect()
    };
    let kinds = [
        (Reason::Differ, "people differ on"),
        (Reason::Open, "the answers leave open"),
        (Reason::Unasked, "not asked about"),
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .map(|(reason, text)| (of(reason), text))
        .filter(|(names, _)| !names.is_empty())
        .map(|(names, text)| format!("{text} {}", listed(&names)))
        .collect();
    match unsettled.len() {
        0 => String::new(),
        1 => format!("1 place stays open: {}.", parts.join("; ")),
        number => format!("{number} places stay open: {}.", parts.join("; ")),
    }
}

/// Names with commas, at most some of them.
fn listed(names: &[&str]) -> String {
    let named = names.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => named,
        others => format!("{named} and {others} more"),
    }
}

/// A report on a belief, from more trees than it works with, with the names of the campaign.
#[derive(Clone, Debug)]
pub struct NamedReport {
    /// The position up to which the log was taken in.
    pub position: Position,
    /// The report, in the belief's numbers.
    pub report: Report,
    /// The report's hierarchy; concept j of the report is concept j here.
    pub hierarchy: Hierarchy,
    /// The campaign's number of every concept: that of concept j at j - 1.
    pub numbers: Vec<u32>,
    /// The people who voted, by the belief's numbers.
    pub workers: BTreeMap<Worker, WorkerId>,
}

impl Follower {
    /// A report on the belief; none if there is no belief. May take as long as some hundred votes.
    ///
    /// # Errors
    /// As [`State::hierarchy`].
    pub fn report(&self, options: &ReportOptions) -> Result<Option<NamedReport>, Error> {
        let Some(engine) = self.engine() else { return Ok(None) };
        let refined = engine.refined();
        let (state, belief) = (self.state(), &*refined);
        let report = Report::of(belief, options);
        let hierarchy = state.hierarchy(belief, &report.hierarchy)?;
        Ok(Some(NamedReport {
            position: state.position(),
            hierarchy,
            numbers: state.concepts().numbers().to_vec(),
            workers: state.votes().numbered().map(|(number, worker)| (number, worker.clone())).collect(),
            report,
        }))
    }

    /// The hierarchy with certainties from the trees at hand: faster than a report, from fewer trees. All concepts are under the root if
    /// there is no belief yet.
    ///
    /// # Errors
    /// As [`State::hierarchy`].
    pub fn hierarchy(&self) -> Result<Hierarchy, Error> {
        match self.belief() {
            Some(belief) => self.state().hierarchy(belief, &agreed_tree(belief)),
            None => self.state().flat_hierarchy(),
        }
    }
}
