//! The live loop of one hierarchy.
mod ask;
mod campaign;
mod clock;
mod edit;
mod error;
mod follow;
mod live;
mod settings;
mod state;
mod view;
mod why;
mod wording;

pub use ask::{Asked, Offer};
pub use campaign::{Campaign, Imported, ImportedVote};
pub use clock::{Clock, SystemClock};
pub use edit::{Edit, NewConcept};
pub use error::Error;
pub use follow::{Digest, Follower, Measures, Way, Work};
pub use live::{Leased, Live, LiveOptions, Next, Snapshot};
pub use settings::{
    Budget, EngineSetting, NoiseSetting, PriorSetting, Settings, StrategySetting, TargetSetting,
};
pub use state::{ConceptState, Concepts, CorrectionState, Fate, State, Status, Void, VoteState, Votes};
pub use view::NamedReport;
pub use why::{Reason, Why};
pub use wording::Wording;
