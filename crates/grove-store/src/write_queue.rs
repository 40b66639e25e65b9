//! A queue of writes to one connection: requests that wait are committed together.
//!
//! A commit costs a flush to disk, whatever it holds, so all requests that arrive while one transaction is running share the next. Each runs
//! in its own savepoint: a refused request leaves no trace and does not affect the others. Nobody gets a reply before the commit.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::sql::{Connection, Pool};
use crate::vote_batch::{self, PendingVote};
use crate::{Admission, CampaignId, Error, Health, Moment, Receipt, Result, SubmittedVote};

/// The most requests in one transaction, so that nobody waits long for others.
const MAX_GROUP: usize = 256;
/// The most requests in a queue; further callers wait until there is room.
pub(crate) const MAX_QUEUED: usize = 1024;

/// Releases a request's savepoint and sets the next one's.
pub(crate) const KEEP: &str = "RELEASE request; SAVEPOINT request";
/// Undoes a request and leaves a savepoint for the next.
pub(crate) const UNDO: &str = "ROLLBACK TO request";

/// A future that borrows the connection.
pub(crate) type Work<'c, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'c>>;

/// Runs a block in a transaction and waits for its commit: `transaction!(store, key, |db| { ... })`. Writes with the same key, the id of
/// a campaign, share transactions.
///
/// A macro, since no bound on an async closure can say that its future is `Send`.
macro_rules! transaction {
    ($store:expr, $key:expr, |$db:ident| $body:block) => {
        {
            let key = $key;
            $store.write_queue(key).write(key, move |$db| Box::pin(async move $body)).await
        }
    };
}
pub(crate) use transaction;

/// The sending end of a queue. The queue ends when all its senders are gone and all waiting requests are done.
#[derive(Clone, Debug)]
pub(crate) struct WriteQueue {
    sender: mpsc::Sender<Job>,
    failed: Arc<AtomicU64>,
}

impl WriteQueue {
    pub(crate) fn start(pool: Pool) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED);
        let failed = Arc::<AtomicU64>::default();
        tokio::spawn(run(pool, receiver, failed.clone()));
        Self { sender, failed }
    }

    pub(crate) fn health(&self) -> Health {
        let queued = self.sender.max_capacity() - self.sender.capacity();
        Health { queued, failed: self.failed.load(Ordering::Relaxed) }
    }

    /// Runs `work` in a transaction and waits for its commit. The work is done even if the caller stops waiting.
    pub(crate) async fn write<T, F>(&self, key: Uuid, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Connection) -> Work<'c, T> + Send + 'static,
    {
        self.submit(key, |caller| Request::Task(Box::new(Writing { work: Some(work), caller }))).await
    }

    /// Records a vote and waits for its commit.
    pub(crate) async fn write_vote(
        &self,
        campaign: CampaignId,
        at: Moment,
        submitted: SubmittedVote,
        admission: Admission,
    ) -> Result<Receipt> {
        let vote =
            |caller| Request::Vote(Box::new(PendingVote { campaign, at, submitted, admission, caller }));
        self.submit(campaign.0, vote).await
    }

    async fn submit<T>(&self, key: Uuid, request: impl FnOnce(Caller<T>) -> Request) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        let job = Job { key, request: request(Caller { result: None, sender }) };
        self.sender.send(job).await.map_err(|_| Error::Closed)?;
        receiver.await.map_err(|_| Error::Closed)?
    }
}

struct Job {
    key: Uuid,
    request: Request,
}

enum Request {
    Vote(Box<PendingVote>),
    Task(Box<dyn Task>),
}

/// Whoever waits for the result of a request.
pub(crate) struct Caller<T> {
    pub(crate) result: Option<Result<T>>,
    sender: oneshot::Sender<Result<T>>,
}

impl<T> Caller<T> {
    /// Sends the result. If the transaction failed, even a refusal is void: it may rest on what another request had written.
    pub(crate) fn reply(self, committed: Result<()>) {
        let result = committed.and_then(|()| self.result.unwrap_or(Err(Error::Closed)));
        // The caller may have stopped waiting.
        let _ = self.sender.send(result);
    }
}

/// A write other than of a vote, whatever it returns.
trait Task: Send {
    /// Does the work and keeps its result for the reply; returns only whether it succeeded.
    fn run<'c>(&'c mut self, db: &'c mut Connection) -> Work<'c, ()>;
    fn reply(self: Box<Self>, committed: Result<()>);
}

