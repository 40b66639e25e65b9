use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use grove_belief::ReportOptions;
use grove_store::{
    Actor, Answer, CampaignId, Entry, Event, HolderId, Holding, Moment, OwnerId, Position, Question, Receipt,
    Store, SubmittedVote, Vote, VoteId, WorkerId,
};
use uuid::Uuid;

use crate::follow::{Engine, KEEP, KIND};
use crate::{
    Asked, Clock, Edit, Error, Follower, NamedReport, NewConcept, Offer, Settings, State, Status, VoteState,
    Way, Why,
};

/// Entries read or written at a time.
const PAGE: u32 = 1_000;

/// For how long a program has the belief without asking again.
pub(crate) const HOLDING: Duration = Duration::from_secs(15);

/// How often an edit is tried when others write at the same time.
const ATTEMPTS: usize = 5;

/// A campaign as a program has it that does one thing after the other, such as a command line.
///
/// Everything that is written is on disk when the call returns. What others write is seen after [`Campaign::refresh`].
pub struct Campaign {
    store: Store,
    id: CampaignId,
    name: String,
    clock: Arc<dyn Clock>,
    holder: HolderId,
    /// The log to its end.
    state: State,
    /// The log as far as it is believed.
    follower: Follower,
}

impl std::fmt::Debug for Campaign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Campaign").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

/// Votes taken from elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Imported {
    /// How many were new.
    pub votes: usize,
    /// How many were left out, because the worker has answered that question already.
    pub repeated: usize,
}

impl Campaign {
    /// Makes a campaign with settings and concepts: all of it, or nothing.
    ///
    /// # Errors
    /// Settings or concepts that make no sense, or a name that is taken.
    pub async fn create(
        store: &Store,
        owner: Option<OwnerId>,
        name: &str,
        settings: &Settings,
        concepts: &[NewConcept],
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let mut events = vec![Event::SettingsChanged { settings: settings.to_json() }];
        settings.check()?;
        let mut planned = State::new();
        planned.read(&Entry {
            position: Position(1),
            at: clock.now(),
            actor: Actor::Grove,
            event: events[0].clone(),
        });
        events.extend(planned.plan(Edit::Add(concepts.to_vec()))?);
        let id = CampaignId(Uuid::now_v7());
        store.create_campaign(id, owner, name, clock.now()).await?;
        let actor = owner.map_or(Actor::Grove, Actor::Owner);
        if let Err(error) = store.append(id, clock.now(), actor, events).await {
            store.delete_campaign(id).await?;
            return Err(error.into());
        }
        Self::open(store, id, clock).await
    }

    /// Opens a campaign: reads its log and comes to the belief that the log tells of.
    ///
    /// # Errors
    /// [`grove_store::Error::UnknownCampaign`] and whatever else the store says.
    pub async fn open(store: &Store, id: CampaignId, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let name = store.campaign(id).await?.name;
        let entries = read_log(store, id, Position::START).await?;
        let state = State::after(&entries);
        let (follower, _) = follow(store, id, entries).await?;
        Ok(Self { store: store.clone(), id, name, clock, holder: HolderId(Uuid::now_v7()), state, follower })
    }

    /// Opens the campaign of this name among the owner's, or among those made at the command line.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], and as [`Campaign::open`].
    pub async fn open_named(
        store: &Store,
        owner: Option<OwnerId>,
        name: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let found = store.campaign_named(owner, name).await?;
        let found = found.ok_or_else(|| Error::UnknownCampaign(name.to_owned()))?;
        Self::open(store, found.id, clock).await
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> CampaignId {
        self.id
    }

    /// Its name in the store.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the log says, to its end.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What is believed, and how far it has come.
    #[must_use]
    pub fn follower(&self) -> &Follower {
        &self.follower
    }

    /// Reads what has been written since, and does what records of the belief's holder say.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn refresh(&mut self) -> Result<(), Error> {
        let entries = read_log(&self.store, self.id, self.state.position()).await?;
        for entry in &entries {
            self.state.read(entry);
        }
        self.follower.read_all(&entries)
    }

