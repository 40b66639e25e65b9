use crate::ballot::{Judge, LogRates};
use crate::noise::Rates;
use crate::{Belief, Candidate, Evidence, Question, Worker, coin_entropy};

/// Predicts one worker's answers.
pub(super) struct Predictor<'a> {
    evidence: &'a Evidence,
    rates: Rates,
    /// The rates of all voters, where questions may divide people.
    voters: Vec<LogRates>,
}

impl<'a> Predictor<'a> {
    pub(super) fn new(belief: &'a dyn Belief, worker: Worker) -> Self {
        let evidence = belief.evidence();
        let voters = match evidence.settings().division {
            Some(_) => Worker::all(evidence.workers()).map(|voter| (&belief.rates(voter)).into()).collect(),
            None => Vec::new(),
        };
        Self { evidence, rates: belief.rates(worker), voters }
    }

    /// The chances of a yes under each relation, given the earlier votes on the question.
    ///
    /// Without division, votes are independent given the relation, and earlier ones say nothing more. Where the question may
    /// divide people, they show how it does: P(yes) = d (t q1 + (1-t) q0) + (1-d) q, with d the chance that it does and t the expected share.
    pub(super) fn chances(&self, question: Question) -> [f64; 3] {
        let clear = self.rates.by_relation();
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
        gain(candidate.relations(), self.chances(candidate.question))
    }
}

impl Candidate {
    /// The expected information gain in bits of an answer by somebody with these rates, if all have one honest answer: earlier votes on
    /// the question are not looked at, so this is quick enough to sort thousands of questions.
    #[must_use]
    pub fn gain(&self, rates: &Rates) -> f64 {
        gain(self.relations(), rates.by_relation())
    }
}

pub(super) fn gain(beliefs: [f64; 3], chances: [f64; 3]) -> f64 {
    let yes: f64 = beliefs.iter().zip(chances).map(|(belief, chance)| belief * chance).sum();
    let known: f64 = beliefs.iter().zip(chances).map(|(belief, chance)| belief * coin_entropy(chance)).sum();
    coin_entropy(yes) - known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Evidence, Exact, Settings, Vote};
    use grove_tree::Concept;

    /// Without division, earlier votes tell nothing about the next one that the relation does not.
    #[test]
    fn gain_by_rates_alone_is_the_gain_where_no_question_divides_people() {
        let worker = Worker::new(0);
        for (settings, same) in [(Settings::one_rate(0.2).unwrap(), true), (Settings::default(), false)] {
            let settings =
                Settings { noise: crate::Noise::Given(Rates::three(0.8, 0.3, 0.1).unwrap()), ..settings };
            let mut belief = Exact::new(Evidence::new(4, settings).unwrap()).unwrap();
            let question = Question::path(Concept::new(1), Concept::new(2)).unwrap();
            belief.record(Vote { question, worker, answer: Answer::Yes }).unwrap();
            let predictor = Predictor::new(&belief, worker);
            let rates = belief.rates(worker);
            let agree = belief
                .candidates()
                .iter()
                .all(|candidate| candidate.gain(&rates) == predictor.gain(candidate));
            assert_eq!(agree, same);
        }
    }
}
