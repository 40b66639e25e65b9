use grove_tree::{Concept, Tree};

use crate::evidence::{GivenRates, placed};
use crate::factors::{Above, Factor};
use crate::form_rates::FormRates;
use crate::pairs::{Score, side};
use crate::{Correction, Error, Evidence, Prior, Response, Vote, VoteId};

/// Changes below this many nats cannot give much weight to trees too rare to be sampled.
const MILD: f64 = 3.0;

/// The change of the log-probability of a tree by some evidence: an amount for every pair with one concept above the other, or
/// directly above the other, in it.
#[derive(Clone, Default, Debug)]
pub(super) struct Change {
    /// Each pair in the order of the numbers, with the amounts for either side above.
    pairs: Vec<([Concept; 2], Score)>,
    /// Picks and ticks.
    factors: Vec<(Factor, FormRates)>,
    shape: Prior,
}

impl Change {
    /// The change by the prior.
    pub(super) fn prior(prior: &Prior) -> Self {
        let pairs = prior.odds().map(|((upper, lower), odds)| {
            let mut score = Score::default();
            score.path[side(upper, lower)] = odds;
            (sorted(upper, lower), score)
        });
        Self { pairs: pairs.collect(), factors: Vec::new(), shape: prior.clone() }
    }

    /// Records a vote, and returns the change by it: the pair's new score minus its old one. This covers every noise
    /// model, including the majority, where a vote's weight depends on the votes before it.
    pub(super) fn record(
        evidence: &mut Evidence,
        vote: Vote,
        rates: &GivenRates,
    ) -> Result<(VoteId, Self), Error> {
        let pair = sorted(vote.question.upper, vote.question.lower);
        Self::of_pair(evidence, pair, rates, |evidence| evidence.record(vote))
    }

    /// The same for a response of any form.
    pub(super) fn respond(
        evidence: &mut Evidence,
        response: Response,
        rates: &GivenRates,
    ) -> Result<(VoteId, Self), Error> {
        if let Some(vote) = response.vote() {
            return Self::record(evidence, vote, rates);
        }
        if let Some((upper, lower)) = placed(&response) {
            let pair = sorted(upper, lower);
            return Self::of_pair(evidence, pair, rates, |evidence| evidence.respond(response));
        }
        let factors: Vec<(Factor, FormRates)> = Factor::of(&response)
            .into_iter()
            .map(|factor| {
                let own = *rates.judge().forms(factor.worker);
                (factor, own)
            })
            .collect();
        let id = evidence.respond(response)?;
        Ok((id, Self { factors, ..Self::default() }))
    }

    /// The change by something that is said of one pair.
    fn of_pair(
        evidence: &mut Evidence,
        pair: [Concept; 2],
        rates: &GivenRates,
        said: impl FnOnce(&mut Evidence) -> Result<VoteId, Error>,
    ) -> Result<(VoteId, Self), Error> {
        let before = score(evidence, pair, rates);
        let id = said(evidence)?;
        let after = score(evidence, pair, rates);
        let difference = |after: [f64; 2], before: [f64; 2]| [after[0] - before[0], after[1] - before[1]];
        let change =
            Score { path: difference(after.path, before.path), edge: difference(after.edge, before.edge) };
        let pairs = if change == Score::default() { Vec::new() } else { vec![(pair, change)] };
        Ok((id, Self { pairs, ..Self::default() }))
    }

    /// The change by all evidence about some pairs, and by the prior of shapes.
    pub(super) fn about(pairs: &[[Concept; 2]], evidence: &Evidence, rates: &GivenRates) -> Self {
        let pairs = pairs.iter().map(|&pair| (pair, score(evidence, pair, rates))).collect();
        Self { pairs, factors: Vec::new(), shape: evidence.settings().prior.clone() }
    }

    /// The corrections that a strong change about one pair amounts to; none for milder changes, which cannot give
    /// much weight to trees too rare to be sampled.
    pub(super) fn surprise(&self) -> Vec<Correction> {
        let [([one, other], score)] = self.pairs[..] else { return Vec::new() };
        let [first, second] = score.path;
        if first.max(second).max(-first).max(-second) < MILD {
            return Vec::new();
        }
        let under = |lower, upper| Correction::SomewhereUnder { lower, upper };
        let not_under = |lower, upper| Correction::NotUnder { lower, upper };
        if first > 0.0 && first >= second {
            vec![under(other, one)]
        } else if second > 0.0 {
            vec![under(one, other)]
        } else {
            [(first, not_under(other, one)), (second, not_under(one, other))]
                .into_iter()
                .filter(|(amount, _)| *amount <= -MILD)
                .map(|(_, correction)| correction)
                .collect()
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.pairs.is_empty() && self.factors.is_empty() && self.shape.ignores_shape()
    }

    /// The edges (parent, child) with their amounts, if the change does not concern paths.
    pub(super) fn edges_only(&self) -> Option<Vec<(Concept, Concept, f64)>> {
        let about_edges = |score: &Score| score.path == [0.0; 2];
        if !self.shape.ignores_shape()
            || !self.factors.is_empty()
            || !self.pairs.iter().all(|(_, score)| about_edges(score))
        {
            return None;
        }
        let both = |&([one, other], score): &([Concept; 2], Score)| {
            [(one, other, score.edge[0]), (other, one, score.edge[1])]
        };
        Some(self.pairs.iter().flat_map(both).filter(|(_, _, amount)| *amount != 0.0).collect())
    }

    /// The sum for one tree. O(depth) per pair.
    pub(super) fn in_tree(&self, tree: &Tree) -> f64 {
        let of_pair = |&([one, other], score): &([Concept; 2], Score)| {
            let mut sum = 0.0;
            for (at, upper, lower) in [(0, one, other), (1, other, one)] {
                if tree.is_above(upper, lower) {
                    sum += score.path[at];
                }
                if tree.parent(lower) == upper {
                    sum += score.edge[at];
                }
            }
            sum
        };
        let of_pairs: f64 = self.pairs.iter().map(of_pair).sum();
        let of_factors: f64 = self.factors.iter().map(|(factor, rates)| log_in(factor, tree, rates)).sum();
        of_pairs + of_factors + self.shape.of_shape(tree)
    }
}

/// ln of the chance of a pick or of a box, in a tree.
fn log_in(factor: &Factor, tree: &Tree, rates: &FormRates) -> f64 {
    let above = |above: Above, upper: Concept| factor.option(upper).map_or(above, |option| above.and(option));
    factor.log(tree.ancestors(factor.lower).fold(Above::default(), above), rates)
}

fn sorted(one: Concept, other: Concept) -> [Concept; 2] {
    [one.min(other), one.max(other)]
}

fn score(evidence: &Evidence, [one, other]: [Concept; 2], rates: &GivenRates) -> Score {
    let known = evidence.pairs().find(one, other);
    known.map_or_else(Score::default, |pair| evidence.score(pair, rates.judge()))
}
