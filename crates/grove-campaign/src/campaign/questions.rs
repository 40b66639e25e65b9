use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use grove_store::{Lease, LeaseRequest, Moment, Question, Quota, WorkerId};
use serde::Serialize;

use super::Campaign;
use crate::{Asked, Error, Follower, Offer, Settings, State, Status};

/// How many questions are offered to a worker at first: usually more than are reserved for others.
const SOME_OFFERS: usize = 96;
/// How many are offered where those are not enough: more than are reserved for all others together.
const MOST_OFFERS: usize = 512;

/// How many questions are looked at in search of any that could be asked.
const MOST_SEARCHED: usize = 20_000;
/// How far apart the questions are with which two searches begin, where any question will do: a large prime.
const STRIDE: usize = 1_000_003;

/// The next questions for a worker, or why there are none.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = NextQuestions))]
pub enum Next {
    /// There are questions to answer.
    Ask {
        /// As many questions as the settings put into a task.
        questions: Vec<Asked>,
    },
    /// The worker has answered everything that could be asked.
    AllAnswered,
    /// All open questions are with other workers; try again later.
    AllHandedOut,
    /// The campaign is paused.
    Paused {
        /// The owner's reason; may be empty.
        reason: String,
    },
    /// The campaign has ended.
    Stopped {
        /// The reason; may be empty.
        reason: String,
    },
}

impl Campaign {
    /// The next questions for a worker: those reserved for them already, or as many new ones as a task has. Never one that they have
    /// answered; never one that is reserved for another, unless questions are asked in bundles. Does not wait for the belief.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn next(&self, worker: &WorkerId) -> Result<Next, Error> {
        let (store, id, now) = (&self.shared.store, self.shared.id, self.shared.now());
        let (status, reason, settings) =
            self.with_state(|state| (state.status(), state.reason().to_owned(), state.settings().clone()));
        match status {
            Status::Paused => return Ok(Next::Paused { reason }),
            Status::Stopped => return Ok(Next::Stopped { reason }),
            Status::Asking => {}
        }
        let held = store.leases_of(id, worker, now).await?;
        if !held.is_empty() {
            return self.leased(&held);
        }
        let affordable = self.affordable(&settings, now).await?;
        if affordable == 0 {
            return Ok(Next::AllHandedOut);
        }
        let wanted = affordable.min(u64::from(settings.questions_per_task));
        self.lease(worker, &settings, wanted, now).await
    }

    async fn lease(
        &self,
        worker: &WorkerId,
        settings: &Settings,
        wanted: u64,
        now: Moment,
    ) -> Result<Next, Error> {
        let until = now.plus(Duration::from_secs(settings.lease_seconds.into()));
        let mut offers = self.offers(worker, SOME_OFFERS);
        if offers.is_empty() {
            return Ok(Next::AllAnswered);
        }
        let mut are_all = false;
        let mut leases: Vec<Lease> = Vec::new();
        while (leases.len() as u64) < wanted {
            let request = LeaseRequest { worker: worker.clone(), offers, quota: quota(settings), now, until };
            match self.shared.store.take_lease(self.shared.id, request.clone()).await? {
                Some(lease) => {
                    offers = request.offers;
                    offers.retain(|offer| *offer != lease.question);
                    leases.push(lease);
                }
                None if are_all => break,
                None => {
                    offers = self.offers(worker, MOST_OFFERS);
                    are_all = true;
                }
            }
        }
        if leases.is_empty() { Ok(Next::AllHandedOut) } else { self.leased(&leases) }
    }

    /// What could be asked of a worker, the best first: the queue, then the reserve, then anything. Questions with votes that the snapshot
    /// does not know come last, and only if there are no others or all are wanted: they tell less than the snapshot expects.
    fn offers(&self, worker: &WorkerId, most: usize) -> Vec<Question> {
        let snapshot = self.snapshot();
        let head = self.shared.head.read();
        let state = &head.state;
        let number = state.votes().worker(worker);
        let is_new = |question: &Question| match (state.question(*question), state.evidence()) {
            (Some(question), Some(evidence)) => !evidence.has_answered(number, question),
            _ => false,
        };
        let bundles = state.settings().votes_per_question > 1;
        // Tested first, because it rejects most and costs least.
        let is_fresh = |question: &Question| bundles || head.unbelieved(*question) == 0;
        let listed = || snapshot.queue.iter().chain(&snapshot.reserve).map(|offer| offer.question);
        let mut offers: Vec<_> = listed().filter(is_fresh).filter(is_new).take(most).collect();
        if offers.is_empty() {
            offers.extend(anything(state).take(MOST_SEARCHED).filter(is_fresh).filter(is_new).take(most));
        }
        if offers.is_empty() || most == MOST_OFFERS {
            let mut others: Vec<_> = listed().filter(|question| !is_fresh(question)).filter(is_new).collect();
            others.sort_by_cached_key(|question| head.unbelieved(*question));
            // Votes may come so fast that there is one on every question before the belief has taken in any.
            others.extend(
                anything(state).take(MOST_SEARCHED).filter(|question| !is_fresh(question)).filter(is_new),
            );
            offers.extend(others);
            offers.truncate(most);
        }
        offers
    }

    /// How many more questions the budget allows, counting those that are reserved.
    async fn affordable(&self, settings: &Settings, now: Moment) -> Result<u64, Error> {
        let by_money = settings.budget.cents.filter(|_| settings.price_cents > 0.0);
        let by_money = by_money.map(|cents| (cents / settings.price_cents + 1e-9).floor() as u64);
        let Some(most) = [settings.budget.votes, by_money].into_iter().flatten().min() else {
            return Ok(u64::MAX);
        };
        let votes = self.with_state(|state| state.votes().count()) as u64;
        let leases = self.shared.store.leases(self.shared.id, now).await?.len() as u64;
        Ok(most.saturating_sub(votes + leases))
    }

    fn leased(&self, leases: &[Lease]) -> Result<Next, Error> {
        self.with_state(|state| {
            let questions: Result<_, Error> = leases.iter().map(|lease| state.ask(lease.question)).collect();
            Ok(Next::Ask { questions: questions? })
        })
    }
}

