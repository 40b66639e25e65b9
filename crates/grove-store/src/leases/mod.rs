//! Leases: who is being asked what.
//!
//! They are volatile. A lease that is lost, in a crash or by expiry, costs a question asked twice and never a vote. A late answer is an
//! answer: it is recorded like any other, and ends nobody else's lease.

mod book;
mod desk;
mod table;

use crate::{CampaignId, Error, Moment, Question, Store, WorkerId};
use book::{Book, Room};
pub(crate) use desk::{Desk, Shelf};
use desk::{Reply, Request};
pub(crate) use table::Table;

/// The right to answer a question, for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    /// Who may answer.
    pub worker: WorkerId,
    /// What.
    pub question: Question,
    /// Since when.
    pub taken: Moment,
    /// Until when; at that very moment it has ended.
    pub until: Moment,
}

/// How many workers may be asked the same question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quota {
    /// How many at the same time.
    pub at_once: u32,
    /// How many in all: leases and votes that count together. Only late answers can take the votes past it.
    pub in_all: Option<u32>,
}

impl Quota {
    /// One worker at a time, however often.
    pub const ONE_AT_A_TIME: Self = Self { at_once: 1, in_all: None };

    /// A bundle of `k` workers, who may answer at the same time.
    #[must_use]
    pub const fn bundle(k: u32) -> Self {
        Self { at_once: k, in_all: Some(k) }
    }
}

/// A worker's wish for a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wish {
    /// Who asks.
    pub worker: WorkerId,
    /// What could be asked, the best first.
    pub offers: Vec<Question>,
    /// How many may be asked the same.
    pub quota: Quota,
    /// When the lease begins.
    pub now: Moment,
    /// When it ends.
    pub until: Moment,
}

impl Wish {
    fn lease(&self, question: Question) -> Lease {
        Lease { worker: self.worker.clone(), question, taken: self.now, until: self.until }
    }
}

impl Store {
    /// Leases the first of the offers that the worker has neither answered nor leased, and whose quota is not full. `None` if there
    /// is no such.
    ///
    /// # Errors
    /// [`Error::EndsBeforeItBegins`].
    pub async fn take_lease(&self, campaign: CampaignId, wish: Wish) -> Result<Option<Lease>, Error> {
        check_term(wish.now, wish.until)?;
        match self.desk().ask(campaign, Request::Take(wish)).await? {
            Reply::Taken(lease) => Ok(lease),
            _ => Err(Error::Closed),
        }
    }

    /// All leases of a campaign that have not ended, the oldest first.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn leases(&self, campaign: CampaignId, now: Moment) -> Result<Vec<Lease>, Error> {
        self.listed(campaign, Request::List, now).await
    }

    /// The leases of one worker that have not ended, the oldest first: what to show after a reload.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn leases_of(
        &self,
        campaign: CampaignId,
        worker: &WorkerId,
        now: Moment,
    ) -> Result<Vec<Lease>, Error> {
        self.listed(campaign, Request::ListOf(worker.clone()), now).await
    }

    async fn listed(&self, campaign: CampaignId, list: Request, now: Moment) -> Result<Vec<Lease>, Error> {
        let Reply::Leases(mut leases) = self.desk().ask(campaign, list).await? else {
            return Err(Error::Closed);
        };
        leases.retain(|lease| lease.until > now);
        leases.sort_by_key(|lease| lease.taken);
        Ok(leases)
    }

    /// Lets a lease that has not ended last until another moment; whether there was one.
    ///
    /// # Errors
    /// [`Error::EndsBeforeItBegins`].
    pub async fn extend_lease(
        &self,
        campaign: CampaignId,
        worker: &WorkerId,
        question: Question,
        now: Moment,
        until: Moment,
    ) -> Result<bool, Error> {
        check_term(now, until)?;
        self.tell_desk(campaign, Request::Extend { worker: worker.clone(), question, now, until }).await
    }

    /// Ends a lease, so that the question is free again; whether there was one.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn end_lease(
        &self,
        campaign: CampaignId,
        worker: &WorkerId,
        question: Question,
    ) -> Result<bool, Error> {
        self.tell_desk(campaign, Request::End { worker: worker.clone(), question }).await
    }

    /// Ends all leases of a worker in a campaign.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn end_leases_of(&self, campaign: CampaignId, worker: &WorkerId) -> Result<(), Error> {
        self.tell_desk(campaign, Request::EndAllOf(worker.clone())).await.map(drop)
    }

    /// Ends all leases of a campaign.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn end_leases(&self, campaign: CampaignId) -> Result<(), Error> {
        self.tell_desk(campaign, Request::EndAll).await.map(drop)
    }

    async fn tell_desk(&self, campaign: CampaignId, request: Request) -> Result<bool, Error> {
        match self.desk().ask(campaign, request).await? {
            Reply::Done(done) => Ok(done),
            _ => Err(Error::Closed),
        }
    }
}

fn check_term(now: Moment, until: Moment) -> Result<(), Error> {
    if until > now { Ok(()) } else { Err(Error::EndsBeforeItBegins { now, until }) }
}
