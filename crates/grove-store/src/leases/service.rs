//! The task that grants leases: one request after the other, so that quotas hold.
//!
//! Requests that wait are handled together. With SQLite the leases are kept in memory. With PostgreSQL, which several servers can share,
//! they are in a table: see [`SharedLeases`].

use std::collections::HashMap;

use tokio::sync::{mpsc, oneshot};

use super::{Availability, Lease, LeaseRequest, LeaseTable, SharedLeases};
use crate::sql::{Connection, Pool};
use crate::write_queue::{MAX_QUEUED, refill};
use crate::{CampaignId, Error, Result, Screen, WorkerId, votes};

/// A request to the service. The reply is a list of leases.
#[derive(Debug)]
pub(crate) enum Request {
    /// Replies with the new lease, if any.
    Take(LeaseRequest),
    /// Replies with the lease that has ended, if any.
    End {
        worker: WorkerId,
        screen: Screen,
    },
    EndAllOf(WorkerId),
    EndAll,
    /// Replies with the leases of one worker, or of all.
    List(Option<WorkerId>),
}

type Reply = Result<Vec<Lease>>;

struct Job {
    campaign: CampaignId,
    request: Request,
    reply: oneshot::Sender<Reply>,
}

/// Sends requests to the task, which ends when all senders are gone.
#[derive(Clone, Debug)]
pub(crate) struct LeaseService(mpsc::Sender<Job>);

/// Where the leases are.
pub(crate) enum LeaseStorage {
    /// In memory; the votes are read from this pool.
    Memory(HashMap<CampaignId, LeaseTable>, Pool),
    Shared(SharedLeases),
}

impl LeaseService {
    pub(crate) fn start(storage: LeaseStorage) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED);
        tokio::spawn(run(storage, receiver));
        Self(sender)
    }

    pub(crate) async fn request(&self, campaign: CampaignId, request: Request) -> Reply {
        let (reply, receiver) = oneshot::channel();
        self.0.send(Job { campaign, request, reply }).await.map_err(|_| Error::Closed)?;
        receiver.await.map_err(|_| Error::Closed)?
    }
}

async fn run(mut storage: LeaseStorage, mut receiver: mpsc::Receiver<Job>) {
    let mut backlog = Vec::new();
    while refill(&mut backlog, &mut receiver).await {
        let campaign = backlog[0].campaign;
        let group = backlog.extract_if(.., |job| job.campaign == campaign);
        let (requests, replies): (Vec<_>, Vec<_>) = group.map(|job| (job.request, job.reply)).unzip();
        let results: Vec<Reply> = match storage.handle(campaign, &requests).await {
            Ok(leases) => leases.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error); replies.len()],
        };
        for (reply, result) in replies.into_iter().zip(results) {
            // The caller may have stopped waiting.
            let _ = reply.send(result);
        }
    }
}

impl LeaseStorage {
    async fn handle(&mut self, campaign: CampaignId, requests: &[Request]) -> Result<Vec<Vec<Lease>>> {
        match self {
            Self::Memory(tables, readers) => {
                let mut table = tables.get(&campaign).cloned().unwrap_or_default();
                let mut db = match requests.iter().any(|request| matches!(request, Request::Take(_))) {
                    true => Some(readers.connection().await?),
                    false => None,
                };
                let replies = handle(&mut table, db.as_mut(), campaign, requests).await?;
                if table.is_empty() {
                    tables.remove(&campaign);
                } else {
                    tables.insert(campaign, table);
                }
                Ok(replies)
            }
            Self::Shared(leases) => leases.handle(campaign, requests).await,
        }
    }
}

/// Applies requests to a table; new leases need a connection. Concurrent requests may be reordered: new leases come last, together, when
/// all that is to end has ended.
pub(super) async fn handle(
    table: &mut LeaseTable,
    db: Option<&mut Connection>,
    campaign: CampaignId,
    requests: &[Request],
) -> Result<Vec<Vec<Lease>>> {
    let mut replies: Vec<_> = requests.iter().map(|request| apply(table, request)).collect();
    let (takers, wanted): (Vec<_>, Vec<_>) = (replies.iter_mut().zip(requests))
        .filter_map(|(reply, request)| match request {
            Request::Take(wanted) => Some((reply, wanted)),
            _ => None,
        })
        .unzip();
    if let Some(db) = db {
        for (reply, lease) in takers.into_iter().zip(take_all(table, db, campaign, &wanted).await?) {
            reply.extend(lease);
        }
    }
    Ok(replies)
}

