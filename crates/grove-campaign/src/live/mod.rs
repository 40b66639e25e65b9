//! A campaign with people in it: votes and questions on one side, the belief on the other, and the log between them.
//!
//! Requests never wait for the belief. A vote goes into the log and is acknowledged; a question comes from a queue that was chosen before. The belief
//! takes new entries from the log in batches on a thread of its own, writes down how far it has come, and publishes a [`Snapshot`].

mod belief;
mod front;
mod questions;
mod snapshot;
mod tasks;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use grove_store::{
    Actor, CampaignId, HolderId, Position, Receipt, Store, StoredVote, SubmittedVote, VoteId, WorkerId,
    WorkerTally,
};
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use crate::campaign::{follow, keep, read_log};
use crate::{Clock, Edit, Error, Follower, State, Status};
use belief::Believer;
use front::Front;
pub use questions::{Leased, Next};
pub use snapshot::Snapshot;
use tasks::Tasks;

/// How often an edit is tried when others write at the same time.
const ATTEMPTS: usize = 5;

/// How a live campaign works. The defaults are for a server.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// What this program calls itself where others see it.
    pub name: String,
    /// How often the log is read for what other programs have written.
    pub poll: Duration,
    /// How many questions are chosen together.
    pub queue: usize,
    /// How many more are kept for those who have answered what is in the queue.
    pub reserve: usize,
    /// After so many votes without a pause, the belief is checked all the same.
    pub check_every: usize,
    /// Sweeps that are made at a time while a check says that the trees have not converged, and how many times.
    pub sweeps: (u32, usize),
    /// After so many votes the belief is kept in the store, so that the next start need not compute it again.
    pub keep_every: usize,
    /// How many entries may wait for the belief before votes are refused for a while; the log would hold them, but nobody would ever
    /// see what came of them.
    pub most_waiting: usize,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            name: "server".to_owned(),
            poll: Duration::from_millis(500),
            queue: 16,
            reserve: 2_000,
            check_every: 5_000,
            keep_every: 200,
            sweeps: (5, 4),
            most_waiting: 200_000,
        }
    }
}

/// A handle to a live campaign; cheap to clone. When the last one is dropped, the belief stops where it is: whatever it has written is in the
/// log, and the next one goes on from there.
#[derive(Clone)]
pub struct Live {
    room: Arc<Room>,
    tasks: Arc<Tasks>,
}

/// What requests and the belief share.
pub(crate) struct Room {
    store: Store,
    id: CampaignId,
    clock: Arc<dyn Clock>,
    holder: HolderId,
    options: LiveOptions,
    /// The log as far as this program has seen it: ahead of the belief.
    front: Mutex<Front>,
    /// Only one reads the log's end at a time.
    reading: tokio::sync::Mutex<()>,
    believer: tokio::sync::Mutex<Believer>,
    published: watch::Sender<Arc<Snapshot>>,
    /// Something was written.
    written: Notify,
    /// Something was read that the belief should look at.
    news: Notify,
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").field("id", &self.room.id).finish_non_exhaustive()
    }
}

