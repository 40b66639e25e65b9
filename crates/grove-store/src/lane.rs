//! One lane of writes: whoever waits is put into one transaction.
//!
//! A commit costs a flush to disk, whatever it holds, so requests that arrive while one is running are committed
//! together. Each runs in its own savepoint: a refused one leaves no trace and does not spoil the others. Nobody is answered
//! before the commit.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;

use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::casts::{self, Cast};
use crate::sql::{Connection, Pool};
use crate::{CampaignId, Error, Moment, Receipt, SubmittedVote};

/// More requests than this do not share a transaction, so that nobody waits long for a crowd.
const LARGEST_GROUP: usize = 256;
/// How many requests may wait; more have to wait outside.
const QUEUE: usize = 1024;

/// A future that borrows the connection.
pub(crate) type Work<'c, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'c>>;

/// Ends a request's savepoint and begins the next one's.
pub(crate) const NEXT: &str = "RELEASE request; SAVEPOINT request";
/// Leaves no trace of a request, and a savepoint for the next.
pub(crate) const UNDO: &str = "ROLLBACK TO request";

/// How a lane's transactions begin, and who may share one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The statements that begin a transaction and its first savepoint.
    pub(crate) begin: &'static str,
    /// Only requests with the same key share a transaction. PostgreSQL locks the row of each campaign it writes to: groups of one
    /// campaign each cannot deadlock with those of another server.
    pub(crate) one_key_each: bool,
}

/// The entrance of a lane. The lane ends when all its entrances are gone and what waits is done.
#[derive(Clone, Debug)]
pub(crate) struct Lane(mpsc::Sender<Job>);

impl Lane {
    pub(crate) fn start(pool: Pool, manner: Manner) -> Self {
        let (entrance, exit) = mpsc::channel(QUEUE);
        tokio::spawn(run(pool, manner, exit));
        Self(entrance)
    }

    /// Runs `work` in a transaction and waits for its commit. If the caller stops waiting, the work is done all the same.
    pub(crate) async fn write<T, F>(&self, key: Uuid, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Connection) -> Work<'c, T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let request = Request { key, work: Some(work), outcome: None, reply };
        self.0.send(Job::Other(Box::new(request))).await.map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Records a vote and waits for its commit.
    pub(crate) async fn write_vote(
        &self,
        campaign: CampaignId,
        at: Moment,
        vote: SubmittedVote,
    ) -> Result<Receipt, Error> {
        let (cast, answer) = Cast::new(campaign, at, vote);
        self.0.send(Job::Cast(cast)).await.map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }
}

/// What waits in a lane.
enum Job {
    Cast(Cast),
    Other(Box<dyn Task>),
}

impl Job {
    fn key(&self) -> Uuid {
        match self {
            Self::Cast(cast) => cast.campaign.0,
            Self::Other(task) => task.key(),
        }
    }
}

struct Request<T, F> {
    key: Uuid,
    work: Option<F>,
    outcome: Option<Result<T, Error>>,
    reply: oneshot::Sender<Result<T, Error>>,
}

/// A request, whatever it returns.
trait Task: Send {
    fn key(&self) -> Uuid;
    /// Does the work and keeps its outcome for later; only whether it may stay is told.
    fn run<'c>(&'c mut self, db: &'c mut Connection) -> Work<'c, ()>;
    /// Answers. Where the group failed, even a refusal is void: it may rest on what another of the group had written.
    fn answer(self: Box<Self>, group: Result<(), Error>);
}

impl<T, F> Task for Request<T, F>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut Connection) -> Work<'c, T> + Send,
{
    fn key(&self) -> Uuid {
        self.key
    }

    fn run<'c>(&'c mut self, db: &'c mut Connection) -> Work<'c, ()> {
        Box::pin(async move {
            let Some(work) = self.work.take() else { return Ok(()) };
            let outcome = work(db).await;
            let stays = outcome.as_ref().map(drop).map_err(Clone::clone);
            self.outcome = Some(outcome);
            stays
        })
    }

    fn answer(self: Box<Self>, group: Result<(), Error>) {
        let answer = match (group, self.outcome) {
            (Ok(()), Some(outcome)) => outcome,
            (Err(error), _) => Err(error),
            (Ok(()), None) => Err(Error::Closed),
        };
        // Nobody may be waiting any more.
        let _ = self.reply.send(answer);
    }
}

/// What shares a transaction.
#[derive(Default)]
struct Group {
    casts: Vec<Cast>,
    tasks: Vec<Box<dyn Task>>,
}

async fn run(pool: Pool, manner: Manner, mut waiting: mpsc::Receiver<Job>) {
    let mut backlog = VecDeque::new();
    loop {
        if backlog.is_empty() {
            let Some(job) = waiting.recv().await else { return };
            backlog.push_back(job);
        }
        while backlog.len() < QUEUE
            && let Ok(job) = waiting.try_recv()
        {
            backlog.push_back(job);
        }
        let mut group = next_group(&mut backlog, manner);
        let outcome = commit(&pool, manner, &mut group).await;
        for cast in group.casts {
            cast.answer(outcome.clone());
        }
        for task in group.tasks {
            task.answer(outcome.clone());
        }
    }
}

/// Takes the requests of the next transaction. All of them are waiting at the same time, so none can mind being served after another.
fn next_group(backlog: &mut VecDeque<Job>, manner: Manner) -> Group {
    let mut group = Group::default();
    let mut others = VecDeque::new();
    let first = backlog.front().map(Job::key);
    for job in backlog.drain(..) {
        let fits = !manner.one_key_each || first == Some(job.key());
        if !fits || group.casts.len() + group.tasks.len() == LARGEST_GROUP {
            others.push_back(job);
            continue;
        }
        match job {
            Job::Cast(cast) => group.casts.push(cast),
            Job::Other(task) => group.tasks.push(task),
        }
    }
    *backlog = others;
    group.casts.sort_by_key(|cast| cast.campaign);
    group
}

async fn commit(pool: &Pool, manner: Manner, group: &mut Group) -> Result<(), Error> {
    let mut db = begin(pool, manner).await?;
    let outcome = transaction(&mut db, group).await;
    // A connection whose transaction is in doubt is not used again.
    if outcome.is_err() && db.batch("ROLLBACK").await.is_err() {
        db.discard();
    }
    outcome
}

/// A connection in a transaction. A lane's only connection may have died since it was used last; then there is another.
async fn begin(pool: &Pool, manner: Manner) -> Result<Connection, Error> {
    let mut db = pool.connection().await?;
    match db.batch(manner.begin).await {
        Err(Error::Unreachable(_)) => {
            db.discard();
            let mut db = pool.connection().await?;
            db.batch(manner.begin).await.map(|()| db)
        }
        begun => begun.map(|()| db),
    }
}

async fn transaction(db: &mut Connection, group: &mut Group) -> Result<(), Error> {
    for casts in group.casts.chunk_by_mut(|one, other| one.campaign == other.campaign) {
        casts::write(db, casts).await?;
    }
    for task in &mut group.tasks {
        match task.run(db).await {
            Ok(()) => db.batch(NEXT).await?,
            Err(error) if error.spoils_all() => return Err(error),
            Err(_) => db.batch(UNDO).await?,
        }
    }
    db.batch("COMMIT").await
}
