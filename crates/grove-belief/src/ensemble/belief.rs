use std::collections::BTreeMap;

use grove_tree::{Concept, Tree};
use rand::{Rng, RngExt};

use super::chain::Chain;
use super::counts::{Opinion, counted, expected_parents, largest_doubt, survey};
use super::shape::Shape;
use super::{CANDIDATE_STREAM, Changed, Ensemble, MOST_SURPRISE, stream_of};
use crate::belief::{Belief, Candidate, Differ, Place, all_candidates, all_parents, normalised};
use crate::corrections::{CorrectionId, concepts};
use crate::table::PairTable;
use crate::{
    Answer, Correction, EdgeVotes, Error, Evidence, FormRates, Health, Question, Rates, Reply, Response,
    SHARES, View, Vote, VoteId, Worker,
};

/// The most concepts for which all questions are considered; with more, a sample of those on which the trees differ.
const ALL_QUESTIONS_UP_TO: usize = 250;

/// How many pairs are drawn where there are too many to consider all.
const CANDIDATES: usize = 2_000;

/// How many trees are looked at to choose what to ask.
const MOST_VIEWS: usize = 400;

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

    fn respond(&mut self, response: Response) -> Result<VoteId, Error> {
        if let Some(vote) = response.vote() {
            return self.record(vote);
        }
        let id = self.evidence.respond(response.clone())?;
        if response.reply != Reply::CantSay {
            let surprise = self.surprise_of(&response);
            self.responses_changed(&response, surprise);
        }
        Ok(id)
    }

    fn withdraw(&mut self, id: VoteId) -> Result<Response, Error> {
        let response = self.evidence.withdraw(id)?;
        match response.vote() {
            _ if response.reply == Reply::CantSay => {}
            Some(vote) => self.votes_changed(vote.question.upper, vote.question.lower, [MOST_SURPRISE; 2]),
            None => self.responses_changed(&response, [MOST_SURPRISE; 2]),
        }
        Ok(response)
    }

    fn record_gold(&mut self, worker: Worker, truth: bool, answer: Answer) -> Result<(), Error> {
        self.evidence.record_gold(worker, truth, answer)?;
        self.move_chains(|_, mover| {
            mover.redraw_holders();
            mover.redraw_rates();
        });
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
        self.advance(&concepts(correction), Changed::Nothing, [MOST_SURPRISE; 2]);
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
        self.sweep(1);
        Ok(())
    }

    fn path(&self, upper: Concept, lower: Concept) -> f64 {
        if upper.is_root() && !lower.is_root() {
            return 1.0;
        }
        if upper == lower || lower.is_root() {
            return 0.0;
        }
        let held: f64 = self.chains.iter().map(|chain| chain.share_above(upper, lower)).sum();
        held / self.chains.len() as f64
    }

    fn parents(&self, child: Concept) -> Vec<(Concept, f64)> {
        self.parents_by(child, |_, parent| parent)
    }

    fn expected_parents(&self) -> Vec<Vec<(Concept, f64)>> {
        // Trees of a refined ensemble have no scores of their own; and there are so many of them that counting is precise.
        if self.evidence.count() > ALL_QUESTIONS_UP_TO || self.health.is_some() {
            return all_parents(self);
        }
        expected_parents(&self.chains, self.model())
    }

    fn reported_parents(&self, child: Concept) -> Vec<(Concept, f64)> {
        let mut asked = Asked::about(&self.evidence, child);
        self.parents_by(child, |shape, parent| asked.nearest(shape, parent))
    }

    fn differ(&self, upper: Concept, lower: Concept) -> Differ {
        let mut sums = Opinion::default();
        if upper != lower && !upper.is_root() && !lower.is_root() {
            self.chains.iter().for_each(|chain| sums.add(chain.share_above(upper, lower)));
        }
        sums.over(self.chains.len()).differ()
    }

    fn places(&self, child: Concept) -> (f64, Vec<Place>) {
        self.places_of(child)
    }

    fn outcomes(&self, child: Concept) -> Vec<f64> {
        let divided = self.chains.iter().filter(|chain| chain.division(child).is_some()).count();
        let people_differ = 2 * divided > self.chains.len();
        let mut asked = Asked::about(&self.evidence, child);
        let mut counts: BTreeMap<[Concept; 2], f64> = BTreeMap::new();
        for chain in &self.chains {
            let first = asked.nearest(&chain.shape, chain.shape.parent(child));
            let second = match chain.division(child) {
                Some(division) if people_differ => asked.nearest(&chain.shape, division.second),
                _ => first,
            };
            *counts.entry([first.min(second), first.max(second)]).or_default() += 1.0;
        }
        counts.into_values().map(|count| count / self.chains.len() as f64).collect()
    }

    fn best_tree(&self) -> Tree {
        self.most_probable()
    }

    fn sample(&self, count: usize, rng: &mut dyn Rng) -> Vec<Tree> {
        let start = rng.random_range(0..self.chains.len());
        let chains = self.chains.iter().cycle().skip(start).take(count);
        chains.map(|chain| chain.shape.to_tree()).collect()
    }

    fn views(&self, _: &mut dyn Rng) -> Vec<View> {
        let view = |chain: &Chain| {
            let divided = chain.divided.iter().map(|one| (one.concept, one.second, one.held)).collect();
            View::new(&chain.shape.to_tree(), divided)
        };
        // Further trees would add hardly anything.
        self.chains.iter().take(MOST_VIEWS).map(view).collect()
    }

    fn rates(&self, worker: Worker) -> Rates {
        self.mean_rates(worker)
    }

    fn form_rates(&self, worker: Worker) -> FormRates {
        self.mean_form_rates(worker)
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
            let opinions = self.opinions();
            let unseen = Unseen::new(self);
            let path = |upper, lower| opinions[(upper, lower)].above;
            return all_candidates(count, path)
                .into_iter()
                .map(|candidate| {
                    let differ = opinions[(candidate.question.upper, candidate.question.lower)].differ();
                    unseen.add_to(Candidate { differ, ..candidate })
                })
                .collect();
        }
        self.sampled_candidates()
    }
}

