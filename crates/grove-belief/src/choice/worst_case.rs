use std::collections::HashMap;

use grove_tree::Tree;
use rand::Rng;

use crate::table::PairTable;
use crate::{Belief, Candidate, Rates};

/// How many trees the paper's rule compares.
const TREES: usize = 10_000;

/// The paper's rule on a sample of trees. With shares s_t of distinct trees and an answer of likelihood f_t,
/// H after it = ln Z - (1/Z) sum s_t f_t (ln s_t + ln f_t), Z = sum s_t f_t: only the sums of s_t and of s_t ln s_t over the trees that
/// hold the pair, this way round and the other, are needed.
pub(super) struct WorstCase {
    /// By ordered pair: the sum of s_t over trees that hold it, and of s_t ln s_t.
    held: PairTable<[f64; 2]>,
    all: f64,
}

impl WorstCase {
    /// O(trees * N * depth).
    pub(super) fn new(belief: &dyn Belief, rng: &mut dyn Rng) -> Self {
        let trees = belief.sample(TREES, rng);
        let mut times: HashMap<&Tree, usize> = HashMap::new();
        trees.iter().for_each(|tree| *times.entry(tree).or_default() += 1);
        let mut rule = Self::empty(belief.evidence().count());
        // In the order of the sample, since the order of a hash map would change the last bits of sums from run to run.
        for tree in &trees {
            if let Some(times) = times.remove(tree) {
                rule.add(tree, times as f64 / trees.len() as f64);
            }
        }
        rule
    }

    fn empty(count: usize) -> Self {
        Self { held: PairTable::new(count, [0.0; 2]), all: 0.0 }
    }

    fn add(&mut self, tree: &Tree, share: f64) {
        let weighted = share * share.ln();
        self.all += weighted;
        for lower in tree.concepts() {
            for upper in tree.ancestors(lower) {
                let held = &mut self.held[(upper, lower)];
                *held = [held[0] + share, held[1] + weighted];
            }
        }
    }

    /// max(H after yes, H after no) in nats.
    pub(super) fn entropy_left(&self, candidate: &Candidate, rates: &Rates) -> f64 {
        let (upper, lower) = (candidate.question.upper, candidate.question.lower);
        let (above, reversed) = (self.held[(upper, lower)], self.held[(lower, upper)]);
        let neither = [1.0 - above[0] - reversed[0], self.all - above[1] - reversed[1]];
        let yes = rates.by_relation();
        let after = |likelihoods: [f64; 3]| {
            let (mut chance, mut sum) = (0.0, 0.0);
            for ([held, weighted], likelihood) in [above, reversed, neither].into_iter().zip(likelihoods) {
                chance += held * likelihood;
                sum += likelihood * (weighted + held * likelihood.ln());
            }
            chance.ln() - sum / chance
        };
        after(yes).max(after(yes.map(|yes| 1.0 - yes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evidence, Exact, Noise, Settings};
    use rand::{RngExt, SeedableRng};

    /// Any distribution over some trees; here, distinct ones drawn at random.
    fn some_shares(rng: &mut rand_chacha::ChaCha8Rng) -> Vec<(Tree, f64)> {
        let mut trees: Vec<Tree> = (0..12).map(|_| Tree::random(3, rng)).collect();
        trees.sort_by(|one, other| one.parents().cmp(other.parents()));
        trees.dedup();
        let weights: Vec<f64> = trees.iter().map(|_| rng.random::<f64>()).collect();
        let total: f64 = weights.iter().sum();
        trees.into_iter().zip(weights.into_iter().map(|weight| weight / total)).collect()
    }

    /// The entropy after an answer by the sum over trees itself.
    fn literal_entropy(shares: &[(Tree, f64)], likelihood: impl Fn(&Tree) -> f64) -> f64 {
        let products: Vec<f64> = shares.iter().map(|(tree, share)| share * likelihood(tree)).collect();
        let total: f64 = products.iter().sum();
        products.iter().map(|product| product / total).map(|p| -p * p.ln()).sum()
    }

    #[test]
    fn equals_the_sum_over_trees() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let rates =
            [Rates::one(0.1), Rates::two(0.05, 0.3), Rates::three(0.85, 0.4, 0.1)].map(Result::unwrap);
        for rates in rates {
            let settings = Settings { noise: Noise::Given(rates), ..Settings::default() };
            let exact = Exact::new(Evidence::new(3, settings).unwrap()).unwrap();
            let shares = some_shares(&mut rng);
            let mut rule = WorstCase::empty(3);
            shares.iter().for_each(|(tree, share)| rule.add(tree, *share));
            for candidate in exact.candidates() {
                let [above, reversed, neither] = rates.by_relation();
                let (upper, lower) = (candidate.question.upper, candidate.question.lower);
                let yes = |tree: &Tree| match (tree.is_above(upper, lower), tree.is_above(lower, upper)) {
                    (true, _) => above,
                    (_, true) => reversed,
                    _ => neither,
                };
                let expected =
                    literal_entropy(&shares, yes).max(literal_entropy(&shares, |tree| 1.0 - yes(tree)));
                let found = rule.entropy_left(&candidate, &rates);
                assert!((found - expected).abs() < 1e-12, "{found} for {expected} with {rates:?}");
            }
        }
    }
}