    /// Lets the belief take in all that waits, and writes that down. Only one program at a time may: where another has the belief, this
    /// reads what that one has written, and says false.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn advance(&mut self) -> Result<bool, Error> {
        if !self.hold().await? {
            self.refresh().await?;
            return Ok(false);
        }
        // Between two holders the log may have grown by another's record.
        self.refresh().await?;
        if self.follower.is_behind() {
            let (way, sweeps) = way_for(&self.follower);
            self.record(way, sweeps).await?;
        }
        Ok(true)
    }

    /// Gives the trees some sweeps more, for a report that says they have not converged; as [`Campaign::advance`].
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn sweep(&mut self, sweeps: u32) -> Result<bool, Error> {
        if !self.advance().await? {
            return Ok(false);
        }
        self.record(Way::Follow, sweeps).await?;
        Ok(true)
    }

    async fn record(&mut self, way: Way, sweeps: u32) -> Result<(), Error> {
        let to = self.follower.read_to();
        let work = self.follower.advance(to, way, sweeps)?;
        let now = self.clock.now();
        let written = self.store.advance(self.id, now, self.holder, to, work.to_json()).await;
        match written {
            Ok(receipt) => {
                self.follower.has_written(receipt.position);
                self.refresh().await
            }
            Err(error) => {
                // What was computed is not in the log, so it must not be believed.
                let entries = read_log(&self.store, self.id, Position::START).await?;
                (self.follower, _) = follow(&self.store, self.id, entries).await?;
                Err(error.into())
            }
        }
    }

    async fn hold(&self) -> Result<bool, Error> {
        let now = self.clock.now();
        let wish = Holding { holder: self.holder, name: "command line".to_owned(), until: now.plus(HOLDING) };
        Ok(self.store.hold_belief(self.id, wish, now).await?.holder == self.holder)
    }

    /// Gives the belief back, so that another program can have it at once, and keeps it so that the next one need not compute it again.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn close(self) -> Result<(), Error> {
        keep(&self.store, self.id, &self.follower, self.clock.now()).await?;
        Ok(self.store.release_belief(self.id, self.holder).await?)
    }

    /// The best question for a worker; none if they have answered everything there is.
    #[must_use]
    pub fn next_question(&self, worker: &WorkerId) -> Option<Offer> {
        let number = self.state.votes().worker(worker);
        let answered: HashSet<Question> = self
            .state
            .votes()
            .alive()
            .filter(|vote| vote.vote.worker == *worker)
            .map(|vote| vote.vote.question)
            .collect();
        self.follower.next_for(number, &|question| answered.contains(&question))
    }

    /// A question in words.
    ///
    /// # Errors
    /// [`Error::NoSuchConcept`].
    pub fn ask(&self, question: Question) -> Result<Asked, Error> {
        self.state.ask(question)
    }

    /// Why asking should end now, by the settings' rules; none if it should go on. `best_gain` is what the best question is
    /// expected to tell.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn should_stop(&self, best_gain: Option<f64>) -> Result<Option<String>, Error> {
        if let Status::Stopped { reason } | Status::Paused { reason } = self.state.status() {
            return Ok(Some(reason.clone()));
        }
        let Some(belief) = self.follower.belief() else { return Ok(None) };
        let reason = self.state.settings().stop_rules()?.should_stop(belief, self.state.spent(), best_gain);
        Ok(reason.map(|reason| reason.to_string()))
    }

    /// Records a vote. On return it is on disk; the belief knows it after [`Campaign::advance`].
    ///
    /// # Errors
    /// [`grove_store::Error::AlreadyAnswered`] and whatever else the store says.
    pub async fn vote(
        &mut self,
        worker: &WorkerId,
        question: Question,
        answer: Answer,
    ) -> Result<(VoteId, Receipt), Error> {
        let id = VoteId(Uuid::now_v7());
        let vote = Vote { worker: worker.clone(), question, answer };
        let receipt = self.store.cast(self.id, self.clock.now(), SubmittedVote { id, vote }).await?;
        self.refresh().await?;
        Ok((id, receipt))
    }

    /// Takes a worker's last vote back, and says which it was.
    ///
    /// # Errors
    /// [`Error::NothingToUndo`].
    pub async fn undo(&mut self, worker: &WorkerId) -> Result<Vote, Error> {
        let last = self.state.votes().alive().rev().find(|vote| vote.vote.worker == *worker);
        let VoteState { id, vote, .. } = last.ok_or(Error::NothingToUndo)?.clone();
        self.store.withdraw(self.id, self.clock.now(), Actor::Worker(worker.clone()), id).await?;
        self.refresh().await?;
        Ok(vote)
    }

    /// Takes votes in that were given elsewhere. Those whose worker has answered the question already are left out.
    ///
    /// # Errors
    /// Whatever the store says; then some of the votes may be in.
    pub async fn import(&mut self, votes: Vec<Vote>) -> Result<Imported, Error> {
        let mut answered: HashSet<(WorkerId, Question)> =
            self.state.votes().alive().map(|vote| (vote.vote.worker.clone(), vote.vote.question)).collect();
        let mut imported = Imported::default();
        let mut events = Vec::new();
        for vote in votes {
            if answered.insert((vote.worker.clone(), vote.question)) {
                events.push(Event::VoteCast(SubmittedVote { id: VoteId(Uuid::now_v7()), vote }));
                imported.votes += 1;
            } else {
                imported.repeated += 1;
            }
        }
        for page in events.chunks(PAGE as usize) {
            self.store.append(self.id, self.clock.now(), Actor::Grove, page.to_vec()).await?;
        }
        self.refresh().await?;
        Ok(imported)
    }

    /// Does something to the campaign. What contradicts itself is refused before it reaches the log.
    ///
    /// # Errors
    /// As [`State::plan`], and whatever the store says.
    pub async fn edit(&mut self, actor: Actor, edit: Edit) -> Result<(), Error> {
        for _ in 1..ATTEMPTS {
            match self.try_edit(actor.clone(), edit.clone()).await {
                // Somebody else added a concept in between.
                Err(Error::Store(grove_store::Error::WrongConceptNumber { .. })) => self.refresh().await?,
                other => return other,
            }
        }
        self.try_edit(actor, edit).await
    }

    async fn try_edit(&mut self, actor: Actor, edit: Edit) -> Result<(), Error> {
        self.refresh().await?;
        let events = self.state.plan(edit)?;
        if !events.is_empty() {
            self.store.append(self.id, self.clock.now(), actor, events).await?;
            self.refresh().await?;
        }
        Ok(())
    }

    /// Puts an anonymous stand-in in a worker's place, everywhere and for good, and says who that is.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] worker.
    pub async fn erase_worker(&mut self, actor: Actor, worker: &WorkerId) -> Result<WorkerId, Error> {
        let stand_in = WorkerId::new(format!("erased-{}", Uuid::now_v7().simple()))?;
        self.store.erase_worker(self.id, self.clock.now(), actor, worker, stand_in.clone()).await?;
        self.refresh().await?;
        Ok(stand_in)
    }

    /// A long look at the belief; none if there is nothing to believe.
    ///
    /// # Errors
    /// As [`Follower::report`].
    pub fn report(&self, options: &ReportOptions) -> Result<Option<NamedReport>, Error> {
        self.follower.report(options)
    }

    /// Why a concept stands where it does: as [`Follower::why`].
    ///
    /// # Errors
    /// [`Error::NoSuchConcept`].
    pub fn why(&self, child: u32, parent: Option<u32>) -> Result<Why, Error> {
        self.follower.why(child, parent)
    }

    /// The whole log.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn log(&self) -> Result<Vec<Entry>, Error> {
        read_log(&self.store, self.id, Position::START).await
    }
}

