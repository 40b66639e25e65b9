//! How many questions a crowd needs to settle a random hierarchy: `cargo run --release -p grove-sim --example settle`.

use grove_belief::{Ensemble, EnsembleSettings, Evidence, Settings, Strategy};
use grove_sim::{Crowd, CrowdSpec, Error, Interview, Schedule, Shares, floor_questions};
use grove_tree::Tree;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Error> {
    let (concepts, noise) = (15, 0.05);
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let truth = Tree::random(concepts, rng);
    let mut crowd = Crowd::gather(&CrowdSpec::one_rate(1_000, noise)?, &Shares::none(&truth), rng)?;
    let evidence = Evidence::new(concepts, Settings::one_rate(noise)?)?;
    let mut belief = Ensemble::new(evidence, EnsembleSettings::for_concepts(concepts))?;

    let mut interview = Interview { belief: &mut belief, crowd: &mut crowd, strategy: Strategy::Gain };
    let course = interview.settle(&truth, Schedule::every(1, 160), rng)?;
    println!("at least {:.0} questions are needed on average", floor_questions(concepts, noise)?);
    match course.settled {
        Some(votes) => println!("settled after {votes} of {} votes", course.votes),
        None => println!("not settled after {} votes", course.votes),
    }
    Ok(())
}