/// Every possible path question, in an order that differs from one vote to the next: those that come first in any fixed order would soon
/// have been asked, and every worker would have to pass over them.
fn anything(state: &State) -> impl Iterator<Item = Question> {
    let present: Vec<u32> = state.concepts().present().map(|concept| concept.number).collect();
    let (count, pairs) = (present.len(), present.len() * present.len());
    let start = state.votes().all().len().wrapping_mul(STRIDE) % pairs.max(1);
    (start..pairs)
        .chain(0..start)
        .map(move |pair| crate::ask::path(present[pair / count], present[pair % count]))
}

fn quota(settings: &Settings) -> Quota {
    match settings.votes_per_question {
        1 => Quota::ONE_AT_A_TIME,
        k => Quota::bundle(k),
    }
}

impl Follower {
    /// What to ask next. Where questions are asked in bundles, unfinished bundles come first, and full ones are not asked again; otherwise
    /// leased questions are not chosen, since their answers are on the way.
    pub(super) fn questions(&self, length: usize, leased: &HashSet<Question>) -> Vec<Offer> {
        let bundle = self.state().settings().votes_per_question as usize;
        if bundle == 1 {
            return self.queue(length, &|question| leased.contains(&question));
        }
        let mut votes: BTreeMap<Question, usize> = leased.iter().map(|&question| (question, 0)).collect();
        for vote in self.state().votes().alive() {
            *votes.entry(vote.vote.question).or_default() += 1;
        }
        let begun = votes.iter().filter(|(_, votes)| **votes < bundle).map(|(&question, _)| question);
        let mut queue = self.weigh(begun);
        let new = self.queue(length.saturating_sub(queue.len()), &|question| votes.contains_key(&question));
        queue.extend(new);
        queue
    }
}
