//! Where leases are handed out: one request after the other, so that quotas hold.
//!
//! Requests that wait are served in one go. With SQLite the books stay in memory. With PostgreSQL, which several servers may share, the campaign's book
//! is read under a lock, and what has changed is written before the lock goes: a quota is about all leases of a question, so locking rows
//! would not be enough.

use std::collections::{HashMap, VecDeque};

use tokio::sync::{mpsc, oneshot};

use super::{Book, Lease, Room, Wish};
use crate::sql::{Connection, Pool, Value, values};
use crate::{CampaignId, Error, Moment, Question, WorkerId, votes};

/// How many requests may wait; more have to wait outside.
const QUEUE: usize = 1024;
const BEGIN: &str = "BEGIN; SET LOCAL synchronous_commit = off";

/// What is wanted of the desk.
#[derive(Debug)]
pub(crate) enum Request {
    Take(Wish),
    Extend { worker: WorkerId, question: Question, now: Moment, until: Moment },
    End { worker: WorkerId, question: Question },
    EndAllOf(WorkerId),
    EndAll,
    List,
}

/// What the desk says.
#[derive(Debug)]
pub(crate) enum Reply {
    Taken(Option<Lease>),
    Done(bool),
    Leases(Vec<Lease>),
}

struct Waiting {
    campaign: CampaignId,
    request: Request,
    reply: oneshot::Sender<Result<Reply, Error>>,
}

/// The way to the desk. The desk closes when all ways to it are gone.
#[derive(Clone, Debug)]
pub(crate) struct Desk(mpsc::Sender<Waiting>);

/// Where the books are kept.
pub(crate) enum Shelf {
    Memory(HashMap<CampaignId, Book>),
    Table(Pool),
}

impl Desk {
    pub(crate) fn open(shelf: Shelf, readers: Pool) -> Self {
        let (entrance, exit) = mpsc::channel(QUEUE);
        tokio::spawn(serve(shelf, readers, exit));
        Self(entrance)
    }

    pub(crate) async fn ask(&self, campaign: CampaignId, request: Request) -> Result<Reply, Error> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Waiting { campaign, request, reply }).await.map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }
}

async fn serve(mut shelf: Shelf, readers: Pool, mut waiting: mpsc::Receiver<Waiting>) {
    let mut queue = VecDeque::new();
    loop {
        if queue.is_empty() {
            let Some(first) = waiting.recv().await else { return };
            queue.push_back(first);
        }
        while queue.len() < QUEUE
            && let Ok(next) = waiting.try_recv()
        {
            queue.push_back(next);
        }
        let Some(campaign) = queue.front().map(|first| first.campaign) else { continue };
        let (group, others): (Vec<_>, _) = queue.drain(..).partition(|next| next.campaign == campaign);
        queue = others.into();
        let (requests, replies): (Vec<_>, Vec<_>) =
            group.into_iter().map(|next| (next.request, next.reply)).unzip();
        let outcome = shelf.serve(&readers, campaign, requests).await;
        answer(replies, outcome);
    }
}

/// Nobody may be waiting for an answer any more; that is no harm.
fn answer(replies: Vec<oneshot::Sender<Result<Reply, Error>>>, outcome: Result<Vec<Reply>, Error>) {
    match outcome {
        Ok(answers) => {
            for (reply, answer) in replies.into_iter().zip(answers) {
                let _ = reply.send(Ok(answer));
            }
        }
        Err(error) => {
            for reply in replies {
                let _ = reply.send(Err(error.clone()));
            }
        }
    }
}

impl Shelf {
    async fn serve(
        &mut self,
        readers: &Pool,
        campaign: CampaignId,
        requests: Vec<Request>,
    ) -> Result<Vec<Reply>, Error> {
        match self {
            Self::Memory(books) => {
                let mut book = books.remove(&campaign).unwrap_or_default();
                let replies = fulfil(&mut book, readers, campaign, requests).await;
                if !book.is_empty() {
                    books.insert(campaign, book);
                }
                replies
            }
            Self::Table(pool) => {
                let mut db = pool.connection().await?;
                let replies = with_table(&mut db, readers, campaign, requests).await;
                if replies.is_err() && db.batch("ROLLBACK").await.is_err() {
                    db.discard();
                }
                replies
            }
        }
    }
}

