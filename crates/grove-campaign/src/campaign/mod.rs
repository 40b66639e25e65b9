//! One campaign: votes and questions on one side, the belief on the other, and the log between them.
//!
//! Requests never wait for the belief. A vote goes into the log and is acknowledged; a question comes from a queue that was chosen
//! before; pages show the last [`Snapshot`]. The belief takes new entries from the log in batches on a thread of its own, records how far
//! it has come, and publishes the next snapshot.

mod belief;
mod owning;
mod questions;
mod snapshot;
mod tasks;

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use grove_belief::ENGINE_REVISION;
use grove_store::{
    Actor, Admission, CampaignId, Entry, Event, HolderId, Moment, OwnerId, Position, Receipt, Reply,
    Response, Screen, Store, StoredVote, SubmittedVote, VoteId, WorkerId,
};
use grove_tree::Tree;
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use tokio::sync::{MappedMutexGuard, MutexGuard, Notify, OnceCell, watch};
use uuid::Uuid;

use crate::ticket::Tickets;
use crate::view::end_message;
use crate::why::{Known, why};
use crate::{
    Clock, Edit, Error, Follower, NewConcept, Offer, Peers, Settings, State, Status, SystemClock,
    TicketProblem, VoteState, Way, Why,
};
use belief::BeliefSlot;
pub use questions::Next;
pub use snapshot::Snapshot;
use tasks::Tasks;

/// Entries read or written at a time.
const PAGE: u32 = 1_000;

/// How often an edit is retried when others write at the same time.
const ATTEMPTS: usize = 20;

/// How many workers are remembered for whom it is unknown whether their last answer was stored.
const MOST_IN_DOUBT: usize = 10_000;

/// How a campaign works. The defaults are for a server.
#[derive(Clone, Debug)]
pub struct CampaignOptions {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The name under which other programs see this one.
    pub name: String,
    /// How often the log is read for what other programs have written.
    pub poll: Duration,
    /// How many screens are chosen together.
    pub queue: usize,
    /// How many more are listed for those who have answered what is in the queue.
    pub reserve: usize,
    /// After this many votes without a pause, the belief is checked anyway.
    pub check_every: usize,
    /// Sweeps per round, and the most rounds, while a check finds that the trees have not converged.
    pub sweeps: (u32, usize),
    /// After this many votes the belief is stored, so that the next start need not recompute it.
    pub keep_every: usize,
    /// How many votes may wait for the belief before more are refused for a while.
    pub most_waiting: usize,
    /// The revision of the engine; only tests set one other than this program's.
    pub revision: u32,
    /// The servers that share the database, if this program is one of several.
    pub peers: Option<Arc<Peers>>,
}

impl Default for CampaignOptions {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            name: "server".to_owned(),
            poll: Duration::from_millis(500),
            queue: 16,
            reserve: 2_000,
            check_every: 5_000,
            keep_every: 200,
            sweeps: (5, 4),
            most_waiting: 200_000,
            revision: ENGINE_REVISION,
            peers: None,
        }
    }
}

/// How the background work of a campaign is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Health {
    /// Failures since the start.
    pub failures: u64,
    /// When this program last moved the belief.
    pub advanced: Option<Moment>,
}

/// The result of an import.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ImportResult))]
pub struct Imported {
    /// The number of votes added.
    pub votes: usize,
    /// The number of votes skipped because the worker had already answered that question.
    pub repeated: usize,
}

/// Hierarchies drawn from a belief.
#[derive(Clone, Debug)]
pub struct Samples {
    /// The hierarchies, in the belief's numbers.
    pub trees: Vec<Tree>,
    /// The campaign's number of every concept: that of concept j at j - 1.
    pub numbers: Vec<u32>,
}

/// A handle to a campaign; cheap to clone.
///
/// [`Campaign::start`] works in the background until the last handle is dropped. With [`Campaign::open`] the caller decides when the
/// belief moves, by [`Campaign::advance`] or [`Campaign::step`]. Either way, whatever is written is on disk when the call returns, and
/// whoever opens the campaign next continues from there.
#[derive(Clone)]
pub struct Campaign {
    shared: Arc<Shared>,
    tasks: Arc<Tasks>,
}

