//! Concurrent writers and readers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use grove_store::{
    Actor, Admission, Answer, Bonus, BonusId, CampaignId, Credential, CredentialId, Error, Event, LinkLimits,
    LinkTally, ModelCall, ModelCap, Moment, Panel, PanelId, PanelPerson, Position, Purpose, Reply, Reserved,
    Response, Store, StoredSubmission, SubmittedVote,
};

use uuid::Uuid;

use crate::fixture::{Fixture, NOW, path, vote, worker};

const THREADS: usize = 64;

/// Casts votes concurrently, through several stores on one database, and returns the result of each.
async fn send(
    stores: &[Store],
    campaign: CampaignId,
    votes: Vec<SubmittedVote>,
) -> Vec<Result<Position, Error>> {
    let sent: Vec<_> = votes
        .into_iter()
        .enumerate()
        .map(|(at, vote)| {
            let store = stores[at % stores.len()].clone();
            tokio::spawn(async move { store.cast(campaign, NOW, vote).await.map(|receipt| receipt.position) })
        })
        .collect();
    let mut results = Vec::new();
    for one in sent {
        results.push(one.await.unwrap());
    }
    results
}

/// The same vote with another reply.
fn with_reply(vote: &SubmittedVote, reply: Reply) -> SubmittedVote {
    SubmittedVote { response: Response { reply, ..vote.response.clone() }, ..vote.clone() }
}

pub(crate) async fn concurrent_repeats_of_a_vote_count_once(fixture: &Fixture) {
    let stores = [fixture.store.clone(), fixture.again().await, fixture.again().await];
    let campaign = fixture.campaign(3).await;
    let same = vote("ann", path(1, 2), Answer::Yes);
    for round in 0..1_000_usize.div_ceil(THREADS) {
        let results = send(&stores, campaign, vec![same.clone(); THREADS]).await;
        assert!(results.iter().all(|result| matches!(result, Ok(Position(4)))), "round {round}: {results:?}");
    }
    // Other ids on the same question: one of them wins.
    let others = (0..THREADS).map(|_| vote("ann", path(1, 3), Answer::No)).collect();
    let results = send(&stores, campaign, others).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(results.iter().all(|result| matches!(result, Ok(_) | Err(Error::AlreadyAnswered { .. }))));
    // The same id with other content: one content wins, the other is a conflict.
    let one = vote("bob", path(1, 3), Answer::No);
    let other = with_reply(&one, Reply::Yes);
    let both = (0..THREADS).map(|at| if at % 2 == 0 { one.clone() } else { other.clone() }).collect();
    let results = send(&stores, campaign, both).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), THREADS / 2);
    assert!(results.iter().all(|result| matches!(result, Ok(_) | Err(Error::Conflict))));

    assert_eq!(fixture.store.campaign(campaign).await.unwrap().head, Position(6));
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
    // The control: counting before inserting lets duplicates in.
    assert!(fixture.count_then_insert(THREADS).await > 1);
}

pub(crate) async fn refused_votes_do_not_affect_others(fixture: &Fixture) {
    let campaign = fixture.campaign(9).await;
    let earlier = vote("ann", path(1, 2), Answer::Yes);
    fixture.store.cast(campaign, NOW, earlier.clone()).await.unwrap();
    // A repeat, a conflict, a bad concept, a second answer, and good votes around them.
    let mut votes = vec![
        earlier.clone(),
        with_reply(&earlier, Reply::No),
        vote("ann", path(1, 77), Answer::Yes),
        vote("ann", path(1, 2), Answer::Yes),
    ];
    for lower in 2..=9 {
        votes.extend(["bob", "cec", "dan"].map(|who| vote(who, path(1, lower), Answer::No)));
    }
    let (faulty, good) = (4, votes.len() - 4);
    votes.rotate_left(2);
    let results = send(std::slice::from_ref(&fixture.store), campaign, votes).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), good + 1, "{results:?}");
    assert_eq!(results.iter().filter(|result| result.is_err()).count(), faulty - 1);
    assert!(results.iter().any(|result| matches!(result, Err(Error::Conflict))));
    assert!(results.iter().any(|result| matches!(result, Err(Error::BadConcept(77)))));
    assert!(results.iter().any(|result| matches!(result, Err(Error::AlreadyAnswered { .. }))));
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}

