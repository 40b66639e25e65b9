//! From the log to a belief, to the same bits every time.
//!
//! A belief moves only by what the log says. Votes and other entries wait until an `advanced` entry tells how far the belief went
//! and in what way: one entry after the other, votes together, or by building anew from all the evidence. So what a replay computes does not depend on when
//! votes arrived, in what groups they were taken in, or how often the program was started again. Every such entry holds a digest of
//! the belief, which a replay compares.

mod engine;
mod frozen;
mod measure;
mod work;

use std::collections::VecDeque;

use grove_belief::{Belief, Vote};
use grove_store::{Entry, Event, Position};

use crate::state::Change;
use crate::{Error, State};
pub(crate) use engine::Engine;
pub(crate) use frozen::{KEEP, KIND};
pub use work::{Digest, Measures, Way, Work};

/// A belief that follows a log, and the state of the campaign as far as it has come.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    state: State,
    engine: Option<Engine>,
    /// Read, and not yet taken in.
    waiting: VecDeque<Entry>,
    /// The first record that a replay could not reproduce.
    astray: Option<Position>,
    /// The last record that was done, read or written.
    written: Position,
}

impl Follower {
    /// At the beginning of a log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replays a log from its beginning. The belief begins at the last record that built one anew, since nothing before it can leave a trace.
    ///
    /// # Errors
    /// [`Error::Belief`] should the engine refuse the evidence.
    pub fn replay(entries: &[Entry]) -> Result<Self, Error> {
        let mut follower = Self::new();
        let built =
            entries.iter().rposition(|entry| work_of(entry).is_some_and(|(_, work)| work.way == Way::Build));
        let Some(built) = built else {
            follower.read_all(entries)?;
            return Ok(follower);
        };
        // Records before that one are passed over without any move.
        follower.waiting.extend(entries[..built].iter().cloned());
        follower.read_all(&entries[built..])?;
        Ok(follower)
    }

    /// The campaign as far as the belief has come.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The belief; none before the first record, or without concepts.
    #[must_use]
    pub fn belief(&self) -> Option<&dyn Belief> {
        self.engine.as_ref().map(Engine::belief)
    }

    pub(crate) fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    /// The last entry that was read, taken in or not.
    #[must_use]
    pub fn read_to(&self) -> Position {
        self.waiting.back().map_or(self.state.position(), |entry| entry.position)
    }

    /// The entries that wait for a record.
    #[must_use]
    pub fn waiting(&self) -> &VecDeque<Entry> {
        &self.waiting
    }

    /// The first record whose digest a replay did not come to, if there is one: that belief was computed by another version of the program.
    #[must_use]
    pub fn astray(&self) -> Option<Position> {
        self.astray
    }

    /// What tells this belief from any other.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest(self.engine.as_ref().map_or(0, Engine::digest))
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
                self.take_in(votes_to, work.way, work.sweeps)?;
                self.written = entry.position;
                if self.digest() != work.digest {
                    self.astray.get_or_insert(entry.position);
                }
            }
            self.waiting.push_back(entry.clone());
        }
        Ok(())
    }

    /// Takes in what waits, up to a position, and says what was done. The caller writes that into the log and tells where it stands
    /// ([`Follower::has_written`]), or throws this follower away.
    ///
    /// # Errors
    /// As [`Follower::replay`].
    pub fn advance(&mut self, votes_to: Position, way: Way, sweeps: u32) -> Result<Work, Error> {
        let way = self.take_in(votes_to, way, sweeps)?;
        Ok(Work { way, sweeps, digest: self.digest(), measures: self.measures() })
    }

    /// Notes where the record of the last [`Follower::advance`] stands.
    pub fn has_written(&mut self, record: Position) {
        self.written = record;
    }

    /// Whether anything waits that a belief, or whoever reads it, would notice.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.waiting.iter().any(|entry| is_worth_a_record(&entry.event))
    }

    /// How many votes wait.
    #[must_use]
    pub fn votes_waiting(&self) -> usize {
        self.waiting.iter().filter(|entry| matches!(entry.event, Event::VoteCast(_))).count()
    }

    /// What way it went: `Follow` becomes `Build` where there is nothing that could follow.
    fn take_in(&mut self, votes_to: Position, way: Way, sweeps: u32) -> Result<Way, Error> {
        let way = if self.engine.is_none() { Way::Build } else { way };
        let mut build = way == Way::Build;
        let mut together: Vec<Vote> = Vec::new();
        while self.waiting.front().is_some_and(|entry| entry.position <= votes_to)
            && let Some(entry) = self.waiting.pop_front()
        {
            let Some(change) = self.state.read(&entry) else { continue };
            build |= change == Change::Anew;
            if build {
                continue;
            }
            match (change, way) {
                (Change::Record(vote), Way::Together) => together.push(vote),
                _ => build = !self.follow(change, &mut together),
            }
        }
        if !build && !together.is_empty() {
            build = !self.record_all(&mut together);
        }
        if build {
            self.engine = match self.state.evidence() {
                Some(evidence) => Some(Engine::build(evidence, self.state.settings())?),
                None => None,
            };
        }
        if let Some(engine) = &mut self.engine {
            engine.sweep(sweeps as usize);
        }
        Ok(if build { Way::Build } else { way })
    }

    /// Takes a change in after the votes before it. False if the engine cannot: one that cannot hold one more concept gives way to one that can.
    fn follow(&mut self, change: Change, before: &mut Vec<Vote>) -> bool {
        (before.is_empty() || self.record_all(before))
            && self.engine.as_mut().is_some_and(|engine| change.apply(engine.belief_mut()).is_ok())
    }

    fn record_all(&mut self, votes: &mut Vec<Vote>) -> bool {
        let recorded = self.engine.as_mut().is_some_and(|engine| engine.record_all(votes).is_ok());
        votes.clear();
        recorded
    }
}

/// What a record says. One that cannot be read tells at least how far the belief went.
fn work_of(entry: &Entry) -> Option<(Position, Work)> {
    let Event::Advanced { votes_to, work } = &entry.event else { return None };
    let unreadable = Work { way: Way::Follow, sweeps: 0, digest: Digest(0), measures: None };
    Some((*votes_to, Work::from_json(work).unwrap_or(unreadable)))
}

fn is_worth_a_record(event: &Event) -> bool {
    matches!(
        event,
        Event::ConceptAdded { .. }
            | Event::ConceptRenamed { .. }
            | Event::ConceptRedescribed { .. }
            | Event::ConceptRemoved { .. }
            | Event::ConceptsMerged { .. }
            | Event::VoteCast(_)
            | Event::VoteWithdrawn { .. }
            | Event::CorrectionMade { .. }
            | Event::CorrectionTakenBack { .. }
            | Event::SettingsChanged { .. }
            | Event::WorkerErased { .. }
    )
}
