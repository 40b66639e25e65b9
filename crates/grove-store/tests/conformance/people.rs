use grove_store::{Credential, CredentialId, Error, Moment, Owner, OwnerId, Purpose};
use uuid::Uuid;

use crate::bench::{Bench, NOW};
use crate::campaigns::owner;

async fn credential(
    bench: &Bench,
    purpose: Purpose,
    hash: u8,
    until: Option<i64>,
) -> Result<CredentialId, Error> {
    let id = CredentialId(Uuid::now_v7());
    let until = until.map(Moment);
    let credential = Credential { id, purpose, label: "laptop".into(), created: NOW, until, revoked: None };
    bench.store.add_credential(credential, [hash; 32]).await.map(|()| id)
}

pub(crate) async fn owners_and_their_credentials(bench: &Bench) {
    let ann = owner(bench, "ann").await;
    let again =
        Owner { id: OwnerId(Uuid::now_v7()), name: "ann".into(), password_hash: "x".into(), created: NOW };
    assert!(matches!(bench.store.add_owner(again).await, Err(Error::NameTaken(_))));
    assert_eq!(bench.store.owner_named("ann").await.unwrap().unwrap().id, ann);
    assert_eq!(bench.store.owner_named("Ann").await.unwrap(), None);

    credential(bench, Purpose::Session(ann), 1, None).await.unwrap();
    credential(bench, Purpose::Token(ann), 2, None).await.unwrap();
    assert!(matches!(credential(bench, Purpose::Token(ann), 2, None).await, Err(Error::Conflict)));
    let nobody = OwnerId(Uuid::now_v7());
    assert!(matches!(
        credential(bench, Purpose::Session(nobody), 3, None).await,
        Err(Error::Unknown("owner"))
    ));
    let opens = async |hash: u8| {
        bench.store.credential(&[hash; 32], NOW).await.unwrap().map(|credential| credential.purpose)
    };
    assert_eq!(opens(1).await, Some(Purpose::Session(ann)));
    assert_eq!(opens(2).await, Some(Purpose::Token(ann)));
    assert_eq!(opens(9).await, None);

    // A new password ends sessions, and leaves tokens.
    bench.store.set_password(ann, "new", NOW).await.unwrap();
    assert_eq!(bench.store.owner(ann).await.unwrap().unwrap().password_hash, "new");
    assert_eq!((opens(1).await, opens(2).await), (None, Some(Purpose::Token(ann))));

    bench.store.delete_owner(ann).await.unwrap();
    assert_eq!(opens(2).await, None);
    assert!(matches!(bench.store.delete_owner(ann).await, Err(Error::Unknown("owner"))));
    assert_eq!(bench.store.owners().await.unwrap(), []);
}

pub(crate) async fn credentials_end_and_are_revoked(bench: &Bench) {
    let campaign = bench.campaign(1).await;
    let opens =
        async |hash: u8, now: i64| bench.store.credential(&[hash; 32], Moment(now)).await.unwrap().is_some();
    let link = credential(bench, Purpose::Invitation(campaign), 1, Some(NOW.0 + 10)).await.unwrap();
    credential(bench, Purpose::Invitation(campaign), 2, None).await.unwrap();
    assert!(opens(1, NOW.0 + 9).await);
    assert!(!opens(1, NOW.0 + 10).await, "at its end it has ended");
    assert!(opens(2, i64::MAX).await);

    // Used once by revoking: one of many wins.
    let once = credential(bench, Purpose::FirstOwner, 3, None).await.unwrap();
    let tries: Vec<_> = (0..16)
        .map(|_| {
            let store = bench.store.clone();
            tokio::spawn(async move { store.revoke_credential(once, NOW).await.unwrap() })
        })
        .collect();
    let mut winners = 0;
    for one in tries {
        winners += u32::from(one.await.unwrap());
    }
    assert_eq!(winners, 1);
    assert!(!opens(3, NOW.0).await);

    assert!(bench.store.revoke_credential(link, NOW).await.unwrap());
    assert_eq!(bench.store.invitations(campaign).await.unwrap().len(), 2);
    assert_eq!(bench.store.forget_credentials(Moment(NOW.0 + 1)).await.unwrap(), 2);
    assert_eq!(bench.store.invitations(campaign).await.unwrap().len(), 1);
}
