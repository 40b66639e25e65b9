//! The append-only log of campaigns, in SQLite or PostgreSQL.
//!
//! # Guarantees
//! * Whatever a call of [`Store`] has acknowledged is on disk: it survives `kill -9` and power loss. The store checks the
//!   database's settings when it opens and refuses those that would break this.
//! * A vote counts once, however often it is sent. The client makes its id: the same id with the same content gives the same
//!   receipt again, with different content [`Error::Conflict`]; another vote of the worker on the same screen is [`Error::AlreadyAnswered`].
//!   A constraint of the database ensures one vote per worker and screen, whatever the order of its options, among votes not withdrawn.
//! * The log is the source of truth. Its positions have no gaps and become visible in order; the tables of votes and
//!   corrections are written in the same transaction and can be checked against it ([`Store::doctor`]).
//! * A worker can be erased and the log still replays to the same belief: an anonymous stand-in replaces their name everywhere.
//! * Leases are volatile: losing them costs a screen shown twice.
//! * The store has no clock and makes no ids: times and ids are arguments.
//! * A database that a newer program has upgraded is not written to ([`Error::NewerSchema`]).
//!
//! # Example
//! ```no_run
//! use grove_store::{Actor, Answer, CampaignId, Event, Moment, Kind, Question, Store, SubmittedVote, Vote, VoteId, WorkerId};
//! use uuid::Uuid;
//!
//! # async fn example(now: Moment) -> Result<(), grove_store::Error> {
//! let store = Store::open("food.db").await?;
//! let campaign = CampaignId(Uuid::now_v7());
//! store.create_campaign(campaign, None, "food", now).await?;
//! let concepts = ["cheese", "brie"].into_iter().zip(1..).map(|(name, concept)| Event::ConceptAdded {
//!     concept,
//!     name: name.into(),
//!     definition: String::new(),
//!     synonyms: Vec::new(),
//!     article: String::new(),
//!     origin: serde_json::Value::Null,
//! });
//! store.append(campaign, now, Actor::Grove, concepts.collect()).await?;
//!
//! let question = Question { kind: Kind::Path, upper: 1, lower: 2 };
//! let vote = Vote { worker: WorkerId::new("ann")?, question, answer: Answer::Yes };
//! let vote = SubmittedVote::new(VoteId(Uuid::now_v7()), vote);
//! let receipt = store.cast(campaign, now, vote.clone()).await?;
//! // The receipt may get lost on its way; sending the vote again is safe.
//! assert_eq!(store.cast(campaign, now, vote).await?.position, receipt.position);
//! # Ok(())
//! # }
//! ```
//!
//! # Two databases
//! [`Store::open`] takes a path or a `postgres://` URL. All but a few statements are the same for both. SQLite has one writer, which commits all
//! waiting requests in one transaction. In PostgreSQL the writes of one campaign are grouped in the same way; several servers can share a database,
//! and lock the campaign's row.

mod audit;
mod backup;
mod campaigns;
mod changes;
mod credentials;
mod crowd;
mod doctor;
mod erase;
mod error;
mod event;
mod holders;
mod ids;
mod keys;
mod leases;
mod limited;
mod links;
mod log;
mod login_failures;
mod members;
mod owners;
mod postgres;
mod private;
mod replay;
mod schema;
mod servers;
mod snapshots;
mod sql;
mod sqlite;
mod store;
mod vote_batch;
mod votes;
mod write_queue;

pub use audit::AuditEntry;
pub use campaigns::Campaign;
pub use credentials::{Credential, Purpose, SecretHash};
pub use crowd::{Bonus, ModelCall, ModelCap, ModelSpending, Panel, PanelPerson, Reserved, StoredSubmission};
pub use doctor::Finding;
pub use error::{Error, Result};
pub use event::{
    Actor, Correction, Entry, Event, Question, Reply, Response, Screen, SubmittedVote, Vote, VoteSource,
};
pub use grove_vocabulary::{Answer, Form, Kind};
pub use holders::{Claim, Holding};
pub use ids::{
    BonusId, CampaignId, CorrectionId, CredentialId, HolderId, Moment, OwnerId, PanelId, Position, VoteId,
    WorkerId,
};
pub use leases::{Lease, LeaseRequest, Quota};
pub use links::{LinkLimits, LinkTally};
pub use log::{Admission, Receipt};
pub use login_failures::{GuessKind, GuessLimit};
pub use members::{Member, MemberRole};
pub use owners::Owner;
pub use servers::Presence;
pub use snapshots::Snapshot;
pub use store::{Health, Store};
pub use votes::{StoredVote, WorkerTally};
