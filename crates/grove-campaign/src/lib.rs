//! The live loop of one hierarchy: from the log to a belief, from the belief to questions, from answers to the log.
//!
//! ```text
//! question ──► worker ──► vote ──► log ──► belief ──► snapshot: hierarchy, next questions, spent, forecast
//!     ▲                                                  │
//!     └──────────────────────────────────────────────────┘
//! ```
//!
//! # The log is the truth
//! [`State`] is a pure fold over the log: concepts, votes, corrections, settings. [`Follower`] adds the belief. A belief moves only where the
//! log says so: its owner's `advanced` entries tell how far it has come and in what way ([`Work`]), and a replay does the same again, to the same
//! bits; every record holds a [`Digest`] to compare. So neither the timing of votes, nor how they were grouped, nor restarts
//! can change what is believed.
//!
//! # Two ways to have a campaign
//! * [`Campaign`] is for a program that does one thing after the other, such as a command line: open, vote, advance, look.
//! * [`Live`] is for a server. Votes go to the store first and are acknowledged when they are on disk; questions come at once from a queue that
//!   was chosen before. The belief works on a thread of its own, in batches, and publishes a [`Snapshot`] that everybody reads.
//!
//! Several programs may have the same campaign at once. One of them holds the belief, for some seconds at a time; the others read its records and come to the
//! same belief. When it dies, another takes over. Whoever edits a campaign ([`Edit`]) has the edit checked against the state first, so that what
//! contradicts itself never reaches the log; should two programs write contradictions at the same moment, the later one is void.
//!
//! # Who is asked what
//! A worker gets the questions they hold already, or new ones: the best of the queue, which was chosen as a batch by joint gain, that they have not answered
//! and nobody else holds. Questions are leased for a while; one that is abandoned returns. In bundles of k, a question is asked of k workers,
//! and bundles that are begun are filled first.
//!
//! This crate is the only one with a clock ([`Clock`]) and the only one that makes ids.

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
pub use campaign::{Campaign, Imported, read_log};
pub use clock::{Clock, SystemClock};
pub use edit::{Edit, NewConcept};
pub use error::Error;
pub use follow::{Digest, Follower, Measures, Way, Work};
pub use live::{Leased, Live, LiveOptions, Next, Snapshot};
pub use settings::{
    Budget, EngineSetting, NoiseSetting, PriorSetting, Settings, StrategySetting, TargetSetting,
};
pub use state::{ConceptState, Concepts, CorrectionState, Fate, State, Status, Void, VoteState, Votes};
pub use view::{NamedReport, believed_hierarchy};
pub use why::{Reason, Why};
pub use wording::Wording;