/// What all handles and the background tasks share.
struct Shared {
    store: Store,
    id: CampaignId,
    /// The name under which it was created.
    name: String,
    holder: HolderId,
    options: CampaignOptions,
    /// Entries are read one at a time, so a panic leaves a valid state behind.
    head: RwLock<Head>,
    /// Held while the end of the log is read, so that entries are read once and in order.
    reading: tokio::sync::Mutex<()>,
    belief: tokio::sync::Mutex<BeliefSlot>,
    published: watch::Sender<Arc<Snapshot>>,
    /// Workers whose last answer was perhaps stored, or stored and not yet read.
    in_doubt: Mutex<HashSet<WorkerId>>,
    /// Whether the log could not be read when it was last tried. What is written meanwhile is read a moment later than usual.
    cannot_read: AtomicBool,
    /// With the key of the database; read when the first question is handed out.
    tickets: OnceCell<Tickets>,
    /// Something was written to the log.
    written: Notify,
    /// Something was read that the belief should take in.
    news: Notify,
    /// Another server has written something.
    elsewhere: Arc<Notify>,
    /// Whether an exchange with other servers was postponed for a moment.
    is_put_off: AtomicBool,
    /// Failures of the background work since the start.
    failures: AtomicU64,
    /// When this program last moved the belief; zero if it has not.
    advanced: AtomicI64,
}

/// The log as far as this program has read it, and what the belief has not taken in yet.
struct Head {
    state: State,
    /// Entries that the belief has not read: those after what it has, or the whole log as long as there is no belief.
    queue: Vec<Entry>,
    /// The number of votes that are not in the published snapshot, by topic.
    unbelieved: HashMap<Screen, u32>,
}

impl Head {
    fn read(&mut self, mut entries: Vec<Entry>) {
        self.state.unify_erased(&mut entries);
        for entry in &entries {
            self.state.read(entry);
            if let Event::VoteCast(vote) = &entry.event {
                *self.unbelieved.entry(vote.response.screen.topic()).or_default() += 1;
            }
        }
        self.queue.extend(entries);
    }

    /// Notes that the published snapshot includes the first `votes` votes.
    fn has_published(&mut self, votes: usize) {
        self.unbelieved.clear();
        for vote in self.state.votes().all().iter().skip(votes) {
            *self.unbelieved.entry(vote.response.screen.topic()).or_default() += 1;
        }
    }

    /// How many votes on a screen's topic are not in the published snapshot.
    fn unbelieved(&self, screen: &Screen) -> u32 {
        self.unbelieved.get(&screen.topic()).copied().unwrap_or(0)
    }
}

impl std::fmt::Debug for Campaign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Campaign").field("id", &self.shared.id).finish_non_exhaustive()
    }
}

impl Campaign {
    /// Creates a campaign with settings and concepts, and opens it. Creates nothing if any of them is refused.
    ///
    /// # Errors
    /// Invalid settings or concepts, or a name that is taken.
    pub async fn create(
        store: &Store,
        owner: Option<OwnerId>,
        name: &str,
        settings: &Settings,
        concepts: &[NewConcept],
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        settings.check()?;
        let event = Event::SettingsChanged { settings: settings.to_json() };
        let first = Entry { position: Position(1), at: clock.now(), actor: Actor::Grove, event };
        let added = State::after([&first]).plan(Edit::Add(concepts.to_vec()))?;
        let events = std::iter::once(first.event).chain(added).collect();
        let id = CampaignId(Uuid::now_v7());
        store.create_campaign(id, owner, name, clock.now()).await?;
        let actor = owner.map_or(Actor::Grove, Actor::Owner);
        if let Err(error) = store.append(id, clock.now(), actor, events).await {
            store.delete_campaign(id).await?;
            return Err(error.into());
        }
        Self::open(store, id, clock).await
    }

    /// Opens a campaign for a program that does one thing after the other, such as a command line.
    ///
    /// # Errors
    /// As [`Campaign::open_with`].
    pub async fn open(store: &Store, id: CampaignId, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let options =
            CampaignOptions { clock, name: "command line".to_owned(), ..CampaignOptions::default() };
        Self::open_with(store, id, options).await
    }

