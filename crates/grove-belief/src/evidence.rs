//! Everything that is known about a set of concepts: votes, corrections, and the settings that say how to read them.

use std::collections::HashMap;
use std::ops::Range;

use grove_tree::Concept;

use crate::Correction;
use crate::ballot::{Crowd, Judge, LogRates};
use crate::corrections::{CorrectionId, Corrections};
use crate::dissent::Dissent;
use crate::factors::{Factor, Factors};
use crate::noise::{Noise, Rates};
use crate::pairs::{PairId, Pairs, Score, said_yes};
use crate::prior::ParentPrior;
use crate::pseudo::{PseudoWorker, odds_of_head};
use crate::vote::MOST_WORKERS;
use crate::{
    Answer, Belief, Error, Form, Kind, Prior, Question, Reply, Response, Screen, Vote, VoteId, Worker,
};

/// How votes are interpreted.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// How people answer.
    pub noise: Noise,
    /// Whether, and how often, people place a concept differently. Only the ensemble knows of it.
    pub dissent: Option<Dissent>,
    /// What is believed before the first vote.
    pub prior: Prior,
}

impl Default for Settings {
    /// Every worker's rates are learnt, people may differ, and how many concepts have others below them is learnt as well
    /// ([`Prior::taxonomy`]).
    fn default() -> Self {
        Self {
            noise: Noise::Learnt(crate::WorkerPrior::default()),
            dissent: Some(Dissent::default()),
            prior: Prior::taxonomy(),
        }
    }
}

impl Settings {
    /// The paper's setting: everybody errs with this known rate, and all place concepts alike.
    ///
    /// # Errors
    /// [`Error::BadRate`] unless 0 <= noise <= 1.
    pub fn one_rate(noise: f64) -> Result<Self, Error> {
        Ok(Self { noise: Noise::Given(Rates::one(noise)?), dissent: None, prior: Prior::uniform() })
    }
}

/// What becomes of edge votes when the set of concepts changes: they were about the old set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeVotes {
    /// They keep their weight: the owner knows that the change puts no concept between two others.
    Keep,
    /// They count for what still follows from them. "Directly under" becomes "somewhere under" when a concept is
    /// added, which might come between; and "not directly under" is dropped when one is removed that may have been
    /// between. Answers to "where does it belong?" keep their weight: they are most of what somebody who answers
    /// alone says, and without them every place would be open again. So it takes more than one answer to show that a
    /// new concept belongs between two others.
    Weaken,
}

/// A worker's answers to questions whose true answer was known beforehand.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct GoldTally {
    /// Answers to questions whose true answer is yes: (yes, no).
    pub true_yes: [u32; 2],
    /// Answers to questions whose true answer is no: (yes, no).
    pub true_no: [u32; 2],
}

/// One thing that a worker said.
#[derive(Clone, Debug)]
enum Cast {
    Vote(Vote),
    /// To another form than yes/no, with the factors that it is made of.
    Response(Box<Response>, Range<u32>),
}

impl Cast {
    fn response(&self) -> Response {
        match self {
            Self::Vote(vote) => (*vote).into(),
            Self::Response(response, _) => Response::clone(response),
        }
    }
}

/// Votes, corrections and settings over a set of concepts. A plain value that engines read; the order of votes does not matter.
#[derive(Clone, Debug)]
pub struct Evidence {
    count: usize,
    settings: Settings,
    votes: Vec<Option<Cast>>,
    answered: HashMap<(Worker, Question), u32>,
    /// How often a worker was shown a pair (upper, lower) in another form; for a place, the upper one is the root.
    shown: HashMap<(Worker, Form, Concept, Concept), u32>,
    pairs: Pairs,
    factors: Factors,
    /// How many responses to other forms than yes/no count.
    responses: usize,
    /// The pseudo-workers.
    pseudo: Vec<(Worker, PseudoWorker)>,
    /// The workers that are language models.
    models: Vec<Worker>,
    hints: Vec<Response>,
    /// How many hints name a concept as the parent of another because of its name.
    heads: HashMap<Concept, u32>,
    gold: Vec<GoldTally>,
    workers: usize,
    /// How many votes each worker has cast that count, and how many workers have any.
    cast: Vec<u32>,
    voters: usize,
    corrections: Corrections,
    /// The prior of the number of parents, for this number of concepts.
    parents: ParentPrior,
}

