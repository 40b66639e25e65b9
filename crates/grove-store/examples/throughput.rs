//! How many votes a second each database acknowledges, and how fast questions are leased meanwhile.
//!
//!     cargo run --release -p grove-store --example throughput [seconds]
//!
//! SQLite is a new file in the system's temporary folder, PostgreSQL a server started for the purpose; both flush every commit. 64 clients send one request after
//! another in the same process, so the figures hold the clients' own work too.

use std::sync::Arc;
use std::time::{Duration, Instant};

use grove_store::{
    Actor, Answer, CampaignId, Error, Event, Kind, Moment, Question, Quota, Store, SubmittedVote, Vote,
    VoteId, Wish, WorkerId,
};
use uuid::Uuid;

#[path = "../tests/conformance/postgres.rs"]
mod postgres;

const CLIENTS: u32 = 64;
const CONCEPTS: u32 = 100;
const LEASE: Duration = Duration::from_secs(600);

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = std::env::args().nth(1).map_or(Ok(10), |seconds| seconds.parse())?;
    let time = Duration::from_secs(seconds);
    let file = std::env::temp_dir().join(format!("grove-throughput-{}.db", Uuid::now_v7()));
    for (name, place) in
        [("SQLite", file.display().to_string()), ("PostgreSQL", postgres::new_database().await)]
    {
        let store = Store::open(&place).await?;
        run(&store, name, "votes only", 0, time).await?;
        run(&store, name, "4 leases a vote", 4, time).await?;
        store.close().await;
    }
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", file.display()));
    }
    Ok(())
}

async fn run(store: &Store, name: &str, what: &str, leases: u32, time: Duration) -> Result<(), Error> {
    let campaign = CampaignId(Uuid::now_v7());
    store.create_campaign(campaign, None, what, now()).await?;
    let concepts = (1..=CONCEPTS).map(|concept| Event::ConceptAdded {
        concept,
        name: format!("concept {concept}"),
        definition: String::new(),
        synonyms: Vec::new(),
    });
    store.append(campaign, now(), Actor::Grove, concepts.collect()).await?;

    // Other questions than those answered, as a campaign does not offer what a worker has answered.
    let edges = questions().map(|question| Question { kind: Kind::Edge, ..question });
    let offers: Arc<Vec<Question>> = Arc::new(edges.step_by(37).take(200).collect());
    let start = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            tokio::spawn(answer(store.clone(), campaign, client, leases, offers.clone(), start + time))
        })
        .collect();
    let (mut votes, mut takes) = (Vec::new(), Vec::new());
    for client in clients {
        let (voted, took) = client.await.map_err(|_| Error::Closed)??;
        votes.extend(voted);
        takes.extend(took);
    }
    println!("{name}, {what}: {}", figures("votes", &mut votes, start.elapsed()));
    if leases > 0 {
        println!("{name}, {what}: {}", figures("leases", &mut takes, start.elapsed()));
    }
    Ok(())
}

/// One client: so many leases, then one vote, and so on.
async fn answer(
    store: Store,
    campaign: CampaignId,
    client: u32,
    leases: u32,
    offers: Arc<Vec<Question>>,
    end: Instant,
) -> Result<(Vec<Duration>, Vec<Duration>), Error> {
    let (mut votes, mut takes) = (Vec::new(), Vec::new());
    let worker = WorkerId::new(format!("worker {client}"))?;
    for question in questions() {
        for _ in 0..leases {
            let wish = Wish {
                worker: worker.clone(),
                offers: offers.to_vec(),
                quota: Quota::ONE_AT_A_TIME,
                now: now(),
                until: now().plus(LEASE),
            };
            let begun = Instant::now();
            let lease = store.take_lease(campaign, wish).await?;
            takes.push(begun.elapsed());
            if let Some(lease) = lease {
                store.end_lease(campaign, &worker, lease.question).await?;
            }
        }
        let vote = Vote { worker: worker.clone(), question, answer: Answer::Yes };
        let vote = SubmittedVote { id: VoteId(Uuid::now_v7()), vote };
        let begun = Instant::now();
        store.cast(campaign, now(), vote).await?;
        votes.push(begun.elapsed());
        if Instant::now() >= end {
            break;
        }
    }
    Ok((votes, takes))
}

fn questions() -> impl Iterator<Item = Question> {
    (1..=CONCEPTS).flat_map(|upper| {
        let lowers = (1..=CONCEPTS).filter(move |&lower| lower != upper);
        lowers.map(move |lower| Question { kind: Kind::Path, upper, lower })
    })
}

fn figures(what: &str, times: &mut [Duration], elapsed: Duration) -> String {
    times.sort_unstable();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    let rate = times.len() as f64 / elapsed.as_secs_f64();
    format!("{rate:.0} {what}/s, p50 {:.1?}, p99 {:.1?}", at(0.5), at(0.99))
}

fn now() -> Moment {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    Moment(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
