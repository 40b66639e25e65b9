//! The votes on one question, and how likely they are under each relation of its two concepts.

use crate::Worker;
use crate::divided::Divided;
use crate::noise::{Division, Rates, Relation};

/// ln of a worker's chances of no and yes under each relation, ready for summing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogRates([[f64; 2]; 3], Rates);

impl From<&Rates> for LogRates {
    fn from(rates: &Rates) -> Self {
        let of = |relation| [false, true].map(|yes| rates.log_likelihood(relation, yes));
        Self(Relation::ALL.map(of), *rates)
    }
}

impl LogRates {
    /// The chances of an answer from somebody who holds the upper concept above, and from somebody who does not.
    pub(crate) fn opinions(&self, yes: bool) -> [f64; 2] {
        [Relation::Above, Relation::Neither].map(|held| {
            let rate = self.1.yes(held);
            if yes { rate } else { 1.0 - rate }
        })
    }
}

/// Whose rates the votes are judged by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Judge<'a> {
    /// The same rates for everybody.
    Same(&'a LogRates),
    /// Each worker's own, and those of workers past the end.
    Each(&'a [LogRates], &'a LogRates),
    /// The paper's: the majority is one answer, with a noise rate from the votes themselves.
    Majority,
}

/// ln likelihoods by [`Relation`].
type ByRelation = [f64; 3];

/// The yes and no votes on one question.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Ballot {
    /// Sorted, so that sums over it do not depend on the order in which votes came, to the last bit.
    votes: Vec<(Worker, bool)>,
    yes: usize,
}

impl Ballot {
    pub(crate) fn insert(&mut self, worker: Worker, yes: bool) {
        let at = self.votes.partition_point(|vote| *vote < (worker, yes));
        self.votes.insert(at, (worker, yes));
        self.yes += usize::from(yes);
    }

    pub(crate) fn remove(&mut self, worker: Worker, yes: bool) {
        if let Ok(at) = self.votes.binary_search(&(worker, yes)) {
            self.votes.remove(at);
            self.yes -= usize::from(yes);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.votes.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.votes.len()
    }

    pub(crate) fn yes(&self) -> usize {
        self.yes
    }

    pub(crate) fn no(&self) -> usize {
        self.votes.len() - self.yes
    }

    pub(crate) fn votes(&self) -> &[(Worker, bool)] {
        &self.votes
    }

    /// ln P(votes | relation), with a divided question mixed in where asked for.
    pub(crate) fn log_likelihoods(&self, judge: Judge<'_>, division: Option<&Division>) -> ByRelation {
        let clear = self.log_clear(judge);
        match division {
            None => clear,
            Some(division) => self.mix(clear, judge, division),
        }
    }

    /// ln P(votes | relation) when the question has one honest answer.
    pub(crate) fn log_clear(&self, judge: Judge<'_>) -> ByRelation {
        match judge {
            Judge::Same(rates) => rates.0.map(|ln| self.yes as f64 * ln[1] + self.no() as f64 * ln[0]),
            Judge::Each(known, others) => {
                let mut sum = [0.0; 3];
                for &(worker, yes) in &self.votes {
                    let rates = known.get(worker.index()).unwrap_or(others);
                    for (sum, ln) in sum.iter_mut().zip(&rates.0) {
                        *sum += ln[usize::from(yes)];
                    }
                }
                sum
            }
            Judge::Majority => self.log_majority(),
        }
    }

    /// The majority as one answer that is wrong with chance (minority + 1) / (votes + 2). A tie says nothing.
    fn log_majority(&self) -> ByRelation {
        let minority = self.yes.min(self.no()) as f64;
        let noise = (minority + 1.0) / (self.len() as f64 + 2.0);
        let (right, wrong) = ((-noise).ln_1p(), noise.ln());
        match self.yes.cmp(&self.no()) {
            std::cmp::Ordering::Greater => [right, wrong, wrong],
            std::cmp::Ordering::Less => [wrong, right, right],
            std::cmp::Ordering::Equal => [0.0; 3],
        }
    }

    /// ln((1-r) L + r A), where A is the chance of these votes on a divided question that counts as above or not.
    fn mix(&self, clear: ByRelation, judge: Judge<'_>, division: &Division) -> ByRelation {
        let (ln_clear, ln_divided) = ((-division.share()).ln_1p(), division.share().ln());
        let divided = Divided::new(self, judge, division);
        let divided = by_relation(|above| ln_divided + divided.log_likelihood(above));
        std::array::from_fn(|at| ln_add(ln_clear + clear[at], divided[at]))
    }

    /// By relation: P(the question divides people | votes) = r A / ((1-r) L + r A), and the expected share of people who hold the upper
    /// concept above if it does.
    pub(crate) fn division(&self, judge: Judge<'_>, division: &Division) -> [ByRelation; 2] {
        let divided = Divided::new(self, judge, division);
        let ln_divided = by_relation(|above| division.share().ln() + divided.log_likelihood(above));
        let ln_clear = self.log_clear(judge).map(|clear| (-division.share()).ln_1p() + clear);
        let chance = |at: usize| (ln_divided[at] - ln_add(ln_divided[at], ln_clear[at])).exp();
        [std::array::from_fn(chance), by_relation(|above| divided.expected_share(above))]
    }
}

/// A divided pair counts as above or not; reversed is just not.
fn by_relation(of: impl Fn(bool) -> f64) -> ByRelation {
    let not = of(false);
    [of(true), not, not]
}

/// ln(e^a + e^b) without overflow.
pub(crate) fn ln_add(a: f64, b: f64) -> f64 {
    let (most, least) = if a >= b { (a, b) } else { (b, a) };
    most + (least - most).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ballot(yes: usize, no: usize) -> Ballot {
        let mut ballot = Ballot::default();
        for voter in 0..yes + no {
            ballot.insert(Worker::new(voter as u32), voter < yes);
        }
        ballot
    }

    /// P(above | votes) at even prior odds, as in the design of the mixture: g = 0.1, r = 0.05, a = 1.
    fn certainty(yes: usize, no: usize) -> f64 {
        let rates = LogRates::from(&Rates::one(0.1).unwrap());
        let ln = ballot(yes, no).log_likelihoods(Judge::Same(&rates), Some(&Division::default()));
        1.0 / (1.0 + (ln[Relation::Neither as usize] - ln[Relation::Above as usize]).exp())
    }

    #[test]
    fn divided_questions_keep_their_shares() {
        // .6 yes from people who err in one of ten answers is a share of (.6 - .1) / .8, and counts by the root of its odds.
        let odds = (0.625_f64 / 0.375).sqrt();
        assert!((certainty(60, 40) - odds / (1.0 + odds)).abs() < 0.01);
        assert!((certainty(50, 50) - 0.5).abs() < 1e-12);
        assert!((certainty(8, 0) - 0.995).abs() < 0.004, "{}", certainty(8, 0));
        assert!((certainty(3, 5) + certainty(5, 3) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn majority_is_one_answer() {
        let ln = ballot(8, 0).log_clear(Judge::Majority);
        assert!((ln[0].exp() - 0.9).abs() < 1e-12 && (ln[2].exp() - 0.1).abs() < 1e-12);
        assert_eq!(ballot(4, 4).log_clear(Judge::Majority), [0.0; 3]);
    }

    #[test]
    fn order_does_not_matter_and_votes_can_be_removed() {
        let mut there = ballot(3, 2);
        there.insert(Worker::new(1), false);
        there.remove(Worker::new(1), false);
        assert_eq!(there, ballot(3, 2));
    }
}
