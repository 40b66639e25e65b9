//! Why a concept has the place it has.

use std::collections::HashMap;
use std::ops::Deref;

use grove_belief::{Belief, Influence, PseudoWorker, Response, Screen};
use grove_formats::Hierarchy;
use grove_store::VoteId;
use grove_tree::Concept;
use grove_vocabulary::{Place, Reply};

use crate::{Error, Follower, State, VoteState, number};

/// The votes behind a place in the hierarchy.
#[derive(Clone, PartialEq, Debug)]
pub struct Why {
    /// The lower concept, by the campaign's number.
    pub lower: u32,
    /// The upper concept; 0 for the root.
    pub upper: u32,
    /// P(directly under).
    pub certainty: f64,
    /// P(somewhere under).
    pub above: f64,
    /// Why the lower concept's place in the hierarchy is as certain as it is, whatever the parent asked about.
    pub reasons: Vec<grove_vocabulary::Reason>,
    /// Where people place it if they differ, the place that more of them hold first.
    pub places: Vec<Place<u32>>,
    /// Votes on the two themselves, in the order of the log.
    pub direct: Vec<Reason>,
    /// Votes on other pairs that speak for or against it, the weightiest first.
    pub indirect: Vec<Reason>,
    /// Hints (evidence that is not a vote) for or against it, the weightiest first.
    pub hints: Vec<Hint>,
}

/// A hint, from a name or from the hierarchy that the concepts came with: that one concept is above another, or
/// directly above it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hint {
    /// Where the hint comes from.
    pub source: PseudoWorker,
    /// The upper concept, by the campaign's number; 0 for the root.
    pub upper: u32,
    /// The lower concept.
    pub lower: u32,
    /// By how many nats it raises the log-odds of the parent, to first order.
    pub influence: f64,
}

/// A vote, and its influence.
#[derive(Clone, PartialEq, Debug)]
pub struct Reason {
    /// The vote.
    pub vote: VoteState,
    /// By how many nats it raises the log-odds of the parent, to first order.
    pub influence: f64,
}

impl Follower {
    /// The votes behind the place of a concept under a parent, or under the likeliest one: see [`grove_belief::Why`].
    ///
    /// # Errors
    /// [`Error::NoSuchConcept`], [`Error::BadQuestion`]; as [`State::hierarchy`].
    pub fn why(&self, lower: u32, upper: Option<u32>) -> Result<Why, Error> {
        let (belief, state) = (self.belief().ok_or(Error::NoSuchConcept(lower))?, self.state());
        let (hierarchy, votes) = (self.hierarchy()?, state.votes().recorded());
        let known =
            Known { belief, hierarchy: &hierarchy, numbers: state.concepts().numbers(), votes: &votes };
        why(&known, || state, lower, upper)
    }
}

/// A belief, its hierarchy, and the campaign's numbers of its concepts and votes.
pub(crate) struct Known<'a> {
    pub(crate) belief: &'a dyn Belief,
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) numbers: &'a [u32],
    pub(crate) votes: &'a [(grove_belief::VoteId, VoteId)],
}

/// As [`Follower::why`], by what is known. The state may be further ahead; it is read twice, so that it need not be
/// locked while the votes are weighed.
pub(crate) fn why<S: Deref<Target = State>>(
    known: &Known<'_>,
    state: impl Fn() -> S,
    lower: u32,
    upper: Option<u32>,
) -> Result<Why, Error> {
    let &Known { belief, hierarchy, numbers, votes } = known;
    let find = |number| match state().concepts().resolve(number) {
        Some(0) => Ok(Concept::ROOT),
        Some(number) => numbers.binary_search(&number).map(|at| Concept::new(at + 1)),
        None => Err(0),
    };
    let find = |number| find(number).map_err(|_| Error::NoSuchConcept(number));
    let (child, parent) = (find(lower)?, upper.map(find).transpose()?);
    if child.is_root() {
        return Err(Error::NoSuchConcept(lower));
    }
    if parent == Some(child) {
        return Err(Error::BadQuestion);
    }
    let why = grove_belief::Why::of(belief, child, parent)?;
    let state = state();
    let recorded: HashMap<_, _> = votes.iter().copied().collect();
    let reasons = |influences: Vec<Influence>| {
        let reason = |one: Influence| {
            let vote = state.votes().get(*recorded.get(&one.vote)?)?;
            // A vote that was withdrawn since is left out.
            let stands = vote.withdrawn.is_none();
            stands.then(|| Reason { vote: vote.clone(), influence: one.log_odds })
        };
        influences.into_iter().filter_map(reason).collect()
    };
    let hint = |(said, influence): &(Response, f64)| {
        let source = belief.evidence().pseudo(said.worker)?;
        let (upper, lower) = match (&said.screen, &said.reply) {
            (Screen::YesNo(question), _) => (question.upper, question.lower),
            (Screen::Place { lower }, Reply::Under(upper)) => (*upper, *lower),
            (Screen::Place { lower }, Reply::Top) => (Concept::ROOT, *lower),
            _ => return None,
        };
        let [upper, lower] = [upper, lower].map(|concept| number(numbers, concept));
        Some(Hint { source, upper, lower, influence: *influence })
    };
    let hints = why.hints.iter().filter_map(hint).collect();
    let entry = hierarchy.entry(child).ok_or(Error::NoSuchConcept(lower))?;
    Ok(Why {
        hints,
        reasons: entry.reasons.clone(),
        places: entry.places.iter().map(|place| place.map(|parent| number(numbers, parent))).collect(),
        lower: number(numbers, child),
        upper: number(numbers, why.parent),
        certainty: why.certainty,
        above: why.above,
        direct: reasons(why.direct),
        indirect: reasons(why.indirect),
    })
}
