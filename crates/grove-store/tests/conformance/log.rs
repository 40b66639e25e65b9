use grove_store::{Answer, Error, Position, VoteId};
use uuid::Uuid;

use crate::bench::{Bench, NOW, path, vote};

pub(crate) async fn a_vote_is_recorded_once(bench: &Bench) {
    let campaign = bench.campaign(3).await;
    let first = vote("ann", path(1, 2), Answer::Yes);
    let receipt = bench.store.cast(campaign, NOW, first.clone()).await.unwrap();
    assert_eq!((receipt.position, receipt.repeated), (Position(4), false));

    let again = bench.store.cast(campaign, NOW, first.clone()).await.unwrap();
    assert_eq!((again.position, again.repeated), (Position(4), true));

    let mut other = first.clone();
    other.answer = Answer::No;
    assert!(matches!(bench.store.cast(campaign, NOW, other.clone()).await, Err(Error::Conflict)));
    other.id = VoteId(Uuid::now_v7());
    let refusal = bench.store.cast(campaign, NOW, other).await;
    assert!(matches!(refusal, Err(Error::AlreadyAnswered { vote, .. }) if vote == first.id));
    assert_eq!(bench.store.campaign(campaign).await.unwrap().head, Position(4));
}
