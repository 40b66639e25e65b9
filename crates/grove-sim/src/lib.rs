//! Simulated people who answer questions about a hierarchy, each with a hierarchy of their own in mind.
//!
//! A [`Crowd`] is drawn from a [`CrowdSpec`] (how well and with what habits its people answer) and from [`Shares`] (how they
//! disagree about where a concept belongs). An [`Interview`] lets a belief ask them. Nothing here reads a file or a clock, and all
//! random numbers come from the caller's generator.
//!
//! ```
//! use grove_belief::{Question, Worker};
//! use grove_sim::{Crowd, CrowdSpec, Dataset};
//! use rand::SeedableRng;
//! use rand_chacha::ChaCha8Rng;
//!
//! let rng = &mut ChaCha8Rng::seed_from_u64(1);
//! let (food, shares) = (Dataset::Food.tree(), Dataset::Food.shares());
//! let mut crowd = Crowd::gather(&CrowdSpec::qualified(40), &shares, rng)?;
//!
//! let [fruit, tomato] = ["fruit", "tomato"].map(|name| food.find(name).expect("both are food"));
//! let answer = crowd.answer(Worker::new(0), Question::path(fruit, tomato)?, rng);
//! println!("Is a tomato a fruit? {answer:?}");
//! # Ok::<(), grove_sim::Error>(())
//! ```

mod capacity;
mod crowd;
mod dataset;
mod error;
mod interview;
mod person;
mod rates;
mod shares;
mod spec;

pub use capacity::{capacity, floor_questions, tree_bits};
pub use crowd::Crowd;
pub use dataset::{Dataset, balanced_tree, read_tree};
pub use error::Error;
pub use interview::{Asked, Course, Interview, Schedule, ask_screen, settle};
pub use person::{Habit, Person};
pub use rates::AnswerRates;
pub use shares::Shares;
pub use spec::CrowdSpec;
