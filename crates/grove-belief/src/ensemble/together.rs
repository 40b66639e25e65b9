use super::Ensemble;
use crate::{Error, Response, Vote, VoteId};

impl Ensemble {
    /// Records many votes at once, and then gives every chain this many sweeps: for votes that arrive faster than the chains can follow one by one.
    /// The chains target the posterior of all votes; [`Belief::health`](crate::Belief::health) says how far they have converged to it.
    ///
    /// # Errors
    /// As [`Evidence::record`](crate::Evidence::record); the votes before the one that is refused stay recorded.
    pub fn record_all(&mut self, votes: &[Vote], sweeps: usize) -> Result<Vec<VoteId>, Error> {
        let recorded: Result<Vec<VoteId>, Error> =
            votes.iter().map(|&vote| self.evidence.record(vote)).collect();
        self.take_in(sweeps);
        recorded
    }

    /// The same for responses of any form.
    ///
    /// # Errors
    /// As [`Evidence::respond`](crate::Evidence::respond); the responses before the one that is refused stay recorded.
    pub fn respond_all(&mut self, responses: &[Response], sweeps: usize) -> Result<Vec<VoteId>, Error> {
        let recorded: Result<Vec<VoteId>, Error> =
            responses.iter().map(|response| self.evidence.respond(response.clone())).collect();
        self.take_in(sweeps);
        recorded
    }

    fn take_in(&mut self, sweeps: usize) {
        self.evidence_rebuilt();
        self.move_chains(|_, mover| mover.rescore_all());
        self.sweep(sweeps);
    }
}

#[cfg(test)]
mod tests {
    use grove_tree::{Concept, Tree};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Answer, Belief, EnsembleSettings, Evidence, Exact, Question, Settings, Worker};

    const COUNT: usize = 6;

    /// Votes of five people about a random tree, one in ten wrong.
    fn votes(number: usize) -> Vec<Vote> {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let truth = Tree::random(COUNT, &mut rng);
        let mut votes = Vec::new();
        while votes.len() < number {
            let [upper, lower] = [(); 2].map(|()| Concept::new(rng.random_range(1..=COUNT)));
            if let Ok(question) = Question::path(upper, lower) {
                let yes = truth.is_above(upper, lower) != (rng.random_range(0..10) == 0);
                let answer = if yes { Answer::Yes } else { Answer::No };
                votes.push(Vote { question, worker: Worker::new(rng.random_range(0..5)), answer });
            }
        }
        votes
    }

    fn error_of_paths(belief: &dyn Belief, exact: &Exact) -> f64 {
        let pairs =
            Concept::all(COUNT).flat_map(|upper| Concept::all(COUNT).map(move |lower| (upper, lower)));
        let errors = pairs.map(|(upper, lower)| (belief.path(upper, lower) - exact.path(upper, lower)).abs());
        errors.fold(0.0, f64::max)
    }

    /// 2,000 trees: three standard errors of a path probability are 0.034.
    #[test]
    fn comes_to_the_same_posterior() {
        let settings = Settings::one_rate(0.1).unwrap();
        let nothing = Evidence::new(COUNT, settings).unwrap();
        let mut exact = Exact::new(nothing.clone()).unwrap();
        let votes = votes(14);
        for vote in &votes {
            exact.record(*vote).unwrap();
        }
        let start = EnsembleSettings { trees: 2_000, moves: 8, seed: 1 };
        let mut belief = Ensemble::new(nothing, start).unwrap();
        let ids = belief.record_all(&votes, 5).unwrap();
        assert_eq!(ids.len(), votes.len());
        let error = error_of_paths(&belief, &exact);
        assert!(error < 0.034, "{error}");
        // The control: without a sweep, the trees are still those of before the votes.
        let mut unmoved =
            Ensemble::new(Evidence::new(COUNT, Settings::one_rate(0.1).unwrap()).unwrap(), start).unwrap();
        unmoved.record_all(&votes, 0).unwrap();
        assert!(error_of_paths(&unmoved, &exact) > 0.1);
    }

    #[test]
    fn meets_new_workers() {
        let evidence = Evidence::new(COUNT, Settings::default()).unwrap();
        let mut belief = Ensemble::new(evidence, EnsembleSettings { trees: 20, moves: 4, seed: 1 }).unwrap();
        belief.record_all(&votes(40), 1).unwrap();
        assert_eq!(belief.rate_draws(Worker::new(4)).len(), 20);
        belief.record_all(&[], 0).unwrap();
        let unknown =
            Vote { question: Question::path(Concept::new(9), Concept::new(1)).unwrap(), ..votes(1)[0] };
        assert!(matches!(belief.record_all(&[unknown], 1), Err(Error::UnknownConcept { .. })));
    }
}
