use grove_tree::{Concept, Tree};
use rand::Rng;

use crate::{
    Answer, Correction, CorrectionId, EdgeVotes, Error, Evidence, FormRates, Health, Question, Rates,
    Response, View, Vote, VoteId, Worker,
};

/// A probability distribution over hierarchies, updated as evidence comes in.
///
/// All engines implement it and pass the same law tests; they differ in how many concepts they can handle and in what
/// they approximate.
pub trait Belief {
    /// The engine's name.
    fn engine(&self) -> &'static str;

    /// The evidence that the belief is based on.
    fn evidence(&self) -> &Evidence;

    /// Whether stated probabilities are known to be off by more than sampling error.
    fn is_approximate(&self) -> bool {
        false
    }

    /// Records a vote.
    ///
    /// # Errors
    /// As [`Evidence::record`]; nothing changes then.
    fn record(&mut self, vote: Vote) -> Result<VoteId, Error>;

    /// Records a reply to a screen of any form.
    ///
    /// # Errors
    /// As [`Evidence::respond`]; nothing changes then.
    fn respond(&mut self, response: Response) -> Result<VoteId, Error>;

    /// Withdraws a vote or another response.
    ///
    /// # Errors
    /// As [`Evidence::withdraw`].
    fn withdraw(&mut self, id: VoteId) -> Result<Response, Error>;

    /// Records an answer to a question whose true answer is known. It is evidence about the worker only, so an engine
    /// with given rates learns nothing from it.
    ///
    /// # Errors
    /// As [`Evidence::record_gold`].
    fn record_gold(&mut self, worker: Worker, truth: bool, answer: Answer) -> Result<(), Error>;

    /// Adds a correction by the owner.
    ///
    /// # Errors
    /// As [`Evidence::correct`]; nothing changes then.
    fn correct(&mut self, correction: Correction) -> Result<CorrectionId, Error>;

    /// Undoes a correction.
    ///
    /// # Errors
    /// As [`Evidence::take_back`].
    fn take_back(&mut self, id: CorrectionId) -> Result<Correction, Error>;

    /// Adds a concept, which gets the highest number; what is believed about the others stays the same.
    ///
    /// # Errors
    /// [`Error::TooManyConcepts`] if the engine's limit is reached.
    fn add_concept(&mut self, edge_votes: EdgeVotes) -> Result<Concept, Error>;

    /// Removes a concept with all votes and corrections about it.
    ///
    /// # Errors
    /// As [`Evidence::remove_concept`].
    fn remove_concept(&mut self, gone: Concept, edge_votes: EdgeVotes) -> Result<(), Error>;

    /// Merges two synonyms into one concept.
    ///
    /// # Errors
    /// As [`Evidence::merge`].
    fn merge(&mut self, gone: Concept, kept: Concept) -> Result<(), Error>;

    /// The chance that a person of this crowd holds `upper` to be above `lower`; 1 for the root above a concept.
    ///
    /// # Panics
    /// If there is no such concept, in any engine.
    fn path(&self, upper: Concept, lower: Concept) -> f64;

    /// The possible parents of a concept (the root among them), each with the chance that a person of this crowd
    /// places it there, likeliest first, ties by number; impossible ones are left out. Each probability lies between
    /// 0 and 1, and they sum to 1 up to rounding: callers need not normalise.
    ///
    /// # Panics
    /// If there is no such concept, in any engine.
    fn parents(&self, child: Concept) -> Vec<(Concept, f64)>;

    /// The parents of all concepts, with as little sampling error as the engine can manage; slower than [`Belief::parents`] of each.
    fn expected_parents(&self) -> Vec<Vec<(Concept, f64)>> {
        Concept::all(self.evidence().count()).map(|child| self.reported_parents(child)).collect()
    }

    /// [`Belief::parents`] for a report: a concept that nobody was ever asked about is not named as the parent of one
    /// that was; its nearest ancestor that was asked about is named instead. So a new concept shows its own doubt and
    /// leaves settled ones settled.
    fn reported_parents(&self, child: Concept) -> Vec<(Concept, f64)> {
        self.parents(child)
    }

    /// Whether people differ on `upper` being above `lower`; never in engines that do not model this.
    fn differ(&self, _upper: Concept, _lower: Concept) -> Differ {
        Differ::default()
    }

    /// The chance that people place a concept differently, and the two places that they most probably have then, the
    /// one that more people hold first; no places if the chance is 0, as it is in engines that do not model this.
    fn places(&self, _child: Concept) -> (f64, Vec<Place>) {
        (0.0, Vec::new())
    }

    /// The chances of all possible states of a concept: each place that everybody may hold, and each pair of places
    /// between which people may differ. The largest is how settled the concept is.
    fn outcomes(&self, child: Concept) -> Vec<f64> {
        self.reported_parents(child).into_iter().map(|parent| parent.1).collect()
    }

    /// The most probable tree.
    fn best_tree(&self) -> Tree;

    /// Draws trees from the belief, independent of each other (for the ensemble: as independent as its chains are).
    fn sample(&self, count: usize, rng: &mut dyn Rng) -> Vec<Tree>;

