use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use grove_belief::{ReportOptions, Verdict};
use grove_store::{Actor, Entry, Event, Holding, Moment, Position, Question};

use super::{Shared, Snapshot, read_log};
use crate::follow::{KEEP, KIND};
use crate::{Edit, Error, Follower, NamedReport, Way, Work, background};

/// For how long a program has the belief without asking again.
const HOLDING: Duration = Duration::from_secs(15);

/// The belief of a campaign, and what its owner remembers of it.
#[derive(Default)]
pub(super) struct BeliefSlot {
    /// None until it is replayed, and while it is worked on.
    pub(super) follower: Option<Follower>,
    held_until: Moment,
    report: Option<Arc<NamedReport>>,
    /// How many times sweeps were made since the last entry.
    swept: usize,
    /// How many votes the belief had taken in when it was last stored.
    kept: usize,
    /// Whether the published snapshot is of the present belief.
    is_published: bool,
}

impl BeliefSlot {
    fn follower(&self) -> Result<&Follower, Error> {
        self.follower.as_ref().ok_or(Error::Gone)
    }
}

impl Shared {
    /// Takes in what waits, or reads what another program recorded, and publishes. Returns whether there was anything to do.
    pub(super) async fn step(&self) -> Result<bool, Error> {
        let mut slot = self.belief.lock().await;
        let before = slot.follower.as_ref().map(|follower| (follower.state().position(), follower.digest()));
        let holds = self.advance(&mut slot).await?;
        let follower = slot.follower()?;
        let after = (follower.state().position(), follower.digest());
        // A belief that another revision recorded is for that revision to publish.
        if (before == Some(after) && slot.is_published) || follower.is_unbuilt() {
            return Ok(false);
        }
        let votes = follower.state().votes().all().len();
        self.publish(&mut slot, holds).await?;
        if holds && votes >= slot.kept + self.options.keep_every {
            self.keep(&mut slot).await?;
        }
        let checked = slot.report.as_ref().map_or(0, |report| report.report.votes.total());
        if votes >= checked + self.options.check_every {
            self.report(&mut slot, holds).await?;
        }
        Ok(true)
    }

    /// Makes a report, unless there has been one since the belief last moved. Returns whether there was anything to do.
    pub(super) async fn check(&self) -> Result<bool, Error> {
        let mut slot = self.belief.lock().await;
        let Some(follower) = &slot.follower else { return Ok(false) };
        let is_checked =
            slot.report.as_ref().is_some_and(|report| report.position == follower.state().position());
        if is_checked || follower.belief().is_none() {
            return Ok(false);
        }
        let holds = self.hold(&mut slot).await?;
        self.report(&mut slot, holds).await?;
        Ok(true)
    }

    /// Lets the belief read what is new in the log, and take it in if this program has the belief. Returns whether it has.
    pub(super) async fn advance(&self, slot: &mut BeliefSlot) -> Result<bool, Error> {
        // Before the log is read: between two owners it may have grown by the other's record.
        let holds = self.hold(slot).await?;
        self.read_on().await?;
        self.catch_up(slot).await?;
        if holds && slot.follower()?.is_behind() {
            self.record(slot, Follower::advance_all).await?;
            slot.swept = 0;
        }
        Ok(holds)
    }

    /// Asks for the belief, or to keep it, well before the time ends.
    async fn hold(&self, slot: &mut BeliefSlot) -> Result<bool, Error> {
        let now = self.now();
        if now.plus(HOLDING / 2) < slot.held_until {
            return Ok(true);
        }
        let wish = Holding { holder: self.holder, name: self.options.name.clone(), until: now.plus(HOLDING) };
        let holding = self.store.hold_belief(self.id, wish, now).await?;
        let holds = holding.holder == self.holder;
        slot.held_until = if holds { holding.until } else { Moment(0) };
        Ok(holds)
    }

    /// Gives the belief the entries that were read since, and replays it first where there is none.
    pub(super) async fn catch_up(&self, slot: &mut BeliefSlot) -> Result<(), Error> {
        if slot.follower.is_some() {
            let entries = std::mem::take(&mut self.head.write().queue);
            if entries.is_empty() {
                return Ok(());
            }
            let read = self.work(slot, move |follower| follower.read_all(&entries)).await;
            if read.is_err() {
                // Some entries were not read, and are in the queue no more: replay from the log.
                slot.follower = None;
            }
            return read;
        }
        let kept = self.store.newest_snapshot(self.id, KIND, None).await?;
        let (entries, revision) = (self.whole_log().await?, self.options.revision);
        let replay = move || {
            let thawed = kept.and_then(|kept| {
                let follower = Follower::at_revision(revision);
                Some((follower.thaw(&entries, kept.position, &kept.bytes)?, kept.position))
            });
            let Some((follower, position)) = thawed else {
                return Ok((Follower::at_revision(revision).replayed(&entries)?, 0));
            };
            let is_vote = |entry: &&Entry| matches!(entry.event, Event::VoteCast(_));
            let before = entries.iter().take_while(|entry| entry.position <= position);
            Ok::<_, Error>((follower, before.filter(is_vote).count()))
        };
        let (follower, kept) = background::work(replay).await??;
        (slot.follower, slot.kept, slot.is_published) = (Some(follower), kept, false);
        Ok(())
    }

