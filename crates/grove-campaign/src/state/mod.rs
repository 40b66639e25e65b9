//! The state of a campaign: a pure and total fold over its log. Entries that contradict earlier ones, because two programs
//! wrote at the same moment, have no effect and are listed as void; they never stop the fold.

mod change;
mod concepts;
mod exclusion;
mod hints;
mod history;
mod restore;
mod translate;
mod votes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use grove_belief::{Evidence, Spent, Worker};
use grove_formats::{Article, HeadIndex, Origin};
use grove_store::{
    Correction, CorrectionId, Entry, Event, Moment, Position, SubmittedVote, VoteId, VoteSource,
};
use serde::{Deserialize, Serialize};

use crate::operations::is_model;
use crate::{Measures, Settings, Work};
pub(crate) use change::{Change, EDGE_VOTES};
pub use concepts::{ConceptState, Concepts, Fate, number};
pub use history::{Edited, PastEdit};
pub use votes::{VoteState, Votes};

/// Whether a campaign collects answers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = CampaignStatus))]
pub enum Status {
    /// Workers are asked questions.
    #[default]
    Asking,
    /// The owner paused the campaign.
    Paused,
    /// The campaign has ended; it can be resumed.
    Stopped,
}

/// A correction, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorrectionState {
    /// Its id.
    pub id: CorrectionId,
    /// The statement that overrides the votes.
    pub correction: Correction,
    /// The statement as it was made, before concepts that it names were merged into others.
    pub(crate) made: Correction,
    /// When it was made.
    pub at: Moment,
    /// Its position in the log.
    pub position: Position,
    /// The position at which it was undone, if it was.
    pub undone: Option<Position>,
    /// Its number in the evidence, where it is part of it.
    pub(crate) evidence: Option<grove_belief::CorrectionId>,
}

/// How good the hierarchy was at one of the belief's records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CurvePoint {
    /// The position of the record.
    pub position: Position,
    /// When it was made.
    pub at: Moment,
    /// How good the hierarchy was then.
    pub measures: Measures,
}

/// An entry of the log that changes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Void {
    /// Its position in the log.
    pub position: Position,
    /// Why it changes nothing.
    pub reason: String,
}

/// A campaign after some entries of its log.
#[derive(Clone, Default, Debug)]
pub struct State {
    position: Position,
    settings: Settings,
    concepts: Concepts,
    votes: Votes,
    corrections: BTreeMap<CorrectionId, CorrectionState>,
    excluded: BTreeSet<VoteSource>,
    status: Status,
    reason: String,
    void: Vec<Void>,
    history: Vec<PastEdit>,
    curve: Vec<CurvePoint>,
    /// When the last concept was added, and the positions between which restored concepts were gone.
    last_added: Position,
    absences: Vec<(Position, Position)>,
    /// The names by which concepts are known to be above others, where that is evidence.
    heads: HeadIndex,
    /// The hierarchy that the concepts came with: the parent of each, by the campaign's numbers.
    start: BTreeMap<u32, u32>,
    /// What a belief is computed from; none as long as there is no concept.
    evidence: Option<Evidence>,
}

