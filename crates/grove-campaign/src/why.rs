//! Why a concept stands where it does.

use std::collections::HashMap;
use std::ops::Deref;

use grove_belief::{Belief, Influence};
use grove_store::VoteId;
use grove_tree::Concept;

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
    /// Votes on the two themselves, in the order of the log.
    pub direct: Vec<Reason>,
    /// Votes on other pairs that speak for or against it, the weightiest first.
    pub indirect: Vec<Reason>,
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
    /// [`Error::NoSuchConcept`], [`Error::BadQuestion`].
    pub fn why(&self, lower: u32, upper: Option<u32>) -> Result<Why, Error> {
        let (belief, state) = (self.belief().ok_or(Error::NoSuchConcept(lower))?, self.state());
        why(belief, state.concepts().numbers(), &state.votes().recorded(), || state, lower, upper)
    }
}

/// As [`Follower::why`], by a belief that has the concepts with these numbers and these votes. The state may be further ahead; it is asked
/// for twice, so that it need not be locked while the votes are weighed.
pub(crate) fn why<S: Deref<Target = State>>(
    belief: &dyn Belief,
    numbers: &[u32],
    votes: &[(grove_belief::VoteId, VoteId)],
    state: impl Fn() -> S,
    lower: u32,
    upper: Option<u32>,
) -> Result<Why, Error> {
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
            // One that was withdrawn since is no reason any more.
            let stands = vote.withdrawn.is_none();
            stands.then(|| Reason { vote: vote.clone(), influence: one.log_odds })
        };
        influences.into_iter().filter_map(reason).collect()
    };
    Ok(Why {
        lower: number(numbers, child),
        upper: number(numbers, why.parent),
        certainty: why.certainty,
        above: why.above,
        direct: reasons(why.direct),
        indirect: reasons(why.indirect),
    })
}
