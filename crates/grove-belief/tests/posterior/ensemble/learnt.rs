//! Learnt rates against the integral over all rates.

use grove_belief::{
    Answer, Belief, BetaPrior, Evidence, Kind, LEAST_RATE, Noise, POPULATION_MEANS, POPULATION_STRENGTHS,
    Prior, Rates, Relation, Settings, Vote, Worker, WorkerPrior,
};
use grove_tree::{Concept, Tree};

use super::{ALLOWED, ensemble};
use crate::cases::{evidence, rng, votes};
use crate::oracle::all_trees;

const COUNT: usize = 4;
const WORKERS: usize = 4;

/// The distribution of the rate of people who do not read.
const ANY_RATE: BetaPrior = BetaPrior { yes: 1.0, no: 1.0 };

/// ln of the chance of some answers, the rate being Beta distributed between the least rate and one minus it, by the midpoint rule.
fn log_integral(beta: BetaPrior, yes: usize, no: usize) -> f64 {
    const STEPS: usize = 2_000;
    let (mut sum, mut total) = (0.0, 0.0);
    for step in 0..STEPS {
        let rate = LEAST_RATE + (1.0 - 2.0 * LEAST_RATE) * (step as f64 + 0.5) / STEPS as f64;
        let density = rate.powf(beta.yes - 1.0) * (1.0 - rate).powf(beta.no - 1.0);
        total += density;
        sum += density * rate.powi(yes as i32) * (1.0 - rate).powi(no as i32);
    }
    (sum / total).ln()
}

/// By yes and no.
type Table = Vec<Vec<f64>>;

fn table(beta: BetaPrior, most: usize) -> Table {
    let row = |yes| (0..=most).map(|no| log_integral(beta, yes, no)).collect();
    (0..=most).map(row).collect()
}

/// Every worker's (no, yes) answers by relation.
type Counts = [[[usize; 2]; 3]; WORKERS];

fn counts(votes: &[Vote], tree: &Tree, two_rates: bool) -> Counts {
    let mut counts = Counts::default();
    for vote in votes.iter().filter(|vote| vote.answer != Answer::CantSay) {
        let (upper, lower) = (vote.question.upper, vote.question.lower);
        let relation = match vote.question.kind {
            Kind::Path if tree.is_above(upper, lower) => Relation::Above,
            Kind::Path if tree.is_above(lower, upper) && !two_rates => Relation::Reversed,
            Kind::Edge if tree.parent(lower) == upper => Relation::Above,
            Kind::Path | Kind::Edge => Relation::Neither,
        };
        counts[vote.worker.index()][relation as usize][usize::from(vote.answer == Answer::Yes)] += 1;
    }
    counts
}

/// ln P(votes | tree): the product over workers of such integrals, one for every relation or, if they do not read, one for all.
struct Integrals {
    by_relation: [Table; 3],
    unread: Table,
    unread_share: f64,
}

impl Integrals {
    fn new(prior: &WorkerPrior, most: usize) -> Self {
        let relations = [Relation::Above, Relation::Reversed, Relation::Neither];
        Self {
            by_relation: relations.map(|relation| table(prior.rate(relation), most)),
            unread: table(ANY_RATE, most),
            unread_share: prior.unread(),
        }
    }

    fn log_likelihood(&self, votes: &[Vote], tree: &Tree, two_rates: bool) -> f64 {
        let of_worker = |relations: &[[usize; 2]; 3]| -> f64 {
            let reads: f64 =
                relations.iter().zip(&self.by_relation).map(|([no, yes], table)| table[*yes][*no]).sum();
            let total = |at: usize| relations.iter().map(|answers| answers[at]).sum::<usize>();
            let unread = self.unread[total(1)][total(0)];
            ((1.0 - self.unread_share) * reads.exp() + self.unread_share * unread.exp()).ln()
        };
        counts(votes, tree, two_rates).iter().map(of_worker).sum()
    }
}

