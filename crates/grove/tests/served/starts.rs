//! Starts and stops: nobody waits for the belief.

use std::time::{Duration, Instant};

use grove_store::{
    Actor, Answer, Event, Kind, Moment, Question, Store, SubmittedVote, Vote, VoteId, WorkerId,
};
use uuid::Uuid;

use crate::client::Client;
use crate::program::Program;
use crate::world::World;

/// How long it took from the start of the program until its first page and question were there, and until it was ready.
struct Times {
    page: Duration,
    question: Duration,
    ready: Option<Duration>,
    stopped: Duration,
}

/// Starts a server, looks, and ends it in the middle of whatever it does.
async fn start(database: &str, world: &World, wait: Duration) -> Times {
    let began = Instant::now();
    let program = Program::start(database);
    let mut owner = Client::connect(program.address, world.owner()).await.expect("it listens");
    let (status, _) = owner.get(&format!("/campaigns/{}", world.campaign)).await.expect("it answers");
    assert_eq!(status, 200);
    let page = began.elapsed();
    let mut worker = Client::connect(program.address, world.newcomer()).await.expect("it listens");
    assert!(world.question(&mut worker).await.expect("it answers").is_some());
    let question = began.elapsed();
    let mut ready = None;
    while ready.is_none() && began.elapsed() < wait {
        let (status, _) = owner.get("/readyz").await.expect("it answers");
        ready = (status == 200).then(|| began.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let began = Instant::now();
    program.stop();
    Times { page, question, ready, stopped: began.elapsed() }
}

fn folder() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("grove-starts-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder).expect("a new folder");
    folder
}

/// Fails if a start or a stop waits for the belief, which takes minutes here. The bounds are generous: the machine may have other things to do.
async fn many_concepts(concepts: usize) {
    let folder = folder();
    let database = folder.join("grove.db").display().to_string();
    let world = World::make(&database, concepts, None).await;
    let times = start(&database, &world, Duration::from_secs(4)).await;
    println!(
        "{concepts} concepts: first page {:?}, first question {:?}, ready {:?}, stopped in {:?}",
        times.page, times.question, times.ready, times.stopped
    );
    assert!(times.question < Duration::from_secs(20) && times.stopped < Duration::from_secs(10));
    assert!(times.ready.is_some(), "votes and pages are served");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_concepts_open_at_once() {
    many_concepts(1_000).await;
}

/// `cargo test --release -p taxogrove --test served -- --ignored --nocapture thousand_concepts`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute"]
async fn five_and_ten_thousand_concepts_open_at_once() {
    many_concepts(5_000).await;
    many_concepts(10_000).await;
}

/// `cargo test --release -p taxogrove --test served -- --ignored --nocapture a_hundred_thousand_votes`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes some minutes"]
async fn a_hundred_thousand_votes_start_at_once() {
    let folder = folder();
    let database = folder.join("grove.db").display().to_string();
    let world = World::make(&database, 100, None).await;
    cast(&database, &world, 100_000).await;
    // The belief is built once, and stored when the server stops.
    let program = Program::start(&database);
    let mut owner = Client::connect(program.address, world.owner()).await.expect("it listens");
    let began = Instant::now();
    loop {
        let (_, campaign) = owner.get(&world.path("")).await.expect("it answers");
        if campaign["lag"] == 0 {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(900), "{campaign}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    println!("100,000 votes were taken in after {:?}", began.elapsed());
    // Until the belief has been checked, which takes up the processors.
    tokio::time::sleep(Duration::from_secs(10)).await;
    program.stop();
    for _ in 0..3 {
        let times = start(&database, &world, Duration::from_secs(60)).await;
        println!(
            "100,000 votes: first page {:?}, first question {:?}, ready {:?}, stopped in {:?}",
            times.page, times.question, times.ready, times.stopped
        );
        assert!(times.page < Duration::from_secs(2) && times.question < Duration::from_secs(2));
        assert!(times.ready.is_some_and(|ready| ready < Duration::from_secs(15)));
        assert!(times.stopped < Duration::from_secs(5));
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

/// Votes of two hundred people on questions that each is asked once.
async fn cast(database: &str, world: &World, votes: u32) {
    let store = Store::open(database).await.expect("the database is whole");
    let pairs: Vec<(u32, u32)> = (1..=100)
        .flat_map(|upper| (1..=100).map(move |lower| (upper, lower)))
        .filter(|(a, b)| a != b)
        .collect();
    for first in (0..votes).step_by(1_000) {
        let events = (first..first + 1_000).map(|number| {
            let (worker, at) = (number % 200, (number / 200 + number % 200 * 37) as usize % pairs.len());
            let (upper, lower) = pairs[at];
            let question = Question { kind: Kind::Path, upper, lower };
            let answer = if lower % upper == 0 { Answer::Yes } else { Answer::No };
            let worker = WorkerId::new(format!("worker {worker}")).expect("a name");
            Event::VoteCast(SubmittedVote::new(VoteId(Uuid::now_v7()), Vote { worker, question, answer }))
        });
        let cast = store.append(world.campaign, Moment(1), Actor::Grove, events.collect()).await;
        cast.expect("each asks once");
    }
    store.close().await;
}
