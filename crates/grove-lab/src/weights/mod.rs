//! Fitting weights to sampled trees (section 4.1 of the paper), and its two theorems.

mod theorems;
mod truth;

use std::collections::HashSet;

use grove_tree::{EdgeWeights, FitLimits};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::curves::{line, numbers, point};
use crate::experiment::Tables;
use crate::markdown::{MarkdownTable, digits, thousands};
use crate::plot::{Axis, Chart, Line, Look};
use crate::report::{Figure, Section};
use crate::statistics::{mean, median, standard_error};
use crate::study::{Cell, Size, Study};
use crate::table::Table;
use crate::{Error, Experiment};
use truth::{CONCENTRATION, draw, of_shares, shares};

const NAME: &str = "weights";
const DISTINCT: &str = "weights-distinct";

/// As in the paper.
const COUNT: usize = 20;

/// Trees that were not fitted to.
const TEST_TREES: usize = 1_000;

const BETAS: [f64; 5] = [0.0, 1e-4, 1e-3, 1e-2, 1e-1];

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut cells = Vec::new();
    for samples in size.pick(vec![100, 1_000], vec![100, 300, 1_000, 3_000, 10_000, 30_000, 100_000]) {
        for seed in seed..seed + size.pick(1, 100) {
            cells.push(Cell::new(vec![samples.to_string()], seed, move || fits(samples, seed)));
        }
    }
    let trees = size.pick(10_000, 1_000_000);
    let distinct = |seed| Cell::new(vec![trees.to_string()], seed, move || distinct(trees, seed));
    let measures =
        &["truth", "beta_0", "beta_0.0001", "beta_0.001", "beta_0.01", "beta_0.1", "impossible_at_beta_0"];
    vec![
        Study { name: NAME, settings: &["samples"], measures, cells, alone: false },
        Study {
            name: DISTINCT,
            settings: &["trees"],
            measures: &["distinct"],
            cells: (seed..seed + size.pick(1, 10)).map(distinct).collect(),
            alone: false,
        },
        theorems::first(size, seed),
        theorems::second(size, seed),
    ]
}

/// The mean log-likelihood of test trees under the truth and under fits with each beta; and, for beta = 0, the share of test trees that
/// have an edge which no sample had, and whose likelihood is therefore 0. Those are left out of its mean.
fn fits(samples: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let weights = draw(COUNT, &mut rng)?;
    let sampler = weights.sampler()?;
    let test: Vec<_> = (0..TEST_TREES).map(|_| sampler.draw(&mut rng).tree).collect();
    let likelihoods = |weights: &EdgeWeights| -> Result<Vec<f64>, Error> {
        let log_partition = weights.log_partition()?;
        test.iter().map(|tree| Ok(weights.log_score(tree)? - log_partition)).collect()
    };
    let mut row = vec![format!("{:.5}", mean(&likelihoods(&weights)?).unwrap_or_default())];
    let shares = shares(&weights, samples, &mut rng)?;
    let mut impossible = 0.0;
    for beta in BETAS {
        let problem = of_shares(COUNT, &shares, beta)?;
        let start = problem.forbid_unseen(&EdgeWeights::uniform(COUNT))?;
        let fitted = problem.fit(&start, FitLimits::default())?.weights;
        let all = likelihoods(&fitted)?;
        let possible: Vec<f64> = all.iter().copied().filter(|value| value.is_finite()).collect();
        if beta == 0.0 {
            impossible = 1.0 - possible.len() as f64 / all.len() as f64;
        }
        row.push(mean(&possible).map_or_else(String::new, |mean| format!("{mean:.5}")));
    }
    row.push(format!("{impossible:.4}"));
    Ok(row)
}

/// How many different trees there are among so many draws.
fn distinct(trees: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sampler = draw(COUNT, &mut rng)?.sampler()?;
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    for _ in 0..trees {
        seen.insert(
            sampler.draw(&mut rng).tree.parents().iter().map(|parent| parent.index() as u8).collect(),
        );
    }
    Ok(vec![seen.len().to_string()])
}

