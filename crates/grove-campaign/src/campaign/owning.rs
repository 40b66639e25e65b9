//! Which program moves the belief, and how the others follow it.
//!
//! Servers that share a database do not duplicate work: the owner of a belief stores what it publishes, and the
//! others show that.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use grove_store::{Claim, Moment};

use super::belief::BeliefSlot;
use super::snapshot::KIND;
use super::{Shared, Snapshot};
use crate::{Error, Peers};

/// How long a program that is not a server holds the belief before it must renew the claim.
const HOLDING: Duration = Duration::from_secs(15);
/// How often the owner stores what it publishes, and others look for it.
const SHARE: Duration = Duration::from_millis(500);
/// A belief that was replayed for an explanation is kept for the next one until this many entries wait for it.
const MOST_WAITING: usize = 20_000;
/// How often a server that does not own a belief replays it to make a report for somebody who is looking at the
/// campaign.
const REPORT: Duration = Duration::from_secs(60);

/// The right to move the belief.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// When it ends; a server has it for as long as it lives.
    until: Moment,
    /// The period of being alive in which this server claimed it (see `Peers::life`).
    life: u64,
    /// The epoch that its records carry.
    pub(super) epoch: i64,
}

/// When this server last exchanged something with others.
#[derive(Default)]
pub(super) struct Exchange {
    /// When a snapshot was last stored for others, or looked for.
    last: Option<Instant>,
    /// Whether the published snapshot is not stored yet.
    pub(super) is_unshared: bool,
    reported: Option<Instant>,
}

impl Shared {
    /// Claims the belief, or renews the claim well before it ends. Returns whether this program holds it.
    pub(super) async fn hold(&self, slot: &mut BeliefSlot) -> Result<bool, Error> {
        match &self.options.peers {
            Some(peers) => self.hold_while_alive(slot, peers).await,
            None => self.hold_for_a_while(slot).await,
        }
    }

    async fn hold_for_a_while(&self, slot: &mut BeliefSlot) -> Result<bool, Error> {
        let now = self.now();
        if slot.held.is_some_and(|held| now.plus(HOLDING / 2) < held.until) {
            return Ok(true);
        }
        self.claim(slot, HOLDING, 0).await
    }

    /// A server holds the beliefs assigned to it for as long as it is alive.
    async fn hold_while_alive(&self, slot: &mut BeliefSlot, peers: &Peers) -> Result<bool, Error> {
        let Some(life) = peers.life() else { return Ok(false) };
        if peers.is_mine(self.id) {
            return match slot.held {
                Some(held) if held.life == life => Ok(true),
                _ => self.claim(slot, Duration::ZERO, life).await,
            };
        }
        if slot.held.is_some_and(|held| held.life == life) {
            // Stored first, so that the next owner need not recompute it.
            self.keep(slot).await?;
            self.store.release_belief(self.id, self.holder).await?;
        }
        slot.held = None;
        Ok(false)
    }

    async fn claim(&self, slot: &mut BeliefSlot, term: Duration, life: u64) -> Result<bool, Error> {
        let claim = Claim { holder: self.holder, name: self.options.name.clone(), term };
        let holding = self.store.hold_belief(self.id, claim, self.now()).await?;
        let held = Held { until: holding.until, life, epoch: holding.epoch };
        slot.held = (holding.holder == self.holder).then_some(held);
        Ok(slot.held.is_some())
    }

    /// Whether it is time to store or look again; if not, the exchange is postponed.
    fn is_due(&self, slot: &BeliefSlot) -> bool {
        let is_due = slot.exchange.last.is_none_or(|last| last.elapsed() >= SHARE);
        self.is_put_off.store(!is_due, Ordering::Relaxed);
        is_due
    }

    /// How long to wait before polling again.
    pub(super) fn pause(&self) -> Duration {
        let is_put_off = self.is_put_off.swap(false, Ordering::Relaxed);
        if is_put_off { SHARE.min(self.options.poll) } else { self.options.poll }
    }

    /// Whether other servers show what this one publishes.
    fn has_readers(&self) -> bool {
        self.options.peers.as_ref().is_some_and(|peers| peers.count() > 1)
    }

    /// Stores what was published, for other servers to show, unless that was done a moment ago.
    pub(super) async fn share(&self, slot: &mut BeliefSlot) -> Result<(), Error> {
        if !slot.exchange.is_unshared || !self.has_readers() || !self.is_due(slot) {
            return Ok(());
        }
        let published = self.published.borrow().clone();
        published.store(&self.store, self.id, self.options.revision).await?;
        (slot.exchange.last, slot.exchange.is_unshared) = (Some(Instant::now()), false);
        Ok(())
    }

    /// Shows what the owner of the belief has published since. Returns whether there was anything.
    pub(super) async fn follow_owner(&self, slot: &mut BeliefSlot) -> Result<bool, Error> {
        self.read_on().await?;
        {
            let mut head = self.head.write();
            if slot.follower.is_none() || head.queue.len() > MOST_WAITING {
                (slot.follower, head.queue) = (None, Vec::new());
            }
        }
        if !self.is_due(slot) {
            return Ok(false);
        }
        slot.exchange.last = Some(Instant::now());
        let shown = self.published.borrow().clone();
        // The snapshot found at the start is shown as current: its owner is running.
        let known = if shown.rebuilding { Default::default() } else { (shown.position, shown.at) };
        let Some(kept) = self.store.newer_snapshot(self.id, KIND, known).await? else { return Ok(false) };
        let read = {
            let head = self.head.read();
            Snapshot::read(&kept, &head.state, &self.options)?
        };
        let Some(snapshot) = read else { return Ok(false) };
        self.head.write().has_published(snapshot.votes_read);
        let report = slot.report.clone();
        self.published.send_replace(Arc::new(Snapshot { rebuilding: false, report, ..snapshot }));
        Ok(true)
    }

    /// Whether to make a report here on a belief that another server owns, because somebody is looking at the
    /// campaign.
    pub(super) fn wants_report(&self, slot: &mut BeliefSlot) -> bool {
        let is_due = slot.exchange.reported.is_none_or(|last| last.elapsed() >= REPORT);
        let is_wanted = is_due && self.published.receiver_count() > 0 && !self.published.borrow().rebuilding;
        if is_wanted {
            slot.exchange.reported = Some(Instant::now());
        }
        is_wanted
    }

    /// Stores the belief, if this program holds it, and releases it.
    pub(super) async fn release(&self) -> Result<(), Error> {
        let mut slot = self.belief.lock().await;
        if slot.held.is_some() {
            // A command may have waited for its user until its claim ended.
            self.hold(&mut slot).await?;
        }
        self.keep(&mut slot).await?;
        Ok(self.store.release_belief(self.id, self.holder).await?)
    }
}
