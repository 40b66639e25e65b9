use grove_store::{Credential, CredentialId, Error, Moment, Owner, OwnerId, Purpose};
use uuid::Uuid;

use crate::campaigns::owner;
use crate::fixture::{Fixture, NOW};

async fn credential(
    fixture: &Fixture,
    purpose: Purpose,
    hash: u8,
    until: Option<i64>,
) -> Result<CredentialId, Error> {
    let id = CredentialId(Uuid::now_v7());
    let until = until.map(Moment);
    let credential = Credential { id, purpose, label: "laptop".into(), created: NOW, until, revoked: None };
    fixture.store.add_credential(credential, [hash; 32]).await.map(|()| id)
}

pub(crate) async fn owners_and_their_credentials(fixture: &Fixture) {
    let ann = owner(fixture, "ann").await;
    let again =
        Owner { id: OwnerId(Uuid::now_v7()), name: "ann".into(), password_hash: "x".into(), created: NOW };
    assert!(matches!(fixture.store.add_owner(again).await, Err(Error::NameTaken(_))));
    assert_eq!(fixture.store.owner_named("ann").await.unwrap().unwrap().id, ann);
    assert_eq!(fixture.store.owner_named("Ann").await.unwrap(), None);

    credential(fixture, Purpose::Session(ann), 1, None).await.unwrap();
    credential(fixture, Purpose::Token(ann), 2, None).await.unwrap();
    assert!(matches!(credential(fixture, Purpose::Token(ann), 2, None).await, Err(Error::Conflict)));
    let nobody = OwnerId(Uuid::now_v7());
    assert!(matches!(
        credential(fixture, Purpose::Session(nobody), 3, None).await,
        Err(Error::Unknown("owner"))
    ));
    let purpose_of = async |hash: u8| {
        fixture.store.credential(&[hash; 32], NOW).await.unwrap().map(|credential| credential.purpose)
    };
    assert_eq!(purpose_of(1).await, Some(Purpose::Session(ann)));
    assert_eq!(purpose_of(2).await, Some(Purpose::Token(ann)));
    assert_eq!(purpose_of(9).await, None);

    // A new password ends sessions but not tokens.
    fixture.store.set_password(ann, "new", NOW).await.unwrap();
    assert_eq!(fixture.store.owner(ann).await.unwrap().unwrap().password_hash, "new");
    assert_eq!((purpose_of(1).await, purpose_of(2).await), (None, Some(Purpose::Token(ann))));

    fixture.store.delete_owner(ann).await.unwrap();
    assert_eq!(purpose_of(2).await, None);
    assert!(matches!(fixture.store.delete_owner(ann).await, Err(Error::Unknown("owner"))));
    assert_eq!(fixture.store.owners().await.unwrap(), []);
}

pub(crate) async fn credentials_expire_and_are_revoked(fixture: &Fixture) {
    let campaign = fixture.campaign(1).await;
    let is_valid = async |hash: u8, now: i64| {
        fixture.store.credential(&[hash; 32], Moment(now)).await.unwrap().is_some()
    };
    let link = credential(fixture, Purpose::Invitation(campaign), 1, Some(NOW.0 + 10)).await.unwrap();
    credential(fixture, Purpose::Invitation(campaign), 2, None).await.unwrap();
    assert!(is_valid(1, NOW.0 + 9).await);
    assert!(!is_valid(1, NOW.0 + 10).await, "expired");
    assert!(is_valid(2, i64::MAX).await);

    // A credential for one use: one of many concurrent calls wins.
    let once = credential(fixture, Purpose::FirstOwner, 3, None).await.unwrap();
    let tries: Vec<_> = (0..16)
        .map(|_| {
            let store = fixture.store.clone();
            tokio::spawn(async move { store.revoke_credential(once, NOW).await.unwrap() })
        })
        .collect();
    let mut winners = 0;
    for one in tries {
        winners += u32::from(one.await.unwrap());
    }
    assert_eq!(winners, 1);
    assert!(!is_valid(3, NOW.0).await);

    assert!(fixture.store.revoke_credential(link, NOW).await.unwrap());
    assert_eq!(fixture.store.invitations(campaign).await.unwrap().len(), 2);
}
