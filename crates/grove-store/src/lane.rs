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

use crate::Error;
use crate::sql::{Connection, Pool};

/// More requests than this do not share a transaction, so that nobody waits long for a crowd.
const LARGEST_GROUP: usize = 256;
/// How many requests may wait; more have to wait outside.
const QUEUE: usize = 1024;

/// A future that borrows the connection.
pub(crate) type Work<'c, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'c>>;

/// How a lane's transactions begin, and who may share one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The statements that begin a transaction.
    pub(crate) begin: &'static str,
    /// Only requests with the same key share a transaction. PostgreSQL locks the row of each campaign it writes to: groups of one
    /// campaign each cannot deadlock with those of another server.
    pub(crate) one_key_each: bool,
}

/// The entrance of a lane. The lane ends when all its entrances are gone and what waits is done.
#[derive(Clone, Debug)]
pub(crate) struct Lane(mpsc::Sender<Box<dyn Job>>);

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
        self.0.send(Box::new(request)).await.map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }
}

struct Request<T, F> {
    key: Uuid,
    work: Option<F>,
    outcome: Option<Result<T, Error>>,
    reply: oneshot::Sender<Result<T, Error>>,
}

/// A request, whatever it returns.
trait Job: Send {
    fn key(&self) -> Uuid;
    /// Does the work and keeps its outcome for later; only whether it may stay is told.
    fn run<'c>(&'c mut self, db: &'c mut Connection) -> Work<'c, ()>;
    /// Answers. Where the group failed, even a refusal is void: it may rest on what another of the group had written.
    fn answer(self: Box<Self>, group: Result<(), Error>);
}

impl<T, F> Job for Request<T, F>
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

async fn run(pool: Pool, manner: Manner, mut waiting: mpsc::Receiver<Box<dyn Job>>) {
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
        for job in group {
            job.answer(outcome.clone());
        }
    }
}

/// Takes the requests of the next transaction, in the order in which they came.
fn next_group(backlog: &mut VecDeque<Box<dyn Job>>, manner: Manner) -> Vec<Box<dyn Job>> {
    let mut group: Vec<Box<dyn Job>> = Vec::new();
    let mut others = VecDeque::new();
    for job in backlog.drain(..) {
        let fits = !manner.one_key_each || group.first().is_none_or(|first| first.key() == job.key());
        if fits && group.len() < LARGEST_GROUP {
            group.push(job);
        } else {
            others.push_back(job);
        }
    }
    *backlog = others;
    group
}

async fn commit(pool: &Pool, manner: Manner, group: &mut [Box<dyn Job>]) -> Result<(), Error> {
    let mut db = pool.connection().await?;
    let outcome = transaction(&mut db, manner, group).await;
    // A connection whose transaction is in doubt is not used again.
    if outcome.is_err() && db.batch("ROLLBACK").await.is_err() {
        db.discard();
    }
    outcome
}

async fn transaction(db: &mut Connection, manner: Manner, group: &mut [Box<dyn Job>]) -> Result<(), Error> {
    db.batch(manner.begin).await?;
    for job in group {
        db.batch("SAVEPOINT request").await?;
        match job.run(db).await {
            Ok(()) => db.batch("RELEASE request").await?,
            Err(error) if error.spoils_all() => return Err(error),
            Err(_) => db.batch("ROLLBACK TO request; RELEASE request").await?,
        }
    }
    db.batch("COMMIT").await
}
