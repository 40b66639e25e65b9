use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use grove_belief::{ReportOptions, Verdict};
use grove_store::{Actor, Entry, Event, Moment, Position, Screen};

use super::owning::{Exchange, Held};
use super::{Shared, Snapshot, read_log};
use crate::follow::{KEEP, KIND};
use crate::{Edit, Error, Follower, NamedReport, Way, Work, background};

/// The belief of a campaign, and what its owner remembers about it.
#[derive(Default)]
pub(super) struct BeliefSlot {
    /// None until the log is replayed, and while a thread works on it.
    pub(super) follower: Option<Follower>,
    pub(super) held: Option<Held>,
    pub(super) exchange: Exchange,
    pub(super) report: Option<Arc<NamedReport>>,
    /// How many times sweeps were made since the last entry.
    swept: usize,
    /// The belief as it was last stored.
    kept: Kept,
    /// Whether the published snapshot is of the present belief.
    is_published: bool,
    overtaken: Overtaken,
}

/// A stored belief.
#[derive(Clone, Copy, Default)]
struct Kept {
    position: Position,
    votes: usize,
    bytes: usize,
    /// When it was frozen, and how long that took.
    at: Moment,
    took: Duration,
}

/// A stored belief grows with the number of concepts. To limit disk writes, at most this many bytes are written per
/// vote; what came after the stored belief is recomputed in the background at the next start.
const BYTES_PER_VOTE: usize = 4_096;

/// Rates are drawn anew whenever the belief is stored, which takes long where many people have voted. At most one part in so many of the time goes into that,
/// and as much into checks of a belief that votes have overtaken.
const SPARED: u32 = 10;

impl Kept {
    /// Whether it should be stored again: if there are at least `least` more votes than last time.
    fn is_outdated(self, votes: usize, least: usize, now: Moment) -> bool {
        votes >= self.votes + least.max(self.bytes / BYTES_PER_VOTE)
            && now >= self.at.plus(self.took * SPARED)
    }
}

/// A belief that votes have overtaken, since when or since its last check, and how long that took.
#[derive(Default)]
struct Overtaken {
    since: Option<Moment>,
    took: Duration,
}

/// A belief that votes have overtaken is not checked for so long. The check takes as long as taking in thousands of votes together does, and it says little:
/// the trees agree where they were built, whatever came after.
const UNCHECKED: Duration = Duration::from_secs(60);

impl Overtaken {
    /// Whether it should be checked, if that is due by the number of votes.
    fn is_due(&mut self, is_overtaken: bool, now: Moment) -> bool {
        if !is_overtaken {
            self.since = None;
            return true;
        }
        let since = *self.since.get_or_insert(now);
        now >= since.plus(UNCHECKED.max(self.took * SPARED))
    }

