//! From the log to a belief, to the same bits every time.
//!
//! A belief moves only where the log says so. Votes and other entries wait until an `advanced` entry tells how far the belief went and in
//! what way: one entry after the other, votes together, or by building it from all the evidence. What a replay computes therefore does
//! not depend on when votes arrived, how they were grouped, or how often the program was restarted. Every such entry holds a digest of
//! the belief, which a replay compares.
//!
//! Records made by another revision of the engine cannot be reproduced. They only tell how far they read: after them
//! there is no belief until its next owner rebuilds it and records that.

mod frozen;
mod work;

use std::collections::VecDeque;
use std::sync::Arc;

use grove_belief::{Belief, ENGINE_REVISION, Engine, EngineSettings, Progress, Response};
use grove_store::{Entry, Event, Position};

use crate::state::Change;
use crate::{Error, State};
pub(crate) use frozen::{KEEP, KIND};
pub use work::{Digest, Measures, Way, Work};

/// From this many waiting votes on, they are taken in together.
const MANY: usize = 16;

/// The most concepts with which a belief is swept after it has followed votes.
const SWEPT_UP_TO: usize = 300;

/// A belief that follows a log, and the state of the campaign as far as the belief has come.
#[derive(Clone, Debug)]
pub struct Follower {
    state: State,
    /// Shared with the snapshots made of it; copied when it moves on while one of them still holds it.
    engine: Option<Arc<Engine>>,
    /// Read, and not yet taken in.
    waiting: VecDeque<Entry>,
    /// The first record that a replay could not reproduce.
    astray: Option<Position>,
    /// The last record that was read or written.
    written: Position,
    /// The votes that the belief was last built from, and those that it has taken in together since.
    built_from: usize,
    together: usize,
    /// The votes that it has taken in since it was last built or swept.
    followed: usize,
    revision: u32,
}

impl Default for Follower {
    fn default() -> Self {
        Self::at_revision(ENGINE_REVISION)
    }
}

impl Follower {
    /// Starts at the beginning of a log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts at the beginning of a log as a program with another revision of the engine would, for tests of what happens when it changes.
    #[must_use]
    pub fn at_revision(revision: u32) -> Self {
        Self {
            state: State::new(),
            engine: None,
            waiting: VecDeque::new(),
            astray: None,
            written: Position::START,
            built_from: 0,
            together: 0,
            followed: 0,
            revision,
        }
    }

    /// Replays a log from its beginning.
    ///
    /// # Errors
    /// [`Error::Belief`] if the engine refuses the evidence.
    pub fn replay(entries: &[Entry]) -> Result<Self, Error> {
        Self::new().replayed(entries)
    }

    /// Replays a log from its beginning. The belief starts at the last record that built it or that another revision made, since nothing
    /// before such a record leaves a trace.
    ///
    /// # Errors
    /// As [`Follower::replay`].
    pub fn replayed(mut self, entries: &[Entry]) -> Result<Self, Error> {
        let starts_over = |work: Work| work.way == Way::Build || work.revision != self.revision;
        let start =
            entries.iter().rposition(|entry| work_of(entry).is_some_and(|(_, work)| starts_over(work)));
        let (before, after) = entries.split_at(start.unwrap_or(0));
        self.waiting.extend(before.iter().cloned());
        self.read_all(after)?;
        Ok(self)
    }

    /// The campaign as far as the belief has come.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The belief; none before the first record, without concepts, or after a record of another revision.
    #[must_use]
    pub fn belief(&self) -> Option<&dyn Belief> {
        self.engine.as_ref().map(|engine| &***engine)
    }

    pub(crate) fn engine(&self) -> Option<&Arc<Engine>> {
        self.engine.as_ref()
    }

    /// The revision of the engine that this belief is computed by.
    #[must_use]
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// The last entry that was read, taken in or not.
    #[must_use]
    pub fn read_to(&self) -> Position {
        self.waiting.back().map_or(self.state.position(), |entry| entry.position)
    }

    /// The first record of this revision whose digest a replay did not come to. There should be none: if there is, either the engine is
    /// at fault or the log was changed.
    #[must_use]
    pub fn astray(&self) -> Option<Position> {
        self.astray
    }

