use grove_store::{Answer, Error, LeaseRequest, Moment, Position, Quota};

use crate::fixture::{Fixture, NOW, path, vote, worker};
use crate::postgres;

/// If the connections break, a call may fail and nothing else happens: the vote can be sent again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn broken_connections_are_replaced() {
    if postgres::is_missing() {
        return;
    }
    let fixture = Fixture::postgres().await;
    let campaign = fixture.campaign(40).await;
    for lower in 2..=40 {
        if lower % 4 == 0 {
            fixture
                .sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE application_name = 'grove' AND datname = current_database()",
                )
                .await;
        }
        let vote = vote("ann", path(1, lower), Answer::Yes);
        let mut tries = 0;
        while let Err(error) = fixture.store.cast(campaign, NOW, vote.clone()).await {
            assert!(matches!(error, Error::Unreachable(_)), "{error}");
            tries += 1;
            assert!(tries < 10, "the store does not reconnect");
        }
        let request = LeaseRequest {
            worker: worker("bob"),
            offers: vec![path(2, lower % 2 + 3).into()],
            quota: Quota::ONE_AT_A_TIME,
            now: NOW,
            until: Moment(NOW.0 + 1),
        };
        fixture.store.take_lease(campaign, request).await.unwrap();
    }
    assert_eq!(fixture.store.campaign(campaign).await.unwrap().head, Position(40 + 39));
    assert_eq!(fixture.store.doctor().await.unwrap(), []);
}
