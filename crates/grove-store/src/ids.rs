use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Result};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// The id of a campaign.
    CampaignId;
    /// The id of a vote, made by the client that sends it, so that sending it again is safe.
    VoteId;
    /// The id of a correction, made by the client that sends it.
    CorrectionId;
    /// The id of an owner of campaigns.
    OwnerId;
    /// The id of a session, an API token or an invitation. It is not secret.
    CredentialId;
    /// The id of one run of a program that may run beliefs; each start makes a new one.
    HolderId;
    /// The id of a panel that people come from.
    PanelId;
    /// The id of a bonus, made by whoever decides on it.
    BonusId;
}

impl HolderId {
    /// Holds what was released.
    pub(crate) const NOBODY: Self = Self(Uuid::nil());
}

/// A point in time, in microseconds since the beginning of 1970, UTC. The store has no clock; callers pass the time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// Returns the moment `span` later, or the latest that can be represented.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }
}

/// A position in a campaign's log, counted from 1; 0 is before the first entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(pub i64);

impl Position {
    /// Before the first entry.
    pub const START: Self = Self(0);

    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name by which the caller knows a worker: a panel's id, a number, a chosen name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkerId(String);

impl WorkerId {
    /// Makes a worker's id of 1 to 200 bytes without control characters.
    ///
    /// # Errors
    /// [`Error::BadWorker`] for anything else.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        if is_valid_name(&id) { Ok(Self(id)) } else { Err(Error::BadWorker) }
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for WorkerId {
    type Error = Error;

    fn try_from(id: String) -> Result<Self> {
        Self::new(id)
    }
}

impl From<WorkerId> for String {
    fn from(worker: WorkerId) -> Self {
        worker.0
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether a name has 1 to 200 bytes and no control characters.
pub(crate) fn is_valid_name(name: &str) -> bool {
    (1..=200).contains(&name.len()) && !name.chars().any(char::is_control)
}
