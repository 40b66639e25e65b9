//! Why a concept stands where it does.

use std::collections::HashMap;
use std::ops::Deref;

use grove_belief::{Belief, Question, Relation, Vote, agreed_tree};
use grove_store::{Answer, Kind, Position};
use grove_tree::{Concept, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{Error, Follower, State, VoteState};

/// Trees sampled to see how two statements depend on each other.
const TREES: usize = 500;

/// Indirect votes that are listed at most, and the least influence of one that is listed.
const MOST_INDIRECT: usize = 30;
const LEAST_INFLUENCE: f64 = 0.01;

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
    /// By how many nats it raises the log-odds of the parent, to first order: the weight of the worker's answer, times how much likelier
    /// what it says is with this parent than without.
    pub influence: f64,
}

impl Follower {
    /// The votes behind the place of a concept under a parent, or under the likeliest one.
    ///
    /// # Errors
    /// [`Error::NoSuchConcept`], [`Error::BadQuestion`].
    pub fn why(&self, lower: u32, upper: Option<u32>) -> Result<Why, Error> {
        let (belief, state) = (self.belief().ok_or(Error::NoSuchConcept(lower))?, self.state());
        why(belief, state.concepts().numbers(), state.position(), || state, lower, upper)
    }
}

/// The votes behind the place of a concept, by a belief that has taken in the log up to a position and has the concepts with these
/// numbers. The state may be further ahead; it is asked for twice, so that it need not be locked while the votes are weighed.
///
/// To first order, a vote whose answer has the log-likelihood ratio w on a pair changes the log-odds of an edge by
/// w (P(pair | edge) - P(pair | no edge)). Those are shares of 500 trees; where all of them have the edge, or none, its counterpart is the
/// likeliest tree with the concept moved to this parent or to the root. O(trees * (N + questions) + votes).
pub(crate) fn why<S: Deref<Target = State>>(
    belief: &dyn Belief,
    numbers: &[u32],
    to: Position,
    state: impl Fn() -> S,
    lower: u32,
    upper: Option<u32>,
) -> Result<Why, Error> {
    let (child, parent, votes) = {
        let state = state();
        let known = |number| concept(&state, numbers, number);
        let find = |number| known(number).ok_or(Error::NoSuchConcept(number));
        let child = find(lower)?;
        if child.is_root() {
            return Err(Error::NoSuchConcept(lower));
        }
        let votes = state.votes().all().iter().enumerate().filter_map(|(at, vote)| {
            let counts = vote.position <= to && vote.withdrawn.is_none_or(|withdrawn| withdrawn > to);
            vote.evidence.filter(|_| counts)?;
            let question = vote.vote.question.try_map(known)?;
            let worker = state.votes().worker(&vote.vote.worker);
            Some((at, Vote { question, worker, answer: vote.vote.answer }))
        });
        (child, upper.map(find).transpose()?, votes.collect::<Vec<_>>())
    };
    let parent = parent.unwrap_or_else(|| agreed_tree(belief).parent(child));
    if parent == child {
        return Err(Error::BadQuestion);
    }
    let (direct, mut indirect) = weigh(belief, parent, child, votes);
    indirect.retain(|(_, influence)| influence.abs() >= LEAST_INFLUENCE);
    indirect.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    indirect.truncate(MOST_INDIRECT);
    let state = state();
    let reason = |(at, influence): (usize, f64)| {
        let vote = state.votes().all()[at].clone();
        Reason { vote, influence }
    };
    let number = |concept: Concept| concept.index().checked_sub(1).map_or(0, |at| numbers[at]);
    let listed = belief.parents(child).into_iter().find(|listed| listed.0 == parent);
    Ok(Why {
        lower: number(child),
        upper: number(parent),
        certainty: listed.map_or(0.0, |listed| listed.1),
        above: belief.path(parent, child),
        direct: direct.into_iter().map(reason).collect(),
        indirect: indirect.into_iter().map(reason).collect(),
    })
}

/// The belief's number of a concept, or of the one that it was merged into.
fn concept(state: &State, numbers: &[u32], number: u32) -> Option<Concept> {
    match state.concepts().resolve(number)? {
        0 => Some(Concept::ROOT),
        alive => numbers.binary_search(&alive).ok().map(|at| Concept::new(at + 1)),
    }
}

/// Votes by their place in the list of all, each with its influence.
type Influences = Vec<(usize, f64)>;

/// The influence of votes on an edge: of those on the two concepts themselves, and of all others.
fn weigh(
    belief: &dyn Belief,
    upper: Concept,
    lower: Concept,
    votes: Vec<(usize, Vote)>,
) -> (Influences, Influences) {
    let contrast = Contrast::new(belief, upper, lower);
    let mut differences: HashMap<Question, f64> = HashMap::new();
    let (mut direct, mut indirect) = (Vec::new(), Vec::new());
    for (at, vote) in votes {
        let question = vote.question;
        let difference = *differences.entry(question).or_insert_with(|| contrast.difference(question));
        let influence = (at, log_ratio(belief, vote) * difference);
        let is_direct = [[upper, lower], [lower, upper]].contains(&[question.upper, question.lower]);
        if is_direct { direct.push(influence) } else { indirect.push(influence) }
    }
    (direct, indirect)
}

/// The log-likelihood ratio of an answer, between "it is so" and "it is not".
fn log_ratio(belief: &dyn Belief, vote: Vote) -> f64 {
    let rates = belief.rates(vote.worker);
    let [so, not] = [Relation::Above, Relation::Neither].map(|relation| rates.yes(relation));
    match vote.answer {
        Answer::Yes => (so / not).ln(),
        Answer::No => ((1.0 - so) / (1.0 - not)).ln(),
        Answer::CantSay => 0.0,
    }
}

/// Trees with an edge and trees without it.
struct Contrast {
    with: Vec<Tree>,
    without: Vec<Tree>,
}

impl Contrast {
    fn new(belief: &dyn Belief, upper: Concept, lower: Concept) -> Self {
        let trees = belief.sample(TREES, &mut ChaCha8Rng::seed_from_u64(0));
        let (mut with, mut without): (Vec<_>, Vec<_>) =
            trees.into_iter().partition(|tree| tree.parent(lower) == upper);
        if with.is_empty() {
            with.extend(moved(&belief.best_tree(), lower, upper));
        }
        if without.is_empty() {
            without.extend(moved(&belief.best_tree(), lower, Concept::ROOT));
        }
        Self { with, without }
    }

    /// How much likelier it is with the edge than without that the upper concept is above (or directly above) the lower one.
    fn difference(&self, question: Question) -> f64 {
        let share = |trees: &[Tree]| {
            let holds = |tree: &&Tree| match question.kind {
                Kind::Path => tree.is_above(question.upper, question.lower),
                Kind::Edge => tree.parent(question.lower) == question.upper,
            };
            trees.iter().filter(holds).count() as f64 / trees.len().max(1) as f64
        };
        share(&self.with) - share(&self.without)
    }
}

/// The tree with a concept and all below it moved under another; none where that is below itself.
fn moved(tree: &Tree, concept: Concept, to: Concept) -> Option<Tree> {
    let mut parents = tree.parents().to_vec();
    parents[concept.index() - 1] = to;
    Tree::from_parents(&parents).ok()
}