    /// Opens a campaign without background work: reads its log and replays the belief.
    ///
    /// # Errors
    /// [`grove_store::Error::UnknownCampaign`], and other errors from the store.
    pub async fn open_with(store: &Store, id: CampaignId, options: CampaignOptions) -> Result<Self, Error> {
        let campaign = Self::read(store, id, options).await?;
        drop(campaign.follower().await?);
        Ok(campaign)
    }

    /// Opens a campaign and keeps it going in the background. Returns as soon as the log is read: until the belief is there, the
    /// snapshot is the last one that was stored.
    ///
    /// # Errors
    /// As [`Campaign::open_with`].
    pub async fn start(store: &Store, id: CampaignId, options: CampaignOptions) -> Result<Self, Error> {
        let campaign = Self::read(store, id, options).await?;
        campaign.tasks.start(&campaign.shared);
        Ok(campaign)
    }

    async fn read(store: &Store, id: CampaignId, options: CampaignOptions) -> Result<Self, Error> {
        let name = store.campaign(id).await?.name;
        let entries = read_log(store, id, Position::START).await?;
        // May take a second; others must not wait for it.
        let read = tokio::task::spawn_blocking(move || (State::after(&entries), entries));
        let (state, entries) = read.await.map_err(|_| Error::Gone)?;
        let first = Snapshot::stored(store, id, &state, &options).await?;
        let mut head = Head { state, queue: entries, unbelieved: HashMap::new() };
        head.has_published(first.votes_read);
        let shared = Shared {
            store: store.clone(),
            id,
            name,
            holder: options.peers.as_ref().map_or_else(|| HolderId(Uuid::now_v7()), |peers| peers.id()),
            elsewhere: store.changes(id),
            is_put_off: AtomicBool::new(false),
            failures: AtomicU64::new(0),
            advanced: AtomicI64::new(0),
            options,
            head: RwLock::new(head),
            reading: tokio::sync::Mutex::default(),
            belief: tokio::sync::Mutex::default(),
            published: watch::Sender::new(Arc::new(first)),
            in_doubt: Mutex::default(),
            cannot_read: AtomicBool::default(),
            tickets: OnceCell::new(),
            written: Notify::new(),
            news: Notify::new(),
        };
        Ok(Self { shared: Arc::new(shared), tasks: Arc::default() })
    }

    /// The campaign's id.
    #[must_use]
    pub fn id(&self) -> CampaignId {
        self.shared.id
    }

    /// What people call the campaign: its title, or the name under which it was created where it has none.
    #[must_use]
    pub fn title(&self) -> String {
        let title = self.state().settings().title.trim().to_owned();
        if title.is_empty() { self.shared.name.clone() } else { title }
    }

