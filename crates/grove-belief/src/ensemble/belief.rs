use std::collections::BTreeMap;

use grove_tree::{Concept, Tree};
use rand::{Rng, RngExt};

use super::chain::Chain;
use super::counts::{counted, largest_doubt, surveyed};
use super::{CANDIDATE_STREAM, Ensemble, MOST_SURPRISE, stream_of};
use crate::belief::{Belief, Candidate, all_candidates, normalised};
use crate::corrections::{CorrectionId, concepts};
use crate::table::PairTable;
use crate::{Answer, Correction, EdgeVotes, Error, Evidence, Health, Question, Rates, Vote, VoteId, Worker};

/// The most concepts for which all questions are considered; with more, a sample of those on which the trees differ.
const ALL_QUESTIONS_UP_TO: usize = 250;

/// How many pairs are drawn where there are too many to consider all.
const CANDIDATES: usize = 2_000;

/// Trees nearly agree if no question has a larger doubt than this.
const AGREED: f64 = 0.05;

/// How many trees are surveyed for the conditional place of every concept, when they nearly agree.
const SURVEYED: usize = 16;

impl Belief for Ensemble {
    fn engine(&self) -> &'static str {
        "ensemble"
    }

    fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    fn record(&mut self, vote: Vote) -> Result<VoteId, Error> {
        let id = self.evidence.record(vote)?;
        if vote.answer != Answer::CantSay {
            let surprise = self.surprise(&vote);
            self.votes_changed(vote.question.upper, vote.question.lower, surprise);
        }
        Ok(id)
    }

    fn withdraw(&mut self, id: VoteId) -> Result<Vote, Error> {
        let vote = self.evidence.withdraw(id)?;
        if vote.answer != Answer::CantSay {
            self.votes_changed(vote.question.upper, vote.question.lower, MOST_SURPRISE);
        }
        Ok(vote)
    }

    fn record_gold(&mut self, worker: Worker, truth: bool, answer: Answer) -> Result<(), Error> {
        self.evidence.record_gold(worker, truth, answer)?;
        self.move_chains(|_, mover| mover.redraw_rates());
        Ok(())
    }

    fn correct(&mut self, correction: Correction) -> Result<CorrectionId, Error> {
        let id = self.evidence.correct(correction)?;
        self.fulfil_corrections(concepts(correction));
        Ok(id)
    }

    fn take_back(&mut self, id: CorrectionId) -> Result<Correction, Error> {
        let correction = self.evidence.take_back(id)?;
        self.sweep(1);
        self.advance(concepts(correction), None, MOST_SURPRISE);
        Ok(correction)
    }

    fn add_concept(&mut self, edge_votes: EdgeVotes) -> Result<Concept, Error> {
        let concept = self.evidence.add_concept(edge_votes);
        self.evidence_rebuilt();
        self.move_chains(|_, mover| {
            mover.chain.shape.grow();
            mover.rescore_all();
            assert!(mover.place(concept), "there are no corrections about a new concept");
        });
        Ok(concept)
    }

    fn remove_concept(&mut self, gone: Concept, edge_votes: EdgeVotes) -> Result<(), Error> {
        self.evidence.remove_concept(gone, edge_votes)?;
        self.forget(gone);
        self.sweep(1);
        Ok(())
    }

    fn merge(&mut self, gone: Concept, kept: Concept) -> Result<(), Error> {
        self.evidence.merge(gone, kept)?;
        self.forget(gone);
        // The corrections about one concept now hold for the other.
        let kept = Concept::new(kept.index() - usize::from(kept > gone));
        self.fulfil_corrections([kept, kept]);
        Ok(())
    }

    fn path(&self, upper: Concept, lower: Concept) -> f64 {
        if upper.is_root() && !lower.is_root() {
            return 1.0;
        }
        let holds = |chain: &&Chain| upper != lower && !lower.is_root() && chain.shape.is_above(upper, lower);
        self.chains.iter().filter(holds).count() as f64 / self.chains.len() as f64
    }

    fn parents(&self, child: Concept) -> Vec<(Concept, f64)> {
        let mut counts: BTreeMap<Concept, usize> = BTreeMap::new();
        for chain in &self.chains {
            *counts.entry(chain.shape.parent(child)).or_default() += 1;
        }
        normalised(counts.into_iter().map(|(parent, count)| (parent, count as f64)))
    }

    fn best_tree(&self) -> Tree {
        self.most_probable()
    }

    fn sample(&self, count: usize, rng: &mut dyn Rng) -> Vec<Tree> {
        let start = rng.random_range(0..self.chains.len());
        let chains = self.chains.iter().cycle().skip(start).take(count);
        chains.map(|chain| chain.shape.to_tree()).collect()
    }

    fn rates(&self, worker: Worker) -> Rates {
        self.mean_rates(worker)
    }

    fn rate_draws(&self, worker: Worker) -> Vec<Rates> {
        let of = |chain: &Chain| chain.workers.as_ref()?.rates().get(worker.index()).copied();
        let draws: Vec<Rates> = self.chains.iter().filter_map(of).collect();
        if draws.is_empty() { vec![self.rates(worker)] } else { draws }
    }

    fn health(&self) -> Health {
        self.check_mixing()
    }

    fn candidates(&self) -> Vec<Candidate> {
        let count = self.evidence.count();
        if count <= ALL_QUESTIONS_UP_TO {
            let paths = self.paths();
            return all_candidates(count, |upper, lower| paths[(upper, lower)]);
        }
        self.sampled_candidates()
    }
}

impl Ensemble {
    /// P(above) for all pairs: counted, unless the trees nearly agree. Then counts are too coarse to find the least
    /// certain question, and the conditional distribution of each concept's place given the others is used.
    fn paths(&self) -> PairTable<f64> {
        let count = self.evidence.count();
        let counted = counted(count, &self.chains);
        if largest_doubt(&counted) > AGREED {
            return counted;
        }
        let some = self.chains.len().min(SURVEYED);
        surveyed(count, &self.chains[..some], self.model())
    }

    fn forget(&mut self, gone: Concept) {
        self.evidence_rebuilt();
        self.move_chains(|_, mover| {
            mover.chain.shape.lift(gone);
            mover.chain.shape.forget(gone);
            mover.rescore_all();
        });
    }

    /// Pairs of a concept, mostly an unsettled one, and one of its ancestors in some tree. Also some random pairs, so
    /// that there is always a question to ask.
    fn sampled_candidates(&self) -> Vec<Candidate> {
        let mut rng = stream_of(self.settings.seed, CANDIDATE_STREAM, self.record);
        let count = self.evidence.count();
        let mut pairs: Vec<(Concept, Concept)> = Vec::with_capacity(CANDIDATES);
        for _ in 0..CANDIDATES {
            let lower = if self.unsettled.is_empty() || rng.random_range(0..8) == 0 {
                Concept::new(rng.random_range(1..=count))
            } else {
                self.unsettled[rng.random_range(0..self.unsettled.len())]
            };
            let shape = &self.chains[rng.random_range(0..self.chains.len())].shape;
            let depth = shape.ancestors(lower).count();
            if depth > 0
                && let Some(upper) = shape.ancestors(lower).nth(rng.random_range(0..depth))
            {
                pairs.push((upper, lower));
            }
        }
        let mut any = || Concept::new(rng.random_range(1..=count));
        pairs.extend((0..CANDIDATES / 10).map(|_| (any(), any())));
        pairs.sort_unstable();
        pairs.dedup();
        let questions = pairs.into_iter().filter_map(|(upper, lower)| Question::path(upper, lower).ok());
        questions.map(|question| Candidate::new(self, question)).collect()
    }
}
