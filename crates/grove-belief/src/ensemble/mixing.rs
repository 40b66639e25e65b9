//! Checks whether the chains have converged; too slow to do after every vote, so reports do it.
//!
//! Chains may agree because none of them moves, and not because the evidence is clear. So copies of the chains run for some more rounds, and are
//! compared with fresh chains, built concept by concept from the evidence alone. Groups of chains that target the same
//! posterior must have the same mean of everything (nested R-hat, Margossian and others 2024).

use grove_tree::Concept;
use rayon::prelude::*;

use super::best::log_posterior;
use super::chain::{Chain, Mover};
use super::model::Model;
use super::moves::Workspace;
use super::{Ensemble, MANY_CONCEPTS, Start, stream_of};
use crate::health::{Health, Verdict};
use crate::{Unwatched, Watch};

/// The number of trees for a report, and with many concepts, where a round takes long.
const WANTED: usize = 2_000;
const WANTED_OF_MANY: usize = 512;

/// The number of fresh chains of either kind of start built for comparison; fewer with many concepts, where they take long.
const FRESH: usize = 32;
const FEWEST_FRESH: usize = 4;

/// The largest R-hat of groups that count as the same. Two groups of 64 independent draws differ by 1.01 on average.
const LARGEST_R_HAT: f64 = 1.05;

/// The fewest effective trees for which probabilities count as final.
const LEAST_TREES: f64 = 400.0;

const RUN_STREAM: u64 = 2 << 40;
const FRESH_STREAM: u64 = 3 << 40;

/// The quantities followed along a chain: the log-posterior, the number of ancestor pairs, and the number of top-level concepts.
type Trace = [f64; 3];

impl Ensemble {
    /// The same belief based on more trees: copies of all chains run for more rounds, and the trees of every round are added. [`Health`] says whether
    /// they have converged. The result is for reading, not for further votes; this ensemble does not change.
    #[must_use]
    pub fn refined(&self) -> Self {
        self.refined_watched(&Unwatched)
    }

    /// The same. If it is stopped, the rounds that were made count, nothing is compared with fresh trees, and the verdict is that nothing has converged.
    #[must_use]
    pub fn refined_watched(&self, watch: &dyn Watch) -> Self {
        let wanted = if self.evidence.count() > MANY_CONCEPTS { WANTED_OF_MANY } else { WANTED };
        let rounds = wanted.div_ceil(self.chains.len()).clamp(4, 32);
        watch.expect(self.chains.len() * rounds + 2 * self.fresh_chains() * (rounds + self.steps_of_start()));
        let runs: Vec<Run> = self
            .chains
            .par_iter()
            .enumerate()
            .map(|(index, chain)| self.run(chain.clone(), rounds, RUN_STREAM + index as u64, watch))
            .collect();
        let health = self.judge(&runs, rounds, watch);
        let chains = runs.into_iter().flat_map(|run| run.chains).collect();
        let unsettled = self.unsettled.clone();
        let without_chains = Self::without_moves(self.evidence.clone(), self.settings, self.record);
        Self { chains, unsettled, health: Some(health), ..without_chains }
    }

    pub(super) fn check_mixing(&self) -> Health {
        self.health.unwrap_or_else(|| self.refined().health.expect("refining fills the health in"))
    }

    /// At least one round, even if it is stopped.
    fn run(&self, mut chain: Chain, rounds: usize, stream: u64, watch: &dyn Watch) -> Run {
        let (model, space) = (self.model(), &mut Workspace::default());
        let rng = &mut stream_of(self.settings.seed, stream, self.record);
        let count = self.evidence.count();
        let moves = count.min(500_000 / count + 20);
        let mut run = Run { chains: Vec::with_capacity(rounds), traces: Vec::with_capacity(rounds) };
        for round in 0..rounds {
            if round > 0 && watch.is_stopped() {
                break;
            }
            let mut mover = Mover { chain: &mut chain, model, space, rng };
            mover.redraw_holders();
            (0..moves).for_each(|_| mover.move_any());
            mover.differ_any(moves);
            mover.redraw_rates();
            mover.expect_holders();
            run.traces.push(trace(&mut chain, model));
            run.chains.push(chain.snapshot());
            watch.step();
        }
        run
    }

    fn judge(&self, runs: &[Run], rounds: usize, watch: &dyn Watch) -> Health {
        let means: Vec<Trace> = runs.iter().map(Run::mean).collect();
        let half = means.len() / 2;
        let fresh = [Start::BySize, Start::RandomOrder].map(|start| self.fresh_means(start, rounds, watch));
        let groups = [&means[..half], &means[half..], &fresh[0], &fresh[1]];
        let all: Vec<Trace> = runs.iter().flat_map(|run| run.traces.iter().copied()).collect();
        let followed = 0..all[0].len();
        let r_hat = followed.clone().map(|which| nested_r_hat(&groups, which)).fold(1.0, f64::max);
        let effective_trees =
            followed.map(|which| effective(&all, &means, which)).fold(f64::INFINITY, f64::min);
        let verdict =
            if watch.is_stopped() { Verdict::NotConverged } else { verdict(r_hat, effective_trees) };
        Health { effective_trees, r_hat, verdict }
    }

    fn fresh_chains(&self) -> usize {
        (FRESH * 300 / self.evidence.count()).clamp(FEWEST_FRESH, FRESH).min(self.chains.len())
    }

