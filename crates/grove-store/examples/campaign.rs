//! One screen of a campaign, from the lease to the vote in the log:
//!
//!     cargo run -p grove-store --example campaign

use std::time::{Duration, UNIX_EPOCH};

use grove_store::{
    Actor, CampaignId, Event, LeaseRequest, Moment, Position, Quota, Reply, Response, Screen, Store,
    SubmittedVote, VoteId, WorkerId,
};
use uuid::Uuid;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A path opens SQLite; a URL such as postgres://user@host/name would open PostgreSQL.
    let path = std::env::temp_dir().join(format!("grove-example-{}.db", Uuid::now_v7()));
    let store = Store::open(&path.display().to_string()).await?;
    // The store has no clock: callers pass the time.
    let now = Moment(i64::try_from(UNIX_EPOCH.elapsed()?.as_micros())?);

    let campaign = CampaignId(Uuid::now_v7());
    store.create_campaign(campaign, None, "food", now).await?;
    let concepts =
        ["cheese", "bread", "brie"].into_iter().zip(1..).map(|(name, concept)| Event::ConceptAdded {
            concept,
            name: name.to_owned(),
            definition: String::new(),
            synonyms: Vec::new(),
            article: String::new(),
            origin: serde_json::Value::Null,
        });
    store.append(campaign, now, Actor::Grove, concepts.collect()).await?;

    let request = LeaseRequest {
        worker: WorkerId::new("ann")?,
        offers: vec![Screen::pick(3, vec![2, 1])?],
        quota: Quota::ONE_AT_A_TIME,
        now,
        until: now.plus(Duration::from_secs(600)),
    };
    let lease = store.take_lease(campaign, request).await?.ok_or("there is no screen left")?;
    println!("{} is asked: {}", lease.worker, lease.screen);

    let response = Response::new(lease.worker, lease.screen, Reply::Picked(1))?;
    let vote = SubmittedVote { id: VoteId(Uuid::now_v7()), response, took_ms: Some(2_400), link: None };
    let receipt = store.cast(campaign, now, vote.clone()).await?;
    // The receipt may get lost on its way; sending the same vote again changes nothing.
    assert_eq!(store.cast(campaign, now, vote).await?.position, receipt.position);

    for entry in store.log(campaign, Position::START, 100).await? {
        println!("{}: {:?}", entry.position, entry.event);
    }
    store.close().await;
    std::fs::remove_file(path)?;
    Ok(())
}
