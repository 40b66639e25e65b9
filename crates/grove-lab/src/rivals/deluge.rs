//! DELUGE (Bragg, Mausam and Weld, HCOMP 2013): a probability for every pair of item and label, label correlation learnt from the
//! votes, and always the question of greatest expected information gain.

use grove_belief::coin_entropy;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::benchmark::{Asked, Benchmark, ITEMS, PEOPLE};
use super::nesting::Memberships;
use crate::Error;

/// Votes between two estimates of people's rates, of how common labels are, and of how they occur together.
const REFRESH: usize = 300;

/// Pseudo-counts of a person's answers: [right, wrong].
const RATE_PRIOR: [f64; 2] = [4.0, 1.0];

/// Pseudo-counts of the items of every label: [with it, without it].
const LABEL_PRIOR: [f64; 2] = [1.0, 4.0];

/// Pseudo-counts of items with the mean share of a label, for every share given another label.
const PAIR_PRIOR: f64 = 3.0;

/// What DELUGE has learnt. A pair of item and label has the number item * labels + label.
struct Deluge {
    labels: usize,
    /// How strongly votes on other labels count: 1 is naive Bayes, 0 is every label on its own.
    correlation: f64,
    /// Who said yes, by pair.
    votes: Vec<Vec<(usize, bool)>>,
    /// ln P(votes | of the label) - ln P(votes | not).
    evidence: Vec<f64>,
    /// The probability that the item is of the label.
    belief: Vec<f64>,
    /// A person's chances of yes: [if not, if so].
    rates: Vec<[f64; 2]>,
    /// How common each label is.
    common: Vec<f64>,
    /// P(other label | label), P(other label | not label), at label * labels + other.
    given: Vec<[f64; 2]>,
}

/// The AUC at each of these numbers of votes: (votes, with labels decided, with labels as probabilities).
pub(super) fn run(
    benchmark: &mut Benchmark,
    correlation: f64,
    marks: &[usize],
    rng: &mut ChaCha8Rng,
) -> Result<Vec<(f64, [f64; 2])>, Error> {
    let labels = benchmark.labels.len();
    let mut deluge = Deluge::new(labels, correlation);
    let mut asked = Asked::new(labels);
    // Equal gains are common at first: a little noise for every pair breaks the ties.
    let tie_breaks: Vec<f64> = (0..labels * ITEMS).map(|_| 1e-9 * rng.random::<f64>()).collect();
    let mut gains = deluge.gains(&tie_breaks);
    let mut curve = Vec::new();
    let mut votes = 0;
    for &mark in marks {
        while votes < mark {
            let pair = best(&gains, &asked);
            let worker = asked.somebody(pair, rng);
            let yes = benchmark.ask(worker, pair, rng)?;
            deluge.record(pair, worker, yes);
            votes += 1;
            if votes.is_multiple_of(REFRESH) {
                deluge.refresh();
                gains = deluge.gains(&tie_breaks);
            } else {
                deluge.gains_of(pair / labels, &tie_breaks, &mut gains);
            }
        }
        deluge.refresh();
        gains = deluge.gains(&tie_breaks);
        let decided = deluge.belief.iter().map(|belief| f64::from(u8::from(*belief > 0.5))).collect();
        let auc = |shares| Memberships::new(labels, shares).edge_auc(&benchmark.labels);
        curve.push((mark as f64, [auc(decided)?, auc(deluge.belief.clone())?]));
    }
    Ok(curve)
}

impl Deluge {
    fn new(labels: usize, correlation: f64) -> Self {
        let pairs = labels * ITEMS;
        let [with, without] = LABEL_PRIOR;
        let common = with / (with + without);
        let [right, wrong] = RATE_PRIOR;
        let right = right / (right + wrong);
        Self {
            labels,
            correlation,
            votes: vec![Vec::new(); pairs],
            evidence: vec![0.0; pairs],
            belief: vec![common; pairs],
            rates: vec![[1.0 - right, right]; PEOPLE],
            common: vec![common; labels],
            given: vec![[common; 2]; labels * labels],
        }
    }

    fn record(&mut self, pair: usize, worker: usize, yes: bool) {
        self.votes[pair].push((worker, yes));
        self.evidence[pair] += self.weight(worker, yes);
        self.infer(pair / self.labels);
    }

    fn weight(&self, worker: usize, yes: bool) -> f64 {
        let [if_not, if_so] = self.rates[worker];
        if yes { (if_so / if_not).ln() } else { ((1.0 - if_so) / (1.0 - if_not)).ln() }
    }

    /// Updates the beliefs about one item: for every label a naive Bayes model whose features are the votes on the other labels,
    ///
    /// logit P(l) = logit common(l) + evidence(l) + c * sum over l' of
    /// ln [(e' P(l'|l) + 1 - P(l'|l)) / (e' P(l'|not l) + 1 - P(l'|not l))], with e' = exp(evidence(l')).
    ///
    /// A label without votes contributes nothing. O(labels^2).
    fn infer(&mut self, item: usize) {
        let row = item * self.labels..(item + 1) * self.labels;
        let odds: Vec<f64> =
            self.evidence[row.clone()].iter().map(|evidence| evidence.clamp(-30.0, 30.0).exp()).collect();
        for label in 0..self.labels {
            let mut others = 0.0;
            for other in (0..self.labels).filter(|&other| other != label && odds[other] != 1.0) {
                let [without, with] = self.given[label * self.labels + other];
                let chance = |given: f64| odds[other] * given + 1.0 - given;
                others += (chance(with) / chance(without)).ln();
            }
            let common = self.common[label];
            let logit =
                (common / (1.0 - common)).ln() + self.evidence[row.start + label] + self.correlation * others;
            self.belief[row.start + label] = 1.0 / (1.0 + (-logit).exp());
        }
    }

