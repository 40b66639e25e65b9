use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use grove_belief::{Form, Worker};
use grove_store::{Lease, LeaseRequest, Moment, Question, Quota, Screen, SubmittedVote, WorkerId};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::{Campaign, Head};
use crate::{Asked, Error, Follower, Offer, Settings, State, Status};

/// How many screens are offered to a worker at first: usually more than are reserved for others.
const SOME_OFFERS: usize = 96;
/// How many are offered if those are not enough: more than are reserved for all others together.
const MOST_OFFERS: usize = 512;
/// How long a screen that is sent ahead stays reserved. Most people have reached it by then; somebody who left would
/// keep one of the best questions from everybody else.
const MOST_AHEAD: Duration = Duration::from_secs(20);

/// How many screens are looked at in search of any that could be shown, and in search of one without new votes. When
/// votes come fast, hardly any has none, and looking at all of them would take longer than everything else.
const MOST_SEARCHED: usize = 20_000;
const SOME_SEARCHED: usize = 1_000;
/// The distance between the starting points of two searches for any screen: a large prime.
const STRIDE: usize = 1_000_003;

/// The next screens for a worker, or why there are none.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = NextScreens))]
pub enum Next {
    /// There is something to answer.
    Ask {
        /// As many screens as the settings put into a task.
        screens: Vec<Asked>,
    },
    /// The worker has answered everything that is worth asking them.
    AllAnswered,
    /// All open screens are with other workers; try again later.
    AllHandedOut,
    /// The campaign has all the answers that its budget has room for.
    Full,
    /// The worker's link has had as many people or answers as its limits allow.
    LinkUsedUp,
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
    /// The next screens for a worker: those reserved for them already, or as many new ones as a task has. Never a pair that they were shown in the same
    /// form; never what is reserved for another, unless questions are asked in bundles. Does not wait for the belief.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn next(&self, worker: &WorkerId) -> Result<Next, Error> {
        self.next_or(worker, None).await
    }

    /// As [`Campaign::next`] for a worker who was sent a screen ahead ([`Campaign::upcoming`]): that one is reserved for them, if it could still be chosen.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn next_or(&self, worker: &WorkerId, sent: Option<&Screen>) -> Result<Next, Error> {
        let now = self.shared.now();
        let (status, reason, settings) =
            self.with_state(|state| (state.status(), state.reason().to_owned(), state.settings().clone()));
        match status {
            Status::Paused => return Ok(Next::Paused { reason }),
            Status::Stopped => return Ok(Next::Stopped { reason }),
            Status::Asking => {}
        }
        if self.votes_left(&settings) == 0 {
            return Ok(Next::Full);
        }
        let held = self.held(worker, now).await?;
        if !held.is_empty() {
            return self.leased(worker, &held).await;
        }
        let affordable = self.affordable(&settings, now).await?;
        if affordable == 0 {
            return Ok(Next::AllHandedOut);
        }
        let wanted = affordable.min(u64::from(settings.questions_per_task));
        let mut offers = self.offers(worker, SOME_OFFERS);
        let same =
            |offer: &Screen| sent.is_some_and(|sent| offer.clone().in_order() == sent.clone().in_order());
        if let (Some(sent), Some(at)) = (sent, offers.iter().position(same)) {
            // In the order in which it was sent.
            offers[at].clone_from(sent);
            offers[..=at].rotate_right(1);
        }
        self.lease(worker, &settings, offers, wanted, now).await
    }

    /// The screens that are reserved for a worker and can still be asked. An answer may have been stored without
    /// acknowledgement, because the database or a server failed; its lease then still exists and is ended here.
    async fn held(&self, worker: &WorkerId, now: Moment) -> Result<Vec<Lease>, Error> {
        let (store, id) = (&self.shared.store, self.shared.id);
        let all = store.leases_of(id, worker, now).await?;
        if self.shared.in_doubt.lock().contains(worker) {
            self.shared.read_on().await?;
            self.shared.in_doubt.lock().remove(worker);
        }
        let (held, done): (Vec<Lease>, Vec<Lease>) = self.with_state(|state| {
            let number = state.votes().worker(worker);
            // The settings may have changed since.
            let is_open = |screen: &Screen| {
                state.settings().allows(screen) && state.unanswered(number, screen.clone()).is_some()
            };
            all.into_iter().partition(|lease| is_open(&lease.screen))
        });
        for lease in done {
            store.end_lease(id, worker, &lease.screen).await?;
        }
        Ok(held)
    }

    /// The screen that a worker will be shown after those they hold (`held`), so that it can be sent ahead. It is
    /// reserved for them too, or two people could be shown the same. Nothing is sent ahead if that would leave too
    /// little for others.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn upcoming(&self, worker: &WorkerId, held: &[Screen]) -> Result<Option<Asked>, Error> {
        let (status, settings) = self.with_state(|state| (state.status(), state.settings().clone()));
        if status != Status::Asking || settings.questions_per_task > 1 {
            return Ok(None);
        }
        if let [_, ahead, ..] = held {
            let asked = self.with_state(|state| state.ask(ahead.clone()))?;
            return Ok(Some(self.with_ticket(worker, asked, self.shared.now()).await?));
        }
        // What they have just answered must not be shown again.
        self.shared.read_on().await?;
        let (store, id, now) = (&self.shared.store, self.shared.id, self.shared.now());
        let leases = store.leases(id, now).await?;
        let offers = self.offers(worker, SOME_OFFERS);
        let is_scarce = offers.len() < SOME_OFFERS.min(2 * leases.len() + 2);
        if is_scarce || self.affordable(&settings, now).await? <= leases.len() as u64 {
            return Ok(None);
        }
        // Later than what they hold, so that it comes after it.
        let latest = leases.iter().filter(|lease| lease.worker == *worker).map(|lease| lease.taken).max();
        let now = latest.map_or(now, |latest| now.max(latest.plus(Duration::from_millis(1))));
        let until = now.plus(Duration::from_secs(settings.lease_seconds.into()).min(MOST_AHEAD));
        let request = LeaseRequest { worker: worker.clone(), offers, quota: quota(&settings), now, until };
        match store.take_lease(id, request).await? {
            Some(lease) => {
                let asked = self.with_state(|state| state.ask(lease.screen))?;
                Ok(Some(self.with_ticket(worker, asked, lease.taken).await?))
            }
            None => Ok(None),
        }
    }

    /// Withdraws a worker's last vote and reserves its screen for them again, in place of what they hold. Returns the vote and a ticket for another
    /// answer.
    ///
    /// # Errors
    /// As [`Campaign::undo`].
    pub async fn undo_and_ask_again(&self, worker: &WorkerId) -> Result<(SubmittedVote, String), Error> {
        let undone = self.undo(worker).await?;
        // Otherwise the screen would count as answered.
        self.shared.read_on().await?;
        let (store, id, now) = (&self.shared.store, self.shared.id, self.shared.now());
        for lease in store.leases_of(id, worker, now).await? {
            store.end_lease(id, worker, &lease.screen).await?;
        }
        let seconds = self.with_state(|state| state.settings().lease_seconds);
        let (until, quota) =
            (now.plus(Duration::from_secs(seconds.into())), Quota { at_once: u32::MAX, in_all: None });
        let offers = vec![undone.response.screen.clone()];
        store.take_lease(id, LeaseRequest { worker: worker.clone(), offers, quota, now, until }).await?;
        let ticket = self.shared.tickets().await?.issue(id, worker, &undone.response.screen, now);
        Ok((undone, ticket))
    }

    async fn lease(
        &self,
        worker: &WorkerId,
        settings: &Settings,
        mut offers: Vec<Screen>,
        wanted: u64,
        now: Moment,
    ) -> Result<Next, Error> {
        let until = now.plus(Duration::from_secs(settings.lease_seconds.into()));
        if offers.is_empty() {
            // Answers that the belief does not know yet may make something worth asking.
            let may_come = self.lag() > 0 && self.has_unanswered(worker);
            return Ok(if may_come { Next::AllHandedOut } else { Next::AllAnswered });
        }
        let mut are_all = false;
        let mut leases: Vec<Lease> = Vec::new();
        while (leases.len() as u64) < wanted {
            let request = LeaseRequest { worker: worker.clone(), offers, quota: quota(settings), now, until };
            match self.shared.store.take_lease(self.shared.id, request.clone()).await? {
                Some(lease) => {
                    offers = request.offers;
                    offers.retain(|offer| offer.topic() != lease.screen.topic());
                    leases.push(lease);
                }
                None if are_all => break,
                None => {
                    offers = self.offers(worker, MOST_OFFERS);
                    are_all = true;
                }
            }
        }
        if leases.is_empty() {
            let offers = self.offers(worker, MOST_OFFERS);
            leases.extend(self.lease_from_strangers(worker, settings, offers, now, until).await?);
        }
        if leases.is_empty() {
            // What they have just answered may not have been read when the offers were made.
            self.shared.read_on().await?;
            return Ok(if self.has_unanswered(worker) { Next::AllHandedOut } else { Next::AllAnswered });
        }
        self.leased(worker, &leases).await
    }

    /// How many more votes the budget has room for.
    fn votes_left(&self, settings: &Settings) -> u64 {
        let votes = || self.with_state(|state| state.votes().standing_count()) as u64;
        settings.most_votes().map_or(u64::MAX, |most| most.saturating_sub(votes()))
    }

    /// How many more questions the budget allows. Questions held by workers who have voted before will probably be
    /// answered, so they use up budget. Workers who never voted may be fake, and reserve nothing.
    async fn affordable(&self, settings: &Settings, now: Moment) -> Result<u64, Error> {
        match self.votes_left(settings) {
            u64::MAX => Ok(u64::MAX),
            left => Ok(left.saturating_sub(self.split_leases(now).await?.0.len() as u64)),
        }
    }

    /// The leases of workers who have voted before, and those of workers who never have.
    async fn split_leases(&self, now: Moment) -> Result<(Vec<Lease>, Vec<Lease>), Error> {
        let leases = self.shared.store.leases(self.shared.id, now).await?;
        Ok(self
            .with_state(|state| leases.into_iter().partition(|lease| state.votes().has_voted(&lease.worker))))
    }

    /// If everything is handed out, hands out again what only workers who never voted hold: otherwise somebody could
    /// invent people, ask for all questions, and keep everybody else waiting.
    async fn lease_from_strangers(
        &self,
        worker: &WorkerId,
        settings: &Settings,
        mut offers: Vec<Screen>,
        now: Moment,
        until: Moment,
    ) -> Result<Option<Lease>, Error> {
        let (known, strangers) = self.split_leases(now).await?;
        if strangers.is_empty() {
            return Ok(None);
        }
        let taken: HashSet<Screen> = known.iter().map(|lease| lease.screen.topic()).collect();
        offers.retain(|offer| !taken.contains(&offer.topic()));
        let in_all = quota(settings).in_all.map(|most| most.saturating_add(strangers.len() as u32));
        let quota = Quota { at_once: u32::MAX, in_all };
        let request = LeaseRequest { worker: worker.clone(), offers, quota, now, until };
        Ok(self.shared.store.take_lease(self.shared.id, request).await?)
    }

    /// Whether there is any screen that a worker was not shown, worth asking or not.
    fn has_unanswered(&self, worker: &WorkerId) -> bool {
        let head = self.shared.head.read();
        let offers = Offers { head: &head, worker: head.state.votes().worker(worker) };
        anything(&head.state).take(MOST_SEARCHED).any(|screen| offers.unseen(&screen).is_some())
    }

    /// What could be shown to a worker, best first: the queue, then the reserve, then anything. Screens with votes
    /// that are not yet in the snapshot come last, and only if there are no others or all are wanted: they gain less
    /// than the snapshot expects.
    fn offers(&self, worker: &WorkerId, most: usize) -> Vec<Screen> {
        let (snapshot, head) = (self.snapshot(), self.shared.head.read());
        let settings = head.state.settings();
        let offers = Offers { head: &head, worker: head.state.votes().worker(worker) };
        let bundles = settings.votes_per_question > 1;
        // Tested first, because it rejects most and costs least.
        let is_fresh = |screen: &Screen| bundles || head.unbelieved(screen) == 0;
        // If the campaign should end by this belief but the refined belief sees more to ask, anything may be asked.
        let least = settings.least_gain_per_second.filter(|_| snapshot.stop.is_none()).unwrap_or(0.0);
        let chosen = || snapshot.queue.iter().chain(&snapshot.reserve);
        // They were chosen by the settings of that time.
        let is_allowed = |offer: &&Offer| settings.allows(&offer.screen);
        let listed = || {
            let offers = chosen().filter(is_allowed);
            offers.filter(|offer| offer.rate() >= least).map(|offer| &offer.screen)
        };
        // With a least gain, what is not listed is not worth asking, unless nothing was ever chosen by these settings.
        let any = || {
            let is_listed_only =
                least > 0.0 && snapshot.votes_read > 0 && chosen().all(|offer| is_allowed(&offer));
            anything(&head.state).take(if is_listed_only { 0 } else { MOST_SEARCHED })
        };
        let fresh = listed().filter(|screen| is_fresh(screen));
        let mut found: Vec<Screen> = fresh.filter_map(|screen| offers.unseen(screen)).take(most).collect();
        if found.is_empty() {
            let fresh = any().take(SOME_SEARCHED).filter(is_fresh);
            found.extend(fresh.filter_map(|screen| offers.unseen(&screen)).take(most));
        }
        if found.is_empty() || most == MOST_OFFERS {
            let stale = listed().filter(|screen| !is_fresh(screen));
            let mut others: Vec<Screen> = stale.filter_map(|screen| offers.unseen(screen)).collect();
            others.sort_by_cached_key(|screen| head.unbelieved(screen));
            // Votes may come so fast that there is one on every question before the belief has taken in any.
            others.extend(any().filter_map(|screen| offers.unseen(&screen)).take(most));
            found.extend(others);
            found.truncate(most);
        }
        found.iter_mut().for_each(|screen| offers.shuffle(screen));
        found
    }

    async fn leased(&self, worker: &WorkerId, leases: &[Lease]) -> Result<Next, Error> {
        let asked: Result<Vec<Asked>, Error> =
            self.with_state(|state| leases.iter().map(|lease| state.ask(lease.screen.clone())).collect());
        let mut screens = Vec::with_capacity(leases.len());
        for (asked, lease) in asked?.into_iter().zip(leases) {
            // A repeated request gets the same ticket.
            screens.push(self.with_ticket(worker, asked, lease.taken).await?);
        }
        Ok(Next::Ask { screens })
    }

    async fn with_ticket(&self, worker: &WorkerId, asked: Asked, at: Moment) -> Result<Asked, Error> {
        let ticket = self.shared.tickets().await?.issue(self.shared.id, worker, &asked.screen, at);
        Ok(Asked { ticket, ..asked })
    }
}

