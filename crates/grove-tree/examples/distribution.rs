//! A distribution over all trees of four foods: how probable each edge is, the most probable tree, and trees drawn at random.
//!
//! `cargo run -p grove-tree --example distribution`

use grove_tree::{Concept, EdgeWeights, Error};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const NAMES: [&str; 5] = ["food", "fruit", "apple", "vegetable", "carrot"];

fn main() -> Result<(), Error> {
    // Weights say how likely an edge is beside the others; here all are equal but two.
    let mut weights = EdgeWeights::uniform(NAMES.len() - 1);
    let [fruit, apple, vegetable, carrot] = [1, 2, 3, 4].map(Concept::new);
    weights.set_log_weight(fruit, apple, 3.0)?;
    weights.set_log_weight(vegetable, carrot, 3.0)?;

    let marginals = weights.marginals()?;
    println!("log of the sum over all trees: {:.3}", marginals.log_partition());
    println!("entropy: {:.3} nats", marginals.entropy(&weights)?);
    for child in weights.concepts() {
        let parents: Vec<String> = std::iter::once(Concept::ROOT)
            .chain(weights.concepts())
            .filter(|&parent| parent != child)
            .map(|parent| format!("{} {:.2}", NAMES[parent.index()], marginals.probability(parent, child)))
            .collect();
        println!("{}: under {}", NAMES[child.index()], parents.join(", "));
    }

    println!("most probable: {}", weights.best_tree()?.edges().map(in_words).collect::<Vec<_>>().join(", "));
    let sampler = weights.sampler()?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..3 {
        let tree = sampler.draw(&mut rng).tree;
        println!("drawn: {}", tree.edges().map(in_words).collect::<Vec<_>>().join(", "));
    }
    Ok(())
}

fn in_words((parent, child): (Concept, Concept)) -> String {
    format!("{} under {}", NAMES[child.index()], NAMES[parent.index()])
}