    /// One step of expectation maximisation: rates, shares and co-occurrence from the current beliefs, and new beliefs from those.
    fn refresh(&mut self) {
        self.estimate_rates();
        self.estimate_labels();
        for at in 0..self.votes.len() {
            self.evidence[at] = self.votes[at].iter().map(|&(worker, yes)| self.weight(worker, yes)).sum();
        }
        (0..ITEMS).for_each(|item| self.infer(item));
    }

    fn estimate_rates(&mut self) {
        let [right, wrong] = RATE_PRIOR;
        // Of every person: yes and all, if not and if so.
        let mut counts = vec![[[wrong, right + wrong], [right, right + wrong]]; PEOPLE];
        for (votes, belief) in self.votes.iter().zip(&self.belief) {
            for &(worker, yes) in votes {
                for (case, chance) in [1.0 - belief, *belief].into_iter().enumerate() {
                    counts[worker][case][0] += if yes { chance } else { 0.0 };
                    counts[worker][case][1] += chance;
                }
            }
        }
        self.rates =
            counts.iter().map(|counts| counts.map(|[yes, all]| (yes / all).clamp(0.01, 0.99))).collect();
    }

    fn estimate_labels(&mut self) {
        let [with, without] = LABEL_PRIOR;
        let at = |item: usize, label: usize| self.belief[item * self.labels + label];
        let size = |label: usize| (0..ITEMS).map(|item| at(item, label)).sum::<f64>();
        let sizes: Vec<f64> = (0..self.labels).map(size).collect();
        let common: Vec<f64> =
            sizes.iter().map(|size| (size + with) / (ITEMS as f64 + with + without)).collect();
        let mut given = vec![[0.0; 2]; self.labels * self.labels];
        for label in 0..self.labels {
            for other in 0..self.labels {
                let both: f64 = (0..ITEMS).map(|item| at(item, label) * at(item, other)).sum();
                let smooth = |count: f64, of: f64| (count + PAIR_PRIOR * common[other]) / (of + PAIR_PRIOR);
                given[label * self.labels + other] =
                    [smooth(sizes[other] - both, ITEMS as f64 - sizes[label]), smooth(both, sizes[label])];
            }
        }
        (self.common, self.given) = (common, given);
    }

    /// The expected information gain of every pair, from a person of mean rates.
    fn gains(&self, tie_breaks: &[f64]) -> Vec<f64> {
        let mut gains = vec![0.0; self.belief.len()];
        (0..ITEMS).for_each(|item| self.gains_of(item, tie_breaks, &mut gains));
        gains
    }

    fn gains_of(&self, item: usize, tie_breaks: &[f64], gains: &mut [f64]) {
        let mean = |case: usize| self.rates.iter().map(|rates| rates[case]).sum::<f64>() / PEOPLE as f64;
        let (if_not, if_so) = (mean(0), mean(1));
        for at in item * self.labels..(item + 1) * self.labels {
            let p = self.belief[at];
            let heard = coin_entropy(p * if_so + (1.0 - p) * if_not);
            gains[at] = heard - p * coin_entropy(if_so) - (1.0 - p) * coin_entropy(if_not) + tie_breaks[at];
        }
    }
}

/// The pair of greatest gain that somebody can still be asked about.
fn best(gains: &[f64], asked: &Asked) -> usize {
    let open = (0..gains.len()).filter(|&pair| asked.is_open(pair));
    open.max_by(|&a, &b| gains[a].total_cmp(&gains[b]))
        .expect("fewer votes are asked for than people can give")
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_sim::CrowdSpec;
    use rand::SeedableRng;

    #[test]
    fn labels_that_occur_together_support_each_other() {
        let mut deluge = Deluge::new(2, 1.0);
        // Every item with label 0 has label 1 too; half of the items have both.
        for item in 0..ITEMS - 1 {
            for worker in 0..4 {
                deluge.record(item * 2, worker, item % 2 == 0);
                deluge.record(item * 2 + 1, worker, item % 2 == 0);
            }
        }
        deluge.refresh();
        let last = ITEMS - 1;
        let before = deluge.belief[last * 2 + 1];
        (0..3).for_each(|worker| deluge.record(last * 2, worker, true));
        assert!(deluge.belief[last * 2 + 1] > before + 0.3);
        let mut apart = Deluge::new(2, 0.0);
        (0..3).for_each(|worker| apart.record(last * 2, worker, true));
        assert_eq!(apart.belief[last * 2 + 1], 0.2);
    }

    #[test]
    fn perfect_people_and_many_votes_find_the_hierarchy() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let spec = CrowdSpec::one_rate(PEOPLE, 0.0).unwrap();
        let mut benchmark = Benchmark::new(&spec, false, &mut rng).unwrap();
        let curve = run(&mut benchmark, 0.0, &[300, 7_000], &mut rng).unwrap();
        assert!(curve[0].1[0] < 0.9 && curve[1].1[0] > 0.95, "{curve:?}");
    }
}