    fn was_checked(&mut self, began: Moment, now: Moment) {
        self.since = Some(now);
        self.took = Duration::from_micros(u64::try_from(now.0.saturating_sub(began.0)).unwrap_or_default());
    }
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
        if self.options.peers.is_some() && !self.hold(&mut slot).await? {
            return self.follow_owner(&mut slot).await;
        }
        let before = slot.follower.as_ref().map(|follower| (follower.state().position(), follower.digest()));
        let holds = self.advance(&mut slot).await?;
        let follower = slot.follower()?;
        let after = (follower.state().position(), follower.digest());
        // A belief that another revision recorded is for that revision to publish.
        if (before == Some(after) && slot.is_published) || follower.is_unbuilt() {
            self.share(&mut slot).await?;
            return Ok(false);
        }
        let votes = follower.state().votes().all().len();
        let is_due = holds && slot.kept.is_outdated(votes, self.options.keep_every, self.now());
        // Before it is published, since the rates change.
        let frozen = if is_due { self.freeze(&mut slot).await? } else { None };
        self.publish(&mut slot, holds).await?;
        self.share(&mut slot).await?;
        if is_due {
            self.save(&mut slot, frozen).await?;
        }
        let checked = slot.report.as_ref().map_or(0, |report| report.report.votes.total());
        let (began, is_overtaken) = (self.now(), slot.follower()?.is_overtaken());
        if slot.overtaken.is_due(is_overtaken, began) && votes >= checked + self.options.check_every {
            self.report(&mut slot, holds).await?;
            slot.overtaken.was_checked(began, self.now());
        }
        Ok(true)
    }

    /// Makes a report, unless there has been one since the belief last moved. A belief that a rush of votes has overtaken is built anew before, and one that
    /// has followed many of them is swept.
    /// Returns whether there was anything to do.
    pub(super) async fn check(&self) -> Result<bool, Error> {
        let mut slot = self.belief.lock().await;
        let holds = self.hold(&mut slot).await?;
        if !holds && self.options.peers.is_some() {
            if !self.wants_report(&mut slot) {
                return Ok(false);
            }
            self.catch_up(&mut slot).await?;
        }
        let Some(follower) = &slot.follower else { return Ok(false) };
        let is_checked =
            slot.report.as_ref().is_some_and(|report| report.position == follower.state().position());
        if (is_checked && !(holds && follower.is_overtaken())) || follower.belief().is_none() {
            return Ok(false);
        }
        if holds {
            self.build_if_overtaken(&mut slot).await?;
            if let Some(sweeps) = slot.follower()?.due_sweeps() {
                self.sweep(&mut slot, sweeps).await?;
            }
        }
        self.report(&mut slot, holds).await?;
        Ok(true)
    }

    /// Builds the belief anew where it has taken in too many votes together.
    pub(super) async fn build_if_overtaken(&self, slot: &mut BeliefSlot) -> Result<(), Error> {
        if slot.follower()?.is_overtaken() {
            self.record(slot, Follower::rebuild).await?;
            slot.swept = 0;
        }
        Ok(())
    }

    /// The same as [`Shared::advance`], and a belief that a rush of votes has overtaken is built anew.
    pub(super) async fn advance_fully(&self, slot: &mut BeliefSlot) -> Result<bool, Error> {
        let holds = self.advance(slot).await?;
        if holds {
            self.build_if_overtaken(slot).await?;
        }
        Ok(holds)
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

    /// Gives the belief the entries that were read since, and replays it first where there is none.
    pub(super) async fn catch_up(&self, slot: &mut BeliefSlot) -> Result<(), Error> {
        if slot.follower.is_some() {
            let entries = std::mem::take(&mut self.head.write().queue);
            if entries.is_empty() {
                return Ok(());
            }
            let read = self.work(slot, move |follower| follower.read_all(&entries)).await;
            if read.is_err() {
                // Some entries were not read and are no longer in the queue: replay from the log.
                slot.follower = None;
            }
            return read;
        }
        let kept = self.store.newest_snapshot(self.id, KIND, None).await?;
        let (entries, revision) = (self.whole_log().await?, self.options.revision);
        let replay = move || {
            let thawed = kept.and_then(|kept| {
                let follower = Follower::at_revision(revision);
                let follower = follower.thaw(&entries, kept.position, &kept.bytes)?;
                Some((follower, kept.position, kept.bytes.len()))
            });
            let Some((follower, position, bytes)) = thawed else {
                return Ok((Follower::at_revision(revision).replayed(&entries)?, Kept::default()));
            };
            let is_vote = |entry: &&Entry| matches!(entry.event, Event::VoteCast(_));
            let before = entries.iter().take_while(|entry| entry.position <= position);
            let votes = before.filter(is_vote).count();
            Ok::<_, Error>((follower, Kept { position, votes, bytes, ..Kept::default() }))
        };
        let (follower, kept) = background::work(replay).await??;
        (slot.follower, slot.kept, slot.is_published) = (Some(follower), kept, false);
        Ok(())
    }

    /// The log from its beginning; taken from the queue if that still holds all of it.
    async fn whole_log(&self) -> Result<Vec<Entry>, Error> {
        let queue = std::mem::take(&mut self.head.write().queue);
        match queue.first() {
            Some(first) if first.position.0 == Position::START.0 + 1 => Ok(queue),
            _ => read_log(&self.store, self.id, Position::START).await,
        }
    }

    /// Works on the belief on a thread for such work. After a panic, it is replayed from the log when it is next needed.
    pub(super) async fn work<T: Send + 'static>(
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

    /// Gives the trees more sweeps, without taking anything in, and records that.
    async fn sweep(&self, slot: &mut BeliefSlot, sweeps: u32) -> Result<(), Error> {
        let sweep =
            move |follower: &mut Follower| follower.advance(follower.state().position(), Way::Follow, sweeps);
        self.record(slot, sweep).await
    }

    /// Moves the belief and records how in the log.
    pub(super) async fn record(
        &self,
        slot: &mut BeliefSlot,
        work: impl FnOnce(&mut Follower) -> Result<Work, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let recorded = self.try_record(slot, work).await;
        if recorded.is_err() {
            // What was computed is not in the log, so it must be discarded.
            (slot.follower, slot.held) = (None, None);
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
        // The store refuses it if this program does not hold the belief.
        let holder = (self.holder, slot.held.map_or(0, |held| held.epoch));
        let receipt = self.store.advance(self.id, now, holder, to, work.to_json()).await?;
        follower.has_written(receipt.position);
        self.advanced.store(now.0, Ordering::Relaxed);
        Ok(())
    }

    async fn publish(&self, slot: &mut BeliefSlot, holds: bool) -> Result<(), Error> {
        let now = self.now();
        let leased: Vec<Screen> =
            self.store.leases(self.id, now).await?.into_iter().map(|lease| lease.screen).collect();
        let options = self.options.clone();
        let snapshot =
            self.work(slot, move |follower| Snapshot::of(follower, now, &options, &leased)).await?;
        if let (Some(position), None) = (snapshot.astray, self.published.borrow().astray) {
            tracing::error!(campaign = %self.id, %position, "replaying the log does not give the recorded belief");
        }
        // The previous report, until the next one is ready.
        let report = slot.report.clone().or_else(|| self.published.borrow().report.clone());
        let stop = snapshot.stop.clone();
        self.head.write().has_published(snapshot.votes_read);
        self.published.send_replace(Arc::new(Snapshot { runs_here: holds, report, ..snapshot }));
        (slot.is_published, slot.exchange.is_unshared) = (true, holds);
        match stop {
            Some(reason) if holds => self.stop(slot, reason).await,
            _ => Ok(()),
        }
    }

    /// Ends the campaign by its own rules. A rule must hold for the refined belief too.
    async fn stop(&self, slot: &mut BeliefSlot, reason: String) -> Result<(), Error> {
        let confirmed = |follower: &mut Follower| {
            let Some(refined) = follower.engine().map(|engine| engine.refined()) else { return Ok(false) };
            Ok(follower.stop_reason(&*refined, follower.best_by(&*refined).as_ref())?.is_some())
        };
        let needs_check = {
            let head = self.head.read();
            let settings = head.state.settings();
            settings.target.is_some() || settings.least_gain_per_second.is_some()
        };
        if needs_check && !self.work(slot, confirmed).await? {
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
            self.sweep(slot, sweeps).await?;
            // The next report is on the trees after the sweeps.
            slot.report = None;
        }
        self.publish(slot, holds).await
    }

    /// Stores the belief, if this program holds it, and the published snapshot, unless that was done at this position.
    pub(super) async fn keep(&self, slot: &mut BeliefSlot) -> Result<(), Error> {
        let frozen = if slot.held.is_some() { self.freeze(slot).await? } else { None };
        self.save(slot, frozen).await
    }

    /// The belief as bytes. Its rates are drawn anew for that, which is recorded.
    async fn freeze(&self, slot: &mut BeliefSlot) -> Result<Option<Vec<u8>>, Error> {
        let Some(follower) = &slot.follower else { return Ok(None) };
        if slot.kept.position == follower.state().position() {
            return Ok(None);
        }
        let began = self.now();
        let (frozen, work) = self.work(slot, |follower| Ok(follower.freeze())).await?;
        let now = self.now();
        let took = u64::try_from(now.0.saturating_sub(began.0)).unwrap_or_default();
        (slot.kept.at, slot.kept.took) = (now, Duration::from_micros(took));
        if let Some(work) = work {
            self.record(slot, move |_| Ok(work)).await?;
        }
        Ok(frozen)
    }

    async fn save(&self, slot: &mut BeliefSlot, frozen: Option<Vec<u8>>) -> Result<(), Error> {
        let Some(follower) = &slot.follower else { return Ok(()) };
        let published = self.published.borrow().clone();
        published.store(&self.store, self.id, follower.revision()).await?;
        let Some(engine) = frozen else { return Ok(()) };
        let bytes = follower.with_head(&engine);
        let (position, votes) = (follower.state().position(), follower.state().votes().all().len());
        slot.kept = Kept { position, votes, bytes: bytes.len(), ..slot.kept };
        let snapshot = grove_store::Snapshot { position, at: self.now(), bytes };
        Ok(self.store.save_snapshot(self.id, KIND, snapshot, KEEP).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Moment = Moment(1_000_000);

    fn after(seconds: i64) -> Moment {
        Moment(seconds * SECOND.0)
    }

    #[test]
    fn an_overtaken_belief_is_checked_seldom() {
        let mut overtaken = Overtaken::default();
        assert!(overtaken.is_due(false, after(0)));
        assert!(!overtaken.is_due(true, after(10)) && !overtaken.is_due(true, after(69)));
        assert!(overtaken.is_due(true, after(70)));
        // It takes 12 seconds, so the next one is due after 120.
        overtaken.was_checked(after(70), after(82));
        assert!(!overtaken.is_due(true, after(201)) && overtaken.is_due(true, after(202)));
        // It was built anew, and then overtaken again.
        assert!(overtaken.is_due(false, after(203)));
        assert!(!overtaken.is_due(true, after(204)));
    }
}
