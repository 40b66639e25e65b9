//! CASCADE's Categorize step with a fixed set of labels (Chilton, Little, Edge, Weld and Landay, CHI 2013): every pair of item and
//! label gets the same number of votes, and the majority decides.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::benchmark::{Asked, Benchmark, ITEMS};
use super::nesting::Memberships;
use crate::Error;
use crate::table::Curve;

/// The AUC at each of these numbers of votes, in ascending order. Votes go round all pairs in a random order; a pair without votes,
/// or with a tie, counts as no.
pub(super) fn run(benchmark: &mut Benchmark, marks: &[usize], rng: &mut ChaCha8Rng) -> Result<Curve, Error> {
    let labels = benchmark.labels.len();
    let mut asked = Asked::new(labels);
    let mut order: Vec<usize> = (0..labels * ITEMS).collect();
    order.shuffle(rng);
    let mut balance = vec![0_i32; order.len()];
    let (mut curve, mut votes) = (Vec::new(), 0);
    for &mark in marks {
        while votes < mark {
            let pair = order[votes % order.len()];
            let worker = asked.somebody(pair, rng);
            let yes = benchmark.ask(worker, pair, rng)?;
            balance[pair] += if yes { 1 } else { -1 };
            votes += 1;
        }
        let shares = balance.iter().map(|balance| f64::from(u8::from(*balance > 0))).collect();
        curve.push((mark as f64, Memberships::new(labels, shares).edge_auc(&benchmark.labels)?));
    }
    Ok(Curve(curve))
}
