use std::collections::HashSet;
use std::sync::Arc;

use grove_belief::{Engine, Forecast, Money, Reason, Spent};
use grove_formats::{Entry, Hierarchy};
use grove_store::{CampaignId, Moment, Position, Screen, Store, VoteId};
use grove_tree::Concept;
use serde::{Deserialize, Serialize};

use crate::view::end_message;
use crate::{CampaignOptions, Digest, Error, Follower, Measures, NamedReport, Offer, State, Status, number};

/// The kind under which the store keeps the last published snapshot.
pub(super) const KIND: &str = "published";

/// What is believed at one moment, for everybody to read. It never changes; the next one replaces it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The position up to which the log is taken in.
    pub position: Position,
    /// When it was made.
    pub at: Moment,
    /// The hash of the belief.
    pub digest: Digest,
    /// The most probable hierarchy, with certainties from the trees at hand.
    pub hierarchy: Hierarchy,
    /// The campaign's number of every concept of the hierarchy: that of concept j at j - 1.
    pub numbers: Vec<u32>,
    /// How good the hierarchy is by the belief's own probabilities; none if there is no belief.
    pub measures: Option<Measures>,
    /// The number of votes taken in, withdrawn ones too.
    pub votes_read: usize,
    /// What those that count have cost.
    pub spent: Spent,
    /// How many questions it takes to reach the target, or the paper's red line if there is no target.
    pub forecast: Option<Forecast>,
    /// What that costs.
    pub forecast_cost: Option<Money>,
    /// How many seconds of people's time it takes.
    pub forecast_seconds: Option<f64>,
    /// What to ask next, the best first, chosen together.
    pub queue: Vec<Offer>,
    /// What else may be asked, the best first, each chosen for itself.
    pub reserve: Vec<Offer>,
    /// Why asking should end, if it should.
    pub stop: Option<String>,
    /// The last report, which says whether the probabilities can be trusted. It may be older than the rest.
    pub report: Option<Arc<NamedReport>>,
    /// Whether this program moves the belief; if not, another one does, and this one follows.
    pub runs_here: bool,
    /// The first record that this program could not reproduce, if there is one: a fault.
    pub astray: Option<Position>,
    /// Whether the belief is still being rebuilt, so that this is the last snapshot that was stored before the program started.
    pub rebuilding: bool,
    /// Whether another revision of the engine computed it. The belief at this program's own revision replaces it when it is rebuilt.
    pub earlier_version: bool,
    /// The belief itself, no longer changed by anybody; none while it is being rebuilt.
    pub(super) engine: Option<Arc<Engine>>,
    /// The votes that it knows, by its numbers: a change of settings numbers the votes of the state anew before it is rebuilt.
    pub(super) votes: Vec<(grove_belief::VoteId, VoteId)>,
}

/// What the store keeps of a snapshot: no names, which the log has, and no workers, who may have to be erased.
#[derive(Serialize, Deserialize)]
struct Stored {
    revision: u32,
    digest: Digest,
    measures: Option<Measures>,
    votes_read: usize,
    /// Questions and millionths of the currency.
    spent: (u64, u64),
    /// Bits, bits per question, and questions.
    forecast: Option<(f64, f64, Option<f64>)>,
    forecast_micros: Option<u64>,
    #[serde(default)]
    forecast_seconds: Option<f64>,
    places: Vec<Place>,
    queue: Vec<Offer>,
    reserve: Vec<Offer>,
}

/// A concept of the hierarchy. Concepts are named by the campaign's numbers.
#[derive(Serialize, Deserialize)]
struct Place {
    concept: u32,
    parent: u32,
    certainty: Option<f64>,
    alternatives: Vec<(u32, f64)>,
    /// Missing in older snapshots, like `places`.
    #[serde(default)]
    reasons: Vec<Reason>,
    /// Where people place it.
    #[serde(default)]
    places: Vec<grove_vocabulary::Place<u32>>,
    yes: u64,
    no: u64,
}

impl Snapshot {
    /// Whether this is what was stored before the program started, and the belief will follow in a moment: the same revision of the engine stored it
    /// too. To build a belief anew may take minutes, in which votes and pages go on.
    #[must_use]
    pub fn is_being_restored(&self) -> bool {
        self.rebuilding && !self.earlier_version && self.position > Position::START
    }

    /// The snapshot before anything is believed: all concepts under the root.
    fn empty(state: &State, at: Moment) -> Result<Self, Error> {
        Ok(Self {
            position: Position::START,
            at,
            digest: Digest(0),
            hierarchy: state.flat_hierarchy()?,
            numbers: state.concepts().numbers().to_vec(),
            measures: None,
            votes_read: 0,
            spent: state.spent(),
            forecast: None,
            forecast_cost: None,
            forecast_seconds: None,
            queue: Vec::new(),
            reserve: Vec::new(),
            stop: None,
            report: None,
            runs_here: false,
            astray: None,
            rebuilding: true,
            earlier_version: false,
            engine: None,
            votes: Vec::new(),
        })
    }