impl Evidence {
    /// Evidence about `count` concepts without any votes.
    ///
    /// # Errors
    /// [`Error::NoConcept`] if `count` is 0, [`Error::UnknownConcept`] if the prior has odds for a concept that does not exist.
    pub fn new(count: usize, settings: Settings) -> Result<Self, Error> {
        if count == 0 {
            return Err(Error::NoConcept);
        }
        let parents = settings.prior.of_parents(count);
        let mut evidence = Self {
            count,
            settings,
            parents,
            votes: Vec::new(),
            answered: HashMap::new(),
            shown: HashMap::new(),
            pairs: Pairs::new(count),
            factors: Factors::new(count),
            responses: 0,
            pseudo: Vec::new(),
            models: Vec::new(),
            hints: Vec::new(),
            heads: HashMap::new(),
            gold: Vec::new(),
            workers: 0,
            cast: Vec::new(),
            voters: 0,
            corrections: Corrections::new(count),
        };
        evidence.apply_odds()?;
        Ok(evidence)
    }

    fn apply_odds(&mut self) -> Result<(), Error> {
        let odds: Vec<_> = self.settings.prior.odds().collect();
        for ((upper, lower), odds) in odds {
            self.check(upper)?;
            self.check(lower)?;
            self.pairs.set_odds(upper, lower, odds);
        }
        Ok(())
    }

    /// Checks that there is such a concept, or that it is the root.
    pub(crate) fn check(&self, concept: Concept) -> Result<(), Error> {
        if concept.index() <= self.count {
            Ok(())
        } else {
            Err(Error::UnknownConcept { concept, count: self.count })
        }
    }

    /// The number of concepts, N.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// How votes are read.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The corrections in force.
    #[must_use]
    pub fn corrections(&self) -> &Corrections {
        &self.corrections
    }

    fn cast(&self) -> impl Iterator<Item = (VoteId, &Cast)> {
        self.votes.iter().enumerate().filter_map(|(at, cast)| Some((VoteId(at as u32), cast.as_ref()?)))
    }

    /// The votes that count, with their numbers, in the order of recording: what was said to yes/no questions.
    pub fn votes(&self) -> impl Iterator<Item = (VoteId, &Vote)> {
        self.cast().filter_map(|(id, cast)| match cast {
            Cast::Vote(vote) => Some((id, vote)),
            Cast::Response(..) => None,
        })
    }

    /// Everything that was said and counts, votes among it, with its number, in the order of recording.
    pub fn responses(&self) -> impl Iterator<Item = (VoteId, Response)> {
        self.cast().map(|(id, cast)| (id, cast.response()))
    }

    /// What has this number; `None` if it was withdrawn, or never recorded.
    #[must_use]
    pub fn response(&self, id: VoteId) -> Option<Response> {
        self.votes.get(id.index())?.as_ref().map(Cast::response)
    }

    /// Whether anything was said to another form than yes/no.
    pub(crate) fn has_forms(&self) -> bool {
        self.responses > 0 || self.pseudo.iter().any(|(_, kind)| *kind == PseudoWorker::Hierarchy)
    }

    /// The pseudo-workers, with their worker numbers.
    #[must_use]
    pub fn pseudo_workers(&self) -> &[(Worker, PseudoWorker)] {
        &self.pseudo
    }

    /// Which pseudo-worker this is; `None` for a person.
    #[must_use]
    pub fn pseudo(&self, worker: Worker) -> Option<PseudoWorker> {
        self.pseudo.iter().find(|(other, _)| *other == worker).map(|(_, kind)| *kind)
    }

