//! People who know the addresses of several servers, and go to the next one if theirs does not answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use grove_store::VoteId;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use crate::client::Client;
use crate::world::World;

/// How long a person waits for an answer: longer than the server does for its database.
const PATIENCE: Duration = Duration::from_secs(12);

/// What a person has seen.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) acknowledged: Vec<VoteId>,
    /// How often each request that succeeded, for a question or with a vote, had failed before: no connection, a lost one, a refusal.
    pub(crate) retries: Vec<u32>,
    /// What was answered other than 200, and how often.
    pub(crate) refusals: Vec<(u16, Value)>,
    /// The longest time without a success.
    pub(crate) longest_wait: Duration,
}

/// Some people who answer until they are told to stop.
pub(crate) struct People {
    answering: Vec<(usize, JoinHandle<Seen>)>,
    end: watch::Sender<bool>,
    addresses: watch::Sender<Vec<SocketAddr>>,
    /// Acknowledged votes of all.
    pub(crate) count: Arc<AtomicUsize>,
}

impl People {
    /// So many people for each world.
    pub(crate) fn start(worlds: &[World], each: usize, addresses: Vec<SocketAddr>) -> Self {
        let (end, addresses) = (watch::Sender::new(false), watch::Sender::new(addresses));
        let count = Arc::<AtomicUsize>::default();
        let mut answering = Vec::new();
        for (at, world) in worlds.iter().enumerate() {
            for person in 0..each {
                let seed = (at * each + person) as u64;
                let person = Person {
                    world: world.clone(),
                    // Not all begin with the same server.
                    next: seed as usize,
                    rng: ChaCha8Rng::seed_from_u64(seed),
                    addresses: addresses.subscribe(),
                    end: end.subscribe(),
                    count: count.clone(),
                };
                answering.push((at, tokio::spawn(person.answer())));
            }
        }
        Self { answering, end, addresses, count }
    }

    pub(crate) fn total(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Waits until so many more votes are acknowledged, and returns how long that took. Fails after a minute.
    pub(crate) async fn more(&self, votes: usize) -> Duration {
        let (goal, began) = (self.total() + votes, Instant::now());
        while self.total() < goal {
            assert!(began.elapsed() < Duration::from_secs(60), "nobody can vote any more");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        began.elapsed()
    }

    /// From now on the servers are these.
    pub(crate) fn go_to(&self, addresses: Vec<SocketAddr>) {
        self.addresses.send_replace(addresses);
    }

    /// Lets all finish what they are doing. What they have seen, by world.
    pub(crate) async fn stop(self, worlds: usize) -> Vec<Vec<Seen>> {
        self.end.send_replace(true);
        let mut seen: Vec<Vec<Seen>> = (0..worlds).map(|_| Vec::new()).collect();
        for (world, person) in self.answering {
            seen[world].push(person.await.expect("people do not panic"));
        }
        seen
    }
}

struct Person {
    world: World,
    /// The address to go to, counted round and round.
    next: usize,
    rng: ChaCha8Rng,
    addresses: watch::Receiver<Vec<SocketAddr>>,
    end: watch::Receiver<bool>,
    count: Arc<AtomicUsize>,
}

impl Person {
    async fn answer(mut self) -> Seen {
        let mut seen = Seen::default();
        let (mut who, mut client, mut pending, mut tries) = (self.world.newcomer(), None, None, 0);
        let (mut address, mut last) = (None, Instant::now());
        while !*self.end.borrow() {
            let Some(open) = &mut client else {
                let address = *address.insert(self.another(address));
                client = Client::connect(address, who.clone()).await.ok();
                if client.is_none() {
                    (self.next, tries) = (self.next + 1, tries + 1);
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                continue;
            };
            let path = if pending.is_some() { "/api/v1/work/votes" } else { "/api/v1/work/next" };
            match timeout(PATIENCE, open.post(path, pending.as_ref())).await {
                Ok(Ok((200, answer))) => {
                    seen.retries.push(tries);
                    tries = 0;
                    if let Some(vote) = pending.take() {
                        let id = vote["id"].as_str().and_then(|id| Uuid::parse_str(id).ok());
                        seen.acknowledged.push(VoteId(id.expect("its own id")));
                        seen.longest_wait = seen.longest_wait.max(last.elapsed());
                        last = Instant::now();
                        self.count.fetch_add(1, Ordering::Relaxed);
                    } else if let Some(question) = answer["screens"].get(0) {
                        pending = Some(self.world.vote(question, &mut self.rng));
                    } else {
                        who = self.world.newcomer();
                        open.is_now(who.clone());
                    }
                }
                failure => {
                    (client, self.next, tries) = (None, self.next + 1, tries + 1);
                    if let Ok(Ok(refusal)) = failure {
                        seen.refusals.push(refusal);
                        // A server that cannot at present may be able soon.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                }
            }
        }
        seen
    }

    /// The next address that is not the one that failed, if there is another.
    fn another(&self, failed: Option<SocketAddr>) -> SocketAddr {
        let addresses = self.addresses.borrow();
        let mut others = addresses.iter().cycle().skip(self.next % addresses.len()).take(addresses.len());
        *others.find(|address| Some(**address) != failed).unwrap_or(&addresses[0])
    }
}