    /// Makes a snapshot of a belief. Takes about as long as some votes do.
    pub(super) fn of(
        follower: &Follower,
        at: Moment,
        options: &CampaignOptions,
        leased: &[Screen],
    ) -> Result<Self, Error> {
        let state = follower.state();
        let mut queue = follower.screens(options.queue, leased);
        let listed: HashSet<Screen> = queue.iter().map(|offer| offer.screen.topic()).collect();
        let is_listed = |screen: &Screen| listed.contains(screen) || leased.contains(screen);
        // Screens that were considered for the queue and not chosen come before those of the reserve.
        let mut reserve = queue.split_off(queue.len().min(options.queue));
        reserve.extend(follower.reserve(options.reserve, &is_listed));
        let best = follower.best();
        let mut snapshot = Self {
            position: state.position(),
            digest: follower.digest(),
            hierarchy: follower.hierarchy()?,
            measures: follower.measures(),
            votes_read: state.votes().all().len(),
            spent: state.spent(),
            queue,
            reserve,
            astray: follower.astray(),
            rebuilding: false,
            engine: follower.engine().cloned(),
            votes: state.votes().recorded(),
            ..Self::empty(state, at)?
        };
        if let Some(belief) = follower.belief() {
            let best_gain = best.as_ref().map_or(0.0, |best| best.gain);
            let forecast = Forecast::of(belief, state.settings().aim(), best_gain);
            snapshot.forecast_cost = forecast.cost(state.settings().price());
            snapshot.forecast = Some(forecast);
            snapshot.forecast_seconds = follower.estimate(best.as_ref()).map(|estimate| estimate.seconds);
            if state.status() == Status::Asking {
                let reason = follower.stop_reason(belief, best.as_ref())?;
                snapshot.stop = reason.map(|reason| end_message(&reason, &snapshot.hierarchy));
            }
        }
        Ok(snapshot)
    }

    /// Stores what pages show, for the time before the belief is rebuilt after the next start.
    pub(super) async fn store(&self, store: &Store, id: CampaignId, revision: u32) -> Result<(), Error> {
        if self.rebuilding {
            return Ok(());
        }
        let number = |concept| number(&self.numbers, concept);
        let place = |(concept, entry): (Concept, &Entry)| Place {
            concept: number(concept),
            parent: number(entry.parent),
            certainty: entry.certainty,
            alternatives: entry.alternatives.iter().map(|&(other, chance)| (number(other), chance)).collect(),
            reasons: entry.reasons.clone(),
            places: entry.places.iter().map(|place| place.map(number)).collect(),
            yes: entry.yes,
            no: entry.no,
        };
        let stored = Stored {
            revision,
            digest: self.digest,
            measures: self.measures,
            votes_read: self.votes_read,
            spent: (self.spent.questions, self.spent.money.micros()),
            forecast: self.forecast.map(|one| (one.remaining_bits, one.bits_per_question, one.questions)),
            forecast_micros: self.forecast_cost.map(Money::micros),
            forecast_seconds: self.forecast_seconds,
            places: self.hierarchy.concepts().map(place).collect(),
            queue: self.queue.clone(),
            reserve: self.reserve.clone(),
        };
        let bytes = serde_json::to_vec(&stored).expect("a snapshot has text keys only");
        let snapshot = grove_store::Snapshot { position: self.position, at: self.at, bytes };
        Ok(store.save_snapshot(id, KIND, snapshot, 1).await?)
    }

    /// The last snapshot that was stored; an empty one if there is none, or it cannot be read.
    pub(super) async fn stored(
        store: &Store,
        id: CampaignId,
        state: &State,
        options: &CampaignOptions,
    ) -> Result<Self, Error> {
        let kept = store.newest_snapshot(id, KIND, None).await?;
        let read = kept.map(|kept| Self::read(&kept, state, options)).transpose()?.flatten();
        read.map_or_else(|| Self::empty(state, options.clock.now()), Ok)
    }

    /// Reads a snapshot that was stored; none if it cannot be read.
    pub(super) fn read(
        kept: &grove_store::Snapshot,
        state: &State,
        options: &CampaignOptions,
    ) -> Result<Option<Self>, Error> {
        let Ok(stored) = serde_json::from_slice::<Stored>(&kept.bytes) else { return Ok(None) };
        let Some(hierarchy) = stored.hierarchy(state) else { return Ok(None) };
        let forecast = |(remaining_bits, bits_per_question, questions)| Forecast {
            remaining_bits,
            bits_per_question,
            questions,
        };
        Ok(Some(Self {
            position: kept.position,
            at: kept.at,
            digest: stored.digest,
            hierarchy,
            numbers: stored.places.iter().map(|place| place.concept).collect(),
            measures: stored.measures,
            votes_read: stored.votes_read,
            spent: Spent { questions: stored.spent.0, money: Money::from_micros(stored.spent.1) },
            forecast: stored.forecast.map(forecast),
            forecast_cost: stored.forecast_micros.map(Money::from_micros),
            forecast_seconds: stored.forecast_seconds,
            queue: stored.queue,
            reserve: stored.reserve,
            earlier_version: stored.revision != options.revision,
            ..Self::empty(state, kept.at)?
        }))
    }
}

impl Stored {
    /// The hierarchy with the names that its concepts have by now.
    fn hierarchy(&self, state: &State) -> Option<Hierarchy> {
        // Concepts are stored in the order of their numbers.
        let at = |number: u32| self.places.binary_search_by_key(&number, |place| place.concept).ok();
        let index = |number: u32| match number {
            0 => Some(Concept::ROOT),
            _ => at(number).map(|at| Concept::new(at + 1)),
        };
        let concepts: Option<Vec<_>> =
            self.places.iter().map(|place| state.concepts().get(place.concept)).collect();
        let mut entries = state.entries(concepts?);
        for (entry, place) in entries.iter_mut().zip(&self.places) {
            entry.parent = index(place.parent)?;
            entry.certainty = place.certainty;
            let others = place.alternatives.iter().map(|&(other, chance)| Some((index(other)?, chance)));
            entry.alternatives = others.collect::<Option<_>>()?;
            entry.reasons.clone_from(&place.reasons);
            let held = place.places.iter().map(|held| {
                let parent = index(held.parent)?;
                Some(held.map(|_| parent))
            });
            entry.places = held.collect::<Option<_>>()?;
            (entry.yes, entry.no) = (place.yes, place.no);
        }
        Hierarchy::new(state.settings().heading(), entries).ok()
    }
}
