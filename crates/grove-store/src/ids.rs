use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Error;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A campaign.
    CampaignId
);
id!(
    /// A vote, made by the client that sends it, so that sending it again is safe.
    VoteId
);
id!(
    /// A correction, made by the client that sends it.
    CorrectionId
);
id!(
    /// Somebody who owns campaigns.
    OwnerId
);
id!(
    /// A session, an API token or an invitation, by a name that is not secret.
    CredentialId
);
id!(
    /// One run of a program that may run beliefs; a new one at every start.
    HolderId
);

/// A moment: microseconds since the beginning of 1970, UTC. The store has no clock; callers bring the time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// This moment and so much later; the end of time where that passes it.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }
}

/// A place in a campaign's log, counting from 1; 0 stands before everything.
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

/// Who answers, by whatever name the caller knows them: a panel's id, a number, a chosen name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkerId(String);

impl WorkerId {
    /// The longest that a worker's id may be, in bytes.
    pub const LONGEST: usize = 200;

    /// A worker's id: 1 to 200 bytes without control characters.
    ///
    /// # Errors
    /// [`Error::BadWorker`] for anything else.
    pub fn new(id: impl Into<String>) -> Result<Self, Error> {
        let id = id.into();
        if id.is_empty() || id.len() > Self::LONGEST || id.chars().any(char::is_control) {
            return Err(Error::BadWorker);
        }
        Ok(Self(id))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for WorkerId {
    type Error = Error;

    fn try_from(id: String) -> Result<Self, Error> {
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