    /// Whether this worker was declared to be language models.
    #[must_use]
    pub fn is_model(&self, worker: Worker) -> bool {
        self.models.contains(&worker)
    }

    /// What the pseudo-workers say, in the order of recording. None of it is a vote.
    #[must_use]
    pub fn hints(&self) -> &[Response] {
        &self.hints
    }

    /// Picks and ticks.
    pub(crate) fn factors(&self) -> &Factors {
        &self.factors
    }

    /// How many votes and responses were ever recorded; the next one gets this number.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.votes.len()
    }

    /// One more than the largest worker number seen.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// How many workers have cast a vote that counts, including pseudo-workers that have given hints.
    pub(crate) fn voters(&self) -> usize {
        self.voters
    }

    /// A worker's answers to gold questions.
    #[must_use]
    pub fn gold(&self, worker: Worker) -> GoldTally {
        self.gold.get(worker.index()).copied().unwrap_or_default()
    }

    /// Whether this worker has answered this question, "can't say" included.
    #[must_use]
    pub fn has_answered(&self, worker: Worker, question: Question) -> bool {
        self.answered.contains_key(&(worker, question))
    }

    /// Whether this worker was shown, and answered, this pair in this form: in a pick about `lower` with `upper` among the options, or in a tick of `upper` with a box
    /// for `lower`. For a place of `lower`, `upper` is the root.
    #[must_use]
    pub fn was_shown(&self, worker: Worker, form: Form, upper: Concept, lower: Concept) -> bool {
        match form {
            Form::YesNo => {
                Question::path(upper, lower).is_ok_and(|question| self.has_answered(worker, question))
            }
            _ => self.shown.contains_key(&(worker, form, upper, lower)),
        }
    }

    /// The (yes, no) votes on a question.
    #[must_use]
    pub fn tally(&self, question: Question) -> (usize, usize) {
        self.pairs.ballot(question).map_or((0, 0), |ballot| (ballot.yes(), ballot.no()))
    }

    pub(crate) fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// Whether anybody answered a question about a concept with yes or no, or a correction is about it.
    pub(crate) fn was_asked(&self, concept: Concept) -> bool {
        let voted = |&(_, pair): &(Concept, PairId)| !self.pairs.get(pair).is_empty();
        self.pairs.touching(concept).iter().any(voted)
            || self.factors.about(concept).next().is_some()
            || self.factors.naming(concept).next().is_some()
            || self.corrections.constraints().of(concept).is_any()
    }

    pub(crate) fn parent_prior(&self) -> &ParentPrior {
        &self.parents
    }

    /// Whether the settings ask for something that only the ensemble knows of: people who differ, or a learnt number of parents.
    pub(crate) fn asks_for_ensemble(&self) -> bool {
        self.settings.dissent.is_some() || self.settings.prior.learns_parents()
    }

    fn check_worker(worker: Worker) -> Result<(), Error> {
        if worker.index() < MOST_WORKERS { Ok(()) } else { Err(Error::UnknownWorker(worker.index())) }
    }

    /// Records a vote.
    ///
    /// # Errors
    /// [`Error::UnknownConcept`] and [`Error::Pair`] for a question that cannot be asked, [`Error::UnknownWorker`] for a number from
    /// [`MOST_WORKERS`] up.
    pub fn record(&mut self, vote: Vote) -> Result<VoteId, Error> {
        Self::check_worker(vote.worker)?;
        vote.question.check()?;
        self.check(vote.question.upper)?;
        self.check(vote.question.lower)?;
        let id = VoteId(u32::try_from(self.votes.len()).expect("fewer votes than 32 bits count"));
        self.count_vote(vote);
        self.votes.push(Some(Cast::Vote(vote)));
        Ok(id)
    }

    /// Records a reply to a screen of any form; to a yes/no screen, as [`Evidence::record`].
    ///
    /// # Errors
    /// As [`Evidence::record`], and [`Error::Pair`] for a reply that does not fit its screen.
    pub fn respond(&mut self, response: Response) -> Result<VoteId, Error> {
        response.check()?;
        if let Some(vote) = response.vote() {
            return self.record(vote);
        }
        Self::check_worker(response.worker)?;
        response.screen.concepts().chain(response.reply.concepts()).try_for_each(|&one| self.check(one))?;
        let id = VoteId(u32::try_from(self.votes.len()).expect("fewer votes than 32 bits count"));
        let factors = self.count_response(&response);
        self.votes.push(Some(Cast::Response(Box::new(response), factors)));
        Ok(id)
    }

    /// Declares that a worker is a pseudo-worker. Must come before its first hint.
    ///
    /// # Errors
    /// [`Error::UnknownWorker`] for a number from [`MOST_WORKERS`] up.
    pub fn introduce(&mut self, worker: Worker, kind: PseudoWorker) -> Result<(), Error> {
        Self::check_worker(worker)?;
        self.pseudo.retain(|(other, _)| *other != worker);
        self.pseudo.push((worker, kind));
        self.pseudo.sort_unstable();
        self.workers = self.workers.max(worker.index() + 1);
        Ok(())
    }

    /// Declares that the votes of a worker are those of language models, which are no people of the crowd. Must come before the first of them.
    ///
    /// # Errors
    /// [`Error::UnknownWorker`] for a number from [`MOST_WORKERS`] up.
    pub fn declare_model(&mut self, worker: Worker) -> Result<(), Error> {
        Self::check_worker(worker)?;
        if !self.is_model(worker) {
            self.models.push(worker);
        }
        Ok(())
    }

    /// Records what a pseudo-worker says: an answer to an edge question, or a place. It is evidence but not a vote: it
    /// has no number, and no count of votes includes it.
    ///
    /// # Errors
    /// As [`Evidence::respond`], and [`Error::NoHint`] for a worker that was not introduced, or for any other
    /// response.
    pub fn hint(&mut self, response: Response) -> Result<(), Error> {
        response.check()?;
        if self.pseudo(response.worker).is_none() || !is_hint(&response) {
            return Err(Error::NoHint);
        }
        response.screen.concepts().chain(response.reply.concepts()).try_for_each(|&one| self.check(one))?;
        self.count_hint(&response);
        self.hints.push(response);
        Ok(())
    }

    /// The prior odds that a concept is the parent of another of whose name it is the head, for the mean number of names
    /// that share a head (the mean is over pairs).
    pub(crate) fn head_odds(&self) -> f64 {
        let (pairs, squares) = self.heads.values().fold((0, 0), |(pairs, squares), &together| {
            (pairs + u64::from(together), squares + u64::from(together).pow(2))
        });
        odds_of_head(squares as f64 / pairs.max(1) as f64, self.count)
    }

    /// Keeps only some of the hints.
    pub fn keep_hints(&mut self, keep: impl Fn(&Response) -> bool) {
        self.hints.retain(|hint| keep(hint));
        self.rewrite_votes(Some, Some);
    }

    fn count_hint(&mut self, hint: &Response) {
        self.count_worker(hint.worker);
        if let Some((upper, lower)) = placed(hint) {
            self.pairs.insert_hinted_place(hint.worker, upper, lower);
        } else if let Some(Vote { question, answer, worker }) = hint.vote()
            && let Some(yes) = said_yes(answer)
        {
            self.pairs.insert_hint(worker, question.upper, question.lower, yes);
            *self.heads.entry(question.upper).or_default() += 1;
        }
    }

    fn count_vote(&mut self, vote: Vote) {
        self.pairs.insert(&vote);
        *self.answered.entry((vote.worker, vote.question)).or_default() += 1;
        self.count_worker(vote.worker);
    }

    /// Adds a response to all counts; the numbers of its factors.
    fn count_response(&mut self, response: &Response) -> Range<u32> {
        for key in shown(response) {
            *self.shown.entry(key).or_default() += 1;
        }
        self.responses += 1;
        self.count_worker(response.worker);
        if let Some((upper, lower)) = placed(response) {
            self.pairs.insert_place(response.worker, upper, lower);
        }
        let ids: Vec<u32> =
            Factor::of(response).into_iter().map(|factor| self.factors.insert(factor)).collect();
        ids.first().map_or(0..0, |&first| first..first + ids.len() as u32)
    }

    fn count_worker(&mut self, worker: Worker) {
        self.workers = self.workers.max(worker.index() + 1);
        self.cast.resize(self.workers, 0);
        self.voters += usize::from(self.cast[worker.index()] == 0);
        self.cast[worker.index()] += 1;
    }

    /// Withdraws a vote or a response of another form, as if it had never been cast.
    ///
    /// # Errors
    /// [`Error::UnknownVote`] if it was never recorded, or is withdrawn already.
    pub fn withdraw(&mut self, id: VoteId) -> Result<Response, Error> {
        let slot = self.votes.get_mut(id.index()).ok_or(Error::UnknownVote(id.index()))?;
        let cast = slot.take().ok_or(Error::UnknownVote(id.index()))?;
        let response = cast.response();
        match cast {
            Cast::Vote(vote) => {
                self.pairs.remove(&vote);
                count_down(&mut self.answered, (vote.worker, vote.question));
            }
            Cast::Response(_, factors) => {
                if let Some((upper, lower)) = placed(&response) {
                    self.pairs.remove_place(response.worker, upper, lower);
                }
                factors.for_each(|factor| self.factors.remove(factor));
                shown(&response).into_iter().for_each(|key| count_down(&mut self.shown, key));
                self.responses -= 1;
            }
        }
        let worker = response.worker.index();
        self.cast[worker] -= 1;
        self.voters -= usize::from(self.cast[worker] == 0);
        Ok(response)
    }

    /// Records an answer to a question whose true answer is known, which is evidence about the worker alone.
    ///
    /// # Errors
    /// [`Error::UnknownWorker`] for a number past [`MOST_WORKERS`].
    pub fn record_gold(&mut self, worker: Worker, truth: bool, answer: Answer) -> Result<(), Error> {
        Self::check_worker(worker)?;
        if let Some(yes) = said_yes(answer) {
            self.workers = self.workers.max(worker.index() + 1);
            if self.gold.len() <= worker.index() {
                self.gold.resize(worker.index() + 1, GoldTally::default());
            }
            let tally = &mut self.gold[worker.index()];
            let counts = if truth { &mut tally.true_yes } else { &mut tally.true_no };
            counts[usize::from(!yes)] += 1;
        }
        Ok(())
    }

    /// Adds a correction.
    ///
    /// # Errors
    /// [`Error::Clash`] with a smallest contradictory set, [`Error::UnknownConcept`]; nothing changes then.
    pub fn correct(&mut self, correction: Correction) -> Result<CorrectionId, Error> {
        self.corrections.add(correction)
    }

    /// Undoes a correction.
    ///
    /// # Errors
    /// [`Error::UnknownCorrection`] if it was never made, or is undone already.
    pub fn take_back(&mut self, id: CorrectionId) -> Result<Correction, Error> {
        self.corrections.take_back(id)
    }

    /// Adds a concept, which gets the highest number.
    pub fn add_concept(&mut self, edge_votes: EdgeVotes) -> Concept {
        self.count += 1;
        self.parents = self.settings.prior.of_parents(self.count);
        self.pairs.grow(self.count);
        self.factors.grow(self.count);
        self.corrections.grow(self.count);
        if edge_votes == EdgeVotes::Weaken && self.pairs.has_edge_votes() {
            self.rewrite_votes(
                |vote| match (vote.question.kind, vote.answer) {
                    (Kind::Edge, Answer::Yes) => Question::path(vote.question.upper, vote.question.lower)
                        .ok()
                        .map(|question| Vote { question, ..vote }),
                    _ => Some(vote),
                },
                Some,
            );
        }
        Concept::new(self.count)
    }

    /// Removes a concept with all votes and corrections about it; higher numbers move down by one.
    ///
    /// # Errors
    /// [`Error::UnknownConcept`], or [`Error::NoConcept`] if it is the last one.
    pub fn remove_concept(&mut self, gone: Concept, edge_votes: EdgeVotes) -> Result<(), Error> {
        self.rename(gone, None)?;
        if edge_votes == EdgeVotes::Weaken && self.pairs.has_edge_votes() {
            self.rewrite_votes(
                |vote| {
                    let silenced = vote.question.kind == Kind::Edge && vote.answer == Answer::No;
                    (!silenced).then_some(vote)
                },
                Some,
            );
        }
        Ok(())
    }

    /// Merges two concepts: votes and corrections about `gone` become ones about `kept`. Higher numbers move down by one.
    ///
    /// # Errors
    /// [`Error::UnknownConcept`], [`Error::Pair`] if they are the same or one is the root, and [`Error::Clash`] if their corrections contradict
    /// each other; nothing changes then.
    pub fn merge(&mut self, gone: Concept, kept: Concept) -> Result<(), Error> {
        Question::path(gone, kept)?;
        self.check(kept)?;
        self.rename(gone, Some(kept))
    }

    /// Renames `gone` to `target` or to nothing, and closes the gap in the numbers.
    fn rename(&mut self, gone: Concept, target: Option<Concept>) -> Result<(), Error> {
        self.check(gone)?;
        if gone.is_root() {
            return Err(grove_vocabulary::Error::Root.into());
        }
        if self.count == 1 {
            return Err(Error::NoConcept);
        }
        let close_gap = |concept: Concept| Concept::new(concept.index() - usize::from(concept > gone));
        let rename =
            |concept: Concept| if concept == gone { target.map(close_gap) } else { Some(close_gap(concept)) };
        self.corrections = self.corrections.renamed(self.count - 1, rename)?;
        self.count -= 1;
        self.parents = self.settings.prior.of_parents(self.count);
        self.settings.prior = self.settings.prior.renamed(rename);
        self.rewrite_votes(
            |vote| Some(Vote { question: vote.question.try_map(rename)?, ..vote }),
            |response| response.try_map(rename),
        );
        Ok(())
    }

    /// Rewrites every vote and every other response, and counts all again.
    fn rewrite_votes(
        &mut self,
        rewrite: impl Fn(Vote) -> Option<Vote>,
        rewrite_response: impl Fn(Response) -> Option<Response>,
    ) {
        self.pairs = Pairs::new(self.count);
        self.factors = Factors::new(self.count);
        self.answered.clear();
        self.shown.clear();
        self.responses = 0;
        self.cast.clear();
        self.voters = 0;
        self.apply_odds().expect("the prior was renamed with the votes");
        self.heads.clear();
        for hint in std::mem::take(&mut self.hints) {
            if let Some(hint) = rewrite_response(hint).filter(is_hint) {
                self.count_hint(&hint);
                self.hints.push(hint);
            }
        }
        for at in 0..self.votes.len() {
            self.votes[at] = match self.votes[at].take() {
                Some(Cast::Vote(vote)) => rewrite(vote).map(|vote| {
                    self.count_vote(vote);
                    Cast::Vote(vote)
                }),
                Some(Cast::Response(response, _)) => rewrite_response(*response).map(|response| {
                    let factors = self.count_response(&response);
                    Cast::Response(Box::new(response), factors)
                }),
                None => None,
            };
        }
    }
}

