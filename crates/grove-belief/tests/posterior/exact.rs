//! The exact engine against enumeration.

use grove_belief::{Belief, Evidence, Exact, Kind, Prior, Question, Rates, Settings, Vote};
use grove_belief::{Error, Noise, WorkerPrior};
use grove_tree::Concept;

use crate::cases::{self, correction, evidence, informed_prior, noises, rng, votes};
use crate::oracle::Oracle;

const TOLERANCE: f64 = 1e-9;
const PATHS: &[Kind] = &[Kind::Path];
const MIXED: &[Kind] = &[Kind::Path, Kind::Path, Kind::Edge];

/// The largest difference in anything that an engine says.
pub(crate) fn worst_error(exact: &Exact, truth: &Oracle) -> f64 {
    let mut worst: f64 = 0.0;
    let mut compare = |found: f64, expected: f64| {
        assert!(found.is_finite());
        worst = worst.max((found - expected).abs());
    };
    for child in truth.concepts() {
        let parents = exact.parents(child);
        for parent in std::iter::once(Concept::ROOT).chain(truth.concepts()) {
            let found =
                parents.iter().find(|(listed, _)| *listed == parent).map_or(0.0, |(_, chance)| *chance);
            compare(found, truth.edge(parent, child));
            compare(exact.path(parent, child), truth.path(parent, child));
        }
    }
    compare(exact.log_partition(), truth.log_partition);
    compare(exact.entropy().unwrap(), truth.entropy());
    compare(truth.probability(&exact.best_tree()), truth.largest());
    worst
}

/// Every noise model, prior, kind of votes, with and without corrections.
fn each_case(count: usize, seed: u64, mut check: impl FnMut(&Evidence)) {
    let mut rng = rng(seed);
    for noise in noises() {
        for prior in [Prior::uniform(), informed_prior(count)] {
            for (kinds, corrected) in [(PATHS, 0), (MIXED, 0), (PATHS, 4), (MIXED, 4)] {
                let settings = Settings { noise: noise.clone(), dissent: None, prior: prior.clone() };
                let mut evidence = evidence(count, settings, &votes(count, 5 * count, kinds, &mut rng));
                for _ in 0..corrected {
                    // Those that clash with earlier ones are refused.
                    evidence.correct(correction(count, &mut rng)).ok();
                }
                check(&evidence);
            }
        }
    }
}

#[test]
fn equals_enumeration() {
    for count in 1..=6 {
        each_case(count, 20 + count as u64, |evidence| {
            let error = worst_error(&Exact::new(evidence.clone()).unwrap(), &Oracle::new(evidence));
            assert!(error < TOLERANCE, "{error} for {evidence:?}");
        });
    }
}

/// How far the engine is off at least, over all of some cases, if it reads something else than was said.
fn least_error_if(altered: impl Fn(&Evidence) -> Evidence) -> f64 {
    let mut least = f64::INFINITY;
    for seed in 0..10 {
        let settings = Settings::one_rate(0.1).unwrap();
        let evidence = evidence(5, settings, &votes(5, 12, MIXED, &mut rng(seed)));
        let exact = Exact::new(altered(&evidence)).unwrap();
        least = least.min(worst_error(&exact, &Oracle::new(&evidence)));
    }
    least
}

#[test]
fn catches_planted_faults() {
    let reread = |original: &Evidence, settings: Settings, reading: &dyn Fn(Question) -> Question| {
        let reread = |vote: &Vote| Vote { question: reading(vote.question), ..*vote };
        let votes: Vec<Vote> = original.votes().map(|(_, vote)| reread(vote)).collect();
        evidence(original.count(), settings, &votes)
    };
    let swapped = |question: Question| Question::new(question.kind, question.lower, question.upper).unwrap();
    let as_path = |question: Question| Question::path(question.upper, question.lower).unwrap();
    assert!(least_error_if(|right| right.clone()) < TOLERANCE);
    assert!(least_error_if(|right| reread(right, right.settings().clone(), &swapped)) > 1e-3);
    assert!(least_error_if(|right| reread(right, right.settings().clone(), &as_path)) > 1e-3);
    assert!(least_error_if(|right| reread(right, Settings::one_rate(0.12).unwrap(), &|same| same)) > 1e-3);
}

const DRAWS: usize = 100_000;

/// Pearson's chi-square of draws against a distribution over trees, as a standard normal deviate (Wilson and Hilferty); cells that expect fewer than 5
/// draws are pooled with the next ones.
fn deviate(exact: &Exact, truth: &Oracle, seed: u64) -> f64 {
    let mut left = std::collections::HashMap::new();
    for tree in exact.sample(DRAWS, &mut rng(seed)) {
        *left.entry(tree).or_insert(0.0) += 1.0;
    }
    let mut cells = truth.trees().to_vec();
    cells.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let (mut chi_square, mut freedom, mut pool) = (0.0, -1.0, (0.0, 0.0));
    for (tree, chance) in cells {
        pool = (pool.0 + left.remove(&tree).unwrap_or(0.0), pool.1 + chance * DRAWS as f64);
        if pool.1 >= 5.0 {
            chi_square += (pool.0 - pool.1).powi(2) / pool.1;
            freedom += 1.0;
            pool = (0.0, 0.0);
        }
    }
    assert!(left.is_empty(), "trees of probability zero were drawn: {left:?}");
    let spread = 2.0 / (9.0 * freedom);
    ((chi_square / freedom).cbrt() - (1.0 - spread)) / f64::sqrt(spread)
}

