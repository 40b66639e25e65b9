//! Hints: evidence about the concepts that is not a vote, from their names and from a hierarchy that they came with.

use std::collections::HashSet;

use grove_belief::{Answer, Evidence, PseudoWorker, Question, Response, Vote, Worker};
use grove_formats::HeadIndex;
use grove_tree::Concept;
use grove_vocabulary::{Form, Reply, Screen};

use super::{Fate, State};
use crate::operations::is_model;

impl State {
    /// Evidence about `count` concepts without votes or hints.
    pub(super) fn empty_evidence(&self, count: usize) -> Result<Evidence, String> {
        let reading = self.settings.belief().map_err(|error| error.to_string())?;
        let mut evidence = Evidence::new(count, reading).map_err(|error| error.to_string())?;
        for (worker, kind) in self.settings.pseudo_workers() {
            evidence.introduce(worker, kind).map_err(|error| error.to_string())?;
        }
        for (worker, _) in self.votes.numbered().filter(|(_, id)| is_model(id)) {
            evidence.declare_model(worker).map_err(|error| error.to_string())?;
        }
        Ok(evidence)
    }

    /// Whether the hierarchy that the concepts came with is evidence.
    #[must_use]
    pub fn starts_from_hierarchy(&self) -> bool {
        let mut hints = self.evidence.iter().flat_map(Evidence::hints);
        hints.any(|hint| hint.screen.form() == Form::Place)
    }

    /// The belief's number of a pseudo-worker; none if the settings do not use it.
    fn pseudo(&self, wanted: PseudoWorker) -> Option<Worker> {
        self.settings.pseudo_workers().find(|(_, kind)| *kind == wanted).map(|(worker, _)| worker)
    }

    /// Adds the hints that follow from the name of a new concept, in place of those about less specific heads; returns
    /// whether there were any.
    pub(super) fn hint_at_new(&mut self, number: u32) -> bool {
        let Some(worker) = self.pseudo(PseudoWorker::Names) else { return false };
        let Some(name) = self.concepts.get(number).map(|concept| concept.name.as_str()) else { return false };
        let changed = self.heads.add(number, name);
        let hints: Vec<Response> = changed.iter().flat_map(|&lower| self.heads_of(worker, lower)).collect();
        let lowers: HashSet<Concept> =
            changed.iter().filter_map(|&lower| self.concepts.belief_number(lower)).collect();
        let Some(evidence) = &mut self.evidence else { return false };
        let is_old = |hint: &Response| {
            hint.worker == worker && hint.vote().is_some_and(|vote| lowers.contains(&vote.question.lower))
        };
        if evidence.hints().iter().any(is_old) {
            evidence.keep_hints(|hint| !is_old(hint));
        }
        hints.into_iter().filter(|hint| evidence.hint(hint.clone()).is_ok()).count() > 0
    }

    /// Brings the hints up to date with the concepts; returns whether that changed anything.
    pub(super) fn renew_hints(&mut self) -> bool {
        let mut wanted = self.hints();
        let Some(evidence) = &mut self.evidence else { return false };
        let mut known = evidence.hints().to_vec();
        known.sort_unstable();
        wanted.sort_unstable();
        if wanted == known {
            return false;
        }
        evidence.keep_hints(|_| false);
        for hint in wanted {
            // What a hint is about was looked up among the present concepts.
            let _ = evidence.hint(hint);
        }
        true
    }

    /// All hints about the present concepts.
    pub(super) fn hints(&mut self) -> Vec<Response> {
        let mut hints = Vec::new();
        if let Some(worker) = self.pseudo(PseudoWorker::Names) {
            self.heads = HeadIndex::new(&self.settings.language);
            for concept in self.concepts.present() {
                self.heads.add(concept.number, &concept.name);
            }
            hints.extend(self.concepts.present().flat_map(|concept| self.heads_of(worker, concept.number)));
        }
        if let Some(worker) = self.pseudo(PseudoWorker::Hierarchy) {
            hints.extend(self.start.keys().filter_map(|&number| self.place_in_start(worker, number)));
        }
        hints
    }

    /// The hints that a concept is under those whose names are the nearest head of its own.
    fn heads_of(&self, worker: Worker, lower: u32) -> impl Iterator<Item = Response> {
        let heads = self.concepts.get(lower).map_or(&[][..], |concept| self.heads.nearest(&concept.name));
        heads.iter().filter_map(move |&upper| {
            let number = |concept| self.concepts.belief_number(concept);
            let question = Question::edge(number(upper)?, number(lower)?).ok()?;
            Some(Vote { question, worker, answer: Answer::Yes }.into())
        })
    }

    /// The place of a concept in the given hierarchy: under its nearest ancestor there that is still present.
    fn place_in_start(&self, worker: Worker, number: u32) -> Option<Response> {
        let concept = self.concepts.get(number).filter(|concept| concept.fate == Fate::Present)?;
        let lower = self.concepts.belief_number(concept.number)?;
        let mut above = self.start.get(&number).copied();
        // A log may contain cycles, so the walk is bounded.
        for _ in 0..=self.start.len() {
            let upper = match above? {
                0 => Concept::ROOT,
                other => match self.concepts.belief_number(other) {
                    Some(upper) if upper != lower => upper,
                    _ => {
                        above = self.start.get(&other).copied();
                        continue;
                    }
                },
            };
            let reply = if upper.is_root() { Reply::Top } else { Reply::Under(upper) };
            return Some(Response { worker, screen: Screen::Place { lower }, reply });
        }
        None
    }
}