impl Ensemble {
    /// The chance that a person of this crowd places a concept under each parent, with parents renamed by `name`.
    fn parents_by(
        &self,
        child: Concept,
        mut name: impl FnMut(&Shape, Concept) -> Concept,
    ) -> Vec<(Concept, f64)> {
        let mut weights: BTreeMap<Concept, f64> = BTreeMap::new();
        for chain in &self.chains {
            let mut add = |parent: Concept, share: f64| {
                *weights.entry(name(&chain.shape, parent)).or_default() += share;
            };
            match chain.division(child) {
                None => add(chain.shape.parent(child), 1.0),
                Some(division) => {
                    add(chain.shape.parent(child), 1.0 - division.held);
                    add(division.second, division.held);
                }
            }
        }
        normalised(weights)
    }

    /// What people hold of all pairs: counted, unless the trees nearly agree. Then counts are too coarse to find the least certain question, and the
    /// conditional distribution of each concept's place given the others is used.
    fn opinions(&self) -> PairTable<Opinion> {
        let count = self.evidence.count();
        let mut opinions = counted(count, &self.chains);
        if largest_doubt(&opinions) <= AGREED {
            let some = self.chains.len().min(SURVEYED);
            survey(count, &self.chains[..some], self.model(), &mut opinions);
        }
        opinions
    }

    /// The chance that people place a concept differently, and the two places that they most often have if so, with the mean of each
    /// share and the middle nine tenths of it.
    fn places_of(&self, child: Concept) -> (f64, Vec<Place>) {
        let mut held: BTreeMap<[Concept; 2], Vec<f64>> = BTreeMap::new();
        for chain in &self.chains {
            if let Some(division) = chain.division(child) {
                let first = chain.shape.parent(child);
                let (key, share) = if first < division.second {
                    ([first, division.second], 1.0 - division.held)
                } else {
                    ([division.second, first], division.held)
                };
                held.entry(key).or_default().push(share);
            }
        }
        let divided: usize = held.values().map(Vec::len).sum();
        let chance = divided as f64 / self.chains.len() as f64;
        let Some((places, mut shares)) = held.into_iter().max_by_key(|(_, shares)| shares.len()) else {
            return (0.0, Vec::new());
        };
        shares.sort_by(f64::total_cmp);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let quantile = |share: f64| shares[((shares.len() - 1) as f64 * share).round() as usize];
        let (low, high) = (quantile(0.05), quantile(0.95));
        let mut places = vec![
            Place { parent: places[0], share: mean, low, high },
            Place { parent: places[1], share: 1.0 - mean, low: 1.0 - high, high: 1.0 - low },
        ];
        places.sort_by(|a, b| b.share.total_cmp(&a.share));
        (chance, places)
    }