/// One-sided, alpha = 1e-4 for each of six tests.
const CRITICAL: f64 = 3.719;

#[test]
fn draws_follow_the_posterior() {
    for (seed, kinds, corrected) in [(0, PATHS, 0), (1, MIXED, 0), (2, PATHS, 2), (3, MIXED, 2)] {
        let mut rng = rng(40 + seed);
        let mut evidence = evidence(4, Settings::one_rate(0.3).unwrap(), &votes(4, 6, kinds, &mut rng));
        for _ in 0..corrected {
            evidence.correct(correction(4, &mut rng)).ok();
        }
        let exact = Exact::new(evidence.clone()).unwrap();
        let found = deviate(&exact, &Oracle::new(&evidence), seed);
        assert!(found < CRITICAL, "{found} at seed {seed}");
    }
}

#[test]
fn draws_from_another_posterior_are_noticed() {
    for (seed, kinds) in [(0, PATHS), (1, MIXED)] {
        let votes = votes(4, 6, kinds, &mut rng(40 + seed));
        let [wrong, right] = [0.32, 0.3].map(|noise| evidence(4, Settings::one_rate(noise).unwrap(), &votes));
        let found = deviate(&Exact::new(wrong).unwrap(), &Oracle::new(&right), seed);
        assert!(found > CRITICAL, "{found} at seed {seed}");
    }
}

#[test]
fn a_uniform_prior_counts_all_trees() {
    // Cayley: (N+1)^(N-1), also where enumeration does not reach.
    for count in 1..=12_usize {
        let evidence = Evidence::new(count, Settings::one_rate(0.1).unwrap()).unwrap();
        let exact = Exact::new(evidence).unwrap();
        let trees = (count as f64 - 1.0) * (count as f64 + 1.0).ln();
        assert!((exact.log_partition() - trees).abs() < 1e-12);
        assert!((exact.entropy().unwrap() - trees).abs() < 1e-12);
        assert_eq!(exact.best_tree(), grove_tree::Tree::flat(count));
    }
}

#[test]
fn telling_parents_apart_changes_nothing_by_itself() {
    // A pin that all probable trees keep anyway switches the method, and must not switch the result.
    let count = 9;
    let settings = Settings { prior: informed_prior(count), ..Settings::one_rate(0.1).unwrap() };
    let evidence = evidence(count, settings, &votes(count, 40, PATHS, &mut rng(5)));
    let plain = Exact::new(evidence.clone()).unwrap();
    let (child, parent) = (Concept::new(4), plain.parents(Concept::new(4))[0].0);
    let mut pinned = plain.clone();
    pinned.correct(pin(child, parent)).unwrap();
    let share = plain.parents(child)[0].1;
    assert!((pinned.log_partition() - plain.log_partition() - share.ln()).abs() < TOLERANCE);
}

fn pin(lower: Concept, upper: Concept) -> grove_belief::Correction {
    if upper.is_root() {
        grove_belief::Correction::TopLevel { concept: lower }
    } else {
        grove_belief::Correction::DirectlyUnder { lower, upper }
    }
}

#[test]
fn says_what_it_cannot_do() {
    let given = Settings::one_rate(0.1).unwrap();
    let learnt = Settings { noise: Noise::Learnt(WorkerPrior::default()), ..given.clone() };
    let refused = Exact::new(Evidence::new(3, learnt).unwrap()).unwrap_err();
    assert_eq!(refused, Error::NeedsGivenRates("exact"));
    let most = Evidence::new(16, given.clone()).unwrap();
    let mut exact = Exact::new(most).unwrap();
    let too_many = Error::TooManyConcepts { engine: "exact", most: 16, count: 17 };
    assert_eq!(exact.add_concept(grove_belief::EdgeVotes::Keep).unwrap_err(), too_many);
    assert_eq!(exact.evidence().count(), 16);
    assert_eq!(Exact::new(Evidence::new(17, given).unwrap()).unwrap_err(), too_many);
}

#[test]
fn knows_the_rates_it_was_given() {
    let worker = grove_belief::Worker::new;
    let exact = |noise| {
        let settings = Settings { noise, dissent: None, prior: Prior::uniform() };
        Exact::new(cases::evidence(2, settings, &[])).unwrap()
    };
    let [careful, careless] = [0.05, 0.3].map(|noise| Rates::one(noise).unwrap());
    assert_eq!(exact(Noise::Given(careful)).rates(worker(7)), careful);
    let each = exact(Noise::Workers { known: vec![careful], others: careless });
    assert_eq!((each.rates(worker(0)), each.rates(worker(1))), (careful, careless));
}