    /// What is believed at present. Never waits.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.shared.published.borrow().clone()
    }

    /// A channel that receives every new snapshot.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.shared.published.subscribe()
    }

    /// The state of the campaign as far as this program has read the log. It is locked while the value lives: keep it for a moment only,
    /// and never across an `await`.
    pub fn state(&self) -> impl Deref<Target = State> + '_ {
        RwLockReadGuard::map(self.shared.head.read(), |head| &head.state)
    }

    /// Calls a function with [`Campaign::state`].
    pub fn with_state<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.state())
    }

    /// The belief itself, for what no snapshot holds. Waits while it moves, and replays it first where that was not done yet: requests
    /// should use [`Campaign::snapshot`].
    ///
    /// # Errors
    /// Errors from the store, and [`Error::Belief`] if the engine refuses the evidence.
    pub async fn follower(&self) -> Result<MappedMutexGuard<'_, Follower>, Error> {
        let mut slot = self.shared.belief.lock().await;
        self.shared.catch_up(&mut slot).await?;
        MutexGuard::try_map(slot, |slot| slot.follower.as_mut()).map_err(|_| Error::Gone)
    }

    /// How many votes are not yet in the published snapshot.
    #[must_use]
    pub fn lag(&self) -> usize {
        self.state().votes().all().len().saturating_sub(self.snapshot().votes_read)
    }

    /// How the background work is doing.
    #[must_use]
    pub fn health(&self) -> Health {
        let advanced = Moment(self.shared.advanced.load(Ordering::Relaxed));
        Health {
            failures: self.shared.failures.load(Ordering::Relaxed),
            advanced: (advanced > Moment::default()).then_some(advanced),
        }
    }

    /// Records the answer to a question that was handed out with a ticket. Late answers count, even while the
    /// campaign is paused or has ended, as long as its budget and the vote's link have room.
    ///
    /// # Errors
    /// [`Error::BadTicket`], [`grove_store::Error::LinkFull`], and as [`Campaign::vote`].
    pub async fn answer(
        &self,
        vote: SubmittedVote,
        ticket: &str,
        link_is_limited: bool,
    ) -> Result<Receipt, Error> {
        let grove_store::Response { worker, screen, .. } = &vote.response;
        let (id, now) = (self.shared.id, self.shared.now());
        match self.shared.tickets().await?.check(ticket, id, worker, screen, now) {
            Ok(()) => {}
            // A repeat of a stored vote gets its receipt, however late.
            Err(TicketProblem::Expired) if self.shared.store.vote(id, vote.id).await?.is_some() => {}
            Err(problem) => return Err(Error::BadTicket(problem)),
        }
        self.record_vote(vote, true, link_is_limited).await
    }

    /// Records a vote. On return it is on disk; the belief takes it in later. Sending the same vote again changes
    /// nothing.
    ///
    /// While the campaign is paused or has ended, only those who had been asked before may answer.
    ///
    /// # Errors
    /// [`Error::NotAsking`], [`Error::Busy`] while too many votes wait, [`Error::BadAnswer`], and errors from the store:
    /// [`grove_store::Error::Full`] once the budget is used up;
    /// [`grove_store::Error::AlreadyAnswered`], also for a screen that shows a pair which the worker was shown before in the same form;
    /// [`grove_store::Error::Conflict`].
    pub async fn vote(&self, vote: SubmittedVote) -> Result<Receipt, Error> {
        self.record_vote(vote, false, false).await
    }

    async fn record_vote(
        &self,
        vote: SubmittedVote,
        was_asked: bool,
        link_is_limited: bool,
    ) -> Result<Receipt, Error> {
        let (store, id, now) = (&self.shared.store, self.shared.id, self.shared.now());
        let response = &vote.response;
        response.check()?;
        let overlapping =
            || self.with_state(|state| state.overlapping(response).filter(|one| *one != vote.id));
        if overlapping().is_some() {
            // It may have been withdrawn a moment ago.
            self.shared.read_on().await?;
            if let Some(vote) = overlapping() {
                return Err(grove_store::Error::AlreadyAnswered { vote }.into());
            }
        }
        let most_votes = self.with_state(|state| state.settings().most_votes());
        let is_full = || {
            most_votes
                .is_some_and(|most| self.with_state(|state| state.votes().standing_count() as u64 >= most))
        };
        if is_full() {
            // Checked here too, so that rejected votes never reach the write queue. A vote may have been withdrawn a
            // moment ago.
            self.shared.read_on().await?;
            if is_full() && store.vote(id, vote.id).await?.is_none() {
                return Err(grove_store::Error::Full.into());
            }
        }
        let (status, reason) = self.with_state(|state| (state.status(), state.reason().to_owned()));
        if status != Status::Asking && !was_asked {
            let leases = store.leases_of(id, &response.worker, now).await?;
            let sent_before = store.vote(id, vote.id).await?.is_some();
            let topic = response.screen.topic();
            if !sent_before && !leases.iter().any(|lease| lease.screen.topic() == topic) {
                return Err(Error::NotAsking(reason));
            }
        }
        // A belief that is being rebuilt after a start is not a reason to refuse votes.
        let is_behind = || !self.snapshot().rebuilding && self.lag() > self.shared.options.most_waiting;
        if self.tasks.are_running() && is_behind() {
            return Err(Error::Busy);
        }
        let worker = vote.response.worker.clone();
        let cast = store.cast_within(id, now, vote, Admission { most_votes, link_is_limited }).await;
        let may_be_unread = match &cast {
            Err(error) => error.is_uncertain(),
            Ok(_) => self.shared.cannot_read.load(Ordering::Relaxed),
        };
        if may_be_unread {
            let mut in_doubt = self.shared.in_doubt.lock();
            if in_doubt.len() >= MOST_IN_DOUBT {
                in_doubt.clear();
            }
            in_doubt.insert(worker);
        }
        let receipt = cast?;
        self.has_written().await?;
        Ok(receipt)
    }

    /// Withdraws a worker's own vote.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] for a vote that does not exist, or another's.
    pub async fn withdraw(&self, worker: &WorkerId, vote: VoteId) -> Result<Receipt, Error> {
        let (actor, now) = (Actor::Worker(worker.clone()), self.shared.now());
        let receipt = self.shared.store.withdraw(self.shared.id, now, actor, vote).await?;
        self.has_written().await?;
        Ok(receipt)
    }

    /// Replaces the answer of a worker's vote: withdraws it and records a new vote on the same screen and link, both or neither.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] for a vote that does not exist, was withdrawn, or is another's; [`Error::NotAsking`];
    /// [`Error::BadAnswer`].
    pub async fn change(&self, worker: &WorkerId, vote: VoteId, reply: Reply) -> Result<Receipt, Error> {
        self.shared.read_on().await?;
        let by = self.with_state(|state| {
            if state.status() != Status::Asking {
                return Err(Error::NotAsking(state.reason().to_owned()));
            }
            let known = state.votes().get(vote).filter(|known| known.response.worker == *worker);
            let VoteState { response, link, .. } = known.ok_or(grove_store::Error::Unknown("vote"))?;
            let response = Response { reply, ..response.clone() };
            response.check()?;
            Ok(SubmittedVote { link: *link, ..SubmittedVote::new(VoteId(Uuid::now_v7()), response) })
        })?;
        let receipt = self.shared.store.replace_vote(self.shared.id, self.shared.now(), vote, by).await?;
        self.has_written().await?;
        Ok(receipt)
    }

    /// Withdraws a worker's last vote, and returns it.
    ///
    /// # Errors
    /// [`Error::NothingToUndo`].
    pub async fn undo(&self, worker: &WorkerId) -> Result<SubmittedVote, Error> {
        let votes = self.shared.store.votes_of(self.shared.id, worker).await?;
        let last = votes.into_iter().rev().find(|vote| vote.withdrawn.is_none());
        let StoredVote { id, response, took_ms, link, .. } = last.ok_or(Error::NothingToUndo)?;
        self.withdraw(worker, id).await?;
        Ok(SubmittedVote { id, response, took_ms, link })
    }

    /// Lets the background task read what was written; reads it now if there is none.
    async fn has_written(&self) -> Result<(), Error> {
        if self.tasks.are_running() {
            self.shared.written.notify_one();
            return Ok(());
        }
        self.shared.read_on().await
    }

    /// Imports votes that were cast elsewhere, of any form. Those whose worker has answered the same screen already are left out.
    ///
    /// # Errors
    /// Errors from the store; then some of the votes may have been imported.
    pub async fn import(&self, responses: Vec<Response>) -> Result<Imported, Error> {
        self.import_replacing(&[], responses).await
    }

    /// As [`Campaign::import`], and withdraws the votes that these replace, in the same transaction as long as there are at
    /// most some hundred
    /// of both.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] vote, and as [`Campaign::import`].
    pub async fn import_replacing(
        &self,
        replaced: &[VoteId],
        responses: Vec<Response>,
    ) -> Result<Imported, Error> {
        self.shared.read_on().await?;
        let key = |response: &Response| (response.worker.clone(), response.screen.clone().in_order());
        let mut answered: HashSet<(WorkerId, Screen)> = self.with_state(|state| {
            let kept = state.votes().standing().filter(|vote| !replaced.contains(&vote.id));
            kept.map(|vote| key(&vote.response)).collect()
        });
        let mut imported = Imported::default();
        let mut events: Vec<Event> = replaced.iter().map(|&vote| Event::VoteWithdrawn { vote }).collect();
        for response in responses {
            if answered.insert(key(&response)) {
                events.push(Event::VoteCast(SubmittedVote::new(VoteId(Uuid::now_v7()), response)));
                imported.votes += 1;
            } else {
                imported.repeated += 1;
            }
        }
        for page in events.chunks(PAGE as usize) {
            let (id, now) = (self.shared.id, self.shared.now());
            self.shared.store.append(id, now, Actor::Grove, page.to_vec()).await?;
        }
        self.shared.read_on().await?;
        Ok(imported)
    }

    /// Changes the campaign. An edit that contradicts the state is refused before it reaches the log.
    ///
    /// # Errors
    /// As [`State::plan`], and errors from the store.
    pub async fn edit(&self, actor: Actor, edit: Edit) -> Result<(), Error> {
        self.shared.edit(actor, edit).await
    }

    /// Replaces a worker with an anonymous stand-in, everywhere and permanently, and returns the stand-in.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] worker.
    pub async fn erase_worker(&self, actor: Actor, worker: &WorkerId) -> Result<WorkerId, Error> {
        let stand_in = WorkerId::new(format!("erased-{}", Uuid::now_v7().simple()))?;
        let (id, now) = (self.shared.id, self.shared.now());
        self.shared.store.erase_worker(id, now, actor, worker, stand_in.clone()).await?;
        self.shared.read_on().await?;
        Ok(stand_in)
    }

    /// Lets the belief take in everything that waits, and records that. Only one program at a time may do so: where
    /// another one holds the belief, this one reads its records, and the result is false.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn advance(&self) -> Result<bool, Error> {
        self.shared.advance_fully(&mut *self.shared.belief.lock().await).await
    }

    /// Lets the belief take in everything that waits, and gives the trees more sweeps: for when a report says that
    /// they have not converged.
    ///
    /// # Errors
    /// As [`Campaign::advance`].
    pub async fn sweep(&self, sweeps: u32) -> Result<bool, Error> {
        let mut slot = self.shared.belief.lock().await;
        if !self.shared.advance_fully(&mut slot).await? {
            return Ok(false);
        }
        let work = move |follower: &mut Follower| follower.advance(follower.read_to(), Way::Follow, sweeps);
        self.shared.record(&mut slot, work).await?;
        Ok(true)
    }

    /// Lets the belief take in everything that waits, and publishes. Returns whether there was anything to do. A
    /// started campaign calls it in the background.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn step(&self) -> Result<bool, Error> {
        self.shared.step().await
    }

    /// Checks the belief, unless that was done since it last moved: fills in [`Snapshot::report`], and makes more sweeps where the trees
    /// do not agree. Returns whether there was anything to do. Called in the background when nobody has voted for a while.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn check(&self) -> Result<bool, Error> {
        self.shared.check().await
    }

    /// Waits until the belief of a started campaign has taken in all votes that were in the log when this was called.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn settle(&self) -> Result<(), Error> {
        self.shared.read_on().await?;
        let goal = self.with_state(|state| state.votes().all().len());
        let mut news = self.watch();
        self.shared.news.notify_one();
        let is_settled = |snapshot: &Arc<Snapshot>| !snapshot.rebuilding && snapshot.votes_read >= goal;
        news.wait_for(is_settled).await.map_err(|_| Error::Gone)?;
        Ok(())
    }

    /// Ends the background work, stores the belief for the next start, and releases it so that another program can have it at once.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn close(self) -> Result<(), Error> {
        self.tasks.end().await;
        self.shared.release().await
    }

    /// Ends the background work at once, without storing the belief: for a campaign that was deleted.
    pub(crate) fn abandon(&self) {
        self.tasks.abort();
    }

    /// The best screen for a worker by the present belief; none if nothing is left to show them. For many workers at once, [`Campaign::next`]
    /// reserves screens.
    ///
    /// # Errors
    /// As [`Campaign::follower`].
    pub async fn next_screen(&self, worker: &WorkerId) -> Result<Option<Offer>, Error> {
        let follower = self.follower().await?;
        let state = self.state();
        let number = state.votes().worker(worker);
        let is_answered = |screen: &Screen| state.unanswered(number, screen.clone()).is_none();
        Ok(follower.next_for(number, &is_answered))
    }

    /// The same for a worker who wants to go on when nothing is left that is worth asking.
    ///
    /// # Errors
    /// As [`Campaign::follower`].
    pub async fn next_screen_beyond(&self, worker: &WorkerId) -> Result<Option<Offer>, Error> {
        let follower = self.follower().await?;
        let state = self.state();
        let number = state.votes().worker(worker);
        let is_answered = |screen: &Screen| state.unanswered(number, screen.clone()).is_none();
        Ok(follower.next_beyond(number, &is_answered))
    }

    /// Why asking should end now, with the places that stay open; none if it should go on. `best` is the best screen there is to show.
    ///
    /// # Errors
    /// Invalid settings, and as [`Campaign::follower`].
    pub async fn should_stop(&self, best: Option<&Offer>) -> Result<Option<String>, Error> {
        let follower = self.follower().await?;
        let (status, reason) = self.with_state(|state| (state.status(), state.reason().to_owned()));
        if status != Status::Asking {
            return Ok(Some(reason));
        }
        let Some(belief) = follower.belief() else { return Ok(None) };
        let Some(reason) = follower.stop_reason(belief, best)? else { return Ok(None) };
        Ok(Some(end_message(&reason, &follower.hierarchy()?)))
    }

    /// The votes behind the place of a concept under a parent, or under the likeliest one, by the published snapshot. Does not wait for
    /// the belief.
    ///
    /// # Errors
    /// [`Error::NoSuchConcept`], also while the belief is being rebuilt; [`Error::BadQuestion`].
    pub async fn why(&self, lower: u32, upper: Option<u32>) -> Result<Why, Error> {
        let shown = self.snapshot();
        if shown.engine.is_none() && !shown.rebuilding {
            // Another server owns the belief: it is replayed here for those who ask.
            let mut slot = self.shared.belief.lock().await;
            self.shared.catch_up(&mut slot).await?;
            return self.shared.work(&mut slot, move |follower| follower.why(lower, upper)).await;
        }
        let campaign = self.clone();
        let explain = move || {
            let snapshot = campaign.snapshot();
            let engine = snapshot.engine.as_ref().ok_or(Error::NoSuchConcept(lower))?;
            let state = || campaign.state();
            let known = Known {
                belief: &***engine,
                hierarchy: &snapshot.hierarchy,
                numbers: &snapshot.numbers,
                votes: &snapshot.votes,
            };
            why(&known, state, lower, upper)
        };
        tokio::task::spawn_blocking(explain).await.map_err(|_| Error::Gone)?
    }

    /// Some hierarchies drawn from the belief of the published snapshot, the same ones for the same snapshot; none while it is being
    /// rebuilt. Does not wait for the belief.
    ///
    /// # Errors
    /// [`Error::Gone`] if the program is ending.
    pub async fn samples(&self, count: usize) -> Result<Option<Samples>, Error> {
        let snapshot = self.snapshot();
        let draw = move || {
            let engine = snapshot.engine.as_ref()?;
            let trees = engine.sample(count, &mut ChaCha8Rng::seed_from_u64(0));
            Some(Samples { trees, numbers: snapshot.numbers.clone() })
        };
        tokio::task::spawn_blocking(draw).await.map_err(|_| Error::Gone)
    }
}

