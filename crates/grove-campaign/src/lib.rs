//! One campaign: from the log to a belief, from the belief to questions, from answers to the log.
//!
//! ```text
//! question ──► worker ──► vote ──► log ──► belief ──► snapshot: hierarchy, next questions, spent, forecast
//!     ▲                                                  │
//!     └──────────────────────────────────────────────────┘
//! ```
//!
//! # The log is the truth
//! [`State`] is a pure fold over the log: concepts, votes, corrections, settings. [`Follower`] adds the belief. A belief moves only where
//! the log says so: its owner's `advanced` entries tell how far it has come and in what way ([`Work`]), and a replay does the same
//! again, to the same bits; every record holds a [`Digest`] to compare. So neither the timing of votes, nor how they were grouped, nor
//! restarts can change what is believed. When the engine itself changes, records of its earlier revisions are not replayed: the belief
//! is built once from all the evidence, and that is recorded.
//!
//! # The campaign
//! [`Campaign`] reads the log once and gives it to the state and to the belief. [`Campaign::open`] leaves it to the caller when the belief
//! moves, as a command line does; [`Campaign::start`] does it in the background, as a server does. Votes go to the store first and are
//! acknowledged when they are on disk; questions come at once from a queue that was chosen before; everything that is shown comes from
//! the last [`Snapshot`]. No request waits for the belief.
//!
//! Several programs may have the same campaign at once. One of them owns the belief: a command for some seconds at a time, a server that
//! shares its database with others for as long as it is alive ([`Peers`]). Other servers show what the owner publishes; other programs read its
//! records and come to the same belief. When it dies, another takes over. An [`Edit`] is checked against the state first, so that a
//! contradiction never reaches the log; if two programs write contradictions at the same moment, the later one is void.
//!
//! # Who is asked what
//! A worker gets the questions reserved for them, or new ones: the best of the queue, which was chosen as a batch by joint gain, that they
//! have not answered and that are not reserved for others. A reservation ends after a while, so an abandoned question is asked again.
//! In bundles of k, a question is asked of k workers, and unfinished bundles are filled first.
//!
//! # Who may do what
//! [`operations`] has one function for each use case, and one table that says which [`Role`](operations::Role) may call it. The API, the
//! pages and the command line only parse and render.
//!
//! This crate is the only one with a clock ([`Clock`]) and the only one that makes ids.

mod ask;
mod background;
mod campaign;
mod clock;
mod edit;
mod error;
mod follow;
pub mod operations;
mod peers;
mod settings;
mod state;
mod ticket;
mod undo;
mod view;
mod why;
mod wording;

pub use ask::{Asked, Estimate, Offer, ShownConcept};
pub use background::give_way;
pub use campaign::{Campaign, CampaignOptions, Health, Imported, Next, Samples, Snapshot, read_log};
pub use clock::{Clock, SystemClock};
pub use edit::{Edit, NewConcept};
pub use error::Error;
pub use follow::{Digest, Follower, Measures, Way, Work};
pub use peers::Peers;
pub use settings::{
    Budget, EngineSetting, NoiseSetting, Preset, PriorSetting, Settings, StrategySetting, TargetSetting,
};
pub use state::{
    ConceptState, Concepts, CorrectionState, CurvePoint, Edited, Fate, PastEdit, State, Status, Void,
    VoteState, Votes, number,
};
pub use ticket::{TICKET_LIFETIME, TicketProblem, Tickets};
pub use view::{NamedReport, believed_hierarchy, open_places};
pub use why::{Hint, Reason, Why};
pub use wording::{Noun, Phrase, Wording};
