use super::*;
use crate::Correction;
use crate::corrections::Corrections;

const COUNT: usize = 4;
const SIZE: usize = 10_000;

/// P(above) of all pairs under a target, by enumeration.
fn enumerated(target: &Target<'_>) -> Vec<f64> {
    let log = |tree: &Tree| target.weights.log_score(tree).unwrap() + target.change.in_tree(tree);
    let kept = all_trees(COUNT).into_iter().filter(|tree| target.corrections.hold_in(tree));
    let scored = Sample::new(kept.map(|tree| (tree.clone(), log(&tree))).collect()).paths();
    ordered_pairs(COUNT).iter().map(|&(upper, lower)| scored[(upper, lower)]).collect()
}

/// How many standard errors the sampled P(above) of any pair is off by, and what the sample is worth.
fn deviation(target: &Target<'_>, sample: &Sample) -> f64 {
    let (paths, effective) = (sample.paths(), sample.effective());
    let pairs = ordered_pairs(COUNT);
    let deviations = pairs.iter().zip(enumerated(target)).map(|(&(upper, lower), expected)| {
        // Where all trees agree there is no error but rounding.
        let error = (expected * (1.0 - expected) / effective).sqrt() + 1e-4;
        (paths[(upper, lower)] - expected).abs() / error
    });
    deviations.fold(0.0, f64::max)
}

fn corrections(given: &[Correction]) -> Corrections {
    let mut corrections = Corrections::new(COUNT);
    for &correction in given {
        corrections.add(correction).unwrap();
    }
    corrections
}

fn surprise(upper: usize, lower: usize, amount: f64) -> Change {
    let odds = crate::Prior::uniform().with_odds(Concept::new(upper), Concept::new(lower), amount);
    Change::prior(&odds.unwrap())
}

#[test]
fn surprising_answers_cause_no_bias() {
    // 12 pairs in 10 cases: the largest of 120 deviations is below 4.5 standard errors except in one of a thousand runs.
    let none = corrections(&[]);
    for seed in 0..10 {
        let weights = random_weights(COUNT, 16.0, seed);
        let change = surprise(1 + seed as usize % 3, COUNT, 12.0);
        let target = Target { weights: &weights, change: &change, corrections: &none };
        let sample = target.sample(SIZE, Streams { seed, update: 1 });
        let off = deviation(&target, &sample);
        assert!(off < 4.5, "{off} standard errors in case {seed}");
        assert!(sample.effective() > 0.05 * SIZE as f64, "worth {} trees", sample.effective());
    }
}

#[test]
fn improbable_corrections_are_kept_without_bias() {
    let [one, two, three, four] = [1, 2, 3, 4].map(Concept::new);
    let cases = [
        corrections(&[Correction::SomewhereUnder { lower: one, upper: two }]),
        corrections(&[Correction::NotUnder { lower: one, upper: two }]),
        corrections(&[
            Correction::SomewhereUnder { lower: three, upper: two },
            Correction::SomewhereUnder { lower: three, upper: one },
            Correction::NotUnder { lower: three, upper: four },
        ]),
    ];
    for (seed, corrections) in (0..12).zip(cases.iter().cycle()) {
        let weights = masks::masked(&random_weights(COUNT, 24.0, seed), corrections);
        let target = Target { weights: &weights, change: &Change::default(), corrections };
        let sample = target.sample(SIZE, Streams { seed, update: 1 });
        assert!(sample.trees().iter().all(|(tree, _)| corrections.hold_in(tree)));
        let off = deviation(&target, &sample);
        assert!(off < 4.5, "{off} standard errors in case {seed}");
    }
}

#[test]
fn a_wrong_target_is_noticed() {
    let (none, weights) = (corrections(&[]), random_weights(COUNT, 4.0, 3));
    let (right, wrong) = (surprise(1, 4, 2.0), surprise(1, 4, 2.4));
    let target = |change| Target { weights: &weights, change, corrections: &none };
    let sample = target(&wrong).sample(SIZE, Streams { seed: 0, update: 1 });
    assert!(deviation(&target(&right), &sample) > 4.5);
}

#[test]
fn masks_rule_out_exactly_the_impossible_edges() {
    let trees = all_trees(COUNT);
    let mut rng = rng(8);
    let pairs = ordered_pairs(COUNT);
    let any = |rng: &mut ChaCha8Rng| {
        let (upper, lower) = pairs[rng.random_range(0..pairs.len())];
        match rng.random_range(0..4) {
            0 => Correction::DirectlyUnder { lower, upper },
            1 => Correction::SomewhereUnder { lower, upper },
            2 => Correction::NotUnder { lower, upper },
            _ => Correction::TopLevel { concept: lower },
        }
    };
    for case in 0..600 {
        let mut corrections = Corrections::new(COUNT);
        for _ in 0..1 + case % 3 {
            corrections.add(any(&mut rng)).ok();
        }
        let weights = masks::masked(&EdgeWeights::uniform(COUNT), &corrections);
        let kept = Vec::from_iter(trees.iter().filter(|tree| corrections.hold_in(tree)));
        for child in Concept::all(COUNT) {
            for parent in (0..=COUNT).map(Concept::new).filter(|&parent| parent != child) {
                let possible = kept.iter().any(|tree| tree.parent(child) == parent);
                let allowed = weights.log_weight(parent, child) > f64::NEG_INFINITY;
                // One correction is seen through; several together may rule out more than each edge shows.
                let right = if case % 3 == 0 { possible == allowed } else { allowed || !possible };
                assert!(right, "{parent} -> {child} with {corrections:?}");
            }
        }
    }
}

#[test]
fn trees_are_picked_by_weight() {
    // 16 trees over three concepts, 16,000 picks: chi-square with 15 degrees of freedom is below 44.3 with p = 1e-4.
    let trees = all_trees(3);
    let log_weight = |at: usize| ((at % 4 + 1) as f64).ln();
    let weighed = trees.iter().cloned().enumerate().map(|(at, tree)| (tree, log_weight(at)));
    let sample = Sample::new(weighed.collect());
    let picked = sample.pick(16_000, &mut rng(10));
    let chi_square = |expected: &dyn Fn(usize) -> f64| -> f64 {
        let times = |tree: &Tree| picked.iter().filter(|one| *one == tree).count() as f64;
        trees.iter().enumerate().map(|(at, tree)| (times(tree) - expected(at)).powi(2) / expected(at)).sum()
    };
    assert!(chi_square(&|at| 400.0 * (at % 4 + 1) as f64) < 44.3);
    assert!(chi_square(&|_| 1_000.0) > 44.3);
}
