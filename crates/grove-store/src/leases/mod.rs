//! Leases: which screens the workers are being shown.
//!
//! Leases are volatile. Losing one, in a crash or by expiry, costs a screen shown twice and never a vote. A late answer is recorded like
//! any other, and does not end another worker's lease.

mod service;
mod shared;
mod table;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{CampaignId, Error, Moment, Result, Screen, Store, WorkerId};
use service::Request;
pub(crate) use service::{LeaseService, LeaseStorage};
pub(crate) use shared::SharedLeases;
use table::{Availability, LeaseTable};

/// A worker's right to answer a screen for a limited time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Lease {
    /// The worker.
    pub worker: WorkerId,
    /// The screen, with its options in the order in which this worker is shown them.
    pub screen: Screen,
    /// When it began.
    pub taken: Moment,
    /// When it ends; at that moment it is no longer valid.
    pub until: Moment,
}

/// How far a lease may begin in the future: the clocks of programs differ, and requests overtake each other.
const SLACK: Duration = Duration::from_secs(60);

impl Lease {
    /// Whether it is in force. One that begins later was taken while the clock was wrong, and would be in force far too long.
    pub(crate) fn is_current(&self, now: Moment) -> bool {
        self.until > now && self.taken <= now.plus(SLACK)
    }
}

/// How many workers may be shown a screen about the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quota {
    /// The most at the same time.
    pub at_once: u32,
    /// The most in all: the sum of leases and votes that count. Only late answers can exceed it.
    pub in_all: Option<u32>,
}

impl Quota {
    /// One worker at a time, without a limit in all.
    pub const ONE_AT_A_TIME: Self = Self { at_once: 1, in_all: None };

    /// A bundle of `k` workers, who may answer at the same time.
    #[must_use]
    pub const fn bundle(k: u32) -> Self {
        Self { at_once: k, in_all: Some(k) }
    }
}

/// A worker's request for a screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeaseRequest {
    /// The worker.
    pub worker: WorkerId,
    /// The screens that can be shown, the best first.
    pub offers: Vec<Screen>,
    /// How many workers may be asked the same.
    pub quota: Quota,
    /// When the lease begins.
    pub now: Moment,
    /// When it ends.
    pub until: Moment,
}

impl LeaseRequest {
    fn lease(&self, screen: &Screen) -> Lease {
        Lease { worker: self.worker.clone(), screen: screen.clone(), taken: self.now, until: self.until }
    }
}

impl Store {
    /// Leases the first of the offers that the worker has neither answered nor leased, and whose quota is not used up. Returns `None` if
    /// there is none.
    ///
    /// # Errors
    /// [`Error::EndsBeforeItBegins`].
    pub async fn take_lease(&self, campaign: CampaignId, request: LeaseRequest) -> Result<Option<Lease>> {
        let LeaseRequest { now, until, .. } = request;
        if until <= now {
            return Err(Error::EndsBeforeItBegins { now, until });
        }
        Ok(self.0.leases.request(campaign, Request::Take(request)).await?.pop())
    }

    /// Returns all current leases of a campaign, the oldest first.
    pub async fn leases(&self, campaign: CampaignId, now: Moment) -> Result<Vec<Lease>> {
        self.list_leases(campaign, None, now).await
    }

    /// Returns the current leases of one worker, the oldest first: what to show after a reload.
    pub async fn leases_of(
        &self,
        campaign: CampaignId,
        worker: &WorkerId,
        now: Moment,
    ) -> Result<Vec<Lease>> {
        self.list_leases(campaign, Some(worker.clone()), now).await
    }

    async fn list_leases(
        &self,
        campaign: CampaignId,
        worker: Option<WorkerId>,
        now: Moment,
    ) -> Result<Vec<Lease>> {
        let mut leases = self.0.leases.request(campaign, Request::List(worker)).await?;
        leases.retain(|lease| lease.is_current(now));
        leases.sort_by_key(|lease| lease.taken);
        Ok(leases)
    }

    /// Ends a lease, so that the screen can be shown again. Returns whether there was one.
    pub async fn end_lease(&self, campaign: CampaignId, worker: &WorkerId, screen: &Screen) -> Result<bool> {
        let end = Request::End { worker: worker.clone(), screen: screen.clone() };
        Ok(!self.0.leases.request(campaign, end).await?.is_empty())
    }

    /// Ends all leases of a worker in a campaign.
    ///
    /// # Errors
    /// Errors from the database.
    pub async fn end_leases_of(&self, campaign: CampaignId, worker: &WorkerId) -> Result<()> {
        self.0.leases.request(campaign, Request::EndAllOf(worker.clone())).await.map(drop)
    }

    /// Ends all leases of a campaign.
    pub(crate) async fn end_leases(&self, campaign: CampaignId) -> Result<()> {
        self.0.leases.request(campaign, Request::EndAll).await.map(drop)
    }
}