impl Shared {
    fn now(&self) -> Moment {
        self.options.clock.now()
    }

    async fn tickets(&self) -> Result<&Tickets, Error> {
        self.tickets.get_or_try_init(|| Tickets::of(&self.store)).await
    }

    /// Reads what has been written since.
    async fn read_on(&self) -> Result<(), Error> {
        let _one_at_a_time = self.reading.lock().await;
        let after = self.head.read().state.position();
        let entries = read_log(&self.store, self.id, after).await?;
        if !entries.is_empty() {
            self.head.write().read(entries);
            self.news.notify_one();
        }
        Ok(())
    }

    async fn edit(&self, actor: Actor, edit: Edit) -> Result<(), Error> {
        let mut attempt = 1;
        loop {
            self.read_on().await?;
            let (known, events) = {
                let head = self.head.read();
                (head.state.position(), head.state.plan(edit.clone())?)
            };
            if events.is_empty() {
                return Ok(());
            }
            match self.store.append_after(self.id, self.now(), actor.clone(), events, Some(known)).await {
                // Somebody else wrote first. Decide again: their entries may rule the edit out.
                Err(grove_store::Error::Changed) if attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(error.into()),
                Ok(_) => return self.read_on().await,
            }
        }
    }
}

/// Reads all entries of a campaign's log after a position.
///
/// # Errors
/// Errors from the store.
pub async fn read_log(store: &Store, id: CampaignId, after: Position) -> Result<Vec<Entry>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut after = after;
    loop {
        let page = store.log(id, after, PAGE).await?;
        let full = page.len() == PAGE as usize;
        entries.extend(page);
        match entries.last() {
            Some(last) if full => after = last.position,
            _ => break,
        }
    }
    // A worker may have been erased between two pages.
    State::new().unify_erased(&mut entries);
    Ok(entries)
}
