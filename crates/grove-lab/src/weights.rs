//! Fitting weights to sampled trees (section 4.1 of the paper), and its two theorems.

use std::collections::HashSet;

use grove_tree::{Concept, EdgeWeights, FitLimits, MaxEntropy};
use rand_distr::{Distribution, Gamma};

use crate::prelude::*;

const NAME: &str = "weights";
const DISTINCT: &str = "weights-distinct";
const THEOREM_1: &str = "weights-theorem1";
const THEOREM_2: &str = "weights-theorem2";

/// The number of concepts, as in the paper.
const COUNT: usize = 20;

/// Trees that the fits have not seen.
const TEST_TREES: usize = 1_000;

/// The concentration of the Dirichlet distribution of the weights into a child. With it, a million trees contain about 900,000
/// different ones in the median, as the paper reports of its weights.
const CONCENTRATION: f64 = 0.06;

/// Smaller weights are as good as zero, and their logarithms would be infinite.
const LEAST_WEIGHT: f64 = 1e-300;

/// The shrinkages of the fits: none first.
const BETAS: [f64; 5] = [0.0, 1e-4, 1e-3, 1e-2, 1e-1];

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let measures =
        &["truth", "beta_0", "beta_0.0001", "beta_0.001", "beta_0.01", "beta_0.1", "impossible_at_beta_0"];
    let mut fitted = Study::new(NAME, &["samples"], measures);
    for &samples in size.pick(&[100, 1_000][..], &[100, 300, 1_000, 3_000, 10_000, 30_000, 100_000]) {
        fitted.add(&[&samples], seed..seed + size.pick(1, 100), move |seed| fits(samples, seed));
    }
    let mut different = Study::new(DISTINCT, &["trees"], &["distinct"]);
    let trees = size.pick(10_000, 1_000_000);
    different.add(&[&trees], seed..seed + size.pick(1, 10), move |seed| distinct_trees(trees, seed));
    let mut first = Study::new(THEOREM_1, &["beta"], &["rose", "curve"]);
    for shrinkage in [0.01, 0.001] {
        let (seeds, rounds) = (seed..seed + size.pick(1, 10), size.pick(300, 30_000));
        first.add(&[&shrinkage], seeds, move |seed| descent(shrinkage, rounds, seed));
    }
    let mut second = Study::new(THEOREM_2, &["delta", "samples"], &["excess", "bound"]);
    for delta in [0.5, 0.1] {
        for &samples in size.pick(&[100][..], &[100, 1_000, 10_000]) {
            let seeds = seed..seed + size.pick(2, 100);
            second.add(&[&delta, &samples], seeds, move |seed| bound(delta, samples, seed));
        }
    }
    vec![fitted, different, first, second]
}

/// Draws weights: those into each child from a symmetric Dirichlet distribution, up to a factor that changes nothing. N^2 draws.
fn draw(count: usize, rng: &mut ChaCha8Rng) -> Result<EdgeWeights, Error> {
    // Gamma variables are Dirichlet distributed once normalised, and only the proportions of weights matter.
    let gamma = Gamma::new(CONCENTRATION, 1.0).expect("a positive shape");
    Ok(EdgeWeights::from_fn(count, |_, _| gamma.sample(rng).max(LEAST_WEIGHT).ln())?)
}

