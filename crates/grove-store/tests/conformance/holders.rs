use grove_store::{Answer, CampaignId, Error, HolderId, Holding, Moment, Position};
use serde_json::json;
use uuid::Uuid;

use crate::bench::{Bench, NOW, path, vote};

fn wish(holder: HolderId, until: i64) -> Holding {
    Holding { holder, name: format!("server {holder}"), until: Moment(until) }
}

pub(crate) async fn one_program_holds_a_belief(bench: &Bench) {
    let campaign = bench.campaign(1).await;
    let (one, two) = (HolderId(Uuid::now_v7()), HolderId(Uuid::now_v7()));
    let hold = async |holder, now: i64, until: i64| {
        bench.store.hold_belief(campaign, wish(holder, until), Moment(now)).await.unwrap().holder
    };
    assert_eq!(hold(one, 0, 10).await, one);
    assert_eq!(hold(two, 5, 15).await, one, "the other waits");
    assert_eq!(hold(one, 9, 20).await, one, "and is kept waiting");
    assert_eq!(hold(two, 19, 29).await, one);
    assert_eq!(hold(two, 20, 30).await, two, "the time has ended");
    bench.store.release_belief(campaign, one).await.unwrap();
    assert_eq!(bench.store.belief_holder(campaign).await.unwrap(), Some(wish(two, 30)));
    bench.store.release_belief(campaign, two).await.unwrap();
    assert_eq!(hold(one, 21, 31).await, one, "given back");

    let nowhere = CampaignId(Uuid::now_v7());
    let refusal = bench.store.hold_belief(nowhere, wish(one, 10), Moment(0)).await;
    assert!(matches!(refusal, Err(Error::UnknownCampaign(_))));
    let refusal = bench.store.hold_belief(campaign, wish(one, 10), Moment(10)).await;
    assert!(matches!(refusal, Err(Error::EndsBeforeItBegins { .. })));
}

pub(crate) async fn only_the_holder_advances(bench: &Bench) {
    let campaign = bench.campaign(2).await;
    bench.store.cast(campaign, NOW, vote("ann", path(1, 2), Answer::Yes)).await.unwrap();
    let (one, two) = (HolderId(Uuid::now_v7()), HolderId(Uuid::now_v7()));
    let advance = async |holder, to: i64| {
        bench.store.advance(campaign, NOW, holder, Position(to), json!({"moves": 7})).await
    };
    assert!(matches!(advance(one, 3).await, Err(Error::NotTheHolder)));
    bench.store.hold_belief(campaign, wish(one, 10), Moment(0)).await.unwrap();
    assert_eq!(advance(one, 3).await.unwrap().position, Position(4));
    assert_eq!(bench.store.campaign(campaign).await.unwrap().advanced, Position(3));
    assert!(matches!(advance(one, 2).await, Err(Error::BadAdvance { .. })), "backwards");
    assert!(matches!(advance(one, 5).await, Err(Error::BadAdvance { .. })), "past the end");

    // One that slept while another took over writes nothing more.
    bench.store.hold_belief(campaign, wish(two, 30), Moment(20)).await.unwrap();
    assert!(matches!(advance(one, 4).await, Err(Error::NotTheHolder)));
    assert_eq!(advance(two, 4).await.unwrap().position, Position(5));
    assert_eq!(bench.store.doctor().await.unwrap(), []);
}
