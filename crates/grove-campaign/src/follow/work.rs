use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a belief went from one position of the log to another: what a replay has to do again to come to the same bits.
///
/// The log's `advanced` entries hold it as JSON.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Work {
    /// How the entries were taken in.
    pub way: Way,
    /// Sweeps after that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sweeps: u32,
    /// The hash of the belief afterwards.
    pub digest: Digest,
    /// How good the hierarchy was then, so that a progress curve can be drawn without replaying the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measures: Option<Measures>,
    /// The revision of the engine that did it; 1 if missing.
    #[serde(default = "first_revision", skip_serializing_if = "is_first_revision")]
    pub revision: u32,
}

/// How entries are taken in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// One after the other, the belief moving after each.
    Follow,
    /// Votes together, as many as there are in a row, the belief moving when all are in: for votes that come faster than it could follow.
    Together,
    /// All at once, and the belief built from all the evidence: at the start, after a change of settings and after another revision of
    /// the engine. A replay can start here.
    Build,
    /// Nothing is taken in: the rates of all workers are drawn anew, whatever they were. A belief is stored at that moment, and need not hold the rates
    /// then, which would take much room.
    Redraw,
}

/// How good a hierarchy is by the belief's own probabilities.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measures {
    /// The number of votes that counted.
    pub votes: u64,
    /// The number of concepts.
    pub concepts: u32,
    /// The expected number of concepts under their right parent: the sum of the likeliest parents' chances.
    pub expected_right: f64,
    /// The sum of the concepts' parent entropies, in bits.
    pub entropy: f64,
    /// The chance of the least certain concept's likeliest parent.
    pub least_certain: f64,
}

/// A hash of a belief, written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(pub u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u64::from_str_radix(&text, 16).map(Self)
    }
}

impl Work {
    pub(crate) fn to_json(self) -> Value {
        serde_json::to_value(self).expect("work has text keys only")
    }

    /// Reads the JSON of a log; none if it has another form.
    #[must_use]
    pub fn from_json(json: &Value) -> Option<Self> {
        Self::deserialize(json).ok()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn first_revision() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first_revision(revision: &u32) -> bool {
    *revision == 1
}
