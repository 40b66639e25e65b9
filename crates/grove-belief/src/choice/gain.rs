use crate::ballot::{Judge, LogRates};
use crate::noise::{Rates, Relation};
use crate::{Belief, Candidate, Evidence, Question, Worker, coin_entropy};

/// Predicts one worker's answers.
pub(super) struct Predictor<'a> {
    evidence: &'a Evidence,
    rates: Rates,
    /// Of the workers who voted before, where questions may divide people.
    voters: Vec<LogRates>,
}

impl<'a> Predictor<'a> {
    pub(super) fn new(belief: &'a dyn Belief, worker: Worker) -> Self {
        let evidence = belief.evidence();
        let voters = match evidence.settings().division {
            Some(_) => (0..evidence.workers())
                .map(|voter| (&belief.rates(Worker::new(voter as u32))).into())
                .collect(),
            None => Vec::new(),
        };
        Self { evidence, rates: belief.rates(worker), voters }
    }

    /// The chances of a yes under each relation, given the earlier votes on the question.
    ///
    /// Without division, votes are independent given the relation, and earlier ones tell nothing more. Where the question may
    /// divide people, they tell how it does: P(yes) = d (t q1 + (1-t) q0) + (1-d) q, with d the chance that it does and t the expected share.
    pub(super) fn chances(&self, question: Question) -> [f64; 3] {
        let clear =
            [Relation::Above, Relation::Reversed, Relation::Neither].map(|relation| self.rates.yes(relation));
        let Some(division) = &self.evidence.settings().division else { return clear };
        let empty = crate::ballot::Ballot::default();
        let ballot = self.evidence.pairs().ballot(question).unwrap_or(&empty);
        let others = LogRates::from(&self.rates);
        let [divided, shares] = ballot.division(Judge::Each(&self.voters, &others), division);
        std::array::from_fn(|relation| {
            let yes = self.rates.yes_if_shared(shares[relation]);
            divided[relation] * yes + (1.0 - divided[relation]) * clear[relation]
        })
    }

    /// The expected information gain in bits: H2(P(yes)) minus the mean over relations of H2(P(yes | relation)).
    pub(super) fn gain(&self, candidate: &Candidate) -> f64 {
        gain(beliefs(candidate), self.chances(candidate.question))
    }
}

/// P(above), P(reversed), P(neither).
pub(super) fn beliefs(candidate: &Candidate) -> [f64; 3] {
    let (above, reversed) = (candidate.above, candidate.reversed);
    [above, reversed, (1.0 - above - reversed).max(0.0)]
}

pub(super) fn gain(beliefs: [f64; 3], chances: [f64; 3]) -> f64 {
    let yes: f64 = beliefs.iter().zip(chances).map(|(belief, chance)| belief * chance).sum();
    let known: f64 = beliefs.iter().zip(chances).map(|(belief, chance)| belief * coin_entropy(chance)).sum();
    coin_entropy(yes) - known
}
