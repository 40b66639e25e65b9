use std::fmt;

use serde::{Deserialize, Serialize};

/// How far a person is with a study, in the words of Prolific.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum SubmissionStatus {
    /// The person has a place and has not started.
    #[serde(rename = "RESERVED")]
    Reserved,
    /// The person is answering.
    #[serde(rename = "ACTIVE")]
    Active,
    /// The person took too long; may still hand in a code.
    #[serde(rename = "TIMED-OUT")]
    TimedOut,
    /// The person has handed in a code.
    #[serde(rename = "AWAITING REVIEW")]
    AwaitingReview,
    /// The person gave the place back.
    #[serde(rename = "RETURNED")]
    Returned,
    /// The person did not belong to the study, and was paid for finding out.
    #[serde(rename = "SCREENED OUT")]
    ScreenedOut,
    /// Paid in part.
    #[serde(rename = "PARTIALLY APPROVED")]
    PartiallyApproved,
    /// The submission was rejected.
    #[serde(rename = "REJECTED")]
    Rejected,
    /// The submission was approved and is paid.
    #[serde(rename = "APPROVED")]
    Approved,
}

impl SubmissionStatus {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Reserved,
        Self::Active,
        Self::TimedOut,
        Self::AwaitingReview,
        Self::Returned,
        Self::ScreenedOut,
        Self::PartiallyApproved,
        Self::Rejected,
        Self::Approved,
    ];

    /// The panel's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reserved => "RESERVED",
            Self::Active => "ACTIVE",
            Self::TimedOut => "TIMED-OUT",
            Self::AwaitingReview => "AWAITING REVIEW",
            Self::Returned => "RETURNED",
            Self::ScreenedOut => "SCREENED OUT",
            Self::PartiallyApproved => "PARTIALLY APPROVED",
            Self::Rejected => "REJECTED",
            Self::Approved => "APPROVED",
        }
    }

    /// Reads the panel's word. Spaces, hyphens and underscores are treated alike: the panel itself is not consistent.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let plain = |word: &str| word.trim().to_ascii_uppercase().replace(['-', '_'], " ");
        Self::ALL.into_iter().find(|status| plain(status.as_str()) == plain(word))
    }

    /// Statuses are reached in this order; those with the same number exclude each other.
    const fn stage(self) -> u8 {
        match self {
            Self::Reserved => 0,
            Self::Active => 1,
            Self::TimedOut => 2,
            Self::AwaitingReview => 3,
            Self::Returned
            | Self::ScreenedOut
            | Self::PartiallyApproved
            | Self::Rejected
            | Self::Approved => 4,
        }
    }

    /// Whether nothing more is expected to happen.
    #[must_use]
    pub const fn is_final(self) -> bool {
        self.stage() == 4
    }

    /// Whether the place is taken: the panel has not offered it to somebody else.
    #[must_use]
    pub const fn takes_place(self) -> bool {
        !matches!(self, Self::TimedOut | Self::Returned | Self::Rejected | Self::ScreenedOut)
    }

    /// What may be done about approving it.
    #[must_use]
    pub const fn approval(self) -> Approval {
        match self {
            Self::AwaitingReview => Approval::Possible,
            Self::Approved | Self::PartiallyApproved => Approval::Done,
            // Our page may have sent the person off before the panel knows of it.
            Self::Reserved | Self::Active => Approval::Later,
            // A person who timed out may still hand in a code, which makes it possible again.
            Self::TimedOut => Approval::Later,
            Self::Returned | Self::ScreenedOut | Self::Rejected => Approval::Never,
        }
    }
}

/// Whether a submission can be approved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Approval {
    /// It can be approved now.
    Possible,
    /// It cannot be approved yet; the panel would refuse for now.
    Later,
    /// It was approved already.
    Done,
    /// It can never be approved; the panel would always refuse.
    Never,
}

impl fmt::Display for SubmissionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How we learnt of a status.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Seen {
    /// From a webhook, which may come late, twice or out of order. The time is when the status changed.
    Webhook,
    /// By asking. The time is when the panel made its answer, in whole seconds.
    Poll,
}

/// A status at a time, by the panel's clock, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Observation {
    /// The status.
    pub status: SubmissionStatus,
    /// When the status was observed.
    pub at: i64,
    /// How it was observed.
    pub seen: Seen,
}

/// What is known about a submission.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Submission {
    /// The last status known.
    pub status: SubmissionStatus,
    /// Since when it is known, by the panel's clock, in microseconds.
    pub at: i64,
}

/// The header with the time of an answer counts whole seconds.
const SECOND: i64 = 1_000_000;

