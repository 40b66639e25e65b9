use std::time::{Duration, SystemTime, UNIX_EPOCH};

use grove_store::{Answer, CampaignId, Claim, Error, Event, HolderId, Holding, Moment, Position};
use serde_json::json;
use uuid::Uuid;

use crate::fixture::{Fixture, NOW, path, vote};
use crate::postgres;

/// Short, since on PostgreSQL the database's own clock counts.
const TERM: Duration = Duration::from_millis(400);

fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Moment(since.as_micros() as i64)
}

fn new_holder() -> HolderId {
    HolderId(Uuid::now_v7())
}

async fn hold(fixture: &Fixture, campaign: CampaignId, holder: HolderId, term: Duration) -> Holding {
    let claim = Claim { holder, name: format!("server {holder}"), term };
    fixture.store.hold_belief(campaign, claim, now()).await.unwrap()
}

pub(crate) async fn one_program_holds_a_belief(fixture: &Fixture) {
    let campaign = fixture.campaign(1).await;
    let (one, two) = (new_holder(), new_holder());
    let long = Duration::from_secs(60);
    let first = hold(fixture, campaign, one, long).await;
    assert_eq!((first.holder, first.epoch), (one, 1));
    assert_eq!(hold(fixture, campaign, two, long).await.holder, one, "another waits");
    let shorter = hold(fixture, campaign, one, TERM).await;
    assert_eq!((shorter.holder, shorter.epoch), (one, 1), "it asks again");
    assert_eq!(hold(fixture, campaign, two, long).await.holder, one, "not yet");
    tokio::time::sleep(TERM + Duration::from_millis(50)).await;
    let second = hold(fixture, campaign, two, long).await;
    assert_eq!((second.holder, second.epoch), (two, 2), "it has expired");
    fixture.store.release_belief(campaign, one).await.unwrap();
    assert_eq!(hold(fixture, campaign, one, long).await.holder, two, "only its holder can release it");
    fixture.store.release_belief(campaign, two).await.unwrap();
    let third = hold(fixture, campaign, two, long).await;
    assert_eq!((third.holder, third.epoch), (two, 3), "released and taken again: another turn");

    let claim = Claim { holder: one, name: String::new(), term: long };
    let refusal = fixture.store.hold_belief(CampaignId(Uuid::now_v7()), claim, now()).await;
    assert!(matches!(refusal, Err(Error::UnknownCampaign(_))));
}

pub(crate) async fn only_the_holder_advances(fixture: &Fixture) {
    let campaign = fixture.campaign(2).await;
    fixture.store.cast(campaign, NOW, vote("ann", path(1, 2), Answer::Yes)).await.unwrap();
    let (one, two) = (new_holder(), new_holder());
    let advance = async |holder, to: i64| {
        fixture.store.advance(campaign, NOW, holder, Position(to), json!({"moves": 7})).await
    };
    assert!(matches!(advance((one, 1), 3).await, Err(Error::NotTheHolder)));
    hold(fixture, campaign, one, Duration::ZERO).await;
    assert_eq!(advance((one, 1), 3).await.unwrap().position, Position(4));
    assert_eq!(fixture.store.campaign(campaign).await.unwrap().advanced, Position(3));
    assert!(matches!(advance((one, 1), 2).await, Err(Error::BadAdvance { .. })), "backwards");
    assert!(matches!(advance((one, 1), 5).await, Err(Error::BadAdvance { .. })), "past the end");

    // A program that slept while another took over can no longer write.
    assert_eq!(hold(fixture, campaign, two, Duration::ZERO).await.epoch, 2);
    assert!(matches!(advance((one, 1), 4).await, Err(Error::NotTheHolder)));
    assert_eq!(advance((two, 2), 4).await.unwrap().position, Position(5));
    // Nor what it had begun before, when it is the holder again.
    assert_eq!(hold(fixture, campaign, one, Duration::ZERO).await.epoch, 3);
    assert!(matches!(advance((one, 1), 5).await, Err(Error::NotTheHolder)));
    assert_eq!(advance((one, 3), 5).await.unwrap().position, Position(6));
    let log = fixture.store.log(campaign, Position(3), 10).await.unwrap();
    let epochs: Vec<i64> = log
        .iter()
        .filter_map(|entry| match entry.event {
            Event::Advanced { epoch, .. } => Some(epoch),
            _ => None,
        })
        .collect();
    assert_eq!(epochs, [1, 2, 3]);
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}

/// A server holds what it holds for as long as it says that it is alive, and not longer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_holds_while_it_is_alive() {
    if postgres::is_missing() {
        return;
    }
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    let campaign = fixture.campaign(1).await;
    let (one, two) = (new_holder(), new_holder());
    let presence = fixture.store.announce(one, "one", TERM).await.unwrap();
    assert_eq!((presence.others, presence.was_alive), (vec![], false));
    let presence = other.announce(two, "two", TERM).await.unwrap();
    assert_eq!((presence.others, presence.was_alive), (vec![one], false));
    assert!((presence.now.0 - now().0).abs() < 5_000_000, "the clock of the same machine");
    hold(&fixture, campaign, one, Duration::ZERO).await;
    for _ in 0..6 {
        tokio::time::sleep(TERM / 4).await;
        assert!(fixture.store.announce(one, "one", TERM).await.unwrap().was_alive);
        assert_eq!(hold(&fixture, campaign, two, Duration::ZERO).await.holder, one, "it is alive");
    }
    tokio::time::sleep(TERM + Duration::from_millis(50)).await;
    let taken = hold(&fixture, campaign, two, Duration::ZERO).await;
    assert_eq!((taken.holder, taken.epoch), (two, 2), "it is not");
    assert!(!fixture.store.announce(one, "one", TERM).await.unwrap().was_alive, "and it is told");
    // Who leaves leaves at once.
    other.announce(two, "two", Duration::from_secs(60)).await.unwrap();
    assert_eq!(hold(&fixture, campaign, one, Duration::ZERO).await.holder, two);
    other.leave(two).await.unwrap();
    assert_eq!(hold(&fixture, campaign, one, Duration::ZERO).await.holder, one);
}

/// What one server writes, another hears of; it does not hear of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_tell_each_other_what_they_write() {
    if postgres::is_missing() {
        return;
    }
    let fixture = Fixture::postgres().await;
    let other = fixture.again().await;
    let (campaign, quiet) = (fixture.campaign(9).await, fixture.campaign(2).await);
    for store in [&fixture.store, &other, &fixture.store] {
        store.announce(new_holder(), "a server", Duration::from_secs(60)).await.unwrap();
    }
    let (here, there, silent) =
        (fixture.store.changes(campaign), other.changes(campaign), other.changes(quiet));
    let mut heard = false;
    for lower in 2..=9 {
        // The other may not listen yet at first.
        let vote = vote("ann", path(1, lower), Answer::Yes);
        fixture.store.cast(campaign, NOW, vote).await.unwrap();
        heard |= tokio::time::timeout(Duration::from_millis(500), there.notified()).await.is_ok();
    }
    assert!(heard);
    for nothing in [here, silent] {
        // A waiting notice from the beginning, when all are told to look.
        let _ = tokio::time::timeout(Duration::from_millis(10), nothing.notified()).await;
        assert!(tokio::time::timeout(Duration::from_millis(100), nothing.notified()).await.is_err());
    }
}
