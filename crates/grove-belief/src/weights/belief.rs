use grove_tree::{Concept, Tree};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::change::Change;
use super::{MOST, NAME, Streams, Weights};
use crate::belief::{Belief, check_count, normalised};
use crate::{
    Answer, Correction, CorrectionId, EdgeVotes, Error, Evidence, Health, Response, Verdict, Vote, VoteId,
    Worker,
};

impl Belief for Weights {
    fn engine(&self) -> &'static str {
        NAME
    }

    fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    fn is_approximate(&self) -> bool {
        true
    }

    fn record(&mut self, vote: Vote) -> Result<VoteId, Error> {
        let (id, change) = Change::record(&mut self.evidence, vote, &self.rates)?;
        self.update(&change);
        Ok(id)
    }

    fn respond(&mut self, response: Response) -> Result<VoteId, Error> {
        let (id, change) = Change::respond(&mut self.evidence, response, &self.rates)?;
        self.update(&change);
        Ok(id)
    }

    fn withdraw(&mut self, id: VoteId) -> Result<Response, Error> {
        let response = self.evidence.withdraw(id)?;
        self.replay();
        Ok(response)
    }

    fn record_gold(&mut self, worker: Worker, truth: bool, answer: Answer) -> Result<(), Error> {
        self.evidence.record_gold(worker, truth, answer)
    }

    fn correct(&mut self, correction: Correction) -> Result<CorrectionId, Error> {
        let id = self.evidence.correct(correction)?;
        self.apply_corrections();
        Ok(id)
    }

    fn take_back(&mut self, id: CorrectionId) -> Result<Correction, Error> {
        let correction = self.evidence.take_back(id)?;
        self.replay();
        Ok(correction)
    }

    fn add_concept(&mut self, edge_votes: EdgeVotes) -> Result<Concept, Error> {
        check_count(NAME, MOST, self.evidence.count() + 1)?;
        Ok(self.insert_concept(edge_votes))
    }

    fn remove_concept(&mut self, gone: Concept, edge_votes: EdgeVotes) -> Result<(), Error> {
        self.evidence.remove_concept(gone, edge_votes)?;
        self.replay();
        Ok(())
    }

    fn merge(&mut self, gone: Concept, kept: Concept) -> Result<(), Error> {
        self.evidence.merge(gone, kept)?;
        self.replay();
        Ok(())
    }

    fn path(&self, upper: Concept, lower: Concept) -> f64 {
        match (upper.is_root(), lower.is_root()) {
            (_, true) => 0.0,
            (true, false) => 1.0,
            // Sums of weights may exceed one by rounding.
            (false, false) => self.paths()[(upper, lower)].min(1.0),
        }
    }

    fn parents(&self, child: Concept) -> Vec<(Concept, f64)> {
        normalised(self.parent_marginals(child))
    }

    /// Where corrections concern paths and the most probable tree breaks one, the most probable of the sampled trees.
    fn best_tree(&self) -> Tree {
        let best = self.weights.best_tree().expect("the weights leave some tree possible");
        if self.evidence.corrections().hold_in(&best) {
            return best;
        }
        let log_score = |tree: &Tree| self.weights.log_score(tree).expect("the tree has as many concepts");
        let sampled = self.sampled().trees().iter().map(|(tree, _)| tree);
        let best = sampled.max_by(|one, other| log_score(one).total_cmp(&log_score(other)));
        best.expect("a sample is never empty").clone()
    }

    /// One draw, which seeds all the others. Where corrections concern paths, trees are taken from the last sample by weight.
    fn sample(&self, count: usize, rng: &mut dyn Rng) -> Vec<Tree> {
        let seed = rng.next_u64();
        if self.has_path_corrections() {
            return self.sampled().pick(count, &mut ChaCha8Rng::seed_from_u64(seed));
        }
        let sampler = self.weights.sampler().expect("the weights leave some tree possible");
        let drawn = Streams { seed, update: 0 }.draw(&sampler, count, 0);
        drawn.into_iter().map(|(tree, _)| tree).collect()
    }

    /// Of the weights, in closed form; corrections of paths would lower it.
    fn entropy(&self) -> Option<f64> {
        let entropy = self.marginals().entropy(&self.weights).expect("the marginals are of these weights");
        Some(entropy.max(0.0))
    }

    /// Effective trees are those of the last sample (Kish 1965). They measure its sampling error, not what fits lose.
    fn health(&self) -> Health {
        Health { effective_trees: self.sampled().effective(), r_hat: 1.0, verdict: Verdict::Approximate }
    }
}