/// What one worker could be shown.
struct Offers<'h> {
    head: &'h Head,
    worker: Worker,
}

impl Offers<'_> {
    /// The part of a screen that the worker has not been shown yet.
    fn unseen(&self, screen: &Screen) -> Option<Screen> {
        self.head.state.unanswered(self.worker, screen.clone())
    }

    /// Shuffles the options differently for each worker, since people prefer what comes first.
    fn shuffle(&self, screen: &mut Screen) {
        let mut hash = DefaultHasher::new();
        let (state, topic) = (&self.head.state, screen.topic());
        (state.settings().seed, state.position(), self.worker, topic).hash(&mut hash);
        if let Screen::Pick { options, .. } | Screen::Tick { options, .. } = screen {
            options.shuffle(&mut ChaCha8Rng::seed_from_u64(hash.finish()));
        }
    }
}

/// Everything that could be shown, in an order that differs from one vote to the next: in a fixed order, the first
/// screens would soon be answered, and every search would have to skip them. Path questions where yes/no is allowed;
/// otherwise each concept with any others as options, or to be placed.
fn anything(state: &State) -> impl Iterator<Item = Screen> {
    let present: Vec<u32> = state.concepts().present().map(|concept| concept.number).collect();
    let forms = &state.settings().forms;
    let form = if forms.contains(&Form::YesNo) { Form::YesNo } else { forms[0] };
    let most = form.options().end().min(&(state.settings().most_options as usize)).to_owned();
    let (count, pairs) = (present.len(), present.len() * present.len());
    let start = state.votes().all().len().wrapping_mul(STRIDE) % pairs.max(1);
    (start..pairs).chain(0..start).filter_map(move |pair| {
        let (first, second) = (present[pair / count], present[pair % count]);
        let others = || {
            let next = (1..count).map(|step| present[(pair / count + step + pair % count) % count]);
            next.filter(|other| *other != second).take(most).collect()
        };
        match form {
            Form::YesNo => Some(crate::ask::path(first, second).into()),
            Form::Pick => Screen::pick(second, others()).ok(),
            Form::Tick => Screen::tick(second, others()).ok(),
            Form::Place => Screen::place(second).ok(),
        }
    })
}

