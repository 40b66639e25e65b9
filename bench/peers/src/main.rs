//! Our side of `bench/peers`: times one operation on weights from a file, as often as asked.
//!
//! Tasks: marginals, best_tree, sample, and frequencies (not timed). Reads lines "task file repetitions output" and
//! answers each with one line of JSON. A file holds log-weights as
//! little-endian f64, N rows (children) of N+1 parents. The output file, unless it is "-", gets the last result as
//! f64 too, for comparison with a peer's.

use std::{
    error::Error,
    fs,
    hint::black_box,
    io::{self, BufRead, Write},
    time::{Duration, Instant},
};

use grove_tree::{EdgeWeights, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const SEED: u64 = 1;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let [task, file, repetitions, output] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err(format!("expected \"task file repetitions output\", found \"{line}\"").into());
        };
        let weights = read_weights(file)?;
        let (took, result) = run(task, &weights, repetitions.parse()?)?;
        if output != "-" {
            fs::write(output, result.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())?;
        }
        println!(
            "{{\"task\": \"{task}\", \"count\": {}, \"seconds\": {}}}",
            weights.len(),
            took.as_secs_f64()
        );
        io::stdout().flush()?;
    }
    Ok(())
}

/// Repeats a task; gives the time of all repetitions and the last result as numbers.
fn run(task: &str, weights: &EdgeWeights, repetitions: usize) -> Outcome<(Duration, Vec<f64>)> {
    match task {
        "marginals" => {
            let (took, marginals) = repeat(repetitions, || weights.marginals())?;
            let rows = weights.concepts().flat_map(|child| marginals.incoming(child));
            Ok((took, std::iter::once(&marginals.log_partition()).chain(rows).copied().collect()))
        }
        "best_tree" => {
            let (took, tree) = repeat(repetitions, || weights.best_tree())?;
            Ok((took, parents(&tree)))
        }
        "sample" => {
            let sampler = weights.sampler()?;
            let mut rng = ChaCha8Rng::seed_from_u64(SEED);
            let (took, sampled) = repeat(repetitions, || Ok::<_, grove_tree::Error>(sampler.draw(&mut rng)))?;
            Ok((took, parents(&sampled.tree)))
        }
        "frequencies" => Ok((Duration::ZERO, frequencies(weights, repetitions)?)),
        _ => Err(format!("no such task: {task}").into()),
    }
}

/// The share of sampled trees with each edge, in the order of the weights.
fn frequencies(weights: &EdgeWeights, draws: usize) -> Outcome<Vec<f64>> {
    let sampler = weights.sampler()?;
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let width = weights.len() + 1;
    let mut counts = vec![0_u64; weights.len() * width];
    for _ in 0..draws {
        for (parent, child) in sampler.draw(&mut rng).tree.edges() {
            counts[(child.index() - 1) * width + parent.index()] += 1;
        }
    }
    Ok(counts.iter().map(|&count| count as f64 / draws as f64).collect())
}

fn repeat<T, E>(repetitions: usize, mut work: impl FnMut() -> Result<T, E>) -> Result<(Duration, T), E> {
    let begin = Instant::now();
    let mut result = work()?;
    for _ in 1..repetitions {
        result = black_box(work()?);
    }
    Ok((begin.elapsed(), result))
}

fn parents(tree: &Tree) -> Vec<f64> {
    tree.parents().iter().map(|parent| parent.index() as f64).collect()
}

fn read_weights(file: &str) -> Outcome<EdgeWeights> {
    let bytes = fs::read(file)?;
    let (values, rest) = bytes.as_chunks::<8>();
    let values: Vec<f64> = values.iter().copied().map(f64::from_le_bytes).collect();
    let count = values.len().isqrt();
    if !rest.is_empty() || count * (count + 1) != values.len() {
        return Err(format!("{file} does not hold N rows of N+1 numbers").into());
    }
    Ok(EdgeWeights::from_fn(count, |parent, child| {
        values[(child.index() - 1) * (count + 1) + parent.index()]
    })?)
}
