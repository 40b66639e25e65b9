//! How long the kernels take: `cargo bench -p grove-tree --bench kernels`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use grove_tree::{EdgeWeights, SamplingMethod};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const SIZES: [usize; 5] = [10, 20, 50, 100, 500];

/// Standard normal log-weights, those of the root's edges moved by `root_shift`.
fn weights(count: usize, root_shift: f64) -> EdgeWeights {
    let mut rng = ChaCha8Rng::seed_from_u64(count as u64);
    EdgeWeights::from_fn(count, |parent, _| {
        let normal: f64 = StandardNormal.sample(&mut rng);
        normal + if parent.is_root() { root_shift } else { 0.0 }
    })
    .expect("normal numbers are finite")
}

fn closed_forms(c: &mut Criterion) {
    for count in SIZES {
        let weights = weights(count, 0.0);
        c.bench_function(&format!("log_partition/{count}"), |b| {
            b.iter(|| black_box(&weights).log_partition())
        });
        c.bench_function(&format!("marginals/{count}"), |b| b.iter(|| black_box(&weights).marginals()));
        c.bench_function(&format!("best_tree/{count}"), |b| b.iter(|| black_box(&weights).best_tree()));
    }
}

fn sampling(c: &mut Criterion) {
    for count in SIZES {
        for (name, method, root_shift) in
            [("walk", SamplingMethod::Walk, 0.0), ("restore", SamplingMethod::Restore, -40.0)]
        {
            let sampler = weights(count, root_shift).sampler_by(method).expect("every tree is possible");
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let name = format!("{name}/{count}");
            c.bench_function(&name, |b| b.iter(|| sampler.draw(&mut rng)));
        }
    }
}

criterion_group!(benches, closed_forms, sampling);
criterion_main!(benches);
