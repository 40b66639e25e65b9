//! One vote, sent again and again from many sides, is one vote.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use uuid::Uuid;

use crate::client::Client;
use crate::postgres;
use crate::program::Program;
use crate::world::World;

const SIDES: usize = 64;
const TIMES: usize = 1_000;

async fn counts_once(database: &str) {
    let world = World::make(database, 5, None).await;
    let program = Program::start(database);
    let who = world.newcomer();
    let mut client = Client::connect(program.address, who.clone()).await.expect("it listens");
    let question = world.question(&mut client).await.expect("it answers").expect("a question");
    let vote = world.vote(&question, &mut ChaCha8Rng::seed_from_u64(1));
    let sending: Vec<_> = (0..SIDES)
        .map(|_| {
            let (who, vote, address) = (who.clone(), vote.clone(), program.address);
            tokio::spawn(async move {
                let mut client = Client::connect(address, who).await.expect("it listens");
                let mut receipts: Vec<Value> = Vec::new();
                for _ in 0..TIMES / SIDES + 1 {
                    let (status, receipt) =
                        client.post("/api/v1/work/votes", Some(&vote)).await.expect("it answers");
                    assert_eq!(status, 200, "{receipt}");
                    receipts.push(receipt);
                }
                receipts
            })
        })
        .collect();
    let mut receipts: Vec<Value> = Vec::new();
    for side in sending {
        receipts.extend(side.await.expect("no side fails"));
    }
    assert!(receipts.len() >= TIMES);
    receipts.dedup();
    assert_eq!(receipts.len(), 1, "all are told the same: {receipts:?}");
    let mut owner = Client::connect(program.address, world.owner()).await.expect("it listens");
    let (_, votes) = owner.get(&world.path("/votes")).await.expect("it answers");
    assert_eq!(votes["votes"].as_array().or(votes.as_array()).map(Vec::len), Some(1), "{votes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vote_sent_from_many_sides_counts_once_in_sqlite() {
    let folder = std::env::temp_dir().join(format!("grove-once-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder).expect("a new folder");
    counts_once(&folder.join("grove.db").display().to_string()).await;
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vote_sent_from_many_sides_counts_once_in_postgres() {
    if postgres::is_missing() {
        return;
    }
    counts_once(&postgres::new_database().await).await;
}