impl State {
    /// The state before the first entry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The state after these entries, which must be a log from its beginning.
    #[must_use]
    pub fn after<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        let mut state = Self::new();
        for entry in entries {
            state.read(entry);
        }
        state
    }

    /// The last entry read.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The concepts, past and present.
    #[must_use]
    pub fn concepts(&self) -> &Concepts {
        &self.concepts
    }

    /// The votes, those withdrawn included.
    #[must_use]
    pub fn votes(&self) -> &Votes {
        &self.votes
    }

    /// The corrections in force, the oldest first.
    #[must_use]
    pub fn corrections(&self) -> Vec<&CorrectionState> {
        let mut standing: Vec<_> = self.corrections.values().filter(|one| one.undone.is_none()).collect();
        standing.sort_by_key(|correction| correction.position);
        standing
    }

    /// A correction that was ever made, undone or not.
    pub(crate) fn made(&self, id: CorrectionId) -> Option<&CorrectionState> {
        self.corrections.get(&id)
    }

    /// How good the hierarchy has been over time, from the belief's own records.
    #[must_use]
    pub fn curve(&self) -> &[CurvePoint] {
        &self.curve
    }

    /// Whether questions are asked.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why no questions are asked, for people to read; may be empty.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The entries that changed nothing, and why.
    #[must_use]
    pub fn void(&self) -> &[Void] {
        &self.void
    }

    /// What a belief is computed from; none as long as there is no concept.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// What the votes have cost that were not withdrawn.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let questions = self.votes.standing_count() as u64;
        let money = self.settings.price().times(questions).unwrap_or_default();
        Spent { questions, money }
    }

    /// Reads the next entry and returns what it changes for a belief that has followed until now.
    pub(crate) fn read(&mut self, entry: &Entry) -> Option<Change> {
        self.position = entry.position;
        let edited = self.edit_of(&entry.event);
        let change = self.apply(entry);
        if let (Ok(_), Some(edited)) = (&change, edited) {
            self.note(entry, edited);
        }
        change.unwrap_or_else(|reason| {
            self.void.push(Void { position: entry.position, reason });
            None
        })
    }

    fn apply(&mut self, entry: &Entry) -> Result<Option<Change>, String> {
        match &entry.event {
            Event::ConceptAdded { concept, name, definition, synonyms, article, origin } => {
                self.concepts.add(ConceptState {
                    number: *concept,
                    name: name.clone(),
                    definition: definition.clone(),
                    synonyms: synonyms.clone(),
                    article: Article::parse(article).unwrap_or_default(),
                    // None for a concept that came from no file.
                    origin: Origin::deserialize(origin).ok().map(Arc::new),
                    fate: Fate::Present,
                });
                self.last_added = entry.position;
                self.concept_added(*concept)
            }
            Event::ConceptRenamed { concept, name } => {
                let concept = self.present(*concept)?;
                concept.name.clone_from(name);
                concept.article = Article::ByRule;
                Ok(self.renew_hints().then_some(Change::Rebuild))
            }
            Event::ConceptArticleSet { concept, article } => {
                self.present(*concept)?.article =
                    Article::parse(article).map_err(|error| error.to_string())?;
                Ok(None)
            }
            Event::ConceptRedescribed { concept, definition, synonyms } => {
                let concept = self.present(*concept)?;
                concept.definition.clone_from(definition);
                concept.synonyms.clone_from(synonyms);
                Ok(None)
            }
            Event::ConceptRemoved { concept } => self.remove(*concept, entry.position),
            Event::ConceptsMerged { gone, kept } => self.merge(*gone, *kept, entry.position),
            Event::ConceptRestored { concept } => self.restore(*concept, entry.position),
            Event::HierarchyGiven { places } => {
                self.start.extend(places.iter().copied());
                Ok(self.renew_hints().then_some(Change::Rebuild))
            }
            Event::VoteCast(vote) => Ok(self.cast(vote, entry)),
            Event::VoteWithdrawn { vote } => Ok(self.withdraw(*vote, entry.position)),
            Event::CorrectionMade { id, correction } => self.correct(*id, *correction, entry),
            Event::CorrectionTakenBack { correction } => Ok(self.undo(*correction, entry.position)),
            Event::Excluded { source } => self.set_excluded(source, true, entry.position),
            Event::Included { source } => self.set_excluded(source, false, entry.position),
            Event::SettingsChanged { settings } => self.change_settings(settings),
            Event::Paused { reason } => Ok(self.set(Status::Paused, reason)),
            Event::Resumed { .. } => Ok(self.set(Status::Asking, "")),
            Event::Stopped { reason } => Ok(self.set(Status::Stopped, reason)),
            Event::Advanced { work, .. } => {
                let measures = Work::from_json(work).and_then(|work| work.measures);
                let point = |measures| CurvePoint { position: entry.position, at: entry.at, measures };
                self.curve.extend(measures.map(point));
                Ok(None)
            }
            Event::WorkerErased { stand_in, first_vote } => {
                if let Some(gone) = first_vote.and_then(|first| self.votes.erase(first, stand_in)) {
                    self.rename_excluded(gone, stand_in);
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Names workers in entries that are read next as they were named before they were erased. The store has replaced the names in all
    /// earlier entries, so a vote that was read before the erasure names the worker, and one that is read after it the stand-in. They
    /// are one worker, and have to be read as one, or a replay, which finds the stand-in everywhere, would come to another belief.
    pub(crate) fn unify_erased(&self, entries: &mut [Entry]) {
        for at in 0..entries.len() {
            let (before, rest) = entries.split_at_mut(at);
            let Event::WorkerErased { stand_in, first_vote: Some(first) } = &rest[0].event else { continue };
            let read = self.votes.at(*first).map(|vote| &vote.response);
            let known = read.or_else(|| match &before.iter().find(|entry| entry.position == *first)?.event {
                Event::VoteCast(cast) => Some(&cast.response),
                _ => None,
            });
            let Some(worker) = known.map(|response| response.worker.clone()) else { continue };
            for entry in before {
                let named = match &mut entry.event {
                    Event::VoteCast(cast) => &mut cast.response.worker,
                    Event::Excluded { source: VoteSource::Worker(worker) }
                    | Event::Included { source: VoteSource::Worker(worker) } => worker,
                    _ => continue,
                };
                if *named == *stand_in {
                    named.clone_from(&worker);
                }
            }
        }
    }

    fn set(&mut self, status: Status, reason: &str) -> Option<Change> {
        (self.status, self.reason) = (status, reason.to_owned());
        None
    }

    fn present(&mut self, number: u32) -> Result<&mut ConceptState, String> {
        let concept = self.concepts.get_mut(number).filter(|concept| concept.fate == Fate::Present);
        concept.ok_or_else(|| format!("concept {number} was gone already"))
    }

    fn concept_added(&mut self, number: u32) -> Result<Option<Change>, String> {
        let change = match &mut self.evidence {
            Some(evidence) => {
                evidence.add_concept(EDGE_VOTES);
                Change::Add
            }
            None => {
                self.evidence = Some(self.empty_evidence(1)?);
                Change::Rebuild
            }
        };
        Ok(Some(if self.hint_at_new(number) { Change::Rebuild } else { change }))
    }

    fn remove(&mut self, number: u32, at: Position) -> Result<Option<Change>, String> {
        self.present(number)?;
        let gone = self.concepts.belief_number(number).ok_or("the concept was gone already")?;
        let change = match &mut self.evidence {
            Some(evidence) if evidence.count() > 1 => {
                evidence.remove_concept(gone, EDGE_VOTES).map_err(|error| error.to_string())?;
                Change::Remove(gone)
            }
            last => {
                *last = None;
                self.votes.all_mut().for_each(|vote| vote.evidence = None);
                Change::Rebuild
            }
        };
        self.concepts.end(number, Fate::Removed { at });
        self.end_corrections(at);
        Ok(Some(if self.renew_hints() { Change::Rebuild } else { change }))
    }

    fn merge(&mut self, gone: u32, kept: u32, at: Position) -> Result<Option<Change>, String> {
        self.present(gone)?;
        self.present(kept)?;
        let number = |concept| self.concepts.belief_number(concept).ok_or("a concept was gone already");
        let (gone_number, kept_number) = (number(gone)?, number(kept)?);
        let evidence = self.evidence.as_mut().ok_or("there is no concept")?;
        evidence.merge(gone_number, kept_number).map_err(|error| error.to_string())?;
        self.concepts.end(gone, Fate::Merged { into: kept, at });
        self.corrections.values_mut().for_each(|standing| {
            standing.correction =
                standing.correction.map(|number| if number == gone { kept } else { number });
        });
        self.end_corrections(at);
        let merge = Change::Merge { gone: gone_number, kept: kept_number };
        Ok(Some(if self.renew_hints() { Change::Rebuild } else { merge }))
    }

    /// Ends the corrections that went from the evidence together with a concept.
    fn end_corrections(&mut self, at: Position) {
        let standing: BTreeSet<_> = self
            .evidence
            .iter()
            .flat_map(|evidence| evidence.corrections().iter().map(|(id, _)| id))
            .collect();
        for correction in self.corrections.values_mut().filter(|correction| correction.undone.is_none()) {
            if correction.evidence.is_some_and(|id| !standing.contains(&id)) {
                correction.undone = Some(at);
                correction.evidence = None;
            }
        }
    }

    fn cast(&mut self, submitted: &SubmittedVote, entry: &Entry) -> Option<Change> {
        let SubmittedVote { id, response, took_ms, link } = submitted;
        let worker = self.votes.register(&response.worker);
        let excluded = self.is_excluded(&response.worker, *link);
        let believed = self.response(worker, response.screen.clone(), response.reply.clone());
        let believed = believed.filter(|_| !excluded);
        let declared = is_model(&response.worker) && self.declare_model(worker);
        let recorded = believed.clone().and_then(|said| self.evidence.as_mut()?.respond(said).ok());
        self.votes.push(VoteState {
            id: *id,
            response: response.clone(),
            took_ms: *took_ms,
            link: *link,
            at: entry.at,
            position: entry.position,
            withdrawn: None,
            excluded,
            evidence: recorded,
        });
        let change = recorded.and(believed).map(Change::Record);
        if declared { Some(Change::Rebuild) } else { change }
    }

    fn withdraw(&mut self, vote: VoteId, at: Position) -> Option<Change> {
        let evidence = self.votes.withdraw(vote, at)?.evidence.take()?;
        self.evidence.as_mut()?.withdraw(evidence).ok()?;
        Some(Change::Withdraw(evidence))
    }

    fn correct(
        &mut self,
        id: CorrectionId,
        correction: Correction,
        entry: &Entry,
    ) -> Result<Option<Change>, String> {
        let made = match (self.correction(correction), &mut self.evidence) {
            (Ok(Some(believed)), Some(evidence)) => {
                evidence.correct(believed).map(|id| Some((id, believed))).map_err(|error| error.to_string())
            }
            (Ok(_), _) => Ok(None),
            (Err(reason), _) => Err(reason),
        };
        let stands = CorrectionState {
            id,
            correction,
            made: correction,
            at: entry.at,
            position: entry.position,
            undone: made.is_err().then_some(entry.position),
            evidence: made.as_ref().ok().copied().flatten().map(|(id, _)| id),
        };
        self.corrections.insert(id, stands);
        made.map(|made| made.map(|(_, believed)| Change::Correct(believed)))
    }

    /// Declares in the evidence that a worker is a model; returns whether that is new there.
    fn declare_model(&mut self, worker: Worker) -> bool {
        let evidence = self.evidence.as_mut().filter(|evidence| !evidence.is_model(worker));
        evidence.is_some_and(|evidence| evidence.declare_model(worker).is_ok())
    }

    fn undo(&mut self, id: CorrectionId, at: Position) -> Option<Change> {
        let correction = self.corrections.get_mut(&id).filter(|correction| correction.undone.is_none())?;
        correction.undone = Some(at);
        let evidence = correction.evidence.take()?;
        self.evidence.as_mut()?.take_back(evidence).ok()?;
        Some(Change::Undo(evidence))
    }

    fn change_settings(&mut self, json: &serde_json::Value) -> Result<Option<Change>, String> {
        let settings = Settings::from_json(json).map_err(|error| error.to_string())?;
        let rebuild = settings.changes_belief(&self.settings);
        self.settings = settings;
        self.votes.number_people_from(self.settings.pseudo_workers().count() as u32);
        if self.evidence.is_none() {
            self.heads = HeadIndex::new(&self.settings.language);
        }
        if !rebuild || self.evidence.is_none() {
            return Ok(None);
        }
        self.rebuild_evidence()?;
        Ok(Some(Change::Rebuild))
    }

    /// Records all votes and corrections again under the present settings.
    fn rebuild_evidence(&mut self) -> Result<(), String> {
        let Some(old) = self.evidence.take() else { return Ok(()) };
        let mut new = self.empty_evidence(old.count())?;
        for hint in self.hints() {
            new.hint(hint).map_err(|error| error.to_string())?;
        }
        let (before, after) = (old.pseudo_workers().len(), new.pseudo_workers().len());
        let mut renumbered = BTreeMap::new();
        for (id, response) in old.responses() {
            let worker = Worker::new((response.worker.index() - before + after) as u32);
            let recorded = new.respond(grove_belief::Response { worker, ..response });
            renumbered.insert(id, recorded.map_err(|error| error.to_string())?);
        }
        self.votes.all_mut().for_each(|vote| {
            vote.evidence = vote.evidence.and_then(|id| renumbered.get(&id).copied());
        });
        let mut renumbered = BTreeMap::new();
        for (id, correction) in old.corrections().iter() {
            renumbered.insert(id, new.correct(correction).map_err(|error| error.to_string())?);
        }
        for correction in self.corrections.values_mut() {
            correction.evidence = correction.evidence.and_then(|id| renumbered.get(&id).copied());
        }
        self.evidence = Some(new);
        Ok(())
    }
}
