use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use grove_store::{
    Actor, Answer, CampaignId, Error, Lease, LeaseRequest, Moment, Question, Quota, Store, VoteId, WorkerId,
};
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::fixture::{Fixture, NOW, path, vote, worker};
use crate::postgres;

async fn take(
    fixture: &Fixture,
    campaign: CampaignId,
    who: &str,
    offers: &[Question],
    quota: Quota,
    now: i64,
) -> Option<Question> {
    let request = LeaseRequest {
        worker: worker(who),
        offers: offers.iter().map(|&question| question.into()).collect(),
        quota,
        now: Moment(now),
        until: Moment(now + 10),
    };
    fixture.store.take_lease(campaign, request).await.unwrap().map(|lease| question(&lease))
}

fn question(lease: &Lease) -> Question {
    *lease.screen.question().unwrap()
}

pub(crate) async fn quotas_hold(fixture: &Fixture) {
    let campaign = fixture.campaign(4).await;
    let offers = [path(1, 2), path(1, 3)];
    let one = Quota::ONE_AT_A_TIME;
    assert_eq!(take(fixture, campaign, "a", &offers, one, 0).await, Some(path(1, 2)));
    assert_eq!(take(fixture, campaign, "b", &offers, one, 1).await, Some(path(1, 3)));
    assert_eq!(take(fixture, campaign, "c", &offers, one, 2).await, None);
    assert_eq!(
        take(fixture, campaign, "a", &offers, Quota { at_once: 2, in_all: None }, 2).await,
        Some(path(1, 3))
    );
    assert_eq!(fixture.store.leases_of(campaign, &worker("a"), Moment(2)).await.unwrap().len(), 2);
    // At its end a lease is no longer valid, and the next worker gets the question.
    assert_eq!(take(fixture, campaign, "c", &offers, one, 9).await, None);
    assert_eq!(take(fixture, campaign, "c", &offers, one, 10).await, Some(path(1, 2)));
    assert!(fixture.store.end_lease(campaign, &worker("c"), &path(1, 2).into()).await.unwrap());
    assert!(!fixture.store.end_lease(campaign, &worker("c"), &path(1, 2).into()).await.unwrap());
    assert_eq!(take(fixture, campaign, "d", &offers, one, 10).await, Some(path(1, 2)));
    assert_eq!(take(fixture, campaign, "e", &offers[..1], one, 19).await, None);
    // Another campaign has its own leases.
    let other = fixture.campaign(4).await;
    assert_eq!(take(fixture, other, "e", &offers, one, 39).await, Some(path(1, 2)));

    let backwards =
        LeaseRequest { worker: worker("e"), offers: vec![], quota: one, now: Moment(1), until: Moment(1) };
    let refusal = fixture.store.take_lease(campaign, backwards).await;
    assert!(matches!(refusal, Err(Error::EndsBeforeItBegins { .. })));
}

pub(crate) async fn late_answers_count_and_end_no_other_lease(fixture: &Fixture) {
    let campaign = fixture.campaign(2).await;
    let offers = [path(1, 2)];
    let bundle = Quota::bundle(2);
    assert_eq!(take(fixture, campaign, "late", &offers, Quota::bundle(1), 0).await, Some(path(1, 2)));
    assert_eq!(take(fixture, campaign, "next", &offers, Quota::bundle(1), 20).await, Some(path(1, 2)));
    fixture.store.cast(campaign, NOW, vote("late", path(1, 2), Answer::Yes)).await.unwrap();
    assert_eq!(fixture.store.leases(campaign, Moment(21)).await.unwrap().len(), 1, "the next one's stays");
    assert_eq!(
        take(fixture, campaign, "third", &offers, bundle, 21).await,
        None,
        "a vote and a lease make two"
    );
    fixture.store.cast(campaign, NOW, vote("next", path(1, 2), Answer::No)).await.unwrap();
    assert_eq!(fixture.store.leases(campaign, Moment(21)).await.unwrap(), []);
    assert_eq!(take(fixture, campaign, "third", &offers, bundle, 22).await, None, "two votes make two");
    let open = Quota::ONE_AT_A_TIME;
    assert_eq!(take(fixture, campaign, "late", &offers, open, 23).await, None, "has answered");
    assert_eq!(take(fixture, campaign, "third", &offers, open, 23).await, Some(path(1, 2)));
}

/// A simple model of leases.
#[derive(Default)]
struct Model {
    leases: BTreeMap<(WorkerId, Question), Moment>,
    votes: BTreeMap<(WorkerId, Question), VoteId>,
}

impl Model {
    fn take(&mut self, request: &LeaseRequest) -> Option<Question> {
        self.leases.retain(|_, until| *until > request.now);
        let free = |question: &Question| {
            let leases = self.leases.keys().filter(|(_, leased)| leased == question).count();
            let votes = self.votes.keys().filter(|(_, answered)| answered == question).count();
            let key = (request.worker.clone(), *question);
            leases < request.quota.at_once as usize
                && request.quota.in_all.is_none_or(|in_all| leases + votes < in_all as usize)
                && !self.leases.contains_key(&key)
                && !self.votes.contains_key(&key)
        };
        let question = request.offers.iter().filter_map(|offer| offer.question()).copied().find(free)?;
        self.leases.insert((request.worker.clone(), question), request.until);
        Some(question)
    }
}

