//! The posterior by subset dynamic programming: exact up to rounding, for few concepts.

mod inside;
mod marginals;
mod scaled;
mod terms;

use std::sync::OnceLock;

use grove_tree::{Concept, Tree};
use rand::Rng;

use crate::belief::{Belief, check_count, normalised};
use crate::evidence::GivenRates;
use crate::table::PairTable;
use crate::{
    Answer, Correction, CorrectionId, EdgeVotes, Error, Evidence, Health, Response, Vote, VoteId, Worker,
};
use inside::{ByChance, Inside, TheBest};
use marginals::Paths;
use scaled::{Largest, Total};
use terms::{LogTerms, Terms};

const NAME: &str = "exact";

/// The largest number of concepts: sets of them are listed, and each set's subsets.
const MOST: usize = 16;

/// The exact posterior over all hierarchies of up to 16 concepts, with rates of answers as given. It models neither
/// people who differ nor a learnt number of parents; where the settings ask for these, it reports that it is
/// approximate. The same holds for picks and for ticks of several boxes, which it approximates by scores of pairs.
///
/// The votes, the prior and path corrections are products over pairs with one above the other, edge votes and pinned parents
/// products over edges; both sum over all trees set by set. Results are computed when first asked for after a change, and
/// depend on the evidence alone: neither the order of votes nor withdrawn votes change a bit.
///
/// Cost: O(3^N) for the sum, the most probable tree and the path marginals, or O(N 3^N) as soon as votes or corrections
/// concern edges; O(N 3^N) for the edge marginals.
#[derive(Debug)]
pub struct Exact {
    evidence: Evidence,
    rates: GivenRates,
    solved: Solved,
}

/// What has been computed since the last change.
#[derive(Default)]
struct Solved {
    logs: OnceLock<LogTerms>,
    terms: OnceLock<Terms>,
    inside: OnceLock<Inside>,
    paths: OnceLock<Paths>,
    edges: OnceLock<PairTable<f64>>,
    best: OnceLock<Tree>,
}

impl std::fmt::Debug for Solved {
    /// Without the tables, which may hold millions of numbers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solved").finish_non_exhaustive()
    }
}

impl Clone for Exact {
    /// The copy computes its own tables when needed.
    fn clone(&self) -> Self {
        Self { evidence: self.evidence.clone(), rates: self.rates.clone(), solved: Solved::default() }
    }
}

impl Exact {
    /// The posterior given this evidence.
    ///
    /// # Errors
    /// [`Error::TooManyConcepts`] past 16, [`Error::NeedsGivenRates`] if the settings want rates learnt.
    pub fn new(evidence: Evidence) -> Result<Self, Error> {
        check_count(NAME, MOST, evidence.count())?;
        let rates = GivenRates::of(&evidence).ok_or(Error::NeedsGivenRates(NAME))?;
        Ok(Self { evidence, rates, solved: Solved::default() })
    }

    /// ln Z: the logarithm of the sum of the factors of all trees that fulfil the corrections. A tree's factors are the likelihood
    /// of the votes, relative to the flat tree's, and its prior weight.
    #[must_use]
    pub fn log_partition(&self) -> f64 {
        self.inside().total(self.terms()).ln()
    }

    fn logs(&self) -> &LogTerms {
        self.solved.logs.get_or_init(|| LogTerms::new(&self.evidence, &self.rates))
    }

    fn terms(&self) -> &Terms {
        self.solved.terms.get_or_init(|| Terms::new(self.logs(), self.evidence.corrections().constraints()))
    }

    fn inside(&self) -> &Inside {
        self.solved.inside.get_or_init(|| Inside::new::<Total>(self.terms()))
    }

    fn paths(&self) -> &Paths {
        self.solved.paths.get_or_init(|| Paths::new(self.terms(), self.inside()))
    }

    fn edges(&self) -> &PairTable<f64> {
        self.solved.edges.get_or_init(|| marginals::edges(self.terms(), self.inside(), self.paths()))
    }

