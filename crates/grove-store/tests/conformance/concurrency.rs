//! Concurrent writers and readers.

use grove_store::{Answer, CampaignId, Error, Position, Store, SubmittedVote, Vote};

use crate::fixture::{Fixture, NOW, path, vote};

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
    let other = SubmittedVote { vote: Vote { answer: Answer::Yes, ..one.vote.clone() }, ..one.clone() };
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
        SubmittedVote { vote: Vote { answer: Answer::No, ..earlier.vote.clone() }, ..earlier.clone() },
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
