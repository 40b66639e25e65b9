use grove_tree::{Concept, Tree};
use rand::Rng;

use crate::Correction;
use crate::corrections::CorrectionId;
use crate::{Answer, EdgeVotes, Error, Evidence, Health, Question, Rates, Vote, VoteId, Worker};

/// A probability distribution over hierarchies that follows the evidence.
///
/// All engines answer the same questions and pass the same laws; they differ in what they can hold and in what they approximate.
pub trait Belief {
    /// The engine's name.
    fn engine(&self) -> &'static str;

    /// What the belief rests on.
    fn evidence(&self) -> &Evidence;

    /// Whether stated probabilities are known to be off by more than sampling error.
    fn is_approximate(&self) -> bool;

    /// Takes a vote in.
    ///
    /// # Errors
    /// As [`Evidence::record`]; nothing changes then.
    fn record(&mut self, vote: Vote) -> Result<VoteId, Error>;

    /// Takes a vote out again.
    ///
    /// # Errors
    /// As [`Evidence::withdraw`].
    fn withdraw(&mut self, id: VoteId) -> Result<Vote, Error>;

    /// Notes an answer to a question whose truth is known from elsewhere. It tells about the worker alone, so an engine that takes rates as given
    /// learns nothing from it.
    ///
    /// # Errors
    /// As [`Evidence::record_gold`].
    fn record_gold(&mut self, worker: Worker, truth: bool, answer: Answer) -> Result<(), Error>;

    /// Adds a correction by the owner.
    ///
    /// # Errors
    /// As [`Evidence::correct`]; nothing changes then.
    fn correct(&mut self, correction: Correction) -> Result<CorrectionId, Error>;

    /// Takes a correction back.
    ///
    /// # Errors
    /// As [`Evidence::take_back`].
    fn take_back(&mut self, id: CorrectionId) -> Result<Correction, Error>;

    /// Adds a concept, the last in number, leaving what is believed of the others as it is.
    ///
    /// # Errors
    /// [`Error::TooManyConcepts`] where the engine's limit is reached.
    fn add_concept(&mut self, edge_votes: EdgeVotes) -> Result<Concept, Error>;

    /// Removes a concept with all that was said about it.
    ///
    /// # Errors
    /// As [`Evidence::remove_concept`].
    fn remove_concept(&mut self, gone: Concept, edge_votes: EdgeVotes) -> Result<(), Error>;

    /// Makes one concept of two synonyms.
    ///
    /// # Errors
    /// As [`Evidence::merge`].
    fn merge(&mut self, gone: Concept, kept: Concept) -> Result<(), Error>;

    /// P(`upper` above `lower`); 1 for the root above a concept.
    ///
    /// # Panics
    /// If there is no such concept, in any engine.
    fn path(&self, upper: Concept, lower: Concept) -> f64;

    /// The possible parents of a concept (the root among them) with their probabilities, likeliest first, ties by number; those never seen
    /// are left out. The probabilities sum to one.
    ///
    /// # Panics
    /// If there is no such concept, in any engine.
    fn parents(&self, child: Concept) -> Vec<(Concept, f64)>;

    /// The most probable tree.
    fn best_tree(&self) -> Tree;

    /// Independent trees from the belief (for the ensemble: as independent as its chains).
    fn sample(&self, count: usize, rng: &mut dyn Rng) -> Vec<Tree>;

    /// The entropy of the distribution over trees in nats, where the engine can tell.
    fn entropy(&self) -> Option<f64>;

    /// The expected rates of a worker, known or not.
    fn rates(&self, worker: Worker) -> Rates;

    /// Draws of a worker's rates from what is believed of them, for intervals; a single one where rates are given.
    fn rate_draws(&self, worker: Worker) -> Vec<Rates> {
        vec![self.rates(worker)]
    }

    /// How far the probabilities can be trusted at present. May take as long as some votes do.
    fn health(&self) -> Health;

    /// The path questions worth considering, each with P(above) and P(reversed). All ordered pairs for small sets of concepts;
    /// for large ones, pairs that the belief is divided about.
    fn candidates(&self) -> Vec<Candidate>;
}

/// A question that might be asked, with what is believed of its answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The path question.
    pub question: Question,
    /// P(upper above lower).
    pub above: f64,
    /// P(lower above upper).
    pub reversed: f64,
}

/// Every ordered pair of concepts as a candidate.
pub(crate) fn all_candidates(count: usize, path: impl Fn(Concept, Concept) -> f64) -> Vec<Candidate> {
    let pairs = Concept::all(count).flat_map(|upper| Concept::all(count).map(move |lower| (upper, lower)));
    pairs
        .filter_map(|(upper, lower)| {
            let question = Question::path(upper, lower).ok()?;
            Some(Candidate { question, above: path(upper, lower), reversed: path(lower, upper) })
        })
        .collect()
}