struct Writing<T, F> {
    work: Option<F>,
    caller: Caller<T>,
}

impl<T, F> Task for Writing<T, F>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut Connection) -> Work<'c, T> + Send,
{
    fn run<'c>(&'c mut self, db: &'c mut Connection) -> Work<'c, ()> {
        Box::pin(async move {
            let Some(work) = self.work.take() else { return Ok(()) };
            let result = work(db).await;
            self.caller.result.insert(result).as_ref().map(drop).map_err(Clone::clone)
        })
    }

    fn reply(self: Box<Self>, committed: Result<()>) {
        self.caller.reply(committed);
    }
}

/// The requests of one transaction.
#[derive(Default)]
struct Group {
    votes: Vec<PendingVote>,
    tasks: Vec<Box<dyn Task>>,
}

async fn run(pool: Pool, mut receiver: mpsc::Receiver<Job>, failed: Arc<AtomicU64>) {
    let mut backlog = Vec::new();
    while refill(&mut backlog, &mut receiver).await {
        // PostgreSQL locks the row of each campaign that it writes to: transactions of one campaign each cannot deadlock with those
        // of another server.
        let mut group = next_group(&mut backlog, matches!(pool, Pool::Postgres(..)));
        let committed = commit(&pool, &mut group).await;
        if committed.is_err() {
            failed.fetch_add(1, Ordering::Relaxed);
        }
        for vote in group.votes {
            vote.caller.reply(committed.clone());
        }
        for task in group.tasks {
            task.reply(committed.clone());
        }
    }
}

/// Waits for a request unless there is a backlog, then takes all that have arrived. Returns false once all senders are gone.
pub(crate) async fn refill<T>(backlog: &mut Vec<T>, receiver: &mut mpsc::Receiver<T>) -> bool {
    if backlog.is_empty() && receiver.recv_many(backlog, MAX_QUEUED).await == 0 {
        return false;
    }
    while backlog.len() < MAX_QUEUED
        && let Ok(next) = receiver.try_recv()
    {
        backlog.push(next);
    }
    true
}

/// Takes the requests of the next transaction. All of them are waiting at the same time, so their order is free.
fn next_group(backlog: &mut Vec<Job>, one_key: bool) -> Group {
    let mut group = Group::default();
    let first = backlog.first().map(|job| job.key);
    for job in backlog.extract_if(.., |job| !one_key || Some(job.key) == first).take(MAX_GROUP) {
        match job.request {
            Request::Vote(vote) => group.votes.push(*vote),
            Request::Task(task) => group.tasks.push(task),
        }
    }
    group.votes.sort_by_key(|vote| vote.campaign);
    group
}

async fn commit(pool: &Pool, group: &mut Group) -> Result<()> {
    let mut db = begin(pool).await?;
    let outcome = run_group(&mut db, group).await;
    // A connection whose transaction is in doubt is not used again, nor one to a database that has become read-only: after a
    // failover the address leads to another one.
    if let Err(error) = &outcome
        && (db.batch("ROLLBACK").await.is_err() || matches!(error, Error::ReadOnly))
    {
        db.discard();
    }
    outcome
}

/// The longest time in which a healthy database begins a transaction.
const BEGIN: Duration = Duration::from_secs(2);

/// Begins a transaction. The queue's only connection may have died since it was last used; then it is replaced.
async fn begin(pool: &Pool) -> Result<Connection> {
    let mut db = pool.connection().await?;
    let limit = db.set_limit(BEGIN);
    // In SQLite the lock is taken at once: a transaction that begins by reading cannot wait for it later.
    let begin = db.either("BEGIN IMMEDIATE; SAVEPOINT request", "BEGIN; SAVEPOINT request");
    match db.batch(begin).await {
        Err(Error::Unreachable(_)) => {
            db.discard();
            let mut db = pool.connection().await?;
            db.batch(begin).await.map(|()| db)
        }
        begun => begun.map(|()| {
            db.set_limit(limit);
            db
        }),
    }
}

async fn run_group(db: &mut Connection, group: &mut Group) -> Result<()> {
    for votes in group.votes.chunk_by_mut(|one, other| one.campaign == other.campaign) {
        vote_batch::write(db, votes).await?;
    }
    for task in &mut group.tasks {
        match task.run(db).await {
            Ok(()) => db.batch(KEEP).await?,
            Err(error) if error.fails_transaction() => return Err(error),
            Err(_) => db.batch(UNDO).await?,
        }
    }
    db.batch("COMMIT").await
}
