//! What was believed earlier. A belief can only be replayed forward, so the replay of the last request is kept and goes on from there.

use std::collections::HashMap;
use std::sync::Arc;

use grove_formats::Hierarchy;
use grove_store::{CampaignId, Entry, Event, Position, Store};
use parking_lot::Mutex;

use crate::{Error, Follower, Snapshot, State, read_log};

/// Campaigns whose replays are kept.
const REPLAYS: usize = 4;
/// Views of one campaign that are kept.
const VIEWS: usize = 200;

/// A hierarchy at one moment.
#[derive(Clone, Debug)]
pub struct View {
    /// The position up to which the log was taken in.
    pub position: Position,
    /// The hierarchy with its certainties.
    pub hierarchy: Hierarchy,
    /// The campaign's number of every concept: that of concept j at j - 1.
    pub numbers: Vec<u32>,
    /// The number of votes that counted.
    pub votes: u64,
}

impl From<&Snapshot> for View {
    fn from(snapshot: &Snapshot) -> Self {
        Self {
            position: snapshot.position,
            hierarchy: snapshot.hierarchy.clone(),
            numbers: snapshot.numbers.clone(),
            votes: snapshot.spent.questions,
        }
    }
}

impl View {
    fn new(state: &State, hierarchy: Hierarchy) -> Self {
        let (numbers, votes) = (state.concepts().numbers().to_vec(), state.votes().count() as u64);
        Self { position: state.position(), hierarchy, numbers, votes }
    }
}

/// The replays of some campaigns.
#[derive(Default)]
pub(super) struct Replays(Mutex<HashMap<CampaignId, Arc<tokio::sync::Mutex<Replay>>>>);

/// How far a log was replayed, and what was seen on the way. Logs only grow, so none of it becomes wrong.
#[derive(Default)]
struct Replay {
    follower: Follower,
    log: Vec<Entry>,
    views: HashMap<Position, View>,
}

impl Replays {
    /// What was believed at a position of the log. Takes as long as the votes between it and the last one asked for took, or all before
    /// it if it comes before that.
    pub(super) async fn view_at(
        &self,
        store: &Store,
        id: CampaignId,
        position: Position,
    ) -> Result<View, Error> {
        let mut replay = self.get(id).lock_owned().await;
        let read_to = replay.log.last().map_or(Position::START, |entry| entry.position);
        if read_to < position {
            replay.log.extend(read_log(store, id, read_to).await?);
            // Another program may have erased somebody since.
            State::new().unify_erased(&mut replay.log);
        }
        tokio::task::spawn_blocking(move || replay.to(position)).await.map_err(|_| Error::Gone)?
    }

    /// Forgets a campaign: it was deleted, or somebody in its log was erased.
    pub(super) fn forget(&self, id: CampaignId) {
        self.0.lock().remove(&id);
    }

    fn get(&self, id: CampaignId) -> Arc<tokio::sync::Mutex<Replay>> {
        let mut replays = self.0.lock();
        if replays.len() >= REPLAYS && !replays.contains_key(&id) {
            replays.clear();
        }
        replays.entry(id).or_default().clone()
    }
}

impl Replay {
    fn to(&mut self, position: Position) -> Result<View, Error> {
        let log = &self.log[..self.log.partition_point(|entry| entry.position <= position)];
        // The belief moves at its records only.
        let record = log.iter().rfind(|entry| matches!(entry.event, Event::Advanced { .. }));
        let Some(record) = record.map(|entry| entry.position) else {
            let state = State::after(log);
            return Ok(View::new(&state, state.flat_hierarchy()?));
        };
        if let Some(view) = self.views.get(&record) {
            return Ok(view.clone());
        }
        // Taken out, so that one that failed halfway is not used again.
        let mut follower = std::mem::take(&mut self.follower);
        if follower.read_to() == Position::START || follower.read_to() > record {
            follower = Follower::replay(log)?;
        } else {
            follower.read_all(log)?;
        }
        let view = View::new(follower.state(), hierarchy(&follower)?);
        self.follower = follower;
        if self.views.len() >= VIEWS {
            self.views.clear();
        }
        self.views.insert(record, view.clone());
        Ok(view)
    }
}

/// What an earlier revision of the engine believed cannot be computed again; what this one makes of the same evidence can.
fn hierarchy(follower: &Follower) -> Result<Hierarchy, Error> {
    if !follower.is_unbuilt() {
        return follower.hierarchy();
    }
    let mut built = follower.clone();
    built.build()?;
    built.hierarchy()
}

#[cfg(test)]
mod tests {
    use grove_store::{Actor, Moment};

    use super::*;
    use crate::{Digest, Settings, Way, Work};

    /// A log whose second concept has no name, which no hierarchy can show.
    fn log() -> Vec<Entry> {
        let concept = |concept: u32, name: &str| Event::ConceptAdded {
            concept,
            name: name.to_owned(),
            definition: String::new(),
            synonyms: Vec::new(),
            article: String::new(),
            origin: serde_json::Value::Null,
        };
        let advanced = |votes_to| {
            let work = Work { way: Way::Build, sweeps: 0, digest: Digest(0), measures: None, revision: 1 };
            Event::Advanced { votes_to: Position(votes_to), work: work.to_json(), epoch: 0 }
        };
        let settings = Event::SettingsChanged { settings: Settings::default().to_json() };
        let events = [settings, concept(1, "apple"), advanced(2), concept(2, ""), advanced(4)];
        let entry = |(at, event)| Entry { position: Position(at), at: Moment(0), actor: Actor::Grove, event };
        (1..).zip(events).map(entry).collect()
    }

    #[test]
    fn a_replay_that_failed_is_not_kept() {
        let mut replay = Replay { log: log(), ..Replay::default() };
        assert_eq!(replay.to(Position(3)).unwrap().numbers, [1]);
        assert_eq!(replay.follower.read_to(), Position(3));
        assert!(matches!(replay.to(Position(5)), Err(Error::Formats(_))));
        assert_eq!(replay.follower.read_to(), Position::START);
        assert!(matches!(replay.to(Position(5)), Err(Error::Formats(_))));
        assert_eq!(replay.to(Position(3)).unwrap().numbers, [1]);
    }
}