impl Submission {
    /// What the first observation tells.
    #[must_use]
    pub fn first(observation: Observation) -> Self {
        Self { status: observation.status, at: observation.at }
    }

    /// What is known after another observation, which may be older than what is known already; `None` if it tells nothing new.
    ///
    /// Webhooks only move a submission forward. Asking can also move it back (a rejection that the panel lifted), unless a webhook of the same
    /// second or later has told more already.
    #[must_use]
    pub fn after(self, observation: Observation) -> Option<Self> {
        let Observation { status, at, seen } = observation;
        let goes_back = status.stage() < self.status.stage();
        let is_news = match seen {
            Seen::Webhook => at > self.at && !goes_back,
            // Within the second of the answer, what is further along is newer.
            Seen::Poll => at + SECOND > self.at && !(goes_back && at <= self.at),
        };
        let next = Self { status, at: at.max(self.at) };
        (is_news && next != self).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_of_the_panel_are_read_in_every_spelling() {
        for status in SubmissionStatus::ALL {
            assert_eq!(SubmissionStatus::parse(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
        for word in ["TIMED_OUT", "timed out", "TIMED-OUT"] {
            assert_eq!(SubmissionStatus::parse(word), Some(SubmissionStatus::TimedOut));
        }
        assert_eq!(SubmissionStatus::parse("AWAITING-REVIEW"), Some(SubmissionStatus::AwaitingReview));
        assert_eq!(SubmissionStatus::parse("LOST"), None);
    }

    #[test]
    fn a_late_webhook_does_not_undo_what_asking_told() {
        let polled =
            Observation { status: SubmissionStatus::AwaitingReview, at: 10 * SECOND, seen: Seen::Poll };
        let known = Submission::first(polled);
        // Sent within the second of the poll, and before it.
        let late =
            Observation { status: SubmissionStatus::Active, at: 10 * SECOND + 200_000, seen: Seen::Webhook };
        assert_eq!(known.after(late), None);
        let approved = Observation {
            status: SubmissionStatus::Approved,
            at: 10 * SECOND + 900_000,
            seen: Seen::Webhook,
        };
        let known = known.after(approved).unwrap();
        assert_eq!(known.status, SubmissionStatus::Approved);
        // The answer to a question asked before that.
        assert_eq!(known.after(polled), None);
        // The panel changed the status back, a second later.
        let rejected = Observation { status: SubmissionStatus::Rejected, at: 12 * SECOND, seen: Seen::Poll };
        assert_eq!(known.after(rejected).unwrap().status, SubmissionStatus::Rejected);
    }

    /// A life of a submission: each status at its time.
    fn life() -> impl Strategy<Value = Vec<SubmissionStatus>> {
        use SubmissionStatus::{Active, Approved, AwaitingReview, Rejected, Reserved, Returned, TimedOut};
        prop_oneof![
            Just(vec![Reserved, Active, AwaitingReview, Approved]),
            Just(vec![Reserved, Active, Returned]),
            Just(vec![Active, TimedOut]),
            Just(vec![Active, TimedOut, AwaitingReview, Approved]),
            Just(vec![Active, AwaitingReview, Rejected]),
        ]
    }

    proptest! {
        /// Duplicates, any order and losses of all but the last: the last status is known. With a poll at the end, losses of that one too.
        #[test]
        fn the_last_status_is_known_in_the_end(
            life in life(),
            gaps in proptest::collection::vec(1_i64..3_000_000, 8),
            order in proptest::collection::vec((0_usize..8, any::<bool>()), 0..30),
        ) {
            let mut at = 0;
            let webhooks: Vec<Observation> = life.iter().zip(&gaps).map(|(status, gap)| {
                at += gap;
                Observation { status: *status, at, seen: Seen::Webhook }
            }).collect();
            let last = webhooks[webhooks.len() - 1];
            let hear = |known: Option<Submission>, observation: Observation| match known {
                None => Submission::first(observation),
                Some(known) => known.after(observation).unwrap_or(known),
            };
            let mut known: Option<Submission> = None;
            for (which, is_poll) in order {
                let webhook = webhooks[which % webhooks.len()];
                known = Some(hear(known, webhook));
                if is_poll {
                    // The panel's clock in whole seconds, while that status held.
                    known = Some(hear(known, Observation { at: webhook.at / SECOND * SECOND, seen: Seen::Poll, ..webhook }));
                }
            }
            prop_assert_eq!(hear(known, last).status, last.status);
            let poll = Observation { at: (last.at / SECOND + 1) * SECOND, seen: Seen::Poll, ..last };
            prop_assert_eq!(hear(known, poll).status, last.status);
        }
    }
}
