//! What was believed earlier. A belief can only be walked forward through its log, so whoever plays a history back is met half way: the
//! walk of the last visitor is kept and goes on from where it stands.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use grove_campaign::{Error, Follower, State};
use grove_store::{CampaignId, Entry, Event, Position, Store};

use crate::campaigns::View;
use crate::fault::Fault;

/// Entries of a log read at a time.
const PAGE: u32 = 5_000;
/// Campaigns whose walks are kept.
const WALKS: usize = 4;
/// Views of one campaign that are kept.
const VIEWS: usize = 200;

/// The walks through the logs of some campaigns.
#[derive(Default)]
pub(crate) struct Replays {
    walks: Mutex<HashMap<CampaignId, Arc<tokio::sync::Mutex<Walk>>>>,
}

/// How far a log was walked, and what was seen on the way. Logs only grow, so none of it becomes wrong.
#[derive(Default)]
struct Walk {
    follower: Follower,
    log: Vec<Entry>,
    views: HashMap<Position, View>,
}

impl Replays {
    /// What was believed after a position of the log. Takes as long as the votes took that lie between it and the last one asked for, or from
    /// the beginning if it lies before that.
    pub(crate) async fn view_at(
        &self,
        store: &Store,
        id: CampaignId,
        position: Position,
    ) -> Result<View, Fault> {
        let mut walk = self.walk(id).lock_owned().await;
        while walk.log.last().map_or(Position::START, |entry| entry.position) < position {
            let after = walk.log.last().map_or(Position::START, |entry| entry.position);
            let page = store.log(id, after, PAGE).await?;
            if page.is_empty() {
                break;
            }
            walk.log.extend(page);
        }
        let view = tokio::task::spawn_blocking(move || walk.to(position));
        Ok(view.await.map_err(|_| Fault::Internal)??)
    }

    /// Forgets a campaign: it is gone, or somebody in its log was erased.
    pub(crate) fn forget(&self, id: CampaignId) {
        self.walks.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    fn walk(&self, id: CampaignId) -> Arc<tokio::sync::Mutex<Walk>> {
        let mut walks = self.walks.lock().unwrap_or_else(PoisonError::into_inner);
        if walks.len() >= WALKS && !walks.contains_key(&id) {
            walks.clear();
        }
        walks.entry(id).or_default().clone()
    }
}

impl Walk {
    fn to(&mut self, position: Position) -> Result<View, Error> {
        let end = self.log.partition_point(|entry| entry.position <= position);
        let log = &self.log[..end];
        // Between two records of the belief nothing is seen to change.
        let record = log.iter().rfind(|entry| matches!(entry.event, Event::Advanced { .. }));
        let Some(record) = record.map(|entry| entry.position) else { return before_anything(log) };
        if let Some(view) = self.views.get(&record) {
            return Ok(view.clone());
        }
        if self.follower.read_to() > record {
            self.follower = Follower::replay(log)?;
        } else {
            self.follower.read_all(log)?;
        }
        let state = self.follower.state();
        let view = View {
            position: state.position(),
            hierarchy: self.follower.hierarchy()?,
            numbers: state.concepts().present().map(|concept| concept.number).collect(),
            votes: standing(state),
        };
        if self.views.len() >= VIEWS {
            self.views.clear();
        }
        self.views.insert(record, view.clone());
        Ok(view)
    }
}

/// How many votes count.
fn standing(state: &State) -> u64 {
    state.votes().all().iter().filter(|vote| vote.withdrawn.is_none()).count() as u64
}

/// All concepts directly under the root.
fn before_anything(log: &[Entry]) -> Result<View, Error> {
    let state = State::after(log);
    let numbers = state.concepts().present().map(|concept| concept.number).collect();
    let votes = standing(&state);
    Ok(View { position: state.position(), hierarchy: state.flat_hierarchy()?, numbers, votes })
}