async fn with_table(
    db: &mut Connection,
    readers: &Pool,
    campaign: CampaignId,
    requests: Vec<Request>,
) -> Result<Vec<Reply>, Error> {
    db.batch(BEGIN).await?;
    let (_, low) = campaign.0.as_u64_pair();
    db.execute("SELECT pg_advisory_xact_lock($1)", values![low.cast_signed()]).await?;
    let before = read(db, campaign).await?;
    let mut book = before.clone();
    let replies = fulfil(&mut book, readers, campaign, requests).await?;
    write(db, campaign, &before, &book).await?;
    db.batch("COMMIT").await?;
    Ok(replies)
}

async fn read(db: &mut Connection, campaign: CampaignId) -> Result<Book, Error> {
    let sql = "SELECT worker, kind, upper, lower, taken, until FROM leases WHERE campaign = $1";
    let mut book = Book::default();
    for row in db.rows(sql, values![campaign]).await? {
        book.enter(Lease {
            worker: WorkerId::new(row.get::<String>(0)?)?,
            question: votes::question(&row, 1)?,
            taken: Moment(row.get(4)?),
            until: Moment(row.get(5)?),
        });
    }
    Ok(book)
}

async fn write(db: &mut Connection, campaign: CampaignId, before: &Book, after: &Book) -> Result<(), Error> {
    let key = |lease: &Lease| -> Vec<Value> {
        let Question { kind, upper, lower } = lease.question;
        values![campaign, &lease.worker, kind.word(), upper, lower].to_vec()
    };
    let gone: Vec<_> = before.not_in(after).map(|lease| key(&lease)).collect();
    let delete = "DELETE FROM leases WHERE (campaign, worker, kind, upper, lower) IN (VALUES ";
    db.execute_rows(delete, ")", gone).await?;
    let come = after.not_in(before).map(|lease| {
        let mut row = key(&lease);
        row.extend(values![lease.taken, lease.until].iter().cloned());
        row
    });
    let insert = "INSERT INTO leases (campaign, worker, kind, upper, lower, taken, until) VALUES ";
    db.execute_rows(insert, "", come.collect()).await.map(drop)
}

async fn fulfil(
    book: &mut Book,
    readers: &Pool,
    campaign: CampaignId,
    requests: Vec<Request>,
) -> Result<Vec<Reply>, Error> {
    let mut db = None;
    let mut replies = Vec::with_capacity(requests.len());
    for request in requests {
        replies.push(match request {
            Request::Take(wish) => {
                let db = match &mut db {
                    Some(db) => db,
                    none => none.insert(readers.connection().await?),
                };
                Reply::Taken(take(book, db, campaign, wish).await?)
            }
            Request::Extend { worker, question, now, until } => {
                Reply::Done(book.extend(&worker, question, now, until))
            }
            Request::End { worker, question } => Reply::Done(book.strike(&worker, question)),
            Request::EndAllOf(worker) => {
                book.strike_worker(&worker);
                Reply::Done(true)
            }
            Request::EndAll => {
                book.clear();
                Reply::Done(true)
            }
            Request::List => Reply::Leases(book.leases().collect()),
        });
    }
    Ok(replies)
}

/// Leases are read first and votes second. A vote ends its lease after it is committed, so a lease that is gone has its
/// vote in sight, and no answer is missed between the two.
async fn take(
    book: &mut Book,
    db: &mut Connection,
    campaign: CampaignId,
    wish: Wish,
) -> Result<Option<Lease>, Error> {
    book.sweep(wish.now);
    for question in wish.offers {
        let room = book.room(question, &wish.worker, wish.quota);
        if room == Room::None {
            continue;
        }
        let (votes, own) = votes::count(db, campaign, question, &wish.worker).await?;
        let full = matches!(room, Room::UnlessVotes(most) if votes >= i64::from(most));
        if own == 0 && !full {
            let lease = Lease { worker: wish.worker, question, taken: wish.now, until: wish.until };
            book.enter(lease.clone());
            return Ok(Some(lease));
        }
    }
    Ok(None)
}
