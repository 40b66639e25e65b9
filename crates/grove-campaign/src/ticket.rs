//! Tickets: each question that is handed out carries one, and each answer brings it back.
//!
//! A ticket says that this worker was shown this screen of this campaign, with the options in this order, and until
//! when the answer is taken. It is signed with a key in the database: tickets survive restarts, and every server of a
//! database takes those of the others. A ticket reserves nothing; that is what leases are for, and leases may be
//! lost.

use std::fmt;
use std::time::Duration;

use grove_store::{CampaignId, Moment, Screen, Store, WorkerId};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Error;

/// How long an answer is taken after its question was handed out.
pub const TICKET_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// The name of the key in the database.
const KEY: &str = "tickets";
/// The prefix of everything signed as a ticket, distinct from other uses of the key.
const PURPOSE: &[u8] = b"grove ticket 1";

/// What is wrong with a ticket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TicketProblem {
    /// The answer came without a ticket.
    Missing,
    /// It is not for this worker and this screen with its options in this order.
    Wrong,
    /// It came too late.
    Expired,
}

impl fmt::Display for TicketProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "the answer has no ticket; send the ticket back that came with the question",
            Self::Wrong => {
                "the ticket is not for this question; send the question back as it came, with its ticket"
            }
            Self::Expired => "the answer came too late; ask for a question again",
        })
    }
}

/// Makes tickets and checks them.
#[derive(Clone)]
pub struct Tickets(Hmac<Sha256>);

impl fmt::Debug for Tickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tickets")
    }
}

impl Tickets {
    /// With the key of a database, which is made if there is none yet.
    pub(crate) async fn of(store: &Store) -> Result<Self, Error> {
        let mut new = [0; 32];
        getrandom::fill(&mut new).map_err(|_| Error::Gone)?;
        Ok(Self::with_key(&store.key(KEY, new).await?))
    }

    /// With a key. Whoever knows it can make tickets.
    ///
    /// # Panics
    /// Never: keys may have any length.
    #[must_use]
    pub fn with_key(key: &[u8]) -> Self {
        Self(Hmac::new_from_slice(key).expect("keys may have any length"))
    }

    /// A ticket: when it expires, in seconds, and the signature.
    #[must_use]
    pub fn issue(&self, campaign: CampaignId, worker: &WorkerId, screen: &Screen, now: Moment) -> String {
        let until = now.plus(TICKET_LIFETIME).0 / 1_000_000;
        let signature = self.signed(campaign, worker, screen, until).finalize().into_bytes();
        let signature: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{until:x}-{signature}")
    }

    /// Whether a worker was shown a screen, by the ticket that comes with the answer.
    ///
    /// # Errors
    /// What is wrong with the ticket.
    pub fn check(
        &self,
        ticket: &str,
        campaign: CampaignId,
        worker: &WorkerId,
        screen: &Screen,
        now: Moment,
    ) -> Result<(), TicketProblem> {
        if ticket.is_empty() {
            return Err(TicketProblem::Missing);
        }
        let (until, signature) = ticket.split_once('-').ok_or(TicketProblem::Wrong)?;
        let until = i64::from_str_radix(until, 16).map_err(|_| TicketProblem::Wrong)?;
        let signature = unhex(signature).ok_or(TicketProblem::Wrong)?;
        let signed = self.signed(campaign, worker, screen, until);
        signed.verify_slice(&signature).map_err(|_| TicketProblem::Wrong)?;
        if now.0 / 1_000_000 >= until { Err(TicketProblem::Expired) } else { Ok(()) }
    }

    fn signed(&self, campaign: CampaignId, worker: &WorkerId, screen: &Screen, until: i64) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(PURPOSE);
        mac.update(campaign.0.as_bytes());
        mac.update(&until.to_le_bytes());
        // The length keeps the end of a name and the beginning of a screen apart.
        mac.update(&(worker.as_str().len() as u64).to_le_bytes());
        mac.update(worker.as_str().as_bytes());
        mac.update(&serde_json::to_vec(screen).expect("screens have text keys only"));
        mac
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
    digits
        .filter(|digits| digits.len() == 64)
        .map(|digits| digits.chunks(2).map(|two| two[0] << 4 | two[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const NOW: Moment = Moment(1_800_000_000_000_000);

    #[test]
    fn a_ticket_is_for_one_worker_and_one_screen_and_some_hours() {
        let tickets = Tickets::with_key(&[1; 32]);
        let [here, there] = [1, 2].map(|id| CampaignId(Uuid::from_u128(id)));
        let [ann, bob] = ["ann", "bob"].map(|name| WorkerId::new(name).unwrap());
        let pick = |options: [u32; 2]| Screen::Pick { lower: 1, options: options.to_vec() };
        let ticket = tickets.issue(here, &ann, &pick([2, 3]), NOW);
        let check = |ticket: &str, campaign, who: &WorkerId, screen: &Screen, now| {
            tickets.check(ticket, campaign, who, screen, now)
        };
        assert_eq!(check(&ticket, here, &ann, &pick([2, 3]), NOW), Ok(()));
        assert_eq!(
            check(&ticket, here, &ann, &pick([3, 2]), NOW),
            Err(TicketProblem::Wrong),
            "another order"
        );
        assert_eq!(check(&ticket, here, &bob, &pick([2, 3]), NOW), Err(TicketProblem::Wrong));
        assert_eq!(check(&ticket, there, &ann, &pick([2, 3]), NOW), Err(TicketProblem::Wrong));
        assert_eq!(check("", here, &ann, &pick([2, 3]), NOW), Err(TicketProblem::Missing));
        let last = NOW.plus(TICKET_LIFETIME - Duration::from_secs(1));
        assert_eq!(check(&ticket, here, &ann, &pick([2, 3]), last), Ok(()));
        let late = NOW.plus(TICKET_LIFETIME);
        assert_eq!(check(&ticket, here, &ann, &pick([2, 3]), late), Err(TicketProblem::Expired));
        // Its life cannot be extended, and anything else is rejected.
        let (until, signature) = ticket.split_once('-').unwrap();
        let longer = format!("{:x}-{signature}", i64::from_str_radix(until, 16).unwrap() + 3600);
        let cut = &ticket[..ticket.len() - 2];
        for wrong in [&longer, cut, "-", "x-y", "ÿ-ÿÿ", &format!("{until}-{}", "0".repeat(64))] {
            assert_eq!(check(wrong, here, &ann, &pick([2, 3]), NOW), Err(TicketProblem::Wrong), "{wrong}");
        }
        // Another database has another key.
        let other = Tickets::with_key(&[2; 32]);
        assert_eq!(other.check(&ticket, here, &ann, &pick([2, 3]), NOW), Err(TicketProblem::Wrong));
    }
}