fn within(most: u64) -> Admission {
    Admission { most_votes: Some(most), link_is_limited: false }
}

/// 64 people, through three stores like three servers: some stop when they are told that the study is full, the others send what they like.
pub(crate) async fn the_budget_is_never_exceeded(fixture: &Fixture) {
    const BUDGET: u64 = 200;
    let stores = [fixture.store.clone(), fixture.again().await, fixture.again().await];
    let campaign = fixture.campaign(40).await;
    let (stored, refused) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let people: Vec<_> = (0..THREADS)
        .map(|who| {
            let (store, stored, refused) = (stores[who % 3].clone(), stored.clone(), refused.clone());
            tokio::spawn(async move {
                for lower in 2..=20 {
                    let vote = vote(&format!("worker {who}"), path(1, lower), Answer::Yes);
                    // Every other one sends everything twice, and at once.
                    let is_honest = who % 2 == 0;
                    let again = (!is_honest).then(|| {
                        let (store, vote) = (store.clone(), vote.clone());
                        tokio::spawn(
                            async move { store.cast_within(campaign, NOW, vote, within(BUDGET)).await },
                        )
                    });
                    match store.cast_within(campaign, NOW, vote.clone(), within(BUDGET)).await {
                        Ok(_) => stored.fetch_add(1, Ordering::Relaxed),
                        Err(Error::Full) => refused.fetch_add(1, Ordering::Relaxed),
                        Err(error) => panic!("{error}"),
                    };
                    if let Some(again) = again {
                        let _ = again.await.unwrap();
                    } else if refused.load(Ordering::Relaxed) > 0 {
                        return;
                    }
                }
            })
        })
        .collect();
    for one in people {
        one.await.unwrap();
    }
    assert_eq!(u64::from(stored.load(Ordering::Relaxed)), BUDGET);
    assert!(refused.load(Ordering::Relaxed) > 0);
    let count = || fixture.count("SELECT count(*) FROM votes WHERE withdrawn IS NULL");
    assert_eq!(count().await, BUDGET as i64);
    assert_eq!(fixture.store.campaign(campaign).await.unwrap().votes, BUDGET as u32);

    // A repeat is a repeat; a withdrawal makes room for one; a larger budget for more.
    let log = fixture.store.log(campaign, Position(40), 1).await.unwrap();
    let Event::VoteCast(first) = log[0].event.clone() else { panic!("{log:?}") };
    let cast = |vote, most| fixture.store.cast_within(campaign, NOW, vote, within(most));
    assert!(cast(first.clone(), BUDGET).await.unwrap().repeated);
    let late = vote("late", path(1, 2), Answer::No);
    assert!(matches!(cast(late.clone(), BUDGET).await, Err(Error::Full)));
    for _ in 0..2 {
        fixture.store.withdraw(campaign, NOW, Actor::Grove, first.id).await.unwrap();
    }
    assert!(!cast(late, BUDGET).await.unwrap().repeated);
    assert!(matches!(cast(vote("later", path(1, 2), Answer::No), BUDGET).await, Err(Error::Full)));
    cast(vote("later", path(1, 2), Answer::No), BUDGET + 1).await.unwrap();
    assert_eq!(count().await, BUDGET as i64 + 1);
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}