    fn forget(&mut self, gone: Concept) {
        self.evidence_rebuilt();
        self.move_chains(|_, mover| {
            mover.chain.forget(gone);
            mover.rescore_all();
        });
    }

    /// Pairs of a concept, mostly an unsettled one, and one of its ancestors in some tree. Also some random pairs, so
    /// that there is always a question to ask.
    fn sampled_candidates(&self) -> Vec<Candidate> {
        let mut rng = stream_of(self.settings.seed, CANDIDATE_STREAM, self.record);
        let count = self.evidence.count();
        let mut pairs: Vec<(Concept, Concept)> = Vec::with_capacity(CANDIDATES);
        let unsettled: Vec<&Concept> = self.unsettled.iter().flatten().collect();
        for _ in 0..CANDIDATES {
            let lower = if unsettled.is_empty() || rng.random_range(0..8) == 0 {
                Concept::new(rng.random_range(1..=count))
            } else {
                *unsettled[rng.random_range(0..unsettled.len())]
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

/// Which concepts people were asked about.
struct Asked<'a> {
    evidence: &'a Evidence,
    /// By concept, as far as it was needed; empty if the child was not asked about itself.
    known: Vec<Option<bool>>,
}

impl<'a> Asked<'a> {
    fn about(evidence: &'a Evidence, child: Concept) -> Self {
        let asked = evidence.was_asked(child);
        Self { evidence, known: vec![None; if asked { evidence.count() + 1 } else { 0 }] }
    }

    /// The concept itself if people were asked about it, or else the nearest one above it.
    fn nearest(&mut self, shape: &Shape, mut concept: Concept) -> Concept {
        while !concept.is_root()
            && let Some(asked) = self.known.get_mut(concept.index())
            && !*asked.get_or_insert_with(|| self.evidence.was_asked(concept))
        {
            concept = shape.parent(concept);
        }
        concept
    }
}

/// The chance that people differ on a question, where few or no trees say so: some hundred trees cannot represent a
/// chance of one in a thousand, and a question that no tree considers possible would never be asked.
struct Unseen<'a> {
    evidence: &'a Evidence,
    rates: Rates,
    /// For every concept, the prior chance that it is the second place of another.
    second: Vec<f64>,
    trees: f64,
}

impl<'a> Unseen<'a> {
    fn new(ensemble: &'a Ensemble) -> Self {
        let evidence = &ensemble.evidence;
        let mut parents = vec![0.0; evidence.count() + 1];
        for chain in &ensemble.chains {
            for concept in Concept::all(evidence.count()).filter(|&concept| chain.shape.is_parent(concept)) {
                parents[concept.index()] += 1.0;
            }
        }
        let all: f64 = parents.iter().sum::<f64>() + ensemble.chains.len() as f64;
        let chance = match (evidence.settings().dissent, &evidence.settings().noise) {
            (Some(dissent), noise) if *noise != crate::Noise::Majority => dissent.chance(),
            _ => 0.0,
        };
        parents.iter_mut().for_each(|times| *times *= chance / all);
        let rates = ensemble.mean_rates(Worker::new(u32::MAX));
        Self { evidence, rates, second: parents, trees: ensemble.chains.len() as f64 }
    }

    /// The candidate, with at least the chance that its own votes and the prior leave to people who differ.
    fn add_to(&self, candidate: Candidate) -> Candidate {
        let question = candidate.question;
        let prior = self.second[question.upper.index()];
        if prior == 0.0 || candidate.above * self.trees > 2.0 || candidate.reversed > 0.5 {
            return candidate;
        }
        let (yes, no) = self.evidence.tally(question);
        let [above, _, neither] = self.rates.by_relation();
        // By share: how much likelier the votes are than if nobody held it.
        let likelihood = |share: f64| {
            let rate = share * above + (1.0 - share) * neither;
            (rate / neither).powi(yes as i32) * ((1.0 - rate) / (1.0 - neither)).powi(no as i32)
        };
        let weights = SHARES.map(likelihood);
        let total: f64 = weights.iter().sum();
        let mean = |of: fn(f64) -> f64| {
            SHARES.iter().zip(weights).map(|(&share, weight)| of(share) * weight).sum::<f64>() / total
        };
        let odds = prior * total / SHARES.len() as f64;
        let (chance, share) = (odds / (1.0 + odds), mean(|share| share));
        if chance <= candidate.differ.chance {
            return candidate;
        }
        let differ = Differ { chance, share, variance: mean(|share| share * share) - share * share };
        Candidate { above: candidate.above.max(chance * share), differ, ..candidate }
    }
}