    /// The expected logarithm of a tree's factors.
    fn expected_log(&self) -> f64 {
        let (logs, pairs) = (self.logs(), ordered_pairs(self.evidence.count()));
        let parents: f64 =
            Concept::all(self.evidence.count()).map(|concept| 1.0 - self.paths().leaf(concept)).sum();
        let paths: f64 = pairs.clone().map(|(i, j)| self.paths().chance(i, j) * logs.path[(i, j)]).sum();
        let without_edges = paths + parents * logs.per_parent;
        if !logs.has_edges() {
            return without_edges;
        }
        without_edges + pairs.map(|(i, j)| self.edges()[(i, j)] * logs.edge[(i, j)]).sum::<f64>()
    }

    /// Changes the evidence, and drops what was computed from it.
    fn change<T>(&mut self, change: impl FnOnce(&mut Evidence) -> Result<T, Error>) -> Result<T, Error> {
        let changed = change(&mut self.evidence)?;
        self.solved = Solved::default();
        Ok(changed)
    }
}

fn ordered_pairs(count: usize) -> impl Iterator<Item = (Concept, Concept)> + Clone {
    Concept::all(count)
        .flat_map(move |upper| Concept::all(count).map(move |lower| (upper, lower)))
        .filter(|(upper, lower)| upper != lower)
}

impl Belief for Exact {
    fn engine(&self) -> &'static str {
        NAME
    }

    fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    fn is_approximate(&self) -> bool {
        self.evidence.asks_for_ensemble() || self.evidence.factors().any_joint()
    }

    fn record(&mut self, vote: Vote) -> Result<VoteId, Error> {
        self.change(|evidence| evidence.record(vote))
    }

    fn respond(&mut self, response: Response) -> Result<VoteId, Error> {
        self.change(|evidence| evidence.respond(response))
    }

    fn withdraw(&mut self, id: VoteId) -> Result<Response, Error> {
        self.change(|evidence| evidence.withdraw(id))
    }

    fn record_gold(&mut self, worker: Worker, truth: bool, answer: Answer) -> Result<(), Error> {
        self.evidence.record_gold(worker, truth, answer)
    }

    fn correct(&mut self, correction: Correction) -> Result<CorrectionId, Error> {
        self.change(|evidence| evidence.correct(correction))
    }

    fn take_back(&mut self, id: CorrectionId) -> Result<Correction, Error> {
        self.change(|evidence| evidence.take_back(id))
    }

    fn add_concept(&mut self, edge_votes: EdgeVotes) -> Result<Concept, Error> {
        check_count(NAME, MOST, self.evidence.count() + 1)?;
        self.change(|evidence| Ok(evidence.add_concept(edge_votes)))
    }

    fn remove_concept(&mut self, gone: Concept, edge_votes: EdgeVotes) -> Result<(), Error> {
        self.change(|evidence| evidence.remove_concept(gone, edge_votes))
    }

    fn merge(&mut self, gone: Concept, kept: Concept) -> Result<(), Error> {
        self.change(|evidence| evidence.merge(gone, kept))
    }

    fn path(&self, upper: Concept, lower: Concept) -> f64 {
        match (upper.is_root(), lower.is_root()) {
            (_, true) => 0.0,
            (true, false) => 1.0,
            (false, false) => self.paths().chance(upper, lower),
        }
    }

    fn parents(&self, child: Concept) -> Vec<(Concept, f64)> {
        let all = (0..=self.evidence.count()).map(Concept::new);
        normalised(all.map(|parent| (parent, self.edges()[(parent, child)])))
    }

    fn best_tree(&self) -> Tree {
        let solve = || Inside::new::<Largest>(self.terms()).unfold(self.terms(), &mut TheBest);
        self.solved.best.get_or_init(solve).clone()
    }

    /// Two draws a concept; O(2^N) a tree.
    fn sample(&self, count: usize, rng: &mut dyn Rng) -> Vec<Tree> {
        (0..count).map(|_| self.inside().unfold(self.terms(), &mut ByChance(rng))).collect()
    }

    /// H = ln Z - E\[ln of a tree's factors\], from the marginals; at least 0 despite rounding.
    fn entropy(&self) -> Option<f64> {
        Some((self.log_partition() - self.expected_log()).max(0.0))
    }

    fn health(&self) -> Health {
        Health::EXACT
    }
}