/// Whether a pseudo-worker may give this response.
fn is_hint(response: &Response) -> bool {
    match &response.screen {
        Screen::YesNo(question) => question.kind == Kind::Edge,
        Screen::Place { .. } => true,
        Screen::Pick { .. } | Screen::Tick { .. } => false,
    }
}

/// The pairs that a screen shows, for [`Evidence::was_shown`].
fn shown(response: &Response) -> Vec<(Worker, Form, Concept, Concept)> {
    let (worker, form) = (response.worker, response.screen.form());
    let key = |upper, lower| (worker, form, upper, lower);
    match &response.screen {
        Screen::YesNo(_) => Vec::new(),
        Screen::Pick { lower, options } => options.iter().map(|&upper| key(upper, *lower)).collect(),
        Screen::Tick { upper, options } => options.iter().map(|&lower| key(*upper, lower)).collect(),
        Screen::Place { lower } => vec![key(Concept::ROOT, *lower)],
    }
}

/// The (upper, lower) concepts of a place.
pub(crate) fn placed(response: &Response) -> Option<(Concept, Concept)> {
    match (&response.screen, &response.reply) {
        (Screen::Place { lower }, Reply::Under(upper)) => Some((*upper, *lower)),
        (Screen::Place { lower }, Reply::Top) => Some((Concept::ROOT, *lower)),
        _ => None,
    }
}

