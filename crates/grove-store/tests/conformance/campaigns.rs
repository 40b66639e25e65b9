use grove_store::{
    Answer, CampaignId, Error, Member, MemberRole, Moment, Owner, OwnerId, Position, Snapshot,
};
use uuid::Uuid;

use crate::fixture::{Fixture, NOW, path, vote, worker};

pub(crate) async fn owner(fixture: &Fixture, name: &str) -> OwnerId {
    let id = OwnerId(Uuid::now_v7());
    let owner = Owner { id, name: name.into(), password_hash: "$argon2id$...".into(), created: NOW };
    fixture.store.add_owner(owner).await.unwrap();
    id
}

pub(crate) async fn names_are_unique_per_owner(fixture: &Fixture) {
    let (ann, bob) = (owner(fixture, "ann").await, owner(fixture, "bob").await);
    let create = async |owner, name: &str| {
        let id = CampaignId(Uuid::now_v7());
        fixture.store.create_campaign(id, owner, name, NOW).await.map(|()| id)
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
    let id = async |owner| fixture.store.campaign_named(owner, "food").await.unwrap().unwrap().id;
    assert_eq!([id(Some(ann)).await, id(Some(bob)).await, id(None).await], [mine, his, nobodys]);
    assert_eq!(fixture.store.campaigns().await.unwrap().len(), 3);

    let drink = create(Some(ann), "drink").await.unwrap();
    assert!(matches!(fixture.store.give_campaign(mine, bob).await, Err(Error::NameTaken(_))));
    fixture.store.give_campaign(drink, bob).await.unwrap();
    let names: Vec<_> =
        fixture.store.campaigns_of(bob).await.unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["food", "drink"]);
    assert!(matches!(fixture.store.delete_owner(bob).await, Err(Error::StillNeeded(_))));
}

pub(crate) async fn a_campaign_is_shared_and_handed_over(fixture: &Fixture) {
    let (ann, bob) = (owner(fixture, "ann").await, owner(fixture, "bob").await);
    let (store, id) = (&fixture.store, CampaignId(Uuid::now_v7()));
    store.create_campaign(id, Some(ann), "food", NOW).await.unwrap();
    let member = |owner, role| Member { campaign: id, owner, role, since: NOW };
    let own = store.set_member(member(ann, MemberRole::Viewer)).await;
    assert!(matches!(own, Err(Error::StillNeeded(_))));
    let nobody = store.set_member(member(OwnerId(Uuid::now_v7()), MemberRole::Viewer)).await;
    assert!(matches!(nobody, Err(Error::Unknown("owner"))));
    for role in [MemberRole::Viewer, MemberRole::Editor] {
        store.set_member(member(bob, role)).await.unwrap();
        assert_eq!(store.members(id).await.unwrap(), [member(bob, role)]);
        assert_eq!(store.member(id, bob).await.unwrap(), Some(member(bob, role)));
    }
    let shared = store.campaigns_shared_with(bob).await.unwrap();
    assert_eq!(
        shared.iter().map(|(one, role)| (one.id, *role)).collect::<Vec<_>>(),
        [(id, MemberRole::Editor)]
    );
    assert!(store.campaigns_shared_with(ann).await.unwrap().is_empty());

    store.hand_over(id, bob, Some((MemberRole::Editor, NOW))).await.unwrap();
    assert_eq!(store.campaign(id).await.unwrap().owner, Some(bob));
    assert_eq!(store.members(id).await.unwrap(), [member(ann, MemberRole::Editor)]);
    // An account that only takes part can go; its part goes with it.
    store.delete_owner(ann).await.unwrap();
    assert_eq!(store.members(id).await.unwrap(), []);
    assert!(!store.remove_member(id, ann).await.unwrap());
}

pub(crate) async fn a_deleted_campaign_leaves_nothing(fixture: &Fixture) {
    let (campaign, other) = (fixture.campaign(2).await, fixture.campaign(2).await);
    for campaign in [campaign, other] {
        fixture.store.cast(campaign, NOW, vote("ann", path(1, 2), Answer::Yes)).await.unwrap();
    }
    fixture.store.delete_campaign(campaign).await.unwrap();
    assert!(matches!(fixture.store.campaign(campaign).await, Err(Error::UnknownCampaign(_))));
    assert!(matches!(fixture.store.delete_campaign(campaign).await, Err(Error::UnknownCampaign(_))));
    assert_eq!(fixture.store.log(campaign, Position::START, 9).await.unwrap(), []);
    assert_eq!(fixture.store.votes_of(campaign, &worker("ann")).await.unwrap(), []);
    assert_eq!(fixture.store.log(other, Position::START, 9).await.unwrap().len(), 3);
}

pub(crate) async fn snapshots_are_pruned_and_found(fixture: &Fixture) {
    let campaign = fixture.campaign(1).await;
    for position in [1, 5, 3, 9] {
        let bytes = vec![u8::try_from(position).unwrap(); 100_000];
        let snapshot = Snapshot { position: Position(position), at: Moment(position), bytes };
        fixture.store.save_snapshot(campaign, "belief", snapshot, 3).await.unwrap();
    }
    let newest = async |kind: &str, not_past: Option<i64>| {
        let found = fixture.store.newest_snapshot(campaign, kind, not_past.map(Position)).await.unwrap();
        found.map(|snapshot| (snapshot.position.0, snapshot.bytes[0], snapshot.bytes.len()))
    };
    assert_eq!(newest("belief", None).await, Some((9, 9, 100_000)));
    assert_eq!(newest("belief", Some(8)).await, Some((5, 5, 100_000)));
    assert_eq!(newest("belief", Some(2)).await, None, "the fourth newest is deleted");
    assert_eq!(newest("pages", None).await, None);

    let again = Snapshot { position: Position(9), at: NOW, bytes: vec![7] };
    fixture.store.save_snapshot(campaign, "belief", again, 3).await.unwrap();
    assert_eq!(newest("belief", None).await, Some((9, 7, 1)));
    let nowhere = CampaignId(Uuid::now_v7());
    let lost = Snapshot { position: Position(1), at: NOW, bytes: vec![] };
    let refusal = fixture.store.save_snapshot(nowhere, "belief", lost, 3).await;
    assert!(matches!(refusal, Err(Error::UnknownCampaign(_))));
}