pub(crate) fn tell(tables: &Tables) -> Result<Section, Error> {
    let all = [NAME, DISTINCT, theorems::FIRST, theorems::SECOND];
    let tables = all.iter().map(|name| tables.read(name)).collect::<Result<Vec<Table>, _>>()?;
    let [fits, distinct, first, second] = &tables[..] else { unreachable!("four tables were read") };
    let figures = vec![likelihoods(fits)?, descents(first)?];
    let different = median(&numbers(&distinct.find(&[]), "distinct")?).unwrap_or_default();
    let text = format!(
        "Weights of {COUNT} concepts are drawn (into each child from a Dirichlet distribution of concentration {CONCENTRATION}: a million trees then hold {} different ones \
         in the median; the paper says about 900,000), trees are drawn from them, weights are fitted to the shares of edges with shrinkage beta, and {} fresh trees are judged by both.\n\n\
         ![{}]\n\n{}\n{}\n{}\n![{}]\n\n{}",
        thousands(different),
        thousands(TEST_TREES as f64),
        figures[0].file,
        gaps(fits)?,
        finding(fits)?,
        theorem_one(first)?,
        figures[1].file,
        theorem_two(second)?
    );
    Section::new(
        Experiment::Weights,
        "Weights from samples",
        &[fits, distinct, first, second],
        text,
        figures,
        summary(fits)?,
    )
}

fn column(beta: f64) -> String {
    format!("beta_{beta}")
}

/// How far fits are below the truth, over runs in which they judge every test tree possible.
fn gap(table: &Table, samples: f64, beta: f64) -> Result<Vec<f64>, Error> {
    let mut gaps = Vec::new();
    for row in table.find(&[("samples", &samples.to_string())]) {
        if let Some(fitted) = row.maybe(&column(beta))? {
            gaps.push(row.number("truth")? - fitted);
        }
    }
    Ok(gaps)
}

fn likelihoods(table: &Table) -> Result<Figure, Error> {
    let y = Axis::linear("log-likelihood of test trees");
    let mut chart = Chart::new("Fits to sampled trees, 20 concepts", Axis::log("sampled trees"), y);
    // With no shrinkage some test trees are impossible, which no axis has room for.
    let columns = BETAS[1..].iter().map(|&beta| (format!("beta {beta}"), column(beta)));
    for (at, (name, column)) in
        std::iter::once(("ground truth".to_owned(), "truth".to_owned())).chain(columns).enumerate()
    {
        let look = Look { colour: at, dash: if at == 0 { 1 } else { 0 }, marks: at > 0 };
        let mut points = Vec::new();
        for samples in table.numbers("samples")? {
            let values = numbers(&table.find(&[("samples", &samples.to_string())]), &column)?;
            // Runs have different truths: their spread would hide what the fits differ by.
            points.extend(point(samples, &values).map(|point| crate::plot::Point { spread: None, ..point }));
        }
        chart.lines.push(Line { name, look, points });
    }
    Ok(Figure::new(NAME, "Log-likelihood of test trees against sampled trees", chart.svg()))
}

fn gaps(table: &Table) -> Result<String, Error> {
    let mut head = vec!["sampled trees".to_owned()];
    head.extend(BETAS[1..].iter().map(|beta| format!("beta {beta}")));
    head.push("beta 0".to_owned());
    let mut out = MarkdownTable::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for samples in table.numbers("samples")? {
        let mut row = vec![thousands(samples)];
        for &beta in &BETAS[1..] {
            let gaps = gap(table, samples, beta)?;
            row.push(format!("{} ± {}", digits(mean(&gaps), 2), digits(standard_error(&gaps), 2)));
        }
        let impossible =
            mean(&numbers(&table.find(&[("samples", &samples.to_string())]), "impossible_at_beta_0")?);
        row.push(format!("{} % of test trees impossible", digits(impossible.map(|share| 100.0 * share), 1)));
        out.row(&row);
    }
    Ok(format!("Nats per tree below the ground truth, mean and standard error over runs:\n\n{}", out.text()))
}

