//! Panels of people and language models as workers.
//!
//! The network is at the edge: [`Prolific`] and [`ModelClient`] send requests and parse answers. What follows from an answer is decided by pure
//! functions and small state machines ([`Submission`], [`journal`], [`wage`], [`panel`], [`Probe`], [`SpendingLimit`]), which are tested
//! without a network and know neither a clock nor a database.
//!
//! Money is in whole cents ([`Cents`]) everywhere. Tokens and keys are [`Secret`]s: no `Debug`, error or log shows them.

mod cents;
mod config;
mod error;
mod http;
pub mod journal;
mod launch;
mod model;
pub mod panel;
mod prolific;
mod retry;
mod secret;
mod submission;
pub mod wage;
mod webhook;

pub use cents::Cents;
pub use config::{Crowds, Endpoint, PanelConnection, TokenPrice};
pub use error::Error;
pub use http::{Http, HttpAnswer};
pub use launch::{BadLaunch, LAUNCH_PARAMETER, Launch, LaunchKeys, launch_host};
pub use model::{
    Agreement, Answered, Asking, Budget, CallKey, Heard, ModelClient, PROMPT_VERSION, Probe, Prompt,
    SpendingLimit, Usage, follows, heard,
};
pub use panel::{Completion, GenericPanel, Visit};
pub use prolific::{
    Balance, BonusBatch, CodeKind, NewStudy, PanelSubmission, Price, Prolific, Recommendation, Study,
    StudyAction, StudyCost, StudyStatus,
};
pub use retry::{Backoff, Outcome};
pub use secret::Secret;
pub use submission::{Observation, Seen, Submission, SubmissionStatus};
pub use webhook::{Delivery, EVENTS, SIGNATURE_LIFETIME, WebhookEvent, sign, verify};
