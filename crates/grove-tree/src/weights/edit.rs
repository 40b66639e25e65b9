//! Answers and corrections about one edge, which change weights exactly.

use super::EdgeWeights;
use crate::{Concept, Error, Result};

impl EdgeWeights {
    /// Updates the weights with one answer to "is `parent` the parent of `child`?" from a worker who errs at rate `noise` (g): multiplies
    /// the edge's weight by ((1-g)/g)^(2a-1), a being 1 for yes and 0 for no. This is Bayes' rule, without approximation.
    ///
    /// # Errors
    /// [`Error::NotANoiseRate`] unless 0 < noise < 1, [`Error::NoSuchEdge`]; nothing changes then.
    pub fn observe_edge(&mut self, parent: Concept, child: Concept, yes: bool, noise: f64) -> Result<()> {
        if !(noise > 0.0 && noise < 1.0) {
            return Err(Error::NotANoiseRate(noise));
        }
        let at = self.position(parent, child)?;
        let log_odds = (1.0 - noise).ln() - noise.ln();
        let value = self.log_weights[at] + if yes { log_odds } else { -log_odds };
        self.set_log_weight(parent, child, value)
    }

    /// Makes `parent` certainly the parent of `child`, by forbidding all others. O(N^2).
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no tree would be possible, [`Error::NoSuchEdge`]; nothing changes then.
    pub fn pin(&mut self, parent: Concept, child: Concept) -> Result<()> {
        let kept = self.position(parent, child)?;
        let row = self.row(child);
        let before = self.log_weights[row.clone()].to_vec();
        for at in row.clone().filter(|&at| at != kept) {
            self.log_weights[at] = f64::NEG_INFINITY;
        }
        self.check_reachable().inspect_err(|_| self.log_weights[row].copy_from_slice(&before))
    }

    /// Forbids `parent` as the parent of `child`. O(N^2).
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no tree would be possible, [`Error::NoSuchEdge`]; nothing changes then.
    pub fn forbid(&mut self, parent: Concept, child: Concept) -> Result<()> {
        let at = self.position(parent, child)?;
        let before = std::mem::replace(&mut self.log_weights[at], f64::NEG_INFINITY);
        self.check_reachable().inspect_err(|_| self.log_weights[at] = before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_corrections_change_nothing() {
        let [one, two] = [1, 2].map(Concept::new);
        let mut weights = EdgeWeights::uniform(2);
        weights.pin(one, two).unwrap();
        let before = weights.clone();
        // 1 under 2 would close a cycle, and 1 must stay under the root.
        assert_eq!(weights.pin(two, one), Err(Error::Unreachable(vec![one, two])));
        assert_eq!(weights.forbid(Concept::ROOT, one), Err(Error::Unreachable(vec![one, two])));
        assert_eq!(weights.pin(Concept::ROOT, two), Err(Error::Unreachable(vec![two])));
        assert!(matches!(weights.observe_edge(one, two, true, 0.0), Err(Error::NotANoiseRate(_))));
        assert!(matches!(weights.observe_edge(one, two, true, f64::NAN), Err(Error::NotANoiseRate(_))));
        assert_eq!(weights, before);
    }

    #[test]
    fn an_answer_moves_one_edge_by_bayes_rule() {
        // Over two concepts the trees are 0-1 0-2, 0-1-2, 0-2-1; a yes at 10 % noise makes the second 9 times as probable.
        let [one, two] = [1, 2].map(Concept::new);
        let mut weights = EdgeWeights::uniform(2);
        weights.observe_edge(one, two, true, 0.1).unwrap();
        let certainty = weights.marginals().unwrap().probability(one, two);
        assert!((certainty - 9.0 / 11.0).abs() < 1e-14);
        weights.observe_edge(one, two, false, 0.1).unwrap();
        assert_eq!(weights, EdgeWeights::uniform(2));
    }
}