fn finding(table: &Table) -> Result<String, Error> {
    let mut best = Vec::new();
    for samples in table.numbers("samples")? {
        let mut means = Vec::new();
        for &beta in &BETAS[1..] {
            means.extend(mean(&gap(table, samples, beta)?).map(|gap| (beta, gap)));
        }
        best.extend(
            means.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(beta, gap)| (samples, beta, gap)),
        );
    }
    let words: Vec<String> = best
        .iter()
        .map(|(samples, beta, gap)| format!("{} trees: {beta} ({gap:.2} nats)", thousands(*samples)))
        .collect();
    let paper = best.iter().filter(|(_, beta, _)| *beta == 1e-2).count();
    let most = table.numbers("samples")?.last().copied().unwrap_or_default();
    let left = mean(&gap(table, most, 1e-2)?);
    Ok(format!(
        "The paper: about 10,000 samples come close, every fit converges to the truth as samples increase, and beta = 0.01 is robust. Ours, the best beta at each number of samples: \
         {}. So some 10,000 samples are indeed enough, with a small beta. A beta of 0.01 is best at {paper} of {} numbers of samples, and is still {} nats from the truth with {} trees. It cannot \
         be otherwise: at the optimum every edge whose weight is not zero has a probability that is off by beta, however many samples there are. We cannot tell what the paper's program did \
         otherwise; an iteration that stops early would shrink less. With beta 0, an edge that no sample had is impossible for ever: those trees are not in any mean.\n",
        words.join("; "),
        best.len(),
        digits(left, 2),
        thousands(most)
    ))
}

fn theorem_one(table: &Table) -> Result<String, Error> {
    let rose: f64 = numbers(&table.find(&[]), "rose")?.iter().sum();
    let mut words = Vec::new();
    for beta in table.values("beta") {
        let rows = table.find(&[("beta", &beta)]);
        let mut last = Vec::new();
        for row in &rows {
            last.extend(row.curve("curve")?.last().copied());
        }
        let rounds = last.first().map_or(0.0, |point| point.0);
        let worst = last.iter().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
        words.push(format!(
            "with beta {beta} at most {:.0e} after {} rounds",
            10_f64.powf(worst),
            thousands(rounds)
        ));
    }
    Ok(format!(
        "**Theorem 1**: Algorithm 1 falls to the minimum of its objective. N = 10, 10,000 trees: the objective rose {rose:.0} times in {} runs, and was above \
         the minimum (found by another method) {}.\n",
        table.rows().count(),
        words.join(", ")
    ))
}

fn descents(table: &Table) -> Result<Figure, Error> {
    let y = Axis::linear("log10 of (objective - minimum)");
    let mut chart = Chart::new("Algorithm 1 falls to the minimum", Axis::log("rounds"), y);
    for (at, beta) in table.values("beta").iter().enumerate() {
        let rows = table.find(&[("beta", beta)]);
        chart.lines.push(line(
            &format!("beta {beta}"),
            Look { colour: at, dash: at, marks: false },
            &rows,
            "curve",
        )?);
    }
    Ok(Figure::new(
        theorems::FIRST,
        "The objective above its minimum against rounds of Algorithm 1",
        chart.svg(),
    ))
}

fn theorem_two(table: &Table) -> Result<String, Error> {
    let mut out =
        MarkdownTable::new(&["delta", "samples", "runs", "bound broken", "mean excess loss", "mean bound"]);
    for delta in table.values("delta") {
        for samples in table.numbers("samples")? {
            let rows = table.find(&[("delta", &delta), ("samples", &samples.to_string())]);
            let (excess, bound) = (numbers(&rows, "excess")?, numbers(&rows, "bound")?);
            let broken = excess.iter().zip(&bound).filter(|(excess, bound)| excess > bound).count();
            out.row(&[
                delta.clone(),
                thousands(samples),
                rows.len().to_string(),
                broken.to_string(),
                digits(mean(&excess), 3),
                digits(mean(&bound), 1),
            ]);
        }
    }
    Ok(format!(
        "**Theorem 2**: with beta = sqrt(log(N/delta)/m) the loss under the truth exceeds that of any weights by more than 2 beta times their norm with a chance of at most delta. Against the \
         true weights, in nats:\n\n{}\nThe bound holds with much to spare: it adds up the norm of all log-weights, and edges that are all but impossible have large ones.\n",
        out.text()
    ))
}

fn summary(table: &Table) -> Result<Vec<[String; 3]>, Error> {
    let samples =
        table.numbers("samples")?.into_iter().rfind(|&samples| samples <= 10_000.0).unwrap_or_default();
    let mut words = Vec::new();
    for &beta in &BETAS[1..] {
        words.push(format!("{beta}: {}", digits(mean(&gap(table, samples, beta)?), 2)));
    }
    Ok(vec![[
        format!("nats below the truth, weights fitted to {} trees, by beta", thousands(samples)),
        "close; 0.01 robust".to_owned(),
        words.join(", "),
    ]])
}