/// Applies all requests but those for new leases, which depend on the votes.
fn apply(table: &mut LeaseTable, request: &Request) -> Vec<Lease> {
    match request {
        Request::Take(_) => Vec::new(),
        Request::End { worker, screen } => table.remove(worker, screen).into_iter().collect(),
        Request::EndAllOf(worker) => {
            table.retain(|lease| lease.worker != *worker);
            Vec::new()
        }
        Request::EndAll => {
            *table = LeaseTable::default();
            Vec::new()
        }
        Request::List(worker) => {
            let wanted = |lease: &&Lease| worker.as_ref().is_none_or(|worker| lease.worker == *worker);
            table.iter().filter(wanted).cloned().collect()
        }
    }
}

/// Leases are read before votes. A vote ends its lease after it is committed, so the vote of a lease that is gone is visible, and no answer
/// is missed between the two.
async fn take_all(
    table: &mut LeaseTable,
    db: &mut Connection,
    campaign: CampaignId,
    requests: &[&LeaseRequest],
) -> Result<Vec<Option<Lease>>> {
    for request in requests {
        table.retain(|lease| lease.is_current(request.now));
    }
    let mut counts = Counts { db, campaign, counted: HashMap::new() };
    counts.read(&likely(table.clone(), requests)).await?;
    let mut leases = Vec::with_capacity(requests.len());
    for request in requests {
        leases.push(take(table, request, &mut counts).await?);
    }
    Ok(leases)
}

/// Returns what each worker will get unless the votes prevent it, so that one statement can count the votes for all of them.
fn likely<'r>(mut table: LeaseTable, requests: &[&'r LeaseRequest]) -> Vec<(&'r WorkerId, &'r Screen)> {
    let mut likely = Vec::new();
    for &request in requests {
        let LeaseRequest { worker, offers, quota, .. } = request;
        let is_free = |offer: &&Screen| table.availability(offer, worker, *quota) != Availability::Taken;
        if let Some(screen) = offers.iter().find(is_free) {
            table.insert(request.lease(screen));
            likely.push((worker, screen));
        }
    }
    likely
}

/// How many votes on a screen count, and how many of them are the worker's, for the pairs counted so far.
struct Counts<'r, 'c> {
    db: &'c mut Connection,
    campaign: CampaignId,
    counted: HashMap<(&'r WorkerId, &'r Screen), (u32, u32)>,
}

impl<'r> Counts<'r, '_> {
    async fn read(&mut self, pairs: &[(&'r WorkerId, &'r Screen)]) -> Result<()> {
        let counted = votes::count(self.db, self.campaign, pairs).await?;
        self.counted.extend(pairs.iter().copied().zip(counted));
        Ok(())
    }

    async fn get(&mut self, pair: (&'r WorkerId, &'r Screen)) -> Result<(u32, u32)> {
        if !self.counted.contains_key(&pair) {
            self.read(&[pair]).await?;
        }
        self.counted.get(&pair).copied().ok_or_else(|| Error::damaged("votes cannot be counted"))
    }
}

async fn take<'r>(
    table: &mut LeaseTable,
    request: &'r LeaseRequest,
    counts: &mut Counts<'r, '_>,
) -> Result<Option<Lease>> {
    for screen in &request.offers {
        let availability = table.availability(screen, &request.worker, request.quota);
        if availability == Availability::Taken {
            continue;
        }
        let (votes, own) = counts.get((&request.worker, screen)).await?;
        let is_full = matches!(availability, Availability::BelowVotes(limit) if votes >= limit);
        if own == 0 && !is_full {
            let lease = request.lease(screen);
            table.insert(lease.clone());
            return Ok(Some(lease));
        }
    }
    Ok(None)
}
