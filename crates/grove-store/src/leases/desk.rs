//! Where leases are handed out: one request after the other, so that quotas hold.
//!
//! Requests that wait are served in one go. With SQLite the books stay in memory. With PostgreSQL, which several servers may share, they
//! are rows of a table: see [`Table`].

use std::collections::{HashMap, VecDeque};

use tokio::sync::{mpsc, oneshot};

use super::{Book, Lease, Room, Table, Wish};
use crate::sql::{Connection, Pool};
use crate::{CampaignId, Error, Moment, Question, WorkerId, votes};

/// How many requests may wait; more have to wait outside.
const QUEUE: usize = 1024;

/// What is wanted of the desk.
#[derive(Debug)]
pub(crate) enum Request {
    Take(Wish),
    Extend { worker: WorkerId, question: Question, now: Moment, until: Moment },
    End { worker: WorkerId, question: Question },
    EndAllOf(WorkerId),
    EndAll,
    List,
    ListOf(WorkerId),
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
    /// In memory; votes are read by these connections.
    Memory(HashMap<CampaignId, Book>, Pool),
    Table(Table),
}

impl Desk {
    pub(crate) fn open(shelf: Shelf) -> Self {
        let (entrance, exit) = mpsc::channel(QUEUE);
        tokio::spawn(serve(shelf, exit));
        Self(entrance)
    }

    pub(crate) async fn ask(&self, campaign: CampaignId, request: Request) -> Result<Reply, Error> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Waiting { campaign, request, reply }).await.map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }
}

async fn serve(mut shelf: Shelf, mut waiting: mpsc::Receiver<Waiting>) {
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
        let outcome = shelf.serve(campaign, &requests).await;
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
    async fn serve(&mut self, campaign: CampaignId, requests: &[Request]) -> Result<Vec<Reply>, Error> {
        match self {
            Self::Memory(books, readers) => {
                let mut book = books.get(&campaign).cloned().unwrap_or_default();
                let mut db = match requests.iter().any(|request| request.wish().is_some()) {
                    true => Some(readers.connection().await?),
                    false => None,
                };
                let replies = fulfil(&mut book, db.as_mut(), campaign, requests).await?;
                if book.is_empty() {
                    books.remove(&campaign);
                } else {
                    books.insert(campaign, book);
                }
                Ok(replies)
            }
            Self::Table(table) => table.serve(campaign, requests).await,
        }
    }
}

/// Does in the book what is wanted; wishes need a connection. Nobody who waits can mind being served after another, so wishes come last, together, when all that ends has ended.
pub(super) async fn fulfil(
    book: &mut Book,
    db: Option<&mut Connection>,
    campaign: CampaignId,
    requests: &[Request],
) -> Result<Vec<Reply>, Error> {
    let replies: Vec<Option<Reply>> = requests.iter().map(|request| reply(book, request)).collect();
    let wishes: Vec<&Wish> = requests.iter().filter_map(Request::wish).collect();
    let mut leases = match db {
        Some(db) => take_all(book, db, campaign, &wishes).await?,
        None => Vec::new(),
    }
    .into_iter();
    let mut taken = || Reply::Taken(leases.next().flatten());
    Ok(replies.into_iter().map(|reply| reply.unwrap_or_else(&mut taken)).collect())
}

impl Request {
    fn wish(&self) -> Option<&Wish> {
        match self {
            Self::Take(wish) => Some(wish),
            _ => None,
        }
    }
}

/// The reply to all but wishes, for which one has to know the votes.
fn reply(book: &mut Book, request: &Request) -> Option<Reply> {
    Some(match request {
        Request::Take(_) => return None,
        Request::Extend { worker, question, now, until } => {
            Reply::Done(book.extend(worker, *question, *now, *until))
        }
        Request::End { worker, question } => Reply::Done(book.strike(worker, *question)),
        Request::EndAllOf(worker) => {
            book.strike_worker(worker);
            Reply::Done(true)
        }
        Request::EndAll => {
            book.clear();
            Reply::Done(true)
        }
        Request::List => Reply::Leases(book.leases().collect()),
        Request::ListOf(worker) => Reply::Leases(book.leases_of(worker)),
    })
}

/// Leases are read first and votes second. A vote ends its lease after it is committed, so a lease that is gone has its
/// vote in sight, and no answer is missed between the two.
async fn take_all(
    book: &mut Book,
    db: &mut Connection,
    campaign: CampaignId,
    wishes: &[&Wish],
) -> Result<Vec<Option<Lease>>, Error> {
    for wish in wishes {
        book.sweep(wish.now);
    }
    let mut counts = Counts::default();
    counts.ask(db, campaign, &likely(book, wishes)).await?;
    let mut leases = Vec::with_capacity(wishes.len());
    for wish in wishes {
        leases.push(take(book, db, campaign, wish, &mut counts).await?);
    }
    Ok(leases)
}

/// What each will get, if the votes are not against it: so that these can be counted by one statement.
fn likely<'w>(book: &Book, wishes: &[&'w Wish]) -> Vec<(&'w WorkerId, Question)> {
    let mut book = book.clone();
    let mut likely = Vec::new();
    for wish in wishes {
        let mut offers = wish.offers.iter().copied();
        if let Some(question) = offers.find(|offer| book.room(*offer, &wish.worker, wish.quota) != Room::None)
        {
            book.enter(wish.lease(question));
            likely.push((&wish.worker, question));
        }
    }
    likely
}

/// How many votes on a question count, and how many of them are the worker's, as far as they have been counted.
#[derive(Default)]
struct Counts<'w>(HashMap<(&'w WorkerId, Question), (u32, u32)>);

impl<'w> Counts<'w> {
    async fn ask(
        &mut self,
        db: &mut Connection,
        campaign: CampaignId,
        asked: &[(&'w WorkerId, Question)],
    ) -> Result<(), Error> {
        let counted = votes::count(db, campaign, asked).await?;
        self.0.extend(asked.iter().copied().zip(counted));
        Ok(())
    }

    async fn of(
        &mut self,
        db: &mut Connection,
        campaign: CampaignId,
        asked: (&'w WorkerId, Question),
    ) -> Result<(u32, u32), Error> {
        if !self.0.contains_key(&asked) {
            self.ask(db, campaign, &[asked]).await?;
        }
        self.0.get(&asked).copied().ok_or_else(|| Error::damaged("votes cannot be counted"))
    }
}

async fn take<'w>(
    book: &mut Book,
    db: &mut Connection,
    campaign: CampaignId,
    wish: &'w Wish,
    counts: &mut Counts<'w>,
) -> Result<Option<Lease>, Error> {
    for &question in &wish.offers {
        let room = book.room(question, &wish.worker, wish.quota);
        if room == Room::None {
            continue;
        }
        let (votes, own) = counts.of(db, campaign, (&wish.worker, question)).await?;
        let full = matches!(room, Room::UnlessVotes(most) if votes >= most);
        if own == 0 && !full {
            let lease = wish.lease(question);
            book.enter(lease.clone());
            return Ok(Some(lease));
        }
    }
    Ok(None)
}