/// A link for ten people and thirty votes: no more, however many people one makes up.
pub(crate) async fn links_are_capped(fixture: &Fixture) {
    let stores = [fixture.store.clone(), fixture.again().await];
    let campaign = fixture.campaign(40).await;
    let new_link = async |most_workers, most_votes| {
        let (id, hash) = (CredentialId(Uuid::now_v7()), Uuid::now_v7());
        let credential = Credential {
            id,
            purpose: Purpose::Invitation(campaign),
            label: String::new(),
            created: NOW,
            until: None,
            revoked: None,
        };
        let hash = [*hash.as_bytes(), *hash.as_bytes()].concat().try_into().unwrap();
        fixture.store.add_credential(credential, hash).await.unwrap();
        let limits = LinkLimits { most_workers, most_votes };
        fixture.store.limit_link(id, limits).await.unwrap();
        assert!(matches!(fixture.store.limit_link(id, limits).await, Err(Error::Conflict)));
        assert_eq!(fixture.store.link_limits(id).await.unwrap(), limits);
        id
    };
    let send = async |link, workers: usize, votes: u32| {
        let sent: Vec<_> = (0..workers)
            .map(|who| {
                let store = stores[who % 2].clone();
                tokio::spawn(async move {
                    let mut stored = 0;
                    for lower in 2..2 + votes {
                        let vote = vote(&format!("worker {who} of {link}"), path(1, lower), Answer::Yes);
                        let vote = SubmittedVote { link: Some(link), ..vote };
                        let admission = Admission { most_votes: None, link_is_limited: true };
                        match store.cast_within(campaign, NOW, vote, admission).await {
                            Ok(_) => stored += 1,
                            Err(Error::LinkFull) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                    stored
                })
            })
            .collect();
        let mut stored: Vec<u32> = Vec::new();
        for one in sent {
            stored.push(one.await.unwrap());
        }
        stored
    };
    let capped = new_link(Some(10), Some(30)).await;
    let stored = send(capped, 40, 5).await;
    assert_eq!(stored.iter().sum::<u32>(), 30);
    assert!(stored.iter().filter(|votes| **votes > 0).count() <= 10);
    let tallies = fixture.store.link_tallies(campaign).await.unwrap();
    assert!(matches!(tallies[..], [(link, tally)] if link == capped && tally.workers <= 10), "{tallies:?}");
    let by_people = new_link(Some(10), None).await;
    let stored = send(by_people, 40, 2).await;
    assert_eq!((stored.iter().filter(|votes| **votes == 2).count(), stored.iter().sum::<u32>()), (10, 20));
    // Who is in may go on; nobody else.
    let known = stored.iter().position(|votes| *votes > 0).unwrap();
    let room = async |link, who: String| fixture.store.link_has_room(link, &worker(&who)).await.unwrap();
    assert!(room(by_people, format!("worker {known} of {by_people}")).await);
    assert!(!room(by_people, "somebody else".to_owned()).await);
    assert!(!room(capped, format!("worker {known} of {capped}")).await, "no votes are left");
    let single = new_link(Some(1), None).await;
    assert!(room(single, "anybody".to_owned()).await);
    assert_eq!(send(single, 12, 3).await.iter().filter(|votes| **votes > 0).count(), 1);
    let tallies = fixture.store.link_tallies(campaign).await.unwrap();
    let of = |link| tallies.iter().find(|(id, _)| *id == link).unwrap().1;
    assert_eq!(
        (of(by_people), of(single)),
        (LinkTally { workers: 10, votes: 20 }, LinkTally { workers: 1, votes: 3 })
    );
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}

pub(crate) async fn positions_have_no_gaps_under_load(fixture: &Fixture) {
    let campaigns = [fixture.campaign(40).await, fixture.campaign(40).await];
    let writers: Vec<_> = (0..16_usize)
        .map(|who| {
            let (store, campaign) = (fixture.store.clone(), campaigns[who % 2]);
            tokio::spawn(async move {
                for lower in 2..=40 {
                    let vote = vote(&format!("worker {who}"), path(1, lower), Answer::Yes);
                    store.cast(campaign, NOW, vote).await.unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    for campaign in campaigns {
        let log = fixture.store.log(campaign, Position::START, 10_000).await.unwrap();
        assert_eq!(log.len(), 40 + 8 * 39);
        assert!(log.iter().enumerate().all(|(at, entry)| entry.position == Position(at as i64 + 1)));
    }
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}

/// Like a command line beside a running server.
pub(crate) async fn two_stores_share_a_database(fixture: &Fixture) {
    let campaign = fixture.campaign(30).await;
    let stores = [fixture.store.clone(), fixture.again().await];
    let writers: Vec<_> = (0..8_usize)
        .map(|who| {
            let store = stores[who % 2].clone();
            tokio::spawn(async move {
                for lower in 2..=30 {
                    let vote = vote(&format!("worker {who}"), path(1, lower), Answer::Yes);
                    store.cast(campaign, NOW, vote).await.unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(stores[1].campaign(campaign).await.unwrap().head, Position(30 + 8 * 29));
    assert_eq!(stores[1].doctor().await.unwrap(), []);
}

/// A reader that follows the growing log misses nothing: no entry appears before an earlier one.
pub(crate) async fn readers_see_entries_in_order(fixture: &Fixture) {
    let campaign = fixture.campaign(40).await;
    let stores = [fixture.store.clone(), fixture.again().await];
    let writers: Vec<_> = (0..6_usize)
        .map(|who| {
            let store = stores[who % 2].clone();
            tokio::spawn(async move {
                for lower in 2..=40 {
                    let vote = vote(&format!("worker {who}"), path(1, lower), Answer::Yes);
                    store.cast(campaign, NOW, vote).await.unwrap();
                }
            })
        })
        .collect();
    let (end, mut read) = (40 + 6 * 39, Position::START);
    while read.0 < end {
        for entry in fixture.store.log(campaign, read, 50).await.unwrap() {
            assert_eq!(entry.position.0, read.0 + 1, "an entry appeared late");
            read = entry.position;
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn new_panel(fixture: &Fixture) -> Panel {
    let panel = Panel {
        id: PanelId(Uuid::now_v7()),
        campaign: fixture.campaign(2).await,
        name: "class".to_owned(),
        connection: None,
        settings: "{}".to_owned(),
        key: vec![7; 32],
        study: None,
        status: "open".to_owned(),
        created: NOW,
        synced: None,
        places: None,
        paused_with_campaign: 0,
        commitments: 0,
        places_asked: None,
        places_asked_at: None,
        read_after_end: 0,
    };
    fixture.store.add_panel(panel.clone()).await.unwrap();
    panel
}

/// People who come through two servers at the same time, some of them twice.
pub(crate) async fn panels_are_capped(fixture: &Fixture) {
    let panel = new_panel(fixture).await;
    let stores = [fixture.store.clone(), fixture.again().await];
    let coming: Vec<_> = (0..40)
        .map(|visit| {
            let (store, name) = (stores[visit % 2].clone(), format!("person {}", visit / 2));
            let person = PanelPerson {
                panel: panel.id,
                person: name.clone(),
                worker: worker(&name),
                session: None,
                study: None,
                kept: "{}".to_owned(),
                entered: NOW,
                consented: None,
                finished: None,
                outcome: None,
                verified: None,
            };
            tokio::spawn(async move { store.enter_panel(person, Some(5)).await.unwrap() })
        })
        .collect();
    let mut came = BTreeSet::new();
    for visit in coming {
        came.extend(visit.await.unwrap().map(|person| person.person));
    }
    assert_eq!(came.len(), 5);
    assert_eq!(fixture.store.people_of(panel.id).await.unwrap().len(), 5);
}

/// Two programs send the same bonus, one after the other because the first payment seemed to have failed. What the first of them hears late says nothing
/// about the second payment: if that were taken for unpaid, it would be paid again.
pub(crate) async fn late_news_of_a_bonus_does_not_lead_to_another(fixture: &Fixture) {
    let (panel, store) = (new_panel(fixture).await.id, &fixture.store);
    let id = BonusId(Uuid::now_v7());
    let bonus = Bonus {
        id,
        panel,
        submission: "s".to_owned(),
        cents: 50,
        status: "intended".to_owned(),
        batch: None,
        created: NOW,
        sent: None,
    };
    store.intend_bonuses(panel, vec![bonus.clone()]).await.unwrap();
    let send = async |batch: &str| {
        let seen = store.panel(panel).await.unwrap().unwrap().commitments;
        store.send_bonuses(panel, vec![id], batch.to_owned(), NOW, seen).await
    };
    let settle =
        async |batch: &str, status| store.settle_bonus(panel, id, batch.to_owned(), status).await.unwrap();
    let status = async || store.bonuses_of(panel).await.unwrap()[0].status.clone();
    send("first").await.unwrap();
    assert!(matches!(send("twice").await, Err(Error::Conflict)));
    assert!(settle("first", "intended").await);
    send("second").await.unwrap();
    for late in ["intended", "paid"] {
        assert!(!settle("first", late).await);
        assert_eq!(status().await, "sent");
    }
    assert!(!store.refuse_bonus(panel, id).await.unwrap(), "it was sent");
    assert!(settle("second", "paid").await);
    assert!(!settle("second", "intended").await);
    assert_eq!(status().await, "paid");
    let other = BonusId(Uuid::now_v7());
    store.intend_bonuses(panel, vec![Bonus { id: other, ..bonus }]).await.unwrap();
    assert!(store.refuse_bonus(panel, other).await.unwrap());
}

/// A question to a model that can use so many tokens, at ten millionths of a cent each.
pub(crate) fn model_call(campaign: CampaignId, tokens: i64) -> ModelCall {
    ModelCall {
        id: Uuid::now_v7(),
        campaign,
        worker: worker("model"),
        endpoint: "small".to_owned(),
        model: "m".to_owned(),
        mode: "unanswered".to_owned(),
        prompt: String::new(),
        call: String::new(),
        screen: String::new(),
        reply: String::new(),
        yes: None,
        input: tokens,
        output: 0,
        cost: tokens * 10,
        milliseconds: 0,
        at: NOW,
    }
}

/// Several programs ask a model at the same time. What their questions can use together is never more than the budget, of tokens or of money, and what
/// they did not use can be used by others.
pub(crate) async fn a_models_budget_holds_between_programs(fixture: &Fixture) {
    let campaign = fixture.campaign(3).await;
    let stores = [fixture.store.clone(), fixture.again().await];
    let by_tokens = ModelCap { tokens: Some(100), cost: None };
    let asking = (0..40).map(|at| {
        let store = stores[at % 2].clone();
        tokio::spawn(async move {
            let call = model_call(campaign, 7);
            (store.reserve_call(call.clone(), by_tokens).await.unwrap() == Reserved::Yes).then_some(call)
        })
    });
    let mut sent = Vec::new();
    for one in asking.collect::<Vec<_>>() {
        sent.extend(one.await.unwrap());
    }
    assert_eq!(sent.len(), 14);
    let spending = async || {
        let spending = stores[0].model_spending(campaign, "small").await.unwrap();
        (spending.tokens, spending.cost)
    };
    assert_eq!(spending().await, (98, 980));
    // The same question is sent once more, which can use as much again.
    let again = ModelCall { input: 14, cost: 140, ..sent[0].clone() };
    let refused = stores[1].reserve_call(again.clone(), by_tokens).await.unwrap();
    assert!(matches!(refused, Reserved::No(used) if used.tokens == 98), "nothing is written");
    assert_eq!(spending().await, (98, 980));
    // It used less, and another was not answered and used nothing.
    let settled = ModelCall { input: 2, cost: 20, reply: "\"yes\"".to_owned(), ..again.clone() };
    stores[1].settle_call(settled).await.unwrap();
    stores[0].settle_call(ModelCall { input: 0, cost: 0, ..sent[1].clone() }).await.unwrap();
    assert_eq!(spending().await, (98 - 5 - 7, 860));
    let money = ModelCap { tokens: None, cost: Some(900) };
    assert_eq!(stores[0].reserve_call(model_call(campaign, 4), money).await.unwrap(), Reserved::Yes);
    assert!(matches!(stores[0].reserve_call(model_call(campaign, 1), money).await.unwrap(), Reserved::No(_)));
    // What endpoints are found to support is forgotten after some time.
    stores[0].set_model_probe("endpoint".to_owned(), "{}".to_owned(), NOW).await.unwrap();
    let known = async |since| stores[1].model_probe("endpoint", Moment(since)).await.unwrap();
    assert_eq!((known(NOW.0 - 1).await.as_deref(), known(NOW.0).await), (Some("{}"), None));
    // Other models and campaigns have budgets of their own.
    let other = ModelCall { endpoint: "large".to_owned(), ..model_call(campaign, 90) };
    assert_eq!(stores[0].reserve_call(other, money).await.unwrap(), Reserved::Yes);
    let elsewhere = fixture.campaign(3).await;
    assert_eq!(stores[0].reserve_call(model_call(elsewhere, 90), money).await.unwrap(), Reserved::Yes);
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
    // The sums are not in a dump, and are there when it is restored.
    let dump = fixture.file("calls.jsonl");
    fixture.store.dump(&dump).await.unwrap();
    let restored = Store::restore(&dump, fixture.file("calls.db").to_str().unwrap()).await.unwrap();
    let there = restored.model_spending(campaign, "small").await.unwrap();
    assert_eq!((there.tokens, there.cost), spending().await);
}

/// Models are asked and answer while people vote, through two programs: nobody waits for somebody who waits for them, which the database would end with an
/// error.
pub(crate) async fn models_and_people_do_not_wait_for_each_other(fixture: &Fixture) {
    const ASKED: i64 = 50;
    let campaign = fixture.campaign(3).await;
    let stores = [fixture.store.clone(), fixture.again().await];
    let asking = (0..8).map(|at| {
        let store = stores[at % 2].clone();
        tokio::spawn(async move {
            for _ in 0..ASKED {
                let call = model_call(campaign, 7);
                let reserved = store.reserve_call(call.clone(), ModelCap::default()).await.unwrap();
                assert_eq!(reserved, Reserved::Yes);
                store.settle_call(ModelCall { reply: "\"yes\"".to_owned(), ..call }).await.unwrap();
                store.add_call(model_call(campaign, 0)).await.unwrap();
            }
        })
    });
    let asking: Vec<_> = asking.collect();
    // Votes that come one at a time lock the campaign.
    let mut voters = 0;
    while asking.iter().any(|one| !one.is_finished()) {
        voters += 1;
        let vote = vote(&format!("worker {voters}"), path(1, 3), Answer::Yes);
        stores[0].cast(campaign, NOW, vote).await.unwrap();
    }
    for one in asking {
        one.await.unwrap();
    }
    let spending = fixture.store.model_spending(campaign, "small").await.unwrap();
    assert_eq!((spending.tokens, spending.cost), (8 * 7 * ASKED, 8 * 70 * ASKED));
}

/// A study that has ended has no work left unless somebody waits for something.
pub(crate) async fn finished_studies_are_told_from_those_with_work(fixture: &Fixture) {
    let (panel, store) = (new_panel(fixture).await, &fixture.store);
    let has_work = async || !store.studies_without_work(NOW).await.unwrap().contains(&panel.id);
    let record = async |status: &str, read| {
        store.set_panel_status(&panel, "study".to_owned(), status.to_owned(), 5, read, NOW).await.unwrap();
    };
    let set = async |status: &str| record(status, true).await;
    for status in ["UNPUBLISHED", "ACTIVE", "PAUSED", "a new word"] {
        set(status).await;
        assert!(has_work().await, "{status}");
    }
    for status in ["COMPLETED", "AWAITING REVIEW"] {
        record(status, false).await;
        assert!(has_work().await, "somebody may have come before it ended: {status}");
        set(status).await;
        assert!(!has_work().await, "{status}");
    }
    // Two programs have made a draft: the study of the one that came first is the panel's.
    let other =
        store.set_panel_status(&panel, "another".to_owned(), "UNPUBLISHED".to_owned(), 5, false, NOW).await;
    assert!(matches!(other, Err(Error::Changed)), "{other:?}");
    assert!(!has_work().await);
    // Somebody comes all the same, and the service has not told of them.
    let person = PanelPerson {
        panel: panel.id,
        person: "p".to_owned(),
        worker: worker("w"),
        session: Some("new".to_owned()),
        study: None,
        kept: "{}".to_owned(),
        entered: NOW,
        consented: None,
        finished: None,
        outcome: None,
        verified: None,
    };
    store.enter_panel(person, None).await.unwrap();
    assert!(has_work().await);
    store.set_verified(panel.id, worker("w"), "new".to_owned(), true).await.unwrap();
    assert!(has_work().await, "verified by a signature, and not listed");
    store.set_verified(panel.id, worker("w"), "new".to_owned(), false).await.unwrap();
    assert!(!has_work().await, "the service does not know them");
    let submission = |id: &str, status: &str| StoredSubmission {
        panel: panel.id,
        submission: id.to_owned(),
        person: id.to_owned(),
        status: status.to_owned(),
        at: NOW,
        code: None,
        seconds: None,
        decision: None,
        asked: None,
    };
    // Whoever took too long may hand in a code all the same, for some time.
    let late = submission("late", "TIMED-OUT");
    store.add_submission(late.clone()).await.unwrap();
    assert!(!has_work().await);
    let just_now = StoredSubmission { at: Moment(NOW.0 + 1), ..late.clone() };
    store.change_submission(late.clone(), just_now.clone()).await.unwrap();
    assert!(has_work().await);
    store.change_submission(just_now, late).await.unwrap();
    // The service is still to be told what was decided about them.
    store.decide(panel.id, vec!["late".to_owned()], "return").await.unwrap();
    assert!(has_work().await);
    store.has_asked(panel.id, "late".to_owned(), NOW).await.unwrap();
    assert!(!has_work().await);
    let waiting = submission("waiting", "AWAITING REVIEW");
    store.add_submission(waiting.clone()).await.unwrap();
    assert!(has_work().await);
    let approved = StoredSubmission { status: "APPROVED".to_owned(), ..waiting.clone() };
    store.change_submission(waiting, approved).await.unwrap();
    assert!(!has_work().await);
    let id = BonusId(Uuid::now_v7());
    let bonus = Bonus {
        id,
        panel: panel.id,
        submission: "waiting".to_owned(),
        cents: 5,
        status: "intended".to_owned(),
        batch: None,
        created: NOW,
        sent: None,
    };
    store.intend_bonuses(panel.id, vec![bonus]).await.unwrap();
    assert!(has_work().await);
    store.send_bonuses(panel.id, vec![id], "batch".to_owned(), NOW, 0).await.unwrap();
    assert!(has_work().await);
    store.settle_bonus(panel.id, id, "batch".to_owned(), "paid").await.unwrap();
    assert!(!has_work().await);
}

/// Two programs find that the budget is enough for what they want, each alone: one of them commits the money, and the other has to look again.
pub(crate) async fn money_of_a_study_is_committed_by_one_program_at_a_time(fixture: &Fixture) {
    let (panel, store, other) = (new_panel(fixture).await, &fixture.store, fixture.again().await);
    let bonus = |submission: &str| Bonus {
        id: BonusId(Uuid::now_v7()),
        panel: panel.id,
        submission: submission.to_owned(),
        cents: 50,
        status: "intended".to_owned(),
        batch: None,
        created: NOW,
        sent: None,
    };
    let (first, second) = (bonus("first"), bonus("second"));
    store.intend_bonuses(panel.id, vec![first.clone(), second.clone()]).await.unwrap();
    let send = async |store: &Store, bonus: &Bonus, seen| {
        store.send_bonuses(panel.id, vec![bonus.id], "batch".to_owned(), NOW, seen).await
    };
    let asked = async || store.panel(panel.id).await.unwrap().unwrap().places_asked;
    send(store, &first, 0).await.unwrap();
    assert!(matches!(send(&other, &second, 0).await, Err(Error::Conflict)));
    assert!(matches!(other.commit_places(&panel, 0, Some((9, NOW))).await, Err(Error::Conflict)));
    assert_eq!(asked().await, None);
    other.commit_places(&panel, 1, Some((9, NOW))).await.unwrap();
    assert_eq!(asked().await, Some(9));
    // A refusal commits nothing, whatever its reason.
    assert!(matches!(send(store, &first, 2).await, Err(Error::Conflict)));
    send(store, &second, 2).await.unwrap();
    let status: Vec<String> =
        store.bonuses_of(panel.id).await.unwrap().into_iter().map(|one| one.status).collect();
    assert_eq!(status, ["sent", "sent"]);
    // Nor is anything committed by settings that somebody has changed, nor by a pause that somebody has ended.
    other.change_panel_settings(&panel, "{ }".to_owned()).await.unwrap();
    assert!(matches!(store.commit_places(&panel, 3, None).await, Err(Error::Conflict)));
    assert!(matches!(store.change_panel_settings(&panel, "{}".to_owned()).await, Err(Error::Changed)));
    store.set_paused_with_campaign(&panel, Some(4), true).await.unwrap();
    other.set_paused_with_campaign(&panel, None, false).await.unwrap();
    assert!(matches!(store.set_paused_with_campaign(&panel, Some(5), true).await, Err(Error::Conflict)));
    let now = store.panel(panel.id).await.unwrap().unwrap();
    assert_eq!((now.settings.as_str(), now.paused_with_campaign, now.commitments), ("{ }", 0, 6));
}