    /// Hierarchies that are possible, all equally probable, with the concepts that people place differently in each: for choosing what to ask.
    fn views(&self, rng: &mut dyn Rng) -> Vec<View> {
        self.sample(VIEWS, rng).iter().map(|tree| View::new(tree, Vec::new())).collect()
    }

    /// The entropy of the distribution over trees in nats, if the engine can compute it.
    fn entropy(&self) -> Option<f64> {
        None
    }

    /// The expected rates of a worker, known or not.
    fn rates(&self, worker: Worker) -> Rates {
        self.evidence().settings().noise.rates(worker)
    }

    /// The expected rates of a worker in forms other than yes/no, known or not.
    fn form_rates(&self, worker: Worker) -> FormRates {
        self.evidence().settings().noise.form_rates(worker)
    }

    /// Draws of a worker's rates from their posterior, for intervals; a single one where rates are given.
    fn rate_draws(&self, worker: Worker) -> Vec<Rates> {
        vec![self.rates(worker)]
    }

    /// How far the probabilities can be trusted. May take as long as recording several votes.
    fn health(&self) -> Health;

    /// The path questions worth considering, each with P(above) and P(reversed). All ordered pairs for small sets of concepts;
    /// for large ones, pairs that the belief is divided about.
    fn candidates(&self) -> Vec<Candidate> {
        all_candidates(self.evidence().count(), |upper, lower| self.path(upper, lower))
    }
}

/// How many hierarchies are drawn to choose from.
const VIEWS: usize = 500;

/// A question that might be asked, with what is believed about its answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The path question.
    pub question: Question,
    /// P(upper above lower).
    pub above: f64,
    /// P(lower above upper).
    pub reversed: f64,
    /// Whether people differ on the answer.
    pub differ: Differ,
}

/// What is believed about people's disagreement on a question: in some of the probable hierarchies, a share of people
/// would say yes and the others no.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Differ {
    /// The chance that they differ.
    pub chance: f64,
    /// The expected share who hold yes if they do, and the variance of that share.
    pub share: f64,
    /// See [`Differ::share`].
    pub variance: f64,
}

/// One of the places where people put a concept.
pub type Place = grove_vocabulary::Place<Concept>;

impl Candidate {
    /// A question with what a belief says about it.
    pub fn new(belief: &dyn Belief, question: Question) -> Self {
        let differ = belief.differ(question.upper, question.lower);
        Self { differ, ..Self::with(question, |upper, lower| belief.path(upper, lower)) }
    }

    /// A question with what some path probabilities say about it.
    pub(crate) fn with(question: Question, path: impl Fn(Concept, Concept) -> f64) -> Self {
        let (upper, lower) = (question.upper, question.lower);
        Self { question, above: path(upper, lower), reversed: path(lower, upper), differ: Differ::default() }
    }

    /// P(above), P(reversed), P(neither), in the order of [`Relation`](crate::Relation).
    pub(crate) fn relations(&self) -> [f64; 3] {
        // Rounding may bring the sum of two path probabilities past 1.
        [self.above, self.reversed, (1.0 - self.above - self.reversed).max(0.0)]
    }
}

/// All path questions, for every ordered pair of concepts.
pub(crate) fn all_questions(count: usize) -> impl Iterator<Item = Question> {
    Concept::all(count)
        .flat_map(move |upper| Concept::all(count).filter_map(move |lower| Question::path(upper, lower).ok()))
}

/// Every path question as a candidate.
pub(crate) fn all_candidates(count: usize, path: impl Fn(Concept, Concept) -> f64) -> Vec<Candidate> {
    all_questions(count).map(|question| Candidate::with(question, &path)).collect()
}

/// Checks an engine's limit on the number of concepts.
pub(crate) fn check_count(engine: &'static str, most: usize, count: usize) -> Result<(), Error> {
    if count <= most { Ok(()) } else { Err(Error::TooManyConcepts { engine, most, count }) }
}

/// The possible parents of every concept, in order, as a report names them.
pub(crate) fn all_parents(belief: &dyn Belief) -> Vec<Vec<(Concept, f64)>> {
    Concept::all(belief.evidence().count()).map(|child| belief.reported_parents(child)).collect()
}

/// The chance of the likeliest state of a concept: one place for everybody, or two between which people differ.
pub(crate) fn settled(belief: &dyn Belief, child: Concept) -> f64 {
    belief.outcomes(child).into_iter().fold(0.0, f64::max)
}

/// The probability of one parent; 0 if it is not listed.
pub(crate) fn chance_of(parent: Concept, parents: &[(Concept, f64)]) -> f64 {
    parents.iter().find(|listed| listed.0 == parent).map_or(0.0, |listed| listed.1)
}

/// Parents by weight as [`Belief::parents`] returns them.
pub(crate) fn normalised(weights: impl IntoIterator<Item = (Concept, f64)>) -> Vec<(Concept, f64)> {
    let mut parents: Vec<(Concept, f64)> = weights.into_iter().filter(|&(_, weight)| weight > 0.0).collect();
    let total: f64 = parents.iter().map(|parent| parent.1).sum();
    parents.iter_mut().for_each(|parent| parent.1 /= total);
    parents.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    parents
}
