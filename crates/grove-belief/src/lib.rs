//! From yes/no votes to a posterior over hierarchies of concepts.

mod ballot;
mod belief;
mod corrections;
mod error;
mod evidence;
mod noise;
mod pairs;
mod prior;
mod vote;

pub use belief::{Belief, Candidate};
pub use corrections::{Clash, Correction, CorrectionId, Corrections};
pub use error::Error;
pub use evidence::{EdgeVotes, Evidence, GoldTally, Settings};
pub use noise::{BetaPrior, Division, LEAST_RATE, Noise, Rates, Relation, WorkerPrior};
pub use prior::Prior;
pub use vote::{Answer, Kind, Question, Vote, VoteId, Worker};
