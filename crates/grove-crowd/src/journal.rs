//! The rules of paying bonuses once.
//!
//! Asking a panel to pay is not repeatable: a second request pays a second time, and a request whose answer got lost may or may not have been carried
//! out. So every bonus is written down before anything is sent, and goes through these states:
//!
//! ```text
//! intended ──► sent ──► paid
//!    ▲          │
//!    └──────────┘  only when the panel, asked long after, shows that nothing was paid
//! ```
//!
//! *Sent* is written before the request goes out. Whatever happens then (a crash, no answer, a refusal that is not clear), a bonus that is *sent* is
//! never sent again before the panel has been asked what it has paid to that submission. Panels pay some minutes after they are asked to, so "nothing
//! yet" counts only after [`Patience`]. A submission has at most one bonus under way, so that the panel's total tells whether it was paid.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Cents;

/// The state of a bonus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BonusStatus {
    /// Decided, and nothing sent.
    Intended,
    /// About to be sent, or sent.
    Sent,
    /// Paid, as the panel has said.
    Paid,
    /// The panel refuses to pay it.
    Refused,
}

impl BonusStatus {
    /// The word in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Intended => "intended",
            Self::Sent => "sent",
            Self::Paid => "paid",
            Self::Refused => "refused",
        }
    }

    /// Reads what [`BonusStatus::as_str`] returns.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Intended, Self::Sent, Self::Paid, Self::Refused]
            .into_iter()
            .find(|status| status.as_str() == word)
    }
}

/// How long after a request the panel may still be about to pay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience(pub Duration);

impl Default for Patience {
    /// The panel says "in the following minutes".
    fn default() -> Self {
        Self(Duration::from_secs(60 * 60))
    }
}

/// What to do about a bonus that was sent and not acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resolution {
    /// It was paid.
    Paid,
    /// Ask again later.
    Wait,
    /// Nothing was paid: it is intended again.
    NotPaid,
    /// The panel has paid an amount that the journal cannot explain, so a person has to look.
    Unexplained,
}

/// Decides about a bonus that was sent some time ago, by what the panel says it has paid to the submission.
///
/// `settled` is the sum of the submission's bonuses that the journal knows to be paid, `amount` the one under way, `shown` the sum that the panel
/// shows.
#[must_use]
pub fn resolve(
    settled: Cents,
    amount: Cents,
    shown: Cents,
    since_sent: Duration,
    patience: Patience,
) -> Resolution {
    if shown == settled + amount {
        Resolution::Paid
    } else if shown != settled {
        Resolution::Unexplained
    } else if since_sent < patience.0 {
        Resolution::Wait
    } else {
        Resolution::NotPaid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_again_before_the_panel_says_so() {
        let (patience, early, late) =
            (Patience(Duration::from_secs(60)), Duration::from_secs(59), Duration::from_secs(60));
        let decide =
            |settled, shown, since| resolve(Cents(settled), Cents(50), Cents(shown), since, patience);
        assert_eq!(decide(0, 0, early), Resolution::Wait);
        assert_eq!(decide(0, 0, late), Resolution::NotPaid);
        assert_eq!(decide(0, 50, early), Resolution::Paid);
        assert_eq!(decide(50, 50, late), Resolution::NotPaid);
        assert_eq!(decide(50, 100, early), Resolution::Paid);
        // Somebody paid on the panel's own page.
        assert_eq!(decide(0, 30, late), Resolution::Unexplained);
        assert_eq!(decide(0, 100, late), Resolution::Unexplained);
    }
}
