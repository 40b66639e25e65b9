//! Writes a large log for `grove infer`: so many concepts, of which one in five has others below it, and so many votes of 500 people, half of them on
//! random questions and half on concepts that are above each other: `cargo run --release -p grove-sim --example large_log -- 10000 1000000 FOLDER`.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use grove_belief::{Answer, Question, Worker};
use grove_sim::{Crowd, CrowdSpec, Shares};
use grove_tree::{Concept, Tree};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PEOPLE: u32 = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let [concepts, votes, folder] = <[String; 3]>::try_from(std::env::args().skip(1).collect::<Vec<_>>())
        .map_err(|_| "give the number of concepts, the number of votes, and a folder")?;
    let (concepts, votes, folder): (usize, usize, PathBuf) =
        (concepts.parse()?, votes.parse()?, folder.into());
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let kinds = concepts.div_ceil(5);
    let parents = (1..=concepts).map(|concept| match concept {
        kind if kind <= kinds => Concept::new(rng.random_range(0..kind)),
        _ => Concept::new(rng.random_range(0..=kinds)),
    });
    let truth = Tree::from_parents(&parents.collect::<Vec<_>>())?;
    let mut crowd = Crowd::gather(&CrowdSpec::open(PEOPLE as usize), &Shares::none(&truth), rng)?;

    let mut names = BufWriter::new(File::create(folder.join("concepts.txt"))?);
    for concept in truth.concepts() {
        writeln!(names, "concept {}", concept.index())?;
    }
    let mut log = BufWriter::new(File::create(folder.join("votes.csv"))?);
    writeln!(log, "worker,upper,lower,answer")?;
    for vote in 0..votes {
        let lower = Concept::new(rng.random_range(1..=concepts));
        let above: Vec<Concept> = truth.ancestors(lower).filter(|upper| !upper.is_root()).collect();
        let upper = match above.choose(rng) {
            Some(&upper) if vote % 2 == 0 => upper,
            _ => Concept::new((lower.index() + rng.random_range(1..concepts) - 1) % concepts + 1),
        };
        let worker = Worker::new(rng.random_range(0..PEOPLE));
        let yes = crowd.answer(worker, Question::path(upper, lower)?, rng) == Answer::Yes;
        let answer = if yes { "yes" } else { "no" };
        writeln!(log, "w{},concept {},concept {},{answer}", worker.index(), upper.index(), lower.index())?;
    }
    Ok(())
}