/// Runs steps of asking, answering, skipping, withdrawing and waiting on the store and on the model, and returns the first step where they
/// differ.
async fn first_difference(fixture: &Fixture, seed: u64, steps: u32, loosened: u32) -> Option<u32> {
    let campaign = fixture.campaign(4).await;
    let questions: Vec<_> = (1..=4)
        .flat_map(|upper| (1..=4).filter(move |&lower| lower != upper).map(move |lower| path(upper, lower)))
        .collect();
    let workers = ["a", "b", "c", "d", "e"].map(worker);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut model = Model::default();
    let mut now = NOW;
    for step in 0..steps {
        let who = &workers[rng.random_range(0..workers.len())];
        let question = questions[rng.random_range(0..questions.len())];
        match rng.random_range(0..10) {
            0..5 => {
                let offers = (0..6).map(|_| questions[rng.random_range(0..questions.len())].into()).collect();
                let at_once = rng.random_range(1..=2);
                let in_all = rng.random_bool(0.5).then_some(3);
                let mut request = LeaseRequest {
                    worker: who.clone(),
                    offers,
                    quota: Quota { at_once, in_all },
                    now,
                    until: Moment(now.0 + rng.random_range(1..20)),
                };
                let expected = model.take(&request);
                request.quota.at_once += loosened;
                let taken = fixture.store.take_lease(campaign, request).await.unwrap();
                if taken.map(|lease| key(lease).1) != expected {
                    return Some(step);
                }
            }
            5..7 => {
                // With a lease, without one, or after it has ended: the answer counts.
                if let Entry::Vacant(place) = model.votes.entry((who.clone(), question)) {
                    let vote = vote(who.as_str(), question, Answer::Yes);
                    place.insert(vote.id);
                    fixture.store.cast(campaign, now, vote).await.unwrap();
                }
                model.leases.remove(&(who.clone(), question));
                fixture.store.end_lease(campaign, who, &question.into()).await.unwrap();
            }
            7 => {
                model.leases.remove(&(who.clone(), question));
                fixture.store.end_lease(campaign, who, &question.into()).await.unwrap();
            }
            8 => {
                if let Some(id) = model.votes.remove(&(who.clone(), question)) {
                    fixture.store.withdraw(campaign, now, Actor::Grove, id).await.unwrap();
                }
            }
            _ => now = Moment(now.0 + rng.random_range(0..15)),
        }
        let held: BTreeSet<_> =
            fixture.store.leases(campaign, now).await.unwrap().into_iter().map(key).collect();
        let expected = model.leases.iter().filter(|(_, until)| **until > now);
        let expected: BTreeSet<_> =
            expected.map(|((who, what), until)| (who.clone(), *what, *until)).collect();
        if held != expected {
            return Some(step);
        }
    }
    None
}

fn key(lease: Lease) -> (WorkerId, Question, Moment) {
    let question = question(&lease);
    (lease.worker, question, lease.until)
}

pub(crate) async fn leases_follow_the_model(fixture: &Fixture) {
    assert_eq!(first_difference(fixture, 1, 2_000, 0).await, None);
    // The control: a quota that is one too large is noticed.
    assert_ne!(first_difference(fixture, 1, 2_000, 1).await, None);
}

/// Servers that share a database see each other's leases, and together ask no question twice, however fast the requests come.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_ask_no_question_twice() {
    if postgres::is_missing() {
        return;
    }
    let fixture = Fixture::postgres().await;
    let stores = [fixture.store.clone(), fixture.again().await];
    let campaign = fixture.campaign(9).await;
    let offers: Vec<Question> = (2..=9).map(|lower| path(1, lower)).collect();
    for quota in [Quota::ONE_AT_A_TIME, Quota::bundle(3)] {
        let asking = (0..40).map(|who| {
            let request = LeaseRequest {
                worker: worker(&format!("w{who}")),
                offers: offers.iter().map(|&question| question.into()).collect(),
                quota,
                now: NOW,
                until: Moment(NOW.0 + 10),
            };
            let store = stores[who % 2].clone();
            tokio::spawn(async move { store.take_lease(campaign, request).await.unwrap() })
        });
        let mut given: BTreeMap<Question, u32> = BTreeMap::new();
        for lease in asking.collect::<Vec<_>>() {
            let Some(lease) = lease.await.unwrap() else { continue };
            *given.entry(question(&lease)).or_default() += 1;
        }
        let expected: BTreeMap<_, _> = offers.iter().map(|&question| (question, quota.at_once)).collect();
        assert_eq!(given, expected, "each question as often as its quota allows");

        // What one has leased, the other can end, and both see that at once.
        for store in &stores {
            assert_eq!(store.leases(campaign, NOW).await.unwrap().len(), 8 * quota.at_once as usize);
        }
        for (turn, lease) in stores[0].leases(campaign, NOW).await.unwrap().into_iter().enumerate() {
            let (one, other) = (&stores[turn % 2], &stores[1 - turn % 2]);
            assert!(one.end_lease(campaign, &lease.worker, &lease.screen).await.unwrap());
            assert!(!other.end_lease(campaign, &lease.worker, &lease.screen).await.unwrap());
            assert_eq!(other.leases_of(campaign, &lease.worker, NOW).await.unwrap(), []);
        }
    }
    // A vote that one has recorded keeps the other from asking again.
    let ann = |store: &Store| {
        let request = LeaseRequest {
            worker: worker("ann"),
            offers: vec![path(1, 2).into()],
            quota: Quota::ONE_AT_A_TIME,
            now: NOW,
            until: Moment(NOW.0 + 10),
        };
        let store = store.clone();
        async move { store.take_lease(campaign, request).await.unwrap() }
    };
    assert!(ann(&stores[0]).await.is_some());
    stores[1].cast(campaign, NOW, vote("ann", path(1, 2), Answer::Yes)).await.unwrap();
    assert_eq!(ann(&stores[0]).await, None);
    assert_eq!(stores[0].leases(campaign, NOW).await.unwrap(), []);
}
