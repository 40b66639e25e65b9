//! Why a concept stands where it does.

use grove_belief::{Belief, Relation, agreed_tree};
use grove_store::{Answer, Kind};
use grove_tree::{Concept, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{Error, Follower, VoteState};

/// Trees asked how two statements hang together.
const TREES: usize = 500;

/// Indirect votes that are told at most, and how much one has to weigh to be told.
const MOST_INDIRECT: usize = 30;
const LEAST_INFLUENCE: f64 = 0.01;

/// The votes behind a place in the hierarchy.
#[derive(Clone, PartialEq, Debug)]
pub struct Why {
    /// The concept below, by the campaign's number.
    pub child: u32,
    /// The concept above; 0 for the root.
    pub parent: u32,
    /// P(directly under).
    pub certainty: f64,
    /// P(somewhere under).
    pub above: f64,
    /// Votes on the two themselves, in the order of the log.
    pub direct: Vec<Reason>,
    /// Votes on other pairs that speak for or against it, the weightiest first.
    pub indirect: Vec<Reason>,
}

/// A vote, and what it does.
#[derive(Clone, PartialEq, Debug)]
pub struct Reason {
    /// The vote.
    pub vote: VoteState,
    /// By how many nats it raises the log-odds of the parent, to first order: the weight of the worker's answer, times how much likelier what it says is
    /// with this parent than without.
    pub influence: f64,
}

impl Follower {
    /// Why a concept is under a parent, or under the likeliest one; what is counted are the votes that count and that the belief has taken in.
    ///
    /// To first order, a vote whose answer has the log-likelihood ratio w on a pair changes the log-odds of an edge by
    /// w (P(pair | edge) - P(pair | no edge)). Those are shares of 500 trees; where all of them have the edge, or none, its counterpart is the
    /// likeliest tree with the concept moved to this parent or to the root. O(trees * N + votes).
    ///
    /// # Errors
    /// [`Error::NoSuchConcept`].
    pub fn why(&self, child: u32, parent: Option<u32>) -> Result<Why, Error> {
        let state = self.state();
        let find = |number| state.concepts().belief_number(number).ok_or(Error::NoSuchConcept(number));
        let belief = self.belief().ok_or(Error::NoSuchConcept(child))?;
        let lower = find(child)?;
        if lower.is_root() {
            return Err(Error::NoSuchConcept(child));
        }
        let parents = belief.parents(lower);
        let upper = match parent {
            Some(parent) => find(parent)?,
            None => agreed_tree(belief).parent(lower),
        };
        if upper == lower {
            return Err(Error::BadQuestion);
        }
        let certainty = parents.iter().find(|listed| listed.0 == upper).map_or(0.0, |listed| listed.1);
        let (mut direct, mut indirect) = self.reasons(belief, upper, lower);
        direct.sort_by_key(|reason| reason.vote.position);
        indirect.retain(|reason| reason.influence.abs() >= LEAST_INFLUENCE);
        indirect.sort_by(|a, b| {
            let weight = |reason: &Reason| reason.influence.abs();
            weight(b).total_cmp(&weight(a)).then(a.vote.position.cmp(&b.vote.position))
        });
        indirect.truncate(MOST_INDIRECT);
        let (child, parent) = (state.concepts().number(lower), state.concepts().number(upper));
        Ok(Why { child, parent, certainty, above: belief.path(upper, lower), direct, indirect })
    }

    fn reasons(&self, belief: &dyn Belief, upper: Concept, lower: Concept) -> (Vec<Reason>, Vec<Reason>) {
        let contrast = Contrast::new(belief, upper, lower);
        let state = self.state();
        let counted = state.votes().alive().filter(|vote| vote.evidence.is_some());
        let asked = counted.filter_map(|vote| Some((vote, state.question(vote.vote.question)?)));
        let reasons = asked.map(|(vote, question)| {
            let weight = weight(belief, state.votes().worker(&vote.vote.worker), vote.vote.answer);
            let difference = contrast.difference(vote.vote.question.kind, question.upper, question.lower);
            let itself = [question.upper, question.lower];
            let is_direct = itself == [upper, lower] || itself == [lower, upper];
            (is_direct, Reason { vote: vote.clone(), influence: weight * difference })
        });
        let (direct, indirect): (Vec<_>, Vec<_>) = reasons.partition(|reason| reason.0);
        let without_mark =
            |reasons: Vec<(bool, Reason)>| reasons.into_iter().map(|reason| reason.1).collect();
        (without_mark(direct), without_mark(indirect))
    }
}

/// The log-likelihood ratio of an answer, between "it is so" and "it is not".
fn weight(belief: &dyn Belief, worker: grove_belief::Worker, answer: Answer) -> f64 {
    let rates = belief.rates(worker);
    let [so, not] = [Relation::Above, Relation::Neither].map(|relation| rates.yes(relation));
    match answer {
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

    /// How much likelier it is with the edge than without that the upper is above (or directly above) the lower.
    fn difference(&self, kind: Kind, upper: Concept, lower: Concept) -> f64 {
        let share = |trees: &[Tree]| {
            let holds = |tree: &&Tree| match kind {
                Kind::Path => tree.is_above(upper, lower),
                Kind::Edge => tree.parent(lower) == upper,
            };
            trees.iter().filter(holds).count() as f64 / trees.len().max(1) as f64
        };
        share(&self.with) - share(&self.without)
    }
}

/// The tree with a concept and all below it under another; none where that would be below itself.
fn moved(tree: &Tree, concept: Concept, to: Concept) -> Option<Tree> {
    let mut parents = tree.parents().to_vec();
    parents[concept.index() - 1] = to;
    Tree::from_parents(&parents).ok()
}
