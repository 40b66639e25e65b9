use std::collections::HashMap;

use grove_tree::{Concept, Tree};
use rand::Rng;

use super::gain::Predictor;
use crate::{Belief, Candidate};

/// How many trees the paper's rule looks at.
const TREES: usize = 10_000;

/// The paper's rule on a sample of trees. With shares s_t of distinct trees and an answer of likelihood f_t,
/// H after it = ln Z - (1/Z) sum s_t f_t (ln s_t + ln f_t), Z = sum s_t f_t: only the sums of s_t and of s_t ln s_t over the trees that
/// hold the pair are needed.
pub(super) struct WorstCase {
    count: usize,
    /// By ordered pair: the sum of s_t over trees that hold it, and of s_t ln s_t.
    held: Vec<[f64; 2]>,
    all: f64,
}

impl WorstCase {
    /// O(trees * N * depth).
    pub(super) fn new(belief: &dyn Belief, rng: &mut dyn Rng) -> Self {
        let trees = belief.sample(TREES, rng);
        let count = belief.evidence().count();
        let mut times: HashMap<&Tree, usize> = HashMap::new();
        trees.iter().for_each(|tree| *times.entry(tree).or_default() += 1);
        let mut rule = Self { count, held: vec![[0.0; 2]; (count + 1) * (count + 1)], all: 0.0 };
        // In the order of the sample, since a hash map's own would change sums in the last bit from run to run.
        for tree in &trees {
            if let Some(times) = times.remove(tree) {
                rule.add(tree, times as f64 / trees.len() as f64);
            }
        }
        rule
    }

    fn add(&mut self, tree: &Tree, share: f64) {
        let weighted = share * share.ln();
        self.all += weighted;
        for lower in tree.concepts() {
            for upper in tree.ancestors(lower) {
                let at = self.index(upper, lower);
                self.held[at][0] += share;
                self.held[at][1] += weighted;
            }
        }
    }

    fn index(&self, upper: Concept, lower: Concept) -> usize {
        upper.index() * (self.count + 1) + lower.index()
    }

    /// max(H after yes, H after no) in nats.
    pub(super) fn entropy_left(&self, candidate: &Candidate, predictor: &Predictor<'_>) -> f64 {
        let [held, weighted] = self.held[self.index(candidate.question.upper(), candidate.question.lower())];
        let [above, _, not] = predictor.chances(candidate.question);
        let after = |[above, not]: [f64; 2]| {
            let chance = held * above + (1.0 - held) * not;
            let sum = above * (weighted + held * above.ln())
                + not * (self.all - weighted + (1.0 - held) * not.ln());
            chance.ln() - sum / chance
        };
        after([above, not]).max(after([1.0 - above, 1.0 - not]))
    }
}