/// Reads all entries of a campaign's log after a position.
///
/// # Errors
/// Whatever the store says.
pub async fn read_log(store: &Store, id: CampaignId, after: Position) -> Result<Vec<Entry>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut after = after;
    loop {
        let page = store.log(id, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(entries) };
        after = last.position;
        let full = page.len() == PAGE as usize;
        entries.extend(page);
        if !full {
            return Ok(entries);
        }
    }
}

/// The belief that a log tells of: from the newest kept one, if it fits, or from the log alone. And how many votes the kept one had taken in.
pub(crate) async fn follow(
    store: &Store,
    id: CampaignId,
    entries: Vec<Entry>,
) -> Result<(Follower, usize), Error> {
    let kept = store.newest_snapshot(id, KIND, None).await?;
    let replay = tokio::task::spawn_blocking(move || {
        let is_vote = |entry: &&Entry| matches!(entry.event, Event::VoteCast(_));
        let thawed = kept.and_then(|kept| {
            let follower = Follower::thaw(&entries, kept.position, &kept.bytes)?;
            let before = entries.iter().take_while(|entry| entry.position <= kept.position);
            Some((follower, before.filter(is_vote).count()))
        });
        thawed.map_or_else(|| Ok((Follower::replay(&entries)?, 0)), Ok)
    });
    replay.await.map_err(|_| Error::Gone)?
}

/// Keeps a belief, unless it is kept already.
pub(crate) async fn keep(
    store: &Store,
    id: CampaignId,
    follower: &Follower,
    now: Moment,
) -> Result<(), Error> {
    let position = follower.state().position();
    let kept = store.newest_snapshot(id, KIND, None).await?;
    if kept.is_some_and(|kept| kept.position == position) {
        return Ok(());
    }
    if let Some(bytes) = follower.freeze() {
        store.save_snapshot(id, KIND, grove_store::Snapshot { position, at: now, bytes }, KEEP).await?;
    }
    Ok(())
}

/// From so many votes on they are taken in together.
const MANY: usize = 16;

/// How to take in what waits, and with how many sweeps: few votes one by one; many together, with a quarter of the moves that they would get one by one,
/// but no more than ten sweeps, since the trees need not follow every turn of a road to come to its end.
pub(crate) fn way_for(follower: &Follower) -> (Way, u32) {
    let (votes, count) = (follower.votes_waiting(), follower.state().concepts().count().max(1));
    if votes < MANY || !matches!(follower.engine(), Some(Engine::Ensemble(_))) {
        return (Way::Follow, 0);
    }
    // At most ten.
    (Way::Together, (4 * votes / count).clamp(2, 10) as u32)
}