    /// Without those that had not begun when it was stopped.
    fn fresh_means(&self, start: Start, rounds: usize, watch: &dyn Watch) -> Vec<Trace> {
        let build = |index: usize| {
            if watch.is_stopped() {
                return None;
            }
            let stream = FRESH_STREAM + ((start as u64) << 31) + index as u64;
            let rng = &mut stream_of(self.settings.seed, stream, self.record);
            let chain = self.build_chain(start, rng, watch);
            Some(self.run(chain, rounds, stream + (1 << 32), watch).mean())
        };
        (0..self.fresh_chains()).into_par_iter().filter_map(build).collect()
    }
}

/// Whether probabilities count as final.
fn verdict(r_hat: f64, effective_trees: f64) -> Verdict {
    let good = r_hat <= LARGEST_R_HAT && effective_trees >= LEAST_TREES;
    if good { Verdict::Converged } else { Verdict::NotConverged }
}

/// A chain's states, round by round.
struct Run {
    chains: Vec<Chain>,
    traces: Vec<Trace>,
}

impl Run {
    fn mean(&self) -> Trace {
        std::array::from_fn(|which| mean(self.traces.iter().map(|trace| trace[which])))
    }
}

fn trace(chain: &mut Chain, model: Model<'_>) -> Trace {
    let (shape, model) = chain.parts(model);
    let ancestors: usize = Concept::all(shape.count()).map(|concept| shape.size(concept) - 1).sum();
    let tops = shape.children(Concept::ROOT).count();
    [log_posterior(shape, model), ancestors as f64, tops as f64]
}

/// sqrt(1 + B / W): B the variance of the groups' means, W the mean variance within groups, minus the B expected by chance.
fn nested_r_hat(groups: &[&[Trace]], which: usize) -> f64 {
    let of = |group: &[Trace]| -> Vec<f64> { group.iter().map(|trace| trace[which]).collect() };
    let groups: Vec<Vec<f64>> =
        groups.iter().map(|group| of(group)).filter(|group| group.len() > 1).collect();
    let means: Vec<f64> = groups.iter().map(|group| mean(group.iter().copied())).collect();
    let within = mean(groups.iter().map(|group| variance(group)));
    let chance = mean(groups.iter().map(|group| variance(group) / group.len() as f64));
    let between = (variance(&means) - chance).max(0.0);
    // Groups that never move are the same if they are at the same point, and differ otherwise.
    if between == 0.0 { 1.0 } else { (1.0 + between / within).sqrt() }
}

/// The number of independent draws with the same variance of the mean: variance of all draws over variance of the chains' means.
fn effective(all: &[Trace], means: &[Trace], which: usize) -> f64 {
    let of = |traces: &[Trace]| -> Vec<f64> { traces.iter().map(|trace| trace[which]).collect() };
    let (whole, between) = (variance(&of(all)), variance(&of(means)));
    let most = all.len() as f64;
    if between == 0.0 { most } else { (means.len() as f64 * whole / between).min(most) }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values.iter().copied());
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The means of some chains, which differ from each other by `spread` and from those of other groups by `apart`.
    fn group(size: usize, apart: f64, spread: f64) -> Vec<Trace> {
        let at = |chain: usize| apart + spread * (chain as f64 - (size as f64 - 1.0) / 2.0);
        (0..size).map(|chain| [at(chain), 0.0, 0.0]).collect()
    }

    fn r_hat(apart: f64, spread: f64) -> f64 {
        let groups = [group(8, 0.0, spread), group(8, 0.0, spread), group(8, apart, spread)];
        nested_r_hat(&groups.each_ref().map(Vec::as_slice), 0)
    }

    #[test]
    fn groups_that_differ_have_not_converged() {
        assert_eq!(r_hat(0.0, 1.0), 1.0, "by chance alone");
        assert!(r_hat(20.0, 1.0) > LARGEST_R_HAT);
        assert!(r_hat(0.1, 0.0) > LARGEST_R_HAT, "chains that do not move, at two points");
        assert_eq!(r_hat(0.0, 0.0), 1.0, "chains that do not move, at one point");
    }

    #[test]
    fn each_threshold_decides() {
        assert_eq!(verdict(LARGEST_R_HAT, LEAST_TREES), Verdict::Converged);
        assert_eq!(verdict(LARGEST_R_HAT + 1e-9, LEAST_TREES), Verdict::NotConverged);
        assert_eq!(verdict(LARGEST_R_HAT, LEAST_TREES - 1e-9), Verdict::NotConverged);
        assert_eq!(verdict(f64::NAN, LEAST_TREES), Verdict::NotConverged);
        assert_eq!(verdict(1.0, f64::NAN), Verdict::NotConverged);
    }

    #[test]
    fn chains_that_stay_where_they_are_count_once_each() {
        // Four chains of ten rounds that never move: four trees, and not forty.
        let means = group(4, 0.0, 1.0);
        let all: Vec<Trace> = means.iter().flat_map(|&mean| [mean; 10]).collect();
        assert!(effective(&all, &means, 0) < 5.0);
        // The same states, but visited by all chains alike.
        assert_eq!(effective(&all, &group(4, 0.0, 0.0), 0), 40.0);
    }
}
