use grove_store::{Answer, CampaignId, Error, HolderId, Holding, Moment, Position};
use serde_json::json;
use uuid::Uuid;

use crate::fixture::{Fixture, NOW, path, vote};

fn holding(holder: HolderId, until: i64) -> Holding {
    Holding { holder, name: format!("server {holder}"), until: Moment(until) }
}

pub(crate) async fn one_program_holds_a_belief(fixture: &Fixture) {
    let campaign = fixture.campaign(1).await;
    let (one, two) = (HolderId(Uuid::now_v7()), HolderId(Uuid::now_v7()));
    let hold = async |holder, now: i64, until: i64| {
        fixture.store.hold_belief(campaign, holding(holder, until), Moment(now)).await.unwrap().holder
    };
    assert_eq!(hold(one, 0, 10).await, one);
    assert_eq!(hold(two, 5, 15).await, one, "another waits");
    assert_eq!(hold(one, 9, 20).await, one, "it is extended");
    assert_eq!(hold(two, 19, 29).await, one);
    assert_eq!(hold(two, 20, 30).await, two, "it has expired");
    fixture.store.release_belief(campaign, one).await.unwrap();
    assert_eq!(hold(one, 21, 31).await, two, "only its holder can release it");
    fixture.store.release_belief(campaign, two).await.unwrap();
    assert_eq!(hold(one, 21, 31).await, one, "released");

    let nowhere = CampaignId(Uuid::now_v7());
    let refusal = fixture.store.hold_belief(nowhere, holding(one, 10), Moment(0)).await;
    assert!(matches!(refusal, Err(Error::UnknownCampaign(_))));
    let refusal = fixture.store.hold_belief(campaign, holding(one, 10), Moment(10)).await;
    assert!(matches!(refusal, Err(Error::EndsBeforeItBegins { .. })));
}

pub(crate) async fn only_the_holder_advances(fixture: &Fixture) {
    let campaign = fixture.campaign(2).await;
    fixture.store.cast(campaign, NOW, vote("ann", path(1, 2), Answer::Yes)).await.unwrap();
    let (one, two) = (HolderId(Uuid::now_v7()), HolderId(Uuid::now_v7()));
    let advance = async |holder, to: i64| {
        fixture.store.advance(campaign, NOW, holder, Position(to), json!({"moves": 7})).await
    };
    assert!(matches!(advance(one, 3).await, Err(Error::NotTheHolder)));
    fixture.store.hold_belief(campaign, holding(one, 10), Moment(0)).await.unwrap();
    assert_eq!(advance(one, 3).await.unwrap().position, Position(4));
    assert_eq!(fixture.store.campaign(campaign).await.unwrap().advanced, Position(3));
    assert!(matches!(advance(one, 2).await, Err(Error::BadAdvance { .. })), "backwards");
    assert!(matches!(advance(one, 5).await, Err(Error::BadAdvance { .. })), "past the end");

    // A program that slept while another took over can no longer write.
    fixture.store.hold_belief(campaign, holding(two, 30), Moment(20)).await.unwrap();
    assert!(matches!(advance(one, 4).await, Err(Error::NotTheHolder)));
    assert_eq!(advance(two, 4).await.unwrap().position, Position(5));
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}