    /// A hash of the belief; the same for the same log, settings, seed and revision.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest(self.engine.as_ref().map_or(0, |engine| engine.digest()))
    }

    /// How good the hierarchy is by the belief's own probabilities.
    #[must_use]
    pub fn measures(&self) -> Option<Measures> {
        let Progress { concepts, expected_right, entropy, least_certain } = Progress::of(self.belief()?);
        let votes = self.state.votes().count() as u64;
        Some(Measures { votes, concepts, expected_right, entropy, least_certain })
    }

    /// Reads the entries after [`Follower::read_to`], and does what the records among them say.
    ///
    /// # Errors
    /// As [`Follower::replay`].
    pub fn read_all(&mut self, entries: &[Entry]) -> Result<(), Error> {
        for entry in entries {
            if entry.position <= self.read_to() {
                continue;
            }
            if let Some((votes_to, work)) = work_of(entry)
                && votes_to >= self.state.position()
                && entry.position > self.written
            {
                self.written = entry.position;
                if work.revision != self.revision {
                    self.pass_over(votes_to);
                } else {
                    self.take_in(votes_to, work.way, work.sweeps)?;
                    if self.digest() != work.digest {
                        self.astray.get_or_insert(entry.position);
                    }
                }
            }
            self.waiting.push_back(entry.clone());
        }
        Ok(())
    }

    /// Takes in what waits, up to a position, and returns what was done. The caller writes that into the log and passes on its position
    /// ([`Follower::has_written`]), or discards this follower.
    ///
    /// # Errors
    /// As [`Follower::replay`].
    pub fn advance(&mut self, votes_to: Position, way: Way, sweeps: u32) -> Result<Work, Error> {
        let way = self.take_in(votes_to, way, sweeps)?;
        Ok(self.work_done(way, sweeps))
    }

    /// What the log says of work that has led to the present belief.
    fn work_done(&self, way: Way, sweeps: u32) -> Work {
        let (digest, measures, revision) = (self.digest(), self.measures(), self.revision);
        Work { way, sweeps, digest, measures, revision }
    }

    /// Takes in all that waits in the usual way: few votes one by one; many together, with a quarter of the moves that they would get one
    /// by one but at most four sweeps, since the trees only have to arrive where the last vote leads, and more votes are on the way. When
    /// they have stopped coming, the check of the trees makes the sweeps that are still needed. Where votes have overtaken the belief, it will be built
    /// anew, and one sweep is enough until then.
    pub(crate) fn advance_all(&mut self) -> Result<Work, Error> {
        let votes = self.waiting.iter().filter(|entry| matches!(entry.event, Event::VoteCast(_))).count();
        let concepts = self.state.concepts().count().max(1);
        let (way, sweeps) = match self.engine.as_deref() {
            Some(Engine::Ensemble(_)) if self.together + votes > self.most_together() && votes >= MANY => {
                (Way::Together, 1)
            }
            Some(Engine::Ensemble(_)) if votes >= MANY => {
                (Way::Together, (4 * votes / concepts).clamp(2, 4) as u32)
            }
            _ => (Way::Follow, 0),
        };
        self.advance(self.read_to(), way, sweeps)
    }

    /// Whether the belief has taken in more votes together than it was built from: more than a few sweeps can take in. Trees and rates stay
    /// near where they were, and since they agree with each other there, the check of the trees notices nothing. The belief
    /// should then be built anew when there is time, which a growing log makes necessary ever more rarely.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.together > self.most_together()
    }

    fn most_together(&self) -> usize {
        self.built_from.max(self.state.concepts().count())
    }

    /// The sweeps that the belief is due: where it has followed as many votes as there are concepts, it lags behind them. Given after every vote, they would
    /// take more time than all else, at the next start too. With hundreds of concepts they take too long even so.
    pub(crate) fn due_sweeps(&self) -> Option<u32> {
        let concepts = self.state.concepts().count();
        let is_due = self.followed >= concepts.max(1) && concepts <= SWEPT_UP_TO;
        self.engine.as_deref().filter(|_| is_due).and_then(settling_sweeps)
    }

    /// Builds the belief anew from what it has taken in.
    pub(crate) fn rebuild(&mut self) -> Result<Work, Error> {
        self.advance(self.state.position(), Way::Build, 0)
    }

    /// Notes where the record of the last [`Follower::advance`] stands in the log.
    pub fn has_written(&mut self, record: Position) {
        self.written = record;
    }

    /// Whether anything waits that changes the belief or how it is shown, or the belief has to be built again.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.is_unbuilt() || self.waiting.iter().any(|entry| is_worth_a_record(&entry.event))
    }

    /// Whether there is evidence and no belief.
    pub(crate) fn is_unbuilt(&self) -> bool {
        self.engine.is_none() && self.state.evidence().is_some()
    }

    /// Returns the way it went: `Follow` becomes `Build` where there is nothing that could follow.
    fn take_in(&mut self, votes_to: Position, way: Way, sweeps: u32) -> Result<Way, Error> {
        let way = if self.engine.is_none() { Way::Build } else { way };
        let mut build = way == Way::Build;
        let mut together: Vec<Response> = Vec::new();
        while let Some(entry) = self.waiting.pop_front_if(|entry| entry.position <= votes_to) {
            let Some(change) = self.state.read(&entry) else { continue };
            self.followed += usize::from(matches!(change, Change::Record(_)));
            build |= change == Change::Rebuild;
            if build {
                continue;
            }
            match (change, way) {
                (Change::Record(response), Way::Together) => together.push(response),
                (change, _) => build = !self.follow(change, &mut together),
            }
        }
        if !build && !together.is_empty() {
            self.together += together.len();
            build = !self.record_all(&mut together);
        }
        if build {
            self.build()?;
            (self.built_from, self.together, self.followed) = (self.state.votes().all().len(), 0, 0);
        }
        if way == Way::Redraw
            && !build
            && let Some(engine) = &mut self.engine
        {
            Arc::make_mut(engine).redraw_rates();
        }
        if sweeps > 0
            && let Some(engine) = &mut self.engine
        {
            Arc::make_mut(engine).sweep(sweeps as usize);
            if settling_sweeps(engine).is_some_and(|enough| sweeps >= enough) {
                self.followed = 0;
            }
        }
        Ok(if build { Way::Build } else { way })
    }

    /// Builds the belief from all the evidence taken in so far. The ensemble replaces an engine that cannot hold so many concepts, so that a
    /// campaign can grow past it.
    pub(crate) fn build(&mut self) -> Result<(), Error> {
        let Some(evidence) = self.state.evidence() else {
            self.engine = None;
            return Ok(());
        };
        let (settings, count) = (self.state.settings(), evidence.count());
        let engine = match Engine::new(evidence.clone(), settings.engine(count)) {
            Err(grove_belief::Error::TooManyConcepts { .. }) => {
                Engine::new(evidence.clone(), EngineSettings::Ensemble(settings.ensemble(count)))
            }
            other => other,
        };
        self.engine = Some(Arc::new(engine?));
        Ok(())
    }

    /// Reads what waits, up to a position, and drops the belief.
    fn pass_over(&mut self, votes_to: Position) {
        self.engine = None;
        while let Some(entry) = self.waiting.pop_front_if(|entry| entry.position <= votes_to) {
            self.state.read(&entry);
        }
    }

    /// Applies a change after the votes before it. False if the engine cannot: one that cannot hold another concept is replaced.
    fn follow(&mut self, change: Change, before: &mut Vec<Response>) -> bool {
        (before.is_empty() || self.record_all(before))
            && self.engine.as_mut().is_some_and(|engine| change.apply(&mut **Arc::make_mut(engine)).is_ok())
    }

    fn record_all(&mut self, responses: &mut Vec<Response>) -> bool {
        let recorded =
            self.engine.as_mut().is_some_and(|engine| Arc::make_mut(engine).respond_all(responses).is_ok());
        responses.clear();
        recorded
    }
}

/// The sweeps that bring an engine up to date; none where it does not consist of chains.
fn settling_sweeps(engine: &Engine) -> Option<u32> {
    let Engine::Ensemble(ensemble) = engine else { return None };
    u32::try_from(ensemble.settling_sweeps()).ok()
}

/// What a record says. One that cannot be read was made by a program that this one does not know: by another revision.
fn work_of(entry: &Entry) -> Option<(Position, Work)> {
    let Event::Advanced { votes_to, work, .. } = &entry.event else { return None };
    let unreadable = Work { way: Way::Follow, sweeps: 0, digest: Digest(0), measures: None, revision: 0 };
    Some((*votes_to, Work::from_json(work).unwrap_or(unreadable)))
}

fn is_worth_a_record(event: &Event) -> bool {
    !matches!(
        event,
        Event::Paused { .. } | Event::Resumed { .. } | Event::Stopped { .. } | Event::Advanced { .. }
    )
}