fn quota(settings: &Settings) -> Quota {
    match settings.votes_per_question {
        1 => Quota::ONE_AT_A_TIME,
        k => Quota::bundle(k),
    }
}

impl Follower {
    /// What to show next. Where questions are asked in bundles, unfinished bundles come first, and full ones are not
    /// asked again; otherwise nothing similar to a leased screen is chosen, since its answer is on the way.
    pub(super) fn screens(&self, length: usize, leased: &[Screen]) -> Vec<Offer> {
        let settings = self.state().settings();
        if !settings.is_yes_no_alone() {
            // Leased screens are chosen too, so that the others add to them, and then left out.
            let subjects: HashSet<u32> =
                leased.iter().filter_map(|screen| screen.concepts().next().copied()).collect();
            let mut queue = self.queue(length + subjects.len(), &|_| false);
            queue.retain(|offer| offer.screen.concepts().next().is_none_or(|one| !subjects.contains(one)));
            return queue;
        }
        let bundle = settings.votes_per_question as usize;
        let leased: HashSet<Question> = leased.iter().filter_map(Screen::question).copied().collect();
        let is_leased = |screen: &Screen| screen.question().is_some_and(|one| leased.contains(one));
        if bundle == 1 {
            return self.queue(length, &is_leased);
        }
        let mut votes: BTreeMap<Question, usize> = leased.iter().map(|&question| (question, 0)).collect();
        for question in self.state().votes().alive().filter_map(|vote| vote.response.screen.question()) {
            *votes.entry(*question).or_default() += 1;
        }
        let begun = votes.iter().filter(|(_, votes)| **votes < bundle).map(|(&question, _)| question);
        let mut queue = self.weigh(begun);
        let is_begun = |screen: &Screen| screen.question().is_some_and(|one| votes.contains_key(one));
        let new = self.queue(length.saturating_sub(queue.len()), &is_begun);
        queue.extend(new);
        queue
    }
}
