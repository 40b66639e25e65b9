//! The votes on one question, and how likely they are under each relation of its two concepts.

use crate::Worker;
use crate::noise::{Division, Rates, Relation};

/// ln of a worker's chances of yes and no under each relation, ready for summing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogRates([[f64; 2]; 3]);

impl From<&Rates> for LogRates {
    fn from(rates: &Rates) -> Self {
        let of = |relation| [false, true].map(|yes| rates.log_likelihood(relation, yes));
        Self([Relation::Above, Relation::Reversed, Relation::Neither].map(of))
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
            Some(division) => self.mix(clear, division),
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
    fn mix(&self, clear: ByRelation, division: &Division) -> ByRelation {
        let (ln_clear, ln_divided) = ((-division.share()).ln_1p(), division.share().ln());
        let [above, not] = self.log_divided(division);
        let divided = [above, not, not];
        std::array::from_fn(|at| ln_add(ln_clear + clear[at], ln_divided + divided[at]))
    }

    /// ln A1 and ln A0: the yes-share t ~ Beta(a, a) integrated out, weighted by t if the pair counts as above and by
    /// 1 - t if it does not; 2 makes each a proper likelihood, since above has prior chance 1/2 there.
    ///
    /// `A1 = 2 B(k+1+a, n-k+a) / B(a,a) = 2 [a]_(k+1) [a]_(n-k) / [2a]_(n+1)` with rising factorials `[x]_m`.
    pub(crate) fn log_divided(&self, division: &Division) -> [f64; 2] {
        let (a, k, m) = (division.spread(), self.yes, self.no());
        let common =
            ln_rising(a, k) + ln_rising(a, m) - ln_rising(2.0 * a, k + m + 1) + std::f64::consts::LN_2;
        [common + (a + k as f64).ln(), common + (a + m as f64).ln()]
    }

    /// P(the question divides people | votes, relation) = r A / ((1-r) L + r A).
    pub(crate) fn divided_given(&self, judge: Judge<'_>, division: &Division) -> ByRelation {
        let (clear, [above, not]) = (self.log_clear(judge), self.log_divided(division));
        let divided = [above, not, not];
        std::array::from_fn(|relation| {
            let ln_divided = division.share().ln() + divided[relation];
            let ln_clear = (-division.share()).ln_1p() + clear[relation];
            (ln_divided - ln_add(ln_divided, ln_clear)).exp()
        })
    }

    /// P(the next vote is yes | divided, relation): the mean of Beta(k+1+a, n-k+a) where the pair counts as above, else of Beta(k+a, n-k+1+a).
    pub(crate) fn divided_yes(&self, division: &Division) -> ByRelation {
        let (a, k, n) = (division.spread(), self.yes as f64, self.len() as f64);
        [k + 1.0 + a, k + a, k + a].map(|yes| yes / (n + 1.0 + 2.0 * a))
    }
}

/// ln of the rising factorial x (x+1) ... (x+m-1).
fn ln_rising(x: f64, m: usize) -> f64 {
    (0..m).map(|step| (x + step as f64).ln()).sum()
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
        assert!((certainty(60, 40) - 0.6).abs() < 0.01);
        assert!((certainty(50, 50) - 0.5).abs() < 1e-12);
        assert!((certainty(8, 0) - 0.997).abs() < 0.001);
        assert!((certainty(3, 5) + certainty(5, 3) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_divided_ballot_is_a_likelihood() {
        // Over all sequences of n votes, the chances sum to one in each case.
        let division = Division::new(0.3, 2.5).unwrap();
        for n in 0..8_usize {
            let mut sum = [0.0; 2];
            for pattern in 0..1_u32 << n {
                let yes = pattern.count_ones() as usize;
                let ln = ballot(yes, n - yes).log_divided(&division);
                (0..2).for_each(|case| sum[case] += ln[case].exp());
            }
            assert!(sum.iter().all(|total| (total - 1.0).abs() < 1e-12), "{n}: {sum:?}");
        }
    }

    #[test]
    fn majority_is_one_answer() {
        let ln = ballot(8, 0).log_clear(Judge::Majority);
        assert!((ln[0].exp() - 0.9).abs() < 1e-12 && (ln[2].exp() - 0.1).abs() < 1e-12);
        assert_eq!(ballot(4, 4).log_clear(Judge::Majority), [0.0; 3]);
    }

    #[test]
    fn order_does_not_matter_and_votes_can_go() {
        let mut there = ballot(3, 2);
        there.insert(Worker::new(1), false);
        there.remove(Worker::new(1), false);
        assert_eq!(there, ballot(3, 2));
    }
}