    /// The log from its beginning: from the queue, where it is all there still.
    async fn whole_log(&self) -> Result<Vec<Entry>, Error> {
        let queue = std::mem::take(&mut self.head.write().queue);
        match queue.first() {
            Some(first) if first.position.0 == Position::START.0 + 1 => Ok(queue),
            _ => read_log(&self.store, self.id, Position::START).await,
        }
    }

    /// Works on the belief on a thread for such work. After a panic, it is replayed from the log when it is next needed.
    async fn work<T: Send + 'static>(
        &self,
        slot: &mut BeliefSlot,
        work: impl FnOnce(&mut Follower) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let mut follower = slot.follower.take().ok_or(Error::Gone)?;
        let done = background::work(move || {
            let outcome = work(&mut follower);
            (follower, outcome)
        });
        let (follower, outcome) = done.await?;
        slot.follower = Some(follower);
        outcome
    }

    /// Moves the belief and records how in the log.
    pub(super) async fn record(
        &self,
        slot: &mut BeliefSlot,
        work: impl FnOnce(&mut Follower) -> Result<Work, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let recorded = self.try_record(slot, work).await;
        if recorded.is_err() {
            // What was computed is not in the log, so it must not be believed.
            (slot.follower, slot.held_until) = (None, Moment(0));
        }
        recorded
    }

    async fn try_record(
        &self,
        slot: &mut BeliefSlot,
        work: impl FnOnce(&mut Follower) -> Result<Work, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let work = self.work(slot, work).await?;
        let follower = slot.follower.as_mut().ok_or(Error::Gone)?;
        let (to, now) = (follower.state().position(), self.now());
        let receipt = self.store.advance(self.id, now, self.holder, to, work.to_json()).await?;
        follower.has_written(receipt.position);
        Ok(())
    }

    async fn publish(&self, slot: &mut BeliefSlot, holds: bool) -> Result<(), Error> {
        let now = self.now();
        let leased: HashSet<Question> =
            self.store.leases(self.id, now).await?.into_iter().map(|lease| lease.question).collect();
        let options = self.options.clone();
        let snapshot =
            self.work(slot, move |follower| Snapshot::of(follower, now, &options, &leased)).await?;
        if let (Some(position), None) = (snapshot.astray, self.published.borrow().astray) {
            tracing::error!(campaign = %self.id, %position, "replaying the log does not give the recorded belief");
        }
        let (stop, report) = (snapshot.stop.clone(), slot.report.clone());
        self.head.write().has_published(snapshot.votes_read);
        self.published.send_replace(Arc::new(Snapshot { runs_here: holds, report, ..snapshot }));
        slot.is_published = true;
        match stop {
            Some(reason) if holds => self.stop(slot, reason).await,
            _ => Ok(()),
        }
    }

    /// Ends the campaign by its own rules. A target has to be reached by the checked belief too.
    async fn stop(&self, slot: &mut BeliefSlot, reason: String) -> Result<(), Error> {
        let confirmed = |follower: &mut Follower| {
            let state = follower.state();
            let rules = state.settings().stop_rules()?;
            let best_gain = follower.queue(1, &|_| false).first().map(|best| best.gain);
            let refined = follower.engine().map(|engine| engine.refined());
            Ok(refined.is_some_and(|belief| rules.should_stop(&*belief, state.spent(), best_gain).is_some()))
        };
        let has_target = self.head.read().state.settings().target.is_some();
        if has_target && !self.work(slot, confirmed).await? {
            return Ok(());
        }
        self.edit(Actor::Grove, Edit::Stop { reason }).await
    }

    /// Reports on the belief, makes sweeps where the report finds its trees in disagreement, and publishes.
    async fn report(&self, slot: &mut BeliefSlot, holds: bool) -> Result<(), Error> {
        let report = self.work(slot, |follower| follower.report(&ReportOptions::default())).await?;
        let Some(report) = report else { return Ok(()) };
        let unsettled = report.report.health.verdict == Verdict::NotConverged;
        slot.report = Some(Arc::new(report));
        let (sweeps, times) = self.options.sweeps;
        if unsettled && holds && sweeps > 0 && slot.swept < times {
            slot.swept += 1;
            let work = move |follower: &mut Follower| {
                follower.advance(follower.state().position(), Way::Follow, sweeps)
            };
            self.record(slot, work).await?;
            // The next report is on the trees after the sweeps.
            slot.report = None;
        }
        self.publish(slot, holds).await
    }

    /// Stores the belief and the published snapshot, unless that was done at this position.
    pub(super) async fn keep(&self, slot: &mut BeliefSlot) -> Result<(), Error> {
        let Some(follower) = &slot.follower else { return Ok(()) };
        slot.kept = follower.state().votes().all().len();
        let published = self.published.borrow().clone();
        published.store(&self.store, self.id, follower.revision()).await?;
        let position = follower.state().position();
        let kept = self.store.newest_snapshot(self.id, KIND, None).await?;
        if kept.is_some_and(|kept| kept.position == position) {
            return Ok(());
        }
        if let Some(bytes) = follower.freeze() {
            let snapshot = grove_store::Snapshot { position, at: self.now(), bytes };
            self.store.save_snapshot(self.id, KIND, snapshot, KEEP).await?;
        }
        Ok(())
    }
}