/// The share of sampled trees that have each edge, at child * (N + 1) + parent.
fn shares(weights: &EdgeWeights, samples: usize, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, Error> {
    let width = weights.len() + 1;
    let sampler = weights.sampler()?;
    let mut counts = vec![0_u32; width * width];
    for _ in 0..samples {
        for (parent, child) in sampler.draw(rng).tree.edges() {
            counts[child.index() * width + parent.index()] += 1;
        }
    }
    Ok(counts.into_iter().map(|count| f64::from(count) / samples as f64).collect())
}

/// The problem of fitting weights to shares of edges.
fn problem(count: usize, shares: &[f64], shrinkage: f64) -> Result<MaxEntropy, Error> {
    let share = |parent: Concept, child: Concept| shares[child.index() * (count + 1) + parent.index()];
    Ok(MaxEntropy::new(count, share, |_, _| shrinkage)?)
}

/// The mean log-likelihood of test trees under the truth and under fits with each beta; and, for beta = 0, the share of test
/// trees with an edge that no sample had, whose likelihood is therefore 0. Those are left out of its mean.
fn fits(samples: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let weights = draw(COUNT, &mut rng)?;
    let sampler = weights.sampler()?;
    let test: Vec<_> = (0..TEST_TREES).map(|_| sampler.draw(&mut rng).tree).collect();
    let likelihoods = |weights: &EdgeWeights| -> Result<Vec<f64>, Error> {
        let log_partition = weights.log_partition()?;
        test.iter().map(|tree| Ok(weights.log_score(tree)? - log_partition)).collect()
    };
    let mut row = vec![format!("{:.5}", mean(likelihoods(&weights)?).unwrap_or_default())];
    let shares = shares(&weights, samples, &mut rng)?;
    let mut impossible = 0.0;
    for beta in BETAS {
        let problem = problem(COUNT, &shares, beta)?;
        let start = problem.forbid_unseen(&EdgeWeights::uniform(COUNT))?;
        let fitted = problem.fit(&start, FitLimits::default())?.weights;
        let mut possible = likelihoods(&fitted)?;
        possible.retain(|value| value.is_finite());
        if beta == 0.0 {
            impossible = 1.0 - possible.len() as f64 / TEST_TREES as f64;
        }
        row.push(mean(possible).map_or_else(String::new, |mean| format!("{mean:.5}")));
    }
    row.push(format!("{impossible:.4}"));
    Ok(row)
}

/// The number of different trees among so many draws.
fn distinct_trees(trees: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sampler = draw(COUNT, &mut rng)?.sampler()?;
    let mut tree = || -> Vec<u8> {
        sampler.draw(&mut rng).tree.parents().iter().map(|parent| parent.index() as u8).collect()
    };
    let seen: HashSet<Vec<u8>> = (0..trees).map(|_| tree()).collect();
    Ok(vec![seen.len().to_string()])
}

/// Theorem 1: Algorithm 1 reaches the minimum. How far the objective is above its minimum after some rounds, as a power of ten;
/// and how often it rose on the way. N = 10, 10,000 trees.
fn descent(shrinkage: f64, rounds: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let weights = draw(10, &mut rng)?;
    let problem = problem(10, &shares(&weights, 10_000, &mut rng)?, shrinkage)?;
    let start = EdgeWeights::uniform(10);
    let optimum = problem.fit(&start, FitLimits { kkt_residual: 1e-10, eliminations: 10_000 })?.objective;
    let (mut weights, mut last, mut done) = (start, f64::INFINITY, 0);
    let (mut rose, mut curve) = (0, Vec::new());
    let mut mark = 1;
    while mark <= rounds {
        // It has no memory, so it can be run in pieces; each evaluates its start once more.
        let fit = problem.fit_by_scaling(&weights, 0.0, mark - done + 1)?;
        rose += usize::from(fit.objective > last + 1e-12);
        (weights, last, done) = (fit.weights, fit.objective, mark);
        curve.push((mark as f64, (last - optimum).max(1e-12).log10()));
        mark = (mark * 3).div_ceil(2);
    }
    Ok(vec![rose.to_string(), Curve(curve).to_string()])
}

/// Theorem 2: with beta = sqrt(log(N / delta) / m), the loss under the truth is at most that of any weights plus 2 beta times
/// their norm, except with probability delta.
///
/// The loss above the best possible, and what the theorem allows. The best weights are the truth itself. A constant added to all
/// log-weights into a child changes no probability, so the bound is taken where their norm is least: around each child's median.
fn bound(delta: f64, samples: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = draw(COUNT, &mut rng)?;
    let shrinkage = ((COUNT as f64 / delta).ln() / samples as f64).sqrt();
    let problem = problem(COUNT, &shares(&truth, samples, &mut rng)?, shrinkage)?;
    let fit = problem.fit(&EdgeWeights::uniform(COUNT), FitLimits::default())?;
    let excess = truth.kl_divergence(&fit.weights)?;
    let norm_at_median = |incoming: &[f64]| -> f64 {
        let finite: Vec<f64> = incoming.iter().copied().filter(|weight| weight.is_finite()).collect();
        let middle = median(finite.iter().copied()).unwrap_or_default();
        finite.iter().map(|weight| (weight - middle).abs()).sum()
    };
    let norm: f64 = truth.concepts().map(|child| norm_at_median(truth.incoming(child))).sum();
    Ok(vec![format!("{excess:.6}"), format!("{:.6}", 2.0 * norm * shrinkage)])
}

#[derive(Deserialize)]
struct FitRow {
    samples: usize,
    truth: f64,
    #[serde(rename = "beta_0.0001")]
    beta_1e4: Option<f64>,
    #[serde(rename = "beta_0.001")]
    beta_1e3: Option<f64>,
    #[serde(rename = "beta_0.01")]
    beta_1e2: Option<f64>,
    #[serde(rename = "beta_0.1")]
    beta_1e1: Option<f64>,
    impossible_at_beta_0: f64,
}

impl FitRow {
    /// The log-likelihoods under the fits with the positive betas.
    fn fitted(&self) -> [Option<f64>; 4] {
        [self.beta_1e4, self.beta_1e3, self.beta_1e2, self.beta_1e1]
    }
}

#[derive(Deserialize)]
struct DistinctRow {
    distinct: f64,
}

#[derive(Deserialize)]
struct DescentRow {
    beta: f64,
    rose: f64,
    curve: Curve,
}

#[derive(Deserialize)]
struct BoundRow {
    delta: f64,
    samples: usize,
    excess: f64,
    bound: f64,
}

#[derive(Template)]
#[template(path = "weights.md", escape = "none")]
struct Page<'a> {
    different: String,
    figures: &'a [Figure; 2],
    gaps: String,
    /// The best beta at each number of samples.
    best: String,
    /// How often that is the paper's beta, of how many numbers of samples, and the gap that it leaves with most of them.
    paper_best: usize,
    numbers: usize,
    left: String,
    most: String,
    rose: f64,
    descents: usize,
    ends: String,
    bounds: String,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let (fits, different) = (tables.read::<FitRow>(NAME)?, tables.read::<DistinctRow>(DISTINCT)?);
    let (first, second) = (tables.read::<DescentRow>(THEOREM_1)?, tables.read::<BoundRow>(THEOREM_2)?);
    let samples = sorted(fits.rows.iter().map(|row| row.samples));
    let most = samples.last().copied().unwrap_or_default();
    // Nats below the truth with the beta of this number (of the positive ones), over runs in which every test tree is possible.
    let gaps = |samples: usize, beta: usize| -> Vec<f64> {
        let rows = fits.rows.iter().filter(|row| row.samples == samples);
        rows.filter_map(|row| Some(row.truth - row.fitted()[beta]?)).collect()
    };
    let gap_rows = samples.iter().map(|&samples| {
        let mut row = vec![thousands(samples as f64)];
        row.extend((0..4).map(|beta| {
            let gaps = gaps(samples, beta);
            format!("{} ± {}", digits(mean(gaps.iter().copied()), 2), digits(standard_error(&gaps), 2))
        }));
        let impossible =
            fits.rows.iter().filter(|row| row.samples == samples).map(|row| row.impossible_at_beta_0);
        let share = mean(impossible).map(|share| 100.0 * share);
        row.push(format!("{} % of test trees impossible", digits(share, 1)));
        row
    });
    let best = samples.iter().filter_map(|&samples| {
        let means = (0..4).filter_map(|beta| Some((samples, BETAS[beta + 1], mean(gaps(samples, beta))?)));
        means.min_by(|a, b| a.2.total_cmp(&b.2))
    });
    let best: Vec<(usize, f64, f64)> = best.collect();
    let best_words = best
        .iter()
        .map(|&(samples, beta, gap)| format!("{} trees: {beta} ({gap:.2} nats)", thousands(samples as f64)));
    let figures = [likelihoods(&fits.rows, &samples), descents(&first.rows)];
    let page = Page {
        different: thousands(median(different.rows.iter().map(|row| row.distinct)).unwrap_or_default()),
        figures: &figures,
        gaps: markdown_rows(gap_rows),
        best: best_words.collect::<Vec<_>>().join("; "),
        paper_best: best.iter().filter(|(_, beta, _)| *beta == 1e-2).count(),
        numbers: best.len(),
        left: digits(mean(gaps(most, 2)), 2),
        most: thousands(most as f64),
        rose: first.rows.iter().map(|row| row.rose).sum(),
        descents: first.rows.len(),
        ends: ends(&first.rows),
        bounds: bounds(&second.rows),
    };
    let shown = samples.iter().rfind(|&&samples| samples <= 10_000).copied().unwrap_or_default();
    let words = (0..4).map(|beta| format!("{}: {}", BETAS[beta + 1], digits(mean(gaps(shown, beta)), 2)));
    let what = format!("nats below the truth, weights fitted to {} trees, by beta", thousands(shown as f64));
    let summary = vec![summary_row(what, "close; 0.01 robust", list(words))];
    let origins = [fits.origin, different.origin, first.origin, second.origin];
    Ok(Section::new(&page, figures.to_vec(), summary, &origins))
}

