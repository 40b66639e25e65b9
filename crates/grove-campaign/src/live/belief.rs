use std::collections::HashSet;
use std::sync::Arc;

use grove_belief::{ReportOptions, Verdict};
use grove_store::{Actor, Holding, Moment, Position, Question};

use super::{Room, Snapshot};
use crate::campaign::{HOLDING, follow, keep, read_log, way_for};
use crate::{Edit, Error, Follower, NamedReport, Way, Work};

/// The belief of a live campaign, and what it has still to do.
pub(super) struct Believer {
    /// Taken out while it is worked on; put back whatever comes of it.
    follower: Option<Follower>,
    held_until: Moment,
    /// The last long look.
    report: Option<Arc<NamedReport>>,
    /// How many times sweeps were made since the last entry.
    swept: usize,
    /// How many votes the belief had taken in when it was last kept.
    kept: usize,
    /// Whether what is published is what is believed.
    published: bool,
}

impl Believer {
    pub(super) fn new(follower: Follower, kept: usize) -> Self {
        Self {
            follower: Some(follower),
            held_until: Moment(0),
            report: None,
            swept: 0,
            kept,
            published: false,
        }
    }

    pub(super) fn follower(&self) -> &Follower {
        self.follower.as_ref().expect("it is put back before the lock is given back")
    }
}

impl Room {
    /// One round: follows what others have recorded, or takes in what waits and records it, and publishes. Whether there was anything
    /// to do.
    pub(super) async fn believe(&self) -> Result<bool, Error> {
        let mut believer = self.believer.lock().await;
        let holds = self.hold(&mut believer).await?;
        let before = (believer.follower().state().position(), believer.follower().digest());
        let entries = read_log(&self.store, self.id, believer.follower().read_to()).await?;
        self.work(&mut believer, move |follower| follower.read_all(&entries)).await??;
        if holds && believer.follower().is_behind() {
            self.take_in(&mut believer).await?;
            believer.swept = 0;
        }
        let after = (believer.follower().state().position(), believer.follower().digest());
        if before == after && believer.published {
            return Ok(false);
        }
        self.publish(&mut believer, holds).await?;
        let votes = believer.follower().state().votes().all().len();
        if holds && votes >= believer.kept + self.options.keep_every {
            keep(&self.store, self.id, believer.follower(), self.clock.now()).await?;
            believer.kept = votes;
        }
        if self.should_look_between(&believer) {
            self.look_long(&mut believer, holds).await?;
        }
        Ok(true)
    }

    /// A long look at the belief, unless there has been one since it last moved; lets the trees move on where it says that they should. Whether there was
    /// anything to do.
    pub(super) async fn check(&self) -> Result<bool, Error> {
        let mut believer = self.believer.lock().await;
        let position = believer.follower().state().position();
        let looked = believer.report.as_ref().is_some_and(|report| report.position == position);
        if looked || believer.follower().belief().is_none() {
            return Ok(false);
        }
        let holds = self.hold(&mut believer).await?;
        self.look_long(&mut believer, holds).await?;
        Ok(true)
    }

    /// Asks for the belief, or to keep it, well before the time ends.
    async fn hold(&self, believer: &mut Believer) -> Result<bool, Error> {
        let now = self.clock.now();
        if now.plus(HOLDING / 2) < believer.held_until {
            return Ok(true);
        }
        let wish = Holding { holder: self.holder, name: self.options.name.clone(), until: now.plus(HOLDING) };
        let holding = self.store.hold_belief(self.id, wish, now).await?;
        let holds = holding.holder == self.holder;
        believer.held_until = if holds { holding.until } else { Moment(0) };
        Ok(holds)
    }