fn count_down<K: Eq + std::hash::Hash>(counts: &mut HashMap<K, u32>, key: K) {
    let times = counts.get_mut(&key).expect("what was recorded was counted");
    *times -= 1;
    if *times == 0 {
        counts.remove(&key);
    }
}

/// The rates by which votes are judged.
#[derive(Clone, Debug)]
pub(crate) enum GivenRates {
    Same(LogRates),
    Each(Crowd),
    Majority,
}

impl GivenRates {
    /// `None` where rates have to be learnt. Where rates are given, pseudo-workers have their expected prior rates.
    pub(crate) fn of(evidence: &Evidence) -> Option<Self> {
        let noise = &evidence.settings.noise;
        if let Noise::Learnt(_) = noise {
            return None;
        }
        if !evidence.pseudo.is_empty() && *noise != Noise::Majority {
            let of_worker = |worker| match evidence.pseudo(worker) {
                Some(kind) => LogRates::new(&kind.mean(evidence.head_odds()), &kind.forms().mean()),
                None => LogRates::from(&noise.rates(worker)),
            };
            let others = LogRates::from(&noise.rates(Worker::new(u32::MAX)));
            return Some(Self::Each(Crowd::of(Worker::all(evidence.workers).map(of_worker), others)));
        }
        match noise {
            Noise::Given(rates) => Some(Self::Same(rates.into())),
            Noise::Workers { known, others } => {
                Some(Self::Each(Crowd::of(known.iter().map(Into::into), others.into())))
            }
            Noise::Majority => Some(Self::Majority),
            Noise::Learnt(_) => None,
        }
    }

    /// The given rates, or the expected ones where rates are learnt.
    pub(crate) fn expected(belief: &dyn Belief) -> Self {
        let evidence = belief.evidence();
        Self::of(evidence).unwrap_or_else(|| {
            let known = Worker::all(evidence.workers())
                .map(|worker| LogRates::new(&belief.rates(worker), &belief.form_rates(worker)));
            let (noise, anybody) = (&evidence.settings().noise, Worker::new(u32::MAX));
            let others = LogRates::new(&noise.rates(anybody), &noise.form_rates(anybody));
            Self::Each(Crowd::of(known, others))
        })
    }

    pub(crate) fn judge(&self) -> Judge<'_> {
        match self {
            Self::Same(rates) => Judge::Same(rates),
            Self::Each(crowd) => Judge::Each(crowd),
            Self::Majority => Judge::Majority,
        }
    }
}

impl Evidence {
    pub(crate) fn score(&self, id: PairId, judge: Judge<'_>) -> Score {
        self.pairs.get(id).score(judge, self.count)
    }

    pub(crate) fn scores(&self, judge: Judge<'_>) -> Vec<Score> {
        self.pairs.iter().map(|(_, pair)| pair.score(judge, self.count)).collect()
    }
}