fn likelihoods(rows: &[FitRow], samples: &[usize]) -> Figure {
    let y = Axis::linear("log-likelihood of test trees");
    let mut plot = Plot::new("Fits to sampled trees, 20 concepts", Axis::log("sampled trees"), y);
    let mut add = |name: &str, number: usize, of: &dyn Fn(&FitRow) -> Option<f64>| {
        let style = LineStyle { colour: number, dash: usize::from(number == 0), marks: number > 0 };
        let point = |&samples: &usize| {
            let values = rows.iter().filter(|row| row.samples == samples).filter_map(of);
            // Runs have different truths: their spread would hide the differences between fits.
            mean(values).map(|mean| Point::new(samples as f64, mean))
        };
        plot.lines.push(Line::new(name, style, samples.iter().filter_map(point).collect()));
    };
    add("ground truth", 0, &|row| Some(row.truth));
    // Without shrinkage some test trees are impossible, which no axis has room for.
    for beta in 0..4 {
        add(&format!("beta {}", BETAS[beta + 1]), beta + 1, &|row| row.fitted()[beta]);
    }
    plot.figure(NAME, "Log-likelihood of test trees against sampled trees")
}

/// How far the descents with each beta end above the minimum.
fn ends(rows: &[DescentRow]) -> String {
    list(distinct(rows.iter().map(|row| row.beta)).into_iter().map(|beta| {
        let rows = rows.iter().filter(|row| row.beta == beta);
        let last: Vec<(f64, f64)> = rows.filter_map(|row| row.curve.last()).collect();
        let rounds = last.first().map_or(0.0, |point| point.0);
        let worst = last.iter().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
        format!("with beta {beta} at most {:.0e} after {} rounds", 10_f64.powf(worst), thousands(rounds))
    }))
}

