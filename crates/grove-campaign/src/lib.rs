//! The live loop of one hierarchy.
mod clock;
mod error;
mod follow;
mod settings;
mod state;
mod wording;

pub use clock::{Clock, SystemClock};
pub use error::Error;
pub use follow::{Digest, Follower, Measures, Way, Work};
pub use settings::{
    Budget, EngineSetting, NoiseSetting, PriorSetting, Settings, StrategySetting, TargetSetting,
};
pub use state::{ConceptState, Concepts, CorrectionState, Fate, State, Status, Void, VoteState, Votes};
pub use wording::Wording;