    /// Works on the follower on a thread for such work. Panics of the engine leave the campaign without a belief until it is read again.
    async fn work<T: Send + 'static>(
        &self,
        believer: &mut Believer,
        work: impl FnOnce(&mut Follower) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let mut follower = believer.follower.take().ok_or(Error::Gone)?;
        let done = tokio::task::spawn_blocking(move || {
            let outcome = work(&mut follower);
            (follower, outcome)
        });
        match done.await {
            Ok((follower, outcome)) => {
                believer.follower = Some(follower);
                Ok(outcome)
            }
            Err(_) => {
                believer.follower = Some(Follower::new());
                Err(Error::Gone)
            }
        }
    }

    /// Takes in what waits, and writes that down.
    async fn take_in(&self, believer: &mut Believer) -> Result<(), Error> {
        self.advance(believer, |follower| {
            let (way, sweeps) = way_for(follower);
            follower.advance(follower.read_to(), way, sweeps)
        })
        .await
    }

    async fn advance(
        &self,
        believer: &mut Believer,
        work: impl FnOnce(&mut Follower) -> Result<Work, Error> + Send + 'static,
    ) -> Result<(), Error> {
        let work = self.work(believer, work).await??;
        let (to, now) = (believer.follower().state().position(), self.clock.now());
        match self.store.advance(self.id, now, self.holder, to, work.to_json()).await {
            Ok(receipt) => {
                if let Some(follower) = &mut believer.follower {
                    follower.has_written(receipt.position);
                }
                Ok(())
            }
            Err(error) => {
                // What was computed is not in the log, so it must not be believed.
                believer.held_until = Moment(0);
                self.start_over(believer).await?;
                Err(error.into())
            }
        }
    }

    async fn start_over(&self, believer: &mut Believer) -> Result<(), Error> {
        believer.follower = Some(Follower::new());
        believer.published = false;
        let entries = read_log(&self.store, self.id, Position::START).await?;
        believer.follower = Some(follow(&self.store, self.id, entries).await?.0);
        Ok(())
    }

    async fn publish(&self, believer: &mut Believer, holds: bool) -> Result<(), Error> {
        let now = self.clock.now();
        let leased: HashSet<Question> =
            self.store.leases(self.id, now).await?.into_iter().map(|lease| lease.question).collect();
        let options = self.options.clone();
        let snapshot =
            self.work(believer, move |follower| Snapshot::of(follower, now, &options, &leased)).await??;
        let stop = snapshot.stop.clone();
        self.front().believed(snapshot.votes_read);
        let report = believer.report.clone();
        self.published.send_replace(Arc::new(Snapshot { runs_here: holds, report, ..snapshot }));
        believer.published = true;
        match stop {
            Some(reason) if holds => self.stop(believer, reason).await,
            _ => Ok(()),
        }
    }

    /// Ends the campaign by its own rules: of a target, only where the long look finds it reached too.
    async fn stop(&self, believer: &mut Believer, reason: String) -> Result<(), Error> {
        let target = self.front().state.settings().target;
        if target.is_some() {
            let confirmed = self
                .work(believer, |follower| {
                    let rules = follower.state().settings().stop_rules()?;
                    let refined = follower.engine().map(crate::follow::Engine::refined);
                    let spent = follower.state().spent();
                    let best_gain = follower.queue(1, &|_| false).first().map(|best| best.gain);
                    Ok::<_, Error>(refined.is_some_and(|refined| {
                        rules.should_stop(refined.belief(), spent, best_gain).is_some()
                    }))
                })
                .await??;
            if !confirmed {
                return Ok(());
            }
        }
        let events = self.front().state.plan(Edit::Stop { reason })?;
        if !events.is_empty() {
            self.store.append(self.id, self.clock.now(), Actor::Grove, events).await?;
            self.read_on().await?;
        }
        Ok(())
    }

    fn should_look_between(&self, believer: &Believer) -> bool {
        let votes = believer.follower().state().votes().all().len();
        let looked = believer.report.as_ref().map_or(0, |report| report.report.votes.total());
        votes >= looked + self.options.check_every
    }

    /// A long look; and sweeps for trees that it finds in disagreement.
    async fn look_long(&self, believer: &mut Believer, holds: bool) -> Result<(), Error> {
        let report = self.work(believer, |follower| follower.report(&ReportOptions::default())).await??;
        let Some(report) = report else { return Ok(()) };
        let unsettled = report.report.health.verdict == Verdict::NotConverged;
        believer.report = Some(Arc::new(report));
        let (sweeps, times) = self.options.sweeps;
        if unsettled && holds && sweeps > 0 && believer.swept < times {
            believer.swept += 1;
            let waiting = believer.follower().state().position();
            self.advance(believer, move |follower| follower.advance(waiting, Way::Follow, sweeps)).await?;
            // The next look is at what came of it.
            believer.report = None;
        }
        self.publish(believer, holds).await
    }
}