fn descents(rows: &[DescentRow]) -> Figure {
    let y = Axis::linear("log10 of (objective - minimum)");
    let mut plot = Plot::new("Algorithm 1 falls to the minimum", Axis::log("rounds"), y);
    for (at, beta) in distinct(rows.iter().map(|row| row.beta)).into_iter().enumerate() {
        let curves = rows.iter().filter(|row| row.beta == beta).map(|row| &row.curve);
        plot.lines.push(Line::mean(&format!("beta {beta}"), LineStyle::numbered(at, false), curves));
    }
    plot.figure(THEOREM_1, "The objective above its minimum against rounds of Algorithm 1")
}

fn bounds(rows: &[BoundRow]) -> String {
    let mut table = Vec::new();
    for delta in distinct(rows.iter().map(|row| row.delta)) {
        for samples in sorted(rows.iter().map(|row| row.samples)) {
            let rows = || rows.iter().filter(|row| row.delta == delta && row.samples == samples);
            table.push([
                delta.to_string(),
                thousands(samples as f64),
                rows().count().to_string(),
                rows().filter(|row| row.excess > row.bound).count().to_string(),
                digits(mean(rows().map(|row| row.excess)), 3),
                digits(mean(rows().map(|row| row.bound)), 1),
            ]);
        }
    }
    markdown_rows(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_come_near_the_probabilities() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let weights = draw(6, &mut rng).unwrap();
        let (shares, marginals) = (shares(&weights, 40_000, &mut rng).unwrap(), weights.marginals().unwrap());
        for child in Concept::all(6) {
            for parent in (0..=6).map(Concept::new).filter(|&parent| parent != child) {
                // A share strays by at most 0.0025; five times that.
                let error = shares[child.index() * 7 + parent.index()] - marginals.probability(parent, child);
                assert!(error.abs() < 0.0125, "{error}");
            }
        }
    }
}
