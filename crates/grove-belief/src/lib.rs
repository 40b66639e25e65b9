//! From votes to a posterior over hierarchies of concepts.
//!
//! [`Evidence`] holds votes, responses of other forms, and corrections, an [`Engine`] turns them into a [`Belief`],
//! [`choose`] says what to ask next, and [`Report`] summarises the belief.

mod ballot;
mod belief;
mod choice;
mod corrections;
mod dissent;
mod engine;
mod ensemble;
mod entropy;
mod error;
mod evidence;
mod exact;
mod factors;
mod form_rates;
mod health;
mod measures;
mod money;
mod noise;
mod pairs;
mod population;
mod prior;
mod progress;
mod pseudo;
mod report;
mod soft;
mod stop;
mod table;
mod vote;
mod watch;
mod weights;
mod why;

pub use belief::{Belief, Candidate, Differ, Place};
pub use choice::{
    Asking, Choice, KNOWN_TO_OWNER, ScreenChoice, Seconds, Strategy, View, choose, choose_batch,
    choose_screen, choose_screen_batch, choose_screens,
};
pub use corrections::{Clash, CorrectionId, Corrections};
pub use dissent::{Dissent, SHARES};
pub use engine::{ENGINE_REVISION, Engine, EngineSettings};
pub use ensemble::{Divided, Draw, Ensemble, EnsembleSettings};
pub use entropy::{coin_entropy, entropy_bits};
pub use error::Error;
pub use evidence::{EdgeVotes, Evidence, GoldTally, Settings};
pub use exact::Exact;
pub use form_rates::{FormPriors, FormRates, PickRates, PlaceRates, TickRates};
pub use grove_vocabulary::{Answer, DOUBTFUL_BELOW, Form, Kind, Reason};
pub use health::{Health, Verdict};
pub use measures::{Calibration, CalibrationBin, Certainties, Measures, ancestor_f1, path_auc};
pub use money::Money;
pub use noise::{BetaPrior, LEAST_RATE, Noise, Rates, Relation, WorkerPrior};
pub use population::{POPULATION_MEANS, POPULATION_STRENGTHS};
pub use prior::Prior;
pub use progress::Progress;
pub use pseudo::PseudoWorker;
pub use report::{
    ConceptReport, DividedQuestion, DoubtfulVote, Forecast, ProbableSynonyms, RateEstimate, Report,
    ReportOptions, Tally, TransitivityClash, VoteCounts, WorkerReport, WorkerVerdict, agreed_tree, standing,
};
pub use soft::{SoftBand, soft_vote};
pub use stop::{LEAST_GAIN_PER_SECOND, Spent, StopReason, StopRules, Target};
pub use vote::{Correction, MOST_WORKERS, Question, Reply, Response, Screen, Vote, VoteId, Worker};
pub use watch::{Unwatched, Watch};
pub use weights::{Solver, Weights, WeightsSettings};
pub use why::{Influence, Why};

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