/// Every tree's probability with the rates integrated out.
fn posterior(evidence: &Evidence, prior: &WorkerPrior, two_rates: bool) -> Vec<(Tree, f64)> {
    let votes: Vec<Vote> = evidence.votes().map(|(_, vote)| *vote).collect();
    let integrals = Integrals::new(prior, votes.len());
    normalised(|tree| integrals.log_likelihood(&votes, tree, two_rates).exp())
}

fn normalised(weight: impl Fn(&Tree) -> f64) -> Vec<(Tree, f64)> {
    let weighed = |tree: Tree| (weight(&tree), tree);
    let trees: Vec<(f64, Tree)> = all_trees(COUNT).into_iter().map(weighed).collect();
    let total: f64 = trees.iter().map(|(weight, _)| weight).sum();
    trees.into_iter().map(|(weight, tree)| (tree, weight / total)).collect()
}

/// The same where the population is learnt too: the mean over all populations of the product over workers of the integrals over their
/// rates. For true and for false statements, the mean rate of right answers and how alike people are can have any of a few values.
fn posterior_with_population(evidence: &Evidence) -> Vec<(Tree, f64)> {
    let votes: Vec<Vote> = evidence.votes().map(|(_, vote)| *vote).collect();
    let of_worker = |worker: usize| votes.iter().filter(|vote| vote.worker.index() == worker).count();
    let most = (0..WORKERS).map(of_worker).max().unwrap();
    let by_mean = POPULATION_MEANS.iter().flat_map(|mean| {
        POPULATION_STRENGTHS.iter().map(move |strength| {
            let right = BetaPrior { yes: strength * mean, no: strength * (1.0 - mean) };
            table(right, most).into_iter().map(|row| row.into_iter().map(f64::exp).collect()).collect()
        })
    });
    let populations: Vec<Table> = by_mean.collect();
    let unread = table(ANY_RATE, most);
    normalised(|tree| {
        let counts = counts(&votes, tree, true);
        let (above, neither) = (Relation::Above as usize, Relation::Neither as usize);
        let unread = counts.map(|worker| {
            let [no, yes] = [0, 1].map(|said| worker[above][said] + worker[neither][said]);
            0.1 * unread[yes][no].exp()
        });
        // By population and worker: the chance of the answers to true statements, and of those to false ones.
        let right = |table: &Table| counts.map(|worker| table[worker[above][1]][worker[above][0]]);
        let wrong = |table: &Table| counts.map(|worker| table[worker[neither][0]][worker[neither][1]]);
        let rights: Vec<[f64; WORKERS]> = populations.iter().map(right).collect();
        let wrongs: Vec<[f64; WORKERS]> = populations.iter().map(wrong).collect();
        let of_both = |right: &[f64; WORKERS], wrong: &[f64; WORKERS]| -> f64 {
            (0..WORKERS).map(|worker| 0.9 * right[worker] * wrong[worker] + unread[worker]).product()
        };
        rights.iter().map(|right| wrongs.iter().map(|wrong| of_both(right, wrong)).sum::<f64>()).sum()
    })
}

/// The largest distance of a path probability from the integral, in standard errors.
fn standard_errors(belief: &impl Belief, trees: usize, posterior: &[(Tree, f64)]) -> f64 {
    let pairs = Concept::all(COUNT).flat_map(|upper| Concept::all(COUNT).map(move |lower| (upper, lower)));
    let off_by = |(upper, lower)| {
        let held = posterior.iter().filter(|(tree, _)| tree.is_above(upper, lower));
        let chance: f64 = held.map(|(_, chance)| chance).sum();
        let variance = (chance * (1.0 - chance) + 1.0 / trees as f64) / trees as f64;
        (belief.path(upper, lower) - chance).abs() / variance.sqrt()
    };
    pairs.map(off_by).fold(0.0, f64::max)
}

const TREES: usize = 3_000;

/// A population that is given: four of five answers are right, and one of ten people does not read.
fn population() -> WorkerPrior {
    let (mostly, rarely) = (BetaPrior { yes: 4.8, no: 1.2 }, BetaPrior { yes: 1.2, no: 4.8 });
    WorkerPrior::two(mostly, rarely).unwrap().with_unread(0.1).unwrap()
}