impl Live {
    /// Opens a campaign and lets it live: reads its log, comes to the belief that the log tells of, takes in what waits, and goes
    /// on so in the background.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn start(
        store: &Store,
        id: CampaignId,
        clock: Arc<dyn Clock>,
        options: LiveOptions,
    ) -> Result<Self, Error> {
        let live = Self::open(store, id, clock, options).await?;
        live.step().await?;
        live.tasks.start(&live.room);
        Ok(live)
    }

    /// Opens a campaign without letting it live: for whoever calls [`Live::step`] themselves.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn open(
        store: &Store,
        id: CampaignId,
        clock: Arc<dyn Clock>,
        options: LiveOptions,
    ) -> Result<Self, Error> {
        store.campaign(id).await?;
        let entries = read_log(store, id, Position::START).await?;
        let front = State::after(&entries);
        let (follower, kept) = follow(store, id, entries).await?;
        let first = Snapshot::before_anything(&front, clock.now())?;
        let room = Room {
            store: store.clone(),
            id,
            clock,
            holder: HolderId(Uuid::now_v7()),
            options,
            front: Mutex::new(Front::new(front)),
            reading: tokio::sync::Mutex::new(()),
            believer: tokio::sync::Mutex::new(Believer::new(follower, kept)),
            published: watch::Sender::new(Arc::new(first)),
            written: Notify::new(),
            news: Notify::new(),
        };
        Ok(Self { room: Arc::new(room), tasks: Arc::default() })
    }

    /// The campaign's id.
    #[must_use]
    pub fn id(&self) -> CampaignId {
        self.room.id
    }

    /// What is believed at present. Never waits.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.room.published.borrow().clone()
    }

    /// Tells whenever there is a new snapshot.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.room.published.subscribe()
    }

    /// Reads from the log as far as this program has seen it. For short looks: votes wait meanwhile.
    pub fn look<T>(&self, at: impl FnOnce(&State) -> T) -> T {
        at(&self.room.front().state)
    }

    /// How many votes the belief has still to take in.
    #[must_use]
    pub fn lag(&self) -> usize {
        let seen = self.look(|state| state.votes().all().len());
        seen.saturating_sub(self.snapshot().votes_read)
    }

    /// Records a vote. On return it is on disk; the belief follows. Sending the same vote again changes nothing.
    ///
    /// While the campaign is paused or has ended, only those are heard who had been asked before.
    ///
    /// # Errors
    /// [`Error::NotAsking`], [`Error::Busy`] while too many votes wait, [`Error::BadQuestion`], and whatever the store says:
    /// [`grove_store::Error::AlreadyAnswered`], [`grove_store::Error::Conflict`].
    pub async fn vote(&self, vote: SubmittedVote) -> Result<Receipt, Error> {
        let question = vote.vote.question;
        if question.upper == 0 || question.lower == 0 || question.upper == question.lower {
            return Err(Error::BadQuestion);
        }
        let status = self.look(|state| state.status().clone());
        if let Status::Paused { reason } | Status::Stopped { reason } = status {
            let now = self.room.clock.now();
            let leases = self.room.store.leases_of(self.room.id, &vote.vote.worker, now).await?;
            let sent_before = self.room.store.vote(self.room.id, vote.id).await?.is_some();
            if !sent_before && !leases.iter().any(|lease| lease.question == question) {
                return Err(Error::NotAsking(reason));
            }
        }
        if self.lag() > self.room.options.most_waiting {
            return Err(Error::Busy);
        }
        let receipt = self.room.store.cast(self.room.id, self.room.clock.now(), vote).await?;
        self.room.written.notify_one();
        Ok(receipt)
    }

    /// Takes a worker's own vote back.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] for a vote that is not there, or another's.
    pub async fn withdraw(&self, worker: &WorkerId, vote: VoteId) -> Result<Receipt, Error> {
        let actor = Actor::Worker(worker.clone());
        let receipt = self.room.store.withdraw(self.room.id, self.room.clock.now(), actor, vote).await?;
        self.room.written.notify_one();
        Ok(receipt)
    }

    /// Takes a worker's last vote back, and says which it was.
    ///
    /// # Errors
    /// [`Error::NothingToUndo`].
    pub async fn undo(&self, worker: &WorkerId) -> Result<SubmittedVote, Error> {
        let votes = self.room.store.votes_of(self.room.id, worker).await?;
        let last = votes.into_iter().rev().find(|vote| vote.withdrawn.is_none());
        let StoredVote { id, vote, .. } = last.ok_or(Error::NothingToUndo)?;
        self.withdraw(worker, id).await?;
        Ok(SubmittedVote { id, vote })
    }

    /// Does something to the campaign. What contradicts itself is refused before it reaches the log.
    ///
    /// # Errors
    /// As [`State::plan`], and whatever the store says.
    pub async fn edit(&self, actor: Actor, edit: Edit) -> Result<(), Error> {
        let mut attempt = 1;
        loop {
            self.room.read_on().await?;
            let events = self.look(|state| state.plan(edit.clone()))?;
            if events.is_empty() {
                return Ok(());
            }
            match self.room.store.append(self.room.id, self.room.clock.now(), actor.clone(), events).await {
                Ok(_) => {}
                // Somebody else added a concept in between.
                Err(grove_store::Error::WrongConceptNumber { .. }) if attempt < ATTEMPTS => {
                    attempt += 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            return self.room.read_on().await;
        }
    }

    /// Puts an anonymous stand-in in a worker's place, everywhere and for good, and says who that is.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] worker.
    pub async fn erase_worker(&self, actor: Actor, worker: &WorkerId) -> Result<WorkerId, Error> {
        let stand_in = WorkerId::new(format!("erased-{}", Uuid::now_v7().simple()))?;
        let (id, now) = (self.room.id, self.room.clock.now());
        self.room.store.erase_worker(id, now, actor, worker, stand_in.clone()).await?;
        self.room.read_on().await?;
        Ok(stand_in)
    }

    /// How many votes each worker has: the payment list.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn payments(&self) -> Result<Vec<WorkerTally>, Error> {
        Ok(self.room.store.workers(self.room.id).await?)
    }

    /// One round of the belief: takes in what waits, and publishes. Says whether there was anything to do. Called in the background, if the
    /// campaign was started.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn step(&self) -> Result<bool, Error> {
        self.room.read_on().await?;
        self.room.believe().await
    }

    /// A long look at the belief, unless there has been one since it last moved: fills [`Snapshot::report`] in, and lets the trees move on
    /// where they do not agree. Whether there was anything to do. Called in the background when nobody has voted for a while.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn check(&self) -> Result<bool, Error> {
        self.room.check().await
    }

    /// A copy of the belief as of now, for explanations that the snapshot does not hold. Waits until the belief rests.
    pub async fn follower(&self) -> Follower {
        self.room.believer.lock().await.follower().clone()
    }

    /// Waits until the belief of a started campaign has taken in all votes that were in the log when this was called.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn settle(&self) -> Result<(), Error> {
        self.room.read_on().await?;
        let goal = self.look(|state| state.votes().all().len());
        let mut news = self.watch();
        self.room.news.notify_one();
        news.wait_for(|snapshot| snapshot.votes_read >= goal).await.map_err(|_| Error::Gone)?;
        Ok(())
    }

    /// Stops the belief after what it is doing, keeps it for the next start, and gives it back so that another program can have it at once.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn shut_down(self) -> Result<(), Error> {
        self.tasks.end().await;
        let believer = self.room.believer.lock().await;
        keep(&self.room.store, self.room.id, believer.follower(), self.room.clock.now()).await?;
        Ok(self.room.store.release_belief(self.room.id, self.room.holder).await?)
    }
}

impl Room {
    fn front(&self) -> MutexGuard<'_, Front> {
        // A fold that panicked left a state that is still one: entries are read one at a time.
        self.front.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what has been written since.
    async fn read_on(&self) -> Result<(), Error> {
        let _one_at_a_time = self.reading.lock().await;
        let after = self.front().state.position();
        let entries = read_log(&self.store, self.id, after).await?;
        if !entries.is_empty() {
            let mut front = self.front();
            for entry in &entries {
                front.read(entry);
            }
            self.news.notify_one();
        }
        Ok(())
    }
}
