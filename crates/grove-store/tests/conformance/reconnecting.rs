use grove_store::{Answer, Error, Moment, Position, Quota, Wish};

use crate::bench::{Bench, NOW, path, vote, worker};

/// A database that goes away and comes back costs an error, and nothing else: the same vote sent again is the same vote.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_comes_back_is_used_again() {
    let bench = Bench::postgres().await;
    let campaign = bench.campaign(40).await;
    for lower in 2..=40 {
        if lower % 4 == 0 {
            bench
                .sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE application_name = 'grove' AND datname = current_database()",
                )
                .await;
        }
        let vote = vote("ann", path(1, lower), Answer::Yes);
        let mut tries = 0;
        while let Err(error) = bench.store.cast(campaign, NOW, vote.clone()).await {
            assert!(matches!(error, Error::Unreachable(_)), "{error}");
            tries += 1;
            assert!(tries < 10, "the store does not find back");
        }
        let wish = Wish {
            worker: worker("bob"),
            offers: vec![path(2, lower % 2 + 3)],
            quota: Quota::ONE_AT_A_TIME,
            now: NOW,
            until: Moment(NOW.0 + 1),
        };
        bench.store.take_lease(campaign, wish).await.unwrap();
    }
    assert_eq!(bench.store.campaign(campaign).await.unwrap().head, Position(40 + 39));
    assert_eq!(bench.store.doctor().await.unwrap(), []);
}