fn priors() -> [(WorkerPrior, bool); 2] {
    let two = population();
    let three = WorkerPrior::three(
        two.rate(Relation::Above),
        BetaPrior { yes: 2.0, no: 3.0 },
        two.rate(Relation::Neither),
    );
    [(two, true), (three.unwrap(), false)]
}

fn asked(prior: WorkerPrior, seed: u64) -> Evidence {
    let settings = Settings { noise: Noise::Learnt(prior), dissent: None, prior: Prior::uniform() };
    evidence(COUNT, settings, &votes(COUNT, 24, &[Kind::Path, Kind::Path, Kind::Edge], &mut rng(seed)))
}

#[test]
fn learnt_rates_are_integrated_out() {
    for (prior, two_rates) in priors() {
        for seed in 0..2 {
            let evidence = asked(prior, seed);
            let posterior = posterior(&evidence, &prior, two_rates);
            let mut belief = ensemble(evidence, TREES);
            belief.sweep(20);
            let off_by = standard_errors(&belief, TREES, &posterior);
            assert!(off_by < ALLOWED, "{off_by} standard errors with {prior:?}");
        }
    }
}

#[test]
fn a_learnt_population_is_summed_out() {
    for seed in 0..2 {
        let evidence = asked(WorkerPrior::default(), seed);
        let posterior = posterior_with_population(&evidence);
        let mut belief = ensemble(evidence, TREES);
        belief.sweep(40);
        let off_by = standard_errors(&belief, TREES, &posterior);
        assert!(off_by < ALLOWED, "{off_by} standard errors");
    }
}

#[test]
fn a_given_population_in_place_of_a_learnt_one_is_caught() {
    let off_by = |seed| {
        let learnt = posterior_with_population(&asked(WorkerPrior::default(), seed));
        standard_errors(&ensemble(asked(population(), seed), TREES), TREES, &learnt)
    };
    assert!((0..2).map(off_by).fold(0.0, f64::max) > 1.5 * ALLOWED);
}

#[test]
fn rates_set_to_their_mean_are_caught() {
    let (prior, two_rates) = priors()[0];
    let evidence = asked(prior, 0);
    let posterior = posterior(&evidence, &prior, two_rates);
    let votes: Vec<Vote> = evidence.votes().map(|(_, vote)| *vote).collect();
    let settings = Settings { noise: Noise::Given(prior.mean()), ..evidence.settings().clone() };
    let belief = ensemble(crate::cases::evidence(COUNT, settings, &votes), TREES);
    assert!(standard_errors(&belief, TREES, &posterior) > 2.0 * ALLOWED);
}

#[test]
fn gold_questions_show_who_errs() {
    let settings = Settings { noise: Noise::Learnt(population()), ..Settings::default() };
    let mut evidence = Evidence::new(COUNT, settings).unwrap();
    let (good, bad) = (Worker::new(0), Worker::new(1));
    for at in 0..40 {
        let truth = at % 2 == 0;
        let [right, wrong] = if truth { [Answer::Yes, Answer::No] } else { [Answer::No, Answer::Yes] };
        evidence.record_gold(good, truth, right).unwrap();
        evidence.record_gold(bad, truth, wrong).unwrap();
    }
    let belief = ensemble(evidence, 1_000);
    // Beta(4.8 + 20, 1.2) and Beta(4.8, 1.2 + 20), and the same of false statements.
    let expected = [[24.8 / 26.0, 1.2 / 26.0], [4.8 / 26.0, 21.2 / 26.0]];
    for (worker, [above, not]) in [good, bad].into_iter().zip(expected) {
        let rates: Rates = belief.rates(worker);
        assert!((rates.yes(Relation::Above) - above).abs() < 0.01, "{rates:?}");
        assert!((rates.yes(Relation::Neither) - not).abs() < 0.01, "{rates:?}");
    }
}
