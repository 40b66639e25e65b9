//! `kill -9` of the server under load: no acknowledged vote is lost, none counts twice, and the belief that is served in the end is, to the bit, the
//! one that the log tells of.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use grove_campaign::Follower;
use grove_store::{Entry, Event, Position, Store, SubmittedVote, VoteId};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use uuid::Uuid;

use crate::client::{Client, Who};
use crate::postgres;
use crate::program::Program;
use crate::world::World;

const CLIENTS: u64 = 8;
const CONCEPTS: usize = 12;
/// Few, so that the belief is soon back after every start.
const TREES: u32 = 64;
/// When nothing was written for so long, the belief rests.
const REST: Duration = Duration::from_secs(4);

/// Somebody who answers until the server is gone, and goes on when it is back.
struct Person {
    world: World,
    who: Who,
    rng: ChaCha8Rng,
    /// Sent, but not known to be recorded.
    pending: Option<Value>,
    acknowledged: Vec<VoteId>,
    /// Acknowledged votes of all.
    count: Arc<AtomicUsize>,
}

impl Person {
    fn new(world: &World, count: &Arc<AtomicUsize>, seed: u64) -> Self {
        Self {
            world: world.clone(),
            who: world.newcomer(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            pending: None,
            acknowledged: Vec::new(),
            count: count.clone(),
        }
    }

    async fn answer(mut self, address: std::net::SocketAddr) -> Self {
        let Ok(mut client) = Client::connect(address, self.who.clone()).await else { return self };
        loop {
            if self.pending.is_none() {
                match self.world.question(&mut client).await {
                    Ok(Some(question)) => self.pending = Some(self.world.vote(&question, &mut self.rng)),
                    Ok(None) => {
                        self.who = self.world.newcomer();
                        client.is_now(self.who.clone());
                        continue;
                    }
                    Err(_) => return self,
                }
            }
            let Some(vote) = &self.pending else { continue };
            match client.post("/api/v1/work/votes", Some(vote)).await {
                Ok((200, _)) => {
                    let id = vote["id"].as_str().and_then(|id| Uuid::parse_str(id).ok());
                    self.acknowledged.push(VoteId(id.expect("its own id")));
                    self.count.fetch_add(1, Ordering::Relaxed);
                    self.pending = None;
                }
                Ok((status, refusal)) => panic!("{status}: {refusal}"),
                Err(_) => return self,
            }
        }
    }
}

/// Starts and kills the server again and again, with people who do not give up.
async fn survives(database: &str, kills: u32, seed: u64) {
    let world = World::make(database, CONCEPTS, Some(TREES)).await;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let count = Arc::new(AtomicUsize::new(0));
    let mut people: Vec<Person> = (0..CLIENTS).map(|client| Person::new(&world, &count, client)).collect();
    for _ in 0..kills {
        let program = Program::start(database);
        let address = program.address;
        let answering: Vec<_> = people.drain(..).map(|person| tokio::spawn(person.answer(address))).collect();
        // By votes and not by the clock: a busy machine tries as much as an idle one.
        let enough = count.load(Ordering::Relaxed) + rng.random_range(1..100);
        while count.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(program);
        for person in answering {
            people.push(person.await.expect("people see no error but a lost connection"));
        }
    }
    let program = Program::start(database);
    served_as_logged(database, &world, &program).await;
    program.stop();
    let acknowledged: Vec<VoteId> = people.iter().flat_map(|person| person.acknowledged.clone()).collect();
    println!("{} votes acknowledged between {kills} kills", acknowledged.len());
    let log = log(database, &world).await;
    each_vote_once(&log, &acknowledged);
}

/// Checks that the belief that is served is the log's. Sweeps may be recorded between the two looks, and a server that does
/// not own the belief shows what the owner published a moment later, so some tries are allowed.
pub(crate) async fn served_as_logged(database: &str, world: &World, program: &Program) {
    for tries_left in (0..5).rev() {
        let served = drained(world, program).await;
        let log = log(database, world).await;
        match std::panic::catch_unwind(|| same_to_the_bit(&log, &served)) {
            Ok(()) => return,
            Err(other) if tries_left == 0 => std::panic::resume_unwind(other),
            Err(_) => {}
        }
    }
}

/// The hierarchy that is served when all votes are believed, and the belief rests.
async fn drained(world: &World, program: &Program) -> Value {
    let mut owner = Client::connect(program.address, world.owner()).await.expect("it listens");
    let began = Instant::now();
    let (mut head, mut since) = (Value::Null, Instant::now());
    loop {
        let (status, campaign) = owner.get(&world.path("")).await.expect("it answers");
        assert_eq!(status, 200, "{campaign}");
        if campaign["head"] != head {
            (head, since) = (campaign["head"].clone(), Instant::now());
        }
        if campaign["lag"] == 0 && since.elapsed() > REST {
            return owner.get(&world.path("/hierarchy")).await.expect("it answers").1;
        }
        assert!(began.elapsed() < Duration::from_secs(600), "the belief does not catch up: {campaign}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

pub(crate) async fn log(database: &str, world: &World) -> Vec<Entry> {
    let store = Store::open(database).await.expect("the database is whole");
    let mut log: Vec<Entry> = Vec::new();
    loop {
        let after = log.last().map_or(Position::START, |entry| entry.position);
        let page = store.log(world.campaign, after, 10_000).await.expect("the log can be read");
        if page.is_empty() {
            break;
        }
        log.extend(page);
    }
    assert!(store.doctor().await.expect("it can be examined").is_empty());
    store.close().await;
    log
}

pub(crate) fn each_vote_once(log: &[Entry], acknowledged: &[VoteId]) {
    let mut times: HashMap<VoteId, u32> = HashMap::new();
    let mut answered = HashSet::new();
    for entry in log {
        if let Event::VoteCast(SubmittedVote { id, response, .. }) = &entry.event {
            *times.entry(*id).or_default() += 1;
            let answer = (response.worker.clone(), response.screen.clone());
            assert!(answered.insert(answer), "answered twice: {response:?}");
        }
    }
    assert!(times.values().all(|&times| times == 1), "a vote is in the log twice");
    let lost = acknowledged.iter().filter(|vote| !times.contains_key(vote)).count();
    assert_eq!(lost, 0, "of {}", acknowledged.len());
}

/// What was served, and what the log says when it is read from its beginning.
fn same_to_the_bit(log: &[Entry], served: &Value) {
    let follower = Follower::replay(log).expect("a log that can be read");
    assert_eq!(follower.astray(), None, "the belief was another when it was written down");
    let hierarchy = follower.hierarchy().expect("a hierarchy");
    let concepts = served["concepts"].as_array().expect("concepts");
    assert_eq!(concepts.len(), hierarchy.len());
    for (entry, concept) in hierarchy.entries().iter().zip(concepts) {
        assert_eq!(concept["parent"].as_u64(), Some(entry.parent.index() as u64));
        // Numbers are written so that they can be read back to the bit; both go the same way.
        let certainty = serde_json::to_value(entry.certainty).expect("a number");
        assert_eq!(concept["certainty"], certainty, "{concept}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_survives_the_servers_death() {
    let folder = std::env::temp_dir().join(format!("grove-served-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder).expect("a new folder");
    survives(&folder.join("grove.db").display().to_string(), 8, 1).await;
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_survives_the_servers_death() {
    if postgres::is_missing() {
        return;
    }
    survives(&postgres::new_database().await, 8, 2).await;
}

/// `cargo test --release -p taxogrove --test served -- --ignored --nocapture`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn both_survive_two_hundred_deaths() {
    let folder = std::env::temp_dir().join(format!("grove-served-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder).expect("a new folder");
    survives(&folder.join("grove.db").display().to_string(), 200, 3).await;
    std::fs::remove_dir_all(&folder).expect("it is ours");
    survives(&postgres::new_database().await, 200, 4).await;
}
