//! What a campaign remembers: the append-only log of all that happened to it, in SQLite or PostgreSQL.
//!
//! # Promises
//! * What a call of [`Store`] has acknowledged is on disk: neither `kill -9` nor power loss takes it back. The store reads the
//!   database's settings at start and does not open where they would break this.
//! * A vote counts once, however often it is sent. Its id is made by the client: the same id with the same content gives the same
//!   receipt again, with other content [`Error::Conflict`]; another vote of the worker on the same question is [`Error::AlreadyAnswered`].
//!   That a worker has one vote per question is a constraint of the database, among votes not withdrawn.
//! * The log is the truth. Positions in it have no gaps and become visible in order; everything beside it (the tables of votes and
//!   corrections) is written in the same transaction and can be compared with it ([`Store::doctor`]).
//! * Erasing a worker leaves the log replayable to the same belief: their name is replaced by an anonymous stand-in everywhere.
//! * Leases are volatile: losing them costs a question asked twice.
//! * The store has no clock and makes no ids: times and ids are arguments.
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
//! });
//! store.append(campaign, now, Actor::Grove, concepts.collect()).await?;
//!
//! let question = Question { kind: Kind::Path, upper: 1, lower: 2 };
//! let vote = Vote { worker: WorkerId::new("ann")?, question, answer: Answer::Yes };
//! let vote = SubmittedVote { id: VoteId(Uuid::now_v7()), vote };
//! let receipt = store.cast(campaign, now, vote.clone()).await?;
//! // The answer may have been lost on its way; sending the vote again is safe.
//! assert_eq!(store.cast(campaign, now, vote).await?.position, receipt.position);
//! # Ok(())
//! # }
//! ```
//!
//! # Two databases
//! [`Store::open`] takes a path or a `postgres://` URL. All statements but a few are the same for both. SQLite has one writer, which commits all who wait in one
//! transaction; in PostgreSQL the writes of one campaign are grouped in the same way, several servers may share a database, and the campaign's row is their lock.

mod backup;
mod campaigns;
mod casts;
mod credentials;
mod doctor;
mod erase;
mod error;
mod event;
mod holders;
mod ids;
mod lane;
mod leases;
mod log;
mod people;
mod postgres;
mod replay;
mod schema;
mod snapshots;
mod sql;
mod sqlite;
mod store;
mod votes;

pub use campaigns::Campaign;
pub use credentials::{Credential, Purpose, SecretHash};
pub use doctor::Finding;
pub use error::Error;
pub use event::{Actor, Correction, Entry, Event, Question, SubmittedVote, Vote};
pub use grove_vocabulary::{Answer, Kind};
pub use holders::Holding;
pub use ids::{
    CampaignId, CorrectionId, CredentialId, HolderId, Moment, OwnerId, Position, VoteId, WorkerId,
};
pub use leases::{Lease, Quota, Wish};
pub use log::Receipt;
pub use people::Owner;
pub use snapshots::Snapshot;
pub use store::Store;
pub use votes::{StoredVote, WorkerTally};
