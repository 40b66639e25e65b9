use std::collections::HashSet;
use std::sync::Arc;

use grove_belief::{Forecast, Money, Spent};
use grove_formats::Hierarchy;
use grove_store::{Moment, Position, Question};

use crate::{Digest, Error, Follower, LiveOptions, Measures, NamedReport, Offer, State, Status};

/// What is believed at one moment, for everybody to read. It never changes; a newer one takes its place.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Up to where the log is taken in.
    pub position: Position,
    /// When it was made.
    pub at: Moment,
    /// What tells this belief from any other.
    pub digest: Digest,
    /// The most probable hierarchy, with the certainties of the moment.
    pub hierarchy: Hierarchy,
    /// The campaign's number of every concept of the hierarchy: of concept j at j - 1.
    pub numbers: Vec<u32>,
    /// How good the hierarchy is, as far as the belief can tell; none if there is nothing to believe.
    pub measures: Option<Measures>,
    /// The votes taken in, withdrawn ones too.
    pub votes_read: usize,
    /// What those that count have cost.
    pub spent: Spent,
    /// What it takes until the hierarchy is as certain as wanted, or as the paper's red line where nothing is said.
    pub forecast: Option<Forecast>,
    /// What that costs.
    pub forecast_cost: Option<Money>,
    /// What to ask next, the best first, chosen together.
    pub queue: Vec<Offer>,
    /// What else may be asked, the best first, each chosen for itself.
    pub reserve: Vec<Offer>,
    /// Why asking should end, if it should.
    pub stop: Option<String>,
    /// The last long look at the belief, which says whether its probabilities can be trusted. It may be older than the rest.
    pub report: Option<Arc<NamedReport>>,
    /// Whether this program runs the belief; if not, another does, and this one follows.
    pub runs_here: bool,
    /// The first record that this program could not reproduce, if there is one.
    pub astray: Option<Position>,
}

impl Snapshot {
    pub(super) fn before_anything(state: &State, at: Moment) -> Result<Self, Error> {
        Ok(Self {
            position: Position::START,
            at,
            digest: Digest(0),
            hierarchy: state.flat_hierarchy()?,
            numbers: state.concepts().present().map(|concept| concept.number).collect(),
            measures: None,
            votes_read: 0,
            spent: Spent::default(),
            forecast: None,
            forecast_cost: None,
            queue: Vec::new(),
            reserve: Vec::new(),
            stop: None,
            report: None,
            runs_here: false,
            astray: None,
        })
    }

    /// Looks at a belief. Takes about as long as some votes do.
    pub(super) fn of(
        follower: &Follower,
        at: Moment,
        options: &LiveOptions,
        handed_out: &HashSet<Question>,
    ) -> Result<Self, Error> {
        let state = follower.state();
        let queue = follower.questions(options.queue, handed_out);
        let queued: HashSet<Question> = queue.iter().map(|offer| offer.question).collect();
        let mut reserve = follower.reserve(options.reserve, &|question| handed_out.contains(&question));
        reserve.retain(|offer| !queued.contains(&offer.question));
        let best_gain = queue.first().map(|best| best.gain);
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
            ..Self::before_anything(state, at)?
        };
        if let Some(belief) = follower.belief() {
            let forecast = Forecast::of(belief, state.settings().aim(), best_gain.unwrap_or(0.0));
            snapshot.forecast_cost = forecast.cost(state.settings().price());
            snapshot.forecast = Some(forecast);
            if *state.status() == Status::Asking {
                let reason = state.settings().stop_rules()?.should_stop(belief, state.spent(), best_gain);
                snapshot.stop = reason.map(|reason| reason.to_string());
            }
        }
        Ok(snapshot)
    }
}
