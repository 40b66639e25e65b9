use grove_store::{Answer, CampaignId, Error, Moment, Owner, OwnerId, Position, Snapshot};
use uuid::Uuid;

use crate::bench::{Bench, NOW, path, vote, worker};

pub(crate) async fn owner(bench: &Bench, name: &str) -> OwnerId {
    let id = OwnerId(Uuid::now_v7());
    let owner = Owner { id, name: name.into(), password_hash: "$argon2id$...".into(), created: NOW };
    bench.store.add_owner(owner).await.unwrap();
    id
}

pub(crate) async fn names_are_the_owners_own(bench: &Bench) {
    let (ann, bob) = (owner(bench, "ann").await, owner(bench, "bob").await);
    let create = async |owner, name: &str| {
        let id = CampaignId(Uuid::now_v7());
        bench.store.create_campaign(id, owner, name, NOW).await.map(|()| id)
    };
    let mine = create(Some(ann), "food").await.unwrap();
    let his = create(Some(bob), "food").await.unwrap();
    let nobodys = create(None, "food").await.unwrap();
    for owner in [Some(ann), None] {
        assert!(matches!(create(owner, "food").await, Err(Error::NameTaken(name)) if name == "food"));
    }
    for bad in ["", "  ", "two\nlines", &"x".repeat(201)] {
        assert!(matches!(create(None, bad).await, Err(Error::BadName)), "{bad:?}");
    }
    let id = async |owner| bench.store.campaign_named(owner, "food").await.unwrap().unwrap().id;
    assert_eq!([id(Some(ann)).await, id(Some(bob)).await, id(None).await], [mine, his, nobodys]);
    assert_eq!(bench.store.campaigns().await.unwrap().len(), 3);

    let drink = create(Some(ann), "drink").await.unwrap();
    assert!(matches!(bench.store.rename_campaign(drink, "food").await, Err(Error::NameTaken(_))));
    bench.store.rename_campaign(drink, "drinks").await.unwrap();
    assert!(matches!(bench.store.give_campaign(mine, bob).await, Err(Error::NameTaken(_))));
    bench.store.give_campaign(drink, bob).await.unwrap();
    let names: Vec<_> = bench.store.campaigns_of(bob).await.unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["food", "drinks"]);
    assert!(matches!(bench.store.delete_owner(bob).await, Err(Error::StillNeeded(_))));
}

pub(crate) async fn a_deleted_campaign_leaves_nothing(bench: &Bench) {
    let (campaign, other) = (bench.campaign(2).await, bench.campaign(2).await);
    for campaign in [campaign, other] {
        bench.store.cast(campaign, NOW, vote("ann", path(1, 2), Answer::Yes)).await.unwrap();
    }
    bench.store.delete_campaign(campaign).await.unwrap();
    assert!(matches!(bench.store.campaign(campaign).await, Err(Error::UnknownCampaign(_))));
    assert!(matches!(bench.store.delete_campaign(campaign).await, Err(Error::UnknownCampaign(_))));
    assert_eq!(bench.store.log(campaign, Position::START, 9).await.unwrap(), []);
    assert_eq!(bench.store.votes_of(campaign, &worker("ann")).await.unwrap(), []);
    assert_eq!(bench.store.log(other, Position::START, 9).await.unwrap().len(), 3);
}

pub(crate) async fn snapshots_are_pruned_and_found(bench: &Bench) {
    let campaign = bench.campaign(1).await;
    for position in [1, 5, 3, 9] {
        let bytes = vec![u8::try_from(position).unwrap(); 100_000];
        let snapshot = Snapshot { position: Position(position), at: Moment(position), bytes };
        bench.store.save_snapshot(campaign, "belief", snapshot, 3).await.unwrap();
    }
    let newest = async |kind: &str, not_past: Option<i64>| {
        let found = bench.store.newest_snapshot(campaign, kind, not_past.map(Position)).await.unwrap();
        found.map(|snapshot| (snapshot.position.0, snapshot.bytes[0], snapshot.bytes.len()))
    };
    assert_eq!(newest("belief", None).await, Some((9, 9, 100_000)));
    assert_eq!(newest("belief", Some(8)).await, Some((5, 5, 100_000)));
    assert_eq!(newest("belief", Some(2)).await, None, "the fourth newest is thrown away");
    assert_eq!(newest("pages", None).await, None);

    let again = Snapshot { position: Position(9), at: NOW, bytes: vec![7] };
    bench.store.save_snapshot(campaign, "belief", again, 3).await.unwrap();
    assert_eq!(newest("belief", None).await, Some((9, 7, 1)));
    let nowhere = CampaignId(Uuid::now_v7());
    let lost = Snapshot { position: Position(1), at: NOW, bytes: vec![] };
    let refusal = bench.store.save_snapshot(nowhere, "belief", lost, 3).await;
    assert!(matches!(refusal, Err(Error::UnknownCampaign(_))));
}
